"""What is written of molecules is read back exactly, and files go back as they came, with columns added."""

from __future__ import annotations

import csv
import gzip
import io
import pickle
import warnings

import pytest

import graphmeans as gm
from graphmeans.io import read_collection, read_molecules, write_collection

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")

HOSTILE = [
    "CC(=O)[O-].[Na+]", "[O-][n+]1ccccc1", "C[N+](=O)[O-]", "[NH3+]CC(=O)[O-]", "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "F/C=C/F",
    "F/C=C\\F", "FC=CF", "[2H]C([2H])([2H])O", "[13CH4]", "[Fe+2].[Cl-].[Cl-]", "N->[Pt](<-N)(Cl)Cl", "c1ccsc1", "c1c[nH]cn1",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "[H]C([H])([H])[H]", "[H][H]", "*c1ccccc1", "[1*]CC[2*]", "[CH3]", "[O][O]", "[C-]#[O+]",
    "C[S@](=O)CC", "[Na]OC", "C[Hg]C", "CC1CC1.Cl", "C/C=C/C=C\\C", "C[C@H]1CC[C@@H](O)CC1", "[N-]=[N+]=NC", "C[C@H](F)Cl |o1:1|",
    "C[C@@H](O)[C@H](C)O |&1:1,3|", "[cH-]1cccc1.[cH-]1cccc1.[Fe+2]", "[CH3:1][OH:2]", "[H]/N=C/C", "C/C(=N/O)C", "[235U]",
    "C[C@]12CC[C@H]3[C@@H](CC=C4C[C@@H](O)CC[C@]34C)[C@@H]1CC[C@@H]2O", "C1=CC=CC=C1",
]  # fmt: skip
PROPERTIES = {"A b": "x\ny", "empty": "", "IC50 <uM>": "3", "é": "µ", ">x": " lead", "=1+1": "-2", "long": "z" * 300}


def parsed(smiles):
    how = Chem.SmilesParserParams()
    how.removeHs = False
    return Chem.MolFromSmiles(smiles, how)


def whole(molecule):
    """All that CXSMILES say of a molecule, but for coordinates and the labels that files give to dummies."""
    fields = Chem.CXSmilesFields
    left_out = int(fields.CX_COORDS) | int(fields.CX_ATOM_PROPS) | int(fields.CX_MOLFILE_VALUES)
    return Chem.MolToCXSmiles(molecule, Chem.SmilesWriteParams(), int(fields.CX_ALL) & ~left_out)


def properties(molecule):
    return {key: molecule.GetProp(key) for key in molecule.GetPropNames(False, False)}


@pytest.fixture
def molecules():
    made = []
    for i, smiles in enumerate(HOSTILE):
        molecule = parsed(smiles)
        molecule.SetProp("_Name", f"mol {i}" if i % 5 else "| twice  the same")
        for key, value in PROPERTIES.items():
            molecule.SetProp(key, value)
        made.append(molecule)
    return made


@pytest.mark.parametrize("ending", ["sdf", "smi", "csv", "tsv"])
def test_hostile_molecules_come_back_exactly(ending, molecules, tmp_path, recwarn):
    graphs = gm.from_rdkit(molecules)
    write_collection(graphs, tmp_path / f"m.{ending}")
    back, _ = read_collection(tmp_path / f"m.{ending}")
    assert not recwarn
    assert [graph.name for graph in back] == [graph.name for graph in graphs]
    for molecule, graph in zip(molecules, back, strict=True):
        assert whole(graph.origin) == whole(molecule)
        if ending == "sdf" or ending == "csv":
            assert properties(graph.origin) == PROPERTIES
    again = tmp_path / "again"
    write_collection(back, again / f"m.{ending}")
    second, _ = read_collection(again / f"m.{ending}")
    assert [whole(graph.origin) for graph in second] == [whole(molecule) for molecule in molecules]


def test_the_origin_survives_pickling_and_node_ids_are_its_atoms(molecules):
    for molecule, graph in zip(molecules, gm.from_rdkit(molecules), strict=True):
        same = pickle.loads(pickle.dumps(graph))
        assert same == graph
        assert whole(same.origin) == whole(molecule)
        assert properties(same.origin) == PROPERTIES
        symbols = [molecule.GetAtomWithIdx(i).GetSymbol() for i in graph.node_ids]
        assert symbols == graph.nodes["element"].tolist()
    water = gm.from_smiles("[H]O[H]")
    assert (water.n_nodes, water.node_ids, water.nodes["hydrogens"].tolist()) == (1, (1,), [2.0])
    assert gm.from_smiles("[H]O[H]", hydrogens="keep").n_nodes == 3


