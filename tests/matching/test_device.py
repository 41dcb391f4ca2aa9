"""Pairs on a GPU: the CUDA source, compiled for the host with one lane (or on a GPU, with ``--gpu``), against the oracle, the
exact matcher and the numba kernels; what is said where there is no GPU."""

from __future__ import annotations

import pickle
import shutil
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from test_matching import DIRECTED, LETTER, ROLES, pairs_with_order

import graphmeans as gm
import oracle
from effort import examples
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels import cuda as kernels
from graphmeans.kernels.cuda.program import FILES, CudaProgram, DeviceError, HostProgram, source
from graphmeans.matching import device
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.search import Search
from graphmeans.space import GraphSpace
from strategies import Kind, random_collection

KINDS = [LETTER, Kind(1, 2), Kind(3, 3, directed=True), DIRECTED, ROLES, Kind(0, 1), Kind(2, 2, roles=("a", "b"))]


@lru_cache(maxsize=2)
def program(on_gpu):
    if on_gpu:
        return CudaProgram()
    if shutil.which("g++") is None:
        pytest.skip("the CUDA source is compiled for the host by g++, which is not there")
    return HostProgram()


@pytest.fixture(autouse=True)
def stand_in(request):
    """The program that stands for the GPU."""
    device.use_program(program(request.config.getoption("--gpu")))
    yield
    device.use_program(None)


def batch_of(graphs):
    return gm.GraphEncoder().fit_transform(graphs)


def all_pairs(n):
    return np.stack([i.ravel() for i in np.indices((n, n))], axis=1)


def check(found, batch, pairs, order, exactly=None):
    """Mappings respect roles and use no node twice, `upper` is what they cost, and bounds are below."""
    graphs = [batch[g] for g in range(len(batch))]
    room = dict(zip(batch.role_names, order.tolist(), strict=True)) if batch.role_names != (None,) else int(order[0])
    for p, (i, j) in enumerate(pairs):
        mapping = found.mapping(p)
        used = mapping[mapping >= 0]
        assert len(np.unique(used)) == len(used)
        cost = oracle.mapping_cost(graphs[i], graphs[j], mapping, room)
        assert found.upper[p] == pytest.approx(cost, rel=1e-9, abs=1e-12)
    assert (found.lower <= found.upper).all()
    if exactly is not None:
        assert (found.lower <= exactly * (1 + 1e-9) + 1e-12).all()
        assert (found.upper >= exactly * (1 - 1e-9) - 1e-12).all()


@given(pairs_with_order())
@examples(60)
def test_bounds_and_mappings_hold_for_any_pair(example):
    x, y, order = example
    encoder = gm.GraphEncoder(numbers="keep").fit([x, y])
    batch = encoder.transform([x, y])
    space = GraphSpace.for_graphs(batch, order=order, matcher="search", device="cuda")
    points, pairs = space.weighted(batch), all_pairs(2)
    found = space.match(points, points, pairs)
    distance = oracle.distance(x, y, order)
    assert found.lower[1] <= distance * (1 + 1e-9) + 1e-12
    assert found.upper[1] >= distance * (1 - 1e-9) - 1e-12
    assert found.upper[0] == found.upper[3] == 0.0
    assert lap_bounds(points, points, pairs, space.order, device="cuda")[1] <= distance * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_small_graphs_find_the_optimum(kind):
    batch = batch_of(random_collection(5, kind, 10, max_nodes=6, min_nodes=2))
    pairs, order = all_pairs(10), batch.role_counts.max(axis=0)
    exact = gm.Exact().solve(batch, batch, pairs, order)
    found = Search().solve(batch, batch, pairs, order, device="cuda")
    check(found, batch, pairs, order, exact.upper)
    assert np.mean(found.upper <= exact.upper * (1 + 1e-9) + 1e-12) >= 0.95


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [14, 33])
def test_large_graphs_are_searched_as_on_the_cpu(kind, size):
    batch = batch_of(random_collection(2, kind, 5, max_nodes=size, min_nodes=size - 6, density=4 / size))
    pairs, order = all_pairs(5), batch.role_counts.max(axis=0)
    cpu, found = (Search(effort=0.3).solve(batch, batch, pairs, order, device=where) for where in ("cpu", "cuda"))
    check(found, batch, pairs, order)
    assert found.upper.sum() <= cpu.upper.sum() * 1.02
    bounds = [lap_bounds(batch, batch, pairs, order, device=where) for where in ("cpu", "cuda")]
    np.testing.assert_allclose(bounds[1], bounds[0], rtol=1e-5, atol=1e-6)
    assert (bounds[1] <= bounds[0] * (1 + 1e-12) + 1e-12).all()


