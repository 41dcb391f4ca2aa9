"""The exact matcher, branch and bound, whose answers are guaranteed to be optimal.

There are two trees. In the one of kernels/exact.py a node is one linear assignment, some microseconds, whose bound misses much
on large graphs: it is for small pairs, for dense ones that are not much larger, and for those whose edges are too many for the
other, or gain nothing. In the one of kernels/edge_tree.py a node is some rounds of the edge program, some hundred microseconds
(milliseconds where there are many edges), and misses hardly anything.
"""

from __future__ import annotations

import time
from dataclasses import replace
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.exact import exact_pairs
from graphmeans.matching.edge_bound import solve_by_edges
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import rows_needed, solve_pairs
from graphmeans.matching.sound import sound_cutoff, sound_pairs, sound_warm

NO_LIMIT = 1 << 62
#: Tree nodes, or rounds of the edge program, spent to learn how fast a pair goes, where there is a limit in seconds.
PROBE_NODES, PROBE_ROUNDS = 64, 8
#: A distance is proven when the lower bound is this near, relatively: it is taken low by what rounding can have added.
PROVEN = 1e-9
#: Pairs of at most so many rows go through so many nodes of the tree of assignments before the edge program is tried.
SMALL, SMALL_NODES = 10, 10_000
#: Dense pairs are left to the tree of assignments: at most 12 rows of which this share of the pairs have edges, and for each
#: further row so much more of them. A round of the edge program takes as long as there are couples of edges.
DENSE, DENSE_ROWS, DENSER = 0.45, 12, 0.1


class Exact(BaseEstimator):
    """Depth-first branch and bound. Without a limit every answer is proven optimal.

    Parameters
    ----------
    max_tree_nodes : int, optional
        Most nodes of the search tree for a pair, where a node is one linear assignment, or most rounds of the edge program;
        beyond it the interval reached so far is returned.
    max_seconds : float, optional
        About so many seconds for a pair. It makes results depend on the machine; prefer `max_tree_nodes`.

    See Also
    --------
    Search : For pairs where a proof takes too long.
    match : Matches one pair.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph([[0.0], [1.0]], [(0, 1)])
    >>> gm.match(x, x, matcher=gm.Exact()).certified
    True
    """

    name = "exact"

    def __init__(self, max_tree_nodes: int | None = None, max_seconds: float | None = None) -> None:
        self.max_tree_nodes = max_tree_nodes
        self.max_seconds = max_seconds

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None,
        warm: IntArray | None = None, cutoff: FloatArray | None = None,
    ) -> Matches:  # fmt: skip
        """Match the pairs; see `Matcher`.

        The search for a pair ends once D > `cutoff` is proved; `lower` is then what was proved, and `upper` the distance
        along some mapping.

        Parameters
        ----------
        x : GraphBatch
            Encoded graphs.
        y : GraphBatch
            Encoded graphs.
        pairs : array of shape (P, 2)
            Which graph of x is matched with which graph of y.
        order : int array
            Places for the nodes of each role.
        n_jobs : int, optional
            The number of threads; None for all cores. Results do not depend on it.
        warm : int array, optional
            A mapping of each pair to start from, laid out as in `Matches.flat`.
        cutoff : float array, optional
            Pairs that are farther apart than this need not be solved.

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        if self.max_tree_nodes is not None and not (_is_number(self.max_tree_nodes) and self.max_tree_nodes >= 1):
            raise GraphError(f"max_tree_nodes must be at least 1, got {self.max_tree_nodes!r}")
        if self.max_seconds is not None and not (_is_number(self.max_seconds) and self.max_seconds > 0):
            raise GraphError(f"max_seconds must be positive, got {self.max_seconds!r}")
        pairs = sound_pairs(x, y, pairs)
        return self.solve_sound(x, y, pairs, order, n_jobs, sound_warm(x, y, pairs, warm), sound_cutoff(cutoff, len(pairs)))

    def solve_sound(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, warm: IntArray | None,
        cut: FloatArray,
    ) -> Matches:  # fmt: skip
        """Do what `solve` does, for arguments that were checked.

        Parameters
        ----------
        x : GraphBatch
            Encoded graphs.
        y : GraphBatch
            Encoded graphs.
        pairs : array of shape (P, 2)
            Which graph of x is matched with which graph of y.
        order : int array
            Places for the nodes of each role.
        n_jobs : int or None
            The number of threads; None for all cores.
        warm : int array or None
            A mapping of each pair to start from.
        cut : float array
            The cutoff of each pair.

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        most = NO_LIMIT if self.max_tree_nodes is None else int(min(self.max_tree_nodes, NO_LIMIT))
        if self.max_seconds is None:
            return _search(x, y, pairs, order, n_jobs, most, warm, cut)
        # Each pair is searched a little to learn how fast it goes, then as long as there is time.
        found = Matches.empty(offsets(x.sizes[pairs[:, 0]]))
        probes = np.where(rows_needed(x, y, pairs, order)[0] <= SMALL, PROBE_NODES, PROBE_ROUNDS)
        for p, probe in enumerate(probes.tolist()):
            start = time.perf_counter()
            one, nodes = slice(p, p + 1), slice(found.ptr[p], found.ptr[p + 1])
            part = _search(x, y, pairs[one], order, 1, min(probe, most), None if warm is None else warm[nodes], cut[one])
            spent = time.perf_counter() - start
            budget = int(min(probe * (self.max_seconds - spent) / spent, float(most)))
            if is_open(part, cut[one])[0] and budget > probe:
                part = _search(x, y, pairs[one], order, 1, budget, part.flat, cut[one])
            found.put(one, part)
        return found


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _search(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, most: int,
    warm: IntArray | None, cutoff: FloatArray,
) -> Matches:  # fmt: skip
    """Small pairs by a tree of assignments, all others and what that left open by the edge program, where it has a say."""
    rows = rows_needed(x, y, pairs, order)[0]
    small, dense = rows <= SMALL, are_dense(x, y, pairs, rows)
    if (small | dense).all() and (most <= SMALL_NODES or dense.all()):
        return search_assignments(x, y, pairs, order, n_jobs, most, warm, cutoff)
    found = Matches.empty(offsets(x.sizes[pairs[:, 0]]))
    small &= ~dense
    if dense.any():
        given = None if warm is None else rows_of(warm, found, dense)
        found.put(dense, search_assignments(x, y, pairs[dense], order, n_jobs, most, given, cutoff[dense]))
    if small.any():
        given = None if warm is None else rows_of(warm, found, small)
        found.put(small, search_assignments(x, y, pairs[small], order, n_jobs, min(most, SMALL_NODES), given, cutoff[small]))
    undecided = small & is_open(found, cutoff) & (most > SMALL_NODES)
    for which, begin in ((undecided, found.flat), (~small & ~dense, warm)):
        if which.any():
            given, before = None if begin is None else rows_of(begin, found, which), found.lower[which]
            found.put(which, search_edges(x, y, pairs[which], order, n_jobs, most, given, cutoff[which]))
            found.lower[which] = np.maximum(before, found.lower[which])
    return found


