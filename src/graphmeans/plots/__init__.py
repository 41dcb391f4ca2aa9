"""Pictures of graphs and mean graphs."""

from __future__ import annotations

from graphmeans.plots.layout import layout, viewport
from graphmeans.plots.svg import draw_svg

__all__ = ["draw_svg", "layout", "viewport"]
