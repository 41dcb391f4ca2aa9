"""Vectors, point patterns, sequences, trees, hypergraphs and labelled networks: the distance is what theirs should be."""

from __future__ import annotations

import ast

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

import graphmeans as gm
import oracle
from effort import examples
from graphmeans import structures

VALUE = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])


def bare(graphs):
    """The graphs as the metric sees them: named columns encoded."""
    batch = gm.GraphEncoder("keep").fit_transform(graphs)
    return [batch[g] for g in range(len(graphs))]


# -- metric laws, for every structure --------------------------------------------------------------


@st.composite
def labels(draw, size):
    return draw(st.lists(st.sampled_from("ab"), min_size=size, max_size=size))


@st.composite
def trees(draw, most=5):
    """Nested (label, children), grown by hanging nodes below earlier ones."""
    size = draw(st.integers(1, most))
    nodes = [(label, []) for label in draw(labels(size))]
    for i in range(1, size):
        nodes[draw(st.integers(0, i - 1))][1].append(nodes[i])
    return nodes[0]


POINTS = st.lists(st.tuples(VALUE, VALUE), max_size=3)
MATRICES = st.lists(VALUE, min_size=9, max_size=9).map(lambda v: np.reshape(v, (3, 3)) + np.reshape(v, (3, 3)).T)
HYPERGRAPHS = st.lists(st.sets(st.integers(0, 2), min_size=1), max_size=3)
THREE = {
    "vectors": (st.lists(VALUE, min_size=2, max_size=2), structures.vectors),
    "point patterns": (POINTS, structures.point_patterns),
    "marked points": (POINTS, lambda many: structures.point_patterns(many, [["u", "v", "u"][: len(p)] for p in many])),
    "sequences": (st.text("ab", max_size=4), structures.sequences),
    "trees": (trees(4), structures.trees),
    "trees by depth": (trees(), lambda many: structures.trees(many, depth="role")),
    "ordered trees by depth": (trees(), lambda many: structures.trees(many, ordered=True, depth="role")),
    "hypergraphs": (HYPERGRAPHS, structures.hypergraphs),
    "labelled networks": (MATRICES, structures.labelled_networks),
}


@examples(60)
@given(data=st.data())
@pytest.mark.parametrize("structure", THREE)
def test_the_metric_laws_hold_and_the_distance_is_that_of_brute_force(structure, data):
    item, make = THREE[structure]
    graphs = bare(make(data.draw(st.lists(item, min_size=3, max_size=3))))
    distances = gm.pairwise_distances(graphs, matcher="exact")
    np.testing.assert_allclose(distances, oracle.pairwise_distances(graphs), atol=1e-7)
    np.testing.assert_allclose(distances, distances.T)
    assert (np.diag(distances) == 0).all()
    for i, j, k in [(0, 1, 2), (1, 2, 0), (2, 0, 1)]:
        assert distances[i, j] <= distances[i, k] + distances[k, j] + 1e-9


# -- vectors ---------------------------------------------------------------------------------------


def test_vectors_are_clustered_as_scikit_learn_does(rng):
    rows = rng.normal(size=(60, 3)) + np.repeat(np.eye(3) * 4, 20, axis=0)
    start = rows[[0, 20, 40]]
    theirs = KMeans(3, init=start, n_init=1, tol=0).fit(rows)
    ours = gm.GraphKMeans(3, algorithm="lloyd", init=structures.vectors(start), n_init=1).fit(structures.vectors(rows))
    assert ours.labels_.tolist() == theirs.labels_.tolist()
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    centers = np.concatenate([center.nodes[""] for center in ours.centroids()])
    np.testing.assert_allclose(centers, theirs.cluster_centers_)


# -- point patterns --------------------------------------------------------------------------------


def assignment(x, y):
    """The least sum of squares, by SciPy, the smaller set filled up with points at the origin."""
    n = max(len(x), len(y))
    x, y = (np.vstack([p, np.zeros((n - len(p), p.shape[1]))]) for p in (x, y))
    costs = ((x[:, None] - y[None]) ** 2).sum(axis=2)
    return float(np.sqrt(costs[linear_sum_assignment(costs)].sum()))


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_a_matching_of_point_patterns_is_a_linear_assignment(dimensions, rng):
    for _ in range(20):
        x, y = (rng.normal(size=(int(rng.integers(0, 30)), dimensions)) for _ in range(2))
        found = gm.match(*structures.point_patterns([x, y]))
        assert found.upper == pytest.approx(assignment(x, y), abs=1e-9)
        assert found.certified


def test_presence_makes_a_point_at_the_origin_count():
    patterns = structures.point_patterns([[[0.0, 0.0]], np.zeros((0, 2))])
    assert gm.distance(*patterns) == 0.0
    assert gm.distance(*patterns, encoder=gm.GraphEncoder("keep", presence=2.0)) == 2.0


def test_marks_are_categories_or_numbers():
    one, two = structures.point_patterns([[[0.0, 0.0], [1.0, 1.0]]] * 2, [["u", "v"], ["v", "u"]])
    assert gm.distance(one, two) == pytest.approx(2.0)  # two marks, or two ways of sqrt 2: the same here
    assert list(one.nodes) == ["x", "y", "mark"]
    assert list(structures.point_patterns([np.zeros((2, 4))])[0].nodes) == ["position"]


