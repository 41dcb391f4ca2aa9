"""Choosing the number of clusters."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphmeans as gm
from effort import thorough
from graphmeans.evaluation.choosing import Tried, _choice, _recommended, bends


@pytest.fixture(scope="module")
def letters():
    graphs, y = gm.datasets.make_letters(400, "low", random_state=0)
    return [graph for graph, letter in zip(graphs, y, strict=True) if letter in "LTWZ"]


def test_four_letters_are_four_clusters(letters):
    seen = []
    choice = gm.evaluation.choose_k(letters, range(2, 9), n_seeds=2, random_state=0, on_tried=seen.append)
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


@pytest.mark.parametrize("options", [{"n_init": 1}, thorough({})])
def test_by_default_numbers_around_the_best_are_tried(letters, options):
    choice = gm.evaluation.choose_k(letters[:40], n_seeds=2, random_state=0, **options)
    ks = [row.n_clusters for row in choice.tried]
    assert {2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30} <= set(ks)
    assert choice.recommended == 4


def test_the_figures_are_those_of_the_best_run(letters):
    some = letters[:30]
    choice = gm.evaluation.choose_k(some, [3], n_seeds=2, random_state=5, algorithm="lloyd", matcher="exact")
    random = np.random.RandomState(5)
    seeds = random.randint(np.iinfo(np.int32).max, size=2).tolist()
    options = {"algorithm": "lloyd", "matcher": "exact"}
    runs = [gm.GraphKMeans(3, random_state=seed, **options).fit(some) for seed in seeds]
    best = min(runs, key=lambda run: run.inertia_)
    row = choice.tried[0]
    assert row.inertia == best.inertia_
    table = gm.pairwise_distances(some, matcher="exact")
    assert row.silhouette == pytest.approx(gm.evaluation.silhouette(table, best.labels_))  # one meaning everywhere
    assert row.smallest == np.bincount(best.labels_).min()
    assert choice.elbow is None


def test_vectors():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(40, 2)) + center for center in ([0, 0], [12, 0], [0, 12])])
    assert gm.evaluation.choose_k(rows, range(2, 7), sample_size=60, random_state=0).recommended == 3


def tried(k, silhouette, stability=0.9, inertia=1.0):
    return Tried(k, inertia, silhouette, stability, 1)


def test_the_rule():
    assert _recommended([tried(2, 0.3), tried(3, 0.5), tried(4, 0.3)]) == 3
    assert _recommended([tried(2, 0.3), tried(3, 0.47), tried(4, 0.5)]) == 3  # nearly as wide, no bend, and fewer
    assert _recommended([tried(2, 0.4), tried(3, 0.6, stability=0.3)]) == 2  # starts do not agree
    assert _recommended([tried(2, -0.1), tried(3, -0.2)]) == 2
    faint = _choice([tried(2, 0.05), tried(3, 0.04)], [], 10)
    assert not faint.clear
    assert "hardly any groups" in faint.reason
    assert "bends nowhere" in faint.reason


def test_between_silhouettes_of_nearly_one_width_the_objective_decides():
    rows = [tried(k, s, inertia=w) for k, s, w in ((4, 0.30, 90), (5, 0.46, 60), (6, 0.48, 40), (7, 0.49, 38), (8, 0.5, 36.5))]
    choice = _choice(rows, [], 10)
    assert choice.recommended == choice.elbow == 6
    assert "bends most sharply there" in choice.reason
    # A sharper bend between poor silhouettes does not count, but is told.
    sharper = [tried(2, 0.1, inertia=1000), tried(3, 0.2, inertia=100), *rows]
    assert _choice(sharper, [], 10).recommended == 6
    assert _choice(sharper, [], 10).elbow == 3
    assert "still more so at 3" in _choice(sharper, [], 10).reason
    # Nothing is known of the ends but for the numbers outside.
    assert _choice(rows[:3], [], 10).recommended == 5
    assert _choice(rows[:3], [tried(7, 0.49, inertia=38)], 10).recommended == 6
    assert "largest number tried" in _choice(rows[:3], [tried(7, 0.49, inertia=38)], 10).reason


def test_bends():
    assert list(bends([2, 3, 4, 5, 6], [100, 60, 20, 18, 16])) == [4]
    assert bends([2, 3], [10, 1]) == {}
    assert bends([2, 3, 4], [10, 10, 10]) == {}
    power = [k**-0.5 for k in (1, 2, 5, 6, 20, 30)]
    assert all(by < 1.001 for by in bends([1, 2, 5, 6, 20, 30], power).values())  # however the numbers are spaced
    poor = [100, 60, 20, 30, 16]  # the runs for 5 ended in poor optima: 4 is the bend, and 5 is none
    assert list(bends([2, 3, 4, 5, 6], poor)) == [4]
    assert bends([1, 2, 3, 4], [5.0, 1.0, 0.0, 0.0])[3] == np.inf  # three different graphs


@pytest.mark.parametrize(("k", "seed"), [(3, 0), thorough(8, 2)])
def test_as_many_blobs_as_there_are(k, seed):
    rng = np.random.default_rng(seed)
    centers = 5 * rng.permutation(np.stack(np.meshgrid(range(3), range(3)), -1).reshape(-1, 2))[:k]
    rows = np.concatenate([center + rng.normal(size=(30, 2)) for center in centers])
    assert gm.evaluation.choose_k(rows, range(k - 1, k + 3), n_seeds=2, random_state=0).recommended == k


def test_as_many_trees_and_sequences_as_there_are():
    rng = np.random.default_rng(0)
    words = ["abc", "cde", "aeiou", "bb"]
    noisy = [[ch if rng.random() > 0.03 else "z" for ch in words[i % 4]] for i in range(80)]
    assert gm.evaluation.choose_k(gm.structures.sequences(noisy), range(2, 7), n_seeds=2, random_state=0).recommended == 4
    shapes = [[0, 0], [0, 1], [0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0]]  # parents of nodes 1, 2, ...

    typical = [rng.normal(size=len(parents) + 1) * 2 for parents in shapes]

    def grown(s):
        parents, heights = shapes[s], typical[s] + rng.normal(size=len(typical[s])) * 0.2

        def at(i):
            return {"height": heights[i], "children": [at(j + 1) for j, parent in enumerate(parents) if parent == i]}

        return at(0)

    trees = gm.structures.trees([grown(i % 5) for i in range(100)], depth="role")
    assert gm.evaluation.choose_k(trees, range(3, 8), n_seeds=2, random_state=0).recommended == 5


@pytest.mark.thorough
def test_fifteen_letters_are_fifteen_clusters():
    graphs, _ = gm.datasets.make_letters(450, "low", random_state=0)
    choice = gm.evaluation.choose_k(graphs, range(14, 17), random_state=0)
    assert choice.recommended == 15
    assert choice.clear
    assert "no number stands out" not in choice.reason


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


def test_a_sample_is_clustered_and_what_is_told_is_extrapolated():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(100, 2)) + center for center in ([0, 0], [20, 0], [0, 20])])
    choice = gm.evaluation.choose_k(rows, [2, 3, 4], fit_size=10, random_state=0)
    assert choice.n_fitted == 100  # 20 graphs for each of the 5 clusters that are tried
    assert choice.recommended == 3
    whole = gm.evaluation.choose_k(rows, [2, 3, 4], fit_size=None, random_state=0)
    assert whole.n_fitted == 300
    for few, all_ in zip(choice.tried, whole.tried, strict=True):
        assert few.inertia == pytest.approx(all_.inertia, rel=0.3)
    with pytest.raises(gm.GraphError, match="fit_size must be at least 10, got 3"):
        gm.evaluation.choose_k(rows, [2], fit_size=3)
