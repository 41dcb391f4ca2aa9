"""Rings as substituents: pyridin-2-yl, 4-Cl-phenyl, 5-CH₃-furan-2-yl; with places where a ring is one that has them by rule."""

from __future__ import annotations

import re
from typing import Any

from graphmeans.chemistry.names.functional import METALS
from graphmeans.chemistry.names.rings import FUSED, HETEROAROMATIC, MACROCYCLE, REDUCED, names_of_system

#: Rings whose name as a substituent is another word.
_WORDS = {
    "benzene": "phenyl", "naphthalene": "naphthyl", "anthracene": "anthryl", "phenanthrene": "phenanthryl",
    "adamantane": "adamantyl", "norbornane": "norbornyl", "norbornene": "norbornenyl", "epoxide": "oxiranyl", "indane": "indanyl",
}  # fmt: skip
#: Which element has the place 1 in a ring, the first of these that is in it.
_SENIOR = (8, 16, 34, 7)
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_ELEMENT = re.compile(r"[A-Z][a-z]?")
#: Rings with more kinds of groups on them are only called substituted.
MOST_KINDS = 3
#: Longer groups stand in brackets behind their place.
SHORT = 12


def small(count: int) -> str:
    """A count as it stands below the line; nothing for 1."""
    return "" if count == 1 else str(count).translate(_SUBSCRIPTS)


def times(text: str, count: int) -> str:
    """A group several times: Cl₂, (OH)₂, (CH₃)₃; in brackets unless it is an element."""
    if count == 1:
        return text
    return f"{text if _ELEMENT.fullmatch(text) or in_brackets(text) else f'({text})'}{small(count)}"


def in_brackets(text: str) -> bool:
    """Whether a text begins with a bracket that its last sign closes."""
    depth = 0
    for n, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return n > 0 and n == len(text) - 1
    return False


def radical(
    molecule: Any, system: tuple[set[int], set[int]], first: int, before: int, carried: dict[int, list[str]], double: bool
) -> str:
    """A ring system whose atom `first` is bound to `before`, with the groups that its atoms carry, as texts."""
    inside, along = system
    names = names_of_system(molecule, inside, along)
    name = names[0].name if names else f"{len(inside)}-membered ring"
    if not names or name in FUSED.values() or name in (HETEROAROMATIC, MACROCYCLE):
        return _nameless(names[0].name if names else name, {row.name for row in names})
    oxides = {a for a, texts in carried.items() if "O⁻" in texts and molecule.GetAtomWithIdx(a).GetAtomicNum() == 7}
    groups = [(atom, text) for atom, texts in carried.items() for text in texts if not (atom in oxides and text == "O⁻")]
    numbers = _places(molecule, inside, first, [atom for atom, _ in groups])
    bound = numbers.get(first)
    # A ring that is bound at its place 1 by rule, such as phenyl or cyclohexyl, says so by having no place.
    carbocycle = all(molecule.GetAtomWithIdx(a).GetAtomicNum() == 6 for a in inside)
    plain = carbocycle and bound == 1
    whole = _yl(name, None if plain or bound is None else bound, double)
    atom = molecule.GetAtomWithIdx(first)
    if atom.GetIsAromatic() and atom.GetAtomicNum() == 7 and atom.GetFormalCharge() == 1:
        metal = molecule.GetAtomWithIdx(before).GetAtomicNum() in METALS
        whole = name if metal else f"{name.removesuffix('e')}ium-{bound}-yl" if bound else f"{name.removesuffix('e')}ium"
    if oxides:
        whole += " N-oxide"
    if not groups:
        return whole
    if len({text for _, text in groups}) > MOST_KINDS:
        return f"substituted {whole}"
    places: dict[str, list[int]] = {}
    for atom, text in groups:
        places.setdefault(text, []).append(numbers.get(atom, 0))
    named = []
    for text, where in sorted(places.items(), key=lambda row: (sorted(row[1]), row[0])):
        group = times(text, len(where))
        if len(where) == 1 and ("-" in text or text[0].isdigit() or len(text) > SHORT):
            group = text if in_brackets(text) else f"({text})"
        named.append(f"{','.join(map(str, sorted(where)))}-{group}" if all(where) else group)
    return "-".join([*named, whole])


def _nameless(name: str, all_names: set[str]) -> str:
    """A ring system that has no name: by its number of rings and whether it is aromatic."""
    if name == HETEROAROMATIC:
        return "heteroaryl"
    kind = name.removesuffix(" ring system")
    return f"{kind} heteroaryl" if HETEROAROMATIC in all_names else kind if kind.endswith(("ring", "cycle")) else f"{kind} ring"


def _yl(name: str, place: int | None, double: bool) -> str:
    end = "ylidene" if double else "yl"
    if name in _WORDS:
        word = _WORDS[name]
        return f"{word[:-2]}-{place}-{end}" if place else f"{word[:-2]}{end}"
    if name.endswith(" skeleton"):
        return name.removesuffix(" skeleton")
    hydrogenated, name = name.startswith(REDUCED), name.removeprefix(REDUCED)
    stem = name.removesuffix("e")
    if re.fullmatch(r"cyclo[a-z]+an", stem) and not place:
        stem = stem.removesuffix("an")
    found = f"{stem}-{place}-{end}" if place else f"{stem}{end}"
    return f"{REDUCED}{found}" if hydrogenated else found


def _places(molecule: Any, inside: set[int], first: int, others: list[int]) -> dict[int, int]:
    """The numbers of the atoms of a single ring, by the rules of its name; none of a ring that has no such numbers here.

    The senior element has the number 1, all elements but carbon have the lowest numbers, then doubly bound oxygen, then the atom
    that is bound, then those that carry groups.
    """
    atoms = [molecule.GetAtomWithIdx(a) for a in inside]
    ring = next((ring for ring in molecule.GetRingInfo().AtomRings() if set(ring) == inside), None)
    elements = {atom.GetAtomicNum() for atom in atoms}
    if ring is None or not elements <= {6, *_SENIOR}:
        return {}
    hetero = {a for a in inside if molecule.GetAtomWithIdx(a).GetAtomicNum() != 6}
    unsaturated = any(
        str(molecule.GetBondBetweenAtoms(a, b).GetBondType()) == "DOUBLE"
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True)
    )
    if not hetero and unsaturated:
        return {}
    oxo = {a for a in inside if _is_oxo(molecule.GetAtomWithIdx(a), inside)}
    senior = next((element for element in _SENIOR if element in elements), 6)
    ways = []
    for start, atom in enumerate(ring):
        if hetero and molecule.GetAtomWithIdx(atom).GetAtomicNum() != senior:
            continue
        for step in (1, -1):
            way = {ring[(start + step * n) % len(ring)]: n + 1 for n in range(len(ring))}
            parts = (hetero, oxo, {first}, set(others))
            ways.append(([sorted(way[a] for a in some) for some in parts], [way[a] for a in others], way))
    return min(ways, key=lambda row: row[:2])[2]


def _is_oxo(atom: Any, inside: set[int]) -> bool:
    return any(
        str(bond.GetBondType()) == "DOUBLE" and bond.GetOtherAtom(atom).GetIdx() not in inside
        and bond.GetOtherAtom(atom).GetAtomicNum() in (8, 16) for bond in atom.GetBonds()
    )  # fmt: skip
