"""k-means that matches almost nothing: every distance is an interval, refined only until the assignment is decided.

- Every graph x is kept aligned to its center y. The new mean is the average of the aligned members; how far it moved,
  and u = |x - y'|, are norms in one frame. None of that takes a matching.
- For the other centers there are lower bounds. One that was true for an earlier center is true now less the distance
  that the center has moved since. One bound for all of them decides most graphs; sketches of graphs and centers, compared
  by one matrix product, most of the rest; then one linear assignment a pair. Only where u still exceeds the bound is the
  graph matched with the candidate. Nearly all are decided long before that.
- When nothing moves, single graphs are tried in clusters where they would lower the objective although the center is no
  nearer now, because it would follow them. When that is done, everybody whose alignment is not proven is aligned to their
  own center once more. If nobody comes closer, the clustering is done. S = sum |x - y|^2 never rises.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.algorithms.center_swaps import swap_centers
from graphmeans.cluster.algorithms.history import Stopping
from graphmeans.cluster.algorithms.initialization import drawn
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.context import Problem, relocations
from graphmeans.cluster.persistence.checkpoint import Checkpoint, Saved, packed, unpacked
from graphmeans.cluster.shards.reductions import Farthest, Offers, Sample, Summary
from graphmeans.means.frames import Centers

IntArray = NDArray[np.int64]

#: A graph is moved by itself if that lowers the objective by this share of what a graph contributes on average.
WORTH_A_MOVE = 0.2
#: Until nothing moves otherwise, a graph need not move to a center that is nearer by less than this share.
SLACK = 0.06


def interval(
    problem: Problem,
    centers: Centers | None,
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
    matchings on swapping centers (swaps.py). certify : prove labels by matchings where bounds do not. checkpoint : write what
    the next iteration depends on; saved : go on from there.
    """
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change, target)
    descent = Descent(problem, centers, checkpoint, saved)
    if saved is not None:
        stopping.goes_on_from(saved[0]["stopping"])
    budget = descent.budget
    if budget is None:
        descent.run(stopping, changed=saved is None)
        budget = problem.ledger.matchings.total() * (1.0 + swaps)
    if swaps:
        swap_centers(descent, stopping, budget)
    if certify:
        descent.certify(stopping)
    return descent.result(stopping)


