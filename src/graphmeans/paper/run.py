"""The runs: a collection is clustered and everything measured that a table shows.

All that are missing are done several at a time, each on one thread, the longest first.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphmeans import __version__
from graphmeans.cluster.estimators.kmeans import GraphKMeans
from graphmeans.datasets.letters import make_letters
from graphmeans.evaluation.fitted import align_to_center, centers_of, points_of
from graphmeans.evaluation.measures import accuracy, silhouette
from graphmeans.graphs.errors import GraphError
from graphmeans.paper.experiment_data import ExperimentCollections, ExperimentData
from graphmeans.paper.protocol import FOUR_SETS, RunSetting, Watcher
from graphmeans.paper.results_csv import ResultsFile

#: Microseconds of a matching, and how many times fewer of them an algorithm needs than lloyd: enough to sort runs by.
_MATCHING = {"letter": 15, "grec": 550, "fingerprint": 350, "molecules": 1600}
_FEWER = {"lloyd": 1.0, "elkan": 4.0, "gvr": 5.0, "interval": 30.0}


def run(setting: RunSetting, data: ExperimentData) -> dict[str, Any]:
    """Cluster and measure, on one thread.

    `matchings` are those of the algorithm, `seeding_matchings` and `evaluation_matchings` (to know the objective) stand
    apart; `matchings_paper` is what the paper would have counted, see `paper_count`. `error` is the mean squared distance
    to the own center as the algorithm knows it, `error_common` what one evaluator finds for every algorithm: the better
    of the stored alignment and a fresh one. `outside_share` is the part of the iterations' seconds that is not matching.
    """
    estimator = GraphKMeans(
        setting.k, algorithm=setting.algorithm, init=setting.init, n_init=1, matcher=setting.matcher,
        effort=setting.effort, theta=setting.theta, n_iter_no_change=setting.n_iter_no_change,
        max_iter=setting.max_iter, n_jobs=1, random_state=setting.seed,
    )  # fmt: skip
    start, cpu = time.perf_counter(), time.thread_time()
    estimator.fit(data.graphs)
    seconds, cpu = time.perf_counter() - start, time.thread_time() - cpu
    n, iterations = len(data.graphs), len(estimator.trace_)
    spent, matching = (float(np.sum(estimator.trace_[name])) for name in ("seconds", "matching_seconds"))
    return {
        "graphs": n, "iterations": iterations,
        "matchings_paper": paper_count(setting.algorithm, n, setting.k, iterations, estimator.n_matchings_),
        "matchings": estimator.n_matchings_, "seeding_matchings": estimator.n_seeding_matchings_,
        "evaluation_matchings": estimator.n_evaluation_matchings_, "objective": estimator.inertia_,
        "error": estimator.inertia_ / n, "error_common": _common_error(estimator, data),
        "accuracy": accuracy(data.classes, estimator.labels_), "silhouette": _silhouette(data, estimator.labels_),
        "certified": estimator.certified_fraction_, "seconds": seconds, "iteration_seconds": spent,
        "matching_seconds": matching, "outside_share": 1.0 - matching / spent if spent > 0 else float("nan"),
        "cpu_seconds": cpu, "version": __version__,
    }  # fmt: skip


def paper_count(algorithm: str, n: int, k: int, iterations: int, matchings: int) -> int:
    """Matchings as the paper counts them, without seeding and evaluation.

    std is t (k + 1) N: in each of t iterations kN to assign and N for the means, where N - k are matched, and none after
    the last assignment. elk and gvr are put on the same footing: N for their means and, after the last assignment too, the
    means and the k shifts of the centers. Lifted means match nothing, so for interval there is nothing to add.

    Examples
    --------
    >>> paper_count("lloyd", 750, 30, 21, 0)
    488250
    >>> paper_count("elkan", 750, 30, 2, 10_000)
    10810
    """
    if algorithm == "lloyd":
        return iterations * (k + 1) * n
    if algorithm in ("elkan", "gvr"):
        return matchings + (iterations - 1) * k + n + k
    return matchings


def _common_error(estimator: Any, data: ExperimentData) -> float:
    space = replace(estimator.space_, matcher=data.evaluator(), n_jobs=1)
    fresh = align_to_center(space, points_of(estimator, data.graphs), centers_of(estimator), estimator.labels_)
    return float(np.mean(np.minimum(estimator.distances_, fresh.upper) ** 2))


def _silhouette(data: ExperimentData, labels: Any) -> float:
    try:
        return silhouette(data.distances, labels)
    except GraphError:  # everything in one cluster
        return float("nan")


def run_all(
    settings: Sequence[RunSetting], collections: ExperimentCollections, results: ResultsFile, workers: int, watcher: Watcher
) -> None:
    """Do the runs and add their rows to the results, in the order in which they finish.

    The threads are daemons: when the caller is interrupted, what is under way is dropped and what is finished stays.
    """
    warm_up({setting.matcher for setting in settings})
    todo: queue.SimpleQueue[RunSetting | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[RunSetting, dict[str, Any] | BaseException]] = queue.SimpleQueue()
    reading = threading.Lock()
    for setting in [*sorted(settings, key=_estimate, reverse=True), *[None] * workers]:
        todo.put(setting)

    def worker() -> None:
        while (setting := todo.get()) is not None:
            watcher.started(setting)
            try:
                with reading:
                    data = collections(setting)
                    assert data.distances is not None  # made once, before the clock starts
                done.put((setting, {**run(setting, data), **data.characteristics}))
            except BaseException as error:
                done.put((setting, error))
                return

    for number in range(workers):
        threading.Thread(target=worker, name=f"graphmeans-paper-{number}", daemon=True).start()
    for _ in settings:
        setting, outcome = _take(done)
        if isinstance(outcome, BaseException):
            raise outcome
        results.add(setting, outcome)
        watcher.finished(setting)


def warm_up(matchers: set[str]) -> None:
    """Compile what the runs need, so that no run is timed while it compiles."""
    graphs, _ = make_letters(15, random_state=0)
    for matcher in sorted({*matchers, "search", "exact"}):
        for algorithm in ("lloyd", "interval"):
            GraphKMeans(2, algorithm=algorithm, init="furthest-first", n_init=1, matcher=matcher, random_state=0).fit(graphs)


def _estimate(setting: RunSetting) -> float:
    """A number that grows with the time that a run takes."""
    graphs = 100 if setting.experiment != FOUR_SETS else 1000
    cost = _MATCHING[setting.dataset] * (1.0 if setting.effort else 0.1)
    return graphs * setting.k * cost / _FEWER[setting.algorithm]


def _take(done: queue.SimpleQueue[Any]) -> Any:
    """Wait for the next outcome, with timeouts, because a wait without one cannot be interrupted on every system."""
    while True:
        try:
            return done.get(timeout=0.5)
        except queue.Empty:
            continue
