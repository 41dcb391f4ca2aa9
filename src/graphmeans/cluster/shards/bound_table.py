"""`BoundTable`: what graphs remember of single centers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.kernels.table import FREE, keep_bounds, lay_over

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Most centers that a graph remembers something about. All others are judged by their sketch alone.
SLOTS = 64
#: The latest time at which a bound can be remembered; what is found out later is not.
LATEST = np.iinfo(np.int16).max
#: Kinds of bounds: proven, or what a matching found (with the exact matcher both are the distance itself).
CERTIFIED, ESTIMATE = 0, 1


class BoundTable:
    """Lower bounds of the distances between n graphs and the centers that each came near to.

    An entry was true at some time; now it is worth that less the distance that its center has moved since. There are at
    most `SLOTS` entries a graph however many centers there are, 14 bytes each (16 with more than 32,767 centers), in
    float32, rounded down.
    """

    ARRAYS = ("center", "values", "times")

    def __init__(self, n: int) -> None:
        self.center = np.full((n, 0), FREE, dtype=np.int16)
        self.values = np.zeros((n, 0, 2), dtype=np.float32)
        self.times = np.zeros((n, 0, 2), dtype=np.int16)

    def _reserve(self, centers: int) -> None:
        """Make room for as many bounds a graph as are of use with so many centers."""
        more = min(centers, SLOTS) - self.center.shape[1]
        if more > 0:
            self.center = np.pad(self.center, ((0, 0), (0, more)), constant_values=FREE)
            self.values = np.pad(self.values, ((0, 0), (0, more), (0, 0)))
            self.times = np.pad(self.times, ((0, 0), (0, more), (0, 0)))
        if centers > LATEST and self.center.dtype == np.int16:
            self.center = self.center.astype(np.int32)

    def keep(self, x: IntArray, y: IntArray, value: FloatArray, kind: int, centers: FrameCenters) -> None:
        """Remember that graph x[p] is at least value[p] from center y[p] as it is now."""
        if len(x) and centers.now <= LATEST:
            self._reserve(centers.shift.shape[1])
            keep_bounds(x, y, value, kind, centers.now, centers.shift, self.center, self.values, self.times)

    def raise_to(self, x: IntArray, centers: FrameCenters, low: FloatArray, certified: bool = False) -> None:
        """Raise bounds low[p, c] of graphs x[p] (in, out) to what is remembered, or only to what is proven."""
        lay_over(x, centers.shift, self.center, self.values, self.times, 1 if certified else 2, low)

    def rename(self, number: IntArray) -> None:
        """Center c is called number[c] from now on; what is known of those whose number is -1 is forgotten."""
        known = self.center != FREE
        self.center[known] = np.where(number[self.center[known]] < 0, FREE, number[self.center[known]])