class Descent:
    """Shards and centers on their way down. `run` ends where nothing improves; from there one may go on with changed centers."""

    def __init__(
        self, problem: Problem, seeds: Centers | None, checkpoint: Checkpoint | None = None, saved: Saved | None = None
    ) -> None:
        problem.bounded_order()
        self.problem, self.checkpoint = problem, checkpoint
        self.slack = 0.0
        self.budget: float | None = None
        self.swaps_tried = 0
        self._before_trial: MovingCenters | None = None
        problem.descent = self
        if saved is None:
            assert seeds is not None
            self.centers = problem.seeded_with(seeds.batch)
            self.shards = problem.engine(self.centers.k)
        else:
            head, arrays = saved
            self.centers = MovingCenters.restored(problem.order, problem.source.like, unpacked("centers", arrays))
            self.shards = problem.engine(self.centers.k)
            self.shards.restore(head["generation"])
            self.slack, self.budget, self.swaps_tried = head["slack"], head["budget"], head["swaps_tried"]

    def run(self, stopping: Stopping, changed: bool = True, trial: bool = False) -> None:
        """Assign and average until nothing changes; `changed` says that the centers are not the means of their clusters.

        What a trial comes to is not left behind.
        """
        if changed:
            # While centers still move, borderline graphs would be matched again and again.
            self.slack = 0.0 if self.problem.is_euclidean else SLACK
        while True:
            found: Summary = self.shards.total("assign", self.centers, self.slack, leave=not trial)
            counts, sums = found.counts, found.frames
            changed = changed or counts["moved"] > 0 or counts["realigned"] > 0
            goes_on = stopping.note(found.inertia, counts["moved"], self._look, graphs=len(self.shards), **_columns(counts))
            if goes_on and not changed and self.slack:
                self.slack = 0.0
                continue
            other = False
            if goes_on and not changed:
                changed = other = self._move_single_graphs() or self._realign()
            if not (goes_on and changed):
                if goes_on and not trial:
                    self.leave()  # what was tried in vain is known, too
                return
            if self._fill_empty_clusters(found.sizes) or other:
                sums = self.shards.total("sums", self.centers, leave=not trial)
            self.centers.move(sums)
            changed = False
            if not trial:
                self.keep(stopping)

    def keep(self, stopping: Stopping) -> None:
        """Write the checkpoint, if there is one: the shards have left their part behind already."""
        if self.checkpoint is None:
            return
        facts = {
            "iteration": stopping.iteration,
            "stopping": stopping.state(),
            "slack": self.slack,
            "budget": self.budget,
            "swaps_tried": self.swaps_tried,
            "generation": self.shards.generation,
            "matchings": dict(self.problem.ledger.matchings),
        }
        self.checkpoint.write(facts, packed("centers", self.centers.state()))

    def certify(self, stopping: Stopping) -> None:
        """Spend matchings on labels that no bound proves, until all are proven or nothing more can be done."""
        while True:
            counts: Counter[str] = self.shards.total("certify", self.centers)
            if not (counts["moved"] or counts["shorter"]):
                return
            self.centers.move(self.shards.total("sums", self.centers))
            self.run(stopping)

    def result(self, stopping: Stopping) -> Result:
        """The state as a Result."""
        proven: IntArray = self.shards.total("certified", self.centers)
        return self._result(stopping, certified=float(proven[0] / proven[1]))

    def stopped(self, stopping: Stopping) -> Result:
        """The state when somebody interrupts, of shards that have finished what they were told; a trial is given up."""
        if self._before_trial is not None:
            self.restore(self._before_trial)
        return self._result(stopping)

    def _result(self, stopping: Stopping, **more: Any) -> Result:
        filled = int((self.shards.total("members", self.centers.k) > 0).sum())
        return stopping.last(*self._look(), self.inertia(), filled=filled, engine=self.shards.remote, **more)

    def inertia(self) -> float:
        """The objective along the stored alignments."""
        return float(self.shards.total("inertia"))

    # -- changing a center -------------------------------------------------------------------------

    def draw(self, random: np.random.RandomState) -> Sample:
        """A graph, by its weighted squared distance from its center."""
        return drawn(self.shards, "draw", random, self.shards.each("inertia"))

    def least_useful(self, graph: Sample, rank: int = 0) -> int | None:
        """The center that would be missed least (or one of the next), other than that of this graph; None if there is none."""
        loss = self.shards.total("loss", self.centers)
        loss[graph.label[0]] = np.inf
        order = np.argsort(loss, kind="stable")[: self.centers.k - 1]
        return int(order[min(rank, len(order) - 1)]) if len(order) else None

    def put(self, c: int, graph: Sample) -> None:
        """Take center c away and put it onto this graph."""
        self.centers.replace(c, graph.batch)
        self.shards.each("abandon", c, self.centers)
        self.shards.each("take", graph.graph, np.array([c]), self.centers)

    def save(self) -> MovingCenters:
        """Everything, to come back to; shards remember their part."""
        self.shards.each("remember")
        self._before_trial = copy(self.centers)
        return self._before_trial

    def restore(self, kept: MovingCenters) -> None:
        """Go back to what `save` gave."""
        self.centers, self._before_trial = copy(kept), None
        self.shards.each("recall", leave=True)

    def leave(self) -> None:
        """Shards leave behind what they have become, for good."""
        self._before_trial = None
        self.shards.each("inertia", leave=True)

    # -- steps -------------------------------------------------------------------------------------

    def _move_single_graphs(self) -> bool:
        """Move graphs where that lowers the objective; a cluster takes part in one move at a time, so that gains add up.

        Not where alignments leave no choice: there it is k-means of vectors, and what is known of it shall hold.
        """
        if self.problem.is_euclidean:
            return False
        least = WORTH_A_MOVE * self.inertia() / len(self.shards)
        offers: Offers = self.shards.total("propose", least, self.centers)
        self.shards.each("accept", offers.graph, self.centers)
        return bool(len(offers.graph))

    def _realign(self) -> bool:
        return bool(self.shards.total("realign_all", self.centers) > 0)

    def _fill_empty_clusters(self, sizes: IntArray) -> bool:
        if sizes.all():
            return False
        far: Farthest = self.shards.total("farthest", 2 * len(sizes))
        pairs = relocations(sizes, far.graph, far.label)
        numbers, to = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self.shards.each("take", numbers, to, self.centers)
        return bool(pairs)

    def _look(self) -> tuple[Any, Centers]:
        """Labels and distances, wherever they are, and the centers that they belong to."""
        return self.shards.look(), self.centers.centers()


def _columns(counts: Counter[str]) -> dict[str, int]:
    return {
        "assignment_bounds": counts["assignments"],
        "pruned_by_bounds": counts["by_one_bound"],
        "pruned_by_sketches": counts["by_sketch"],
        "pruned_by_assignments": counts["by_assignment"],
    }
