"""The incremental arithmetic mean, which is the one of the paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, row_ranges
from graphmeans.matching.fixed import alignments_are_fixed
from graphmeans.means.frames import Frames
from graphmeans.means.method import MatchPairs, Means, align, members, rounds


class Incremental(BaseEstimator):
    """y_1 = x_1; y_i = (i - 1)/i y_(i-1) + 1/i x_i with x_i aligned to y_(i-1).

    N - 1 matchings; the result depends on the order and lives in the frame of the first graph. The groups are walked
    through side by side, so that each round is one batch of pairs.
    """

    name = "incremental"

    def compute(
        self, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, order: IntArray,
        random_state: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """See `MeanMethod`."""
        frames, means = self.frames(match, batch, groups, weights, alignments_are_fixed(order, batch))
        return Means(frames.centers(), *means)

    def frames(
        self, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, fixed: bool = False
    ) -> tuple[Frames, tuple[IntArray, IntArray, IntArray, IntArray]]:
        """The sums behind the means, and the alignments (which, group, flat, ptr).

        Where alignments are `fixed` all but the first graphs are aligned to these at once: to what does not matter.
        """
        which, group, ptr, flat = members(batch, groups)
        frames = Frames(len(groups), batch, max(1, int(batch.sizes[which].max(initial=0))))
        turns = rounds(which, group, weights)
        if fixed and len(turns) > 2:
            turns = [turns[0], np.concatenate(turns[1:])]
        for t, positions in enumerate(turns):
            graphs, to = which[positions], group[positions]
            found = align(match, batch, frames, graphs, to, first=t == 0)
            frames.add(batch, graphs, to, found.flat, found.ptr, weights[graphs])
            flat[row_ranges(ptr, positions)[0]] = found.flat
        return frames, (which, group, flat, ptr)
