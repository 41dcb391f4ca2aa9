"""A few lower bounds for each graph: of the distance to which center, how large, and when that was true."""

from __future__ import annotations

from graphmeans.kernels.jit import inner, kernel

# Rounding to float32 must not raise a bound: it is lowered by more than that, and kept between what float32 holds well.
DOWN, LEAST, MOST = 1.0 - 1.2e-7, 1e-37, 3e38
FREE = -1


@inner
def find_slot(center, values, times, shift, g, c, kind, value):
    """The slot of graph g for center c: its own, a free one, or the one that is missed least; -1 if that is this bound.

    A bound that no matching was spent on goes before one that it was spent on, then the larger: far centers are asked for
    least.
    """
    slots = center.shape[1]
    worst, worst_matched, worst_value = -1, kind == 1, value
    for step in range(slots):
        slot = (c + step) % slots
        if center[g, slot] == c or center[g, slot] == FREE:
            return slot
        other = center[g, slot]
        matched = values[g, slot, 1] > 0.0
        worth = max(
            values[g, slot, 0] - shift[times[g, slot, 0], other], values[g, slot, 1] - shift[times[g, slot, 1], other]
        )
        if (worst_matched and not matched) or (worst_matched == matched and worth > worst_value):
            worst, worst_matched, worst_value = slot, matched, worth
    return worst


@kernel
def keep_bounds(graph, to, value, kind, now, shift, center, values, times):
    """Store value[p], true now, as a bound of kind 0 (certified) or 1 (of a matching) for graph[p] and the center to[p].

    A certified bound replaces a smaller one, that of a matching any. center, values, times (in, out).
    """
    for p in range(len(graph)):
        g, c = graph[p], to[p]
        at = find_slot(center, values, times, shift, g, c, kind, value[p])
        if at < 0:
            continue
        if center[g, at] != c:
            center[g, at] = c
            for t in range(2):
                values[g, at, t], times[g, at, t] = 0.0, now
        if kind == 1 or value[p] > values[g, at, 0] - shift[times[g, at, 0], c]:
            kept = min(value[p] * DOWN, MOST)
            values[g, at, kind], times[g, at, kind] = kept if kept > LEAST else 0.0, now


@kernel
def raise_bounds(graph, shift, center, values, times, kinds, low):
    """Raise low[p, c] (in, out) to what is stored for graph[p], of the first `kinds` kinds."""
    for p in range(len(graph)):
        g = graph[p]
        for slot in range(center.shape[1]):
            c = center[g, slot]
            if c == FREE:
                continue
            for kind in range(kinds):
                bound = values[g, slot, kind] - shift[times[g, slot, kind], c]
                if bound > low[p, c]:
                    low[p, c] = bound
