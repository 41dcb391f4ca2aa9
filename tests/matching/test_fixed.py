"""Where each role occurs at most once there is one alignment: arithmetic gives what the exact matcher finds."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.matching.fixed import alignments_are_fixed, solve_fixed
from graphmeans.space import GraphSpace


def labelled(rng, directed, n_roles=6, dv=2):
    """A graph in which some of the roles occur, each once, in any order."""
    roles = [str(r) for r in rng.permutation(n_roles)[: rng.integers(0, n_roles + 1)]]
    pairs = [(i, j) for i in range(len(roles)) for j in range(len(roles)) if i < j or (directed and i > j)]
    edges = [pair for pair in pairs if rng.random() < 0.5]
    return gm.Graph(rng.normal(size=(len(roles), dv)), edges, rng.normal(size=(len(edges), 2)), directed=directed, roles=roles)


@pytest.mark.parametrize("directed", [False, True])
def test_arithmetic_gives_what_the_exact_matcher_finds(directed):
    rng = np.random.default_rng(3)
    graphs = [labelled(rng, directed) for _ in range(24)]
    batch = gm.GraphEncoder().fit_transform(graphs)
    space = GraphSpace.for_graphs(batch, matcher=gm.Exact())
    pairs = np.stack([part.ravel() for part in np.indices((24, 24))], axis=1)
    assert alignments_are_fixed(space.order, batch)
    found, expected = space.solve(batch, batch, pairs), gm.Exact().solve(batch, batch, pairs, space.order)
    np.testing.assert_allclose(found.upper, expected.upper, rtol=1e-12)
    np.testing.assert_array_equal(found.flat, expected.flat)
    np.testing.assert_array_equal(found.lower, found.upper)
    assert np.isinf(found.second).all()


def test_what_is_not_fixed():
    graphs = [gm.Graph([[1.0], [2.0]], roles=["a", "a"]), gm.Graph([[1.0]], roles=["a"])]
    batch = gm.GraphEncoder().fit_transform(graphs)
    assert not alignments_are_fixed(np.array([2]), batch)
    assert not alignments_are_fixed(np.array([1]), batch)
    assert alignments_are_fixed(np.array([1]), batch.take([1]))
    assert not alignments_are_fixed(np.array([2]), batch.take([1]))
    assert not alignments_are_fixed(np.ones(5000, dtype=np.int64), batch.take([1]))
    assert len(solve_fixed(batch, batch, np.zeros((0, 2), dtype=np.int64), 1, None)) == 0


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.3, 5.0)])
def test_many_distances_are_those_of_rows_and_the_same(directed, weights, monkeypatch):
    rng = np.random.default_rng(4)
    graphs = [labelled(rng, directed) for _ in range(30)]
    graphs += [graphs[0], gm.Graph(0, directed=directed)]
    batch = gm.GraphEncoder().fit_transform(graphs)
    space = GraphSpace.for_graphs(batch, node_weight=weights[0], edge_weight=weights[1], n_jobs=2)
    points = space.weighted(batch)
    some, none = points.take(np.arange(7)), points.take([])
    found = space.distances(points), space.distances(some, points), space.distances(none), space.distances(none, points)
    monkeypatch.setattr(GraphSpace, "_distances_of_rows", lambda *_: None)
    expected = space.distances(points), space.distances(some, points), space.distances(none), space.distances(none, points)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        np.testing.assert_array_equal(one == 0, other == 0)
    assert found[0][0, 30] == 0
    np.testing.assert_array_equal(found[0], found[0].T)


def test_networks_that_hardly_differ_are_not_at_distance_0():
    matrix = np.ones((3, 3))
    close = matrix + 1e-200 * np.eye(3)[[1, 0, 2]] * (1 - np.eye(3))
    graphs = [gm.Graph([[value]], roles=["a"]) for value in (0.0, 1e-200, 0.0)]
    found = gm.pairwise_distances(graphs, encoder=gm.GraphEncoder("keep"))
    assert (found > 0).tolist() == [[False, True, False], [True, False, True], [False, True, False]]
    assert gm.pairwise_distances(gm.structures.labelled_networks([matrix, close]))[0, 1] == 0  # the same numbers


def test_lloyd_on_vectors_counts_the_distances_that_it_computes():
    x = np.random.default_rng(0).normal(size=(300, 4))
    lloyd, elkan = (gm.GraphKMeans(5, algorithm=name, n_init=1, random_state=0).fit(x) for name in ("lloyd", "elkan"))
    np.testing.assert_array_equal(lloyd.labels_, elkan.labels_)
    rows = lloyd.trace_["matchings"]
    assert (rows[1:] == 300 * 5).all()
