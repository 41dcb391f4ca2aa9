"""Better optima: two clusters become one, and a third falls into halves.

What k-means cannot do is to move a center from a group that has two of them to one that has none. Members are aligned with their
center, and thereby with each other, so what such a swap changes is known before it is tried: what a cluster gains by falling
into halves is k-means of vectors within its frame, without a matching; what two clusters lose by becoming one is Ward's cost,
W_a W_b / (W_a + W_b) D(y_a, y_b)^2, along the one alignment of their centers. The swap that promises most is made, everybody has
an alignment at once, and the loop goes on from there. It is taken back unless the objective ends up lower.

What a swap in vain was wrong by is charged to the cluster that joined another and to the one that was split, so the next swap is
another one. It ends after a few in a row that were in vain, or when nothing promises anything.
"""

from __future__ import annotations

import logging
from binascii import crc32
from copy import copy

import numpy as np

from graphmeans.cluster.algorithms.center_swaps import CHARGED, FLOOR, LOWER, say_swaps
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop, SwapState
from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.shards import halves, sample
from graphmeans.cluster.shards.halves import Members, nearer_half
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.matching.bounds import lap_bounds
from graphmeans.means.frames import Frames

logger = logging.getLogger("graphmeans")

#: Halves are found from so many members of a cluster at most, from so many starts, in so many passes.
MEMBERS, STARTS, PASSES = 200, 4, 6
#: Frames that are laid out at once while halves are looked for.
AT_ONCE = 16
#: So many of the cheapest mergers are looked at for each cluster, and of the best splits in all.
MERGERS, SPLITS = 8, 8
#: It ends after so many swaps in a row that were in vain.
PATIENCE = 10
#: It ends where the most promising swap loses more than this share of what a cluster contributes, before anybody has moved.
HOPE = 0.5


def split_and_merge(loop: IntervalLoop, history: History) -> None:
    """Swap as long as that helps, within the budget."""
    state = loop.swaps
    assert state is not None, "begin_swaps comes first"
    most = 50 + 5 * loop.centers.k
    known: Promises | None = None
    while loop.inertia > 0 and (state.tried < FLOOR or (loop.work(history) < state.budget and state.tried < most)):
        loop.write_checkpoint(history)
        say_swaps(loop, history, state, max(state.tried / most, state.tried / (state.kept_at + PATIENCE)))
        known = known or Promises(loop, state)
        joins, other, split, promised = known.best()
        hopeless = promised < -HOPE * loop.inertia / loop.centers.k
        if hopeless or state.tried - state.kept_at >= PATIENCE:
            state.exhausted = True
            break
        before = loop.snapshot()
        _make(loop, joins, other, split, known.halves_of(split))
        trial = history.trial(target=before.inertia)
        loop.run(trial, trial=True, rough=True)
        state.tried += 1
        if loop.inertia < before.inertia * LOWER:
            state.keep_trial([joins, other, split])
            known = None
            history.append(trial, loop.get_assignment())
            loop.write_logs()
        else:
            wrong = max(promised - (before.inertia - loop.inertia), 0.0)
            state.doubt_of_center[joins] += CHARGED * wrong
            state.doubt_of_cluster[split] += CHARGED * wrong
            state.in_vain.append([joins, other, split])
            loop.rollback(before)
    logger.info("%d of %d swaps lowered the objective, to %.6g", state.kept, state.tried, loop.inertia)


def _make(loop: IntervalLoop, joins: int, other: int, split: int, found: Frames) -> None:
    """One cluster joins another along the alignment of their centers, and the second half of a third takes its place."""
    centers = loop.centers
    assert isinstance(centers, FrameCenters), "rows have no frames"
    alignment = loop.engine.one(0, halves.match_centers, np.array([[joins, other]]), centers)
    slot_there = centers.slots_there(alignment, joins, other)
    loop.engine.each(halves.merge_and_split, joins, other, slot_there, split, found, centers)
    loop.move_to_means(loop.engine.sum(sample.sums, centers))
    loop.engine.each(halves.measure, np.array([joins, other, split]), loop.centers)


