"""Copies of a graph are one graph that weighs more: the objective is the same, and they are aligned only once.

Copies whose nodes are numbered otherwise are found by the canonical order of their nodes (graphs/canonical.py). Who compares
graphs in these orders may miss copies of very symmetric graphs, but takes no others for copies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from graphmeans.cluster.data.dataset import InMemoryDataset
from graphmeans.graphs.batch import GraphBatch, IntArray
from graphmeans.graphs.canonical import canonical, fingerprints

#: Copies are put together where they are at least this share of the graphs.
WORTH = 0.1
#: About how many numbers of a long row are looked at before it is compared as a whole.
GLANCE = 32


def originals(batch: GraphBatch, renumbered: bool = True) -> IntArray:
    """For each graph the first one that is equal to it, number by number and edge by edge (itself, if there is none).

    With `renumbered` also where its nodes come in another order. Graphs that are taken for equal are; a very symmetric one
    may fail to be recognised in another order.
    """
    first = np.arange(len(batch))
    # Only graphs with the same fingerprint are looked at one by one.
    _, group, count = np.unique(fingerprints(_glanced(batch)), return_inverse=True, return_counts=True)
    candidates = np.flatnonzero(count[group.reshape(-1)] > 1)
    if not len(candidates):
        return first
    some, in_order = batch.take(candidates), np.zeros(len(candidates), dtype=bool)
    if renumbered:
        some, in_order = canonical(some)
    seen: dict[tuple[bytes, ...], int] = {}
    for i, g in enumerate(candidates.tolist()):
        nodes = slice(some.node_ptr[i], some.node_ptr[i + 1])
        edges = slice(some.edge_ptr[i], some.edge_ptr[i + 1])
        parts = (some.nodes[nodes] + 0.0, some.roles[nodes], some.ends[edges], some.edge_values[edges] + 0.0, in_order[i])
        first[g] = seen.setdefault(tuple(part.tobytes() for part in parts), g)
    return first


def _glanced(batch: GraphBatch) -> GraphBatch:
    """Of long rows (graphs of one node without edges) a few numbers: rows that differ mostly differ there."""
    width = batch.nodes.shape[1]
    if width <= 2 * GLANCE or len(batch.ends) or not (batch.sizes == 1).all():
        return batch
    return replace(batch, nodes=np.ascontiguousarray(batch.nodes[:, :: width // GLANCE]))


class Copies(NamedTuple):
    """The different graphs with the weights of their copies added, and which of them each graph is."""

    data: InMemoryDataset
    which: IntArray


def find_copies(data: InMemoryDataset, k: int) -> Copies | None:
    """The different graphs of a collection, if there are many copies, or fewer different graphs than clusters; else None."""
    kept, inverse = np.unique(originals(data.batch), return_inverse=True)
    which: IntArray = inverse.reshape(-1).astype(np.int64)
    if k <= len(kept) and len(kept) > (1 - WORTH) * len(data):
        return None
    added = np.bincount(which, weights=data.weights, minlength=len(kept)).astype(np.float64)
    return Copies(InMemoryDataset(data.batch.take(kept), added), which)
