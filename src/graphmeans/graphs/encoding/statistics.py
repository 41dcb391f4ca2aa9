"""What must be known of a column to decide how it is encoded. It is counted in one pass, and tallies of parts add up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.encoding.columns import Angles, Categories, Column, Numbers
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.values import missing_in, unknown_type

#: Spread below this share of the largest value is rounding.
NEGLIGIBLE = 1e-12
#: The interquartile range of normally distributed numbers, in standard deviations.
QUARTILES = 1.3489795


class Tally:
    """Counts, means and squared deviations of numbers; how often each category occurs; which roles have a value.

    Parameters
    ----------
    purpose : {"numbers", "robust", "categories", "angles"}
        What the column's values are to become; strings and booleans are categories in any case.
    period : float
        Of angles.
    """

    def __init__(self, purpose: str = "numbers", period: float = 0.0) -> None:
        self.purpose, self.period = purpose, period
        self.like: NDArray[Any] = np.zeros(0)  # an empty array of the column's type
        self.typed = False
        self.rows = 0
        self.gone = False
        self.having: set[Any] = set()  # roles of which some node has a value
        self._channels: _Channels | None = None
        self._values: list[NDArray[Any]] = []  # a median needs them all
        self.counts: Counter[Any] = Counter()
        self._turns = np.zeros(2)
        self._angles, self._negative = 0, False

    def add(self, values: NDArray[Any], roles: Sequence[Any] | None = None) -> None:
        """Count the values of one more part of the collection."""
        gone = missing_in(values)
        unknown = unknown_type(values)
        self.rows += len(values)
        self.add_roles(gone, roles)
        if not self.typed:
            self.like, self.typed = np.ma.getdata(values)[:0], not unknown
        if unknown:
            return
        if values.dtype.kind != "f" or self.purpose == "categories":
            self.counts.update(np.ma.getdata(values)[~gone].tolist() if values.ndim == 1 else ())
        elif self.purpose == "angles":
            self._add_angles(np.ma.getdata(values)[~gone])
        else:
            channels = _Channels(values)
            self._channels = channels if self._channels is None else self._channels.merged(channels)
            if self.purpose == "robust":
                self._values.append(values)

    def add_roles(self, gone: NDArray[np.bool_], roles: Sequence[Any] | None) -> None:
        """Note which roles have a value."""
        self.gone |= bool(gone.any())
        if roles is not None:
            known = zip(roles, gone.tolist(), strict=True) if gone.any() else ((role, False) for role in set(roles))
            self.having |= {role for role, lost in known if not lost}

    def merge(self, other: Tally) -> None:
        """Count what another tally has counted."""
        if not self.typed and (other.typed or not self.rows):
            self.like, self.typed = other.like, other.typed
        self.rows, self.gone, self.having = self.rows + other.rows, self.gone or other.gone, self.having | other.having
        self.counts.update(other.counts)
        self._turns, self._angles = self._turns + other._turns, self._angles + other._angles
        self._negative |= other._negative
        self._values += other._values
        if other._channels is not None:
            self._channels = other._channels if self._channels is None else self._channels.merged(other._channels)

    @property
    def one_sign(self) -> bool:
        """Whether some channel has only positive, or only negative, numbers: then no average of codes is zero."""
        found = self._channels
        return found is not None and bool(((found.count > 0) & ((found.low > 0) | (found.high < 0))).any())

    # -- what becomes of it ------------------------------------------------------------------------

    def numbers(self, name: str, scaling: str, *, centered: bool) -> Numbers:
        """Numbers or vectors, scaled.

        Values of edges (and of loops) are never centered: zero must go on meaning "no edge". Their unit is the root mean
        square, or the median of the absolute values if `scaling` is robust. A vector that is 1-of-k already is kept.
        """
        scalar = self.like.ndim == 1
        found = self._channels or _Channels(np.zeros((0, *self.like.shape[1:])))
        width = found.width
        if scaling != "keep" and not scalar and found.one_of_k:
            scaling = "keep"
        center, scale = np.zeros(width), np.ones(width)
        if scaling == "standardise":
            center, scale = found.standard(centered)
            if not (np.isfinite(center).all() and np.isfinite(scale).all()):
                raise GraphError(f"column {name!r} has numbers whose squares are more than floating point holds; scale them")
        elif scaling == "robust":
            values = np.ma.concatenate([np.ma.reshape(v, (len(v), width)) for v in self._values or [self.like]])
            for c in range(width):
                center[c], scale[c] = robust_scale(values[:, c].compressed(), centered)
        if scaling == "keep":
            average = found.mean
        elif centered:
            average = np.zeros(width)  # the center: the mean, or the median
        else:
            average = np.where(found.count > 0, (found.mean - center) / scale, 0.0)
        return Numbers(name, average=average, center=center, scale=scale, scalar=scalar, scaling=scaling)

    def categories(self, name: str, blank: str | None = None) -> Categories:
        """1-of-k over the values there are, in sorted order."""
        categories = tuple(sorted(set(self.counts) - {blank}))
        average = np.array([self.counts[c] for c in categories], dtype=np.float64) / max(self.counts.total(), 1)
        return Categories(name, average=average, categories=categories, blank=blank)

    def angles(self, name: str) -> Column:
        """Points on a circle; decoded angles start at 0 if no given angle is negative, else at minus half the period."""
        low = -self.period / 2 if self._negative else 0.0
        return Angles(name, average=self._turns / max(self._angles, 1), period=self.period, low=low)

    # -- counting ----------------------------------------------------------------------------------

    def _add_angles(self, values: NDArray[Any]) -> None:
        if values.ndim == 1:
            self._turns = self._turns + Angles("", period=self.period).encode(values).sum(axis=0)
            self._angles += len(values)
            self._negative |= bool((values < 0).any())


class _Channels:
    """Count, mean, sum of squared deviations, sum of squares and range of each channel of a column of numbers.

    Each of them is computed when it is asked for first: a column that is kept as it is needs hardly any of them.
    """

    #: What is known without the values themselves, once these were sent to another process or added to others.
    TOTALS = ("width", "count", "mean", "deviations", "squares", "low", "high", "whole", "_hot")

    def __init__(self, values: NDArray[Any]) -> None:
        self._data = np.ma.getdata(values).reshape(len(values), values.shape[1] if values.ndim == 2 else 1)
        self.width = self._data.shape[1]
        self._known: NDArray[np.bool_] | None = None
        if isinstance(values, np.ma.MaskedArray):
            self._known = ~np.ma.getmaskarray(values).reshape(self._data.shape)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.TOTALS}

    def _each(self, number: Callable[[FloatArray], float], default: float) -> FloatArray:
        """A number of the known values of each channel."""
        result = np.full(self.width, default)
        for c in range(self.width):
            own = np.ascontiguousarray(self._data[:, c]) if self._known is None else self._data[self._known[:, c], c]
            if len(own):
                result[c] = number(own)
        return result

    @cached_property
    def count(self) -> NDArray[np.int64]:
        if self._known is None:
            return np.full(self.width, len(self._data), dtype=np.int64)
        return np.asarray(self._known.sum(axis=0))

    mean = cached_property(lambda self: self._each(lambda own: exact_sum(own) / len(own), 0.0))
    deviations = cached_property(lambda self: self._each(lambda own: exact_sum(squared(own - exact_sum(own) / len(own))), 0.0))
    squares = cached_property(lambda self: self._each(lambda own: exact_sum(squared(own)), 0.0))
    low = cached_property(lambda self: self._each(lambda own: own.min(), np.inf))
    high = cached_property(lambda self: self._each(lambda own: own.max(), -np.inf))
    whole = cached_property(lambda self: len(self._vectors))

    @cached_property
    def _vectors(self) -> FloatArray:
        """The vectors that are known in all channels."""
        return self._data if self._known is None else self._data[self._known.all(axis=1)]

    @cached_property
    def _hot(self) -> bool:
        return bool(np.isin(self._vectors, (0.0, 1.0)).all() and (self._vectors.sum(axis=1) == 1).all())

    @property
    def one_of_k(self) -> bool:
        """Whether all vectors are 1-of-k codes."""
        return self.width > 1 and self.whole > 0 and self._hot

    def merged(self, other: _Channels) -> _Channels:
        """Both together; the deviations by Chan's formula, which does not cancel."""
        result = object.__new__(_Channels)
        total = np.maximum(self.count + other.count, 1)
        apart = other.mean - self.mean
        result.width, result.count = self.width, self.count + other.count
        result.mean = self.mean + apart * (other.count / total)
        result.deviations = self.deviations + other.deviations + apart**2 * (self.count * (other.count / total))
        result.squares = self.squares + other.squares
        result.low, result.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        result.whole, result._hot = self.whole + other.whole, self._hot and other._hot
        return result

    def standard(self, centered: bool) -> tuple[FloatArray, FloatArray]:
        """Center and unit of each channel; a unit is never zero."""
        spread = np.sqrt((self.deviations if centered else self.squares) / np.maximum(self.count, 1))
        largest = np.where(self.count > 0, np.maximum(np.abs(self.low), np.abs(self.high)), 0.0)
        # A column that never varies (up to rounding) carries nothing once centered; do not blow its rounding errors up.
        scale = np.where(spread <= NEGLIGIBLE * largest, 1.0, spread)
        return (self.mean.copy() if centered else np.zeros(len(scale))), scale


def exact_sum(values: FloatArray) -> float:
    """The sum, rounded once: it does not depend on the order of the numbers, so not on how nodes and edges are numbered."""
    try:
        return math.fsum(values.tolist())
    except OverflowError:
        return math.inf


def squared(values: FloatArray) -> FloatArray:
    """Squares; infinite where they are too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values**2)


def robust_scale(values: FloatArray, centered: bool) -> tuple[float, float]:
    """Median and interquartile range of one channel; where that is zero, the standard deviation about the median."""
    if not len(values):
        return 0.0, 1.0
    center = float(np.median(values)) if centered else 0.0
    low, high = np.percentile(values, [25, 75])
    spread = float(high - low) / QUARTILES if centered else float(np.median(np.abs(values)))
    negligible = NEGLIGIBLE * float(np.abs(values).max())
    if spread <= negligible:
        spread = float(np.sqrt(np.mean((values - center) ** 2)))
    return center, 1.0 if spread <= negligible else spread
