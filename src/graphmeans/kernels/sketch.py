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


@kernel
def sketch_bounds(rows, x, y, x_norm, y_norm, low):
    """Raise low[p, c] (in, out) to |x[rows[p]] - y[c]|, rounded down by more than single precision can be wrong.

    Where single precision overflows nothing is raised.
    """
    relative = 1.0 - (x.shape[1] + 4) * EPS
    for p in range(len(rows)):
        i = rows[p]
        for c in range(len(y)):
            root = np.float64(np.sqrt(squared_difference(x, y, i, c)))  # float32 until here, compiled or not
            bound = root * relative - EPS * (x_norm[i] + y_norm[c]) - TINY
            if low[p, c] < bound < np.inf:
                low[p, c] = bound
