"""The page as a file: complete, to be trusted with any name, and honest about its figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import Graph
from graphmeans.evaluation.fitted import centers_of
from graphmeans.evaluation.measures import standard_matchings
from graphmeans.report import write_report
from graphmeans.report.data.page_data import script_json
from graphmeans.report.facts.evidence import gather
from graphmeans.report.facts.summary import summarize_clustering
from graphmeans.report.pictures.chart import bar_chart, line_chart
from graphmeans.report.sentences.contrasts import profile, profile_contrasts, spreads
from graphmeans.report.words import percent
from reports import HOSTILE, Page, drawings, fitted, letters, words


@pytest.fixture(scope="module")
def lettered(tmp_path_factory):
    graphs, classes, estimator = letters()
    path = tmp_path_factory.mktemp("report") / "r.html"
    write_report(
        path, estimator=estimator, graphs=graphs, classes=classes, title="Letters", command="graphmeans x", seconds=2
    )
    return graphs, classes, estimator, Page(path)


def test_the_page_says_what_came_out(lettered):
    _, classes, estimator, page = lettered
    said = words(page)
    assert "Letters" in said
    assert "120 graphs fall into 15 clusters." in said
    assert f"{percent(gm.evaluation.accuracy(classes, estimator.labels_))} of the graphs belong to the class" in said
    assert re.search(r"\(silhouette index 0\.\d\d( ± 0\.\d\d)?; 1 would be wholly apart, 0 not at all\)", said)
    seen = "Each picture is the mean graph of a cluster: dots are nodes, lines edges; the paler something is, the fewer members"
    small = "Small ones below are the nearest members of the classes in a mixed cluster."
    assert f"{seen} of the cluster have it. {small} By the most frequent class, then by size." in said
    assert "proven to be nearest" in said
    assert "would stay in it with another sample of graphs" in said
    assert f"{estimator.n_matchings_ + estimator.n_seeding_matchings_:,} in all, in place of" in said
    assert "interval" in said
    assert "graphmeans x" in said
    assert "2.0 s" in said
    assert "What sets it apart from Cluster" in said
    assert sum(tag == "article" for tag, _ in page.tags) == 15


def test_every_graph_is_in_the_page_with_its_alignment(lettered):
    graphs, classes, estimator, page = lettered
    assert len(page.data["graphs"]) == 120
    assert "everyone" not in page.data
    for row in page.data["graphs"]:
        i = row["i"]
        assert row["name"] == graphs[i].name
        assert row["c"] == estimator.labels_[i]
        assert page.data["classes"][row["k"]] == classes[i]
        assert row["r"] == pytest.approx(estimator.distances_[i], rel=1e-3)
        assert len(row["m"]) == graphs[i].n_nodes == len(row["p"]) // 2
        assert max(row["m"]) < len(page.data["clusters"][row["c"]]["p"]) // 2
        assert row["c2"] != row["c"]
        assert row["s"] == graphs[i].edges.ravel().tolist()
        parts = sum(row["dn"]) + sum(row["de"][2::3]) + sum(row.get("mn", [])[1::2]) + sum(row.get("me", [])[2::3])
        assert parts == pytest.approx(1000, abs=25) or row["r"] == 0  # shares of the squared distance, rounded one by one


def test_cards_show_the_nearest_the_farthest_and_the_doubtful(lettered):
    _, _, estimator, page = lettered
    groups = [a for tag, a in page.tags if tag == "ul" and "data-members" in a]
    typical = [a for a in groups if a["aria-label"].startswith("Nearest")]
    assert len(typical) == 15
    for group in typical:
        rows = [page.data["graphs"][int(n)] for n in group["data-members"].split()]
        assert len({row["c"] for row in rows}) == 1
        inside = np.sort(estimator.distances_[estimator.labels_ == rows[0]["c"]])
        assert [row["r"] for row in rows] == pytest.approx(inside[: len(rows)], rel=1e-3)


def test_who_is_odd_and_doubtful_is_shown_once_and_counted(tmp_path):
    graphs, _, estimator = letters(150, 8)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs))
    groups = [a for tag, a in page.tags if tag == "ul" and "data-members" in a]
    apart = estimator.space_.distances(centers_of(estimator)) ** 2

    def on_the_way(row):
        """The foot of a graph on the line from its mean to that of its second cluster."""
        far = apart[row["c"], row["c2"]]
        return (far + row["r"] ** 2 - row["r2"] ** 2) / (2 * far)

    shown = {}
    for a in groups:
        rows = [page.data["graphs"][int(n)] for n in a["data-members"].split()]
        shown.setdefault(rows[0]["c"], {})[a["aria-label"].split(" ")[0]] = rows, a["aria-label"]
    both = 0
    for card in shown.values():
        odd, said = card.get("Odd", ([], ""))
        doubtful = card.get("Doubtful", ([], ""))[0]
        typical = card["Nearest"][0]
        assert not {row["i"] for row in [*typical, *odd]} & {row["i"] for row in doubtful}
        assert all(on_the_way(row) >= 0.399 and row["b"] for row in doubtful)
        count = sum(row.get("b", 0) for row in odd)
        assert all(row.get("b", 0) == (on_the_way(row) >= 0.4) for row in odd if abs(on_the_way(row) - 0.4) > 0.002)
        many = "all" if count == len(odd) > 1 else count
        also = f"; {many} of them also near a border" if count else ""
        assert not odd or said == f"Odd members, farthest from the mean{also}"
        both += count
    assert both


def test_nothing_is_loaded_from_elsewhere_and_only_our_script_runs(lettered):
    page = lettered[3]
    scripts = [a for tag, a in page.tags if tag == "script"]
    assert len(scripts) == 2 + 15
    assert all(script["type"] == "application/json" for script in scripts[:-1])
    assert not any(tag in {"img", "iframe", "object", "embed"} for tag, _ in page.tags)
    for tag, attributes in page.tags:
        assert not any(key.startswith("on") for key in attributes)
        assert "src" not in attributes
        if tag != "link":
            assert (attributes.get("href") or "#").startswith("#")
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    for forbidden in ("fetch(", "XMLHttpRequest", "http://" + "localhost", "import(", "innerHTML", "eval("):
        assert forbidden not in page.script


def test_every_picture_is_described_and_links_lead_somewhere(lettered):
    page = lettered[3]
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes.get("aria-label") or attributes.get("aria-hidden")
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    targets = {(attributes["href"] or "")[1:] for tag, attributes in page.tags if tag in ("a", "use")}
    assert targets <= set(ids)


def test_names_stay_text(tmp_path: Path):
    graphs = drawings(10, HOSTILE, HOSTILE)
    path = write_report(
        tmp_path / "r.html",
        estimator=fitted(graphs, 2),
        graphs=graphs,
        classes=[HOSTILE[i % 5] for i in range(10)],
        title=HOSTILE[0],
        command=" ".join(HOSTILE),
    )
    page = Page(path)
    assert sum(tag == "script" for tag, _ in page.tags) == 2 + 2
    assert not any(tag == "img" for tag, _ in page.tags)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\x1b" not in path.read_text(encoding="utf-8")
    assert {row["name"] for row in page.data["graphs"]} >= {HOSTILE[0], HOSTILE[1]}
    assert HOSTILE[0] in page.data["classes"]


def test_json_cannot_end_its_element():
    text = script_json({"</script><b>": "<!--&\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"</script><b>": "<!--&\u2028"}


def test_what_sets_clusters_apart_is_in_original_units(tmp_path: Path):
    small = [Graph({"mass": [10.0 + i % 2, 12.0], "kind": ["a", "a"]}, [(0, 1)], {"bond": [1.0]}) for i in range(6)]
    large = [Graph({"mass": [90.0 + i % 2, 110.0], "kind": ["a", "b"]}, [(0, 1)], {"bond": [3.0]}) for i in range(6)]
    found = profile_contrasts(profile(small), profile(large), spreads(small + large))
    lines = {line.what: (line.here, line.there) for line in found}
    assert lines["mean mass of nodes"] == ("11.2", "100")
    assert lines["mean bond of edges"] == ("1", "3")
    assert lines["share of nodes with kind b"] == ("0%", "50%")
    path = write_report(tmp_path / "r.html", estimator=fitted(small + large, 2), graphs=small + large)
    source = path.read_text(encoding="utf-8")
    assert "mean mass of nodes</th><td>11.2</td><td>100</td>" in source
    assert "mean mass of nodes</th><td>100</td><td>11.2</td>" in source


def test_graphs_without_positions_single_clusters_and_single_graphs(tmp_path: Path):
    graphs = [Graph(3, [(0, 1)]), Graph(0), Graph(2, [(0, 1)])]
    page = Page(write_report(tmp_path / "r.html", estimator=fitted(graphs, 1, algorithm="elkan"), graphs=graphs))
    assert "3 graphs fall into 1 cluster." in words(page)
    alone = Page(
        write_report(tmp_path / "r.html", estimator=fitted(graphs[:1], 1, algorithm="elkan"), graphs=graphs[:1])
    )
    assert "the only member" in words(alone)
    every = drawings(4)
    page = Page(write_report(tmp_path / "r.html", estimator=fitted(every, 4), graphs=every))
    assert words(page).count("the only member") == 4


@pytest.mark.parametrize(
    ("algorithm", "order"),
    [("lloyd", "auto"), ("elkan", "auto"), ("elkan", None), ("gvr", "auto"), ("interval", "auto")],
)
def test_every_algorithm_and_order_has_a_page(tmp_path: Path, algorithm: str, order: str | None):
    graphs, classes, _ = letters(30, 2)
    estimator = fitted(graphs, 4, algorithm=algorithm, order=order)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes))
    assert ("proven to be nearest" in words(page)) == bool(np.isfinite(estimator.certified_fraction_))
    assert algorithm in words(page)


@pytest.mark.parametrize("directed", [False, True])
def test_roles_directions_and_strings_have_a_page(tmp_path: Path, directed: bool):
    graphs = []
    for i in range(9):
        size = 2 + i % 2
        ties = {"tie": ["x" if i % 3 else "y"]}
        graphs.append(
            Graph({"word": ["a", "b", "c"][:size]}, [(0, 1)], ties, directed=directed, roles=["r", "s", "s"][:size])
        )
    estimator = fitted(graphs, 2, algorithm="elkan")
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs))
    assert page.data["columns"] == ["word"]
    assert ("w" in page.data["graphs"][0]) == directed
    assert page.data["palette"]


def test_networkx_graphs_have_a_page(tmp_path: Path):
    nx = pytest.importorskip("networkx")
    graphs = [nx.path_graph(3 + i % 3) for i in range(8)]
    estimator = gm.GraphKMeans(2, algorithm="elkan", init="k-means++", n_init=1, random_state=0).fit(graphs)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs))
    assert len(page.data["graphs"]) == 8


def test_an_empty_cluster_says_so(tmp_path: Path):
    graphs = [Graph([[0.0, 0.0], [1.0, 1.0]], [(0, 1)])] * 3 + [Graph([[5.0, 5.0]])]
    with pytest.warns(Warning, match="distinct clusters"):
        estimator = fitted(graphs, 3, init=[graphs[0], graphs[0], graphs[3]])
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs))
    assert "No graph is in this cluster." in words(page)


def test_large_collections_are_sampled_and_the_page_says_so(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("graphmeans.report.facts.evidence.MOST_GRAPHS", 150)
    graphs, classes, estimator = letters(600)
    evidence = gather(estimator, graphs)
    assert len(evidence.sample) <= 150
    for label in range(15):
        members = np.flatnonzero(estimator.labels_ == label)
        order = members[np.argsort(estimator.distances_[members], kind="stable")]
        assert {int(order[0]), int(order[-1])} <= set(evidence.sample.tolist())
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes))
    drawn = len(page.data["graphs"])
    assert f"The {drawn} graphs that are drawn on this page" in words(page)
    assert f"the other {600 - drawn} where a regression" in words(page)
    assert len(page.data["everyone"]["names"]) == 600
    assert page.data["everyone"]["labels"] == estimator.labels_.tolist()


def test_many_clusters(tmp_path: Path):
    graphs, classes, estimator = letters(400, 200, init="random", max_iter=2)
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes)
    assert sum(tag == "article" for tag, _ in Page(path).tags) == 200
    assert path.stat().st_size < 3e6


def test_750_letters_are_small(tmp_path: Path):
    graphs, classes, estimator = letters(750)
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes)
    assert path.stat().st_size < 3e6


@pytest.mark.thorough
def test_100_000_graphs_are_a_small_page(tmp_path: Path):
    graphs, classes, estimator = letters(500)
    for name in ("labels_", "distances_", "certified_", "certified_margins_"):
        setattr(estimator, name, np.tile(getattr(estimator, name), 200))
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs * 200, classes=classes * 200)
    assert path.stat().st_size < 8e6
    page = Page(path)
    assert f"The {len(page.data['graphs']):,} graphs that are drawn on this page" in words(page)
    assert len(page.data["everyone"]["names"]) == 100_000
    assert len(page.data["rest"]["x"]) == 4 * -(-2 * (100_000 - len(page.data["graphs"])) // 3)  # every graph is a dot


def test_no_saving_is_claimed_where_there_is_none(tmp_path: Path):
    graphs = drawings(6)
    estimator = fitted(graphs, 2)
    estimator.n_matchings_ = len(estimator.trace_) * standard_matchings(6, 2)
    assert "× fewer" not in words(Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)))


def test_what_does_not_fit_together_is_refused(tmp_path: Path):
    graphs = drawings(4)
    estimator = fitted(graphs, 2)
    with pytest.raises(ValueError, match="fitted to 4 graphs, not to 3"):
        write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs[:3])
    with pytest.raises(ValueError, match="1 classes for 4 graphs"):
        write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=["A"])


def test_summary_counts():
    graphs = drawings(4)
    estimator = fitted(graphs, 2)
    first = int(estimator.labels_[0])
    summary = summarize_clustering(estimator, ["A", "B", "B", "B"])
    assert summary.accuracy == 0.75
    assert summary.clusters[first].mixture == (("A", 1), ("B", 1))
    assert [c.majority for c in summary.in_reading_order()] == ["A", "B"]
    assert summarize_clustering(estimator).accuracy is None
    assert summarize_clustering(estimator, ["7"] * 4).clusters[0].name == "Cluster 0 · class 7"


def test_stability_and_second_clusters():
    graphs, _, estimator = letters(150)
    evidence = gather(estimator, graphs)
    far = estimator.transform(graphs)
    rows = np.arange(len(graphs))
    far[rows, estimator.labels_] = np.inf
    here = far[rows, evidence.second]  # how far the cluster that is named is
    assert (evidence.second != estimator.labels_).all()
    assert evidence.second_matched.any()
    assert evidence.second_distance[evidence.second_matched] == pytest.approx(here[evidence.second_matched])
    assert (evidence.second_distance >= here - 1e-9).all()
    doubtful = evidence.own_distance > 0.8 * far.min(axis=1)
    assert evidence.second_matched[doubtful].all()
    assert (here[doubtful] <= 1.1 * far.min(axis=1)[doubtful]).all()  # the second cluster, or one nearly as near
    assert 0.5 < evidence.stability <= 1
    assert np.isinf(evidence.margins).sum() == 0


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


def test_the_first_sentence_of_a_card_is_true(tmp_path: Path):
    kinds = [["loop", "name"], ["call", "name", "name"]]
    graphs = [Graph({"kind": kinds[i % 2] * (1 + i % 2)}, [(0, 1)], name=f"g{i}") for i in range(12)]
    estimator = fitted(graphs, 2)
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    for label in (0, 1):
        card = html.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        said = re.sub("<.*?>", "", card.split('class="told">')[1].split("</p>")[0])
        own = {kind for i, graph in enumerate(graphs) if estimator.labels_[i] == label for kind in graph.nodes["kind"]}
        mine, other = ("loop", "call") if "loop" in own else ("call", "loop")
        assert f"all have {mine} nodes (others 0%)" in said
        assert f"none have {mine} nodes" not in said
        assert f"all have {other} nodes" not in said


def test_a_cluster_without_a_common_node_says_so(tmp_path: Path):
    graphs = [Graph(0) for _ in range(6)] + [Graph({"x": [0.0, 9.0], "y": [0.0, 9.0]}, [(0, 1)]) for _ in range(6)]
    graphs[:6] = [Graph({"x": [], "y": []}) for _ in range(6)]
    html = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs).read_text(encoding="utf-8")
    assert "No node is common to half of the members." in html
    assert "0 nodes" not in html


def test_all_members_that_are_drawn_are_shown_on_demand(tmp_path: Path):
    graphs, _ = gm.datasets.make_letters(60, random_state=0)
    path = write_report(tmp_path / "r.html", estimator=fitted(graphs, 4), graphs=graphs, members=40)
    page, html, few = Page(path), path.read_text(encoding="utf-8"), 0
    for c, card in re.findall(r'<article[^>]*data-c="(\d)"(.*?)</article>', html, re.DOTALL):
        shown = {n for some in re.findall(r'data-members="([\d ]+)"', card) for n in some.split()}
        drawn = sum(row["c"] == int(c) for row in page.data["graphs"])
        assert ("data-all=" in card) == (drawn > len(shown))
        few += len(shown) < drawn < 15
    assert few
