"""What the page says of a place of a mean is true of the kind by which that place is called."""

from __future__ import annotations

import numpy as np
import pytest
from test_recomputed import Page

import graphmeans as gm
from graphmeans import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.positions import node_kinds
from graphmeans.report import write_report
from graphmeans.report.pictures.kind_support import means_by_kinds
from reports import fitted, letters

KINDS = ["If", "For", "Call", "Name"]


def programs(directed: bool) -> list[Graph]:
    """Small graphs whose nodes are of one kind or the other in the same places."""
    random = np.random.default_rng(0)
    graphs = []
    for n in range(40):
        kinds = [str(random.choice(KINDS[:2])), "Call", str(random.choice(KINDS, p=[0.1, 0.1, 0.2, 0.6])), "Name"]
        edges = [(0, 1), (1, 2)] + [(1, 3)] * (n % 3 > 0)
        graphs.append(Graph({"kind": kinds[: 3 + (n % 2)]}, [e for e in edges if max(e) < 3 + n % 2], directed=directed))
    return graphs


@pytest.mark.parametrize("directed", [False, True])
def test_supports_on_a_page_are_shares_of_members_with_these_kinds(directed, tmp_path):
    graphs = programs(directed)
    estimator = fitted(graphs, 2)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs))
    mixed = 0
    for label, mean in enumerate(estimator.centroids(kind="graph")):
        shown = page.data["clusters"][label]
        called = node_kinds(mean)
        members = [row for row in page.data["graphs"] if row["c"] == label]
        for node in range(mean.n_nodes):
            has = [
                any(j == node and node_kinds(graphs[row["i"]])[i] == called[node] for i, j in enumerate(row["m"]))
                for row in members
            ]
            assert shown["f"][node] == round(100 * float(np.mean(has)))
            mixed += np.mean(has) < mean.node_support[node] - 0.01
        for e, (a, b) in enumerate(mean.edges.tolist()):
            count = 0
            for row in members:
                graph = graphs[row["i"]]
                own = node_kinds(graph)
                laid = {(row["m"][i], row["m"][j]): (own[i], own[j]) for i, j in graph.edges.tolist()}
                if not directed:
                    laid |= {(j, i): (v, u) for (i, j), (u, v) in laid.items()}
                count += laid.get((a, b)) == (called[a], called[b])
            assert shown["ef"][e] == round(100 * count / len(members))
    assert mixed > 0


def test_graphs_without_kinds_are_left_as_they_are():
    graphs, _, estimator = letters(60)
    means = estimator.centroids(kind="graph")
    found = means_by_kinds(means, graphs, estimator.labels_, [np.arange(graph.n_nodes) for graph in graphs])
    assert all(one is other for one, other in zip(found, means, strict=True))


def test_empty_clusters_and_graphs_have_support_too():
    none = MeanGraph({"kind": np.array([], dtype=object)}, node_support=[], edge_support=[])
    one = MeanGraph({"kind": ["If"]}, node_support=[0.5], edge_support=[])
    members = [Graph({"kind": ["If"]}), Graph({"kind": np.array([], dtype=object)})]
    found = means_by_kinds([none, one], members, np.array([1, 1]), [np.array([0]), np.array([], dtype=int)])
    assert found[0].n_nodes == 0
    assert found[1].node_support.tolist() == [0.5]
    other = means_by_kinds([one], [Graph({"kind": ["For"]}), Graph({"kind": ["If"]})], np.array([0, 0]), [np.array([0])] * 2)
    assert other[0].node_support.tolist() == [0.25]


def test_the_kinds_of_contrasts_and_views_are_counted(tmp_path):
    trees = [("f", [("a", [("x", [])]), ("b", [])]), ("f", [("c", [("x", [])]), ("b", [])])] * 8
    graphs = gm.structures.trees(trees)
    estimator = fitted(graphs, 1)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs))
    called = node_kinds(estimator.centroids(kind="graph")[0])
    shares = dict(zip(called, page.data["clusters"][0]["f"], strict=True))
    assert {kind: share for kind, share in shares.items() if kind in "fbx"} == {"f": 100, "b": 100, "x": 100}
    assert [share for kind, share in shares.items() if kind in "ac"] == [50] * sum(kind in "ac" for kind in called)
