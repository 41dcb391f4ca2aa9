"""GXL and CXL: the quirks of the real collections, hostile files, and the way back."""

from __future__ import annotations

import os
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from graphmeans.datasets import load_iam
from graphmeans.graphs.values import missing_in
from graphmeans.io import read_gxl, read_gxl_collection, write_gxl, write_gxl_collection
from iam import iam_path
from io_helpers import any_graphs, assert_same, corruptions, only_graph_errors


def gxl(body, mode="undirected", head=""):
    return f'{head}<gxl><graph id="g" edgeids="false" edgemode="{mode}">{body}</graph></gxl>'.encode()


def node(label, *attrs):
    return f'<node id="{label}">{"".join(attrs)}</node>'


def edge(start, end, *attrs):
    return f'<edge from="{start}" to="{end}">{"".join(attrs)}</edge>'


def attr(name, kind, value):
    return f'<attr name="{name}"><{kind}>{value}</{kind}></attr>'


def collection(tmp_path, lists=None, **files):
    """A folder with these files and lists: name -> entries (file, class)."""
    for name, data in files.items():
        (tmp_path / f"{name}.gxl").write_bytes(data)
    for name, entries in (lists or {}).items():
        rows = "".join(f'<print file="{file}" class="{label}"/>' for file, label in entries)
        (tmp_path / f"{name}.cxl").write_text(f"<GraphCollection><any><parent>{rows}</parent></any></GraphCollection>")
    return tmp_path


# -- one graph -------------------------------------------------------------------------------------


def test_types_and_ids():
    attrs = attr("x", "float", " 1.5 "), attr("n", "Integer", "3"), attr("s", "String", " C "), attr("b", "bool", "1")
    graph = read_gxl(gxl(node("_0", *attrs) + node("_1", *attrs) + edge("_1", "_0", attr("v", "int", "2"))))
    assert graph.node_ids == ("_0", "_1")
    assert (graph.name, graph.directed) == ("g", False)
    assert graph.nodes["x"].tolist() == [1.5, 1.5]
    assert graph.nodes["n"].tolist() == [3.0, 3.0]
    assert graph.nodes["s"].tolist() == [" C ", " C "]
    assert graph.nodes["b"].tolist() == [True, True]
    assert graph.edges.tolist() == [[1, 0]]
    assert graph.edge_attributes["v"].tolist() == [2.0]


def test_a_doctype_is_tolerated_and_its_dtd_not_fetched():
    head = '<?xml version="1.0"?><!DOCTYPE gxl SYSTEM "http://192.0.2.1/gxl-1.0.dtd">'
    assert read_gxl(gxl(node("a"), head=head)).n_nodes == 1
    head = '<!DOCTYPE gxl SYSTEM "file:///does/not/exist.dtd" [<!ATTLIST node id CDATA "default">]>'
    with pytest.raises(gm.GraphError, match="node 0 has no 'id'"):
        read_gxl(gxl("<node/>", head=head))


@pytest.mark.parametrize("body", ["", node("a"), node("a") + node("b")])
def test_graphs_with_few_nodes_and_no_edges(body):
    graph = read_gxl(gxl(body))
    assert graph.n_edges == 0
    assert graph.edge_attributes[""].shape == (0, 1)


def test_directions():
    body = node("a") + node("b") + edge("a", "b") + edge("b", "a")
    assert read_gxl(gxl(body, "directed")).n_edges == 2
    assert read_gxl(gxl(body).replace(b' edgemode="undirected"', b"")).directed
    merged = read_gxl(gxl(body))  # an undirected edge that is stored twice is a parallel edge
    assert merged.n_edges == 1
    assert merged.edge_attributes["multiplicity"].tolist() == [2.0]
    assert read_gxl(gxl(node("a") + edge("a", "a"))).nodes["loop"].tolist() == [1.0]


