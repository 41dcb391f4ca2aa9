"""Every figure of the page, computed again from labels.csv, trace.csv and the graphs."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.evaluation.fitted import align_to_center, centers_of, points_of
from graphmeans.io import write_collection
from graphmeans.report import write_report
from graphmeans.report.facts.centers import match_centers
from graphmeans.report.facts.shares import distance_shares
from graphmeans.report.facts.silhouettes import silhouettes
from graphmeans.report.facts.summary import summarize_clustering
from graphmeans.report.pictures.tree import merge_tree, merged_mean
from graphmeans.report.words import duration, number, percent
from reports import Page, drawings, fitted, letters, words


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder that `graphmeans cluster` wrote for 200 letters, its tables, and its page."""
    folder = tmp_path_factory.mktemp("figures")
    graphs, y = gm.datasets.make_letters(200, random_state=0)
    write_collection(graphs, folder / "letters", classes=y.tolist(), kind="gxl")
    options = ["-k", "12", "-o", str(folder / "out"), "--json"]
    said = CliRunner().invoke(app, ["cluster", str(folder / "letters"), *options])
    assert said.exit_code == 0, said.output
    tables = []
    for name in ("labels.csv", "trace.csv"):
        with (folder / "out" / name).open(newline="", encoding="utf-8") as file:
            tables.append(list(csv.DictReader(file)))
    labels, trace = tables
    page = Page(folder / "out" / "report.html")
    return SimpleNamespace(
        folder=folder, graphs=graphs, labels=np.array([int(row["label"]) for row in labels]), trace=trace, page=page,
        distances=np.array([float(row["distance"]) for row in labels]), classes=[row["class"] for row in labels],
        proven=[row["proven"] == "True" for row in labels], json=json.loads(said.stdout), said=words(page),
        model=gm.load(folder / "out" / "model.gmz"),
    )  # fmt: skip


def test_the_headline(run):
    sizes = np.bincount(run.labels)
    assert f"200 graphs fall into {len(sizes)} clusters." in run.said
    assert f"The smallest holds {sizes.min()} graphs, the largest {sizes.max()}." in run.said
    right = 0
    for c in range(12):
        inside = [run.classes[i] for i in np.flatnonzero(run.labels == c)]
        right += max(inside.count(k) for k in set(inside))
    assert f"{percent(right / 200)} of the graphs belong to the class" in run.said
    assert f"{percent(np.mean(run.proven))} of the graphs are proven" in run.said


def test_matchings_are_counted_in_one_way_everywhere(run):
    rows = [row for row in run.trace if row["swap"] == "0"]
    seen = [min(int(row["graphs"]) or 200, 200) for row in rows]
    standard = round(sum(seen) / 200 * 13 * 200)
    ours = run.json["matchings"] + run.json["seeding_matchings"]
    assert run.json["all_matchings"] == ours + run.model.n_evaluation_matchings_
    assert run.json["standard_matchings"] == standard
    assert run.json["times_fewer_matchings"] == pytest.approx(standard / ours)
    assert f"{standard / ours:,.1f}× fewer" in run.said
    assert f"{ours:,} in all, in place of {standard:,}" in run.said
    shown = sum(int(row["matchings"]) for row in run.trace)
    for what, count in (
        ("matchings of the run that is shown", shown), ("matchings of all runs", run.json["matchings"]),
        ("matchings to find where to start", run.json["seeding_matchings"]), ("matchings in all", ours),
        ("a standard k-means: (k + 1) N in each of these", standard),
    ):  # fmt: skip
        assert f"{what} {number(count)}" in run.said
    assert f"objective: sum of squared distances to the means {number((run.distances**2).sum())}" in run.said
    assert run.json["inertia"] == pytest.approx((run.distances**2).sum())
    assert f"iterations {run.json['iterations']}" in run.said
    assert f"{duration(run.json['seconds'])}" in run.said


def test_the_page_costs_a_fifth_of_the_fit_or_little(run):
    spent = int(re.search(r"matchings for this page ([\d,]+)", run.said)[1].replace(",", ""))
    assert spent <= max(0.2 * run.json["all_matchings"], 4600)


def test_cards_say_what_the_labels_say(run):
    for row in run.json["clusters"]:
        inside = run.distances[run.labels == row["label"]]
        assert row["size"] == len(inside)
        assert row["rms_distance"] == pytest.approx(np.sqrt((inside**2).mean()))
        assert f"Root mean square distance to the mean {number(row['rms_distance'])}" in run.said
    cards = {int(a["data-c"]): a for tag, a in run.page.tags if tag == "article"}
    for c, card in cards.items():
        inside = run.distances[run.labels == c]
        assert int(card["data-size"]) == len(inside)
        assert float(card["data-tight"]) == pytest.approx(np.sqrt((inside**2).mean()), rel=1e-5)
    centers = centers_of(run.model)
    far = run.model.space_.distances(centers)
    np.fill_diagonal(far, np.inf)
    for c in range(12):
        assert f"at {number(far[c].min())}" in run.said


def test_what_is_called_nearest_is_nearest_on_a_sampled_page(tmp_path: Path):
    graphs, _, estimator = letters(400, 10)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, members=100))
    assert len(page.data["graphs"]) < 200
    groups = [a for tag, a in page.tags if tag == "ul" and "data-members" in a]
    for called, order in (("Nearest", 1), ("Odd", -1)):
        for group in (a for a in groups if a["aria-label"].startswith(called)):
            rows = [page.data["graphs"][int(n)] for n in group["data-members"].split()]
            members = np.flatnonzero(estimator.labels_ == rows[0]["c"])
            nearest = np.sort(estimator.distances_[members])[::order][: len(rows)]
            assert [row["r"] for row in rows] == pytest.approx(nearest, rel=1e-3)


