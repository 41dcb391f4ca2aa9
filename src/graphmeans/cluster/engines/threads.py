"""The default engine: all shards in this process, on threads."""

from __future__ import annotations

from bisect import bisect_right
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.matchings import Ledger, Matchings
from graphmeans.cluster.problem import Problem
from graphmeans.cluster.shard import Shard
from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.pairs import n_threads

FloatArray = NDArray[np.float64]

#: Graphs a shard. How a collection is cut depends on nothing else, so results do not depend on who works on it.
SHARD_SIZE = 4096


class Threads:
    """Cuts a collection into shards and works through them.

    Several shards are worked on at once, each by one thread; a single one gets all threads for its pairs.
    """

    def __init__(self, problem: Problem) -> None:
        self.ledger, self._matchings = problem.matchings.ledger, problem.matchings
        self._order, self._threads = problem.order, n_threads(problem.space.n_jobs)
        self.shards: list[Shard] = []
        self.extend(problem.batch, problem.weights)

    def __len__(self) -> int:
        return self.shards[-1].first + len(self.shards[-1]) if self.shards else 0

    def extend(self, batch: GraphBatch, weights: FloatArray) -> None:
        """Take in more graphs, numbered after those that are here."""
        before, space = len(self), self._matchings.space
        for start in range(0, len(batch), SHARD_SIZE):
            part = np.arange(start, min(start + SHARD_SIZE, len(batch)))
            own = batch if len(part) == len(batch) else batch.take(part)
            self.shards.append(Shard(own, weights[part], before + start, Matchings(space), self._order))
        self._workers = min(self._threads, len(self.shards))
        for shard in self.shards:
            shard.matchings.space = replace(space, n_jobs=max(1, self._threads // len(self.shards)))

    def each(self, method: str, *args: Any) -> list[Any]:
        """Call a method of every shard; the answers in the order of the shards. Their matchings are counted here."""
        for shard in self.shards:
            shard.matchings.ledger, shard.matchings.purpose = Ledger(), self._matchings.purpose
        if self._workers == 1:
            answers = [getattr(shard, method)(*args) for shard in self.shards]
        else:
            with ThreadPoolExecutor(self._workers, thread_name_prefix="graphmeans-shard") as pool:
                answers = list(pool.map(lambda shard: getattr(shard, method)(*args), self.shards))
        for shard in self.shards:
            self.ledger.add(shard.matchings.ledger)
        return answers

    def one(self, number: int, method: str, *args: Any) -> Any:
        """Call a method of one shard."""
        return getattr(self.shards[number], method)(*args)

    def graph(self, number: int) -> Any:
        """The graph of this number, as a batch of one."""
        shard = self._holder(number)
        return shard.batch.take([number - shard.first])

    def label(self, number: int) -> int:
        """The label of the graph of this number."""
        shard = self._holder(number)
        return int(shard.labels[number - shard.first])

    def _holder(self, number: int) -> Shard:
        return self.shards[bisect_right([shard.first for shard in self.shards], number) - 1]

    def restore(self, states: list[Any]) -> None:
        """Put every shard back into a state that it gave."""
        for shard, state in zip(self.shards, states, strict=True):
            shard.restore(state)
