"""Are the parameters of an estimator what they should be? Whatever another option makes meaningless raises, too."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from graphmeans.cluster.algorithms.initialization import SEEDINGS
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.pairs import n_threads

#: What mean="auto" stands for.
AUTO_MEAN = {"lloyd": "incremental", "elkan": "incremental", "gvr": "incremental", "interval": "lifted"}


def check_parameters(km: Any, algorithms: Iterable[str]) -> None:
    """Say what is wrong with the parameters of an estimator, before anything is done."""
    if km.algorithm not in algorithms:
        raise GraphError(f"unknown algorithm {km.algorithm!r}; known are {', '.join(algorithms)}")
    for name, least in (("n_clusters", 1), ("max_iter", 1), ("n_iter_no_change", 1)):
        value = getattr(km, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise GraphError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if isinstance(km.tol, bool) or not isinstance(km.tol, Real) or not 0 <= float(km.tol) < 1:
        raise GraphError(f"tol must be in [0, 1), got {km.tol!r}")
    if km.n_init != "auto" and (isinstance(km.n_init, bool) or not isinstance(km.n_init, Integral) or km.n_init < 1):
        raise GraphError(f"n_init must be 'auto' or a whole number of at least 1, got {km.n_init!r}")
    if isinstance(km.init, str) and km.init not in SEEDINGS:
        raise GraphError(f"unknown init {km.init!r}; known are {', '.join(SEEDINGS)}, graphs or a callable")
    if not (isinstance(km.init, str) or callable(km.init)):
        if not hasattr(km.init, "__len__"):
            raise GraphError(f"init must be a name, graphs or a callable, got {km.init!r}")
        if len(km.init) != km.n_clusters:
            raise GraphError(f"init has {len(km.init)} graphs for n_clusters={km.n_clusters}")
        if km.n_init not in ("auto", 1):
            raise GraphError(f"n_init={km.n_init} runs from the same given graphs would all be the same")
    for name in ("node_weight", "edge_weight"):
        if isinstance(getattr(km, name), bool) or not isinstance(getattr(km, name), Real):
            raise GraphError(f"{name} must be a number, got {getattr(km, name)!r}")
    n_threads(km.n_jobs)
    if km.algorithm in ("gvr", "interval") and km.mean not in ("auto", own := AUTO_MEAN[km.algorithm]):
        raise GraphError(f"algorithm={km.algorithm!r} takes {own} means; mean={km.mean!r} would have no effect")
    if isinstance(km.theta, bool) or not isinstance(km.theta, Real) or not float(km.theta) >= 0:
        raise GraphError(f"theta must be a number of at least 0, got {km.theta!r}")
    for name in ("certify", "warm_start"):
        if not isinstance(getattr(km, name), (bool, np.bool_)):
            raise GraphError(f"{name} must be True or False, got {getattr(km, name)!r}")
    for name in ("certify", "checkpoint"):
        if getattr(km, name) not in (None, False) and km.algorithm != "interval":
            raise GraphError(f"{name}={getattr(km, name)!r} is for algorithm='interval', not {km.algorithm!r}")
    check_engine(km.engine, km.algorithm)
    if km.theta and km.algorithm != "gvr":
        raise GraphError(f"theta={km.theta!r} means nothing to algorithm={km.algorithm!r}")


def check_engine(engine: Any, algorithm: str) -> None:
    """Say if there is no such engine, or if the algorithm cannot use it."""
    if isinstance(engine, str):
        known = engine in ("threads", "dask") or "://" in engine
    else:
        known = hasattr(engine, "submit") and hasattr(engine, "scheduler")
    if not known:
        raise GraphError(f"engine must be 'threads', 'dask', a dask.distributed.Client or its address, got {engine!r}")
    if engine != "threads" and algorithm != "interval":
        raise GraphError(f"algorithm={algorithm!r} works with engine='threads' only: its means are no sums of shards")
