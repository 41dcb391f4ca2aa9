"""What every algorithm works on: the graphs of one fit, with the matchings counted in one place."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Centres
from graphmeans.means.mean import MeanMethod
from graphmeans.space import PAIRS_AT_ONCE, GraphSpace

if TYPE_CHECKING:
    from collections.abc import Iterator

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: What matchings are spent on: the algorithm itself, its start, or only to know the objective.
ALGORITHM, SEEDING, EVALUATION = "algorithm", "seeding", "evaluation"


@dataclass
class Ledger:
    """Matchings and seconds by purpose."""

    matchings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    purpose: str = ALGORITHM


@dataclass(eq=False)
class Problem:
    """The graphs to be clustered, their space and weights, and how a mean is found.

    Parameters
    ----------
    batch : GraphBatch
        Weighted points of `space`.
    space : GraphSpace
    weights : array
        Sample weights.
    mean : MeanMethod
    seed : int
        Of this run. With the iteration it fixes the order in which graphs enter a mean, so that a mean depends on the
        members alone, whatever algorithm asks for it.
    on_iteration : callable, optional
        Called with (labels, centres, distances, inertia) after each assignment.
    run, n_runs : int
        Which start this is, for the log.
    """

    batch: GraphBatch
    space: GraphSpace
    weights: FloatArray
    mean: MeanMethod
    seed: int
    on_iteration: Callable[..., None] | None = None
    run: int = 0
    n_runs: int = 1
    ledger: Ledger = field(default_factory=Ledger)
    #: What seeding learnt about distances, if it did; see cluster/known.py.
    known: Any = None

    def __len__(self) -> int:
        return len(self.batch)

    def random(self, purpose: str, iteration: int = 0) -> np.random.RandomState:
        """Random numbers that depend on the seed of the run and on what they are for, not on what was drawn before."""
        return np.random.RandomState([self.seed, zlib.crc32(purpose.encode()), iteration])

    @property
    def means_repeat(self) -> bool:
        """Whether the same members always have the same mean: no choice of alignment, or none that depends on order."""
        return bool((self.space.order <= 1).all()) or bool(getattr(self.mean, "repeats", False))

    @contextmanager
    def counted_as(self, purpose: str) -> Iterator[None]:
        """Matchings inside are counted under this purpose."""
        before, self.ledger.purpose = self.ledger.purpose, purpose
        try:
            yield
        finally:
            self.ledger.purpose = before

    def match(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, warm: IntArray | None = None) -> Matches:
        """Hand pairs to the matcher: the one place where matchings are counted."""
        self.ledger.matchings[self.ledger.purpose] += len(pairs)
        start = time.perf_counter()
        try:
            return self.space.match(x, y, pairs, warm)
        finally:
            self.ledger.seconds += time.perf_counter() - start

    def distances(self, graphs: IntArray, centres: Centres, to: IntArray) -> FloatArray:
        """D(X, Y) of graph ``graphs[p]`` and centre ``to[p]``."""
        result = np.empty(len(graphs))
        for start in range(0, len(graphs), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            result[part] = self.match(self.batch, centres.batch, np.stack([graphs[part], to[part]], axis=1)).upper
        return result

    def all_distances(self, centres: Centres) -> FloatArray:
        """D(X, Y) of every graph and every centre, shape (N, k)."""
        graphs, to = (part.ravel() for part in np.indices((len(self), len(centres))))
        return self.distances(graphs, centres, to).reshape(len(self), len(centres))

    def centre_distances(self, centres: Centres) -> FloatArray:
        """D(Y, Y') of all pairs of centres, shape (k, k)."""
        rows, columns = np.triu_indices(len(centres), k=1)
        result = np.zeros((len(centres), len(centres)))
        result[rows, columns] = self.match(centres.batch, centres.batch, np.stack([rows, columns], axis=1)).upper
        return np.asarray(result + result.T)

    def shifts(self, old: Centres, new: Centres) -> FloatArray:
        """delta(Y) = D(Y, Y') of each centre and what became of it."""
        same = np.arange(len(old))
        return self.match(old.batch, new.batch, np.stack([same, same], axis=1)).upper

    def means(self, labels: IntArray, old: Centres, iteration: int) -> Centres:
        """The mean of each cluster, its members taken in a random order; a cluster without weight keeps its centre."""
        random = self.random("mean", iteration)
        walk = random.permutation(len(self))
        walk = walk[np.argsort(labels[walk], kind="stable")]
        groups = np.split(walk, np.cumsum(np.bincount(labels, minlength=len(old)))[:-1])
        filled = np.array([c for c, group in enumerate(groups) if self.weights[group].any()], dtype=np.int64)
        chosen = [groups[c] for c in filled]
        means = self.mean.compute(self.match, self.batch, chosen, self.weights, self.space.order, random)
        return means.centres if len(filled) == len(old) else old.replaced(filled, means.centres)

    def relocated(self, labels: IntArray, distances: FloatArray, k: int) -> IntArray:
        """Labels in which each empty cluster takes the graph farthest from its centre out of a cluster of two or more.

        Graphs at distance 0 stay: then the cluster remains empty, with its old centre.
        """
        counted = self.weights > 0
        sizes = np.bincount(labels[counted], minlength=k)
        empty = np.flatnonzero(sizes == 0)
        if not len(empty):
            return labels
        labels = labels.copy()
        farthest = iter(np.argsort(-distances, kind="stable"))
        for c in empty:
            for graph in farthest:
                if counted[graph] and distances[graph] > 0 and sizes[labels[graph]] >= 2:
                    sizes[labels[graph]] -= 1
                    labels[graph] = c
                    break
        return labels


Algorithm = Callable[..., Any]
