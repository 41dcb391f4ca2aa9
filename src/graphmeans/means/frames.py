"""`Frames` are the sums of aligned graphs, with one frame for each center; `Centers` are their averages with support."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from graphmeans.budget import check_room
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, concatenate, offsets, row_ranges
from graphmeans.kernels.frames import add_graphs, aligned_squares, count_edges, write_centers
from graphmeans.kernels.jit import announce
from graphmeans.matching.sound import check_batch


@dataclass(frozen=True, eq=False)
class Centers:
    """Centers as graphs, and the share of members behind each of their nodes and edges.

    `damped` is False where the centers are sample graphs, which stand for themselves (see `MeanGraph`).
    """

    batch: GraphBatch
    node_support: FloatArray
    edge_support: FloatArray
    damped: bool = True

    def __len__(self) -> int:
        return len(self.batch)

    @classmethod
    def of_graphs(cls, batch: GraphBatch) -> Centers:
        """Graphs as centers of their own; every node and edge has the support 1."""
        return cls(batch, np.ones(len(batch.nodes)), _presence(batch))

    def take(self, which: Sequence[int] | IntArray) -> Centers:
        """The centers at these positions."""
        which = np.asarray(which, dtype=np.int64)
        nodes = self.node_support[row_ranges(self.batch.node_ptr, which)[0]]
        edges = self.edge_support[row_ranges(self.batch.edge_ptr, which)[0]]
        return replace(self, batch=self.batch.take(which), node_support=nodes, edge_support=edges)

    def replaced(self, at: IntArray, others: Centers) -> Centers:
        """The same centers with ``others[i]`` in place of center ``at[i]``."""
        nodes = np.concatenate([self.node_support, others.node_support])
        edges = np.concatenate([self.edge_support, others.edge_support])
        together = Centers(concatenate([self.batch, others.batch]), nodes, edges, others.damped)
        which = np.arange(len(self))
        which[at] = len(self) + np.arange(len(others))
        return together.take(which)


class Frames:
    """Sums of aligned graphs in the frames of k centers.

    A frame has slots; the slot of each node of a member is its mapping. Sums, weights and totals of different frames
    of the same centers add up, which is what lets collections be worked through in parts.
    """

    #: The arrays that add up.
    SUMS = ("nodes", "edges", "node_weight", "edge_weight", "total")

    def __init__(self, count: int, like: GraphBatch, capacity: int) -> None:
        self.check_room(count, like, capacity)
        dv, channels = like.nodes.shape[1], like.edge_values.shape[1]
        self.directed = like.directed
        self.role_names = like.role_names
        self.size = np.zeros(count, dtype=np.int64)
        self.roles = np.zeros((count, capacity), dtype=np.int32)
        self.nodes = np.zeros((count, capacity, dv))
        self.edges = np.zeros((count, capacity, capacity, channels))
        self.node_weight = np.zeros((count, capacity))
        self.edge_weight = np.zeros((count, capacity, capacity))
        self.total = np.zeros(count)

    def __len__(self) -> int:
        return len(self.size)

    @staticmethod
    def check_room(count: int, like: GraphBatch, capacity: int) -> None:
        """Raise a `GraphError` if there is no memory for so many frames."""
        dv, channels = like.nodes.shape[1], like.edge_values.shape[1]
        size = 8.0 * count * capacity * (capacity * (channels + 1) + dv + 2)
        check_room(size, f"{count} centers of {capacity} nodes each, all of which may have edges,")

    @classmethod
    def of_graphs(cls, batch: GraphBatch) -> Frames:
        """Frames whose slots are the nodes of these graphs, with nothing added yet."""
        return cls.of_roles(np.split(batch.roles, batch.node_ptr[1:-1]) if len(batch) else [], batch)

    @classmethod
    def of_roles(cls, roles: Sequence[NDArray[np.int32]], like: GraphBatch) -> Frames:
        """Frames whose slots have these roles, with nothing added yet."""
        frames = cls(len(roles), like, max([1, *map(len, roles)]))
        for k, own in enumerate(roles):
            frames.size[k] = len(own)
            frames.roles[k, : len(own)] = own
        return frames

    def __iadd__(self, other: Frames) -> Frames:
        for name in self.SUMS:
            getattr(self, name)[:] += getattr(other, name)
        return self

    def copy(self) -> Frames:
        """A copy, whose sums may be changed."""
        other = copy(self)
        for name in self.SUMS:
            setattr(other, name, getattr(self, name).copy())
        return other

    def add(
        self, batch: GraphBatch, which: IntArray, frame: IntArray, mappings: IntArray, ptr: IntArray, weight: FloatArray
    ) -> None:
        """Add ``weight[p] * graph which[p]`` into ``frame[p]``; `mappings` is completed with slots for unmatched nodes."""
        announce(add_graphs)
        check_batch(batch)
        self._reserve(int((self.size + self._new_slots(batch, which, frame, mappings, ptr)).max(initial=0)))
        add_graphs(
            batch.node_ptr, batch.nodes, batch.roles, batch.edge_ptr, batch.ends, batch.edge_values, self.directed,
            np.asarray(which, np.int64), np.asarray(frame, np.int64), np.asarray(weight, np.float64), mappings, ptr,
            self.size, self.roles, self.nodes, self.edges, self.node_weight, self.edge_weight, self.total,
        )  # fmt: skip

    def scale(self, frame: IntArray, factor: FloatArray) -> None:
        """Multiply everything that was added to these frames."""
        for sums in (getattr(self, name) for name in self.SUMS):
            sums[frame] *= factor.reshape(-1, *[1] * (sums.ndim - 1))

    def explained(self) -> float:
        """The sum of W |y|^2 over all means y of weight W: the more, the lower is the objective of what was added."""
        return float(self.explained_each().sum())

    def explained_each(self) -> FloatArray:
        """W |y|^2 of each mean y of weight W; 0 where nothing was added."""
        total = np.maximum(self.total, np.finfo(np.float64).tiny)
        squares = [np.einsum("kd,kd->k", sums, sums) for sums in (a.reshape(len(self), -1) for a in (self.nodes, self.edges))]
        return np.where(self.total > 0, sum(squares) / total, 0.0)

    def centers(self) -> Centers:
        """The averages. Frame k must have a positive total; its slots are the nodes of center k."""
        announce(write_centers)
        edges = count_edges(self.size, self.edge_weight)
        n_nodes, n_edges = int(self.size.sum()), int(edges.sum())
        batch = GraphBatch(
            offsets(self.size), np.empty((n_nodes, self.nodes.shape[2])), np.empty(n_nodes, dtype=np.int32),
            offsets(edges), np.empty((n_edges, 2), dtype=np.int32), np.empty((n_edges, self.edges.shape[3])),
            self.directed, self.role_names,
        )  # fmt: skip
        support = np.empty(n_nodes), np.empty((n_edges, 2 if self.directed else 1))
        write_centers(
            self.size, self.roles, self.nodes, self.edges, self.node_weight, self.edge_weight, self.total, self.directed,
            batch.nodes, batch.roles, batch.ends, batch.edge_values, *support,
        )  # fmt: skip
        return Centers(batch, *support)

    def aligned_distances(
        self, batch: GraphBatch, which: IntArray, frame: IntArray, mappings: IntArray, ptr: IntArray
    ) -> FloatArray:
        """|x - y| of each graph along its mapping and the average of its frame."""
        check_batch(batch)
        squares = np.empty(len(which))
        aligned_squares(
            batch.node_ptr, batch.nodes, batch.edge_ptr, batch.ends, batch.edge_values, self.directed,
            np.asarray(which, np.int64), np.asarray(frame, np.int64), mappings, ptr,
            self.size, self.nodes, self.edges, self.total, squares,
        )  # fmt: skip
        return np.sqrt(squares)

    def squared_sums(self) -> FloatArray:
        """|sum of what was added|^2 of each frame."""
        return np.asarray((self.nodes**2).sum(axis=(1, 2)) + (self.edges**2).sum(axis=(1, 2, 3)))

    def compact(self, frame: IntArray, mappings: IntArray, ptr: IntArray) -> None:
        """Drop slots that nothing was added to; mappings (in, out) follow, -1 where the slot is gone."""
        for k in range(len(self)):
            keep = np.flatnonzero(self.node_weight[k, : self.size[k]] > 0)
            if len(keep) == self.size[k]:
                continue
            slot = np.full(self.size[k] + 1, -1)  # the last entry answers for -1
            slot[keep] = np.arange(len(keep))
            rest = np.setdiff1d(np.arange(self.nodes.shape[1]), keep)
            order = np.concatenate([keep, rest])
            for of_slots in (self.roles, self.nodes, self.node_weight):
                of_slots[k] = of_slots[k][order]
            for of_pairs in (self.edges, self.edge_weight):
                of_pairs[k] = of_pairs[k][np.ix_(order, order)]
            self.size[k] = len(keep)
            rows = np.repeat(frame == k, np.diff(ptr))
            mappings[rows] = slot[mappings[rows]]

    def _new_slots(
        self, batch: GraphBatch, which: IntArray, frame: IntArray, mappings: IntArray, ptr: IntArray
    ) -> IntArray:
        """How many slots each frame needs at most for unmatched nodes; the graphs of one call share them, role by role."""
        new = np.zeros((len(self), len(self.role_names)), dtype=np.int64)
        unmatched = np.flatnonzero(mappings < 0)
        if len(unmatched):
            member = np.searchsorted(ptr, unmatched, side="right") - 1
            node = batch.node_ptr[which[member]] + unmatched - ptr[member]
            counts = np.zeros((len(which), len(self.role_names)), dtype=np.int64)
            np.add.at(counts, (member, batch.roles[node]), 1)
            np.maximum.at(new, frame, counts)
        return np.asarray(new.sum(axis=1))

    def _reserve(self, slots: int) -> None:
        more = slots - self.nodes.shape[1]
        if more <= 0:
            return
        for name, axes in (("roles", 1), ("nodes", 1), ("node_weight", 1), ("edges", 2), ("edge_weight", 2)):
            old = getattr(self, name)
            setattr(self, name, np.pad(old, [(0, more if 1 <= axis <= axes else 0) for axis in range(old.ndim)]))


def _presence(batch: GraphBatch) -> FloatArray:
    """Edge support of graphs taken as they are: 1 where there is an edge, per direction in a directed batch."""
    if not batch.directed:
        return np.ones((len(batch.ends), 1))
    half = batch.edge_values.shape[1] // 2
    return np.stack([batch.edge_values[:, :half].any(axis=1), batch.edge_values[:, half:].any(axis=1)], 1).astype(float)
