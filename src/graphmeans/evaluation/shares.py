"""Which attribute makes how much of the distance: squared differences by column, over matched pairs."""

from __future__ import annotations

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.space import GraphSpace

#: Names of the channels that say "there is a node (an edge)".
PRESENCE = "(presence)"


def distance_shares(
    encoder: GraphEncoder, space: GraphSpace, points: GraphBatch, pairs: IntArray
) -> dict[tuple[str, str], float]:
    """The share of each column, (part, name), in the sum of squared distances of these pairs of graphs."""
    found = space.match(points, points, pairs)
    nodes, edges = np.zeros(points.nodes.shape[1]), np.zeros(points.edge_values.shape[1])
    for p, (x, y) in enumerate(pairs.tolist()):
        of_nodes, of_edges = channel_squares(points, x, y, found.mapping(p))
        nodes += of_nodes
        edges += of_edges
    if points.directed:
        edges = edges[: len(edges) // 2] + edges[len(edges) // 2 :]
    sums: dict[tuple[str, str], float] = {}
    for part, columns, presence, values in (
        ("node", encoder.node_columns_, encoder.presence, nodes),
        ("edge", encoder.edge_columns_, encoder.edge_presence_, edges),
    ):
        start = 0
        for column in columns:
            sums[part, column.name] = float(values[start : start + column.width].sum())
            start += column.width
        if presence:
            sums[part, PRESENCE] = float(values[start:].sum())
    total = sum(sums.values()) or 1.0
    return {key: value / total for key, value in sums.items()}


def channel_squares(points: GraphBatch, x: int, y: int, mapping: IntArray) -> tuple[FloatArray, FloatArray]:
    """Squared differences of two aligned graphs, channel by channel: of the nodes, and of the edges from both ends.

    Their sum is the squared distance along the mapping.
    """
    x_nodes = points.nodes[points.node_ptr[x] : points.node_ptr[x + 1]]
    y_nodes = points.nodes[points.node_ptr[y] : points.node_ptr[y + 1]]
    matched = mapping >= 0
    lone = np.setdiff1d(np.arange(len(y_nodes)), mapping[matched])
    nodes = ((x_nodes[matched] - y_nodes[mapping[matched]]) ** 2).sum(axis=0)
    nodes += (x_nodes[~matched] ** 2).sum(axis=0) + (y_nodes[lone] ** 2).sum(axis=0)

    of_y = dict(_edges(points, y))
    edges = np.zeros(points.edge_values.shape[1])
    for (i, j), value in _edges(points, x):
        a, b = int(mapping[i]), int(mapping[j])
        swapped = a > b
        other = of_y.pop((b, a) if swapped else (a, b), None) if min(a, b) >= 0 else None
        if other is None:
            edges += value**2
        else:
            edges += (value - (_other_way(points, other) if swapped else other)) ** 2
    for value in of_y.values():
        edges += value**2
    return nodes, 2.0 * edges


def _edges(points: GraphBatch, g: int) -> list[tuple[tuple[int, int], FloatArray]]:
    rows = slice(points.edge_ptr[g], points.edge_ptr[g + 1])
    return [((i, j), value) for (i, j), value in zip(points.ends[rows].tolist(), points.edge_values[rows], strict=True)]


def _other_way(points: GraphBatch, value: FloatArray) -> FloatArray:
    return np.roll(value, len(value) // 2) if points.directed else value
