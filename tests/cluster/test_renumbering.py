"""What is found depends on the graphs, not on how their nodes and edges are numbered."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from effort import thorough
from graphmeans.graphs.canonical import canonical
from strategies import Kind, random_collection


def renumbered(graph, rng):
    order = rng.permutation(graph.n_nodes)
    edges, walk = np.argsort(order)[np.asarray(graph.edges, dtype=int).reshape(-1, 2)], rng.permutation(graph.n_edges)
    nodes, values = ({name: np.asarray(v)[by] for name, v in columns.items()}
                     for columns, by in ((graph.nodes, order), (graph.edge_attributes, walk)))  # fmt: skip
    if not graph.directed:
        edges = np.where(rng.random((len(edges), 1)) < 0.5, edges, edges[:, ::-1])
    roles = None if graph.roles is None else [graph.roles[i] for i in order]
    return gm.Graph(bare(nodes), edges[walk], bare(values), directed=graph.directed, roles=roles)


def bare(columns):
    return columns[""] if set(columns) == {""} else columns


def symbols(count):
    """Drawings of some kinds of symbols, lines and arcs: vector edges, nodes that are told apart by their edges alone."""
    rng = np.random.default_rng(5)
    kinds = random_collection(5, Kind(2, 3), 4, max_nodes=9, min_nodes=6)
    graphs = []
    for i in range(count):
        kind = kinds[i % 4]
        nodes = np.round(kind.nodes[""] + 0.2 * rng.normal(size=kind.nodes[""].shape), 1)
        graphs.append(gm.Graph(nodes, kind.edges, kind.edge_attributes[""]))
    return graphs


def molecules(count):
    """Chains of atoms with a ring, many of them symmetric, none with numbers that tell atoms apart."""
    rng = np.random.default_rng(7)
    graphs = []
    for _ in range(count):
        n, ring = int(rng.integers(6, 12)), int(rng.integers(3, 6))
        atoms = [str(atom) for atom in rng.choice(["C", "C", "C", "N", "O"], size=n)]
        edges = [(i, i + 1) for i in range(n - 1)] + [(0, ring)] * (ring > 1)
        bonds = [str(bond) for bond in rng.choice(["single", "single", "double"], size=len(edges))]
        graphs.append(gm.Graph({"atom": atoms}, edges, {"bond": bonds}))
    return graphs


def letters(count):
    return gm.datasets.make_letters(count, random_state=2)[0]


@pytest.mark.parametrize(
    ("make", "count", "k"),
    [(letters, 90, 8), (symbols, 40, 4), (molecules, 30, 4), thorough(letters, 750, 30), thorough(molecules, 100, 10)],
)
def test_a_fit_does_not_depend_on_how_nodes_are_numbered(make, count, k):
    graphs = make(count)
    others = [renumbered(graph, np.random.default_rng(i)) for i, graph in enumerate(graphs)]
    for algorithm in ("interval", "elkan"):
        a, b = (gm.GraphKMeans(k, algorithm=algorithm, random_state=3).fit(some) for some in (graphs, others))
        np.testing.assert_array_equal(a.labels_, b.labels_)
        np.testing.assert_array_equal(a.distances_, b.distances_)
        assert (a.inertia_, a.n_matchings_, a.n_iter_) == (b.inertia_, b.n_matchings_, b.n_iter_)
        np.testing.assert_array_equal(a.predict(others), b.predict(graphs))


@pytest.mark.parametrize("kind", [Kind(1, 1), Kind(0, 1), Kind(1, 2, directed=True), Kind(2, 1, roles=("a", "b"))])
def test_scaling_does_not_change_the_canonical_order(kind):
    graphs = random_collection(3, kind, 20, max_nodes=7)
    batch = gm.GraphEncoder(numbers="keep").fit_transform(graphs)
    once, found = canonical(batch)
    twice, _ = canonical(batch.scaled(3.7, 0.31))
    assert found.all()
    np.testing.assert_array_equal(once.ends, twice.ends)
    np.testing.assert_allclose(once.nodes * 3.7, twice.nodes)


def test_alignments_are_given_in_the_users_own_numbers():
    graphs = letters(40)
    km = gm.GraphKMeans(5, random_state=0).fit(graphs)
    medoids = gm.GraphKMedoids(5, random_state=0).fit(graphs)
    for graph, match in zip(graphs, km.align(graphs), strict=True):
        again = gm.match(graph, km.centroids()[km.predict([graph])[0]], encoder=km.encoder_, order=int(km.space_.order[0]))
        assert match.upper == pytest.approx(again.upper, rel=1e-6)
    for index, mean in zip(medoids.medoid_indices_, medoids.centroids(), strict=True):
        np.testing.assert_allclose(mean.nodes["x"], graphs[index].nodes["x"])
