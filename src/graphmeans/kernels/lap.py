"""Linear assignment by shortest augmenting paths, with its dual variables."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner

EPS = float(np.finfo(np.float64).eps)

#: Duals u, v; the assignment both ways; the rest is work.
Lap = namedtuple("Lap", "u v col_of_row row_of_col shortest before done")


@inner
def new_lap(size):
    """Workspace for assignments of at most `size` rows."""
    return Lap(
        np.empty(size), np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64),
        np.empty(size), np.empty(size, np.int64), np.empty(size, np.bool_),
    )  # fmt: skip


@inner
def solve_lap(cost, n, lap):
    """Minimal assignment of rows 0..n-1 to columns 0..n-1 of cost (in).

    lap (out): duals with ``cost - u - v >= 0``, zero on the assignment. Returns the cost, which is sum(u) + sum(v).
    """
    for j in range(n):
        least = cost[0, j]
        for i in range(1, n):
            if cost[i, j] < least:
                least = cost[i, j]
        lap.v[j] = least
    return improve_lap(cost, n, lap)


@inner
def improve_lap(cost, n, lap):
    """The same with column duals lap.v (in, out) to start from; those of a similar problem save most of the work."""
    u, v, col_of_row, row_of_col = lap.u, lap.v, lap.col_of_row, lap.row_of_col
    shortest, before, done = lap.shortest, lap.before, lap.done
    for j in range(n):
        row_of_col[j] = -1
    # A greedy start on the column-reduced costs assigns most rows; the others are augmented one by one.
    for i in range(n):
        least = cost[i, 0] - v[0]
        at = 0
        for j in range(1, n):
            reduced = cost[i, j] - v[j]
            if reduced < least or (reduced == least and row_of_col[at] >= 0 and row_of_col[j] < 0):
                least = reduced
                at = j
        u[i] = least
        if row_of_col[at] < 0:
            row_of_col[at] = i
            col_of_row[i] = at
        else:
            col_of_row[i] = -1
    for free in range(n):
        if col_of_row[free] >= 0:
            continue
        for j in range(n):
            shortest[j] = np.inf
            done[j] = False
        row = free
        reach = 0.0
        sink = -1
        while sink < 0:
            best = np.inf
            nearest = -1
            offset = reach - u[row]
            for j in range(n):
                if done[j]:
                    continue
                length = offset + cost[row, j] - v[j]
                if length < shortest[j]:
                    shortest[j] = length
                    before[j] = row
                if shortest[j] < best or (shortest[j] == best and row_of_col[j] < 0):
                    best = shortest[j]
                    nearest = j
            if not best < np.inf:  # then `nearest` is no column, and memory would be written elsewhere
                raise FloatingPointError("costs of an assignment are no numbers")
            done[nearest] = True
            reach = best
            if row_of_col[nearest] < 0:
                sink = nearest
            else:
                row = row_of_col[nearest]
        u[free] += reach
        for j in range(n):
            if done[j] and j != sink:
                slack = reach - shortest[j]
                v[j] -= slack
                u[row_of_col[j]] += slack
        col = sink
        while True:
            row = before[col]
            row_of_col[col] = row
            following = col_of_row[row]
            col_of_row[row] = col
            if row == free:
                break
            col = following
    value = 0.0
    for i in range(n):
        value += cost[i, col_of_row[i]]
    return value


@inner
def lap_rounding(n, lap):
    """By how much the cost of a solved assignment may exceed that of the best one, because duals are rounded.

    Each dual changes at most once for each row that is augmented, and each change is rounded; by weak duality the best
    assignment costs at least sum(u) + sum(v) less n times the worst violation of ``cost - u - v >= 0``.
    """
    largest_u, largest_v = 0.0, 0.0
    for i in range(n):
        largest_u = max(largest_u, abs(lap.u[i]))
        largest_v = max(largest_v, abs(lap.v[i]))
    return 4.0 * n * (n + 2.0) * EPS * (largest_u + largest_v)
