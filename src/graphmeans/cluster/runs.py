"""From starts to the best result: runs, swaps, certificates; what is interrupted or killed is not lost."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphmeans.cluster.checkpoint import Arrays, Checkpoint, Saved, packed, unpacked
from graphmeans.cluster.elkan import elkan
from graphmeans.cluster.gvr import gvr
from graphmeans.cluster.interval import interval
from graphmeans.cluster.lloyd import lloyd
from graphmeans.cluster.problem import Problem
from graphmeans.cluster.result import Result, Trace
from graphmeans.graphs.batch import GraphBatch
from graphmeans.means.frames import Centres

logger = logging.getLogger("graphmeans")

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
        Gives the centres that a problem starts from.
    seeds : list of int
        One a run.
    checkpoint : Checkpoint, optional
    """

    algorithm: str
    settings: dict[str, Any]
    problem: Problem
    start: Callable[[Problem], Centres]
    seeds: list[int]
    checkpoint: Checkpoint | None = None

    def best(self) -> Result:
        """The result with the lowest objective. An interrupted run gives its last complete iteration, with a warning."""
        best, first, saved = self._resumed()
        for run in range(first, len(self.seeds)):
            problem = replace(self.problem, seed=self.seeds[run], run=run, n_runs=len(self.seeds))
            try:
                result = self._one(problem, best, saved if run == first else None)
            except KeyboardInterrupt:
                stopped = None if problem.stopping is None else problem.stopping.stopped()
                if best is None and stopped is None:
                    raise
                warnings.warn("interrupted: the last complete iteration is returned", ConvergenceWarning, stacklevel=5)
                return min((r for r in (best, stopped) if r is not None), key=lambda r: r.inertia)
            logger.info("run %d/%d: inertia %.6g after %d iterations", run + 1, problem.n_runs, result.inertia, result.n_iter)
            if best is None or result.inertia < best.inertia:
                best = result
        assert best is not None
        if self.checkpoint is not None:
            self.checkpoint.remove()
        return best

    def _one(self, problem: Problem, best: Result | None, saved: Saved | None) -> Result:
        if self.algorithm != "interval":
            return ALGORITHMS[self.algorithm](problem, self.start(problem), **self.settings)
        target = 0.0 if best is None else best.inertia
        if self.checkpoint is not None:
            facts = {"run": problem.run, "seeds": self.seeds}
            self.checkpoint.context = facts, ({} if best is None else packed("best", _to_arrays(best)))
        centres = None if saved is not None else self.start(problem)
        return interval(problem, centres, **self.settings, target=target, checkpoint=self.checkpoint, saved=saved)

    def _resumed(self) -> tuple[Result | None, int, Saved | None]:
        """The best result so far, the run to go on with, and its saved state."""
        saved = None if self.checkpoint is None else self.checkpoint.read()
        if saved is None:
            return None, 0, None
        head, arrays = saved
        self.seeds = [int(seed) for seed in head["seeds"]]
        self.problem.ledger.matchings.update(head["matchings"])
        logger.info("going on with run %d after iteration %d", head["run"] + 1, head["iteration"])
        best = unpacked("best", arrays)
        return _from_arrays(best, self.problem.batch) if best else None, int(head["run"]), saved


_BATCH = ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values")


def _to_arrays(result: Result) -> Arrays:
    return {name: getattr(result.centres.batch, name) for name in _BATCH} | {
        "labels": result.labels,
        "distances": result.distances,
        "numbers": np.array([result.inertia, result.n_iter, result.converged]),
        "node_support": result.centres.node_support,
        "edge_support": result.centres.edge_support,
        "trace": np.asarray(result.trace),
        "certified": np.zeros(0, dtype=bool) if result.certified is None else result.certified,
    }


def _from_arrays(arrays: Arrays, like: GraphBatch) -> Result:
    parts: Any = {name: arrays[name] for name in _BATCH}
    batch = replace(like, **parts)
    inertia, n_iter, converged = arrays["numbers"]
    return Result(
        arrays["labels"], Centres(batch, arrays["node_support"], arrays["edge_support"]), arrays["distances"], float(inertia),
        int(n_iter), bool(converged), arrays["trace"].view(Trace), arrays["certified"] if len(arrays["certified"]) else None,
    )  # fmt: skip
