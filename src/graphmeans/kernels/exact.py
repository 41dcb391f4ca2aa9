"""Exact matching: depth-first branch and bound, for many pairs in one call."""

from __future__ import annotations

from collections import namedtuple
from itertools import permutations

import numpy as np

from graphmeans.kernels.exchange import edge_tolerance, exchange_descent
from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import lap_rounding, new_lap, solve_lap
from graphmeans.kernels.pair import (
    SMALLEST,
    complete,
    interval,
    load_pair,
    n_keys,
    new_side,
    new_sorted,
    node_costs,
    permutation_cost,
    row_terms,
    sort_rows,
    squared_norm,
)
from graphmeans.kernels.rows import most_rows

# Up to so many free rows all permutations are tried at once: that is quicker than one more bound.
FEW = 4
_ORDERS = [list(permutations(range(n))) for n in range(FEW + 1)]
# PERMUTATIONS[n, k]: the k-th permutation of n, of the N_PERMUTATIONS[n] there are.
PERMUTATIONS = np.array([[list(p) + [0] * (FEW - n) for p in o + o[:1] * (24 - len(o))] for n, o in enumerate(_ORDERS)])
N_PERMUTATIONS = np.array([len(o) for o in _ORDERS])

# What a search gives away: a branch is cut when it cannot be better by more than this share of the squared distance.
RELATIVE = 1e-12
# Below this share of |X|^2 + |Y|^2 a squared distance is rounding of the numbers themselves; nothing is sought, or proved, there,
# nor below `SMALLEST`.
NEGLIGIBLE = 1e-28

#: Work of the tree: one entry a level, or a row.
Tree = namedtuple(
    "Tree",
    "linear base fixed_row fixed_col child_col child_bound n_children next_child "
    "x_active y_active x_rows y_rows x_twin y_twin x_square y_square seen columns fresh term cost leaf",
)


@inner
def new_tree(levels, size):
    """Workspace for trees of at most `levels` levels over `size` rows."""
    return Tree(
        np.empty((levels, size, size)), np.empty(levels + 1),
        np.empty(levels, np.int64), np.empty(levels, np.int64),
        np.empty((levels, size), np.int64), np.empty((levels, size)),
        np.empty(levels, np.int64), np.empty(levels, np.int64),
        np.empty(size, np.bool_), np.empty(size, np.bool_), np.empty(size, np.int64), np.empty(size, np.int64),
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size, np.int64),
        np.empty(size, np.int64), np.empty(size, np.bool_), np.empty((size, size)), np.empty((size, size)),
        np.empty((2, FEW), np.int64),
    )  # fmt: skip


@inner
def negligible_square(norms):
    """The squared distance below which nothing is sought between two graphs with |X|^2 + |Y|^2 = norms."""
    return max(NEGLIGIBLE * norms, SMALLEST)


@inner
def worth(bound, best, negligible):
    """Whether a branch with this lower bound is worth a look: it may lead to something better that is not negligible."""
    return bound < best * (1.0 - RELATIVE) - negligible


@inner
def find_twins(side, rows, twin):
    """twin (out): the first row that each row can be exchanged with without changing the graph."""
    roles, nodes, edges, degree, neighbour = side.roles, side.nodes, side.edges, side.degree, side.neighbour
    for i in range(rows):
        twin[i] = i
        for k in range(i):
            if twin[k] != k or roles[i] != roles[k] or degree[i] != degree[k]:
                continue
            same = True
            for d in range(nodes.shape[1]):
                if nodes[i, d] != nodes[k, d]:
                    same = False
                    break
            t = 0
            while same and t < degree[i]:
                j = neighbour[i, t]
                other = i if j == k else j  # the edge between the two must look the same from both ends
                for c in range(edges.shape[2]):
                    if edges[i, j, c] != edges[k, other, c]:
                        same = False
                t += 1
            if same:
                twin[i] = k
                break


