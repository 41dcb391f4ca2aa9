"""The nearest of given centers, for graphs that took no part in finding them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.context import Problem
from graphmeans.cluster.data.dataset import Part
from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.registry import get_mean
from graphmeans.space import GraphSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def nearest_centers(space: GraphSpace, points: GraphBatch, centers: GraphBatch) -> tuple[IntArray, FloatArray]:
    """Label and distance of the nearest center of each graph, with the bounds of the interval algorithm.

    Graphs that do not fit into the space are matched with every center, at their own order.
    """
    labels, distances = np.zeros(len(points), dtype=np.int64), np.zeros(len(points))
    fits = fit_into(space, points)
    inside, outside = np.flatnonzero(fits), np.flatnonzero(~fits)
    if len(inside):
        part = points if len(inside) == len(points) else points.take(inside)
        problem = Problem.of(part, space, np.ones(len(part)), get_mean("lifted"), seed=0)
        moving = problem.seeded_with(centers)
        engine = problem.engine(len(centers))
        engine.each("decide", moving)
        labels[inside], distances[inside] = engine.assignment()
    if len(outside):
        matrix = space.distances(points.take(outside), centers)
        labels[outside], distances[outside] = matrix.argmin(axis=1), matrix.min(axis=1)
    return labels, distances


def nearest_in(space: GraphSpace, part: Part, centers: GraphBatch) -> tuple[IntArray, FloatArray]:
    """The same for a part of a collection, which is read first."""
    return nearest_centers(space, part.load()[0], centers)


def fit_into(space: GraphSpace, points: GraphBatch) -> NDArray[np.bool_]:
    """Which graphs have no more nodes of any role than the space has places; none, where it has no limit."""
    if (space.order >= UNBOUNDED).any():
        return np.zeros(len(points), dtype=bool)
    counts = points.role_counts
    order = np.concatenate([space.order, np.zeros(max(0, counts.shape[1] - len(space.order)), dtype=np.int64)])
    return np.asarray((counts <= order[: counts.shape[1]]).all(axis=1))
