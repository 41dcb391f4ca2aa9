"""`Points`: a collection to be searched, as points of a space, with what is computed of each graph once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.utils.extmath import randomized_svd

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, concatenate
from graphmeans.matching.sketch import sketch_batch, sketch_order
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

#: Numbers in the head of a sketch, which every query is compared with.
HEAD = 16
#: Most axes that sketches are turned to; what is off all of them is one more number, its norm.
AXES = 255
#: Sketches of sorted rows have at most this many numbers.
LONGEST_ROWS = 1 << 15
#: Graphs from which the axes are found.
SAMPLE = 2048
#: Numbers of sketches that are made at once.
AT_ONCE = 1 << 22
#: The norm of what is off the axes is a difference of squares, which rounding hurts more than single precision does.
LENIENT = 8.0


@dataclass(frozen=True, eq=False)
class Axes:
    """Where sketches are turned to, so that their first numbers say most: |turn(f) - turn(g)| <= |f - g|.

    Sketches of sorted rows are the better kind, but grow with the square of the order. Along a few hundred axes they lose
    little: what is off the axes, of f and of g, differs by no less than its norms do.

    Parameters
    ----------
    mean : array of shape (dim,)
    directions : array of shape (dim, at most AXES)
        Orthonormal columns, those along which the sketches differ most first.
    """

    mean: FloatArray
    directions: FloatArray

    @classmethod
    def of(cls, sketches: FloatArray) -> Axes:
        """The principal axes of some sketches."""
        dim = sketches.shape[1]
        mean = sketches.mean(axis=0) if len(sketches) else np.zeros(dim)
        centered = sketches - mean
        if dim <= AXES + 1:
            return cls(mean, np.ascontiguousarray(np.linalg.eigh(centered.T @ centered)[1][:, ::-1]))
        count = min(AXES, max(len(sketches) - 1, 1))
        found = randomized_svd(centered, count, n_iter=2, random_state=0)[2] if len(sketches) else np.eye(count, dim)
        return cls(mean, np.ascontiguousarray(np.linalg.qr(found.T)[0]))

    @classmethod
    def for_points(cls, space: GraphSpace, sample: GraphBatch, batch: GraphBatch | None = None) -> Axes:
        """The axes of some points of a space, which are a sample of a batch that may have larger graphs."""
        return cls.of(plain_sketches(sample, sketch_order(space.order, sample if batch is None else batch)))

    def turned(self, sketches: FloatArray) -> Sketches:
        """Sketches about the mean, along the axes."""
        centered = sketches - self.mean
        along = centered @ self.directions
        if self.directions.shape[0] == self.directions.shape[1]:
            return Sketches.rounded(along)
        squares = np.einsum("nd,nd->n", centered, centered)
        off = np.sqrt(np.maximum(squares - np.einsum("nd,nd->n", along, along), 0.0))
        rounded = Sketches.rounded(np.column_stack([along[:, : HEAD - 1], off, along[:, HEAD - 1 :]]))
        return replace(rounded, norms=LENIENT * np.sqrt(squares))


def plain_sketches(batch: GraphBatch, order: IntArray) -> FloatArray:
    """Sketches in double precision: those of sorted rows, or, of very large graphs, the short ones of projections."""
    n = int(order.sum())
    numbers = n * (batch.nodes.shape[1] + n * batch.edge_values.shape[1])
    return sketch_batch(batch, order, "rows" if numbers <= LONGEST_ROWS else "projection")


def sample_rows(space: GraphSpace, like: GraphBatch, count: int) -> IntArray:
    """Which of so many graphs of a space are looked at to find the axes of all; `like` is a batch of such graphs."""
    numbers = plain_sketches(like.take([]), sketch_order(space.order, like)).shape[1]
    some = min(SAMPLE, count, max(1, AT_ONCE // max(1, numbers)))
    return np.unique(np.linspace(0, max(count - 1, 0), some).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Points:
    """Graphs that are searched.

    Parameters
    ----------
    space : GraphSpace
    batch : GraphBatch
        Points of the space. The arrays may be on disk, mapped into memory.
    axes : Axes
    sketches : Sketches
        Along the axes, of an order that covers every graph here.
    """

    space: GraphSpace
    batch: GraphBatch
    axes: Axes
    sketches: Sketches

    @classmethod
    def of(cls, space: GraphSpace, batch: GraphBatch, axes: Axes | None = None) -> Points:
        """Sketch the graphs of a batch, along given axes or along those of a sample."""
        if axes is None:
            axes = Axes.for_points(space, batch.take(sample_rows(space, batch, len(batch))), batch)
        bare = cls(space, batch, axes, Sketches.rounded(np.zeros((0, 0))))
        return replace(bare, sketches=bare.sketch(batch))

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def heads(self) -> Sketches:
        """The first numbers of the sketches, in memory and together."""
        return self.sketches.head(HEAD)

    @cached_property
    def order(self) -> IntArray:
        """The order at which graphs are sketched."""
        return sketch_order(self.space.order, self.batch)

    def sketch(self, batch: GraphBatch) -> Sketches:
        """Sketches of graphs, which must not be too large for the space, along the axes."""
        step = max(1, AT_ONCE // max(1, len(self.axes.mean)))
        cuts = range(0, max(len(batch), 1), step)
        some = (batch.take(np.arange(start, min(start + step, len(batch)))) for start in cuts)
        return Sketches.joined([self.axes.turned(plain_sketches(part, self.order)) for part in some])

    def append(self, batch: GraphBatch) -> Points:
        """These graphs and others after them, which the space must have room for."""
        return replace(
            self, batch=concatenate([self.batch, batch]), sketches=Sketches.joined([self.sketches, self.sketch(batch)])
        )

    def take(self, which: IntArray) -> Points:
        """Those at these positions."""
        return replace(self, batch=self.batch.take(which), sketches=self.sketches.take(which))
