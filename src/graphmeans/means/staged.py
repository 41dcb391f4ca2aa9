"""Means of large groups: found from a few members first, then from all of them, and without what hardly any member has.

The mean of many graphs has as many nodes as the largest of them, most of which stand for one member only. They hardly change the
mean, but every matching pays for them. Here they are left out: the result is close to a mean, and small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.means.frames import Centers, Frames
from graphmeans.means.lifted import Lifted
from graphmeans.means.method import MatchPairs

#: How many members the mean is first made of, and how often that is refined.
FIRST, FIRST_SWEEPS = 50, 2
#: The most times that all members are aligned, and the share by which that must lower the sum of squares to be done again.
SWEEPS, GAIN = 4, 0.005


def staged_means(
    match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, order: IntArray,
    random_state: np.random.RandomState, min_support: float,
) -> Centers:  # fmt: skip
    """The means of groups whose members come in random order, with what at least this share of the members has."""
    few = [own[:FIRST] for own in groups]
    centers = Lifted(max_sweeps=FIRST_SWEEPS).compute(match, batch, few, weights, order, random_state).centers
    # Of a few members, what only one has says nothing of all.
    centers = trimmed(centers, max(min_support, 1.5 / FIRST))
    which = np.concatenate(list(groups)).astype(np.int64)
    group = np.repeat(np.arange(len(groups)), [len(own) for own in groups]).astype(np.int64)
    ptr, best, kept = offsets(batch.sizes[which]), np.inf, centers
    for _ in range(SWEEPS):
        found = match(batch, centers.batch, np.stack([which, group], axis=1))
        frames, mappings = Frames.of_graphs(centers.batch), found.flat.copy()
        frames.add(batch, which, group, mappings, ptr, weights[which])
        squares = float((weights[which] * found.upper**2).sum())
        if squares < best:
            kept = centers
        if squares > best * (1.0 - GAIN):
            break
        best, centers = squares, trimmed(frames.centers(), min_support)
    return kept


def trimmed(centers: Centers, least: float) -> Centers:
    """The centers without nodes and edges of less support; each keeps at least its best supported node."""
    batch = centers.batch
    keep = centers.node_support >= least
    for first, last in zip(batch.node_ptr[:-1].tolist(), batch.node_ptr[1:].tolist(), strict=True):
        if last > first and not keep[first:last].any():
            keep[first + int(centers.node_support[first:last].argmax())] = True
    owner = np.repeat(np.arange(len(batch)), np.diff(batch.edge_ptr))
    ends = batch.ends + batch.node_ptr[owner][:, None]
    stays = keep[ends].all(axis=1) & (centers.edge_support >= least).any(axis=1)
    new = np.cumsum(keep) - 1
    node_ptr = np.concatenate([[0], np.cumsum(keep)])[batch.node_ptr].astype(np.int64)
    edge_ptr = np.concatenate([[0], np.cumsum(stays)])[batch.edge_ptr].astype(np.int64)
    moved = (new[ends[stays]] - node_ptr[owner[stays]][:, None]).astype(np.int32).reshape(-1, 2)
    smaller = replace(
        batch, node_ptr=node_ptr, nodes=batch.nodes[keep], roles=batch.roles[keep], edge_ptr=edge_ptr, ends=moved,
        edge_values=batch.edge_values[stays],
    )  # fmt: skip
    return replace(centers, batch=smaller, node_support=centers.node_support[keep], edge_support=centers.edge_support[stays])
