"""The one place where the matchings of a fit are made, and counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.matching.auto import SMALL, Auto
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Matcher, Matches
from graphmeans.space import GraphSpace

#: What matchings are spent on: the algorithm itself, its start, or only to know the objective.
ALGORITHM, SEEDING, EVALUATION = "algorithm", "seeding", "evaluation"


@dataclass
class Counters:
    """What a fit has spent: matchings by purpose, and the seconds they took.

    What had to be done again because a worker was lost is counted apart from these, and so are the bytes that went to
    workers on other machines and came back from them.
    """

    matchings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    rebuilt_graphs: int = 0
    repeated_matchings: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0

    def add(self, other: Counters) -> None:
        """Add what other counters hold."""
        self.matchings.update(other.matchings)
        self.seconds += other.seconds
        for name in ("rebuilt_graphs", "repeated_matchings", "bytes_sent", "bytes_received"):
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
    ) -> Matches:
        """Hand pairs to the matcher of the space, or to another one; see `GraphSpace.match`."""
        space = self.space if matcher is None else replace(self.space, matcher=matcher)
        self.counters.matchings[self.purpose] += len(pairs)
        start = time.perf_counter()
        try:
            return space.match(x, y, pairs, warm, cutoff)
        finally:
            self.counters.seconds += time.perf_counter() - start

    @contextmanager
    def counted_as(self, purpose: str) -> Iterator[None]:
        """Count the matchings inside this context under another purpose."""
        before, self.purpose = self.purpose, purpose
        try:
            yield
        finally:
            self.purpose = before

    @property
    def is_exact(self) -> bool:
        """Whether every answer is the distance itself."""
        matcher = self.space.matcher
        if isinstance(matcher, Auto):
            return bool(self.space.order.sum() <= SMALL)
        return isinstance(matcher, Exact) and matcher.max_tree_nodes is None and matcher.max_seconds is None
