"""GML: what other programs write is read, and what is spoilt is refused in one line."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from graphmeans import io as gio
from io_helpers import corruptions, only_graph_errors

YED = b"""Creator "yFiles"
Version "2.17"
graph
[
  hierarchic 1
  label ""
  directed 1
  node
  [
    id 10
    label "start"
    graphics [ x 12.5 y 3.0 type "ellipse" ]
    weight 2
  ]
  # a comment, and below an attribute that is missing
  node [ id 20 label "end &amp; &#228;" ]
  edge [ source 10 target 20 label "go" ]
]
"""


def test_what_yed_writes():
    graph = gio.read_gml(YED)
    assert graph.directed
    assert graph.node_ids == (10, 20)
    assert graph.nodes["label"].tolist() == ["start", "end & ä"]
    assert graph.nodes["weight"].tolist() == [2.0, None]
    assert list(graph.nodes) == ["label", "weight"]
    assert graph.edge_attributes["label"].tolist() == ["go"]


def test_we_read_what_networkx_writes_and_the_other_way_round(tmp_path):
    g = nx.Graph()
    g.add_node(0, x=1.5, kind="ä & b", pos=[1.0, 2.0])
    g.add_node(1, x=-3, kind='"', pos=[3.0, 4.0])
    g.add_edge(0, 1, w=0.5)
    nx.write_gml(g, tmp_path / "g.gml")
    found = gio.read_graph(tmp_path / "g.gml")
    expected = gm.from_networkx(g)
    assert found.nodes.keys() == expected.nodes.keys()  # its labels only repeat the ids
    for key, column in expected.nodes.items():
        assert found.nodes[key].tolist() == column.tolist()
    gio.write_graph(expected, tmp_path / "h.gml")
    back = nx.read_gml(tmp_path / "h.gml", label="id")
    assert back.nodes[0]["pos"] == [1.0, 2.0]
    assert back.nodes[0]["kind"] == "ä & b"
    assert back.edges[0, 1]["w"] == 0.5


def test_we_read_what_igraph_writes(tmp_path):
    g = igraph.Graph.Ring(4)
    g.vs["size"] = [1.0, 2.0, 3.0, 4.0]
    g.write_gml(str(tmp_path / "ring.gml"))
    found = gio.read_graph(tmp_path / "ring.gml")
    assert found.nodes["size"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert found.n_edges == 4
    gio.write_graph(found, tmp_path / "ring2.gml")
    assert igraph.Graph.Read_GML(str(tmp_path / "ring2.gml")).vs["size"] == [1.0, 2.0, 3.0, 4.0]


def test_loops_and_parallel_edges_follow_the_rule_for_them():
    graph = gio.read_gml(
        b"graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 w 1 ] edge [ source 2 target 1 w 3 ]"
        b" edge [ source 2 target 2 w 7 ] ]"
    )
    assert graph.edge_attributes["multiplicity"].tolist() == [2.0]
    assert graph.edge_attributes["w"].tolist() == [2.0]
    assert graph.nodes["loop:w"].tolist() == [0.0, 7.0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no graph"),
        (b"graph 3", "holds no graph"),
        (b"graph [ ] graph [ ]", "more than one graph"),
        (b"graph [ node [ id 1 ]", "ends in the middle"),
        (b"graph [ node [ id ] ]", "'id' has no value"),
        (b"graph [ ] ]", r"a '\]' without its '\['"),
        (b"graph [ node 3 ]", "a node is not a record"),
        (b"graph [ node [ label \"a\" ] ]", "node 0 has no whole number as its 'id'"),
        (b"graph [ node [ id 1 ] node [ id 1 ] ]", "node id 1 is given twice"),
        (b"graph [ node [ id 1 ] edge [ source 1 target 9 ] ]", "leads to the node '9', which does not exist"),
        (b"graph [ node [ id 1 ] edge [ source 1 ] ]", "edge 0 has no 'target'"),
        (b"graph [ node [ id 1 x NAN ] ]", "'x' has the value 'NAN'"),
        (b"graph [ node [ id 1 x 1e999 ] ]", "NaN or infinity"),
        (b"graph [ node [ id 1 x 1 ] node [ id 2 x \"a\" ] ]", "mixes strings"),
        (b"graph [ directed 7 ]", "directed must be 0 or 1"),
        (b"graph [ node [ id 1 x ?! ] ]", r"is not GML \(line 1: '\?!"),
        (b"graph [ 5 ]", "stands where a key should"),
        (b"a [ " * 100_000, "deep"),
        (b'graph [ graphmeans "[]" ]', "graphmeans"),
    ],
)  # fmt: skip
def test_gml_that_cannot_be_read(data, said):
    with pytest.raises(gm.GraphError, match=said) as caught:
        gio.read_gml(data)
    assert str(caught.value).startswith("GML: ")
    assert "\n" not in str(caught.value)


def test_a_thousand_spoilt_files(tmp_path, rng):
    graph = gm.Graph(
        {"x": [0.5, None, 1e-17], "kind": ["a", 'b"&', "1"], "pos": np.eye(3, 2)}, [(0, 1), (2, 1)], {"w": [1.5, 2.0]}
    )
    gio.write_gml(graph, tmp_path / "good.gml")
    outcomes = [
        only_graph_errors(gio.read_gml, data) for data in corruptions((tmp_path / "good.gml").read_bytes(), rng, 1000)
    ]
    assert sum(isinstance(outcome, str) for outcome in outcomes) > 500


def test_harmless_changes_are_read(tmp_path):
    plain = gio.read_gml(b"graph [ node [ id 1 x 0.5 ] node [ id 2 x 1 ] edge [ source 1 target 2 ] ]")
    spread = gio.read_gml(
        b'# first\r\n\r\nCreator "me"\r\ngraph\r\n[\r\n'
        b'edge [\ttarget 2 source 1 ]\nnode [ x +.5e0 id 1 ]\nnode [ id 2\nx 1.0 ]\n]\n'
    )
    assert spread == plain
