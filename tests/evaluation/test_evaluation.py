"""Accuracy, the paper's silhouette index and the objective, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples

import graphmeans as gm
import oracle
from graphmeans import evaluation
from graphmeans.evaluation import measures
from strategies import Kind, random_collection


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=12))
def test_accuracy_is_the_share_of_the_majority(rows):
    y, labels = zip(*rows, strict=True)
    assert evaluation.accuracy(y, labels) == pytest.approx(oracle.accuracy(y, labels))
    assert evaluation.accuracy(np.array(y), np.array(labels)) == pytest.approx(oracle.accuracy(y, labels))


def test_accuracy_of_unequal_lengths_is_refused():
    with pytest.raises(ValueError, match=r"3.*2|2.*3"):
        evaluation.accuracy([0, 1, 1], [0, 1])


def distances(seed, n):
    points = np.random.default_rng(seed).normal(size=(n, 2))
    return np.linalg.norm(points[:, None] - points[None], axis=2)


@given(st.integers(0, 1000), st.lists(st.integers(0, 2), min_size=3, max_size=12).filter(lambda v: len(set(v)) > 1))
def test_silhouette_is_the_mean_of_cluster_means(seed, labels):
    d = distances(seed, len(labels))
    found = evaluation.silhouette(d, labels)
    assert found == pytest.approx(oracle.silhouette(d, labels))
    widths = silhouette_samples(d, labels, metric="precomputed") if len(set(labels)) < len(labels) else None
    if widths is not None:
        by_cluster = [np.mean(widths[np.array(labels) == c]) for c in set(labels)]
        assert found == pytest.approx(np.mean(by_cluster))


def test_silhouette_of_graphs_uses_their_distances():
    graphs = random_collection(0, Kind(1, 1), 8, max_nodes=3)
    labels = np.arange(8) % 3
    found = evaluation.silhouette(graphs, labels, matcher="exact")
    assert found == pytest.approx(oracle.silhouette(oracle.pairwise_distances(graphs), labels))


def test_silhouette_of_coinciding_members_is_no_nan():
    d = np.zeros((4, 4))
    assert evaluation.silhouette(d, [0, 0, 1, 1]) == 0.0


def test_silhouette_needs_two_clusters():
    with pytest.raises(ValueError, match="cluster"):
        evaluation.silhouette(distances(0, 4), [0, 0, 0, 0])


def test_objective_is_the_inertia():
    graphs = random_collection(0, Kind(1, 1), 12, max_nodes=3)
    weights = np.linspace(0.5, 2.0, 12)
    km = gm.GraphKMeans(3, matcher="exact", random_state=0).fit(graphs, sample_weight=weights)
    centers = [km.cluster_centers_[c] for c in range(3)]
    d = np.array([[oracle.distance(g, y, max(x.n_nodes for x in graphs)) for y in centers] for g in graphs])
    assert km.inertia_ == pytest.approx((weights * d.min(axis=1) ** 2).sum())
    np.testing.assert_allclose(km.transform(graphs), d, atol=1e-9)


def test_objective_is_matched_anew():
    graphs = random_collection(3, Kind(1, 1), 10, max_nodes=3)
    weights = np.linspace(0.5, 2.0, 10)
    km = gm.GraphKMeans(3, matcher="exact", random_state=0).fit(graphs, sample_weight=weights)
    found = evaluation.objective(graphs, km.labels_, km.centroids(), sample_weight=weights, matcher="exact")
    assert found == pytest.approx(km.inertia_)
    worse = evaluation.objective(graphs, np.zeros(10, dtype=int), km.centroids(), sample_weight=weights)
    assert worse > found
    with pytest.raises(ValueError, match="labels"):
        evaluation.objective(graphs, np.full(10, 3), km.centroids())


def test_silhouette_on_sampled_members():
    d = distances(0, 40)
    labels = np.arange(40) % 3
    whole = evaluation.silhouette(d, labels)
    assert evaluation.silhouette(d, labels, sample_size=40, random_state=0) == pytest.approx(whole)
    sampled = [evaluation.silhouette(d, labels, sample_size=8, random_state=s) for s in range(30)]
    assert evaluation.silhouette(d, labels, sample_size=8, random_state=5) == sampled[5]
    assert len(set(sampled)) > 10
    assert np.mean(sampled) == pytest.approx(whole, abs=0.1)
    with pytest.raises(ValueError, match="sample_size"):
        evaluation.silhouette(d, labels, sample_size=1)


def test_silhouettes_from_references_are_those_of_all_pairs_where_all_are_references(monkeypatch):
    graphs = random_collection(3, Kind(1, 1), 24, classes=3, noise=0.3)
    space = gm.GraphSpace.for_graphs(batch := gm.GraphEncoder(numbers="keep").fit_transform(graphs), n_jobs=1)
    labels, near = np.arange(24) % 3, np.array([[1, 2], [0, 2], [0, 1]])
    monkeypatch.setattr(measures, "REFERENCES", 30)
    found, compared, matched = measures.silhouette_from_references(space, batch, labels, near, 10**6)
    assert found == pytest.approx(oracle.silhouette(space.distances(batch), labels))
    assert (compared, matched) == (24, 24 * 23)
    monkeypatch.setattr(measures, "REFERENCES", 4)
    rough, compared, matched = measures.silhouette_from_references(space, batch, labels, near, 150)
    assert rough == pytest.approx(found, abs=0.2)
    assert (compared, matched) == (12, 12 * 12)


def test_silhouettes_from_references_of_lonely_and_equal_graphs():
    graphs = [gm.Graph([[0.0]]), gm.Graph([[0.0]]), gm.Graph([[5.0]])]
    space = gm.GraphSpace.for_graphs(batch := gm.GraphEncoder(numbers="keep").fit_transform(graphs), n_jobs=1)
    found = measures.silhouette_from_references(space, batch, np.array([0, 0, 1]), np.array([[1], [0]]), 100)
    assert found == (0.5, 3, 6)  # 1 for the two that are equal, 0 for the one that is alone
