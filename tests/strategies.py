"""Hypothesis strategies for small attributed graphs of every kind.

`round_graphs` has values on a coarse grid, so that ties, zeros and cancellations happen; `generic_graphs` has values
drawn from a continuous distribution, so that ties do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import graphmeans as gm


@dataclass(frozen=True)
class Kind:
    """What the graphs of one collection share."""

    dv: int = 1
    de: int = 1
    directed: bool = False
    roles: tuple | None = None


@st.composite
def kinds(draw):
    """Every kind of graph: with and without node attributes, scalar and vector edges, directed or not, roles or not."""
    return Kind(
        dv=draw(st.integers(0, 2)),
        de=draw(st.integers(1, 2)),
        directed=draw(st.booleans()),
        roles=("a", "b") if draw(st.booleans()) else None,
    )


GRID = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])


@st.composite
def round_graphs(draw, kind, min_nodes=0, max_nodes=3):
    """A graph of this kind with values on a grid: empty, edgeless, of one node, anything."""
    n = draw(st.integers(min_nodes, max_nodes))
    nodes = np.array(draw(st.lists(GRID, min_size=n * kind.dv, max_size=n * kind.dv))).reshape(n, kind.dv)
    pairs = [(i, j) for i in range(n) for j in range(n) if (i < j or (kind.directed and i > j))]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    row = st.lists(GRID, min_size=kind.de, max_size=kind.de).filter(any)
    values = np.array([draw(row) for _ in edges]).reshape(len(edges), kind.de)
    roles = [draw(st.sampled_from(kind.roles)) for _ in range(n)] if kind.roles else None
    return gm.Graph(nodes, edges, values, directed=kind.directed, roles=roles)


@st.composite
def round_collections(draw, min_size=1, max_size=4, max_nodes=3, kind=None, min_nodes=0):
    """Graphs of one kind, values on a grid."""
    kind = draw(kinds()) if kind is None else kind
    graph = round_graphs(kind, min_nodes=min_nodes, max_nodes=max_nodes)
    return draw(st.lists(graph, min_size=min_size, max_size=max_size))


def random_graph(rng, kind, n, density=0.6, noise=1.0, center=None):
    """A graph with normally distributed attributes; `center` (nodes, edges) moves it near a template of n nodes."""
    nodes = noise * rng.normal(size=(n, kind.dv)) + (0 if center is None else center[0][:n])
    pairs = [(i, j) for i in range(n) for j in range(n) if (i < j or (kind.directed and i > j))]
    edges = [pair for pair in pairs if rng.random() < density]
    values = noise * rng.normal(size=(len(edges), kind.de))
    if center is not None and edges:
        values += np.array([center[1][i, j] for i, j in edges])
    roles = None
    if kind.roles:
        roles = [kind.roles[i % len(kind.roles)] for i in range(n)]
    return gm.Graph(nodes, edges, values, directed=kind.directed, roles=roles)


def random_collection(seed, kind, size, max_nodes=3, min_nodes=1, classes=None, noise=1.0, density=0.6):
    """Graphs with generic values, shuffled node order; with `classes`, scattered around that many templates."""
    rng = np.random.default_rng(seed)
    centers = [None]
    if classes:
        shapes = (max_nodes, kind.dv), (max_nodes, max_nodes, kind.de)
        centers = [tuple(2 * rng.normal(size=shape) for shape in shapes) for _ in range(classes)]
    graphs = []
    for i in range(size):
        n = int(rng.integers(min_nodes, max_nodes + 1))
        graph = random_graph(rng, kind, n, density, noise, centers[i % len(centers)])
        graphs.append(relabelled(graph, rng.permutation(n)))
    return graphs


@st.composite
def generic_collections(draw, min_size=1, max_size=6, max_nodes=3, min_nodes=1, kind=None):
    """Graphs of one kind whose values have no ties."""
    kind = draw(kinds()) if kind is None else kind
    size = draw(st.integers(min_size, max_size))
    return random_collection(draw(st.integers(0, 2**32 - 1)), kind, size, max_nodes, min_nodes)


def relabelled(graph, permutation):
    """The same graph with its nodes in another order: new node i is old node permutation[i]."""
    permutation = np.asarray(permutation, dtype=int)
    place = np.argsort(permutation)
    return gm.Graph(
        graph.nodes[""][permutation],
        place[graph.edges] if graph.n_edges else [],
        graph.edge_attributes[""],
        directed=graph.directed,
        roles=None if graph.roles is None else [graph.roles[i] for i in permutation],
    )


def perturbed(graph, rng, noise):
    """The same graph with its values moved a little, so that exact ties are broken."""
    return gm.Graph(
        graph.nodes[""] + noise * rng.normal(size=graph.nodes[""].shape),
        graph.edges,
        graph.edge_attributes[""] + noise * rng.normal(size=graph.edge_attributes[""].shape),
        directed=graph.directed,
        roles=graph.roles,
    )
