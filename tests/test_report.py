"""The page: one file, complete, to be trusted with any name, and honest about its figures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.report import write_report
from graphmeans.report.chart import bar_chart, line_chart
from graphmeans.report.summary import standard_matchings, summarise

TRACE = [("iteration", int), ("inertia", float), ("moved", int), ("matchings", int), ("seconds", float)]
VOID = {"meta", "circle", "path", "rect", "br"}


def fitted(labels: list[int], n_clusters: int, *, matchings: int = 30, iterations: int = 3, **params: Any) -> Any:
    """As much of a fitted estimator as the report looks at."""
    support = {"node_support": [1.0, 0.9, 0.1], "edge_support": [0.9, 0.1]}
    means = [
        MeanGraph({"x": [0.0, 1.0, 5.0], "y": [0.0, k + 1.0, 5.0]}, [(0, 1), (0, 2)], **support)
        for k in range(n_clusters)
    ]
    trace = np.zeros(iterations, dtype=TRACE)
    trace["iteration"], trace["inertia"] = np.arange(1, iterations + 1), 10.0 / np.arange(1, iterations + 1)
    trace["matchings"], trace["seconds"] = matchings // max(iterations, 1), 0.25
    return SimpleNamespace(
        labels_=np.array(labels),
        distances_=np.linspace(2.0, 1.0, len(labels)),
        inertia_=3.25,
        n_iter_=iterations,
        trace_=trace,
        n_matchings_=matchings,
        n_seeding_matchings_=7,
        n_evaluation_matchings_=0,
        centroids=lambda: means,
        get_params=lambda deep=True: {"n_clusters": n_clusters, **params},
    )


def drawings(n: int, names: list[str] | None = None) -> list[Graph]:
    return [
        Graph({"x": [0.0, 1.0], "y": [0.0, 1.0 + i % 3]}, [(0, 1)], name=names[i] if names else f"drawing {i}")
        for i in range(n)
    ]


class Page(HTMLParser):
    """Collects what a browser would see, and complains about tags that do not match."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def words(page: Page) -> str:
    return re.sub(r"\s+", " ", page.text)


def test_the_page_says_what_came_out(tmp_path: Path):
    labels = [0] * 30 + [1] * 10
    classes = ["A"] * 29 + ["B"] * 11
    estimator = fitted(labels, 2, algorithm="elkan")
    path = write_report(
        tmp_path / "r.html",
        estimator=estimator,
        graphs=drawings(40),
        classes=classes,
        title="Forty",
        command="graphmeans x",
    )
    page = Page(path)
    said = words(page)
    assert "Forty" in said
    assert "40 graphs went in" in said
    assert "2 clusters came out" in said
    assert "97.5%" in said
    standard = 3 * (2 * 40 + 40 - 2) - (40 - 2)
    assert f"30 in place of {standard}" in said
    assert f"{standard / 30:.1f}× fewer" in said
    assert "The 18 nearest to the mean, of 30" in said
    assert "The 6 farthest from it" in said
    assert "All 10" in said
    assert "elkan" in said
    assert "graphmeans x" in said
    assert "750 ms" in said
    assert sum(tag == "article" for tag, _ in page.tags) == 2


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs(tmp_path: Path):
    page = Page(write_report(tmp_path / "r.html", estimator=fitted([0, 0, 1], 2), graphs=drawings(3)))
    assert not any(tag in {"script", "link", "img", "iframe"} for tag, _ in page.tags)
    for _, attributes in page.tags:
        assert not any(key.startswith("on") for key in attributes)
        assert (attributes.get("href") or "#").startswith("#")
        assert "src" not in attributes
    source = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "url(" not in source
    assert "@import" not in source


def test_every_picture_is_described_and_links_lead_somewhere(tmp_path: Path):
    page = Page(
        write_report(tmp_path / "r.html", estimator=fitted([0, 0, 1], 2), graphs=drawings(3), classes=[1, 1, 2])
    )
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes.get("aria-label") or attributes.get("aria-hidden") or attributes.get("class") == "arrow"
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    targets = {(attributes["href"] or "")[1:] for tag, attributes in page.tags if tag == "a"}
    assert targets <= set(ids)


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "[red]x[/red]", "\x1b[31mred", "{{ 7 * 7 }}"]


