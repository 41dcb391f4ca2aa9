"""`History`: the objective by iteration; when a run ends, and which of its iterations is returned."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from graphmeans.cluster.algorithms.result import Result, Trace, copied
from graphmeans.cluster.context import ALGORITHM, EVALUATION, Counters, FitContext
from graphmeans.cluster.engines.base import GetAssignment
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.means.frames import Centers

logger = logging.getLogger("graphmeans")

#: An objective that is lower by less than this share is not better: rounding must not decide when a run ends.
ROUNDING = 1e-12
#: A run with a target is given up when the objective falls so slowly that this many more such steps would not get there.
STEPS_LEFT = 2
#: The same after the first step, which is the longest: the steps that follow make up for this share of it, at most.
AFTER_FIRST = 4.0

#: Before other centers are tried, a run need not go on when so many objectives differ by no more than this share.
FLAT_STEPS, FLAT = 5, 5e-4

#: Columns of the trace that a fit that goes on counts as if it had never ended; the others are times, and what was sent.
COUNTED = ("matchings", "evaluation_matchings")

#: An assignment, the centers that it belongs to, and its objective.
Iteration = tuple[GetAssignment, Centers, float]


class History:
    """Keeps the best iteration and says when to stop.

    A run ends after `n_iter_no_change` iterations without a better objective, or after `max_iter` updates of the means;
    at once if no label changed and the same members always have the same mean, since then everything would repeat.

    Parameters
    ----------
    context : FitContext
    counters : Counters
        What the run spends, for the trace.
    max_iter : int
    tol : float
        An objective is better if it is lower by more than this share.
    n_iter_no_change : int
    target : float
        Give up early where the objective cannot be expected to get below this; 0 for never.
    """

    def __init__(
        self, context: FitContext, counters: Counters, *, max_iter: int = 100, tol: float = 0.0, n_iter_no_change: int = 3,
        target: float = 0.0,
    ) -> None:  # fmt: skip
        self.context, self.counters = context, counters
        self.max_iter, self.tol, self.n_iter_no_change, self.target = max_iter, tol, n_iter_no_change, target
        self.rows: list[dict[str, Any]] = []
        #: Gives the result of an interrupted run whose labels are with workers.
        self.on_interrupt: Callable[[], Result] | None = None
        #: What its rows are part of, for those who watch: iterations of a run, or of a swap that may be taken back.
        self.phase = "iteration"
        #: Whether swaps of centers follow the run.
        self.swaps_follow = False
        self._labels: IntArray | None = None
        self._best: Iteration | None = None
        self._latest: Iteration | None = None
        self._least = np.inf
        self._recent: list[float] = []  # the last objectives
        self._counted_from = 0  # the iteration after which `max_iter` are counted
        self._since_best = 0
        self._converged = False
        self._clock = time.perf_counter()
        self._spent = self._columns()

    def start_clock(self) -> None:
        """Leave out of the first row what was spent so far, on seeds."""
        self._clock, self._spent = time.perf_counter(), self._columns()

    def trial(self, target: float) -> History:
        """A history by the same rules, of something that may be taken back."""
        trial = History(
            self.context, self.counters, max_iter=self.max_iter, tol=self.tol, n_iter_no_change=self.n_iter_no_change,
            target=target,
        )  # fmt: skip
        trial.phase = "swap"
        return trial

    def record_assignment(self, labels: IntArray, centers: Centers, distances: FloatArray, **columns: int) -> bool:
        """Record an assignment; returns whether the means are to be recomputed once more."""
        inertia = float(self.context.weights @ distances**2)
        moved = len(labels) if self._labels is None else int((labels != self._labels).sum())
        self._labels = labels.copy()
        before = self._least
        goes_on = self.record(inertia, moved, (copied(labels, distances), centers), **columns)
        if self._least < before:
            self._best = self._latest
        repeats = moved == 0 and self.context.means_repeat
        self._converged = self._converged or repeats
        return goes_on and not repeats

    def record(
        self, inertia: float, moved: int, found: tuple[GetAssignment, Centers] | None = None, **columns: int
    ) -> bool:
        """Record an assignment of an algorithm that keeps its own state.

        `found` is left out where nobody would ask for it. Returns whether the means are to be recomputed once more.
        """
        self._add_row(inertia, moved, columns)
        if found is not None:
            self._latest = (*found, inertia)
            if self.context.on_iteration is not None:
                now, space = found[0](), self.context.space
                self.context.on_iteration(
                    now.labels, found[1], space.in_units_of_graphs(now.distances), space.in_units_of_graphs(inertia, power=2)
                )
        self._recent = [*self._recent[1 - FLAT_STEPS :], inertia]
        if inertia < self._least * (1.0 - max(self.tol, ROUNDING)):
            self._least, self._since_best = inertia, 0
        else:
            self._since_best += 1
        self._converged = self._since_best >= self.n_iter_no_change or self._is_hopeless()
        return not self._converged and self.iteration - self._counted_from <= self.max_iter

    def is_flat(self) -> bool:
        """Whether the last iterations have lowered the objective by so little that it is time for something else."""
        return len(self._recent) == FLAT_STEPS and self._recent[0] - self._recent[-1] < FLAT * self._recent[-1]

    def is_cut(self) -> bool:
        """Whether a run ended because its iterations did."""
        return not self._converged and self.iteration - self._counted_from > self.max_iter

    def renew(self) -> None:
        """Go on after something else: iterations are counted afresh, and what they lower is no longer compared."""
        self._counted_from, self._recent, self._least, self._since_best = self.iteration, [], np.inf, 0

    def _is_hopeless(self) -> bool:
        """Whether the objective falls too slowly to get below the target."""
        if not self.target or self.iteration < 3:
            return False
        above = self._recent[-1] - self.target
        return above > 0 and bool((self._recent[-2] - self._recent[-1]) * STEPS_LEFT < above)

    def is_out_of_reach(self, next_inertia: float) -> bool:
        """Whether the target cannot be expected, now that it is known where the first step leads."""
        if not self.target or self.iteration != 1:
            return False
        return next_inertia - self.target > AFTER_FIRST * (self._recent[-1] - next_inertia)

    def append(
        self, other: History, found: tuple[GetAssignment, Centers] | None = None, swap: bool = True
    ) -> None:
        """What another history recorded happened after what this one did, following a swap or not.

        `found` is what it ended with, if the other history was not told.
        """
        number = self._swap_number() + swap
        self.rows += [{**row, "iteration": self.iteration + 1 + i, "swap": number} for i, row in enumerate(other.rows)]
        self._latest = other._latest if found is None else (*found, other._recent[-1])
        for name in self._spent:  # what its rows say was spent is not said again by the next row of this one
            self._spent[name] += sum(row[name] for row in other.rows)
        self._clock += sum(row["seconds"] for row in other.rows)

    def state(self) -> dict[str, Any]:
        """What the next decision depends on, for a process that may have to go on."""
        return {
            "iteration": self.iteration, "recent": self._recent, "least": self._least, "since_best": self._since_best,
            "counted_from": self._counted_from, "spent": {name: self._spent[name] for name in COUNTED},
        }  # fmt: skip

    def resume(self, state: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        """Go on after iterations that were made before, by a process that is gone; these are their rows of the trace."""
        self.rows, self._recent = rows, list(state["recent"])
        self._least, self._since_best = float(state["least"]), int(state["since_best"])
        self._counted_from = int(state["counted_from"])
        self._clock, self._spent = time.perf_counter(), {**self._columns(), **state["spent"]}

    @property
    def iteration(self) -> int:
        """Assignments recorded so far."""
        return len(self.rows)

    # -- results -----------------------------------------------------------------------------------

    def best(self) -> Result:
        """The best iteration."""
        assert self._best is not None, "no assignment was recorded"
        return self._result_of(self._best)

    def interrupted(self) -> Result | None:
        """The last complete iteration, or the best one of an algorithm whose objective may rise; None if there is none."""
        if self.rows and self.on_interrupt is not None:
            return self.on_interrupt()
        known = self._best or self._latest
        return None if known is None else self._result_of(known)

    def _result_of(self, known: Iteration) -> Result:
        return self.last(*known, n_filled=len(np.unique(known[0]().labels)))

    def last(self, get_assignment: GetAssignment, centers: Centers, inertia: float, **more: Any) -> Result:
        """The last iteration, of an algorithm whose objective never rises and that says itself what was reached."""
        n_iter = min(self.iteration, max(self.max_iter, len(self.rows) - 1))
        converged = not self.is_cut()
        return Result(get_assignment, centers, inertia, n_iter, converged, Trace.of_rows(self.rows), **more)

    # -- rows --------------------------------------------------------------------------------------

    def _add_row(self, inertia: float, moved: int, columns: dict[str, int]) -> None:
        now, spent = time.perf_counter(), self._columns()
        row = {
            "iteration": self.iteration + 1,
            "inertia": inertia,
            "moved": moved,
            "swap": self._swap_number(),
            "seconds": now - self._clock,
            **{name: spent[name] - self._spent[name] for name in spent},
            **columns,
        }
        self.rows.append(row)
        self._clock, self._spent = now, spent
        if logger.isEnabledFor(logging.DEBUG):
            context = self.context
            row = {**row, "inertia": (inertia := context.space.in_units_of_graphs(inertia, power=2))}
            logger.debug(
                "run %d/%d, iteration %d: inertia %.6g, %d moved, %d matchings",
                context.run + 1, context.n_runs, row["iteration"], inertia, moved, row["matchings"],
                extra={"trace": {**row, **context.whereabouts(), "phase": self.phase, "swaps_follow": self.swaps_follow}},
            )  # fmt: skip

    def _swap_number(self) -> int:
        """How many swaps came before."""
        return int(self.rows[-1].get("swap", 0)) if self.rows else 0

    def say(self, phase: str, message: str, **facts: Any) -> None:
        """Log how far the run is in a phase that has no iterations."""
        if logger.isEnabledFor(logging.DEBUG):
            facts |= {"phase": phase, **self.context.whereabouts()}
            logger.debug("run %d/%d, %s", self.context.run + 1, self.context.n_runs, message, extra={"trace": facts})

    def _columns(self) -> dict[str, float]:
        """What was spent so far, by column of the trace."""
        counters = self.counters
        return {
            "matchings": counters.matchings[ALGORITHM],
            "evaluation_matchings": counters.matchings[EVALUATION],
            "matching_seconds": counters.seconds,
            "rebuilt": counters.rebuilt_graphs,
            "repeated_matchings": counters.repeated_matchings,
            "bytes_sent": counters.bytes_sent,
            "bytes_received": counters.bytes_received,
        }
