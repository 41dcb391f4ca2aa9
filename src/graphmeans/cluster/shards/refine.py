"""What is done when nothing moves: align anew, move single graphs where that lowers the objective, and prove labels."""

from __future__ import annotations

from collections import Counter

import numpy as np

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.shards import vectors
from graphmeans.cluster.shards.assign import (
    SHORTER,
    is_best_alignment,
    keep_own_bound,
    margin_of,
    match_and_keep,
    move_to,
    realign,
    was_cut,
)
from graphmeans.cluster.shards.bounds import (
    center_bounds,
    keep_least_bound,
    lap_bounds_to_centers,
    least_bound,
    lower_bound_now,
    raise_by_edges,
    raise_by_lap,
    sift_nearest,
    undecided_graphs,
)
from graphmeans.cluster.shards.reductions import CLOSE, HartiganMoves
from graphmeans.cluster.shards.sample import get_assignment
from graphmeans.cluster.shards.shard import FloatArray, IntArray, Shard, read_only
from graphmeans.cluster.shards.state import CERTIFIED
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Frames
from graphmeans.nearest.sketches import scratch_zeros

#: From fresh starts a graph is aligned again only when its center has moved by this share of u; the second for larger graphs,
#: whose means sharpen each time.
STALE, STALE_OF_LARGE = 0.15, 0.08
#: Graphs that leave or join a cluster at once are at most this share of its weight, unless it is one graph.
MOVED_AT_ONCE = 0.05
#: A proof goes on until a center is farther than u by this factor: then it lasts if the center moves on a little.
PROOF_MARGIN = 1.05


def realign_all(shard: Shard, centers: MovingCenters, careful: int) -> int:
    """Match graphs with their own centers from fresh starts where that was not done, or may help. How many came closer.

    `careful`: most tree nodes for a pair of larger graphs.
    """
    if isinstance(centers, VectorCenters):
        return 0  # there is one alignment only
    state = shard.state
    stale = STALE_OF_LARGE if careful else STALE
    still = centers.shift[state.fresh_at, state.labels] <= stale * state.upper
    done = is_best_alignment(shard, np.arange(len(shard)), centers) | (
        (state.fresh_at >= 0) & still & (not shard.matcher.is_exact)
    )
    x = np.flatnonzero(~done)
    # Where one linear assignment already costs u, nothing is shorter.
    x = x[lap_bounds_to_centers(shard, x, state.labels[x], centers) < state.upper[x] * SHORTER]
    return realign(shard, x, centers, fresh=True, careful=careful)


# -- one graph at a time ---------------------------------------------------------------------------


def hartigan_moves(shard: Shard, least: float, centers: MovingCenters) -> HartiganMoves:
    """Single moves that lower the objective although the other center is no nearer (Hartigan), by `least` or more.

    Without x its old mean comes closer to the others, with x the new one follows it: moving x from a to b gains
    w (W_a / (W_a - w) u^2 - W_b / (W_b + w) D(x, b)^2). `accept_moves` carries some of them out.
    """
    assert isinstance(centers, FrameCenters), "rows do not move by themselves"
    state, total, w = shard.state, centers.frames.total, shard.weights
    rest = total[state.labels] - w
    movable = (w > 0) & (rest > 1e-9 * w) & (state.upper > 0)
    leaving = np.where(movable, total[state.labels] / np.where(movable, rest, 1.0), 0.0) * state.upper**2
    useful = np.maximum(leaving - least / np.where(w > 0, w, 1.0), 0.0)
    with np.errstate(divide="ignore"):
        joining = np.where(total > 0, 1.0 / total, 0.0)
    widest = np.sqrt(useful * (1.0 + w * joining.max()))
    x = undecided_graphs(shard, centers, widest * CLOSE)
    x = x[movable[x]]
    low = center_bounds(shard, x, centers)
    low[np.arange(len(x)), state.labels[x]] = np.inf
    limit = np.sqrt(useful[x, None] * (1.0 + w[x, None] * joining)) * CLOSE
    tested = scratch_zeros("tested", low.shape, bool)
    raise_by_lap(shard, np.arange(len(x)), x, limit, low, tested, centers, Counter())
    row, y = np.nonzero(low < limit)
    raise_by_edges(shard, row, y, x, limit[row, y], low, centers)
    row, y = np.nonzero(low < limit)
    cutoff = limit[row, y] * margin_of(shard)
    found = match_and_keep(shard, x[row], y, centers, cutoff)
    low[row, y] = np.maximum(low[row, y], np.where(was_cut(found, cutoff), found.lower, found.upper))
    larger = low.min(axis=1, initial=np.inf) > lower_bound_now(shard, centers)[x]
    keep_least_bound(shard, x[larger], low[larger], centers)
    gain = w[x[row]] * (leaving[x[row]] - total[y] / (total[y] + w[x[row]]) * found.upper**2)
    best = np.zeros(len(x))
    np.maximum.at(best, row, gain)
    offered = np.flatnonzero((gain > least) & (gain == best[row]))
    offered = offered[np.unique(row[offered], return_index=True)[1]]
    x, y = x[row[offered]], y[offered]
    state.proposed_moves = x, y, found.take(offered)
    return HartiganMoves(x + shard.first, state.labels[x], y, w[x], gain[offered], MOVED_AT_ONCE * total).best()


