"""`MovingCentres`: centres in fixed frames, and how far each has moved since any earlier time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.problem import Problem
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.frames import settle
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.matching.sketch import KINDS, sketch, sketch_distances
from graphmeans.means.frames import Centres, Frames

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class MovingCentres:
    """k centres, each in a frame of n places with fixed roles; a graph's alignment is the place of each of its nodes.

    Because frames stay, sums of aligned graphs add up whoever computed them, and |y_now - y_then| is an upper bound of
    the distance between a centre and what it was: no matching is needed to know how far it has moved.
    """

    def __init__(self, problem: Problem, seeds: GraphBatch) -> None:
        order = problem.space.order
        if (order >= UNBOUNDED).any():
            raise GraphError("the interval algorithm needs a bounded order: leave order='auto' or give a number")
        self.problem = problem
        self.k = len(seeds)
        self.place_roles = np.repeat(np.arange(len(order)), order).astype(np.int32)
        self.place_names = seeds.role_names
        own = np.arange(self.k)
        self.used = np.zeros((self.k, len(self.place_roles)), dtype=bool)
        ptr, flat = seeds.node_ptr, np.full(len(seeds.nodes), -1, dtype=np.int64)
        self.settle(seeds, own, own, flat, ptr)
        #: Where each node of each seed went: its place in the frame.
        self.seed_places, self.seed_ptr = flat.copy(), ptr
        frames = self.empty_frames(seeds)
        frames.add(seeds, own, own, flat, ptr, np.ones(self.k))
        self.frames: Frames = frames
        self.batch: GraphBatch = seeds
        self._snapshots: list[tuple[FloatArray, FloatArray]] = []
        self.move(frames)

    def empty_frames(self, like: GraphBatch) -> Frames:
        """Frames of these centres' places with nothing added."""
        frames = Frames(self.k, like, max(1, len(self.place_roles)))
        frames.size[:] = len(self.place_roles)
        frames.roles[:, : len(self.place_roles)] = self.place_roles
        return frames

    def move(self, sums: Frames) -> None:
        """The averages of these sums are the centres from now on; a frame without weight keeps its centre."""
        if self._snapshots:
            empty = sums.total <= 0
            for name in ("nodes", "edges", "node_weight", "edge_weight", "total"):
                getattr(sums, name)[empty] = getattr(self.frames, name)[empty]
        self.frames = sums
        self.used = sums.node_weight[:, : len(self.place_roles)] > 0
        total = sums.total.reshape(-1, 1, 1)
        self._snapshots.append((sums.nodes / total, sums.edges / total[..., None]))
        nodes, edges = self._snapshots[-1]
        #: drift[t, c]: how far centre c is from where it was at time t.
        self.drift = np.array(
            [np.sqrt(((nodes - n) ** 2).sum(axis=(1, 2)) + ((edges - e) ** 2).sum(axis=(1, 2, 3))) for n, e in self._snapshots]
        )
        self._compact()
        self.sketches = {kind: sketch(self.batch, self.problem.space.order, kind) for kind in KINDS}

    @property
    def now(self) -> int:
        """The present time: how often the centres have moved."""
        return len(self._snapshots) - 1

    def settle(self, batch: GraphBatch, which: IntArray, frame: IntArray, flat: IntArray, ptr: IntArray) -> None:
        """Give unmatched nodes of aligned graphs null places; flat (in, out)."""
        which, frame = which.astype(np.int64), frame.astype(np.int64)
        settle(batch.node_ptr, batch.roles, which, frame, flat, ptr, self.place_roles, self.used)

    def settle_alone(
        self, batch: GraphBatch, which: IntArray, frame: IntArray, flat: IntArray, rows: IntArray, ptr: IntArray
    ) -> None:
        """Give the nodes of graphs that become centres the first places of their roles; flat[rows] (out)."""
        alone = np.full(len(rows), -1, dtype=np.int64)
        nothing = np.zeros_like(self.used)
        settle(batch.node_ptr, batch.roles, which, frame, alone, ptr, self.place_roles, nothing)
        flat[rows] = alone

    def seed_alignment(self, flat: IntArray, ptr: IntArray, which: IntArray, labels: IntArray) -> IntArray:
        """Mappings into the nodes of the seeds as alignments, before any centre has moved."""
        places = np.where(flat >= 0, self.seed_places[np.maximum(flat, 0) + np.repeat(self.seed_ptr[labels], np.diff(ptr))], -1)
        self.settle(self.problem.batch, which, labels, places, ptr)
        return places

    def places(self, found: Matches, which: IntArray, to: IntArray) -> IntArray:
        """Mappings into the compact centres as alignments: a place for every node."""
        lengths = np.diff(found.ptr)
        offset = np.repeat(self.batch.node_ptr[to], lengths)
        flat = np.where(found.flat >= 0, self._place_of[np.maximum(found.flat, 0) + offset], -1)
        self.settle(self.problem.batch, which, to, flat, found.ptr)
        return flat

    def compact(self, flat: IntArray, ptr: IntArray, to: IntArray) -> IntArray:
        """Alignments as mappings into the compact centres, -1 where the place is null: warm starts."""
        return np.where(flat >= 0, self._node_at[np.repeat(to, np.diff(ptr)), flat], -1)

    def sketch_bounds(self, sketches: dict[str, FloatArray]) -> FloatArray:
        """Lower bounds of the distances between sketched graphs and all centres."""
        return np.maximum(*(sketch_distances(sketches[kind], self.sketches[kind]) for kind in KINDS))

    def centres(self) -> Centres:
        """The centres as they are now, with support."""
        return self._centres

    def _compact(self) -> None:
        """The centres without their null places, which matchers need not see."""
        full = self.frames.centres()
        full_batch = full.batch
        keep = self.used.ravel()
        rows = np.flatnonzero(keep)
        sizes = self.used.sum(axis=1)
        node_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = self.used.shape[1]
        self._node_at = np.where(self.used, np.cumsum(self.used, axis=1) - 1, -1)
        self._place_of = (rows % places).astype(np.int64) if places else rows
        owner = np.repeat(np.arange(self.k), np.diff(full_batch.edge_ptr))
        self.batch = GraphBatch(
            node_ptr=node_ptr,
            nodes=full_batch.nodes[rows],
            roles=full_batch.roles[rows],
            edge_ptr=full_batch.edge_ptr,
            ends=self._node_at[owner[:, None], full_batch.ends].astype(np.int32),
            edge_values=full_batch.edge_values,
            directed=full_batch.directed,
            role_names=full_batch.role_names,
        )
        self._centres = Centres(self.batch, full.node_support[rows], full.edge_support)

