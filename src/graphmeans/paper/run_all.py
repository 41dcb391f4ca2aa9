"""Does all runs that are missing, several at a time: each on one thread, the longest first."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from typing import Any, Protocol

from graphmeans.cluster.estimators.kmeans import GraphKMeans
from graphmeans.datasets.letters import make_letters
from graphmeans.paper.experiment_data import ExperimentCollections
from graphmeans.paper.protocol import FOUR_SETS, RunSetting
from graphmeans.paper.results_csv import ResultsFile
from graphmeans.paper.run import run

#: Microseconds of a matching, and how many times fewer of them an algorithm needs than lloyd: enough to sort runs by.
_MATCHING = {"letter": 15, "grec": 550, "fingerprint": 350, "molecules": 1600}
_FEWER = {"lloyd": 1.0, "elkan": 4.0, "gvr": 5.0, "interval": 30.0}


class Watcher(Protocol):
    """Is told how far the work is."""

    def started(self, setting: RunSetting) -> None:
        """A run begins, on the thread that calls."""

    def finished(self, setting: RunSetting) -> None:
        """Its row is written."""


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
        threading.Thread(target=worker, name=f"paper-{number}", daemon=True).start()
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
