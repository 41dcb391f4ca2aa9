"""Networks on the same nodes: from matrices, networkx and coordinates; and the remark that identities were ignored."""

from __future__ import annotations

import io
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

import graphmeans as gm
from graphmeans.graphs.labelled import shared_names, with_identities, with_roles

ALGORITHMS = ("interval", "lloyd", "elkan", "gvr")


def correlations(count: int = 12, n: int = 7, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    bases = rng.normal(size=(3, n, 30))
    return np.array([np.corrcoef(bases[i % 3] + 0.5 * rng.normal(size=(n, 30))) for i in range(count)])


def as_networkx(matrices: np.ndarray, names: list[str]) -> list[nx.Graph]:
    made = []
    for matrix in matrices:
        graph = nx.Graph()
        graph.add_nodes_from(names)
        n = len(names)
        graph.add_weighted_edges_from((names[i], names[j], float(matrix[i, j])) for i in range(n) for j in range(i))
        made.append(graph)
    return made


def test_matrices_that_are_symmetric_up_to_rounding_are_accepted_and_others_are_not():
    matrices = correlations()
    assert any((m != m.T).any() for m in matrices)
    graphs = gm.structures.labelled_networks(matrices)
    assert gm.distance(*graphs[:2]) ** 2 == pytest.approx(((matrices[0] - matrices[1]) ** 2).sum())
    assert gm.from_adjacency(matrices[0]).n_edges == 21
    assert gm.from_adjacency(sparse.csr_array(matrices[0])).n_edges == 21
    wrong = matrices[0].copy()
    wrong[0, 1] += 1e-4
    for matrix in (wrong, sparse.csr_array(wrong)):
        with pytest.raises(gm.GraphError, match="graph 0: the adjacency matrix is not symmetric"):
            gm.from_adjacency([matrix])
    with pytest.raises(gm.GraphError, match="NaN"):
        gm.from_adjacency([np.full((2, 2), np.nan)])


def test_a_diagonal_that_all_share_is_left_out_and_another_is_kept():
    matrices = correlations()
    assert gm.structures.labelled_networks(matrices)[0].nodes[""].shape == (7, 0)
    matrices[1, 0, 0] = 3.0
    graphs = gm.structures.labelled_networks(matrices)
    assert gm.distance(*graphs[:2]) ** 2 == pytest.approx(((matrices[0] - matrices[1]) ** 2).sum())


def test_networkx_graphs_are_the_matrices_of_their_weights_with_names():
    matrices, names = correlations(), [f"region {c}" for c in "abcdefg"]
    np.einsum("kii->ki", matrices)[:] = 0
    graphs = gm.structures.labelled_networks(as_networkx(matrices, names))
    assert graphs[0].roles == graphs[0].node_ids == tuple(names)
    for i in range(3):
        expected = np.sqrt(((matrices[i] - matrices[i + 1]) ** 2).sum())
        assert gm.distance(graphs[i], graphs[i + 1]) == pytest.approx(expected)
    km = gm.GraphKMeans(3, random_state=0).fit(graphs)
    for mean, c in zip(km.centroids("networkx"), range(3), strict=True):
        assert list(mean.nodes) == names
        assert mean.edges[names[0], names[1]]["value"] == pytest.approx([matrices[km.labels_ == c].mean(axis=0)[0, 1]])
    assert km.centroids("graph")[0].cut(0.5).node_ids == tuple(names)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", ["matrices", "networkx", "coordinates"])
def test_every_algorithm_is_k_means_of_vectors_from_the_same_start(algorithm, kind):
    matrices, names = correlations(24, 9), [f"region {c}" for c in "abcdefghi"]
    np.einsum("kii->ki", matrices)[:] = 0
    if kind == "networkx":
        graphs = gm.structures.labelled_networks(as_networkx(matrices, names))
    else:
        places = np.random.default_rng(1).normal(size=(9, 3)) if kind == "coordinates" else None
        graphs = gm.structures.labelled_networks(matrices, labels=names, coordinates=places)
    i, j = np.triu_indices(9, 1)
    flat = matrices[:, i, j]
    theirs = KMeans(3, init=flat[:3], n_init=1, tol=0).fit(flat)
    ours = gm.GraphKMeans(3, algorithm=algorithm, init=graphs[:3]).fit(graphs)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(2 * theirs.inertia_)


def test_coordinates_are_columns_that_add_nothing_to_the_distance():
    matrices, names = correlations(4), list("abcdefg")
    places = {name: (i, i**2) for i, name in enumerate(names)}
    plain = gm.structures.labelled_networks(matrices, labels=names)
    placed = gm.structures.labelled_networks(matrices, labels=names, coordinates=places)
    assert placed[0].nodes["y"].tolist() == [i**2 for i in range(7)]
    assert gm.distance(*placed[:2]) == pytest.approx(gm.distance(*plain[:2]))
    km = gm.GraphKMeans(2, random_state=0).fit(placed)
    assert np.allclose(km.centroids()[0].nodes["x"], range(7))
    with pytest.raises(gm.GraphError, match=r"shape \(7, 2\) or \(7, 3\), got \(3, 2\)"):
        gm.structures.labelled_networks(matrices, coordinates=np.zeros((3, 2)))
    with pytest.raises(gm.GraphError, match="no coordinates of the node 'g'"):
        gm.structures.labelled_networks(matrices, labels=names, coordinates={k: v for k, v in places.items() if k != "g"})


def test_what_labelled_networks_refuse():
    graphs = as_networkx(correlations(2, 3), list("abc"))
    with pytest.raises(gm.GraphError, match="graph 0: node 'c' is not among the labels"):
        gm.structures.labelled_networks(graphs, labels=["a", "b"])
    with pytest.raises(gm.GraphError, match="no numeric edge attribute 'corr'; weight= names it, or None keeps all of 'weight'"):
        gm.structures.labelled_networks(graphs, weight="corr")
    with pytest.raises(gm.GraphError, match="graph 0 is not directed"):
        gm.structures.labelled_networks(graphs, directed=True)
    with pytest.raises(gm.GraphError, match="no two of these graphs have a node of the same name"):
        gm.structures.labelled_networks([nx.Graph([("a", "b")]), nx.Graph([("c", "d")])])
    with pytest.raises(gm.GraphError, match="2 networks but 1 names"):
        gm.structures.labelled_networks(graphs, names=["one"])
    assert list(gm.structures.labelled_networks(graphs, weight=None)[0].edge_attributes) == ["weight"]


def test_a_warning_says_that_identities_were_ignored_and_how_to_keep_them():
    matrices, names = correlations(4, 4), ["motor", "insula", "cuneus", "frontal"]
    graphs = as_networkx(matrices, names)
    estimator = gm.GraphKMeans(2, max_iter=1, n_init=1, random_state=0)
    with pytest.warns(UserWarning, match="nodes of the same names .*labelled_networks.*--labelled"):
        estimator.fit(graphs)
    with pytest.warns(UserWarning, match=r"array of shape \(4, 4, 4\) is read as 4 graphs whose nodes are matched in any order"):
        estimator.fit(matrices)
    for listed in (list(matrices), matrices.tolist(), [sparse.csr_array(matrix) for matrix in matrices]):
        with pytest.warns(UserWarning, match="the 4 matrices of one size are read as graphs whose nodes are matched"):
            estimator.fit(listed)
    with pytest.warns(UserWarning, match=r"nodes of the same names \(1001, 1002, ...\)"):
        estimator.fit(as_networkx(matrices, [1001, 1002, 1003, 1004]))
    assert any("nodes of the same names" in note for note in gm.evaluation.inspect(graphs, 2).notes)
    assert any("array of shape" in note for note in gm.evaluation.inspect(matrices, 2).notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.fit(gm.structures.labelled_networks(graphs))
        estimator.fit([nx.path_graph(n) for n in (3, 4, 3, 3)])  # numbers are no names
        estimator.fit([matrices[0], matrices[1], matrices[2, :3, :3], matrices[3]])


@pytest.mark.parametrize("listed", [np.array, pd.Index, pd.Series, tuple, iter], ids=lambda kind: kind.__name__)
def test_labels_are_any_sequence_of_names(listed):
    matrices, names = correlations(3, 4), ["motor", "insula", "cuneus", "frontal"]
    expected = gm.structures.labelled_networks(matrices, labels=names)
    assert gm.structures.labelled_networks(matrices, labels=listed(names)) == expected
    assert gm.structures.labelled_networks(as_networkx(matrices, names), labels=listed(names))[0].roles == tuple(names)
    assert gm.structures.labelled_networks(matrices, labels=np.arange(4)) == gm.structures.labelled_networks(matrices)
    with pytest.raises(gm.GraphError, match=r"labels must be hashable, got \['a'\]"):
        gm.structures.labelled_networks(matrices, labels=[["a"]] * 4)


def tables(matrices: np.ndarray, names: list) -> list[pd.DataFrame]:
    return [pd.DataFrame(matrix, index=names, columns=names) for matrix in matrices]


def test_the_index_of_a_table_names_its_nodes_in_any_order():
    matrices, names = correlations(5, 4), ["motor", "insula", "cuneus", "frontal"]
    expected = gm.structures.labelled_networks(matrices, labels=names)
    given, order = tables(matrices, names), [2, 0, 3, 1]
    turned = [given[0], *(table.iloc[order, order] for table in given[1:])]
    assert gm.structures.labelled_networks(given) == gm.structures.labelled_networks(turned) == expected
    assert gm.structures.labelled_networks([table.iloc[order] for table in turned], labels=names) == expected  # columns by name
    named = gm.structures.labelled_networks(dict(zip("vwxyz", turned, strict=True)))
    assert [graph.name for graph in named] == list("vwxyz")
    assert named[3].roles is named[0].roles
    assert named[3].edges is named[0].edges
    plain = [pd.DataFrame(matrix) for matrix in matrices]
    assert gm.structures.labelled_networks(plain, labels=names) == expected
    assert gm.structures.labelled_networks(plain) == gm.structures.labelled_networks(matrices)
    without = gm.structures.labelled_networks([given[0], given[1].iloc[:3, :3]])
    assert without[1].roles == tuple(names[:3])
    from_file = [pd.read_csv(io.StringIO(table.to_csv()), index_col=0) for table in tables(matrices, [1001, 1002, 1003, 1004])]
    assert gm.structures.labelled_networks(from_file)[0].roles == (1001, 1002, 1003, 1004)  # their columns are strings


def test_tables_that_do_not_say_which_nodes_they_have():
    matrices, names = correlations(2, 3), ["motor", "insula", "cuneus"]
    one_sided = pd.DataFrame(matrices[0], index=names)
    for wrong in (one_sided, tables(matrices, ["a", "a", "b"])[0], tables(matrices, names)[0].iloc[:2]):
        with pytest.raises(gm.GraphError, match="graph 1: the index and the columns of the table must be the same labels"):
            gm.structures.labelled_networks([tables(matrices, names)[0], wrong])
    with pytest.raises(gm.GraphError, match="graph 0: node 'cuneus' is not among the labels"):
        gm.structures.labelled_networks(tables(matrices, names), labels=["motor", "insula", "frontal"])
    with pytest.raises(gm.GraphError, match="graph 1 is no table, but graph 0 is one"):
        gm.structures.labelled_networks([tables(matrices, names)[0], matrices[1]])
    with pytest.raises(gm.GraphError, match="sequence of tables, got a single one; put it into a list"):
        gm.structures.labelled_networks(one_sided)


def test_a_network_without_nodes_is_one():
    made = gm.structures.labelled_networks([*as_networkx(correlations(3, 3), list("abc")), nx.Graph()])
    assert made[3].n_nodes == 0
    assert len(set(gm.GraphKMeans(2, random_state=0).fit(made).labels_)) == 2


def test_names_that_are_mere_numbers_or_belong_to_one_graph_are_not_shared():
    def graph(names):
        return gm.Graph(len(names), node_ids=names)

    assert shared_names([graph(["x", "y", "z"])] * 3) == ["x", "y", "z"]
    assert shared_names([graph(["x", "y", "z", "u", "v"]), graph(["x", "y", "z", "u"])]) is not None  # one lacks a node
    assert shared_names([graph(["_0", "_1", "_2"])] * 3) is None
    assert shared_names([graph([0, 1, 2])] * 3) is None
    for counted in ([1, 2, 3, 4], ["0", "1", "2"], ["1", "2", "3"], [0.0, 1.0, 2.0], [np.int64(0), np.int64(1), np.int64(2)]):
        assert shared_names([graph(counted)] * 3) is None
    assert shared_names([graph([0, 1, 2, 4, 5, 6])] * 3) is None  # counted, and one was left out
    numbers = list(range(1001, 1009))
    assert shared_names([graph(numbers)] * 3) == numbers
    assert shared_names([graph([f"{number}" for number in numbers])] * 3) is not None
    assert shared_names([graph([100 * g + i for i in range(8)]) for g in range(3)]) is None
    assert shared_names([graph([f"{g}{c}" for c in "abc"]) for g in range(9)]) is None
    assert shared_names([graph(["x", "y", "z"])]) is None
    assert shared_names([gm.Graph(3)] * 3) is None


def test_roles_from_a_column():
    graphs = [gm.Graph({"kind": ["a", "b"], "x": [0.0, 1.0]}, [(0, 1)]), gm.Graph(0)]
    made = with_roles(graphs, "kind")
    assert made[0].roles == ("a", "b")
    assert list(made[0].nodes) == ["x"]
    with pytest.raises(gm.GraphError, match="graph 0: no node attribute 'part' to take roles from; there is 'kind', 'x'"):
        with_roles(graphs, "part")
    with pytest.raises(gm.GraphError, match="'kind' cannot give roles: it is missing on node 1"):
        with_roles([gm.Graph({"kind": ["a", None]})], "kind")
    assert with_identities([gm.Graph(2, node_ids=["u", "v"]), gm.Graph(1, node_ids=["u"])])[0].roles == ("u", "v")
