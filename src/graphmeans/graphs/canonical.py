"""An order of the nodes of a graph that does not depend on how they are numbered, where one is found cheaply.

Nodes come by role and then by their attributes. What these leave open is decided by colours, which are hashes: a node's colour
says which place its attributes have among those of the graph, and its role, then in turn the same of its neighbours, theirs, and
so on (the refinement of Weisfeiler and Leman). Since only places count, it makes no difference how numbers are scaled, nor what
rounding does to that. Where nodes keep one colour, one of them is given its own and the others follow. Which one
should not matter, as nodes of one colour nearly always can be exchanged; where it does (regular graphs whose nodes look alike
but cannot be exchanged), two copies of a graph come out in different orders, and nothing is promised.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch, IntArray, row_ranges

Hashes = NDArray[np.uint64]

#: Most nodes of a graph that are told apart from others of their colour; then its nodes stay as they are.
MOST_TIES = 32
#: How far the colours look for `fingerprints`, in edges.
SIGHT = 3
#: Rows of more numbers than this are hashed one by one.
LONG_ROW = 256


class _Halves(NamedTuple):
    """Every edge from both of its ends, by node."""

    node: IntArray  # those that have edges, in order
    start: IntArray  # of each of these: its first edge
    other: IntArray
    value: Hashes


def fingerprints(batch: GraphBatch) -> Hashes:
    """A hash of each graph that is the same however its nodes are numbered."""
    forth, back = (_hashed(values) for values in _edge_values(batch))
    colour, halves = _hashed(batch.nodes) ^ _mixed(batch.roles.astype(np.uint64)), _halves(batch, forth, back)
    for _ in range(SIGHT):
        colour = _passed_on(colour, halves)
    return _mixed(_sums(_mixed(colour), batch.node_ptr) ^ _mixed(batch.sizes.astype(np.uint64)))


def canonical(batch: GraphBatch) -> tuple[GraphBatch, NDArray[np.bool_]]:
    """The graphs with their nodes and edges in canonical order, and for which of them one was found.

    Others are as given.
    """
    place, found = canonical_places(batch)
    return _renumbered(batch, place), found


def canonical_places(batch: GraphBatch) -> tuple[IntArray, NDArray[np.bool_]]:
    """The place of each node in the canonical order of its graph, and for which graphs one was found.

    In others nodes keep their places.
    """
    place = np.arange(len(batch.nodes)) - np.repeat(batch.node_ptr[:-1], batch.sizes)
    found = np.zeros(len(batch), dtype=bool)
    left = np.arange(len(batch))
    value = _ranks(batch.nodes, np.repeat(left, batch.sizes))
    edges = np.repeat(left, np.diff(batch.edge_ptr))
    edge_ranks = _ranks(np.concatenate(_edge_values(batch)), np.concatenate([edges, edges]))
    forth, back = np.split(_mixed(edge_ranks.astype(np.uint64)), 2)
    colour = _mixed(_mixed(value.astype(np.uint64)) + batch.roles.astype(np.uint64))
    for _ in range(MOST_TIES + 1):
        rest = batch.take(left)
        at = row_ranges(batch.edge_ptr, left)[0]
        colour = _told_apart(rest, colour, _halves(rest, forth[at], back[at]))
        owner = np.repeat(np.arange(len(rest)), rest.sizes)
        by_colour = np.lexsort((colour, value, rest.roles, owner))
        tied = np.flatnonzero((owner[by_colour][1:] == owner[by_colour][:-1]) & (np.diff(colour[by_colour]) == 0))
        open_graphs, first = np.unique(owner[by_colour[tied]], return_index=True)
        done = np.ones(len(rest), dtype=bool)
        done[open_graphs] = False
        rank = np.empty(len(owner), dtype=np.int64)
        rank[by_colour] = np.arange(len(owner)) - np.repeat(rest.node_ptr[:-1], rest.sizes)
        nodes, _ = row_ranges(batch.node_ptr, left)
        place[nodes[done[owner]]] = rank[done[owner]]
        found[left[done]] = True
        if not len(open_graphs):
            break
        one = by_colour[tied[first]]  # of the smallest of the colours that are not unique
        colour[one] = _mixed(colour[one] + np.uint64(1))
        left, colour, value = left[~done], colour[~done[owner]], value[~done[owner]]
    return place, found


def _told_apart(batch: GraphBatch, colour: Hashes, halves: _Halves) -> Hashes:
    """Colours refined until that tells no more nodes apart, and twins numbered: nodes with the same neighbours."""
    owner = np.repeat(np.arange(len(batch), dtype=np.uint64), batch.sizes)
    known = -1
    while (count := len(np.unique(_mixed(colour ^ _mixed(owner))))) > known:
        known = count
        colour = _passed_on(colour, halves)
    around = np.zeros(len(colour), dtype=np.uint64)
    if len(halves.other):
        around[halves.node] = np.add.reduceat(_mixed(halves.value ^ _mixed(halves.other.astype(np.uint64))), halves.start)
    kind = _mixed(_mixed(colour ^ _mixed(owner)) ^ around)
    by_kind = np.argsort(kind, kind="stable")
    number = np.empty(len(colour), dtype=np.uint64)
    number[by_kind] = np.arange(len(colour)) - np.searchsorted(kind[by_kind], kind[by_kind])
    return np.asarray(_mixed(colour ^ _mixed(number)))


def _ranks(rows: NDArray[np.float64], owner: IntArray) -> IntArray:
    """The place of each row of numbers among the different rows of the same owner."""
    order = np.lexsort((*(column + 0.0 for column in rows.T[::-1]), owner))
    ordered, of = rows[order], owner[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (of[1:] != of[:-1]) | (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.cumsum(new)
    first = number[np.searchsorted(of, of)] if len(of) else number
    result = np.empty(len(order), dtype=np.int64)
    result[order] = number - first
    return result


def _edge_values(batch: GraphBatch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values of all edges as they are seen from their first and from their second node."""
    forth = batch.edge_values
    return forth, np.roll(forth, forth.shape[1] // 2, axis=1) if batch.directed else forth


def _halves(batch: GraphBatch, forth: Hashes, back: Hashes) -> _Halves:
    base = np.repeat(batch.node_ptr[:-1], np.diff(batch.edge_ptr))
    a, b = (base + batch.ends[:, side] for side in (0, 1))
    node, other = np.concatenate([a, b]), np.concatenate([b, a])
    value = np.concatenate([forth, back])
    by_node = np.argsort(node, kind="stable")
    present, start = np.unique(node[by_node], return_index=True)
    return _Halves(present, start, other[by_node], value[by_node])


def _passed_on(colour: Hashes, halves: _Halves) -> Hashes:
    """Each node's colour with those of its neighbours and the edges to them; in which order does not matter."""
    seen = np.zeros(len(colour), dtype=np.uint64)
    if len(halves.other):
        seen[halves.node] = np.add.reduceat(_mixed(halves.value ^ colour[halves.other]), halves.start)
    return _mixed(_mixed(colour) ^ seen)


def _renumbered(batch: GraphBatch, place: IntArray) -> GraphBatch:
    """Node i of each graph as number place[i], edges sorted."""
    to = np.repeat(batch.node_ptr[:-1], batch.sizes) + place
    nodes, roles = np.empty_like(batch.nodes), np.empty_like(batch.roles)
    nodes[to], roles[to] = batch.nodes, batch.roles
    owner = np.repeat(np.arange(len(batch)), np.diff(batch.edge_ptr))
    ends = place[batch.node_ptr[owner][:, None] + batch.ends]
    turned = ends[:, 0] > ends[:, 1]
    ends[turned] = ends[turned, ::-1]
    values = batch.edge_values.copy()
    if batch.directed:
        values[turned] = np.roll(values[turned], values.shape[1] // 2, axis=1)
    sequence = np.lexsort((ends[:, 1], ends[:, 0], owner))
    return GraphBatch(
        batch.node_ptr, nodes, roles, batch.edge_ptr, ends[sequence].astype(np.int32), values[sequence],
        batch.directed, batch.role_names,
    )  # fmt: skip


def _sums(values: Hashes, ptr: IntArray) -> Hashes:
    total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])
    return total[ptr[1:]] - total[ptr[:-1]]


def _hashed(rows: NDArray[np.float64]) -> Hashes:
    """A hash of each row of numbers; 0 and -0 are one number."""
    if rows.shape[1] > LONG_ROW:
        digests = [blake2b((row + 0.0).tobytes(), digest_size=8).digest() for row in rows]
        return np.frombuffer(b"".join(digests), dtype=np.uint64)
    result = np.full(len(rows), 0x51ED270B8F1D9A37, dtype=np.uint64)
    for column in range(rows.shape[1]):
        result = _mixed(result ^ (rows[:, column] + 0.0).view(np.uint64))
    return result


def _mixed(x: Hashes) -> Hashes:
    """The finaliser of splitmix64: every bit of x changes about half of the bits of the result."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