# -- sequences -------------------------------------------------------------------------------------


def test_sequences_are_compared_place_by_place():
    far, near = structures.sequences(["ABCDEF", "XABCDE"]), structures.sequences(["ABCDEF", "ABXDEF"])
    assert gm.distance(*near) ** 2 == pytest.approx(2.0)
    assert gm.distance(*far) ** 2 == pytest.approx(12.0)  # one insertion shifts all that follow
    assert gm.distance(*structures.sequences(["AB", "ABC"])) ** 2 == pytest.approx(1.0)
    numbers = structures.sequences([[1.0, 2.0], [1.0, 4.0]])
    assert gm.distance(*numbers) == 2.0
    assert list(structures.sequences([[[1.0, 2.0]]])[0].nodes) == ["value"]
    assert structures.sequences([[]])[0].n_nodes == 0


# -- trees -----------------------------------------------------------------------------------------


def test_all_ways_to_write_a_tree_are_the_same():
    g = nx.DiGraph([("r", "s"), ("r", "t"), ("t", "u")])
    nx.set_node_attributes(g, {"r": "a", "s": "b", "t": "c", "u": "d"}, "label")

    class Node:
        def __init__(self, label, *below):
            self.label, self.below = label, below

    mine = Node("a", Node("b"), Node("c", Node("d")))
    nested = ("a", ["b", ("c", ["d"])])
    mappings = {"label": "a", "children": [{"label": "b"}, {"label": "c", "children": [{"label": "d"}]}]}
    (one,) = structures.trees([nested])
    assert one.nodes["depth"].tolist() == [0, 1, 1, 2]
    assert one.directed
    assert structures.trees([nested], depth="role")[0].roles == (0, 1, 1, 2)
    assert one.edges.tolist() == [[0, 1], [0, 2], [2, 3]]
    assert structures.trees([g, mappings, nested]) == [one] * 3
    assert structures.trees([mine], children=lambda n: n.below, attributes=lambda n: n.label) == [one]


def test_the_order_of_siblings_matters_if_it_is_asked_for():
    pair = [("f", ["x", "y"]), ("f", ["y", "x"])]
    assert gm.distance(*structures.trees(pair)) == 0.0
    assert gm.distance(*structures.trees(pair, ordered=True)) > 0.0


def test_a_node_is_matched_with_nodes_of_its_depth_only_if_depth_is_a_role():
    chain, star = structures.trees([("a", [("b", ["b"])]), ("a", ["b", "b"])], depth="role")
    found = gm.match(chain, star, matcher="exact")
    assert found.mapping[0] == 0
    assert found.mapping[2] is None
    assert found.upper == pytest.approx(oracle.distance(*bare([chain, star])))


def test_a_wrapped_subtree_is_not_shifted_if_depth_is_an_attribute():
    block = ("for", [("call", ["f", "x"]), ("call", ["g", "y"])])
    plain, wrapped = ("def", [block, "return"]), ("def", [("with", [block]), "return"])
    other = ("def", [("try", [("raise", ["a", "b"])]), "return"])
    for depth, found in (("attribute", True), ("role", False)):
        near, far = gm.pairwise_distances(structures.trees([plain, wrapped, other], depth=depth))[0, 1:]
        assert (near < far) == found
    mapping = gm.match(*structures.trees([plain, wrapped])).mapping
    assert [mapping[i] for i in range(3)] == [0, 3, 2]  # "for" is found one level below
    with pytest.raises(gm.GraphError, match="depth must be 'role' or 'attribute', got 'wall'"):
        structures.trees([plain], depth="wall")


def test_programs_are_trees():
    sources = ["x = 1 + 2", "y = 3 + 4", "for i in z:\n    print(i)"]
    graphs = structures.trees(
        [ast.parse(source) for source in sources], children=ast.iter_child_nodes, attributes=lambda n: type(n).__name__
    )
    distances = gm.pairwise_distances(graphs)
    assert distances[0, 1] == 0
    assert distances[0, 2] > 0


def test_a_deep_tree_is_no_problem_and_a_loop_is_named():
    tree = "leaf"
    for _ in range(3000):
        tree = ("n", [tree])
    assert structures.trees([tree])[0].n_nodes == 3001
    loop = {"label": "a"}
    loop["children"] = [loop]
    with pytest.raises(gm.GraphError, match="graph 0: the tree is deeper than 10000; does it contain itself"):
        structures.trees([loop])


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (nx.Graph([(0, 1)]), "must be directed"),
        (nx.DiGraph([(0, 1), (2, 1)]), "not a rooted tree"),
        (nx.DiGraph([(0, 1), (1, 0)]), "not a rooted tree"),
        (("a", "b"), r"a tree is \(label, \[children\]\)"),
        (("a", ["b"], "c"), r"a tree is \(label"),
        ([("a", [1])], r"a tree is \(label"),
        (("a", [1]), "'label'"),
    ],
)
def test_what_is_no_tree(tree, words):
    with pytest.raises(gm.GraphError, match=f"graph 1: .*{words}"):
        structures.trees([("a", []), tree])


