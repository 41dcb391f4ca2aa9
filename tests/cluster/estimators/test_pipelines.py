"""In scikit-learn's pipelines, searches and containers, as any other estimator; distances feed its other algorithms."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

import graphmeans as gm

pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'graphmeans[pandas]'")


@pytest.fixture(scope="module")
def letters():
    graphs, y = gm.datasets.make_letters(400, "low", random_state=0)
    chosen = [i for i in range(400) if y[i] in "AHLWZ"]
    return [graphs[i] for i in chosen], y[chosen]


# -- pipelines and searches ------------------------------------------------------------------------


def test_distances_to_mean_graphs_are_features(letters):
    graphs, y = letters
    pipeline = Pipeline([("means", gm.GraphKMeans(8, n_init=1, random_state=0)), ("classify", LogisticRegression(max_iter=500))])
    assert cross_val_score(pipeline, graphs, y, cv=3).mean() > 0.9
    guessed = cross_val_predict(clone(pipeline), graphs, y, cv=3)
    assert (guessed == y).mean() > 0.9
    pipeline.fit(graphs, y)
    assert pipeline[:-1].get_feature_names_out().tolist() == [f"graphkmeans{c}" for c in range(8)]
    assert pipeline.predict(graphs[:3]).shape == (3,)
    both = FeatureUnion([
        ("means", gm.GraphKMeans(3, n_init=1, random_state=0)), ("medoids", gm.GraphKMedoids(2, random_state=0)),
    ])  # fmt: skip
    assert make_pipeline(both, RandomForestClassifier(10, random_state=0)).fit(graphs, y).score(graphs, y) > 0.9


def test_grid_searches_through_a_pipeline_and_into_parts(letters):
    graphs, y = letters
    pipeline = make_pipeline(gm.GraphKMeans(2, n_init=1, random_state=0), KNeighborsClassifier(3))
    grid = {"graphkmeans__n_clusters": [1, 6], "graphkmeans__edge_weight": [0.5, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(graphs, y)
    assert search.best_params_["graphkmeans__n_clusters"] == 6
    assert search.score(graphs, y) > 0.9
    km = gm.GraphKMeans(4, matcher=gm.Exact(), encoder=gm.GraphEncoder(), n_init=1, random_state=0)
    parts = {"matcher__max_tree_nodes": [50, None], "encoder__presence": [0.0, 0.5]}
    assert set(GridSearchCV(km, parts, cv=2).fit(graphs).best_params_) == set(parts)


def test_a_search_on_several_processes_gives_the_same(letters):
    graphs, y = letters
    search = GridSearchCV(gm.GraphNearestCentroid(random_state=0, n_jobs=1), {"edge_weight": [0.5, 2.0]}, cv=2)
    one = clone(search).fit(graphs[:60], y[:60])
    two = clone(search).set_params(n_jobs=2).fit(graphs[:60], y[:60])
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_fitted_in_other_processes_and_carried_back(letters):
    graphs, _ = letters
    km = gm.GraphKMeans(5, n_init=1, random_state=0, n_jobs=1)
    fits = joblib.Parallel(n_jobs=2)(joblib.delayed(clone(km).fit)(graphs[:50]) for _ in range(2))
    here = clone(km).fit(graphs[:50])
    for fit in fits:
        np.testing.assert_array_equal(fit.labels_, here.labels_)
        np.testing.assert_array_equal(fit.transform(graphs), here.transform(graphs))


def test_weights_go_through_a_pipeline(letters):
    graphs, _ = letters
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(graphs))
    pipeline = make_pipeline(gm.GraphKMeans(5, n_init=1, random_state=0))
    pipeline.fit(graphs, graphkmeans__sample_weight=weights)
    alone = gm.GraphKMeans(5, n_init=1, random_state=0).fit(graphs, sample_weight=weights)
    assert pipeline[-1].inertia_ == alone.inertia_
    assert alone.inertia_ == pytest.approx(float(weights @ alone.distances_**2))
    assert alone.score(graphs, sample_weight=weights) == pytest.approx(-alone.inertia_)


# -- pandas ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [
    gm.GraphKMeans(4, n_init=1, random_state=0), gm.GraphKMedoids(4, random_state=0), gm.GraphNearestCentroid(random_state=0),
])  # fmt: skip
def test_set_output_gives_tables(letters, estimator):
    graphs, y = letters
    model = clone(estimator).set_output(transform="pandas").fit(graphs, y)
    table = model.transform(graphs)
    assert isinstance(table, pandas.DataFrame)
    assert table.columns.tolist() == model.get_feature_names_out().tolist()
    np.testing.assert_array_equal(table.to_numpy(), clone(estimator).fit(graphs, y).transform(graphs))
    assert isinstance(clone(estimator).set_output(transform="pandas").fit_transform(graphs, y), pandas.DataFrame)


def test_a_series_of_graphs_is_a_collection(letters):
    graphs, _ = letters
    series = pandas.Series(graphs, index=range(100, 100 + len(graphs)))
    km = gm.GraphKMeans(4, n_init=1, random_state=0)
    np.testing.assert_array_equal(clone(km).fit(series).labels_, clone(km).fit(graphs).labels_)
    rows = pandas.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"], index=range(5, 25))
    table = clone(km).set_output(transform="pandas").fit(rows).transform(rows)
    assert table.index.tolist() == rows.index.tolist()


def test_a_table_setting_survives_saving_only_in_pickle(letters, tmp_path):
    graphs, _ = letters
    km = gm.GraphKMeans(3, n_init=1, random_state=0).set_output(transform="pandas").fit(graphs)
    km.save(tmp_path / "model.gmz")
    assert isinstance(gm.load(tmp_path / "model.gmz").transform(graphs), np.ndarray)
    joblib.dump(km, tmp_path / "model.joblib")
    assert isinstance(joblib.load(tmp_path / "model.joblib").transform(graphs), pandas.DataFrame)


# -- distances for other algorithms ----------------------------------------------------------------


def test_distances_feed_scikit_learn(letters):
    graphs, y = letters
    distances = gm.pairwise_distances(graphs)
    for model in (DBSCAN(eps=1.6, min_samples=4, metric="precomputed"), HDBSCAN(metric="precomputed", copy=True)):
        labels = model.fit_predict(distances)
        grouped = labels >= 0
        assert grouped.mean() > 0.5
        assert adjusted_rand_score(y[grouped], labels[grouped]) > 0.9
    linked = AgglomerativeClustering(5, metric="precomputed", linkage="average").fit_predict(distances)
    assert adjusted_rand_score(y, linked) > 0.6
    knn = KNeighborsClassifier(3, metric="precomputed").fit(distances[:80, :80], y[:80])
    assert knn.score(distances[80:, :80], y[80:]) > 0.9
    places = TSNE(metric="precomputed", init="random", perplexity=10, random_state=0).fit_transform(distances)
    assert places.shape == (len(graphs), 2)
