"""GXL files, element by element, as raw graphs; and the types of their columns, which all of a collection decide together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.budget import charge
from graphmeans.files import called, fail
from graphmeans.graphs.convert import MARK, VALUE
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.table import GraphTable, Sparse, check_sparsity, end_positions, graph_from_table, parse_mark
from graphmeans.io.formats.xml import parse_xml

_KINDS = {
    "float": "number", "double": "number", "int": "number", "integer": "number",
    "string": "string", "enum": "string", "bool": "bool", "boolean": "bool",
}  # fmt: skip
_KINDS |= {tag.capitalize(): kind for tag, kind in _KINDS.items()}
_TUPLES = {"tup", "seq"}

#: What stands in place of a missing value, below a mask; bare arrays, which have no mask, hold it as it is.
BLANKS: dict[str, Any] = {"number": 0.0, "string": "", "bool": False}

#: How Java prints NaN: three edges of GREC whose ends coincide have this angle.
LOST = "\ufffd"

#: A text that reads as a number.
NUMBER = re.compile(r"\s*[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")


class RawGraph:
    """The content of one GXL file. Its values are still text, because types are decided for the whole collection."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.name: str | None = None
        self.directed = True
        self.ids: list[str] = []
        self.ends: list[tuple[str, str]] = []
        self.parts: dict[str, dict[str, Sparse]] = {"graph": {}, "node": {}, "edge": {}}
        self.mark: dict[str, Any] = {}

    def rows(self, part: str) -> int:
        """Return the number of nodes or of edges."""
        return len(self.ids if part == "node" else self.ends)

    @property
    def place(self) -> str:
        """What messages call it: the file and the graph."""
        return self.where if self.name is None else f"{self.where}: {called(self.name)}"

    def fail(self, problem: object) -> GraphError:
        """Return the error to raise, which names the file and the graph."""
        return fail(self.place, problem)


def parse_gxl(data: bytes, where: str) -> RawGraph:
    """Parse the one graph in the bytes of a GXL file."""
    raw = RawGraph(where)
    handler = _Handler(raw)
    parse_xml(data, handler.start, handler.end, handler.text.append, where)
    if not handler.graphs:
        raise fail(where, "holds no graph")
    if MARK in raw.parts["graph"]:
        raw.mark = parse_mark(str(raw.parts["graph"][MARK].values[0]), where)
    return raw


class _Handler:
    """Fills a `RawGraph` while elements are parsed. `attr` and its values are tested first, since a file mostly holds these."""

    def __init__(self, raw: RawGraph) -> None:
        self.raw = raw
        self.text: list[str] = []
        self.graphs = 0
        self.part = ""  # "graph", "node" or "edge": what an `attr` belongs to
        self.row = 0
        self.key: str | None = None
        self.value: Any = None
        self.kind = ""
        self.items: list[tuple[str, str]] | None = None  # inside a tup or seq

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "attr":
            charge(self.raw.where, values=2)
            if self.key is not None or not self.part or "name" not in attributes:
                raise self.raw.fail("has an attr without a name, or where none can be")
            self.key = attributes["name"]
        elif tag in _KINDS:
            if self.key is None:
                raise self.raw.fail(f"has a {tag} outside an attr")
            self.text.clear()
        elif tag in ("node", "edge"):
            charge(self.raw.where, rows=1)
            self._open(tag, attributes)
        elif tag in _TUPLES and self.key is not None and self.items is None:
            self.items = []
        elif tag == "graph":
            self._open_graph(attributes)
        elif self.key is not None:
            raise self.raw.fail(f"{self.part} attribute {self.key!r} is a {tag}, which is not supported")
        elif tag in ("rel", "relend"):
            raise self.raw.fail("has hyperedges (rel), which are not supported")

    def end(self, tag: str) -> None:
        if tag in _KINDS:
            if self.items is not None:
                self.items.append((_KINDS[tag], "".join(self.text)))
            else:
                self._set(_KINDS[tag], "".join(self.text))
        elif tag == "attr":
            self._store()
        elif tag in ("node", "edge"):
            self.part = "graph"
        elif tag == "graph":
            self.part = ""
        elif tag in _TUPLES and self.items is not None:
            if any(kind != "number" for kind, _ in self.items):
                raise self.raw.fail(f"{self.part} attribute {self.key!r} is a {tag} of something other than numbers")
            self._set("vector", tuple(value for _, value in self.items))
            self.items = None

    def _set(self, kind: str, value: Any) -> None:
        if self.kind:
            raise self.raw.fail(f"{self.part} attribute {self.key!r} has two values")
        self.kind, self.value = kind, value

    def _store(self) -> None:
        column = self.raw.parts[self.part].setdefault(str(self.key), Sparse())
        if not self.kind:
            raise self.raw.fail(f"{self.part} attribute {self.key!r} has no value")
        if column.rows and column.rows[-1] == self.row:
            raise self.raw.fail(f"{self.part} attribute {self.key!r} is given twice on one {self.part}")
        column.rows.append(self.row)
        column.values.append(self.value)
        column.kinds.add(self.kind)
        self.key, self.kind = None, ""

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        raw = self.raw
        if self.part != "graph":
            raise raw.fail(f"has {'an edge' if tag == 'edge' else 'a node'} outside a graph")
        self.part = tag
        try:
            if tag == "node":
                self.row = len(raw.ids)
                raw.ids.append(attributes["id"])
            else:
                self.row = len(raw.ends)
                raw.ends.append((attributes["from"], attributes["to"]))
        except KeyError as missing:
            raise raw.fail(f"{tag} {self.row} has no {missing}") from None
        if attributes.get("isdirected", str(raw.directed).lower()) != str(raw.directed).lower():
            raise raw.fail(f"edge {self.row} and the graph disagree on having a direction")

    def _open_graph(self, attributes: dict[str, str]) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise self.raw.fail("holds more than one graph, or graphs inside nodes; one graph per file is read")
        mode = attributes.get("edgemode", "directed").lower()
        if mode.removeprefix("default") not in ("directed", "undirected"):
            raise self.raw.fail(f"has the unknown edgemode {mode!r}")
        self.raw.directed = mode.removeprefix("default") == "directed"
        self.raw.name = attributes.get("id")
        self.part, self.row = "graph", 0


