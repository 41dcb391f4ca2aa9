"""Results remember how INPUT was read, and `graphmeans report` and `graphmeans predict` read it as it was read then."""

from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.io import write_collection

NAMES = ["motor", "insula", "cuneus", "frontal", "angular"]


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="graphmeans")
    return result.exit_code, result.stdout, result.stderr


def succeeded(*arguments: object) -> str:
    code, out, err = run(*arguments)
    assert code == 0, err
    return out


def refused(*arguments: object) -> str:
    code, _, err = run(*arguments)
    assert code == 2
    (line,) = err.strip().splitlines()
    return line


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    rng = np.random.default_rng(0)
    graphs = []
    for i in range(12):
        order = [0, 1, 2, 3, 4] if i % 2 else [3, 1, 4, 0, 2]
        matrix = np.triu(np.outer(order, order) + 1.0 + 0.01 * rng.random((5, 5)), 1)
        ends = np.argwhere(matrix)
        sides = {"side": ["left", "left", "right", "right", "right"]}
        graphs.append(gm.Graph(sides, ends, {"weight": matrix[ends[:, 0], ends[:, 1]]}, node_ids=NAMES, name=f"person {i}"))
    path = tmp_path_factory.mktemp("networks") / "networks"
    write_collection(graphs, path)
    return path


@pytest.mark.parametrize("option", [("--labelled",), ("--roles", "side")], ids=["labelled", "roles"])
def test_a_page_is_made_again_of_graphs_with_roles(option, networks, tmp_path):
    out = tmp_path / "out"
    said = succeeded("cluster", networks, "-k", 2, "-o", out, *option, "--json")
    assert json.loads(said)["files"]["reading"] == str(out / "reading.json")
    (out / "report.html").unlink()
    succeeded("report", out, networks)
    assert (out / "report.html").exists()
    succeeded("report", out, networks, *option, "-o", tmp_path / "again.html")
    assert (tmp_path / "again.html").exists()
    with (out / "labels.csv").open(encoding="utf-8") as file:
        labels = [int(row["label"]) for row in csv.DictReader(file)]
    assert [row["label"] for row in json.loads(succeeded("predict", out, networks, "--json"))] == labels

    older = tmp_path / "older"  # results of an earlier release do not say how INPUT was read
    shutil.copytree(out, older)
    (older / "reading.json").unlink()
    assert "graph 0" in refused("report", older, networks)
    succeeded("report", older, networks, *option)


def test_roles_that_a_file_keeps_are_taken_as_they_are(networks, tmp_path):
    graphs = gm.io.read_collection(networks)[0]
    succeeded("cluster", networks, "-k", 2, "-o", tmp_path / "out", "--roles", "side")
    own = gm.graphs.labelled.with_roles(graphs, "side")
    for name in ("own.npz", "own.parquet"):
        write_collection(own, tmp_path / name)
        assert len(json.loads(succeeded("predict", tmp_path / "out", tmp_path / name, "--json"))) == 12


def test_columns_of_molecules(tmp_path):
    pytest.importorskip("rdkit")
    smiles = ["CCO", "CCCO", "CCCCO", "c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "C1CC1", "C1CCC1"]
    rows = ["structure,code,target", *(f"{text},mol-{i},{'ring' if '1' in text else 'chain'}" for i, text in enumerate(smiles))]
    (tmp_path / "library.csv").write_text("\n".join(rows) + "\n")
    columns = ("--smiles-column", "structure", "--name-column", "code", "--class-column", "target")
    succeeded("cluster", tmp_path / "library.csv", "-k", 2, "-o", tmp_path / "out", *columns, "--strict")
    assert json.loads((tmp_path / "out" / "reading.json").read_text())["smiles_column"] == "structure"
    succeeded("report", tmp_path / "out", tmp_path / "library.csv")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "mol-3" in page
    assert "chain" in page
    renamed = (tmp_path / "library.csv").read_text().replace("structure,", "drawn,", 1)
    (tmp_path / "renamed.csv").write_text(renamed)
    assert "structure" in refused("report", tmp_path / "out", tmp_path / "renamed.csv")
    succeeded("report", tmp_path / "out", tmp_path / "renamed.csv", "--smiles-column", "drawn")
    (tmp_path / "library.smi").write_text("".join(f"{text} mol-{i}\n" for i, text in enumerate(smiles)))
    succeeded("convert", tmp_path / "library.smi", tmp_path / "library.npz")
    _, _, err = run("report", tmp_path / "out", tmp_path / "library.npz")  # columns mean nothing there
    assert "--smiles-column" not in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not valid JSON"),
        ("[]", "was not written by graphmeans"),
        ('{"format": "graphmeans reading", "version": 2}', "has the version 2"),
        ('{"format": "graphmeans reading", "version": 1, "labelled": "yes"}', "labelled"),
        ('{"format": "graphmeans reading", "version": 1, "shell": "rm"}', "'shell' is no part of it"),
    ],
)
def test_what_is_remembered_is_checked(text, said, networks, tmp_path):
    succeeded("cluster", networks, "-k", 2, "-o", tmp_path, "--labelled")
    (tmp_path / "reading.json").write_text(text)
    line = refused("report", tmp_path, networks)
    assert "reading.json" in line
    assert said in line


