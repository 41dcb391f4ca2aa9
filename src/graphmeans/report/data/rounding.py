"""Numbers rounded to significant digits, many at once: what formatting one after the other would give, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.report.words import significant

#: Powers of ten that floating point holds exactly: a whole number divided or multiplied by one is rounded once, correctly.
_EXACT = 10.0 ** np.arange(23)
#: What lies this near to the middle between two roundings is formatted, since scaling may have carried it across.
_NEAR = 1e-6


def rounded_to(values: ArrayLike, digits: int) -> NDArray[np.float64]:
    """Numbers with this many significant digits (at most 9), each as `words.significant` gives it.

    Examples
    --------
    >>> rounded_to([3.14159, -0.00012345, 98765.4], 3).tolist()
    [3.14, -0.000123, 98800.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    size = np.abs(numbers)
    usual = (size >= 1e-9) & (size < 1e12)  # powers beyond are not exact; NaN is not usual either
    power = digits - 1 - np.floor(np.log10(np.where(usual, size, 1.0))).astype(np.int64)
    up, down = _EXACT[np.clip(power, 0, 22)], _EXACT[np.clip(-power, 0, 22)]
    scaled = np.where(usual, size, 1.0) * up / down
    whole = np.rint(scaled)
    usual &= (scaled >= _EXACT[digits - 1]) & (scaled < _EXACT[digits]) & (np.abs(np.abs(scaled - whole) - 0.5) > _NEAR)
    result = np.copysign(whole * down / up, numbers)
    for n in np.flatnonzero(~usual & (size > 0) & np.isfinite(size)).tolist():
        result.flat[n] = significant(float(numbers.flat[n]), digits)
    as_is = ~np.isfinite(numbers) | (numbers == 0)
    result[as_is] = numbers[as_is]
    return result


def short_numbers(values: ArrayLike, digits: int = 4) -> list[Any]:
    """Numbers with this many significant digits, those that are whole as integers, so that they are written in short.

    Examples
    --------
    >>> short_numbers([2.0, 0.123456])
    [2, 0.1235]
    """
    numbers = rounded_to(values, digits)
    short = numbers.tolist()
    for n in np.flatnonzero((np.rint(numbers) == numbers) & (np.abs(numbers) < 1e15)).tolist():
        short[n] = int(short[n])
    return short
