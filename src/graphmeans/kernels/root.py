"""The bound of one linear assignment, before anything is fixed."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner
from graphmeans.kernels.lap import lap_rounding, solve_lap
from graphmeans.kernels.pair import n_keys, new_sorted, row_terms, sort_rows

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

    What rounding may have done to the assignment is taken off.
    """
    sort_rows(x, rows, root.x_sorted)
    sort_rows(y, rows, root.y_sorted)
    row_terms(root.x_sorted, root.y_sorted, x.edges.shape[2], root.active, root.rows, root.active, root.rows, rows,
              root.x_left, root.y_left, root.term)  # fmt: skip
    for i in range(rows):
        for j in range(rows):
            root.cost[i, j] = linear[i, j] + root.term[i, j]
    value = solve_lap(root.cost, rows, lap)
    return max(0.0, value - lap_rounding(rows, lap))
