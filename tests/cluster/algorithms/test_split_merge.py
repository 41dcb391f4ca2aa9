"""Swaps of centers: two clusters become one and a third falls into halves, at a price that is known before."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.algorithms import split_merge
from graphmeans.cluster.algorithms.center_swaps import begin_swaps
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.algorithms.split_merge import Promises
from graphmeans.cluster.shards import halves, sample
from graphmeans.matching.auto import Auto
from runs import OneRun


def settled(k, graphs, weights=None):
    """A loop that has come to its end, and its history."""
    run = OneRun(graphs, matcher=Auto(), weights=weights)
    loop = run.loop(k)
    history = run.history()
    loop.run(history)
    begin_swaps(loop, history, 2.0)
    return run, loop, history


def letters(n=120, seed=0):
    return gm.datasets.make_letters(n, random_state=seed)[0]


def dense_members(run, loop, c):
    """The members of a cluster as vectors of all slots and pairs of slots, slowly, and their weights."""
    assert len(loop.engine.shards) == 1
    shard, n = loop.engine.shards[0], len(loop.centers.slot_roles)
    rows, weights = [], []
    for x in np.flatnonzero(shard.state.labels == c):
        nodes, edges = slice(*run.batch.node_ptr[x : x + 2]), slice(*run.batch.edge_ptr[x : x + 2])
        slots = shard.state.slots[nodes]
        node_part = np.zeros((n, run.batch.nodes.shape[1]))
        node_part[slots] = run.batch.nodes[nodes]
        edge_part = np.zeros((n, n, run.batch.edge_values.shape[1]))
        for (i, j), value in zip(run.batch.ends[edges], run.batch.edge_values[edges], strict=True):
            edge_part[slots[i], slots[j]] = edge_part[slots[j], slots[i]] = value
        rows.append(np.concatenate([node_part.ravel(), edge_part.ravel()]))
        weights.append(shard.weights[x])
    return np.array(rows), np.array(weights)


def scatter(rows, weights):
    return float((weights[:, None] * (rows - np.average(rows, axis=0, weights=weights)) ** 2).sum())


@pytest.mark.parametrize("weighted", [False, True])
def test_what_a_split_gains_is_what_vectors_in_the_frame_say(weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=120) if weighted else None
    run, loop, _ = settled(6, letters(), weights)
    promises = Promises(loop, loop.swaps)
    for c in range(6):
        rows, w = dense_members(run, loop, c)
        whole = scatter(rows, w)
        frames = promises.halves_of(c)
        parts = []
        for half in (0, 1):
            mean = np.concatenate([frames.nodes[half].ravel(), frames.edges[half].ravel()]) / frames.total[half]
            parts.append(mean[: rows.shape[1]])
        second = ((rows - parts[1]) ** 2).sum(axis=1) < ((rows - parts[0]) ** 2).sum(axis=1)
        gain = whole - scatter(rows[second], w[second]) - scatter(rows[~second], w[~second])
        # The halves have been added up once more than they were compared, so they may gain a little less.
        assert 0 < promises.gain[c] <= gain * (1 + 1e-9)
        assert frames.total.sum() == pytest.approx(w.sum())


def test_a_cluster_of_two_groups_is_split_into_them():
    rng = np.random.default_rng(0)

    def path(values):
        return gm.Graph(np.array(values)[:, None] + rng.normal(0, 0.1, size=(4, 1)), [(0, 1), (1, 2), (2, 3)])

    graphs = [path([0, 1, 5, 9]) for _ in range(10)] + [path([0, 1, 5, 13]) for _ in range(12)]
    run = OneRun(graphs, matcher=Auto())
    loop = run.loop(1)
    loop.run(run.history())
    begin_swaps(loop, run.history(), 1.0)
    found = Promises.__new__(Promises)
    found.loop, found.state, found.centers = loop, loop.swaps, loop.centers
    found.members = loop.engine.sum(halves.draw_members, 100, [0])
    gain, start = found._gains(np.random.RandomState(0))
    frames, _ = found._halves(found.members, np.array([0]), start)
    assert sorted(frames.total) == [10, 12]
    assert gain[0] == pytest.approx(10 * 12 / 22 * 4.0**2, rel=0.1)


def test_a_swap_changes_the_objective_by_what_it_promises():
    run, loop, _ = settled(8, letters())
    promises = Promises(loop, loop.swaps)
    joins, other, split, promised = promises.best()
    assert len({joins, other, split}) == 3
    before = loop.engine.sum(sample.inertia)
    split_merge._make(loop, joins, other, split, promises.halves_of(split))
    after = loop.engine.sum(sample.inertia)
    # Halves were added up once more than they were compared with, so members may be nearer than was promised, never farther.
    assert before - after >= promised * (1 - 1e-9) - 1e-9 * before
    assert before - after == pytest.approx(promised, abs=0.02 * before / 8)
    assert loop.engine.sum(sample.misfits, loop.centers) == 0
    upper = loop.engine.get_assignment()().distances
    pairs = np.stack([np.arange(120), loop.engine.get_assignment()().labels], axis=1)
    exact = run.space.solve(run.batch, loop.centers.batch, pairs)
    assert (upper >= exact.lower - 1e-9).all()


def test_the_best_swap_is_the_best_of_all():
    """With every merger matched and every split and merger tried together."""
    _, loop, _ = settled(6, letters(90))
    promises = Promises(loop, loop.swaps)
    *_, promised = promises.best()
    total = loop.centers.frames.total
    best = -np.inf
    for a in range(6):
        for b in range(6):
            if a == b or (total[a], a) > (total[b], b):
                continue
            upper = loop.engine.one(0, halves.match_centers, np.array([[a, b]]), loop.centers).upper[0]
            cost = total[a] * total[b] / (total[a] + total[b]) * upper**2
            best = max(best, *(promises.gain[c] - cost for c in range(6) if c not in (a, b)))
    assert promised == pytest.approx(best)


def test_what_is_known_is_of_the_clusters_as_they_were_before_a_swap_was_tried():
    _, loop, history = settled(6, letters(90))
    promises = Promises(loop, loop.swaps)
    joins, other, split, promised = promises.best()
    loop.swaps.costs.clear()
    before = loop.snapshot()
    split_merge._make(loop, joins, other, split, promises.halves_of(split))
    loop.run(history.trial(target=before.inertia), trial=True, rough=True)
    loop.rollback(before)
    for pair in range(len(promises.cost)):
        promises._is_raised[pair] = True
        promises._raise_cost(pair)
    again = Promises(loop, loop.swaps)
    for pair in range(len(again.cost)):
        again._is_raised[pair] = True
        again._raise_cost(pair)
    np.testing.assert_allclose(promises.cost, again.cost)
    assert again.best() == (joins, other, split, pytest.approx(promised))


def test_members_are_all_or_drawn_by_weight_and_add_up():
    _, loop, _ = settled(4, letters())
    every = loop.engine.sum(halves.draw_members, 1000, [0, 1])
    assert sorted(every.graph) == list(range(120))
    few = loop.engine.sum(halves.draw_members, 5, [0, 1])
    assert (np.bincount(few.label) == np.minimum(np.bincount(every.label), 5)).all()
    shard = loop.engine.shards[0]
    one = halves.draw_members(shard, 5, [0, 1])
    other = halves.draw_members(shard, 5, [0, 2])
    both_keys, labels = np.concatenate([one.key, other.key]), np.concatenate([one.label, other.label])
    one += other
    for c in range(4):
        np.testing.assert_allclose(np.sort(one.key[one.label == c]), np.sort(both_keys[labels == c])[-5:])
    assert len(one.slots) == one.batch.node_ptr[-1]
    heavy = np.where(np.arange(120) % 2, 1.0, 0.0)
    _, loop, _ = settled(4, letters(), heavy)
    assert (loop.engine.sum(halves.draw_members, 1000, [0]).graph % 2 == 1).all()


def test_swaps_find_what_a_poor_start_misses():
    """Five groups of drawings far from each other, and all seeds in one of them."""
    rng = np.random.default_rng(1)
    places = 20.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [3, 3]])[np.arange(200) % 5]
    graphs = [gm.Graph(place + rng.normal(size=(3, 2)), [(0, 1), (1, 2)]) for place in places]
    run = OneRun(graphs, matcher=Auto())
    seeds = Seeds.of_graphs(run.batch.take(np.arange(5) * 5))
    stuck = run.run(interval, seeds)
    swapped = run.run(interval, seeds, swaps=2.0)
    assert swapped.inertia < 0.2 * stuck.inertia
    assert swapped.inertia < 200 * 6 * 1.2
    assert swapped.trace["swap"].max() >= 1


@pytest.mark.parametrize("k", [2, 3, 30])
def test_few_many_and_equal_graphs(k):
    graphs = [letters(1)[0]] * 20 + letters(25, seed=3)
    km = gm.GraphKMeans(k, random_state=0).fit(graphs)
    np.testing.assert_array_equal(km.labels_, km.predict(graphs))
    assert (km.labels_[:20] == km.labels_[0]).all()


def test_empty_graphs_and_graphs_without_weight():
    graphs = [gm.Graph(0), *letters(40), gm.Graph({"x": [1.0], "y": [1.0]})]
    weights = np.ones(42)
    weights[5:25] = 0.0
    km = gm.GraphKMeans(6, random_state=1).fit(graphs, sample_weight=weights)
    alone = gm.GraphKMeans(6, n_init=1, random_state=1).fit(graphs, sample_weight=weights)
    assert km.inertia_ <= alone.inertia_ * (1 + 1e-9)


def test_directed_graphs_with_roles_are_swapped_as_well(monkeypatch):
    monkeypatch.setattr(split_merge, "HOPE", 9.0)
    rng = np.random.default_rng(0)
    graphs = []
    for kind in np.arange(90) % 6:
        ends = [(i, (i + 1 + kind % 3) % 6) for i in range(6) if i != kind]
        graphs.append(gm.Graph(rng.normal(kind, 2.0, size=(6, 1)), ends, directed=True, roles=["a", "a", "b", "b", "b", "c"]))
    _, loop, history = settled(5, graphs)
    before = loop.inertia
    split_merge.split_and_merge(loop, history)
    assert loop.inertia <= before * (1 + 1e-12)
    assert loop.swaps.tried >= 1
    assert loop.engine.sum(sample.misfits, loop.centers) == 0
