"""The rows of graphs become codes, column by column, with the columns that were fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.encoding import schema
from graphmeans.graphs.encoding.columns import Column
from graphmeans.graphs.encoding.schema import AttributeRows, attribute, is_optional
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, is_silent
from graphmeans.graphs.values import join_columns, kind_in_words, missing_in


class RowEncoder(NamedTuple):
    """How nodes (`part` is "node") or edges are encoded: what was fitted, and what the options of the encoder say."""

    part: str
    columns: dict[str, Column]
    left_out: Sequence[str]
    missing: str
    unknown: str

    def codes(self, rows: Sequence[AttributeRows]) -> FloatArray:
        """The codes of all rows, the columns side by side."""
        rows = [self._in_terms_of_columns(row) for row in rows]
        codes = [self._column_codes(column, rows) for column in self.columns.values()]
        if len(codes) == 1:  # large collections need not be copied once more
            return codes[0]
        return np.concatenate([np.zeros((sum(row.size for row in rows), 0)), *codes], axis=1)

    def _in_terms_of_columns(self, row: AttributeRows) -> AttributeRows:
        """The same rows with the columns that were fitted, or an error if they have others."""
        if row.columns.keys() != self.columns.keys():
            row = self._without_unused(row)
            self._check_names(row)
        for name, values in row.columns.items():
            if name in self.columns and not self.columns[name].accepts(values):
                is_ = kind_in_words(values)
                raise GraphError(f"{row.label}: {attribute(self.part, name)} is {is_}, not what the encoder was fitted on")
        return row

    def _without_unused(self, row: AttributeRows) -> AttributeRows:
        """The rows without columns that are not used, such as loops where the fitted collection had none.

        The bare array of a graph without attributes stands for no columns, and the other way round.
        """
        optional = {name for name in row.columns if is_optional(name, self.part)}
        if BARE in self.columns:
            absent = BARE not in row.columns and len(optional) == len(row.columns)
            return row._replace(columns=schema.nothing(row.size, self.part)) if absent else row
        if is_silent(row.columns, self.part):
            return row._replace(columns={})
        unused = {*self.left_out, *(optional - self.columns.keys())}
        return row._replace(columns={name: values for name, values in row.columns.items() if name not in unused})

    def _check_names(self, row: AttributeRows) -> None:
        fill = self.missing == "columns" and BARE not in row.columns and BARE not in self.columns
        required = {name: column for name, column in self.columns.items() if not fill or name in row.columns}
        if any(not is_optional(name, self.part) for name in row.columns.keys() ^ required.keys()):
            raise GraphError(schema.difference(row.label, row.columns, "the fitted collection", required, self.part))

    def _column_codes(self, column: Column, rows: Sequence[AttributeRows]) -> FloatArray:
        """The codes of one column; a graph that lacks it has what that stands for."""
        if not rows:
            return np.zeros((0, column.width))
        like = column.values(np.zeros((0, column.width))) if any(column.name not in row.columns for row in rows) else None
        given = [
            row.columns[column.name] if like is None or column.name in row.columns
            else schema.lacking(column.name, row.size, like, self.part)
            for row in rows
        ]  # fmt: skip
        if self.missing == "refuse":
            schema.refuse_missing(column.name, given, rows, self.part)
        if self.unknown == "refuse":
            self._refuse_unknown(column, given, rows)
        values = join_columns(given)
        codes = column.codes(values)
        if column.not_of and missing_in(values).any():
            roles = [role for row in rows for role in row.roles or [None] * row.size]
            codes[missing_in(values) & np.array([role in column.not_of for role in roles])] = 0.0
        return codes

    def _refuse_unknown(self, column: Column, parts: Sequence[NDArray[Any]], rows: Sequence[AttributeRows]) -> None:
        for row, values in zip(rows, parts, strict=True):
            strange = ~column.known(values) & ~missing_in(values)
            if strange.any():
                value = np.ma.getdata(values)[strange].tolist()[0]
                raise GraphError(f"{row.label}: {attribute(self.part, column.name)} has the unknown value {value!r}")
