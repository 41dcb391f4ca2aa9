"""How one column of attributes becomes numbers and back: scaled, 1-of-k, or as points on a circle.

Each kind of column makes codes of values (`codes`) and decodes averages of codes (`decode`). All kinds treat a value that
they do not know, because it is missing or was never seen, alike: it gets the average code of the fitted collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.values import missing_in, unknown_type


@dataclass(frozen=True)
class Column:
    """What all columns share.

    Parameters
    ----------
    name : str
    factor : float
        Codes are multiplied by it: the square root of the column's weight.
    average : array of shape (width,)
        The code of a value that is not known, before `factor`.
    not_of : frozenset
        Roles of which no node has this attribute: it does not apply to them, and their code is zero.
    """

    name: str
    factor: float = 1.0
    average: FloatArray = field(default_factory=lambda: np.zeros(0))
    not_of: frozenset[Any] = frozenset()

    @property
    def width(self) -> int:
        """Number of channels."""
        raise NotImplementedError

    def accepts(self, values: NDArray[Any]) -> bool:
        """Whether these values are of the type that was fitted."""
        raise NotImplementedError

    def encode(self, values: NDArray[Any]) -> FloatArray:
        """Codes of known values; `Categories`, which have a table of codes, do without it."""
        raise NotImplementedError

    def decode(self, codes: FloatArray) -> NDArray[Any]:
        """Values of codes, which may be averages of several."""
        raise NotImplementedError

    def known(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the values can be encoded."""
        return ~missing_in(values)

    def codes(self, values: NDArray[Any]) -> FloatArray:
        """Weighted codes of a column, unknown values filled in."""
        if not isinstance(values, np.ma.MaskedArray):
            codes = self.encode(values)
            return codes if (np.asarray(self.factor) == 1.0).all() else codes * self.factor
        known = self.known(values)
        codes = np.tile(self.average, (len(values), 1))
        codes[known] = self.encode(np.ma.getdata(values)[known])
        return codes * self.factor

    def values(self, codes: FloatArray) -> NDArray[Any]:
        """The column back from weighted codes."""
        return self.decode(codes / self.factor)

    def described(self) -> str:
        """What is done to the values, in a few words."""
        raise NotImplementedError


#: A value that is so much smaller than what is added to it is what rounding has left of 0.
CANCELLED = 16 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Numbers(Column):
    """Numbers or vectors: ``(value - center) / scale``, channel by channel."""

    center: FloatArray = field(default_factory=lambda: np.zeros(1))
    scale: FloatArray = field(default_factory=lambda: np.ones(1))
    scalar: bool = True
    scaling: str = "keep"

    @property
    def width(self) -> int:
        return len(self.center)

    def encode(self, values: NDArray[Any]) -> FloatArray:
        rows = np.asarray(values, dtype=np.float64).reshape(len(values), self.width)
        if not self.center.any() and (self.scale == 1.0).all():
            return rows if rows.flags.writeable else rows.copy()  # columns that have been joined are nobody else's
        return (rows - self.center) / self.scale

    def decode(self, codes: FloatArray) -> NDArray[Any]:
        values = codes * self.scale + self.center
        values[np.abs(values) < CANCELLED * np.abs(self.center)] = 0.0  # 0 came back with the rounding of what was taken off
        return values[:, 0] if self.scalar else values

    def accepts(self, values: NDArray[Any]) -> bool:
        wide = values.ndim == (1 if self.scalar else 2) and (self.scalar or values.shape[1] == self.width)
        return unknown_type(values) or (values.dtype.kind == "f" and wide)

    def codes(self, values: NDArray[Any]) -> FloatArray:
        if isinstance(values, np.ma.MaskedArray) and values.ndim == 2 and values.shape[1] == self.width:
            # A vector may be known in part.
            codes = self.encode(np.ma.getdata(values))
            return np.where(np.ma.getmaskarray(values), self.average, codes) * self.factor
        return super().codes(values)

    def described(self) -> str:
        return {"standardise": "standardised", "robust": "robustly scaled", "keep": "kept as it is"}[self.scaling]


