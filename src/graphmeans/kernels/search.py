"""Search for a good mapping: linear assignment, Frank-Wolfe and exchanges from several starts, many pairs a call.

Everything works on dense node costs and sparse edges. With L_ij = |x_i - y_j|^2 the squared distance of a permutation is
sum_i L_i,p(i) + |edges of X|^2 + |edges of Y|^2 - 2 sum_ik <x_ik, y_p(i)p(k)>, and only the last sum couples two rows.
"""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import improve_lap, solve_lap
from graphmeans.kernels.pair import (
    fill_side,
    make_keys,
    node_costs,
    permutation_cost,
    row_terms,
    rows_needed,
    squared_norm,
)


@inner
def list_neighbours(edges, rows, degree, neighbour):
    """degree (out) (rows), neighbour (out) (rows, rows): where the rows of a dense graph are not zero."""
    for i in range(rows):
        degree[i] = 0
        for j in range(rows):
            for c in range(edges.shape[2]):
                if edges[i, j, c] != 0.0:
                    neighbour[i, degree[i]] = j
                    degree[i] += 1
                    break


@inner
def exchange_gain(a, b, linear, x_edges, y_edges, x_degree, x_neighbour, columns):
    """How much the cost changes if rows a and b exchange their columns."""
    p, q = columns[a], columns[b]
    change = linear[a, q] + linear[b, p] - linear[a, p] - linear[b, q]
    inner_products = 0.0
    channels = x_edges.shape[2]
    for t in range(x_degree[a]):
        k = x_neighbour[a, t]
        r = columns[k] if k != b else p
        s = columns[k]
        for c in range(channels):
            inner_products += x_edges[a, k, c] * (y_edges[q, r, c] - y_edges[p, s, c])
    for t in range(x_degree[b]):
        k = x_neighbour[b, t]
        if k == a:
            continue
        r = columns[k]
        for c in range(channels):
            inner_products += x_edges[b, k, c] * (y_edges[p, r, c] - y_edges[q, r, c])
    return change - 4.0 * inner_products


@inner
def exchange_descent(
    linear, x_edges, y_edges, x_degree, x_neighbour, x_roles, x_real, y_real, rows, columns, fresh, tolerance
):
    """Exchange columns of two rows as long as that lowers the cost.

    columns (in, out). fresh (in, out) flags the rows to look at; a row is looked at again when it or a neighbour has
    moved. Returns how much the cost changed.
    """
    total = 0.0
    improved = True
    while improved:
        improved = False
        for a in range(rows):
            if not fresh[a]:
                continue
            fresh[a] = False
            best, at = -tolerance, -1
            for b in range(rows):
                if b == a or x_roles[a] != x_roles[b]:
                    continue
                if (a >= x_real and b >= x_real) or (columns[a] >= y_real and columns[b] >= y_real):
                    continue
                change = exchange_gain(a, b, linear, x_edges, y_edges, x_degree, x_neighbour, columns)
                if change < best:
                    best, at = change, b
            if at >= 0:
                columns[a], columns[at] = columns[at], columns[a]
                total += best
                improved = True
                fresh[a] = True
                fresh[at] = True
                for t in range(x_degree[a]):
                    fresh[x_neighbour[a, t]] = True
                for t in range(x_degree[at]):
                    fresh[x_neighbour[at, t]] = True
    return total


@inner
def coupling(x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, rows, columns, out):
    """out (out) (rows, rows): sum_k <x_ik, y_j,p(k)> for the permutation p, over neighbours only."""
    for i in range(rows):
        for j in range(rows):
            out[i, j] = 0.0
        for t in range(x_degree[i]):
            k = x_neighbour[i, t]
            l = columns[k]
            for s in range(y_degree[l]):
                j = y_neighbour[l, s]
                total = 0.0
                for c in range(x_edges.shape[2]):
                    total += x_edges[i, k, c] * y_edges[j, l, c]
                out[i, j] += total


@inner
def frank_wolfe(
    linear, x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, rows, soft, products, steps,
    gradient, vertex_products, u, v, col_of_row, row_of_col, shortest, before, done,
):  # fmt: skip
    """Descend over doubly stochastic matrices from soft (in, out) with products = X soft Y (in, out).

    Each step goes towards the permutation that minimises the gradient, as far as is best (the cost is a parabola on that
    line). Ends at a permutation or after `steps`; col_of_row (out) is the assignment nearest to where it ended.
    """
    for j in range(rows):
        v[j] = 0.0
    for step in range(steps):
        for i in range(rows):
            for j in range(rows):
                gradient[i, j] = linear[i, j] - 4.0 * products[i, j]
        improve_lap(gradient, rows, u, v, col_of_row, row_of_col, shortest, before, done)
        coupling(x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, rows, col_of_row, vertex_products)
        slope, curve = 0.0, 0.0
        for i in range(rows):
            for j in range(rows):
                towards = (1.0 if col_of_row[i] == j else 0.0) - soft[i, j]
                if towards != 0.0:
                    slope += gradient[i, j] * towards
                    curve -= 2.0 * towards * (vertex_products[i, j] - products[i, j])
        if slope >= -1e-9 * (abs(slope) + abs(curve) + 1e-300):
            break
        length = 1.0
        if curve > 0.0:
            length = min(1.0, -slope / (2.0 * curve))
        for i in range(rows):
            for j in range(rows):
                target = 1.0 if col_of_row[i] == j else 0.0
                soft[i, j] += length * (target - soft[i, j])
                products[i, j] += length * (vertex_products[i, j] - products[i, j])
        if length >= 1.0 - 1e-12:
            # At a permutation: the next step would only confirm it, unless another vertex is better still.
            if step > 0 and curve <= 0.0:
                continue
    for i in range(rows):
        for j in range(rows):
            gradient[i, j] = -soft[i, j] + (0.0 if linear[i, j] < 1e300 else 0.0)
    solve_lap(gradient, rows, u, v, col_of_row, row_of_col, shortest, before, done)
