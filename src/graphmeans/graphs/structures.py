"""Other structures as graphs. They differ in which nodes may be matched with each other, and roles say that.

Each function makes a list of `Graph` that clusters as any other. See ``docs/how-to/structures.md`` for what the distance becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.graphs.convert import from_adjacency, is_networkx
from graphmeans.graphs.convert.records import columns_of
from graphmeans.graphs.errors import GraphError, speaking_of
from graphmeans.graphs.graph import Graph

#: A deeper tree is taken for a structure that contains itself.
DEEPEST = 10_000

Names = Sequence[str] | None


def vectors(rows: ArrayLike, *, names: Names = None) -> list[Graph]:
    """Vectors as one-node graphs: the distance is the Euclidean one, and k-means is k-means.

    Parameters
    ----------
    rows : array of shape (N, d)
        Taken as they are.
    names : sequence of str, optional

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.vectors([[0.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    array = np.asarray(rows, dtype=np.float64)
    if array.ndim != 2:
        raise GraphError(f"vectors must be the rows of a 2-D array, got shape {array.shape}")
    return [Graph(row.reshape(1, -1), name=name) for row, name in _named(array, names)]


def point_patterns(
    patterns: Iterable[ArrayLike], marks: Iterable[Sequence[Any]] | None = None, *, names: Names = None
) -> list[Graph]:
    """Sets of points as graphs without edges: a matching is one linear assignment.

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
    for i, ((array, name), own) in enumerate(zip(_named(arrays, names), listed, strict=True)):
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
    """Sequences, the position being the role: the first is matched with the first, the second with the second.

    Nothing is ever shifted: one symbol inserted in front makes all that follow differ. What is behind the end of the shorter
    of two sequences costs what it weighs.

    Parameters
    ----------
    items : collection of sequences of strings, numbers, booleans or equally long vectors
        A string is a sequence of its characters. The column is called ``symbol`` (strings, booleans) or ``value``.
    names : sequence of str, optional

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.sequences(["GATTACA", "GATTTCA"])) ** 2  # one symbol differs, 1-of-k
    2.0000000000000004
    """
    graphs = []
    for item, name in _named([list(item) for item in items], names):
        words = all(isinstance(value, (str, bool, np.bool_)) or value is None for value in item)
        graphs.append(Graph({"symbol" if words else "value": item}, roles=list(range(len(item))), name=name))
    return graphs


def trees(
    roots: Iterable[Any], *, ordered: bool = False, children: Callable[[Any], Iterable[Any]] | None = None,
    attributes: Callable[[Any], Any] | None = None, names: Names = None,
) -> list[Graph]:  # fmt: skip
    """Rooted trees, the depth being the role: root is matched with root, child with child.

    Parameters
    ----------
    roots : collection of trees
        A tree is ``(label, [tree, ...])`` or a label alone, a mapping with ``"children"`` and attributes, a directed networkx
        tree with edges away from its root, or anything that `children` and `attributes` can read.
    ordered : bool
        Whether the order of siblings matters: the column ``place`` then counts them from 0.
    children : callable, optional
        From a node of your own kind to its children, in order.
    attributes : callable, optional
        From a node of your own kind to a label, or to a mapping of attributes.
    names : sequence of str, optional

    Examples
    --------
    >>> import ast, graphmeans as gm
    >>> gm.structures.trees([("+", ["a", ("*", ["b", "c"])])])
    [Graph(5 nodes, 4 edges)]
    >>> gm.structures.trees([ast.parse("a + b")], children=ast.iter_child_nodes, attributes=lambda node: type(node).__name__)
    [Graph(8 nodes, 7 edges)]
    """
    if (children is None) != (attributes is None):
        raise GraphError("children and attributes belong together: give both or neither")
    graphs = []
    for i, (root, name) in enumerate(_named(list(roots), names)):
        try:
            below, said = children or _nested_children, attributes or _nested_attributes
            if children is None and is_networkx(root):
                root, below, said = _root(root), root.successors, root.nodes.__getitem__
            graphs.append(_tree(root, below, said, ordered, name))
        except GraphError as error:
            raise GraphError(f"graph {i}: {str(error).removeprefix('graph: ')}") from None
    return graphs


def hypergraphs(
    items: Iterable[Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]]],
    vertices: Iterable[Mapping[Hashable, Any]] | None = None,
    hyperedges: Iterable[Mapping[Any, Any]] | None = None,
    *,
    names: Names = None,
) -> list[Graph]:
    """Hypergraphs as their incidence graphs: a node for each vertex and each hyperedge, an edge where one is in the other.

    Vertices are matched with vertices and hyperedges with hyperedges.

    Parameters
    ----------
    items : collection of hypergraphs
        A hypergraph is a list of hyperedges, or a mapping from their names to them; a hyperedge is a collection of vertices.
    vertices : collection of as many mappings from vertex to label or attributes, optional
        Names also the vertices that are in no hyperedge.
    hyperedges : collection of as many mappings from hyperedge (its name or its place) to label or attributes, optional
    names : sequence of str, optional

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
        for i, (item, name) in enumerate(_named(listed, names))
    ]


def labelled_networks(
    matrices: Any, *, labels: Sequence[Hashable] | None = None, directed: bool = False, names: Names = None
) -> list[Graph]:
    """Networks on the same nodes (connectomes): every node is matched with itself, so nothing is searched for.

    The distance is the Euclidean one between the matrices, and k-means is that of the matrices as vectors; but centers are
    networks, with the share of members that have each edge.

    Parameters
    ----------
    matrices : array of shape (N, n, n), or a sequence of dense or sparse matrices of one size
    labels : sequence of n labels, optional
        The names of the nodes; 0, 1, ... by default.
    directed : bool
        Undirected matrices must be symmetric.
    names : sequence of str, optional

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.labelled_networks([[[0, 1], [1, 0]], [[0, 3], [3, 0]]])) ** 2
    8.000000000000002
    """
    graphs = from_adjacency(matrices, directed=directed)
    if isinstance(graphs, Graph):
        raise GraphError("expected a sequence of matrices, got a single one; put it into a list")
    sizes = sorted({graph.n_nodes for graph in graphs})
    if len(sizes) > 1 or (labels is not None and sizes and sizes[0] != len(labels)):
        said = f"{sizes[0]} and {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]} nodes but {len(labels or ())} labels"
        raise GraphError(f"labelled networks must all have the same nodes, got {said}")
    roles = list(range(sizes[0])) if labels is None and sizes else list(labels or ())
    if len(set(roles)) < len(roles):
        raise GraphError("the labels of the nodes are not unique")
    return [
        Graph(g.nodes[""], g.edges, g.edge_attributes[""], directed=directed, roles=roles, node_ids=roles, name=name)
        for g, name in _named(graphs, names)
    ]


def _tree(
    root: Any, children: Callable[[Any], Iterable[Any]], attributes: Callable[[Any], Any], ordered: bool, name: str | None
) -> Graph:
    """The graph of one tree, read level by level; the level of a node is its role."""
    rows: list[dict[str, Any]] = []
    depths: list[int] = []
    edges: list[tuple[int, int]] = []
    level: list[tuple[Any, int, int]] = [(root, -1, 0)]
    depth = 0
    while level:
        if depth > DEEPEST:
            raise GraphError(f"the tree is deeper than {DEEPEST}; does it contain itself?")
        below: list[tuple[Any, int, int]] = []
        for node, parent, place in level:
            if parent >= 0:
                edges.append((parent, len(rows)))
            below += [(child, len(rows), order) for order, child in enumerate(children(node))]
            rows.append({**_attributes(attributes(node)), **({"place": float(place)} if ordered else {})})
            depths.append(depth)
        level, depth = below, depth + 1
    return Graph(columns_of(rows) or len(rows), edges, roles=depths, name=name)


def _nested_children(node: Any) -> Iterable[Any]:
    if isinstance(node, Mapping):
        return node.get("children") or ()
    if not isinstance(node, (tuple, list)):
        return ()
    if len(node) != 2 or isinstance(node[1], (str, bytes)) or not isinstance(node[1], Iterable):
        raise GraphError(f"a tree is (label, [children]), got {str(node)[:60]!r}")
    return node[1] or ()


def _nested_attributes(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {key: value for key, value in node.items() if key != "children"}
    return node[0] if isinstance(node, (tuple, list)) else node


def _attributes(said: Any) -> dict[str, Any]:
    if said is None:
        return {}
    return {str(key): value for key, value in said.items()} if isinstance(said, Mapping) else {"label": said}


def _root(tree: Any) -> Any:
    """The node of a networkx tree that has no parent."""
    if not tree.is_directed():
        raise GraphError("a networkx tree must be directed, with edges away from its root")
    tops = [node for node, parents in tree.in_degree() if parents == 0]
    if len(tops) != 1 or tree.number_of_edges() != tree.number_of_nodes() - 1:
        raise GraphError("not a rooted tree: one node must have no parent, and every other node exactly one")
    return tops[0]


def _incidence(
    item: Any, vertices: Mapping[Hashable, Any], hyperedges: Mapping[Any, Any], name: str | None, label: str
) -> Graph:
    edges = item.items() if isinstance(item, Mapping) else enumerate(item)
    members = {edge: list(dict.fromkeys(inside)) for edge, inside in edges}
    place = {vertex: i for i, vertex in enumerate(dict.fromkeys([*vertices, *(v for m in members.values() for v in m)]))}
    stray = [edge for edge in hyperedges if edge not in members]
    if stray:
        raise GraphError(f"{label}: there is no hyperedge {stray[0]!r}")
    rows = [_attributes(vertices.get(vertex)) for vertex in place]
    rows += [_attributes(hyperedges.get(edge)) for edge in members]
    ends = [(place[vertex], len(place) + e) for e, inside in enumerate(members.values()) for vertex in inside]
    ids = [("vertex", vertex) for vertex in place] + [("hyperedge", edge) for edge in members]
    roles = ["vertex"] * len(place) + ["hyperedge"] * len(members)
    with speaking_of(label):
        return Graph(columns_of(rows) or len(rows), ends, roles=roles, node_ids=ids, name=name)


def _named(items: Sequence[Any] | np.ndarray, names: Names) -> list[tuple[Any, str | None]]:
    listed = [None] * len(items) if names is None else names
    if len(listed) != len(items):
        raise GraphError(f"{len(items)} items but {len(listed)} names")
    return list(zip(items, listed, strict=True))
