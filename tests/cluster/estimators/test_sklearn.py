"""scikit-learn's rules for an estimator hold."""

from __future__ import annotations

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphmeans as gm
from strategies import Kind, random_collection

# What scikit-learn's own KMeans is excused from (its random start does not see weights as copies), and nothing else.
EXCUSED = {
    "check_sample_weight_equivalence_on_dense_data": "as for sklearn.cluster.KMeans",
    "check_sample_weight_equivalence_on_sparse_data": "as for sklearn.cluster.KMeans",
}


@parametrize_with_checks(
    [gm.GraphKMeans(), gm.GraphKMeans(algorithm="lloyd")], expected_failed_checks=lambda estimator: EXCUSED
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def graphs():
    return random_collection(0, Kind(1, 1), 12, max_nodes=3, classes=3, noise=0.3)


def test_clone_and_set_params_with_graphs_as_init():
    start = graphs()[:3]
    km = gm.GraphKMeans(3, init=start, matcher=gm.Exact(max_tree_nodes=100), random_state=0)
    twin = clone(km)
    assert twin.init == start
    assert twin.matcher is not km.matcher
    assert twin.get_params()["matcher__max_tree_nodes"] == 100
    np.testing.assert_array_equal(twin.fit(graphs()).labels_, km.fit(graphs()).labels_)
    other = graphs()[3:6]
    twin.set_params(init=other, matcher__max_tree_nodes=7)
    assert twin.init is other
    assert twin.matcher.max_tree_nodes == 7
    assert km.matcher.max_tree_nodes == 100


def test_nothing_happens_in_the_constructor():
    nonsense = gm.GraphKMeans(-3, algorithm="?", init=object, matcher="?", n_init="?")
    assert nonsense.get_params()["algorithm"] == "?"
    assert repr(nonsense)


@pytest.mark.parametrize("algorithm", ["elkan", "lloyd"])
def test_pickle_and_deepcopy(algorithm):
    km = gm.GraphKMeans(3, algorithm=algorithm, random_state=0).fit(graphs())
    for twin in (pickle.loads(pickle.dumps(km)), copy.deepcopy(km)):
        np.testing.assert_array_equal(twin.labels_, km.labels_)
        np.testing.assert_array_equal(twin.predict(graphs()), km.predict(graphs()))
        np.testing.assert_array_equal(twin.transform(graphs()), km.transform(graphs()))
        assert twin.centroids() == km.centroids()


def test_not_fitted():
    for method in ("predict", "transform", "score"):
        with pytest.raises(NotFittedError):
            getattr(gm.GraphKMeans(2), method)(graphs())
    with pytest.raises(NotFittedError):
        gm.GraphKMeans(2).centroids()


def test_fit_predict_and_fit_transform_agree_with_fit():
    km = gm.GraphKMeans(3, matcher="exact", random_state=0)
    labels = km.fit_predict(graphs())
    np.testing.assert_array_equal(labels, km.labels_)
    np.testing.assert_array_equal(km.predict(graphs()), km.labels_)
    np.testing.assert_allclose(clone(km).fit_transform(graphs()), km.transform(graphs()))


def test_in_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(gm.GraphKMeans(3, random_state=0))
    assert pipeline.fit_predict(graphs()).shape == (12,)
    search = GridSearchCV(gm.GraphKMeans(random_state=0), {"n_clusters": [1, 3]}, cv=2).fit(graphs())
    assert search.best_params_ == {"n_clusters": 3}


def nx_graphs():
    result = []
    for g in graphs():
        h = nx.Graph()
        for i, v in enumerate(g.nodes[""]):
            h.add_node(f"n{i}", x=float(v[0]), kind="up" if v[0] > 0 else "down")
        for (i, j), w in zip(g.edges, g.edge_attributes[""], strict=True):
            h.add_edge(f"n{i}", f"n{j}", w=float(w[0]))
        result.append(h)
    return result


def test_the_route_does_not_matter():
    direct = gm.GraphKMeans(3, random_state=0).fit(nx_graphs())
    converted = gm.GraphKMeans(3, random_state=0).fit(gm.from_networkx(nx_graphs()))
    np.testing.assert_array_equal(direct.labels_, converted.labels_)
    assert direct.inertia_ == converted.inertia_
    for c in range(3):
        assert direct.cluster_centers_[c] == converted.cluster_centers_[c]
    np.testing.assert_array_equal(direct.predict(nx_graphs()), converted.predict(nx_graphs()))
    start = gm.GraphKMeans(3, init=nx_graphs()[:3], random_state=0).fit(nx_graphs())
    other = gm.GraphKMeans(3, init=gm.from_networkx(nx_graphs()[:3]), random_state=0).fit(gm.from_networkx(nx_graphs()))
    np.testing.assert_array_equal(start.labels_, other.labels_)


def test_centroids_come_in_the_callers_kind_of_object():
    for centroid in gm.GraphKMeans(3, random_state=0).fit(nx_graphs()).centroids():
        assert isinstance(centroid, nx.Graph)
        assert all({"x", "kind", "support"} <= data.keys() for _, data in centroid.nodes(data=True))
    for centroid in gm.GraphKMeans(3, random_state=0).fit(gm.from_networkx(nx_graphs())).centroids():
        assert isinstance(centroid, gm.MeanGraph)


def test_tuples_and_object_arrays_are_collections():
    expected = gm.GraphKMeans(3, random_state=0).fit(graphs()).labels_
    np.testing.assert_array_equal(gm.GraphKMeans(3, random_state=0).fit(tuple(graphs())).labels_, expected)
    array = np.empty(12, dtype=object)
    array[:] = graphs()
    np.testing.assert_array_equal(gm.GraphKMeans(3, random_state=0).fit(array).labels_, expected)
