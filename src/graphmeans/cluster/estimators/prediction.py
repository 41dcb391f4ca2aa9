"""Where graphs are predicted, for all estimators, in memory and on disk, on threads and by the workers of a cluster.

A `Predictor` is what of a fitted estimator is needed to predict. It works on a part of a collection at a time, wherever that
part is, and can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.data.dataset import BLOCK, SHARD_SIZE, Dataset, DatasetPart
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.cluster.shards.assign import assign_labels
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.matching.sketch import pairwise_sketch_bounds
from graphmeans.means.registry import get_mean
from graphmeans.space import GraphSpace

T = TypeVar("T")

#: A cluster with fewer members does not say what is usual in it.
FEW = 5
#: Blocks for each thread of a cluster, so that none waits long for the last.
BLOCKS_A_THREAD = 4


class Nearest(NamedTuple):
    """The nearest center of some graphs, and how far it is."""

    label: IntArray
    distance: FloatArray


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


class Prediction(NamedTuple):
    """The nearest center of some graphs, and how sure and how odd that is; the second and the margin are for k > 1."""

    label: IntArray
    distance: FloatArray
    second: IntArray
    margin: FloatArray
    outlier: FloatArray


@dataclass(frozen=True, eq=False)
class Predictor:
    """What of a fitted estimator is needed to predict.

    Parameters
    ----------
    space : GraphSpace
    centers : GraphBatch
        Points of the space.
    usual : array, optional
        The usual distance in the cluster of each center, for outlier scores.
    """

    space: GraphSpace
    centers: GraphBatch
    usual: FloatArray | None = None

    def nearest_centers(self, part: DatasetPart, number: int = 0) -> Nearest:
        """The nearest center of each graph, with the bounds of the interval algorithm.

        Graphs that do not fit into the space are matched with every center, at their own order.
        """
        points, _ = part.load()
        labels, distances = np.zeros(len(points), dtype=np.int64), np.zeros(len(points))
        fits = fit_into(self.space, points)
        inside, outside = np.flatnonzero(fits), np.flatnonzero(~fits)
        if len(inside):
            some = points if len(inside) == len(points) else points.take(inside)
            context = FitContext.in_memory(some, self.space, get_mean("lifted"), seed=0)
            engine = ThreadEngine(context, CountedMatcher(self.space), len(self.centers))
            engine.each(assign_labels, FrameCenters.from_graphs(context.bounded_order(), self.centers), 0.0)
            found = engine.assignment()
            labels[inside], distances[inside] = found.labels, self.space.in_units_of_graphs(found.distances)
        if len(outside):
            matrix = self.space.distances(points.take(outside), self.centers)
            labels[outside], distances[outside] = matrix.argmin(axis=1), matrix.min(axis=1)
        return Nearest(labels, distances)

    def two_nearest(self, part: DatasetPart, number: int = 0) -> TwoNearest:
        """The two nearest centers of each graph; only centers whose bounds do not rule them out are matched."""
        points, _ = part.load()
        found = []
        for start in range(0, max(len(points), 1), SHARD_SIZE):  # a table of distances to all centers is made of each
            some = points.take(np.arange(start, min(start + SHARD_SIZE, len(points))))
            found.append(two_nearest(self.space, some, self.centers))
        return TwoNearest(*map(np.concatenate, zip(*found, strict=True)))

    def describe(self, part: DatasetPart, number: int = 0) -> Prediction:
        """Say everything that is said of new graphs: the two nearest centers, the margin and how odd each graph is."""
        assert self.usual is not None, "nobody said which distances are usual"
        near = self.two_nearest(part)
        odd = outlier_scores(near.distance, self.usual[near.label])
        return Prediction(near.label, near.distance, near.second, near.margin, odd)


def by_blocks(
    ask: Callable[..., T], predictor: Predictor, data: Dataset, client: DaskClient | None = None, *args: Any
) -> Iterator[T]:
    """Ask about a collection a block after the other: ask(predictor, part, number of the block, *args), in their order.

    With a client its workers do it, and read their blocks of a collection on disk themselves.
    """
    threads = 1 if client is None else sum(client.workers().values())
    if client is not None:
        predictor = replace(predictor, space=replace(predictor.space, n_jobs=1))
    size = int(np.clip(-(-len(data) // (BLOCKS_A_THREAD * threads)), SHARD_SIZE, BLOCK))
    starts = range(0, len(data), size)
    tasks = (
        (ask, predictor, data.part(range(start, min(start + size, len(data)))), number, *args)
        for number, start in enumerate(starts)
    )
    if client is None:
        yield from (function(*rest) for function, *rest in tasks)
        return
    at_once = BLOCKS_A_THREAD * threads  # what is predicted but not yet written down waits in memory
    while some := list(islice(tasks, at_once)):
        yield from client.map(some)


def predictions(
    estimator: Any, graphs: Any, client: DaskClient | None = None, n_jobs: int | None = None
) -> Iterator[Prediction]:
    """Everything that a fitted estimator says of graphs, a block after the other.

    Parameters
    ----------
    estimator : fitted estimator
    graphs : list of graphs or Collection
    client : DaskClient, optional
        The workers that do it.
    n_jobs : int, optional
        The number of threads, without a client.
    """
    return by_blocks(Predictor.describe, predictor_of(estimator, n_jobs), estimator._data(graphs), client)


def predictor_of(estimator: Any, n_jobs: int | None = None) -> Predictor:
    """What of a fitted estimator is needed to predict, with the distances that are usual in its clusters."""
    space = replace(estimator.space_, n_jobs=n_jobs)
    return Predictor(space, estimator._centers.batch, estimator._usual_distances())


def fit_into(space: GraphSpace, points: GraphBatch) -> NDArray[np.bool_]:
    """Which graphs have no more nodes of any role than the space has slots; none, where it has no limit."""
    if (space.order >= UNBOUNDED).any():
        return np.zeros(len(points), dtype=bool)
    counts = points.role_counts
    order = np.concatenate([space.order, np.zeros(max(0, counts.shape[1] - len(space.order)), dtype=np.int64)])
    return np.asarray((counts <= order[: counts.shape[1]]).all(axis=1))


# -- how sure a label is, and how odd a graph ------------------------------------------------------


def two_nearest(space: GraphSpace, points: GraphBatch, centers: GraphBatch) -> TwoNearest:
    """Match graphs with centers in the order of their sketch bounds, until no other center can be among the two nearest."""
    found = np.full((len(points), len(centers)), np.inf)
    fits = fit_into(space, points)
    outside, inside = np.flatnonzero(~fits), np.flatnonzero(fits)
    if len(outside):
        found[outside] = space.distances(points.take(outside), centers)
    if len(inside):
        _match_nearest(space, points, centers, inside, found)
    order = np.argsort(found, axis=1, kind="stable")
    first, then = order[:, 0], order[:, min(1, len(centers) - 1)]
    everyone = np.arange(len(points))
    return TwoNearest(first, found[everyone, first], then, found[everyone, then])


def _match_nearest(
    space: GraphSpace, points: GraphBatch, centers: GraphBatch, graphs: IntArray, found: FloatArray
) -> None:
    """Match these graphs with their two best candidates, then with each further one that no bound rules out."""
    bounds = space.in_units_of_graphs(pairwise_sketch_bounds(points.take(graphs), centers, space.order))
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
        raised = lap_bounds(points, centers, np.stack([rows, to], axis=1), space.order, space.n_jobs)
        near = space.in_units_of_graphs(raised) <= second
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


def class_names(estimator: Any) -> list[str] | None:
    """The class of each prototype of a classifier; None for others."""
    if not hasattr(estimator, "prototype_classes_"):
        return None
    return [str(estimator.classes_[number]) for number in estimator.prototype_classes_]
