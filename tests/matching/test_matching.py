"""One pair at a time: lower <= D <= upper, and a mapping that attains upper, for every matcher and kind of graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import graphmeans as gm
import oracle
from effort import examples
from graphmeans import GraphSpace
from graphmeans.space import resolve_order
from strategies import Kind, kinds, random_collection, relabelled, round_collections

LETTER, DIRECTED, ROLES = Kind(2, 1), Kind(1, 2, directed=True), Kind(1, 1, roles=("a", "b"))


@st.composite
def orders(draw, pair):
    """Every way of giving an order for this pair."""
    room = oracle.places(pair)
    wider = {role: count + draw(st.integers(0, 1)) for role, count in room.items()}
    choices = ["auto", None, wider]
    if not wider:
        choices = ["auto", None]
    elif all(g.roles is None for g in pair):
        choices = ["auto", None, wider[None]]
    return draw(st.sampled_from(choices))


@st.composite
def pairs_with_order(draw):
    pair = draw(round_collections(min_size=2, max_size=2))
    return (*pair, draw(orders(pair)))


def check(match, x, y, order, exactly):
    truth = oracle.distance(x, y, order)
    slack = 1e-9 * (1 + truth)
    assert match.lower <= truth + slack
    assert match.upper >= truth - slack
    assert match.upper == pytest.approx(oracle.mapping_cost(x, y, match.indices, order), abs=1e-9)
    if match.certified:
        assert match.upper == pytest.approx(truth, abs=1e-7)
    if exactly:
        assert match.upper == pytest.approx(truth, abs=1e-9)
        assert match.certified
        assert match.matcher == "exact"


@given(pairs_with_order())
@examples(400)
def test_exact_is_the_minimum_over_all_permutations(example):
    x, y, order = example
    check(gm.match(x, y, matcher="exact", order=order), x, y, order, exactly=True)
    assert gm.distance(x, y, matcher="exact", order=order) == pytest.approx(oracle.distance(x, y, order), abs=1e-9)


@pytest.mark.parametrize("kind", [Kind(0, 1), LETTER, Kind(1, 2), DIRECTED, ROLES, Kind(0, 1, True, ("a", "b"))])
@pytest.mark.parametrize("order", ["auto", 6, None])
def test_exact_on_larger_graphs_without_ties(kind, order):
    size = 3 if order is None else 6
    if kind.roles and order == 6:
        order = {"a": 3, "b": 4}
    graphs = random_collection(7, kind, 12, max_nodes=size)
    for x, y in zip(graphs[:6], graphs[6:], strict=True):
        check(gm.match(x, y, matcher="exact", order=order), x, y, order, exactly=True)


def test_twins_do_not_make_the_search_endless():
    """Exchanging two nodes that are alike changes nothing, whatever rounding says."""
    x = gm.Graph([[2.0], [2.0]])
    y = gm.Graph([[7 / 11], [10 / 11], [0.0]], [(0, 1), (1, 2)], [0.13636363636363635, 0.2727272727272727])
    check(gm.match(x, y, matcher="exact"), x, y, "auto", exactly=True)
    rng = np.random.default_rng(0)
    for _ in range(100):
        twins = gm.Graph(np.repeat(rng.normal(size=(2, 1)), 2, axis=0))
        other = gm.Graph(rng.normal(size=(4, 1)), [(0, 1), (2, 3)], rng.normal(size=2))
        for matcher in ("exact", "graduated"):
            check(gm.match(twins, other, matcher=matcher), twins, other, "auto", exactly=matcher == "exact")


@given(pairs_with_order())
@examples(150)
def test_graduated_gives_honest_bounds(example):
    x, y, order = example
    check(gm.match(x, y, matcher="graduated", order=order), x, y, order, exactly=False)


@pytest.mark.parametrize("kind", [LETTER, Kind(1, 2), DIRECTED, ROLES])
def test_graduated_is_good_on_small_graphs(kind):
    graphs = random_collection(3, kind, 40, max_nodes=5, min_nodes=3)
    found, best = [], []
    for x, y in zip(graphs[:20], graphs[20:], strict=True):
        match = gm.match(x, y, matcher="graduated")
        check(match, x, y, "auto", exactly=False)
        found.append(match.upper)
        best.append(gm.distance(x, y, matcher="exact"))
    assert np.mean(np.array(found) <= np.array(best) + 1e-9) >= 0.5
    assert np.sum(found) <= 1.1 * np.sum(best)


@pytest.mark.parametrize("matcher", ["exact", "graduated"])
@pytest.mark.parametrize("kind", [LETTER, DIRECTED, ROLES])
def test_isomorphic_graphs_are_recognised_without_rounding(kind, matcher):
    rng = np.random.default_rng(1)
    graphs = random_collection(2, kind, 20, max_nodes=6, min_nodes=3)
    zeros = 0
    for g in graphs:
        permutation = rng.permutation(g.n_nodes)
        match = gm.match(g, relabelled(g, permutation), matcher=matcher)
        if match.upper < 1e-12:  # the difference of norms would leave 1e-8
            zeros += 1
            assert [permutation[j] for j in match.indices] == list(range(g.n_nodes))
    assert zeros == len(graphs) if matcher == "exact" else zeros >= 0.8 * len(graphs)


def test_mapping_speaks_the_callers_node_names():
    x = gm.Graph([[0.0], [10.0], [-3.0]], node_ids=["u", "v", "w"])
    y = gm.Graph([[10.5], [0.5]], node_ids=[("p", 1), ("p", 2)])
    match = gm.match(x, y, matcher="exact")
    assert match.mapping == {"u": ("p", 2), "v": ("p", 1), "w": None}
    assert match.indices.tolist() == [1, 0, -1]


def test_two_real_nodes_stay_unmatched_while_null_nodes_are_left():
    x, y = gm.Graph([[1.0]]), gm.Graph([[-1.0]])
    assert gm.match(x, y, matcher="exact").indices.tolist() == [0]
    assert gm.match(x, y, matcher="exact", order=2).indices.tolist() == [-1]
    assert gm.match(x, y, matcher="exact", order=None).upper == pytest.approx(np.sqrt(2))


@given(st.integers(0, 10_000), kinds())
@examples(60)
def test_a_limited_search_stays_honest(seed, kind):
    x, y = random_collection(seed, kind, 2, max_nodes=5, min_nodes=3)
    match = gm.match(x, y, matcher="exact", max_tree_nodes=1)
    check(match, x, y, "auto", exactly=False)
    assert gm.match(x, y, matcher=gm.Exact(max_tree_nodes=1)).upper == match.upper
    tolerance = 1e-9 * (np.sqrt(norm(x)) + np.sqrt(norm(y)))
    assert match.certified == (match.upper - match.lower <= tolerance)


def norm(g):
    room = oracle.places([g])
    x = oracle.dense(g, room, *oracle.widths([g]))[0]
    return (x.nodes**2).sum() + (x.edges**2).sum()


def test_a_limit_is_sometimes_reached_and_then_said():
    graphs = random_collection(5, Kind(0, 1), 40, max_nodes=8, min_nodes=7)
    limited = [gm.match(x, y, matcher="exact", max_tree_nodes=1) for x, y in zip(graphs[:20], graphs[20:], strict=True)]
    assert not all(m.certified for m in limited)
    assert all(m.lower < m.upper for m in limited if not m.certified)
    full = [gm.match(x, y, matcher="exact") for x, y in zip(graphs[:20], graphs[20:], strict=True)]
    assert all(m.certified for m in full)
    assert any(a.upper > b.upper + 1e-9 for a, b in zip(limited, full, strict=True))
    for a, b in zip(limited, full, strict=True):
        assert a.lower <= b.upper + 1e-9 <= a.upper + 2e-9


def test_a_limit_in_seconds_is_accepted_and_generous_ones_change_nothing():
    x, y = random_collection(1, LETTER, 2, max_nodes=5, min_nodes=5)
    match = gm.match(x, y, matcher="exact", max_seconds=60.0)
    assert match.certified
    assert match.upper == gm.match(x, y, matcher="exact").upper


def test_auto_is_exact_on_small_graphs():
    x, y = random_collection(4, LETTER, 2, max_nodes=4, min_nodes=4)
    assert gm.match(x, y).upper == pytest.approx(oracle.distance(x, y), abs=1e-9)
    assert gm.distance(x, y) == gm.match(x, y).upper


def test_matchers_are_objects_with_parameters():
    for matcher in (gm.Exact(max_tree_nodes=10), gm.Graduated(beta0=0.4)):
        assert clone(matcher).get_params() == matcher.get_params()
        x, y = random_collection(4, LETTER, 2, max_nodes=4, min_nodes=4)
        check(gm.match(x, y, matcher=matcher), x, y, "auto", exactly=False)
    published = gm.Graduated().get_params()
    assert (published["beta0"], published["beta_max"], published["rate"]) == (0.5, 10.0, 1.075)
    assert (published["assignments"], published["sinkhorn"]) == (4, 30)


def test_every_constant_of_graduated_assignment_is_used():
    """A matcher that stops at once is worse than the published one, whichever constant stops it."""
    graphs = random_collection(11, Kind(0, 1), 60, max_nodes=7, min_nodes=6)
    pairs = list(zip(graphs[:30], graphs[30:], strict=True))

    def uppers(**constants):
        return [gm.match(x, y, matcher=gm.Graduated(**constants)).upper for x, y in pairs]

    usual = uppers()
    for change in ({"beta0": 9.0}, {"beta_max": 0.6}, {"rate": 4.0}, {"assignments": 1}, {"sinkhorn": 1}):
        assert uppers(**change) != usual, change


def test_matching_is_deterministic():
    x, y = random_collection(8, LETTER, 2, max_nodes=6, min_nodes=6)
    for matcher in ("exact", "graduated"):
        one, two = gm.match(x, y, matcher=matcher), gm.match(x, y, matcher=matcher)
        assert one.upper == two.upper
        assert one.indices.tolist() == two.indices.tolist()


@pytest.mark.parametrize("matcher", ["exact", "graduated"])
def test_empty_graphs(matcher):
    empty, one = gm.Graph(np.zeros((0, 2))), gm.Graph([[3.0, 4.0]])
    assert gm.match(empty, empty, matcher=matcher).upper == 0.0
    assert gm.match(empty, one, matcher=matcher).upper == pytest.approx(5.0)
    assert gm.match(one, empty, matcher=matcher).indices.tolist() == [-1]
    assert gm.match(one, gm.Graph(0), matcher=matcher).upper == pytest.approx(5.0)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("kind", ["letters", "vector edges", "directed", "roles"])
def test_no_other_alignment_is_nearer_than_the_second(kind, positive):
    """`second` of the exact matcher: x aligned in any other way is at least so far from y."""
    kinds = {"letters": Kind(2, 1), "vector edges": Kind(1, 3), "directed": Kind(1, 2, directed=True),
             "roles": Kind(1, 1, roles=("a", "b"))}  # fmt: skip
    with_margin = 0
    for seed in range(3):
        graphs = random_collection(seed, kinds[kind], 5, max_nodes=5, min_nodes=2)
        batch = gm.GraphEncoder().fit_transform(graphs)
        if positive:
            batch = replace(batch, nodes=abs(batch.nodes), edge_values=abs(batch.edge_values))
        space = GraphSpace(resolve_order("auto", batch), batch.role_names, matcher=gm.Exact(), n_jobs=1)
        pairs = np.array([(i, j) for i in range(5) for j in range(5) if i != j])
        warm = space.match(batch, batch, pairs)
        again = space.match(batch, batch, pairs, warm=warm.flat), space.match(batch, batch, pairs, cutoff=warm.upper)
        for found in (warm, *again):
            for p, (i, j) in enumerate(pairs):
                second = others_at_least(batch, space.order, i, j, found.mapping(p))
                assert found.second[p] <= max(second, found.upper[p]) * (1 + 1e-9)
                with_margin += found.second[p] > found.upper[p] * (1 + 1e-6)
    assert with_margin > 10


def others_at_least(batch, order, i, j, mapping):
    """The least distance of x aligned otherwise than by `mapping` from y, by trying everything."""
    room = {role: int(n) for role, n in enumerate(order)}
    x, y = dense_row(batch, i, order), dense_row(batch, j, order)
    at_x, at_y = x[1], y[1]
    free = [place for place in range(sum(room.values())) if place not in at_y]
    least = np.inf
    for p in oracle.permutations(room):
        place_of_x = np.empty(len(p), dtype=int)
        place_of_x[p] = np.arange(len(p))  # P.x shows at place q what place p[q] held
        moved = oracle.moved(x[0], p)
        cost = np.sqrt(oracle.squared(moved, y[0]))
        target = [place_of_x[a] for a in at_x]
        same = all((t in free) if m < 0 else t == at_y[m] for t, m in zip(target, mapping, strict=True))
        if not same:
            least = min(least, cost)
    return least


def dense_row(batch, i, order):
    """Graph i of a batch as the oracle's dense arrays, and the place of each of its nodes."""
    starts = np.concatenate([[0], np.cumsum(order)])
    seen = dict.fromkeys(range(len(order)), 0)
    rows = range(batch.node_ptr[i], batch.node_ptr[i + 1])
    place = []
    for row in rows:
        role = int(batch.roles[row])
        place.append(int(starts[role]) + seen[role])
        seen[role] += 1
    n, channels = int(starts[-1]), batch.edge_values.shape[1]
    nodes, edges = np.zeros((n, batch.nodes.shape[1])), np.zeros((n, n, channels))
    nodes[place] = batch.nodes[rows.start : rows.stop]
    for e in range(batch.edge_ptr[i], batch.edge_ptr[i + 1]):
        a, b = (place[t] for t in batch.ends[e])
        value = batch.edge_values[e]
        edges[a, b] = value
        edges[b, a] = np.roll(value, channels // 2) if batch.directed else value
    return oracle.Dense(nodes, edges), place


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_a_cutoff_below_the_distance_still_gives_a_mapping(size, positive):
    """Whatever was cut, `upper` belongs to the mapping and `lower` is no more than the distance."""
    for seed in range(4):
        graphs = random_collection(seed, Kind(2, 1), 10, max_nodes=size, min_nodes=1)
        batch = gm.GraphEncoder().fit_transform(graphs)
        if positive:
            batch = replace(batch, nodes=abs(batch.nodes), edge_values=abs(batch.edge_values))
        space = GraphSpace(resolve_order("auto", batch), batch.role_names, matcher=gm.Exact(), n_jobs=1)
        pairs = np.array([(i, j) for i in range(10) for j in range(10)])
        exact = space.match(batch, batch, pairs)
        for share in (0.0, 0.3, 0.9, 1.1):
            found = space.match(batch, batch, pairs, cutoff=share * exact.upper)
            assert (found.lower <= exact.upper + 1e-9).all()
            assert (found.upper >= exact.upper - 1e-9).all()
            assert np.isfinite(found.upper).all()
            assert (found.lower >= np.minimum(share * exact.upper, exact.upper) - 1e-9).all()
            for p, (i, j) in enumerate(pairs):
                mapping = found.mapping(p)
                used = mapping[mapping >= 0]
                assert len(set(used)) == len(used)
                assert (used < batch.sizes[j]).all()
                assert len(mapping) == batch.sizes[i]
