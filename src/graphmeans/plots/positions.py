"""Where the nodes of a graph are drawn: at its own positions if it has any, else in a layout that never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.layers import LARGEST, layered_positions, leads_down
from graphmeans.plots.molecule import is_molecule, rdkit_coordinates
from graphmeans.plots.network import circle, circles, is_labelled, lines, sequence_places, thinned
from graphmeans.plots.tree_layout import forest_of, tree_positions

Positions = NDArray[np.float64]
#: left, bottom, right, top in the units of the positions (y upwards).
Viewport = tuple[float, float, float, float]

#: Support below which a part of a mean graph is left out of pictures.
FAINT = 0.08
#: Nodes of a mean with less support than this do not widen the frame of a picture.
_SOLID = 0.25
#: Edges of a mean with less support than this do not pull on a computed layout (a spanning forest always does).
_SKELETON = 0.35
#: Bonds of a mean molecule that fewer members have are not drawn: between far atoms they would be a blur.
_BOND = 0.5
#: Kamada-Kawai needs all distances; larger components are laid out by springs.
_LARGE = 120


_downwards = False


class y_down:  # it reads as a verb, like `plt.ioff`
    """Draw positions with y growing downwards, as pixels of images are counted, in all pictures from now on.

    As a context manager it holds until the end of the block; ``y_down(False)`` goes back to y upwards. It concerns the
    positions that graphs carry themselves, but neither computed layouts nor `positions=`.

    Parameters
    ----------
    on : bool, default=True
        Whether y grows downwards.

    See Also
    --------
    layout : The positions of the nodes of a graph.

    Examples
    --------
    >>> import graphmeans as gm
    >>> with gm.plots.y_down():
    ...     gm.plots.layout(gm.Graph({"x": [0.0, 1.0], "y": [0.0, 2.0]}, [(0, 1)])).tolist()
    [[0.0, 0.0], [1.0, -2.0]]
    """

    def __init__(self, on: bool = True) -> None:
        global _downwards
        self._before, _downwards = _downwards, on

    def __enter__(self) -> y_down:
        return self

    def __exit__(self, *_: object) -> None:
        global _downwards
        _downwards = self._before


def draws_down() -> bool:
    """Whether y grows downwards in pictures now."""
    return _downwards


def own_positions(graph: Graph) -> Positions | None:
    """Positions that the graph itself carries: columns x and y, or a bare array of two columns; else None. y upwards."""
    columns = _own_columns(graph)
    if columns is None:
        return None
    found = np.empty((graph.n_nodes, 2))
    found[:, 0], found[:, 1] = columns
    return found * [1.0, -1.0] + 0.0 if _downwards else found


def has_positions(graph: Graph) -> bool:
    """Whether the graph carries positions itself."""
    return _own_columns(graph) is not None


def _own_columns(graph: Graph) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    columns = {key.lower(): column for key, column in graph.nodes.items() if column.dtype.kind == "f"}
    x, y = columns.get("x"), columns.get("y")
    bare = columns.get(BARE)
    if x is not None and y is not None and x.ndim == y.ndim == 1:
        if not (isinstance(x, np.ma.MaskedArray) or isinstance(y, np.ma.MaskedArray)):
            return x, y
        if not (np.ma.is_masked(x) or np.ma.is_masked(y)):
            return np.ma.getdata(x), np.ma.getdata(y)
    if bare is not None and bare.ndim == 2 and bare.shape[1] == 2:
        return bare[:, 0], bare[:, 1]
    return None


def visible(graph: Graph, faint: float = FAINT) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which nodes and edges a picture shows: all of a graph, those of a mean that enough members have."""
    if not isinstance(graph, MeanGraph):
        return ~np.zeros(graph.n_nodes, bool), ~np.zeros(graph.n_edges, bool)
    nodes = graph.node_support >= faint
    least = max(faint, _BOND) if is_molecule(graph) else faint
    return nodes, (graph.edge_support >= least) & nodes[graph.edges].all(axis=1)


def node_kinds(graph: Graph) -> list[str] | None:
    """The first string attribute of the nodes that tells them apart, which labels and colours them; else None."""
    for column in graph.nodes.values():
        if column.dtype == object and column.ndim == 1 and len(column):
            return ["" if value is np.ma.masked or value is None else str(value) for value in column]
    return None


