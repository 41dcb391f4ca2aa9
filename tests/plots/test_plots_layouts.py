"""Trees from top to bottom, networks on one circle, and what is left out of pictures that would be solid."""

from __future__ import annotations

import ast
import itertools

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.plots.drawing import drawing
from graphmeans.plots.network import EACH, MANY, circles, is_labelled
from graphmeans.plots.pen import Pen
from graphmeans.plots.positions import common_layouts
from graphmeans.plots.tree_layout import LETTER

SOURCE = """
def f(x, y):
    with a:
        for i in x:
            if i > 3:
                yield i + y
    return [g(i) for i in y]
"""


def parsed(depth="role", source=SOURCE):
    return gm.structures.trees(
        [ast.parse(source)], children=ast.iter_child_nodes, attributes=lambda node: type(node).__name__, depth=depth
    )[0]


@pytest.mark.parametrize("depth", ["role", "attribute"])
def test_trees_hang_down_and_their_labels_do_not_overlap(depth):
    tree = parsed(depth)
    picture = drawing(tree)
    assert picture.em == 1.0
    assert not picture.directed
    levels = tree.roles if depth == "role" else tree.nodes["depth"].astype(int).tolist()
    rank = np.argsort(np.argsort(-picture.points[:, 1], kind="stable"), kind="stable")
    assert rank[0] == 0
    for parent, child in tree.edges:
        assert picture.points[parent, 1] > picture.points[child, 1]
    for a, b in itertools.combinations(range(tree.n_nodes), 2):
        if levels[a] < levels[b]:
            assert picture.points[a, 1] > picture.points[b, 1]
        (x, y), wide = np.abs(picture.points[a] - picture.points[b]), [len(picture.labels[n][: picture.letters]) for n in (a, b)]
        assert y >= 1 or x >= LETTER * sum(wide) / 2


def test_labels_are_written_where_they_can_be_read():
    picture = drawing(parsed())
    assert Pen(picture, 400).written
    assert not Pen(picture, 60).written
    assert "FunctionDef" in gm.plots.draw_svg(parsed(), size=400)


def test_a_mean_of_trees_is_drawn_as_one():
    trees = [parsed(depth="attribute"), parsed(depth="attribute", source=SOURCE.replace("with a", "while a"))]
    mean = gm.mean(trees, random_state=0)
    assert drawing(mean).em == 1.0
    top = int(np.argmax(gm.plots.layout(mean)[:, 1]))
    assert mean.nodes["label"][top] == "Module"


def test_opposite_arcs_are_one_line_and_heads_stay_where_direction_matters():
    square = gm.Graph({"x": [0.0, 1, 1, 0], "y": [0.0, 0, 1, 1]}, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)], directed=True)
    picture = drawing(square)
    assert picture.ends.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert picture.heads.tolist() == [False, False, True]
    both = gm.Graph(2, [(0, 1), (1, 0)], directed=True)
    assert not drawing(both).directed
    mean = gm.mean([square, square], random_state=0)
    assert len(drawing(mean).strokes) == 3


def test_an_empty_graph_says_so():
    assert "no nodes" in gm.plots.draw_svg(gm.Graph(0))
    ax = gm.plots.draw(gm.Graph(0))
    assert [text.get_text() for text in ax.texts] == ["no nodes"]
    assert "no nodes" not in gm.plots.draw_svg(gm.Graph(1))


def networks(n, count=4):
    rng = np.random.default_rng(0)
    matrices = [np.corrcoef(rng.normal(size=(n, 20))) for _ in range(count)]
    return gm.structures.labelled_networks(matrices, labels=[f"r-{i}" for i in range(n)])


def test_dense_networks_are_thinned_to_their_strongest_edges():
    mean = gm.mean(networks(40))
    picture = drawing(mean)
    assert is_labelled(mean)
    assert len(picture.ends) == max(MANY, EACH * 40) < mean.n_edges
    size = np.abs(mean.edge_attributes[""][:, 0])
    assert size[picture.edge].min() >= np.delete(size, picture.edge).max()
    assert len(drawing(gm.mean(networks(6))).ends) == 15  # few edges are all drawn


def test_networks_on_the_same_nodes_have_one_layout():
    some, others = gm.mean(networks(8)), gm.mean(networks(8, 2))
    one, other = common_layouts([some, others])
    assert np.array_equal(one, other)
    assert np.allclose(np.linalg.norm(one, axis=1), 1)
    lacking = gm.Graph(3, [(0, 1)], roles=["r-5", "r-1", "r-7"], node_ids=["r-5", "r-1", "r-7"])
    assert np.array_equal(circles([some, lacking])[1], one[[5, 1, 7]])
    picture = drawing(some, positions=one)
    assert picture.labels == [f"r-{i}" for i in range(8)]
    assert picture.names_beside
    assert "r-3" in gm.plots.draw_svg(some, size=300)


def test_heat_maps_share_order_and_scale():
    graphs = networks(6, 9)
    km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    axes = gm.plots.draw_matrices(km)
    shown = [ax.images[0] for ax in axes]
    for c, image in enumerate(shown):
        expected = np.mean([gm.to_adjacency(graphs[i]) for i in np.flatnonzero(km.labels_ == c)], axis=0)
        assert np.allclose(image.get_array(), expected)
    assert shown[0].get_clim() == shown[1].get_clim()
    assert [text.get_text() for text in axes[0].get_yticklabels()] == [f"r-{i}" for i in range(6)]
    apart = gm.plots.draw_matrices(km, kind="difference")
    central = int(np.bincount(km.labels_).argmax())  # of two clusters the larger one
    for c, ax in enumerate(apart):  # the central one is drawn as it is, the other by how it differs from that
        expected = shown[c].get_array() - (0 if c == central else shown[central].get_array())
        assert np.allclose(ax.images[0].get_array(), expected)
    with pytest.raises(gm.GraphError, match="networks on named nodes"):
        gm.plots.draw_matrices([gm.mean([gm.Graph(3, [(0, 1)])])])
