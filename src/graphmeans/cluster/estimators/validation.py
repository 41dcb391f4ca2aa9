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
from graphmeans.graphs.encoding.molecules import PRESETS
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.device import DEVICES
from graphmeans.matching.match import Matcher
from graphmeans.matching.pairs import MAX_JOBS
from graphmeans.matching.registry import MATCHERS
from graphmeans.means.method import MeanMethod
from graphmeans.means.registry import MEANS

#: What mean="auto" stands for. Interval does not compute its lifted means by the class of that name: it averages the stored
#: alignments in `FrameCenters.move_to_means`.
AUTO_MEAN = {"lloyd": "incremental", "elkan": "incremental", "gvr": "incremental", "interval": "lifted"}


@dataclass(frozen=True)
class Constraint:
    """What a parameter must be, in words; it must fit one of several descriptions.

    Parameters
    ----------
    words : str
        For the message.
    names : tuple of str
        Strings that it may be.
    number : type, optional
        `Integral` or `Real` if it may be a finite number, from `least` to `most`.
    least, most : float
        The bounds of such a number; `most` itself is excluded.
    kinds : tuple of types
        What else it may be an instance of.
    test : callable, optional
        Any other test.
    """

    words: str
    names: tuple[str, ...] = ()
    number: type | None = None
    least: float = -math.inf
    most: float = math.inf
    kinds: tuple[Any, ...] = ()
    test: Callable[[Any], bool] | None = None

    def holds(self, value: Any) -> bool:
        """Whether a value is what it must be."""
        if isinstance(value, str):
            return value in self.names or str in self.kinds or (self.test is not None and self.test(value))
        boolean = isinstance(value, (bool, np.bool_))
        if self.number is not None and isinstance(value, self.number) and not boolean:
            return self.least <= float(value) < self.most  # type: ignore[arg-type]
        fits = isinstance(value, self.kinds) and not isinstance(value, type)
        return fits or (self.test is not None and self.test(value))

    def __or__(self, other: Constraint) -> Constraint:
        either = other if self.number is None else self
        return Constraint(
            f"{self.words} or {other.words}", self.names + other.names, either.number, either.least, either.most,
            self.kinds + other.kinds, self.test or other.test,
        )  # fmt: skip


def whole(least: int) -> Constraint:
    """A whole number of at least this."""
    return Constraint(f"a whole number of at least {least}", number=Integral, least=least)


def one_of(*names: str) -> Constraint:
    """One of these strings."""
    return Constraint(", ".join(map(repr, names)), names)


def _is_client(value: Any) -> bool:
    if isinstance(value, str):
        return "://" in value
    return hasattr(value, "submit") and hasattr(value, "scheduler")


def _is_graphs(value: Any) -> bool:
    return not isinstance(value, str) and (hasattr(value, "__len__") or callable(value))


_NOT_NEGATIVE = Constraint("a number of at least 0", number=Real, least=0)
_POSITIVE = Constraint("a positive number", number=Real, least=math.ulp(0.0))
_SHARE = Constraint("in [0, 1)", number=Real, least=0, most=1)
_BOOLEAN = Constraint("True or False", kinds=(bool, np.bool_))
_NONE = Constraint("None", kinds=(type(None),))

#: What each parameter must be. `order` is checked against the graphs, see `space.resolve_order`.
CONSTRAINTS: dict[str, Constraint] = {
    "n_clusters": whole(1),
    "n_prototypes": whole(1),
    "min_support": _SHARE,
    "n_neighbors": whole(1),
    "weights": one_of("uniform", "distance") | Constraint("a callable", test=lambda value: callable(value)),
    "radius": _NOT_NEGATIVE,
    "algorithm": one_of(*ALGORITHMS),
    "init": one_of(*INITIALIZATIONS) | Constraint("graphs or a callable", test=_is_graphs),
    "n_init": one_of("auto") | whole(1),
    "mean": one_of("auto", *MEANS) | Constraint("an object with get_params and compute", kinds=(MeanMethod,)),
    "matcher": one_of(*MATCHERS) | Constraint("an object with get_params and solve", kinds=(Matcher,)),
    "effort": _NOT_NEGATIVE,
    "certify": _BOOLEAN,
    "encoder": one_of("auto", *PRESETS) | Constraint("a GraphEncoder", kinds=(GraphEncoder,)),
    "node_weight": _POSITIVE,
    "edge_weight": _POSITIVE,
    "max_iter": whole(1),
    "tol": _SHARE,
    "n_iter_no_change": whole(1),
    "theta": _NOT_NEGATIVE,
    "batch_size": whole(1),
    "reassignment_ratio": _SHARE,
    "engine": one_of("threads", "dask") | Constraint("a dask.distributed.Client or its address", test=_is_client),
    "device": one_of(*DEVICES),
    "n_jobs": _NONE | Constraint(
        f"a whole number other than 0, at most {MAX_JOBS}", test=lambda value: _is_whole(value) and 0 < abs(value) <= MAX_JOBS
    ),
    "random_state": _NONE
    | Constraint("a whole number from 0 to 2**32 - 1", number=Integral, least=0, most=2**32)
    | Constraint("a RandomState", kinds=(np.random.RandomState,)),
    "verbose": _BOOLEAN | whole(0),
    "checkpoint": _NONE | Constraint("a path", kinds=(str, os.PathLike)),
    "warm_start": _BOOLEAN,
}


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


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
