"""The default algorithm: k-means that matches almost nothing.

Every distance is an interval, which is refined only until the assignment is decided.

- Every graph x is kept aligned to its center y. The new mean is the average of the aligned members; how far it moved,
  and u = |x - y'|, are norms in one frame. None of that takes a matching.
- For the other centers there are lower bounds. One that was true for an earlier center is true now less the distance
  that the center has moved since. One bound for all of them decides most graphs; sketches of graphs and centers, compared
  by one compiled loop, most of the rest; then one linear assignment a pair. Only where u still exceeds the bound is the
  graph matched with the candidate. Nearly all are decided long before that.
- When nothing moves, single graphs are tried in clusters where they would lower the objective although the center is no
  nearer now, because it would follow them. When that is done, everybody whose alignment is not proven is aligned to their
  own center once more. If nobody comes closer, the clustering is done. S = sum |x - y|^2 never rises.

The loop is in interval_loop.py; what it asks of the graphs is in shards/: assign.py (the nearest center), bounds.py, refine.py.
"""

from __future__ import annotations

from graphmeans.cluster.algorithms.center_swaps import begin_swaps, swap_centers, swaps_points
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.algorithms.split_merge import split_and_merge
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.engines.base import Engine
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.cluster.persistence.checkpoint import CheckpointFile


def interval(
    context: FitContext,
    matcher: CountedMatcher,
    seeds: Seeds,
    history: History,
    *,
    swaps: float = 0.0,
    polish: bool = True,
    certify: bool = False,
    engine: Engine | None = None,
    file: CheckpointFile | None = None,
) -> Result:
    """k-means with lifted means and certified bounds; see the first lines of this module.

    `swaps` is the multiple of the run's work that is spent on swapping centers (split_merge.py); until these have ended nothing
    is brought to its very end, and afterwards only with `polish`. `certify` proves labels by matchings where bounds do not;
    `engine` holds the shards, by default that of the seeds or one of threads; `file` is where checkpoints are written.
    """
    engine = engine or seeds.engine or ThreadEngine(context, matcher, len(seeds))
    loop = IntervalLoop.from_seeds(context, engine, seeds, file)
    return run_loop(loop, history, swaps, polish=polish, certify=certify)


def run_loop(
    loop: IntervalLoop, history: History, swaps: float = 0.0, *, polish: bool = True, certify: bool = False,
    changed: bool = True,
) -> Result:  # fmt: skip
    """Everything after the start. A loop that was resumed while swapping goes on with that (`changed` is False)."""
    if loop.engine.remote is not None:
        history.on_interrupt = lambda: loop.interrupted(history)
    history.swaps_follow = bool(swaps)
    rough = bool(swaps) and not swaps_points(loop)
    if loop.swaps is None:
        loop.run(history, changed, rough=rough)
    if swaps:
        is_cut = history.is_cut()
        if loop.swaps is None:
            begin_swaps(loop, history, swaps)
        assert loop.swaps is not None
        if not rough:
            swap_centers(loop, history, swaps)
        elif loop.swaps.done:  # it was polished when it was killed
            loop.run(history, changed=False)
        else:
            split_and_merge(loop, history)
            if polish and not is_cut:
                loop.polish(history)
    if certify:
        loop.certify(history)
    return loop.result(history)
