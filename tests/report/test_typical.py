"""Where graphs have few edges in common, typical members lead on the page in place of their means."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import Graph
from graphmeans.report import write_report
from graphmeans.report.cards.typical import COMMON, common_share
from graphmeans.report.facts.evidence import gather
from reports import fitted, letters


def scattered(n: int, size: int, seed: int) -> Graph:
    random = np.random.default_rng(seed)
    arcs = {tuple(sorted(random.choice(size, 2, replace=False).tolist())) for _ in range(size + 2)}
    return Graph({"kind": random.permutation([f"k{i}" for i in range(size)])}, sorted(arcs), directed=True, name=f"g{n}")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    graphs = [scattered(n, 6 + n % 4 if n % 2 else 12 + n % 4, n) for n in range(24)]
    estimator = fitted(graphs, 2)
    path = tmp_path_factory.mktemp("typical") / "r.html"
    return graphs, estimator, write_report(path, estimator=estimator, graphs=graphs).read_text(encoding="utf-8")


def test_typical_members_lead_where_means_say_little(run):
    graphs, estimator, html = run
    sizes = [int((estimator.labels_ == c).sum()) for c in range(2)]
    assert common_share(estimator.centroids(kind="graph"), sizes) < COMMON
    for label in range(2):
        tile = html.split(f'<li data-c="{label}">')[1].split("</li>")[0]
        name = re.search(r">Typical: (g\d+)<", tile)[1]
        assert f'href="#s{label}"' in tile
        row = next(i for i, graph in enumerate(graphs) if graph.name == name)
        inside = np.flatnonzero(estimator.labels_ == label)
        assert row in inside[np.argsort(estimator.distances_[inside], kind="stable")][:8]
        card = html.split(f'id="cluster-{label}"')[1].split("</article>")[0]
        assert f"<b>Typical:</b> {name}," in card
        assert f'href="#m{label}"' in card  # the mean is there, too
        # Its picture has as many nodes as it has.
        symbol = html.split(f'<symbol id="s{label}"')[1].split("</symbol>")[0]
        assert symbol.count("<circle") == graphs[row].n_nodes


def test_of_the_nearest_members_the_one_of_the_usual_size_is_typical(run):
    graphs, estimator, html = run
    doubtful = gather(estimator, graphs).doubtful
    for label, mean in enumerate(estimator.centroids(kind="graph")):
        usual = np.log1p([mean.node_support.sum(), mean.edge_support.sum()])
        inside = np.flatnonzero(estimator.labels_ == label)
        near = inside[np.argsort(estimator.distances_[inside], kind="stable")][: min(8, -(-len(inside) // 2))]
        near = near[~doubtful[near]] if not doubtful[near].all() else near  # no doubtful ones, if there are others
        off = {graphs[i].name: np.abs(np.log1p([graphs[i].n_nodes, graphs[i].n_edges]) - usual).sum() for i in near}
        name = re.search(r">Typical: (g\d+)<", html.split(f'<li data-c="{label}">')[1])[1]
        assert off[name] == min(off.values())


def test_means_lead_where_they_say_enough(tmp_path):
    graphs, _, estimator = letters(60)
    assert "Typical:" not in write_report(tmp_path / "a.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    trees = gm.structures.trees([("f", [("a", []), ("b", [])]), ("f", [("c", [("d", [])])])] * 6)
    page = write_report(tmp_path / "b.html", estimator=fitted(trees, 2), graphs=trees).read_text(encoding="utf-8")
    assert "Typical:" not in page


def test_molecules_without_their_origin_are_shown_by_typical_ones_with_their_letters(tmp_path):
    random = np.random.default_rng(0)
    graphs = []
    for n in range(24):
        size = 5 + n % 4
        bonds = [(i, i + 1) for i in range(size - 1)] + [(int(random.integers(size - 2)), size)]
        graphs.append(Graph({"chem": [*random.choice(["C", "C", "O", "N"], size), "O"]}, bonds, name=f"molecule {n}"))
    page = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs).read_text(encoding="utf-8")
    for label in (0, 1):
        assert re.search(r"<small title=\"molecule \d+\">Typical: molecule \d+</small>", page.split(f'<li data-c="{label}">')[1])
        symbol = page.split(f'<symbol id="s{label}"')[1].split("</symbol>")[0]
        assert ">O<" in symbol
    assert "atoms and" in re.search(r"A molecule has (.*?) on average", page)[1]


def test_a_mixed_cluster_shows_the_nearest_member_of_each_frequent_class(tmp_path):
    graphs, _, estimator = letters(240, 8)
    classes = ["first" if n % 2 else "second" if n % 3 else "rare" if n % 21 == 0 else "third" for n in range(len(graphs))]
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes).read_text(encoding="utf-8")
    shown = 0
    for label in range(8):
        tile = html.split(f'<li data-c="{label}">')[1].split("</li>")[0]
        inside = np.flatnonzero(estimator.labels_ == label)
        counts = Counter(classes[i] for i in inside)
        frequent = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        expected = [name for name, count in frequent if count >= 0.1 * len(inside)]
        named = re.findall(r'aria-label="The nearest member of (.*?)"><use href="#(.*?)"', tile)
        assert [name for name, _ in named] == expected[:3]
        for name, symbol in named:
            near = min((i for i in inside if classes[i] == name), key=lambda i: estimator.distances_[i])
            picture = html.split(f'<symbol id="{symbol}"')[1].split("</symbol>")[0]
            assert picture.count("<circle") == graphs[near].n_nodes
            shown += 1
    assert shown > 16
    assert "Small ones below are the nearest members of the classes in a mixed cluster." in html
    pure = write_report(tmp_path / "p.html", estimator=estimator, graphs=graphs, classes=estimator.labels_.tolist())
    assert "The nearest member of" not in pure.read_text(encoding="utf-8")
