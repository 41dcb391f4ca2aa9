"""The sample mean (MATH section 2): the theorem by brute force, and every method of finding one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
import oracle
from effort import examples
from graphmeans.means.subgradient import Subgradient
from strategies import Kind, generic_collections, kinds, random_collection, relabelled, round_collections

KINDS = [Kind(2, 1), Kind(0, 2), Kind(1, 1, directed=True), Kind(1, 1, roles=("a", "b"))]
METHODS = ["incremental", "lifted", "subgradient", "set"]


def mean(graphs, method, random_state=0, **options):
    return gm.mean(graphs, method=method, matcher="exact", random_state=random_state, **options)


def true_objective(graphs, y):
    """F of a mean graph, by brute force in the space of the collection."""
    room = oracle.places([*graphs, y])
    dv, de = oracle.widths(graphs)
    return oracle.objective(graphs, oracle.dense(y, room, dv, de)[0], room)


def aligned(graphs, y):
    """The members in the frame of their mean, as padded arrays."""
    dv, de = oracle.widths(graphs)
    n = y.n_nodes
    result = []
    for graph, places in zip(graphs, y.alignments, strict=True):
        nodes, edges = np.zeros((n, dv)), np.zeros((n, n, de))
        for i, place in enumerate(places):
            nodes[place] = oracle.node_values(graph)[i]
        for (i, j), value in zip(graph.edges, oracle.edge_values(graph), strict=True):
            edges[places[i], places[j]] = value
            if not graph.directed:
                edges[places[j], places[i]] = value
        result.append(oracle.Dense(nodes, edges))
    return result


def in_own_frame(y, dv, de):
    """A mean graph as arrays, its nodes where they are."""
    nodes, edges = np.zeros((y.n_nodes, dv)), np.zeros((y.n_nodes, y.n_nodes, de))
    nodes[:] = oracle.node_values(y)
    for (i, j), value in zip(y.edges, oracle.edge_values(y), strict=True):
        edges[i, j] = value
        if not y.directed:
            edges[j, i] = value
    return oracle.Dense(nodes, edges)


# -- the theorem -----------------------------------------------------------------------------------


@given(round_collections(min_size=2, max_size=3))
@examples(60)
def test_a_mean_is_the_average_of_an_optimal_multiple_alignment(graphs):
    """Among the averages of all alignments the one with the most pairwise similarity has the smallest F."""
    room = oracle.places(graphs)
    best = oracle.mean(graphs)
    lengths = 0.5 * sum(oracle.squared(x, best.mean) for x in best.aligned)
    assert best.objective == pytest.approx(lengths, abs=1e-9)  # every member is optimally aligned to the mean
    for alignment in oracle.all_alignments(graphs):
        assert oracle.objective(graphs, oracle.average(alignment), room) >= best.objective - 1e-9


@given(round_collections(min_size=2, max_size=3), st.integers(0, 1000))
@examples(60)
def test_no_other_graph_has_a_smaller_objective(graphs, seed):
    rng = np.random.default_rng(seed)
    room = oracle.places(graphs)
    best = oracle.mean(graphs)
    for _ in range(5):
        shift = rng.normal(size=best.mean.edges.shape)
        edges = best.mean.edges + rng.choice([0.1, 1.0]) * (shift + shift.transpose(1, 0, 2))
        nodes = best.mean.nodes + rng.choice([0.1, 1.0]) * rng.normal(size=best.mean.nodes.shape)
        assert oracle.objective(graphs, oracle.Dense(nodes, edges), room) >= best.objective - 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_lifted_means_are_never_better_than_the_optimum_and_mostly_reach_it(kind):
    reached = []
    for seed in range(25):
        graphs = random_collection(seed, kind, 2 + seed % 3, max_nodes=3)
        best = oracle.mean(graphs).objective
        found = [mean(graphs, "lifted", start).objective for start in range(4)]
        assert min(found) >= best - 1e-9
        if len(graphs) == 2:
            assert max(found) <= best + 1e-9
        reached.append(min(found) <= best + 1e-9)
    assert np.mean(reached) >= 0.8


@given(generic_collections(min_size=2, max_size=4))
@examples(50)
def test_the_sum_of_pairwise_similarities_and_the_objective_are_two_sides_of_one_coin(graphs):
    """sum |x_i - y|^2 = (1 - 1/N) sum |x_i|^2 - 2/N sum_ij <x_i, x_j> for the average y of any alignment."""
    y = mean(graphs, "lifted")
    members = aligned(graphs, y)
    n = len(graphs)
    norms = sum(oracle.inner(x, x) for x in members)
    expected = (1 - 1 / n) * norms - 2 / n * oracle.similarity(members)
    assert 2 * y.objective == pytest.approx(expected, abs=1e-9)
    assert y.similarity == pytest.approx(oracle.similarity(members), abs=1e-9)


# -- what every mean carries -----------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@given(graphs=round_collections(min_size=1, max_size=4))
@examples(60)
def test_the_objective_is_the_objective(method, graphs):
    y = mean(graphs, method)
    assert y.objective == pytest.approx(true_objective(graphs, y), abs=1e-7)


@pytest.mark.parametrize("method", ["incremental", "lifted"])
@given(graphs=round_collections(min_size=1, max_size=4))
@examples(60)
def test_a_mean_is_the_average_of_its_members_in_its_own_frame(method, graphs):
    y = mean(graphs, method)
    dv, de = oracle.widths(graphs)
    members = aligned(graphs, y)
    average = oracle.average(members)
    mine = in_own_frame(y, dv, de)
    np.testing.assert_allclose(mine.nodes, average.nodes, atol=1e-9)
    np.testing.assert_allclose(mine.edges, average.edges, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@given(graphs=round_collections(min_size=1, max_size=4))
@examples(60)
def test_support_is_the_share_of_members_that_have_it(method, graphs):
    y = mean(graphs, method)
    node_share = np.zeros(y.n_nodes)
    edge_share = {}
    for graph, places in zip(graphs, y.alignments, strict=True):
        assert len(places) == graph.n_nodes
        places = np.asarray(places)
        real = places[places >= 0]
        assert len(set(real.tolist())) == len(real)
        assert method == "set" or len(real) == graph.n_nodes
        roles = oracle.roles_of(y)
        assert all(roles[p] == r for p, r in zip(places, oracle.roles_of(graph), strict=True) if p >= 0)
        node_share[real] += 1 / len(graphs)
        for i, j in graph.edges:
            key = (int(places[i]), int(places[j]))
            key = key if graph.directed else tuple(sorted(key))
            edge_share[key] = edge_share.get(key, 0.0) + 1 / len(graphs)
    np.testing.assert_allclose(y.node_support, node_share, atol=1e-12)
    for (i, j), share in zip(y.edges, y.edge_support, strict=True):
        key = (int(i), int(j)) if y.directed else tuple(sorted((int(i), int(j))))
        assert share == pytest.approx(edge_share.get(key, 0.0))
    if method in ("incremental", "lifted"):
        assert len(edge_share) == y.n_edges


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_of_one_graph_in_many_guises_is_the_graph(kind, method):
    rng = np.random.default_rng(0)
    (g,) = random_collection(3, kind, 1, max_nodes=5, min_nodes=5)
    guises = [relabelled(g, rng.permutation(5)) for _ in range(6)]
    y = mean(guises, method)
    assert y.objective == pytest.approx(0.0, abs=1e-9)
    assert gm.distance(g, y, matcher="exact") == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(y.node_support, 1.0)
    np.testing.assert_allclose(y.edge_support, 1.0)
    assert (y.n_nodes, y.n_edges) == (g.n_nodes, g.n_edges)


@pytest.mark.parametrize("method", METHODS)
def test_the_distance_to_a_mean_graph_is_the_distance_to_the_true_mean(method):
    graphs = random_collection(5, Kind(1, 1), 4, max_nodes=3)
    y = mean(graphs, method)
    order = max(g.n_nodes for g in [*graphs, y])
    squares = [gm.distance(g, y, matcher="exact", order=order) ** 2 for g in graphs]
    assert 0.5 * sum(squares) == pytest.approx(y.objective, abs=1e-7)


# -- the methods -----------------------------------------------------------------------------------


@given(generic_collections(min_size=2, max_size=4), st.integers(0, 100))
@examples(60)
def test_incremental_is_the_papers_in_some_order(graphs, seed):
    y = mean(graphs, "incremental", seed)
    sequences = itertools.permutations(range(len(graphs)))
    possible = [oracle.incremental_mean(graphs, sequence=s).objective for s in sequences]
    assert min(abs(y.objective - value) for value in possible) <= 1e-8


def test_the_order_is_drawn():
    graphs = random_collection(2, Kind(1, 1), 4, max_nodes=4, min_nodes=4)
    values = {round(mean(graphs, "incremental", seed).objective, 9) for seed in range(20)}
    assert len(values) > 1


@given(generic_collections(min_size=2, max_size=3), st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=3, max_size=3))
@examples(60)
def test_weighted_incremental_mean(graphs, weights):
    weights = np.array(weights[: len(graphs)])
    y = mean(graphs, "incremental", sample_weight=weights)
    members = aligned(graphs, y)
    average = oracle.average(members, weights)
    mine = in_own_frame(y, *oracle.widths(graphs))
    np.testing.assert_allclose(mine.nodes, average.nodes, atol=1e-9)
    np.testing.assert_allclose(mine.edges, average.edges, atol=1e-9)
    room = oracle.places(graphs)
    means = [
        oracle.incremental_mean(graphs, sequence=s, weights=weights).mean
        for s in itertools.permutations(range(len(graphs)))
    ]
    dense = oracle.dense(y, oracle.places([*graphs, y]), *oracle.widths(graphs))[0]
    assert min(oracle.dense_distance(dense, other, room) for other in means) <= 1e-7


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_of_weight_zero_is_not_there(kind, method):
    graphs = random_collection(9, kind, 4, max_nodes=3, min_nodes=3)
    with_ghost = mean(graphs, method, sample_weight=[1.0, 1.0, 1.0, 0.0])
    assert true_objective(graphs[:3], with_ghost) == pytest.approx(with_ghost.objective, abs=1e-7)
    optimum = oracle.mean(graphs[:3]).objective
    assert with_ghost.objective <= 1.5 * optimum if method != "set" else with_ghost.objective <= 3 * optimum + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_lifting_lowers_the_incremental_mean(kind):
    better = 0
    for seed in range(15):
        graphs = random_collection(seed, kind, 8, max_nodes=5, min_nodes=4)
        incremental, lifted = (mean(graphs, method, seed).objective for method in ("incremental", "lifted"))
        assert lifted <= incremental + 1e-9
        better += lifted < incremental - 1e-6
    assert better >= 3


@given(round_collections(min_size=1, max_size=4))
@examples(60)
def test_the_set_mean_is_the_sample_graph_with_the_smallest_objective(graphs):
    y = mean(graphs, "set")
    d = oracle.pairwise_distances(graphs)
    assert y.objective == pytest.approx(0.5 * (d**2).sum(axis=0).min(), abs=1e-9)
    room = oracle.places(graphs)
    dv, de = oracle.widths(graphs)
    assert any(
        oracle.dense_distance(oracle.dense(y, room, dv, de)[0], oracle.dense(x, room, dv, de)[0], room) <= 1e-9
        for x in graphs
    )


def test_the_set_mean_has_no_arc_that_only_others_have():
    there, back = (gm.Graph([[0.0], [10.0]], [arc], [0.1], directed=True) for arc in ([0, 1], [1, 0]))
    y = mean([there, back, there], "set")
    assert y.edges.tolist() == [[0, 1]]
    assert y.edge_support.tolist() == pytest.approx([2 / 3])
    km = gm.GraphKMeans(1, algorithm="lloyd", mean="set", matcher="exact").fit([there, back, there])
    assert km.centroids()[0].edges.tolist() == [[0, 1]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_subgradient_method_descends_and_keeps_its_best_point(kind):
    for seed in range(5):
        graphs = random_collection(seed, kind, 6, max_nodes=3, min_nodes=2, classes=1, noise=0.3)
        y = mean(graphs, "subgradient", seed)
        lifted = mean(graphs, "lifted", seed)
        assert y.objective <= 1.2 * lifted.objective + 1e-9
        d = oracle.pairwise_distances(graphs)
        assert y.objective <= 0.5 * (d**2).sum(axis=0).max()


def test_the_subgradient_methods_best_point_is_kept():
    """With steps that hardly shrink the last point is no better than the first; the best of many is."""
    sums = {}
    for epochs in (1, 10):
        method = Subgradient(epochs=epochs, eta0=1.0, power=0.1)
        collections = [random_collection(seed, Kind(0, 1), 8, max_nodes=5, min_nodes=5) for seed in range(10)]
        sums[epochs] = sum(mean(graphs, method).objective for graphs in collections)
    assert sums[10] < 0.98 * sums[1]


def test_one_node_graphs_have_the_arithmetic_mean(rng):
    rows = rng.normal(size=(6, 3))
    graphs = [gm.Graph(row[None]) for row in rows]
    for method in ("incremental", "lifted"):
        np.testing.assert_allclose(mean(graphs, method).nodes[""][0], rows.mean(axis=0), atol=1e-12)
    weights = rng.random(6)
    weighted = mean(graphs, "lifted", sample_weight=weights)
    np.testing.assert_allclose(weighted.nodes[""][0], np.average(rows, axis=0, weights=weights), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_means_are_reproducible_and_do_not_touch_the_global_random_state(method):
    graphs = random_collection(1, Kind(1, 1), 6, max_nodes=4)
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    one, two = mean(graphs, method, 3), mean(graphs, method, 3)
    assert one == two
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_a_mean_speaks_the_columns_of_its_members():
    graphs = [
        gm.Graph({"x": [0.0, 10.0], "c": ["a", "b"]}, [(0, 1)], {"w": [1.0]}),
        gm.Graph({"x": [14.0, 2.0], "c": ["b", "a"]}, [(0, 1)], {"w": [3.0]}),
        gm.Graph({"x": [1.0], "c": ["a"]}),
    ]
    y = mean(graphs, "lifted")
    order = np.argsort(y.nodes["x"])
    np.testing.assert_allclose(y.nodes["x"][order], [1.0, 12.0], atol=1e-9)
    assert y.nodes["c"][order].tolist() == ["a", "b"]
    np.testing.assert_allclose(y.node_support[order], [1.0, 2 / 3])
    np.testing.assert_allclose(y.edge_attributes["w"], [2.0])
    np.testing.assert_allclose(y.edge_support, [2 / 3])


def test_cancelling_edges_still_have_support():
    graphs = [gm.Graph([[0.0], [5.0]], [(0, 1)], [w]) for w in (1.0, -1.0)]
    y = mean(graphs, "lifted")
    assert y.n_edges == 1
    assert y.edge_attributes[""].ravel().tolist() == [0.0]
    assert y.edge_support.tolist() == [1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_graduated_means_are_means_too(kind):
    graphs = random_collection(4, kind, 8, max_nodes=4, min_nodes=2)
    for method in ("incremental", "lifted"):
        y = gm.mean(graphs, method=method, matcher="graduated", random_state=0)
        average = oracle.average(aligned(graphs, y))
        np.testing.assert_allclose(in_own_frame(y, *oracle.widths(graphs)).nodes, average.nodes, atol=1e-9)
        assert y.objective >= true_objective(graphs, y) - 1e-9


def test_a_given_order_is_kept_to():
    graphs = [gm.Graph([[v]]) for v in (3.0, -3.0)]
    assert mean(graphs, "lifted", order=1).n_nodes == 1
    apart = mean(graphs, "lifted", order=2)
    assert sorted(apart.nodes[""].ravel().tolist()) == [-3.0, 3.0]
    assert apart.node_support.tolist() == [0.5, 0.5]


@given(kinds())
@examples(20)
def test_empty_graphs_take_part(kind):
    roles = [] if kind.roles else None
    empty = gm.Graph(np.zeros((0, kind.dv)), roles=roles, directed=kind.directed)
    (g,) = random_collection(0, kind, 1, max_nodes=3, min_nodes=3)
    for method in METHODS:
        y = mean([empty, g], method)
        if method in ("incremental", "lifted"):
            np.testing.assert_allclose(y.node_support, 0.5)
    assert mean([empty, empty], "lifted").n_nodes == 0
