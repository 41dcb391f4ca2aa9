"""A 2-D array is a list of one-node graphs, and everything is what scikit-learn's KMeans makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import graphmeans as gm
from effort import examples

ALGORITHMS = ["elkan", "lloyd"]


def both(x, start, algorithm, sample_weight=None, max_iter=300):
    k = len(start)
    theirs = KMeans(k, init=start, n_init=1, tol=0, max_iter=max_iter).fit(x, sample_weight=sample_weight)
    ours = gm.GraphKMeans(k, init=start, n_init=1, max_iter=max_iter, algorithm=algorithm, random_state=0)
    return ours.fit(x, sample_weight=sample_weight), theirs


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-9)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), d=st.integers(1, 4), n=st.integers(8, 60))
@examples(40)
def test_random_vectors(algorithm, seed, k, d, n):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    ours, theirs = both(x, x[rng.choice(n, k, replace=False)], algorithm)
    assert_same(ours, theirs)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("max_iter", [1, 2, 3, 300])
def test_blobs_from_a_bad_start(algorithm, max_iter):
    x, _ = make_blobs(200, n_features=3, centers=6, cluster_std=2.0, random_state=1)
    ours, theirs = both(x, x[:6], algorithm, max_iter=max_iter)
    assert_same(ours, theirs)
    assert theirs.n_iter_ > 3 or max_iter < 300


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("max_iter", [1, 2, 300])
def test_sample_weights(algorithm, max_iter):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(80, 2))
    weights = rng.exponential(size=80)
    weights[:5] = 0
    start = x[40:45]
    assert_same(*both(x, start, algorithm, weights, max_iter))
    unweighted, _ = both(x, start, algorithm, None, max_iter)
    weighted, _ = both(x, start, algorithm, weights, max_iter)
    assert not np.allclose(unweighted.cluster_centers_, weighted.cluster_centers_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_whole_weights_are_copies(algorithm):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 2))
    weights = rng.integers(1, 4, size=40)
    start = x[:4]
    weighted, _ = both(x, start, algorithm, weights.astype(float))
    copies, _ = both(np.repeat(x, weights, axis=0), start, algorithm)
    np.testing.assert_allclose(weighted.cluster_centers_, copies.cluster_centers_)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), copies.labels_)
    assert weighted.inertia_ == pytest.approx(copies.inertia_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_empty_cluster_is_relocated_as_scikit_learn_does(algorithm):
    x = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    ours, theirs = both(x, np.array([[0.5], [10.5], [1000.0]]), algorithm)
    assert_same(ours, theirs)
    assert len(set(ours.labels_.tolist())) == 3


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_predict_transform_and_score(algorithm):
    rng = np.random.default_rng(7)
    x, new = rng.normal(size=(50, 3)), rng.normal(size=(20, 3))
    ours, theirs = both(x, x[:4], algorithm)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-9)
    assert ours.score(new) == pytest.approx(theirs.score(new))
    assert ours.score(new, sample_weight=np.arange(20.0)) == pytest.approx(
        theirs.score(new, sample_weight=np.arange(20.0))
    )


def test_float32_integers_and_lists_of_rows_are_arrays():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 50, size=(30, 2))
    results = [gm.GraphKMeans(3, random_state=0).fit(data) for data in (x, x.astype(np.float32), x.tolist())]
    for other in results[1:]:
        np.testing.assert_array_equal(other.labels_, results[0].labels_)
    assert all(isinstance(r.cluster_centers_, np.ndarray) and r.cluster_centers_.shape == (3, 2) for r in results)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_node_graphs_give_what_the_array_gives(algorithm):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 3))
    options = {"algorithm": algorithm, "n_init": 1, "random_state": 0}
    array = gm.GraphKMeans(4, init=x[:4], **options).fit(x)
    graphs = [gm.Graph(row[None]) for row in x]
    ours = gm.GraphKMeans(4, init=graphs[:4], matcher="exact", **options).fit(graphs)
    np.testing.assert_array_equal(ours.labels_, array.labels_)
    assert ours.inertia_ == pytest.approx(array.inertia_)
    for c in range(4):
        np.testing.assert_allclose(ours.cluster_centers_[c].nodes[""][0], array.cluster_centers_[c], atol=1e-9)
