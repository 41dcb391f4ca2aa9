"""Lower bounds of many pairs: sorted-row assignment."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import kernel
from graphmeans.kernels.lap import new_lap
from graphmeans.kernels.pair import interval, load_pair, new_side, node_costs, squared_norm
from graphmeans.kernels.root import new_root, root_bound


@kernel
def bound_pairs(x_packed, y_packed, directed, order, non_negative, pairs, first, last, size, lower):
    """Bound pairs[first:last] from below; `size` is the most rows any of them needs. lower (out), one a pair."""
    dv, channels, n_roles = x_packed.nodes.shape[1], x_packed.values.shape[1], len(order)
    x, y = new_side(size, dv, channels, n_roles), new_side(size, dv, channels, n_roles)
    lap, root, need, linear = new_lap(size), new_root(size, channels), np.empty(n_roles, np.int64), np.empty((size, size))
    for p in range(first, last):
        lower[p] = 0.0
        rows = load_pair(x_packed, pairs[p, 0], y_packed, pairs[p, 1], directed, order, non_negative[p], x, y, need)
        if rows == 0:
            continue
        norms = squared_norm(x, rows) + squared_norm(y, rows)
        node_costs(x, y, rows, 4.0 * norms, linear)  # more than any permutation costs, and no larger: that would lose digits
        lower[p], _ = interval(root_bound(linear, x, y, rows, root, lap), np.inf)
