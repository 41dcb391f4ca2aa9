"""What shards do when two clusters become one and a third falls into halves: along stored alignments both are arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.centers.vector_centers import MovingCenters
from graphmeans.cluster.shards.shard import BoolArray, FloatArray, IntArray, Shard, read_only
from graphmeans.graphs.batch import GraphBatch, concatenate, offsets, row_ranges
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Frames


@dataclass
class Members:
    """Members of each cluster in their alignments: all of them, or so many as are drawn by weight.

    Attributes
    ----------
    most : int
        Most members of a cluster.
    key : array
        Of those of a cluster the ones with the largest keys stay.
    graph, label : int arrays
        Numbers of graphs, and their clusters.
    weight : array
    batch : GraphBatch
    slots : int array
        The slot of each node of each of them.
    """

    most: int
    key: FloatArray
    graph: IntArray
    label: IntArray
    weight: FloatArray
    batch: GraphBatch
    slots: IntArray

    def __iadd__(self, other: Members) -> Members:
        self.batch = concatenate([self.batch, other.batch])
        for name in ("key", "graph", "label", "weight", "slots"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))
        kept = self.take(_largest(self.key, self.label, self.most))
        for one in fields(self):
            setattr(self, one.name, getattr(kept, one.name))
        return self

    def take(self, which: IntArray) -> Members:
        """The members at these positions."""
        return Members(
            self.most, self.key[which], self.graph[which], self.label[which], self.weight[which], self.batch.take(which),
            self.slots[row_ranges(self.batch.node_ptr, which)[0]],
        )  # fmt: skip

    def of_clusters(self, which: IntArray) -> Members:
        """The members of these clusters."""
        return self.take(np.flatnonzero(np.isin(self.label, which)))


@read_only
def draw_members(shard: Shard, most: int, seed: list[int]) -> Members:
    """All members of each cluster that have weight, or so many of them drawn by their weights."""
    state = shard.state
    x = np.flatnonzero(shard.weights > 0)
    # The largest of log(U) / w are a draw by weight (Efraimidis and Spirakis 2006).
    key = np.log(np.random.RandomState([*seed, shard.first]).uniform(1e-300, 1.0, size=len(shard)))[x] / shard.weights[x]
    kept = _largest(key, state.labels[x], most)
    x, key = x[kept], key[kept]
    slots, _ = state.slots_of(x)
    return Members(most, key, x + shard.first, state.labels[x], shard.weights[x], shard.batch.take(x), slots)


@read_only
def match_centers(shard: Shard, pairs: IntArray, centers: FrameCenters) -> Matches:
    """Match centers with each other, in some haste."""
    return shard.matcher.match(centers.batch, centers.batch, pairs, hasty=True)


def merge_and_split(
    shard: Shard, joins: int, other: int, slot_there: IntArray, split: int, halves: Frames, centers: FrameCenters
) -> None:
    """Members of one cluster join another, slot s becoming slot_there[s]; the second half of a third cluster takes its place."""
    state = shard.state
    leaving = np.flatnonzero(state.labels == split)
    leaving = leaving[nearer_half(shard.batch, leaving, *state.slots_of(leaving), np.zeros(len(leaving), np.int64), halves)]
    joining = np.flatnonzero(state.labels == joins)
    state.set_slots(joining, slot_there[state.slots_of(joining)[0]])
    state.set(joining, labels=other)
    state.set(leaving, labels=joins)
    # What was known is of alignments to the centers that these graphs had, and of all centers but those.
    both = np.concatenate([joining, leaving])
    state.set(both, matched_at=-1, fresh_at=-1, lower_bound=-np.inf, others=-np.inf)


def measure(shard: Shard, which: IntArray, centers: MovingCenters) -> None:
    """Members of these clusters are as far from their centers as their alignments say."""
    assert isinstance(centers, FrameCenters), "rows have no frames"
    state = shard.state
    x = np.flatnonzero(np.isin(state.labels, which))
    slots, ptr = state.slots_of(x)
    state.set(x, upper=centers.frames.aligned_distances(shard.batch, x, state.labels[x], slots, ptr))


def nearer_half(
    batch: GraphBatch, x: IntArray, slots: IntArray, ptr: IntArray, pair: IntArray, halves: Frames
) -> BoolArray:
    """Whether graphs x are nearer to the second of the frames 2 * pair and 2 * pair + 1, along their alignments."""
    first, second = (halves.aligned_distances(batch, x, 2 * pair + side, slots, ptr) for side in (0, 1))
    return np.asarray(second < first)


def _largest(key: FloatArray, label: IntArray, most: int) -> IntArray:
    """The positions of the `most` largest keys of each label, in ascending order."""
    order = np.lexsort((-key, label))
    sizes = np.bincount(label)
    rank = np.arange(len(order)) - np.repeat(offsets(sizes)[:-1], sizes)
    return np.sort(order[rank < most])
