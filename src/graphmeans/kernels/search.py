"""Search for a good mapping, for many pairs in one call: assignment, Frank-Wolfe, growing, exchanges, and regrowing the best.

With L_ij = |x_i - y_j|^2 the squared distance of a permutation p is sum_i L_i,p(i) + |edges of X|^2 + |edges of Y|^2 -
2 sum_ik <x_ik, y_p(i)p(k)>. Only the last sum couples two rows, and it is sparse.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.context import deepen
from graphmeans.kernels.exchange import edge_tolerance, exchange_descent
from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import improve_lap, new_lap
from graphmeans.kernels.pair import complete, interval, load_pair, new_side, node_costs, permutation_cost, squared_norm
from graphmeans.kernels.root import new_root, root_bound

# Above this many rows less is tried, so that the time of a pair grows no faster than that of a linear assignment.
MANY_ROWS = 64

# Below this share of |X|^2 + |Y|^2 a squared distance is rounding of the numbers themselves.
NEGLIGIBLE = 1e-28

# A cost meets a lower bound up to this factor.
MET = 1.0 + 1e-10

# How many steps around two nodes are compared to see how alike they are; even.
DEPTH = 4

#: The present permutation and the best, and what the moves need.
Work = namedtuple("Work", "columns best kept fresh soft products vertex gain taken x_front y_front queue")


@inner
def new_work(size):
    """Workspace for pairs of at most `size` rows."""
    return Work(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_),
        np.empty((size, size)), np.empty((size, size)), np.empty((size, size)), np.empty((size, size)),
        np.empty(size, np.bool_), np.empty(size, np.bool_), np.empty(size, np.bool_), np.empty(size, np.int64),
    )  # fmt: skip


@inner
def polish(linear, x, y, nx, ny, rows, work, best, tolerance):
    """Let work.columns (in, out) descend by exchanges and keep it in work.best if it is better; returns the best cost."""
    exchange_descent(linear, x, y, nx, ny, rows, work.columns, work.fresh, tolerance)
    value = permutation_cost(linear, x, y, rows, work.columns)
    if value >= best:
        return best
    columns, kept = work.columns, work.best
    for i in range(rows):
        kept[i] = columns[i]
    return value


@inner
def couple(x, y, rows, columns, factor, out):
    """out (in, out) += factor * sum_k <x_ik, y_j,p(k)> for the permutation p, over neighbours only."""
    x_edges, x_degree, x_neighbour = x.edges, x.degree, x.neighbour
    y_edges, y_degree, y_neighbour = y.edges, y.degree, y.neighbour
    for i in range(rows):
        for t in range(x_degree[i]):
            k = x_neighbour[i, t]
            p = columns[k]
            for s in range(y_degree[p]):
                j = y_neighbour[p, s]
                total = 0.0
                for c in range(x_edges.shape[2]):
                    total += x_edges[i, k, c] * y_edges[j, p, c]
                out[i, j] += factor * total


@inner
def couple_even(x, y, rows, need, factor, out):
    """out (in, out) += factor * X.E.Y' for the even matrix E: 1 / need within each role."""
    x_edges, x_degree, x_neighbour, x_roles = x.edges, x.degree, x.neighbour, x.roles
    y_edges, y_degree, y_neighbour, y_roles = y.edges, y.degree, y.neighbour, y.roles
    for i in range(rows):
        for t in range(x_degree[i]):
            k = x_neighbour[i, t]
            for j in range(rows):
                for s in range(y_degree[j]):
                    p = y_neighbour[j, s]
                    if x_roles[k] == y_roles[p]:
                        total = 0.0
                        for c in range(x_edges.shape[2]):
                            total += x_edges[i, k, c] * y_edges[j, p, c]
                        out[i, j] += factor * total / need[x_roles[k]]


@inner
def start_softly(x, y, rows, need, share, work):
    """work.soft (out): `share` of the permutation work.columns, the rest even; work.products (out) = X.soft.Y'."""
    soft, products, columns, x_roles, y_roles = work.soft, work.products, work.columns, x.roles, y.roles
    for i in range(rows):
        for j in range(rows):
            soft[i, j] = (1.0 - share) / need[x_roles[i]] if x_roles[i] == y_roles[j] else 0.0
            products[i, j] = 0.0
    couple_even(x, y, rows, need, 1.0 - share, products)
    if share > 0.0:
        for i in range(rows):
            soft[i, columns[i]] += share
        couple(x, y, rows, columns, share, products)


