"""`GraphIndex` as a user of scikit-learn's NearestNeighbors would use it, against all distances."""

from __future__ import annotations

import contextlib

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors

import graphmeans as gm
from strategies import Kind, random_collection

KINDS = {
    "plain": Kind(1, 1),
    "vectors": Kind(2, 2),
    "directed": Kind(1, 1, directed=True),
    "roles": Kind(1, 1, roles=("a", "b")),
}


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(160, random_state=3)[0]


@pytest.fixture(scope="module")
def index(letters):
    return gm.GraphIndex(n_jobs=1).fit(letters[:140])


def distances_of(index, queries, others):
    points = [index.space_.weighted(index.encoder_.encode(some)) for some in (queries, others)]
    return index.space_.distances(*points)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_neighbors_after_add_and_remove_are_those_of_all_distances(kind, seed):
    graphs = random_collection(seed, KINDS[kind], 46, max_nodes=5, min_nodes=0)
    graphs += graphs[:4]
    index = gm.GraphIndex(4, order=5 if kind != "roles" else {"a": 5, "b": 5}, matcher="exact", n_jobs=1).fit(graphs[:30])
    assert index.add(graphs[30:40]).tolist() == list(range(30, 40))
    index.remove([0, 7, 35])
    assert index.add(graphs[46:]).tolist() == [40, 41, 42, 43]
    held = {n: graphs[n] for n in range(40) if n not in (0, 7, 35)} | {40 + i: graphs[46 + i] for i in range(4)}
    assert index.indices_.tolist() == list(held)
    assert index.n_samples_fit_ == len(held)
    queries = graphs[40:46]
    truth = distances_of(index, queries, list(held.values()))
    distances, numbers, certified = index.kneighbors(queries, return_certified=True)
    assert certified.all()
    np.testing.assert_allclose(distances, np.sort(truth, axis=1)[:, :4], atol=1e-9)
    for q in range(len(queries)):
        for d, n in zip(distances[q], numbers[q], strict=True):
            assert truth[q, list(held).index(n)] == pytest.approx(d, abs=1e-9)
    radius = float(np.quantile(truth, 0.1))
    found, within, complete = index.radius_neighbors(queries, radius, sort_results=True, return_certified=True)
    assert complete.all()
    for q in range(len(queries)):
        np.testing.assert_allclose(found[q], np.sort(truth[q][truth[q] <= radius * (1 + 1e-12)]), atol=1e-9)
        assert set(within[q].tolist()) <= set(held)


def test_rows_of_an_array_are_found_as_scikit_learn_finds_them():
    random = np.random.RandomState(0)
    rows, queries = random.randn(300, 5), random.randn(20, 5)
    ours, theirs = gm.GraphIndex(7).fit(rows), NearestNeighbors(n_neighbors=7, radius=1.5).fit(rows)
    for a, b in zip(ours.kneighbors(queries), theirs.kneighbors(queries), strict=True):
        np.testing.assert_allclose(a, b)
    for a, b in zip(ours.kneighbors(), theirs.kneighbors(), strict=True):
        np.testing.assert_allclose(a, b)
    (d, i), (d2, i2) = ours.radius_neighbors(queries, 1.5), theirs.radius_neighbors(queries, sort_results=True)
    for q in range(20):
        np.testing.assert_array_equal(i[q], np.sort(i2[q]))
        np.testing.assert_allclose(np.sort(d[q]), d2[q])
    a, b = ours.kneighbors_graph(queries, mode="distance"), theirs.kneighbors_graph(queries, mode="distance")
    np.testing.assert_allclose(a.toarray(), b.toarray())
    a, b = ours.radius_neighbors_graph(radius=1.5), theirs.radius_neighbors_graph()
    np.testing.assert_array_equal(a.toarray(), b.toarray())


def test_what_is_returned(index, letters):
    numbers = index.kneighbors(letters[140:143], 2, return_distance=False)
    assert numbers.dtype == np.int64
    assert numbers.shape == (3, 2)
    distances, same = index.kneighbors(letters[140:143], 2)
    np.testing.assert_array_equal(numbers, same)
    assert index.kneighbors(letters[140])[0].shape == (1, 5)  # one graph is a collection of one
    near = index.radius_neighbors(letters[140:143], float(distances[0, 1]), return_distance=False)
    assert near.dtype == object
    assert set(numbers[0].tolist()) <= set(near[0].tolist())
    own = index.kneighbors(n_neighbors=1, return_distance=False)
    assert (own[:, 0] != np.arange(140)).all()


