"""Objects of other libraries become graphs and come back; what they mean is the same whatever they came as."""

from __future__ import annotations

import builtins
import sys
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from effort import examples
from graphmeans.graphs.convert import as_kind, to_graphs
from graphmeans.graphs.values import same_values
from io_helpers import ANY_TEXT, any_graphs

igraph = pytest.importorskip("igraph", reason="igraph is not installed: pip install 'graphmeans[igraph]'")


def has_pyg():
    try:
        import torch_geometric.data  # noqa: F401
    except ImportError:
        return False
    return True


needs_pyg = pytest.mark.skipif(
    not has_pyg(), reason="PyTorch Geometric is not installed: pip install 'graphmeans[pyg]'"
)


def assert_equal(found, expected):
    """The same graph, whatever the order of its edges and of the ends of undirected ones."""
    assert type(found) is type(expected)
    assert (found.n_nodes, found.n_edges, found.directed, found.roles, found.node_ids, found.name) == (
        expected.n_nodes, expected.n_edges, expected.directed, expected.roles, expected.node_ids, expected.name)  # fmt: skip
    orders = [edge_order(graph) for graph in (found, expected)]
    same_columns(found.nodes, expected.nodes)
    same_columns(found.edge_attributes, expected.edge_attributes, *orders)
    ends = [
        np.asarray(g.edges if g.directed else np.sort(g.edges, axis=1))[o]
        for g, o in zip((found, expected), orders, strict=True)
    ]
    assert ends[0].tolist() == ends[1].tolist()
    if isinstance(expected, gm.MeanGraph):
        assert found.node_support.tolist() == expected.node_support.tolist()
        assert found.edge_support[orders[0]].tolist() == expected.edge_support[orders[1]].tolist()
        assert found.damped == expected.damped


def edge_order(graph):
    ends = graph.edges if graph.directed else np.sort(graph.edges, axis=1)
    return np.lexsort(ends.T[::-1])


def same_columns(found, expected, order=slice(None), other=slice(None)):
    # A library with rows of attributes cannot know of columns that have no value in any row.
    found, known = (
        {k: c for k, c in side.items() if c.size and not np.ma.getmaskarray(c).all()} for side in (found, expected)
    )
    assert set(found) - ({""} - set(expected)) == set(known)
    for key, column in known.items():
        assert found[key][order].tolist() == column[other].tolist()
        assert found[key].dtype == column.dtype


# -- round trips -----------------------------------------------------------------------------------


@examples(150)
@given(any_graphs(ANY_TEXT))
@pytest.mark.parametrize("kind", ["networkx", "igraph"])
def test_what_goes_out_comes_back(kind, graph):
    there, back = {"networkx": (gm.to_networkx, gm.from_networkx), "igraph": (gm.to_igraph, gm.from_igraph)}[kind]
    assert_equal(back(there(graph)), graph)


@needs_pyg
@examples(150)
@given(any_graphs(ANY_TEXT))
def test_pyg_objects_come_back(graph):
    assert_equal(gm.from_pyg(gm.to_pyg(graph)), graph)


@given(
    st.lists(any_graphs(ANY_TEXT, bare=False, mean=False), min_size=1, max_size=3).filter(
        lambda graphs: len({graph.directed for graph in graphs}) == 1
    )
)
def test_tables_come_back(graphs):
    clashes = {"graph", "node", "source", "target"}
    graphs = [
        gm.Graph(g.nodes, g.edges, g.edge_attributes if "" not in g.edge_attributes else None, directed=g.directed, name=f"g{i}",
                 node_ids=[f"n{k}" for k in range(g.n_nodes)])
        for i, g in enumerate(graphs)
    ]  # fmt: skip
    if any(clashes & {*g.nodes, *g.edge_attributes} for g in graphs):
        return
    edges, nodes = gm.to_pandas(graphs)
    back = {g.name: g for g in gm.from_pandas(edges, nodes, directed=graphs[0].directed)}
    for graph in graphs:
        if not graph.n_nodes:
            continue  # an empty graph has no row
        found = back[graph.name]
        assert found.n_edges == graph.n_edges
        own = {key: c for key, c in graph.nodes.items() if not np.ma.getmaskarray(c).all()}
        for key, column in own.items():
            assert found.nodes[key].tolist() == column.tolist()


# -- networkx --------------------------------------------------------------------------------------