def test_coordinates_come_back(tmp_path):
    from rdkit.Chem import AllChem

    molecule = Chem.AddHs(Chem.MolFromSmiles("C[C@H](N)C(=O)O"))
    AllChem.EmbedMolecule(molecule, randomSeed=1)
    write_collection([gm.from_rdkit(molecule)], tmp_path / "m.sdf")
    (back,) = read_collection(tmp_path / "m.sdf")[0]
    assert back.n_nodes == 6
    assert back.origin.GetNumAtoms() == 13
    assert abs(back.origin.GetConformer().GetPositions() - molecule.GetConformer().GetPositions()).max() < 1e-4
    assert Chem.MolToSmiles(Chem.RemoveHs(back.origin)) == "C[C@H](N)C(=O)O"


def test_what_sdf_cannot_hold_is_refused(tmp_path):
    molecule = Chem.MolFromSmiles("C")
    for value in ("a\n\nb", "\na", "a\n", "a\n$$$$\nb"):
        molecule.SetProp("odd", value)
        with pytest.raises(gm.GraphError, match="graph 0: the property 'odd' has a blank line"):
            write_collection(gm.from_rdkit([molecule]), tmp_path / "m.sdf")
    with pytest.warns(UserWarning, match="SMILES cannot say all that this molecule has"):
        write_collection(gm.from_rdkit([Chem.MolFromSmarts("[C,N]~[#6]")]), tmp_path / "m.smi")


# -- reading ---------------------------------------------------------------------------------------

TABLE = (
    "\ufeffid;Canonical_SMILES;class;note\r\n"
    'a;CCO;x;"two\r\nlines; here"\r\n'
    "b;;y;\r\n"
    "c;C1CC;x;not closed\r\n"
    "\r\n"
    "d;CC(=O)[O-].[Na+];y\r\n"
    '"e ""1""";c1ccccc1N;x;=2+2\r\n'
).encode()


