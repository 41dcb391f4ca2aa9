"""What is unusual in a member of a cluster: nodes and edges that few other members have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import IntArray, offsets
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.members import RARE, USUAL, edge_numbers
from graphmeans.plots.positions import node_kinds, own_positions

#: If more than this share of the nodes, or of the edges, of a cluster's members were unusual, their alignment is loose: none is.
LOOSE = 0.25

Flags = NDArray[np.bool_]


def unusual(
    graphs: Sequence[Graph], means: Sequence[MeanGraph], labels: IntArray, mappings: Sequence[IntArray]
) -> tuple[Flags, Flags]:
    """Which nodes and edges of members, one after the other, are in places that fewer than `RARE` of the members have.

    A part of some kind is not unusual if most members have as many of that kind, wherever; but in a plane its place counts.
    """
    node_ptr = offsets(np.array([graph.n_nodes for graph in graphs]))
    edge_ptr = offsets(np.array([graph.n_edges for graph in graphs]))
    size = max(mean.n_nodes for mean in means) + 1
    seldom = np.ones((len(means), size), dtype=bool)  # the last entry is that of no node
    for row, mean in zip(seldom, means, strict=True):
        row[: mean.n_nodes] = mean.node_support < RARE
    common = [mean.edges[mean.edge_support >= RARE] for mean in means]
    into, directed = np.concatenate(mappings), means[0].directed
    numbers = edge_numbers(np.concatenate(common), np.repeat(np.arange(len(common)), list(map(len, common))), size, directed)
    of_node, of_edge = (np.repeat(np.arange(len(graphs)), np.diff(ptr)) for ptr in (node_ptr, edge_ptr))
    every = np.concatenate([graph.edges for graph in graphs]) + node_ptr[of_edge, None]
    nodes, edges = (
        seldom[labels[of_node], into],
        ~np.isin(edge_numbers(into[every], labels[of_edge], size, directed), numbers),
    )
    if not any(own_positions(mean) is not None for mean in means):
        words = [node_kinds(graph) or [""] * graph.n_nodes for graph in graphs]
        flat = [word for row in words for word in row]
        if any(flat):
            codes: dict[str, int] = {}
            kinds = np.array([codes.setdefault(word, len(codes)) for word in flat], dtype=np.int64)
            a, b = kinds[every].T
            low, high = (a, b) if directed else (np.minimum(a, b), np.maximum(a, b))
            nodes &= ~_as_many(kinds, of_node, labels)
            edges &= ~_as_many(low * len(codes) + high, of_edge, labels)
    return _unless_loose(nodes, labels[of_node], len(means)), _unless_loose(edges, labels[of_edge], len(means))


def _as_many(kinds: IntArray, of: IntArray, labels: IntArray) -> Flags:
    """For each part whether most members of the cluster have at least as many parts of its kind as the graph that it is `of`."""
    if not len(kinds):
        return np.zeros(0, bool)
    own = kinds * len(labels) + of
    pairs, back, counts = np.unique(own, return_inverse=True, return_counts=True)
    kind, cluster = pairs // len(labels), labels[pairs % len(labels)]
    order = np.lexsort((-counts, kind, cluster))
    group = np.stack([cluster, kind])[:, order]
    first = np.flatnonzero(np.append(True, (np.diff(group, axis=1) != 0).any(axis=0)))
    widths = np.diff(np.append(first, len(order)))
    members = np.bincount(labels)[group[0, first]]
    place = np.ceil(USUAL * members).astype(np.int64) - 1  # how many most members have, the rarest of them
    reached = np.where(place < widths, counts[order][np.minimum(first + place, len(order) - 1)], 0)
    usual = np.empty(len(order), dtype=np.int64)
    usual[order] = np.repeat(reached, widths)
    return np.asarray((counts <= usual)[back.reshape(-1)])


def _unless_loose(odd: Flags, cluster: IntArray, count: int) -> Flags:
    share = np.bincount(cluster, odd, count) / np.maximum(np.bincount(cluster, minlength=count), 1)
    return odd & (share <= LOOSE)[cluster]
