"""What the page says is true to the letter: names, counts and bounds do not contradict what stands beside them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

import graphmeans as gm
from graphmeans import Graph, MeanGraph
from graphmeans.plots.matrix import shown_ticks
from graphmeans.report import write_report
from graphmeans.report.cards.cards import _core_words
from graphmeans.report.cards.networks import connection_contrasts, row_blocks
from graphmeans.report.facts.summary import ClusterSummary, summarize_clustering
from graphmeans.report.sentences.contrasts import mean_contrasts
from graphmeans.report.sentences.headline import seen_words
from graphmeans.report.words import breakable, duration, number, percent
from reports import Page, drawings, fitted, letters, words


def lines_of(mean: MeanGraph, other: MeanGraph, into: list[int]) -> dict[str, tuple[str, str]]:
    names = [str(n) for n in range(1, mean.n_nodes + 1)]
    return {line.what: (line.here, line.there) for line in mean_contrasts(mean, other, np.array(into), names)}


# -- what sets clusters apart --------------------------------------------------------------------------


def test_a_row_names_the_kinds_of_both_clusters_where_they_differ():
    mean = MeanGraph({"kind": ["a", "b", "c", "d"]}, [(0, 1)], node_support=[1, 0.12, 0.02, 1], edge_support=[0.12])
    other = MeanGraph({"kind": ["a", "x", "y"]}, [(0, 1), (0, 2)], node_support=[1, 1, 1], edge_support=[1, 1])
    lines = lines_of(mean, other, [0, 1, 2, -1])
    assert lines["node 2 (b here, x there)"] == ("12% have it", "100% have it")
    assert lines["node 3 (y there)"] == ("2% have it", "100% have it")
    assert lines["node 4 (d)"] == ("100% have it", "0% have it")
    assert "edge 1–2 (a–b here, a–x there)" in lines
    assert lines["edge 1–3 (a–y there)"][1] == "100% have it"


def test_a_row_about_the_kind_itself_does_not_repeat_it():
    mean = MeanGraph({"kind": ["a", "b"], "size": [1.0, 5.0]}, node_support=[1, 1], edge_support=[])
    other = MeanGraph({"kind": ["a", "x"], "size": [1.0, 9.0]}, node_support=[1, 1], edge_support=[])
    assert lines_of(mean, other, [0, 1]) == {"kind of node 2": ("b", "x"), "size of node 2 (b here, x there)": ("5", "9")}


def test_rows_whose_values_read_alike_are_left_out():
    mean = MeanGraph({"angle": [258.1, 258.0, 258.0]}, node_support=[1, 1, 1], edge_support=[])
    other = MeanGraph({"angle": [258.4, 258.0, 258.0]}, node_support=[1, 1, 1], edge_support=[])
    assert lines_of(mean, other, [0, 1, 2]) == {}
    named = {"node_support": [1] * 4, "edge_support": [1, 1], "node_ids": list("abcd"), "roles": list("abcd")}
    networks = [MeanGraph(4, [(0, 1), (1, 2)], [w, v], **named) for w, v in ((258.1, 3.0), (258.4, 7.0))]
    assert [(line.what, line.here, line.there) for line in connection_contrasts(*networks)] == [("b – c", "3", "7")]


def test_numbers_of_long_vectors_are_not_told_of(tmp_path):
    random = np.random.default_rng(0)
    graphs = []
    for i in range(8):
        hashed, place = random.normal(6 * (i % 2), 1, (2, 9)), random.normal(6 * (i % 2), 1, (2, 8))
        graphs.append(Graph({"hashed": hashed, "mass": [1.0, 2.0], "place": place}, [(0, 1)], {"far": hashed[:1], "w": [2.0]}))
    path = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs)
    page, html = Page(path), path.read_text(encoding="utf-8")
    assert page.data["columns"] == ["mass", *(f"place {d}" for d in range(1, 9))]
    assert page.data["edge_columns"] == ["w"]
    for row in page.data["graphs"]:
        assert (len(row["a"]), len(row["ea"])) == (9, 1)
        assert row["a"][0] == [1, 2]
    assert re.search(r"<th scope=\"row\">place \d of node \d</th>", html)
    assert not re.search(r"(hashed|far) \d", html)


# -- cards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "support", "said"),
    [
        ([(0, 1), (1, 2)], [0.6, 0.4], "2 nodes and 1 edge of the mean are each found in at least half of the members"),
        ([(0, 1)], [0.4], "2 nodes and no edge of the mean are each found in at least half of the members"),
        ([], [], "2 nodes of the mean are each found in at least half of the members"),
    ],
)
def test_what_half_of_the_members_have_is_counted_part_by_part(edges, support, said):
    mean = MeanGraph(3, edges, node_support=[0.5, 0.6, 0.4], edge_support=support)
    assert _core_words(mean) == said


@pytest.mark.parametrize(
    ("mixture", "name", "said"),
    [
        ({"A": 9, "B": 1}, "A", "90% A"),
        ({"A": 5, "B": 3, "C": 2}, "A", "50% A"),
        ({"1": 53, "4": 47}, "classes 1 and 4", "53% class 1, 47% class 4"),
        ({"A": 45, "7": 40, "B": 15}, "A and class 7", "45% A, 40% class 7"),
        ({"A": 4, "B": 3, "C": 3}, "mixed", "mixed classes: 40% A, 30% B, 30% C"),
        ({"TR": 17, "T": 15, "L": 12, **dict.fromkeys("abcdefgh", 7)}, "mixed", "mixed classes: 17% TR, 15% T, 12% L"),
    ],
)
def test_a_cluster_is_named_after_classes_that_most_of_its_members_have(mixture, name, said):
    size = sum(mixture.values())
    mean = MeanGraph(0, node_support=[], edge_support=[])
    cluster = ClusterSummary(3, mean, np.arange(size), np.ones(size), tuple(mixture.items()))
    assert (cluster.name, cluster.classes_in_words) == (f"Cluster 3 · {name}", said)


def test_cards_of_mixed_clusters_say_so(tmp_path):
    graphs = drawings(12)
    classes = [f"kind {n % 5}" for n in range(12)]
    estimator = fitted(graphs, 2)
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
    for c in range(2):
        inside = [classes[i] for i in np.flatnonzero(estimator.labels_ == c)]
        most = sorted(set(inside), key=lambda kind: (-inside.count(kind), kind))[:3]
        shares = ", ".join(f"{percent(inside.count(kind) / len(inside))} {kind}" for kind in most)
        card = html.split(f'id="cluster-{c}"')[1].split("</header>")[0]
        assert f"Cluster {c} · mixed</a>" in card
        assert f"<p>6 graphs, mixed classes: {shares}</p>" in card


def test_a_hint_stands_where_settings_are_told(tmp_path):
    graphs = drawings(8)
    estimator = fitted(graphs, 2)
    estimator.hint_ = "swaps still helped: another random_state may do better"
    text = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    first, run = text.split('<h2 id="run">')
    assert "random_state" not in first
    assert "There may be a better clustering: see how the run went, below." in first
    assert "<p class=\"soft\">Swaps still helped: another random_state may do better.</p>" in run


def test_nothing_is_called_fewer_that_is_more(tmp_path):
    graphs, _, estimator = letters(60, 3)
    estimator.n_seeding_matchings_ += summarize_clustering(estimator).standard
    summary = summarize_clustering(estimator)
    assert summary.saving < 1
    said = words(Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)))
    assert "× fewer" not in said
    needs = f"in all, for seeds, swaps and proofs; a standard k-means needs {number(summary.standard)}"
    assert f"comparisons of two graphs (matchings) {needs}" in said
    assert number(summary.matchings) in said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ((True, False, False, False), "the molecule nearest to the mean"), ((False, True, False, False), "how they differ"),
        ((False, False, True, False), "a typical member"), ((False, False, False, True), "place by place"),
        ((False, False, False, False), "the mean graph of a cluster: dots are nodes"),
    ],
)  # fmt: skip
def test_a_page_says_what_its_pictures_are(kind, said):
    assert said in seen_words(*kind)


def test_short_times_are_not_nothing():
    assert duration(0.0) == duration(0.00049) == "under 1 ms"
    assert duration(0.0006) == "1 ms"


def test_clusters_of_one_size_are_not_said_to_be_sorted_by_it(tmp_path):
    graphs = drawings(8)
    text = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs).read_text(encoding="utf-8")
    assert re.search(r'id="order">(.*?)</b>', text)[1] == "All of one size, in the order of their numbers."
    assert "Largest first." not in text


def test_clusters_of_one_size_are_said_to_hold_so_many_each(tmp_path):
    graphs = drawings(8)
    page = Page(write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs))
    assert "8 graphs fall into 2 clusters. Each holds 4 graphs." in words(page)


# -- matrices ------------------------------------------------------------------------------------------

LOBES = {"frontal": 10, "parietal": 7, "temporal": 7, "occipital": 6}


def test_rows_of_a_large_matrix_are_named_by_what_neighbours_share(tmp_path):
    names = [f"{side} {lobe} gyrus {i}" for lobe, n in LOBES.items() for i in range(n) for side in ("left", "right")]
    matrices = np.random.default_rng(0).normal(size=(8, 60, 60))
    matrices[::2] += 2.0
    graphs = gm.structures.labelled_networks(list(matrices + matrices.transpose(0, 2, 1)), labels=names)
    html = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs).read_text(encoding="utf-8")
    pictures = re.findall(r'<svg class="matrix".*?</svg>', html, re.S)
    assert len(pictures) == 3  # both means, and a difference
    for picture in pictures:
        rows = re.findall(r'y="([\d.]+)"[^>]*>([^<]*)</text>', picture)
        assert [name for _, name in rows] == [f"{lobe} gyrus" for lobe in LOBES]
        assert [float(y) for y, _ in rows] == pytest.approx([50, 135, 205, 270])  # of 300: the middle of each lobe
        assert re.findall(r"M\d+ ([\d.]+)V([\d.]+)", picture)[0] == ("1.0", "99.0")


def test_blocks_of_rows():
    nets = ("Visual", "Dorsal attention", "Ventral attention")
    halves = [f"{side}H {net} {i}" for side in "LR" for net in nets for i in range(9)]
    named = [f"{side}H {net}" for side in "LR" for net in nets]
    assert [block.name for block in row_blocks(halves)] == named
    assert row_blocks([f"area {i}" for i in range(50)]) == []
    assert row_blocks([f"{i}" for i in range(50)]) == []


def test_both_sides_are_named_where_they_alternate():
    assert {i % 2 for i in shown_ticks(90, 24)} == {0, 1}
    assert shown_ticks(20, 24) == list(range(20))


# -- members, in a browser -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lettered(tmp_path_factory):
    graphs, classes, estimator = letters(240)
    path = tmp_path_factory.mktemp("true") / "letters.html"
    write_report(path, estimator=estimator, graphs=graphs, classes=classes)
    return graphs, estimator, Page(path), path


def opened(tab: Tab, rows: list[int], what: str) -> list[str]:
    """What the views of these members say there, one after the other."""
    found = []
    for i in rows:
        tab.driver.execute_script(f"location.hash = '#graph-{i}'")
        tab.until(f"location.hash === '#graph-{i}' && document.getElementById('viewer').open")
        found.append(tab.js(f"document.getElementById('{what}').textContent"))
    return found


def test_bounds_are_below_the_distances_beside_them(browser, lettered):  # noqa: F811
    _, estimator, page, path = lettered
    tab = Tab(browser, path).open("#graph-0")
    rows = sorted(page.data["graphs"], key=lambda row: row["i"])[::6]  # browsers take few addresses a second
    told = 0
    for row, said in zip(rows, opened(tab, [row["i"] for row in rows], "viewer-facts"), strict=True):
        bound = re.search(r"proven: no other mean is nearer than ([\d.]+)$", said)
        if bound is None:
            assert said.endswith(" · proven to be the nearest mean" if row["pm"] >= 0 else "not proven to be the nearest mean")
            continue
        told += 1
        i = row["i"]
        assert row["r"] <= float(bound[1]) <= row["r2"]
        assert float(bound[1]) <= estimator.distances_[i] / (1 - estimator.certified_margins_[i])
        assert float(bound[1]) >= 0.996 * estimator.distances_[i] / (1 - estimator.certified_margins_[i])
    assert told > 10
    assert tab.errors() == []


def test_a_second_cluster_is_called_near_only_where_it_is(browser, lettered):  # noqa: F811
    page, path = lettered[2:]
    rows = sorted((row for row in page.data["graphs"] if row["r"]), key=lambda row: row["r2"] / row["r"])
    rows = [*rows[:6], *rows[:: len(rows) // 12], *rows[-4:]]
    near = 0
    views = opened(Tab(browser, path).open("#graph-0"), [row["i"] for row in rows], "viewer-facts")
    for row, said in zip(rows, views, strict=True):
        name, most, far = page.data["clusters"][row["c2"]]["name"], "at most " * ("u" in row), row["r2"] / row["r"]
        at = f", at most {row['r2']:g} away" if most else f" at {row['r2']:g}"
        if far <= 2 or row.get("b"):
            near += 1
            assert f" · {'near the border to' if row.get('b') else 'next:'} {name}{at}" in said
        else:
            first = "the next one known" if most else "clearly: the next one"
            times = re.search(rf" · {first}, {re.escape(name)}, is {most}([\d.]+) times as far, at {row['r2']:g}", said)
            assert float(times[1]) == pytest.approx(far, rel=0.051)
    assert 0 < near < len(rows)
    assert {row.get("b", 0) for row in rows} == {0, 1}


def test_a_member_without_a_common_part_is_not_called_usual(browser, tmp_path):  # noqa: F811
    shape = {"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 2.0, 2.0, 0.0]}
    whole = [Graph(shape, [(0, 1), (1, 2), (2, 3)]) for _ in range(9)]
    short = {key: values[:3] for key, values in shape.items()}
    graphs = [*whole, Graph(shape, [(0, 1), (2, 3)]), Graph(short, [(0, 1), (1, 2)])]
    path = write_report(tmp_path / "r.html", estimator=fitted(graphs, 1), graphs=graphs)
    data = Page(path).data
    number = {n: at for at, n in enumerate(data["clusters"][0]["n"])}
    tab = Tab(browser, path).open("#graph-0")
    usual, open_, cut = opened(tab, [0, 9, 10], "viewer-note")
    assert usual.startswith("Nothing in it is where few members have something. Shares")
    edge = re.fullmatch(r"Missing: edge (\d+)–(\d+) \(91% of the members have it\)\. Shares.*", open_)
    into = {row["i"]: row["m"] for row in data["graphs"]}
    assert {number[int(n)] for n in edge.groups()} == {into[9][1], into[9][2]}
    node = re.fullmatch(r"Missing: node (\d+) \(91% of the members have it\)\. Shares.*", cut)
    assert number[int(node[1])] not in into[10]  # the edge that leads to it is not told, too
    assert tab.errors() == []


def test_members_miss_what_their_alignments_say(browser, lettered):  # noqa: F811
    graphs, estimator, page, path = lettered
    means, expected = estimator.centroids(), {}
    for row in page.data["graphs"]:
        mean, number, into = means[row["c"]], page.data["clusters"][row["c"]]["n"], row["m"]
        common = np.round(100 * mean.node_support) >= 80
        gone = {f"node {number[j]}" for j in np.flatnonzero(common).tolist() if j not in into}
        own = {frozenset(into[i] for i in ends) for ends in graphs[row["i"]].edges.tolist()}
        for (i, j), has in zip(mean.edges.tolist(), mean.edge_support, strict=True):
            if round(100 * has) >= 80 and {i, j} <= {*into} and {i, j} not in own:
                gone.add(f"edge {number[i]}–{number[j]}")
        expected[row["i"]] = gone
    lacking = [i for i, gone in expected.items() if gone][:20]
    rows = [*lacking, *[i for i, gone in expected.items() if not gone][:10]]
    assert 10 < len(rows) > len(lacking) > 2
    for i, said in zip(rows, opened(Tab(browser, path).open("#graph-0"), rows, "viewer-note"), strict=True):
        told = re.search(r"Missing: (.*?)\.", said)
        assert set(re.findall(r"(?:node \d+|edge \d+–\d+)", told[1] if told else "")) == expected[i]
        assert not (told and "No node or edge of it" in said)


def test_names_of_ring_systems_are_not_broken_within_brackets():
    text = str(breakable("Pyrazolo[3,4-d]pyrimidines and iso-propylbenzenes <b>"))
    assert '<bdi style="white-space: nowrap">[3,4-d]</bdi>' in text
    assert "iso-<wbr>propylbenzenes &lt;b&gt;" in text
    assert str(breakable("[a-<i>-b]")) == '<bdi style="white-space: nowrap">[a-&lt;i&gt;-b]</bdi>'
