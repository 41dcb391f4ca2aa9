"""Standard k-means for graphs: the paper's *std*."""

from __future__ import annotations

import numpy as np

from graphmeans.cluster.problem import Problem
from graphmeans.cluster.result import Result
from graphmeans.cluster.stopping import Stopping
from graphmeans.means.frames import Centres


def lloyd(problem: Problem, centres: Centres, *, max_iter: int, tol: float, n_iter_no_change: int) -> Result:
    """Match every graph with every centre, assign it to the nearest, recompute the means.

    kN + N - k matchings an iteration.
    """
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change)
    while True:
        distances = problem.all_distances(centres)
        labels = distances.argmin(axis=1)
        nearest = distances[np.arange(len(problem)), labels]
        if not stopping.goes_on(labels, centres, nearest):
            return stopping.result()
        members = problem.relocated(labels, nearest, len(centres))
        centres = problem.means(members, centres, stopping.iteration)
