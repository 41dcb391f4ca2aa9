"""Rows of attributes become the columns of a `Graph`, by rules that all converters share.

- An attribute that a node (edge) lacks, or that is None, is missing there.
- Parallel edges become one edge: numbers and vectors are averaged (or summed), of strings and booleans the most frequent is
  kept (the first of several). Then every edge of the graph has the attribute ``multiplicity``, how many it was.
- A self-loop becomes attributes of its node: ``loop``, how many there are, and ``loop:<name>`` for each attribute that loops
  have, merged as parallel edges are. A node without a loop has 0, "" or False there.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.errors import GraphError, speaking_of
from graphmeans.graphs.graph import BARE, LOOP, LOOP_PREFIX, MULTIPLICITY, Graph, is_silent
from graphmeans.graphs.mean_graph import MeanGraph

#: Attribute under which a bare array travels through libraries that only know named attributes.
VALUE = "value"
#: Graph attribute that says what was bare, what is a role and what is a support, so that the way back is exact.
MARK = "graphmeans"

#: What becomes of the numbers of parallel edges.
MERGERS: dict[str, Callable[..., Any]] = {"mean": np.mean, "sum": np.sum}

_Row = Mapping[str, Any]


@dataclass
class Records:
    """A graph as other libraries hold it, with a row of attributes for every node and edge."""

    ids: list[Any] | None
    nodes: list[dict[str, Any]]
    ends: list[tuple[int, int]]
    edges: list[dict[str, Any]]
    directed: bool
    name: str | None
    mark: Mapping[str, Any] = field(default_factory=dict)
    origin: Any = None

    def graph(self, label: str = "graph", *, roles: str | None = None, parallel: str = "mean") -> Graph:
        """The graph, or mean graph, that these rows describe; `label` is what messages call it if it has no name."""
        with speaking_of(label if self.name is None else f"graph {self.name!r}"):
            return self._graph(roles if roles is not None else self.mark.get("roles"), parallel)

    def _graph(self, role_key: str | None, parallel: str) -> Graph:
        nodes, ends, edges = self._simple(parallel)
        node_columns, edge_columns = columns_of(nodes), columns_of(edges)
        about: dict[str, Any] = {"directed": self.directed, "node_ids": self.ids, "name": self.name, "origin": self.origin}
        if role_key is not None:
            if role_key not in node_columns and nodes:
                raise GraphError(f"graph: no node attribute {role_key!r} to take roles from")
            about["roles"] = node_columns.pop(role_key, [])
        support = self.mark.get("support")
        if support:
            about |= {"node_support": node_columns.pop(support, []), "edge_support": edge_columns.pop(support, [])}
            about["damped"] = self.mark.get("damped", True)
        return (MeanGraph if support else Graph)(
            node_columns.get(VALUE, len(nodes)) if self.mark.get("bare_nodes") else node_columns or len(nodes),
            ends,
            edge_columns.get(VALUE) if self.mark.get("bare_edges") else edge_columns or None,
            **about,
        )

    def _simple(self, parallel: str) -> tuple[list[dict[str, Any]], list[tuple[int, int]], list[dict[str, Any]]]:
        """Nodes, ends and edges of a graph without loops and parallel edges."""
        if parallel not in MERGERS:
            raise GraphError(f"parallel must be one of {', '.join(map(repr, MERGERS))}, got {parallel!r}")
        groups: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for (i, j), row in zip(self.ends, self.edges, strict=True):
            groups.setdefault((i, j) if self.directed or i <= j else (j, i), []).append(row)
        loops = {i: rows for (i, j), rows in groups.items() if i == j}
        if not loops and len(groups) == len(self.ends):
            return self.nodes, self.ends, self.edges
        pairs = [pair for pair in groups if pair[0] != pair[1]]
        merged = [_merged(groups[pair], parallel) for pair in pairs]
        if any(len(groups[pair]) > 1 for pair in pairs):
            for pair, row in zip(pairs, merged, strict=True):
                row[MULTIPLICITY] = float(sum(one.get(MULTIPLICITY) or 1.0 for one in groups[pair]))
        return _with_loops(self.nodes, {i: (len(rows), _merged(rows, parallel)) for i, rows in loops.items()}), pairs, merged


def columns_of(rows: Sequence[_Row]) -> dict[str, list[Any]]:
    """Rows as columns: one list for each column, with None where a row lacks it."""
    keys = dict.fromkeys(str(key) for row in rows for key in row)
    named = [row if all(isinstance(key, str) for key in row) else {str(k): v for k, v in row.items()} for row in rows]
    return {key: [row.get(key) for row in named] for key in keys}


def chosen(rows: Iterable[_Row], names: Sequence[str] | None, roles: str | None = None) -> list[dict[str, Any]]:
    """The rows with the attributes that were asked for and the roles, or with all of them if none were named."""
    if names is None:
        return [dict(row) for row in rows]
    wanted = names if roles is None else [*names, roles]
    return [{name: row[name] for name in wanted if name in row} for row in rows]


def mark_of(value: Any) -> Mapping[str, Any]:
    """The mark that leads back, if this is one; libraries that make text of it leave that to `graphmeans.io`."""
    return value if isinstance(value, Mapping) else {}


def counterparts(ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Rows sorted by (i, j), and the rows that hold (j, i); None if some edge has no counterpart."""
    forth, back = np.lexsort((ends[:, 1], ends[:, 0])), np.lexsort((ends[:, 0], ends[:, 1]))
    return forth, back if np.array_equal(ends[forth], ends[back][:, ::-1]) else None


