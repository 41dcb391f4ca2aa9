"""`Pen`: line widths, radii and letter sizes of a picture on a sheet of a given size; colours of clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.plots.drawing import MOST_LABELS, Drawing
from graphmeans.plots.positions import Positions, Viewport, square

#: Colours of clusters, taken in turn; legible on white and on dark.
COLOURS = ("#2a6fb0", "#c8641e", "#3a8f5c", "#b0417a", "#7a5fc0", "#8a7a1c", "#1f8a99", "#b8433a", "#5b7083", "#6c8f1f")
SOFT = "#6b7683"
#: What a picture of a graph without nodes says.
NOTHING = "no nodes"
#: Letters that are less high cannot be read.
LEGIBLE = 5.5
#: So much lower are letters where words would be cut off, or lie on each other; if that is no help, nodes are dots.
LOWER = (1.0, 0.85, 0.7)
#: The width of a letter of a word in place of a node, and the height of a line of words, as parts of the height of letters.
WORD_LETTER, WORD_LINE = 0.62, 1.0
#: Letters in place of nodes are not lower than this, in pixels.
LEAST_FONT = 7.0
#: The most of the length of an arrow that its head is long.
HEAD = 0.2
#: Nodes that fewer members have may be left out at the rim.
FAINTLY = 0.25


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


class DrawnLine(NamedTuple):
    """One line, in the plane of the drawing; `bend` as in `Drawing`."""

    stroke: int
    start: Positions
    end: Positions
    bend: float
    width: float
    opacity: float


class Pen:
    """Widths, radii and letters, which shrink with the sheet and with the number of nodes. All sizes are in pixels."""

    def __init__(
        self, drawing: Drawing, size: float, viewport: Viewport | None = None, labels: bool | None = None
    ) -> None:
        self.drawing, self.size = drawing, float(size)
        count = max(len(drawing.drawn), 1)
        many = sum(bool(drawing.labels[i]) for i in drawing.drawn)
        formula = not all(drawing.dots)  # a structural formula is nothing without its letters
        spread = drawing.em > 0  # whoever placed the nodes kept room for their labels
        crowded = not spread and (many > MOST_LABELS or size < (64 if formula else 14 * np.sqrt(max(many, 1)) + 60))
        self.written = many > 0 and (labels if labels is not None else not crowded)
        crowd = min(1.0, np.sqrt(12 / count))
        self.line = max(size * (0.016 if self.written else 0.024) * crowd, 0.9)
        self.dot = max(size * 0.031 * crowd, 1.3)
        self.font = max(size * 0.085 * crowd, LEAST_FONT)
        if spread and many:
            self._fit_letters(viewport)
        elif self.written and labels is None and not formula and not self._words_fit(viewport):
            self.written, self.line = False, max(size * 0.024 * crowd, 0.9)
        self.margin = self._margin()
        if spread and self.written:  # the box holds the labels
            self.margin = size * 0.03 + self.font / 2
            self.line, self.dot = min(self.line, self.font * 0.14), min(self.dot, self.font * 0.45)
        self.box = square(viewport if viewport is not None else drawing.box(labels=bool(self.written)) or (0.0, 0.0, 1.0, 1.0))
        self.scale = (self.size - 2 * self.margin) / (self.box[2] - self.box[0])
        self._unit = drawing.usual_length
        usual = self._unit * self.scale
        if usual:  # finer where the edges come out short
            self.line = max(min(self.line, usual * 0.16), 0.7)
            self.dot = max(min(self.dot, usual * 0.22), 1.0)
            if any(drawing.shift):
                self.line = max(min(self.line, usual * 0.07), 0.7)
                self.font = max(min(self.font, usual * 0.62), 6.0)

    def _margin(self) -> float:
        """How far the box keeps clear of the rim, so that what is written at its nodes finds room."""
        d = self.drawing
        beside = max((len(d.labels[i]) - 1 for i in d.drawn if d.sides[i]), default=0)
        return self.size * 0.09 + (self.font * (1 / 3 + 0.3 * beside) if self.written else 0)

    def _fit_letters(self, viewport: Viewport | None) -> None:
        """Letters as high as the drawing allows on this sheet; none where that is too small to be read."""
        box = square(viewport if viewport is not None else self.drawing.box() or (0.0, 0.0, 1.0, 1.0))
        self.font = min(self.size * 0.07, self.drawing.em * self.size * 0.88 / (box[2] - box[0]))
        if self.font < LEGIBLE:
            self.written, self.font = False, LEGIBLE

    def _words_fit(self, viewport: Viewport | None) -> bool:
        """Whether words in place of the nodes keep clear of each other and of the rim of a given frame, perhaps in lower letters.

        Single letters may touch the rim: they are told from each other there, too.
        """
        d = self.drawing
        box = square(viewport if viewport is not None else d.box() or (0.0, 0.0, 1.0, 1.0))
        shown = d.drawn
        places = (d.points[shown] - [box[0], box[1]]) / (box[2] - box[0])
        count = np.array([len(d.written(int(i))) if d.labels[i] else 0 for i in shown])
        usual = self.font
        for lower in LOWER:
            self.font = max(usual * lower, LEAST_FONT)
            margin = self._margin()
            at = margin + (self.size - 2 * margin) * places
            apart = np.abs(at[:, None] - at[None])
            high = np.array([self.letters(share) for share in d.strength[shown].tolist()])
            wide, line = WORD_LETTER * high * count, WORD_LINE * high
            on = (apart[..., 0] < (wide[:, None] + wide[None]) / 2) & (apart[..., 1] < (line[:, None] + line[None]) / 2)
            on &= (count[:, None] > 0) & (count[None] > 0)
            np.fill_diagonal(on, False)
            out = (np.abs(at[:, 0] - self.size / 2) + wide / 2 > self.size / 2) & (count > 1) & (viewport is not None)
            if not (on.any() or out.any()):
                return True
        self.font = usual
        return False

    def pixels(self, points: Positions) -> Positions:
        """From the plane to the sheet, y downwards."""
        points = np.asarray(points).reshape(-1, 2)
        x = self.margin + (points[:, 0] - self.box[0]) * self.scale
        y = self.size - self.margin - (points[:, 1] - self.box[1]) * self.scale
        return np.column_stack([x, y])

    def beyond(self) -> NDArray[np.bool_]:
        """Which nodes are left out, as few members have them and they lie outside of the sheet: lines would end at its rim."""
        d = self.drawing
        at = self.pixels(d.points)
        return ((at < 0) | (at > self.size)).any(axis=1) & (d.strength < FAINTLY)

    def lines(self) -> Iterator[DrawnLine]:
        """The lines to draw, the weak ones first; they keep clear of what is written at their ends."""
        d = self.drawing
        strokes = d.strokes
        start, end = d.points[d.ends[strokes]].transpose(1, 0, 2)
        length = np.linalg.norm(end - start, axis=1)
        long = length >= 1e-9
        strokes, start, end, length = strokes[long], start[long], end[long], length[long, None]
        along = (end - start) / length
        inside = ~self.beyond()[d.ends[strokes]].any(axis=1)
        strokes, start, end, length, along = strokes[inside], start[inside], end[inside], length[inside], along[inside]
        written = np.array([bool(label) and self.written and not d.names_beside for label in d.labels])[d.ends[strokes]]
        aside = np.stack([-along[:, 1], along[:, 0]], axis=1) * d.shift[strokes, None] * np.minimum(self._unit, length)
        cuts = np.where(written, np.minimum(self.font * 0.62 / self.scale, 0.35 * length), d.inset[strokes, None] * length)
        start, end = start + along * cuts[:, :1] + aside, end - along * cuts[:, 1:] + aside
        for n, (s, strength) in enumerate(zip(strokes.tolist(), d.stroke_strength[strokes].tolist(), strict=True)):
            yield DrawnLine(
                s, start[n], end[n], float(d.bend[s]), self.line * (0.35 + 0.65 * strength), opacity(strength)
            )  # fmt: skip

    @property
    def ring(self) -> float:
        """The radius of a node that is a small circle."""
        return max(self.size * 0.035, 2.0)

    def radius(self, strength: float) -> float:
        """The radius of the dot of a node."""
        return self.dot * (0.45 + 0.55 * float(np.sqrt(strength)))

    def head(self, length: float) -> float:
        """How long the head of an arrow of this length is: short arrows have small heads."""
        return min(self.line * 3.2, HEAD * length)

    def letters(self, strength: float) -> float:
        """The height of the letters at a node."""
        return self.font * (0.75 + 0.25 * strength)


def opacity(strength: float) -> float:
    """The opacity of a part of a mean: weak parts are paler than their support, so that they do not hide the shape."""
    return 1.0 if strength >= 0.999 else 0.04 + 0.96 * strength**1.6
