"""The edge program: its bound stays below D, its tree finds and proves D, on every kind of graph and whatever the hints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from test_matching import pairs_with_order

import graphmeans as gm
import oracle
from effort import examples, thorough
from graphmeans.matching.auto import Auto
from graphmeans.matching.edge_bound import edge_bounds, sift_by_edges, solve_by_edges
from graphmeans.matching.exact import search_assignments
from graphmeans.space import resolve_order
from strategies import Kind, random_collection, relabelled

UNLIMITED = 1 << 40
EVERY_KIND = [
    Kind(2, 1), Kind(0, 1), Kind(1, 3), Kind(1, 2, directed=True), Kind(0, 1, directed=True), Kind(1, 1, roles=("a", "b")),
    Kind(0, 2, True, ("a", "b")), Kind(1, 3, False, ("a", "b", "c")),
]  # fmt: skip
#: What becomes of normally distributed attributes: both signs, one sign, whole numbers, one-hot codes, multiples of a third.
STYLES = {
    "signed": np.copy,
    "positive": abs,
    "round": np.round,
    "one-hot": lambda a: (a > 0) * 1.0,
    "thirds": lambda a: np.round(a) / 3.0,
}


def collection(seed, kind, style, count, largest, smallest=1, density=0.7):
    """Encoded graphs of this kind; edges that the style makes zero become 1."""
    graphs = []
    for graph in random_collection(seed, kind, count, largest, smallest, density=density):
        values = STYLES[style](graph.edge_attributes[""])
        values[~values.any(axis=1)] = 1.0
        graphs.append(
            gm.Graph(STYLES[style](graph.nodes[""]), graph.edges, values, directed=graph.directed, roles=graph.roles)
        )
    return graphs, gm.GraphEncoder(numbers="keep").fit_transform(graphs)


def neighbours(count):
    return np.arange(count).reshape(-1, 2)


def by_edges(batch, pairs, order, rounds=UNLIMITED, warm=None, cutoff=None):
    cut = np.full(len(pairs), np.inf) if cutoff is None else cutoff
    found, done = solve_by_edges(batch, batch, pairs, order, 1, rounds, warm, cut)
    return found.lower[done], found.upper[done], found.take(done), done


@given(pairs_with_order())
@examples(200)
def test_the_bound_is_below_the_minimum_over_all_permutations(example):
    x, y, order = example
    truth = oracle.distance(x, y, order)
    for rounds in (1, 50):
        assert 0 <= gm.edge_bound(x, y, order, rounds=rounds) <= truth * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("style", STYLES)
def test_what_is_sifted_out_is_beyond_the_cutoff(style):
    """Screened by an assignment, in short rounds, with cutoffs about the distance: bounds stay below it, whatever the numbers."""
    ruled_out = 0
    for seed, kind in enumerate(EVERY_KIND):
        graphs, batch = collection(seed, kind, style, 16, 5)
        pairs, order = neighbours(16), resolve_order("auto", batch)
        truth = np.array([oracle.distance(graphs[a], graphs[b], oracle.places(graphs)) for a, b in pairs])
        for cutoff in (*(share * truth + 1e-3 for share in (0.5, 0.9, 0.999, 1.1)), np.full(len(truth), np.inf)):
            found, done = sift_by_edges(batch, batch, pairs, order, 1, cutoff)
            assert np.isfinite(found.lower[done]).all()
            assert (found.lower[done] <= truth[done] * (1 + 1e-12) + 1e-12).all()
            assert (found.upper[done] >= truth[done] * (1 - 1e-12)).all()
            assert np.isfinite(found.upper[done & (found.lower < cutoff * (1 - 1e-9))]).all()
            ruled_out += int((found.lower[done] >= cutoff[done] * (1 - 1e-9)).sum())
    assert ruled_out > 10


@given(pairs_with_order())
@examples(200)
def test_the_tree_finds_and_proves_the_minimum_over_all_permutations(example):
    x, y, order = example
    batch = gm.GraphEncoder(numbers="keep").fit_transform([x, y])
    lower, upper, found, done = by_edges(batch, np.array([[0, 1]]), resolve_order(order, batch))
    if done[0]:
        truth = oracle.distance(x, y, order)
        assert upper[0] == pytest.approx(truth, abs=1e-9)
        assert upper[0] == pytest.approx(oracle.mapping_cost(x, y, found.mapping(0), order), abs=1e-9)
        assert lower[0] <= truth * (1 + 1e-12) + 1e-12
        assert lower[0] == pytest.approx(truth, abs=1e-7)


@pytest.mark.parametrize("seed", [0, *map(thorough, range(1, 12))])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
def test_every_kind_and_sign_against_branch_and_bound(kind, style, seed):
    """Orders, limits and cutoffs; the tree of assignments, which other tests compare with brute force, knows the truth."""
    for order in ("auto", None):
        _, batch = collection(seed, kind, style, 16, 6 if order == "auto" else 4)
        pairs, places = neighbours(16), resolve_order(order, batch)
        truth = gm.Exact().solve(batch, batch, pairs, places, 1).upper
        above, below = truth * (1 + 1e-12) + 1e-12, truth * (1 - 1e-12) - 1e-12
        assert (edge_bounds(batch, batch, pairs, places, 1) <= above).all()
        for rounds in (1, 4, UNLIMITED):
            lower, upper, _, done = by_edges(batch, pairs, places, rounds)
            assert (lower <= above[done]).all()
            assert (upper >= below[done]).all()
        np.testing.assert_allclose(upper, truth[done], atol=1e-9)
        np.testing.assert_allclose(lower, upper, atol=1e-7)
        for share in (0.0, 0.5, 0.9, 1.1):
            lower, upper, _, done = by_edges(batch, pairs, places, cutoff=share * truth)
            assert (lower <= above[done]).all()
            assert (upper >= below[done]).all()
            assert (lower >= min(share, 1.0) * truth[done] - 1e-7).all()


@pytest.mark.parametrize("kind", [Kind(1, 1), Kind(1, 3), Kind(1, 2, directed=True), Kind(1, 1, roles=("a", "b"))], ids=str)
def test_larger_graphs_are_solved_as_by_the_other_tree(kind):
    _, batch = collection(3, kind, "positive", 8, 12, 11, density=0.25)
    pairs, order = neighbours(8), resolve_order("auto", batch)
    lower, upper, found, done = by_edges(batch, pairs, order)
    assert done.all()
    start = np.ascontiguousarray(found.flat)
    again, _, _, _ = by_edges(batch, pairs, order, warm=start)
    np.testing.assert_allclose(again, upper, rtol=1e-9)
    other = search_assignments(batch, batch, pairs, order, 1, 1 << 40, start, np.full(4, np.inf))
    np.testing.assert_allclose(other.upper, upper, rtol=1e-9)
    np.testing.assert_allclose(lower, upper, rtol=1e-9)


def test_one_hot_molecules_are_proven_without_rounding():
    """All values are 0 or 1, D^2 moves in steps of 2, and lower and upper are the same number."""
    rng = np.random.default_rng(0)
    graphs = []
    for size in (14, 16, 15, 12, 18, 13):
        bonds = [(int(rng.integers(max(0, i - 3), i)), i) for i in range(1, size)]
        graphs.append(gm.Graph(np.eye(3)[rng.integers(3, size=size)], bonds, np.eye(2)[rng.integers(2, size=size - 1)]))
    for x, y in zip(graphs[:3], graphs[3:], strict=True):
        found = gm.match(x, y, matcher="exact")
        assert found.lower == found.upper
        assert found.upper**2 == pytest.approx(round(found.upper**2))
        assert gm.match(y, x, matcher="exact").upper == found.upper
        mixed = relabelled(y, rng.permutation(y.n_nodes))
        assert gm.match(x, mixed, matcher="exact").upper == found.upper


def test_twins_do_not_explode_the_tree():
    """Stars of equal leaves, and of leaves of two kinds: the answer does not take a factorial of rounds."""
    star = [(0, i) for i in range(1, 13)]
    y = gm.Graph([[1.0]] * 7 + [[0.5]] * 6, star + [(1, 2), (3, 4)])
    x = gm.Graph([[0.7]] * 13, star)
    found = gm.match(x, y, matcher=gm.Exact(max_tree_nodes=300))
    assert found.certified


def test_a_limit_in_seconds_begins_each_pair_from_its_own_warm_mapping():
    _, batch = collection(5, Kind(1, 1), "signed", 8, 12, 11, density=0.3)
    pairs, order = neighbours(8), resolve_order("auto", batch)
    best = gm.Exact().solve(batch, batch, pairs, order, 1)
    limited = gm.Exact(max_tree_nodes=1, max_seconds=60.0).solve(batch, batch, pairs, order, 1, warm=best.flat)
    np.testing.assert_allclose(limited.upper, best.upper, rtol=1e-9)


def test_a_limit_gives_an_interval_and_more_rounds_a_narrower_one():
    _, batch = collection(7, Kind(0, 1), "positive", 12, 14, 13, density=0.3)
    pairs, order = neighbours(12), resolve_order("auto", batch)
    gaps = []
    for limit in (1, 10, None):
        found = gm.Exact(max_tree_nodes=limit).solve(batch, batch, pairs, order, 1)
        gaps.append(found.upper.sum() - found.lower.sum())
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] == pytest.approx(0.0, abs=1e-7)


def test_auto_proves_most_trees_and_never_loses_to_search():
    graphs = [rooted_tree(seed) for seed in range(24)]
    batch = gm.GraphEncoder().fit_transform(graphs)
    pairs, order = neighbours(24), resolve_order("auto", batch)
    auto, search = (matcher.solve(batch, batch, pairs, order, 1) for matcher in (Auto(), gm.Search()))
    assert (auto.upper <= search.upper + 1e-9).all()
    assert (auto.lower >= search.lower - 1e-9).all()
    assert np.mean(auto.upper - auto.lower <= 1e-9 * auto.upper) >= 0.9
    without = Auto(effort=0.2).solve(batch, batch, pairs, order, 1)
    np.testing.assert_array_equal(without.upper, gm.Search(effort=0.2).solve(batch, batch, pairs, order, 1).upper)


def rooted_tree(seed):
    """A tree of about 26 nodes with labels, the depth as role."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 33))
    parent = [int(rng.integers(max(0, i - 8), i)) for i in range(1, size)]
    depth = [0]
    for i in parent:
        depth.append(depth[i] + 1)
    return gm.Graph(np.eye(8)[rng.integers(8, size=size)], [(p, i + 1) for i, p in enumerate(parent)], roles=depth)


