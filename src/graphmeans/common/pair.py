"""The search for the largest common subgraph of two graphs whose nodes and edges have codes: those with equal codes agree."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.functions import match
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.kernels.common_subgraph import (
    BEST,
    DEPTH,
    NODES,
    UNIT,
    Side,
    State,
    dive_common,
    likeness,
    regrow_common,
    search_common,
)
from graphmeans.matching.exact import Exact

#: How many pairs of nodes a mapping is grown from before the search begins, and how far around them is looked.
DIVES, ROUNDS = 40, 6
#: Pairs that take more tree nodes than this are also bounded by so many rounds of the edge program.
EASY, OUTER_ROUNDS = 2000, 200
#: For so many tree nodes of such a pair a part of the best mapping is grown anew once; then come as many tree nodes times this.
NODES_PER_REGROWTH, FURTHER = 20, 4
#: How much chance is in it, as a share of an edge; and what is accepted to go on from, as edges (or nodes) below the best.
CHANCES, ACCEPTED = (0.01, 0.1, 1.0, 3.0), 2
#: Seconds between two looks at the clock: the number of tree nodes of a step is doubled up to there.
STEP = 0.02


class Coded(NamedTuple):
    """A graph of which only the codes of nodes and edges are left."""

    nodes: IntArray
    edges: IntArray
    edge_codes: IntArray

    def part(self, nodes: IntArray, edges: IntArray) -> Coded:
        """The subgraph of these nodes and of these edges, given by their positions; nodes are numbered anew, in this order."""
        number = np.full(len(self.nodes), -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        return Coded(self.nodes[nodes], number[self.edges[edges]].reshape(-1, 2), self.edge_codes[edges])


class Limits(NamedTuple):
    """How long the search for a pair may take."""

    max_tree_nodes: int
    end: float | None

    @property
    def is_over(self) -> bool:
        """Whether there is no time left."""
        return self.end is not None and time.perf_counter() >= self.end


class Found(NamedTuple):
    """The common subgraph: for each node of x its counterpart or -1; what it has of what is maximised, and at most can have."""

    into: IntArray
    size: int
    upper: int
    tree_nodes: int


def connected_pair(x: Coded, y: Coded, by_nodes: bool, limits: Limits) -> Found:
    """The largest connected common subgraph."""
    n, m = len(x.nodes), len(y.nodes)
    allowed = x.nodes[:, None] == y.nodes[None, :]
    left, right, alike = _side(x), _side(y), np.zeros((n, m))
    likeness(left, right, allowed, ROUNDS, alike)
    state = _beginning(allowed)
    pairs = np.flatnonzero(allowed)
    firsts = pairs[np.argsort(-alike.reshape(-1)[pairs], kind="stable")[:DIVES]]
    for first in firsts:
        if limits.is_over:
            break
        dive_common(left, right, alike, by_nodes, np.array([first]), state)
    numbers = state.numbers

    def go_on(most: int) -> None:
        chunk = 8
        while numbers[DEPTH] >= 0 and numbers[NODES] < most and not limits.is_over:
            begin = time.perf_counter()
            search_common(left, right, alike, by_nodes, min(chunk, most - int(numbers[NODES])), state)
            chunk = 2 * chunk if time.perf_counter() - begin < STEP else chunk  # where it is halted changes nothing

    most = min(EASY, limits.max_tree_nodes)
    go_on(most)
    outer = np.iinfo(np.int64).max
    if numbers[DEPTH] >= 0 and not by_nodes and numbers[NODES] >= EASY:
        # Without being connected, there may be more in common, but the edge program says how much at most.
        outer = unconnected_pair(x, y, Limits(OUTER_ROUNDS, limits.end)).upper
    regrowth = Regrowth(state, x.nodes[:, None] == y.nodes[None, :])
    while numbers[DEPTH] >= 0 and numbers[BEST] // UNIT < outer and most < limits.max_tree_nodes and not limits.is_over:
        regrowth.go_on(left, right, alike, by_nodes, most // NODES_PER_REGROWTH, limits)
        most = min(FURTHER * most, limits.max_tree_nodes)
        go_on(most)
    best = int(numbers[BEST])
    open_bounds = state.bounds[: int(numbers[DEPTH]) + 1]
    if numbers[DEPTH] >= 0 and not numbers[NODES]:  # there was no time even for the bound
        open_bounds = np.array([_simple_bound(x, y, by_nodes) * UNIT])
    upper = max(best, int(open_bounds.max(initial=0)))
    return Found(state.best, best // UNIT, min(upper // UNIT, outer), int(numbers[NODES]))


def _beginning(allowed: NDArray[np.bool_]) -> State:
    """A search that has not begun."""
    n, m = allowed.shape
    depth = min(n, m) + 2
    return State(
        allowed, np.full(n, -1, dtype=np.int64), np.full(m, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64),
        np.zeros(depth, dtype=np.int64), np.zeros(depth, dtype=np.int64), np.zeros(depth, dtype=np.int64),
        np.zeros(n * m + 1, dtype=np.int64),
        np.zeros(depth + 1, dtype=np.int64), np.zeros(5, dtype=np.int64),
    )  # fmt: skip


class Regrowth:
    """A walk from mapping to mapping: of each a part is kept and the rest is grown anew, with some chance.

    A tree that is searched depth first stays below its first decisions for long; this looks elsewhere.
    """

    def __init__(self, state: State, allowed: NDArray[np.bool_]) -> None:
        self.state, self.apart, self.into = state, _beginning(allowed), state.best.copy()
        self.random = np.random.default_rng(0)

    def go_on(self, x: Side, y: Side, alike: FloatArray, by_nodes: bool, trials: int, limits: Limits) -> None:
        """Take so many steps; the state of the search keeps what is better than its best mapping."""
        known, apart, random = self.state.numbers, self.apart, self.random
        for chance in random.choice(CHANCES, trials):
            mapped = np.flatnonzero(self.into >= 0)
            if not len(mapped) or limits.is_over:
                break
            apart.best[:], apart.numbers[BEST] = -1, known[BEST] - ACCEPTED * UNIT - 1
            by_chance = alike + 100 * chance * random.random(alike.shape)  # see `choose_next`
            start, most = int(random.choice(mapped)), int(random.integers(1, len(mapped) + 1))
            regrow_common(x, y, by_chance, by_nodes, self.into, start, most, apart)
            if (apart.best >= 0).any():
                self.into = apart.best.copy()
            if apart.numbers[BEST] > known[BEST]:
                self.state.best[:], known[BEST] = apart.best, apart.numbers[BEST]


def unconnected_pair(x: Coded, y: Coded, limits: Limits) -> Found:
    """The largest common subgraph of edges, connected or not, by the matcher of distances.

    With the code of a node as its role and edges as unit vectors, one for each code, the squared distance of two graphs is
    twice the number of their edges that are not common.
    """
    total = len(x.edges) + len(y.edges)
    simple = _simple_bound(x, y, by_nodes=False)
    if simple == 0 or limits.is_over:
        return Found(np.full(len(x.nodes), -1, dtype=np.int64), 0, simple, 0)
    width = int(max(x.edge_codes.max(), y.edge_codes.max())) + 1
    left, right = (Graph(len(g.nodes), g.edges, np.eye(width)[g.edge_codes], roles=g.nodes.tolist()) for g in (x, y))
    seconds = None if limits.end is None else max(limits.end - time.perf_counter(), 1e-3)
    exact = Exact(max_tree_nodes=limits.max_tree_nodes, max_seconds=seconds)
    found = match(left, right, matcher=exact)
    upper = int(np.floor((total - found.lower**2 / 2) / 2 + 1e-6))
    edges = common_edges(x, y, found.indices)[0]
    into = np.where(np.isin(np.arange(len(x.nodes)), x.edges[edges]), found.indices, -1)  # only the ends of common edges
    return Found(into, len(edges), max(len(edges), min(upper, simple)), 0)


def common_edges(x: Coded, y: Coded, into: IntArray) -> tuple[IntArray, IntArray]:
    """The edges of x that have a counterpart along a mapping, and their counterparts in y."""
    number = {(min(i, j), max(i, j)): e for e, (i, j) in enumerate(y.edges.tolist())}
    pairs = []
    for e, (i, j) in enumerate(into[x.edges].reshape(-1, 2).tolist()):
        other = number.get((min(i, j), max(i, j)), -1) if min(i, j) >= 0 else -1
        if other >= 0 and x.edge_codes[e] == y.edge_codes[other]:
            pairs.append((e, other))
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _simple_bound(x: Coded, y: Coded, by_nodes: bool) -> int:
    """Nodes, or edges with their ends, by their codes: no more can be common than the graph has that has fewer."""
    if by_nodes:
        return _shared(x.nodes[:, None], y.nodes[:, None])
    ends = [np.sort(g.nodes[g.edges].reshape(-1, 2), axis=1) for g in (x, y)]
    return _shared(*(np.column_stack([e, g.edge_codes]) for e, g in zip(ends, (x, y), strict=True)))


def _shared(a: IntArray, b: IntArray) -> int:
    counts = [dict(zip(map(tuple, values.tolist()), count.tolist(), strict=True))
              for values, count in (np.unique(rows, axis=0, return_counts=True) for rows in (a, b))]  # fmt: skip
    return sum(min(count, counts[1].get(key, 0)) for key, count in counts[0].items())


def _side(graph: Coded) -> Side:
    """The graph as the kernel reads it."""
    n = len(graph.nodes)
    degree = np.bincount(graph.edges.reshape(-1), minlength=n).astype(np.int64)
    near = np.zeros((n, max(int(degree.max(initial=0)), 1)), dtype=np.int64)
    code, count, around = np.zeros_like(near), np.zeros(n, dtype=np.int64), [[] for _ in range(n)]  # type: ignore[var-annotated]
    for (i, j), edge_code in zip(graph.edges.tolist(), graph.edge_codes.tolist(), strict=True):
        for u, v in ((i, j), (j, i)):
            near[u, count[u]], code[u, count[u]] = v, edge_code
            count[u] += 1
            around[u].append((v, edge_code))
    twins: dict[object, int] = {}
    keys = [(node, tuple(sorted(edges))) for node, edges in zip(graph.nodes.tolist(), around, strict=True)]
    return Side(degree, near, code, np.array([twins.setdefault(key, len(twins)) for key in keys], dtype=np.int64))
