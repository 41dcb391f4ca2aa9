"""Memory for large arrays that are needed for a moment only, kept from one call to the next.

A system that is asked for megabytes and given them back many times a second spends its time clearing pages. Each thread has
its own memory for each purpose: an array is valid until the same thread asks for the same purpose again.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

_room = threading.local()  # with an attribute for each purpose


def zeros(purpose: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array of zeros."""
    size = int(np.prod(shape))
    kept = getattr(_room, purpose, None)
    if kept is None or len(kept) < size:
        kept = np.zeros(size, dtype)
        setattr(_room, purpose, kept)
    result = kept[:size].reshape(shape)
    result.fill(0)
    return result
