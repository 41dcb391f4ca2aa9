"""Centers that can move on, from what a model file keeps of them: averages, supports and counts say what the sums were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.means.frames import Centers
from graphmeans.space import GraphSpace


def resumed(space: GraphSpace, centers: Centers, counts: NDArray[np.float64]) -> MovingCenters:
    """The centers in frames again; counts are the (weighted) numbers of graphs behind each.

    A node or an edge was in support * count graphs, and the sum of its values is average * count.
    """
    batch = centers.batch
    counts = np.where(counts > 0, counts, 1.0)  # a center without members stands there like a seed
    moving = MovingCenters(space.order, batch, len(batch))
    for c in range(len(batch)):
        moving.append(batch.take([c]))
    frames = moving.frames.copy()
    frames.scale(np.arange(len(batch)), counts)
    owner = np.repeat(np.arange(len(batch)), batch.sizes)
    frames.node_weight[owner, moving.place_of_nodes] = centers.node_support * counts[owner]
    owner = np.repeat(np.arange(len(batch)), np.diff(batch.edge_ptr))
    i, j = (moving.place_of_nodes[batch.node_ptr[owner] + batch.ends[:, side]] for side in (0, 1))
    frames.edge_weight[owner, i, j] = centers.edge_support[:, 0] * counts[owner]
    frames.edge_weight[owner, j, i] = centers.edge_support[:, -1] * counts[owner]
    return moving.started_anew(frames)
