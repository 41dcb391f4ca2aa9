"""Groups of named nodes, such as regions of a brain, and what they are called: a word of their names, their side, or a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.plots.text import plain_text
from graphmeans.report.words import counted

BoolArray = NDArray[np.bool_]
#: A word is of a group if so many names have it, and no larger share of all of them; so many words are looked at.
FEWEST, MOST_OF, MOST_WORDS = 3, 0.75, 20
#: Names have sides if at least so large a share of them do, and the smaller side has so much of the larger one.
SIDED, EVEN = 0.5, 0.5
#: A group is called by what is the same to so large a share of both; so much of a word must be in a group that it helps to name.
SAME, INSIDE = 0.85, 0.8
#: So many words together name a group; so many names are listed in full, and of so many at most some; neighbours are
#: named if they are no larger a share of all; letters of a name.
JOINED, LISTED, SOME, FEW_OF, LETTERS = 3, 4, 8, 0.34, 28
_ANYWHERE = {"left": "left", "lh": "left", "right": "right", "rh": "right"}
_AT_ENDS = {**_ANYWHERE, "l": "left", "r": "right"}


class Called(NamedTuple):
    """A group of nodes, and what it is called: in a sentence, and beside another side."""

    nodes: BoolArray
    name: str
    side: str = ""

    @property
    def is_all(self) -> bool:
        """Whether these are all nodes."""
        return bool(self.nodes.all())


def side_of(name: str) -> str:
    """On which side a region is, by its name: "left", "right", or "" where that does not say so.

    Examples
    --------
    >>> [side_of(name) for name in ("Frontal_Sup_L", "RH_Default_3", "Left-Thalamus", "ctx-rh-cuneus", "L1", "Vermis")]
    ['left', 'right', 'left', 'right', '', '']
    """
    parts = [part for part in re.split(r"[\W_]+", name.lower()) if part]
    found = {_ANYWHERE[part] for part in parts if part in _ANYWHERE}
    found |= {_AT_ENDS[part] for part in (parts[:1] + parts[-1:]) if part in _AT_ENDS}
    return found.pop() if len(found) == 1 else ""


class RegionGroups:
    """The groups of nodes that words name: all nodes, each side, nodes with a common word, and these on one side.

    Parameters
    ----------
    names : sequence of str
        What the nodes are called.

    Attributes
    ----------
    groups : list of Called
        All nodes are the first.
    sides : tuple of Called
        The left and the right one; empty if the names have no sides.

    Examples
    --------
    >>> areas = ["Frontal_Sup", "Frontal_Mid", "Frontal_Inf", "Cuneus"]
    >>> [group.name for group in RegionGroups([f"{area}_{side}" for area in areas for side in "LR"]).groups]
    ['all regions', 'the left side', 'the right side', '“Frontal”', 'left “Frontal”', 'right “Frontal”']
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.groups = [Called(np.ones(len(names), dtype=bool), "all regions")]
        self.sides = self._sides()
        self.groups += self.sides
        known = {group.nodes.tobytes() for group in self.groups}
        dropped = set(_AT_ENDS) if self.sides else set()
        words = [[w for w in re.findall(r"[^\W\d_]+", name) if w.lower() not in dropped] for name in names]
        self._words: dict[str, BoolArray] = {}
        for word in dict.fromkeys(word for some in words for word in some):
            self._words[word] = np.array([word in some for some in words])
        counts = Counter({word: int(nodes.sum()) for word, nodes in self._words.items()})
        for word, count in counts.most_common():
            nodes = self._words[word]
            if not FEWEST <= count <= MOST_OF * len(names) or nodes.tobytes() in known or len(known) > 3 * MOST_WORDS:
                continue
            # Words that the same names have are one name.
            name = " ".join(w for w in words[int(nodes.argmax())] if np.array_equal(self._words[w], nodes))
            for group in (nodes, *(nodes & one.nodes for one in self.sides)):
                if group.sum() >= FEWEST and group.tobytes() not in known:
                    side = next((f"{one.side} " for one in self.sides if not (group & ~one.nodes).any()), "")
                    self.groups.append(Called(group, f"{side}“{name}”"))
                    known.add(group.tobytes())

    def _sides(self) -> tuple[Called, ...]:
        of = np.array([side_of(name) for name in self.names])
        left, right = of == "left", of == "right"
        small, large = sorted((int(left.sum()), int(right.sum())))
        if small < FEWEST or small < EVEN * large or small + large < SIDED * len(of):
            return ()
        halves = sum(bool(re.search(r"(?<![^\W_])[lr]h(?![^\W_])", name, re.IGNORECASE)) for name in self.names)
        noun = "hemisphere" if 2 * halves > small + large else "side"
        return tuple(Called(nodes, f"the {side} {noun}", side) for nodes, side in ((left, "left"), (right, "right")))

    def nearest(self, nodes: BoolArray) -> Called | None:
        """The group that can be named and is nearly the same as these nodes; None if there is none."""
        by_word = max(self.groups, key=lambda group: _alike(group.nodes, nodes))
        if _alike(by_word.nodes, nodes) >= SAME:
            return by_word
        few = np.flatnonzero(nodes).tolist()
        if (found := self._joined(nodes)) is not None:
            return found
        if len(few) <= LISTED:
            return Called(nodes, " + ".join(map(self._short, few)))
        if (found := self._neighbours(nodes)) is not None or len(few) > SOME:
            return found
        shown = [*map(self._short, few[: LISTED - 1]), counted(len(few) - LISTED + 1, "other")]
        return Called(nodes, " + ".join(shown))

    def _joined(self, nodes: BoolArray) -> Called | None:
        """A few words that these nodes have, and hardly any others; fewer than there are nodes."""
        union, chosen = np.zeros_like(nodes), list[str]()
        for _ in range(min(JOINED, int(nodes.sum()) - 1)):
            inside = {w: has for w, has in self._words.items() if (has & nodes).sum() >= INSIDE * has.sum()}
            word = max(inside, key=lambda w: int((inside[w] & nodes & ~union).sum()), default=None)
            if word is None or not (inside[word] & ~union).any():
                break
            union, chosen = union | inside[word], [*chosen, word]
            if _alike(union, nodes) >= SAME:
                return Called(union, " + ".join(f"“{word}”" for word in chosen))
        return None

    def _neighbours(self, nodes: BoolArray) -> Called | None:
        """Nodes that follow each other, from one to another."""
        gains, best, first, total = np.where(nodes, 1, -1).tolist(), (0, 0, 0), 0, 0
        for i, gain in enumerate(gains):
            first, total = (i, gain) if total <= 0 else (first, total + gain)
            best = max(best, (total, first, i + 1), key=lambda run: run[0])
        run = (np.arange(len(nodes)) >= best[1]) & (np.arange(len(nodes)) < best[2])
        if _alike(run, nodes) < SAME or run.sum() > FEW_OF * len(run):
            return None
        return Called(run, f"{self._short(best[1])} … {self._short(best[2] - 1)} ({counted(best[2] - best[1], 'region')})")

    def _short(self, node: int) -> str:
        return plain_text(self.names[node], LETTERS)


