"""Every kernel on graphs that are small enough for plain Python: against the oracle, and the same compiled or not.

`make coverage` runs this folder once more with NUMBA_DISABLE_JIT=1, where the tracer sees the kernels' lines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import graphmeans as gm
import oracle
from graphmeans.matching import bounds
from graphmeans.matching.edge_bound import edge_bounds, solve_by_edges
from strategies import Kind, random_collection, relabelled

KINDS = {
    "letters": Kind(2, 1),
    "bare": Kind(0, 1),
    "vector edges": Kind(1, 2),
    "directed": Kind(1, 2, directed=True),
    "roles": Kind(1, 1, roles=("a", "b")),
}
MATCHERS = {"exact": gm.Exact(), "search": gm.Search(effort=0.1), "graduated": gm.Graduated()}


def encoded(graphs):
    return gm.GraphEncoder(numbers="keep").fit_transform(graphs)


def order_of(batch):
    return batch.role_counts.max(axis=0)


@pytest.mark.parametrize("order", ["auto", None])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matcher", MATCHERS)
def test_matchers_are_honest(matcher, kind, order):
    graphs = random_collection(1, KINDS[kind], 8, max_nodes=3)
    for x, y in zip(graphs[:4], graphs[4:], strict=True):
        truth = oracle.distance(x, y, order)
        found = gm.match(x, y, matcher=MATCHERS[matcher], order=order)
        assert found.lower <= truth + 1e-9
        assert found.upper >= truth - 1e-9
        assert found.upper == pytest.approx(oracle.mapping_cost(x, y, found.indices, order), abs=1e-9)
        if matcher == "exact":
            assert found.upper == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_larger_graphs_are_found_again_under_other_numbers(kind, rng):
    graphs = random_collection(2, KINDS[kind], 3, max_nodes=7, min_nodes=6)
    for x in graphs:
        for matcher in MATCHERS.values():
            y = relabelled(x, rng.permutation(x.n_nodes))
            found = gm.match(x, y, matcher=matcher)
            assert found.upper == pytest.approx(oracle.mapping_cost(x, y, found.indices), abs=1e-9)
            if matcher.name != "graduated":
                assert found.upper == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_stand_in_their_order_below_the_distance(kind):
    batch = encoded(random_collection(5, KINDS[kind], 10, max_nodes=6, min_nodes=2))
    pairs, order = np.arange(10).reshape(5, 2), order_of(batch)
    exact = gm.Exact().solve(batch, batch, pairs, order).upper
    sorted_rows = bounds.lap_bounds(batch, batch, pairs, order)
    for upper in (None, exact):
        by_edges = edge_bounds(batch, batch, pairs, order, rounds=5, upper=upper)
        assert (sorted_rows <= by_edges).all()
        assert (by_edges <= exact + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_tree_on_the_edge_program_proves_the_distance(kind):
    batch = encoded(random_collection(5, KINDS[kind], 8, max_nodes=5, min_nodes=4))
    pairs, order = np.arange(8).reshape(4, 2), order_of(batch)
    exact = gm.Exact().solve(batch, batch, pairs, order).upper
    found, done = solve_by_edges(batch, batch, pairs, order, 1, 1 << 40, None, np.full(4, np.inf))
    assert done.any()
    np.testing.assert_allclose(found.upper[done], exact[done], atol=1e-9)
    np.testing.assert_allclose(found.lower[done], exact[done], atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matcher", ["exact", "search"])
def test_hints_change_the_work_and_not_the_answer(matcher, kind):
    """Warm mappings, also to fewer nodes than there are; limits below and above the distance; few nodes of the tree."""
    batch = encoded(random_collection(7, KINDS[kind], 12, max_nodes=7, min_nodes=3))
    pairs, order = np.array([(i, j) for i in range(6) for j in range(6, 12)][::5]), order_of(batch)
    plain = gm.Exact().solve(batch, batch, pairs, order)
    solver = gm.Exact(max_tree_nodes=3) if matcher == "exact" else gm.Search(effort=0.1)
    warm = solver.solve(batch, batch, pairs, order, warm=plain.flat)
    np.testing.assert_allclose(warm.upper, plain.upper, atol=1e-9)  # a warm mapping is never lost
    back = pairs[:, ::-1]
    turned = gm.Exact().solve(batch, batch, back, order)
    np.testing.assert_allclose(turned.upper, plain.upper, atol=1e-9)
    np.testing.assert_allclose(solver.solve(batch, batch, back, order, warm=turned.flat).upper, plain.upper, atol=1e-9)
    if matcher == "exact":
        for share in (0.5, 2.0):
            cut = gm.Exact().solve(batch, batch, pairs, order, cutoff=share * plain.upper)
            assert (cut.lower <= plain.upper + 1e-9).all()
            assert (cut.upper >= plain.upper - 1e-9).all()
        np.testing.assert_allclose(cut.upper, plain.upper, atol=1e-9)


def test_twins_and_negative_edges():
    """Nodes that nothing tells apart, and inner products below zero: any two nodes may stay unmatched."""
    star = gm.Graph(np.zeros((6, 1)), [(0, i) for i in range(1, 6)])
    other = gm.Graph(np.zeros((6, 1)), [(5, i) for i in range(5)], [-1.0] * 5)
    batch = encoded([star, other])
    both = gm.Exact().solve(batch, batch, np.array([[0, 1], [1, 0], [0, 0]]), np.array([8]))
    assert both.upper[0] == pytest.approx(both.upper[1])
    assert both.upper[2] == 0.0
    assert both.upper[0] <= np.sqrt(20) + 1e-9  # apart they cost both their squares, every edge counted from both ends


@pytest.mark.parametrize("method", ["lifted", "incremental", "subgradient", "set"])
@pytest.mark.parametrize("kind", KINDS)
def test_objectives_of_means(kind, method):
    graphs = random_collection(3, KINDS[kind], 4, max_nodes=3)
    mean = gm.mean(graphs, method=method, matcher="exact", random_state=0, encoder=gm.GraphEncoder(numbers="keep"))
    room = oracle.places(graphs)
    expected = 0.5 * sum(oracle.distance(x, mean, room if KINDS[kind].roles else room[None]) ** 2 for x in graphs)
    assert mean.objective == pytest.approx(expected, abs=1e-9)
    assert ((mean.node_support > 0) & (mean.node_support <= 1)).all()


@pytest.mark.parametrize("algorithm", ["interval", "lloyd", "elkan", "gvr"])
@pytest.mark.parametrize("kind", ["letters", "directed", "roles"])
def test_graphs_end_with_the_nearest_center(kind, algorithm):
    graphs = random_collection(4, KINDS[kind], 16, max_nodes=3, min_nodes=1, classes=3)
    km = gm.GraphKMeans(3, algorithm=algorithm, random_state=0, n_init=1, matcher="exact", n_jobs=1).fit(graphs)
    distances = km.transform(graphs)
    np.testing.assert_allclose(distances[np.arange(16), km.labels_], distances.min(axis=1), atol=1e-9)
    assert km.inertia_ == pytest.approx((distances.min(axis=1) ** 2).sum())


def test_a_default_fit_and_what_it_predicts():
    graphs, _ = gm.datasets.make_letters(24, random_state=0)
    km = gm.GraphKMeans(6, random_state=0, n_jobs=1).fit(graphs)
    np.testing.assert_array_equal(km.predict(graphs), km.labels_)
    certified = gm.GraphKMeans(4, random_state=0, n_init=1, matcher=gm.Search(effort=0.1), certify=True).fit(graphs[:12])
    assert certified.certified_fraction_ == 1.0


BOTH_WAYS = """
import json, warnings
warnings.simplefilter("error", RuntimeWarning)
import graphmeans as gm
graphs, _ = gm.datasets.make_letters(16, random_state=0)
found = {m: gm.pairwise_distances(graphs[:4], graphs[4:7], matcher=m).tolist() for m in ("exact", "search", "graduated")}
for algorithm in ("interval", "elkan"):
    km = gm.GraphKMeans(3, algorithm=algorithm, random_state=0, n_init=1, n_jobs=1).fit(graphs)
    found[algorithm] = [km.labels_.tolist(), km.inertia_, km.n_matchings_, km.cluster_centers_.nodes.tolist()]
print(json.dumps(found))
"""


def test_compiled_or_not_the_bits_are_the_same():
    found = []
    for disabled in "01":
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        ran = subprocess.run([sys.executable, "-c", BOTH_WAYS], capture_output=True, text=True, env=environment)
        assert ran.returncode == 0, ran.stderr
        found.append(json.loads(ran.stdout))
    assert "compiling" not in ran.stderr
    assert found[0] == found[1]


def test_what_is_no_number_is_an_error_and_no_index():
    graphs = [gm.Graph(np.arange(3.0)[:, None], [(0, 1)]), gm.Graph(np.ones((3, 1)), [(1, 2)])]
    batch = gm.GraphEncoder(numbers="keep").fit_encode(graphs)
    broken = replace(batch, nodes=np.full_like(batch.nodes, np.nan))
    with pytest.raises(gm.GraphError, match="some attribute is not a finite number"):
        bounds.lap_bounds(broken, broken, np.array([[0, 1]]), np.array([3]))
