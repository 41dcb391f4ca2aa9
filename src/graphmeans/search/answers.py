"""`Answer`: the nearest graphs of one query, with their alignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Match


@dataclass(frozen=True, eq=False)
class Neighbor:
    """One of the nearest graphs of a query.

    Attributes
    ----------
    index : int
        Its number in the index.
    name : str or None
    distance : float
    certified : bool
        Whether it is proven to be among the nearest that were asked for.
    match : Match
        How the query is aligned to it.
    graph : Graph
        The graph itself, as the index holds it.
    """

    index: int
    name: str | None
    distance: float
    certified: bool
    match: Match
    graph: Graph


class Answer(Sequence[Neighbor]):
    """The nearest graphs of one query, the nearest first; in a notebook it is drawn."""

    def __init__(self, query: Graph, neighbors: Sequence[Neighbor]) -> None:
        self.query, self._neighbors = query, list(neighbors)

    def __len__(self) -> int:
        return len(self._neighbors)

    def __getitem__(self, i: Any) -> Any:
        return self._neighbors[i]

    def __repr__(self) -> str:
        said = ", ".join(f"{n.name or n.index} at {n.distance:.4g}" for n in self._neighbors[:3])
        proven = "proven" if all(n.certified for n in self._neighbors) else "not all proven"
        return f"Answer({len(self)} nearest: {said}{', ...' if len(self) > 3 else ''}; {proven})"

    def _repr_html_(self) -> str:
        # Pictures belong to a higher layer, which is loaded only when a notebook asks for one.
        return str(import_module("graphmeans.plots.notebook").answer_html(self))
