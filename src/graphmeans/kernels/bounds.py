"""Lower bounds of many pairs: sorted-row assignment, Gilmore-Lawler, dual ascent. Each contains the one before it."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import lap_rounding, new_lap, solve_lap
from graphmeans.kernels.pair import interval, load_pair, new_side, node_costs, permutation_cost, squared_norm
from graphmeans.kernels.root import new_root, root_bound

# Which bound `bound_pairs` computes.
SORTED_ROWS, GILMORE_LAWLER, DUAL_ASCENT = 0, 1, 2
# Dual ascent stops after this many rounds in a row that each raise the bound by less than this share of it.
STALLED, PATIENCE = 1e-5, 3

#: The entries of one row that its assignment needs: which, of what role, and how many of each role.
Slots = namedtuple("Slots", "nodes roles wanted have")


@inner
def new_slots(size, n_roles):
    """Workspace for rows of at most `size` entries."""
    return Slots(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(n_roles, np.int64), np.empty(n_roles, np.int64)
    )


@inner
def count_roles(side, i, slots):
    """slots.have (out): the edges of row i by the role of their other end."""
    for r in range(len(slots.have)):
        slots.have[r] = 0
    for t in range(side.degree[i]):
        slots.have[side.roles[side.neighbour[i, t]]] += 1


@inner
def fill_slots(side, i, wanted, slots):
    """slots (out): the edges of row i, then zeros (entry i itself is one) up to `wanted` of each role; their number."""
    count = 0
    for t in range(side.degree[i]):
        slots.nodes[count] = side.neighbour[i, t]
        slots.roles[count] = side.roles[side.neighbour[i, t]]
        count += 1
    for r in range(len(wanted)):
        for _ in range(wanted[r] - slots.have[r]):
            slots.nodes[count] = i
            slots.roles[count] = r
            count += 1
    return count


@inner
def squared_difference(x, y, i, p, j, q):
    """|x_ip - y_jq|^2."""
    total = 0.0
    for c in range(x.edges.shape[2]):
        difference = x.edges[i, p, c] - y.edges[j, q, c]
        total += difference * difference
    return total


@inner
def gilmore_lawler(linear, x, y, need, rows, non_negative, forbidden, leader, cost, x_slots, y_slots, lap):
    """A lower bound of D^2, with `linear` (in) the node costs and `need` (in) the rows of each role.

    leader (out): node costs plus the least |row i of X - row j of Y|^2 over all assignments of their entries. Zeros meet
    for nothing, so an assignment is as large as its edges ask for, not as the graph: for each role it needs as many
    entries as two graphs with that many nodes need rows.
    """
    wanted = x_slots.wanted
    rounding = 0.0  # of the worst of the assignments that go into `leader`
    for i in range(rows):
        count_roles(x, i, x_slots)
        for j in range(rows):
            leader[i, j] = linear[i, j]
            if x.roles[i] != y.roles[j] or x.degree[i] + y.degree[j] == 0:
                continue
            count_roles(y, j, y_slots)
            for r in range(len(need)):
                places = need[r] - 1 if r == x.roles[i] else need[r]
                a, b = x_slots.have[r], y_slots.have[r]
                wanted[r] = max(a, b) if non_negative else min(places, a + b)
            fill_slots(x, i, wanted, x_slots)
            q = fill_slots(y, j, wanted, y_slots)
            for a in range(q):
                for b in range(q):
                    if x_slots.roles[a] != y_slots.roles[b]:
                        cost[a, b] = forbidden
                    else:
                        cost[a, b] = squared_difference(x, y, i, x_slots.nodes[a], j, y_slots.nodes[b])
            leader[i, j] += solve_lap(cost, q, lap)
            rounding = max(rounding, lap_rounding(q, lap))
    value = solve_lap(leader, rows, lap)
    return value - lap_rounding(rows, lap) - rows * rounding


@inner
def assign_others(products, leader, allowed, i, j, rows, fetch, room, forbidden, cost, lap):
    """Solve the assignment of all others, given that i meets j, and move its value into leader[i, j] (in, out).

    If `fetch`, what the same products still cost from their other end is fetched first. products (in, out) keeps the
    reduced costs; what would cost more than `room` is `forbidden` from then on. Returns what rounding may have added.
    """
    here = products[i, j]
    for p in range(rows):
        if p == i:
            continue
        a = p - 1 if p > i else p
        for q in range(rows):
            if q == j:
                continue
            b = q - 1 if q > j else q
            cost[a, b] = forbidden
            if allowed[p, q]:
                total = here[p, q]
                if fetch:
                    total += products[p, q, i, j]
                    products[p, q, i, j] = 0.0
                cost[a, b] = min(total, forbidden)
    leader[i, j] += solve_lap(cost, rows - 1, lap)
    left = room - leader[i, j]
    for p in range(rows):
        if p == i:
            continue
        a = p - 1 if p > i else p
        for q in range(rows):
            if q == j:
                continue
            b = q - 1 if q > j else q
            reduced = max(cost[a, b] - lap.u[a] - lap.v[b], 0.0)
            here[p, q] = forbidden if cost[a, b] == forbidden or reduced > left else reduced
    return lap_rounding(rows - 1, lap)


@inner
def dual_ascent(linear, x, y, rows, rounds, upper, forbidden, products, leader, allowed, cost, lap):
    """A lower bound of D^2, with `linear` (in) the node costs: Hahn and Grant's dual ascent.

    products (work) (rows, rows, rows, rows): what "i meets j and p meets q" still costs. leader (work): what "i meets
    j" still costs. Every step moves cost from one to the other, or into the bound, without changing the cost of any
    permutation; nothing becomes negative, so what is in the bound has been paid by all of them. Round 0, without
    exchange between the two ends of a product, is Gilmore-Lawler.

    upper (in) is D^2 of some permutation, or infinite. What can only be part of dearer ones (leaders and products whose
    cost and the bound exceed it) is forbidden: that spares work and raises the bound further. `forbidden` must be more
    than 8 (|X|^2 + |Y|^2), which no sum of what is not forbidden reaches.
    """
    if rows == 1:
        return linear[0, 0]
    for i in range(rows):
        for j in range(rows):
            leader[i, j] = linear[i, j]
            allowed[i, j] = x.roles[i] == y.roles[j]
            for p in range(rows):
                for q in range(rows):
                    products[i, j, p, q] = squared_difference(x, y, i, p, j, q)
    bound = 0.0
    rounding = 0.0
    idle = 0
    for t in range(rounds + 1):
        worst = 0.0
        # Forwards and backwards in turn: who comes first gets most, and always the same way the ascent gets stuck early.
        for step in range(rows * rows):
            at = step if t % 2 == 0 else rows * rows - 1 - step
            i, j = at // rows, at % rows
            if allowed[i, j]:
                added = assign_others(
                    products, leader, allowed, i, j, rows, t > 0, upper - bound + rounding, forbidden, cost, lap
                )
                worst = max(worst, added)
        for i in range(rows):
            for j in range(rows):
                if not allowed[i, j]:
                    leader[i, j] = forbidden
        gain = solve_lap(leader, rows, lap)
        bound += gain
        rounding += lap_rounding(rows, lap) + rows * worst
        if bound < upper:
            upper = min(upper, permutation_cost(linear, x, y, rows, lap.col_of_row))
        if bound - rounding >= upper * (1.0 - 1e-12):
            return upper
        idle = idle + 1 if gain <= STALLED * bound else 0
        if idle == PATIENCE:
            break
        # Spread what is left in the leaders evenly over what they lead.
        for i in range(rows):
            for j in range(rows):
                left = max(leader[i, j] - lap.u[i] - lap.v[j], 0.0)
                allowed[i, j] = allowed[i, j] and bound + left - rounding <= upper
                if allowed[i, j]:
                    leader[i, j] = 0.0
                    left /= rows - 1
                    for p in range(rows):
                        for q in range(rows):
                            products[i, j, p, q] += left
    return bound - rounding


@kernel
def bound_pairs(
    x_packed, y_packed, directed, order, non_negative, pairs, first, last, size, level, rounds, upper, lower
):
    """Bound pairs[first:last] from below; `size` is the most rows any of them needs. lower (out), one a pair.

    level: SORTED_ROWS, GILMORE_LAWLER or DUAL_ASCENT; the last takes this many rounds and known upper bounds (in).
    """
    dv, channels, n_roles = x_packed.nodes.shape[1], x_packed.values.shape[1], len(order)
    x, y = new_side(size, dv, channels, n_roles), new_side(size, dv, channels, n_roles)
    lap, root, need = new_lap(size), new_root(size, channels), np.empty(n_roles, np.int64)
    x_slots, y_slots = new_slots(size, n_roles), new_slots(size, n_roles)
    linear, allowed = np.empty((size, size)), np.empty((size, size), np.bool_)
    store = np.empty(size**4 if level == DUAL_ASCENT else 0)
    for p in range(first, last):
        lower[p] = 0.0
        rows = load_pair(x_packed, pairs[p, 0], y_packed, pairs[p, 1], directed, order, non_negative[p], x, y, need)
        if rows == 0:
            continue
        norms = squared_norm(x, rows) + squared_norm(y, rows)
        forbidden = 4.0 * norms  # more than any permutation costs, and no larger: that would lose digits
        node_costs(x, y, rows, forbidden, linear)
        if level == SORTED_ROWS:
            bound = root_bound(linear, x, y, rows, root, lap)
        elif level == GILMORE_LAWLER:
            bound = gilmore_lawler(
                linear, x, y, need, rows, non_negative[p], forbidden, root.term, root.cost, x_slots, y_slots, lap
            )
        else:
            products = store[: rows**4].reshape((rows, rows, rows, rows))
            bound = dual_ascent(
                linear, x, y, rows, rounds, upper[p] * upper[p], 16.0 * norms, products, root.term, allowed, root.cost, lap
            )
        lower[p], _ = interval(bound, np.inf)
