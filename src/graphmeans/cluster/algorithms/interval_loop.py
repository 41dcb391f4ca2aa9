"""`IntervalLoop`: the loop of the interval algorithm, which assigns and averages until nothing improves."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from graphmeans.cluster.algorithms.exchanges import put_centers
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.in_memory import relocations
from graphmeans.cluster.algorithms.moving import centers_of_arrays, centers_of_graphs, check_centers
from graphmeans.cluster.algorithms.result import Alignments, Result, Trace
from graphmeans.cluster.algorithms.seeds import Seeds, draw_by_distance
from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorSums
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.engines.base import Engine, GetAssignment
from graphmeans.cluster.persistence.checkpoint import Checkpoint, CheckpointFile, prefixed, without_prefix
from graphmeans.cluster.shards import refine, sample
from graphmeans.cluster.shards.assign import assign, claim_graphs, measure_all
from graphmeans.cluster.shards.reductions import AssignmentTotals, Sample
from graphmeans.cluster.shards.seed import reset
from graphmeans.files import blaming
from graphmeans.graphs.batch import IntArray, offsets
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centers, Frames

#: A graph is moved by itself if that lowers the objective by this share of what a graph contributes on average.
WORTH_A_MOVE = 0.02
#: Until nothing moves otherwise, a graph need not move to a center that is nearer by less than this share.
SLACK = 0.06
#: Most tree nodes for an alignment that means are made of.
CAREFUL = 50
#: Centers are settling when no more than this share of the graphs moves.
FEW = 0.02
#: Most nodes of the search tree for the proof of a label against a center, in the stages of `certify`; parts of a stage.
PROOF_TREE_NODES, PROOF_PARTS = (20, 200, 2_000), 10
#: To assign so many graphs, nearly all of them by bounds, is as much work as a matching.
GRAPHS_PER_MATCHING = 100
#: A cluster of one graph is a sign of a poor optimum where the largest has so many.
LARGE = 10


@dataclass(frozen=True)
class Snapshot:
    """What a trial goes back to; shards keep their part themselves."""

    centers: MovingCenters
    inertia: float
    shard_inertia: list[float]


@dataclass
class SwapState:
    """What swapping centers may spend, has tried and has learnt; a checkpoint holds it.

    Attributes
    ----------
    budget : float
        The work that a run may have done when it ends; see `IntervalLoop.work`.
    sketch_share, lap_share : float
        What bounds make up of distances; see `Closeness`.
    tried, kept, kept_at, drawn_at : int
        How many swaps were tried and kept; how many had been tried when one was last kept, and when candidates were drawn.
    in_vain : list of [center, candidate] or of [cluster that joins, the other one, cluster to be split]
        Swaps of the present candidates that did not help.
    doubt_of_center, doubt_of_cluster : list of float
        By how much gains seem to be overestimated where this center is taken away, or this cluster gets another.
    costs : list of [cluster that joins, the other one, cost]
        What mergers cost that took a matching to be known.
    exhausted, done : bool
        Whether it ended because nothing promised anything, and whether it has ended.
    """

    budget: float
    sketch_share: float
    lap_share: float
    tried: int = 0
    kept: int = 0
    kept_at: int = 0
    drawn_at: int = 0
    in_vain: list[list[int]] = field(default_factory=list)
    doubt_of_center: list[float] = field(default_factory=list)
    doubt_of_cluster: list[float] = field(default_factory=list)
    costs: list[list[float]] = field(default_factory=list)
    exhausted: bool = False
    done: bool = False

    def keep_trial(self, concerned: list[int]) -> None:
        """A swap has helped: clusters are others now, and those that were concerned are trusted again."""
        self.kept, self.kept_at, self.drawn_at = self.kept + 1, self.tried, self.tried
        for doubts in (self.doubt_of_center, self.doubt_of_cluster):
            for c in concerned:
                doubts[c] = 0.0
        self.in_vain, self.costs = [], []


class IntervalLoop:
    """Shards and centers, and the loop over them. `run` ends where nothing improves; one may go on with other centers.

    Parameters
    ----------
    context : FitContext
    engine : Engine
        Who holds the shards.
    centers : FrameCenters or VectorCenters
    file : CheckpointFile, optional
        Where checkpoints are written.

    Attributes
    ----------
    inertia : float
        The objective along the stored alignments, as the last assignment found it.
    """

    def __init__(
        self, context: FitContext, engine: Engine, centers: MovingCenters, file: CheckpointFile | None = None
    ) -> None:
        self.context, self.engine, self.centers, self.file = context, engine, centers, file
        if file is not None:
            engine.confirmed = 0  # until the file names a checkpoint, nothing may go
        self.inertia = np.inf
        self._shard_inertia: list[float] = []
        self._slack = 0.0
        self._before_trial: Snapshot | None = None
        self._assigned = 0  # graphs, over all iterations
        #: What swapping centers has come to; kept here because checkpoints hold it.
        self.swaps: SwapState | None = None

    @classmethod
    def from_seeds(
        cls, context: FitContext, engine: Engine, seeds: Seeds, file: CheckpointFile | None = None
    ) -> IntervalLoop:
        """Start from seeds: those that the shards of the engine know already, or others."""
        context.bounded_order()  # an error where there is none
        if seeds.in_frames is not None and seeds.engine is engine:
            return cls(context, engine, seeds.in_frames, file)
        if seeds.engine is engine:
            engine.each(reset)  # the shards may know other seeds
        return cls(context, engine, centers_of_graphs(context, seeds.centers.batch), file)

    @classmethod
    def from_checkpoint(cls, context: FitContext, engine: Engine, saved: Checkpoint, file: CheckpointFile) -> IntervalLoop:
        """Go on from a checkpoint."""
        arrays = without_prefix("centers", saved.arrays)
        with blaming(file.path):
            check_centers(context, arrays, engine.k)
            if saved.facts["swaps"] is not None and len(saved.facts["swaps"]["doubt_of_center"]) != engine.k:
                raise GraphError("is not consistent in itself: its swaps are of another number of centers")
        centers = centers_of_arrays(context, arrays)
        loop = cls(context, engine, centers, file)
        engine.restore(saved.facts["checkpoint_id"], centers.times)
        engine.confirmed = saved.facts["checkpoint_id"]
        if misfits := engine.sum(sample.misfits, centers):
            raise GraphError(f"{file.path}: not a checkpoint, or a damaged one ({misfits} graphs are not where it says)")
        loop._slack, loop._assigned = saved.facts["slack"], saved.facts["assigned"]
        loop.swaps = None if saved.facts["swaps"] is None else SwapState(**saved.facts["swaps"])
        loop._ask_inertia()
        return loop

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, history: History, changed: bool = True, trial: bool = False, rough: bool = False) -> None:
        """Assign and average until nothing changes; `changed` says that the centers are not the means of their clusters.

        What becomes of a trial is not written to disk. A `rough` run ends when alignments and single moves gain little.
        """
        if changed:
            # While centers still move, borderline graphs would be matched again and again.
            self._slack = 0.0 if self.context.is_euclidean else SLACK
        while True:
            found = self._assign(log=not trial)
            counts = found.counts
            changed = changed or counts["moved"] > 0 or counts["realigned"] > 0
            now = None if trial else self.get_assignment()
            goes_on = history.record(found.inertia, counts["moved"], now, graphs=len(self.engine), **_columns(counts))
            goes_on = goes_on and not (rough and not self._slack and history.is_flat())
            sums: Frames | VectorSums | None = found.sums
            if goes_on and self._slack and (not changed or self._is_settling(history, counts["moved"])):
                if self._realign():
                    changed, sums = True, None
                elif not changed:
                    self._slack = 0.0
                    continue
            elif goes_on and not changed:
                changed, sums = self._refine(log=not trial)
            if not (goes_on and changed):
                if goes_on and not trial:
                    self.write_logs()  # what was tried in vain is known, too
                return
            if self._fill_empty_clusters(found.sizes) or sums is None:
                sums = self.engine.sum(sample.sums, self.centers, log=not trial)
            self.move_to_means(sums)
            changed = False
            if trial and history.is_out_of_reach(reached := self._inertia_of_means()):
                self.inertia = reached
                return
            if not trial:
                self.write_checkpoint(history)

    def polish(self, history: History) -> None:
        """Go on to the end after rough runs and swaps."""
        assert self.swaps is not None, "there were no swaps"
        self.swaps.done, self._slack = True, 0.0
        history.renew()
        self.run(history, changed=False)

    def move_to_means(self, sums: Frames | VectorSums) -> None:
        """The averages of these sums are the centers from now on."""
        centers: Any = self.centers  # sums are always of the kind of the centers
        centers.move_to_means(sums)

    def _inertia_of_means(self) -> float:
        """The objective after the centers have moved to the means: S falls by the weight of each times its squared shift."""
        if not isinstance(self.centers, FrameCenters):
            return self.inertia
        return self.inertia - float(self.centers.frames.total @ self.centers.shift[self.centers.now - 1] ** 2)

    def _assign(self, log: bool) -> AssignmentTotals:
        found = self.engine.sum(assign, self.centers, self._slack, log=log)
        self.inertia = found.inertia
        self._assigned += len(self.engine)
        self._shard_inertia = [found.shard_inertia[first] for first in sorted(found.shard_inertia)]
        return found

    def _is_settling(self, history: History, moved: int) -> bool:
        """Whether larger graphs are to be aligned anew although some still move.

        Their first alignments are to seeds, and blur the means. Sharper means soon save more than waiting does.
        """
        return self.looks_closely and history.iteration > 1 and moved <= FEW * len(self.engine)

    def _realign(self) -> bool:
        """Align larger graphs anew to centers that have moved since; whether any came closer."""
        return self.looks_closely and bool(self.engine.sum(refine.realign_all, self.centers, CAREFUL) > 0)

    def _refine(self, log: bool) -> tuple[bool, Frames | None]:
        """Move single graphs, or else align anew. Returns whether anything changed, and the sums if they are known.

        Larger graphs are aligned first: a better alignment gains more than a move.
        """
        if self._realign():
            return True, None
        sums = self._move_single_graphs(log)
        if sums is not None:
            return True, sums
        if self.looks_closely:
            return False, None
        return bool(self.engine.sum(refine.realign_all, self.centers, 0) > 0), None

    def _move_single_graphs(self, log: bool) -> Frames | None:
        """Move graphs where that lowers the objective, few of each cluster at a time.

        Their gains about add up. Where they do not, so that the objective would rise, no cluster takes part in two moves.

        Not where alignments leave no choice: there it is k-means of vectors, and what is known of it shall hold.
        """
        if self.context.is_euclidean:
            return None
        least = WORTH_A_MOVE * self.inertia / len(self.engine)
        moves = self.engine.sum(refine.hartigan_moves, least, self.centers)
        if not len(moves.graph):
            return None
        assert isinstance(self.centers, FrameCenters), "rows do not move by themselves"
        if not moves.are_disjoint:
            after: Frames = self.engine.sum(refine.sums_after_moves, moves.graph, self.centers)
            if not after.explained() > self.centers.frames.explained():
                moves = moves.disjoint()
        return self.engine.sum(refine.accept_moves, moves.graph, self.centers, log=log)

    def _fill_empty_clusters(self, sizes: IntArray) -> bool:
        if sizes.all():
            return False
        far = self.engine.sum(sample.farthest, 2 * len(sizes))
        pairs = relocations(sizes, far.graph, far.label)
        numbers, to = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self.engine.each(claim_graphs, numbers, to, self.centers)
        return bool(pairs)

    def certify(self, history: History) -> None:
        """Spend matchings on labels that no bound proves, until all are proven or nothing more can be done.

        The first limit of the search tree is small, because most proofs are: what it does not prove gets more. Whenever a
        graph moves, the loop goes on.
        """
        for stage, limit in enumerate(PROOF_TREE_NODES):
            while self._prove(history, stage, limit):
                self.move_to_means(self.engine.sum(sample.sums, self.centers))
                self.run(history)

    def _prove(self, history: History, stage: int, limit: int) -> bool:
        """Seek proofs with this limit, in parts, so that one can see how far they are. Whether a graph came closer."""
        parts = min(PROOF_PARTS, len(self.engine))
        tried, closer = 0, 0
        for part in range(parts):
            share = (stage + part / parts) / len(PROOF_TREE_NODES)
            said = f"proving labels, {tried} of them with at most {limit} tree nodes so far"
            history.say("proof", said, share=share, tried=tried, limit=limit)
            counts = self.engine.sum(refine.prove_labels, part, parts, limit, self.centers)
            tried, closer = tried + counts["graphs"], closer + counts["moved"] + counts["shorter"]
        return closer > 0

    def work(self, history: History) -> float:
        """What the run has done so far, in matchings. Where alignments are fixed it needs few, so assignments count, too."""
        return history.counters.matchings.total() + self._assigned / GRAPHS_PER_MATCHING

    # -- changing a center -------------------------------------------------------------------------

    @property
    def looks_closely(self) -> bool:
        """Whether graphs are too large for branch and bound in no time: then they are aligned anew as soon as centers settle."""
        return CountedMatcher(self.context.space).sifts

    def draw(self, random: np.random.RandomState, count: int) -> Sample:
        """Draw graphs by their weighted squared distances from their centers."""
        return draw_by_distance(self.engine, random, self._shard_inertia, self.engine.each(sample.first_graph), count)

    def put_center(self, c: int, graph: Sample) -> None:
        """Take center c away and put it onto this graph."""
        put_centers(self.engine, self.centers, np.array([c]), graph)

    def snapshot(self) -> Snapshot:
        """Keep everything, so that `rollback` can return to it."""
        self.engine.each(sample.snapshot)
        self._before_trial = Snapshot(copy(self.centers), self.inertia, self._shard_inertia)
        return self._before_trial

    def rollback(self, kept: Snapshot) -> None:
        """Go back to what `snapshot` kept."""
        self.centers, self._before_trial = copy(kept.centers), None
        self.inertia, self._shard_inertia = kept.inertia, kept.shard_inertia
        self.engine.each(sample.rollback, log=True)

    # -- on disk -----------------------------------------------------------------------------------

    def write_logs(self) -> None:
        """Shards write down what they have become; there is no way back from here."""
        self._before_trial = None
        self.engine.each(sample.write_log_only, log=True)

    def write_checkpoint(self, history: History) -> None:
        """Write the checkpoint, if one is wanted: the shards have written their part already."""
        if self.file is None:
            return
        facts = {
            "iteration": history.iteration,
            "history": history.state(),
            "slack": self._slack,
            "assigned": self._assigned,
            "swaps": None if self.swaps is None else asdict(self.swaps),
            "checkpoint_id": self.engine.checkpoint_id,
            "matchings": dict(history.counters.matchings),
        }
        trace = {"trace": np.asarray(Trace.of_rows(history.rows))}
        self.file.write(facts, prefixed("centers", self.centers.to_arrays()) | trace)
        self.engine.confirmed = self.engine.checkpoint_id

    def _ask_inertia(self) -> None:
        """Ask for the objective where no assignment of this process has found it."""
        self._shard_inertia = self.engine.each(sample.inertia)
        self.inertia = self.engine.sum(sample.inertia)

    # -- results -----------------------------------------------------------------------------------

    def get_assignment(self) -> tuple[GetAssignment, Centers]:
        """Labels and distances, wherever they are, and the centers that they belong to."""
        return self.engine.get_assignment(), self.centers.as_centers()

    def result(self, history: History) -> Result:
        """The state as a Result."""
        self._join_equal_centers()
        proven = self.engine.sum(refine.bound_others, self.centers)
        return self._result(history, certified=float(proven[0] / proven[1]), alignments=self._alignments())

    def _alignments(self) -> Alignments | None:
        """How graphs are aligned to their centers; None where workers know it, or there is one way only."""
        if self.engine.remote is not None or not isinstance(self.centers, FrameCenters):
            return None
        parts = self.engine.each(sample.get_slots)
        sizes = np.concatenate(self.engine.each(sample.get_sizes))
        labels = np.repeat(self.engine.assignment().labels, sizes)
        return Alignments(offsets(sizes), self.centers.nodes_in_slots(labels, np.concatenate(parts)).astype(np.int32))

    def _join_equal_centers(self) -> None:
        """Where copies of one graph have become several centers, all of its copies belong to the first of them."""
        centers = self.centers
        if isinstance(centers, FrameCenters):
            _, first, group = np.unique(centers.sketches.values, axis=0, return_index=True, return_inverse=True)
            if len(first) < centers.k:
                self.engine.each(refine.join_equal, first[group.reshape(-1)], centers)

    def _hint(self, sizes: IntArray) -> str | None:
        """What makes the result look as if there were a better one, if anything does."""
        swaps = self.swaps
        if swaps is not None and swaps.kept and not swaps.exhausted and swaps.tried - swaps.kept_at < len(sizes):
            return "swaps of centers still helped when their budget ended: another random_state or n_init may do better"
        if len(sizes) > 1 and (sizes == 1).any() and sizes.max() >= LARGE:
            return (
                f"cluster {int(np.argmax(sizes == 1))} is a single graph beside a cluster of {sizes.max()}: an outlier, or a "
                "poor optimum; another random_state, n_init or init='medoids' may do better"
            )
        return None

    def interrupted(self, history: History) -> Result:
        """The state when somebody interrupts, of shards that have finished what they were told; a trial is given up."""
        if self._before_trial is not None:
            self.rollback(self._before_trial)
        self.engine.each(measure_all, self.centers)  # centers may have moved since the last assignment
        self._ask_inertia()
        return self._result(history)

    def _result(self, history: History, **more: Any) -> Result:
        sizes = self.engine.sum(sample.cluster_sizes, self.centers.k)
        return history.last(
            *self.get_assignment(), self.inertia, n_filled=int((sizes > 0).sum()), engine=self.engine.remote,
            hint=self._hint(sizes), **more,
        )  # fmt: skip


def _columns(counts: Counter[str]) -> dict[str, int]:
    return {
        "assignment_bounds": counts["assignments"],
        "pruned_by_bounds": counts["by_one_bound"],
        "pruned_by_sketches": counts["by_sketch"],
        "pruned_by_assignments": counts["by_assignment"],
    }
