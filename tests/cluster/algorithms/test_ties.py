"""Under exact ties the algorithms of the paper agree: of tied centers the first is the nearest."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from effort import thorough
from graphmeans.cluster.algorithms.in_memory import InMemoryFit, farthest_first

FAMILIES = {
    "trees": lambda rng: nx.random_labeled_tree(int(rng.integers(3, 7)), seed=int(rng.integers(1 << 30))),
    "sparse": lambda rng: nx.gnp_random_graph(int(rng.integers(3, 6)), 0.4, seed=int(rng.integers(1 << 30))),
    "dense": lambda rng: nx.gnp_random_graph(int(rng.integers(3, 6)), 0.8, seed=int(rng.integers(1 << 30))),
    "cycles": lambda rng: nx.cycle_graph(int(rng.integers(3, 7))),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("runs", [3, thorough(30)])
def test_lloyd_elkan_and_gvr_agree_on_unattributed_graphs(family, runs):
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        graphs = [FAMILIES[family](rng) for _ in range(24)]
        graphs = [gm.Graph(graph.number_of_nodes(), list(graph.edges)) for graph in graphs]
        found = [
            gm.GraphKMeans(4, algorithm=algorithm, init="random", n_init=1, max_iter=8, random_state=seed).fit(graphs)
            for algorithm in ("lloyd", "elkan", "gvr")
        ]
        for other in found[1:]:
            np.testing.assert_array_equal(found[0].labels_, other.labels_)
            assert other.inertia_ == pytest.approx(found[0].inertia_, rel=1e-9)


def test_of_tied_centers_the_first_is_the_nearest():
    near = np.array([[2.0, 1.0 + 1e-15, 1.0], [0.0, 1.0, 0.0], [3.0, 2.0, 1.0]])
    assert InMemoryFit.first_nearest(near).tolist() == [1, 0, 2]
    assert farthest_first(np.array([1.0, 2.0, 2.0 + 1e-15, 0.0])).tolist() == [1, 2, 0, 3]
    assert farthest_first(np.zeros(0)).tolist() == []
