"""The words that are true of a molecule: its ring systems, how many of them, its functional groups, and what joins its rings."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from graphmeans.chemistry.names.functional import GROUPS, group_names
from graphmeans.chemistry.names.linkers import ARYL, LINKED, linked_names
from graphmeans.chemistry.names.rings import (
    FUSED,
    HETEROAROMATIC,
    MACROCYCLE,
    NAMES,
    REDUCED,
    SKELETONS,
    RingName,
    names_of_key,
    ring_keys,
    several,
    without_oxo,
)  # fmt: skip
from graphmeans.chemistry.toolkit import part, silent

NO_RING, BENZENE, AROMATIC, SUGAR = "no ring", "benzene", "aromatic ring", "sugar ring"
NOT_AROMATIC = "only rings that are not aromatic"
#: What is said of rings whatever they are called, and how much that says.
GENERIC = {
    **dict(zip(FUSED.values(), (4.0, 6.0, 8.0), strict=True)), HETEROAROMATIC: 3.5, MACROCYCLE: 8.0, NOT_AROMATIC: 3.0,
}  # fmt: skip
#: Benzene rings are called phenyl rings: those of other ring systems are not counted.
PHENYL = "phenyl ring"
#: A sugar is told as a ring system is: it says more than that of its ring.
_SUGAR = 9.0
_PHENYLS = {1: 3.5, 2: 5.0, 3: 6.5}
_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_AT_LEAST = {2: "two or more", 3: "three or more"}
_WHOLE = re.compile(r"(skeleton|system|heterocycle|macrocycle|epoxide|ring|rings)$")


class Word(NamedTuple):
    """A ring system or a functional group, how molecules with it are called, and how much it says about them.

    What says nothing is only for titles: the exact number of ring systems of a kind, of which a list tells the least number.
    """

    name: str
    compounds: str
    weight: float
    ring: bool


def words(molecule: Any) -> frozenset[Word]:
    """The words that are true of a molecule; none of one that RDKit has not sanitised."""
    groups = _groups()
    with silent():
        try:
            keys = list(ring_keys(molecule))
            rings = [names_of_key(key) for key in keys]
            found = {groups[name] for name in group_names(molecule)}
            every = [name.name for system in rings for name in system]
            found |= {groups[name] for name in linked_names(molecule, every.count(BENZENE), HETEROAROMATIC in every)}
        except (RuntimeError, ValueError):
            return frozenset()
    if not rings:
        return frozenset(found | {Word(NO_RING, "acyclic molecules", 3.0, False)})
    for system in rings:
        found.update(_ring_word(name, rank) for rank, name in enumerate(system))
    found |= {with_oxo(plain) for key in keys if (plain := without_oxo(key)) is not None}
    if any(atom.GetIsAromatic() for atom in molecule.GetAtoms()):
        found.add(Word(AROMATIC, "aromatic compounds", 0.0, True))
    else:
        found.add(Word(NOT_AROMATIC, "non-aromatic ring compounds", GENERIC[NOT_AROMATIC], True))
    for name, count in Counter(system[0] for system in rings if system and system[0].name not in GENERIC).items():
        found.update(_repeated(name, n) for n in _AT_LEAST if n <= count)
        if count in _COUNTS:
            found.add(Word(_several(name.name, _COUNTS[count]), "", 0.0, True))
    return frozenset(found)


@lru_cache(maxsize=1)
def _groups() -> dict[str, Word]:
    every = (*GROUPS, *(row.group for row in LINKED))
    found = {group.name: Word(group.name, group.compounds, group.weight, False) for group in every}
    return found | {SUGAR: found[SUGAR]._replace(weight=_SUGAR, ring=True)}


@lru_cache(maxsize=4096)
def _ring_word(ring: RingName, rank: int) -> Word:
    name = ring.name
    weight = float(ring.atoms + ring.hetero) + (rank == 0)
    if name in SKELETONS:
        weight, rank = weight + 4, 0
    elif name.startswith(REDUCED):
        weight -= 3
    # One name has one weight, or else one molecule would have two words for it.
    weight = GENERIC.get(name, _PHENYLS[1] if name == BENZENE else weight if name not in NAMES else _weight(name))
    compounds = re.sub(r" (ring )?system$", " compounds", name)
    if name.endswith("skeleton"):
        compounds = f"{name.removesuffix(' skeleton')}s" if name in SKELETONS else f"{name.removesuffix(' skeleton')} derivatives"
    elif name == BENZENE:
        compounds = "benzene derivatives"
    elif compounds == name:
        compounds = f"{name}s"
    return Word(name, compounds, weight, True)


@lru_cache(maxsize=1024)
def with_oxo(name: str) -> Word:
    """A ring system of this name, or one that has oxygen or sulfur bound to it doubly besides: only for titles."""
    oxo = f"oxo{'-' if not name[:1].isalpha() else ''}{name}"
    return Word(f"{name} or {oxo}", f"{name}s or {oxo}s", 0.0, True)


@lru_cache(maxsize=1024)
def _weight(name: str) -> float:
    """How much a ring system says: its atoms, and those that are not carbon, ends with double bonds among them, once more."""
    molecule = part("Chem").MolFromSmiles(several(NAMES[name])[0])
    return float(molecule.GetNumAtoms() + sum(a.GetAtomicNum() != 6 for a in molecule.GetAtoms()))


@lru_cache(maxsize=1024)
def _repeated(ring: RingName, times: int) -> Word:
    weight = _PHENYLS[times] if ring.name == BENZENE else _ring_word(ring, 0).weight + times
    return Word(_several(ring.name, _AT_LEAST[times]), "", weight, True)


def _several(ring: str, count: str) -> str:
    return f"{count} {ring if _WHOLE.search(ring) else PHENYL if ring == BENZENE else f'{ring} ring'}s"


def exact_counts(word: Word) -> list[str]:
    """The names of the words that say how many ring systems there are, for one that says how many there are at least."""
    for n, least in _AT_LEAST.items():
        if word.name.startswith(f"{least} "):
            return [word.name.replace(least, count, 1) for m, count in _COUNTS.items() if m >= n]
    return []


@lru_cache(maxsize=4096)
def implied(word: Word) -> frozenset[str]:
    """The names of all that follows from a word: what the molecule that stands for it has besides."""
    for n, least in (*_AT_LEAST.items(), *_COUNTS.items()):
        if word.name.startswith(f"{least} "):
            what = re.sub(r"( ring)?s$", "", word.name.removeprefix(f"{least} ")).replace("phenyl", BENZENE)
            fewer = {_several(what, fewest) for m, fewest in _AT_LEAST.items() if m < n or (m == n and least != fewest)}
            return frozenset({what, *fewer, *implied(_ring_word(RingName(what, 0, 0), 0))})
    if word.name == SUGAR:
        return frozenset({"tetrahydropyran", "tetrahydrofuran", *GENERIC})
    always = held(word)
    if word.ring and word.name != BENZENE:  # a ring system follows from its name, whatever it is called there; groups do not
        always |= frozenset(GENERIC)
    return always - {word.name, *(() if word.ring else (NO_RING,))}


@lru_cache(maxsize=4096)
def held(word: Word) -> frozenset[str]:
    """The names of all that the molecules have that stand for a word."""
    if word.ring:
        smiles = several(NAMES.get(word.name) or SKELETONS.get(word.name) or ())
    else:
        smiles = tuple(group.example for group in (*GROUPS, *(row.group for row in LINKED)) if group.name == word.name)
    found = [frozenset(other.name for other in words(part("Chem").MolFromSmiles(text))) for text in smiles]
    return frozenset.intersection(*found) if found else frozenset()


def says_little(word: Word) -> bool:
    """Whether molecules that have this may have little else in common."""
    little = word.name in (NO_RING, BENZENE, AROMATIC, ARYL) or word.name in GENERIC
    return little or re.search(rf"\b{PHENYL}s?$", word.name) is not None


def rings_of(word: Word) -> int:
    """How many rings follow from a word that says little; of others none."""
    if word.name == NO_RING or not says_little(word):
        return 0
    several = next((n for n, count in (*_COUNTS.items(), *_AT_LEAST.items()) if word.name.startswith(f"{count} ")), 1)
    return next((n for n, name in FUSED.items() if word.name == name), 2 if word.name == ARYL else several)


def mentioned(word: Word) -> str:
    """What molecules have that have this: "a pyridine ring", "an ester", "two phenyl rings"."""
    if word.ring and not word.compounds:
        return word.name
    if word.name == NOT_AROMATIC:
        return word.name
    name = PHENYL if word.name == BENZENE else listed_as(word)
    return f"{article(name)} {name}"


def ring_called(name: str) -> str:
    """A ring system by its name, as one that something has: "piperazine ring", "bicyclic ring system"."""
    return name if _WHOLE.search(name) else f"{name} ring"


def listed_as(word: Word) -> str:
    """A word as it stands in a list of what molecules have."""
    if word.name == BENZENE:
        return f"{PHENYL}, not fused"
    return ring_called(word.name) if word.ring else word.name


def article(name: str) -> str:
    """Which article stands before a name."""
    if name[:1] == "8" or name.startswith(("N-", "N,N", "11-")):
        return "an"
    start = re.sub(r"^[^A-Za-z]*", "", name) if not name[:1].isdigit() else ""
    return "an" if start[:1].lower() in set("aeio") or re.match(r"un[^i]", start) else "a"


def capital(text: str) -> str:
    """A text that begins with a capital, which is not that of a place or of a prefix such as tert."""
    at = 5 if text.startswith("tert-") else 2 if text.startswith("N-") else 4 if text.startswith("N,N'-") else 0
    at = next((n for n, sign in enumerate(text) if n >= at and sign.isalpha()), 0)
    return text[:at] + text[at].upper() + text[at + 1 :]


def in_a_row(parts: list[str], last: str) -> str:
    """Several things with a word before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
