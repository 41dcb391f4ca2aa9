"""`Known`: what a start has learnt about distances. Nothing of it is ever matched again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.problem import Problem
from graphmeans.graphs.batch import row_ranges

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Known:
    """Distances of all graphs to the seeds chosen so far: the nearest seed with its alignment, and bounds for the others.

    A graph X is not matched with a new seed s if lower(s, c) >= 2 u(X) for its nearest seed c: then D(X, s) >=
    lower(s, c) - u(X) >= u(X), and that is remembered as a bound. Seeds are always matched with each other.

    Attributes
    ----------
    labels, upper : nearest seed of each graph and the distance found
    flat, ptr : its alignment to that seed, as in `Matches`
    certified : array of shape (N, k), lower bounds
    estimate : array of shape (N, k), distances that a matcher found, 0 where there was none
    """

    def __init__(self, problem: Problem, k: int) -> None:
        n = len(problem)
        self.problem = problem
        self.seeds: list[int] = []
        self.labels = np.zeros(n, dtype=np.int64)
        self.upper = np.full(n, np.inf)
        self.ptr = problem.batch.node_ptr
        self.flat = np.full(self.ptr[-1], -1, dtype=np.int64)
        self.certified, self.estimate = np.zeros((n, k)), np.zeros((n, k))
        self._matched = np.zeros((n, k), dtype=bool)

    def add(self, seed: int) -> FloatArray:
        """Take one more graph as a seed; returns the distance of every graph to its nearest seed."""
        new = len(self.seeds)
        # What is certain about the distances between the new seed and the old ones.
        unknown = np.flatnonzero(~self._matched[seed, :new])
        self._match(np.full(len(unknown), seed), unknown)
        between = self.certified[seed, :new].copy()
        self.seeds.append(seed)
        far = between[self.labels] >= 2 * self.upper if new else np.zeros(len(self.upper), dtype=bool)
        far[seed] = False
        self.certified[far, new] = (between[self.labels] - self.upper)[far] if new else 0.0
        far[seed] = True  # a graph is not matched with itself
        near = np.flatnonzero(~far)
        self._match(near, np.full(len(near), new))
        self._matched[seed, new] = True
        self._settle(np.array([seed]), new, np.zeros(1), np.arange(self.ptr[seed + 1] - self.ptr[seed]))
        return self.upper

    def _match(self, graphs: IntArray, to: IntArray) -> None:
        """Match graphs with seeds; the nearer ones become theirs."""
        if not len(graphs):
            return
        seeds = np.array(self.seeds)[to]
        found = self.problem.match(self.problem.batch, self.problem.batch, np.stack([graphs, seeds], axis=1))
        self.certified[graphs, to], self.estimate[graphs, to] = found.lower, found.upper
        self._matched[graphs, to] = True
        nearer = found.upper < self.upper[graphs]
        for seed in np.unique(to[nearer]):
            part = nearer & (to == seed)
            self._settle(graphs[part], int(seed), found.upper[part], found.take(part).flat)

    def _settle(self, graphs: IntArray, seed: int, upper: FloatArray, flat: IntArray) -> None:
        self.labels[graphs], self.upper[graphs] = seed, upper
        self.flat[row_ranges(self.ptr, graphs)[0]] = flat
