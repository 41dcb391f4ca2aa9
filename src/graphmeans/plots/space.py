"""Distances and alignments in the metric of a fitted estimator, for as many pairs as a picture needs and no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.cluster.estimators.inputs import vectors
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import to_graphs

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def points_of(estimator: Any, graphs: Any) -> GraphBatch:
    """Graphs (or the rows of an array) as points of the estimator's space."""
    if isinstance(estimator.cluster_centers_, np.ndarray):
        return estimator.space_.weighted(vectors(np.asarray(graphs, dtype=np.float64)))
    return estimator.space_.weighted(estimator.encoder_.transform(to_graphs(graphs)))


def centers_of(estimator: Any) -> GraphBatch:
    """The centers as points of the same space; their nodes are those of `centroids()`."""
    centers = estimator.cluster_centers_
    return estimator.space_.weighted(vectors(centers) if isinstance(centers, np.ndarray) else centers)


def align_to_own(estimator: Any, graphs: Sequence[Any], labels: ArrayLike) -> list[IntArray]:
    """The alignment of each graph to the center of its label: one matching a graph."""
    if not len(graphs):
        return []
    points, centers = points_of(estimator, graphs), centers_of(estimator)
    pairs = np.stack([np.arange(len(points)), np.asarray(labels, dtype=np.int64)], axis=1)
    found = estimator.space_.match(points, centers, pairs)
    return [found.mapping(p) for p in range(len(points))]


def spread_sample(labels: ArrayLike, most: int, random_state: int = 0) -> IntArray:
    """At most so many positions, sorted: all of a small cluster, an even share of the large ones."""
    labels = np.asarray(labels)
    if len(labels) <= most:
        return np.arange(len(labels))
    random = np.random.RandomState(random_state)
    members = [random.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    left, chosen = most, []
    for place, group in enumerate(sorted(members, key=len)):
        share = left // (len(members) - place)
        chosen.append(group[:share])
        left -= len(chosen[-1])
    return np.sort(np.concatenate(chosen))
