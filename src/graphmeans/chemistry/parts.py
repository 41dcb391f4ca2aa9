"""Connected parts of a molecule that many other molecules contain, rings whole: found by growing those that are frequent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

from graphmeans.chemistry.members import Aligned
from graphmeans.chemistry.toolkit import part

#: Kinds of atoms that SMARTS writes without brackets.
_BARE = frozenset({"B", "C", "N", "O", "P", "S", "F", "Cl", "Br", "I", "b", "c", "n", "o", "p", "s"})
#: What a part is worth in atoms: a ring other than benzene, besides its atoms; a heteroatom that is no halogen, besides itself;
#: and how much less a carbon atom where there is no ring. An atom of two kinds is worth nothing.
RING, HETERO, CHAIN = 2.0, 2.0, 0.5
_PLAIN = frozenset({"c", "C", "F", "Cl", "Br", "I"})

Kinds = tuple[str, ...]
Piece = tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True, eq=False)
class Part:
    """A connected part of a member, as a query, and which of the molecules that were searched contain it."""

    host: Aligned
    atoms: tuple[int, ...]
    bonds: tuple[int, ...]
    kinds: tuple[Kinds, ...]  # of each atom
    smarts: str
    found: int  # a bit for each molecule that contains it

    @cached_property
    def placed(self) -> tuple[Any, tuple[int, ...]]:
        """The query, and the atom of the host that each of its atoms stands for."""
        kinds = dict(zip(self.atoms, self.kinds, strict=True))
        query = part("Chem").MolFromSmarts(as_smarts(self.host, self.atoms, self.bonds, kinds))
        return query, tuple(int(a) for a in self.host.molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"])

    @cached_property
    def size(self) -> float:
        """How many atoms it has; rings other than benzene and heteroatoms count for more, carbon in chains for less."""
        kinds = dict(zip(self.atoms, self.kinds, strict=True))
        single = [kind[0] for kind in self.kinds if len(kind) == 1]
        chain = single.count("C") if len(self.bonds) < len(self.atoms) else 0
        bonds = set(self.bonds)
        rings = self.host.molecule.GetRingInfo()
        telling = sum(
            bonds.issuperset(along) and (len(ring) != 6 or any(len(kinds[a]) == 1 and kinds[a] != ("c",) for a in ring))
            for ring, along in zip(rings.AtomRings(), rings.BondRings(), strict=True)
        )
        return len(single) + RING * telling + HETERO * sum(kind not in _PLAIN for kind in single) - CHAIN * chain


class PartSearch:
    """A search for parts that many of some molecules contain; what was once searched for is remembered."""

    def __init__(self, molecules: Sequence[Any]) -> None:
        self.molecules = molecules
        self._known: dict[str, int] = {}

    def grown(self, host: Aligned, kinds: Sequence[Kinds], least: float, most: int) -> list[Part]:
        """Connected parts of the host that at least this share of the molecules contain.

        Atoms may be of these kinds, none for those that no part may have. A part grows by an atom or by a whole ring: that which
        is largest and most frequent first, until this many have been searched for. Whatever contains a part contains what it
        grew from, so that only molecules with that are searched.
        """
        limit = least * len(self.molecules) - 1e-9
        growth = _Growth(host, kinds)
        waiting: list[tuple[float, int, Piece, Part]] = []
        met: set[Piece] = set()
        parts: list[Part] = []
        everything = (1 << len(self.molecules)) - 1

        def meet(pieces: Iterator[Piece], among: int) -> None:
            for piece in pieces:
                if piece in met or len(met) >= most:
                    continue
                met.add(piece)
                made = self._part(host, kinds, piece, among)
                if made.found.bit_count() >= limit:
                    parts.append(made)
                    heappush(waiting, (-made.size * made.found.bit_count(), len(parts), piece, made))

        meet(growth.seeds(), everything)
        while waiting:
            _, _, piece, before = heappop(waiting)
            meet(growth.larger(piece), before.found)
        return parts

    def _part(self, host: Aligned, kinds: Sequence[Kinds], piece: Piece, among: int) -> Part:
        atoms, bonds = sorted(piece[0]), sorted(piece[1])
        smarts = as_smarts(host, atoms, bonds, {a: kinds[a] for a in atoms})
        if smarts not in self._known:
            query = part("Chem").MolFromSmarts(smarts)
            self._known[smarts] = sum(
                1 << n for n, molecule in enumerate(self.molecules) if among >> n & 1 and molecule.HasSubstructMatch(query)
            )
        return Part(host, tuple(atoms), tuple(bonds), tuple(kinds[a] for a in atoms), smarts, self._known[smarts])


class _Growth:
    """How connected parts of a molecule grow: atom by atom outside of rings, and by whole rings."""

    def __init__(self, host: Aligned, kinds: Sequence[Kinds]) -> None:
        rings = host.molecule.GetRingInfo()
        self.in_ring = host.in_ring
        self.allowed = [bool(kind) for kind in kinds]
        self.rings: list[Piece] = [
            (frozenset(atoms), frozenset(bonds))
            for atoms, bonds in zip(rings.AtomRings(), rings.BondRings(), strict=True) if all(kinds[a] for a in atoms)
        ]  # fmt: skip
        self.rings_at: list[list[Piece]] = [[ring for ring in self.rings if a in ring[0]] for a in range(len(kinds))]
        self.beside: list[list[tuple[int, int, bool]]] = [[] for _ in kinds]
        for b, (i, j, _) in enumerate(host.bonds):
            cyclic = bool(rings.NumBondRings(b))
            self.beside[i].append((j, b, cyclic))
            self.beside[j].append((i, b, cyclic))

    def seeds(self) -> Iterator[Piece]:
        """Each ring, and each atom outside of rings."""
        yield from self.rings
        for a, allowed in enumerate(self.allowed):
            if allowed and not self.in_ring[a]:
                yield frozenset({a}), frozenset()

    def larger(self, piece: Piece) -> Iterator[Piece]:
        """The next larger parts that contain a part."""
        atoms, bonds = piece
        for a in sorted(atoms):
            for other, b, cyclic in self.beside[a]:
                if b in bonds or not self.allowed[other]:
                    continue
                if cyclic:
                    for ring, along in self.rings_at[a]:
                        if b in along:
                            yield atoms | ring, bonds | along
                elif self.in_ring[other]:
                    for ring, along in self.rings_at[other]:
                        yield atoms | ring, bonds | along | {b}
                else:
                    yield atoms | {other}, bonds | {b}


def as_smarts(host: Aligned, atoms: Sequence[int], bonds: Sequence[int], kinds: Mapping[int, Kinds]) -> str:
    """A part of a member as a query: elements, aromatic or not, and kinds of bonds."""
    signs = [""] * len(host.kinds)
    for a in atoms:
        signs[a] = kinds[a][0] if len(kinds[a]) == 1 and kinds[a][0] in _BARE else f"[{','.join(kinds[a])}]"
    return str(
        part("Chem").MolFragmentToSmiles(
            host.molecule, list(atoms), list(bonds), atomSymbols=signs, bondSymbols=[sign for _, _, sign in host.bonds]
        )
    )
