"""Who does the work of a fit: threads of this process, or the workers of a dask cluster, opened for as long as it lasts."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.initialization import initialize
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.engines.base import EngineFactory
from graphmeans.cluster.engines.dask import DaskEngine
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.functions import warmup
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.graph import Graph
from graphmeans.means.registry import get_mean
from graphmeans.space import GraphSpace

_ready = False


def open_workers(engine: Any, n_jobs: int | None = None) -> AbstractContextManager[DaskClient | None]:
    """The workers of an engine as a context: a `DaskClient`, or None for threads of this process."""
    if isinstance(engine, str) and engine == "threads":
        return nullcontext()
    return DaskClient(engine, n_jobs, compile_kernels)


def engine_factory(client: DaskClient | None) -> EngineFactory:
    """What makes the engine of a run on these workers."""
    if client is None:
        return ThreadEngine
    return lambda context, matcher, k, rows=None, log_dir=None: DaskEngine(client, context, matcher, k, rows, log_dir)


def compile_kernels() -> float:
    """Have everything compiled, or loaded from the cache where others put it, once; how many seconds that took."""
    global _ready
    if _ready:
        return 0.0
    start = time.perf_counter()
    for _ in warmup():
        pass
    batch = GraphEncoder().fit_transform([Graph([[0.0], [x]], [(0, 1)]) for x in (1.0, 2.0, 4.0, 8.0)])
    context = FitContext.in_memory(batch, GraphSpace(np.array([2]), n_jobs=1), get_mean("lifted"), seed=0)
    matcher = CountedMatcher(context.space)
    seeds = initialize(context, matcher, ThreadEngine(context, matcher, 2), 2, "k-means++")
    interval(context, matcher, seeds, History(context, matcher.counters))
    _ready = True
    return time.perf_counter() - start
