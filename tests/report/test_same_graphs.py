"""A page is made of the graphs of the fit; others with the same names and attributes are refused, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import graphmeans as gm
from graphmeans.graphs.labelled import labelled_networks, remade
from graphmeans.io import open_collection, write_parquet
from graphmeans.report import write_report


def letters(count: int = 60, scale: float = 1.0) -> list[gm.Graph]:
    graphs = gm.datasets.make_letters(count, "medium", random_state=0)[0]
    return [remade(g, nodes={key: scale * column for key, column in g.nodes.items()}, name=f"letter {i}")
            for i, g in enumerate(graphs)]  # fmt: skip


def larger(graph: gm.Graph) -> gm.Graph:
    return remade(graph, nodes={**graph.nodes, "x": 5 * graph.nodes["x"]})


def networks() -> list[gm.Graph]:
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(30, 9, 9)) + np.repeat(rng.normal(size=(3, 9, 9)), 10, axis=0)
    return labelled_networks(matrices + matrices.transpose(0, 2, 1), names=[f"brain {i}" for i in range(30)])


ESTIMATORS = {
    "interval": gm.GraphKMeans(4, n_init=1, random_state=0),
    "lloyd": gm.GraphKMeans(4, algorithm="lloyd", n_init=1, random_state=0),
    "elkan": gm.GraphKMeans(4, algorithm="elkan", n_init=1, random_state=0),
    "gvr": gm.GraphKMeans(4, algorithm="gvr", n_init=1, random_state=0),
    "set means": gm.GraphKMeans(4, algorithm="lloyd", mean="set", n_init=1, random_state=0),
    "graduated": gm.GraphKMeans(4, matcher="graduated", n_init=1, random_state=0),
    "one iteration": gm.GraphKMeans(4, max_iter=1, n_init=1, random_state=0),
    "as many as graphs": gm.GraphKMeans(60, n_init=1, random_state=0),
    "batches": gm.MiniBatchGraphKMeans(4, random_state=0, batch_size=20, max_iter=2),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("loaded", [False, True], ids=["fitted", "loaded"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_graphs_are_refused_and_those_of_the_fit_are_not(name, loaded, tmp_path):
    graphs = letters()
    model = clone(ESTIMATORS[name]).fit(graphs)
    if loaded:
        model.save(tmp_path / "model.gmz")
        model = gm.load(tmp_path / "model.gmz")
    assert write_report(tmp_path / "page.html", estimator=model, graphs=graphs, members="all").exists()
    with pytest.raises(gm.GraphError, match=r"graph \d+ \('letter \d+'\) is at least .* not the graphs of the fit"):
        write_report(tmp_path / "other.html", estimator=model, graphs=list(map(larger, graphs)), members="all")
    assert not (tmp_path / "other.html").exists()
    if name != "as many as graphs":
        return
    with pytest.raises(gm.GraphError, match="or not in its order"):
        write_report(tmp_path / "other.html", estimator=model, graphs=graphs[::-1], members="all")


@pytest.mark.parametrize("scale", [1e-160, 1e-9, 1e12, 1e140])
def test_the_scale_of_attributes_does_not_matter(scale, tmp_path):
    graphs = letters(30, scale)
    model = gm.GraphKMeans(3, encoder=gm.GraphEncoder("keep"), edge_weight=scale or 1.0, n_init=1, random_state=0).fit(graphs)
    model.save(tmp_path / "model.gmz")
    for one in (model, gm.load(tmp_path / "model.gmz")):
        write_report(tmp_path / "page.html", estimator=one, graphs=graphs, members="all")


def test_copies_networks_vectors_and_collections_on_disk(tmp_path: Path):
    copies = letters(20) * 3
    of_networks = networks()
    far = np.random.default_rng(0).normal(size=(50, 4)) + 1e6  # large beside what they differ by
    rows = [gm.Graph({"v": row}, [], roles=list("abcd")) for row in far]
    write_parquet(letters(), tmp_path / "letters.parquet", None)
    lazy = open_collection(tmp_path / "letters.parquet")
    for graphs in (copies, of_networks, rows, lazy):
        model = gm.GraphKMeans(3, encoder=gm.GraphEncoder("keep"), n_init=1, random_state=0).fit(graphs)
        model.save(tmp_path / "model.gmz")
        for one in (model, gm.load(tmp_path / "model.gmz")):
            write_report(tmp_path / "page.html", estimator=one, graphs=graphs)
    with pytest.raises(gm.GraphError, match="not the graphs of the fit"):
        write_report(tmp_path / "page.html", estimator=model, graphs=list(map(larger, letters())))
    model = gm.GraphKMeans(3, n_init=1, random_state=0).fit(of_networks)
    others = [remade(g, edge_attributes=3 * g.edge_attributes[""]) for g in of_networks]
    with pytest.raises(gm.GraphError, match="'brain"):
        write_report(tmp_path / "page.html", estimator=model, graphs=others)
