"""`Sketches`: the sketches of many graphs, from which N x k lower bounds are one compiled loop."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.sketch import sketch_bounds
from graphmeans.matching.sketch import sketch_batch

#: Most numbers in a sketch.
LONGEST = 1024

_kept = threading.local()  # with an attribute for each purpose


def scratch_zeros(purpose: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array of zeros that is valid until the same thread asks for the same purpose again.

    A system that is asked for megabytes and given them back many times a second spends its time clearing pages. So the memory
    is kept from one call to the next.
    """
    size = int(np.prod(shape))
    kept = getattr(_kept, purpose, None)
    if kept is None or len(kept) < size:
        kept = np.zeros(size, dtype)
        setattr(_kept, purpose, kept)
    result: NDArray[Any] = kept[:size].reshape(shape)
    result.fill(0)
    return result


@dataclass(frozen=True, eq=False)
class Sketches:
    """Sketches of some graphs, in single precision, with their norms.

    They are those of sorted rows of edges, the better kind, unless these would be longer than `LONGEST`; then they are the
    short ones of projections.
    """

    values: NDArray[np.float32]
    norms: FloatArray

    @classmethod
    def of(cls, batch: GraphBatch, order: IntArray) -> Sketches:
        """Sketch the graphs of a batch in a space of this order."""
        n = int(order.sum())
        short = n * (batch.nodes.shape[1] + n * batch.edge_values.shape[1]) <= LONGEST
        return cls.rounded(sketch_batch(batch, order, "rows" if short else "projection"))

    @classmethod
    def rounded(cls, values: FloatArray) -> Sketches:
        """Sketches in single precision."""
        return cls(np.ascontiguousarray(values, dtype=np.float32), np.sqrt(np.einsum("nd,nd->n", values, values)))

    @classmethod
    def joined(cls, parts: Sequence[Sketches]) -> Sketches:
        """The sketches of several batches, one after the other."""
        return cls(np.concatenate([part.values for part in parts]), np.concatenate([part.norms for part in parts]))

    def take(self, which: IntArray) -> Sketches:
        """Those at these positions."""
        return Sketches(self.values[which], self.norms[which])

    def head(self, length: int) -> Sketches:
        """The first numbers of all sketches, whose norms are still those of the whole."""
        return Sketches(np.ascontiguousarray(self.values[:, :length]), self.norms)

    def append(self, other: Sketches) -> Sketches:
        """These sketches and others after them."""
        return Sketches.joined([self, other])

    def with_rows(self, rows: IntArray, others: Sketches) -> Sketches:
        """These sketches with others in some rows."""
        result = Sketches(self.values.copy(), self.norms.copy())
        result.values[rows], result.norms[rows] = others.values, others.norms
        return result

    def bounds(self, rows: IntArray, others: Sketches, c: slice = slice(None)) -> FloatArray:
        """Lower bounds of the distances of graphs `rows` to others, shape (len(rows), len(others)).

        The array is valid until the next call in the same thread.
        """
        low = scratch_zeros("low", (len(rows), len(others.norms[c])), np.float64)
        sketch_bounds(rows, self.values, others.values[c], self.norms, others.norms[c], low)
        return low
