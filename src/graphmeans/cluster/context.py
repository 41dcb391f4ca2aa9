"""`FitContext`, what does not change while a run lasts; `Counters`, what it spends; `CountedMatcher`, where that is counted."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from graphmeans.cluster.data.dataset import Dataset, InMemoryDataset
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.auto import LEAST_EFFORT, SMALL, Auto, Hasty
from graphmeans.matching.device import get_device
from graphmeans.matching.edge_bound import sift_by_edges
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Matcher, Matches
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.method import MeanMethod
from graphmeans.space import GraphSpace

#: What matchings are spent on: the algorithm itself, its start, or only to know the objective.
ALGORITHM, SEEDING, EVALUATION = "algorithm", "seeding", "evaluation"


@dataclass
class Counters:
    """What a fit has spent: matchings by purpose, and the seconds they took; bounds of the edge program.

    What had to be done again because a worker was lost is counted apart from these, and so are the bytes that went to
    workers on other machines and came back from them.
    """

    matchings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    edge_programs: int = 0
    rebuilt_graphs: int = 0
    repeated_matchings: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0

    def add(self, other: Counters) -> None:
        """Add what other counters hold."""
        self.matchings.update(other.matchings)
        self.seconds += other.seconds
        for name in ("edge_programs", "rebuilt_graphs", "repeated_matchings", "bytes_sent", "bytes_received"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(eq=False)
class CountedMatcher:
    """Solves pairs in a space, and counts them under the purpose that is set."""

    space: GraphSpace
    counters: Counters = field(default_factory=Counters)
    purpose: str = ALGORITHM

    def match(
        self,
        x: GraphBatch,
        y: GraphBatch,
        pairs: IntArray,
        warm: IntArray | None = None,
        cutoff: FloatArray | None = None,
        matcher: Matcher | None = None,
        hasty: bool = False,
        careful: int = 0,
    ) -> Matches:
        """Hand pairs to the matcher of the space, or to another one; see `GraphSpace.solve`.

        Where the alignment will be sought again if it matters, the default matcher may be `hasty`. Where it is what a mean is
        made of, it is `careful`: larger graphs are matched by branch and bound with so many tree nodes at effort 1, which finds
        shorter alignments in the same time.
        """
        if (hasty or careful) and self.sifts:
            assert isinstance(self.space.matcher, Auto)
            effort = self.space.matcher.effort
            matcher = Hasty(effort) if hasty else Exact(max_tree_nodes=int(np.ceil(careful * effort)))
        space = self.space if matcher is None else replace(self.space, matcher=matcher)
        self.counters.matchings[self.purpose] += len(pairs)
        start = time.perf_counter()
        try:
            return space.solve(x, y, pairs, warm, cutoff)
        finally:
            self.counters.seconds += time.perf_counter() - start

    def sift(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, cutoff: FloatArray) -> FloatArray:
        """Lower bounds of the distances of pairs by a few short rounds of the edge program, which end at the cutoff.

        They take a fraction of a matching and rule out most pairs that one assignment does not. Pairs that are matched exactly
        in no time have the bound 0.
        """
        matcher, space = self.space.matcher, self.space
        assert isinstance(matcher, Auto), "other matchers have no bounds of this kind"
        lower = np.zeros(len(pairs))
        large = np.flatnonzero(~matcher.is_small(x, y, pairs, space.order))
        found, done = sift_by_edges(x, y, pairs[large], space.order, space.n_jobs, cutoff[large])
        lower[large[done]] = found.lower[done]
        self.counters.edge_programs += int(done.sum())
        return lower

    def count(self, pairs: int) -> None:
        """Count distances of rows, which need no matcher; see `VectorLayout`."""
        self.counters.matchings[self.purpose] += pairs

    @contextmanager
    def counted_as(self, purpose: str) -> Iterator[None]:
        """Count the matchings inside this context under another purpose."""
        before, self.purpose = self.purpose, purpose
        try:
            yield
        finally:
            self.purpose = before

    @property
    def sifts(self) -> bool:
        """Whether pairs are worth a few rounds of the edge program before they are matched; a GPU matches them sooner."""
        matcher = self.space.matcher
        if not isinstance(matcher, Auto) or matcher.effort < LEAST_EFFORT or self.is_exact:
            return False
        return get_device(self.space.device) is None

    @property
    def is_exact(self) -> bool:
        """Whether every answer is the distance itself."""
        if self.space.layout is not None:
            return True
        matcher = self.space.matcher
        if isinstance(matcher, Auto):
            return bool(self.space.order.sum() <= SMALL or (self.space.order <= 1).all())
        return isinstance(matcher, Exact) and matcher.max_tree_nodes is None and matcher.max_seconds is None


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
    part : tuple of float
        For the log, too: when this begins and ends, about, as shares of the time that the start takes. A sample that is
        clustered first is a part of it.
    on_iteration : callable, optional
        It is called with (labels, centers, distances, inertia) after each assignment.
    """

    data: Dataset
    space: GraphSpace
    mean: MeanMethod
    seed: int
    run: int = 0
    n_runs: int = 1
    part: tuple[float, float] = (0.0, 1.0)
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

    def whereabouts(self) -> dict[str, Any]:
        """What those who watch need to know to say how much of the work is done; see `cli/progress.py`."""
        return {
            "run": self.run, "n_runs": self.n_runs, "part": self.part, "n_graphs": len(self),
            "sifts": CountedMatcher(self.space).sifts,
        }  # fmt: skip

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
