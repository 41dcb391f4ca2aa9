"""The bound of one linear assignment, before anything is fixed."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner
from graphmeans.kernels.lap import solve_lap
from graphmeans.kernels.pair import n_keys, new_sorted, row_terms, sort_rows, squared_norm

#: Work of `root_bound`; `cost` holds its assignment costs afterwards.
Root = namedtuple("Root", "x_sorted y_sorted x_left y_left active rows term cost")


@inner
def new_root(size, channels):
    """Workspace for pairs of at most `size` rows."""
    keys = n_keys(channels)
    return Root(
        new_sorted(keys, size), new_sorted(keys, size), new_sorted(1, size), new_sorted(1, size),
        np.ones(size, np.bool_), np.arange(size), np.empty((size, size)), np.empty((size, size)),
    )  # fmt: skip


@inner
def root_bound(linear, x, y, rows, root, lap):
    """A lower bound of D^2: one assignment of all rows with node costs plus sorted-row terms. lap, root.cost (out).

    Rounding is taken off: the bound never exceeds D^2, not even by the last digits.
    """
    sort_rows(x, rows, root.x_sorted)
    sort_rows(y, rows, root.y_sorted)
    row_terms(root.x_sorted, root.y_sorted, x.edges.shape[2], root.active, root.rows, root.active, root.rows, rows,
              root.x_left, root.y_left, root.term)  # fmt: skip
    for i in range(rows):
        for j in range(rows):
            root.cost[i, j] = linear[i, j] + root.term[i, j]
    norms = squared_norm(x, rows) + squared_norm(y, rows)
    return max(0.0, solve_lap(root.cost, rows, lap) - 1e-14 * norms)