def test_multigraphs_are_merged_by_rule():
    g = nx.MultiGraph()
    g.add_edge("a", "b", w=1.0, kind="x", on=True)
    g.add_edge("b", "a", w=3.0, kind="y", on=False)
    g.add_edge("a", "b", w=2.0, kind="y")
    g.add_edge("b", "c", w=5.0, kind="z", on=True)
    found = gm.from_networkx(g)
    assert found.n_edges == 2
    columns = {key: column.tolist() for key, column in found.edge_attributes.items()}
    assert columns == {"w": [2.0, 5.0], "kind": ["y", "z"], "on": [True, True], "multiplicity": [3.0, 1.0]}
    assert gm.from_networkx(g, parallel="sum").edge_attributes["w"].tolist() == [6.0, 5.0]
    with pytest.raises(gm.GraphError, match="parallel must be one of"):
        gm.from_networkx(g, parallel="first")


def test_directed_multigraphs_keep_directions_apart():
    g = nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)])
    found = gm.from_networkx(g)
    assert found.directed
    assert dict(zip(map(tuple, found.edges.tolist()), found.edge_attributes["multiplicity"].tolist(), strict=True)) == {
        (0, 1): 2.0,
        (1, 0): 1.0,
    }


def test_a_multigraph_without_parallel_edges_is_a_graph():
    assert gm.from_networkx(nx.MultiGraph([(0, 1)])) == gm.from_networkx(nx.Graph([(0, 1)]))


def test_self_loops_become_node_attributes():
    g = nx.MultiGraph()
    g.add_node("c", x=1.0)
    g.add_edge("a", "b", w=1.0, kind="out")
    g.add_edge("b", "b", w=4.0, kind="in")
    g.add_edge("b", "b", w=2.0, kind="in")
    found = gm.from_networkx(g)
    columns = dict(
        zip(
            found.node_ids,
            zip(*(found.nodes[k].tolist() for k in ("loop", "loop:w", "loop:kind")), strict=True),
            strict=True,
        )
    )
    assert columns == {"a": (0.0, 0.0, ""), "b": (2.0, 3.0, "in"), "c": (0.0, 0.0, "")}
    assert found.n_edges == 1
    taken = nx.Graph([(0, 0)])
    taken.nodes[0]["loop"] = 1
    with pytest.raises(gm.GraphError, match="graph: has self-loops and also a node attribute 'loop'"):
        gm.from_networkx(taken)


def test_loops_and_parallel_edges_may_be_absent_from_other_graphs():
    plain, looped, doubled = nx.path_graph(2), nx.Graph([(0, 1), (1, 1)]), nx.MultiGraph([(0, 1), (0, 1)])
    graphs = gm.from_networkx([plain, looped, doubled])
    batch = gm.GraphEncoder().fit_transform(graphs)
    assert batch.nodes.ravel().tolist() == [0, 0, 0, 1, 0, 0]
    assert batch.edge_values.shape[1] == 1
    assert batch.edge_values[2] == pytest.approx(2 * batch.edge_values[0])
    one_by_one = gm.GraphEncoder().fit_transform([gm.from_networkx(g) for g in (plain, looped, doubled)])
    np.testing.assert_array_equal(batch.nodes, one_by_one.nodes)
    fitted = gm.GraphEncoder().fit(graphs)
    assert fitted.transform([plain]).nodes.tolist() == [[0.0], [0.0]]
    # What the fitted collection did not have is passed over.
    simple = gm.GraphEncoder().fit([plain])
    assert simple.transform([looped, doubled]).edge_values.tolist() == [[1.0], [1.0]]
    named = nx.path_graph(2)
    nx.set_node_attributes(named, 1.0, "x")
    looped_too = named.copy()
    looped_too.add_edge(0, 0)
    assert gm.GraphEncoder("keep").fit([named]).transform([looped_too]).nodes.tolist() == [[1.0], [1.0]]


def test_attributes_may_be_chosen():
    g = nx.path_graph(2)
    nx.set_node_attributes(g, {0: {"x": 1.0, "data": {}}, 1: {"x": 2.0, "data": {}}})
    with pytest.raises(gm.GraphError, match="graph: node attribute 'data' mixes or holds unusable types"):
        gm.from_networkx(g)
    assert list(gm.from_networkx(g, node_attributes=["x"]).nodes) == ["x"]
    assert list(gm.from_networkx(g, node_attributes=[], edge_attributes=[]).nodes) == [""]