def test_orders_larger_than_the_graphs_leave_room_for_null_rows():
    batch = batch_of(random_collection(3, Kind(2, 1), 6, max_nodes=6, min_nodes=3))
    pairs = all_pairs(6)
    for order in (np.array([6]), np.array([9]), np.array([12])):
        exact = gm.Exact().solve(batch, batch, pairs, order)
        found = Search().solve(batch, batch, pairs, order, device="cuda")
        check(found, batch, pairs, order, exact.upper)
        np.testing.assert_allclose(found.upper, exact.upper, rtol=1e-6)


def test_empty_graphs_and_single_nodes():
    graphs = [gm.Graph(np.zeros((0, 2))), gm.Graph([[1.0, 2.0]]), gm.Graph([[3.0, -1.0]]), gm.Graph([[0.0, 1.0]] * 3, [(0, 1)])]
    batch = gm.GraphEncoder(numbers="keep").fit_transform(graphs)
    pairs, order = all_pairs(4), np.array([3])
    found = Search().solve(batch, batch, pairs, order, device="cuda")
    expected = [oracle.distance(graphs[i], graphs[j], 3) for i, j in pairs]
    np.testing.assert_allclose(found.upper, expected, atol=1e-12)
    assert lap_bounds(batch, batch, pairs, order, device="cuda")[0] == 0.0


def test_edges_of_many_values_and_dense_partners():
    """Codes of 16 bits, and tables of products beside fast memory."""
    rng = np.random.default_rng(0)
    n = 40
    ends = np.stack(np.triu_indices(n, k=1), axis=1)
    dense = [gm.Graph(rng.normal(size=(n, 2)), ends, rng.normal(size=(len(ends), 2))) for _ in range(2)]
    few = random_collection(1, Kind(2, 2), 3, max_nodes=20, min_nodes=16, density=0.2)
    batch = gm.GraphEncoder(numbers="keep").fit_transform(dense + few)
    pairs, order = all_pairs(5), np.array([40])
    found = Search(effort=0.05).solve(batch, batch, pairs, order, device="cuda")
    check(found, batch, pairs, order)
    cpu = lap_bounds(batch, batch, pairs, order)
    bounds = lap_bounds(batch, batch, pairs, order, device="cuda")
    assert (bounds <= cpu * (1 + 1e-12) + 1e-12).all()
    np.testing.assert_allclose(bounds, cpu, rtol=1e-5, atol=1e-6)
    assert found.upper[0] == found.upper[6] == 0.0


def test_a_warm_start_is_never_made_worse():
    batch = batch_of(random_collection(4, Kind(1, 1), 6, max_nodes=16, min_nodes=12, density=0.3))
    pairs, order = all_pairs(6), batch.role_counts.max(axis=0)
    best = Search(effort=2).solve(batch, batch, pairs, order)
    again = Search(effort=0).solve(batch, batch, pairs, order, warm=best.flat, device="cuda")
    assert (again.upper <= best.upper * (1 + 1e-6)).all()
    check(again, batch, pairs, order)


def test_the_same_answers_twice_and_more_effort_never_hurts():
    batch = batch_of(random_collection(6, Kind(2, 1), 6, max_nodes=24, min_nodes=18, density=0.15))
    pairs, order = all_pairs(6), batch.role_counts.max(axis=0)
    before = None
    for effort in (0.0, 0.1, 0.5, 1.0):
        one, two = (Search(effort=effort).solve(batch, batch, pairs, order, device="cuda") for _ in range(2))
        assert (one.upper == two.upper).all()
        assert (one.flat == two.flat).all()
        assert before is None or (one.upper <= before * (1 + 1e-5)).all()
        before = one.upper


