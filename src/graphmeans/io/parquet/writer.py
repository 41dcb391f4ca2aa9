"""Collections as Parquet, with a row for each graph, written in a stream as one file or as a folder of parts.

What a row holds is said in `graphmeans.io.parquet.layout`. Pages have checksums, so a bit that flips on a disk is noticed.
Files appear under their names only when they are complete.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from graphmeans.files import PathLike, fail, refusing, replace_file
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.parquet.arrow import arrow, parquet, reading
from graphmeans.io.parquet.layout import Layout, writable_text
from graphmeans.io.parquet.rows import graphs_to_arrow

#: The default number of rows in a row group, which is what is read at once.
ROWS_PER_GROUP = 10_000

_END = object()


def write_parquet(
    graphs: Iterable[Any], path: PathLike, classes: Iterable[object] | None = None, *,
    rows_per_group: int = ROWS_PER_GROUP, rows_per_file: int | None = None,
) -> int:
    """Write a collection as Parquet. At most one row group is held in memory.

    Parameters
    ----------
    graphs : iterable of Graph, or of anything that stands for graphs
        May be a generator. The columns are those of the graphs in the first row group (of a list: of all graphs). A later
        graph that does not fit them, a mean graph or one whose types differ is kept too, in a column of its own, but read
        more slowly.
    path : path
        A file; a folder if `rows_per_file` is given.
    classes : iterable of as many labels, optional
        The known class of each graph, None where it has none.
    rows_per_group : int, default=ROWS_PER_GROUP
        How many graphs are written, and later read, at once: a partition.
    rows_per_file : int, optional
        Write a folder of files ``part-00000.parquet``, ... with at most this many graphs each.

    Returns
    -------
    int
        The number of graphs written.

    See Also
    --------
    open_collection : Opens what was written.
    write_collection : Other formats.

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
    rows: Iterable[tuple[Graph, str | None]], path: PathLike, layout: Layout | None = None, *,
    rows_per_group: int = ROWS_PER_GROUP, rows_per_file: int | None = None,
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
        with when_complete(target) as partial:
            return _write_file(rest, partial, layout, rows_per_group)
    written = 0
    with when_complete(target, folder=True) as partial:
        for number in itertools.count():
            some = itertools.islice(rest, rows_per_file)
            written += _write_file(some, partial / f"part-{number:05d}.parquet", layout, rows_per_group)
            if written < (number + 1) * rows_per_file:
                break
    return written


def _with_labels(graphs: Iterable[Any], classes: Iterable[object] | None, path: Path) -> Iterator[tuple[Graph, str | None]]:
    """Yield each graph with its class. There must be as many graphs as classes."""
    pairs: Iterable[tuple[Any, Any]] = zip(graphs, itertools.repeat(None), strict=False)
    if classes is not None:
        pairs = itertools.zip_longest(graphs, classes, fillvalue=_END)
    for i, (graph, label) in enumerate(pairs):
        if graph is _END or label is _END:
            raise fail(path, f"there are {'fewer' if graph is _END else 'more'} graphs than classes: one of them ends at {i}")
        made = graph if isinstance(graph, Graph) else to_graphs([graph])[0]
        yield made, None if label is None else writable_text(str(label))


def _write_file(rows: Iterator[tuple[Graph, str | None]], path: Path, layout: Layout | None, group_size: int) -> int:
    written, apart, writer = 0, 0, None
    with contextlib.ExitStack() as stack:
        while some := list(itertools.islice(rows, group_size)):
            graphs = [graph for graph, _ in some]
            layout = Layout.of(graphs) if layout is None else layout
            table, strangers = graphs_to_arrow(layout, graphs, [label for _, label in some])
            with reading(path.name, "cannot be written"):
                writer = stack.enter_context(_writer(path, table.schema)) if writer is None else writer
                writer.write_table(table, row_group_size=group_size)
            written, apart = written + len(some), apart + strangers
        if writer is not None:
            writer.add_key_value_metadata({"graphmeans.apart": str(apart)})
    return written


def _writer(path: Path, schema: Any) -> Any:
    """Open a writer that encodes strings, which mostly repeat, with a dictionary, and numbers without."""
    texts = [one.name for one in schema if "string" in str(one.type) and one.name != "name"]
    options = {"compression": "zstd", "write_statistics": False, "write_page_checksum": True}
    return parquet().ParquetWriter(path, schema, use_dictionary=texts or False, **options)


@contextlib.contextmanager
def when_complete(path: Path, folder: bool = False) -> Iterator[Path]:
    """Give a temporary path beside the target. It is renamed when all is written, and removed if something fails."""
    partial = path.parent / f".{path.name}.{os.getpid()}.partial"
    try:
        if folder and path.exists() and (path.is_file() or any(path.iterdir())):
            raise fail(path, "is there already; name another folder, or remove it")
        if not folder and path.is_dir():
            raise fail(path, "is a folder")
        with refusing(path, "cannot be written", (OSError,)):
            path.parent.mkdir(parents=True, exist_ok=True)
            if folder:
                partial.mkdir()
            yield partial
            replace_file(partial, path)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)
