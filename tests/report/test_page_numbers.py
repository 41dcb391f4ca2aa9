"""The numbers on the page: rounded, listed and drawn for all graphs at once as they would be for one after the other."""

from __future__ import annotations

import subprocess
import sys
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import box_about, drawing
from graphmeans.plots.positions import own_positions
from graphmeans.report.data import page_data
from graphmeans.report.data.dots import graph_attributes
from graphmeans.report.data.rounding import rounded_to, short_numbers
from graphmeans.report.data.tables import edge_tables
from graphmeans.report.pictures.cluster_pictures import ClusterPictures
from graphmeans.report.pictures.flat_drawings import FlatDrawings
from graphmeans.report.words import significant


def same_bits(a, b) -> bool:
    return np.array_equal(np.asarray(a).view(np.int64), np.asarray(b, dtype=np.float64).view(np.int64))


@given(st.lists(st.floats(), max_size=30), st.integers(1, 6))
def test_numbers_are_rounded_together_as_one_by_one(values, digits):
    found = rounded_to(values, digits)
    one_by_one = np.array([significant(value, digits) for value in values])
    known = ~np.isnan(one_by_one)
    assert np.isnan(found[~known]).all()
    assert same_bits(found[known], one_by_one[known])


@pytest.mark.parametrize("digits", [3, 4])
def test_numbers_in_the_middle_and_beside_powers_of_ten_are_rounded_as_one_by_one(digits):
    random = np.random.RandomState(0)
    middle = (random.randint(0, 10**5, 2000) + 0.5) / 10.0 ** random.randint(-3, 9, 2000)
    powers = 10.0 ** np.arange(-12, 16)
    beside = np.concatenate([powers, np.nextafter(powers, 0), np.nextafter(powers, np.inf), powers * 9.9995, powers * 0.99995])
    values = np.concatenate([middle, -middle, beside, [0.0, -0.0, 5e-324, 1e308]])
    assert same_bits(rounded_to(values, digits), [significant(value, digits) for value in values])


def test_whole_numbers_are_written_as_such():
    found = short_numbers([3.0, -0.0, 0.25, 12345.6, 1e20, -7.00001])
    assert found == [3, 0, 0.25, 12350, 1e20, -7]
    assert [type(number) for number in found] == [int, int, float, int, float, int]
    assert short_numbers([]) == []


def test_edges_of_means_are_listed_together_as_one_by_one(monkeypatch):
    few = MeanGraph([[0.0], [1.0]], [(0, 1)], {"w": [0.123456]}, node_support=[1, 1], edge_support=[0.5])
    none = MeanGraph([[0.0]], [], {"w": []}, node_support=[1.0], edge_support=[])
    many = MeanGraph([[0.0], [1.0], [2.0]], [(0, 1), (2, 1)], {"w": [2.0, 3.5]}, node_support=[1, 1, 1], edge_support=[1, 0.25])
    rows = page_data._mean_edges([few, none, many], ["w"])
    alone = [edge_tables([mean], mean.edges, np.array([0, mean.n_edges]))[0] for mean in (few, none, many)]
    assert [row["ea"] for row in rows] == alone == [((0.1235,),), ((),), ((2, 3.5),)]
    assert [row["ef"] for row in rows] == [[50], [], [100, 25]]
    assert [len(row["e"]) for row in rows] == [2, 0, 4]
    monkeypatch.setattr(page_data, "MOST_EDGES", 1)  # the last is not listed, and the others keep their own tables
    short = page_data._mean_edges([many, few], ["w"])
    assert short == [{"e": [], "ef": [], "ea": []}, rows[0]]
    assert page_data._mean_edges([many, few], []) == [{"e": [], "ef": []}, {"e": [0, 1], "ef": [50]}]


def test_only_pictures_in_which_some_nodes_are_no_dots_list_their_dots():
    mean = MeanGraph({"x": [0.0, 1.0], "y": [0.0, 1.0]}, [(0, 1)], node_support=[1, 1], edge_support=[1.0])
    pictures = ClusterPictures([mean])
    pictures.choose_windows()
    graph = gm.Graph({"x": [0.0, 1.0], "y": [0.0, 1.0]}, [(0, 1)])
    drawn = [pictures.member(graph, 0, np.arange(2)) for _ in range(2)]
    rows = pictures.member_data([graph] * 2, FlatDrawings(drawn), np.zeros(2, int), [np.arange(2)] * 2)
    assert all("o" not in row for row in rows)
    drawn[1] = replace(drawn[1], dots=np.array([False, True]))
    rows = pictures.member_data([graph] * 2, FlatDrawings(drawn), np.zeros(2, int), [np.arange(2)] * 2)
    assert [row.get("o") for row in rows] == [None, [1]]


