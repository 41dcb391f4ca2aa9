"""When a run ends, and which of its iterations is returned."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.algorithms.result import Look, Result, Trace, fixed
from graphmeans.cluster.context import Problem
from graphmeans.cluster.counters import ALGORITHM, EVALUATION
from graphmeans.means.frames import Centers

logger = logging.getLogger("graphmeans")

#: An objective that is lower by less than this share is not better: rounding must not decide when a run ends.
ROUNDING = 1e-12
#: A run with a target is given up when the objective falls so slowly that this many more such steps would not get there.
STEPS_LEFT = 2

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Stopping:
    """Keeps the best iteration and says when to stop.

    A run ends after `n_iter_no_change` iterations without a better objective, or after `max_iter` updates of the means;
    at once if no label changed and the same members always have the same mean, since then all would repeat.

    Parameters
    ----------
    problem : Problem
    max_iter : int
    tol : float
        An objective is better if it is lower by more than this share.
    n_iter_no_change : int
    target : float
        Give up early where the objective cannot be expected to get below this; 0: never.
    """

    def __init__(
        self, problem: Problem, max_iter: int, tol: float, n_iter_no_change: int, target: float = 0.0
    ) -> None:
        self.problem = problem
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.target = target
        self.rows: list[dict[str, Any]] = []
        self._labels: IntArray | None = None
        self._best: tuple[Look, Centers, float] | None = None
        self._least = np.inf
        self._recent: list[float] = []  # the last two objectives
        self._latest: tuple[Look, Centers, float] | None = None
        self._first = 0  # iterations before these rows, where a run goes on from a checkpoint
        if problem.stopping is None:
            problem.stopping = self
        self._since_best = 0
        self._converged = False
        self._clock = time.perf_counter()
        self._spent = self._ledger()

    def goes_on(self, labels: IntArray, centers: Centers, distances: FloatArray, **columns: int) -> bool:
        """Take note of an assignment; returns whether the means are to be recomputed once more."""
        inertia = float(self.problem.weights @ distances**2)
        moved = len(labels) if self._labels is None else int((labels != self._labels).sum())
        self._labels = labels.copy()
        before = self._least
        goes_on = self.note(inertia, moved, lambda: (fixed(labels, distances), centers), **columns)
        if self._least < before:
            self._best = self._latest
        repeats = moved == 0 and self.problem.means_repeat
        self._converged = self._converged or repeats
        return goes_on and not repeats

    def note(self, inertia: float, moved: int, look: Callable[[], tuple[Look, Centers]], **columns: int) -> bool:
        """The same for an algorithm that keeps its own state, which `look` gives."""
        self._record(inertia, moved, columns)
        self._latest = (*look(), inertia)
        self._recent = [*self._recent[-1:], inertia]
        if self.problem.on_iteration is not None:
            labels, distances = self._latest[0]()
            self.problem.on_iteration(labels, self._latest[1], distances, inertia)
        if inertia < self._least * (1.0 - max(self.tol, ROUNDING)):
            self._least, self._since_best = inertia, 0
        else:
            self._since_best += 1
        self._converged = self._since_best >= self.n_iter_no_change or self._is_hopeless()
        return not self._converged and self.iteration <= self.max_iter

    def _is_hopeless(self) -> bool:
        """Whether the objective falls too slowly to get below the target."""
        if not self.target or self.iteration < 3:
            return False
        above = self._recent[-1] - self.target
        return above > 0 and bool((self._recent[-2] - self._recent[-1]) * STEPS_LEFT < above)

    def take_over(self, other: Stopping, swap: bool = True) -> None:
        """What another one saw happened after what this one did, following a swap or not."""
        number = max((row.get("swap", 0) for row in self.rows), default=0) + swap
        self.rows += [{**row, "iteration": self.iteration + 1 + i, "swap": number} for i, row in enumerate(other.rows)]
        self._latest = other._latest

    def state(self) -> dict[str, Any]:
        """What it goes by, for a process that may have to go on."""
        return {"iteration": self.iteration, "recent": self._recent, "least": self._least, "since_best": self._since_best}

    def goes_on_from(self, state: dict[str, Any]) -> None:
        """These iterations were made before, by a process that is gone."""
        self._first, self._recent = int(state["iteration"]), list(state["recent"])
        self._least, self._since_best = float(state["least"]), int(state["since_best"])

    def stopped(self) -> Result | None:
        """The last complete iteration, or the best one of an algorithm whose objective may rise; None if there is none."""
        known = self._best or self._latest
        return None if known is None else self._at_rest(known)

    @property
    def iteration(self) -> int:
        """Assignments seen so far."""
        return self._first + len(self.rows)

    def result(self) -> Result:
        """The best iteration."""
        assert self._best is not None, "goes_on was never called"
        return self._at_rest(self._best)

    def _at_rest(self, known: tuple[Look, Centers, float]) -> Result:
        return self.last(*known, filled=len(np.unique(known[0]()[0])))

    def last(self, look: Look, centers: Centers, inertia: float, **more: Any) -> Result:
        """The last iteration, of an algorithm whose objective never rises and that says itself what was reached."""
        n_iter = min(self.iteration, max(self.max_iter, len(self.rows) - 1))
        converged = self._converged or self.iteration <= self.max_iter
        return Result(look, centers, inertia, n_iter, converged, Trace.of_rows(self.rows), **more)

    def _record(self, inertia: float, moved: int, columns: dict[str, int]) -> None:
        now, spent = time.perf_counter(), self._ledger()
        row = {
            "iteration": self.iteration + 1,
            "inertia": inertia,
            "moved": moved,
            "seconds": now - self._clock,
            **{name: spent[name] - self._spent[name] for name in spent},
            **columns,
        }
        self.rows.append(row)
        self._clock, self._spent = now, spent
        if logger.isEnabledFor(logging.DEBUG):
            problem = self.problem
            logger.debug(
                "run %d/%d, iteration %d: inertia %.6g, %d moved, %d matchings",
                problem.run + 1, problem.n_runs, row["iteration"], inertia, moved, row["matchings"],
                extra={"trace": {**row, "phase": "iteration", "run": problem.run, "n_runs": problem.n_runs,
                                 "max_iter": self.max_iter}},
            )  # fmt: skip

    def _ledger(self) -> dict[str, float]:
        """What was spent so far, by column of the trace."""
        ledger = self.problem.ledger
        return {
            "matchings": ledger.matchings[ALGORITHM],
            "evaluation_matchings": ledger.matchings[EVALUATION],
            "matching_seconds": ledger.seconds,
            "rebuilt": ledger.rebuilt,
            "repeated_matchings": ledger.repeated,
            "bytes_sent": ledger.sent,
            "bytes_received": ledger.received,
        }
