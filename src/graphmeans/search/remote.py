"""`DaskShards`: the graphs of an index in parts, which the workers of a dask cluster hold and search.

Every worker finds the nearest graphs of its part, and the nearest of all are among them. Parts are made from what was sent, or
are read from the collection on disk, by the workers themselves: when one is lost, another makes its part again.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from graphmeans.cluster.data.dataset import Dataset, DatasetPart, InMemoryDataset
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.graphs.batch import GraphBatch, IntArray, concatenate
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.nearest.cascade import Cascade, Found, ListedPairs, Pairs, listed_pairs, paired_both_ways
from graphmeans.nearest.points import Axes, Points, sample_rows
from graphmeans.space import GraphSpace

#: Fewest graphs of a part: fewer are not worth a message.
FEWEST = 256
#: Most queries that are searched in one task, so that an interruption is not long in coming.
QUERIES_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class Shard:
    """A part of the collection: what a worker holds (a future of `Points`), and where its graphs stand among all."""

    points: Any
    first: int
    count: int

    @property
    def numbers(self) -> IntArray:
        """The positions of its graphs."""
        return np.arange(self.first, self.first + self.count)


class DaskShards:
    """All parts of a collection, with the workers of a cluster.

    Parameters
    ----------
    client : DaskClient
        Connected workers.
    space : GraphSpace
    data : Dataset
        In memory, or on disk where workers can read it.
    """

    def __init__(self, client: DaskClient, space: GraphSpace, data: Dataset) -> None:
        self._client, self._space = client, replace(space, n_jobs=1)
        # In a space without a limit sketches depend on the largest graph that is near at hand, and so do their axes.
        self._axes: Axes | None = None
        if (space.order < UNBOUNDED).all():
            self._axes = Axes.for_points(space, data.part(sample_rows(space, data.like, len(data))).load()[0])
        parts = int(np.clip(len(data) // FEWEST, 1, sum(client.workers().values())))
        cuts = np.linspace(0, len(data), parts + 1).astype(np.int64)
        ranges = [range(int(a), int(b)) for a, b in pairwise(cuts)]
        self.shards = [Shard(self._held(data.part(rows)), rows.start, len(rows)) for rows in ranges]
        for shard in self.shards:
            self._wait(shard.points)

    def __len__(self) -> int:
        return sum(shard.count for shard in self.shards)

    # -- what workers hold -------------------------------------------------------------------------

    def _held(self, part: DatasetPart) -> Any:
        return self._submit(make_points, pickle.dumps((self._space, part, self._axes)))

    def append(self, batch: GraphBatch) -> None:
        """Take in more graphs, as a part of their own."""
        data = InMemoryDataset(batch, np.ones(len(batch)))
        self.shards.append(Shard(self._held(data.part(range(len(batch)))), len(self), len(batch)))

    def keep(self, which: IntArray) -> None:
        """Forget all graphs but those at these positions."""
        kept, first = [], 0
        for shard in self.shards:
            own = which[(which >= shard.first) & (which < shard.first + shard.count)] - shard.first
            if len(own) == shard.count:
                kept.append(Shard(shard.points, first, shard.count))
            elif len(own):
                kept.append(Shard(self._submit(Points.take, shard.points, own), first, len(own)))
            first += len(own)
        self.shards = kept

    def take(self, which: IntArray) -> GraphBatch:
        """The graphs at these positions."""
        places, batches = [], []
        for shard in self.shards:
            at = np.flatnonzero((which >= shard.first) & (which < shard.first + shard.count))
            if len(at):
                places.append(at)
                batches.append(self._submit(some_graphs, shard.points, which[at] - shard.first))
        found = [pickle.loads(self._wait(batch)) for batch in batches]
        back = np.argsort(np.concatenate(places)) if places else np.zeros(0, dtype=np.int64)
        return concatenate(found).take(back) if found else self._some(0)

    def _some(self, count: int) -> GraphBatch:
        batch: GraphBatch = pickle.loads(self._wait(self._submit(some_graphs, self.shards[0].points, np.arange(count))))
        return batch

    def points(self) -> Points:
        """Everything that the workers hold, here."""
        parts: list[Points] = [pickle.loads(self._wait(self._submit(all_points, shard.points))) for shard in self.shards]
        batch = concatenate([part.batch for part in parts])
        if self._axes is None:
            return Points.of(self._space, batch)
        sketches = type(parts[0].sketches).joined([part.sketches for part in parts])
        return Points(self._space, batch, self._axes, sketches)

    def close(self) -> None:
        """Let go of the workers, and end those that were started for this."""
        for shard in self.shards:
            shard.points.release()
        self.shards = []
        self._client.__exit__()

    # -- searching ---------------------------------------------------------------------------------

    def nearest(self, queries: GraphBatch | None, k: int, counts: Counter[str]) -> Iterator[Found]:
        """The k nearest graphs of each query, and whatever was matched on the way; None stands for all that are held."""
        return self._searched(queries, ("nearest", k), counts)

    def within(self, queries: GraphBatch, radius: float, counts: Counter[str]) -> Iterator[Found]:
        """All graphs within a radius of each query."""
        return self._searched(queries, ("within", radius), counts)

    def _searched(self, queries: GraphBatch | None, what: tuple[str, Any], counts: Counter[str]) -> Iterator[Found]:
        for some, own in self._questions(queries):
            asked = [
                (self._submit(search_points, shard.points, some, own is not None and own.first == shard.first, what), shard.first)
                for shard in self.shards
            ]
            answers = [(pickle.loads(self._wait(future)), first) for future, first in asked]
            for (_, spent), _ in answers:
                counts.update(spent)
            for found in zip(*(lists for (lists, _), _ in answers), strict=True):
                yield _merged([(one, first) for one, (_, first) in zip(found, answers, strict=True)])

    def _questions(self, queries: GraphBatch | None) -> Iterator[tuple[Any, Shard | None]]:
        """Queries in blocks, as bytes, or, if they are all graphs, a part after the other, as a worker will send it."""
        if queries is None:
            for shard in self.shards:
                yield self._submit(some_graphs, shard.points, np.arange(shard.count)), shard
            return
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            rows = np.arange(start, min(start + QUERIES_AT_ONCE, len(queries)))
            yield pickle.dumps(queries.take(rows), pickle.HIGHEST_PROTOCOL), None

    def pairs_within(self, radius: float, counts: Counter[str]) -> Pairs:
        """All pairs of graphs within a radius: those of each part, and those of each two."""
        asked = []
        for i, shard in enumerate(self.shards):
            asked.append((self._submit(own_pairs, shard.points, radius), shard.first, shard.first))
            batch = self._submit(some_graphs, shard.points, np.arange(shard.count))
            for other in self.shards[i + 1 :]:
                asked.append((self._submit(pairs_between, batch, other.points, radius), shard.first, other.first))
        found = []
        for future, row, column in asked:
            pairs, spent = pickle.loads(self._wait(future))
            counts.update(spent)
            found.append(pairs.moved(row, column))
        return paired_both_ways(found, len(self))

    # -- tasks -------------------------------------------------------------------------------------

    def _submit(self, function: Callable[..., Any], *args: Any) -> Any:
        return self._client.client.submit(function, *args, pure=False)

    def _wait(self, future: Any) -> Any:
        """What a task returns, or None for points, which stay where they are."""
        self._client.check_interrupt()
        if future.key.startswith("make_points"):
            self._client.finished(future, set())
            if future.status == "error":
                raise future.exception()
            answer = None
        else:
            answer = self._client.result(future)
        try:
            self._client.check_interrupt()
        except KeyboardInterrupt:
            self._client.resume()
            raise
        return answer


def _merged(found: list[tuple[Found, int]]) -> Found:
    """What was found in all parts."""
    index = np.concatenate([one.index + first for one, first in found])
    lower, upper = (np.concatenate([getattr(one, name) for one, _ in found]) for name in ("lower", "upper"))
    order = np.lexsort([index, upper])
    return Found(index[order], lower[order], upper[order])


# -- what workers do; arguments and answers that are arrays travel as bytes, so that they arrive writable ------------------------


def make_points(task: bytes) -> Points:
    """A part of the collection, sketched."""
    space, part, axes = pickle.loads(task)
    return Points.of(space, part.load()[0], axes)


def some_graphs(points: Points, which: IntArray) -> bytes:
    """Graphs of a part."""
    return pickle.dumps(points.batch.take(which), pickle.HIGHEST_PROTOCOL)


def all_points(points: Points) -> bytes:
    """A whole part."""
    return pickle.dumps(replace(points), pickle.HIGHEST_PROTOCOL)


def search_points(points: Points, queries: bytes, are_own: bool, what: tuple[str, Any]) -> bytes:
    """What is found in a part for each query, and what that took. Queries that are its own graphs do not find themselves."""
    counts: Counter[str] = Counter()
    batch, cascade = pickle.loads(queries), Cascade(points, counts)
    if what[0] == "nearest":
        found = list(cascade.nearest(batch, what[1], np.arange(len(batch)) if are_own else None))
    else:
        found = list(cascade.within(batch, what[1]))
    return pickle.dumps((found, counts), pickle.HIGHEST_PROTOCOL)


def own_pairs(points: Points, radius: float) -> bytes:
    """Pairs within one part."""
    counts: Counter[str] = Counter()
    pairs = listed_pairs(Cascade(points, counts).later_within(radius), radius)
    return pickle.dumps((pairs, counts), pickle.HIGHEST_PROTOCOL)


def pairs_between(queries: bytes, points: Points, radius: float) -> bytes:
    """Pairs of a graph of one part and a graph of another."""
    counts: Counter[str] = Counter()
    pairs: ListedPairs = listed_pairs(Cascade(points, counts).within(pickle.loads(queries), radius), radius)
    return pickle.dumps((pairs, counts), pickle.HIGHEST_PROTOCOL)
