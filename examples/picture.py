"""Several graphs in one SVG file, side by side with captions. Used by the examples."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import graphmeans as gm

WHITE = '<rect width="100%" height="100%" fill="white"/>'
FONT = 'font-family="sans-serif" font-size="14" text-anchor="middle"'


def save(
    path: Path, graphs: Sequence[gm.Graph], captions: Sequence[str], columns: int = 4, size: int = 240, **look: Any
) -> Path:
    """Draw the graphs in rows and write the picture; `look` goes to `draw_svg`, a list of positions one for each graph."""
    text = 30
    positions = look.pop("positions", [None] * len(graphs))
    rows = -(-len(graphs) // columns)
    width, height = size * min(columns, len(graphs)), (size + text) * rows
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">', WHITE]
    for i, (graph, caption, where) in enumerate(zip(graphs, captions, positions, strict=True)):
        x, y = size * (i % columns), (size + text) * (i // columns)
        drawn = gm.plots.draw_svg(graph, size=size, color="#123", positions=where, **look)
        words = f'<text x="{size / 2}" y="{size + 16}" {FONT}>{escape(caption)}</text>'
        parts.append(f'<g transform="translate({x} {y})">{drawn}{words}</g>')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join([*parts, "</svg>\n"]))
    return path
