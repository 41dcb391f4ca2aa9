"""GML: one graph in each file, ``key value`` pairs in square brackets.

GML knows whole numbers, reals and strings. A vector is a key given several times, as networkx writes it; booleans are 0 and
1, and what else other programs need not know stands in the graph's ``graphmeans``. Records inside a node or an edge, such as
``graphics``, are passed over. Node ids are those of the file; ``label`` is an attribute like any other, unless it only
repeats the id.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np

from graphmeans import files as _files
from graphmeans.budget import budgeted, charge, for_a_while
from graphmeans.files import PathLike, blaming, fail
from graphmeans.graphs.convert import MARK
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats import table as tables
from graphmeans.io.formats.table import GraphTable, graph_from_table, graph_to_table, labels_to_text, parse_mark

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TOKEN = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)
      | (?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.]))
      | "(?P<string>[^"]*)"
      | (?P<open>\[)
      | (?P<close>\])
      | (?P<key>[A-Za-z_][A-Za-z0-9_]*)""",
    re.VERBOSE,
)
#: Records that are nested deeper than this are refused.
_DEEPEST = 32


@budgeted
def read_gml(path_or_bytes: PathLike | bytes) -> Graph:
    """Read one graph from a GML file, or from the bytes of one.

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
    write_gml : The way back.
    read_collection : A folder of such files.

    Examples
    --------
    >>> from graphmeans.io import read_gml
    >>> read_gml(b'graph [ node [ id 1 x 0.5 ] node [ id 2 x 1 ] edge [ source 1 target 2 ] ]')
    Graph(2 nodes, 1 edge)
    """
    return parse_gml(*_files.named_content(path_or_bytes, "GML"))


def write_gml(graph: Graph, path: PathLike) -> None:
    """Write one graph as GML that networkx, igraph, Gephi and Cytoscape read.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    path : path
        The file to write.

    See Also
    --------
    read_gml : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_gml, write_gml
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_gml(gm.Graph(2, [(0, 1)]), os.path.join(folder, "line.gml"))
    ...     read_gml(os.path.join(folder, "line.gml"))
    Graph('line', 2 nodes, 1 edge)
    """
    table = graph_to_table(
        graph, Path(path).stem, reserved_nodes=("id", "label"), reserved_edges=("source", "target"), holes=True, legal=_KEY
    )
    labels_to_text(table)
    if graph.node_ids != tuple(range(graph.n_nodes)):
        table.mark["labels"] = True
    else:  # the ids of the file tell them
        table.mark.pop("ids", None)
    nodes, edges = _cells(table.nodes, table.mark, "nodes"), _cells(table.edges, table.mark, "edges")
    lines = ["graph [", f"  directed {int(table.directed)}"]
    if graph.name is not None:
        lines.append(f"  name {_quoted(graph.name)}")
    if table.mark:
        lines.append(f"  {MARK} {_quoted(json.dumps(table.mark))}")
    for i, label in enumerate(table.ids):
        lines += ["  node [", f"    id {i}", f"    label {_quoted(label)}", *_pairs(nodes, i), "  ]"]
    for e, (i, j) in enumerate(table.ends.tolist()):
        lines += ["  edge [", f"    source {i}", f"    target {j}", *_pairs(edges, e), "  ]"]
    _files.write_file(path, "\n".join([*lines, "]\n"]).encode())


