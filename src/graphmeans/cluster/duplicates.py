"""Exact copies of a graph are one graph that weighs more: the objective is the same, and they are aligned only once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.result import Result
from graphmeans.cluster.sources import InMemory
from graphmeans.graphs.batch import GraphBatch

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Copies are put together where they are at least this share of the graphs.
WORTH = 0.1


def originals(batch: GraphBatch) -> IntArray:
    """For each graph the first one that is equal to it, number by number and node by node (itself, if there is none).

    The same graph with its nodes in another order is not found out.
    """
    first = np.arange(len(batch))
    # Graphs that differ in size or norm are different; only the others are looked at one by one.
    cheap = np.column_stack([batch.sizes, np.diff(batch.edge_ptr), batch.squared_norms])
    _, group, count = np.unique(cheap, axis=0, return_inverse=True, return_counts=True)
    seen: dict[tuple[bytes, ...], int] = {}
    for g in np.flatnonzero(count[group.reshape(-1)] > 1).tolist():
        nodes = slice(batch.node_ptr[g], batch.node_ptr[g + 1])
        edges = slice(batch.edge_ptr[g], batch.edge_ptr[g + 1])
        parts = (batch.nodes[nodes], batch.roles[nodes], batch.ends[edges], batch.edge_values[edges])
        first[g] = seen.setdefault(tuple(part.tobytes() for part in parts), g)
    return first


def collapsed(source: InMemory, k: int) -> tuple[InMemory, IntArray | None]:
    """The different graphs with the weights of their copies added, and which of them each graph is.

    The collection itself, and None, if there are few copies or fewer different graphs than clusters.
    """
    first = originals(source.batch)
    kept, inverse = np.unique(first, return_inverse=True)
    which: IntArray = inverse.reshape(-1).astype(np.int64)
    if len(kept) > (1 - WORTH) * len(source) or len(kept) < k:
        return source, None
    added = np.bincount(which, weights=source.weights, minlength=len(kept)).astype(np.float64)
    return InMemory(source.batch.take(kept), added), which


def expanded(result: Result, which: IntArray | None) -> Result:
    """The result for every graph again."""
    if which is None:
        return result
    return replace(result, look=lambda: (result.labels[which], result.distances[which]), engine=None)