def quiet(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_molecules(source, **options)


def test_a_table_goes_back_as_it_came_with_columns_added():
    table = quiet(TABLE, class_column="CLASS")
    assert [graph.name for graph in table.graphs] == ["a", "d", 'e "1"']
    assert table.classes == ["x", "y", "x"]
    assert table.rows == [0, 3, 4]
    assert [(one.row, one.line, one.name) for one in table.invalid] == [(1, 4, "b"), (2, 5, "c")]
    assert table.invalid[0].reason == "the cell is empty"
    back = table.to_bytes({"cluster": [2, 0, None], "class": ["p", "q,;", "r"]})
    assert back.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(back.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert rows[0] == ["id", "Canonical_SMILES", "class", "note", "cluster", "class_", "problem"]
    assert rows[1] == ["a", "CCO", "x", "two\r\nlines; here", "2", "p", ""]
    assert rows[2] == ["b", "", "y", "", "", "", "the cell is empty"]
    assert rows[3][:6] == ["c", "C1CC", "x", "not closed", "", ""]
    assert "not a molecule in SMILES" in rows[3][6]
    assert rows[4] == ["d", "CC(=O)[O-].[Na+]", "y", "", "0", "q,;", ""]
    assert rows[5] == ['e "1"', "c1ccccc1N", "x", "=2+2", "", "r", ""]
    kept = quiet(back, class_column="class")
    assert [graph.name for graph in kept.graphs] == [graph.name for graph in table.graphs]
    assert properties(table.graphs[0].origin) == {"class": "x", "note": "two\r\nlines; here"}


def test_strict_stops_and_names_the_line():
    with pytest.raises(gm.GraphError, match="molecules: line 4: the cell is empty"):
        read_molecules(TABLE, strict=True)
    with pytest.warns(UserWarning, match=r"2 of 5 records hold no molecule .* \(line 4: the cell is empty; line 5: "):
        read_molecules(TABLE)
    with pytest.raises(gm.GraphError, match="has no column 'structure'; there are 'id', 'canonical_smiles'"):
        read_molecules(TABLE, smiles_column="structure")
    with pytest.raises(gm.GraphError, match="holds no molecules that can be read; line 1: not a molecule"):
        read_molecules(b"C1CC\n", kind="smi")


def test_an_sdf_goes_back_as_it_came_broken_entries_too(tmp_path):
    molecules = [Chem.MolFromSmiles(smiles) for smiles in ("CCO", "c1ccccc1", "C[C@H](N)C(=O)O")]
    for i, molecule in enumerate(molecules):
        molecule.SetProp("_Name", f"m{i}")
        molecule.SetProp("activity", f"{i}\nand more")
    write_collection(gm.from_rdkit(molecules), tmp_path / "m.sdf")
    entries = (tmp_path / "m.sdf").read_bytes().split(b"$$$$\n")[:3]
    broken = [entries[0].replace(b" O   0", b" Qq  0"), b"\n\n", b"rubbish\n", entries[1].replace(b"and more", b"\xb5M \xff")]
    data = b"$$$$\n".join([entries[0], *broken, entries[2].rstrip(b"\n")]) + b"\n$$$$\n"
    table = quiet(data, class_column="activity")
    assert table.n_records == 6
    assert [graph.name for graph in table.graphs] == ["m0", "m1", "m2"]
    assert table.rows == [0, 4, 5]
    assert [one.row for one in table.invalid] == [1, 2, 3]
    assert table.classes == ["0\nand more", "1\nµM ÿ", "2\nand more"]
    back = table.to_bytes({"activity": [1, 2, 3], "cluster": [0, 1, 0]})
    for entry in (entries[0], broken[0], broken[3]):
        assert entry in back  # byte by byte
    again = quiet(back)
    assert [graph.name for graph in again.graphs] == ["m0", "m1", "m2"]
    assert [graph.origin.GetProp("cluster") for graph in again.graphs] == ["0", "1", "0"]
    assert [graph.origin.GetProp("activity_") for graph in again.graphs] == ["1", "2", "3"]
    assert again.graphs[0].origin.GetProp("activity") == "0\nand more"
    assert back.count(b"<problem>") == 3
    assert len(again.invalid) == 3
    write_collection(table.graphs, tmp_path / "again.sdf")  # also what is not UTF-8
    assert b"\xb5M \xff" in (tmp_path / "again.sdf").read_bytes()


def test_lines_of_smiles_go_back_as_a_table():
    table = quiet(b"# made by hand\nsmiles name\nOCC  the first \n\nnonsense x\nC[C@H](F)Cl |o1:1| relative\n")
    assert [graph.name for graph in table.graphs] == ["the first", "relative"]
    assert "o1" in Chem.MolToCXSmiles(table.graphs[1].origin)
    back = table.to_bytes({"cluster": [4, 5]}).decode().splitlines()
    assert back[0] == "smiles\tname\tcluster\tproblem"
    assert back[1] == "OCC\tthe first\t4\t"
    assert back[2].startswith("nonsense\tx\t\tnot a molecule in SMILES: 'nonsense'")
    assert back[3] == "C[C@H](F)Cl |o1:1|\trelative\t5\t"
    again = quiet("\n".join(back).encode(), kind="smi")
    assert [graph.name for graph in again.graphs] == ["the first", "relative"]


@pytest.mark.parametrize("ending", ["smi", "csv", "tsv", "sdf"])
def test_packed_files(ending, tmp_path):
    write_collection(gm.from_smiles(["CCO", "c1ccccc1"]), tmp_path / f"m.{ending}")
    (tmp_path / f"m.{ending}.gz").write_bytes(gzip.compress((tmp_path / f"m.{ending}").read_bytes()))
    assert [graph.n_nodes for graph in read_collection(tmp_path / f"m.{ending}.gz")[0]] == [3, 6]
    (tmp_path / f"bad.{ending}.gz").write_bytes(b"\x1f\x8b\x08\x00 nothing")
    with pytest.raises(gm.GraphError, match="cannot be unpacked"):
        read_collection(tmp_path / f"bad.{ending}.gz")


def test_a_packed_file_that_would_not_end_is_refused(tmp_path):
    (tmp_path / "bomb.smi.gz").write_bytes(gzip.compress(b"\n" * (70 << 20)))
    with pytest.raises(gm.GraphError, match="would unpack to more than 200 times its size"):
        read_molecules(tmp_path / "bomb.smi.gz")


def test_suppliers_of_rdkit_are_read_and_what_they_cannot_read_is_named(tmp_path):
    write_collection(gm.from_smiles(["CCO", "c1ccccc1", "CCN", "CCCC"]), tmp_path / "m.sdf")
    text = (tmp_path / "m.sdf").read_text().replace(" N   0", " Qq  0")
    (tmp_path / "m.sdf").write_text(text)
    supplier = Chem.SDMolSupplier(str(tmp_path / "m.sdf"))
    with pytest.warns(UserWarning, match="1 of 4 molecules could not be read by RDKit and are left out: number 2,"):
        assert len(gm.from_rdkit(supplier)) == 3
    with pytest.warns(UserWarning, match="could not be read"):
        km = gm.GraphKMeans(2, n_init=1, random_state=0).fit(supplier)
    assert len(km.labels_) == 3
    with (tmp_path / "m.sdf").open("rb") as file, pytest.warns(UserWarning, match="could not be read"):
        assert len(gm.from_rdkit(Chem.ForwardSDMolSupplier(file))) == 3
    with pytest.raises(gm.GraphError, match="graph 1: cannot make a graph of NoneType; RDKit could not read this"):
        gm.GraphKMeans(1).fit([Chem.MolFromSmiles("C"), None])
