"""The default matcher, which is exact where that is quick and searches elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import rows_needed
from graphmeans.matching.search import Search

#: Up to this many rows branch and bound takes a few microseconds on attributed graphs.
SMALL = 10
#: Graphs without attributes can be worse; their search ends here with the best mapping found and its interval.
MAX_TREE_NODES = 10_000


class Auto(BaseEstimator):
    """Pick the matcher pair by pair, by the pair alone.

    Exact (at most 10,000 nodes of the search tree) for a pair of at most 10 rows, for graphs without edges, where a matching
    is one linear assignment, and where every node has a role of its own, so that there is nothing to choose; search otherwise.

    Parameters
    ----------
    effort : float
        The effort of `Search`.
    """

    name = "auto"

    def __init__(self, effort: float = 1.0) -> None:
        self.effort = effort

    def is_small(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray) -> NDArray[np.bool_]:
        """Which pairs are matched exactly."""
        if (order.sum() <= SMALL or (order <= 1).all()) and len(x.role_names) == len(y.role_names) == len(order):
            return np.ones(len(pairs), dtype=bool)
        edgeless = (np.diff(x.edge_ptr) == 0)[pairs[:, 0]] & (np.diff(y.edge_ptr) == 0)[pairs[:, 1]]
        return edgeless | (rows_needed(x, y, pairs, order)[0] <= SMALL)

    def name_for(self, x: GraphBatch, y: GraphBatch, pair: IntArray, order: IntArray) -> str:
        """Which matcher solves this pair."""
        return Exact.name if self.is_small(x, y, pair.reshape(1, 2), order)[0] else Search.name

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None,
        warm: IntArray | None = None, cutoff: FloatArray | None = None,
    ) -> Matches:  # fmt: skip
        """Match the pairs; see `Matcher`. `Exact` makes use of `cutoff`; search ignores it."""
        exact, search = Exact(max_tree_nodes=MAX_TREE_NODES), Search(effort=self.effort)
        small = self.is_small(x, y, pairs, order)
        if small.all():
            return exact.solve(x, y, pairs, order, n_jobs, warm, cutoff)
        if not small.any():
            return search.solve(x, y, pairs, order, n_jobs, warm)
        ptr = offsets(x.sizes[pairs[:, 0]])
        together = Matches.empty(ptr)
        some, others = (None if warm is None else warm[np.repeat(part, np.diff(ptr))] for part in (small, ~small))
        near = None if cutoff is None else cutoff[small]
        together.put(small, exact.solve(x, y, pairs[small], order, n_jobs, some, near))
        together.put(~small, search.solve(x, y, pairs[~small], order, n_jobs, others))
        return together
