"""The graphs and centers of a fitted estimator as points of its space, for whatever is measured after a fit.

Of the estimator `encoder_`, `space_`, `cluster_centers_`, `labels_` and `distances_` are used, and the alignments that a fit of
this process has kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.cluster.estimators.inputs import rows_to_batch
from graphmeans.graphs.batch import GraphBatch, IntArray, offsets
from graphmeans.graphs.canonical import canonical_places
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Frames
from graphmeans.space import GraphSpace

#: A graph is as near along an alignment as the fit says if it is farther by rounding only.
AS_NEAR = 1.0 + 1e-9


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


def align_as_fitted(
    estimator: Any, space: GraphSpace, points: GraphBatch, centers: GraphBatch, rows: ArrayLike
) -> tuple[Matches, int]:
    """Align graphs of a fit with the centers of their labels: `points` are those at `rows`. Returns how many were matched, too.

    An alignment that the fit has kept is taken as it is if the graph is as near along it as the fit says; all other graphs are
    matched in this space.
    """
    rows = np.asarray(rows, dtype=np.int64)
    labels = np.asarray(estimator.labels_, dtype=np.int64)[rows]
    known = getattr(estimator, "_alignments", None)
    kept = known.take(rows) if known is not None and len(known.ptr) == len(estimator.labels_) + 1 else None
    if kept is None or not np.array_equal(np.diff(kept.ptr), points.sizes):
        return align_to_center(space, points, centers, labels), len(rows)
    places, _ = canonical_places(points)  # in a fit nodes are in canonical order
    into = kept.node[np.repeat(kept.ptr[:-1], points.sizes) + places].astype(np.int64)
    if (into >= np.repeat(centers.sizes[labels], points.sizes)).any():  # the centers have gone on since
        return align_to_center(space, points, centers, labels), len(rows)
    found = Matches(np.zeros(len(rows)), np.zeros(len(rows)), kept.ptr, into)
    along = frames_of(centers).aligned_distances(points, np.arange(len(rows)), labels, found.flat.copy(), found.ptr)
    found.upper[:] = along
    near = np.asarray(space.in_units_of_graphs(along)) <= np.asarray(estimator.distances_)[rows] * AS_NEAR
    others = np.flatnonzero(~near)
    if len(others):
        found.put(others, align_to_center(space, points.take(others), centers, labels[others]))
    return found, len(others)


def frames_of(graphs: GraphBatch) -> Frames:
    """Frames whose averages are these graphs themselves."""
    frames, rows = Frames.of_graphs(graphs), np.arange(len(graphs))
    itself = [np.arange(n) for n in graphs.sizes.tolist()]
    into = np.concatenate([np.zeros(0, dtype=np.int64), *itself]).astype(np.int64)
    frames.add(graphs, rows, rows, into, offsets(graphs.sizes), np.ones(len(graphs)))
    return frames


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
