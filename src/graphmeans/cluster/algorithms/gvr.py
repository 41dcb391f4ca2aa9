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

from graphmeans.cluster.algorithms.elkan import candidates
from graphmeans.cluster.algorithms.history import Stopping
from graphmeans.cluster.algorithms.result import Result, fixed
from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.context import Problem
from graphmeans.cluster.counters import EVALUATION
from graphmeans.cluster.shards.shard import Shard
from graphmeans.graphs.batch import row_ranges
from graphmeans.means.frames import Centers
from graphmeans.means.incremental import Incremental
from graphmeans.means.method import in_turn


def gvr(
    problem: Problem, centers: Centers, *, max_iter: int, tol: float, n_iter_no_change: int, theta: float = 0.0
) -> Result:
    """Elkan's k-means with free upper bounds from stored alignments.

    N - k matchings an iteration for the means, k (k - 1) / 2 between the centers, k for their shifts, and those of
    graphs with centers that cannot be avoided. On the way the objective is that of the stored alignments, at no matching;
    that of the iteration returned is evaluated.
    """
    n, k = len(problem), len(centers)
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change)
    moving = MovingCenters(problem.bounded_order(), centers.batch, k)
    for c in range(k):
        moving.append(centers.batch.take([c]))
    aligned = Shard(problem.batch, problem.weights, 0, problem.matchings, problem.order)
    lower, known = np.zeros((n, k)), np.zeros((n, k))                           # 02  l(X, Y) = 0
    known_at = np.zeros((n, k), dtype=np.int64)
    aligned.labels = problem.random("assignment").randint(k, size=n)            # 04  random assignment, Y_X
    outdated = np.ones(n, dtype=bool)
    while True:                                                                 # 05  repeat
        between = problem.center_distances(moving.centers())                    # 06  D(Y, Y')
        labels, upper = aligned.labels, aligned.upper
        tried = np.zeros((n, k), dtype=bool)
        tried[np.arange(n), labels] = True
        x = np.arange(n)
        while len(x):                                                           # 07  for each X, each Y
            candidate = ~tried[x] & candidates(x, labels, upper, lower, between)  # 08  Y is a candidate for X
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            stale = x[outdated[x]]                                              # 09  u(X) is out of date
            aligned.realign(stale, moving)                                      # 10  u(X) = D(X, Y_X)
            own = stale, labels[stale]
            lower[own] = known[own] = upper[stale]                              # 11  l(X, Y_X) = u(X)
            known_at[own], outdated[stale] = moving.now, False
            candidate &= candidates(x, labels, upper, lower, between)           # 12  Y is still a candidate
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            promise = np.maximum(np.abs(between[labels[x]] - upper[x, None]), lower[x])
            y = np.where(candidate, promise, np.inf).argmin(axis=1)
            tried[x, y] = True
            found = problem.match(problem.batch, moving.batch, np.stack([x, y], axis=1))
            lower[x, y] = known[x, y] = found.upper                             # 13  l(X, Y) = D(X, Y)
            known_at[x, y] = moving.now
            closer = found.upper < upper[x]                                     # 14  if l(X, Y) < u(X):
            aligned.adopt(x[closer], y[closer], found.take(closer), moving)     #       Y_X = Y, u(X) = l(X, Y)
        aligned.realign(np.flatnonzero(np.isinf(upper)), moving)  # of one cluster, where nobody ever has a candidate

        by_centers = int((~tried & (upper[:, None] <= between[labels] / 2)).sum())
        pruned = {"pruned_by_centers": by_centers, "pruned_by_bounds": int((~tried).sum()) - by_centers}
        if not stopping.goes_on(labels, moving.centers(), upper, **pruned):     # 19  until it ends
            return _evaluated(problem, stopping.result())

        members = problem.relocated(labels, upper, k)
        taken = np.flatnonzero(members != labels)
        aligned.take(taken, members[taken], moving)
        places = _means(problem, aligned, moving, stopping.iteration)           # 15, 16  means, delta(Y) = |y - y'|
        _follow(problem, aligned, moving, places)                               # 17  u(X) = |x - y'|
        matched = aligned.matched_at
        outdated = (matched < 0) | (moving.drift[matched, aligned.labels] > theta)
        lower = np.maximum(known - moving.drift[known_at, np.arange(k)], 0.0)   # 18  max(l(X, Y) - |y_then - y'|, 0)


def _means(problem: Problem, aligned: Shard, moving: MovingCenters, iteration: int) -> NDArray[np.int64]:
    """Move the centers to the means of their members, in the frames they have.

    Returns the places of the members' nodes as they were aligned when the means were made.
    """
    random = problem.random("mean", iteration)
    groups = in_turn(aligned.labels, moving.k, random)
    filled = np.array([c for c, group in enumerate(groups) if problem.weights[group].any()], dtype=np.int64)
    chosen = [groups[c] for c in filled]
    made = Incremental().compute(problem.match, problem.batch, chosen, problem.weights, problem.space.order, random)
    means, which = made.centers.batch, np.arange(len(filled))
    shift = problem.match(means, moving.batch, np.stack([which, filled], axis=1))
    place_of_nodes = moving.places(shift, means, which, filled)

    places = aligned.flat.copy()
    rows, _ = row_ranges(problem.batch.node_ptr, made.which)
    nodes = made.flat + np.repeat(means.node_ptr[made.group], np.diff(made.ptr))
    weighty = made.flat >= 0  # graphs without weight took no part
    places[rows[weighty]] = place_of_nodes[nodes[weighty]]
    sums = moving.empty_frames()
    everybody = np.arange(len(problem))
    sums.add(problem.batch, everybody, aligned.labels, places, problem.batch.node_ptr, problem.weights)
    moving.move(sums)
    return places


def _follow(problem: Problem, aligned: Shard, moving: MovingCenters, places: NDArray[np.int64]) -> None:
    """u = |x - y'| along the stored alignments, or along these where that is shorter."""
    aligned.follow(moving)
    everybody = np.arange(len(problem))
    distances = moving.frames.aligned_distances(
        problem.batch, everybody, aligned.labels, places, problem.batch.node_ptr
    )
    shorter = distances < aligned.upper
    aligned.flat = np.where(np.repeat(shorter, problem.batch.sizes), places, aligned.flat)
    aligned.upper = np.where(shorter, distances, aligned.upper)


def _evaluated(problem: Problem, result: Result) -> Result:
    """The result with distances to its centers, no longer bounds of them."""
    with problem.matchings.counted_as(EVALUATION):
        matched = problem.distances(np.arange(len(problem)), result.centers, result.labels)
    distances = np.minimum(result.distances, matched)
    return replace(result, look=fixed(result.labels, distances), inertia=float(problem.weights @ distances**2))
