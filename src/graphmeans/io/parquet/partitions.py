"""The files of a Parquet collection, and their row groups: a partition is what is read at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphmeans import budget
from graphmeans.budget import budgeted, charge
from graphmeans.files import fail, inside, natural_key, refusing, regular_size
from graphmeans.graphs.errors import GraphError
from graphmeans.io.parquet.arrow import parquet, reading
from graphmeans.io.parquet.layout import Layout, is_label_table

#: Rows as an Arrow table, with the layout of their file and what messages call them.
Piece = tuple[Layout, Any, str]
#: Most bytes of a footer that tell files apart.
MAX_FOOTER = 64 << 20


class RowGroup(NamedTuple):
    """One row group: the number of its file in the collection, its own number in the file, and how many rows it has."""

    file: int
    number: int
    rows: int


@dataclass(frozen=True)
class CollectionFile:
    """One file with graphs."""

    path: Path
    layout: Layout
    metadata: Any  # the footer, so that it is parsed once

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process reads the footer itself, which knows of all partitions, and may work in another folder.
        return CollectionFile, (self.path.absolute(), self.layout, None)

    @property
    def footer(self) -> Any:
        """What the file says about its row groups."""
        if self.metadata is not None:
            return self.metadata
        with reading(self.path), parquet().ParquetFile(self.path) as opened:
            return opened.metadata

    def raw_footer(self) -> bytes:
        """The bytes of the footer, which differ between files that differ in anything that is said of their columns."""
        size = regular_size(self.path)
        with refusing(self.path, "cannot be read", (OSError,)), self.path.open("rb") as file:
            file.seek(max(size - 8, 0))
            length = int.from_bytes(file.read(8)[:4], "little")
            file.seek(max(size - 8 - min(length, MAX_FOOTER), 0))
            return file.read()

    def row_groups(self, file: int) -> Iterator[RowGroup]:
        """Its row groups; `file` is its number in the collection."""
        for number in range(self.footer.num_row_groups):
            yield RowGroup(file, number, self.footer.row_group(number).num_rows)

    @budgeted
    def read(self, group: RowGroup, columns: list[str] | None = None) -> Piece:
        """The rows of one of its row groups; all columns, or some."""
        pq = parquet()
        with reading(self.path, f"partition {group.number} cannot be read"):
            # What the footer says of single columns is not asked for: pyarrow aborts the process where that is damaged.
            budget.opened(self.path, regular_size(self.path))
            charge(self.path, size=max(self.footer.row_group(group.number).total_byte_size, 0) + 100 * group.rows)
            with pq.ParquetFile(self.path, metadata=self.metadata, page_checksum_verification=True) as opened:
                table = opened.read_row_group(group.number, columns=columns, use_threads=False)
            if table.num_rows != group.rows:
                raise GraphError(f"{table.num_rows} rows instead of {group.rows}")
        return self.layout, table, f"{self.path}: partition {group.number}"


def open_files(path: Path) -> list[CollectionFile]:
    """The file at a path, or those in a folder in natural order, without tables of labels."""
    if not os.path.isdir(path):
        if os.path.isfile(path) and path.suffix.lower() != ".parquet":
            raise fail(path, "is no Parquet file; graphmeans convert writes one from it")
        return [_opened(*_schema(path))]
    with reading(path):
        found = [entry for entry in os.listdir(path) if entry.lower().endswith(".parquet") and entry[0] not in "._"]
    if not found:
        raise fail(path, "holds no Parquet files; write them with graphmeans convert")
    schemas = [_schema(inside(path, name)) for name in sorted(found, key=natural_key)]
    files = [_opened(file, schema, footer) for file, schema, footer in schemas if not is_label_table(schema, str(file))]
    if not files:
        raise fail(path, "holds labels but no graphs")
    return files


def _schema(path: Path) -> tuple[Path, Any, Any]:
    if os.path.exists(path):
        regular_size(path)  # a pipe or a device is never opened
    with reading(path), parquet().ParquetFile(path) as opened:
        return path, opened.schema_arrow, opened.metadata


def _opened(path: Path, schema: Any, footer: Any) -> CollectionFile:
    with reading(path):
        return CollectionFile(path, Layout.from_schema(schema, str(path)), footer)
