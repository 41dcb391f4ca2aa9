"""How many rows a pair takes: which nodes may be better left unmatched on both sides, and how many that are."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner

EPS = float(np.finfo(np.float64).eps)


@inner
def count_reluctant(x_packed, gx, y_packed, gy, x_few, y_few):
    """x_few, y_few (out): 1 for each node whose inner product with some node of the other graph may be negative, else 0.

    Such nodes are the only ones that an alignment need leave unmatched on both sides. For let node i of X and node p of Y be
    unmatched, and i not reluctant: to match them changes D^2 by -2 <x_i, y_p> - 4 sum <x_ij, y_pq>, which is not positive as long
    as no edges have negative products. So of X at most its reluctant nodes stay unmatched beside any of Y, and the other way
    round. False, and nothing counted, where a value of an edge is negative.
    """
    x_start, x_end = x_packed.node_ptr[gx], x_packed.node_ptr[gx + 1]
    y_start, y_end = y_packed.node_ptr[gy], y_packed.node_ptr[gy + 1]
    x_nodes, y_nodes = x_packed.nodes, y_packed.nodes
    if has_negative(x_packed, gx) or has_negative(y_packed, gy):
        return False
    for i in range(x_end - x_start):
        x_few[i] = 0
    for j in range(y_end - y_start):
        y_few[j] = 0
    conflict = False
    for d in range(x_nodes.shape[1]):
        x_low, x_high, y_low, y_high = 0.0, 0.0, 0.0, 0.0
        for i in range(x_start, x_end):
            x_low, x_high = min(x_low, x_nodes[i, d]), max(x_high, x_nodes[i, d])
        for j in range(y_start, y_end):
            y_low, y_high = min(y_low, y_nodes[j, d]), max(y_high, y_nodes[j, d])
        conflict = conflict or (x_low < 0.0 and y_high > 0.0) or (x_high > 0.0 and y_low < 0.0)
    if not conflict:
        return True
    rounding = 2.0 * (x_nodes.shape[1] + 2) * EPS
    for i in range(x_start, x_end):
        for j in range(y_start, y_end):
            product, size, mixed = 0.0, 0.0, False
            for d in range(x_nodes.shape[1]):
                a, b = x_nodes[i, d], y_nodes[j, d]
                product += a * b
                size += abs(a * b)
                mixed = mixed or (a < 0.0 and b > 0.0) or (a > 0.0 and b < 0.0)
            # Without a negative term it is not negative; else rounding must not decide.
            if mixed and product <= rounding * size:
                x_few[i - x_start] = 1
                y_few[j - y_start] = 1
    return True


@inner
def most_rows(x_count, y_count, order):
    """The rows of a pair in which both graphs may leave unmatched whatever they like, from their nodes of each role."""
    rows = 0
    for r in range(len(order)):
        rows += max(x_count[r], y_count[r], min(order[r], x_count[r] + y_count[r]))
    return rows


@inner
def has_negative(packed, g):
    """Whether a value of an edge is negative."""
    for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
        for c in range(packed.values.shape[1]):
            if packed.values[e, c] < 0.0:
                return True
    return False
