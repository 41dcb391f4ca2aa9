"""What each node and edge contributes to the squared distance of a member to its mean, along their alignment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, row_ranges
from graphmeans.matching.match import Matches


class MemberShares(NamedTuple):
    """Parts of the squared distance of one member: they add up to it."""

    nodes: FloatArray  # of each node of the member
    edges: IntArray  # (E, 2) its edges
    of_edges: FloatArray
    missing_nodes: IntArray  # nodes of the mean that no node of the member is aligned to
    of_missing_nodes: FloatArray
    missing_edges: IntArray  # (M, 2) edges of the mean that the member has not
    of_missing_edges: FloatArray


#: Edges of a member whose shares are listed at most.
MOST_EDGES = 400


def largest_shares(shares: MemberShares, most: int = MOST_EDGES) -> tuple[MemberShares, float]:
    """The shares with no more than so many edges, those of the largest shares; and the sum of all of them."""
    parts = (shares.nodes, shares.of_edges, shares.of_missing_nodes, shares.of_missing_edges)
    total = float(sum(sum(part.tolist()) for part in parts))
    if len(shares.edges) > most:
        kept = np.sort(np.argsort(-shares.of_edges, kind="stable")[:most])
        shares = shares._replace(edges=shares.edges[kept], of_edges=shares.of_edges[kept])
    if len(shares.missing_edges) > most:
        kept = np.sort(np.argsort(-shares.of_missing_edges, kind="stable")[:most])
        shares = shares._replace(missing_edges=shares.missing_edges[kept], of_missing_edges=shares.of_missing_edges[kept])
    return shares, total


def distance_shares(points: GraphBatch, centers: GraphBatch, labels: IntArray, own: Matches) -> list[MemberShares]:
    """The parts of the squared distances of all graphs to their centers, by array operations on all of them at once.

    An edge counts from both of its ends, as it does in the distance.
    """
    sizes = points.sizes
    member = np.repeat(np.arange(len(points)), sizes)
    node_rows, _ = row_ranges(points.node_ptr, np.arange(len(points)))
    first = centers.node_ptr[labels]  # where the nodes of the own center begin
    hit = own.flat >= 0
    there = np.where(hit, own.flat, 0) + first[member]
    of_nodes = ((points.nodes[node_rows] - np.where(hit[:, None], centers.nodes[there], 0.0)) ** 2).sum(axis=1)

    # Nodes of the means, once for each member, and which of them are met.
    mean_rows, mean_ptr = row_ranges(centers.node_ptr, labels)
    met = np.zeros(len(mean_rows), dtype=bool)
    met[(mean_ptr[member] + own.flat)[hit]] = True
    unmet = np.flatnonzero(~met)
    unmet_member = np.searchsorted(mean_ptr, unmet, side="right") - 1
    of_unmet = (centers.nodes[mean_rows[unmet]] ** 2).sum(axis=1)

    edge_rows, edge_ptr = row_ranges(points.edge_ptr, np.arange(len(points)))
    edge_member = np.repeat(np.arange(len(points)), np.diff(edge_ptr))
    ends = points.ends[edge_rows].astype(np.int64)
    mapped = own.flat[own.ptr[edge_member][:, None] + ends]
    values = points.edge_values[edge_rows]
    reversed_ = mapped[:, 0] > mapped[:, 1]
    if points.directed:
        half = values.shape[1] // 2
        values = np.where(reversed_[:, None], np.concatenate([values[:, half:], values[:, :half]], axis=1), values)
    size = int(centers.sizes.max(initial=0)) + 1
    center_of = np.repeat(np.arange(len(centers)), np.diff(centers.edge_ptr))
    keys = _keys(center_of, np.sort(centers.ends.astype(np.int64), axis=1), size)
    order = np.argsort(keys, kind="stable")
    wanted = _keys(labels[edge_member], np.sort(mapped, axis=1), size)
    both = (mapped >= 0).all(axis=1)
    at = np.searchsorted(keys[order], wanted)
    found = both & (at < len(keys))
    found[found] &= keys[order][at[found]] == wanted[found]
    theirs = np.zeros_like(values)
    theirs[found] = centers.edge_values[order[at[found]]]
    of_edges = 2.0 * ((values - theirs) ** 2).sum(axis=1)

    mean_edge_rows, mean_edge_ptr = row_ranges(centers.edge_ptr, labels)
    met_edges = np.zeros(len(mean_edge_rows), dtype=bool)
    local = order[at[found]] - centers.edge_ptr[labels[edge_member[found]]]
    met_edges[mean_edge_ptr[edge_member[found]] + local] = True
    unmet_edges = np.flatnonzero(~met_edges)
    of_unmet_edges = 2.0 * (centers.edge_values[mean_edge_rows[unmet_edges]] ** 2).sum(axis=1)
    unmet_edge_member = np.searchsorted(mean_edge_ptr, unmet_edges, side="right") - 1
    unmet_ends = centers.ends[mean_edge_rows[unmet_edges]].astype(np.int64)

    node_cut = np.searchsorted(unmet_member, np.arange(len(points) + 1))
    edge_cut = np.searchsorted(unmet_edge_member, np.arange(len(points) + 1))
    unmet_local = unmet - mean_ptr[unmet_member]
    result = []
    for n in range(len(points)):
        a, b = own.ptr[n], own.ptr[n + 1]
        c, d = edge_ptr[n], edge_ptr[n + 1]
        e, f = node_cut[n], node_cut[n + 1]
        g, h = edge_cut[n], edge_cut[n + 1]
        result.append(MemberShares(
            of_nodes[a:b], ends[c:d], of_edges[c:d], unmet_local[e:f], of_unmet[e:f], unmet_ends[g:h], of_unmet_edges[g:h]
        ))  # fmt: skip
    return result


def _keys(of: IntArray, ends: IntArray, size: int) -> IntArray:
    return (of * size + ends[:, 0]) * size + ends[:, 1]
