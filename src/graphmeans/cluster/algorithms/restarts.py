"""From starts to the best result: several runs, of which the best is kept; what is interrupted or killed is not lost."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphmeans.cluster.algorithms.elkan import elkan
from graphmeans.cluster.algorithms.gvr import gvr
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval import interval, run_loop
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop
from graphmeans.cluster.algorithms.lloyd import lloyd
from graphmeans.cluster.algorithms.result import Result, Trace, check_trace
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import CountedMatcher, Counters, FitContext
from graphmeans.cluster.engines.base import Engine, EngineFactory, Interruptible
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.cluster.persistence.checkpoint import Arrays, Checkpoint, CheckpointFile, prefixed, without_prefix
from graphmeans.cluster.shards.reductions import Assignment
from graphmeans.file_schema import BEST
from graphmeans.files import blaming
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centers
from graphmeans.schema import check

logger = logging.getLogger("graphmeans")

#: The hint of a result that was interrupted.
PARTIAL = "this result is partial: the fit was interrupted after its last complete iteration"
#: Runs that are made at the same time, where that helps; it decides what they know of each other, so it is the same everywhere.
SIDE_BY_SIDE = 4
#: The algorithms: functions of one signature and one Result.
ALGORITHMS: dict[str, Callable[..., Result]] = {"lloyd": lloyd, "elkan": elkan, "gvr": gvr, "interval": interval}


@dataclass
class Run:
    """One run: what does not change, what it spends, and what has happened so far."""

    context: FitContext
    matcher: CountedMatcher
    history: History
    is_done: bool = False


@dataclass
class Restarts:
    """Several runs of an algorithm from different starts.

    Parameters
    ----------
    algorithm : str
    settings : dict
        What the algorithm takes besides the others.
    rules : dict
        When a run ends: max_iter, tol, n_iter_no_change.
    context : FitContext
        That of the first run; the others differ in their seeds.
    k : int
    start : callable
        Gives the seeds of a run: (context, matcher, new_engine) -> Seeds. It makes the engine if it needs one.
    random_seeds : list of int
        One for each run.
    new_engine : EngineFactory
        Makes the engine that holds the shards of a run.
    workers : Interruptible, optional
        The workers of these engines, if there are any besides the threads of this process.
    file : CheckpointFile, optional
    """

    algorithm: str
    settings: dict[str, Any]
    rules: dict[str, Any]
    context: FitContext
    k: int
    start: Callable[[FitContext, CountedMatcher, Callable[[], Engine]], Seeds]
    random_seeds: list[int]
    new_engine: EngineFactory = ThreadEngine
    workers: Interruptible | None = None
    file: CheckpointFile | None = None
    #: What all runs together have spent.
    counters: Counters = field(default_factory=Counters)
    _best: Result | None = None

    def best(self) -> Result:
        """The result with the lowest objective. An interrupted run gives its last complete iteration, with a warning."""
        if self.file is None:
            return self._best_of_runs()
        self.file.open()
        try:
            return self._best_of_runs()
        finally:
            self.file.close()

    def _best_of_runs(self) -> Result:
        first, target, saved = self._resumed()
        for wave in waves(first, len(self.random_seeds)):
            # A run gives up only for what the waves before it have reached: whether those of a wave are made one after the
            # other or at once makes no difference.
            target = 0.0 if self._best is None else self._best.inertia if saved is None else target
            runs = [self._new_run(number, target) for number in wave]
            try:
                if self.workers is None or len(wave) == 1 or self.file is not None:
                    for run in runs:
                        self._compare(run, self._make(run, saved))
                        saved = None
                else:
                    self._make_at_once(runs, self.workers)
            except KeyboardInterrupt:
                return self._interrupted(runs)
        assert self._best is not None
        if self.file is not None:
            self.file.remove()
        return self._best

    def _new_run(self, number: int, target: float) -> Run:
        context = replace(self.context, seed=self.random_seeds[number], run=number, n_runs=len(self.random_seeds))
        matcher = CountedMatcher(context.space)
        target = target if self.algorithm == "interval" else 0.0
        return Run(context, matcher, History(context, matcher.counters, target=target, **self.rules))

    def _make_at_once(self, runs: list[Run], workers: Interruptible) -> None:
        """Make runs side by side, where answers take time to come."""
        with ThreadPoolExecutor(len(runs), thread_name_prefix="graphmeans-run") as threads:
            made = [threads.submit(self._make, run, None) for run in runs]
            try:
                for run, future in zip(runs, made, strict=True):
                    self._compare(run, future.result())
            except KeyboardInterrupt:
                workers.interrupt()  # the others shall stop, too
                raise

    def _interrupted(self, runs: list[Run]) -> Result:
        """The best of what there is after Ctrl-C."""
        if self.workers is not None:
            self.workers.resume()
        unfinished = [run for run in runs if not run.is_done]
        stopped = [run.history.interrupted() for run in unfinished]
        found = [result for result in (self._best, *stopped) if result is not None]
        if not found:
            raise KeyboardInterrupt
        for run in unfinished:
            self.counters.add(run.matcher.counters)  # what they spent was spent
        warnings.warn("interrupted: the last complete iteration is returned", ConvergenceWarning, stacklevel=6)
        return replace(min(found, key=lambda result: result.inertia), hint=PARTIAL)

    def _compare(self, run: Run, result: Result) -> None:
        """A run is done: keep its result if it is the best so far."""
        run.is_done = True
        number, reached = f"{run.context.run + 1}/{run.context.n_runs}", result.inertia
        logger.info("run %s: inertia %.6g after %d iterations", number, reached, result.n_iter)
        self.counters.add(run.matcher.counters)
        worse: Result | None = result
        if self._best is None or result.inertia < self._best.inertia:
            worse, self._best = self._best, result
        if result.engine is not None:
            result.engine.rest()
        if worse is not None and worse.engine is not None:
            worse.engine.close()

    def _make(self, run: Run, saved: Checkpoint | None) -> Result:
        context, matcher, history = run.context, run.matcher, run.history
        if self.file is not None:
            facts = {
                "run": context.run, "seeds": self.random_seeds, "target": history.target,
                "before": dict(self.counters.matchings),
            }  # fmt: skip
            best = {} if self._best is None else prefixed("best", _to_arrays(self._best))
            self.file.begin_run(Checkpoint(facts, best), resumed=saved is not None)
        log_dir = None if self.file is None else self.file.log_dir
        new_engine = partial(self.new_engine, context, matcher, self.k, log_dir=log_dir)
        if saved is not None and not saved.has_begun_only:
            assert self.file is not None
            matcher.counters.matchings.update(saved.facts["matchings"])
            loop = IntervalLoop.from_checkpoint(context, new_engine(), saved, self.file)
            history.resume(saved.facts["history"], self._trace(saved).rows)
            return run_loop(loop, history, **self.settings, changed=False)
        seeds = self.start(context, matcher, new_engine)
        history.start_clock()
        if self.algorithm != "interval":
            return ALGORITHMS[self.algorithm](context, matcher, seeds, history, **self.settings)
        engine = seeds.engine or new_engine()
        return interval(context, matcher, seeds, history, engine=engine, file=self.file, **self.settings)

    def _resumed(self) -> tuple[int, float, Checkpoint | None]:
        """The run to go on with, what it tries to beat, and its checkpoint; the best result so far is taken in."""
        saved = None if self.file is None else self.file.read()
        if self.file is None or saved is None:
            return 0, 0.0, None
        facts, like = saved.facts, self.context.data.like
        if len(facts["seeds"]) != len(self.random_seeds):
            raise GraphError(f"{self.file.path}: is not consistent in itself: it is of {len(facts['seeds'])} runs")
        self.random_seeds = [int(seed) for seed in facts["seeds"]]
        self.counters.matchings.update(facts["before"])
        logger.info("going on with run %d after iteration %d", facts["run"] + 1, facts.get("iteration", 0))
        best = without_prefix("best", saved.arrays)
        if bool(best) != bool(facts["run"]):
            raise GraphError(f"{self.file.path}: is not consistent in itself: the best run before this one is missing")
        if best:
            lengths = {"graphs": self.k, "roles": len(like.role_names), "dv": like.nodes.shape[1], "members": len(self.context),
                       "de": like.edge_values.shape[1], "directions": 1 + like.directed}  # fmt: skip
            with blaming(self.file.path, "is not consistent in itself"):
                check(BEST, best, "its best run", **lengths)
                check_trace(best["trace"])
                self._best = _from_arrays(best, like)
        return int(facts["run"]), float(facts["target"]), saved


    def _trace(self, saved: Checkpoint) -> Trace:
        """The trace of the run that a checkpoint is of."""
        assert self.file is not None
        with blaming(self.file.path, "is not consistent in itself"):
            trace = saved.arrays["trace"]
            check_trace(trace)
            if len(trace) != saved.facts["history"]["iteration"]:
                raise GraphError(f"its trace has {len(trace)} rows")
            return trace.view(Trace)


def waves(first: int, count: int) -> list[range]:
    """Runs that are made side by side: one, then four at a time."""
    cuts = [0, *range(1, count, SIDE_BY_SIDE), count]
    return [range(max(a, first), b) for a, b in pairwise(cuts) if b > first]


_BATCH = ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values")


def _to_arrays(result: Result) -> Arrays:
    return {name: getattr(result.centers.batch, name) for name in _BATCH} | {
        "labels": result.labels,
        "distances": result.distances,
        "others": result.assignment.others,
        "numbers": np.array([result.inertia, result.n_iter, result.converged, result.n_filled]),
        "node_support": result.centers.node_support,
        "edge_support": result.centers.edge_support,
        "trace": np.asarray(result.trace),
        "certified": np.array([] if result.certified is None else [result.certified]),
        "hint": np.frombuffer((result.hint or "").encode(), dtype=np.uint8),
    }


def _from_arrays(arrays: Arrays, like: GraphBatch) -> Result:
    parts: Any = {name: arrays[name] for name in _BATCH}
    batch = replace(like, **parts)
    inertia, n_iter, converged, filled = arrays["numbers"]
    certified = arrays["certified"]
    assignment = Assignment(arrays["labels"], arrays["distances"], arrays["others"])
    return Result(
        lambda: assignment, Centers(batch, arrays["node_support"], arrays["edge_support"]),
        float(inertia), int(n_iter), bool(converged), arrays["trace"].view(Trace),
        float(certified[0]) if len(certified) else None, int(filled),
        hint=bytes(arrays["hint"]).decode() or None,
    )  # fmt: skip
