"""k-means that matches almost nothing: every distance is an interval, refined only until the assignment is decided.

- Every graph x is kept aligned to its centre y. The new mean is the average of the aligned members; how far it moved,
  and u = |x - y'|, are norms in one frame. None of that takes a matching.
- For the other centres there are lower bounds. One that was true for an earlier centre is true now less the distance
  that the centre has moved since. One bound for all of them decides most graphs; sketches of graphs and centres, compared
  by one matrix product, most of the rest; then one linear assignment a pair. Only where u still exceeds the bound is the
  graph matched with the candidate. Nearly all are decided long before that.
- When nothing moves, single graphs are tried in clusters where they would lower the objective although the centre is no
  nearer now, because it would follow them. When that is done, everybody whose alignment is not proven is aligned to their
  own centre once more. If nobody comes closer, the clustering is done. S = sum |x - y|^2 never rises.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.problem import Problem, relocations
from graphmeans.cluster.result import Result
from graphmeans.cluster.stopping import Stopping
from graphmeans.means.frames import Centres, Frames

#: A graph is moved by itself if that lowers the objective by this share of what a graph contributes on average.
WORTH_A_MOVE = 0.1


def interval(problem: Problem, centres: Centres, *, max_iter: int, tol: float, n_iter_no_change: int) -> Result:
    """k-means with lifted means and certified bounds; see the module's first lines."""
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change)
    descent = Descent(problem, centres)
    descent.run(stopping)
    return descent.result(stopping)


class Descent:
    """Shards and centres on their way down. `run` ends where nothing improves; from there one may go on with changed centres."""

    def __init__(self, problem: Problem, centres: Centres) -> None:
        problem.bounded_order()
        self.problem = problem
        self.centres = problem.seeded_with(centres.batch)
        self.shards = problem.engine

    def run(self, stopping: Stopping) -> None:
        """Assign and average until nothing changes."""
        changed = True  # whether the centres are not the means of their clusters
        while True:
            counts: Counter[str] = sum(self.shards.each("assign", self.centres), start=Counter())
            changed = changed or counts["moved"] > 0 or counts["realigned"] > 0
            goes_on = stopping.note(self.inertia(), counts["moved"], self._look, **_columns(counts))
            if goes_on and not changed:
                changed = self._move_single_graphs() or self._realign()
            if not (goes_on and changed):
                return
            self._fill_empty_clusters()
            self.centres.move(_added(self.shards.each("sums", self.centres)))
            self.shards.each("follow", self.centres)
            changed = False

    def result(self, stopping: Stopping) -> Result:
        """The state as a Result."""
        labels, distances = self._gathered()
        certified = np.concatenate(self.shards.each("certified", self.centres))
        return stopping.last(labels, self.centres.centres(), distances, self.inertia(), certified)

    def inertia(self) -> float:
        """The objective along the stored alignments."""
        return float(sum(self.shards.each("inertia")))

    def _move_single_graphs(self) -> bool:
        """Move graphs where that lowers the objective; a cluster takes part in one move at a time, so that gains add up.

        Not where alignments leave no choice: there it is k-means of vectors, and what is known of it shall hold.
        """
        if self.problem.is_euclidean:
            return False
        least = WORTH_A_MOVE * self.inertia() / len(self.problem)
        graph, a, b, gain = (
            np.concatenate(parts) for parts in zip(*self.shards.each("propose", least, self.centres), strict=True)
        )
        busy = np.zeros(self.centres.k, dtype=bool)
        chosen = []
        for p in np.lexsort([graph, -gain]):
            if not (busy[a[p]] or busy[b[p]]):
                busy[a[p]] = busy[b[p]] = True
                chosen.append(graph[p])
        self.shards.each("accept", np.array(chosen, dtype=np.int64), self.centres)
        return bool(chosen)

    def _realign(self) -> bool:
        return sum(self.shards.each("realign_all", self.centres)) > 0

    def _fill_empty_clusters(self) -> None:
        sizes = sum(self.shards.each("sizes", self.centres.k))
        if sizes.all():
            return
        number, label, far = (
            np.concatenate(parts) for parts in zip(*self.shards.each("farthest", 2 * len(sizes)), strict=True)
        )
        order = np.lexsort([number, -far])
        pairs = relocations(sizes, number[order], label[order])
        numbers, to = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self.shards.each("take", numbers, to, self.centres)

    def _gathered(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        labels, distances = zip(*self.shards.each("assignment"), strict=True)
        return np.concatenate(labels), np.concatenate(distances)

    def _look(self) -> tuple[Any, ...]:
        labels, distances = self._gathered()
        return labels, self.centres.centres(), distances


def _added(parts: list[Frames]) -> Frames:
    """Sums of all shards, added in their order."""
    total = parts[0]
    for part in parts[1:]:
        for name in Frames.SUMS:
            getattr(total, name)[:] += getattr(part, name)
    return total


def _columns(counts: Counter[str]) -> dict[str, int]:
    return {
        "assignment_bounds": counts["assignments"],
        "pruned_by_bounds": counts["by_one_bound"],
        "pruned_by_sketches": counts["by_sketch"],
        "pruned_by_assignments": counts["by_assignment"],
    }
