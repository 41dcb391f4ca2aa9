"""Graduated assignment (Gold & Rangarajan 1996), for many pairs in one call."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import new_lap, solve_lap
from graphmeans.kernels.pair import interval, load_pair, new_side, node_costs, permutation_cost, squared_norm
from graphmeans.kernels.root import new_root, root_bound


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
    largest = np.sqrt(largest)  # before they are multiplied: products of squares vanish early
    return largest[0] * largest[1], largest[2] * largest[3]


@inner
def add_products(similarity, soft, nx, ny, x_ends, x_values, y_ends, y_values, directed, factor, half_way, turned):
    """similarity (in, out) (ny, nx) += factor * sum_kl <x_ik, y_jl> soft_kl, edge by edge: half_way = X.soft, then .Y'.

    All inner loops run along rows: half_way is turned (out) in between, and similarity is the transpose of the assignment.
    """
    channels = x_values.shape[1]
    half = channels // 2
    for c in range(channels):
        other = c if not directed else (c - half if c >= half else c + half)
        for i in range(nx):
            row = half_way[i]
            for b in range(ny):
                row[b] = 0.0
        for e in range(len(x_ends)):
            i, k = x_ends[e, 0], x_ends[e, 1]
            out, back = x_values[e, c], x_values[e, other]
            row, other_row, soft_row, other_soft = half_way[i], half_way[k], soft[k], soft[i]
            if out != 0.0:
                for b in range(ny):
                    row[b] += out * soft_row[b]
            if back != 0.0:
                for b in range(ny):
                    other_row[b] += back * other_soft[b]
        for b in range(ny):
            for i in range(nx):
                turned[b, i] = half_way[i, b]
        for e in range(len(y_ends)):
            j, b = y_ends[e, 0], y_ends[e, 1]
            out, back = factor * y_values[e, c], factor * y_values[e, other]
            row, other_row, turned_row, other_turned = similarity[j], similarity[b], turned[b], turned[j]
            if out != 0.0:
                for i in range(nx):
                    row[i] += turned_row[i] * out
            if back != 0.0:
                for i in range(nx):
                    other_row[i] += other_turned[i] * back


@inner
def add_rows(rows, factors, n, width, total):
    """total (in, out) += sum_r factors_r rows_r, four of the n rows at a time."""
    r = 0
    while r + 4 <= n:
        a, b, c, d = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        fa, fb, fc, fd = factors[r], factors[r + 1], factors[r + 2], factors[r + 3]
        for j in range(width):
            total[j] += (fa * a[j] + fb * b[j]) + (fc * c[j] + fd * d[j])
        r += 4
    while r < n:
        a, fa = rows[r], factors[r]
        for j in range(width):
            total[j] += fa * a[j]
        r += 1


@inner
def sinkhorn(soft, nx, ny, sweeps, tolerance, turned, scales, sums):
    """Scale real rows and columns of soft (in, out) to sum 1; the slack row and column take what is left unmatched.

    soft = diag(row) . given . diag(column): only the two vectors change from sweep to sweep, and both products run along
    contiguous rows, of the given matrix and of its transpose turned (out). Workspace: scales, sums (2, size).
    """
    row, column, row_sum, column_sum = scales[0], scales[1], sums[0], sums[1]
    for j in range(ny):
        column[j] = 1.0
        for i in range(nx):
            turned[j, i] = soft[i, j]
    for i in range(nx):
        row[i] = 1.0
    for _ in range(sweeps):
        for i in range(nx):
            row_sum[i] = soft[i, ny]
        add_rows(turned, column, ny, nx, row_sum)
        for i in range(nx):
            row[i] = 1.0 / row_sum[i] if row_sum[i] > 0.0 else row[i]
        for j in range(ny):
            column_sum[j] = soft[nx, j]
        add_rows(soft, row, nx, ny, column_sum)
        change = 0.0
        for j in range(ny):
            if column_sum[j] > 0.0:
                change = max(change, abs(column[j] * column_sum[j] - 1.0))
                column[j] = 1.0 / column_sum[j]
        if change < tolerance:
            break
    for i in range(nx):
        for j in range(ny):
            soft[i, j] *= row[i] * column[j]
        soft[i, ny] *= row[i]
    for j in range(ny):
        soft[nx, j] *= column[j]


@inner
def anneal(
    nodes, nx, ny, x_roles, y_roles, x_ends, x_values, y_ends, y_values, directed, edge_factor, slack_col, slack_row,
    beta, beta_max, rate, assignments, sweeps, tolerance, soft, before, similarity, half_way, turned, scales, sums,
):  # fmt: skip
    """The soft assignment at the end of the annealing, soft (out) (nx + 1, ny + 1); nodes (in) holds <x_i, y_j>."""
    for i in range(nx + 1):
        for j in range(ny + 1):
            # An even start is a fixed point on symmetric graphs; a fixed ripple breaks the tie without random numbers.
            soft[i, j] = 1.0 + 1e-3 * ((0.6180339887498949 * (i * (ny + 1) + j + 1)) % 1.0)
    for i in range(nx):
        soft[i, ny] *= slack_col[i]
    for j in range(ny):
        soft[nx, j] *= slack_row[j]
    sinkhorn(soft, nx, ny, sweeps, tolerance, turned, scales, sums)
    while beta <= beta_max:
        for _ in range(assignments):
            for i in range(nx):
                for j in range(ny):
                    similarity[j, i] = nodes[i, j]
                    before[i, j] = soft[i, j]
            add_products(
                similarity, soft, nx, ny, x_ends, x_values, y_ends, y_values, directed, edge_factor, half_way, turned
            )
            for i in range(nx):
                for j in range(ny):
                    if x_roles[i] == y_roles[j]:
                        soft[i, j] = np.exp(min(beta * similarity[j, i], 300.0))
                    else:
                        soft[i, j] = 0.0
            for i in range(nx):
                soft[i, ny] = 1.0 if slack_col[i] else 0.0
            for j in range(ny):
                soft[nx, j] = 1.0 if slack_row[j] else 0.0
            sinkhorn(soft, nx, ny, sweeps, tolerance, turned, scales, sums)
            change = 0.0
            for i in range(nx):
                for j in range(ny):
                    change += abs(soft[i, j] - before[i, j])
            if change < tolerance * nx:
                break
        beta *= rate


@kernel
def graduated_pairs(
    x_packed, y_packed, directed, order, non_negative, pairs, first, last, size,
    beta, beta_max, rate, assignments, sweeps, tolerance,
    mapping_ptr, lower, upper, mappings,
):  # fmt: skip
    """Match pairs[first:last] by graduated assignment; outputs as in `exact_pairs`, lower from one linear assignment."""
    dv, channels, n_roles = x_packed.nodes.shape[1], x_packed.values.shape[1], len(order)
    x, y = new_side(size, dv, channels, n_roles), new_side(size, dv, channels, n_roles)
    need, lap, root = np.empty(n_roles, np.int64), new_lap(size), new_root(size, channels)
    linear, cost = np.empty((size, size)), np.empty((size, size))
    soft, soft_before = np.empty((size + 1, size + 1)), np.empty((size + 1, size + 1))
    products, similarity, half_way = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    turned, scales, sums = np.empty((size, size)), np.empty((2, size)), np.empty((2, size))
    slack_col, slack_row = np.empty(size, np.bool_), np.empty(size, np.bool_)

    for p in range(first, last):
        gx, gy = pairs[p, 0], pairs[p, 1]
        rows = load_pair(x_packed, gx, y_packed, gy, directed, order, non_negative[p], x, y, need)
        if rows == 0:
            lower[p], upper[p] = 0.0, 0.0
            continue
        norms = squared_norm(x, rows) + squared_norm(y, rows)
        node_costs(x, y, rows, 4.0 * norms + 1.0, linear)
        xs, xe = x_packed.node_ptr[gx], x_packed.node_ptr[gx + 1]
        ys, ye = y_packed.node_ptr[gy], y_packed.node_ptr[gy + 1]
        nx, ny = xe - xs, ye - ys
        x_at = slice(x_packed.edge_ptr[gx], x_packed.edge_ptr[gx + 1])
        y_at = slice(y_packed.edge_ptr[gy], y_packed.edge_ptr[gy + 1])
        x_ends, x_values = x_packed.ends[x_at], x_packed.values[x_at]
        y_ends, y_values = y_packed.ends[y_at], y_packed.values[y_at]

        node_scale, edge_scale = largest_products(x_packed.nodes[xs:xe], y_packed.nodes[ys:ye], x_values, y_values)
        unit = 1.0 / max(node_scale, edge_scale, 1e-300)
        for i in range(nx):
            slack_col[i] = need[x.roles[i]] > y.count[x.roles[i]]
            for j in range(ny):
                total = 0.0
                for d in range(dv):
                    total += x.nodes[i, d] * y.nodes[j, d]
                products[i, j] = unit * total
        for j in range(ny):
            slack_row[j] = need[y.roles[j]] > x.count[y.roles[j]]
        anneal(
            products, nx, ny, x.roles, y.roles, x_ends, x_values, y_ends, y_values, directed, 2.0 * unit,
            slack_col, slack_row, beta, beta_max, rate, assignments, sweeps, tolerance,
            soft, soft_before, similarity, half_way, turned, scales, sums,
        )  # fmt: skip

        # Clean-up: the assignment nearest to the soft one.
        for i in range(rows):
            for j in range(rows):
                cost[i, j] = 0.0
                if x.roles[i] != y.roles[j]:
                    cost[i, j] = rows + 1.0
                elif i < nx or j < ny:
                    share = soft[min(i, nx), min(j, ny)]
                    cost[i, j] = -share if share >= 0.0 else 0.0  # no number, where a whole row has vanished
        solve_lap(cost, rows, lap)
        high = permutation_cost(linear, x, y, rows, lap.col_of_row)
        at = mapping_ptr[p]
        for i in range(nx):
            mappings[at + i] = lap.col_of_row[i] if lap.col_of_row[i] < ny else -1
        lower[p], upper[p] = interval(root_bound(linear, x, y, rows, root, lap), high)
