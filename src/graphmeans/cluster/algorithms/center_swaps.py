"""Better optima: take a center from where it is of little use to where it helps.

k-means ends in the local optimum that its start leads to, and what a start gets wrong is mostly this: two centers share a
group while another group has none. So a center that would hardly be missed is put onto a graph that is badly served,
everything else is kept (alignments, bounds), and the loop goes on from there. It is taken back unless the objective ends
up lower.
"""

from __future__ import annotations

import logging

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop

logger = logging.getLogger("graphmeans")

#: An objective that is lower by less than this share is not worth a swap.
LOWER = 1.0 - 1e-9


def swap_centers(loop: IntervalLoop, history: History) -> None:
    """Swap centers until the run has spent the matchings of its budget."""
    matchings, budget, kept = history.counters.matchings, loop.swap_budget or 0.0, 0
    # Swaps that are given up at once may cost nothing: their number is limited, too.
    most = 50 + 5 * loop.centers.k
    while matchings.total() < budget and loop.swaps_tried < most and loop.inertia > 0:
        loop.write_checkpoint(history)
        random = loop.context.random("swap", loop.swaps_tried)
        graph = loop.draw(random)
        useless = loop.least_useful(graph, rank=int(random.geometric(0.5)) - 1)
        if useless is None:
            break
        before = loop.snapshot()
        loop.put_center(useless, graph)
        trial = history.trial(target=before.inertia)
        loop.run(trial, trial=True)
        loop.swaps_tried += 1
        if loop.inertia < before.inertia * LOWER:
            kept += 1
            history.append(trial, loop.get_assignment())
            loop.write_logs()
        else:
            loop.rollback(before)
    logger.info("%d of %d swaps lowered the objective, to %.6g", kept, loop.swaps_tried, loop.inertia)
