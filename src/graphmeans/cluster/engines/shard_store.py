"""`ShardStore`: some shards in one process, worked through by threads. What does not fit into memory is spilled to disk."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from graphmeans.budget import parse_bytes
from graphmeans.cluster.context import CountedMatcher, Counters
from graphmeans.cluster.data.dataset import PartInMemory
from graphmeans.cluster.engines.base import ShardCall, ShardSettings, ShardSpec
from graphmeans.cluster.persistence.shard_log import ShardLog, read_arrays, write_arrays
from graphmeans.cluster.shards.shard import Shard
from graphmeans.cluster.shards.state import SLOTS
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.sound import fit_slots
from graphmeans.space import GraphSpace

#: Share of the free memory that shards may take, unless the environment says how much.
SHARE = 0.6
MEMORY = "GRAPHMEANS_MEMORY"
#: Where it is not known how often the centers have moved: more often than that they never do.
ANY_TIME = 1 << 40
T = TypeVar("T")


class ShardStore:
    """Shards by number.

    Shards whose graphs are on disk stay in memory as long as there is room. The rest are spilled: each is read for a call
    and written to disk after it.
    """

    def __init__(self, settings: ShardSettings, threads: int) -> None:
        self.settings, self.threads = settings, threads
        self._last_space = settings.space
        self.specs: dict[int, ShardSpec] = {}
        self._shards: dict[int, Shard] = {}
        self._logs: dict[int, ShardLog] = {}
        self._room = memory_budget(settings.processes)
        #: Why logs could not be written, the last time.
        self.write_error: str | None = None
        #: Seconds that writing logs took, the last time.
        self.write_seconds = 0.0
        self._pool: ThreadPoolExecutor | None = None
        self._spill_dir: tempfile.TemporaryDirectory[str] | None = None

    def add(self, spec: ShardSpec) -> None:
        """Take a shard in, in its first state."""
        self.specs[spec.number] = spec
        if self.settings.log_dir is not None:
            self._logs[spec.number] = ShardLog(self.settings.log_dir, spec.number, self.settings.durable)
        shard = self._new(spec)
        if not isinstance(spec.part, PartInMemory):
            need = bytes_needed(shard, self.settings.k)
            if need > self._room:
                self._spill(spec.number, shard)
                return
            self._room -= need
        self._shards[spec.number] = shard

    def restore(self, numbers: Sequence[int], checkpoint_id: int, times: int = ANY_TIME) -> None:
        """Put shards back to what they wrote for this checkpoint; the centers have been at so many `times`."""
        order = self.settings.space.order
        slot_roles = np.repeat(np.arange(len(order)), order).astype(np.int32)

        def restore_one(number: int) -> None:
            shard = self._load(number)
            lengths = {"graphs": len(shard), "nodes": len(shard.batch.nodes), "k": self.settings.k, "times": times}
            self._logs[number].read(shard.state, checkpoint_id, slots=len(slot_roles), **lengths)
            if self.settings.space.layout is None and not fit_slots(shard.batch, shard.state.slots, slot_roles):
                raise GraphError(f"{self.settings.log_dir}: the alignments of shard {number} are none")
            self._unload(number, shard)

        for _ in self._map(restore_one, numbers):
            pass

    def call(self, numbers: Sequence[int], call: ShardCall) -> Iterator[tuple[int, Any, Counters]]:
        """Call an operation on these shards; yields their numbers, answers and counters, in the order of the numbers."""
        self.write_error, self.write_seconds = None, 0.0
        space = self._space(max(1, self.threads // max(1, len(numbers))))

        def call_one(number: int) -> tuple[int, Any, Counters]:
            shard = self._load(number)
            shard.matcher = CountedMatcher(space, purpose=call.purpose)
            answer = call.operation(shard, *call.args)
            if call.log is not None and number in self._logs:
                start = time.perf_counter()
                try:
                    self._logs[number].write(shard.state, *call.log)
                except OSError as error:
                    self.write_error = error.strerror or str(error)
                self.write_seconds += time.perf_counter() - start
            self._unload(number, shard)
            return number, answer, shard.matcher.counters

        return self._map(call_one, numbers)

    def _space(self, n_jobs: int) -> GraphSpace:
        """The space, with so many threads for each shard."""
        if self._last_space.n_jobs != n_jobs:
            self._last_space = replace(self.settings.space, n_jobs=n_jobs)
        return self._last_space

    def _map(self, function: Callable[[int], T], numbers: Sequence[int]) -> Iterator[T]:
        workers = min(self.threads, len(numbers))
        if workers <= 1:
            yield from map(function, numbers)
            return
        if self._pool is None:  # threads keep their workspace (`scratch_zeros`) from call to call
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="graphmeans-shard")
            weakref.finalize(self, self._pool.shutdown, wait=False)
        for start in range(0, len(numbers), 8 * workers):  # answers wait until they are added up: not too many at once
            yield from self._pool.map(function, numbers[start : start + 8 * workers])

    # -- in memory or spilled ----------------------------------------------------------------------

    @property
    def resident(self) -> int:
        """How many shards are in memory."""
        return len(self._shards)

    def shard(self, number: int) -> Shard:
        """A shard that is in memory."""
        return self._shards[number]

    def _new(self, spec: ShardSpec) -> Shard:
        batch, weights = spec.part.load()
        return Shard.of(batch, weights, spec.first, self.settings.order, CountedMatcher(self.settings.space))

    def _load(self, number: int) -> Shard:
        if number in self._shards:
            return self._shards[number]
        shard = self._new(self.specs[number])
        shard.state.unpack(read_arrays(self._spill_path(number)))
        return shard

    def _unload(self, number: int, shard: Shard) -> None:
        if number not in self._shards:
            self._spill(number, shard)

    def _spill(self, number: int, shard: Shard) -> None:
        write_arrays(self._spill_path(number), shard.state.pack())

    def _spill_path(self, number: int) -> Path:
        if self._spill_dir is None:
            self._spill_dir = tempfile.TemporaryDirectory(prefix="graphmeans-")
        return Path(self._spill_dir.name) / f"{number}"


def bytes_needed(shard: Shard, k: int) -> int:
    """The memory that a shard takes once its sketches and bounds have been computed."""
    batch = shard.batch
    graphs = sum(a.nbytes for a in (batch.node_ptr, batch.nodes, batch.roles, batch.edge_ptr, batch.ends, batch.edge_values))
    own = sum(array.nbytes for array in shard.state.to_arrays().values())
    return graphs + own + shard.sketches.values.nbytes + 14 * len(shard) * min(k, SLOTS)


def memory_budget(processes: int = 1) -> float:
    """The bytes that shards may take in this process, one of so many on a machine."""
    asked = os.environ.get(MEMORY)
    if asked:
        return parse_bytes(asked, MEMORY)
    return SHARE / processes * free_memory()


def free_memory() -> float:
    """The bytes of memory that are free now; half of all of them where a system does not say, infinity where it says nothing."""
    for name, share in (("SC_AVPHYS_PAGES", 1.0), ("SC_PHYS_PAGES", 0.5)):  # macOS knows only the second, Windows neither
        with contextlib.suppress(ValueError, OSError, AttributeError):
            return share * os.sysconf("SC_PAGE_SIZE") * os.sysconf(name)
    with contextlib.suppress(ImportError):
        import psutil  # comes with dask

        return float(psutil.virtual_memory().available)
    return float("inf")