def between(one: Called, other: Called, directed: bool, sides: str = "") -> str:
    """What the connections between two groups are called; "" if these are all connections.

    They may be those on the "same" of two `sides` only, or to the "other" one.

    Examples
    --------
    >>> first, second = Called(np.array([True, False]), "a"), Called(np.array([False, True]), "b")
    >>> both = Called(np.array([True, True]), "all")
    >>> between(second, first, False), between(second, first, True), between(first, first, False), between(both, first, False)
    ('between a and b', 'from b to a', 'within a', 'of a with all')
    >>> between(first, first, False, "same"), between(first, both, False, "other"), between(both, both, False, "same")
    ('within a, on the same side', 'of a with the other side', 'within either side')
    """
    if one.is_all and other.is_all:
        return "within either side" if sides == "same" else ""
    apart = {"": "", "same": ", on the same side", "other": ", across sides"}[sides]
    if np.array_equal(one.nodes, other.nodes):
        return f"within {one.name}{apart}"
    if directed:
        return f"from {one.name} to {other.name}{apart}"
    if one.is_all or other.is_all:
        part, whole = (other, one) if one.is_all else (one, other)
        return f"of {part.name} with {({'same': 'its own side', 'other': 'the other side'}).get(sides, whole.name)}"
    one, other = sorted((one, other), key=lambda group: int(group.nodes.argmax()))
    return f"between {one.side} and {other.side}" if one.side and other.side else f"between {one.name} and {other.name}{apart}"


def _alike(one: BoolArray, other: BoolArray) -> float:
    """The share of the nodes of either group that both have."""
    return float((one & other).sum() / max((one | other).sum(), 1))