def plain_rows(columns: Mapping[str, NDArray[Any]], count: int, *, keep_bare: bool) -> list[dict[str, Any]]:
    """A row of plain Python values for every node (edge); missing values are left out."""
    lists = {VALUE if key == BARE else key: c.tolist() for key, c in columns.items() if key != BARE or keep_bare}
    return [{key: values[i] for key, values in lists.items() if values[i] is not None} for i in range(count)]


def to_rows(graph: Graph) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Rows of the nodes and edges of a graph, and the mark that leads back."""
    nodes, edges = graph.nodes, graph.edge_attributes
    parts = (("node", nodes), ("edge", edges))
    mark: dict[str, Any] = {f"bare_{part}s": True for part, own in parts if BARE in own and not is_silent(own, part)}
    node_rows = plain_rows(nodes, graph.n_nodes, keep_bare="bare_nodes" in mark)
    edge_rows = plain_rows(edges, graph.n_edges, keep_bare="bare_edges" in mark)
    if graph.roles is not None:
        key = mark["roles"] = unused_name("role", nodes)
        for row, role in zip(node_rows, graph.roles, strict=True):
            row[key] = role
    if isinstance(graph, MeanGraph):
        key = mark["support"] = unused_name("support", {**nodes, **edges})
        mark["damped"] = graph.damped
        for rows, supports in ((node_rows, graph.node_support), (edge_rows, graph.edge_support)):
            for row, support in zip(rows, supports, strict=True):
                row[key] = float(support)
    return node_rows, edge_rows, mark


def unused_name(name: str, taken: Container[str]) -> str:
    """The name, with underscores behind it until nothing else is called so."""
    while name in taken:
        name = f"{name}_"
    return name


def one_or_many(objects: Any, is_one: Callable[[Any], bool], convert: Callable[[Any, str], Any], what: str) -> Any:
    """What becomes of one object, or a list for a collection of them."""
    if is_one(objects):
        return convert(objects, "graph")
    if isinstance(objects, (str, bytes, Mapping)) or not isinstance(objects, Iterable):
        raise GraphError(f"expected {what} or a collection of them, got {type(objects).__name__}")
    graphs = []
    for i, one in enumerate(objects):
        if not is_one(one):
            raise GraphError(f"graph {i}: not {what} but {type(one).__name__}")
        graphs.append(convert(one, f"graph {i}"))
    return graphs


def need(module: str, extra: str, who: str) -> Any:
    """An optional package, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"{who} needs the package {package}: pip install 'graphmeans[{extra}]'") from None


def _merged(rows: Sequence[_Row], parallel: str) -> dict[str, Any]:
    if len(rows) == 1:
        return dict(rows[0])
    result: dict[str, Any] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        values = [row[key] for row in rows if row.get(key) is not None]
        result[key] = _one_value(values, parallel) if values else None
    return result


def _one_value(values: list[Any], parallel: str) -> Any:
    if all(isinstance(value, (str, bool, np.bool_)) for value in values):
        return Counter(values).most_common(1)[0][0]
    try:
        return MERGERS[parallel](np.array(values, dtype=np.float64), axis=0).tolist()
    except (ValueError, TypeError):
        raise GraphError(f"graph: parallel edges have values that cannot be merged ({values[0]!r}, ...)") from None


def _with_loops(nodes: list[dict[str, Any]], loops: Mapping[int, tuple[int, _Row]]) -> list[dict[str, Any]]:
    if not loops:
        return nodes
    if any(LOOP in row for row in nodes):
        raise GraphError(f"graph: has self-loops and also a node attribute {LOOP!r}; rename it")
    blanks: dict[str, Any] = {}
    for _, row in loops.values():
        for key, value in row.items():
            if value is not None:
                blanks.setdefault(key, _blank(value))
    result = []
    for i, row in enumerate(nodes):
        count, own = loops.get(i, (0, blanks))
        result.append({**row, LOOP: float(count), **{f"{LOOP_PREFIX}{key}": own.get(key) for key in blanks}})
    return result


def _blank(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return False
    return "" if isinstance(value, str) else (np.asarray(value, dtype=np.float64) * 0.0).tolist()
