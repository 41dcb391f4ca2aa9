"""Where a label is decided: every graph finds its nearest center, refining only what is needed to decide."""

from __future__ import annotations

from collections import Counter

import numpy as np

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters, VectorSums
from graphmeans.cluster.shards import vectors
from graphmeans.cluster.shards.bounds import (
    center_bounds,
    keep_least_bound,
    lap_bounds_to_centers,
    least_bound,
    raise_by_lap,
    sift_nearest,
    undecided_graphs,
)
from graphmeans.cluster.shards.reductions import CLOSE, AssignmentTotals
from graphmeans.cluster.shards.shard import BoolArray, FloatArray, IntArray, Shard
from graphmeans.cluster.shards.state import CERTIFIED, ESTIMATE
from graphmeans.matching.match import CERTIFIED as CERTAIN
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Frames
from graphmeans.nearest.sketches import scratch_zeros

#: A new alignment must be shorter by this share to be taken.
SHORTER = 1.0 - 1e-9
#: Candidates are matched up to this multiple of u: a bound needs some margin to last when the centers move on. Where a bound
#: of the edge program is dear, it is little.
MARGIN, SMALL_MARGIN = 1.5, 1.15


def assign(shard: Shard, centers: MovingCenters, slack: float) -> AssignmentTotals:
    """Find the nearest center of every graph, and add up what the next centers are made of."""
    counts = assign_labels(shard, centers, slack)
    inertia = shard.inertia()
    sizes = np.bincount(shard.state.labels[shard.weights > 0], minlength=centers.k)
    return AssignmentTotals(counts, inertia, {shard.first: inertia}, sizes, sums_of(shard, centers))


def sums_of(shard: Shard, centers: MovingCenters) -> Frames | VectorSums:
    """The aligned graphs, added up in the frames of the centers."""
    return vectors.sums(shard, centers.k) if isinstance(centers, VectorCenters) else shard.sums(centers)


def assign_labels(shard: Shard, centers: MovingCenters, slack: float) -> Counter[str]:
    """Find the nearest center of every graph; returns what that took.

    A center that is nearer by no more than the share `slack` need not be found.
    """
    if isinstance(centers, VectorCenters):
        return vectors.assign_labels(shard, centers)
    refresh_distances(shard, centers)
    state = shard.state
    near = CLOSE * (1.0 - slack)
    before = state.labels.copy()
    counts: Counter[str] = Counter()
    x = undecided_graphs(shard, centers, state.upper * near)
    low = center_bounds(shard, x, centers)
    align_unaligned(shard, x, low, centers)
    low[np.arange(len(x)), state.labels[x]] = np.inf
    tested, sifted = scratch_zeros("tested", low.shape, bool), scratch_zeros("sifted", low.shape, bool)
    rows = np.arange(len(x))
    while len(rows):
        limit = state.upper[x[rows]][:, None] * near
        rows = raise_by_lap(shard, rows, x, limit, low, tested, centers, counts)
        left = sift_nearest(shard, rows, x, state.upper[x[rows]] * near, low, sifted, centers)
        match_candidates(shard, left, x, least_bound(low, left), low, centers, counts)
    keep_least_bound(shard, x, low, centers)
    counts["moved"] = int((state.labels != before).sum())
    counts["by_one_bound"] = (len(shard) - len(x)) * (centers.k - 1)
    counts["by_sketch"] = len(x) * (centers.k - 1) - counts["assignments"]
    counts["by_assignment"] = counts["assignments"] - counts["matched"]
    return counts


def refresh_distances(shard: Shard, centers: FrameCenters) -> None:
    """After the centers moved: u = |x - y| along the stored alignments, at no matching."""
    state = shard.state
    if state.upper_at < centers.now:
        x = np.flatnonzero((centers.shift[state.upper_at, state.labels] > 0) & np.isfinite(state.upper))
        slots, ptr = state.slots_of(x)
        state.set(x, upper=centers.frames.aligned_distances(shard.batch, x, state.labels[x], slots, ptr))
        state.set(np.flatnonzero(state.others > -np.inf), others=-np.inf)
        state.upper_at = centers.now


