"""Data sets of the TU collection of benchmarks: ``DS_A.txt`` and the files beside it, in a folder or a zip.

The rules, where the format leaves a choice:

- Node and edge labels are classes, so they are strings: a column ``label``, or ``label_0``, ``label_1``, ... if a line
  holds several. Attributes are one vector column, ``attributes``.
- A collection in which every arc has its reverse, with the same label and attributes, is undirected, and each of its
  edges is one edge. Otherwise it is directed.
- An arc that is stored twice, in every way the same, is one edge. A self-loop becomes a boolean node column ``loop``.
- A graph that has a class but no node is empty. Graphs are called after the data set and their number in it, from 1.

`write_tudataset` adds ``DS_graphmeans.json``, which other programs ignore, for what the format has no place for: names
of columns and graphs, and the words behind the numbers of labels.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans import budget
from graphmeans import files as _files
from graphmeans.budget import budgeted
from graphmeans.files import FileTree, PathLike, blaming, decoded, fail, parse_json
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert.records import unused_name
from graphmeans.graphs.graph import BARE, Graph

_Columns = dict[str, NDArray[Any]]

#: The largest single file that is read. One file holds all nodes of a data set.
MAX_TU_FILE = 2**30
INDICATOR = "_graph_indicator.txt"


@dataclass(frozen=True)
class Targets:
    """What a data set says about its graphs: their classes, and numbers to predict."""

    classes: list[str] | None
    numbers: NDArray[np.float64] | None


@budgeted
def read_tudataset(path: PathLike, *, directed: bool | None = None) -> tuple[list[Graph], list[str] | None]:
    """Read the graphs of a TU data set, and their classes.

    Parameters
    ----------
    path : path
        A folder or zip that holds ``DS_A.txt``, ``DS_graph_indicator.txt`` and the rest, at the top or in a folder below.
    directed : bool, optional
        Whether (i, j) and (j, i) are different edges. By default they are if the two differ anywhere in the collection.

    Returns
    -------
    graphs : list of Graph
        The graphs.
    classes : list of str or None
        None if there is no ``DS_graph_labels.txt``.

    See Also
    --------
    write_tudataset : The way back.
    datasets.load_tudataset : Classes as numbers.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_tudataset, write_tudataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tudataset([gm.Graph({"atom": ["C", "O"]}, [(0, 1)])], os.path.join(folder, "CO"), [1])
    ...     graphs, classes = read_tudataset(os.path.join(folder, "CO"))
    >>> graphs[0].nodes["atom"].tolist(), classes
    (['C', 'O'], ['1'])
    """
    graphs, targets = read_with_targets(path, directed)
    return graphs, targets.classes


@budgeted
def read_with_targets(path: PathLike, directed: bool | None = None) -> tuple[list[Graph], Targets]:
    """Read the graphs of a TU data set with their classes and the numbers to predict."""
    with _files.opened(path) as source:
        return _read(DataSet(source), directed)


def holds_tudataset(source: FileTree) -> bool:
    """Return whether a folder or zip is a TU data set."""
    return bool(_files.topmost(source, [INDICATOR]))


# -- reading ---------------------------------------------------------------------------------------


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
        """Return a table of numbers, a row for each line, or None if there is no file. There must be `rows` of them."""
        text = self.text(part)
        if text is None:
            return None
        separator = "," if "," in text[:10_000].strip().partition("\n")[0] else None
        cells = text.count("\n") + 1 if separator is None else text.count("\n") + text.count(separator) + 1
        budget.charge(self.where(part), size=16 * cells + len(text))
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
        budget.charge(self.where(part), size=150 * text.count("\n") + 80 * (text.count("\n") + text.count(",") + 1))
        lines = [[word.strip() for word in line.split(",")] for line in text.split("\n") if line.strip()]
        if len({len(line) for line in lines}) > 1:
            raise fail(self.where(part), "has lines of unequal length")
        self._counted(part, lines, rows)
        return [list(column) for column in zip(*lines, strict=True)]

    def _counted(self, part: str, table: Any, rows: int | None) -> Any:
        if rows is not None and len(table) != rows:
            raise fail(self.where(part), f"has {len(table)} lines, expected {rows}")
        return table


def _read(files: DataSet, directed: bool | None) -> tuple[list[Graph], Targets]:
    about = _about(files)
    graph_of = files.whole("graph_indicator.txt", 1)[:, 0] - 1
    if len(graph_of) and graph_of.min() < 0:
        raise fail(files.where("graph_indicator.txt"), "counts graphs from 1, but holds a smaller number")
    targets = _targets(files)
    said = len(targets.classes or ()) or (0 if targets.numbers is None else len(targets.numbers))
    n_graphs = int(graph_of.max()) + 1 if len(graph_of) else 0
    if said and n_graphs > said:
        raise fail(files.where("graph_indicator.txt"), f"knows a graph {n_graphs}, but only {said} have a class")
    if n_graphs > 1_000_000 + 100 * len(graph_of):
        raise fail(files.where("graph_indicator.txt"), f"knows a graph {n_graphs}, but only {len(graph_of)} nodes")
    n_graphs = max(n_graphs, said)
    if not n_graphs:
        raise fail(files.source.where(), "holds no graphs")

    arcs = _arcs(files, graph_of)
    nodes = _columns(files, "node", len(graph_of), about)
    edges = _columns(files, "edge", len(arcs), about)
    loop = arcs[:, 0] == arcs[:, 1]
    if loop.any():
        nodes[unused_name("loop", nodes)] = np.isin(np.arange(len(graph_of)), arcs[loop, 0])
        arcs, edges = arcs[~loop], {name: column[~loop] for name, column in edges.items()}
    arcs, edges = _once(files, arcs, edges, len(graph_of))
    if directed is None:
        directed = bool(about.get("directed")) or not _symmetric(arcs, edges, len(graph_of))
    if not directed:
        arcs, edges = _once(files, arcs, edges, len(graph_of), either_way=True)
    names = about.get("names") or [f"{files.name}_{i + 1}" for i in range(n_graphs)]
    if len(names) != n_graphs:
        raise fail(files.where("graphmeans.json"), f"names {len(names)} graphs of {n_graphs}")
    return _graphs(files, graph_of, arcs, nodes, edges, directed, names), targets


def _arcs(files: DataSet, graph_of: IntArray) -> IntArray:
    arcs = files.whole("A.txt", 2) - 1
    outside = np.flatnonzero(((arcs < 0) | (arcs >= len(graph_of))).any(axis=1))
    if len(outside):
        raise fail(files.where("A.txt"), f"line {outside[0] + 1} leads to a node that is not among 1..{len(graph_of)}")
    across = np.flatnonzero(graph_of[arcs[:, 0]] != graph_of[arcs[:, 1]])
    if len(across):
        raise fail(files.where("A.txt"), f"line {across[0] + 1} joins nodes of two graphs")
    return arcs


def _columns(files: DataSet, part: str, rows: int, about: dict[str, Any]) -> _Columns:
    """Return labels and attributes by column name."""
    labels = files.words(f"{part}_labels.txt", rows) or []
    table = files.numbers(f"{part}_attributes.txt", rows)
    described = about.get(part)
    if described is None:
        several = len(labels) > 1
        columns: _Columns = {f"label_{i}" if several else "label": _strings(label) for i, label in enumerate(labels)}
        if table is not None and table.shape[1]:
            columns["attributes"] = table
        return columns
    try:
        return _described(described, labels, np.zeros((rows, 0)) if table is None else table)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise fail(files.where("graphmeans.json"), f"does not fit the {part} labels and attributes") from None


def _described(described: list[dict[str, Any]], labels: list[list[str]], table: NDArray[np.float64]) -> _Columns:
    """Return the columns that `write_tudataset` wrote, in their order. Each takes the next label or the next attributes."""
    columns: _Columns = {}
    next_label, at = 0, 0
    for column in described:
        name = str(column["name"])
        if "values" in column:
            words, values = labels[next_label] if len(table) else [], column["values"]
            coded = words if values is None else [values[int(word)] for word in words]
            columns[name] = np.array(coded, dtype=bool) if column.get("boolean") else _strings(coded)
            next_label += 1
        else:
            width = 1 if column["width"] is None else int(column["width"])
            block = table[:, at : at + width] if len(table) else np.zeros((0, width))
            if block.shape[1] != width:
                raise ValueError("too few attributes")
            columns[name] = block[:, 0] if column["width"] is None else block
            at += width
    return columns


def _strings(values: Sequence[Any]) -> NDArray[Any]:
    if not all(isinstance(value, str) for value in values):
        raise ValueError("a label is not a string")
    return np.array(values, dtype=object)


def _once(
    files: DataSet, arcs: IntArray, edges: _Columns, n: int, either_way: bool = False
) -> tuple[IntArray, _Columns]:
    """Keep the first of several equal arcs. With `either_way`, (i, j) and (j, i) count as equal."""
    ends = np.sort(arcs, axis=1) if either_way else arcs
    _, first, which = np.unique(ends[:, 0] * n + ends[:, 1], return_index=True, return_inverse=True)
    for name, column in edges.items():
        other = np.flatnonzero(_differ(column, column[first[which]]))
        if len(other):
            i, j = arcs[other[0]] + 1
            raise fail(files.where("A.txt"), f"edge ({i}, {j}) is given twice, with a different {name or 'weight'!r}")
    kept = np.sort(first)
    return arcs[kept], {name: column[kept] for name, column in edges.items()}


def _symmetric(arcs: IntArray, edges: _Columns, n: int) -> bool:
    """Return whether each arc has its reverse, with the same values in all columns."""
    there, back = arcs[:, 0] * n + arcs[:, 1], arcs[:, 1] * n + arcs[:, 0]
    order, turned = np.argsort(there), np.argsort(back)
    if not np.array_equal(there[order], back[turned]):
        return False
    return not any(_differ(column[order], column[turned]).any() for column in edges.values())


def _differ(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(np.not_equal(a, b).astype(bool).reshape(len(a), -1).any(axis=1))


def _graphs(
    files: DataSet, graph_of: IntArray, arcs: IntArray, nodes: _Columns, edges: _Columns, directed: bool, names: list[Any]
) -> list[Graph]:
    """Cut the rows of the collection into graphs; nodes keep their order within a graph."""
    rows = np.argsort(graph_of, kind="stable")
    starts = np.searchsorted(graph_of[rows], np.arange(len(names) + 1))
    place = np.empty(len(graph_of), dtype=np.int64)
    place[rows] = np.arange(len(graph_of)) - starts[graph_of[rows]]
    arc_rows = np.argsort(graph_of[arcs[:, 0]], kind="stable")
    arc_starts = np.searchsorted(graph_of[arcs[arc_rows, 0]], np.arange(len(names) + 1))
    graphs = []
    for i, name in enumerate(names):
        at, arc_at = rows[starts[i] : starts[i + 1]], arc_rows[arc_starts[i] : arc_starts[i + 1]]
        own = nodes[BARE][at] if BARE in nodes else {key: c[at] for key, c in nodes.items()} or len(at)
        links = edges[BARE][arc_at] if BARE in edges else {key: c[arc_at] for key, c in edges.items()} or None
        with blaming(files.source.where()):
            graphs.append(Graph(own, place[arcs[arc_at]], links, directed=directed, name=name))
    return graphs


def _targets(files: DataSet) -> Targets:
    text = files.text("graph_labels.txt")
    classes = None if text is None else [line.strip() for line in text.split("\n") if line.strip()]
    numbers = files.numbers("graph_attributes.txt")
    if classes is not None and numbers is not None and len(numbers) != len(classes):
        raise fail(files.where("graph_attributes.txt"), f"has {len(numbers)} lines for {len(classes)} graphs")
    return Targets(classes or None, numbers)


def _about(files: DataSet) -> dict[str, Any]:
    text = files.text("graphmeans.json")
    if text is None:
        return {}
    about = parse_json(text, files.where("graphmeans.json"))
    lists = [about.get(key) for key in ("names", "node", "edge")] if isinstance(about, dict) else [0]
    if any(value is not None and not isinstance(value, list) for value in lists):
        raise fail(files.where("graphmeans.json"), "is malformed")
    return dict(about)


# -- writing ---------------------------------------------------------------------------------------


def write_tudataset(
    graphs: Sequence[Graph], path: PathLike, classes: Sequence[object] | None = None, name: str | None = None
) -> None:
    """Write a TU data set that `read_tudataset` and other readers of the format take.

    Strings and booleans become labels, numbers and vectors attributes. All graphs must have the same columns. Node ids
    and supports of mean graphs have no place in the format and are left out; roles would be lost, so they raise.

    Parameters
    ----------
    graphs : sequence of Graph
        The graphs.
    path : path
        A folder, or a zip if it ends in ``.zip``.
    classes : sequence of labels, optional
        The known class of each graph.
    name : str, optional
        Of the data set, with which all file names begin; by default that of the folder or zip.

    See Also
    --------
    read_tudataset : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_tudataset, write_tudataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tudataset([gm.Graph({"atom": ["C", "O"]}, [(0, 1)])], os.path.join(folder, "CO"), [1])
    ...     graphs, classes = read_tudataset(os.path.join(folder, "CO"))
    >>> graphs[0].nodes["atom"].tolist(), classes
    (['C', 'O'], ['1'])
    """
    name = Path(path).name.removesuffix(".zip") if name is None else name
    if not re.fullmatch(r"[A-Za-z0-9][\w.\-]*", name, re.ASCII):
        raise fail(path, f"{name!r} cannot be the beginning of file names; pass name=")
    if classes is not None and len(classes) != len(graphs):
        raise fail(path, f"{len(graphs)} graphs but {len(classes)} classes")
    files = _files_of(list(graphs), None if classes is None else [str(label) for label in classes], path)
    data = {f"{name}_{part}": text.encode() for part, text in files.items()}
    if not str(path).lower().endswith(".zip"):
        for file, content in data.items():
            _files.write_file(Path(path) / file, content)
        return
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in data.items():
            archive.writestr(f"{name}/{file}", content)
    _files.write_file(path, target.getvalue())


def _files_of(graphs: list[Graph], classes: list[str] | None, path: PathLike) -> dict[str, str]:
    """Return the text of each file, by the part of its name that follows the name of the data set."""
    if not graphs:
        raise fail(path, "an empty collection cannot be written")
    directed = graphs[0].directed
    for i, graph in enumerate(graphs):
        if graph.roles is not None:
            raise fail(path, f"graph {i} has roles, which a TU data set cannot keep; make them a node attribute")
        if graph.directed != directed:
            raise fail(path, f"graph {i} is {'' if graph.directed else 'un'}directed, unlike those before it")
    about: dict[str, Any] = {"directed": directed, "names": [graph.name for graph in graphs]}
    sizes = [graph.n_nodes for graph in graphs]
    arcs = [graph.edges + start + 1 for graph, start in zip(graphs, np.cumsum([0, *sizes]), strict=False)]
    lines = [arc for part in arcs for arc in (part if directed else np.stack([part, part[:, ::-1]], axis=1).reshape(-1, 2))]
    files = {
        "A.txt": _lines(f"{i}, {j}" for i, j in lines),
        "graph_indicator.txt": _lines(str(i + 1) for i, size in enumerate(sizes) for _ in range(size)),
    }
    if classes is not None:
        if any(not label.strip() or label != label.strip() or "\n" in label for label in classes):
            raise fail(path, "a class is empty, or has blanks around it or a line break in it")
        files["graph_labels.txt"] = _lines(classes)
    parts = {"node": [graph.nodes for graph in graphs], "edge": [graph.edge_attributes for graph in graphs]}
    for part, of in parts.items():
        repeat = 2 if part == "edge" and not directed else 1
        about[part], labels, attributes = _described_columns(of, part, path)
        if labels:
            files[f"{part}_labels.txt"] = _lines(", ".join(row) for row in zip(*labels, strict=True) for _ in range(repeat))
        if attributes:
            rows = np.concatenate(attributes, axis=1).tolist()
            files[f"{part}_attributes.txt"] = _lines(", ".join(map(repr, row)) for row in rows for _ in range(repeat))
    files["graphmeans.json"] = json.dumps(about)
    return files


def _described_columns(of: list[Any], part: str, path: PathLike) -> tuple[list[dict[str, Any]], list[list[str]], list[Any]]:
    """Return the description of the columns, the labels among them as words, and the attributes among them as tables."""
    filled = [(i, columns) for i, columns in enumerate(of) if len(next(iter(columns.values())))]
    described: list[dict[str, Any]] = []
    labels: list[list[str]] = []
    attributes: list[Any] = []
    kinds = [{name: (c.dtype.kind, c.shape[1:]) for name, c in columns.items()} for _, columns in filled]
    for (i, columns), kind in zip(filled, kinds, strict=True):
        for name in columns:
            if np.ma.is_masked(columns[name]):
                raise fail(path, f"graph {i}: {part} attribute {name!r} lacks values, which a TU data set cannot do")
        if kind != kinds[0]:
            raise fail(path, f"graph {i} has other {part} attributes than graph {filled[0][0]}; in a TU data set all are alike")
    for name in kinds[0] if kinds else ():
        column = np.concatenate([columns[name] for _, columns in filled])
        if column.dtype.kind in "Ob":
            values = sorted(set(column.tolist()))
            plain = all(isinstance(value, str) and re.fullmatch(r"-?[1-9][0-9]*|0", value) for value in values)
            code = {value: str(i) for i, value in enumerate(values)}
            labels.append(column.tolist() if plain else [code[value] for value in column.tolist()])
            described.append({"name": name, "values": None if plain else values, "boolean": column.dtype.kind == "b"})
        elif not (name == BARE and (column.shape[1] == 0 or (part == "edge" and column.shape[1] == 1 and (column == 1).all()))):
            attributes.append(column.reshape(len(column), -1))
            described.append({"name": name, "width": None if column.ndim == 1 else column.shape[1]})
    return described, labels, attributes


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
