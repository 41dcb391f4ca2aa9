"""The clusters on the map of the page as small pictures, the profile of silhouettes, and two small charts of a run.

All of it is inline SVG that takes its colours from the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from markupsafe import Markup, escape

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import Drawing, drawing
from graphmeans.plots.pen import COLOURS, Pen, hues
from graphmeans.plots.positions import layout, square
from graphmeans.plots.svg import rounded, shapes
from graphmeans.plots.text import plain_text
from graphmeans.report.facts.evidence import Evidence
from graphmeans.report.facts.summary import ClusteringSummary
from graphmeans.report.pictures.cluster_pictures import ClusterPictures
from graphmeans.report.words import counted, number

_WIDTH, _HEIGHT = 420, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 16, 40


def line_chart(iterations: Sequence[int], values: Sequence[float], *, label: str) -> str:
    """A value by iteration as a line; the lowest is marked, because that iteration is the result."""
    ticks = _ticks(float(min(values)), float(max(values)))
    x, y = (float(iterations[0]), float(iterations[-1])), (ticks[0], ticks[-1])
    points = [(_x(i, x), _y(v, y)) for i, v in zip(iterations, values, strict=True)]
    best = int(np.argmin(values))
    path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
    dots = "".join(
        f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{5 if i == best else 2.6}" class="{"best" if i == best else "dot"}">'
        f"<title>iteration {iterations[i]}: {number(values[i])}</title></circle>"
        for i, (px, py) in enumerate(points)
    )
    summary = f"{label} by iteration, from {number(values[0])} to {number(values[best])}"
    return _frame(f'<path d="{path}" class="line"/>{dots}', iterations, x, ticks, y, summary)


def bar_chart(iterations: Sequence[int], values: Sequence[float], reference: float | None, *, label: str) -> str:
    """A value by iteration as bars, with a line at the value to compare it with, if there is one."""
    ticks = _ticks(0.0, float(max([*values, reference or 0.0])))
    x, y = (float(iterations[0]), float(iterations[-1])), (0.0, ticks[-1])
    step = (_WIDTH - _LEFT - _RIGHT) / (x[1] - x[0] + 1 if x[1] > x[0] else 1)
    wide = min(max(step * 0.62, 1.5), 36.0)
    bars = "".join(
        f'<rect x="{_x(i, x) - wide / 2:.1f}" y="{_y(v, y):.1f}" width="{wide:.1f}" '
        f'height="{max(_y(0, y) - _y(v, y), 0.8):.1f}" rx="1.5" class="bar">'
        f"<title>iteration {i}: {number(v)}</title></rect>"
        for i, v in zip(iterations, values, strict=True)
    )
    most = f"{label} by iteration, at most {number(max(values))}"
    if reference is None:
        return _frame(bars, iterations, x, ticks, y, most)
    level = _y(reference, y)
    line = (
        f'<path d="M{_LEFT} {level:.1f}H{_WIDTH - _RIGHT}" class="reference"/>'
        f'<text x="{_WIDTH - _RIGHT}" y="{level + 15:.1f}" text-anchor="end" class="level">'
        f"standard k-means: {number(reference)}</text>"
    )
    return _frame(bars + line, iterations, x, ticks, y, f"{most}; a standard k-means needs {number(reference)}")


def _frame(
    inside: str, iterations: Sequence[int], x: tuple[float, float], ticks: list[float], y: tuple[float, float],
    summary: str,
) -> str:  # fmt: skip
    grid = "".join(
        f'<path d="M{_LEFT} {_y(t, y):.1f}H{_WIDTH - _RIGHT}" class="grid"/>'
        f'<text x="{_LEFT - 8}" y="{_y(t, y):.1f}" text-anchor="end" dominant-baseline="central">{number(t)}</text>'
        for t in ticks
    )
    every = max(1, round(len(iterations) / 8))
    names = "".join(
        f'<text x="{_x(i, x):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{i}</text>'
        for i in iterations[::every]
    )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    names += f'<text x="{middle}" y="{_HEIGHT - 4}" text-anchor="middle">iteration</text>'
    said = escape(summary)
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{said}"><title>{said}</title>'
        f"{grid}{names}{inside}</svg>"
    )


def _x(value: float, scale: tuple[float, float]) -> float:
    inset = 22.0  # the first and the last bar keep clear of the frame
    low, high = _LEFT + inset, _WIDTH - _RIGHT - inset
    share = 0.5 if scale[1] == scale[0] else (value - scale[0]) / (scale[1] - scale[0])
    return low + share * (high - low)


def _y(value: float, scale: tuple[float, float]) -> float:
    share = 0.0 if scale[1] == scale[0] else (value - scale[0]) / (scale[1] - scale[0])
    return _HEIGHT - _BOTTOM + share * (_TOP - (_HEIGHT - _BOTTOM))


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers that enclose the values."""
    if not high > low:
        low, high = (low - 0.5, high + 0.5) if high == low else (0.0, 1.0)
    rough = (high - low) / 4
    power = 10.0 ** np.floor(np.log10(rough))
    step = min((m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999), default=rough)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return [float(t * step) for t in np.arange(first, last + 1)]


