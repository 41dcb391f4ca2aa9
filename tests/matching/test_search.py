"""The search matcher, and what exact and search have in common: warm starts, limits, the choice between them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from test_matching import DIRECTED, LETTER, ROLES, check, pairs_with_order

import graphmeans as gm
import oracle
from effort import examples
from graphmeans.kernels.exact import exact_pairs
from graphmeans.matching.auto import Auto
from graphmeans.matching.pairs import solve_pairs
from strategies import Kind, random_collection


def batch_of(graphs):
    return gm.GraphEncoder().fit_transform(graphs)


def all_pairs(n):
    return np.stack(np.triu_indices(n, k=1), axis=1)


def order_of(batch):
    return batch.role_counts.max(axis=0)


@given(pairs_with_order())
@examples(150)
def test_search_gives_honest_bounds(example):
    x, y, order = example
    match = gm.match(x, y, matcher="search", order=order)
    check(match, x, y, order, exactly=False)
    assert match.matcher == "search"


@pytest.mark.parametrize("kind", [LETTER, Kind(1, 2), DIRECTED, ROLES])
def test_search_finds_the_optimum_on_small_graphs(kind):
    batch = batch_of(random_collection(5, kind, 16, max_nodes=6, min_nodes=3))
    pairs, order = all_pairs(16), order_of(batch)
    exact, search = (m.solve(batch, batch, pairs, order) for m in (gm.Exact(), gm.Search()))
    assert np.mean(search.upper <= exact.upper * (1 + 1e-9)) >= 0.95
    assert (search.lower <= exact.upper + 1e-9).all()


def test_more_effort_never_hurts_and_does_help():
    batch = batch_of(random_collection(1, Kind(1, 1), 12, max_nodes=14, min_nodes=12))
    pairs, order = all_pairs(12), order_of(batch)
    found = [gm.Search(effort=e).solve(batch, batch, pairs, order).upper for e in (0, 0.1, 0.3, 1, 1.5, 3, 10)]
    for less, more in pairwise(found):
        assert (more <= less).all()
    assert found[-1].sum() < found[0].sum()


def test_a_mapping_is_what_its_distance_says():
    graphs = random_collection(4, Kind(2, 2), 10, max_nodes=12, min_nodes=8)
    for x, y in zip(graphs[:5], graphs[5:], strict=True):
        match = gm.match(x, y, matcher="search")
        assert oracle.mapping_cost(x, y, match.indices) == pytest.approx(match.upper)


@pytest.mark.parametrize("matcher", [gm.Exact(max_tree_nodes=1), gm.Search(effort=0)])
@pytest.mark.parametrize("kind", [Kind(1, 1), DIRECTED, ROLES])
def test_a_warm_mapping_is_never_lost(matcher, kind):
    batch = batch_of(random_collection(7, kind, 8, max_nodes=7, min_nodes=2))
    pairs = np.array([(i, j) for i in range(8) for j in range(8)])
    order = order_of(batch)
    best = gm.Exact().solve(batch, batch, pairs, order)
    warm = matcher.solve(batch, batch, pairs, order, warm=best.flat)
    cold = matcher.solve(batch, batch, pairs, order)
    np.testing.assert_allclose(warm.upper, best.upper, atol=1e-9)
    assert cold.upper.sum() > warm.upper.sum()


def test_a_cutoff_proves_that_the_distance_is_larger():
    batch = batch_of(random_collection(9, LETTER, 20, max_nodes=8, min_nodes=6))
    pairs, order = all_pairs(20), order_of(batch)
    full = gm.Exact().solve(batch, batch, pairs, order)
    cutoff = np.full(len(pairs), np.median(full.upper))
    cut = gm.Exact().solve(batch, batch, pairs, order, cutoff=cutoff)
    assert (cut.lower <= full.upper + 1e-9).all()
    assert (cut.upper >= full.upper - 1e-9).all()
    near = full.upper < cutoff * (1 - 1e-9)
    np.testing.assert_allclose(cut.upper[near], full.upper[near])
    assert (cut.lower[~near] >= cutoff[~near] * (1 - 1e-9)).all()


def tree_nodes(batch, order, cutoff=np.inf):
    pairs = np.array([[0, 1]])
    count = np.zeros(1, dtype=np.int64)
    settings_ = (1 << 60, np.full(1, cutoff), False, np.zeros(0, dtype=np.int64))
    solve_pairs(exact_pairs, settings_, batch, batch, pairs, order, 1, count, np.zeros(1))
    return int(count[0])


def test_interchangeable_nodes_do_not_explode_the_tree():
    """A star of 11 equal leaves against one with other weights has 11! equal answers; so have null nodes."""
    leaves = np.arange(1, 12)
    star = [(0, int(i)) for i in leaves]
    rng = np.random.default_rng(0)
    x = gm.Graph(12, star)
    y = gm.Graph(12, star + [(1, 2), (3, 4)], rng.uniform(0.5, 1.5, size=13))
    assert tree_nodes(batch_of([x, y]), np.array([12])) < 5000
    few, many = gm.Graph([[1.0]], []), gm.Graph([[-1.0]] * 12, [(0, 1), (1, 2)])
    assert tree_nodes(batch_of([few, many]), np.array([24])) < 50


def test_a_cutoff_saves_work():
    batch = batch_of(random_collection(9, Kind(0, 1), 2, max_nodes=9, min_nodes=9))
    order = order_of(batch)
    true = gm.Exact().solve(batch, batch, np.array([[0, 1]]), order).upper[0]
    assert tree_nodes(batch, order, cutoff=0.7 * true) < tree_nodes(batch, order)


def test_auto_says_which_it_was():
    small = random_collection(0, LETTER, 2, max_nodes=4, min_nodes=4)
    large = random_collection(0, LETTER, 2, max_nodes=14, min_nodes=14)
    points = [gm.Graph(np.random.default_rng(i).normal(size=(30, 2))) for i in range(2)]
    assert gm.match(*small).matcher == "exact"
    assert gm.match(*large).matcher == "search"
    match = gm.match(*points)
    assert match.matcher == "exact"
    assert match.certified


def test_auto_gives_a_pair_the_same_answer_in_a_mixed_batch():
    graphs = random_collection(3, LETTER, 6, max_nodes=4, min_nodes=3) + random_collection(3, LETTER, 4, 14, 13)
    batch, order = batch_of(graphs), np.array([14])
    pairs = all_pairs(10)
    small = Auto().is_small(batch, batch, pairs, order)
    assert 0 < small.sum() < len(small)
    both = Auto().solve(batch, batch, pairs, order)
    for chosen, matcher in ((small, gm.Exact()), (~small, Auto())):
        part = matcher.solve(batch, batch, pairs[chosen], order)
        np.testing.assert_array_equal(both.upper[chosen], part.upper)
        np.testing.assert_array_equal(both.flat[np.repeat(chosen, np.diff(both.ptr))], part.flat)
    searched = gm.Search().solve(batch, batch, pairs, order)
    assert (both.upper <= searched.upper * (1 + 1e-9)).all()
    assert (both.upper < searched.upper * (1 - 1e-9)).any()


@pytest.mark.parametrize("matcher", [gm.Search(), gm.Exact(max_tree_nodes=50), gm.Graduated(), Auto()])
def test_the_same_answers_on_any_number_of_threads(matcher):
    batch = batch_of(random_collection(6, Kind(2, 1), 30, max_nodes=14, min_nodes=2))
    pairs, order = all_pairs(30), order_of(batch)
    one, two, eight = (matcher.solve(batch, batch, pairs, order, n_jobs=n) for n in (1, 2, 8))
    for other in (two, eight):
        np.testing.assert_array_equal(one.upper, other.upper)
        np.testing.assert_array_equal(one.lower, other.lower)
        np.testing.assert_array_equal(one.flat, other.flat)


def test_seconds_are_a_limit_too():
    batch = batch_of(random_collection(2, Kind(0, 1), 2, max_nodes=30, min_nodes=30))
    found = gm.Exact(max_seconds=0.05).solve(batch, batch, np.array([[0, 1]]), np.array([30]))
    assert found.lower[0] < found.upper[0]


def test_bad_effort():
    with pytest.raises(gm.GraphError, match="effort"):
        gm.match(gm.Graph(2), gm.Graph(2), matcher=gm.Search(effort=-1))


def test_effort_reaches_the_matcher_or_is_refused():
    graphs = random_collection(1, Kind(1, 1), 12, max_nodes=14, min_nodes=12)
    found = [gm.GraphKMeans(2, effort=e, random_state=0).fit(graphs).space_.matcher.effort for e in (1.0, 0.25)]
    assert found == [1.0, 0.25]
    for matcher in ("exact", "graduated", gm.Search()):
        with pytest.raises(gm.GraphError, match="effort"):
            gm.GraphKMeans(2, matcher=matcher, effort=2.0).fit(graphs)
