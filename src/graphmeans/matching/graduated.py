"""The graduated assignment matcher, as published."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.graduated import graduated_pairs
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import solve_pairs


class Graduated(BaseEstimator):
    """Graduated assignment: a soft assignment is hardened by deterministic annealing, then cleaned up.

    Similarities are divided by the largest inner product that two nodes, or two edges, of the pair could have, so that
    the temperatures mean the same for all data. A node may stay unmatched (slack) where the space has room for it.

    Parameters
    ----------
    beta0 : float, default=0.5
        Inverse temperature: first, last, and the factor between two of them.
    beta_max : float, default=10.0
        Inverse temperature: first, last, and the factor between two of them.
    rate : float, default=1.075
        Inverse temperature: first, last, and the factor between two of them.
    assignments : int, default=4
        Most soft assignments at a temperature.
    sinkhorn : int, default=30
        Most normalisations of rows and columns for a soft assignment.
    tolerance : float, default=0.01
        When a soft assignment, or a normalisation, is taken to have converged.

    See Also
    --------
    Exact : Proves its answers.
    Search : Finds better mappings in less time.

    References
    ----------
    S. Gold and A. Rangarajan, *A graduated assignment algorithm for graph matching*, IEEE PAMI 18 (1996).

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph([[0.0], [1.0], [3.0]], [(0, 1), (1, 2)])
    >>> y = gm.Graph([[3.0], [1.0], [0.0]], [(0, 1), (1, 2)])
    >>> gm.match(x, y, matcher=gm.Graduated()).indices.tolist()
    [2, 1, 0]
    """

    name = "graduated"

    def __init__(
        self, beta0: float = 0.5, beta_max: float = 10.0, rate: float = 1.075, assignments: int = 4, sinkhorn: int = 30,
        tolerance: float = 1e-2,
    ) -> None:  # fmt: skip
        self.beta0 = beta0
        self.beta_max = beta_max
        self.rate = rate
        self.assignments = assignments
        self.sinkhorn = sinkhorn
        self.tolerance = tolerance

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None
    ) -> Matches:
        """Match the pairs; see `Matcher`.

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

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        if not (0 < self.beta0 <= self.beta_max and self.rate > 1):
            raise GraphError("graduated assignment needs 0 < beta0 <= beta_max and rate > 1")
        if self.assignments < 1 or self.sinkhorn < 1:
            raise GraphError("graduated assignment needs assignments >= 1 and sinkhorn >= 1")
        betas = float(self.beta0), float(self.beta_max), float(self.rate)
        settings = (*betas, int(self.assignments), int(self.sinkhorn), float(self.tolerance))
        return solve_pairs(graduated_pairs, settings, x, y, pairs, order, n_jobs)
