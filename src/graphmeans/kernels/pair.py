"""One pair of graphs laid out for matching: dense arrays, padded to the rows that this pair needs.

Row i of X and column j of Y are real nodes first, then null nodes. A pair needs, for each role, min(n, |X| + |Y|) rows
(MATH: one order n for the whole space); where no inner product is negative max(|X|, |Y|) suffice.
"""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner


@inner
def rows_needed(x_roles, y_roles, order, non_negative, x_count, y_count, need):
    """Rows of a pair; need (out) is filled with the rows of each role, x_count and y_count with the real nodes."""
    n_roles = len(order)
    for r in range(n_roles):
        x_count[r] = 0
        y_count[r] = 0
    for i in range(len(x_roles)):
        x_count[x_roles[i]] += 1
    for j in range(len(y_roles)):
        y_count[y_roles[j]] += 1
    total = 0
    for r in range(n_roles):
        largest = max(x_count[r], y_count[r])
        if non_negative:
            need[r] = largest
        else:
            # A graph larger than the order of the space is compared at its own order.
            need[r] = max(largest, min(order[r], x_count[r] + y_count[r]))
        total += need[r]
    return total


@inner
def fill_side(nodes, roles, ends, values, directed, count, need, rows, out_nodes, out_roles, out_edges):
    """One graph in dense form. out_nodes (rows, dv), out_roles (rows), out_edges (rows, rows, channels)."""
    n = len(roles)
    for i in range(n):
        out_roles[i] = roles[i]
        for d in range(nodes.shape[1]):
            out_nodes[i, d] = nodes[i, d]
    at = n
    for r in range(len(need)):
        for _ in range(need[r] - count[r]):
            out_roles[at] = r
            at += 1
    for i in range(n, rows):
        for d in range(nodes.shape[1]):
            out_nodes[i, d] = 0.0
    channels = values.shape[1]
    for i in range(rows):
        for j in range(rows):
            for c in range(channels):
                out_edges[i, j, c] = 0.0
    half = channels // 2
    for e in range(len(ends)):
        i, j = ends[e, 0], ends[e, 1]
        for c in range(channels):
            out_edges[i, j, c] = values[e, c]
            if directed:
                other = c - half if c >= half else c + half
                out_edges[j, i, other] = values[e, c]
            else:
                out_edges[j, i, c] = values[e, c]


@inner
def node_costs(x_nodes, y_nodes, x_roles, y_roles, rows, forbidden, cost):
    """cost (out) (rows, rows): |x_i - y_j|^2, or `forbidden` between different roles."""
    for i in range(rows):
        for j in range(rows):
            if x_roles[i] != y_roles[j]:
                cost[i, j] = forbidden
                continue
            total = 0.0
            for d in range(x_nodes.shape[1]):
                difference = x_nodes[i, d] - y_nodes[j, d]
                total += difference * difference
            cost[i, j] = total


@inner
def squared_norm(nodes, edges, rows):
    """|X|^2 of a dense graph."""
    total = 0.0
    for i in range(rows):
        for d in range(nodes.shape[1]):
            total += nodes[i, d] * nodes[i, d]
        for j in range(rows):
            for c in range(edges.shape[2]):
                total += edges[i, j, c] * edges[i, j, c]
    return total


@inner
def permutation_cost(cost, x_edges, y_edges, rows, columns):
    """|X - P.Y|^2 for the permutation that sends row i to columns[i]: a sum of squared differences."""
    total = 0.0
    for i in range(rows):
        total += cost[i, columns[i]]
    channels = x_edges.shape[2]
    for i in range(rows):
        p = columns[i]
        for j in range(i):
            q = columns[j]
            for c in range(channels):
                difference = x_edges[i, j, c] - y_edges[p, q, c]
                total += 2.0 * difference * difference
    return total


@inner
def swap_descent(cost, x_edges, y_edges, x_roles, rows, columns):
    """Exchange the columns of two rows as long as that lowers the cost; columns (in, out). Returns the final cost."""
    channels = x_edges.shape[2]
    total = permutation_cost(cost, x_edges, y_edges, rows, columns)
    tolerance = 1e-12 * total
    improved = True
    while improved:
        improved = False
        for a in range(rows):
            for b in range(a):
                if x_roles[a] != x_roles[b]:
                    continue
                p, q = columns[a], columns[b]
                change = cost[a, q] + cost[b, p] - cost[a, p] - cost[b, q]
                for k in range(rows):
                    if k == a or k == b:
                        continue
                    r = columns[k]
                    for c in range(channels):
                        # |s - t|^2 differences with the squares cancelled: -2 (x_ak - x_bk)(y_qr - y_pr), twice
                        change -= 4.0 * (x_edges[a, k, c] - x_edges[b, k, c]) * (y_edges[q, r, c] - y_edges[p, r, c])
                for c in range(channels):
                    before = x_edges[a, b, c] - y_edges[p, q, c]
                    after = x_edges[a, b, c] - y_edges[q, p, c]
                    change += 2.0 * (after * after - before * before)
                if change < -tolerance:
                    columns[a], columns[b] = q, p
                    improved = True
    return permutation_cost(cost, x_edges, y_edges, rows, columns)


@inner
def make_keys(edges, rows, keys, order):
    """What rows are compared by: each channel, and with several channels the edge norms besides.

    keys (out) (K, rows, rows) with K = 1 or channels + 1. order (out), same shape: for each key and row the columns by
    increasing value; the diagonal is left in.
    """
    channels = edges.shape[2]
    for i in range(rows):
        for j in range(rows):
            squares = 0.0
            for c in range(channels):
                keys[c, i, j] = edges[i, j, c]
                squares += edges[i, j, c] * edges[i, j, c]
            if channels > 1:
                keys[channels, i, j] = np.sqrt(squares)
    for c in range(1 if channels == 1 else channels + 1):
        for i in range(rows):
            for j in range(rows):
                value = keys[c, i, j]
                at = j
                while at > 0 and keys[c, i, order[c, i, at - 1]] > value:
                    order[c, i, at] = order[c, i, at - 1]
                    at -= 1
                order[c, i, at] = j


@inner
def gather_sorted(keys, order, c, rows, active, active_rows, q, out):
    """out (out) (q, q - 1): key c of each active row among the other active nodes, increasing."""
    for a in range(q):
        i = active_rows[a]
        t = 0
        for s in range(rows):
            j = order[c, i, s]
            if j != i and active[j]:
                out[a, t] = keys[c, i, j]
                t += 1


@inner
def row_terms(
    x_keys, x_order, y_keys, y_order, channels, rows, x_active, x_rows, y_active, y_rows, q, x_sorted, y_sorted, term
):
    """term (out) (q, q): how far the rows of edges among the q active nodes lie apart at least.

    Whatever permutation is chosen, row i of X meets row j of Y in some order, and the sorted order is the nearest. That
    holds channel by channel and for the norms of the edges; the larger of the two is kept.
    """
    for c in range(1 if channels == 1 else channels + 1):
        gather_sorted(x_keys, x_order, c, rows, x_active, x_rows, q, x_sorted)
        gather_sorted(y_keys, y_order, c, rows, y_active, y_rows, q, y_sorted)
        for a in range(q):
            for b in range(q):
                total = 0.0
                for t in range(q - 1):
                    difference = x_sorted[a, t] - y_sorted[b, t]
                    total += difference * difference
                if c == 0:
                    term[a, b] = total
                elif c < channels:
                    term[a, b] += total
                elif total > term[a, b]:
                    term[a, b] = total
