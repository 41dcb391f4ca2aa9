"""The default engine: all shards in this process, on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.data.dataset import Rows, split_into_shards
from graphmeans.cluster.engines.base import Engine, ShardCall, ShardSettings, ShardSpec, log_error
from graphmeans.cluster.engines.shard_store import ShardStore
from graphmeans.cluster.shards.reductions import SumTree
from graphmeans.cluster.shards.shard import Shard
from graphmeans.matching.pairs import n_threads


class ThreadEngine(Engine):
    """Cuts a collection into shards and works through them; see `Engine`.

    Several shards are worked on at once, each by one thread; a single one gets all threads for its pairs.
    """

    def __init__(
        self, context: FitContext, matcher: CountedMatcher, k: int, rows: Rows | None = None, log_dir: Path | None = None
    ) -> None:
        self._data, self._matcher = context.data, matcher
        settings = ShardSettings(context.space, context.order, k, log_dir, durable=True)
        self._store = ShardStore(settings, n_threads(context.space.n_jobs))
        self._n = 0
        self.extend(split_into_shards(range(len(context)) if rows is None else rows))

    @property
    def k(self) -> int:
        """The number of centers."""
        return self._store.settings.k

    def __len__(self) -> int:
        return self._n

    def extend(self, parts: Sequence[Rows]) -> None:
        """Take in more shards, of these graphs of the collection; they are numbered after those that are here."""
        for rows in parts:
            self._store.add(ShardSpec(len(self._store.specs), self._n, self._data.part(rows)))
            self._n += len(rows)

    @property
    def shards(self) -> list[Shard]:
        """The shards that are in memory."""
        return [self._store.shard(number) for number in self._store.specs]

    def _call(
        self, operation: Callable[..., Any], args: tuple[Any, ...], fold: bool, log: bool = False, only: int | None = None
    ) -> list[Any]:
        numbers = list(self._store.specs) if only is None else [only]
        logs = self._next_logs() if log else None
        tree, found = SumTree[Any](len(numbers)), {}
        for number, answer, counters in self._store.call(numbers, ShardCall(operation, args, self._matcher.purpose, logs)):
            self._matcher.counters.add(counters)
            if fold:
                tree.add(number, answer)
            else:
                found[number] = answer
        if self._store.write_error:
            raise log_error(self._store.settings.log_dir, self._store.write_error)
        self.checkpoint_id += log
        return [tree if fold else found]

    def restore(self, checkpoint_id: int, times: int) -> None:
        """Put all shards back to what they wrote for this checkpoint; the centers have been at so many `times`."""
        self._store.restore(list(self._store.specs), checkpoint_id, times)
        self.checkpoint_id = checkpoint_id

    def close(self) -> None:
        """Do nothing, since nothing is held elsewhere."""
