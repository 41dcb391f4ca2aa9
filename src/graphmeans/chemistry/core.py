"""The common core of a cluster: the largest connected part of its mean, as a member has it, that enough members contain."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from graphmeans.chemistry.frame import Frame
from graphmeans.chemistry.members import Aligned, ClusterMolecules, spread
from graphmeans.chemistry.names.rings import ring_names
from graphmeans.chemistry.parts import Part, PartSearch, as_smarts
from graphmeans.chemistry.toolkit import part, silent

#: Shares of members at which a core is looked for unless the caller names one, and the least number of atoms of a core.
LEVELS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
LEAST_ATOMS = 3
#: So many members, evenly from the nearest to the farthest, are searched for parts; all of them for the cores that are chosen.
SEARCHED = 60
#: Parts of the medoid that are looked at, parts of it with atoms of two kinds, members besides it, and parts of each of these.
OF_MEDOID, OF_TWO_KINDS, HOSTS, OF_OTHERS = 300, 80, 4, 80
#: How often a part that enough of the searched members contain, but too few of all, gives way to one that is more frequent.
TRIES = 8
#: The core that says most is one of at least this share of the members; its size counts times this power of the share, and so
#: many times as much if it has a ring system that as many members have.
USUAL, POWER, NAMED = 0.45, 0.5, 1.5


@dataclass(frozen=True, eq=False)
class Core:
    """The common core of a cluster of molecules; `common_core` finds it.

    Parameters
    ----------
    support : float
        The share of members that was asked for; at least so many contain the core.
    host : Aligned
        The member in which it is read: the medoid, unless another near member has a larger part that is as frequent.
    atoms : tuple of int
        Numbers of its atoms in the host. All of them are aligned to nodes of the mean.
    bonds : tuple of int
        Numbers of its bonds in the host.
    elements : dict
        For atoms in rings at which different elements stand, those that the core allows, the most frequent first.
    smarts : str
        The core as a query: elements, aromatic or not, and kinds of bonds.
    smiles : str
        The core as a molecule, with hydrogen wherever something else may stand, and the most frequent element where several may.
    count : int
        How many members contain it, found by substructure search with `smarts`.
    smiles_count : int
        How many members contain it with the elements of `smiles`: less than `count` where the core allows different ones.
    of : int
        How many members were searched.
    query : rdkit.Chem.Mol
        The query; its atoms are in the order of `order`.
    order : tuple of int
        The atom of the host that each atom of the query stands for.
    size : float
        How many atoms it has, where a heteroatom that is no halogen counts as three, an atom of different elements not at all, a
        carbon atom of a core without rings as half, and a ring other than benzene as two more.

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
    smiles_count: int
    of: int
    query: Any
    order: tuple[int, ...]
    size: float

    @property
    def share(self) -> float:
        """The share of members that contain the core."""
        return self.count / self.of

    def __repr__(self) -> str:
        return f"Core({self.smiles!r}, {len(self.atoms)} atoms, in {self.count} of {self.of} members)"


class Cores:
    """The search for cores of a cluster: parts of its medoid, and of members near it, that many members contain."""

    def __init__(self, frame: Frame, members: ClusterMolecules) -> None:
        self.frame, self.members = frame, members
        self._counts: dict[str, int] = {}

    @cached_property
    def parts(self) -> list[Part]:
        """Parts that enough of the searched members contain, the largest first, and of equal ones the most frequent."""
        aligned = self.members.aligned
        search = PartSearch(spread(self.members.molecules, SEARCHED))
        found = search.grown(aligned[0], _own_kinds(aligned[0]), LEVELS[-1], OF_MEDOID)
        both = [self.frame.standing(aligned[0], a) for a in range(len(aligned[0].kinds))]
        if any(len(kinds) > 1 for kinds in both):
            found += search.grown(aligned[0], both, LEVELS[-1], OF_TWO_KINDS)
        for host in aligned[1 : 1 + HOSTS]:
            found += search.grown(host, _own_kinds(host), LEVELS[-1], OF_OTHERS)
        found = [part for part in found if len(part.atoms) >= LEAST_ATOMS]
        return sorted(found, key=lambda part: (-part.size, -part.found.bit_count()))

    @cached_property
    def of_medoid(self) -> list[Part]:
        """Those parts of the medoid in which each atom is of one kind, those with most atoms first."""
        medoid = self.members.medoid
        kept = [part for part in self.parts if part.host is medoid and all(len(kinds) == 1 for kinds in part.kinds)]
        return sorted(kept, key=lambda part: -len(part.atoms))

    def at(self, support: float) -> Core | None:
        """The largest part of three or more atoms that at least this share of the members contain, and two of several."""
        searched, least = min(len(self.members), SEARCHED), support * len(self.members) - 1e-9
        if len(self.members) > 1:
            least = max(least, 2)  # what a single member has is not common
        bar, tries = least * searched / len(self.members), TRIES
        for found in self.parts:
            if (have := found.found.bit_count()) >= bar:
                if self._count(found.smarts, found.found) >= least:
                    return self._core(found, support)
                bar, tries = min(have + 1, searched), tries - 1
                if not tries:
                    break
        return None

    def all(self, levels: Sequence[float] = LEVELS) -> list[Core]:
        """The different cores at falling supports, the smallest first: each is larger than the one before."""
        found: list[Core] = []
        for support in levels:
            core = self.at(support)
            if core is not None and (not found or core.size > found[-1].size):
                found.append(core)
        return found

    def _count(self, smarts: str, searched: int | None = None) -> int:
        """How many of all members contain a part; `searched` are those that do of the ones that were searched already."""
        if searched is not None and len(self.members) <= SEARCHED:
            return searched.bit_count()
        if smarts not in self._counts:
            query = part("Chem").MolFromSmarts(smarts)
            self._counts[smarts] = sum(m.HasSubstructMatch(query) for m in self.members.molecules)
        return self._counts[smarts]

    def _core(self, found: Part, support: float) -> Core:
        host, kinds = found.host, dict(zip(found.atoms, found.kinds, strict=True))
        usual = {a: kind[:1] for a, kind in kinds.items()}
        query, order = found.placed
        count = self._count(found.smarts, found.found)
        return Core(
            support=support, host=host, atoms=found.atoms, bonds=found.bonds,
            elements={a: kind for a, kind in kinds.items() if len(kind) > 1}, smarts=found.smarts,
            smiles=core_smiles(host.molecule, found.atoms, found.bonds, {a: kind for a, (kind,) in usual.items()}),
            count=count, smiles_count=count if usual == kinds else self._count(as_smarts(host, found.atoms, found.bonds, usual)),
            of=len(self.members), query=query, order=order, size=found.size,
        )  # fmt: skip


def usual_core(found: Sequence[Core], rings: Collection[str] = ()) -> Core | None:
    """The core that says most about a cluster in which about half of the members, or more, have these ring systems."""

    def says(core: Core) -> tuple[bool, float]:
        named = NAMED if rings and not rings_of(core).isdisjoint(rings) else 1.0
        return core.share >= USUAL, named * core.size * core.share**POWER

    return max(found, key=says) if found else None


def rings_of(core: Core) -> set[str]:
    """The names of the ring systems of a core."""
    with silent():
        molecule = part("Chem").MolFromSmiles(core.smiles)
    return set() if molecule is None else {system[0].name for system in ring_names(molecule) if system}


def _own_kinds(member: Aligned) -> list[tuple[str, ...]]:
    """The kind of each atom of a member that is aligned to a node of the mean."""
    return [(kind,) if node >= 0 else () for kind, node in zip(member.kinds, member.nodes.tolist(), strict=True)]


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