def test_silhouettes_agree_with_those_of_all_pairs():
    graphs, _, estimator = letters(500, 12)
    labels = estimator.labels_.astype(np.int64)
    points, centers = points_of(estimator, graphs), centers_of(estimator)
    own, ways = align_to_center(estimator.space_, points, centers, labels), match_centers(estimator.space_, centers, 1000)
    far = estimator.space_.distances(points)
    true = gm.evaluation.silhouette(far, labels)
    sizes, everyone = np.bincount(labels), np.ones(len(graphs), dtype=bool)
    off = []
    for seed in range(4):
        found = silhouettes(estimator.space_, points, labels, sizes, own, ways, 1500, everyone, seed)
        assert found.matchings <= 1500
        off.append((found.index - true) / found.error)
        assert found.index == pytest.approx(np.mean([found.widths[labels[found.rows] == c].mean() for c in range(12)]))
    assert np.abs(off).max() < 4
    whole = silhouettes(estimator.space_, points, labels, sizes, own, ways, 10**6, everyone)
    assert whole.error is None
    assert whole.index == pytest.approx(true)
    assert silhouettes(estimator.space_, points, labels, sizes, own, ways, 20, everyone) is None  # too few to say anything


@pytest.mark.parametrize("directed", [False, True])
def test_shares_add_up_to_the_squared_distance(directed: bool):
    random = np.random.default_rng(0)
    graphs = []
    for i in range(12):
        n = 3 + i % 3
        edges = [(a, b) for a in range(n) for b in range(n) if a != b and random.random() < 0.4]
        edges = edges if directed else sorted({(min(e), max(e)) for e in edges})
        graphs.append(gm.Graph(random.normal(size=(n, 2)), edges, random.normal(size=(len(edges), 1)), directed=directed))
    km = fitted(graphs, 2)
    points, centers = points_of(km, graphs), centers_of(km)
    own = align_to_center(km.space_, points, centers, km.labels_)
    shares = distance_shares(points, centers, km.labels_.astype(np.int64), own)
    assert km.space_.in_units_of_graphs(shares.totals, power=2) == pytest.approx(own.upper**2)
    two = shares.edges.largest(2)
    for n, (first, last) in enumerate(zip(shares.edges.ptr, shares.edges.ptr[1:], strict=False)):
        mine = two.shares[two.ptr[n] : two.ptr[n + 1]]
        assert sorted(mine, reverse=True) == sorted(shares.edges.shares[first:last], reverse=True)[:2]


def test_the_tree_merges_what_costs_least():
    tree = merge_tree([2, 3, 4, 0], np.array([[0, 1, 9, 1], [1, 0, 8, 1], [9, 8, 0, 1], [1, 1, 1, 0.0]]))
    assert sorted(tree.labels) == [0, 1, 2]
    inner = tree.left if tree.left.label is None else tree.right
    assert sorted(inner.labels) == [0, 1]
    assert inner.cost == pytest.approx(2 * 3 / 5 * 1.0)
    assert tree.size == 9
    points = np.random.default_rng(1).normal(size=(6, 3))  # of vectors the costs are Ward's, exactly
    far = np.linalg.norm(points[:, None] - points[None], axis=2)
    total, found = 0.0, [merge_tree([1] * 6, far)]
    while found:
        node = found.pop()
        total += node.cost
        found += [part for part in (node.left, node.right) if part is not None and part.label is None]
    assert total == pytest.approx(((points - points.mean(axis=0)) ** 2).sum())
    assert merge_tree([1, 1], far[:2, :2]) is None


def test_merged_means_are_weighted():
    lines, triangles = drawings(8)[1::2], drawings(8)[::2]
    km = fitted(lines + triangles, 2)
    first, second = km.centroids(kind="graph")
    merged = merged_mean(first, second, gm.match(first, second).indices, (3, 1))
    assert merged.node_support.max() <= 1
    both = merged_mean(first, first, np.arange(first.n_nodes), (3, 1))
    assert both.n_nodes == first.n_nodes
    assert both.node_support == pytest.approx(first.node_support)
    assert np.asarray(both.nodes["x"]) == pytest.approx(np.asarray(first.nodes["x"]))
    assert both.edge_support == pytest.approx(first.edge_support)


def test_no_matchings_are_compared_where_alignments_are_fixed(tmp_path: Path):
    random = np.random.default_rng(0)
    rows = random.normal(size=(40, 40)) + 3 * (np.arange(40)[:, None] % 2)
    graphs = [gm.Graph({"v": row[:5]}, [], roles=list("abcde")) for row in rows]
    estimator = fitted(graphs, 2)
    assert summarize_clustering(estimator).saving is None
    said = words(Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)))
    assert "× fewer" not in said
    assert "standard k-means" not in said
    assert "can be aligned in one way only" in said


def test_classes_sort_as_people_sort():
    graphs = drawings(12)
    classes = [str(1 + i) for i in range(12)]
    summary = summarize_clustering(fitted(graphs, 12), classes)
    assert [c.majority for c in summary.in_reading_order()] == classes


def test_an_interrupted_fit_says_so(tmp_path: Path):
    graphs = drawings(8)
    estimator = fitted(graphs, 2)
    estimator.hint_ = "this result is partial: the fit was interrupted after its last complete iteration"
    summary = summarize_clustering(estimator)
    assert summary.interrupted
    said = words(Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)))
    assert "This result is partial: the fit was interrupted, and this is its last complete iteration." in said
