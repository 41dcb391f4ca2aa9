"""Collections as Parquet, a row a graph: written in a stream, as one file or as a folder of parts; labels beside them.

What a row holds is said in `io._layout`. Pages have checksums, so a bit that flips on a disk is noticed. Files appear under
their names only when they are complete.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.files import PathLike, fail
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.parquet.layout import KEY, Layout, arrow, described, parquet
from graphmeans.io.parquet.rows import to_table

#: Rows in a row group, which is what is read at once, unless said otherwise.
ROWS_PER_GROUP = 10_000

LABELS_FORMAT, LABELS_VERSION = "graphmeans labels", 1
_END = object()


def write_parquet(
    graphs: Iterable[Any],
    path: PathLike,
    classes: Iterable[object] | None = None,
    *,
    rows_per_group: int = ROWS_PER_GROUP,
    rows_per_file: int | None = None,
) -> int:
    """Write a collection as Parquet; never more than a row group of it is held.

    Parameters
    ----------
    graphs : iterable of Graph, or of anything that stands for graphs
        May be a generator. The columns are those of the graphs in the first row group (of a list: of all graphs). A later
        graph that does not fit them, a mean graph or one whose types differ is kept too, in a column of its own, but read
        more slowly.
    path : path
        A file; a folder if `rows_per_file` is given.
    classes : iterable of as many labels, optional
    rows_per_group : int
        How many graphs are written, and later read, at once: a partition.
    rows_per_file : int, optional
        Write a folder of files ``part-00000.parquet``, ... with at most this many graphs each.

    Returns
    -------
    int
        The number of graphs written.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import write_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "lines.parquet")
    ...     write_parquet((gm.Graph({"x": [0.0, i]}, [(0, 1)]) for i in range(5)), path, rows_per_group=2)
    ...     gm.open_collection(path).n_partitions
    5
    3
    """
    layout = None
    if isinstance(graphs, Sequence):
        graphs = to_graphs(graphs)
        layout = Layout.of(graphs) if graphs else None
    rows = _with_labels(graphs, classes, Path(path))
    return write_rows(rows, path, layout, rows_per_group=rows_per_group, rows_per_file=rows_per_file)


def write_rows(
    rows: Iterable[tuple[Graph, str | None]],
    path: PathLike,
    layout: Layout | None = None,
    *,
    rows_per_group: int = ROWS_PER_GROUP,
    rows_per_file: int | None = None,
) -> int:
    """Write graphs that come with their classes (or None), as `iterate_collection` gives them; see `write_parquet`."""
    arrow()
    for name, most in (("rows_per_group", rows_per_group), ("rows_per_file", rows_per_file)):
        if most is not None and most < 1:
            raise GraphError(f"{name} must be at least 1, got {most}")
    target, rows = Path(path), iter(rows)
    first = next(rows, None)
    if first is None:
        raise fail(target, "an empty collection cannot be written")
    rest: Iterator[tuple[Graph, str | None]] = itertools.chain([first], rows)
    del first
    if rows_per_file is None:
        with _complete(target) as partial:
            return _write_file(rest, partial, layout, rows_per_group)
    written = 0
    with _complete(target, folder=True) as partial:
        for number in itertools.count():
            some = itertools.islice(rest, rows_per_file)
            part = _write_file(some, partial / f"part-{number:05d}.parquet", layout, rows_per_group)
            written += part
            if part < rows_per_file:
                break
    return written


class Labels(NamedTuple):
    """What a clustering says of each graph: columns of a table, None where there are none."""

    names: list[str | None]
    labels: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    classes: list[str | None] | None


def write_labels(
    path: PathLike,
    names: Sequence[str | None],
    labels: ArrayLike,
    distances: ArrayLike | None = None,
    classes: Sequence[object] | None = None,
    *,
    rows_per_group: int = 1_000_000,
    part: tuple[int, int] | None = None,
    **more: ArrayLike,
) -> None:
    """Write the result of a clustering as Parquet: columns ``name``, ``cluster`` and, if given, ``distance`` and ``class``.

    Parameters
    ----------
    path : path
        A file beside the collection.
    names : sequence of str, one a graph
    labels : array of int
    distances : array of float, optional
    classes : sequence of labels, optional
        The known class of each graph, None where it has none.
    rows_per_group : int
    part : tuple of two int, optional
        If this is one file of several in a folder: the number of its first graph, and how many graphs there are in all.
    **more : arrays
        Further columns by name.
    """
    pa, pq = arrow(), parquet()
    columns: dict[str, Any] = {
        "name": pa.array([None if name is None else _writable(name) for name in names], pa.string()),
        "cluster": pa.array(np.asarray(labels, dtype=np.int32)),
    }
    if distances is not None:
        columns["distance"] = pa.array(np.asarray(distances, dtype=np.float64))
    if classes is not None:
        columns["class"] = pa.array([None if label is None else _writable(str(label)) for label in classes], pa.string())
    columns |= {name: pa.array(np.asarray(values)) for name, values in more.items()}
    if len({len(column) for column in columns.values()}) > 1:
        said = ", ".join(f"{len(column)} {key}s" for key, column in columns.items())
        raise fail(path, f"labels cannot be written: {said}")
    about: dict[str, Any] = {"format": LABELS_FORMAT, "version": LABELS_VERSION}
    if part is not None:
        about |= {"first": part[0], "of": part[1]}
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(about).encode()})
    with _complete(Path(path)) as partial:
        pq.write_table(table, partial, compression="zstd", row_group_size=rows_per_group, write_page_checksum=True)


def read_labels(path: PathLike) -> tuple[list[str | None], NDArray[np.int32], NDArray[np.float64] | None]:
    """Names, labels and distances (None if there are none) that `write_labels` wrote: a file, or a folder of parts."""
    return read_label_table(path)[:3]


def read_label_table(path: PathLike) -> Labels:
    """The same with the classes. The parts of a folder are put in their order; none may be missing."""
    tables = [table for _, table in sorted(_label_parts(Path(path)), key=lambda part: part[0])]
    with reading(path):
        names, labels, distances, classes = ([_column(table, key) for table in tables] for key in _LABEL_COLUMNS)
        return Labels(
            [name for column in names for name in column.to_pylist()],
            np.concatenate([column.to_numpy() for column in labels]).astype(np.int32),
            None if any(c is None for c in distances) else np.concatenate([column.to_numpy() for column in distances]),
            None if any(c is None for c in classes) else [label for column in classes for label in column.to_pylist()],
        )


_LABEL_COLUMNS = ("name", "cluster", "distance", "class")


def _column(table: Any, name: str) -> Any:
    return table.column(name) if name in table.column_names else None


def _label_parts(path: Path) -> Iterator[tuple[int, Any]]:
    """Tables of labels with the number of their first graph, all of them."""
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
        if not is_labels(table.schema, str(file)):
            raise fail(file, "is no table of labels written by graphmeans")
        about = described(table.schema, str(file)) or {}
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


def is_labels(schema: Any, where: str) -> bool:
    """Whether a file holds labels rather than graphs."""
    about = described(schema, where)
    return about is not None and about.get("format") == LABELS_FORMAT


@contextlib.contextmanager
def reading(path: PathLike, what: str = "") -> Iterator[None]:
    """Whatever pyarrow finds wrong with a file, in one line that names it."""
    try:
        yield
    except FileNotFoundError:
        raise fail(path, "no such file or folder") from None
    except GraphError:
        raise
    except (arrow().ArrowException, OSError, ValueError, TypeError, KeyError, IndexError, MemoryError, RuntimeError) as error:
        reason = str(error).partition("\n")[0].strip() or type(error).__name__
        raise fail(path, f"{what or 'is not a readable Parquet file'} ({reason})") from None


def _with_labels(graphs: Iterable[Any], classes: Iterable[object] | None, path: Path) -> Iterator[tuple[Graph, str | None]]:
    """Each graph with its class; neither may run out before the other."""
    if classes is None:
        pairs: Iterable[tuple[Any, Any]] = ((graph, None) for graph in graphs)
    else:
        pairs = itertools.zip_longest(graphs, classes, fillvalue=_END)
    for i, (graph, label) in enumerate(pairs):
        if graph is _END or label is _END:
            raise fail(path, f"there are {'fewer' if graph is _END else 'more'} graphs than classes: one of them ends at {i}")
        if not isinstance(graph, Graph):
            graph = to_graphs([graph])[0]
        yield graph, None if label is None else _writable(str(label))


def _write_file(
    rows: Iterator[tuple[Graph, str | None]], path: Path, layout: Layout | None, rows_per_group: int
) -> int:
    pq = parquet()
    written, apart = 0, 0
    writer = None
    try:
        while some := list(itertools.islice(rows, rows_per_group)):
            graphs = [graph for graph, _ in some]
            layout = Layout.of(graphs) if layout is None else layout
            table, strangers = to_table(layout, graphs, [label for _, label in some])
            with reading(path.name, "cannot be written"):
                if writer is None:
                    writer = _writer(pq, path, table.schema)
                writer.write_table(table, row_group_size=rows_per_group)
            written, apart = written + len(some), apart + strangers
        if writer is not None:
            writer.add_key_value_metadata({"graphmeans.apart": str(apart)})
    finally:
        if writer is not None:
            writer.close()
    return written


def _writer(pq: Any, path: Path, schema: Any) -> Any:
    """Numbers are written as they are, strings through a dictionary: in most collections they repeat."""
    texts = [one.name for one in schema if "string" in str(one.type) and one.name != "name"]
    return pq.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=texts or False, write_statistics=False, write_page_checksum=True
    )


@contextlib.contextmanager
def _complete(path: Path, folder: bool = False) -> Iterator[Path]:
    """A place to write to beside the path, which gets its name when all is written and goes if something fails."""
    partial = path.parent / f".{path.name}.{os.getpid()}.partial"
    try:
        if folder and path.exists() and (path.is_file() or any(path.iterdir())):
            raise fail(path, "is there already; name another folder, or remove it")
        if not folder and path.is_dir():
            raise fail(path, "is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        if folder:
            partial.mkdir()
        yield partial
        os.replace(partial, path)
    except OSError as error:
        raise fail(path, f"cannot be written ({error.strerror or error})") from None
    finally:
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)


def _writable(text: str) -> str:
    """Half a surrogate pair cannot be written; it becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
