"""`Graph` and the converters: what is accepted, what is refused and in which words, what comes back."""

from __future__ import annotations

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from graphmeans.graphs.convert import to_graphs
from strategies import kinds, round_graphs

# -- a graph is what was given ---------------------------------------------------------------------


def test_bare_arrays_are_kept_as_they_are():
    g = gm.Graph([[1, 2], [3, 4], [5, 6]], [(0, 1), (2, 1)], [[0.5, 0], [1, -1]])
    assert (g.n_nodes, g.n_edges, g.directed, g.roles, g.name) == (3, 2, False, None, None)
    assert g.nodes[""].dtype == np.float64
    np.testing.assert_array_equal(g.nodes[""], [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(g.edges, [(0, 1), (2, 1)])
    np.testing.assert_array_equal(g.edge_attributes[""], [[0.5, 0], [1, -1]])
    assert g.node_ids == (0, 1, 2)


def test_a_number_of_nodes_and_no_edge_attributes():
    g = gm.Graph(3, [(0, 1)])
    assert g.nodes[""].shape == (3, 0)
    np.testing.assert_array_equal(g.edge_attributes[""], [[1.0]])


def test_one_dimensional_attributes_are_columns():
    g = gm.Graph([1.0, 2.0], [(0, 1)], [3.0])
    assert g.nodes[""].shape == (2, 1)
    assert g.edge_attributes[""].shape == (1, 1)


def test_named_columns_keep_their_types():
    g = gm.Graph(
        {"x": [1, 2], "p": [[0.0, 1.0], [1.0, 0.0]], "kind": ["a", "b"], "on": [True, False]},
        [(0, 1)],
        {"bond": ["single"], "length": [1.5]},
    )
    assert g.nodes["x"].dtype == np.float64
    assert g.nodes["p"].shape == (2, 2)
    assert g.nodes["kind"].tolist() == ["a", "b"]
    assert g.nodes["on"].dtype == bool
    assert g.edge_attributes["bond"].tolist() == ["single"]


@pytest.mark.parametrize("graph", [gm.Graph(0), gm.Graph(1), gm.Graph(np.zeros((0, 3))), gm.Graph({"x": [], "c": []})])
def test_empty_and_edgeless_graphs_are_graphs(graph):
    assert graph.n_edges == 0
    assert graph.edges.shape == (0, 2)
    assert graph.n_nodes == len(graph.node_ids)


def test_a_graph_is_no_sequence():
    g = gm.Graph(2)
    for name in ("__len__", "__iter__", "__getitem__"):
        assert not hasattr(g, name)


def test_a_graph_cannot_be_changed():
    rows = np.zeros((2, 1))
    ends = np.array([[0, 1]])
    g = gm.Graph(rows, ends, {"w": np.array([1.0])})
    rows[:] = 7
    ends[:] = 0
    assert not g.nodes[""].any()
    assert g.edges.tolist() == [[0, 1]]
    for array in (g.nodes[""], g.edges, g.edge_attributes["w"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        g.name = "other"
    g.nodes.clear()
    assert g.nodes.keys() == {""}


def test_pickled_and_copied_graphs_are_equal_and_still_frozen():
    g = gm.Graph({"c": ["a", "b"]}, [(0, 1)], {"w": [2.0]}, roles=["r", "s"], node_ids=["u", "v"], name="g")
    for twin in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
        assert twin == g
        assert hash(twin) == hash(g)
        assert not twin.edges.flags.writeable
        assert not twin.edge_attributes["w"].flags.writeable
        assert not twin.nodes["c"].flags.writeable


@pytest.mark.parametrize(
    "other",
    [
        gm.Graph([[1.0], [3.0]], [(0, 1)]),
        gm.Graph([[1.0], [2.0]], [(0, 1)], [2.0]),
        gm.Graph([[1.0], [2.0]], [(0, 1)], directed=True),
        gm.Graph([[1.0], [2.0]]),
        gm.Graph([[1.0], [2.0]], [(0, 1)], roles=["a", "b"]),
        gm.Graph([[1.0], [2.0]], [(0, 1)], name="n"),
        gm.Graph({"x": [1.0, 2.0]}, [(0, 1)], {"w": [1.0]}),
    ],
)
def test_equality_sees_every_difference(other):
    assert other != gm.Graph([[1.0], [2.0]], [(0, 1)])
    assert gm.Graph([[1.0], [2.0]], [(0, 1)]) == gm.Graph([[1.0], [2.0]], [(0, 1)])


def test_repr_says_what_it_is():
    assert repr(gm.Graph(1, name="one")) == "Graph('one', 1 node, 0 edges)"
    assert repr(gm.Graph(2, [(0, 1)], directed=True)) == "Graph(directed, 2 nodes, 1 edge)"


# -- what is refused -------------------------------------------------------------------------------

BAD = [
    ({"nodes": [[0.0], [np.nan]]}, ["nodes", "NaN", "row 1"]),
    ({"nodes": [[0.0], [np.inf]]}, ["nodes", "infinity"]),
    ({"nodes": {"x": [0.0, np.nan]}}, ["'x'", "NaN"]),
    ({"nodes": [[1.0, 2.0], [3.0]]}, ["nodes", "unequal widths"]),
    ({"nodes": {"p": [[1.0, 2.0], [3.0]]}}, ["'p'", "unequal widths"]),
    ({"nodes": {"x": [1.0], "y": [1.0, 2.0]}}, ["unequal lengths", "x", "y"]),
    ({"nodes": {"x": [1.0, "a"]}}, ["'x'", "mixes"]),
    ({"nodes": {"x": [1j, 2j]}}, ["'x'"]),
    ({"nodes": {"x": np.zeros((2, 2, 2))}}, ["'x'", "(2, 2, 2)"]),
    ({"nodes": {}}, ["no node columns"]),
    ({"nodes": [["a"]]}, ["numbers"]),
    ({"nodes": -1}, ["negative"]),
    ({"nodes": np.zeros((2, 2, 2))}, ["(2, 2, 2)"]),
    ({"nodes": 2, "edges": [(0, 2)]}, ["(0, 2)", "0..1"]),
    ({"nodes": 2, "edges": [(-1, 0)]}, ["(-1, 0)"]),
    ({"nodes": 2, "edges": [(1, 1)]}, ["node 1", "self-loop"]),
    ({"nodes": 2, "edges": [(0, 1), (1, 0)]}, ["(1, 0)", "twice"]),
    ({"nodes": 2, "edges": [(0, 1), (0, 1)], "directed": True}, ["(0, 1)", "twice"]),
    ({"nodes": 2, "edges": [(0.0, 0.5)]}, ["whole numbers"]),
    ({"nodes": 2, "edges": [(0.0, np.nan)]}, ["whole numbers"]),
    ({"nodes": 2, "edges": [("a", "b")]}, ["whole numbers"]),
    ({"nodes": 2, "edges": [(0, 1, 1)]}, ["(m, 2)"]),
    ({"nodes": 2, "edges": [(0, 1), (0,)]}, ["pairs"]),
    ({"nodes": 2, "edges": [(0, 1)], "edge_attributes": [0.0]}, ["(0, 1)", "all-zero"]),
    ({"nodes": 2, "edges": [(0, 1)], "edge_attributes": [[0.0, 0.0]]}, ["(0, 1)", "all-zero"]),
    ({"nodes": 2, "edges": [(0, 1)], "edge_attributes": [1.0, 2.0]}, ["2 rows", "1 edge"]),
    ({"nodes": 2, "edges": [(0, 1)], "edge_attributes": [np.nan]}, ["edge_attributes", "NaN"]),
    ({"nodes": 2, "edges": [(0, 1)], "edge_attributes": {"w": [np.inf]}}, ["'w'", "infinity"]),
    ({"nodes": 2, "edges": [(0, 1)], "edge_attributes": {"w": []}}, ["'w'", "0 values", "1 edge"]),
    ({"nodes": 2, "roles": ["a"]}, ["roles", "1 entries", "2 nodes"]),
    ({"nodes": 2, "roles": [[1], [2]]}, ["roles", "hashable"]),
    ({"nodes": 2, "node_ids": ["a", "a"]}, ["node_ids", "unique"]),
    ({"nodes": 2, "node_ids": ["a"]}, ["node_ids"]),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(words) for _, words in BAD])
def test_bad_graphs_are_refused_in_one_line_that_names_them(arguments, words):
    with pytest.raises(gm.GraphError) as caught:
        gm.Graph(**arguments, name="broken")
    message = str(caught.value)
    assert message.startswith("graph 'broken': ")
    assert "\n" not in message
    for word in words:
        assert word in message


def test_graph_error_is_a_value_error():
    assert issubclass(gm.GraphError, ValueError)


# -- networkx --------------------------------------------------------------------------------------


def nx_molecule():
    g = nx.Graph(name="mol")
    g.add_node("c1", x=0.0, element="C")
    g.add_node("o", x=1.0, element="O")
    g.add_node("c2", x=2.0, element="C")
    g.add_edge("c1", "o", bond="single")
    g.add_edge("o", "c2", bond="double")
    return g


def test_from_networkx_keeps_attributes_ids_and_name():
    g = gm.from_networkx(nx_molecule())
    assert g.node_ids == ("c1", "o", "c2")
    assert g.name == "mol"
    assert g.nodes["element"].tolist() == ["C", "O", "C"]
    assert g.nodes["x"].tolist() == [0.0, 1.0, 2.0]
    assert g.edge_attributes["bond"].tolist() == ["single", "double"]


def test_from_networkx_collection_is_a_list_and_a_graph_a_graph():
    assert isinstance(gm.from_networkx(nx_molecule()), gm.Graph)
    assert gm.from_networkx([nx_molecule()]) == [gm.from_networkx(nx_molecule())]
    assert gm.from_networkx(iter([])) == []
    assert to_graphs([nx_molecule()]) == gm.from_networkx([nx_molecule()])


def test_networkx_roles_are_not_clustered_on():
    g = gm.from_networkx(nx_molecule(), roles="element")
    assert g.roles == ("C", "O", "C")
    assert g.nodes.keys() == {"x"}
    with pytest.raises(gm.GraphError, match=r"'mol'.*'nosuch'"):
        gm.from_networkx(nx_molecule(), roles="nosuch")


def test_networkx_round_trip_of_named_columns():
    ours = gm.from_networkx(nx_molecule())
    theirs = gm.to_networkx(ours)
    assert nx.utils.graphs_equal(theirs, nx_molecule())
    assert gm.from_networkx(theirs) == ours


@given(st.data())
def test_networkx_round_trip_of_bare_arrays(data):
    g = data.draw(round_graphs(data.draw(kinds())))
    back = gm.from_networkx(gm.to_networkx(g))
    assert back.directed == g.directed
    assert back.roles == g.roles or g.n_nodes == 0
    if g.n_nodes:
        np.testing.assert_array_equal(back.nodes[""], g.nodes[""])
    if g.n_edges:
        # networkx may list an undirected edge the other way round and in another order
        def as_dict(graph):
            ends = graph.edges if graph.directed else np.sort(graph.edges, axis=1)
            return {(int(i), int(j)): tuple(v) for (i, j), v in zip(ends, graph.edge_attributes[""], strict=True)}

        assert as_dict(back) == as_dict(g)


def test_mean_graph_round_trip_keeps_support():
    g = gm.MeanGraph([[1.0], [2.0]], [(0, 1)], [0.0], node_support=[1.0, 0.5], edge_support=[0.5])
    back = gm.from_networkx(gm.to_networkx(g))
    assert isinstance(back, gm.MeanGraph)
    np.testing.assert_array_equal(back.node_support, g.node_support)
    np.testing.assert_array_equal(back.edge_support, g.edge_support)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: [nx.path_graph(2), 5], ["graph 1", "int"]),
        (lambda: [nx_with_nan()], ["graph 0", "'x'", "NaN"]),
    ],
)
def test_bad_networkx_graphs(make, words):
    with pytest.raises(gm.GraphError) as caught:
        gm.from_networkx(make())
    for word in words:
        assert word in str(caught.value)


