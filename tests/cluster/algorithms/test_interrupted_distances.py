"""Labels and distances of a run that is interrupted belong to its centers, wherever it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.context import CountedMatcher
from graphmeans.cluster.shards import sample
from graphmeans.cluster.shards.assign import assign, claim_graphs
from runs import OneRun


def networks():
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(40, 6, 6))
    return gm.structures.labelled_networks(matrices + matrices.transpose(0, 2, 1))


@pytest.mark.parametrize("claimed", [False, True], ids=["moved", "claimed"])
@pytest.mark.parametrize("kind", ["letters", "networks"])
def test_distances_are_those_to_the_centers_as_they_are(kind, claimed):
    """After the centers have moved, the graphs that they were put onto seemed to be at 0."""
    run = OneRun(gm.datasets.make_letters(60, "medium", random_state=0)[0] if kind == "letters" else networks())
    if kind == "networks":  # they become rows
        layout = run.context.data.layout(run.space.order)
        run.space = run.space.of_rows(layout)
        run.context = replace(run.context, data=run.context.data.flattened(layout), space=run.space)
        run.matcher, run.batch = CountedMatcher(run.space), run.context.batch
    loop, history = run.loop(6), run.history()
    loop.run(history)
    if claimed:
        run.engine.each(claim_graphs, np.array([3, 4]), np.array([0, 1]), loop.centers)
    else:
        found = run.engine.sum(assign, loop.centers, 0.0)
        loop.move_to_means(found.sums)
        run.engine.each(claim_graphs, np.array([7]), np.array([2]), loop.centers)
        loop.move_to_means(run.engine.sum(sample.sums, loop.centers))
    result = loop.interrupted(history)
    batch, centers = run.batch, result.centers.batch
    pairs = np.stack([np.arange(len(run)), result.labels], axis=1)
    lower = run.space.solve(batch, centers, pairs).lower
    assert (result.distances >= lower * (1 - 1e-9)).all()
    assert result.inertia == pytest.approx(float((result.distances**2).sum()))
