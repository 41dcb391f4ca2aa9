"""The graduated assignment matcher, as published."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.graduated import graduated_pairs
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import solve_pairs
from graphmeans.matching.sound import sound_pairs

#: Most temperatures, soft assignments at one of them, and normalisations of one of these.
MAX_STEPS = 10_000


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
        numbers = (self.beta0, self.beta_max, self.rate, self.tolerance)
        if not all(isinstance(number, Real) and np.isfinite(float(number)) for number in numbers):
            raise GraphError("graduated assignment needs finite numbers beta0, beta_max, rate and tolerance")
        if not (0 < self.beta0 <= self.beta_max and self.rate > 1 and self.tolerance >= 0):
            raise GraphError("graduated assignment needs 0 < beta0 <= beta_max, rate > 1 and tolerance >= 0")
        if np.log(self.beta_max / self.beta0) > MAX_STEPS * np.log(self.rate):
            raise GraphError(f"graduated assignment takes at most {MAX_STEPS} temperatures from beta0 to beta_max: raise rate")
        for name in ("assignments", "sinkhorn"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= MAX_STEPS:
                raise GraphError(f"graduated assignment: {name} must be a whole number from 1 to {MAX_STEPS}, got {value!r}")
        pairs = sound_pairs(x, y, pairs)
        betas = float(self.beta0), float(self.beta_max), float(self.rate)
        settings = (*betas, int(self.assignments), int(self.sinkhorn), float(self.tolerance))
        return solve_pairs(graduated_pairs, settings, x, y, pairs, order, n_jobs)
