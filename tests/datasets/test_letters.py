"""The letters: reproducible, balanced, valid, of the IAM letters' sizes, and harder from level to level."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from graphmeans import GraphError
from graphmeans.datasets import letter_prototypes, make_letters

LETTERS = "AEFHIKLMNTVWXYZ"
LEVELS = ["low", "medium", "high"]


def positions(graph):
    return np.column_stack([graph.nodes["x"], graph.nodes["y"]])


def joined(graph):
    adjacency = np.zeros((graph.n_nodes, graph.n_nodes))
    adjacency[graph.edges[:, 0], graph.edges[:, 1]] = 1.0
    return adjacency + adjacency.T


def rough_distance(x, y):
    """End points moved as little as possible, then what is left over: points, and strokes that do not agree."""
    a, b = positions(x), positions(y)
    squares = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    i, j = linear_sum_assignment(squares)
    disagreeing = np.abs(joined(x)[np.ix_(i, i)] - joined(y)[np.ix_(j, j)]).sum()
    return squares[i, j].sum() + disagreeing + abs(x.n_nodes - y.n_nodes)


# -- the clean letters -----------------------------------------------------------------------------


def test_prototypes_are_the_fifteen_letters():
    prototypes = letter_prototypes()
    assert "".join(prototypes) == LETTERS
    assert all(graph.name == letter for letter, graph in prototypes.items())
    sizes = {letter: (graph.n_nodes, graph.n_edges) for letter, graph in prototypes.items()}
    assert sizes == {
        "A": (5, 3), "E": (6, 4), "F": (5, 3), "H": (6, 3), "I": (2, 1), "K": (5, 3), "L": (3, 2), "M": (5, 4),
        "N": (4, 3), "T": (4, 2), "V": (3, 2), "W": (5, 4), "X": (4, 2), "Y": (4, 3), "Z": (4, 3),
    }  # fmt: skip


def test_prototypes_are_as_high_as_each_other_and_upright():
    for graph in letter_prototypes().values():
        y = graph.nodes["y"]
        assert (y.min(), y.max()) == (0.4, 2.8)
    v = letter_prototypes()["V"]
    degree = np.bincount(v.edges.ravel())
    assert v.nodes["y"][degree.argmax()] == 0.4  # V stands on its point


# -- what is returned ------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_every_graph_is_a_valid_drawing(level):
    graphs, y = make_letters(1500, level, random_state=1)
    assert len(graphs) == len(y) == 1500
    for graph in graphs:
        assert graph.n_edges >= 1
        assert not graph.directed
        assert list(graph.nodes) == ["x", "y"]
        assert set(graph.edges.ravel().tolist()) == set(range(graph.n_nodes))  # no point without a stroke
        assert np.all((positions(graph) > -0.5) & (positions(graph) < 3.5))
        assert np.all(graph.edge_attributes[""] == 1.0)


def test_y_and_names_belong_to_the_graphs():
    graphs, y = make_letters(100, random_state=3)
    assert y.dtype.kind == "U"
    assert all(graph.name[0] == letter for graph, letter in zip(graphs, y, strict=True))
    assert len({graph.name for graph in graphs}) == 100
    assert {"A_0000", "A_0006", "Z_0005"} <= {graph.name for graph in graphs}


@pytest.mark.parametrize("n_samples", [1, 14, 15, 100, 750])
def test_letters_are_balanced(n_samples):
    _, y = make_letters(n_samples, random_state=0)
    counts = Counter(y.tolist())
    assert sum(counts.values()) == n_samples
    assert len(counts) == min(n_samples, 15)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_shuffle_changes_the_order_only():
    shuffled, y = make_letters(60, random_state=5)
    ordered, y_ordered = make_letters(60, shuffle=False, random_state=5)
    assert "".join(y_ordered) == "".join(sorted(y)) != "".join(y)
    assert sorted(shuffled, key=lambda graph: graph.name) == ordered


def test_order_of_nodes_says_nothing():
    graphs, _ = make_letters(450, shuffle=False, random_state=0)
    vs = [graph for graph in graphs if graph.name[0] == "V" and graph.n_nodes == 3]
    lowest = Counter(int(graph.nodes["y"].argmin()) for graph in vs)
    assert set(lowest) == {0, 1, 2}


# -- randomness ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeded", [lambda: 7, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)])
@pytest.mark.parametrize("level", LEVELS)
def test_same_seed_same_letters(seeded, level):
    first, y_first = make_letters(50, level, random_state=seeded())
    second, y_second = make_letters(50, level, random_state=seeded())
    assert first == second
    assert np.array_equal(y_first, y_second)


def test_other_seed_other_letters():
    assert make_letters(30, random_state=0)[0] != make_letters(30, random_state=1)[0]
    generator = np.random.default_rng(0)
    assert make_letters(30, random_state=generator)[0] != make_letters(30, random_state=generator)[0]


# -- like the IAM letters --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "nodes", "edges", "most_nodes"), [("low", 4.7, 3.1, 8), ("medium", 4.7, 3.2, 9), ("high", 4.7, 4.5, 9)]
)
def test_sizes_are_those_of_the_iam_letters(level, nodes, edges, most_nodes):
    graphs, _ = make_letters(6000, level, random_state=0)
    assert np.mean([graph.n_nodes for graph in graphs]) == pytest.approx(nodes, abs=0.06)
    assert np.mean([graph.n_edges for graph in graphs]) == pytest.approx(edges, abs=0.08)
    assert max(graph.n_nodes for graph in graphs) == most_nodes


def test_each_level_is_harder_than_the_one_before():
    prototypes = letter_prototypes()
    accuracy = []
    for level in LEVELS:
        graphs, y = make_letters(450, level, random_state=0)
        nearest = [min(prototypes, key=lambda letter: rough_distance(graph, prototypes[letter])) for graph in graphs]
        accuracy.append(np.mean(np.array(nearest) == y))
    low, medium, high = accuracy
    assert low > 0.9
    assert low - 0.04 > medium > high + 0.04
    assert high > 0.4  # far above the 1/15 of guessing


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [0, -3, 2.5, "many", True, None])
def test_bad_n_samples(n_samples):
    with pytest.raises(GraphError, match="n_samples must be a whole number of at least 1") as error:
        make_letters(n_samples)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("distortion", ["LOW", "none", None, 1, ["low"]])
def test_bad_distortion(distortion):
    with pytest.raises(GraphError, match="distortion must be one of low, medium, high") as error:
        make_letters(15, distortion)
    assert "\n" not in str(error.value)
