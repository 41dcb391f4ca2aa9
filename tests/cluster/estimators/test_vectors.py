"""A 2-D array is a list of one-node graphs, and everything is what scikit-learn's KMeans makes of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import graphmeans as gm
from effort import examples
from graphmeans.io import write_parquet

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


def connectomes(rng, count=24, n=6, directed=False, share=1.0):
    """Networks of two planted groups on the same regions, some of whose connections are missing."""
    planted = rng.normal(size=(2, n, n))
    seen = planted[rng.integers(2, size=count)] + 0.4 * rng.normal(size=(count, n, n))
    seen *= (rng.uniform(size=seen.shape) < share) * (1 - np.eye(n))
    return seen if directed else np.triu(seen, 1) + np.triu(seen, 1).transpose(0, 2, 1)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("algorithm", ["interval", "lloyd", "elkan", "gvr"])
def test_labelled_networks_are_the_vectors_of_their_matrices(algorithm, share, directed):
    matrices = connectomes(np.random.default_rng(4), directed=directed, share=share)
    graphs = gm.structures.labelled_networks(list(matrices), directed=directed)
    flat = matrices.reshape(len(matrices), -1)
    theirs = KMeans(3, init=flat[:3], n_init=1, tol=0).fit(flat)
    ours = gm.GraphKMeans(3, algorithm=algorithm, init=graphs[:3]).fit(graphs)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)
    if algorithm == "interval":
        assert ours.certified_.all()
    np.testing.assert_array_equal(ours.predict(graphs), ours.labels_)
    for c, center in enumerate(ours.centroids()):
        members = matrices[ours.labels_ == c]
        # the mean of the metric is what members have on average, times the share that has it
        found = np.zeros(matrices.shape[1:])
        support = np.zeros(matrices.shape[1:])
        values, shares = np.ravel(center.edge_attributes[""]), np.ravel(center.edge_support)
        for (i, j), value, held in zip(center.edges, values, shares, strict=True):
            found[i, j], support[i, j] = value * held, held
            if not directed:
                found[j, i], support[j, i] = found[i, j], held
        np.testing.assert_allclose(found, members.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(support, (members != 0).mean(axis=0), atol=1e-12)


def test_vectors_give_the_same_on_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("graphmeans.cluster.data.dataset.SHARD_SIZE", 64)
    x = make_blobs(400, n_features=2, centers=12, random_state=2)[0]
    one, four = (gm.GraphKMeans(12, random_state=5, n_jobs=jobs).fit(x) for jobs in (1, 4))
    np.testing.assert_array_equal(one.labels_, four.labels_)
    assert one.inertia_ == four.inertia_
    assert one.n_matchings_ == four.n_matchings_
    assert (one.trace_["swap"] == four.trace_["swap"]).all()


@pytest.mark.parametrize("init", ["k-means||", "medoids", "furthest-first", "random"])
def test_every_start_takes_vectors(init):
    x, _y = make_blobs(150, n_features=2, centers=5, cluster_std=0.2, random_state=3)
    found = gm.GraphKMeans(5, init=init, random_state=1).fit(x)
    assert found.inertia_ <= 1.05 * KMeans(5, n_init=10, random_state=0).fit(x).inertia_
    assert found.certified_.all()


@pytest.mark.parametrize("after", [3, 8])
def test_vectors_go_on_from_a_checkpoint(after, tmp_path, monkeypatch):
    from graphmeans.cluster.persistence.checkpoint import CheckpointFile

    monkeypatch.setattr("graphmeans.cluster.data.dataset.SHARD_SIZE", 64)
    x = make_blobs(200, n_features=3, centers=8, cluster_std=2.0, random_state=4)[0]
    whole = gm.GraphKMeans(8, random_state=2).fit(x)
    write, written = CheckpointFile.write, []

    def dying(self, *args, **kwargs):
        write(self, *args, **kwargs)
        written.append(1)
        if len(written) == after:
            raise RuntimeError("killed")

    monkeypatch.setattr(CheckpointFile, "write", dying)
    with pytest.raises(RuntimeError, match="killed"):
        gm.GraphKMeans(8, random_state=2, checkpoint=tmp_path / "c").fit(x)
    resumed = gm.GraphKMeans(8, random_state=2, checkpoint=tmp_path / "c").fit(x)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    assert resumed.inertia_ == whole.inertia_
    assert resumed.n_matchings_ == whole.n_matchings_


def networks(names, count=8, seed=0):
    matrices = np.random.default_rng(seed).random((count, len(names), len(names)))
    matrices[:, range(len(names)), range(len(names))] = 0
    return gm.structures.labelled_networks(matrices + matrices.transpose(0, 2, 1), labels=names)


def test_networks_whose_names_nobody_knows_are_refused(tmp_path):
    graphs = networks(list("abcd"))
    km, index = gm.GraphKMeans(2, random_state=0).fit(graphs), gm.GraphIndex(n_neighbors=2).fit(graphs)
    others = [gm.Graph(0, roles=[], node_ids=[]), *networks(["A", "B", "C", "D"], 2)]
    refused = r"graph 1 has no role in common with the graphs that were fitted: 'A' is not among 'a', 'b', 'c', \.\.\.;"
    for ask in (km.predict, km.transform, km.margins, km.align, km.outlier_scores, index.kneighbors, index.query_all, index.add):
        with pytest.raises(gm.GraphError, match=refused):
            ask(others)
    write_parquet(others, tmp_path / "others.parquet")
    with pytest.raises(gm.GraphError, match=refused):
        km.predict(gm.open_collection(tmp_path / "others.parquet"))


def test_a_network_may_have_some_new_nodes_and_lack_others():
    graphs = networks(list("abcd"))
    km, index = gm.GraphKMeans(2, random_state=0).fit(graphs), gm.GraphIndex(n_neighbors=2).fit(graphs)
    more = [graphs[0], *networks(list("abcdx"), 3), *networks(["x", "a"], 1), gm.Graph(0, roles=[], node_ids=[])]
    assert (km.predict(more)[:1] == km.labels_[:1]).all()
    assert km.align(more)[4].mapping["x"] is None
    assert index.kneighbors(more)[0].shape == (6, 2)
    expected = np.sqrt(km.transform(graphs[:1]) ** 2 + 2 * 3.0**2)
    heavier = gm.Graph(
        5, [*graphs[0].edges, (0, 4)], np.append(graphs[0].edge_attributes[""], 3.0), roles=["a", "b", "c", "d", "x"]
    )
    np.testing.assert_allclose(km.transform([heavier]), expected)


@pytest.mark.parametrize("algorithm", ["interval", *ALGORITHMS, "gvr"])
@pytest.mark.parametrize("init", ["auto", "random"])
@pytest.mark.parametrize("kind", ["rows", "networks", "free graphs"])
def test_copies_share_a_cluster_where_there_are_more_clusters_than_graphs(kind, init, algorithm):
    rng, which = np.random.default_rng(0), np.array([0] * 7 + [1] + [2] * 9)
    if kind == "rows":
        graphs = rng.normal(size=(3, 4))[which]
    elif kind == "networks":
        graphs = [networks(list("abcd"), 3)[i] for i in which]
    else:
        free = [gm.Graph(rng.normal(size=(4, 2)), [(0, 1), (1, 2), (2, 3)]) for _ in range(3)]
        graphs = [free[i] for i in which]
    start = {} if init == "auto" else {"init": init, "n_init": 1}
    for k, seed in ((3, 0), (4, 1), (5, 2), (6, 3), (6, 4)):
        km = gm.GraphKMeans(k, algorithm=algorithm, random_state=seed, **start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            km.fit(graphs)
        assert all(len(set(km.labels_[which == i])) == 1 for i in range(3))
        if algorithm == "interval":
            np.testing.assert_array_equal(km.predict(graphs), km.labels_)
            assert len(set(km.labels_)) == 3
            assert km.certified_.all()
            assert km.inertia_ == pytest.approx(0, abs=1e-25)
            assert [match.upper for match in km.align(graphs)] == pytest.approx(km.distances_.tolist(), abs=1e-12)
