"""How many nodes of each role the graphs of an Arrow table have, from the columns that tell and no others."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.io.formats.table import frozen_label
from graphmeans.io.parquet.layout import APART, ROLES, SIZE, Layout, stored
from graphmeans.io.parquet.rows import MAX_BARE_NODES, ListColumn, node_counts

IntArray = NDArray[np.int64]


def size_columns(layout: Layout) -> list[str]:
    """The columns that `role_counts_of_table` needs. One attribute of the nodes is there to confirm their numbers."""
    first = next(iter(layout.nodes), None)
    return [SIZE, APART, *([] if layout.roles is None else [ROLES]), *([] if first is None else [stored("nodes", first)])]


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
    try:
        return _count(layout, table, known, with_roles)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, MemoryError):
        return None  # encoding the graphs tells what is wrong


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
    lists = ListColumn(table.column(ROLES))
    if not np.array_equal(lists.lengths, nodes):
        return None
    names, codes = lists.coded()
    if layout.roles == "json":
        names = [frozen_label(json.loads(name)) for name in names]
    elif None in names:
        return None
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
