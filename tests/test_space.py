"""The laws of the space (MATH section 1), as properties of the exact distance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import graphmeans as gm
import oracle
from effort import examples
from strategies import Kind, generic_collections, kinds, random_collection, relabelled, round_collections, round_graphs


def distance(x, y, order="auto"):
    return gm.distance(x, y, matcher="exact", order=order)


def common_order(graphs, extra=0):
    return {role: count + extra for role, count in oracle.places(graphs).items()}


def as_order(room):
    """Graphs without roles have one number of places."""
    return sum(room.values()) or 1 if set(room) <= {None} else room


# -- a metric --------------------------------------------------------------------------------------


@given(round_collections(min_size=3, max_size=3), st.integers(0, 1))
@examples(300)
def test_triangle_inequality_at_a_common_order(graphs, extra):
    x, y, z = graphs
    order = as_order(common_order(graphs, extra))
    assert distance(x, z, order) <= distance(x, y, order) + distance(y, z, order) + 1e-9


@given(round_collections(min_size=3, max_size=3))
def test_triangle_inequality_without_an_order(graphs):
    x, y, z = graphs
    assert distance(x, z, None) <= distance(x, y, None) + distance(y, z, None) + 1e-9


@given(round_collections(min_size=3, max_size=4))
@examples(150)
def test_pairwise_distances_are_a_metric_by_themselves(graphs):
    d = gm.pairwise_distances(graphs, matcher="exact")
    np.testing.assert_allclose(d, oracle.pairwise_distances(graphs), atol=1e-9)
    np.testing.assert_array_equal(d, d.T)
    np.testing.assert_allclose(np.diag(d), 0.0, atol=1e-12)
    for i in range(len(graphs)):
        assert (d <= d[:, [i]] + d[[i], :] + 1e-9).all()


def test_the_padding_trap():
    """Padding each pair to the larger of the two would break the triangle inequality here."""
    x, y, z = gm.Graph([[1.0]]), gm.Graph([[0.5], [-0.5]]), gm.Graph([[-1.0]])
    padded_pairwise = [distance(x, z), distance(x, y), distance(y, z)]
    assert padded_pairwise[0] > padded_pairwise[1] + padded_pairwise[2] + 0.5
    d = gm.pairwise_distances([x, y, z], matcher="exact")
    np.testing.assert_allclose(d, np.sqrt([[0, 0.5, 2], [0.5, 0, 0.5], [2, 0.5, 0]]), atol=1e-12)


@given(round_collections(min_size=2, max_size=2))
@examples(150)
def test_symmetry(pair):
    x, y = pair
    assert distance(x, y) == pytest.approx(distance(y, x), abs=1e-12)


@given(st.data())
@examples(150)
def test_identity_and_invariance_under_relabelling(data):
    kind = data.draw(kinds())
    x, y = data.draw(round_graphs(kind, max_nodes=4)), data.draw(round_graphs(kind, max_nodes=4))
    permutation = data.draw(st.permutations(range(x.n_nodes)))
    twin = relabelled(x, permutation)
    assert distance(x, twin) == pytest.approx(0.0, abs=1e-12)
    assert distance(twin, y) == pytest.approx(distance(x, y), abs=1e-9)


@given(generic_collections(min_size=2, max_size=2))
def test_different_graphs_are_apart(pair):
    x, y = pair
    assume(x.nodes[""].size + x.n_edges or y.nodes[""].size + y.n_edges)
    assert distance(x, y) > 1e-9


@given(st.data())
def test_isolated_zero_nodes_cost_nothing(data):
    kind = data.draw(kinds())
    x = data.draw(round_graphs(kind))
    larger = gm.Graph(
        np.vstack([x.nodes[""], np.zeros((1, kind.dv))]),
        x.edges,
        x.edge_attributes[""],
        directed=x.directed,
        roles=None if x.roles is None else [*x.roles, kind.roles[0]],
    )
    assert distance(x, larger) == pytest.approx(0.0, abs=1e-12)


@given(round_collections(min_size=2, max_size=2))
@examples(100)
def test_distance_falls_as_the_order_grows_until_both_fit(pair):
    x, y = pair
    room = oracle.places(pair)
    both = {role: sum(oracle.roles_of(g).count(role) for g in pair) for role in room}
    values = [distance(x, y, as_order({r: max(room[r], min(both[r], room[r] + e)) for r in room})) for e in range(4)]
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(values))
    assert distance(x, y, None) == pytest.approx(values[-1], abs=1e-9)
    assert distance(x, y, "auto") == pytest.approx(values[0], abs=1e-9)


@given(st.data())
def test_without_negative_values_the_order_does_not_matter(data):
    kind = data.draw(kinds())
    x, y = (absolute(data.draw(round_graphs(kind))) for _ in range(2))
    assert distance(x, y, None) == pytest.approx(distance(x, y), abs=1e-9)


def absolute(g):
    values = np.abs(g.edge_attributes[""])
    return gm.Graph(np.abs(g.nodes[""]), g.edges, values, directed=g.directed, roles=g.roles)


# -- structures ------------------------------------------------------------------------------------


def test_one_node_graphs_are_vectors(rng):
    rows = rng.normal(size=(5, 3))
    d = gm.pairwise_distances([gm.Graph(row[None]) for row in rows], matcher="exact")
    np.testing.assert_allclose(d, np.linalg.norm(rows[:, None] - rows[None], axis=2), atol=1e-12)


def test_every_role_once_is_a_labelled_network(rng):
    def network():
        a = np.triu(rng.normal(size=(5, 5)), 1)
        ends = np.argwhere(a)
        return a + a.T, gm.Graph(rng.normal(size=(5, 1)), ends, a[tuple(ends.T)], roles=list("abcde"))

    (a, x), (b, y) = network(), network()
    plain = np.sqrt(((a - b) ** 2).sum() + ((x.nodes[""] - y.nodes[""]) ** 2).sum())
    assert distance(x, y) == pytest.approx(plain)
    assert gm.match(x, y, matcher="exact").indices.tolist() == [0, 1, 2, 3, 4]


def test_without_edges_a_matching_is_one_linear_assignment(rng):
    for n, m in ((12, 12), (9, 14), (15, 6)):
        a, b = rng.normal(size=(n, 2)), rng.normal(size=(m, 2))
        size = max(n, m)
        pad_a, pad_b = np.zeros((size, 2)), np.zeros((size, 2))
        pad_a[:n], pad_b[:m] = a, b
        cost = ((pad_a[:, None] - pad_b[None]) ** 2).sum(axis=2)
        best = np.sqrt(cost[linear_sum_assignment(cost)].sum())
        assert distance(gm.Graph(a), gm.Graph(b)) == pytest.approx(best)


def test_roles_can_only_raise_the_distance(rng):
    for seed in range(20):
        x, y = random_collection(seed, Kind(1, 1, roles=("a", "b")), 2, max_nodes=5)
        free = [gm.Graph(g.nodes[""], g.edges, g.edge_attributes[""]) for g in (x, y)]
        order = sum(oracle.places([x, y]).values())
        assert distance(x, y) >= distance(*free, order) - 1e-9


# -- pairwise distances ----------------------------------------------------------------------------


@pytest.mark.parametrize("matcher", ["exact", "graduated"])
@pytest.mark.parametrize("kind", [Kind(2, 1), Kind(1, 1, directed=True), Kind(1, 1, roles=("a", "b"))])
def test_the_number_of_threads_changes_nothing(kind, matcher, threads_used):
    graphs = random_collection(0, kind, 20, max_nodes=5)
    one, two, eight = (gm.pairwise_distances(graphs, matcher=matcher, n_jobs=n) for n in (1, 2, 8))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, eight)
    assert threads_used >= {2, 8}
    assert max(threads_used) == 8


def test_two_collections_share_one_order():
    graphs = random_collection(1, Kind(1, 1), 7, max_nodes=4)
    d = gm.pairwise_distances(graphs[:3], graphs[3:], matcher="exact")
    assert d.shape == (3, 4)
    np.testing.assert_allclose(d, oracle.pairwise_distances(graphs)[:3, 3:], atol=1e-9)


@given(round_collections(min_size=2, max_size=3))
@examples(50)
def test_pairwise_distances_at_a_given_order(graphs):
    order = as_order(common_order(graphs, extra=1))
    expected = [[oracle.distance(x, y, order) for y in graphs] for x in graphs]
    np.testing.assert_allclose(gm.pairwise_distances(graphs, matcher="exact", order=order), expected, atol=1e-9)
    expected = [[oracle.distance(x, y, None) for y in graphs] for x in graphs]
    np.testing.assert_allclose(gm.pairwise_distances(graphs, matcher="exact", order=None), expected, atol=1e-9)


def test_named_columns_are_encoded_over_the_collection():
    graphs = [gm.Graph({"x": [v], "c": [c]}) for v, c in [(0.0, "a"), (10.0, "a"), (20.0, "b")]]
    d = gm.pairwise_distances(graphs, matcher="exact")
    step = 10 / np.std([0, 10, 20])
    assert d[0, 1] == pytest.approx(step)
    assert d[1, 2] == pytest.approx(np.sqrt(step**2 + 2))
    assert gm.distance(gm.Graph({"x": [0.0]}), gm.Graph({"x": [10.0]})) == pytest.approx(10.0)  # a pair has no scale


# -- GraphSpace ------------------------------------------------------------------------------------


@given(st.data(), st.sampled_from([0.25, 1.0, 4.0]), st.sampled_from([0.25, 1.0, 4.0]))
@examples(60)
def test_weights_scale_the_squared_parts(data, node_weight, edge_weight):
    kind = data.draw(kinds())
    graphs = [data.draw(round_graphs(kind)) for _ in range(2)]
    heavy = [
        gm.Graph(
            np.sqrt(node_weight) * g.nodes[""],
            g.edges,
            np.sqrt(edge_weight) * g.edge_attributes[""],
            directed=g.directed,
            roles=g.roles,
        )
        for g in graphs
    ]
    weights = {"node_weight": node_weight, "edge_weight": edge_weight}
    assert gm.distance(*graphs, matcher="exact", **weights) == pytest.approx(oracle.distance(*heavy), abs=1e-9)
    # one cluster of two: its center lies half way
    km = gm.GraphKMeans(1, matcher="exact", init=[graphs[0]], **weights).fit(graphs)
    assert km.inertia_ == pytest.approx(oracle.distance(*heavy) ** 2 / 2, abs=1e-9)


def test_an_order_that_is_too_small_is_refused():
    graphs = [gm.Graph([[1.0]]), gm.Graph([[1.0], [2.0]], name="big")]
    for call in (
        lambda: gm.pairwise_distances(graphs, order=1),
        lambda: gm.distance(*graphs, order=1),
        lambda: gm.GraphKMeans(1, order=1).fit(graphs),
    ):
        with pytest.raises(gm.GraphError, match=r"order 1.*2 nodes"):
            call()
    with pytest.raises(gm.GraphError, match="'a'"):
        gm.distance(gm.Graph(2, roles=["a", "a"]), gm.Graph(1, roles=["b"]), order={"a": 1, "b": 1})
    for wrong in ("all", 0, -1, 1.5):
        with pytest.raises(gm.GraphError, match="order"):
            gm.distance(*graphs, order=wrong)


# -- made from graphs ------------------------------------------------------------------------------


def test_a_space_for_graphs_covers_all_its_batches():
    encoder = gm.GraphEncoder()
    small = encoder.fit_transform([gm.Graph([[1.0]]), gm.Graph([[1.0], [2.0]])])
    large = encoder.transform([gm.Graph([[1.0]] * 5)])
    assert gm.GraphSpace.for_graphs(small, large).order.tolist() == [5]
    space = gm.GraphSpace.for_graphs(small, order=7, matcher="search", effort=2.0, node_weight=3, n_jobs=1)
    assert (space.order.tolist(), space.matcher.effort, space.node_weight, space.n_jobs) == ([7], 2.0, 3.0, 1)
    with pytest.raises(gm.GraphError, match="order 1 is smaller than the largest graph, which has 2 nodes"):
        gm.GraphSpace.for_graphs(small, order=1)


def test_a_space_for_graphs_takes_its_roles_from_them():
    batch = gm.GraphEncoder().fit_transform([gm.Graph(3, roles=["a", "b", "b"]), gm.Graph(1, roles=["a"])])
    space = gm.GraphSpace.for_graphs(batch)
    assert (space.roles, space.order.tolist()) == (("a", "b"), [1, 2])
