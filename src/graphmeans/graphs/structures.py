"""Other structures as graphs. They differ in which nodes may be matched with each other, and roles say that.

Each function makes a list of `Graph` that clusters as any other. See ``docs/how-to/structures.md`` for what the distance becomes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.graphs.convert.records import columns_of
from graphmeans.graphs.errors import GraphError, speaking_of
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.labelled import labelled_networks
from graphmeans.graphs.trees import attributes_of, named_items, trees

__all__ = ["hypergraphs", "labelled_networks", "point_patterns", "sequences", "trees", "vectors"]

Names = Sequence[str] | None


def vectors(rows: ArrayLike, *, names: Names = None) -> list[Graph]:
    """Turn vectors into one-node graphs: the distance is the Euclidean one, and k-means is k-means.

    Parameters
    ----------
    rows : array of shape (N, d)
        Taken as they are.
    names : sequence of str, optional
        The names of the graphs.

    Returns
    -------
    list of Graph
        One graph for each item.

    See Also
    --------
    GraphKMeans : Also takes a 2-D array as it is.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.vectors([[0.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    array = np.asarray(rows, dtype=np.float64)
    if array.ndim != 2:
        raise GraphError(f"vectors must be the rows of a 2-D array, got shape {array.shape}")
    return [Graph(row.reshape(1, -1), name=name) for row, name in named_items(array, names)]


def point_patterns(
    patterns: Iterable[ArrayLike], marks: Iterable[Sequence[Any]] | None = None, *, names: Names = None
) -> list[Graph]:
    """Turn sets of points into graphs without edges: a matching is one linear assignment.

    Points of different sets are matched so that the sum of squared distances is least; a point that is left over costs its
    squared distance from the origin (the collection's center, once standardised). ``GraphEncoder(presence=1)`` makes every
    point cost something wherever it lies.

    Parameters
    ----------
    patterns : collection of arrays of shape (n, d)
        They become the columns ``x``, ``y`` and ``z``, or ``position`` if there are more.
    marks : collection of as many sequences of n values, optional
        A string, number or boolean for each point: the column ``mark``.
    names : sequence of str, optional
        The names of the graphs.

    Returns
    -------
    list of Graph
        One graph for each item.

    See Also
    --------
    sequences : Points with an order.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.point_patterns([[[0, 0], [1, 0]], [[1, 0], [0, 2]]]))
    2.0
    """
    arrays = [np.asarray(pattern, dtype=np.float64) for pattern in patterns]
    listed = [None] * len(arrays) if marks is None else list(marks)
    if len(listed) != len(arrays):
        raise GraphError(f"{len(arrays)} point patterns but marks for {len(listed)}")
    width = max((array.shape[1] for array in arrays if array.ndim == 2), default=2)
    graphs = []
    for i, ((array, name), own) in enumerate(zip(named_items(arrays, names), listed, strict=True)):
        if array.size == 0:
            array = array.reshape(0, width)
        if array.ndim != 2:
            raise GraphError(f"graph {i}: a point pattern must have shape (n, d), got {array.shape}")
        columns: dict[str, Any] = {axis: array[:, c] for c, axis in enumerate("xyz"[: array.shape[1]])}
        if array.shape[1] > 3:
            columns = {"position": array}
        if own is not None:
            columns["mark"] = list(own)
        graphs.append(Graph(columns, name=name))
    return graphs


def sequences(items: Iterable[Iterable[Any]], *, names: Names = None) -> list[Graph]:
    """Turn sequences into graphs whose roles are the positions.

    The first is matched with the first, the second with the second. Nothing is ever shifted: one symbol inserted in front
    makes all that follow differ. What is behind the end of the shorter of two sequences costs what it weighs.

    Parameters
    ----------
    items : collection of sequences of strings, numbers, booleans or equally long vectors
        A string is a sequence of its characters. The column is called ``symbol`` (strings, booleans) or ``value``.
    names : sequence of str, optional
        The names of the graphs.

    Returns
    -------
    list of Graph
        One graph for each item.

    See Also
    --------
    trees : The depth is the role, or an attribute.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.sequences(["GATTACA", "GATTTCA"])) ** 2  # one symbol differs, 1-of-k
    2.0000000000000004
    """
    graphs = []
    for item, name in named_items([list(item) for item in items], names):
        words = all(isinstance(value, (str, bool, np.bool_)) or value is None for value in item)
        graphs.append(Graph({"symbol" if words else "value": item}, roles=list(range(len(item))), name=name))
    return graphs


def hypergraphs(
    items: Iterable[Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]]],
    vertices: Iterable[Mapping[Hashable, Any]] | None = None,
    hyperedges: Iterable[Mapping[Any, Any]] | None = None,
    *,
    names: Names = None,
) -> list[Graph]:
    """Turn hypergraphs into their incidence graphs: a node for each vertex and each hyperedge, an edge where one is in the other.

    Vertices are matched with vertices and hyperedges with hyperedges.

    Parameters
    ----------
    items : collection of hypergraphs
        A hypergraph is a list of hyperedges, or a mapping from their names to them; a hyperedge is a collection of vertices.
    vertices : collection of as many mappings from vertex to label or attributes, optional
        Names also the vertices that are in no hyperedge.
    hyperedges : collection of as many mappings from hyperedge (its name or its place) to label or attributes, optional
        Labels or attributes of the hyperedges.
    names : sequence of str, optional
        The names of the graphs.

    Returns
    -------
    list of Graph
        One graph for each item.

    See Also
    --------
    Graph : Takes roles of your own.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.structures.hypergraphs([[{"ann", "bob"}, {"ann", "bob", "cem"}]])
    [Graph(5 nodes, 5 edges)]
    """
    listed = list(items)
    about = [None] * len(listed) if vertices is None else list(vertices)
    about_edges = [None] * len(listed) if hyperedges is None else list(hyperedges)
    for given, what in ((about, "vertices"), (about_edges, "hyperedges")):
        if len(given) != len(listed):
            raise GraphError(f"{len(listed)} hypergraphs but {what} for {len(given)}")
    return [
        _incidence(item, about[i] or {}, about_edges[i] or {}, name, f"graph {i}")
        for i, (item, name) in enumerate(named_items(listed, names))
    ]


def _incidence(
    item: Any, vertices: Mapping[Hashable, Any], hyperedges: Mapping[Any, Any], name: str | None, label: str
) -> Graph:
    edges = item.items() if isinstance(item, Mapping) else enumerate(item)
    members = {edge: list(dict.fromkeys(inside)) for edge, inside in edges}
    place = {vertex: i for i, vertex in enumerate(dict.fromkeys([*vertices, *(v for m in members.values() for v in m)]))}
    stray = [edge for edge in hyperedges if edge not in members]
    if stray:
        raise GraphError(f"{label}: there is no hyperedge {stray[0]!r}")
    rows = [attributes_of(vertices.get(vertex)) for vertex in place]
    rows += [attributes_of(hyperedges.get(edge)) for edge in members]
    ends = [(place[vertex], len(place) + e) for e, inside in enumerate(members.values()) for vertex in inside]
    ids = [("vertex", vertex) for vertex in place] + [("hyperedge", edge) for edge in members]
    roles = ["vertex"] * len(place) + ["hyperedge"] * len(members)
    with speaking_of(label):
        return Graph(columns_of(rows) or len(rows), ends, roles=roles, node_ids=ids, name=name)
