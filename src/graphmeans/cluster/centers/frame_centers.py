"""`FrameCenters`: the centers of k-means, each in a frame of fixed slots."""

from __future__ import annotations

from copy import copy
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.shift_history import Frame, ShiftHistory
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, concatenate
from graphmeans.kernels.frames import fill_slots
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Centers, Frames
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

_versions = count()


def next_version() -> int:
    """A number that no other centers of this process have."""
    return next(_versions)


class FrameCenters:
    """k centers, each in a frame of n slots with fixed roles. A graph's alignment is the slot of each of its nodes.

    Because frames stay, sums of aligned graphs add up whoever computed them, and |y_now - y_then| is an upper bound of the
    distance between a center and what it was: no matching is needed to know how far it has moved.

    First the seeds are appended one by one; then `move_to_means` and `replace` let time pass. Arrays are replaced, never
    changed in place, so a shallow copy is a snapshot.

    Attributes
    ----------
    batch : GraphBatch
        The centers without their null slots, which matchers need not see.
    frames : Frames
        The sums whose averages the centers are.
    history : ShiftHistory
    now : int
        The present time: how often the centers have moved.
    shift : array
        How far each center has moved since each earlier time; see `ShiftHistory`.
    sketches : Sketches
    version : int
        Centers of the same version are the same.
    """

    def __init__(self, order: IntArray, like: GraphBatch, k: int) -> None:
        self.order, self.k = order, k
        Frames.check_room(max(k, 1), like, int(order.sum()))  # before anything is laid out
        self.slot_roles = np.repeat(np.arange(len(order)), order).astype(np.int32)
        slots = len(self.slot_roles)
        self.batch = like.take([])
        self.frames = self.empty_frames()
        self._keep(ShiftHistory(k))
        self.sketches = Sketches.of(self.batch, order)
        self.version = next_version()
        self._used = np.zeros((k, slots), dtype=bool)
        self._slot_of_node = np.zeros(0, dtype=np.int64)  # of each node of `batch`
        self._node_in_slot = np.full((k, slots), -1, dtype=np.int64)
        self._centers: Centers | None = None

    @classmethod
    def from_graphs(cls, order: IntArray, graphs: GraphBatch, which: IntArray | None = None) -> FrameCenters:
        """Graphs of a batch as seeds, in their order."""
        which = np.arange(len(graphs)) if which is None else which
        centers = cls(order, graphs, len(which))
        for c in which:
            centers.append(graphs.take([c]))
        return centers

    # -- how centers come to be and move -----------------------------------------------------------

    @property
    def times(self) -> int:
        """At how many times the centers have been."""
        return len(self.shift)

    def append(self, graph: GraphBatch) -> None:
        """Take one more seed, a batch of one graph."""
        c = len(self.batch)
        slots = self._put(graph, c)
        self._node_in_slot[c, slots] = np.arange(len(slots))
        self._slot_of_node = np.concatenate([self._slot_of_node, slots])
        self.batch = concatenate([self.batch, graph])
        self.sketches = self.sketches.append(Sketches.of(graph, self.order))
        self._centers = Centers.of_graphs(self.batch)
        self.version = next_version()

    def move_to_means(self, sums: Frames) -> None:
        """The averages of these sums are the centers from now on; a frame without weight keeps its center."""
        before = None if self.now else self._positions()
        empty = sums.total <= 0
        for name in Frames.SUMS:
            getattr(sums, name)[empty] = getattr(self.frames, name)[empty]
        self.frames = sums
        self._advance(before)

    def replace(self, which: IntArray, graphs: GraphBatch) -> None:
        """These centers give way to as many graphs; nothing that was known of them holds any longer."""
        before = None if self.now else self._positions()
        self.frames = self.frames.copy()
        for name in Frames.SUMS:
            getattr(self.frames, name)[which] = 0.0
        self._used = self._used.copy()
        for i, c in enumerate(which.tolist()):
            self._put(graphs.take([i]), c)
        self._advance(before, replaced=which)

    def _put(self, graph: GraphBatch, c: int) -> IntArray:
        """Put a graph alone into frame c; returns the slot of each of its nodes."""
        first, frame = np.zeros(1, dtype=np.int64), np.array([c], dtype=np.int64)
        self._used[c] = False
        slots = np.full(len(graph.nodes), -1, dtype=np.int64)
        self.fill_slots(graph, first, frame, slots, graph.node_ptr)
        self._used[c, slots] = True
        self.frames.add(graph, first, frame, slots, graph.node_ptr, np.ones(1))
        return slots

    def _positions(self) -> Frame:
        total = np.maximum(self.frames.total, 1e-300).reshape(-1, 1, 1)
        return self.frames.nodes / total, self.frames.edges / total[..., None]

    def _advance(self, before: Frame | None, replaced: IntArray | None = None) -> None:
        """Let one unit of time pass; the frames are those of the new centers."""
        history = copy(self.history)
        history.advance(before, self._positions(), replaced)
        self._keep(history)
        self._derive(np.flatnonzero(self.shift[self.now - 1] > 0))

    def _keep(self, history: ShiftHistory) -> None:
        self.history, self.now, self.shift = history, len(history.shift) - 1, history.shift

    def _derive(self, moved: IntArray | None = None) -> None:
        """Compute everything that follows from the frames; of the sketches those of moved centers."""
        self.version = next_version()
        self._used = self.frames.node_weight[:, : len(self.slot_roles)] > 0
        self._compact()
        if moved is None:
            self.sketches = Sketches.of(self.batch, self.order)
        else:
            self.sketches = self.sketches.with_rows(moved, Sketches.of(self.batch.take(moved), self.order))

    def _compact(self) -> None:
        """Leave out null slots."""
        full = self.frames.centers()
        full_batch = full.batch
        rows = np.flatnonzero(self._used.ravel())
        slots = self._used.shape[1]
        self._node_in_slot = np.where(self._used, np.cumsum(self._used, axis=1) - 1, -1)
        self._slot_of_node = (rows % slots).astype(np.int64) if slots else rows
        owner = np.repeat(np.arange(self.k), np.diff(full_batch.edge_ptr))
        self.batch = GraphBatch(
            node_ptr=np.concatenate([[0], np.cumsum(self._used.sum(axis=1))]).astype(np.int64),
            nodes=full_batch.nodes[rows],
            roles=full_batch.roles[rows],
            edge_ptr=full_batch.edge_ptr,
            ends=self._node_in_slot[owner[:, None], full_batch.ends].astype(np.int32),
            edge_values=full_batch.edge_values,
            directed=full_batch.directed,
            role_names=full_batch.role_names,
        )
        self._centers = Centers(self.batch, full.node_support[rows], full.edge_support)

    # -- in and out --------------------------------------------------------------------------------

    def as_centers(self) -> Centers:
        """The centers as they are now, with support."""
        assert self._centers is not None, "no seeds were appended"
        return self._centers

    def nodes_in_slots(self, labels: IntArray, slots: IntArray) -> IntArray:
        """The nodes of these centers that stand in these slots, one for each pair; -1 for null slots and for none."""
        found = self._node_in_slot[labels, np.maximum(slots, 0)] if self._node_in_slot.size else np.full(len(slots), -1)
        return np.where(slots < 0, -1, found)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that cannot be computed from the rest."""
        return {name: getattr(self.frames, name) for name in Frames.SUMS} | self.history.to_arrays()

    @classmethod
    def from_arrays(cls, order: IntArray, like: GraphBatch, arrays: dict[str, NDArray[Any]]) -> FrameCenters:
        """The centers that `to_arrays` wrote down, after they have moved at least once."""
        centers = cls(order, like, len(arrays["total"]))
        for name in Frames.SUMS:
            setattr(centers.frames, name, arrays[name])
        centers._keep(ShiftHistory.from_arrays(arrays))
        centers._derive()
        return centers

    @classmethod
    def from_means(cls, space: GraphSpace, means: Centers, counts: FloatArray) -> FrameCenters:
        """Centers that can move on, from what a model file keeps of them: averages, supports and counts.

        The counts are the (weighted) numbers of graphs behind each center. A node or an edge was in support * count
        graphs, and the sum of its values is average * count.
        """
        batch = means.batch
        counts = np.where(counts > 0, counts, 1.0)  # a center without members counts like a seed
        centers = cls.from_graphs(space.order, batch)
        slot, frames = centers._slot_of_node, centers.frames.copy()
        frames.scale(np.arange(len(batch)), counts)
        owner = np.repeat(np.arange(len(batch)), batch.sizes)
        frames.node_weight[owner, slot] = means.node_support * counts[owner]
        owner = np.repeat(np.arange(len(batch)), np.diff(batch.edge_ptr))
        i, j = (slot[batch.node_ptr[owner] + batch.ends[:, side]] for side in (0, 1))
        frames.edge_weight[owner, i, j] = means.edge_support[:, 0] * counts[owner]
        frames.edge_weight[owner, j, i] = means.edge_support[:, -1] * counts[owner]
        return centers.with_sums(frames)

    def with_sums(self, frames: Frames) -> FrameCenters:
        """Centers in the same frames with other sums; their time begins again."""
        centers = FrameCenters(self.order, self.batch.take([]), self.k)
        centers.frames = frames
        centers._derive()
        return centers

    def read_only(self) -> FrameCenters:
        """The same centers without what it takes to move, to be sent to those who only look at them."""
        other = copy(self)
        other.history, other._centers = self.history.read_only(), None
        if not self.now:
            other.frames = Frames(0, self.batch, 1)  # seeds: nothing was added up
        return other

    # -- alignments --------------------------------------------------------------------------------

    def empty_frames(self, count: int | None = None) -> Frames:
        """Frames of these centers' slots with nothing added: one for each center, or so many."""
        frames = Frames(self.k if count is None else count, self.batch, max(1, len(self.slot_roles)))
        frames.size[:] = len(self.slot_roles)
        frames.roles[:, : len(self.slot_roles)] = self.slot_roles
        return frames

    def fill_slots(self, batch: GraphBatch, which: IntArray, frame: IntArray, slots: IntArray, ptr: IntArray) -> None:
        """Give unmatched nodes of aligned graphs null slots; slots (in, out)."""
        fill_slots(batch.node_ptr, batch.roles, which.astype(np.int64), frame, slots, ptr, self.slot_roles, self._used)

    def first_slots(self, batch: GraphBatch, which: IntArray, frame: IntArray, ptr: IntArray) -> IntArray:
        """Slots for the nodes of graphs that become centers: the first ones of their roles."""
        slots = np.full(ptr[-1], -1, dtype=np.int64)
        fill_slots(batch.node_ptr, batch.roles, which, frame, slots, ptr, self.slot_roles, np.zeros_like(self._used))
        return slots

    def to_slots(self, found: Matches, batch: GraphBatch, which: IntArray, to: IntArray) -> IntArray:
        """Turn mappings into the nodes of the centers into alignments, which have a slot for every node."""
        matched = np.flatnonzero(found.flat >= 0)
        slots = found.flat.copy()
        offset = np.repeat(self.batch.node_ptr[to], np.diff(found.ptr))[matched]
        slots[matched] = self._slot_of_node[slots[matched] + offset]
        self.fill_slots(batch, which, to, slots, found.ptr)
        return slots

    def slots_there(self, found: Matches, c: int, other: int) -> IntArray:
        """Where the slots of center c are in the frame of another one, as these two were matched.

        Null slots follow null slots of their role, in which there may be nodes of graphs without weight.
        """
        slots = np.full(len(self.slot_roles), -1, dtype=np.int64)
        own = self._slot_of_node[self.batch.node_ptr[c] : self.batch.node_ptr[c + 1]]
        slots[own] = self.to_slots(found, self.batch, np.array([c]), np.array([other]))
        left, free = np.flatnonzero(slots < 0), np.setdiff1d(np.arange(len(slots)), slots)
        by_role, free_by_role = (which[np.argsort(self.slot_roles[which], kind="stable")] for which in (left, free))
        slots[by_role] = free_by_role
        return slots

    def to_mappings(self, slots: IntArray, ptr: IntArray, to: IntArray) -> IntArray:
        """Turn alignments into mappings into the nodes of the centers, -1 where the slot is null."""
        return np.where(slots >= 0, self._node_in_slot[np.repeat(to, np.diff(ptr)), slots], -1)
