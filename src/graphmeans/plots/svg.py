"""A graph or a mean graph as an SVG picture."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import Drawing, drawing
from graphmeans.plots.original import original_svg
from graphmeans.plots.pen import NOTHING, DrawnLine, Pen, opacity
from graphmeans.plots.positions import FAINT, Positions, Viewport
from graphmeans.plots.text import plain_text

_LETTERING = ' text-anchor="middle" dominant-baseline="central" font-family="system-ui, sans-serif" font-weight="600"'


def draw_svg(
    graph: Graph, *, size: int = 240, viewport: Viewport | None = None, positions: ArrayLike | None = None,
    color: str = "currentColor", palette: Mapping[str, str] | None = None, labels: bool | None = None,
    faint: float = FAINT, title: str | None = None,
) -> str:  # fmt: skip
    """Draw a graph as one `<svg>` element, for a file, a web page or a notebook.

    Nodes stand at their columns ``x`` and ``y`` (upwards; see `plots.y_down`) or, if there are none, at the two columns of
    a bare array, else where a layout puts them. Molecules are drawn as chemists do, with RDKit's coordinates if it is
    installed; a graph that was made of a molecule is drawn by RDKit from that molecule, with its charges and wedges, unless
    positions, a viewport or a palette are given. In a `MeanGraph` the support shows as line width, opacity and node size: what
    most members have is drawn strongly, what few have fades away.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    size : int, default=240
        Width and height in pixels.
    viewport : (left, bottom, right, top), optional
        The part of the plane that is shown, so that several graphs are drawn to one scale: see `plots.viewport`.
    positions : array of shape (n, 2), optional
        Where the nodes stand, y upwards, in place of the above.
    color : str, default="currentColor"
        Colour of the ink. The default takes the colour of the text around the picture.
    palette : mapping of node label to colour, optional
        Colours of nodes by their string attribute.
    labels : bool, optional
        Whether the first string attribute of the nodes is written at them; by default where there is room.
    faint : float, default=FAINT
        Parts of a mean with less support than this are left out.
    title : str, optional
        What a screen reader says and a pointer shows; by default the graph's name and size.

    Returns
    -------
    str
        The picture.

    See Also
    --------
    draw : The same on matplotlib axes.

    Examples
    --------
    >>> import graphmeans as gm
    >>> draw_svg(gm.Graph({"x": [0.0, 1.0], "y": [0.0, 1.0]}, [(0, 1)]))[:4]
    '<svg'
    """
    said = escape(plain_text(title if title is not None else picture_title(graph), 200))
    if viewport is None and positions is None and palette is None and labels is not False:
        whole = original_svg(graph, size, plain_text(color), said)
        if whole is not None:
            return whole
    picture = drawing(graph, positions=positions, labels=labels, faint=faint)
    pen = Pen(picture, size, viewport, labels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" height="{size}" '
        f'role="img" aria-label="{said}" color="{escape(plain_text(color))}" fill="currentColor" stroke="none">'
        f"<title>{said}</title>{shapes(pen, palette)}</svg>"
    )


def shapes(pen: Pen, palette: Mapping[str, str] | None = None, other: str | None = None) -> str:
    """The lines, dots and letters of a picture, without the `<svg>` about them; `other` colours kinds that the palette lacks."""
    return (_lines(pen) + _nodes(pen, palette or {}, other if palette else None)) if len(pen.drawing.drawn) else _nothing(pen)


def _nothing(pen: Pen) -> str:
    """What is shown in place of a graph without nodes."""
    middle, height = rounded(pen.size / 2), rounded(max(pen.size * 0.07, 8.0))
    return f'<text x="{middle}" y="{middle}" font-size="{height}" opacity="0.65"{_LETTERING}>{NOTHING}</text>'


def picture_title(graph: Graph) -> str:
    """The name and size of a graph, for screen readers."""
    what = "mean graph" if isinstance(graph, MeanGraph) else "graph"
    nodes = f"{graph.n_nodes} node{'s' * (graph.n_nodes != 1)}"
    return f"{graph.name or what}: {nodes}, {graph.n_edges} edge{'s' * (graph.n_edges != 1)}"


def _lines(pen: Pen) -> str:
    groups: dict[tuple[str, str], list[str]] = {}
    lines = list(pen.lines())
    places = pen.pixels(np.array([(line.start, line.end) for line in lines])).reshape(-1, 2, 2)
    for line, (start, end) in zip(lines, places, strict=True):
        look = rounded(line.width), rounded(line.opacity)
        groups.setdefault(look, []).append(_stroke(line, start, end, pen))
    paths = "".join(
        f'<path d="{"".join(strokes)}" stroke-width="{width}"{_opacity(strength)}/>'
        for (width, strength), strokes in groups.items()
    )
    caps = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<g stroke="currentColor" fill="none" {caps}>{paths}</g>' if paths else ""


def _stroke(line: DrawnLine, start: Positions, end: Positions, pen: Pen) -> str:
    path = f"M{_pair(start)}{_way(start, end, line.bend)}"
    if pen.drawing.directed and pen.drawing.heads[line.stroke]:
        along = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
        free = pen.written and pen.drawing.labels[int(pen.drawing.ends[line.stroke, 1])]
        path += _arrow_head(end - along * (0 if free else pen.dot * 1.2), along, pen.head(float(np.hypot(*(end - start)))))
    return path


def _way(start: Positions, end: Positions, bend: float) -> str:
    if abs(bend) < 1e-3:
        return f"L{_pair(end)}"
    radius = rounded(float(np.hypot(*(end - start))) * (1 + 4 * bend**2) / (8 * abs(bend)))
    return f"A{radius} {radius} 0 {int(abs(bend) > 0.5)} {int(bend > 0)} {_pair(end)}"


def _nodes(pen: Pen, palette: Mapping[str, str], other: str | None) -> str:
    d = pen.drawing
    parts = []
    places, strengths = pen.pixels(d.points).tolist(), d.strength.tolist()
    for i in d.drawn[~pen.beyond()[d.drawn]].tolist():
        label, strength = d.labels[i], strengths[i]
        if not label and not d.dots[i]:
            continue
        look = faded = _opacity(rounded(opacity(strength)))
        colour = palette.get(d.kinds[i], other)
        if colour is not None:
            look += f' fill="{escape(plain_text(colour))}"'
        if pen.written and label:
            parts.append(_written(d, i, places[i], pen.letters(strength), look))
        if not (pen.written and label) or d.names_beside:
            x, y = (rounded(value) for value in places[i])
            if d.rings[i]:
                ink = escape(plain_text(colour or "currentColor"))
                look = f' fill="none" stroke="{ink}" stroke-width="{rounded(pen.line)}"{faded}'
            radius = pen.ring if d.rings[i] else pen.radius(strength)
            parts.append(f'<circle cx="{x}" cy="{y}" r="{rounded(radius)}"{look}/>')
    return f"<g{_LETTERING if pen.written else ''}>{''.join(parts)}</g>" if parts else ""


def _written(d: Drawing, i: int, place: list[float], font: float, look: str) -> str:
    text = d.written(i)
    side = d.sides[i] if len(text) > 1 else 0
    x = rounded(place[0] + side * (0.7 if d.names_beside else -0.36) * font)
    anchor = {0: "", 1: ' text-anchor="start"', -1: ' text-anchor="end"'}[side]
    return f'<text x="{x}" y="{rounded(place[1])}" font-size="{rounded(font)}"{anchor}{look}>{escape(text)}</text>'


def _arrow_head(tip: Positions, along: Positions, long: float) -> str:
    across = np.array([-along[1], along[0]])
    back, wide = tip - along * long, across * long * 0.53
    return f"M{_pair(back + wide)}L{_pair(tip)}L{_pair(back - wide)}"


def rounded(value: float) -> str:
    """A coordinate with two decimals at most."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _opacity(value: str) -> str:
    return "" if value == "1" else f' opacity="{value}"'


def _pair(point: Positions) -> str:
    x, y = point.tolist()  # numbers of Python are written more quickly than those of numpy
    return f"{rounded(x)} {rounded(y)}"
