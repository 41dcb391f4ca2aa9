"""Where there is one alignment only, a matching is arithmetic: every role occurs at most once, as in vectors and connectomes."""

from __future__ import annotations

import numpy as np

from graphmeans.graphs.batch import GraphBatch, IntArray, offsets
from graphmeans.kernels.fixed import fixed_pairs
from graphmeans.kernels.jit import announce
from graphmeans.kernels.pair import SMALLEST
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import kernel_arrays, run_in_chunks
from graphmeans.matching.sound import sound_pairs

#: With more roles than this a table of all pairs of them would be too large.
MOST_ROLES = 4096


def alignments_are_fixed(order: IntArray, *batches: GraphBatch) -> bool:
    """Whether graphs of these batches can be aligned in one way only in a space of this order."""
    return (
        len(order) <= MOST_ROLES
        and bool((order <= 1).all())
        and all(len(batch.largest) <= len(order) and batch.largest.max(initial=0) <= 1 for batch in batches)
    )


def solve_fixed(x: GraphBatch, y: GraphBatch, pairs: IntArray, n_roles: int, n_jobs: int | None) -> Matches:
    """The answers for pairs of graphs whose alignments are fixed. There is no second alignment."""
    announce(fixed_pairs)
    pairs = sound_pairs(x, y, pairs)
    ptr = offsets(x.sizes[pairs[:, 0]])
    upper, flat = np.empty(len(pairs)), np.empty(ptr[-1], dtype=np.int64)
    sides = kernel_arrays(x), kernel_arrays(y)

    def work(first: int, last: int) -> None:
        fixed_pairs(*sides, x.directed, n_roles, pairs, first, last, ptr, upper, flat)

    if len(pairs):
        cost = 1.0 + x.sizes[pairs[:, 0]] + np.diff(x.edge_ptr)[pairs[:, 0]] + np.diff(y.edge_ptr)[pairs[:, 1]]
        run_in_chunks(work, cost.astype(np.float64), n_jobs)
    lower = np.where(upper * upper > SMALLEST, upper, 0.0)
    return Matches(lower, upper, ptr, flat, np.full(len(pairs), np.inf))
