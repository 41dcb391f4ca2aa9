"""Exact matching: depth-first branch and bound, many pairs a call."""

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
    swap_descent,
)

# What a search gives away: a branch is cut when it cannot be better by more than this share of the squared distance.
RELATIVE = 1e-12


@inner
def worth(bound, best, negligible):
    """Whether a branch with this lower bound may still lead to something better."""
    return bound < best * (1.0 - RELATIVE) - negligible


@inner
def branch_and_bound(
    x_edges, y_edges, x_roles, y_roles, x_real, y_real, rows, max_nodes, negligible,
    linear, x_keys, x_order, y_keys, y_order, x_sorted, y_sorted, term, cost,
    u, v, col_of_row, row_of_col, shortest, before, done,
    x_active, y_active, x_rows, y_rows, fixed_row, fixed_col, base,
    child_col, child_bound, n_children, next_child, columns, best_columns,
):  # fmt: skip
    """The best permutation of `rows` columns, with `linear[0]` (in) the node costs.

    A node of the tree fixes the columns of some real rows of X. Its bound is one linear assignment of all other rows:
    node costs, plus edges to the fixed nodes exactly, plus edges among the others by their sorted rows. Null rows are
    never branched on, and of the null columns of a role only one is tried: they are interchangeable. Returns (lower,
    upper, tree nodes), squared; best_columns (out).
    """
    channels = x_edges.shape[2]
    for i in range(rows):
        x_active[i] = True
        y_active[i] = True
    make_keys(x_edges, rows, x_keys, x_order)
    make_keys(y_edges, rows, y_keys, y_order)
    base[0] = 0.0
    best = np.inf
    open_bound = np.inf  # least bound among the branches that the limit left unexplored
    visited = 0
    depth = 0
    entering = True
    while depth >= 0:
        if entering:
            entering = False
            visited += 1
            n_children[depth] = 0
            next_child[depth] = 0
            q = 0
            p = 0
            for i in range(rows):
                if x_active[i]:
                    x_rows[q] = i
                    q += 1
                if y_active[i]:
                    y_rows[p] = i
                    p += 1
            here = linear[depth]
            row_terms(
                x_keys, x_order, y_keys, y_order, channels, rows,
                x_active, x_rows, y_active, y_rows, q, x_sorted, y_sorted, term,
            )  # fmt: skip
            for a in range(q):
                for b in range(q):
                    cost[a, b] = here[x_rows[a], y_rows[b]] + term[a, b]
            bound = base[depth]
            if q > 0:
                bound += solve_lap(cost, q, u, v, col_of_row, row_of_col, shortest, before, done)
            if worth(bound, best, negligible):
                for t in range(depth):
                    columns[fixed_row[t]] = fixed_col[t]
                for a in range(q):
                    columns[x_rows[a]] = y_rows[col_of_row[a]]
                if depth == 0:
                    value = swap_descent(here, x_edges, y_edges, x_roles, rows, columns)
                else:
                    value = permutation_cost(linear[0], x_edges, y_edges, rows, columns)
                if value < best:
                    best = value
                    for i in range(rows):
                        best_columns[i] = columns[i]
            if worth(bound, best, negligible):
                # Branch on the real row whose other columns are dearest: most of its children are cut at once.
                branch = -1
                most = -1.0
                gap = best - bound
                for a in range(q):
                    if x_rows[a] >= x_real:
                        continue
                    dear = 0.0
                    for b in range(q):
                        dear += min(gap, cost[a, b] - u[a] - v[b])
                    if dear > most:
                        most = dear
                        branch = a
                if branch >= 0:
                    row = x_rows[branch]
                    fixed_row[depth] = row
                    null_tried = False
                    count = 0
                    for b in range(q):
                        column = y_rows[b]
                        if x_roles[row] != y_roles[column]:
                            continue
                        if column >= y_real:
                            if null_tried:
                                continue
                            null_tried = True
                        reduced = bound + max(0.0, cost[branch, b] - u[branch] - v[b])
                        if worth(reduced, best, negligible):
                            at = count
                            while at > 0 and child_bound[depth, at - 1] > reduced:
                                child_bound[depth, at] = child_bound[depth, at - 1]
                                child_col[depth, at] = child_col[depth, at - 1]
                                at -= 1
                            child_bound[depth, at] = reduced
                            child_col[depth, at] = column
                            count += 1
                    n_children[depth] = count
        # Take the next child of this node, or go back.
        k = next_child[depth]
        if k < n_children[depth] and worth(child_bound[depth, k], best, negligible):
            if visited >= max_nodes:
                open_bound = min(open_bound, child_bound[depth, k])
                n_children[depth] = 0
                continue
            next_child[depth] = k + 1
            row = fixed_row[depth]
            column = child_col[depth, k]
            fixed_col[depth] = column
            base[depth + 1] = base[depth] + linear[depth, row, column]
            x_active[row] = False
            y_active[column] = False
            for i in range(rows):
                if not x_active[i]:
                    continue
                for j in range(rows):
                    if not y_active[j]:
                        continue
                    total = 0.0
                    for c in range(channels):
                        difference = x_edges[i, row, c] - y_edges[j, column, c]
                        total += difference * difference
                    linear[depth + 1, i, j] = linear[depth, i, j] + 2.0 * total
            depth += 1
            entering = True
        else:
            depth -= 1
            if depth >= 0:
                x_active[fixed_row[depth]] = True
                y_active[fixed_col[depth]] = True
    return min(open_bound, best), best, visited


