"""Graduated assignment (Gold & Rangarajan 1996), many pairs a call."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import solve_lap
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
def largest_products(x_nodes, y_nodes, x_values, y_values):
    """The largest inner product that nodes, or edges, could have: what similarities are measured in."""
    largest = np.zeros(4)
    for which, rows in enumerate((x_nodes, y_nodes, x_values, y_values)):
        for i in range(rows.shape[0]):
            total = 0.0
            for d in range(rows.shape[1]):
                total += rows[i, d] * rows[i, d]
            largest[which] = max(largest[which], total)
    return np.sqrt(largest[0] * largest[1]), np.sqrt(largest[2] * largest[3])


@inner
def add_products(similarity, soft, nx, ny, x_ends, x_values, y_ends, y_values, directed, factor, half_way):
    """similarity (in, out) (nx, ny) += factor * sum_kl <x_ik, y_jl> soft_kl, edge by edge: half_way = X.soft, then .Y'."""
    channels = x_values.shape[1]
    half = channels // 2
    for c in range(channels):
        other = c if not directed else (c - half if c >= half else c + half)
        for i in range(nx):
            for b in range(ny):
                half_way[i, b] = 0.0
        for e in range(len(x_ends)):
            i, k = x_ends[e, 0], x_ends[e, 1]
            out, back = x_values[e, c], x_values[e, other]
            for b in range(ny):
                half_way[i, b] += out * soft[k, b]
                half_way[k, b] += back * soft[i, b]
        for e in range(len(y_ends)):
            j, b = y_ends[e, 0], y_ends[e, 1]
            out, back = factor * y_values[e, c], factor * y_values[e, other]
            for i in range(nx):
                similarity[i, j] += half_way[i, b] * out
                similarity[i, b] += half_way[i, j] * back


@inner
def sinkhorn(soft, nx, ny, slack_col, slack_row, sweeps, tolerance):
    """Scale real rows and columns of soft (in, out) to sum 1; the slack row and column take what is left unmatched."""
    for _ in range(sweeps):
        change = 0.0
        for i in range(nx):
            total = soft[i, ny] if slack_col[i] else 0.0
            for j in range(ny):
                total += soft[i, j]
            if total > 0.0:
                for j in range(ny + 1):
                    soft[i, j] /= total
        for j in range(ny):
            total = soft[nx, j] if slack_row[j] else 0.0
            for i in range(nx):
                total += soft[i, j]
            if total > 0.0:
                change = max(change, abs(total - 1.0))
                for i in range(nx + 1):
                    soft[i, j] /= total
        if change < tolerance:
            break


@inner
def anneal(
    nodes, nx, ny, x_roles, y_roles, x_ends, x_values, y_ends, y_values, directed, edge_factor, slack_col, slack_row,
    beta, beta_max, rate, assignments, sweeps, tolerance, soft, before, similarity, half_way,
):  # fmt: skip
    """The soft assignment at the end of the annealing, soft (out) (nx + 1, ny + 1); nodes (in) holds <x_i, y_j>."""
    for i in range(nx + 1):
        for j in range(ny + 1):
            # An even start is a fixed point on symmetric graphs; a fixed ripple breaks the tie without random numbers.
            soft[i, j] = 1.0 + 1e-3 * ((0.6180339887498949 * (i * (ny + 1) + j + 1)) % 1.0)
    sinkhorn(soft, nx, ny, slack_col, slack_row, sweeps, tolerance)
    while beta <= beta_max:
        for _ in range(assignments):
            for i in range(nx):
                for j in range(ny):
                    similarity[i, j] = nodes[i, j]
                    before[i, j] = soft[i, j]
            add_products(similarity, soft, nx, ny, x_ends, x_values, y_ends, y_values, directed, edge_factor, half_way)
            for i in range(nx):
                for j in range(ny):
                    if x_roles[i] == y_roles[j]:
                        soft[i, j] = np.exp(min(beta * similarity[i, j], 300.0))
                    else:
                        soft[i, j] = 0.0
            for i in range(nx):
                soft[i, ny] = 1.0 if slack_col[i] else 0.0
            for j in range(ny):
                soft[nx, j] = 1.0 if slack_row[j] else 0.0
            sinkhorn(soft, nx, ny, slack_col, slack_row, sweeps, tolerance)
            change = 0.0
            for i in range(nx):
                for j in range(ny):
                    change += abs(soft[i, j] - before[i, j])
            if change < tolerance * nx:
                break
        beta *= rate


