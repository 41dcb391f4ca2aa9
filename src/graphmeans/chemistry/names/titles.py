"""Titles of sets of molecules, chosen beside each other: what most molecules of each are, in words, and by what they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from graphmeans.chemistry.names.linkers import ARYL
from graphmeans.chemistry.names.words import (
    AROMATIC,
    BENZENE,
    GENERIC,
    NO_RING,
    PHENYL,
    Word,
    capital,
    exact_counts,
    held,
    implied,
    in_a_row,
    mentioned,
    rings_of,
    says_little,
    with_oxo,
    words,
)  # fmt: skip
from graphmeans.chemistry.toolkit import part

#: A title is true of at least this share of the molecules, word for word and in all; so many words are in it at most.
LEAST, MOST_WORDS = 0.6, 3
#: Where no such title says much, two sorts of one kind are named that make up as large a share together: each with at least this
#: share, which is so many times that in other sets; so many are compared, and none that says less than this.
OF_A_SORT, TIMES_MORE, COMPARED, SAYS_ENOUGH = 0.2, 2.0, 8, 3.5
#: Sorts that are so many times as frequent as elsewhere are named without the benzene ring that enough molecules have.
RARE = 5.0
#: Or else the most frequent sorts, at most so many with at least this share, or the smaller one where no size can be told; of
#: the molecules of each, so many are what the title says besides. One that the first molecule is of comes first if it is so many
#: times as frequent as the first of them.
EXAMPLES, OF_AN_EXAMPLE, NEARLY_ALL, AS_FREQUENT = 2, 0.2, 0.8, 0.75
#: Of all molecules, so many are of one of these sorts, or none is named; groups among them say at least so much.
OF_EXAMPLES, TELLING_GROUP = 0.4, 4.5
#: A sort that less than this share have is only named if so many molecules are of it.
OFTEN, FEWEST = 0.3, 5
#: Where nothing is common to enough molecules, it is said that benzene rings are missing that no more than this share have, but
#: at least so many of the others.
MISSING, ELSEWHERE = 0.05, 0.5
#: Of fewer molecules shares are told as counts.
FEW = 20
#: How much less a word says if all other molecules have it, too; and what it must say to be added to a title.
COMMON, WORTH = 0.8, 0.9
#: A number of rings is told as one number, or as one of two that follow each other; molecules that have nothing else in common
#: are only called by it if so many have it.
MOST_NUMBERS, RINGS_ALONE = 2, 0.8
#: Longer titles name one sort only.
LONG = 64
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Counted(NamedTuple):
    """What is known of a molecule: the words that are true of it, how many rings it has, and its molar mass."""

    words: frozenset[Word]
    rings: int
    mass: float


def counted(molecule: Any) -> Counted:
    """Count a molecule."""
    found = words(molecule)
    if not found:  # RDKit has not sanitised it
        return Counted(found, 0, 0.0)
    return Counted(found, int(molecule.GetRingInfo().NumRings()), float(part("Chem.Descriptors").MolWt(molecule)))


class Titled:
    """A set of molecules with its title; `title_all` makes these beside each other."""

    def __init__(self, some: list[Counted], together: Counter[Word], total: int) -> None:
        self.some = some
        rest = total - len(some)
        counts = Counter(word for one in some for word in one.words)
        self.shares = {
            word: (n / len(some), (together[word] - n) / rest if rest else 0.0) for word, n in counts.items()
        }  # fmt: skip
        saying = [word for word in self.shares if word.weight]
        self.ranked = sorted(saying, key=lambda word: (-score(word, *self.shares[word]), word.name))
        self.missing: list[Word] = []
        self.rings: tuple[int, int] | None = None  # how many rings the molecules have, from and to
        self.mass: float | None = None  # the median molar mass
        chosen = self._common()
        self.chosen, self.sorts = self._sorts(chosen)
        self._count_exactly()
        self._take_oxo_forms()
        benzene = next((word for word in together if word.name == BENZENE), None)
        if benzene and self.mixed and rest and self.shares.get(benzene, (0.0, 0.0))[0] <= MISSING:
            here = sum(benzene in one.words for one in some)
            self.missing = [benzene] * ((together[benzene] - here) / rest >= ELSEWHERE)
        told = any(word.compounds and not says_little(word) for word in self.chosen)
        self.examples = [] if self.sorts or told else self._examples()

    # -- what is said ------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The title in words."""
        return self._text(self.examples) if self.shares else ""

    @property
    def lead(self) -> str:
        """What the share of the title is about: all of it but the examples; empty for mixed molecules."""
        if self.mixed:
            return ""
        if self.missing:
            return f"molecules without {PHENYL}s"
        plain = _phrase(self.chosen, self.sorts)
        if self.rings is None:
            return plain
        low, high = self.rings
        number = f"{_number(low)} or {_number(high)}" if low < high else _number(low)
        rings = f"{number} ring{'s' if high > 1 else ''}"
        if " with " in plain:
            return f"{plain}, {rings} in all"
        return f"{plain.replace(' ring compounds', ' compounds')} with {rings}"

    def _text(self, examples: list[Word]) -> str:
        """What most molecules have, then the shares of examples, and the molar mass."""
        told = [self._told(word) for word in sorted(examples, key=lambda word: (-self.shares[word][0], word.name))]
        if self.mass is not None:
            alike = {round(one.mass) for one in self.some} == {round(self.mass)}
            told.append(f"{'' if alike else 'about '}{self.mass:.0f} g/mol")
        if self.missing:
            plain = f"mixed, without {PHENYL}s"
        elif self.mixed:
            plain = "mixed" if examples else "mixed molecules"
        else:
            plain = self.lead.removeprefix("molecules with " if told else "")
        return capital(", ".join([plain, *told]))

    def _told(self, word: Word) -> str:
        """An example with its share: as one of the kind that most are of, or as what molecules have besides."""
        generic = {other.name for other in self.chosen if other.name in GENERIC}
        is_one = not word.ring or (bool(generic) and generic <= held(word)) or not self.chosen
        count, of = round(self.shares[word][0] * len(self.some)), len(self.some)
        share = f"{count} of {of}{' are' if is_one else ''}" if of < FEW else f"{round(100 * count / of)}%"
        return f"{share} {word.compounds if is_one else f'with {mentioned(word)}'}"

    @property
    def says(self) -> tuple[frozenset[Word], ...]:
        """What the title says, whatever the order of its words."""
        return frozenset(self.chosen), frozenset(self.sorts), frozenset(self.examples), frozenset(self.missing)

    @property
    def says_little(self) -> bool:
        """Whether the title names no kind of molecules but one that may be anything."""
        return not self.sorts and not self.examples and all(map(says_little, self.chosen))

    @property
    def mixed(self) -> bool:
        """Whether nothing is true of enough molecules."""
        return not self.chosen and not self.sorts and not self.missing and self.rings is None

    def fitting(self, some: list[Counted]) -> int:
        """How many of these molecules are what the title says."""
        return sum(self._fits(one) for one in some)

    def _fits(self, one: Counted) -> bool:
        rings = self.rings is None or self.rings[0] <= one.rings <= self.rings[1]
        sort = not self.sorts or not one.words.isdisjoint(self.sorts)
        return rings and sort and one.words.issuperset(self.chosen) and one.words.isdisjoint(self.missing)

    # -- what is chosen ----------------------------------------------------------------------------

    def _common(self) -> list[Word]:
        """The words that say most and that, together, enough of the molecules have."""
        chosen: list[Word] = []
        said: set[str] = set()
        for word in self.ranked:
            here, others = self.shares[word]
            if here < LEAST or len(chosen) == MOST_WORDS or (chosen and score(word, here, others) < WORTH):
                continue
            if word.name in said or any(other.name in implied(word) for other in chosen):
                continue
            beside = [other for other in chosen if other.ring and other.name != BENZENE]
            if beside and (word.name in GENERIC or word.name == ARYL):
                continue
            if self._have([*chosen, word]) >= LEAST * len(self.some):
                chosen.append(word)
                said |= {word.name} | implied(word)
        return chosen

    def _have(self, chosen: list[Word]) -> int:
        return sum(one.words.issuperset(chosen) for one in self.some)

    def _count_exactly(self) -> None:
        """Say the true number of ring systems, where enough of the molecules have as many."""
        for n, word in enumerate(self.chosen):
            for name in exact_counts(word):
                exact = [*self.chosen[:n], Word(name, "", 0.0, True), *self.chosen[n + 1 :]]
                if self._have(exact) >= LEAST * len(self.some):
                    self.chosen = exact

    def _take_oxo_forms(self) -> None:
        """Include ring systems with oxygen bound to them doubly, if the molecule that stands for all has one of these instead."""
        for n, word in enumerate(self.chosen):
            oxo = with_oxo(word.name)
            if word.ring and self.some and word not in self.some[0].words and oxo in self.some[0].words:
                self.chosen[n] = oxo

    def _sorts(self, chosen: list[Word]) -> tuple[list[Word], list[Word]]:
        """Two ring systems, or two functional groups, that make up enough together, where none of a kind is common.

        They are returned with the words of the title that are said of them besides.
        """
        if any(word.ring and not says_little(word) for word in chosen):
            return chosen, []
        groups = all(map(says_little, chosen)) and not any(word.name in GENERIC for word in chosen)
        held = [word for word in chosen if word.name not in (*GENERIC, ARYL)][: MOST_WORDS - 2]
        for beside in [held, []] if groups else [held]:
            found = self._two([True, False] if groups else [True], beside)
            # That nearly all have a benzene ring, say, is only left out for sorts that hardly any others are of.
            if not beside and held and any(self.shares[word][0] < RARE * self.shares[word][1] for word in found):
                continue
            if found:  # an aromatic heterocycle, say, is not named beside several sorts of them
                return beside, found
        return chosen, []

    def _two(self, kinds: list[bool], held: list[Word]) -> list[Word]:
        left = [one for one in self.some if one.words.issuperset(held)]
        fit = [word for word in self._telling(OF_A_SORT) if not any(word.name in implied(other) for other in held)][:COMPARED]
        best: list[Word] = []
        most = 0.0
        for sorts in combinations(fit, 2):
            if sorts[0].ring != sorts[1].ring or sorts[0].ring not in kinds:
                continue
            if any(one.name in implied(other) for one, other in permutations(sorts, 2)):
                continue
            have = sum(not one.words.isdisjoint(sorts) for one in left)
            says = have * sum(score(word, *self.shares[word]) for word in sorts)
            if have >= LEAST * len(self.some) and says > most:
                best, most = list(sorts), says
        return sorted(best, key=lambda word: (-self.shares[word][0], word.name))

    def _telling(self, least: float) -> list[Word]:
        """Words that say much, and that are clearly more frequent here than elsewhere."""
        return [
            word for word in self.ranked
            if word.weight >= SAYS_ENOUGH and word.compounds and not says_little(word)
            and self.shares[word][0] >= max(least, TIMES_MORE * self.shares[word][1])
        ]  # fmt: skip

    def _examples(self) -> list[Word]:
        """The most frequent sorts of what the title says: ring systems, or functional groups; of mixed molecules both."""
        found: list[Word] = []
        telling = [
            word for word in self._telling(OF_AN_EXAMPLE)
            if self._is_frequent(self.shares[word][0]) and (word.ring or word.weight >= TELLING_GROUP)
        ]  # fmt: skip
        if [word.name for word in self.chosen] == [BENZENE]:  # groups say what kind of benzene derivatives these are
            telling.sort(key=lambda word: word.ring)
        enough = AS_FREQUENT * self.shares[telling[0]][0] if telling else 0.0
        telling.sort(key=lambda word: word not in self.some[0].words or self.shares[word][0] < enough)
        for word in telling:
            if len(found) == EXAMPLES or (found and self.chosen and word.ring != found[0].ring):
                continue
            having = [one for one in self.some if word in one.words]
            fits = self._have_all(having) >= NEARLY_ALL * len(having)
            follows = any(word.name in implied(other) or other.name in implied(word) for other in found)
            # Where most diphenylmethanes are triphenylmethanes, these are named.
            narrower = any(
                word.name in implied(other) and self.shares[other][0] >= LEAST * self.shares[word][0] for other in telling
            )
            if fits and not follows and not narrower:
                found.append(word)
        while len(found) > 1 and len(self._text(found)) > LONG:
            found.pop()
        of_one = sum(not one.words.isdisjoint(found) for one in self.some)
        return found if of_one >= OF_EXAMPLES * len(self.some) else []

    def _is_frequent(self, here: float) -> bool:
        return here >= OFTEN or here * len(self.some) >= FEWEST

    def _have_all(self, some: list[Counted]) -> int:
        return sum(one.words.issuperset(self.chosen) for one in some)

    # -- what differs ------------------------------------------------------------------------------

    def add_what_differs(self, twins: list[Titled]) -> bool:
        """Add to the title a word that is true of enough molecules here, and of few where the title is the same."""
        for word in self.ranked:
            seldom = all(twin.shares.get(word, (0.0, 0.0))[0] * TIMES_MORE <= self.shares[word][0] for twin in twins)
            follows = any(word.name in implied(other) for other in self.chosen)
            if seldom and not follows and word.name not in GENERIC and self.shares[word][0] >= LEAST:
                self.chosen.append(word)
                if self.fitting(self.some) >= LEAST * len(self.some):
                    self.examples = []
                    return True
                self.chosen.pop()
        return False

    def add_rings(self) -> None:
        """Add to the title how many rings enough of the molecules have, where it does not say that already."""
        if self.missing or any(word.name == NO_RING for word in self.chosen):
            return
        alone = self.mixed
        if alone:
            self.chosen = [word for word in self.shares if word.name == AROMATIC and self.shares[word][0] >= LEAST]
        counts = Counter(one.rings for one in self.some if one.words.issuperset(self.chosen))
        least = (RINGS_ALONE if alone else LEAST) * len(self.some)
        found = None
        for n in range(MOST_NUMBERS):
            ways = [(low, low + n) for low in counts if low > 0 and sum(counts[low + i] for i in range(n + 1)) >= least]
            if ways:
                found = max(ways, key=lambda way: (sum(counts[m] for m in range(way[0], way[1] + 1)), -way[0]))
                break
        if found is None and alone:
            self.chosen = []
        elif found is not None and (alone or found[0] != self._said_rings()):
            self.rings = found

    def _said_rings(self) -> int:
        """How many rings the title speaks of, if that is two or more."""
        said = sum(map(rings_of, self.chosen))
        return said if said > 1 else 0

    def add_mass(self) -> None:
        """Add to the title the median molar mass."""
        self.mass = float(np.median([one.mass for one in self.some]))


