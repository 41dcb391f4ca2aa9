"""PyTorch Geometric `Data` in and out. Anything with an ``edge_index`` that looks like one is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.convert.records import MARK, Records, counterparts, mark_of, need, one_or_many, plain_rows
from graphmeans.graphs.errors import GraphError, speaking_of
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.values import join_columns, same_values

#: What is taken of an object, where it has it, if nothing else is asked for.
NODE_ATTRIBUTES = ("x", "pos", "z")
EDGE_ATTRIBUTES = ("edge_attr", "edge_weight")


def from_pyg(
    graphs: Any, *, node_attributes: Sequence[str] | None = None, edge_attributes: Sequence[str] | None = None,
    directed: bool | None = None,
) -> Any:  # fmt: skip
    """Make graphs of PyTorch Geometric objects.

    Tensors become columns of the same name: ``x``, ``pos`` and ``z`` of nodes, ``edge_attr`` and ``edge_weight`` of edges. A
    tensor of one column is a number, of several a vector. Labels (``y``) are not taken.

    ``edge_index`` stores an undirected edge in both directions. The graphs are undirected if in all of them every edge has
    its counterpart with the same attributes, else directed. Parallel edges and self-loops are treated as in `from_networkx`.

    Parameters
    ----------
    graphs : torch_geometric.data.Data, or a collection of them, or objects that look like one
        The graphs. A ``Batch``, a ``Dataset`` and a list of batches are collections.
    node_attributes : sequences of names, optional
        The tensors that are taken in place of those above.
    edge_attributes : sequences of names, optional
        The tensors that are taken in place of those above.
    directed : bool, optional
        Whether edges have a direction; by default as found. False needs both directions of every edge.

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    to_pyg : The way back.

    Examples
    --------
    >>> import graphmeans as gm, torch  # doctest: +SKIP
    >>> from torch_geometric.data import Data  # doctest: +SKIP
    >>> gm.from_pyg(Data(x=torch.ones(2, 3), edge_index=torch.tensor([[0, 1], [1, 0]])))  # doctest: +SKIP
    Graph(2 nodes, 1 edge)
    """

    def read(one: Any, label: str) -> _Data:
        return _Data(one, label, node_attributes, edge_attributes)

    if is_pyg_collection(graphs):
        graphs = pyg_list(graphs)
    elif isinstance(graphs, (list, tuple)) and any(map(is_pyg_collection, graphs)):
        graphs = [one for some in graphs for one in (pyg_list(some) if is_pyg_collection(some) else [some])]
    found = one_or_many(graphs, is_pyg, read, "a PyTorch Geometric Data object")
    many: list[_Data] = found if isinstance(found, list) else [found]
    marked = [data.mark["directed"] for data in many if "directed" in data.mark]
    if directed is None:
        directed = any(marked) if len(marked) == len(many) and many else not all(data.symmetric for data in many)
    result = [data.graph(directed) for data in many]
    return result if isinstance(found, list) else result[0]


def to_pyg(graph: Graph) -> Any:
    """Make a ``Data`` object of PyTorch Geometric.

    It has a float64 tensor for every column of numbers, booleans as bool, strings as lists. A bare array becomes ``x``
    (nodes) and ``edge_attr`` (edges); supports become ``node_support`` and ``edge_support``. An undirected edge is stored
    in both directions. Missing values are NaN.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.

    Returns
    -------
    torch_geometric.data.Data
        The graph.

    See Also
    --------
    from_pyg : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.to_pyg(gm.Graph([[0.5], [1.5]], [(0, 1)])).num_nodes  # doctest: +SKIP
    2
    """
    torch = need("torch", "pyg", "to_pyg")
    data_class = need("torch_geometric.data", "pyg", "to_pyg").Data
    mark: dict[str, Any] = {"directed": graph.directed, "nodes": {}, "edges": {}}
    both = graph.edges if graph.directed else np.concatenate([graph.edges, graph.edges[:, ::-1]])
    data = data_class(edge_index=torch.as_tensor(both.T.copy()), num_nodes=graph.n_nodes)
    for part, bare, columns in (("nodes", "x", graph.nodes), ("edges", "edge_attr", graph.edge_attributes)):
        for key, column in columns.items():
            if key == BARE and not column.shape[1]:
                continue
            stored = bare if key == BARE else _stored(key, data, part)
            mark[part][stored] = key
            twice = part == "edges" and not graph.directed
            data[stored] = _tensor(join_columns([column, column]) if twice else column, torch)
    if isinstance(graph, MeanGraph):
        data.node_support = torch.as_tensor(graph.node_support.copy())
        support = graph.edge_support if graph.directed else np.concatenate([graph.edge_support] * 2)
        data.edge_support = torch.as_tensor(support.copy())
        mark["damped"] = graph.damped
    if graph.name is not None:
        data.name = graph.name
    if graph.roles is not None:
        mark["roles"] = list(graph.roles)
    if graph.node_ids != tuple(range(graph.n_nodes)):
        mark["ids"] = list(graph.node_ids)
    data[MARK] = mark
    return data


def is_pyg(item: Any) -> bool:
    """Whether this looks like a ``Data`` object. Batches and data sets do, too, but hold many graphs."""
    if isinstance(item, type) or hasattr(item, "vs") or is_pyg_collection(item):
        return False
    return getattr(item, "edge_index", None) is not None


def is_pyg_collection(item: Any) -> bool:
    """Whether this is a ``Batch`` or a ``Dataset`` of PyTorch Geometric."""
    return any(
        base.__name__ in ("Batch", "Dataset") and base.__module__.startswith("torch_geometric.") for base in type(item).__mro__
    )


def pyg_list(item: Any) -> list[Any]:
    """The graphs of a ``Batch`` or of a ``Dataset``."""
    return list(item.to_data_list()) if hasattr(item, "to_data_list") else [item[i] for i in range(len(item))]


class _Data:
    """One object as arrays."""

    def __init__(self, data: Any, label: str, nodes: Sequence[str] | None, edges: Sequence[str] | None) -> None:
        name = getattr(data, "name", None)
        self.name = name if isinstance(name, str) and name else None
        self.label = label if self.name is None else f"graph {self.name!r}"
        self.mark = mark_of(getattr(data, MARK, None))
        self.ends = self._edge_index(data)
        self.nodes = self._columns(data, "nodes", nodes, NODE_ATTRIBUTES)
        self.n = self._n_nodes(data)
        self.edges = self._columns(data, "edges", edges, EDGE_ATTRIBUTES)
        for key, column in self.edges.items():
            if len(column) != len(self.ends):
                raise GraphError(f"{self.label}: {key!r} has {len(column)} rows for {len(self.ends)} edges")
        self.supports = [_array(getattr(data, key)) for key in ("node_support", "edge_support") if hasattr(data, key)]
        self.forth, self.back = counterparts(self.ends)

    @property
    def symmetric(self) -> bool:
        """Whether every edge is stored in both directions, with the same attributes."""
        forth, back = self.forth, self.back
        return back is not None and all(same_values(column[forth], column[back]) for column in self.edges.values())

    def graph(self, directed: bool) -> Graph:
        """The graph; of two stored directions the one with the smaller node first is kept."""
        rows = np.arange(len(self.ends))
        if not directed:
            if not self.symmetric:
                raise GraphError(f"{self.label}: some edges have no counterpart in the other direction, or a different one")
            rows = np.flatnonzero(self.ends[:, 0] <= self.ends[:, 1])
            if "directed" in self.mark:
                rows = np.arange(len(self.ends) // 2)  # as `to_pyg` stores them, in their own order
        ends, edges = self.ends[rows], {key: column[rows] for key, column in self.edges.items()}
        if len(np.unique(ends, axis=0)) < len(ends) or (ends[:, 0] == ends[:, 1]).any():  # parallel edges or loops
            node_rows = plain_rows(self.nodes, self.n, keep_bare=True)
            edge_rows = plain_rows(edges, len(rows), keep_bare=True)
            return Records(None, node_rows, ends.tolist(), edge_rows, directed, self.name).graph(self.label)
        about: dict[str, Any] = {"directed": directed, "name": self.name}
        about |= {"roles": self.mark.get("roles"), "node_ids": self.mark.get("ids")}
        is_mean = len(self.supports) == 2 and "damped" in self.mark
        if is_mean:
            node, edge = self.supports
            about |= {"node_support": node, "edge_support": edge[rows], "damped": self.mark["damped"]}
        with speaking_of(self.label):
            nodes, values = self.nodes.get(BARE, self.nodes or self.n), edges.get(BARE, edges or None)
            return (MeanGraph if is_mean else Graph)(nodes, ends, values, **about)

    def _edge_index(self, data: Any) -> NDArray[np.int64]:
        index = _array(data.edge_index)
        if index.size == 0:
            return np.zeros((0, 2), dtype=np.int64)
        if index.ndim != 2 or index.shape[0] != 2 or index.dtype.kind not in "iu":
            raise GraphError(f"{self.label}: edge_index must hold whole numbers in shape (2, m), got {index.shape}")
        return np.ascontiguousarray(index.T, dtype=np.int64)

    def _n_nodes(self, data: Any) -> int:
        lengths = {key: len(column) for key, column in self.nodes.items()}
        if len(set(lengths.values())) > 1:
            raise GraphError(f"{self.label}: node tensors have unequal lengths {lengths}")
        if lengths:
            return next(iter(lengths.values()))
        given = getattr(data, "num_nodes", None)
        return int(given) if given is not None else int(self.ends.max(initial=-1)) + 1

    def _columns(self, data: Any, part: str, asked: Sequence[str] | None, usual: Sequence[str]) -> dict[str, Any]:
        stored: Mapping[str, str] = self.mark.get(part) or {name: name for name in (usual if asked is None else asked)}
        columns: dict[str, NDArray[Any]] = {}
        for tensor, name in stored.items():
            value = getattr(data, tensor, None)
            if value is None:
                if asked is not None:
                    raise GraphError(f"{self.label}: has no {tensor!r}")
                continue
            column = _column(value, missing=bool(self.mark))
            thin = column.ndim == 2 and column.shape[1] == 1 and not self.mark  # `to_pyg` says what was a vector
            columns[name] = column[:, 0] if thin else column
        return columns


def _stored(key: str, data: Any, part: str) -> str:
    """Under which name a column is kept: its own, unless that means something else to PyTorch Geometric."""
    if key in (NODE_ATTRIBUTES if part == "nodes" else EDGE_ATTRIBUTES):
        return key
    name = key if key.isidentifier() and not key.startswith("_") else "column"
    taken = {"edge_index", "num_nodes", "name", "node_support", "edge_support", "y", "batch", "ptr", MARK}
    usual = EDGE_ATTRIBUTES if part == "nodes" else NODE_ATTRIBUTES
    while name in taken or name in usual or name in data or hasattr(type(data), name):
        name = f"{part[:-1]}_{name}"
    return name


def _tensor(column: NDArray[Any], torch: Any) -> Any:
    if column.dtype.kind == "O" or (column.dtype.kind == "b" and isinstance(column, np.ma.MaskedArray)):
        return column.tolist()  # lists say None where a value is missing
    return torch.as_tensor(column.filled(np.nan) if isinstance(column, np.ma.MaskedArray) else column.copy())


def _column(value: Any, missing: bool) -> NDArray[Any]:
    """A column from a tensor, an array or a list; NaN is a missing value in what `to_pyg` made."""
    if isinstance(value, (list, tuple)) and any(isinstance(one, (str, bool)) or one is None for one in value):
        return np.array(list(value), dtype=object)
    array = _array(value)
    if array.dtype.kind in "iu":
        array = array.astype(np.float64)
    if missing and array.dtype.kind == "f" and np.isnan(array).any():
        return np.asanyarray(np.ma.masked_invalid(array))
    return array


def _array(value: Any) -> NDArray[Any]:
    for step in ("detach", "cpu"):
        value = getattr(value, step)() if hasattr(value, step) else value
    return np.asarray(value)
