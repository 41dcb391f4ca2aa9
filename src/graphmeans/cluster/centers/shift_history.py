"""`ShiftHistory`: how far each center has moved since any earlier time.

A lower bound that was true for a center at time t is true now less the distance that the center has moved since t. That
distance is the norm between two positions in one frame, never the sum of the steps in between. Only a few earlier positions
are kept; a time whose position is gone is represented by a later one, and what lies between the two is added.

A center that has not moved is the same object at both times, so only those that move cost anything; and a position ends with
the last slot in use, so one large graph does not make all centers large.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray

#: Nodes and edges of a center in its frame, up to the last slot that is not empty; and those of all centers.
Position = tuple[FloatArray, FloatArray]
Positions = Sequence[Position]
#: The same as two arrays, with room for as many slots as any center may have.
Frame = tuple[FloatArray, FloatArray]

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
        self._since: dict[int, FloatArray] = {}  # for each kept time, how far the centers are from where they were
        self._steps: dict[tuple[int, int], FloatArray] = {}  # between two kept times that follow each other, where known
        self._capacity = 0

    def advance(self, before: Frame | None, after: Frame, replaced: IntArray | None = None) -> None:
        """Let one unit of time pass, in which the centers moved; those `replaced` were put somewhere else.

        The positions before are needed the first time only. They are the nodes and edges of all centers.
        """
        now = len(self.shift)
        if replaced is not None:
            self.placed_at = self.placed_at.copy()
            self.placed_at[replaced] = now
        if before is not None:
            self._keep({now - 1: _trimmed(before)}, len(before[0][0]))
        self._add(now, _trimmed(after, self._snapshots[now - 1]))
        self.anchor = np.append(self.anchor, now)
        self.offset = np.vstack([self.offset, np.zeros(self.offset.shape[1])])
        if len(self._snapshots) > SNAPSHOTS:
            self._drop_one()
        self.shift = np.array([self._since[int(a)] for a in self.anchor]) + self.offset
        self.shift[np.arange(now + 1)[:, None] < self.placed_at] = np.inf

    def _keep(self, snapshots: dict[int, Positions], capacity: int) -> None:
        """These are the snapshots; the last of them is where the centers are."""
        self._snapshots, self._capacity, self._steps = snapshots, capacity, {}
        latest = snapshots[max(snapshots)]
        self._since = {time: _between(then, latest) for time, then in snapshots.items()}

    def _add(self, now: int, latest: Positions) -> None:
        """One more snapshot: only from centers that moved are distances to be found anew."""
        before = self._snapshots[now - 1]
        moved = [c for c, position in enumerate(latest) if position is not before[c]]
        since = {now: np.zeros(len(latest))}
        for time, then in self._snapshots.items():
            since[time] = self._since[time].copy()
            since[time][moved] = _between([then[c] for c in moved], [latest[c] for c in moved])
        self._since, self._snapshots = since, {**self._snapshots, now: latest}

    def _drop_one(self) -> None:
        """Drop the snapshot that differs least from the next one, which represents it from now on."""
        times = sorted(self._snapshots)
        known = {
            pair: self._steps[pair] if pair in self._steps else _between(*(self._snapshots[time] for time in pair))
            for pair in pairwise(times[:-1])
        }
        steps = list(known.values())
        least = int(np.argmin([step.sum() for step in steps]))
        represented = self.anchor == times[least]
        self.offset = self.offset + represented[:, None] * steps[least]
        self.anchor = np.where(represented, times[least + 1], self.anchor)
        self._snapshots = {time: kept for time, kept in self._snapshots.items() if time != times[least]}
        self._since = {time: kept for time, kept in self._since.items() if time != times[least]}
        self._steps = {pair: step for pair, step in known.items() if times[least] not in pair}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that it consists of."""
        times = sorted(self._snapshots)
        k, slots = len(self.placed_at), self._capacity
        like = self._snapshots[times[0]][0] if times and k else (np.zeros((0, 0)), np.zeros((0, 0, 0)))
        nodes = np.zeros((len(times), k, slots, like[0].shape[1]))
        edges = np.zeros((len(times), k, slots, slots, like[1].shape[2]))
        for t, time in enumerate(times):
            for c, (of_nodes, of_edges) in enumerate(self._snapshots[time]):
                size = len(of_nodes)
                nodes[t, c, :size], edges[t, c, :size, :size] = of_nodes, of_edges
        return {name: getattr(self, name) for name in self.ARRAYS} | {
            "snapshot_times": np.array(times, dtype=np.int64), "snapshot_nodes": nodes, "snapshot_edges": edges,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> ShiftHistory:
        """The history that `to_arrays` wrote down."""
        history = cls(arrays["shift"].shape[1])
        for name in cls.ARRAYS:
            setattr(history, name, arrays[name])
        times, nodes, edges = (arrays[f"snapshot_{name}"] for name in ("times", "nodes", "edges"))
        snapshots: dict[int, Positions] = {}
        latest: Positions | None = None
        for time, *frame in zip(times.tolist(), nodes, edges, strict=True):
            snapshots[time] = latest = _trimmed((frame[0], frame[1]), latest)
        if snapshots:
            history._keep(snapshots, nodes.shape[2])
        return history

    def read_only(self) -> ShiftHistory:
        """The shifts alone, for those who only ask how far centers have moved."""
        other = copy(self)
        other._snapshots, other._since, other._steps = {}, {}, {}
        other.anchor, other.offset = self.anchor[:0], self.offset[:0]
        return other


def _trimmed(frame: Frame, before: Positions | None = None) -> Positions:
    """The positions of all centers; one that is where it was before is the same object."""
    nodes, edges = frame
    used: NDArray[np.bool_] = np.asarray(nodes.any(axis=2) | edges.any(axis=(2, 3)) | edges.any(axis=(1, 3)))
    sizes = np.where(used.any(axis=1), used.shape[1] - used[:, ::-1].argmax(axis=1), 0)
    found = [(nodes[c, :size].copy(), edges[c, :size, :size].copy()) for c, size in enumerate(sizes.tolist())]
    if before is None:
        return found
    return [old if all(map(np.array_equal, old, new)) else new for old, new in zip(before, found, strict=True)]


def _between(then: Positions, now: Positions) -> FloatArray:
    """How far each center is from where it was, rounded up."""
    return np.array([0.0 if a is b else ROUNDED_UP * np.sqrt(_square(a, b)) for a, b in zip(then, now, strict=True)])


def _square(a: Position, b: Position) -> float:
    """The squared distance of two positions; slots beyond the end of either are empty."""
    total = 0.0
    for one, other in zip(a, b, strict=True):
        larger, smaller = (one, other) if len(one) >= len(other) else (other, one)
        difference = larger.copy()
        difference[tuple(slice(length) for length in smaller.shape)] -= smaller
        total += float(np.square(difference).sum())
    return total
