"""Graphs whose alignments are fixed as rows: distances, the way back, and every compiled loop against an obvious one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphmeans as gm
from effort import examples
from graphmeans.cluster.centers.vector_centers import VectorCenters, VectorSums
from graphmeans.cluster.context import CountedMatcher
from graphmeans.cluster.shards import vectors
from graphmeans.cluster.shards.shard import Shard
from graphmeans.graphs.graph import share_edges
from graphmeans.kernels.pair import SMALLEST
from graphmeans.matching.fixed import solve_fixed
from graphmeans.matching.vectors import VectorLayout, as_batch
from graphmeans.space import GraphSpace


def networks(rng, count, n, directed, attributes, share):
    """Networks on n regions, of which each has only a share of the regions and connections."""
    graphs = []
    for _ in range(count):
        there = np.flatnonzero(rng.uniform(size=n) < max(share, 0.5))
        there = rng.permutation(there)  # the order of nodes means nothing
        edges = [(i, j) for i in range(len(there)) for j in range(len(there)) if i != j and (directed or i < j)]
        edges = [edge for edge in edges if rng.uniform() < share]
        nodes = rng.normal(size=(len(there), 2)) if attributes else len(there)
        roles = [int(role) for role in there]
        graphs.append(gm.Graph(nodes, edges, rng.normal(size=len(edges)), directed=directed, roles=roles))
    return graphs


@pytest.mark.parametrize("directed", [False, True])
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0.0, 0.3, 0.8, 1.0]))
@examples(25)
def test_rows_are_as_far_apart_as_their_graphs_and_become_them_again(directed, seed, attributes, share):
    rng = np.random.default_rng(seed)
    batch = gm.GraphEncoder().fit_transform(networks(rng, 6, 4, directed, attributes, share))
    order = batch.largest
    layout = VectorLayout.of_graphs(order, batch)
    rows = layout.flatten(batch)
    pairs = np.argwhere(np.ones((6, 6)))
    expected = solve_fixed(batch, batch, pairs, len(order), 1)
    found = layout.solve(rows, rows, pairs, 1)
    np.testing.assert_allclose(found.upper, expected.upper, rtol=1e-14)
    np.testing.assert_array_equal(layout.distances(rows.nodes, rows.nodes, 2).ravel(), found.upper)
    back, node_support, edge_support = layout.to_graphs(rows.nodes)
    assert (node_support == 1).all()
    assert ((edge_support == 1) | (edge_support == 0)).all()
    assert (solve_fixed(batch, back, np.stack([np.arange(6)] * 2, axis=1), len(order), 1).upper == 0).all()
    np.testing.assert_array_equal(back.sizes, batch.sizes)
    np.testing.assert_array_equal(np.diff(back.edge_ptr), np.diff(batch.edge_ptr))


def test_only_fixed_alignments_become_rows_and_only_where_rows_are_not_mostly_zeros():
    letters = gm.GraphEncoder().fit_transform(gm.datasets.make_letters(5, random_state=0)[0])
    assert VectorLayout.of_graphs(letters.largest, letters) is None
    assert VectorLayout.of_order(letters.largest, letters) is None
    n = 1500  # each of 600 graphs has one edge, and every edge is another one
    sparse = [gm.Graph(2, [(0, 1)], roles=[i, i + 600]) for i in range(600)] + [gm.Graph(1, [], roles=[n])]
    batch = gm.GraphEncoder().fit_transform(sparse)
    assert VectorLayout.of_graphs(batch.largest, batch) is None


def test_different_rows_are_never_at_distance_0():
    layout = VectorLayout.of_graphs(np.ones(1, np.int64), as_batch(np.zeros((2, 1))))
    found = layout.distances(np.array([[0.0], [1e-200]]), np.array([[0.0]]))
    assert found[0, 0] == 0
    assert found[1, 0] == np.sqrt(SMALLEST)


def a_shard(rows, layout):
    space = GraphSpace(np.ones(1, np.int64)).of_rows(layout)
    batch = as_batch(rows)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(rows))
    return Shard.of(batch, weights, 0, np.ones(1, np.int64), CountedMatcher(space))


def assert_assigned(shard, centers):
    """Labels are the nearest centers, distances are right, and the bound of all others is one."""
    true = centers.layout.distances(shard.batch.nodes, centers.rows)
    everybody = np.arange(len(shard))
    own = true[everybody, shard.state.labels]
    np.testing.assert_allclose(shard.state.upper, own, rtol=1e-14)
    assert (own <= true.min(axis=1) * (1 + 1e-11)).all()
    true[everybody, shard.state.labels] = np.inf
    assert (shard.state.lower_bound <= true.min(axis=1) * (1 + 1e-12)).all()
    np.testing.assert_allclose(vectors.second_distances(shard, centers), true.min(axis=1), rtol=1e-14)


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 20))
@examples(40)
def test_rows_are_assigned_to_the_nearest_centers_however_these_move(seed, k, d):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, d)) + 3.0 * rng.integers(3, size=(60, 1))
    layout = VectorLayout.of_graphs(np.ones(1, np.int64), as_batch(rows))
    shard = a_shard(rows, layout)
    centers = VectorCenters(layout, k)
    for c in range(k):
        between = layout.distances(rows[[c]], centers.rows)[0]
        centers.append(as_batch(rows[[c]]))
        vectors.update_with_seed(shard, between, centers)
    assert_assigned(shard, centers)
    for step in range(12):
        kind = rng.integers(4)
        if kind == 0:  # all move, a little or far
            moved = centers.rows + rng.choice([0.01, 1.0]) * rng.normal(size=centers.rows.shape)
            centers.move_to_means(VectorSums(moved, np.ones(k)))
        elif kind == 1:  # one is put elsewhere
            centers.replace(rng.integers(k, size=1), as_batch(rows[rng.integers(60, size=1)]))
        else:  # as in k-means; one without weight stays
            sums = vectors.sums(shard, k)
            if kind == 2:
                sums.total[rng.integers(k)] = 0.0
            centers.move_to_means(sums)
        if step % 5 == 4:
            centers.move_to_means(vectors.sums(shard, k))  # twice before the shard is asked
        vectors.assign_labels(shard, centers)
        assert_assigned(shard, centers)


@given(st.integers(0, 10_000), st.integers(2, 6))
@examples(25)
def test_gains_are_what_the_objective_would_fall_by(seed, k):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, 3))
    layout = VectorLayout.of_graphs(np.ones(1, np.int64), as_batch(rows))
    shard = a_shard(rows, layout)
    centers = VectorCenters.from_graphs(layout, as_batch(rows[:k]))
    vectors.assign_labels(shard, centers)
    candidates, w = rows[k : k + 5], shard.weights
    true = layout.distances(rows, centers.rows) ** 2
    new = layout.distances(rows, candidates) ** 2
    before = w @ true.min(axis=1)
    saved, lost = vectors.exchange_gains(shard, candidates, centers, 0.7)
    for j in range(5):
        with_new = np.column_stack([true, 0.7 * new[:, j]])
        assert saved[j] == pytest.approx(before - w @ with_new.min(axis=1))
        for c in range(k):
            assert saved[j] - lost[j, c] == pytest.approx(before - w @ np.delete(with_new, c, axis=1).min(axis=1))
    expected = [before - w @ np.minimum(true.min(axis=1), new[:, j]) for j in range(5)]
    np.testing.assert_allclose(vectors.addition_gains(shard, candidates), expected)


@pytest.mark.parametrize("names", [lambda i: f"region {i}", lambda i: 11 - i, lambda i: i], ids=["text", "backwards", "numbers"])
def test_rows_of_networks_with_all_connections_are_their_numbers_and_become_the_same_networks(names):
    rng, n = np.random.default_rng(0), 12  # in the order of names 10 comes before 2: rows are in that of the networks
    matrices = np.triu(rng.normal(size=(5, n, n)), 1)
    graphs = gm.structures.labelled_networks(list(matrices + matrices.transpose(0, 2, 1)), labels=[names(i) for i in range(n)])
    assert all(graph.edges is graphs[0].edges for graph in graphs)  # held once
    batch = gm.GraphEncoder().fit_transform(graphs)
    copies = gm.GraphEncoder().fit_transform([gm.Graph(n, g.edges, g.edge_attributes[""], roles=g.roles) for g in graphs])
    for name in ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values"):
        np.testing.assert_array_equal(getattr(batch, name), getattr(copies, name))
    layout = VectorLayout.of_graphs(batch.largest, batch)
    rows = layout.flatten(batch)
    assert np.shares_memory(rows.nodes, batch.edge_values)
    np.testing.assert_array_equal(rows.nodes, [matrix[np.triu_indices(n, 1)] for matrix in matrices])
    back, *_ = layout.to_graphs(rows.nodes)
    keys = back.ends[:, 0] * n + back.ends[:, 1]
    assert all((np.diff(keys[first:last]) > 0).all() for first, last in pairwise(back.edge_ptr))
    for g, matrix in enumerate(matrices):
        place = [int(np.flatnonzero([names(i) == role for i in range(n)])[0]) for role in back[g].roles]
        np.testing.assert_array_equal(gm.to_adjacency(back[g]), (matrix + matrix.T)[np.ix_(place, place)])


def test_edges_that_are_held_once_are_sorted_in_each_graph():
    first = gm.Graph(3, [(2, 1), (1, 0), (0, 2)], [1.0, 2.0, 3.0], roles="abc")
    graphs = share_edges([first, gm.Graph(3, [(2, 1), (1, 0), (0, 2)], [4.0, 5.0, 6.0], roles="abc")])
    assert graphs[1].edges is first.edges
    batch = gm.GraphEncoder().fit_transform(graphs)
    assert batch.ends.tolist() == 2 * [[0, 1], [0, 2], [1, 2]]
    assert batch.edge_values.ravel().tolist() == [2.0, 3.0, 1.0, 5.0, 6.0, 4.0]
