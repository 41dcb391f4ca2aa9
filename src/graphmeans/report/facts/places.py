"""Where graphs stand on the map of the page: the drawn ones by distances along alignments, the others by their sketches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphmeans.evaluation.fitted import points_of
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.matching.sketch import pairwise_sketch_bounds
from graphmeans.plots.embedding import Map, Placer, scaled_plane
from graphmeans.report.facts.centers import CenterWays
from graphmeans.report.facts.report_graphs import is_on_disk
from graphmeans.space import GraphSpace

#: Graphs that are not drawn are placed in blocks of this size; and at most so many are, on pages of larger collections.
BLOCK, MOST_DOTS = 20_000, 200_000
#: Landmarks whose sketches place a graph that is not drawn.
SKETCHED = 24


def map_of(
    quick: GraphSpace, points: GraphBatch, centers: GraphBatch, labels: IntArray, own_distance: FloatArray,
    composed: FloatArray, ways: CenterWays, checked: int,
) -> tuple[Map, int]:  # fmt: skip
    """The map of the graphs that are drawn; and how many pairs were matched to see how true it is.

    A center stands where its members do, in the median of their places.
    """
    far = composed.copy()
    rows, columns = np.nonzero(labels[:, None] == ways.landmarks[None, :])
    far[rows, columns] = own_distance[rows]
    among = ways.distances[np.ix_(ways.landmarks, ways.landmarks)]
    place = Placer(among, scaled_plane(among), far)
    places, middle = place(far), place(ways.distances[:, ways.landmarks])
    for label in np.unique(labels):
        middle[label] = np.median(places[labels == label], axis=0)
    tried = min(checked, len(points) * len(ways.landmarks))
    fidelity = 1.0
    if tried > 2 and len(ways.landmarks) > 1:
        some = np.random.RandomState(0).choice(len(points) * len(ways.landmarks), tried, replace=False)
        which, at = some // len(ways.landmarks), some % len(ways.landmarks)
        true = quick.match(points, centers, np.stack([which, ways.landmarks[at]], axis=1)).upper
        shown = np.linalg.norm(places[which] - middle[ways.landmarks[at]], axis=1)
        fidelity = _correlation(true, shown)
    else:
        tried = 0
    return Map(places, middle, ways.landmarks, far, fidelity), tried


def estimated_places(
    estimator: Any, graphs: Sequence[Graph], sample: IntArray, labels: IntArray, distances: FloatArray, points: GraphBatch,
    centers: GraphBatch, there: Map,
) -> tuple[FloatArray | None, float]:  # fmt: skip
    """Places of the graphs that are not in the sample, in their order, and how well such places agree with true ones.

    Linear regression, on the graphs that have places: of what a place differs from that of its center, on the bounds of the
    sketches of graph and landmarks, with the distance to the own center. None if the graphs are on disk or too many.
    """
    rest = np.setdiff1d(np.arange(len(labels)), sample)
    if not len(rest) or is_on_disk(graphs) or len(labels) > MOST_DOTS or len(centers) < 2:
        return None, 1.0
    landmarks = there.landmarks[:: max(1, len(there.landmarks) // SKETCHED)]
    marks = centers.take(landmarks)

    def features(batch: GraphBatch, which: IntArray) -> FloatArray:
        bounds = pairwise_sketch_bounds(batch, marks, estimator.space_.order) ** 2
        own = distances[which] ** 2
        return np.column_stack([np.ones(len(which)), own, bounds, bounds - own[:, None], np.sqrt(bounds)])

    known = features(points, sample)
    scale = known.std(axis=0) + 1e-12
    scale[0] = 1.0
    wanted = there.points - there.centers[labels[sample]]
    held = np.arange(len(sample)) % 5 == 0
    solve = _ridge(known[~held] / scale, wanted[~held], labels[sample][~held], len(centers))
    guess = solve(known[held] / scale, labels[sample][held]) + there.centers[labels[sample][held]]
    fidelity = _correlation(guess.ravel(), there.points[held].ravel()) if held.sum() > 2 else 1.0
    solve = _ridge(known / scale, wanted, labels[sample], len(centers))
    places = np.empty((len(rest), 2))
    for first in range(0, len(rest), BLOCK):
        which = rest[first : first + BLOCK]
        batch = points_of(estimator, [graphs[i] for i in which])
        places[first : first + len(which)] = solve(features(batch, which) / scale, labels[which])
    return places + there.centers[labels[rest]], fidelity


def _ridge(known: FloatArray, wanted: FloatArray, labels: IntArray, k: int) -> Any:
    """One regression for each cluster with enough graphs, and one for all others."""
    width = known.shape[1]

    def solved(rows: Any) -> FloatArray:
        some = known[rows]
        damping = np.diag([0.0, *[0.1 * len(some)] * (width - 1)])
        return np.asarray(np.linalg.lstsq(some.T @ some + damping, some.T @ wanted[rows], rcond=None)[0])

    shared = solved(slice(None))
    own = np.stack([solved(labels == c) if (labels == c).sum() >= 2 * width else shared for c in range(k)])
    return lambda features, of: np.einsum("nf,nfd->nd", features, own[of])


def _correlation(a: FloatArray, b: FloatArray) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() and b.std() else 1.0
