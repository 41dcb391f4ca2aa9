"""Stability, the correlation of the map and the tables of contrasts, computed again in a slow and obvious way.

What is compared is what stands on the page; it is computed from labels.csv, the graphs and the means of the model. How each graph
is aligned to its mean is found by `align`; which cluster is its second one, where it stands on the map and how two means are
aligned to each other are taken from the page.
"""

from __future__ import annotations

import csv
import re
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.evaluation.fitted import centers_of, points_of
from graphmeans.io import read_collection, write_collection
from graphmeans.plots.matrix import MeanMatrices
from graphmeans.report import write_report
from graphmeans.report.words import percent
from reports import Page, fitted, words

N, K = 200, 12


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A clustering of letters by the command: its labels, its model and its page."""
    folder = tmp_path_factory.mktemp("recomputed")
    made, y = gm.datasets.make_letters(N, random_state=0)
    write_collection(made, folder / "letters", classes=y.tolist(), kind="gxl")
    said = CliRunner().invoke(app, ["cluster", str(folder / "letters"), "-k", str(K), "-o", str(folder / "out")])
    assert said.exit_code == 0, said.output
    with (folder / "out" / "labels.csv").open(newline="", encoding="utf-8") as file:
        labels = np.array([int(row["label"]) for row in csv.DictReader(file)])
    graphs = read_collection(folder / "letters")[0]
    model, path = gm.load(folder / "out" / "model.gmz"), folder / "out" / "report.html"
    page = Page(path)
    assert [row["i"] for row in page.data["graphs"]] == list(range(N))  # all are drawn
    return SimpleNamespace(
        graphs=graphs, labels=labels, model=model, page=page, said=words(page), html=path.read_text(encoding="utf-8"),
        into=[match.indices.tolist() for match in model.align(graphs)],
    )  # fmt: skip


def members(run, c):
    return [(run.graphs[i], run.into[i]) for i in np.flatnonzero(run.labels == c)]


# -- tables --------------------------------------------------------------------------------------------


def cells(row: str) -> list[str]:
    return [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]


def table_rows(html: str) -> list[list[str]]:
    return [cells(row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", html, re.DOTALL)]


def share_with_node(run, c: int, node: int) -> float:
    return np.mean([node in into for _, into in members(run, c)]) if node >= 0 else 0.0


def share_with_edge(run, c: int, i: int, j: int) -> float:
    own = [{frozenset((into[a], into[b])) for a, b in graph.edges.tolist()} for graph, into in members(run, c)]
    return np.mean([frozenset((i, j)) in edges for edges in own]) if min(i, j) >= 0 else 0.0


def mean_at_node(run, c: int, node: int, column: str) -> float:
    return np.mean([graph.nodes[column][into.index(node)] for graph, into in members(run, c) if node in into])


def mean_of_members(run, c: int, what: str) -> float:
    graphs = [graph for graph, _ in members(run, c)]
    return mean_of(graphs, what)


def mean_of(graphs, what: str) -> float:
    if what in ("nodes in a graph", "edges in a graph"):
        return np.mean([graph.n_nodes if what[0] == "n" else graph.n_edges for graph in graphs])
    column = re.fullmatch(r"mean (\w+) of nodes", what)[1]
    return np.mean([value for graph in graphs for value in graph.nodes[column].tolist()])


def same_number(said: str, value: float) -> bool:
    return float(said.replace(",", "")) == pytest.approx(value, rel=0.0051)  # three digits are written


def test_what_sets_clusters_apart(run):
    table = r'<article[^>]*data-c="(\d+)".*?aria-label="What sets cluster \d+ apart"><table>(.*?)</table>'
    tables = re.findall(table, run.html, re.DOTALL)
    seen = {"node": 0, "edge": 0, "attribute": 0, "members": 0}
    assert len(tables) > K // 2
    for label, html in tables:
        c, (head, *rows) = int(label), table_rows(html)
        other, into, names = (run.page.data["clusters"][c][key] for key in ("other", "into", "n"))
        assert head == ["what", f"cluster {c}", f"cluster {other}"]
        for what, here, there in rows:
            node, edge = re.fullmatch(r"node (\d+)", what), re.fullmatch(r"edge (\d+)–(\d+)", what)
            attribute = re.fullmatch(r"(\w+) of node (\d+)", what)
            if node:
                i = names.index(int(node[1]))
                assert here == f"{percent(share_with_node(run, c, i))} have it"
                assert there == f"{percent(share_with_node(run, other, into[i]))} have it"
                seen["node"] += 1
            elif edge:
                i, j = (names.index(int(n)) for n in edge.groups())
                assert here == f"{percent(share_with_edge(run, c, i, j))} have it"
                assert there == f"{percent(share_with_edge(run, other, into[i], into[j]))} have it"
                seen["edge"] += 1
            elif attribute:
                i = names.index(int(attribute[2]))
                assert same_number(here, mean_at_node(run, c, i, attribute[1]))
                assert same_number(there, mean_at_node(run, other, into[i], attribute[1]))
                seen["attribute"] += 1
            else:
                assert same_number(here, mean_of_members(run, c, what))
                assert same_number(there, mean_of_members(run, other, what))
                seen["members"] += 1
    assert min(seen.values()) >= 5, seen  # every sort of row was met


def test_what_distinguishes_all_clusters(run):
    html = re.search(r'<table class="wide" id="distinctions-table">(.*?)</table>', run.html, re.DOTALL)[1]
    head, *rows = table_rows(html)
    features = head[3:]
    assert set(features) == {"nodes in a graph", "edges in a graph", "mean x of nodes", "mean y of nodes"}
    sizes = np.bincount(run.labels, minlength=K)
    order = [int(c) for c in re.findall(r'<article[^>]*data-c="(\d+)"', run.html)]  # of the cards
    for c, row in zip(order, rows, strict=True):
        assert re.match(rf"Cluster {c}\b", row[0])
        assert row[1] == str(sizes[c])
        for what, said in zip(features, row[3:], strict=True):
            assert same_number(said, mean_of_members(run, c, what))
    between = []  # first comes what differs most between clusters, beside how much it differs between graphs
    for what in features:
        values = np.array([mean_of_members(run, c, what) for c in range(K)])
        middle = (values * sizes).sum() / N
        between.append(np.sqrt((sizes * (values - middle) ** 2).sum() / N) / np.std([mean_of([g], what) for g in run.graphs]))
    assert between == sorted(between, reverse=True)


# -- the map -------------------------------------------------------------------------------------------


def test_the_correlation_of_the_map(run):
    places = np.array([[row["x"], row["y"]] for row in run.page.data["graphs"]], dtype=float)
    middle = np.array([np.median(places[run.labels == c], axis=0) for c in range(K)])
    true = run.model.transform(run.graphs)
    shown = np.linalg.norm(places[:, None] - middle[None], axis=2)
    tried = np.random.RandomState(0).choice(N * K, 150, replace=False)  # so many pairs of a graph and a mean are matched for it
    said = float(re.search(r"as far as a plane can show it \(correlation ([-\d.]+)\)", run.said)[1])
    assert said == pytest.approx(np.corrcoef(true.ravel()[tried], shown.ravel()[tried])[0, 1], abs=0.0075)
    assert said == pytest.approx(np.corrcoef(true.ravel(), shown.ravel())[0, 1], abs=0.1)  # of all pairs


# -- stability -----------------------------------------------------------------------------------------


def dense(nodes, edges, values, slots, room: int) -> np.ndarray:
    """A graph in a frame: a matrix with its nodes on the diagonal, all numbers in the last axis."""
    width = nodes.shape[1]
    matrix = np.zeros((room, room, width + values.shape[1]))
    for i, slot in enumerate(slots):
        matrix[slot, slot, :width] = nodes[i]
    for (i, j), value in zip(edges.tolist(), values, strict=True):
        matrix[slots[i], slots[j], width:] = matrix[slots[j], slots[i], width:] = value
    return matrix


def beyond(into, first: int) -> list[int]:
    """Nodes that are aligned to none stand behind this many slots, one after the other."""
    free = iter(range(first, first + len(into)))
    return [slot if slot >= 0 else next(free) for slot in into]


def test_stability(run):
    space, points, centers = run.model.space_, points_of(run.model, run.graphs), centers_of(run.model)
    most = max(graph.n_nodes for graph in run.graphs)
    largest = int(centers.sizes.max())
    room = largest + 2 * most

    def mapping(x, y, i: int, j: int) -> list[int]:
        return space.match(x, y, np.array([[i, j]])).mapping(0).tolist()

    own, beside, second = [], [], []
    for i, row in enumerate(run.page.data["graphs"]):
        c, c2, into = int(run.labels[i]), row["c2"], run.into[i]
        if "u" in row:  # it was not matched with the second mean: it goes there along its own
            low, high = min(c, c2), max(c, c2)
            way = mapping(centers, centers, low, high)
            if c != low:
                way = [way.index(node) if node in way else -1 for node in range(int(centers.sizes[c]))]
            there = [way[node] if node >= 0 else -1 for node in into]
        else:
            there = mapping(points, centers, i, c2)
        graph = points.take([i])
        parts = graph.nodes, graph.ends, graph.edge_values
        own.append(dense(*parts, beyond(into, int(centers.sizes[c])), room))
        beside.append(dense(*parts, beyond(there, largest + most), room))  # where no mean has anything
        second.append(c2)
    own, beside, second = np.array(own), np.array(beside), np.array(second)

    def stays(weights: np.ndarray) -> np.ndarray:
        means = []
        for c in range(K):
            inside = run.labels == c
            means.append(np.tensordot(weights[inside], own[inside], axes=1) / (weights[inside].sum() or 1.0))
        means = np.array(means)
        here, away = (own - means[run.labels]) ** 2, (beside - means[second]) ** 2
        return here.sum(axis=(1, 2, 3)) <= away.sum(axis=(1, 2, 3))

    random = np.random.RandomState(0)
    before, kept = stays(np.ones(N)), []
    for _ in range(12):
        weights = random.poisson(1.0, N).astype(float)
        for c in range(K):
            if weights[run.labels == c].sum() == 0:
                weights[run.labels == c] = 1.0
        kept.append(stays(weights) == before)
    said = float(re.search(r"([\d.]+)% would stay in it with another sample of graphs", run.said)[1])
    assert said == pytest.approx(100 * np.mean(kept), abs=0.051)
    assert said < 100  # else the test could not fail


# -- what rows and pictures name -------------------------------------------------------------------------


def test_rows_name_the_kinds_of_nodes_beside_their_numbers(tmp_path):
    chain, fork = [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]
    graphs = [gm.Graph({"kind": list("abcd")}, chain if i % 2 else fork, directed=True) for i in range(8)]
    html = write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs).read_text(encoding="utf-8")
    rows = [row[0] for row in table_rows(html) if row[0].startswith("edge ") and "–" in row[0]]
    assert rows
    for row in rows:
        assert re.fullmatch(r"edge \d+–\d+ \([abcd]–[abcd]\)", row), row
    named = re.findall(r'data-named="([\d ]*)"', html)
    assert {n for row in rows for n in re.findall(r"\d+", row)} <= {n for some in named for n in some.split()}


def test_matrices_have_room_for_names_and_dense_members_are_drawn_by_strength(tmp_path):
    matrices = np.random.default_rng(0).normal(size=(8, 45, 45))
    matrices[::2] += 2.0
    names = [f"L Cingulum Ant {i}" for i in range(45)]
    graphs = gm.structures.labelled_networks(list(matrices + matrices.transpose(0, 2, 1)), labels=names)
    page = Page(write_report(tmp_path / "r.html", estimator=fitted(graphs, 2), graphs=graphs))
    wide = [a for tag, a in page.tags if tag == "svg" and a.get("class") == "matrix"]
    assert len(wide) == 3  # both means, and a difference
    for a in wide:
        assert float(a["viewbox"].split()[2]) - 300 >= 5.8 * len("L Cingulum Ant 44")
    assert all(row["im"] and not row["p"] for row in page.data["graphs"])  # as matrices; lines would be a tangle
    coordinates = np.random.default_rng(1).normal(size=(45, 2))
    placed = gm.structures.labelled_networks(list(matrices + matrices.transpose(0, 2, 1)), labels=names, coordinates=coordinates)
    page = Page(write_report(tmp_path / "r.html", estimator=fitted(placed, 2), graphs=placed))
    for row in page.data["graphs"]:
        assert len(row["ss"]) == len(row["s"]) // 2 < graphs[0].n_edges
        assert 0 < min(row["ss"]) < max(row["ss"]) == 100


def test_what_is_said_of_networks_is_in_their_matrices(tmp_path):
    rng = np.random.default_rng(0)
    lobes = ("frontal", "parietal", "occipital")
    names = [f"{side} {lobe} {i}" for lobe in lobes for side in ("left", "right") for i in range(8)]
    frontal = np.array(["frontal" in name for name in names])
    matrices = rng.normal(0.5, 0.05, size=(12, 48, 48))
    matrices[::2] -= 0.2 * np.outer(frontal, frontal)
    matrices = np.triu(matrices, 1) + np.triu(matrices, 1).transpose(0, 2, 1)
    graphs = gm.structures.labelled_networks(matrices, labels=names)
    estimator = fitted(graphs, 2)
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)
    page, html = Page(path), path.read_text(encoding="utf-8")
    block = np.outer(frontal, frontal) & ~np.eye(48, dtype=bool)
    strength = [matrices[estimator.labels_ == c].mean(axis=0)[block].mean() for c in range(2)]
    told = re.findall(r"Connections within “frontal” are <b>(\w+)</b> than in (.*?) \((.*?)(?:; others|, there) (.*?)\)", html)
    assert [where for _, where, *_ in told] == ["the other cluster", "cluster 0"]
    for c, (word, _, here, there) in enumerate(told):
        assert word == ("stronger" if strength[c] > strength[1 - c] else "weaker")
        assert float(here) == pytest.approx(strength[c], rel=0.05)
        assert float(there) == pytest.approx(strength[1 - c], rel=0.05)
    for row in page.data["graphs"]:
        mean = matrices[estimator.labels_ == row["c"]].mean(axis=0)
        apart = np.abs(matrices[row["i"]] - mean)
        largest = np.sort(np.triu(apart), axis=None)[::-1]
        for n, (a, b, here, there, share) in enumerate(row["top"]):
            assert page.data["regions"][a] == names[a]
            assert share / 1000 == pytest.approx(apart[a, b] ** 2 / np.sum(np.triu(apart) ** 2), abs=6e-4)
            assert here == pytest.approx(matrices[row["i"]][a, b], rel=0.01)
            assert there == pytest.approx(mean[a, b], rel=0.01)
            assert abs(here - there) == pytest.approx(largest[n], abs=0.01)
        assert row["im"].startswith("data:image/png;base64,")


def test_every_sentence_on_networks_is_recomputed(tmp_path):
    rng = np.random.default_rng(1)
    names = [f"{side}H_{net}_{i}" for side in "LR" for net in ("Vis", "Cont", "Limbic", "Default") for i in range(8)]
    left, default = (np.array([word in name for name in names]) for word in ("LH", "Default"))
    across, of_default = left[:, None] != left, default[:, None] | default
    base = rng.uniform(0.3, 0.9, (64, 64)) * np.where(across, 0.3, 1.0)
    matrices = []
    for i in range(24):
        weak = [np.zeros_like(across), across, of_default][i % 3]
        matrix = np.triu(base * np.where(weak, 0.4, 1.0) + rng.normal(0, 0.02, (64, 64)), 1)
        matrices.append(matrix + matrix.T)
    matrices = np.array(matrices)
    graphs = gm.structures.labelled_networks(matrices, labels=names)
    estimator = fitted(graphs, 3)
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    whole = ~np.eye(64, dtype=bool)
    blocks = {"between left and right": across, "of “Default” with all regions": of_default & whole}
    means = [matrices[estimator.labels_ == c].mean(axis=0) for c in range(3)]
    plain, split, weak = (int(estimator.labels_[i]) for i in range(3))
    assert np.argmin([sum(np.sum((a - b) ** 2) for b in means) for a in means]) == plain  # who is nearest to the others
    assert html.count("This cluster is nearest to all others") == 1
    sentence = (
        r"(?:Connections|those) ([^<]*) are <b>(\w+)</b>(?: than in ([^(]*))? "
        r"\(([^,;]*)(?:, there ([^;]*))?; others ([^)]*)\)"
    )
    seen, wanted = [], dict.fromkeys((plain, split, weak), r"<p class=\"told\">(?!This)(.*?)</p>")
    for c, pattern in wanted.items():
        article = re.search(rf'<article[^>]*data-c="{c}".*?</article>', html, re.S).group()
        found = re.findall(sentence, told := re.search(pattern, article).group(1))
        assert len(found) == told.count("<b>") > 0
        assert found[0][2] == ("all other clusters" if c == plain else f"cluster {plain}")
        for what, word, _, here, there, others in found:
            strength = [float(mean[blocks[what]].mean()) for mean in means]
            beside = sorted(strength[o] for o in range(3) if o != c and (c == plain or o != plain))
            assert float(here) == pytest.approx(strength[c], rel=0.05)
            assert [float(v) for v in re.findall(r"[\d.]+", others)] == pytest.approx(beside, rel=0.05)
            if c == plain:
                assert (strength[c] > beside[-1]) if word == "stronger" else (strength[c] < beside[0])
            else:
                assert float(there) == pytest.approx(strength[plain], rel=0.05)
                assert word == ("stronger" if strength[c] > strength[plain] else "weaker")
            seen.append((c, what, word))
    assert set(seen) >= {(split, "between left and right", "weaker"), (weak, "of “Default” with all regions", "weaker")}
    tiles = [re.findall("<small[^>]*>(.*?)</small>", tile) for tile in re.findall(r'<li data-c="\d+">.*?</li>', html, re.S)]
    tiles = {c: re.sub("<[^>]*>|\u200b", "", " ".join(tiles[c])) for c in range(3)}
    assert tiles[plain].startswith("Central: nearest to all others, which are compared with it")
    assert re.fullmatch(rf"Between left and right: weaker, [\d.]+ \([\d.]+ in cluster {plain}\)", tiles[split])
    assert re.fullmatch(rf"“Default” with all regions: weaker, [\d.]+ \([\d.]+ in cluster {plain}\)", tiles[weak])
    for title, shown in (("Mean matrix", means), (f"Difference from cluster {plain}", [mean - means[plain] for mean in means])):
        low, high = re.search(rf"<b>{title}</b> (.*?) <span.*?</span> ([−\d.]+(?: and more)?)", html).groups()
        assert high.endswith("and more") == (np.max(shown) > float(high.split()[0]))
        assert float(low.split()[0].replace("−", "-")) in (0.0, -float(high.split()[0]))


def test_connections_of_directed_networks_have_a_direction_and_loops_are_connections(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"{side} area {i}" for side in ("left", "right") for i in range(22)]
    matrices = rng.uniform(0.2, 0.8, (12, 44, 44))
    matrices[::2, :8, 20:30] *= 0.3
    graphs = gm.structures.labelled_networks(matrices, labels=names, directed=True)
    estimator = fitted(graphs, 2)
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs)
    page, html = Page(path), path.read_text(encoding="utf-8")
    assert page.data["way"] == " → "
    assert len(re.findall(r'<th scope="row">(?:left|right) area \d+ → (?:left|right) area \d+</th>', html)) > 4
    loops = 0
    for row in page.data["graphs"]:
        mean = matrices[estimator.labels_ == row["c"]].mean(axis=0)
        squares = (matrices[row["i"]] - mean) ** 2
        for a, b, here, there, share in row["top"]:
            assert here == pytest.approx(matrices[row["i"]][a, b], rel=0.01)
            assert there == pytest.approx(mean[a, b], rel=0.01)
            assert share / 1000 == pytest.approx(squares[a, b] / squares.sum(), abs=6e-4)
            loops += a == b
    assert loops
    found = MeanMatrices.of_means(estimator.centroids(kind="graph"), np.bincount(estimator.labels_), order=graphs[0].node_ids)
    for c, mean in enumerate(found.means):  # the diagonal is no gap
        assert np.allclose(mean, matrices[estimator.labels_ == c].mean(axis=0))


def test_of_several_attributes_the_share_of_both_directions_is_told_and_called_that(tmp_path):
    rng = np.random.default_rng(0)
    names, ends = [f"area {i}" for i in range(44)], [(i, j) for i in range(44) for j in range(44) if i != j]
    graphs = []
    for n in range(8):
        columns = {"weight": rng.uniform(1, 2, len(ends)) + 2.0 * (n % 2), "delay": rng.uniform(1, 2, len(ends))}
        graphs.append(gm.Graph(44, ends, columns, directed=True, node_ids=names))
    networks = gm.structures.labelled_networks(graphs, weight=None)
    estimator = fitted(networks, 2)
    page = Page(write_report(tmp_path / "r.html", estimator=estimator, graphs=networks))
    assert page.data["pooled"] == 1
    both = 0
    for row in page.data["graphs"]:
        shares = {(a, b): share for a, b, *_, share in row["top"]}
        pairs = [(a, b) for a, b in shares if a < b and (b, a) in shares]
        assert all(shares[a, b] == shares[b, a] for a, b in pairs)
        both += len(pairs)
    assert both
