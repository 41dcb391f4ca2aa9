"""How graphs flow from the clusters of one clustering to those of another: a picture as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.plots.drawing import drawing
from graphmeans.plots.pen import COLOURS, Pen
from graphmeans.plots.svg import rounded, shapes
from graphmeans.plots.text import plain_text

_WIDTH, _BAR, _GAP, _TOP = 760.0, 14.0, 9.0, 46.0
_INK, _SOFT = "#1f2a36", "#5b6672"


def flow_svg(
    table: ArrayLike, *, titles: tuple[str, str] = ("A", "B"),
    pictures: tuple[Mapping[int, Graph], Mapping[int, Graph]] = ({}, {}),
) -> str:  # fmt: skip
    """Draw ribbons from the clusters on the left to those on the right, as wide as the number of graphs they hold.

    Parameters
    ----------
    table : int array of shape (clusters of A, clusters of B)
        Graphs by cluster; empty clusters are left out.
    titles : what the two sides are called
    pictures : mappings of a cluster's number to its mean graph, drawn beside it

    Examples
    --------
    >>> flow_svg([[3, 1], [0, 2]])[:4]
    '<svg'
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not counts.sum() > 0 or (counts < 0).any():
        raise GraphError("a flow needs a table of counts, not all zero")
    rows, columns = np.flatnonzero(counts.sum(axis=1)), np.flatnonzero(counts.sum(axis=0))
    columns = _untangled(counts[np.ix_(rows, columns)], columns)
    counts = counts[np.ix_(rows, columns)]
    most = max(len(rows), len(columns))
    room = 30.0 if any(pictures) and most <= 40 else 0.0
    gap = _GAP if most <= 40 else 3.0
    inner = max(360.0, most * (max(room, 13.0) + gap))
    scale = (inner - gap * (most - 1)) / counts.sum()
    height = inner + _TOP + 22
    left, right = _stacked(counts.sum(axis=1), scale, gap, inner), _stacked(counts.sum(axis=0), scale, gap, inner)
    x0 = 92.0 + room
    x1 = _WIDTH - 92.0 - room
    parts = [_ribbons(counts, left, right, scale, x0 + _BAR, x1, rows, columns)]
    for places, sizes, labels, x, side in (
        (left, counts.sum(axis=1), rows, x0, -1),
        (right, counts.sum(axis=0), columns, x1, 1),
    ):
        shown = pictures[0 if side < 0 else 1] if room else {}
        parts.append(_bars(places, sizes * scale, sizes, labels, x, side, shown, room))
    for x, anchor, title in ((x0 + _BAR, "end", titles[0]), (x1, "start", titles[1])):
        parts.append(
            f'<text x="{rounded(x)}" y="24" text-anchor="{anchor}" font-weight="600" font-size="15">'
            f"{escape(plain_text(title, 40))}</text>"
        )
    said = escape(f"Flow of {int(counts.sum())} graphs from {len(rows)} clusters to {len(columns)}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {rounded(_WIDTH)} {rounded(height)}" width="{rounded(_WIDTH)}" '
        f'height="{rounded(height)}" role="img" aria-label="{said}" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="{_INK}"><title>{said}</title><rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>'
    )


def _untangled(counts: FloatArray, columns: IntArray) -> IntArray:
    """The clusters on the right in the order of where their graphs come from, so that few ribbons cross."""
    places = np.cumsum(counts.sum(axis=1)) - counts.sum(axis=1) / 2
    from_ = (counts * places[:, None]).sum(axis=0) / np.maximum(counts.sum(axis=0), 1e-12)
    return np.asarray(columns[np.argsort(from_, kind="stable")])


def _stacked(sizes: FloatArray, scale: float, gap: float, inner: float) -> FloatArray:
    """Where each bar begins, the stack in the middle."""
    heights = sizes * scale
    total = heights.sum() + gap * (len(sizes) - 1)
    return np.asarray(_TOP + (inner - total) / 2 + np.concatenate([[0.0], np.cumsum(heights[:-1] + gap)]))


def _ribbons(
    counts: FloatArray, left: FloatArray, right: FloatArray, scale: float, x0: float, x1: float,
    rows: IntArray, columns: IntArray,
) -> str:  # fmt: skip
    parts = []
    used_left, used_right = left.copy(), right.copy()
    middle = (x0 + x1) / 2
    for i in range(len(rows)):
        largest = counts[i].max()
        for j in range(len(columns)):
            count = counts[i, j]
            if not count:
                continue
            wide = count * scale
            a, b = used_left[i], used_right[j]
            used_left[i] += wide
            used_right[j] += wide
            m = rounded(middle)
            path = (
                f"M{rounded(x0)} {rounded(a)}C{m} {rounded(a)} {m} {rounded(b)} {rounded(x1)} {rounded(b)}"
                f"V{rounded(b + wide)}C{m} {rounded(b + wide)} {m} {rounded(a + wide)} {rounded(x0)} {rounded(a + wide)}Z"
            )
            strength = 0.5 if count == largest else 0.72  # graphs that leave their cluster are drawn more strongly
            parts.append(
                f'<path d="{path}" fill="{COLOURS[i % len(COLOURS)]}" opacity="{strength}">'
                f"<title>{int(count)} from {rows[i]} to {columns[j]}</title></path>"
            )
    return f"<g>{''.join(parts)}</g>"


def _bars(
    places: FloatArray, heights: FloatArray, sizes: FloatArray, labels: IntArray, x: float, side: int,
    pictures: Mapping[int, Graph], room: float,
) -> str:  # fmt: skip
    parts = []
    for n, label in enumerate(labels):
        y, high = float(places[n]), max(float(heights[n]), 1.0)
        ink = COLOURS[n % len(COLOURS)] if side < 0 else _SOFT
        at_bar = f'x="{rounded(x)}" y="{rounded(y)}" width="{rounded(_BAR)}" height="{rounded(high)}"'
        parts.append(f'<rect {at_bar} rx="2" fill="{ink}"/>')
        at = x - 7 if side < 0 else x + _BAR + 7
        anchor = "end" if side < 0 else "start"
        graph = pictures.get(int(label))
        if graph is not None:
            at += side * (room + 6)
            corner = x - 6 - room if side < 0 else x + _BAR + 6
            parts.append(_picture(graph, corner, y + high / 2 - room / 2, room))
        parts.append(
            f'<text x="{rounded(at)}" y="{rounded(y + high / 2)}" text-anchor="{anchor}" dominant-baseline="central">'
            f'<tspan font-weight="600">{label}</tspan> <tspan fill="{_SOFT}">{int(sizes[n]):,}</tspan></text>'
        )
    return "".join(parts)


def _picture(graph: Graph, x: float, y: float, size: float) -> str:
    picture = drawing(graph, labels=False)
    small = replace(picture, dots=np.zeros(graph.n_nodes, bool)) if graph.n_edges else picture
    at = f"translate({rounded(x)} {rounded(y)})"
    return f'<g transform="{at}" color="{_INK}" fill="currentColor">{shapes(Pen(small, size))}</g>'
