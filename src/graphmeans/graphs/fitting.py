"""Deciding how each column of a collection is encoded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.choices import Choices
from graphmeans.graphs.columns import Column, as_is, fit_angles, fit_categories, fit_numbers
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.schema import Rows, attribute, common_columns, is_loop, lacking, rows_of
from graphmeans.graphs.values import joined, kind_in_words, missing_in, unknown_type

#: More categories than this are asked about: every node would need a row of that many numbers.
MOST_CATEGORIES = 1000
#: Strings are taken for names if there are more different ones than this, and ...
FEW_NAMES = 50
#: ... more than this share of all strings are different.
NAMES_SHARE = 0.9


def fit_columns(graphs: Sequence[Graph], part: str, choices: Choices, missing: str) -> tuple[list[Column], list[str]]:
    """The encodings of all node (edge) columns, and the names of the columns that are left out."""
    rows = [row for row in rows_of(graphs, part) if row.size]
    if not rows:
        # Nothing but empty (edgeless) graphs: an edge that comes later has weight 1.
        return [as_is(BARE, 0 if part == "node" else 1)], []
    columns = common_columns(rows, part, fill=missing == "columns")
    if list(columns) == [BARE]:
        return [as_is(BARE, rows[0].columns[BARE].shape[1])], []
    fitted: list[Column] = []
    left_out: list[str] = []
    for name, parts in columns.items():
        if missing == "refuse":
            _refuse_missing(name, parts, rows, part)
        values = _values(name, parts, rows, part)
        column = _fit_column(name, values, part, choices)
        if column is None:
            left_out.append(name)
        else:
            fitted.append(replace(column, not_of=_never_has(values, rows)))
    return fitted, left_out


def _values(name: str, parts: Sequence[NDArray[Any] | None], rows: Sequence[Rows], part: str) -> NDArray[Any]:
    """One column over all graphs; what a graph lacks is filled in by the rule for it."""
    typed = next((own for own in parts if own is not None and not unknown_type(own)), np.zeros(0))
    return joined([
        lacking(name, row.size, typed, part) if own is None else own for own, row in zip(parts, rows, strict=True)
    ])  # fmt: skip


def _refuse_missing(name: str, parts: Sequence[NDArray[Any] | None], rows: Sequence[Rows], part: str) -> None:
    for row, own in zip(rows, parts, strict=True):
        if own is not None and missing_in(own).any():
            raise GraphError(f"{row.label}: {attribute(part, name)} is missing on {part} {np.argmax(missing_in(own))}")


def _fit_column(name: str, values: NDArray[Any], part: str, choices: Choices) -> Column | None:
    """The encoding of a column, or None if it is left out."""
    period, category = choices.period(part, name), choices.is_category(part, name)
    scaling, weight = choices.scaling(part, name), choices.weight(part, name)
    if weight == 0:
        return None
    column: Column
    if period is not None:
        if values.dtype.kind != "f" or values.ndim != 1:
            raise GraphError(f"{attribute(part, name)} is {kind_in_words(values)}, but an angle is a number")
        column = fit_angles(name, values, period)
    elif values.dtype.kind == "f" and not category:
        column = _fit_numbers(name, values, part, scaling)
    else:
        chosen = category or weight is not None
        if values.dtype.kind == "O" and not chosen and _are_names(values, attribute(part, name)):
            return None
        column = _fit_categories(name, values, part, chosen)
    return replace(column, factor=float(np.sqrt(1.0 if weight is None else weight)))


def _fit_numbers(name: str, values: NDArray[Any], part: str, scaling: str) -> Column:
    if not is_loop(name):
        return fit_numbers(name, values, scaling, centred=part == "node")
    # Loops are scaled as edges are, by the loops there are; a node without one is zero.
    column = fit_numbers(name, np.ma.masked_equal(values, 0.0), scaling, centred=False)
    return replace(column, average=np.zeros(column.width))


def _fit_categories(name: str, values: NDArray[Any], part: str, chosen: bool) -> Column:
    what = attribute(part, name)
    if values.ndim != 1:
        raise GraphError(f"{what} is {kind_in_words(values)}, which cannot be a category")
    column = fit_categories(name, values, "" if is_loop(name) and values.dtype.kind == "O" else None)
    if column.width > MOST_CATEGORIES and not chosen:
        raise GraphError(
            f"{what} has {column.width} different values; leave it out with GraphEncoder(weights={{{name!r}: 0}}), "
            f"or say categories=[{name!r}]"
        )
    return column


def _are_names(values: NDArray[Any], what: str) -> bool:
    """Strings that hardly ever repeat are names, not categories; says so in a warning."""
    known = np.ma.getdata(values)[~missing_in(values)].tolist()
    different = len(set(known))
    if different <= FEW_NAMES or different <= NAMES_SHARE * len(known):
        return False
    warnings.warn(
        f"{what} is left out: its {different} different strings in {len(known)} values are names rather than categories; "
        "GraphEncoder(weights=...) with a weight for it brings it in",
        stacklevel=6,
    )
    return True


def _never_has(values: NDArray[Any], rows: Sequence[Rows]) -> frozenset[Any]:
    """Roles of which no node has a value."""
    gone = missing_in(values)
    if not gone.any() or rows[0].roles is None:
        return frozenset()
    roles = [role for row in rows for role in row.roles or ()]
    return frozenset(roles) - {role for role, lost in zip(roles, gone.tolist(), strict=True) if not lost}
