"""GraphML, node-link JSON and npz: what is written comes back, what is spoilt is refused in one line."""

from __future__ import annotations

import io
import json
import zipfile

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from effort import examples
from graphmeans import files as _files
from graphmeans import io as gio
from graphmeans.io.registry import GRAPH_FILES
from io_helpers import ANY_TEXT, any_graphs, assert_same, corruptions, only_graph_errors

KINDS = [ending[1:] for ending in GRAPH_FILES]
SAMPLE = gm.MeanGraph(
    {"x": [0.5, -1.0, 1e-17], "kind": ["a", "b<&>", "1"], "on": [True, False, True], "pos": np.eye(3, 2)},
    [(0, 1), (2, 1)],
    {"w": [1.5, 2.0], "label": ["x", ""]},
    node_support=[1.0, 0.5, 0.25],
    edge_support=[0.75, 0.5],
    objective=3.25,
    roles=[0, 1, 1],
    node_ids=[10, 20, 30],
    name="sample",
)


# -- round trips -----------------------------------------------------------------------------------


@examples(300)
@given(graph=any_graphs())
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_comes_back(kind, graph, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"one.{kind}"
    gio.write_graph(graph, path)
    assert_same(gio.read_graph(path), graph, named="one")


@given(graph=any_graphs(ANY_TEXT))
@pytest.mark.parametrize("kind", ["gml", "json", "npz"])
def test_any_text_at_all_survives_json_and_npz(kind, graph, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"text.{kind}"
    gio.write_graph(graph, path)
    assert_same(gio.read_graph(path), graph, named="text")


@given(graphs=st.lists(any_graphs(ANY_TEXT), max_size=5))
def test_a_collection_in_one_npz(graphs, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "many.npz"
    gio.write_npz(graphs, path)
    found = gio.read_npz(path)
    assert len(found) == len(graphs)
    for ours, theirs in zip(found, graphs, strict=True):
        assert_same(ours, theirs)


def test_an_npz_is_flat_free_of_pickle_and_the_same_each_time(tmp_path):
    graphs = [gm.Graph({"x": [1.0, 2.0], "kind": ["a", "b"]}, [(0, 1)], name=f"g{i}") for i in range(100)]
    gio.write_npz(graphs, tmp_path / "a.npz")
    gio.write_npz(graphs, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert arrays["0/node.0"].shape == (200,)
        assert len(arrays.files) < 15
        assert all(arrays[name].dtype != object for name in arrays.files)


def test_a_compressed_npz_is_read_too(tmp_path):
    gio.write_npz(SAMPLE, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as arrays:
        np.savez_compressed(tmp_path / "b.npz", **arrays)
    assert_same(gio.read_npz(tmp_path / "b.npz")[0], SAMPLE)


@pytest.mark.parametrize("kind", ["graphml", "json", "gxl"])
def test_text_that_xml_cannot_hold_is_refused_by_name(kind, tmp_path):
    graph = gm.Graph({"kind": ["a\0b"]}, name="g")
    if kind == "json":
        gio.write_graph(graph, tmp_path / "g.json")
    else:
        with pytest.raises(gm.GraphError, match=r"graph 'g': node attribute 'kind' contains the character '\\x00'"):
            gio.write_graph(graph, tmp_path / f"g.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_ids_that_no_file_can_hold_are_refused(kind, tmp_path):
    graph = gm.Graph(1, node_ids=[frozenset([1])], name="g")
    with pytest.raises(gm.GraphError, match=r"graph 'g': node id frozenset\(\{1\}\) cannot be written"):
        gio.write_graph(graph, tmp_path / f"g.{kind}")


def test_names_of_files_are_those_of_graphs_where_they_can_be(tmp_path):
    names = ["plain", "../evil", "plain", None, "PLAIN", "nul", ".hidden", "a/b", "ends."]
    graphs = [gm.Graph(1, name=name) for name in names]
    paths = gio.write_graphs(graphs, tmp_path / "new" / "folder", "json")
    assert [path.name for path in paths][:3] == ["plain.json", "graph_00001.json", "graph_00002.json"]
    assert all(path.parent == tmp_path / "new" / "folder" for path in paths)
    assert [gio.read_graph(path).name for path in paths] == [*names[:3], "graph_00003", *names[4:]]


# -- other programs --------------------------------------------------------------------------------


def test_networkx_reads_what_we_write(tmp_path):
    gio.write_graph(SAMPLE, tmp_path / "s.graphml")
    gio.write_graph(SAMPLE, tmp_path / "s.json")
    graph = nx.read_graphml(tmp_path / "s.graphml")
    assert graph.nodes["10"]["x"] == 0.5
    assert graph.nodes["20"]["pos_1"] == 1.0
    assert graph.nodes["20"]["on"] is False
    assert graph.edges["10", "20"]["support"] == 0.75
    assert gm.from_networkx(graph).nodes["support"].tolist() == [1.0, 0.5, 0.25]  # plain columns, by that way
    graph = nx.node_link_graph(json.loads((tmp_path / "s.json").read_text()), edges="edges")
    assert graph.nodes[10] == {"x": 0.5, "kind": "a", "on": True, "pos": [1.0, 0.0], "role": 0, "support": 1.0}
    assert_same(gm.from_networkx(graph), gm.from_networkx(gm.to_networkx(SAMPLE)))


@pytest.mark.parametrize("edges", ["edges", "links"])
def test_we_read_what_networkx_writes(edges, tmp_path):
    graph = nx.DiGraph([("a", "b", {"w": 1}), ("b", "a", {"w": 2.5})], name="ignored for the file")
    nx.set_node_attributes(graph, {"a": 1, "b": 2}, "x")
    nx.set_node_attributes(graph, {"a": "u", "b": "v"}, "kind")
    nx.set_node_attributes(graph, {"a": True, "b": False}, "on")
    expected = gm.from_networkx(nx.DiGraph(graph, name="g"))
    nx.write_graphml(graph, tmp_path / "g.graphml")  # declares w twice, as a long and as a double
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(graph, edges=edges)))
    assert_same(gio.read_graph(tmp_path / "g.graphml"), expected)
    assert_same(gio.read_graph(tmp_path / "g.json"), expected)
    assert gio.read_node_link((tmp_path / "g.json").read_bytes()).name == "ignored for the file"
    assert gio.read_graphml((tmp_path / "g.graphml").read_bytes()).name == "ignored for the file"


@pytest.mark.parametrize("graph", [SAMPLE, gm.Graph([[1.0, 2.0], [3.0, 4.0]], [(0, 1)], [[0.5]], name="bare")])
def test_a_mean_graph_dumped_through_networkx_is_understood(graph):
    document = json.dumps(nx.node_link_data(gm.to_networkx(graph), edges="links"))
    found = gio.read_node_link(document.encode())
    assert found.nodes.keys() == graph.nodes.keys()
    assert type(found) is type(graph)
    assert found.roles == graph.roles


def test_graphml_of_yed_defaults_and_directions():
    head = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'
    keys = (
        '<key id="g" for="node" yfiles.type="nodegraphics"/><key id="c" for="node" attr.name="c" attr.type="string">'
        '<default>red</default></key><key id="w" for="edge" attr.name="w" attr.type="int"/>'
    )
    nodes = '<node id="a"><data key="g"><y:ShapeNode><y:Fill color="#f00"/>text</y:ShapeNode></data></node>'
    nodes += '<node id="b"><data key="c">blue</data></node>'
    edge = '<edge source="a" target="b" directed="{}"><data key="w"> 3 </data></edge>'
    text = f'{head}{keys}<graph edgedefault="directed">{nodes}{edge}</graph></graphml>'
    graph = gio.read_graphml(text.format("true").encode("utf-16"))
    assert graph.nodes["c"].tolist() == ["red", "blue"]
    assert graph.edge_attributes["w"].tolist() == [3.0]
    with pytest.raises(gm.GraphError, match="disagree on having a direction"):
        gio.read_graphml(text.format("false").encode())


# -- what is wrong is said in one line ---------------------------------------------------------------


def node_link(nodes, edges=(), **more):
    return json.dumps({"nodes": nodes, "edges": list(edges), **more}).encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not valid JSON"),
        (b"[]", "is not node-link JSON"),
        (b'{"nodes": 3}', "is not node-link JSON"),
        (b'{"nodes": [], "edges": {}}', "edges must be a list"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b"[" * 100_000, "is not valid JSON"),
        (node_link([{}]), "node 0 has no 'id'"),
        (node_link([3]), "node 0 is not an object"),
        (node_link([{"id": {}}]), "node 0: '{}' can be neither a node id"),
        (node_link([{"id": 1}, {"id": 1}]), "node id 1 is given twice"),
        (node_link([{"id": 1}], [{"source": 1, "target": 2}]), "an edge leads to the node 2"),
        (node_link([{"id": 1, "x": 1}, {"id": 2, "x": "a"}]), "node attribute 'x' mixes strings"),
        (node_link([{"id": 1, "x": [1]}, {"id": 2, "x": [1, 2]}]), "node attribute 'x' has rows of unequal widths"),
        (node_link([{"id": 1, "x": {}}]), "node attribute 'x' mixes or holds unusable types"),
        (node_link([{"id": 1, "x": float("nan")}]), "NaN or infinity"),
        (node_link([{"id": 1, "x": 10**400}, {"id": 2, "x": 0.5}]), "JSON: "),
        (node_link([{"id": 1, "": 1}]), "an attribute has no name"),
        (node_link([{"id": 1}], graph={"graphmeans": 3}), "graphmeans"),
        (node_link([{"id": 1}], graph={"graphmeans": {"roles": "r"}}), "no attribute 'r'"),
        (node_link([{"id": 1}], graph={"graphmeans": {"roles": [1]}}), "'roles' is malformed"),
        (node_link([], graph={"graphmeans": {"empty_nodes": {"x": 10**15}}}), "'empty_nodes' is malformed"),
    ],
)
def test_json_that_cannot_be_read(data, said):
    with pytest.raises(gm.GraphError, match=r"^JSON: ") as caught:
        gio.read_node_link(data)
    assert said in str(caught.value)


def graphml(body, keys=""):
    return f'<graphml>{keys}<graph edgedefault="undirected">{body}</graph></graphml>'.encode()


X = '<key id="x" for="node" attr.name="x" attr.type="double"/>'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not well-formed"),
        (b"<graphml/>", "holds no graph"),
        (graphml("<graph/>"), "more than one graph"),
        (graphml("<node/>"), "a node has no 'id'"),
        (graphml('<node id="a"><node id="b"/></node>'), "a node outside a graph"),
        (graphml('<node id="a"/><node id="a"/>'), "node id 'a' is given twice"),
        (graphml('<edge source="a" target="b"/>'), "an edge leads to the node 'a'"),
        (graphml('<edge source="a"/>'), "an edge has no 'target'"),
        (graphml('<node id="a"><data key="x">1</data></node>'), "undeclared key 'x'"),
        (graphml('<node id="a"><data key="x">one</data></node>', X), "node attribute 'x' is not a number: 'one'"),
        (graphml('<node id="a"><data key="x">nan</data></node>', X), "node attribute 'x' contains NaN"),
        (graphml('<node id="a"><data key="x">1</data><data key="x">1</data></node>', X), "given twice"),
        (graphml("", X.replace("double", "quaternion")), "unknown type 'quaternion'"),
        (graphml("<hyperedge/>"), "hyperedges"),
        (b'<!DOCTYPE g [<!ENTITY a "b">]><g>&a;</g>', "refused"),
        (b'<!DOCTYPE g SYSTEM "file:///etc/passwd" [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]><g/>', "refused"),
        (b'<?xml version="1.0" encoding="utf-7"?><g/>', "not well-formed"),
        (b'<!DOCTYPE g SYSTEM "x"><graphml><graph>&undefined;</graph></graphml>', "undefined entity"),
    ],
)
def test_graphml_that_cannot_be_read(data, said):
    with pytest.raises(gm.GraphError, match=r"^GraphML: ") as caught:
        gio.read_graphml(data)
    assert said in str(caught.value)


