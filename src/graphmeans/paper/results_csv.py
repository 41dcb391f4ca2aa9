"""results.csv: a row for each run, written as soon as the run is done, so that an interrupted command can be continued."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from graphmeans import __version__
from graphmeans.files import fail, replace_file
from graphmeans.paper.protocol import SETTING_FIELDS, RunSetting

#: The measures of a run, in the order of their columns in results.csv.
MEASURES = [
    "graphs", "iterations", "matchings_paper", "matchings", "seeding_matchings", "evaluation_matchings", "objective",
    "error", "error_common", "accuracy", "silhouette", "certified", "seconds", "iteration_seconds", "matching_seconds",
    "outside_share", "cpu_seconds", "version",
]  # fmt: skip
CHARACTERISTICS = ["classes", "nodes_avg", "nodes_max", "edges_avg", "edges_max", "dimension"]
FIELDS = [*SETTING_FIELDS, *MEASURES, *CHARACTERISTICS]
ResultRow = dict[str, str]


class ResultsFile:
    """The rows of a folder's results.csv.

    Parameters
    ----------
    folder : Path
        Made if it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "results.csv"
        self.rows: list[ResultRow] = self._read() if self.path.exists() else []

    def of(self, setting: RunSetting) -> ResultRow | None:
        """The row of a run, if this version has done it."""
        wanted = {**setting.as_row(), "version": __version__}
        return next((row for row in self.rows if all(row[name] == value for name, value in wanted.items())), None)

    def missing(self, settings: Iterable[RunSetting]) -> list[RunSetting]:
        """Runs that are still to be done."""
        return [setting for setting in settings if self.of(setting) is None]

    def add(self, setting: RunSetting, measures: dict[str, Any]) -> None:
        """Append a row, and wait until it is on the disk."""
        row = {**dict.fromkeys(FIELDS, ""), **setting.as_row(), **{name: _text(value) for name, value in measures.items()}}
        _write(self.path, [row], "a", header=not self.path.exists())
        self.rows.append(row)

    def forget(self, doomed: Callable[[ResultRow], bool]) -> int:
        """Drop rows, so that they are run again; return how many."""
        kept = [row for row in self.rows if not doomed(row)]
        dropped = len(self.rows) - len(kept)
        if dropped:
            replacement = self.path.with_suffix(".new")
            _write(replacement, kept, "w", header=True)
            replace_file(replacement, self.path)
            self.rows = kept
        return dropped

    def _read(self) -> list[ResultRow]:
        text = self.path.read_text(encoding="utf-8")
        whole, _, cut = text.rpartition("\n")
        if cut:  # the last row was being written when the power failed: drop it
            self.path.write_text(whole + "\n" if whole else "", encoding="utf-8")
        rows = list(csv.DictReader(whole.splitlines()))
        if whole and (not rows or set(rows[0]) != set(FIELDS)) and whole.splitlines()[0].split(",") != FIELDS:
            raise fail(self.path, "has other columns than this version writes; move it away or choose another folder")
        return [row for row in rows if None not in row.values()]


def _write(path: Path, rows: Iterable[ResultRow], mode: str, *, header: bool) -> None:
    """Write rows, and wait until they are on the disk."""
    with path.open(mode, newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, FIELDS)
        if header:
            table.writeheader()
        table.writerows(rows)
        file.flush()
        os.fsync(file.fileno())


def numbers(rows: Sequence[ResultRow], name: str) -> list[float]:
    """A column as numbers; an empty cell is NaN."""
    return [float(row[name]) if row[name] else float("nan") for row in rows]


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
