"""Make distorted drawings of the fifteen capital letters that consist of straight lines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

Rng = Union[np.random.RandomState, np.random.Generator]
Point = tuple[float, float]

_BASE, _CAP, _MIDDLE = 0.4, 2.8, 1.5  # the lines that the letters stand on, reach up to, and are centered on

# The lines of each letter, every one drawn without lifting the pen. A crossbar has end points of its own.
_LINES: dict[str, list[list[Point]]] = {
    "A": [[(0.5, _BASE), (_MIDDLE, _CAP), (2.5, _BASE)], [(0.8, 1.12), (2.2, 1.12)]],
    "E": [[(2.2, _CAP), (0.85, _CAP), (0.85, _BASE), (2.2, _BASE)], [(0.85, 1.65), (2.0, 1.65)]],
    "F": [[(2.15, _CAP), (0.9, _CAP), (0.9, _BASE)], [(0.9, 1.6), (1.95, 1.6)]],
    "H": [[(0.6, _CAP), (0.6, _BASE)], [(2.4, _CAP), (2.4, _BASE)], [(0.6, 1.65), (2.4, 1.65)]],
    "I": [[(_MIDDLE, _CAP), (_MIDDLE, _BASE)]],
    "K": [[(0.8, _CAP), (0.8, _BASE)], [(2.25, _CAP), (0.8, 1.45), (2.35, _BASE)]],
    "L": [[(0.9, _CAP), (0.9, _BASE), (2.15, _BASE)]],
    "M": [[(0.4, _BASE), (0.4, _CAP), (_MIDDLE, 1.1), (2.6, _CAP), (2.6, _BASE)]],
    "N": [[(0.6, _BASE), (0.6, _CAP), (2.4, _BASE), (2.4, _CAP)]],
    "T": [[(0.6, _CAP), (2.4, _CAP)], [(_MIDDLE, _CAP), (_MIDDLE, _BASE)]],
    "V": [[(0.5, _CAP), (_MIDDLE, _BASE), (2.5, _CAP)]],
    "W": [[(0.2, _CAP), (0.85, _BASE), (_MIDDLE, 2.2), (2.15, _BASE), (2.8, _CAP)]],
    "X": [[(0.65, _CAP), (2.4, _BASE)], [(2.35, _CAP), (0.6, _BASE)]],
    "Y": [[(0.55, _CAP), (_MIDDLE, 1.55), (2.45, _CAP)], [(_MIDDLE, 1.55), (_MIDDLE, _BASE)]],
    "Z": [[(0.7, _CAP), (2.3, _CAP), (0.6, _BASE), (2.4, _BASE)]],
}
_LETTERS = np.array(list(_LINES))


@dataclass(frozen=True)
class LetterDistortion:
    """How badly a letter is drawn."""

    shift: float  # how far an end point may move, in any direction
    rounds: int  # how often each of the following may happen; their values are the probabilities in one round
    stray: float  # adds a stroke from an end point to a new point
    split: float  # breaks a stroke in two, with a bend
    bridge: float  # adds a stroke between any two end points
    loss: float  # removes a stroke


# Tuned so that size and difficulty are those of the IAM letters of the same level (benchmarks/letters.py).
DISTORTIONS = {
    "low": LetterDistortion(shift=0.17, rounds=2, stray=0.175, split=0.02, bridge=0.0, loss=0.018),
    "medium": LetterDistortion(shift=0.46, rounds=3, stray=0.10, split=0.05, bridge=0.03, loss=0.035),
    "high": LetterDistortion(shift=0.46, rounds=3, stray=0.10, split=0.03, bridge=0.85, loss=0.012),
}
_SHEET = 3.0  # width and height of the sheet that new points are drawn on
_STRAY_LENGTH = (0.6, 2.2)
_BEND = 0.6  # how far the break of a split stroke may lie from the stroke

_PLACES = 9  # for end points: six at most in a clean letter, and a new one a round
_PAIRS = np.column_stack(np.triu_indices(_PLACES, 1))  # the two places that each possible stroke joins
_STROKE_OF = np.zeros((_PLACES, _PLACES), dtype=np.intp)  # the stroke that joins two places
_STROKE_OF[_PAIRS[:, 0], _PAIRS[:, 1]] = _STROKE_OF[_PAIRS[:, 1], _PAIRS[:, 0]] = np.arange(len(_PAIRS))
_STROKES_AT = _STROKE_OF[~np.eye(_PLACES, dtype=bool)].reshape(_PLACES, _PLACES - 1)  # those that end at a place


def make_letters(
    n_samples: int = 750, distortion: Literal["low", "medium", "high"] = "low", *,
    shuffle: bool = True, random_state: int | Rng | None = None,
) -> tuple[list[Graph], NDArray[np.str_]]:
    """Draw distorted capital letters as graphs.

    The letters are A, E, F, H, I, K, L, M, N, T, V, W, X, Y and Z. A node is an end point of a stroke with its
    position `x`, `y` (y upwards, about 0 to 3), an edge is a stroke. The nodes of each graph are in random order.

    Parameters
    ----------
    n_samples : int
        Number of graphs, spread evenly over the fifteen letters; what remains goes to the first ones.
    distortion : {"low", "medium", "high"}
        "low" moves the end points a little and gives a third of the letters a stray or bent stroke. "medium" moves
        them far. "high" also joins end points that do not belong together.
    shuffle : bool
        Whether the graphs come in random order; otherwise letter by letter.
    random_state : int, RandomState, Generator or None
        Pass an int for the same letters every time.

    Returns
    -------
    graphs : list of Graph
        Undirected, named by letter and number: "A_0007".
    y : array of shape (n_samples,)
        The letter of each graph.

    See Also
    --------
    letter_prototypes : the letters before distortion.

    Notes
    -----
    The letters are drawn by this module, after the recipe of the IAM letters [1]_ and as hard to tell apart at each
    level. docs/paper/letters.md shows the figures side by side.

    References
    ----------
    .. [1] K. Riesen and H. Bunke, "IAM graph database repository for graph based pattern recognition and machine
       learning", SSPR 2008.

    Examples
    --------
    >>> from graphmeans.datasets import make_letters
    >>> graphs, y = make_letters(30, "low", random_state=0)
    >>> len(graphs), sorted(set(y.tolist())) == list("AEFHIKLMNTVWXYZ")
    (30, True)
    >>> sorted(graphs[0].nodes)
    ['x', 'y']
    """
    if distortion not in list(DISTORTIONS):
        raise GraphError(f"distortion must be one of {', '.join(DISTORTIONS)}, got {distortion!r}")
    if not isinstance(n_samples, (int, np.integer)) or isinstance(n_samples, bool) or n_samples < 1:
        raise GraphError(f"n_samples must be a whole number of at least 1, got {n_samples!r}")
    rng: Rng = random_state if isinstance(random_state, np.random.Generator) else check_random_state(random_state)

    kinds = np.sort(np.arange(n_samples) % len(_LETTERS))
    y = _LETTERS[kinds]
    numbers = np.arange(n_samples) - np.searchsorted(kinds, kinds)  # the count starts again with each letter
    names = [f"{letter}_{number:04d}" for letter, number in zip(y.tolist(), numbers.tolist(), strict=True)]

    drawings = _Drawings(kinds, rng)
    drawings.distort(DISTORTIONS[distortion])
    graphs = drawings.to_graphs(names)
    if not shuffle:
        return graphs, y
    order = rng.permutation(n_samples)
    return [graphs[i] for i in order], y[order]


def letter_prototypes() -> dict[str, Graph]:
    """The fifteen letters before any distortion.

    Examples
    --------
    >>> from graphmeans.datasets import letter_prototypes
    >>> letter_prototypes()["A"]
    Graph('A', 5 nodes, 3 edges)
    """
    return {letter: _graph(*_ends_and_strokes(letter), letter) for letter in _LINES}


class _Drawings:
    """Many letters that are distorted together. Each has the same slots for end points and strokes, some of them unused."""

    def __init__(self, kinds: NDArray[np.intp], rng: Rng) -> None:
        points = np.zeros((len(_LETTERS), _PLACES, 2))
        taken = np.zeros((len(_LETTERS), _PLACES), dtype=bool)
        drawn = np.zeros((len(_LETTERS), len(_PAIRS)), dtype=bool)
        for kind, letter in enumerate(_LINES):
            ends, strokes = _ends_and_strokes(letter)
            points[kind, : len(ends)] = ends
            taken[kind, : len(ends)] = True
            drawn[kind, _STROKE_OF[strokes[:, 0], strokes[:, 1]]] = True
        self.points, self.taken, self.drawn = points[kinds], taken[kinds], drawn[kinds]
        self.rng = rng

    def distort(self, level: LetterDistortion) -> None:
        """Add, break and drop strokes, then move the end points."""
        for _ in range(level.rounds):
            chance = self.rng.random(len(self.points))
            self._add_stray(np.flatnonzero(chance < level.stray))
            self._split(np.flatnonzero((chance >= level.stray) & (chance < level.stray + level.split)))
            self._add_bridge(np.flatnonzero(self.rng.random(len(self.points)) < level.bridge))
            self._lose(np.flatnonzero(self.rng.random(len(self.points)) < level.loss))
        self.points += self._offsets(0.0, level.shift, self.taken.shape)

    def to_graphs(self, names: list[str]) -> list[Graph]:
        """Return one graph for each letter. Nodes are shuffled, so that their order tells nothing about them."""
        order = np.where(self.taken, self.rng.random(self.taken.shape), 1.0).argsort(axis=1)
        points = np.take_along_axis(self.points, order[:, :, None], axis=1)
        n_points = self.taken.sum(axis=1).tolist()
        row, stroke = np.nonzero(self.drawn)
        strokes = order.argsort(axis=1)[row[:, None], _PAIRS[stroke]]
        parts = np.split(strokes, np.cumsum(self.drawn.sum(axis=1))[:-1])
        rows = zip(points, n_points, parts, names, strict=True)
        return [_graph(ends[:n], part, name) for ends, n, part, name in rows]

    # -- distortions of the letters in `rows` ------------------------------------------------------

    def _add_stray(self, rows: NDArray[np.intp]) -> None:
        anchor = self._pick(self.taken[rows])
        end = self.points[rows, anchor] + self._offsets(*_STRAY_LENGTH, rows.shape)
        place = self._add_point(rows, _SHEET - np.abs(_SHEET - np.abs(end)))  # folded back where it leaves the paper
        self.drawn[rows, _STROKE_OF[anchor, place]] = True

    def _split(self, rows: NDArray[np.intp]) -> None:
        stroke = self._pick(self.drawn[rows])
        a, b = _PAIRS[stroke].T
        share = self.rng.uniform(0.3, 0.7, size=(len(rows), 1))
        on_stroke = share * self.points[rows, a] + (1.0 - share) * self.points[rows, b]
        place = self._add_point(rows, on_stroke + self._offsets(0.0, _BEND, rows.shape))
        self.drawn[rows, stroke] = False
        self.drawn[rows, _STROKE_OF[a, place]] = True
        self.drawn[rows, _STROKE_OF[place, b]] = True

    def _add_bridge(self, rows: NDArray[np.intp]) -> None:
        taken = self.taken[rows]
        pair = self._pick(taken[:, _PAIRS[:, 0]] & taken[:, _PAIRS[:, 1]])
        self.drawn[rows, pair] = True  # nothing changes where there is a stroke already, so letters of few points stay simple

    def _lose(self, rows: NDArray[np.intp]) -> None:
        rows = rows[self.drawn[rows].sum(axis=1) > 1]  # the last stroke stays
        stroke = self._pick(self.drawn[rows])
        self.drawn[rows, stroke] = False
        for place in _PAIRS[stroke].T:  # an end point is removed with its last stroke
            self.taken[rows, place] = self.drawn[rows[:, None], _STROKES_AT[place]].any(axis=1)

    def _add_point(self, rows: NDArray[np.intp], points: NDArray[np.float64]) -> NDArray[np.intp]:
        place = self.taken[rows].argmin(axis=1)  # the first that is free
        self.points[rows, place] = points
        self.taken[rows, place] = True
        return place

    # -- random choices ----------------------------------------------------------------------------

    def _pick(self, allowed: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Choose one of the allowed columns in each row."""
        return np.where(allowed, self.rng.random(allowed.shape), -1.0).argmax(axis=1)

    def _offsets(self, nearest: float, farthest: float, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw steps in any direction, spread evenly over the ring between two radii."""
        angle = self.rng.uniform(0.0, 2.0 * np.pi, size=shape)
        radius = np.sqrt(self.rng.uniform(nearest**2, farthest**2, size=shape))
        return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)


def _ends_and_strokes(letter: str) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    ends = list(dict.fromkeys(end for line in _LINES[letter] for end in line))  # where lines meet, they share an end
    strokes = [(ends.index(a), ends.index(b)) for line in _LINES[letter] for a, b in pairwise(line)]
    return np.array(ends), np.array(strokes)


def _graph(ends: NDArray[np.float64], strokes: NDArray[np.intp], name: str) -> Graph:
    return Graph({"x": ends[:, 0], "y": ends[:, 1]}, strokes, name=name)
