"""Two clusterings of the same graphs: which clusters stayed, split, merged or were regrouped, and which graphs moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from graphmeans.evaluation.measures import accuracy
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.errors import GraphError

#: Two clusters belong together if they share more than half of one of them, or at least this much of both.
STRONG = 0.2
#: Clusters that share this much of both are the same.
SAME = 0.95

#: What can happen to clusters, in the order in which it is listed.
SPLIT, MERGED, REGROUPED, CHANGED, GONE, NEW, STAYED = "split", "merged", "regrouped", "changed", "gone", "new", "same"
EVENTS = (SPLIT, MERGED, REGROUPED, CHANGED, GONE, NEW, STAYED)


@dataclass(frozen=True)
class Event:
    """What happened to some clusters of A: the clusters of B that their graphs are in, and what to call that."""

    kind: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    graphs: int  # of the clusters of A
    moved: int  # those of them that did not go where most of their cluster went

    def said(self) -> str:
        """The event in words.

        Examples
        --------
        >>> Event("split", (3,), (1, 4), 20, 8).said()
        '3 split into 1 and 4'
        """
        a, b = _list(self.left), _list(self.right)
        return {
            SPLIT: f"{a} split into {b}", MERGED: f"{a} merged into {b}", REGROUPED: f"{a} regrouped as {b}",
            CHANGED: f"{a} became {b}, with changes", GONE: f"{a} is gone", NEW: f"{b} is new", STAYED: f"{a} is {b}",
        }[self.kind]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Comparison:
    """What became of the clusters of A in B."""

    names: tuple[str, ...]  # graphs that are in both
    left: IntArray
    right: IntArray
    table: IntArray  # graphs by cluster of A and cluster of B
    events: tuple[Event, ...]
    partner: Mapping[int, int]  # cluster of A -> the cluster of B that corresponds to it, one to one
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]
    agreement: float  # adjusted Rand index
    accuracy: tuple[float, float] | None  # of A and of B, where classes are known

    @property
    def moved(self) -> IntArray:
        """Positions of the graphs that are not in the cluster that corresponds to their own."""
        expected = np.array([self.partner.get(int(c), -1) for c in self.left], dtype=np.int64)
        return np.flatnonzero(expected != self.right)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "graphs": len(self.names),
            "clusters": [len(self.table), self.table.shape[1]],
            "adjusted_rand_index": self.agreement,
            "accuracy": None if self.accuracy is None else list(self.accuracy),
            "events": [
                {"kind": e.kind, "a": list(e.left), "b": list(e.right), "graphs": e.graphs, "moved": e.moved} for e in self.events
            ],
            "table": self.table.tolist(),
            "partner": {str(a): b for a, b in self.partner.items()},
            "moved": [{"name": self.names[i], "a": int(self.left[i]), "b": int(self.right[i])} for i in self.moved],
            "only_in_a": list(self.only_left),
            "only_in_b": list(self.only_right),
        }  # fmt: skip


def compare_clusterings(
    left: Mapping[str, int], right: Mapping[str, int], classes: Mapping[str, str] | None = None
) -> Comparison:
    """Compare two clusterings, given as the label of each graph by its name.

    Parameters
    ----------
    left, right : mappings of a graph's name to its label
    classes : mapping of a graph's name to its class, optional

    Examples
    --------
    >>> found = compare_clusterings({"a": 0, "b": 0, "c": 1}, {"a": 1, "b": 1, "c": 0})
    >>> [event.said() for event in found.events], found.agreement
    (['0 is 1', '1 is 0'], 1.0)
    """
    names = [name for name in left if name in right]
    if not names:
        raise GraphError("the two clusterings have no graph in common: nothing to compare")
    a = np.array([left[name] for name in names], dtype=np.int64)
    b = np.array([right[name] for name in names], dtype=np.int64)
    # A cluster may hold no common graph, but it is still a cluster.
    table = np.zeros((max(left.values()) + 1, max(right.values()) + 1), dtype=np.int64)
    np.add.at(table, (a, b), 1)
    rows, columns = linear_sum_assignment(-table)
    known = None
    if classes is not None and all(name in classes for name in names):
        y = [classes[name] for name in names]
        known = accuracy(y, a), accuracy(y, b)
    return Comparison(
        names=tuple(names), left=a, right=b, table=table, events=tuple(_events(table)),
        partner={int(r): int(c) for r, c in zip(rows, columns, strict=True) if table[r, c]},
        only_left=tuple(name for name in left if name not in right),
        only_right=tuple(name for name in right if name not in left), agreement=float(adjusted_rand_score(a, b)),
        accuracy=known,
    )  # fmt: skip


def _events(table: IntArray) -> list[Event]:
    """Clusters that share much are linked; what is linked together is one event."""
    sizes_a, sizes_b = table.sum(axis=1), table.sum(axis=0)
    of_a, of_b = table / np.maximum(sizes_a, 1)[:, None], table / np.maximum(sizes_b, 1)[None]
    linked = (np.maximum(of_a, of_b) > 0.5) | (np.minimum(of_a, of_b) >= STRONG)
    left_to_do = set(np.flatnonzero(sizes_a).tolist())
    events = []
    while left_to_do:
        rows, columns = {min(left_to_do)}, set[int]()
        while True:
            more_columns = set(np.flatnonzero(linked[sorted(rows)].any(axis=0)).tolist())
            more_rows = set(np.flatnonzero(linked[:, sorted(more_columns)].any(axis=1)).tolist()) | rows
            if more_rows == rows and more_columns == columns:
                break
            rows, columns = more_rows, more_columns
        left_to_do -= rows
        events.append(_event(table, tuple(sorted(rows)), tuple(sorted(columns))))
    told = {c for event in events for c in event.right}
    events += [Event(NEW, (), (int(c),), 0, 0) for c in np.flatnonzero(sizes_b) if c not in told]
    return sorted(events, key=lambda event: (EVENTS.index(event.kind), -event.graphs, event.left, event.right))


def _event(table: IntArray, rows: tuple[int, ...], columns: tuple[int, ...]) -> Event:
    graphs = int(table[list(rows)].sum())
    moved = int(graphs - table[list(rows)].max(axis=1).sum())
    if not columns:
        return Event(GONE, rows, (), graphs, graphs)
    part = table[np.ix_(rows, columns)]
    if len(rows) == len(columns) == 1:
        both = min(part[0, 0] / table[rows[0]].sum(), part[0, 0] / table[:, columns[0]].sum())
        return Event(STAYED if both >= SAME else CHANGED, rows, columns, graphs, moved)
    kind = SPLIT if len(rows) == 1 else MERGED if len(columns) == 1 else REGROUPED
    return Event(kind, rows, columns, graphs, moved)


def _list(labels: Sequence[int]) -> str:
    words = [str(label) for label in labels]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
