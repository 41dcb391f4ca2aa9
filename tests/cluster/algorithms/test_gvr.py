"""Graph-vector reduction: elkan with stored alignments and free upper bounds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from test_interval import KINDS

import graphmeans as gm
from effort import thorough
from graphmeans.cluster.algorithms.elkan import elkan
from graphmeans.cluster.algorithms.gvr import gvr
from graphmeans.cluster.context import ALGORITHM, EVALUATION
from graphmeans.paper.run import paper_count
from runs import OneRun
from strategies import random_collection


def run(algorithm, graphs, k, seed, weights=None, **options):
    """One run from a furthest-first start, exact matching: it, its result and the labels of every iteration."""
    history = []
    one = OneRun(graphs, seed, None, weights, "incremental", on_iteration=lambda labels, *_: history.append(labels))
    return one, one.run(algorithm, one.initialize(k, "furthest-first"), **options), history


def spent(one, k, iterations, name):
    """Matchings as the paper counts them."""
    return paper_count(name, len(one), k, iterations, one.matchings[ALGORITHM])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_theta_zero_takes_the_steps_of_elkan(kind, weighted):
    """The same labels at every iteration; at the end every graph is with the nearest center, at its distance from it."""
    for seed in range(4):
        graphs = random_collection(seed, KINDS[kind], 24, max_nodes=5, min_nodes=1, classes=3)
        weights = np.random.default_rng(seed).integers(0, 3, size=24).astype(float) if weighted else None
        one, ours, labels = run(gvr, graphs, 4, seed, weights)
        _, theirs, expected = run(elkan, graphs, 4, seed, weights)
        for found, other in zip(labels, expected, strict=False):
            np.testing.assert_array_equal(found, other)
        distances = one.space.distances(one.batch, ours.centers.batch)
        np.testing.assert_allclose(distances[np.arange(24), ours.labels], distances.min(axis=1), atol=1e-9)
        np.testing.assert_allclose(ours.distances, distances.min(axis=1), atol=1e-9)
        assert ours.inertia == pytest.approx(theirs.inertia, rel=0.02)


def letters(distortion):
    """Letters A, E, F, H: on the paper's, averages of stored alignments ended up to 21 % above elkan."""

    def make(seed):
        graphs, classes = gm.datasets.make_letters(600, distortion, random_state=seed)
        return [graph for graph, letter in zip(graphs, classes, strict=True) if letter in "AEFH"]

    return make


COLLECTIONS = {
    "letters low": letters("low"),
    "letters medium": letters("medium"),
    "letters high": letters("high"),
    "vector edges": lambda seed: random_collection(seed, KINDS["vector edges"], 90, max_nodes=5, classes=5, noise=0.5),
    "directed": lambda seed: random_collection(seed, KINDS["directed"], 90, max_nodes=5, classes=5, noise=0.5),
    "roles": lambda seed: random_collection(seed, KINDS["roles"], 90, max_nodes=6, classes=5, noise=0.5),
    "no clusters": lambda seed: random_collection(seed, KINDS["letters"], 90, max_nodes=5),
}


EVERY_DAY = [("letters medium", 2), ("directed", 6), ("roles", 6)]
THOROUGH = [thorough(name, 6) for name in COLLECTIONS if (name, 6) not in EVERY_DAY]


@pytest.mark.parametrize(("name", "count"), [*EVERY_DAY, *THOROUGH])
def test_theta_zero_is_as_good_as_elkan_and_matches_less(name, count):
    inertia, matchings = np.zeros((2, count)), np.zeros((2, count))
    for seed in range(count):
        graphs = COLLECTIONS[name](seed)
        for row, algorithm in enumerate((gvr, elkan)):
            one, result, labels = run(algorithm, graphs, 8, seed)
            inertia[row, seed] = result.inertia
            matchings[row, seed] = spent(one, 8, len(labels), algorithm.__name__)
    assert inertia[0].mean() <= 1.01 * inertia[1].mean()
    assert matchings[0].sum() < matchings[1].sum()


def test_fewer_matchings_than_elkan_and_fewer_still_with_theta():
    graphs, _ = gm.datasets.make_letters(300, random_state=2)
    found = {"elkan": run(elkan, graphs, 15, 0)}
    found |= {theta: run(gvr, graphs, 15, 0, theta=theta) for theta in (0.0, 0.5)}
    each = {what: one.matchings[ALGORITHM] / len(labels) for what, (one, _, labels) in found.items()}
    assert each[0.5] < each[0.0] < each["elkan"]
    assert found[0.0][1].inertia == pytest.approx(found["elkan"][1].inertia, rel=1e-9)
    assert found[0.5][1].inertia < 1.05 * found["elkan"][1].inertia
    evaluations = [one.matchings[EVALUATION] for one, *_ in found.values()]
    assert evaluations[1:] == [300, 300]  # of what is returned, and of nothing on the way


def test_one_cluster():
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    settings = {"init": "random", "n_init": 1, "matcher": "exact", "random_state": 0}
    ours = gm.GraphKMeans(1, algorithm="gvr", **settings).fit(graphs, sample_weight=np.arange(30) % 3)
    theirs = gm.GraphKMeans(1, algorithm="elkan", **settings).fit(graphs, sample_weight=np.arange(30) % 3)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


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
        ({"algorithm": "gvr", "mean": "lifted"}, "incremental"),
        ({"algorithm": "interval", "mean": "set"}, "lifted"),
    ],
)
def test_options_that_mean_nothing_are_refused(settings, word):
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    with pytest.raises(gm.GraphError, match=word):
        gm.GraphKMeans(3, **settings).fit(graphs)