@read_only
def sums_after_moves(shard: Shard, numbers: IntArray, centers: MovingCenters) -> Frames:
    """The sums as they would be after these of the proposed moves; nothing is moved."""
    assert isinstance(centers, FrameCenters), "rows do not move by themselves"
    x, y, found = _proposed(shard, numbers)
    labels, slots = shard.state.labels.copy(), shard.state.slots.copy()
    labels[x] = y
    slots[shard.state.node_rows(x)[0]] = centers.to_slots(found, shard.batch, x, y)
    return shard.sums_of(labels, slots, centers)


def accept_moves(shard: Shard, numbers: IntArray, centers: MovingCenters) -> Frames:
    """Carry out those of the proposed moves whose graphs are among `numbers`; returns the sums afterwards."""
    assert isinstance(centers, FrameCenters), "rows do not move by themselves"
    x, y, found = _proposed(shard, numbers)
    keep_own_bound(shard, x, centers)
    move_to(shard, x, y, found, centers)
    shard.state.set(x, lower_bound=-np.inf)
    shard.state.proposed_moves = None
    return shard.sums(centers)


def _proposed(shard: Shard, numbers: IntArray) -> tuple[IntArray, IntArray, Matches]:
    """Those of the proposed moves whose graphs are among `numbers`: the graphs, where to, and how they are aligned there."""
    assert shard.state.proposed_moves is not None, "nothing was proposed"
    x, y, found = shard.state.proposed_moves
    taken = np.isin(x + shard.first, numbers)
    return x[taken], y[taken], found.take(taken)


def join_equal(shard: Shard, first: IntArray, centers: FrameCenters) -> None:
    """Graphs whose center is the same as an earlier one, first[c], belong to that: of tied centers the first is the nearest."""
    state = shard.state
    x = np.flatnonzero(first[state.labels] != state.labels)
    y = first[state.labels[x]]
    found = match_and_keep(shard, x, y, centers, np.full(len(x), np.inf))
    tied = found.upper <= state.upper[x]
    move_to(shard, x[tied], y[tied], found.take(tied), centers)
    state.set(x[tied], lower_bound=-np.inf)


# -- proofs ----------------------------------------------------------------------------------------


def bound_others(shard: Shard, centers: MovingCenters) -> IntArray:
    """Find what is proven of all other centers of each graph; how many labels that proves, and of how many.

    Linear assignments are tried where nothing better is known, no matchings.
    """
    proven = vectors.bounds_of_others(shard, centers) if isinstance(centers, VectorCenters) else proven_bounds(shard, centers)
    shard.state.set(slice(None), others=proven)
    return np.array([get_assignment(shard).proven.sum(), len(shard)])