def test_defaults_are_not_spread_without_bound():
    keys = "".join(
        f'<key id="k{i}" for="node" attr.name="k{i}" attr.type="int"><default>1</default></key>' for i in range(4000)
    )
    nodes = "".join(f'<node id="{i}"/>' for i in range(20_000))
    with pytest.raises(gm.GraphError, match="too sparse"):
        gio.read_graphml(graphml(nodes, keys))


# -- hostile npz -----------------------------------------------------------------------------------


def npz_with(tmp_path, **changed):
    """A good file with some arrays exchanged; None removes one."""
    gio.write_npz([SAMPLE, SAMPLE], tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as arrays:
        contents = dict(arrays)
    contents.update(changed)
    np.savez(tmp_path / "bad.npz", **{key: value for key, value in contents.items() if value is not None})
    return tmp_path / "bad.npz"


def about_with(tmp_path, **changed):
    gio.write_npz([SAMPLE, SAMPLE], tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as arrays:
        about = json.loads(arrays["about"].tobytes())
    return np.frombuffer(json.dumps({**about, **changed}).encode(), np.uint8)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("about", None),
        ("about", np.zeros(3)),
        ("about", np.zeros(3, np.uint8)),
        ("group", np.array([0, 7])),
        ("group", np.array([0, 0, 0])),
        ("group", np.array([0])),
        ("0/node_graph", np.array([1, 0, 0, 1, 1, 1])),
        ("0/node_graph", np.array([0, 0, 0, 1, 1, 2**60])),
        ("0/node_graph", np.zeros(0, np.int64)),
        ("0/edges", np.full((4, 2), 2**62)),
        ("0/edges", np.zeros((4, 2), np.int64)),
        ("0/edges", np.zeros(4, np.int64)),
        ("0/node.0", np.full(6, np.nan)),
        ("0/node.0", np.array([object()] * 6)),
        ("0/node.0", None),
        ("0/node.1.offsets", np.array([0, 2**40, 1, 2, 3, 4, 5])),
        ("0/node.1.bytes", np.full(8, 255, np.uint8)),
        ("0/node_support", np.zeros(2)),
    ],
)
def test_npz_arrays_that_do_not_fit(name, value, tmp_path):
    path = npz_with(tmp_path, **{name: value})
    message = only_graph_errors(gio.read_npz, path)
    assert isinstance(message, str)
    assert message.startswith(str(path))


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 99},
        {"format": "something else"},
        {"names": 3},
        {"names": []},
        {"groups": []},
        {"groups": [3]},
        {"groups": [{}]},
        {"groups": [{"nodes": [["x"]], "edges": [], "ids": None, "roles": None, "mean": False, "directed": False}]},
        {"groups": [{"nodes": [["x", "q", 1]], "edges": [], "ids": [], "roles": 1, "mean": False, "directed": 0}]},
    ],
)
def test_npz_descriptions_that_do_not_fit(changed, tmp_path):
    path = npz_with(tmp_path, about=about_with(tmp_path, **changed))
    assert isinstance(only_graph_errors(gio.read_npz, path), str)