@inner
def frank_wolfe(linear, x, y, rows, steps, work, cost, lap):
    """Descend over doubly stochastic matrices from work.soft; work.columns (out) is the assignment nearest to the end.

    Each step goes towards the permutation that minimises the gradient, as far as is best: the cost is a parabola on that
    line. cost (work).
    """
    soft, products, vertex, col_of_row, v = work.soft, work.products, work.vertex, lap.col_of_row, lap.v
    for j in range(rows):
        v[j] = 0.0
    for _ in range(steps):
        for i in range(rows):
            for j in range(rows):
                cost[i, j] = linear[i, j] - 4.0 * products[i, j]
                vertex[i, j] = 0.0
        improve_lap(cost, rows, lap)
        couple(x, y, rows, col_of_row, 1.0, vertex)
        slope, curve = 0.0, 0.0
        for i in range(rows):
            for j in range(rows):
                towards = (1.0 if col_of_row[i] == j else 0.0) - soft[i, j]
                slope += cost[i, j] * towards
                curve -= 2.0 * towards * (vertex[i, j] - products[i, j])
        if slope >= -1e-9 * abs(curve) - 1e-300:
            break
        length = min(1.0, -slope / (2.0 * curve)) if curve > 0.0 else 1.0
        for i in range(rows):
            for j in range(rows):
                target = 1.0 if col_of_row[i] == j else 0.0
                soft[i, j] += length * (target - soft[i, j])
                products[i, j] += length * (vertex[i, j] - products[i, j])
    x_roles, y_roles = x.roles, y.roles
    for i in range(rows):
        for j in range(rows):
            cost[i, j] = -soft[i, j] if x_roles[i] == y_roles[j] else rows + 1.0
    improve_lap(cost, rows, lap)
    columns = work.columns
    for i in range(rows):
        columns[i] = col_of_row[i]


@inner
def shuffle(x, y, rows, table, at, columns):
    """A random permutation that keeps roles: columns (out). Returns where the table of random numbers is read next."""
    x_roles, y_roles = x.roles, y.roles
    for i in range(rows):
        columns[i] = -1
    # The k-th row of a role goes to its k-th column ...
    for j in range(rows):
        for i in range(rows):
            if columns[i] < 0 and x_roles[i] == y_roles[j]:
                columns[i] = j
                break
    # ... and then rows of one role exchange their columns.
    for i in range(rows - 1, 0, -1):
        k = int(table[at % len(table)] * (i + 1))
        at += 1
        if x_roles[i] == x_roles[k]:
            columns[i], columns[k] = columns[k], columns[i]
    return at


@inner
def attach(row, col, x_edges, x_degree, x_neighbour, y_edges, y_degree, y_neighbour, gain, columns, taken, x_front, y_front):
    """Match one more pair: its neighbours come to the front, and pairs of them gain what their edges have in common."""
    columns[row] = col
    taken[col] = True
    x_front[row] = False
    y_front[col] = False
    for s in range(y_degree[col]):
        if not taken[y_neighbour[col, s]]:
            y_front[y_neighbour[col, s]] = True
    for t in range(x_degree[row]):
        k = x_neighbour[row, t]
        if columns[k] >= 0:
            continue
        x_front[k] = True
        for s in range(y_degree[col]):
            j = y_neighbour[col, s]
            if not taken[j]:
                total = 0.0
                for c in range(x_edges.shape[2]):
                    total += x_edges[k, row, c] * y_edges[j, col, c]
                gain[k, j] += 4.0 * total


