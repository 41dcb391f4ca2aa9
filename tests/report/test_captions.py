"""Captions of tiles, clusters of graphs without nodes, and members that would lie outside of their pictures."""

from __future__ import annotations

import html as entities
import re

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

import graphmeans as gm
from graphmeans import Graph
from graphmeans.report import write_report
from graphmeans.report.facts.summary import summarize_clustering
from graphmeans.report.sentences.told import told
from graphmeans.report.words import whole_percents
from reports import fitted, letters

EMPTY, FULL = 30, 12


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    random = np.random.default_rng(0)
    square = np.array([[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]]) + 50
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    graphs = [Graph({"x": [], "y": []}, name=f"empty {n}") for n in range(EMPTY)]
    graphs += [Graph({"x": [40.0], "y": [40.0]}, name="lone") for n in range(1)]
    for n in range(FULL):
        points = square + random.normal(0, 0.2, square.shape)
        graphs.append(Graph({"x": points[:, 0], "y": points[:, 1]}, ring, name=f"square {n}"))
    estimator = fitted(graphs, 2)
    path = tmp_path_factory.mktemp("empty") / "r.html"
    write_report(path, estimator=estimator, graphs=graphs)
    return graphs, estimator, path


def captions(text: str) -> dict[int, str]:
    return {int(c): entities.unescape(said) for c, said in re.findall(r'<li data-c="(\d+)">.*?<small title="(.*?)">', text)}


def test_a_cluster_of_graphs_without_nodes_is_called_that(run):
    graphs, estimator, path = run
    label = int(estimator.labels_[0])
    inside = [graph for graph, of in zip(graphs, estimator.labels_, strict=True) if of == label]
    empty = sum(graph.n_nodes == 0 for graph in inside)
    assert EMPTY == empty < len(inside)
    text = path.read_text(encoding="utf-8")
    assert captions(text)[label] == f"{round(100 * empty / len(inside))}% have no nodes (others 0%)"
    card = re.sub("<.*?>", "", text.split(f'id="cluster-{label}"')[1].split("</article>")[0])
    assert f"{round(100 * empty / len(inside))}% have no nodes (others 0%)" in card
    assert "fewer nodes" not in card  # that is the same once more


