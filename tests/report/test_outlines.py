"""Trees on the page: small pictures without words, words in a line beside them, members as trees without crossing branches."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

import graphmeans as gm
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.report import write_report
from graphmeans.report.sentences.outlines import outline, without_common_head
from reports import Page, fitted

LOOP = ("Function", [("arguments", []), ("For", [("Name", []), ("If", [("Yield", [])])])])
CALL = ("Function", [("arguments", []), ("Return", [("Call", [("Name", []), ("Name", [])])])])
EXTRA = ("Function", [("arguments", []), ("Return", [("Call", [("Name", []), ("Name", [])]), ("Await", [("Name", [])])])])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    trees = gm.structures.trees([LOOP, CALL, CALL, LOOP, EXTRA] * 6, names=[f"tree {n}" for n in range(30)])
    estimator = fitted(trees, 2)
    path = tmp_path_factory.mktemp("trees") / "r.html"
    write_report(path, estimator=estimator, graphs=trees)
    return trees, estimator, Page(path), path.read_text(encoding="utf-8")


def test_the_outline_names_what_half_of_the_members_have(run):
    _, estimator, _, html = run
    loops = int(estimator.labels_[0])
    said = {}
    for label in (0, 1):
        card = html.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        said[label] = re.sub(r"\s+", " ", re.sub("<.*?>", "", re.search(r'class="told outline">(.*?)</p>', card)[1]))
    begin = "Found in at least half of the members, among others: Function › arguments, "
    assert said[loops] == begin + "For › Name, If › Yield"
    assert said[1 - loops] == begin + "Return › Call › Name ×2"  # the Await of a third of them is not named
    tiles = dict(re.findall(r'<li data-c="(\d)">.*?<small title="(.*?)">', html))
    assert tiles[str(loops)] == "Half or more have For › Name, If › Yield"  # without what all clusters begin with


def test_each_word_of_an_outline_is_in_half_of_the_members(run):
    trees, estimator, _, _ = run
    for label, mean in enumerate(estimator.centroids(kind="graph")):
        members = [tree for tree, of in zip(trees, estimator.labels_, strict=True) if of == label]
        for level, words in enumerate(outline(mean)):
            for word in words.split(", "):
                kind, _, times = word.partition(" ×")
                enough = [tree for tree in members if at_depth(tree, level).count(kind) >= int(times or 1)]
                assert len(enough) >= len(members) / 2


def at_depth(tree, level: int) -> list[str]:
    depth = {0: 0}
    for _ in range(tree.n_nodes):
        depth.update({b: depth[a] + 1 for a, b in tree.edges.tolist() if a in depth})
    return [tree.nodes["label"][i] for i in range(tree.n_nodes) if depth[i] == level]


def test_small_pictures_have_no_words_and_large_ones_do(run):
    html = run[3]
    for label in (0, 1):
        small = re.search(rf'<symbol id="s{label}".*?</symbol>', html, re.DOTALL)[0]
        large = re.search(rf'<symbol id="m{label}".*?</symbol>', html, re.DOTALL)[0]
        assert "<text" not in small
        assert small.count("<circle") >= 6
        assert "Function" in large
        assert f'<li data-c="{label}"' in html
        assert f'<use href="#s{label}"' in html.split('<ul class="gallery')[1].split("</ul>")[0]
    assert not re.search(r'<symbol id="t\d+".*?<text.*?</symbol>', html)


def test_branches_of_members_do_not_cross(run):
    for row in run[2].data["graphs"]:
        points = np.array(row["p"]).reshape(-1, 2)
        ends = np.array(row["s"]).reshape(-1, 2)
        for a, b in ends:
            for c, d in ends:
                assert not crosses(*points[[a, b, c, d]])


def crosses(a, b, c, d) -> bool:
    def side(p, q, r) -> float:
        return float(np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_an_outline_and_the_sentence_below_it_count_the_same(tmp_path):
    """In the same place there is a child in all members, but none of its kinds is in half of them."""
    random = np.random.default_rng(0)
    trees = []
    for n in range(30):
        kinds = ["Name", "Call", "If", "Str"]
        trees.append(("f", [("Return", [(str(random.choice(kinds)), []), ("Num", [])]), ("arg", [])]))
        trees.append(("f", [("For", [("Name", [("Num", [])] * 3)] * (2 + n % 2))]))
    graphs = gm.structures.trees(trees)
    estimator = fitted(graphs, 3)
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)
    text = unescape(path.read_text(encoding="utf-8"))
    told = 0
    for label in range(3):
        members = [graphs[i] for i in np.flatnonzero(estimator.labels_ == label)]
        card = text.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        line = re.search(r'class="told outline">(.*?)</p>', card)
        levels = re.findall(r"<b>(.*?)</b>", line[1]) if line else []
        over = levels[0] if levels else ""
        for level in levels[1:]:
            for word in level.split(", "):
                kind, times = re.fullmatch(r"(\w+)(?: ×(\d))?", word).groups()
                have = 0
                for graph in members:
                    words = graph.nodes["label"].tolist()
                    pairs = [(i, words[j]) for i, j in graph.edges.tolist() if words[i] == over]
                    have += any(pairs.count((i, kind)) >= int(times or 1) for i in range(graph.n_nodes))
                assert 2 * have >= len(members), (label, over, word)
                told += 1
            over = re.sub(" ×.*", "", level.split(", ")[-1])
        for share, pair in re.findall(r"<b>(\w+%?) have (\w+ › \w+)</b>", card):
            few = share == "none" or (share != "all" and int(share[:-1]) < 50)
            assert not (few and pair in " › ".join(level.split(", ")[-1] for level in levels))
    assert told >= 5


def test_an_outline_ends_where_no_kind_is_in_half_of_the_members():
    mean = MeanGraph(
        {"label": ["f", "x", "y", "z"]}, [(0, 1), (0, 2), (1, 3)], node_support=[1] * 4, edge_support=[1] * 3, directed=True
    )
    assert outline(mean) == ("f", "y, x", "z")
    assert outline(mean, [{("f", "x"): 1, ("f", "y"): 1}, {("f", "x"): 1, ("x", "z"): 1}, {("f", "x"): 1}]) == ("f", "x")
    twice = MeanGraph({"label": ["f", "x", "x"]}, [(0, 1), (0, 2)], node_support=[1] * 3, edge_support=[1] * 2, directed=True)
    assert outline(twice, [{("f", "x"): 2}, {("f", "x"): 2}]) == ("f", "x ×2")
    assert outline(twice, [{("f", "x"): 2}, {("f", "x"): 1}, {("f", "x"): 1}]) == ("f", "x")


def test_what_is_no_tree_of_words_has_no_outline():
    ones = {"node_support": [1.0] * 3, "edge_support": [1.0] * 3}
    cycle = [(0, 1), (1, 2), (2, 0)]
    assert outline(MeanGraph({"kind": ["a", "b", "c"]}, cycle, directed=True, **ones)) is None
    assert outline(MeanGraph({"size": [1.0, 2.0, 3.0]}, cycle, directed=True, **ones)) is None
    assert without_common_head([("a", "b"), None, ("a", "b")]) == [("b",), None, ("b",)]
    assert without_common_head([]) == []


def test_words_of_trees_are_legible_in_a_members_view_and_none_is_cut_off(browser, tmp_path):  # noqa: F811
    def tree(n: int) -> tuple:
        rare = [("subscriptable", [("sliceexpression", [])])] if n % 4 == 0 else []
        return ("FunctionDef", [("annotatedarguments", [("argument", [])]), ("Return", []), ("comprehensions", []), *rare])

    trees = gm.structures.trees([tree(n) for n in range(16)], names=[f"tree {n}" for n in range(16)])
    path = write_report(tmp_path / "r.html", estimator=fitted(trees, 1), graphs=trees)
    for width in (390, 1200):
        tab = Tab(browser, path).open("#graph-1", width=width)
        tab.until("document.querySelector('#viewer-picture svg') !== null")
        out = """(() => { const s = document.querySelector('#viewer-picture svg').getBoundingClientRect();
            return [...document.querySelectorAll('#viewer-picture text')].filter((t) => { const b = t.getBoundingClientRect();
              return b.left < s.left - 2 || b.right > s.right + 2; }).map((t) => t.textContent); })()"""
        assert tab.js(out) == []
        words = tab.js("[...document.querySelectorAll('#viewer-picture .right text:not(.number)')].map((t) => t.textContent)")
        assert len(words) == 5  # what a quarter of the members has is a pale dot, and named in the table
        assert tab.axe() == []
        assert tab.errors() == []