def test_nothing_is_calculated_with_memory_that_nobody_has_written(monkeypatch):
    """A fit warned of invalid values now and then: of pairs that the program leaves out, answers were what was in memory."""
    _, batch = collection(2, Kind(1, 1), "positive", 6, 11, 11, density=0.3)
    pairs, order = neighbours(6), resolve_order("auto", batch)
    opposite = replace(batch, edge_values=-batch.edge_values)
    before = gm.matching.auto.Auto().solve(batch, opposite, pairs, order, 1)
    empty = np.empty

    def filled(*args, **options):
        made = empty(*args, **options)
        if made.dtype == np.float64:
            made.view(np.uint64)[...] = 0x7FF4000000000001  # a NaN that makes NumPy warn
        return made

    monkeypatch.setattr(np, "empty", filled)
    with np.errstate(invalid="raise"):
        found = gm.matching.auto.Auto().solve(batch, opposite, pairs, order, 1)
    assert np.array_equal(found.upper, before.upper)
    assert np.array_equal(found.lower, before.lower)


def test_what_has_too_many_couples_or_only_charges_goes_to_the_other_tree():
    _, batch = collection(2, Kind(1, 1), "positive", 6, 11, 11, density=0.3)
    pairs, order, cut = neighbours(6), resolve_order("auto", batch), np.full(3, np.inf)
    opposite = replace(batch, edge_values=-batch.edge_values)
    for few in (0, 40):
        found, done = solve_by_edges(batch, batch, pairs, order, 1, 5, None, cut, max_couples=few)
        assert not done.any()
        assert (found.lower == 0).all()  # and not what was in memory, with which one calculates at one's peril
        assert (found.upper == np.inf).all()
    assert not solve_by_edges(batch, opposite, pairs, order, 1, 5, None, cut)[1].any()
    assert solve_by_edges(batch, batch, pairs, order, 1, 5, None, cut)[1].all()
    for other in (batch, opposite):
        found = gm.Exact().solve(batch, other, pairs, order, 1)
        truth = search_assignments(batch, other, pairs, order, 1, UNLIMITED, None, cut)
        np.testing.assert_allclose(found.upper, truth.upper, rtol=1e-9)
        np.testing.assert_allclose(found.lower, found.upper, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("style", ["signed", "one-hot"])
def test_the_scale_of_attributes_does_not_matter(style, scale):
    _, batch = collection(4, Kind(1, 2), style, 12, 8, 6)
    pairs, order = neighbours(12), resolve_order("auto", batch)
    scaled = batch.scaled(scale, scale)
    for solve in (lambda b: edge_bounds(b, b, pairs, order, 1), lambda b: by_edges(b, pairs, order)[1]):
        np.testing.assert_allclose(solve(scaled), scale * solve(batch), rtol=1e-6)


def test_nothing_to_do():
    for x, y in ((gm.Graph(0), gm.Graph(0)), (gm.Graph(0), gm.Graph([[3.0, 4.0]])), (gm.Graph(3), gm.Graph(2))):
        assert gm.edge_bound(x, y) == pytest.approx(gm.distance(x, y, matcher="exact"), abs=1e-9)
    for wrong in (0, -1, 2.5, True, "many"):
        with pytest.raises(gm.GraphError, match="rounds must be a whole number of at least 1"):
            gm.edge_bound(gm.Graph(2), gm.Graph(2), rounds=wrong)


@pytest.mark.parametrize("scale", [2.0**-500, 2.0**-530, 2.0**-600], ids=str)
def test_graphs_too_small_for_their_space_are_not_told_apart_and_end_the_search(scale: float):
    """Squares of their differences are no numbers: no tree without a limit may look for the least of them, nor divide by them."""
    rng = np.random.default_rng(0)

    def ring(size: float) -> gm.Graph:
        edges = [*((i, (i + 1) % 14) for i in range(14)), *((i, (i + 5) % 14) for i in range(0, 14, 2))]
        return gm.Graph(rng.integers(1, 4, (14, 1)) * size, edges, rng.integers(1, 4, (len(edges), 1)) * size)

    graphs = [ring(1.0), ring(scale), ring(scale)]
    found = gm.pairwise_distances(graphs, matcher="exact")
    assert 0.0 < found[1, 2] <= 2.0**-478  # below this, in units of the space, nothing is told apart
    assert found[0, 1] == pytest.approx(gm.distance(graphs[0], graphs[1], matcher="search"), rel=1e-9)
