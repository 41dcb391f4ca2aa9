"""Where k-means starts."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
import oracle
from effort import examples, thorough
from graphmeans.cluster.algorithms.initialization import INITIALIZATIONS, Initialization, _OneByOne
from graphmeans.cluster.context import SEEDING
from graphmeans.cluster.shards.estimate import exchange_gains
from graphmeans.cluster.shards.sample import inertia
from runs import OneRun
from strategies import Kind, generic_collections, random_collection


def start(name, graphs, k, seed=0, weights=None):
    weights = None if weights is None else np.asarray(weights, dtype=float)
    return OneRun(graphs, seed, weights=weights, mean="incremental").choose(k, name)


@given(generic_collections(min_size=2, max_size=4), st.integers(0, 50))
@examples(60)
def test_furthest_first_is_the_papers(graphs, seed):
    k = min(3, len(graphs))
    found = start("furthest-first", graphs, k, seed)
    assert len(set(found)) == k
    # The sample mean depends on the order in which graphs are taken: the first seed is closest to one of them.
    room = oracle.places(graphs)
    padded = [oracle.dense(x, room, *oracle.widths(graphs))[0] for x in graphs]
    closest = []
    for sequence in itertools.permutations(range(len(graphs))):
        mean = oracle.incremental_mean(graphs, room, sequence).mean
        to_mean = [oracle.dense_distance(mean, x, room) for x in padded]
        closest.append(to_mean[found[0]] <= min(to_mean) + 1e-9)
    assert any(closest)
    # Where two graphs are equally far away either may be chosen: compare how far they are.
    d = oracle.pairwise_distances(graphs)
    for t in range(1, k):
        reach = d[:, found[:t]].min(axis=1)
        assert reach[found[t]] == pytest.approx(reach.max(), abs=1e-9)


def test_furthest_first_begins_closest_to_the_mean_of_all():
    """Also where that is not the first graph, nor the one in the middle of the list."""
    graphs = [gm.Graph([[v]]) for v in (0.0, 1.0, 30.0, 8.0, 2.0)]  # mean 8.2
    assert start("furthest-first", graphs, 3) == [3, 2, 0]


def test_furthest_first_in_some_order_of_the_mean():
    for seed in range(5):
        graphs = random_collection(seed, Kind(1, 1), 4, max_nodes=3, min_nodes=3)
        possible = [oracle.furthest_first(graphs, 3, sequence=s) for s in itertools.permutations(range(4))]
        assert start("furthest-first", graphs, 3, seed) in possible


@pytest.mark.parametrize(("count", "tolerance"), [(300, 0.075), thorough(1500, 0.035)])
def test_candidates_are_drawn_by_squared_distance(count, tolerance):
    values = np.array([0.0, 1.0, 3.0])
    one = OneRun([gm.Graph([[v]]) for v in values])
    for first in range(3):
        seeds = _OneByOne(Initialization(one.context, one.matcher, one.new_engine(2), 2))
        seeds.add(seeds.init.pick(np.array([first])))
        random = np.random.RandomState(first)
        draws = Counter(int(seeds.draw(random, 1).graph[0]) for _ in range(count))
        for second in range(3):
            expected = (values[second] - values[first]) ** 2 / ((values - values[first]) ** 2).sum()
            assert draws[second] / count == pytest.approx(expected, abs=tolerance)
        several = seeds.draw(random, 50).graph
        assert several.tolist() == [x for x in range(3) if x != first]  # each once


def chosen_by_hand(d, numbers, candidates):
    """The candidate that lowers the objective most, by all distances."""
    nearest = d[:, numbers].min(axis=1)
    return min(candidates, key=lambda y: (np.minimum(nearest, d[:, y]) ** 2).sum())


@given(generic_collections(min_size=6, max_size=12, kind=Kind(2, 1)), st.integers(0, 50))
@examples(30)
def test_the_best_of_several_is_taken_where_bounds_are_distances(graphs, seed):
    graphs = [gm.Graph(next(iter(g.nodes.values()))[:1]) if g.n_nodes else gm.Graph([[0.0, 0.0]]) for g in graphs]
    one = OneRun(graphs, seed)
    d = one.space.distances(one.batch, one.batch)
    seeds = _OneByOne(Initialization(one.context, one.matcher, one.new_engine(4), 4), lazy=True)
    random = np.random.RandomState(seed)
    seeds.add(seeds.anyone(random))
    while len(seeds.numbers) < 4 and any(seeds.shard_inertia):
        drawn = seeds.draw(random, 3)
        best = seeds.best_of(drawn)
        expected = chosen_by_hand(d, seeds.numbers, drawn.graph.tolist())
        left = [(np.minimum(d[:, seeds.numbers].min(axis=1), d[:, y]) ** 2).sum() for y in (int(best.graph[0]), expected)]
        assert left[0] == pytest.approx(left[1], rel=1e-5, abs=1e-9)
        seeds.add(best)


def test_what_an_exchange_gains_where_bounds_are_distances():
    """On vectors the estimate is what the objective changes by, for every candidate and every seed."""
    rows = np.random.default_rng(3).normal(size=(40, 2))
    weights = np.random.default_rng(4).uniform(0.5, 2.0, 40)
    one = OneRun([gm.Graph(row[None]) for row in rows], 1, weights=weights)
    one.initialize(5, "k-means++")
    init = Initialization(one.context, one.matcher, one.engine, 5)
    numbers = one.choose(5, "k-means++")
    seeds = Initialization(one.context, one.matcher, one.new_engine(5), 5)
    loop = _OneByOne(seeds)
    for number in numbers:
        loop.add(init.pick(np.array([number])))
    before = loop._assign()
    d = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    assert before == pytest.approx(weights @ d[:, numbers].min(axis=1) ** 2)
    candidates = init.pick(np.setdiff1d(np.arange(40), numbers)[:7])
    gains = one.engine.sum(exchange_gains, candidates.batch, loop.centers, loop.closeness)
    for i, y in enumerate(candidates.graph.tolist()):
        with_it = weights @ d[:, [*numbers, y]].min(axis=1) ** 2
        assert gains.saved[i] == pytest.approx(before - with_it, rel=1e-4, abs=1e-4)
        for c in range(5):
            without = [*numbers[:c], *numbers[c + 1 :], y]
            assert gains.lost[i, c] == pytest.approx(weights @ d[:, without].min(axis=1) ** 2 - with_it, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("kind", [Kind(2, 1), Kind(0, 1), Kind(1, 2)])
def test_exchanges_of_seeds_never_do_harm(kind):
    for seed in range(4):
        one = OneRun(random_collection(seed, kind, 40, max_nodes=4), seed)
        seeds = _OneByOne(Initialization(one.context, one.matcher, one.new_engine(6), 6), lazy=True)
        random = np.random.RandomState(seed)
        while len(seeds.numbers) < 6:
            seeds.add(seeds.anyone(random))
        before = seeds._assign()
        seeds.exchange(random)
        after = one.engine.sum(inertia)
        assert after <= before
        assert len(set(seeds.numbers)) == 6
        labels, distances, _ = one.engine.assignment()
        true = one.space.distances(one.batch, one.batch.take(seeds.numbers))
        np.testing.assert_allclose(distances, true[np.arange(40), labels], atol=1e-6)


@pytest.mark.parametrize(("count", "tolerance"), [(200, 0.1), thorough(1000, 0.05)])
def test_k_means_plus_plus_draws_by_weight(count, tolerance):
    graphs = [gm.Graph([[v]]) for v in (0.0, 1.0, 2.0)]
    draws = Counter(tuple(start("k-means++", graphs, 2, seed, [1.0, 3.0, 0.0])) for seed in range(count))
    assert set(draws) == {(0, 1), (1, 0)}
    assert draws[1, 0] / count == pytest.approx(0.75, abs=tolerance)


def test_random_draws_evenly():
    graphs = [gm.Graph([[v]]) for v in (0.0, 1.0, 30.0, 8.0)]
    draws = Counter(i for seed in range(1000) for i in start("random", graphs, 2, seed))
    assert all(draws[i] == pytest.approx(500, abs=60) for i in range(4))


@pytest.mark.parametrize("name", sorted(INITIALIZATIONS))
@given(graphs=generic_collections(min_size=1, max_size=6), seed=st.integers(0, 1000))
@examples(30)
def test_seeds_are_different_graphs_of_the_collection(name, graphs, seed):
    for k in {1, len(graphs)}:
        found = start(name, graphs, k, seed)
        assert len(set(found)) == k
        assert set(found) <= set(range(len(graphs)))
        assert found == start(name, graphs, k, seed)


@pytest.mark.parametrize("name", sorted(INITIALIZATIONS))
def test_graphs_without_weight_are_not_chosen_while_others_are_left(name):
    graphs = random_collection(0, Kind(1, 1), 8, max_nodes=3)
    weights = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    for seed in range(10):
        assert set(start(name, graphs, 4, seed, weights)) == {0, 2, 4, 7}
        assert len(set(start(name, graphs, 6, seed, weights))) == 6


@pytest.mark.parametrize("name", sorted(INITIALIZATIONS))
def test_copies_are_seeds_too(name):
    g = gm.Graph([[1.0], [2.0]], [(0, 1)])
    assert sorted(start(name, [g, g, g], 3)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("random", 0, 0), ("medoids", 190, 190), ("k-means++", 19 + 6, 6 + 4 * 19), ("furthest-first", 39 + 25, 39 + 6 + 3 * 19)],
)
def test_what_seeding_spends(name, least, most):
    """All are matched with the first seed, with a later one only those who could be nearer; seeds always with each other.

    k-means++ matches fewer of them, and then spends something on exchanges.
    """
    spent = []
    for seed in range(5):
        one = OneRun(random_collection(seed, Kind(1, 1), 20, max_nodes=3))
        assert len(one.initialize(4, name)) == 4
        assert set(one.matchings) <= {SEEDING}
        spent.append(one.matchings[SEEDING])
    assert least <= min(spent)
    assert max(spent) <= most
    assert sum(spent) < 5 * most or least == most


# -- through the estimator -------------------------------------------------------------------------


def test_given_graphs_are_where_it_starts():
    graphs = [gm.Graph([[v]]) for v in (0.0, 1.0, 2.0, 10.0, 11.0)]
    km = gm.GraphKMeans(2, init=[graphs[4], graphs[0]], matcher="exact").fit(graphs)
    assert km.labels_.tolist() == [1, 1, 1, 0, 0]
    assert km.n_seeding_matchings_ == 0
    outside = gm.GraphKMeans(2, init=[gm.Graph([[100.0]]), gm.Graph([[-100.0]])], matcher="exact").fit(graphs)
    assert outside.labels_.tolist() == [1, 1, 1, 0, 0]


def test_fitted_centers_and_centroids_are_starts():
    graphs = random_collection(0, Kind(1, 1), 20, max_nodes=3, classes=3, noise=0.4)
    first = gm.GraphKMeans(3, matcher="exact", random_state=0).fit(graphs)
    for init in (first.centroids(), [first.cluster_centers_[c] for c in range(3)]):
        again = gm.GraphKMeans(3, init=init, matcher="exact", random_state=0).fit(graphs)
        np.testing.assert_array_equal(again.labels_, first.labels_)
        assert again.inertia_ <= first.inertia_ + 1e-9


def test_a_callable_chooses():
    graphs = [gm.Graph([[v]]) for v in (0.0, 1.0, 2.0, 10.0, 11.0)]
    calls = []

    def choose(x, n_clusters, random_state):
        calls.append((x, n_clusters, random_state))
        return [x[4], x[0]]

    km = gm.GraphKMeans(2, init=choose, n_init=2, matcher="exact").fit(graphs)
    assert km.labels_.tolist() == [1, 1, 1, 0, 0]
    assert len(calls) == 2
    assert calls[0][0] is graphs
    assert calls[0][1] == 2
    assert isinstance(calls[0][2], np.random.RandomState)
    rows = np.array([[0.0], [1.0], [10.0]])
    array = gm.GraphKMeans(2, init=lambda x, k, random_state: x[:k], n_init=1).fit(rows)
    assert array.labels_.tolist() == [0, 0, 1] or array.labels_.tolist() == [0, 1, 1]


def test_n_init_auto():
    graphs = random_collection(0, Kind(1, 1), 12, max_nodes=3)
    calls = []

    def choose(x, n_clusters, random_state):
        calls.append(1)
        return x[:n_clusters]

    gm.GraphKMeans(2, init=choose).fit(graphs)
    assert len(calls) == 10


def test_medoids_are_the_best_pair_of_a_small_collection():
    """Exhaustively: no two graphs have a smaller sum of squared distances to all."""
    graphs, _ = gm.datasets.make_letters(12, random_state=3)
    km = gm.GraphKMeans(2, init="medoids", max_iter=1, matcher="exact", random_state=0).fit(graphs)
    assert km.n_seeding_matchings_ == 12 * 11 // 2
    squares = gm.pairwise_distances(graphs, matcher="exact") ** 2
    found = start("medoids", graphs, 2, 0)
    costs = {(i, j): squares[[i, j]].min(axis=0).sum() for i in range(12) for j in range(i)}
    # add-then-exchange ends where no single exchange helps; on so small a sample that is the optimum
    assert squares[list(found)].min(axis=0).sum() == pytest.approx(min(costs.values()))
