"""Codes of nodes and edges packed into a `GraphBatch`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.encoding.flat import Shape
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph

FloatArray = NDArray[np.float64]

#: What is left of two opposite directions, relative to their sizes, is rounding: it is made zero.
ROUNDING = 1e-12


def damping(graphs: Sequence[Graph]) -> tuple[FloatArray | None, FloatArray]:
    """Factors that turn the values of mean graphs into the means they stand for; None if there is no mean graph."""
    if not any(isinstance(graph, MeanGraph) and graph.damped for graph in graphs):
        return None, np.ones((0, 1))
    node, edge = [], []
    for graph in graphs:
        damped = isinstance(graph, MeanGraph) and graph.damped
        node.append(graph.node_support if damped else np.ones(graph.n_nodes))  # type: ignore[attr-defined]
        edge.append(graph.edge_support if damped else np.ones(graph.n_edges))  # type: ignore[attr-defined]
    return np.concatenate(node)[:, None], np.concatenate(edge)[:, None]


def pack_edges(shape: Shape, codes: FloatArray, directed: bool) -> tuple[NDArray[np.int64], NDArray[np.int32], FloatArray]:
    """Each edge once with its smaller end first, sorted; directed arcs of a pair side by side (see `GraphBatch`).

    In an undirected batch the two arcs of a directed graph between two nodes become one edge with the mean of their
    codes. In a directed batch an undirected edge is both its arcs.
    """
    counts = shape.edge_counts
    owner = np.repeat(np.arange(len(counts)), counts)
    both_ways = np.repeat(~shape.directed, counts)
    backwards = shape.ends[:, 0] > shape.ends[:, 1]
    ends = np.sort(shape.ends, axis=1)
    width = codes.shape[1]
    if directed:
        wide = np.zeros((len(codes), 2 * width))
        forth, back = ~backwards | both_ways, backwards | both_ways
        wide[forth, :width] = codes[forth] / np.sqrt(2.0)
        wide[back, width:] = codes[back] / np.sqrt(2.0)
        codes = wide
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
    edge_ptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(counts)))]).astype(np.int64)
    return edge_ptr, ends.astype(np.int32), np.ascontiguousarray(codes)

