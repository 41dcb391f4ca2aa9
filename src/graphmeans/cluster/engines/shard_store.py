"""`Shelf`: some shards in one process, worked through by threads. What does not fit into memory waits on disk."""

from __future__ import annotations

import os
import re
import tempfile
import time
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.counters import ALGORITHM, Ledger, Matchings
from graphmeans.cluster.data.dataset import Held, Part
from graphmeans.cluster.persistence.shard_log import Journal, read_arrays, write_arrays
from graphmeans.cluster.shards.bounds import SLOTS
from graphmeans.cluster.shards.shard import Shard
from graphmeans.graphs.errors import GraphError
from graphmeans.space import GraphSpace

IntArray = NDArray[np.int64]

#: Share of the free memory that shards may take, unless the environment says how much.
SHARE = 0.6
MEMORY = "GRAPHMEANS_MEMORY"


@dataclass(frozen=True)
class Setting:
    """What all shards of a fit have in common."""

    space: GraphSpace
    order: IntArray
    k: int
    folder: Path | None = None  # where shards leave behind what they must not lose
    neighbours: int = 1  # processes that share the memory of a machine


@dataclass(frozen=True)
class Spec:
    """Which graphs a shard holds."""

    number: int
    first: int
    part: Part


@dataclass(frozen=True)
class Call:
    """A method of shards, to be called with these arguments."""

    method: str
    args: tuple[Any, ...] = ()
    purpose: str = ALGORITHM
    #: Afterwards shards leave their state behind as this generation; one that is confirmed may make files useless.
    leaves: tuple[int, int] | None = None
    #: How many shards there are in all, which is how sums of their answers are formed.
    of: int = 0


class Shelf:
    """Shards by number.

    Shards whose graphs are on disk stay in memory as long as there is room. The rest are visitors: they are read for a call
    and put away after it.
    """

    def __init__(self, setting: Setting, threads: int) -> None:
        self.setting, self.threads = setting, threads
        self.specs: dict[int, Spec] = {}
        self._shards: dict[int, Shard] = {}
        self._journals: dict[int, Journal] = {}
        self._room = memory(setting.neighbours)
        #: Why shards could not leave behind what they should, the last time.
        self.complaint: str | None = None
        self.leaving = 0.0  # seconds that it took
        self._pool: ThreadPoolExecutor | None = None
        self._attic: tempfile.TemporaryDirectory[str] | None = None

    def add(self, spec: Spec) -> None:
        """Take a shard in, in its first state."""
        self.specs[spec.number] = spec
        if self.setting.folder is not None:
            self._journals[spec.number] = Journal(self.setting.folder, spec.number)
        shard = self._new(spec)
        if not isinstance(spec.part, Held):
            need = bytes_of(shard, self.setting.k)
            if need > self._room:
                self._put_away(spec.number, shard)
                return
            self._room -= need
        self._shards[spec.number] = shard

    def restore(self, numbers: Sequence[int], generation: int) -> None:
        """Shards go back to what they left behind."""

        def back(number: int) -> None:
            shard = self._out(number)
            self._journals[number].read(shard, generation)
            self._back(number, shard)

        for _ in self._spread(back, numbers):
            pass

    def call(self, numbers: Sequence[int], call: Call) -> Iterator[tuple[int, Any, Ledger]]:
        """Call a method of these shards; yields their numbers, answers and what was spent, in the order of the numbers."""
        self.complaint, self.leaving = None, 0.0
        inner = replace(self.setting.space, n_jobs=max(1, self.threads // max(1, len(numbers))))

        def one(number: int) -> tuple[int, Any, Ledger]:
            shard = self._out(number)
            shard.matchings = Matchings(inner, purpose=call.purpose)
            answer = getattr(shard, call.method)(*call.args)
            if call.leaves is not None and number in self._journals:
                start = time.perf_counter()
                try:
                    self._journals[number].write(shard, *call.leaves)
                except OSError as error:
                    self.complaint = error.strerror or str(error)
                self.leaving += time.perf_counter() - start
            self._back(number, shard)
            return number, answer, shard.matchings.ledger

        return self._spread(one, numbers)

    def _spread(self, function: Any, numbers: Sequence[int]) -> Iterator[Any]:
        workers = min(self.threads, len(numbers))
        if workers <= 1:
            yield from map(function, numbers)
            return
        if self._pool is None:  # threads keep their room (scratch.py) from call to call
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="graphmeans-shard")
            weakref.finalize(self, self._pool.shutdown, wait=False)
        for start in range(0, len(numbers), 8 * workers):  # answers wait until they are added up: not too many at once
            yield from self._pool.map(function, numbers[start : start + 8 * workers])

    # -- visitors ----------------------------------------------------------------------------------

    @property
    def resident(self) -> int:
        """How many shards are in memory."""
        return len(self._shards)

    def shard(self, number: int) -> Shard:
        """A shard that is in memory."""
        return self._shards[number]

    def _new(self, spec: Spec) -> Shard:
        batch, weights = spec.part.load()
        return Shard(batch, weights, spec.first, Matchings(self.setting.space), self.setting.order)

    def _out(self, number: int) -> Shard:
        if number in self._shards:
            return self._shards[number]
        shard = self._new(self.specs[number])
        shard.unpack(read_arrays(self._place(number)))
        return shard

    def _back(self, number: int, shard: Shard) -> None:
        if number not in self._shards:
            self._put_away(number, shard)

    def _put_away(self, number: int, shard: Shard) -> None:
        write_arrays(self._place(number), shard.packed())

    def _place(self, number: int) -> Path:
        if self._attic is None:
            self._attic = tempfile.TemporaryDirectory(prefix="graphmeans-")
        return Path(self._attic.name) / f"{number}"


def cannot_leave(folder: Path | None, complaint: str) -> GraphError:
    """What is said when a checkpoint cannot be written."""
    return GraphError(f"{folder}: cannot be written ({complaint}); the last checkpoint is kept")


def bytes_of(shard: Shard, k: int) -> int:
    """Memory that a shard takes once everything has come to be."""
    batch = shard.batch
    graphs = sum(a.nbytes for a in (batch.node_ptr, batch.nodes, batch.roles, batch.edge_ptr, batch.ends, batch.edge_values))
    own = sum(array.nbytes for array in shard.state().values())
    return graphs + own + shard.sketches.values.nbytes + 14 * len(shard) * min(k, SLOTS)


def memory(neighbours: int = 1) -> float:
    """Bytes that shards may take in this process, one of so many on a machine."""
    asked = os.environ.get(MEMORY)
    if asked:
        found = re.fullmatch(r"\s*([0-9.]+)\s*([kMGT]?)i?B?\s*", asked, re.IGNORECASE)
        if not found:
            raise GraphError(f"{MEMORY} must be a number of bytes such as 800MB or 2GB, got {asked!r}")
        return float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " ")
    try:
        return SHARE / neighbours * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not known on this system
        return float("inf")
