"""Distances between sketches: N x k of them, in single precision."""

from __future__ import annotations

import numba
import numpy as np

from graphmeans.kernels.jit import kernel

EPS = float(np.finfo(np.float32).eps)
# Squares of less than this are lost, or rounded by more than their last digits.
TINY = 1e-20


# Sums in any order: it is what lets them be vectorised, and the bound below allows for it.
@numba.njit(nogil=True, fastmath={"reassoc", "contract"})
def squared_difference(x, y, i, j):
    total = np.float32(0.0)
    for d in range(x.shape[1]):
        difference = x[i, d] - y[j, d]
        total += difference * difference
    return total


@numba.njit(nogil=True)
def bound_between(x, y, i, j, x_norm, y_norm):
    """|x[i] - y[j]|, rounded down by more than single precision can be wrong; 0 where it overflows."""
    root = np.float64(np.sqrt(squared_difference(x, y, i, j)))  # float32 until here, compiled or not
    bound = root * (1.0 - (x.shape[1] + 4) * EPS) - EPS * (x_norm[i] + y_norm[j]) - TINY
    return bound if bound < np.inf else 0.0


@kernel
def sketch_bounds(rows, x, y, x_norm, y_norm, low):
    """Raise low[p, c] (in, out) to the distance of x[rows[p]] and y[c], rounded down."""
    for p in range(len(rows)):
        for c in range(len(y)):
            low[p, c] = max(low[p, c], bound_between(x, y, rows[p], c, x_norm, y_norm))


@kernel
def pair_sketch_bounds(i, j, x, y, x_norm, y_norm, low):
    """Raise low[p] (in, out) to the distance of x[i[p]] and y[j[p]], rounded down."""
    for p in range(len(i)):
        low[p] = max(low[p], bound_between(x, y, i[p], j[p], x_norm, y_norm))
