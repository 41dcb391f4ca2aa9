"""Copies of graphs, with their nodes in whatever order: all that are found are copies, by networkx's isomorphism."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from effort import examples
from graphmeans.cluster.data.deduplicate import originals
from graphmeans.graphs.canonical import canonical, fingerprints
from strategies import Kind, kinds, random_collection, relabelled, round_collections


def as_networkx(graph):
    made = nx.DiGraph() if graph.directed else nx.Graph()
    for i in range(graph.n_nodes):
        role = None if graph.roles is None else graph.roles[i]
        made.add_node(i, value=(role, *(float(column[i]) + 0.0 for column in flat(graph.nodes))))
    for e, (i, j) in enumerate(graph.edges.tolist()):
        made.add_edge(i, j, value=tuple(float(column[e]) + 0.0 for column in flat(graph.edge_attributes)))
    return made


def flat(columns):
    return [column for values in columns.values() for column in np.asarray(values, float).reshape(len(values), -1).T]


def isomorphic(a, b):
    same = nx.algorithms.isomorphism.generic_node_match("value", None, lambda x, y: x == y)
    edge = nx.algorithms.isomorphism.generic_edge_match("value", None, lambda x, y: x == y)
    return nx.is_isomorphic(as_networkx(a), as_networkx(b), node_match=same, edge_match=edge)


def shuffled(graphs, rng):
    return [relabelled(graph, rng.permutation(graph.n_nodes)) for graph in graphs]


def packed(graphs):
    return gm.GraphEncoder(numbers="keep").fit_transform(graphs)


@given(st.data(), st.integers(0, 2**32 - 1))
@examples(150)
def test_graphs_are_put_together_if_and_only_if_they_are_isomorphic(data, seed):
    """Values on a grid, so that many of these small graphs are symmetric, and equal by chance."""
    graphs = data.draw(round_collections(min_size=2, max_size=6, max_nodes=4, kind=data.draw(kinds())))
    rng = np.random.default_rng(seed)
    graphs = [*graphs, *shuffled(graphs, rng)]
    first = originals(packed(graphs))
    for b in range(len(graphs)):
        expected = next(a for a in range(b + 1) if isomorphic(graphs[a], graphs[b]))
        assert first[b] == expected


@pytest.mark.parametrize("kind", [Kind(1, 1), Kind(0, 1), Kind(1, 2, directed=True), Kind(0, 1, roles=("a", "b"))])
def test_every_shuffled_copy_is_found(kind):
    graphs = random_collection(1, kind, 20, max_nodes=9)
    rng = np.random.default_rng(0)
    first = originals(packed([*graphs, *shuffled(graphs, rng), *shuffled(graphs, rng)]))
    assert first.tolist() == [*originals(packed(graphs)).tolist()] * 3


SYMMETRIC = {
    "cycle": nx.cycle_graph(12), "star": nx.star_graph(40), "edgeless": nx.empty_graph(50), "complete": nx.complete_graph(9),
    "grid": nx.grid_2d_graph(4, 5), "cube": nx.hypercube_graph(4), "petersen": nx.petersen_graph(),
    "cycles": nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5)), "tree": nx.balanced_tree(3, 3),
    "bipartite": nx.complete_bipartite_graph(6, 6),
}  # fmt: skip


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_graphs_without_attributes(name):
    plain = nx.convert_node_labels_to_integers(SYMMETRIC[name])
    graph = gm.Graph(plain.number_of_nodes(), list(plain.edges))
    rng = np.random.default_rng(0)
    copies = shuffled([graph] * 6, rng)
    assert originals(packed([graph, *copies])).tolist() == [0] * 7


def test_what_colours_cannot_tell_apart_is_compared():
    """A cycle of six and two of three: every node has two neighbours, whose neighbours have two, and so on."""
    six = nx.cycle_graph(6)
    threes = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    batch = packed([gm.Graph(6, list(made.edges)) for made in (six, threes)])
    assert len(set(fingerprints(batch).tolist())) == 1
    assert originals(batch).tolist() == [0, 1]


def test_graphs_that_stay_open_are_still_compared_as_they_are(monkeypatch):
    monkeypatch.setattr("graphmeans.graphs.canonical.MOST_TIES", 0)
    cycle = gm.Graph(8, [(i, (i + 1) % 8) for i in range(8)])
    other = relabelled(cycle, np.random.default_rng(0).permutation(8))
    batch = packed([cycle, other, cycle, other])
    assert not canonical(batch)[1].any()
    assert originals(batch).tolist() == [0, 1, 0, 1]


def test_only_copies_node_by_node_where_asked():
    a, b = gm.Graph([[1.0], [2.0]], [(0, 1)]), gm.Graph([[2.0], [1.0]], [(0, 1)])
    assert originals(packed([a, b, a, b]), renumbered=False).tolist() == [0, 1, 0, 1]
    assert originals(packed([a, b, a, b])).tolist() == [0, 0, 0, 0]


def test_shuffled_copies_are_fitted_once():
    named, _ = gm.datasets.make_letters(40, random_state=0)
    letters = [gm.Graph(np.column_stack([g.nodes["x"], g.nodes["y"]]), g.edges) for g in named]
    graphs = [*letters, *shuffled(letters, np.random.default_rng(0)), *letters]
    km = gm.GraphKMeans(5, random_state=0).fit(graphs)
    once = gm.GraphKMeans(5, random_state=0).fit(letters, sample_weight=np.full(40, 3.0))
    assert km.labels_.tolist() == once.labels_.tolist() * 3
    assert km.inertia_ == pytest.approx(once.inertia_)
    assert km.n_matchings_ == once.n_matchings_
