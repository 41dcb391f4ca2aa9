"""Many graphs before they are encoded, as fitting and encoding read them: from a list of `Graph`, or from flat arrays.

`GraphList` and `Flat` answer the same questions (`shape`, `rows`, `role_codes`, `supports`, `label`). The flat arrays are
what a file holds, without an object for each graph.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.encoding.schema import AttributeRows
from graphmeans.graphs.graph import Graph, named
from graphmeans.graphs.mean_graph import MeanGraph


class Shape(NamedTuple):
    """How many nodes and edges each graph has, where its edges lead, and whether they are arcs.

    `repeated` says that all graphs are known to have the edges of the first one: what is true of those is true of all.
    """

    node_counts: IntArray
    edge_counts: IntArray
    ends: NDArray[np.integer[Any]]
    directed: NDArray[np.bool_]
    repeated: bool = False


#: The ends of no edges; they are held in half the memory, as batches hold them.
NO_EDGES = np.zeros((0, 2), dtype=np.int32)


class GraphList:
    """Graphs that have been converted, each read once.

    Parameters
    ----------
    graphs : sequence of Graph
    start : int
        The number of the first of them in the collection, for messages.
    """

    def __init__(self, graphs: Sequence[Graph], start: int = 0) -> None:
        self.graphs, self.start = graphs, start
        both = list(named(graphs, start))
        self.labels = [label for label, _ in both]
        ends, repeated = _all_ends([graph.edges for graph in graphs])
        self.shape = Shape(
            np.array([graph.n_nodes for graph in graphs], dtype=np.int64),
            np.array([graph.n_edges for graph in graphs], dtype=np.int64),
            ends,
            np.array([graph.directed for graph in graphs], dtype=bool),
            repeated,
        )
        self._rows = {
            "node": [AttributeRows(label, g._nodes, g.n_nodes, g.roles) for label, g in both if g.n_nodes],
            "edge": [AttributeRows(label, g._edge_attributes, g.n_edges, None) for label, g in both if g.n_edges],
        }

    def __len__(self) -> int:
        return len(self.graphs)

    def label(self, g: int) -> str:
        """What messages call one graph."""
        return self.labels[g]

    def rows(self, part: str) -> list[AttributeRows]:
        """The nodes (edges) of each graph that has some."""
        return self._rows[part]

    def role_codes(self, known: dict[Hashable, int]) -> NDArray[np.int32]:
        """For each node the number of its role; `known` (in, out) takes up the roles that it does not have yet."""
        codes: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        found: dict[int, NDArray[np.int32]] = {}  # networks on the same nodes share the tuple of their roles
        for row in self._rows["node"]:
            if row.roles is None:
                codes.append(np.zeros(row.size, dtype=np.int32))
                continue
            if id(row.roles) not in found:
                found[id(row.roles)] = np.array([known.setdefault(role, len(known)) for role in row.roles], dtype=np.int32)
            codes.append(found[id(row.roles)])
        return np.concatenate(codes)

    def supports(self) -> tuple[FloatArray, FloatArray] | None:
        """Factors that turn the values of mean graphs into the means that they stand for; None if there is no mean graph."""
        both = [(graph, graph if isinstance(graph, MeanGraph) and graph.damped else None) for graph in self.graphs]
        if all(mean is None for _, mean in both):
            return None
        node = [np.ones(graph.n_nodes) if mean is None else mean.node_support for graph, mean in both]
        edge = [np.ones(graph.n_edges) if mean is None else mean.edge_support for graph, mean in both]
        return np.concatenate(node)[:, None], np.concatenate(edge)[:, None]


def _all_ends(edges: Sequence[IntArray]) -> tuple[NDArray[np.int32], bool]:
    """The ends of the edges of all graphs, and whether these are one array, over and over."""
    if len(edges) > 1 and all(own is edges[0] for own in edges):
        return np.tile(edges[0].astype(np.int32), (len(edges), 1)), True
    return np.concatenate([NO_EDGES, *[own for own in edges if len(own)]], dtype=np.int32, casting="same_kind"), False


@dataclass(frozen=True)
class Flat:
    """Valid graphs that all have the same columns.

    Parameters
    ----------
    shape : Shape
    nodes, edges : mapping of column name to values
        The values of all graphs, one graph after the other; see `graphs.values`.
    role_names : tuple, or None if the graphs have no roles
    role_numbers : array of int, for each node the place of its role among the names
    """

    shape: Shape
    nodes: dict[str, NDArray[Any]]
    edges: dict[str, NDArray[Any]]
    role_names: tuple[Hashable, ...] | None = None
    role_numbers: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.shape.node_counts)

    def label(self, g: int) -> str:
        """What messages call one graph; those that name it come from the way that makes an object of each graph."""
        return "a graph"

    def rows(self, part: str) -> list[AttributeRows]:
        """All nodes (edges) as if they were those of one graph."""
        if part == "edge":
            size, columns, roles = len(self.shape.ends), self.edges, None
        else:
            size, columns, roles = int(self.shape.node_counts.sum()), self.nodes, self._roles
        return [AttributeRows("a graph", columns, size, roles)] if size else []

    @cached_property
    def _roles(self) -> tuple[Hashable, ...] | None:
        if self.role_names is None or self.role_numbers is None:
            return None
        return tuple(self.role_names[number] for number in self.role_numbers.tolist())

    def role_codes(self, known: dict[Hashable, int]) -> NDArray[np.int32]:
        """As those of a `GraphList`."""
        if self.role_names is None or self.role_numbers is None:
            return np.zeros(int(self.shape.node_counts.sum()), dtype=np.int32)
        return np.array([known.setdefault(role, len(known)) for role in self.role_names], np.int32)[self.role_numbers]

    def supports(self) -> None:
        """There are no mean graphs among them."""
