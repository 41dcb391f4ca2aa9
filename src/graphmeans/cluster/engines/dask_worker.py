"""What a dask worker does: it holds a shelf of shards for each fit, and is told what they shall do.

Arguments and answers travel as bytes that are pickled here, not by dask: arrays arrive writable (the kernels are compiled for
nothing else), and everybody can count them.
"""

from __future__ import annotations

import pickle
import platform
import threading
import time
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.counters import Ledger
from graphmeans.cluster.data.dataset import Lazy
from graphmeans.cluster.engines.shard_store import Call, Shelf
from graphmeans.cluster.shards.tree import Tree
from graphmeans.graphs.encoding.encoder import GraphEncoder

#: Stands for the centers among the arguments of a call.
CENTERS = "<centers>"

_shelves: dict[str, Shelf] = {}
_views: dict[str, tuple[int, MovingCenters]] = {}
_lock = threading.Lock()
_ready = False


class Missing(Exception):
    """This process does not hold the shards that it is asked for: it was started after they were handed out."""


def versions() -> dict[str, str]:
    """What results may depend on."""
    names = ("graphmeans", "numpy", "numba")
    return {"Python": ".".join(platform.python_version_tuple()[:2])} | {name: version(name) for name in names}


def compile_kernels() -> float:
    """Have everything compiled, or loaded from where others have left it, once; how many seconds that took."""
    global _ready
    if _ready:
        return 0.0
    from graphmeans.cluster.estimators.kmeans import GraphKMeans
    from graphmeans.functions import warmup
    from graphmeans.graphs.graph import Graph

    start = time.perf_counter()
    for _ in warmup():
        pass
    GraphKMeans(2, random_state=0, n_jobs=1).fit([Graph([[0.0], [x]], [(0, 1)]) for x in (1.0, 2.0, 4.0, 8.0)])
    _ready = True
    return time.perf_counter() - start


def packed(task: bytes) -> bytes:
    """Any function of its arguments, all of them as bytes."""
    function, *args = pickle.loads(task)
    return pickle.dumps(function(*args), pickle.HIGHEST_PROTOCOL)


def summarise(encoder: GraphEncoder, part: Lazy, start: int) -> Any:
    """What fitting an encoder must know of a part of a collection, whose first graph has this number."""
    (batch,) = part.arrays()
    return encoder.summarise(batch, start)


def has_zero_edge(encoder: GraphEncoder, part: Lazy) -> bool:
    """Whether some edge of a part encodes to zero."""
    return any(encoder.has_zero_edge(batch) for batch in part.arrays())


def hold(key: str, threads: int, packed: bytes) -> None:
    """Take in more shards of a fit."""
    setting, specs = pickle.loads(packed)
    with _lock:
        shelf = _shelves.setdefault(key, Shelf(setting, threads))
    for spec in specs:
        shelf.add(spec)


def work(key: str, numbers: list[int], packed: bytes, version: int | None, view: bytes | None, fold: bool) -> bytes:
    """Call a method of some shards: the sums of their answers, or all of them, and what was spent."""
    shelf = _shelf(key, numbers)
    answers, ledger = _called(key, shelf, numbers, pickle.loads(packed), version, view, fold)
    return pickle.dumps((answers, ledger, (shelf.complaint, shelf.leaving)), pickle.HIGHEST_PROTOCOL)


def rebuild(
    key: str, threads: int, packed: bytes, generation: int, calls: list[tuple[bytes, int | None]], views: dict[int, bytes]
) -> bytes:
    """Shards whose holder was lost: from the collection and what they left behind, then what was done since. What was spent."""
    hold(key, threads, packed)
    _, specs = pickle.loads(packed)
    numbers = [spec.number for spec in specs]
    shelf, spent = _shelf(key, numbers), Ledger()
    if generation:
        shelf.restore(numbers, generation)
    for packed_call, number in calls:
        call = replace(pickle.loads(packed_call), leaves=None)
        view = None if number is None else views[number]
        spent.add(_called(key, shelf, numbers, call, number, view, fold=False, answers=False)[1])
    return pickle.dumps(spent)


def restore(key: str, numbers: list[int], generation: int) -> None:
    """Shards go back to what they left behind."""
    _shelf(key, numbers).restore(numbers, generation)


def export(key: str, numbers: list[int], packed: bytes) -> int:
    """Call function(number of the shard, its part of the collection, labels, distances, *args) for each; the sum of answers."""
    function, args = pickle.loads(packed)
    shelf = _shelf(key, numbers)
    found = shelf.call(numbers, Call("assignment"))
    return sum(function(n, shelf.specs[n].part, labels, distances, *args) for n, (labels, distances), _ in found)


def merge(*parts: bytes) -> bytes:
    """The sums of several workers, added up."""
    unpacked = [pickle.loads(part) for part in parts]
    spent = Ledger()
    for _, ledger, _ in unpacked:
        spent.add(ledger)
    complaint = next((said for _, _, (said, _) in unpacked if said), None)
    leaving = max(seconds for _, _, (_, seconds) in unpacked)
    return pickle.dumps((Tree.merged(tree for tree, _, _ in unpacked), spent, (complaint, leaving)), pickle.HIGHEST_PROTOCOL)


def release(key: str) -> None:
    """A fit is over."""
    _shelves.pop(key, None)
    _views.pop(key, None)


def _shelf(key: str, numbers: list[int]) -> Shelf:
    shelf = _shelves.get(key)
    if shelf is None or not all(number in shelf.specs for number in numbers):
        raise Missing(key)
    return shelf


def _called(
    key: str, shelf: Shelf, numbers: list[int], call: Call, version: int | None, view: bytes | None, fold: bool,
    answers: bool = True,
) -> tuple[Any, Ledger]:  # fmt: skip
    if version is not None:
        assert view is not None
        centers = _centers(key, version, view)
        call = replace(call, args=tuple(centers if isinstance(arg, str) and arg == CENTERS else arg for arg in call.args))
    spent, tree, found = Ledger(), Tree(call.of), {}
    for number, answer, ledger in shelf.call(numbers, call):
        spent.add(ledger)
        if fold:
            tree.add(number, answer)
        elif answers:
            found[number] = answer
    return tree if fold else found, spent


def _centers(key: str, version: int, view: bytes) -> MovingCenters:
    with _lock:
        known = _views.get(key)
        if known is None or known[0] != version:
            known = _views[key] = version, pickle.loads(view)
        return known[1]
