"""Two molecules side by side, with the atoms and bonds marked that are mapped on each other."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import numpy as np

from graphmeans.common.molecules import is_molecule, molecule_of
from graphmeans.common.result import CommonSubgraph
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Match

#: Atoms and bonds that agree, and atoms and bonds that are mapped on something different.
SAME, OTHER = (0.55, 0.82, 0.62), (0.98, 0.75, 0.45)


def draw_atom_map(found: Match | CommonSubgraph, size: int = 280, *, numbers: bool = True) -> str:
    """Draw two molecules side by side and mark what is mapped on each other, as SVG.

    Green are atoms that are mapped on an atom of the same element, and bonds on a bond of the same kind; orange are those that
    are mapped on something different. Atoms with the same small number are mapped on each other. The second molecule is turned
    like the first, where what they have in common allows that.

    Parameters
    ----------
    found : Match or CommonSubgraph
        What `match` or `common_subgraph` found for two molecules. Of more than two, the first two are drawn.
    size : int, default=280
        The width and height of the picture of one molecule.
    numbers : bool, default=True
        Whether mapped atoms are numbered.

    Returns
    -------
    str
        One ``<svg>`` element.

    See Also
    --------
    draw_alignment : The same for all other graphs.
    common_subgraph : The largest common part.

    Examples
    --------
    >>> import graphmeans as gm
    >>> found = gm.common_subgraph("CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O")
    >>> gm.plots.draw_atom_map(found).startswith("<svg")
    True
    """
    pair, into = two_molecules(found)
    chem, depictor = need("rdkit.Chem", "rdkit", "draw_atom_map"), need("rdkit.Chem.rdDepictor", "rdkit", "draw_atom_map")
    draw2d = need("rdkit.Chem.Draw.rdMolDraw2D", "rdkit", "draw_atom_map")
    (left, left_atoms), (right, right_atoms) = (molecule_of(graph) for graph in pair)
    atoms = [(left_atoms[i], right_atoms[j]) for i, j in enumerate(into.tolist()) if j >= 0]
    molecules = [chem.Mol(left), chem.Mol(right)]
    depictor.Compute2DCoords(molecules[0])
    _turn(molecules[1], molecules[0], atoms, depictor)
    marks = _marks(molecules, atoms)
    if numbers:
        for number, both in enumerate(atoms, 1):
            for molecule, atom in zip(molecules, both, strict=True):
                molecule.GetAtomWithIdx(atom).SetProp("atomNote", str(number))
    artist = draw2d.MolDraw2DSVG(2 * size, size, size, size)
    look: Any = artist.drawOptions()
    look.clearBackground, look.padding, look.annotationFontScale = False, 0.08, 0.6
    drawn = [draw2d.PrepareMolForDrawing(molecule, kekulize=False) for molecule in molecules]
    artist.DrawMolecules(
        drawn, highlightAtoms=[list(mark[0]) for mark in marks], highlightBonds=[list(mark[1]) for mark in marks],
        highlightAtomColors=[mark[0] for mark in marks], highlightBondColors=[mark[1] for mark in marks],
    )  # fmt: skip
    artist.FinishDrawing()
    inside = re.search(r"<!-- END OF HEADER -->(.*)</svg>", artist.GetDrawingText(), re.DOTALL)
    said = escape(f"two molecules, {len(atoms)} atoms of which are mapped on each other")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * size} {size}" width="{2 * size}" height="{size}" role="img" '
        f'aria-label="{said}"><title>{said}</title>{"" if inside is None else inside[1].strip()}</svg>'
    )


def two_molecules(found: Match | CommonSubgraph) -> tuple[list[Graph], IntArray]:
    """The two graphs, which must be molecules, and the mapping."""
    graphs = found.graphs[:2] if isinstance(found, CommonSubgraph) else [found.x, found.y]
    known = [graph for graph in graphs if graph is not None and is_molecule(graph)]
    if len(known) < 2:
        raise GraphError("draw_atom_map is for two molecules that gm.match or gm.common_subgraph was given")
    return known, found.indices


def _turn(molecule: Any, like: Any, atoms: list[tuple[int, int]], depictor: Any) -> None:
    """Lay a molecule out like another along the atoms that are mapped; where their bonds differ, only turn it that way."""
    if atoms and _same_bonds(like, molecule, atoms):
        try:
            depictor.GenerateDepictionMatching2DStructure(molecule, like, atomMap=atoms)
            return
        except (RuntimeError, ValueError):
            pass
    depictor.Compute2DCoords(molecule)
    if len(atoms) > 1:
        _turn_rigidly(molecule.GetConformer(), like.GetConformer(), atoms)


def _same_bonds(left: Any, right: Any, atoms: list[tuple[int, int]]) -> bool:
    ends = [[(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()] for molecule in (left, right)]
    there = dict(atoms)
    back = {j: i for i, j in atoms}
    mapped = {frozenset((there[i], there[j])) for i, j in ends[0] if i in there and j in there}
    return mapped == {frozenset(pair) for pair in ends[1] if back.keys() >= set(pair)}


def _turn_rigidly(own: Any, like: Any, atoms: list[tuple[int, int]]) -> None:
    """Turn, mirror and move a conformer so that its atoms lie as near as they can to those they are mapped on (Kabsch)."""
    places, goal = np.asarray(own.GetPositions())[:, :2], np.asarray(like.GetPositions())[:, :2]
    mine, theirs = places[[j for _, j in atoms]], goal[[i for i, _ in atoms]]
    u, _, v = np.linalg.svd((mine - mine.mean(axis=0)).T @ (theirs - theirs.mean(axis=0)))
    turned = (places - mine.mean(axis=0)) @ (u @ v) + theirs.mean(axis=0)
    for atom, (x, y) in enumerate(turned.tolist()):
        own.SetAtomPosition(atom, (x, y, 0.0))


def _marks(molecules: list[Any], atoms: list[tuple[int, int]]) -> list[tuple[dict[int, Any], dict[int, Any]]]:
    """For each molecule the colours of the atoms and of the bonds that are mapped."""
    left, right = molecules
    marks: list[tuple[dict[int, Any], dict[int, Any]]] = [({}, {}), ({}, {})]
    other = dict(atoms)
    for i, j in atoms:
        same = left.GetAtomWithIdx(i).GetAtomicNum() == right.GetAtomWithIdx(j).GetAtomicNum()
        marks[0][0][i] = marks[1][0][j] = SAME if same else OTHER
    for bond in left.GetBonds():
        i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        image = right.GetBondBetweenAtoms(other[i], other[j]) if i in other and j in other else None
        if image is not None:
            same = bond.GetBondType() == image.GetBondType()
            marks[0][1][bond.GetIdx()] = marks[1][1][image.GetIdx()] = SAME if same else OTHER
    return marks
