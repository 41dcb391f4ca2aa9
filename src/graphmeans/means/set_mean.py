"""The set mean is the sample graph with the smallest sum of squared distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.means.frames import Centers, Frames
from graphmeans.means.method import MatchPairs, Means, members


class SetMean(BaseEstimator):
    """The medoid: N (N - 1) / 2 matchings to find it, N - 1 to align the others to it."""

    name = "set"
    repeats = True  # the order of the members does not matter

    def compute(
        self, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, order: IntArray,
        random_state: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """See `MeanMethod`."""
        chosen = np.array([self._medoid(match, batch, group, weights) for group in groups], dtype=np.int64)
        medoids = batch.take(chosen)
        which, group, ptr, flat = members(batch, groups)
        others = which != chosen[group]
        own = np.repeat(~others, np.diff(ptr))
        flat[own] = (np.arange(ptr[-1]) - np.repeat(ptr[:-1], np.diff(ptr)))[own]
        found = match(batch, medoids, np.stack([which[others], group[others]], axis=1))
        flat[~own] = found.flat
        return Means(self._supported(batch, medoids, which, group, flat, ptr, weights), which, group, flat, ptr)

    @staticmethod
    def _medoid(match: MatchPairs, batch: GraphBatch, group: IntArray, weights: FloatArray) -> int:
        rows, columns = np.triu_indices(len(group), k=1)
        squares = np.zeros((len(group), len(group)))
        squares[rows, columns] = match(batch, batch, np.stack([group[rows], group[columns]], axis=1)).upper ** 2
        objective = (squares + squares.T) @ weights[group]
        return int(group[np.where(weights[group] > 0, objective, np.inf).argmin()])

    @staticmethod
    def _supported(
        batch: GraphBatch, medoids: GraphBatch, which: IntArray, group: IntArray, flat: IntArray, ptr: IntArray,
        weights: FloatArray,
    ) -> Centers:  # fmt: skip
        frames = Frames.of_graphs(medoids)
        frames.add(batch, which, group, flat.copy(), ptr, weights[which])
        share = frames.centers()
        # The first slots of each frame are the medoid's nodes; what other members have besides is not in it.
        starts = share.batch.node_ptr[:-1]
        first = np.concatenate([np.arange(a, a + n) for a, n in zip(starts, medoids.sizes, strict=True)])
        k = np.repeat(np.arange(len(medoids)), np.diff(medoids.edge_ptr))
        i, j = medoids.ends.T
        edge = frames.edge_weight[k, i, j][:, None]
        if medoids.directed:
            edge = np.stack([frames.edge_weight[k, i, j], frames.edge_weight[k, j, i]], axis=1)
        # An arc that members have against the direction of the medoid's is not in it either.
        shares = edge / frames.total[k][:, None] * Centers.of_graphs(medoids).edge_support
        return Centers(medoids, share.node_support[first.astype(np.int64)], shares, damped=False)
