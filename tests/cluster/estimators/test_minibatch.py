"""Mini-batches: nested ones that see every graph once, and streams."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import graphmeans as gm


def test_nested_batches_end_near_the_whole():
    graphs, _ = gm.datasets.make_letters(1200, random_state=0)
    whole = [gm.GraphKMeans(15, n_init=1, random_state=s).fit(graphs) for s in range(3)]
    nested = [gm.MiniBatchGraphKMeans(15, batch_size=150, random_state=s).fit(graphs) for s in range(3)]
    assert np.mean([km.inertia_ for km in nested]) < 1.15 * np.mean([km.inertia_ for km in whole])
    spent = [sum(km.n_matchings_ + km.n_seeding_matchings_ for km in kms) for kms in (nested, whole)]
    assert spent[0] < spent[1]
    km = nested[0]
    assert km.trace_["graphs"][0] == 150
    assert km.trace_["graphs"][-1] == 1200
    assert set(km.trace_["graphs"]) == {150, 300, 600, 1200}
    # labels and distances belong to the graphs in the caller's order
    np.testing.assert_array_equal(km.predict(graphs), km.labels_)
    assert -km.score(graphs) == pytest.approx(km.inertia_, rel=1e-9)
    np.testing.assert_array_equal(km.labels_, gm.MiniBatchGraphKMeans(15, batch_size=150, random_state=0).fit(graphs).labels_)


def test_a_small_collection_is_one_batch():
    graphs, _ = gm.datasets.make_letters(90, random_state=0)
    nested = gm.MiniBatchGraphKMeans(5, random_state=1).fit(graphs)
    assert set(nested.trace_["graphs"]) == {90}


def test_a_stream_of_vectors_is_a_running_mean():
    """MacQueen's k-means, a batch at a time: centers are the means of all rows they were given, whenever."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2)) + rng.integers(0, 3, size=(300, 1)) * 6
    weights = rng.uniform(0.5, 2.0, size=300)
    km = gm.MiniBatchGraphKMeans(3, init=np.array([[0.0, 0.0], [6.0, 6.0], [12.0, 12.0]]), reassignment_ratio=0.0)
    sums, counts = np.zeros((3, 2)), np.zeros(3)
    for start in range(0, 300, 60):
        part = slice(start, start + 60)
        km.partial_fit(rows[part], sample_weight=weights[part])
        np.add.at(sums, km.labels_, weights[part, None] * rows[part])
        np.add.at(counts, km.labels_, weights[part])
        np.testing.assert_allclose(km.cluster_centers_, sums / counts[:, None])
        np.testing.assert_allclose(km.counts_, counts)
    assert km.n_steps_ == 5


def test_a_stream_of_graphs():
    graphs, letters = gm.datasets.make_letters(900, random_state=1)
    km = gm.MiniBatchGraphKMeans(15, order=12, random_state=0)
    for start in range(0, 900, 150):
        km.partial_fit(graphs[start : start + 150])
        assert len(km.labels_) == 150
    assert km.counts_.sum() == 900
    assert km.n_steps_ == 6
    batch = gm.GraphKMeans(15, order=12, n_init=1, random_state=0).fit(graphs)
    assert -km.score(graphs) < 1.3 * batch.inertia_
    assert gm.evaluation.accuracy(letters, km.predict(graphs)) > 0.7
    assert len(km.centroids()) == 15
    again = pickle.loads(pickle.dumps(km)).partial_fit(graphs[:100])
    assert again.n_steps_ == 7
    np.testing.assert_array_equal(again.labels_, km.partial_fit(graphs[:100]).labels_)


def test_fit_then_partial_fit_goes_on():
    graphs, _ = gm.datasets.make_letters(400, random_state=1)
    km = gm.MiniBatchGraphKMeans(8, order=12, random_state=0).fit(graphs[:300])
    km.partial_fit(graphs[300:])
    assert km.counts_.sum() == 400


def test_a_starved_center_is_put_where_it_helps():
    rows = np.concatenate([np.zeros((50, 1)), np.full((50, 1), 10.0)]) + np.random.default_rng(0).normal(size=(100, 1)) * 0.1
    km = gm.MiniBatchGraphKMeans(3, init=np.array([[0.0], [10.0], [10.5]]), reassignment_ratio=0.1).partial_fit(rows)
    km.counts_[2] = 0.5  # it has seen next to nothing
    km.partial_fit(np.append(rows, [[30.0]], axis=0))
    assert km.predict([[30.0]])[0] == 2
    assert km.cluster_centers_[2, 0] == pytest.approx(30.0)


def test_what_is_wrong_is_said():
    graphs, _ = gm.datasets.make_letters(60, random_state=0)
    km = gm.MiniBatchGraphKMeans(4, random_state=0).partial_fit(graphs)
    large = gm.Graph({"x": np.zeros(40), "y": np.zeros(40)}, [(0, 1)])
    with pytest.raises(gm.GraphError, match="graph 1 has 40 nodes"):
        km.partial_fit([graphs[0], large])
    with pytest.raises(gm.GraphError, match="no graphs"):
        km.partial_fit([])
    for bad in ({"batch_size": 0}, {"reassignment_ratio": 1.5}, {"n_clusters": 0}):
        with pytest.raises(gm.GraphError, match=next(iter(bad))):
            gm.MiniBatchGraphKMeans(**bad).fit(graphs)
    with pytest.raises(gm.GraphError, match="n_clusters"):
        gm.MiniBatchGraphKMeans(5).partial_fit(graphs[:3])
    assert clone(gm.MiniBatchGraphKMeans(5, batch_size=7)).get_params()["batch_size"] == 7
