"""The common core of a cluster: the largest connected part of its mean above a support, as it stands in a real member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from graphmeans.chemistry.frame import Frame
from graphmeans.chemistry.members import Aligned, ClusterMolecules
from graphmeans.chemistry.toolkit import part, silent

#: Supports at which a core is looked for unless the caller names one, and the least number of atoms of a core.
LEVELS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
LEAST_ATOMS = 3
#: Members, the nearest to the mean first, in which a core is looked for: the medoid unless another has a larger part.
HOSTS = 12
#: Kinds of atoms that SMARTS writes without brackets.
_BARE = frozenset({"B", "C", "N", "O", "P", "S", "F", "Cl", "Br", "I", "b", "c", "n", "o", "p", "s"})


@dataclass(frozen=True, eq=False)
class Core:
    """The common core of a cluster of molecules; `common_core` finds it.

    Parameters
    ----------
    support : float
        The least share of members that have each of its atoms and bonds, by their alignments to the mean.
    host : Aligned
        The member in which it is read: the medoid, unless the part of a mean is larger in another near member.
    atoms : tuple of int
        Numbers of its atoms in the host.
    bonds : tuple of int
        Numbers of its bonds in the host.
    elements : dict
        For atoms in rings at which different elements stand, those that the core allows, the most frequent first.
    smarts : str
        The core as a query: elements, aromatic or not, and kinds of bonds.
    smiles : str
        The core as a molecule, with hydrogen wherever something else may stand, and the most frequent element where several may.
    count : int
        How many members contain it, found by substructure search.
    of : int
        How many members were searched.
    query : rdkit.Chem.Mol
        The query; its atoms are in the order of `order`.
    order : tuple of int
        The atom of the host that each atom of the query stands for.

    See Also
    --------
    common_core : Finds it.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl"])
    >>> core = gm.chemistry.common_core(gm.GraphKMeans(1).fit(graphs), graphs, 0)
    >>> core, core.share
    (Core('Oc1ccccc1', 7 atoms, in 3 of 3 members), 1.0)
    """

    support: float
    host: Aligned
    atoms: tuple[int, ...]
    bonds: tuple[int, ...]
    elements: dict[int, tuple[str, ...]]
    smarts: str
    smiles: str
    count: int
    of: int
    query: Any
    order: tuple[int, ...]

    @property
    def share(self) -> float:
        """The share of members that contain the core."""
        return self.count / self.of

    def __repr__(self) -> str:
        return f"Core({self.smiles!r}, {len(self.atoms)} atoms, in {self.count} of {self.of} members)"


def core_at(frame: Frame, members: ClusterMolecules, support: float) -> Core | None:
    """The core at a support; None if not even three connected atoms have it."""
    best: tuple[list[int], list[int]] = ([], [])
    host = None
    for member in members.aligned[:HOSTS]:
        found = connected_part(member, *frame.part(member, support))
        if len(found[0]) > len(best[0]):
            best, host = found, member
    if host is None or len(best[0]) < LEAST_ATOMS:
        return None
    return _core(frame, members, host, best, support)


def cores(frame: Frame, members: ClusterMolecules, levels: Sequence[float] = LEVELS) -> list[Core]:
    """The different cores at falling supports, the smallest first: each is larger than the one before."""
    found: list[Core] = []
    for support in levels:
        core = core_at(frame, members, support)
        if core is not None and (not found or len(core.atoms) > len(found[-1].atoms)):
            found.append(core)
    return found


def usual_core(found: Sequence[Core]) -> Core | None:
    """The core that says most about the cluster: the largest number of atoms times the share of members that contain it."""
    return max(found, key=lambda core: (len(core.atoms) * core.share, core.share)) if found else None


def connected_part(member: Aligned, atoms: set[int], bonds: set[int]) -> tuple[list[int], list[int]]:
    """The largest connected part of these atoms and bonds of a member, without rings that are not whole."""
    rings = member.molecule.GetRingInfo()
    whole = [(a, b) for a, b in zip(rings.AtomRings(), rings.BondRings(), strict=True) if set(b) <= bonds]
    in_rings = {a for ring, _ in whole for a in ring}
    ring_bonds = {b for _, ring in whole for b in ring}
    kept = {a for a in atoms if not member.in_ring[a] or a in in_rings}
    lines: dict[int, list[tuple[int, int]]] = {a: [] for a in kept}
    for b in bonds:
        i, j, _ = member.bonds[b]
        if i in kept and j in kept and (not rings.NumBondRings(b) or b in ring_bonds):
            lines[i].append((j, b))
            lines[j].append((i, b))
    best: tuple[list[int], list[int]] = ([], [])
    seen: set[int] = set()
    for start in sorted(kept):
        if start in seen:
            continue
        reached, along, todo = {start}, set(), [start]
        while todo:
            for other, b in lines[todo.pop()]:
                along.add(b)
                if other not in reached:
                    reached.add(other)
                    todo.append(other)
        seen |= reached
        if len(reached) > len(best[0]):
            best = (sorted(reached), sorted(along))
    return best


def _core(
    frame: Frame, members: ClusterMolecules, host: Aligned, found: tuple[list[int], list[int]], support: float
) -> Core:
    chem = part("Chem")
    atoms, bonds = found
    molecule = host.molecule
    elements = {a: frame.kinds(host, a, support) for a in atoms}
    signs = [""] * molecule.GetNumAtoms()
    for a, kinds in elements.items():
        signs[a] = kinds[0] if len(kinds) == 1 and kinds[0] in _BARE else f"[{','.join(kinds)}]"
    smarts = chem.MolFragmentToSmiles(
        molecule, atoms, bonds, atomSymbols=signs, bondSymbols=[sign for _, _, sign in host.bonds]
    )
    query = chem.MolFromSmarts(smarts)
    order = [int(a) for a in molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"]]
    return Core(
        support=support, host=host, atoms=tuple(atoms), bonds=tuple(bonds),
        elements={a: kinds for a, kinds in elements.items() if len(kinds) > 1}, smarts=smarts,
        smiles=core_smiles(molecule, atoms, bonds, {a: kinds[0] for a, kinds in elements.items()}),
        count=sum(m.HasSubstructMatch(query) for m in members.molecules),
        of=len(members.molecules), query=query, order=tuple(order),
    )  # fmt: skip


def core_smiles(
    molecule: Any, atoms: Sequence[int], bonds: Sequence[int], kinds: Mapping[int, str] = MappingProxyType({})
) -> str:
    """The part of a molecule as SMILES, with hydrogen at each bond that is cut, and where it can be, atoms of these kinds."""
    chem = part("Chem")
    cut, place = cut_out(molecule, atoms, bonds)
    for a, new in place.items():  # where a cation has lost what made it one, it is none: quinoline, of its salts
        atom = cut.GetAtomWithIdx(new)
        if atom.GetFormalCharge() == 1 and atom.GetNumExplicitHs() and atom.GetDegree() < molecule.GetAtomWithIdx(a).GetDegree():
            atom.SetFormalCharge(0)
            atom.SetNumExplicitHs(atom.GetNumExplicitHs() - 1)
    usual = chem.RWMol(cut)
    for a, kind in kinds.items():
        atom = usual.GetAtomWithIdx(place[a])
        if kind.capitalize() != atom.GetSymbol():
            atom.SetAtomicNum(chem.GetPeriodicTable().GetAtomicNumber(kind.capitalize()))
            atom.SetFormalCharge(0)
            atom.SetNumExplicitHs(0)
            atom.SetNoImplicit(False)
    for piece in map(made_valid, (usual, cut, cut_out(molecule, atoms, bonds)[0])):
        if piece is not None:
            return str(chem.MolToSmiles(piece, isomericSmiles=False))
    return str(chem.MolFragmentToSmiles(molecule, atoms, bonds, isomericSmiles=False))


def made_valid(piece: Any) -> Any | None:
    """A part of a molecule as a molecule; None if it cannot be one.

    An aromatic ring without the oxygen that was bound to it doubly, such as that of uracil, is one without the hydrogens of its
    nitrogen atoms, or with only one of them: pyrimidine.
    """
    chem = part("Chem")
    holding = [
        atom.GetIdx() for atom in piece.GetAtoms()
        if atom.GetIsAromatic() and atom.GetAtomicNum() == 7 and atom.GetNumExplicitHs() == 1
    ]  # fmt: skip
    for kept in [holding, [], *([one] for one in holding)] if holding else [[]]:
        copy = chem.RWMol(piece)
        for a in set(holding) - set(kept):
            copy.GetAtomWithIdx(a).SetNumExplicitHs(0)
        with silent():
            if chem.SanitizeMol(copy, catchErrors=True) == chem.SanitizeFlags.SANITIZE_NONE:
                return copy
    return None


def cut_out(molecule: Any, atoms: Sequence[int], bonds: Sequence[int]) -> tuple[Any, dict[int, int]]:
    """A part of a molecule with hydrogen in place of what is cut off, and the new number of each of its atoms."""
    chem = part("Chem")
    piece = chem.RWMol()
    place: dict[int, int] = {}
    inside = set(bonds)
    for a in atoms:
        atom = molecule.GetAtomWithIdx(a)
        copy = chem.Atom(atom.GetAtomicNum())
        copy.SetFormalCharge(atom.GetFormalCharge())
        copy.SetIsAromatic(atom.GetIsAromatic())
        copy.SetNumRadicalElectrons(atom.GetNumRadicalElectrons())
        cut = sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds() if bond.GetIdx() not in inside)
        if atom.GetNumExplicitHs() or atom.GetNoImplicit() or (atom.GetIsAromatic() and atom.GetSymbol() != "C"):
            copy.SetNumExplicitHs(atom.GetTotalNumHs() + round(cut))
            copy.SetNoImplicit(True)
        place[a] = piece.AddAtom(copy)
    for b in bonds:
        bond = molecule.GetBondWithIdx(b)
        i, j = place[bond.GetBeginAtomIdx()], place[bond.GetEndAtomIdx()]
        piece.AddBond(i, j, bond.GetBondType())
        piece.GetBondBetweenAtoms(i, j).SetIsAromatic(bond.GetIsAromatic())
    return piece, place
