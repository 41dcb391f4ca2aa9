"""The numbers on the page: rounded, listed and drawn for all graphs at once as they would be for one after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.report import page_data
from graphmeans.report.pictures import ClusterPictures
from graphmeans.report.rounding import rounded_to, short_numbers
from graphmeans.report.tables import edge_tables
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
    assert all("o" not in row for row in pictures.member_data([graph] * 2, drawn, np.zeros(2, int), [np.arange(2)] * 2))
    drawn[1] = replace(drawn[1], dots=np.array([False, True]))
    rows = pictures.member_data([graph] * 2, drawn, np.zeros(2, int), [np.arange(2)] * 2)
    assert [row.get("o") for row in rows] == [None, [1]]
