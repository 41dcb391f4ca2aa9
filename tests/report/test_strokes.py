"""Strokes and colours of the page: orange is what is rare, a kind has one colour, and nothing is explained that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from test_report_browser import Tab, browser  # noqa: F401

from graphmeans import Graph, MeanGraph
from graphmeans.plots import draw_svg
from graphmeans.plots.network import lines
from graphmeans.plots.tree_layout import letters_with_room
from graphmeans.report import write_report
from graphmeans.report.pictures.chart import MAP_HEIGHT, MAP_WIDTH, apart
from graphmeans.report.pictures.oddities import unusual
from reports import fitted


def odd(graphs: list[Graph], mean: MeanGraph, mappings: list[list[int]]) -> tuple[list[bool], list[bool]]:
    nodes, edges = unusual(graphs, [mean], np.zeros(len(graphs), np.int64), [np.array(row, np.int64) for row in mappings])
    return nodes.tolist(), edges.tolist()


def test_what_two_fifths_of_the_members_have_is_not_unusual_and_what_a_tenth_have_is():
    mean = MeanGraph({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0] * 4}, [(0, 1), (1, 2)],
                     node_support=[1, 1, 0.4, 0.1], edge_support=[0.4, 0.1])  # fmt: skip
    graphs = [Graph({"x": [0.0, 1.0, 2.0], "y": [0.0] * 3}, [(0, 1)])] * 9
    graphs.append(Graph({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0] * 4}, [(0, 1), (1, 2), (0, 3)]))
    nodes, edges = odd(graphs, mean, [[0, 1, 2]] * 9 + [[0, 1, 2, 3]])
    assert nodes == [False] * 30 + [True]
    assert edges == [False] * 10 + [True, True]  # the last has no counterpart at all


def test_a_part_in_a_rare_place_is_not_unusual_if_most_members_have_as_many_of_its_kind():
    mean = MeanGraph({"word": ["If", "Call", "Call", "Name"]}, [(0, 1), (0, 2), (0, 3)],
                     node_support=[1, 0.9, 0.1, 0.1], edge_support=[0.9, 0.1, 0.1])  # fmt: skip
    usual = Graph({"word": ["If", "Call"]}, [(0, 1)])
    elsewhere, other = usual, Graph({"word": ["If", "Call", "Name"]}, [(0, 1), (0, 2)])
    twice = Graph({"word": ["If", "Call", "Call"]}, [(0, 1), (0, 2)])
    nodes, edges = odd([usual] * 8 + [elsewhere, other, twice], mean, [[0, 1]] * 8 + [[0, 2], [0, 1, 3], [0, 1, 2]])
    assert nodes[16:] == [False, False, False, False, True, False, False, True]
    assert edges[8:] == [False, False, True, False, True]


def test_nothing_is_unusual_where_members_share_few_places():
    mean = MeanGraph(9, [(i, i + 1) for i in range(8)], node_support=[1] * 9, edge_support=[0.1] * 8)
    path = Graph(3, [(0, 1), (1, 2)])
    assert odd([path] * 6, mean, [[0, 1, 2]] * 6)[1] == [False] * 12


def test_a_kind_has_one_colour_on_the_page_and_kinds_without_one_are_grey(tmp_path: Path):
    words = [chr(97 + n) for n in range(9)]
    graphs = [Graph({"word": words[: 4 + i % 6]}, [(0, 1)], roles=list(range(4 + i % 6))) for i in range(12)]
    text = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs).read_text(encoding="utf-8")
    palette = dict(re.findall(r'"([a-i])":"var\((--k\d)\)"', text))
    assert len(palette) == 6
    assert len(set(palette.values())) == 6
    legend = text[text.index('<ul class="legend') : text.index('<dl class="figures"')]
    assert set(re.findall(r'fill="var\((--k\d)\)"/></svg> (\w)</li>', legend)) == {(c, w) for w, c in palette.items()}
    assert "other kinds" in legend
    assert 'fill="var(--soft)"' in legend
    symbols = text[text.index("<defs>") : text.index("</defs>")]
    drawn = set(re.findall(r'<(?:text|circle)[^>]*? fill="([^"]*)"', symbols))
    assert drawn <= {*(f"var({c})" for c in palette.values()), "var(--soft)"}


def test_small_circles_have_the_colour_of_their_kind():
    circles = Graph({"x": [0.0, 1.0], "y": [0.0, 0.0], "type": ["circle", "corner"]}, [(0, 1)])
    assert 'stroke="#123456"' in draw_svg(circles, palette={"circle": "#123456"}, labels=False)


def test_dots_of_drawings_have_the_colour_of_their_kind_in_members_too(browser, tmp_path):  # noqa: F811
    columns = {"x": [0.0, 9.0, 9.0], "y": [0.0, 0.0, 9.0], "type": ["corner", "corner", "circle"]}
    graphs = [Graph(columns, [(0, 1), (1, 2)], {"type": ["line", "line"]}, name=f"g{i}") for i in range(6)]
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=fitted(graphs, 1), graphs=graphs)).open("#graph-0")
    for side in (".left", ".right"):
        shown = tab.js(f"[...document.querySelectorAll('#viewer-picture {side} circle')].map((c) => c.getAttribute('fill'))")
        rings = tab.js(f"[...document.querySelectorAll('#viewer-picture {side} circle')].map((c) => c.getAttribute('stroke'))")
        assert shown == ["var(--k0)", "var(--k0)", "none"]
        assert rings[2] == "var(--k1)"


def test_the_legend_explains_lines_and_orange_only_where_there_are_some(tmp_path: Path):
    random = np.random.default_rng(0)
    points = [Graph({"x": row, "y": 2 * row}) for row in random.uniform(0, 1, (8, 3))]
    text = write_report(tmp_path / "r.html", estimator=fitted(points, 1), graphs=points).read_text(encoding="utf-8")
    legend = text[text.index('<ul class="legend') : text.index('<dl class="figures"')]
    assert "M3 6H31" not in legend
    assert "unusual" not in legend


def test_heads_are_never_longer_than_a_part_of_their_arrow():
    graph = Graph({"x": [0.0, 1.0, 30.0], "y": [0.0, 0.0, 0.0]}, [(0, 1), (1, 2)], directed=True)
    strokes = re.findall(r"M([\d.]+) [\d.]+L([\d.]+) [\d.]+M([\d.]+) [\d.]+L([\d.]+)", draw_svg(graph, size=100))
    assert len(strokes) == 2
    for start, end, back, tip in (map(float, stroke) for stroke in strokes):
        assert tip - back <= 0.2 * (end - start) + 0.02


def test_tables_of_a_member_fit_a_phone_or_say_that_there_is_more(browser, tmp_path):  # noqa: F811
    many = {f"measurement {n}": np.arange(4.0) + n for n in range(6)}
    for columns, fits in (({"x": np.arange(4.0)}, True), (many, False)):
        graphs = [Graph({**columns}, [(0, 1), (1, 2)], name=f"g{i}") for i in range(6)]
        path = write_report(tmp_path / f"{fits}.html", estimator=fitted(graphs, 1), graphs=graphs)
        tab = Tab(browser, path).open("#graph-0", width=390)
        box = "document.getElementById('viewer-table')"
        assert tab.js(f"{box}.scrollWidth <= {box}.clientWidth + 1") == fits
        said = tab.js(f"getComputedStyle({box}, '::before').content")
        assert ("Scroll" in said) != fits
        assert tab.js(f"""[...{box}.querySelectorAll('caption')].every((c) =>
          c.getBoundingClientRect().right <= {box}.getBoundingClientRect().right + 1)""")


def test_what_few_members_have_is_left_out_where_it_lies_outside_of_the_picture():
    support = {"node_support": [1, 1, 0.2], "edge_support": [1, 0.2]}
    far, near = (MeanGraph({"x": [0.0, 1.0, x], "y": [0.0, 1.0, 0.0]}, [(0, 1), (1, 2)], **support) for x in (9.0, 0.9))
    assert [draw_svg(mean).count("<circle") for mean in (far, near)] == [2, 3]
    assert [draw_svg(mean).count("<path") for mean in (far, near)] == [1, 2]


def test_a_short_sequence_is_one_line_and_its_members_lie_in_low_pictures(browser, tmp_path):  # noqa: F811
    assert len(np.unique(lines(np.arange(16), 16)[:, 1])) == 1
    assert len(np.unique(lines(np.arange(40), 40)[:, 1])) > 1
    graphs = [Graph({"symbol": list(word)}, roles=list(range(12))) for word in ("ACGTACGTACGT", "ACGTACGAACGT") * 4]
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=fitted(graphs, 1), graphs=graphs)).open()
    tab.js("document.querySelector('.cluster .members').scrollIntoView()")
    tab.until("document.querySelector('.thumb.line svg text')")
    assert tab.js("document.querySelector('.thumb.line svg text').getBoundingClientRect().height") > 10
    for picture in (".gallery svg", ".mean svg"):
        box = f"document.querySelector('{picture}').getBoundingClientRect()"
        drawn = f"document.querySelector('{picture} use').getBBox()"
        assert tab.js(f"{box}.height < 0.5 * {box}.width")
        assert tab.js(f"{drawn}.y > 105 && {drawn}.y + {drawn}.height < 195")
    tab = tab.open("#graph-0")
    letters, numbers = "#viewer-picture .left text:not(.number)", "#viewer-picture .left .number"
    assert tab.js(f"""Math.max(...[...document.querySelectorAll('{numbers}')].map((t) => Number(t.getAttribute('y')))) + 40
      < Math.min(...[...document.querySelectorAll('{letters}')].map((t) => Number(t.getAttribute('y'))))""")


def test_pictures_on_the_map_give_way_to_each_other():
    centers = np.array([[500, 300], [500, 300], [520, 310], [5, 5], [900, 600]])
    sizes = np.full((5, 2), [50.0, 70.0])
    placed = apart(centers, sizes)
    gap = np.abs(placed[:, None] - placed[None])
    assert ((gap[..., 0] >= 49) | (gap[..., 1] >= 69) | np.eye(5, dtype=bool)).all()
    assert (placed >= sizes / 2 - 1).all()
    assert (placed <= [MAP_WIDTH, MAP_HEIGHT] - sizes / 2 + 1).all()
    assert placed[4].tolist() == [900, 600]
    assert np.abs(placed - centers)[:3].max() < 100


def test_labels_of_trees_are_whole_where_there_is_room_and_keep_clear_of_each_other():
    points = np.array([[0.0, 6.0], [-9.0, 0.0], [9.0, 0.0], [0.0, 0.0], [3.0, -6.0]])
    labels = ["FunctionDef", "arguments", "Constant", "Assignments", "Call"]
    counts = letters_with_room(points, labels, 7, np.arange(5))
    assert counts[[0, 4]].tolist() == [11, 7]
    letters = np.minimum(counts, [len(label) for label in labels])
    row = [1, 3, 2]
    right, left = (points[row, 0] + 0.34 * letters[row])[:-1], (points[row, 0] - 0.34 * letters[row])[1:]
    assert (left > right).all()
    squeezed = letters_with_room(points * [0.6, 1.0], labels, 7, np.arange(5))
    assert squeezed[1:4].tolist() == [7, 7, 7] or squeezed[3] < 11
