"""The cascade that finds the nearest graphs of each query: what a cheap bound rules out is never looked at again.

1. The heads of all sketches, a few numbers each, are compared with that of the query.
2. What is left is compared by whole sketches,
3. then by one linear assignment for each pair,
4. then, where graphs are too large for branch and bound, by a few steps of the edge program, which prove nearly everything,
5. and then matched, the least bound first, with the k-th smallest distance found so far as the cutoff. It falls quickly, and
   what is beyond it is never matched. A matcher with bounds of its own (the edge program, branch and bound) stops at the cutoff.

Every bound is a proof. So what the cascade leaves out is farther away than everything it returns, whatever the matcher; and
where the matcher did not close the interval of a pair, the answer says that it is not proven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.sketch import pair_sketch_bounds, sketch_bounds
from graphmeans.matching.auto import LEAST_EFFORT, Auto
from graphmeans.matching.bounds import lap_bounds, norm_bounds
from graphmeans.matching.edge_bound import sift_by_edges, solve_by_edges
from graphmeans.matching.pairs import are_larger, covering, run_in_chunks
from graphmeans.nearest.points import HEAD, Points
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

#: Most bounds of heads that are held at once.
BOUNDS_AT_ONCE = 1 << 22
#: Candidates of a query in the first round, besides as many as neighbors are asked for; how many times more in each that follows.
FIRST_ROUND, GROWTH = 16, 4
#: Candidates are chosen by their sketches from so many times more by their heads.
HEADS = 16
#: Heads that a thread compares at once.
HEADS_A_TASK = 1 << 16
#: A cutoff that only graphs at distance 0 are below, and whose square is still a number.
NOTHING = 1e-150
#: Bounds from which the size of the smallest is guessed.
SAMPLE = 4096
#: Pairs of a query that are matched, and that go through the edge program, before the cutoff is looked at again.
STEP, EDGE_STEP = 4, 32
#: Most rounds of the edge program for a pair that is in doubt at the end, at effort 1.
PROOF_ROUNDS = 100
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
    proves : bool
        Whether pairs that are still in doubt at the end are looked at again, so that more can be said of what was found.
    """

    points: Points
    counts: Counter[str] = field(default_factory=Counter)
    proves: bool = True

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
            yield from block.search(k, radius, self.proves)
            start = stop


#: Stands for sketches where queries are larger than the space foresaw, so that sketches do not hold.
NO_SKETCHES = Sketches(np.zeros((0, 0), dtype=np.float32), np.zeros(0))


