"""k-means of rows: graphs that can be aligned in one way only are vectors, and everything that is asked of them is arithmetic.

A row holds numbers of nodes before `split`, of edges from there up to `dim` (an edge counts from both of its ends), and behind
that what is averaged with the rest but is no part of the distance.
"""

from __future__ import annotations

import numba
import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.pair import SMALLEST

# A center is nearer where it is nearer by more than rounding.
CLOSE = 1.0 - 1e-12


# Sums in any order: it is what lets them be vectorised.
@numba.njit(nogil=True, fastmath={"reassoc"}, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def sum_of_squares(x, i, y, j, first, last):
    total = 0.0
    for d in range(first, last):
        difference = x[i, d] - y[j, d]
        total += difference * difference
    return total


@inner
def square_between(x, i, y, j, split, dim):
    """The squared distance of x[i] and y[j]: of different rows never less than SMALLEST."""
    total = sum_of_squares(x, i, y, j, 0, split)
    if dim > split:
        total += 2.0 * sum_of_squares(x, i, y, j, split, dim)
    if total < SMALLEST:
        for d in range(dim):
            if x[i, d] != y[j, d]:
                return SMALLEST
    return total


@inner
def distance_between(x, i, y, j, split, dim):
    return np.sqrt(square_between(x, i, y, j, split, dim))


@kernel
def pair_distances(x, y, pairs, first, last, split, dim, result):
    """result[p] (out): the distance of the rows pairs[p] of x and y, for p from first up to last."""
    for p in range(first, last):
        result[p] = distance_between(x, pairs[p, 0], y, pairs[p, 1], split, dim)


@kernel
def all_distances(x, y, first, last, split, dim, result):
    """result[i, j] (out): the distance of x[i] and y[j], for i from first up to last."""
    for i in range(first, last):
        for j in range(len(y)):
            result[i, j] = distance_between(x, i, y, j, split, dim)


@inner
def nearest_and_second(x, i, y, split, dim, best, label):
    """The nearest row of y, the distance of that, and of the second nearest; `best` is the distance to `label`, -1 for none."""
    second = np.inf
    before = label
    for c in range(len(y)):
        if c == before:
            continue
        distance = distance_between(x, i, y, c, split, dim)
        if distance < best * CLOSE or label < 0:
            second = min(second, best)
            best, label = distance, c
        elif distance < second:
            second = distance
    return label, best, second


@kernel
def assign_rows(x, y, split, dim, moved, explicit, between, rest, labels, upper, lower):
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
            labels[i], upper[i], lower[i] = nearest_and_second(x, i, y, split, dim, np.inf, -1)
            computed += len(y)
            changed += labels[i] != c
            continue
        if moved[c]:
            u = distance_between(x, i, y, c, split, dim)
        best, label, second = u, c, np.inf
        for e in range(len(explicit)):
            if explicit[e] == c:
                continue
            apart = between[e, c] * CLOSE - u
            if apart >= best:  # D(x, y) >= D(y, own) - u
                second = min(second, apart)
                continue
            distance = distance_between(x, i, y, explicit[e], split, dim)
            computed += 1
            if distance < best * CLOSE:
                second = min(second, best)
                best, label = distance, explicit[e]
            elif distance < second:
                second = distance
        if best * CLOSE <= low:
            lower[i] = min(low, second)
        else:
            label, best, lower[i] = nearest_and_second(x, i, y, split, dim, best, label)
            computed += len(y) - 1
        changed += label != c
        labels[i], upper[i] = label, best
    return computed, changed


@kernel
def take_seed(x, y, c, split, dim, between, labels, upper, lower):
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
        distance = distance_between(x, i, y, c, split, dim)
        computed += 1
        if distance < u * CLOSE or u == np.inf:
            lower[i] = min(lower[i], u) if u < np.inf else np.inf
            labels[i], upper[i] = c, distance
        else:
            lower[i] = min(lower[i], distance)
    return computed


@kernel
def second_nearest(x, y, split, dim, between, labels, upper, second):
    """second[i] (out): the distance of x[i] to the nearest center other than that of its label. Returns how many were computed.

    between[c, c'] are distances of the centers.
    """
    computed = 0
    for i in range(len(x)):
        label, u, least = labels[i], upper[i], np.inf
        for c in range(len(y)):
            if c != label and between[label, c] * CLOSE - u < least:
                least = min(least, distance_between(x, i, y, c, split, dim))
                computed += 1
        second[i] = least
    return computed


@kernel
def gains_of_additions(x, y, split, dim, weights, upper, gains):
    """gains[j] (in, out): how much lower the objective would be with one more center at y[j]."""
    for i in range(len(x)):
        own = upper[i] * upper[i]
        for j in range(len(y)):
            square = square_between(x, i, y, j, split, dim)
            if square < own:
                gains[j] += weights[i] * (own - square)


@kernel
def gains_of_exchanges(x, y, split, dim, weights, labels, upper, second, between, settled, saved, lost):
    """saved[j] (in, out): how much lower the objective would be with one more center at y[j]; lost[j, c] (in, out): how much
    higher it would be again without center c.

    second[i] is the distance to the second nearest center, between[j, c] that of y[j] and center c; new squared distances
    count with the share `settled`.
    """
    base = np.zeros(lost.shape[1])
    reach = 1.0 / np.sqrt(settled)
    for i in range(len(x)):
        c, w = labels[i], weights[i]
        own, other = upper[i] * upper[i], second[i] * second[i]
        base[c] += w * (other - own)
        far = second[i] * reach + upper[i]
        for j in range(len(y)):
            if between[j, c] >= far:  # then the new center is farther than the second
                continue
            new = settled * square_between(x, i, y, j, split, dim)
            if new < other:
                nearest = min(own, new)
                saved[j] += w * (own - nearest)
                lost[j, c] += w * (new - nearest - (other - own))
    for j in range(len(y)):
        for c in range(len(base)):
            lost[j, c] += base[c]


@kernel
def add_rows(x, labels, weights, sums, total):
    """sums[c], total[c] (in, out): the rows of each label and their weights, added up."""
    for i in range(len(x)):
        c, w = labels[i], weights[i]
        total[c] += w
        for d in range(x.shape[1]):
            sums[c, d] += w * x[i, d]


@kernel
def flatten_graphs(packed, directed, place_of_edge, n_roles, n_edges, with_presence, rows):
    """rows[g] (out, zeros): nodes by role, edges by place_of_edge of their two roles, and 1 for each of them that is there."""
    dv, channels = packed.nodes.shape[1], packed.values.shape[1]
    half = channels // 2
    split = n_roles * dv
    dim = split + n_edges * channels
    sides = 2 if directed else 1
    for g in range(len(rows)):
        start = packed.node_ptr[g]
        for i in range(start, packed.node_ptr[g + 1]):
            role = packed.roles[i]
            for d in range(dv):
                rows[g, role * dv + d] = packed.nodes[i, d]
            if with_presence:
                rows[g, dim + role] = 1.0
        for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
            a, b = packed.roles[start + packed.ends[e, 0]], packed.roles[start + packed.ends[e, 1]]
            turned = directed and a > b
            at = place_of_edge[min(a, b), max(a, b)]
            for c in range(channels):
                value = packed.values[e, c]
                to = c
                if turned:
                    to = c - half if c >= half else c + half
                rows[g, split + at * channels + to] = value
                if with_presence and (value != 0.0 or not directed):
                    side = 1 if directed and to >= half else 0
                    rows[g, dim + n_roles + at * sides + side] = 1.0
