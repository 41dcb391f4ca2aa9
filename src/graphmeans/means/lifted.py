"""The lifted mean keeps every member aligned, averages, and aligns again until no member comes closer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets, row_ranges
from graphmeans.means.frames import Frames
from graphmeans.means.incremental import Incremental
from graphmeans.means.method import MatchPairs, Means, align, fill

#: A new alignment must be shorter by this share to be taken; without it rounding could make the descent endless.
SHORTER = 1e-9


class Lifted(BaseEstimator):
    """Alternate y = mean of the aligned x_i, and re-aligning an x_i where that brings it closer to y.

    S = sum |x_i - y|^2 never rises, whatever the matcher, and is >= 2 F. It starts from the incremental mean.

    Parameters
    ----------
    max_sweeps : int
        Most times every member is matched to its mean.
    """

    name = "lifted"

    def __init__(self, max_sweeps: int = 30) -> None:
        self.max_sweeps = max_sweeps

    def compute(
        self, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, order: IntArray,
        random_state: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """See `MeanMethod`."""
        frames, (which, group, flat, ptr) = Incremental().frames(match, batch, groups, weights)
        moving = np.flatnonzero(weights[which] > 0)
        for _ in range(self.max_sweeps):
            shorter = _realign(match, batch, frames, which, group, flat, ptr, moving)
            if not len(shorter):
                break
            old, frames = frames, Frames(len(frames), batch, frames.nodes.shape[1])
            frames.size[:], frames.roles[:] = old.size, old.roles
            fill(frames, batch, which, group, flat, ptr, weights)
            # A group in which nobody moved has found its mean.
            moving = moving[np.isin(group[moving], group[shorter])]
        return Means(frames.centers(), which, group, flat, ptr)


def _realign(
    match: MatchPairs, batch: GraphBatch, frames: Frames, which: IntArray, group: IntArray, flat: IntArray, ptr: IntArray,
    moving: IntArray,
) -> IntArray:  # fmt: skip
    """Match members to their means, keep what is shorter in flat (in, out); returns the members that changed."""
    graphs, to = which[moving], group[moving]
    rows = row_ranges(ptr, moving)[0]
    own_ptr = offsets(batch.sizes[graphs])
    stored = frames.aligned_distances(batch, graphs, to, flat[rows], own_ptr)
    found = align(match, batch, frames, graphs, to)
    better = found.upper < stored * (1.0 - SHORTER)
    changed = np.repeat(better, np.diff(own_ptr))
    flat[rows[changed]] = found.flat[changed]
    return moving[better]