def test_results_made_anew_do_not_remember_an_earlier_input(networks, tmp_path):
    succeeded("cluster", networks, "-k", 2, "-o", tmp_path, "--labelled")
    succeeded("cluster", networks, "-k", 2, "-o", tmp_path)
    assert not json.loads((tmp_path / "reading.json").read_text())["labelled"]
    succeeded("report", tmp_path, networks)


def test_networks_in_an_array(tmp_path):
    """What neuroscientists have: one array, with the names of regions or without; all commands read it."""
    rng = np.random.default_rng(0)
    stack = np.abs(rng.normal(size=(2, 6, 6)))[np.arange(16) % 2] + 0.05 * rng.random((16, 6, 6))
    stack += stack.transpose(0, 2, 1)
    np.save(tmp_path / "brains.npy", stack)
    np.savez(tmp_path / "brains.npz", stack, labels=[*NAMES, "amygdala"])
    for name, row in (("brains.npy", "row 0"), ("brains.npz", "motor")):
        path, out = tmp_path / name, tmp_path / f"out-{name}"
        notes = json.loads(succeeded("inspect", path, "-k", 2, "--json"))["notes"]
        assert any(row in note and "--labelled" in note for note in notes)
        assert json.loads(succeeded("inspect", path, "-k", 2, "--labelled", "--json"))["roles"][row] == 16
        code, _, err = run("cluster", path, "-k", 2, "-o", tmp_path / "lost", "-q")
        assert code == 0
        assert "--labelled" in err
        succeeded("cluster", path, "-k", 2, "-o", out, "--labelled", "-q")
        labels = [r["label"] for r in json.loads(succeeded("predict", out, path, "--json"))]
        assert len({*labels[::2]}) == len({*labels[1::2]}) == 1
        assert labels[0] != labels[1]
        succeeded("report", out, path)
        assert row in (out / "report.html").read_text(encoding="utf-8")
    np.save(tmp_path / "wrong.npy", stack[:, :5])
    assert "wrong.npy: holds an array of shape (16, 5, 6)" in refused("inspect", tmp_path / "wrong.npy")


def test_other_graphs_of_the_same_names_are_refused(tmp_path):
    graphs, _ = gm.datasets.make_letters(60, random_state=0)
    write_collection(graphs, tmp_path / "letters.npz")
    succeeded("cluster", tmp_path / "letters.npz", "-k", 4, "-o", tmp_path / "out", "--n-init", 1, "-q")
    larger = [gm.Graph({**g.nodes, "x": 5 * g.nodes["x"]}, g.edges, g.edge_attributes[""], name=g.name) for g in graphs]
    write_collection(larger, tmp_path / "larger.npz")
    line = refused("report", tmp_path / "out", tmp_path / "larger.npz", "-o", tmp_path / "page.html")
    assert "these are not the graphs of the fit" in line
    assert "graph " in line
    assert not (tmp_path / "page.html").exists()
    write_collection(graphs[:30] + graphs[30:][::-1], tmp_path / "mixed.npz")  # other names beside the labels are found by these
    assert "in the input" in refused("report", tmp_path / "out", tmp_path / "mixed.npz")
    succeeded("report", tmp_path / "out", tmp_path / "letters.npz", "--members", "all")
