"""`GraphBatch` holds many encoded graphs in flat arrays with offsets. All that comes after it is arithmetic."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.graph import Graph

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Encoded graphs in packed arrays without padding.

    Graph g has the nodes ``node_ptr[g]:node_ptr[g + 1]`` and the edges ``edge_ptr[g]:edge_ptr[g + 1]``. An edge is stored
    once, between local nodes ``ends[e, 0] < ends[e, 1]``. In a directed batch `edge_values` holds
    ``[x_ij, x_ji] / sqrt(2)`` and read from the other end its halves are swapped: then sums over ordered pairs of nodes are
    the same as for undirected graphs, and no kernel needs to know about directions.
    """

    node_ptr: IntArray
    nodes: FloatArray
    roles: NDArray[np.int32]
    edge_ptr: IntArray
    ends: NDArray[np.int32]
    edge_values: FloatArray
    directed: bool = False
    role_names: tuple[Hashable, ...] = (None,)

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    def __getitem__(self, g: int) -> Graph:
        """Graph g with the encoded values as bare arrays."""
        if not -len(self) <= g < len(self):
            raise IndexError(f"graph {g} of a batch of {len(self)}")
        g = g % len(self)
        rows = slice(self.node_ptr[g], self.node_ptr[g + 1])
        edges = slice(self.edge_ptr[g], self.edge_ptr[g + 1])
        ends, values = self.arcs(self.ends[edges], self.edge_values[edges])
        present = values.any(axis=1)
        roles = None if self.role_names == (None,) else [self.role_names[r] for r in self.roles[rows]]
        return Graph(self.nodes[rows], ends[present], values[present], directed=self.directed, roles=roles)

    def arcs(self, ends: NDArray[np.int32], values: FloatArray) -> tuple[NDArray[np.int32], FloatArray]:
        """Stored edges as `Graph` has them: in a directed batch first one direction of all, then the other."""
        if not self.directed:
            return ends, values
        half = values.shape[1] // 2
        both = np.concatenate([ends, ends[:, ::-1]])
        return both, np.concatenate([values[:, :half], values[:, half:]]) * np.sqrt(2.0)

    @property
    def is_sound(self) -> bool:
        """Whether its arrays are known to be what kernels take them for; `graphmeans.matching.sound` finds out."""
        return "_largest_number" in self.__dict__

    @property
    def largest_number(self) -> float:
        """What no absolute value of a sound batch exceeds."""
        return float(self.__dict__["_largest_number"])

    def mark_sound(self, largest_number: float) -> None:
        """Note that its arrays were checked, or come from a batch that was; and what none of its numbers exceeds."""
        self.__dict__["_largest_number"] = largest_number

    @cached_property
    def sizes(self) -> IntArray:
        """Number of nodes of each graph."""
        return self.node_ptr[1:] - self.node_ptr[:-1]

    @cached_property
    def squared_norms(self) -> FloatArray:
        """|X|^2 of each graph; a node counts once, an edge from both of its ends."""
        # Each graph is summed by itself: differences of running sums would lose small graphs behind large ones.
        owner = np.concatenate([self._node_owner, np.repeat(np.arange(len(self)), np.diff(self.edge_ptr))])
        squares = np.concatenate([(self.nodes**2).sum(axis=1), 2.0 * (self.edge_values**2).sum(axis=1)])
        return np.asarray(np.bincount(owner, squares, minlength=len(self)), dtype=np.float64)

    @cached_property
    def non_negative(self) -> NDArray[np.bool_]:
        """Which graphs have no negative number. Between two of them no node is better left unmatched."""
        result = np.ones(len(self), dtype=bool)
        for ptr, values in ((self.node_ptr, self.nodes), (self.edge_ptr, self.edge_values)):
            if values.min(initial=0.0) < 0:
                negative = offsets(np.any(values < 0, axis=1))[ptr]
                result &= negative[1:] == negative[:-1]
        return result

    @cached_property
    def role_counts(self) -> IntArray:
        """Nodes of each role in each graph, shape (N, number of roles)."""
        n_roles = len(self.role_names)
        counts = np.bincount(self._node_owner * n_roles + self.roles, minlength=len(self) * n_roles)
        return counts.reshape(len(self), n_roles)

    @cached_property
    def _node_owner(self) -> IntArray:
        """The graph that each node belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def magnitudes(self) -> tuple[float, float]:
        """The largest absolute value of a node attribute, and of an edge attribute as it is stored."""
        return _largest(self.nodes), _largest(self.edge_values)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether all graphs have the same nodes, by their roles, in the same order, and edges between the same of them."""
        count = len(self)
        if count < 2 or (self.sizes != self.sizes[0]).any() or (np.diff(self.edge_ptr) != self.edge_ptr[1]).any():
            return count == 1
        ends = self.ends.reshape(count, -1)
        roles = self.roles.reshape(count, -1)
        return bool((roles == roles[0]).all()) and all(np.array_equal(ends[0], row) for row in ends[1:])

    @cached_property
    def largest(self) -> IntArray:
        """The most nodes of each role in any graph."""
        return np.asarray(self.role_counts.max(axis=0, initial=0))

    def take(self, which: Sequence[int] | IntArray) -> GraphBatch:
        """The graphs at these positions, in this order."""
        which = np.asarray(which, dtype=np.int64)
        rows, node_ptr = row_ranges(self.node_ptr, which)
        edges, edge_ptr = row_ranges(self.edge_ptr, which)
        taken = replace(
            self, node_ptr=node_ptr, nodes=self.nodes[rows], roles=self.roles[rows],
            edge_ptr=edge_ptr, ends=self.ends[edges], edge_values=self.edge_values[edges],
        )  # fmt: skip
        if self.is_sound:
            taken.mark_sound(self.largest_number)
        return taken

    def scaled(self, node_factor: float, edge_factor: float, exponent: int = 0) -> GraphBatch:
        """The same graphs with attributes multiplied by these factors and by 2^exponent."""
        if node_factor == 1.0 and edge_factor == 1.0 and exponent == 0:
            return self
        nodes, edges = self.nodes, self.edge_values
        if exponent:
            nodes, edges = np.ldexp(nodes, exponent), np.ldexp(edges, exponent)
        return replace(self, nodes=nodes * node_factor, edge_values=edges * edge_factor)


