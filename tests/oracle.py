"""Slow, obvious versions of everything, written from MATH.md alone. Nothing here imports what it checks.

A graph is a pair of dense arrays at a common order: node attributes (n, dv) and edge attributes (n, n, de), the places
of one role side by side, null nodes as zeros. Every minimum is taken over all permutations that keep the roles.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import NamedTuple

import numpy as np


class Dense(NamedTuple):
    """One graph, padded."""

    nodes: np.ndarray
    edges: np.ndarray


# -- graphs as padded arrays -----------------------------------------------------------------------


def roles_of(graph):
    return list(graph.roles) if graph.roles is not None else [None] * graph.n_nodes


def node_values(graph):
    """Node attributes as the metric sees them: those of a mean graph count as often as they are supported."""
    return graph.nodes[""] * (graph.node_support[:, None] if getattr(graph, "damped", False) else 1.0)


def edge_values(graph):
    return graph.edge_attributes[""] * (graph.edge_support[:, None] if getattr(graph, "damped", False) else 1.0)


def places(graphs, order="auto"):
    """role -> number of places in a space that holds these graphs."""
    counts = [Counter(roles_of(graph)) for graph in graphs]
    names = sorted(set().union(*counts), key=repr)
    if order is None:  # nothing two of them do can need more
        return {role: sum(sorted(count[role] for count in counts)[-2:]) for role in names}
    if isinstance(order, str):
        assert order == "auto"
        return {role: max(count[role] for count in counts) for role in names}
    wanted = {role: order if isinstance(order, int) else order[role] for role in names}
    for role in names:
        assert all(count[role] <= wanted[role] for count in counts), f"a graph is larger than the order of {role!r}"
    return wanted


def widths(graphs):
    """Node and edge attribute widths; empty graphs and graphs without edges take those of the others."""
    dv = {graph.nodes[""].shape[1] for graph in graphs if graph.n_nodes} or {0}
    de = {graph.edge_attributes[""].shape[1] for graph in graphs if graph.n_edges} or {1}
    (dv,), (de,) = dv, de
    return dv, de


def dense(graph, room, dv, de):
    """The graph in a space with `room` (role -> places) places, its nodes in the first places of their roles."""
    first, n = {}, 0
    for role, count in room.items():
        first[role], n = n, n + count
    seen = Counter()
    place = []
    for role in roles_of(graph):
        place.append(first[role] + seen[role])
        seen[role] += 1
        assert seen[role] <= room[role]
    nodes, edges = np.zeros((n, dv)), np.zeros((n, n, de))
    for i, value in enumerate(node_values(graph)):
        nodes[place[i]] = value
    for (i, j), value in zip(graph.edges, edge_values(graph), strict=True):
        edges[place[i], place[j]] = value
        if not graph.directed:
            edges[place[j], place[i]] = value
    return Dense(nodes, edges), np.array(place, dtype=int)


@functools.lru_cache(maxsize=512)
def _permutations(counts):
    blocks, start = [], 0
    for count in counts:
        blocks.append(list(itertools.permutations(range(start, start + count))))
        start += count
    rows = [sum(choice, ()) for choice in itertools.product(*blocks)]
    return np.array(rows, dtype=int).reshape(len(rows), start)


def permutations(room):
    """All permutations of the places that keep every role, shape (number, n)."""
    return _permutations(tuple(room.values()))


def moved(x, p):
    """P.x: place i shows what place p[i] held."""
    return Dense(x.nodes[p], x.edges[np.ix_(p, p)])


def inner(x, y):
    return float((x.nodes * y.nodes).sum() + (x.edges * y.edges).sum())


def squared(x, y):
    return float(((x.nodes - y.nodes) ** 2).sum() + ((x.edges - y.edges) ** 2).sum())


def squared_under_all(x, y, room):
    """|x - P.y|^2 for every permutation P."""
    p = permutations(room)
    nodes = ((x.nodes[None] - y.nodes[p]) ** 2).sum(axis=(1, 2))
    edges = ((x.edges[None] - y.edges[p[:, :, None], p[:, None, :]]) ** 2).sum(axis=(1, 2, 3))
    return nodes + edges


# -- the metric ------------------------------------------------------------------------------------


def _best(x, y, order):
    room = places([x, y], order)
    dv, de = widths([x, y])
    (dx, at_x), (dy, at_y) = dense(x, room, dv, de), dense(y, room, dv, de)
    costs = squared_under_all(dx, dy, room)
    best = int(np.argmin(costs))
    facing = {int(place): j for j, place in enumerate(at_y)}
    p = permutations(room)[best]
    indices = np.array([facing.get(int(p[place]), -1) for place in at_x], dtype=int)
    return float(np.sqrt(costs[best])), indices


def distance(x, y, order="auto"):
    """D(X, Y), the minimum over all permutations of the common order that keep the roles."""
    return _best(x, y, order)[0]


def best_mapping(x, y, order="auto"):
    """A mapping that attains D: for each node of x a node of y, or -1."""
    return _best(x, y, order)[1]


def mapping_cost(x, y, indices, order="auto"):
    """The distance under one mapping; fails unless a permutation of the space does just that."""
    indices = [int(j) for j in indices]
    used = [j for j in indices if j >= 0]
    assert len(indices) == x.n_nodes
    assert len(set(used)) == len(used), "two nodes are mapped to one"
    roles_x, roles_y = roles_of(x), roles_of(y)
    assert all(roles_x[i] == roles_y[j] for i, j in enumerate(indices) if j >= 0), "a role is not kept"
    room = places([x, y], order)
    matched = Counter(roles_y[j] for j in used)
    have_x, have_y = Counter(roles_x), Counter(roles_y)
    for role, count in room.items():
        assert have_x[role] + have_y[role] - matched[role] <= count, f"no null nodes of role {role!r} are left"
    values_x, values_y = node_values(x), node_values(y)
    total = sum(float(((values_x[i] - (values_y[j] if j >= 0 else 0.0)) ** 2).sum()) for i, j in enumerate(indices))
    total += sum(float((values_y[j] ** 2).sum()) for j in range(y.n_nodes) if j not in used)
    left = {}
    for (i, j), value in zip(y.edges, edge_values(y), strict=True):
        left[int(i), int(j)] = value
        if not y.directed:
            left[int(j), int(i)] = value
    for (i, j), value in zip(x.edges, edge_values(x), strict=True):
        for a, b in [(i, j)] if x.directed else [(i, j), (j, i)]:
            total += float(((value - left.pop((indices[a], indices[b]), 0.0)) ** 2).sum())
    total += sum(float((value**2).sum()) for value in left.values())
    return float(np.sqrt(total))


def pairwise_distances(graphs, others=None, order="auto"):
    others = graphs if others is None else others
    if isinstance(order, str):
        order = places([*graphs, *others])
    return np.array([[distance(x, y, order) for y in others] for x in graphs])


# -- means -----------------------------------------------------------------------------------------


class Mean(NamedTuple):
    """A mean and the multiple alignment it is the average of."""

    mean: Dense
    aligned: list
    objective: float
    similarity: float


def objective(graphs, y, room):
    """F(Y) = 1/2 sum D(X_i, Y)^2 for a padded Y."""
    dv, de = y.nodes.shape[1], y.edges.shape[2]
    return 0.5 * sum(squared_under_all(y, dense(x, room, dv, de)[0], room).min() for x in graphs)


def average(aligned, weights=None):
    weights = np.ones(len(aligned)) if weights is None else np.asarray(weights, dtype=float)
    share = weights / weights.sum()
    nodes = sum(s * x.nodes for s, x in zip(share, aligned, strict=True))
    return Dense(nodes, sum(s * x.edges for s, x in zip(share, aligned, strict=True)))


def similarity(aligned):
    """Sum of pairwise inner products of a multiple alignment."""
    return sum(inner(x, y) for x, y in itertools.combinations(aligned, 2))


def all_alignments(graphs, order="auto"):
    """Every multiple alignment (the first graph stays where it is)."""
    room = places(graphs, order)
    dv, de = widths(graphs)
    padded = [dense(x, room, dv, de)[0] for x in graphs]
    choices = [[moved(x, p) for p in permutations(room)] for x in padded[1:]]
    for rest in itertools.product(*choices):
        yield [padded[0], *rest]


def mean(graphs, order="auto"):
    """A sample mean, from the multiple alignment with the largest sum of pairwise inner products."""
    aligned = max(all_alignments(graphs, order), key=similarity)
    y = average(aligned)
    return Mean(y, aligned, objective(graphs, y, places(graphs, order)), similarity(aligned))


def incremental_mean(graphs, order="auto", sequence=None, weights=None):
    """The paper's incremental mean in the given sequence; weights count a graph as that many copies of it."""
    room = places(graphs, order)
    dv, de = widths(graphs)
    padded = [dense(x, room, dv, de)[0] for x in graphs]
    sequence = range(len(graphs)) if sequence is None else sequence
    weights = np.ones(len(graphs)) if weights is None else np.asarray(weights, dtype=float)
    aligned = [None] * len(graphs)
    y, total = None, 0.0
    for i in sequence:
        x = padded[i]
        if y is not None:
            x = moved(x, permutations(room)[np.argmin(squared_under_all(y, x, room))])
        aligned[i] = x
        total += weights[i]
        share = weights[i] / total
        y = x if y is None else Dense(y.nodes + share * (x.nodes - y.nodes), y.edges + share * (x.edges - y.edges))
    return Mean(y, aligned, objective(graphs, y, room), similarity(aligned))


