"""`open_collection`: a Parquet collection on disk, of which only the part at hand is read."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np

from graphmeans.files import PathLike
from graphmeans.graphs.batch import GraphBatch, IntArray, concatenate, offsets
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.encoding.flat import Flat
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.parquet.flat import encode_table, flat_or_graphs, role_counts_of_table, size_columns
from graphmeans.io.parquet.layout import LABEL, NAME
from graphmeans.io.parquet.partitions import CollectionFile, Piece, RowGroup, open_files
from graphmeans.io.parquet.rows import graphs_from_arrow

T = TypeVar("T")

#: How many row groups are kept in memory after a single graph of them was asked for.
RECENT = 4


class Repeatable(Generic[T]):
    """An iterable that begins anew each time."""

    def __init__(self, start: Callable[[], Iterator[T]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[T]:
        return self._start()


class Collection:
    """A collection of graphs on disk; see `open_collection`.

    It can be iterated over, indexed, cut into partitions and sent to another process, which reads its part itself.

    Parameters
    ----------
    files : sequence of CollectionFile
        The files, opened.
    groups : sequence of RowGroup
        Which row groups of them belong to the collection.
    path : path
        Where the collection lies.

    See Also
    --------
    open_collection : Makes one.
    write_parquet : Writes the files.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import write_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "lines.parquet")
    ...     write_parquet([gm.Graph({"x": [0.0, i]}, [(0, 1)], name=f"line {i}") for i in range(5)], path, rows_per_group=2)
    ...     collection = gm.open_collection(path)
    ...     len(collection), collection.n_partitions, collection[4].name
    5
    (5, 3, 'line 4')
    """

    def __init__(self, files: Sequence[CollectionFile], groups: Sequence[RowGroup], path: Path) -> None:
        self._files, self._groups, self.path = tuple(files), tuple(groups), path
        self._starts = offsets(np.array([group.rows for group in groups], np.int64))
        self._recent: dict[int, Piece] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Collection, (self._files, self._groups, self.path)  # what was read is not sent along

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __repr__(self) -> str:
        partitions = f"{self.n_partitions} partition{'s' * (self.n_partitions != 1)}"
        return f"Collection({str(self.path)!r}, {len(self)} graphs, {partitions})"

    def __iter__(self) -> Iterator[Graph]:
        for i in range(self.n_partitions):
            yield from graphs_from_arrow(*self._table(i))

    @overload
    def __getitem__(self, index: int) -> Graph: ...
    @overload
    def __getitem__(self, index: slice) -> list[Graph]: ...

    def __getitem__(self, index: int | slice) -> Graph | list[Graph]:
        """Return one graph, or a list. The row groups read last are kept, so that neighbours need no further reading."""
        if isinstance(index, slice):
            return self.take(range(len(self))[index])
        at = range(len(self))[index]  # an IndexError if there is none
        i = int(np.searchsorted(self._starts, at, side="right")) - 1
        layout, table, where = self._kept(i)
        return graphs_from_arrow(layout, table.slice(at - int(self._starts[i]), 1), where)[0]

    def _kept(self, i: int) -> Piece:
        with self._lock:
            found = self._recent.pop(i, None)
            self._recent[i] = self._table(i) if found is None else found
            while len(self._recent) > RECENT:
                del self._recent[next(iter(self._recent))]
            return self._recent[i]

    def labelled(self) -> Iterator[tuple[Graph, str | None]]:
        """Yield each graph with its class, or with None.

        Yields
        ------
        graph : Graph
            The next graph.
        label : str or None
            Its class.
        """
        for i in range(self.n_partitions):
            layout, table, where = self._table(i)
            yield from zip(graphs_from_arrow(layout, table, where), table.column(LABEL).to_pylist(), strict=True)

    # -- what it holds -----------------------------------------------------------------------------

    @property
    def schema(self) -> Any:
        """The Arrow schema (of the first file)."""
        return self._files[self._groups[0].file if self._groups else 0].layout.schema()

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._files[0].layout.directed

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """For ``"nodes"`` and ``"edges"``, the type of each column; a bare array is called ``""``."""
        found: dict[str, dict[str, str]] = {"nodes": {}, "edges": {}}
        for file in self._files:
            for part, columns in (("nodes", file.layout.nodes), ("edges", file.layout.edges)):
                for key, kind in columns.items():
                    found[part].setdefault(key, kind.type if kind.width is None else f"vector of {kind.width}")
        return found

    @property
    def names(self) -> list[str | None]:
        """The names of all graphs; nothing else is read."""
        return self._texts(NAME)

    def names_by_partition(self) -> Iterator[list[str | None]]:
        """Give the names of the graphs of each partition, one partition after the other.

        Returns
        -------
        iterator of lists of str or None
            The names of one partition after the other.
        """
        return (_shared(self._table(i, [NAME])[1].column(NAME)) for i in range(self.n_partitions))

    def names_of(self, rows: range | IntArray) -> list[str | None]:
        """Give the names of the graphs at these positions.

        Parameters
        ----------
        rows : range or array of int
            Positions in the collection.

        Returns
        -------
        list of str or None
            The names.
        """
        return self._texts_of(NAME, rows)

    @property
    def labels(self) -> list[str] | None:
        """The classes of all graphs, None if there are none."""
        labels = self._texts(LABEL)
        return [label or "" for label in labels] if any(label is not None for label in labels) else None

    def labels_of(self, rows: range | IntArray) -> list[str | None]:
        """Give the classes of the graphs at these positions, None for those that have none.

        Parameters
        ----------
        rows : range or array of int
            Positions in the collection.

        Returns
        -------
        list of str or None
            The classes.
        """
        return self._texts_of(LABEL, rows)

    @property
    def sizes(self) -> IntArray:
        """The number of graphs in each partition."""
        return np.diff(self._starts)

    # -- parts of it -------------------------------------------------------------------------------

    @property
    def n_partitions(self) -> int:
        """The number of row groups: what is read at once."""
        return len(self._groups)

    def partition(self, i: int) -> Collection:
        """Give the i-th row group as a collection of its own.

        It is small, can be pickled, and still reads nothing.

        Parameters
        ----------
        i : int
            The number of the row group.

        Returns
        -------
        Collection
            The part.
        """
        if not 0 <= i < self.n_partitions:
            raise IndexError(f"partition {i} of {self.n_partitions}")
        group = self._groups[i]
        return Collection([self._files[group.file]], [group._replace(file=0)], self.path)

    def batches(self, size: int | None = None) -> Repeatable[list[Graph]]:
        """Return an iterable of lists of `size` graphs (the last may be shorter); by default a partition at a time.

        Parameters
        ----------
        size : int, optional
            How many graphs; by default those of a partition.

        Returns
        -------
        iterable of lists of Graph
            It can be gone through several times.
        """
        return Repeatable(lambda: (_graphs_of(pieces) for pieces in self._cut(size)))

    def arrays(self) -> Repeatable[Flat | list[Graph]]:
        """Return an iterable of partitions as flat arrays (as graphs, if they differ), for `GraphEncoder.fit_batches`.

        Returns
        -------
        iterable
            Flat arrays, or lists of Graph, one for each partition. It can be gone through several times.
        """
        return Repeatable(lambda: (flat_or_graphs(*self._table(i)) for i in range(self.n_partitions)))

    def take(self, indices: Sequence[int] | IntArray) -> list[Graph]:
        """Return the graphs at these positions, in this order. Each partition is read once.

        Parameters
        ----------
        indices : sequence of int
            Positions in the collection.

        Returns
        -------
        list of Graph
            The graphs.
        """
        which = np.asarray(indices, dtype=np.int64).reshape(-1)
        if len(which) and not ((which >= -len(self)) & (which < len(self))).all():
            raise IndexError(f"a position is outside of a collection of {len(self)} graphs")
        found = np.empty(len(which), dtype=object)
        for i, places, at in self._by_owner(which % max(len(self), 1)):
            layout, table, where = self._table(i)
            rows, back = np.unique(at, return_inverse=True)
            graphs = graphs_from_arrow(layout, table.take(rows), where)
            for place, row in zip(places.tolist(), back.tolist(), strict=True):
                found[place] = graphs[row]
        return found.tolist()

    def encoded(self, encoder: GraphEncoder, size: int | None = None) -> Repeatable[GraphBatch]:
        """Return an iterable of what ``encoder.transform`` makes of each batch, without an object for each graph.

        Parameters
        ----------
        encoder : GraphEncoder
            A fitted encoder.
        size : int, optional
            Graphs in a batch; by default those of a partition.

        Returns
        -------
        iterable of GraphBatch
            It can be gone through several times.
        """
        return Repeatable(lambda: (_encoded(pieces, encoder) for pieces in self._cut(size)))

    def encoded_rows(self, encoder: GraphEncoder, rows: range | IntArray) -> GraphBatch:
        """Return what ``encoder.transform`` makes of the graphs at these positions, in this order.

        Parameters
        ----------
        encoder : GraphEncoder
            A fitted encoder.
        rows : range or array of int
            Positions in the collection.

        Returns
        -------
        GraphBatch
            The encoded graphs.
        """
        tables = ((self._table(i), at) for i, at in self._by_partition(rows))
        pieces = [(layout, _slice(table, at), where) for (layout, table, where), at in tables]
        return _encoded(pieces, encoder) if pieces else encoder.transform([])

    def role_sizes(self, encoder: GraphEncoder, rows: range | IntArray) -> tuple[tuple[Hashable, ...], IntArray]:
        """Return the roles that `encoded_rows` gives the graphs at these positions, and their numbers of nodes of each role.

        Only the columns with the numbers of nodes and the roles are read, and one that confirms them; no graph is encoded.

        Parameters
        ----------
        encoder : GraphEncoder
            A fitted encoder.
        rows : range or array of int
            Positions in the collection.

        Returns
        -------
        role_names : tuple
            The roles of the encoder, and behind them those that it does not know, in the order in which they come.
        counts : array of shape (rows, roles)
            The numbers of nodes.
        """
        known = {role: code for code, role in enumerate(encoder.roles_)}
        pieces = []
        for i, at in self._by_partition(rows):
            layout, table, where = self._table(i, size_columns(self._files[self._groups[i].file].layout))
            found = role_counts_of_table(layout, _slice(table, at), known, encoder.roles_ != (None,))
            if found is None:  # encoding gives the right numbers, or says what is wrong with which graph
                batch = encode_table(layout, _slice(self._table(i)[1], at), where, encoder)
                numbers = [known.setdefault(role, len(known)) for role in batch.role_names]
                found = np.zeros((len(batch), len(known)), dtype=np.int64)
                found[:, numbers] = batch.role_counts
            pieces.append(found)
        counts = np.zeros((sum(map(len, pieces)), len(known)), dtype=np.int64)
        for start, found in zip(offsets(np.array([len(piece) for piece in pieces], np.int64)), pieces, strict=False):
            counts[start : start + len(found), : found.shape[1]] = found
        return tuple(known), counts

    def fingerprint(self) -> bytes:
        """Return bytes that differ between collections, from the footers of the files and the numbers of the row groups.

        Returns
        -------
        bytes
            The same for the same files.
        """
        digest = hashlib.sha256(repr([(group.file, group.number, group.rows) for group in self._groups]).encode())
        for file in {group.file: None for group in self._groups}:
            digest.update(hashlib.sha256(self._files[file].raw_footer()).digest())
        return digest.digest()

    # -- reading -----------------------------------------------------------------------------------

    def _table(self, i: int, columns: list[str] | None = None) -> Piece:
        """Read partition i."""
        group = self._groups[i]
        return self._files[group.file].read(group, columns)

    def _cut(self, size: int | None) -> Iterator[list[Piece]]:
        """Yield lists of tables that hold `size` rows together."""
        if size is not None and size < 1:
            raise GraphError(f"a batch holds at least one graph, got size={size}")
        held: list[Piece] = []
        rows = 0
        for i in range(self.n_partitions):
            layout, table, where = self._table(i)
            at = 0
            while at < table.num_rows:
                some = table.slice(at, table.num_rows if size is None else size - rows)
                held, rows, at = [*held, (layout, some, where)], rows + some.num_rows, at + some.num_rows
                if size is None or rows == size:
                    yield held
                    held, rows = [], 0
        if held:
            yield held

    def _texts(self, column: str) -> list[Any]:
        return [text for i in range(self.n_partitions) for text in _shared(self._table(i, [column])[1].column(column))]

    def _by_partition(self, rows: range | IntArray) -> Iterator[tuple[int, IntArray]]:
        """Split positions where the partition changes. Yield the number of the partition and the positions inside it."""
        rows = np.asarray(rows, dtype=np.int64)
        owner = np.searchsorted(self._starts, rows, side="right") - 1
        for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(owner)) + 1):
            if len(part):
                i = int(owner[part[0]])
                yield i, rows[part] - self._starts[i]

    def _texts_of(self, column: str, rows: range | IntArray) -> list[Any]:
        found = np.empty(len(rows), dtype=object)
        for i, places, at in self._by_owner(np.asarray(rows, dtype=np.int64)):
            found[places] = _shared(self._table(i, [column])[1].column(column).take(at))
        return found.tolist()

    def _by_owner(self, rows: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield each partition that has some of these rows, their places among the rows, and their positions in it."""
        owner = np.searchsorted(self._starts, rows, side="right") - 1
        for i in np.unique(owner).tolist():
            places = np.flatnonzero(owner == i)
            yield i, places, rows[places] - self._starts[i]


