"""Better optima: take a center from where it is of little use to where it helps.

k-means ends in the local optimum its start leads to, and what a start gets wrong is mostly this: two centers share a group
while another group has none. So a center that would hardly be missed is put onto a graph that is badly served, everything
else is kept (alignments, bounds), and the descent goes on from there. It is taken back unless the objective ends up lower.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from graphmeans.cluster.algorithms.history import Stopping

if TYPE_CHECKING:
    from graphmeans.cluster.algorithms.interval import Descent

logger = logging.getLogger("graphmeans")

#: An objective that is lower by less than this share is not worth a swap.
LOWER = 1.0 - 1e-9


def swap_centers(descent: Descent, stopping: Stopping, budget: float) -> None:
    """Swap centers until the run has spent `budget` matchings."""
    problem, kept = descent.problem, 0
    descent.budget = budget
    # Swaps that are given up at once may cost nothing: their number is limited, too.
    most = 50 + 5 * descent.centers.k
    while problem.ledger.matchings.total() < budget and descent.swaps_tried < most and descent.inertia() > 0:
        descent.keep(stopping)
        random = problem.random("swap", descent.swaps_tried)
        graph = descent.draw(random)
        useless = descent.least_useful(graph, rank=int(random.geometric(0.5)) - 1)
        if useless is None:
            break
        before, state = descent.inertia(), descent.save()
        descent.put(useless, graph)
        trial = Stopping(problem, stopping.max_iter, stopping.tol, stopping.n_iter_no_change, target=before)
        descent.run(trial, trial=True)
        descent.swaps_tried += 1
        if descent.inertia() < before * LOWER:
            kept += 1
            stopping.take_over(trial)
            descent.leave()
        else:
            descent.restore(state)
    logger.info("%d of %d swaps lowered the objective, to %.6g", kept, descent.swaps_tried, descent.inertia())
