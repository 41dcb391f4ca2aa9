"""The graphs that a page is about. Of a collection on disk only those that are shown are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np

from graphmeans.cluster.estimators.inputs import is_lazy
from graphmeans.graphs.graph import Graph
from graphmeans.plots.text import plain_text

#: Letters of a name that are shown.
_NAME = 80


class ReportGraphs(Sequence[Graph]):
    """A sequence of graphs. Those on disk are read when they are first used, or many at once by `read`, and kept."""

    def __init__(self, graphs: Any) -> None:
        self._lazy: Any = graphs if is_lazy(graphs) else None
        self._listed: list[Graph] = [] if is_lazy(graphs) else graphs
        self._kept: dict[int, Graph] = {}
        #: What a graph without a name is called, before its number.
        self.noun = "graph"

    @property
    def lazy(self) -> bool:
        """Whether the graphs are on disk."""
        return self._lazy is not None

    def __len__(self) -> int:
        return len(self._listed if self._lazy is None else self._lazy)

    @overload
    def __getitem__(self, i: int) -> Graph: ...
    @overload
    def __getitem__(self, i: slice) -> list[Graph]: ...

    def __getitem__(self, i: int | slice) -> Graph | list[Graph]:
        if isinstance(i, slice):
            return [self[at] for at in range(len(self))[i]]
        if self._lazy is None:
            return self._listed[i]
        i = range(len(self))[i]
        if i not in self._kept:
            self.read([i])
        return self._kept[i]

    def read(self, rows: Iterable[int]) -> None:
        """Read these graphs, each part of the file once."""
        if self._lazy is not None:
            wanted = sorted({int(i) for i in rows} - self._kept.keys())
            self._kept.update(zip(wanted, self._lazy.take(wanted), strict=True))

    def names(self, rows: Sequence[int] | np.ndarray[Any, Any]) -> list[str]:
        """The names of these graphs, safe to show."""
        if self._lazy is None:
            return [self._name(i, self._listed[i].name) for i in rows]
        return [self._name(i, name) for i, name in zip(rows, self._lazy.names_of(np.asarray(rows)), strict=True)]

    def all_names(self, most_letters: int) -> list[str] | None:
        """The names of all graphs; None if they have more letters than this altogether."""
        found: list[str] = []
        letters = 0
        for names in [[graph.name for graph in self._listed]] if self._lazy is None else self._lazy.names_by_partition():
            more = [self._name(len(found) + i, name) for i, name in enumerate(names)]
            letters += sum(map(len, more))
            if letters > most_letters:
                return None
            found += more
        return found

    def _name(self, i: int, name: str | None) -> str:
        return plain_text(f"{self.noun} {i}" if name is None else name, _NAME)


def read_ahead(graphs: Sequence[Graph], rows: Iterable[int]) -> None:
    """Read graphs that will be used, if they are on disk."""
    if isinstance(graphs, ReportGraphs):
        graphs.read(rows)


def is_on_disk(graphs: Sequence[Graph]) -> bool:
    """Whether graphs have to be read before they are used."""
    return isinstance(graphs, ReportGraphs) and graphs.lazy
