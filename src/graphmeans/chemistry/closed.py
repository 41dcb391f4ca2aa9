"""Rings that groups close with a core: what they are called, and whether they are fused with a ring of the core."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from graphmeans.chemistry.core import Core
from graphmeans.chemistry.members import Aligned
from graphmeans.chemistry.names.rings import FUSED, HETEROAROMATIC, MACROCYCLE, names_of_system, ring_systems
from graphmeans.chemistry.names.words import ring_called
from graphmeans.chemistry.toolkit import part, silent

Way = tuple[int, ...]
#: Names that do not say what is bound to a ring doubly.
_VAGUE = {*FUSED.values(), HETEROAROMATIC, MACROCYCLE}


class Closed(NamedTuple):
    """What closes a ring with a core: its name and its class, and whether the name includes what is bound doubly to the ring."""

    what: str
    kind: str
    whole: bool = False


class Rings:
    """The rings of a core: the pairs of atoms of its query that are bound within one, and all of these atoms."""

    def __init__(self, core: Core) -> None:
        at = {a: q for q, a in enumerate(core.order)}
        molecule, bonds = core.host.molecule, set(core.bonds)
        rings = molecule.GetRingInfo()
        along = {b for ring in rings.BondRings() if bonds.issuperset(ring) for b in ring}
        ends = [molecule.GetBondWithIdx(b) for b in sorted(along)]
        self.links = [(at[bond.GetBeginAtomIdx()], at[bond.GetEndAtomIdx()]) for bond in ends]
        self.atoms = {q for link in self.links for q in link}


def sides(member: Aligned, way: Way) -> list[tuple[set[int], Counter[int]]]:
    """The connected pieces of a member outside of the core, and how often each is bound to which atoms of the query."""
    at = {a: q for q, a in enumerate(way)}
    found: list[tuple[set[int], Counter[int]]] = []
    seen = set(way)
    for start in range(len(member.kinds)):
        if start in seen:
            continue
        piece, bound, todo = {start}, Counter[int](), [start]
        while todo:
            for other in member.neighbours[todo.pop()]:
                if other in at:
                    bound[at[other]] += 1
                elif other not in piece:
                    piece.add(other)
                    todo.append(other)
        seen |= piece
        found.append((piece, bound))
    return found


def closed(rings: Rings, member: Aligned, way: Way, q: int, piece: set[int], text: str, others: tuple[int, ...]) -> Closed:
    """What a piece of a member, which is given as SMILES, too, closes at an atom of the core, with others or with this one alone.

    A ring is fused with the core if they share a bond that is in a ring of the core, and spiro if an atom of such a ring is all
    that they share. Where a chain of the core lies in a ring of the member, it is that ring that is named.
    """
    molecule, atom = member.molecule, way[q]
    info = molecule.GetRingInfo()
    found = [
        (set(inside), set(along))
        for inside, along in zip(info.AtomRings(), info.BondRings(), strict=True)
        if atom in inside and not piece.isdisjoint(inside)
    ]
    if not others and q in rings.atoms:
        return Closed(_spiro(text), "spiro ring")
    own = [ring for ring in found if not any(way[i] in ring[0] and way[j] in ring[0] for i, j in rings.links)]
    if others and (not own or len(own) < len(found)):
        chain = _chain(text)
        return Closed(f"{chain} bridge to", "bridge to") if chain else Closed("fused ring with", "fused ring with")
    inside, along = min(own, key=lambda ring: (len(ring[0]), sorted(ring[0])), default=(set[int](), set[int]()))
    core = {way[i] for i in rings.atoms}
    for system in ring_systems(molecule):
        if along and along <= system[1] and core.isdisjoint(system[0]):
            inside, along = system
    names = [name.name for name in names_of_system(molecule, inside, along)] if along else []
    kind = _kind(molecule, inside, along)
    name = ring_called(names[0]) if names else kind
    after = " with" if others else f" (with this {member.symbols[atom]})"
    return Closed(f"{name}{after}", f"{kind}{after}", bool(names) and names[0] not in _VAGUE)


def _kind(molecule: Any, inside: set[int], along: set[int]) -> str:
    """The class of a ring: a lactam, or an imide, has a nitrogen beside a carbonyl group."""
    for b in along:
        bond = molecule.GetBondWithIdx(b)
        for one, other in ((bond.GetBeginAtom(), bond.GetEndAtom()), (bond.GetEndAtom(), bond.GetBeginAtom())):
            if one.GetSymbol() == "N" and any(_is_oxo(other, end, inside) for end in other.GetNeighbors()):
                return "lactam ring"
    return "ring"


def _is_oxo(atom: Any, end: Any, inside: set[int]) -> bool:
    bond = atom.GetOwningMol().GetBondBetweenAtoms(atom.GetIdx(), end.GetIdx())
    return atom.GetSymbol() == "C" and end.GetIdx() not in inside and end.GetSymbol() == "O" and bond.GetBondTypeAsDouble() == 2


@lru_cache(maxsize=4096)
def _spiro(smiles: str) -> str:
    chem = part("Chem")
    with silent():
        piece = chem.MolFromSmiles(smiles, sanitize=False)
    ends = [atom.GetIdx() for atom in piece.GetAtoms() if atom.GetAtomicNum() == 0]
    return f"spiro ring of {len(chem.GetShortestPath(piece, ends[0], ends[-1])) - 1} atoms"


@lru_cache(maxsize=4096)
def _chain(smiles: str) -> str | None:
    """Up to three atoms between two atoms of a core, such as CH₂ or OCH₂O; None for all else."""
    chem = part("Chem")
    with silent():
        molecule = chem.MolFromSmiles(smiles)
    if molecule is None or molecule.GetNumAtoms() > 5:
        return None
    ends = [atom.GetIdx() for atom in molecule.GetAtoms() if atom.GetAtomicNum() == 0]
    if len(ends) != 2 or any(str(bond.GetBondType()) != "SINGLE" for bond in molecule.GetBonds()):
        return None
    path = chem.GetShortestPath(molecule, *ends)
    if len(path) != molecule.GetNumAtoms():
        return None
    atoms = [molecule.GetAtomWithIdx(a) for a in path[1:-1]]
    if any(atom.GetFormalCharge() for atom in atoms):
        return None
    return "".join(atom.GetSymbol() + ("", "H", "H₂", "H₃")[min(atom.GetTotalNumHs(), 3)] for atom in atoms)
