"""Centers that change places: which ones seem worth it, and how it is done."""

from __future__ import annotations

import numpy as np

from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.engines.base import Engine
from graphmeans.cluster.shards.assign import claim_graphs, dissolve_clusters
from graphmeans.cluster.shards.estimate import ExchangeGains
from graphmeans.cluster.shards.reductions import Sample
from graphmeans.graphs.batch import IntArray


def disjoint_exchanges(
    gains: ExchangeGains, labels: IntArray, most: int, least: float
) -> tuple[IntArray, IntArray]:
    """The exchanges that gain most, so many at most and each at least so much, of which no two concern the same cluster.

    `labels` are the clusters of the candidates. Returns the centers to be taken away and the candidates that take their places.
    """
    net = gains.saved[:, None] - gains.lost
    centers: list[int] = []
    candidates: list[int] = []
    while len(centers) < min(most, len(net)):
        new, c = divmod(int(net.argmax()), net.shape[1])
        if not net[new, c] > least:
            break
        centers.append(c)
        candidates.append(new)
        busy = [c, int(labels[new])]
        net[:, busy] = -np.inf
        net[np.isin(labels, busy)] = -np.inf
    return np.array(centers, dtype=np.int64), np.array(candidates, dtype=np.int64)


def put_centers(engine: Engine, centers: MovingCenters, which: IntArray, graphs: Sample) -> None:
    """Take these centers away and put them onto graphs."""
    centers.replace(which, graphs.batch)
    if isinstance(centers, VectorCenters):
        return  # the next assignment sees by the distances who is concerned
    engine.each(dissolve_clusters, which, centers)
    engine.each(claim_graphs, graphs.graph, which, centers)
