"""The types of the columns of a GXL collection, which all of its graphs decide together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphmeans.graphs.convert import VALUE
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.gxl_parser import RawGraph
from graphmeans.io.formats.table import GraphTable, check_sparsity, end_positions, graph_from_table

#: What replaces a missing value.
MISSING: dict[str, Any] = {"number": 0.0, "string": "", "bool": False}

#: How Java prints NaN: three edges of GREC whose ends coincide have this angle.
LOST = "\ufffd"

#: A text that reads as a number.
NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")


def typed_graphs(raws: list[RawGraph], where: str) -> list[Graph]:
    tables = [bare_table(raw) for raw in raws]
    for part in ("node", "edge"):
        keys = {key for raw in raws for key in raw.parts[part]}
        present = sum(len(column.values) for raw in raws for column in raw.parts[part].values())
        rows = sum(raw.rows(part) + 1 for raw in raws)
        check_sparsity(len(keys) * rows, present + rows, where)
    fill = column_filler(raws)
    return [graph_from_table(fill(raw, table), raw.where) for table, raw in zip(tables, raws, strict=True)]


def column_filler(raws: list[RawGraph]) -> Callable[[RawGraph, GraphTable], GraphTable]:
    """Make a function that puts all columns of a collection, typed, into the table of one of its graphs.

    The types are those that the given raw graphs show.
    """
    steps: list[tuple[str, str, Callable[[RawGraph], Any], str | None]] = []
    for part, store, flag in (("node", "nodes", "bare_nodes"), ("edge", "edges", "bare_edges")):
        pools: dict[str, list[RawGraph]] = {}
        for raw in raws:
            for key in raw.parts[part]:
                pools.setdefault(key, []).append(raw)
        bare = any(raw.mark.get(flag) for raw in raws)
        for key, members in pools.items():
            steps.append((store, key, _converter(members, part, key), flag if bare and key == VALUE else None))

    def fill(raw: RawGraph, table: GraphTable) -> GraphTable:
        for store, key, convert, flag in steps:
            getattr(table, store)[key] = convert(raw)
            if flag is not None:
                table.mark[flag] = True
        return table

    return fill


def telling_graphs(raws: Iterable[RawGraph], where: str) -> list[RawGraph]:
    """Return a few raw graphs that show as much about the types of the columns as all of them together."""
    known: set[tuple[Any, ...]] = set()
    kept = []
    keys: dict[str, set[str]] = {"node": set(), "edge": set()}
    present, rows = {"node": 0, "edge": 0}, {"node": 0, "edge": 0}
    for raw in raws:
        bare_table(raw)  # removes roles and supports from the columns
        news: set[tuple[Any, ...]] = {(flag,) for flag in ("bare_nodes", "bare_edges") if raw.mark.get(flag)}
        for part in ("node", "edge"):
            for key, column in raw.parts[part].items():
                news |= {(part, key, fact) for fact in _facts(raw, part, key)}
                present[part] += len(column.values)
            keys[part].update(raw.parts[part])
            rows[part] += raw.rows(part) + 1
        if not news <= known:
            known |= news
            kept.append(raw)
    for part in ("node", "edge"):
        check_sparsity(len(keys[part]) * rows[part], present[part] + rows[part], where)
    return kept


def _facts(raw: RawGraph, part: str, key: str) -> set[Any]:
    """Return what a column shows about its type: kinds of values, whether words read as numbers, widths of vectors."""
    column = raw.parts[part][key]
    facts: set[Any] = {*column.kinds, "strings" if key in raw.mark.get(f"{part}_strings", ()) else "typed"}
    for value in column.values:
        if isinstance(value, str):
            facts.add(("word", value != LOST and bool(NUMBER.fullmatch(value)), value == LOST))
        elif isinstance(value, (list, tuple)):
            facts.add(("width", len(value)))
    return facts


def bare_table(raw: RawGraph) -> GraphTable:
    """Return the graph without its columns, but with roles and supports, which are never filled in for other graphs."""
    ends = end_positions(raw.ids, raw.ends, raw.place)
    table = GraphTable(raw.name, raw.directed, list(raw.ids), ends, {}, {}, raw.mark)
    roles, support = raw.mark.get("roles"), raw.mark.get("support")
    for part, columns, keys in (("node", table.nodes, (roles, support)), ("edge", table.edges, (support,))):
        for key in keys:
            if key in raw.parts[part]:
                columns[key] = raw.parts[part].pop(key).dense(raw.rows(part), "")
    return table


def _converter(members: list[RawGraph], part: str, key: str) -> Callable[[RawGraph], Any]:
    """Make a function that turns this column into an array for any graph of the collection, also for one that lacks it."""
    kinds: dict[str, RawGraph] = {}
    lost = None
    for raw in members:
        for kind in raw.parts[part][key].kinds:
            kinds.setdefault(kind, raw)
    if kinds.keys() <= {"string", "number"} and "string" in kinds and _reads_as_numbers(members, part, key):
        kinds, lost = {"number": members[0]}, LOST
    if len(kinds) > 1:
        (one, _), (other, raw) = list(kinds.items())[:2]
        raise raw.fail(f"{part} attribute {key!r} is a {other} here and a {one} elsewhere")
    (kind,) = kinds
    if kind == "vector":
        return _vector_converter(members, part, key)
    missing, words = MISSING[kind], {"true": True, "1": True, "false": False, "0": False}

    def convert(raw: RawGraph) -> Any:
        column = raw.parts[part].get(key)
        if column is not None and lost is not None:
            column.drop(lost)
        values = [missing] * raw.rows(part) if column is None else column.dense(raw.rows(part), missing)
        try:
            if kind == "number":
                return np.array(list(map(float, values)))
            return values if kind == "string" else [words[str(value).strip().lower()] for value in values]
        except (ValueError, KeyError) as error:
            raise raw.fail(f"{part} attribute {key!r} is not a {kind}: {error}") from None

    return convert


def _reads_as_numbers(members: list[RawGraph], part: str, key: str) -> bool:
    if any(key in raw.mark.get(f"{part}_strings", ()) for raw in members):
        return False
    words = set().union(*(raw.parts[part][key].values for raw in members)) - {LOST}
    return bool(words) and all(map(NUMBER.fullmatch, words))


def _vector_converter(members: list[RawGraph], part: str, key: str) -> Callable[[RawGraph], Any]:
    width = len(members[0].parts[part][key].values[0])
    for raw in members:
        for value in raw.parts[part][key].values:
            if len(value) != width:
                raise raw.fail(f"{part} attribute {key!r} has {len(value)} numbers here and {width} elsewhere")

    def convert(raw: RawGraph) -> Any:
        column = raw.parts[part].get(key)
        rows = raw.rows(part)
        try:
            values = [] if column is None else [tuple(map(float, value)) for value in column.values]
        except ValueError as error:
            raise raw.fail(f"{part} attribute {key!r} is not a vector: {error}") from None
        result = np.zeros((rows, width))
        if column is not None:
            result[column.rows] = values
        return result

    return convert
