"""`Result`: what an algorithm hands back; `Trace`: what happened on the way, with a row for each iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from graphmeans.cluster.engines.base import GetAssignment, RemoteEngine
from graphmeans.cluster.shards.reductions import Assignment
from graphmeans.graphs.batch import FloatArray, IntArray, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centers

TRACE_FIELDS = np.dtype(
    [
        ("iteration", np.int64),
        ("swap", np.int64),  # 0 in the run itself; then which kept swap of a center these iterations follow
        ("graphs", np.int64),  # interval: how many were looked at, all of them or a batch
        ("inertia", np.float64),
        ("moved", np.int64),  # graphs whose label changed
        ("matchings", np.int64),  # spent by the algorithm since the row before
        ("evaluation_matchings", np.int64),  # spent only to know the objective
        ("pruned_by_centers", np.int64),  # candidates skipped because of D(Y_X, Y) / 2
        ("pruned_by_bounds", np.int64),  # candidates skipped because of l(X, Y)
        ("pruned_by_sketches", np.int64),  # interval: skipped because of their sketches and what is remembered
        ("pruned_by_assignments", np.int64),  # interval: skipped because of a linear assignment
        ("assignment_bounds", np.int64),  # linear assignments solved for that
        ("rebuilt", np.int64),  # graphs that were built again because the machine that held them was lost,
        ("repeated_matchings", np.int64),  # and what that took; these count nowhere else
        ("bytes_sent", np.int64),  # from here to the workers of a cluster,
        ("bytes_received", np.int64),  # and back
        ("seconds", np.float64),  # of the whole iteration
        ("matching_seconds", np.float64),  # of its matchings alone
    ]
)


class Trace(np.ndarray[Any, Any]):
    """A structured array with a row for each iteration, and `to_pandas`."""

    @classmethod
    def of_rows(cls, rows: Sequence[dict[str, Any]]) -> Trace:
        """A trace from dictionaries; what a row does not say is 0."""
        fields = TRACE_FIELDS.names or ()
        values = [tuple(row.get(name, 0) for name in fields) for row in rows]
        return np.array(values, dtype=TRACE_FIELDS).view(cls)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, of which `of_rows` makes the same trace."""
        return [dict(zip(self.dtype.names or (), row, strict=True)) for row in np.asarray(self).tolist()]

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        return np.asarray(value) if isinstance(key, str) else value

    def __repr__(self) -> str:
        if self.ndim != 1 or not len(self) or self.dtype.names is None or "inertia" not in self.dtype.names:
            return super().__repr__()
        first, best, spent = float(self["inertia"][0]), float(self["inertia"].min()), int(self["matchings"].sum())
        plural = "" if len(self) == 1 else "s"
        return f"Trace({len(self)} iteration{plural}, inertia {first:.6g} to {best:.6g}, {spent:,} matchings)"

    def _repr_html_(self) -> str:
        # Pictures and tables belong to a higher layer, which is loaded only when a notebook asks for one.
        return str(import_module("graphmeans.plots.notebook").trace_html(self))

    def to_pandas(self) -> Any:
        """The trace as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install 'graphmeans[pandas]'") from None
        return pandas.DataFrame({name: np.asarray(self[name]) for name in self.dtype.names or ()})


def check_trace(rows: Any) -> None:
    """Raise a `GraphError` unless an array that was read from a file is a trace."""
    if rows.dtype != TRACE_FIELDS or rows.ndim != 1:
        raise GraphError("its trace has other columns")
    if not all(np.isfinite(rows[name]).all() and (rows[name] >= 0).all() for name in TRACE_FIELDS.names or ()):
        raise GraphError("its trace holds something other than numbers of at least 0")


class Alignments(NamedTuple):
    """The node of its center to which each node of each graph is aligned: ``node[ptr[i] + j]``, -1 for none.

    Nodes are numbered as in the fit, in canonical order.
    """

    ptr: IntArray
    node: IntArray

    def take(self, rows: IntArray) -> Alignments:
        """Those of the graphs at these positions."""
        which, ptr = row_ranges(self.ptr, rows)
        return Alignments(ptr, self.node[which])


@dataclass(frozen=True, eq=False)
class Result:
    """The best iteration of a run: labels and distances always belong to the centers beside them.

    Parameters
    ----------
    get_assignment : callable
        Gives labels and distances, which may still be with the shards.
    centers : Centers
    inertia : float
    n_iter : int
    converged : bool
    trace : Trace
    certified : float, optional
        The share of labels that are proven, None if that is not known.
    n_filled : int
        How many clusters have members.
    engine : RemoteEngine, optional
        The engine whose workers hold labels and distances, where that is not this process.
    hint : str, optional
        What makes the result look as if there were a better one, if anything does.
    alignments : Alignments, optional
        How graphs are aligned to their centers, where that is known in this process.
    """

    get_assignment: GetAssignment
    centers: Centers
    inertia: float
    n_iter: int
    converged: bool
    trace: Trace
    certified: float | None = None
    n_filled: int = 0
    engine: RemoteEngine | None = None
    hint: str | None = None
    alignments: Alignments | None = None

    @cached_property
    def assignment(self) -> Assignment:
        """Labels and distances, and what is proven of them."""
        return self.get_assignment()

    @property
    def labels(self) -> IntArray:
        """The cluster of each graph."""
        return self.assignment.labels

    @property
    def distances(self) -> FloatArray:
        """The distance of each graph to its center."""
        return self.assignment.distances


def copied(labels: IntArray, distances: FloatArray) -> GetAssignment:
    """Labels and distances that are here, copied; nothing is proven of them."""
    now = Assignment.unproven(labels, distances)
    return lambda: now