def test_missing_attributes_are_missing_values():
    g = nx.Graph()
    g.add_node(0, x=1.0, kind=None)
    g.add_node(1, kind="a")
    found = gm.from_networkx(g)
    assert found.nodes["x"].tolist() == [1.0, None]
    assert found.nodes["kind"].tolist() == [None, "a"]
    assert gm.to_networkx(found).nodes[1] == {"kind": "a"}


# -- igraph ----------------------------------------------------------------------------------------


def test_igraph_names_are_ids():
    g = igraph.Graph([(0, 1), (1, 2)])
    g.vs["name"] = ["u", "v", "w"]
    g.vs["x"] = [1, 2, None]
    g.es["weight"] = [0.5, 2.0]
    g["name"] = "three"
    found = gm.from_igraph(g)
    assert found.node_ids == ("u", "v", "w")
    assert found.name == "three"
    assert found.nodes["x"].tolist() == [1.0, 2.0, None]
    assert found.edge_attributes["weight"].tolist() == [0.5, 2.0]


def test_igraph_multi_edges_loops_and_directions():
    found = gm.from_igraph(igraph.Graph([(0, 1), (0, 1), (1, 1)], directed=True))
    assert found.directed
    assert found.edge_attributes["multiplicity"].tolist() == [2.0]
    assert found.nodes["loop"].tolist() == [0.0, 1.0]


def test_networkx_and_igraph_mean_the_same():
    g = nx.gnp_random_graph(6, 0.5, seed=1)
    nx.set_node_attributes(g, {i: float(i * i) for i in g}, "x")
    nx.set_edge_attributes(g, {e: float(sum(e)) for e in g.edges}, "w")
    there = gm.from_igraph(igraph.Graph.from_networkx(g))
    mine = gm.from_networkx(g)
    assert mine.nodes["x"].tolist() == there.nodes["x"].tolist()
    assert gm.distance(mine, gm.Graph({"x": there.nodes["x"]}, there.edges, {"w": there.edge_attributes["w"]})) == 0


# -- PyTorch Geometric -----------------------------------------------------------------------------


def data(edge_index, **tensors):
    """What a Data object looks like, without PyTorch."""
    return SimpleNamespace(edge_index=np.array(edge_index).reshape(2, -1), **tensors)


def test_pyg_looking_objects():
    both = data([[0, 1, 1, 2], [1, 0, 2, 1]], x=np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], np.float32),
                edge_attr=np.array([[3.0], [3.0], [4.0], [4.0]]), y=np.array([1]))  # fmt: skip
    found = gm.from_pyg(both)
    assert not found.directed
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    assert found.edge_attributes["edge_attr"].tolist() == [3.0, 4.0]
    assert found.nodes["x"].tolist() == [[1, 0], [0, 1], [2, 2]]
    assert set(found.nodes) == {"x"}
    one_way = data([[0], [1]], z=np.array([6, 8]), num_nodes=2)
    assert gm.from_pyg(one_way).directed
    assert gm.from_pyg(one_way).nodes["z"].tolist() == [6.0, 8.0]
    assert all(g.directed for g in gm.from_pyg([data([[0, 1], [1, 0]]), one_way]))
    assert gm.from_pyg(data([[], []], num_nodes=3)).n_nodes == 3
    assert gm.from_pyg(data([[0, 1], [1, 0]], charge=np.array([1.0, 2.0])), node_attributes=["charge"]).nodes[
        "charge"
    ].tolist() == [1, 2]


def test_missing_edge_values_in_both_directions():
    # NaN is what a tensor says of a missing value, and NaN is not equal to itself.
    there = np.ma.masked_invalid([np.nan, 2.0])
    assert same_values(there, np.ma.masked_invalid([np.nan, 2.0]))
    assert not same_values(there, np.ma.masked_invalid([np.nan, 3.0]))
    assert not same_values(there, np.ma.masked_invalid([2.0, np.nan]))


def test_pyg_loops_and_parallel_edges():
    g = gm.from_pyg(data([[0, 1, 1, 0, 1], [1, 0, 1, 1, 0]], edge_weight=np.array([1.0, 1.0, 5.0, 1.0, 1.0])))
    assert not g.directed
    assert g.nodes["loop"].tolist() == [0.0, 1.0]
    assert g.nodes["loop:edge_weight"].tolist() == [0.0, 5.0]
    assert g.edge_attributes["multiplicity"].tolist() == [2.0]


