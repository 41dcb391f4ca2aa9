"""`Graph` holds nodes and edges with named, typed columns. It knows nothing of matching or clustering."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.origin import PackedOrigin
from graphmeans.graphs.values import check_finite, read_column, same_values

#: The key under which a bare array (no column names) is kept.
BARE = ""
#: The node column with the number of self-loops that converters make, and what the names of their attributes begin with.
LOOP, LOOP_PREFIX = "loop", "loop:"
#: The edge column with the number of parallel edges that converters merged.
MULTIPLICITY = "multiplicity"

Columns = Mapping[str, NDArray[Any]]
NodeData = Union[int, ArrayLike, Mapping[str, ArrayLike]]
EdgeData = Union[None, ArrayLike, Mapping[str, ArrayLike]]


class Graph:
    """An attributed graph, validated once and never changed.

    Parameters
    ----------
    nodes : int, array of shape (n, dv), or mapping of column name to n values
        A number of nodes without attributes, one row of numbers per node (taken as it is), or named columns.
        A column holds numbers, vectors of one width, strings or booleans. None is a missing value: the column is then
        kept as a NumPy masked array. NaN is refused.
    edges : array of shape (m, 2), default=()
        Positions of the two end nodes. Each edge is given once; there are no self-loops.
    edge_attributes : array of shape (m,) or (m, de), mapping of column name to m values, or None, optional
        None gives every edge the weight 1. In a bare array no edge may be all zero: that means "no edge".
    directed : bool, default=False
        Whether (i, j) and (j, i) are different edges.
    roles : sequence of n labels, optional
        A node can only be matched with a node of the same role.
    node_ids : sequence of n unique labels, optional
        The names of the nodes in mappings that are shown to you; 0, 1, ... by default.
    name : str, optional
        Used in messages, files and pictures.
    origin : object, optional
        What the graph was made of, for those who write or draw it as it was: of a molecule the object of RDKit, in which
        `node_ids` are the numbers of its atoms. It is not compared, and nothing is computed from it.

    See Also
    --------
    MeanGraph : A graph with supports.
    from_networkx : Graphs from networkx, and so on for other kinds.

    Examples
    --------
    >>> import graphmeans as gm
    >>> g = gm.Graph({"x": [0.0, 1.0], "kind": ["end", "end"]}, [(0, 1)], name="a line")
    >>> g
    Graph('a line', 2 nodes, 1 edge)
    >>> g.nodes["kind"].tolist()
    ['end', 'end']
    """

    _zero_edges = False
    __slots__ = ("_directed", "_edge_attributes", "_edges", "_n_nodes", "_name", "_node_ids", "_nodes", "_origin", "_roles")

    def __init__(
        self, nodes: NodeData, edges: ArrayLike = (), edge_attributes: EdgeData = None, *, directed: bool = False,
        roles: Sequence[Hashable] | None = None, node_ids: Sequence[Hashable] | None = None, name: str | None = None,
        origin: Any = None,
    ) -> None:  # fmt: skip
        self._name = None if name is None else str(name)
        self._origin = origin
        self._directed = bool(directed)
        self._n_nodes, self._nodes = self._read_nodes(nodes)
        self._edges = self._read_edges(edges)
        self._edge_attributes = self._read_edge_attributes(edge_attributes)
        self._roles = self._read_labels(roles, "roles")
        self._node_ids = self._read_labels(node_ids, "node_ids")
        if self._node_ids is not None and len(set(self._node_ids)) != self._n_nodes:
            raise GraphError(f"{self._label()}: node_ids are not unique")

    # -- what a graph is ---------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self._n_nodes

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return len(self._edges)

    @property
    def nodes(self) -> Columns:
        """Node columns by name; a bare array is kept under the name ``""``."""
        return dict(self._nodes)

    @property
    def edges(self) -> NDArray[np.int64]:
        """End nodes of each edge, shape (m, 2); read-only."""
        return self._edges

    @property
    def edge_attributes(self) -> Columns:
        """Edge columns by name; a bare array is kept under the name ``""``."""
        return dict(self._edge_attributes)

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._directed

    @property
    def roles(self) -> tuple[Hashable, ...] | None:
        """The role of each node, or None if all nodes may be matched with each other."""
        return self._roles

    @property
    def node_ids(self) -> tuple[Hashable, ...]:
        """The name of each node in the caller's own words."""
        return self._node_ids if self._node_ids is not None else tuple(range(self._n_nodes))

    @property
    def name(self) -> str | None:
        """The name of the graph."""
        return self._name

    @property
    def origin(self) -> Any:
        """What the graph was made of, None if that was not kept; of a molecule a copy with all its properties."""
        return self._origin.unpack() if isinstance(self._origin, PackedOrigin) else self._origin

    @property
    def packed_origin(self) -> Any:
        """What the graph was made of, as it is kept: packed, if it is a molecule."""
        return self._origin

    def __repr__(self) -> str:
        name = f"{self._name!r}, " if self._name is not None else ""
        arrow = "directed, " if self._directed else ""
        nodes = f"{self.n_nodes} node{'s' * (self.n_nodes != 1)}"
        edges = f"{self.n_edges} edge{'s' * (self.n_edges != 1)}"
        return f"{type(self).__name__}({name}{arrow}{nodes}, {edges})"

    def _repr_html_(self) -> str:
        # Pictures belong to a higher layer, which is loaded only when a notebook asks for one.
        return str(import_module("graphmeans.plots.notebook").graph_html(self))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        compared = [slot for slot in self._all_slots() if slot != "_origin"]
        return all(_same(getattr(self, slot), getattr(other, slot)) for slot in compared)

    def __hash__(self) -> int:
        return hash((self._n_nodes, self._edges.tobytes(), self._directed, self._name))

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(getattr(self, slot) for slot in self._all_slots())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for slot, value in zip(self._all_slots(), state, strict=True):
            object.__setattr__(self, slot, frozen(value))

    @classmethod
    def _all_slots(cls) -> list[str]:
        return [slot for c in reversed(cls.__mro__) for slot in getattr(c, "__slots__", ())]

    # -- validation --------------------------------------------------------------------------------

    def _label(self) -> str:
        return f"graph {self._name!r}" if self._name is not None else "graph"

    def _read_nodes(self, nodes: NodeData) -> tuple[int, Columns]:
        if isinstance(nodes, Mapping):
            columns = self._read_columns(nodes, "node")
            lengths = {key: len(column) for key, column in columns.items()}
            if len(set(lengths.values())) > 1:
                raise GraphError(f"{self._label()}: node columns have unequal lengths {lengths}")
            if not columns:
                raise GraphError(f"{self._label()}: no node columns; give the number of nodes instead")
            return next(iter(lengths.values())), columns
        if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
            if nodes < 0:
                raise GraphError(f"{self._label()}: the number of nodes is negative ({nodes})")
            return int(nodes), {BARE: frozen(np.zeros((int(nodes), 0)))}
        array = self._bare(nodes, "nodes")
        return len(array), {BARE: array}

    def _read_edges(self, edges: ArrayLike) -> NDArray[np.int64]:
        try:
            array = np.asarray(edges)
        except ValueError:
            raise GraphError(f"{self._label()}: edges must be pairs of node positions") from None
        if array.size == 0:
            return frozen(np.zeros((0, 2), dtype=np.int64))
        if array.ndim != 2 or array.shape[1] != 2:
            raise GraphError(f"{self._label()}: edges must have shape (m, 2), got {array.shape}")
        usable = array.dtype.kind in "iu" or (array.dtype.kind == "f" and np.isfinite(array).all())
        whole = np.array(array, dtype=np.int64, order="C") if usable else None
        if whole is None or not np.array_equal(whole, array):
            raise GraphError(f"{self._label()}: edges must be whole numbers, the positions of their end nodes")
        outside = np.flatnonzero(((whole < 0) | (whole >= self._n_nodes)).any(axis=1))
        if outside.size:
            i, j = whole[outside[0]]
            raise GraphError(f"{self._label()}: edge ({i}, {j}) leads to a node that is not among 0..{self._n_nodes - 1}")
        loops = np.flatnonzero(whole[:, 0] == whole[:, 1])
        if loops.size:
            raise GraphError(f"{self._label()}: node {whole[loops[0], 0]} has a self-loop; make it a node attribute")
        ascending = self._directed or bool((whole[:, 0] < whole[:, 1]).all())
        ends = whole if ascending else np.sort(whole, axis=1)
        keys = ends[:, 0] * self._n_nodes + ends[:, 1]
        if not (keys[1:] > keys[:-1]).all():  # where they ascend, none is given twice
            _, first = np.unique(keys, return_index=True)
            if first.size < len(ends):
                i, j = np.delete(whole, first, axis=0)[0]
                raise GraphError(f"{self._label()}: edge ({i}, {j}) is given twice")
        return frozen(whole)

    def _read_edge_attributes(self, attributes: EdgeData) -> Columns:
        m = len(self._edges)
        if attributes is None:
            attributes = {}
        if isinstance(attributes, Mapping):
            columns = self._read_columns(attributes, "edge")
            for key, column in columns.items():
                if len(column) != m:
                    raise GraphError(f"{self._label()}: edge attribute {key!r} has {len(column)} values for {m} edges")
            return columns or {BARE: frozen(np.ones((m, 1)))}
        array = self._bare(attributes, "edge_attributes")
        if len(array) != m:
            raise GraphError(f"{self._label()}: edge_attributes has {len(array)} rows for {m} edges")
        zero = np.flatnonzero(~array.any(axis=1))
        if zero.size and not self._zero_edges:
            i, j = self._edges[zero[0]]
            raise GraphError(f"{self._label()}: edge ({i}, {j}) has all-zero attributes, which means no edge")
        return {BARE: array}

    def _read_columns(self, columns: Mapping[str, Any], what: str) -> Columns:
        where = f"{self._label()}: {what} attribute"
        if any(str(name) == BARE for name in columns):
            raise GraphError(f"{where} without a name; give an array for bare values")
        return {str(name): frozen(read_column(values, f"{where} {str(name)!r}")) for name, values in columns.items()}

    def _bare(self, values: Any, what: str) -> NDArray[np.float64]:
        where = f"{self._label()}: {what}"
        try:
            array = np.asarray(values)
        except ValueError:
            raise GraphError(f"{where} rows have unequal widths") from None
        if array.dtype.kind not in "iufb":
            raise GraphError(f"{where} must be numbers, or a mapping of names to columns")
        array = np.array(array, dtype=np.float64, order="C")
        array = array.reshape(-1, 1) if array.ndim == 1 else array
        if array.ndim != 2:
            raise GraphError(f"{where} must have shape (n, d), got {array.shape}")
        check_finite(array, where)
        return frozen(array)

    def _read_labels(self, labels: Sequence[Hashable] | None, what: str) -> tuple[Hashable, ...] | None:
        if labels is None:
            return None
        values = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        if len(values) != self._n_nodes:
            raise GraphError(f"{self._label()}: {what} has {len(values)} entries for {self._n_nodes} nodes")
        for value in values:
            try:
                hash(value)
            except TypeError:
                raise GraphError(f"{self._label()}: {what} must be hashable, got {value!r}") from None
        return values


def named(graphs: Sequence[Graph], start: int = 0) -> Iterator[tuple[str, Graph]]:
    """Each graph with what messages call it: its number in the collection, and its name if it has one."""
    for i, graph in enumerate(graphs, start):
        yield (f"graph {i}" if graph.name is None else f"graph {i} ({graph.name!r})"), graph


def share_edges(graphs: list[Graph]) -> list[Graph]:
    """The same graphs; those that have the edges of the first one hold one array of them together."""
    for graph in graphs[1:]:
        if np.array_equal(graph._edges, graphs[0]._edges):
            graph._edges = graphs[0]._edges
    return graphs


def is_silent(columns: Columns, part: str) -> bool:
    """Whether these are the columns of nodes (edges) without attributes."""
    if BARE not in columns:
        return False
    bare = columns[BARE]
    return bare.shape[1] == 0 if part == "node" else bare.shape[1] == 1 and bool((bare[:1] == 1).all() and (bare == 1).all())


def frozen(value: Any) -> Any:
    """The same value, all of whose arrays can no longer be written to."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, (dict, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            frozen(item)
    return value


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return same_values(a, b)
    return bool(a == b)
