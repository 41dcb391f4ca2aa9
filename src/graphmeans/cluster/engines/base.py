"""`Engine`: who holds the shards of a collection and calls operations on them.

An operation is a function of a shard and further arguments (cluster/shards/). The engine calls it on its shards, wherever
they are, and adds up the answers in a fixed tree. Because operations are functions and not names, a wrong one, or a wrong
argument, is found by the type checker and not by a worker.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from graphmeans.cluster.context import ALGORITHM, CountedMatcher, FitContext
from graphmeans.cluster.data.dataset import DatasetPart, Rows
from graphmeans.cluster.shards.reductions import Assignment, SumTree
from graphmeans.cluster.shards.sample import get_assignment
from graphmeans.cluster.shards.shard import Shard, changes_shards
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.space import GraphSpace

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    Args = TypeVarTuple("Args")

T = TypeVar("T")
#: Gives labels and distances of all graphs, from wherever they are.
GetAssignment = Callable[[], Assignment]


class Engine(ABC):
    """The shards of one run. Threads and dask differ in `_call`, and in what they do when the fit is over.

    Attributes
    ----------
    checkpoint_id : int
        How often all shards have written their logs.
    confirmed : int or None
        The checkpoint that a file on disk names, whose logs must therefore stay; None if there is no such file, and the last one
        is all that anybody will ask for.
    """

    checkpoint_id = 0
    confirmed: int | None = None

    def _next_logs(self) -> tuple[int, int]:
        """The checkpoint for which shards write their logs next, and the one before whose files nobody needs any more."""
        return self.checkpoint_id + 1, self.checkpoint_id if self.confirmed is None else self.confirmed

    @property
    @abstractmethod
    def k(self) -> int:
        """The number of centers."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of graphs in all shards."""

    @abstractmethod
    def _call(
        self, operation: Callable[..., Any], args: tuple[Any, ...], fold: bool, log: bool = False, only: int | None = None
    ) -> list[Any]:
        """Call an operation on all shards or on one, wherever they are.

        Returns a list of `SumTree` if answers are to be added up (`fold`), else of mappings from shards to their answers.
        """

    def sum(
        self, operation: Callable[[Shard, Unpack[Args]], T], *args: Unpack[Args], log: bool = False
    ) -> T:
        """Call an operation on every shard and add up the answers. With `log` all shards write their logs afterwards."""
        trees: list[SumTree[T]] = self._call(operation, args, True, log)
        return SumTree.merged(trees).total

    def each(
        self, operation: Callable[[Shard, Unpack[Args]], T], *args: Unpack[Args], log: bool = False
    ) -> list[T]:
        """Call an operation on every shard; the answers come in the order of the shards."""
        found: dict[int, T] = {n: answer for part in self._call(operation, args, False, log) for n, answer in part.items()}
        return [found[number] for number in sorted(found)]

    def one(self, number: int, operation: Callable[[Shard, Unpack[Args]], T], *args: Unpack[Args]) -> T:
        """Call an operation that changes nothing on one shard."""
        assert not changes_shards(operation), "all shards see the same calls that change something"
        (found,) = self._call(operation, args, False, only=number)
        answer: T = found[number]
        return answer

    @abstractmethod
    def extend(self, parts: Sequence[Rows]) -> None:
        """Take in more shards, of these graphs of the collection; they are numbered after those that are here."""

    @abstractmethod
    def restore(self, checkpoint_id: int, times: int) -> None:
        """Put all shards back to what they wrote for this checkpoint; the centers have been at so many `times`."""

    def assignment(self) -> Assignment:
        """Labels and distances of all graphs, as they are now."""
        return Assignment.joined(self.each(get_assignment))

    def get_assignment(self) -> GetAssignment:
        """A function that gives labels and distances as they are now, or, where workers hold them, when it is called."""
        now = self.assignment()
        return lambda: now

    @property
    def remote(self) -> RemoteEngine | None:
        """The engine itself if the shards are with workers, else None."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Let go of everything that is held elsewhere."""


class RemoteEngine(Engine):
    """An engine whose shards are with workers, and stay there after the fit until somebody asks for labels."""

    @property
    @abstractmethod
    def on_disk(self) -> bool:
        """Whether workers read the graphs themselves."""

    @abstractmethod
    def export(self, function: Callable[..., int], *args: Any) -> int:
        """Let workers write down the labels of their shards; returns how many graphs there are."""

    @abstractmethod
    def rest(self) -> None:
        """The fit is over: workers keep what was found, but no centers."""

    def get_assignment(self) -> GetAssignment:
        """A function that gives labels and distances; they stay where they are until somebody calls it."""
        return self.assignment

    @property
    def remote(self) -> RemoteEngine | None:
        """The engine itself."""
        return self


class EngineFactory(Protocol):
    """Makes the engine of a run: threads of this process, or the workers of a dask cluster."""

    def __call__(
        self, context: FitContext, matcher: CountedMatcher, k: int, rows: Rows | None = None, log_dir: Path | None = None
    ) -> Engine:
        """An engine for k centers that are to come.

        `rows` are the graphs to begin with, all of them by default; `log_dir` is where shards write their logs.
        """
        ...


class Interruptible(Protocol):
    """Workers that several runs share and that can be told to stop."""

    def interrupt(self) -> None:
        """Let all runs stop when they have finished what is under way."""
        ...

    def resume(self) -> None:
        """Go on after an interruption."""
        ...


# -- what engines and stores hand to each other ----------------------------------------------------


@dataclass(frozen=True)
class ShardSettings:
    """What all shards of a run have in common."""

    space: GraphSpace
    order: IntArray
    k: int
    log_dir: Path | None = None
    processes: int = 1  # that share the memory of a machine
    durable: bool = False  # whether logs belong to a checkpoint that was asked for, and outlast the machine


@dataclass(frozen=True)
class ShardSpec:
    """Which graphs a shard holds."""

    number: int
    first: int
    part: DatasetPart


@dataclass(frozen=True)
class ShardCall:
    """An operation on shards, to be called with these arguments.

    Parameters
    ----------
    operation : callable
    args : tuple
    purpose : str
        What its matchings are counted as.
    log : tuple of two checkpoints, optional
        Afterwards shards write their logs for the first; the second is confirmed, which may make files useless.
    shards : int
        How many shards there are in all, which is how sums of their answers are formed.
    """

    operation: Callable[..., Any]
    args: tuple[Any, ...] = ()
    purpose: str = ALGORITHM
    log: tuple[int, int] | None = None
    shards: int = 0


def log_error(folder: Path | None, reason: str) -> GraphError:
    """What is said when a checkpoint cannot be written."""
    return GraphError(f"{folder}: cannot be written ({reason}); the last checkpoint is kept")
