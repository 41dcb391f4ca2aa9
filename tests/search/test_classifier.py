"""Classification by the nearest graphs: as scikit-learn's on vectors, and by brute force on graphs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphmeans as gm


@parametrize_with_checks([gm.GraphKNeighborsClassifier(n_neighbors=2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(90, "medium", random_state=0)


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda distances: np.exp(-distances)])
def test_vectors_are_classified_as_by_scikit_learn(weights):
    rng = np.random.default_rng(0)
    rows, y, new = rng.normal(size=(60, 3)), np.repeat(["b", "a", "c"], 20), rng.normal(size=(80, 3))
    new[:5] = rows[:5]
    ours = gm.GraphKNeighborsClassifier(4, weights=weights).fit(rows, y)
    theirs = KNeighborsClassifier(4, weights=weights).fit(rows, y)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    assert ours.score(new, ours.predict(new)) == 1.0


def test_graphs_are_classified_by_the_nearest_of_all(letters):
    graphs, y = letters
    clf = gm.GraphKNeighborsClassifier(3, matcher="exact").fit(graphs[:60], y[:60])
    everything = gm.pairwise_distances(graphs[60:], graphs[:60], matcher="exact", encoder=clf.index_.encoder_,
                                       order=int(clf.index_.space_.order[0]))  # fmt: skip
    nearest = np.sort(everything, axis=1)[:, :3]
    distances, numbers = clf.kneighbors(graphs[60:])
    np.testing.assert_allclose(distances, nearest)
    for q, row in enumerate(numbers):
        votes = Counter(y[row])
        assert clf.predict(graphs[60 + q])[0] == min(votes, key=lambda one: (-votes[one], one))
    np.testing.assert_allclose(clf.predict_proba(graphs[60:]).sum(axis=1), 1.0)
    assert (clf.kneighbors()[1] != np.arange(60)[:, None]).all()


def test_it_is_saved_and_loaded(letters, tmp_path):
    graphs, y = letters
    clf = gm.GraphKNeighborsClassifier(3, weights="distance").fit(graphs[:60], y[:60])
    clf.save(tmp_path / "letters.gmi")
    same = gm.load(tmp_path / "letters.gmi")
    np.testing.assert_array_equal(same.predict_proba(graphs[60:]), clf.predict_proba(graphs[60:]))
    assert same.get_params() == clf.get_params()
    assert same.classes_.tolist() == clf.classes_.tolist()
    own = gm.GraphKNeighborsClassifier(3, weights=np.ones_like).fit(graphs[:60], y[:60])
    with pytest.warns(UserWarning, match="weights cannot be written"):
        own.save(tmp_path / "own.gmi")
    assert gm.load(tmp_path / "own.gmi").weights == "uniform"


def test_it_is_searched_over_and_cloned(letters):
    graphs, y = letters
    merged = np.isin(y, list("AEFHI"))
    search = GridSearchCV(gm.GraphKNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=2).fit(graphs[:40], merged[:40])
    assert search.best_params_["n_neighbors"] in (1, 5)
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


def test_what_cannot_be_done_says_so(letters):
    graphs, y = letters
    with pytest.raises(gm.GraphError, match="n_neighbors must be at most the number of graphs, 3"):
        gm.GraphKNeighborsClassifier(5).fit(graphs[:3], y[:3]).predict(graphs[:1])
    with pytest.raises(gm.GraphError, match="y has 3 classes for 4 graphs"):
        gm.GraphKNeighborsClassifier(1).fit(graphs[:4], y[:3])
    with pytest.raises(gm.GraphError, match="weights must give an array"):
        gm.GraphKNeighborsClassifier(2, weights=lambda d: d[0]).fit(graphs[:9], y[:9]).predict(graphs[:2])
