"""The labels in a folder of results: labels.csv, or for Parquet collections labels.parquet or a folder labels/ of parts."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from graphmeans.files import regular_size
from graphmeans.graphs.graph import Graph
from graphmeans.io.parquet.arrow import parquet
from graphmeans.io.parquet.collection import Collection
from graphmeans.io.parquet.labels import NotShared, certificates, read_label_table
from graphmeans.io.parquet.layout import is_label_table
from graphmeans.plots.text import plain_text

logger = logging.getLogger("graphmeans")

#: Names under which labels may be found; the folder holds the parts that workers wrote.
LABEL_FILES = ("labels", "labels.parquet", "labels.csv")


def label_file(directory: Path) -> Path:
    """The file or folder that holds the labels of some results."""
    for place in LABEL_FILES:
        path = directory / place
        if path.is_dir() if place == "labels" else path.is_file():
            return path
    raise ValueError(f"{directory}: holds no labels.csv or labels.parquet; give a folder that `graphmeans cluster` wrote")


def write_label_file(
    directory: Path, estimator: Any, graphs: Sequence[Graph] | Collection, classes: Sequence[object] | None
) -> None:
    """Write the labels in the way that suits the collection, and remove those of an earlier run."""
    _remove(directory)
    if not isinstance(graphs, Collection):
        _write_csv(directory / "labels.csv", estimator, graphs, classes)
        return
    if "labels_" in vars(estimator):  # else they are still with the workers, which write them
        estimator.write_labels(directory / "labels.parquet", graphs)
        return
    try:
        estimator.write_labels(directory / "labels")
    except NotShared:
        logger.warning("workers do not see %s: the labels are fetched and written here", directory)
        _remove(directory)
        estimator.labels_  # noqa: B018  (asking for them fetches them from the workers)
        estimator.write_labels(directory / "labels.parquet", graphs)


def read_label_file(directory: Path) -> tuple[dict[str, int], dict[str, str] | None]:
    """The label of each graph by its name, and its class where one is given.

    A name that occurs again gets a number: "name", "name (2)", ...
    """
    path = label_file(directory)
    labels: dict[str, int] = {}
    classes: dict[str, str] = {}
    seen: dict[str, int] = {}
    for name, label, known in (_csv_rows if path.suffix == ".csv" else _parquet_rows)(path):
        seen[name] = seen.get(name, 0) + 1
        key = name if seen[name] == 1 else f"{name} ({seen[name]})"
        labels[key] = label
        if known is not None:
            classes[key] = known
    if not labels:
        raise ValueError(f"{path}: holds no graph")
    return labels, classes or None


def named_labels(directory: Path) -> Iterator[tuple[str, int]]:
    """Names and labels as labels.csv lists them."""
    for name, label, _ in _csv_rows(directory / "labels.csv"):
        yield name, label


def safe_cell(text: str) -> str:
    """A name as a table cell that no spreadsheet takes for a formula: such a name gets a quote before it.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("-12.5"), safe_cell("A_001")
    ("'=1+1", '-12.5', 'A_001')
    """
    text = plain_text(text)
    number = re.fullmatch(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", text.strip())
    return text if number or not text.lstrip().startswith(("=", "+", "-", "@")) else f"'{text}"


def _remove(directory: Path) -> None:
    """Remove the labels of an earlier run, and nothing else."""
    for path in _earlier(directory):
        path.unlink()
    folder = directory / "labels"
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _earlier(directory: Path) -> Iterator[Path]:
    parts = sorted((directory / "labels").glob("part-*.parquet"))
    for path in (*parts, directory / "labels.parquet", directory / "labels.csv"):
        if path.is_file() and _holds_labels(path):
            yield path


def _holds_labels(path: Path) -> bool:
    if path.suffix == ".csv":
        with path.open("rb") as file:
            return file.readline().startswith(b"name,label,distance")
    try:
        return is_label_table(parquet().read_schema(path), str(path))
    except (ValueError, OSError):
        return False


def check_place(directory: Path) -> None:
    """Raise if labels cannot be written here: it is better to fail before the work than after it."""
    ours = set(_earlier(directory))
    for path in ((directory / "labels").iterdir() if (directory / "labels").is_dir() else (directory / "labels.parquet",)):
        if path.exists() and path not in ours:
            raise ValueError(f"{path}: is where labels are to be written; name another folder with -o, or move it")


def _write_csv(path: Path, estimator: Any, graphs: Sequence[Graph], classes: Sequence[object] | None) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        proofs = certificates(estimator)
        table.writerow(["name", "label", "distance", *([] if classes is None else ["class"]), *proofs])
        for i, (graph, label, distance) in enumerate(zip(graphs, estimator.labels_, estimator.distances_, strict=True)):
            name = safe_cell(graph.name) if graph.name is not None else str(i)
            known = [] if classes is None else [safe_cell(str(classes[i]))]
            proven = [column[i].item() for column in proofs.values()]
            table.writerow([name, int(label), repr(float(distance)), *known, *proven])


def _csv_rows(path: Path) -> Iterator[tuple[str, int, str | None]]:
    regular_size(path)
    with path.open(newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        if table.fieldnames is None or not {"name", "label"} <= set(table.fieldnames):
            raise ValueError(f"{path}: has no columns name and label")
        for row in table:
            label = row["label"] or ""
            if not (label.isascii() and label.isdigit()):
                raise ValueError(f"{path}, line {table.line_num}: {label!r} is not the number of a cluster")
            yield row["name"] or "", int(label), row.get("class")


def _parquet_rows(path: Path) -> Iterator[tuple[str, int, str | None]]:
    names, labels, _, classes = read_label_table(path)
    for i, (name, label) in enumerate(zip(names, labels.tolist(), strict=True)):
        if label < 0:
            raise ValueError(f"{path}, graph {i}: {label} is not the number of a cluster")
        known = None if classes is None else safe_cell(classes[i] or "")
        yield str(i) if name is None else safe_cell(name), label, known  # as in labels.csv
