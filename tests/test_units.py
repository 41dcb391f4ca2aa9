"""Numbers of any size: points are held in multiples of a power of two, and what cannot be held is refused in one line."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.graphs.batch import GraphBatch
from graphmeans.space import GraphSpace, exact_shift
from strategies import Kind, random_collection

FACTORS = [2.0**-400, 2.0**-70, 2.0**70, 2.0**400]


def times(graphs, factor):
    return [
        gm.Graph(g.nodes[""] * factor, g.edges, g.edge_attributes[""] * factor, directed=g.directed, roles=g.roles)
        for g in graphs
    ]


@pytest.fixture(scope="module", params=[Kind(2, 1), Kind(1, 2, directed=True), Kind(1, 1, roles=("a", "b"))])
def graphs(request):
    return random_collection(11, request.param, 30, max_nodes=5, classes=4, noise=0.3)


@pytest.mark.parametrize("factor", FACTORS)
def test_everything_scales_exactly(graphs, factor):
    scaled = times(graphs, factor)
    np.testing.assert_array_equal(gm.pairwise_distances(scaled[:8]), factor * gm.pairwise_distances(graphs[:8]))
    np.testing.assert_array_equal(gm.sketch(scaled[:8]), factor * gm.sketch(graphs[:8]))
    here, there = gm.match(*graphs[:2]), gm.match(*scaled[:2])
    assert (there.lower, there.upper, there.mapping) == (factor * here.lower, factor * here.upper, here.mapping)
    a, b = (gm.mean(some, random_state=0) for some in (graphs, scaled))
    assert (b.objective, b.similarity) == (factor**2 * a.objective, factor**2 * a.similarity)
    np.testing.assert_array_equal(b.nodes[""], factor * a.nodes[""])


@pytest.mark.parametrize("factor", FACTORS[::3])
@pytest.mark.parametrize("algorithm", ["interval", "lloyd", "elkan", "gvr"])
def test_fits_scale_exactly(graphs, algorithm, factor):
    scaled = times(graphs, factor)
    a, b = (gm.GraphKMeans(4, algorithm=algorithm, n_init=1, random_state=1).fit(some) for some in (graphs, scaled))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(factor * a.distances_, b.distances_)
    np.testing.assert_array_equal(factor**2 * a.trace_["inertia"], b.trace_["inertia"])
    assert b.inertia_ == factor**2 * a.inertia_
    assert np.array_equal(a.certified_fraction_, b.certified_fraction_, equal_nan=True)
    np.testing.assert_array_equal(factor * a.cluster_centers_.nodes, b.cluster_centers_.nodes)
    np.testing.assert_array_equal(factor * a.transform(graphs), b.transform(scaled))
    np.testing.assert_array_equal(a.predict(graphs), b.predict(scaled))
    np.testing.assert_array_equal(a.margins(graphs), b.margins(scaled))
    np.testing.assert_array_equal(a.outlier_scores(graphs), b.outlier_scores(scaled))
    assert b.score(scaled) == factor**2 * a.score(graphs)
    for here, there in zip(a.align(graphs), b.align(scaled), strict=True):
        assert (there.upper, there.mapping, there.certified) == (factor * here.upper, here.mapping, here.certified)


@pytest.mark.parametrize("factor", FACTORS[1:3])
def test_other_estimators_and_files_scale_exactly(graphs, factor, tmp_path):
    scaled = times(graphs, factor)
    classes = np.arange(len(graphs)) % 3
    for estimator, power in ((gm.GraphKMedoids(4, random_state=0), 1), (gm.MiniBatchGraphKMeans(4, random_state=0), 2)):
        first = estimator.fit(graphs)
        labels, distances, inertia = first.labels_, first.distances_, first.inertia_
        other = type(estimator)(4, random_state=0).fit(scaled)
        np.testing.assert_array_equal(labels, other.labels_)
        np.testing.assert_array_equal(factor * distances, other.distances_)
        assert other.inertia_ == factor**power * inertia
        other.save(tmp_path / "model.gmz")
        again = gm.load(tmp_path / "model.gmz")
        assert again.space_.unit == other.space_.unit != 1.0
        np.testing.assert_array_equal(again.transform(scaled), other.transform(scaled))
    near, far = (gm.GraphNearestCentroid(random_state=0).fit(some, classes) for some in (graphs, scaled))
    np.testing.assert_array_equal(factor * near.distances_, far.distances_)


def test_a_unit_is_chosen_where_it_is_needed():
    def unit(value, **options):
        batch = gm.GraphEncoder().fit_transform([gm.Graph([[value]]), gm.Graph([[0.0]])])
        return GraphSpace.for_graphs(batch, **options).unit

    assert unit(1.0) == unit(1e-6) == unit(1e8) == unit(0.0) == 1.0
    assert np.log2(unit(1e100)) == np.floor(np.log2(1e100))
    assert unit(1.7e308) == 2.0**1023
    assert unit(5e-324) == 5e-324
    assert unit(1e8, node_weight=1e100) > 1e57
    with pytest.raises(gm.GraphError, match="power of two"):
        GraphSpace(np.array([1]), unit=3.0)


def test_what_cannot_be_held_is_refused():
    big, small = gm.Graph([[1e300], [1.0]]), gm.Graph([[1e-300], [1e300]])
    with pytest.raises(gm.GraphError, match="double precision spans"):
        gm.distance(big, small)
    with pytest.raises(gm.GraphError, match="more than floating point holds"):
        gm.distance(gm.Graph([[1.7e308]]), gm.Graph([[-1.7e308]]))
    with pytest.raises(gm.GraphError, match="squares"):
        gm.GraphKMeans(2).fit([gm.Graph([[1e200]]), gm.Graph([[2e200]]), gm.Graph([[4e200]])])
    with pytest.raises(gm.GraphError, match="column 'x'"):
        gm.GraphKMeans(2).fit([gm.Graph({"x": [value]}) for value in (1e200, 2e200, 4e200)])
    km = gm.GraphKMeans(2, random_state=0).fit([gm.Graph([[value]]) for value in (1.0, 2.0, 4.0)])
    with pytest.raises(gm.GraphError, match="as large as"):
        km.predict([gm.Graph([[1e200]])])


def test_distances_from_the_least_to_the_largest():
    for value in (1e-300, 1e-200, 1e-44, 1e19, 1e154, 1e300):
        match = gm.match(gm.Graph([[value, 0.0]]), gm.Graph([[0.0, value]]))
        assert match.upper == pytest.approx(np.sqrt(2.0) * value, rel=1e-15)
        assert match.certified
    small = gm.match(gm.Graph([[1.0], [1e-200]]), gm.Graph([[1.0], [2e-200]]))
    assert (small.lower, small.certified) == (0.0, False)
    assert small.upper > 0
    tiny = gm.match(gm.Graph([[3e-323]]), gm.Graph([[1e-323]]))
    assert tiny.lower <= 2e-323 <= tiny.upper
    assert not tiny.certified


@pytest.mark.parametrize("offset", [5e5, 1e10])
def test_far_from_the_origin_search_finds_what_it_finds_near_it(offset):
    graphs = [gm.Graph(np.round(64 * g.nodes[""]) / 64, g.edges, g.edge_attributes[""])
              for g in random_collection(2, Kind(2, 1), 8, max_nodes=9, min_nodes=9, density=0.3)]  # fmt: skip
    moved = [gm.Graph(g.nodes[""] + offset, g.edges, g.edge_attributes[""]) for g in graphs]
    for matcher in ("search", "exact"):
        for x, y, xm, ym in zip(graphs[:4], graphs[4:], moved[:4], moved[4:], strict=True):
            near, far = gm.match(x, y, matcher=matcher), gm.match(xm, ym, matcher=matcher)
            assert far.upper == pytest.approx(near.upper, rel=1e-9)
            assert far.certified == near.certified


def test_edges_that_nearly_cancel():
    rng = np.random.default_rng(0)
    edges = [(i, j) for i in range(6) for j in range(i)]
    for _ in range(5):
        x, y = (gm.Graph(6, edges, 1.7e9 + rng.integers(-9, 9, size=(15, 1)).astype(float)) for _ in range(2))
        plain = [gm.Graph(6, edges, g.edge_attributes[""] - 1.7e9 + 100.0) for g in (x, y)]
        match = gm.match(x, y, matcher="exact")
        assert match.certified
        assert match.upper == pytest.approx(gm.distance(*plain, matcher="exact"), rel=1e-12)


def test_magnitudes_of_nothing_are_zero():
    empty: GraphBatch = gm.GraphEncoder().fit_transform([gm.Graph(0)])
    assert empty.magnitudes == (0.0, 0.0)


@pytest.mark.parametrize("algorithm", ["interval", "lloyd", "elkan"])
def test_vectors_far_from_the_origin(algorithm, tmp_path):
    rows = np.round(np.random.default_rng(4).normal(size=(200, 3)) * 1024) / 1024 + np.repeat([[0.0], [4.0]], 100, axis=0)
    offset = np.array([0.0, 2.0**33, -(2.0**20)])
    near, far = (gm.GraphKMeans(4, algorithm=algorithm, n_init=1, random_state=0).fit(x) for x in (rows, rows + offset))
    np.testing.assert_array_equal(near.labels_, far.labels_)
    assert far.inertia_ == pytest.approx(near.inertia_, rel=1e-12)
    assert far.n_matchings_ == near.n_matchings_
    np.testing.assert_allclose(far.cluster_centers_ - offset, near.cluster_centers_, atol=1e-5)
    np.testing.assert_array_equal(far.predict(rows + offset), near.labels_)
    far.save(tmp_path / "far.gmz")
    np.testing.assert_array_equal(gm.load(tmp_path / "far.gmz").transform(rows + offset), far.transform(rows + offset))


def test_a_shift_is_exact():
    rng = np.random.default_rng(0)
    for size in 10.0 ** rng.uniform(-280, 280, size=40):
        for ratio in 10.0 ** rng.uniform(0, 18, size=10):
            rows = size * (ratio + rng.normal(size=(20, 1)))
            shift = exact_shift(rows)
            if shift is not None:
                moved = rows - shift
                assert all(Fraction(a) - Fraction(shift[0]) == Fraction(b) for a, b in zip(rows[:, 0], moved[:, 0], strict=True))
                assert np.abs(moved).max() < np.abs(rows).max() / 100
    assert exact_shift(rng.normal(size=(20, 3))) is None
    assert exact_shift(np.full((4, 2), 1e9)).tolist() == [1e9, 1e9]
