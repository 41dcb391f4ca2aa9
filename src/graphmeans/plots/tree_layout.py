"""Trees drawn from top to bottom: depth by depth, each parent over the middle of its children, with room for the labels.

One unit of the plane is the height of a letter, so that labels which keep clear of each other here do so on any sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.trees import DEPTH

#: The width of a letter, and what is left free between two labels.
LETTER, GAP = 0.68, 0.7
#: The labels of a level stand in at most so many rows, so far apart, if a tree would be wider than this.
ROWS, ROW, WIDE = 3, 1.25, 30.0
#: The least and the largest distance of two levels.
CLOSE, FAR = 2.0, 7.0
#: Letters of a label that are written; small trees have room for more.
SHORT, LONG = 7, 14
#: Trees of at most so many nodes are small.
SMALL = 14


class Forest(NamedTuple):
    """The parent of each node that has one, and the level of every node that is drawn."""

    parent: dict[int, int]
    level: dict[int, int]


def label_length(count: int) -> int:
    """How many letters are written at the nodes of a tree of this many nodes."""
    return LONG if count <= SMALL else SHORT


def forest_of(graph: Graph, nodes: NDArray[np.bool_], edges: NDArray[np.bool_]) -> Forest | None:
    """The trees in a graph, or None if it is nothing that is drawn from top to bottom.

    A tree is one whose roles are depths, or whose nodes have a column ``depth`` and whose edges lead down, or a directed
    forest. In a mean a node may have several parents: the one that most members give it counts.
    """
    if not graph.directed and not graph.roles:
        return None  # nothing says what is above what
    kept = np.flatnonzero(edges)
    if not len(kept):
        return None
    ends, depth = graph.edges[kept], _depths(graph)
    if depth is not None and (np.abs(depth[ends[:, 0]] - depth[ends[:, 1]]) == 1).all():
        down = depth[ends[:, 0]] < depth[ends[:, 1]]
        arcs = np.where(down[:, None], ends, ends[:, ::-1])
        parent = _strongest_parents(graph, kept, arcs)
        return Forest(parent, {int(i): int(depth[i]) for i in np.flatnonzero(nodes)})
    if not graph.directed:
        return None
    if DEPTH not in graph.nodes and len(np.unique(ends[:, 1])) < len(ends):
        return None
    parent = _strongest_parents(graph, kept, ends)
    level = _levels(np.flatnonzero(nodes).tolist(), parent, break_cycles=DEPTH in graph.nodes)
    return None if level is None else Forest(parent, level)


def letters_with_room(
    points: NDArray[np.float64], labels: Sequence[str], limit: int, drawn: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many letters of each label are written: `limit`, and up to `LONG` where there is room in its row."""
    counts = np.full(len(labels), limit)
    nodes = drawn.tolist()
    if all(len(labels[i]) <= limit for i in nodes):
        return counts
    x, y = points[:, 0].tolist(), points[:, 1].tolist()
    half = {i: LETTER * min(len(labels[i]), limit) / 2 for i in nodes}  # of the width of a label
    low, high = min(x[i] - half[i] for i in nodes), max(x[i] + half[i] for i in nodes)
    heights = [y[i] for i in nodes]
    more = max(1.5 * LETTER, (max(heights) - min(heights) - (high - low)) / 2)  # a picture is as wide as it is high
    rows: dict[float, list[int]] = {}
    for i in nodes:
        rows.setdefault(round(y[i], 3), []).append(i)
    for row in rows.values():
        row.sort(key=x.__getitem__)
        for n, i in enumerate(row):
            if len(labels[i]) <= limit:
                continue
            left = x[row[n - 1]] + half[row[n - 1]] + GAP / 2 if n else low - more
            right = x[row[n + 1]] - half[row[n + 1]] - GAP / 2 if n + 1 < len(row) else high + more
            room = int(2 * min(x[i] - left, right - x[i]) / LETTER)
            counts[i] = min(max(room, limit), len(labels[i]), LONG)
            half[i] = LETTER * int(counts[i]) / 2
    return counts


