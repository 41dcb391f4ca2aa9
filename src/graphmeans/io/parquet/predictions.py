"""Predictions for collections of any size: a block at a time, by this process or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.data.dataset import BLOCK, SHARD_SIZE, InMemory, OnDisk, Part, Source, Survey
from graphmeans.cluster.estimators.inputs import is_lazy
from graphmeans.cluster.estimators.scores import outlier_scores, two_nearest
from graphmeans.files import PathLike
from graphmeans.graphs.batch import GraphBatch
from graphmeans.io.parquet.labels import check_arrived, new_folder, write_part
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


def predicted(estimator: Any, graphs: Any, cluster: Any = None, n_jobs: int | None = None) -> Iterator[Predicted]:
    """What a fitted estimator says of graphs, a block after the other.

    Parameters
    ----------
    estimator : fitted
    graphs : list of graphs or Collection
    cluster : Cluster, optional
        Whose workers do it; they read their blocks of a Collection themselves.
    n_jobs : int, optional
        Threads, without a cluster.
    """
    source = _source(estimator, graphs)
    if cluster is None:
        predictor = Predictor.of(estimator, n_jobs)
        for rows in _blocks(len(source), 1):
            yield predictor(source.part(rows))
        return
    predictor, threads = Predictor.of(estimator, 1), sum(cluster.workers().values())
    blocks = _blocks(len(source), threads)
    at_once = BLOCKS_A_THREAD * threads  # what is predicted but not yet written down waits in memory
    for start in range(0, len(blocks), at_once):
        yield from cluster.map([(predictor, source.part(rows)) for rows in blocks[start : start + at_once]])


def write_predicted(estimator: Any, collection: Any, path: PathLike, cluster: Any = None, n_jobs: int | None = None) -> int:
    """Predict a collection on disk and write a folder of Parquet parts; workers write theirs. How many graphs there are."""
    folder = new_folder(path)
    predictor = Predictor.of(estimator, n_jobs if cluster is None else 1)
    names = class_names(estimator)
    blocks = _blocks(len(collection), 1 if cluster is None else sum(cluster.workers().values()))
    source, of = _source(estimator, collection), len(collection)
    tasks: list[Any] = [
        (_write, str(folder), n, predictor, source.part(rows), of, names) for n, rows in enumerate(blocks)
    ]
    counts = cluster.map(tasks) if cluster is not None else [function(*args) for function, *args in tasks]
    check_arrived(folder, len(tasks))
    return sum(counts)


def _write(folder: str, number: int, predictor: Predictor, part: Any, of: int, names: list[str] | None) -> int:
    found = predictor(part)
    write_part(folder, number, part.collection, part.rows, of, found.label, found.distance, **columns(found, names))
    return len(found.label)


def columns(found: Predicted, names: list[str] | None) -> dict[str, Any]:
    """What a table of predictions holds beside name, label and distance; `names` are those of a classifier's prototypes."""
    more: dict[str, Any] = {} if names is None else {"predicted": np.array(names, dtype=object)[found.label]}
    return more | {"second": found.second.astype(np.int32), "margin": found.margin, "outlier": found.outlier}


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
