"""The default matcher, which is exact where that is quick and searches elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.matching.device import beside_device, takes
from graphmeans.matching.edge_bound import solve_by_edges
from graphmeans.matching.exact import Exact, is_open, rows_of
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import rows_needed
from graphmeans.matching.search import Search, check_effort
from graphmeans.matching.sound import sound_cutoff, sound_order, sound_pairs, sound_warm

#: Up to this many rows branch and bound takes a few microseconds on attributed graphs.
SMALL = 10
#: Graphs without attributes can be worse; their search ends here with the best mapping found and its interval.
MAX_TREE_NODES = 10_000
#: Rounds of the edge program at effort 1, and the effort below which there are none.
ROUNDS, LEAST_EFFORT = 20, 0.25
#: What the program leaves open is proven by a tree only where it is at most this share of the squared distance.
NEARLY_PROVEN = 0.2


class Auto(BaseEstimator):
    """Pick the matcher pair by pair, by the pair alone.

    Exact (at most 10,000 nodes of the search tree) for a pair of at most 10 rows, for graphs without edges, where a matching
    is one linear assignment, and where every node has a role of its own, so that there is nothing to choose. Any other pair
    first takes a few rounds of the edge program, which prove most pairs of sparse graphs; what these leave open is searched.

    Parameters
    ----------
    effort : float
        The effort of `Search`, and of the edge program: 20 rounds at effort 1, none below 1/4.
    """

    name = "auto"
    #: How hard `Search` looks where the edge program has found a mapping, as a share of the effort.
    search_share = 1.0

    def __init__(self, effort: float = 1.0) -> None:
        self.effort = effort

    def is_small(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray) -> NDArray[np.bool_]:
        """Which pairs are matched exactly."""
        order = sound_order(order)
        if (order.sum() <= SMALL or (order <= 1).all()) and len(x.role_names) == len(y.role_names) == len(order):
            return np.ones(len(pairs), dtype=bool)
        edgeless = (np.diff(x.edge_ptr) == 0)[pairs[:, 0]] & (np.diff(y.edge_ptr) == 0)[pairs[:, 1]]
        return edgeless | (rows_needed(x, y, pairs, order)[0] <= SMALL)

    def name_for(self, x: GraphBatch, y: GraphBatch, pair: IntArray, order: IntArray) -> str:
        """Which matcher solves this pair."""
        return Exact.name if self.is_small(x, y, pair.reshape(1, 2), order)[0] else Search.name

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None,
        warm: IntArray | None = None, cutoff: FloatArray | None = None, device: str = "cpu",
    ) -> Matches:  # fmt: skip
        """Match the pairs; see `Matcher`. What is proven to be farther apart than `cutoff` is not searched.

        A GPU (`device`) searches all pairs that are not small and that it can hold.
        """
        check_effort(self.effort)
        pairs = sound_pairs(x, y, pairs)
        warm = sound_warm(x, y, pairs, warm)
        cut = sound_cutoff(cutoff, len(pairs))
        small = self.is_small(x, y, pairs, order)
        if small.all():
            return Exact(max_tree_nodes=MAX_TREE_NODES).solve_sound(x, y, pairs, order, n_jobs, warm, cut)
        found = Matches.empty(offsets(x.sizes[pairs[:, 0]]))
        if small.any():
            given = None if warm is None else rows_of(warm, found, small)
            small_ones = Exact(max_tree_nodes=MAX_TREE_NODES).solve_sound(x, y, pairs[small], order, n_jobs, given, cut[small])
            found.put(small, small_ones)
        given = None if warm is None else rows_of(warm, found, ~small)
        found.put(~small, self._large(x, y, pairs[~small], order, n_jobs, given, cut[~small], device))
        return found

    def _large(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None,
        warm: IntArray | None, cutoff: FloatArray, device: str,
    ) -> Matches:  # fmt: skip
        program, fits = takes(x, y, pairs, order, device)
        if program is None:
            return self._prove_or_search(x, y, pairs, order, n_jobs, warm, cutoff)

        def rest(which: NDArray[np.bool_], given: IntArray | None) -> Matches:
            return self._prove_or_search(x, y, pairs[which], order, n_jobs, given, cutoff[which])

        table = Search(effort=self.effort).table()
        return beside_device(program, fits, x, y, pairs, order, self.effort, table, warm, rest)

    def _prove_or_search(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None,
        warm: IntArray | None, cutoff: FloatArray,
    ) -> Matches:  # fmt: skip
        search = Search(effort=self.effort)
        if not self.effort >= LEAST_EFFORT:
            return search.solve_sound(x, y, pairs, order, n_jobs, warm)
        rounds = int(np.ceil(ROUNDS * self.effort))
        found, done = solve_by_edges(x, y, pairs, order, n_jobs, rounds, warm, cutoff, branching=NEARLY_PROVEN)
        found = replace(found, second=found.upper.copy())
        further = Search(effort=self.effort * self.search_share)
        for which, begin, looking in ((done & is_open(found, cutoff), found.flat, further), (~done, warm, search)):
            if which.any():
                given, before = None if begin is None else rows_of(begin, found, which), found.lower[which]
                found.put(which, looking.solve_sound(x, y, pairs[which], order, n_jobs, given))
                found.lower[which] = np.maximum(before, found.lower[which])
        return found


class Hasty(Auto):
    """The same with less effort after the edge program, for alignments that will be sought again when centers have settled.

    Parameters
    ----------
    effort : float
        That of `Auto`.
    """

    search_share = 0.3
