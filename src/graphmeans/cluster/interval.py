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
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.checkpoint import Checkpoint, Saved, packed, unpacked
from graphmeans.cluster.moving import MovingCentres
from graphmeans.cluster.problem import Problem, relocations
from graphmeans.cluster.result import Result
from graphmeans.cluster.stopping import Stopping
from graphmeans.cluster.swaps import swap_centres
from graphmeans.means.frames import Centres, Frames

#: A graph is moved by itself if that lowers the objective by this share of what a graph contributes on average.
WORTH_A_MOVE = 0.2
#: Until nothing moves otherwise, a graph need not move to a centre that is nearer by less than this share.
SLACK = 0.06


def interval(
    problem: Problem,
    centres: Centres | None,
    *,
    max_iter: int,
    tol: float,
    n_iter_no_change: int,
    target: float = 0.0,
    swaps: float = 0.0,
    certify: bool = False,
    checkpoint: Checkpoint | None = None,
    saved: Saved | None = None,
) -> Result:
    """k-means with lifted means and certified bounds; see the module's first lines.

    target : give up early where the objective cannot be expected to get below this. swaps : spend this multiple of the run's
    matchings on swapping centres (swaps.py). certify : prove labels by matchings where bounds do not. checkpoint : write what
    the next iteration depends on; saved : go on from there.
    """
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change, target)
    descent = Descent(problem, centres, checkpoint, saved)
    if saved is not None:
        stopping.goes_on_from(saved[0]["stopping"])
    budget = descent.budget
    if budget is None:
        descent.run(stopping, changed=saved is None)
        budget = problem.ledger.matchings.total() * (1.0 + swaps)
    if swaps:
        swap_centres(descent, stopping, budget)
    if certify:
        descent.certify(stopping)
    return descent.result(stopping)


class Descent:
    """Shards and centres on their way down. `run` ends where nothing improves; from there one may go on with changed centres."""

    def __init__(
        self, problem: Problem, seeds: Centres | None, checkpoint: Checkpoint | None = None, saved: Saved | None = None
    ) -> None:
        problem.bounded_order()
        self.problem, self.checkpoint = problem, checkpoint
        self.slack = 0.0
        self.budget: float | None = None
        self.swaps_tried = 0
        if saved is None:
            assert seeds is not None
            self.centres = problem.seeded_with(seeds.batch)
            self.shards = problem.engine
        else:
            head, arrays = saved
            self.centres = MovingCentres.restored(problem.order, problem.batch, unpacked("centres", arrays))
            self.shards = problem.engine
            self.shards.restore([unpacked(f"shard{s}", arrays) for s in range(head["shards"])])
            self.slack, self.budget, self.swaps_tried = head["slack"], head["budget"], head["swaps_tried"]

    def run(self, stopping: Stopping, changed: bool = True, trial: bool = False) -> None:
        """Assign and average until nothing changes; `changed` says that the centres are not the means of their clusters."""
        if changed:
            # While centres still move, borderline graphs would be matched again and again.
            self.slack = 0.0 if self.problem.is_euclidean else SLACK
        while True:
            counts: Counter[str] = sum(self.shards.each("assign", self.centres, self.slack), start=Counter())
            changed = changed or counts["moved"] > 0 or counts["realigned"] > 0
            goes_on = stopping.note(self.inertia(), counts["moved"], self._look, graphs=len(self.shards), **_columns(counts))
            if goes_on and not changed and self.slack:
                self.slack = 0.0
                continue
            if goes_on and not changed:
                changed = self._move_single_graphs() or self._realign()
            if not (goes_on and changed):
                return
            self._fill_empty_clusters()
            self.centres.move(added(self.shards.each("sums", self.centres)))
            self.shards.each("follow", self.centres)
            changed = False
            if not trial:
                self.keep(stopping)

    def keep(self, stopping: Stopping) -> None:
        """Write the checkpoint, if there is one."""
        if self.checkpoint is None:
            return
        states = self.shards.each("state")
        facts = {
            "iteration": stopping.iteration,
            "stopping": stopping.state(),
            "slack": self.slack,
            "budget": self.budget,
            "swaps_tried": self.swaps_tried,
            "shards": len(states),
            "matchings": dict(self.problem.ledger.matchings),
        }
        arrays = packed("centres", self.centres.state())
        for s, state in enumerate(states):
            arrays |= packed(f"shard{s}", state)
        self.checkpoint.write(facts, arrays)

    def certify(self, stopping: Stopping) -> None:
        """Spend matchings on labels that no bound proves, until all are proven or nothing more can be done."""
        while True:
            counts: Counter[str] = sum(self.shards.each("certify", self.centres), start=Counter())
            if not (counts["moved"] or counts["shorter"]):
                return
            self.centres.move(added(self.shards.each("sums", self.centres)))
            self.shards.each("follow", self.centres)
            self.run(stopping)

    def result(self, stopping: Stopping) -> Result:
        """The state as a Result."""
        labels, distances = self._gathered()
        certified = np.concatenate(self.shards.each("certified", self.centres))
        return stopping.last(labels, self.centres.centres(), distances, self.inertia(), certified)

    def inertia(self) -> float:
        """The objective along the stored alignments."""
        return float(sum(self.shards.each("inertia")))

    # -- changing a centre -------------------------------------------------------------------------

    def draw(self, random: np.random.RandomState) -> int:
        """A graph, by its weighted squared distance from its centre."""
        mass = np.cumsum(self.shards.each("inertia"))
        target = random.uniform() * mass[-1]
        shard = int(min(np.searchsorted(mass, target, side="right"), np.flatnonzero(np.diff(mass, prepend=0.0))[-1]))
        return int(self.shards.one(shard, "draw", target - (mass[shard - 1] if shard else 0.0)))

    def least_useful(self, graph: int, rank: int = 0) -> int | None:
        """The centre that would be missed least (or one of the next), other than that of this graph; None if there is none."""
        loss = sum(self.shards.each("loss", self.centres))
        loss[self.shards.label(graph)] = np.inf
        order = np.argsort(loss, kind="stable")[: self.centres.k - 1]
        return int(order[min(rank, len(order) - 1)]) if len(order) else None

    def put(self, c: int, graph: int) -> None:
        """Take centre c away and put it onto this graph."""
        self.centres.replace(c, self.shards.graph(graph))
        self.shards.each("abandon", c, self.centres)
        self.shards.each("take", np.array([graph]), np.array([c]), self.centres)

    def save(self) -> tuple[Any, ...]:
        """Everything, to come back to."""
        return copy(self.centres), self.shards.each("state")

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Go back to what `save` gave."""
        self.centres = copy(kept[0])
        self.shards.restore(kept[1])

    # -- steps -------------------------------------------------------------------------------------

    def _move_single_graphs(self) -> bool:
        """Move graphs where that lowers the objective; a cluster takes part in one move at a time, so that gains add up.

        Not where alignments leave no choice: there it is k-means of vectors, and what is known of it shall hold.
        """
        if self.problem.is_euclidean:
            return False
        least = WORTH_A_MOVE * self.inertia() / len(self.shards)
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


def added(parts: list[Frames]) -> Frames:
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
