"""The files of one TU data set as tables of numbers and of words."""

from __future__ import annotations

import io
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans import files as _files
from graphmeans.files import FileTree, blaming, decoded, fail

#: The largest single file that is read. One file holds all nodes of a data set.
MAX_TU_FILE = 2**30
INDICATOR = "_graph_indicator.txt"


class DataSet:
    """The files of one data set, by the part of the file name that follows the name of the data set."""

    def __init__(self, source: FileTree) -> None:
        found = _files.topmost(source, [INDICATOR])
        if len(found) != 1:
            said = ", ".join(PurePosixPath(name).name[: -len(INDICATOR)] for name in found)
            raise fail(source.where(), f"holds several TU data sets ({said})" if found else "holds no TU data set")
        self.source, self.stem = source, found[0][: -len(INDICATOR)]
        self.name = PurePosixPath(self.stem).name
        self.there = {name for names in source.levels() for name in names if name.startswith(f"{self.stem}_")}

    def where(self, part: str) -> str:
        return self.source.where(f"{self.stem}_{part}")

    def text(self, part: str) -> str | None:
        """Return the text of a file, or None if it does not exist."""
        if f"{self.stem}_{part}" not in self.there:
            return None
        return decoded(self.source.read(f"{self.stem}_{part}", MAX_TU_FILE), self.where(part))

    def numbers(self, part: str, rows: int | None = None) -> NDArray[np.float64] | None:
        """Return a table of numbers with one row for each line, or None if there is no file. `rows` is how many there must be."""
        text = self.text(part)
        if text is None:
            return None
        separator = "," if "," in text[:10_000].strip().partition("\n")[0] else None
        with blaming(self.where(part), "is not a table of numbers"):
            lines = io.StringIO(text)
            table = np.loadtxt(lines, delimiter=separator, comments=None, ndmin=2) if text.strip() else np.zeros((0, 0))
        return self._counted(part, table, rows)

    def whole(self, part: str, width: int) -> NDArray[np.int64]:
        """Return a table of whole numbers of this width. The file must exist."""
        table = self.numbers(part)
        if table is None:
            raise fail(self.where(part), "is missing")
        if table.size and table.shape[1] != width:
            raise fail(self.where(part), f"has {table.shape[1]} numbers a line, expected {width}")
        if not ((np.abs(table) < 2**53) & (table == np.floor(table))).all():  # NaN and infinity fail the first
            raise fail(self.where(part), "holds something other than whole numbers")
        return table.astype(np.int64).reshape(-1, width)

    def words(self, part: str, rows: int | None = None) -> list[list[str]] | None:
        """Return the columns of a table of labels, or None if the file does not exist."""
        text = self.text(part)
        if text is None:
            return None
        lines = [[word.strip() for word in line.split(",")] for line in text.split("\n") if line.strip()]
        if len({len(line) for line in lines}) > 1:
            raise fail(self.where(part), "has lines of unequal length")
        self._counted(part, lines, rows)
        return [list(column) for column in zip(*lines, strict=True)]

    def _counted(self, part: str, table: Any, rows: int | None) -> Any:
        if rows is not None and len(table) != rows:
            raise fail(self.where(part), f"has {len(table)} lines, expected {rows}")
        return table
