"""What a shard says of its graphs without matching anything: samples, sums and single graphs."""

from __future__ import annotations

import numpy as np

from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters, VectorSums
from graphmeans.cluster.shards import vectors
from graphmeans.cluster.shards.assign import sums_of
from graphmeans.cluster.shards.reductions import Assignment, Farthest, Sample
from graphmeans.cluster.shards.shard import FloatArray, IntArray, Shard, read_only
from graphmeans.means.frames import Frames

#: What rounding may make of a distance, and more.
CLOSE = 1e-6
NOBODY = np.zeros(0, dtype=np.int64)


@read_only
def first_graph(shard: Shard) -> int:
    """The number of its first graph, by which shards are told apart."""
    return shard.first


@read_only
def draw(shard: Shard, targets: dict[int, FloatArray]) -> Sample:
    """The graphs at which the running sum of weighted squared distances exceeds the targets that are meant for this shard."""
    mine = targets.get(shard.first)
    return _sample(shard, NOBODY) if mine is None else _at(shard, shard.weights * shard.state.upper**2, mine)


@read_only
def draw_by_weight(shard: Shard, target: float, without: IntArray, even: bool) -> Sample:
    """The graph at which the running sum of the weights of graphs other than these exceeds the target."""
    return _at(shard, _weights(shard, without, even), np.array([target]))


@read_only
def draw_some(shard: Shard, share: float, seed: list[int]) -> Sample:
    """Each graph with the probability share times its weighted squared distance."""
    random = np.random.RandomState([*seed, shard.first])
    chance = share * shard.weights * shard.state.upper**2
    return _sample(shard, np.flatnonzero(random.uniform(size=len(shard)) < chance))


@read_only
def pick(shard: Shard, numbers: IntArray) -> Sample:
    """Those of these graphs that are here."""
    return _sample(shard, np.sort(numbers[shard.holds(numbers)]) - shard.first)


@read_only
def farthest(shard: Shard, count: int) -> Farthest:
    """The graphs with weight that are farthest from their centers."""
    state = shard.state
    usable = np.flatnonzero((shard.weights > 0) & (state.upper > 0))
    x = usable[np.argsort(-state.upper[usable], kind="stable")[:count]]
    return Farthest(count, x + shard.first, state.labels[x], state.upper[x]).first()


@read_only
def total_weight(shard: Shard, without: IntArray, even: bool) -> float:
    """The weight of the graphs other than these numbers; with `even` each counts 1."""
    return float(_weights(shard, without, even).sum())


@read_only
def cluster_weights(shard: Shard, k: int) -> FloatArray:
    """The weight of each cluster."""
    return np.bincount(shard.state.labels, weights=shard.weights, minlength=k).astype(np.float64)


@read_only
def cluster_sizes(shard: Shard, k: int) -> IntArray:
    """The graphs in each cluster, also those without weight."""
    return np.bincount(shard.state.labels, minlength=k)


@read_only
def inertia(shard: Shard) -> float:
    """The weighted sum of squared distances along the stored alignments."""
    return shard.inertia()


@read_only
def sums(shard: Shard, centers: MovingCenters) -> Frames | VectorSums:
    """The aligned graphs, added up in the frames of the centers."""
    return sums_of(shard, centers)


@read_only
def misfits(shard: Shard, centers: MovingCenters) -> int:
    """How many graphs are not as far from their centers as the state says: for one that was read from disk.

    Since the distance was computed, the center has moved, and the distance along the alignment by no more than that.
    """
    state, everybody = shard.state, np.arange(len(shard))
    if isinstance(centers, VectorCenters):
        return vectors.misfits(shard, centers)
    if not np.isfinite(state.upper).all() or (state.slots < 0).any():
        return len(shard)
    labels, slots, ptr = state.labels.copy(), state.slots.copy(), shard.batch.node_ptr
    found = centers.frames.aligned_distances(shard.batch, everybody, labels, slots, ptr)
    moved = centers.shift[state.upper_at, state.labels]
    return int((np.abs(found - state.upper) > moved + CLOSE * (1.0 + found + state.upper)).sum())


@read_only
def get_assignment(shard: Shard) -> Assignment:
    """Copies of labels and distances, and of what is proven of them."""
    return Assignment(shard.state.labels.copy(), shard.state.upper.copy(), shard.state.others.copy())


@read_only
def get_sizes(shard: Shard) -> IntArray:
    """How many nodes each graph has."""
    return shard.batch.sizes


@read_only
def get_slots(shard: Shard) -> IntArray:
    """A copy of the alignments: for each node of each graph its slot in the frame of its center."""
    return shard.state.slots.copy()


def snapshot(shard: Shard) -> None:
    """Keep the state, so that `rollback` can return to it."""
    shard.state.snapshot()


def rollback(shard: Shard) -> None:
    """Return to the state that `snapshot` kept."""
    shard.state.rollback()


@read_only
def write_log_only(shard: Shard) -> None:
    """Do nothing: the call has no other purpose than that shards write their logs."""


def _weights(shard: Shard, without: IntArray, even: bool) -> FloatArray:
    weights = np.ones(len(shard)) if even else shard.weights.copy()
    weights[without[shard.holds(without)] - shard.first] = 0.0
    return weights


def _at(shard: Shard, mass: FloatArray, targets: FloatArray) -> Sample:
    """The graphs at which the running sum of masses exceeds the targets, the last one with a mass at most; each once."""
    x = np.searchsorted(np.cumsum(mass), targets, side="right")
    return _sample(shard, np.unique(np.minimum(x, np.flatnonzero(mass)[-1])))


def _sample(shard: Shard, x: IntArray) -> Sample:
    return Sample(x + shard.first, shard.state.labels[x], shard.weights[x], shard.batch.take(x))