def framed(graph: Graph, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the visible nodes decide the frame of a picture: what few members have may run out of it."""
    if isinstance(graph, MeanGraph) and (graph.node_support >= _SOLID).sum() > 1:
        nodes = nodes & (graph.node_support >= _SOLID)
    return nodes


def layout(graph: Graph) -> Positions:
    """Compute the positions of the nodes: the graph's own, or those of a layout.

    The same graph always gets the same positions.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.

    Returns
    -------
    array of shape (n, 2)
        The positions, y upwards.

    See Also
    --------
    viewport : A square that holds them.

    Examples
    --------
    >>> import graphmeans as gm
    >>> layout(gm.Graph({"x": [0.0, 1.0], "y": [2.0, 2.0]}, [(0, 1)])).tolist()
    [[0.0, 2.0], [1.0, 2.0]]
    """
    own = own_positions(graph)
    return own if own is not None else _computed(graph)


def common_layouts(graphs: Sequence[Graph]) -> list[Positions]:
    """The layouts of several graphs, in which networks on the same nodes have each node at the same place.

    Sequences are written in lines, all of them in lines of one length.
    """
    read = [None if has_positions(graph) else sequence_places(graph) for graph in graphs]
    sequences = [places for places in read if places is not None]
    if sequences and len(sequences) == len(read):
        longest = max(int(places.max()) for places in sequences) + 1
        return [lines(places, longest) for places in sequences]
    if not any(own_positions(graph) is not None or is_tree(graph) for graph in graphs):
        fixed = circles(graphs)
        if fixed is not None:
            return fixed
    return [layout(graph) for graph in graphs]


def tree_beside(graph: Graph, places: Sequence[float]) -> Positions | None:
    """Where the nodes of a tree stand, children in the order of these places; None if the graph is not drawn as a tree."""
    forest = None if has_positions(graph) or is_molecule(graph) else forest_of(graph, *visible(graph))
    if forest is None:
        return None
    return tree_positions(graph.n_nodes, forest, node_kinds(graph) or [""] * graph.n_nodes, places)


def layers_beside(graph: Graph, places: Sequence[float]) -> Positions | None:
    """Where the nodes of a directed graph stand, layers in the order of these places; None if it is not drawn in layers."""
    if has_positions(graph) or is_molecule(graph) or is_labelled(graph) or not leads_down(graph):
        return None
    return _laid_out(graph, dict(enumerate(places)))


def is_tree(graph: Graph) -> bool:
    """Whether a graph is laid out as trees are, unless it has positions of its own."""
    return not is_molecule(graph) and forest_of(graph, *visible(graph)) is not None


def viewport(graphs: Iterable[Graph], faint: float = FAINT) -> Viewport | None:
    """Find a square that holds the nodes of all graphs; of a mean, those that many members have.

    Pass it to `draw_svg` to draw several graphs to one scale. None if a graph has no positions of its own: computed
    ones have no common scale.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    faint : float, default=FAINT
        Parts of a mean with less support than this are left out.

    Returns
    -------
    (left, bottom, right, top) or None
        The square.

    See Also
    --------
    draw : Takes it.
    draw_svg : Takes it.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.plots.viewport([gm.Graph({"x": [0.0, 2.0], "y": [0.0, 2.0]})])
    (0.0, 0.0, 2.0, 2.0)
    """
    corners = []
    for graph in graphs:
        own = own_positions(graph)
        if own is None:
            return None
        shown = own[framed(graph, visible(graph, faint)[0])]
        if len(shown):
            corners.append([*shown.min(axis=0), *(-shown.max(axis=0))])
    if not corners:
        return None
    left, bottom, right, top = np.min(corners, axis=0) * [1, 1, -1, -1]
    return square((float(left), float(bottom), float(right), float(top)))


def square(box: Viewport, span: float | None = None) -> Viewport:
    """The box widened about its middle to a square; of side `span` if that is given."""
    left, bottom, right, top = box
    half = (max(right - left, top - bottom) if span is None else span) / 2 or 0.5
    x, y = (left + right) / 2, (bottom + top) / 2
    return x - half, y - half, x + half, y + half


def lying(points: Positions) -> Positions:
    """Centered points turned so that they are wider than high, and the same whatever signs the eigenvectors have."""
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    points = points @ axes.T
    return np.asarray(points * np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1, 1))


def _computed(graph: Graph) -> Positions:
    """Lay out each connected piece by itself and set the pieces in rows, because distant pieces would shrink them all."""
    nodes, edges = visible(graph)
    forest = None if is_molecule(graph) else forest_of(graph, nodes, edges)
    if forest is not None:
        column = graph.nodes.get("place")
        places = None if column is None or column.dtype.kind != "f" or column.ndim > 1 else np.ma.filled(column, 0.0).tolist()
        return tree_positions(graph.n_nodes, forest, node_kinds(graph) or [""] * graph.n_nodes, places)
    if is_labelled(graph):
        return circle(graph.n_nodes)
    read = sequence_places(graph)
    if read is not None:
        return lines(read, int(read.max()) + 1)
    return _laid_out(graph)


def _laid_out(graph: Graph, places: Mapping[int, float] | None = None) -> Positions:
    """The pieces of a graph, which are laid out in layers if arcs lead down; then `places` orders the layers to begin with."""
    import networkx as nx

    nodes = visible(graph)[0]
    positions = np.zeros((graph.n_nodes, 2))
    skeleton = nx.Graph()
    skeleton.add_nodes_from(np.flatnonzero(nodes).tolist())
    kept = _skeleton_edges(graph)
    skeleton.add_edges_from(kept)
    pieces = [sorted(piece) for piece in nx.connected_components(skeleton)]
    pieces.sort(key=lambda piece: (-len(piece), piece[0]))
    layered = not is_molecule(graph) and leads_down(graph)
    drawn = []
    for piece in pieces:
        place = rdkit_coordinates(graph, piece, list(skeleton.subgraph(piece).edges))
        if place is None and layered and 1 < len(piece) <= LARGEST:
            inside = set(piece)
            place = layered_positions(piece, [(i, j) for i, j in kept if i in inside], places)
        if place is None:
            place = _piece(skeleton.subgraph(piece), piece)
        drawn.append(place)
    for piece, place in zip(pieces, _shelves(drawn), strict=True):
        positions[piece] = place
    return positions


def _skeleton_edges(graph: Graph) -> list[tuple[int, int]]:
    _, shown = visible(graph)
    if not is_molecule(graph):
        shown = thinned(graph, shown.astype(np.float64)) > 0
    pairs = [(int(i), int(j)) for i, j in graph.edges[shown]]
    if not isinstance(graph, MeanGraph) or is_molecule(graph):
        return pairs
    import networkx as nx

    support = graph.edge_support[shown]
    weighted = nx.Graph()
    weighted.add_weighted_edges_from((i, j, float(s)) for (i, j), s in zip(pairs, support, strict=True))
    forest = {frozenset(pair) for pair in nx.maximum_spanning_tree(weighted).edges}
    return [pair for pair, s in zip(pairs, support, strict=True) if s >= _SKELETON or frozenset(pair) in forest]


def _piece(component: object, order: list[int]) -> Positions:
    """One connected piece with edges of about unit length, lying along its longer axis."""
    import networkx as nx

    if len(order) == 1:
        return np.zeros((1, 2))
    ordered = nx.Graph()  # a fresh graph: the order in which nodes are held decides the start of the layout
    ordered.add_nodes_from(order)
    ordered.add_edges_from(sorted(tuple(sorted(edge)) for edge in component.edges))  # type: ignore[attr-defined]
    small = len(order) <= _LARGE
    found = nx.kamada_kawai_layout(ordered) if small else nx.spring_layout(ordered, seed=0, iterations=80)
    points = np.array([found[node] for node in order])
    points = lying(points - points.mean(axis=0))
    place = {node: i for i, node in enumerate(order)}
    ends = np.array([(place[i], place[j]) for i, j in ordered.edges])
    length = np.median(np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1))
    return np.asarray(points / length if length > 0 else points)


def _shelves(pieces: list[Positions], gap: float = 0.9) -> list[Positions]:
    """The pieces from left to right in rows, in a block that is roughly square."""
    boxes = [np.ptp(piece, axis=0) + gap for piece in pieces]
    width = max([np.sqrt(sum(box.prod() for box in boxes)) * 1.15, *(box[0] for box in boxes)], default=0.0)
    placed, x, top, row = [], 0.0, 0.0, 0.0
    for piece, box in zip(pieces, boxes, strict=True):
        if x > 0 and x + box[0] > width:
            x, top, row = 0.0, top - row, 0.0
        placed.append(piece - piece.min(axis=0) + [x, top - box[1]])
        x, row = x + box[0], max(row, box[1])
    return placed
