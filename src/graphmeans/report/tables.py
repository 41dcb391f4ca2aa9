"""The attributes of nodes and edges as the page lists them: short values, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.graph import BARE, Columns, Graph
from graphmeans.plots.text import plain_text

#: Columns of short values: tuples, which garbage collections leave alone.
Table = tuple[tuple[Any, ...], ...]
#: Attributes of nodes are listed in the page if there are no more values than this.
MOST_VALUES = 240_000


def node_table(graph: Graph) -> Table:
    """The values of each node column in short; a column of vectors becomes a column for each component."""
    return _short_columns(graph.nodes)


def column_names(graph: Graph) -> list[str]:
    """The names of the columns that `node_table` lists."""
    names = []
    for key, values in sorted(graph.nodes.items()):
        if values.ndim == 2:
            names += [f"{plain_text(key, 24) or 'value'} {d + 1}" for d in range(values.shape[1])]
        else:
            names.append(plain_text(key, 24) or "value" if key != BARE else "value")
    return names


def edge_table(graph: Graph, edges: IntArray) -> Table:
    """The values of each edge column in short, in the order of these edges; None where the graph has no such edge."""
    columns, own, wanted = _short_columns(graph.edge_attributes), graph.edges.tolist(), edges.tolist()
    if wanted == own:
        return columns
    place = {(j, i): e for e, (i, j) in enumerate(own)} | {(i, j): e for e, (i, j) in enumerate(own)}
    rows = [place.get((i, j)) for i, j in wanted]
    return tuple(tuple([None if e is None else short[e] for e in rows]) for short in columns)


def edge_column_names(graph: Graph) -> list[str]:
    """The names of the columns that `edge_table` lists."""
    names = []
    for key, values in sorted(graph.edge_attributes.items()):
        called = plain_text(key, 24) or "value"
        names += [called] if values.ndim == 1 or values.shape[1] == 1 else [f"{called} {d + 1}" for d in range(values.shape[1])]
    return names


def _short_columns(columns: Columns) -> Table:
    parts = (part for _, values in sorted(columns.items()) for part in (values.T if values.ndim == 2 else (values,)))
    return tuple([_short(part) for part in parts])


def _short(values: Any) -> tuple[Any, ...]:
    if values.dtype.kind != "f":
        return tuple([plain_text(value, 24) for value in values])
    numbers = map(float, map("{:.4g}".format, np.asarray(values).tolist()))
    short = tuple([int(number) if number.is_integer() and abs(number) < 1e15 else number for number in numbers])
    if isinstance(values, np.ma.MaskedArray):
        return tuple([None if gone else number for number, gone in zip(short, np.ma.getmaskarray(values).tolist(), strict=True)])
    return short
