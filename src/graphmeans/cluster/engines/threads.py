"""The default engine: all shards in this process, on threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from graphmeans.cluster.matchings import Ledger, Matchings
from graphmeans.cluster.problem import Problem
from graphmeans.cluster.shard import Shard
from graphmeans.matching.pairs import n_threads

#: Graphs a shard. How a collection is cut depends on nothing else, so results do not depend on who works on it.
SHARD_SIZE = 4096


class Threads:
    """Cuts a collection into shards and works through them.

    Several shards are worked on at once, each by one thread; a single one gets all threads for its pairs.
    """

    def __init__(self, problem: Problem) -> None:
        n, threads = len(problem), n_threads(problem.space.n_jobs)
        starts = range(0, n, SHARD_SIZE)
        self._workers = min(threads, len(starts))
        inner = replace(problem.space, n_jobs=max(1, threads // max(1, len(starts))))
        self.ledger, self._matchings = problem.matchings.ledger, problem.matchings
        self.shards = []
        for start in starts:
            part = np.arange(start, min(start + SHARD_SIZE, n))
            batch = problem.batch if len(starts) == 1 else problem.batch.take(part)
            self.shards.append(Shard(batch, problem.weights[part], start, Matchings(inner), problem.order))

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
        shard = self.shards[number // SHARD_SIZE]
        return shard.batch.take([number - shard.first])

    def label(self, number: int) -> int:
        """The label of the graph of this number."""
        shard = self.shards[number // SHARD_SIZE]
        return int(shard.labels[number - shard.first])

    def restore(self, states: list[Any]) -> None:
        """Put every shard back into a state that it gave."""
        for shard, state in zip(self.shards, states, strict=True):
            shard.restore(state)
