"""What the paper's algorithms need of graphs that are all in memory: distances, means, and care for empty clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.vectors import add_rows
from graphmeans.matching.match import Matches
from graphmeans.matching.vectors import as_batch, writable
from graphmeans.means.frames import Centers
from graphmeans.means.incremental import Incremental
from graphmeans.means.lifted import Lifted
from graphmeans.means.method import compute_means, in_turn
from graphmeans.space import PAIRS_AT_ONCE

#: Distances that differ by no more than this share are tied: of tied centers the first is the nearest.
TIED = 1e-10


class InMemoryFit:
    """The graphs of a context, with every matching counted."""

    def __init__(self, context: FitContext, matcher: CountedMatcher) -> None:
        self.context, self.matcher = context, matcher
        self.batch, self.weights = context.batch, context.weights

    def __len__(self) -> int:
        return len(self.batch)

    def match(self, x: GraphBatch, y: GraphBatch, pairs: IntArray) -> Matches:
        """Hand pairs to the matcher, counted."""
        return self.matcher.match(x, y, pairs)

    def distances(self, graphs: IntArray, centers: Centers, to: IntArray) -> FloatArray:
        """D(X, Y) of graph ``graphs[p]`` and center ``to[p]``."""
        result = np.empty(len(graphs))
        for start in range(0, len(graphs), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            result[part] = self.match(self.batch, centers.batch, np.stack([graphs[part], to[part]], axis=1)).upper
        return result

    def all_distances(self, centers: Centers) -> FloatArray:
        """D(X, Y) of every graph and every center, shape (N, k)."""
        space = self.context.space
        if space.layout is not None:
            self.matcher.count(len(self) * len(centers))
            return space.layout.distances(self.batch.nodes, centers.batch.nodes, space.n_jobs)
        graphs, to = (part.ravel() for part in np.indices((len(self), len(centers))))
        return self.distances(graphs, centers, to).reshape(len(self), len(centers))

    @staticmethod
    def first_nearest(distances: FloatArray) -> IntArray:
        """The nearest center of each graph, of several that are tied the first; distances are of shape (N, k)."""
        least = distances.min(axis=1, keepdims=True)
        return np.asarray((distances <= least * (1.0 + TIED)).argmax(axis=1))

    def center_distances(self, centers: Centers) -> FloatArray:
        """D(Y, Y') of all pairs of centers, shape (k, k)."""
        rows, columns = np.triu_indices(len(centers), k=1)
        result = np.zeros((len(centers), len(centers)))
        result[rows, columns] = self.match(centers.batch, centers.batch, np.stack([rows, columns], axis=1)).upper
        return np.asarray(result + result.T)

    def center_shifts(self, old: Centers, new: Centers) -> FloatArray:
        """delta(Y) = D(Y, Y') of each center and the one that takes its place."""
        same = np.arange(len(old))
        return self.match(old.batch, new.batch, np.stack([same, same], axis=1)).upper

    def means(self, labels: IntArray, old: Centers, iteration: int) -> Centers:
        """The mean of each cluster, its members taken in a random order; a cluster without weight keeps its center.

        The mean of rows is their average, which needs no matching.
        """
        if self.context.space.layout is not None and isinstance(self.context.mean, (Incremental, Lifted)):
            rows, total = old.batch.nodes.copy(), np.zeros(len(old))
            sums = np.zeros_like(rows)
            add_rows(writable(self.batch.nodes), labels, writable(self.weights), sums, total)
            rows[total > 0] = sums[total > 0] / total[total > 0, None]
            return Centers.of_graphs(as_batch(rows))
        random = self.context.random("mean", iteration)
        groups = in_turn(labels, len(old), random)
        filled = np.array([c for c, group in enumerate(groups) if self.weights[group].any()], dtype=np.int64)
        chosen = [groups[c] for c in filled]
        means = compute_means(
            self.context.mean, self.match, self.batch, chosen, self.weights, self.context.space.order, random
        )
        return means.centers if len(filled) == len(old) else old.replaced(filled, means.centers)

    def fill_empty_clusters(self, labels: IntArray, distances: FloatArray, k: int) -> IntArray:
        """Labels in which each empty cluster takes the graph farthest from its center, see `relocations`."""
        counted = self.weights > 0
        sizes = np.bincount(labels[counted], minlength=k)
        if sizes.all():
            return labels
        far = farthest_first(distances)
        far = far[counted[far] & (distances[far] > 0)]
        labels = labels.copy()
        for graph, c in relocations(sizes, far, labels[far]):
            labels[graph] = c
        return labels


def farthest_first(distances: FloatArray) -> IntArray:
    """Positions by decreasing distance, of tied ones the first position first."""
    order = np.argsort(-distances, kind="stable")
    falls = distances[order][1:] < distances[order][:-1] * (1.0 - TIED)
    level = np.concatenate([np.zeros(min(1, len(order)), dtype=np.int64), np.cumsum(falls)])
    return np.asarray(order[np.lexsort((order, level))])


def is_closer(distance: FloatArray, y: IntArray, upper: FloatArray, labels: IntArray) -> NDArray[np.bool_]:
    """Whether centers y take graphs over from those of their labels: they are nearer, or tied and come first."""
    nearer, tied = distance < upper * (1.0 - TIED), distance <= upper * (1.0 + TIED)
    return np.asarray(nearer | (tied & (y < labels)))


def relocations(sizes: IntArray, far: IntArray, labels: IntArray) -> list[tuple[int, int]]:
    """Which graph each empty cluster takes: the farthest from its center (`far`, in that order) in a cluster of two or more.

    Graphs at distance 0 are not to be offered: if there are no others the cluster remains empty, with its old center.
    """
    sizes = sizes.copy()
    offers = iter(zip(far, labels, strict=True))
    taken = []
    for c in np.flatnonzero(sizes == 0):
        for graph, label in offers:
            if sizes[label] >= 2:
                sizes[label] -= 1
                taken.append((int(graph), int(c)))
                break
    return taken