def measure_all(shard: Shard, centers: MovingCenters) -> None:
    """Distances are those to the centers as they are now, along the stored alignments, whatever was under way."""
    state = shard.state
    if isinstance(centers, VectorCenters):
        state.set(slice(None), upper=vectors.distances_to_own(shard, centers))
    elif centers.now:  # seeds have not moved yet
        x = np.flatnonzero(np.isfinite(state.upper))
        slots, ptr = state.slots_of(x)
        state.set(x, upper=centers.frames.aligned_distances(shard.batch, x, state.labels[x], slots, ptr))


def align_unaligned(shard: Shard, x: IntArray, low: FloatArray, centers: FrameCenters) -> None:
    """Graphs without an alignment are aligned to the center that seems nearest."""
    row = np.flatnonzero(np.isinf(shard.state.upper[x]))
    if len(row):
        align_to(shard, x[row], least_bound(low, row), centers)


def align_to(shard: Shard, x: IntArray, y: IntArray, centers: FrameCenters) -> None:
    """Assign graphs x to the clusters y, whatever the distance."""
    move_to(shard, x, y, match_and_keep(shard, x, y, centers, np.full(len(x), np.inf)), centers)


# -- matchings -------------------------------------------------------------------------------------


def match_candidates(
    shard: Shard, rows: IntArray, x: IntArray, y: IntArray, low: FloatArray, centers: FrameCenters, counts: Counter[str]
) -> None:
    """Match graphs x[rows] with candidates y; a graph moves to a candidate that is nearer. low (in, out)."""
    if not len(rows):
        return
    state = shard.state
    cutoff = state.upper[x[rows]] * margin_of(shard)
    found = match_and_keep(shard, x[rows], y, centers, cutoff)
    counts["matched"] += len(rows)
    low[rows, y] = np.maximum(low[rows, y], np.where(was_cut(found, cutoff), found.lower, found.upper))
    nearer = found.upper < state.upper[x[rows]] * CLOSE
    # Before a graph leaves, its own alignment gets a second chance.
    own = np.flatnonzero(nearer)
    own = own[_may_stay(shard, x[rows[own]], found.upper[own], centers)]
    doubtful = x[rows[own]]
    counts["realigned"] += len(doubtful)
    realign(shard, doubtful, centers)
    nearer = found.upper < state.upper[x[rows]] * CLOSE
    rows, y = rows[nearer], y[nearer]
    graphs = x[rows]
    # Of the old center u is known, or at least that it is no nearer than the new one.
    sure = is_best_alignment(shard, graphs, centers) | (not shard.matcher.is_exact)
    low[rows, state.labels[graphs]] = np.where(sure, state.upper[graphs], found.upper[nearer])
    low[rows, y] = np.inf
    keep_own_bound(shard, graphs, centers)
    move_to(shard, graphs, y, found.take(nearer), centers)


def margin_of(shard: Shard) -> float:
    """Up to which multiple of u candidates are matched."""
    return SMALL_MARGIN if shard.matcher.sifts else MARGIN


def match_and_keep(shard: Shard, x: IntArray, y: IntArray, centers: FrameCenters, cutoff: FloatArray) -> Matches:
    """Match graphs with centers, up to a distance, and remember what was found as bounds."""
    found = shard.matcher.match(shard.batch, centers.batch, np.stack([x, y], axis=1), cutoff=cutoff, hasty=True)
    shard.state.keep_bounds(x, y, found.lower, CERTIFIED, centers)
    whole = ~was_cut(found, cutoff)
    open_ends = found.upper - found.lower > CERTAIN * found.upper
    shard.state.set(x[whole & open_ends], unfinished=True)
    shard.state.keep_bounds(x[whole], y[whole], found.upper[whole], ESTIMATE, centers)
    return found


def was_cut(found: Matches, cutoff: FloatArray) -> BoolArray:
    """Pairs that were not solved because they are farther apart than the cutoff."""
    return np.asarray((found.lower >= cutoff * CLOSE) & (found.lower < found.upper))


