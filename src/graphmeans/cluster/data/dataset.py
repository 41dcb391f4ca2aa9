"""Where the graphs of a fit are: in memory, or in a collection on disk of which each shard reads its own part."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.canonical import canonical
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.vectors import VectorLayout
from graphmeans.space import GraphSpace

#: Numbers of graphs: neighbours take no room however many they are.
Rows = range | IntArray

#: Graphs a shard. How a collection is split_into_shards depends on nothing else, so results do not depend on who works on it.
SHARD_SIZE = 4096


class LazyCollection(Protocol):
    """A collection on disk, such as `open_collection` gives."""

    n_partitions: int

    def __len__(self) -> int: ...
    def partition(self, i: int) -> LazyCollection: ...
    def arrays(self) -> Iterable[Any]: ...
    def encoded_rows(self, encoder: GraphEncoder, rows: Rows) -> GraphBatch: ...
    def role_sizes(self, encoder: GraphEncoder, rows: Rows) -> tuple[tuple[Hashable, ...], IntArray]: ...
    def fingerprint(self) -> bytes: ...


class DatasetPart(Protocol):
    """Some graphs, wherever they are. It can be sent to another process, which loads them."""

    def load(self) -> tuple[GraphBatch, FloatArray]: ...


@dataclass(frozen=True, eq=False)
class PartInMemory:
    """Graphs in memory."""

    batch: GraphBatch
    weights: FloatArray

    def load(self) -> tuple[GraphBatch, FloatArray]:
        """The graphs and their weights."""
        return self.batch, self.weights


@dataclass(frozen=True, eq=False)
class PartOnDisk:
    """Rows of a collection on disk, encoded as they are read."""

    collection: LazyCollection
    encoder: GraphEncoder
    space: GraphSpace
    rows: Rows
    weights: FloatArray | None
    layout: VectorLayout | None = None

    def load(self) -> tuple[GraphBatch, FloatArray]:
        """The graphs and their weights."""
        batch = to_points(self.space, self.collection.encoded_rows(self.encoder, self.rows), self.rows)
        batch = batch if self.layout is None else self.layout.flatten(batch)
        return batch, np.ones(len(batch)) if self.weights is None else self.weights


def to_points(space: GraphSpace, batch: GraphBatch, rows: Rows | None = None) -> GraphBatch:
    """Encoded graphs as points of the space, their nodes in canonical order: how they are numbered makes no difference.

    Where every role occurs at most once there is no choice of alignment, and the order of nodes means nothing. `rows` are the
    numbers of the graphs, for messages.
    """
    check_roles(space, batch, rows)
    return space.weighted(canonical(batch)[0] if batch.largest.max(initial=0) > 1 else batch)


def check_roles(space: GraphSpace, batch: GraphBatch, rows: Rows | None = None) -> None:
    """Refuse a graph with nodes of which none has a role of this space: every distance would only be that of its size.

    A role that the space does not know has a number behind those that it knows; its nodes are matched with none.
    """
    known = len(space.roles)
    if len(batch.role_names) <= known:
        return
    owner = np.repeat(np.arange(len(batch)), batch.sizes)
    strange = np.setdiff1d(owner, owner[batch.roles < known])
    if len(strange):
        g = int(strange[0])
        theirs = batch.role_names[batch.roles[batch.node_ptr[g]]]
        raise GraphError(
            f"graph {g if rows is None else int(rows[g])} has no role in common with the graphs that were fitted: {theirs!r} is "
            f"not among {_first_of(space.roles)}; are its nodes named otherwise?"
        )


def _first_of(roles: Sequence[Hashable]) -> str:
    return ", ".join(map(repr, roles[:3])) + (", ..." if len(roles) > 3 else "")


class InMemoryDataset:
    """A collection in memory, as weighted points of the space."""

    def __init__(self, batch: GraphBatch, weights: FloatArray) -> None:
        self.batch, self.weights = batch, weights
        self.like, self.largest = batch.take([]), batch.largest

    def __len__(self) -> int:
        return len(self.batch)

    def part(self, rows: Rows) -> PartInMemory:
        """Graphs of these numbers."""
        if isinstance(rows, range) and rows == range(len(self.batch)):
            return PartInMemory(self.batch, self.weights)
        which = np.asarray(rows, dtype=np.int64)
        return PartInMemory(self.batch.take(which), self.weights[which])

    def costs(self, parts: Sequence[Rows]) -> FloatArray:
        """What the graphs of each part are likely to cost, in any unit."""
        own = costs(self.batch.sizes)
        return np.array([own[np.asarray(rows, dtype=np.int64)].sum() for rows in parts])

    def in_memory(self) -> InMemoryDataset:
        """The dataset itself, which is in memory already."""
        return self

    def layout(self, order: IntArray, *others: GraphBatch) -> VectorLayout | None:
        """How these graphs, and others, are laid out as rows; None if they cannot be, or should not."""
        return VectorLayout.of_graphs(order, self.batch, *others)

    def flattened(self, layout: VectorLayout) -> InMemoryDataset:
        """The graphs as rows."""
        return InMemoryDataset(layout.flatten(self.batch), self.weights)

    def fingerprint(self) -> Iterator[bytes]:
        """Bytes that differ between different collections."""
        batch = self.batch
        for array in (batch.node_ptr, batch.nodes, batch.roles, batch.edge_ptr, batch.ends, batch.edge_values, self.weights):
            yield np.ascontiguousarray(array).tobytes()


class OnDiskDataset:
    """A collection of which nothing but the survey is held here.

    Parameters
    ----------
    collection : LazyCollection
    encoder : GraphEncoder, fitted
    space : GraphSpace
    survey : Survey
    weights : array, optional
        Sample weights; None: all are 1.
    rows : VectorLayout, optional
        How graphs are laid out as rows, if they are.
    """

    def __init__(
        self, collection: LazyCollection, encoder: GraphEncoder, space: GraphSpace, survey: Survey, weights: FloatArray | None,
        rows: VectorLayout | None = None,
    ) -> None:  # fmt: skip
        self.collection, self.encoder, self.space, self.survey, self._weights = collection, encoder, space, survey, weights
        self._rows = rows
        self.like = space.weighted(survey.like)
        self.largest = survey.largest
        if rows is not None:
            self.like, self.largest = rows.flatten(self.like), np.ones(1, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.collection)

    def part(self, rows: Rows) -> PartOnDisk:
        """Graphs of these numbers."""
        weights = None if self._weights is None else self._weights[np.asarray(rows, dtype=np.int64)]
        return PartOnDisk(self.collection, self.encoder, self.space, rows, weights, self._rows)

    def layout(self, order: IntArray, *others: GraphBatch) -> VectorLayout | None:
        """How these graphs are laid out as rows; None if they cannot be, or should not."""
        return VectorLayout.of_order(order, self.like)

    def flattened(self, layout: VectorLayout) -> OnDiskDataset:
        """The graphs as rows, once they are read."""
        return OnDiskDataset(self.collection, self.encoder, self.space, self.survey, self._weights, layout)

    def costs(self, parts: Sequence[Rows]) -> FloatArray:
        """What the graphs of each part are likely to cost: by the average of the block in which they begin."""
        return np.array([self.survey.cost[int(rows[0]) // BLOCK] * len(rows) for rows in parts])

    def fingerprint(self) -> Iterator[bytes]:
        """Bytes that differ between different collections."""
        yield self.collection.fingerprint()
        yield repr((self.encoder.get_params(), self.space.node_weight, self.space.edge_weight)).encode()
        yield b"" if self._weights is None else self._weights.tobytes()

    def in_memory(self) -> InMemoryDataset:
        """All graphs in memory, for estimators that cannot work in parts."""
        return InMemoryDataset(self.batch, self.weights)

    @property
    def batch(self) -> GraphBatch:
        """All graphs at once, for algorithms that cannot work in parts."""
        return self.part(range(len(self))).load()[0]

    @property
    def weights(self) -> FloatArray:
        """All weights."""
        return np.ones(len(self)) if self._weights is None else self._weights


Dataset = InMemoryDataset | OnDiskDataset

#: Graphs that are surveyed at once, and whose average cost is remembered.
BLOCK = 16 * SHARD_SIZE
#: Graphs of each block whose numbers are looked at, to learn about how large they are.
SEEN = 64


@dataclass(eq=False)
class Survey:
    """What must be known of a collection before it is clustered: the most nodes of each role, and where the large graphs are."""

    like: GraphBatch
    largest: IntArray
    cost: FloatArray  # of a graph, on average, in each block
    magnitudes: tuple[float, float] = (0.0, 0.0)  # about the largest numbers of nodes and edges

    @property
    def role_names(self) -> tuple[Any, ...]:
        """The roles that there are."""
        return self.like.role_names

    @classmethod
    def of(cls, batch: GraphBatch) -> Survey:
        """The survey of one block."""
        cost = np.array([costs(batch.sizes).mean() if len(batch) else 0.0])
        return cls(batch.take([]), batch.largest, cost, batch.magnitudes)

    @classmethod
    def merged(cls, surveys: Sequence[Survey]) -> Survey:
        """The survey of all blocks, in their order."""
        width = max(len(survey.largest) for survey in surveys)
        largest = np.zeros(width, dtype=np.int64)
        for survey in surveys:
            part = largest[: len(survey.largest)]
            np.maximum(part, survey.largest, out=part)
        like = max((survey.like for survey in surveys), key=lambda like: len(like.role_names))
        nodes, edges = np.max([survey.magnitudes for survey in surveys], axis=0).tolist()
        return cls(like, largest, np.concatenate([survey.cost for survey in surveys]), (nodes, edges))


def blocks(n: int) -> list[range]:
    """The numbers of n graphs, a block at a time."""
    return [range(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]


def split_into_shards(rows: Rows) -> list[Rows]:
    """The numbers of some graphs, a shard at a time."""
    return [rows[start : start + SHARD_SIZE] for start in range(0, len(rows), SHARD_SIZE)]


def costs(sizes: IntArray) -> FloatArray:
    """What graphs of these sizes are likely to cost, in any unit: an assignment takes the cube of their size."""
    return (sizes.astype(np.float64) + 2.0) ** 3


def surveyed(collection: LazyCollection, encoder: GraphEncoder) -> Survey:
    """The survey of a collection, a block at a time: the columns that tell sizes and roles, and the numbers of a few graphs."""
    if not len(collection):
        raise GraphError("the collection is empty")
    return Survey.merged([survey_block(collection, encoder, rows) for rows in blocks(len(collection))])


def survey_block(collection: LazyCollection, encoder: GraphEncoder, rows: Rows) -> Survey:
    """The survey of some graphs of a collection."""
    role_names, counts = collection.role_sizes(encoder, rows)
    like = replace(encoder.transform([]), role_names=role_names)
    some = collection.encoded_rows(encoder, rows[:SEEN]).magnitudes
    return Survey(like, counts.max(axis=0, initial=0), np.array([costs(counts.sum(axis=1)).mean()]), some)
