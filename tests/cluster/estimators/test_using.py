"""What a fitted estimator is good for: margins, outlier scores, single graphs, warm starts; copies are one heavier graph."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.data.dataset import InMemoryDataset
from graphmeans.cluster.data.deduplicate import originals
from graphmeans.cluster.estimators.prediction import Predictor, outlier_scores, usual_distances
from strategies import Kind, random_collection


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(90, "medium", random_state=0)[0]


@pytest.fixture(scope="module")
def km(letters):
    return gm.GraphKMeans(6, n_init=1, random_state=0).fit(letters)


# -- margins and outliers --------------------------------------------------------------------------


def test_margins_are_those_of_the_whole_table_of_distances(km, letters):
    near, far = np.sort(km.transform(letters), axis=1)[:, :2].T
    np.testing.assert_allclose(km.margins(letters), 1 - near / far, atol=1e-9)


@pytest.mark.parametrize("roles", [None, ("a", "b")])
def test_the_two_nearest_of_every_kind_of_graph(roles):
    graphs = random_collection(5, Kind(2, 1, roles=roles), 40, max_nodes=4, min_nodes=0)
    km = gm.GraphKMeans(7, matcher="exact", n_init=1, random_state=0).fit(graphs[:25])
    points = km._points(graphs)
    part = InMemoryDataset(points, np.ones(40)).part(range(40))
    found = Predictor(km.space_, km._centers.batch).two_nearest(part)
    table = km.transform(graphs)
    np.testing.assert_array_equal(found.label, table.argmin(axis=1))
    np.testing.assert_allclose(found.distance, table.min(axis=1))
    np.testing.assert_allclose(found.second_distance, np.sort(table, axis=1)[:, 1])
    np.testing.assert_allclose(table[np.arange(40), found.second], found.second_distance)


def test_margins_match_only_centers_that_may_matter(monkeypatch):
    letters, _ = gm.datasets.make_letters(150, "low", random_state=0)
    km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(letters)
    handed = []
    solve = type(km.space_.matcher).solve
    monkeypatch.setattr(
        type(km.space_.matcher), "solve", lambda self, x, y, pairs, *rest, **hints: (
            handed.append(len(pairs)), solve(self, x, y, pairs, *rest, **hints))[1],
    )  # fmt: skip
    km.margins(letters)
    assert sum(handed) < 0.7 * 150 * 15


def test_larger_graphs_than_the_space_has_places_for(km):
    large = nx.cycle_graph(14)
    for node in large:
        large.nodes[node].update(x=float(node), y=0.0)
    graphs = gm.from_networkx([large])
    assert km.margins(graphs)[0] == pytest.approx(1 - np.divide(*np.sort(km.transform(graphs)[0])[:2]))
    assert km.outlier_scores(graphs)[0] > 2


def test_one_center_has_no_margin(letters):
    with pytest.raises(gm.GraphError, match="at least two centers"):
        gm.GraphKMeans(1, random_state=0).fit(letters).margins(letters)


def test_a_graph_on_a_center_is_certain_and_ordinary():
    graphs = [gm.Graph([[float(x)]]) for x in (0, 0, 10, 10, 10, 4)]
    km = gm.GraphKMeans(2, init=[graphs[0], graphs[2]], algorithm="lloyd", max_iter=1).fit(graphs)
    margins = km.margins([gm.Graph([[10.0]]), gm.Graph([[5.6]])])
    assert margins[0] == 1
    assert 0 < margins[1] < 0.5


def test_outliers_stand_out(letters, km):
    scores = km.outlier_scores(letters)
    assert 0.8 < np.median(scores) < 1.2
    odd = gm.Graph({"x": [20.0, -30.0], "y": [40.0, 5.0]}, [(0, 1)])
    assert km.outlier_scores([*letters, odd]).argmax() == len(letters)
    assert km.outlier_scores(odd)[0] > 5


def test_what_is_usual_in_a_cluster():
    distances = np.array([1.0, 2, 3, 4, 5, 100, 0, 0, 0, 0, 0])
    labels = np.array([0] * 5 + [1] + [2] * 5)
    np.testing.assert_array_equal(usual_distances(distances, labels, 3), [3, 1, 1])
    np.testing.assert_array_equal(outlier_scores(np.array([0.0, 2.0]), np.array([0.0, 0.0])), [0, np.inf])


# -- one graph -------------------------------------------------------------------------------------


def test_a_single_graph_is_a_collection_of_one(km, letters):
    for method in ("predict", "transform", "margins", "outlier_scores"):
        np.testing.assert_array_equal(getattr(km, method)(letters[3]), getattr(km, method)([letters[3]]))
    assert km.predict(letters[3]).shape == (1,)
    assert km.score(letters[3]) == km.score(letters[3:4])
    assert km.align(letters[3])[0].mapping == km.align([letters[3]])[0].mapping
    graph = gm.to_networkx(letters[3])
    assert km.predict(graph)[0] == km.predict(letters[3])[0]
    with pytest.raises(gm.GraphError, match="put it into a list"):
        gm.GraphKMeans(1).fit(letters[3])


# -- warm start ------------------------------------------------------------------------------------


def test_a_warm_start_goes_on_from_the_centers_before(letters):
    km = gm.GraphKMeans(6, random_state=0, warm_start=True)
    first = km.fit(letters).inertia_
    spent = km.n_matchings_ + km.n_seeding_matchings_
    again = km.fit(letters)
    assert again.inertia_ <= first * (1 + 1e-9)
    assert again.n_iter_ <= 3
    assert again.n_seeding_matchings_ == 0
    assert again.n_matchings_ < spent
    cold = gm.GraphKMeans(6, init="random", n_init=3, random_state=1, warm_start=True).fit(letters[:45])
    cold.fit(letters)  # n_init is of the first fit
    assert len(np.unique(cold.labels_)) == 6
    with pytest.raises(gm.GraphError, match="had 6 centers"):
        cold.set_params(n_clusters=4).fit(letters)
    with pytest.raises(gm.GraphError, match="another kind"):
        cold.set_params(n_clusters=6).fit(np.random.default_rng(0).normal(size=(20, 2)))
    with pytest.raises(gm.GraphError, match="warm_start must be True or False"):
        gm.GraphKMeans(2, warm_start="yes").fit(letters)


def test_a_warm_start_of_vectors():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    km = gm.GraphKMeans(3, algorithm="lloyd", max_iter=1, random_state=0, warm_start=True)
    steps = [km.fit(rows).inertia_ for _ in range(12)]
    assert all(b <= a + 1e-9 for a, b in pairwise(steps))
    assert steps[-1] < steps[0]


# -- copies ----------------------------------------------------------------------------------------


def copied(graphs, times):
    """Each graph so often, in a mixed order in which the first copies keep theirs."""
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(graphs)), times - 1))
    return [*graphs, *[graphs[i] for i in order]]


def test_copies_are_fitted_once_with_their_weights_added(letters):
    many = copied(letters, 4)
    km = gm.GraphKMeans(6, random_state=3).fit(many)
    weighted = gm.GraphKMeans(6, random_state=3).fit(letters, sample_weight=np.full(90, 4.0))
    assert km.inertia_ == weighted.inertia_
    assert km.n_matchings_ == weighted.n_matchings_
    np.testing.assert_array_equal(km.labels_[:90], weighted.labels_)
    assert km.labels_.shape == km.distances_.shape == (360,)
    assert km.inertia_ == pytest.approx(float((km.distances_**2).sum()))
    by_name = {}
    for graph, label in zip(many, km.labels_, strict=True):
        assert by_name.setdefault(id(graph), label) == label
    weights = np.random.default_rng(0).uniform(size=360)
    km = gm.GraphKMeans(6, random_state=3).fit(many, sample_weight=weights)
    assert km.inertia_ == pytest.approx(float(weights @ km.distances_**2))


def test_a_few_copies_or_too_few_different_graphs_change_nothing(letters):
    km = gm.GraphKMeans(6, random_state=3).fit([*letters, letters[0]])
    assert km.labels_[0] == km.labels_[-1]
    few = gm.GraphKMeans(4, random_state=0).fit([*letters[:3]] * 3)
    assert few.labels_.shape == (9,)
    assert few.inertia_ == pytest.approx(0, abs=1e-18)


def test_originals_are_equal_in_everything():
    a = gm.Graph([[1.0], [2.0]], [(0, 1)])
    other = [
        gm.Graph([[2.0], [1.0]], [(0, 1)]),  # the same graph with its nodes in another order
        gm.Graph([[1.0], [2.0]], [(0, 1)], [-1.0]),
        gm.Graph([[1.0], [-2.0]], [(0, 1)]),
        gm.Graph([[1.0], [2.0]]),
        gm.Graph(np.zeros((0, 1))),
    ]
    batch = gm.GraphEncoder().fit_transform([a, *other, a, other[2], gm.Graph(np.zeros((0, 1)))])
    assert originals(batch).tolist() == [0, 0, 2, 3, 4, 5, 0, 3, 5]
    assert originals(batch, renumbered=False).tolist() == [0, 1, 2, 3, 4, 5, 0, 3, 5]
    roles = [gm.Graph([[1.0]], roles=[role]) for role in "aba"]
    assert originals(gm.GraphEncoder().fit_transform(roles)).tolist() == [0, 1, 0]