@pytest.mark.parametrize(
    ("object_", "options", "words"),
    [
        (data([[0], [1]]), {"directed": False}, "no counterpart"),
        (data([[0, 1], [1, 0]], edge_weight=np.array([1.0, 2.0])), {"directed": False}, "no counterpart"),
        (data([[0, 1], [1, 0]], edge_weight=np.array([1.0])), {}, "'edge_weight' has 1 rows for 2 edges"),
        (data([[0, 1], [1, 0]]), {"node_attributes": ["charge"]}, "has no 'charge'"),
        (data([[0, 9], [9, 0]], x=np.zeros((2, 1))), {}, "leads to a node"),
        (data([[0.5], [1.5]]), {}, "whole numbers"),
        (data([[0, 1], [1, 0]], x=np.zeros((2, 1)), pos=np.zeros((3, 2))), {}, "unequal lengths"),
    ],
)
def test_pyg_objects_that_cannot_be_used(object_, options, words):
    with pytest.raises(gm.GraphError, match=f"graph: .*{words}"):
        gm.from_pyg(object_, **options)


@needs_pyg
def test_real_pyg_data():
    import torch
    from torch_geometric.data import Data

    d = Data(
        x=torch.eye(3),
        edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        pos=torch.rand(3, 2, requires_grad=True),
        y=torch.tensor([1]),
    )
    found = gm.from_pyg(d)
    assert not found.directed
    assert found.nodes["pos"].shape == (3, 2)
    mean = gm.to_pyg(gm.mean([d, d]))
    assert isinstance(mean, Data)
    assert mean.is_undirected()
    assert mean.node_support.tolist() == [1.0, 1.0, 1.0]
    assert mean.x.dtype == torch.float64


# -- adjacency -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array", "lil_matrix", "dok_array"])
def test_sparse_and_dense_are_the_same(kind, rng):
    dense = np.triu(rng.normal(size=(6, 6)) * (rng.random((6, 6)) < 0.5))
    dense = dense + dense.T
    sparse = getattr(scipy.sparse, kind)(dense)
    assert gm.from_adjacency(sparse) == gm.from_adjacency(dense)
    assert gm.from_adjacency([sparse, sparse])[1] == gm.from_adjacency(dense)
    np.testing.assert_array_equal(gm.to_adjacency(gm.from_adjacency(dense)), dense - np.diag(np.diag(dense)))


def test_the_diagonal_is_a_node_attribute():
    stack = np.array([[[0.0, 1.0], [1.0, 0.0]], [[2.0, 1.0], [1.0, 0.0]]])
    assert [g.nodes[""].tolist() for g in gm.from_adjacency(stack)] == [[[0.0], [0.0]], [[2.0], [0.0]]]
    assert gm.from_adjacency(stack, loops=False)[1].nodes[""].shape == (2, 0)
    with_nodes = gm.from_adjacency(stack[1], np.array([[7.0], [8.0]]))
    assert with_nodes.nodes[""].tolist() == [[7.0, 2.0], [8.0, 0.0]]


def test_to_adjacency_of_every_sort():
    g = gm.Graph(2, [(0, 1)], {"w": [2.0], "v": [[1.0, 3.0]], "c": ["a"]}, directed=True)
    assert gm.to_adjacency(g, "w").tolist() == [[0, 2], [0, 0]]
    assert gm.to_adjacency(g, "v").shape == (2, 2, 2)
    for wrong in (None, "c", "zz"):
        with pytest.raises(gm.GraphError):
            gm.to_adjacency(g, wrong)
    mean = gm.MeanGraph(2, [(0, 1)], [4.0], node_support=[1, 1], edge_support=[0.5])
    assert gm.to_adjacency(mean).tolist() == [[0, 2], [2, 0]]


# -- pandas ----------------------------------------------------------------------------------------


def tables():
    edges = pd.DataFrame(
        {
            "graph": ["g", "g", "h"],
            "source": [1, 2, 1],
            "target": [2, 3, 2],
            "w": [1.0, np.nan, 3.0],
            "kind": pd.Categorical(["a", "b", "a"]),
        }
    )
    nodes = pd.DataFrame(
        {
            "graph": ["h", "h", "g", "g", "g", "lonely"],
            "node": [1, 2, 3, 2, 1, 0],
            "x": [1, 2, 3, 4, 5, 6],
            "on": [True, None, False, True, True, False],
        }
    )
    return edges, nodes


