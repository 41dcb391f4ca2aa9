"""A graph or a mean graph on matplotlib axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import arc_points, drawing
from graphmeans.plots.pen import NOTHING, SOFT, Pen, opacity
from graphmeans.plots.positions import FAINT, Viewport
from graphmeans.plots.text import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The ink of a graph, of a mean graph, and of what is in one graph but not in the other.
INK, MEAN_INK, EXTRA = "#1f2a36", "#17508f", "#c2410c"


def draw(
    graph: Graph, ax: Axes | None = None, *, viewport: Viewport | None = None, positions: ArrayLike | None = None,
    color: Any = None, palette: Mapping[str, str] | None = None, labels: bool | None = None, faint: float = FAINT,
    title: str | None = None,
) -> Axes:  # fmt: skip
    """Draw a graph or a mean graph on matplotlib axes.

    Data coordinates are those of the nodes. `draw_svg` draws the same picture as a text.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    viewport : (left, bottom, right, top), optional
        The part of the plane that is shown; see `plots.viewport`.
    positions : array of shape (n, 2), optional
        Where the nodes stand, y upwards, in place of their own positions or of a layout.
    color : colour, optional
        The colour of the ink; by default that of text.
    palette : mapping of node label to colour, optional
        Colours of nodes by their string attribute.
    labels : bool, optional
        Whether the first string attribute of the nodes is written at them; by default where there is room.
    faint : float, default=FAINT
        Parts of a mean with less support than this are left out.
    title : str, optional
        The title over the picture.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    See Also
    --------
    draw_svg : The same as a text.
    contact_sheet : Many graphs.

    Examples
    --------
    >>> import graphmeans as gm
    >>> ax = gm.plots.draw(gm.Graph({"x": [0.0, 1.0], "y": [0.0, 1.0]}, [(0, 1)]))
    """
    picture = drawing(graph, positions=positions, labels=labels, faint=faint)
    ink = color if color is not None else MEAN_INK if isinstance(graph, MeanGraph) else INK
    ax = prepare_axes(ax)
    pen = Pen(picture, side_of(ax), viewport, labels)
    show_window(ax, pen, title)
    paint(ax, pen, ink, palette)
    if not len(picture.drawn):
        ax.text(0.5, 0.5, NOTHING, transform=ax.transAxes, ha="center", va="center", color=SOFT, fontsize=8)
    return ax


def prepare_axes(ax: Axes | None) -> Axes:
    """The axes given, or those of a new figure, cleared of ticks and frame."""
    ax = ax if ax is not None else new_axes((3, 3))
    ax.set_axis_off()
    return ax


def new_axes(size: tuple[float, float], **options: Any) -> Axes:
    """The axes of a new figure of this size in inches."""
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=size, **options)[1]


def show_window(ax: Axes, pen: Pen, title: str | None = None) -> None:
    """Show the part of the plane that the pen draws, to scale, and write the title over it."""
    left, bottom, right, top = pen.box
    edge = pen.margin / pen.scale
    ax.set_xlim(left - edge, right + edge)
    ax.set_ylim(bottom - edge, top + edge)
    ax.set_aspect("equal", adjustable="box")
    if title is not None:
        ax.set_title(plain_text(title, 60), fontsize=8.5, color=INK, pad=3)


def paint(
    ax: Axes, pen: Pen, ink: Any, palette: Mapping[str, str] | None = None, *,
    stroke_inks: Mapping[int, str] | None = None, node_inks: Mapping[int, str] | None = None, strength: float = 1.0,
    order: float = 1.0,
) -> None:  # fmt: skip
    """Draw the lines, dots and letters of a picture; the two mappings give some strokes and nodes another ink."""
    from matplotlib.collections import EllipseCollection, LineCollection
    from matplotlib.colors import to_rgba

    d = pen.drawing
    palette, stroke_inks, node_inks = palette or {}, stroke_inks or {}, node_inks or {}
    lines = list(pen.lines())
    if lines:
        ax.add_collection(
            LineCollection(
                [arc_points(line.start, line.end, line.bend) for line in lines],
                linewidths=[line.width for line in lines],
                colors=[to_rgba(stroke_inks.get(line.stroke, ink), line.opacity * strength) for line in lines],
                capstyle="round",
                zorder=order,
            ),
            autolim=False,
        )
    if d.directed:
        _arrows(ax, pen, ink, order)

    def shade(i: int) -> tuple[float, float, float, float]:
        colour = node_inks.get(i, palette.get(d.kinds[i], ink))
        return to_rgba(ink if colour == "currentColor" else colour, opacity(float(d.strength[i])) * strength)

    dots = [int(i) for i in d.drawn if d.dots[i] and (d.names_beside or not (pen.written and d.labels[i]))]
    if dots:
        wide = [2 * (pen.ring if d.rings[i] else pen.radius(float(d.strength[i]))) / pen.scale for i in dots]
        shades = [shade(i) for i in dots]
        ax.add_collection(
            EllipseCollection(
                wide, wide, np.zeros(len(dots)), units="xy", offsets=d.points[dots], offset_transform=ax.transData,
                facecolors=[(0, 0, 0, 0) if d.rings[i] else shade for shade, i in zip(shades, dots, strict=True)],
                edgecolors=shades, linewidths=[pen.line if d.rings[i] else 0 for i in dots], zorder=order + 0.1,
            ),
            autolim=False,
        )  # fmt: skip
    for i in d.drawn if pen.written else ():
        if d.labels[i]:
            text = d.written(int(i))
            side = int(d.sides[i]) if len(text) > 1 else 0
            height = pen.letters(float(d.strength[i]))
            x = d.points[i, 0] + side * (0.7 if d.names_beside else -0.36) * height / pen.scale
            ax.text(
                x, d.points[i, 1], text.replace("$", r"\$"), fontsize=height * 0.92, fontweight="bold",
                ha={0: "center", 1: "left", -1: "right"}[side], va="center_baseline", color=shade(int(i)),
                zorder=order + 0.2, clip_on=True,
            )  # fmt: skip


def _arrows(ax: Axes, pen: Pen, ink: str, order: float) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    heads, inks = [], []
    for line in pen.lines():
        if not pen.drawing.heads[line.stroke]:
            continue
        along = (line.end - line.start) / max(float(np.linalg.norm(line.end - line.start)), 1e-9)
        across = np.array([-along[1], along[0]])
        free = pen.written and pen.drawing.labels[int(pen.drawing.ends[line.stroke, 1])]
        tip = line.end - along * (0.0 if free else pen.dot * 1.1 / pen.scale)
        long = 1.125 * pen.head(float(np.linalg.norm(line.end - line.start)) * pen.scale) / pen.scale
        back, wide = tip - along * long, across * 0.53 * long
        heads.append([back + wide, tip, back - wide])
        inks.append(to_rgba(ink, line.opacity))
    if heads:
        ax.add_collection(PolyCollection(heads, facecolors=inks, linewidths=0, zorder=order), autolim=False)


def side_of(ax: Any) -> float:
    """The shorter side of the axes in points."""
    return float(max(min(size_of(ax)), 24.0))


def size_of(ax: Any) -> tuple[float, float]:
    """Width and height of the axes in points."""
    figure = ax.figure
    locator = ax.get_axes_locator()
    box = ax.get_position() if locator is None else locator(ax, None)  # inset axes know their place only when asked
    return box.width * figure.bbox.width * 72 / figure.dpi, box.height * figure.bbox.height * 72 / figure.dpi
