"""Where the atoms of molecules are drawn: a medoid as RDKit lays it out, members and cores turned as the medoid is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphmeans.chemistry.core import Core, connected_part, cut_out, made_valid
from graphmeans.chemistry.members import Aligned
from graphmeans.chemistry.parts import Part
from graphmeans.chemistry.toolkit import part, silent
from graphmeans.chemistry.variation import BARE, Variation
from graphmeans.graphs.batch import FloatArray

#: Atoms that are drawn nearer to each other than this, in ångströms, lie on each other: a bond has 1.5.
CLASH = 0.55
#: Ways in which a part may lie in a member that are compared.
MOST_WAYS = 64


def laid_out(molecule: Any) -> Any:
    """A copy of a molecule with coordinates, its long side from left to right."""
    depictor = part("Chem.rdDepictor")
    copy = part("Chem").Mol(molecule)
    with silent():
        depictor.Compute2DCoords(copy, canonOrient=True)
        depictor.StraightenDepiction(copy)
    return copy


def turned_to(
    member: Aligned, reference: Aligned, drawn: Any, parts: Sequence[Part] = (), core: frozenset[int] = frozenset()
) -> Any:
    """A copy of a member with coordinates, in which what it shares with the reference lies as there.

    `drawn` is the reference with coordinates. Shared is the largest connected part that is aligned to the same nodes of the
    mean, with the same elements and bonds, rings whole, or one of these parts of the reference, those with most atoms first, if
    the member contains a larger one; if it contains the core, which is given by its atoms in the reference, a part that
    has all of that. With less than three such atoms the member is turned to lie on the reference as well as it can.
    """
    depictor = part("Chem.rdDepictor")
    pairs = shared_part(reference, member)
    if core.issubset(a for a, _ in pairs) or not (
        found := _contained_part(reference, member, [one for one in parts if core.issubset(one.atoms)])
    ):
        found = _contained_part(reference, member, [one for one in parts if len(one.atoms) > len(pairs)])
    pairs = found or pairs
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
        if len(pairs) >= 3 or len(aligned) >= 2:
            _turn(copy, drawn, pairs if len(pairs) >= 3 else aligned)
    return copy


def _contained_part(reference: Aligned, member: Aligned, parts: Sequence[Part]) -> list[tuple[int, int]]:
    """Pairs of atoms of the first of these parts of the reference that a member contains; none if it contains none."""
    for one in parts:
        query, order = one.placed
        ways: tuple[tuple[int, ...], ...] = member.molecule.GetSubstructMatches(query, uniquify=False, maxMatches=MOST_WAYS)
        if ways:
            alike = [_alike_around(reference, order, member, way) for way in ways]
            return list(zip(order, ways[alike.index(max(alike))], strict=True))
    return []


def _alike_around(one: Aligned, here: Sequence[int], other: Aligned, there: Sequence[int]) -> tuple[int, int]:
    """At how many atoms of a part two members carry something both or nothing both, and how many are aligned to the same node."""
    inside, outside = set(here), set(there)
    carry = sum(
        inside.issuperset(one.neighbours[a]) == outside.issuperset(other.neighbours[b])
        for a, b in zip(here, there, strict=True)
    )
    return carry, sum(one.nodes[a] == other.nodes[b] for a, b in zip(here, there, strict=True))


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


def clockwise(core: Core, drawn: Any) -> dict[int, float]:
    """A rank for each atom of a core: clockwise around its middle in the drawn host, from the top."""
    points = np.array(drawn.GetConformer().GetPositions())[list(core.atoms), :2]
    x, y = (points - points.mean(axis=0)).T
    angles = np.round(np.arctan2(x, y) % (2 * np.pi), 6) % (2 * np.pi)
    return dict(zip(core.atoms, angles.tolist(), strict=True))


def core_with_places(core: Core, variation: Variation, drawn: Any) -> tuple[Any, dict[int, str]]:
    """The core as a molecule with coordinates as in the drawn host, and a label for each atom at which members differ."""
    chem, depictor = part("Chem"), part("Chem.rdDepictor")
    piece, place = cut_out(core.host.molecule, core.atoms, core.bonds)
    labels: dict[int, str] = {}
    inside = set(core.atoms)
    pairs = [(a, place[a]) for a in core.atoms]
    for spot in variation.places:
        held = piece.GetAtomWithIdx(place[spot.atom])
        if spot.name.startswith("X"):
            labels[place[spot.atom]] = spot.name
            held.SetAtomicNum(0)  # it stands for atoms of different valences
            held.SetFormalCharge(0)
            held.SetNumExplicitHs(0)
            continue
        new = piece.AddAtom(chem.Atom(0))
        bond = _exit_bond([text for text, _ in spot.what if text not in BARE])
        piece.AddBond(place[spot.atom], new, bond)
        if held.GetSymbol() != "C" and not held.GetIsAromatic():  # without hydrogens where members have different numbers of them
            held.SetNoImplicit(True)
            counts = variation.hydrogens.get(spot.atom, ())
            held.SetNumExplicitHs(counts[0] if len(counts) == 1 else 0)
        elif held.GetNoImplicit():
            held.SetNumExplicitHs(max(0, held.GetNumExplicitHs() - int(bond)))
        labels[new] = spot.name
        there = core.host.molecule.GetAtomWithIdx(spot.atom)
        if str(there.GetHybridization()) != "SP":  # a bond in line with the next is that of a nitrile, and not of others
            outside = [other.GetIdx() for other in there.GetNeighbors() if other.GetIdx() not in inside]
            pairs += [(a, new) for a in outside[:1]]  # where the host carries it
    piece = _fit_to_draw(piece, set(labels), {place[a] for a in core.atoms})
    with silent():
        try:
            depictor.GenerateDepictionMatching2DStructure(piece, drawn, pairs)
        except (RuntimeError, ValueError):
            depictor.Compute2DCoords(piece)
    return piece, labels


def _exit_bond(carried: list[str]) -> Any:
    """The bond to what stands at a place: a double or triple one only if all groups are bound so."""
    order = part("Chem").BondType
    for sign, bond in (("=", order.DOUBLE), ("≡", order.TRIPLE)):
        if carried and all(text.startswith(sign) for text in carried):
            return bond
    return order.SINGLE


def _fit_to_draw(piece: Any, labels: set[int], core: set[int]) -> Any:
    """A molecule of this piece, or what comes nearest to one; hydrogens that are missing are no unpaired electrons."""
    chem = part("Chem")
    found = made_valid(piece)
    if found is None:  # a group may be bound doubly in all members that carry it, and the others have hydrogen there
        for new in labels - core:
            for bond in piece.GetAtomWithIdx(new).GetBonds():
                bond.SetBondType(chem.BondType.SINGLE)
        found = made_valid(piece) or piece
    for atom in found.GetAtoms():
        atom.SetNumRadicalElectrons(0)
    with silent():
        found.UpdatePropertyCache(strict=False)
        chem.FastFindRings(found)
    return found


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
