"""How the page is laid out: tiles fill their rows, words keep clear of each other, and pictures on the map of the dots."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

from graphmeans import Graph, structures
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import drawing
from graphmeans.plots.pen import Pen
from graphmeans.report import write_report
from graphmeans.report.pictures.chart import MAP_HEIGHT, MAP_WIDTH, beside
from graphmeans.report.pictures.cluster_pictures import ClusterPictures
from reports import Page, drawings, fitted, letters

KINDS = ("public", "special", "private", "init")


def calls(n: int, count: int, arcs: int, seed: int) -> Graph:
    """Words at nodes, few arcs, and no positions."""
    random = np.random.default_rng(seed)
    some = {tuple(sorted(random.choice(count, 2, replace=False).tolist())) for _ in range(arcs)}
    kinds = [KINDS[i] for i in random.integers(0, 4, count)]
    return Graph({"kind": kinds}, sorted(some), directed=True, name=f"calls {n}")


# -- tiles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "across"), [(3, 3), (4, 4), (6, 3), (8, 4)])
def test_few_tiles_fill_their_rows_and_their_pictures_stand_on_the_first_screen(browser, tmp_path, k, across):  # noqa: F811
    graphs, _, estimator = letters(60, k)
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)).open(width=1440, height=900)
    boxes = tab.js("""[...document.querySelectorAll('#means li')].map((li) => { const b = li.getBoundingClientRect();
        return [b.left, b.right, b.top, li.querySelector('svg').getBoundingClientRect().bottom]; })""")
    list_right = tab.js("document.getElementById('means').getBoundingClientRect().right")
    first = [box for box in boxes if box[2] == boxes[0][2]]
    assert len(first) == across
    assert abs(first[-1][1] - list_right) < 2
    assert all(right - left > 200 for left, right, *_ in boxes)
    assert all(bottom < 900 for *_, bottom in boxes)
    tab.open(width=390)
    assert tab.overflow() == []


def test_what_only_members_have_is_explained_where_members_are(tmp_path: Path):
    graphs, classes, estimator = letters()
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
    first, rest = html.split('<dl class="figures"')
    assert "only a few" in first
    for said in ("fewer than a fifth of its cluster", 'class="dashed"', "behind a member"):
        assert said not in first.split("<body")[1]
        assert said in rest.split('id="clusters"')[1].split('id="cards"')[0]


# -- cards ---------------------------------------------------------------------------------------------


def test_members_of_both_classes_that_a_cluster_is_named_after_are_not_called_others(browser, tmp_path):  # noqa: F811
    graphs = drawings(24)
    classes = ["triangle" if i % 2 == 0 else "odd" if i == 23 else "line" if i % 4 == 1 else "stroke" for i in range(24)]
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs, classes=classes))
    names = Page(tab.path).data["classes"]
    both = next(row["named"] for row in Page(tab.path).data["clusters"] if len(row["named"]) == 2)
    assert sorted(names[k] for k in both) == ["line", "stroke"]
    tab.open()
    tab.driver.execute_script("document.getElementById('print-cards').click(); window.dispatchEvent(new Event('beforeprint'))")
    tab.until("!document.querySelector('ul[data-members]')")
    thumbs = tab.js("""[...document.querySelectorAll('.cluster .thumb')].map((b) => [b.getAttribute('aria-label'),
        b.classList.contains('other'), b.querySelector('b')?.textContent || ''])""")
    assert len(thumbs) > 12
    for said, other, label in thumbs:
        own = re.search(r"class (\w+),", said)[1]
        assert other == (own == "odd")
        assert label == (own if own != "triangle" else "")  # two classes are told apart, one needs no label


def test_of_members_without_nodes_one_is_shown_and_all_are_counted(tmp_path: Path):
    graphs = [Graph({"x": [], "y": []}, [], name=f"nothing {n}") for n in range(12)] + drawings(12)
    estimator = fitted(graphs, 3)
    label = int(estimator.labels_[0])
    count = int((estimator.labels_[:12] == label).sum())
    page = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)
    card = page.read_text(encoding="utf-8").split(f'id="cluster-{label}"')[1].split("</article>")[0]
    shown = [int(n) for found in re.findall(r'data-members="([\d ]+)"', card) for n in found.split()]
    assert sum(not Page(page).data["graphs"][n]["p"] for n in shown) == 1
    assert f"one of {count} without nodes" in card


def test_the_picture_of_a_mean_stays_in_sight_and_is_large(browser, tmp_path):  # noqa: F811
    graphs, _, estimator = letters(60, 3)
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)).open(width=1440, height=900)
    wide, kind = "document.querySelector('.mean').offsetWidth", "getComputedStyle(document.querySelector('.mean')).position"
    assert 275 <= tab.js(wide) <= 305
    assert tab.js(kind) == "sticky"
    assert tab.open(width=390).js(kind) == "static"


# -- thumbnails ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def called(browser, tmp_path_factory):  # noqa: F811
    graphs = [calls(n, 3 + n % 5, n % 4, n) for n in range(40)]
    path = tmp_path_factory.mktemp("calls") / "r.html"
    tab = Tab(browser, write_report(path, estimator=fitted(graphs, 2), graphs=graphs)).open(width=1440)
    tab.driver.execute_script("document.querySelectorAll('button[data-all]').forEach((b) => b.click())")
    tab.until("document.querySelector('.members.all .thumb')")
    return tab


def test_dots_and_lines_of_small_pictures_are_of_one_size(called):
    sizes = called.js("""[...document.querySelectorAll('.members.all .thumb')].map((b) => {
        const dots = [...b.querySelectorAll('circle')].map((c) => c.getBoundingClientRect().width), svg = b.querySelector('svg');
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        const lines = [...b.querySelectorAll('path')].map((p) => p.getAttribute('stroke-width') * scale);
        return [svg.getBoundingClientRect().width, Math.max(...dots), Math.max(...lines, 0)]; })""")
    assert len({round(wide) for wide, *_ in sizes}) == 1
    dots, lines = [dot for _, dot, _ in sizes], [line for *_, line in sizes if line]
    assert max(dots) < 1.7 * min(dots)
    assert max(lines) < 1.7 * min(lines)


def test_names_that_would_read_the_same_are_told_apart_and_none_is_cut(browser, tmp_path):  # noqa: F811
    kinds = ("Basic", "Extended", "Legacy")
    names = [f"package.of.some.depth.with.a.class.{kind}{n}InterpolationOfValues" for n in range(4) for kind in kinds]
    graphs = drawings(12, names)
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=fitted(graphs, 1), graphs=graphs)).open()
    tab.js("document.querySelector('.cluster .members').scrollIntoView()")
    tab.until("document.querySelector('.thumb')")
    shown = tab.js("""[...new Map([...document.querySelectorAll('.thumb')].map((b) => { const name = b.querySelector('.name');
        return [b.title, [name.textContent, name.scrollHeight - name.clientHeight]]; })).values()]""")
    assert len({name for name, _ in shown}) == len(shown) > 3
    assert all(beyond <= 1 for _, beyond in shown)


# -- words in pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_words_in_place_of_nodes_never_lie_on_each_other(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 14))
    graph = calls(0, count, int(random.integers(0, 2 * count)), seed)
    mean = MeanGraph(
        graph.nodes, graph.edges, node_support=random.uniform(0.1, 1, count),
        edge_support=random.uniform(0.1, 1, graph.n_edges), directed=bool(seed % 2),
    )  # fmt: skip
    picture = drawing(mean)
    pen = Pen(picture, 300, picture.box())
    if not pen.written:
        return
    at = pen.pixels(picture.points)
    shown = [i for i in picture.drawn.tolist() if picture.labels[i]]
    high = {i: pen.letters(float(picture.strength[i])) for i in shown}
    wide = {i: 0.6 * high[i] * len(picture.written(i)) for i in shown}
    for i in shown:
        for j in shown:
            if i < j:
                x, y = np.abs(at[i] - at[j])
                assert x >= 0.5 * (wide[i] + wide[j]) or y >= 0.4 * (high[i] + high[j])


def test_a_mean_that_is_drawn_with_fewer_edges_as_a_tree_is_laid_out_as_one():
    nodes, arcs = {"kind": ["public", "private", "special"]}, [(0, 1), (0, 2), (1, 2)]
    whole = MeanGraph(nodes, arcs, node_support=[1.0] * 3, edge_support=[1.0] * 3, directed=True)
    told = MeanGraph(nodes, arcs, node_support=[1.0] * 3, edge_support=[1.0, 1.0, 0.01], directed=True)
    pictures = ClusterPictures([told], [whole])
    assert pictures.is_tree == [True]
    assert np.array_equal(pictures.layouts[0], ClusterPictures([told]).layouts[0])


def test_small_pictures_of_means_have_no_words():
    graph = Graph({"kind": ["if", "for", "do"]}, [(0, 1), (1, 2)])
    mean = MeanGraph(graph.nodes, graph.edges, node_support=[1.0] * 3, edge_support=[1.0] * 2)
    pictures = ClusterPictures([mean])
    assert pictures.pen(0).written
    assert pictures.small(0) == "s0"
    assert not pictures.small_pen(0).written


# -- the map and the tree ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_pictures_on_the_map_stand_beside_the_dots_and_not_on_each_other(seed):
    random = np.random.default_rng(seed)
    centers = random.integers([100, 80], [900, 560], (6, 2))
    dots = (centers[:, None] + random.normal(0, 22, (6, 40, 2))).astype(np.int64).reshape(-1, 2)
    sizes = np.full((6, 2), [60.0, 80.0])
    placed = beside(centers, centers, sizes, range(6), dots)

    def covered(at: np.ndarray) -> int:
        return int((np.abs(dots[:, None] - at[None]) < sizes[None] / 2).all(axis=2).sum())

    assert covered(placed) < 0.25 * covered(centers)
    gap = np.abs(placed[:, None] - placed[None])
    assert ((gap[..., 0] >= 60) | (gap[..., 1] >= 80) | np.eye(6, dtype=bool)).all()
    assert (placed >= sizes / 2).all()
    assert (placed <= np.array([MAP_WIDTH, MAP_HEIGHT]) - sizes / 2).all()


def test_a_dot_below_a_picture_on_the_map_can_be_opened(browser, tmp_path):  # noqa: F811
    graphs, _, estimator = letters()
    tab = Tab(browser, write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)).open(width=1440)
    tab.driver.execute_script("document.getElementById('mapbox').scrollIntoView({block: 'center'})")
    n, x, y = tab.js("""(() => { const link = document.querySelector('.map a'), at = graphMap.at(0);
        const box = link.querySelector('rect').getBoundingClientRect(); // the picture is moved onto a dot
        link.dataset.dx = Number(link.dataset.dx) + (at[0] - box.left - 20) / (document.querySelector('.map').clientWidth / 1000);
        link.dataset.dy = Number(link.dataset.dy) + (at[1] - box.top - 20) / (document.querySelector('.map').clientWidth / 1000);
        graphMap.recolor();
        return [0, at[0], at[1]]; })()""")
    tab.until(f"document.elementFromPoint({x}, {y}).closest('.map a')")
    name = tab.js(f"graphMap.nameOf({n})")
    tab.driver.execute_script(f"""document.elementFromPoint({x}, {y}).dispatchEvent(
        new MouseEvent('click', {{bubbles: true, cancelable: true, detail: 1, clientX: {x}, clientY: {y}}}))""")
    tab.until("document.querySelector('dialog[open]')")
    assert tab.js("document.getElementById('viewer-name').textContent") == name


def test_all_networks_together_differ_from_the_central_cluster(tmp_path: Path):
    random = np.random.default_rng(0)
    base = random.uniform(0.2, 1.0, (4, 12, 12))
    matrices = base[np.repeat(range(4), 6)] + random.normal(0, 0.02, (24, 12, 12))
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    graphs = structures.labelled_networks(matrices, labels=[f"region {n}" for n in range(12)])
    html = write_report(tmp_path / "r.html", estimator=fitted(graphs, 4), graphs=graphs).read_text(encoding="utf-8")
    rows = re.findall(r"<summary>(.*?)<b>(\d) clusters</b>", html)
    assert rows[0][1] == "4"
    assert all("<svg" in before for before, _ in rows)
    assert 'id="t0"' in html
