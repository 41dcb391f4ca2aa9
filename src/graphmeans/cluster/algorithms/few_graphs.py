"""Fewer different graphs than clusters: copies of one graph become several clusters, and yet get one label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphmeans.cluster.algorithms.result import Alignments, Result
from graphmeans.cluster.context import EVALUATION, CountedMatcher
from graphmeans.cluster.data.dataset import InMemoryDataset
from graphmeans.cluster.shards.reductions import Assignment
from graphmeans.graphs.batch import offsets


def nearest_of_few(best: Result, data: InMemoryDataset, matcher: CountedMatcher) -> Result:
    """The result for the different graphs alone, each with its nearest center, of equally near ones the first.

    Centers that were made of copies of one graph differ by nothing but the rounding of a mean, so that in a run each copy is
    where it happened to be. Every pair of a graph and a center is matched.
    """
    batch, k = data.batch, len(best.centers)
    pairs = np.stack([part.ravel() for part in np.indices((len(batch), k))], axis=1)
    with matcher.counted_as(EVALUATION):
        found = matcher.match(batch, best.centers.batch, pairs)
    upper, others = found.upper.reshape(-1, k), found.lower.reshape(-1, k).copy()
    rows, labels = np.arange(len(batch)), upper.argmin(axis=1)
    others[rows, labels] = np.inf
    here = Assignment(labels, upper[rows, labels], others.min(axis=1))
    alignments = None
    if best.alignments is not None:
        own = [found.mapping(p) for p in rows * k + labels]
        alignments = Alignments(offsets(batch.sizes), np.concatenate(own).astype(np.int32))
    inertia, filled = float(data.weights @ here.distances**2), np.unique(labels[data.weights > 0])
    return replace(best, get_assignment=lambda: here, inertia=inertia, n_filled=len(filled), alignments=alignments)
