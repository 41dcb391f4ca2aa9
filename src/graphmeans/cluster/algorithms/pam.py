"""Partitioning around medoids by exchanges, where distances are dear: a candidate is matched only if its bounds allow a gain.

FasterPAM (Schubert and Rousseeuw 2021): for each candidate in turn, what the objective would gain if it took the place of
each medoid, in one pass over the graphs; the best exchange is made at once if it is a gain. That gain can only shrink if
distances grow, so lower bounds give an upper bound of it; and a graph whose bound to the candidate is no less than the
distance to its second medoid does not care about the candidate at all. Where distances are exact, the triangle inequality
through the medoids gives further bounds. The graphs that a candidate could gain most from are matched first: mostly they
show that it is none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphmeans.graphs.batch import FloatArray, IntArray

#: A gain that is smaller than this share of the objective is rounding.
LEAST_GAIN = 1e-12
#: What rounding may add to the difference of two distances, relative to the largest.
ROUNDING = 1e-9
#: Graphs that are matched with a candidate before it is judged again.
AT_ONCE = 64
#: Most passes over all graphs where nobody says how many; a few are enough.
MOST_PASSES = 100


class Pam:
    """Medoids of a collection, exchanged as long as that lowers the sum of weighted distances.

    Parameters
    ----------
    medoids : int array
        Positions of the first medoids.
    weights : array of shape (N,)
    bounds : callable
        graph -> lower bounds of its distances to all graphs.
    distances : callable
        (graph, others) -> its distances to some graphs.
    metric : bool
        Whether these distances obey the triangle inequality.
    """

    def __init__(
        self,
        medoids: IntArray,
        weights: FloatArray,
        bounds: Callable[[int], FloatArray],
        distances: Callable[[int, IntArray], FloatArray],
        metric: bool = False,
    ) -> None:
        self.metric = metric
        self.medoids, self.weights = np.array(medoids, dtype=np.int64), weights
        self._bounds, self._distances = bounds, distances
        self.to_medoids = np.stack([self._all(m) for m in self.medoids], axis=1)
        self._assign()

    def run(self, max_iter: int) -> int:
        """Pass over all graphs until a pass brings no exchange, or `max_iter` times; returns how many passes there were."""
        for done in range(1, max_iter + 1):
            if not sum(self._try(candidate) for candidate in range(len(self.weights))):
                return done
        return max_iter

    @property
    def objective(self) -> float:
        """Sum of weighted distances to the medoids."""
        return float(self.weights @ self.near)

    def _assign(self) -> None:
        everyone = np.arange(len(self.weights))
        order = np.argsort(self.to_medoids, axis=1, kind="stable")
        self.labels = order[:, 0]
        self.near = self.to_medoids[everyone, self.labels]
        alone = len(self.medoids) == 1
        self.second = np.full(len(everyone), np.inf) if alone else self.to_medoids[everyone, order[:, 1]]
        # What it costs to do without each medoid.
        lost = np.where(self.weights > 0, self.weights * (self.second - self.near), 0.0)
        self.removal = np.zeros(1) if alone else np.bincount(self.labels, weights=lost, minlength=len(self.medoids))

    def _try(self, candidate: int) -> bool:
        if candidate in self.medoids:
            return False
        distance = self._bounds(candidate)
        if self.metric:
            detour = np.abs(self.to_medoids - self.to_medoids[candidate]).max(axis=1)
            distance = np.maximum(distance, detour - ROUNDING * self.to_medoids.max())
        least = -LEAST_GAIN * self.objective
        place, change = self._change(distance)
        matter = np.flatnonzero((distance < self.second) & (self.weights > 0))
        promise = self.weights[matter] * (np.minimum(self.second[matter], 2 * self.near[matter]) - distance[matter])
        matter = matter[np.argsort(-promise, kind="stable")]
        while len(matter) and change < least:
            part, matter = matter[:AT_ONCE], matter[AT_ONCE:]
            distance[part] = self._distances(candidate, part)
            place, change = self._change(distance)
        if change >= least:
            return False
        self.medoids[place] = candidate
        self.to_medoids[:, place] = self._all(candidate)
        self._assign()
        return True

    def _change(self, distance: FloatArray) -> tuple[int, float]:
        """The medoid that the candidate had best take the place of, and what that changes, given its distances."""
        w = self.weights
        if len(self.medoids) == 1:
            with np.errstate(invalid="ignore"):
                return 0, float(np.where(w > 0, w * (distance - self.near), 0.0).sum())
        nearer, between = distance < self.near, (distance >= self.near) & (distance < self.second)
        gain = float((w[nearer] * (distance[nearer] - self.near[nearer])).sum())
        change = self.removal.copy()
        k = len(change)
        change += np.bincount(self.labels[nearer], w[nearer] * (self.near - self.second)[nearer], minlength=k)
        change += np.bincount(self.labels[between], w[between] * (distance - self.second)[between], minlength=k)
        place = int(change.argmin())
        return place, float(change[place] + gain)

    def _all(self, graph: int) -> FloatArray:
        return self._distances(graph, np.arange(len(self.weights)))


def best_medoids(costs: FloatArray, weights: FloatArray, k: int) -> IntArray:
    """The k graphs with the least weighted sum of costs, where costs[i, j] is what graph j costs in the cluster of graph i.

    They are added one by one, each the best at its turn, and then exchanged as long as that helps.
    """
    weighted = costs * weights
    chosen: list[int] = []
    nearest = np.full(len(costs), np.inf)
    for _ in range(k):
        totals = np.minimum(nearest, weighted).sum(axis=1)
        totals[chosen] = np.inf
        chosen.append(int(totals.argmin()))
        nearest = np.minimum(nearest, weighted[chosen[-1]])
    pam = Pam(np.array(chosen), weights, lambda graph: costs[graph].copy(), lambda graph, others: costs[graph, others])
    pam.run(MOST_PASSES)
    return pam.medoids
