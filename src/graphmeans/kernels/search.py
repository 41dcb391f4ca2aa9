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
    for i in range(rows):
        for j in range(rows):
            gradient[i, j] = -soft[i, j]
    improve_lap(gradient, rows, u, v, col_of_row, row_of_col, shortest, before, done)


@inner
def attach(row, col, x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, gain, columns, taken, x_front, y_front):
    """Match one more pair: its neighbours come to the front, and pairs of them gain what their edges have in common."""
    columns[row] = col
    taken[col] = True
    x_front[row] = False
    y_front[col] = False
    for s in range(y_degree[col]):
        l = y_neighbour[col, s]
        if not taken[l]:
            y_front[l] = True
    for t in range(x_degree[row]):
        k = x_neighbour[row, t]
        if columns[k] >= 0:
            continue
        x_front[k] = True
        for s in range(y_degree[col]):
            l = y_neighbour[col, s]
            if not taken[l]:
                total = 0.0
                for c in range(x_edges.shape[2]):
                    total += x_edges[k, row, c] * y_edges[l, col, c]
                gain[k, l] += 4.0 * total


@inner
def grow(
    linear, context, x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, x_roles, y_roles,
    rows, gain, columns, taken, x_front, y_front,
):  # fmt: skip
    """Complete a partial permutation along the edges: columns (in, out), -1 where a row is free.

    The next pair is the one that adds most, among neighbours of what is matched on both sides as long as there are any.
    `context` (in), a cost, breaks ties.
    """
    for i in range(rows):
        taken[i] = False
        x_front[i] = False
        y_front[i] = False
        for j in range(rows):
            gain[i, j] = -linear[i, j] - 1e-3 * context[i, j]
    left = rows
    for i in range(rows):
        if columns[i] >= 0:
            taken[columns[i]] = True
    for i in range(rows):
        if columns[i] >= 0:
            attach(i, columns[i], x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, gain, columns, taken,
                   x_front, y_front)  # fmt: skip
            left -= 1
    for _ in range(left):
        best, row, col = -np.inf, -1, -1
        for i in range(rows):
            if x_front[i]:
                for j in range(rows):
                    if y_front[j] and gain[i, j] > best and x_roles[i] == y_roles[j]:
                        best, row, col = gain[i, j], i, j
        if row < 0:
            for i in range(rows):
                if columns[i] < 0:
                    for j in range(rows):
                        if not taken[j] and gain[i, j] > best and x_roles[i] == y_roles[j]:
                            best, row, col = gain[i, j], i, j
        attach(row, col, x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, gain, columns, taken,
               x_front, y_front)  # fmt: skip


@inner
def release(x_degree, x_neighbour, rows, centre, count, columns, queue):
    """Free `count` rows around a centre, breadth first: columns (in, out). Returns how many were freed."""
    head, tail = 0, 1
    queue[0] = centre
    columns[centre] = -1
    while head < tail and tail < count:
        i = queue[head]
        head += 1
        for t in range(x_degree[i]):
            k = x_neighbour[i, t]
            if columns[k] >= 0 and tail < count:
                columns[k] = -1
                queue[tail] = k
                tail += 1
    return tail


@inner
def kick(x_roles, x_real, rows, strength, table, at, columns, fresh):
    """Exchange some random rows: columns (in, out); fresh (in, out) marks them. Returns where the table is read next."""
    for _ in range(strength):
        a = int(table[at] * x_real)
        b = int(table[at + 1] * rows)
        at = (at + 2) % (len(table) - 1)
        if a != b and x_roles[a] == x_roles[b]:
            columns[a], columns[b] = columns[b], columns[a]
            fresh[a] = True
            fresh[b] = True
    return at