def test_a_header_that_promises_more_than_there_is_takes_no_memory(tmp_path):
    gio.write_npz(SAMPLE, tmp_path / "good.npz")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": (2**50,)})
    with zipfile.ZipFile(tmp_path / "good.npz") as old, zipfile.ZipFile(tmp_path / "bad.npz", "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, header.getvalue() if info.filename == "group.npy" else old.read(info))
    with pytest.raises(gm.GraphError, match="do not fit its shape"):
        gio.read_npz(tmp_path / "bad.npz")


def test_an_archive_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("about.npy", bytes(80 * 2**20))
    with pytest.raises(gm.GraphError, match="would unpack to"):
        gio.read_npz(tmp_path / "bomb.npz")


def test_files_beyond_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_files.read_file, "__defaults__", (100,))
    (tmp_path / "g.json").write_bytes(bytes(101))
    with pytest.raises(gm.GraphError, match="is larger than"):
        gio.read_graph(tmp_path / "g.json")


# -- spoilt bytes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_spoilt_files_are_refused_in_one_line_or_still_read(kind, tmp_path, rng):
    gio.write_graph(SAMPLE, tmp_path / f"good.{kind}")
    bad = tmp_path / f"bad.{kind}"
    outcomes = []
    for data in corruptions((tmp_path / f"good.{kind}").read_bytes(), rng, 1000):
        bad.write_bytes(data)
        outcomes.append(only_graph_errors(gio.read_graph, bad))
    refused = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert len(refused) > 500
    assert all(message.startswith(str(bad)) for message in refused)


@pytest.mark.parametrize("value", [None, True, -1, 1e308, 10**30, "text", [], [[[1]]], {}, {"a": 1}, ["\ud800"]])
def test_json_with_any_part_of_a_wrong_type(value, tmp_path):
    gio.write_graph(SAMPLE, tmp_path / "good.json")
    document = json.loads((tmp_path / "good.json").read_text())

    def spoilt(part):
        if isinstance(part, (dict, list)):
            for key in part if isinstance(part, dict) else range(len(part)):
                kept, part[key] = part[key], value
                yield
                part[key] = kept
                yield from spoilt(kept)

    for _ in spoilt(document):
        only_graph_errors(gio.read_node_link, json.dumps(document).encode())
