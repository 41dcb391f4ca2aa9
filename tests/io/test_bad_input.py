"""What cannot be used is refused with one clear line that names the graph and attribute, the option or the number."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from strategies import Kind, random_collection

GOOD = random_collection(0, Kind(1, 1), 4, max_nodes=3)


def fit(graphs=GOOD, k=2, sample_weight=None, **options):
    return gm.GraphKMeans(k, **{"random_state": 0, **options}).fit(graphs, sample_weight=sample_weight)


def one_line(call, words, error=ValueError):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message.strip(), message
    assert len(message) < 300
    for word in words:
        assert word in message, message


# -- collections -----------------------------------------------------------------------------------

COLLECTIONS = {
    "nothing": ([], ["empty"]),
    "one graph": (GOOD[0], ["collection"]),
    "a string": ("graphs", ["collection"]),
    "not graphs": ([GOOD[0], GOOD[1], 5], ["graph 2", "int"]),
    "none among them": ([GOOD[0], None, GOOD[1]], ["graph 1", "NoneType"]),
    "ragged nodes": ([*GOOD, gm.Graph([[1.0, 2.0]], name="wide")], ["graph 4", "'wide'", "node", "2", "1"]),
    "ragged edges": ([*GOOD, gm.Graph([[1.0], [2.0]], [(0, 1)], [[1.0, 2.0]])], ["graph 4", "edge", "2", "1"]),
    "named and bare": ([*GOOD, gm.Graph({"x": [1.0]})], ["graph 4", "node"]),
    "directed": ([*GOOD, gm.Graph([[1.0], [2.0]], [(0, 1)], directed=True)], ["graph 4", "directed"]),
    "roles": ([*GOOD, gm.Graph([[1.0]], roles=["a"])], ["roles"]),
}


@pytest.mark.parametrize("what", COLLECTIONS)
def test_collections(what):
    graphs, words = COLLECTIONS[what]
    one_line(lambda: fit(graphs), words)
    one_line(lambda: gm.pairwise_distances(graphs), words)
    one_line(lambda: gm.mean(graphs), words)


def nx_graph(**attributes):
    g = nx.Graph()
    g.add_node("u", **attributes)
    return g


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (nx_graph(x=float("nan")), ["graph 1", "'x'", "NaN"]),
        (nx_graph(x="one"), ["graph 1", "'x'", "string", "number"]),
        (nx_graph(y=1.0), ["graph 1", "'x'"]),
        (nx_graph(x=[1.0, 2.0]), ["graph 1", "'x'", "2"]),
        (nx.MultiGraph([(0, 1)]), ["graph 1", "node", "absent"]),
    ],
)
def test_networkx_graphs(graph, words):
    one_line(lambda: fit([nx_graph(x=1.0), graph]), words)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([[0.0], [np.nan]]), ["NaN"]),
        (np.array([[0.0], [np.inf]]), ["inf"]),
        (np.zeros((0, 2)), ["0 sample"]),
        (np.zeros((3, 0)), ["0 feature"]),
    ],
)
def test_arrays(array, words):
    with pytest.raises(ValueError) as caught:
        fit(array)
    for word in words:
        assert word in str(caught.value)


# -- numbers of clusters ---------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, 5, 2.5, "two", None, True])
def test_numbers_of_clusters(k):
    one_line(lambda: fit(k=k), ["n_clusters", str(k)], (ValueError, TypeError))


def test_more_clusters_than_graphs_says_how_many_there_are():
    one_line(lambda: fit(k=5), ["5", "4"])


def test_as_many_clusters_as_graphs_is_fine():
    km = fit(k=4)
    assert sorted(km.labels_.tolist()) == [0, 1, 2, 3]
    assert km.inertia_ == pytest.approx(0.0, abs=1e-12)


# -- options ---------------------------------------------------------------------------------------

OPTIONS = [
    ("algorithm", "macqueen"), ("algorithm", None), ("init", "best"), ("init", 7), ("init", GOOD[:3]), ("init", []),
    ("n_init", 0), ("n_init", "many"), ("n_init", 1.5), ("mean", "median"), ("mean", None), ("matcher", "hungarian"),
    ("matcher", None), ("matcher", 3), ("encoder", "onehot"), ("encoder", 5), ("node_weight", -1.0),
    ("node_weight", np.nan), ("edge_weight", -1.0), ("edge_weight", "heavy"), ("order", "all"), ("order", 1),
    ("order", 2.5), ("max_iter", 0), ("max_iter", 1.5), ("tol", -1.0), ("tol", "small"), ("n_iter_no_change", 0),
    ("n_jobs", 0), ("random_state", "seed"),
]  # fmt: skip


@pytest.mark.parametrize(("option", "value"), OPTIONS, ids=[f"{o}={v!r:.20}" for o, v in OPTIONS])
def test_options(option, value):
    graphs = random_collection(0, Kind(1, 1), 8, max_nodes=3, min_nodes=2)
    words = [option] if option not in ("random_state",) else ["seed"]
    one_line(lambda: fit(graphs, **{option: value}), words, (ValueError, TypeError))


def test_start_graphs_must_fit():
    one_line(lambda: fit(init=[gm.Graph([[1.0, 2.0]]), gm.Graph([[1.0, 2.0]])]), ["init", "node"])
    one_line(lambda: fit(init=[gm.Graph({"x": [1.0]}), gm.Graph({"x": [1.0]})]), ["init", "node"])
    one_line(lambda: fit(np.zeros((4, 2)), init=np.zeros((2, 3))), ["3", "2"])
    one_line(lambda: fit(init=lambda *a, **k: "no"), ["init"], (ValueError, TypeError))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1.0, 2.0], ["sample_weight", "4"]),
        ([1.0, np.nan, 1.0, 1.0], ["sample_weight", "finite"]),
        ([1.0, -1.0, 1.0, 1.0], ["sample_weight", "negative"]),
        ([0.0, 0.0, 0.0, 0.0], ["sample_weight"]),
    ],
)
def test_sample_weights(weight, words):
    with pytest.raises(ValueError) as caught:
        fit(sample_weight=weight)
    text = str(caught.value).lower()
    assert all(word.lower() in text for word in words)


def test_options_that_another_option_makes_meaningless():
    for options in (
        {"init": GOOD[:2], "n_init": 5},
        {"matcher": gm.Exact(), "mean": "set", "n_iter_no_change": -1},
    ):
        one_line(lambda o=options: fit(**o), [], (ValueError, TypeError))


# -- predicting ------------------------------------------------------------------------------------


def test_predicting_what_does_not_fit():
    km = fit()
    one_line(lambda: km.predict([GOOD[0], gm.Graph([[1.0, 2.0]])]), ["graph 1", "node"])
    assert km.predict(GOOD[0]).tolist() == km.predict(GOOD[:1]).tolist()  # a single graph is a collection of one
    one_line(lambda: km.predict(np.zeros((2, 1))), [], (ValueError, TypeError))
    graphs = [gm.Graph({"x": [1.0], "c": ["a"]}), gm.Graph({"x": [2.0], "c": ["b"]})]
    named = gm.GraphKMeans(1).fit(graphs)
    strict = gm.GraphKMeans(1, encoder=gm.GraphEncoder(unknown="refuse")).fit(graphs)
    one_line(lambda: strict.predict([gm.Graph({"x": [1.0], "c": ["z"]})]), ["graph 0", "'c'", "'z'"])
    one_line(lambda: named.predict([gm.Graph({"x": [1.0]})]), ["graph 0", "'c'"])


# -- the functions ---------------------------------------------------------------------------------


def test_functions_refuse_unknown_options():
    one_line(lambda: gm.distance(GOOD[0], GOOD[1], matcher="hungarian"), ["matcher", "hungarian"])
    one_line(lambda: gm.match(GOOD[0], GOOD[1], matcher="hungarian"), ["matcher", "hungarian"])
    one_line(lambda: gm.match(GOOD[0], GOOD[1], order="all"), ["order", "all"])
    one_line(lambda: gm.match(GOOD[0], GOOD[1], max_tree_nodes=0), ["max_tree_nodes"])
    one_line(lambda: gm.match(GOOD[0], GOOD[1], max_seconds=-1.0), ["max_seconds"])
    one_line(lambda: gm.match(GOOD[0], GOOD[1], matcher="graduated", max_tree_nodes=5), ["max_tree_nodes"])
    one_line(lambda: gm.mean(GOOD, method="median"), ["mean", "median"])
    one_line(lambda: gm.mean(GOOD, sample_weight=[1.0]), ["sample_weight"])
    one_line(lambda: gm.mean(GOOD, sample_weight=[0.0] * 4), ["sample_weight"])
    one_line(lambda: gm.match(GOOD[0], gm.Graph([[1.0, 2.0]])), ["node"])
    one_line(lambda: gm.match(GOOD[0], "no"), ["SMILES", "'no'"])
    one_line(lambda: gm.match(GOOD[0], 5), ["int"])


@pytest.mark.parametrize(
    "constants", [{"beta0": 0.0}, {"beta_max": 0.1}, {"rate": 1.0}, {"assignments": 0}, {"sinkhorn": 0}]
)
def test_graduated_refuses_constants_that_never_end(constants):
    one_line(lambda: gm.match(GOOD[0], GOOD[1], matcher=gm.Graduated(**constants)), [next(iter(constants))])
