"""`Known`: what some graphs know of the distances to moving centers, cheapest first."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import MovingCenters, Sketches
from graphmeans.cluster.counters import Matchings
from graphmeans.cluster.shards.bounds import CERTIFIED, Bounds
from graphmeans.graphs.batch import GraphBatch
from graphmeans.kernels.candidates import count_below, list_below, nearest_of
from graphmeans.matching.bounds import lap_bounds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Known:
    """Graphs with labels, u, and three kinds of lower bounds for the centers that are not their own.

    One bound for all of them together (`others`, true at the time `others_at`); sketches, from which N x k bounds are one
    compiled loop; and a table of bounds for the few centers a graph came near to. A linear assignment raises a bound.
    """

    def __init__(self, batch: GraphBatch, matchings: Matchings, order: IntArray) -> None:
        self.batch, self.matchings, self.order = batch, matchings, order
        self.forget()

    def forget(self) -> None:
        """Nothing is known: other centers are to come."""
        n = len(self.batch)
        self.labels = np.zeros(n, dtype=np.int64)
        self.upper = np.full(n, np.inf)
        self.others, self.others_at = np.full(n, -np.inf), np.zeros(n, dtype=np.int64)
        self.bounds = Bounds(n)
        # Of which graphs something has changed since it was last left behind: label and alignment, u, the table of bounds.
        self.touched, self.shifted, self.learnt = (np.ones(n, dtype=bool) for _ in range(3))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def sketches(self) -> Sketches:
        """Sketches of the graphs, computed once."""
        return Sketches.of(self.batch, self.order)

    def _open(self, centers: MovingCenters, limit: FloatArray) -> IntArray:
        """Graphs for which the one bound for all other centers does not exceed the limit."""
        with np.errstate(invalid="ignore"):
            return np.flatnonzero(~(self.others - self._others_moved(centers) >= limit))

    def _others_moved(self, centers: MovingCenters) -> FloatArray:
        """The most that any center but the own has moved since the bound for all of them was true."""
        drift = centers.drift
        farthest = drift.argmax(axis=1)
        rest = drift.copy()
        rest[np.arange(len(drift)), farthest] = 0.0
        own = farthest[self.others_at] == self.labels
        return np.where(own, rest.max(axis=1)[self.others_at], drift.max(axis=1)[self.others_at])

    def _close(self, x: IntArray, low: FloatArray, centers: MovingCenters) -> None:
        """One bound for all other centers of each graph."""
        self.others[x], self.others_at[x] = low.min(axis=1, initial=np.inf), centers.now
        self.touched[x] = True

    def _low(self, x: IntArray, centers: MovingCenters, certified: bool = False) -> FloatArray:
        """Lower bounds of the distances of graphs x to all centers, shape (len(x), k)."""
        low = self.sketches.bounds(x, centers.sketches)
        self.bounds.lay_over(x, centers.drift, low, certified)
        return low

    def _test(
        self, rows: IntArray, x: IntArray, limit: FloatArray, low: FloatArray, tested: BoolArray, centers: MovingCenters,
        counts: Counter[str],
    ) -> IntArray:  # fmt: skip
        """Raise bounds below the limit by one linear assignment each; returns the rows that are still undecided."""
        is_open = np.zeros(len(rows), dtype=bool)
        count = count_below(low, rows, limit, tested, is_open)
        if not count:
            return rows[is_open]
        row, y = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        list_below(low, rows, limit, tested, row, y)
        low[row, y] = np.maximum(low[row, y], self._assignments(x[row], y, centers))
        counts["assignments"] += count
        count_below(low, rows, limit, tested, is_open)
        return rows[is_open]

    @staticmethod
    def _nearest(low: FloatArray, rows: IntArray) -> IntArray:
        """The center with the least bound, of each of these rows."""
        y = np.empty(len(rows), dtype=np.int64)
        nearest_of(low, rows, y)
        return y

    def _assignments(self, x: IntArray, y: IntArray, centers: MovingCenters) -> FloatArray:
        space = self.matchings.space
        bound = lap_bounds(self.batch, centers.batch, np.stack([x, y], axis=1), space.order, space.n_jobs)
        self._keep_bounds(x, y, bound, CERTIFIED, centers)
        return bound

    def _keep_bounds(self, x: IntArray, y: IntArray, value: FloatArray, kind: int, centers: MovingCenters) -> None:
        self.bounds.keep(x, y, value, kind, centers.now, centers.drift)
        self.learnt[x] = True
