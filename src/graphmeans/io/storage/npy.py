"""Arrays of numbers as .npy bytes: no pickle, and no header that is believed before it has been checked."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.errors import GraphError


def npy_bytes(array: NDArray[Any]) -> bytes:
    """An array of numbers as .npy."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def read_npy(data: bytes, name: str) -> NDArray[Any]:
    """The array in .npy bytes, read-only, after its shape has been checked against their number."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, found = header(stream)
    except Exception as error:  # the header is a Python literal: malformed, it fails in a dozen ways
        raise GraphError(f"array {name!r} has an unreadable header ({error})") from None
    if found.kind not in "biuf":
        raise GraphError(f"array {name!r} holds {found}, not numbers")
    count, start = int(np.prod([int(size) for size in shape], dtype=object)), stream.tell()
    if min(shape, default=0) < 0 or count * found.itemsize != len(data) - start:
        raise GraphError(f"array {name!r} has {len(data) - start} bytes, which do not fit its shape {shape}")
    return np.frombuffer(data, found, offset=start).reshape(shape, order="F" if fortran else "C")
