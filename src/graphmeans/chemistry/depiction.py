"""Where the atoms of molecules are drawn: a medoid as RDKit lays it out, members and cores turned as the medoid is."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphmeans.chemistry.core import Core, connected_part, cut_out, made_valid
from graphmeans.chemistry.members import Aligned
from graphmeans.chemistry.names.substituents import HYDROGEN
from graphmeans.chemistry.toolkit import part, silent
from graphmeans.chemistry.variation import Variation
from graphmeans.graphs.batch import FloatArray

#: Atoms that are drawn nearer to each other than this, in ångströms, lie on each other: a bond has 1.5.
CLASH = 0.55


def laid_out(molecule: Any) -> Any:
    """A copy of a molecule with coordinates, its long side from left to right."""
    depictor = part("Chem.rdDepictor")
    copy = part("Chem").Mol(molecule)
    with silent():
        depictor.Compute2DCoords(copy, canonOrient=True)
        depictor.StraightenDepiction(copy)
    return copy


def turned_to(member: Aligned, reference: Aligned, drawn: Any) -> Any:
    """A copy of a member with coordinates, in which what it shares with the reference lies as there.

    `drawn` is the reference with coordinates. Shared is the largest connected part that is aligned to the same nodes of the
    mean, with the same elements and bonds, rings whole. With less than three such atoms the member is turned to lie on the
    reference as well as it can.
    """
    depictor = part("Chem.rdDepictor")
    pairs = shared_part(reference, member)
    copy = part("Chem").Mol(member.molecule)
    with silent():
        if len(pairs) >= 3:
            try:
                depictor.GenerateDepictionMatching2DStructure(copy, drawn, pairs)
                if _legible(copy):
                    return copy
            except (RuntimeError, ValueError):
                pass
        kept, copy = copy, laid_out(member.molecule)
        if len(pairs) >= 3 and kept.GetNumConformers() and not _legible(copy):
            return kept  # it does not lie flat in any way
        at = {int(node): a for a, node in enumerate(reference.nodes) if node >= 0}
        aligned = [(at[int(node)], a) for a, node in enumerate(member.nodes) if int(node) in at]
        if len(aligned) >= 2:
            _turn(copy, drawn, aligned)
    return copy


def shared_part(one: Aligned, other: Aligned) -> list[tuple[int, int]]:
    """Pairs of atoms of the largest connected part that two members share, as their alignments to the mean have it."""
    at = {node: a for a, node in enumerate(other.nodes.tolist()) if node >= 0}
    pairs = {
        a: at[node] for a, node in enumerate(one.nodes.tolist()) if node in at and one.kinds[a] == other.kinds[at[node]]
    }  # fmt: skip
    beside = {(min(i, j), max(i, j)): b for b, (i, j, _) in enumerate(other.bonds)}
    bonds = set()
    for b, (i, j, sign) in enumerate(one.bonds):
        if i in pairs and j in pairs:
            found = beside.get((min(pairs[i], pairs[j]), max(pairs[i], pairs[j])))
            if found is not None and other.bonds[found][2] == sign and _in_ring(one, b) == _in_ring(other, found):
                bonds.add(b)
    atoms, _ = connected_part(one, set(pairs), bonds)
    return [(a, pairs[a]) for a in atoms]


def _legible(copy: Any) -> bool:
    """Whether no two atoms of a molecule are drawn nearly at the same place."""
    points = np.asarray(copy.GetConformer().GetPositions())[:, :2]
    apart = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    return len(points) < 2 or bool(apart.min() > CLASH**2)


def _in_ring(member: Aligned, bond: int) -> bool:
    return bool(member.molecule.GetRingInfo().NumBondRings(bond))


def core_with_places(core: Core, variation: Variation, drawn: Any) -> tuple[Any, dict[int, str]]:
    """The core as a molecule with coordinates as in the drawn host, and a label for each atom at which members differ."""
    chem, depictor = part("Chem"), part("Chem.rdDepictor")
    piece, place = cut_out(core.host.molecule, core.atoms, core.bonds)
    labels: dict[int, str] = {}
    inside = set(core.atoms)
    pairs = [(a, place[a]) for a in core.atoms]
    for spot in variation.places:
        atom = core.host.molecule.GetAtomWithIdx(spot.atom)
        if spot.name.startswith("X"):
            labels[place[spot.atom]] = spot.name
            several = piece.GetAtomWithIdx(place[spot.atom])  # it stands for atoms of different valences
            several.SetAtomicNum(0)
            several.SetFormalCharge(0)
            several.SetNumExplicitHs(0)
            continue
        cut = [bond for bond in atom.GetBonds() if bond.GetOtherAtomIdx(spot.atom) not in inside]
        carried = [text for text, _ in spot.what if text != HYDROGEN]
        elsewhere = chem.BondType.DOUBLE if carried and all(text.startswith("=") for text in carried) else chem.BondType.SINGLE
        orders = [bond.GetBondType() for bond in cut] or [elsewhere]
        held = piece.GetAtomWithIdx(place[spot.atom])
        # Several bonds of an atom lead to the same place: it is drawn once.
        order = orders[0] if len(orders) == 1 and orders[0] != chem.BondType.AROMATIC else chem.BondType.SINGLE
        if held.GetNoImplicit() and held.GetNumExplicitHs():
            held.SetNumExplicitHs(max(0, held.GetNumExplicitHs() - round(sum(b.GetBondTypeAsDouble() for b in cut) or 1)))
        new = piece.AddAtom(chem.Atom(0))
        piece.AddBond(place[spot.atom], new, order)
        labels[new] = spot.name
        pairs += [(bond.GetOtherAtomIdx(spot.atom), new) for bond in cut[:1]]  # where the host carries it
    valid = made_valid(piece)
    if valid is None:  # what is bound doubly in the host need not be so in others
        for new in labels:
            for bond in piece.GetAtomWithIdx(new).GetBonds():
                if not bond.GetIsAromatic():
                    bond.SetBondType(chem.BondType.SINGLE)
        valid = made_valid(piece)
    with silent():
        if valid is None:
            piece.UpdatePropertyCache(strict=False)
            chem.FastFindRings(piece)
        else:
            piece = valid
        try:
            depictor.GenerateDepictionMatching2DStructure(piece, drawn, pairs)
        except (RuntimeError, ValueError):
            depictor.Compute2DCoords(piece)
    return piece, labels


def scaffold_turned_to(smiles: str, reference: Aligned, drawn: Any) -> Any:
    """A scaffold as a molecule with coordinates, as it lies in the drawn reference if that contains it; None if it is none."""
    chem, depictor = part("Chem"), part("Chem.rdDepictor")
    with silent():
        found = chem.MolFromSmiles(smiles) if smiles else None
        if found is None:
            return None
        match = reference.molecule.GetSubstructMatch(found)
        if match:
            try:
                depictor.GenerateDepictionMatching2DStructure(found, drawn, [(a, n) for n, a in enumerate(match)])
                return found
            except (RuntimeError, ValueError):
                pass
    return laid_out(found)


def _turn(copy: Any, drawn: Any, pairs: list[tuple[int, int]]) -> None:
    """Turn, flip and move a molecule in the plane so that its atoms lie near those of another."""
    there = np.array(drawn.GetConformer().GetPositions())[[a for a, _ in pairs], :2]
    points = np.array(copy.GetConformer().GetPositions())[:, :2]
    here = points[[a for _, a in pairs]]
    middle, target = here.mean(axis=0), there.mean(axis=0)
    left, _, right = np.linalg.svd((here - middle).T @ (there - target))
    moved: FloatArray = (points - middle) @ (left @ right) + target
    conformer = copy.GetConformer()
    point = part("Geometry").Point3D
    for a, (x, y) in enumerate(moved.tolist()):
        conformer.SetAtomPosition(a, point(x, y, 0.0))
