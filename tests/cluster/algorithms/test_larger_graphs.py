"""What interval does for graphs whose matchings are dear: a start from a sample, early alignments, moves side by side."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.algorithms import initialization
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.shards import refine, sample
from graphmeans.cluster.shards.assign import assign
from graphmeans.cluster.shards.reductions import HartiganMoves
from graphmeans.matching.auto import Auto
from graphmeans.means.frames import Frames
from runs import OneRun


def rings_and_chains(count: int, seed: int = 0, noise: float = 0.1) -> list[gm.Graph]:
    """Rings and chains of 11 to 14 nodes of two kinds, some of them changed: too large for branch and bound in no time."""
    random = np.random.default_rng(seed)
    graphs = []
    for number in range(count):
        n = int(random.integers(11, 15))
        kinds = (np.arange(n) % (2 + number % 3) == 0) ^ (random.uniform(size=n) < noise)
        edges = [(i, i + 1) for i in range(n - 1)] + [(0, n - 1)] * (number % 2)
        graphs.append(gm.Graph(np.stack([kinds, ~kinds], axis=1).astype(float), edges))
    return graphs


def moves(rows: list[tuple[int, int, float]], room: list[float]) -> HartiganMoves:
    source, target, gain = (np.array(column) for column in zip(*rows, strict=True))
    return HartiganMoves(np.arange(len(rows)), source, target, np.ones(len(rows)), gain, np.array(room))


def test_a_cluster_takes_part_in_one_move_or_in_as_many_as_it_has_room_for():
    rows = [(0, 1, 5.0), (0, 1, 4.0), (0, 1, 3.0), (2, 3, 2.0)]
    assert moves(rows, [0.5] * 4).best().graph.tolist() == [0, 3]
    assert moves(rows, [2.0] * 4).best().graph.tolist() == [0, 1, 3]
    assert moves(rows, [2.0, 9.0, 0.0, 0.0]).best().graph.tolist() == [0, 1, 3]
    chosen = moves(rows, [9.0] * 4).best()
    assert not chosen.are_disjoint
    assert chosen.disjoint().graph.tolist() == [0, 3]
    assert chosen.disjoint().are_disjoint


def test_what_means_explain_is_what_the_objective_falls_by():
    run = OneRun(rings_and_chains(40), matcher=Auto())
    loop = run.loop(4)
    engine = loop.engine
    sums = engine.sum(assign, loop.centers, 0.0).sums
    loop.move_to_means(sums)
    engine.sum(assign, loop.centers, 0.0)
    before = engine.sum(sample.sums, loop.centers)
    loop.move_to_means(before.copy())
    inertia = engine.sum(assign, loop.centers, 0.9).inertia  # nobody moves for less
    squares = float(run.batch.squared_norms.sum())
    assert inertia == pytest.approx(squares - before.explained(), rel=1e-9)


def test_sums_after_moves_are_those_that_accepting_them_gives():
    run = OneRun(rings_and_chains(60), matcher=Auto())
    loop = run.loop(4)
    loop.move_to_means(loop.engine.sum(assign, loop.centers, 0.0).sums)
    found = loop.engine.sum(refine.hartigan_moves, 1e-6, loop.centers)
    assert len(found.graph)
    labels = loop.engine.get_assignment()().labels.copy()
    after = loop.engine.sum(refine.sums_after_moves, found.graph, loop.centers)
    np.testing.assert_array_equal(loop.engine.get_assignment()().labels, labels)  # nothing has moved yet
    accepted = loop.engine.sum(refine.accept_moves, found.graph, loop.centers)
    np.testing.assert_allclose(after.nodes, accepted.nodes)
    np.testing.assert_allclose(after.edges, accepted.edges)
    assert (loop.engine.get_assignment()().labels != labels).sum() == len(found.graph)


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_rises(seed):
    km = gm.GraphKMeans(4, random_state=seed, n_init=1).fit(rings_and_chains(80, seed))
    assert (np.diff(km.trace_["inertia"]) <= 1e-9 * km.trace_["inertia"][0]).all()


def moved_at_once() -> int:
    """How many graphs move by themselves in one step, early in a run."""
    loop = OneRun(rings_and_chains(120, noise=0.4), matcher=Auto()).loop(3)
    loop.move_to_means(loop._assign(log=False).sums)
    labels = loop.engine.get_assignment()().labels.copy()
    loop._move_single_graphs(log=False)
    return int((loop.engine.get_assignment()().labels != labels).sum())


def test_moves_that_would_raise_the_objective_together_are_made_one_by_one(monkeypatch):
    monkeypatch.setattr(refine, "MOVED_AT_ONCE", 1.0)
    assert moved_at_once() > 1
    monkeypatch.setattr(Frames, "explained", lambda self: 0.0)  # nothing seems to help
    assert moved_at_once() == 1  # of three clusters only one pair is free at a time


def test_a_start_from_a_sample_costs_less_and_every_graph_is_at_its_nearest_center(monkeypatch):
    graphs = rings_and_chains(160)
    whole = gm.GraphKMeans(4, random_state=0).fit(graphs)
    monkeypatch.setattr(initialization, "DEAR_SAMPLE", 60)
    monkeypatch.setattr(initialization, "DEAR_SAMPLE_PER_CLUSTER", 10)
    km = gm.GraphKMeans(4, random_state=0).fit(graphs)
    assert km.inertia_ <= 1.05 * whole.inertia_
    assert km.n_seeding_matchings_ > 0
    np.testing.assert_array_equal(km.predict(graphs), km.labels_)
    for jobs in (1, 3):
        again = gm.GraphKMeans(4, random_state=0, n_jobs=jobs).fit(graphs)
        np.testing.assert_array_equal(again.labels_, km.labels_)
        assert again.inertia_ == km.inertia_


def test_a_sample_is_taken_only_of_many_graphs_whose_matchings_are_dear(monkeypatch):
    monkeypatch.setattr(initialization, "DEAR_SAMPLE", 30)
    monkeypatch.setattr(initialization, "DEAR_SAMPLE_PER_CLUSTER", 20)
    dear, cheap = OneRun(rings_and_chains(12), matcher=Auto()), OneRun(rings_and_chains(12), matcher=Auto(effort=0.1))
    assert initialization.sample_size(dear.matcher, 60, 1) == 30
    assert initialization.sample_size(dear.matcher, 59, 1) == 0
    assert initialization.sample_size(dear.matcher, 79, 2) == 0
    assert initialization.sample_size(dear.matcher, 80, 2) == 40
    assert initialization.sample_size(cheap.matcher, 1000, 2) == 0


def test_means_of_a_sample_are_the_start_and_its_nearest_graphs_are_the_seeds_of_medoids(monkeypatch):
    monkeypatch.setattr(initialization, "DEAR_SAMPLE", 30)
    monkeypatch.setattr(initialization, "DEAR_SAMPLE_PER_CLUSTER", 10)
    run = OneRun(rings_and_chains(80), matcher=Auto())
    numbers = run.choose(3, "k-means++")
    assert len(set(numbers)) == 3
    seeds = run.initialize(3, "k-means++")
    assert (seeds.centers.node_support < 1).any()  # they are means
    found = run.run(interval, seeds, engine=run.engine)
    assert found.inertia == pytest.approx(float((found.distances**2).sum()))
