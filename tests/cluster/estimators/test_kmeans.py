"""`GraphKMeans`: what it returns agrees with itself, with the oracle, and with however many threads it ran on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm
import oracle
from effort import examples, thorough
from strategies import Kind, generic_collections, kinds, random_collection, relabelled

ALGORITHMS = ["elkan", "lloyd"]
KINDS = [Kind(2, 1), Kind(0, 2), Kind(1, 1, directed=True), Kind(1, 1, roles=("a", "b"))]


def fit(graphs, k, sample_weight=None, **options):
    defaults = {"matcher": "exact", "n_init": 1, "random_state": 0}
    return gm.GraphKMeans(k, **{**defaults, **options}).fit(graphs, sample_weight=sample_weight)


def centers_of(km):
    return [km.cluster_centers_[c] for c in range(len(km.cluster_centers_))]


def oracle_distances(graphs, centers):
    room = oracle.places([*graphs, *centers])
    dv, de = oracle.widths([*graphs, *centers])
    padded = [oracle.dense(y, room, dv, de)[0] for y in centers]
    return np.array(
        [[oracle.dense_distance(oracle.dense(x, room, dv, de)[0], y, room) for y in padded] for x in graphs]
    )


def is_an_incremental_mean(center, members):
    """Whether some order of the members leads to this center (all orders of up to four members are tried)."""
    room = oracle.places([*members, center])
    dv, de = oracle.widths([*members, center])
    y = oracle.dense(center, room, dv, de)[0]
    sequences = itertools.permutations(range(len(members)))
    means = (oracle.incremental_mean(members, room, s).mean for s in sequences)
    return any(oracle.dense_distance(y, other, room) <= 1e-7 for other in means)


# -- the result agrees with itself -----------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(graphs=generic_collections(min_size=3, max_size=7), k=st.integers(1, 3), seed=st.integers(0, 100))
@examples(40)
def test_labels_inertia_and_centers_agree_with_the_oracle(algorithm, graphs, k, seed):
    km = fit(graphs, k, algorithm=algorithm, random_state=seed)
    d = oracle_distances(graphs, centers_of(km))
    own = d[np.arange(len(graphs)), km.labels_]
    np.testing.assert_allclose(own, d.min(axis=1), atol=1e-9)
    np.testing.assert_allclose(km.distances_, own, atol=1e-9)
    assert km.inertia_ == pytest.approx((own**2).sum(), abs=1e-9)
    np.testing.assert_array_equal(km.predict(graphs), km.labels_)
    np.testing.assert_allclose(km.transform(graphs), d, atol=1e-9)
    assert km.score(graphs) == pytest.approx(-km.inertia_, abs=1e-9)
    assert km.inertia_ == pytest.approx(km.trace_["inertia"].min(), abs=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_centers_are_incremental_means_of_the_members_that_made_them(algorithm):
    checked = 0
    for seed in range(12):
        graphs = random_collection(seed, KINDS[seed % 4], 6, max_nodes=3, classes=2, noise=0.2)
        km = fit(graphs, 2, algorithm=algorithm, random_state=seed)
        if np.bincount(km.labels_, minlength=2).max() > 4 or km.n_iter_ < 2:
            continue
        for c, center in enumerate(centers_of(km)):
            members = [g for g, label in zip(graphs, km.labels_, strict=True) if label == c]
            assert is_an_incremental_mean(center, members)
        checked += 1
    assert checked >= 4


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", KINDS)
def test_clusters_that_are_there_are_found(kind, algorithm):
    graphs = random_collection(2, kind, 30, max_nodes=4, min_nodes=4, classes=3, noise=0.05, density=1.1)
    km = fit(graphs, 3, algorithm=algorithm, n_init=5)
    assert adjusted_rand_score(np.arange(30) % 3, km.labels_) == 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("mean", ["auto", "incremental", "lifted", "subgradient", "set"])
@pytest.mark.parametrize("matcher", ["exact", "graduated"])
def test_every_mean_and_matcher(algorithm, mean, matcher):
    graphs = random_collection(5, Kind(1, 1), 18, max_nodes=4, classes=3, noise=0.3)
    km = fit(graphs, 3, algorithm=algorithm, mean=mean, matcher=matcher)
    start = fit(graphs, 3, algorithm=algorithm, mean=mean, matcher=matcher, max_iter=1)
    assert km.inertia_ <= start.inertia_ + 1e-9
    d = oracle_distances(graphs, centers_of(km))
    lower = (d.min(axis=1) ** 2).sum()
    assert km.inertia_ >= lower - 1e-9
    if matcher == "exact":
        assert km.inertia_ == pytest.approx(lower)
    if mean == "set":
        order = max(g.n_nodes for g in graphs)
        for center in centers_of(km):
            assert min(gm.distance(center, g, matcher="exact", order=order) for g in graphs) < 1e-9


def test_auto_is_the_incremental_mean():
    graphs = random_collection(5, Kind(1, 1), 18, max_nodes=4, classes=3, noise=0.3)
    for algorithm in ALGORITHMS:
        auto, incremental = (fit(graphs, 3, algorithm=algorithm, mean=mean) for mean in ("auto", "incremental"))
        assert auto.inertia_ == incremental.inertia_


# -- iterations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", [6, thorough(20)])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_best_iteration_is_returned(algorithm, seeds):
    """Incremental means need not lower the objective; whatever happens, the best one comes back."""
    rises = 0
    for seed in range(seeds):
        graphs = random_collection(seed, Kind(0, 1), 40, max_nodes=6, min_nodes=5)
        km = fit(graphs, 4, algorithm=algorithm, random_state=seed)
        inertia = np.asarray(km.trace_["inertia"])
        assert km.inertia_ == pytest.approx(inertia.min(), rel=1e-12)
        assert km.n_iter_ <= len(inertia) <= km.n_iter_ + 1  # an assignment more than updates of the means
        rises += inertia[-1] > inertia.min() + 1e-9
        assert len(inertia) - 1 - int(inertia.argmin()) <= 3
    assert rises > 0, "no run went past its best iteration: this test shows nothing"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_max_iter_is_kept(algorithm):
    graphs = random_collection(1, Kind(2, 1), 40, max_nodes=4)
    full = fit(graphs, 5, algorithm=algorithm)
    assert full.n_iter_ > 3
    for limit in (1, 2):
        km = fit(graphs, 5, algorithm=algorithm, max_iter=limit)
        assert km.n_iter_ == limit
        assert km.inertia_ >= full.inertia_ - 1e-9


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_tol_and_patience_stop_earlier(algorithm):
    graphs = random_collection(1, Kind(2, 1), 60, max_nodes=4)
    full = fit(graphs, 6, algorithm=algorithm)
    assert fit(graphs, 6, algorithm=algorithm, tol=0.5, n_iter_no_change=1).n_iter_ < full.n_iter_


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("best", [0, 1, 2])
def test_n_init_keeps_the_best_run(algorithm, best):
    rows = np.array([[0.0], [1.0], [100.0], [101.0], [110.0], [111.0]])
    starts = [np.array([[0.0], [1.0], [105.0]])] * 3  # stays there
    starts[best] = rows[[0, 2, 4]]
    alone = [fit(rows, 3, algorithm=algorithm, init=start).inertia_ for start in starts]
    assert min(alone) == alone[best] < sorted(alone)[1]
    turn = iter(starts)
    many = fit(rows, 3, algorithm=algorithm, n_init=3, init=lambda x, k, random_state: next(turn))
    assert many.inertia_ == alone[best]
    assert many.n_matchings_ > fit(rows, 3, algorithm=algorithm, init=starts[best]).n_matchings_


# -- counting --------------------------------------------------------------------------------------


class Counting(gm.Exact):
    """The exact matcher, counting every pair that is handed to it."""

    solved = 0

    def solve(self, x, y, pairs, order, n_jobs=None):
        Counting.solved += len(pairs)
        return super().solve(x, y, pairs, order, n_jobs)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("init", ["k-means++", "furthest-first", "random"])
@pytest.mark.parametrize("mean", ["incremental", "lifted", "set"])
def test_every_matching_is_counted_once(algorithm, init, mean):
    graphs = random_collection(0, Kind(1, 1), 20, max_nodes=3)
    Counting.solved = 0
    km = fit(graphs, 4, algorithm=algorithm, init=init, mean=mean, matcher=Counting())
    assert km.n_matchings_ + km.n_seeding_matchings_ + km.n_evaluation_matchings_ == Counting.solved
    assert km.trace_["matchings"].sum() == km.n_matchings_


def test_lloyd_spends_what_math_says():
    graphs = random_collection(0, Kind(1, 1), 20, max_nodes=3)
    n, k = 20, 4
    km = fit(graphs, k, algorithm="lloyd", init=graphs[:4])
    assert km.n_seeding_matchings_ == km.n_evaluation_matchings_ == 0
    assignments = len(km.trace_)
    assert assignments > 2
    assert km.n_matchings_ == assignments * k * n + (assignments - 1) * (n - k)


def test_elkan_spends_at_least_means_centers_and_shifts():
    graphs = random_collection(0, Kind(1, 1), 20, max_nodes=3)
    n, k = 20, 4
    km = fit(graphs, k, algorithm="elkan", init=graphs[:4])
    updates = len(km.trace_) - 1
    fixed = updates * (n - k + k) + (updates + 1) * k * (k - 1) // 2
    # the first assignment has no bounds but those between centers: it matches every graph with its random center
    assert fixed + n <= km.n_matchings_ <= fixed + (updates + 1) * k * n


def test_matching_after_the_fit_is_not_counted():
    graphs = random_collection(0, Kind(1, 1), 20, max_nodes=3)
    km = fit(graphs, 4, matcher=Counting())
    before = (km.n_matchings_, km.n_seeding_matchings_, km.n_evaluation_matchings_)
    Counting.solved = 0
    km.predict(graphs)
    assert Counting.solved > 0
    assert (km.n_matchings_, km.n_seeding_matchings_, km.n_evaluation_matchings_) == before


# -- reproducibility -------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("matcher", ["exact", "graduated"])
@pytest.mark.parametrize("kind", [Kind(2, 1), thorough(Kind(1, 2, directed=True))])
def test_the_number_of_threads_changes_nothing(algorithm, matcher, kind, threads_used):
    graphs = random_collection(4, kind, 30, max_nodes=5)
    runs = [fit(graphs, 4, algorithm=algorithm, matcher=matcher, n_jobs=n, n_init=2) for n in (1, 2, 8)]
    assert {2, 8} <= threads_used
    for other in runs[1:]:
        np.testing.assert_array_equal(other.labels_, runs[0].labels_)
        assert other.inertia_ == runs[0].inertia_
        assert other.n_matchings_ == runs[0].n_matchings_
        assert centers_of(other) == centers_of(runs[0])
        np.testing.assert_array_equal(other.transform(graphs), runs[0].transform(graphs))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_random_state_is_the_only_randomness(algorithm):
    graphs = random_collection(4, Kind(2, 1), 30, max_nodes=4)
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    one = fit(graphs, 5, algorithm=algorithm, random_state=7)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    two = fit(graphs, 5, algorithm=algorithm, random_state=7)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.inertia_ == two.inertia_
    assert centers_of(one) == centers_of(two)
    assert len({fit(graphs, 5, algorithm=algorithm, random_state=s).inertia_ for s in range(5)}) > 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(kind=kinds(), seed=st.integers(0, 1000))
@examples(25)
def test_node_numbering_does_not_matter(algorithm, kind, seed):
    rng = np.random.default_rng(seed)
    graphs = random_collection(seed, kind, 8, max_nodes=3)
    twins = [relabelled(g, rng.permutation(g.n_nodes)) for g in graphs]
    one, two = (fit(g, 3, algorithm=algorithm, init=g[:3]) for g in (graphs, twins))
    if kind.dv:  # without node attributes a best alignment need not be unique
        np.testing.assert_array_equal(one.labels_, two.labels_)
        assert one.inertia_ == pytest.approx(two.inertia_, abs=1e-9)


def test_nothing_is_printed(capsys):
    fit(random_collection(4, Kind(2, 1), 10, max_nodes=3), 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ""


# -- corners ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("mean", ["incremental", "lifted", "set"])
def test_an_empty_cluster_takes_the_farthest_graph(algorithm, mean):
    graphs = [gm.Graph([[v], [v + 1]], [(0, 1)]) for v in (0.0, 0.1, 0.2, 5.0, 5.1, 20.0)]
    nowhere = gm.Graph([[900.0], [900.0]], [(0, 1)])
    km = fit(graphs, 3, algorithm=algorithm, init=[graphs[0], graphs[3], nowhere], mean=mean)
    assert sorted(set(km.labels_.tolist())) == [0, 1, 2]
    assert km.labels_.tolist().count(km.labels_[5]) == 1
    assert km.labels_[0] == km.labels_[1] == km.labels_[2] != km.labels_[3] == km.labels_[4]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_several_empty_clusters(algorithm):
    graphs = [gm.Graph([[v], [v + 1]], [(0, 1)]) for v in (0.0, 0.1, 0.2, 5.0, 9.0, 20.0)]
    nowhere = [gm.Graph([[900.0 + i], [900.0]], [(0, 1)]) for i in range(3)]
    km = fit(graphs, 4, algorithm=algorithm, init=[graphs[0], *nowhere])
    assert sorted(set(km.labels_.tolist())) == [0, 1, 2, 3]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("init", ["k-means++", "furthest-first", "random"])
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_more_clusters_than_different_graphs(algorithm, init):
    g = gm.Graph([[1.0], [2.0]], [(0, 1)])
    km = fit([g, relabelled(g, [1, 0]), g, g], 3, algorithm=algorithm, init=init)
    assert km.inertia_ == pytest.approx(0.0, abs=1e-12)
    assert len(km.cluster_centers_) == 3
    assert all(gm.distance(g, y, matcher="exact") == pytest.approx(0.0, abs=1e-9) for y in centers_of(km))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_cluster_and_one_graph(algorithm):
    graphs = random_collection(0, Kind(1, 1), 5, max_nodes=3)
    one = fit(graphs, 1, algorithm=algorithm)
    assert one.labels_.tolist() == [0] * 5
    alone = fit(graphs[:1], 1, algorithm=algorithm)
    assert alone.inertia_ == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_empty_and_edgeless_graphs_cluster(algorithm):
    graphs = [gm.Graph(0), gm.Graph([[5.0], [6.0]], [(0, 1)]), gm.Graph([[5.1]]), gm.Graph(0), gm.Graph([[5.0], [6.1]])]
    km = fit(graphs, 2, algorithm=algorithm, init=[graphs[0], graphs[1]])
    assert km.labels_[0] == km.labels_[3] != km.labels_[1]
    everything_empty = fit([gm.Graph(0)] * 3, 2, algorithm=algorithm)
    assert everything_empty.inertia_ == 0.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_weights_count(algorithm):
    graphs = random_collection(6, Kind(1, 1), 15, max_nodes=3)
    weights = np.random.default_rng(0).exponential(size=15)
    weights[[3, 8]] = 0.0
    km = fit(graphs, 3, sample_weight=weights, algorithm=algorithm)
    d = oracle_distances(graphs, centers_of(km))
    assert km.inertia_ == pytest.approx((weights * d.min(axis=1) ** 2).sum())
    assert km.score(graphs, sample_weight=weights) == pytest.approx(-km.inertia_)
    np.testing.assert_allclose(d[np.arange(15), km.labels_], d.min(axis=1), atol=1e-9)
    doubled = fit(graphs, 3, sample_weight=2 * weights, algorithm=algorithm)
    np.testing.assert_array_equal(doubled.labels_, km.labels_)
    assert doubled.inertia_ == pytest.approx(2 * km.inertia_)
    unweighted = fit(graphs, 3, algorithm=algorithm, sample_weight=np.ones(15))
    assert unweighted.inertia_ == fit(graphs, 3, algorithm=algorithm).inertia_


def test_a_graph_larger_than_the_model_does_not_disturb_the_others():
    graphs = [gm.Graph([[v]]) for v in (1.0, -1.0, 1.1, -1.1)]
    km = fit(graphs, 2, init=graphs[:2])
    larger = gm.Graph([[1.0], [-1.0], [0.5]])
    np.testing.assert_array_equal(km.transform([larger, *graphs])[1:], km.transform(graphs))
    expected = [oracle.distance(larger, y, 3) for y in centers_of(km)]
    np.testing.assert_allclose(km.transform([larger])[0], expected, atol=1e-9)
    assert km.predict([larger, graphs[0]])[1] == km.labels_[0]


def test_a_role_never_seen_before_stays_unmatched():
    graphs = random_collection(0, Kind(1, 1, roles=("a", "b")), 8, max_nodes=3)
    km = fit(graphs, 2)
    stranger = gm.Graph([[1.0], [2.0]], [(0, 1)], roles=["a", "z"])
    order = {**oracle.places(graphs), "z": 1}
    expected = [oracle.distance(stranger, y, order) for y in centers_of(km)]
    np.testing.assert_allclose(km.transform([graphs[0], stranger])[1], expected, atol=1e-9)
    np.testing.assert_array_equal(km.transform([graphs[0], stranger])[0], km.transform(graphs)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_aligning_graphs_to_their_centers(kind):
    graphs = random_collection(3, kind, 10, max_nodes=3)
    km = fit(graphs, 2)
    order = oracle.places([*graphs, *centers_of(km)])
    for graph, label, d, match in zip(graphs, km.labels_, km.distances_, km.align(graphs), strict=True):
        assert match.upper == pytest.approx(d, abs=1e-9)
        assert match.upper == pytest.approx(oracle.mapping_cost(graph, centers_of(km)[label], match.indices, order))
        assert match.certified


def test_order_none_leaves_nodes_unmatched():
    graphs = [gm.Graph([[3.0]]), gm.Graph([[-3.0]])]
    assert fit(graphs, 1).inertia_ == pytest.approx(18.0)
    assert fit(graphs, 1, algorithm="elkan", order=None).inertia_ == pytest.approx(9.0)
    with pytest.raises(gm.GraphError, match="without bounds"):
        fit(graphs, 1, order=None)
    assert fit(graphs, 1, order=2).inertia_ == pytest.approx(9.0)


def test_the_order_covers_given_seeds():
    graphs = [gm.Graph([[1.0]]), gm.Graph([[-1.0]]), gm.Graph([[0.9]])]
    seeds = [gm.Graph([[1.0], [0.1], [-0.1]]), gm.Graph([[-1.0]])]
    assert fit(graphs, 2, init=seeds).space_.order.tolist() == [3]


# -- centroids -------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", [{}, {"node_weight": 4.0, "edge_weight": 0.25}])
def test_centroids_are_the_centers_decoded(algorithm, kind, weights):
    graphs = random_collection(1, kind, 15, max_nodes=3)
    km = fit(graphs, 3, algorithm=algorithm, **weights)
    centroids = km.centroids()
    assert all(isinstance(c, gm.MeanGraph) for c in centroids)
    batch = km.encoder_.transform(centroids)
    for c, center in enumerate(centers_of(km)):
        assert gm.distance(batch[c], center, matcher="exact") == pytest.approx(0.0, abs=1e-9)
        assert ((centroids[c].node_support > 0) & (centroids[c].node_support <= 1)).all()
        assert ((centroids[c].edge_support > 0) & (centroids[c].edge_support <= 1)).all()
    np.testing.assert_allclose(km.transform(centroids).diagonal(), 0.0, atol=1e-7)


def test_centroids_of_named_columns_are_in_the_original_units():
    starts = (0, 1, 2, 500, 501, 502)
    graphs = [gm.Graph({"x": [v, v + 100.0], "c": ["a", "b"]}, [(0, 1)], {"w": [7.0]}) for v in starts]
    km = fit(graphs, 2, init=[graphs[0], graphs[3]])
    found = sorted(sorted(c.nodes["x"].tolist()) for c in km.centroids())
    np.testing.assert_allclose(found, [[1.0, 101.0], [501.0, 601.0]])
    for c in km.centroids():
        np.testing.assert_allclose(c.edge_attributes["w"], [7.0])
        assert sorted(c.nodes["c"].tolist()) == ["a", "b"]


def test_an_encoder_can_be_given():
    graphs = [gm.Graph({"x": [v]}) for v in (0.0, 10.0, 20.0, 30.0)]
    kept = fit(graphs, 1, encoder=gm.GraphEncoder(numbers="keep"))
    assert kept.inertia_ == pytest.approx(500.0)
    assert fit(graphs, 1).inertia_ == pytest.approx(4.0)


def test_trace_is_a_table():
    km = fit(random_collection(1, Kind(2, 1), 30, max_nodes=3), 4)
    assert {"inertia", "moved", "matchings", "seconds"} <= set(km.trace_.dtype.names)
    frame = km.trace_.to_pandas()
    assert len(frame) == len(km.trace_)
    assert frame["inertia"].min() == pytest.approx(km.inertia_)
