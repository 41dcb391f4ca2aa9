"""The edge program before matchings: what it says is proven, and it changes which pairs are matched, not what is certified."""

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.context import CountedMatcher
from graphmeans.matching.auto import Auto
from graphmeans.matching.exact import Exact


def trees(count: int, n: int, seed: int) -> list[gm.Graph]:
    """Random trees of about n nodes of two kinds."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        size = n + int(rng.integers(3))
        edges = [(int(rng.integers(i)), i) for i in range(1, size)]
        made.append(gm.Graph(rng.integers(2, size=(size, 1)).astype(float), edges))
    return made


@pytest.fixture(scope="module")
def space_and_points():
    graphs = trees(8, 11, 0)
    encoder = gm.GraphEncoder()
    batch = encoder.fit_transform(graphs)
    space = gm.GraphSpace.for_graphs(batch, roles=encoder.roles_, n_jobs=1)
    return space, space.weighted(batch)


def test_bounds_of_sifted_pairs_are_never_above_the_distance(space_and_points):
    space, points = space_and_points
    pairs = np.stack(np.triu_indices(len(points), 1), axis=1)
    true = Exact().solve(points, points, pairs, space.order, 1).upper
    for factor in (0.9, 1.0, 1.5):
        matcher = CountedMatcher(space)
        assert matcher.sifts
        low = matcher.sift(points, points, pairs, true * factor)
        assert (low <= true * (1 + 1e-9)).all()
        assert matcher.counters.edge_programs == len(pairs)
        assert matcher.counters.matchings.total() == 0
    assert (CountedMatcher(space).sift(points, points, pairs, true * 0.9) >= true * 0.9 * (1 - 1e-9)).mean() > 0.8


@pytest.mark.parametrize("matcher", [Auto(effort=0.1), Exact(), gm.Search()])
def test_other_matchers_do_not_sift(space_and_points, matcher):
    from dataclasses import replace

    assert not CountedMatcher(replace(space_and_points[0], matcher=matcher)).sifts


def test_labels_that_are_certified_are_the_nearest_centers():
    graphs = trees(40, 11, 1)
    km = gm.GraphKMeans(4, random_state=0, n_jobs=1).fit(graphs)
    points = km.space_.weighted(km.encoder_.transform(graphs))
    pairs = np.stack(np.meshgrid(np.arange(40), np.arange(4), indexing="ij"), axis=-1).reshape(-1, 2)
    true = Exact(max_tree_nodes=20_000).solve(points, km.cluster_centers_, pairs, km.space_.order, 1)
    least = true.upper.reshape(40, 4).min(axis=1)
    own = true.upper.reshape(40, 4)[np.arange(40), km.labels_]
    assert km.certified_.any()
    assert (own[km.certified_] <= least[km.certified_] * (1 + 1e-6)).all()


def test_ten_copies_of_one_graph_are_one_cluster():
    graph = gm.Graph([[0.0], [1.0], [3.0]], [(0, 1), (1, 2)])
    with pytest.warns(UserWarning, match="distinct clusters"):
        km = gm.GraphKMeans(3, random_state=0).fit([graph] * 10)
    assert km.labels_.tolist() == km.predict([graph] * 10).tolist() == [0] * 10
