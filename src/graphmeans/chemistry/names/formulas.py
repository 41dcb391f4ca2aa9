"""Pieces of molecules as formulas in one line, as CONH(CH₂)₃-imidazol-1-yl: chains atom by atom, rings by their names."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from graphmeans.chemistry.names.radicals import in_brackets, radical, small
from graphmeans.chemistry.names.rings import ring_systems
from graphmeans.chemistry.toolkit import part

#: Ends of chains whose charges and bonds are not written: by SMILES, bound at `*`.
ENDS = {
    "*[N+](=O)[O-]": "NO₂", "*N(=O)=O": "NO₂", "*N=[N+]=[N-]": "N₃", "*[N-][N+]#N": "N₃", "*[N+]#N": "N₂⁺", "*[N+]#[C-]": "NC",
    "*N=C=O": "NCO", "*N=C=S": "NCS", "*SC#N": "SCN", "*S(=O)(=O)O": "SO₃H", "*S(=O)(=O)[O-]": "SO₃⁻", "*C(=O)O": "COOH",
    "*C(=O)[O-]": "COO⁻", "*=[N+]=[N-]": "=N₂",
}  # fmt: skip
_CHAIN = re.compile(r"(?:CH₂(?!\))){3,}")
_LINKS = {"DOUBLE": "=", "TRIPLE": "≡"}
#: What is bound to these is written without its bond: CO, SO₂, PO, CN.
_BARE = ("C", "S", "P", "N", "As", "Se")
_ELEMENTS = ("O", "N", "S", "F", "Cl", "Br", "I")
_LAST = 1000


class Formula:
    """Writes the pieces of one molecule, in which atoms without an element stand where it is bound."""

    def __init__(self, molecule: Any) -> None:
        self.molecule = molecule
        self.systems = ring_systems(molecule)
        self._system_of = {a: n for n, (inside, _) in reversed(list(enumerate(self.systems))) for a in inside}

    def bound_once(self, before: Any) -> str:
        """The piece that is bound to an atom, with the bond if it is not a single one."""
        (bond,) = before.GetBonds()
        first = bond.GetOtherAtom(before)
        return _chains(self._branch(bond, first).removeprefix("-"))

    def bound_twice(self, before: Any, after: Any) -> str:
        """A chain between two places, from the one to the other."""
        (bond,) = before.GetBonds()
        return _chains(self._branch(bond, bond.GetOtherAtom(before), after.GetIdx()).removeprefix("="))

    def _branch(self, bond: Any, atom: Any, end: int = -1) -> str:
        """What a bond leads to."""
        before = bond.GetOtherAtom(atom).GetIdx()
        kind = str(bond.GetBondType())
        if atom.GetIdx() == end:
            return _LINKS.get(kind, "")
        if atom.GetIdx() in self._system_of:
            text = self._ring(atom, before, kind == "DOUBLE")
            return f"={text}" if kind == "DOUBLE" else f"-{text}"
        known = self._end(atom, before, kind)
        return known if known is not None else _LINKS.get(kind, "") + self._text(atom, before, end)

    def _text(self, atom: Any, before: int, end: int) -> str:
        """An atom with all that hangs on it, as in CH(CH₃)CO-phenyl."""
        count = atom.GetTotalNumHs()
        text = atom.GetSymbol() + ("H" + small(count) if count else "") + _charge(atom.GetFormalCharge())
        parts: list[tuple[int, str]] = []
        for bond in atom.GetBonds():
            other = bond.GetOtherAtom(atom)
            if other.GetIdx() != before:
                found = self._branch(bond, other, end)
                bare = (found == "=O" and atom.GetSymbol() in _BARE) or found == "≡N"
                parts.append((0 if bare else self._size(other, atom.GetIdx(), end), found[1:] if bare else found))
        alike = sorted(Counter(parts).items())
        for n, ((_, found), count) in enumerate(alike):
            inner = found.removeprefix("-")
            if in_brackets(inner):
                inner = inner[1:-1]
            if found in _ELEMENTS:
                text += f"{found}{small(count)}"
            else:
                text += found if count == 1 and n == len(alike) - 1 else f"({inner}){small(count)}"
        return text

    def _end(self, atom: Any, before: int, kind: str) -> str | None:
        """One of the known ends of chains."""
        if atom.GetSymbol() not in ("C", "N", "S") or atom.GetTotalNumHs() or kind not in ("SINGLE", "DOUBLE"):
            return None
        inside = self._reached(atom.GetIdx(), before, 4)
        if inside is None:
            return None
        chem = part("Chem")
        piece = chem.RWMol()
        place = {a: piece.AddAtom(chem.Atom(self.molecule.GetAtomWithIdx(a))) for a in sorted(inside)}
        place[before] = piece.AddAtom(chem.Atom(0))
        for bond in self.molecule.GetBonds():
            i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
            if i in place and j in place:
                piece.AddBond(place[i], place[j], bond.GetBondType())
        piece.UpdatePropertyCache(strict=False)
        return _ends().get(str(chem.MolToSmiles(piece, isomericSmiles=False)))

    def _ring(self, atom: Any, before: int, double: bool) -> str:
        """A ring system with what it carries, in brackets where its end would not be seen."""
        inside, along = self.systems[self._system_of[atom.GetIdx()]]
        carried: dict[int, list[str]] = {}
        spiro = ""
        for a in sorted(inside):
            for bond in self.molecule.GetAtomWithIdx(a).GetBonds():
                other = bond.GetOtherAtom(self.molecule.GetAtomWithIdx(a))
                if other.GetIdx() in inside or other.GetIdx() == before:
                    continue
                if other.IsInRing() and bond.IsInRing():
                    spiro = "spirocyclic "
                elif not (str(bond.GetBondType()) == "DOUBLE" and other.GetAtomicNum() in (8, 16) and other.GetDegree() == 1):
                    carried.setdefault(a, []).append(self._branch(bond, other).removeprefix("-"))
        text = spiro + radical(self.molecule, (inside, along), atom.GetIdx(), before, {} if spiro else carried, double)
        if self.molecule.GetAtomWithIdx(before).GetAtomicNum() == 0:
            return text
        return f"({text})" if carried or text[0].isdigit() or " " in text else text

    def _size(self, atom: Any, before: int, end: int) -> int:
        """How many atoms hang on a bond; rings, and the end of a chain between two places, come last."""
        if atom.GetIdx() == end:
            return _LAST
        if atom.GetIdx() in self._system_of:
            return 100
        return 1 + sum(
            self._size(other, atom.GetIdx(), end) for other in atom.GetNeighbors() if other.GetIdx() != before
        )  # fmt: skip

    def _reached(self, first: int, before: int, most: int) -> set[int] | None:
        """The atoms that hang on a bond; None if they are more than this, or in rings."""
        seen, todo = {first}, [first]
        while todo:
            atom = self.molecule.GetAtomWithIdx(todo.pop())
            if len(seen) > most or atom.IsInRing() or atom.GetAtomicNum() == 0:
                return None
            new = {other.GetIdx() for other in atom.GetNeighbors()} - seen - {before}
            seen |= new
            todo += new
        return seen


@lru_cache(maxsize=1)
def _ends() -> dict[str, str]:
    chem = part("Chem")
    found: dict[str, str] = {}
    for smiles, text in ENDS.items():
        piece = chem.MolFromSmiles(smiles, sanitize=False)
        piece.UpdatePropertyCache(strict=False)
        found[str(chem.MolToSmiles(piece, isomericSmiles=False))] = text
    return found


def _charge(charge: int) -> str:
    if not charge:
        return ""
    count = str(abs(charge)).translate(str.maketrans("23456789", "²³⁴⁵⁶⁷⁸⁹")) if abs(charge) > 1 else ""
    return f"{count}{'⁺' if charge > 0 else '⁻'}"


def _chains(text: str) -> str:
    return _CHAIN.sub(lambda found: f"(CH₂){small(len(found[0]) // 3)}", text)

