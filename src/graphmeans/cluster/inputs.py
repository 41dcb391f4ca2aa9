"""What an estimator was given: graphs of some kind, or the rows of an array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import is_networkx, to_graphs, to_networkx
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph

#: Kinds of objects an estimator takes and `centroids` gives back.
ARRAY, GRAPH, NETWORKX = "array", "graph", "networkx"


def kind_of(objects: Any) -> str:
    """Whether this is a collection of graphs, and of which kind, or data for a 2-D array."""
    mistaken = isinstance(objects, (Graph, str, bytes)) or is_networkx(objects)
    if mistaken or (isinstance(objects, Mapping) and not hasattr(objects, "shape")):  # a sparse array may be a mapping
        to_graphs(objects)  # says what is wrong with something that is no collection
    first = _first(objects)
    if isinstance(first, Graph):
        return GRAPH
    if is_networkx(first):
        return NETWORKX
    # A list that is empty, or not of numbers, is a mistaken collection of graphs rather than a mistaken array.
    if isinstance(objects, (list, tuple)) and not isinstance(first, (int, float, list, tuple, np.ndarray, np.generic)):
        return GRAPH
    return ARRAY


def vectors(rows: NDArray[np.float64]) -> GraphBatch:
    """Rows as one-node graphs, packed."""
    rows = np.require(rows, np.float64, ["C", "W"])  # numba would compile everything anew for read-only arrays
    n = len(rows)
    return GraphBatch(
        node_ptr=np.arange(n + 1, dtype=np.int64),
        nodes=rows,
        roles=np.zeros(n, dtype=np.int32),
        edge_ptr=np.zeros(n + 1, dtype=np.int64),
        ends=np.zeros((0, 2), dtype=np.int32),
        edge_values=np.zeros((0, 1)),
    )


def as_kind(graphs: list[MeanGraph], kind: str) -> Any:
    """Mean graphs in the caller's kind of object."""
    return [to_networkx(graph) for graph in graphs] if kind == NETWORKX else graphs


def _first(objects: Any) -> Any:
    if isinstance(objects, np.ndarray) and objects.dtype != object:
        return None
    if isinstance(objects, (list, tuple, np.ndarray)):
        return objects[0] if len(objects) and np.ndim(objects if isinstance(objects, np.ndarray) else 0) <= 1 else None
    return None