def title_all(held: Sequence[list[Counted]]) -> list[Titled]:
    """Give each set a title; where two would have the same, with a word or the molar mass by which they differ.

    Titles that say little name the number of rings and the molar mass besides.
    """
    together = Counter(word for some in held for one in some for word in one.words)
    total = sum(map(len, held))
    found = [Titled(some, together, total) for some in held]
    for twins in _alike(found, lambda one: one.says):
        for one in twins:
            one.add_what_differs([other for other in twins if other is not one])
    for one in found:
        if one.shares and one.says_little:
            one.add_rings()
            one.add_mass()
    for twins in _alike(found, lambda one: one.title):
        for one in twins:
            one.add_mass()
    return found


def _alike(found: list[Titled], by: Callable[[Titled], Hashable]) -> list[list[Titled]]:
    """Sets whose titles are the same."""
    groups: dict[Hashable, list[Titled]] = {}
    for one in found:
        if one.shares:
            groups.setdefault(by(one), []).append(one)
    return [twins for twins in groups.values() if len(twins) > 1]


def score(word: Word, here: float, others: float) -> float:
    """How much a word says of molecules that have it as often."""
    return word.weight * here * (1 - COMMON * others)


def _phrase(chosen: list[Word], sorts: list[Word]) -> str:
    """What molecules are called: ring systems first, but benzene, which says little, after a group."""
    first = "acyclic " if any(word.name == NO_RING for word in chosen) else ""
    rest = [word for word in chosen if word.name != NO_RING]
    if sorts:
        head, others = in_a_row([word.compounds for word in sorts], "or"), rest
    elif not rest:
        return "acyclic molecules"
    else:
        heads = [word for word in rest if word.ring and word.compounds and not says_little(word)]
        heads = heads or [word for word in rest if not word.ring] or [word for word in rest if word.compounds]
        head = heads[0].compounds if heads else "molecules"
        others = [word for word in rest if not heads or word is not heads[0]]
    having = f" with {in_a_row(list(map(mentioned, others)), 'and')}" if others else ""
    return f"{first}{_without_prefix(head, first)}{having}"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _without_prefix(head: str, first: str) -> str:
    return re.sub("^acyclic ", "", head) if first else head
