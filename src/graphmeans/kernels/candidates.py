"""Which centers are still candidates: bounds low[row, c] below a limit[i] or limit[i, c], for row = rows[i]."""

from __future__ import annotations

from graphmeans.kernels.jit import kernel


@kernel
def count_below(low, rows, limit, tested, is_open):
    """How many bounds below the limit were not tested yet. is_open (out): whether rows[i] has any at all."""
    wide = limit.shape[1] > 1
    count = 0
    for i in range(len(rows)):
        row = rows[i]
        is_open[i] = False
        for c in range(low.shape[1]):
            if low[row, c] < limit[i, c if wide else 0]:
                is_open[i] = True
                if not tested[row, c]:
                    count += 1
    return count


@kernel
def list_below(low, rows, limit, tested, found_row, found_center):
    """Those that `count_below` counted (out); they count as tested from now on. tested (in, out)."""
    wide = limit.shape[1] > 1
    count = 0
    for i in range(len(rows)):
        row = rows[i]
        for c in range(low.shape[1]):
            if low[row, c] < limit[i, c if wide else 0] and not tested[row, c]:
                found_row[count], found_center[count] = row, c
                tested[row, c] = True
                count += 1


@kernel
def nearest_of(low, rows, center):
    """center[i] (out): where low[rows[i]] is least, the first of equals."""
    for i in range(len(rows)):
        row, best = rows[i], 0
        for c in range(1, low.shape[1]):
            if low[row, c] < low[row, best]:
                best = c
        center[i] = best
