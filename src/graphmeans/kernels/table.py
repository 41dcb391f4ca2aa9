"""A few lower bounds a graph: of the distance to which centre, how large, and when that was true."""

from __future__ import annotations

from graphmeans.kernels.jit import inner, kernel

# Rounding to float32 must not raise a bound.
DOWN = 1.0 - 1.2e-7
FREE = -1


@inner
def find_slot(centre, values, times, drift, g, c, kind, value):
    """The slot of graph g for centre c: its own, a free one, or the one that is missed least; -1 if that is this bound.

    A bound that no matching was spent on goes before one that it was spent on, then the larger: far centres are asked for
    least.
    """
    slots = centre.shape[1]
    worst, worst_matched, worst_value = -1, kind == 1, value
    for step in range(slots):
        slot = (c + step) % slots
        if centre[g, slot] == c or centre[g, slot] == FREE:
            return slot
        other = centre[g, slot]
        matched = values[g, slot, 1] > 0.0
        worth = max(
            values[g, slot, 0] - drift[times[g, slot, 0], other], values[g, slot, 1] - drift[times[g, slot, 1], other]
        )
        if (worst_matched and not matched) or (worst_matched == matched and worth > worst_value):
            worst, worst_matched, worst_value = slot, matched, worth
    return worst


@kernel
def keep_bounds(graph, to, value, kind, now, drift, centre, values, times):
    """Store value[p], true now, as a bound of kind 0 (certified) or 1 (of a matching) for graph[p] and the centre to[p].

    A certified bound replaces a smaller one, that of a matching any. centre, values, times (in, out).
    """
    for p in range(len(graph)):
        g, c = graph[p], to[p]
        at = find_slot(centre, values, times, drift, g, c, kind, value[p])
        if at < 0:
            continue
        if centre[g, at] != c:
            centre[g, at] = c
            for t in range(2):
                values[g, at, t], times[g, at, t] = 0.0, now
        if kind == 1 or value[p] > values[g, at, 0] - drift[times[g, at, 0], c]:
            values[g, at, kind], times[g, at, kind] = value[p] * DOWN, now


@kernel
def lay_over(graph, drift, centre, values, times, kinds, low):
    """Raise low[p, c] (in, out) to what is stored for graph[p], of the first `kinds` kinds."""
    for p in range(len(graph)):
        g = graph[p]
        for slot in range(centre.shape[1]):
            c = centre[g, slot]
            if c == FREE:
                continue
            for kind in range(kinds):
                bound = values[g, slot, kind] - drift[times[g, slot, kind], c]
                if bound > low[p, c]:
                    low[p, c] = bound
