"""`NameTable`: the names of very many graphs in two arrays, which a file can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import IntArray, offsets, row_ranges


@dataclass(frozen=True, eq=False)
class NameTable:
    """Names, or None, by position.

    Parameters
    ----------
    letters : uint8 array
        All names in UTF-8, one after the other.
    ptr : int array
        Where each begins, and the end of the last.
    present : bool array
        Which graphs have a name.
    """

    letters: NDArray[np.uint8]
    ptr: IntArray
    present: NDArray[np.bool_]

    @classmethod
    def of(cls, names: Iterable[str | None]) -> NameTable:
        """A table of these names."""
        listed = list(names)
        encoded = [b"" if name is None else name.encode("utf-8", "surrogatepass") for name in listed]
        letters = np.frombuffer(b"".join(encoded), dtype=np.uint8).copy()
        return cls(letters, offsets(np.array([len(name) for name in encoded], dtype=np.int64)),
                   np.array([name is not None for name in listed], dtype=bool))  # fmt: skip

    def __len__(self) -> int:
        return len(self.present)

    def __getitem__(self, i: int) -> str | None:
        if not self.present[i]:
            return None
        return self.letters[self.ptr[i] : self.ptr[i + 1]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str | None]:
        return (self[i] for i in range(len(self)))

    def take(self, which: IntArray) -> NameTable:
        """Those at these positions."""
        rows, ptr = row_ranges(self.ptr, which)
        return NameTable(self.letters[rows], ptr, self.present[which])

    def append(self, other: NameTable) -> NameTable:
        """These names and others after them."""
        return NameTable(
            np.concatenate([self.letters, other.letters]), np.concatenate([self.ptr, self.ptr[-1] + other.ptr[1:]]),
            np.concatenate([self.present, other.present]),
        )  # fmt: skip
