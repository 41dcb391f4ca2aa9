"""One run of an algorithm, set up by hand, for tests that look inside."""

from __future__ import annotations

import contextlib
import signal
import time
from dataclasses import replace

import graphmeans as gm
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.initialization import choose_graphs, initialize
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.means.registry import get_mean


class OneRun:
    """Graphs in memory, exact matching unless said otherwise, and an engine of threads once seeds are asked for."""

    def __init__(self, graphs, seed=0, matcher=None, weights=None, mean="lifted", on_iteration=None, log_dir=None):
        batch = gm.GraphEncoder().fit_transform(graphs)
        space = gm.GraphSpace.for_graphs(batch, matcher=matcher or gm.Exact(), n_jobs=1)
        context = FitContext.in_memory(batch, space, get_mean(mean), seed, weights)
        self.context = replace(context, on_iteration=on_iteration)
        self.matcher = CountedMatcher(space)
        self.batch, self.space, self.log_dir = batch, space, log_dir
        self.engine = None

    def __len__(self):
        return len(self.batch)

    @property
    def matchings(self):
        return self.matcher.counters.matchings

    def new_engine(self, k):
        self.engine = ThreadEngine(self.context, self.matcher, k, log_dir=self.log_dir)
        return self.engine

    def choose(self, k, name):
        return choose_graphs(self.context, self.matcher, self.new_engine(k), k, name).numbers.tolist()

    def initialize(self, k, name):
        return initialize(self.context, self.matcher, self.new_engine(k), k, name)

    def history(self, **rules):
        return History(self.context, self.matcher.counters, **rules)

    def run(self, algorithm, seeds, max_iter=100, **options):
        return algorithm(self.context, self.matcher, seeds, self.history(max_iter=max_iter), **options)

    def loop(self, k, name="k-means++"):
        seeds = self.initialize(k, name)
        return IntervalLoop.from_seeds(self.context, self.engine, seeds)


@contextlib.contextmanager
def local_cluster(**options):
    """A real cluster of processes on this machine.

    When it closes after workers have died or were taken away, distributed may look for one that it has forgotten already:
    that is a KeyError of its own, and nothing that was tested.
    """
    from distributed import LocalCluster

    cluster = LocalCluster(threads_per_worker=1, processes=True, **options)
    try:
        yield cluster
    finally:
        with contextlib.suppress(KeyError):
            cluster.close()


def wait_for_children(process, count):
    """Until this process has started so many others."""
    import psutil  # dask brings it along

    while len(psutil.Process(process.pid).children(recursive=True)) < count:
        assert process.poll() is None, "the process has ended"
        time.sleep(0.1)


def hear_interrupts():
    """For `subprocess.Popen(preexec_fn=...)`: Ctrl-C is heard even where the tests were started in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