def _largest(values: FloatArray) -> float:
    """The largest absolute value, not a number if one of them is not; without a copy of all of them."""
    return float(np.maximum(values.max(initial=0.0), -values.min(initial=0.0)))


def concatenate(batches: Sequence[GraphBatch]) -> GraphBatch:
    """Batches one after the other; they must come from the same encoder."""
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(b, name) for b in batches]) for name in ("nodes", "roles", "ends", "edge_values")
    }
    for ptr in ("node_ptr", "edge_ptr"):
        joined[ptr] = offsets(np.concatenate([np.diff(getattr(batch, ptr)) for batch in batches]))
    return replace(batches[0], role_names=max((batch.role_names for batch in batches), key=len), **joined)


def largest_of(*batches: Any) -> IntArray:
    """The most nodes of each role in any graph of these batches, or of what has their `role_names` and `largest`."""
    counts = np.zeros(max(len(batch.role_names) for batch in batches), dtype=np.int64)
    for batch in batches:
        present = batch.largest
        counts[: len(present)] = np.maximum(counts[: len(present)], present)
    return counts


def offsets(lengths: NDArray[Any]) -> IntArray:
    """Where each of several ranges of these lengths begins if they stand one after the other, and where the last one ends."""
    result = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=result[1:])
    return result


def row_ranges(ptr: IntArray, which: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of all the rows of the chosen graphs, and their new offsets."""
    lengths = ptr[which + 1] - ptr[which]
    new_ptr = offsets(lengths)
    positions = np.arange(new_ptr[-1]) + np.repeat(ptr[which] - new_ptr[:-1], lengths)
    return positions, new_ptr