class _Block:
    """Queries that are searched together. Pairs of a query and a graph are two arrays of positions.

    Attributes
    ----------
    low : array of shape (queries, graphs)
        Lower bounds of all distances, as far as they are known; infinite for pairs that are done.
    sketched : bool array of the same shape
        For which of them whole sketches have been compared.
    best : array of shape (queries, k)
        The least distances found so far.
    cutoff : array
        What is farther than this from a query is of no interest.
    few : int
        How many pairs of a query are matched before its cutoff is looked at again.
    """

    def __init__(self, space: GraphSpace, points: Points, queries: GraphBatch, counts: Counter[str]) -> None:
        self.space, self.points, self.queries, self.counts = space, points, queries, counts
        if points.sketches is NO_SKETCHES:
            pairs = np.stack([part.ravel() for part in np.indices((len(queries), len(points)))], axis=1)
            self.low = norm_bounds(queries, points.batch, pairs).reshape(len(queries), len(points))
        else:
            self.sketches = points.sketch(queries)
            self.low = np.zeros((len(queries), len(points)))
            self._compare_heads(self.sketches.head(HEAD), points.heads)
        self.sketched = np.full(self.low.shape, points.sketches is NO_SKETCHES)
        counts["heads"] += self.low.size
        self.found: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = [(*_NO_PAIRS, np.zeros(0), np.zeros(0))]

    def _compare_heads(self, own: Sketches, others: Sketches) -> None:
        """Raise all bounds by the heads of sketches, on threads: of one query a range of graphs each, of several some queries."""
        n_queries, n = self.low.shape
        alone, step = n_queries == 1, HEADS_A_TASK if n_queries == 1 else max(1, HEADS_A_TASK // max(n, 1))

        def work(first: int, last: int) -> None:
            some = slice(first * step, last * step)
            if alone:
                sketch_bounds(_FIRST, own.values, others.values[some], own.norms, others.norms[some], self.low[:, some])
            else:
                sketch_bounds(np.arange(n_queries)[some], own.values, others.values, own.norms, others.norms, self.low[some])

        if self.low.size:
            run_in_chunks(work, np.full(-(-(n if alone else n_queries) // step), float(HEADS_A_TASK)), self.space.n_jobs)

    def leave_out(self, without: IntArray, and_before: bool) -> None:
        """Do not look at these graphs, one for each query (-1 for none), or at those before them either."""
        if and_before:
            self.low[np.arange(self.low.shape[1]) <= without[:, None]] = np.inf
        else:
            row = np.flatnonzero(without >= 0)
            self.low[row, without[row]] = np.inf

    def search(self, k: int, radius: float, proves: bool) -> Iterator[Found]:
        """Look for the k nearest within the radius."""
        self.cutoff = np.full(len(self.queries), max(radius * (2.0 - CLOSE), NOTHING))
        self.best = np.full((len(self.queries), min(k, len(self.points))), np.inf)
        self.few = min(STEP, self.best.shape[1])
        # The first candidates set the cutoffs, by which the others are sifted. There are more of them in each round.
        most = k + min(k, FIRST_ROUND) if np.isinf(radius) else len(self.points)
        while len((pairs := self._open_pairs(HEADS * most))[0]):
            query, graph, low = _least(*pairs, self._by_sketch(*pairs), most)
            near = low < self.cutoff[query] * CLOSE
            query, graph, low = query[near], graph[near], low[near]
            self.low[query, graph] = np.inf  # they are dealt with now
            self._match_in_turn(query, graph, low)
            most *= GROWTH
        query, graph, lower, upper = (np.concatenate(column) for column in zip(*self.found, strict=True))
        if proves:
            self._prove(k, query, graph, lower, upper)
        order = np.lexsort([graph, upper, query])
        cuts = np.searchsorted(query[order], np.arange(len(self.queries) + 1))
        graph, lower, upper = graph[order], lower[order], upper[order]
        for a, b in pairwise(cuts.tolist()):
            yield Found(graph[a:b], lower[a:b], upper[a:b])

    def _prove(self, k: int, query: IntArray, graph: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        """Look again at pairs that may be nearer than they seem, now that the cutoffs are final: lower, upper (in, out).

        They were matched with larger cutoffs. A tree on the edge program settles nearly all of them in a few rounds.
        """
        matcher = self.space.matcher
        effort = matcher.effort if isinstance(matcher, Auto) and matcher.effort >= LEAST_EFFORT else 0.0
        rounds = int(np.ceil(PROOF_ROUNDS * effort))
        order = np.lexsort([graph, upper, query])
        rank = np.empty(len(query), dtype=np.int64)
        rank[order] = np.arange(len(query)) - np.searchsorted(query[order], query[order])
        beyond = (rank >= k) | (upper > self.cutoff[query])
        doubtful = np.flatnonzero(beyond & (lower < self.cutoff[query] * CLOSE))
        if not rounds or not len(doubtful):
            return
        used, where = np.unique(graph[doubtful], return_inverse=True)
        some, pairs = self.points.batch.take(used), np.stack([where.reshape(-1), query[doubtful]], axis=1)
        cutoff = self.cutoff[query[doubtful]]
        found, done = solve_by_edges(some, self.queries, pairs, self.space.order, self.space.n_jobs, rounds, None, cutoff)
        self.counts["matchings"] += int(done.sum())
        settled = doubtful[done]
        lower[settled] = np.maximum(lower[settled], np.minimum(found.lower[done], upper[settled]))
        upper[settled] = np.minimum(upper[settled], found.upper[done])

    def _open_pairs(self, most: int) -> tuple[IntArray, IntArray]:
        """Pairs below the cutoffs, those with the least bounds, at most so many of each query."""
        is_open = self.low < (self.cutoff * CLOSE)[:, None]
        many = np.flatnonzero(is_open.sum(axis=1) > most)
        is_open[many] = False
        query, graph = np.nonzero(is_open)
        if len(many):
            least = [_smallest(self.low[q], most) for q in many]
            query, graph = np.concatenate([query, np.repeat(many, most)]), np.concatenate([graph, *least])
        order = np.lexsort([graph, query])
        return query[order], graph[order]

    def _by_sketch(self, query: IntArray, graph: IntArray) -> FloatArray:
        """The bounds of these pairs, raised by whole sketches."""
        new = np.flatnonzero(~self.sketched[query, graph])
        if len(new):
            own, table, raised = self.sketches, self.points.sketches, self.low[query[new], graph[new]]
            pair_sketch_bounds(query[new], graph[new], own.values, table.values, own.norms, table.norms, raised)
            self.low[query[new], graph[new]], self.sketched[query[new], graph[new]] = raised, True
            self.counts["sketches"] += len(new)
        low: FloatArray = self.low[query, graph]
        return low

    def _match_in_turn(self, query: IntArray, graph: IntArray, low: FloatArray) -> None:
        """Solve an assignment for each of these pairs, then match them, the least bound first, while any is below its cutoff."""
        used, where = np.unique(graph, return_inverse=True)
        some, pairs = self.points.batch.take(used), np.stack([where.reshape(-1), query], axis=1)
        low = np.maximum(low, lap_bounds(some, self.queries, pairs, self.space.order, self.space.n_jobs, self.space.device))
        self.counts["assignments"] += len(low)
        of = _Candidates(some, query, graph, low, pairs)
        small = Auto().is_small(some, self.queries, pairs, self.space.order)
        self._match(of.take(np.flatnonzero(small)))
        self._sift_and_match(of.take(np.flatnonzero(~small)))

    def _match(self, of: _Candidates) -> None:
        """Match candidates, the least bound first, while any is below its cutoff."""
        turns = _Turns(of, len(self.queries))
        while len(turns.open):
            self._solve(of.take(turns.next(self.cutoff, np.full(len(turns.open), self.few))))

    def _sift_and_match(self, of: _Candidates) -> None:
        """The same for larger graphs: as soon as a query has a cutoff, only those are matched that pass the edge program."""
        turns = _Turns(of, len(self.queries))
        while len(turns.open):
            step = np.where(np.isinf(self.cutoff[turns.open]), self.few, EDGE_STEP)
            some = of.take(turns.next(self.cutoff, step))
            free = np.isinf(self.cutoff[some.query])
            self._solve(some.take(np.flatnonzero(free)))
            self._match(self._sifted(some.take(np.flatnonzero(~free))))

    def _sifted(self, of: _Candidates) -> _Candidates:
        """Those that the edge program does not prove to be beyond their cutoffs, with its bounds."""
        if not len(of.query):
            return of
        found, done = sift_by_edges(of.graphs, self.queries, of.pairs, self.space.order, self.space.n_jobs, self.cutoff[of.query])
        self.counts["edge_programs"] += int(done.sum())
        low = np.where(done, np.maximum(of.low, found.lower), of.low)
        near = low < self.cutoff[of.query] * CLOSE
        return replace(of, low=low).take(np.flatnonzero(near))

    def _solve(self, of: _Candidates) -> None:
        """Match candidates, all of them, at most STEP of each query."""
        if len(of.query):
            found = self.space.solve(of.graphs, self.queries, of.pairs, cutoff=self.cutoff[of.query])
            self._keep(of.query, of.graph, np.maximum(found.lower, np.minimum(of.low, found.upper)), found.upper)

    def _keep(self, query: IntArray, graph: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        """Remember what was matched, and lower the cutoffs."""
        self.counts["matchings"] += len(query)
        self.found.append((query, graph, lower, upper))
        touched, first, row = np.unique(query, return_index=True, return_inverse=True)
        new = np.full((len(touched), self.few), np.inf)
        new[row.reshape(-1), np.arange(len(query)) - first[row.reshape(-1)]] = upper
        k = self.best.shape[1]
        self.best[touched] = np.sort(np.concatenate([self.best[touched], new], axis=1), axis=1)[:, :k]
        self.cutoff[touched] = np.minimum(self.cutoff[touched], self.best[touched, -1])


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Pairs that are to be matched, those of each query by their bounds: `pairs` are rows of `graphs` and queries."""

    graphs: GraphBatch
    query: IntArray
    graph: IntArray
    low: FloatArray
    pairs: IntArray

    def take(self, which: IntArray) -> _Candidates:
        """Those at these positions."""
        return replace(
            self, query=self.query[which], graph=self.graph[which], low=self.low[which], pairs=self.pairs[which]
        )  # fmt: skip


class _Turns:
    """Goes through the candidates of all queries side by side, the least bound first, as far as they are below the cutoffs.

    Attributes
    ----------
    open : int array
        Queries of which some candidates may be left.
    """

    def __init__(self, of: _Candidates, n_queries: int) -> None:
        self._order = np.lexsort([of.graph, of.low, of.query])
        self._low = of.low[self._order]
        cuts = np.searchsorted(of.query[self._order], np.arange(n_queries + 1))
        self._at, self._end = cuts[:-1].copy(), cuts[1:]

    @property
    def open(self) -> IntArray:
        return np.flatnonzero(self._at < self._end)

    def next(self, cutoff: FloatArray, step: IntArray) -> IntArray:
        """The next candidates of each open query, at most so many of each, that are below its cutoff."""
        left = self.open
        turn = self._at[left, None] + np.arange(step.max())
        there = (turn < self._end[left, None]) & (np.arange(step.max()) < step[:, None])
        near = there & (self._low[np.minimum(turn, len(self._low) - 1)] < (cutoff[left] * CLOSE)[:, None])
        # Bounds rise along a row: where one is not below the cutoff, none after it is.
        self._at[left] = np.where(near.sum(axis=1) == step, self._at[left] + step, self._end[left])
        return self._order[turn[near]]


def _smallest(values: FloatArray, count: int) -> IntArray:
    """The positions of the smallest values, in no order. A sample says about how large these are, which saves time."""
    sample = values[:: max(1, len(values) // SAMPLE)]
    limit = np.partition(sample, rank)[rank] if (rank := 2 * count * len(sample) // len(values) + 8) < len(sample) else np.inf
    some = np.flatnonzero(values <= limit)
    if len(some) < count:
        some = np.arange(len(values))
    chosen: IntArray = some[np.argpartition(values[some], count - 1)[:count]]
    return chosen


_NO_PAIRS = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
_FIRST = np.zeros(1, dtype=np.int64)


def _least(query: IntArray, graph: IntArray, low: FloatArray, most: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Of the pairs of each query those with the least bounds, at most so many, the least first."""
    order = np.lexsort([graph, low, query])
    query, graph, low = query[order], graph[order], low[order]
    rank = np.arange(len(query)) - np.searchsorted(query, query)
    return query[rank < most], graph[rank < most], low[rank < most]


class Pairs(NamedTuple):
    """All pairs of a collection within a radius: each twice, by row and then by column.

    `complete` says of each graph whether it is proven that it has no others.
    """

    row: IntArray
    column: IntArray
    distance: FloatArray
    complete: NDArray[np.bool_]


class ListedPairs(NamedTuple):
    """Pairs of a query and a graph within a radius, and pairs of which it is not known."""

    row: IntArray
    column: IntArray
    distance: FloatArray
    doubtful_row: IntArray
    doubtful_column: IntArray

    def moved(self, row: int, column: int) -> ListedPairs:
        """The same pairs where the numbers of queries and of graphs begin elsewhere."""
        return ListedPairs(
            self.row + row, self.column + column, self.distance, self.doubtful_row + row, self.doubtful_column + column
        )


def listed_pairs(found: Iterable[Found], radius: float) -> ListedPairs:
    """The pairs within a radius among what was found for one query after the other."""
    none = np.zeros(0, dtype=np.int64)
    parts = [(none, none, np.zeros(0), none, none)]
    for q, one in enumerate(found):
        index, near, _ = one.within(radius)
        doubtful = one.index[(one.upper > radius) & (one.lower <= radius * CLOSE)]
        parts.append((np.full(len(index), q), index, near, np.full(len(doubtful), q), doubtful))
    return ListedPairs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def paired_both_ways(listed: Sequence[ListedPairs], n: int) -> Pairs:
    """Pairs of n graphs that were each found once, as both of their graphs see them."""
    row, column, distance, *doubtful = (np.concatenate(part) for part in zip(*listed, strict=True))
    complete = np.ones(n, dtype=bool)
    complete[np.concatenate(doubtful)] = False
    row, column, distance = np.concatenate([row, column]), np.concatenate([column, row]), np.tile(distance, 2)
    order = np.lexsort([column, row])
    return Pairs(row[order], column[order], distance[order], complete)


def pairs_within(cascade: Cascade, radius: float) -> Pairs:
    """Find all pairs of graphs of a collection within a radius."""
    return paired_both_ways([listed_pairs(cascade.later_within(radius), radius)], len(cascade.points))


def fit_into(points: Points, queries: GraphBatch) -> NDArray[np.bool_]:
    """Which queries have no more nodes of any role than the graphs that are searched were sketched for."""
    most = points.order
    # In a space without a limit, two graphs of at most half the order of the sketches have the same distance there.
    largest = np.where(covering(points.space.order, len(most)) == most, most, most // 2)
    return ~are_larger(queries, largest)


def widened(space: GraphSpace, queries: GraphBatch) -> GraphSpace:
    """The space in which queries that are too large for it are compared: it has room for them, and no more."""
    largest = covering(queries.largest, len(space.order))
    order = np.maximum(covering(space.order, len(largest)), largest)
    return replace(space, order=order, roles=space.roles + queries.role_names[len(space.roles) : len(order)])