#: The colour of kinds of nodes that have none of their own.
OTHER_KINDS = "var(--soft)"
#: Size of the map in its own units; and the number of clusters, the largest, that are drawn as pictures.
MAP_WIDTH, MAP_HEIGHT, MOST_THUMBS = 1000, 640, 60
#: So many clusters are kept clear of each other on the map.
MOST_APART = 200


def tree_symbol(pictures: ClusterPictures, mean: MeanGraph, number: int, like: int, palette: Mapping[str, str]) -> str:
    """The picture of a merged mean, at the scale of a cluster below it."""
    picture = drawing(mean, positions=layout(mean))
    window = pictures.frames[like] if pictures.one_scale else square(picture.box() or (0.0, 0.0, 1.0, 1.0))
    words = False if pictures.is_tree[like] else None  # in a small picture they could not be read
    inner = shapes(Pen(picture, 300, picture.box(labels=False) if words is False else window, labels=words), palette, OTHER_KINDS)
    return f'<symbol id="t{number}" viewBox="0 0 300 300" fill="currentColor" stroke="none">{inner}</symbol>'


def example_symbol(name: str, picture: Drawing, palette: Mapping[str, str], side: float = 0.0) -> str:
    """The picture of a member on a small sheet, without words, which shows at least so much of the plane as `side` says."""
    own = square(picture.box(labels=False) or (0.0, 0.0, 1.0, 1.0))
    window = square(own, max(side, own[2] - own[0]))
    inner = shapes(Pen(picture, 300, window, labels=False), palette, OTHER_KINDS)
    return f'<symbol id="{name}" viewBox="0 0 300 300" fill="currentColor" stroke="none">{inner}</symbol>'


def symbols(pictures: ClusterPictures, palette: Mapping[str, str], labels: Sequence[int]) -> Markup:
    """The pictures of the mean graphs of these clusters. Each is written once, and the page refers to it by its id."""
    ink = 'viewBox="0 0 300 300" fill="currentColor" stroke="none"'
    drawn = {c: shapes(pictures.pen(c), palette, OTHER_KINDS) for c in labels}
    small = {c: shapes(pictures.small_pen(c), palette, OTHER_KINDS) for c in labels if pictures.small(c) != f"m{c}"}
    # Members that stand for their clusters; on the card of a tree there is room for words.
    shown = {c: shapes(Pen(picture, 300), palette, OTHER_KINDS) for c, picture in pictures.shown.items() if picture.em}
    return Markup(
        "".join(f'<symbol id="m{c}" {ink}>{inner}</symbol>' for c, inner in drawn.items())
        + "".join(f'<symbol id="w{c}" {ink}>{inner}</symbol>' for c, inner in shown.items())
        + "".join(f'<symbol id="s{c}" {ink}>{inner}</symbol>' for c, inner in small.items())
    )


