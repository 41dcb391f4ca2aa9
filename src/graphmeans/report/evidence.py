"""What the page shows beyond the attributes of a fitted estimator, for a limited number of matchings.

A collection may hold a hundred graphs or a million, with 3 nodes or 60. The page takes a sample of the graphs, and matches
each with its own center, the neighbouring centers and some landmarks. The size of the sample follows from what a matching
costs. Everything that rests on a sample says so on the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.evaluation.fitted import align_to_center, centers_of, members_by_distance, points_of, spread_sample
from graphmeans.evaluation.measures import silhouette, silhouette_from_references
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.matching.auto import Auto
from graphmeans.matching.match import Matches
from graphmeans.matching.sketch import pairwise_sketch_bounds
from graphmeans.means.frames import Frames
from graphmeans.plots.embedding import Map, landmark_map
from graphmeans.report.report_graphs import read_ahead
from graphmeans.space import GraphSpace

#: About how many milliseconds of one core the page may spend on matchings; and how many graphs and nodes it holds at most.
BUDGET, MOST_GRAPHS, MOST_NODES = 9000.0, 4000, 60_000
#: How many of the clusters nearest to its own a graph is compared with; landmarks of the map; graphs for the silhouette.
NEIGHBOURS, LANDMARKS, SILHOUETTE = 4, 32, 330
#: Members of each cluster that a sample has at least if all of its pairs are matched for the silhouette.
MEMBERS = 6
#: Distances for the map and the silhouettes need little effort; alignments that are shown are matched with full effort.
QUICK_EFFORT = 0.1
#: Number of graphs from which the usual size of a graph is estimated.
LOOKED = 400
#: Number of bootstrap samples that the stability is estimated from.
REDRAWN = 12


@dataclass(frozen=True, eq=False)
class Evidence:
    """A sample of the graphs, and what was found out about it."""

    sample: IntArray  # positions in the collection
    own_distance: FloatArray
    mappings: list[IntArray]  # of each graph of the sample into its mean
    second: IntArray  # the nearest of the other clusters, -1 if there is none
    second_distance: FloatArray
    neighbours: IntArray  # (k, NEIGHBOURS) the nearest other clusters of each, nearest first, -1 where there are fewer
    neighbour_distances: FloatArray
    neighbour_mappings: dict[tuple[int, int], IntArray]  # node of the mean -> node of the neighbour's mean
    map: Map
    silhouette: float | None
    silhouette_graphs: int
    stability: float | None
    matchings: int

    @property
    def margins(self) -> FloatArray:
        """How much farther the second cluster is than the own one, relative to it: near 0 is doubtful."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.second >= 0, 1.0 - self.own_distance / self.second_distance, np.inf)


