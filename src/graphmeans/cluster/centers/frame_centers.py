"""`MovingCenters`: centers in fixed frames, and how far each has moved since any earlier time."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch, concatenate
from graphmeans.kernels.frames import settle
from graphmeans.kernels.sketch import sketch_bounds
from graphmeans.matching.match import Matches
from graphmeans.matching.sketch import sketch_batch
from graphmeans.matching.workspace import zeros
from graphmeans.means.frames import Centers, Frames

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Earlier centers that are kept. How far a center has moved since a time in between is known a little less tightly.
SNAPSHOTS = 16
#: Most numbers in a sketch.
LONGEST = 1024
_versions = count()


@dataclass(frozen=True, eq=False)
class Sketches:
    """Sketches of some graphs, in single precision, with their norms.

    Of sorted rows of edges, the better kind, unless they would be longer than `LONGEST`; then the short one of projections.
    """

    values: NDArray[np.float32]
    norms: FloatArray

    @classmethod
    def of(cls, batch: GraphBatch, order: IntArray) -> Sketches:
        """Sketches of the graphs of a batch in a space of this order."""
        n = int(order.sum())
        short = n * (batch.nodes.shape[1] + n * batch.edge_values.shape[1]) <= LONGEST
        values = sketch_batch(batch, order, "rows" if short else "projection")
        return cls(np.ascontiguousarray(values, dtype=np.float32), np.sqrt(np.einsum("nd,nd->n", values, values)))

    def append(self, other: Sketches) -> Sketches:
        """These and others."""
        return Sketches(np.concatenate([self.values, other.values]), np.concatenate([self.norms, other.norms]))

    def with_rows(self, rows: IntArray, others: Sketches) -> Sketches:
        """These with others in some places."""
        result = Sketches(self.values.copy(), self.norms.copy())
        result.values[rows], result.norms[rows] = others.values, others.norms
        return result

    def bounds(self, rows: IntArray, others: Sketches, c: slice = slice(None)) -> FloatArray:
        """Lower bounds of the distances of graphs `rows` to others, shape (len(rows), len(others)); good until the next call."""
        low = zeros("low", (len(rows), len(others.norms[c])), np.float64)
        sketch_bounds(rows, self.values, others.values[c], self.norms, others.norms[c], low)
        return low


class MovingCenters:
    """k centers, each in a frame of n places with fixed roles; a graph's alignment is the place of each of its nodes.

    Because frames stay, sums of aligned graphs add up whoever computed them, and |y_now - y_then| is an upper bound of
    the distance between a center and what it was: no matching is needed to know how far it has moved.

    First the seeds are appended one by one; then `move` and `replace` let time pass.
    """

    def __init__(self, order: IntArray, like: GraphBatch, k: int) -> None:
        self.order, self.k = order, k
        self.place_roles = np.repeat(np.arange(len(order)), order).astype(np.int32)
        places = len(self.place_roles)
        self.used = np.zeros((k, places), dtype=bool)
        self.batch = like.take([])
        self.frames = self.empty_frames()
        self.drift = np.zeros((1, k))
        self.sketches = Sketches.of(self.batch, order)
        self._place_of = np.zeros(0, dtype=np.int64)
        self._node_at = np.full((k, places), -1, dtype=np.int64)
        self._snapshots: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._anchor = np.zeros(1, dtype=np.int64)  # of each time: the kept time that stands for it,
        self._offset = np.zeros((1, k))  # and how far the centers moved between the two
        self._born = np.zeros(k, dtype=np.int64)
        self._centers: Centers | None = None
        #: Centers of the same version are the same.
        self.version = next(_versions)

    # -- how centers come to be and move -----------------------------------------------------------

    def append(self, graph: GraphBatch) -> None:
        """One more seed: a batch of one graph."""
        c = np.array([len(self.batch)], dtype=np.int64)
        places = self._place(graph, c)
        self._node_at[c[0], places] = np.arange(len(places))
        self._place_of = np.concatenate([self._place_of, places])
        self.batch = concatenate([self.batch, graph])
        self.sketches = self.sketches.append(Sketches.of(graph, self.order))
        self._centers = Centers.of_graphs(self.batch)
        self.version = next(_versions)

    def move(self, sums: Frames) -> None:
        """The averages of these sums are the centers from now on; a frame without weight keeps its center."""
        self._snapshots = self._snapshots or {0: self._averages()}
        empty = sums.total <= 0
        for name in Frames.SUMS:
            getattr(sums, name)[empty] = getattr(self.frames, name)[empty]
        self.frames = sums
        self._tick()

    def replace(self, c: int, graph: GraphBatch) -> None:
        """Center c gives way to this graph; nothing that was known of c holds for it."""
        self._snapshots = self._snapshots or {0: self._averages()}
        self.frames = self.frames.copy()
        for name in Frames.SUMS:
            getattr(self.frames, name)[c] = 0.0
        self._place(graph, np.array([c], dtype=np.int64))
        self._born = self._born.copy()
        self._born[c] = self.now + 1
        self._tick()

    @property
    def place_of_nodes(self) -> IntArray:
        """The place of each node of `batch` in the frame of its center."""
        return self._place_of

    @property
    def now(self) -> int:
        """The present time: how often the centers have moved."""
        return len(self.drift) - 1

    def _place(self, graph: GraphBatch, c: IntArray) -> IntArray:
        """Put a graph alone into frame c; returns the place of each of its nodes."""
        self.used[c] = False
        places = np.full(len(graph.nodes), -1, dtype=np.int64)
        self.settle(graph, np.zeros(1, dtype=np.int64), c, places, graph.node_ptr)
        self.used[c, places] = True
        self.frames.add(graph, np.zeros(1, dtype=np.int64), c, places, graph.node_ptr, np.ones(1))
        return places

    def _averages(self) -> tuple[FloatArray, FloatArray]:
        total = np.maximum(self.frames.total, 1e-300).reshape(-1, 1, 1)
        return self.frames.nodes / total, self.frames.edges / total[..., None]

    def _tick(self) -> None:
        """Let one unit of time pass; the frames are those of the new centers."""
        now = self.now + 1
        self.version = next(_versions)
        self.used = self.frames.node_weight[:, : len(self.place_roles)] > 0
        self._snapshots = {**self._snapshots, now: self._averages()}
        self._anchor = np.append(self._anchor, now)
        self._offset = np.vstack([self._offset, np.zeros(self.k)])
        if len(self._snapshots) > SNAPSHOTS:
            self._forget()
        since = {time: self._between(time, now) for time in self._snapshots}
        #: drift[t, c]: how far center c is at most from where it was at time t.
        self.drift = np.array([since[int(a)] for a in self._anchor]) + self._offset
        self.drift[np.arange(now + 1)[:, None] < self._born] = np.inf
        self._compact()
        moved = np.flatnonzero(self.drift[now - 1] > 0)
        self.sketches = self.sketches.with_rows(moved, Sketches.of(self.batch.take(moved), self.order))

    def _between(self, then: int, now: int) -> FloatArray:
        (a, b), (c, d) = self._snapshots[then], self._snapshots[now]
        return np.sqrt(((c - a) ** 2).sum(axis=(1, 2)) + ((d - b) ** 2).sum(axis=(1, 2, 3)))

    def _forget(self) -> None:
        """Drop the snapshot that differs least from the next one, which stands for it from now on."""
        times = sorted(self._snapshots)
        steps = [self._between(a, b) for a, b in pairwise(times[:-1])]
        least = int(np.argmin([step.sum() for step in steps]))
        stood_for = self._anchor == times[least]
        self._offset = self._offset + stood_for[:, None] * steps[least]
        self._anchor = np.where(stood_for, times[least + 1], self._anchor)
        self._snapshots = {time: kept for time, kept in self._snapshots.items() if time != times[least]}

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that cannot be computed from the rest."""
        times = sorted(self._snapshots)
        return {name: getattr(self.frames, name) for name in Frames.SUMS} | {
            "drift": self.drift,
            "anchor": self._anchor,
            "offset": self._offset,
            "born": self._born,
            "times": np.array(times, dtype=np.int64),
            "then_nodes": np.array([self._snapshots[time][0] for time in times]),
            "then_edges": np.array([self._snapshots[time][1] for time in times]),
        }

    @classmethod
    def restored(cls, order: IntArray, like: GraphBatch, state: dict[str, NDArray[Any]]) -> MovingCenters:
        """Centers from what `state` gave, after they have moved at least once."""
        centers = cls(order, like, len(state["total"]))
        for name in Frames.SUMS:
            setattr(centers.frames, name, state[name])
        centers.drift, centers._anchor, centers._offset = state["drift"], state["anchor"], state["offset"]
        centers._born = state["born"]
        then = zip(state["then_nodes"], state["then_edges"], strict=True)
        centers._snapshots = {int(time): kept for time, kept in zip(state["times"], then, strict=True)}
        centers._rebuild()
        return centers

    def started_anew(self, frames: Frames) -> MovingCenters:
        """Centers in the same frames with other sums; their time begins again."""
        centers = MovingCenters(self.order, self.batch.take([]), self.k)
        centers.frames = frames
        centers._rebuild()
        return centers

    def view(self) -> MovingCenters:
        """The same for those who only look: without what it takes to move."""
        other = copy(self)
        other._snapshots, other._centers = {}, None
        other._anchor, other._offset = self._anchor[:0], self._offset[:0]
        if not self.now:
            other.frames = Frames(0, self.batch, 1)  # seeds: nothing was added up
        return other

    def _rebuild(self) -> None:
        """Everything that follows from the frames."""
        self.version = next(_versions)
        self.used = self.frames.node_weight[:, : len(self.place_roles)] > 0
        self._compact()
        self.sketches = Sketches.of(self.batch, self.order)

    # -- alignments --------------------------------------------------------------------------------

    def empty_frames(self) -> Frames:
        """Frames of these centers' places with nothing added."""
        frames = Frames(self.k, self.batch, max(1, len(self.place_roles)))
        frames.size[:] = len(self.place_roles)
        frames.roles[:, : len(self.place_roles)] = self.place_roles
        return frames

    def settle(self, batch: GraphBatch, which: IntArray, frame: IntArray, flat: IntArray, ptr: IntArray) -> None:
        """Give unmatched nodes of aligned graphs null places; flat (in, out)."""
        settle(batch.node_ptr, batch.roles, which.astype(np.int64), frame, flat, ptr, self.place_roles, self.used)

    def alone(self, batch: GraphBatch, which: IntArray, frame: IntArray, ptr: IntArray) -> IntArray:
        """Places for the nodes of graphs that become centers: the first ones of their roles."""
        flat = np.full(ptr[-1], -1, dtype=np.int64)
        settle(batch.node_ptr, batch.roles, which, frame, flat, ptr, self.place_roles, np.zeros_like(self.used))
        return flat

    def places(self, found: Matches, batch: GraphBatch, which: IntArray, to: IntArray) -> IntArray:
        """Mappings into the nodes of the centers as alignments: a place for every node."""
        matched = np.flatnonzero(found.flat >= 0)
        flat = found.flat.copy()
        flat[matched] = self._place_of[flat[matched] + np.repeat(self.batch.node_ptr[to], np.diff(found.ptr))[matched]]
        self.settle(batch, which, to, flat, found.ptr)
        return flat

    def mappings(self, flat: IntArray, ptr: IntArray, to: IntArray) -> IntArray:
        """The way back: alignments as mappings into the nodes of the centers, -1 where the place is null."""
        return np.where(flat >= 0, self._node_at[np.repeat(to, np.diff(ptr)), flat], -1)

    def centers(self) -> Centers:
        """The centers as they are now, with support."""
        assert self._centers is not None, "no seeds were appended"
        return self._centers

    def _compact(self) -> None:
        """The centers without their null places, which matchers need not see."""
        full = self.frames.centers()
        full_batch = full.batch
        rows = np.flatnonzero(self.used.ravel())
        places = self.used.shape[1]
        self._node_at = np.where(self.used, np.cumsum(self.used, axis=1) - 1, -1)
        self._place_of = (rows % places).astype(np.int64) if places else rows
        owner = np.repeat(np.arange(self.k), np.diff(full_batch.edge_ptr))
        self.batch = GraphBatch(
            node_ptr=np.concatenate([[0], np.cumsum(self.used.sum(axis=1))]).astype(np.int64),
            nodes=full_batch.nodes[rows],
            roles=full_batch.roles[rows],
            edge_ptr=full_batch.edge_ptr,
            ends=self._node_at[owner[:, None], full_batch.ends].astype(np.int32),
            edge_values=full_batch.edge_values,
            directed=full_batch.directed,
            role_names=full_batch.role_names,
        )
        self._centers = Centers(self.batch, full.node_support[rows], full.edge_support)
