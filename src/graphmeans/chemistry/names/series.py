"""A name for each of several sets of molecules: a title, its share, and which words are true of how many of the molecules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from graphmeans.chemistry.names.chains import Joined, joined_by
from graphmeans.chemistry.names.titles import LEAST, Titled, counted, title_all
from graphmeans.chemistry.names.words import PHENYL, Word, implied, listed_as, words

#: What is listed is true of at least the first share and, below the second, of so many times as many as elsewhere; so many
#: are listed at most.
LISTED, OFTEN, TIMES, MOST_LISTED = 0.1, 0.3, 1.5, 6
#: What is not in the title is only listed if the share is larger than that of others by this.
DISTINCT = 0.05
#: What joins two benzene rings is told from this share.
OF_A_LINKER = 0.05
#: Where so many have two benzene rings, it is told how far apart these are: in the middle half of them.
TWO_RINGS, MIDDLE = 0.5, (0.25, 0.75)
#: So many are told that say most of what sets a set apart, and so many that are frequent at all.
MOST_APART, MOST_FREQUENT, LEAST_APART, FEWEST_APART = 3, 12, 0.05, 2
#: From which difference of shares two sets are said to differ.
APART = 0.15
#: What follows from another word is only listed if the share that has it is larger by this.
MORE = 0.1


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
        What the molecules are called, such as "Quinolines with a carboxylic acid"; it begins with "Mixed" if nothing that has a
        name here is common to 60 % of them, and is empty only if nothing is known of any of them.
    share : float
        The share of the molecules that are what the title says before its examples, which have shares of their own; 0 for mixed
        ones.
    others : float
        The share of the molecules of other clusters that are what it says.
    words : tuple of (str, float, float)
        Ring systems and functional groups that a fair share of the molecules have, with their shares here and in other
        clusters, the most frequent first.
    lead : str
        What that share is about, in words: the title without examples, such as "acyclic molecules".
    medoid : bool
        Whether the first of the molecules, which stands for all, is that.
    joined : tuple of (str, float)
        Where most molecules have two benzene rings: what joins the nearest two in which share, the most frequent first.
    apart : tuple of (str, float, float)
        What is not in the title and says most about what the molecules have and others have more seldom: at least a
        twentieth of them and two molecules have it, one and a half times as often as others and by a twentieth of all more often.
    frequent : tuple of (str, float, float)
        The ring systems and functional groups that at least a twentieth of the molecules have, the most frequent first, whether
        others have them or not.
    phenyls : tuple of (float, int, int), optional
        Where half of the molecules have two benzene rings that are not fused: the share that have, and how many atoms lie
        between the nearest two in the middle half of these, from and to; those joined over several molecules are left out.
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
    lead: str = ""
    medoid: bool = True
    joined: tuple[tuple[str, float], ...] = ()
    apart: tuple[Share, ...] = ()
    frequent: tuple[Share, ...] = ()
    phenyls: tuple[float, int, int] | None = None
    counted: dict[Word, float] = field(default_factory=dict, repr=False, compare=False)


def name_series(sets: Sequence[Sequence[Any]]) -> list[SeriesName]:
    """Name each set of molecules by what most of its molecules have, and the molecules of the other sets more seldom."""
    found = title_all([[counted(molecule) for molecule in molecules] for molecules in sets])
    total = sum(len(one.some) for one in found)
    return [_name(one, found, total, molecules) for one, molecules in zip(found, sets, strict=True)]


def _name(one: Titled, every: list[Titled], total: int, molecules: Sequence[Any]) -> SeriesName:
    rest = total - len(one.some)
    named = bool(one.title) and not one.mixed
    have, everywhere = one.fitting(one.some), sum(one.fitting(other.some) for other in every)
    joined = _found_joined(one, molecules)
    return SeriesName(
        one.title, have / len(one.some) if named else 0.0, (everywhere - have) / rest if rest and named else 0.0,
        _listed(one), one.lead, not named or bool(one.fitting(one.some[:1])), _joined(one, joined),
        _apart(one), _frequent(one), _phenyls(one, joined),
        {word: here for word, (here, _) in one.shares.items() if word.weight},
    )  # fmt: skip


def set_apart(one: SeriesName, other: SeriesName, most: int = 6) -> list[Share]:
    """In what two sets of molecules differ most: words with their shares in the one and in the other."""
    def apart(word: Word) -> float:
        return one.counted.get(word, 0.0) - other.counted.get(word, 0.0)

    every = sorted(one.counted.keys() | other.counted.keys(), key=lambda word: (-word.weight * abs(apart(word)), word.name))
    kept: list[Word] = []
    for word in every:
        follows = any(
            word.name in implied(known) and apart(word) * apart(known) > 0 and abs(apart(word)) < abs(apart(known)) + MORE
            for known in kept
        )  # fmt: skip
        if abs(apart(word)) >= APART and not follows and len(kept) < most:
            kept.append(word)
    return [Share(listed_as(word), one.counted.get(word, 0.0), other.counted.get(word, 0.0)) for word in kept]


def _two_phenyls(one: Titled) -> float:
    """The share of the molecules that have two benzene rings, none of them fused."""
    return sum(here for word, (here, _) in one.shares.items() if word.name == f"two or more {PHENYL}s")


def _found_joined(one: Titled, molecules: Sequence[Any]) -> list[Joined]:
    """What joins the nearest two benzene rings of each molecule that has two, where many have."""
    if _two_phenyls(one) < TWO_RINGS:
        return []
    pairs = [
        molecule for molecule, known in zip(molecules, one.some, strict=True)
        if any(word.name == f"two or more {PHENYL}s" for word in known.words)
    ]  # fmt: skip
    return [found for molecule in pairs if (found := joined_by(molecule)) is not None]


def _phenyls(one: Titled, joined: list[Joined]) -> tuple[float, int, int] | None:
    """How many molecules have two benzene rings, and how many atoms lie between these in the middle half of them."""
    if not joined:
        return None
    low, high = np.quantile([row.between for row in joined], MIDDLE, method="nearest")
    return _two_phenyls(one), int(low), int(high)


def _apart(one: Titled) -> tuple[Share, ...]:
    """What the title does not say, and what says most of what the molecules have and others have more seldom."""
    said = [*one.chosen, *one.sorts, *one.examples]
    follows_from_said = {name for word in said for name in (word.name, *implied(word))}
    found: list[Word] = []
    ranked = sorted(one.ranked, key=lambda word: (-word.weight * (one.shares[word][0] - one.shares[word][1]), word.name))
    for word in ranked:
        here, others = one.shares[word]
        several = round(here * len(one.some)) >= min(FEWEST_APART, len(one.some))
        enough = several and here >= max(LEAST_APART, TIMES * others) and here >= others + DISTINCT
        near = [other for other in (*said, *found) if word.name in implied(other) or other.name in implied(word)]
        follows = any(abs(here - one.shares.get(other, (here, 0.0))[0]) < MORE for other in near)
        if enough and word.name not in follows_from_said and not follows and len(found) < MOST_APART:
            found.append(word)
    return tuple(sorted((Share(listed_as(word), *one.shares[word]) for word in found), key=lambda row: -row.here))


def _frequent(one: Titled) -> tuple[Share, ...]:
    """What at least a twentieth of the molecules have, and does not follow from something that as many have."""
    ranked = sorted(one.ranked, key=lambda word: (-one.shares[word][0], -word.weight, word.name))
    fewest = max(LEAST_APART * len(one.some), min(FEWEST_APART, len(one.some)))
    often = [word for word in ranked if round(one.shares[word][0] * len(one.some)) >= fewest]
    kept = [
        word for word in often
        if not any(word.name in implied(other) and one.shares[word][0] < one.shares[other][0] + DISTINCT for other in often)
    ]  # fmt: skip
    return tuple(Share(listed_as(word), *one.shares[word]) for word in kept[:MOST_FREQUENT])


def _joined(one: Titled, joined: list[Joined]) -> tuple[tuple[str, float], ...]:
    """What joins two benzene rings, where most molecules have two of them and several things do."""
    of = len(one.some)
    if _two_phenyls(one) < LEAST:
        return ()
    told: Counter[str] = Counter()
    counts = Counter((row.what, row.written) for row in joined)
    for (what, atoms), count in counts.items():  # chains that few have are told by their length
        rare = atoms and count < OF_A_LINKER * of
        told[f"other chains of {atoms} atoms" if rare and atoms > 1 else "another atom" if rare else what] += count
    often = [(what, count / of) for what, count in told.items() if count >= OF_A_LINKER * of]
    often.sort(key=lambda row: (-row[1], row[0]))
    return tuple(often[:MOST_LISTED]) if len(often) > 1 else ()


def _listed(one: Titled) -> tuple[Share, ...]:
    """What the title says, with the share of each word, and what else a fair share of the molecules have."""
    kept = [*one.chosen, *one.sorts, *one.examples]
    for word in one.ranked:
        here, others = one.shares[word]
        enough = here >= (LISTED if here >= TIMES * others else OFTEN) and here >= others + DISTINCT
        follows = any(word.name in implied(other) and here < one.shares[other][0] + MORE for other in kept)
        if enough and word not in kept and not follows and len(kept) < MOST_LISTED:
            kept.append(word)
    return tuple(sorted((Share(listed_as(word), *one.shares[word]) for word in kept), key=lambda row: -row.here))


__all__ = ["LEAST", "SeriesName", "Share", "name_series", "set_apart", "words"]
