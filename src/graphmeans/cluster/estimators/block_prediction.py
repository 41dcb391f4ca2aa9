"""Predictions for collections of any size: a block at a time, by this process or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.data.dataset import BLOCK, SHARD_SIZE, InMemory, OnDisk, Part, Source, Survey
from graphmeans.cluster.estimators.inputs import is_lazy
from graphmeans.cluster.estimators.scores import outlier_scores, two_nearest
from graphmeans.graphs.batch import GraphBatch
from graphmeans.space import GraphSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Blocks for each thread of a cluster, so that none waits long for the last.
BLOCKS_A_THREAD = 4


class Predicted(NamedTuple):
    """The nearest center of some graphs, and how sure and how odd that is; the second and the margin are for k > 1."""

    label: IntArray
    distance: FloatArray
    second: IntArray
    margin: FloatArray
    outlier: FloatArray


@dataclass(frozen=True, eq=False)
class Predictor:
    """What of a fitted estimator is needed to predict; it can be sent to another process.

    Parameters
    ----------
    space : GraphSpace
    centers : GraphBatch
        Points of the space.
    usual : array
        The usual distance in the cluster of each center.
    """

    space: GraphSpace
    centers: GraphBatch
    usual: FloatArray

    @classmethod
    def of(cls, estimator: Any, n_jobs: int | None = None) -> Predictor:
        """What a fitted estimator knows."""
        return cls(replace(estimator.space_, n_jobs=n_jobs), estimator._centers.batch, estimator._usual())

    def __call__(self, part: Part) -> Predicted:
        """Predict some graphs, which are read first."""
        points, _ = part.load()
        found = []
        for start in range(0, max(len(points), 1), SHARD_SIZE):  # a table of distances to all centers is made of each
            near = two_nearest(self.space, points.take(np.arange(start, min(start + SHARD_SIZE, len(points)))), self.centers)
            odd = outlier_scores(near.distance, self.usual[near.label])
            found.append(Predicted(near.label, near.distance, near.second, near.margin, odd))
        return Predicted(*map(np.concatenate, zip(*found, strict=True)))


#: What is done with a block where it was predicted: is given its number, its graphs and the prediction.
Then = Callable[[int, Any, Predicted], Any]


def predict_blocks(
    estimator: Any, graphs: Any, cluster: Any = None, n_jobs: int | None = None, then: Then | None = None
) -> Iterator[Any]:
    """What a fitted estimator says of graphs, a block after the other: a `Predicted` each, or what `then` makes of it.

    Parameters
    ----------
    estimator : fitted
    graphs : list of graphs or Collection
    cluster : Cluster, optional
        Whose workers do it; they read their blocks of a Collection themselves.
    n_jobs : int, optional
        Threads, without a cluster.
    then : callable, optional
        Is called where the block was predicted, with its number, its part of the graphs and the prediction; what it returns
        comes back instead of the prediction. Workers must be able to import it.
    """
    source = _source(estimator, graphs)
    if cluster is None:
        predictor = Predictor.of(estimator, n_jobs)
        for number, rows in enumerate(_blocks(len(source), 1)):
            yield _predict_block(predictor, number, source.part(rows), then)
        return
    predictor, threads = Predictor.of(estimator, 1), sum(cluster.workers().values())
    parts = [(number, source.part(rows)) for number, rows in enumerate(_blocks(len(source), threads))]
    # Predictions that come back wait in memory until they are used, so not too many are asked for at once.
    at_once = BLOCKS_A_THREAD * threads if then is None else max(len(parts), 1)
    for start in range(0, len(parts), at_once):
        yield from cluster.map([(_predict_block, predictor, *part, then) for part in parts[start : start + at_once]])


def _predict_block(predictor: Predictor, number: int, part: Part, then: Then | None) -> Any:
    found = predictor(part)
    return found if then is None else then(number, part, found)


def class_names(estimator: Any) -> list[str] | None:
    """The class of each prototype of a classifier."""
    if not hasattr(estimator, "prototype_classes_"):
        return None
    return [str(estimator.classes_[number]) for number in estimator.prototype_classes_]


def _source(estimator: Any, graphs: Any) -> Source:
    if is_lazy(graphs):
        return OnDisk(graphs, estimator.encoder_, estimator.space_, Survey.of(estimator._centers.batch), None)
    points = estimator._points(graphs)
    return InMemory(points, np.ones(len(points)))


def _blocks(n: int, threads: int) -> list[range]:
    size = int(np.clip(-(-n // (BLOCKS_A_THREAD * threads)), SHARD_SIZE, BLOCK))
    return [range(start, min(start + size, n)) for start in range(0, n, size)]
