"""Many graphs as flat arrays before they are encoded: what a file holds, without an object for each graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.encoding.schema import Rows
from graphmeans.graphs.graph import Graph

IntArray = NDArray[np.int64]


class Shape(NamedTuple):
    """How many nodes and edges each graph has, where its edges lead, and whether they are arcs."""

    node_counts: IntArray
    edge_counts: IntArray
    ends: IntArray
    directed: NDArray[np.bool_]

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Shape:
        """The shape of these graphs."""
        return cls(
            np.array([graph.n_nodes for graph in graphs], dtype=np.int64),
            np.array([graph.n_edges for graph in graphs], dtype=np.int64),
            np.concatenate([np.zeros((0, 2), np.int64), *[graph.edges for graph in graphs if graph.n_edges]]),
            np.array([graph.directed for graph in graphs], dtype=bool),
        )


@dataclass(frozen=True)
class Flat:
    """Valid graphs that all have the same columns.

    Parameters
    ----------
    shape : Shape
    nodes, edges : mapping of column name to values
        The values of all graphs, one graph after the other; see `graphs.values`.
    role_names : tuple, or None if the graphs have no roles
    role_codes : array of int, for each node the place of its role among the names
    """

    shape: Shape
    nodes: dict[str, NDArray[Any]]
    edges: dict[str, NDArray[Any]]
    role_names: tuple[Hashable, ...] | None = None
    role_codes: NDArray[np.int32] | None = None

    def rows(self, part: str) -> list[Rows]:
        """All nodes (edges) as if they were those of one graph."""
        if part == "edge":
            return [Rows("a graph", self.edges, len(self.shape.ends), None)]
        roles = None
        if self.role_names is not None and self.role_codes is not None:
            roles = tuple(self.role_names[code] for code in self.role_codes.tolist())
        return [Rows("a graph", self.nodes, int(self.shape.node_counts.sum()), roles)]