# -- the types of columns ----------------------------------------------------------------------------


def typed_graphs(raws: list[RawGraph], where: str) -> list[Graph]:
    tables = [bare_table(raw) for raw in raws]
    for part in ("node", "edge"):
        keys = {key for raw in raws for key in raw.parts[part]}
        present = sum(len(column.values) for raw in raws for column in raw.parts[part].values())
        rows = sum(raw.rows(part) + 1 for raw in raws)
        check_sparsity(len(keys) * rows, present + rows, where)
    fill = column_filler(raws)
    return [graph_from_table(fill(raw, table), raw.where) for table, raw in zip(tables, raws, strict=True)]


def column_filler(raws: list[RawGraph]) -> Callable[[RawGraph, GraphTable], GraphTable]:
    """Make a function that puts all columns of a collection, typed, into the table of one of its graphs.

    The types are those that the given raw graphs show.
    """
    steps: list[tuple[str, str, Callable[[RawGraph], Any], str | None]] = []
    for part, store, flag in (("node", "nodes", "bare_nodes"), ("edge", "edges", "bare_edges")):
        pools: dict[str, list[RawGraph]] = {}
        for raw in raws:
            for key in raw.parts[part]:
                pools.setdefault(key, []).append(raw)
        bare = any(raw.mark.get(flag) for raw in raws)
        for key, members in pools.items():
            whole = bare and key == VALUE
            steps.append((store, key, _converter(members, part, key, masks=not whole), flag if whole else None))

    def fill(raw: RawGraph, table: GraphTable) -> GraphTable:
        for store, key, convert, flag in steps:
            getattr(table, store)[key] = convert(raw)
            if flag is not None:
                table.mark[flag] = True
        return table

    return fill


def telling_graphs(raws: Iterable[RawGraph], where: str) -> list[RawGraph]:
    """Return a few raw graphs that show as much about the types of the columns as all of them together."""
    known: set[tuple[Any, ...]] = set()
    kept = []
    keys: dict[str, set[str]] = {"node": set(), "edge": set()}
    present, rows = {"node": 0, "edge": 0}, {"node": 0, "edge": 0}
    for raw in raws:
        bare_table(raw)  # removes roles and supports from the columns
        news: set[tuple[Any, ...]] = {(flag,) for flag in ("bare_nodes", "bare_edges") if raw.mark.get(flag)}
        for part in ("node", "edge"):
            for key, column in raw.parts[part].items():
                news |= {(part, key, fact) for fact in _facts(raw, part, key)}
                present[part] += len(column.values)
            keys[part].update(raw.parts[part])
            rows[part] += raw.rows(part) + 1
        if not news <= known:
            known |= news
            kept.append(raw)
    for part in ("node", "edge"):
        check_sparsity(len(keys[part]) * rows[part], present[part] + rows[part], where)
    return kept


