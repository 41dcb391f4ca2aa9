"""What the page shows beyond the attributes of a fitted estimator, for a limited number of matchings.

A collection may hold a hundred graphs or a million, with 3 nodes or 60. The page may cost a fifth of what the fit did. It takes a
sample of the graphs, or all, and matches each with its own center. From there arithmetic goes on: the centers are matched with
each other, and a graph that is aligned to its center, which is aligned to another center, is aligned to that one, too. What
is found in this way is at least the distance; where that matters, graphs are matched with the second cluster itself.
Graphs that can be aligned in one way only are rows of numbers here, as in the fit, and all of their distances are cheap.
Everything that rests on a sample or a bound says so on the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.evaluation.fitted import (
    align_as_fitted,
    centers_of,
    frames_of,
    members_by_distance,
    points_of,
    spread_sample,
)
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.matching.auto import Auto
from graphmeans.matching.fixed import alignments_are_fixed
from graphmeans.matching.match import Matches
from graphmeans.matching.vectors import VectorLayout, as_batch
from graphmeans.means.frames import Frames
from graphmeans.plots.embedding import Map
from graphmeans.report.facts.centers import CenterWays, match_centers
from graphmeans.report.facts.places import estimated_places, map_of
from graphmeans.report.facts.report_graphs import read_ahead
from graphmeans.report.facts.shares import DistanceShares, distance_shares
from graphmeans.report.facts.silhouettes import LARGEST_ERROR, Silhouettes, silhouettes
from graphmeans.report.facts.summary import all_matchings
from graphmeans.report.words import BORDER
from graphmeans.space import GraphSpace

#: The page may spend this share of the matchings of the fit,
SHARE = 0.2
#: but at least and at most about so many milliseconds of one core; and it holds at most so many graphs and nodes.
LEAST, MOST, MOST_GRAPHS, MOST_NODES = 150.0, 9000.0, 4000, 60_000
#: Where alignments are fixed a distance takes so many milliseconds for each node or edge.
ARITHMETIC = 1e-6
#: Shares of that: alignments that are shown, centers with each other, second clusters, silhouettes.
OWN, CENTERS, SECOND, WIDTHS = 0.45, 0.15, 0.15, 0.2
#: Members of each cluster, the nearest and the farthest, that are surely among those drawn, if there is room for them.
NEAREST, FARTHEST = 8, 6
#: Pairs of a graph and a center that are matched to see how true the map is.
CHECKED = 150
#: Clusters that a graph which may be in the wrong one is matched with.
CANDIDATES = 3
#: A graph whose second cluster seems this much farther than its own (relative) is no candidate for a move.
CLEAR = 0.5
#: Distances that only place and compare need little effort; alignments that are shown are matched with full effort.
QUICK_EFFORT = 0.1
#: Graphs that are farther from their centers than the fit says by more than this share, and this share of their norm (rounding),
#: are other graphs.
FARTHER, TINY = 0.01, 1e-6
#: Number of graphs from which the usual size of a graph is estimated.
LOOKED = 400
#: Number of bootstrap samples that the stability is estimated from.
REDRAWN = 12


@dataclass(frozen=True, eq=False)
class Evidence:
    """A sample of the graphs, and what was found out about it."""

    sample: IntArray  # positions in the collection
    fair: NDArray[np.bool_]  # those of the sample that were drawn at random, and not because they are near or far
    own_distance: FloatArray
    mappings: list[IntArray]  # of each graph of the sample into its mean
    shares: DistanceShares  # what their nodes and edges contribute to their squared distances
    second: IntArray  # the nearest of the other clusters, -1 if there is none
    second_distance: FloatArray  # its distance, or at least that
    second_matched: NDArray[np.bool_]  # whether it is the distance
    way: FloatArray  # how far it is on the way from its own mean to that of the second cluster; the border is at 1/2
    ways: CenterWays
    map: Map
    rest: FloatArray | None  # places of the graphs that are not in the sample, estimated
    rest_fidelity: float
    silhouettes: Silhouettes | None
    stability: float | None
    nearest: int  # so many of the nearest members of each cluster are surely in the sample,
    farthest: int  # and of the farthest
    matchings: int

    @property
    def margins(self) -> FloatArray:
        """How much farther the second cluster is than the own one, relative to it: near 0 is doubtful."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.second >= 0, 1.0 - self.own_distance / self.second_distance, np.inf)

    @property
    def doubtful(self) -> NDArray[np.bool_]:
        """Whether a graph is near the border to its second cluster."""
        return np.asarray(self.way >= BORDER)


