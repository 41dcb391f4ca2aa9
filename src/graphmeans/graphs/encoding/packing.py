"""The codes of edges, packed as a `GraphBatch` holds them."""

from __future__ import annotations

from typing import Any, NamedTuple

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
        present = self.values[:, 0] != 0 if self.values.shape[1] == 1 else self.values.any(axis=1)
        return np.flatnonzero(~present)


def pack_edges(shape: Shape, codes: FloatArray, directed: bool) -> PackedEdges:
    """Store each edge once with its smaller end first, and sort them; the two arcs between two nodes share an entry.

    In an undirected batch the two arcs of a directed graph between two nodes become one edge with the mean of their
    codes. In a directed batch an undirected edge is both its arcs.
    """
    counts, typical = shape.edge_counts, shape.ends[: shape.edge_counts[0]] if shape.repeated else shape.ends
    ends = shape.ends if (typical[:, 0] < typical[:, 1]).all() else np.sort(shape.ends, axis=1)
    width = codes.shape[1]
    if directed:
        wide = np.zeros((len(codes), 2 * width))
        both_ways = np.repeat(~shape.directed, counts)
        backwards = shape.ends[:, 0] > shape.ends[:, 1]
        forth, back = ~backwards | both_ways, backwards | both_ways
        wide[forth, :width] = codes[forth] / np.sqrt(2.0)
        wide[back, width:] = codes[back] / np.sqrt(2.0)
        codes = wide
    in_order = _is_sorted(counts[:1], ends[: counts[0]]) if shape.repeated else _is_sorted(counts, ends)
    ptr, two_ways = offsets(counts), len(ends) > 0 and (directed or shape.directed.any())
    if in_order and not two_ways:  # large collections mostly are, and the rest takes a while
        return PackedEdges(ptr, ends.astype(np.int32, copy=False), np.ascontiguousarray(codes))
    owner = np.repeat(np.arange(len(counts)), counts)
    if not in_order:
        order = np.lexsort((ends[:, 1], ends[:, 0], owner))
        owner, ends, codes = owner[order], ends[order], codes[order]
    if two_ways:
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
    return PackedEdges(ptr, ends.astype(np.int32, copy=False), np.ascontiguousarray(codes))


def _is_sorted(counts: IntArray, ends: NDArray[np.integer[Any]]) -> bool:
    """Whether the edges of each graph come by their first ends and then by their second ones."""
    a, b = ends.T
    ascending = (a[1:] > a[:-1]) | ((a[1:] == a[:-1]) & (b[1:] >= b[:-1]))
    firsts = np.cumsum(counts)[:-1]  # of each graph but the first
    ascending[firsts[(firsts > 0) & (firsts < len(ends))] - 1] = True
    return bool(ascending.all())