def _facts(raw: RawGraph, part: str, key: str) -> set[Any]:
    """Return what a column shows about its type: kinds of values, whether words read as numbers, widths of vectors."""
    column = raw.parts[part][key]
    facts: set[Any] = {*column.kinds, "strings" if key in raw.mark.get(f"{part}_strings", ()) else "typed"}
    for value in column.values:
        if isinstance(value, str):
            facts.add(("word", value != LOST and bool(NUMBER.fullmatch(value)), value == LOST))
        elif isinstance(value, (list, tuple)):
            facts.add(("width", len(value)))
    return facts


def bare_table(raw: RawGraph) -> GraphTable:
    """Return the graph without its columns, but with roles and supports, which are never filled in for other graphs."""
    ends = end_positions(raw.ids, raw.ends, raw.place)
    table = GraphTable(raw.name, raw.directed, list(raw.ids), ends, {}, {}, raw.mark)
    roles, support = raw.mark.get("roles"), raw.mark.get("support")
    for part, columns, keys in (("node", table.nodes, (roles, support)), ("edge", table.edges, (support,))):
        for key in keys:
            if key in raw.parts[part]:
                columns[key] = raw.parts[part].pop(key).dense(raw.rows(part), "")
    return table


def _converter(members: list[RawGraph], part: str, key: str, *, masks: bool) -> Callable[[RawGraph], Any]:
    """Make a function that turns this column into an array for any graph of the collection, also for one that lacks it.

    `masks` says whether missing values are masked.
    """
    kinds: dict[str, RawGraph] = {}
    lost = None
    for raw in members:
        for kind in raw.parts[part][key].kinds:
            kinds.setdefault(kind, raw)
    if kinds.keys() <= {"string", "number"} and "string" in kinds and _reads_as_numbers(members, part, key):
        kinds, lost = {"number": members[0]}, LOST
    if len(kinds) > 1:
        (one, _), (other, raw) = list(kinds.items())[:2]
        raise raw.fail(f"{part} attribute {key!r} is a {other} here and a {one} elsewhere")
    (kind,) = kinds
    if kind == "vector":
        return _vector_converter(members, part, key, masks=masks)
    blank, words = BLANKS[kind], {"true": True, "1": True, "false": False, "0": False}

    def convert(raw: RawGraph) -> Any:
        column = raw.parts[part].get(key) or Sparse()
        if lost is not None:
            column.drop(lost)
        rows = raw.rows(part)
        values: Any = column.dense(rows, blank)
        try:
            if kind == "number":
                values = np.array(list(map(float, values)))
            elif kind == "bool":
                values = [words[str(value).strip().lower()] for value in values]
        except (ValueError, KeyError) as error:
            raise raw.fail(f"{part} attribute {key!r} is not a {kind}: {error}") from None
        return _with_mask(np.array(values, dtype=object) if kind == "string" else np.asarray(values), column, masks=masks)

    return convert


def _reads_as_numbers(members: list[RawGraph], part: str, key: str) -> bool:
    if any(key in raw.mark.get(f"{part}_strings", ()) for raw in members):
        return False
    words = set().union(*(raw.parts[part][key].values for raw in members)) - {LOST}
    return bool(words) and all(map(NUMBER.fullmatch, words))


def _with_mask(values: NDArray[Any], column: Sparse, *, masks: bool) -> NDArray[Any]:
    """The values with a mask where the column has none."""
    if not masks or len(column.rows) == len(values):
        return values
    mask = np.ones(values.shape, dtype=bool)
    mask[column.rows] = False
    return np.ma.MaskedArray(values, mask=mask)


def _vector_converter(members: list[RawGraph], part: str, key: str, *, masks: bool) -> Callable[[RawGraph], Any]:
    width = len(members[0].parts[part][key].values[0])
    for raw in members:
        for value in raw.parts[part][key].values:
            if len(value) != width:
                raise raw.fail(f"{part} attribute {key!r} has {len(value)} numbers here and {width} elsewhere")

    def convert(raw: RawGraph) -> Any:
        column = raw.parts[part].get(key) or Sparse()
        rows = raw.rows(part)
        try:
            values = [tuple(map(float, value)) for value in column.values]
        except ValueError as error:
            raise raw.fail(f"{part} attribute {key!r} is not a vector: {error}") from None
        result = np.zeros((rows, width))
        if values:
            result[column.rows] = values
        return _with_mask(result, column, masks=masks)

    return convert
