"""How sure a label is and how odd a graph: margins to the second center, distances against those usual in a cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.estimators.prediction import fit_into
from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.sketch import pairwise_sketch_bounds
from graphmeans.space import GraphSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: A cluster with fewer members does not say what is usual in it.
FEW = 5


class TwoNearest(NamedTuple):
    """The nearest and the second nearest center of each graph, and how far they are; of one center the second is itself."""

    label: IntArray
    distance: FloatArray
    second: IntArray
    second_distance: FloatArray

    @property
    def margin(self) -> FloatArray:
        """1 - distance / second distance: 0 for a graph half way between two centers, 1 for one on its center."""
        near, far = self.distance, self.second_distance
        return np.asarray(1.0 - np.divide(near, far, out=np.ones_like(near), where=far > 0))


def two_nearest(space: GraphSpace, points: GraphBatch, centers: GraphBatch) -> TwoNearest:
    """Match graphs with centers in the order of their sketch bounds, until no other center can be among the two nearest."""
    found = np.full((len(points), len(centers)), np.inf)
    fits = fit_into(space, points)
    outside, inside = np.flatnonzero(~fits), np.flatnonzero(fits)
    if len(outside):
        found[outside] = space.distances(points.take(outside), centers)
    if len(inside):
        _look(space, points, centers, inside, found)
    order = np.argsort(found, axis=1, kind="stable")
    first, then = order[:, 0], order[:, min(1, len(centers) - 1)]
    everyone = np.arange(len(points))
    return TwoNearest(first, found[everyone, first], then, found[everyone, then])


def _look(space: GraphSpace, points: GraphBatch, centers: GraphBatch, graphs: IntArray, found: FloatArray) -> None:
    """Match these graphs with their two best candidates, then with each further one that no bound rules out."""
    bounds = pairwise_sketch_bounds(points.take(graphs), centers, space.order)
    turn = np.argsort(bounds, axis=1, kind="stable")

    def match(rows: IntArray, to: IntArray) -> None:
        found[rows, to] = space.match(points, centers, np.stack([rows, to], axis=1)).upper

    for step in range(min(2, len(centers))):
        match(graphs, turn[:, step])
    undecided = np.arange(len(graphs))
    for step in range(2, len(centers)):
        second = np.partition(found[graphs[undecided]], 1, axis=1)[:, 1]
        near = bounds[undecided, turn[undecided, step]] <= second
        undecided, second = undecided[near], second[near]
        if not len(undecided):
            break
        rows, to = graphs[undecided], turn[undecided, step]
        near = lap_bounds(points, centers, np.stack([rows, to], axis=1), space.order, space.n_jobs) <= second
        match(rows[near], to[near])


def usual_distances(distances: FloatArray, labels: NDArray[np.integer], k: int) -> FloatArray:
    """The median distance of the members of each cluster to its center; of all graphs where there are too few, or all are 0."""
    overall = float(np.median(distances)) if len(distances) else 0.0
    usual = np.full(k, overall)
    for c in range(k):
        own = distances[labels == c]
        if len(own) >= FEW and (middle := float(np.median(own))) > 0:
            usual[c] = middle
    return usual


def outlier_scores(distance: FloatArray, usual: FloatArray) -> FloatArray:
    """Distances relative to the usual ones; 0 on a center, infinite off it where no distance is usual."""
    with np.errstate(divide="ignore", invalid="ignore"):
        score = distance / usual
    return np.asarray(np.where(distance > 0, score, 0.0))
