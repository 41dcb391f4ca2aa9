"""Many drawings in flat arrays, so that what is asked of all of them is asked once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import IntArray, offsets, row_ranges
from graphmeans.plots.drawing import Drawing
from graphmeans.plots.positions import Positions


class FlatDrawings:
    """The nodes and the strokes of several drawings, one after the other."""

    def __init__(self, drawings: Sequence[Drawing]) -> None:
        self.drawings = drawings
        self.node_ptr = offsets(np.array([len(picture.points) for picture in drawings]))
        self.stroke_ptr = offsets(np.array([len(picture.ends) for picture in drawings]))
        self.points = np.concatenate([picture.points for picture in drawings])
        self.strength = np.concatenate([picture.strength for picture in drawings])
        self.dots = np.concatenate([picture.dots for picture in drawings])
        self.rings = np.concatenate([picture.rings for picture in drawings])
        self.sides = np.concatenate([picture.sides for picture in drawings])
        self.ends = np.concatenate([picture.ends for picture in drawings])
        self.stroke_strength = np.concatenate([picture.stroke_strength for picture in drawings])
        self.edge = np.concatenate([picture.edge for picture in drawings])
        self.bend = np.concatenate([picture.bend for picture in drawings])
        self.shift = np.concatenate([picture.shift for picture in drawings])
        self.inset = np.concatenate([picture.inset for picture in drawings])
        self.heads = np.concatenate([picture.heads for picture in drawings])
        self.core = np.concatenate([picture.core for picture in drawings])
        self._bent = {n for n, picture in enumerate(drawings) if picture.em} | places_in(self.bend != 0, self.stroke_ptr).keys()

    def outlines(self, rows: IntArray) -> Positions:
        """The points that decide the frame of these drawings together; arcs and labels reach beyond the nodes."""
        nodes = row_ranges(self.node_ptr, rows)[0]
        nodes = nodes[self.core[nodes] & (self.strength[nodes] > 0)]
        beyond = [self.drawings[n].outline() for n in rows.tolist() if n in self._bent]
        return np.concatenate([self.points[nodes], *beyond])


def places_in(found: NDArray[np.bool_], ptr: IntArray) -> dict[int, list[int]]:
    """Where something was found, counted from the beginning of each range; ranges in which nothing was are left out.

    Examples
    --------
    >>> places_in(np.array([True, False, False, False, True]), np.array([0, 2, 3, 5]))
    {0: [0], 2: [1]}
    """
    at = np.flatnonzero(found)
    if not len(at):
        return {}
    of = np.searchsorted(ptr, at, side="right") - 1
    first = np.flatnonzero(np.diff(of, prepend=-1))
    places, cuts = (at - ptr[of]).tolist(), [*first.tolist(), len(at)]
    return {n: places[a:b] for n, (a, b) in zip(of[first].tolist(), pairwise(cuts), strict=True)}
