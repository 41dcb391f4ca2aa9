"""How one column of attributes becomes numbers and back: taken as it is, scaled, or 1-of-k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.errors import GraphError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """Numbers or vectors: ``(value - centre) / scale``, channel by channel."""

    name: str
    centre: FloatArray
    scale: FloatArray
    scalar: bool

    @property
    def width(self) -> int:
        return len(self.centre)

    def encode(self, values: NDArray[Any]) -> FloatArray:
        return (values.reshape(len(values), -1) - self.centre) / self.scale

    def decode(self, codes: FloatArray) -> NDArray[Any]:
        values = codes * self.scale + self.centre
        return values[:, 0] if self.scalar else values

    def accepts(self, values: NDArray[Any]) -> bool:
        return values.dtype.kind == "f" and values.ndim == (1 if self.scalar else 2) and (
            self.scalar or values.shape[1] == self.width
        )


@dataclass(frozen=True)
class Categories:
    """Strings or booleans: 1-of-k. Decoded as the most likely category."""

    name: str
    values: tuple[Any, ...]

    @property
    def width(self) -> int:
        return len(self.values)

    def encode(self, values: NDArray[Any]) -> FloatArray:
        place = {value: i for i, value in enumerate(self.values)}
        unknown = sorted({str(v) for v in values.tolist() if v not in place})
        if unknown:
            raise GraphError(f"attribute {self.name!r} has the unknown value {unknown[0]!r}")
        codes = np.zeros((len(values), self.width))
        codes[np.arange(len(values)), [place[v] for v in values.tolist()]] = 1.0
        return codes

    def decode(self, codes: FloatArray) -> NDArray[Any]:
        kind = bool if isinstance(self.values[0], bool) else object
        return np.array(self.values, dtype=kind)[codes.argmax(axis=1)]

    def accepts(self, values: NDArray[Any]) -> bool:
        return values.dtype.kind == ("b" if isinstance(self.values[0], bool) else "O")


Column = Numbers | Categories


def fit_column(name: str, parts: Sequence[NDArray[Any]], *, numbers: str, centred: bool) -> Column:
    """The encoding of one column, learnt from its parts in every graph.

    Edge values are scaled by their root mean square and never centred: zero must go on meaning "no edge".
    """
    values = np.concatenate(parts)
    if values.dtype.kind in "bO":
        return Categories(name, tuple(sorted(set(values.tolist()))))
    scalar = values.ndim == 1
    values = values.reshape(len(values), -1)
    width = values.shape[1]
    if numbers == "keep":
        return Numbers(name, np.zeros(width), np.ones(width), scalar)
    centre = values.mean(axis=0) if centred else np.zeros(width)
    spread = np.sqrt(np.mean((values - centre) ** 2, axis=0))
    # A column that never varies (up to rounding) carries nothing once centred; do not blow its rounding errors up.
    negligible = spread <= 1e-12 * np.abs(values).max(axis=0, initial=0.0)
    return Numbers(name, centre, np.where(negligible | (spread == 0.0), 1.0, spread), scalar)
