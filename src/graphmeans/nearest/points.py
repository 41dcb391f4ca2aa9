"""`Points`: a collection to be searched, as points of a space, with what is computed of each graph once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, concatenate
from graphmeans.matching.sketch import sketch_order
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

#: Numbers in the head of a sketch, which every query is compared with.
HEAD = 16
#: Graphs from which the axes of the heads are found.
SAMPLE = 4096
#: Graphs that are sketched at once.
AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class Axes:
    """Where sketches are turned to, so that their first numbers say most: |turn(f) - turn(g)| <= |f - g|, and equal in all axes.

    Parameters
    ----------
    mean : array of shape (dim,)
    directions : array of shape (dim, dim)
        Orthonormal columns, those along which the sketches differ most first.
    """

    mean: FloatArray
    directions: FloatArray

    @classmethod
    def of(cls, sketches: FloatArray) -> Axes:
        """The principal axes of some sketches."""
        mean = sketches.mean(axis=0) if len(sketches) else np.zeros(sketches.shape[1])
        centered = sketches - mean
        _, directions = np.linalg.eigh(centered.T @ centered)
        return cls(mean, np.ascontiguousarray(directions[:, ::-1]))

    def turned(self, sketches: FloatArray) -> Sketches:
        """Sketches about the mean, along the axes."""
        return Sketches.rounded((sketches - self.mean) @ self.directions)


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
    def of(cls, space: GraphSpace, batch: GraphBatch) -> Points:
        """Sketch the graphs of a batch."""
        order = sketch_order(space.order, batch)
        sample = batch.take(np.unique(np.linspace(0, max(len(batch) - 1, 0), min(SAMPLE, len(batch))).astype(np.int64)))
        axes = Axes.of(Sketches.plain(sample, order))
        bare = cls(space, batch, axes, Sketches.rounded(np.zeros((0, len(axes.mean)))))
        return replace(bare, sketches=bare.sketch(batch, order))

    def __len__(self) -> int:
        return len(self.batch)

    def sketch(self, batch: GraphBatch, order: IntArray) -> Sketches:
        """Sketches of graphs, along the axes."""
        parts = [
            self.axes.turned(Sketches.plain(batch.take(np.arange(start, min(start + AT_ONCE, len(batch)))), order))
            for start in range(0, max(len(batch), 1), AT_ONCE)
        ]
        return Sketches.joined(parts)

    def append(self, batch: GraphBatch) -> Points:
        """These graphs and others after them, which the space must have room for."""
        more = self.sketch(batch, sketch_order(self.space.order, self.batch))
        return replace(self, batch=concatenate([self.batch, batch]), sketches=Sketches.joined([self.sketches, more]))

    def take(self, which: IntArray) -> Points:
        """Those at these positions."""
        return replace(self, batch=self.batch.take(which), sketches=self.sketches.take(which))
