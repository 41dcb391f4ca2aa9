"""The engine for more than one machine: shards live on the workers of a dask.distributed cluster.

Centers go out once an iteration, sums come back. Graphs, labels, alignments and bounds stay where they are. When a worker is
lost, its shards are built again elsewhere: from the collection, from the logs that they wrote at the end of the last
iteration, and by repeating the calls since then. Nothing depends on timing, so the result is the same. That a worker is lost is
found out by dask_client.py (`WorkersLost`); others take over in `_replace_workers`; dask_worker.py has `rebuild`.
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

from graphmeans.cluster.centers.vector_centers import MovingCenters
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.data.dataset import OnDiskDataset, Rows, split_into_shards
from graphmeans.cluster.engines import dask_worker as remote
from graphmeans.cluster.engines.base import RemoteEngine, ShardCall, ShardSettings, ShardSpec, log_error
from graphmeans.cluster.engines.dask_client import DaskClient, WorkersLost
from graphmeans.cluster.engines.partition import spread
from graphmeans.cluster.shards.shard import changes_shards

logger = logging.getLogger("graphmeans")

#: Answers of more workers than this are added up by workers, so many at a time.
MERGED = 8
#: Without a checkpoint, shards write their logs when this many times what it takes has passed since the last time. Then
#: losing a worker costs no more than that, and writing no more than its share.
SELDOM = 10.0


class DaskEngine(RemoteEngine):
    """The shards of one run, on the workers of a cluster; see `Engine`."""

    def __init__(
        self, client: DaskClient, context: FitContext, matcher: CountedMatcher, k: int, rows: Rows | None = None,
        log_dir: Path | None = None,
    ) -> None:  # fmt: skip
        self._client, self._data, self._matcher, self._counters = client, context.data, matcher, matcher.counters
        self._key = uuid.uuid4().hex
        self._must_log = log_dir is not None  # a checkpoint was asked for
        self._log_dir = log_dir if log_dir is not None else client.scratch(self._key)
        self._can_log = self._log_dir is not None
        on_each = client.workers_per_machine()
        self._settings = ShardSettings(context.space, context.order, k, self._log_dir, on_each, durable=self._must_log)
        self._parts: list[Rows] = []
        self._firsts: list[int] = []
        self._n = 0
        self._held: dict[str, list[int]] = {}  # worker -> numbers of its shards
        self._calls: list[tuple[bytes, int | None]] = []  # calls since shards last wrote their logs
        self._published: dict[int, bytes] = {}  # centers by version, for those calls
        self._sent: tuple[int, Any] | None = None  # the version that workers have, and where
        self._logged_at, self._log_seconds = 0.0, 0.0  # when shards last wrote their logs, and how long that took
        scratch = None if self._must_log else self._log_dir
        self._finalizer = weakref.finalize(self, _forget, client, self._key, self._held, scratch)
        self.extend(split_into_shards(range(len(context)) if rows is None else rows))

    @property
    def k(self) -> int:
        """The number of centers."""
        return self._settings.k

    def __len__(self) -> int:
        return self._n

    # -- handing out -------------------------------------------------------------------------------

    def extend(self, parts: Sequence[Rows]) -> None:
        """Take in more shards, of these graphs of the collection; they are numbered after those that are here."""
        first = len(self._parts)
        for rows in parts:
            self._parts.append(rows)
            self._firsts.append(self._n)
            self._n += len(rows)
        self._hand_out(range(first, len(self._parts)), self._hold)

    def _hand_out(self, numbers: Sequence[int], hand_to: Callable[[str, list[int]], Any]) -> None:
        """Give shards to workers, balanced by cost, until all are taken."""
        while numbers:
            costs = self._data.costs([self._parts[number] for number in numbers])
            workers = self._client.workers()
            futures = {}
            for address, (a, b) in zip(workers, spread(costs, list(workers.values())), strict=True):
                if b > a:
                    own = [numbers[i] for i in range(a, b)]
                    futures[address] = own, hand_to(address, own)
            left: list[int] = []
            for address, (own, future) in futures.items():
                try:
                    answer = self._client.result(future, address)
                except WorkersLost:
                    left += own
                    continue
                if answer is not None:  # what building them again took
                    self._counters.repeated_matchings += pickle.loads(answer).matchings.total()
                self._held[address] = sorted([*self._held.get(address, []), *own])
            numbers = sorted(left)

    def _specs(self, numbers: Iterable[int]) -> bytes:
        specs = [ShardSpec(i, self._firsts[i], self._data.part(self._parts[i])) for i in numbers]
        return pickle.dumps((self._settings, specs), pickle.HIGHEST_PROTOCOL)

    def _hold(self, address: str, numbers: list[int]) -> Any:
        return self._client.submit(address, remote.hold, self._key, self._client.threads(address), self._specs(numbers))

    # -- calls -------------------------------------------------------------------------------------

    def _call(
        self, operation: Callable[..., Any], args: tuple[Any, ...], fold: bool, log: bool = False, only: int | None = None
    ) -> list[Any]:
        """What workers answer. Those that are lost are replaced, until all shards have answered."""
        self._client.check_interrupt()
        due = self._must_log or time.monotonic() - self._logged_at >= SELDOM * self._log_seconds
        log = log and self._can_log and due
        plain = tuple(remote.CENTERS if isinstance(arg, MovingCenters) else arg for arg in args)
        logs = self._next_logs() if log else None
        made = ShardCall(operation, plain, self._matcher.purpose, logs, len(self._parts))
        call = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
        version = self._publish(args)
        wanted = {address: [n for n in own if only in (None, n)] for address, own in self._held.items()}
        asked: list[_Asked] = []
        while True:
            asked += [self._ask(address, own, call, version, fold) for address, own in wanted.items() if own]
            try:
                answers = [pickle.loads(answer) for answer in self._answers(asked, fold)]
                break
            except WorkersLost as lost:
                asked = [one for one in asked if one.address not in lost.addresses]
                wanted = self._replace_workers(lost.addresses, only)
        for answer in answers:
            self._counters.add(answer.counters)
            if answer.write_error:
                self._cannot_log(answer.write_error)
        if log:
            self._logged_at, self._log_seconds = time.monotonic(), max(answer.write_seconds for answer in answers)
        self._note(operation, call, version, log and self._can_log)
        return [answer.found for answer in answers]

    def _ask(self, address: str, numbers: list[int], call: bytes, version: int | None, fold: bool) -> _Asked:
        centers = None if version is None else self._send_centers(version)
        self._counters.bytes_sent += len(call)
        future = self._client.submit(address, remote.work, self._key, numbers, call, version, centers, fold)
        return _Asked(address, future)

    def _answers(self, asked: list[_Asked], fold: bool) -> list[bytes]:
        """All answers; sums of many workers are added up by workers first."""
        for one in asked:
            self._client.finished(one.future, {one.address})
        everybody = {one.address for one in asked}
        futures = [(one.future, {one.address}) for one in asked]
        while fold and len(futures) > MERGED and all(future.status == "finished" for future, _ in futures):
            groups = [[future for future, _ in futures[i : i + MERGED]] for i in range(0, len(futures), MERGED)]
            futures = [(self._client.client.submit(remote.merge, *group, pure=False), everybody) for group in groups]
        answers = [self._client.result(future, *addresses) for future, addresses in futures]
        self._counters.bytes_received += sum(map(len, answers))
        return answers

    def _note(self, operation: Callable[..., Any], call: bytes, version: int | None, logged: bool) -> None:
        """Note what would have to be repeated if a worker were lost from now on."""
        if logged:
            self.checkpoint_id += 1
            self._calls, self._published = [], {v: data for v, data in self._published.items() if v == version}
        elif changes_shards(operation):
            self._calls.append((call, version))

    # -- centers -----------------------------------------------------------------------------------

    def _publish(self, args: tuple[Any, ...]) -> int | None:
        """The version of the centers among the arguments, which are kept to be sent out."""
        centers = next((arg for arg in args if isinstance(arg, MovingCenters)), None)
        if centers is None:
            return None
        if centers.version not in self._published:
            self._published[centers.version] = pickle.dumps(centers.read_only(), pickle.HIGHEST_PROTOCOL)
        return centers.version

    def _send_centers(self, version: int) -> Any:
        """Where workers find centers; they leave this process once."""
        if self._sent is None or self._sent[0] != version:
            self._sent = version, self._client.share(self._published[version], self._held)
            self._counters.bytes_sent += len(self._published[version])
        return self._sent[1]

    # -- a worker is lost --------------------------------------------------------------------------

    def _replace_workers(self, lost: set[str], only: int | None) -> dict[str, list[int]]:
        """Other workers take over the shards of lost ones; returns who has to be asked once more, and for which."""
        numbers = sorted(n for address in lost for n in self._held.pop(address, []))
        self._sent = None
        graphs = sum(len(self._parts[n]) for n in numbers)
        logger.warning("lost %s: building %d graphs again elsewhere", ", ".join(sorted(lost)), graphs)
        self._counters.rebuilt_graphs += graphs
        before = {address: set(own) for address, own in self._held.items()}
        self._hand_out(numbers, self._rebuild)
        new = {address: [n for n in own if n not in before.get(address, set())] for address, own in self._held.items()}
        return {address: [n for n in own if only in (None, n)] for address, own in new.items()}

    def _rebuild(self, address: str, numbers: list[int]) -> Any:
        needed = {version for _, version in self._calls if version is not None}
        centers = {version: self._published[version] for version in needed}
        threads, specs = self._client.threads(address), self._specs(numbers)
        return self._client.submit(
            address, remote.rebuild, self._key, threads, specs, self.checkpoint_id, self._calls, centers
        )

    def _cannot_log(self, reason: str) -> None:
        if self._must_log:
            raise log_error(self._log_dir, reason)
        if self._can_log:
            self._can_log = False
            said = f"{self._log_dir}: cannot be written ({reason})"
            warnings.warn(f"{said}; if a worker is lost, more has to be computed again", stacklevel=2)

    # -- results -----------------------------------------------------------------------------------

    def restore(self, checkpoint_id: int, times: int) -> None:
        """Put all shards back to what they wrote for this checkpoint; the centers have been at so many `times`."""
        self.checkpoint_id = checkpoint_id
        told = [
            (self._client.submit(a, remote.restore, self._key, own, checkpoint_id, times), a) for a, own in self._held.items()
        ]
        for future, address in told:
            try:
                self._client.result(future, address)
            except WorkersLost as lost:
                self._replace_workers(lost.addresses, None)

    @property
    def on_disk(self) -> bool:
        """Whether workers read the graphs themselves."""
        return isinstance(self._data, OnDiskDataset)

    def export(self, function: Callable[..., int], *args: Any) -> int:
        """Let workers write down the labels of their shards, see `remote.export`; returns how many graphs there are."""
        told = {address: self._client.submit(address, remote.export, self._key, own, pickle.dumps((function, args)))
                for address, own in self._held.items()}  # fmt: skip
        try:
            return sum(self._client.result(future, address) for address, future in told.items())
        except WorkersLost as lost:
            self._replace_workers(lost.addresses, None)
            return self.export(function, *args)

    def rest(self) -> None:
        """The fit is over: workers keep what was found, but no centers."""
        self._sent, self._published, self._calls = None, {}, []

    def close(self) -> None:
        """Let the workers forget everything."""
        self.rest()
        if self._finalizer.detach() is not None:
            futures = _release(self._client, self._key, self._held)
            if not self._must_log and self._log_dir is not None:
                shutil.rmtree(self._log_dir, ignore_errors=True)
            with contextlib.suppress(Exception):  # they may be gone
                from distributed import wait

                wait(futures, timeout=10)


class _Asked(NamedTuple):
    address: str
    future: Any


def _release(client: DaskClient, key: str, held: dict[str, list[int]]) -> list[Any]:
    with contextlib.suppress(Exception):  # the cluster may be gone
        return [client.submit(address, remote.release, key) for address in held]
    return []


def _forget(client: DaskClient, key: str, held: dict[str, list[int]], folder: Path | None) -> None:
    """Nobody holds the engine any more. Nothing is waited for: any thread may find that out."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(Exception):
        from distributed import fire_and_forget

        fire_and_forget(_release(client, key, held))