def map_places(evidence: Evidence) -> tuple[IntArray, IntArray]:
    """Where the graphs and the centers stand on the map, in its own units.

    First those of the sample, then the others if they have places. A few may lie outside of the frame.
    """
    points, centers = evidence.map.points, evidence.map.centers
    every = np.concatenate([points, centers])
    low, high = np.quantile(every, 0.02, axis=0), np.quantile(every, 0.98, axis=0)
    reach = 0.15 * (high - low)
    low = np.minimum(np.maximum(np.quantile(every, 0.002, axis=0), low - reach), centers.min(axis=0))
    high = np.maximum(np.minimum(np.quantile(every, 0.998, axis=0), high + reach), centers.max(axis=0))
    span = np.maximum(high - low, 1e-9)
    margin = 40.0
    scale = min((MAP_WIDTH - 2 * margin) / span[0], (MAP_HEIGHT - 2 * margin) / span[1])
    middle = (low + high) / 2

    def sheet(points: FloatArray) -> IntArray:
        x = MAP_WIDTH / 2 + (points[:, 0] - middle[0]) * scale
        y = MAP_HEIGHT / 2 - (points[:, 1] - middle[1]) * scale
        return np.round(np.clip(np.column_stack([x, y]), -32000, 32000)).astype(np.int64)

    rest = np.zeros((0, 2)) if evidence.rest is None else evidence.rest
    return sheet(np.concatenate([points, rest])), sheet(centers)


def map_svg(
    summary: ClusteringSummary, evidence: Evidence, places: IntArray, centers: IntArray, small: Callable[[int], str]
) -> tuple[Markup, list[int]]:
    """The clusters on the map: a picture or a number for each, which is a link to its card; and their colours.

    The dots, which stand at these `places`, are drawn by the script, under these. A picture stands beside the dots of its
    cluster, and a line leads to their middle. `small` knows the ids of pictures.
    """
    colours = hues(evidence.map.centers, len(COLOURS))
    links = []
    pictured = {c.label for c in sorted(summary.clusters, key=lambda c: (-c.size, c.label))[:MOST_THUMBS]}
    side = float(np.clip(240 / np.sqrt(max(len(summary.clusters), 1)), 32, 64))
    high = [side + 20 if c.label in pictured else 16.0 for c in summary.clusters]  # with the number below
    wide = [side if c.label in pictured else 24.0 for c in summary.clusters]
    sizes = np.column_stack([wide, high])
    shown = apart(centers, sizes)
    order = [c.label for c in sorted(summary.clusters, key=lambda c: (-c.size, c.label)) if c.label in pictured]
    shown = beside(shown, centers, sizes, order, places)
    leads = []
    for c in sorted(summary.clusters, key=lambda c: (c.size, c.label)):
        (x, y), (dx, dy) = centers[c.label], shown[c.label] - centers[c.label]
        said = escape(f"{c.name}: {counted(c.size, 'graph')}")
        if c.label in pictured:
            at = f'x="{rounded(-side / 2)}" y="{rounded(-side / 2)}" width="{rounded(side)}" height="{rounded(side)}"'
            look = f'<rect {at} rx="9"/><use href="#{small(c.label)}" {at}/>'
            look += f'<text class="label" x="0" y="{rounded(side / 2 + 9)}">{c.label}</text>'
            if max(abs(dx), abs(dy)) > side / 2 + 4:
                end = 1 - (side / 2 + 2) / max(abs(dx), abs(dy))
                leads.append(
                    f'<g class="h{colours[c.label]}" data-c="{c.label}" data-x="{x}" data-y="{y}" transform="translate({x} {y})">'
                    f'<circle r="3.5"/><path d="M0 0L{rounded(end * dx)} {rounded(end * dy)}"/></g>'
                )
        else:
            look = f'<rect x="-12" y="-8" width="24" height="16" rx="8"/><text x="0" y="0">{c.label}</text>'
        link = f'href="#cluster-{c.label}" class="h{colours[c.label]}" data-c="{c.label}" data-x="{x}" data-y="{y}"'
        link += f' data-dx="{dx}" data-dy="{dy}"'
        links.append(f'<a {link} transform="translate({x + dx} {y + dy})" aria-label="{said}"><title>{said}</title>{look}</a>')
    return Markup(
        f'<svg class="map" viewBox="0 0 {MAP_WIDTH} {MAP_HEIGHT}" role="group" aria-label="The clusters on the map">'
        f'<g class="leads" aria-hidden="true">{"".join(leads)}</g><g class="centers">{"".join(links)}</g></svg>'
    ), [int(c) for c in colours]


#: Pictures on the map that give way by less stay where they are: nobody would see it.
STILL = 0.3


