"""What the options of `GraphEncoder` do to columns: scales, weights, categories, angles, missing and unknown values."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from iam import iam_path


def encoded(columns, **options):
    return gm.GraphEncoder(**options).fit_transform([gm.Graph(columns)]).nodes


def decoded(encoder, graphs):
    """The graphs after encoding and decoding, as if each were a mean of its own."""
    batch = encoder.fit_transform(graphs)
    shares = np.ones((len(batch.ends), 2 if batch.directed else 1))
    if batch.directed:  # a pair of nodes may have one arc only
        half = batch.edge_values.shape[1] // 2
        shares[:, 0] = batch.edge_values[:, :half].any(axis=1)
        shares[:, 1] = batch.edge_values[:, half:].any(axis=1)
    return encoder.decode(batch, np.ones(len(batch.nodes)), shares)


# -- numbers ---------------------------------------------------------------------------------------


def test_robust_scaling_ignores_an_outlier():
    usual = np.linspace(-1, 1, 41)
    codes = encoded({"x": [*usual, 1e6]}, numbers="robust")[:, 0]
    assert np.median(codes) == pytest.approx(0.0, abs=0.05)
    assert 1.0 < codes[:-1].max() < 2.0
    assert encoded({"x": [*usual, 1e6]})[:-1].std() < 1e-4  # standardised, the others would all be the same


def test_robust_scaling_of_normal_numbers_is_standardisation(rng):
    x = rng.normal(3.0, 2.0, size=20_000)
    assert encoded({"x": x}, numbers="robust").std() == pytest.approx(1.0, abs=0.03)


def test_robust_scaling_falls_back_where_most_values_are_the_same():
    codes = encoded({"x": [0.0] * 9 + [1.0]}, numbers="robust")[:, 0]
    assert np.isfinite(codes).all()
    assert codes[-1] > codes[0]


def test_a_scaling_for_each_attribute():
    graphs = [gm.Graph({"a": [1.0, 3.0], "b": [1.0, 3.0]}, [(0, 1)], {"a": [5.0]})]
    batch = gm.GraphEncoder(numbers={"nodes.a": "keep"}).fit_transform(graphs)
    assert batch.nodes.tolist() == [[1.0, -1.0], [3.0, 1.0]]
    assert batch.edge_values.tolist() == [[1.0]]
    assert gm.GraphEncoder(numbers={"a": "keep"}).fit_transform(graphs).edge_values.tolist() == [[5.0]]


def test_robust_edges_are_not_centered():
    graphs = [gm.Graph(4, [(0, 1), (1, 2), (2, 3)], {"w": [2.0, 4.0, -1000.0]})]
    batch = gm.GraphEncoder(numbers="robust").fit_transform(graphs)
    assert batch.edge_values.ravel().tolist() == [0.5, 1.0, -250.0]


def test_vectors_that_are_one_of_k_already_stay_so():
    rows = np.eye(3)[[0, 0, 0, 0, 1, 2]]
    np.testing.assert_array_equal(encoded({"x": rows}), rows)
    assert not np.array_equal(encoded({"x": rows * 2}), rows * 2)


# -- weights ---------------------------------------------------------------------------------------


def test_a_weight_multiplies_squared_differences():
    graphs = [gm.Graph({"x": [0.0], "y": [0.0]}), gm.Graph({"x": [1.0], "y": [1.0]})]
    encoder = gm.GraphEncoder(numbers="keep", weights={"x": 9.0})
    assert gm.distance(*graphs, encoder=encoder) == pytest.approx(math.sqrt(9 + 1))
    np.testing.assert_allclose(decoded(encoder, graphs)[1].nodes["x"], [1.0])


def test_weight_zero_leaves_an_attribute_out():
    graphs = [gm.Graph({"x": [0.0], "name": ["a"]}, name="one"), gm.Graph({"x": [1.0], "name": ["b"]})]
    encoder = gm.GraphEncoder(weights={"name": 0})
    assert encoder.fit_transform(graphs).nodes.shape == (2, 1)
    assert encoder.left_out_["node"] == ["name"]
    assert list(decoded(encoder, graphs)[0].nodes) == ["x"]
    assert encoder.transform([gm.Graph({"x": [0.0]})]).nodes.shape == (1, 1)  # it need not even be there
    everything = gm.GraphEncoder(weights={"name": 0, "x": 0})
    assert decoded(everything, graphs)[0].n_nodes == 1


def test_edges_without_a_used_attribute_still_exist():
    graphs = [gm.Graph(2, [(0, 1)], {"w": [3.0]})]
    encoder = gm.GraphEncoder(weights={"w": 0})
    assert encoder.fit_transform(graphs).edge_values.tolist() == [[1.0]]
    assert decoded(encoder, graphs)[0].n_edges == 1


# -- categories ------------------------------------------------------------------------------------


def test_numbers_may_be_categories():
    encoder = gm.GraphEncoder(categories=["z"])
    graphs = [gm.Graph({"z": [6, 8, 6]})]
    assert encoder.fit_transform(graphs).nodes.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert decoded(encoder, graphs)[0].nodes["z"].tolist() == [6.0, 8.0, 6.0]


def test_unknown_categories_are_average_or_refused():
    graphs = [gm.Graph({"c": ["a", "a", "a", "b"]})]
    new = gm.Graph({"c": ["z"]}, name="new")
    assert gm.GraphEncoder().fit(graphs).transform([new]).nodes.tolist() == [[0.75, 0.25]]
    with pytest.raises(gm.GraphError, match=r"graph 0 \('new'\): node attribute 'c' has the unknown value 'z'"):
        gm.GraphEncoder(unknown="refuse").fit(graphs).transform([new])


def test_an_edge_of_an_unknown_category_is_still_an_edge():
    encoder = gm.GraphEncoder().fit([gm.Graph(3, [(0, 1), (1, 2)], {"bond": ["single", "double"]})])
    batch = encoder.transform([gm.Graph(2, [(0, 1)], {"bond": ["dative"]})])
    assert batch.edge_values.tolist() == [[0.5, 0.5]]


def test_names_are_left_out_with_a_warning():
    graphs = [gm.Graph({"name": [f"node {g} {i}" for i in range(6)], "x": np.arange(6.0)}) for g in range(10)]
    with pytest.warns(UserWarning, match="node attribute 'name' is left out: its 60 different strings"):
        assert gm.GraphEncoder().fit_transform(graphs).nodes.shape == (60, 1)
    assert gm.GraphEncoder(weights={"name": 1}).fit_transform(graphs).nodes.shape == (60, 61)


def test_too_many_categories_are_asked_about():
    graphs = [gm.Graph({"word": [f"w{i}" for i in range(1001)] * 2})]
    with pytest.raises(gm.GraphError, match=r"'word' has 1001 different values; leave it out with .*weights"):
        gm.GraphEncoder().fit(graphs)
    assert gm.GraphEncoder(categories=["word"]).fit_transform(graphs).nodes.shape == (2002, 1001)


# -- angles ----------------------------------------------------------------------------------------


def test_a_direction_has_period_two_pi_and_an_orientation_pi():
    full = encoded({"a": [0.1, 0.1 + 2 * np.pi, 0.1 + np.pi]}, directions=["a"])
    np.testing.assert_allclose(full[0], full[1], atol=1e-12)
    assert np.linalg.norm(full[0] - full[2]) == pytest.approx(2.0)
    half = encoded({"a": [0.1, 0.1 + np.pi, 0.1 + np.pi / 2]}, orientations=["a"])
    np.testing.assert_allclose(half[0], half[1], atol=1e-12)
    assert np.linalg.norm(half[0] - half[2]) == pytest.approx(2.0)
    np.testing.assert_allclose(half[0], [np.cos(0.2), np.sin(0.2)])
    np.testing.assert_allclose(
        encoded({"a": [30.0]}, directions=["a"], angle_unit="degrees"), encoded({"a": [np.pi / 6]}, directions=["a"])
    )


def test_the_mean_of_angles_goes_round_the_corner():
    graphs = [gm.Graph({"a": [a]}) for a in (350.0, 20.0)]
    mean = gm.mean(graphs, encoder=gm.GraphEncoder(directions=["a"], angle_unit="degrees"))
    assert mean.nodes["a"][0] == pytest.approx(5.0)
    lines = [gm.Graph({"a": [a]}) for a in (175.0, 9.0)]
    mean = gm.mean(lines, encoder=gm.GraphEncoder(orientations=["a"], angle_unit="degrees"))
    assert mean.nodes["a"][0] == pytest.approx(2.0)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=5), st.sampled_from(["directions", "orientations"]))
def test_decoded_angles_are_the_same_points(angles, option):
    period = 2 * np.pi if option == "directions" else np.pi
    encoder = gm.GraphEncoder(**{option: ["a"]})
    (back,) = decoded(encoder, [gm.Graph({"a": angles})])
    found = back.nodes["a"]
    low = -period / 2 if min(angles) < 0 else 0.0
    assert ((found >= low) & (found < low + period)).all()
    np.testing.assert_allclose(np.cos(2 * np.pi * (found - angles) / period), 1.0, atol=1e-9)


# -- directions of edges ---------------------------------------------------------------------------


def stored_twice():
    """One line at the angle 0.3, stored from both ends as Fingerprint does: angles differ by pi, `orient` by its sign."""
    return gm.Graph(
        3, [(0, 1), (1, 0), (1, 2)], {"angle": [0.3, 0.3 - np.pi, 1.0], "orient": [1.0, -1.0, 1.0]}, directed=True
    )


def test_two_stored_directions_are_one_edge_with_the_mean_of_their_codes():
    encoder = gm.GraphEncoder(orientations=["angle"], directed=False, numbers="keep")
    batch = encoder.fit_transform([stored_twice()])
    assert not batch.directed
    assert batch.ends.tolist() == [[0, 1], [1, 2]]
    expected = [[np.cos(0.6), np.sin(0.6), 0.0], [np.cos(2.0), np.sin(2.0), 1.0]]
    np.testing.assert_allclose(batch.edge_values, expected, atol=1e-12)
    (back,) = decoded(encoder, [stored_twice()])
    assert not back.directed
    np.testing.assert_allclose(np.mod(back.edge_attributes["angle"], np.pi), [0.3, 1.0])


def test_directions_that_cancel_do_not_lose_the_edge():
    encoder = gm.GraphEncoder(directions=["angle"], directed=False, weights={"orient": 0})
    batch = encoder.fit_transform([stored_twice()])
    np.testing.assert_allclose(batch.edge_values, [[0, 0, 1], [np.cos(1.0), np.sin(1.0), 1]], atol=1e-12)


def test_an_undirected_edge_may_be_two_arcs():
    mixed = [gm.Graph(2, [(0, 1)]), gm.Graph(2, [(0, 1), (1, 0)], directed=True)]
    with pytest.raises(gm.GraphError, match=r"graph 1 is directed but graph 0 is undirected; GraphEncoder\(directed="):
        gm.GraphEncoder().fit(mixed)
    for directed in (True, False):
        assert gm.distance(*mixed, encoder=gm.GraphEncoder(directed=directed)) == 0.0
    fitted = gm.GraphEncoder().fit(mixed[1:])
    np.testing.assert_array_equal(fitted.transform(mixed[:1]).edge_values, fitted.transform(mixed[1:]).edge_values)


def test_fingerprints_as_the_paper_encodes_them():
    iam = iam_path()
    from graphmeans.datasets import load_iam
    from graphmeans.datasets.paper import fingerprint

    graphs, _ = load_iam(iam, "fingerprint", "test")
    theirs, _ = fingerprint(iam, standardised=False, per_class=5)
    named = {graph.name: graph for graph in graphs}
    encoder = gm.GraphEncoder("keep", edge_presence=1.0, orientations=["angle"], weights={"orient": 0}, directed=False)
    ours = encoder.fit_transform([named[graph.name] for graph in theirs])
    expected = gm.GraphEncoder().fit_transform(theirs)
    np.testing.assert_array_equal(ours.ends, expected.ends)
    np.testing.assert_allclose(ours.nodes, expected.nodes)
    np.testing.assert_allclose(ours.edge_values, expected.edge_values[:, [1, 2, 0]], atol=2e-3)  # angles are rounded


# -- missing values --------------------------------------------------------------------------------


def test_missing_values_take_the_average_code():
    graphs = [
        gm.Graph({"x": [1.0, 3.0, None], "c": ["a", None, "b"], "on": [True, None, None], "v": [[1.0, 2.0], None, [3.0, 4.0]]}),
        gm.Graph({"x": [None], "c": [None], "on": [None], "v": [None]}),
    ]
    assert graphs[0].nodes["x"].tolist() == [1.0, 3.0, None]
    batch = gm.GraphEncoder().fit_transform(graphs)
    np.testing.assert_allclose(batch.nodes[:, :2], [[1, 0], [0.5, 0.5], [0, 1], [0.5, 0.5]])  # c
    np.testing.assert_allclose(batch.nodes[:, 2], [1, 1, 1, 1])  # on: True is all there is
    np.testing.assert_allclose(batch.nodes[:, 3:5], [[-1, -1], [0, 0], [1, 1], [0, 0]])  # v
    np.testing.assert_allclose(batch.nodes[:, 5], [-1, 1, 0, 0])  # x


def test_a_missing_edge_value_is_the_mean_of_the_others_not_zero():
    graphs = [gm.Graph(4, [(0, 1), (1, 2), (2, 3)], {"w": [2.0, None, 4.0]})]
    assert gm.GraphEncoder(numbers="keep").fit_transform(graphs).edge_values.ravel().tolist() == [2.0, 3.0, 4.0]


def test_a_vector_known_in_part():
    rows = np.ma.MaskedArray([[1.0, 10.0], [3.0, 99.0]], mask=[[False, False], [False, True]])
    np.testing.assert_allclose(encoded({"v": rows}, numbers="keep"), [[1, 10], [3, 10]])


def test_missing_values_may_be_refused():
    graphs = [gm.Graph({"x": [1.0]}), gm.Graph({"x": [1.0, None]}, name="holes")]
    with pytest.raises(gm.GraphError, match=r"graph 1 \('holes'\): node attribute 'x' is missing on node 1"):
        gm.GraphEncoder(missing="refuse").fit(graphs)
    fitted = gm.GraphEncoder(missing="refuse").fit(graphs[:1])
    with pytest.raises(gm.GraphError, match=r"graph 0 .*'x' is missing on node 1"):
        fitted.transform(graphs[1:])


def test_whole_columns_are_filled_in_only_on_request():
    graphs = [gm.Graph({"x": [1.0, 3.0], "charge": [0.0, 1.0]}), gm.Graph({"x": [2.0]})]
    with pytest.raises(gm.GraphError, match=r"graph 1: node attribute 'charge' is missing .*missing='columns'"):
        gm.GraphEncoder().fit(graphs)
    encoder = gm.GraphEncoder(missing="columns")
    np.testing.assert_allclose(encoder.fit_transform(graphs).nodes[:, 0], [-1, 1, 0])
    np.testing.assert_allclose(encoder.transform(graphs[1:]).nodes[:, 0], [0])
    with pytest.raises(gm.GraphError, match="graph 0: node attribute 'z' is not in"):
        encoder.transform([gm.Graph({"x": [2.0], "z": [1.0]})])


def test_an_attribute_does_not_apply_to_roles_that_never_have_it():
    graph = gm.Graph({"colour": ["red", "blue", None], "x": [1.0, 3.0, 2.0]}, roles=["vertex", "vertex", "edge"])
    encoder = gm.GraphEncoder()
    batch = encoder.fit_transform([graph])
    assert batch.nodes[:, :2].tolist() == [[0, 1], [1, 0], [0, 0]]
    (back,) = decoded(encoder, [graph])
    assert back.nodes["colour"].tolist() == ["red", "blue", None]


def test_what_happens_to_each_column_can_be_asked():
    graphs = [
        gm.Graph({"x": [0.0, 1.0, None], "name": ["p", "q", "q"], "big": [0.0, 900.0, -900.0]}, [(0, 1)], {"w": [2.0]}),
        gm.Graph(0),
    ]
    encoder = gm.GraphEncoder({"big": "keep"}, weights={"name": 0, "x": 4.0}).fit(graphs)
    lines = {line.name: line for line in encoder.describe(graphs)}
    assert lines["x"][:8] == ("node", "x", "a number", "standardised", 4.0, 3, 1, 2)
    assert lines["name"].treatment == "left out"
    assert lines["name"].share == 0.0
    assert lines["big"].share > 0.99  # it dominates the distance
    assert lines["w"].part == "edge"
    assert sum(line.share for line in lines.values()) == pytest.approx(1.0)
    assert gm.GraphEncoder().fit([gm.Graph(2)]).describe([gm.Graph(2)]) == []


# -- the way back, and options ---------------------------------------------------------------------

NUMBER = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


@st.composite
def collections(draw):
    directed = draw(st.booleans())
    graphs = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 4))
        pairs = [(i, j) for i in range(n) for j in range(n) if i < j or (directed and i > j)]
        edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
        m = len(edges)

        def column(value, size):
            return draw(st.lists(value, min_size=size, max_size=size))

        word = st.sampled_from(["a", "b", "c"])
        vector = st.tuples(NUMBER, NUMBER)
        nodes = {"x": column(NUMBER, n), "kind": column(word, n), "on": column(st.booleans(), n)}
        nodes["p"] = np.array(column(vector, n)).reshape(n, 2)
        graphs.append(gm.Graph(nodes, edges, {"w": column(NUMBER, m), "bond": column(word, m)}, directed=directed))
    return graphs


@given(
    collections(), st.sampled_from(["standardise", "robust", "keep"]), st.sampled_from([{}, {"x": 4.0, "bond": 0.5}]),
    st.sampled_from([0.0, 1.5]),
)  # fmt: skip
def test_decoding_undoes_encoding(graphs, numbers, weights, presence):
    if not any(graph.n_edges for graph in graphs):
        weights = {}
    encoder = gm.GraphEncoder(numbers, presence, weights=weights)
    for back, graph in zip(decoded(encoder, graphs), graphs, strict=True):
        assert_columns(back.nodes, graph.nodes, np.arange(graph.n_nodes))
        # An undirected edge comes back with its smaller end first, and all of them sorted.
        ends = graph.edges if graph.directed else np.sort(graph.edges, axis=1)
        place = {tuple(pair): e for e, pair in enumerate(ends.tolist())}
        assert len(back.edges) == len(place)
        if graph.n_edges:
            assert_columns(back.edge_attributes, graph.edge_attributes, [place[tuple(pair)] for pair in back.edges.tolist()])


def assert_columns(found, expected, order):
    assert found.keys() == expected.keys()
    for key, column in expected.items():
        if column.dtype.kind == "f":
            np.testing.assert_allclose(found[key], column[order], atol=1e-6, rtol=1e-9)
        else:
            assert found[key].tolist() == column[order].tolist()


@given(collections())
def test_the_route_does_not_matter(graphs):
    mine = gm.GraphEncoder().fit_transform(gm.from_networkx([gm.to_networkx(graph) for graph in graphs]))
    theirs = gm.GraphEncoder().fit_transform([gm.to_networkx(graph) for graph in graphs])
    for name in ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


def test_fitting_networkx_graphs_is_fitting_what_they_convert_to(rng):
    graphs = [nx.gnp_random_graph(4, 0.6, seed=i) for i in range(12)]
    for graph in graphs:
        for node in graph:
            graph.nodes[node].update(x=float(rng.normal()), kind=str(rng.integers(3)))
    one, two = (gm.GraphKMeans(3, algorithm="lloyd", n_init=1, random_state=0).fit(g) for g in (graphs, gm.from_networkx(graphs)))
    assert one.labels_.tolist() == two.labels_.tolist()
    assert one.inertia_ == two.inertia_


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"numbers": {"x": "log"}}, "numbers must be one of"),
        ({"numbers": {"zz": "keep"}}, "numbers names the attribute 'zz', which no node and no edge has"),
        ({"weights": {"zz": 1.0}}, "weights names the attribute 'zz'"),
        ({"weights": {"x": -1.0}}, "weight of attribute 'x'"),
        ({"weights": {"x": "heavy"}}, "weight of attribute 'x'"),
        ({"weights": [1.0]}, "weights must be a mapping"),
        ({"categories": ["zz"]}, "categories names the attribute 'zz'"),
        ({"categories": "x"}, "categories must be a list"),
        ({"categories": ["p"]}, "'p' is a vector of 2, which cannot be a category"),
        ({"directions": ["kind"]}, "'kind' is a string, but an angle is a number"),
        ({"directions": ["x"], "orientations": ["x"]}, "'x' is among the directions and among the orientations"),
        ({"angle_unit": "degrees"}, "no effect"),
        ({"directions": ["x"], "angle_unit": "turns"}, "angle_unit"),
        ({"missing": "zero"}, "missing must be one of"),
        ({"unknown": "zero"}, "unknown must be one of"),
        ({"directed": "yes"}, "directed must be one of"),
    ],
)
def test_options_that_cannot_be_meant(options, words):
    with pytest.raises(gm.GraphError, match=words):
        gm.GraphEncoder(**options).fit([gm.Graph({"x": [1.0], "kind": ["a"], "p": [[1.0, 2.0]]})])
