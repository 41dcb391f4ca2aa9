"""The labels of a fitted estimator as Parquet, written by whoever holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.data import dataset as sources
from graphmeans.files import PathLike, fail
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.io.parquet.collection import Collection
from graphmeans.io.parquet.write import write_labels


class NotShared(GraphError):
    """Workers do not see the folder that they should write to."""


def write_fitted(estimator: Any, path: PathLike, X: Any = None) -> int:
    """See `GraphKMeans.write_labels`."""
    found = vars(estimator).get("_found")
    engine = None if found is None else found.engine
    if engine is not None and engine.on_disk:
        folder = new_folder(path)
        written = int(engine.export(write_shard, str(folder), len(engine)))
        check_arrived(folder, -(-len(engine) // sources.SHARD_SIZE))
        return written
    labels = estimator.labels_
    names: list[str | None] = [None] * len(labels)
    classes = None
    if X is not None:
        names = list(X.names) if isinstance(X, Collection) else [graph.name for graph in to_graphs(X)]
        classes = X.labels if isinstance(X, Collection) else None
    if len(names) != len(labels):
        raise GraphError(f"the estimator was fitted to {len(labels)} graphs, not to {len(names)}")
    write_labels(path, names, labels, estimator.distances_, classes)
    return len(labels)


def write_shard(number: int, part: Any, labels: NDArray[np.int64], distances: NDArray[np.float64], folder: str, of: int) -> int:
    """What a worker writes: the labels of one shard."""
    write_part(folder, number, part.collection, part.rows, of, labels, distances)
    return len(labels)


def write_part(
    folder: str, number: int, collection: Collection, rows: sources.Rows, of: int, labels: Any, distances: Any, **more: Any
) -> None:
    """Write one of the files of a folder of labels, which must be there: else this machine would make one of its own."""
    if not Path(folder).is_dir():
        raise NotShared(f"{folder}: is not seen by all workers; name a folder that all of them share")
    names, classes = collection.names_of(rows), collection.labels_of(rows)
    known = None if all(label is None for label in classes) else classes
    target = Path(folder) / part_name(number)
    write_labels(target, names, labels, distances, known, part=(int(rows[0]), of), **more)


def part_name(number: int) -> str:
    """The name of a file in a folder of labels."""
    return f"part-{number:07d}.parquet"


def new_folder(path: PathLike) -> Path:
    """An empty folder at this path."""
    folder = Path(path).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise fail(path, "is there already: name an empty or a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_arrived(folder: Path, count: int) -> None:
    """Whether what workers wrote is here: they may have a folder of the same name on a disk of their own."""
    if not all((folder / part_name(number)).is_file() for number in range(count)):
        raise NotShared(f"{folder}: not all that workers wrote is here; name a folder that all of them share")
