"""Missing values are shown as missing: in the tables of members, of means, and in what sets clusters apart."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from graphmeans import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.report import write_report
from graphmeans.report.data.tables import edge_tables, node_tables
from graphmeans.report.facts.summary import summarize_clustering
from graphmeans.report.sentences.contrasts import mean_contrasts, profile
from graphmeans.report.sentences.known_values import means_as_known
from reports import Page, fitted


def drawn(kind: int, known: bool, n: int) -> Graph:
    """A triangle or a square in a plane. One edge has a second angle if that is `known`; the kind of a node may be missing."""
    points = np.array([[0, 0], [9, 0], [9, 9], [0, 9]] if kind else [[0, 0], [3, 0], [0, 3]], dtype=float) + 0.01 * n
    size = len(points)
    edges = [(i, (i + 1) % size) for i in range(size)]
    angle = [float(10 + n % 3) if known and e == 0 else None for e in range(size)]
    shape = ["arc" if known and e == 0 else None for e in range(size)]
    nodes = {"x": points[:, 0], "y": points[:, 1], "kind": [None if i == 1 else "corner" for i in range(size)]}
    return Graph(nodes, edges, {"first": [1.0 + e for e in range(size)], "angle": angle, "type": shape}, name=f"g{n}")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    # Of triangles one in five knows its angle, of squares four in five.
    graphs = [drawn(n % 2, (n // 2) % 5 == 0 if n % 2 == 0 else (n // 2) % 5 > 0, n) for n in range(40)]
    estimator = fitted(graphs, 2)
    path: Path = tmp_path_factory.mktemp("missing") / "r.html"
    write_report(path, estimator=estimator, graphs=graphs)
    return graphs, estimator, Page(path), path.read_text(encoding="utf-8")


def test_tables_of_members_have_none_where_nothing_is_known(run):
    graph = run[0][1]
    columns = sorted(graph.nodes)
    assert node_tables([graph])[0][columns.index("kind")] == tuple(graph.nodes["kind"].tolist())
    ((angle, _, kind),) = edge_tables([graph], graph.edges, np.array([0, graph.n_edges]))
    assert list(angle) == graph.edge_attributes["angle"].tolist()
    assert list(kind) == graph.edge_attributes["type"].tolist()
    assert None in angle
    assert None in kind


def test_means_show_what_at_least_half_of_the_members_know(run):
    graphs, estimator, page, _ = run
    names, seen = page.data["edge_columns"], {True: 0, False: 0}
    rows = {row["i"]: row for row in page.data["graphs"]}
    for c, mean in enumerate(page.data["clusters"]):
        ends = [frozenset(mean["e"][2 * e : 2 * e + 2]) for e in range(len(mean["e"]) // 2)]
        for e, pair in enumerate(ends):
            for key in ("angle", "type", "first"):
                values = [
                    graph.edge_attributes[key].tolist()[at]
                    for i, graph in enumerate(graphs) if estimator.labels_[i] == c
                    for at, (a, b) in enumerate(graph.edges.tolist())
                    if frozenset((rows[i]["m"][a], rows[i]["m"][b])) == pair
                ]  # fmt: skip
                known = sum(value is not None for value in values) >= 0.5 * len(values)
                assert (mean["ea"][names.index(key)][e] is not None) == known
                seen[known] += 1
    assert min(seen.values()) > 2


def test_graphs_without_holes_keep_their_means(run):
    whole = [Graph({"x": [float(n), 2.0]}, [(0, 1)]) for n in range(6)]
    means = [c.mean for c in summarize_clustering(fitted(whole, 2)).clusters]
    labels, into = np.zeros(6, dtype=np.int64), [np.array([0, 1])] * 6
    assert all(a is b for a, b in zip(means, means_as_known(means, whole, labels, into), strict=True))


def test_averages_are_told_where_half_of_the_rows_have_a_value_and_shares_are_of_all_rows(run):
    for kind in (0, 1):
        graphs = [graph for graph in run[0] if graph.n_nodes == 3 + kind]
        found = profile(graphs)
        angles = [value for graph in graphs for value in graph.edge_attributes["angle"].tolist()]
        assert sum(value is not None for value in angles) < 0.5 * len(angles)
        assert "mean angle of edges" not in found
        words = [value for graph in graphs for value in graph.edge_attributes["type"].tolist()]
        assert found["share of edges with type arc"] == pytest.approx(words.count("arc") / len(words))
    known = [Graph({"x": [1.0, None, 5.0]}), Graph({"x": [3.0, 3.0, None]})]
    assert profile(known)["mean x of nodes"] == 3.0  # over those that have one


def test_nothing_is_said_of_values_that_were_filled_in(run):
    html = run[3]
    tables = re.findall(r'aria-label="What sets cluster \d+ apart">(.*?)</table>', html, re.DOTALL)
    assert tables
    assert not any("angle" in table for table in tables)
    assert "angle of the edges" not in html


@pytest.mark.parametrize("missing", [False, True])
def test_a_value_that_is_missing_in_one_mean_is_no_contrast(missing: bool):
    first, second = (
        MeanGraph(
            {"x": [0.0, 1.0]}, [(0, 1)], {"angle": np.ma.MaskedArray([value], mask=[hidden])}, node_support=[1.0, 1.0],
            edge_support=[1.0],
        )
        for value, hidden in ((5.0, missing), (50.0, False))
    )  # fmt: skip
    lines = mean_contrasts(first, second, np.array([0, 1]), ["1", "2"])
    assert [line.what for line in lines] == ([] if missing else ["angle of edge 1–2"])
