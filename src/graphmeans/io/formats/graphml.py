"""GraphML: one graph in each file, attributes with the types that its keys declare.

GraphML knows no vectors: a vector column ``pos`` is written as ``pos_0``, ``pos_1``, ..., a bare array as ``value_0``,
..., and the graph attribute ``graphmeans`` says which belong together. Other programs see plain numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from graphmeans import files as _files
from graphmeans.budget import budgeted, charge, for_a_while
from graphmeans.files import PathLike, blaming, called, fail
from graphmeans.graphs.convert import MARK
from graphmeans.graphs.convert.records import unused_name
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats import table as tables
from graphmeans.io.formats.table import GraphTable, Sparse, graph_from_table, graph_to_table
from graphmeans.io.formats.xml import parse_xml, xml_text

_KINDS = {"boolean": "boolean", "string": "string"} | dict.fromkeys(("int", "long", "float", "double"), "number")
_WORDS = {"true": True, "1": True, "false": False, "0": False}


@budgeted
def read_graphml(path_or_bytes: PathLike | bytes) -> Graph:
    """Read one graph from a GraphML file, or from the bytes of one.

    A key's default stands for the attribute where a node (edge) lacks it; without one it is missing there. Data under keys
    without a name, such as the drawing that yEd adds, is passed over. The graph is called like its file; from bytes, what its
    attribute ``name`` says.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.

    Returns
    -------
    Graph
        The graph.

    See Also
    --------
    write_graphml : The way back.
    read_collection : A folder of such files.

    Examples
    --------
    >>> from graphmeans.io import read_graphml
    >>> read_graphml(b'<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    ...              b'<edge source="a" target="b"/></graph></graphml>')
    Graph(2 nodes, 1 edge)
    """
    return parse_graphml(*_files.named_content(path_or_bytes, "GraphML"))


def write_graphml(graph: Graph, path: PathLike) -> None:
    """Write one graph as GraphML that networkx, igraph, Gephi and yEd read.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    path : path
        The file to write.

    See Also
    --------
    read_graphml : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_graphml, write_graphml
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graphml(gm.Graph(2, [(0, 1)]), os.path.join(folder, "line.graphml"))
    ...     read_graphml(os.path.join(folder, "line.graphml"))
    Graph('line', 2 nodes, 1 edge)
    """
    table = graph_to_table(graph, Path(path).stem, holes=True)
    tables.labels_to_text(table)
    nodes = _split_vectors(table.nodes, table.mark, "vectors_nodes")
    edges = _split_vectors(table.edges, table.mark, "vectors_edges")
    who = called(graph.name)
    about = {} if graph.name is None else {"name": graph.name}
    if table.mark:
        about[MARK] = json.dumps(table.mark)
    keys: list[str] = []
    body = [f'<graph edgedefault="{"directed" if table.directed else "undirected"}">']
    ids = [xml_text(label, f"{who}: node id {label!r}") for label in table.ids]
    body += _data({key: [value] for key, value in about.items()}, "graph", 1, keys, who)
    data = _data(nodes, "node", len(ids), keys, who)
    body += [f'<node id="{label}">{row}</node>' for label, row in zip(ids, data, strict=True)]
    data = _data(edges, "edge", len(table.ends), keys, who)
    body += [f'<edge source="{ids[i]}" target="{ids[j]}">{row}</edge>'
             for (i, j), row in zip(table.ends.tolist(), data, strict=True)]  # fmt: skip
    head = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    _files.write_file(path, "\n".join([*head, *keys, *body, "</graph>\n</graphml>\n"]).encode())


def parse_graphml(data: bytes, name: str | None, where: str) -> Graph:
    """Return the graph in these bytes. It is called `name` unless that is None."""
    with for_a_while():
        return _parsed(data, name, where)


def _parsed(data: bytes, name: str | None, where: str) -> Graph:
    handler = _Handler(where)
    parse_xml(data, handler.start, handler.end, handler.text.append, where)
    if not handler.graphs:
        raise fail(where, "holds no graph")
    about = {key: column.values[0] for key, column in handler.parts["graph"].items() if column.values}
    mark = tables.parse_mark(str(about[MARK]), where) if MARK in about else {}
    ends = tables.end_positions(handler.ids, handler.ends, where)
    nodes, edges = handler.columns("node", len(handler.ids)), handler.columns("edge", len(ends))
    with blaming(where, "holds vectors that cannot be used"):
        nodes = _join_vectors(nodes, mark, "vectors_nodes", len(handler.ids))
        edges = _join_vectors(edges, mark, "vectors_edges", len(ends))
    chosen = name if name is not None else str(about.get("name", "")) or None
    return graph_from_table(GraphTable(chosen, handler.directed, handler.ids, ends, nodes, edges, mark), where)


class _Handler:
    """Collects the attributes of one file while its elements are parsed."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.text: list[str] = []
        self.graphs = 0
        self.directed = False
        self.ids: list[str] = []
        self.ends: list[tuple[str, str]] = []
        self.parts: dict[str, dict[str, Sparse]] = {"graph": {}, "node": {}, "edge": {}}
        self.keys: dict[tuple[str, str], tuple[str | None, str]] = {}  # (part, key id) -> name, kind
        self.defaults: dict[tuple[str, str], Any] = {}  # (part, name) -> value
        self.key: tuple[str | None, str] | None = None  # name and kind of the <data> or <key> that is being parsed
        self.domain = ""  # what that <key> is for
        self.part = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "data" and self.part:
            self.text.clear()
            charge(self.where, values=1)
            self.key = self.keys.get((self.part, attributes.get("key", "")))
            if self.key is None:
                raise fail(self.where, f"{self.part} data has the undeclared key {attributes.get('key')!r}")
        elif tag in ("node", "edge", "graph"):
            charge(self.where, rows=1)
            self._open(tag, attributes)
        elif tag == "key":
            self._declare(attributes)
        elif tag == "default":
            self.text.clear()
        elif tag == "hyperedge":
            raise fail(self.where, "has hyperedges, which are not supported")

    def end(self, tag: str) -> None:
        if tag == "data" and self.key is not None:
            name, kind = self.key
            if name is not None:
                self._store(name, kind)
            self.key = None
        elif tag in ("node", "edge"):
            self.part = "graph"
        elif tag == "graph":
            self.part = ""
        elif tag == "default" and self.key is not None and self.key[0] is not None:
            value = self._value(*self.key)
            for part in self.parts:
                if self.domain in (part, "all"):
                    self.defaults[part, self.key[0]] = value
        elif tag == "key":
            self.key = None

    def columns(self, part: str, rows: int) -> dict[str, Any]:
        """Return one value for each row and attribute: the value, the default of its key, or None if there is neither."""
        columns = self.parts[part]
        defaults = {name: value for (of, name), value in self.defaults.items() if of == part}
        present = sum(len(column.values) for column in columns.values())
        tables.check_sparsity(len({*columns, *defaults}) * rows, present + rows, self.where)
        charge(self.where, size=8 * len({*columns, *defaults}) * rows)
        names = dict.fromkeys([*columns, *defaults]) if rows else ()
        return {name: columns.get(name, Sparse()).dense(rows, defaults.get(name)) for name in names}

    def _declare(self, attributes: dict[str, str]) -> None:
        name, kind = attributes.get("attr.name"), attributes.get("attr.type", "string")
        if name is not None and kind not in _KINDS:
            raise fail(self.where, f"attribute {name!r} has the unknown type {kind!r}")
        self.key = name, _KINDS.get(kind, "string")
        self.domain = attributes.get("for", "all")
        for part in self.parts:
            if self.domain in (part, "all"):
                self.keys[part, attributes.get("id", "")] = self.key

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "graph":
            self.graphs += 1
            mode = attributes.get("edgedefault", "undirected")
            if self.graphs > 1 or mode not in ("directed", "undirected"):
                raise fail(self.where, "holds more than one graph" if self.graphs > 1 else f"unknown mode {mode!r}")
            self.directed = mode == "directed"
        elif self.part != "graph":
            raise fail(self.where, f"has {'an edge' if tag == 'edge' else 'a node'} outside a graph")
        else:
            for key in ("id",) if tag == "node" else ("source", "target"):
                if key not in attributes:
                    raise fail(self.where, f"{'an edge' if tag == 'edge' else 'a node'} has no {key!r}")
            if tag == "node":
                self.ids.append(attributes["id"])
            else:
                self.ends.append((attributes["source"], attributes["target"]))
                if _WORDS.get(attributes.get("directed", ""), self.directed) != self.directed:
                    raise fail(self.where, f"edge {self.ends[-1]} and the graph disagree on having a direction")
        self.part = tag

    def _store(self, name: str, kind: str) -> None:
        column = self.parts[self.part].setdefault(name, Sparse())
        row = {"graph": 1, "node": len(self.ids), "edge": len(self.ends)}[self.part] - 1
        column.kinds.add(kind)
        if len(column.kinds) > 1:
            raise fail(self.where, f"{self.part} attribute {name!r} is both {' and '.join(sorted(column.kinds))}")
        if column.rows and column.rows[-1] == row:
            raise fail(self.where, f"{self.part} attribute {name!r} is given twice on one {self.part}")
        column.rows.append(row)
        column.values.append(self._value(name, kind))

    def _value(self, name: str | None, kind: str) -> Any:
        text = "".join(self.text)
        try:
            if kind == "number":
                return float(text)
            return text if kind == "string" else _WORDS[text.strip().lower()]
        except (ValueError, KeyError):
            raise fail(self.where, f"{self.part} attribute {name!r} is not a {kind}: {text!r}") from None


def _split_vectors(columns: dict[str, Any], mark: dict[str, Any], key: str) -> dict[str, list[Any]]:
    result: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if not isinstance(values, np.ndarray) or values.ndim == 1:  # tolist() gives None where a value is missing
            result[name] = values.tolist() if isinstance(values, np.ndarray) else values
        elif len(values):
            parts = []
            for i, part in enumerate(values.T):
                parts.append(unused_name(f"{name}_{i}", {*columns, *result}))
                result[parts[-1]] = part.tolist()
            mark.setdefault(key, {})[name] = parts
    return result


def _join_vectors(columns: dict[str, Any], mark: dict[str, Any], key: str, rows: int) -> dict[str, Any]:
    vectors = mark.get(key, {}) if rows else {}
    home: dict[str, str] = {}  # part -> vector
    for name, parts in vectors.items():
        if not isinstance(parts, list) or not all(isinstance(part, str) and part in columns for part in parts):
            raise GraphError(f"its 'graphmeans' entry {key!r} names attributes that do not exist")
        if len({*parts, *home}) < len(parts) + len(home):
            raise GraphError(f"its 'graphmeans' entry {key!r} names an attribute twice")
        home |= dict.fromkeys(parts, name)
    result: dict[str, Any] = {}
    for name in dict.fromkeys([*(home.get(part, part) for part in columns), *vectors]):
        if name in vectors:
            parts = [columns[part] for part in vectors[name]]
            result[name] = np.array(parts, dtype=np.float64).reshape(len(parts), rows).T
        else:
            result[name] = columns[name]
    return result


def _data(columns: dict[str, list[Any]], part: str, rows: int, keys: list[str], who: str) -> list[str]:
    """Return the <data> elements of each row, and add the <key> elements that they need to `keys`."""
    result = [""] * rows
    for name, values in columns.items() if rows else ():
        what = f"{who}: {part} attribute {name!r}"
        key = f"d{len(keys)}"
        known = next((value for value in values if value is not None), 0.0)
        kind = {bool: "boolean", str: "string"}.get(type(known), "double")
        keys.append(f'<key id="{key}" for="{part}" attr.name="{xml_text(name, what)}" attr.type="{kind}"/>')
        for row, value in enumerate(values):
            if value is not None:
                text = xml_text(value, what) if kind == "string" else repr(value).lower()
                result[row] += f'<data key="{key}">{text}</data>'
    return result