def are_dense(x: GraphBatch, y: GraphBatch, pairs: IntArray, rows: IntArray) -> NDArray[np.bool_]:
    """Which pairs have so many edges, on average of the two, that the tree of assignments is quicker."""
    edges = np.sqrt(np.diff(x.edge_ptr)[pairs[:, 0]] * np.diff(y.edge_ptr)[pairs[:, 1]])
    share = edges / np.maximum(rows * (rows - 1) / 2, 1)
    return np.asarray(share >= DENSE + DENSER * np.maximum(rows - DENSE_ROWS, 0))


def search_edges(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, most: int,
    warm: IntArray | None, cutoff: FloatArray,
) -> Matches:  # fmt: skip
    """Branch and bound on the edge program; where it has nothing to say, on assignments."""
    found, done = solve_by_edges(x, y, pairs, order, n_jobs, most, warm, cutoff)
    found = replace(found, second=found.upper.copy())
    if not done.all():
        given = None if warm is None else rows_of(warm, found, ~done)
        found.put(~done, search_assignments(x, y, pairs[~done], order, n_jobs, most, given, cutoff[~done]))
    return found


def search_assignments(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, most: int,
    warm: IntArray | None, cutoff: FloatArray,
) -> Matches:  # fmt: skip
    """Branch and bound on linear assignments, with at most so many tree nodes a pair."""
    start = np.zeros(0, dtype=np.int64) if warm is None else np.ascontiguousarray(warm, dtype=np.int64)
    settings = (most, cutoff, warm is not None, start)
    tree_nodes, second = np.empty(len(pairs), dtype=np.int64), np.zeros(len(pairs))
    return replace(solve_pairs(exact_pairs, settings, x, y, pairs, order, n_jobs, tree_nodes, second), second=second)


def is_open(found: Matches, cutoff: FloatArray) -> NDArray[np.bool_]:
    """Which pairs are neither solved nor proven to be farther apart than the cutoff."""
    return np.asarray(found.lower < np.minimum(found.upper, cutoff) * (1 - PROVEN))


def rows_of(flat: IntArray, found: Matches, which: NDArray[np.bool_]) -> IntArray:
    """The part of an array laid out as the mappings that belongs to some pairs."""
    return np.asarray(flat[row_ranges(found.ptr, np.flatnonzero(which))[0]])
