"""The default matcher: exact where that is quick, search elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import IntArray, Matches
from graphmeans.matching.pairs import rows_needed
from graphmeans.matching.search import Search

#: Up to this many rows branch and bound takes a few microseconds on attributed graphs.
SMALL = 10
#: Graphs without attributes can be worse; their search ends here with the best mapping found and its interval.
MAX_NODES = 10_000


class Auto(BaseEstimator):
    """Pick the matcher pair by pair, by the pair alone.

    Exact (at most 10,000 nodes of the search tree) for a pair of at most 10 rows and for graphs without edges, where a
    matching is one linear assignment; search otherwise.

    Parameters
    ----------
    effort : float
        Of `Search`.
    """

    name = "auto"

    def __init__(self, effort: float = 1.0) -> None:
        self.effort = effort

    def is_small(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray) -> NDArray[np.bool_]:
        """Pairs that are matched exactly."""
        edgeless = (np.diff(x.edge_ptr) == 0)[pairs[:, 0]] & (np.diff(y.edge_ptr) == 0)[pairs[:, 1]]
        return edgeless | (rows_needed(x, y, pairs, order)[0] <= SMALL)

    def name_for(self, x: GraphBatch, y: GraphBatch, pair: IntArray, order: IntArray) -> str:
        """Which matcher solves this pair."""
        return Exact.name if self.is_small(x, y, pair.reshape(1, 2), order)[0] else Search.name

    def solve(
        self,
        x: GraphBatch,
        y: GraphBatch,
        pairs: IntArray,
        order: IntArray,
        n_jobs: int | None = None,
        warm: IntArray | None = None,
    ) -> Matches:
        """Match the pairs; see `Matcher`."""
        small = self.is_small(x, y, pairs, order)
        ptr = np.concatenate([[0], np.cumsum(x.sizes[pairs[:, 0]])]).astype(np.int64)
        together = Matches(np.empty(len(pairs)), np.empty(len(pairs)), ptr, np.empty(ptr[-1], dtype=np.int64))
        for chosen, matcher in ((small, Exact(max_nodes=MAX_NODES)), (~small, Search(effort=self.effort))):
            if chosen.all():
                return matcher.solve(x, y, pairs, order, n_jobs, warm)
            if chosen.any():
                rows = np.repeat(chosen, np.diff(ptr))
                part = matcher.solve(x, y, pairs[chosen], order, n_jobs, None if warm is None else warm[rows])
                together.lower[chosen], together.upper[chosen] = part.lower, part.upper
                together.flat[rows] = part.flat
        return together
