"""What stands at each atom and bond of a mean: counted over the members that are aligned to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from graphmeans.chemistry.members import Aligned

#: Kinds of bonds as SMARTS writes them.
_BONDS = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "AROMATIC": ":"}
#: An atom in a ring of a core is of at most this many kinds; each must stand there in at least this share of the members.
MOST_KINDS, LEAST_KIND = 2, 0.1

Ends = tuple[int, int]


def atom_kind(atom: Any) -> str:
    """The kind of an atom as SMARTS writes it: its element, in small letters if it is aromatic."""
    symbol = str(atom.GetSymbol())
    return symbol.lower() if atom.GetIsAromatic() else symbol


def bond_sign(bond: Any) -> str:
    """The kind of a bond as SMARTS writes it."""
    return _BONDS.get(str(bond.GetBondType()), "~")


class Frame:
    """Counts, over aligned members, of the kinds of atoms at each node of the mean and of the bonds between its nodes."""

    def __init__(self, members: list[Aligned]) -> None:
        self.count = len(members)
        self.atoms: dict[int, Counter[str]] = defaultdict(Counter)
        self.bonds: dict[Ends, Counter[str]] = defaultdict(Counter)
        for member in members:
            for atom in member.molecule.GetAtoms():
                if (node := int(member.nodes[atom.GetIdx()])) >= 0:
                    self.atoms[node][atom_kind(atom)] += 1
            for bond in member.molecule.GetBonds():
                ends = self._ends(member, bond)
                if ends is not None:
                    self.bonds[ends][bond_sign(bond)] += 1

    def atom_support(self, member: Aligned) -> list[float]:
        """For each atom of a member, the share of members with an atom of the same kind at its place."""
        return [
            self.atoms[node][atom_kind(atom)] / self.count
            if (node := int(member.nodes[atom.GetIdx()])) in self.atoms
            else 0.0
            for atom in member.molecule.GetAtoms()
        ]

    def bond_support(self, member: Aligned) -> list[float]:
        """For each bond of a member, the share of members with a bond of the same kind at its place."""
        shares = []
        for bond in member.molecule.GetBonds():
            ends = self._ends(member, bond)
            shares.append(self.bonds[ends][bond_sign(bond)] / self.count if ends in self.bonds else 0.0)
        return shares

    def kinds(self, member: Aligned, atom: Any, support: float) -> tuple[str, ...]:
        """The kinds of atoms that together have this support at the place of an atom, the most frequent first.

        In a ring there may be two, such as carbon and nitrogen, both aromatic or both not; elsewhere there is one. None if the
        atom itself is of another kind, or if these do not have the support.
        """
        counts = self.atoms.get(int(member.nodes[atom.GetIdx()]))
        if not counts:
            return ()
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        alike = [row for row in ranked if row[0].islower() == ranked[0][0].islower()]
        together, chosen = 0, []
        for kind, count in alike[: MOST_KINDS if atom.IsInRing() else 1]:
            if chosen and count < LEAST_KIND * self.count:
                break
            chosen.append(kind)
            together += count
            if together >= support * self.count - 1e-9:
                return tuple(chosen) if atom_kind(atom) in chosen else ()
        return ()

    def has_bond(self, member: Aligned, bond: Any, support: float) -> bool:
        """Whether a bond of a member is one that members with this support have."""
        ends = self._ends(member, bond)
        return ends in self.bonds and self.bonds[ends][bond_sign(bond)] >= support * self.count - 1e-9

    @staticmethod
    def _ends(member: Aligned, bond: Any) -> Ends | None:
        i, j = int(member.nodes[bond.GetBeginAtomIdx()]), int(member.nodes[bond.GetEndAtomIdx()])
        return None if i < 0 or j < 0 else (min(i, j), max(i, j))