def dense_distance(x, y, room):
    """D of two padded graphs."""
    return float(np.sqrt(squared_under_all(x, y, room).min()))


# -- k-means ---------------------------------------------------------------------------------------


def lloyd(graphs, centers, order="auto", max_iter=100, sequence=None):
    """Assign to the nearest center, take incremental means, until no label changes. Returns one row an iteration.

    `centers` are graphs; a row is (labels, inertia of these labels at the centers that made them, new centers).
    """
    room = places([*graphs, *centers], order)
    dv, de = widths(graphs)
    padded = [dense(x, room, dv, de)[0] for x in graphs]
    current = [dense(y, room, dv, de)[0] for y in centers]
    labels, rows = None, []
    for _ in range(max_iter):
        d = np.array([[dense_distance(x, y, room) for y in current] for x in padded])
        new = d.argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        for c in range(len(current)):
            members = [i for i in (range(len(graphs)) if sequence is None else sequence) if labels[i] == c]
            if members:
                current[c] = incremental_mean([graphs[i] for i in members], room).mean
        rows.append((labels, float((d.min(axis=1) ** 2).sum()), list(current)))
    return rows


def furthest_first_after(graphs, first, k, order="auto"):
    """Given the first center, repeatedly the graph farthest from its nearest center."""
    d = pairwise_distances(graphs, order=order)
    chosen = [first]
    while len(chosen) < k:
        chosen.append(int(d[:, chosen].min(axis=1).argmax()))
    return chosen


