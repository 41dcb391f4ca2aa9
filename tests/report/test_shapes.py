"""Shapes of graphs in numbers, and what sentences make of them."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from graphmeans import Graph
from graphmeans.report import write_report
from graphmeans.report.sentences.contrasts import profile, spreads
from graphmeans.report.sentences.form_words import form_words
from graphmeans.report.sentences.outlines import branches
from graphmeans.report.sentences.shapes import forms, join_graphs, shapes
from graphmeans.report.sentences.told import features, mean_shapes, told
from reports import fitted

NAMES = {"node": "node", "edge": "edge"}


def said(here: list[Graph], there: list[Graph], *, shaped: bool = False, trees: bool = False) -> list[str]:
    of, spread = mean_shapes([here, there]) if shaped else ([{}, {}], {})
    below = [branches(some) if trees else None for some in (here, there)]
    one, other = (features(some, profile(some), *about) for some, *about in zip((here, there), of, below, strict=True))
    lines = told(one, [other], [len(there)], spreads([*here, *there]) | spread, NAMES)
    return [f"{line.what} (others {line.there})" for line in lines]


def test_hubs_pieces_and_cycles_are_those_of_networkx():
    random = np.random.default_rng(0)
    graphs = []
    for n in (0, 1, 2, 5, 9, 14):
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if random.random() < 0.25]
        graphs.append(Graph(n, pairs))
    found = shapes(graphs)
    for row, graph in enumerate(graphs):
        other = nx.Graph(graph.edges.tolist())
        other.add_nodes_from(range(graph.n_nodes))
        pieces = nx.number_connected_components(other) if graph.n_nodes else np.nan
        most = max((degree for _, degree in other.degree), default=np.nan)
        expected = {"most edges at one node": most, "pieces of a graph": pieces}
        expected["cycles of a graph"] = graph.n_edges - graph.n_nodes + pieces
        for what, value in expected.items():
            np.testing.assert_equal(found[what][row], value)


def test_arcs_are_told_by_direction_unless_all_of_them_have_their_opposite():
    out = Graph(4, [(0, 1), (0, 2), (0, 3)], directed=True)
    found = {what: values.tolist() for what, values in shapes([out]).items()}
    assert found == {"most edges into one node": [1.0], "most edges out of one node": [3.0], "pieces of a graph": [1.0]}
    both = Graph(4, [(0, 1), (1, 0), (0, 2), (2, 0)], directed=True)
    found = {what: values.tolist() for what, values in shapes([both]).items()}
    assert found == {"most edges at one node": [2.0], "pieces of a graph": [2.0], "cycles of a graph": [0.0]}


def formed(n: int, edges: list[tuple[int, int]], *, directed: bool = False) -> str:
    return forms(join_graphs([Graph(n, edges, directed=directed)]))[0]


def test_forms_are_those_of_networkx():
    for n in range(6):
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        graphs = [Graph(n, [pair for at, pair in enumerate(pairs) if chosen >> at & 1]) for chosen in range(2 ** len(pairs))]
        for graph, form in zip(graphs, forms(join_graphs(graphs)), strict=True):
            other = nx.Graph(graph.edges.tolist())
            other.add_nodes_from(range(n))
            expected = {
                "empty": n == 0, "node": n == 1, "line": n == 2 and graph.n_edges == 1, "loose": n > 1 and not graph.n_edges,
                "star": n > 3 and nx.is_isomorphic(other, nx.star_graph(n - 1)),
                "arms": n > 4 and nx.is_tree(other) and sorted(d for _, d in other.degree)[-2:-1] == [2]
                and max(d for _, d in other.degree) > 2,
                "chain": n > 2 and nx.is_isomorphic(other, nx.path_graph(n)),
                "ring": n > 2 and nx.is_isomorphic(other, nx.cycle_graph(n)),
                "parts": graph.n_edges > 0 and not nx.is_connected(other),
            }  # fmt: skip
            assert [name for name, holds in expected.items() if holds] == ([form] if form else [])


def test_forms_of_arcs():
    assert formed(4, [(0, 1), (1, 2), (2, 3)], directed=True) == "chain"
    assert formed(4, [(0, 1), (2, 1), (2, 3)], directed=True) == ""  # no way leads through it
    assert formed(4, [(0, 1), (2, 0), (0, 3)], directed=True) == "star"
    assert formed(3, [(0, 1), (1, 2), (2, 0)], directed=True) == "ring"
    assert formed(3, [(0, 1), (1, 0), (1, 2), (2, 1)], directed=True) == "chain"  # arcs that all have their opposite


def test_cards_say_what_most_members_are(tmp_path):
    stars = [Graph(6 + n % 2, [(0, i) for i in range(1, 6 + n % 2)]) for n in range(8)]
    rings = [Graph(9, [(i, (i + 1) % 9) for i in range(9)])] * 9
    other = [Graph(9, [(i, (i + 1) % 9) for i in range(9)] + [(0, 4)])]
    graphs = [*stars, *rings, *other]
    estimator = fitted(graphs, 2)
    assert len(set(estimator.labels_[:8])) == len(set(estimator.labels_[8:])) == 1
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    for first, expected in ((0, "All members are stars: one node is in all 5 to 6 edges."),
                            (8, "90% of the members are rings of 9 nodes.")):  # fmt: skip
        card = html.split(f'id="cluster-{estimator.labels_[first]}"')[1].split("</article>")[0]
        assert f'<p class="told form">{expected}</p>' in card


def test_graphs_without_edges_fall_into_pieces_too():
    graphs = [Graph(4, [(0, 1)])] * 6 + [Graph(3)] * 2 + [Graph(2, [(0, 1)])] * 2
    of = join_graphs(graphs)
    expected = "80% of the members fall into 3 separate pieces each."
    assert form_words(graphs, forms(of), of.pieces.tolist()) == expected
    graphs = [Graph(n, [(0, 1)]) for n in (4, 12)]
    of = join_graphs(graphs)
    expected = "All members fall into 3 to 11 separate pieces each, half of them into at most 3."
    assert form_words(graphs, forms(of), of.pieces.tolist()) == expected


def test_what_is_told_of_graphs_in_memory_is_of_all_members(tmp_path, monkeypatch):
    monkeypatch.setattr("graphmeans.report.facts.evidence.MOST_GRAPHS", 12)
    graphs = [Graph(2 + n % 3, [(0, 1)]) for n in range(30)]
    graphs += [Graph(9 + n % 2, [(i, i + 1) for i in range(8)]) for n in range(30)]
    estimator = fitted(graphs, 2)
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    for label in (0, 1):
        members = [graph for graph, of in zip(graphs, estimator.labels_, strict=True) if of == label]
        card = html.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        assert "members are drawn on this page" in card
        assert "n a sample" not in card
        nodes = np.mean([graph.n_nodes for graph in members])
        assert f"A graph has {float(f'{nodes:.3g}'):g} nodes" in card


def test_tiles_say_the_form_where_it_differs_between_clusters(tmp_path):
    chains = [Graph(7, [(i, i + 1) for i in range(6)])] * 6
    arms = [Graph(7, [(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6)])] * 6

    def tiles(graphs):
        estimator = fitted(graphs, 2)
        html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
        found = re.findall(r'<li data-c="(\d)">.*?<small title="(.*?)">', html)
        return [dict(found).get(str(estimator.labels_[n])) for n in (0, -1)], html

    said, html = tiles([*chains, *arms])
    assert said == ["Chains", "Stars with arms"]
    assert "All members are stars with longer arms: 6 nodes around one, in lines." in html
    said, _ = tiles([*chains, *[Graph(4, [(i, i + 1) for i in range(3)])] * 6])
    assert not any("hains" in line for line in said)  # all are chains


def test_too_few_of_one_form_are_not_told():
    graphs = [Graph(2, [(0, 1)])] * 5 + [Graph(3, [(0, 1)])] * 4
    of = join_graphs(graphs)
    assert form_words(graphs, forms(of), of.pieces.tolist()) == ""
    assert form_words(graphs[:7], forms(of)[:7], of.pieces.tolist()[:7]).startswith("71% of the members are a single line")
    assert form_words(graphs[5:], forms(of)[5:], of.pieces.tolist()[5:]) == "All members fall into 2 separate pieces each."


@pytest.mark.parametrize("down", [False, True])
def test_extents_and_directions_are_those_of_the_picture(down):
    graph = Graph({"x": [0.0, 4.0, 4.0], "y": [0.0, 3.0, 5.0]}, [(0, 1), (1, 2)])
    with gm.plots.y_down(down):
        found = {what: values.tolist()[0] for what, values in shapes([graph]).items()}
    assert (found["width of a graph"], found["height of a graph"]) == (4.0, 5.0)
    assert (found["x of a graph"], found["y of a graph"]) == (2.0, -2.5 if down else 2.5)
    lines = {what.split(" that is ")[1]: value for what, value in found.items() if " that is " in what}
    slope = "falling to the right" if down else "rising to the right"
    assert lines == {"level": 0, "rising to the right": 0, "falling to the right": 0, "steep": 2 / 7} | {slope: 5 / 7}


def test_sentences_about_shapes():
    star = [Graph(6, [(0, i) for i in range(1, 6)])] * 4
    ring = [Graph(6, [(i, (i + 1) % 6) for i in range(6)])] * 4
    lines = said(star, ring, shaped=True)
    assert {"5 edges at the busiest node, on average (others 2)", "fewer cycles, 0 on average (others 1)"} <= set(lines)
    wide = [Graph({"x": [0.0, 9.0], "y": [0.0, 1.0]}, [(0, 1)])] * 4
    high = [Graph({"x": [0.0, 1.0], "y": [0.0, 9.0]}, [(0, 1)])] * 4
    lines = said(wide, high, shaped=True)
    assert {"wider, 9 on average (others 1)", "100% of the length of lines is level (others 0%)"} <= set(lines)
    far = [Graph({"x": [30.0, 31.0], "y": [0.0, 9.0]}, [(0, 1)])] * 4
    assert said(far, high, shaped=True) == ["further to the right, x 30.5 on average (others 0.5)"]


@pytest.mark.parametrize("down", [False, True])
def test_up_is_up_in_the_picture(down):
    low, high = ([Graph({"x": [0.0, 2.0], "y": [y, y + 1]}, [(0, 1)])] * 4 for y in (0.0, 50.0))
    with gm.plots.y_down(down):
        assert said(high, low, shaped=True)[0].startswith("lower down, y " if down else "higher up, y ")


def test_averages_over_few_members_are_not_told():
    empty = [Graph({"x": [], "y": [], "w": []}) for _ in range(9)] + [Graph({"x": [5.0], "y": [5.0], "w": [9.0]})]
    other = [Graph({"x": [0.0, 1.0], "y": [0.0, 1.0], "w": [1.0, n / 9]}, [(0, 1)]) for n in range(10)]
    assert said(empty, other, shaped=True) == ["90% have no nodes (others 0%)"]
    assert not any("no nodes" in line for line in said(other, empty, shaped=True))  # that they have some goes without saying


def test_averages_of_angles_are_not_told():
    here, there = ([Graph({"x": [0.0, n], "angle0": [a, a]}, [(0, 1)], {"orient": [a]}) for n in range(4)] for a in (0.1, 3.0))
    assert said(here, there) == []


def test_of_trees_it_is_told_what_is_below_what():
    loop = gm.structures.trees([("f", [("For", [("Yield", [])])]), ("f", [("For", [("Yield", [])]), ("Name", [])])] * 3)
    call = gm.structures.trees([("f", [("Yield", []), ("For", [])])] * 6)
    lines = said(loop, call, trees=True)
    assert lines[0] == "all have For › Yield (others 0%)"
