"""Which groups of connections set a cluster of networks apart, and what these groups are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.report.cards.region_words import RegionGroups, between

BoolArray = NDArray[np.bool_]
#: Groups of connections that are told; each says at least this share of what the first says.
GROUPS, WORTH = 3, 0.25
#: So large a share of a group is in none that was told before; and all of it differs by so much of what these connections do.
NEW, WHOLE = 1 / 3, 0.5
#: A block that no single word names is told if it says so many times as much; nothing is told if it says so much more than all
#: blocks that have names.
UNNAMED, LOST = 1.15, 2.0
#: Of blocks that say nearly as much, one in another, the larger is told if the rest differs by at least this share of what the
#: smaller one does, both beside how strong connections are there; so many blocks are looked at.
NEARLY, EVENLY, MOST_NEAR = 0.65, 0.5, 80
#: So many standard deviations of a chance sum are told, or so large a share of all differences; the same of blocks
#: that were sought among all sets of rows and columns; with a name a block says so much of what such a one says.
CHANCE, EXPLAINED, CHANCE_OF_ALL, NEAR = 4.0, 0.25, 2.1, 0.8
#: Connections are nearly all stronger if so large a share is; else most of them.
NEARLY_ALL, MOST_OF = 0.9, 0.67
#: How often a block is improved at most, and from how many columns that is begun.
ROUNDS, COLUMNS = 12, 3


class GroupContrast(NamedTuple):
    """A group of connections, what it is called ("between left and right"), by how much it differs on average, and which it is.

    Where these are all connections, `all_of` says how many of them differ that way, and `between` is empty.
    """

    between: str
    all_of: str
    difference: float
    where: BoolArray


def group_contrasts(
    names: Sequence[str], differences: FloatArray, directed: bool, usual: FloatArray | None = None
) -> list[GroupContrast]:
    """Which groups of connections differ most as a whole, the one that explains most first; of stronger and weaker ones both.

    Groups are between all nodes, sides, and nodes whose names share a word, or where that says much more, the rows and columns of
    the block of the matrix that stands out most. The next is sought among connections that are in no group yet. Where `usual` is
    how strong connections are, a block is evenly different if they differ by the same share.

    Examples
    --------
    >>> differences = np.zeros((8, 8))
    >>> differences[:3, 5:] = differences[5:, :3] = 0.5
    >>> [found.between for found in group_contrasts("abcdefgh", differences, False)]
    ['between a + b + c and f + g + h']
    """
    search = _Search(names, differences, directed, usual)
    found: list[GroupContrast] = []
    first = 0.0
    for _ in range(2 * GROUPS):
        block = search.best()
        if block is None or block.worth <= WORTH * first:
            break
        first = first or block.worth
        whole = float(differences[block.where].mean())
        all_of = "nearly all connections" if search.alike >= NEARLY_ALL else "most connections"
        found.append(GroupContrast(block.called, "" if block.called else all_of, whole, block.where))
        search.open &= ~block.where
    signs = [one.difference > 0 for one in found]
    both = {signs.index(sign) for sign in set(signs)}  # the strongest of each sign
    kept = sorted([*both, *(n for n in range(len(found)) if n not in both)][:GROUPS])
    return [found[n] for n in kept]


class _Block(NamedTuple):
    """Connections, what they are called, and how much they differ beyond what is told already."""

    called: str
    where: BoolArray
    worth: float


class _Search:
    """The block that stands out most among connections that are not told yet."""

    def __init__(self, names: Sequence[str], differences: FloatArray, directed: bool, usual: FloatArray | None) -> None:
        self.known, self.directed = RegionGroups(names), directed
        self.open = ~np.eye(len(names), dtype=bool)
        self.differences = np.where(self.open, differences, 0.0)
        self.usual = np.where(self.open, 1.0 if usual is None else np.abs(usual), 0.0)
        self.once = 1.0 if directed else 0.5  # else each connection stands in the matrix twice
        count = self.once * self.open.sum()
        spread = float(np.sqrt(self.once * (self.differences**2).sum() / max(count, 1)))
        most = np.sqrt(EXPLAINED * count)
        self.least = max(spread * min(CHANCE, most), 1e-12)
        self.least_free = max(spread * min(CHANCE_OF_ALL * np.sqrt(len(names)), most), 1e-12)
        of_one_sign = self.differences * np.sign(self.differences.sum()) > 0
        self.alike = float(of_one_sign.sum() / max(self.open.sum(), 1))  # the share of connections that differ as their mean does
        self._lay_out()

    def _lay_out(self) -> None:
        """List the blocks that words name: pairs of groups, and which sides they are between.

        Nodes that are in the same groups are one part: sums over blocks are sums over pairs of parts.
        """
        parts, part = np.unique(np.array([group.nodes for group in self.known.groups]).T, axis=0, return_inverse=True)
        has, self._part = parts.T, part.reshape(-1)
        count, size = has.shape
        ends: tuple[Any, ...] = tuple(np.indices((count, count)).reshape(2, -1)) if self.directed else np.triu_indices(count)
        self._one, self._other = ends
        common, self._common = np.unique(has[self._one] & has[self._other], axis=0, return_inverse=True)
        self._has, self._within = has.astype(np.float64), common.astype(np.float64)
        self._between = [np.ones((size, size), dtype=bool)]
        self._asked = [np.ones(len(self._one), dtype=bool)]
        self._asked[0][0] = self.alike >= MOST_OF  # the first group is all nodes
        if self.known.sides:
            left, right = (np.array([one is side for one in self.known.groups]) @ has for side in self.known.sides)
            self._between += [np.outer(left, left) | np.outer(right, right), np.outer(left, right) | np.outer(right, left)]
            on_both = (has & left).any(axis=1) & (has & right).any(axis=1)
            pairs = on_both[self._one] & on_both[self._other]
            self._asked += [pairs, pairs & (np.maximum(self._one, self._other) > 0)]
        self._full = [self._sums(values) for values in (~np.eye(len(self._part), dtype=bool), self.differences)]

    def _cells(self, values: NDArray[np.generic]) -> FloatArray:
        """The sum over each pair of parts."""
        size = self._has.shape[1]
        flat = (self._part[:, None] * size + self._part).ravel()
        found = np.bincount(flat, np.asarray(values, dtype=np.float64).ravel(), minlength=size * size)
        return np.asarray(found.reshape(size, size))

    def _sums(self, values: NDArray[np.generic]) -> FloatArray:
        """The sum over each block that words name; if connections have no direction, each is counted once."""
        cells, sums = self._cells(values), []
        for between_sides, asked in zip(self._between, self._asked, strict=True):
            of = cells * between_sides
            found = (self._has @ of @ self._has.T)[self._one, self._other]
            if not self.directed:
                found = found - (np.einsum("ij,ij->i", self._within @ of, self._within) / 2)[self._common.reshape(-1)]
            sums.append(np.where(asked, found, 0.0))
        return np.concatenate(sums)

    def best(self) -> _Block | None:
        """The block that words name, or any that can be named if that says much more; None if nothing stands out."""
        named = self._named()
        worth = 0.0 if named is None else named.worth
        free = best_block(np.where(self.open, self.differences, 0.0), self.directed)
        if free[0] <= max(self.least_free, UNNAMED * worth):
            return named
        block = self._snapped(*free)
        if block is not None and block.worth > UNNAMED * worth:
            return block
        return None if free[0] > LOST * worth else named

    def _named(self) -> _Block | None:
        sums, counts = self._sums(np.where(self.open, self.differences, 0.0)), self._sums(self.open)
        usual, (full, whole) = self._sums(np.where(self.open, self.usual, 0.0)), self._full
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.abs(sums) / np.sqrt(counts)
            fits = (counts >= np.maximum(NEW * full, 1)) & (whole / full * np.sign(sums) >= WHOLE * np.abs(sums) / counts)
        worth[~fits] = 0.0
        top = float(worth.max(initial=0.0))
        if top <= self.least:
            return None
        order = np.lexsort((-full, -worth.round(9)))[:MOST_NEAR]  # of equal ones the largest first
        near = [n for n in order.tolist() if worth[n] >= NEARLY * top]
        there = self._cells(self.open) > 0
        masks = {n: self._mask(n) & there for n in near}
        told = set(near)
        for n in near:
            for part in near:
                if counts[part] < counts[n] and not (masks[part] & ~masks[n]).any():
                    rest = (sums[n] - sums[part]) * np.sign(sums[part]) * usual[part]
                    evenly = rest > 0 and rest >= EVENLY * abs(sums[part]) * (usual[n] - usual[part])
                    told.discard(part if evenly else n)
        chosen = next((n for n in near if n in told), near[0])
        mask = self._mask(chosen)[self._part[:, None], self._part]
        return _Block(self._called(chosen), mask & ~np.eye(len(mask), dtype=bool), float(worth[chosen]))

    def _mask(self, n: int) -> BoolArray:
        """Which pairs of parts are in a block."""
        sides, pair = divmod(n, len(self._one))
        block = np.outer(self._has[self._one[pair]], self._has[self._other[pair]]) > 0
        return np.asarray((block if self.directed else block | block.T) & self._between[sides])

    def _called(self, n: int) -> str:
        sides, pair = divmod(n, len(self._one))
        one, other = self.known.groups[self._one[pair]], self.known.groups[self._other[pair]]
        return between(one, other, self.directed, ("", "same", "other")[sides])

    def _snapped(self, worth: float, rows: BoolArray, columns: BoolArray) -> _Block | None:
        """The block with rows and columns that have names and are nearly these."""
        one, other = self.known.nearest(rows), self.known.nearest(columns)
        if one is None or other is None or (one.is_all and other.is_all and self.alike < MOST_OF):
            return None
        where = np.outer(one.nodes, other.nodes)
        where = (where if self.directed else where | where.T) & ~np.eye(len(where), dtype=bool)
        left = where & self.open
        if left.sum() < max(NEW * where.sum(), 1):
            return None
        mean = float(self.differences[left].mean())
        now = abs(mean) * float(np.sqrt(self.once * left.sum()))
        if now < NEAR * worth or float(self.differences[where].mean()) * np.sign(mean) < WHOLE * abs(mean):
            return None
        return _Block(between(one, other, self.directed), where, now)


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
