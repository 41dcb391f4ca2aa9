"""One pair of graphs laid out for matching: dense arrays, padded to the rows that this pair needs.

Row i of X and column j of Y are real nodes first, then null nodes. A pair needs, for each role, min(n, |X| + |Y|) rows
(one order n for the whole space); where no inner product is negative max(|X|, |Y|) suffice, and where few nodes have a
negative one with anybody, few more than that (`count_reluctant`).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner
from graphmeans.kernels.rows import count_reluctant

EPS = float(np.finfo(np.float64).eps)
# No squared distance but 0 is given as less than this, and no bound below it as more than 0: squares get lost down there.
SMALLEST = 2.0**-960

#: The arrays of a GraphBatch.
Packed = namedtuple("Packed", "node_ptr nodes roles edge_ptr ends values")
#: One graph in dense form: nodes (rows, dv), roles (rows), edges (rows, rows, channels), and where edges are not zero.
Side = namedtuple("Side", "nodes roles edges degree neighbour count")
#: The non-zero edges of each row, sorted, for each key (see `sort_rows`): negative ones up, positive ones down. The tails
#: (see `keep_active`) are the sums of squares from each place of a row on.
Sorted = namedtuple("Sorted", "low_n low_nodes low high_n high_nodes high low_tail high_tail")


@inner
def new_side(size, dv, channels, n_roles):
    """Workspace for one graph of at most `size` rows."""
    return Side(
        np.empty((size, dv)), np.empty(size, np.int64), np.empty((size, size, channels)),
        np.empty(size, np.int64), np.empty((size, size), np.int64), np.empty(n_roles, np.int64),
    )  # fmt: skip


@inner
def new_sorted(keys, size):
    """Workspace for the sorted rows of one graph."""
    return Sorted(
        np.empty((keys, size), np.int64), np.empty((keys, size, size), np.int64), np.empty((keys, size, size)),
        np.empty((keys, size), np.int64), np.empty((keys, size, size), np.int64), np.empty((keys, size, size)),
        np.empty((size, size + 1)), np.empty((size, size + 1)),
    )  # fmt: skip


@inner
def n_keys(channels):
    """What rows are compared by: each channel, and with several channels the edge norms besides."""
    return 1 if channels == 1 else channels + 1


@inner
def load_pair(x_packed, gx, y_packed, gy, directed, order, non_negative, x, y, need):
    """Lay graphs gx and gy out in x and y (out); need (out) is the number of rows of each role. Returns all rows."""
    x_count, y_count, x_roles, y_roles = x.count, y.count, x_packed.roles, y_packed.roles
    for r in range(len(order)):
        x_count[r] = 0
        y_count[r] = 0
    for i in range(x_packed.node_ptr[gx], x_packed.node_ptr[gx + 1]):
        x_count[x_roles[i]] += 1
    for j in range(y_packed.node_ptr[gy], y_packed.node_ptr[gy + 1]):
        y_count[y_roles[j]] += 1
    rows, x_few, y_few = 0, x.degree, y.degree  # work; loading overwrites it
    few = not non_negative and count_reluctant(x_packed, gx, y_packed, gy, x_few, y_few)
    for r in range(len(order)):
        need[r] = max(x_count[r], y_count[r])
        if not non_negative:
            padded = x_count[r] + y_count[r]
            if few:
                x_more, y_more = 0, 0
                for i in range(x_packed.node_ptr[gx + 1] - x_packed.node_ptr[gx]):
                    x_more += x_few[i] if x_roles[x_packed.node_ptr[gx] + i] == r else 0
                for j in range(y_packed.node_ptr[gy + 1] - y_packed.node_ptr[gy]):
                    y_more += y_few[j] if y_roles[y_packed.node_ptr[gy] + j] == r else 0
                padded = min(x_count[r] + y_more, y_count[r] + x_more)
            # A graph larger than the order of the space is compared at its own order.
            need[r] = max(need[r], min(order[r], padded))
        rows += need[r]
    load_side(x_packed, gx, directed, need, rows, x)
    load_side(y_packed, gy, directed, need, rows, y)
    return rows


@inner
def load_side(packed, g, directed, need, rows, side):
    """One graph in dense form, null nodes last: side (out)."""
    start, end = packed.node_ptr[g], packed.node_ptr[g + 1]
    n = end - start
    nodes, edges, degree, neighbour, roles = side.nodes, side.edges, side.degree, side.neighbour, side.roles
    ends, values, all_nodes, all_roles = packed.ends, packed.values, packed.nodes, packed.roles
    for i in range(n):
        roles[i] = all_roles[start + i]
        for d in range(nodes.shape[1]):
            nodes[i, d] = all_nodes[start + i, d]
    at = n
    for r in range(len(need)):
        for _ in range(need[r] - side.count[r]):
            roles[at] = r
            at += 1
    channels = edges.shape[2]
    for i in range(rows):
        degree[i] = 0
        if i >= n:
            for d in range(nodes.shape[1]):
                nodes[i, d] = 0.0
        for j in range(rows):
            for c in range(channels):
                edges[i, j, c] = 0.0
    half = channels // 2
    for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
        i, j = ends[e, 0], ends[e, 1]
        for c in range(channels):
            edges[i, j, c] = values[e, c]
            other = c
            if directed:
                other = c - half if c >= half else c + half
            edges[j, i, other] = values[e, c]
        neighbour[i, degree[i]] = j
        neighbour[j, degree[j]] = i
        degree[i] += 1
        degree[j] += 1


@inner
def squared_norm(side, rows):
    """|X|^2 of a dense graph."""
    total = squared_edges(side, rows)
    nodes = side.nodes
    for i in range(rows):
        for d in range(nodes.shape[1]):
            total += nodes[i, d] * nodes[i, d]
    return total


@inner
def squared_edges(side, rows):
    """What edges add to |X|^2."""
    total = 0.0
    edges, degree, neighbour = side.edges, side.degree, side.neighbour
    for i in range(rows):
        for t in range(degree[i]):
            j = neighbour[i, t]
            for c in range(edges.shape[2]):
                total += edges[i, j, c] * edges[i, j, c]
    return total


@inner
def node_costs(x, y, rows, forbidden, cost):
    """cost (out) (rows, rows): |x_i - y_j|^2, or `forbidden` between different roles."""
    x_nodes, y_nodes, x_roles, y_roles = x.nodes, y.nodes, x.roles, y.roles
    for i in range(rows):
        for j in range(rows):
            total = 0.0
            if x_roles[i] != y_roles[j]:
                total = forbidden
            else:
                for d in range(x_nodes.shape[1]):
                    difference = x_nodes[i, d] - y_nodes[j, d]
                    total += difference * difference
            cost[i, j] = total


@inner
def permutation_cost(cost, x, y, rows, columns):
    """|X - P.Y|^2 for the permutation that sends row i to columns[i]: a sum of squared differences."""
    total = 0.0
    x_edges, y_edges = x.edges, y.edges
    channels = x_edges.shape[2]
    for i in range(rows):
        p = columns[i]
        total += cost[i, p]
        for j in range(i):
            q = columns[j]
            for c in range(channels):
                difference = x_edges[i, j, c] - y_edges[p, q, c]
                total += 2.0 * difference * difference
    if total < SMALLEST and differs(x, y, rows, columns):
        return SMALLEST
    return total


@inner
def differs(x, y, rows, columns):
    """Whether X and P.Y differ at all."""
    for i in range(rows):
        p = columns[i]
        for d in range(x.nodes.shape[1]):
            if x.nodes[i, d] != y.nodes[p, d]:
                return True
        for j in range(i):
            for c in range(x.edges.shape[2]):
                if x.edges[i, j, c] != y.edges[p, columns[j], c]:
                    return True
    return False


@inner
def interval(low, high):
    """Roots of a lower and an upper bound of D^2."""
    upper = np.sqrt(high)
    return (min(np.sqrt(low), upper) if low > SMALLEST else 0.0), upper


@inner
def sort_rows(side, rows, out):
    """out (out): for each key and row the non-zero edges, negative values increasing, positive ones decreasing."""
    edges, degree, neighbour = side.edges, side.degree, side.neighbour
    low_n, low_nodes, low, high_n, high_nodes, high = (
        out.low_n, out.low_nodes, out.low, out.high_n, out.high_nodes, out.high,
    )  # fmt: skip
    channels = edges.shape[2]
    for i in range(rows):
        for key in range(n_keys(channels)):
            low_n[key, i] = 0
            high_n[key, i] = 0
        for t in range(degree[i]):
            j = neighbour[i, t]
            squares = 0.0
            for key in range(n_keys(channels)):
                if key < channels:
                    value = edges[i, j, key]
                    squares += value * value
                else:
                    value = np.sqrt(squares)
                if value > 0.0:
                    at = high_n[key, i]
                    while at > 0 and high[key, i, at - 1] < value:
                        high[key, i, at] = high[key, i, at - 1]
                        high_nodes[key, i, at] = high_nodes[key, i, at - 1]
                        at -= 1
                    high[key, i, at] = value
                    high_nodes[key, i, at] = j
                    high_n[key, i] += 1
                elif value < 0.0:
                    at = low_n[key, i]
                    while at > 0 and low[key, i, at - 1] > value:
                        low[key, i, at] = low[key, i, at - 1]
                        low_nodes[key, i, at] = low_nodes[key, i, at - 1]
                        at -= 1
                    low[key, i, at] = value
                    low_nodes[key, i, at] = j
                    low_n[key, i] += 1


@inner
def keep_active(n, nodes, values, active, rows, q, left_n, left, tail):
    """left_n, left (out): what is left of q sorted rows when only edges to active nodes count; returns how much is left.

    tail (out): tail[a, t] is the sum of squares of left[a, t:].
    """
    count = 0
    for a in range(q):
        i = rows[a]
        kept = 0
        for t in range(n[i]):
            if active[nodes[i, t]]:
                left[a, kept] = values[i, t]
                kept += 1
        left_n[a] = kept
        count += kept
        total = 0.0
        tail[a, kept] = 0.0
        for t in range(kept - 1, -1, -1):
            total += left[a, t] * left[a, t]
            tail[a, t] = total
    return count


@inner
def distance_of_ends(x, nx, x_tail, y, ny, y_tail):
    """The sum of squared differences of two sorted lists that begin at the same end of their rows."""
    both = min(nx, ny)
    total = x_tail[both] + y_tail[both]
    for t in range(both):
        difference = x[t] - y[t]
        total += difference * difference
    return total


@inner
def distance_of_norms(x, nx, x_tail, y, ny, y_tail, rounding):
    """The same of norms, which are rounded: each difference may be less by this share of the two."""
    both = min(nx, ny)
    total = x_tail[both] + y_tail[both]
    for t in range(both):
        difference = abs(x[t] - y[t]) - rounding * (x[t] + y[t])
        if difference > 0.0:
            total += difference * difference
    return total


@inner
def crossed_rows(xl, na, xh, pa, yl, nb, yh, pb, length):
    """|a - b|^2 of two sorted rows where negative values of one meet positive ones of the other."""
    total = 0.0
    for t in range(length):
        difference = 0.0
        if t < na:
            difference = xl[t]
        elif t >= length - pa:
            difference = xh[length - 1 - t]
        if t < nb:
            difference -= yl[t]
        elif t >= length - pb:
            difference -= yh[length - 1 - t]
        total += difference * difference
    return total


@inner
def row_terms(x_sorted, y_sorted, channels, x_active, x_rows, y_active, y_rows, q, x_left, y_left, term):
    """term (out) (q, q): how far the rows of edges among the q active nodes lie apart at least.

    Whatever permutation is chosen, row i of X meets row j of Y in some order, and the sorted order is the nearest. That
    holds channel by channel and for the norms of the edges; the larger of the two is kept. Rows are sparse: differences are
    taken of what both have at their two ends, and what only one of them has counts by its tail. Only squares are added, so
    rounding is relative to the result, however large the numbers are; that of the norms is taken off. x_left, y_left (work).
    """
    xl_n, xl, xh_n, xh = x_left.low_n[0], x_left.low[0], x_left.high_n[0], x_left.high[0]
    yl_n, yl, yh_n, yh = y_left.low_n[0], y_left.low[0], y_left.high_n[0], y_left.high[0]
    xl_tail, xh_tail, yl_tail, yh_tail = x_left.low_tail, x_left.high_tail, y_left.low_tail, y_left.high_tail
    length = q - 1
    for key in range(n_keys(channels)):
        negative = keep_active(
            x_sorted.low_n[key], x_sorted.low_nodes[key], x_sorted.low[key], x_active, x_rows, q, xl_n, xl, xl_tail
        )
        negative += keep_active(
            y_sorted.low_n[key], y_sorted.low_nodes[key], y_sorted.low[key], y_active, y_rows, q, yl_n, yl, yl_tail
        )
        keep_active(x_sorted.high_n[key], x_sorted.high_nodes[key], x_sorted.high[key], x_active, x_rows, q, xh_n, xh, xh_tail)
        keep_active(y_sorted.high_n[key], y_sorted.high_nodes[key], y_sorted.high[key], y_active, y_rows, q, yh_n, yh, yh_tail)
        for a in range(q):
            na, pa = xl_n[a], xh_n[a]
            for b in range(q):
                nb, pb = yl_n[b], yh_n[b]
                if key == channels:
                    total = distance_of_norms(xh[a], pa, xh_tail[a], yh[b], pb, yh_tail[b], (channels + 4.0) * EPS)
                elif negative and (na + pb > length or nb + pa > length):
                    total = crossed_rows(xl[a], na, xh[a], pa, yl[b], nb, yh[b], pb, length)
                else:
                    total = distance_of_ends(xh[a], pa, xh_tail[a], yh[b], pb, yh_tail[b])
                    if negative:
                        total += distance_of_ends(xl[a], na, xl_tail[a], yl[b], nb, yl_tail[b])
                if key == 0:
                    term[a, b] = total
                elif key < channels:
                    term[a, b] += total
                elif total > term[a, b]:
                    term[a, b] = total


@inner
def complete(warm, start, n, x, y, rows, y_real, columns, taken):
    """The permutation of a mapping (in) of the n real rows, -1 for unmatched: columns (out).

    Unmatched rows and null rows take free columns of their role, null columns first for real rows.
    """
    for j in range(rows):
        taken[j] = False
    for i in range(rows):
        columns[i] = -1
        if i < n and warm[start + i] >= 0:
            columns[i] = warm[start + i]
            taken[columns[i]] = True
    for i in range(rows):
        if columns[i] >= 0:
            continue
        for shift in range(rows):
            j = (y_real + shift) % rows
            if not taken[j] and y.roles[j] == x.roles[i]:
                columns[i] = j
                taken[j] = True
                break
