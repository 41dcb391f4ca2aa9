"""k-means of rows: graphs that can be aligned in one way only are vectors, and everything that is asked of them is arithmetic.

The squared distance of two rows is `factor` times that of their first `dim` numbers. What stands behind them is averaged with
the rest, but is no part of the distance.
"""

from __future__ import annotations

import numba
import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.pair import SMALLEST

# A center is nearer where it is nearer by more than rounding; the same for squares.
CLOSE = 1.0 - 1e-12
CLOSE_SQUARE = CLOSE * CLOSE


# Sums in any order: it is what lets them be vectorised. It must stay as simple as it is, or it is no longer inlined.
@numba.njit(nogil=True, fastmath={"reassoc"}, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def sum_of_squares(x, i, y, j, dim):
    total = 0.0
    for d in range(dim):
        difference = x[i, d] - y[j, d]
        total += difference * difference
    return total


@inner
def root(square, x, i, y, j, dim):
    """The distance of x[i] and y[j] from their squared distance: of different rows it is never 0."""
    if square < SMALLEST:
        for d in range(dim):
            if x[i, d] != y[j, d]:
                return np.sqrt(SMALLEST)
    return np.sqrt(square)


@kernel
def pair_distances(x, y, pairs, first, last, dim, factor, result):
    """result[p] (out): the distance of the rows pairs[p] of x and y, for p from first up to last."""
    for p in range(first, last):
        i, j = pairs[p, 0], pairs[p, 1]
        result[p] = root(factor * sum_of_squares(x, i, y, j, dim), x, i, y, j, dim)


@kernel
def all_distances(x, y, first, last, dim, factor, result):
    """result[i, j] (out): the distance of x[i] and y[j], for i from first up to last."""
    for i in range(first, last):
        for j in range(len(y)):
            result[i, j] = sum_of_squares(x, i, y, j, dim)
        for j in range(len(y)):
            result[i, j] = root(factor * result[i, j], x, i, y, j, dim)


@kernel
def distances_within(x, first, last, dim, factor, result):
    """result[i, j], result[j, i] (out): the distance of x[i] and x[j], for i from first up to last and j behind i."""
    for i in range(first, last):
        for j in range(i + 1, len(x)):
            distance = root(factor * sum_of_squares(x, i, x, j, dim), x, i, x, j, dim)
            result[i, j], result[j, i] = distance, distance


@inner
def nearest_and_second(x, i, y, dim, best, label):
    """The nearest row of y, the sum of squares to that, and to the second nearest; `best` is that to `label`, -1 for none."""
    second, before = np.inf, label
    for c in range(len(y)):
        if c == before:
            continue
        square = sum_of_squares(x, i, y, c, dim)
        if square < best * CLOSE_SQUARE or label < 0:
            second = min(second, best)
            best, label = square, c
        elif square < second:
            second = square
    return label, best, second


@kernel
def assign_rows(x, y, dim, factor, moved, explicit, between, rest, labels, upper, lower):
    """Find the nearest center y[c] of every row. labels, upper (distances to these centers) and lower (in, out).

    lower[i] is a bound for all centers but the own, true for where they were before; an infinite upper[i] says that there is
    no label yet. Centers that `moved` have other distances to their own rows. The distances to the `explicit` ones are
    computed, unless their distances between[e, c] from the own center rule that out; no other has moved by more than `rest`.
    Where all that does not decide, all distances are computed. Returns how many were, but for those to the own centers, and
    how many labels changed.
    """
    computed, changed = 0, 0
    for i in range(len(x)):
        c, u = labels[i], upper[i]
        low = lower[i] - rest
        if u == np.inf:
            label, best, second = nearest_and_second(x, i, y, dim, np.inf, -1)
            computed += len(y)
            changed += label != c
            labels[i], upper[i] = label, root(factor * best, x, i, y, label, dim)
            lower[i] = np.sqrt(factor * second)
            continue
        if moved[c]:
            u = root(factor * sum_of_squares(x, i, y, c, dim), x, i, y, c, dim)
        best, label, second = u, c, np.inf
        for e in range(len(explicit)):
            if explicit[e] == c:
                continue
            apart = between[e, c] * CLOSE - u
            if apart >= best:  # D(x, y) >= D(y, own) - u
                second = min(second, apart)
                continue
            distance = np.sqrt(factor * sum_of_squares(x, i, y, explicit[e], dim))
            computed += 1
            if distance < best * CLOSE:
                second = min(second, best)
                best, label = distance, explicit[e]
            elif distance < second:
                second = distance
        if best * CLOSE <= low:
            lower[i] = min(low, second)
        else:
            label, best, second = nearest_and_second(x, i, y, dim, best * best / factor, label)
            best, lower[i] = np.sqrt(factor * best), np.sqrt(factor * second)
            computed += len(y) - 1
        if label != c:
            changed += 1
            u = root(best * best, x, i, y, label, dim)
        labels[i], upper[i] = label, u
    return computed, changed


@kernel
def take_seed(x, y, c, dim, factor, between, labels, upper, lower):
    """Row c of y is a new center, at least between[c'] from those before it. labels, upper, lower (in, out).

    Returns how many distances were computed.
    """
    computed = 0
    for i in range(len(x)):
        u = upper[i]
        if u < np.inf:
            apart = between[labels[i]] * CLOSE - u
            if apart >= u:
                lower[i] = min(lower[i], apart)
                continue
        distance = root(factor * sum_of_squares(x, i, y, c, dim), x, i, y, c, dim)
        computed += 1
        if distance < u * CLOSE or u == np.inf:
            lower[i] = min(lower[i], u) if u < np.inf else np.inf
            labels[i], upper[i] = c, distance
        else:
            lower[i] = min(lower[i], distance)
    return computed


@kernel
def second_nearest(x, y, dim, factor, labels, second):
    """second[i] (out): the distance of x[i] to the nearest center other than that of its label."""
    for i in range(len(x)):
        label, least = labels[i], np.inf
        for c in range(len(y)):
            square = sum_of_squares(x, i, y, c, dim)
            if c != label and square < least:
                least = square
        second[i] = np.sqrt(factor * least)


@kernel
def gains_of_additions(x, y, dim, factor, weights, upper, gains):
    """gains[j] (in, out): how much lower the objective would be with one more center at y[j]."""
    for i in range(len(x)):
        own = upper[i] * upper[i]
        for j in range(len(y)):
            square = factor * sum_of_squares(x, i, y, j, dim)
            if square < own:
                gains[j] += weights[i] * (own - square)


@kernel
def gains_of_exchanges(x, y, dim, factor, weights, labels, upper, second, between, settled, saved, lost):
    """saved[j] (in, out): how much lower the objective would be with one more center at y[j]; lost[j, c] (in, out): how much
    higher it would be again without center c.

    second[i] is the distance to the second nearest center, between[j, c] that of y[j] and center c; new squared distances
    count with the share `settled`. Returns how many distances were computed.
    """
    base = np.zeros(lost.shape[1])
    reach, computed = 1.0 / np.sqrt(settled), 0
    for i in range(len(x)):
        c, w = labels[i], weights[i]
        own, other = upper[i] * upper[i], second[i] * second[i]
        base[c] += w * (other - own)
        far = second[i] * reach + upper[i]
        for j in range(len(y)):
            if between[j, c] >= far:  # then the new center is farther than the second
                continue
            new = settled * factor * sum_of_squares(x, i, y, j, dim)
            computed += 1
            if new < other:
                nearest = min(own, new)
                saved[j] += w * (own - nearest)
                lost[j, c] += w * (new - nearest - (other - own))
    for j in range(len(y)):
        for c in range(len(base)):
            lost[j, c] += base[c]
    return computed


@kernel
def add_rows(x, labels, weights, sums, total):
    """sums[c], total[c] (in, out): the rows of each label and their weights, added up."""
    for i in range(len(x)):
        c, w = labels[i], weights[i]
        total[c] += w
        for d in range(x.shape[1]):
            sums[c, d] += w * x[i, d]


@kernel
def mark_edges(packed, present):
    """present[a, b] (in, out): whether some graph has an edge between the nodes of these roles, a < b."""
    for g in range(len(packed.node_ptr) - 1):
        start = packed.node_ptr[g]
        for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
            a, b = packed.roles[start + packed.ends[e, 0]], packed.roles[start + packed.ends[e, 1]]
            present[min(a, b), max(a, b)] = True


@kernel
def flatten_graphs(packed, directed, place_of_edge, n_roles, n_edges, with_nodes, of_edges, of_presence, rows):
    """rows[g] (out, zeros): the numbers of nodes by role, if they are wanted; from the column `of_edges` on those of edges by
    the place of their two roles; from `of_presence` on, if that is not -1, 1 for each node and edge that is there.
    """
    dv, channels = packed.nodes.shape[1], packed.values.shape[1]
    half = channels // 2
    sides = 2 if directed else 1
    for g in range(len(rows)):
        start = packed.node_ptr[g]
        for i in range(start, packed.node_ptr[g + 1]):
            role = packed.roles[i]
            if with_nodes:
                for d in range(dv):
                    rows[g, role * dv + d] = packed.nodes[i, d]
            if of_presence >= 0:
                rows[g, of_presence + role] = 1.0
        for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
            a, b = packed.roles[start + packed.ends[e, 0]], packed.roles[start + packed.ends[e, 1]]
            turned = directed and a > b
            at = place_of_edge[min(a, b), max(a, b)]
            for c in range(channels):
                value = packed.values[e, c]
                to = c
                if turned:
                    to = c - half if c >= half else c + half
                rows[g, of_edges + at * channels + to] = value
                if of_presence >= 0 and (value != 0.0 or not directed):
                    side = 1 if directed and to >= half else 0
                    rows[g, of_presence + n_roles + at * sides + side] = 1.0