def test_edge_tables_with_and_without_nodes():
    edges, nodes = tables()
    g, h = gm.from_pandas(edges)
    assert (g.name, h.name) == ("g", "h")
    assert g.node_ids == (1, 2, 3)
    assert g.edge_attributes["w"].tolist() == [1.0, None]
    assert g.edge_attributes["kind"].tolist() == ["a", "b"]
    found = gm.from_pandas(edges, nodes)
    assert [graph.name for graph in found] == ["h", "g", "lonely"]
    assert found[1].node_ids == (3, 2, 1)
    assert found[1].nodes["x"].tolist() == [3.0, 4.0, 5.0]
    assert found[0].nodes["on"].tolist() == [True, None]
    assert found[2].n_edges == 0
    whole = gm.from_pandas(
        edges.drop(columns="graph").rename(columns={"source": "from"}), graph=None, source="from", edge_attributes=["w"]
    )
    assert isinstance(whole, gm.Graph)
    assert whole.edge_attributes["multiplicity"].tolist() == [2.0, 1.0]  # 1-2 stands twice in the table


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e, n: (e.rename(columns={"source": "s"}), n, {}), "no column 'source'"),
        (lambda e, n: (e, n.drop(columns="graph"), {}), "table of nodes has no column 'graph'"),
        (lambda e, n: (e, n[n.node != 3], {}), "graph 'g': the table of nodes has no node 3"),
        (lambda e, n: (e, pd.concat([n, n]), {}), "has two rows"),
        (
            lambda e, n: (e.assign(source=[1, None, 1]), n, {}),
            "column 'source' of the table of edges has missing values",
        ),
        (lambda e, n: (e, n, {"edge_attributes": ["zz"]}), "no column 'zz'"),
        (lambda e, n: (e.to_dict(), n, {}), "must be a pandas DataFrame"),
        (lambda e, n: (e.assign(when=pd.Timestamp("2020-01-01")), n, {}), "'when'"),
    ],
)
def test_tables_that_cannot_be_used(change, words):
    edges, nodes, options = change(*tables())
    with pytest.raises(gm.GraphError, match=words):
        gm.from_pandas(edges, nodes, **options)


# -- any of them -----------------------------------------------------------------------------------


def triangle(kind):
    g = nx.cycle_graph(3)
    graph = gm.from_networkx(g)
    if kind == "adjacency":
        return nx.to_numpy_array(g)
    if kind == "sparse":
        return nx.to_scipy_sparse_array(g)
    if kind == "pyg-like":
        return data([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]], num_nodes=3)
    return as_kind([graph], kind)[0]


