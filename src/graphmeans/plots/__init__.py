"""Pictures of graphs and mean graphs, and displays of a fitted estimator."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphmeans.plots.atom_map import draw_atom_map
    from graphmeans.plots.axes import draw
    from graphmeans.plots.displays import ConvergenceDisplay, ElbowDisplay, SilhouetteDisplay, draw_choice
    from graphmeans.plots.maps import EmbeddingDisplay, PrototypeDisplay
    from graphmeans.plots.matrix import draw_matrices
    from graphmeans.plots.members import draw_alignment, draw_member
    from graphmeans.plots.positions import layout, viewport, y_down
    from graphmeans.plots.sheets import contact_sheet, draw_cluster
    from graphmeans.plots.svg import draw_svg

# The module of each public name. They are loaded on first use, because the command needs `plots.text` even for its shortest
# message, and nothing more.
_HOMES = {
    "ConvergenceDisplay": "displays", "ElbowDisplay": "displays", "SilhouetteDisplay": "displays",
    "EmbeddingDisplay": "maps", "PrototypeDisplay": "maps", "contact_sheet": "sheets", "draw": "axes",
    "draw_alignment": "members", "draw_atom_map": "atom_map", "draw_choice": "displays", "draw_cluster": "sheets",
    "draw_matrices": "matrix", "draw_member": "members", "draw_svg": "svg", "layout": "positions", "viewport": "positions",
    "y_down": "positions",
}  # fmt: skip

__all__ = [
    "ConvergenceDisplay", "ElbowDisplay", "EmbeddingDisplay", "PrototypeDisplay", "SilhouetteDisplay", "contact_sheet",
    "draw", "draw_alignment", "draw_atom_map", "draw_choice", "draw_cluster", "draw_matrices", "draw_member", "draw_svg",
    "layout", "viewport", "y_down",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphmeans.plots' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"graphmeans.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
