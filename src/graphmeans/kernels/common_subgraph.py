"""The largest connected common subgraph of two graphs: depth-first branch and bound that can be halted and resumed.

A node of the tree is a connected mapping (its *decisions*) with the pairs of nodes that may still be added. The pairs that can
be reached from the mapping, through edges that agree, bound what can be gained: at a pair, no more edges can be common than the
two stars have in common, and every edge has two ends. One reachable pair is then decided: either it is in the mapping, or it is
not. Nothing is allocated per node, and there is no clock: the caller halts after a number of nodes and asks again.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from graphmeans.kernels.jit import inner, kernel

#: A graph: the degree of each node, its neighbors and the codes of the edges to them (rows filled up with anything), and a
#: number that only twins share: nodes with the same label and the same edges to the same neighbors.
Side = namedtuple("Side", "degree near code twin")
#: Where the search is. allowed[u, w]: the pair may still be decided on. into, back: the mapping and its inverse, -1 for none;
#: best: the best mapping so far. us, ws: the decisions; bounds: what was proven at each depth; trail: pairs that were ruled out
#: by decisions, those of depth d from start[d] on. numbers: see below.
State = namedtuple("State", "allowed into back best us ws bounds trail start numbers")
Work = namedtuple("Work", "reach pairs row col rows masks holder queue came")

# What numbers[...] hold: the depth (-1: the search is over), the length of the trail, the best score, the common edges of the
# mapping, and the tree nodes so far.
DEPTH, TRAIL, BEST, FIXED, NODES = 0, 1, 2, 3, 4
# A score is UNIT * (what is maximised) + (what decides between equals).
UNIT = 1 << 24
# Stars are compared on their first edges only where a node has more than these; then the bound is looser.
WIDE = 62


@inner
def new_work(x, y):
    """Workspace of a call."""
    n, m = len(x.degree), len(y.degree)
    wide = max(x.near.shape[1], y.near.shape[1]) + WIDE + 2
    return Work(
        np.zeros((n, m), np.int32), np.zeros(n * m + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(m + 1, np.int64),
        np.zeros(n + 1, np.int64), np.zeros(wide, np.int64), np.zeros(wide, np.int64), np.zeros(wide * wide + n, np.int64),
        np.zeros(wide, np.int64),
    )  # fmt: skip


@inner
def common_edges(x, y, state, u, w):
    """How many edges between u and mapped nodes have their counterpart at w."""
    count = 0
    for a in range(x.degree[u]):
        image = state.into[x.near[u, a]]
        if image >= 0:
            for b in range(y.degree[w]):
                if y.near[w, b] == image and y.code[w, b] == x.code[u, a]:
                    count += 1
    return count


@inner
def spread(x, y, state, work, u, w, mark, last):
    """Mark the pairs of open nodes beside (u, w); they are appended to work.pairs, whose new length is returned."""
    m = len(y.degree)
    for a in range(x.degree[u]):
        v = x.near[u, a]
        if state.into[v] >= 0:
            continue
        for b in range(y.degree[w]):
            z = y.near[w, b]
            if state.back[z] < 0 and state.allowed[v, z] and work.reach[v, z] == 0 and x.code[u, a] == y.code[w, b]:
                work.reach[v, z] = mark
                work.pairs[last] = v * m + z
                last += 1
    return last


@inner
def spread_on(x, y, state, work, mark, first, last):
    """Mark everything that can be reached from work.pairs[first:last]; returns the new length."""
    m = len(y.degree)
    while first < last:
        pair = work.pairs[first]
        first += 1
        last = spread(x, y, state, work, pair // m, pair % m, mark, last)
    return last


@inner
def matching(rows, bits, work):
    """The largest matching of work.masks[:rows] with bits that are set in them, by augmenting paths."""
    masks, holder, queue, came = work.masks, work.holder, work.queue, work.came
    holder[:bits] = -1
    size = 0
    for start in range(rows):
        queue[0] = start
        first, last, end, seen = 0, 1, -1, 0
        while first < last and end < 0:
            row = queue[first]
            first += 1
            for b in range(bits):
                if (masks[row] >> b) & 1 and not (seen >> b) & 1:
                    seen |= 1 << b
                    came[b] = row
                    if holder[b] < 0:
                        end = b
                        break
                    queue[last] = holder[b]
                    last += 1
        if end < 0:
            continue
        size += 1
        while True:
            row, before = came[end], -1
            for b in range(bits):
                if holder[b] == row:
                    before = b
            holder[end] = row
            if before < 0:
                break
            end = before
    return size


@inner
def star(x, y, state, work, u, w, mark, open_only):
    """The most edges at u that can lie on edges at w together; with open_only those to open nodes alone."""
    bits = min(y.degree[w], WIDE)
    rows = greedy = taken = either = 0
    for a in range(x.degree[u]):
        v = x.near[u, a]
        image = state.into[v]
        if image >= 0 and open_only:
            continue
        mask = 0
        for b in range(bits):
            if x.code[u, a] == y.code[w, b]:
                z = y.near[w, b]
                if image == z or (image < 0 and state.back[z] < 0 and work.reach[v, z] == mark):
                    mask |= 1 << b
        if mask:
            work.masks[rows] = mask
            rows += 1
            either |= mask
            free = mask & ~taken
            if free:
                taken |= free & -free
                greedy += 1
    if y.degree[w] > WIDE or rows > WIDE:
        return min(x.degree[u], y.degree[w])
    covered = 0
    while either:
        either &= either - 1
        covered += 1
    most = min(rows, covered)
    return most if greedy == most else matching(rows, bits, work)


@inner
def bound_of(x, y, state, work, begin, end, depth, mark, by_nodes):
    """A bound of every score that adds some of work.pairs[begin:end] to the mapping."""
    m = len(y.degree)
    row, col = work.row, work.col
    row[:] = 0
    col[:] = 0
    for k in range(begin, end):
        u, w = work.pairs[k] // m, work.pairs[k] % m
        # One more than there are, so that 0 says that no pair is left.
        value = 1 + star(x, y, state, work, u, w, mark, False)
        row[u] = max(row[u], value)
        col[w] = max(col[w], value)
    rows = cols = row_ends = col_ends = 0
    for u in range(len(x.degree)):
        if row[u] > 0:
            rows += 1
            row_ends += row[u] - 1
    for w in range(m):
        if col[w] > 0:
            cols += 1
            col_ends += col[w] - 1
    ends = min(row_ends, col_ends)
    for d in range(depth):
        ends += star(x, y, state, work, state.us[d], state.ws[d], mark, True)
    nodes, edges = depth + min(rows, cols), state.numbers[FIXED] + ends // 2
    if by_nodes:
        return nodes * UNIT + edges
    return edges * UNIT + min(nodes, edges + 1)  # a connected graph of so many edges has no more nodes


@inner
def choose_next(x, y, state, work, alike, direct, last, greedy):
    """Which of the first `direct` pairs is decided: of a node with few pairs left, and then the one that promises most."""
    m = len(y.degree)
    work.rows[:] = 0
    for k in range(last):
        work.rows[work.pairs[k] // m] += 1
    chosen, top = -1, -np.inf
    for k in range(direct):
        u, w = work.pairs[k] // m, work.pairs[k] % m
        value = common_edges(x, y, state, u, w) + 0.01 * alike[u, w]
        if not greedy:
            value -= 1e4 * work.rows[u]
        if value > top:
            top, chosen = value, work.pairs[k]
    return chosen


@inner
def choose_first(x, y, work, alike, begin, end):
    """The pair that is decided first: of the node without which the rest falls into the smallest parts."""
    n, m = len(x.degree), len(y.degree)
    alive, seen, queue = work.rows, work.row, work.queue
    alive[:] = 0
    for k in range(begin, end):
        alive[work.pairs[k] // m] += 1
    node, least = -1, np.inf
    for u in range(n):
        if alive[u] == 0:
            continue
        seen[:] = 0
        seen[u] = 1
        largest = 0
        for s in range(n):
            if alive[s] == 0 or seen[s]:
                continue
            queue[0], seen[s] = s, 1
            first, last = 0, 1
            while first < last:
                v = queue[first]
                first += 1
                for a in range(x.degree[v]):
                    z = x.near[v, a]
                    if alive[z] and not seen[z]:
                        queue[last], seen[z] = z, 1
                        last += 1
            largest = max(largest, last)
        value = largest + 1e-3 * alive[u]
        if value < least:
            node, least = u, value
    chosen, top = -1, -np.inf
    for k in range(begin, end):
        u, w = work.pairs[k] // m, work.pairs[k] % m
        if u == node and alike[u, w] > top:
            chosen, top = work.pairs[k], alike[u, w]
    return chosen


@inner
def look(x, y, state, work, alike, depth, by_nodes, greedy):
    """The bound of this node of the tree, and the pair to decide there, -1 if nothing in it is better than the best."""
    m = len(y.degree)
    best = state.numbers[BEST]
    work.reach[:] = 0
    if depth > 0:
        direct = 0
        for d in range(depth):
            direct = spread(x, y, state, work, state.us[d], state.ws[d], 1, direct)
        last = spread_on(x, y, state, work, 1, 0, direct)
        bound = bound_of(x, y, state, work, 0, last, depth, 1, by_nodes)
        return bound, (choose_next(x, y, state, work, alike, direct, last, greedy) if bound > best else -1)
    # Nothing is mapped: the pairs fall into parts, and a connected subgraph lies in one of them.
    bound, begin, end, mark, last = 0, 0, 0, 0, 0
    for u in range(len(x.degree)):
        for w in range(m):
            if state.allowed[u, w] and work.reach[u, w] == 0:
                mark += 1
                first = last
                work.reach[u, w] = mark
                work.pairs[last] = u * m + w
                last = spread_on(x, y, state, work, mark, first, last + 1)
                here = bound_of(x, y, state, work, first, last, 0, mark, by_nodes)
                if here > bound:
                    bound, begin, end = here, first, last
    return bound, (choose_first(x, y, work, alike, begin, end) if bound > best else -1)


@inner
def take(x, y, state, depth, u, w):
    """Decide that the pair is in the mapping."""
    state.numbers[FIXED] += common_edges(x, y, state, u, w)
    state.us[depth], state.ws[depth] = u, w
    state.into[u], state.back[w] = w, u


@inner
def untake(x, y, state, depth):
    """Undo the last decision; its pair is returned."""
    u, w = state.us[depth], state.ws[depth]
    state.into[u], state.back[w] = -1, -1
    state.numbers[FIXED] -= common_edges(x, y, state, u, w)
    return u, w


@inner
def keep_best(state, depth, by_nodes):
    """The mapping is kept if none was better."""
    fixed = state.numbers[FIXED]
    score = depth * UNIT + fixed if by_nodes else fixed * UNIT + depth
    if score > state.numbers[BEST]:
        state.numbers[BEST] = score
        state.best[:] = state.into


@inner
def rule_out(x, y, state, work, u, w):
    """Decide that the pair is not in the mapping; nor are those of twins, which would give the same subgraphs again.

    Twins may be exchanged as long as they have the same pairs left.
    """
    n, m = state.allowed.shape
    row, col = work.row, work.col
    row[:] = 0
    col[:] = 0
    for v in range(n):
        if x.twin[v] == x.twin[u] and state.into[v] < 0:
            row[v] = 1
            for z in range(m):
                if state.allowed[v, z] != state.allowed[u, z]:
                    row[v] = 0
                    break
    for z in range(m):
        if y.twin[z] == y.twin[w] and state.back[z] < 0:
            col[z] = 1
            for v in range(n):
                if state.allowed[v, z] != state.allowed[v, w]:
                    col[z] = 0
                    break
    for v in range(n):
        for z in range(m):
            if row[v] and col[z] and state.allowed[v, z]:
                state.allowed[v, z] = False
                state.trail[state.numbers[TRAIL]] = v * m + z
                state.numbers[TRAIL] += 1


@kernel
def search_common(x, y, alike, by_nodes, most, state):
    """Go on with the search for at most so many tree nodes.

    x, y (in): the graphs, as `Side`. alike (in): how alike two nodes are, `likeness`. by_nodes (in): whether nodes are maximised
    rather than edges. state (in and out): where the search is, as `State`; its depth is -1 once nothing better can exist, else
    nothing exceeds the largest of bounds[:depth + 1] and the best score.
    """
    work, numbers = new_work(x, y), state.numbers
    m = len(y.degree)
    depth, spent = numbers[DEPTH], 0
    while depth >= 0 and spent < most:
        spent += 1
        keep_best(state, depth, by_nodes)
        state.bounds[depth], pair = look(x, y, state, work, alike, depth, by_nodes, False)
        if pair >= 0:
            take(x, y, state, depth, pair // m, pair % m)
            depth += 1
            state.start[depth] = numbers[TRAIL]
            continue
        while numbers[TRAIL] > state.start[depth]:
            numbers[TRAIL] -= 1
            ruled = state.trail[numbers[TRAIL]]
            state.allowed[ruled // m, ruled % m] = True
        depth -= 1
        if depth >= 0:
            u, w = untake(x, y, state, depth)
            rule_out(x, y, state, work, u, w)
    numbers[DEPTH] = depth
    numbers[NODES] += spent


@inner
def grow(x, y, state, work, alike, depth, by_nodes):
    """Add the pair that promises most to a mapping of so many pairs, again and again; keep the best, and undo everything."""
    m = len(y.degree)
    while True:
        keep_best(state, depth, by_nodes)
        pair = look(x, y, state, work, alike, depth, by_nodes, True)[1]
        if pair < 0:
            break
        take(x, y, state, depth, pair // m, pair % m)
        depth += 1
    while depth > 0:
        depth -= 1
        untake(x, y, state, depth)


@kernel
def dive_common(x, y, alike, by_nodes, firsts, state):
    """Grow a mapping from each of the first pairs, by the pair that promises most, and keep the best. Arguments as above."""
    work, m = new_work(x, y), len(y.degree)
    for first in firsts:
        take(x, y, state, 0, first // m, first % m)
        grow(x, y, state, work, alike, 1, by_nodes)


@kernel
def regrow_common(x, y, alike, by_nodes, into, start, most, state):
    """Take over a part of a mapping and grow it anew; keep the best.

    into (in): the mapping, -1 for none. The part is what common edges lead to from the node `start` of x, at most so many nodes.
    """
    work, queue, depth, first = new_work(x, y), np.empty(len(x.degree), np.int64), 1, 0
    queue[0] = start
    take(x, y, state, 0, start, into[start])
    while first < depth and depth < most:
        u = queue[first]
        first += 1
        for a in range(x.degree[u]):
            v = x.near[u, a]
            if depth < most and into[v] >= 0 and state.into[v] < 0 and common_edges(x, y, state, v, into[v]) > 0:
                take(x, y, state, depth, v, into[v])
                queue[depth] = v
                depth += 1
    grow(x, y, state, work, alike, depth, by_nodes)


@kernel
def likeness(x, y, allowed, rounds, alike):
    """How alike two nodes are in what surrounds them, up to some edges away. alike (out): 0 where a pair is not allowed."""
    n, m = allowed.shape
    new = np.zeros((n, m))
    for u in range(n):
        for w in range(m):
            alike[u, w] = 1.0 if allowed[u, w] else 0.0
    for _ in range(rounds):
        peak = 1.0
        for u in range(n):
            for w in range(m):
                if not allowed[u, w]:
                    continue
                new[u, w], used = 1.0, 0
                for a in range(x.degree[u]):
                    top, at = 0.0, -1
                    for b in range(min(y.degree[w], WIDE)):
                        value = alike[x.near[u, a], y.near[w, b]]
                        if not (used >> b) & 1 and x.code[u, a] == y.code[w, b] and value > top:
                            top, at = value, b
                    if at >= 0:
                        used |= 1 << at
                        new[u, w] += top
                peak = max(peak, new[u, w])
        alike[:] = new / peak