def _shared(column: Any) -> list[Any]:
    """Return the texts of a column. Equal texts are one object, since a class may occur a million times."""
    known: dict[str | None, str | None] = {}
    return [known.setdefault(text, text) for text in column.to_pylist()]


def open_collection(path: PathLike) -> Collection:
    """Open a Parquet collection without reading its graphs.

    Parameters
    ----------
    path : path
        A file that `write_parquet` or ``graphmeans convert`` wrote, or a folder of them; tables of labels in it are passed
        over. Other formats are converted first.

    Returns
    -------
    Collection
        With ``len``, ``collection[i]``, `names`, `labels`, `columns`, `batches`, `take`, `partition` and `encoded`.

    See Also
    --------
    io.write_parquet : Writes such files.
    io.read_collection : Reads everything into memory.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import write_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "lines.parquet")
    ...     written = write_parquet([gm.Graph({"x": [0.0, i]}, [(0, 1)], name=f"g{i}") for i in range(5)], path)
    ...     collection = gm.open_collection(path)
    ...     encoder = gm.GraphEncoder().fit_batches(collection.arrays())
    ...     len(collection), collection.names[:2], [len(batch) for batch in collection.encoded(encoder, 3)]
    (5, ['g0', 'g1'], [3, 2])
    """
    path = Path(path)
    files = open_files(path)
    groups = [group for i, file in enumerate(files) for group in file.row_groups(i)]
    return Collection(files, [group for group in groups if group.rows], path)


def _encoded(pieces: Sequence[Piece], encoder: GraphEncoder) -> GraphBatch:
    batches = [encode_table(*piece, encoder) for piece in pieces]
    if len(batches) == 1:
        return batches[0]
    if any(batch.role_names != encoder.roles_ for batch in batches):
        # Roles that the encoder does not know are numbered in the order in which they come, so all graphs must be seen at once.
        return encoder.transform(_graphs_of(pieces))
    return concatenate(batches)


def _graphs_of(pieces: Sequence[Piece]) -> list[Graph]:
    return [graph for piece in pieces for graph in graphs_from_arrow(*piece)]


def _slice(table: Any, at: IntArray) -> Any:
    """Return the rows at these positions, without a copy if they follow each other."""
    neighbours = len(at) and at[-1] - at[0] + 1 == len(at) and (np.diff(at) == 1).all()
    return table.slice(at[0], len(at)) if neighbours else table.take(at)
