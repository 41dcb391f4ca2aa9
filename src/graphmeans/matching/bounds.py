"""Certified lower bounds of the distance, the cheapest first. The sketches are in sketch.py.

norm <= D; per-channel sketch <= sorted-row LAP <= Gilmore-Lawler <= dual ascent <= D (with roles the sketch, which sorts
within each role, may exceed the LAP). All are taken a little low, by what rounding can have added.
"""

from __future__ import annotations

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.bounds import DUAL_ASCENT, GILMORE_LAWLER, SORTED_ROWS, bound_pairs
from graphmeans.matching.pairs import rows_needed, run_kernel

#: Most rows for which dual ascent is done. It keeps rows^4 numbers, which are 20 MB for 40 rows.
LARGEST_ASCENT = 40
#: What rounding may make of a norm, relative to it.
ROUNDING = 1e-13


def norm_bounds(x: GraphBatch, y: GraphBatch, pairs: IntArray) -> FloatArray:
    """| |X| - |Y| | for every pair.

    Proof. D(X, Y) = |X - P.Y| for some permutation P. A permutation moves entries about: |P.Y| = |Y|.
    The triangle inequality of vectors, |X - P.Y| >= | |X| - |P.Y| |, is the bound.
    """
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    x_norms, y_norms = np.sqrt(x.squared_norms[pairs[:, 0]]), np.sqrt(y.squared_norms[pairs[:, 1]])
    return np.maximum(np.abs(x_norms - y_norms) - ROUNDING * (x_norms + y_norms), 0.0)


def lap_bounds(x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None) -> FloatArray:
    """The sorted-row bound, which takes one linear assignment for each pair.

    Proof. D^2 = sum_i (|x_ii - y_jj|^2 + |row i of X - row j of P.Y|^2) with j = P(i), for the best P.
    However P arranges row j of Y, row i lies no nearer to it than sorted entries to sorted entries, channel by channel,
    and likewise the norms of the entries: so each term is at least C_ij, and the sum at least the best assignment of C.
    """
    return _bounds(SORTED_ROWS, x, y, pairs, order, n_jobs)


def gilmore_lawler_bounds(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None
) -> FloatArray:
    """The bound of Gilmore and Lawler, which takes a linear assignment for each two nodes, and one of the nodes.

    Proof. D^2 = sum_i (|x_ii - y_jj|^2 + sum_(k != i) |x_ik - y_jP(k)|^2) with j = P(i), for the best P.
    The inner sum is an assignment of the entries k != i to the entries l != j, so at least as dear as the best one.
    Choosing that best one for each (i, j) by itself, and then the best P for the outer sum, can only be cheaper.
    """
    if x.edge_values.shape[1] == 1 and len(x.role_names) == len(y.role_names) == 1:
        return lap_bounds(x, y, pairs, order, n_jobs)  # of numbers the sorted order is the best assignment
    return _bounds(GILMORE_LAWLER, x, y, pairs, order, n_jobs)


def dual_ascent_bounds(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None, *, rounds: int = 50,
    upper: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """Gilmore-Lawler raised by dual ascent (Hahn and Grant 1998), for pairs of at most 40 rows; above that not raised.

    Proof. "i meets j and k meets l" and "k meets l and i meets j" are one event: cost may move between the two, and
    between them, the event "i meets j" and a constant, as long as every permutation costs what it did (subtract from a
    row of an assignment, add to what leads it). Nothing falls below 0, so every permutation costs at least the constant.

    `upper`, where known, are upper bounds of D: what can only be part of a dearer permutation is left out, so the result
    is proven for all cheaper ones, and it never exceeds `upper`. The ascent finds some upper bounds by itself.

    How far it gets within its rounds depends a little on how nodes are numbered and on which graph comes first.
    """
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    fits = rows_needed(x, y, pairs, order)[0] <= LARGEST_ASCENT
    upper = np.full(len(pairs), np.inf) if upper is None else np.asarray(upper, dtype=np.float64)
    result = np.empty(len(pairs))
    result[fits] = _bounds(DUAL_ASCENT, x, y, pairs[fits], order, n_jobs, rounds, upper[fits])
    result[~fits] = gilmore_lawler_bounds(x, y, pairs[~fits], order, n_jobs)
    return result


def _bounds(
    level: int, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, rounds: int = 0,
    upper: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2)
    lower = np.empty(len(pairs))
    upper = lower if upper is None else upper  # read by dual ascent only
    run_kernel(bound_pairs, x, y, pairs, order, n_jobs, level, rounds, upper, lower, power=3 + level)
    return lower
