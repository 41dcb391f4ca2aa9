"""Branch and bound on the edge program, for many pairs in one call.

A node of the tree is a program with fewer meetings. It takes some rounds of steps, each of which ends with a proven bound, a
mapping, and meetings and couples that cannot be part of anything better and are dropped. What is then still open is branched:
the meetings of one node of X, or of one of Y, are fixed one after the other. Children inherit the multipliers.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.edge_ascent import ascend, new_proof, prove
from graphmeans.kernels.edge_program import EPS, build_program, count_couples, shrink
from graphmeans.kernels.edge_step import distance_step, raised
from graphmeans.kernels.exact import RELATIVE, find_twins, negligible_square
from graphmeans.kernels.exchange import edge_tolerance, exchange_descent
from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.lap import lap_rounding, new_lap
from graphmeans.kernels.pair import complete, interval, load_pair, new_side, node_costs, permutation_cost, squared_norm
from graphmeans.kernels.root import new_root, root_bound

# Most rounds of the root, and of any other node of the tree.
ROOT_ROUNDS, NODE_ROUNDS = 40, 6
# A round is idle if so many like it would not close the node, which is branched after this many idle rounds.
PATIENCE, IDLE_ROUNDS = 8.0, 1
# The same where nothing is branched and only the bound counts.
BOUND_PATIENCE, IDLE_BOUND_ROUNDS = 1000.0, 4
# The program is made anew when this share of it has been dropped.
DROPPED = 0.2
# Where charges are this many times more than profits the program is left alone.
MANY_CHARGES = 4
# What rounding makes of squared distances that move in steps, relative to |X|^2 + |Y|^2.
LEEWAY = 2e-13

#: One pair: the dense graphs, node costs, |edges|^2 and its error, the step of D^2 and its error, the tolerance of exchanges,
#: what is not worth proving, and what is too far.
Pair = namedtuple("Pair", "x y nx ny rows dv linear constant error step leeway tolerance negligible cutoff x_twin y_twin")
#: What is known: the best mapping and the one last tried; numbers[BEST], numbers[MISSED], numbers[ROUNDS].
Known = namedtuple("Known", "columns tried fresh numbers")
#: An open node of the tree: its program; the unit whose meetings are fixed one after the other, whether it is one of X, and how
#: many of its meetings (by bound) are done. The root has the unit -1 and one meeting, -1, that fixes nothing.
Node = namedtuple("Node", "program of_row unit meetings bounds done")

# The squared distance of the best mapping; the least bound of what has been left out; the rounds spent.
BEST, MISSED, ROUNDS = 0, 1, 2


@inner
def target_of(pair, known):
    """A node with this bound or more is closed: nothing in it is better than the best mapping, or below the cutoff."""
    best = known.numbers[BEST]
    if best > pair.cutoff:
        return pair.cutoff * (1.0 - RELATIVE)
    target = best * (1.0 - RELATIVE) - pair.negligible
    if pair.step > 0.0:
        target = min(target, best - pair.step * (1.0 - 1e-9) + 4.0 * pair.leeway)
    return target


@inner
def leave_out(bound, pair, known):
    """Note that something with this lower bound is not looked at any more."""
    known.numbers[MISSED] = min(known.numbers[MISSED], raised(bound, known.numbers[BEST], pair.step, pair.leeway))


@inner
def try_mapping(pair, known, lap):
    """Let the assignment of the last bound descend by exchanges, unless it is the one tried before; keep what is better."""
    rows, tried, fresh, columns = pair.rows, known.tried, known.fresh, known.columns
    new = False
    for i in range(rows):
        new = new or tried[i] != lap.col_of_row[i]
        tried[i] = lap.col_of_row[i]
        fresh[i] = True
    if not new:
        return
    exchange_descent(pair.linear, pair.x, pair.y, pair.nx, pair.ny, rows, tried, fresh, pair.tolerance)
    value = permutation_cost(pair.linear, pair.x, pair.y, rows, tried)
    if value < known.numbers[BEST]:
        known.numbers[BEST] = value
        for i in range(rows):
            columns[i] = tried[i]
    for i in range(rows):
        tried[i] = lap.col_of_row[i]


@inner
def drop(program, value, bound, target, pair, known, proof, keep, keep_couple):
    """keep, keep_couple (out): the meetings and couples that may be part of something below the target; the number of others.

    value (in) is the bound of the program, bound (in) the same with all that rounding may have added taken off.
    """
    reduced, dropped = proof.reduced, 0
    for k in range(len(program.row)):
        keep[k] = value + reduced[k] < target
        if not keep[k]:
            dropped += 1
            leave_out(bound + reduced[k], pair, known)
    for c in range(len(program.profit)):
        one, other = program.first[c], program.second[c]
        more = reduced[one] + reduced[other] + max(0.0, proof.slack[c])
        keep_couple[c] = keep[one] and keep[other] and value + more < target
        if not keep_couple[c]:
            dropped += 1
            if keep[one] and keep[other]:
                leave_out(bound + more, pair, known)
    return dropped


@inner
def improve(
    program, bound, most, steps, patience, idle_rounds, max_rounds, bound_only, pair, known, proof, lap, keep, keep_couple
):
    """Rounds of one node: (what is left of its program, its bound, whether it is closed, what the last round proved).

    With `bound_only` no mapping is looked for once the bound is beyond the cutoff. proof.reduced, keep and keep_couple (out)
    belong to the program returned.
    """
    last, idle, here = -np.inf, 0, -np.inf
    for number in range(most):
        ascend(program, steps)
        value, error = prove(program, pair.rows, pair.dv, proof, lap)
        known.numbers[ROUNDS] += 1
        value += pair.constant
        here = value - error - pair.error
        bound = max(bound, here, 0.0)
        beyond = bound_only and bound >= pair.cutoff * (1.0 - RELATIVE)
        if value < known.numbers[BEST] and not beyond:
            try_mapping(pair, known, lap)
        target = target_of(pair, known)
        if pair.step > 0.0:
            value = here
        if max(value, bound) >= target:
            leave_out(bound, pair, known)
            return program, bound, True, here
        dropped = drop(program, value, here, target, pair, known, proof, keep, keep_couple)
        idle = idle + 1 if number > 0 and patience * (value - last) < target - value else 0
        last = max(last, value)
        if idle == idle_rounds or number == most - 1 or known.numbers[ROUNDS] >= max_rounds:
            break
        if dropped > DROPPED * (len(program.row) + len(program.profit)):
            program = shrink(program, keep, keep_couple)
    return program, bound, False, here


@inner
def choose_unit(program, keep, pair):
    """The node of X or of Y that may meet the fewest others, but more than one: (whether it is of X, which); -1 if none."""
    by_row, by_col = np.zeros(len(program.u), np.int64), np.zeros(len(program.v), np.int64)
    for k in range(len(program.row)):
        if keep[k]:
            by_row[program.row[k]] += 1
            by_col[program.col[k]] += 1
    of_row, unit, fewest = True, -1, len(program.row) + 1
    for a in range(pair.nx):
        if 1 < by_row[a] < fewest:
            of_row, unit, fewest = True, a, by_row[a]
    for b in range(pair.ny):
        if 1 < by_col[b] < fewest:
            of_row, unit, fewest = False, b, by_col[b]
    return of_row, unit


@inner
def branch(program, of_row, unit, bound, here, proof, keep, keep_couple):
    """An open node: the program without what was dropped, and the meetings of the unit by their bounds."""
    meetings, bounds = np.empty(len(program.row), np.int64), np.empty(len(program.row))
    count, place = 0, 0
    for k in range(len(program.row)):
        if not keep[k]:
            continue
        if (program.row[k] if of_row else program.col[k]) == unit:
            value = max(bound, here + proof.reduced[k])
            at = count
            while at > 0 and bounds[at - 1] > value:
                meetings[at], bounds[at] = meetings[at - 1], bounds[at - 1]
                at -= 1
            meetings[at], bounds[at] = place, value
            count += 1
        place += 1
    return Node(
        shrink(program, keep, keep_couple), of_row, unit, meetings[:count].copy(), bounds[:count].copy(), np.zeros(1, np.int64)
    )


@inner
def is_twin_of_earlier(node, t, pair):
    """Whether meeting t of a node differs from an earlier one by an exchange of two nodes that nothing tells apart."""
    program = node.program
    units, twin, real = (program.col, pair.y_twin, pair.ny) if node.of_row else (program.row, pair.x_twin, pair.nx)
    if t == 0 or units[node.meetings[t]] >= real:
        return False
    this = units[node.meetings[t]]
    for s in range(t):
        other = units[node.meetings[s]]
        if other < real and twin[other] == twin[this]:
            return True
    return False


@inner
def fix(node, t, pair, keep, keep_couple):
    """The program of a node with its meeting t fixed: keep, keep_couple (work).

    Twins of the unit that is branched do not meet what it met in earlier children: that would be one of those again.
    """
    program, fixed = node.program, node.meetings[t]
    row, col, nx, ny = program.row, program.col, pair.nx, pair.ny
    if fixed < 0:
        return program
    for k in range(len(row)):
        alone = (row[k] < nx and row[k] == row[fixed]) or (col[k] < ny and col[k] == col[fixed])
        keep[k] = k == fixed or not alone
        if not keep[k] or k == fixed or row[k] >= nx or col[k] >= ny:
            continue
        for s in range(t):
            earlier = node.meetings[s]
            if node.of_row:
                again = col[k] == col[earlier] and pair.x_twin[row[k]] == pair.x_twin[node.unit]
            else:
                again = row[k] == row[earlier] and pair.y_twin[col[k]] == pair.y_twin[node.unit]
            if again:
                keep[k] = False
    for c in range(len(program.profit)):
        keep_couple[c] = True
    return shrink(program, keep, keep_couple)


@inner
def search_tree(program, branching, steps, max_rounds, pair, known, lap):
    """Prove or improve the best mapping: a lower bound of D^2. known (in, out).

    The root is branched if what it leaves open is at most this share (`branching`) of what was to be proven; 0: never.
    """
    proof = new_proof(program, pair.rows)
    keep, keep_couple = np.empty(len(program.row), np.bool_), np.empty(len(program.profit), np.bool_)
    stack = [Node(program, True, -1, np.full(1, -1, np.int64), np.full(1, -np.inf), np.zeros(1, np.int64))]
    while len(stack) > 0:
        node = stack[-1]
        t = node.done[0]
        if t == len(node.meetings):
            stack.pop()
            continue
        node.done[0] += 1
        if known.numbers[ROUNDS] >= max_rounds or node.bounds[t] >= target_of(pair, known):
            leave_out(node.bounds[t], pair, known)
            node.done[0] = len(node.meetings)  # the others have larger bounds
            continue
        if is_twin_of_earlier(node, t, pair):
            continue
        at_root = node.unit < 0
        most, patience, idle_rounds = ROOT_ROUNDS if at_root else NODE_ROUNDS, PATIENCE, IDLE_ROUNDS
        if branching == 0.0:
            most, patience, idle_rounds = max_rounds, BOUND_PATIENCE, IDLE_BOUND_ROUNDS
        program, bound, closed, here = improve(
            fix(node, t, pair, keep, keep_couple), node.bounds[t], most, steps, patience, idle_rounds, max_rounds,
            branching == 0.0, pair, known, proof, lap, keep, keep_couple,
        )  # fmt: skip
        if closed:
            continue
        target = target_of(pair, known)
        of_row, unit = choose_unit(program, keep, pair)
        if at_root and target - bound > branching * target:
            leave_out(bound, pair, known)
        elif unit >= 0:
            stack.append(branch(program, of_row, unit, bound, here, proof, keep, keep_couple))
        else:  # one mapping is left, the assignment, and it has been tried
            value = permutation_cost(pair.linear, pair.x, pair.y, pair.rows, lap.col_of_row)
            leave_out(max(bound, min(known.numbers[BEST], value)), pair, known)
    return min(known.numbers[MISSED], known.numbers[BEST])


@inner
def edge_norm(side, rows):
    """The squared norm of all edges, and what rounding may have added to it."""
    total, most = 0.0, 0
    for i in range(rows):
        in_row = 0.0
        for t in range(side.degree[i]):
            j = side.neighbour[i, t]
            for c in range(side.edges.shape[2]):
                in_row += side.edges[i, j, c] * side.edges[i, j, c]
        most = max(most, side.degree[i])
        total += in_row
    return total, EPS * (rows + 2 + most * side.edges.shape[2]) * total


@inner
def screen(linear, x, y, rows, cutoff, root, lap, allowed):
    """allowed (out): which rows may meet which columns in anything nearer than the cutoff, as the assignment of sorted rows
    proves it. Returns the least bound of what is left out, infinite if that is nothing."""
    bound, missed = root_bound(linear, x, y, rows, root, lap), np.inf
    bound -= lap_rounding(rows, lap)
    for i in range(rows):
        for j in range(rows):
            more = bound + max(0.0, root.cost[i, j] - lap.u[i] - lap.v[j])
            allowed[i, j] = more < cutoff
            if not allowed[i, j] and x.roles[i] == y.roles[j]:
                missed = min(missed, more)
    return missed


@kernel
def edge_pairs(
    x_packed, y_packed, directed, order, non_negative, pairs, first, last, size,
    branching, steps, max_rounds, max_couples, screened, cutoffs, has_warm, warm, mapping_ptr, lower, upper, mappings, rounds,
):  # fmt: skip
    """Match pairs[first:last]; outputs as in `exact_pairs`, and the rounds spent on each pair.

    A pair with more couples than max_couples, or where few couples gain something, is left alone: its `rounds` are -1. With
    `screened`, nodes whose meeting is proven to be beyond the cutoff by one assignment are kept apart from the beginning.
    """
    dv, channels, n_roles = x_packed.nodes.shape[1], x_packed.values.shape[1], len(order)
    x, y = new_side(size, dv, channels, n_roles), new_side(size, dv, channels, n_roles)
    lap, need, linear = new_lap(size), np.empty(n_roles, np.int64), np.empty((size, size))
    root, allowed = new_root(size, channels), np.ones((size, size), np.bool_)
    x_twin, y_twin = np.empty(size, np.int64), np.empty(size, np.int64)
    known = Known(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_), np.empty(3))
    for p in range(first, last):
        gx, gy, at = pairs[p, 0], pairs[p, 1], mapping_ptr[p]
        nx = x_packed.node_ptr[gx + 1] - x_packed.node_ptr[gx]
        ny = y_packed.node_ptr[gy + 1] - y_packed.node_ptr[gy]
        rows = load_pair(x_packed, gx, y_packed, gy, directed, order, non_negative[p], x, y, need)
        rounds[p] = -1
        couples = count_couples(x, y, nx, ny, rows, n_roles)
        if couples == 0 or couples > max_couples:
            continue
        norms = squared_norm(x, rows) + squared_norm(y, rows)
        node_costs(x, y, rows, 4.0 * norms + 1.0, linear)
        screening, missed = screened and cutoffs[p] < np.inf, np.inf
        if screening:
            missed = screen(linear, x, y, rows, cutoffs[p] * cutoffs[p] * (1.0 - RELATIVE), root, lap, allowed)
        program = build_program(x, y, nx, ny, rows, need, linear, couples, allowed)
        if MANY_CHARGES * len(program.profit) <= len(program.charge) and not (screening and len(program.charge) == 0):
            continue
        find_twins(x, rows, x_twin)
        find_twins(y, rows, y_twin)
        (x_norm, x_error), (y_norm, y_error) = edge_norm(x, rows), edge_norm(y, rows)
        step, exact = distance_step(x, y, nx, ny, norms)
        pair = Pair(
            x, y, nx, ny, rows, dv, linear, x_norm + y_norm, x_error + y_error, step, 0.0 if exact else LEEWAY * norms,
            edge_tolerance(x, y, rows), negligible_square(norms), cutoffs[p] * cutoffs[p], x_twin, y_twin,
        )  # fmt: skip
        known.numbers[BEST], known.numbers[MISSED], known.numbers[ROUNDS] = np.inf, missed, 0.0
        known.tried[0] = -1
        known.columns[:] = ny  # nothing is mapped yet
        if has_warm:
            complete(warm, at, nx, x, y, rows, ny, known.columns, known.fresh)
            known.numbers[BEST] = permutation_cost(linear, x, y, rows, known.columns)
        bound = search_tree(program, branching, steps, max_rounds, pair, known, lap)
        lower[p], upper[p] = interval(bound, known.numbers[BEST])
        rounds[p] = int(known.numbers[ROUNDS])
        for i in range(nx):
            mappings[at + i] = known.columns[i] if known.columns[i] < ny else -1
