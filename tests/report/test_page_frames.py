"""What part of the plane pictures show: means fill theirs, whatever room their members take."""

from __future__ import annotations

import numpy as np
from test_report_browser import Tab, browser  # noqa: F401

from graphmeans import Graph, MeanGraph
from graphmeans.report import write_report
from graphmeans.report.pictures.cluster_pictures import SCALES_APART, ClusterPictures
from reports import fitted


def line(length: float) -> MeanGraph:
    return MeanGraph({"x": [0.0, length], "y": [0.0, 0.0]}, [(0, 1)], node_support=[1, 1], edge_support=[1])


def sides(pictures: ClusterPictures) -> list[float]:
    return [right - left for left, _, right, _ in pictures.frames]


def test_means_of_similar_size_have_one_scale_and_others_fill_their_pictures():
    assert sides(ClusterPictures([line(10.0), line(20.0)])) == [20.0, 20.0]
    assert sides(ClusterPictures([line(10.0), line(90.0), line(40.0)])) == [90.0 / SCALES_APART, 90.0, 40.0]


def test_a_mean_without_nodes_neither_decides_the_scale_nor_is_a_world_of_its_own():
    empty = MeanGraph({"x": [], "y": []}, node_support=[], edge_support=[])
    pictures = ClusterPictures([line(100.0), empty, line(200.0)])
    assert sides(pictures) == [200.0, 200.0, 200.0]
    assert pictures.frames[1] == (0.0, -100.0, 200.0, 100.0)  # where the others are
    assert sides(ClusterPictures([empty])) == [1.0]


def test_members_that_lie_apart_are_drawn_large(browser, tmp_path):  # noqa: F811
    random = np.random.default_rng(0)
    graphs = [
        Graph({"x": at[0] + np.array([0.0, 8.0]), "y": at[1] + np.array([0.0, 6.0])}, [(0, 1)], name=f"g{n}")
        for n, at in enumerate(random.uniform(0, 100, (30, 2)))
    ]
    path = write_report(tmp_path / "r.html", estimator=fitted(graphs, 1), graphs=graphs)
    tab = Tab(browser, path).open("#cluster-0")
    tab.until("document.querySelectorAll('#cluster-0 .thumb').length > 5")
    shown = "[...document.querySelectorAll('#cluster-0 .group:first-of-type .thumb svg')].map((svg) => svg.viewBox.baseVal.width)"
    assert all(400 <= side < 600 for side in tab.js(shown))  # the whole sheet has a side of 1000, and margins
    assert tab.errors() == []


def test_members_without_lines_lie_on_the_usual_points_of_their_mean(browser, tmp_path):  # noqa: F811
    random = np.random.default_rng(0)
    stars = np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 5.0], [6.0, 6.0]])
    graphs = []
    for n in range(16):
        seen = stars[: 3 if n % 4 else 4]
        seen = seen + random.normal(0, 0.1, seen.shape)
        graphs.append(Graph({"x": seen[:, 0], "y": seen[:, 1]}, name=f"g{n}"))
    estimator = fitted(graphs, 1)
    usual = int((estimator.centroids(kind="graph")[0].node_support >= 0.5).sum())
    assert usual == 3
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)
    tab = Tab(browser, path).open("#cluster-0")
    tab.until("document.querySelectorAll('#cluster-0 .thumb').length > 5")
    shown = tab.js("""[...document.querySelectorAll('#cluster-0 .thumb')].map((b) => [+b.dataset.g,
        b.querySelectorAll('.ghost circle').length, b.querySelectorAll('g:not(.ghost) circle').length])""")
    for i, below, above in shown:
        assert (below, above) == (usual, graphs[i].n_nodes)
    assert tab.errors() == []
