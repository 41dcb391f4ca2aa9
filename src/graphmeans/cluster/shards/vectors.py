"""What a shard does where alignments are fixed: its graphs are rows, and every answer is a compiled loop over them.

Of each row the distance to its own center is known, and a bound for all others together. Only a few centers move where k-means
is nearly done, or where one of them is put somewhere else: distances to those few are computed, and mostly decide. A distance to
a center that is computed counts as a matching; what candidates for new centers are worth counts as none, as for other graphs.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from graphmeans.cluster.centers.vector_centers import VectorCenters, VectorSums
from graphmeans.cluster.shards.shard import BoolArray, FloatArray, IntArray, Shard
from graphmeans.kernels.jit import announce
from graphmeans.kernels.pair import SMALLEST
from graphmeans.kernels.vectors import (
    add_rows,
    assign_rows,
    gains_of_additions,
    gains_of_exchanges,
    second_nearest,
    take_seed,
)
from graphmeans.matching.vectors import VectorLayout, writable

EVERYBODY = slice(None)


def rows_of(shard: Shard) -> FloatArray:
    """The graphs of a shard as rows."""
    return writable(shard.batch.nodes)


def layout_of(shard: Shard) -> VectorLayout:
    """How they are laid out."""
    layout = shard.matcher.space.layout
    assert layout is not None, "these graphs are no rows"
    return layout


def assign_labels(shard: Shard, centers: VectorCenters) -> Counter[str]:
    """Find the nearest center of every row; returns what that took."""
    nobody = np.zeros(0, dtype=np.int64)
    since = centers.now - shard.state.upper_at
    if since == 0:  # nothing has moved
        return _assign(shard, centers, np.zeros(centers.k, dtype=bool), nobody, np.zeros((0, centers.k)), 0.0)
    if since == 1:
        explicit, rest = centers.explicit
        return _assign(shard, centers, centers.shift > 0, explicit, centers.between_explicit, rest)
    return _assign(shard, centers, np.ones(centers.k, dtype=bool), nobody, np.zeros((0, centers.k)), np.inf)


def assign_to_new(shard: Shard, centers: VectorCenters, first: int) -> Counter[str]:
    """The same where the centers from this number on are new, and no other has moved."""
    new = np.arange(first, len(centers.rows))
    between = centers.layout.distances(centers.rows[first:], centers.rows)
    return _assign(shard, centers, np.zeros(len(centers.rows), dtype=bool), new, between, 0.0)


def _assign(
    shard: Shard, centers: VectorCenters, moved: BoolArray, explicit: IntArray, between: FloatArray, rest: float
) -> Counter[str]:
    announce(assign_rows)
    state, layout, k = shard.state, centers.layout, len(centers.rows)
    labels, upper, lower = state.labels.copy(), state.upper.copy(), state.lower_bound.copy()
    computed, changed = assign_rows(
        rows_of(shard), centers.rows, layout.dim, layout.factor, moved, explicit, between, rest, labels, upper, lower
    )
    shard.matcher.count(computed)
    state.set(EVERYBODY, labels=labels, upper=upper, lower_bound=lower, others=-np.inf)
    state.upper_at = centers.now
    return Counter(moved=changed, matched=computed, by_one_bound=max(len(shard) * (k - 1) - computed, 0))


def update_with_seed(shard: Shard, between: FloatArray, centers: VectorCenters) -> float:
    """Take in a new seed, the last of the centers, so far from those before it; returns the objective."""
    announce(take_seed)
    state, layout, c = shard.state, centers.layout, len(between)
    labels, upper, lower = state.labels.copy(), state.upper.copy(), state.lower_bound.copy()
    computed = take_seed(rows_of(shard), centers.rows, c, layout.dim, layout.factor, between, labels, upper, lower)
    shard.matcher.count(computed)
    state.set(EVERYBODY, labels=labels, upper=upper, lower_bound=lower)
    return shard.inertia()


def sums(shard: Shard, k: int) -> VectorSums:
    """The rows of each cluster, added up."""
    announce(add_rows)
    rows = rows_of(shard)
    result = VectorSums(np.zeros((k, rows.shape[1])), np.zeros(k))
    add_rows(rows, shard.state.labels.copy(), writable(shard.weights), result.rows, result.total)
    return result


def claim(shard: Shard, x: IntArray, to: IntArray) -> None:
    """Rows leave for clusters of their own."""
    shard.state.set(x, labels=to, upper=0.0, lower_bound=-np.inf, others=-np.inf)


def second_distances(shard: Shard, centers: VectorCenters) -> FloatArray:
    """The distance of each row to the nearest center but its own; infinite if there is no other."""
    announce(second_nearest)
    state, layout, second = shard.state, centers.layout, np.empty(len(shard))
    second_nearest(rows_of(shard), centers.rows, layout.dim, layout.factor, state.labels.copy(), second)
    return second


def bounds_of_others(shard: Shard, centers: VectorCenters) -> FloatArray:
    """The same as a proven bound: 0 where squares have lost digits."""
    second = second_distances(shard, centers)
    shard.matcher.count(len(shard) * (centers.k - 1))
    return np.where(second * second > SMALLEST, second, 0.0)


def addition_gains(shard: Shard, candidates: FloatArray) -> FloatArray:
    """How much lower the objective would be with a further center at each of these rows."""
    announce(gains_of_additions)
    layout, gains = layout_of(shard), np.zeros(len(candidates))
    upper = shard.state.upper.copy()
    gains_of_additions(rows_of(shard), candidates, layout.dim, layout.factor, writable(shard.weights), upper, gains)
    return gains


def exchange_gains(
    shard: Shard, candidates: FloatArray, centers: VectorCenters, settled: float
) -> tuple[FloatArray, FloatArray]:
    """What it would save to put a center onto each of these rows, and what would be lost by taking any other away."""
    announce(gains_of_exchanges)
    layout, state = centers.layout, shard.state
    second = second_distances(shard, centers)
    between = layout.distances(candidates, centers.rows)
    saved, lost = np.zeros(len(candidates)), np.zeros((len(candidates), centers.k))
    labels, upper = state.labels.copy(), state.upper.copy()
    gains_of_exchanges(
        rows_of(shard), candidates, layout.dim, layout.factor, writable(shard.weights), labels, upper, second, between, settled,
        saved, lost,
    )  # fmt: skip
    return saved, lost


def distances_to_own(shard: Shard, centers: VectorCenters) -> FloatArray:
    """How far rows are from the centers of their labels, as these are now."""
    layout = centers.layout
    apart = rows_of(shard)[:, : layout.dim] - centers.rows[shard.state.labels][:, : layout.dim]
    return np.asarray(np.sqrt(layout.factor * np.einsum("nd,nd->n", apart, apart)))


def misfits(shard: Shard, centers: VectorCenters) -> int:
    """How many rows are not as far from their centers as the state says; see `sample.misfits`."""
    state = shard.state
    if not np.isfinite(state.upper).all() or not 0 <= state.upper_at <= centers.now:
        return len(shard)
    found = distances_to_own(shard, centers)
    since = centers.now - state.upper_at
    moved = np.zeros(len(shard)) if since == 0 else centers.shift[state.labels] if since == 1 else np.full(len(shard), np.inf)
    return int((np.abs(found - state.upper) > moved + 1e-9 * (1.0 + found + state.upper)).sum())
