"""Each graph is converted once, and its edges are encoded and packed once."""

from __future__ import annotations

import sys
from collections import Counter

import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from graphmeans.graphs import convert
from graphmeans.graphs.encoding import encoder


@pytest.fixture
def calls(monkeypatch):
    """How often each step runs, wherever it was imported to."""
    counted = Counter()

    def count(name, original):
        def counting(*arguments, **options):
            counted[name] += 1
            return original(*arguments, **options)

        for module in [m for key, m in sys.modules.items() if key.startswith("graphmeans")]:
            if vars(module).get(name) is original:
                monkeypatch.setattr(module, name, counting)

    count("to_graphs", convert.to_graphs)
    count("pack_edges", encoder.pack_edges)
    count("GraphList", encoder.GraphList)
    return counted


def triangles(n=12):
    made = []
    for i in range(n):
        graph = nx.cycle_graph(3)
        for node in graph:
            graph.nodes[node]["x"] = float(node * i)
        made.append(graph)
    return made


def test_fit_transform_reads_and_packs_once(calls):
    gm.GraphEncoder().fit_transform(triangles())
    assert calls == {"to_graphs": 1, "pack_edges": 1, "GraphList": 1}


def test_a_fit_and_a_prediction_convert_once(calls):
    km = gm.GraphKMeans(3, random_state=0)
    km.fit(triangles())
    assert calls == {"to_graphs": 1, "pack_edges": 1, "GraphList": 1}
    calls.clear()
    km.predict(triangles())
    assert calls == {"to_graphs": 1, "pack_edges": 1, "GraphList": 1}


def test_a_distance_encodes_once(calls):
    x, y = triangles(2)
    assert gm.distance(x, y) == gm.distance(*gm.from_networkx([x, y]))
    assert calls == {"pack_edges": 2, "GraphList": 2}


def test_fit_then_transform_and_fit_transform_agree():
    mean = gm.mean(gm.from_networkx(triangles()))
    zero = gm.Graph({"x": [1.0, 2.0]}, [(0, 1)], {"w": [0.0]})
    for graphs in (triangles(), [mean, mean], [zero, zero]):
        apart = gm.GraphEncoder().fit(graphs).transform(graphs)
        together = gm.GraphEncoder().fit_transform(graphs)
        for name in ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values"):
            np.testing.assert_array_equal(getattr(apart, name), getattr(together, name))
