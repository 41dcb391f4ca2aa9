"""From the caller's objects to `Graph` and back. Everything is validated here, once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph

if TYPE_CHECKING:
    import networkx as nx

#: Attribute under which a bare array travels through libraries that only know named attributes.
VALUE = "value"
#: Graph attribute that says what was bare, what is a role and what is a support, so that the way back is exact.
MARK = "graphmeans"


def from_networkx(graphs: nx.Graph | Iterable[nx.Graph], *, roles: str | None = None) -> Any:
    """Graphs from networkx: a list for a collection, one `Graph` for one graph.

    Every node (edge) of a graph must have the same attributes: numbers, equally long vectors, strings or booleans.
    Edges without attributes get the weight 1. Node labels become node ids.

    Parameters
    ----------
    graphs : networkx.Graph or DiGraph, or a collection of them
    roles : str, optional
        Name of the node attribute that holds the role; it is not clustered on.

    Examples
    --------
    >>> import graphmeans as gm, networkx as nx
    >>> g = nx.path_graph(3)
    >>> gm.from_networkx(g)
    Graph(3 nodes, 2 edges)
    """
    if is_networkx(graphs):
        return _from_networkx(graphs, roles, "graph")
    return [_from_networkx(graph, roles, f"graph {i}") for i, graph in enumerate(graphs)]


def to_networkx(graph: Graph) -> nx.Graph:
    """A networkx graph with the same nodes, edges and attributes; supports become the attribute ``support``."""
    import networkx as nx

    result: nx.Graph = nx.DiGraph() if graph.directed else nx.Graph()
    mark: dict[str, Any] = {}
    if graph.name is not None:
        result.graph["name"] = graph.name
    ids = graph.node_ids
    nodes, edges = graph.nodes, graph.edge_attributes
    if BARE in nodes and nodes[BARE].shape[1]:
        mark["bare_nodes"] = True
    if BARE in edges and not (edges[BARE].shape[1] == 1 and (edges[BARE] == 1).all()):
        mark["bare_edges"] = True
    for i, node in enumerate(ids):
        result.add_node(node, **_row(nodes, i, bool(mark.get("bare_nodes"))))
    for e, (i, j) in enumerate(graph.edges):
        result.add_edge(ids[i], ids[j], **_row(edges, e, bool(mark.get("bare_edges"))))
    if graph.roles is not None:
        key = mark["roles"] = _free("role", nodes)
        for node, role in zip(ids, graph.roles, strict=True):
            result.nodes[node][key] = role
    if isinstance(graph, MeanGraph):
        key = mark["support"] = _free("support", {**nodes, **edges})
        mark["damped"] = graph.damped
        for node, support in zip(ids, graph.node_support, strict=True):
            result.nodes[node][key] = float(support)
        for (i, j), support in zip(graph.edges, graph.edge_support, strict=True):
            result.edges[ids[i], ids[j]][key] = float(support)
    if mark:
        result.graph[MARK] = mark
    return result


def from_adjacency(
    matrices: ArrayLike | Sequence[ArrayLike],
    nodes: ArrayLike | Sequence[ArrayLike] | None = None,
    *,
    directed: bool = False,
) -> Any:
    """Graphs from dense adjacency matrices: a list for a sequence of them, one `Graph` for one matrix.

    A non-zero entry is an edge with that weight; in a sequence, an (n, n, de) array gives edges with de attributes. An
    undirected matrix must be symmetric. The diagonal must be zero: a self-loop belongs into the node attributes.

    Parameters
    ----------
    matrices : array of shape (n, n), or a sequence of arrays of shape (n, n) or (n, n, de)
    nodes : array of shape (n, dv) or a sequence of them, optional
        Node attributes.
    directed : bool

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.from_adjacency([[0, 1], [1, 0]])
    Graph(2 nodes, 1 edge)
    """
    rows: list[Any] = list(matrices)  # type: ignore[arg-type]
    if rows and np.ndim(rows[0]) <= 1:
        return _from_adjacency(matrices, nodes, directed, "graph")
    attributes: list[Any] = [None] * len(rows) if nodes is None else list(nodes)  # type: ignore[arg-type]
    if len(attributes) != len(rows):
        raise GraphError(f"{len(rows)} adjacency matrices but node attributes for {len(attributes)} graphs")
    return [_from_adjacency(a, x, directed, f"graph {i}") for i, (a, x) in enumerate(zip(rows, attributes, strict=True))]


def to_graphs(objects: Any) -> list[Graph]:
    """A list of `Graph` from whatever the caller has: Graphs, networkx graphs, or rows of a 2-D array.

    A list of graph objects never goes through ``np.asarray``.
    """
    if isinstance(objects, Graph) or is_networkx(objects):
        raise GraphError("expected a collection of graphs, got a single graph; put it into a list")
    if isinstance(objects, (Mapping, str, bytes)) or not isinstance(objects, Iterable):
        raise GraphError(f"expected a collection of graphs, got {type(objects).__name__}")
    return [_to_graph(item, i) for i, item in enumerate(objects)]


def from_vectors(rows: NDArray[np.float64]) -> list[Graph]:
    """Vectors as one-node graphs, the case in which everything coincides with vector k-means."""
    return [Graph(row.reshape(1, -1)) for row in rows]


def _to_graph(item: Any, i: int) -> Graph:
    if isinstance(item, Graph):
        return item
    if is_networkx(item):
        return _from_networkx(item, None, f"graph {i}")
    raise GraphError(f"graph {i}: cannot make a graph of {type(item).__name__}")


def is_networkx(item: Any) -> bool:
    return hasattr(item, "adjacency") and hasattr(item, "is_multigraph") and hasattr(item, "nodes")


def _from_networkx(graph: nx.Graph, roles: str | None, fallback: str) -> Graph:
    if not is_networkx(graph):
        raise GraphError(f"{fallback}: not a networkx graph but {type(graph).__name__}")
    name = graph.graph.get("name") or None
    label = f"graph {name!r}" if name else fallback
    if graph.is_multigraph():
        raise GraphError(f"{label}: is a multigraph; merge parallel edges first")
    mark = graph.graph.get(MARK)
    if not isinstance(mark, Mapping):  # networkx read it as text; `graphmeans.io` knows what it means
        mark = {}
    ids = list(graph.nodes)
    place = {node: i for i, node in enumerate(ids)}
    node_columns = _columns([(repr(n), dict(d)) for n, d in graph.nodes(data=True)], label, "node")
    pairs = list(graph.edges(data=True))
    edge_columns = _columns([(f"({u!r}, {v!r})", dict(d)) for u, v, d in pairs], label, "edge")
    role_key = roles if roles is not None else mark.get("roles")
    role_values: list[Hashable] | None = None
    if role_key is not None:
        if role_key not in node_columns and ids:
            raise GraphError(f"{label}: no node attribute {role_key!r} to take roles from")
        role_values = list(node_columns.pop(role_key, []))
    support = mark.get("support")
    supports = (node_columns.pop(support, []), edge_columns.pop(support, [])) if support else None
    try:
        arguments: dict[str, Any] = {
            "nodes": node_columns.get(VALUE, len(ids)) if mark.get("bare_nodes") else node_columns or len(ids),
            "edges": [(place[u], place[v]) for u, v, _ in pairs],
            "edge_attributes": edge_columns.get(VALUE) if mark.get("bare_edges") else edge_columns or None,
            "directed": graph.is_directed(),
            "roles": role_values,
            "node_ids": ids,
            "name": name,
        }
        if supports:
            return MeanGraph(
                node_support=supports[0], edge_support=supports[1], damped=mark.get("damped", True), **arguments
            )
        return Graph(**arguments)
    except GraphError as error:
        raise GraphError(str(error).replace("graph:", f"{label}:", 1)) from None


def _columns(rows: list[tuple[str, dict[str, Any]]], label: str, what: str) -> dict[str, list[Any]]:
    if not rows:
        return {}
    keys = list(rows[0][1])
    for where, attributes in rows:
        if attributes.keys() != set(keys):
            missing = sorted(set(map(str, set(keys) ^ attributes.keys())))
            raise GraphError(f"{label}: {what} attribute {missing[0]!r} is missing on some {what}s (see {what} {where})")
    return {str(key): [attributes[key] for _, attributes in rows] for key in keys}


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """A name that no column has."""
    while name in taken:
        name = f"{name}_"
    return name


def _row(columns: Mapping[str, NDArray[Any]], i: int, keep_bare: bool) -> dict[str, Any]:
    row = {VALUE if key == BARE else key: column[i] for key, column in columns.items() if key != BARE or keep_bare}
    return {key: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value for key, value in row.items()}


def _from_adjacency(matrix: Any, nodes: Any, directed: bool, label: str) -> Graph:
    try:
        array = np.asarray(matrix, dtype=np.float64)
    except (ValueError, TypeError):
        raise GraphError(f"{label}: the adjacency matrix must be a square array of numbers") from None
    if array.ndim not in (2, 3) or array.shape[0] != array.shape[1]:
        raise GraphError(f"{label}: the adjacency matrix must be square, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise GraphError(f"{label}: the adjacency matrix contains NaN or infinity")
    dense = array.reshape(*array.shape[:2], -1)
    present = dense.any(axis=2)
    if present.diagonal().any():
        raise GraphError(f"{label}: the diagonal is not zero; make self-loops a node attribute")
    if not directed:
        if not np.array_equal(dense, dense.transpose(1, 0, 2)):
            raise GraphError(f"{label}: the adjacency matrix is not symmetric; pass directed=True")
        present = np.triu(present)
    ends = np.argwhere(present)
    try:
        return Graph(len(array) if nodes is None else nodes, ends, dense[present], directed=directed)
    except GraphError as error:
        raise GraphError(str(error).replace("graph:", f"{label}:", 1)) from None
