"""`Shard`: a part of the collection with its labels, alignments and bounds; it knows the centers, not the other shards."""

from __future__ import annotations

from collections import Counter

import numpy as np

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.shards.aligned import Aligned
from graphmeans.cluster.shards.bounds import CERTIFIED, ESTIMATE
from graphmeans.cluster.shards.known import BoolArray, FloatArray, IntArray
from graphmeans.cluster.shards.reductions import Offers, Summary
from graphmeans.graphs.batch import row_ranges
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Matches
from graphmeans.matching.workspace import zeros

#: A bound must exceed u by nothing to decide, but rounding must not decide.
CLOSE = 1.0 - 1e-12
#: A new alignment must be shorter by this share to be taken.
SHORTER = 1.0 - 1e-9
#: Candidates are matched up to this multiple of u: a bound needs some margin to last when the centers move on.
MARGIN = 1.5
#: From fresh starts a graph is aligned again only when its center has moved by this share of u.
STALE = 0.15
#: Graphs that meet many seeds at once.
AT_ONCE = 512
#: Most nodes of the search tree for the proof of one label against one center.
CERTIFY_NODES = 5_000


class Shard(Aligned):
    """Some graphs of a collection, with their labels, alignments and bounds: how they find their nearest center.

    Every method takes the centers as they are now, and knows nothing of other shards.
    """

    # -- the nearest center ------------------------------------------------------------------------

    def assign(self, centers: MovingCenters, slack: float = 0.0) -> Summary:
        """Find the nearest center of every graph, and add up what the next ones are made of."""
        counts = self.decide(centers, slack)
        return Summary(counts, self.inertia(), self.sizes(centers.k), self.sums(centers))

    def decide(self, centers: MovingCenters, slack: float = 0.0) -> Counter[str]:
        """Find the nearest center of every graph, refining only what is needed to decide; returns what that took.

        A center that is nearer by no more than the share `slack` need not be found.
        """
        self.follow(centers)
        near = CLOSE * (1.0 - slack)
        before = self.labels.copy()
        counts: Counter[str] = Counter()
        x = self._open(centers, self.upper * near)
        low = self._low(x, centers)
        self._begin(x, low, centers)
        low[np.arange(len(x)), self.labels[x]] = np.inf
        tested = zeros("tested", low.shape, bool)
        rows = np.arange(len(x))
        while len(rows):
            rows = self._test(rows, x, self.upper[x[rows]][:, None] * near, low, tested, centers, counts)
            self._match(rows, x, self._nearest(low, rows), low, centers, counts)
        self._close(x, low, centers)
        counts["moved"] = int((self.labels != before).sum())
        counts["by_one_bound"] = (len(self) - len(x)) * (centers.k - 1)
        counts["by_sketch"] = len(x) * (centers.k - 1) - counts["assignments"]
        counts["by_assignment"] = counts["assignments"] - counts["matched"]
        return counts

    def meet(self, number: int, between: FloatArray, centers: MovingCenters) -> float:
        """A new seed, the graph of this number: match it with those that might be nearer to it than to all seeds before.

        between[c']: proven lower bounds of its distances to those. By the triangle inequality a graph with label c' is at
        least between[c'] - u from it. Returns the objective with all seeds so far.
        """
        c = len(between)
        between = np.append(between, 0.0)
        self.take(np.array([number]), np.array([c]), centers)
        if c == 0:
            self._adopt_all(np.flatnonzero(np.isinf(self.upper)), 0, centers)
            return self.inertia()
        low = self.sketches.bounds(np.arange(len(self)), centers.sketches, slice(c, c + 1))[:, 0]
        triangle = between[self.labels] - self.upper
        better = np.flatnonzero(triangle > low)
        self._keep_bounds(better, np.full(len(better), c), triangle[better], CERTIFIED, centers)
        x = np.flatnonzero(np.maximum(low, triangle) < self.upper)
        x = x[self._assignments(x, np.full(len(x), c), centers) < self.upper[x]]
        to = np.full(len(x), c)
        found = self._matched(x, to, centers, cutoff=self.upper[x] * MARGIN)
        nearer = found.upper < self.upper[x]
        x, to, found = x[nearer], to[nearer], found.take(nearer)
        self._keep_own(x, centers)
        self.adopt(x, to, found, centers)
        return self.inertia()

    def meet_some(self, numbers: IntArray, centers: MovingCenters) -> float:
        """Several new seeds at once, the graphs of these numbers and the last of the centers; see `meet`."""
        c = len(centers.batch) - len(numbers)
        self.take(numbers, np.arange(c, len(centers.batch)), centers)
        for start in range(0, len(self), AT_ONCE):
            x = np.arange(start, min(start + AT_ONCE, len(self)))
            low = np.full((len(x), len(centers.batch)), np.inf)
            low[:, c:] = self.sketches.bounds(x, centers.sketches, slice(c, None))
            self._begin(x, low, centers)
            rows = np.flatnonzero((low < self.upper[x, None]).any(axis=1))
            tested = zeros("tested", low.shape, bool)
            low[np.arange(len(x)), self.labels[x]] = np.inf
            while len(rows):
                rows = self._test(rows, x, self.upper[x[rows]][:, None] * CLOSE, low, tested, centers, Counter())
                self._match(rows, x, self._nearest(low, rows), low, centers, Counter())
        return self.inertia()

    def select(self, place: IntArray) -> None:
        """Of the seeds met so far some become centers: seed c is number place[c] from now on, or none if that is -1."""
        self.labels = place[self.labels]
        self.bounds.rename(place)
        self.learnt[:] = True
        lost = np.flatnonzero(self.labels < 0)
        self.labels[lost], self.upper[lost] = 0, np.inf
        self.others[:] = -np.inf
        self.touched[:] = self.shifted[:] = True

    def realign_all(self, centers: MovingCenters) -> int:
        """Match graphs with their own centers from fresh starts where that was not done, or may help. How many came closer."""
        still = centers.drift[self.fresh_at, self.labels] <= STALE * self.upper
        done = self._is_best(np.arange(len(self)), centers) | (
            (self.fresh_at >= 0) & still & (not self.matchings.is_exact)
        )
        x = np.flatnonzero(~done)
        # Where one linear assignment already costs u, nothing is shorter.
        x = x[self._assignments(x, self.labels[x], centers) < self.upper[x] * SHORTER]
        return self.realign(x, centers, fresh=True)

    def realign(self, x: IntArray, centers: MovingCenters, fresh: bool = False) -> int:
        """Match graphs with their own centers, from the stored alignment or not; keep what is shorter. How many are."""
        if not len(x):
            return 0
        rows, ptr = row_ranges(self.batch.node_ptr, x)
        labels = self.labels[x]
        warm = None if fresh and not self.matchings.is_exact else centers.mappings(self.flat[rows], ptr, labels)
        found = self.matchings.match(self.batch, centers.batch, np.stack([x, labels], axis=1), warm=warm)
        shorter = found.upper < self.upper[x] * SHORTER
        changed = np.repeat(shorter, np.diff(ptr))
        self.flat[rows[changed]] = centers.places(found, self.batch, x, labels)[changed]
        self.upper[x[shorter]] = found.upper[shorter]
        self._note_alignment(x, found, centers, fresh or self.matchings.is_exact)
        return int(shorter.sum())

    # -- one graph at a time -----------------------------------------------------------------------

    def propose(self, least: float, centers: MovingCenters) -> Offers:
        """Single moves that lower the objective although the other center is no nearer (Hartigan), by `least` or more.

        Without x its old mean comes closer to the others, with x the new one follows it: moving x from a to b gains
        w (W_a / (W_a - w) u^2 - W_b / (W_b + w) D(x, b)^2). `accept` takes some of them.
        """
        total, w = centers.frames.total, self.weights
        rest = total[self.labels] - w
        movable = (w > 0) & (rest > 1e-9 * w) & (self.upper > 0)
        leaving = np.where(movable, total[self.labels] / np.where(movable, rest, 1.0), 0.0) * self.upper**2
        useful = np.maximum(leaving - least / np.where(w > 0, w, 1.0), 0.0)
        with np.errstate(divide="ignore"):
            joining = np.where(total > 0, 1.0 / total, 0.0)
        widest = np.sqrt(useful * (1.0 + w * joining.max()))
        x = self._open(centers, widest * CLOSE)
        x = x[movable[x]]
        low = self._low(x, centers)
        own = np.arange(len(x)), self.labels[x]
        low[own] = np.inf
        limit = np.sqrt(useful[x, None] * (1.0 + w[x, None] * joining)) * CLOSE
        tested = zeros("tested", low.shape, bool)
        self._test(np.arange(len(x)), x, limit, low, tested, centers, Counter())
        row, y = np.nonzero(low < limit)
        found = self._matched(x[row], y, centers, cutoff=limit[row, y] * MARGIN)
        low[row, y] = np.maximum(
            low[row, y], np.where(self._cut(found, limit[row, y] * MARGIN), found.lower, found.upper)
        )
        larger = low.min(axis=1, initial=np.inf) > (self.others - self._others_moved(centers))[x]
        self._close(x[larger], low[larger], centers)
        gain = w[x[row]] * (leaving[x[row]] - total[y] / (total[y] + w[x[row]]) * found.upper**2)
        best = np.zeros(len(x))
        np.maximum.at(best, row, gain)
        offered = np.flatnonzero((gain > least) & (gain == best[row]))
        offered = offered[np.unique(row[offered], return_index=True)[1]]
        x, y = x[row[offered]], y[offered]
        self._offers = x, y, found.take(offered)
        return Offers(x + self.first, self.labels[x], y, gain[offered]).best()

    def accept(self, numbers: IntArray, centers: MovingCenters) -> None:
        """Carry out those of the proposed moves whose graphs are among `numbers`."""
        assert self._offers is not None, "nothing was proposed"
        x, y, found = self._offers
        taken = np.isin(x + self.first, numbers)
        self._keep_own(x[taken], centers)
        self.adopt(x[taken], y[taken], found.take(taken), centers)
        self.others[x[taken]] = -np.inf  # adopted, and so touched
        self._offers = None

    def take(self, numbers: IntArray, to: IntArray, centers: MovingCenters) -> None:
        """Those of these graphs that are here leave for clusters of their own, each to become the center of one."""
        here = (numbers >= self.first) & (numbers < self.first + len(self))
        x, to = numbers[here] - self.first, to[here]
        if len(x):
            rows, ptr = row_ranges(self.batch.node_ptr, x)
            self.labels[x], self.upper[x] = to, 0.0
            self.flat[rows] = centers.alone(self.batch, x, to, ptr)
            self.matched_at[x] = self.fresh_at[x] = -1
            self.others[x] = -np.inf
            self.touched[x] = self.shifted[x] = True

    def abandon(self, c: int, centers: MovingCenters) -> None:
        """The cluster c is dissolved: its members look for another center."""
        x = np.flatnonzero(self.labels == c)
        low = self._low(x, centers)
        low[:, c] = np.inf
        self.labels[x], self.upper[x] = low.argmin(axis=1), np.inf
        self.others[x] = -np.inf
        self.touched[x] = self.shifted[x] = True

    # -- proofs ------------------------------------------------------------------------------------

    def certified(self, centers: MovingCenters) -> IntArray:
        """How many labels are proven, and of how many."""
        return np.array([self.proven(centers).sum(), len(self)])

    def proven(self, centers: MovingCenters) -> BoolArray:
        """Which labels are proven: u <= a certified lower bound for every other center. Assignments are tried, no matchings."""
        proven = np.ones(len(self), dtype=bool)
        x = self._open(centers, self.upper * CLOSE)
        if not self.matchings.is_exact or self.doubtful.any():  # then the one bound for all rests on estimates
            x = np.arange(len(self))
        low = self._low(x, centers, certified=True)
        low[np.arange(len(x)), self.labels[x]] = np.inf
        tested = zeros("tested", low.shape, bool)
        self._test(np.arange(len(x)), x, self.upper[x, None] * CLOSE, low, tested, centers, Counter())
        proven[x] = self.upper[x] * CLOSE <= low.min(axis=1, initial=np.inf)
        return proven

    def certify(self, centers: MovingCenters) -> Counter[str]:
        """Seek proofs for labels that have none, by branch and bound with a limit; what it finds nearer is taken over."""
        counts: Counter[str] = Counter()
        x = np.flatnonzero(~self.proven(centers))
        if not len(x):
            return counts
        prover = Exact(max_tree_nodes=CERTIFY_NODES)
        rows, ptr = row_ranges(self.batch.node_ptr, x)
        warm = centers.mappings(self.flat[rows], ptr, self.labels[x])
        pairs = np.stack([x, self.labels[x]], axis=1)
        own = self.matchings.match(self.batch, centers.batch, pairs, warm=warm, matcher=prover)
        shorter = own.upper < self.upper[x] * SHORTER
        self.adopt(x[shorter], self.labels[x[shorter]], own.take(shorter), centers)
        counts["shorter"] = int(shorter.sum())
        low = self._low(x, centers, certified=True)
        low[np.arange(len(x)), self.labels[x]] = np.inf
        for _ in range(centers.k):
            row = np.flatnonzero(low.min(axis=1, initial=np.inf) < self.upper[x] * CLOSE)
            if not len(row):
                break
            y = self._nearest(low, row)
            pairs, cutoff = np.stack([x[row], y], axis=1), self.upper[x[row]] * 1.05
            found = self.matchings.match(self.batch, centers.batch, pairs, cutoff=cutoff, matcher=prover)
            self._keep_bounds(x[row], y, found.lower, CERTIFIED, centers)
            low[row, y] = np.inf  # proven or not, there is no more to be had from it
            nearer = found.upper < self.upper[x[row]] * CLOSE
            self.adopt(x[row[nearer]], y[nearer], found.take(nearer), centers)
            self.others[x[row[nearer]]] = -np.inf
            counts["moved"] += int(nearer.sum())
        return counts

    # -- matchings ---------------------------------------------------------------------------------

    def _may_stay(self, x: IntArray, nearest: FloatArray, centers: MovingCenters) -> BoolArray:
        """Whether graphs might be nearer to their own centers than `nearest` if they were aligned anew."""
        drift = centers.drift[self.matched_at[x], self.labels[x]]
        may = (drift > 0) & ~self._is_best(x, centers) & (self.lower[x] - drift < nearest)
        left = np.flatnonzero(may)
        if len(left):
            may[left] = self._assignments(x[left], self.labels[x[left]], centers) < nearest[left]
        return np.asarray(may)

    def _is_best(self, x: IntArray, centers: MovingCenters) -> BoolArray:
        """Whether alignments are proven the best ones: all others are farther than u."""
        drift = centers.drift[self.matched_at[x], self.labels[x]]
        return np.asarray((self.matched_at[x] >= 0) & (self.upper[x] * CLOSE <= self.rival[x] - drift))

    def _begin(self, x: IntArray, low: FloatArray, centers: MovingCenters) -> None:
        """Graphs without an alignment take the center that seems nearest."""
        row = np.flatnonzero(np.isinf(self.upper[x]))
        if len(row):
            self._adopt_all(x[row], self._nearest(low, row), centers)

    def _match(
        self, rows: IntArray, x: IntArray, y: IntArray, low: FloatArray, centers: MovingCenters, counts: Counter[str]
    ) -> None:
        """Match graphs x[rows] with candidates y; those that are nearer become theirs."""
        if not len(rows):
            return
        cutoff = self.upper[x[rows]] * MARGIN
        found = self._matched(x[rows], y, centers, cutoff)
        counts["matched"] += len(rows)
        low[rows, y] = np.maximum(low[rows, y], np.where(self._cut(found, cutoff), found.lower, found.upper))
        nearer = found.upper < self.upper[x[rows]] * CLOSE
        # Before a graph leaves, its own alignment gets a second chance.
        own = np.flatnonzero(nearer)
        own = own[self._may_stay(x[rows[own]], found.upper[own], centers)]
        doubtful = x[rows[own]]
        counts["realigned"] += len(doubtful)
        self.realign(doubtful, centers)
        nearer = found.upper < self.upper[x[rows]] * CLOSE
        rows, y = rows[nearer], y[nearer]
        graphs = x[rows]
        # Of the old center u is known, or at least that it is no nearer than the new one.
        sure = self._is_best(graphs, centers) | (not self.matchings.is_exact)
        low[rows, self.labels[graphs]] = np.where(sure, self.upper[graphs], found.upper[nearer])
        low[rows, y] = np.inf
        self._keep_own(graphs, centers)
        self.adopt(graphs, y, found.take(nearer), centers)

    def _matched(self, x: IntArray, y: IntArray, centers: MovingCenters, cutoff: FloatArray) -> Matches:
        """Match graphs with centers, up to a distance, and remember what was found."""
        found = self.matchings.match(self.batch, centers.batch, np.stack([x, y], axis=1), cutoff=cutoff)
        self._keep_bounds(x, y, found.lower, CERTIFIED, centers)
        whole = ~self._cut(found, cutoff)
        open_ends = found.upper - found.lower > 1e-9 * (found.upper + self.sketches.norms[x])
        self.doubtful[x[whole & open_ends]] = True
        self._keep_bounds(x[whole], y[whole], found.upper[whole], ESTIMATE, centers)
        return found

    @staticmethod
    def _cut(found: Matches, cutoff: FloatArray) -> BoolArray:
        """Pairs that were not solved because they are farther apart than the cutoff."""
        return np.asarray((found.lower >= cutoff * CLOSE) & (found.lower < found.upper))

    def _adopt_all(self, x: IntArray, y: IntArray | int, centers: MovingCenters) -> None:
        """Graphs x join the clusters y, whatever the distance."""
        y = np.broadcast_to(np.asarray(y, dtype=np.int64), x.shape)
        self.adopt(x, y, self._matched(x, y, centers, np.full(len(x), np.inf)), centers)

    def adopt(self, x: IntArray, y: IntArray, found: Matches, centers: MovingCenters) -> None:
        """Graphs x join the clusters y, aligned as was found."""
        self.flat[row_ranges(self.batch.node_ptr, x)[0]] = centers.places(found, self.batch, x, y)
        self.labels[x], self.upper[x] = y, found.upper
        self._note_alignment(x, found, centers, fresh=True)

    def _note_alignment(self, x: IntArray, found: Matches, centers: MovingCenters, fresh: bool) -> None:
        self.matched_at[x] = centers.now
        self.touched[x] = self.shifted[x] = True
        if fresh:
            self.fresh_at[x] = centers.now
        proven = found.upper * CLOSE <= found.lower
        self.lower[x] = found.lower
        self.rival[x] = np.where(proven, found.upper if found.second is None else found.second, found.lower)

    def _keep_own(self, x: IntArray, centers: MovingCenters) -> None:
        """Graphs are about to leave: u is what is known of their old centers, proven where the alignment is."""
        best = x[self._is_best(x, centers)]
        self._keep_bounds(best, self.labels[best], self.upper[best], CERTIFIED, centers)
        known = best if self.matchings.is_exact else x
        self._keep_bounds(known, self.labels[known], self.upper[known], ESTIMATE, centers)
