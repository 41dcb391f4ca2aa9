"""Molecules: RDKit objects, SMILES, SDF and CSV files in and out."""

from __future__ import annotations

import csv
import functools
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm
from graphmeans import io as gio
from graphmeans.graphs.convert.molecule_options import ATOM_ATTRIBUTES, BOND_ATTRIBUTES
from io_helpers import corruptions, only_graph_errors

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")

SMILES = [
    "CCO", "c1ccccc1", "c1cc[nH]c1", "C[N+](C)(C)C", "CC(=O)[O-]", "[13CH4]", "C[C@H](N)C(=O)O", "O=C1c2ccccc2C(=O)N1",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "[Na+].[Cl-]", "N#Cc1ccccc1", "c1ccc2[nH]ccc2c1", "C[C@@H]1CC[C@H](C(C)C)C[C@@H]1O",
    "CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O", "[CH3]", "O=S(=O)(N)c1ccc(N)cc1", "ClC(Cl)(Cl)Cl",
]  # fmt: skip


def test_atoms_are_nodes_and_bonds_are_edges():
    ethanol = Chem.MolFromSmiles("CC=O")
    ethanol.SetProp("_Name", "acetaldehyde")
    graph = gm.from_rdkit(ethanol)
    assert graph.name == "acetaldehyde"
    assert graph.nodes["element"].tolist() == ["C", "C", "O"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.edge_attributes["bond"].tolist() == ["single", "double"]
    assert [g.n_nodes for g in gm.from_smiles(["C", "CC"])] == [1, 2]


@pytest.mark.parametrize("smiles", SMILES)
def test_what_goes_out_comes_back(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    kept = ("element", "charge", "aromatic", "hydrogens", "chirality", "isotope", "radicals")
    graph = gm.from_rdkit(molecule, atoms=kept)
    assert Chem.MolToSmiles(gm.to_rdkit(graph)) == Chem.MolToSmiles(molecule)
    bare = gm.Graph(graph.nodes, graph.edges, graph.edge_attributes if graph.n_edges else None)  # what the attributes alone say
    assert Chem.MolToSmiles(gm.to_rdkit(bare)) == Chem.MolToSmiles(molecule, isomericSmiles="@" not in smiles)


@pytest.mark.parametrize("smiles", ["CCO", "c1ccccc1", "c1cc[nH]c1", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "c1ccc2[nH]ccc2c1"])
def test_elements_and_bonds_are_enough_for_ordinary_molecules(smiles):
    graph = gm.from_smiles(smiles, atoms=["element"])
    bare = gm.Graph(graph.nodes, graph.edges, graph.edge_attributes)
    assert Chem.MolToSmiles(gm.to_rdkit(bare)) == Chem.CanonSmiles(smiles)


def test_every_attribute_can_be_asked_for():
    graph = gm.from_smiles("C[C@H](N)C(=O)O", atoms=list(ATOM_ATTRIBUTES), bonds=list(BOND_ATTRIBUTES))
    assert set(graph.nodes) == set(ATOM_ATTRIBUTES)
    assert set(graph.edge_attributes) == set(BOND_ATTRIBUTES)
    assert graph.nodes["hydrogens"].tolist() == [3, 1, 2, 0, 0, 1]
    with pytest.raises(gm.GraphError, match="atoms must be names out of"):
        gm.from_smiles("C", atoms=["colour"])
    with pytest.raises(gm.GraphError, match="atoms must be names out of"):
        gm.from_smiles("C", atoms="element")


def test_a_mean_becomes_a_molecule_with_support():
    mean = gm.mean(gm.from_smiles(["CCO", "CCO", "CCN"]), random_state=0)
    molecule = gm.to_rdkit(mean)
    assert sorted(atom.GetSymbol() for atom in molecule.GetAtoms()) == ["C", "C", "O"]
    assert all(atom.GetDoubleProp("support") == 1.0 for atom in molecule.GetAtoms())
    assert not molecule.HasProp("graphmeans_invalid")
    odd = gm.MeanGraph({"element": ["C"] * 6}, [(0, i) for i in range(1, 6)], {"bond": ["single"] * 5},
                       node_support=[1.0] * 6, edge_support=[0.9] * 5)  # fmt: skip
    with pytest.warns(UserWarning, match=r"is no possible molecule: node 0 \(C\) has 5 bonds, permitted is 4"):
        five = gm.to_rdkit(odd)  # a carbon with five neighbours is no molecule, but it can be drawn
    assert five.GetNumBonds() == 5
    assert five.GetProp("graphmeans_invalid") == "node 0 (C) has 5 bonds, permitted is 4"
    assert gm.to_rdkit(odd, support=0.95).GetNumBonds() == 0
    with pytest.raises(gm.GraphError, match=r"node 0 \(C\) has 5 bonds"):
        gm.to_rdkit(odd, strict=True)


def test_an_impossible_graph_is_refused_and_names_the_atom():
    bonds = {"bond": ["single", "single"]}
    bent = gm.Graph({"element": ["C", "F", "C"]}, [(0, 1), (1, 2)], bonds, node_ids=["a", "b", "c"])
    with pytest.raises(gm.GraphError, match=r"node b \(F\) has 2 bonds, permitted is 1"):
        gm.to_rdkit(bent)
    with pytest.warns(UserWarning, match="no possible molecule"):
        assert gm.to_rdkit(bent, strict=False).GetNumAtoms() == 3
    ring = gm.Graph({"element": ["C"] * 5}, [(i, (i + 1) % 5) for i in range(5)], {"bond": ["aromatic"] * 5})
    with pytest.raises(gm.GraphError, match="no single and double bonds fit the aromatic nodes 0, 1, 2, 3, 4"):
        gm.to_rdkit(ring)


def test_what_is_no_molecule():
    with pytest.raises(gm.GraphError, match="graph 1: not a molecule in SMILES: 'C1CC'"):
        gm.from_smiles(["C", "C1CC"])
    with pytest.raises(gm.GraphError, match="graph 1: not a molecule of RDKit but NoneType"):
        gm.from_rdkit([Chem.MolFromSmiles("C"), None])
    with pytest.raises(gm.GraphError, match="needs the node attribute 'element'"):
        gm.to_rdkit(gm.Graph({"x": [1.0]}))
    with pytest.raises(gm.GraphError, match="unknown element 'Qq'"):
        gm.to_rdkit(gm.Graph({"element": ["Qq"]}))


# -- files -----------------------------------------------------------------------------------------


def test_a_smiles_file(tmp_path, capfd):
    path = tmp_path / "m.smi"
    path.write_text("smiles name\n# a comment\nCCO ethanol\n\nc1ccccc1\tben zene \nC\n")
    graphs, classes = gio.read_collection(path)
    assert classes is None
    assert [g.name for g in graphs] == ["ethanol", "ben zene", "C"]
    path.write_text("CCO\nC1CC\n")
    with pytest.raises(gm.GraphError, match=r"m\.smi: line 2: not a molecule in SMILES: 'C1CC'"):
        gio.read_smiles(path, strict=True)
    with pytest.warns(UserWarning, match=r"m\.smi: 1 of 2 records hold no molecule .*line 2: not a molecule in SMILES: 'C1CC'"):
        assert len(gio.read_smiles(path)) == 1
    assert capfd.readouterr().err == ""  # RDKit would print to the terminal


def test_a_csv_file(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text('ID;SMILES;logP\na;CCO;-0.1\n"b c";c1ccccc1;2\n')
    graphs, _ = gio.read_collection(path)
    assert [g.name for g in graphs] == ["a", "b c"]
    path.write_text("x,y\n1,2\n")
    with pytest.raises(gm.GraphError, match="no column 'smiles'"):
        gio.read_collection(path)


@pytest.mark.parametrize("kind", ["smi", "sdf"])
def test_files_come_back(kind, tmp_path):
    graphs = [gm.from_smiles(s) for s in SMILES if "." not in s and "[" not in s.replace("[nH]", "")]
    path = tmp_path / f"m.{kind}"
    gio.write_collection(graphs, path)
    back, _ = gio.read_collection(path)
    for one, other in zip(back, graphs, strict=True):
        assert Chem.MolToSmiles(gm.to_rdkit(one)) == Chem.MolToSmiles(gm.to_rdkit(other))
        assert gm.distance(one, other) == pytest.approx(0.0, abs=1e-6)
    folder = tmp_path / "many"
    gio.write_collection(graphs[:2], folder / f"a.{kind}")
    gio.write_collection(graphs[2:], folder / f"b.{kind}")
    assert len(gio.read_collection(folder)[0]) == len(graphs)


def test_explicit_hydrogens_of_sdf_are_left_out(tmp_path):
    molecule = Chem.AddHs(Chem.MolFromSmiles("CC"))
    with Chem.SDWriter(str(tmp_path / "ethane.sdf")) as writer:
        writer.write(molecule)
    (graph,) = gio.read_sdf(tmp_path / "ethane.sdf")
    assert graph.n_nodes == 2
    assert graph.name == "ethane 1"


@pytest.mark.parametrize("kind", ["smi", "sdf"])
def test_a_thousand_spoilt_files(kind, tmp_path, rng, capfd):
    gio.write_collection(
        gm.from_smiles(["CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "C1CCCCC1"]), tmp_path / f"good.{kind}"
    )
    read = gio.read_smiles if kind == "smi" else gio.read_sdf
    good = (tmp_path / f"good.{kind}").read_bytes()
    strictly = functools.partial(read, strict=True)
    spoilt = list(corruptions(good, rng, 1000))
    outcomes = [only_graph_errors(strictly, data) for data in spoilt]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in spoilt[::10]:  # what cannot be read is left out, whatever else there is
            only_graph_errors(read, data)
    refused = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert len(refused) > 100
    assert all(message.startswith("SMILES: " if kind == "smi" else "SDF: ") for message in refused)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no molecules"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"C" * 30_000, "SMILES of 30000 characters"),
        (b"CC\nC\0C", "line 2"),
    ],
)
def test_smiles_that_cannot_be_read(data, said):
    with pytest.raises(gm.GraphError, match=said):
        gio.read_smiles(data, strict=True)


def test_sdf_with_a_huge_count():
    header = "huge\n  x\n\n999999  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n"
    counts = "M  V30 BEGIN CTAB\nM  V30 COUNTS 2000000000 0 0 0 0\nM  END\n$$$$\n"
    v3000 = f"huge\n  x\n\n  0  0  0     0  0            999 V3000\n{counts}"
    for text in (header, v3000):
        assert isinstance(only_graph_errors(gio.read_sdf, text.encode()), str)


# -- clusters --------------------------------------------------------------------------------------


def test_molecules_are_clustered_as_they_are():
    families = [
        "CCCCCC",
        "CCCCCCC",
        "CCCCCCCC",
        "c1ccccc1",
        "Cc1ccccc1",
        "Clc1ccccc1",
        "OCC(O)CO",
        "OCC(O)C(O)CO",
        "OCCO",
    ]
    molecules = [Chem.MolFromSmiles(smiles) for smiles in families]
    km = gm.GraphKMeans(3, algorithm="lloyd", n_init=1, random_state=0).fit(molecules)
    assert len(set(km.labels_[3:6])) == 1
    assert np.array_equal(km.predict(molecules), km.labels_)


def test_from_smiles_to_drawn_prototypes_in_one_command(tmp_path):
    from typer.testing import CliRunner

    from graphmeans.cli import app

    drugs = Path(__file__).parents[2] / "examples" / "data" / "drugs.smi"
    options = ["--algorithm", "lloyd", "--init", "medoids", "--n-init", 1, "--quiet"]
    asked = ["cluster", drugs, "-k", 6, "-o", tmp_path / "out", *options]
    result = CliRunner().invoke(app, [str(word) for word in asked])
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((tmp_path / "out" / "labels.csv").open()))
    classes = [row["name"].partition(":")[0] for row in rows]
    assert adjusted_rand_score(classes, [row["label"] for row in rows]) > 0.8
    assert len(list((tmp_path / "out" / "centroids").glob("*.svg"))) == 6
