"""Interval k-means: labels proven nearest, an objective that never rises, and almost no matchings."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

import graphmeans as gm
from graphmeans.cluster.interval import interval
from graphmeans.cluster.problem import Problem
from graphmeans.cluster.seeding import seeds
from graphmeans.means.mean import get_mean
from graphmeans.space import GraphSpace, resolve_order
from strategies import Kind, random_collection

KINDS = {
    "letters": Kind(2, 1),
    "vector edges": Kind(1, 3),
    "structure": Kind(0, 1),
    "directed": Kind(1, 2, directed=True),
    "roles": Kind(1, 1, roles=("a", "b")),
}


class Counting(gm.Exact):
    pairs = 0

    def solve(self, x, y, pairs, order, n_jobs=None, warm=None, cutoff=None):
        type(self).pairs += len(pairs)
        return super().solve(x, y, pairs, order, n_jobs, warm, cutoff)


def problem_of(graphs, seed=0, matcher=None, weights=None):
    batch = gm.GraphEncoder().fit_transform(graphs)
    space = GraphSpace(resolve_order("auto", batch), batch.role_names, matcher=matcher or gm.Exact(), n_jobs=1)
    weights = np.ones(len(batch)) if weights is None else weights
    return Problem(batch, space, weights, get_mean("lifted"), seed)


@pytest.mark.parametrize("init", ["k-means++", "furthest-first", "random"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_label_is_the_nearest_of_all_centres(kind, init):
    for seed in range(4):
        graphs = random_collection(seed, KINDS[kind], 24, max_nodes=5, min_nodes=1)
        problem = problem_of(graphs, seed)
        result = interval(problem, seeds(problem, 4, init), max_iter=100, tol=0.0, n_iter_no_change=3)
        distances = problem.space.distances(problem.batch, result.centres.batch)
        own = distances[np.arange(24), result.labels]
        np.testing.assert_allclose(own, distances.min(axis=1), atol=1e-9)
        np.testing.assert_allclose(own, result.distances, atol=1e-7)
        assert result.certified.all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_objective_never_rises(kind):
    graphs = random_collection(3, KINDS[kind], 40, max_nodes=5, min_nodes=1)
    km = gm.GraphKMeans(5, algorithm="interval", random_state=0).fit(graphs)
    inertia = km.trace_["inertia"]
    assert (np.diff(inertia) <= 1e-9 * inertia[:-1]).all()
    assert km.inertia_ == pytest.approx(inertia[-1])


def test_a_label_that_search_calls_certified_is_nearest():
    checked = 0
    for seed in range(12):
        graphs = random_collection(seed, Kind(1, 1), 20, max_nodes=6, min_nodes=3)
        problem = problem_of(graphs, seed, gm.Search(effort=0.2))
        result = interval(problem, seeds(problem, 3, "k-means++"), max_iter=100, tol=0.0, n_iter_no_change=3)
        exact = problem_of(graphs).space.distances(problem.batch, result.centres.batch)
        own = exact[np.arange(20), result.labels]
        assert (own <= exact.min(axis=1) + 1e-9)[result.certified].all()
        checked += int(result.certified.sum())
    assert checked > 20


def test_matchings_are_counted_and_few():
    graphs, _ = gm.datasets.make_letters(300, random_state=1)
    spent = {}
    for algorithm in ("lloyd", "interval"):
        Counting.pairs = 0
        km = gm.GraphKMeans(15, algorithm=algorithm, init="furthest-first", matcher=Counting(), random_state=0).fit(graphs)
        assert Counting.pairs == km.n_matchings_ + km.n_seeding_matchings_ + km.n_evaluation_matchings_
        spent[algorithm] = km.n_matchings_, km.inertia_
    assert 25 * spent["interval"][0] < spent["lloyd"][0]
    assert spent["interval"][1] < 1.05 * spent["lloyd"][1]


@pytest.mark.parametrize("weighted", [False, True])
def test_vectors_are_what_scikit_learn_makes_of_them(weighted):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(120, 3)) + 4 * rng.integers(0, 3, size=(120, 1))
    weight = rng.uniform(0.1, 2.0, size=120) if weighted else None
    start = rows[:5]
    theirs = KMeans(5, init=start, tol=0, n_init=1).fit(rows, sample_weight=weight)
    ours = gm.GraphKMeans(5, init=start, algorithm="interval").fit(rows, sample_weight=weight)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


def test_an_empty_cluster_takes_the_farthest_graph():
    rows = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [30.0]])
    km = gm.GraphKMeans(3, init=np.array([[0.0], [10.0], [500.0]]), algorithm="interval").fit(rows)
    assert len(set(km.labels_)) == 3
    assert km.inertia_ == pytest.approx(0.02 + 0.005)


def test_the_same_on_one_thread_or_eight():
    graphs, _ = gm.datasets.make_letters(200, random_state=4)
    one, eight = (
        gm.GraphKMeans(10, algorithm="interval", random_state=0, n_jobs=n).fit(graphs) for n in (1, 8)
    )
    np.testing.assert_array_equal(one.labels_, eight.labels_)
    np.testing.assert_array_equal(one.cluster_centers_.nodes, eight.cluster_centers_.nodes)
    assert one.n_matchings_ == eight.n_matchings_


def test_pruned_seeding_chooses_the_same_graphs():
    """What is skipped could not have been nearer, so the draws are those of plain k-means++."""
    graphs, _ = gm.datasets.make_letters(120, random_state=0)
    problem = problem_of(graphs, 5)
    found = seeds(problem, 10, "k-means++")
    distances = problem.space.distances(problem.batch, found.batch)
    (shard,) = problem.engine.shards
    np.testing.assert_allclose(shard.upper, distances[:, :9].min(axis=1), atol=1e-9)
    low = np.zeros_like(distances)
    shard.bounds.lay_over(np.arange(120), problem.seeds.drift, low)
    assert (low <= distances + 1e-9).all()
    assert (low[:, :9] > 0).any(axis=1).mean() > 0.9
    assert problem.ledger.matchings["seeding"] < 9 * 119


def test_an_unbounded_order_is_refused():
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    with pytest.raises(gm.GraphError, match="order"):
        gm.GraphKMeans(3, algorithm="interval", order=None).fit(graphs)