@kernel
def exact_pairs(
    x_node_ptr, x_nodes, x_node_roles, x_edge_ptr, x_ends, x_values,
    y_node_ptr, y_nodes, y_node_roles, y_edge_ptr, y_ends, y_values,
    directed, order, non_negative, pairs, first, last, size, max_nodes,
    mapping_ptr, lower, upper, mappings, tree_nodes,
):  # fmt: skip
    """Match pairs[first:last]; `size` is the most rows any of them needs.

    lower, upper, tree_nodes (out) one a pair; mappings (out) the column of each node of X, -1 if unmatched, from
    mapping_ptr[p] on.
    """
    dv = x_nodes.shape[1]
    channels = x_values.shape[1]
    n_keys = 1 if channels == 1 else channels + 1
    n_roles = len(order)
    # The workspace, once for all pairs of the call.
    a_nodes, b_nodes = np.empty((size, dv)), np.empty((size, dv))
    a_roles, b_roles = np.empty(size, np.int64), np.empty(size, np.int64)
    a_edges, b_edges = np.empty((size, size, channels)), np.empty((size, size, channels))
    a_count, b_count, need = np.empty(n_roles, np.int64), np.empty(n_roles, np.int64), np.empty(n_roles, np.int64)
    levels = 1
    for p in range(first, last):
        x, y = pairs[p, 0], pairs[p, 1]
        levels = max(levels, 1 + min(x_node_ptr[x + 1] - x_node_ptr[x], y_node_ptr[y + 1] - y_node_ptr[y]))
    linear = np.empty((levels, size, size))
    x_keys, y_keys = np.empty((n_keys, size, size)), np.empty((n_keys, size, size))
    x_order, y_order = np.empty((n_keys, size, size), np.int64), np.empty((n_keys, size, size), np.int64)
    x_sorted, y_sorted = np.empty((size, size)), np.empty((size, size))
    term, cost = np.empty((size, size)), np.empty((size, size))
    u, v, shortest = np.empty(size), np.empty(size), np.empty(size + 1)
    col_of_row, row_of_col = np.empty(size, np.int64), np.empty(size, np.int64)
    before, done = np.empty(size + 1, np.int64), np.empty(size + 1, np.bool_)
    x_active, y_active = np.empty(size, np.bool_), np.empty(size, np.bool_)
    x_rows, y_rows = np.empty(size, np.int64), np.empty(size, np.int64)
    fixed_row, fixed_col, base = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size + 1)
    child_col, child_bound = np.empty((levels, size), np.int64), np.empty((levels, size))
    n_children, next_child = np.empty(levels, np.int64), np.empty(levels, np.int64)
    columns, best_columns = np.empty(size, np.int64), np.empty(size, np.int64)

    for p in range(first, last):
        x, y = pairs[p, 0], pairs[p, 1]
        xs, xe = x_node_ptr[x], x_node_ptr[x + 1]
        ys, ye = y_node_ptr[y], y_node_ptr[y + 1]
        nx, ny = xe - xs, ye - ys
        rows = rows_needed(x_node_roles[xs:xe], y_node_roles[ys:ye], order, non_negative[p], a_count, b_count, need)
        swapped = nx > ny  # branch on the nodes of the smaller graph
        x_at, y_at = slice(x_edge_ptr[x], x_edge_ptr[x + 1]), slice(y_edge_ptr[y], y_edge_ptr[y + 1])
        if swapped:
            fill_side(x_nodes[xs:xe], x_node_roles[xs:xe], x_ends[x_at], x_values[x_at], directed,
                      a_count, need, rows, b_nodes, b_roles, b_edges)  # fmt: skip
            fill_side(y_nodes[ys:ye], y_node_roles[ys:ye], y_ends[y_at], y_values[y_at], directed,
                      b_count, need, rows, a_nodes, a_roles, a_edges)  # fmt: skip
        else:
            fill_side(x_nodes[xs:xe], x_node_roles[xs:xe], x_ends[x_at], x_values[x_at], directed,
                      a_count, need, rows, a_nodes, a_roles, a_edges)  # fmt: skip
            fill_side(y_nodes[ys:ye], y_node_roles[ys:ye], y_ends[y_at], y_values[y_at], directed,
                      b_count, need, rows, b_nodes, b_roles, b_edges)  # fmt: skip
        norms = squared_norm(a_nodes, a_edges, rows) + squared_norm(b_nodes, b_edges, rows)
        node_costs(a_nodes, b_nodes, a_roles, b_roles, rows, 4.0 * norms + 1.0, linear[0])
        low, high, tree_nodes[p] = branch_and_bound(
            a_edges, b_edges, a_roles, b_roles, min(nx, ny), max(nx, ny), rows, max_nodes, 1e-20 * norms,
            linear, x_keys, x_order, y_keys, y_order, x_sorted, y_sorted, term, cost,
            u, v, col_of_row, row_of_col, shortest, before, done,
            x_active, y_active, x_rows, y_rows, fixed_row, fixed_col, base,
            child_col, child_bound, n_children, next_child, columns, best_columns,
        )  # fmt: skip
        if rows == 0:
            low, high = 0.0, 0.0
        lower[p] = np.sqrt(low)
        upper[p] = np.sqrt(high)
        at = mapping_ptr[p]
        for i in range(nx):
            mappings[at + i] = -1
        for i in range(min(nx, ny)):
            j = best_columns[i]
            if swapped:
                if j < nx:
                    mappings[at + j] = i
            elif j < ny:
                mappings[at + i] = j
