"""The graphs and centers of a fitted estimator as points of its space, for whatever is measured after a fit.

Only public attributes of the estimator are used: `encoder_`, `space_`, `cluster_centers_` and `labels_`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.cluster.estimators.inputs import rows_to_batch
from graphmeans.graphs.batch import GraphBatch, IntArray
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Matches


def points_of(estimator: Any, graphs: Any) -> GraphBatch:
    """Graphs (or the rows of an array) as points of the estimator's space."""
    if isinstance(estimator.cluster_centers_, np.ndarray):
        return estimator.space_.weighted(rows_to_batch(np.asarray(graphs, dtype=np.float64)))
    return estimator.space_.weighted(estimator.encoder_.transform(graphs))


def graphs_as_fitted(estimator: Any, graphs: Any) -> list[Graph]:
    """The graphs whose nodes alignments speak of: of molecules, those that the estimator's encoder makes of them."""
    encoder = getattr(estimator, "encoder_", None)
    return encoder.graphs_of(graphs) if isinstance(encoder, GraphEncoder) else to_graphs(graphs)


def centers_of(estimator: Any) -> GraphBatch:
    """The centers as points of the same space; their nodes are those of `centroids()`."""
    centers = estimator.cluster_centers_
    return estimator.space_.weighted(rows_to_batch(centers) if isinstance(centers, np.ndarray) else centers)


def align_to_center(space: Any, points: GraphBatch, centers: GraphBatch, labels: ArrayLike) -> Matches:
    """Match each graph with the center of its label."""
    pairs = np.stack([np.arange(len(points)), np.asarray(labels, dtype=np.int64)], axis=1)
    return space.match(points, centers, pairs)


def fitted_labels(estimator: Any, graphs: Any) -> IntArray:
    """The labels of an estimator, checked to be those of these graphs."""
    if len(graphs) != len(estimator.labels_):
        raise GraphError(f"the estimator was fitted to {len(estimator.labels_)} graphs, not to {len(graphs)}")
    return np.asarray(estimator.labels_, dtype=np.int64)


def members_by_distance(labels: ArrayLike, distances: ArrayLike, label: int) -> IntArray:
    """The members of a cluster, the nearest to its center first."""
    members = np.flatnonzero(np.asarray(labels) == label)
    return members[np.argsort(np.asarray(distances)[members], kind="stable")]


def spread_sample(labels: ArrayLike, most: int, random_state: int = 0) -> IntArray:
    """At most this many positions, sorted: all of a small cluster, and an even share of each large one."""
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
