"""What a shard does while seeds are chosen: each graph is matched with a new seed only if it may be nearer to it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.shards import vectors
from graphmeans.cluster.shards.assign import (
    MARGIN,
    align_to,
    align_unaligned,
    claim_graphs,
    keep_own_bound,
    match_and_keep,
    match_candidates,
    move_to,
    was_cut,
)
from graphmeans.cluster.shards.bounds import lap_bounds_to_centers, least_bound, raise_by_lap
from graphmeans.cluster.shards.reductions import CLOSE
from graphmeans.cluster.shards.shard import FloatArray, IntArray, Shard
from graphmeans.cluster.shards.state import CERTIFIED
from graphmeans.nearest.sketches import scratch_zeros

#: Graphs that are matched with many seeds at once.
AT_ONCE = 512


def update_with_seed(
    shard: Shard, number: int, between: FloatArray, centers: MovingCenters, slack: float
) -> tuple[float, FloatArray]:
    """Take in a new seed, the graph of this number: it is matched with those that might be nearer to it than to all others.

    between[c'] are proven lower bounds of its distances to the seeds before it. By the triangle inequality a graph with the
    label c' is at least between[c'] - u from it. With `slack` it is matched only where bounds fall short of u by that share.
    Returns the objective with all seeds so far, and sums of squares of the distances that were matched, of their sketches and
    of their assignments.
    """
    if isinstance(centers, VectorCenters):
        return vectors.update_with_seed(shard, between, centers), np.zeros(3)
    state, c = shard.state, len(between)
    between = np.append(between, 0.0)
    claim_graphs(shard, np.array([number]), np.array([c]), centers)
    if c == 0:
        x = np.flatnonzero(np.isinf(state.upper))
        align_to(shard, x, np.zeros(len(x), dtype=np.int64), centers)
        return shard.inertia(), np.zeros(3)
    low = shard.sketches.bounds(np.arange(len(shard)), centers.sketches, slice(c, c + 1))[:, 0]
    triangle = between[state.labels] - state.upper
    better = np.flatnonzero(triangle > low)
    state.keep_bounds(better, np.full(len(better), c), triangle[better], CERTIFIED, centers)
    x = np.flatnonzero(np.maximum(low, triangle) < state.upper)
    lap = lap_bounds_to_centers(shard, x, np.full(len(x), c), centers)
    near = lap < state.upper[x] * (1.0 - slack)
    x, lap = x[near], lap[near]
    to, cutoff = np.full(len(x), c), state.upper[x] * MARGIN
    found = match_and_keep(shard, x, to, centers, cutoff)
    true = np.where(was_cut(found, cutoff), found.lower, found.upper)
    sums = np.stack([true, low[x], lap]) ** 2 @ shard.weights[x]
    nearer = found.upper < state.upper[x]
    x, to, found = x[nearer], to[nearer], found.take(nearer)
    keep_own_bound(shard, x, centers)
    move_to(shard, x, to, found, centers)
    return shard.inertia(), sums


def update_with_seeds(shard: Shard, numbers: IntArray, centers: MovingCenters) -> float:
    """Take in several new seeds at once, the graphs of these numbers and the last of the centers; see `update_with_seed`."""
    if isinstance(centers, VectorCenters):
        vectors.assign_to_new(shard, centers, len(centers.rows) - len(numbers))
        return shard.inertia()
    state, c = shard.state, len(centers.batch) - len(numbers)
    claim_graphs(shard, numbers, np.arange(c, len(centers.batch)), centers)
    for start in range(0, len(shard), AT_ONCE):
        x = np.arange(start, min(start + AT_ONCE, len(shard)))
        low = np.full((len(x), len(centers.batch)), np.inf)
        low[:, c:] = shard.sketches.bounds(x, centers.sketches, slice(c, None))
        align_unaligned(shard, x, low, centers)
        rows = np.flatnonzero((low < state.upper[x, None]).any(axis=1))
        tested = scratch_zeros("tested", low.shape, bool)
        low[np.arange(len(x)), state.labels[x]] = np.inf
        while len(rows):
            limit = state.upper[x[rows]][:, None] * CLOSE
            rows = raise_by_lap(shard, rows, x, limit, low, tested, centers, Counter())
            match_candidates(shard, rows, x, least_bound(low, rows), low, centers, Counter())
    return shard.inertia()


def select_seeds(shard: Shard, number: IntArray) -> None:
    """Of the seeds so far some become centers: seed c is number[c] from now on, or none of them if that is -1."""
    shard.state.rename_centers(number)


def reset(shard: Shard) -> None:
    """Forget everything: other centers are to come."""
    shard.state.reset()
