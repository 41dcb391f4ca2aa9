"""Convert graphs into rows of an Arrow table with a given layout, and rows into graphs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.budget import keep, reading
from graphmeans.files import blaming, called, fail, parse_json
from graphmeans.graphs.batch import IntArray, offsets
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.values import BLANK, unknown_type
from graphmeans.io.formats.npz import npz_bytes, parse_npz
from graphmeans.io.formats.table import frozen_label, plain_label
from graphmeans.io.parquet import layout as field
from graphmeans.io.parquet.arrow import arrow
from graphmeans.io.parquet.layout import ColumnKind, Layout, is_text, stored

#: A graph without node columns may have at most this many nodes, because no list confirms their number.
MAX_BARE_NODES = 1 << 22

_DTYPES: dict[str, Any] = {"number": np.float64, "bool": np.bool_, "string": object}


# -- writing ---------------------------------------------------------------------------------------


def graphs_to_arrow(layout: Layout, graphs: Sequence[Graph], labels: Sequence[str | None]) -> tuple[Any, int]:
    """Return the rows of these graphs, and how many of the graphs had to be kept apart."""
    pa = arrow()
    schema = layout.schema()
    held = [layout.holds(graph) for graph in graphs]
    own = [graph if fits else None for graph, fits in zip(graphs, held, strict=True)]
    columns: dict[str, Any] = {
        field.NAME: [graph.name if is_text(graph.name) else None for graph in graphs],
        field.LABEL: labels,
        field.SIZE: [graph.n_nodes for graph in graphs],
        field.APART: [None if fits else npz_bytes([graph]) for graph, fits in zip(graphs, held, strict=True)],
        field.SOURCE: _lists([None if graph is None else graph.edges[:, 0] for graph in own], np.int32),
        field.TARGET: _lists([None if graph is None else graph.edges[:, 1] for graph in own], np.int32),
    }
    for part, kinds, attribute in (("nodes", layout.nodes, "_nodes"), ("edges", layout.edges, "_edge_attributes")):
        for key, kind in kinds.items():
            parts = [None if graph is None else _part(getattr(graph, attribute).get(key), kind) for graph in own]
            columns[stored(part, key)] = _lists(parts, _DTYPES[kind.type])
    if layout.ids is not None:
        columns[field.IDS] = [None if g is None else _labels(g._node_ids, layout.ids, "node id", g) for g in own]
    if layout.roles is not None:
        columns[field.ROLES] = [None if g is None else _labels(g._roles, layout.roles, "role", g) for g in own]
    arrays = [_array(pa, columns[one.name], one.type) for one in schema]
    return pa.Table.from_arrays(arrays, schema=schema), held.count(False)


def _array(pa: Any, values: Any, kind: Any) -> Any:
    if not isinstance(values, tuple):
        return pa.array(values, kind)
    starts, items, gone, null = values
    lists = pa.array(items, kind.value_type, mask=gone, from_pandas=False)
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), lists, type=kind, mask=pa.array(null))


def _lists(parts: Sequence[NDArray[Any] | None], dtype: Any) -> tuple[Any, Any, Any, Any]:
    """Offsets, values, which values are missing (None if no graph lacks one), and which lists are null."""
    filled = [part for part in parts if part is not None and part.size]
    starts = offsets(np.array([0 if part is None else part.size for part in parts], np.int64))
    if starts[-1] >= 2**31:
        raise GraphError("a row group would hold more than 2 billion values; write fewer rows to a group")
    values = np.concatenate([np.zeros(0, dtype), *[np.ma.getdata(part).reshape(-1).astype(dtype, copy=False) for part in filled]])
    gone = None
    if any(isinstance(part, np.ma.MaskedArray) for part in filled):
        gone = np.concatenate([np.ma.getmaskarray(part).reshape(-1) for part in filled])
    return starts.astype(np.int32), values, gone, np.array([part is None for part in parts], dtype=bool)


def _part(values: NDArray[Any] | None, kind: ColumnKind) -> NDArray[Any] | None:
    if values is None or not kind.fits(values):
        return None  # the graph has no such column, or nothing but the bare array of a graph without attributes
    dtype = np.dtype(_DTYPES[kind.type])
    if values.dtype != dtype and unknown_type(values):
        return np.ma.MaskedArray(np.full(values.shape, BLANK[dtype.kind], dtype), mask=np.ones(values.shape, dtype=bool))
    return values


def _labels(labels: Sequence[Any] | None, kind: str, what: str, graph: Graph) -> list[Any] | None:
    if labels is None or kind != "json":
        return None if labels is None else list(labels)
    return [json.dumps(plain_label(label, what, graph)) for label in labels]


# -- reading ---------------------------------------------------------------------------------------


class ListColumn:
    """A list column: the values of row i stand at ``start[i]:start[i + 1]``; `valid` says which rows have a list."""

    def __init__(self, column: Any) -> None:
        array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if hasattr(array, "chunks"):  # this is a chunked array without any chunk
            array = array.chunk(0) if array.num_chunks else arrow().array([], array.type)
        starts = array.offsets.to_numpy().astype(np.int64)
        first = int(starts[0]) if len(starts) else 0
        self.start = starts - first if len(starts) else np.zeros(1, np.int64)
        self.valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
        self._array = array.values.slice(first, int(self.start[-1]))
        self.lengths = np.diff(self.start)
        if (self.lengths[~self.valid] != 0).any():
            raise GraphError("a list that should be absent has values")

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Which values are missing, None if none is."""
        if not self._array.null_count:
            return None
        return np.asarray(self._array.is_null().to_numpy(zero_copy_only=False), dtype=bool)

    def values(self) -> NDArray[Any]:
        """Return the values of all rows, with a blank where a value is missing."""
        kind = str(self._array.type)
        if kind == "string":
            words, codes = self.coded()
            return np.array([word or "" for word in words], dtype=object)[codes]
        filled = self._array.fill_null(False if kind == "bool" else 0) if self._array.null_count else self._array
        return np.asarray(filled.to_numpy(zero_copy_only=False))

    def coded(self) -> tuple[list[Any], NDArray[np.int32]]:
        """Return the distinct values, and for each place the number of its value; a missing value is None."""
        coded = self._array.dictionary_encode()
        words = coded.dictionary.to_pylist()
        if not self._array.null_count:
            return words, coded.indices.to_numpy().astype(np.int32)
        return [*words, None], coded.indices.fill_null(len(words)).to_numpy().astype(np.int32)


