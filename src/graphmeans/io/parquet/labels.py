"""The labels of a clustering as Parquet: one file, or a folder of parts that workers write. They are read back as one table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.cluster.data import dataset
from graphmeans.cluster.shards.reductions import Assignment
from graphmeans.files import PathLike, fail
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.io.parquet.arrow import arrow, parquet, reading
from graphmeans.io.parquet.collection import Collection
from graphmeans.io.parquet.layout import KEY, LABELS_FORMAT, LABELS_VERSION, is_label_table, own_metadata, writable_text
from graphmeans.io.parquet.writer import when_complete


class LabelTable(NamedTuple):
    """The columns of a table of labels, one entry for each graph; None for a column that the table does not have."""

    names: list[str | None]
    labels: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    classes: list[str | None] | None


def write_labels(
    path: PathLike, names: Sequence[str | None], labels: ArrayLike, distances: ArrayLike | None = None,
    classes: Sequence[object] | None = None, *,
    rows_per_group: int = 1_000_000, part: tuple[int, int] | None = None, **more: ArrayLike,
) -> None:
    """Write the result of a clustering as Parquet: columns ``name``, ``cluster`` and, if given, ``distance`` and ``class``.

    Parameters
    ----------
    path : path
        A file beside the collection.
    names : sequence of str or None
        The name of each graph.
    labels : array of int
        The cluster of each graph.
    distances : array of float, optional
        The distance of each graph to its mean graph.
    classes : sequence of labels, optional
        The known class of each graph, None where it has none.
    rows_per_group : int, default=1000000
        How many rows are written, and later read, at once.
    part : tuple of two int, optional
        If this is one file of several in a folder: the number of its first graph, and how many graphs there are in all.
    **more : arrays
        Further columns by name.

    See Also
    --------
    read_labels : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_labels, write_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_labels(os.path.join(folder, "labels.parquet"), ["a", "b"], [0, 1])
    ...     names, labels, distances = read_labels(os.path.join(folder, "labels.parquet"))
    >>> names, labels.tolist(), distances
    (['a', 'b'], [0, 1], None)
    """
    pa, pq = arrow(), parquet()
    columns: dict[str, Any] = {
        "name": pa.array([None if name is None else writable_text(name) for name in names], pa.string()),
        "cluster": pa.array(np.asarray(labels, dtype=np.int32)),
    }
    if distances is not None:
        columns["distance"] = pa.array(np.asarray(distances, dtype=np.float64))
    if classes is not None:
        columns["class"] = pa.array([None if label is None else writable_text(str(label)) for label in classes], pa.string())
    columns |= {name: pa.array(np.asarray(values)) for name, values in more.items()}
    if len({len(column) for column in columns.values()}) > 1:
        said = ", ".join(f"{len(column)} {key}s" for key, column in columns.items())
        raise fail(path, f"labels cannot be written: {said}")
    about = {"format": LABELS_FORMAT, "version": LABELS_VERSION}
    about |= {} if part is None else {"first": part[0], "of": part[1]}
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(about).encode()})
    with when_complete(Path(path)) as partial:
        pq.write_table(table, partial, compression="zstd", row_group_size=rows_per_group, write_page_checksum=True)


def read_labels(path: PathLike) -> tuple[list[str | None], NDArray[np.int32], NDArray[np.float64] | None]:
    """Read the names, labels and distances that `write_labels` wrote, from a file or a folder of parts.

    Parameters
    ----------
    path : path
        The file or folder.

    Returns
    -------
    names : list of str or None
        The name of each graph.
    labels : array of int
        The cluster of each graph.
    distances : array of float or None
        The distance to the mean graph; None if it was not written.

    See Also
    --------
    write_labels : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_labels, write_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_labels(os.path.join(folder, "labels.parquet"), ["a", "b"], [0, 1])
    ...     names, labels, distances = read_labels(os.path.join(folder, "labels.parquet"))
    >>> names, labels.tolist(), distances
    (['a', 'b'], [0, 1], None)
    """
    return read_label_table(path)[:3]


def read_label_table(path: PathLike) -> LabelTable:
    """Read a table of labels with the classes. The parts of a folder are put in their order; none may be missing."""
    tables = [table for _, table in sorted(_label_parts(Path(path)), key=lambda part: part[0])]
    common = set.intersection(*(set(table.column_names) for table in tables))
    with reading(path):
        return LabelTable(
            [name for table in tables for name in table.column("name").to_pylist()],
            np.concatenate([table.column("cluster").to_numpy() for table in tables]).astype(np.int32),
            np.concatenate([table.column("distance").to_numpy() for table in tables]) if "distance" in common else None,
            [label for table in tables for label in table.column("class").to_pylist()] if "class" in common else None,
        )


def _label_parts(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield every table of labels at a path with the number of its first graph."""
    pq, files, folder = parquet(), [path], path.is_dir()
    if folder:
        files = sorted(file for file in path.glob("*.parquet") if file.name[0] not in "._")
        if not files:
            raise fail(path, "holds no labels")
    found, total = 0, None
    firsts: dict[int, int] = {}
    for file in files:
        with reading(file):
            table = pq.read_table(file, page_checksum_verification=True, partitioning=None)
        if not is_label_table(table.schema, str(file)):
            raise fail(file, "is no table of labels written by graphmeans")
        about = own_metadata(table.schema, str(file)) or {}
        with reading(file):
            first, total = int(about.get("first", found)), about.get("of", total)
        firsts[first] = table.num_rows
        found += table.num_rows
        yield first, table
    at = 0
    while more := firsts.get(at):
        at += more
    if folder and (at != found or total not in (None, found)):
        raise fail(path, f"a part is missing: there are labels of {found} graphs, those from graph {at} on are not there")


