"""`GraphEncoder` and `GraphBatch`: columns to packed numbers and back, losing nothing and padding nothing."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphmeans as gm
import oracle
from graphmeans.graphs.batch import concatenate
from strategies import round_collections


def molecules():
    return [
        gm.Graph({"x": [0.0, 2.0], "atom": ["C", "O"]}, [(0, 1)], {"bond": ["single"], "length": [3.0]}, name="first"),
        gm.Graph({"atom": ["N", "C"], "x": [4.0, 6.0]}, [(1, 0)], {"length": [-1.0], "bond": ["double"]}),
        gm.Graph({"x": [1.0], "atom": ["C"]}),
        gm.Graph(0),
    ]


def letters():
    return [gm.Graph({"x": [0.0, 1.0], "y": [2.0, 3.0]}, [(0, 1)]) for _ in range(2)]


# -- what the columns become -----------------------------------------------------------------------


def test_numbers_are_standardised_over_the_whole_collection_and_strings_are_one_of_k():
    batch = gm.GraphEncoder().fit_transform(molecules())
    x = np.array([0.0, 2.0, 4.0, 6.0, 1.0])
    one_of_k = [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 0]]  # C, N, O
    expected = np.column_stack([one_of_k, (x - x.mean()) / x.std()])  # columns in alphabetical order
    np.testing.assert_allclose(batch.nodes, expected, atol=1e-12)


def test_edge_numbers_are_scaled_but_never_centered():
    batch = gm.GraphEncoder().fit_transform(molecules())
    scale = np.sqrt((3.0**2 + 1.0**2) / 2)
    np.testing.assert_allclose(batch.edge_values, [[0, 1, 3 / scale], [1, 0, -1 / scale]], atol=1e-12)  # double, single


def test_numbers_may_be_kept():
    batch = gm.GraphEncoder(numbers="keep").fit_transform(molecules())
    np.testing.assert_array_equal(batch.nodes[:, -1], [0.0, 2.0, 4.0, 6.0, 1.0])
    np.testing.assert_array_equal(batch.edge_values[:, -1], [3.0, -1.0])


def test_vectors_are_standardised_channel_by_channel():
    rows = np.array([[0.0, 100.0], [1.0, 300.0], [5.0, 500.0]])
    batch = gm.GraphEncoder().fit_transform([gm.Graph({"p": rows})])
    np.testing.assert_allclose(batch.nodes, (rows - rows.mean(0)) / rows.std(0))


def test_a_constant_column_is_zero_not_noise():
    batch = gm.GraphEncoder().fit_transform([gm.Graph({"x": [0.1] * 3, "y": [1.0, 2.0, 3.0]})])
    np.testing.assert_allclose(batch.nodes[:, 0], 0.0, atol=1e-15)


def test_booleans_are_categories():
    batch = gm.GraphEncoder().fit_transform([gm.Graph({"on": [True, False, True]})])
    assert batch.nodes.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_presence_makes_every_node_count():
    batch = gm.GraphEncoder(presence=2.0).fit_transform(letters())
    assert batch.nodes.shape[1] == 3
    assert (batch.nodes[:, -1] == 2.0).all()


def test_no_edge_ever_encodes_to_zero():
    graphs = [gm.Graph({"x": [0.0, 1.0, 2.0]}, [(0, 1), (1, 2)], {"w": [0.0, 4.0]})]
    batch = gm.GraphEncoder().fit_transform(graphs)
    assert batch.edge_values.any(axis=1).all()
    assert batch[0].n_edges == 2
    with pytest.raises(gm.GraphError, match=r"graph 0.*\(0, 1\).*zero"):
        gm.GraphEncoder(edge_presence=0.0).fit_transform(graphs)
    later = gm.GraphEncoder().fit([gm.Graph({"x": [0.0, 1.0]}, [(0, 1)], {"w": [4.0]})])
    with pytest.raises(gm.GraphError, match=r"graph 0.*\(0, 1\).*zero"):
        later.transform(graphs)


def test_transform_uses_what_was_fitted_not_what_is_given():
    encoder = gm.GraphEncoder().fit(molecules())
    together = encoder.transform(molecules())
    for i, graph in enumerate(molecules()):
        alone = encoder.transform([graph])
        rows = slice(together.node_ptr[i], together.node_ptr[i + 1])
        np.testing.assert_array_equal(alone.nodes, together.nodes[rows])
        assert alone.edge_values.shape[1] == together.edge_values.shape[1]


def test_the_route_does_not_matter():
    graphs = [nx.path_graph(3), nx.cycle_graph(4)]
    for g in graphs:
        for node in g:
            g.nodes[node].update(x=float(node), c="even" if node % 2 == 0 else "odd")
        for i, e in enumerate(g.edges):
            g.edges[e]["w"] = i + 1.0
    one, two = gm.GraphEncoder().fit_transform(graphs), gm.GraphEncoder().fit_transform(gm.from_networkx(graphs))
    for name in ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


# -- packing ---------------------------------------------------------------------------------------


@given(round_collections())
def test_packing_loses_nothing_and_pads_nothing(graphs):
    batch = gm.GraphEncoder().fit_transform(graphs)
    assert len(batch) == len(graphs)
    assert len(batch.nodes) == sum(g.n_nodes for g in graphs)
    assert batch.sizes.tolist() == [g.n_nodes for g in graphs]
    dv, de = oracle.widths(graphs)
    room = oracle.places(graphs)
    for i, graph in enumerate(graphs):
        mine, theirs = oracle.dense(batch[i], room, dv, de)[0], oracle.dense(graph, room, dv, de)[0]
        np.testing.assert_array_equal(mine.nodes, theirs.nodes)
        np.testing.assert_allclose(mine.edges, theirs.edges, rtol=1e-15)
        norm = (theirs.nodes**2).sum() + (theirs.edges**2).sum()
        assert batch.squared_norms[i] == pytest.approx(norm, rel=1e-12, abs=1e-12)


@given(round_collections(min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_taking_and_joining(graphs, random):
    batch = gm.GraphEncoder().fit_transform(graphs)
    which = [random.randrange(len(graphs)) for _ in range(3)]
    for taken in (batch.take(which), concatenate([batch.take(which[:1]), batch.take(which[1:])])):
        assert [taken[i] for i in range(3)] == [batch[i] for i in which]
        np.testing.assert_array_equal(taken.role_counts, batch.role_counts[which])
    assert len(batch.take([])) == 0


def test_indexing_a_batch_behaves_like_a_list():
    batch = gm.GraphEncoder().fit_transform(letters())
    assert batch[-1] == batch[1]
    with pytest.raises(IndexError):
        batch[2]


def test_norms_do_not_depend_on_the_neighbours():
    small, huge = gm.Graph([[1e-3]]), gm.Graph([[1e8], [1e8]], [(0, 1)], [1e8])
    batch = gm.GraphEncoder().fit_transform([huge, small, huge])
    assert batch.squared_norms[1] == pytest.approx(1e-6, rel=1e-9)


def test_a_pair_of_arcs_keeps_both_values():
    graph = gm.Graph(3, [(0, 1), (1, 0), (2, 1)], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], directed=True)
    back = gm.GraphEncoder().fit_transform([graph])[0]
    found = {(int(i), int(j)): v.tolist() for (i, j), v in zip(back.edges, back.edge_attributes[""], strict=True)}
    assert found.keys() == {(0, 1), (1, 0), (2, 1)}
    np.testing.assert_allclose([found[0, 1], found[1, 0], found[2, 1]], [[1, 2], [3, 4], [5, 6]], rtol=1e-15)


# -- and back --------------------------------------------------------------------------------------


def test_decoding_undoes_encoding():
    graphs = [
        gm.Graph({"x": [0.0, 2.0], "atom": ["C", "O"]}, [(0, 1)], {"bond": ["single"], "length": [3.0]}),
        gm.Graph({"x": [4.0, 6.0], "atom": ["N", "C"]}, [(0, 1)], {"bond": ["double"], "length": [-1.0]}),
    ]
    encoder = gm.GraphEncoder(presence=0.5, edge_presence=2.0)
    batch = encoder.fit_transform(graphs)
    back = encoder.decode(batch, np.ones(len(batch.nodes)), np.ones((len(batch.ends), 1)))
    for mine, given_ in zip(back, graphs, strict=True):
        np.testing.assert_allclose(mine.nodes["x"], given_.nodes["x"], atol=1e-12)
        assert mine.nodes["atom"].tolist() == given_.nodes["atom"].tolist()
        np.testing.assert_allclose(mine.edge_attributes["length"], given_.edge_attributes["length"], atol=1e-12)
        assert mine.edge_attributes["bond"].tolist() == given_.edge_attributes["bond"].tolist()


def test_mean_graphs_are_encoded_as_value_times_support():
    encoder = gm.GraphEncoder().fit([gm.Graph([[1.0], [3.0]], [(0, 1)], [5.0])])
    mean = gm.MeanGraph([[1.0], [3.0]], [(0, 1)], [5.0], node_support=[1.0, 0.5], edge_support=[0.2])
    batch = encoder.transform([mean, gm.Graph([[1.0], [3.0]], [(0, 1)], [5.0])])
    assert batch.nodes.ravel().tolist() == [1.0, 1.5, 1.0, 3.0]
    assert batch.edge_values.ravel().tolist() == [1.0, 5.0]
    (back,) = encoder.decode(batch.take([0]), np.array([1.0, 0.5]), np.array([[0.2]]))
    np.testing.assert_allclose(back.nodes[""], mean.nodes[""])
    np.testing.assert_allclose(back.edge_attributes[""], mean.edge_attributes[""])


# -- what is refused -------------------------------------------------------------------------------

X = {"x": [0.0, 1.0]}


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        ([], ["empty"]),
        ([gm.Graph(X), gm.Graph({"y": [0.0]})], ["graph 1", "'x'", "missing"]),
        ([gm.Graph(X), gm.Graph({"x": [0.0], "z": [1.0]})], ["graph 1", "'z'"]),
        ([gm.Graph(X), gm.Graph({"x": ["a"]}, name="odd")], ["graph 1", "'odd'", "'x'", "string", "number"]),
        ([gm.Graph({"p": [[1.0, 2.0]]}), gm.Graph({"p": [[1.0]]})], ["graph 1", "'p'", "1", "2"]),
        ([gm.Graph([[1.0, 2.0]]), gm.Graph([[1.0]])], ["graph 1", "node", "1", "2"]),
        ([gm.Graph(X), gm.Graph([[1.0]])], ["graph 1", "node", "bare"]),
        ([gm.Graph(2, [(0, 1)], [[1.0, 2.0]]), gm.Graph(2, [(0, 1)])], ["graph 1", "edge", "1", "2"]),
        ([gm.Graph(2, [(0, 1)], {"w": [1.0]}), gm.Graph(2, [(0, 1)], {"v": [1.0]})], ["graph 1", "edge", "'w'"]),
        ([gm.Graph(2, [(0, 1)], directed=True), gm.Graph(2, [(0, 1)])], ["graph 1", "directed"]),
        ([gm.Graph(1, roles=["a"]), gm.Graph(1)], ["graph 1", "roles"]),
    ],
)
def test_collections_that_are_not_of_one_kind(graphs, words):
    with pytest.raises(gm.GraphError) as caught:
        gm.GraphEncoder().fit(graphs)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (gm.Graph({"x": [1.0], "atom": ["Xe"]}), ["graph 1", "'atom'", "'Xe'"]),
        (gm.Graph({"x": [1.0]}), ["graph 1", "'atom'"]),
        (gm.Graph({"x": ["1"], "atom": ["C"]}), ["graph 1", "'x'"]),
        (gm.Graph({"x": [1.0, 2.0], "atom": ["C", "C"]}, [(0, 1)]), ["graph 1", "edge"]),
        (gm.Graph({"x": [1.0], "atom": ["C"]}, roles=["r"]), ["graph 1", "roles"]),
    ],
)
def test_graphs_unlike_the_fitted_ones(graph, words):
    encoder = gm.GraphEncoder(unknown="refuse").fit(molecules())
    with pytest.raises(gm.GraphError) as caught:
        encoder.transform([molecules()[0], graph])
    for word in words:
        assert word in str(caught.value)


def test_directions_unlike_the_fitted_ones():
    encoder = gm.GraphEncoder().fit([gm.Graph(2, [(0, 1)])])
    with pytest.raises(gm.GraphError, match="graph 0 is directed"):
        encoder.transform([gm.Graph(2, [(0, 1)], directed=True)])
    assert len(encoder.transform([gm.Graph(2, directed=True)])) == 1  # without edges it is neither


@pytest.mark.parametrize("option", [{"numbers": "log"}, {"presence": np.nan}, {"edge_presence": "no"}])
def test_bad_options(option):
    with pytest.raises(gm.GraphError, match=next(iter(option))):
        gm.GraphEncoder(**option).fit(letters())


def test_it_is_an_estimator():
    encoder = gm.GraphEncoder(numbers="keep", presence=1.0)
    assert clone(encoder).get_params() == encoder.get_params()
    with pytest.raises(NotFittedError):
        encoder.transform(letters())