def test_nearly_nothing_is_matched(letters):
    index = gm.GraphIndex(3, n_jobs=1).fit(letters[:140])
    index.kneighbors(letters[140:])
    assert index.n_compared_["heads"] == 20 * 140
    assert 60 <= index.n_compared_["matchings"] < 0.25 * 20 * 140


def test_threads_make_no_difference(letters):
    one, two = (gm.GraphIndex(n_jobs=n).fit(letters[:140]).kneighbors(letters[140:]) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_query_has_alignments_and_a_picture(index, letters):
    answer = index.query(letters[5], n_neighbors=3)
    assert answer[0].index == 5
    assert answer[0].distance == pytest.approx(0, abs=1e-9)
    assert answer[0].name == letters[5].name
    assert answer[0].certified
    assert set(answer[0].match.mapping) == set(letters[5].node_ids)
    for neighbor in answer:
        assert neighbor.match.upper == pytest.approx(neighbor.distance)
        assert gm.distance(neighbor.graph, letters[neighbor.index]) == pytest.approx(0, abs=1e-9)
    assert "proven" in repr(answer)
    page = answer._repr_html_()
    assert page.count("<svg") >= 4


def test_other_kinds_of_objects_and_large_queries():
    graphs = [nx.path_graph(n) for n in (2, 3, 4, 3, 5)]
    index = gm.GraphIndex(1).fit(graphs)
    distances, numbers = index.kneighbors([nx.path_graph(4), nx.path_graph(8)])
    assert numbers[0, 0] == 2
    assert distances[0, 0] == 0
    assert numbers[1, 0] == 4  # it is compared at its own order
    assert distances[1, 0] == pytest.approx(gm.distance(nx.path_graph(8), nx.path_graph(5)))
    assert index.query(nx.path_graph(8))[0].distance == pytest.approx(float(distances[1, 0]))
    with pytest.raises(gm.GraphError, match="has 8 nodes, more than the graphs that this index was made for"):
        index.add([nx.path_graph(3), nx.path_graph(8)])


def test_it_is_an_estimator(index):
    same = clone(index)
    assert same.get_params()["n_neighbors"] == 5
    with pytest.raises(NotFittedError):
        same.kneighbors()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda i: gm.GraphIndex(0).fit([gm.Graph([[1.0]])]), "n_neighbors must be a whole number of at least 1, got 0"),
        (lambda i: gm.GraphIndex(radius=-1).fit([gm.Graph([[1.0]])]), "radius must be a number of at least 0, got -1"),
        (lambda i: i.kneighbors(n_neighbors=140), "n_neighbors must be at most the number of graphs, 139, got 140"),
        (lambda i: i.kneighbors(n_neighbors=True), "n_neighbors must be a whole number"),
        (lambda i: i.radius_neighbors(radius=float("nan")), "radius must be a number of at least 0, got nan"),
        (lambda i: i.kneighbors_graph(mode="x"), "mode must be 'connectivity' or 'distance', got 'x'"),
        (lambda i: i.remove([3, 999]), "there is no graph number 999 in the index"),
        (lambda i: i.graphs([-1]), "there is no graph number -1 in the index"),
        (lambda i: gm.GraphIndex().fit([]), "empty"),
    ],
)
def test_mistakes_are_said_in_one_line(index, call, said):
    with pytest.raises(gm.GraphError, match=said):
        call(index)


def test_dbscan_on_neighbors_is_dbscan_on_all_distances(letters):
    index = gm.GraphIndex(n_jobs=1).fit(letters)
    near = index.radius_neighbors_graph(radius=1.2, mode="distance")
    near.setdiag(0)
    sparse = DBSCAN(eps=1.2, min_samples=4, metric="precomputed").fit(near)
    dense = DBSCAN(eps=1.2, min_samples=4, metric="precomputed").fit(distances_of(index, letters, letters))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    assert len(set(sparse.labels_)) > 3