def gather(estimator: Any, graphs: Sequence[Graph], random_state: int = 0) -> Evidence:
    """Take a sample of the graphs and match it with the centers."""
    labels = np.asarray(estimator.labels_, dtype=np.int64)
    read_ahead(graphs, spread_sample(labels, LOOKED))
    quick = replace(estimator.space_, matcher=Auto(effort=QUICK_EFFORT))
    centers = centers_of(estimator)
    k = len(centers)
    nodes = float(np.mean([graphs[i].n_nodes for i in spread_sample(labels, LOOKED)]))  # of a graph, on average
    affordable = BUDGET / _milliseconds(nodes, int(np.sum(estimator.space_.order)))
    beyond = min(NEIGHBOURS, k - 1) + 2  # matchings of a graph besides those with the landmarks
    landmarks = int(np.clip(0.6 * affordable / min(len(graphs), MOST_GRAPHS // 2) - beyond, 8, LANDMARKS))
    most = min(MOST_GRAPHS, int(0.6 * affordable / (min(k, landmarks) + beyond)), int(MOST_NODES / max(1.0, nodes)))
    sample = _sample(labels, np.asarray(estimator.distances_), most, random_state)
    read_ahead(graphs, sample)
    points = points_of(estimator, [graphs[i] for i in sample])

    near, near_distances, ways = _neighbours(quick, centers)
    # The estimator's own matcher is not used: a fit may have asked it rarely because it takes long.
    full = replace(estimator.space_, matcher=Auto())
    own = align_to_center(full, points, centers, labels[sample])
    there = landmark_map(quick, points, centers, landmarks)
    beside = _beside(quick, points, centers, labels[sample], near)
    second, second_distance = _second(labels[sample], near, beside, there, k)
    width, compared, spent = _silhouette(quick, points, labels[sample], near, int(0.25 * affordable), random_state)
    matched = there.to_landmarks.size + len(sample) + near.size + (0 if beside is None else len(beside)) + spent
    return Evidence(
        sample=sample, own_distance=np.asarray(estimator.distances_, dtype=np.float64)[sample],
        mappings=[own.mapping(p) for p in range(len(sample))], second=second, second_distance=second_distance,
        neighbours=near, neighbour_distances=near_distances, neighbour_mappings=ways, map=there, silhouette=width,
        silhouette_graphs=compared,
        stability=_stability(quick, points, centers, labels[sample], near, own, beside, random_state),
        matchings=int(matched + len(there.landmarks) * (len(there.landmarks) - 1) // 2),
    )  # fmt: skip


def _milliseconds(nodes: float, order: int) -> float:
    """About how many milliseconds a quick matching of two graphs takes: small ones are matched exactly."""
    rows = min(order if order > 0 else 1 << 30, 2 * nodes)
    return 0.045 if rows <= 10 else 0.8 * (rows / 24) ** 2


def _sample(labels: IntArray, distances: FloatArray, most: int, random_state: int) -> IntArray:
    """All graphs if there are not too many; else the nearest and the farthest of each cluster, and others at random."""
    k = len(np.unique(labels))
    most = max(most, min(8 * k, 1600))
    if len(labels) <= most:
        return np.arange(len(labels))
    ends = max(2, min(8, most // (3 * k)))
    sure: list[int] = []
    for label in np.unique(labels):
        members = members_by_distance(labels, distances, label)
        sure += members[:ends].tolist() + members[-ends:].tolist()
    kept = np.unique(sure)
    rest = np.setdiff1d(np.arange(len(labels)), kept)
    if most <= len(kept):
        return kept
    return np.sort(np.concatenate([kept, rest[spread_sample(labels[rest], most - len(kept), random_state)]]))


def _neighbours(
    quick: GraphSpace, centers: GraphBatch
) -> tuple[IntArray, FloatArray, dict[tuple[int, int], IntArray]]:
    """The nearest other clusters of each cluster, and how their means are aligned. Sketches choose which are matched."""
    k = len(centers)
    width = min(NEIGHBOURS, k - 1)
    near, apart = np.full((k, max(width, 0)), -1), np.full((k, max(width, 0)), np.inf)
    ways: dict[tuple[int, int], IntArray] = {}
    if not width:
        return near, apart, ways
    bounds = pairwise_sketch_bounds(centers, centers, quick.order)
    np.fill_diagonal(bounds, np.inf)
    candidates = np.argsort(bounds, axis=1, kind="stable")[:, : min(k - 1, width + 4)]
    pairs = np.stack([np.repeat(np.arange(k), candidates.shape[1]), candidates.ravel()], axis=1)
    found = quick.match(centers, centers, pairs)
    for c in range(k):
        mine = np.flatnonzero(pairs[:, 0] == c)
        mine = mine[np.argsort(found.upper[mine], kind="stable")][:width]
        near[c], apart[c] = pairs[mine, 1], found.upper[mine]
        ways[c, int(pairs[mine[0], 1])] = found.mapping(int(mine[0]))
    return near, apart, ways


def _beside(quick: GraphSpace, points: GraphBatch, centers: GraphBatch, labels: IntArray, near: IntArray) -> Matches | None:
    """Every graph of the sample matched with the neighbours of its center."""
    if not near.shape[1] or not len(points):
        return None
    pairs = np.stack([np.repeat(np.arange(len(points)), near.shape[1]), near[labels].ravel()], axis=1)
    return quick.match(points, centers, pairs)


def _second(
    labels: IntArray, near: IntArray, beside: Matches | None, there: Map, k: int
) -> tuple[IntArray, FloatArray]:
    """The nearest other cluster of each graph: among the neighbours of its own, and among the landmarks."""
    if beside is None:
        return np.full(len(labels), -1), np.full(len(labels), np.inf)
    far = np.full((len(labels), k), np.inf)
    far[:, there.landmarks] = there.to_landmarks
    rows = np.arange(len(labels))
    np.put_along_axis(far, near[labels], beside.upper.reshape(len(labels), -1), axis=1)
    far[rows, labels] = np.inf
    second = far.argmin(axis=1)
    return second, far[rows, second]


def _silhouette(
    quick: GraphSpace, points: GraphBatch, labels: IntArray, near: IntArray, affordable: int, random_state: int
) -> tuple[float | None, int, int]:
    """The silhouette index, from how many graphs it is, and the number of matchings it took.

    All pairs of a sample are matched where that has enough members of each cluster, or is everything.
    """
    n_clusters = len(np.unique(labels))
    if n_clusters < 2:
        return None, 0, 0
    count = int(np.clip((1 + np.sqrt(1 + 8 * affordable)) / 2, 24, SILHOUETTE))  # so many graphs have so many pairs
    if count < min(len(labels), MEMBERS * n_clusters):
        return silhouette_from_references(quick, points, labels, near, affordable, random_state)
    some = spread_sample(labels, count, random_state)
    return silhouette(quick.distances(points.take(some)), labels[some]), len(some), len(some) * (len(some) - 1) // 2


def _stability(
    space: GraphSpace, points: GraphBatch, centers: GraphBatch, labels: IntArray, near: IntArray, own: Matches,
    beside: Matches | None, random_state: int,
) -> float | None:  # fmt: skip
    """The share of graphs that stay in their cluster if the collection is sampled again.

    This is a bootstrap of one step of k-means along the alignments at hand, so it needs no matchings: the means of the
    resampled graphs move, and each graph goes to the nearest among the mean of its own cluster and those of the neighbours.
    """
    if beside is None or not len(points):
        return None
    random = np.random.RandomState(random_state)
    rows, width = np.arange(len(points)), near.shape[1]
    others = np.repeat(rows, width), near[labels].ravel()

    def stays(weights: FloatArray) -> NDArray[np.bool_]:
        frames = Frames.of_graphs(centers)
        into = own.flat.copy()
        frames.add(points, rows, labels, into, own.ptr, weights)
        frames.total[frames.total == 0] = 1.0
        here = frames.aligned_distances(points, rows, labels, into, own.ptr)
        away = frames.aligned_distances(points, *others, beside.flat.copy(), beside.ptr).reshape(-1, width)
        away[~np.isin(near[labels], labels)] = np.inf  # a cluster without a graph in the sample has no mean here
        return np.asarray(here <= away.min(axis=1))

    settled = stays(np.ones(len(points)))
    kept = []
    for _ in range(REDRAWN):
        weights = random.poisson(1.0, len(points)).astype(np.float64)
        alone = np.bincount(labels, weights, minlength=len(centers))[labels] == 0
        kept.append(stays(np.where(alone, 1.0, weights)) == settled)
    return float(np.mean(kept))
