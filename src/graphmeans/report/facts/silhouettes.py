"""The silhouettes of a page: of all pairs where that is cheap, else of a sample of each cluster, with their error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmeans.evaluation.fitted import frames_of
from graphmeans.evaluation.measures import silhouette_widths
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, row_ranges
from graphmeans.matching.match import Matches
from graphmeans.report.facts.centers import CenterWays
from graphmeans.space import GraphSpace

#: Members of a cluster that are compared along their centers; of all clusters together at most so many pairs.
MEMBERS, PAIRS = 12, 20_000
#: Fewest members of a cluster that are matched with each other to see how much too long distances along centers are.
FEWEST = 2
#: How many of the nearest clusters a graph is compared with: the nearest one on average is nearly always among them.
BESIDE = 3
#: An index whose error is larger than this says nothing, and is left out.
LARGEST_ERROR = 0.06


@dataclass(frozen=True, eq=False)
class Silhouettes:
    """Widths of some graphs, and the index: the mean over clusters of the mean width of their members."""

    rows: IntArray  # positions among the points
    widths: FloatArray
    index: float
    error: float | None  # the standard error of the index; None if nothing was sampled
    matchings: int
    inside: float  # the share of graphs that are nearer to their own cluster than to any other: the mean over clusters



def silhouettes(
    space: GraphSpace, points: GraphBatch, labels: IntArray, sizes: IntArray, own: Matches, ways: CenterWays, most: int,
    fair: NDArray[np.bool_], random_state: int = 0,
) -> Silhouettes | None:  # fmt: skip
    """Estimate silhouettes for at most about `most` matchings; None if that is too few to say anything.

    The index is the one of `graphmeans.evaluation.silhouette`. If not all pairs can be matched, some members of each cluster are
    compared with each other and with those of the nearest clusters: a few by matching them, the others along their
    centers, times how much that is too long for those that were matched. The error is a jackknife's: the index is computed
    again without the first of these members of each cluster, without the second, and so on.

    Parameters
    ----------
    space : GraphSpace
    points : GraphBatch
        The graphs at hand, which may be a sample.
    labels : int array
        Their clusters.
    sizes : int array
        The size of each cluster in the whole collection.
    own : Matches
        How the graphs are aligned to their centers.
    ways : CenterWays
        How the centers are aligned to each other.
    most : int
    fair : bool array
        The graphs that were drawn at random: no others are looked at.
    random_state : int
    """
    filled = np.unique(labels[fair])
    if len(filled) < 2:
        return None
    n = len(points)
    if n == int(sizes.sum()) and n * (n - 1) // 2 <= most:
        widths = silhouette_widths(space.distances(points), labels)
        return Silhouettes(np.arange(n), widths, _index(widths, labels), None, n * (n - 1) // 2, _inside(widths, labels))
    beside = _beside(ways, filled)
    blocks = len(filled) / 2 + len(beside)
    matched, compared = int(np.sqrt(most / blocks)), min(MEMBERS, int(np.sqrt(PAIRS / blocks)))
    if matched < FEWEST:
        return None
    random = np.random.RandomState(random_state)
    groups = {int(c): random.permutation(np.flatnonzero(fair & (labels == c)))[: max(matched, compared)] for c in filled}
    rows = np.sort(np.concatenate(list(groups.values())))
    place = np.full(n, -1)
    place[rows] = np.arange(len(rows))
    of, turn = labels[rows], np.empty(len(rows), dtype=np.int64)
    for members in groups.values():
        turn[place[members]] = np.arange(len(members))
    far = _along_centers(space, points, labels, own, ways, groups, beside, place, len(rows))
    some = {c: members[:matched] for c, members in groups.items()}
    spent = 0
    together = of[:, None] == of[None, :]
    inside, outside = [_within(members) for members in some.values()], [_between(some[a], some[b]) for a, b in beside]
    for alike, parts in ((together, inside), (~together, outside)):
        pairs = np.concatenate([np.zeros((0, 2), dtype=np.int64), *parts])
        true = space.match(points, points, pairs).upper
        i, j = place[pairs[:, 0]], place[pairs[:, 1]]
        along = float(far[i, j].sum())
        far[alike] *= float(true.sum()) / along if along > 0 else 1.0
        far[i, j] = far[j, i] = true
        spent += len(pairs)
    total, count = _sums(far, of)
    widths = _widths(total, count, of)
    single = np.bincount(of, minlength=len(sizes))[of] <= 1  # a cluster with one member keeps it
    left_out = []
    for t in range(int(turn.max()) + 1):
        kept = (turn != t) | single
        less, fewer = _sums(far[:, ~kept], of, of[~kept])
        left_out.append(_index(_widths((total - less)[kept], (count - fewer)[kept], of[kept]), of[kept]))
    m = len(left_out)
    error = float(np.sqrt((m - 1) / m * np.sum((np.array(left_out) - np.mean(left_out)) ** 2)))
    return Silhouettes(rows, widths, _index(widths, of), error, spent, _inside(widths, of))


def _along_centers(
    space: GraphSpace, points: GraphBatch, labels: IntArray, own: Matches, ways: CenterWays, groups: dict[int, IntArray],
    beside: list[tuple[int, int]], place: IntArray, count: int,
) -> FloatArray:  # fmt: skip
    """Distances along centers: a member goes to its center, on to that of the other, and back to the other; NaN elsewhere."""
    far = np.full((count, count), np.nan)
    near: dict[int, list[int]] = {c: [c] for c in groups}
    for a, b in beside:
        near[b].append(a)
    for b, others in near.items():
        targets, members = groups[b], np.concatenate([groups[a] for a in others])
        frames = frames_of(points.take(targets))
        back = np.full((len(targets), ways.size + 1), -1, dtype=np.int64)
        nodes, ptr = row_ranges(own.ptr, targets)
        of, hit = np.repeat(np.arange(len(targets)), np.diff(ptr)), own.flat[nodes] >= 0
        back[of[hit], own.flat[nodes[hit]]] = (np.arange(len(nodes)) - ptr[of])[hit]
        nodes, ptr = row_ranges(own.ptr, members)
        between = np.stack([ways.between(a, b) for a in others])
        of = np.repeat(np.arange(len(others)), [len(groups[a]) for a in others])
        into = between[np.repeat(of, np.diff(ptr)), own.flat[nodes]]
        pairs = _between(np.arange(len(members)), np.arange(len(targets)))
        nodes, ptr = row_ranges(ptr, pairs[:, 0])
        flat = back[np.repeat(pairs[:, 1], np.diff(ptr)), into[nodes]]
        found = frames.aligned_distances(points, members[pairs[:, 0]], pairs[:, 1], flat, ptr)
        i, j = place[members[pairs[:, 0]]], place[targets[pairs[:, 1]]]
        far[i, j] = far[j, i] = space.in_units_of_graphs(found)
    np.fill_diagonal(far, np.nan)
    return far


def _beside(ways: CenterWays, filled: IntArray) -> list[tuple[int, int]]:
    """Pairs of clusters with members of which one is among the nearest of the other."""
    inside = set(filled.tolist())
    near = {c: [int(b) for b in ways.neighbours[c] if int(b) in inside][:BESIDE] for c in inside}
    return sorted({(min(a, b), max(a, b)) for a, others in near.items() for b in others})


def _within(own: IntArray) -> IntArray:
    first, second = np.triu_indices(len(own), 1)
    return np.stack([own[first], own[second]], axis=1)


def _between(some: IntArray, others: IntArray) -> IntArray:
    return np.stack([np.repeat(some, len(others)), np.tile(others, len(some))], axis=1)


def _sums(far: FloatArray, labels: IntArray, columns: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Sums of the distances that are known (not NaN) from each graph to those of each cluster, and their numbers."""
    groups = np.unique(labels)
    member = ((labels if columns is None else columns)[:, None] == groups[None, :]).astype(np.float64)
    known = np.isfinite(far)
    return np.where(known, far, 0.0) @ member, known.astype(np.float64) @ member


def _widths(total: FloatArray, count: FloatArray, labels: IntArray) -> FloatArray:
    """Silhouette widths from sums of distances by cluster; 0 for a graph alone in its cluster."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0.5, total / count, np.inf)
    rows, column = np.arange(len(labels)), np.searchsorted(np.unique(labels), labels)
    own, alone = mean[rows, column], count[rows, column] < 0.5
    mean[rows, column] = np.inf
    other = mean.min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        widths = (other - own) / np.maximum(own, other)
    widths[alone | ~np.isfinite(widths)] = 0.0
    return np.asarray(widths)


def _inside(widths: FloatArray, labels: IntArray) -> float:
    return _index((widths > 0).astype(np.float64), labels)


def _index(widths: FloatArray, labels: IntArray) -> float:
    counts = np.bincount(labels)
    return float(np.mean(np.bincount(labels, widths)[counts > 0] / counts[counts > 0]))
