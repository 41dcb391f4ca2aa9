"""What an encoder does with each column of a collection, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.encoding.columns import Column
from graphmeans.graphs.encoding.flat import GraphList
from graphmeans.graphs.graph import BARE
from graphmeans.graphs.values import join_columns, kind_in_words, missing_in


class ColumnSummary(NamedTuple):
    """What a column holds, what becomes of it, and how much of the distance is due to it.

    `share` is the part of all squared deviations from the average node (edge) that this column has: where it is near 1, the
    column dominates the distance.
    """

    part: str
    name: str
    kind: str
    treatment: str
    weight: float
    values: int
    missing: int
    distinct: int
    share: float


def describe_columns(
    graphs: GraphList, fitted: Mapping[str, Sequence[Column]], left_out: Mapping[str, Sequence[str]]
) -> list[ColumnSummary]:
    """A line for each column of these graphs, including those that the encoder leaves out."""
    lines: list[ColumnSummary] = []
    spreads: list[float] = []
    for part, columns in fitted.items():
        known = {column.name: column for column in columns}
        for name in dict.fromkeys([*known, *left_out[part]]):
            parts = [row.columns[name] for row in graphs.rows(part) if name in row.columns]
            if not parts or (name == BARE and not parts[0].shape[1]):
                continue
            values = join_columns(parts)
            column = known.get(name)
            spreads.append(0.0 if column is None else _spread(column, values) * (2.0 if part == "edge" else 1.0))
            lines.append(ColumnSummary(
                part, name, kind_in_words(values),
                "left out" if column is None else column.described(),
                0.0 if column is None else column.factor**2,
                len(values), int(missing_in(values).sum()), _distinct(values), 0.0,
            ))  # fmt: skip
    total = sum(spreads) or 1.0
    return [line._replace(share=spread / total) for line, spread in zip(lines, spreads, strict=True)]


def _spread(column: Column, values: NDArray[Any]) -> float:
    codes = column.codes(values)
    return float(((codes - codes.mean(axis=0)) ** 2).sum())


def _distinct(values: NDArray[Any]) -> int:
    known = np.ma.getdata(values)[~missing_in(values)]
    return len(np.unique(known, axis=0)) if known.dtype.kind == "f" else len(set(known.tolist()))
