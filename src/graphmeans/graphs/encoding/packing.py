"""The codes of edges, packed as a `GraphBatch` holds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray, offsets
from graphmeans.graphs.encoding.flat import Shape

#: What is left of two opposite directions, relative to their sizes, is rounding: it is made zero.
ROUNDING = 1e-12


class PackedEdges(NamedTuple):
    """The edges of a batch: offsets, end nodes and values."""

    ptr: IntArray
    ends: NDArray[np.int32]
    values: FloatArray

    def zeros(self) -> IntArray:
        """The edges whose values are all zero, which would mean that there is no edge."""
        return np.flatnonzero(~self.values.any(axis=1))


def pack_edges(shape: Shape, codes: FloatArray, directed: bool) -> PackedEdges:
    """Store each edge once with its smaller end first, and sort them; the two arcs between two nodes share an entry.

    In an undirected batch the two arcs of a directed graph between two nodes become one edge with the mean of their
    codes. In a directed batch an undirected edge is both its arcs.
    """
    counts = shape.edge_counts
    owner = np.repeat(np.arange(len(counts)), counts)
    ends = shape.ends if (shape.ends[:, 0] < shape.ends[:, 1]).all() else np.sort(shape.ends, axis=1)
    width = codes.shape[1]
    if directed:
        wide = np.zeros((len(codes), 2 * width))
        both_ways = np.repeat(~shape.directed, counts)
        backwards = shape.ends[:, 0] > shape.ends[:, 1]
        forth, back = ~backwards | both_ways, backwards | both_ways
        wide[forth, :width] = codes[forth] / np.sqrt(2.0)
        wide[back, width:] = codes[back] / np.sqrt(2.0)
        codes = wide
    if not _is_sorted(owner, ends):  # large graphs mostly are, and it takes a while
        order = np.lexsort((ends[:, 1], ends[:, 0], owner))
        owner, ends, codes = owner[order], ends[order], codes[order]
    if len(owner) and (directed or shape.directed.any()):
        new = np.ones(len(owner), dtype=bool)
        new[1:] = (owner[1:] != owner[:-1]) | (ends[1:] != ends[:-1]).any(axis=1)
        start = np.flatnonzero(new)
        if directed:
            codes = np.add.reduceat(codes, start, axis=0)
        else:
            size = np.add.reduceat(np.abs(codes), start, axis=0)
            codes = np.add.reduceat(codes, start, axis=0) / np.diff([*start, len(owner)])[:, None]
            codes[np.abs(codes) <= ROUNDING * size] = 0.0
        owner, ends = owner[start], ends[start]
    ptr = offsets(np.bincount(owner, minlength=len(counts)))
    return PackedEdges(ptr, ends.astype(np.int32), np.ascontiguousarray(codes))


def _is_sorted(owner: IntArray, ends: IntArray) -> bool:
    """Whether edges come graph by graph, by their first ends and then by their second ones."""
    (a, b), same = ends.T, owner[1:] == owner[:-1]
    return bool((~same | (a[1:] > a[:-1]) | ((a[1:] == a[:-1]) & (b[1:] >= b[:-1]))).all())

