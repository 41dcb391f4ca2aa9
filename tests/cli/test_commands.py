"""predict, mean, distance, inspect, choose-k, convert: what they print and write, as text and as JSON, and how they refuse."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree
from typer.testing import CliRunner, Result

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.cli.choose_k import parse_numbers
from graphmeans.io import read_collection, read_graph, write_collection, write_graph

COMMANDS = ["demo", "inspect", "choose-k", "cluster", "predict", "mean", "distance", "compare", "convert", "paper", "warmup"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="graphmeans")


def succeeded(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def one_line(*arguments: object) -> str:
    """The line of a refusal: alone, on stderr, with exit code 2."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("graphmeans: error: ")
    return lines[0]


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(60, random_state=0)


@pytest.fixture(scope="module")
def folder(letters, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("letters") / "letters"
    write_collection(letters[0], path, letters[1].tolist())
    return path


@pytest.fixture(scope="module")
def clustered(folder, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("clustered") / "out"
    succeeded("cluster", folder, "-k", 15, "-o", path, "-q")
    return path


def test_every_command_has_help_with_examples():
    listed = succeeded("--help")
    for command in COMMANDS:
        assert f" {command} " in listed
        page = succeeded(command, "--help")
        assert f"graphmeans {command}" in page
        assert "Example" in page


def test_cluster_writes_a_model_that_predicts_its_labels(folder, clustered):
    km = gm.load(clustered / "model.gmz")
    graphs, _ = read_collection(folder)
    assert km.predict(graphs).tolist() == km.labels_.tolist()
    rows = list(csv.DictReader((clustered / "labels.csv").open(newline="")))
    assert [int(row["label"]) for row in rows] == km.labels_.tolist()


def test_cluster_as_json(folder, tmp_path):
    found = json.loads(succeeded("cluster", folder, "-k", 5, "-o", tmp_path, "--json"))
    assert found["graphs"] == sum(cluster["size"] for cluster in found["clusters"]) == 60
    assert len(found["clusters"]) == 5
    assert 0 < found["accuracy"] <= 1
    assert all(Path(path).exists() for path in found["files"].values())
    plain = json.loads(succeeded("cluster", folder, "-k", 2, "-o", tmp_path, "--json", "--algorithm", "lloyd"))
    assert plain["certified_fraction"] is None  # lloyd does not know: null, not NaN


def test_cluster_takes_an_encoder_a_certificate_and_a_checkpoint(folder, tmp_path):
    chosen = '{"weights": {"x": 0}, "numbers": "robust", "presence": 0.5}'
    options = ["--encoder", chosen, "--certify", "--checkpoint", tmp_path / "state", "-q"]
    succeeded("cluster", folder, "-k", 3, "-o", tmp_path / "out", *options)
    km = gm.load(tmp_path / "out" / "model.gmz")
    assert [column.name for column in km.encoder_.node_columns_] == ["y"]
    assert km.certify
    assert not (tmp_path / "state").exists()
    (tmp_path / "encoder.json").write_text(chosen)
    succeeded("cluster", folder, "-k", 3, "-o", tmp_path / "two", "--encoder", tmp_path / "encoder.json", "-q")
    assert gm.load(tmp_path / "two" / "model.gmz").encoder_.numbers == "robust"
    for wrong, said in (('{"colour": 1}', "no parameter 'colour'"), ("{", "not valid JSON"), ('{"numbers": "?"}', "numbers")):
        assert said in one_line("cluster", folder, "-k", 3, "-o", tmp_path / "three", "--encoder", wrong)
    assert "nowhere.json" in one_line("cluster", folder, "-k", 3, "--encoder", tmp_path / "nowhere.json")
    assert "--raw" in one_line("cluster", folder, "-k", 3, "--encoder", "{}", "--raw")


# -- predict ---------------------------------------------------------------------------------------


def test_predict_prints_a_table(letters, folder, clustered, tmp_path):
    km = gm.load(clustered / "model.gmz")
    rows = list(csv.DictReader(io.StringIO(succeeded("predict", clustered, folder))))
    assert list(rows[0]) == ["name", "label", "distance", "second", "margin", "outlier"]
    graphs, _ = read_collection(folder)
    table = km.transform(graphs)
    assert [row["name"] for row in rows] == [graph.name for graph in graphs]
    assert [int(row["label"]) for row in rows] == table.argmin(axis=1).tolist()
    np.testing.assert_allclose([float(row["distance"]) for row in rows], table.min(axis=1))
    np.testing.assert_allclose([float(row["margin"]) for row in rows], km.margins(graphs))
    np.testing.assert_allclose([float(row["outlier"]) for row in rows], km.outlier_scores(graphs))
    listed = json.loads(succeeded("predict", clustered / "model.gmz", folder, "--json"))
    assert [row["label"] for row in listed] == table.argmin(axis=1).tolist()
    assert succeeded("predict", clustered, folder, "-o", tmp_path / "deep" / "labels.csv") == f"{tmp_path}/deep/labels.csv\n"
    assert len((tmp_path / "deep" / "labels.csv").read_text().splitlines()) == 61


def test_predict_with_one_cluster_and_with_classes(letters, folder, tmp_path):
    succeeded("cluster", folder, "-k", 1, "-o", tmp_path / "one", "-q")
    assert json.loads(succeeded("predict", tmp_path / "one", folder, "--json"))[0]["margin"] is None
    gm.GraphNearestCentroid(random_state=0).fit(*letters).save(tmp_path / "classes.gmz")
    rows = json.loads(succeeded("predict", tmp_path / "classes.gmz", folder, "--json"))
    _, classes = read_collection(folder)
    assert np.mean([row["class"] == true for row, true in zip(rows, classes, strict=True)]) > 0.9


def test_predict_refuses(folder, clustered, tmp_path):
    assert "no such file" in one_line("predict", tmp_path / "none.gmz", folder)
    assert "holds no model.gmz" in one_line("predict", tmp_path, folder)
    (tmp_path / "bad.gmz").write_bytes(b"PK" * 50)
    assert "is not a readable zip" in one_line("predict", tmp_path / "bad.gmz", folder)
    write_graph(gm.Graph({"colour": ["red"]}), tmp_path / "other.graphml")
    assert "other" in one_line("predict", clustered, tmp_path / "other.graphml")


# -- mean and distance -----------------------------------------------------------------------------


def test_mean_writes_a_graph_and_a_picture(folder, tmp_path):
    said = succeeded("mean", folder, "-o", tmp_path / "mean", "--seed", 3)
    assert "mean of 60 graphs" in said
    graphs, _ = read_collection(folder)
    expected = gm.mean(graphs, random_state=3)
    written = read_graph(tmp_path / "mean" / "mean.graphml")
    np.testing.assert_array_equal(written.nodes["x"], expected.nodes["x"])
    np.testing.assert_array_equal(written.node_support, expected.node_support)
    np.testing.assert_array_equal(written.edges, expected.edges)
    assert ElementTree.parse(tmp_path / "mean" / "mean.svg").getroot().tag.endswith("svg")
    found = json.loads(succeeded("mean", folder, "-o", tmp_path / "set", "--method", "set", "--support", 0.5, "--json"))
    assert found["graphs"] == 60
    assert found["objective"] >= expected.objective * 0.99
    assert len(found["node_support"]) == found["nodes"]


def test_distance_of_two_files_and_of_members(letters, folder, clustered, tmp_path):
    graphs, _ = read_collection(folder)
    for name, graph in (("a", graphs[0]), ("b", graphs[1])):
        write_graph(graph, tmp_path / f"{name}.graphml")
    a, b = tmp_path / "a.graphml", tmp_path / "b.graphml"
    said = succeeded("distance", a, b, "-o", tmp_path / "pictures" / "alignment.svg")
    expected = gm.match(graphs[0], graphs[1])
    assert f"distance {expected.upper:.10g} (proven" in said
    assert ElementTree.parse(tmp_path / "pictures" / "alignment.svg").getroot().tag.endswith("svg")
    found = json.loads(succeeded("distance", a, b, "--json"))
    assert found["distance"] == pytest.approx(expected.upper)
    assert [pair[1] for pair in found["mapping"]] == list(expected.mapping.values())
    by_name = json.loads(succeeded("distance", f"{folder}#{graphs[0].name}", f"{folder}#1", "--json"))
    assert by_name["distance"] == pytest.approx(expected.upper)
    km = gm.load(clustered / "model.gmz")
    with_model = json.loads(succeeded("distance", a, b, "--model", clustered, "--json"))
    assert with_model["distance"] == pytest.approx(km.space_.distances(km._points(graphs[:2]))[0, 1])
    weighted = json.loads(succeeded("distance", a, b, "--node-weight", 4, "--edge-weight", 4, "--json"))
    assert weighted["distance"] == pytest.approx(2 * expected.upper)


def test_distance_refuses(folder, clustered, tmp_path):
    assert "say which one" in one_line("distance", folder, folder)
    assert "no graph 'nobody'" in one_line("distance", f"{folder}#nobody", f"{folder}#0")
    assert "no graph '60'" in one_line("distance", f"{folder}#60", f"{folder}#0")
    assert "brings its own" in one_line("distance", f"{folder}#1", f"{folder}#0", "--model", clustered, "--matcher", "exact")
    assert "nowhere" in one_line("distance", tmp_path / "nowhere.gml", f"{folder}#0")
    write_collection([gm.Graph([[0.0]], name="twin"), gm.Graph([[1.0]], name="twin")], tmp_path / "twins.npz")
    assert "2 graphs are called 'twin'" in one_line("distance", f"{tmp_path}/twins.npz#twin", f"{folder}#0")


# -- inspect, choose-k, convert --------------------------------------------------------------------


def test_inspect_says_what_there_is(folder, tmp_path):
    said = succeeded("inspect", folder, "-k", 15)
    for words in ("60 graphs, undirected, 15 classes", "nodes ", "copies", "standardised", "a fit with 15 clusters", "memory"):
        assert words in said
    found = json.loads(succeeded("inspect", folder, "--json"))
    assert found["n_graphs"] == 60
    assert len(found["classes"]) == 15
    assert {"x", "y"} <= {column["name"] for column in found["columns"]}
    assert found["cost"]["n_clusters"] == 8
    assert found["problem"] is None
    write_graph(gm.Graph({"x": [0.0]}), tmp_path / "a.graphml")
    write_graph(gm.Graph({"x": ["red"]}), tmp_path / "b.graphml")
    assert "cannot be encoded" in succeeded("inspect", tmp_path)
    assert "nowhere" in one_line("inspect", tmp_path / "nowhere")


def test_choose_k_recommends_and_draws(folder, tmp_path):
    said = succeeded("choose-k", folder, "-k", "2-4,6", "--seeds", 2, "-o", tmp_path)
    assert "recommended" in said
    assert ElementTree.parse(tmp_path / "choose-k.svg").getroot().tag.endswith("svg")
    written = json.loads((tmp_path / "choose-k.json").read_text())
    assert [row["n_clusters"] for row in written["tried"]] == [2, 3, 4, 6]
    found = json.loads(succeeded("choose-k", folder, "-k", "2-4,6", "--seeds", 2, "-o", tmp_path, "--json"))
    assert found["recommended"] == written["recommended"]
    for wrong in ("x", "2-", "4-x", "-3"):
        assert "neither a number nor a range" in one_line("choose-k", folder, f"-k={wrong}")
    assert "cannot be tried" in one_line("choose-k", folder, "-k", "2,60")
    assert parse_numbers("3, 5-6") == [3, 5, 6]


def test_convert(letters, folder, tmp_path):
    assert "without their classes" in succeeded("convert", folder, tmp_path / "letters.npz")
    graphs, _ = read_collection(tmp_path / "letters.npz")
    assert [graph.name for graph in graphs] == [graph.name for graph in read_collection(folder)[0]]
    succeeded("convert", tmp_path / "letters.npz", tmp_path / "gml", "--to", "gml")
    assert len(read_collection(tmp_path / "gml")[0]) == 60
    kept = json.loads(succeeded("convert", folder, tmp_path / "again", "--json"))
    assert kept["classes_kept"]
    assert read_collection(tmp_path / "again")[1] == read_collection(folder)[1]
    assert "exists already" in one_line("convert", folder, tmp_path / "letters.npz")


# -- for shells and scripts ------------------------------------------------------------------------


def test_shells_complete_commands_and_options():
    environment = {**os.environ, "_GRAPHMEANS_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    words = subprocess.run(
        [sys.executable, "-c", "from graphmeans.cli import main; main()"], capture_output=True, text=True, timeout=300,
        env={**environment, "COMP_WORDS": "graphmeans c"},
    )  # fmt: skip
    assert set(words.stdout.split()) == {"choose-k", "cluster", "compare", "convert"}
    options = subprocess.run(
        [sys.executable, "-c", "from graphmeans.cli import main; main()"], capture_output=True, text=True, timeout=300,
        env={**environment, "COMP_WORDS": "graphmeans cluster --encod", "COMP_CWORD": "2"},
    )  # fmt: skip
    assert options.stdout.split() == ["--encoder"]
    # Without a shell among the processes above, typer would not know which one is meant.
    shell = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "_graphmeans_completion" in subprocess.run(
        [sys.executable, "-m", "graphmeans", "--show-completion", "bash"], capture_output=True, text=True, timeout=300, env=shell,
    ).stdout  # fmt: skip


def test_exit_codes_in_a_shell(folder, clustered, tmp_path):
    def code(*arguments: object) -> int:
        command = [sys.executable, "-m", "graphmeans", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, timeout=600).returncode

    assert code("predict", clustered, folder, "-o", tmp_path / "x.csv") == 0
    assert code("predict", tmp_path / "none", folder) == 2
    assert code("choose-k") == 2
