"""Elkan's k-means for graphs: Jain & Obermayer 2009, the algorithm for structure spaces.

Numbers in the margin are the lines of the paper's algorithm. Its slips are mended: line 11 stores the distance that line
10 found, l(X, Y_X) = u(X); line 14 asks for a strictly smaller distance, as the text does (with <= ties move and can
cycle), or for an equal one to a center that comes first, as in lloyd; and u(X) is out of date only if its center did move.

The paper leaves open in which order a graph is compared with the centers. Here all graphs take their next center at the
same time, each its most promising one, so that a round is one batch of pairs. By the triangle inequality D(X, Y) is at least
|D(Y_X, Y) - u(X)|, and the center for which that is least comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.in_memory import TIED, InMemoryFit, is_closer
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import EVALUATION, CountedMatcher, FitContext
from graphmeans.graphs.batch import FloatArray
from graphmeans.means.frames import Centers


def elkan(context: FitContext, matcher: CountedMatcher, seeds: Seeds, history: History) -> Result:
    """k-means that skips a matching wherever the triangle inequality proves that it cannot change the assignment.

    An iteration takes N - k matchings for the means, k (k - 1) / 2 between the centers, k for their shifts, and those of
    graphs with centers that cannot be avoided.
    """
    fit, centers = InMemoryFit(context, matcher), seeds.centers
    n, k = len(fit), len(centers)
    lower = np.zeros((n, k))                                                    # 02  l(X, Y) = 0
    upper = np.full(n, np.inf)                                                  # 03  u(X) = infinity
    labels = context.random("assignment").randint(k, size=n)                    # 04  random assignment, Y_X
    outdated = np.ones(n, dtype=bool)
    while True:                                                                 # 05  repeat
        between = fit.center_distances(centers)                             # 06  D(Y, Y')
        tried = np.zeros((n, k), dtype=bool)
        tried[np.arange(n), labels] = True
        x = np.arange(n)
        while len(x):                                                           # 07  for each X, each Y
            candidate = ~tried[x] & candidates(x, labels, upper, lower, between)  # 08  Y is a candidate for X
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            stale = x[outdated[x]]                                              # 09  u(X) is out of date
            upper[stale] = fit.distances(stale, centers, labels[stale])     # 10  u(X) = D(X, Y_X)
            lower[stale, labels[stale]] = upper[stale]                          # 11  l(X, Y_X) = u(X)
            outdated[stale] = False
            candidate &= candidates(x, labels, upper, lower, between)          # 12  Y is still a candidate
            x, candidate = x[candidate.any(axis=1)], candidate[candidate.any(axis=1)]
            promise = np.maximum(np.abs(between[labels[x]] - upper[x, None]), lower[x])
            y = np.where(candidate, promise, np.inf).argmin(axis=1)
            tried[x, y] = True
            lower[x, y] = fit.distances(x, centers, y)                      # 13  l(X, Y) = D(X, Y)
            closer = is_closer(lower[x, y], y, upper[x], labels[x])             # 14  if l(X, Y) < u(X):
            labels[x[closer]] = y[closer]                                       #       Y_X = Y
            upper[x[closer]] = lower[x, y][closer]                              #       u(X) = l(X, Y)

        distances = _evaluated(fit, centers, labels, upper, outdated)
        by_centers = int((~tried & (upper[:, None] <= between[labels] / 2)).sum())
        pruned = {"pruned_by_centers": by_centers, "pruned_by_bounds": int((~tried).sum()) - by_centers}
        if not history.record_assignment(labels, centers, distances, **pruned):          # 19  until it ends
            return history.best()

        members = fit.fill_empty_clusters(labels, distances, k)
        taken = members != labels  # by a cluster that was empty
        labels[taken], upper[taken], outdated[taken] = members[taken], np.inf, True
        means = fit.means(labels, centers, history.iteration)              # 15  means
        shift = fit.center_shifts(centers, means)                                  # 16  delta(Y) = D(Y, Y')
        upper += shift[labels]                                                  # 17  u(X) + delta(Y_X)
        outdated |= shift[labels] > 0
        lower = np.maximum(lower - shift, 0.0)                                  # 18  max(l(X, Y) - delta(Y), 0)
        centers = means


def candidates(
    x: NDArray[np.int64], labels: NDArray[np.int64], upper: FloatArray, lower: FloatArray, between: FloatArray
) -> NDArray[np.bool_]:
    """Which centers neither test rules out for the graphs x: u(X) > D(Y_X, Y) / 2 and u(X) > l(X, Y).

    A center before the own one is a candidate also where it may be tied, one behind it only where it may be nearer.
    """
    before = np.arange(lower.shape[1]) < labels[x, None]
    reach = upper[x, None] * np.where(before, 1.0 + TIED, 1.0 - TIED)
    bound = np.maximum(between[labels[x]] / 2, lower[x])
    return np.asarray((reach > bound) | (before & (reach == bound)))


def _evaluated(
    fit: InMemoryFit, centers: Centers, labels: NDArray[np.int64], upper: FloatArray, outdated: NDArray[np.bool_]
) -> FloatArray:
    """Distances to the own centers, matched where only a bound is known. The algorithm makes no use of them."""
    distances = upper.copy()
    unknown = np.flatnonzero(outdated)
    with fit.matcher.counted_as(EVALUATION):
        distances[unknown] = fit.distances(unknown, centers, labels[unknown])
    return distances