def nx_with_nan():
    g = nx.Graph()
    g.add_node(0, x=float("nan"))
    return g


def test_collections_only():
    for wrong in (gm.Graph(1), nx.path_graph(2), "graphs", {"a": gm.Graph(1)}, 5, None):
        with pytest.raises(gm.GraphError, match="expected a collection of graphs"):
            to_graphs(wrong)
    with pytest.raises(gm.GraphError, match="graph 1 is a molecule in SMILES but graph 0 is a Graph"):
        to_graphs([gm.Graph(1), "no"])
    with pytest.raises(gm.GraphError, match="graph 1: cannot make a graph of int"):
        to_graphs([gm.Graph(1), 5])


# -- adjacency matrices ----------------------------------------------------------------------------


def test_from_adjacency():
    a = np.array([[0, 2.0, 0], [2.0, 0, -1.0], [0, -1.0, 0]])
    g = gm.from_adjacency(a, [[1.0], [2.0], [3.0]])
    assert g.edges.tolist() == [[0, 1], [1, 2]]
    assert g.edge_attributes[""].ravel().tolist() == [2.0, -1.0]
    assert g.nodes[""].ravel().tolist() == [1.0, 2.0, 3.0]
    d = gm.from_adjacency(np.array([[0, 1.0], [0, 0]]), directed=True)
    assert d.directed
    assert d.edges.tolist() == [[0, 1]]


