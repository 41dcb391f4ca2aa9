"""k-means that matches almost nothing: every distance is an interval, refined only until the assignment is decided.

- Every graph x is kept aligned to its centre y. The new mean is the average of the aligned members; how far it moved,
  and u = |x - y'|, are norms in one frame. None of that takes a matching.
- For every other centre there is a lower bound. One that was true for an earlier centre is true now less the distance
  that the centre has moved since. Sketches of all graphs and centres are compared at once; where u still exceeds the
  bound, one linear assignment raises it; where it still does, the graph is first aligned anew to its own centre (u may
  fall), and only then matched with the candidate. Nearly all graphs are decided long before that.
- When nothing moves, everybody is aligned to their own centre once more, from fresh starts. If nobody comes closer, the
  clustering is done. S = sum |x - y|^2 never rises.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.moving import MovingCentres
from graphmeans.cluster.problem import Problem
from graphmeans.cluster.result import Result
from graphmeans.cluster.shard import Shard
from graphmeans.cluster.stopping import Stopping
from graphmeans.means.frames import Centres, Frames

#: Graphs a shard. How a collection is cut depends on nothing else, so results do not depend on who works on it.
SHARD_SIZE = 4096


def interval(problem: Problem, centres: Centres, *, max_iter: int, tol: float, n_iter_no_change: int) -> Result:
    """k-means with lifted means and certified bounds; see the module's first lines."""
    stopping = Stopping(problem, max_iter, tol, n_iter_no_change)
    moving = MovingCentres(problem, centres.batch)
    shards = [Shard(problem, part, moving) for part in _cut(len(problem))]
    settled = False  # whether fresh alignments were tried since the last change
    while True:
        counts = sum((shard.assign(moving) for shard in shards), start=Counter())
        labels, distances = _gather(shards)
        goes_on = stopping.goes_on(labels, moving.centres(), distances, pruned_by_bounds=counts["pairs"] - counts["matched"])
        if counts["moved"]:
            settled = False
        elif goes_on:
            shorter = sum(shard.realign_all(moving) for shard in shards)
            goes_on = shorter > 0 or not settled
            settled = shorter == 0
        if not goes_on:
            certified = np.concatenate([shard.is_certified(moving) for shard in shards])
            return stopping.result(certified=certified)
        members = problem.relocated(labels, distances, moving.k)
        for shard in shards:
            shard.take(np.flatnonzero(members[shard.which] != labels[shard.which]), members[shard.which], moving)
        moving.move(_add([shard.sums(moving) for shard in shards]))
        for shard in shards:
            shard.follow(moving)


def _cut(n: int) -> list[NDArray[np.int64]]:
    return [np.arange(start, min(start + SHARD_SIZE, n)) for start in range(0, n, SHARD_SIZE)]


def _gather(shards: list[Shard]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return np.concatenate([shard.labels for shard in shards]), np.concatenate([shard.upper for shard in shards])


def _add(parts: list[Frames]) -> Frames:
    """Sums of all shards, added in their order."""
    total = parts[0]
    for part in parts[1:]:
        for name in ("nodes", "edges", "node_weight", "edge_weight", "total"):
            getattr(total, name)[:] += getattr(part, name)
    return total
