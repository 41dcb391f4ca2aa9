"""`ShiftHistory`: how far each center has moved since any earlier time.

A lower bound that was true for a center at time t is true now less the distance that the center has moved since t. That
distance is the norm between two positions in one frame, never the sum of the steps in between. Only a few earlier positions
are kept; a time whose position is gone is represented by a later one, and what lies between the two is added.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray

#: Nodes and edges of all centers in their frames.
Positions = tuple[FloatArray, FloatArray]

#: Earlier positions that are kept.
SNAPSHOTS = 16
#: A shift is what bounds lose: more than rounding can make of it, and of the difference to a bound.
ROUNDED_UP = 1.0 + 1e-12


class ShiftHistory:
    """The shifts of k centers. Nothing in it is changed in place, so a shallow copy is a snapshot.

    Attributes
    ----------
    shift : array of shape (now + 1, k)
        ``shift[t, c]`` is an upper bound of the distance between center c now and at time t; infinite if center c was put
        somewhere else after time t.
    """

    ARRAYS = ("shift", "anchor", "offset", "placed_at")

    def __init__(self, k: int) -> None:
        self.shift = np.zeros((1, k))
        self.anchor = np.zeros(1, dtype=np.int64)  # for each time, the kept time that represents it
        self.offset = np.zeros((1, k))  # how far the centers moved between the two
        self.placed_at = np.zeros(k, dtype=np.int64)
        self._snapshots: dict[int, Positions] = {}

    def advance(self, before: Positions | None, after: Positions, replaced: IntArray | None = None) -> None:
        """Let one unit of time pass, in which the centers moved; those `replaced` were put somewhere else.

        The positions before are needed the first time only.
        """
        now = len(self.shift)
        if replaced is not None:
            self.placed_at = self.placed_at.copy()
            self.placed_at[replaced] = now
        if before is not None:
            self._snapshots = {now - 1: before}
        self._snapshots = {**self._snapshots, now: after}
        self.anchor = np.append(self.anchor, now)
        self.offset = np.vstack([self.offset, np.zeros(self.offset.shape[1])])
        if len(self._snapshots) > SNAPSHOTS:
            self._drop_one()
        since = {time: self._between(time, now) for time in self._snapshots}
        self.shift = np.array([since[int(a)] for a in self.anchor]) + self.offset
        self.shift[np.arange(now + 1)[:, None] < self.placed_at] = np.inf

    def _between(self, then: int, now: int) -> FloatArray:
        (a, b), (c, d) = self._snapshots[then], self._snapshots[now]
        return ROUNDED_UP * np.sqrt(((c - a) ** 2).sum(axis=(1, 2)) + ((d - b) ** 2).sum(axis=(1, 2, 3)))

    def _drop_one(self) -> None:
        """Drop the snapshot that differs least from the next one, which represents it from now on."""
        times = sorted(self._snapshots)
        steps = [self._between(a, b) for a, b in pairwise(times[:-1])]
        least = int(np.argmin([step.sum() for step in steps]))
        represented = self.anchor == times[least]
        self.offset = self.offset + represented[:, None] * steps[least]
        self.anchor = np.where(represented, times[least + 1], self.anchor)
        self._snapshots = {time: kept for time, kept in self._snapshots.items() if time != times[least]}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that it consists of."""
        times = sorted(self._snapshots)
        return {name: getattr(self, name) for name in self.ARRAYS} | {
            "snapshot_times": np.array(times, dtype=np.int64),
            "snapshot_nodes": np.array([self._snapshots[time][0] for time in times]),
            "snapshot_edges": np.array([self._snapshots[time][1] for time in times]),
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> ShiftHistory:
        """The history that `to_arrays` wrote down."""
        history = cls(arrays["shift"].shape[1])
        for name in cls.ARRAYS:
            setattr(history, name, arrays[name])
        then = zip(arrays["snapshot_nodes"], arrays["snapshot_edges"], strict=True)
        history._snapshots = dict(zip(map(int, arrays["snapshot_times"]), then, strict=True))
        return history

    def read_only(self) -> ShiftHistory:
        """The shifts alone, for those who only ask how far centers have moved."""
        other = copy(self)
        other._snapshots, other.anchor, other.offset = {}, self.anchor[:0], self.offset[:0]
        return other
