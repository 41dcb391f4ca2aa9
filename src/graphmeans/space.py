"""`GraphSpace` is the metric on encoded graphs. It knows nothing of means or k-means."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, largest_of
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.auto import Auto
from graphmeans.matching.match import CERTIFIED, Matcher, Matches
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.matching.registry import get_matcher

Order = Union[str, int, None, Mapping[Any, int]]

#: Most pairs handed to a matcher at once where only distances are kept.
PAIRS_AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class GraphSpace:
    """A space of graphs of one order: who may be matched with whom, and what a difference weighs.

    Parameters
    ----------
    order : int array
        Places for the nodes of each role; see `resolve_order`.
    roles : tuple
        Names of the roles, in the order of `order`.
    node_weight, edge_weight : float
        Squared differences of nodes and edges are multiplied by these.
    matcher : Matcher
        What solves a pair.
    n_jobs : int or None
        Threads; None for all cores.
    """

    order: IntArray
    roles: tuple[Hashable, ...] = (None,)
    node_weight: float = 1.0
    edge_weight: float = 1.0
    matcher: Matcher = field(default_factory=Auto)
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        for name in ("node_weight", "edge_weight"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise GraphError(f"{name} must be a positive number, got {value!r}")

    @classmethod
    def for_graphs(
        cls, *batches: Any, order: Order = "auto", roles: tuple[Hashable, ...] | None = None,
        node_weight: float = 1.0, edge_weight: float = 1.0,
        matcher: str | Matcher = "auto", effort: float = 1.0, n_jobs: int | None = None,
    ) -> GraphSpace:  # fmt: skip
        """The space that holds all graphs of the given batches, or of surveys of collections on disk.

        Parameters
        ----------
        *batches : GraphBatch, or anything with `role_names` and `largest`
        order : "auto", int, mapping role -> int, or None
            See `resolve_order`.
        roles : tuple, optional
            The names of the roles; by default those of the batch that has most of them.
        node_weight, edge_weight, n_jobs :
            As for the class itself.
        matcher : str or Matcher
        effort : float
            How hard the matchers "auto" and "search" look for the best alignment, relative to the default.
        """
        names = max((batch.role_names for batch in batches), key=len) if roles is None else roles
        places, solver = resolve_order(order, *batches), get_matcher(matcher, effort)
        return cls(places, names, float(node_weight), float(edge_weight), solver, n_jobs)

    def weighted(self, batch: GraphBatch) -> GraphBatch:
        """Encoded graphs as points of this space: attributes times the square roots of the weights."""
        return batch.scaled(np.sqrt(self.node_weight), np.sqrt(self.edge_weight))

    def unweighted(self, batch: GraphBatch) -> GraphBatch:
        """The way back from `weighted`."""
        return batch.scaled(1 / np.sqrt(self.node_weight), 1 / np.sqrt(self.edge_weight))

    def match(
        self, x: GraphBatch, y: GraphBatch, pairs: NDArray[Any], warm: IntArray | None = None,
        cutoff: FloatArray | None = None,
    ) -> Matches:  # fmt: skip
        """Match graph ``pairs[p, 0]`` of x with graph ``pairs[p, 1]`` of y for every p.

        `warm` is a mapping of each pair, laid out as in `Matches`: matchers that can start from one do. `cutoff`: pairs that
        are farther apart need not be solved; matchers that can make use of that do.
        """
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        taken = _hints_taken(type(self.matcher))
        hints = {name: hint for name, hint in (("warm", warm), ("cutoff", cutoff)) if hint is not None and name in taken}
        return self.matcher.solve(x, y, pairs, self.order, self.n_jobs, **hints)

    def distances(self, x: GraphBatch, y: GraphBatch | None = None) -> FloatArray:
        """All distances between two batches, shape (len(x), len(y)); within one batch if y is None."""
        if y is None:
            rows, columns = np.triu_indices(len(x), k=1)
            result = np.zeros((len(x), len(x)))
            result[rows, columns] = self._upper(x, x, rows, columns)
            return np.asarray(result + result.T)
        rows, columns = (part.ravel() for part in np.indices((len(x), len(y))))
        return self._upper(x, y, rows, columns).reshape(len(x), len(y))

    def _upper(self, x: GraphBatch, y: GraphBatch, rows: IntArray, columns: IntArray) -> FloatArray:
        result = np.empty(len(rows))
        for start in range(0, len(rows), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            result[part] = self.match(x, y, np.stack([rows[part], columns[part]], axis=1)).upper
        return result

    @staticmethod
    def certified(matches: Matches, x: GraphBatch, y: GraphBatch, pairs: IntArray) -> NDArray[np.bool_]:
        """Which matches are proven optimal."""
        gap = matches.upper - matches.lower
        if (gap <= 0).all():
            return np.ones(len(gap), dtype=bool)
        norms = np.sqrt(x.squared_norms[pairs[:, 0]]) + np.sqrt(y.squared_norms[pairs[:, 1]])
        return np.asarray(gap <= CERTIFIED * norms)


@lru_cache(maxsize=32)
def _hints_taken(matcher: Any) -> frozenset[str]:
    return frozenset(inspect.signature(matcher.solve).parameters)


def resolve_order(order: Order, *batches: Any) -> IntArray:
    """Places for each role, covering the graphs of the given batches (or surveys of what they hold).

    ``"auto"``: the largest number in any graph at hand. An int (a space without roles) or a mapping role -> int: itself.
    None: unbounded.
    """
    names = max((batch.role_names for batch in batches), key=len)
    counts = largest_of(*batches)
    if order is None:
        return np.full(len(names), UNBOUNDED, dtype=np.int64)
    if isinstance(order, str):
        if order != "auto":
            raise GraphError(f"order must be 'auto', None, a number or a mapping role -> number, got {order!r}")
        return counts
    if isinstance(order, Mapping):
        missing = [name for name, count in zip(names, counts, strict=True) if count and name not in order]
        if missing:
            raise GraphError(f"order says nothing of role {missing[0]!r}")
        asked = [order.get(name, 0) for name in names]
    elif names != (None,):
        raise GraphError("graphs with roles need an order for each role: give a mapping role -> number")
    else:
        asked = [order]
    for name, number, largest in zip(names, asked, counts, strict=True):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
            raise GraphError(f"order must be a whole number, got {number!r}")
        if number < largest:
            where = "" if name is None else f" of role {name!r}"
            raise GraphError(f"order {number} is smaller than the largest graph, which has {largest} nodes{where}")
    return np.array(asked, dtype=np.int64)
