"""What stands at each atom and bond of a mean: counted over the members that are aligned to it."""

from __future__ import annotations

from collections import Counter

from graphmeans.chemistry.members import Aligned

#: An atom in a ring of a core is of at most this many kinds; each must stand there in at least this share of the members.
MOST_KINDS, LEAST_KIND = 2, 0.1

Ends = tuple[int, int]
Link = tuple[str, str, str]


class Frame:
    """Counts, over aligned members, of the kinds of atoms at each node of the mean and of the bonds between its nodes."""

    def __init__(self, members: list[Aligned]) -> None:
        self.count = len(members)
        atoms: dict[int, Counter[str]] = {}
        bonds: dict[Ends, Counter[str]] = {}
        links: dict[Ends, Counter[Link]] = {}
        for member in members:
            nodes = member.nodes.tolist()
            for node, kind in zip(nodes, member.kinds, strict=True):
                if node >= 0:
                    atoms.setdefault(node, Counter())[kind] += 1
            for i, j, sign in member.bonds:
                if (ends := _ends(nodes[i], nodes[j])) is not None:
                    bonds.setdefault(ends, Counter())[sign] += 1
                    links.setdefault(ends, Counter())[_link(member, nodes, i, j, sign)] += 1
        self.atoms, self.bonds, self._links = atoms, bonds, links
        # Of each node the most frequent kind, and those that are aromatic as it is, or not aromatic as it is.
        self._ranked: dict[int, list[tuple[str, int]]] = {}
        for node, counts in atoms.items():
            ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            self._ranked[node] = [row for row in ranked if row[0].islower() == ranked[0][0].islower()][:MOST_KINDS]

    def atom_support(self, member: Aligned) -> list[float]:
        """For each atom of a member, the share of members with an atom of the same kind at its place."""
        none: Counter[str] = Counter()
        places = zip(member.nodes.tolist(), member.kinds, strict=True)
        return [self.atoms.get(node, none)[kind] / self.count for node, kind in places]

    def bond_support(self, member: Aligned) -> list[float]:
        """For each bond of a member, the share of members with a bond of the same kind at its place."""
        nodes = member.nodes.tolist()
        return [self._bonds(nodes[i], nodes[j], sign) / self.count for i, j, sign in member.bonds]

    def link_support(self, member: Aligned) -> list[float]:
        """For each bond of a member, the share of members with a bond of the same kind between the same kinds of atoms there.

        It is at most the support of both atoms: a bond to bromine is not one that others have to carbon.
        """
        nodes, none = member.nodes.tolist(), Counter[Link]()
        places = [(_ends(nodes[i], nodes[j]), _link(member, nodes, i, j, sign)) for i, j, sign in member.bonds]
        return [self._links.get(ends, none)[link] / self.count if ends else 0.0 for ends, link in places]

    def standing(self, member: Aligned, atom: int) -> tuple[str, ...]:
        """The kinds of atoms that stand at the place of an atom, the most frequent first; none if it has no place in the mean.

        In a ring there may be two that are frequent, such as carbon and nitrogen, both aromatic or both not, of which the atom
        itself is one; elsewhere there is only its own.
        """
        node, own = int(member.nodes[atom]), member.kinds[atom]
        if node < 0:
            return ()
        often = tuple(kind for kind, count in self._ranked.get(node, []) if count >= LEAST_KIND * self.count)
        return often if member.in_ring[atom] and own in often else (own,)

    def _bonds(self, one: int, other: int, sign: str) -> int:
        ends = _ends(one, other)
        return self.bonds[ends][sign] if ends in self.bonds else 0


def _ends(one: int, other: int) -> Ends | None:
    return None if one < 0 or other < 0 else (min(one, other), max(one, other))


def _link(member: Aligned, nodes: list[int], i: int, j: int, sign: str) -> Link:
    """A bond with the kinds of its atoms, that at the lower node of the mean first."""
    first, last = (i, j) if nodes[i] < nodes[j] else (j, i)
    return member.kinds[first], sign, member.kinds[last]