@inner
def same_alignment(columns, others, n, x_rows, x_real, y_real):
    """Whether two assignments of n rows align the same real nodes: null rows, and null columns, are all alike."""
    for a in range(n):
        if x_rows[a] < x_real and columns[a] != others[a] and (columns[a] < y_real or others[a] < y_real):
            return False
    return True


@inner
def try_all(x, y, x_real, y_real, base, linear, q, x_rows, y_rows, ceiling, known, columns):
    """The best of all assignments of the q free rows to the q free columns: (which permutation, its cost, runner-up).

    -1 if none costs less than `ceiling`, the cost of the best mapping so far; if that one is among these (`known`),
    columns[:q] (in, out) are its columns. The runner-up: no assignment other than the best one costs less.
    """
    x_edges, y_edges = x.edges, y.edges
    channels = x_edges.shape[2]
    best, which, second = ceiling, -1, 4.0 * ceiling
    for k in range(N_PERMUTATIONS[q]):
        total = base
        for a in range(q):
            i, p = x_rows[a], y_rows[PERMUTATIONS[q, k, a]]
            total += linear[i, p]
            for b in range(a):
                j, r = x_rows[b], y_rows[PERMUTATIONS[q, k, b]]
                for c in range(channels):
                    difference = x_edges[i, j, c] - y_edges[p, r, c]
                    total += 2.0 * difference * difference
            if total >= second:
                break
        if total >= second:
            continue
        for a in range(q):
            columns[1, a] = y_rows[PERMUTATIONS[q, k, a]]
        other = not known or not same_alignment(columns[0], columns[1], q, x_rows, x_real, y_real)
        if total < best:
            if other and known:
                second = min(second, best)
            best, which, known = total, k, True
            for a in range(q):
                columns[0, a] = columns[1, a]
        elif other:
            second = total
    return which, best, second


@inner
def slack(cost, lap, q, x_rows, y_rows, x_real, y_real, fixed_row, fixed_col, depth, best_columns):
    """How much more than the bound a mapping of this branch costs at least if it is not the best one: 0 if nothing is known.

    If the best mapping is the branch's linear assignment, any other takes a dearer column for some real row.
    """
    for t in range(depth):
        old, new = best_columns[fixed_row[t]], fixed_col[t]
        if fixed_row[t] < x_real and old != new and (old < y_real or new < y_real):
            return 0.0
    least = np.inf
    for a in range(q):
        if x_rows[a] >= x_real:
            continue
        old, new = best_columns[x_rows[a]], y_rows[lap.col_of_row[a]]
        if old != new and (old < y_real or new < y_real):
            return 0.0
        for b in range(q):
            if y_rows[b] != new and (y_rows[b] < y_real or new < y_real):
                least = min(least, cost[a, b] - lap.u[a] - lap.v[b])
    return max(0.0, least)


