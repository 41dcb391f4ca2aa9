"""What shards answer. Answers add up, so that the fit loop sees sums and no shard needs to know the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch, concatenate
from graphmeans.means.frames import Frames

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass
class Summary:
    """An assignment: what it took, the objective, the graphs with weight in each cluster, and the aligned graphs added up."""

    counts: Counter[str]
    inertia: float
    sizes: IntArray
    frames: Frames

    def __iadd__(self, other: Summary) -> Summary:
        self.counts.update(other.counts)
        self.inertia += other.inertia
        self.sizes += other.sizes
        self.frames += other.frames
        return self


@dataclass
class Offers:
    """Moves of single graphs that lower the objective; a cluster takes part in one of them, so that gains add up."""

    graph: IntArray
    source: IntArray
    target: IntArray
    gain: FloatArray

    def best(self) -> Offers:
        """The largest gains, of moves that have no cluster in common."""
        busy: set[int] = set()
        chosen = []
        for p in np.lexsort([self.graph, -self.gain]).tolist():
            clusters = {int(self.source[p]), int(self.target[p])}
            if not clusters & busy:
                busy |= clusters
                chosen.append(p)
        return self._take(np.array(sorted(chosen), dtype=np.int64))

    def _take(self, which: IntArray) -> Offers:
        return Offers(self.graph[which], self.source[which], self.target[which], self.gain[which])

    def __iadd__(self, other: Offers) -> Offers:
        fields = ("graph", "source", "target", "gain")
        return Offers(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in fields)).best()


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
        fields = ("graph", "label", "distance")
        return Farthest(self.count, *(np.concatenate([getattr(self, f), getattr(other, f)]) for f in fields)).first()


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
        graph, label, weight = (np.concatenate([getattr(self, f), getattr(other, f)]) for f in ("graph", "label", "weight"))
        return Sample(graph, label, weight, concatenate([self.batch, other.batch]))
