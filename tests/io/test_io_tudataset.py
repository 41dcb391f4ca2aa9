"""TU data sets: what the files mean, what is refused, and the way back."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.datasets import load_iam, load_tudataset
from graphmeans.io import read_collection, read_tudataset, write_collection, write_tudataset
from iam import iam_path
from io_helpers import any_graphs, assert_same, corruptions, only_graph_errors


def data_set(folder, name="DS", **files):
    """A folder with these files; all that is needed if nothing else is said: two triangles, the second with a tail."""
    needed = {
        "A": "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n5, 6\n6, 5\n4, 6\n6, 4\n6, 7\n7, 6\n",
        "graph_indicator": "1\n1\n1\n2\n2\n2\n2\n",
        "graph_labels": "1\n-1\n",
    }
    folder.mkdir(exist_ok=True, parents=True)
    for part, text in {**needed, **files}.items():
        if text is not None:
            (folder / f"{name}_{part}.txt").write_text(text)
    return folder


def test_plain_graphs(tmp_path):
    graphs, classes = read_tudataset(data_set(tmp_path))
    assert classes == ["1", "-1"]
    assert [(g.name, g.n_nodes, g.n_edges, g.directed) for g in graphs] == [("DS_1", 3, 3, False), ("DS_2", 4, 4, False)]
    assert graphs[1].edges.tolist() == [[0, 1], [1, 2], [0, 2], [2, 3]]
    assert graphs[0].edge_attributes[""].tolist() == [[1.0]] * 3


def test_labels_and_attributes(tmp_path):
    edges = "".join(f"{1 + i // 4}\n" for i in range(14))
    data_set(
        tmp_path, node_labels="0\n0\n3\n0\n0\n0\n12\n", edge_labels=edges,
        node_attributes="".join(f"{i}, {i / 8}\n" for i in range(7)), edge_attributes="0.5\n" * 14,
    )  # fmt: skip
    first, second = read_tudataset(tmp_path)[0]
    assert first.nodes["label"].tolist() == ["0", "0", "3"]
    assert second.nodes["label"].tolist() == ["0", "0", "0", "12"]
    assert second.nodes["attributes"].tolist() == [[3, 0.375], [4, 0.5], [5, 0.625], [6, 0.75]]
    assert first.edge_attributes["label"].tolist() == ["1", "1", "2"]
    assert second.edge_attributes["attributes"].tolist() == [[0.5]] * 4
    data_set(tmp_path, node_labels="0,1\n" * 7)
    assert list(read_tudataset(tmp_path)[0][0].nodes) == ["label_0", "label_1", "attributes"]


def test_nodes_in_any_order_and_graphs_without_nodes(tmp_path):
    data_set(tmp_path, A="1,3\n3,1\n2,4\n4,2\n", graph_indicator="3\n1\n3\n1\n", graph_labels="a\nb\nc\nd\n",
             node_attributes="1\n2\n3\n4\n")  # fmt: skip
    graphs, classes = read_tudataset(tmp_path)
    assert classes == ["a", "b", "c", "d"]
    assert [g.n_nodes for g in graphs] == [2, 0, 2, 0]
    assert graphs[0].nodes["attributes"].tolist() == [[2.0], [4.0]]
    assert graphs[2].nodes["attributes"].tolist() == [[1.0], [3.0]]
    assert graphs[1].nodes["attributes"].shape == (0, 1)
    assert [g.edges.tolist() for g in graphs] == [[[0, 1]], [], [[0, 1]], []]


def test_directions(tmp_path):
    one_way = data_set(tmp_path / "one", A="1, 2\n2, 3\n4, 5\n5, 4\n")
    assert [g.directed for g in read_tudataset(one_way)[0]] == [True, True]
    assert [g.n_edges for g in read_tudataset(one_way, directed=False)[0]] == [2, 1]
    unlike = data_set(tmp_path / "unlike", A="1, 2\n2, 1\n", edge_attributes="0.5\n-0.5\n")
    assert read_tudataset(unlike)[0][0].n_edges == 2
    with pytest.raises(gm.GraphError, match=r"A\.txt: edge \(2, 1\) is given twice, with a different 'attributes'"):
        read_tudataset(unlike, directed=False)
    assert read_tudataset(data_set(tmp_path / "both"), directed=True)[0][0].n_edges == 6


def test_loops_and_repeated_arcs(tmp_path):
    data_set(tmp_path, A="1, 2\n2, 1\n1, 2\n3, 3\n", edge_labels="1\n1\n1\n2\n")
    first, second = read_tudataset(tmp_path)[0]
    assert (first.n_edges, first.directed) == (1, False)
    assert first.nodes["loop"].tolist() == [False, False, True]
    assert second.nodes["loop"].tolist() == [False] * 4
    data_set(tmp_path, A="1, 2\n2, 1\n1, 2\n", edge_labels="1\n1\n7\n")
    with pytest.raises(gm.GraphError, match=r"edge \(1, 2\) is given twice, with a different 'label'"):
        read_tudataset(tmp_path)


def test_numbers_to_predict(tmp_path):
    data_set(tmp_path, graph_labels=None, graph_attributes="0.5\n1.5\n")
    assert load_tudataset(tmp_path)[1].tolist() == [0.5, 1.5]
    assert read_tudataset(tmp_path)[1] is None
    assert load_tudataset(data_set(tmp_path / "rows", graph_labels=None, graph_attributes="1,2\n3,4\n"))[1].shape == (2, 2)
    assert load_tudataset(data_set(tmp_path / "whole"))[1].dtype == np.int64
    assert load_tudataset(data_set(tmp_path / "words", graph_labels="01\n1\n"))[1].tolist() == ["01", "1"]
    with pytest.raises(gm.GraphError, match="says nothing about its graphs"):
        load_tudataset(data_set(tmp_path / "nothing", graph_labels=None))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"A": None}, r"DS_A\.txt: is missing"),
        ({"A": "1, 2\n1, 9\n"}, r"DS_A\.txt: line 2 leads to a node that is not among 1\.\.7"),
        ({"A": "1, 5\n"}, r"DS_A\.txt: line 1 joins nodes of two graphs"),
        ({"A": "1, 2\n1\n"}, r"DS_A\.txt: is not a table of numbers"),
        ({"A": "1, 2, 3\n"}, "has 3 numbers a line, expected 2"),
        ({"A": "1, 2.5\n"}, "something other than whole numbers"),
        ({"A": "1, nan\n"}, "something other than whole numbers"),
        ({"graph_indicator": "0\n" * 7}, "counts graphs from 1"),
        ({"graph_indicator": "3\n" * 7}, "knows a graph 3, but only 2 have a class"),
        ({"graph_indicator": "900000000\n" * 7, "graph_labels": None}, "but only 7 nodes"),
        ({"node_labels": "1\n"}, r"DS_node_labels\.txt: has 1 lines, expected 7"),
        ({"edge_attributes": "1\n"}, r"DS_edge_attributes\.txt: has 1 lines, expected 14"),
        ({"node_attributes": "1\n" * 6 + "inf\n"}, "graph 'DS_2': node attribute 'attributes' contains NaN or infinity"),
        ({"node_labels": "1\n" * 6 + "1,2\n"}, "lines of unequal length"),
        ({"graph_attributes": "1\n"}, "has 1 lines for 2 graphs"),
        ({"A": "", "graph_indicator": "", "graph_labels": ""}, "holds no graphs"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(files, said, tmp_path):
    with pytest.raises(gm.GraphError, match=said) as caught:
        read_tudataset(data_set(tmp_path, **files))
    assert str(tmp_path) in str(caught.value)


def test_no_data_set_or_several(tmp_path):
    with pytest.raises(gm.GraphError, match="holds no TU data set"):
        read_tudataset(tmp_path)
    data_set(tmp_path, name="ONE")
    data_set(tmp_path, name="TWO")
    with pytest.raises(gm.GraphError, match=r"holds several TU data sets \(ONE, TWO\)"):
        read_tudataset(tmp_path)


def test_zips_and_folders_are_collections(tmp_path):
    data_set(tmp_path / "in" / "DS", README="about this\n")
    with zipfile.ZipFile(tmp_path / "DS.zip", "w") as target:
        for path in (tmp_path / "in" / "DS").iterdir():
            target.write(path, f"DS/{path.name}")
    expected = read_tudataset(tmp_path / "in" / "DS")
    for path in (tmp_path / "in" / "DS", tmp_path / "in", tmp_path / "DS.zip", tmp_path / "DS.zip" / "DS"):
        assert read_collection(path) == expected
    with pytest.raises(gm.GraphError, match="has no split 'test'"):
        read_collection(tmp_path / "in", "test")


# -- writing ---------------------------------------------------------------------------------------


def test_what_others_read(tmp_path):
    """Nothing but the plain format: both directions, labels as numbers."""
    graphs = [gm.Graph({"atom": ["C", "O"], "x": [0.5, 1.0]}, [(1, 0)], {"bond": ["2"]}), gm.Graph({"atom": ["C"], "x": [2.0]})]
    write_tudataset(graphs, tmp_path / "CO", ["a", "b"])
    text = {path.name: path.read_text() for path in (tmp_path / "CO").glob("*.txt")}
    assert text == {
        "CO_A.txt": "2, 1\n1, 2\n", "CO_graph_indicator.txt": "1\n1\n2\n", "CO_graph_labels.txt": "a\nb\n",
        "CO_node_labels.txt": "0\n1\n0\n", "CO_node_attributes.txt": "0.5\n1.0\n2.0\n", "CO_edge_labels.txt": "2\n2\n",
    }  # fmt: skip
    (tmp_path / "CO" / "CO_graphmeans.json").unlink()
    found = read_tudataset(tmp_path / "CO")[0]
    assert found[0].nodes["label"].tolist() == ["0", "1"]
    assert found[0].edge_attributes["label"].tolist() == ["2"]


@given(graph=any_graphs(mean=False), labels=st.lists(st.sampled_from(["A", "B b", "-1"]), min_size=1, max_size=3))
@pytest.mark.parametrize("ending", ["", ".zip"])
def test_graphs_of_any_kind_come_back(ending, graph, labels, tmp_path_factory):
    plain = gm.Graph(  # without roles and ids, which the format has no place for
        graph.nodes.get("", graph.n_nodes) if "" in graph.nodes else graph.nodes, graph.edges,
        graph.edge_attributes.get("", graph.edge_attributes), directed=graph.directed, name=graph.name,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("tu") / f"DS{ending}"
    if any(np.ma.is_masked(column) for columns in (plain.nodes, plain.edge_attributes) for column in columns.values()):
        with pytest.raises(gm.GraphError, match="lacks values"):
            write_tudataset([plain], path)
        return
    write_tudataset([plain] * len(labels), path, labels)
    found, classes = read_tudataset(path)
    assert classes == labels
    for one in found:
        if plain.n_nodes and plain.n_edges:
            assert_same(one, plain)
        else:  # columns without a row are not kept
            assert (one.n_nodes, one.n_edges, one.name) == (plain.n_nodes, plain.n_edges, plain.name)


def test_what_cannot_be_written(tmp_path):
    graph = gm.Graph({"x": [1.0]})
    for graphs, classes, said in [
        ([], None, "an empty collection"),
        ([graph], ["a", "b"], "1 graphs but 2 classes"),
        ([graph], ["a\nb"], "line break"),
        ([gm.Graph(1, roles=["r"])], None, "has roles"),
        ([graph, gm.Graph(1, directed=True)], None, "graph 1 is directed, unlike"),
        ([graph, gm.Graph({"y": [1.0]})], None, "graph 1 has other node attributes than graph 0"),
    ]:
        with pytest.raises(gm.GraphError, match=said):
            write_tudataset(graphs, tmp_path / "DS", classes)
    with pytest.raises(gm.GraphError, match="cannot be the beginning of file names"):
        write_tudataset([graph], tmp_path / "a b")


def test_a_collection_is_written_by_kind(tmp_path):
    graphs, y = gm.datasets.make_letters(15, random_state=0)
    write_collection(graphs, tmp_path / "letters.zip", y.tolist(), kind="tu")
    assert read_collection(tmp_path / "letters.zip") == (graphs, y.tolist())


def test_a_spoilt_description_or_zip(tmp_path, rng):
    graphs, y = gm.datasets.make_letters(15, random_state=0)
    write_tudataset([gm.Graph({"a": ["u", "v"], "x": [1.0, 2.0]}, [(0, 1)])] * 3, tmp_path / "DS", "abc")
    about = tmp_path / "DS" / "DS_graphmeans.json"
    good = about.read_bytes()
    for data in corruptions(good, rng, 200):
        about.write_bytes(data)
        only_graph_errors(read_tudataset, tmp_path / "DS")
    for text in ("[]", '{"names": 3}', '{"node": [{}]}', '{"node": [{"name": "a", "values": [1, 2]}]}', '{"names": ["a"]}'):
        about.write_text(text)
        with pytest.raises(gm.GraphError, match=r"graphmeans\.json"):
            read_tudataset(tmp_path / "DS")
    write_tudataset(graphs, tmp_path / "good.zip", y.tolist())
    for data in corruptions((tmp_path / "good.zip").read_bytes(), rng, 100):
        (tmp_path / "bad.zip").write_bytes(data)
        only_graph_errors(read_tudataset, tmp_path / "bad.zip")


@pytest.mark.thorough
def test_real_molecules_come_back(tmp_path):
    graphs, y = load_iam(iam_path(), "mutagenicity", None)
    write_tudataset(graphs, tmp_path / "Mutagenicity.zip", y.tolist())
    found, classes = load_tudataset(tmp_path / "Mutagenicity.zip")
    assert classes.tolist() == y.tolist()
    for one, other in zip(found, graphs, strict=True):
        assert one.edges.tolist() == other.edges.tolist()
        assert one.nodes["chem"].tolist() == other.nodes["chem"].tolist()
        assert one.edge_attributes["valence"].tolist() == other.edge_attributes["valence"].tolist()


def test_the_command_takes_a_data_set(tmp_path):
    graphs, y = gm.datasets.make_letters(30, random_state=0)
    write_tudataset(graphs, tmp_path / "LETTERS.zip", y.tolist())
    arguments = ["cluster", str(tmp_path / "LETTERS.zip"), "-k", "3", "-o", str(tmp_path / "out"), "--jobs", "1"]
    result = CliRunner().invoke(app, arguments, prog_name="graphmeans")
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "out" / "labels.csv").read_text().splitlines()) == 31
