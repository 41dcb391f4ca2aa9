"""Which worker gets which shards: neighbouring ones, of about equal cost, cut where the tree of sums is cut, too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

#: By how much of a worker's share a cut may be moved to a better place.
LEEWAY = 0.06


def spread(costs: NDArray[np.float64], strengths: list[int]) -> list[tuple[int, int]]:
    """Ranges of shards, one for each worker, of about equal cost for its strength.

    Sums of shards are formed in a tree (`SumTree` in shards/reductions.py). A range that begins and ends at a multiple of a
    large power of two comes back as few sums, so cuts are moved to such places if they are near.
    """
    n = len(costs)
    ends = np.concatenate([[0.0], np.cumsum(costs)])
    aims = np.cumsum(strengths) / np.sum(strengths) * ends[-1]
    cuts = [0]
    for aim, strength in zip(aims[:-1], strengths[:-1], strict=True):
        near = LEEWAY * ends[-1] * strength / np.sum(strengths)
        ideal = int(np.abs(ends - aim).argmin())
        good = [p for p in range(cuts[-1], n + 1) if abs(ends[p] - aim) <= near] or [max(ideal, cuts[-1])]
        cuts.append(max(good, key=lambda p: (p & -p if p else n, -abs(ends[p] - aim))))
    cuts.append(n)
    return list(pairwise(cuts))
