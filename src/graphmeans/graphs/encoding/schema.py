"""The columns of many graphs side by side: which there are, which a graph lacks, and whether they agree in type.

Two sorts of columns may be absent from a graph because their absence means something. They are made by the converters:
``loop`` and ``loop:<attribute>`` on nodes (no self-loop), ``multiplicity`` on edges (no parallel edges).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, LOOP, LOOP_PREFIX, MULTIPLICITY, Columns, is_silent
from graphmeans.graphs.values import BLANK, kind_in_words, missing_in, unknown_type


class AttributeRows(NamedTuple):
    """The nodes or the edges of one graph, and what messages call that graph."""

    label: str
    columns: Columns
    size: int
    roles: tuple[Any, ...] | None


def is_optional(name: str, part: str) -> bool:
    """Whether a graph without this column has something to say by that."""
    return is_loop(name) if part == "node" else name == MULTIPLICITY


def is_loop(name: str) -> bool:
    """Whether a node column tells of self-loops."""
    return name == LOOP or name.startswith(LOOP_PREFIX)


def lacking(name: str, size: int, like: NDArray[Any], part: str) -> NDArray[Any]:
    """A column for a graph that does not have it: the value that its absence stands for, or missing values."""
    if not is_optional(name, part):
        blank = np.zeros((size, *like.shape[1:]))
        return np.asanyarray(np.ma.MaskedArray(blank, mask=np.ones(blank.shape, dtype=bool)))
    value = 1.0 if name == MULTIPLICITY else BLANK[like.dtype.kind]
    return np.full((size, *like.shape[1:]), value, dtype=like.dtype)


def common_columns(rows: Sequence[AttributeRows], part: str, *, fill: bool) -> dict[str, list[NDArray[Any] | None]]:
    """For each column one array per graph, or None where a graph lacks it.

    A graph must have all columns that are not optional, unless `fill` says that those it lacks are missing values.
    """
    if any(BARE not in row.columns for row in rows):
        # Where other graphs have named columns, the bare arrays of graphs without attributes are none.
        rows = [row._replace(columns={}) if is_silent(row.columns, part) else row for row in rows]
    first = rows[0]
    names = set().union(*(row.columns for row in rows)) if fill or BARE not in first.columns else {BARE}
    for row in rows:
        check_names(row, first, part, fill)
    found: dict[str, list[NDArray[Any] | None]] = {}
    for name in sorted(names):
        parts = [row.columns.get(name) for row in rows]
        typed = zip(rows, parts, strict=True)
        check_types(name, part, [(row.label, own) for row, own in typed if own is not None and not unknown_type(own)])
        found[name] = parts
    return found


def check_names(one: Any, first: Any, part: str, fill: bool) -> None:
    """Refuse columns (of what has a label) that are not those of the first, unless what is lacking is filled in."""
    wrong = {name for name in one.columns.keys() ^ first.columns.keys() if not is_optional(name, part)}
    if wrong and (not fill or BARE in wrong):
        raise GraphError(difference(one.label, one.columns, first.label, first.columns, part))


def check_types(name: str, part: str, labelled: Sequence[tuple[str, NDArray[Any]]]) -> None:
    """Refuse values of several graphs that are not all of one type and width."""
    for label, values in labelled:
        first, like = labelled[0]
        if values.dtype.kind != like.dtype.kind or values.shape[1:] != like.shape[1:]:
            is_, was = kind_in_words(values), kind_in_words(like)
            raise GraphError(f"{label}: {attribute(part, name)} is {is_} but {was} in {first}")


def difference(label: str, columns: Mapping[str, Any], other: str, expected: Mapping[str, Any], part: str) -> str:
    """What is wrong with columns that are not the expected ones."""
    mine = {name for name in columns if not is_optional(name, part)}
    theirs = {name for name in expected if not is_optional(name, part)}
    if BARE in mine or (not mine and theirs and BARE not in theirs):
        return f"{label}: {part} attributes are a bare array or absent, unlike in {other}"
    if BARE in theirs:
        return f"{label}: {part} attributes are named columns, unlike in {other}"
    lacking, extra = sorted(theirs - mine), sorted(mine - theirs)
    if lacking:
        return (
            f"{label}: {part} attribute {lacking[0]!r} is missing (present in {other}); "
            "GraphEncoder(missing='columns') would fill it in"
        )
    return f"{label}: {part} attribute {extra[0]!r} is not in {other}"


def attribute(part: str, name: str) -> str:
    """What messages call a column."""
    return f"{part} attribute {name!r}" if name != BARE else f"the {part} attributes"


def nothing(size: int, part: str) -> Columns:
    """What a graph without attributes holds."""
    return {BARE: np.zeros((size, 0)) if part == "node" else np.ones((size, 1))}


def refuse_missing(name: str, parts: Sequence[NDArray[Any] | None], rows: Sequence[AttributeRows], part: str) -> None:
    """Refuse a column in which a value is missing; a graph may lack the column altogether."""
    for row, own in zip(rows, parts, strict=True):
        if own is not None and missing_in(own).any():
            raise GraphError(f"{row.label}: {attribute(part, name)} is missing on {part} {np.argmax(missing_in(own))}")
