"""Trees on the page: small pictures without words, words in a line beside them, members as trees without crossing branches."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from html import unescape

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

import graphmeans as gm
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.report import write_report
from graphmeans.report.sentences.outlines import tree_lines
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


def test_a_mean_tree_is_listed_line_by_line(run):
    _, estimator, _, html = run
    loops = int(estimator.labels_[0])
    begin = [(0, "Function", "100%"), (1, "arguments", "100%")]
    assert listed(html, loops) == [*begin, (1, "For", "100%"), (2, "Name", "100%"), (2, "If", "100%"), (3, "Yield", "100%")]
    rest = [(1, "Return", "100%"), (2, "Call", "100%"), (3, "Name", "100%"), (3, "Name", "100%")]
    assert listed(html, 1 - loops) == begin + rest  # the Await of a third of them is not listed


def test_each_line_has_the_share_of_members_with_that_kind_in_that_place(tmp_path):
    random = np.random.default_rng(0)
    trees = []
    for n in range(30):
        kinds = ["Name", "Call", "If", "Str"]
        trees.append(("f", [("Return", [(str(random.choice(kinds)), []), ("Num", [])]), ("arg", [])]))
        trees.append(("f", [("For", [("Name", [("Num", [])] * 3)] * (2 + n % 2))]))
    graphs = gm.structures.trees(trees)
    estimator = fitted(graphs, 3)
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)
    page, html, means = Page(path), path.read_text(encoding="utf-8"), estimator.centroids(kind="graph")
    told = 0
    for label, mean in enumerate(means):
        rows = [row for row in page.data["graphs"] if row["c"] == label]
        counts = Counter((j, graphs[row["i"]].nodes["label"][i]) for row in rows for i, j in enumerate(row["m"]) if j >= 0)
        most = {j: max(count for (at, _), count in counts.items() if at == j) for j in range(mean.n_nodes)}
        half = sorted(round(100 * count / len(rows)) for count in most.values() if 2 * count >= len(rows))
        lines = listed(html, label)
        assert sorted(float(share[:-1]) for *_, share in lines) == pytest.approx(half, abs=0.6)
        assert [kind for level, kind, _ in lines if level == 0] == ["f"]
        assert all(b <= a + 1 for (a, *_), (b, *_) in itertools.pairwise(lines))
        told += len(lines)
    assert told >= 12


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


def test_a_node_is_listed_below_what_most_members_have_it_below():
    ones = {"node_support": [1.0, 0.8, 0.7, 0.6, 0.4]}
    kinds = {"kind": ["def", "if", "for", "name", "rare"], "depth": [0.0, 1.0, 1.0, 2.0, 2.0]}
    ends, shares = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4)], [0.8, 0.7, 0.2, 0.4, 0.4]
    mean = MeanGraph(kinds, ends, edge_support=shares, directed=True, **ones)
    assert [tuple(line) for line in tree_lines(mean)] == [(0, "def", 1.0), (1, "if", 0.8), (1, "for", 0.7), (2, "name", 0.6)]
    across = np.array([0.0, 2.0, 1.0, 1.0, 1.0])  # as they are drawn, from left to right
    assert [line.kind for line in tree_lines(mean, across)] == ["def", "for", "name", "if"]
    assert [line.kind for line in tree_lines(mean, across, most=2)] == ["def", "if"]


def test_what_is_no_tree_of_words_is_not_listed():
    cycle = [(0, 1), (1, 2), (2, 0)]
    ones = {"node_support": [1.0] * 3, "edge_support": [1.0] * 3}
    assert tree_lines(MeanGraph({"kind": ["a", "b", "c"]}, cycle, directed=True, **ones)) == []
    assert tree_lines(MeanGraph({"size": [1.0, 2.0, 3.0]}, cycle, directed=True, **ones)) == []


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
