"""Two molecules side by side with what is mapped on each other, and what notebooks show of that."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.plots.atom_map import OTHER, SAME, _marks, _same_bonds, _turn_rigidly

chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")

PAIR = ["CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O"]


def test_a_match_of_molecules_gives_an_atom_map_of_rdkit():
    molecules = [chem.MolFromSmiles(text) for text in ("OCC", "CCN")]
    found = gm.match(*molecules)
    assert sorted(found.atom_map()) == [(0, 2), (1, 1), (2, 0)]
    assert [pair[0] for pair in gm.common_subgraph(*molecules).atom_map()] == [1, 2]
    from rdkit.Chem import rdDepictor, rdMolAlign

    for molecule in molecules:
        rdDepictor.Compute2DCoords(molecule)
    assert rdMolAlign.AlignMol(*molecules, atomMap=found.atom_map()) < 0.5


def test_indices_are_those_of_the_molecule_that_was_given():
    salt = chem.MolFromSmiles("[Na+].CC(=O)[O-]")
    graph = gm.from_rdkit(salt, fragments="largest")
    found = gm.common_subgraph(graph, gm.from_smiles("CC(=O)N"))
    assert [pair[0] for pair in found.atom_map()] == [1, 2, 3]
    assert found.smiles() == "CC=O"


@pytest.mark.parametrize("make", [gm.match, gm.common_subgraph])
def test_the_picture_is_one_svg_with_both_molecules(make):
    found = make(*gm.from_smiles(PAIR))
    picture = gm.plots.draw_atom_map(found, size=200)
    root = ElementTree.fromstring(picture)
    assert root.attrib["width"] == "400"
    assert "mapped on each other" in picture
    assert len(gm.plots.draw_atom_map(found, numbers=False)) < len(picture)
    assert "<svg" in found._repr_html_()


def test_colours_say_what_agrees():
    left, right = chem.MolFromSmiles("CC=O"), chem.MolFromSmiles("CCN")
    (atoms, bonds), (other_atoms, other_bonds) = _marks([left, right], [(0, 0), (1, 1), (2, 2)])
    assert atoms == other_atoms == {0: SAME, 1: SAME, 2: OTHER}
    assert bonds == other_bonds == {0: SAME, 1: OTHER}


def test_a_molecule_is_turned_and_keeps_its_shape():
    from rdkit.Chem import rdDepictor

    left, right = chem.MolFromSmiles("Cc1ccccc1O"), chem.MolFromSmiles("Cc1ccccc1O")
    assert _same_bonds(left, right, [(i, i) for i in range(8)])
    assert not _same_bonds(left, right, [(0, 0), (1, 3)])
    for molecule in (left, right):
        rdDepictor.Compute2DCoords(molecule)
    conformer = right.GetConformer()
    places = np.asarray(conformer.GetPositions())
    for atom, (x, y) in enumerate(places[:, :2].tolist()):
        conformer.SetAtomPosition(atom, (y + 3.0, x - 1.0, 0.0))  # mirrored and moved
    _turn_rigidly(conformer, left.GetConformer(), [(i, i) for i in range(8)])
    np.testing.assert_allclose(conformer.GetPositions(), left.GetConformer().GetPositions(), atol=1e-6)


def test_what_a_notebook_shows_of_a_common_subgraph():
    shown = gm.common_subgraph(*PAIR)._repr_html_()
    assert "connected common subgraph of 2 graphs: 9 nodes, 9 edges, proven to be the largest" in shown
    assert "[#8]-[#6]1:[#6]" in shown
    path = gm.Graph(3, [(0, 1), (1, 2)], name="<b>")
    plain = gm.common_subgraph(path, path, connected=False)._repr_html_()
    assert "<svg" in plain
    assert "<code>" not in plain
    assert "common subgraph of 2 graphs: 3 nodes" in plain
    some = gm.common_subgraph(*gm.from_smiles(PAIR), max_seconds=1e-9)._repr_html_()
    assert "at most" in some
    assert "edges are possible" in some


def test_other_graphs_say_that_there_is_nothing_to_draw():
    path = gm.Graph(2, [(0, 1)])
    with pytest.raises(gm.GraphError, match="for two molecules"):
        gm.plots.draw_atom_map(gm.match(path, path))
    assert "<table>" in gm.match(path, path)._repr_html_()