def test_outlines_of_many_drawings_are_those_of_each():
    """Nodes, arcs and labels decide frames as they do for one picture, and what is weak decides nothing."""
    plain = gm.Graph({"x": [0.0, 1.0, 5.0], "y": [0.0, 2.0, 1.0]}, [(0, 1)])
    arcs = gm.Graph({"x": [0.0, 1.0], "y": [0.0, 0.0]}, [(0, 1)], {"type": ["arc"], "diameter": [1.2]})
    tree = gm.Graph({"depth": [0.0, 1.0, 1.0], "kind": ["root", "left leaf", "right leaf"]}, [(0, 1), (0, 2)], directed=True)
    weak = MeanGraph({"x": [0.0, 1.0, 9.0], "y": [0.0, 1.0, 9.0]}, [(0, 1)], node_support=[1, 1, 0.1], edge_support=[1.0])
    empty = gm.Graph({"x": [], "y": []})
    drawings = [drawing(graph) for graph in (plain, arcs, tree, weak, empty)]
    assert drawings[1].bend.any()
    assert drawings[2].em
    assert not drawings[3].core.all()
    for rows in ([0], [1], [2], [3], [4], [4, 3, 2, 1, 0], []):
        found = FlatDrawings(drawings).outlines(np.array(rows, dtype=np.int64))
        every = np.concatenate([np.zeros((0, 2)), *[drawings[n].outline() for n in rows]])
        assert box_about(found) == box_about(every)


def test_drawings_of_plain_graphs_cannot_change_each_other():
    graph = gm.Graph({"x": [0.0, 1.0], "y": [0.0, 2.0]}, [(0, 1)])
    first, second = drawing(graph), drawing(graph)
    for name in ("strength", "dots", "stroke_strength", "edge", "bend", "shift", "inset", "sides", "heads", "core"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(first, name)[0] = 0
    assert second.strength.tolist() == second.dots.tolist() == [1, 1]
    assert second.bend.tolist() == second.shift.tolist() == second.inset.tolist() == [0.0]
    large = drawing(gm.Graph(100, [(0, 99)]), positions=np.zeros((100, 2)))
    assert large.strength.tolist() == [1.0] * 100
    assert large.edge.tolist() == [0]


@pytest.mark.parametrize("masked", [False, True])
def test_positions_may_be_masked_arrays_in_which_nothing_is_missing(masked):
    x = np.ma.masked_array([0.0, 1.0], [False, masked])
    found = own_positions(gm.Graph({"x": x, "y": [0.0, 2.0]}, [(0, 1)]))
    assert found is None if masked else found.tolist() == [[0.0, 0.0], [1.0, 2.0]]


def test_means_of_columns_of_numbers_and_of_vectors():
    graphs = [gm.Graph({"a": [1.0, 3.0], "v": [[1.0, 2.0], [3.0, 4.0]]}), gm.Graph({"a": [5.0], "v": [[7.0, 9.0]]})]
    found = {row["name"]: (row["low"], row["high"]) for row in graph_attributes(graphs)}
    assert found["mean a of nodes"] == (2.0, 5.0)
    assert found["mean v 1 of nodes"] == (2.0, 7.0)
    assert found["mean v 2 of nodes"] == (3.0, 9.0)
    bare = [gm.Graph(np.zeros((2, 0))), gm.Graph(np.zeros((3, 0)))]
    assert [row["name"] for row in graph_attributes(bare)] == ["number of nodes"]  # what all have alike says nothing
    edges = [gm.Graph(3, [(0, 1), (1, 0)], directed=True), gm.Graph(3, [(0, 1), (1, 0), (1, 2), (2, 1)], directed=True)]
    (row,) = graph_attributes(edges, two_way=True)
    assert (row["name"], row["low"], row["high"]) == ("number of edges", 1.0, 2.0)


def test_missing_words_are_not_known():
    graphs = [
        gm.Graph(3, [(0, 1), (1, 2)], {"kind": ["line", None]}),
        gm.Graph(3, [(0, 1), (1, 2)], {"kind": [None, None]}),
        gm.Graph(3, [(0, 1), (1, 2)], {"kind": ["arc", "arc"]}),
        gm.Graph(4, [(0, 1), (1, 2), (2, 3)], {"kind": [None, None, "line"]}),
    ]
    found = {row["name"]: row for row in graph_attributes(graphs)}["most frequent kind of edges"]
    assert found["kinds"] == ["line", "arc"]
    assert list(b64decode(found["v"])) == [0, 255, 1, 0]


def test_a_page_of_graphs_that_are_no_molecules_does_not_load_rdkit(tmp_path):
    script = """
import sys
import graphmeans as gm
from graphmeans.report import write_report
graphs, _ = gm.datasets.make_letters(20, random_state=0)
write_report(sys.argv[1], estimator=gm.GraphKMeans(2, n_init=1, random_state=0).fit(graphs), graphs=graphs)
assert not any(name.split(".")[0] == "rdkit" for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "page.html")], check=True)
    assert (tmp_path / "page.html").exists()
