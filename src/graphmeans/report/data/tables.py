"""The attributes of nodes and edges as the page lists them: short values, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import IntArray, offsets
from graphmeans.graphs.graph import BARE, Columns, Graph
from graphmeans.plots.members import edge_numbers
from graphmeans.plots.text import plain_text
from graphmeans.report.data.rounding import short_numbers
from graphmeans.report.words import is_long

#: Columns of short values: tuples, which garbage collections leave alone.
Table = tuple[tuple[Any, ...], ...]
#: Attributes of nodes are listed in the page if there are no more values than this.
MOST_VALUES = 240_000


def node_tables(graphs: Sequence[Graph]) -> list[Table]:
    """The values of each node column in short, None where they are missing.

    A column of vectors becomes a column for each component, unless it is long.
    """
    return _short_tables([graph.nodes for graph in graphs])


def column_names(graph: Graph) -> list[str]:
    """The names of the columns that `node_table` lists."""
    names = []
    for key, values in sorted(graph.nodes.items()):
        if is_long(values):
            continue
        if values.ndim == 2:
            names += [f"{plain_text(key, 24) or 'value'} {d + 1}" for d in range(values.shape[1])]
        else:
            names.append(plain_text(key, 24) or "value" if key != BARE else "value")
    return names


def edge_tables(graphs: Sequence[Graph], edges: IntArray, ptr: IntArray) -> list[Table]:
    """The values of each edge column in short, in the order of these edges of all graphs; None where a graph has no such edge."""
    rows, cuts = _rows_of(graphs, edges, ptr).tolist(), pairwise(ptr.tolist())
    return [
        tuple([tuple([column[e] if e >= 0 else None for e in rows[first:last]]) for column in table])
        for table, (first, last) in zip(_short_tables([graph.edge_attributes for graph in graphs]), cuts, strict=True)
    ]


def _rows_of(graphs: Sequence[Graph], edges: IntArray, ptr: IntArray) -> IntArray:
    """Where these edges stand in the lists of their graphs, whichever way they run; -1 if they do not."""
    rows, of = np.full(len(edges), -1), np.repeat(np.arange(len(graphs)), np.diff(ptr))
    own, first = np.concatenate([graph.edges for graph in graphs]), offsets(np.array([graph.n_edges for graph in graphs]))
    size = max(graph.n_nodes for graph in graphs)
    numbers = edge_numbers(own, np.repeat(np.arange(len(graphs)), np.diff(first)), size, directed=True)
    order = np.argsort(numbers)
    for ends in (edges[:, ::-1], edges) if len(own) else ():  # the edge that runs this way counts, if there are two
        wanted = edge_numbers(ends, of, size, directed=True)
        at = order[np.minimum(np.searchsorted(numbers, wanted, sorter=order), len(order) - 1)]
        rows = np.where(numbers[at] == wanted, at - first[of], rows)
    return rows


def edge_column_names(graph: Graph) -> list[str]:
    """The names of the columns that `edge_table` lists."""
    names = []
    for key, values in sorted(graph.edge_attributes.items()):
        if is_long(values):
            continue
        called = plain_text(key, 24) or "value"
        names += [called] if values.ndim == 1 or values.shape[1] == 1 else [f"{called} {d + 1}" for d in range(values.shape[1])]
    return names


def _short_tables(tables: Sequence[Columns]) -> list[Table]:
    parts = [
        [
            part
            for _, values in sorted(table.items()) if not is_long(values)
            for part in (values.T if values.ndim == 2 else (values,))
        ]
        for table in tables
    ]  # fmt: skip
    numbers = _short_numbers([part for columns in parts for part in columns if part.dtype.kind == "f"])
    return [
        tuple([
            next(numbers) if part.dtype.kind == "f" else tuple([
                None if value is None or value is np.ma.masked else plain_text(value, 24) for value in part
            ])
            for part in columns
        ])
        for columns in parts
    ]  # fmt: skip


def _short_numbers(columns: Sequence[NDArray[Any]]) -> Iterator[tuple[float | int | None, ...]]:
    """The numbers of each column with four digits, None where they are missing."""
    short = tuple(short_numbers(np.concatenate([np.zeros(0), *[np.asarray(column) for column in columns]])))
    last = 0
    for column in columns:
        first, last = last, last + len(column)
        if isinstance(column, np.ma.MaskedArray):
            gone = np.ma.getmaskarray(column).tolist()
            yield tuple([None if hidden else number for number, hidden in zip(short[first:last], gone, strict=True)])
        else:
            yield short[first:last]
