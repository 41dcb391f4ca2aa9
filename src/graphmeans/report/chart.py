"""Two small charts of a run, as inline SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from graphmeans.report.words import number

_WIDTH, _HEIGHT = 420, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 16, 40


def line_chart(iterations: Sequence[int], values: Sequence[float], *, label: str) -> str:
    """A value by iteration as a line; the lowest is marked, because that iteration is the result."""
    ticks = _ticks(float(min(values)), float(max(values)))
    x, y = _scale(iterations), (ticks[0], ticks[-1])
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


def bar_chart(iterations: Sequence[int], values: Sequence[float], reference: float, *, label: str) -> str:
    """A value by iteration as bars, with a line at the value to compare it with."""
    ticks = _ticks(0.0, float(max([*values, reference])))
    x, y = _scale(iterations), (0.0, ticks[-1])
    step = (_WIDTH - _LEFT - _RIGHT) / (x[1] - x[0] + 1 if x[1] > x[0] else 1)
    wide = min(max(step * 0.62, 1.5), 36.0)
    bars = "".join(
        f'<rect x="{_x(i, x) - wide / 2:.1f}" y="{_y(v, y):.1f}" width="{wide:.1f}" '
        f'height="{max(_y(0, y) - _y(v, y), 0.8):.1f}" rx="1.5" class="bar">'
        f"<title>iteration {i}: {number(v)}</title></rect>"
        for i, v in zip(iterations, values, strict=True)
    )
    level = _y(reference, y)
    line = (
        f'<path d="M{_LEFT} {level:.1f}H{_WIDTH - _RIGHT}" class="reference"/>'
        f'<text x="{_WIDTH - _RIGHT}" y="{level + 15:.1f}" text-anchor="end" class="level">'
        f"standard k-means: {number(reference)}</text>"
    )
    summary = f"{label} by iteration, at most {number(max(values))}; a standard k-means needs {number(reference)}"
    return _frame(bars + line, iterations, x, ticks, y, summary)


def _frame(
    inside: str,
    iterations: Sequence[int],
    x: tuple[float, float],
    ticks: list[float],
    y: tuple[float, float],
    summary: str,
) -> str:
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


def _scale(iterations: Sequence[int]) -> tuple[float, float]:
    return float(iterations[0]), float(iterations[-1])


def _x(value: float, scale: tuple[float, float]) -> float:
    inset = 22.0  # the first and the last bar keep clear of the frame
    low, high = _LEFT + inset, _WIDTH - _RIGHT - inset
    return (low + high) / 2 if scale[1] == scale[0] else low + (value - scale[0]) / (scale[1] - scale[0]) * (high - low)


def _y(value: float, scale: tuple[float, float]) -> float:
    low, high = float(_HEIGHT - _BOTTOM), float(_TOP)
    return low if scale[1] == scale[0] else low + (value - scale[0]) / (scale[1] - scale[0]) * (high - low)


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers that enclose the values."""
    if not high > low:
        low, high = (low - 0.5, high + 0.5) if high == low else (0.0, 1.0)
    rough = (high - low) / 4
    power = 10.0 ** np.floor(np.log10(rough))
    step = min((m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999), default=rough)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return [float(t * step) for t in np.arange(first, last + 1)]
