"""Graphs that can be aligned in one way only are vectors: how they become rows of an array, and rows become graphs again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.kernels.jit import announce
from graphmeans.kernels.pair import SMALLEST
from graphmeans.kernels.vectors import all_distances, distances_within, flatten_graphs, mark_edges, pair_distances
from graphmeans.matching.fixed import alignments_are_fixed
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import kernel_arrays, run_in_chunks

#: Rows may take so many times the numbers that the graphs are stored in, or so many numbers in all.
SPARSE, SMALL = 4, 1 << 20
#: Rows of graphs that are on disk have at most so many numbers.
LONGEST = 1024


@dataclass(frozen=True, eq=False)
class VectorLayout:
    """Which number of a row is which number of a graph.

    A row has the attributes of the node of each role, unless all of them are 0, and those of the edge between any two roles
    that some graph connects: in the order in which all graphs have them, if they do, else in that of these roles. An edge
    counts from both of its ends: so it stands there twice, or, where nodes have no numbers, the whole distance has a factor.
    Nothing is rounded. Behind that a row says which nodes and edges there are, 1 or 0, unless each graph has all of them: these
    numbers are averaged with the others, and are the support of a mean. They are no part of the distance.

    Parameters
    ----------
    n_roles : int
    role_names : tuple
    node_width, edge_width : int
        The numbers of a node, and of an edge.
    directed : bool
    edges : int array of shape (E, 2)
        The roles a < b that some graph connects.
    with_nodes : bool
        Whether nodes have numbers other than 0.
    with_presence : bool
        Whether some graph lacks a node or an edge.
    """

    n_roles: int
    role_names: tuple[Hashable, ...]
    node_width: int
    edge_width: int
    directed: bool
    edges: IntArray
    with_nodes: bool
    with_presence: bool

    @classmethod
    def of_graphs(cls, order: IntArray, *batches: GraphBatch) -> VectorLayout | None:
        """The layout of these graphs; None if their alignments are not fixed, or rows would be mostly zeros."""
        if not alignments_are_fixed(order, *batches):
            return None
        present, full = np.zeros((len(order), len(order)), dtype=bool), True
        for batch in batches:
            if len(batch.ends):
                announce(mark_edges)
                mark_edges(kernel_arrays(batch.take([0]) if batch.is_uniform else batch), present)
        edges = _as_stored(batches[0], np.argwhere(present))
        like, numbers, graphs = batches[0], 0, 0
        for batch in batches:
            numbers += batch.nodes.size + batch.edge_values.size
            graphs += len(batch)
            full = full and bool((batch.sizes == len(order)).all() and (np.diff(batch.edge_ptr) == len(edges)).all())
            if batch.directed and full:
                halves = batch.edge_values.reshape(len(batch.ends), 2, batch.edge_values.shape[1] // 2)
                full = bool(halves.any(axis=2).all())
        with_nodes = not len(edges) or any(bool(batch.nodes.any()) for batch in batches)
        layout = cls._of_edges(order, like, edges, with_nodes, not full)
        return layout if graphs * layout.width <= max(SPARSE * numbers, SMALL) else None

    @classmethod
    def of_order(cls, order: IntArray, like: GraphBatch) -> VectorLayout | None:
        """The layout of graphs of which nothing else is known."""
        if not alignments_are_fixed(order):
            return None
        layout = cls._of_edges(order, like, np.argwhere(np.triu(np.ones((len(order), len(order))), 1)), True, True)
        return layout if layout.width <= LONGEST else None

    @classmethod
    def _of_edges(cls, order: IntArray, like: GraphBatch, edges: IntArray, with_nodes: bool, with_presence: bool) -> VectorLayout:
        widths = like.nodes.shape[1], like.edge_values.shape[1]
        return cls(len(order), like.role_names, *widths, like.directed, edges.astype(np.int64), with_nodes, with_presence)

    @cached_property
    def _of_nodes(self) -> int:
        """The numbers of nodes in a row."""
        return self.n_roles * self.node_width if self.with_nodes else 0

    @cached_property
    def _of_edges_once(self) -> int:
        return len(self.edges) * self.edge_width

    @cached_property
    def dim(self) -> int:
        """Where in a row the distance ends."""
        return self._of_nodes + self._of_edges_once * (2 if self.with_nodes else 1)

    @cached_property
    def factor(self) -> float:
        """What the squared distance of rows is multiplied by."""
        return 1.0 if self.with_nodes else 2.0

    @cached_property
    def width(self) -> int:
        """How long a row is."""
        return self.dim + self.with_presence * (self.n_roles + len(self.edges) * (1 + self.directed))

    @cached_property
    def _by_roles(self) -> IntArray | slice:
        """The places of the edges in the order of their roles, which is how graphs hold them."""
        keys = self.edges[:, 0] * self.n_roles + self.edges[:, 1]
        return slice(None) if bool((keys[1:] > keys[:-1]).all()) else np.argsort(keys)

    @cached_property
    def _place_of_edge(self) -> IntArray:
        place = np.full((self.n_roles, self.n_roles), -1, dtype=np.int64)
        place[self.edges[:, 0], self.edges[:, 1]] = np.arange(len(self.edges))
        return place

    def flatten(self, batch: GraphBatch) -> GraphBatch:
        """The graphs as rows: a batch of graphs with one node each, whose attributes are the row."""
        if self.n_roles == 1 and not self.with_presence:
            rows = batch.nodes
        elif batch.is_uniform and not (self.with_nodes or self.with_presence or self.directed):
            rows = self._reshaped(batch)
        else:
            announce(flatten_graphs)
            rows = np.zeros((len(batch), self.width))
            of_edges, of_presence = self._of_nodes, self.dim if self.with_presence else -1
            flatten_graphs(
                kernel_arrays(batch), self.directed, self._place_of_edge, self.n_roles, len(self.edges), self.with_nodes,
                of_edges, of_presence, rows,
            )  # fmt: skip
            if self.with_nodes:
                end = of_edges + self._of_edges_once
                rows[:, end : self.dim] = rows[:, of_edges:end]
        return as_batch(rows)

    def _reshaped(self, batch: GraphBatch) -> FloatArray:
        """The numbers of the edges of graphs that all have the same ones: they need not be picked up one by one."""
        a, b = batch.roles[batch.ends[: batch.edge_ptr[1]]].T
        place = self._place_of_edge[np.minimum(a, b), np.maximum(a, b)]
        values = batch.edge_values.reshape(len(batch), len(place), self.edge_width)
        if np.array_equal(place, np.arange(len(self.edges))):
            return values.reshape(len(batch), -1)
        rows = np.zeros((len(batch), len(self.edges), self.edge_width))
        rows[:, place] = values
        return rows.reshape(len(batch), -1)

    def to_graphs(self, rows: FloatArray) -> tuple[GraphBatch, FloatArray, FloatArray]:
        """Rows as graphs, with the support of their nodes and edges: what a row says of what there is."""
        count, sides = len(rows), 1 + self.directed
        nodes = rows[:, : self._of_nodes] if self.with_nodes else np.zeros((count, self.n_roles * self.node_width))
        values = rows[:, self._of_nodes : self._of_nodes + self._of_edges_once].reshape(count, len(self.edges), self.edge_width)
        pairs, values = self.edges[self._by_roles], values[:, self._by_roles]
        if not self.with_presence:
            batch = GraphBatch(
                node_ptr=self.n_roles * np.arange(count + 1, dtype=np.int64),
                nodes=nodes.reshape(count * self.n_roles, self.node_width).copy(),
                roles=np.tile(np.arange(self.n_roles, dtype=np.int32), count),
                edge_ptr=len(pairs) * np.arange(count + 1, dtype=np.int64),
                ends=np.tile(pairs.astype(np.int32), (count, 1)),
                edge_values=values.reshape(count * len(pairs), self.edge_width).copy(),
                directed=self.directed,
                role_names=self.role_names,
            )
            return batch, np.ones(len(batch.nodes)), np.ones((len(batch.ends), sides))
        known = np.minimum(rows[:, self.dim :], 1.0)
        node_support = known[:, : self.n_roles]
        edge_support = known[:, self.n_roles :].reshape(count, len(self.edges), sides)[:, self._by_roles]
        has_node, has_edge = node_support > 0, (edge_support > 0).any(axis=2)
        number = np.cumsum(has_node, axis=1) - 1  # of each node in its graph
        owner, which = np.nonzero(has_edge)
        batch = GraphBatch(
            node_ptr=offsets(has_node.sum(axis=1)),
            nodes=nodes.reshape(count, self.n_roles, self.node_width)[has_node],
            roles=np.nonzero(has_node)[1].astype(np.int32),
            edge_ptr=offsets(has_edge.sum(axis=1)),
            ends=number[owner[:, None], pairs[which]].astype(np.int32).reshape(-1, 2),
            edge_values=values[has_edge],
            directed=self.directed,
            role_names=self.role_names,
        )
        return batch, node_support[has_node], edge_support[has_edge]

    # -- distances ---------------------------------------------------------------------------------

    def solve(self, x: GraphBatch, y: GraphBatch, pairs: IntArray, n_jobs: int | None) -> Matches:
        """The distances of pairs of rows; see `GraphSpace.solve`."""
        announce(pair_distances)
        pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2)
        upper = np.empty(len(pairs))
        sides = writable(x.nodes), writable(y.nodes)

        def work(first: int, last: int) -> None:
            pair_distances(*sides, pairs, first, last, self.dim, self.factor, upper)

        if len(pairs):
            run_in_chunks(work, np.full(len(pairs), 1.0 + self.dim), n_jobs)
        lower = np.where(upper * upper > SMALLEST, upper, 0.0)
        ptr = np.arange(len(pairs) + 1, dtype=np.int64)
        return Matches(lower, upper, ptr, np.zeros(len(pairs), dtype=np.int64), np.full(len(pairs), np.inf))

    def distances(self, x: FloatArray, y: FloatArray, n_jobs: int | None = 1) -> FloatArray:
        """The distances of all rows of x to all of y, shape (len(x), len(y))."""
        announce(all_distances)
        result = np.empty((len(x), len(y)))
        sides = writable(x), writable(y)

        def work(first: int, last: int) -> None:
            all_distances(*sides, first, last, self.dim, self.factor, result)

        if len(x):
            run_in_chunks(work, np.full(len(x), (1.0 + self.dim) * len(y)), n_jobs)
        return result

    def distances_within(self, x: FloatArray, n_jobs: int | None = 1) -> FloatArray:
        """The distances of all rows of x from each other."""
        announce(distances_within)
        result, rows = np.zeros((len(x), len(x))), writable(x)

        def work(first: int, last: int) -> None:
            distances_within(rows, first, last, self.dim, self.factor, result)

        if len(x):
            run_in_chunks(work, (1.0 + self.dim) * np.arange(len(x), 0, -1, dtype=np.float64), n_jobs)
        return result


def _as_stored(batch: GraphBatch, edges: IntArray) -> IntArray:
    """These pairs of roles in the order in which all graphs of the batch have them, if each has all: rows are then no copies."""
    if not len(batch) or not len(edges) or batch.edge_ptr[1] != len(edges) or not batch.is_uniform:
        return edges
    a, b = batch.roles[batch.ends[: len(edges)]].T
    return np.stack([np.minimum(a, b), np.maximum(a, b)], axis=1).astype(np.int64)


def as_batch(rows: FloatArray) -> GraphBatch:
    """Rows as graphs with one node each."""
    n = len(rows)
    return GraphBatch(
        node_ptr=np.arange(n + 1, dtype=np.int64), nodes=rows, roles=np.zeros(n, dtype=np.int32),
        edge_ptr=np.zeros(n + 1, dtype=np.int64), ends=np.zeros((0, 2), dtype=np.int32), edge_values=np.zeros((0, 1)),
    )  # fmt: skip


def writable(rows: NDArray[np.float64]) -> FloatArray:
    """Rows as kernels take them: numba would compile anew for arrays that are read-only, or not contiguous."""
    flags = rows.flags
    return rows if flags.writeable and flags.c_contiguous else np.array(rows, dtype=np.float64, order="C")