def test_captions_are_what_cards_say_first_and_stay_away_where_classes_are_known(tmp_path):
    graphs, classes, estimator = letters()
    text = write_report(tmp_path / "a.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    found = captions(text)
    assert len(found) == estimator.n_clusters
    nearest = 0
    for label in found:
        card = text.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        tile = re.findall(r'<small title="(.*?)">', text.split(f'<li data-c="{label}">')[1].split("</li>")[0])
        said = re.findall(r"<b>(.*?)</b>( \(others .*?\))", re.search(r'class="told">(Unlike the others.*?)</p>', card)[1])
        known = {re.sub(",? on average$", "", one) + others for one, others in said}
        if beside := re.search(r'class="told">Unlike Cluster (\d+), the nearest: (.*?)</p>', card):
            for one, there in re.findall(r"<b>(.*?)</b> \(there (.*?)\)", beside[2]):
                known.add(re.sub(",? on average$", "", one) + f" (cluster {beside[1]}: {there})")
        for line in tile:
            assert line in {one[0].upper() + one[1:] for one in known} or line.endswith("single lines") or line[:7] == "Such as"
            nearest += "(cluster " in line
    assert nearest
    summary = summarize_clustering(estimator, classes)
    assert summary.accuracy > 0.7
    text = write_report(tmp_path / "b.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
    assert set(captions(text)) == {c.label for c in summary.clusters if c.purity < 0.9}


def test_a_mixed_cluster_names_its_classes_and_on_a_mixed_page_what_sets_it_apart(tmp_path):
    graphs, _, estimator = letters()
    classes = [f"kind {n % 3}" for n in range(len(graphs))]
    text = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
    for cluster in summarize_clustering(estimator, classes).clusters:
        tile = text.split(f'<li data-c="{cluster.label}">')[1].split("</li>")[0]
        lines = [entities.unescape(line) for line in re.findall(r'<small title="(.*?)">', tile)]
        whole = whole_percents([count for _, count in cluster.mixture])
        assert lines[0] == ", ".join(f"{share}% {name}" for (name, _), share in zip(cluster.mixture, whole, strict=True))
        card = text.split(f'id="cluster-{cluster.label}"')[1].split("</article>")[0]
        said = entities.unescape(re.sub(",? on average|<.*?>", "", card))
        for line in lines[1:]:  # with what it is in the others
            told = re.sub(r"\(cluster \d+: ", "(there ", line.lower())
            assert told in said.lower() or re.fullmatch(r"(\d+% )?single (lines|nodes)", line.lower())


def test_a_cluster_that_nothing_sets_apart_is_told_by_its_size(tmp_path):
    graphs = [Graph({"x": [0.0, 1.0, 2.0], "y": [0.0, 0.0, n % 2]}, [(0, 1), (1, 2)], {"w": [1.0, 1.0]}) for n in range(12)]
    estimator = fitted(graphs[:1] * 6 + graphs[6:], 1)
    text = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs[:1] * 6 + graphs[6:]).read_text(encoding="utf-8")
    assert captions(text) == {0: "3 nodes and 2 edges on average"}
    assert "A graph has 3 nodes and 2 edges on average." in text


def test_graphs_that_have_no_nodes_at_all_have_a_page(tmp_path):
    graphs = [Graph({"x": [], "y": []}) for _ in range(6)]
    text = write_report(tmp_path / "r.html", estimator=fitted(graphs, 1), graphs=graphs).read_text(encoding="utf-8")
    assert "6 graphs fall into 1 cluster" in text
    assert "A graph has" not in text


def test_matrices_are_told_in_tiles_also_where_classes_are_known(tmp_path):
    random = np.random.default_rng(0)
    names = [f"{side} {area} {n}" for side in ("left", "right") for area in ("front", "back") for n in range(6)]
    left = np.array([name.startswith("left") for name in names])
    matrices = []
    for n in range(16):
        weak = 0.3 if n % 2 else 1.0
        matrix = np.triu(np.where(left[:, None] == left, 0.7, 0.5 * weak) + random.normal(0, 0.02, (24, 24)), 1)
        matrices.append(matrix + matrix.T)
    networks = gm.structures.labelled_networks(np.array(matrices), labels=names)
    estimator = fitted(networks, 2)
    weak = int(estimator.labels_[1])
    for known in (None, [str(n % 2) for n in range(16)]):
        text = write_report(tmp_path / "r.html", estimator=estimator, graphs=networks, classes=known).read_text(encoding="utf-8")
        said = {0: "The other cluster is compared with it", 1: r"Between left and right: (\w+), [\d.]+ \([\d.]+ in cluster 0\)"}
        assert captions(text)[0] == said[0]  # of two equal ones the first
        assert re.fullmatch(said[1], captions(text)[1])[1] == ("weaker" if weak == 1 else "stronger")


def test_nothing_is_told_where_there_is_nothing_to_compare_with():
    assert told({"mean a of nodes": 1.0}, [{"x": 1.0}], [0], {"mean a of nodes": 1.0}, {"node": "node", "edge": "edge"}) == []


def test_a_member_outside_of_the_frame_is_seen(browser, run):  # noqa: F811
    graphs, estimator, path = run
    lone = next(i for i, graph in enumerate(graphs) if graph.name == "lone")
    assert estimator.labels_[lone] == estimator.labels_[0]  # its mean has no nodes
    tab = Tab(browser, path).open("#search=lone")
    tab.until("document.querySelector('#hits .thumb circle')")
    inside = tab.js("""(() => { const a = document.querySelector('#hits .thumb circle').getBoundingClientRect(),
        b = document.querySelector('#hits .thumb svg').getBoundingClientRect();
        return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom; })()""")
    assert inside
    assert tab.errors() == []


def test_of_two_kinds_only_one_is_told():
    here = {"share of nodes with kind class": 0.75, "share of nodes with kind function": 0.25, "nodes in a graph": 4.0}
    there = {"share of nodes with kind class": 0.25, "share of nodes with kind function": 0.75, "nodes in a graph": 4.5}
    spread = {"nodes in a graph": 0.9}
    names = {"node": "node", "edge": "edge"}
    lines = [line.what for line in told(here, [there], [10], spread, names)]
    assert lines == ["75% of the nodes are of kind class", "fewer nodes, 4 on average"]
    third = {"share of nodes with kind method": 0.6}
    both = [line.what for line in told(here, [there | third], [10], spread, names)]
    assert {"75% of the nodes are of kind class", "no nodes are of kind method"} <= set(both)


def test_what_graphs_lack_is_told_after_what_they_have():
    here = {"graphs that have nodes with kind a": 1.0, "graphs that have nodes with kind b": 0.0}
    there = {"graphs that have nodes with kind a": 0.2, "graphs that have nodes with kind b": 1.0}
    names = {"node": "node", "edge": "edge"}
    assert [line.what for line in told(here, [there], [10], {}, names)] == ["all have a nodes", "none have b nodes"]


def test_examples_are_named_where_graphs_have_names_and_no_classes_are_known(tmp_path):
    graphs, classes, estimator = letters(60)
    page = write_report(tmp_path / "a.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
    assert "Such as " not in page
    page = write_report(tmp_path / "b.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    nearest = {c: np.flatnonzero(estimator.labels_ == c) for c in range(estimator.n_clusters)}
    for c, members in nearest.items():
        tile = page[page.index(f'<li data-c="{c}">') :].split("</li>")[0]
        first = graphs[members[np.argmin(estimator.distances_[members])]].name
        assert f"Such as {first}" in entities.unescape(tile)


def test_molecules_are_called_molecules_at_the_top_of_a_page(tmp_path):
    pytest.importorskip("rdkit")
    smiles = ["CCO", "CCCO", "CCCCO", "c1ccccc1", "Cc1ccccc1", "CCc1ccccc1"]
    km = gm.GraphKMeans(2, random_state=0).fit(smiles)
    page = write_report(tmp_path / "report.html", estimator=km, graphs=smiles).read_text(encoding="utf-8")
    lead = page[page.index('class="lead"') : page.index('id="notice"')]
    assert "6 molecules fall into 2 clusters." in lead
    assert "graph" not in lead
    assert "Each dot is a molecule" in page


def test_kinds_of_edges_are_named_as_edges():
    here = {"graphs that have edges with type0 arc": 1.0, "share of edges with type1 line": 0.6}
    there = {"graphs that have edges with type0 arc": 0.2, "share of edges with type1 line": 0.2}
    said = [line.what for line in told(here, [there], [10], {}, {"node": "node", "edge": "edge"})]
    assert said == ["all have arc edges", "60% of the edges have type1 line"]  # the second of two columns by its name


def test_what_nearly_all_others_have_is_told_by_who_lacks_it():
    here, there = {"graphs that have nodes with symbol A": 0.57}, {"graphs that have nodes with symbol A": 1.0}
    (said,) = told(here, [there], [10], {}, {"node": "node", "edge": "edge"})
    assert (said.what, said.there) == ("43% have no A nodes", "0%")


def test_classes_that_several_clusters_have_do_not_say_what_one_is(tmp_path):
    graphs = [Graph(2, [(0, 1)])] * 6 + [Graph(6, [(i, i + 1) for i in range(5)])] * 6
    estimator = gm.GraphKMeans(2, random_state=0).fit(graphs)

    def tiles(classes):
        page = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
        return re.findall(r'<li data-c="\d">.*?</a></li>', page)

    assert all("<small" in tile for tile in tiles(["same"] * 12))
    assert not any("<small" in tile for tile in tiles(["short"] * 6 + ["long"] * 6))