def apart(centers: IntArray, sizes: FloatArray) -> IntArray:
    """Places near these for boxes of these widths and heights, so that they lie on each other as little as possible.

    Of two that do each gives way by half, along the shorter way; nothing leaves the map. Of very many none is moved.
    """
    at = centers.astype(np.float64)
    if not 1 < len(at) <= MOST_APART:
        return centers
    at += 0.01 * np.column_stack([np.cos(np.arange(len(at))), np.sin(np.arange(len(at)))])  # where two are in one place
    room = (sizes[:, None] + sizes[None]) / 2
    low = sizes / 2
    for _ in range(200):
        gap = at[:, None] - at[None]
        over = room - np.abs(gap)
        on = np.asarray((over > 0).all(axis=2)) & ~np.eye(len(at), dtype=bool)
        if not on.any():
            break
        shorter = np.stack([over[..., 0] <= over[..., 1], over[..., 0] > over[..., 1]], axis=2) & on[..., None]
        push = np.where(shorter, np.sign(gap) * over, 0.0)
        before, at = at, at + 0.5 * push.sum(axis=1) / np.maximum(shorter.sum(axis=1), 1)
        at = np.clip(at, low, np.array([MAP_WIDTH, MAP_HEIGHT]) - low)
        if np.abs(at - before).max() < STILL:
            break
    return np.round(at).astype(np.int64)


#: How far a picture may stand from the middle of its cluster, the step of places that are tried, and the side of cells in which
#: dots are counted.
FARTHEST, STEP, CELL = 230, 15, 10
#: How many times the first of these farther a picture goes rather than cover nothing but dots, lie on another picture or a
#: middle, lie a little beside its own, or have its line through another picture.
UNIT, COVERING, ON_OTHERS, BESIDE, CROSSING = 10, 130.0, 60.0, 4.0, 8.0


