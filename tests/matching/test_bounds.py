"""Every lower bound stays below D, for every kind of graph, and the bounds stand in the order that MATH.md says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
import oracle
from effort import examples
from graphmeans.datasets import paper
from graphmeans.matching import bounds
from graphmeans.matching import sketch as sketches
from graphmeans.matching.edge_bound import edge_bounds
from graphmeans.matching.sketch import (
    SKETCH_KINDS,
    pairwise_sketch_bounds,
    sketch_batch,
    sketch_distances,
    sketch_order,
)
from graphmeans.space import resolve_order
from iam import iam_path
from strategies import Kind, random_collection, relabelled, round_collections

SOLVED = {"lap": bounds.lap_bounds, "edges": edge_bounds}
EVERY_KIND = [
    Kind(2, 1), Kind(0, 1), Kind(1, 3), Kind(1, 2, directed=True), Kind(0, 1, directed=True), Kind(1, 1, roles=("a", "b")),
    Kind(0, 2, True, ("a", "b")), Kind(1, 3, False, ("a", "b", "c")),
]  # fmt: skip


def packed(graphs, order="auto"):
    """The graphs as they are, and the order of their space."""
    batch = gm.GraphEncoder(numbers="keep").fit_transform(graphs)
    return batch, resolve_order(order, batch)


def all_bounds(x, y, order):
    """Every bound of one pair by name."""
    batch, places = packed([x, y], order)
    pair = np.array([[0, 1]])
    found = {"norm": bounds.norm_bounds(batch, batch, pair)[0]}
    for kind in SKETCH_KINDS:
        f = sketch_batch(batch, places, kind)
        found[kind] = sketch_distances(f[:1], f[1:])[0, 0]
        assert found[kind] == pytest.approx(np.linalg.norm(f[0] - f[1]), abs=1e-5)
    for name, solve in SOLVED.items():
        found[name] = solve(batch, batch, pair, places)[0]
    return found


def wider(pair):
    """An order with a place more than the pair needs, in each role."""
    room = {role: count + 1 for role, count in oracle.places(pair).items()}
    return room if pair[0].roles is not None or not room else room[None]


@st.composite
def pairs_with_order(draw):
    pair = draw(round_collections(min_size=2, max_size=2))
    return (*pair, draw(st.sampled_from(["auto", None, wider(pair)])))


def check_chain(found, truth, roles):
    slack = 1e-6 * (1 + truth)  # the sketches and the bounds of equal graphs are taken a little low
    for name, value in found.items():
        assert 0 <= value <= truth + 1e-9 * (1 + truth), name
    if not roles:
        assert found["rows"] <= found["lap"] + slack
    assert found["lap"] <= found["edges"]


@given(pairs_with_order())
@examples(400)
def test_every_bound_is_below_the_distance_and_in_order(example):
    x, y, order = example
    check_chain(all_bounds(x, y, order), oracle.distance(x, y, order), x.roles is not None or y.roles is not None)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
@pytest.mark.parametrize("order", ["auto", None])
def test_every_bound_is_below_the_exact_distance_of_larger_graphs(kind, order):
    size = 6 if order is None else 8
    graphs = random_collection(5, kind, 24, max_nodes=size, min_nodes=2)
    for x, y in zip(graphs[:12], graphs[12:], strict=True):
        truth = gm.distance(x, y, matcher="exact", order=order)
        check_chain(all_bounds(x, y, order), truth, kind.roles)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
def test_bounds_know_neither_numbering_nor_sides(kind, rng):
    graphs = random_collection(3, kind, 8, max_nodes=6)
    mixed = [relabelled(graph, rng.permutation(graph.n_nodes)) for graph in graphs]
    batch, order = packed(graphs + mixed)
    pairs = np.array([(i, j) for i in range(8) for j in range(8)])
    one = bounds.lap_bounds(batch, batch, pairs, order)
    np.testing.assert_allclose(one, bounds.lap_bounds(batch, batch, pairs[:, ::-1], order), atol=1e-6)
    np.testing.assert_allclose(one, bounds.lap_bounds(batch, batch, pairs + 8, order), atol=1e-6)
    np.testing.assert_array_equal(one, bounds.lap_bounds(batch, batch, pairs, order, n_jobs=1))
    for sketch_kind in SKETCH_KINDS:
        f = sketch_batch(batch, order, sketch_kind)
        np.testing.assert_allclose(f[:8], f[8:], atol=1e-9)
    # the rounds of the edge program end near the best multipliers: how near does depend on the numbering, a little
    one = edge_bounds(batch, batch, pairs, order)
    np.testing.assert_array_equal(one, edge_bounds(batch, batch, pairs, order, n_jobs=1))
    for other in (pairs + 8, pairs[:, ::-1]):
        assert np.abs(one - edge_bounds(batch, batch, other, order)).mean() <= 0.01 * one.mean()


def test_bounds_are_exact_where_the_problem_is_linear():
    """Edgeless graphs are one assignment; graphs whose roles occur once leave nothing to choose."""
    points = random_collection(0, Kind(2, 1), 12, max_nodes=6, density=0.0)
    batch, order = packed(points)
    pairs = np.arange(12).reshape(6, 2)
    truth = gm.Exact().solve(batch, batch, pairs, order).upper
    for solve in SOLVED.values():
        np.testing.assert_allclose(solve(batch, batch, pairs, order), truth, rtol=1e-9)

    labelled = [
        gm.Graph(g.nodes[""], g.edges, g.edge_attributes[""], roles=range(g.n_nodes), directed=True)
        for g in random_collection(1, Kind(2, 2, directed=True), 12, max_nodes=5)
    ]
    batch, order = packed(labelled)
    truth = gm.Exact().solve(batch, batch, pairs, order).upper
    np.testing.assert_allclose(edge_bounds(batch, batch, pairs, order), truth, rtol=0.2)  # negative products are left out
    for kind in SKETCH_KINDS:
        f = sketch_batch(batch, order, kind)
        np.testing.assert_allclose(sketch_distances(f, f)[pairs[:, 0], pairs[:, 1]], truth, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_bounds_keep_their_digits_at_every_scale(scale):
    graphs = random_collection(2, Kind(1, 2, roles=("a", "b")), 20, max_nodes=6, min_nodes=3)
    batch, order = packed(graphs)
    pairs = np.arange(20).reshape(10, 2)
    scaled = batch.scaled(scale, scale)
    for solve in SOLVED.values():
        expected = scale * solve(batch, batch, pairs, order)
        np.testing.assert_allclose(solve(scaled, scaled, pairs, order), expected, rtol=1e-6)


def test_rounding_never_lifts_a_bound_above_zero(rng):
    graphs = random_collection(4, Kind(2, 3), 10, max_nodes=8, min_nodes=6)
    batch, order = packed(graphs + [relabelled(graph, rng.permutation(graph.n_nodes)) for graph in graphs])
    pairs = np.stack([np.arange(10), np.arange(10, 20)], axis=1)
    for solve in SOLVED.values():
        np.testing.assert_array_equal(solve(batch, batch, pairs, order), 0.0)
    np.testing.assert_array_equal(pairwise_sketch_bounds(batch, batch, order)[pairs[:, 0], pairs[:, 1]], 0.0)


def test_no_pairs_and_no_graphs():
    batch, order = packed([gm.Graph(0), gm.Graph(0)])
    none, both = np.empty((0, 2), dtype=np.int64), np.array([[0, 1]])
    for solve in SOLVED.values():
        assert solve(batch, batch, none, order).shape == (0,)
        assert solve(batch, batch, both, order).tolist() == [0.0]
    assert pairwise_sketch_bounds(batch, batch, order).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@given(round_collections(min_size=3, max_size=6), st.sampled_from(["auto", None]))
@examples(100)
def test_sketches_of_a_collection_bound_all_its_distances(graphs, order):
    batch, places = packed(graphs, order)
    truth = gm.pairwise_distances(graphs, matcher="exact", order=order)
    assert (pairwise_sketch_bounds(batch, batch, places) <= truth + 1e-9).all()
    # in pieces, or both batches apart, the same
    first, rest = batch.take([0]), batch.take(np.arange(1, len(graphs)))
    together = sketch_order(places, first, rest)
    for kind in SKETCH_KINDS:
        parts = np.concatenate([sketch_batch(first, together, kind), sketch_batch(rest, together, kind)])
        np.testing.assert_allclose(parts, sketch_batch(batch, places, kind), atol=1e-12)


def test_sketches_in_small_blocks_are_the_same(monkeypatch):
    batch, order = packed(random_collection(8, Kind(1, 2, directed=True), 30, max_nodes=5))
    whole = [sketch_batch(batch, order, kind) for kind in SKETCH_KINDS]
    monkeypatch.setattr("graphmeans.matching.sketch.NUMBERS_AT_ONCE", 300)
    for kind, expected in zip(SKETCH_KINDS, whole, strict=True):
        np.testing.assert_allclose(sketch_batch(batch, order, kind), expected, atol=1e-12)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_large_order_changes_the_work_but_not_the_sketch(kind, monkeypatch):
    """Small graphs are laid out in few places and get the zeros of all others afterwards."""
    small, large = random_collection(5, kind, 30, 20, density=0.3), random_collection(6, kind, 2, 45, 40, density=0.1)
    batch, _ = packed(small + large)
    order = batch.role_counts.max(axis=0) + 3
    laid_out = []
    dense = sketches._dense

    def counting(batch, which, starts):
        laid_out.append((len(which), int(starts[-1])))
        return dense(batch, which, starts)

    monkeypatch.setattr(sketches, "_dense", counting)
    found = [sketch_batch(batch, order, name) for name in SKETCH_KINDS]
    assert len({n for _, n in laid_out}) > 1
    assert sum(count for count, n in laid_out if n > 34) <= 2 * len(SKETCH_KINDS)
    some = batch.take([3, 31, 7])
    for name, values in zip(SKETCH_KINDS, found, strict=True):
        np.testing.assert_array_equal(sketch_batch(some, order, name), values[[3, 31, 7]])  # the same in whatever company
    monkeypatch.setattr(sketches, "ONE_SIZE", 10**9)
    for name, values in zip(SKETCH_KINDS, found, strict=True):
        np.testing.assert_allclose(values, sketch_batch(batch, order, name), atol=1e-12)
    assert {n for _, n in laid_out[-2:]} == {int(order.sum())}


def test_a_sketch_refuses_what_it_cannot_do():
    graphs = [gm.Graph([[1.0], [2.0]], [(0, 1)]), gm.Graph([[1.0]])]
    batch, _ = packed(graphs)
    with pytest.raises(gm.GraphError, match="graph 0 is larger than the order"):
        sketch_batch(batch, np.array([1]))
    with pytest.raises(gm.GraphError, match="kind must be"):
        sketch_batch(batch, np.array([2]), "rwos")
    with pytest.raises(gm.GraphError, match="order 1 is smaller"):
        gm.sketch(graphs, order=1)


def test_the_public_sketch_sees_weights_and_order():
    graphs = random_collection(9, Kind(2, 2), 6, max_nodes=5)
    weights = {"node_weight": 4.0, "edge_weight": 0.25}
    truth = gm.pairwise_distances(graphs, matcher="exact", order=6, **weights)
    for kind in SKETCH_KINDS:
        f = gm.sketch(graphs, order=6, kind=kind, **weights)
        assert (sketch_distances(f, f) <= truth + 1e-9).all()
    assert gm.sketch(graphs, order=None).shape[1] > gm.sketch(graphs).shape[1]


def test_letters_are_bounded_as_well_as_promised():
    """MATH.md, raw Letter LOW: sketch .76 (other class) to .84 (same class) of D, LAP .86 to .94."""
    graphs, classes = paper.letter(iam_path(), standardised=False)
    batch, order = packed(graphs)
    pairs = np.random.default_rng(0).integers(len(graphs), size=(4000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    truth = gm.Exact().solve(batch, batch, pairs, order).upper
    sketched = pairwise_sketch_bounds(batch, batch, order)[pairs[:, 0], pairs[:, 1]] / truth
    assigned = bounds.lap_bounds(batch, batch, pairs, order) / truth
    for ratio, other_class, same_class in ((sketched, 0.76, 0.84), (assigned, 0.86, 0.94)):
        assert ratio[~same].mean() == pytest.approx(other_class, abs=0.02)
        assert ratio[same].mean() == pytest.approx(same_class, abs=0.02)
    by_edges = edge_bounds(batch, batch, pairs[:1000], order) / truth[:1000]
    assert np.isclose(by_edges, 1.0, rtol=1e-6).mean() >= 0.9
