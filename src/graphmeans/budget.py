"""How much memory reading may take: a budget of bytes, nodes and edges, applied while files are read.

A file says how much it holds, and a small one can say that it holds a lot. So every reader charges what it is about to build,
before it builds it, to the budget of the collection that is being read. The budget grows with what is really on disk:
`FREE` bytes, and `RATIO` times the bytes of the files. Whoever wants more, or less, says so: ``--max-memory``, the variable
``GRAPHMEANS_MAX_MEMORY``, or `max_memory` of `graphmeans.io.read_collection`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from graphmeans.graphs.errors import GraphError

P = ParamSpec("P")
T = TypeVar("T")

#: What every collection may take, and what it may take for each byte on disk. Text, packed, has at most about 100 times its size
#: in memory.
FREE, RATIO = 512 << 20, 200
#: No collection takes more than this share of the machine's memory, unless somebody says so.
SHARE = 0.75
#: Every machine has room for so much: how much memory it has is not asked then.
LITTLE = 16 << 20
#: Bytes that things take while they are read, in round numbers: a graph, a row of a node or an edge, and a value in a row.
GRAPH, ROW, VALUE = 3_000, 400, 120
#: The environment variable that says how much memory reading may take.
MAX_MEMORY = "GRAPHMEANS_MAX_MEMORY"


@dataclass
class Budget:
    """What one collection may take, and what it has taken so far.

    Attributes
    ----------
    given : float or None
        The limit in bytes that somebody set; None if it depends on the files.
    on_disk : int
        Bytes of the files that were opened so far.
    kept, nodes, edges : int
        Bytes of the graphs that were read, and the nodes and edges in them.
    parsing : int
        Bytes of what is needed while files are parsed.
    """

    given: float | None = None
    on_disk: int = 0
    kept: int = 0
    parsing: int = 0
    nodes: int = 0
    edges: int = 0
    _opened: set[str] = field(default_factory=set)

    @property
    def limit(self) -> float:
        """The bytes that may be taken."""
        return self.given if self.given is not None else min(FREE + RATIO * self.on_disk, SHARE * machine_memory())

    def opened(self, where: str, size: int) -> None:
        """A file of this size was opened; it counts once."""
        if where not in self._opened:
            self._opened.add(where)
            self.on_disk += size

    def keep(self, where: object, size: int, nodes: int, edges: int) -> None:
        """A graph of so many bytes, nodes and edges is about to be made."""
        self.kept, self.nodes, self.edges = self.kept + size, self.nodes + nodes, self.edges + edges
        self.charge(where, 0)

    def charge(self, where: object, size: int) -> None:
        """Raise a `GraphError` that names the file if so many more bytes are too many."""
        self.parsing += size
        if self.kept + self.parsing > self.limit:
            counted = f" ({self.nodes} nodes and {self.edges} edges so far)" if self.nodes or self.edges else ""
            raise GraphError(
                f"{where}: would take more than {shown_bytes(self.limit)} of memory{counted}; if that is meant, "
                f"allow more with --max-memory or {MAX_MEMORY}"
            )


_current: ContextVar[Budget | None] = ContextVar("budget", default=None)
_default: list[float | None] = [None]


def set_max_memory(text: str | None) -> None:
    """Set the limit of this process, such as ``2GB``; None for one that depends on the files."""
    _default[0] = None if text is None else parse_bytes(text, "--max-memory")


@contextmanager
def reading(max_memory: float | str | None = None) -> Iterator[Budget]:
    """Read a collection: what is read inside is charged to one budget, that of the outermost ``with``."""
    budget = _current.get()
    if budget is not None:
        yield budget
        return
    budget = Budget(_asked(max_memory))
    token = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(token)


def metered(items: Iterator[T], budget: Budget) -> Iterator[T]:
    """Hand items on; what it takes to make each of them is charged to this budget."""
    while True:
        token = _current.set(budget)
        try:
            item = next(items)
        except StopIteration:
            return
        finally:
            _current.reset(token)
        yield item


def budgeted(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function that reads a file have a budget of its own, if it is not called by another one that has."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        with reading():
            return function(*args, **options)

    return call


def charge(where: object, *, rows: int = 0, values: int = 0, size: int = 0) -> None:
    """Charge what is about to be built to the budget of the collection that is being read, if there is one."""
    budget = _current.get()
    if budget is not None:
        budget.charge(where, ROW * rows + VALUE * values + size)


def keep(where: object, nodes: int, edges: int, cells: int = 0) -> None:
    """Charge a graph with so many nodes, edges and single values, which stays after its file has been parsed."""
    budget = _current.get()
    if budget is not None:
        budget.keep(where, GRAPH + 64 * (nodes + edges) + 16 * cells, nodes, edges)


def opened(where: object, size: int) -> None:
    """A file of this size on disk is being read."""
    budget = _current.get()
    if budget is not None:
        budget.opened(str(where), size)


@contextmanager
def for_a_while() -> Iterator[None]:
    """What is charged inside is given back at the end of the ``with``, but for the graphs: it was needed for parsing only."""
    budget = _current.get()
    before = None if budget is None else budget.parsing
    try:
        yield
    finally:
        if budget is not None and before is not None:
            budget.parsing = before


def check_room(size: float, what: str) -> None:
    """Raise a `GraphError` if something would take more than the machine has; `what` says what, and what to do about it."""
    if size > LITTLE and size > SHARE * machine_memory():
        raise GraphError(f"{what} would take {shown_bytes(size)} of memory, more than this machine can give")


def _asked(max_memory: float | str | None) -> float | None:
    if max_memory is not None:
        return parse_bytes(max_memory, "max_memory")
    if _default[0] is not None:
        return _default[0]
    said = os.environ.get(MAX_MEMORY)
    return parse_bytes(said, MAX_MEMORY) if said else None


def parse_bytes(value: float | str, name: str) -> float:
    """A number of bytes, or a text such as 800MB or 2GB."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        return float(value)
    pattern = r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([kMGT]?)i?B?\s*"
    found = re.fullmatch(pattern, value, re.IGNORECASE) if isinstance(value, str) else None
    if not found or float(found[1]) == 0:
        raise GraphError(f"{name} must be a number of bytes such as 800MB or 2GB, got {value!r}")
    return float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " ")


def shown_bytes(size: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def machine_memory() -> float:
    """The bytes of memory that this machine has, or that this process may address, if that is less."""
    try:
        total = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):  # not known on this system
        return float("inf")
    return min(total, _cgroup_limit())


def _cgroup_limit() -> float:
    try:
        with open("/sys/fs/cgroup/memory.max") as file:
            said = file.read().strip()
        return float(said) if said != "max" else float("inf")
    except (OSError, ValueError):
        return float("inf")
