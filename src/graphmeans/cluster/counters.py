"""`Matchings`: the one place where a pair is handed to a matcher, and counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.auto import SMALL, Auto
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Matcher, Matches
from graphmeans.space import GraphSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: What matchings are spent on: the algorithm itself, its start, or only to know the objective.
ALGORITHM, SEEDING, EVALUATION = "algorithm", "seeding", "evaluation"


@dataclass
class Ledger:
    """Matchings and seconds by purpose; apart from these, what was done again because a machine was lost."""

    matchings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    rebuilt: int = 0  # graphs
    repeated: int = 0  # matchings
    sent: int = 0  # bytes to workers on other machines,
    received: int = 0  # and from them

    def add(self, other: Ledger) -> None:
        """Take over what another ledger holds."""
        self.matchings.update(other.matchings)
        self.seconds += other.seconds
        for name in ("rebuilt", "repeated", "sent", "received"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(eq=False)
class Matchings:
    """Solves pairs in a space, and keeps count."""

    space: GraphSpace
    ledger: Ledger = field(default_factory=Ledger)
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
        """Hand pairs to the matcher, or another one; see `GraphSpace.match`."""
        space = self.space if matcher is None else replace(self.space, matcher=matcher)
        self.ledger.matchings[self.purpose] += len(pairs)
        start = time.perf_counter()
        try:
            return space.match(x, y, pairs, warm, cutoff)
        finally:
            self.ledger.seconds += time.perf_counter() - start

    @contextmanager
    def counted_as(self, purpose: str) -> Iterator[None]:
        """Matchings inside are counted under this purpose."""
        before, self.purpose = self.purpose, purpose
        try:
            yield
        finally:
            self.purpose = before

    @property
    def is_exact(self) -> bool:
        """Whether every answer is final."""
        matcher = self.space.matcher
        if isinstance(matcher, Auto):
            return bool(self.space.order.sum() <= SMALL)
        return isinstance(matcher, Exact) and matcher.max_tree_nodes is None and matcher.max_seconds is None