@inner
def grow(linear, context, x, y, rows, work):
    """Complete the partial permutation work.columns (in, out; -1 is free) along the edges.

    The next pair is the one that adds most, among neighbours of what is matched on both sides as long as there are any.
    `context`, the costs of the root bound, breaks ties.
    """
    columns, gain, taken, x_front, y_front = work.columns, work.gain, work.taken, work.x_front, work.y_front
    x_edges, x_degree, x_neighbour, x_roles = x.edges, x.degree, x.neighbour, x.roles
    y_edges, y_degree, y_neighbour, y_roles = y.edges, y.degree, y.neighbour, y.roles
    left = 0
    for i in range(rows):
        taken[i] = False
        x_front[i] = False
        y_front[i] = False
    for i in range(rows):
        if columns[i] >= 0:
            taken[columns[i]] = True
        else:
            left += 1
            for j in range(rows):
                gain[i, j] = -linear[i, j] - 1e-3 * context[i, j]
    for i in range(rows):
        if columns[i] >= 0:
            attach(i, columns[i], x_edges, x_degree, x_neighbour, y_edges, y_degree, y_neighbour, gain, columns, taken,
                   x_front, y_front)  # fmt: skip
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
        attach(row, col, x_edges, x_degree, x_neighbour, y_edges, y_degree, y_neighbour, gain, columns, taken,
               x_front, y_front)  # fmt: skip


@inner
def seed_column(row, rank, context, x, y, ny, rows, work):
    """Fix work.columns[row] (out) to the rank-th nearest, by context, of the real columns that no row has."""
    columns, taken, x_roles, y_roles = work.columns, work.taken, x.roles, y.roles
    for j in range(ny):
        taken[j] = y_roles[j] != x_roles[row]
    for i in range(rows):
        if 0 <= columns[i] < ny:
            taken[columns[i]] = True
    for _ in range(rank + 1):
        near = -1
        for j in range(ny):
            if not taken[j] and (near < 0 or context[row, j] < context[row, near]):
                near = j
        if near < 0:
            break
        taken[near] = True
        columns[row] = near


@inner
def release(x, rows, nx, center, count, work):
    """Free null rows and `count` real rows around a center, breadth first: work.columns (in, out)."""
    columns, queue, degree, neighbour = work.columns, work.queue, x.degree, x.neighbour
    for i in range(nx, rows):
        columns[i] = -1
    columns[center] = -1
    queue[0] = center
    head, tail = 0, 1
    while head < tail and tail < count:
        i = queue[head]
        head += 1
        for t in range(degree[i]):
            k = neighbour[i, t]
            if columns[k] >= 0 and tail < count:
                columns[k] = -1
                queue[tail] = k
                tail += 1