def beside(shown: IntArray, centers: IntArray, sizes: FloatArray, order: Sequence[int], dots: IntArray) -> IntArray:
    """Places for boxes near their centers where they cover as few dots as possible, and neither each other nor centers.

    Boxes are placed in this order; those that are not in it stay where they are `shown`. Nothing leaves the map.

    Examples
    --------
    >>> center, size = np.array([[500, 300]]), np.array([[60.0, 80.0]])
    >>> beside(center, center, size, [0], np.array([[900, 600]])).tolist()
    [[500, 300]]
    >>> cloud = np.random.default_rng(0).normal([500, 300], 25, (100, 2))
    >>> bool(np.abs(beside(center, center, size, [0], cloud.astype(int)) - center).max() > 40)
    True
    """
    area = np.pi * float(np.clip(60 / np.sqrt(max(len(dots), 1)), 1.2, 4.5)) ** 2  # of a dot, as the script draws it
    steps = np.arange(-FARTHEST, FARTHEST + 1, STEP)
    way = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    far = np.hypot(*way.T)
    way, far = way[far <= FARTHEST], far[far <= FARTHEST]
    limit = np.array([MAP_WIDTH, MAP_HEIGHT])
    placed, busy = shown.copy(), np.zeros((MAP_HEIGHT // CELL, MAP_WIDTH // CELL))
    for n in set(range(len(shown))) - set(order):
        _occupy(busy, placed[n], sizes[n] / 2)
    of_dots, of_centers = _sums(_counts(dots)), _sums(_counts(centers))
    for label in order:
        half, center = sizes[label] / 2, centers[label]
        at = np.concatenate([shown[label][None], center + way])
        cost = np.concatenate([[float(np.hypot(*(shown[label] - center)))], far]) / UNIT
        inside = ((at >= half + 2) & (at <= limit - half - 2)).all(axis=1)
        if not inside.any():
            continue
        at, cost, away = at[inside], cost[inside], np.abs(at[inside] - center)
        low, high = np.floor((at - half) / CELL).astype(int), np.ceil((at + half) / CELL).astype(int)
        cost += COVERING * _within(of_dots, low, high) * area / (4 * half.prod())
        cost += ON_OTHERS * ((_within(_sums(busy), low, high) > 0) + _within(of_centers, low, high) - (away < half).all(axis=1))
        cost += BESIDE * ((away < half + 6) & (away.max(axis=1) > UNIT)[:, None]).all(axis=1)  # on its middle, or clear of it
        for part in (0.25, 0.5, 0.75):  # no line runs through a picture
            x, y = ((center + part * (at - center)) // CELL).astype(int).T
            cost += CROSSING * busy[np.clip(y, 0, len(busy) - 1), np.clip(x, 0, busy.shape[1] - 1)]
        placed[label] = at[int(cost.argmin())]
        _occupy(busy, placed[label], half)
    return placed


def _counts(points: IntArray) -> FloatArray:
    """How many of these points lie in each cell of the map."""
    inside = points[((points >= 0) & (points < [MAP_WIDTH, MAP_HEIGHT])).all(axis=1)] // CELL
    wide, high = MAP_WIDTH // CELL, MAP_HEIGHT // CELL
    return np.bincount(inside[:, 1] * wide + inside[:, 0], minlength=wide * high).reshape(high, wide).astype(np.float64)


def _occupy(cells: FloatArray, middle: IntArray, half: FloatArray) -> None:
    """Mark the cells that a box lies on."""
    (a, b), (c, d) = np.floor((middle - half) / CELL).astype(int), np.ceil((middle + half) / CELL).astype(int)
    cells[max(b, 0) : max(d, 0), max(a, 0) : max(c, 0)] = 1.0


def _sums(cells: FloatArray) -> FloatArray:
    """Sums of all cells above and to the left, with a row and a column of zeros."""
    found = np.zeros((len(cells) + 1, cells.shape[1] + 1))
    found[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
    return found


def _within(sums: FloatArray, low: IntArray, high: IntArray) -> FloatArray:
    """The sum of the cells in each of these boxes."""
    (a, b), (c, d) = low.T, high.T
    return np.asarray(sums[d, c] - sums[b, c] - sums[d, a] + sums[b, a])


def silhouette_chart(summary: ClusteringSummary, evidence: Evidence) -> Markup | None:
    """The profile of silhouettes: the widths of the members of each cluster, from the widest, as a band."""
    found = evidence.silhouettes
    if found is None:
        return None
    of = summary.labels[evidence.sample][found.rows]
    low = min(0.0, float(np.floor(found.widths.min(initial=0.0) * 10) / 10))
    left, right, band, gap = 150.0, 690.0, 20.0, 6.0
    rows = [c for c in summary.in_reading_order() if (of == c.label).any()]
    height = 26 + len(rows) * (band + gap)

    def x(width: float) -> float:
        return left + (width - low) / (1 - low) * (right - left)

    parts = []
    for tick in np.arange(np.ceil(low * 4) / 4, 1.01, 0.25):
        parts.append(
            f'<path d="M{x(tick):.1f} 20V{height}" class="grid"/>'
            f'<text x="{x(tick):.1f}" y="12" text-anchor="middle">{tick + 0.0:g}</text>'
        )
    for n, c in enumerate(rows):
        widths = np.sort(found.widths[of == c.label])[::-1]
        top, each = 26 + n * (band + gap), band / len(widths)
        steps = "".join(f"V{top + each * i:.2f}H{x(float(w)):.1f}" for i, w in enumerate(widths) if i)
        path = f"M{x(0):.1f} {top:.1f}H{x(float(widths[0])):.1f}{steps}V{top + band:.1f}H{x(0):.1f}Z"
        said = escape(f"{c.name}: mean width {widths.mean():.2f} of {counted(len(widths), 'graph')}")
        parts.append(
            f'<a href="#cluster-{c.label}" aria-label="{said}"><title>{said}</title>'
            f'<rect x="0" y="{top - gap / 2:.1f}" width="780" height="{band + gap:.1f}" class="row"/>'
            f'<text x="{left - 12}" y="{top + band / 2:.1f}" text-anchor="end" dominant-baseline="central">'
            f'{escape(plain_text(c.name.removeprefix("Cluster "), 18))}</text><path d="{path}" class="widths"/>'
            f'<text x="{right + 12}" y="{top + band / 2:.1f}" dominant-baseline="central">{widths.mean():.2f}</text></a>'
        )
    label = f"Silhouette widths of {counted(len(found.rows), 'graph')} in {counted(len(rows), 'cluster')}"
    return Markup(
        f'<svg class="chart profile" viewBox="0 0 780 {height:.0f}" role="group" aria-label="{label}">{"".join(parts)}</svg>'
    )