def test_namespaces_encodings_and_elements_that_mean_nothing_here():
    body = node("a", '<type xlink:href="t"/>', attr("x", "float", "1"))
    data = gxl(body).replace(b"<gxl>", b'<gxl xmlns="urn:x" xmlns:xlink="http://www.w3.org/1999/xlink">')
    assert read_gxl(data).nodes["x"].tolist() == [1.0]
    assert read_gxl(data.decode().encode("utf-16")).nodes["x"].tolist() == [1.0]
    latin = b'<?xml version="1.0" encoding="iso-8859-1"?>' + gxl(node("\xe4")).decode().encode("latin-1")
    assert read_gxl(latin).node_ids == ("ä",)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not well-formed"),
        (gxl(node("a"))[:-9], "not well-formed"),
        (b"<gxl/>", "holds no graph"),
        (gxl("<graph/>"), "more than one graph"),
        (gxl("", "sideways"), "unknown edgemode 'sideways'"),
        (gxl("<node/>"), "node 0 has no 'id'"),
        (gxl('<edge from="a"/>'), "edge 0 has no 'to'"),
        (gxl(edge("a", "b")), "an edge leads to the node 'a'"),
        (gxl(node("a") + node("a")), "node id 'a' is given twice"),
        (gxl(node("a", attr("x", "float", "one"))), "node attribute 'x' is not a number"),
        (gxl(node("a", attr("x", "float", "inf"))), "node attribute 'x' contains NaN or infinity"),
        (gxl(node("a", attr("x", "bool", "maybe"))), "node attribute 'x' is not a bool"),
        (gxl(node("a", attr("x", "float", "1") * 2)), "node attribute 'x' is given twice on one node"),
        (gxl(node("a", '<attr name="x"/>')), "node attribute 'x' has no value"),
        (gxl(node("a", '<attr name="x"><int>1</int><int>2</int></attr>')), "node attribute 'x' has two values"),
        (gxl(node("a", '<attr name="x"><bag/></attr>')), "node attribute 'x' is a bag"),
        (gxl(node("a", '<attr name="x"><tup><string>a</string></tup></attr>')), "something other than numbers"),
        (gxl(node("a", "<int>1</int>")), "outside an attr"),
        (gxl(node("a", "<attr/>")), "attr without a name"),
        (gxl(node("a", attr("", "int", "1"))), "an attribute has no name"),
        (gxl(node("a", node("b"))), "a node outside a graph"),
        (gxl("<rel/>"), "hyperedges"),
        (gxl('<attr name="graphmeans"><string>[]</string></attr>'), "malformed"),
        (gxl("&e;", head='<!DOCTYPE gxl [<!ENTITY e "x">]>'), "refused"),
        (gxl("&e;", head='<!DOCTYPE gxl [<!ENTITY e SYSTEM "file:///etc/passwd">]>'), "refused"),
        (gxl("&e;", head='<!DOCTYPE gxl SYSTEM "http://192.0.2.1/x.dtd">'), "undefined entity"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(data, said):
    with pytest.raises(gm.GraphError, match=r"^GXL: ") as caught:
        read_gxl(data)
    assert said in str(caught.value)


def test_entities_that_multiply_are_refused_at_once():
    laughs = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    with pytest.raises(gm.GraphError, match="refused"):
        read_gxl(gxl("&e11;", head=f'<!DOCTYPE gxl [<!ENTITY e0 "ha">{laughs}]>'))


def test_a_table_of_holes_is_refused():
    body = "".join(node(i, attr(f"k{i}", "int", "1")) for i in range(12_000))
    with pytest.raises(gm.GraphError, match="too sparse"):
        read_gxl(gxl(body))


# -- collections -----------------------------------------------------------------------------------


def test_columns_belong_to_the_collection(tmp_path):
    angles = [attr("angle", "String", ".26"), attr("angle", "String", "-1.57"), attr("angle", "String", "\ufffd")]
    twice = attr("angle1", "string", "3") + attr("type1", "string", "arc")
    ab = node("a", attr("x", "int", "1")) + node("b", attr("x", "float", "2"))
    collection(
        tmp_path,
        {"test": [("one.gxl", " L "), ("two.gxl", "R"), ("none.gxl", "R"), ("one.gxl", "TR")]},
        one=gxl(ab + edge("a", "b", angles[0], twice)),
        two=gxl(ab + node("c", attr("x", "int", "0")) + edge("a", "b", angles[1]) + edge("b", "c", angles[2])),
        none=gxl(""),
    )
    graphs, classes = read_gxl_collection(tmp_path)
    assert classes == ["L", "R", "R", "TR"]
    assert [graph.name for graph in graphs] == ["one", "two", "none", "one"]
    assert graphs[0] is graphs[3]
    assert all(list(graph.nodes) == ["x"] for graph in graphs)
    assert all(list(graph.edge_attributes) == ["angle", "angle1", "type1"] for graph in graphs)
    assert graphs[0].edge_attributes["angle"].tolist() == [0.26]
    assert graphs[1].edge_attributes["angle"].tolist() == [-1.57, None]
    assert graphs[1].edge_attributes["angle1"].tolist() == [None, None]
    assert graphs[1].edge_attributes["type1"].tolist() == [None, None]


def test_words_keep_a_column_from_being_numbers(tmp_path):
    collection(tmp_path, a=gxl(node("0", attr("s", "string", "1"))), b=gxl(node("0", attr("s", "string", "x"))))
    graphs, classes = read_gxl_collection(tmp_path)
    assert classes is None
    assert [graph.nodes["s"].tolist() for graph in graphs] == [["1"], ["x"]]
    collection(tmp_path, c=gxl(node("0", attr("s", "int", "2"))))
    with pytest.raises(gm.GraphError, match=r"c.gxl: graph 'c': node attribute 's' is a number here and a string"):
        read_gxl_collection(tmp_path)


def test_splits(tmp_path):
    one = gxl(node("a"))
    lists = {"test": [("a.gxl", "A")], "train": [("b.gxl", "B"), ("a.gxl", "A")], "valid": [("b.gxl", "B")]}
    collection(tmp_path, lists, a=one, b=one)
    assert read_gxl_collection(tmp_path, "validation")[1] == read_gxl_collection(tmp_path, "valid")[1] == ["B"]
    assert read_gxl_collection(tmp_path, "train.cxl")[1] == read_gxl_collection(tmp_path / "train.cxl")[1] == ["B", "A"]
    assert read_gxl_collection(tmp_path)[1] == ["A", "B", "A", "B"]
    with pytest.raises(gm.GraphError, match="has no list 'tset'; there is test, train, valid"):
        read_gxl_collection(tmp_path, "tset")
    with pytest.raises(gm.GraphError, match="chooses nothing"):
        read_gxl_collection(tmp_path / "train.cxl", "test")


@pytest.mark.parametrize("file", ["../a.gxl", "/etc/passwd", "x/../../a.gxl", "..\\a.gxl", "C:a.gxl", "", " "])
def test_a_file_outside_the_folder_is_refused(file, tmp_path):
    collection(tmp_path, a=gxl(""))
    collection_path = tmp_path / "inner"
    collection_path.mkdir()
    collection(collection_path, {"test": [(file, "A")]}, b=gxl(""))
    with pytest.raises(gm.GraphError, match=r"test.cxl: lists .* not inside its folder"):
        read_gxl_collection(collection_path)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "inner").mkdir()
    collection(tmp_path, secret=gxl(""))
    collection(tmp_path / "inner", {"test": [("link.gxl", "A")]})
    os.symlink(tmp_path / "secret.gxl", tmp_path / "inner" / "link.gxl")
    with pytest.raises(gm.GraphError, match=r"'link\.gxl' leads out of the folder"):
        read_gxl_collection(tmp_path / "inner")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("", "lists no graphs"),
        ('<print file="a.gxl"/>', "lacks its class"),
        ('<print class="A"/>', "lacks its file"),
        ('<print file="b.gxl" class="A"/>', "b.gxl: cannot be read (No such file or directory)"),
        ("<print", "test.cxl: is not well-formed"),
    ],
)
def test_lists_that_cannot_be_read(entries, said, tmp_path):
    collection(tmp_path, a=gxl(""))
    (tmp_path / "test.cxl").write_text(f"<GraphCollection>{entries}</GraphCollection>")
    with pytest.raises(gm.GraphError) as caught:
        read_gxl_collection(tmp_path)
    assert said in str(caught.value)


