"""Encode graphs, and count their nodes, from the buffers of an Arrow table, without an object for each graph.

This is the fast path to what `GraphEncoder.transform` makes of the graphs. Whatever is unusual takes the slow path through
`Graph` objects, which gives the right result or says what is wrong with which graph: a graph that is kept apart or lacks a
column, an edge that leads to no node, or a value that the encoder refuses.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.budget import FREE, RATIO
from graphmeans.files import DAMAGE, blaming
from graphmeans.graphs.batch import GraphBatch, IntArray, offsets
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.encoding.flat import Flat, Shape
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.io.formats.table import frozen_label
from graphmeans.io.parquet.layout import APART, ROLES, SIZE, SOURCE, TARGET, ColumnKind, Layout, stored
from graphmeans.io.parquet.rows import MAX_BARE_NODES, ListColumn, graphs_from_arrow, node_counts


def encode_table(layout: Layout, table: Any, where: str, encoder: GraphEncoder) -> GraphBatch:
    """Encode the rows of a table."""
    flat = flat_or_graphs(layout, table, where)
    if isinstance(flat, Flat):
        with contextlib.suppress(GraphError):
            return encoder.encode(flat)
        flat = graphs_from_arrow(layout, table, where)
    with blaming(where):
        return encoder.transform(flat)


def flat_or_graphs(layout: Layout, table: Any, where: str) -> Flat | list[Graph]:
    """Return the rows as flat arrays if all have the same columns and are valid, otherwise as graphs."""
    flat = None
    with contextlib.suppress(*DAMAGE):  # the slow path raises an error that names the graph
        flat = _flat(layout, table)
    return graphs_from_arrow(layout, table, where) if flat is None else flat


def _flat(layout: Layout, table: Any) -> Flat | None:
    if table.column(APART).null_count < table.num_rows:
        return None
    nodes = node_counts(table)
    if 64 * int(nodes.sum()) > FREE + RATIO * table.nbytes:
        return None
    shape = _shape(layout, table, nodes)
    if shape is None:
        return None
    node_columns = _columns(layout.nodes, "nodes", table, nodes)
    edge_columns = _columns(layout.edges, "edges", table, shape.edge_counts)
    if node_columns is None or edge_columns is None:
        return None
    if not node_columns:
        if (nodes > MAX_BARE_NODES).any():
            return None
        node_columns = {BARE: np.zeros((int(nodes.sum()), 0))}
    edge_columns = edge_columns or {BARE: np.ones((len(shape.ends), 1))}
    if BARE in edge_columns and not edge_columns[BARE].any(axis=1).all():
        return None
    if layout.roles is None:
        return Flat(shape, node_columns, edge_columns)
    lists = ListColumn(table.column(ROLES))
    if not (lists.valid | (nodes == 0)).all():
        return None if lists.lengths.any() else Flat(shape, node_columns, edge_columns)
    roles = _roles(layout, lists, nodes)
    return None if roles is None else Flat(shape, node_columns, edge_columns, tuple(roles[0]), roles[1])


def _roles(layout: Layout, lists: ListColumn, nodes: IntArray) -> tuple[list[Any], NDArray[np.int32]] | None:
    """Return the roles, and the number of that of each node; None unless every node has one."""
    names, codes = lists.coded()
    if not np.array_equal(lists.lengths, nodes) or (None in names and layout.roles != "json"):
        return None
    return [frozen_label(json.loads(name)) for name in names] if layout.roles == "json" else names, codes


def _shape(layout: Layout, table: Any, nodes: IntArray) -> Shape | None:
    """Return the edges if all lead to nodes that exist, none is a loop and none is given twice; otherwise None."""
    source, target = ListColumn(table.column(SOURCE)), ListColumn(table.column(TARGET))
    if not np.array_equal(source.start, target.start) or source.missing is not None or target.missing is not None:
        return None
    ends = np.stack([source.values(), target.values()], axis=1).astype(np.int64)
    owner = np.repeat(np.arange(len(nodes)), source.lengths)
    if len(ends) and (ends.min() < 0 or (ends >= nodes[owner][:, None]).any() or (ends[:, 0] == ends[:, 1]).any()):
        return None
    first = offsets(nodes)[owner]
    ordered = ends if layout.directed else np.sort(ends, axis=1)
    most = int(nodes.max(initial=0)) + 1
    if most * (int(nodes.sum()) + 1) >= 2**62:
        return None
    code = np.sort((first + ordered[:, 0]) * most + ordered[:, 1])
    if (code[1:] == code[:-1]).any():
        return None
    return Shape(nodes, source.lengths, ends, np.full(len(nodes), layout.directed))


def _columns(kinds: dict[str, ColumnKind], part: str, table: Any, counts: IntArray) -> dict[str, NDArray[Any]] | None:
    """Return the columns of all graphs, or None unless every graph that has rows has all columns."""
    if BARE in kinds and len(kinds) > 1:
        return None
    result: dict[str, NDArray[Any]] = {}
    for key, kind in kinds.items():
        lists = ListColumn(table.column(stored(part, key)))
        width = 1 if kind.width is None else kind.width
        if not (lists.valid | (counts == 0)).all() or not np.array_equal(lists.lengths, counts * width):
            return None
        values = lists.values()
        if kind.type == "number" and not np.isfinite(values).all():
            return None
        shape = (len(values),) if kind.width is None else (int(counts.sum()), kind.width)
        values, missing = values.reshape(shape), lists.missing
        if missing is not None and (key == BARE or not missing.any()):
            return None
        result[key] = values if missing is None else np.ma.MaskedArray(values, mask=missing.reshape(shape))
    return result


# -- numbers of nodes, from the columns that tell them and no others -------------------------------


def size_columns(layout: Layout) -> list[str]:
    """The columns that `role_counts_of_table` needs. One attribute of the nodes is there to confirm their numbers."""
    roles = [] if layout.roles is None else [ROLES]
    return [SIZE, APART, *roles, *(stored("nodes", key) for key in list(layout.nodes)[:1])]


def role_counts_of_table(layout: Layout, table: Any, known: dict[Hashable, int], with_roles: bool) -> IntArray | None:
    """The number of nodes of each role in each row, None if these columns alone do not tell it for certain.

    Parameters
    ----------
    layout : Layout
    table : pyarrow.Table
        With the `size_columns`.
    known : dict, role -> number
        The roles that have a number already. Others are added behind them, as the encoder does it.
    with_roles : bool
        Whether the encoder was fitted to graphs with roles.
    """
    with contextlib.suppress(*DAMAGE):  # encoding the graphs tells what is wrong
        return _count(layout, table, known, with_roles)
    return None


def _count(layout: Layout, table: Any, known: dict[Hashable, int], with_roles: bool) -> IntArray | None:
    if table.column(APART).null_count < table.num_rows:
        return None
    nodes = node_counts(table)
    if not _confirmed(layout, table, nodes):
        return None
    if nodes.any() and with_roles != (layout.roles is not None):
        return None
    if layout.roles is None:
        return np.pad(nodes[:, None], [(0, 0), (0, len(known) - 1)])
    roles = _roles(layout, ListColumn(table.column(ROLES)), nodes)
    if roles is None:
        return None
    names, codes = roles
    numbers = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
    owner = np.repeat(np.arange(len(nodes)), nodes)
    return np.bincount(owner * len(known) + numbers[codes], minlength=len(nodes) * len(known)).reshape(-1, len(known))


def _confirmed(layout: Layout, table: Any, nodes: IntArray) -> bool:
    """Whether there is a value for each node: a number by itself is not believed."""
    first = next(iter(layout.nodes.items()), None)
    if first is None:
        return not (nodes > MAX_BARE_NODES).any()
    key, kind = first
    lists = ListColumn(table.column(stored("nodes", key)))
    fits = lists.lengths == nodes * (1 if kind.width is None else kind.width)
    unseen = ~lists.valid if kind.width != 0 else np.ones(len(nodes), dtype=bool)
    return bool((fits | unseen).all()) and not (nodes[unseen] > MAX_BARE_NODES).any()