def parse_gml(data: bytes, name: str | None, where: str) -> Graph:
    """Return the graph in these bytes. It is called `name` unless that is None."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # the format was once defined with this encoding
    with for_a_while():
        return _graph(_parse(text, where), name, where)


def _graph(content: list[tuple[str, Any]], name: str | None, where: str) -> Graph:
    graphs = [value for key, value in content if key == "graph"]
    if len(graphs) != 1 or not isinstance(graphs[0], list):
        raise fail(where, "holds more than one graph" if len(graphs) > 1 else "holds no graph")
    about: dict[str, Any] = {}
    rows: dict[str, list[dict[str, Any]]] = {"node": [], "edge": []}
    for key, value in graphs[0]:
        if key in rows:
            rows[key].append(_record(value, key, where))
        elif not isinstance(value, list):
            about.setdefault(key, value)
    mark = parse_mark(str(about[MARK]), where) if MARK in about else {}
    ids, labels = _ids(rows["node"], mark, where)
    place = tables.positions(ids, where)
    ends = [_ends(row, place, e, where) for e, row in enumerate(rows["edge"])]
    stored = about.get("name")
    nodes = _columns(rows["node"], "node", mark, where)
    edges = _columns(rows["edge"], "edge", mark, where)
    directed = about.get("directed", 0)
    if directed not in (0, 1):
        raise fail(where, f"directed must be 0 or 1, got {str(directed)[:20]!r}")
    chosen = name if name is not None or not isinstance(stored, str) else stored or None
    return graph_from_table(GraphTable(chosen, bool(directed), labels, ends, nodes, edges, mark), where)


# -- reading ---------------------------------------------------------------------------------------


def _parse(text: str, where: str) -> list[tuple[str, Any]]:
    """Return the pairs of the file. A record is a list of pairs."""
    top: list[tuple[str, Any]] = []
    stack = [top]
    key: str | None = None
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            line = text.count("\n", 0, at) + 1
            raise fail(where, f"is not GML (line {line}: {text[at : at + 20]!r})")
        at, kind = token.end(), token.lastgroup
        if kind == "blank":
            continue
        if kind == "close":
            if key is not None or len(stack) == 1:
                raise fail(where, "is not GML: a ']' without its '['" if key is None else f"is not GML: {key!r} has no value")
            stack.pop()
        elif kind == "key" and key is None:
            key = token["key"]
        elif key is None:
            raise fail(where, f"is not GML: {token.group()[:20]!r} stands where a key should")
        elif kind == "open":
            record: list[tuple[str, Any]] = []
            charge(where, rows=2)
            stack[-1].append((key, record))
            stack.append(record)
            key = None
            if len(stack) > _DEEPEST:
                raise fail(where, f"has records more than {_DEEPEST} deep")
        else:
            stack[-1].append((key, _value(token, key, where)))
            charge(where, values=2)
            key = None
    if len(stack) > 1 or key is not None:
        raise fail(where, "is not GML: it ends in the middle of a record")
    return top


def _value(token: re.Match[str], key: str, where: str) -> Any:
    if token.lastgroup == "string":
        return unescape(token["string"]) if "&#" not in token["string"] else _unescaped(token["string"])
    if token.lastgroup == "number":
        text = token["number"]
        whole = text.lstrip("+-").isdigit() and len(text) < 20
        return int(text) if whole else float(text)
    raise fail(where, f"attribute {key!r} has the value {token.group()[:20]!r}, which is neither a number nor a string")


def _unescaped(text: str) -> str:
    """Replace entities, also those of control characters and surrogates, which `html.unescape` would lose."""
    parts = re.split(r"&#([0-9]{1,7});", text)
    return "".join(
        unescape(part) if i % 2 == 0 else chr(int(part)) if int(part) <= 0x10FFFF else "\ufffd" for i, part in enumerate(parts)
    )


def _record(pairs: Any, part: str, where: str) -> dict[str, Any]:
    """Return one node or edge as a dict. A key that is given several times holds a list."""
    if not isinstance(pairs, list):
        raise fail(where, f"a {part} is not a record in square brackets")
    row: dict[str, list[Any]] = {}
    for key, value in pairs:
        if not isinstance(value, list):
            row.setdefault(key, []).append(value)
    return {key: values if len(values) > 1 else values[0] for key, values in row.items()}


def _ids(rows: list[dict[str, Any]], mark: dict[str, Any], where: str) -> tuple[list[Any], list[Any]]:
    """Return the ids that the edges of the file use, and those that the caller sees."""
    ids = []
    for i, row in enumerate(rows):
        if not isinstance(row.get("id"), int):
            raise fail(where, f"node {i} has no whole number as its 'id'")
        ids.append(row.pop("id"))
    if mark.get("labels") is True:
        labels = [row.pop("label", None) for row in rows]
        if not all(isinstance(label, str) for label in labels):
            raise fail(where, "a node has no 'label', although the file says that ids are there")
        return ids, labels
    if all(str(row.get("label", own)) == str(own) for row, own in zip(rows, ids, strict=True)):
        for row in rows:
            row.pop("label", None)
    return ids, ids


def _ends(row: dict[str, Any], place: dict[Any, int], e: int, where: str) -> tuple[int, int]:
    ends = []
    for key in ("source", "target"):
        label = row.pop(key, None)
        if not isinstance(label, int) or label not in place:
            said = f"leads to the node {str(label)[:40]!r}, which does not exist" if label is not None else f"has no {key!r}"
            raise fail(where, f"edge {e} {said}")
        ends.append(place[label])
    return ends[0], ends[1]


def _columns(rows: list[dict[str, Any]], part: str, mark: dict[str, Any], where: str) -> dict[str, Any]:
    columns = tables.columns_of_rows(rows, where)
    for key, values in columns.items():
        if key in mark.get(f"booleans_{part}s", ()):
            columns[key] = [None if value is None else bool(value) for value in values]
    for key, width in mark.get(f"vectors_{part}s", {}).items() if rows else ():
        if width not in (0, 1):
            raise fail(where, f"its {MARK!r} entry is malformed")
        with blaming(where, f"{part} attribute {key!r} is not a vector"):
            given = [row[key] for row in rows if key in row]
            columns[key] = np.array(given, float).reshape(len(rows), width)
    return columns


# -- writing ---------------------------------------------------------------------------------------


def _cells(columns: dict[str, Any], mark: dict[str, Any], part: str) -> dict[str, list[Any]]:
    """Return one list for each column, and put into the mark what GML cannot express: booleans and vectors of width 0 or 1."""
    result = {}
    for name, values in columns.items():
        cells = values.tolist() if isinstance(values, np.ndarray) else list(values)
        if any(isinstance(value, bool) for value in cells):
            mark.setdefault(f"booleans_{part}", []).append(name)
        if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] < 2 and len(values):
            mark.setdefault(f"vectors_{part}", {})[name] = values.shape[1]
        result[name] = cells
    return result


def _pairs(columns: dict[str, list[Any]], row: int) -> list[str]:
    lines = []
    for name, values in columns.items():
        for value in values[row] if isinstance(values[row], list) else [values[row]]:
            if isinstance(value, str):
                lines.append(f"    {name} {_quoted(value)}")
            elif value is not None:
                lines.append(f"    {name} {int(value) if isinstance(value, bool) else value!r}")
    return lines


def _quoted(text: str) -> str:
    plain = text.replace("&", "&amp;").replace('"', "&quot;")
    return '"' + "".join(c if c.isascii() and c.isprintable() else f"&#{ord(c)};" for c in plain) + '"'

