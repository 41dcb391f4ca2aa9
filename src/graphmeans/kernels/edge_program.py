"""The edge program of a pair: which nodes may meet, and what edges gain or cost when they are laid on each other.

With node costs c_ip = |x_i - y_p|^2 (null nodes are zero), x_ip = 1 where node i of X meets node p of Y, and a couple z for
every edge ij of X, every edge pq of Y and both ways of laying one on the other,

    D^2 = |edges of X|^2 + |edges of Y|^2 + min sum_ip c_ip x_ip - sum_couples 4 <x_ij, y_pq> z
    sum_q z_(ij->pq) <= x_ip    for each edge ij, its end i, each node p, and for its other end
    sum_j z_(ij->pq) <= x_ip    for each edge pq, its end p, each node i, and for its other end
    z >= x_ip + x_jq - 1        where <x_ij, y_pq> < 0: there the couple is a charge

over all permutations x that keep roles. Null nodes of one role are all alike and make up one unit of the program.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner

#: The distance from 1 to the next float.
EPS = 2.0**-52

#: Meetings (row, col, cost) of units, and the constraints of each (from ptr[k] on); couples (first and second meeting, profit,
#: and in `slots` the four constraints that they are part of); charges; where the rows and columns of each unit begin and how
#: many they are. Then the iterate of the solver: x of meetings, z of couples, multipliers m of constraints and w of charges,
#: u and v of units.
Program = namedtuple(
    "Program",
    "row col cost ptr first second profit slots charged_first charged_second charge "
    "row_start row_size col_start col_size x z m w u v",
)


@inner
def list_edges(side, n):
    """The edges of a graph of n real nodes, each once: (edges, 2)."""
    degree, neighbour = side.degree, side.neighbour
    count = 0
    for i in range(n):
        count += degree[i]
    ends = np.empty((count // 2, 2), np.int64)
    count = 0
    for i in range(n):
        for t in range(degree[i]):
            j = neighbour[i, t]
            if i < j:
                ends[count, 0], ends[count, 1] = i, j
                count += 1
    return ends


@inner
def count_couples(x, y, nx, ny, rows, n_roles):
    """In how many ways an edge of X can be laid on an edge of Y so that the roles of their ends agree."""
    row_of, table = np.zeros(n_roles, np.int64), np.zeros((rows, rows), np.int64)
    for i in range(rows):
        row_of[x.roles[i]] = i
    for i in range(nx):
        for t in range(x.degree[i]):
            table[row_of[x.roles[i]], row_of[x.roles[x.neighbour[i, t]]]] += 1
    count = 0
    for p in range(ny):
        for t in range(y.degree[p]):
            count += table[row_of[y.roles[p]], row_of[y.roles[y.neighbour[p, t]]]]
    return count // 2  # each is seen from both ends of the edge of X, and from both ends of the edge of Y, in one way each


@inner
def find_units(side, n, rows, n_roles):
    """Where the rows of each unit begin, and how many they are: real nodes are units by themselves, null nodes one a role."""
    start, size = np.zeros(n + n_roles, np.int64), np.zeros(n + n_roles, np.int64)
    for i in range(rows - 1, -1, -1):
        unit = i if i < n else n + side.roles[i]
        start[unit] = i
        size[unit] += 1
    return start, size


@inner
def constraint(ids, edge, end, node, meeting, host, count):
    """The number of a constraint, which is made when it is first asked for; and how many there are then."""
    if ids[edge, end, node] < 0:
        ids[edge, end, node] = count
        host[count] = meeting
        count += 1
    return ids[edge, end, node], count


@inner
def group_by_host(host, count):
    """Where the constraints of each of `count` meetings begin if they are sorted by meeting, and the new number of each."""
    ptr, place = np.zeros(count + 1, np.int64), np.empty(len(host), np.int64)
    for s in range(len(host)):
        ptr[host[s] + 1] += 1
    for k in range(count):
        ptr[k + 1] += ptr[k]
    at = ptr.copy()
    for s in range(len(host)):
        place[s] = at[host[s]]
        at[host[s]] += 1
    return ptr, place


@inner
def may_meet(allowed, row, row_size, col, col_size):
    """Whether any row of a unit may meet any column of another."""
    for i in range(row, row + row_size):
        for j in range(col, col + col_size):
            if allowed[i, j]:
                return True
    return False


@inner
def build_program(x, y, nx, ny, rows, need, linear, most, allowed):
    """The program of a dense pair with node costs `linear`; `most` (in) is the number of its couples, at most.

    Rows and columns that are not `allowed` (in) to meet do not. Profits are rounded up and charges down, so the program is
    never dearer than the pair.
    """
    row_start, row_size = find_units(x, nx, rows, len(need))
    col_start, col_size = find_units(y, ny, rows, len(need))
    index = np.full((len(row_size), len(col_size)), -1, np.int64)
    count = 0
    for a in range(len(row_size)):
        for b in range(len(col_size)):
            if row_size[a] == 0 or col_size[b] == 0 or x.roles[row_start[a]] != y.roles[col_start[b]]:
                continue
            if may_meet(allowed, row_start[a], row_size[a], col_start[b], col_size[b]):
                index[a, b] = count
                count += 1
    row, col, cost, start = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count), np.empty(count)
    for a in range(len(row_size)):
        for b in range(len(col_size)):
            k = index[a, b]
            if k >= 0:
                row[k], col[k], cost[k] = a, b, linear[row_start[a], col_start[b]]
                start[k] = row_size[a] * col_size[b] / need[x.roles[row_start[a]]]
    x_ends, y_ends = list_edges(x, nx), list_edges(y, ny)
    x_ids, y_ids = np.full((len(x_ends), 2, ny), -1, np.int64), np.full((len(y_ends), 2, nx), -1, np.int64)
    host = np.empty(2 * (len(x_ends) * ny + len(y_ends) * nx), np.int64)
    first, second, profit = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most)
    slots = np.empty((most, 4), np.uint32)  # unsigned: numba need not ask whether an index counts from the end
    charged_first, charged_second, charge = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most)
    n_couples, n_charges, n_constraints = 0, 0, 0
    x_edges, y_edges, channels = x.edges, y.edges, x.edges.shape[2]
    for e in range(len(x_ends)):
        i, j = x_ends[e, 0], x_ends[e, 1]
        for f in range(len(y_ends)):
            for turn in range(2):
                p, q = y_ends[f, turn], y_ends[f, 1 - turn]
                one, other = index[i, p], index[j, q]
                if one < 0 or other < 0:
                    continue
                product, size = 0.0, 0.0
                for c in range(channels):
                    term = x_edges[i, j, c] * y_edges[p, q, c]
                    product += term
                    size += abs(term)
                product = 4.0 * (product + (channels + 4) * EPS * size)
                if product > 0.0:
                    first[n_couples], second[n_couples], profit[n_couples] = one, other, product
                    slots[n_couples, 0], n_constraints = constraint(x_ids, e, 0, p, one, host, n_constraints)
                    slots[n_couples, 1], n_constraints = constraint(x_ids, e, 1, q, other, host, n_constraints)
                    slots[n_couples, 2 + turn], n_constraints = constraint(y_ids, f, turn, i, one, host, n_constraints)
                    slots[n_couples, 3 - turn], n_constraints = constraint(y_ids, f, 1 - turn, j, other, host, n_constraints)
                    n_couples += 1
                elif product < 0.0:
                    charged_first[n_charges], charged_second[n_charges], charge[n_charges] = one, other, -product
                    n_charges += 1
    ptr, place = group_by_host(host[:n_constraints], count)
    multipliers = np.zeros(n_constraints)
    for c in range(n_couples):
        for t in range(4):
            slots[c, t] = place[slots[c, t]]
            multipliers[slots[c, t]] = max(multipliers[slots[c, t]], 0.25 * profit[c])
    return Program(
        row, col, cost, ptr, first[:n_couples].copy(), second[:n_couples].copy(), profit[:n_couples].copy(),
        slots[:n_couples].copy(),
        charged_first[:n_charges].copy(), charged_second[:n_charges].copy(), charge[:n_charges].copy(),
        row_start, row_size, col_start, col_size,
        start, np.zeros(n_couples), multipliers, np.zeros(n_charges), np.zeros(len(row_size)), np.zeros(len(col_size)),
    )  # fmt: skip


@inner
def shrink(old, keep, keep_couple):
    """The program without the meetings and couples that are not kept; it inherits the iterate."""
    place = np.full(len(old.row), -1, np.int64)
    count = 0
    for k in range(len(old.row)):
        if keep[k]:
            place[k] = count
            count += 1
    row, col, cost, x = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count), np.empty(count)
    for k in range(len(old.row)):
        at = place[k]
        if at >= 0:
            row[at], col[at], cost[at], x[at] = old.row[k], old.col[k], old.cost[k], old.x[k]
    n_couples, used = 0, np.zeros(len(old.m), np.bool_)
    for c in range(len(old.profit)):
        if keep_couple[c] and keep[old.first[c]] and keep[old.second[c]]:
            n_couples += 1
            for t in range(4):
                used[old.slots[c, t]] = True
    renumbered, m, ptr = np.empty(len(old.m), np.uint32), np.empty(len(old.m)), np.zeros(count + 1, np.int64)
    n_constraints = 0
    for k in range(len(old.row)):
        for s in range(old.ptr[k], old.ptr[k + 1]):
            if used[s]:
                renumbered[s] = n_constraints
                m[n_constraints] = old.m[s]
                n_constraints += 1
        if place[k] >= 0:
            ptr[place[k] + 1] = n_constraints
    first, second, slots = np.empty(n_couples, np.int64), np.empty(n_couples, np.int64), np.empty((n_couples, 4), np.uint32)
    profit, z = np.empty(n_couples), np.empty(n_couples)
    at = 0
    for c in range(len(old.profit)):
        if not (keep_couple[c] and keep[old.first[c]] and keep[old.second[c]]):
            continue
        first[at], second[at], profit[at], z[at] = place[old.first[c]], place[old.second[c]], old.profit[c], old.z[c]
        for t in range(4):
            slots[at, t] = renumbered[old.slots[c, t]]
        at += 1
    charged_first, charged_second = old.charged_first.copy(), old.charged_second.copy()
    charge, w = old.charge.copy(), old.w.copy()
    at = 0
    for c in range(len(old.charge)):
        one, other = place[old.charged_first[c]], place[old.charged_second[c]]
        if one >= 0 and other >= 0:
            charged_first[at], charged_second[at], charge[at], w[at] = one, other, old.charge[c], old.w[c]
            at += 1
    return Program(
        row, col, cost, ptr, first, second, profit, slots,
        charged_first[:at].copy(), charged_second[:at].copy(), charge[:at].copy(),
        old.row_start, old.row_size, old.col_start, old.col_size,
        x, z, m[:n_constraints].copy(), w[:at].copy(), old.u.copy(), old.v.copy(),
    )  # fmt: skip
