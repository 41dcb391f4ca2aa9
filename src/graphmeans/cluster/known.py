"""`Known`: what a start has learnt about distances. Nothing of it is ever matched again."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.problem import Problem
from graphmeans.graphs.batch import row_ranges
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.sketch import KINDS, sketch, sketch_distances, sketch_order

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Known:
    """Distances of all graphs to the seeds chosen so far: the nearest seed with its alignment, and bounds for the others.

    A graph X is matched with a new seed s only if nothing proves that s is no nearer than its nearest seed c: neither
    lower(s, c) - u(X), by the triangle inequality, nor their sketches, nor a linear assignment. The bound that proves it is
    remembered. Seeds are always matched with each other.

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
        bound = np.max([sketch_distances(f, f[[seed]])[:, 0] for f in self._sketches], axis=0)
        if new:
            bound = np.maximum(bound, between[self.labels] - self.upper)
        near = self._still_near(np.delete(np.arange(len(bound)), seed), bound)
        if new:
            pairs = np.stack([near, np.full(len(near), seed)], axis=1)
            bound[near] = np.maximum(bound[near], lap_bounds(self.problem.batch, self.problem.batch, pairs, *self._space))
            near = self._still_near(near, bound)
        self.certified[:, new] = bound
        self._match(near, np.full(len(near), new))
        self._matched[seed, new] = True
        self._settle(np.array([seed]), new, np.zeros(1), np.arange(self.ptr[seed + 1] - self.ptr[seed]))
        return self.upper

    @cached_property
    def _sketches(self) -> list[FloatArray]:
        batch, order = self.problem.batch, self.problem.space.order
        return [sketch(batch, sketch_order(order, batch), kind) for kind in KINDS]

    @property
    def _space(self) -> tuple[IntArray, int | None]:
        return self.problem.space.order, self.problem.space.n_jobs

    def _still_near(self, graphs: IntArray, bound: FloatArray) -> IntArray:
        """Those of the graphs that might be nearer to the new seed than to all others."""
        return graphs[bound[graphs] < self.upper[graphs]]

    def _match(self, graphs: IntArray, to: IntArray) -> None:
        """Match graphs with seeds; the nearer ones become theirs."""
        if not len(graphs):
            return
        seeds = np.array(self.seeds)[to]
        found = self.problem.match(self.problem.batch, self.problem.batch, np.stack([graphs, seeds], axis=1))
        self.certified[graphs, to] = np.maximum(self.certified[graphs, to], found.lower)
        self.estimate[graphs, to] = found.upper
        self._matched[graphs, to] = True
        nearer = found.upper < self.upper[graphs]
        for seed in np.unique(to[nearer]):
            part = nearer & (to == seed)
            self._settle(graphs[part], int(seed), found.upper[part], found.take(part).flat)

    def _settle(self, graphs: IntArray, seed: int, upper: FloatArray, flat: IntArray) -> None:
        self.labels[graphs], self.upper[graphs] = seed, upper
        self.flat[row_ranges(self.ptr, graphs)[0]] = flat