@dataclass(frozen=True)
class Categories(Column):
    """Strings, booleans or numbers that stand for categories: 1-of-k. Decoded as the most likely category.

    `blank`, if there is one, is the value that says "none of them": its code is zero.
    """

    categories: tuple[Any, ...] = ()
    blank: str | None = None

    @property
    def width(self) -> int:
        return len(self.categories)

    @property
    def _type(self) -> str:
        first = self.categories[0] if self.categories else ""
        return "b" if isinstance(first, bool) else "f" if isinstance(first, float) else "O"

    def _places(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Which category each value is; the number of categories for `blank`, -1 for what is not known."""
        place: dict[Any, int] = {value: i for i, value in enumerate(self.categories)}
        if self.blank is not None:
            place[self.blank] = self.width
        where = np.array([place.get(value, -1) for value in np.ma.getdata(values).tolist()], dtype=np.int64)
        where[missing_in(values)] = -1
        return where

    def known(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        return self._places(values) >= 0

    def codes(self, values: NDArray[Any]) -> FloatArray:
        table = np.vstack([np.eye(self.width), np.zeros(self.width), self.average])  # last: what is not known
        return np.asarray(table[self._places(values)] * self.factor)

    def decode(self, codes: FloatArray) -> NDArray[Any]:
        if not self.categories:
            return np.full(len(codes), self.blank or "", dtype=object)
        kind = {"b": bool, "f": np.float64, "O": object}[self._type]
        likely = np.array(self.categories, dtype=kind)[codes.argmax(axis=1)]
        if self.blank is not None:
            likely[codes.max(axis=1) <= 0] = self.blank
        return likely

    def accepts(self, values: NDArray[Any]) -> bool:
        return unknown_type(values) or (values.ndim == 1 and values.dtype.kind == self._type)

    def described(self) -> str:
        return f"1 of {self.width}"


@dataclass(frozen=True)
class Angles(Column):
    """Angles as points on a circle: (cos, sin) of ``2 pi value / period``. Decoded into [low, low + period)."""

    period: float = 2 * np.pi
    low: float = 0.0

    @property
    def width(self) -> int:
        return 2

    def encode(self, values: NDArray[Any]) -> FloatArray:
        turns = np.asarray(values, dtype=np.float64) * (2 * np.pi / self.period)
        return np.stack([np.cos(turns), np.sin(turns)], axis=1)

    def decode(self, codes: FloatArray) -> NDArray[Any]:
        angles = np.arctan2(codes[:, 1], codes[:, 0]) * (self.period / (2 * np.pi))
        inside = self.low + np.mod(angles - self.low, self.period)
        # Rounding may land on the far end, which is the near end of the next turn.
        return np.where(inside >= self.low + self.period, self.low, inside)

    def accepts(self, values: NDArray[Any]) -> bool:
        return unknown_type(values) or (values.dtype.kind == "f" and values.ndim == 1)

    def described(self) -> str:
        return f"a point on a circle (period {self.period:.6g})"


def decode_columns(
    codes: FloatArray, columns: Sequence[Column], roles: Sequence[Any] | None, if_none: int | None
) -> Any:
    """Columns by name (or the bare array) out of codes; `if_none` if there is no column."""
    decoded: dict[str, NDArray[Any]] = {}
    start = 0
    for column in columns:
        values = column.values(codes[:, start : start + column.width])
        if column.not_of and roles is not None:
            apart = np.array([role in column.not_of for role in roles], dtype=bool)
            if apart.any():
                mask = np.broadcast_to(apart.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
                values = np.ma.MaskedArray(values, mask=mask)
        decoded[column.name] = values
        start += column.width
    return decoded.get("", decoded or if_none)


def as_is(name: str, width: int) -> Numbers:
    """The column of a bare array."""
    return Numbers(name, average=np.zeros(width), center=np.zeros(width), scale=np.ones(width), scalar=False)
