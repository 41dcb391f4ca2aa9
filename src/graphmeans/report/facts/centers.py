"""How the centers are aligned to each other, and how far apart they are: matched where it matters, else bounded."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.matching.sketch import pairwise_sketch_bounds
from graphmeans.space import GraphSpace

#: How many of the nearest clusters are named; of how many more each center is matched with, to find them.
NEIGHBOURS, MORE = 4, 4
#: Fewest and most centers that graphs are compared with to place them on the map.
FEWEST, LANDMARKS = 8, 32


@dataclass(frozen=True, eq=False)
class CenterWays:
    """Distances between centers, and alignments of all of them to some, the landmarks."""

    distances: FloatArray  # (k, k); a lower bound where it was not matched
    matched: NDArray[np.bool_]  # (k, k)
    landmarks: IntArray
    table: IntArray  # (landmarks, k, nodes): where a node of a center goes in a landmark, -1 for nowhere; the last is -1
    neighbours: IntArray  # (k, NEIGHBOURS) the nearest other clusters of each, nearest first
    neighbour_distances: FloatArray
    mappings: dict[tuple[int, int], IntArray]  # of all pairs that were matched: node of the one -> node of the other, or -1
    size: int  # nodes of the largest center
    matchings: int

    def compose(self, into: IntArray, labels: IntArray, landmark: int | IntArray) -> IntArray:
        """Where nodes go in a landmark that go to these nodes of their centers."""
        return np.ascontiguousarray(self.table[landmark, labels, into])  # -1 finds the last entry, which is -1

    def of_rows(self) -> CenterWays:
        """The same where each center has become a row of numbers: its only node goes to that of any other."""
        table = np.zeros((len(self.landmarks), len(self.distances), 2), dtype=np.int64)
        table[:, :, 1] = -1
        return replace(self, table=table, mappings=dict.fromkeys(self.mappings, np.zeros(1, dtype=np.int64)), size=1)

    def between(self, a: int, b: int) -> IntArray:
        """Where the nodes of a center go in another that it was matched with; -1, at the end, stays -1."""
        way = np.arange(self.size) if a == b else self.mappings[a, b]
        return np.append(way, np.full(self.size + 1 - len(way), -1))


def match_centers(quick: GraphSpace, centers: GraphBatch, most: int) -> CenterWays:
    """Match all pairs of centers if these are no more than `most`, else each with those that sketches call near and landmarks."""
    k = len(centers)
    count = int(np.clip(most // max(k, 1), FEWEST, LANDMARKS))
    every = k <= count or k * (k - 1) // 2 <= most  # then bounds would tell nothing
    bounds = np.zeros((k, k)) if every else pairwise_sketch_bounds(centers, centers, quick.order)
    bounds = np.asarray(quick.in_units_of_graphs(bounds))
    np.fill_diagonal(bounds, 0.0)
    landmarks = np.arange(k) if every else _spread(bounds, count)
    wanted = np.zeros((k, k), dtype=bool)
    wanted[:, landmarks] = True
    if not every:
        order = np.argsort(bounds + np.diag(np.full(k, np.inf)), axis=1, kind="stable")
        np.put_along_axis(wanted, order[:, : min(k - 1, NEIGHBOURS + MORE)], True, axis=1)
    wanted |= wanted.T
    np.fill_diagonal(wanted, False)
    pairs = np.argwhere(np.triu(wanted))
    distances, matched = bounds.copy(), wanted | np.eye(k, dtype=bool)
    size = int(centers.sizes.max(initial=0))
    ways = np.full((len(landmarks), k, size + 1), -1, dtype=np.int64)
    place = np.full(k, -1)
    place[landmarks] = np.arange(len(landmarks))
    for landmark in landmarks.tolist():
        own = int(centers.sizes[landmark])
        ways[place[landmark], landmark, :own] = np.arange(own)
    mappings: dict[tuple[int, int], IntArray] = {}
    if len(pairs):
        found = quick.match(centers, centers, pairs)
        for p, (a, b) in enumerate(pairs.tolist()):
            there = found.mapping(p)
            back = np.full(int(centers.sizes[b]), -1, dtype=np.int64)
            back[there[there >= 0]] = np.flatnonzero(there >= 0)
            distances[a, b] = distances[b, a] = found.upper[p]
            mappings[a, b], mappings[b, a] = there, back
            for x, y, way in ((a, b, there), (b, a, back)):
                if place[y] >= 0:
                    ways[place[y], x, : len(way)] = way
    width = min(NEIGHBOURS, k - 1)
    near, apart = np.full((k, max(width, 0)), -1), np.full((k, max(width, 0)), np.inf)
    known = np.where(wanted, distances, np.inf)
    for c in range(k if width else 0):
        near[c] = np.argsort(known[c], kind="stable")[:width]
        apart[c] = known[c, near[c]]
    return CenterWays(distances, matched, landmarks, ways, near, apart, mappings, size, len(pairs))


def _spread(bounds: FloatArray, count: int) -> IntArray:
    """Centers far from each other by their bounds: always the one that is farthest from those before."""
    chosen = [int(bounds.sum(axis=1).argmin())]
    nearest = bounds[chosen[0]].copy()
    while len(chosen) < count:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, bounds[chosen[-1]])
    return np.unique(chosen)
