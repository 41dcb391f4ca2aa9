"""Networks on named nodes: one layout for all of them, names at the nodes, and of many edges only the strongest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph

#: Of a graph with more edges than this, and than this many for each node, only the strongest are drawn.
MANY, EACH = 60, 2.5
#: Names of so many nodes can be written around a circle.
NAMED = 40
#: How many times wider than high a block of lines is, about, if they were as far apart as letters; how far apart they are.
WIDER, LINE = 2.5, 1.4
#: Symbols of a sequence that stand in one line.
ONE_LINE = 16
#: A sequence has a node in at least one of so many places.
GAPS = 4
#: Letters of a name at a node.
NAME = 14


def is_labelled(graph: Graph) -> TypeGuard[Graph]:
    """Whether every node is one of a kind: its role is its name, and no other node has it."""
    roles = graph.roles
    if roles is None or not graph.n_edges or len(roles) < 3:
        return False
    return roles == graph.node_ids and len(set(roles)) == len(roles)


def circle(count: int) -> FloatArray:
    """Points on a circle, clockwise from right of the top."""
    turn = np.pi / 2 - 2 * np.pi * (np.arange(count) + 0.5) / max(count, 1)  # none at the very top: names run to the sides
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def circles(graphs: Sequence[Graph]) -> list[FloatArray] | None:
    """Places on one circle for the nodes of several networks: the same node is at the same place in all; else None."""
    if not graphs or not all(is_labelled(graph) or not graph.n_edges for graph in graphs):
        return None
    order = {role: i for i, role in enumerate(dict.fromkeys(role for graph in graphs for role in graph.roles or ()))}
    if len(order) < 3:
        return None
    points = circle(len(order))
    return [points[[order[role] for role in graph.roles or ()]] for graph in graphs]


def sequence_places(graph: Graph) -> IntArray | None:
    """Which place each node has in a sequence: of a graph without edges whose roles are places; else None."""
    roles = graph.roles
    if not roles or graph.n_edges or len(set(roles)) < len(roles):
        return None
    most = GAPS * len(roles)  # places that are mostly empty are no sequence
    if not all(isinstance(role, (int, np.integer)) and not isinstance(role, bool) and 0 <= role < most for role in roles):
        return None
    return np.array(roles, dtype=np.int64)


def lines(places: IntArray, count: int) -> FloatArray:
    """Points for the places of a sequence in lines that are read as text is, as long as those of one of `count`.

    A short sequence is one line: two would look like two strands that are aligned.
    """
    wide = count if count <= ONE_LINE else -(-count // max(1, round((count / WIDER) ** 0.5)))
    return np.stack([places % wide, -LINE * (places // wide)], axis=1).astype(np.float64)


def weights(graph: Graph) -> FloatArray:
    """The size of each edge: of its weight, or of whatever numbers it has; 1 where it has none."""
    columns = {key: c for key, c in graph.edge_attributes.items() if c.dtype.kind == "f"}
    chosen = columns.get(BARE, columns.get("weight"))
    if chosen is None and columns:
        chosen = next(iter(columns.values()))
    if chosen is None:
        return np.ones(graph.n_edges)
    sizes = np.abs(np.ma.filled(chosen, 0.0)).reshape(graph.n_edges, -1)
    return np.sqrt((sizes**2).sum(axis=1)) if sizes.shape[1] else np.ones(graph.n_edges)


def thinned(graph: Graph, strength: FloatArray) -> FloatArray:
    """How strongly edges are drawn: as `strength` says, unless they are so many that a picture would be a solid polygon.

    Then those with the largest weight times support are drawn, the larger the stronger, and the others are not.
    """
    if len(strength) <= MANY:
        return strength
    shown = strength > 0
    nodes = len(np.unique(graph.edges[shown]))
    room = int(max(MANY, EACH * nodes))
    if shown.sum() <= room:
        return strength
    size = np.where(shown, weights(graph) * (graph.edge_support if isinstance(graph, MeanGraph) else 1.0), 0.0)
    kept: NDArray[np.int64] = np.argsort(-size, kind="stable")[:room]
    least, most = float(size[kept].min()), float(size[kept].max())
    result = np.zeros(len(strength))
    result[kept] = 0.3 + 0.7 * (size[kept] - least) / (most - least) if most > least else 0.6
    return result
