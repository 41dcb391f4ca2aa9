"""Better optima: take a center from where it is of little use to where it helps.

k-means ends in the local optimum that its start leads to, and what a start gets wrong is mostly this: two centers share a
group while another group has none. So a center that would hardly be missed is put onto a graph that is badly served,
everything else is kept (alignments, bounds), and the loop goes on from there. It is taken back unless the objective ends
up lower. That is for rows of numbers, where a distance costs next to nothing, and for two clusters; other graphs have
split_merge.py.

Which swap is tried next is decided by what it gains before anything has moved (shards/estimate.py), which is known of rows and
estimated from bounds otherwise. Of some centers it says too much: what a swap in vain was wrong by is charged to the center that
was taken away and to the cluster that was to get it. So the next swap is another one, and it ends when nothing promises anything.
"""

from __future__ import annotations

import logging

import numpy as np

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop, SwapState
from graphmeans.cluster.shards import estimate
from graphmeans.cluster.shards.estimate import Closeness
from graphmeans.cluster.shards.reductions import Sample
from graphmeans.graphs.batch import FloatArray

logger = logging.getLogger("graphmeans")

#: An objective that is lower by less than this share is not worth a swap.
LOWER = 1.0 - 1e-9
#: So many swaps are tried whatever they cost and promise.
FLOOR = 10
#: Graphs that a center might be put onto are drawn as many as there are centers, but at least so many.
CANDIDATES = 40
#: A center that is put onto a graph moves to the mean of those that follow: their squared distances fall to about this share.
SETTLED = 0.6
#: What a swap in vain was wrong by is charged with this share to its center, and to the cluster of its graph.
CHARGED = 0.25
#: It ends where the most promising swap seems to lose more than this share of what a cluster contributes: estimates are poor.
HOPE = 1.0


def swaps_points(loop: IntervalLoop) -> bool:
    """Whether a center is put onto a single graph: where graphs are rows, and where there are no three clusters."""
    return loop.context.is_euclidean or loop.centers.k < 3


def begin_swaps(loop: IntervalLoop, history: History, swaps: float) -> None:
    """Lay down what swapping may spend: `swaps` times the work of the run so far."""
    closeness = Closeness.of(loop.engine.sum(estimate.closeness_sums)) if swaps_points(loop) else Closeness()
    k = loop.centers.k
    budget = loop.work(history) * (1.0 + swaps)
    loop.swaps = SwapState(budget, closeness.sketch, closeness.lap, doubt_of_center=[0.0] * k, doubt_of_cluster=[0.0] * k)


def swap_centers(loop: IntervalLoop, history: History, swaps: float) -> None:
    """Swap centers until the run has done the work of its budget, `swaps` times that before, or nothing promises to help."""
    state = loop.swaps
    assert state is not None, "begin_swaps comes first"
    most = 50 + 5 * loop.centers.k
    candidates: tuple[Sample, FloatArray] | None = None
    while loop.inertia > 0 and (state.tried < FLOOR or (loop.work(history) < state.budget and state.tried < most)):
        loop.write_checkpoint(history)
        by_work = 1.0 - (state.budget - loop.work(history)) / max(state.budget * swaps / (1.0 + swaps), 1.0)
        say_swaps(loop, history, state, max(state.tried / most, by_work))
        graphs, gains = candidates = candidates or _candidates(loop, state)
        c, new, promised = _most_promising(state, graphs, gains)
        if c < 0 or (promised < -HOPE * loop.inertia / loop.centers.k and state.tried >= FLOOR):
            state.exhausted = True
            break
        before = loop.snapshot()
        loop.put_center(c, graphs.take(np.array([new])))
        trial = history.trial(target=before.inertia)
        loop.run(trial, trial=True)
        state.tried += 1
        label = int(graphs.label[new])
        if loop.inertia < before.inertia * LOWER:
            state.keep_trial([c, label])
            candidates = None
            history.append(trial, loop.get_assignment())
            loop.write_logs()
        else:
            wrong = max(promised - (before.inertia - loop.inertia), 0.0)
            state.doubt_of_center[c] += CHARGED * wrong
            state.doubt_of_cluster[label] += CHARGED * wrong
            state.in_vain.append([c, new])
            loop.rollback(before)
    logger.info("%d of %d swaps lowered the objective, to %.6g", state.kept, state.tried, loop.inertia)


def say_swaps(loop: IntervalLoop, history: History, state: SwapState, share: float) -> None:
    """Log how much of the swaps is done."""
    said = f"{state.tried} swaps of centers tried, {state.kept} of them kept"
    inertia = loop.context.space.in_units_of_graphs(loop.inertia, power=2)
    history.say("swaps", said, share=min(share, 1.0), tried=state.tried, kept=state.kept, inertia=inertia)


def _candidates(loop: IntervalLoop, state: SwapState) -> tuple[Sample, FloatArray]:
    """Graphs that a center might be put onto, and what it seems to gain to take each of the centers there."""
    k = loop.centers.k
    graphs = loop.draw(loop.context.random("swap", state.drawn_at), max(k, CANDIDATES))
    closeness = Closeness(state.sketch_share, state.lap_share)
    found = loop.engine.sum(estimate.exchange_gains, graphs.batch, loop.centers, closeness, SETTLED)
    gains = found.saved[:, None] - found.lost
    gains[np.arange(len(gains)), graphs.label] = -np.inf  # a center stays in its own cluster: that is no swap
    return graphs, gains


def _most_promising(state: SwapState, graphs: Sample, gains: FloatArray) -> tuple[int, int, float]:
    """The center to take away, the candidate that gets it, and what that promises; center -1 if nothing is left."""
    promised = gains - np.array(state.doubt_of_center) - np.array(state.doubt_of_cluster)[graphs.label][:, None]
    for c, new in state.in_vain:
        promised[new, c] = -np.inf
    new, c = divmod(int(promised.argmax()), promised.shape[1])
    most = float(promised[new, c])
    return (c if np.isfinite(most) else -1), new, most
