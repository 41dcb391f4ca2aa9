"""Graph-vector reduction: Elkan's k-means with every graph kept aligned to its centre.

The paper's idea, reconstructed from its results: once x is aligned to y and the new mean y' is written in the frame of y,
|x - y'| is a vector distance, an upper bound of D(X, Y') that costs no matching and is tighter than u + delta. If the centre
has moved by at most theta since X was last matched with it, the old alignment is trusted: u = |x - y'| counts as up to date.
With theta = 0 nothing is lost; theta > 0 trades quality for matchings. Means are lifted: averages of the aligned members.
The numbers in the margin are those of the paper's algorithm, as in elkan.py.
"""

from __future__ import annotations

import numpy as np

from graphmeans.cluster.elkan import candidates
from graphmeans.cluster.moving import MovingCentres
from graphmeans.cluster.problem import Problem
from graphmeans.cluster.result import Result
from graphmeans.cluster.shard import Shard
from graphmeans.cluster.stopping import Stopping
from graphmeans.means.frames import Centres


def gvr(
    problem: Problem, centres: Centres, *, max_iter: int, tol: float, n_iter_no_change: int, theta: float = 0.0
) -> Result:
    """Elkan's k-means with free upper bounds from stored alignments.

    k (k - 1) / 2 matchings an iteration between the centres, and those of graphs with centres that cannot be avoided.
    The objective is that of the stored alignments.
    """
    n, k = len(problem), len(centres)
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change)
    moving = MovingCentres(problem.bounded_order(), centres.batch, k)
    for c in range(k):
        moving.append(centres.batch.take([c]))
    aligned = Shard(problem.batch, problem.weights, 0, problem.matchings, problem.order)
    lower = np.zeros((n, k))                                                    # 02  l(X, Y) = 0
    aligned.labels = problem.random("assignment").randint(k, size=n)            # 04  random assignment, Y_X
    outdated = np.ones(n, dtype=bool)
    while True:                                                                 # 05  repeat
        between = problem.centre_distances(moving.centres())                    # 06  D(Y, Y')
        labels, upper = aligned.labels, aligned.upper
        tried = np.zeros((n, k), dtype=bool)
        tried[np.arange(n), labels] = True
        x = np.arange(n)
        while len(x):                                                           # 07  for each X, each Y
            candidate = ~tried[x] & candidates(x, labels, upper, lower, between)  # 08  Y is a candidate for X
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            stale = x[outdated[x]]                                              # 09  u(X) is out of date
            aligned.realign(stale, moving)                                      # 10  u(X) = D(X, Y_X)
            lower[stale, labels[stale]] = upper[stale]                          # 11  l(X, Y_X) = u(X)
            outdated[stale] = False
            candidate &= candidates(x, labels, upper, lower, between)           # 12  Y is still a candidate
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            promise = np.maximum(np.abs(between[labels[x]] - upper[x, None]), lower[x])
            y = np.where(candidate, promise, np.inf).argmin(axis=1)
            tried[x, y] = True
            found = problem.match(problem.batch, moving.batch, np.stack([x, y], axis=1))
            lower[x, y] = found.upper                                           # 13  l(X, Y) = D(X, Y)
            closer = found.upper < upper[x]                                     # 14  if l(X, Y) < u(X):
            aligned.adopt(x[closer], y[closer], found.take(closer), moving)     #       Y_X = Y, u(X) = l(X, Y)

        by_centres = int((~tried & (upper[:, None] <= between[labels] / 2)).sum())
        pruned = {"pruned_by_centres": by_centres, "pruned_by_bounds": int((~tried).sum()) - by_centres}
        if not stopping.goes_on(labels, moving.centres(), upper, **pruned):     # 19  until it ends
            return stopping.result()

        members = problem.relocated(labels, upper, k)
        taken = np.flatnonzero(members != labels)
        aligned.take(taken, members[taken], moving)
        moving.move(aligned.sums(moving))                                       # 15  means
        aligned.follow(moving)                                                  # 17  u(X) = |x - y'|
        matched = aligned.matched_at
        outdated = (matched < 0) | (moving.drift[matched, aligned.labels] > theta)
        lower = np.maximum(lower - moving.drift[moving.now - 1], 0.0)           # 16, 18  max(l(X, Y) - |y - y'|, 0)
