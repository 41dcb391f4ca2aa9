"""A graph as a file holds it: rows of named attributes, and a mark that says what they were.

Every format writes a `GraphTable` and reads one, so what a mark means is decided here and nowhere else. Its entries are
those of `graphs.convert`, and a few more for what networkx cannot carry:

- ``bare_nodes``, ``bare_edges``: the attribute ``value`` was a bare array;
- ``roles``, ``support``: the attributes that hold the roles and the supports of a mean graph; ``objective``;
- ``renamed_nodes``, ``renamed_edges``: stored name -> column name, where the format claims the name for itself;
- ``empty_nodes``, ``empty_edges``: name -> width (None for single values) of columns that have no row to show it;
- ``missing_nodes``, ``missing_edges``: stored name -> rows without a value (of vectors: row and place), which hold 0 or
  "", where the format or the column has no way to leave them out;
- ``name``: the name of the graph, where the file could not be called so;
- ``ids``, ``roles_json``: node ids and roles are JSON texts, in formats that only know strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphmeans.budget import charge, keep
from graphmeans.files import blaming, called, fail, parse_json
from graphmeans.graphs.convert import MARK, VALUE
from graphmeans.graphs.convert.records import Records, unused_name
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.values import read_column

#: Wider attributes are refused.
MAX_WIDTH = 100_000
#: A table may have at most this many cells for each value in the file; the others are missing values and defaults.
MAX_SPARSITY = 100

_MARK_TYPES: dict[str, type] = {
    "roles": str, "support": str, "name": str, "objective": float, "node_strings": list, "edge_strings": list,
    "renamed_nodes": dict, "renamed_edges": dict, "empty_nodes": dict, "empty_edges": dict,
    "vectors_nodes": dict, "vectors_edges": dict, "missing_nodes": dict, "missing_edges": dict,
    "booleans_nodes": list, "booleans_edges": list,
}  # fmt: skip


@dataclass
class GraphTable:
    """Rows of a file: ids and columns of the nodes, end positions and columns of the edges."""

    name: str | None
    directed: bool
    ids: list[Any]
    ends: Any
    nodes: dict[str, Any]
    edges: dict[str, Any]
    mark: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Sparse:
    """A column under construction: its values, and the rows that have one."""

    rows: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def dense(self, n: int, missing: Any) -> list[Any]:
        """Return one value for each row."""
        if len(self.values) == n:
            return self.values
        result = [missing] * n
        for row, value in zip(self.rows, self.values, strict=True):
            result[row] = value
        return result

    def drop(self, value: Any) -> None:
        """Forget every row that has this value."""
        if value in self.values:
            kept = [i for i, other in enumerate(self.values) if other != value]
            self.rows, self.values = [self.rows[i] for i in kept], [self.values[i] for i in kept]


def check_sparsity(cells: int, present: int, where: str) -> None:
    """Refuse a table in which nearly all values are missing: filling it would take far more memory than the file."""
    if cells > 1_000_000 + MAX_SPARSITY * present:
        raise fail(where, f"{present} attribute values would need a table of {cells} cells; too sparse")


def graph_to_table(
    graph: Graph, stem: str | None, *, reserved_nodes: Collection[str] = (), reserved_edges: Collection[str] = (),
    keep_ones: bool = False, holes: bool = False, legal: re.Pattern[str] | None = None,
) -> GraphTable:
    """Return what to write for a graph into a file called `stem`.

    `keep_ones` writes bare edge weights even if all are 1, for collections in which others are not. `holes` is for
    formats in which a node may lack an attribute that others have: columns of single values are then given with their
    holes. `legal` is what names of columns must look like.
    """
    mark: dict[str, Any] = {} if graph.name in (None, stem) else {"name": graph.name}
    parts: dict[str, dict[str, Any]] = {"nodes": dict(graph.nodes), "edges": dict(graph.edge_attributes)}
    for part, columns in parts.items():
        bare = columns.pop(BARE, None)
        default = bare is None or (bare.shape[1] == (part == "edges") and bool((bare == 1).all()))
        if not default or (bare is not None and part == "edges" and keep_ones):
            columns[VALUE], mark[f"bare_{part}"] = bare, True
        reserved = reserved_nodes if part == "nodes" else reserved_edges
        columns = _renamed(columns, reserved, legal, mark, f"renamed_{part}")
        if columns and not len(next(iter(columns.values()))):
            mark[f"empty_{part}"] = {name: c.shape[1] if c.ndim == 2 else None for name, c in columns.items()}
        parts[part] = _filled(columns, holes, mark, f"missing_{part}")
    nodes, edges = parts["nodes"], parts["edges"]
    if graph.roles is not None:
        mark["roles"] = unused_name("role", {*nodes, *reserved_nodes})
        nodes[mark["roles"]] = [plain_label(role, "role", graph) for role in graph.roles]
    if isinstance(graph, MeanGraph):
        mark["support"] = unused_name("support", {*nodes, *edges, *reserved_nodes, *reserved_edges})
        nodes[mark["support"]], edges[mark["support"]] = graph.node_support, graph.edge_support
        if graph.objective is not None:
            mark["objective"] = graph.objective
    ids = [plain_label(label, "node id", graph) for label in graph.node_ids]
    return GraphTable(graph.name, graph.directed, ids, graph.edges, nodes, edges, mark)


def graph_from_table(table: GraphTable, where: str) -> Graph:
    """Return the graph that was written. Every error names the file."""
    n, m = len(table.ids), len(table.ends)
    cells = sum(map(_cells, table.nodes.values())) + sum(map(_cells, table.edges.values()))
    keep(where, n, m, cells)
    with blaming(where, "holds attributes that cannot be used"):
        return _from_table(table)


def _cells(column: Any) -> int:
    return int(column.size) if isinstance(column, np.ndarray) else len(column)


def plain_label(label: Any, what: str, graph: Graph) -> Any:
    """Return a node id or role as JSON can hold it. Tuples become lists."""
    if isinstance(label, np.generic):
        label = label.item()
    if label is None or isinstance(label, (str, int, float)):
        return label
    if isinstance(label, tuple):
        return [plain_label(part, what, graph) for part in label]
    raise GraphError(f"{called(graph.name)}: {what} {label!r} cannot be written to a file; use strings or integers")


def frozen_label(label: Any, depth: int = 0) -> Any:
    """Return a node id or role that was read from JSON. Lists become tuples again."""
    if isinstance(label, list) and depth < 8:
        return tuple(frozen_label(part, depth + 1) for part in label)
    if label is None or isinstance(label, (str, int, float)):
        return label
    raise GraphError(f"{str(label)[:40]!r} can be neither a node id nor a role")


def labels_to_text(table: GraphTable) -> None:
    """Turn ids and roles into strings, and mark what only JSON text can bring back."""
    if not all(isinstance(label, str) for label in table.ids):
        table.ids, table.mark["ids"] = [json.dumps(label) for label in table.ids], "json"
    key = table.mark.get("roles")
    if key and not all(isinstance(role, str) for role in table.nodes[key]):
        table.nodes[key], table.mark["roles_json"] = [json.dumps(role) for role in table.nodes[key]], True


def parse_mark(text: str, where: str) -> dict[str, Any]:
    """Parse the JSON text of a mark, and check it."""
    return checked_mark(parse_json(text, where), where)


def checked_mark(mark: Any, where: str) -> dict[str, Any]:
    """Return the mark if everything in it has the type that it should have."""
    if not isinstance(mark, dict):
        raise fail(where, f"its {MARK!r} entry is malformed")
    for key, kind in _MARK_TYPES.items():
        if key in mark and not isinstance(mark[key], kind):
            raise fail(where, f"its {MARK!r} entry {key!r} is malformed")
    return mark


def positions(ids: list[Any], where: str) -> dict[Any, int]:
    """Return the position of each node id. An id must be unique."""
    place = {label: i for i, label in enumerate(ids)}
    if len(place) < len(ids):
        seen: set[Any] = set()
        twice = next(label for label in ids if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        raise fail(where, f"node id {twice!r} is given twice")
    return place


def end_positions(ids: list[Any], ends: Iterable[tuple[Any, Any]], where: str) -> list[tuple[int, int]]:
    """Return the positions of the end nodes of each edge, which is given by node ids."""
    place = positions(ids, where)
    try:
        return [(place[i], place[j]) for i, j in ends]
    except KeyError as missing:
        raise fail(where, f"an edge leads to the node {missing}, which does not exist") from None


def columns_of_rows(rows: list[dict[str, Any]], where: str) -> dict[str, Any]:
    """Return one list for each column. An attribute that a row lacks is missing there, like one that is None."""
    keys = dict.fromkeys(key for row in rows for key in row)
    check_sparsity(len(keys) * len(rows), sum(map(len, rows)), where)
    charge(where, size=8 * len(keys) * len(rows))
    return {key: [row.get(key) for row in rows] for key in keys}


def _renamed(
    columns: dict[str, Any], reserved: Collection[str], legal: re.Pattern[str] | None, mark: dict[str, Any], key: str
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, column in columns.items():
        wanted = name if legal is None or legal.fullmatch(name) else "attribute"
        taken = name in reserved or wanted != name
        stored = unused_name(wanted, {*reserved, *(set(columns) - {name}), *result}) if taken else name
        result[stored] = column
        if stored != name:
            mark.setdefault(key, {})[stored] = name
    return result


def _filled(columns: dict[str, Any], holes: bool, mark: dict[str, Any], key: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, column in columns.items():
        mask = np.ma.getmaskarray(column)
        # The first row must have all columns: it decides their order.
        if not isinstance(column, np.ma.MaskedArray) or (holes and column.ndim == 1 and not mask[0]):
            result[name] = column
        else:
            result[name] = np.ma.getdata(column)
            places = np.argwhere(mask)
            mark.setdefault(key, {})[name] = (places[:, 0] if column.ndim == 1 else places).tolist()
    return result


def _restore(columns: dict[str, Any], mark: Mapping[str, Any], part: str, rows: int) -> None:
    """Bring back columns that have no row to show them, and the holes in the others."""
    for name, width in {} if rows else mark.get(f"empty_{part}", {}).items():
        if width is not None and not (isinstance(width, int) and 0 <= width <= MAX_WIDTH):
            raise _malformed(f"empty_{part}")
        columns[name] = np.zeros(0 if width is None else (0, width))
    for name, where in mark.get(f"missing_{part}", {}).items():
        if name not in columns or not isinstance(where, list):
            raise _malformed(f"missing_{part}")
        column = np.asanyarray(read_column(columns[name], f"attribute {name!r}"))
        places = np.array(where, dtype=np.int64).reshape(len(where), column.ndim)
        if (places < 0).any() or (places >= column.shape).any():
            raise _malformed(f"missing_{part}")
        mask = np.zeros(column.shape, dtype=bool)
        mask[tuple(places.T)] = True
        columns[name] = np.ma.MaskedArray(column, mask=mask)


def _malformed(key: str) -> GraphError:
    return GraphError(f"its {MARK!r} entry {key!r} is malformed")


def _from_table(table: GraphTable) -> Graph:
    mark = table.mark
    nodes, edges, n, m = dict(table.nodes), dict(table.edges), len(table.ids), len(table.ends)
    _restore(nodes, mark, "nodes", n)
    _restore(edges, mark, "edges", m)
    roles = None
    if "roles" in mark:
        stored = _take(nodes, mark["roles"], n)
        roles = [frozen_label(json.loads(role) if mark.get("roles_json") else role) for role in stored]
    ids = [frozen_label(json.loads(label)) for label in table.ids] if mark.get("ids") == "json" else table.ids
    numbered = all(type(label) is int for label in ids) and ids == list(range(n))
    supports: dict[str, Any] = {}
    if "support" in mark:
        supports["node_support"] = _shares(_take(nodes, mark["support"], n))
        supports["edge_support"] = _shares(_take(edges, mark["support"], m))
    nodes = _named_back(nodes, mark, "renamed_nodes")
    edges = _named_back(edges, mark, "renamed_edges")
    arguments: dict[str, Any] = {
        "nodes": nodes.get(VALUE, n) if mark.get("bare_nodes") else nodes or n,
        "edges": table.ends,
        "edge_attributes": edges.get(VALUE) if mark.get("bare_edges") else edges or None,
        "directed": table.directed,
        "roles": roles,
        "node_ids": None if numbered else ids,
        "name": mark.get("name", table.name),
    }
    if supports:
        return MeanGraph(**supports, objective=mark.get("objective"), **arguments)
    if not mark and not _is_simple(table.ends, table.directed):
        # Rows with parallel edges or loops become a graph by the rules of `graphs.convert.records`.
        ends = [(int(i), int(j)) for i, j in table.ends]
        rows = [_present_rows(columns, count) for columns, count in ((nodes, n), (edges, m))]
        return Records(arguments["node_ids"], rows[0], ends, rows[1], table.directed, table.name).graph("graph")
    return Graph(**arguments)


def _present_rows(columns: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The columns as rows without what is missing."""
    masked = {key: values.tolist() if isinstance(values, np.ma.MaskedArray) else values for key, values in columns.items()}
    return [{key: values[i] for key, values in masked.items() if values[i] is not None} for i in range(count)]


def _is_simple(ends: Any, directed: bool) -> bool:
    pairs = [(i, j) if directed or i < j else (j, i) for i, j in ends]
    return len(set(pairs)) == len(pairs) and all(i != j for i, j in pairs)


def _named_back(columns: dict[str, Any], mark: Mapping[str, Any], key: str) -> dict[str, Any]:
    names = mark.get(key, {})
    result = {str(names.get(stored, stored)): column for stored, column in columns.items()}
    if BARE in result:
        raise GraphError("an attribute has no name")
    if len(result) < len(columns):
        raise _malformed(key)
    return result


def _take(columns: dict[str, Any], key: str, rows: int) -> list[Any]:
    if key not in columns and rows:
        raise GraphError(f"no attribute {key!r}, although the file says that there is one")
    return list(columns.pop(key, ()))


def _shares(values: list[Any]) -> Any:
    shares = np.array(values, dtype=np.float64).reshape(-1)
    if not np.isfinite(shares).all():
        raise GraphError("a support is NaN or infinity")
    return shares
