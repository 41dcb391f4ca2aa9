"""Proofs of single labels: in the estimator, in files, on the page, and against distances to every center."""

from __future__ import annotations

import csv
import json
import logging
import warnings

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cli.label_files import write_label_file
from graphmeans.cluster.algorithms import interval_loop
from graphmeans.cluster.shards.reductions import Assignment
from runs import OneRun
from strategies import Kind, random_collection

KINDS = [Kind(1, 1), Kind(2, 1), Kind(1, 2, directed=True), Kind(1, 1, roles=("a", "b"))]


def all_distances(km, graphs):
    """Exact distances of all graphs to all centers."""
    points = km.space_.weighted(km.encoder_.encode(graphs))
    exact = gm.GraphSpace(km.space_.order, km.space_.roles, matcher=gm.Exact(), n_jobs=1)
    return exact.distances(points, km._centers.batch)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("certify", [False, True])
def test_a_proven_label_is_nearest_by_the_margin_that_is_said(kind, certify):
    for seed in range(3):
        graphs = random_collection(seed, kind, 30, max_nodes=6, min_nodes=1)
        km = gm.GraphKMeans(4, matcher=gm.Search(effort=0.1), n_init=1, certify=certify, random_state=seed).fit(graphs)
        distances = all_distances(km, graphs)
        rows = np.arange(len(graphs))
        others = distances.copy()
        others[rows, km.labels_] = np.inf
        nearest = others.min(axis=1)
        sure = km.certified_
        assert (distances[rows, km.labels_][sure] <= nearest[sure] * (1 + 1e-9)).all()
        # The bound that the margin stands for: distance / (1 - margin).
        assert (km.distances_[sure] <= nearest[sure] * (1 - km.certified_margins_[sure]) * (1 + 1e-9) + 1e-12).all()
        assert (km.certified_margins_[~sure] == 0).all()
        assert km.certified_fraction_ == sure.mean()
        if certify:
            assert sure.mean() > 0.9


def test_copies_count_one_by_one():
    some = random_collection(1, Kind(1, 1), 40, max_nodes=7, min_nodes=4)
    graphs = some + some[:10] * 5
    km = gm.GraphKMeans(6, matcher=gm.Search(effort=0.1), n_init=1, random_state=0).fit(graphs)
    assert km.certified_.shape == (90,)
    assert km.certified_fraction_ == km.certified_.mean()
    np.testing.assert_array_equal(km.certified_[:10], km.certified_[-10:])


def test_other_algorithms_know_of_no_proof():
    graphs = random_collection(2, Kind(1, 1), 20, max_nodes=4, min_nodes=1)
    km = gm.GraphKMeans(3, algorithm="lloyd", random_state=0).fit(graphs)
    assert np.isnan(km.certified_fraction_)
    assert not km.certified_.any()
    assert not km.certified_margins_.any()


def test_one_cluster_is_proven_and_a_batch_is_not():
    graphs = random_collection(3, Kind(1, 1), 20, max_nodes=4, min_nodes=1)
    km = gm.GraphKMeans(1, random_state=0).fit(graphs)
    assert km.certified_.all()
    assert (km.certified_margins_ == 1).all()
    stream = gm.MiniBatchGraphKMeans(2, random_state=0).partial_fit(graphs[:10]).partial_fit(graphs[10:])
    assert not stream.certified_.any()
    assert np.isnan(stream.certified_fraction_)


def test_margins_of_an_assignment():
    found = Assignment(np.zeros(5, dtype=int), np.array([1.0, 1.0, 2.0, 0.0, 1.0]), np.array([4.0, 0.5, -np.inf, 0.0, np.inf]))
    np.testing.assert_array_equal(found.proven, [True, False, False, True, True])
    np.testing.assert_array_equal(found.proven_margins, [0.75, 0, 0, 0, 1])
    np.testing.assert_array_equal(found.take(np.array([4, 0])).others, [np.inf, 4.0])


def test_certificates_are_in_files_and_models(tmp_path):
    graphs, classes = gm.datasets.make_letters(60, random_state=0)
    km = gm.GraphKMeans(5, random_state=0).fit(graphs)
    write_label_file(tmp_path, km, graphs, classes)
    rows = list(csv.DictReader((tmp_path / "labels.csv").open(newline="")))
    assert list(rows[0]) == ["name", "label", "distance", "class", "proven", "proven_margin"]
    assert [row["proven"] for row in rows] == [str(bool(proven)) for proven in km.certified_]
    np.testing.assert_array_equal([float(row["proven_margin"]) for row in rows], km.certified_margins_)
    km.save(tmp_path / "model.gmz")
    same = gm.load(tmp_path / "model.gmz")
    np.testing.assert_array_equal(same.certified_, km.certified_)
    np.testing.assert_array_equal(same.certified_margins_, km.certified_margins_)
    lloyd = gm.GraphKMeans(5, algorithm="lloyd", random_state=0).fit(graphs)
    write_label_file(tmp_path, lloyd, graphs, None)
    assert (tmp_path / "labels.csv").read_text().startswith("name,label,distance\n")


def test_certificates_are_in_parquet(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    graphs, _ = gm.datasets.make_letters(40, random_state=0)
    km = gm.GraphKMeans(5, random_state=0).fit(graphs)
    km.write_labels(tmp_path / "labels.parquet", graphs)
    table = pq.read_table(tmp_path / "labels.parquet")
    np.testing.assert_array_equal(table.column("proven").to_numpy(), km.certified_)
    np.testing.assert_array_equal(table.column("proven_margin").to_numpy(), km.certified_margins_)


def test_proofs_stay_true_while_the_loop_goes_on():
    """What was proven of centers that have moved since is not said of the new ones."""
    graphs, _ = gm.datasets.make_letters(60, random_state=0)
    one = OneRun(graphs, 1)
    loop = one.loop(5)
    loop.run(one.history())
    assert loop.result(one.history()).assignment.proven.any()
    loop.put_center(2, loop.draw(np.random.RandomState(0), 1))
    loop.run(one.history())
    assert (loop.engine.assignment().others == -np.inf).all()


def test_proofs_are_sought_in_stages_and_shown(caplog, monkeypatch):
    graphs = random_collection(1, Kind(1, 1), 60, max_nodes=9, min_nodes=7)
    monkeypatch.setattr(interval_loop, "PROOF_TREE_NODES", (1, 500))
    with caplog.at_level(logging.DEBUG, "graphmeans"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        km = gm.GraphKMeans(6, matcher=gm.Search(effort=0.1), n_init=1, certify=True, random_state=1).fit(graphs)
    said = [record.trace for record in caplog.records if getattr(record, "trace", {}).get("phase") == "proof"]
    assert {trace["limit"] for trace in said} == {1, 500}
    shares = [trace["share"] for trace in said if trace["limit"] == 500]
    assert 0.5 <= min(shares) <= max(shares) < 1
    json.dumps(said)
    assert km.certified_.mean() > 0.9
