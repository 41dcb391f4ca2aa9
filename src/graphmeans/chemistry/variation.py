"""What varies around a common core: which of its atoms carry something, and what, as in a table of R-groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from graphmeans.chemistry.closed import Rings, Way, closed, sides
from graphmeans.chemistry.core import Core
from graphmeans.chemistry.groups import NOTHING, class_of, with_its_atom
from graphmeans.chemistry.members import Aligned
from graphmeans.chemistry.names.bound_to import kind_of_atom
from graphmeans.chemistry.names.substituents import HYDROGEN, group_name
from graphmeans.chemistry.toolkit import part, silent

#: Ways to find a core in a member that are compared, rounds in which they are, and how little a place may vary to be named.
MOST_WAYS, ROUNDS, LEAST = 64, 4, 0.05
#: What it counts that another member has something, or nothing, at a place too, beside having the same there.
OCCUPIED = 2
_DUMMY = re.compile(r"\[(\d+)\*\]")

Look = tuple[tuple[str, ...], ...]
#: A group that an atom of the core carries: its name, the other atoms of the core that it is bound to, and its class.
Group = tuple[str, tuple[int, ...], str]
Groups = tuple[Group, ...]
BARE = (HYDROGEN, NOTHING)
#: What is bound doubly to a ring and belongs to its name: a lactam is no ring with =O.
OXO = ("=O", "=S")
#: How classes of rings at a single atom begin.
RINGED = ("ring", "lactam ring", "spiro ring")


@dataclass(frozen=True)
class Place:
    """A place of a common core at which members differ.

    Parameters
    ----------
    name : str
        "R1", "R2", ... for places that carry groups, "X1", ... for atoms of the core at which different elements stand.
    atom : int
        The atom of the core's host at which it is.
    what : tuple of (str, float)
        What stands there and in which share of the members that were compared, the most frequent first. "H" is where an atom of
        the core carries hydrogen only, "nothing" where it can carry nothing else, such as the nitrogen of a pyridine.
    classes : tuple of str
        The class of each of these: "alkyl", "aryl", "amide", ...; of elements none.

    See Also
    --------
    Variation : All places of a core.

    Examples
    --------
    >>> import graphmeans as gm
    >>> print(gm.chemistry.Place("R1", 4, (("Cl", 0.6), ("H", 0.4))))
    R1: Cl 60 %, H 40 %
    """

    name: str
    atom: int
    what: tuple[tuple[str, float], ...]
    classes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(f'{text} {100 * share:.0f} %' for text, share in self.what)}"


@dataclass(frozen=True)
class Variation:
    """What varies around a common core; `ClusterChemistry.variation` finds it.

    Parameters
    ----------
    places : tuple of Place
        The places at which the members that contain the core differ.
    compared : int
        How many members were compared: the aligned ones that contain the core.
    hydrogens : dict
        For atoms of the core's host at which there is a place, how many hydrogens each has where it carries a group: one number,
        or several if members differ in that, as anilines do that carry one or two groups.

    See Also
    --------
    ClusterChemistry : A cluster as a chemist reads it.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl"])
    >>> cluster = gm.chemistry.read_clusters(gm.GraphKMeans(1).fit(graphs), graphs)[0]
    >>> cluster.variation(cluster.core).compared
    3
    """

    places: tuple[Place, ...]
    compared: int
    hydrogens: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def variation(core: Core, members: list[Aligned], rank: Mapping[int, float] = MappingProxyType({})) -> Variation:
    """What stands at each atom of the core in those of these members that contain it.

    A core may lie in a member in several ways. The one is taken that agrees with the member's alignment to the mean, and
    then, as long as that makes the members more alike, the one whose substituents stand where those of others do. Places are
    numbered by the rank of their atoms in the host, if one is given.
    """
    found = [(member, ways) for member in members if (ways := _ways(core, member))]
    chosen = _choose_ways(found)
    groups: list[Counter[Groups]] = [Counter() for _ in core.order]
    elements: list[Counter[str]] = [Counter() for _ in core.order]
    hydrogens: list[set[int]] = [set() for _ in core.order]
    rings = Rings(core)
    for (member, _), way in zip(found, chosen, strict=True):
        carried = _carried(core, rings, member, way)
        for q, atom in enumerate(way):
            groups[q][carried[q]] += 1
            elements[q][member.symbols[atom]] += 1
            if carried[q][0][0] not in BARE:
                hydrogens[q].add(member.hydrogens[atom])
    count = len(found)
    by_rank = sorted(range(len(core.order)), key=lambda q: (rank.get(core.order[q], 0.0), core.order[q]))
    bare = [sum(n for carried, n in counts.items() if carried[0][0] in BARE) for counts in groups]
    carrying = [q for q in by_rank if count - bare[q] >= max(1.0, LEAST * count)]
    names = {q: f"R{n}" for n, q in enumerate(carrying, 1)}
    places = []
    for q in carrying:
        told, classes = _told(groups[q], names)
        what = _shares(told, count)
        places.append(Place(names[q], core.order[q], what, tuple(classes[text] for text, _ in what)))
    varying = [q for q in by_rank if core.order[q] in core.elements and len(elements[q]) > 1]
    for n, q in enumerate(varying, 1):
        places.append(Place(f"X{n}", core.order[q], _shares(elements[q], count)))
    return Variation(tuple(places), count, {core.order[q]: tuple(sorted(hydrogens[q])) for q in carrying})


def _ways(core: Core, member: Aligned) -> list[Way]:
    """The ways in which the core lies in a member, that which agrees best with its alignment first."""
    nodes = [int(core.host.nodes[atom]) for atom in core.order]
    ways = list(member.molecule.GetSubstructMatches(core.query, uniquify=False, maxMatches=MOST_WAYS))
    own = member.nodes.tolist()
    agreement = [-sum(own[a] == node for a, node in zip(way, nodes, strict=True)) for way in ways]
    return [ways[n] for n in sorted(range(len(ways)), key=lambda n: agreement[n])]


def _choose_ways(found: list[tuple[Aligned, list[Way]]]) -> list[Way]:
    """Of each member the way that fits best to those of the others; at first that which agrees with its alignment.

    Two ways are compared by how many others have the same next to each atom of the core, and, with more weight, by how many
    have something or nothing there: groups then stand at few places.
    """
    distinct = [_looks(member, ways) for member, ways in found]
    looks, kept = [list(some) for some in distinct], [list(some.values()) for some in distinct]
    chosen = [0] * len(found)
    if not found or max(map(len, looks)) == 1:
        return [ways[0] for ways in kept]
    counts: list[Counter[Any]] = [Counter() for _ in looks[0][0]]

    def count(look: Look, by: int) -> None:
        for seen, beside in zip(counts, look, strict=True):
            seen[beside] += by
            seen[len(beside) > 1] += OCCUPIED * by

    for mine in looks:
        count(mine[0], 1)
    for _ in range(ROUNDS):
        before = list(chosen)
        for n, mine in enumerate(looks):
            if len(mine) > 1:
                count(mine[chosen[n]], -1)
                fits = [
                    sum(seen[beside] + seen[len(beside) > 1] for seen, beside in zip(counts, look, strict=True))
                    for look in mine
                ]
                chosen[n] = max(range(len(mine)), key=lambda way: (fits[way], way == before[n], -way))
                count(mine[chosen[n]], 1)
        if chosen == before:
            break
    return [ways[at] for ways, at in zip(kept, chosen, strict=True)]


def _looks(member: Aligned, ways: list[Way]) -> dict[Look, Way]:
    """What stands next to each atom of the core, its element and those of atoms outside, and the first way that looks so."""
    symbols, near = member.symbols, member.neighbours
    beside: dict[frozenset[int], dict[int, tuple[str, ...]]] = {}
    found: dict[Look, Way] = {}
    for way in ways:
        inside = frozenset(way)
        if inside not in beside:
            beside[inside] = {a: (symbols[a], *sorted(symbols[b] for b in near[a] if b not in inside)) for a in way}
        found.setdefault(tuple(beside[inside][a] for a in way), way)
    return found


def _carried(core: Core, rings: Rings, member: Aligned, way: Way) -> list[Groups]:
    """The groups that each atom of the query carries."""
    chem = part("Chem")
    with silent():
        pieces = chem.ReplaceCore(member.molecule, core.query, way, replaceDummies=True, labelByIndex=True)
    groups: list[list[Group]] = [[] for _ in way]
    texts: list[list[str]] = [[] for _ in way]
    if pieces is not None and pieces.GetNumAtoms():
        for atom in pieces.GetAtoms():  # 1 more than the atom's number, so that none is 0, which SMILES does not write
            if atom.GetAtomicNum() == 0:
                atom.SetIsotope(atom.GetIsotope() + 1)
        closing: list[tuple[str, Counter[int]]] = []
        inside = set(way)
        for text in chem.MolToSmiles(pieces).split("."):
            bound = Counter(int(number) - 1 for number in _DUMMY.findall(text))
            if bound.total() > 1:
                closing.append((text, bound))
            for q in bound if bound.total() == 1 else ():
                on = kind_of_atom(member.molecule.GetAtomWithIdx(way[q]), inside)
                texts[q].append(text)
                groups[q].append((group_name(text, on), (), class_of(text, on)))
        if closing:
            _add_closed(groups, closing, rings, member, way)
    at = {a: q for q, a in enumerate(way)}
    for first, last, _ in member.bonds:  # a ring may also be closed by a bond between atoms of the core
        i, j = at.get(first), at.get(last)
        if i is not None and j is not None and core.query.GetBondBetweenAtoms(i, j) is None:
            for q, other in ((i, j), (j, i)):
                groups[q].append(("bond to", (other,), "bond to"))
    for q, atom in enumerate(way):
        if not groups[q]:
            groups[q].append((HYDROGEN if member.hydrogens[atom] else NOTHING, (), ""))
        elif len(groups[q]) == len(texts[q]) == 2 and member.kinds[atom] == "C" and core.query.GetAtomWithIdx(q).GetDegree() == 1:
            (beside,) = core.query.GetAtomWithIdx(q).GetNeighbors()
            before = member.molecule.GetAtomWithIdx(way[beside.GetIdx()])
            if (together := with_its_atom(texts[q], kind_of_atom(before, set(way) - {atom}))) is not None:
                groups[q] = [(together[0], (), together[1])]
    return [tuple(sorted(carried)) for carried in groups]


def _add_closed(
    groups: list[list[Group]], closing: list[tuple[str, Counter[int]]], rings: Rings, member: Aligned, way: Way
) -> None:
    """Add the groups that are bound to a core more than once; what a ring has bound doubly to it belongs to its name."""
    pieces = [(piece, bound) for piece, bound in sides(member, way) if bound.total() > 1]
    included: set[int] = set()
    for text, bound in closing:
        found = next((n for n, (_, there) in enumerate(pieces) if there == bound), None)
        piece = pieces.pop(found)[0] if found is not None else set[int]()
        for q in bound:
            others = tuple(sorted(set(bound) - {q}))
            one = closed(rings, member, way, q, piece, text, others)
            if one.whole:
                included.add(q)
            if not one.whole or (one.what, others, one.kind) not in groups[q]:
                groups[q].append((one.what, others, one.kind))
    for q in included:
        groups[q] = [group for group in groups[q] if group[0] not in OXO]


def _times(name: str, count: int) -> str:
    """The same group several times: F₃, (CH₃)₂, 2 × CH₂ bridge to R2."""
    if count == 1:
        return name
    if " " in name:
        return f"{count} × {name}"
    small = str(count).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return f"{name if len(name) == 1 or name in ('Cl', 'Br') else f'({name})'}{small}"


def _shares(counts: Counter[str], of: int) -> tuple[tuple[str, float], ...]:
    return tuple((text, n / of) for text, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _told(groups: Counter[Groups], names: dict[int, str]) -> tuple[Counter[str], dict[str, str]]:
    """What stands at an atom, in words, and its class; groups that are bound to the core once more name that place."""

    def placed(what: str, others: tuple[int, ...]) -> str:
        return f"{what} {', '.join(names.get(q, 'another place') for q in others)}" if others else what

    told: Counter[str] = Counter()
    classes: dict[str, str] = {}
    for carried, count in groups.items():
        same = Counter(placed(what, others) for what, others, _ in carried)
        text = " + ".join(_times(text, times) for text, times in sorted(same.items()))
        told[text] += count
        # A ring says more than what else is there.
        ringed = [(kind, others) for _, others, kind in carried if others or kind.startswith(RINGED)]
        classes[text] = " + ".join(sorted({placed(*one) for one in ringed or [(kind, others) for _, others, kind in carried]}))
    return told, classes
