"""Exchanges: the columns of two rows change places, as long as that lowers the cost."""

from __future__ import annotations

from graphmeans.kernels.jit import inner
from graphmeans.kernels.pair import squared_edges

# What rounding may make of a change, as a share of the costs that change and of all squared edges.
ROUNDING = 1e-13


@inner
def edge_tolerance(x, y, rows):
    """The `tolerance` of an exchange."""
    return ROUNDING * (squared_edges(x, rows) + squared_edges(y, rows))


@inner
def exchange_change(a, b, linear, x_edges, x_degree, x_neighbour, y_edges, columns):
    """How the cost changes if rows a and b exchange their columns; only the neighbours of a and b in X are looked at."""
    p, q = columns[a], columns[b]
    products = 0.0
    channels = x_edges.shape[2]
    for t in range(x_degree[a]):
        k = x_neighbour[a, t]
        new = columns[k] if k != b else p
        old = columns[k]
        for c in range(channels):
            products += x_edges[a, k, c] * (y_edges[q, new, c] - y_edges[p, old, c])
    for t in range(x_degree[b]):
        k = x_neighbour[b, t]
        if k != a:
            r = columns[k]
            for c in range(channels):
                products += x_edges[b, k, c] * (y_edges[p, r, c] - y_edges[q, r, c])
    # |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>: the squares cancel, and every edge counts from both ends.
    return linear[a, q] + linear[b, p] - linear[a, p] - linear[b, q] - 4.0 * products


@inner
def exchange_descent(linear, x, y, x_real, y_real, rows, columns, fresh, tolerance):
    """Exchange columns of two rows, the best partner of each row first, as long as that lowers the cost.

    columns (in, out). fresh (in, out) flags the rows to look at; a row is looked at again when it or a neighbour moved.
    tolerance (in) must be more than rounding can make of products of edges: otherwise an exchange of twins would never end.
    """
    x_roles, x_edges, x_degree, x_neighbour, y_edges = x.roles, x.edges, x.degree, x.neighbour, y.edges
    improved = True
    while improved:
        improved = False
        for a in range(rows):
            if not fresh[a]:
                continue
            fresh[a] = False
            best, at = 0.0, -1
            here = linear[a, columns[a]]
            for b in range(rows):
                if b == a or x_roles[a] != x_roles[b]:
                    continue
                if (a >= x_real and b >= x_real) or (columns[a] >= y_real and columns[b] >= y_real):
                    continue  # null with null
                change = exchange_change(a, b, linear, x_edges, x_degree, x_neighbour, y_edges, columns)
                if change < best and change < -tolerance - ROUNDING * (here + linear[b, columns[b]]):
                    best, at = change, b
            if at >= 0:
                columns[a], columns[at] = columns[at], columns[a]
                improved = True
                fresh[a], fresh[at] = True, True
                for t in range(x_degree[a]):
                    fresh[x_neighbour[a, t]] = True
                for t in range(x_degree[at]):
                    fresh[x_neighbour[at, t]] = True
