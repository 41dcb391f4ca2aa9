"""Pictures: stable, harmless whatever the names are, and to one scale where asked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from defusedxml import ElementTree

from graphmeans import Graph, MeanGraph
from graphmeans.plots import draw_svg, layout, viewport
from graphmeans.plots.text import plain_text

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", "[red]x[/red]", "\x1b[31mred", "a\"b'c & <d>", "\udcff\ufffe\x00", "\u202egnp"]
TRIANGLE = [(0, 1), (1, 2), (2, 0)]


def parsed(picture: str) -> Any:
    """The picture as XML, which it must be."""
    return ElementTree.fromstring(picture.encode())


def dots(picture: str) -> list[tuple[float, float, float]]:
    """Center and radius of every node drawn as a dot."""
    return [tuple(float(c.get(k)) for k in ("cx", "cy", "r")) for c in parsed(picture).iter(f"{SVG}circle")]  # type: ignore[misc]


def mean_of(supports: list[float], edges: list[tuple[int, int]], edge_support: list[float]) -> MeanGraph:
    n = len(supports)
    return MeanGraph(
        {"x": np.arange(n, dtype=float), "y": np.zeros(n)}, edges, node_support=supports, edge_support=edge_support
    )


def test_y_points_upwards():
    low, high = dots(draw_svg(Graph({"x": [0.0, 0.0], "y": [0.0, 1.0]}, [(0, 1)])))
    assert low[0] == pytest.approx(high[0])
    assert low[1] > high[1]


def test_bare_pairs_are_positions():
    named = draw_svg(Graph({"x": [0.0, 2.0], "y": [1.0, 5.0]}, [(0, 1)]))
    bare = draw_svg(Graph([[0.0, 1.0], [2.0, 5.0]], [(0, 1)]))
    assert bare == named


@pytest.mark.parametrize(
    "graph",
    [
        Graph(0),
        Graph(1),
        Graph(5),
        Graph(3, TRIANGLE),
        Graph(3, TRIANGLE, directed=True),
        Graph(5, [(0, 1), (2, 3)]),
        Graph(130, [(i, i + 1) for i in range(129)]),
        Graph(np.zeros((4, 2)), [(0, 1)]),
        Graph(np.ones((2, 3)), [(0, 1)]),
        MeanGraph(3, TRIANGLE, np.zeros((3, 1)), node_support=[1, 0.5, 0.01], edge_support=[1, 0.01, 0.01]),
        MeanGraph(2, [], node_support=[0.01, 0.01], edge_support=[]),
    ],
    ids=repr,
)
def test_every_graph_can_be_drawn_the_same_way_twice(graph: Graph):
    picture = draw_svg(graph)
    parsed(picture)
    assert picture == draw_svg(graph)
    assert not re.search(r"\b(nan|inf)\b", picture)
    assert layout(graph).shape == (graph.n_nodes, 2)


def test_pieces_do_not_lie_on_each_other():
    positions = layout(Graph(6, [(0, 1), (2, 3), (4, 5)]))
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2) + np.eye(6)
    assert apart.min() > 0.5


def test_one_viewport_gives_one_scale():
    small = Graph({"x": [0.0, 1.0], "y": [0.0, 0.0]}, [(0, 1)])
    large = Graph({"x": [0.0, 4.0], "y": [0.0, 0.0]}, [(0, 1)])
    frame = viewport([small, large])
    assert frame == (0.0, -2.0, 4.0, 2.0)
    (a, b), (c, d) = dots(draw_svg(small, viewport=frame)), dots(draw_svg(large, viewport=frame))
    assert d[0] - c[0] == pytest.approx(4 * (b[0] - a[0]), abs=0.1)
    assert viewport([small, Graph(3)]) is None
    assert viewport([]) is None


def test_support_is_size_and_strength_and_what_few_have_is_left_out():
    mean = mean_of([1.0, 0.5, 0.01], [(0, 1), (1, 2)], [0.5, 0.01])
    picture = draw_svg(mean)
    weak, strong = sorted(dots(picture), key=lambda dot: dot[2])
    assert weak[2] < strong[2]
    assert len(re.findall(r"<path ", picture)) == 1
    opacities = [float(value) for value in re.findall(r'opacity="([\d.]+)"', picture)]
    assert len(opacities) == 2
    assert max(opacities) < 0.5
    assert "opacity" not in draw_svg(mean_of([1.0, 1.0], [(0, 1)], [1.0]))


def test_strong_edges_lie_on_top():
    picture = draw_svg(mean_of([1.0] * 3, [(0, 1), (1, 2), (0, 2)], [1.0, 0.2, 0.6]))
    widths = [float(width) for width in re.findall(r'stroke-width="([\d.]+)"', picture)]
    assert widths == sorted(widths)


def test_a_string_attribute_is_written_at_few_nodes():
    water = Graph({"part": ["H", "O", "H"]}, [(0, 1), (1, 2)])
    texts = [text.text for text in parsed(draw_svg(water)).iter(f"{SVG}text")]
    assert sorted(texts) == ["H", "H", "O"]
    assert "<text" not in draw_svg(water, labels=False)
    assert "<text" not in draw_svg(water, size=48)
    assert "<text" not in draw_svg(Graph({"part": ["C"] * 100}, [(i, i + 1) for i in range(99)]))
    assert 'fill="#d1495b"' in draw_svg(water, palette={"O": "#d1495b"})


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_text(name: str):
    graph = Graph({"x": [0.0, 1.0], "y": [0.0, 1.0], "kind": [name, name]}, [(0, 1)], name=name)
    picture = draw_svg(graph, color=name, palette={name: name})
    root = parsed(picture)
    assert {element.tag for element in root.iter()} <= {f"{SVG}{tag}" for tag in ("svg", "title", "g", "path", "text")}
    assert root.find(f"{SVG}title").text.startswith(plain_text(name))
    assert "<script" not in picture
    assert not any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in picture)


def test_plain_text_is_cut_with_a_sign():
    assert plain_text("abcdef", 4) == "abc…"
    assert plain_text("abcd", 4) == "abcd"
    assert plain_text("zwj 👩‍🔬") == "zwj 👩‍🔬"


def test_words_that_would_lie_on_each_other_become_dots():
    path = Graph({"part": ["person", "meeting"] * 5}, [(i, i + 1) for i in range(9)])
    assert "<text" not in draw_svg(path)
    assert draw_svg(path, labels=True).count("<text") == 10
    colours = re.findall(r'<circle[^>]* fill="([^"]*)"', draw_svg(path, palette={"meeting": "#d1495b"}))
    assert colours == ["#d1495b"] * 5


@pytest.mark.parametrize(("often", "arcs"), [(1.0, 0), (2.0, 1)])
def test_an_edge_has_a_second_line_only_if_it_stands_for_two(often: float, arcs: int):
    corners = {"x": [0.0, 1.0], "y": [0.0, 0.0]}
    edge = {"frequency": [often], "type0": ["line"], "type1": ["arc"], "angle1": [1.5]}
    mean = MeanGraph(corners, [(0, 1)], edge, node_support=[1.0, 1.0], edge_support=[1.0])
    assert len(re.findall(r"A[\d.]+ [\d.]+ 0", draw_svg(mean))) == arcs
