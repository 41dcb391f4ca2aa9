"""Which groups of connections set a cluster of networks apart, and what these groups are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.plots.text import plain_text
from graphmeans.report.words import counted

BoolArray = NDArray[np.bool_]
#: Groups of connections that a card tells of; each says at least this share of what the first says.
GROUPS, WORTH = 3, 0.4
#: Groups that no words name are told if they say so many times as much as those with names.
UNNAMED = 1.3
#: Words that more names have than this share, such as sides, are left out where regions are listed; a group is called by a word
#: if so large a share of both is the same; so many names are listed, of so many letters.
USUAL, SAME, LISTED, LETTERS = 0.3, 0.85, 2, 28
#: How often a block is improved at most, and from how many columns that is begun.
ROUNDS, COLUMNS = 12, 3


class GroupContrast(NamedTuple):
    """Connections between two groups of nodes, by how much they differ on average, and which they are."""

    between: str
    difference: float
    where: Any


def group_contrasts(names: Sequence[str], differences: FloatArray, directed: bool) -> list[GroupContrast]:
    """Which groups of connections differ most as a whole.

    Groups are nodes whose names share a word, or where that says much more, the rows and columns of the block of the matrix that
    stands out most. What one group explains is left out before the next is sought.

    Examples
    --------
    >>> differences = np.zeros((8, 8))
    >>> differences[:3, 5:] = differences[5:, :3] = 0.5
    >>> [found.between for found in group_contrasts("abcdefgh", differences, False)]
    ['between a, b, … (3 regions) and f, g, … (3 regions)']
    """
    words = _Words(names)
    rest, found, first = differences * (1.0 - np.eye(len(names))), [], 0.0
    for _ in range(GROUPS):
        worth, rows, columns = words.best(rest, directed)
        free = best_block(rest, directed)
        if free[0] > UNNAMED * worth:
            worth, rows, columns = free
        first = first or worth
        if worth <= max(WORTH * first, 1e-12):
            break
        block = np.outer(rows, columns)
        block = (block if directed else block | block.T) & ~np.eye(len(names), dtype=bool)
        whole, left = float(differences[block].mean()), float(rest[block].mean())
        if whole * left > 0 and abs(whole) >= 0.5 * abs(left):  # told is what is true of all of these connections
            found.append(GroupContrast(words.between(rows, columns), whole, block))
        rest = np.where(block, rest - left, rest)
    return found


def best_block(values: FloatArray, directed: bool) -> tuple[float, BoolArray, BoolArray]:
    """A block whose sum, by the square root of its size, is large, whatever its sign; how large that is, its rows and columns.

    Rows and columns are improved in turn, from the largest columns and from the first singular vector. If connections are not
    `directed`, each of them is counted once.

    Examples
    --------
    >>> values = np.zeros((6, 6))
    >>> values[:2, 3:] = -1.0
    >>> worth, rows, columns = best_block(values, directed=True)
    >>> rows.tolist(), columns.tolist()
    ([True, True, False, False, False, False], [False, False, False, True, True, True])
    """
    size = len(values)
    best: tuple[float, BoolArray, BoolArray] = (0.0, np.zeros(size, dtype=bool), np.zeros(size, dtype=bool))
    if not values.any():
        return best
    strength = np.einsum("ij,ij->j", values, values)
    vector = strength.copy()
    for _ in range(ROUNDS):
        vector = values.T @ (values @ vector)
        vector /= max(float(np.abs(vector).max()), 1e-300)
    starts = [np.arange(size) == j for j in np.argsort(-strength, kind="stable")[:COLUMNS]]
    starts += [start for start in (vector > 0.5, vector < -0.5) if start.any()]
    for sign in (1.0, -1.0):
        signed = sign * values
        for start in starts:
            rows, columns, worth = start, start, 0.0
            for _ in range(ROUNDS):
                more = _largest(signed[:, columns].sum(axis=1))[1]
                gained, others = _largest(signed[more].sum(axis=0))
                gained /= float(np.sqrt(more.sum()))
                if gained <= worth * (1 + 1e-9):
                    break
                worth, rows, columns = gained, more, others
            worth = float(_worth(values, rows[None], columns[None], directed)[0, 0])
            if worth > best[0] * (1 + 1e-9):
                best = (worth, rows, columns)
    return best


def _worth(values: FloatArray, rows: BoolArray, columns: BoolArray, directed: bool) -> FloatArray:
    """For each group of `rows` and each of `columns`: the sum of their connections by the square root of their number."""
    one, other = rows.astype(np.float64), columns.astype(np.float64)
    both = one @ other.T
    sums, counts = one @ values @ other.T, np.outer(one.sum(axis=1), other.sum(axis=1)) - both  # without the diagonal
    if not directed:  # what lies within both groups would be counted twice
        for a, b in np.argwhere(both > 0).tolist():
            within = rows[a] & columns[b]
            sums[a, b] -= values[np.ix_(within, within)].sum() / 2
        counts -= both * (both - 1) / 2
    return np.asarray(np.abs(sums) / np.sqrt(np.maximum(counts, 1.0)))


def _largest(sums: FloatArray) -> tuple[float, BoolArray]:
    """Of the largest sums so many that their total by the square root of their number is largest; and how large that is."""
    order = np.argsort(-sums, kind="stable")
    totals = np.cumsum(sums[order]) / np.sqrt(np.arange(1, len(sums) + 1))
    count = int(totals.argmax()) + 1
    chosen = np.zeros(len(sums), dtype=bool)
    chosen[order[:count]] = True
    return float(totals[count - 1]), chosen


class _Words:
    """The words in the names of the nodes, which nodes have them, and what a group of nodes is called."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.words = [re.findall(r"[^\W\d_]+", name) for name in names]
        self.counts = Counter(word for some in self.words for word in set(some))
        every = sorted(word for word, count in self.counts.items() if 3 <= count <= 0.75 * len(names))[:200]
        self.every = every
        self.has = np.array([[word in some for some in self.words] for word in every], dtype=bool).reshape(len(every), len(names))

    def best(self, rest: FloatArray, directed: bool) -> tuple[float, BoolArray, BoolArray]:
        """The two words whose connections differ most as a whole, as the nodes that have them; and how much."""
        if not self.every:
            none = np.zeros(len(self.names), dtype=bool)
            return 0.0, none, none
        worth = _worth(rest, self.has, self.has, directed)
        if not directed:
            worth = np.triu(worth)
        a, b = divmod(int(worth.argmax()), len(self.every))
        return float(worth[a, b]), self.has[a], self.has[b]

    def between(self, rows: BoolArray, columns: BoolArray) -> str:
        """What the connections between two groups are called."""
        if (rows == columns).all():
            return f"within {self.called(rows)}"
        groups = sorted((rows, columns), key=lambda group: int(group.argmax()))
        called = [self.called(group) for group in groups]
        if called[0] == called[1]:  # then whole names tell them apart
            called = [self.called(group, whole=True) for group in groups]
        return f"between {called[0]} and {called[1]}"

    def called(self, group: BoolArray, whole: bool = False) -> str:
        """A group of nodes by a word that they share and hardly another has, or by some of their names, perhaps `whole`."""
        same = (self.has & group).sum(axis=1) / np.maximum((self.has | group).sum(axis=1), 1)
        if len(same) and same.max() >= SAME:
            return f"“{self.every[int(same.argmax())]}”"
        chosen = np.flatnonzero(group).tolist()
        few = list(dict.fromkeys(plain_text(self.names[i], LETTERS) if whole else self._stem(i) for i in chosen))
        listed = ", ".join(few[:LISTED])
        if len(few) == len(chosen) <= LISTED:
            return listed
        return f"{listed}{', …' if len(few) > LISTED else ''} ({counted(len(chosen), 'region')})"

    def _stem(self, node: int) -> str:
        """The name of a node without its usual words, such as left and right, and numbers; the whole name if nothing is left."""
        usual = USUAL * len(self.names)
        kept = [word for word in self.words[node] if self.counts[word] <= usual]
        return plain_text(" ".join(kept) or self.names[node], LETTERS)