def realign(shard: Shard, x: IntArray, centers: FrameCenters, fresh: bool = False, careful: int = 0) -> int:
    """Match graphs with their own centers, from the stored alignment or not, and keep what is shorter. How many are."""
    if not len(x):
        return 0
    state, exact = shard.state, shard.matcher.is_exact
    slots, ptr = state.slots_of(x)
    labels = state.labels[x]
    warm = None if fresh and not exact and not shard.matcher.sifts else centers.to_mappings(slots, ptr, labels)
    found = shard.matcher.match(shard.batch, centers.batch, np.stack([x, labels], axis=1), warm=warm, careful=careful)
    shorter = found.upper < state.upper[x] * SHORTER
    changed = np.repeat(shorter, np.diff(ptr))
    state.set_slots(x, np.where(changed, centers.to_slots(found, shard.batch, x, labels), slots))
    state.set(x[shorter], upper=found.upper[shorter])
    _note_alignment(shard, x, found, centers, fresh or exact)
    return int(shorter.sum())


def move_to(shard: Shard, x: IntArray, y: IntArray, found: Matches, centers: FrameCenters) -> None:
    """Assign graphs x to the clusters y, aligned as was found."""
    shard.state.set_slots(x, centers.to_slots(found, shard.batch, x, y))
    shard.state.set(x, labels=y, upper=found.upper, others=-np.inf, fresh_at=-1)
    _note_alignment(shard, x, found, centers, fresh=not shard.matcher.sifts)  # else it was found in haste


def _note_alignment(shard: Shard, x: IntArray, found: Matches, centers: FrameCenters, fresh: bool) -> None:
    proven = found.upper * CLOSE <= found.lower
    second = np.where(proven, found.upper if found.second is None else found.second, found.lower)
    shard.state.set(x, matched_at=centers.now, own_lower=found.lower, second_alignment=second)
    shard.state.set(x[proven] if not fresh else x, fresh_at=centers.now)


def _may_stay(shard: Shard, x: IntArray, nearest: FloatArray, centers: FrameCenters) -> BoolArray:
    """Whether graphs might be nearer to their own centers than `nearest` if they were aligned anew."""
    state = shard.state
    shift = centers.shift[state.matched_at[x], state.labels[x]]
    may = (shift > 0) & ~is_best_alignment(shard, x, centers) & (state.own_lower[x] - shift < nearest)
    left = np.flatnonzero(may)
    if len(left):
        may[left] = lap_bounds_to_centers(shard, x[left], state.labels[x[left]], centers) < nearest[left]
    return np.asarray(may)


def is_best_alignment(shard: Shard, x: IntArray, centers: FrameCenters) -> BoolArray:
    """Whether alignments are proven the best ones, because all others are farther than u."""
    state = shard.state
    shift = centers.shift[state.matched_at[x], state.labels[x]]
    return np.asarray((state.matched_at[x] >= 0) & (state.upper[x] * CLOSE <= state.second_alignment[x] - shift))


def keep_own_bound(shard: Shard, x: IntArray, centers: FrameCenters) -> None:
    """Graphs are about to leave: u is what is known of their old centers, proven where the alignment is."""
    state = shard.state
    best = x[is_best_alignment(shard, x, centers)]
    state.keep_bounds(best, state.labels[best], state.upper[best], CERTIFIED, centers)
    known = best if shard.matcher.is_exact else x
    state.keep_bounds(known, state.labels[known], state.upper[known], ESTIMATE, centers)


# -- by command ------------------------------------------------------------------------------------


def claim_graphs(shard: Shard, numbers: IntArray, to: IntArray, centers: MovingCenters) -> None:
    """Those of these graphs that are here leave for clusters of their own, each to become the center of one."""
    here = shard.holds(numbers)
    x, to = numbers[here] - shard.first, to[here]
    if len(x) and isinstance(centers, VectorCenters):
        vectors.claim(shard, x, to)
    elif len(x):
        assert isinstance(centers, FrameCenters)
        _, ptr = shard.state.node_rows(x)
        shard.state.set_slots(x, centers.first_slots(shard.batch, x, to, ptr))
        shard.state.set(x, labels=to, upper=0.0, matched_at=-1, fresh_at=-1, lower_bound=-np.inf, others=-np.inf)


def dissolve_clusters(shard: Shard, which: IntArray, centers: FrameCenters) -> None:
    """These clusters are dissolved: their members look for other centers, or for those that have taken their places."""
    x = np.flatnonzero(np.isin(shard.state.labels, which))
    low = center_bounds(shard, x, centers)
    shard.state.set(x, labels=low.argmin(axis=1), upper=np.inf, lower_bound=-np.inf)
