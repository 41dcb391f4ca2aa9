"""The matcher for larger graphs, which makes many cheap descents and stops as soon as the interval closes."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.search import search_pairs
from graphmeans.matching.device import beside_device, takes
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import solve_pairs
from graphmeans.matching.sound import sound_pairs, sound_warm

#: How many random numbers all pairs share, so that what is found for a pair depends on the pair alone.
TABLE_SIZE = 4099
#: A round of trials: starts of Frank-Wolfe with at most so many steps each, growths, and regrowths for each row.
STARTS, STEPS, GROWTHS, REGROWTHS = 2, 30, 10, 3
#: More effort than this would take years.
MAX_EFFORT = 1e6


def check_effort(effort: object) -> None:
    """Raise unless it is a number that says how hard to search."""
    if isinstance(effort, (bool, np.bool_)) or not isinstance(effort, Real) or not 0 <= float(effort) <= MAX_EFFORT:
        raise GraphError(f"effort must be a number from 0 to {MAX_EFFORT:.0e}, got {effort!r}")


class Search(BaseEstimator):
    """Search for the best mapping from several starts.

    First the assignment of the root bound (and the warm mapping, if there is one), then Frank-Wolfe from the center and
    from random points of the doubly stochastic matrices, then mappings grown along the edges from one pair of nodes that
    look alike; each is polished by exchanges. Then parts of the best mapping are freed, seeded differently and grown
    together again. With more effort such rounds are repeated. It stops as soon as the lower bound is met.

    Parameters
    ----------
    effort : float, default=1.0
        How many rounds of trials there are: 1 by default, half of the first one for 0.5. More of them never find less. 0:
        only the assignment (and the warm mapping), polished.
    seed : int, default=0
        The seed of the random numbers, which all pairs share.

    See Also
    --------
    Exact : Proves its answers.
    match : Matches one pair.

    References
    ----------
    .. [1] J. T. Vogelstein et al., "Fast approximate quadratic programming for graph matching", PLOS ONE 10(4), 2015.

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
        device : {"cpu", "cuda", "auto"}, default="cpu"
            Who searches.

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        check_effort(self.effort)
        if isinstance(self.seed, bool) or not isinstance(self.seed, (int, np.integer)) or not 0 <= self.seed < 2**32:
            raise GraphError(f"seed must be a whole number from 0 to 2**32 - 1, got {self.seed!r}")
        pairs = sound_pairs(x, y, pairs)
        warm = sound_warm(x, y, pairs, warm)
        program, fits = takes(x, y, pairs, order, device)
        if program is None:
            return self.solve_sound(x, y, pairs, order, n_jobs, warm)

        def rest(which: NDArray[np.bool_], given: IntArray | None) -> Matches:
            return self.solve_sound(x, y, pairs[which], order, n_jobs, given)

        return beside_device(program, fits, x, y, pairs, order, self.effort, self.table(), warm, rest)

    def solve_sound(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, warm: IntArray | None
    ) -> Matches:
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

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        tries = (float(self.effort), STARTS, STEPS, GROWTHS, REGROWTHS)
        start = np.zeros(0, dtype=np.int64) if warm is None else warm
        return solve_pairs(search_pairs, (*tries, self.table(), warm is not None, start), x, y, pairs, order, n_jobs)

    def table(self) -> FloatArray:
        """Draw the random numbers that all pairs share.

        Returns
        -------
        array
            Numbers from 0 to 1.
        """
        return np.random.RandomState(self.seed).random_sample(TABLE_SIZE)
