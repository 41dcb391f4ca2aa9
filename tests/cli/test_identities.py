"""--labelled and --roles: what they change, what is said where they are not given, and how they are refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.io import write_collection

NAMES = ["motor", "insula", "cuneus", "frontal", "angular"]


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="graphmeans")
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Networks that differ only in who is connected strongly: without identities all of them are the same."""
    rng = np.random.default_rng(0)
    graphs = []
    for i in range(12):
        order = [0, 1, 2, 3, 4] if i % 2 else [3, 1, 4, 0, 2]
        matrix = np.triu(np.outer(order, order) + 1.0 + 0.01 * rng.random((5, 5)), 1)
        i_, j_ = np.nonzero(matrix)
        kinds = ["left", "left", "right", "right", "right"]
        ends = np.stack([i_, j_], axis=1)
        graphs.append(gm.Graph({"side": kinds}, ends, {"weight": matrix[i_, j_]}, node_ids=NAMES, name=f"person {i}"))
    path = tmp_path_factory.mktemp("networks") / "networks"
    write_collection(graphs, path, None)
    return path


def test_cluster_keeps_identities_if_asked_and_warns_if_not(networks, tmp_path):
    code, out, err = run("cluster", networks, "-k", 2, "-o", tmp_path / "kept", "--labelled", "--json")
    assert code == 0
    assert "same names" not in err
    with open(tmp_path / "kept" / "labels.csv", encoding="utf-8") as file:
        labels = {row["name"]: row["label"] for row in csv.DictReader(file)}
    assert len({labels[f"person {i}"] for i in range(0, 12, 2)}) == 1
    assert labels["person 0"] != labels["person 1"]
    assert "motor" in (tmp_path / "kept" / "centroids").glob("*.graphml").__next__().read_text(encoding="utf-8")
    code, out, _ = run("predict", tmp_path / "kept", networks, "--labelled", "--json")
    assert [row["label"] for row in json.loads(out)] == [int(labels[f"person {i}"]) for i in range(12)]
    code, _, err = run("cluster", networks, "-k", 2, "-o", tmp_path / "lost", "--quiet")
    assert code == 0
    assert "nodes of the same names ('motor', 'insula', ...)" in err
    assert "--labelled" in err


def test_inspect_says_it_too_and_counts_roles(networks):
    _, out, _ = run("inspect", networks, "-k", 2, "--json")
    assert any("--labelled" in note for note in json.loads(out)["notes"])
    _, out, _ = run("inspect", networks, "-k", 2, "--labelled", "--json")
    found = json.loads(out)
    assert found["roles"] == dict.fromkeys(NAMES, 12)
    assert not any("--labelled" in note for note in found["notes"])
    _, out, _ = run("inspect", networks, "-k", 2, "--roles", "side", "--json")
    assert json.loads(out)["roles"] == {"right": 36, "left": 24}


def test_distance_and_mean_with_roles(networks, tmp_path):
    pair = f"{networks}#person 0", f"{networks}#person 1"
    _, out, _ = run("distance", *pair, "--json")
    free = json.loads(out)["distance"]
    _, out, _ = run("distance", *pair, "--labelled", "--json")
    kept = json.loads(out)
    _, out, _ = run("distance", *pair, "--roles", "side", "--json")
    sides = json.loads(out)["distance"]
    assert free <= sides <= kept["distance"]
    assert free < kept["distance"]
    assert all(a == b for a, b in kept["mapping"])
    code, _, _ = run("mean", networks, "-o", tmp_path, "--labelled")
    assert code == 0
    assert "cuneus" in (tmp_path / "mean.graphml").read_text(encoding="utf-8")


def test_index_and_search_with_roles(networks, tmp_path):
    farthest = {}
    for identities in ((), ("--labelled",), ("--roles", "side")):
        code, _, err = run("index", networks, "-o", tmp_path / "n.gmi", *identities)
        assert code == 0, err
        code, out, err = run("search", tmp_path / "n.gmi", f"{networks}#person 0", "-n", 12, "--json", *identities)
        assert code == 0, err
        found = {row["neighbor"]: row["distance"] for row in json.loads(out)}
        assert len(found) == 12
        assert found["person 0"] == 0
        farthest[identities[:1]] = max(found.values())
    assert farthest[()] < farthest[("--labelled",)]


def test_what_is_refused(networks):
    code, _, err = run("inspect", networks, "--labelled", "--roles", "side")
    assert code == 2
    assert "--labelled and --roles both say which nodes may be matched" in err
    code, _, err = run("inspect", networks, "--roles", "lobe")
    assert code == 2
    assert "graph 0: no node attribute 'lobe' to take roles from; there is 'side'" in err


def test_choose_k_clusters_a_sample(networks, tmp_path):
    code, out, _ = run("choose-k", networks, "-k", "2-3", "--labelled", "--fit-sample", 10, "-o", tmp_path, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["recommended"] == 2
    assert found["n_fitted"] == 12  # 20 graphs for each cluster are more than there are
