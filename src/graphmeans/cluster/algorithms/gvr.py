"""Graph-vector reduction: Elkan's k-means with every graph kept aligned to its center.

The paper's idea, reconstructed from its results. The new mean y' is brought into the frame of y with the mapping found for
delta(Y). From then on all are vectors: |x - y'| is an upper bound of D(X, Y') that costs no matching and is tighter than
u + delta, and l(X, Y) loses |y_now - y_then|, how far the center came since, not the sum of its steps. If it came no
farther than theta since X was last matched with it, the old alignment is trusted: u = |x - y'| counts as up to date.

With theta = 0 nothing is lost: means and labels are those of elkan, from the same seed, with fewer matchings. For that the
means must be elkan's too, incremental, in a new random order each time. Averages of the stored alignments would need no
matching, but settle at once, where incremental means, never quite the same, go on to find something better.
The numbers in the margin are those of the paper's algorithm, as in elkan.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.algorithms.elkan import candidates, elkan
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.in_memory import InMemoryFit, is_closer
from graphmeans.cluster.algorithms.result import Result, copied
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.context import EVALUATION, CountedMatcher, FitContext
from graphmeans.cluster.shards.assign import claim_graphs, move_to, realign, refresh_distances
from graphmeans.cluster.shards.shard import Shard
from graphmeans.means.incremental import Incremental
from graphmeans.means.method import in_turn

EVERYBODY = slice(None)


def gvr(
    context: FitContext, matcher: CountedMatcher, seeds: Seeds, history: History, *, theta: float = 0.0
) -> Result:
    """Elkan's k-means with free upper bounds from stored alignments.

    An iteration takes N - k matchings for the means, k (k - 1) / 2 between the centers, k for their shifts, and those of
    graphs with centers that cannot be avoided. On the way the objective is that of the stored alignments, at no matching;
    that of the iteration returned is evaluated.
    """
    if context.space.layout is not None:
        return elkan(context, matcher, seeds, history)  # of rows every distance is up to date for nothing
    fit = InMemoryFit(context, matcher)
    n, k = len(fit), len(seeds)
    centers = FrameCenters.from_graphs(context.bounded_order(), seeds.centers.batch)
    shard = Shard.of(fit.batch, fit.weights, 0, context.order, matcher)
    state = shard.state
    lower, known = np.zeros((n, k)), np.zeros((n, k))                           # 02  l(X, Y) = 0
    known_at = np.zeros((n, k), dtype=np.int64)
    state.set(EVERYBODY, labels=context.random("assignment").randint(k, size=n))  # 04  random assignment, Y_X
    outdated = np.ones(n, dtype=bool)
    while True:                                                                 # 05  repeat
        between = fit.center_distances(centers.as_centers())                    # 06  D(Y, Y')
        labels, upper = state.labels, state.upper  # they follow the state
        tried = np.zeros((n, k), dtype=bool)
        tried[np.arange(n), labels] = True
        x = np.arange(n)
        while len(x):                                                           # 07  for each X, each Y
            candidate = ~tried[x] & candidates(x, labels, upper, lower, between)  # 08  Y is a candidate for X
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            stale = x[outdated[x]]                                              # 09  u(X) is out of date
            realign(shard, stale, centers)                                      # 10  u(X) = D(X, Y_X)
            own = stale, labels[stale]
            lower[own] = known[own] = upper[stale]                              # 11  l(X, Y_X) = u(X)
            known_at[own], outdated[stale] = centers.now, False
            candidate &= candidates(x, labels, upper, lower, between)           # 12  Y is still a candidate
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            promise = np.maximum(np.abs(between[labels[x]] - upper[x, None]), lower[x])
            y = np.where(candidate, promise, np.inf).argmin(axis=1)
            tried[x, y] = True
            found = fit.match(fit.batch, centers.batch, np.stack([x, y], axis=1))
            lower[x, y] = known[x, y] = found.upper                             # 13  l(X, Y) = D(X, Y)
            known_at[x, y] = centers.now
            closer = is_closer(found.upper, y, upper[x], labels[x])             # 14  if l(X, Y) < u(X):
            move_to(shard, x[closer], y[closer], found.take(closer), centers)   #       Y_X = Y, u(X) = l(X, Y)
        realign(shard, np.flatnonzero(np.isinf(upper)), centers)  # of one cluster, where nobody ever has a candidate

        by_centers = int((~tried & (upper[:, None] <= between[labels] / 2)).sum())
        pruned = {"pruned_by_centers": by_centers, "pruned_by_bounds": int((~tried).sum()) - by_centers}
        if not history.record_assignment(labels, centers.as_centers(), upper, **pruned):  # 19  until it ends
            return _evaluated(fit, history.best())

        members = fit.fill_empty_clusters(labels, upper, k)
        taken = np.flatnonzero(members != labels)
        claim_graphs(shard, taken, members[taken], centers)
        slots = _means(fit, shard, centers, history.iteration)                  # 15, 16  means, delta(Y) = |y - y'|
        _keep_shorter(shard, centers, slots)                                    # 17  u(X) = |x - y'|
        matched = state.matched_at
        outdated = (matched < 0) | (centers.shift[matched, state.labels] > theta)
        lower = np.maximum(known - centers.shift[known_at, np.arange(k)], 0.0)  # 18  max(l(X, Y) - |y_then - y'|, 0)


def _means(fit: InMemoryFit, shard: Shard, centers: FrameCenters, iteration: int) -> NDArray[np.int64]:
    """Move the centers to the means of their members, in the frames they have.

    Returns the slots of the members' nodes as they were aligned when the means were made.
    """
    random, labels = fit.context.random("mean", iteration), shard.state.labels
    groups = in_turn(labels, centers.k, random)
    filled = np.array([c for c, group in enumerate(groups) if fit.weights[group].any()], dtype=np.int64)
    chosen = [groups[c] for c in filled]
    made = Incremental().compute(fit.match, fit.batch, chosen, fit.weights, fit.context.space.order, random)
    means, which = made.centers.batch, np.arange(len(filled))
    shift = fit.match(means, centers.batch, np.stack([which, filled], axis=1))
    slot_of_node = centers.to_slots(shift, means, which, filled)

    slots = shard.state.slots.copy()
    rows, _ = shard.state.node_rows(made.which)
    nodes = made.flat + np.repeat(means.node_ptr[made.group], np.diff(made.ptr))
    weighty = made.flat >= 0  # graphs without weight took no part
    slots[rows[weighty]] = slot_of_node[nodes[weighty]]
    sums = centers.empty_frames()
    sums.add(fit.batch, np.arange(len(fit)), labels.copy(), slots, fit.batch.node_ptr, fit.weights)
    centers.move_to_means(sums)
    return slots


def _keep_shorter(shard: Shard, centers: FrameCenters, slots: NDArray[np.int64]) -> None:
    """u = |x - y'| along the stored alignments, or along these where that is shorter."""
    refresh_distances(shard, centers)
    state, batch, everybody = shard.state, shard.batch, np.arange(len(shard))
    distances = centers.frames.aligned_distances(batch, everybody, state.labels.copy(), slots, batch.node_ptr)
    shorter = np.flatnonzero(distances < state.upper)
    rows, _ = state.node_rows(shorter)
    state.set_slots(shorter, slots[rows])
    state.set(shorter, upper=distances[shorter])


def _evaluated(fit: InMemoryFit, result: Result) -> Result:
    """The result with distances to its centers, no longer bounds of them."""
    with fit.matcher.counted_as(EVALUATION):
        matched = fit.distances(np.arange(len(fit)), result.centers, result.labels)
    distances = np.minimum(result.distances, matched)
    inertia = float(fit.weights @ distances**2)
    return replace(result, get_assignment=copied(result.labels, distances), inertia=inertia)