@inner
def branch_and_bound(x, y, x_real, y_real, rows, max_tree_nodes, cutoff, warm, negligible, x_sorted, y_sorted, x_left, y_left,
                     lap, tree, best_columns):  # fmt: skip
    """The best permutation of `rows` columns, with tree.linear[0] (in) the node costs; best_columns (in, out).

    Of a few free rows all permutations are tried. Above that, a node of the tree fixes the columns of some real rows of X,
    and its bound is one linear assignment of all other rows: node costs, plus edges to the fixed nodes exactly, plus edges
    among the others by their sorted rows. Null rows are never branched on. Of interchangeable columns (null columns, twins)
    only the first free one is tried, and interchangeable rows get increasing columns. A branch is also cut when it cannot be
    below `cutoff`. If `warm`, best_columns is a permutation to start from. Returns (lower, upper, runner-up, tree nodes),
    squared: no mapping that aligns the nodes otherwise costs less than the runner-up.
    """
    linear, columns, cost, term, base = tree.linear, tree.columns, tree.cost, tree.term, tree.base
    fixed_row, fixed_col, child_col, child_bound = tree.fixed_row, tree.fixed_col, tree.child_col, tree.child_bound
    n_children, next_child, x_active, y_active = tree.n_children, tree.next_child, tree.x_active, tree.y_active
    x_rows, y_rows, x_twin, y_twin, seen = tree.x_rows, tree.y_rows, tree.x_twin, tree.y_twin, tree.seen
    x_roles, y_roles, u, v = x.roles, y.roles, lap.u, lap.v
    channels = x.edges.shape[2]
    for i in range(rows):
        x_active[i] = True
        y_active[i] = True
        seen[i] = -1
        tree.fresh[i] = True
    if rows > FEW:
        sort_rows(x, rows, x_sorted)
        sort_rows(y, rows, y_sorted)
        find_twins(x, rows, x_twin)
        find_twins(y, rows, y_twin)
    base[0] = 0.0
    best = permutation_cost(linear[0], x, y, rows, best_columns) if warm else np.inf
    missed = np.inf  # least bound among the branches that were not explored
    second = np.inf  # least cost among the complete mappings other than the best
    visited = 0
    depth = 0
    entering = True
    while depth >= 0:
        ceiling = min(best, cutoff)
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
            if q <= FEW:
                known = best < np.inf
                for t in range(depth):
                    old, new = best_columns[fixed_row[t]], fixed_col[t]
                    if known and fixed_row[t] < x_real and old != new and (old < y_real or new < y_real):
                        known = False
                for a in range(q):
                    tree.leaf[0, a] = best_columns[x_rows[a]]
                # Without any mapping yet (the whole pair has few rows) the cutoff must not leave us with none.
                solved = best == np.inf
                which, value, runner_up = try_all(
                    x, y, x_real, y_real, base[depth], here, q, x_rows, y_rows, best if solved else ceiling, known, tree.leaf
                )
                second = min(second, runner_up)
                if which >= 0:
                    if not known:
                        second = min(second, best)
                    for t in range(depth):
                        best_columns[fixed_row[t]] = fixed_col[t]
                    for a in range(q):
                        best_columns[x_rows[a]] = y_rows[PERMUTATIONS[q, which, a]]
                    best = permutation_cost(linear[0], x, y, rows, best_columns)
                    ceiling = min(best, cutoff)
                if cutoff < best and not solved:
                    missed, second = min(missed, cutoff), min(second, cutoff)
                continue
            row_terms(x_sorted, y_sorted, channels, x_active, x_rows, y_active, y_rows, q,
                      x_left, y_left, term)  # fmt: skip
            for a in range(q):
                for b in range(q):
                    cost[a, b] = here[x_rows[a], y_rows[b]] + term[a, b]
            bound = base[depth]
            if q > 0:
                bound += solve_lap(cost, q, lap)
                bound = max(base[depth], bound - lap_rounding(q, lap))
            if worth(bound, best, negligible):
                for t in range(depth):
                    columns[fixed_row[t]] = fixed_col[t]
                for a in range(q):
                    columns[x_rows[a]] = y_rows[lap.col_of_row[a]]
                if depth == 0 and rows > 2 * FEW:
                    exchange_descent(here, x, y, x_real, y_real, rows, columns, tree.fresh, edge_tolerance(x, y, rows))
                value = permutation_cost(linear[0], x, y, rows, columns)
                if value < best:
                    second = min(second, best)
                    best = value
                    ceiling = min(best, cutoff)
                    for i in range(rows):
                        best_columns[i] = columns[i]
            if worth(bound, ceiling, negligible):
                # Branch on the real row whose other columns are dearest: most of its children are cut at once.
                branch = -1
                most = -1.0
                gap = ceiling - bound
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
                    floor = -1
                    for t in range(depth):
                        if x_twin[fixed_row[t]] == x_twin[row]:
                            floor = max(floor, fixed_col[t])
                    count = 0
                    for b in range(q):
                        column = y_rows[b]
                        if column <= floor or x_roles[row] != y_roles[column]:
                            continue
                        if seen[y_twin[column]] == visited:
                            continue
                        seen[y_twin[column]] = visited
                        reduced = bound + max(0.0, cost[branch, b] - u[branch] - v[b])
                        if worth(reduced, ceiling, negligible):
                            at = count
                            while at > 0 and child_bound[depth, at - 1] > reduced:
                                child_bound[depth, at] = child_bound[depth, at - 1]
                                child_col[depth, at] = child_col[depth, at - 1]
                                at -= 1
                            child_bound[depth, at] = reduced
                            child_col[depth, at] = column
                            count += 1
                        else:
                            missed, second = min(missed, reduced), min(second, reduced)
                    n_children[depth] = count
            else:
                missed = min(missed, bound)
                second = min(second, bound + slack(
                    cost, lap, q, x_rows, y_rows, x_real, y_real, fixed_row, fixed_col, depth, best_columns
                ))  # fmt: skip
        # Take the next child of this node, or go back. Children come by increasing bound.
        k = next_child[depth]
        descend = False
        if k < n_children[depth]:
            descend = visited < max_tree_nodes and worth(child_bound[depth, k], ceiling, negligible)
            if not descend:
                missed, second = min(missed, child_bound[depth, k]), min(second, child_bound[depth, k])
        if descend:
            next_child[depth] = k + 1
            row = fixed_row[depth]
            column = child_col[depth, k]
            fixed_col[depth] = column
            base[depth + 1] = base[depth] + linear[depth, row, column]
            x_active[row] = False
            y_active[column] = False
            fix(x, y, row, column, rows, tree, depth)
            depth += 1
            entering = True
        else:
            depth -= 1
            if depth >= 0:
                x_active[fixed_row[depth]] = True
                y_active[fixed_col[depth]] = True
    return (missed if worth(missed, best, 0.0) else best), best, second, visited


