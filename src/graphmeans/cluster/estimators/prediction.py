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

from graphmeans.cluster.data.dataset import BLOCK, SHARD_SIZE, Dataset, DatasetPart
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.nearest.cascade import Cascade
from graphmeans.nearest.points import Points
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
        """The nearest center of each graph."""
        index, distance = self._nearest(part, 1)
        return Nearest(index[:, 0], distance[:, 0])

    def two_nearest(self, part: DatasetPart, number: int = 0) -> TwoNearest:
        """The two nearest centers of each graph."""
        index, distance = self._nearest(part, min(2, len(self.centers)))
        return TwoNearest(index[:, 0], distance[:, 0], index[:, -1], distance[:, -1])

    def _nearest(self, part: DatasetPart, k: int) -> tuple[IntArray, FloatArray]:
        """The k nearest centers of each graph, and how far they are. What is too large for the space has its own order."""
        points, _ = part.load()
        index, distance = np.zeros((len(points), k), dtype=np.int64), np.zeros((len(points), k))
        cascade = Cascade(Points.of(self.space, self.centers), proves=False)
        for i, found in enumerate(cascade.nearest(points, k)):
            index[i], distance[i] = found.index[:k], found.upper[:k]
        return index, self.space.in_units_of_graphs(distance)

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
    space = replace(estimator.space_, n_jobs=n_jobs, device=estimator.device)
    return Predictor(space, estimator._centers.batch, estimator._usual_distances())


# -- how sure a label is, and how odd a graph ------------------------------------------------------


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
