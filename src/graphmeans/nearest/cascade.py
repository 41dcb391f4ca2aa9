"""The cascade that finds the nearest graphs of each query: what a cheap bound rules out is never looked at again.

1. The heads of all sketches, a few numbers each, are compared with that of the query.
2. What is left is compared by whole sketches,
3. then by one linear assignment for each pair,
4. and then matched, the least bound first, with the k-th smallest distance found so far as the cutoff. It falls quickly, and
   what is beyond it is never matched. A matcher with bounds of its own (the edge program, branch and bound) stops at the cutoff.

Every bound is a proof. So what the cascade leaves out is farther away than everything it returns, whatever the matcher; and
where the matcher did not close the interval of a pair, the answer says that it is not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.sketch import sketch_bounds
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import covering
from graphmeans.matching.sketch import sketch_order
from graphmeans.nearest.points import HEAD, Points
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

#: Most bounds of heads that are held at once.
BOUNDS_AT_ONCE = 1 << 24
#: Candidates of a query in the first round, and how many times more there are in each round that follows.
FIRST_ROUND, GROWTH = 16, 4
#: Candidates are chosen by their sketches from so many times more by their heads.
HEADS = 16
#: Pairs of a query that are matched before the cutoff is looked at again.
STEP = 4
#: A bound rules a graph out where it reaches the cutoff, less what rounding may have taken from it.
CLOSE = 1.0 - 1e-12


@dataclass(eq=False)
class Found:
    """What was found for one query.

    Attributes
    ----------
    index : int array
        The graphs that were matched, in the order of their distances; equal ones by number.
    lower, upper : array
        Intervals that contain their distances. All other graphs are at least as far as the cutoff.
    """

    index: IntArray
    lower: FloatArray
    upper: FloatArray

    def nearest(self, k: int) -> tuple[IntArray, FloatArray, NDArray[np.bool_]]:
        """The k nearest: their numbers, distances, and which of them are proven to be among the k nearest.

        One is, if no more than k - 1 others can be nearer.
        """
        upper = self.upper[:k]
        # Those that were not matched are beyond the k-th distance.
        nearer = np.searchsorted(np.sort(self.lower), upper * CLOSE, side="left") - (self.lower[:k] < upper * CLOSE)
        return self.index[:k], upper, nearer < k

    def within(self, radius: float) -> tuple[IntArray, FloatArray, bool]:
        """Those within a radius, their distances, and whether it is proven that there are no others."""
        inside = self.upper <= radius
        return self.index[inside], self.upper[inside], bool((inside | (self.lower > radius * CLOSE)).all())


@dataclass(eq=False)
class Cascade:
    """Searches a collection, and counts what that takes.

    Parameters
    ----------
    points : Points
    counts : Counter
        Pairs that were compared by each kind of bound, and matched.
    """

    points: Points
    counts: Counter[str] = field(default_factory=Counter)

    def nearest(self, queries: GraphBatch, k: int, without: IntArray | None = None) -> Iterator[Found]:
        """The k nearest graphs of each query, and whatever was matched on the way.

        `without` is a graph for each query that is left out, -1 for none: of a query that is itself in the collection.
        """
        yield from self._search(queries, k, np.inf, without)

    def within(self, queries: GraphBatch, radius: float) -> Iterator[Found]:
        """All graphs within a radius of each query."""
        yield from self._search(queries, len(self.points), radius, None)

    def later_within(self, radius: float) -> Iterator[Found]:
        """For each graph of the collection all later ones within a radius: every pair once."""
        yield from self._search(self.points.batch, len(self.points), radius, np.arange(len(self.points)), and_before=True)

    def _search(
        self, queries: GraphBatch, k: int, radius: float, without: IntArray | None, and_before: bool = False
    ) -> Iterator[Found]:
        at_once = max(1, BOUNDS_AT_ONCE // max(len(self.points), 1))
        fits = fit_into(self.points, queries)
        start = 0
        while start < len(queries):
            # Neighbours that all fit into the space are searched together, a query that does not by itself.
            stop = start + 1
            while stop < len(queries) and stop - start < at_once and fits[start] and fits[stop]:
                stop += 1
            some = queries.take(np.arange(start, stop))
            if fits[start]:
                block = _Block(self.points.space, self.points, some, self.counts)
            else:
                block = _Block(widened(self.points.space, some), replace(self.points, sketches=NO_SKETCHES), some, self.counts)
            if without is not None:
                block.leave_out(without[start:stop], and_before)
            yield from block.search(k, radius)
            start = stop


#: Stands for sketches where queries are larger than the space foresaw, so that sketches do not hold.
NO_SKETCHES = Sketches(np.zeros((0, 0), dtype=np.float32), np.zeros(0))


class _Block:
    """Queries that are searched together.

    Attributes
    ----------
    low : array of shape (queries, graphs)
        Lower bounds of all distances, as far as they are known; infinite for pairs that are done.
    sketched : bool array of the same shape
        For which of them whole sketches have been compared.
    cutoff : array
        What is farther than this from a query is of no interest.
    """

    def __init__(self, space: GraphSpace, points: Points, queries: GraphBatch, counts: Counter[str]) -> None:
        self.space, self.points, self.queries, self.counts = space, points, queries, counts
        n, everyone = len(points), np.arange(len(queries))
        if points.sketches is NO_SKETCHES:
            x, y = (np.sqrt(batch.squared_norms) for batch in (queries, points.batch))
            self.low = np.maximum(np.abs(x[:, None] - y) - 1e-12 * (x[:, None] + y), 0.0)
        else:
            self.sketches = points.sketch(queries, sketch_order(points.space.order, points.batch))
            self.low = np.zeros((len(queries), n))
            head, own = points.sketches.head(HEAD), self.sketches.head(HEAD)
            sketch_bounds(everyone, own.values, head.values, own.norms, head.norms, self.low)
        self.sketched = np.full(self.low.shape, points.sketches is NO_SKETCHES)
        counts["heads"] += self.low.size
        self.found: list[list[tuple[IntArray, FloatArray, FloatArray]]] = [[] for _ in everyone]

    def leave_out(self, without: IntArray, and_before: bool) -> None:
        """Do not look at these graphs, one for each query (-1 for none), or at those before them either."""
        if and_before:
            self.low[np.arange(self.low.shape[1]) <= without[:, None]] = np.inf
        else:
            row = np.flatnonzero(without >= 0)
            self.low[row, without[row]] = np.inf

    def search(self, k: int, radius: float) -> Iterator[Found]:
        """Look for the k nearest within the radius."""
        self.cutoff = np.full(len(self.queries), radius * (2.0 - CLOSE))
        self.best = np.full((len(self.queries), min(k, len(self.points))), np.inf)
        # The first candidates set the cutoffs, by which the others are sifted. There are more of them in each round.
        left, most = list(range(len(self.queries))), min(k, FIRST_ROUND) + FIRST_ROUND
        while left:
            candidates = [NONE] * len(self.queries)
            for q in left:
                candidates[q] = self._sifted(q, most)
            self._match_in_turn(candidates)
            left = [q for q in left if (self.low[q] < self.cutoff[q] * CLOSE).any()]
            most *= GROWTH
        for parts in self.found:
            index, lower, upper = (np.concatenate(column) for column in zip(_NOTHING, *parts, strict=True))
            order = np.lexsort([index, upper])
            yield Found(index[order], lower[order], upper[order])

    def _sifted(self, q: int, most: int) -> tuple[IntArray, FloatArray]:
        """Graphs that their sketches do not rule out, the least bounds first, `most` at most; and the bounds."""
        graphs = np.flatnonzero(self.low[q] < self.cutoff[q] * CLOSE)
        low = self.low[q, graphs]
        if len(graphs) > HEADS * most:
            some = np.sort(np.argpartition(low, HEADS * most)[: HEADS * most])
            graphs, low = graphs[some], low[some]
        new = np.flatnonzero(~self.sketched[q, graphs])
        if len(new):
            table, own = self.points.sketches, self.sketches
            raised = low[new, None]
            sketch_bounds(graphs[new], table.values, own.values[q : q + 1], table.norms, own.norms[q : q + 1], raised)
            low[new] = raised[:, 0]
            self.low[q, graphs[new]], self.sketched[q, graphs[new]] = low[new], True
            self.counts["sketches"] += len(new)
        near = np.flatnonzero(low < self.cutoff[q] * CLOSE)
        near = near[np.argsort(low[near], kind="stable")][:most]
        self.low[q, graphs[near]] = np.inf  # they are dealt with now
        return graphs[near], low[near]

    def _match_in_turn(self, candidates: list[tuple[IntArray, FloatArray]]) -> None:
        """Solve assignments for all candidates, then match them, the least bound first, while any is below its cutoff."""
        counts = np.array([len(graphs) for graphs, _ in candidates])
        query = np.repeat(np.arange(len(candidates)), counts)
        graph = np.concatenate([graphs for graphs, _ in candidates]).astype(np.int64)
        low = np.concatenate([bounds for _, bounds in candidates])
        used, where = np.unique(graph, return_inverse=True)
        some, pairs = self.points.batch.take(used), np.stack([where.reshape(-1), query], axis=1)
        low = np.maximum(low, lap_bounds(some, self.queries, pairs, self.space.order, self.space.n_jobs))
        self.counts["assignments"] += len(low)
        order = np.lexsort([graph, low, query])
        query, graph, low, pairs = query[order], graph[order], low[order], pairs[order]
        at, end = np.searchsorted(query, np.arange(len(counts))), np.cumsum(counts)
        while True:
            turn = []
            for q in np.flatnonzero(at < end):
                stop = min(at[q] + STEP, end[q])
                near = at[q] + np.searchsorted(low[at[q] : stop], self.cutoff[q] * CLOSE)
                turn.append(np.arange(at[q], near))
                at[q] = near if near == stop else end[q]
            rows = np.concatenate(turn) if turn else np.zeros(0, dtype=np.int64)
            if not len(rows):
                if (at >= end).all():
                    return
                continue
            self._keep(query[rows], graph[rows], low[rows], self._match(some, pairs[rows], self.cutoff[query[rows]]))

    def _match(self, some: GraphBatch, pairs: IntArray, cutoff: FloatArray) -> Matches:
        self.counts["matchings"] += len(pairs)
        return self.space.solve(some, self.queries, pairs, cutoff=cutoff)

    def _keep(self, query: IntArray, graph: IntArray, low: FloatArray, found: Matches) -> None:
        """Remember what was matched, and lower the cutoffs."""
        lower = np.maximum(found.lower, np.minimum(low, found.upper))
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        for a, b in zip(starts, [*starts[1:], len(query)], strict=True):
            q = int(query[a])
            self.found[q].append((graph[a:b], lower[a:b], found.upper[a:b]))
            k = self.best.shape[1]
            self.best[q] = np.sort(np.concatenate([self.best[q], found.upper[a:b]]))[:k]
            self.cutoff[q] = min(self.cutoff[q], self.best[q, -1])


#: No candidates.
NONE = np.zeros(0, dtype=np.int64), np.zeros(0)
_NOTHING = (np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))


class Pairs(NamedTuple):
    """All pairs of a collection within a radius: each twice, by row and then by column.

    `complete` says of each graph whether it is proven that it has no others.
    """

    row: IntArray
    column: IntArray
    distance: FloatArray
    complete: NDArray[np.bool_]


def pairs_within(cascade: Cascade, radius: float) -> Pairs:
    """Find all pairs of graphs of a collection within a radius."""
    n = len(cascade.points)
    complete = np.ones(n, dtype=bool)
    rows, columns, distances = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for q, found in enumerate(cascade.later_within(radius)):
        index, near, _ = found.within(radius)
        doubtful = found.index[(found.upper > radius) & (found.lower <= radius * CLOSE)]
        complete[doubtful] = False
        complete[q] &= not len(doubtful)
        rows.append(np.full(len(index), q))
        columns.append(index)
        distances.append(near)
    row, column = np.concatenate(rows + columns), np.concatenate(columns + rows)
    distance = np.concatenate(distances + distances)
    order = np.lexsort([column, row])
    return Pairs(row[order], column[order], distance[order], complete)


def fit_into(points: Points, queries: GraphBatch) -> NDArray[np.bool_]:
    """Which queries have no more nodes of any role than the graphs that are searched were sketched for."""
    most = sketch_order(points.space.order, points.batch)
    counts = queries.role_counts
    # In a space without a limit, two graphs of at most half the order of the sketches have the same distance there.
    largest = np.where(covering(points.space.order, len(most)) == most, most, most // 2)
    return np.asarray((counts <= covering(largest, counts.shape[1])[: counts.shape[1]]).all(axis=1))


def widened(space: GraphSpace, queries: GraphBatch) -> GraphSpace:
    """The space in which queries that are too large for it are compared: it has room for them, and no more."""
    largest = covering(queries.largest, len(space.order))
    return replace(space, order=np.maximum(covering(space.order, len(largest)), largest))
