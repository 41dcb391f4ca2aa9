"""The labels of a fitted estimator as Parquet, written by whoever holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.io._files import PathLike, fail
from graphmeans.io.lazy import Collection
from graphmeans.io.parquet import write_labels


def write_fitted(estimator: Any, path: PathLike, X: Any = None) -> int:
    """See `GraphKMeans.write_labels`."""
    found = vars(estimator).get("_found")
    engine = None if found is None else found.engine
    if engine is not None and engine.on_disk:
        folder = Path(path).absolute()
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise fail(path, "is there already: name an empty or a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        return int(engine.export(write_shard, str(folder)))
    labels = estimator.labels_
    names: list[str | None] = [None] * len(labels)
    if X is not None:
        names = list(X.names) if isinstance(X, Collection) else [graph.name for graph in to_graphs(X)]
    if len(names) != len(labels):
        raise GraphError(f"the estimator was fitted to {len(labels)} graphs, not to {len(names)}")
    write_labels(path, names, labels, estimator.distances_)
    return len(labels)


def write_shard(number: int, part: Any, labels: NDArray[np.int64], distances: NDArray[np.float64], folder: str) -> int:
    """What a worker writes: the labels of one shard."""
    names = part.collection.names_of(part.rows)
    write_labels(Path(folder) / f"part-{number:07d}.parquet", names, labels, distances)
    return len(labels)
