"""Standard k-means for graphs: the paper's *std*."""

from __future__ import annotations

import numpy as np

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.in_memory import InMemoryFit
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import CountedMatcher, FitContext


def lloyd(context: FitContext, matcher: CountedMatcher, seeds: Seeds, history: History) -> Result:
    """Match every graph with every center, assign it to the nearest, recompute the means.

    This takes kN + N - k matchings an iteration.
    """
    fit, centers = InMemoryFit(context, matcher), seeds.centers
    while True:
        distances = fit.all_distances(centers)
        labels = fit.first_nearest(distances)
        nearest = distances[np.arange(len(fit)), labels]
        if not history.record_assignment(labels, centers, nearest):
            return history.best()
        members = fit.fill_empty_clusters(labels, nearest, len(centers))
        centers = fit.means(members, centers, history.iteration)
