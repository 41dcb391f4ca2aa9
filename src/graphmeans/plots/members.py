"""Two aligned graphs in one picture: a member in the frame of its mean, or two graphs side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.functions import match
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.axes import EXTRA, INK, new_axes, paint, prepare_axes, show_window, side_of, size_of
from graphmeans.plots.drawing import Drawing, arc_points, drawing
from graphmeans.plots.molecule import is_molecule
from graphmeans.plots.pen import Pen
from graphmeans.plots.positions import Positions, Viewport, layout, own_positions, square
from graphmeans.plots.text import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Nodes and edges of a mean count as usual if at least this share of the members has them.
USUAL = 0.5
#: What fewer members than this share have is unusual.
RARE = 0.2
GHOST = "#9db7d5"


class Differences(NamedTuple):
    """Positions of the nodes and edges that a member has but that are not usual, and that are usual but missing."""

    extra_nodes: IntArray
    extra_edges: IntArray
    missing_nodes: IntArray
    missing_edges: IntArray


def differences(member: Graph, mean: Graph, indices: ArrayLike, usual: float = USUAL) -> Differences:
    """Compare a member with its mean along an alignment, which gives the node of the mean, or -1, for each node.

    Missing is what at least the share `usual` of the members have, extra what fewer than `RARE` have, or none if `usual` is 0.
    """
    into = _checked(member, mean, indices)
    node_support = mean.node_support if isinstance(mean, MeanGraph) else np.ones(mean.n_nodes)
    edge_support = mean.edge_support if isinstance(mean, MeanGraph) else np.ones(mean.n_edges)
    theirs, ours = (edge_numbers(ends, 0, mean.n_nodes, mean.directed) for ends in (mean.edges, into[member.edges]))
    rare = min(RARE, usual)
    usual_edges, present = theirs[edge_support >= rare], into[into >= 0]
    extra_nodes = (into < 0) | (node_support[np.maximum(into, 0)] < rare if mean.n_nodes else True)
    missing_nodes = (node_support >= usual) & ~np.isin(np.arange(mean.n_nodes), present)
    missing_edges = (edge_support >= usual) & ~np.isin(theirs, ours)
    extra_edges = ~np.isin(ours, usual_edges)
    return Differences(*(np.flatnonzero(part) for part in (extra_nodes, extra_edges, missing_nodes, missing_edges)))


def edge_numbers(ends: IntArray, of: int | IntArray, size: int, directed: bool) -> IntArray:
    """A number for each pair of nodes in graph `of`, none of which has more than `size` nodes; -1 if one of them is none."""
    a, b = ends.T
    low, high = (a, b) if directed else (np.minimum(a, b), np.maximum(a, b))
    return np.where(np.minimum(a, b) < 0, -1, (of * size + low) * size + high)


def frame_positions(
    member: Graph, mean: Graph, indices: ArrayLike, mean_positions: Positions | None = None,
    mean_drawn: NDArray[np.bool_] | None = None, shape: Positions | None = None,
) -> Positions:  # fmt: skip
    """Where the nodes of a member stand in the frame of its mean, whose layout, and which of its nodes are drawn, may be known.

    Graphs with positions of their own keep them: mean and members share the plane. A molecule keeps its shape, turned and
    moved to lie on its mean as well as it can. The nodes of other graphs stand where those of the mean do that they are
    aligned to, the rest near their neighbours. The shape of a molecule may be known, too.
    """
    into = _checked(member, mean, indices)
    own = own_positions(member)
    if own is not None and own_positions(mean) is not None:
        return own
    places = layout(mean) if mean_positions is None else mean_positions
    drawn = drawing(mean, positions=places).strength > 0 if mean_drawn is None else mean_drawn
    matched = np.flatnonzero((into >= 0) & np.where(into >= 0, drawn[into], False))
    if is_molecule(member):
        return _turned(layout(member) if shape is None else shape, matched, places[into[matched]])
    if not len(matched):
        return layout(member)
    return _beside(member, matched, places[into[matched]])


def draw_member(
    member: Graph, mean: Graph, indices: ArrayLike, ax: Axes | None = None, *, viewport: Viewport | None = None,
    color: str = INK, title: str | None = None,
) -> Axes:  # fmt: skip
    """Draw a member over its mean: the mean in pale blue, what few members have in orange.

    Parameters
    ----------
    member : Graph
        The member.
    mean : MeanGraph
        Its mean.
    indices : int array
        For each node of the member the node of the mean it is aligned to, -1 for none: `km.align(graphs)[i].indices`.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    viewport : (left, bottom, right, top), optional
        The part of the plane that is shown; see `plots.viewport`.
    color : str, default=INK
        The colour of the member.
    title : str, optional
        The title over the picture.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    See Also
    --------
    draw_cluster : Many members.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(6, random_state=0)
    >>> mean = gm.mean(graphs, random_state=0)
    >>> ax = gm.plots.draw_member(graphs[0], mean, mean.alignments[0])
    """
    places = layout(mean)
    points = frame_positions(member, mean, indices, places)
    differs = differences(member, mean, indices)
    below, above = drawing(mean, positions=places, labels=False), drawing(member, positions=points)
    if viewport is None:
        viewport = union_box(below.box(), above.box())
    ax = prepare_axes(ax)
    pen = Pen(above, side_of(ax), viewport)
    ghost = Pen(below, side_of(ax), viewport)
    ghost.margin, ghost.scale = pen.margin, pen.scale
    ghost.line = pen.line * 2.2
    show_window(ax, pen, title)
    paint(ax, ghost, GHOST, strength=0.55, order=0.5)
    _paint_odd(ax, pen, color, differs.extra_nodes, differs.extra_edges)
    return ax


def _paint_odd(ax: Axes, pen: Pen, ink: str, nodes: IntArray, edges: IntArray, order: float = 1.0) -> None:
    """Draw a graph in which some nodes and edges stand out."""
    strokes = dict.fromkeys(np.flatnonzero(np.isin(pen.drawing.edge, edges)).tolist(), EXTRA)
    paint(ax, pen, ink, stroke_inks=strokes, node_inks=dict.fromkeys(nodes.tolist(), EXTRA), order=order)


def union_box(*boxes: Viewport | None) -> Viewport | None:
    """The box about all boxes."""
    known = [box for box in boxes if box is not None]
    if not known:
        return None
    left, bottom, right, top = zip(*known, strict=True)
    return min(left), min(bottom), max(right), max(top)


def _checked(member: Graph, mean: Graph, indices: ArrayLike) -> IntArray:
    into = np.asarray(indices, dtype=np.int64).reshape(-1)
    if len(into) != member.n_nodes or (len(into) and into.max() >= mean.n_nodes):
        raise GraphError(f"an alignment of {len(into)} nodes does not lead from {member!r} to {mean!r}")
    return into


def edge_key(i: int, j: int, directed: bool) -> tuple[int, int]:
    """The ends of an edge, in one order whichever way an undirected edge was stored."""
    return (int(i), int(j)) if directed or i <= j else (int(j), int(i))


def _turned(points: Positions, matched: IntArray, onto: Positions) -> Positions:
    """The best rotation or reflection of the points onto those that some of them are matched with (Procrustes)."""
    if not len(matched):
        return points
    here, there = points[matched].mean(axis=0), onto.mean(axis=0)
    u, _, v = np.linalg.svd((points[matched] - here).T @ (onto - there))
    return np.asarray((points - here) @ (u @ v) + there)


def _beside(member: Graph, matched: IntArray, onto: Positions) -> Positions:
    """Put free nodes near their neighbours, away from everything else; matched nodes keep their places."""
    points = np.zeros((member.n_nodes, 2))
    points[matched] = onto
    placed = set(matched.tolist())
    if len(placed) == member.n_nodes:
        return points
    near: list[set[int]] = [set() for _ in range(member.n_nodes)]
    for i, j in member.edges.tolist():
        near[i].add(j)
        near[j].add(i)
    ends = member.edges[np.isin(member.edges, matched).all(axis=1)]
    lengths = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    unit = float(np.median(lengths)) if len(lengths) else float(np.ptp(onto, axis=0).max()) or 1.0
    middle = onto.mean(axis=0)
    waiting = [i for i in range(member.n_nodes) if i not in placed]
    while waiting:
        ready = [i for i in waiting if near[i] & placed] or waiting
        for i in ready:
            known = sorted(near[i] & placed)
            base = points[known].mean(axis=0) if known else middle
            turns = np.arange(12) * np.pi / 6
            options = base + 0.8 * unit * np.column_stack([np.cos(turns), np.sin(turns)])
            taken = points[sorted(placed)]
            free = np.linalg.norm(options[:, None] - taken[None], axis=2).min(axis=1)
            points[i] = options[int(np.argmax(np.round(free, 6)))]
            placed.add(i)
        waiting = [i for i in waiting if i not in placed]
    return points


#: Colours of the lines between aligned nodes, taken in turn.
_LINE_COLOURS = ("#2a78b8", "#3a8f5c", "#8a5fb8", "#b5812a", "#2d8f93", "#a8527d")


def draw_alignment(
    x: Graph, y: Graph, indices: ArrayLike | None = None, ax: Axes | None = None, *,
    titles: tuple[str, str] | None = None,
) -> Axes:  # fmt: skip
    """Draw two graphs side by side, with a line from each node of x to the node of y that it is aligned to.

    What has no counterpart on the other side is orange.

    Parameters
    ----------
    x : Graph or MeanGraph
        The graph on the left.
    y : Graph or MeanGraph
        The graph on the right.
    indices : int array, Match, or None, optional
        For each node of x the node of y, or -1 for none. By default `gm.match` finds the alignment.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    titles : two strings, optional
        By default the names of the graphs.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    See Also
    --------
    match : Finds the alignment.
    draw_member : A member over its mean.

    Examples
    --------
    >>> import graphmeans as gm
    >>> a = gm.Graph({"x": [0.0, 1.0], "y": [0.0, 1.0]}, [(0, 1)])
    >>> ax = gm.plots.draw_alignment(a, a)
    """
    if indices is None:
        indices = match(x, y)  # type: ignore[assignment]
    into = np.asarray(getattr(indices, "indices", indices), dtype=np.int64)
    differs = differences(x, y, into, usual=0.0)
    left, right = _moved(drawing(x), 0.0), _moved(drawing(y), 1.45)
    ax = prepare_axes(ax if ax is not None else new_axes((6, 2.6)))
    ax.set_xlim(-0.6, 2.05)
    ax.set_ylim(-0.62, 0.62)
    ax.set_aspect("equal", adjustable="box")
    width, height = size_of(ax)
    height = min(height, width / 2.65 * 1.24) / 1.24
    _alignment_lines(ax, left, right, into, height)
    lone = np.setdiff1d(np.arange(y.n_nodes), into)
    for picture, nodes, edges in (
        (left, differs.extra_nodes, differs.extra_edges),
        (right, lone, differs.missing_edges),
    ):
        pen = Pen(picture, height)
        pen.box = (-0.5, -0.5, 0.5, 0.5)
        pen.margin, pen.scale = 0.0, height
        _paint_odd(ax, pen, INK, nodes, edges, order=2.0)
    said = titles if titles is not None else (x.name or "", y.name or "")
    for place, title in zip((0.0, 1.45), said, strict=True):
        ax.text(place, 0.6, plain_text(title, 40).replace("$", r"\$"), ha="center", va="bottom", fontsize=9, color=INK)
    return ax


def _moved(picture: Drawing, aside: float) -> Drawing:
    """The drawing in a square of side 1 about (aside, 0)."""
    left, bottom, right, top = square(picture.box() or (0.0, 0.0, 1.0, 1.0))
    middle = np.array([(left + right) / 2, (bottom + top) / 2])
    return replace(picture, points=(picture.points - middle) / (right - left) + [aside, 0.0])


def _alignment_lines(ax: Axes, left: Drawing, right: Drawing, into: np.ndarray, size: float) -> None:
    from matplotlib.collections import LineCollection

    pairs = [(i, into[i]) for i in np.argsort(-left.points[:, 1], kind="stable") if into[i] >= 0 and left.strength[i]]
    ways = [arc_points(left.points[i], right.points[j], 0.05) for i, j in pairs if right.strength[j]]
    wide = max(0.8, size * 0.007)
    lines = LineCollection(ways, colors=_LINE_COLOURS, linewidths=wide, linestyles=(0, (3, 2)), alpha=0.75)
    ax.add_collection(lines, autolim=False)
