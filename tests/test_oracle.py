"""The oracle itself, on cases that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
import oracle
from strategies import relabelled


def test_one_node_graphs_are_vectors():
    x, y = gm.Graph([[1.0, 2.0]]), gm.Graph([[4.0, -2.0]])
    assert oracle.distance(x, y) == pytest.approx(5.0)


def test_undirected_edges_count_twice_and_arcs_once():
    with_edge, without = gm.Graph(2, [(0, 1)], [3.0]), gm.Graph(2)
    assert oracle.distance(with_edge, without) == pytest.approx(np.sqrt(2 * 9))
    arc = gm.Graph(2, [(0, 1)], [3.0], directed=True)
    assert oracle.distance(arc, gm.Graph(2, directed=True)) == pytest.approx(3.0)
    assert oracle.distance(arc, gm.Graph(2, [(1, 0)], [3.0], directed=True)) == 0.0


def test_path_and_triangle_differ_by_one_edge():
    path, triangle = gm.Graph(3, [(0, 1), (1, 2)]), gm.Graph(3, [(0, 1), (1, 2), (0, 2)])
    assert oracle.distance(path, triangle) == pytest.approx(np.sqrt(2))


def test_order_decides_whether_two_nodes_may_stay_unmatched():
    x, z = gm.Graph([[1.0]]), gm.Graph([[-1.0]])
    assert oracle.distance(x, z, "auto") == pytest.approx(2.0)
    assert oracle.distance(x, z, 1) == pytest.approx(2.0)
    assert oracle.distance(x, z, 2) == pytest.approx(np.sqrt(2))
    assert oracle.distance(x, z, None) == pytest.approx(np.sqrt(2))
    assert oracle.best_mapping(x, z, None).tolist() == [-1]


def test_roles_forbid_a_match():
    x = gm.Graph([[1.0], [2.0]], roles=["a", "b"])
    y = gm.Graph([[2.0], [1.0]], roles=["a", "b"])
    assert oracle.distance(x, y) == pytest.approx(np.sqrt(2))
    assert oracle.best_mapping(x, y).tolist() == [0, 1]


def test_mapping_and_its_cost():
    x = gm.Graph([[0.0], [1.0], [5.0]], [(0, 1), (1, 2)], [2.0, 3.0])
    y = relabelled(x, [2, 0, 1])
    mapping = oracle.best_mapping(x, y)
    assert mapping.tolist() == [1, 2, 0]
    assert oracle.mapping_cost(x, y, mapping) == 0.0
    assert oracle.mapping_cost(x, y, [0, 1, 2]) > 1
    with pytest.raises(AssertionError):
        oracle.mapping_cost(x, y, [0, 0, 1])
    with pytest.raises(AssertionError):
        oracle.mapping_cost(x, y, [0, 1, -1])  # at order 3 nothing can stay unmatched


def test_mean_of_two_is_half_way():
    x, y = gm.Graph([[0.0], [3.0]], [(0, 1)], [1.0]), gm.Graph([[4.0], [1.0]], [(0, 1)], [3.0])
    found = oracle.mean([x, y])
    assert sorted(found.mean.nodes.ravel()) == [0.5, 3.5]
    assert found.mean.edges[0, 1, 0] == 2.0
    assert found.objective == pytest.approx(oracle.distance(x, y) ** 2 / 4)
    assert oracle.incremental_mean([x, y]).objective == pytest.approx(found.objective)


def test_lloyd_on_vectors():
    graphs = [gm.Graph([[v]]) for v in (0.0, 1.0, 5.0, 6.0)]
    rows = oracle.lloyd(graphs, [graphs[0], graphs[1]])
    assert rows[0][0].tolist() == [0, 1, 1, 1]
    assert rows[-1][0].tolist() == [0, 0, 1, 1]
    assert [y.nodes[0, 0] for y in rows[-1][2]] == [0.5, 5.5]


def test_furthest_first_on_vectors():
    graphs = [gm.Graph([[v]]) for v in (0.0, 4.0, 5.0, 20.0)]  # the mean is 7.25
    assert oracle.furthest_first(graphs, 3) == [2, 3, 0]


def test_silhouette_and_accuracy():
    d = np.abs(np.subtract.outer([0.0, 1.0, 10.0], [0.0, 1.0, 10.0]))
    assert oracle.silhouette(d, [0, 0, 1]) == pytest.approx((((10 - 1) / 10 + (9 - 1) / 9) / 2 + 0) / 2)
    assert oracle.accuracy("aabb", [0, 0, 0, 1]) == 0.75