def gather(estimator: Any, graphs: Sequence[Graph], members: int | None = None, random_state: int = 0) -> Evidence:
    """Take a sample of the graphs, of this size if it is given, and match it with the centers."""
    labels = np.asarray(estimator.labels_, dtype=np.int64)
    distances = np.asarray(estimator.distances_, dtype=np.float64)
    read_ahead(graphs, spread_sample(labels, LOOKED))
    space = replace(estimator.space_, matcher=Auto())  # not its own matcher, which may take long
    quick = replace(estimator.space_, matcher=Auto(effort=QUICK_EFFORT))
    centers = centers_of(estimator)
    k = len(centers)
    looked = [graphs[i] for i in spread_sample(labels, LOOKED).tolist()]
    nodes, edges = (float(np.mean([getattr(graph, what) for graph in looked])) for what in ("n_nodes", "n_edges"))
    most = min(MOST_GRAPHS, int(OWN * _affordable(estimator, nodes, edges, LEAST)), int(MOST_NODES / max(1.0, nodes)))
    most = most if members is None else members
    affordable = _affordable(estimator, nodes, edges, LEAST / 3)  # of a small fit the graphs are drawn first
    sample, fair, nearest, farthest = _sample(labels, distances, most, random_state)
    read_ahead(graphs, sample)
    points = points_of(estimator, [graphs[i] for i in sample.tolist()])
    of = labels[sample]

    ways = match_centers(quick, centers, int(CENTERS * affordable))
    own, aligned = align_as_fitted(estimator, space, points, centers, sample)
    _check_same_graphs(space, points, own, sample, distances[sample], graphs)
    mappings, shares = [own.mapping(p) for p in range(len(sample))], distance_shares(points, centers, of, own)
    compared, between = int(WIDTHS * affordable), ways
    graphs_of_sample, means = points, centers
    if (rows := _as_rows(quick, points, centers)) is not None:
        quick, points, centers = rows
        own, ways = _of_rows(own), ways.of_rows()
        compared = _affordable(estimator, nodes, edges, LEAST)
    composed = _composed_distances(quick, points, centers, of, own, ways)
    there, checked = map_of(quick, points, centers, of, distances[sample], composed, ways, CHECKED)
    second, second_distance, matched, beside = _second(
        quick, points, centers, of, distances[sample], composed, ways, own, int(SECOND * affordable)
    )
    sizes = np.bincount(labels, minlength=k)
    widths = silhouettes(quick, points, of, sizes, own, ways, compared, fair, random_state)
    spent = 0 if widths is None else widths.matchings
    if widths is not None and (widths.error or 0.0) > LARGEST_ERROR:
        widths = None
    rest, fidelity = estimated_places(estimator, graphs, sample, labels, distances, graphs_of_sample, means, there)
    return Evidence(
        sample=sample, fair=fair, own_distance=distances[sample], mappings=mappings, shares=shares,
        second=second, second_distance=second_distance, second_matched=(matched > 0) | (rows is not None),
        way=_on_the_way(distances[sample], second, second_distance, ways.distances[of]), ways=between, map=there, rest=rest,
        rest_fidelity=fidelity, silhouettes=widths,
        stability=_stability(points, centers, of, own, second, beside, fair, random_state),
        nearest=nearest, farthest=farthest,
        matchings=int(aligned + ways.matchings + checked + int(matched.sum()) + spent),
    )  # fmt: skip


def _check_same_graphs(
    space: GraphSpace, points: GraphBatch, own: Matches, sample: IntArray, distances: FloatArray, graphs: Sequence[Graph]
) -> None:
    """Raise if a graph is proven to be farther from its center than the fit says: then it is not the graph of the fit.

    Graphs with the names and attributes of those of the fit, but with other values, would otherwise be drawn beside its figures.
    """
    rounding = TINY * np.asarray(space.in_units_of_graphs(np.sqrt(points.squared_norms)))
    too_far = own.lower - distances * (1.0 + FARTHER) - rounding
    if not len(too_far) or not too_far.max() > 0:
        return
    p = int(too_far.argmax())
    i, name = int(sample[p]), graphs[int(sample[p])].name
    raise GraphError(
        f"graph {i}{'' if name is None else f' ({name!r})'} is at least {own.lower[p]:.4g} from the mean of its cluster, "
        f"and in the fit it was {distances[p]:.4g}: these are not the graphs of the fit, or not in its order"
    )


