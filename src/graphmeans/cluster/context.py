"""What every algorithm works on: the graphs of one fit, with the matchings counted in one place."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.counters import Ledger, Matchings
from graphmeans.cluster.data.dataset import InMemory, Source
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.frames import Centers
from graphmeans.means.method import MeanMethod
from graphmeans.space import PAIRS_AT_ONCE, GraphSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(eq=False)
class Problem:
    """The graphs to be clustered, their space and weights, and how a mean is found.

    Parameters
    ----------
    source : Source
        Weighted points of `space` with their sample weights.
    space : GraphSpace
    mean : MeanMethod
    seed : int
        Of this run. With the iteration it fixes the order in which graphs enter a mean, so that a mean depends on the
        members alone, whatever algorithm asks for it.
    on_iteration : callable, optional
        Called with (labels, centers, distances, inertia) after each assignment.
    run, n_runs : int
        Which start this is, for the log.
    """

    source: Source
    space: GraphSpace
    mean: MeanMethod
    seed: int
    on_iteration: Callable[..., None] | None = None
    run: int = 0
    n_runs: int = 1
    ledger: Ledger = field(default_factory=Ledger)
    matchings: Matchings = field(init=False)
    #: What sees the iterations and what makes them, for whoever interrupts them.
    stopping: Any = None
    descent: Any = None
    #: Centers that the shards of the engine have met, if seeding was done by them.
    seeds: MovingCenters | None = None
    #: Makes the engine that holds the shards; None: threads.
    engines: Any = None
    #: The graphs that the engine begins with; None: all.
    rows: IntArray | None = None
    #: Where shards leave behind what they must not lose.
    folder: Path | None = None

    def __post_init__(self) -> None:
        self.matchings = Matchings(self.space, self.ledger)
        self._engine: Any = None

    @classmethod
    def of(cls, batch: GraphBatch, space: GraphSpace, weights: FloatArray, mean: MeanMethod, seed: int, **more: Any) -> Problem:
        """The problem of graphs in memory."""
        return cls(InMemory(batch, weights), space, mean, seed, **more)

    @property
    def batch(self) -> GraphBatch:
        """All graphs."""
        return self.source.batch

    @property
    def weights(self) -> FloatArray:
        """Their weights."""
        return self.source.weights

    def __len__(self) -> int:
        return len(self.source)

    def random(self, purpose: str, iteration: int = 0) -> np.random.RandomState:
        """Random numbers that depend on the seed of the run and on what they are for, not on what was drawn before."""
        return np.random.RandomState([self.seed, zlib.crc32(purpose.encode()), iteration])

    @cached_property
    def order(self) -> IntArray:
        """The order at which graphs are sketched: that of the space, or one at which distances are the same."""
        order, largest = self.space.order, self.source.largest
        places = np.zeros((2, max(len(order), len(largest))), dtype=np.int64)
        places[0, : len(order)], places[1, : len(largest)] = order, 2 * largest
        # Where there is no limit, no two graphs need more than twice the places of the largest.
        return np.where(places[0] == UNBOUNDED, places[1], places[0])

    def bounded_order(self) -> IntArray:
        """The order of the space, for algorithms whose centers live in frames."""
        if (self.space.order >= UNBOUNDED).any():
            raise GraphError(
                "order=None, a space without bounds, is for algorithm='lloyd' or 'elkan'; leave order='auto' or give a number"
            )
        return self.space.order

    def engine(self, k: int | None = None) -> Any:
        """Who holds the shards of the collection; made for k centers when it is first asked for."""
        if self._engine is None:
            assert k is not None, "nobody said how many centers there will be"
            from graphmeans.cluster.engines.threads import Threads

            self._engine = (self.engines or Threads)(self, k, rows=self.rows, folder=self.folder)
        return self._engine

    def stopped(self) -> Any:
        """The last complete iteration, for whoever has interrupted the run; None if there is none."""
        if self.stopping is None or not self.stopping.rows:
            return None
        if self._engine is not None and self._engine.remote is not None:
            self.engines.resume()
            return self.descent.stopped(self.stopping)
        return self.stopping.stopped()

    def seeded_with(self, seeds: GraphBatch) -> MovingCenters:
        """These seeds as centers that can move: those that the shards know already, or new ones."""
        if self.seeds is None or self.seeds.batch is not seeds:
            self.seeds = MovingCenters(self.bounded_order(), seeds, len(seeds))
            for c in range(len(seeds)):
                self.seeds.append(seeds.take([c]))
            if self._engine is not None:
                self._engine.each("forget")  # shards may have met others
        return self.seeds

    @property
    def is_euclidean(self) -> bool:
        """Whether there is never a choice of alignment: graphs are vectors."""
        return bool((self.space.order <= 1).all())

    @property
    def means_repeat(self) -> bool:
        """Whether the same members always have the same mean: no choice of alignment, or none that depends on order."""
        return self.is_euclidean or bool(getattr(self.mean, "repeats", False))

    def match(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, warm: IntArray | None = None) -> Matches:
        """Hand pairs to the matcher, counted."""
        return self.matchings.match(x, y, pairs, warm)

    def distances(self, graphs: IntArray, centers: Centers, to: IntArray) -> FloatArray:
        """D(X, Y) of graph ``graphs[p]`` and center ``to[p]``."""
        result = np.empty(len(graphs))
        for start in range(0, len(graphs), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            result[part] = self.match(self.batch, centers.batch, np.stack([graphs[part], to[part]], axis=1)).upper
        return result

    def all_distances(self, centers: Centers) -> FloatArray:
        """D(X, Y) of every graph and every center, shape (N, k)."""
        graphs, to = (part.ravel() for part in np.indices((len(self), len(centers))))
        return self.distances(graphs, centers, to).reshape(len(self), len(centers))

    def center_distances(self, centers: Centers) -> FloatArray:
        """D(Y, Y') of all pairs of centers, shape (k, k)."""
        rows, columns = np.triu_indices(len(centers), k=1)
        result = np.zeros((len(centers), len(centers)))
        result[rows, columns] = self.match(centers.batch, centers.batch, np.stack([rows, columns], axis=1)).upper
        return np.asarray(result + result.T)

    def shifts(self, old: Centers, new: Centers) -> FloatArray:
        """delta(Y) = D(Y, Y') of each center and what became of it."""
        same = np.arange(len(old))
        return self.match(old.batch, new.batch, np.stack([same, same], axis=1)).upper

    def means(self, labels: IntArray, old: Centers, iteration: int) -> Centers:
        """The mean of each cluster, its members taken in a random order; a cluster without weight keeps its center."""
        random = self.random("mean", iteration)
        walk = random.permutation(len(self))
        walk = walk[np.argsort(labels[walk], kind="stable")]
        groups = np.split(walk, np.cumsum(np.bincount(labels, minlength=len(old)))[:-1])
        filled = np.array([c for c, group in enumerate(groups) if self.weights[group].any()], dtype=np.int64)
        chosen = [groups[c] for c in filled]
        means = self.mean.compute(self.match, self.batch, chosen, self.weights, self.space.order, random)
        return means.centers if len(filled) == len(old) else old.replaced(filled, means.centers)

    def relocated(self, labels: IntArray, distances: FloatArray, k: int) -> IntArray:
        """Labels in which each empty cluster takes the graph farthest from its center, see `relocations`."""
        counted = self.weights > 0
        sizes = np.bincount(labels[counted], minlength=k)
        if sizes.all():
            return labels
        far = np.argsort(-distances, kind="stable")
        far = far[counted[far] & (distances[far] > 0)]
        labels = labels.copy()
        for graph, c in relocations(sizes, far, labels[far]):
            labels[graph] = c
        return labels


def relocations(sizes: IntArray, far: IntArray, labels: IntArray) -> list[tuple[int, int]]:
    """Which graph each empty cluster takes: the farthest from its center (`far`, in that order) in a cluster of two or more.

    Graphs at distance 0 are not to be offered: if there are no others the cluster remains empty, with its old center.
    """
    sizes = sizes.copy()
    offers = iter(zip(far, labels, strict=True))
    taken = []
    for c in np.flatnonzero(sizes == 0):
        for graph, label in offers:
            if sizes[label] >= 2:
                sizes[label] -= 1
                taken.append((int(graph), int(c)))
                break
    return taken


Algorithm = Callable[..., Any]
