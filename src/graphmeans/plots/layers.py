"""Directed graphs in layers: as many arcs as possible lead down, so that what begins, what ends and what is a hub is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.graph import Graph

#: Larger pieces are laid out by springs.
LARGEST = 150
#: If a larger share of the arcs have their opposite, their directions say little, and nothing leads down.
MUTUAL = 0.5
#: How often layers are put in the order of what they are joined to; the least and the largest distance of two layers.
SWEEPS, CLOSE, FAR = 6, 0.8, 2.5


def leads_down(graph: Graph) -> bool:
    """Whether directions say something: the graph is directed, and not most of its arcs have their opposite."""
    if not graph.directed or not graph.n_edges:
        return False
    arcs = set(map(tuple, graph.edges.tolist()))
    return sum((j, i) in arcs for i, j in arcs) <= MUTUAL * len(arcs)


def layered_positions(
    nodes: Sequence[int], arcs: Sequence[tuple[int, int]], places: Mapping[int, float] | None = None
) -> NDArray[np.float64]:
    """Where the nodes of one connected piece stand, y upwards, in the order given; `places` orders a layer to begin with.

    Arcs against the order of Eades, Lin and Smyth are turned for the layout; a node stands one layer below the lowest that
    leads to it (and a node without such one above its highest); layers are ordered by the averages of their neighbors.

    Examples
    --------
    >>> layered_positions([0, 1, 2], [(0, 1), (0, 2)]).tolist()
    [[0.0, 0.8], [-0.5, 0.0], [0.5, 0.0]]
    """
    turn = {node: n for n, node in enumerate(_order(nodes, arcs))}
    down = {(i, j) if turn[i] < turn[j] else (j, i) for i, j in arcs if i != j}
    above: dict[int, list[int]] = {node: [] for node in nodes}
    below: dict[int, list[int]] = {node: [] for node in nodes}
    for i, j in sorted(down):
        above[j].append(i)
        below[i].append(j)
    level: dict[int, int] = {}
    for node in sorted(nodes, key=turn.__getitem__):
        level[node] = 1 + max((level[i] for i in above[node]), default=-1)
    for node in nodes:
        if not above[node] and below[node]:
            level[node] = min(level[j] for j in below[node]) - 1
    first = min(level.values(), default=0)
    layers: list[list[int]] = [[] for _ in range(1 + max(level.values(), default=0) - first)]
    for node in sorted(nodes, key=lambda node: (0.0 if places is None else places.get(node, 0.0), turn[node])):
        layers[level[node] - first].append(node)
    x = {node: n - (len(layer) - 1) / 2 for layer in layers for n, node in enumerate(layer)}
    for sweep in range(SWEEPS):
        near = above if sweep % 2 == 0 else below
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = {node: sum(x[i] for i in near[node]) / len(near[node]) if near[node] else x[node] for node in layer}
            layer.sort(key=lambda node: wanted[node])
            x.update(zip(layer, _apart([wanted[node] for node in layer]), strict=True))
    wide = max(x.values(), default=0.0) - min(x.values(), default=0.0)
    step = float(np.clip(0.8 * wide / max(len(layers), 1), CLOSE, FAR))
    deepest = first + len(layers) - 1
    points = np.array([[x[node], step * (deepest - level[node])] for node in nodes]).reshape(-1, 2)
    return np.asarray(points - [points[:, 0].mean() if len(points) else 0.0, 0.0]) + 0.0


def _order(nodes: Sequence[int], arcs: Sequence[tuple[int, int]]) -> list[int]:
    """The nodes in an order in which few arcs lead back (Eades, Lin and Smyth): ends last, beginnings first, else the freest."""
    into: dict[int, set[int]] = {node: set() for node in nodes}
    out: dict[int, set[int]] = {node: set() for node in nodes}
    for i, j in arcs:
        if i != j:
            out[i].add(j)
            into[j].add(i)
    head: list[int] = []
    tail: list[int] = []
    left = dict.fromkeys(nodes)
    while left:
        ends = [node for node in left if not out[node]]
        chosen = ends or [node for node in left if not into[node]]
        chosen = chosen or [max(left, key=lambda node: len(out[node]) - len(into[node]))]
        if ends:
            tail.extend(reversed(chosen))
        else:
            head.extend(chosen)
        for node in chosen:
            del left[node]
            for other in out[node]:
                into[other].discard(node)
            for other in into[node]:
                out[other].discard(node)
    return head + tail[::-1]


def _apart(wanted: Sequence[float]) -> list[float]:
    """Places at least 1 apart, in this order, as near as possible to those that are wanted (sums of squares)."""
    blocks: list[tuple[float, int]] = []  # sums of what is left when the distances are taken off, and counts
    for n, place in enumerate(wanted):
        total, count = place - n, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            before, several = blocks.pop()
            total, count = total + before, count + several
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    return [start + n for n, start in enumerate(starts)]
