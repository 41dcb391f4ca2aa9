"""Trees on the page: small pictures without words, words in a line beside them, members as trees without crossing branches."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

import graphmeans as gm
from graphmeans import Graph
from graphmeans.report import write_report
from graphmeans.report.sentences.outlines import lines_of, tree_lines
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


def listed(html: str, label: int) -> list[tuple[int, str, str]]:
    """The lines of the mean tree on a card: how far down, the kind, and the share."""
    card = html.split(f'id="cluster-{label}"')[1].split("</article>")[0]
    found = re.findall(r'<li style="--level: (\d+)"><span>(.*?)</span> <i>(.*?)</i></li>', card)
    return [(int(level), unescape(kind), share) for level, kind, share in found]


def test_a_cluster_of_trees_is_listed_line_by_line(run):
    _, estimator, _, html = run
    loops = int(estimator.labels_[0])
    begin = [(0, "Function", "100%"), (1, "arguments", "100%")]
    assert listed(html, loops) == [*begin, (1, "For", "100%"), (2, "Name", "100%"), (2, "If", "100%"), (3, "Yield", "100%")]
    rest = [(1, "Return", "100%"), (2, "Call", "100%"), (3, "Name", "100%, ×2 100%")]
    assert listed(html, 1 - loops) == begin + rest  # the Await of a third of them is not listed


def ways_of(graph) -> Counter:
    """How many nodes of a tree have each way of kinds from the root, recounted from the edges."""
    above = {b: a for a, b in graph.edges.tolist()}
    ways = Counter()
    for node in range(graph.n_nodes):
        way = [node]
        while way[0] in above:
            way.insert(0, above[way[0]])
        ways[tuple(graph.nodes["label"][i] for i in way)] += 1
    return ways


@pytest.mark.parametrize("depth", ["attribute", "role"])
def test_each_line_counts_the_members_that_have_it(tmp_path, depth):
    random = np.random.default_rng(0)
    kinds = [f"kind {n}" for n in range(7)]  # many kinds on one level

    def grown(level: int) -> tuple:
        return (str(random.choice(kinds)), [grown(level - 1) for _ in range(random.integers(1, 4))] if level else [])

    trees = [("f", [grown(2), ("always", [("twice", []), ("twice", [])])]) if n % 2 else ("g", [grown(1)]) for n in range(40)]
    graphs = gm.structures.trees(trees, depth=depth)
    estimator = fitted(graphs, 3)
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    directed, told = gm.structures.trees(trees), 0
    for label in range(3):
        counts = [ways_of(directed[i]) for i in np.flatnonzero(estimator.labels_ == label)]
        have = Counter(way for own in counts for way in own)
        expected = {way: count for way, count in have.items() if 2 * count >= len(counts)}
        lines, way = listed(html, label), []
        assert len(lines) == min(len(expected), 28)
        for level, kind, share in lines:
            way = [*way[:level], kind]
            any_, times, several = re.fullmatch(r"([\d.]+)%(?:, ×(\d) ([\d.]+)%)?", share).groups()
            assert float(any_) == pytest.approx(100 * expected[tuple(way)] / len(counts), abs=0.06)
            have = [sum(own[tuple(way)] >= m for own in counts) for m in range(1, 9)]
            assert int(times or 1) == sum(2 * count >= len(counts) for count in have)
            if times:
                assert float(several) == pytest.approx(100 * have[int(times) - 1] / len(counts), abs=0.06)
            told += 1
    assert told >= 6


def test_of_many_lines_those_that_most_trees_have_are_listed_with_all_above_them():
    branch = [("a", [("b", [])]), ("c", []), ("d", [])]
    graphs = gm.structures.trees([("r", branch), ("r", branch), ("r", branch[:1]), ("r", branch[1:])])
    found = [(line.level, line.kind, line.share, line.times) for line in tree_lines(graphs, most=3)]
    assert found == [(0, "r", 1.0, 1), (1, "a", 0.75, 1), (1, "c", 0.75, 1)]
    assert [line.kind for line in tree_lines(graphs)] == ["r", "a", "b", "c", "d"]


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


def test_what_is_no_tree_of_words_is_not_listed():
    cycle = Graph({"kind": ["a", "b", "c"]}, [(0, 1), (1, 2), (2, 0)], directed=True)
    assert tree_lines([cycle]) == tree_lines([Graph({"size": [1.0, 2.0]}, [(0, 1)], directed=True)]) == tree_lines([]) == []


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


def test_a_typical_tree_has_most_of_what_is_listed_beside_it(tmp_path):
    random = np.random.default_rng(1)
    kinds = [f"kind {n}" for n in range(5)]

    def grown(level: int) -> tuple:
        return (str(random.choice(kinds)), [grown(level - 1) for _ in range(random.integers(1, 4))] if level else [])

    names = [f"tree {n}" for n in range(60)]
    graphs = gm.structures.trees([(f"root {n % 2}", [grown(2), grown(1)]) for n in range(60)], names=names)
    estimator = fitted(graphs, 2)
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    for label in range(2):
        name = re.search(r"Typical: (tree \d+)<", html.split(f'<li data-c="{label}">')[1])[1]
        inside = np.flatnonzero(estimator.labels_ == label)
        lines = tree_lines([graphs[i] for i in inside])
        has = {graphs[i].name: lines_of(graphs[i], lines) for i in inside}
        assert has[name] >= np.median(list(has.values()))
        card = html.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        assert f'href="#w{label}"' in card  # with words
        assert "<summary>The mean tree</summary>" in card