def test_pairs_that_a_warp_cannot_hold_go_to_the_cpu():
    few = [random_collection(seed, Kind(1, 1), 3, max_nodes=n, min_nodes=n - 4, density=2 / n) for seed, n in ((7, 20), (8, 70))]
    batch = batch_of(few[0] + few[1])
    pairs, order = all_pairs(len(batch)), batch.role_counts.max(axis=0)
    found = Search(effort=0.05).solve(batch, batch, pairs, order, device="cuda")
    check(found, batch, pairs, order)
    large = device.rows_needed(batch, batch, pairs, order)[0] > device.MAX_ROWS
    cpu = Search(effort=0.05).solve(batch, batch, pairs[large], order)
    assert 0 < large.sum() < len(large)
    assert (found.upper[large] == cpu.upper).all()


def test_parts_of_what_memory_holds_are_put_together(monkeypatch):
    batch = batch_of(random_collection(9, Kind(2, 1), 40, max_nodes=12, min_nodes=8))
    pairs, order = all_pairs(40), batch.role_counts.max(axis=0)
    whole = Search(effort=0.1).solve(batch, batch, pairs, order, device="cuda")
    bounds = lap_bounds(batch, batch, pairs, order, device="cuda")
    monkeypatch.setattr(type(device.get_device("cuda")), "free_bytes", lambda self: 0)
    assert len(list(device._parts(device.get_device("cuda"), len(pairs)))) > 1
    parts = Search(effort=0.1).solve(batch, batch, pairs, order, device="cuda", warm=whole.flat)
    assert (parts.upper <= whole.upper * (1 + 1e-6)).all()
    assert (lap_bounds(batch, batch, pairs, order, device="cuda") == bounds).all()
    check(parts.take(np.arange(100)), batch, pairs[:100], order)


def test_estimators_take_the_device():
    graphs = random_collection(3, Kind(2, 1), 24, max_nodes=14, min_nodes=11, classes=3, noise=0.05, density=0.3)
    made = [gm.GraphKMeans(3, random_state=0, device=where).fit(graphs) for where in ("cpu", "cuda", "cuda")]
    assert (made[1].labels_ == made[2].labels_).all()
    assert made[1].inertia_ == made[2].inertia_
    assert made[1].inertia_ <= made[0].inertia_ * 1.05
    assert (made[1].predict(graphs) == made[1].labels_).all()
    index = gm.GraphIndex(device="cuda").fit(graphs)
    near = gm.GraphIndex(device="cpu").fit(graphs).kneighbors(graphs[:4], 3)[0]
    np.testing.assert_allclose(index.kneighbors(graphs[:4], 3)[0], near, rtol=0.1)
    matrix = gm.pairwise_distances(graphs[:6], device="cuda")
    np.testing.assert_allclose(matrix, gm.pairwise_distances(graphs[:6], device="cpu"), rtol=0.1)
    assert gm.match(graphs[0], graphs[1], device="cuda").upper == pytest.approx(gm.distance(graphs[0], graphs[1]), rel=0.1)


def test_a_device_that_is_not_there_is_named_in_one_line(monkeypatch):
    device.use_program(None)

    def fail(self):
        raise DeviceError("device='cuda' needs CuPy: pip install 'graphmeans[cuda]'")

    monkeypatch.setattr(CudaProgram, "__init__", fail)
    with pytest.raises(GraphError, match=r"graphmeans\[cuda\]"):
        gm.GraphKMeans(2, device="cuda").fit(random_collection(0, LETTER, 6))
    with pytest.raises(GraphError, match="device must be"):
        gm.GraphKMeans(2, device="tpu").fit(random_collection(0, LETTER, 6))
    gm.GraphKMeans(2, device="auto", random_state=0).fit(random_collection(0, LETTER, 6))


def test_a_space_with_a_device_travels_and_small_work_stays():
    batch = batch_of(random_collection(2, Kind(2, 1), 4, max_nodes=14, min_nodes=12))
    space = GraphSpace.for_graphs(batch, device="auto")
    assert pickle.loads(pickle.dumps(space)).device == "auto"
    pairs = all_pairs(4)
    assert device.takes(batch, batch, pairs, space.order, "auto") == (None, None)
    assert device.takes(batch, batch, pairs, space.order, "cuda")[1].all()
    assert device.takes(batch, batch, pairs, space.order, "cpu") == (None, None)


def test_the_source_is_one_file_without_includes_of_its_own():
    assert '#include "' not in source()
    assert set(FILES) == {path.name for path in Path(kernels.__file__).parent.iterdir() if path.suffix in (".cu", ".cuh")}
