"""What joins two benzene rings of a molecule: a bond, a ring, or a chain, which is written as CO, CH₂ or NHCO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

#: Chains of more atoms are not written out.
MOST_ATOMS = 4
BOND, RING, LONG = "a bond", "another ring", "a longer chain"
_SIGNS = {"DOUBLE": "=", "TRIPLE": "≡"}


class Joined(NamedTuple):
    """What joins two benzene rings, in words, the atoms of a chain that is written out, and how many lie between the rings."""

    what: str
    written: int
    between: int


def joined_by(molecule: Any) -> Joined | None:
    """What joins the two benzene rings, none of them fused, that are nearest to each other; None if there are no two.

    With it stands the number of atoms of a chain that is written out, else 0, and how many atoms lie between the two
    rings. Groups that the chain carries do not count, but
    oxygen or sulfur that is bound to it doubly.

    Examples
    --------
    >>> from rdkit import Chem
    >>> [tuple(joined_by(Chem.MolFromSmiles(f"c1ccccc1{chain}c1ccccc1"))) for chain in ("", "C(O)", "NC(=O)", "N1CCN(CC1)")]
    [('a bond', 0, 0), ('CH₂', 1, 1), ('CONH', 2, 2), ('another ring', 0, 4)]
    """
    rings = _phenyls(molecule)
    best: list[int] | None = None
    for n, ring in enumerate(rings):
        found = _shortest(molecule, ring, set[int]().union(*rings[n + 1 :]))
        if found is not None and (best is None or len(found) < len(best)):
            best = found
    if best is None:
        return None
    inner = [molecule.GetAtomWithIdx(a) for a in best[1:-1]]
    if not inner:
        return Joined(BOND, 0, 0)
    if any(atom.IsInRing() for atom in inner):
        return Joined(RING, 0, len(inner))
    if len(inner) > MOST_ATOMS:
        return Joined(LONG, 0, len(inner))
    return Joined(min(_written(molecule, best), _written(molecule, best[::-1])), len(inner), len(inner))


def _phenyls(molecule: Any) -> list[set[int]]:
    """The atoms of each benzene ring that is not fused."""
    rings = molecule.GetRingInfo()
    return [
        set(inside)
        for inside, along in zip(rings.AtomRings(), rings.BondRings(), strict=True)
        if len(inside) == 6 and all(rings.NumBondRings(b) == 1 for b in along)
        and all(molecule.GetAtomWithIdx(a).GetIsAromatic() and molecule.GetAtomWithIdx(a).GetAtomicNum() == 6 for a in inside)
    ]  # fmt: skip


def _shortest(molecule: Any, start: set[int], ends: set[int]) -> list[int] | None:
    """The shortest path from one of these atoms to one of those."""
    paths, seen = [[a] for a in sorted(start)], set(start)
    while paths:
        longer = []
        for path in paths:
            for other in molecule.GetAtomWithIdx(path[-1]).GetNeighbors():
                a = other.GetIdx()
                if a in ends:
                    return [*path, a]
                if a not in seen:
                    seen.add(a)
                    longer.append([*path, a])
        paths = longer
    return None


def _written(molecule: Any, path: Sequence[int]) -> str:
    text = ""
    for n in range(1, len(path) - 1):
        atom = molecule.GetAtomWithIdx(path[n])
        kinds = [str(molecule.GetBondBetweenAtoms(path[m], path[m + 1]).GetBondType()) for m in (n - 1, n)]
        text += _SIGNS.get(kinds[0], "") + _atom(atom, kinds, set(path))
    return text


def _atom(atom: Any, kinds: list[str], path: set[int]) -> str:
    """An atom of a chain with the hydrogens that it would have if it carried nothing."""
    ends = [bond.GetOtherAtom(atom) for bond in atom.GetBonds() if str(bond.GetBondType()) == "DOUBLE"]
    double = sorted(end.GetSymbol() for end in ends if end.GetIdx() not in path and end.GetSymbol() in ("O", "S"))
    symbol = str(atom.GetSymbol())
    if double and symbol not in ("C", "S"):
        return f"{symbol}(={double[0]})"
    if double:
        return f"{symbol}{double[0]}{'₂' if len(double) == 2 else ''}"
    bound = sum({"DOUBLE": 2, "TRIPLE": 3}.get(kind, 1) for kind in kinds)
    free = {"C": 4, "N": 3}.get(symbol, 0) - bound
    return symbol + ("", "H", "H₂")[max(0, min(free, 2))]
