"""What an estimator was given: graphs of some kind, or the rows of an array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import OBJECTS, is_one_graph, is_supplier, kind_of_one, to_graphs
from graphmeans.graphs.errors import GraphError

#: Kinds of objects an estimator takes.
ARRAY, GRAPH, NETWORKX = "array", "graph", "networkx"
#: Graphs on disk, which are not held in memory; their centroids are graphs.
COLLECTION = "collection"
#: Kinds of objects that `centroids` gives back.
KINDS = (ARRAY, *OBJECTS, "pandas")


def kind_of(objects: Any) -> str:
    """Whether this is a collection of graphs, and of which kind, or data for a 2-D array."""
    if is_lazy(objects):
        return COLLECTION
    if is_supplier(objects):
        return "rdkit"
    mistaken = is_one_graph(objects) or isinstance(objects, (str, bytes))
    if mistaken or (isinstance(objects, Mapping) and not hasattr(objects, "shape")):  # a sparse array may be a mapping
        to_graphs(objects)  # says what is wrong with something that is no collection
    if hasattr(objects, "__next__"):
        raise GraphError("expected a list of graphs, got a generator, which can be read only once; put list(...) around it")
    if hasattr(objects, "iloc") and getattr(objects, "ndim", 0) == 1 and objects.dtype == object:
        objects = list(objects)  # a column of a table
    if isinstance(objects, np.ndarray) and objects.dtype.kind == "U" and objects.ndim == 1:
        return "smiles"
    if isinstance(objects, np.ndarray) and objects.dtype != object:
        return "adjacency" if objects.ndim == 3 and objects.shape[1] == objects.shape[2] else ARRAY
    if not isinstance(objects, (list, tuple)) and not (isinstance(objects, np.ndarray) and objects.ndim == 1):
        return ARRAY
    first = objects[0] if len(objects) else None
    kind = kind_of_one(first)
    if kind is not None:
        return kind
    # A list that is empty, or not of numbers, is a mistaken collection of graphs rather than a mistaken array.
    if isinstance(objects, (list, tuple)) and not isinstance(first, (int, float, list, tuple, np.ndarray, np.generic)):
        return GRAPH
    return ARRAY


def is_lazy(objects: Any) -> bool:
    """Whether this is a collection on disk, such as `open_collection` gives."""
    return hasattr(objects, "encoded_rows") and hasattr(objects, "arrays")


def rows_to_batch(rows: NDArray[np.float64]) -> GraphBatch:
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
