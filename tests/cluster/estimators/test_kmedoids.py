"""k-medoids: no exchange helps any more, and far from all pairs were matched."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphmeans as gm
from graphmeans import GraphSpace
from graphmeans.cluster.context import CountedMatcher
from graphmeans.cluster.estimators.kmedoids import KnownDistances
from strategies import Kind, random_collection


@parametrize_with_checks(
    [gm.GraphKMedoids(3)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "the random start does not see weights as copies",
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def cost(table, weights, medoids):
    return float(weights @ table[:, list(medoids)].min(axis=1))


@pytest.mark.parametrize("matcher", ["exact", "search"])
@pytest.mark.parametrize("kind", [Kind(2, 1), Kind(1, 1, directed=True), Kind(1, 1, roles=("a", "b"))])
def test_no_exchange_is_better(kind, matcher):
    graphs = random_collection(0, kind, 24, max_nodes=4, classes=4, noise=0.7)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 24)
    km = gm.GraphKMedoids(4, matcher=matcher, random_state=0).fit(graphs, sample_weight=weights)
    table = km.space_.distances(km._points(graphs))
    assert km.inertia_ == pytest.approx(cost(table, weights, km.medoid_indices_))
    np.testing.assert_allclose(km.distances_, table[:, km.medoid_indices_].min(axis=1))
    np.testing.assert_array_equal(km.labels_, table[:, km.medoid_indices_].argmin(axis=1))
    for place in range(4):
        for other in range(24):
            exchanged = [*km.medoid_indices_[:place], other, *km.medoid_indices_[place + 1 :]]
            assert cost(table, weights, exchanged) >= km.inertia_ * (1 - 1e-9)


def test_several_starts_find_the_best_pair():
    graphs = random_collection(7, Kind(1, 1), 14, max_nodes=3, classes=2, noise=0.8)
    km = gm.GraphKMedoids(2, matcher="exact", init="random", n_init=8, random_state=0).fit(graphs)
    table = km.space_.distances(km._points(graphs))
    best = min(combinations(range(14), 2), key=lambda pair: cost(table, np.ones(14), pair))
    assert km.inertia_ == pytest.approx(cost(table, np.ones(14), best))
    one = gm.GraphKMedoids(1, matcher="exact", random_state=0).fit(graphs)
    assert one.medoid_indices_[0] == table.sum(axis=0).argmin()


def test_bounds_save_matchings_and_change_nothing():
    letters, _ = gm.datasets.make_letters(240, random_state=0)
    km = gm.GraphKMedoids(15, random_state=0).fit(letters)
    assert km.n_matchings_ < 0.7 * 240 * 239 / 2
    table = gm.pairwise_distances(letters)
    assert km.inertia_ == pytest.approx(cost(table, np.ones(240), km.medoid_indices_))
    assert gm.GraphKMedoids(15, n_jobs=1, random_state=0).fit(letters).inertia_ == km.inertia_


def test_centroids_are_graphs_of_the_collection():
    letters, _ = gm.datasets.make_letters(60, random_state=0)
    km = gm.GraphKMedoids(5, random_state=0).fit(letters)
    for mean, index in zip(km.centroids(), km.medoid_indices_, strict=True):
        np.testing.assert_allclose(mean.nodes["x"], letters[index].nodes["x"])
        assert set(map(frozenset, mean.edges.tolist())) == set(map(frozenset, letters[index].edges.tolist()))
        assert (mean.node_support == 1).all()
    np.testing.assert_array_equal(km.predict(letters), km.labels_)
    assert km.transform(letters).shape == (60, 5)
    assert km.score(letters) == pytest.approx(-km.inertia_)
    assert km.margins(letters).min() >= 0
    assert km.outlier_scores(letters[0]).shape == (1,)


def test_given_medoids():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    a = gm.GraphKMedoids(3, init=[1, 5, 9]).fit(rows)
    b = gm.GraphKMedoids(3, init=np.array([1, 5, 9])).fit(rows)
    assert a.inertia_ == b.inertia_
    np.testing.assert_allclose(a.cluster_centers_, rows[a.medoid_indices_])
    for wrong in ([1, 5], [1, 1, 2], [1, 5, 40], [0.5, 1, 2], "?"):
        with pytest.raises(gm.GraphError, match="init"):
            gm.GraphKMedoids(3, init=wrong).fit(rows)
    for option in ({"n_clusters": 0}, {"n_init": "auto"}, {"max_iter": True}, {"init": [1, 5, 9], "n_init": 2}):
        with pytest.raises(gm.GraphError):
            gm.GraphKMedoids(**{"n_clusters": 3, **option}).fit(rows)


def test_saved_and_loaded(tmp_path):
    letters, _ = gm.datasets.make_letters(60, random_state=0)
    km = gm.GraphKMedoids(5, random_state=0).fit(letters)
    km.save(tmp_path / "medoids.gmz")
    twin = gm.load(tmp_path / "medoids.gmz")
    assert vars(twin).keys() == vars(km).keys()
    np.testing.assert_array_equal(twin.transform(letters), km.transform(letters))
    np.testing.assert_array_equal(twin.medoid_indices_, km.medoid_indices_)


def test_one_large_graph_does_not_make_sketches_of_all_its_pairs():
    """Sketches of rows grow with the square of the largest graph: 40,000 numbers for each of a dozen small ones here."""
    small = random_collection(0, Kind(1, 1), 12, max_nodes=5)
    large = gm.Graph(np.arange(200.0)[:, None] + 50, [(i, i + 1) for i in range(199)], np.ones((199, 1)))
    km = gm.GraphKMedoids(2, random_state=0, encoder=gm.GraphEncoder(numbers="keep")).fit([*small, large])
    assert np.bincount(km.labels_).tolist() in ([12, 1], [1, 12])
    known = KnownDistances(km._points([*small, large]), CountedMatcher(km.space_))
    assert [f.shape[1] < 1000 for f in known.sketches] == [True]
    assert len(KnownDistances(km._points(small), CountedMatcher(GraphSpace(np.array([5])))).sketches) == 2
