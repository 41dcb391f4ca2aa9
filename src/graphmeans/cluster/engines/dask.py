"""The engine for more than one machine: shards live on the workers of a dask.distributed cluster.

Centers go out once an iteration, sums come back. Graphs, labels, alignments and bounds stay where they are. When a worker is
lost, its shards are built again elsewhere: from the collection, from what they left behind at the end of the last iteration,
and by repeating the calls since then. Nothing depends on timing, so the result is the same.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import shutil
import time
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.context import Problem
from graphmeans.cluster.data.dataset import OnDisk, Rows, cut
from graphmeans.cluster.engines import dask_worker as remote
from graphmeans.cluster.engines.dask_client import Cluster, WorkersLost
from graphmeans.cluster.engines.partition import spread
from graphmeans.cluster.engines.shard_store import Call, Setting, Spec, cannot_leave
from graphmeans.cluster.shards.tree import Tree

logger = logging.getLogger("graphmeans")

IntArray = NDArray[np.int64]

#: Answers of more workers than this are added up by workers, so many at a time.
MERGED = 8
#: Without a checkpoint, shards leave something behind when this many times what it takes has passed since the last time. Then
#: losing a worker costs no more than that, and leaving no more than its share.
SELDOM = 10.0
#: Methods that change nothing, and need not be repeated when a shard is built again.
READS = frozenset(
    {
        "inertia", "sums", "sizes", "members", "mass", "loss", "draw", "draw_some", "draw_by_weight", "weight", "pick",
        "farthest", "assignment",
    }
)  # fmt: skip


class Dask:
    """The shards of one run, on the workers of a cluster. For parameters see `Threads`."""

    def __init__(
        self, cluster: Cluster, problem: Problem, k: int, rows: Rows | None = None, folder: Path | None = None
    ) -> None:
        self._cluster, self._problem, self._matchings = cluster, problem, problem.matchings
        self._key = uuid.uuid4().hex
        self._must_leave = folder is not None  # a checkpoint was asked for
        self._folder = folder if folder is not None else cluster.scratch(self._key)
        self._leaving = self._folder is not None
        self._setting = Setting(problem.space, problem.order, k, self._folder, cluster.neighbours())
        self._parts: list[Rows] = []
        self._firsts: list[int] = []
        self._n = 0
        self._held: dict[str, list[int]] = {}  # worker -> numbers of its shards
        self._log: list[tuple[bytes, int | None]] = []  # calls since shards last left something behind
        self._views: dict[int, bytes] = {}  # centers by version, for those calls
        self._sent: tuple[int, Any] | None = None  # the version that workers have, and where
        self.generation = 0
        self._left_at, self._cost = 0.0, 0.0  # when shards last left something behind, and how long that took
        scratch = None if self._must_leave else self._folder
        self._finalizer = weakref.finalize(self, _released, cluster, self._key, self._held, scratch)
        self.extend(cut(range(len(problem.source)) if rows is None else rows))

    def __len__(self) -> int:
        return self._n

    # -- handing out -------------------------------------------------------------------------------

    def extend(self, parts: list[Rows]) -> None:
        """More shards, of these graphs of the source; they are numbered after those that are here."""
        first = len(self._parts)
        for rows in parts:
            self._parts.append(rows)
            self._firsts.append(self._n)
            self._n += len(rows)
        self._hand_out(range(first, len(self._parts)), self._hold)

    def _hand_out(self, numbers: Sequence[int], take: Callable[[str, list[int]], Any]) -> None:
        """Give shards to workers, balanced by cost, until all are taken."""
        while numbers:
            costs = self._problem.source.costs([self._parts[number] for number in numbers])
            workers = self._cluster.workers()
            futures = {}
            for address, (a, b) in zip(workers, spread(costs, list(workers.values())), strict=True):
                if b > a:
                    own = [numbers[i] for i in range(a, b)]
                    futures[address] = own, take(address, own)
            left: list[int] = []
            for address, (own, future) in futures.items():
                try:
                    answer = self._cluster.result(future, address)
                except WorkersLost:
                    left += own
                    continue
                if answer is not None:  # what building them again took
                    self._problem.ledger.repeated += pickle.loads(answer).matchings.total()
                self._held[address] = sorted([*self._held.get(address, []), *own])
            numbers = sorted(left)

    def _packed(self, numbers: Iterable[int]) -> bytes:
        specs = [Spec(i, self._firsts[i], self._problem.source.part(self._parts[i])) for i in numbers]
        return pickle.dumps((self._setting, specs), pickle.HIGHEST_PROTOCOL)

    def _hold(self, address: str, numbers: list[int]) -> Any:
        return self._cluster.submit(address, remote.hold, self._key, self._cluster.threads(address), self._packed(numbers))

    # -- calls -------------------------------------------------------------------------------------

    def total(self, method: str, *args: Any, leave: bool = False) -> Any:
        """Call a method of every shard and add up the answers. `leave`: what all have become is left behind."""
        return Tree.merged(self._call(method, args, True, leave)).total

    def each(self, method: str, *args: Any, leave: bool = False) -> list[Any]:
        """Call a method of every shard; the answers in the order of the shards."""
        found = {number: answer for part in self._call(method, args, False, leave) for number, answer in part.items()}
        return [found[number] for number in range(len(self._parts))]

    def one(self, number: int, method: str, *args: Any) -> Any:
        """Call a method of one shard."""
        assert method in READS, "all shards see the same calls"
        ((answer,),) = (part.values() for part in self._call(method, args, False, only=number))
        return answer

    def _call(
        self, method: str, args: tuple[Any, ...], fold: bool, leave: bool = False, only: int | None = None
    ) -> list[Any]:
        """What workers answer. Those that are lost are replaced, until all shards have answered."""
        self._cluster.check_interrupt()
        leave = leave and self._leaving and (self._must_leave or time.monotonic() - self._left_at >= SELDOM * self._cost)
        plain = tuple(remote.CENTERS if isinstance(arg, MovingCenters) else arg for arg in args)
        leaves = (self.generation + 1, self.generation) if leave else None
        call = pickle.dumps(Call(method, plain, self._matchings.purpose, leaves, len(self._parts)), pickle.HIGHEST_PROTOCOL)
        version = self._published(args)
        wanted = {address: [n for n in own if only in (None, n)] for address, own in self._held.items()}
        asked: list[_Asked] = []
        while True:
            asked += [self._ask(address, own, call, version, fold) for address, own in wanted.items() if own]
            try:
                answers = [pickle.loads(answer) for answer in self._answers(asked, fold)]
                break
            except WorkersLost as lost:
                asked = [one for one in asked if one.address not in lost.addresses]
                wanted = self._replaced(lost.addresses, only)
        for _, ledger, (complaint, _) in answers:
            self._matchings.ledger.add(ledger)
            if complaint:
                self._cannot_leave(complaint)
        if leave:
            self._left_at, self._cost = time.monotonic(), max(seconds for _, _, (_, seconds) in answers)
        self._note(method, call, version, leave and self._leaving)
        return [part for part, _, _ in answers]

    def _ask(self, address: str, numbers: list[int], call: bytes, version: int | None, fold: bool) -> _Asked:
        view = None if version is None else self._view(version)
        self._problem.ledger.sent += len(call)
        future = self._cluster.submit(address, remote.work, self._key, numbers, call, version, view, fold)
        return _Asked(address, future)

    def _answers(self, asked: list[_Asked], fold: bool) -> list[bytes]:
        """All answers; sums of many workers are added up by workers first."""
        for one in asked:
            self._cluster.finished(one.future, {one.address})
        everybody = {one.address for one in asked}
        futures = [(one.future, {one.address}) for one in asked]
        while fold and len(futures) > MERGED and all(future.status == "finished" for future, _ in futures):
            groups = [[future for future, _ in futures[i : i + MERGED]] for i in range(0, len(futures), MERGED)]
            futures = [(self._cluster.client.submit(remote.merge, *group, pure=False), everybody) for group in groups]
        answers = [self._cluster.result(future, *addresses) for future, addresses in futures]
        self._problem.ledger.received += sum(map(len, answers))
        return answers

    def _note(self, method: str, call: bytes, version: int | None, left: bool) -> None:
        """What would have to be repeated if a worker were lost from now on."""
        if left:
            self.generation += 1
            self._log, self._views = [], {v: data for v, data in self._views.items() if v == version}
        elif method not in READS:
            self._log.append((call, version))

    # -- centers -----------------------------------------------------------------------------------

    def _published(self, args: tuple[Any, ...]) -> int | None:
        """The version of the centers among the arguments, which are sent out if they are new."""
        centers = next((arg for arg in args if isinstance(arg, MovingCenters)), None)
        if centers is None:
            return None
        if centers.version not in self._views:
            self._views[centers.version] = pickle.dumps(centers.view(), pickle.HIGHEST_PROTOCOL)
        return centers.version

    def _view(self, version: int) -> Any:
        """Where workers find centers; they are sent to all of them once."""
        if self._sent is None or self._sent[0] != version:
            self._sent = version, self._cluster.scatter(self._views[version])
            self._problem.ledger.sent += len(self._views[version])
        return self._sent[1]

    # -- faults ------------------------------------------------------------------------------------

    def _replaced(self, lost: set[str], only: int | None) -> dict[str, list[int]]:
        """Other workers take over the shards of lost ones; returns who has to be asked once more, and for which."""
        numbers = sorted(n for address in lost for n in self._held.pop(address, []))
        self._sent = None
        graphs = sum(len(self._parts[n]) for n in numbers)
        logger.warning("lost %s: building %d graphs again elsewhere", ", ".join(sorted(lost)), graphs)
        self._problem.ledger.rebuilt += graphs
        before = {address: set(own) for address, own in self._held.items()}
        self._hand_out(numbers, self._rebuild)
        new = {address: [n for n in own if n not in before.get(address, set())] for address, own in self._held.items()}
        return {address: [n for n in own if only in (None, n)] for address, own in new.items()}

    def _rebuild(self, address: str, numbers: list[int]) -> Any:
        needed = {version for _, version in self._log if version is not None}
        views = {version: self._views[version] for version in needed}
        threads = self._cluster.threads(address)
        packed = self._packed(numbers)
        return self._cluster.submit(address, remote.rebuild, self._key, threads, packed, self.generation, self._log, views)

    def _cannot_leave(self, complaint: str) -> None:
        if self._must_leave:
            raise cannot_leave(self._folder, complaint)
        if self._leaving:
            self._leaving = False
            said = f"{self._folder}: cannot be written ({complaint})"
            warnings.warn(f"{said}; if a worker is lost, more has to be computed again", stacklevel=2)

    # -- results -----------------------------------------------------------------------------------

    def restore(self, generation: int) -> None:
        """All shards go back to what they left behind."""
        self.generation = generation
        futures = [(self._cluster.submit(a, remote.restore, self._key, own, generation), a) for a, own in self._held.items()]
        for future, address in futures:
            try:
                self._cluster.result(future, address)
            except WorkersLost as lost:
                self._replaced(lost.addresses, None)

    def assignment(self) -> tuple[Any, Any]:
        """Labels and distances of all graphs, as they are now."""
        labels, distances = zip(*self.each("assignment"), strict=True)
        return np.concatenate(labels), np.concatenate(distances)

    def look(self) -> Any:
        """The same for later: they stay where they are until somebody asks."""
        return self.assignment

    @property
    def on_disk(self) -> bool:
        """Whether workers read the graphs themselves."""
        return isinstance(self._problem.source, OnDisk)

    def export(self, function: Callable[..., int], *args: Any) -> int:
        """Let workers write down the labels of their shards, see `remote.export`; returns how many graphs there are."""
        told = {address: self._cluster.submit(address, remote.export, self._key, own, pickle.dumps((function, args)))
                for address, own in self._held.items()}  # fmt: skip
        try:
            return sum(self._cluster.result(future, address) for address, future in told.items())
        except WorkersLost as lost:
            self._replaced(lost.addresses, None)
            return self.export(function, *args)

    @property
    def remote(self) -> Any:
        """Itself if the shards are elsewhere, else None."""
        return self

    def rest(self) -> None:
        """The fit is over: workers keep what was found, but no centers."""
        self._sent, self._views, self._log = None, {}, []

    def close(self) -> None:
        """Let the workers forget everything."""
        self.rest()
        if self._finalizer.detach() is not None:
            futures = _forgotten(self._cluster, self._key, self._held)
            if not self._must_leave and self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            with contextlib.suppress(Exception):  # they may be gone
                from distributed import wait

                wait(futures, timeout=10)


class _Asked(NamedTuple):
    address: str
    future: Any


def _forgotten(cluster: Cluster, key: str, held: dict[str, list[int]]) -> list[Any]:
    with contextlib.suppress(Exception):  # the cluster may be gone
        return [cluster.submit(address, remote.release, key) for address in held]
    return []


def _released(cluster: Cluster, key: str, held: dict[str, list[int]], folder: Path | None) -> None:
    """Nobody holds the engine any more. Nothing is waited for: any thread may find that out."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(Exception):
        from distributed import fire_and_forget

        fire_and_forget(_forgotten(cluster, key, held))
