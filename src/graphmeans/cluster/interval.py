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
from graphmeans.cluster.seeding import drawn
from graphmeans.cluster.stopping import Stopping
from graphmeans.cluster.summary import Farthest, Offers, Sample, Summary
from graphmeans.cluster.swaps import swap_centres
from graphmeans.means.frames import Centres

IntArray = NDArray[np.int64]

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
        self._before_trial: MovingCentres | None = None
        problem.descent = self
        if saved is None:
            assert seeds is not None
            self.centres = problem.seeded_with(seeds.batch)
            self.shards = problem.engine(self.centres.k)
        else:
            head, arrays = saved
            self.centres = MovingCentres.restored(problem.order, problem.source.like, unpacked("centres", arrays))
            self.shards = problem.engine(self.centres.k)
            self.shards.restore(head["generation"])
            self.slack, self.budget, self.swaps_tried = head["slack"], head["budget"], head["swaps_tried"]

    def run(self, stopping: Stopping, changed: bool = True, trial: bool = False) -> None:
        """Assign and average until nothing changes; `changed` says that the centres are not the means of their clusters.

        What a trial comes to is not left behind.
        """
        if changed:
            # While centres still move, borderline graphs would be matched again and again.
            self.slack = 0.0 if self.problem.is_euclidean else SLACK
        while True:
            found: Summary = self.shards.total("assign", self.centres, self.slack, leave=not trial)
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
                sums = self.shards.total("sums", self.centres, leave=not trial)
            self.centres.move(sums)
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
        self.checkpoint.write(facts, packed("centres", self.centres.state()))

    def certify(self, stopping: Stopping) -> None:
        """Spend matchings on labels that no bound proves, until all are proven or nothing more can be done."""
        while True:
            counts: Counter[str] = self.shards.total("certify", self.centres)
            if not (counts["moved"] or counts["shorter"]):
                return
            self.centres.move(self.shards.total("sums", self.centres))
            self.run(stopping)

    def result(self, stopping: Stopping) -> Result:
        """The state as a Result."""
        proven: IntArray = self.shards.total("certified", self.centres)
        return self._result(stopping, certified=float(proven[0] / proven[1]))

    def stopped(self, stopping: Stopping) -> Result:
        """The state when somebody interrupts, of shards that have finished what they were told; a trial is given up."""
        if self._before_trial is not None:
            self.restore(self._before_trial)
        return self._result(stopping)

    def _result(self, stopping: Stopping, **more: Any) -> Result:
        filled = int((self.shards.total("members", self.centres.k) > 0).sum())
        return stopping.last(*self._look(), self.inertia(), filled=filled, engine=self.shards.remote, **more)

    def inertia(self) -> float:
        """The objective along the stored alignments."""
        return float(self.shards.total("inertia"))

    # -- changing a centre -------------------------------------------------------------------------

    def draw(self, random: np.random.RandomState) -> Sample:
        """A graph, by its weighted squared distance from its centre."""
        return drawn(self.shards, "draw", random, self.shards.each("inertia"))

    def least_useful(self, graph: Sample, rank: int = 0) -> int | None:
        """The centre that would be missed least (or one of the next), other than that of this graph; None if there is none."""
        loss = self.shards.total("loss", self.centres)
        loss[graph.label[0]] = np.inf
        order = np.argsort(loss, kind="stable")[: self.centres.k - 1]
        return int(order[min(rank, len(order) - 1)]) if len(order) else None

    def put(self, c: int, graph: Sample) -> None:
        """Take centre c away and put it onto this graph."""
        self.centres.replace(c, graph.batch)
        self.shards.each("abandon", c, self.centres)
        self.shards.each("take", graph.graph, np.array([c]), self.centres)

    def save(self) -> MovingCentres:
        """Everything, to come back to; shards remember their part."""
        self.shards.each("remember")
        self._before_trial = copy(self.centres)
        return self._before_trial

    def restore(self, kept: MovingCentres) -> None:
        """Go back to what `save` gave."""
        self.centres, self._before_trial = copy(kept), None
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
        offers: Offers = self.shards.total("propose", least, self.centres)
        self.shards.each("accept", offers.graph, self.centres)
        return bool(len(offers.graph))

    def _realign(self) -> bool:
        return bool(self.shards.total("realign_all", self.centres) > 0)

    def _fill_empty_clusters(self, sizes: IntArray) -> bool:
        if sizes.all():
            return False
        far: Farthest = self.shards.total("farthest", 2 * len(sizes))
        pairs = relocations(sizes, far.graph, far.label)
        numbers, to = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self.shards.each("take", numbers, to, self.centres)
        return bool(pairs)

    def _look(self) -> tuple[Any, Centres]:
        """Labels and distances, wherever they are, and the centres that they belong to."""
        return self.shards.look(), self.centres.centres()


def _columns(counts: Counter[str]) -> dict[str, int]:
    return {
        "assignment_bounds": counts["assignments"],
        "pruned_by_bounds": counts["by_one_bound"],
        "pruned_by_sketches": counts["by_sketch"],
        "pruned_by_assignments": counts["by_assignment"],
    }
