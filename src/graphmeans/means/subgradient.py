"""The paper's generic subgradient method for the sample mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Frames
from graphmeans.means.method import MatchPairs, Means, align, fill, members, rounds


class Subgradient(BaseEstimator):
    """y <- y - eta_t (y - x_t), one random sample a step, with eta_t = eta0 / (1 + t) ** power.

    F is evaluated after every epoch and the best point is kept. At the end all members are aligned to it; the mean of
    that alignment, which is at least as good, is returned. The default steps make the first epoch the incremental mean.

    Parameters
    ----------
    epochs : int
        How often every member is taken.
    eta0, power : float
        The step sizes.
    """

    name = "subgradient"

    def __init__(self, epochs: int = 5, eta0: float = 1.0, power: float = 1.0) -> None:
        self.epochs = epochs
        self.eta0 = eta0
        self.power = power

    def compute(
        self, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, order: IntArray,
        random_state: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """See `MeanMethod`."""
        if self.epochs < 1 or not self.eta0 > 0 or not self.power > 0:
            raise GraphError("the subgradient method needs epochs >= 1, eta0 > 0 and power > 0")
        which, group, ptr, flat = members(batch, groups)
        counted = np.flatnonzero(weights[which] > 0)
        relative = _relative(weights, groups)
        frames = Frames(len(groups), batch, max(1, int(batch.sizes[which].max(initial=0))))
        best = np.full(len(groups), np.inf)
        best_roles = [np.zeros(0, dtype=np.int32)] * len(groups)  # of the slots of the best point
        taken = np.zeros(len(groups), dtype=np.int64)  # steps of each group so far
        for epoch in range(self.epochs):
            # Each graph draws a number, so the walk through a group does not depend on the other groups.
            turn = random_state.random_sample(len(batch))
            walk = groups if epoch == 0 else [group[np.argsort(turn[group], kind="stable")] for group in groups]
            order_which, order_group, _, _ = members(batch, walk)
            for positions in rounds(order_which, order_group, weights):
                self._step(match, batch, frames, order_which[positions], order_group[positions], relative, taken)
            rows = row_ranges(ptr, counted)[0]
            found = align(match, batch, frames, which[counted], group[counted])
            value = np.bincount(group[counted], weights[which[counted]] * found.upper**2, minlength=len(groups))
            better = value < best
            best[better] = value[better]
            take = np.repeat(better[group[counted]], np.diff(found.ptr))
            flat[rows[take]] = found.flat[take]
            for k in np.flatnonzero(better):
                best_roles[k] = frames.roles[k, : frames.size[k]].copy()
        frames = Frames.of_roles(best_roles, batch)
        fill(frames, batch, which, group, flat, ptr, weights)
        return Means(frames.centers(), which, group, flat, ptr)

    def _step(
        self, match: MatchPairs, batch: GraphBatch, frames: Frames, graphs: IntArray, to: IntArray, relative: FloatArray,
        taken: IntArray,
    ) -> None:  # fmt: skip
        first = not taken[to].any()
        found = align(match, batch, frames, graphs, to, first)
        step = np.minimum(1.0, self.eta0 / (1.0 + taken[to]) ** self.power * relative[graphs])
        eta = np.ones(len(graphs)) if first else step
        frames.scale(to, 1.0 - eta)
        frames.add(batch, graphs, to, found.flat, found.ptr, eta)
        taken[to] += 1


def _relative(weights: FloatArray, groups: Sequence[IntArray]) -> FloatArray:
    """Weights in units of the average weight of the group."""
    relative = np.zeros(len(weights))
    for group in groups:
        relative[group] = weights[group] * (weights[group] > 0).sum() / weights[group].sum()
    return relative
