"""The state of a shard: nobody changes it behind its back, and it knows what has changed since it was written."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.shards import refine, seed
from graphmeans.cluster.shards.assign import assign, claim_graphs, dissolve_clusters
from graphmeans.cluster.shards.state import ShardState
from runs import OneRun

PER_GRAPH = ("labels", "upper", "matched_at", "fresh_at", "own_lower", "second_alignment", "lower_bound", "lower_bound_at")


def test_arrays_are_read_only_and_follow_the_state():
    state = ShardState(np.array([0, 2, 3]))
    labels = state.labels
    for name in (*PER_GRAPH, "unfinished", "slots"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(state, name)[0] = 1
    state.set(np.array([1]), labels=5, upper=2.0)
    state.set_slots(np.array([0]), np.array([7, 8]))
    assert labels.tolist() == [0, 5]
    assert state.upper.tolist() == [np.inf, 2.0]
    assert state.slots.tolist() == [7, 8, -1]


def test_changes_are_found_whatever_an_operation_does():
    """After each operation, what was written before and the changes since make the whole state."""
    graphs, _ = gm.datasets.make_letters(80, random_state=1)
    one = OneRun(graphs, 3)
    loop = one.loop(6)
    centers, (shard,) = loop.centers, one.engine.shards
    operations = [
        lambda: assign(shard, centers, 0.0),
        lambda: centers.move_to_means(shard.sums(centers)),
        lambda: assign(shard, centers, 0.06),
        lambda: refine.realign_all(shard, centers, 0),
        lambda: refine.accept_moves(shard, refine.hartigan_moves(shard, 1e-6, centers).graph, centers),
        lambda: shard.state.snapshot(),
        lambda: centers.replace(np.array([2]), shard.batch.take([5])),
        lambda: dissolve_clusters(shard, np.array([2]), centers),
        lambda: claim_graphs(shard, np.array([5]), np.array([2]), centers),
        lambda: assign(shard, centers, 0.0),
        lambda: refine.bound_others(shard, centers),
        lambda: refine.prove_labels(shard, 0, 1, 50, centers),
        lambda: shard.state.rollback(),
        lambda: seed.select_seeds(shard, np.array([1, 0, -1, 2, 3, 4])),
        lambda: seed.reset(shard),
    ]
    written = {name: array.copy() for name, array in shard.state.to_arrays().items()}
    shard.state.mark_written()
    for operation in operations:
        operation()
        shard.state.apply_changes(written, {name: array.copy() for name, array in shard.state.changes().items()})
        for name, array in shard.state.to_arrays().items():
            np.testing.assert_array_equal(written[name], array, err_msg=name)
        if not np.array_equal(shard.state.labels, 0):
            shard.state.mark_written()


def test_spilling_keeps_everything():
    graphs, _ = gm.datasets.make_letters(60, random_state=2)
    one = OneRun(graphs)
    centers, (shard,) = one.loop(5).centers, one.engine.shards
    assign(shard, centers, 0.0)
    shard.state.snapshot()
    refine.hartigan_moves(shard, 1e-9, centers)
    copy = ShardState(shard.batch.node_ptr)
    copy.unpack({name: array.copy() for name, array in shard.state.pack().items()})
    for name, array in shard.state.pack().items():
        np.testing.assert_array_equal(copy.pack()[name], array, err_msg=name)
    assert (copy.proposed_moves is None) == (shard.state.proposed_moves is None)
