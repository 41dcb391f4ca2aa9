"""The nearest graphs by the cascade, against all distances."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.nearest import cascade as module
from graphmeans.nearest.cascade import Cascade, Found, pairs_within
from graphmeans.nearest.points import Points
from strategies import Kind, random_collection

KINDS = {
    "plain": Kind(1, 1),
    "vectors": Kind(2, 2),
    "directed": Kind(1, 1, directed=True),
    "roles": Kind(1, 1, roles=("a", "b")),
}


def in_space(graphs, **metric):
    batch = gm.GraphEncoder().fit_transform(graphs)
    space = gm.GraphSpace.for_graphs(batch, n_jobs=1, **metric)
    return space, space.weighted(batch)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matcher", [gm.Exact(), gm.Search(effort=0.1)], ids=["exact", "search"])
def test_the_nearest_are_those_of_all_distances(kind, matcher):
    for seed in range(6):
        graphs = random_collection(seed, KINDS[kind], 46, max_nodes=5, min_nodes=0)
        graphs = graphs[:40] + graphs[:3] + graphs[40:]  # with copies
        space, batch = in_space(graphs, matcher=matcher)
        points, queries = Points.of(space, batch.take(np.arange(43))), batch.take(np.arange(43, 49))
        truth = in_space(graphs, matcher=gm.Exact())[0].distances(queries, points.batch)
        for k in (1, 3, 10, 43):
            for q, found in enumerate(Cascade(points).nearest(queries, k)):
                index, distance, proven = found.nearest(k)
                assert len(set(index.tolist())) == len(index) == k
                assert (np.diff(distance) >= 0).all()
                nearest = np.sort(truth[q])[:k]
                if isinstance(matcher, gm.Exact):
                    np.testing.assert_allclose(distance, nearest, atol=1e-9)
                    np.testing.assert_allclose(distance, truth[q, index], atol=1e-9)
                    assert proven.all()
                # What is proven to be among the k nearest is.
                assert (truth[q, index[proven]] <= nearest[-1] + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_all_within_a_radius_are_found(kind):
    for seed in range(4):
        graphs = random_collection(seed, KINDS[kind], 40, max_nodes=5, min_nodes=0)
        space, batch = in_space(graphs, matcher=gm.Exact())
        points, truth = Points.of(space, batch), space.distances(batch)
        for radius in (0.0, float(np.quantile(truth, 0.05)), float(np.quantile(truth, 0.4))):
            pairs = pairs_within(Cascade(points), radius)
            assert pairs.complete.all()
            for q, found in enumerate(Cascade(points).within(batch, radius)):
                index, distance, complete = found.within(radius)
                own = pairs.column[pairs.row == q]
                assert own.tolist() == [i for i in np.sort(index).tolist() if i != q]
                np.testing.assert_allclose(np.sort(pairs.distance[pairs.row == q]), np.sort(distance[index != q]))
                expected = np.flatnonzero(truth[q] <= radius)
                near_the_edge = np.flatnonzero(np.abs(truth[q] - radius) < 1e-9)
                assert set(index.tolist()) ^ set(expected.tolist()) <= set(near_the_edge.tolist())
                assert complete
                assert q in index
                np.testing.assert_allclose(distance, truth[q, index], atol=1e-9)


def test_queries_that_are_too_large_are_compared_at_their_own_order():
    graphs = random_collection(3, Kind(1, 1), 30, max_nodes=4, min_nodes=1)
    large = random_collection(4, Kind(1, 1), 3, max_nodes=7, min_nodes=6)
    encoder = gm.GraphEncoder().fit(graphs)
    space = gm.GraphSpace.for_graphs(encoder.encode(graphs), matcher=gm.Exact(), n_jobs=1)
    points = Points.of(space, space.weighted(encoder.encode(graphs)))
    mixed = space.weighted(encoder.encode([large[0], graphs[0], large[1], large[2]]))
    for q, found in enumerate(Cascade(points).nearest(mixed, 5)):
        _, distance, proven = found.nearest(5)
        order = max(int(space.order[0]), int(mixed.sizes[q]))
        own = gm.GraphSpace(np.array([order]), matcher=gm.Exact(), n_jobs=1)
        expected = own.distances(mixed.take([q]), points.batch)[0]
        np.testing.assert_allclose(distance, np.sort(expected)[:5], atol=1e-9)
        assert proven.all()


def test_a_space_without_a_limit():
    graphs = random_collection(5, Kind(1, 1), 30, max_nodes=4, min_nodes=1)
    large = random_collection(6, Kind(1, 1), 1, max_nodes=7, min_nodes=7)
    encoder = gm.GraphEncoder().fit(graphs)
    space = gm.GraphSpace.for_graphs(encoder.encode(graphs), order=None, matcher=gm.Exact(), n_jobs=1)
    points = Points.of(space, space.weighted(encoder.encode(graphs)))
    queries = space.weighted(encoder.encode(graphs[:3] + large))
    truth = space.distances(queries, points.batch)
    for q, found in enumerate(Cascade(points).nearest(queries, 4)):
        np.testing.assert_allclose(found.nearest(4)[1], np.sort(truth[q])[:4], atol=1e-9)


def test_blocks_of_queries_make_no_difference(monkeypatch):
    graphs, _ = gm.datasets.make_letters(120, random_state=0)
    space, batch = in_space(graphs)
    points, queries = Points.of(space, batch.take(np.arange(100))), batch.take(np.arange(100, 120))
    together = list(Cascade(points).nearest(queries, 5))
    monkeypatch.setattr(module, "BOUNDS_AT_ONCE", 300)
    counts: Counter[str] = Counter()
    for one, other in zip(together, Cascade(points, counts).nearest(queries, 5), strict=True):
        for a, b in zip(one.nearest(5), other.nearest(5), strict=True):
            np.testing.assert_array_equal(a, b)
    assert counts["heads"] == 2000
    assert counts["matchings"] < counts["assignments"] <= counts["sketches"] <= counts["heads"]
    assert counts["matchings"] < 500


def test_what_is_proven_of_intervals():
    found = Found(np.arange(4), np.array([1.0, 1.0, 2.5, 2.0]), np.array([1.0, 2.2, 2.5, 3.0]))
    np.testing.assert_array_equal(found.nearest(1)[2], [True])  # the second may be equally near, but no nearer
    np.testing.assert_array_equal(found.nearest(2)[2], [True, False])  # the first and the last may be nearer than the second
    np.testing.assert_array_equal(found.nearest(3)[2], [True, True, False])
    assert found.within(2.2)[2] is False  # the last may be within
    assert found.within(1.5)[2] is False
    assert found.within(3.0)[2] is True


def test_added_and_removed_graphs():
    graphs = random_collection(7, Kind(1, 1), 40, max_nodes=5, min_nodes=1)
    space, batch = in_space(graphs, matcher=gm.Exact())
    points = Points.of(space, batch.take(np.arange(25))).append(batch.take(np.arange(25, 35))).take(np.arange(5, 35))
    queries = batch.take(np.arange(35, 40))
    truth = space.distances(queries, batch.take(np.arange(5, 35)))
    for q, found in enumerate(Cascade(points).nearest(queries, 6)):
        np.testing.assert_allclose(found.nearest(6)[1], np.sort(truth[q])[:6], atol=1e-9)


def test_sketches_of_large_graphs_are_short(monkeypatch):
    graphs = random_collection(8, Kind(1, 1), 30, max_nodes=6, min_nodes=3)
    space, batch = in_space(graphs, matcher=gm.Exact())
    truth = space.distances(batch.take(np.arange(25, 30)), batch.take(np.arange(25)))
    widths = []
    for longest in (1 << 15, 10):
        monkeypatch.setattr("graphmeans.nearest.points.LONGEST_ROWS", longest)
        points = Points.of(space, batch.take(np.arange(25)))
        widths.append(points.sketches.values.shape[1])
        for q, found in enumerate(Cascade(points).nearest(batch.take(np.arange(25, 30)), 4)):
            np.testing.assert_allclose(found.nearest(4)[1], np.sort(truth[q])[:4], atol=1e-9)
    assert widths[1] < widths[0]


def test_sketches_beyond_the_axes_still_bound(monkeypatch):
    """With few axes, what is off them is one number; nothing may be lost by that."""
    monkeypatch.setattr("graphmeans.nearest.points.AXES", 3)
    for kind in KINDS.values():
        graphs = random_collection(9, kind, 40, max_nodes=5, min_nodes=0)
        space, batch = in_space(graphs, matcher=gm.Exact())
        points = Points.of(space, batch.take(np.arange(30)))
        assert points.sketches.values.shape[1] == 4
        truth = space.distances(batch.take(np.arange(30, 40)), points.batch)
        for q, found in enumerate(Cascade(points).nearest(batch.take(np.arange(30, 40)), 5)):
            np.testing.assert_allclose(found.nearest(5)[1], np.sort(truth[q])[:5], atol=1e-9)
