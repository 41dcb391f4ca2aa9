"""Graph-vector reduction: elkan with stored alignments and free upper bounds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

import graphmeans as gm
from graphmeans.cluster.gvr import gvr
from graphmeans.cluster.seeding import seeds
from strategies import random_collection
from test_interval import KINDS, problem_of


@pytest.mark.parametrize("kind", KINDS)
def test_theta_zero_loses_nothing(kind):
    """At the returned centres every graph is with the nearest, and the objective never rose on the way."""
    for seed in range(4):
        problem = problem_of(random_collection(seed, KINDS[kind], 24, max_nodes=5, min_nodes=1), seed)
        result = gvr(problem, seeds(problem, 4, "k-means++"), max_iter=100, tol=0.0, n_iter_no_change=3)
        distances = problem.space.distances(problem.batch, result.centres.batch)
        np.testing.assert_allclose(distances[np.arange(24), result.labels], distances.min(axis=1), atol=1e-9)
        inertia = result.trace["inertia"]
        assert (np.diff(inertia) <= 1e-9 * inertia[:-1]).all()


def test_fewer_matchings_than_elkan_and_fewer_still_with_theta():
    graphs, _ = gm.datasets.make_letters(300, random_state=2)
    spent, inertia = {}, {}
    for name, settings in {
        "elkan": {"algorithm": "elkan"},
        "gvr": {"algorithm": "gvr"},
        "trusting": {"algorithm": "gvr", "theta": 0.5},
    }.items():
        km = gm.GraphKMeans(15, init="furthest-first", matcher="exact", random_state=0, **settings).fit(graphs)
        spent[name], inertia[name] = km.n_matchings_ / len(km.trace_), km.inertia_
    assert spent["trusting"] < spent["gvr"] < spent["elkan"]
    assert inertia["gvr"] < 1.05 * inertia["elkan"]


def test_vectors_are_what_scikit_learn_makes_of_them():
    rows = np.random.default_rng(5).normal(size=(100, 2))
    theirs = KMeans(4, init=rows[:4], tol=0, n_init=1).fit(rows)
    ours = gm.GraphKMeans(4, init=rows[:4], algorithm="gvr").fit(rows)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"algorithm": "elkan", "theta": 0.1}, "theta"),
        ({"algorithm": "gvr", "theta": -1.0}, "theta"),
        ({"algorithm": "gvr", "mean": "incremental"}, "lifted"),
        ({"algorithm": "interval", "mean": "set"}, "lifted"),
    ],
)
def test_options_that_mean_nothing_are_refused(settings, word):
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    with pytest.raises(gm.GraphError, match=word):
        gm.GraphKMeans(3, **settings).fit(graphs)
