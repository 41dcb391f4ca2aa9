"""Certified lower bounds of the distance, the cheapest first. The sketches are in sketch.py.

norm <= D; per-channel sketch <= sorted-row LAP <= D (with roles the sketch, which sorts within each role, may exceed the LAP).
The strongest bound, that of the edge program, is in edge_bound.py. All are taken a little low, by what rounding can have added.
"""

from __future__ import annotations

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.bounds import bound_pairs
from graphmeans.kernels.pair import SMALLEST
from graphmeans.matching.device import bound_on_device, takes
from graphmeans.matching.pairs import run_kernel
from graphmeans.matching.sound import sound_pairs

#: What rounding may make of a norm, relative to it.
ROUNDING = 1e-13


def norm_bounds(x: GraphBatch, y: GraphBatch, pairs: IntArray) -> FloatArray:
    """| |X| - |Y| | for every pair.

    Proof. D(X, Y) = |X - P.Y| for some permutation P. A permutation moves entries about: |P.Y| = |Y|.
    The triangle inequality of vectors, |X - P.Y| >= | |X| - |P.Y| |, is the bound.
    """
    pairs = sound_pairs(x, y, pairs)
    x_norms, y_norms = np.sqrt(x.squared_norms[pairs[:, 0]]), np.sqrt(y.squared_norms[pairs[:, 1]])
    apart = np.abs(x_norms - y_norms) - ROUNDING * (x_norms + y_norms)
    return np.where(apart > np.sqrt(SMALLEST), apart, 0.0)  # smaller norms are roots of squares that have lost digits


def lap_bounds(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None, device: str = "cpu"
) -> FloatArray:
    """The sorted-row bound, which takes one linear assignment for each pair.

    Proof. D^2 = sum_i (|x_ii - y_jj|^2 + |row i of X - row j of P.Y|^2) with j = P(i), for the best P.
    However P arranges row j of Y, row i lies no nearer to it than sorted entries to sorted entries, channel by channel,
    and likewise the norms of the entries: so each term is at least C_ij, and the sum at least the best assignment of C.
    """
    pairs = sound_pairs(x, y, pairs)
    lower = np.empty(len(pairs))
    program, fits = takes(x, y, pairs, order, device)
    if program is not None:
        wait = bound_on_device(program, x, y, pairs[fits], order)
        lower[~fits] = lap_bounds(x, y, pairs[~fits], order, n_jobs)
        lower[fits] = wait()
        return lower
    run_kernel(bound_pairs, x, y, pairs, order, n_jobs, lower)
    return lower
