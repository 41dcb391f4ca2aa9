"""The exact matcher: branch and bound, guaranteed optimal."""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.exact import exact_pairs
from graphmeans.matching.match import IntArray, Matches
from graphmeans.matching.pairs import solve_pairs

NO_LIMIT = 1 << 62


class Exact(BaseEstimator):
    """Depth-first branch and bound. Without a limit every answer is proven optimal.

    Parameters
    ----------
    max_nodes : int, optional
        Most nodes of the search tree a pair; beyond it the interval reached so far is returned.
    max_seconds : float, optional
        The same in seconds a pair. It makes results depend on the machine; prefer `max_nodes`.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph([[0.0], [1.0]], [(0, 1)])
    >>> gm.match(x, x, matcher=gm.Exact()).certified
    True
    """

    name = "exact"

    def __init__(self, max_nodes: int | None = None, max_seconds: float | None = None) -> None:
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None
    ) -> Matches:
        """Match the pairs; see `Matcher`."""
        if self.max_nodes is not None and self.max_nodes < 1:
            raise GraphError(f"max_nodes must be at least 1, got {self.max_nodes}")
        most = NO_LIMIT if self.max_nodes is None else int(self.max_nodes)
        if self.max_seconds is None:
            return self._search(x, y, pairs, order, n_jobs, most)
        if self.max_seconds <= 0:
            raise GraphError(f"max_seconds must be positive, got {self.max_seconds}")
        parts = [self._search_for(self.max_seconds, x, y, pair[None], order, most) for pair in pairs]
        sizes = x.sizes[pairs[:, 0]]
        return Matches(
            np.array([part.lower[0] for part in parts]),
            np.array([part.upper[0] for part in parts]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([np.zeros(0, np.int64), *[part.flat for part in parts]]),
        )

    def _search(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, most: int
    ) -> Matches:
        return solve_pairs(exact_pairs, (most,), x, y, pairs, order, n_jobs, np.empty(len(pairs), dtype=np.int64))

    def _search_for(
        self, seconds: float, x: GraphBatch, y: GraphBatch, pair: IntArray, order: IntArray, most: int
    ) -> Matches:
        """Search one pair with twice as many tree nodes each time until it is solved or the time is over."""
        start, budget = time.perf_counter(), min(64, most)
        while True:
            found = self._search(x, y, pair, order, 1, budget)
            solved = found.upper[0] == found.lower[0]
            if solved or budget >= most or 2 * (time.perf_counter() - start) >= seconds:
                return found
            budget = min(2 * budget, most)
