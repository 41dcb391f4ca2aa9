"""Neighbors as sparse matrices, with indices of 32 bits wherever they suffice: scikit-learn takes no others."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from graphmeans.graphs.batch import FloatArray, IntArray


def sparse_rows(values: FloatArray, columns: IntArray, ptr: IntArray, width: int) -> csr_array:
    """A matrix of this width whose row i has ``values[ptr[i]:ptr[i + 1]]`` in these columns."""
    dtype = np.int32 if max(len(columns), width) <= np.iinfo(np.int32).max else np.int64
    return csr_array((values, columns.astype(dtype), ptr.astype(dtype)), shape=(len(ptr) - 1, width))
