"""Members in the frame of their mean, alignments, molecules, arcs, and what notebooks show."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from defusedxml import ElementTree
from matplotlib import pyplot as plt

import graphmeans as gm
from graphmeans import Graph, GraphError, MeanGraph
from graphmeans.plots import layout, molecule
from graphmeans.plots.drawing import arc_points, drawing
from graphmeans.plots.members import differences, frame_positions
from iam import iam_path
from pictures import door, mean_letter, ridges, shaky, smiles, tree
from reports import HOSTILE, drawings

WATER = Graph({"symbol": ["O", "H", "H"]}, [(0, 1), (0, 2)])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


# -- frames ------------------------------------------------------------------------------------------


def test_differences_name_what_is_extra_and_what_is_missing():
    member = shaky("A", 8, 1, extra=6)[6]
    found = differences(member, mean_letter(), [0, 1, 2, 3, 4, -1])
    assert found.extra_nodes.tolist() == [5]
    assert found.extra_edges.tolist() == [member.n_edges - 1]
    missing = differences(Graph([[0.0, 0.0]] * 2, [(0, 1)]), mean_letter(), [0, 1])
    assert missing.missing_nodes.tolist() == [2, 3, 4]
    assert missing.missing_edges.tolist() == [1, 2]
    with pytest.raises(GraphError, match="does not lead from"):
        differences(member, mean_letter(), [0, 1])
    with pytest.raises(GraphError, match="does not lead from"):
        differences(member, mean_letter(), [0, 1, 2, 3, 4, 6])


def test_graphs_with_positions_keep_them():
    member = shaky("A", 2)[0]
    assert np.array_equal(frame_positions(member, mean_letter(), [0, 1, 2, 3, 4]), layout(member))


def test_other_graphs_stand_where_their_mean_does():
    mean = MeanGraph(3, [(0, 1), (1, 2)], node_support=[1, 1, 1], edge_support=[1, 1])
    member = Graph(4, [(0, 1), (1, 2), (2, 3)])
    places = layout(mean)
    found = frame_positions(member, mean, [2, 1, 0, -1], places)
    assert np.array_equal(found[:3], places[[2, 1, 0]])
    assert np.linalg.norm(found[3] - found[:3], axis=1).min() > 0.3
    assert np.isfinite(frame_positions(Graph(3), mean, [-1, -1, -1])).all()


def test_molecules_keep_their_shape_and_lie_on_their_mean():
    pytest.importorskip("rdkit")
    first = smiles("Cc1ccccc1", "toluene")
    heavy = [i for i, s in enumerate(first.nodes["chem"]) if s != "H"]
    mean = MeanGraph(
        dict(first.nodes), first.edges, dict(first.edge_attributes), node_support=np.ones(first.n_nodes),
        edge_support=np.ones(first.n_edges),
    )  # fmt: skip
    order = np.random.default_rng(0).permutation(first.n_nodes)
    place = np.argsort(order)
    member = Graph({"chem": first.nodes["chem"][order]}, place[first.edges], dict(first.edge_attributes))
    found = frame_positions(member, mean, order)
    assert found[place[heavy]] == pytest.approx(layout(mean)[heavy], abs=0.05)


def test_draw_alignment_matches_by_itself():
    a, b = shaky("K", 2)
    ax = gm.plots.draw_alignment(a, b)
    threads = max(ax.collections, key=lambda c: len(c.get_linestyle()) if hasattr(c, "get_linestyle") else 0)
    assert threads is not None
    assert {t.get_text() for t in ax.texts} == {"K0", "K1"}
    gm.plots.draw_alignment(a, b, gm.match(a, b)).figure.canvas.draw()


# -- how graphs are drawn ----------------------------------------------------------------------------


def test_arcs_run_through_their_diameter_and_bend_outwards():
    picture = drawing(door())
    arc = int(np.flatnonzero(picture.bend)[0])
    start, end = picture.points[picture.ends[arc]]
    points = arc_points(start, end, float(picture.bend[arc]))
    assert points[[0, -1]] == pytest.approx(np.array([start, end]))
    center = np.array([9.0, 0.0])  # the leaf hangs at (9, 0) and is 8 wide
    assert np.linalg.norm(points - center, axis=1) == pytest.approx(8.0, abs=0.01)
    svg = gm.plots.draw_svg(door())
    assert svg.count("A") - svg.count("ARIA") >= 1


@pytest.mark.parametrize("bend", [-1.2, -0.5, -0.2, 0.2, 0.5, 1.2])
def test_an_arc_rises_as_much_as_it_says(bend: float):
    points = arc_points(np.array([0.0, 0.0]), np.array([2.0, 0.0]), bend, 101)
    assert points[50] == pytest.approx([1.0, 2 * bend])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert steps == pytest.approx(steps.mean())


def test_edges_both_ways_are_lines():
    assert not drawing(ridges()).directed
    assert drawing(tree()).directed


def test_directed_trees_grow_downwards():
    graph = tree()
    places = layout(graph)
    for i, j in graph.edges:
        assert places[i, 1] > places[j, 1]
    assert len({tuple(p) for p in places.tolist()}) == graph.n_nodes
    assert np.isfinite(layout(Graph(3, [(0, 1), (1, 2), (2, 0)], directed=True))).all()
    chain = Graph(3000, [(i, i + 1) for i in range(2999)], directed=True)
    assert layout(chain)[-1, 1] < layout(chain)[0, 1]


def test_a_formula_hides_carbons_and_hydrogens():
    pytest.importorskip("rdkit")
    picture = drawing(smiles("NCCO", "ethanolamine"))
    assert sorted(label for label in picture.labels if label) in (
        ["H₂N", "OH"],
        ["HO", "NH₂"],
        ["H₂N", "HO"],
        ["NH₂", "OH"],
    )
    assert len(picture.drawn) == 4
    assert sorted(label for label in drawing(WATER).labels if label) == ["H₂O"]
    triple = drawing(smiles("C#N", "prussic acid"))
    assert len(triple.strokes) == 3
    assert not molecule.is_molecule(Graph({"symbol": ["A", "C"]}, [(0, 1)]))
    assert not molecule.is_molecule(Graph({"kind": ["C", "C"]}, [(0, 1)]))


def test_bonds_are_read_from_numbers_and_words():
    for orders in ([1.0, 2.0, 3.0, 1.5], ["single", "DOUBLE", "triple", "aromatic"]):
        graph = Graph({"atom": ["C"] * 5}, [(0, 1), (1, 2), (2, 3), (3, 4)], {"bond": orders})
        assert molecule.bond_orders(graph).tolist() == [1.0, 2.0, 3.0, 1.5]


def test_hydrogens_that_a_graph_does_not_hold_are_written():
    def read(symbols, edges, orders):
        return [label for label in drawing(Graph({"element": symbols}, edges, {"bond": orders})).labels if label]

    assert set(read(["C", "C", "O"], [(0, 1), (1, 2)], ["single", "single"])) <= {"OH", "HO"}
    assert read(["C", "C", "O"], [(0, 1), (1, 2)], ["single", "double"]) == ["O"]
    assert sorted(read(["C", "N", "O", "O"], [(0, 1), (1, 2), (1, 3)], ["single", "double", "single"])) == [
        "N",
        "O",
        "O",
    ]
    assert read(["C"], [], []) == ["CH₄"]
    assert read(["O"], [], []) == ["H₂O"]


@pytest.mark.parametrize(
    ("symbols", "double"), [("CCCCCC", 3), ("NCCCCC", 3), ("OCCCC", 2), ("NCCCC", 2), ("CCCCCCCCCC", 5)]
)
def test_aromatic_rings_alternate(symbols: str, double: int):
    n = len(symbols)
    edges = [(i, (i + 1) % n) for i in range(n)]
    if n == 10:  # naphthalene
        edges.append((0, 5))
    graph = Graph({"element": list(symbols)}, edges, {"bond": ["aromatic"] * len(edges)})
    picture = drawing(graph)
    assert len(picture.strokes) == len(edges) + double
    doubled = [e for e in range(len(edges)) if (picture.edge == e).sum() == 2]
    assert len({i for e in doubled for i in edges[e]}) == 2 * double


def test_aromatic_flags_beside_double_bonds():
    pytest.importorskip("rdkit")
    caffeine = gm.from_smiles("CN1C=NC2=C1C(=O)N(C)C(=O)N2C")
    picture = drawing(caffeine)
    assert len(picture.strokes) == caffeine.n_edges + 4  # two C=O, one C=C, one C=N
    assert sorted(label for label in picture.labels if label) == ["N"] * 4 + ["O"] * 2


def test_molecules_can_be_drawn_without_rdkit(monkeypatch):
    monkeypatch.setattr(molecule, "_rdkit", lambda: None)
    picture = drawing(WATER)
    assert np.isfinite(picture.points).all()
    assert "H₂O" in gm.plots.draw_svg(WATER)


def test_coordinates_of_rdkit_have_bonds_of_one_length():
    pytest.importorskip("rdkit")
    graph = smiles("CN1C=NC2=C1C(=O)N(C)C(=O)N2C", "caffeine")
    heavy = np.array([s != "H" for s in graph.nodes["chem"]])
    ends = graph.edges[heavy[graph.edges].all(axis=1)]
    places = layout(graph)
    lengths = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
    assert lengths == pytest.approx(1.0, abs=0.1)


def test_weak_atoms_and_bonds_of_a_mean_molecule_are_left_out():
    mean = MeanGraph(
        {"chem": ["C", "C", "O", "N"]}, [(0, 1), (1, 2), (2, 3)], {"valence": [1.0, 2.0, 1.0]},
        node_support=[1, 1, 0.9, 0.3], edge_support=[1, 0.9, 0.2],
    )  # fmt: skip
    picture = drawing(mean)
    assert set(picture.drawn.tolist()) == {0, 1, 2}
    assert set(picture.edge[picture.strokes].tolist()) == {0, 1}


# -- notebooks ---------------------------------------------------------------------------------------


def parsed(html: str) -> str:
    """The text of a piece of HTML that must be well-formed."""
    return "".join(ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>").itertext())


@pytest.mark.parametrize("name", HOSTILE)
def test_notebooks_show_graphs_and_alignments(name: str):
    graph = Graph({"x": [0.0, 1.0], "y": [0.0, 1.0], name: [name, name]}, [(0, 1)], node_ids=[name, 1], name=name)
    html = graph._repr_html_()
    assert "<svg" in html
    assert "2 nodes, 1 edge" in parsed(html)
    shown = parsed(gm.match(graph, graph)._repr_html_())
    assert "distance 0; alignment by exact, proven optimal" in shown
    assert "<script" not in html + gm.match(graph, graph)._repr_html_()
    assert "strength shows the share" in parsed(mean_letter()._repr_html_())


def test_notebooks_show_the_means_of_a_fitted_estimator():
    graphs = drawings(12)
    estimator = gm.GraphKMeans(3, algorithm="interval", n_init=1, random_state=0)
    assert "<svg xmlns" not in estimator._repr_html_()
    html = estimator.fit(graphs)._repr_html_()
    assert html.count('aria-label="Mean graph of cluster') == 3
    assert "12 graphs, 3 clusters" in html
    assert "GraphKMeans" in html
    assert estimator._repr_mimebundle_()["text/html"][:200] == html[:200]
    rows = gm.GraphKMeans(2, algorithm="lloyd", n_init=1, random_state=0).fit(np.eye(4))
    assert "Mean graph" not in rows._repr_html_()


# -- real collections --------------------------------------------------------------------------------


@pytest.mark.thorough
def test_iam_symbols_have_arcs_and_iam_molecules_are_formulas():
    folder = iam_path()
    symbols, y = gm.datasets.load_iam(folder, "GREC")
    doors = [g for g, name in zip(symbols, y, strict=True) if name == "2"]
    assert all(drawing(g).bend.any() for g in doors[:10])
    molecules, _ = gm.datasets.load_iam(folder, "Mutagenicity")
    for graph in molecules[:20]:
        picture = drawing(graph)
        assert not any(label in ("C", "H") for label in picture.labels if picture.dots.any())
        assert picture.shift.any() or not (molecule.bond_orders(graph) > 1.2).any()
    prints, _ = gm.datasets.load_iam(folder, "Fingerprint")
    assert not any(drawing(g).directed for g in prints[:50] if g.n_edges)