@inner
def search(linear, x, y, nx, ny, rows, need, low, warm, trials, starts, steps, growths, regrowths, table, negligible, root,
           lap, work):  # fmt: skip
    """The least cost found; work.best (out) is its permutation. lap holds the root assignment, work.columns a warm start.

    The trials come in rounds of `starts`, `growths` and `regrowths`, and each depends on those before it alone: what fewer
    trials find, more of them find as well. It ends as soon as the cost meets the lower bound `low` or is `negligible`.
    """
    columns, fresh, context, kept = work.columns, work.fresh, root.cost, work.kept
    best, at, started, deep, tolerance = np.inf, 0, 0, False, edge_tolerance(x, y, rows)
    for i in range(rows):
        fresh[i] = True
    if warm:
        best = polish(linear, x, y, nx, ny, rows, work, best, tolerance)
    for i in range(rows):
        columns[i] = lap.col_of_row[i]
        fresh[i] = True
    best = polish(linear, x, y, nx, ny, rows, work, best, tolerance)
    a_round = starts + growths + regrowths if nx > 0 and ny > 0 else starts
    walk = np.inf  # the cost of work.kept, which is as good as the best but need not be the same
    for trial in range(trials):
        if best <= max(low * MET, negligible):
            return best
        turn = trial % a_round
        if turn >= starts and not deep:
            deep = True
            for _ in range(DEPTH // 2):
                deepen(linear, x, y, rows, context, work.soft)
                deepen(linear, x, y, rows, work.soft, context)
        if turn < starts:  # from the center of all permutations, then from random points half-way
            if started > 0:
                at = shuffle(x, y, rows, table, at, columns)
            start_softly(x, y, rows, need, 0.0 if started == 0 else 0.5, work)
            started += 1
            frank_wolfe(linear, x, y, rows, steps, work, root.term, lap)
            for i in range(rows):
                fresh[i] = True
            best = polish(linear, x, y, nx, ny, rows, work, best, tolerance)
        elif turn < starts + growths:  # from one pair that looks alike
            row = int(table[at % len(table)] * nx)
            rank = int(table[(at + 1) % len(table)] ** 2 * 6)
            at += 2
            for i in range(rows):
                columns[i] = -1
                fresh[i] = True
            seed_column(row, rank, context, x, y, ny, rows, work)
            grow(linear, context, x, y, rows, work)
            best = polish(linear, x, y, nx, ny, rows, work, best, tolerance)
        else:  # free a part of the best, seed it differently, and let it grow together again
            if walk > best:
                walk = best
                for i in range(rows):
                    kept[i] = work.best[i]
            center = int(table[at % len(table)] * nx)
            count = max(3, int((0.1 + 0.8 * table[(at + 1) % len(table)]) * rows))
            rank = int(table[(at + 2) % len(table)] ** 2 * 5)
            at += 3
            for i in range(rows):
                columns[i] = kept[i]
            release(x, rows, nx, center, count, work)
            seed_column(center, rank, context, x, y, ny, rows, work)
            grow(linear, context, x, y, rows, work)
            for i in range(rows):
                fresh[i] = columns[i] != kept[i]
            exchange_descent(linear, x, y, nx, ny, rows, columns, fresh, tolerance)
            value = permutation_cost(linear, x, y, rows, columns)
            if value <= best * MET + tolerance:  # another as good will do
                walk = min(value, best)
                for i in range(rows):
                    kept[i] = columns[i]
                if value < best:
                    best = value
                    for i in range(rows):
                        work.best[i] = columns[i]
    return best


@kernel
def search_pairs(
    x_packed, y_packed, directed, order, non_negative, pairs, first, last, size,
    effort, starts, steps, growths, regrowths, table, has_warm, warm,
    mapping_ptr, lower, upper, mappings,
):  # fmt: skip
    """Match pairs[first:last]; outputs as in `exact_pairs`. warm (in) are mappings to start from.

    A round of trials has this many starts and growths, and `regrowths` for each row; `effort` says how many rounds.
    """
    dv, channels, n_roles = x_packed.nodes.shape[1], x_packed.values.shape[1], len(order)
    x, y = new_side(size, dv, channels, n_roles), new_side(size, dv, channels, n_roles)
    need, lap, root, work = np.empty(n_roles, np.int64), new_lap(size), new_root(size, channels), new_work(size)
    linear = np.empty((size, size))
    for p in range(first, last):
        gx, gy = pairs[p, 0], pairs[p, 1]
        rows = load_pair(x_packed, gx, y_packed, gy, directed, order, non_negative[p], x, y, need)
        if rows == 0:
            lower[p], upper[p] = 0.0, 0.0
            continue
        nx = x_packed.node_ptr[gx + 1] - x_packed.node_ptr[gx]
        ny = y_packed.node_ptr[gy + 1] - y_packed.node_ptr[gy]
        norms = squared_norm(x, rows) + squared_norm(y, rows)
        node_costs(x, y, rows, 4.0 * norms + 1.0, linear)
        low = root_bound(linear, x, y, rows, root, lap)
        at = mapping_ptr[p]
        if has_warm:
            complete(warm, at, nx, x, y, rows, ny, work.columns, work.taken)
        few = min(1.0, MANY_ROWS / rows)
        again = int(regrowths * min(rows, MANY_ROWS * few))
        trials = int(np.ceil(effort * (starts + growths + again)))
        search(
            linear, x, y, nx, ny, rows, need, low, has_warm, trials, starts, int(np.ceil(steps * few)), growths, again, table,
            NEGLIGIBLE * norms, root, lap, work,
        )  # fmt: skip
        lower[p], upper[p] = interval(low, permutation_cost(linear, x, y, rows, work.best))
        for i in range(nx):
            mappings[at + i] = work.best[i] if work.best[i] < ny else -1
