"""The answers of shards, which add up, so that the fit loop sees sums and no shard needs to know the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import iadd
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.vector_centers import VectorSums
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, concatenate
from graphmeans.means.frames import Frames

T = TypeVar("T")

#: A bound decides where it reaches u. This is how far rounding may have lowered it.
CLOSE = 1.0 - 1e-12


class Assignment(NamedTuple):
    """The cluster of each graph, how far it is from the center, and what is proven of all other centers.

    Attributes
    ----------
    labels : int array
    distances : array
        Along the stored alignment, an upper bound of the distance.
    others : array
        A proven lower bound of the distances to all centers but the own; -inf where nothing is known.
    """

    labels: IntArray
    distances: FloatArray
    others: FloatArray

    @classmethod
    def unproven(cls, labels: IntArray, distances: FloatArray) -> Assignment:
        """Copies of labels and distances of which nothing is proven."""
        return cls(labels.copy(), distances.copy(), np.full(len(labels), -np.inf))

    @classmethod
    def joined(cls, parts: Iterable[Assignment]) -> Assignment:
        """Those of several parts of a collection, one after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def take(self, rows: IntArray) -> Assignment:
        """That of the graphs at these positions."""
        return Assignment(self.labels[rows], self.distances[rows], self.others[rows])

    @property
    def proven(self) -> NDArray[np.bool_]:
        """Which labels are proven: no other center is nearer."""
        return np.asarray(self.distances * CLOSE <= self.others)

    @property
    def proven_margins(self) -> FloatArray:
        """1 - distance / (bound for all other centers), which the margin is at least; 0 where the label is not proven."""
        least = np.zeros(len(self.labels))
        sure = self.proven & (self.others > 0)
        least[sure] = np.maximum(1.0 - self.distances[sure] / self.others[sure], 0.0)
        return least


@dataclass
class AssignmentTotals:
    """What an assignment found.

    Attributes
    ----------
    counts : Counter
        What it took, and how many graphs moved.
    inertia : float
        The objective.
    shard_inertia : dict
        The objective of each shard, by the number of its first graph.
    sizes : int array
        The graphs with weight in each cluster.
    sums : Frames or VectorSums
        The aligned graphs, added up.
    """

    counts: Counter[str]
    inertia: float
    shard_inertia: dict[int, float]
    sizes: IntArray
    sums: Frames | VectorSums

    def __iadd__(self, other: AssignmentTotals) -> AssignmentTotals:
        self.counts.update(other.counts)
        self.inertia += other.inertia
        self.shard_inertia |= other.shard_inertia
        self.sizes += other.sizes
        self.sums = iadd(self.sums, other.sums)
        return self


@dataclass
class HartiganMoves:
    """Moves of single graphs that lower the objective.

    A cluster takes part in one move, or in more that are together a small share of its weight (`room`, one for each cluster):
    as long as the means hardly change, gains about add up.
    """

    graph: IntArray
    source: IntArray
    target: IntArray
    weight: FloatArray
    gain: FloatArray
    room: FloatArray

    def best(self) -> HartiganMoves:
        """The largest gains, of moves for which their clusters have room."""
        used = np.zeros(len(self.room))
        chosen = []
        for p in np.lexsort([self.graph, -self.gain]).tolist():
            both, w = [int(self.source[p]), int(self.target[p])], self.weight[p]
            if all(used[c] == 0.0 or used[c] + w <= self.room[c] for c in both):
                used[both] += w
                chosen.append(p)
        which = np.array(sorted(chosen), dtype=np.int64)
        return HartiganMoves(
            self.graph[which], self.source[which], self.target[which], self.weight[which], self.gain[which], self.room
        )

    @property
    def are_disjoint(self) -> bool:
        """Whether no cluster takes part in two of them."""
        return len(np.unique([self.source, self.target])) == 2 * len(self.graph)

    def disjoint(self) -> HartiganMoves:
        """The largest gains, of moves that have no cluster in common: these add up whatever happens."""
        return HartiganMoves(
            self.graph, self.source, self.target, self.weight, self.gain, np.zeros_like(self.room)
        ).best()

    def __iadd__(self, other: HartiganMoves) -> HartiganMoves:
        graph, source, target, weight, gain = _joined(self, other, "graph", "source", "target", "weight", "gain")
        return HartiganMoves(graph, source, target, weight, gain, self.room).best()


@dataclass
class Farthest:
    """The graphs that are farthest from their centers, the farthest first; at most `count`."""

    count: int
    graph: IntArray
    label: IntArray
    distance: FloatArray

    def first(self) -> Farthest:
        """Sorted, and no more than asked for."""
        order = np.lexsort([self.graph, -self.distance])[: self.count]
        return Farthest(self.count, self.graph[order], self.label[order], self.distance[order])

    def __iadd__(self, other: Farthest) -> Farthest:
        return Farthest(self.count, *_joined(self, other, "graph", "label", "distance")).first()


@dataclass
class Sample:
    """Some graphs, with their numbers, labels and weights."""

    graph: IntArray
    label: IntArray
    weight: FloatArray
    batch: GraphBatch

    def __iadd__(self, other: Sample) -> Sample:
        if not len(other.graph):
            return self
        if not len(self.graph):
            return other
        graph, label, weight = _joined(self, other, "graph", "label", "weight")
        return Sample(graph, label, weight, concatenate([self.batch, other.batch]))

    def take(self, which: IntArray) -> Sample:
        """Those at these positions."""
        return Sample(self.graph[which], self.label[which], self.weight[which], self.batch.take(which))


def _joined(one: Any, other: Any, *names: str) -> list[Any]:
    return [np.concatenate([getattr(one, name), getattr(other, name)]) for name in names]


@dataclass
class SumTree(Generic[T]):
    """Answers of shards added two by two, always the same two, whoever computed them.

    Sums of floating-point numbers depend on their order. Here it depends on the number of shards alone: shards 2i and 2i + 1
    are added first, then their sums, and so on. Whoever holds neighbouring shards can add them up; what remains is a list of
    parts whose length depends on how the shards are spread, not on how many there are.

    Parameters
    ----------
    leaves : int
        How many answers there are in all.
    parts : list of (level, index on it, sum)
        The sums that this tree holds, from left to right.
    """

    leaves: int
    parts: list[tuple[int, int, T]] = field(default_factory=list)

    def add(self, index: int, value: T, level: int = 0) -> None:
        """Add the sum of the answers index * 2^level and on, 2^level of them."""
        while True:
            if self.parts and self.parts[-1][:2] == (level, index - 1) and index % 2:
                _, _, before = self.parts.pop()
                value = iadd(before, value)
            elif index % 2 or index == 0 or (index + 1) << level < self.leaves:
                break  # its neighbour is still to come, or somewhere else
            # Otherwise it is the last of an odd number, and has no neighbour.
            level, index = level + 1, index // 2
        self.parts.append((level, index, value))

    @classmethod
    def merged(cls, trees: Iterable[SumTree[T]]) -> SumTree[T]:
        """What several trees hold together."""
        trees = list(trees)
        result = cls(trees[0].leaves)
        for level, index, value in sorted((part for tree in trees for part in tree.parts), key=lambda p: p[1] << p[0]):
            result.add(index, value, level)
        return result

    @property
    def total(self) -> T:
        """The sum of all answers."""
        assert len(self.parts) == 1, "some answers are missing"
        return self.parts[0][2]