def test_names_stay_text(tmp_path: Path):
    graphs = drawings(len(HOSTILE), HOSTILE)
    estimator = fitted([0] * len(HOSTILE), 1, init=HOSTILE[0])
    path = write_report(
        tmp_path / "r.html",
        estimator=estimator,
        graphs=graphs,
        classes=HOSTILE,
        title=HOSTILE[0],
        command=" ".join(HOSTILE),
    )
    page = Page(path)
    assert not any(tag in {"script", "img"} for tag, _ in page.tags)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\x1b" not in path.read_text(encoding="utf-8")


def test_hostile_node_labels_stay_text(tmp_path: Path):
    graphs = [Graph({"kind": [HOSTILE[0], HOSTILE[1], "plain"]}, [(0, 1)]) for _ in range(2)]
    page = Page(write_report(tmp_path / "r.html", estimator=fitted([0, 0], 1), graphs=graphs))
    assert not any(tag in {"script", "img"} for tag, _ in page.tags)


def test_members_stand_nearest_first(tmp_path: Path):
    path = write_report(tmp_path / "r.html", estimator=fitted([0, 0, 0], 1), graphs=drawings(3))
    titles = [attributes["title"] or "" for tag, attributes in Page(path).tags if tag == "li" and "title" in attributes]
    assert [title.split(",")[0] for title in titles] == ["drawing 2", "drawing 1", "drawing 0"]


def test_graphs_without_positions_empty_clusters_and_single_iterations(tmp_path: Path):
    graphs = [Graph(3, [(0, 1)]), Graph(0)]
    page = Page(write_report(tmp_path / "r.html", estimator=fitted([0, 0], 2, iterations=1), graphs=graphs))
    assert "No graph is in this cluster." in words(page)
    Page(write_report(tmp_path / "r.html", estimator=fitted([0, 0], 2, iterations=0, matchings=0), graphs=graphs))


def test_no_saving_is_claimed_where_there_is_none(tmp_path: Path):
    estimator = fitted([0, 0, 1], 2, matchings=3 * standard_matchings(3, 2))
    said = words(Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=drawings(3))))
    assert "fewer" not in said


def test_what_does_not_fit_together_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="fitted to 2 graphs, not to 3"):
        write_report(tmp_path / "r.html", estimator=fitted([0, 1], 2), graphs=drawings(3))
    with pytest.raises(ValueError, match="1 classes for 2 graphs"):
        write_report(tmp_path / "r.html", estimator=fitted([0, 1], 2), graphs=drawings(2), classes=["A"])


def test_summary_counts():
    summary = summarise(fitted([0, 0, 1, 1], 2), ["A", "B", "B", "B"])
    assert summary.accuracy == 0.75
    assert summary.clusters[0].mixture == (("A", 1), ("B", 1))
    assert [c.majority for c in summary.in_reading_order()] == ["A", "B"]
    assert summarise(fitted([0, 1, 1], 2)).accuracy is None
    assert [c.label for c in summarise(fitted([0, 1, 1], 2)).in_reading_order()] == [1, 0]


@pytest.mark.parametrize(
    "values", [[1.0], [2.0, 2.0], [3.0, 1.0, 2.0], [0.0, 0.0], [1e9, 1e-9], list(range(200, 0, -1))]
)
def test_charts_stay_inside_their_frame(values: list[float]):
    steps = list(range(1, len(values) + 1))
    for chart in (line_chart(steps, values, label="x"), bar_chart(steps, values, 5.0, label="x")):
        assert not re.search(r"\b(nan|inf)\b", chart)
        heights = [float(y) for y in re.findall(r' c?y="([-\d.]+)"', chart)]
        assert min(heights) >= 0
        assert max(heights) <= 220
