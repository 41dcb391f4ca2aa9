"""The values of one column: numbers, vectors, strings or booleans, some of which may be missing.

A column without missing values is an ordinary array: float64 of one or two dimensions, bool, or object with strings. With
missing values it is a NumPy masked array of the same type, whose ``tolist()`` says None where nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.errors import GraphError

#: What a masked array holds in place of a value that is missing.
BLANK: dict[str, Any] = {"f": 0.0, "b": False, "O": ""}


def read_column(values: Any, where: str) -> NDArray[Any]:
    """A column from anything that holds a value for each row; None and masked values are missing."""
    if isinstance(values, np.ma.MaskedArray):
        return _masked(values, where)
    if not isinstance(values, np.ndarray):
        values = list(values)
    if isinstance(values, list) or values.dtype == object:
        missing = np.array([value is None for value in values], dtype=bool)
        if missing.any():
            return _with_holes(read_column([v for v in values if v is not None], where), missing)
        if _has_gaps(values):
            rows = np.array(list(map(list, values)), dtype=object)
            return _masked(np.ma.MaskedArray(rows, mask=[[value is None for value in row] for row in rows]), where)
    return _plain(values, where)


def missing_in(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows of a column have no value, or, if the column holds vectors, lack at least one of their numbers."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.zeros(len(values), dtype=bool)
    mask = np.ma.getmaskarray(values)
    return np.asarray(mask if mask.ndim == 1 else mask.any(axis=1))


def join_columns(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Columns of several graphs below each other. A column that has no value at all takes the type of the others."""
    if not any(isinstance(part, np.ma.MaskedArray) for part in parts):
        return np.concatenate(parts)
    typed = next((part for part in parts if not unknown_type(part)), parts[0])
    gone = [_with_holes(typed[:0], np.ones(len(p), bool)) if unknown_type(p) else np.ma.asarray(p) for p in parts]
    return np.asanyarray(np.ma.concatenate(gone))


def unknown_type(values: NDArray[Any]) -> bool:
    """Whether a column holds nothing but missing values, in which case it may be of any type."""
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).all())


def same_values(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two columns are equal, missing values being equal to each other."""
    known, same = ~np.ma.getmaskarray(a), np.array_equal(np.ma.getmaskarray(a), np.ma.getmaskarray(b))
    # Below a mask anything may stand, NaN too.
    return same and np.array_equal(np.ma.getdata(a)[known], np.ma.getdata(b)[known])


def kind_in_words(values: NDArray[Any]) -> str:
    """What one value of a column is, for messages."""
    if values.dtype.kind == "f":
        return "a number" if values.ndim == 1 else f"a vector of {values.shape[1]}"
    return "a boolean" if values.dtype.kind == "b" else "a string"


def check_finite(array: NDArray[np.float64], where: str) -> None:
    """Refuse NaN and infinities. NaN is more often an accident than a missing value, which is None."""
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise GraphError(f"{where} contains NaN or infinity (row {row})")


def _plain(values: Any, where: str) -> NDArray[Any]:
    if isinstance(values, list):
        strings = sum(isinstance(value, str) for value in values)
        if 0 < strings < len(values):  # NumPy would silently turn the numbers into strings
            raise GraphError(f"{where} mixes strings with other types")
        if strings:
            return np.array([str(value) for value in values], dtype=object)
    try:
        array = np.asarray(values)
    except ValueError:
        raise GraphError(f"{where} has rows of unequal widths") from None
    if array.size == 0 and array.ndim == 1:
        return np.zeros(0)
    if array.dtype.kind in "iuf" and array.ndim in (1, 2):
        array = np.array(array, dtype=np.float64, order="C")
        check_finite(array, where)
        return array
    if array.ndim == 1 and array.dtype.kind == "b":
        return np.array(array)
    if array.ndim == 1 and array.dtype.kind in "UO":
        kinds = {type(value) for value in array.tolist()}
        if all(issubclass(kind, str) for kind in kinds):
            return np.array([str(value) for value in array.tolist()], dtype=object)
        if all(issubclass(kind, (bool, np.bool_)) for kind in kinds):
            return array.astype(bool)
        if all(issubclass(kind, (int, float, np.integer, np.floating, np.bool_)) for kind in kinds):
            return _numbers(array, where)
        kinds_said = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise GraphError(f"{where} mixes or holds unusable types ({kinds_said})")
    raise GraphError(
        f"{where} must hold numbers, vectors, strings or booleans, not {array.dtype} of shape {array.shape}"
    )


def _numbers(values: NDArray[Any], where: str) -> NDArray[np.float64]:
    """Python's numbers, which may be too large for any type of NumPy."""
    try:
        array = np.array([float(value) for value in values.tolist()])
    except OverflowError:
        raise GraphError(f"{where} holds a number that is too large") from None
    check_finite(array, where)
    return array


def _has_gaps(values: Any) -> bool:
    """Whether these are vectors some of whose numbers are None."""
    rows = [value for value in values if isinstance(value, (list, tuple))]
    return bool(rows) and len({len(row) for row in rows}) == 1 and len(rows) == len(values) and any(None in row for row in rows)


def _with_holes(known: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    width = known.shape[1:]
    data = np.full((len(missing), *width), BLANK[known.dtype.kind], dtype=known.dtype)
    data[~missing] = np.ma.getdata(known)
    mask = np.broadcast_to(missing.reshape(-1, *[1] * len(width)), data.shape).copy()
    mask[~missing] = np.ma.getmaskarray(known)
    return np.ma.MaskedArray(data, mask=mask)


def _masked(values: NDArray[Any], where: str) -> NDArray[Any]:
    mask = np.ma.getmaskarray(values)
    if mask.ndim == 2:  # a vector may be known in part
        known = _plain(np.where(mask, 0.0, np.ma.getdata(values)).tolist() or np.zeros(mask.shape), where)
        return np.ma.MaskedArray(known, mask=mask.copy()) if mask.any() else known
    rest = np.ma.getdata(values)[~mask]
    if not len(rest) and values.dtype.kind in "bO":  # nothing is known but the type
        return _with_holes(np.zeros(0, dtype=values.dtype), mask)
    known = _plain(rest.tolist() if rest.dtype == object else rest, where)
    return _with_holes(known, mask) if mask.any() else known
