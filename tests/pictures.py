"""Every picture of the gallery, from fixed data; the tests compare them with tests/baseline.

To draw the baselines, and the gallery that shows them, anew after a change that is meant:

    .venv/bin/python tests/pictures.py
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import graphmeans as gm
from graphmeans import Graph, MeanGraph
from graphmeans.datasets import letter_prototypes
from graphmeans.evaluation.choosing import KChoice, Tried
from graphmeans.paper.figures import ALGORITHM_COLOURS, MARKERS, speedup_by_k, speedup_by_structure
from graphmeans.paper.figures import STYLE as PAPER_STYLE
from graphmeans.paper.protocol import FOUR_SETS, LETTERS_BY_K
from graphmeans.plots.embedding import Map
from graphmeans.plots.flow import flow_svg
from graphmeans.report.pictures.chart import bar_chart, line_chart, map_places, map_svg, silhouette_chart
from reports import fitted

BASELINE = Path(__file__).parent / "baseline"
GALLERY = Path(__file__).parents[1] / "docs" / "gallery" / "pictures.md"
DPI = 60
STYLE = {"font.family": "DejaVu Sans", "text.hinting": "none", "figure.dpi": DPI, "savefig.dpi": DPI}


# -- what is drawn -----------------------------------------------------------------------------------


def smiles(text: str, name: str) -> Graph:
    """A molecule as the IAM files hold it: hydrogens are nodes."""
    from rdkit import Chem

    molecule = Chem.AddHs(Chem.MolFromSmiles(text))
    Chem.Kekulize(molecule, clearAromaticFlags=True)
    atoms = [atom.GetSymbol() for atom in molecule.GetAtoms()]
    bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()]
    orders = [b.GetBondTypeAsDouble() for b in molecule.GetBonds()]
    return Graph({"chem": atoms}, bonds, {"valence": orders}, name=name)


def door() -> Graph:
    """A door in a plan: the opening, its frame, the arc that the leaf swings through, and a lamp beside it."""
    x = [0.0, 0.0, 1.0, 1.0, 9.0, 9.0, 10.0, 10.0, 9.0, 2.0]
    y = [0.0, 1.2, 1.2, 0.0, 1.2, 0.0, 0.0, 1.2, -8.0, -7.0]
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (5, 8), (3, 8)]
    columns = {"x": x, "y": y, "type": ["corner"] * 9 + ["circle"]}
    return Graph(columns, edges, {"type": ["line"] * 9 + ["arc"], "diameter": [0.0] * 9 + [16.0]}, name="door")


def ridges() -> Graph:
    """Two ridges of a fingerprint, a whorl."""
    outer = [(np.cos(t) * 5, np.sin(t) * 6) for t in np.linspace(0.1 * np.pi, 1.2 * np.pi, 9)]
    inner = [(np.cos(t) * 2, np.sin(t) * 2.4 - 1) for t in np.linspace(0.9 * np.pi, 2.1 * np.pi, 7)]
    points = np.array(outer + inner)
    edges = [(i, i + 1) for i in range(8)] + [(9 + i, 10 + i) for i in range(6)]
    both = edges + [(j, i) for i, j in edges]
    return Graph({"x": points[:, 0], "y": points[:, 1]}, both, directed=True, name="whorl")


def tree() -> Graph:
    """A graph without positions, with labels and directions: a parse tree."""
    words = ["S", "NP", "VP", "Det", "N", "V", "NP", "N"]
    return Graph({"part": words}, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (6, 7)], directed=True, name="tree")


def shaky(letter: str, n: int, seed: int = 0, extra: int | None = None) -> list[Graph]:
    """Copies of a letter with a trembling hand; the one called `extra` has a stroke too many."""
    clean = letter_prototypes()[letter]
    random = np.random.default_rng(seed)
    made = []
    for i in range(n):
        points = np.column_stack([clean.nodes["x"], clean.nodes["y"]]) + random.normal(0, 0.08, (clean.n_nodes, 2))
        edges = clean.edges.tolist()
        if i == extra:
            points = np.vstack([points, [2.9, 2.2]])
            edges.append([0, len(points) - 1])
        made.append(Graph({"x": points[:, 0], "y": points[:, 1]}, edges, name=f"{letter}{i}"))
    return made


def mean_letter() -> MeanGraph:
    """A mean with strong, middling and weak parts."""
    return MeanGraph(
        {"x": [0.5, 1.5, 2.5, 0.8, 2.2, 2.6], "y": [0.4, 2.8, 0.4, 1.1, 1.1, 2.3]},
        [(0, 1), (1, 2), (3, 4), (1, 5)],
        node_support=[1.0, 1.0, 1.0, 0.8, 0.8, 0.3],
        edge_support=[1.0, 0.95, 0.75, 0.25],
        name="mean A",
    )


def two_letters() -> tuple[list[Graph], Any]:
    """A and X, easily told apart, and a clustering of them: its means are the same whatever the algorithm."""
    graphs = [*shaky("A", 8, 1, extra=6), *shaky("X", 6, 2)]
    return graphs, fitted(graphs, 2, init=[graphs[0], graphs[8]])


# -- the pictures ------------------------------------------------------------------------------------


def one(graph: Graph, side: float = 2.4, **style: Any) -> Figure:
    figure, ax = plt.subplots(figsize=(side, side))
    gm.plots.draw(graph, ax, **style)
    return figure


def letter() -> Figure:
    return one(letter_prototypes()["K"], title="a graph with positions")


def mean() -> Figure:
    return one(mean_letter(), title="a mean graph")


def labelled() -> Figure:
    return one(tree(), palette={"NP": "#c2410c", "VP": "#2f7d4f"}, title="a tree")


def parse_tree() -> Figure:
    block = "    with a:\n        for i in x:\n            if i > 3:\n                yield i\n"
    source = f"def f(x):\n{block}    return [g(i) for i in y]"
    made = gm.structures.trees([ast.parse(source)], children=ast.iter_child_nodes, attributes=lambda node: type(node).__name__)
    return one(made[0], 5.0, title="a parse tree")


def mean_networks() -> list[MeanGraph]:
    """The means of two groups of networks on ten nodes; the second lacks what leads from left to right."""
    names = [f"{side} {area}" for side in ("left", "right") for area in ("motor", "insula", "cuneus", "frontal", "fusiform")]
    same = np.equal.outer(np.arange(10) // 5, np.arange(10) // 5)
    near = np.exp(-np.abs(np.subtract.outer(np.arange(10) % 5, np.arange(10) % 5)) / 2)
    whole = near * np.where(same, 1.0, 0.6)
    made = gm.structures.labelled_networks([whole, whole * np.where(same, 1.1, 0.3)], labels=names)
    return [
        MeanGraph(graph.n_nodes, graph.edges, graph.edge_attributes[""], node_support=np.ones(10),
                  edge_support=np.ones(graph.n_edges), roles=graph.roles, node_ids=graph.node_ids, name=name)
        for graph, name in zip(made, ("whole", "split"), strict=True)
    ]  # fmt: skip


def network() -> Figure:
    return one(mean_networks()[1], 4.0, title="a mean network")


def matrices() -> Figure:
    return gm.plots.draw_matrices(mean_networks(), kind="difference")[0].figure


def symbol() -> Figure:
    return one(door(), title="arcs")


def fingerprint() -> Figure:
    return one(ridges(), title="ridges")


def molecules() -> Figure:
    texts = {
        "caffeine": "CN1C=NC2=C1C(=O)N(C)C(=O)N2C",
        "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
        "TNT": "Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]",
        "serine": "NC(CO)C(=O)O",
        "benzidine": "Nc1ccc(cc1)-c1ccc(N)cc1",
        "acetonitrile": "CC#N",
    }
    ax = gm.plots.contact_sheet([smiles(text, name) for name, text in texts.items()], columns=3)
    return ax.get_figure()


def alignment() -> Figure:
    a, b = shaky("A", 8, 1, extra=6)[5:7]
    return gm.plots.draw_alignment(b, a, [0, 1, 2, 3, 4, -1], titles=("a member", "another")).get_figure()


def member() -> Figure:
    figure, ax = plt.subplots(figsize=(2.4, 2.4))
    gm.plots.draw_member(shaky("A", 8, 1, extra=6)[6], mean_letter(), [0, 1, 2, 3, 4, -1], ax, title="over its mean")
    return figure


def sheet() -> Figure:
    return gm.plots.contact_sheet(list(letter_prototypes().values()), columns=5).get_figure()


def cluster() -> Figure:
    graphs, km = two_letters()
    return gm.plots.draw_cluster(km, graphs, int(km.labels_[0]), columns=5).get_figure()


def letters() -> Figure:
    graphs, y = gm.datasets.make_letters(300, random_state=0)
    names = sorted(set(y.tolist()))
    means = [
        gm.mean([g for g, known in zip(graphs, y, strict=True) if known == name], random_state=0) for name in names
    ]
    return gm.plots.contact_sheet(means, columns=5, titles=names).get_figure()


def silhouette() -> Figure:
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [30, 20, 10])
    widths = np.clip(random.normal(0.55 - 0.15 * labels, 0.2), -1, 1)
    return gm.plots.SilhouetteDisplay(widths, labels, 0.41, 1000).plot().figure_


def convergence() -> Figure:
    iterations = np.arange(1, 9)
    inertia = 1180 + 120 * np.exp(-iterations / 1.5)
    return gm.plots.ConvergenceDisplay(iterations, inertia, [1700, 90, 60, 40, 300, 30, 20, 10], 11985.0).plot().figure_


def elbow() -> Figure:
    ks = [2, 5, 10, 15, 20, 30]
    return gm.plots.ElbowDisplay(ks, [5000, 3400, 1900, 1180, 1090, 990]).plot().figure_


def choice() -> Figure:
    ks = list(range(12, 20))
    inertia = [880.0, 805.0, 736.0, 692.0, 671.0, 652.0, 633.0, 617.0]
    silhouettes = [0.405, 0.431, 0.443, 0.455, 0.458, 0.462, 0.459, 0.466]
    agreement = [0.83, 0.84, 0.82, 0.94, 0.97, 0.97, 0.94, 0.95]
    rows = [Tried(*row, 12) for row in zip(ks, inertia, silhouettes, agreement, strict=True)]
    return gm.plots.draw_choice(KChoice(rows, 15, 15, "15 clusters", True, 300))


def downwards() -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(4.8, 2.4))
    gm.plots.draw(door(), left, title="y upwards")
    with gm.plots.y_down():
        gm.plots.draw(door(), right, title="y downwards")
    return figure


def of_the_paper(name: str) -> Figure:
    """A picture of `graphmeans paper` from made up results."""
    rows = []
    collections = list(MARKERS)
    for experiment, datasets, ks in ((FOUR_SETS, collections, [30]), (LETTERS_BY_K, ["letter"], [4, 8, 16, 30])):
        for d, dataset in enumerate(datasets):
            for k in ks:
                for a, algorithm in enumerate(ALGORITHM_COLOURS):
                    rows.append({
                        "experiment": experiment, "dataset": dataset, "encoding": "standardised", "k": str(k),
                        "theta": "0",
                        "algorithm": algorithm, "seed": "0", "graphs": "750", "objective": "1", "iterations": "10",
                        "matchings_paper": str(10 * 750 * (k + 1) / (1 + (a + 1) * k * 0.4 + d)),
                        "silhouette": str(0.6 + 0.1 * d), "dimension": str(100 * 10**d),
                    })  # fmt: skip
    with matplotlib.rc_context(PAPER_STYLE):
        found = {"speedup_k": speedup_by_k(rows), **speedup_by_structure(rows)}[name]
    assert found is not None
    return found


def embedding() -> Figure:
    random = np.random.default_rng(0)
    clean = [letter_prototypes()[name] for name in "AKXVT"]
    centers = np.array([[0.0, 2.0], [2.5, 1.0], [0.3, -1.5], [-2.0, 0.3], [2.4, -1.6]])
    labels = np.repeat(np.arange(5), 25)
    points = centers[labels] + random.normal(0, 0.35, (125, 2))
    return gm.plots.EmbeddingDisplay(points, labels, centers, clean, 0.71, 750).plot().figure_


def numbered_map() -> Figure:
    random = np.random.default_rng(1)
    centers = random.normal(0, 3, (12, 2))
    labels = np.repeat(np.arange(12), 12)
    return gm.plots.EmbeddingDisplay(centers[labels] + random.normal(0, 0.3, (144, 2)), labels, centers).plot().figure_


def prototypes() -> Figure:
    clean = letter_prototypes()
    means = [
        MeanGraph(
            dict(clean[name].nodes), clean[name].edges, node_support=np.linspace(1, 0.7, clean[name].n_nodes),
            edge_support=np.linspace(1, 0.6, clean[name].n_edges),
        )
        for name in "EFHKMN"
    ]  # fmt: skip
    return gm.plots.PrototypeDisplay(means, [50, 48, 47, 40, 31, 12]).plot(columns=3).figure_


#: Every picture with what the gallery says of it.
PICTURES: dict[str, tuple[Callable[[], Figure], str]] = {
    "letter": (letter, "`plots.draw(graph)`: nodes stand at their columns `x` and `y`."),
    "mean": (mean, "`plots.draw(mean)`: the support is line strength and node size."),
    "labelled": (labelled, "Trees hang from top to bottom; the first string attribute labels the nodes."),
    "parse_tree": (parse_tree, "Where a tree is wide, the labels of a level stand in several rows."),
    "network": (network, "Networks on named nodes have one layout, and of many edges the strongest are drawn."),
    "matrices": (matrices, "`plots.draw_matrices(km, kind=\"difference\")`: how clusters differ from the central one."),
    "symbol": (symbol, "Edges of type `arc` with a diameter are arcs, nodes of kind `circle` circles, as in plans and diagrams."),
    "downwards": (downwards, "`plots.y_down()`, and `--y-down`: positions that were read off an image."),
    "fingerprint": (fingerprint, "Edges stored both ways are lines, not arrows."),
    "molecules": (molecules, "Molecules as chemists draw them, with RDKit's coordinates (`pip install 'graphmeans[rdkit]'`)."),
    "alignment": (alignment, "`plots.draw_alignment(x, y, match)`: what has no counterpart is orange."),
    "member": (member, "`plots.draw_member(graph, mean, indices)`: a member over its mean."),
    "sheet": (sheet, "`plots.contact_sheet(graphs)`: many graphs, to one scale."),
    "cluster": (cluster, "`plots.draw_cluster(km, graphs, label)`: the mean, then members in its frame, nearest first."),
    "letters": (letters, "The mean of twenty distorted drawings of each letter."),
    "prototypes": (prototypes, "`plots.PrototypeDisplay.from_estimator(km)`: all mean graphs, largest cluster first."),
    "embedding": (embedding, "`plots.EmbeddingDisplay.from_estimator(km, graphs)`: a map from distances to landmarks."),
    "numbered_map": (numbered_map, "The same with `pictures=False`."),
    "silhouette": (silhouette, "`plots.SilhouetteDisplay.from_estimator(km, graphs)`."),
    "convergence": (convergence, "`plots.ConvergenceDisplay.from_estimator(km)`: objective and matchings by iteration."),
    "choice": (choice, "`plots.draw_choice(gm.evaluation.choose_k(graphs))`, and `graphmeans choose-k`."),
    "elbow": (elbow, "`plots.ElbowDisplay.from_estimator(km, graphs, n_clusters=[5, 10, 15])`."),
    "paper_k": (lambda: of_the_paper("speedup_k"), "`graphmeans paper`: times fewer matchings than standard k-means, by k."),
    "paper_silhouette": (lambda: of_the_paper("speedup_silhouette"), "The same by separation (made up here)."),
    "paper_dimension": (lambda: of_the_paper("speedup_dimension"), "And by dimension (made up here)."),
}  # fmt: skip


# -- pictures as SVG -----------------------------------------------------------------------------------


def flow() -> str:
    means = {n: letter_prototypes()[name] for n, name in enumerate("AKXV")}
    counts = [[30, 0, 0, 2, 0], [0, 18, 12, 0, 0], [0, 1, 0, 25, 0], [3, 0, 0, 0, 17]]
    return flow_svg(counts, titles=("four", "five"), pictures=(means, means))


def report_map() -> str:
    random = np.random.default_rng(0)
    centers = np.array([[0.0, 2.0], [2.5, 1.0], [0.3, -1.5]])
    labels = np.repeat(np.arange(3), 8)
    points = centers[labels] + random.normal(0, 0.35, (24, 2))
    clusters = [SimpleNamespace(label=c, size=8, name=f"Cluster {c} · {'AKX'[c]}") for c in range(3)]
    there = Map(points, centers, np.arange(3), np.zeros((24, 3)), 0.9)
    evidence = SimpleNamespace(sample=np.arange(24), map=there, rest=None)
    drawn, _ = map_svg(SimpleNamespace(clusters=clusters, labels=labels), evidence, *map_places(evidence), "m{}".format)
    return str(drawn).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def report_silhouettes() -> str:
    widths = np.concatenate([np.linspace(0.8, 0.4, 9), np.linspace(0.6, -0.1, 6), np.linspace(0.3, 0.1, 4)])
    labels = np.repeat(np.arange(3), (9, 6, 4))
    clusters = [SimpleNamespace(label=c, size=9, name=f"Cluster {c} · {'AKX'[c]}") for c in range(3)]
    summary = SimpleNamespace(labels=labels, in_reading_order=lambda: clusters)
    found = SimpleNamespace(widths=widths, rows=np.arange(19))
    drawn = silhouette_chart(summary, SimpleNamespace(sample=np.arange(19), silhouettes=found))
    return str(drawn).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" width="780" ', 1)


def chart(which: str) -> str:
    steps = list(range(1, 9))
    if which == "line":
        drawn = line_chart(steps, [1300.0, 1220.0, 1200.0, 1190.0, 1187.0, 1185.0, 1184.0, 1184.0], label="objective")
    else:
        drawn = bar_chart(steps, [1700.0, 90.0, 60.0, 40.0, 300.0, 30.0, 20.0, 10.0], 2400.0, label="matchings")
    return str(drawn).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" width="420" ', 1)


#: Every SVG picture with what the gallery says of it. Charts and the map take their colours from the page.
SVG_PICTURES: dict[str, tuple[Callable[[], str], str]] = {
    "letter_svg": (lambda: gm.plots.draw_svg(letter_prototypes()["K"]), "`plots.draw_svg(graph)`: the same as SVG."),
    "mean_svg": (
        lambda: gm.plots.draw_svg(mean_letter(), color="#17508f"),
        "`plots.draw_svg(mean)`, as in `centroids/`.",
    ),
    "labelled_svg": (lambda: gm.plots.draw_svg(tree()), "Labels and directions."),
    "symbol_svg": (lambda: gm.plots.draw_svg(door()), "Arcs."),
    "molecule_svg": (lambda: gm.plots.draw_svg(smiles("CC(=O)Oc1ccccc1C(=O)O", "aspirin")), "A molecule."),
    "atom_map": (
        lambda: gm.plots.draw_atom_map(gm.common_subgraph("CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O")),
        "`plots.draw_atom_map(found)`: what two molecules have in common, or how a match lays one on the other.",
    ),
    "flow": (flow, "`graphmeans compare DIR_A DIR_B`: who went where."),
    "report_map": (report_map, "The clusters on the map of the report (the page adds its colours, the means and the dots)."),
    "report_silhouettes": (report_silhouettes, "The profile of silhouettes in the report."),
    "chart_objective": (lambda: chart("line"), "Convergence, in the report."),
    "chart_matchings": (lambda: chart("bar"), "Matchings saved, in the report."),
}


def gallery() -> str:
    """The gallery, as Markdown."""
    lines = [
        "# All pictures",
        "",
        "After this page you know what every picture of graphmeans looks like, and which function draws it.",
        "",
        "The files are the baselines of the tests, drawn from fixed data by `.venv/bin/python tests/pictures.py`, which also",
        "writes this page. `graphmeans demo` makes the report that uses most of them.",
        "",
        "## On matplotlib axes",
        "",
    ]
    for name, (_, said) in PICTURES.items():
        lines += [f"{said}", "", f"![{name}](../../tests/baseline/{name}.png)", ""]
    lines += ["## As SVG", ""]
    for name, (_, said) in SVG_PICTURES.items():
        lines += [f"{said}", "", f"![{name}](../../tests/baseline/{name}.svg)", ""]
    return "\n".join(lines)


def render(name: str, path: Path) -> None:
    """Draw one picture into a PNG file."""
    with plt.style.context("default"), plt.rc_context(STYLE):
        figure = PICTURES[name][0]()
        figure.savefig(path, dpi=DPI, metadata={"Software": None})
        plt.close("all")


def main() -> None:
    """Draw all baselines anew."""
    BASELINE.mkdir(exist_ok=True)
    for name in PICTURES:
        render(name, BASELINE / f"{name}.png")
    for name, (draw, _) in SVG_PICTURES.items():
        (BASELINE / f"{name}.svg").write_text(draw() + "\n", encoding="utf-8")
    GALLERY.write_text(gallery(), encoding="utf-8")
    print(f"{len(PICTURES) + len(SVG_PICTURES)} pictures in {BASELINE}, shown in {GALLERY}")


if __name__ == "__main__":
    main()
