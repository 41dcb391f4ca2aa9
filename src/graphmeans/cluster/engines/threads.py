"""The default engine: all shards in this process, on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from graphmeans.cluster.context import FitContext
from graphmeans.cluster.counters import CountedMatcher
from graphmeans.cluster.data.dataset import Rows, split_into_shards
from graphmeans.cluster.engines.base import (
    FloatArray,
    GetAssignment,
    IntArray,
    RemoteEngine,
    ShardCall,
    ShardSettings,
    ShardSpec,
    log_error,
)
from graphmeans.cluster.engines.shard_store import ShardStore
from graphmeans.cluster.shards.reductions import SumTree
from graphmeans.cluster.shards.sample import get_assignment
from graphmeans.cluster.shards.shard import Shard
from graphmeans.matching.pairs import n_threads

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    Args = TypeVarTuple("Args")

T = TypeVar("T")


class ThreadEngine:
    """Cuts a collection into shards and works through them; see `Engine`.

    Several shards are worked on at once, each by one thread; a single one gets all threads for its pairs.
    """

    def __init__(
        self, context: FitContext, matcher: CountedMatcher, k: int, rows: Rows | None = None, log_dir: Path | None = None
    ) -> None:
        self._data, self._matcher = context.data, matcher
        settings = ShardSettings(context.space, context.order, k, log_dir)
        self._store = ShardStore(settings, n_threads(context.space.n_jobs))
        self._n, self._shards = 0, 0
        self.checkpoint_id = 0
        self.extend(split_into_shards(range(len(context)) if rows is None else rows))

    def __len__(self) -> int:
        return self._n

    def extend(self, parts: Sequence[Rows]) -> None:
        """Take in more shards, of these graphs of the collection; they are numbered after those that are here."""
        for rows in parts:
            self._store.add(ShardSpec(self._shards, self._n, self._data.part(rows)))
            self._shards, self._n = self._shards + 1, self._n + len(rows)

    @property
    def shards(self) -> list[Shard]:
        """The shards that are in memory."""
        return [self._store.shard(number) for number in range(self._shards)]

    def sum(
        self, operation: Callable[[Shard, Unpack[Args]], T], *args: Unpack[Args], log: bool = False
    ) -> T:
        """Call an operation on every shard and add up the answers. With `log` all shards write their logs afterwards."""
        tree: SumTree[T] = SumTree(self._shards)
        for number, answer in self._call(range(self._shards), operation, args, log):
            tree.add(number, answer)
        return tree.total

    def each(
        self, operation: Callable[[Shard, Unpack[Args]], T], *args: Unpack[Args], log: bool = False
    ) -> list[T]:
        """Call an operation on every shard; the answers come in the order of the shards."""
        return [answer for _, answer in self._call(range(self._shards), operation, args, log)]

    def one(self, number: int, operation: Callable[[Shard, Unpack[Args]], T], *args: Unpack[Args]) -> T:
        """Call an operation that changes nothing on one shard."""
        ((_, answer),) = self._call([number], operation, args)
        return answer

    def _call(
        self, numbers: Sequence[int], operation: Callable[..., T], args: tuple[Any, ...], log: bool = False
    ) -> Iterator[tuple[int, T]]:
        logs = (self.checkpoint_id + 1, self.checkpoint_id) if log else None
        call = ShardCall(operation, args, self._matcher.purpose, logs)
        for number, answer, counters in self._store.call(numbers, call):
            self._matcher.counters.add(counters)
            yield number, answer
        if self._store.write_error:
            raise log_error(self._store.settings.log_dir, self._store.write_error)
        self.checkpoint_id += log

    def restore(self, checkpoint_id: int) -> None:
        """Put all shards back to what they wrote for this checkpoint."""
        self._store.restore(range(self._shards), checkpoint_id)
        self.checkpoint_id = checkpoint_id

    def assignment(self) -> tuple[IntArray, FloatArray]:
        """Labels and distances of all graphs, as they are now."""
        labels, distances = zip(*self.each(get_assignment), strict=True)
        return np.concatenate(labels), np.concatenate(distances)

    def get_assignment(self) -> GetAssignment:
        """A function that gives labels and distances as they are now: shards go on changing, so they are copied."""
        now = self.assignment()
        return lambda: now

    @property
    def remote(self) -> RemoteEngine | None:
        """None, since the shards are in this process."""
        return None

    def close(self) -> None:
        """Do nothing, since nothing is held elsewhere."""