@inner
def loosest_bond(x, y, x_real, y_real, columns):
    """What it costs at least to unmatch nodes that are matched although both might stay unmatched (see `count_reluctant`)."""
    x_nodes, y_nodes, x_edges, y_edges = x.nodes, y.nodes, x.edges, y.edges
    least = np.inf
    for i in range(x_real):
        p = columns[i]
        if p >= y_real:
            continue
        bond = 0.0
        for d in range(x_nodes.shape[1]):
            bond += x_nodes[i, d] * y_nodes[p, d]
        for j in range(x_real):
            for c in range(x_edges.shape[2]):
                bond += 2.0 * x_edges[i, j, c] * y_edges[p, columns[j], c]
        least = min(least, 2.0 * bond)
    return least


@inner
def fix(x, y, row, column, rows, tree, depth):
    """tree.linear[depth + 1] (out) = tree.linear[depth] + 2 |x_i,row - y_j,column|^2 for all active i and j."""
    x_edges, y_edges, x_active, y_active = x.edges, y.edges, tree.x_active, tree.y_active
    x_square, y_square = tree.x_square, tree.y_square
    channels = x_edges.shape[2]
    old, new = tree.linear[depth], tree.linear[depth + 1]
    for i in range(rows):
        x_square[i] = 0.0
        y_square[i] = 0.0
        for c in range(channels):
            x_square[i] += x_edges[i, row, c] * x_edges[i, row, c]
            y_square[i] += y_edges[i, column, c] * y_edges[i, column, c]
    for i in range(rows):
        if not x_active[i]:
            continue
        for j in range(rows):
            if not y_active[j]:
                continue
            total = x_square[i] + y_square[j]
            if x_square[i] != 0.0 and y_square[j] != 0.0:
                total = 0.0
                for c in range(channels):
                    difference = x_edges[i, row, c] - y_edges[j, column, c]
                    total += difference * difference
            new[i, j] = old[i, j] + 2.0 * total


