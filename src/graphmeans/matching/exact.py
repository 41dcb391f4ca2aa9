"""The exact matcher, branch and bound, whose answers are guaranteed to be optimal."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.exact import exact_pairs
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import solve_pairs

NO_LIMIT = 1 << 62
#: Tree nodes searched to learn how fast a pair goes, where there is a limit in seconds.
PROBE = 64


class Exact(BaseEstimator):
    """Depth-first branch and bound. Without a limit every answer is proven optimal.

    Parameters
    ----------
    max_tree_nodes : int, optional
        Most nodes of the search tree for a pair; beyond it the interval reached so far is returned.
    max_seconds : float, optional
        About so many seconds for a pair. It makes results depend on the machine; prefer `max_tree_nodes`.

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
        """
        if self.max_tree_nodes is not None and self.max_tree_nodes < 1:
            raise GraphError(f"max_tree_nodes must be at least 1, got {self.max_tree_nodes}")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise GraphError(f"max_seconds must be positive, got {self.max_seconds}")
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        most = NO_LIMIT if self.max_tree_nodes is None else int(self.max_tree_nodes)
        cut = np.full(len(pairs), np.inf) if cutoff is None else np.ascontiguousarray(cutoff, dtype=np.float64)
        if self.max_seconds is None:
            return self._search(x, y, pairs, order, n_jobs, most, warm, cut)
        # Each pair is searched with a few tree nodes to learn how fast it goes, then with as many as there is time for.
        found = Matches.empty(offsets(x.sizes[pairs[:, 0]]))
        for p in range(len(pairs)):
            start = time.perf_counter()
            one = slice(p, p + 1)
            part = self._search(x, y, pairs[one], order, 1, min(PROBE, most), warm, cut[one])
            spent = time.perf_counter() - start
            budget = min(int(PROBE * (self.max_seconds - spent) / spent), most)
            if part.lower[0] < part.upper[0] and budget > PROBE:
                part = self._search(x, y, pairs[one], order, 1, budget, part.flat, cut[one])
            found.put(one, part)
        return found

    def _search(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, most: int,
        warm: IntArray | None, cutoff: FloatArray,
    ) -> Matches:  # fmt: skip
        start = np.zeros(0, dtype=np.int64) if warm is None else np.ascontiguousarray(warm, dtype=np.int64)
        settings = (most, cutoff, warm is not None, start)
        tree_nodes, second = np.empty(len(pairs), dtype=np.int64), np.zeros(len(pairs))
        return replace(solve_pairs(exact_pairs, settings, x, y, pairs, order, n_jobs, tree_nodes, second), second=second)
