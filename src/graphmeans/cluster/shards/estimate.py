"""What a center elsewhere would be worth, estimated from bounds: a graph is compared with many candidates and matched with none.

Bounds are shorter than distances, sketches more so than linear assignments (LAPs), but much alike for all pairs of a collection:
what they make up of the distances that are known says by what to divide them. The estimates choose; what is chosen is matched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.shards import vectors
from graphmeans.cluster.shards.shard import FloatArray, IntArray, Shard, read_only
from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.bounds import lap_bounds
from graphmeans.nearest.sketches import Sketches

#: Where sketches make up this share of the distances, linear assignments say nothing new.
TIGHT = 0.99


@dataclass(frozen=True)
class Closeness:
    """The shares of the distance that bounds make up, on average: those of sketches and of linear assignments."""

    sketch: float = 1.0
    lap: float = 1.0

    @classmethod
    def of(cls, sums: FloatArray) -> Closeness:
        """From sums of squares of distances, sketches and assignments."""
        if not sums[0] > 0:
            return cls()
        sketch, lap = np.sqrt(np.clip(sums[1:] / sums[0], 0.01, 1.0))
        return cls(float(sketch), float(max(sketch, lap)))


@dataclass
class ExchangeGains:
    """What candidates for new centers are worth.

    Attributes
    ----------
    saved : array of shape (candidates,)
        How much lower the objective would be with one more center there.
    lost : array of shape (candidates, k)
        How much higher it would be again without each of the centers.
    """

    saved: FloatArray
    lost: FloatArray

    def __iadd__(self, other: ExchangeGains) -> ExchangeGains:
        self.saved += other.saved
        self.lost += other.lost
        return self


@read_only
def closeness_sums(shard: Shard) -> FloatArray:
    """Sums of squares of distances, of their sketches and of their assignments: of two graphs of each cluster, matched.

    Only the first shard answers; that is enough. Of rows the distances themselves are known.
    """
    usable = np.flatnonzero((shard.state.upper > 0) & (shard.weights > 0))
    if shard.first or not len(usable) or shard.matcher.space.layout is not None:
        return np.zeros(3)
    labels = shard.state.labels[usable]
    x = usable[np.unique(labels, return_index=True)[1]]
    y = usable[::-1][np.unique(labels[::-1], return_index=True)[1]]
    x, y = x[x != y], y[x != y]
    true = shard.matcher.match(shard.batch, shard.batch, np.stack([x, y], axis=1)).upper
    sketch = shard.sketches.values[x].astype(np.float64) - shard.sketches.values[y]
    return np.array([(true**2).sum(), (sketch**2).sum(), (_laps(shard, shard.batch, x, y) ** 2).sum()])


@read_only
def addition_gains(shard: Shard, candidates: GraphBatch, closeness: Closeness) -> FloatArray:
    """How much lower the objective would be with a further center at each of the candidates."""
    if shard.matcher.space.layout is not None:
        return vectors.addition_gains(shard, candidates.nodes)
    upper = shard.state.upper
    squares = _estimates(shard, candidates, upper, closeness) ** 2
    return np.asarray(shard.weights @ np.maximum(upper[:, None] ** 2 - squares, 0.0))


@read_only
def exchange_gains(
    shard: Shard, candidates: GraphBatch, centers: MovingCenters, closeness: Closeness, settled: float = 1.0
) -> ExchangeGains:
    """What it would be worth to put a center onto each of the candidates, and to take any other away.

    `settled` is the share to which squared distances fall when the new center moves to the mean of those that follow it.
    """
    if isinstance(centers, VectorCenters):
        return ExchangeGains(*vectors.exchange_gains(shard, candidates.nodes, centers, settled))
    state, w, k = shard.state, shard.weights, centers.k
    everybody = np.arange(len(shard))
    others = shard.sketches.bounds(everybody, centers.sketches) / closeness.sketch
    state.bounds.estimate(centers, closeness.lap, others)
    others[everybody, state.labels] = np.inf
    second = np.maximum(others.min(axis=1, initial=np.inf), state.upper)
    new = _estimates(shard, candidates, second, closeness)
    own, second, new = state.upper**2, second**2, settled * new**2
    nearest = np.minimum(own[:, None], new)
    saved = w @ (own[:, None] - nearest)
    more = w[:, None] * (np.minimum(second[:, None], new) - nearest)
    lost = [np.bincount(state.labels, weights=column, minlength=k) for column in more.T]
    return ExchangeGains(np.asarray(saved), np.array(lost, dtype=np.float64).reshape(-1, k))


def _estimates(shard: Shard, candidates: GraphBatch, limit: FloatArray, closeness: Closeness) -> FloatArray:
    """Estimated distances of all graphs to candidates; those above the limit are rough ones."""
    everybody = np.arange(len(shard))
    low = shard.sketches.bounds(everybody, Sketches.of(candidates, shard.order)) / closeness.sketch
    if closeness.sketch < TIGHT:
        x, c = np.nonzero(low < limit[:, None])
        low[x, c] = _laps(shard, candidates, x, c) / closeness.lap
    return low


def _laps(shard: Shard, graphs: GraphBatch, x: IntArray, y: IntArray) -> FloatArray:
    space = shard.matcher.space
    return lap_bounds(shard.batch, graphs, np.stack([x, y], axis=1), space.order, space.n_jobs, space.device)