def test_from_adjacency_of_many():
    many = gm.from_adjacency([np.zeros((1, 1)), [[0, 1], [1, 0]]])
    assert [(g.n_nodes, g.n_edges) for g in many] == [(1, 0), (2, 1)]
    assert len(gm.from_adjacency(np.zeros((4, 3, 3)))) == 4


def test_from_adjacency_with_vector_edges():
    a = np.zeros((2, 2, 3))
    a[0, 1] = a[1, 0] = [1.0, 0.0, 2.0]
    (g,) = gm.from_adjacency([a])
    assert g.edge_attributes[""].tolist() == [[1.0, 0.0, 2.0]]


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0, 1], [0, 0]], "not symmetric"),
        ([[0, 1, 0], [1, 0, 0]], "square"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
    ],
)
def test_bad_adjacency(matrix, words):
    with pytest.raises(gm.GraphError, match=f"graph 1: .*{words}"):
        gm.from_adjacency([[[0.0]], matrix])


# -- mean graphs -----------------------------------------------------------------------------------


def test_cutting_a_mean_graph():
    g = gm.MeanGraph(
        [[1.0], [2.0], [3.0]],
        [(0, 1), (1, 2)],
        [1.0, 2.0],
        node_support=[1.0, 0.8, 0.3],
        edge_support=[0.6, 0.3],
        name="mean",
    )
    half = g.cut(0.5)
    assert type(half) is gm.Graph
    assert half.nodes[""].ravel().tolist() == [1.0, 2.0]
    assert half.edges.tolist() == [[0, 1]]
    assert g.cut(0.7).n_edges == 0
    with pytest.raises(gm.GraphError, match="support"):
        gm.MeanGraph(2, node_support=[1.0], edge_support=[])
