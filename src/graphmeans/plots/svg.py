"""A graph or a mean graph as an SVG picture."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.layout import FAINT, Positions, Viewport, framed, layout, square, visible
from graphmeans.plots.text import plain_text

#: More labels than this are a blur.
_MOST_LABELS = 60


def draw_svg(
    graph: Graph,
    *,
    size: int = 240,
    viewport: Viewport | None = None,
    positions: ArrayLike | None = None,
    color: str = "currentColor",
    palette: Mapping[str, str] | None = None,
    labels: bool | None = None,
    faint: float = FAINT,
    title: str | None = None,
) -> str:
    """A picture of a graph as one `<svg>` element, for a file, a web page or a notebook.

    Nodes stand at their columns ``x`` and ``y`` (upwards) or, if there are none, at the two columns of a bare array,
    else where a layout puts them. In a `MeanGraph` the support shows as line width, opacity and node size: what most
    members have is drawn strongly, what few have fades away.

    Parameters
    ----------
    graph : Graph or MeanGraph
    size : int
        Width and height in pixels.
    viewport : (left, bottom, right, top), optional
        The part of the plane that is shown, so that several graphs are drawn to one scale: see `plots.viewport`.
    positions : array of shape (n, 2), optional
        Where the nodes stand, y upwards, in place of the above.
    color : str
        Colour of the ink. The default takes the colour of the text around the picture.
    palette : mapping of node label to colour, optional
        Colours of nodes by their string attribute.
    labels : bool, optional
        Whether the first string attribute of the nodes is written at them; by default where there is room.
    faint : float
        Parts of a mean with less support than this are left out.
    title : str, optional
        What a screen reader says and a pointer shows; by default the graph's name and size.

    Examples
    --------
    >>> import graphmeans as gm
    >>> draw_svg(gm.Graph({"x": [0.0, 1.0], "y": [0.0, 1.0]}, [(0, 1)]))[:4]
    '<svg'
    """
    ink = escape(plain_text(color))
    said = escape(plain_text(title if title is not None else _described(graph), 200))
    points = layout(graph) if positions is None else np.asarray(positions, dtype=np.float64).reshape(graph.n_nodes, 2)
    shown_nodes, shown_edges = visible(graph, faint)
    names = _labels(graph)
    crowded = shown_nodes.sum() > _MOST_LABELS or size < 14 * np.sqrt(max(shown_nodes.sum(), 1)) + 60
    written = names is not None and (labels if labels is not None else not crowded)
    pen = _Pen(size, int(shown_nodes.sum()), written)
    places = pen.places(points, points[framed(graph, faint)], viewport)
    pen.fit(places, graph.edges[shown_edges])
    parts = [_edges(graph, places, np.flatnonzero(shown_edges), pen)]
    parts.append(_nodes(graph, places, np.flatnonzero(shown_nodes), names, written, palette or {}, pen))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" height="{size}" '
        f'role="img" aria-label="{said}" color="{ink}" fill="currentColor" stroke="none">'
        f"<title>{said}</title>{''.join(parts)}</svg>"
    )


class _Pen:
    """Sizes that belong to a picture: they shrink with it, and with the number of nodes."""

    def __init__(self, size: int, n_nodes: int, written: bool) -> None:
        crowd = min(1.0, np.sqrt(12 / max(n_nodes, 1)))
        self.size = size
        self.line = max(size * (0.016 if written else 0.024) * crowd, 0.9)
        self.dot = max(size * 0.031 * crowd, 1.3)
        self.font = max(size * 0.085 * crowd, 7.0)
        self.margin = size * 0.09 + (self.font / 3 if written else 0)
        self.room = self.font * 0.62 if written else 0.0  # what an edge leaves free about a written node

    def fit(self, places: Positions, edges: NDArray[np.int64]) -> None:
        """Draw finer where the edges come out short."""
        if len(edges):
            usual = float(np.median(np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)))
            self.line = max(min(self.line, usual * 0.16), 0.7)
            self.dot = max(min(self.dot, usual * 0.22), 1.0)

    def places(self, points: Positions, shown: Positions, viewport: Viewport | None) -> Positions:
        """From the plane to pixels, y downwards."""
        if viewport is not None:
            box = square(viewport)
        elif len(shown):
            low, high = shown.min(axis=0), shown.max(axis=0)
            box = square((float(low[0]), float(low[1]), float(high[0]), float(high[1])))
        else:
            box = (0.0, 0.0, 1.0, 1.0)
        scale = (self.size - 2 * self.margin) / (box[2] - box[0])
        x = self.margin + (points[:, 0] - box[0]) * scale
        y = self.size - self.margin - (points[:, 1] - box[1]) * scale
        return np.column_stack([x, y])


def _edges(graph: Graph, places: Positions, which: NDArray[np.int64], pen: _Pen) -> str:
    support = graph.edge_support if isinstance(graph, MeanGraph) else np.ones(graph.n_edges)
    groups: dict[tuple[str, str], list[str]] = {}
    for e in which[np.argsort(support[which], kind="stable")]:  # the strong ones lie on top
        start, end = places[graph.edges[e]]
        length = float(np.hypot(*(end - start)))
        if length < 1e-9:
            continue
        along = (end - start) / length
        free = min(pen.room, length * 0.35)
        start, end = start + along * free, end - along * free
        stroke = f"M{_pair(start)}L{_pair(end)}"
        if graph.directed:
            stroke += _arrow_head(end - along * (0 if free else pen.dot * 1.2), along, pen)
        s = float(support[e])
        look = _number(pen.line * (0.35 + 0.65 * s)), _number(_strength(s))
        groups.setdefault(look, []).append(stroke)
    paths = "".join(
        f'<path d="{"".join(strokes)}" stroke-width="{width}"{_opacity(opacity)}/>'
        for (width, opacity), strokes in groups.items()
    )
    caps = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<g stroke="currentColor" fill="none" {caps}>{paths}</g>' if paths else ""


def _nodes(
    graph: Graph,
    places: Positions,
    which: NDArray[np.int64],
    names: list[str] | None,
    written: bool,
    palette: Mapping[str, str],
    pen: _Pen,
) -> str:
    support = graph.node_support if isinstance(graph, MeanGraph) else np.ones(graph.n_nodes)
    parts = []
    for i in which[np.argsort(support[which], kind="stable")]:
        s = float(support[i])
        look = _opacity(_number(_strength(s)))
        label = names[i] if names is not None else ""
        if label in palette:
            look += f' fill="{escape(plain_text(palette[label]))}"'
        x, y = (_number(value) for value in places[i])
        if written and label:
            text, font = escape(plain_text(label, 4)), _number(pen.font * (0.75 + 0.25 * s))
            parts.append(f'<text x="{x}" y="{y}" font-size="{font}"{look}>{text}</text>')
        else:
            radius = _number(pen.dot * (0.45 + 0.55 * np.sqrt(s)))
            parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}"{look}/>')
    lettering = (
        ' text-anchor="middle" dominant-baseline="central" font-family="system-ui, sans-serif" font-weight="600"'
        if written
        else ""
    )
    return f"<g{lettering}>{''.join(parts)}</g>" if parts else ""


def _strength(support: float) -> float:
    """Opacity of a part of a mean: rises faster than the support, so that clutter stays behind the shape."""
    return 1.0 if support >= 0.999 else 0.04 + 0.96 * support**1.6


def _labels(graph: Graph) -> list[str] | None:
    for column in graph.nodes.values():
        if column.dtype == object and column.ndim == 1 and len(column):
            return [str(value) for value in column]
    return None


def _arrow_head(tip: Positions, along: Positions, pen: _Pen) -> str:
    across = np.array([-along[1], along[0]])
    back = tip - along * pen.line * 3.2
    return f"M{_pair(back + across * pen.line * 1.7)}L{_pair(tip)}L{_pair(back - across * pen.line * 1.7)}"


def _described(graph: Graph) -> str:
    what = "mean graph" if isinstance(graph, MeanGraph) else "graph"
    nodes = f"{graph.n_nodes} node{'s' * (graph.n_nodes != 1)}"
    return f"{graph.name or what}: {nodes}, {graph.n_edges} edge{'s' * (graph.n_edges != 1)}"


def _opacity(value: str) -> str:
    return "" if value == "1" else f' opacity="{value}"'


def _pair(point: Positions) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{round(float(value), 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # + 0.0: no "-0"