KINDS = ["graph", "networkx", "igraph", "adjacency", "sparse", "pyg-like"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_are_the_same_triangle(kind):
    triangles = [triangle(kind), triangle(kind)]
    assert gm.pairwise_distances([*to_graphs(triangles), gm.from_networkx(nx.cycle_graph(3))]).max() == 0
    assert gm.distance(*triangles) == 0
    assert gm.match(triangles[0], gm.from_networkx(nx.path_graph(3))).upper == pytest.approx(np.sqrt(2))


@pytest.mark.parametrize("kind", KINDS[1:])
def test_mixed_kinds_are_refused_in_one_line(kind):
    with pytest.raises(
        gm.GraphError, match=r"graph 1 is .* but graph 0 is a Graph; a collection holds graphs of one kind"
    ):
        to_graphs([triangle("graph"), triangle(kind)])


@pytest.mark.parametrize("kind", ["networkx", "igraph", "pyg-like"])
def test_a_single_object_is_no_collection(kind):
    with pytest.raises(gm.GraphError, match="expected a collection of graphs, got a single graph"):
        to_graphs(triangle(kind))


@pytest.mark.parametrize(
    ("package", "call", "extra"),
    [
        ("igraph", lambda: gm.to_igraph(gm.Graph(1)), "igraph"),
        ("torch", lambda: gm.to_pyg(gm.Graph(1)), "pyg"),
        ("rdkit", lambda: gm.from_smiles("CC"), "rdkit"),
        ("rdkit", lambda: gm.to_rdkit(gm.Graph({"element": ["C"]})), "rdkit"),
        ("pandas", lambda: gm.to_pandas(gm.Graph(1)), "pandas"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(package, call, extra, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **options):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest, **options)

    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs the package {package}: pip install 'graphmeans\[{extra}\]'"):
        call()


# -- mean graphs -----------------------------------------------------------------------------------


def members():
    graphs = []
    for i in range(6):
        n = 3 + i % 2
        nodes = {"x": np.arange(n) + i / 10, "kind": ["a", "b", "a", "b"][:n]}
        graphs.append(gm.Graph(nodes, [(k, k + 1) for k in range(n - 1)], {"w": [2.0] * (n - 1)}))
    return graphs


@pytest.mark.parametrize("kind", ["graph", "networkx", "igraph", "adjacency", "pandas", pytest.param("pyg", marks=needs_pyg)])
def test_means_come_in_every_kind_with_decoded_attributes_and_support(kind):
    mean = gm.mean(members(), random_state=0)
    assert sorted(mean.node_support.tolist()) == [0.5, 1.0, 1.0, 1.0]
    made = as_kind([mean], kind)
    if kind == "adjacency":
        np.testing.assert_allclose(np.unique(made[0].round(9)), [0.0, 1.0, 2.0])  # 2 with support 1 and 1/2
        return
    if kind == "pandas":
        edges, nodes = made
        assert sorted(nodes["support"]) == [0.5, 1.0, 1.0, 1.0]
        assert set(nodes["kind"]) == {"a", "b"}
        assert set(edges.columns) == {"graph", "source", "target", "w", "support"}
        return
    readers = {"graph": lambda graph: graph, "networkx": gm.from_networkx, "igraph": gm.from_igraph, "pyg": gm.from_pyg}
    assert_equal(readers[kind](made[0]), mean)


def test_means_of_molecules_are_molecules():
    chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")
    mean = gm.mean([chem.MolFromSmiles(s) for s in ("CCO", "CCO", "CCCO")], random_state=0)
    (molecule,) = as_kind([mean], "rdkit")
    assert chem.MolToSmiles(molecule) == "CCO"


def test_the_estimator_knows_what_it_was_given():
    from graphmeans.cluster.estimators.inputs import KINDS, kind_of

    assert {"array", "graph", "networkx", "igraph", "rdkit", "smiles", "pyg", "adjacency", "pandas"} == set(KINDS)
    for kind in ("graph", "networkx", "igraph", "adjacency"):
        assert kind_of([triangle(kind)] * 2) == kind
    assert kind_of([triangle("sparse")] * 2) == "adjacency"
    assert kind_of([triangle("pyg-like")] * 2) == "pyg"
    assert kind_of(np.zeros((4, 3, 3))) == "adjacency"
    assert kind_of(np.zeros((4, 3))) == kind_of([[1.0, 2.0], [3.0, 4.0]]) == kind_of(pd.DataFrame({"a": [1.0]})) == "array"
    assert kind_of(scipy.sparse.eye_array(3).tocsr()) == "array"
    column = pd.Series([triangle("networkx")] * 2, index=[7, 8])
    assert kind_of(column) == "networkx"
    assert gm.GraphKMeans(1, algorithm="lloyd", n_init=1).fit(column).labels_.tolist() == [0, 0]
    with pytest.raises(gm.GraphError, match="got a generator"):
        kind_of(triangle("graph") for _ in range(2))
    with pytest.raises(gm.GraphError, match=r"for SMILES there is gm\.from_smiles"):
        gm.GraphKMeans(1).fit(["CCO", "CC"])


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_are_clustered(kind):
    from graphmeans.cluster.estimators.inputs import kind_of

    squares = [nx.to_numpy_array(nx.cycle_graph(4)) for _ in range(3)]
    paths = [nx.to_numpy_array(nx.path_graph(4)) for _ in range(3)]
    graphs = gm.from_adjacency(squares + paths)
    if kind == "sparse":
        objects = [scipy.sparse.csr_array(m) for m in squares + paths]
    elif kind == "pyg-like":
        objects = [data(np.argwhere(m).T, num_nodes=4) for m in squares + paths]
    else:
        objects = as_kind(graphs, kind)
    km = gm.GraphKMeans(2, algorithm="lloyd", n_init=1, random_state=0).fit(objects)
    assert len(set(km.labels_[:3])) == len(set(km.labels_[3:])) == 1
    assert km.labels_[0] != km.labels_[3]
    assert km.predict(objects).tolist() == km.labels_.tolist()
    assert kind_of(objects) in ("graph", "networkx", "igraph", "adjacency", "pyg")
    assert gm.to_adjacency(km.centroids("graph")[km.labels_[0]]).sum() == pytest.approx(8.0)
