"""Where attributes are multiples of a unit (counts, one-hot codes), squared distances are, too: D^2 moves in steps.

D^2 = |X|^2 + |Y|^2 - 2 sum <x_i, y_p> - 4 sum <x_ij, y_pq>: with node values that are multiples of a and edge values that
are multiples of b, the squared distances along any two mappings differ by a multiple of the step gcd(2 a^2, 4 b^2).
"""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.edge_program import EPS
from graphmeans.kernels.jit import inner

# Two numbers are the same multiple of a unit if they differ by this share of their size.
SAME = 64 * EPS
# A step below this share of |X|^2 + |Y|^2 is of no use, and would drown in what rounding makes of it.
SMALLEST = 1e-6


@inner
def common_divisor(a, b):
    """The largest number that a and b, not negative, are multiples of, but for rounding; tiny if there is none."""
    a, b = max(a, b), min(a, b)
    tiny = 1e-9 * a
    while b > tiny:
        a, b = b, abs(a - b * np.floor(a / b + 0.5))
    return a


@inner
def is_multiple(value, unit, tolerance):
    """Whether a number is a multiple of the unit, but for this share of it."""
    return abs(value - unit * np.floor(value / unit + 0.5)) <= tolerance * abs(value)


@inner
def node_unit(side, n, unit):
    """The common divisor of `unit` and all node values."""
    for i in range(n):
        for d in range(side.nodes.shape[1]):
            unit = common_divisor(unit, abs(side.nodes[i, d]))
    return unit


@inner
def edge_unit(side, n, unit):
    """The common divisor of `unit` and all edge values."""
    for i in range(n):
        for t in range(side.degree[i]):
            for c in range(side.edges.shape[2]):
                unit = common_divisor(unit, abs(side.edges[i, side.neighbour[i, t], c]))
    return unit


@inner
def are_multiples(side, n, a, b, tolerance):
    """Whether all node values are multiples of a, and all edge values multiples of b."""
    for i in range(n):
        for d in range(side.nodes.shape[1]):
            if side.nodes[i, d] != 0.0 and not is_multiple(side.nodes[i, d], a, tolerance):
                return False
        for t in range(side.degree[i]):
            for c in range(side.edges.shape[2]):
                value = side.edges[i, side.neighbour[i, t], c]
                if value != 0.0 and not is_multiple(value, b, tolerance):
                    return False
    return True


@inner
def is_power_of_two(unit):
    """Whether a unit, not negative, is a power of two, or 0."""
    return unit == 0.0 or unit == 2.0 ** np.floor(np.log2(unit) + 0.5)


@inner
def distance_step(x, y, nx, ny, norms):
    """By what multiples the squared distances along two mappings differ, 0 where no step is known; whether without rounding.

    Multiples of a power of two, and their squares and sums, are floats without any rounding (up to 2^53 of them).
    """
    a = node_unit(y, ny, node_unit(x, nx, 0.0))
    b = edge_unit(y, ny, edge_unit(x, nx, 0.0))
    if max(a, b) == 0.0 or not are_multiples(x, nx, a, b, SAME) or not are_multiples(y, ny, a, b, SAME):
        return 0.0, False
    node_step, edge_step = 2.0 * a * a, 4.0 * b * b
    step = common_divisor(node_step, edge_step)
    if step == 0.0 or step < SMALLEST * norms:  # 0 where squares of the units are too small to be numbers
        return 0.0, False
    if not is_multiple(node_step, step, SAME) or not is_multiple(edge_step, step, SAME):
        return 0.0, False
    exact = is_power_of_two(a) and is_power_of_two(b)
    return step, exact and are_multiples(x, nx, a, b, 0.0) and are_multiples(y, ny, a, b, 0.0)


@inner
def raised(bound, best, step, leeway):
    """The least squared distance that differs from `best` by a multiple of the step and is not below `bound`.

    leeway (in): how far rounding can have moved the squared distances from their steps; it is taken off. Without any mapping
    (`best` is infinite) no squared distance is known to count from.
    """
    if step == 0.0 or bound >= best or best == np.inf:
        return bound
    steps = np.floor((best - bound + leeway) / step)
    return max(bound, best - steps * step - leeway)
