"""From starts to the best result: runs, swaps, certificates; what is interrupted or killed is not lost."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphmeans.cluster.algorithms.elkan import elkan
from graphmeans.cluster.algorithms.gvr import gvr
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.algorithms.lloyd import lloyd
from graphmeans.cluster.algorithms.result import Result, Trace, fixed
from graphmeans.cluster.context import Problem
from graphmeans.cluster.counters import Ledger
from graphmeans.cluster.persistence.checkpoint import Arrays, Checkpoint, Saved, packed, unpacked
from graphmeans.graphs.batch import GraphBatch
from graphmeans.means.frames import Centers

logger = logging.getLogger("graphmeans")

#: Runs that are made at the same time, where that helps; it decides what they know of each other, so it is the same everywhere.
SIDE_BY_SIDE = 4
#: The algorithms: functions of one signature and one Result.
ALGORITHMS: dict[str, Callable[..., Result]] = {"lloyd": lloyd, "elkan": elkan, "gvr": gvr, "interval": interval}


@dataclass
class Runs:
    """Several runs of an algorithm from different starts.

    Parameters
    ----------
    algorithm : str
    settings : dict
        What the algorithm takes besides the problem and the start.
    problem : Problem
        That of the first run; the others differ in their seeds.
    start : callable
        Gives the centers that a problem starts from.
    seeds : list of int
        One a run.
    checkpoint : Checkpoint, optional
    """

    algorithm: str
    settings: dict[str, Any]
    problem: Problem
    start: Callable[[Problem], Centers]
    seeds: list[int]
    checkpoint: Checkpoint | None = None
    _best: Result | None = None

    def best(self) -> Result:
        """The result with the lowest objective. An interrupted run gives its last complete iteration, with a warning."""
        first, target, saved = self._resumed()
        for wave in waves(first, len(self.seeds)):
            problems = [
                replace(self.problem, seed=self.seeds[run], run=run, n_runs=len(self.seeds), ledger=Ledger()) for run in wave
            ]
            # A run gives up only for what the waves before it have reached: whether those of a wave are made one after the
            # other or at once makes no difference.
            target = 0.0 if self._best is None else self._best.inertia if saved is None else target
            try:
                if self.problem.engines is None or len(wave) == 1 or self.checkpoint is not None:
                    for problem in problems:
                        self._take(problem, self._one(problem, target, saved))
                        saved = None
                else:  # where answers take time to come
                    with ThreadPoolExecutor(len(wave), thread_name_prefix="graphmeans-run") as pool:
                        made = [pool.submit(self._one, problem, target, None) for problem in problems]
                        try:
                            for problem, future in zip(problems, made, strict=True):
                                self._take(problem, future.result())
                        except KeyboardInterrupt:
                            self.problem.engines.interrupt()  # the others shall stop, too
                            raise
            except KeyboardInterrupt:
                stopped = [problem.stopped() for problem in problems]
                found = [result for result in (self._best, *stopped) if result is not None]
                if not found:
                    raise
                warnings.warn("interrupted: the last complete iteration is returned", ConvergenceWarning, stacklevel=5)
                return min(found, key=lambda result: result.inertia)
        assert self._best is not None
        if self.checkpoint is not None:
            self.checkpoint.remove()
        return self._best

    def _take(self, problem: Problem, result: Result) -> None:
        """A run is done."""
        run, reached = f"{problem.run + 1}/{problem.n_runs}", result.inertia
        logger.info("run %s: inertia %.6g after %d iterations", run, reached, result.n_iter)
        self.problem.ledger.add(problem.ledger)
        worse: Result | None = result
        if self._best is None or result.inertia < self._best.inertia:
            worse, self._best = self._best, result
        if result.engine is not None:
            result.engine.rest()
        if worse is not None and worse.engine is not None:
            worse.engine.close()

    def _one(self, problem: Problem, target: float, saved: Saved | None) -> Result:
        if self.algorithm != "interval":
            return ALGORITHMS[self.algorithm](problem, self.start(problem), **self.settings)
        if self.checkpoint is not None:
            before = dict(self.problem.ledger.matchings)
            facts = {"run": problem.run, "seeds": self.seeds, "target": target, "before": before}
            self.checkpoint.context = facts, ({} if self._best is None else packed("best", _to_arrays(self._best)))
            self.checkpoint.prepare()
            problem.folder = self.checkpoint.folder
        if saved is not None:
            problem.ledger.matchings.update(saved[0]["matchings"])
        centers = None if saved is not None else self.start(problem)
        return interval(problem, centers, **self.settings, target=target, checkpoint=self.checkpoint, saved=saved)

    def _resumed(self) -> tuple[int, float, Saved | None]:
        """The run to go on with, what it tries to beat, and its saved state; the best result so far is taken in."""
        saved = None if self.checkpoint is None else self.checkpoint.read()
        if saved is None:
            return 0, 0.0, None
        head, arrays = saved
        self.seeds = [int(seed) for seed in head["seeds"]]
        self.problem.ledger.matchings.update(head["before"])
        logger.info("going on with run %d after iteration %d", head["run"] + 1, head["iteration"])
        best = unpacked("best", arrays)
        if best:
            self._best = _from_arrays(best, self.problem.source.like)
        return int(head["run"]), float(head["target"]), saved


def waves(first: int, count: int) -> list[range]:
    """Runs that are made side by side: one, then four at a time."""
    cuts = [0, *range(1, count, SIDE_BY_SIDE), count]
    return [range(max(a, first), b) for a, b in pairwise(cuts) if b > first]


_BATCH = ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values")


def _to_arrays(result: Result) -> Arrays:
    return {name: getattr(result.centers.batch, name) for name in _BATCH} | {
        "labels": result.labels,
        "distances": result.distances,
        "numbers": np.array([result.inertia, result.n_iter, result.converged, result.filled]),
        "node_support": result.centers.node_support,
        "edge_support": result.centers.edge_support,
        "trace": np.asarray(result.trace),
        "certified": np.array([] if result.certified is None else [result.certified]),
    }


def _from_arrays(arrays: Arrays, like: GraphBatch) -> Result:
    parts: Any = {name: arrays[name] for name in _BATCH}
    batch = replace(like, **parts)
    inertia, n_iter, converged, filled = arrays["numbers"]
    certified = arrays["certified"]
    return Result(
        fixed(arrays["labels"], arrays["distances"]), Centers(batch, arrays["node_support"], arrays["edge_support"]),
        float(inertia), int(n_iter), bool(converged), arrays["trace"].view(Trace),
        float(certified[0]) if len(certified) else None, int(filled),
    )  # fmt: skip
