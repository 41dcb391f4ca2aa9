"""What each atom of a molecule is part of, as numbers: its ring system, or outside of rings its neighbours.

There are thousands of ring systems and surroundings, far too many to write 1-of-k. Each is therefore two of `NUMBERS` numbers,
chosen by a checksum of its structure: alike ones have the same two, others seldom one in common. No number is below zero, so that
no pair of atoms is worse than none. The checksums are computed here and not by RDKit, so that a stored model and a new molecule
agree whatever the version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

#: How many numbers describe the surroundings of an atom.
NUMBERS = 48
#: How often the atoms of a ring system take in their neighbours before the system gets its name.
_ROUNDS = 3
_Bonds = Sequence[Sequence[tuple[str, int]]]


def surroundings(molecule: Any) -> list[NDArray[np.float64]]:
    """For each atom the numbers of what it is part of, of length 1."""
    return [_code(near) for near, _ in _names(molecule)]


def wide_surroundings(molecule: Any) -> list[NDArray[np.float64]]:
    """The same, and with half of its weight the numbers of all that is up to two bonds away."""
    return [_code(near) + np.sqrt(0.5) * _code(wide) for near, wide in _names(molecule)]


def _names(molecule: Any) -> list[tuple[int, int]]:
    """For each atom what it is part of, and what is up to two bonds away, as checksums."""
    atoms, bonds = list(molecule.GetAtoms()), list(molecule.GetBonds())
    rings = [bond for bond in bonds if bond.IsInRing()]
    kinds = [_checksum(atom.GetSymbol(), atom.GetIsAromatic(), atom.IsInRing()) for atom in atoms]
    named = _ring_systems(kinds, _neighbours(len(atoms), rings))
    neighbours = _neighbours(len(atoms), bonds)
    around = _refined(kinds, neighbours)
    wide = _refined(around, neighbours)
    near = (name if atom.IsInRing() else one for atom, name, one in zip(atoms, named, around, strict=True))
    return list(zip(near, wide, strict=True))


def _neighbours(count: int, bonds: Iterable[Any]) -> _Bonds:
    """For each atom the kinds of these bonds and where they lead."""
    found: list[list[tuple[str, int]]] = [[] for _ in range(count)]
    for bond in bonds:
        i, j, kind = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), str(bond.GetBondType())
        found[i].append((kind, j))
        found[j].append((kind, i))
    return found


def _refined(kinds: Sequence[int], neighbours: _Bonds) -> list[int]:
    """Each atom with its neighbours, whatever their order."""
    return [_checksum(kinds[i], sorted((kind, kinds[j]) for kind, j in own)) for i, own in enumerate(neighbours)]


def _ring_systems(kinds: Sequence[int], neighbours: _Bonds) -> list[int]:
    """For each atom the name of the rings that hang together with it by bonds in rings."""
    for _ in range(_ROUNDS):
        kinds = _refined(kinds, neighbours)
    names: list[int | None] = [None] * len(kinds)
    for start in range(len(kinds)):
        if names[start] is None:
            system, seen = [start], {start}
            for i in system:
                new = [j for _, j in neighbours[i] if j not in seen]
                system += new
                seen.update(new)
            name = _checksum(sorted(kinds[i] for i in system))
            for i in system:
                names[i] = name
    return [name or 0 for name in names]


def _checksum(*parts: Any) -> int:
    return crc32(repr(parts).encode())


@lru_cache(maxsize=1 << 16)
def _code(name: int) -> NDArray[np.float64]:
    """Two of the numbers are the root of a half, the others zero."""
    first, step = name % NUMBERS, 1 + name // NUMBERS % (NUMBERS - 1)
    made = np.zeros(NUMBERS)
    made[[first, (first + step) % NUMBERS]] = np.sqrt(0.5)
    made.setflags(write=False)
    return made
