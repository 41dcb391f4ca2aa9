"""Better optima: take a center from where it is of little use to where it helps.

k-means ends in the local optimum that its start leads to, and what a start gets wrong is mostly this: two centers share a
group while another group has none. So a center that would hardly be missed is put onto a graph that is badly served,
everything else is kept (alignments, bounds), and the descent goes on from there. It is taken back unless the objective ends
up lower.
"""

from __future__ import annotations

import logging

from graphmeans.cluster.algorithms.descent import Descent
from graphmeans.cluster.algorithms.history import History

logger = logging.getLogger("graphmeans")

#: An objective that is lower by less than this share is not worth a swap.
LOWER = 1.0 - 1e-9


def swap_centers(descent: Descent, history: History) -> None:
    """Swap centers until the run has spent the matchings of the descent's budget."""
    matchings, budget, kept = history.counters.matchings, descent.swap_budget or 0.0, 0
    # Swaps that are given up at once may cost nothing: their number is limited, too.
    most = 50 + 5 * descent.centers.k
    while matchings.total() < budget and descent.swaps_tried < most and descent.inertia > 0:
        descent.write_checkpoint(history)
        random = descent.context.random("swap", descent.swaps_tried)
        graph = descent.draw(random)
        useless = descent.least_useful(graph, rank=int(random.geometric(0.5)) - 1)
        if useless is None:
            break
        before = descent.snapshot()
        descent.put_center(useless, graph)
        trial = history.trial(target=before.inertia)
        descent.run(trial, trial=True)
        descent.swaps_tried += 1
        if descent.inertia < before.inertia * LOWER:
            kept += 1
            history.append(trial, descent.get_assignment())
            descent.write_logs()
        else:
            descent.rollback(before)
    logger.info("%d of %d swaps lowered the objective, to %.6g", kept, descent.swaps_tried, descent.inertia)
