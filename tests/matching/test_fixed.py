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


def test_lloyd_on_vectors_counts_the_distances_that_it_computes():
    x = np.random.default_rng(0).normal(size=(300, 4))
    lloyd, elkan = (gm.GraphKMeans(5, algorithm=name, n_init=1, random_state=0).fit(x) for name in ("lloyd", "elkan"))
    np.testing.assert_array_equal(lloyd.labels_, elkan.labels_)
    rows = lloyd.trace_["matchings"]
    assert (rows[1:] == 300 * 5).all()
