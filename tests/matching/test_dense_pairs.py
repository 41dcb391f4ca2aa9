"""Which tree `exact` takes is decided by how many edges there are, and makes no difference to the answer."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.matching.exact import are_dense, search_assignments, search_edges
from graphmeans.matching.pairs import rows_needed
from graphmeans.space import resolve_order


def batch_of(density, n, count, seed=0):
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(count):
        edges = np.argwhere(np.triu(rng.uniform(size=(n, n)) < density, 1))
        graphs.append(gm.Graph(rng.normal(size=(n, 1)), edges, rng.normal(size=len(edges))))
    return gm.GraphEncoder().fit_transform(graphs)


@pytest.mark.parametrize(("n", "density", "dense"), [(11, 1.0, True), (11, 0.2, False), (16, 1.0, True), (16, 0.6, False)])
def test_pairs_with_many_edges_are_dense(n, density, dense):
    batch = batch_of(density, n, 4)
    pairs = np.array([[0, 1], [2, 3]])
    rows = rows_needed(batch, batch, pairs, resolve_order("auto", batch))[0]
    assert (are_dense(batch, batch, pairs, rows) == dense).all()


def test_both_trees_prove_the_same_distances():
    """Small pairs, dense ones and sparse ones in one call, with a mapping to begin with or without."""
    for density in (0.25, 0.55):
        batch = batch_of(density, 11, 4, seed=3)
        pairs, order = np.array([[0, 1], [2, 3]]), resolve_order("auto", batch)
        no_cutoff = np.full(len(pairs), np.inf)
        trees = [tree(batch, batch, pairs, order, 1, 1 << 40, None, no_cutoff) for tree in (search_assignments, search_edges)]
        found = gm.Exact().solve(batch, batch, pairs, order, 1)
        again = gm.Exact().solve(batch, batch, pairs, order, 1, warm=found.flat)
        for other in (*trees, again):
            np.testing.assert_allclose(other.upper, found.upper, rtol=1e-9)
        assert (found.upper - found.lower <= 1e-9 * found.upper).all()