def test_zips(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    collection(folder, {"test": [("a.gxl", "A")]}, a=gxl(node("a")))
    with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as target:
        for size in ("LOW", "MED"):
            for path in folder.iterdir():
                target.write(path, f"Letter/{size}/{path.name}")
        target.writestr("__MACOSX/Letter/._a.gxl", b"junk")
    with pytest.raises(gm.GraphError, match=r"has graphs in 2 folders \(Letter/LOW, Letter/MED\)"):
        read_gxl_collection(tmp_path / "z.zip")
    graphs, classes = read_gxl_collection(tmp_path / "z.zip" / "Letter" / "LOW")
    assert (len(graphs), classes) == (1, ["A"])
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as target:
        target.writestr("test.cxl", '<c><print file="../a.gxl" class="A"/></c>')
        target.writestr("../a.gxl", gxl(""))
    with pytest.raises(gm.GraphError, match="not inside its folder"):
        read_gxl_collection(tmp_path / "evil.zip")
    with zipfile.ZipFile(tmp_path / "odd.zip", "w", zipfile.ZIP_LZMA) as target:
        target.writestr("a.gxl", gxl(""))
    with pytest.raises(gm.GraphError, match="method other than deflate"):
        read_gxl_collection(tmp_path / "odd.zip")


def test_bombs(tmp_path):
    with zipfile.ZipFile(tmp_path / "big.zip", "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("a.gxl", bytes(65 * 2**20))
    with pytest.raises(gm.GraphError, match="would unpack to"):
        read_gxl_collection(tmp_path / "big.zip")
    with zipfile.ZipFile(tmp_path / "big.zip", "a") as target:
        target.writestr("ballast.bin", os.urandom(2**20))
    with pytest.raises(gm.GraphError, match="larger than 64 MiB"):
        read_gxl_collection(tmp_path / "big.zip")


# -- writing ---------------------------------------------------------------------------------------




@given(graph=any_graphs(), labels=st.lists(st.sampled_from(["A", "B b", "<&>"]), min_size=1, max_size=4))
def test_collections_come_back(graph, labels, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "collection"
    write_gxl_collection([graph] * len(labels), labels, folder)
    graphs, classes = read_gxl_collection(folder)
    assert classes == labels
    for i, found in enumerate(graphs):
        assert_same(found, graph, named=f"graph_{i:05d}")
    for path in folder.iterdir():
        path.unlink()


def test_bare_weights_of_one_beside_others_come_back(tmp_path):
    graphs = [gm.Graph([[1.0], [2.0]], [(0, 1)], [[w]], name=f"w{w}") for w in (1.0, 2.0)] + [gm.Graph(0, name="none")]
    write_gxl_collection(graphs, "abc", tmp_path)
    found, _ = read_gxl_collection(tmp_path, "collection")
    assert_same(found[0], graphs[0])
    assert_same(found[1], graphs[1])
    assert found[2].nodes[""].shape == (0, 1)


def test_strings_that_look_like_numbers_come_back_as_strings(tmp_path):
    graph = gm.Graph({"n": ["1", "2"]}, [(0, 1)], {"role": ["7"]}, roles=["a", "b"], name="g")
    write_gxl(graph, tmp_path / "g.gxl")
    assert_same(read_gxl(tmp_path / "g.gxl"), graph)


def test_a_plain_graph_is_written_plainly(tmp_path):
    graph = gm.Graph({"x": [0.5, 1.0], "chem": ["C", "N"]}, [(0, 1)], {"v": [1.0]}, node_ids=["_0", "_1"], name="g")
    write_gxl(graph, tmp_path / "g.gxl")
    assert b"graphmeans" not in (tmp_path / "g.gxl").read_bytes()
    assert read_gxl(tmp_path / "g.gxl") == graph


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(gm.GraphError, match="1 graphs but 2 classes"):
        write_gxl_collection([gm.Graph(1)], "ab", tmp_path)
    with pytest.raises(gm.GraphError, match="empty collection"):
        write_gxl_collection([], [], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(gm.GraphError, match="cannot be written"):
        write_gxl(gm.Graph(1), tmp_path / "file" / "g.gxl")


# -- spoilt bytes ----------------------------------------------------------------------------------


def test_spoilt_lists_and_zips(tmp_path, rng):
    inner = tmp_path / "inner"
    inner.mkdir()
    body = node("a", attr("x", "float", "1"), attr("s", "String", "b"))
    collection(inner, {"test": [("a.gxl", "A"), ("b.gxl", "B")]}, a=gxl(body), b=gxl(""))
    good = (inner / "test.cxl").read_bytes()
    for data in corruptions(good, rng, 200):
        (inner / "test.cxl").write_bytes(data)
        only_graph_errors(read_gxl_collection, inner)
    (inner / "test.cxl").write_bytes(good)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "good.zip", "w", method) as target:
            for path in sorted(inner.iterdir()):
                target.write(path, f"in/{path.name}")
        for data in corruptions((tmp_path / "good.zip").read_bytes(), rng, 400):
            (tmp_path / "bad.zip").write_bytes(data)
            only_graph_errors(read_gxl_collection, tmp_path / "bad.zip")


# -- the real collections ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "graphs", "classes", "nodes", "edges", "directed"),
    [
        ("Letter-LOW", 750, 15, (4.68, 8), (3.13, 6), False),
        ("GREC", 528, 22, (11.48, 24), (11.91, 29), False),
        ("Fingerprint", 2000, 15, (5.42, 26), (8.84, 48), True),
        ("Mutagenicity", 2337, 2, (29.39, 367), (29.80, 107), False),
    ],
)
def test_the_collections_of_the_paper(name, graphs, classes, nodes, edges, directed):
    found, y = load_iam(iam_path(), name)
    assert len(found) == len(y) == graphs
    assert len(set(y)) == classes
    assert all(graph.directed == directed for graph in found)
    for expected, counts in ((nodes, [g.n_nodes for g in found]), (edges, [g.n_edges for g in found])):
        assert np.mean(counts) == pytest.approx(expected[0], abs=0.006)
        assert max(counts) == expected[1]
    assert len({tuple(graph.nodes) for graph in found}) == 1
    assert len({tuple(graph.edge_attributes) for graph in found}) == 1


def test_letters_have_graphs_without_edges_and_one_of_a_single_node():
    graphs, _ = load_iam(iam_path(), "letter", None)
    assert len(graphs) == 2250
    assert any(graph.n_edges == 0 for graph in graphs)
    assert sum(graph.n_nodes == 1 for graph in graphs) >= 1
    assert list(graphs[0].edge_attributes) == [""]


def test_grec_angles_are_numbers_and_those_that_are_not_there_are_missing():
    graphs, y = load_iam(iam_path(), "grec")
    columns = [graph.edge_attributes for graph in graphs]
    assert list(columns[0]) == ["frequency", "type0", "angle0", "type1", "angle1"]
    assert all(column[key].dtype == np.float64 for column in columns for key in ("angle0", "angle1"))
    single = [(column["frequency"] == 1) for column in columns]
    for column, one in zip(columns, single, strict=True):
        for key in ("angle1", "type1"):
            assert np.array_equal(missing_in(column[key]), one)
    assert any((~one).any() for one in single)
    assert set(y) == {str(i) for i in range(1, 23)}


def test_fingerprints_are_stored_in_both_directions_and_many_are_empty():
    graphs, y = load_iam(iam_path(), "fingerprint")
    assert sum(graph.n_nodes == 0 for graph in graphs) == 470
    assert {"L", "R", "W", "A"} <= set(y)
    assert all(label == label.strip() for label in y)
    for graph in graphs[:50]:
        orient = dict(zip(map(tuple, graph.edges.tolist()), graph.edge_attributes["orient"], strict=True))
        assert all(orient[j, i] == -value for (i, j), value in orient.items())


def test_unpacked_folders_read_like_the_zip(tmp_path):
    with zipfile.ZipFile(iam_path() / "GREC.zip") as archive:
        archive.extractall(tmp_path)
    graphs, y = load_iam(tmp_path, "GREC", "validation")
    expected, y_expected = load_iam(iam_path(), "GREC", "valid")
    assert graphs == expected
    assert y.tolist() == y_expected.tolist()


def test_real_graphs_come_back(tmp_path):
    graphs, y = load_iam(iam_path(), "GREC", "train")
    write_gxl_collection(graphs, y.tolist(), tmp_path)
    found, classes = read_gxl_collection(tmp_path)
    assert found == graphs
    assert classes == y.tolist()


def test_iam_that_is_not_there(tmp_path):
    with pytest.raises(gm.GraphError, match=r"holds no GREC; expected one of GREC\.zip"):
        load_iam(tmp_path, "GREC")
    with pytest.raises(gm.GraphError, match="no IAM collection is called 'AIDS'"):
        load_iam(tmp_path, "AIDS")
