"""The matcher for larger graphs, which makes many cheap descents and stops as soon as the interval closes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.search import search_pairs
from graphmeans.matching.device import beside_device, takes
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import solve_pairs

#: How many random numbers all pairs share, so that what is found for a pair depends on the pair alone.
TABLE_SIZE = 4099
#: A round of trials: starts of Frank-Wolfe with at most so many steps each, growths, and regrowths for each row.
STARTS, STEPS, GROWTHS, REGROWTHS = 2, 30, 10, 3


class Search(BaseEstimator):
    """Search for the best mapping from several starts.

    First the assignment of the root bound (and the warm mapping, if there is one), then Frank-Wolfe from the center and
    from random points of the doubly stochastic matrices, then mappings grown along the edges from one pair of nodes that
    look alike; each is polished by exchanges. Then parts of the best mapping are freed, seeded differently and grown
    together again. With more effort such rounds are repeated. It stops as soon as the lower bound is met.

    Parameters
    ----------
    effort : float
        How many rounds of trials there are: 1 by default, half of the first one for 0.5. More of them never find less. 0:
        only the assignment (and the warm mapping), polished.
    seed : int
        The seed of the random numbers, which all pairs share.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph([[0.0], [1.0], [3.0]], [(0, 1), (1, 2)])
    >>> y = gm.Graph([[3.0], [1.0], [0.0]], [(0, 1), (1, 2)])
    >>> gm.match(x, y, matcher=gm.Search()).indices.tolist()
    [2, 1, 0]
    """

    name = "search"

    def __init__(self, effort: float = 1.0, seed: int = 0) -> None:
        self.effort = effort
        self.seed = seed

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None,
        warm: IntArray | None = None, device: str = "cpu",
    ) -> Matches:  # fmt: skip
        """Match the pairs; see `Matcher`. `warm` is a mapping of each pair to start from, laid out as in `Matches.flat`.

        A GPU (`device`) grows mappings and exchanges their columns as the CPU does, without the starts of Frank-Wolfe.
        """
        if not (np.isfinite(self.effort) and self.effort >= 0):
            raise GraphError(f"effort must be a number of at least 0, got {self.effort!r}")
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        program, fits = takes(x, y, pairs, order, device)
        if program is not None:
            def rest(which: NDArray[np.bool_], given: IntArray | None) -> Matches:
                return self.solve(x, y, pairs[which], order, n_jobs, given)

            return beside_device(program, fits, x, y, pairs, order, self.effort, self.table(), warm, rest)
        tries = (float(self.effort), STARTS, STEPS, GROWTHS, REGROWTHS)
        start = np.zeros(0, dtype=np.int64) if warm is None else np.ascontiguousarray(warm, dtype=np.int64)
        return solve_pairs(search_pairs, (*tries, self.table(), warm is not None, start), x, y, pairs, order, n_jobs)

    def table(self) -> FloatArray:
        """The random numbers that all pairs share."""
        return np.random.RandomState(self.seed).random_sample(TABLE_SIZE)
