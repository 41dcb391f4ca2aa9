"""Standard k-means for graphs: the paper's *std*."""

from __future__ import annotations

import numpy as np

from graphmeans.cluster.algorithms.history import Stopping
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.context import Problem
from graphmeans.means.frames import Centers


def lloyd(problem: Problem, centers: Centers, *, max_iter: int, tol: float, n_iter_no_change: int) -> Result:
    """Match every graph with every center, assign it to the nearest, recompute the means.

    kN + N - k matchings an iteration.
    """
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change)
    while True:
        distances = problem.all_distances(centers)
        labels = distances.argmin(axis=1)
        nearest = distances[np.arange(len(problem)), labels]
        if not stopping.goes_on(labels, centers, nearest):
            return stopping.result()
        members = problem.relocated(labels, nearest, len(centers))
        centers = problem.means(members, centers, stopping.iteration)