def tree_positions(
    count: int, forest: Forest, labels: Sequence[str], places: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """Where the nodes stand, y upwards; nodes that are not drawn stand at 0. `places` orders siblings."""
    limit = label_length(len(forest.level))
    longest: dict[int, float] = {}
    for node, level in forest.level.items():
        longest[level] = max(longest.get(level, 0.0), LETTER * min(len(labels[node]), limit) + GAP)
    children: dict[int, list[int]] = {node: [] for node in forest.level}
    roots: list[int] = []
    for node in forest.level:
        above = forest.parent.get(node)
        (roots if above is None else children[above]).append(node)
    for below in children.values():
        below.sort(key=lambda node: (0.0 if places is None else places[node], node))
    for rows in range(1, ROWS + 1):  # where a tree is wide, the labels of a level stand in several rows
        wide = {node: longest[level] / rows for node, level in forest.level.items()}
        x = _tidy(roots, children, forest.level, wide)
        across = max(x.values(), default=0.0) - min(x.values(), default=0.0) + max(longest.values(), default=1.0)
        if across <= WIDE:
            break
    levels = max(forest.level.values(), default=0) + 1
    step = float(np.clip(0.8 * across / levels, CLOSE + (rows - 1) * ROW, FAR + (rows - 1) * ROW))
    points = np.zeros((count, 2))
    turn: dict[int, int] = {}  # of each level
    for node, at in sorted(x.items(), key=lambda item: item[1]):
        level = forest.level[node]
        row = turn.get(level, 0) % rows
        turn[level] = row + 1
        points[node] = at, -step * level - ROW * row
    return points


def _depths(graph: Graph) -> NDArray[np.int64] | None:
    roles = graph.roles
    if not roles or not all(isinstance(role, (int, np.integer)) and not isinstance(role, bool) and role >= 0 for role in roles):
        return None
    return np.array(roles, dtype=np.int64)


def _strongest_parents(graph: Graph, kept: NDArray[np.int64], arcs: NDArray[np.int64]) -> dict[int, int]:
    support = graph.edge_support[kept] if isinstance(graph, MeanGraph) else np.ones(len(kept))
    parent: dict[int, int] = {}
    for e in np.argsort(-support, kind="stable"):
        parent.setdefault(int(arcs[e, 1]), int(arcs[e, 0]))
    return parent


def _levels(nodes: list[int], parent: dict[int, int], *, break_cycles: bool) -> dict[int, int] | None:
    """How far each node is below the top of its tree; None if there are cycles, unless they may be broken (in place)."""
    level: dict[int, int] = {}
    for start in nodes:
        way, at = [], start
        while at not in level and at in parent and at not in way:
            way.append(at)
            at = parent[at]
        if at in way:  # a cycle
            if not break_cycles:
                return None
            del parent[at]
            way = way[: way.index(at)]
        depth = level.setdefault(at, 0)
        for node in reversed(way):
            depth += 1
            level[node] = depth
    return level


def _tidy(
    roots: list[int], children: Mapping[int, list[int]], level: Mapping[int, int], wide: Mapping[int, float]
) -> dict[int, float]:
    """Subtrees as close to each other as their outlines allow (Reingold and Tilford), without recursion."""
    offset: dict[int, float] = {}  # of a node from its parent
    outline: dict[int, dict[int, tuple[float, float]]] = {}  # of a subtree: left and right at each level, from its root
    todo = [(root, False) for root in roots]
    while todo:
        node, ready = todo.pop()
        if not ready:
            todo += [(node, True), *[(child, False) for child in children[node]]]
            continue
        own, at = _side_by_side([outline.pop(child) for child in children[node]])
        middle = (at[0] + at[-1]) / 2 if at else 0.0
        for child, place in zip(children[node], at, strict=True):
            offset[child] = place - middle
        outline[node] = {depth: (left - middle, right - middle) for depth, (left, right) in own.items()}
        outline[node][level[node]] = (-wide[node] / 2, wide[node] / 2)
    _, at = _side_by_side([outline[root] for root in roots])
    x = dict(zip(roots, at, strict=True))
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        for child in children[node]:
            x[child] = x[node] + offset[child]
        waiting += children[node]
    return x


def _side_by_side(outlines: list[dict[int, tuple[float, float]]]) -> tuple[dict[int, tuple[float, float]], list[float]]:
    """The outline of several subtrees beside each other, and where each of their roots is."""
    whole: dict[int, tuple[float, float]] = {}
    at: list[float] = []
    for one in outlines:
        shift = max((whole[depth][1] - left for depth, (left, _) in one.items() if depth in whole), default=0.0)
        if at:
            shift = max(shift, at[-1] + GAP)
        at.append(shift)
        for depth, (left, right) in one.items():
            before = whole.get(depth, (left + shift, right + shift))
            whole[depth] = min(before[0], left + shift), max(before[1], right + shift)
    return whole, at
