"""What is said about a collection before anything is clustered."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import GraphSpace
from graphmeans.evaluation import cost
from graphmeans.evaluation.inspecting import channel_squares, distance_shares
from graphmeans.kernels.jit import COMPILED, kernel, kernels_ready
from graphmeans.space import resolve_order
from strategies import Kind, random_collection, relabelled


@pytest.mark.parametrize("kind", [Kind(2, 1), Kind(1, 2, directed=True), Kind(0, 1), Kind(1, 1, roles=("a", "b"))])
def test_the_squares_of_the_channels_add_up_to_the_squared_distance(kind):
    graphs = random_collection(3, kind, 12, max_nodes=5, min_nodes=0)
    encoder = gm.GraphEncoder()
    batch = encoder.fit_transform(graphs)
    space = GraphSpace(resolve_order("auto", batch), batch.role_names, 2.0, 0.5)
    points = space.weighted(batch)
    pairs = np.array([(i, j) for i in range(12) for j in range(12)])
    found = space.match(points, points, pairs)
    for p, (i, j) in enumerate(pairs):
        nodes, edges = channel_squares(points, i, j, found.mapping(p))
        assert nodes.sum() + edges.sum() == pytest.approx(found.upper[p] ** 2, abs=1e-9)
    assert sum(distance_shares(encoder, space, points, pairs).values()) == pytest.approx(1)


def letters(count=60):
    return gm.datasets.make_letters(count, random_state=0)[0]


def test_sizes_columns_and_cost():
    found = gm.evaluation.inspect(letters(120), 6)
    sizes = [g.n_nodes for g in letters(120)]
    assert found.nodes == (min(sizes), np.median(sizes), np.mean(sizes), max(sizes))
    assert found.n_graphs == 120
    assert (found.n_directed, found.n_empty, found.copies, found.relabelled) == (0, 0, 0, 0)
    assert [(c.part, c.name, c.treatment) for c in found.columns[:2]] == [
        ("node", "x", "standardised"), ("node", "y", "standardised"),
    ]  # fmt: skip
    assert sum(c.share for c in found.columns) == pytest.approx(1)
    assert found.problem is None
    assert found.cost.n_clusters == 6
    assert found.cost.seconds > 0
    assert 120 < found.cost.matchings < 120 * 100
    assert found.cost.bytes > 120 * 500
    json.dumps(found.as_dict())


def test_the_cost_is_about_right():
    graphs = letters(900)
    found = gm.evaluation.inspect(graphs, 15)
    km = gm.GraphKMeans(15, random_state=0).fit(graphs)
    spent = km.n_matchings_ + km.n_seeding_matchings_
    assert spent / 3 < found.cost.matchings < spent * 3


def test_copies_and_relabelled_copies():
    graphs = random_collection(0, Kind(1, 1), 10, max_nodes=4, min_nodes=2)
    other = [relabelled(g, np.roll(np.arange(g.n_nodes), 1)) for g in graphs[:3]]
    found = gm.evaluation.inspect([*graphs, *graphs[:2], *other], 2)
    assert found.copies == 2
    assert found.relabelled == 3
    assert any("copies" in note for note in found.notes)


def test_a_column_that_dominates_is_named():
    rng = np.random.default_rng(0)
    graphs = [gm.Graph({"mass": rng.normal(size=3) * 1000, "x": rng.normal(size=3)}, [(0, 1)]) for _ in range(20)]
    kept = gm.evaluation.inspect(graphs, 3, encoder=gm.GraphEncoder(numbers="keep"))
    assert max(kept.columns, key=lambda c: c.share).name == "mass"
    assert any("'mass' makes" in note for note in kept.notes)
    scaled = gm.evaluation.inspect(graphs, 3)
    assert not any("makes" in note for note in scaled.notes)


def test_missing_values_roles_empty_graphs_and_presence():
    graphs = [gm.Graph({"x": [None, None, 1.0 * i]}, [(0, 1)], roles=["a", "b", "b"]) for i in range(8)]
    graphs.append(gm.Graph({"x": np.zeros(0)}, roles=[]))
    found = gm.evaluation.inspect(graphs, 2, encoder=gm.GraphEncoder(presence=0.5))
    assert found.columns[0].missing == 16
    assert found.roles == {"b": 16, "a": 8}
    assert found.n_empty == 1
    assert any("is there on 8 of 24 nodes only" in note for note in found.notes)
    assert any("no nodes" in note for note in found.notes)
    assert any(column.name == "(presence)" and column.share > 0 for column in found.columns)


def test_what_cannot_be_encoded_is_still_described():
    graphs = [gm.Graph({"x": [0.0]}), gm.Graph({"x": ["a"], "y": [1.0]})]
    found = gm.evaluation.inspect(graphs)
    assert found.problem
    assert found.cost is None
    lines = {column.name: (column.kind, column.treatment) for column in found.columns if column.part == "node"}
    assert lines == {"x": ("a number or a string", "in 2 of 2 graphs"), "y": ("a number", "in 1 of 2 graphs")}


def test_one_graph_and_none():
    assert gm.evaluation.inspect(letters(15)[:1]).cost is None
    with pytest.raises(gm.GraphError, match="empty"):
        gm.evaluation.inspect([])


def path(n: int, shift: float = 0.0) -> gm.Graph:
    return gm.Graph(np.arange(n, dtype=float).reshape(-1, 1) + shift, [(i, i + 1) for i in range(n - 1)])


def test_large_graphs_are_not_fitted_to_know_what_a_fit_takes(monkeypatch):
    monkeypatch.setattr("graphmeans.evaluation.cost.TRIAL", 1e-9)
    monkeypatch.setattr("graphmeans.evaluation.cost._trial", None)  # calling it would fail
    cost = gm.evaluation.inspect([path(12 + i % 5, i) for i in range(30)], 3).cost
    assert cost.n_sample == 0
    assert cost.seconds == pytest.approx(cost.matchings * cost.seconds_a_matching)
    assert cost.seconds_longest_matching >= cost.seconds_a_matching > 0


def test_one_large_graph_is_not_matched_but_its_time_is_said(monkeypatch):
    monkeypatch.setattr("graphmeans.evaluation.cost.MOST_WORK", 10 * 8.0**3)
    matched = []
    solve = gm.GraphSpace.solve

    def watched(space, x, y, pairs, *args, **kwargs):
        matched.extend(np.maximum(x.sizes[pairs[:, 0]], y.sizes[pairs[:, 1]]).tolist())
        return solve(space, x, y, pairs, *args, **kwargs)

    monkeypatch.setattr(gm.GraphSpace, "solve", watched)
    monkeypatch.setattr("graphmeans.evaluation.cost.UNION", 20)
    cost = gm.evaluation.inspect([path(6, i) for i in range(40)] + [path(60)], 2).cost
    assert max(matched) < 60
    assert cost.seconds_longest_matching > 2 * cost.seconds_a_matching


def test_an_only_attribute_is_not_called_too_much():
    rng = np.random.default_rng(0)
    matrices = [np.triu(rng.random((6, 6)) * (rng.random((6, 6)) < 0.9), 1) * 100 for _ in range(20)]
    bare = gm.structures.labelled_networks([m + m.T for m in matrices])
    named = [gm.Graph(6, g.edges, {"weight": g.edge_attributes[""][:, 0]}, roles=g.roles, node_ids=g.node_ids) for g in bare]
    loops = [gm.Graph({"loop:weight": 30 * rng.normal(size=6), "loop": [True] * 6}, g.edges, g.edge_attributes, roles=g.roles,
                      node_ids=g.node_ids) for g in named]  # fmt: skip
    for graphs in (bare, named, loops):
        found = gm.evaluation.inspect(graphs, 2, encoder=gm.GraphEncoder("keep"))
        assert max(column.share for column in found.columns) > 0.8
        assert not any("of the distance" in note for note in found.notes)
    two = [gm.Graph({"x": rng.normal(size=6)}, g.edges, g.edge_attributes, roles=g.roles, node_ids=g.node_ids) for g in named]
    assert any("'weight' makes" in note for note in gm.evaluation.inspect(two, 2, encoder=gm.GraphEncoder("keep")).notes)


def test_remarks_name_the_option_that_mends():
    rng = np.random.default_rng(0)
    graphs = [
        gm.Graph(
            {"x": rng.normal(size=4), "size": 1000 * rng.normal(size=4)}, [(0, 1), (1, 2), (2, 3)],
            {"angle": rng.uniform(-3, 3, 3), "angle1": [None, None, float(rng.uniform())]},
        )
        for _ in range(12)
    ]  # fmt: skip
    notes = gm.evaluation.inspect(graphs, 2, encoder=gm.GraphEncoder("keep")).notes
    assert any("'size' makes" in note and "GraphEncoder(weights={'nodes.size': " in note for note in notes)
    assert any("'angle' looks like an angle" in note and "directions=['edges.angle']" in note for note in notes)
    rare = "edge attribute 'angle1' is there on 12 of 36 edges only, and counts as average elsewhere; "
    assert any(note.startswith(rare) and "GraphEncoder(weights={'edges.angle1': 0}) leaves it out" in note for note in notes)
    mended = gm.GraphEncoder(directions=["edges.angle"], weights={"edges.angle1": 0})
    left = gm.evaluation.inspect(graphs, 2, encoder=mended).notes
    assert not any("'angle' looks like" in note for note in left)


def test_compiling_is_no_part_of_what_work_takes(monkeypatch):
    """What runs for the first time on a machine is timed once more: forecasts had been a hundred times too long."""
    ready, clock, done = [0], [0.0], []

    def work(compiled: int) -> None:
        done.append(compiled)
        fresh = len(done) == 1
        ready[0] += compiled * fresh
        clock[0] += 30.0 if compiled and fresh else 0.5

    monkeypatch.setattr(cost, "kernels_ready", lambda: ready[0])
    monkeypatch.setattr(cost.time, "perf_counter", lambda: clock[0])
    assert cost.warm_seconds(lambda: work(2)) == (0.5, None)
    assert len(done) == 2
    done.clear()
    assert cost.warm_seconds(lambda: work(0)) == (0.5, None)
    assert len(done) == 1


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
def test_kernels_are_counted_when_they_become_ready():
    before = kernels_ready()

    @kernel
    def doubled(x):
        return 2.0 * x

    assert kernels_ready() == before
    assert doubled(2.0) == 4.0
    assert kernels_ready() == before + 1
    assert doubled(3.0) == 6.0
    assert kernels_ready() == before + 1
