"""Commands on files of molecules: columns by name, what cannot be read, and the input written back."""

from __future__ import annotations

import csv
import gzip
import json

import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.graphs.encoding.molecules import WEIGHTS
from graphmeans.io import read_molecules, write_collection

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")

TABLE = "id,structure,act\na,CCO,1\nb,,0\nc,C1CC,2\nd,c1ccccc1O,1\ne,CC(=O)[O-].[Na+],0\nf,CCN,1\n"
QUICK = ["--algorithm", "lloyd", "--n-init", "1", "--quiet"]


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def cells(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(TABLE)
    return path


def test_a_table_is_clustered_and_goes_back(table, tmp_path):
    out = tmp_path / "out"
    options = ["--smiles-column", "structure", "--class-column", "act", *QUICK]
    result = run("cluster", table, "-k", 2, "-o", out, *options)
    assert result.exit_code == 0, result.output
    assert "2 of 6 records hold no molecule" in result.output
    rows = cells(out / "clustered.csv")
    assert [row["id"] for row in rows] == list("abcdef")
    assert [bool(row["cluster"]) for row in rows] == [True, False, False, True, True, True]
    assert [row["problem"] for row in rows][1] == "the cell is empty"
    labels = cells(out / "labels.csv")
    assert [(row["id"], row["cluster"], row["act"]) for row in rows if row["cluster"]] == [
        (row["name"], row["label"], row["class"]) for row in labels
    ]
    assert [(row["row"], row["line"], row["name"]) for row in cells(out / "skipped.csv")] == [("1", "3", "b"), ("2", "4", "c")]
    stopped = run("cluster", table, "-k", 2, "-o", tmp_path / "strict", *options, "--strict")
    assert stopped.exit_code == 2
    assert "m.csv: line 3: the cell is empty" in stopped.output
    assert run("cluster", table, "-k", 2, "-o", out, *QUICK).exit_code == 2  # no column smiles
    good = tmp_path / "good.smi"
    good.write_text("CCO a\nCCN b\nc1ccccc1 c\n")
    assert run("cluster", good, "-k", 2, "-o", out, *QUICK).exit_code == 0
    assert not (out / "skipped.csv").exists()
    assert (out / "clustered.smi").read_text().startswith("smiles\tname\tcluster\tdistance")
    over = run("cluster", out / "clustered.smi", "-k", 2, "-o", out, *QUICK)
    assert "is where the result would be written" in over.output


def test_sdf_from_standard_input_packed_and_predicted(table, tmp_path):
    assert run("convert", table, tmp_path / "m.sdf", "--smiles-column", "structure", "--name-column", "id").exit_code == 0
    assert len(cells(tmp_path / "m.sdf.skipped.csv")) == 2
    data = (tmp_path / "m.sdf").read_bytes()
    assert run("cluster", "-", "-k", 2, "-o", tmp_path / "out", *QUICK, stdin=data).exit_code == 0
    clustered = read_molecules(tmp_path / "out" / "clustered.sdf").graphs
    assert [graph.name for graph in clustered] == list("adef")
    for graph in clustered:
        assert set(graph.origin.GetPropsAsDict()) >= {"act", "cluster", "distance"}
    (tmp_path / "m.sdf.gz").write_bytes(gzip.compress(data))
    target = tmp_path / "predicted.sdf"
    result = run("predict", tmp_path / "out", tmp_path / "m.sdf.gz", "-o", target, "--with-input")
    assert result.exit_code == 0, result.output
    predicted = [graph.origin.GetProp("cluster") for graph in read_molecules(target).graphs]
    assert predicted == [graph.origin.GetProp("cluster") for graph in clustered]
    assert "--with-input" in run("predict", tmp_path / "out", tmp_path / "m.sdf", "--with-input").output


def test_convert_says_what_is_lost(table, tmp_path):
    options = ["--smiles-column", "structure"]
    for ending, kept in (("sdf", True), ("smi", True), ("csv", True), ("npz", False), ("parquet", False)):
        result = run("convert", table, tmp_path / f"out.{ending}", *options, "--json")
        said = json.loads(result.stdout)
        assert (said["graphs"], said["molecules_kept"]) == (4, kept)
    smiles = [graph.origin for graph in read_molecules(tmp_path / "out.csv").graphs]
    assert [Chem.MolToSmiles(molecule) for molecule in smiles][2] == "CC(=O)[O-].[Na+]"
    assert smiles[0].GetProp("act") == "1"
    wrong = run("convert", tmp_path / "out.npz", tmp_path / "again", "--class-column", "act")
    assert "--class-column is for a file of molecules" in wrong.output


def test_the_encoder_of_molecules_is_described_on_the_command_line(tmp_path):
    write_collection(gm.from_smiles(["C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "CCO"]), tmp_path / "m.smi")
    for text, clusters in (("molecule", 2), ('{"preset": "molecule", "stereo": true}', 3)):
        result = run("cluster", tmp_path / "m.smi", "-k", 3, "-o", tmp_path / "out", *QUICK, "--encoder", text)
        assert result.exit_code == 0, result.output
        model = gm.load(tmp_path / "out" / "model.gmz")
        assert isinstance(model.encoder_, gm.MoleculeEncoder)
        assert model.encoder_.stereo == (clusters == 3)
    linked = run("cluster", tmp_path / "m.smi", "-k", 2, "-o", tmp_path / "linked", *QUICK, "--encoder",
                 '{"preset": "molecule", "links": true}')  # fmt: skip
    assert linked.exit_code == 0, linked.output
    assert "link" in [column.name for column in gm.load(tmp_path / "linked" / "model.gmz").encoder_.edge_columns_]
    again = run("predict", tmp_path / "linked", tmp_path / "m.smi", "-o", tmp_path / "again.csv")
    assert again.exit_code == 0, again.output
    for text in ('{"preset": "molecule", "surroundings": "near"}', "series", '{"preset": "series", "stereo": true}'):
        around = run("cluster", tmp_path / "m.smi", "-k", 2, "-o", tmp_path / "around", *QUICK, "--encoder", text)
        assert around.exit_code == 0, around.output
        encoder = gm.load(tmp_path / "around" / "model.gmz").encoder_
        assert (encoder.surroundings, encoder.stereo) == ("near", "stereo" in text)
        assert "--encoder series" not in around.output
    plain = run("cluster", tmp_path / "m.smi", "-k", 2, "-o", tmp_path / "plain", "--n-init", "1")
    assert "--encoder series groups them by ring systems" in plain.output
    again = run("predict", tmp_path / "around", tmp_path / "m.smi", "-o", tmp_path / "again.csv")
    assert again.exit_code == 0, again.output
    assert "MoleculeEncoder has no parameter 'numbers'" in run(
        "cluster", tmp_path / "m.smi", "-k", 2, "-o", tmp_path / "out", "--encoder", '{"preset": "molecule", "numbers": "keep"}'
    ).output
    assert "no preset 'parallel'; known are molecule, series" in run(
        "cluster", tmp_path / "m.smi", "-k", 2, "-o", tmp_path / "out", "--encoder", '{"preset": "parallel"}'
    ).output
    misspelt = run("cluster", tmp_path / "m.smi", "-k", 2, "-o", tmp_path / "out", "--encoder", "serie")
    assert misspelt.exit_code == 2
    assert "--encoder 'serie' is neither molecule nor series nor JSON nor a file of it" in misspelt.output
    found = run("inspect", tmp_path / "m.smi", "-k", 2, "--json")
    assert any("--encoder series" in note for note in json.loads(found.stdout)["notes"])
    series = run("inspect", tmp_path / "m.smi", "-k", 2, "--json", "--encoder", "series")
    assert not any("--encoder series" in note for note in json.loads(series.stdout)["notes"])
    treated = {column["name"]: column["weight"] for column in json.loads(found.stdout)["columns"]}
    assert treated["element"] == pytest.approx(WEIGHTS["element"])