def test_near_duplicates(letters):
    random = np.random.RandomState(0)
    order = random.permutation(letters[3].n_nodes)
    back = np.argsort(order)
    turned = gm.Graph({key: value[order] for key, value in letters[3].nodes.items()}, back[np.asarray(letters[3].edges)])
    groups = gm.near_duplicates([*letters[:20], letters[7], turned, letters[7]], radius=1e-9)
    assert [group.tolist() for group in groups] == [[3, 21], [7, 20, 22]]
    assert gm.near_duplicates(letters[:20]) == []


@pytest.mark.parametrize("apart", [False, True])
def test_pairwise_distances_up_to_a_cutoff(letters, apart):
    few, others = letters[:40], letters[40:90] if apart else None
    dense = gm.pairwise_distances(few, others)
    sparse = gm.pairwise_distances(few, others, cutoff=1.0)
    within = dense <= 1.0
    if not apart:
        np.fill_diagonal(within, False)
    assert sparse.shape == dense.shape
    assert sparse.nnz == within.sum() > 20
    np.testing.assert_allclose(sparse.toarray()[within], dense[within], atol=1e-9)
    with pytest.raises(gm.GraphError, match="cutoff must be a number of at least 0, got -1"):
        gm.pairwise_distances(few, cutoff=-1)


# -- files -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(index, tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "letters.gmi"
    index.save(path)
    return path


def test_a_loaded_index_finds_the_same(index, letters, saved):
    same = gm.load(saved)
    for a, b in zip(index.kneighbors(letters[140:]), same.kneighbors(letters[140:]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert list(same.names_) == [graph.name for graph in letters[:140]]
    assert same.query(letters[0], 1)[0].name == letters[0].name
    assert same.add(letters[140:142]).tolist() == [140, 141]
    same.remove([0])
    assert same.kneighbors(letters[141:142], 1, return_distance=False).tolist() == [[141]]


def test_large_arrays_stay_in_the_file(index, letters, tmp_path, monkeypatch):
    monkeypatch.setattr("graphmeans.array_file.SMALL", 100)
    index.save(tmp_path / "letters.gmi")
    same = gm.load(tmp_path / "letters.gmi")
    assert not same._points_in.sketches.values.flags.writeable
    assert same._points_in.sketches.values.flags.aligned
    assert isinstance(same._points_in.batch.nodes.base, np.memmap)
    fresh = gm.GraphIndex(n_jobs=1).fit(letters[:140])
    for a, b in zip(fresh.kneighbors(), same.kneighbors(), strict=True):
        np.testing.assert_array_equal(a, b)
    same.save(tmp_path / "again.gmi")
    assert (tmp_path / "again.gmi").read_bytes() == (tmp_path / "letters.gmi").read_bytes()


@pytest.mark.parametrize("mapped", [True, False])
def test_damage_is_found(saved, tmp_path, monkeypatch, mapped):
    monkeypatch.setattr("graphmeans.array_file.SMALL", 100 if mapped else 1 << 40)
    whole = saved.read_bytes()
    random = np.random.RandomState(0)
    path = tmp_path / "damaged.gmi"
    refused = []
    for at in random.randint(len(whole), size=60).tolist():
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with contextlib.suppress(gm.GraphError):
            gm.load(path)
            continue
        refused.append(at)
    assert len(refused) > 50  # the others are dates and filling of the zip
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(gm.GraphError):
        gm.load(path)


def test_sketches_of_other_graphs_are_refused(letters, tmp_path):
    index = gm.GraphIndex(n_jobs=1).fit(letters[:40])
    index._points_in.sketches.values[:] *= 2.0
    index.save(tmp_path / "wrong.gmi")
    with pytest.raises(gm.GraphError, match="its sketches are not those of its graphs, or those of another release"):
        gm.load(tmp_path / "wrong.gmi")


def test_a_collection_on_disk(letters, tmp_path):
    pytest.importorskip("pyarrow")
    gm.io.write_parquet(letters[:140], tmp_path / "letters.parquet")
    collection = gm.open_collection(tmp_path / "letters.parquet")
    index = gm.GraphIndex(n_jobs=1).fit(collection)
    listed = gm.GraphIndex(n_jobs=1).fit(letters[:140])
    for a, b in zip(index.kneighbors(letters[140:]), listed.kneighbors(letters[140:]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    assert list(index.names_) == list(listed.names_)
    numbers = index.kneighbors(collection, 1, return_distance=False)
    assert (numbers[:, 0] == np.arange(140)).mean() > 0.9