class Promises:
    """What mergers cost and splits gain, of the clusters as they are. Costs are bounds until they are asked for.

    Parameters
    ----------
    loop : IntervalLoop
    state : SwapState
        What has been tried in vain; costs that took a matching are kept there.
    """

    def __init__(self, loop: IntervalLoop, state: SwapState) -> None:
        assert isinstance(loop.centers, FrameCenters), "rows have no frames"
        self.loop, self.state, self.centers = loop, state, copy(loop.centers)  # those of the loop move while a swap is tried
        k, total = self.centers.k, self.centers.frames.total
        seed = [loop.context.seed, crc32(b"split"), state.kept_at]
        self.members: Members = loop.engine.sum(halves.draw_members, MEMBERS, seed)
        self.gain, self._start = self._gains(loop.context.random("split", state.kept_at))
        one, other = np.triu_indices(k, 1)
        self._factor = total[one] * total[other] / np.maximum(total[one] + total[other], np.finfo(np.float64).tiny)
        cost = self._factor * self.centers.sketches.bounds(np.arange(k), self.centers.sketches)[one, other] ** 2
        cheap = np.sort(np.argpartition(cost, min(MERGERS * k, len(cost)) - 1)[: MERGERS * k])
        self._factor, self.cost = self._factor[cheap], cost[cheap]
        lighter = total[one[cheap]] <= total[other[cheap]]
        self.joins, self.other = np.where(lighter, one[cheap], other[cheap]), np.where(lighter, other[cheap], one[cheap])
        self._is_raised, self._is_known = np.zeros(len(cheap), dtype=bool), np.zeros(len(cheap), dtype=bool)
        for joins, joined, value in state.costs:
            at = (self.joins == joins) & (self.other == joined)
            self.cost[at], self._is_known[at] = value, True

    def best(self) -> tuple[int, int, int, float]:
        """The cluster that joins, the other one, the cluster to be split, and by how much that lowers the objective."""
        while True:
            splits = np.argsort(-(self.gain - self.state.doubt_of_cluster), kind="stable")[:SPLITS]
            promised = (self.gain - self.state.doubt_of_cluster)[splits] - self.cost[:, None]
            promised -= np.array(self.state.doubt_of_center)[self.joins, None]
            promised[(splits == self.joins[:, None]) | (splits == self.other[:, None])] = -np.inf
            for joins, other, split in self.state.in_vain:
                promised[np.ix_((self.joins == joins) & (self.other == other), splits == split)] = -np.inf
            pair, at = divmod(int(promised.argmax()), len(splits))
            most = float(promised[pair, at])
            if self._is_known[pair] or not np.isfinite(most):
                return int(self.joins[pair]), int(self.other[pair]), int(splits[at]), most
            self._raise_cost(pair)

    def halves_of(self, c: int) -> Frames:
        """The two halves of a cluster, added up in its frame."""
        return self._halves(self.members.of_clusters(np.array([c])), np.array([c]), self._start[[c]])[0]

    def _raise_cost(self, pair: int) -> None:
        """What a merger costs is known better: by one linear assignment, then by a matching."""
        centers, space = self.centers, self.loop.context.space
        graphs = np.array([[self.joins[pair], self.other[pair]]])
        if not self._is_raised[pair]:
            self._is_raised[pair] = True
            bound = lap_bounds(centers.batch, centers.batch, graphs, space.order, space.n_jobs, space.device)[0]
            self.cost[pair] = max(self.cost[pair], self._factor[pair] * bound**2)
            return
        self._is_known[pair] = True
        self.cost[pair] = self._factor[pair] * self.loop.engine.one(0, halves.match_centers, graphs, centers).upper[0] ** 2
        self.state.costs.append([*map(int, graphs[0]), float(self.cost[pair])])

    # -- splits ------------------------------------------------------------------------------------

    def _gains(self, random: np.random.RandomState) -> tuple[FloatArray, IntArray]:
        """What it gains to split each cluster, and the member with which that began; -inf where it cannot be split."""
        members, k = self.members, self.centers.k
        ptr = members.batch.node_ptr
        far = self.centers.frames.aligned_distances(
            members.batch, np.arange(len(members.graph)), members.label, members.slots, ptr
        )
        gain, start = np.full(k, -np.inf), np.full(k, -1)
        for _ in range(STARTS):
            # The largest of log(U) / mass is a draw by mass.
            with np.errstate(divide="ignore"):
                key = np.log(random.uniform(1e-300, 1.0, size=len(far))) / (members.weight * far**2)
            order = np.lexsort((key, members.label))  # the largest of each cluster comes last
            last = np.flatnonzero(np.diff(members.label[order], append=-1))
            drawn = np.full(k, -1)
            drawn[members.label[order[last]]] = members.graph[order[last]]
            alone = np.bincount(members.label, minlength=k) < 2
            for which in _in_parts(np.flatnonzero((drawn >= 0) & ~alone), AT_ONCE):
                _, found = self._halves(members.of_clusters(which), which, drawn[which])
                better = which[found > gain[which]]
                gain[better], start[better] = found[found > gain[which]], drawn[better]
        return gain, start

    def _halves(self, members: Members, which: IntArray, start: IntArray) -> tuple[Frames, FloatArray]:
        """The halves of clusters that begin with one member and the mean of all, and what each split gains."""
        place = np.full(self.centers.k, -1)
        place[which] = np.arange(len(which))
        pair, x, ptr = place[members.label], np.arange(len(members.graph)), members.batch.node_ptr
        is_start = members.graph == start[pair]
        whole = self._sums(members, 2 * pair)
        found = self._sums(members, 2 * pair + is_start)
        for name in Frames.SUMS:
            getattr(found, name)[0::2] = getattr(whole, name)[0::2]
        for _ in range(PASSES):
            second = nearer_half(members.batch, x, members.slots, ptr, pair, found)
            sizes = np.bincount(2 * pair + second, minlength=2 * len(which))
            if not sizes.all():  # copies, or all on one side: that cluster stays as it is
                second = np.where((sizes[2 * pair] == 0) | (sizes[2 * pair + 1] == 0), is_start, second)
            found = self._sums(members, 2 * pair + second)
        explained = found.explained_each()
        gain = explained[0::2] + explained[1::2] - whole.explained_each()[0::2]
        return found, gain * (self.centers.frames.total[which] / whole.total[0::2])

    def _sums(self, members: Members, frame: IntArray) -> Frames:
        frames = self.centers.empty_frames(2 * (int(frame.max(initial=0)) // 2 + 1))
        x = np.arange(len(members.graph))
        frames.add(members.batch, x, frame, members.slots.copy(), members.batch.node_ptr, members.weight)
        return frames


def _in_parts(which: IntArray, size: int) -> list[IntArray]:
    return [which[first : first + size] for first in range(0, len(which), size)]
