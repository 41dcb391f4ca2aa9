"""Are the parameters of an estimator what they should be? All are checked in one way, with one kind of message."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from graphmeans.cluster.algorithms.initialization import INITIALIZATIONS
from graphmeans.cluster.algorithms.restarts import ALGORITHMS
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.means.method import MeanMethod

#: What mean="auto" stands for. Interval does not compute its lifted means by the class of that name: it averages the stored
#: alignments in `FrameCenters.move_to_means`.
AUTO_MEAN = {"lloyd": "incremental", "elkan": "incremental", "gvr": "incremental", "interval": "lifted"}


@dataclass(frozen=True)
class Constraint:
    """What a parameter must be, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(f"{self.words} or {other.words}", lambda value: self.holds(value) or other.holds(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def whole(least: int) -> Constraint:
    """A whole number of at least this."""
    return Constraint(f"a whole number of at least {least}", lambda value: _is_whole(value) and value >= least)


def at_least(least: float) -> Constraint:
    """A finite number of at least this."""
    return Constraint(f"a number of at least {least:g}", lambda value: _is_number(value) and value >= least)


def one_of(*names: str) -> Constraint:
    """One of these strings."""
    return Constraint(", ".join(map(repr, names)), lambda value: isinstance(value, str) and value in names)


def instance_of(kind: Any, words: str) -> Constraint:
    """An object of a class or protocol."""
    return Constraint(words, lambda value: not isinstance(value, (str, type)) and isinstance(value, kind))


POSITIVE = Constraint("a positive number", lambda value: _is_number(value) and value > 0)
SHARE = Constraint("in [0, 1)", lambda value: _is_number(value) and 0 <= value < 1)
BOOLEAN = Constraint("True or False", lambda value: isinstance(value, (bool, np.bool_)))
NOTHING = Constraint("None", lambda value: value is None)
GRAPHS = Constraint("graphs", lambda value: not isinstance(value, str) and hasattr(value, "__len__"))
CALLABLE = Constraint("a callable", callable)
ENGINE = one_of("threads", "dask") | Constraint(
    "a dask.distributed.Client or its address",
    lambda value: (isinstance(value, str) and "://" in value)
    or (not isinstance(value, str) and hasattr(value, "submit") and hasattr(value, "scheduler")),
)

#: What each parameter must be. `order` is checked against the graphs, see `space.resolve_order`.
CONSTRAINTS: dict[str, Constraint] = {
    "n_clusters": whole(1),
    "n_prototypes": whole(1),
    "algorithm": one_of(*ALGORITHMS),
    "init": one_of(*INITIALIZATIONS) | GRAPHS | CALLABLE,
    "n_init": one_of("auto") | whole(1),
    "mean": one_of("auto", "incremental", "lifted", "subgradient", "set")
    | instance_of(MeanMethod, "an object with get_params and compute"),
    "matcher": one_of("auto", "exact", "search", "graduated") | instance_of(Matcher, "an object with get_params and solve"),
    "effort": at_least(0),
    "certify": BOOLEAN,
    "encoder": one_of("auto") | instance_of(GraphEncoder, "a GraphEncoder"),
    "node_weight": POSITIVE,
    "edge_weight": POSITIVE,
    "max_iter": whole(1),
    "tol": SHARE,
    "n_iter_no_change": whole(1),
    "theta": at_least(0),
    "batch_size": whole(1),
    "reassignment_ratio": SHARE,
    "engine": ENGINE,
    "n_jobs": NOTHING | Constraint("a whole number other than 0", lambda value: _is_whole(value) and value != 0),
    "random_state": NOTHING
    | Constraint("a whole number from 0 to 2**32 - 1", lambda value: _is_whole(value) and 0 <= value < 2**32)
    | instance_of(np.random.RandomState, "a RandomState"),
    "verbose": BOOLEAN | whole(0),
    "checkpoint": NOTHING | Constraint("a path", lambda value: isinstance(value, (str, os.PathLike))),
    "warm_start": BOOLEAN,
}


def check_parameters(params: Mapping[str, Any], **narrower: Constraint) -> None:
    """Say what is wrong with the parameters of an estimator, before anything is done."""
    constraints = CONSTRAINTS | narrower
    for name, value in params.items():
        if name in constraints and not constraints[name].holds(value):
            raise GraphError(f"{name} must be {constraints[name].words}, got {value!r}")


def check_given_start(init: Any, n_clusters: int, n_init: Any, what: str = "graphs") -> None:
    """Say if a start that is given has another number of graphs, or would be repeated in vain."""
    if isinstance(init, str) or callable(init):
        return
    if len(init) != n_clusters:
        raise GraphError(f"init has {len(init)} {what} for n_clusters={n_clusters}")
    if n_init not in ("auto", 1):
        raise GraphError(f"n_init={n_init} runs from the same given {what} would all be the same")


def check_algorithm_options(params: Mapping[str, Any]) -> None:
    """Say if a value that is not the default is made meaningless by the algorithm."""
    algorithm, mean = params["algorithm"], params["mean"]
    if algorithm in ("gvr", "interval") and mean not in ("auto", own := AUTO_MEAN[algorithm]):
        raise GraphError(f"algorithm={algorithm!r} takes {own} means; mean={mean!r} would have no effect")
    for name in ("certify", "checkpoint"):
        if params[name] not in (None, False) and algorithm != "interval":
            raise GraphError(f"{name}={params[name]!r} is for algorithm='interval', not {algorithm!r}")
    if not (isinstance(params["engine"], str) and params["engine"] == "threads") and algorithm != "interval":
        raise GraphError(f"algorithm={algorithm!r} works with engine='threads' only: its means are no sums of shards")
    if params["theta"] and algorithm != "gvr":
        raise GraphError(f"theta={params['theta']!r} means nothing to algorithm={algorithm!r}")


def check_count(n: int, n_clusters: int) -> None:
    """Say if there are fewer graphs than clusters."""
    if n_clusters > n:
        raise GraphError(f"n_samples={n} should be >= n_clusters={n_clusters}")
