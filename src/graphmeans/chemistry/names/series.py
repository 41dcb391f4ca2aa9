"""A name for each of several sets of molecules: the ring systems and functional groups that most of a set have, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

from graphmeans.chemistry.names.functional import GROUPS, group_names
from graphmeans.chemistry.names.rings import (
    FUSED,
    HETEROAROMATIC,
    MACROCYCLE,
    NAMES,
    REDUCED,
    SKELETONS,
    RingName,
    ring_names,
    several,
)  # fmt: skip
from graphmeans.chemistry.toolkit import part, silent

#: A title is true of at least this share of the molecules, word for word and in all; so many words are in it at most.
LEAST, MOST_WORDS = 0.6, 3
#: What is listed is true of at least the first share and, below the second, of so many times as many as elsewhere; so many
#: are listed at most.
LISTED, OFTEN, TIMES, MOST_LISTED = 0.1, 0.3, 1.5, 6
#: Where no such title says much, several sorts of molecules are named that make up as large a share together: at most so many,
#: each with at least this share, which is so many times that in other clusters; so many are compared,
#: and none that says less than this.
SORTS, OF_A_SORT, TIMES_MORE, COMPARED, SAYS_ENOUGH = 3, 0.2, 2.0, 8, 3.5
#: How much less a word says if all other molecules have it, too; and what it must say to be added to a title.
COMMON, WORTH = 0.8, 0.9
#: Of the molecules with a frequent word that is named as an example, so many are what the title says besides.
NEARLY_ALL = 0.9
#: From which difference of shares two sets are said to differ.
APART = 0.15
#: What follows from another word is only listed if the share that has it is larger by this.
MORE = 0.1
NO_RING, BENZENE = "no ring", "benzene"
_GENERIC = {**dict(zip(FUSED.values(), (4.0, 6.0, 8.0), strict=True)), HETEROAROMATIC: 3.5, MACROCYCLE: 8.0}
_BENZENES = {1: 3.5, 2: 5.0, 3: 6.5}
_COUNTS = {2: "two", 3: "three"}
_WHOLE = re.compile(r"(skeleton|system|heterocycle|macrocycle|epoxide|ring|rings)$")


class Word(NamedTuple):
    """A ring system or a functional group, how molecules with it are called, and how much it says about them."""

    name: str
    compounds: str
    weight: float
    ring: bool


class Share(NamedTuple):
    """What a share of the molecules have, with the share of all others that have it."""

    what: str
    here: float
    others: float


@dataclass(frozen=True)
class SeriesName:
    """What most molecules of a cluster have in common, in words: ring systems and functional groups.

    Parameters
    ----------
    title : str
        What the molecules are called, such as "Quinolines with a carboxylic acid"; empty if nothing that has a name here is
        common to 60 % of them.
    share : float
        The share of the molecules that have all of the title.
    others : float
        The share of the molecules of other clusters that have all of it.
    words : tuple of (str, float, float)
        Ring systems and functional groups that a fair share of the molecules have, with their shares here and in other
        clusters, the most frequent first.
    telling : bool
        Whether the title says more than how many benzene rings there are, that there is no ring, or that there are ring
        systems of some kind.
    counted : dict
        All words that are true of any of the molecules, with their shares.

    See Also
    --------
    ClusterChemistry : A cluster as a chemist reads it.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["OC(=O)c1ccnc2ccccc12", "OC(=O)c1cc(C)nc2ccccc12", "CCCCCC", "CCCCCCC", "CCCCCCCC"])
    >>> km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    >>> cluster = gm.chemistry.read_clusters(km, graphs)[km.labels_[0]]
    >>> cluster.series.title, cluster.series.share
    ('Quinolines with a carboxylic acid', 1.0)
    """

    title: str
    share: float
    others: float
    words: tuple[Share, ...]
    telling: bool
    counted: dict[Word, float] = field(default_factory=dict, repr=False, compare=False)


class _Set:
    """The words of each molecule of a set, and the shares of the molecules that each word is true of, here and elsewhere."""

    def __init__(self, some: list[frozenset[Word]], together: Counter[Word], total: int) -> None:
        self.some = some
        rest = total - len(some)
        counts = Counter(word for one in some for word in one)
        self.shares = {
            word: (n / len(some), (together[word] - n) / rest if rest else 0.0) for word, n in counts.items()
        }  # fmt: skip
        self.ranked = sorted(self.shares, key=lambda word: (-_score(word, *self.shares[word]), word.name))
        chosen = _chosen(self.ranked, self.shares, some)
        self.sorts = _sorts(self.ranked, self.shares, some, chosen)
        # An aromatic heterocycle, say, is not named beside several sorts of them.
        self.chosen = [word for word in chosen if not (self.sorts and word.name in _GENERIC)]

    @property
    def title(self) -> str:
        """The words as a title; where that is one that says little, with what is most frequent among them."""
        title = _title(self.chosen, self.sorts)
        if self.sorts or len(self.chosen) != 1 or not _says_little(self.chosen[0]):
            return title
        frequent = next(filter(self._frequent, self.ranked), None)
        return title if frequent is None else f"{_capital(frequent.compounds)} and other {title[0].lower()}{title[1:]}"

    def _frequent(self, word: Word) -> bool:
        """Whether a word says much, is true of many molecules, and nearly all of them are what the title says."""
        here, others = self.shares[word]
        if here < OFTEN or here < TIMES_MORE * others or word.weight < SAYS_ENOUGH or _says_little(word) or not word.compounds:
            return False
        having = [one for one in self.some if word in one]
        return self.fitting(having) >= NEARLY_ALL * len(having)

    def fitting(self, some: list[frozenset[Word]]) -> int:
        """How many of these molecules are what the title says."""
        return sum(one.issuperset(self.chosen) and (not self.sorts or not one.isdisjoint(self.sorts)) for one in some)

    def add_what_differs(self, twins: list[_Set]) -> None:
        """Add to the title a word that is true of enough molecules here, and of few where the title is the same."""
        for word in self.ranked:
            seldom = all(twin.shares.get(word, (0.0, 0.0))[0] * TIMES_MORE <= self.shares[word][0] for twin in twins)
            implied = any(word.name in _implied(other) for other in self.chosen)
            if seldom and not implied and word.name not in _GENERIC and self.shares[word][0] >= LEAST:
                self.chosen.append(word)
                if self.fitting(self.some) >= LEAST * len(self.some):
                    return
                self.chosen.pop()


def name_series(sets: Sequence[Sequence[Any]]) -> list[SeriesName]:
    """Name each set of molecules by what most of its molecules have, and the molecules of the other sets more seldom."""
    held = [[words(molecule) for molecule in molecules] for molecules in sets]
    together = Counter(word for some in held for one in some for word in one)
    total = sum(map(len, held))
    found = [_Set(some, together, total) for some in held]
    titles = [one.title for one in found]
    for one, title in zip(found, titles, strict=True):
        twins = [other for other, same in zip(found, titles, strict=True) if same == title and other is not one]
        if title and twins:
            one.add_what_differs(twins)
    return [_name(one, held, total) for one in found]


def _name(one: _Set, held: list[list[frozenset[Word]]], total: int) -> SeriesName:
    named, rest = bool(one.chosen or one.sorts), total - len(one.some)
    have, everywhere = one.fitting(one.some), sum(map(one.fitting, held))
    return SeriesName(
        one.title, have / len(one.some) if named else 0.0, (everywhere - have) / rest if rest and named else 0.0,
        _listed(one.ranked, one.shares), bool(one.sorts) or not all(map(_says_little, one.chosen)),
        {word: here for word, (here, _) in one.shares.items()},
    )  # fmt: skip


def set_apart(one: SeriesName, other: SeriesName, most: int = 6) -> list[Share]:
    """In what two sets of molecules differ most: words with their shares in the one and in the other."""
    def apart(word: Word) -> float:
        return one.counted.get(word, 0.0) - other.counted.get(word, 0.0)

    every = sorted(one.counted.keys() | other.counted.keys(), key=lambda word: (-word.weight * abs(apart(word)), word.name))
    kept: list[Word] = []
    for word in every:
        follows = any(
            word.name in _implied(known) and apart(word) * apart(known) > 0 and abs(apart(word)) < abs(apart(known)) + MORE
            for known in kept
        )  # fmt: skip
        if abs(apart(word)) >= APART and not follows and len(kept) < most:
            kept.append(word)
    return [Share(_plain(word), one.counted.get(word, 0.0), other.counted.get(word, 0.0)) for word in kept]


def words(molecule: Any) -> frozenset[Word]:
    """The words that are true of a molecule; none of one that RDKit has not sanitised."""
    groups = _groups()
    with silent():
        try:
            rings = ring_names(molecule)
            found = {groups[name] for name in group_names(molecule)}
        except (RuntimeError, ValueError):
            return frozenset()
    if not rings:
        return frozenset(found | {Word(NO_RING, "acyclic molecules", 3.0, False)})
    for system in rings:
        found.update(_ring_word(name, rank) for rank, name in enumerate(system))
    times = Counter(system[0] for system in rings if system and system[0].name not in _GENERIC)
    found.update(_repeated(name, n) for name, count in times.items() for n in _COUNTS if n <= count)
    return frozenset(found)


@lru_cache(maxsize=1)
def _groups() -> dict[str, Word]:
    return {group.name: Word(group.name, group.compounds, group.weight, False) for group in GROUPS}


@lru_cache(maxsize=4096)
def _ring_word(ring: RingName, rank: int) -> Word:
    name = ring.name
    weight = float(ring.atoms + ring.hetero) + (rank == 0)
    if name in SKELETONS:
        weight, rank = weight + 4, 0
    elif name.startswith(REDUCED):
        weight -= 3
    # One name has one weight, or else one molecule would have two words for it.
    weight = _GENERIC.get(name, _BENZENES[1] if name == BENZENE else weight if name not in NAMES else _weight(name))
    compounds = re.sub(r" (ring )?system$", " compounds", name)
    if name.endswith("skeleton"):
        compounds = f"{name.removesuffix(' skeleton')}s" if name in SKELETONS else f"{name.removesuffix(' skeleton')} derivatives"
    elif name == BENZENE:
        compounds = "benzene derivatives"
    elif compounds == name:
        compounds = f"{name}s"
    return Word(name, compounds, weight, True)


@lru_cache(maxsize=1024)
def _weight(name: str) -> float:
    """How much a ring system says: its atoms, and those that are not carbon, ends with double bonds among them, once more."""
    molecule = part("Chem").MolFromSmiles(several(NAMES[name])[0])
    return float(molecule.GetNumAtoms() + sum(a.GetAtomicNum() != 6 for a in molecule.GetAtoms()))


@lru_cache(maxsize=1024)
def _repeated(ring: RingName, times: int) -> Word:
    weight = _BENZENES[times] if ring.name == BENZENE else _ring_word(ring, 0).weight + times
    what = ring.name if _WHOLE.search(ring.name) else f"{ring.name} ring"
    return Word(f"{_COUNTS[times]} {what}s", "", weight, True)


@lru_cache(maxsize=4096)
def _implied(word: Word) -> frozenset[str]:
    """The names of all that follows from a word: what the molecule that stands for it has besides."""
    chem = part("Chem")
    for n, times in _COUNTS.items():
        if word.name.startswith(f"{times} "):
            name = re.sub(r"( ring)?s$", "", word.name.removeprefix(f"{times} "))
            fewer = {f"{_COUNTS[m]} {word.name.removeprefix(f'{times} ')}" for m in _COUNTS if m < n}
            return frozenset({name, *fewer, *_implied(_ring_word(RingName(name, 0, 0), 0))})
    if word.ring:
        smiles = several(NAMES.get(word.name) or SKELETONS.get(word.name) or ())
    else:
        smiles = tuple(group.example for group in GROUPS if group.name == word.name)
    held = [frozenset(other.name for other in words(chem.MolFromSmiles(text))) for text in smiles]
    always = frozenset.intersection(*held) if held else frozenset()
    if word.ring:  # a ring system follows from its name, whatever it is called there; groups outside of rings do not
        always |= frozenset(_GENERIC)
    return always - {word.name, *(() if word.ring else (NO_RING,))}


def _score(word: Word, here: float, others: float) -> float:
    return word.weight * here * (1 - COMMON * others)


def _chosen(ranked: list[Word], shares: dict[Word, tuple[float, float]], some: list[frozenset[Word]]) -> list[Word]:
    """The words of a title: those that say most and that, together, enough of the molecules have."""
    chosen: list[Word] = []
    said: set[str] = set()
    for word in ranked:
        here, others = shares[word]
        if here < LEAST or len(chosen) == MOST_WORDS or (chosen and _score(word, here, others) < WORTH):
            continue
        if word.name in said or any(other.name in _implied(word) for other in chosen):
            continue
        if word.name in _GENERIC and any(other.ring for other in chosen):
            continue
        if sum(one.issuperset([*chosen, word]) for one in some) >= LEAST * len(some):
            chosen.append(word)
            said |= {word.name} | _implied(word)
    return chosen


def _says_little(word: Word) -> bool:
    """Whether molecules that have this may have little else in common."""
    return word.name == NO_RING or word.name in _GENERIC or re.search(rf"\b{BENZENE}( ring)?s?$", word.name) is not None


def _sorts(
    ranked: list[Word], shares: dict[Word, tuple[float, float]], some: list[frozenset[Word]], chosen: list[Word]
) -> list[Word]:
    """Some sorts of molecules that make up enough of a set together, where what all of them have says little."""
    if not all(map(_says_little, chosen)):
        return []
    held = [word for word in chosen if word.name not in _GENERIC]
    left = [one for one in some if one.issuperset(held)]
    telling = [word for word in ranked if word.weight >= SAYS_ENOUGH and word.compounds and not _says_little(word)]
    fit = [
        word for word in telling
        if shares[word][0] >= max(OF_A_SORT, TIMES_MORE * shares[word][1])
        and not any(word.name in _implied(other) for other in held)
    ][:COMPARED]  # fmt: skip
    for count in range(2, SORTS + 1):
        best: list[Word] = []
        most = 0.0
        for sorts in combinations(fit, count):
            if any(one.name in _implied(other) for one, other in permutations(sorts, 2)):
                continue
            have = sum(not one.isdisjoint(sorts) for one in left)
            says = have * sum(_score(word, *shares[word]) for word in sorts)
            if have >= LEAST * len(some) and says > most:
                best, most = list(sorts), says
        if best:
            return best
    return []


def _title(chosen: list[Word], sorts: list[Word]) -> str:
    """The words as a title: ring systems first, but benzene, which says little, after a group."""
    if sorts:
        head = _list([word.compounds for word in sorts], "or")
        first = "acyclic " if any(word.name == NO_RING for word in chosen) else ""
        having = [_mentioned(word) for word in chosen if word.name != NO_RING]
        return _capital(f"{first}{head}{' with ' + _list(having, 'and') if having else ''}")
    if not chosen:
        return ""
    acyclic = [word for word in chosen if word.name == NO_RING]
    rest = [word for word in chosen if word.name != NO_RING]
    heads = [word for word in rest if word.ring and word.compounds and word.name != BENZENE and word.name not in _GENERIC]
    heads = heads or [word for word in rest if not word.ring] or [word for word in rest if word.compounds]
    others = [_mentioned(word) for word in rest if not heads or word is not heads[0]]
    head = heads[0].compounds if heads else "molecules"
    if acyclic:
        head = f"acyclic {head}"
    return f"{_capital(head)}{' with ' + _list(others, 'and') if others else ''}"


def _mentioned(word: Word) -> str:
    """What molecules have that have this: "a pyridine ring", "an ester", "two benzene rings"."""
    if word.ring and not word.compounds:
        return word.name
    name = f"{word.name} ring" if word.ring and not _WHOLE.search(word.name) else word.name
    return f"{_article(name)} {name}"


def _article(name: str) -> str:
    if name[:1] == "8" or name.startswith(("N-", "11-")):
        return "an"
    start = re.sub(r"^[^A-Za-z]*", "", name) if not name[:1].isdigit() else ""
    return "an" if start[:1].lower() in set("aeio") or re.match(r"un[^i]", start) else "a"


def _capital(text: str) -> str:
    at = 5 if text.startswith("tert-") else next((n for n, sign in enumerate(text) if sign.isalpha()), 0)
    return text[:at] + text[at].upper() + text[at + 1 :]


def _list(parts: list[str], last: str) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _listed(ranked: list[Word], shares: dict[Word, tuple[float, float]]) -> tuple[Share, ...]:
    """What a fair share of the molecules have, without what follows from that."""
    kept: list[Word] = []
    for word in ranked:
        here, others = shares[word]
        enough = here >= (LISTED if here >= TIMES * others else OFTEN)
        follows = any(word.name in _implied(other) and here < shares[other][0] + MORE for other in kept)
        if enough and not follows and len(kept) < MOST_LISTED:
            kept.append(word)
    return tuple(sorted((Share(_plain(word), *shares[word]) for word in kept), key=lambda row: -row.here))


def _plain(word: Word) -> str:
    return word.name if not word.ring or word.name in {NO_RING} or _WHOLE.search(word.name) else f"{word.name} ring"
