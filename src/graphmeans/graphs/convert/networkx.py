"""networkx graphs in and out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from graphmeans.graphs.convert.records import MARK, Records, chosen, mark_of, one_or_many, to_rows
from graphmeans.graphs.graph import Graph

if TYPE_CHECKING:
    import networkx as nx


def from_networkx(
    graphs: nx.Graph | Iterable[nx.Graph], *, roles: str | None = None, node_attributes: Sequence[str] | None = None,
    edge_attributes: Sequence[str] | None = None, parallel: str = "mean",
) -> Any:  # fmt: skip
    """Make graphs of networkx objects.

    Attributes are numbers, equally long vectors, strings or booleans; one that a node (edge) lacks, or that is None, is
    missing there. Edges without attributes get the weight 1. Node labels become node ids.

    Parallel edges of a multigraph become one edge: numbers are averaged, of strings and booleans the most frequent is kept,
    and the attribute ``multiplicity`` says how many it was. A self-loop becomes the node attributes ``loop`` (how many) and
    ``loop:<name>`` for each of its own.

    Parameters
    ----------
    graphs : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph, or a collection of them
        The graphs.
    roles : str, optional
        Name of the node attribute that holds the role; it is not clustered on.
    node_attributes : sequences of names, optional
        The attributes that are taken; all by default.
    edge_attributes : sequences of names, optional
        The attributes that are taken; all by default.
    parallel : {"mean", "sum"}, default="mean"
        What becomes of the numbers of parallel edges.

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    to_networkx : The way back.

    Examples
    --------
    >>> import graphmeans as gm, networkx as nx
    >>> g = nx.path_graph(3)
    >>> gm.from_networkx(g)
    Graph(3 nodes, 2 edges)
    >>> gm.from_networkx(nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "b")])).nodes["loop"].tolist()
    [0.0, 1.0]
    """

    def convert(graph: nx.Graph, label: str) -> Graph:
        ids = list(graph.nodes)
        place = {node: i for i, node in enumerate(ids)}
        nodes = chosen((row for _, row in graph.nodes(data=True)), node_attributes, roles)
        arcs = list(graph.edges(data=True))
        ends, edges = [(place[u], place[v]) for u, v, _ in arcs], chosen((row for _, _, row in arcs), edge_attributes)
        name, mark = str(graph.graph.get("name") or "") or None, mark_of(graph.graph.get(MARK))
        records = Records(ids, nodes, ends, edges, graph.is_directed(), name, mark)
        return records.graph(label, roles=roles, parallel=parallel)

    return one_or_many(graphs, is_networkx, convert, "a networkx graph")


def to_networkx(graph: Graph) -> nx.Graph:
    """Make a networkx graph with the same nodes, edges and attributes.

    Supports become the attribute ``support``.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.

    Returns
    -------
    networkx.Graph or networkx.DiGraph
        The graph.

    See Also
    --------
    from_networkx : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.to_networkx(gm.Graph({"kind": ["a", "b"]}, [(0, 1)])).nodes[1]
    {'kind': 'b'}
    """
    import networkx as nx

    result: nx.Graph = nx.DiGraph() if graph.directed else nx.Graph()
    node_rows, edge_rows, mark = to_rows(graph)
    if graph.name is not None:
        result.graph["name"] = graph.name
    if mark:
        result.graph[MARK] = mark
    ids = graph.node_ids
    result.add_nodes_from(zip(ids, node_rows, strict=True))
    result.add_edges_from((ids[i], ids[j], row) for (i, j), row in zip(graph.edges.tolist(), edge_rows, strict=True))
    return result


def is_networkx(item: Any) -> bool:
    """Whether this is a graph of networkx, or behaves like one."""
    return hasattr(item, "adjacency") and hasattr(item, "is_multigraph") and hasattr(item, "nodes")
