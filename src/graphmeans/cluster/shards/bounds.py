"""Lower bounds of the distances of graphs to moving centers, cheapest first.

A graph has three kinds of them for the centers that are not its own: one bound for all of them together (Hamerly's); the
sketches, from which N x k bounds are one compiled loop; and a table of bounds for the few centers that it came near to
(`BoundTable` in state.py). One linear assignment for each pair (a *LAP*) raises a bound where these do not decide, and then,
for graphs too large for branch and bound, a few rounds of the edge program.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.shards.shard import BoolArray, FloatArray, IntArray, Shard
from graphmeans.cluster.shards.state import CERTIFIED
from graphmeans.kernels.candidates import count_below, list_below, nearest_of
from graphmeans.matching.bounds import lap_bounds

#: The edge program goes on until a center is farther than the limit by this factor: then the bound lasts if it moves a little.
SIFT_MARGIN = 1.15

# -- one bound for all other centers ---------------------------------------------------------------


def lower_bound_now(shard: Shard, centers: FrameCenters) -> FloatArray:
    """What is left of the one bound: it loses the most that any center but the own has moved since it was true."""
    state, shift = shard.state, centers.shift
    farthest = shift.argmax(axis=1)
    rest = shift.copy()
    rest[np.arange(len(shift)), farthest] = 0.0
    own = farthest[state.lower_bound_at] == state.labels
    moved = np.where(own, rest.max(axis=1)[state.lower_bound_at], shift.max(axis=1)[state.lower_bound_at])
    with np.errstate(invalid="ignore"):
        return np.asarray(state.lower_bound - moved)


def undecided_graphs(shard: Shard, centers: FrameCenters, limit: FloatArray) -> IntArray:
    """Graphs for which the one bound for all other centers does not reach the limit."""
    return np.flatnonzero(~(lower_bound_now(shard, centers) >= limit))


def keep_least_bound(shard: Shard, x: IntArray, low: FloatArray, centers: FrameCenters) -> None:
    """The least of the bounds of each graph is its one bound for all other centers."""
    shard.state.set(x, lower_bound=low.min(axis=1, initial=np.inf), lower_bound_at=centers.now)


# -- a bound for each center -----------------------------------------------------------------------


def center_bounds(shard: Shard, x: IntArray, centers: FrameCenters, certified: bool = False) -> FloatArray:
    """Lower bounds of the distances of graphs x to all centers, shape (len(x), k): of sketches and of the table."""
    low = shard.sketches.bounds(x, centers.sketches)
    shard.state.bounds.raise_to(x, centers, low, certified)
    return low


def lap_bounds_to_centers(shard: Shard, x: IntArray, y: IntArray, centers: FrameCenters) -> FloatArray:
    """One linear assignment for each pair of a graph x[p] and a center y[p]; the bounds are remembered."""
    space = shard.matcher.space
    bound = lap_bounds(shard.batch, centers.batch, np.stack([x, y], axis=1), space.order, space.n_jobs, space.device)
    shard.state.keep_bounds(x, y, bound, CERTIFIED, centers)
    return bound


def raise_by_lap(
    shard: Shard, rows: IntArray, x: IntArray, limit: FloatArray, low: FloatArray, tested: BoolArray,
    centers: FrameCenters, counts: Counter[str],
) -> IntArray:  # fmt: skip
    """Raise bounds below the limit by one linear assignment each; returns the rows that are still undecided."""
    is_open = np.zeros(len(rows), dtype=bool)
    count = count_below(low, rows, limit, tested, is_open)
    if not count:
        return rows[is_open]
    row, y = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    list_below(low, rows, limit, tested, row, y)
    low[row, y] = np.maximum(low[row, y], lap_bounds_to_centers(shard, x[row], y, centers))
    counts["assignments"] += count
    count_below(low, rows, limit, tested, is_open)
    return rows[is_open]


def least_bound(low: FloatArray, rows: IntArray) -> IntArray:
    """The center with the least bound, for each of these rows."""
    y = np.empty(len(rows), dtype=np.int64)
    nearest_of(low, rows, y)
    return y


# -- the edge program ------------------------------------------------------------------------------


def sift_nearest(
    shard: Shard, rows: IntArray, x: IntArray, limit: FloatArray, low: FloatArray, sifted: BoolArray, centers: FrameCenters
) -> IntArray:
    """Raise the least bound of each row by the edge program, unless that was done; low, sifted (in, out).

    Returns the rows for which only a matching can say more about the nearest candidate. They are all rows where there is no
    use in the edge program.
    """
    if not shard.matcher.sifts:
        return rows
    y = least_bound(low, rows)
    new = ~sifted[rows, y]
    raise_by_edges(shard, rows[new], y[new], x, limit[new], low, centers)
    sifted[rows, y] = True
    y = least_bound(low, rows)
    return rows[sifted[rows, y] & (low[rows, y] < limit)]


def raise_by_edges(
    shard: Shard, row: IntArray, y: IntArray, x: IntArray, limit: FloatArray, low: FloatArray, centers: FrameCenters
) -> None:
    """Raise the bounds low[row, y] (in, out) of graphs x[row] and centers y by the edge program; they are remembered."""
    if not len(row) or not shard.matcher.sifts:
        return
    bound = shard.matcher.sift(shard.batch, centers.batch, np.stack([x[row], y], axis=1), limit * SIFT_MARGIN)
    shard.state.keep_bounds(x[row], y, bound, CERTIFIED, centers)
    low[row, y] = np.maximum(low[row, y], bound)
