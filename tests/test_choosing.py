"""Choosing the number of clusters."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

import graphmeans as gm
from graphmeans.evaluation.choosing import Tried, _choice, _recommended, elbow_of


@pytest.fixture(scope="module")
def letters():
    graphs, y = gm.datasets.make_letters(400, "low", random_state=0)
    return [graph for graph, letter in zip(graphs, y, strict=True) if letter in "LTWZ"]


def test_four_letters_are_four_clusters(letters):
    seen = []
    choice = gm.evaluation.choose_k(letters, range(2, 9), n_seeds=3, random_state=0, on_tried=seen.append)
    assert choice.recommended == 4
    assert choice.clear
    assert seen == choice.tried
    assert [row.n_clusters for row in choice.tried] == list(range(2, 9))
    assert all(-1 <= row.silhouette <= 1 and row.stability <= 1 for row in choice.tried)
    inertia = [row.inertia for row in choice.tried]
    assert inertia[-1] < inertia[0]
    assert str(choice.recommended) in choice.reason
    table = choice.to_pandas()
    assert list(table.columns) == ["inertia", "silhouette", "stability", "smallest"]
    assert json.loads(json.dumps(choice.as_dict()))["recommended"] == 4


def test_by_default_numbers_around_the_best_are_tried(letters):
    choice = gm.evaluation.choose_k(letters[:40], n_seeds=2, random_state=0)
    ks = [row.n_clusters for row in choice.tried]
    assert {2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30} <= set(ks)
    assert choice.recommended == 4


def test_the_figures_are_those_of_the_best_run(letters):
    some = letters[:30]
    choice = gm.evaluation.choose_k(some, [3], n_seeds=2, random_state=5, algorithm="lloyd", matcher="exact")
    random = np.random.RandomState(5)
    seeds = random.randint(np.iinfo(np.int32).max, size=2).tolist()
    options = {"n_init": 1, "algorithm": "lloyd", "matcher": "exact"}
    runs = [gm.GraphKMeans(3, random_state=seed, **options).fit(some) for seed in seeds]
    best = min(runs, key=lambda run: run.inertia_)
    row = choice.tried[0]
    assert row.inertia == best.inertia_
    table = gm.pairwise_distances(some, matcher="exact")
    assert row.silhouette == pytest.approx(silhouette_score(table, best.labels_, metric="precomputed"))
    assert row.smallest == np.bincount(best.labels_).min()
    assert choice.elbow is None


def test_vectors():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(40, 2)) + centre for centre in ([0, 0], [12, 0], [0, 12])])
    assert gm.evaluation.choose_k(rows, range(2, 7), sample_size=60, random_state=0).recommended == 3


def tried(k, silhouette, stability=0.9, inertia=1.0):
    return Tried(k, inertia, silhouette, stability, 1)


def test_the_rule():
    assert _recommended([tried(2, 0.3), tried(3, 0.5), tried(4, 0.48)]) == 3
    assert _recommended([tried(2, 0.3), tried(3, 0.47), tried(4, 0.5)]) == 3  # nearly as wide, and fewer
    assert _recommended([tried(2, 0.885), tried(3, 0.96), tried(4, 0.8)]) == 3  # near 1, that is a difference
    assert _recommended([tried(2, 0.4), tried(3, 0.6, stability=0.3)]) == 2  # starts do not agree
    assert _recommended([tried(2, -0.1), tried(3, -0.2)]) == 2
    faint = _choice([tried(2, 0.05), tried(3, 0.04)], 10)
    assert not faint.clear
    assert "hardly any groups" in faint.reason


def test_the_elbow():
    assert elbow_of([2, 3, 4, 5, 6], [100, 60, 20, 18, 16]) == 4
    assert elbow_of([2, 3], [10, 1]) is None
    assert elbow_of([2, 3, 4], [10, 10, 10]) is None


def test_mistakes(letters):
    for arguments, said in (
        ({"n_clusters": [1, 2]}, "1 clusters cannot be tried"),
        ({"n_clusters": [2, 400]}, "400 clusters cannot be tried"),
        ({"n_clusters": []}, "no number"),
        ({"n_seeds": 1}, "at least 2"),
        ({"sample_size": 2}, "at least 10"),
    ):
        with pytest.raises(gm.GraphError, match=said):
            gm.evaluation.choose_k(letters, **arguments)
    with pytest.raises(gm.GraphError, match="at least 3 graphs"):
        gm.evaluation.choose_k(letters[:2])
    with pytest.raises(TypeError):
        gm.evaluation.choose_k(letters, colour="red")
