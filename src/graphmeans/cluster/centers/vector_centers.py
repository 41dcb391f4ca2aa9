"""`VectorCenters`: the centers of k-means where alignments are fixed, so that graphs and centers are rows of numbers."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters, next_version
from graphmeans.cluster.centers.shift_history import ROUNDED_UP
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.pair import SMALLEST
from graphmeans.matching.vectors import VectorLayout, as_batch
from graphmeans.means.frames import Centers

#: Distances to centers that moved are computed one by one, where at most this share of the centers did.
FEW = 0.5
#: Where more have moved, to those that moved by more than this multiple of the median, but not to more than this share.
FAR, FEW_FAR = 4.0, 0.25


@dataclass(eq=False)
class VectorSums:
    """Rows added up for each center, and their weights."""

    rows: FloatArray
    total: FloatArray

    def __iadd__(self, other: VectorSums) -> VectorSums:
        self.rows += other.rows
        self.total += other.total
        return self


class VectorCenters:
    """k rows that move. Nothing in it is changed in place, so a shallow copy is a snapshot.

    Attributes
    ----------
    rows : array of shape (up to k, width)
        The centers, laid out as in `VectorLayout`.
    now : int
        The time, which passes whenever centers move.
    shift : array
        How far each center has moved since the time before; infinite if it was put somewhere else.
    version : int
        Another one for different centers, in this process.
    """

    def __init__(self, layout: VectorLayout, k: int, rows: FloatArray | None = None) -> None:
        self.layout, self.k = layout, k
        self.rows = np.zeros((0, layout.width)) if rows is None else rows
        self.now, self.shift = 0, np.zeros(k)
        self.version = next_version()

    @classmethod
    def from_graphs(cls, layout: VectorLayout, graphs: GraphBatch, which: IntArray | None = None) -> VectorCenters:
        """Rows of a batch as seeds, in their order."""
        rows = graphs.nodes.copy() if which is None else graphs.nodes[which]
        return cls(layout, len(rows), rows)

    @property
    def times(self) -> int:
        """At how many times the centers have been."""
        return self.now + 1

    @property
    def batch(self) -> GraphBatch:
        """The centers as graphs of one node."""
        return as_batch(self.rows)

    def as_centers(self) -> Centers:
        """The centers as they are now; what of them is support stands in their rows."""
        return Centers.of_graphs(self.batch)

    # -- how centers come to be and move -----------------------------------------------------------

    def append(self, graph: GraphBatch) -> None:
        """Take one more seed, a batch of one row."""
        self._become(np.concatenate([self.rows, graph.nodes]), self.now, self.shift)

    def move_to_means(self, sums: VectorSums) -> None:
        """The averages of these sums are the centers from now on; one without weight stays."""
        rows = self.rows.copy()
        filled = sums.total > 0
        rows[filled] = sums.rows[filled] / sums.total[filled, None]
        step = rows[:, : self.layout.dim] - self.rows[:, : self.layout.dim]
        squares = self.layout.factor * np.einsum("cd,cd->c", step, step)
        squares[(squares < SMALLEST) & step.any(axis=1)] = SMALLEST
        self._become(rows, self.now + 1, ROUNDED_UP * np.sqrt(squares))

    def replace(self, which: IntArray, graphs: GraphBatch) -> None:
        """These centers give way to as many rows."""
        rows, shift = self.rows.copy(), np.zeros(self.k)
        rows[which], shift[which] = graphs.nodes, np.inf
        self._become(rows, self.now + 1, shift)

    def _become(self, rows: FloatArray, now: int, shift: FloatArray) -> None:
        self.rows, self.now, self.shift = rows, now, shift
        self.version = next_version()
        for derived in ("explicit", "between", "between_explicit"):
            self.__dict__.pop(derived, None)

    @cached_property
    def explicit(self) -> tuple[IntArray, float]:
        """Centers to which distances are computed one by one, and how far any other has moved at most."""
        moved = np.flatnonzero(self.shift > 0)
        if len(moved) <= FEW * self.k:
            return moved, 0.0
        far = np.flatnonzero(self.shift > FAR * np.median(self.shift))
        if len(far) > FEW_FAR * self.k:
            return moved[:0], float(self.shift.max())
        return far, float(np.delete(self.shift, far).max(initial=0.0))

    @cached_property
    def between(self) -> FloatArray:
        """The distances of all centers from each other, shape (k, k)."""
        return self.layout.distances(self.rows, self.rows)

    @cached_property
    def between_explicit(self) -> FloatArray:
        """The distances of the explicit centers from all, shape (how many, k)."""
        return self.layout.distances(self.rows[self.explicit[0]], self.rows)

    # -- in and out --------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that cannot be computed from the rest."""
        return {"rows": self.rows, "now": np.array([self.now]), "shift": self.shift}

    @classmethod
    def from_arrays(cls, layout: VectorLayout, arrays: dict[str, NDArray[Any]]) -> VectorCenters:
        """The centers that `to_arrays` wrote down."""
        centers = cls(layout, len(arrays["rows"]))
        centers._become(arrays["rows"], int(arrays["now"][0]), arrays["shift"])
        return centers

    def read_only(self) -> VectorCenters:
        """The same centers, to be sent to those who only look at them."""
        return copy(self)

#: Centers that move: rows where alignments are fixed, else frames.
MovingCenters = FrameCenters | VectorCenters
