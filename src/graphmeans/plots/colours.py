"""Colours of clusters."""

from __future__ import annotations

import numpy as np

from graphmeans.graphs.batch import FloatArray

#: Colours of clusters, taken in turn; legible on white and on dark.
COLOURS = (
    "#2a6fb0", "#c8641e", "#3a8f5c", "#b0417a", "#7a5fc0", "#8a7a1c", "#1f8a99", "#b8433a", "#5b7083", "#6c8f1f",
)  # fmt: skip
SOFT = "#6b7683"


def hues(centers: FloatArray, count: int) -> list[int]:
    """A colour for each center, chosen so that centers of one colour lie far apart."""
    taken: list[int] = []
    for n, center in enumerate(centers):
        if n < count:
            taken.append(n)
            continue
        apart = np.linalg.norm(centers[:n] - center, axis=1)
        nearest = [apart[[m for m in range(n) if taken[m] == hue]].min() for hue in range(count)]
        taken.append(int(np.argmax(nearest)))
    return taken


def darker(colour: str) -> tuple[float, ...]:
    """A darker shade of a colour."""
    from matplotlib.colors import to_rgb

    return tuple(0.62 * part for part in to_rgb(colour))
