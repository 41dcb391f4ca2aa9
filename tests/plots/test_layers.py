"""Directed graphs in layers: arcs lead down, nodes keep apart, and what has no direction is laid out as before."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from graphmeans import Graph, MeanGraph
from graphmeans.plots.layers import _apart, layered_positions, leads_down
from graphmeans.report import write_report
from reports import Page, fitted


@pytest.mark.parametrize("seed", range(6))
def test_all_arcs_of_a_graph_without_cycles_lead_down(seed):
    random = np.random.default_rng(seed)
    n = 15
    arcs = [(int(i), int(j)) for i in range(n) for j in range(i + 1, n) if random.random() < 0.2]
    names = random.permutation(n).tolist()
    arcs = [(names[i], names[j]) for i, j in arcs]
    points = layered_positions(range(n), arcs)
    assert all(points[i, 1] > points[j, 1] for i, j in arcs)
    for level in np.unique(points[:, 1]):
        across = np.sort(points[points[:, 1] == level, 0])
        assert (np.diff(across) > 1 - 1e-9).all()
    np.testing.assert_array_equal(points, layered_positions(range(n), arcs))


def test_of_a_cycle_one_arc_leads_up():
    arcs = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 2)]
    points = layered_positions(range(4), arcs)
    assert sum(points[i, 1] < points[j, 1] for i, j in arcs) == 1


def test_places_order_the_layers_to_begin_with():
    arcs = [(0, 1), (0, 2), (0, 3)]
    points = layered_positions(range(4), arcs, {1: 5.0, 2: -1.0, 3: 2.0})
    assert np.argsort(points[1:, 0]).tolist() == [1, 2, 0]
    assert points[0, 0] == pytest.approx(points[1:, 0].mean())


def test_apart_is_the_nearest_of_all_places_that_keep_their_distance():
    random = np.random.default_rng(0)
    for _ in range(20):
        wanted = np.sort(random.uniform(0, 4, 6)) + random.normal(0, 0.5, 6)
        found = np.array(_apart(wanted.tolist()))
        assert (np.diff(found) > 1 - 1e-9).all()
        cost = ((found - wanted) ** 2).sum()
        for other in random.normal(0, 0.3, (200, 6)) + found:
            other = np.maximum.accumulate(other - np.arange(6)) + np.arange(6)
            assert ((other - wanted) ** 2).sum() >= cost - 1e-9


def test_what_has_opposite_arcs_or_no_direction_is_not_drawn_in_layers():
    arcs = [(0, 1), (1, 2), (0, 2)]
    assert leads_down(Graph(3, arcs, directed=True))
    assert not leads_down(Graph(3, arcs))
    assert not leads_down(Graph(3, [*arcs, *[(j, i) for i, j in arcs]], directed=True))
    assert not leads_down(Graph(3, directed=True))


def test_a_directed_graph_and_its_mean_are_laid_out_in_layers():
    arcs = [(0, 1), (0, 2), (1, 3), (2, 3)]  # no forest: 3 has two parents
    mean = MeanGraph(4, arcs, node_support=[1] * 4, edge_support=[1, 0.2, 1, 1], directed=True)
    for graph in (Graph(4, arcs, directed=True), mean):
        points = gm.plots.layout(graph)
        assert points[0, 1] > points[1, 1] == points[2, 1] > points[3, 1]


def test_members_on_the_page_have_layers_of_their_own(tmp_path):
    random = np.random.default_rng(1)
    graphs = []
    for n in range(16):
        size = int(random.integers(5, 9))
        found = nx.gn_graph(size, seed=n).reverse()
        found.add_edge(0, size - 1)
        graphs.append(Graph(size, sorted((i, j) for i, j in found.edges if i != j), directed=True, name=f"g{n}"))
    page = Page(write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs))
    for row in page.data["graphs"]:
        graph = graphs[row["i"]]
        if not nx.is_directed_acyclic_graph(nx.DiGraph(graph.edges.tolist())):
            continue
        height = row["p"][1::2]  # y grows downwards on the page
        assert all(height[i] < height[j] for i, j in graph.edges.tolist())