def graphs_from_arrow(layout: Layout, table: Any, where: str) -> list[Graph]:
    """Return the graphs of some rows. Every error names the file."""
    with reading() as budget, blaming(where, "holds columns that do not fit together"):
        budget.opened(where, table.nbytes)
        return list(_graphs(layout, table))


def _graphs(layout: Layout, table: Any) -> Iterator[Graph]:
    names, whole = table.column(field.NAME).to_pylist(), table.column(field.APART).to_pylist()
    sizes = node_counts(table)
    source, target = ListColumn(table.column(field.SOURCE)), ListColumn(table.column(field.TARGET))
    if not np.array_equal(source.start, target.start):
        raise GraphError("an edge has only one end")
    if source.missing is not None or target.missing is not None:
        raise GraphError("an edge lacks an end")
    ends = np.stack([source.values(), target.values()], axis=1)
    nodes = [_Column(key, kind, table.column(stored("nodes", key))) for key, kind in layout.nodes.items()]
    edges = [_Column(key, kind, table.column(stored("edges", key))) for key, kind in layout.edges.items()]
    ids = None if layout.ids is None else table.column(field.IDS).to_pylist()
    roles = None if layout.roles is None else table.column(field.ROLES).to_pylist()
    for i, name in enumerate(names):
        if whole[i] is not None:
            yield _from_whole(whole[i], name)
            continue
        n, m = int(sizes[i]), int(source.lengths[i])
        own, links = _cut(nodes, i, n, name), _cut(edges, i, m, name)
        if not own and n > MAX_BARE_NODES:
            raise fail(called(name), f"{n} nodes without any attribute are not believed")
        keep(called(name), n, m)
        yield Graph(
            own.get(BARE, own or n),
            ends[source.start[i] : source.start[i + 1]],
            links.get(BARE, links or None),
            directed=layout.directed,
            roles=None if roles is None else _read_labels(roles[i], layout.roles),
            node_ids=None if ids is None else _read_labels(ids[i], layout.ids),
            name=name,
        )


def node_counts(table: Any) -> IntArray:
    """Return the number of nodes of each graph."""
    counts = np.asarray(table.column(field.SIZE).to_numpy(), dtype=np.float64)  # a null becomes NaN
    if not (counts >= 0).all():
        raise GraphError(f"row {int(np.argmin(counts >= 0))} has no number of nodes")
    return counts.astype(np.int64)


class _Column:
    """An attribute of all rows, cut up graph by graph."""

    def __init__(self, key: str, kind: ColumnKind, column: Any) -> None:
        self.key, self.width = key, kind.width
        self.lists = ListColumn(column)
        self.values, self.missing = self.lists.values(), self.lists.missing

    def of(self, i: int, rows: int, name: str | None) -> NDArray[Any]:
        """Return the values of graph i, which has this name."""
        own = slice(self.lists.start[i], self.lists.start[i + 1])
        values = self.values[own]
        if len(values) != rows * (1 if self.width is None else self.width):
            raise fail(called(name), f"attribute {self.key!r} has {len(values)} values for {rows} rows")
        values = values if self.width is None else values.reshape(rows, self.width)
        if self.missing is None or not self.missing[own].any():
            return values
        return np.ma.MaskedArray(values, mask=self.missing[own].reshape(values.shape))


def _cut(columns: Sequence[_Column], i: int, rows: int, name: str | None) -> dict[str, Any]:
    own = {column.key: column.of(i, rows, name) for column in columns if column.lists.valid[i]}
    if BARE in own and len(own) > 1:
        raise fail(called(name), "has a bare array beside named attributes")
    return own


def _read_labels(labels: list[Any] | None, kind: str | None) -> list[Any] | None:
    if labels is None or kind != "json":
        return labels
    return [frozen_label(parse_json(text, "a node id or role")) for text in labels]


def _from_whole(data: bytes, name: str | None) -> Graph:
    with blaming(called(name)):
        graphs = parse_npz(data, field.APART)
    if len(graphs) != 1:
        raise fail(called(name), f"{len(graphs)} graphs are kept apart in one row")
    return graphs[0]
