"""What a dask worker does: it holds a store of shards for each fit, and is told what they shall do.

Arguments and answers travel as bytes that are pickled here, not by dask: arrays arrive writable (the kernels are compiled for
nothing else), and everybody can count them.
"""

from __future__ import annotations

import pickle
import platform
import threading
from dataclasses import replace
from importlib.metadata import version as installed_version
from typing import Any, NamedTuple

from graphmeans.cluster.centers.vector_centers import MovingCenters
from graphmeans.cluster.context import Counters
from graphmeans.cluster.data.dataset import LazyCollection
from graphmeans.cluster.engines.base import ShardCall
from graphmeans.cluster.engines.shard_store import ShardStore
from graphmeans.cluster.shards.reductions import SumTree
from graphmeans.cluster.shards.sample import get_assignment
from graphmeans.graphs.encoding.encoder import GraphEncoder

#: Stands for the centers among the arguments of a call.
CENTERS = "<centers>"

_stores: dict[str, ShardStore] = {}
_centers: dict[str, tuple[int, MovingCenters]] = {}
_lock = threading.Lock()


class ShardsMissing(Exception):
    """This process does not hold the shards that it is asked for: it was started after they were handed out."""


class Answer(NamedTuple):
    """What a worker answers: the sums of its shards, or what each of them said, and what it took."""

    found: Any
    counters: Counters
    write_error: str | None
    write_seconds: float


def versions() -> dict[str, str]:
    """The versions of everything that results may depend on."""
    names = ("graphmeans", "numpy", "numba")
    return {"Python": ".".join(platform.python_version_tuple()[:2])} | {name: installed_version(name) for name in names}


def call_pickled(task: bytes) -> bytes:
    """Call any function with its arguments, all of them as bytes."""
    function, *args = pickle.loads(task)
    return pickle.dumps(function(*args), pickle.HIGHEST_PROTOCOL)


def same(data: bytes) -> bytes:
    """What was sent, so that other workers can fetch it here."""
    return data


def summarise(encoder: GraphEncoder, part: LazyCollection, start: int) -> Any:
    """What fitting an encoder must know of a part of a collection, whose first graph has this number."""
    (batch,) = part.arrays()
    return encoder.summarise(batch, start)


def has_zero_edge(encoder: GraphEncoder, part: LazyCollection) -> bool:
    """Whether some edge of a part encodes to zero."""
    return any(encoder.has_zero_edge(batch) for batch in part.arrays())


def hold(key: str, threads: int, specs: bytes) -> None:
    """Take in more shards of a fit."""
    settings, listed = pickle.loads(specs)
    with _lock:
        store = _stores.setdefault(key, ShardStore(settings, threads))
    for spec in listed:
        store.add(spec)


def work(key: str, numbers: list[int], call: bytes, version: int | None, centers: bytes | None, fold: bool) -> bytes:
    """Call an operation on some shards: the sums of their answers, or all of them, and what was spent."""
    store = _store(key, numbers)
    found, counters = _call(key, store, numbers, pickle.loads(call), version, centers, fold)
    return pickle.dumps(Answer(found, counters, store.write_error, store.write_seconds), pickle.HIGHEST_PROTOCOL)


def rebuild(
    key: str, threads: int, specs: bytes, checkpoint_id: int, calls: list[tuple[bytes, int | None]],
    centers: dict[int, bytes],
) -> bytes:  # fmt: skip
    """Build shards whose worker was lost: from the collection and their logs, then by repeating what was done since.

    Returns what that took.
    """
    hold(key, threads, specs)
    numbers = [spec.number for spec in pickle.loads(specs)[1]]
    store, spent = _store(key, numbers), Counters()
    if checkpoint_id:
        store.restore(numbers, checkpoint_id)
    for pickled, version in calls:
        call = replace(pickle.loads(pickled), log=None)
        sent = None if version is None else centers[version]
        spent.add(_call(key, store, numbers, call, version, sent, fold=False, answers=False)[1])
    return pickle.dumps(spent)


def restore(key: str, numbers: list[int], checkpoint_id: int, times: int) -> None:
    """Put shards back to what they wrote for this checkpoint."""
    _store(key, numbers).restore(numbers, checkpoint_id, times)


def export(key: str, numbers: list[int], task: bytes) -> int:
    """Call function(number of the shard, its part of the collection, its assignment, *args) for each; the sum of answers."""
    function, args = pickle.loads(task)
    store = _store(key, numbers)
    found = store.call(numbers, ShardCall(get_assignment))
    return sum(function(n, store.specs[n].part, assignment, *args) for n, assignment, _ in found)


def merge(*parts: bytes) -> bytes:
    """Add up the sums of several workers."""
    answers: list[Answer] = [pickle.loads(part) for part in parts]
    spent = Counters()
    for answer in answers:
        spent.add(answer.counters)
    error = next((answer.write_error for answer in answers if answer.write_error), None)
    tree: SumTree[Any] = SumTree.merged(answer.found for answer in answers)
    merged = Answer(tree, spent, error, max(answer.write_seconds for answer in answers))
    return pickle.dumps(merged, pickle.HIGHEST_PROTOCOL)


def release(key: str) -> None:
    """Forget a fit that is over."""
    _stores.pop(key, None)
    _centers.pop(key, None)


def _store(key: str, numbers: list[int]) -> ShardStore:
    store = _stores.get(key)
    if store is None or not all(number in store.specs for number in numbers):
        raise ShardsMissing(key)
    return store


def _call(
    key: str, store: ShardStore, numbers: list[int], call: ShardCall, version: int | None, centers: bytes | None,
    fold: bool, answers: bool = True,
) -> tuple[Any, Counters]:  # fmt: skip
    if version is not None:
        assert centers is not None
        known = _centers_of(key, version, centers)
        call = replace(call, args=tuple(known if isinstance(arg, str) and arg == CENTERS else arg for arg in call.args))
    spent, tree, found = Counters(), SumTree[Any](call.shards), {}
    for number, answer, counters in store.call(numbers, call):
        spent.add(counters)
        if fold:
            tree.add(number, answer)
        elif answers:
            found[number] = answer
    return tree if fold else found, spent


def _centers_of(key: str, version: int, centers: bytes) -> MovingCenters:
    with _lock:
        known = _centers.get(key)
        if known is None or known[0] != version:
            known = _centers[key] = version, pickle.loads(centers)
        return known[1]
