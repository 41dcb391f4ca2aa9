"""`FitContext`: everything about one run of a fit that does not change while it lasts."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphmeans.cluster.data.dataset import Dataset, InMemoryDataset
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.method import MeanMethod
from graphmeans.space import GraphSpace


@dataclass(frozen=True, eq=False)
class FitContext:
    """The graphs to be clustered, the space that they are points of, and how a mean is found.

    Parameters
    ----------
    data : Dataset
        Weighted points of `space` with their sample weights.
    space : GraphSpace
    mean : MeanMethod
    seed : int
        The seed of this run. Together with the iteration it fixes the order in which graphs enter a mean, so that a mean
        depends on the members alone, whatever algorithm asks for it.
    run, n_runs : int
        Which start this is, for the log.
    on_iteration : callable, optional
        It is called with (labels, centers, distances, inertia) after each assignment.
    """

    data: Dataset
    space: GraphSpace
    mean: MeanMethod
    seed: int
    run: int = 0
    n_runs: int = 1
    on_iteration: Callable[..., None] | None = None

    @classmethod
    def in_memory(
        cls, batch: GraphBatch, space: GraphSpace, mean: MeanMethod, seed: int, weights: FloatArray | None = None
    ) -> FitContext:
        """The context of graphs that are in memory; all of them weigh 1 unless weights are given."""
        return cls(InMemoryDataset(batch, np.ones(len(batch)) if weights is None else weights), space, mean, seed)

    @property
    def batch(self) -> GraphBatch:
        """All graphs."""
        return self.data.batch

    @property
    def weights(self) -> FloatArray:
        """The weights of all graphs."""
        return self.data.weights

    def __len__(self) -> int:
        return len(self.data)

    def random(self, purpose: str, iteration: int = 0) -> np.random.RandomState:
        """Random numbers that depend on the seed of the run and on their purpose, not on what was drawn before."""
        return np.random.RandomState([self.seed, zlib.crc32(purpose.encode()), iteration])

    @cached_property
    def order(self) -> IntArray:
        """The order at which graphs are sketched: that of the space, or one at which distances are the same."""
        order, largest = self.space.order, self.data.largest
        slots = np.zeros((2, max(len(order), len(largest))), dtype=np.int64)
        slots[0, : len(order)], slots[1, : len(largest)] = order, 2 * largest
        # Where there is no limit, no two graphs need more than twice the slots of the largest.
        return np.where(slots[0] == UNBOUNDED, slots[1], slots[0])

    def bounded_order(self) -> IntArray:
        """The order of the space, for algorithms whose centers live in frames."""
        if (self.space.order >= UNBOUNDED).any():
            raise GraphError(
                "order=None, a space without bounds, is for algorithm='lloyd' or 'elkan'; leave order='auto' or give a number"
            )
        return self.space.order

    @property
    def is_euclidean(self) -> bool:
        """Whether there is never a choice of alignment, so that graphs are vectors."""
        return bool((self.space.order <= 1).all())

    @property
    def means_repeat(self) -> bool:
        """Whether the same members always have the same mean: no choice of alignment, or none that depends on order."""
        return self.is_euclidean or bool(getattr(self.mean, "repeats", False))
