"""What an encoder does with each column of a collection, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.encoding.columns import Column
from graphmeans.graphs.encoding.schema import rows_of
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.values import joined, kind_in_words, missing_in

if TYPE_CHECKING:
    from graphmeans.graphs.encoding.encoder import GraphEncoder


class ColumnSummary(NamedTuple):
    """One column: what it holds, what becomes of it, and how much of the distance it makes.

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


def describe(encoder: GraphEncoder, graphs: Sequence[Graph]) -> list[ColumnSummary]:
    """A line for each column of these graphs, those that the encoder leaves out included."""
    lines: list[ColumnSummary] = []
    spreads: list[float] = []
    for part, fitted in (("node", encoder.node_columns_), ("edge", encoder.edge_columns_)):
        known: dict[str, Column] = {column.name: column for column in fitted}
        rows = [row for row in rows_of(graphs, part) if row.size]
        for name in dict.fromkeys([*known, *encoder.left_out_[part]]):
            parts = [row.columns[name] for row in rows if name in row.columns]
            if not parts or (name == BARE and not parts[0].shape[1]):
                continue
            values = joined(parts)
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
