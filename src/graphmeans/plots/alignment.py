"""Two graphs side by side, with lines between the nodes that are aligned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.functions import match
from graphmeans.graphs.graph import Graph
from graphmeans.plots.axes import EXTRA, INK, paint, prepare_axes, size_of
from graphmeans.plots.drawing import Drawing, arc_points, drawing
from graphmeans.plots.members import differences
from graphmeans.plots.pen import Pen
from graphmeans.plots.positions import Positions, square
from graphmeans.plots.text import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours of the lines between aligned nodes, taken in turn.
_LINE_COLOURS = ("#2a78b8", "#3a8f5c", "#8a5fb8", "#b5812a", "#2d8f93", "#a8527d")


def draw_alignment(
    x: Graph,
    y: Graph,
    indices: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    titles: tuple[str, str] | None = None,
) -> Axes:
    """Draw two graphs side by side, with a line from each node of x to the node of y that it is aligned to.

    What has no counterpart on the other side is orange.

    Parameters
    ----------
    x, y : Graph or MeanGraph
    indices : int array, Match, or None
        For each node of x the node of y, or -1 for none. By default `gm.match` finds the alignment.
    ax : matplotlib axes, optional
    titles : two strings, optional
        By default the names of the graphs.

    Returns
    -------
    matplotlib.axes.Axes

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
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=(6, 2.6))
    ax = prepare_axes(ax)
    ax.set_xlim(-0.6, 2.05)
    ax.set_ylim(-0.62, 0.62)
    ax.set_aspect("equal", adjustable="box")
    width, height = size_of(ax)
    height = min(height, width / 2.65 * 1.24) / 1.24
    _alignment_lines(ax, left, right, into, height)
    back = {int(j): i for i, j in enumerate(into) if j >= 0}
    lone = [j for j in range(y.n_nodes) if j not in back]
    sides = (
        (left, differs.extra_nodes.tolist(), differs.extra_edges.tolist()),
        (right, lone, differs.missing_edges.tolist()),
    )
    for picture, nodes, edges in sides:
        pen = Pen(picture, height)
        pen.box = (-0.5, -0.5, 0.5, 0.5)
        pen.margin, pen.scale = 0.0, height
        odd = set(edges)
        paint(
            ax, pen, INK, order=2.0,
            stroke_inks={s: EXTRA for s, e in enumerate(picture.edge) if int(e) in odd},
            node_inks=dict.fromkeys(nodes, EXTRA),
        )  # fmt: skip
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

    ways: list[Positions] = []
    inks: list[str] = []
    for i in np.argsort(-left.points[:, 1], kind="stable"):
        j = into[i]
        if j < 0 or not left.strength[i] or not right.strength[j]:
            continue
        ways.append(arc_points(left.points[i], right.points[j], 0.05))
        inks.append(_LINE_COLOURS[len(inks) % len(_LINE_COLOURS)])
    wide = max(0.8, size * 0.007)
    ax.add_collection(
        LineCollection(ways, colors=inks, linewidths=wide, linestyles=(0, (3, 2)), alpha=0.75), autolim=False
    )
