"""`Shard`: a part of the collection with its labels, alignments and bounds; it knows the centres, not the other shards."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.known import Known
from graphmeans.cluster.moving import MovingCentres
from graphmeans.cluster.problem import Problem
from graphmeans.graphs.batch import row_ranges
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.match import Matches
from graphmeans.matching.sketch import KINDS, sketch
from graphmeans.means.frames import Frames

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: A bound must exceed u by nothing to decide, but rounding must not decide.
CLOSE = 1.0 - 1e-12
#: A new alignment must be shorter by this share to be taken.
SHORTER = 1.0 - 1e-9


class Shard:
    """Graphs ``which`` of a problem.

    For each graph: label, alignment to the label's centre (a place for every node), u = |x - y| along it. For each graph
    and centre: a certified lower bound and an estimate (what a matcher found), each with the time it was true at. What
    is true now is the value less the centre's drift since then.
    """

    def __init__(self, problem: Problem, which: IntArray, centres: MovingCentres, remember: bool = True) -> None:
        self.problem, self.which = problem, which
        self.batch = problem.batch
        n, k = len(which), centres.k
        self.ptr = np.concatenate([[0], np.cumsum(self.batch.sizes[which])]).astype(np.int64)
        self.flat = np.full(self.ptr[-1], -1, dtype=np.int64)
        self.labels = np.zeros(n, dtype=np.int64)
        self.upper = np.full(n, np.inf)
        self.matched_at = np.full(n, -1)  # when the alignment was last sought
        self.fresh_at = np.full(n, -1)  # when it was last sought from fresh starts
        self.optimal = np.zeros(n, dtype=bool)  # whether it was proven the best when last sought
        self.certified, self.certified_at = np.zeros((n, k)), np.zeros((n, k), dtype=np.int32)
        self.estimate, self.estimate_at = np.zeros((n, k)), np.zeros((n, k), dtype=np.int32)
        if remember and problem.known is not None:
            self._remember(problem.known, centres)

    @cached_property
    def sketches(self) -> dict[str, FloatArray]:
        """Sketches of the graphs, computed once."""
        return {kind: sketch(self.batch.take(self.which), self.problem.space.order, kind) for kind in KINDS}

    def assign(self, centres: MovingCentres) -> Counter[str]:
        """Find the nearest centre of every graph, refining only what is needed to decide; returns what that took."""
        counts: Counter[str] = Counter()
        before = self.labels.copy()
        low = self._current(centres)
        tested = np.zeros(low.shape, dtype=bool)  # linear assignment bounds known for the present centres
        realigned = self._unmoved_since(self.matched_at, centres)
        n, k = low.shape
        x = np.arange(n)
        low[x, self.labels] = np.inf
        counts["pairs"] = n * (k - 1)
        while len(x):
            y = low[x].argmin(axis=1)
            undecided = low[x, y] < self.upper[x] * CLOSE
            x, y = x[undecided], y[undecided]
            lap = ~tested[x, y]
            own = ~lap & ~realigned[x]
            self._test(x[lap], y[lap], centres, low, tested, counts)
            counts["realigned"] += len(x[own])
            self.realign(x[own], centres)
            realigned[x[own]] = True
            rest = ~lap & ~own
            self._match(x[rest], y[rest], centres, low, realigned, counts)
        counts["moved"] = int((self.labels != before).sum())
        return counts

    def realign_all(self, centres: MovingCentres) -> int:
        """Match graphs with their own centres from fresh starts, unless that was done or is proven to be useless.

        Returns how many came closer.
        """
        done = self._unmoved_since(self.fresh_at, centres) | (self._unmoved_since(self.matched_at, centres) & self.optimal)
        return self.realign(np.flatnonzero(~done), centres, fresh=True)

    def adopt(self, x: IntArray, y: IntArray, found: Matches, centres: MovingCentres) -> None:
        """Graphs x move to the clusters y, aligned as was found."""
        self.flat[row_ranges(self.ptr, x)[0]] = centres.places(found, self.which[x], y)
        self.labels[x], self.upper[x] = y, found.upper
        self.matched_at[x] = self.fresh_at[x] = centres.now
        self.optimal[x] = found.upper * CLOSE <= found.lower

    def take(self, x: IntArray, members: IntArray, centres: MovingCentres) -> None:
        """Graphs x leave for clusters that were empty, each to become its centre."""
        if len(x):
            rows, ptr = row_ranges(self.ptr, x)
            self.labels[x] = members[x]
            self.flat[rows] = -1
            centres.settle_alone(self.batch, self.which[x], self.labels[x], self.flat, rows, ptr)
            self.matched_at[x] = self.fresh_at[x] = -1

    def sums(self, centres: MovingCentres) -> Frames:
        """The aligned graphs, added up in the centres' frames."""
        frames = centres.empty_frames(self.batch)
        frames.add(self.batch, self.which, self.labels, self.flat, self.ptr, self.problem.weights[self.which])
        return frames

    def follow(self, centres: MovingCentres) -> None:
        """After the centres moved: u = |x - y| along the stored alignments, at no matching."""
        self.upper = centres.frames.aligned_distances(self.batch, self.which, self.labels, self.flat, self.ptr)

    def is_certified(self, centres: MovingCentres) -> FloatArray:
        """Which labels are proven: u <= certified lower bound for every other centre."""
        low = self._certified_now(centres)
        low[np.arange(len(low)), self.labels] = np.inf
        return self.upper * CLOSE <= low.min(axis=1, initial=np.inf)

    # -- bounds ------------------------------------------------------------------------------------

    def _remember(self, known: Known, centres: MovingCentres) -> None:
        """Take over what seeding found: labels, alignments, bounds."""
        rows, _ = row_ranges(known.ptr, self.which)
        self.labels, self.upper = known.labels[self.which].copy(), known.upper[self.which].copy()
        self.flat = centres.seed_alignment(known.flat[rows], self.ptr, self.which, self.labels)
        self.matched_at[:] = self.fresh_at[:] = 0
        self.certified, self.estimate = known.certified[self.which], known.estimate[self.which]
        self.optimal = self.estimate[np.arange(len(self.which)), self.labels] <= (
            self.certified[np.arange(len(self.which)), self.labels] / CLOSE
        )

    def _unmoved_since(self, time: IntArray, centres: MovingCentres) -> NDArray[np.bool_]:
        """Graphs whose centre is what it was at these times (-1: never)."""
        return (time >= 0) & (centres.drift[time, self.labels] == 0)

    def _certified_now(self, centres: MovingCentres) -> FloatArray:
        every = np.arange(centres.k)
        drifted = self.certified - centres.drift[self.certified_at, every]
        return np.maximum(drifted, centres.sketch_bounds(self.sketches))

    def _current(self, centres: MovingCentres) -> FloatArray:
        every = np.arange(centres.k)
        return np.maximum(self._certified_now(centres), self.estimate - centres.drift[self.estimate_at, every])

    def _raise(self, x: IntArray, y: IntArray, value: FloatArray, centres: MovingCentres) -> None:
        """Store certified bounds that are larger now than what is stored."""
        larger = value > self.certified[x, y] - centres.drift[self.certified_at[x, y], y]
        x, y = x[larger], y[larger]
        self.certified[x, y], self.certified_at[x, y] = value[larger], centres.now

    # -- refinements -------------------------------------------------------------------------------

    def _test(
        self, x: IntArray, y: IntArray, centres: MovingCentres, low: FloatArray, tested: NDArray[np.bool_],
        counts: Counter[str],
    ) -> None:  # fmt: skip
        """Raise bounds by one linear assignment each."""
        if not len(x):
            return
        space = self.problem.space
        pairs = np.stack([self.which[x], y], axis=1)
        bound = lap_bounds(self.batch, centres.batch, pairs, space.order, space.n_jobs)
        self._raise(x, y, bound, centres)
        low[x, y] = np.maximum(low[x, y], bound)
        tested[x, y] = True
        counts["assignments"] += len(x)

    def realign(self, x: IntArray, centres: MovingCentres, fresh: bool = False) -> int:
        """Match graphs with their own centres, from the stored alignment; keep what is shorter. Returns how many are."""
        if not len(x):
            return 0
        rows, ptr = row_ranges(self.ptr, x)
        labels = self.labels[x]
        warm = None if fresh else centres.compact(self.flat[rows], ptr, labels)
        found = self.problem.match(self.batch, centres.batch, np.stack([self.which[x], labels], axis=1), warm=warm)
        shorter = found.upper < self.upper[x] * SHORTER
        changed = np.repeat(shorter, np.diff(ptr))
        places = centres.places(found, self.which[x], labels)
        self.flat[rows[changed]] = places[changed]
        self.upper[x[shorter]] = found.upper[shorter]
        self.matched_at[x] = centres.now
        if fresh:
            self.fresh_at[x] = centres.now
        self.optimal[x] = found.upper * CLOSE <= found.lower
        return int(shorter.sum())

    def _match(
        self, x: IntArray, y: IntArray, centres: MovingCentres, low: FloatArray, realigned: NDArray[np.bool_],
        counts: Counter[str],
    ) -> None:  # fmt: skip
        """Match graphs with candidates; those that are nearer become theirs."""
        if not len(x):
            return
        found = self.problem.match(self.batch, centres.batch, np.stack([self.which[x], y], axis=1))
        counts["matched"] += len(x)
        self._raise(x, y, found.lower, centres)
        self.estimate[x, y], self.estimate_at[x, y] = found.upper, centres.now
        low[x, y] = np.maximum(low[x, y], found.upper)
        nearer = found.upper < self.upper[x] * CLOSE
        if not nearer.any():
            return
        x, y = x[nearer], y[nearer]
        old = self.labels[x]
        proven = self.optimal[x] & self._unmoved_since(self.matched_at, centres)[x]
        self._raise(x[proven], old[proven], self.upper[x[proven]], centres)
        self.estimate[x, old], self.estimate_at[x, old] = self.upper[x], centres.now
        low[x, old] = self.upper[x]
        low[x, y] = np.inf
        self.adopt(x, y, found.take(nearer), centres)
        realigned[x] = True
