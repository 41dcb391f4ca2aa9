"""The methods for the mean by name. A new method is registered here."""

from __future__ import annotations

from graphmeans.graphs.errors import GraphError
from graphmeans.means.incremental import Incremental
from graphmeans.means.lifted import Lifted
from graphmeans.means.method import MeanMethod
from graphmeans.means.set_mean import SetMean
from graphmeans.means.subgradient import Subgradient

#: The classes of methods, by the name that users give.
MEANS: dict[str, type] = {"incremental": Incremental, "lifted": Lifted, "subgradient": Subgradient, "set": SetMean}


def get_mean(method: str | MeanMethod) -> MeanMethod:
    """The method of this name; a method that is given as an object is returned as it is."""
    if not isinstance(method, str):
        if not isinstance(method, MeanMethod):
            raise GraphError(f"mean must be a name or an object with get_params and compute, got {method!r}")
        return method
    if method not in MEANS:
        raise GraphError(f"unknown mean {method!r}; known are {', '.join(sorted(MEANS))}")
    return MEANS[method]()
