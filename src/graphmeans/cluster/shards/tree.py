"""`Tree`: answers of shards added two by two, always the same two, whoever computed them.

Sums of floating-point numbers depend on their order. Here it depends on the number of shards alone: shards 2i and 2i + 1 are
added first, then their sums, and so on. Whoever holds neighbouring shards can add them up; what remains is a list of parts
whose length depends on how the shards are spread, not on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import iadd
from typing import Any


@dataclass
class Tree:
    """The sums of some of `leaves` answers. Parts are added from left to right."""

    leaves: int
    parts: list[tuple[int, int, Any]] = field(default_factory=list)  # level, index on it, sum

    def add(self, index: int, value: Any, level: int = 0) -> None:
        """Add the sum of the answers index * 2^level and on, 2^level of them."""
        while True:
            if self.parts and self.parts[-1][:2] == (level, index - 1) and index % 2:
                _, _, before = self.parts.pop()
                value = iadd(before, value)
            elif index % 2 or index == 0 or (index + 1) << level < self.leaves:
                break  # its neighbour is still to come, or somewhere else
            # else it is the last of an odd number, and has no neighbour
            level, index = level + 1, index // 2
        self.parts.append((level, index, value))

    @classmethod
    def merged(cls, trees: Iterable[Tree]) -> Tree:
        """What several of them hold together."""
        trees = list(trees)
        result = cls(trees[0].leaves)
        for level, index, value in sorted((part for tree in trees for part in tree.parts), key=lambda p: p[1] << p[0]):
            result.add(index, value, level)
        return result

    @property
    def total(self) -> Any:
        """The sum of all answers."""
        assert len(self.parts) == 1, "some answers are missing"
        return self.parts[0][2]
