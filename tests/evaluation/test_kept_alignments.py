"""What a fit knows of the alignments of its graphs is taken by all who show them, and nothing is taken that is not true."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import Graph
from graphmeans.evaluation.fitted import align_as_fitted, align_to_center, centers_of, points_of


def renumbered(graph: Graph, random: np.random.Generator) -> Graph:
    """The same graph, whose edges have no attributes, with its nodes in another order."""
    place = random.permutation(graph.n_nodes)
    columns = {key: np.asarray(column)[np.argsort(place)] for key, column in graph.nodes.items()}
    return Graph(columns, place[graph.edges])


def aligned(km, graphs, rows=None):
    """Alignments as fitted, how many took a matching, and those that are matched anew."""
    rows = np.arange(len(graphs)) if rows is None else rows
    points, centers = points_of(km, [graphs[i] for i in rows]), centers_of(km)
    found, matched = align_as_fitted(km, km.space_, points, centers, rows)
    return found, matched, align_to_center(km.space_, points, centers, km.labels_[rows])


def copies() -> list[Graph]:
    random = np.random.default_rng(0)
    graphs, _ = gm.datasets.make_letters(40, random_state=0)
    return [*graphs, *graphs, *(renumbered(graph, random) for graph in graphs)]


@pytest.mark.parametrize("graphs", [gm.datasets.make_letters(120, random_state=0)[0], copies()], ids=["letters", "copies"])
def test_what_the_fit_knows_is_not_matched_again(graphs):
    km = gm.GraphKMeans(8, random_state=0).fit(graphs)
    found, matched, anew = aligned(km, graphs)
    assert matched == 0
    assert km.space_.in_units_of_graphs(found.upper) == pytest.approx(km.distances_, rel=1e-9)
    assert found.upper == pytest.approx(anew.upper, rel=1e-9)  # letters are matched exactly
    some = np.array([5, 3, 77])
    part, matched, _ = aligned(km, graphs, some)
    assert matched == 0
    for p, i in enumerate(some):
        assert part.mapping(p).tolist() == found.mapping(i).tolist()


def test_what_is_not_true_is_matched(tmp_path):
    graphs, _ = gm.datasets.make_letters(120, random_state=0)
    km = gm.GraphKMeans(8, random_state=0).fit(graphs)
    other = graphs[::-1]  # not the graphs of the fit, though as many
    found, matched, anew = aligned(km, other)
    assert matched > 60
    assert found.upper[found.lower == anew.lower] == pytest.approx(anew.upper[found.lower == anew.lower], rel=1e-9)
    assert (km.space_.in_units_of_graphs(found.upper) >= km.space_.in_units_of_graphs(anew.lower) - 1e-9).all()
    km.save(tmp_path / "model.gmz")
    assert aligned(gm.load(tmp_path / "model.gmz"), graphs)[1] == len(graphs)  # a file does not hold alignments
    assert aligned(gm.GraphKMeans(8, algorithm="elkan", random_state=0).fit(graphs), graphs)[1] == len(graphs)


def test_centers_that_have_become_smaller_are_matched_anew():
    graphs, _ = gm.datasets.make_letters(60, random_state=0)
    km = gm.GraphKMeans(4, random_state=0).fit(graphs)
    points = points_of(km, graphs)
    small = points.take(np.argsort(points.sizes, kind="stable")[:4])  # with fewer nodes than the means
    found, matched = align_as_fitted(km, km.space_, points, small, np.arange(60))
    assert matched == 60
    assert found.upper == pytest.approx(align_to_center(km.space_, points, small, km.labels_).upper, rel=1e-9)


def test_fits_in_batches_and_going_on():
    graphs, _ = gm.datasets.make_letters(300, random_state=0)
    for km in (gm.MiniBatchGraphKMeans(8, random_state=0), gm.GraphKMeans(8, random_state=0, warm_start=True, max_iter=1)):
        for _ in range(2):
            found, _, _ = aligned(km.fit(graphs), graphs)
            assert (km.space_.in_units_of_graphs(found.upper) <= km.distances_ * (1 + 1e-9)).all()
