"""What each node and edge contributes to the squared distance of a member to its mean, along their alignment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets, row_ranges
from graphmeans.matching.match import Matches
from graphmeans.plots.members import edge_numbers


class Parts(NamedTuple):
    """Nodes or edges of all members, one member after the other, and what each contributes to the squared distance."""

    places: IntArray  # the number of a node, or the two ends of an edge
    shares: FloatArray
    ptr: IntArray  # where each member begins

    @property
    def of(self) -> IntArray:
        """The member that each belongs to."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))

    def largest(self, most: int) -> Parts:
        """Those with the largest shares, no more than so many of each member."""
        counts = np.diff(self.ptr)
        order = np.lexsort((-self.shares, self.of))
        rank = np.arange(len(order)) - np.repeat(self.ptr[:-1], counts)
        kept = np.sort(order[rank < most])
        return Parts(self.places[kept], self.shares[kept], offsets(np.minimum(counts, most)))


class DistanceShares(NamedTuple):
    """Parts of the squared distances of all members to their means: those of a member add up to it."""

    nodes: Parts  # of the members
    edges: Parts
    missing_nodes: Parts  # nodes of the mean that no node of the member is aligned to
    missing_edges: Parts  # edges of the mean that the member has not

    @property
    def totals(self) -> FloatArray:
        """The sum of the parts of each member."""
        parts = (np.bincount(part.of, part.shares, minlength=len(part.ptr) - 1) for part in self)
        return np.asarray(sum(parts), dtype=np.float64)  # numpy counts what is empty in whole numbers


def distance_shares(points: GraphBatch, centers: GraphBatch, labels: IntArray, own: Matches) -> DistanceShares:
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
    keys = edge_numbers(centers.ends.astype(np.int64), center_of, size, directed=False)
    order = np.argsort(keys, kind="stable")
    wanted = edge_numbers(mapped, labels[edge_member], size, directed=False)
    at = np.searchsorted(keys[order], wanted)
    found = at < len(keys)
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

    unmet_cut = np.searchsorted(unmet_member, np.arange(len(points) + 1))
    edge_cut = np.searchsorted(unmet_edge_member, np.arange(len(points) + 1))
    return DistanceShares(
        Parts(np.arange(len(of_nodes)) - own.ptr[member], of_nodes, own.ptr), Parts(ends, of_edges, edge_ptr),
        Parts(unmet - mean_ptr[unmet_member], of_unmet, unmet_cut), Parts(unmet_ends, of_unmet_edges, edge_cut),
    )  # fmt: skip
