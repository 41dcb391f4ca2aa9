"""The edge program solved from below: primal-dual steps, then multipliers that prove a bound.

The steps are those of the primal-dual hybrid gradient method (Chambolle and Pock 2011) with diagonal preconditioning. They
need not converge: whatever multipliers they end with are made feasible, and one linear assignment turns them into a bound.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.edge_program import EPS
from graphmeans.kernels.jit import inner
from graphmeans.kernels.lap import solve_lap

# How large a step of the multipliers is, in units of the mean profit, relative to one of the meetings.
WEIGHT = 2.0
# Products of edges below this, in units of the space, are worth no step.
NEGLIGIBLE = 1e-150

#: Work of `prove`: feasible multipliers, slack of couples; of meetings the shifted cost, the sizes and the number of the terms
#: in it, and the reduced cost; of units the dual variable and the largest error.
Proof = namedtuple("Proof", "multipliers slack least cost size terms reduced u worst dense")


@inner
def new_proof(program, rows):
    """Workspace for a program and all that it shrinks to."""
    k, c, m, r = len(program.row), len(program.profit), len(program.m), len(program.u)
    return Proof(
        np.empty(m), np.empty(c), np.empty(m), np.empty(k), np.empty(k), np.empty(k), np.empty(k), np.empty(r), np.empty(r),
        np.empty((rows, rows)),
    )  # fmt: skip


@inner
def ascend(program, steps):
    """Improve the iterate of the program (in, out) by so many primal-dual steps."""
    row, col, cost, ptr, slots, profit = program.row, program.col, program.cost, program.ptr, program.slots, program.profit
    one, other, charge = program.charged_first, program.charged_second, program.charge
    x, z, m, w, u, v = program.x, program.z, program.m, program.w, program.u, program.v
    if len(profit) + len(charge) == 0:
        return
    scale = WEIGHT * (np.sum(profit) + np.sum(charge)) / (len(profit) + len(charge))
    if scale < NEGLIGIBLE:  # there is nothing to gain, and steps would be infinite
        return
    # How long a step may be depends on how many terms and constraints a variable is part of.
    x_step, m_step, u_step, v_step = np.full(len(row), 2.0), np.ones(len(m)), np.zeros(len(u)), np.zeros(len(v))
    for c in range(len(profit)):
        for t in range(4):
            m_step[slots[c, t]] += 1.0
    for s in range(len(m)):
        m_step[s] = scale / m_step[s]
    charged, ahead, excess = np.zeros(len(row)), np.empty(len(row)), np.zeros(len(m))
    ptr, row, col = ptr.astype(np.uint64), row.astype(np.uint64), col.astype(np.uint64)  # no index counts from the end
    nexts = ptr[1:]
    for c in range(len(charge)):
        x_step[one[c]] += 1.0
        x_step[other[c]] += 1.0
        charged[one[c]] += w[c]
        charged[other[c]] += w[c]
    for k in range(len(row)):
        x_step[k] = 1.0 / (scale * (x_step[k] + (nexts[k] - ptr[k])))
        u_step[row[k]] += 1.0
        v_step[col[k]] += 1.0
    for a in range(len(u)):
        u_step[a] = scale / max(1.0, u_step[a])
    for b in range(len(v)):
        v_step[b] = scale / max(1.0, v_step[b])
    z_step, w_step = 0.25 / scale, 0.5 * scale
    u_left, v_left = np.empty(len(u)), np.empty(len(v))
    for _ in range(steps):
        for a in range(len(u)):
            u_left[a] = program.row_size[a]
        for b in range(len(v)):
            v_left[b] = program.col_size[b]
        for s in range(len(m)):  # the multipliers of the step before
            m[s] = max(0.0, m[s] + m_step[s] * excess[s])
        for k in range(len(row)):
            slope = cost[k] + charged[k] - u[row[k]] - v[col[k]]
            for s in range(ptr[k], nexts[k]):
                slope -= m[s]
            new = max(0.0, x[k] - x_step[k] * slope)
            bar = 2.0 * new - x[k]
            x[k], ahead[k], charged[k] = new, bar, 0.0
            u_left[row[k]] -= bar
            v_left[col[k]] -= bar
            for s in range(ptr[k], nexts[k]):
                excess[s] = -bar
        for a in range(len(u)):
            u[a] += u_step[a] * u_left[a]
        for b in range(len(v)):
            v[b] += v_step[b] * v_left[b]
        for c in range(len(profit)):
            s0, s1, s2, s3 = slots[c, 0], slots[c, 1], slots[c, 2], slots[c, 3]
            new = max(0.0, z[c] + z_step * (profit[c] - m[s0] - m[s1] - m[s2] - m[s3]))
            bar = 2.0 * new - z[c]
            z[c] = new
            excess[s0] += bar
            excess[s1] += bar
            excess[s2] += bar
            excess[s3] += bar
        for c in range(len(charge)):
            w[c] = min(charge[c], max(0.0, w[c] + w_step * (ahead[one[c]] + ahead[other[c]] - 1.0)))
            charged[one[c]] += w[c]
            charged[other[c]] += w[c]
    for s in range(len(m)):
        m[s] = max(0.0, m[s] + m_step[s] * excess[s])


@inner
def make_feasible(program, multipliers, slack, least):
    """multipliers (out): those of the program, changed as little as makes every couple pay for itself.

    The four multipliers of a couple must sum to its profit at least; then no couple is worth having, and the rest of the
    program is one assignment. What is missing is added; what all couples of a constraint can spare is taken off again.
    slack (out): what the multipliers of a couple sum to beyond its profit. least (work).
    """
    slots, profit = program.slots, program.profit
    for s in range(len(program.m)):
        multipliers[s] = program.m[s]
    for c in range(len(profit)):
        paid = multipliers[slots[c, 0]] + multipliers[slots[c, 1]] + multipliers[slots[c, 2]] + multipliers[slots[c, 3]]
        if paid < profit[c]:
            for t in range(4):
                multipliers[slots[c, t]] += 0.25 * (profit[c] - paid)
    for c in range(len(profit)):
        paid = multipliers[slots[c, 0]] + multipliers[slots[c, 1]] + multipliers[slots[c, 2]] + multipliers[slots[c, 3]]
        slack[c] = paid - profit[c] - 16.0 * EPS * paid
    for t in range(4):  # a constraint is always in the same one of the four slots
        for s in range(len(program.m)):
            least[s] = np.inf
        for c in range(len(profit)):
            s = slots[c, t]
            least[s] = min(least[s], slack[c])
        for c in range(len(profit)):
            s = slots[c, t]
            slack[c] -= max(0.0, min(least[s], multipliers[s]))
        for s in range(len(program.m)):
            if least[s] < np.inf:
                multipliers[s] -= max(0.0, min(least[s], multipliers[s]))


@inner
def shift_costs(program, dv, proof):
    """proof.cost (out): node costs less all multipliers of the meeting, plus its charges; proof.size, proof.terms (out).

    Returns what the charges take off the bound.
    """
    multipliers, cost, size, terms = proof.multipliers, proof.cost, proof.size, proof.terms
    for k in range(len(program.row)):
        paid = 0.0
        for s in range(program.ptr[k], program.ptr[k + 1]):
            paid += multipliers[s]
        cost[k] = program.cost[k] - paid
        size[k] = program.cost[k] + paid
        terms[k] = dv + 4.0 + program.ptr[k + 1] - program.ptr[k]
    paid = 0.0
    for c in range(len(program.charge)):
        w = program.w[c]
        paid += w
        for k in (program.charged_first[c], program.charged_second[c]):
            cost[k] += w
            size[k] += w
            terms[k] += 1.0
    return paid


@inner
def prove(program, rows, dv, proof, lap):
    """What the multipliers of the program prove, without the constant |edges|^2: (bound, what rounding may have added).

    By weak duality, whatever the multipliers are: with shifted costs s and any v, every permutation costs at least the sum
    of all v and, for each row, of the least s - v. Infinite if no permutation is left. proof.reduced (out): how much more it
    costs at least to use a meeting; proof.slack (out): the same of a couple, beside its two meetings. lap (out): the assignment.
    """
    row, col, col_start, col_size = program.row, program.col, program.col_start, program.col_size
    cost, reduced, u, worst, dense, v = proof.cost, proof.reduced, proof.u, proof.worst, proof.dense, lap.v
    make_feasible(program, proof.multipliers, proof.slack, proof.least)
    paid = shift_costs(program, dv, proof)
    highest = 0.0
    for k in range(len(row)):
        highest = max(highest, abs(cost[k]))
    forbidden = 4.0 * (rows + 1) * highest if highest > 0.0 else 1.0  # more than any assignment without it costs
    for i in range(rows):
        for j in range(rows):
            dense[i, j] = forbidden
    for k in range(len(row)):
        a, b = row[k], col[k]
        for i in range(program.row_start[a], program.row_start[a] + program.row_size[a]):
            for j in range(col_start[b], col_start[b] + col_size[b]):
                dense[i, j] = cost[k]
    solve_lap(dense, rows, lap)
    for i in range(rows):
        if dense[i, lap.col_of_row[i]] == forbidden:
            return np.inf, 0.0
    for a in range(len(u)):
        u[a] = np.inf
        worst[a] = 0.0
    for k in range(len(row)):
        a, b = row[k], col_start[col[k]]
        most = v[b]
        for j in range(b, b + col_size[col[k]]):
            most = max(most, v[j])
        reduced[k] = cost[k] - most
        u[a] = min(u[a], reduced[k])
        worst[a] = max(worst[a], proof.terms[k] * proof.size[k] + abs(most))
    bound, error = -paid, len(program.charge) * paid
    for a in range(len(u)):
        if program.row_size[a] > 0:
            bound += program.row_size[a] * u[a]
            error += program.row_size[a] * (worst[a] + 2.0 * (rows + 2) * abs(u[a]))
    for j in range(rows):
        bound += v[j]
        error += 2.0 * (rows + 2) * abs(v[j])
    for k in range(len(row)):
        reduced[k] -= u[row[k]]
    return bound, EPS * error