@kernel
def search_pairs(
    x_node_ptr, x_nodes, x_node_roles, x_edge_ptr, x_ends, x_values,
    y_node_ptr, y_nodes, y_node_roles, y_edge_ptr, y_ends, y_values,
    directed, order, non_negative, pairs, first, last, size,
    starts, steps, grows, kicks, table,
    mapping_ptr, lower, upper, mappings,
):  # fmt: skip
    """Match pairs[first:last]; outputs as in `exact_pairs`."""
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
    a_degree, b_degree = np.empty(size, np.int64), np.empty(size, np.int64)
    a_neighbour, b_neighbour = np.empty((size, size), np.int64), np.empty((size, size), np.int64)
    soft, products, vertex = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    context = np.empty((size, size))
    x_front, y_front = np.empty(size, np.bool_), np.empty(size, np.bool_)
    columns, best_columns, fresh = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_)

    for p in range(first, last):
        x, y = pairs[p, 0], pairs[p, 1]
        xs, xe = x_node_ptr[x], x_node_ptr[x + 1]
        ys, ye = y_node_ptr[y], y_node_ptr[y + 1]
        nx, ny = xe - xs, ye - ys
        x_at, y_at = slice(x_edge_ptr[x], x_edge_ptr[x + 1]), slice(y_edge_ptr[y], y_edge_ptr[y + 1])
        rows = rows_needed(x_node_roles[xs:xe], y_node_roles[ys:ye], order, non_negative[p], a_count, b_count, need)
        if rows == 0:
            lower[p], upper[p] = 0.0, 0.0
            continue
        fill_side(x_nodes[xs:xe], x_node_roles[xs:xe], x_ends[x_at], x_values[x_at], directed,
                  a_count, need, rows, a_nodes, a_roles, a_edges)  # fmt: skip
        fill_side(y_nodes[ys:ye], y_node_roles[ys:ye], y_ends[y_at], y_values[y_at], directed,
                  b_count, need, rows, b_nodes, b_roles, b_edges)  # fmt: skip
        norms = squared_norm(a_nodes, a_edges, rows) + squared_norm(b_nodes, b_edges, rows)
        node_costs(a_nodes, b_nodes, a_roles, b_roles, rows, 4.0 * norms + 1.0, linear)
        list_neighbours(a_edges, rows, a_degree, a_neighbour)
        list_neighbours(b_edges, rows, b_degree, b_neighbour)
        tolerance = 1e-11 * norms

        make_keys(a_edges, rows, a_keys, a_order)
        make_keys(b_edges, rows, b_keys, b_order)
        row_terms(a_keys, a_order, b_keys, b_order, channels, rows,
                  active, everything, active, everything, rows, a_sorted, b_sorted, term)  # fmt: skip
        for i in range(rows):
            for j in range(rows):
                cost[i, j] = linear[i, j] + term[i, j]
                context[i, j] = cost[i, j]
        low = solve_lap(cost, rows, u, v, col_of_row, row_of_col, shortest, before, done)
        for i in range(rows):
            best_columns[i] = col_of_row[i]
            fresh[i] = True
        exchange_descent(linear, a_edges, b_edges, a_degree, a_neighbour, a_roles, nx, ny, rows, best_columns, fresh,
                         tolerance)  # fmt: skip
        best = permutation_cost(linear, a_edges, b_edges, rows, best_columns)
        at = 0
        for start in range(starts):
            if best <= low + tolerance:
                break
            for i in range(rows):
                columns[i] = best_columns[i] if start == 1 else i
            if start != 1:
                at = shuffle(a_roles, b_roles, rows, table, at, columns, start)
            mix(a_edges, b_edges, a_degree, a_neighbour, b_degree, b_neighbour, a_roles, b_roles, need, rows, columns,
                0.0 if start == 0 else 0.5, soft, products, vertex)  # fmt: skip
            frank_wolfe(
                linear, a_edges, b_edges, a_degree, a_neighbour, b_degree, b_neighbour, rows, soft, products, steps,
                cost, vertex, u, v, col_of_row, row_of_col, shortest, before, done,
            )  # fmt: skip
            for i in range(rows):
                columns[i] = col_of_row[i]
                fresh[i] = True
            exchange_descent(linear, a_edges, b_edges, a_degree, a_neighbour, a_roles, nx, ny, rows, columns, fresh,
                             tolerance)  # fmt: skip
            value = permutation_cost(linear, a_edges, b_edges, rows, columns)
            if value < best:
                best = value
                for i in range(rows):
                    best_columns[i] = columns[i]
        for _ in range(grows):
            if best <= low + tolerance:
                break
            i = int(table[at] * nx)
            draw = table[at + 1]
            at = (at + 2) % (len(table) - 1)
            # the columns of row i by context; the draw prefers the near ones
            rank = int(draw * draw * min(ny, 6))
            j = nth_smallest(context, i, ny, rank, a_roles[i], b_roles, done)
            if j < 0:
                continue
            for k in range(rows):
                columns[k] = -1
            columns[i] = j
            grow(linear, context, a_edges, b_edges, a_degree, a_neighbour, b_degree, b_neighbour, a_roles, b_roles,
                 rows, products, columns, done, x_front, y_front)
            for i in range(rows):
                fresh[i] = True
            exchange_descent(linear, a_edges, b_edges, a_degree, a_neighbour, a_roles, nx, ny, rows, columns, fresh,
                             tolerance)  # fmt: skip
            value = permutation_cost(linear, a_edges, b_edges, rows, columns)
            if value < best:
                best = value
                for i in range(rows):
                    best_columns[i] = columns[i]
        for i in range(rows):
            columns[i] = best_columns[i]
            fresh[i] = False
        value = best
        for _ in range(kicks):
            if best <= low + tolerance:
                break
            # Free a part of the best mapping, give one of its rows another column, and let it grow together again.
            centre = int(table[at] * nx)
            share = 0.15 + 0.6 * table[at + 1]
            draw = table[at + 2]
            pick = table[at + 3]
            at = (at + 4) % (len(table) - 4)
            freed = release(a_degree, a_neighbour, rows, centre, max(3, int(share * rows)), columns, before)
            for i in range(nx, rows):
                columns[i] = -1
            for j in range(rows):
                done[j] = b_roles[j] != a_roles[centre]
            for i in range(rows):
                if columns[i] >= 0:
                    done[columns[i]] = True
            # one of the free columns, the nearest by context preferred
            rank = int(draw * draw * 5)
            j = -1
            for _r in range(rank + 1):
                near = -1
                for l in range(ny):
                    if not done[l] and (near < 0 or context[centre, l] < context[centre, near]):
                        near = l
                if near < 0:
                    break
                done[near] = True
                j = near
            if j >= 0:
                columns[centre] = j
            grow(linear, context, a_edges, b_edges, a_degree, a_neighbour, b_degree, b_neighbour, a_roles, b_roles,
                 rows, products, columns, done, x_front, y_front)
            for i in range(rows):
                fresh[i] = columns[i] != best_columns[i]
            exchange_descent(linear, a_edges, b_edges, a_degree, a_neighbour, a_roles, nx, ny, rows, columns, fresh,
                             tolerance)  # fmt: skip
            value = permutation_cost(linear, a_edges, b_edges, rows, columns)
            if value <= best + tolerance:
                best = min(best, value)
                for i in range(rows):
                    best_columns[i] = columns[i]
            else:
                for i in range(rows):
                    columns[i] = best_columns[i]
        upper[p] = np.sqrt(best)
        lower[p] = min(np.sqrt(max(low, 0.0)), upper[p])
        start_at = mapping_ptr[p]
        for i in range(nx):
            mappings[start_at + i] = best_columns[i] if best_columns[i] < ny else -1


