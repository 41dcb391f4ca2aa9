"""One GXL file, element by element, into a `RawGraph` whose values are still text."""

from __future__ import annotations

from typing import Any

from graphmeans.files import called, fail
from graphmeans.graphs.convert import MARK
from graphmeans.graphs.errors import GraphError
from graphmeans.io.formats.table import Sparse, parse_mark
from graphmeans.io.formats.xml import parse_xml

_KINDS = {
    "float": "number", "double": "number", "int": "number", "integer": "number",
    "string": "string", "enum": "string", "bool": "bool", "boolean": "bool",
}  # fmt: skip
_KINDS |= {tag.capitalize(): kind for tag, kind in _KINDS.items()}
_TUPLES = {"tup", "seq"}


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
            if self.key is not None or not self.part or "name" not in attributes:
                raise self.raw.fail("has an attr without a name, or where none can be")
            self.key = attributes["name"]
        elif tag in _KINDS:
            if self.key is None:
                raise self.raw.fail(f"has a {tag} outside an attr")
            self.text.clear()
        elif tag in ("node", "edge"):
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
            raise self.raw.fail("holds more than one graph, or graphs inside nodes; one graph a file is read")
        mode = attributes.get("edgemode", "directed").lower()
        if mode.removeprefix("default") not in ("directed", "undirected"):
            raise self.raw.fail(f"has the unknown edgemode {mode!r}")
        self.raw.directed = mode.removeprefix("default") == "directed"
        self.raw.name = attributes.get("id")
        self.part, self.row = "graph", 0