@kernel
def graduated_pairs(
    x_node_ptr, x_nodes, x_node_roles, x_edge_ptr, x_ends, x_values,
    y_node_ptr, y_nodes, y_node_roles, y_edge_ptr, y_ends, y_values,
    directed, order, non_negative, pairs, first, last, size,
    beta, beta_max, rate, assignments, sweeps, tolerance,
    mapping_ptr, lower, upper, mappings,
):  # fmt: skip
    """Match pairs[first:last] by graduated assignment; outputs as in `exact_pairs`, lower from one linear assignment."""
    dv = x_nodes.shape[1]
    channels = x_values.shape[1]
    n_keys = 1 if channels == 1 else channels + 1
    n_roles = len(order)
    a_nodes, b_nodes = np.empty((size, dv)), np.empty((size, dv))
    a_roles, b_roles = np.empty(size, np.int64), np.empty(size, np.int64)
    a_edges, b_edges = np.empty((size, size, channels)), np.empty((size, size, channels))
    a_count, b_count, need = np.empty(n_roles, np.int64), np.empty(n_roles, np.int64), np.empty(n_roles, np.int64)
    a_keys, b_keys = np.empty((n_keys, size, size)), np.empty((n_keys, size, size))
    a_order, b_order = np.empty((n_keys, size, size), np.int64), np.empty((n_keys, size, size), np.int64)
    a_sorted, b_sorted = np.empty((size, size)), np.empty((size, size))
    linear, term, cost = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    u, v, shortest = np.empty(size), np.empty(size), np.empty(size + 1)
    col_of_row, row_of_col = np.empty(size, np.int64), np.empty(size, np.int64)
    before, done = np.empty(size + 1, np.int64), np.empty(size + 1, np.bool_)
    active, everything = np.ones(size, np.bool_), np.arange(size)
    soft, soft_before = np.empty((size + 1, size + 1)), np.empty((size + 1, size + 1))
    products, similarity, half_way = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    slack_col, slack_row = np.empty(size, np.bool_), np.empty(size, np.bool_)

    for p in range(first, last):
        x, y = pairs[p, 0], pairs[p, 1]
        xs, xe = x_node_ptr[x], x_node_ptr[x + 1]
        ys, ye = y_node_ptr[y], y_node_ptr[y + 1]
        nx, ny = xe - xs, ye - ys
        x_at, y_at = slice(x_edge_ptr[x], x_edge_ptr[x + 1]), slice(y_edge_ptr[y], y_edge_ptr[y + 1])
        rows = rows_needed(x_node_roles[xs:xe], y_node_roles[ys:ye], order, non_negative[p], a_count, b_count, need)
        fill_side(x_nodes[xs:xe], x_node_roles[xs:xe], x_ends[x_at], x_values[x_at], directed,
                  a_count, need, rows, a_nodes, a_roles, a_edges)  # fmt: skip
        fill_side(y_nodes[ys:ye], y_node_roles[ys:ye], y_ends[y_at], y_values[y_at], directed,
                  b_count, need, rows, b_nodes, b_roles, b_edges)  # fmt: skip
        norms = squared_norm(a_nodes, a_edges, rows) + squared_norm(b_nodes, b_edges, rows)
        node_costs(a_nodes, b_nodes, a_roles, b_roles, rows, 4.0 * norms + 1.0, linear)

        node_scale, edge_scale = largest_products(x_nodes[xs:xe], y_nodes[ys:ye], x_values[x_at], y_values[y_at])
        unit = 1.0 / max(node_scale, edge_scale, 1e-300)
        for i in range(nx):
            slack_col[i] = need[a_roles[i]] > b_count[a_roles[i]]
            for j in range(ny):
                total = 0.0
                for d in range(dv):
                    total += a_nodes[i, d] * b_nodes[j, d]
                products[i, j] = unit * total
        for j in range(ny):
            slack_row[j] = need[b_roles[j]] > a_count[b_roles[j]]
        anneal(
            products, nx, ny, a_roles, b_roles, x_ends[x_at], x_values[x_at], y_ends[y_at], y_values[y_at], directed,
            2.0 * unit, slack_col, slack_row, beta, beta_max, rate, assignments, sweeps, tolerance,
            soft, soft_before, similarity, half_way,
        )  # fmt: skip

        # Clean-up: the assignment nearest to the soft one.
        for i in range(rows):
            for j in range(rows):
                if a_roles[i] != b_roles[j]:
                    cost[i, j] = rows + 1.0
                elif i < nx and j < ny:
                    cost[i, j] = -soft[i, j]
                elif i < nx:
                    cost[i, j] = -soft[i, ny]
                elif j < ny:
                    cost[i, j] = -soft[nx, j]
                else:
                    cost[i, j] = 0.0
        high, low = 0.0, 0.0
        if rows > 0:
            solve_lap(cost, rows, u, v, col_of_row, row_of_col, shortest, before, done)
            high = permutation_cost(linear, a_edges, b_edges, rows, col_of_row)
        at = mapping_ptr[p]
        for i in range(nx):
            mappings[at + i] = col_of_row[i] if col_of_row[i] < ny else -1
        if rows > 0:
            make_keys(a_edges, rows, a_keys, a_order)
            make_keys(b_edges, rows, b_keys, b_order)
            row_terms(a_keys, a_order, b_keys, b_order, channels, rows,
                      active, everything, active, everything, rows, a_sorted, b_sorted, term)  # fmt: skip
            for i in range(rows):
                for j in range(rows):
                    cost[i, j] = linear[i, j] + term[i, j]
            low = solve_lap(cost, rows, u, v, col_of_row, row_of_col, shortest, before, done)
        upper[p] = np.sqrt(high)
        lower[p] = min(np.sqrt(max(low, 0.0)), upper[p])
