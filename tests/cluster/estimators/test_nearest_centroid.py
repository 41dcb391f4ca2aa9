"""Nearest-prototype classification: a mean graph, or several, a class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphmeans as gm

# As for sklearn.cluster.KMeans: k-means within a class starts at random, and that does not see weights as copies.
EXCUSED = {"check_sample_weight_equivalence_on_dense_data": "k-means within a class starts at random"}


@parametrize_with_checks(
    [gm.GraphNearestCentroid(), gm.GraphNearestCentroid(2)],
    expected_failed_checks=lambda estimator: EXCUSED if estimator.n_prototypes > 1 else {},
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(300, "medium", random_state=0)


def test_vectors_are_classified_as_by_scikit_learn():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(90, 3)) + np.repeat(np.eye(3), 30, axis=0) * 2, np.repeat(["a", "b", "c"], 30)
    ours, theirs = gm.GraphNearestCentroid().fit(rows, y), NearestCentroid().fit(rows, y)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.centroids_)
    new = rng.normal(size=(200, 3))
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def test_the_prototype_of_a_class_is_its_mean(letters):
    graphs, y = letters
    some = [i for i in range(300) if y[i] in "AEF"][:24]
    clf = gm.GraphNearestCentroid(random_state=0).fit([graphs[i] for i in some], y[some])
    assert clf.classes_.tolist() == ["A", "E", "F"]
    assert [mean.name for mean in clf.centroids()] == ["class A", "class E", "class F"]
    for c, name in enumerate(clf.classes_):
        own = [graphs[i] for i in some if y[i] == name]
        alone = gm.mean(own, order=int(clf.space_.order[0]), encoder=clf.encoder_, random_state=0)
        ours = (clf.transform(own)[:, c] ** 2).sum() / 2
        assert ours <= alone.objective * 1.3  # they take the graphs in different orders


def test_letters_are_told_apart_and_more_prototypes_help(letters):
    graphs, y = letters
    one = gm.GraphNearestCentroid(random_state=0).fit(graphs[:200], y[:200])
    accuracy = one.score(graphs[200:], y[200:])
    assert accuracy > 0.8
    merged = np.where(np.isin(y, list("AEFHI")), "few", "many")  # classes that no single mean sums up
    scores = [
        gm.GraphNearestCentroid(n, random_state=0).fit(graphs[:200], merged[:200]).score(graphs[200:], merged[200:])
        for n in (1, 10)
    ]
    assert scores[1] > scores[0] + 0.05


def test_prototypes_know_their_class_and_their_distances(letters):
    graphs, y = letters
    clf = gm.GraphNearestCentroid(3, random_state=0).fit(graphs, y)
    assert len(clf.centroids()) == len(clf.prototype_classes_) == 45
    assert clf.centroids()[1].name == "class A, prototype 1"
    np.testing.assert_array_equal(clf.classes_[clf.prototype_classes_[clf.labels_]], y)
    table = clf.transform(graphs)
    np.testing.assert_allclose(clf.distances_, table[np.arange(300), clf.labels_])
    assert 0.8 < np.median(clf.outlier_scores(graphs)) < 1.2
    assert clf.margins(graphs).shape == (300,)
    assert clf.predict(graphs[0]).shape == (1,)


def test_weights_of_zero_leave_graphs_out(letters):
    graphs, y = letters
    weights = np.ones(300)
    weights[100:] = 0
    a = gm.GraphNearestCentroid(order=12, random_state=0).fit(graphs, y, sample_weight=weights)
    assert a.transform(graphs).shape == (300, 15)
    weights[y == "A"] = 0
    with pytest.raises(gm.GraphError, match=r"class .*A.* has no graph with a weight"):
        gm.GraphNearestCentroid().fit(graphs, y, sample_weight=weights)


def test_in_a_search_and_a_validation(letters):
    graphs, y = letters
    scores = cross_val_score(gm.GraphNearestCentroid(random_state=0), graphs[:120], y[:120], cv=3)
    assert scores.mean() > 0.6
    grid = {"edge_weight": [0.5, 2.0], "n_prototypes": [1, 2]}
    search = GridSearchCV(gm.GraphNearestCentroid(random_state=0), grid, cv=2).fit(graphs[:90], y[:90])
    assert set(search.best_params_) == {"edge_weight", "n_prototypes"}


def test_mistakes(letters):
    graphs, y = letters
    for options, targets, said in (
        ({"n_prototypes": 0}, y, "n_prototypes"),
        ({"n_prototypes": 2, "mean": "set"}, y, "would have no effect"),
        ({"mean": "?"}, y, "mean must be"),
        ({}, ["a"] * 300, "at least two classes"),
        ({}, y[:7], "7 classes for 300 graphs"),
    ):
        with pytest.raises(gm.GraphError, match=said):
            gm.GraphNearestCentroid(**options).fit(graphs, targets)


@pytest.mark.parametrize("n_prototypes", [1, 2])
def test_auto_is_the_lifted_mean(n_prototypes):
    graphs, y = gm.datasets.make_letters(60, random_state=0)
    auto, lifted = (
        gm.GraphNearestCentroid(n_prototypes, mean=mean, random_state=0).fit(graphs, y) for mean in ("auto", "lifted")
    )
    np.testing.assert_array_equal(auto.cluster_centers_.nodes, lifted.cluster_centers_.nodes)


@pytest.mark.parametrize("n", [1, 2])
def test_saved_and_loaded(letters, n, tmp_path):
    graphs, y = letters
    clf = gm.GraphNearestCentroid(n, random_state=0).fit(graphs[:100], y[:100])
    clf.save(tmp_path / "classes.gmz")
    twin = gm.load(tmp_path / "classes.gmz")
    assert vars(twin).keys() == vars(clf).keys()
    np.testing.assert_array_equal(twin.predict(graphs), clf.predict(graphs))
    assert twin.centroids() == clf.centroids()


def test_probabilities_are_those_of_gaussians_about_the_prototypes(letters):
    graphs, y = letters
    for n_prototypes in (1, 2):
        clf = gm.GraphNearestCentroid(n_prototypes, random_state=0).fit(graphs[:150], y[:150])
        shares = clf.predict_proba(graphs[150:])
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        np.testing.assert_array_equal(clf.classes_[shares.argmax(axis=1)], clf.predict(graphs[150:]))
        spread = (clf.distances_**2).mean()
        for q, row in enumerate(clf.transform(graphs[150:155])):
            own = [np.exp(-min(row[clf.prototype_classes_ == c]) ** 2 / (2 * spread)) for c in range(len(clf.classes_))]
            np.testing.assert_allclose(shares[q], np.array(own) / sum(own))


def test_probabilities_where_every_graph_is_its_prototype():
    clf = gm.GraphNearestCentroid().fit([gm.Graph([[0.0]]), gm.Graph([[1.0]])], ["a", "b"])
    np.testing.assert_array_equal(clf.predict_proba([gm.Graph([[0.2]]), gm.Graph([[0.5]])]), [[1, 0], [0.5, 0.5]])


def test_prototypes_of_large_classes_have_no_node_that_hardly_any_member_has():
    rng = np.random.default_rng(0)
    def path(n, level):
        return gm.Graph(level + 0.1 * rng.normal(size=(n, 1)), [(i, i + 1) for i in range(n - 1)])
    graphs = [path(4, level) for level in (1.0, 3.0) for _ in range(110)] + [path(12, 1.0), path(12, 3.0)]
    y = np.array(["low"] * 110 + ["high"] * 110 + ["low", "high"])
    clf = gm.GraphNearestCentroid(random_state=0).fit(graphs, y)
    assert [mean.n_nodes for mean in clf.centroids()] == [4, 4]
    assert clf.score(graphs, y) == 1.0
    whole = gm.GraphNearestCentroid(min_support=0.0, random_state=0).fit(graphs, y)
    assert [mean.n_nodes for mean in whole.centroids()] == [12, 12]
    # What is left out changes the sum of squares little.
    assert (clf.distances_**2).sum() <= 1.05 * (whole.distances_**2).sum()
    for mean, level in zip(clf.centroids(), (3.0, 1.0), strict=True):
        np.testing.assert_allclose(mean.nodes[""][:, 0], level, atol=0.2)
        assert (mean.node_support >= 0.05).all()


def test_min_support_is_for_one_lifted_mean():
    graphs, y = gm.datasets.make_letters(30, random_state=0)
    for options in ({"n_prototypes": 2}, {"mean": "incremental"}):
        with pytest.raises(gm.GraphError, match="min_support"):
            gm.GraphNearestCentroid(min_support=0.1, **options).fit(graphs, y)