# -- hypergraphs -----------------------------------------------------------------------------------


def test_hypergraphs_with_attributes():
    (graph,) = structures.hypergraphs(
        [{"paper": ["ann", "bob", "ann"], "talk": ["bob"]}],
        vertices=[{"ann": "chemist", "bob": "physicist", "cem": "chemist"}],
        hyperedges=[{"paper": {"year": 1999.0}, "talk": {"year": 2001.0}}],
    )
    assert graph.node_ids == tuple(("vertex", v) for v in ("ann", "bob", "cem")) + (("hyperedge", "paper"), ("hyperedge", "talk"))
    assert graph.edges.tolist() == [[0, 3], [1, 3], [1, 4]]
    assert graph.nodes["label"].tolist() == ["chemist", "physicist", "chemist", None, None]
    batch = gm.GraphEncoder().fit_transform([graph])
    # A year does not apply to people, a trade not to papers: zero there, not average.
    np.testing.assert_allclose(batch.nodes, [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1]])
    mean = gm.mean([graph, graph])
    assert mean.nodes["year"].tolist() == [None, None, None, 1999.0, 2001.0]


def test_a_hyperedge_is_not_three_edges():
    triple, triangle = structures.hypergraphs([[{1, 2, 3}], [{1, 2}, {2, 3}, {1, 3}]])
    found = gm.match(triple, triangle, matcher="exact")
    assert found.certified
    assert found.upper == pytest.approx(oracle.distance(triple, triangle))
    assert found.upper > 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: structures.hypergraphs([[[1]]], vertices=[{}, {}]), "1 hypergraphs but vertices for 2"),
        (lambda: structures.hypergraphs([[[1]]], hyperedges=[{7: "x"}]), "graph 0: there is no hyperedge 7"),
        (lambda: structures.vectors([1.0, 2.0]), "2-D"),
        (lambda: structures.vectors([[1.0]], names=["a", "b"]), "1 items but 2 names"),
        (lambda: structures.point_patterns([[1.0, 2.0]]), "graph 0: a point pattern"),
        (lambda: structures.point_patterns([[[1.0]]], marks=[]), "marks for 0"),
        (lambda: structures.trees([1], children=list), "give both or neither"),
        (lambda: structures.labelled_networks(np.eye(2)), "put it into a list"),
        (lambda: structures.labelled_networks([np.eye(2), np.eye(3)]), "same nodes, got 2 and 3"),
        (lambda: structures.labelled_networks([np.eye(2)], labels=["a"]), "2 nodes but 1 labels"),
        (lambda: structures.labelled_networks([np.eye(2)], labels=["a", "a"]), "not unique"),
        (lambda: structures.labelled_networks([[[0, 1], [0, 0]]]), "not symmetric"),
    ],
)
def test_structures_that_cannot_be_made(call, words):
    with pytest.raises(gm.GraphError, match=words):
        call()


# -- labelled networks -----------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
def test_labelled_networks_are_clustered_as_their_matrices(directed, rng):
    shapes = rng.normal(size=(3, 12, 12)) * 2
    stack = np.repeat(shapes, 10, axis=0) + rng.normal(size=(30, 12, 12))
    if not directed:
        stack = stack + stack.transpose(0, 2, 1)
    stack[np.abs(stack) < 0.3] = 0.0
    rows = stack.reshape(30, -1)
    start = [0, 10, 20]
    theirs = KMeans(3, init=rows[start], n_init=1, tol=0).fit(rows)
    graphs = structures.labelled_networks(stack, directed=directed, labels=[f"r{i}" for i in range(12)])
    ours = gm.GraphKMeans(3, algorithm="lloyd", init=[graphs[i] for i in start], n_init=1).fit(graphs)
    assert ours.labels_.tolist() == theirs.labels_.tolist()
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    np.testing.assert_allclose(gm.distance(graphs[0], graphs[1]), np.linalg.norm(rows[0] - rows[1]))
    mean = ours.centroids()[0]
    assert mean.roles is not None
    order = np.argsort([int(role[1:]) for role in mean.roles])
    matrix = gm.to_adjacency(mean)[np.ix_(order, order)] + np.diag(mean.nodes[""][order, 0])
    np.testing.assert_allclose(matrix, theirs.cluster_centers_[0].reshape(12, 12), atol=1e-9)


def test_sparse_networks():
    a = scipy.sparse.csr_array(np.array([[0, 2.0], [2.0, 0]]))
    graphs = structures.labelled_networks([a, 2 * a], names=["one", "two"])
    assert gm.distance(*graphs) == pytest.approx(np.sqrt(8))
    assert graphs[1].name == "two"


def test_a_tree_of_three_thousand_levels_is_clustered_by_its_levels():
    def path(depth):
        tree = ("leaf", [])
        for level in range(depth):
            tree = (f"node {level % 3}", [tree])
        return tree

    graphs = structures.trees([path(3000), path(2998), path(30), path(29)], depth="role")
    labels = gm.GraphKMeans(2, random_state=0).fit(graphs).labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]