@kernel
def exact_pairs(
    x_packed, y_packed, directed, order, non_negative, pairs, first, last, size,
    max_tree_nodes, cutoffs, has_warm, warm, mapping_ptr, lower, upper, mappings, tree_nodes, second,
):  # fmt: skip
    """Match pairs[first:last]; `size` is the most rows any of them needs.

    lower, upper, tree_nodes (out) one a pair; mappings (out) the column of each node of X, -1 if unmatched, from
    mapping_ptr[p] on. cutoffs (in): the search for a pair ends once D > cutoff is proved. warm (in): mappings to start
    from, laid out as the mappings. second (out): every alignment of X other than the one found is at least this far from
    Y, and from Y' at least this less |Y - Y'|; no more than `upper` where that cannot be said.
    """
    dv, channels, n_roles = x_packed.nodes.shape[1], x_packed.values.shape[1], len(order)
    # The workspace, once for all pairs of the call.
    x, y = new_side(size, dv, channels, n_roles), new_side(size, dv, channels, n_roles)
    need = np.empty(n_roles, np.int64)
    levels = 1
    for p in range(first, last):
        gx, gy = pairs[p, 0], pairs[p, 1]
        nx = x_packed.node_ptr[gx + 1] - x_packed.node_ptr[gx]
        levels = max(levels, 1 + min(nx, y_packed.node_ptr[gy + 1] - y_packed.node_ptr[gy]))
    keys = n_keys(channels)
    x_sorted, y_sorted, x_left, y_left = new_sorted(keys, size), new_sorted(keys, size), new_sorted(1, size), new_sorted(1, size)
    lap, tree, best_columns = new_lap(size), new_tree(levels, size), np.empty(size, np.int64)
    inverse = np.empty(size, np.int64)

    for p in range(first, last):
        gx, gy = pairs[p, 0], pairs[p, 1]
        nx = x_packed.node_ptr[gx + 1] - x_packed.node_ptr[gx]
        ny = y_packed.node_ptr[gy + 1] - y_packed.node_ptr[gy]
        swapped = nx > ny  # branch on the nodes of the smaller graph
        if swapped:
            rows = load_pair(y_packed, gy, x_packed, gx, directed, order, non_negative[p], x, y, need)
        else:
            rows = load_pair(x_packed, gx, y_packed, gy, directed, order, non_negative[p], x, y, need)
        low, high, runner_up, tree_nodes[p] = 0.0, 0.0, 0.0, 0
        if rows > 0:
            norms = squared_norm(x, rows) + squared_norm(y, rows)
            node_costs(x, y, rows, 4.0 * norms + 1.0, tree.linear[0])
            if has_warm:
                start = mapping_ptr[p]
                if swapped:
                    for j in range(ny):
                        inverse[j] = -1
                    for i in range(nx):
                        if warm[start + i] >= 0:
                            inverse[warm[start + i]] = i
                    complete(inverse, 0, ny, x, y, rows, nx, best_columns, tree.fresh)
                else:
                    complete(warm, start, nx, x, y, rows, ny, best_columns, tree.fresh)
            low, high, runner_up, tree_nodes[p] = branch_and_bound(
                x, y, min(nx, ny), max(nx, ny), rows, max_tree_nodes, cutoffs[p] * cutoffs[p], has_warm, negligible_square(norms),
                x_sorted, y_sorted, x_left, y_left, lap, tree, best_columns,
            )  # fmt: skip
        lower[p], upper[p] = interval(low, high)
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
        # What is alike in Y now need not be so when Y has moved: its twins, and its null nodes where X is mapped to some.
        unique = True
        for i in range(nx):
            unique = unique and mappings[at + i] >= 0
        if unique and rows > FEW:
            twin = tree.x_twin if swapped else tree.y_twin
            for j in range(rows):
                unique = unique and (twin[j] == j or twin[j] >= ny)
        if rows < most_rows(x.count, y.count, order):
            # Mappings that leave a node of both unmatched were not tried: none is better, but how much worse?
            runner_up = min(runner_up, high + loosest_bond(x, y, min(nx, ny), max(nx, ny), best_columns))
        second[p] = max(upper[p], np.sqrt(max(runner_up, 0.0))) if unique else upper[p]
