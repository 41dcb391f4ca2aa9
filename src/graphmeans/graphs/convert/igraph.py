"""igraph graphs in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphmeans.graphs.convert.records import MARK, Records, chosen, mark_of, need, one_or_many, to_rows, unused_name
from graphmeans.graphs.graph import Graph


def from_igraph(
    graphs: Any, *, roles: str | None = None, node_attributes: Sequence[str] | None = None,
    edge_attributes: Sequence[str] | None = None, parallel: str = "mean",
) -> Any:  # fmt: skip
    """Make graphs of igraph objects.

    As `from_networkx`. The vertex attribute ``name``, which igraph itself treats as the name of a vertex, becomes the node
    id if it is different on every vertex, and is not clustered on.

    Parameters
    ----------
    graphs : igraph.Graph, or a collection of them
        The graphs.
    roles : str, optional
        Name of the node attribute that holds the role; it is not clustered on.
    node_attributes : sequence of names, optional
        The node attributes that are taken; all by default.
    edge_attributes : sequence of names, optional
        The edge attributes that are taken; all by default.
    parallel : {"mean", "sum"}, default="mean"
        What becomes of the numbers of parallel edges.

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    to_igraph : The way back.
    from_networkx : The rules for attributes, loops and parallel edges.

    Examples
    --------
    >>> import graphmeans as gm
    >>> import igraph
    >>> gm.from_igraph([igraph.Graph.Ring(4), igraph.Graph.Star(5)])
    [Graph(4 nodes, 4 edges), Graph(5 nodes, 4 edges)]
    """

    def convert(graph: Any, label: str) -> Graph:
        about = {key: graph[key] for key in graph.attributes()}
        mark = mark_of(about.get(MARK))
        rows = [vertex.attributes() for vertex in graph.vs]
        id_key = mark.get("ids", "name")
        ids = [row.get(id_key) for row in rows]
        named = id_key is not None and all(label is not None for label in ids) and len(set(ids)) == len(ids)
        if named:
            rows = [{key: value for key, value in row.items() if key != id_key} for row in rows]
        node_ids = ids if named and ids != list(range(len(ids))) else None
        nodes = chosen(rows, node_attributes, roles)
        edges = chosen((edge.attributes() for edge in graph.es), edge_attributes)
        name = str(about.get("name") or "") or None
        records = Records(node_ids, nodes, graph.get_edgelist(), edges, graph.is_directed(), name, mark)
        return records.graph(label, roles=roles, parallel=parallel)

    return one_or_many(graphs, is_igraph, convert, "an igraph graph")


def to_igraph(graph: Graph) -> Any:
    """Make an igraph graph with the same nodes, edges and attributes.

    Supports become the attribute ``support``. Node ids become the vertex attribute ``name``; the name of the graph is its
    attribute ``name``.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.

    Returns
    -------
    igraph.Graph
        The graph.

    See Also
    --------
    from_igraph : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.to_igraph(gm.Graph(3, [(0, 1), (1, 2)])).ecount()
    2
    """
    igraph = need("igraph", "igraph", "to_igraph")
    node_rows, edge_rows, mark = to_rows(graph)
    result = igraph.Graph(n=graph.n_nodes, edges=graph.edges.tolist(), directed=graph.directed)
    if graph.name is not None:
        result["name"] = graph.name
    if graph.node_ids != tuple(range(graph.n_nodes)):
        mark["ids"] = unused_name("name", graph.nodes)
        result.vs[mark["ids"]] = list(graph.node_ids)
    elif "name" in graph.nodes:
        mark["ids"] = None
    for part, rows in ((result.vs, node_rows), (result.es, edge_rows)):
        for key in dict.fromkeys(key for row in rows for key in row):
            part[key] = [row.get(key) for row in rows]
    if mark:
        result[MARK] = mark
    return result


def is_igraph(item: Any) -> bool:
    """Whether this is a graph of igraph, or behaves like one."""
    return all(hasattr(item, name) for name in ("vs", "es", "get_edgelist", "vcount"))