@inner
def nth_smallest(context, i, ny, rank, role, y_roles, used):
    """The column with the rank-th smallest context of row i among real columns of its role; -1 if there is none."""
    for j in range(ny):
        used[j] = y_roles[j] != role
    found = -1
    for _ in range(rank + 1):
        at = -1
        for j in range(ny):
            if not used[j] and (at < 0 or context[i, j] < context[i, at]):
                at = j
        if at < 0:
            break
        used[at] = True
        found = at
    return found


@inner
def shuffle(x_roles, y_roles, rows, table, at, columns, start):
    """A random permutation that keeps roles: columns (out)."""
    for i in range(rows):
        columns[i] = -1
    # places of equal role, shuffled by repeated exchange
    used = 0
    for i in range(rows):
        for j in range(rows):
            if y_roles[j] != x_roles[i]:
                continue
            taken = False
            for k in range(i):
                if columns[k] == j:
                    taken = True
                    break
            if not taken:
                columns[i] = j
                break
    for i in range(rows - 1, 0, -1):
        k = int(table[at] * (i + 1))
        at = (at + 1) % len(table)
        if x_roles[i] == x_roles[k]:
            columns[i], columns[k] = columns[k], columns[i]
    return at


@inner
def mix(x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, x_roles, y_roles, need, rows, columns, share,
        soft, products, vertex):  # fmt: skip
    """soft (out) = share * permutation + (1 - share) * even, and products (out) = X soft Y'."""
    channels = x_edges.shape[2]
    for i in range(rows):
        for j in range(rows):
            soft[i, j] = (1.0 - share) / need[x_roles[i]] if x_roles[i] == y_roles[j] else 0.0
    # X.even.Y' has the sums over roles in it; go through edges, it is done once a start
    for i in range(rows):
        for j in range(rows):
            products[i, j] = 0.0
    for i in range(rows):
        for t in range(x_degree[i]):
            k = x_neighbour[i, t]
            for j in range(rows):
                for s in range(y_degree[j]):
                    l = y_neighbour[j, s]
                    if x_roles[k] == y_roles[l]:
                        total = 0.0
                        for c in range(channels):
                            total += x_edges[i, k, c] * y_edges[j, l, c]
                        products[i, j] += total * (1.0 - share) / need[x_roles[k]]
    if share > 0.0:
        coupling(x_edges, y_edges, x_degree, x_neighbour, y_degree, y_neighbour, rows, columns, vertex)
        for i in range(rows):
            soft[i, columns[i]] += share
            for j in range(rows):
                products[i, j] += share * vertex[i, j]