# -- labels of a fitted estimator, written by whoever holds them ------------------------------------


class NotShared(GraphError):
    """Workers do not see the folder that they should write to."""


def write_fitted(estimator: Any, path: PathLike, X: Any = None) -> int:
    """Write the labels of a fitted estimator, and return their number; see `GraphKMeans.write_labels`."""
    found = vars(estimator).get("_result")
    engine = None if found is None else found.engine  # workers may still hold the labels
    if engine is not None and engine.on_disk:
        folder = new_folder(path)
        written = int(engine.export(write_shard, str(folder), len(engine)))
        check_arrived(folder, -(-len(engine) // dataset.SHARD_SIZE))
        return written
    labels = estimator.labels_
    names: Sequence[str | None] = [None] * len(labels)
    classes = None
    if isinstance(X, Collection):
        names, classes = X.names, X.labels
    elif X is not None:
        names = [graph.name for graph in to_graphs(X)]
    if len(names) != len(labels):
        raise GraphError(f"the estimator was fitted to {len(labels)} graphs, not to {len(names)}")
    write_labels(path, names, labels, estimator.distances_, classes, **certificates(estimator))
    return len(labels)


def certificates(estimator: Any) -> dict[str, Any]:
    """The columns that say which labels of a fitted estimator are proven; none where the fit does not know."""
    if not np.isfinite(getattr(estimator, "certified_fraction_", np.nan)):
        return {}
    return {"proven": estimator.certified_, "proven_margin": estimator.certified_margins_}


def write_shard(number: int, part: Any, found: Assignment, folder: str, of: int) -> int:
    """Write the labels of one shard. This is called by the worker that holds it."""
    more = {"proven": found.proven, "proven_margin": found.proven_margins}
    distances = part.space.in_units_of_graphs(found.distances)
    write_part(folder, number, part.collection, part.rows, of, found.labels, distances, **more)
    return len(found.labels)


def write_part(
    folder: str, number: int, collection: Collection, rows: dataset.Rows, of: int, labels: Any, distances: Any, **more: Any
) -> None:
    """Write one file of a folder of labels. The folder must exist: a worker must not make one on a disk of its own."""
    if not Path(folder).is_dir():
        raise NotShared(f"{folder}: is not seen by all workers; name a folder that all of them share")
    names, classes = collection.names_of(rows), collection.labels_of(rows)
    known = None if all(label is None for label in classes) else classes
    target = Path(folder) / part_name(number)
    write_labels(target, names, labels, distances, known, part=(int(rows[0]), of), **more)


def part_name(number: int) -> str:
    """Return the name of a file in a folder of labels."""
    return f"part-{number:07d}.parquet"


def new_folder(path: PathLike) -> Path:
    """Make an empty folder at this path."""
    folder = Path(path).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise fail(path, "is there already: name an empty or a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_arrived(folder: Path, count: int) -> None:
    """Check that all parts are here: workers may have written to a folder of the same name on a disk of their own."""
    if not all((folder / part_name(number)).is_file() for number in range(count)):
        raise NotShared(f"{folder}: not all that workers wrote is here; name a folder that all of them share")
