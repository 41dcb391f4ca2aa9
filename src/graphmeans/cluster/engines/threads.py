"""The default engine: all shards in this process, on threads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.context import Problem
from graphmeans.cluster.data.dataset import Rows, cut
from graphmeans.cluster.engines.shard_store import Call, Setting, Shelf, Spec, cannot_leave
from graphmeans.cluster.shards.shard import Shard
from graphmeans.cluster.shards.tree import Tree
from graphmeans.matching.pairs import n_threads

IntArray = NDArray[np.int64]


class Threads:
    """Cuts a collection into shards and works through them.

    Several shards are worked on at once, each by one thread; a single one gets all threads for its pairs.

    Parameters
    ----------
    problem : Problem
    k : int
        The number of centers that are to come.
    rows : array, optional
        The graphs to begin with; by default all of them.
    folder : path, optional
        Where shards leave their state behind when they are told to.
    """

    def __init__(self, problem: Problem, k: int, rows: Rows | None = None, folder: Path | None = None) -> None:
        self._problem, self._matchings = problem, problem.matchings
        self._shelf = Shelf(Setting(problem.space, problem.order, k, folder), n_threads(problem.space.n_jobs))
        self._n, self._shards = 0, 0
        self.generation = 0
        self.extend(cut(range(len(problem.source)) if rows is None else rows))

    def __len__(self) -> int:
        return self._n

    def extend(self, parts: Sequence[Rows]) -> None:
        """More shards, of these graphs of the source; they are numbered after those that are here."""
        for rows in parts:
            self._shelf.add(Spec(self._shards, self._n, self._problem.source.part(rows)))
            self._shards, self._n = self._shards + 1, self._n + len(rows)

    @property
    def shards(self) -> list[Shard]:
        """The shards that are in memory."""
        return [self._shelf.shard(number) for number in range(self._shards)]

    def total(self, method: str, *args: Any, leave: bool = False) -> Any:
        """Call a method of every shard and add up the answers. `leave`: what all have become is left behind."""
        tree = Tree(self._shards)
        for number, answer in self._answers(range(self._shards), method, args, leave):
            tree.add(number, answer)
        return tree.total

    def each(self, method: str, *args: Any, leave: bool = False) -> list[Any]:
        """Call a method of every shard; the answers in the order of the shards."""
        return [answer for _, answer in self._answers(range(self._shards), method, args, leave)]

    def one(self, number: int, method: str, *args: Any) -> Any:
        """Call a method of one shard."""
        ((_, answer),) = self._answers([number], method, args)
        return answer

    def _answers(self, numbers: Sequence[int], method: str, args: tuple[Any, ...], leave: bool = False) -> Any:
        leaves = (self.generation + 1, self.generation) if leave else None
        for number, answer, ledger in self._shelf.call(numbers, Call(method, args, self._matchings.purpose, leaves)):
            self._matchings.ledger.add(ledger)
            yield number, answer
        if self._shelf.complaint:
            raise cannot_leave(self._shelf.setting.folder, self._shelf.complaint)
        self.generation += leave

    def restore(self, generation: int) -> None:
        """All shards go back to what they left behind."""
        self._shelf.restore(range(self._shards), generation)
        self.generation = generation

    def assignment(self) -> tuple[Any, Any]:
        """Labels and distances of all graphs, as they are now."""
        labels, distances = zip(*self.each("assignment"), strict=True)
        return np.concatenate(labels), np.concatenate(distances)

    def look(self) -> Any:
        """The same for later: they are copied, since shards go on."""
        now = self.assignment()
        return lambda: now

    @property
    def remote(self) -> Any:
        """Itself if the shards are elsewhere, else None."""
        return None

    def close(self) -> None:
        """Nothing is held elsewhere."""