def proven_bounds(shard: Shard, centers: FrameCenters) -> FloatArray:
    """For each graph a proven lower bound of the distances to all centers but its own."""
    state = shard.state
    others = lower_bound_now(shard, centers)
    x = undecided_graphs(shard, centers, state.upper * CLOSE)
    if not shard.matcher.is_exact or state.unfinished.any():  # then the one bound for all rests on estimates
        x = np.arange(len(shard))
    low = center_bounds(shard, x, centers, certified=True)
    low[np.arange(len(x)), state.labels[x]] = np.inf
    tested = scratch_zeros("tested", low.shape, bool)
    rows = np.arange(len(x))
    raise_by_lap(shard, rows, x, state.upper[x, None] * CLOSE, low, tested, centers, Counter())
    sifted = scratch_zeros("sifted", low.shape, bool)
    while len(rows := rows[low[rows].min(axis=1, initial=np.inf) < state.upper[x[rows]] * CLOSE]):
        in_doubt = sift_nearest(shard, rows, x, state.upper[x[rows]] * CLOSE, low, sifted, centers)
        rows = np.setdiff1d(rows, in_doubt)
    others[x] = low.min(axis=1, initial=np.inf)
    return others


def prove_labels(shard: Shard, part: int, parts: int, max_tree_nodes: int, centers: MovingCenters) -> Counter[str]:
    """Seek proofs for labels that have none, by branch and bound with a limit; a graph moves to what is found nearer.

    Of all graphs without a proof, those are looked at whose position is `part`, modulo `parts`. A graph is given up at the
    first center that the limit does not rule out: only more tree nodes can help it.
    """
    state = shard.state
    counts: Counter[str] = Counter(graphs=0)
    if isinstance(centers, VectorCenters):
        return counts  # distances of rows are proofs
    x = np.flatnonzero(state.upper * CLOSE > proven_bounds(shard, centers))
    x = x[x % parts == part]
    if not len(x):
        return counts
    counts["graphs"] = len(x)
    prover = Exact(max_tree_nodes=max_tree_nodes)
    counts["shorter"] = _shorten(shard, x[~is_best_alignment(shard, x, centers)], prover, centers)
    low = center_bounds(shard, x, centers, certified=True)
    low[np.arange(len(x)), state.labels[x]] = np.inf
    row = np.arange(len(x))
    while len(row := row[low[row].min(axis=1, initial=np.inf) < state.upper[x[row]] * CLOSE]):
        y = least_bound(low, row)
        pairs, cutoff = np.stack([x[row], y], axis=1), state.upper[x[row]] * PROOF_MARGIN
        found = shard.matcher.match(shard.batch, centers.batch, pairs, cutoff=cutoff, matcher=prover)
        state.keep_bounds(x[row], y, found.lower, CERTIFIED, centers)
        low[row, y] = np.maximum(low[row, y], found.lower)
        nearer = found.upper < state.upper[x[row]] * CLOSE
        old = x[row[nearer]], state.labels[x[row[nearer]]]
        keep_own_bound(shard, old[0], centers)
        move_to(shard, old[0], y[nearer], found.take(nearer), centers)
        state.set(old[0], lower_bound=-np.inf)
        low[row[nearer], y[nearer]] = np.inf
        low[row[nearer], old[1]] = -np.inf  # the center that it left is one of the others now
        counts["moved"] += int(nearer.sum())
        row = row[~nearer & (low[row, y] >= state.upper[x[row]] * CLOSE)]
    return counts


def _shorten(shard: Shard, x: IntArray, prover: Exact, centers: FrameCenters) -> int:
    """Seek shorter alignments of graphs to their own centers; how many were found."""
    labels = shard.state.labels[x]
    warm = centers.to_mappings(*shard.state.slots_of(x), labels)
    own = shard.matcher.match(shard.batch, centers.batch, np.stack([x, labels], axis=1), warm=warm, matcher=prover)
    shorter = own.upper < shard.state.upper[x] * SHORTER
    move_to(shard, x[shorter], labels[shorter], own.take(shorter), centers)
    return int(shorter.sum())
