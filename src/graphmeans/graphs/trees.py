"""Rooted trees as graphs: the depth of a node is a wall that no alignment crosses, or one attribute among others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from graphmeans.graphs.convert import is_networkx
from graphmeans.graphs.convert.records import columns_of
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

#: A deeper tree is taken for a structure that contains itself.
DEEPEST = 10_000
#: The column that holds the depth where it is an attribute.
DEPTH = "depth"


def trees(
    roots: Iterable[Any], *, ordered: bool = False, depth: str = "attribute",
    children: Callable[[Any], Iterable[Any]] | None = None, attributes: Callable[[Any], Any] | None = None,
    names: Sequence[str] | None = None,
) -> list[Graph]:  # fmt: skip
    """Turn rooted trees into graphs, whose edges lead from parent to child, and in which the depth is an attribute or a wall.

    Parameters
    ----------
    roots : collection of trees
        A tree is ``(label, [tree, ...])`` or a label alone, a mapping with ``"children"`` and attributes, a directed networkx
        tree with edges away from its root, or anything that `children` and `attributes` can read.
    ordered : bool, default=False
        Whether the order of siblings matters: the column ``place`` then counts them from 0.
    depth : {"attribute", "role"}, default="attribute"
        "attribute": the depth is a column of that name, so that a subtree may be matched with one that lies deeper: an edit
        that wraps a block costs what it adds, and does not shift everything below it. "role": a node is matched only with
        nodes of its depth, and edges have no direction, which is quicker and right where levels mean something (ranks of a
        classification). See docs/how-to/structures.md for what was measured.
    children : callable, optional
        From a node of your own kind to its children, in order.
    attributes : callable, optional
        From a node of your own kind to a label, or to a mapping of attributes.
    names : sequence of str, optional
        The names of the graphs.

    Returns
    -------
    list of Graph
        One graph for each item.

    See Also
    --------
    sequences : The position is the role.

    Examples
    --------
    >>> import ast, graphmeans as gm
    >>> gm.structures.trees([("+", ["a", ("*", ["b", "c"])])])
    [Graph(directed, 5 nodes, 4 edges)]
    >>> gm.structures.trees([ast.parse("a + b")], children=ast.iter_child_nodes, attributes=lambda node: type(node).__name__)
    [Graph(directed, 8 nodes, 7 edges)]
    """
    if (children is None) != (attributes is None):
        raise GraphError("children and attributes belong together: give both or neither")
    if depth not in ("role", "attribute"):
        raise GraphError(f"depth must be 'role' or 'attribute', got {depth!r}")
    graphs = []
    for i, (root, name) in enumerate(named_items(list(roots), names)):
        try:
            below, said = children or _nested_children, attributes or _nested_attributes
            if children is None and is_networkx(root):
                root, below, said = _root(root), root.successors, root.nodes.__getitem__
            graphs.append(_tree(root, below, said, ordered, depth == "role", name))
        except GraphError as error:
            raise GraphError(f"graph {i}: {str(error).removeprefix('graph: ')}") from None
    return graphs


def _tree(
    root: Any, children: Callable[[Any], Iterable[Any]], attributes: Callable[[Any], Any], ordered: bool, walls: bool,
    name: str | None,
) -> Graph:  # fmt: skip
    """The graph of one tree, read level by level; `walls` makes the level of a node its role, else it is an attribute."""
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
            extra = ({"place": float(place)} if ordered else {}) | ({} if walls else {DEPTH: float(depth)})
            rows.append({**attributes_of(attributes(node)), **extra})
            depths.append(depth)
        level, depth = below, depth + 1
    return Graph(columns_of(rows) or len(rows), edges, roles=depths if walls else None, directed=not walls, name=name)


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


def _root(tree: Any) -> Any:
    """The node of a networkx tree that has no parent."""
    if not tree.is_directed():
        raise GraphError("a networkx tree must be directed, with edges away from its root")
    tops = [node for node, parents in tree.in_degree() if parents == 0]
    if len(tops) != 1 or tree.number_of_edges() != tree.number_of_nodes() - 1:
        raise GraphError("not a rooted tree: one node must have no parent, and every other node exactly one")
    return tops[0]


def attributes_of(said: Any) -> dict[str, Any]:
    if said is None:
        return {}
    return {str(key): value for key, value in said.items()} if isinstance(said, Mapping) else {"label": said}


def named_items(items: Sequence[Any] | NDArray[Any], names: Sequence[str] | None) -> list[tuple[Any, str | None]]:
    """Each item with its name."""
    listed = [None] * len(items) if names is None else names
    if len(listed) != len(items):
        raise GraphError(f"{len(items)} items but {len(listed)} names")
    return list(zip(items, listed, strict=True))
