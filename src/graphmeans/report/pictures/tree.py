"""The hierarchy of clusters: which two would be merged at the least cost, and what the merged cluster would look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import BARE
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.members import edge_key

#: Parts of a merged mean that a smaller share of the members has are left out.
KEPT = 0.05
#: A tree of more clusters is no help.
MOST_CLUSTERS = 300


@dataclass(frozen=True, eq=False)
class Merge:
    """A cluster (`left` and `right` are None), or two that are merged."""

    label: int | None
    size: int
    cost: float  # how much the sum of squared distances grows
    left: Merge | None = None
    right: Merge | None = None
    mean: MeanGraph | None = None

    @property
    def labels(self) -> list[int]:
        """The clusters below."""
        if self.left is None or self.right is None:
            return [] if self.label is None else [self.label]
        return self.left.labels + self.right.labels


def merge_tree(sizes: Sequence[int], distances: FloatArray) -> Merge | None:
    """Merge clusters two by two, always those whose merging costs least; None for fewer than 3 that have members.

    To merge two costs n m / (n + m) times the squared distance of their means (Ward). The distance from a merged mean to the
    others follows from those of its parts (the formula of Lance and Williams), so nothing is matched. It is exact for vectors.
    """
    nodes = {c: Merge(c, int(n), 0.0) for c, n in enumerate(sizes) if n}
    if not 3 <= len(nodes) <= MOST_CLUSTERS:
        return None
    squared = np.array(distances, dtype=np.float64) ** 2
    alive = sorted(nodes)
    while len(alive) > 1:
        n = np.array([nodes[c].size for c in alive], dtype=np.float64)
        cost = n[:, None] * n[None, :] / (n[:, None] + n[None, :]) * squared[np.ix_(alive, alive)]
        np.fill_diagonal(cost, np.inf)
        i, j = np.unravel_index(int(cost.argmin()), cost.shape)
        a, b = sorted((alive[int(i)], alive[int(j)]))
        large, small = (a, b) if nodes[a].size >= nodes[b].size else (b, a)
        x, y = nodes[a].size / (nodes[a].size + nodes[b].size), nodes[b].size / (nodes[a].size + nodes[b].size)
        between = squared[a, b]
        merged = Merge(None, nodes[a].size + nodes[b].size, float(cost[i, j]), nodes[large], nodes[small])
        row = np.maximum(x * squared[a] + y * squared[b] - x * y * between, 0.0)
        squared[a, :] = squared[:, a] = row
        nodes[a] = merged
        alive.remove(b)
    return nodes[alive[0]]


def merged_mean(first: MeanGraph, second: MeanGraph, into: IntArray, sizes: tuple[int, int]) -> MeanGraph:
    """The weighted mean of two mean graphs along an alignment, in the units of their attributes.

    `into` leads from the nodes of the first to those of the second, -1 for none. Where only one of them has a node or an
    edge, it keeps its attributes, and the share of members that have it falls. Of words the more frequent one is kept.
    """
    n, m = sizes[0] / sum(sizes), sizes[1] / sum(sizes)
    place = np.array([j if j >= 0 else -1 for j in into], dtype=np.int64)
    place[place < 0] = second.n_nodes + np.arange(int((place < 0).sum()))
    count = int(max([second.n_nodes, *(place + 1)]))
    here, there = np.zeros(count), np.zeros(count)
    here[place] = n * first.node_support
    there[: second.n_nodes] = m * second.node_support
    source = np.full(count, -1)
    source[place] = np.arange(first.n_nodes)
    support = here + there
    keep = np.flatnonzero(support >= KEPT)
    number = np.full(count, -1)
    number[keep] = np.arange(len(keep))
    pairs = [(int(source[i]), int(i) if i < second.n_nodes else -1, here[i], there[i]) for i in keep]
    nodes = {key: _mixed(first.nodes[key], second.nodes[key], pairs) for key in first.nodes if key in second.nodes}
    directed = first.directed
    edges: dict[tuple[int, int], list[Any]] = {}
    for graph, weight, position in ((first, n, place), (second, m, np.arange(second.n_nodes))):
        for e, ends in enumerate(zip(*number[position[graph.edges]].T.tolist(), strict=True)):
            if min(ends) >= 0:
                known = edges.setdefault(edge_key(ends[0], ends[1], directed), [-1, -1, 0.0, 0.0])
                known[0 if graph is first else 1] = e
                known[2 if graph is first else 3] += weight * float(graph.edge_support[e])
    rows = [(key, known) for key, known in sorted(edges.items()) if known[2] + known[3] >= KEPT]
    drawn = [tuple(known) for _, known in rows]
    values = {
        key: _mixed(first.edge_attributes[key], second.edge_attributes[key], drawn)
        for key in first.edge_attributes if key in second.edge_attributes
    }  # fmt: skip
    roles = None
    if first.roles is not None and second.roles is not None:
        roles = [second.roles[j] if j >= 0 else first.roles[i] for i, j, _, _ in pairs]
    return MeanGraph(
        nodes.get(BARE, nodes) if nodes else len(keep), [key for key, _ in rows], values.get(BARE, values) if values else None,
        node_support=np.minimum(support[keep], 1.0), edge_support=np.minimum([k[2] + k[3] for k in drawn], 1.0),
        directed=directed, roles=roles,
    )  # fmt: skip


def _mixed(first: Any, second: Any, pairs: Sequence[tuple[Any, ...]]) -> Any:
    """The values of a column of two graphs: averages of numbers by their weights, the heavier one of words."""
    if first.dtype.kind == "f" and first.ndim == second.ndim:
        i, j, a, b = np.array(pairs, dtype=np.float64).reshape(-1, 4).T
        (x, has_x), (y, has_y) = _taken(first, i.astype(np.int64)), _taken(second, j.astype(np.int64))
        a, b = (np.where(has, weight, 0.0) for has, weight in ((has_x, a), (has_y, b)))
        one = has_x != has_y  # its values are kept as they are
        a, b = np.where(one, has_x, a / np.maximum(a + b, 1e-12)), np.where(one, has_y, b / np.maximum(a + b, 1e-12))
        shape = (-1, *[1] * (x.ndim - 1))
        return a.reshape(shape) * x + b.reshape(shape) * y
    return np.array([first[i] if i >= 0 and (j < 0 or a >= b) else second[j] for i, j, a, b in pairs], dtype=object)


def _taken(column: Any, rows: IntArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The values of some rows, 0 where there are none (-1) or some of them are missing; and whether they are there."""
    if not len(column):
        return np.zeros((len(rows), *column.shape[1:])), np.zeros(len(rows), dtype=bool)
    missing = np.asarray(np.ma.getmaskarray(column)).reshape(len(column), -1).any(axis=1)
    there = (rows >= 0) & ~np.asarray(missing)[rows]
    values = np.array(np.ma.getdata(column)[rows])
    values[~there] = 0.0
    return values, there