def _as_rows(space: GraphSpace, points: GraphBatch, centers: GraphBatch) -> tuple[GraphSpace, GraphBatch, GraphBatch] | None:
    """The same distances between rows of numbers, where graphs can be aligned in one way only; None for other graphs.

    A row is a graph with one node. It holds what counts in the distance, and nothing else.
    """
    layout = VectorLayout.of_graphs(space.order, points, centers)
    if layout is None or not layout.dim:
        return None
    factor = float(np.sqrt(layout.factor))
    rows, means = (as_batch(factor * layout.flatten(batch).nodes[:, : layout.dim]) for batch in (points, centers))
    return replace(space, order=np.ones(1, dtype=np.int64), roles=(None,)), rows, means


def _of_rows(own: Matches) -> Matches:
    """These alignments where each graph has become a row: its only node goes to that of the center."""
    count = len(own.upper)
    return Matches(own.lower, own.upper, np.arange(count + 1, dtype=np.int64), np.zeros(count, dtype=np.int64))


def _affordable(estimator: Any, nodes: float, edges: float, least: float) -> int:
    """How many matchings the page may take, which is as many as there are in so many milliseconds at least."""
    order = estimator.space_.order
    if alignments_are_fixed(order):
        milliseconds = ARITHMETIC * (100.0 + nodes + edges)
    else:
        milliseconds = _milliseconds(nodes, int(np.sum(order)))
    return int(np.clip(SHARE * all_matchings(estimator), least / milliseconds, MOST / milliseconds))


def _milliseconds(nodes: float, order: int) -> float:
    """About how many milliseconds a quick matching of two graphs takes: small ones are matched exactly."""
    rows = min(order if order > 0 else 1 << 30, 2 * nodes)
    return 0.045 if rows <= 10 else 0.8 * (rows / 24) ** 2