def furthest_first(graphs, k, order="auto", sequence=None):
    """As the paper words it: the first center is the graph closest to the sample mean of all."""
    room = places(graphs, order)
    dv, de = widths(graphs)
    y = incremental_mean(graphs, room, sequence).mean
    to_mean = [dense_distance(y, dense(x, room, dv, de)[0], room) for x in graphs]
    return furthest_first_after(graphs, int(np.argmin(to_mean)), k, room)


# -- evaluation ------------------------------------------------------------------------------------


def silhouette(distances, labels):
    """Mean over clusters of the mean silhouette width of their members; the width of a singleton is 0."""
    labels = np.asarray(labels)
    names = sorted(set(labels.tolist()))
    means = []
    for name in names:
        members = np.flatnonzero(labels == name)
        found = []
        for i in members:
            if len(members) == 1:
                found.append(0.0)
                continue
            a = sum(distances[i][j] for j in members if j != i) / (len(members) - 1)
            b = min(np.mean([distances[i][j] for j in np.flatnonzero(labels == other)])
                    for other in names if other != name)  # fmt: skip
            found.append(0.0 if max(a, b) == 0 else (b - a) / max(a, b))
        means.append(np.mean(found))
    return float(np.mean(means))


def accuracy(y, labels):
    """Share of graphs whose class is the majority class of their cluster."""
    right = 0
    for name in set(labels):
        right += max(Counter(c for c, label in zip(y, labels, strict=True) if label == name).values())
    return right / len(list(y))