def _sample(
    labels: IntArray, distances: FloatArray, most: int, random_state: int
) -> tuple[IntArray, NDArray[np.bool_], int, int]:
    """All graphs if there are not too many; else the nearest and the farthest of each cluster, and others at random.

    Returns them, which of them were drawn at random, and how many of the nearest and of the farthest of each cluster are surely
    among them. Only what was drawn at random says anything about the others.
    """
    k = len(np.unique(labels))
    if len(labels) <= most:
        return np.arange(len(labels)), np.ones(len(labels), dtype=bool), NEAREST, FARTHEST
    near = int(np.clip(most // (3 * k), 2, NEAREST))
    far = int(np.clip(near * FARTHEST // NEAREST, 1, FARTHEST))
    sure: list[int] = []
    for label in np.unique(labels):
        members = members_by_distance(labels, distances, label)
        sure += members[:near].tolist() + members[-far:].tolist()
    kept = np.unique(sure)
    wanted = max(most - len(kept), 2 * k)
    sample = kept
    for _ in range(8):  # some that are drawn are among the nearest or the farthest
        drawn = spread_sample(labels, wanted, random_state)
        sample = np.union1d(kept, drawn)
        if len(sample) >= most:
            break
        wanted += most - len(sample)
    return sample, np.isin(sample, drawn), near, far


def _composed_distances(
    space: GraphSpace, points: GraphBatch, centers: GraphBatch, labels: IntArray, own: Matches, ways: CenterWays
) -> FloatArray:
    """Distances of graphs to landmarks along their own centers, shape (graphs, landmarks): each is at least the distance."""
    frames = frames_of(centers)
    rows = np.arange(len(points))
    found = np.empty((len(points), len(ways.landmarks)))
    for at, landmark in enumerate(ways.landmarks.tolist()):
        into = ways.compose(own.flat, np.repeat(labels, np.diff(own.ptr)), at)
        found[:, at] = frames.aligned_distances(points, rows, np.full(len(points), landmark), into, own.ptr)
    return np.asarray(space.in_units_of_graphs(found))


def _second(
    quick: GraphSpace, points: GraphBatch, centers: GraphBatch, labels: IntArray, own_distance: FloatArray,
    composed: FloatArray, ways: CenterWays, own: Matches, most: int,
) -> tuple[IntArray, FloatArray, IntArray, IntArray]:  # fmt: skip
    """The second cluster of each graph, at what distance, how many it was matched with, and how it is aligned to it.

    The nearest landmark along known alignments. Graphs that are nearest to another one in that way are matched with a few that
    seem nearest, as many graphs as may be.
    """
    n = len(labels)
    if len(centers) < 2:
        return np.full(n, -1), np.full(n, np.inf), np.zeros(n, dtype=np.int64), np.full(len(own.flat), -1)
    at_least = composed.copy()
    at_least[labels[:, None] == ways.landmarks[None, :]] = np.inf
    place = at_least.argmin(axis=1)
    second, distance = ways.landmarks[place], at_least[np.arange(n), place]
    into = ways.compose(own.flat, np.repeat(labels, np.diff(own.ptr)), np.repeat(place, np.diff(own.ptr)))
    with np.errstate(invalid="ignore", divide="ignore"):
        margin = np.where(distance > 0, 1.0 - own_distance / distance, 0.0)
    candidates = np.argsort(at_least, axis=1, kind="stable")[:, : min(CANDIDATES, len(ways.landmarks) - 1)]
    tried = np.argsort(margin, kind="stable")[: most // max(candidates.shape[1], 1)]
    tried = np.sort(tried[margin[tried] < CLEAR])
    matched = np.zeros(n, dtype=np.int64)
    if len(tried) and candidates.shape[1]:
        others = ways.landmarks[candidates[tried]]
        known = np.isfinite(np.take_along_axis(at_least[tried], candidates[tried], axis=1))
        pairs = np.stack([np.repeat(tried, others.shape[1]), others.ravel()], axis=1)[known.ravel()]
        found = quick.match(points, centers, pairs)
        order = np.lexsort((found.upper, pairs[:, 0]))
        matched[tried] = known.sum(axis=1)
        for p in order[np.unique(pairs[order, 0], return_index=True)[1]].tolist():  # the nearest one of each graph
            row = int(pairs[p, 0])
            second[row], distance[row] = pairs[p, 1], found.upper[p]
            into[own.ptr[row] : own.ptr[row + 1]] = found.mapping(p)
    return second, distance, matched, into


def _on_the_way(own: FloatArray, second: IntArray, there: FloatArray, apart: FloatArray) -> FloatArray:
    """How far graphs are on the way from their mean to that of their second cluster, as a share of it.

    As in the plane of a triangle: the foot of a graph on the line through both means, which are so far apart. Distances in many
    dimensions are nearly all the same, since what a graph has of its own adds to each; this share is free of that. The border
    between two clusters is at 1/2.
    """
    far = apart[np.arange(len(own)), second] ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        way = np.where(far > 0, (far + own**2 - there**2) / (2.0 * far), 0.5)
    return np.where(second >= 0, way, -np.inf)


def _stability(
    points: GraphBatch, centers: GraphBatch, labels: IntArray, own: Matches, second: IntArray, beside: IntArray,
    fair: NDArray[np.bool_], random_state: int,
) -> float | None:  # fmt: skip
    """The share of graphs that stay in their cluster if the collection is sampled again.

    This is a bootstrap of one step of k-means along the alignments at hand, so it needs no matchings: the means of the
    resampled graphs move, and each graph goes to the nearer one of the mean of its own cluster and that of the second.
    """
    if len(centers) < 2 or not fair.any():
        return None
    random = np.random.RandomState(random_state)
    rows = np.arange(len(points))
    filled = np.isin(second, labels)  # a cluster without a graph in the sample has no mean here

    def stays(weights: FloatArray) -> NDArray[np.bool_]:
        frames = Frames.of_graphs(centers)
        into = own.flat.copy()
        frames.add(points, rows, labels, into, own.ptr, weights)
        frames.total[frames.total == 0] = 1.0
        here = frames.aligned_distances(points, rows, labels, into, own.ptr)
        away = frames.aligned_distances(points, rows, second, beside.copy(), own.ptr)
        return np.asarray((here <= away) | ~filled)

    settled = stays(fair.astype(np.float64))
    kept = []
    for _ in range(REDRAWN):
        weights = random.poisson(1.0, len(points)) * fair.astype(np.float64)
        alone = np.bincount(labels, weights, minlength=len(centers))[labels] == 0
        kept.append((stays(np.where(alone, 1.0, weights)) == settled)[fair])
    return float(np.mean(kept))
