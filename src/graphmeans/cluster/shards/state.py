"""`ShardState`: everything about the graphs of a shard that changes while a fit lasts, and nothing else.

Its arrays are read-only to everybody else. They change through `set`, `set_slots` and `keep_bounds`, and so the state itself
knows of which graphs something has changed since it was last written to disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.graphs.batch import FloatArray, IntArray, row_ranges
from graphmeans.kernels.bound_table import FREE, keep_bounds, raise_bounds
from graphmeans.matching.match import Matches

BoolArray = NDArray[np.bool_]
Arrays = dict[str, NDArray[Any]]

#: What is kept of each graph, and its value before anything is known.
_PER_GRAPH: dict[str, tuple[Any, Any]] = {
    "labels": (np.int64, 0),
    "upper": (np.float64, np.inf),
    "matched_at": (np.int64, -1),
    "fresh_at": (np.int64, -1),
    "own_lower": (np.float64, 0.0),
    "second_alignment": (np.float64, 0.0),
    "lower_bound": (np.float64, -np.inf),
    "lower_bound_at": (np.int64, 0),
    "unfinished": (np.bool_, False),
    "others": (np.float64, -np.inf),
}
#: Parts of the state that mostly change together: the assignment, u, and the table of bounds.
ASSIGNMENT, UPPER, BOUNDS = "assignment", "upper", "bounds"
PARTS = (ASSIGNMENT, UPPER, BOUNDS)
_BOUNDS = "bounds_"


#: Most centers that a graph remembers something about. All others are judged by their sketch alone.
SLOTS = 64
#: The latest time at which a bound can be remembered; what is found out later is not.
LATEST = np.iinfo(np.int16).max
#: Kinds of bounds: proven, or what a matching found (with the exact matcher both are the distance itself).
CERTIFIED, ESTIMATE = 0, 1


class BoundTable:
    """Lower bounds of the distances between n graphs and the centers that each came near to.

    An entry was true at some time; now it is worth that less the distance that its center has moved since. There are at
    most `SLOTS` entries for each graph however many centers there are, 14 bytes each (16 with more than 32,767 centers), in
    float32, rounded down.
    """

    ARRAYS = ("center", "values", "times")

    def __init__(self, n: int) -> None:
        self.center = np.full((n, 0), FREE, dtype=np.int16)
        self.values = np.zeros((n, 0, 2), dtype=np.float32)
        self.times = np.zeros((n, 0, 2), dtype=np.int16)

    def _reserve(self, centers: int) -> None:
        """Make room for as many bounds of each graph as are of use with so many centers."""
        more = min(centers, SLOTS) - self.center.shape[1]
        if more > 0:
            self.center = np.pad(self.center, ((0, 0), (0, more)), constant_values=FREE)
            self.values = np.pad(self.values, ((0, 0), (0, more), (0, 0)))
            self.times = np.pad(self.times, ((0, 0), (0, more), (0, 0)))
        if centers > LATEST and self.center.dtype == np.int16:
            self.center = self.center.astype(np.int32)

    def keep(self, x: IntArray, y: IntArray, value: FloatArray, kind: int, centers: FrameCenters) -> None:
        """Remember that graph x[p] is at least value[p] from center y[p] as it is now."""
        if len(x) and centers.now <= LATEST:
            self._reserve(centers.shift.shape[1])
            keep_bounds(x, y, value, kind, centers.now, centers.shift, self.center, self.values, self.times)

    def raise_to(self, x: IntArray, centers: FrameCenters, low: FloatArray, certified: bool = False) -> None:
        """Raise bounds low[p, c] of graphs x[p] (in, out) to what is remembered, or only to what is proven."""
        raise_bounds(x, centers.shift, self.center, self.values, self.times, 1 if certified else 2, low)

    def estimate(self, centers: FrameCenters, share: float, low: FloatArray) -> None:
        """Put estimates of distances into low[x, c] (in, out): what matchings found, or bounds divided by their share of it."""
        x, slot = np.nonzero(self.center != FREE)
        c = self.center[x, slot]
        values = self.values[x, slot] - centers.shift[self.times[x, slot], c[:, None]]
        matched = (self.values[x, slot, ESTIMATE] > 0) & (values[:, ESTIMATE] > 0)
        low[x, c] = np.where(matched, values.max(axis=1), np.maximum(low[x, c], values[:, CERTIFIED] / share))

    def rename(self, number: IntArray) -> None:
        """Center c is called number[c] from now on; what is known of those whose number is -1 is forgotten."""
        known = self.center != FREE
        self.center[known] = np.where(number[self.center[known]] < 0, FREE, number[self.center[known]])


class ShardState:
    """Labels, alignments and bounds of n graphs.

    Attributes
    ----------
    labels : int array
        The cluster of each graph.
    slots : int array
        The alignment: for each node of each graph its slot in the frame of the center.
    upper : array
        u = |x - y| along the alignment, an upper bound of the distance. It is infinite where there is no alignment.
    upper_at : int
        The time of the centers to which u is the distance.
    matched_at, fresh_at : int array
        When the alignment was last sought, and when it was last sought from fresh starts; -1 for never.
    own_lower, second_alignment : array
        At the time `matched_at` the distance was at least `own_lower`, and that along any other alignment at least
        `second_alignment`. Now they are at least that less the distance that the center has moved. As long as u is below
        the latter, the alignment is the best one and nothing needs to be matched.
    lower_bound, lower_bound_at : array
        At the time `lower_bound_at` every center but the own was at least this far away (Hamerly's bound).
    unfinished : bool array
        Whether an exact matcher with a limit did not finish some pair of this graph.
    others : array
        What was proven at the end of a fit: every center but the own is at least this far away. -inf before that.
    bounds : BoundTable
        Bounds for single centers.
    proposed_moves : tuple or None
        Graphs, clusters and alignments of the single moves that were proposed last.
    """

    labels: IntArray
    upper: FloatArray
    matched_at: IntArray
    fresh_at: IntArray
    own_lower: FloatArray
    second_alignment: FloatArray
    lower_bound: FloatArray
    lower_bound_at: IntArray
    unfinished: BoolArray
    others: FloatArray
    slots: IntArray

    def __init__(self, node_ptr: IntArray) -> None:
        self._node_ptr = node_ptr
        self.reset()

    def __len__(self) -> int:
        return len(self._node_ptr) - 1

    def reset(self) -> None:
        """Forget everything: other centers are to come."""
        n = len(self)
        self._arrays: Arrays = {name: np.full(n, value, dtype) for name, (dtype, value) in _PER_GRAPH.items()}
        self._arrays["slots"] = np.full(self._node_ptr[-1], -1, dtype=np.int64)
        self.bounds = BoundTable(n)
        self.upper_at = 0
        self.proposed_moves: tuple[IntArray, IntArray, Matches] | None = None
        # Of which graphs something has changed since it was last written, and what was written since the snapshot.
        self._dirty = {part: np.ones(n, dtype=bool) for part in PARTS}
        self._written = {part: np.zeros(n, dtype=bool) for part in PARTS}
        self._snapshot: Arrays | None = None
        self._show()

    def _show(self) -> None:
        for name, array in self._arrays.items():
            view = array.view()
            view.flags.writeable = False
            setattr(self, name, view)

    # -- changing it -------------------------------------------------------------------------------

    def set(self, x: IntArray | slice, **values: Any) -> None:
        """Set arrays of the graphs x."""
        for name, value in values.items():
            self._arrays[name][x] = value
            self._dirty[UPPER if name == "upper" else ASSIGNMENT][x] = True

    def set_slots(self, x: IntArray, slots: IntArray) -> None:
        """Set the alignments of the graphs x: their slots, one graph after the other."""
        self._arrays["slots"][self.node_rows(x)[0]] = slots
        self._dirty[ASSIGNMENT][x] = True

    def keep_bounds(self, x: IntArray, y: IntArray, value: FloatArray, kind: int, centers: FrameCenters) -> None:
        """Remember lower bounds for single centers; see `BoundTable.keep`."""
        self.bounds.keep(x, y, value, kind, centers)
        self._dirty[BOUNDS][x] = True

    def rename_centers(self, number: IntArray) -> None:
        """Center c is called number[c] from now on. Members of one whose number is -1 have no center any more."""
        labels = number[self.labels]
        lost = labels < 0
        self.bounds.rename(number)
        self._dirty[BOUNDS][:] = True
        everybody = slice(None)
        self.set(everybody, labels=np.where(lost, 0, labels), upper=np.where(lost, np.inf, self.upper), lower_bound=-np.inf)

    # -- reading it --------------------------------------------------------------------------------

    def node_rows(self, x: IntArray) -> tuple[IntArray, IntArray]:
        """Where the nodes of the graphs x are, and the offsets of these graphs among them."""
        return row_ranges(self._node_ptr, x)

    def slots_of(self, x: IntArray) -> tuple[IntArray, IntArray]:
        """The alignments of the graphs x, one after the other, and their offsets."""
        rows, ptr = self.node_rows(x)
        return self.slots[rows], ptr

    # -- going back --------------------------------------------------------------------------------

    def snapshot(self) -> None:
        """Keep the state, so that `rollback` can return to it."""
        self._written = {part: np.zeros(len(self), dtype=bool) for part in PARTS}
        self._snapshot = {name: array.copy() for name, array in self.to_arrays().items()}

    def rollback(self) -> None:
        """Return to the snapshot. What has changed since the state was last written has still changed."""
        assert self._snapshot is not None, "there is no snapshot"
        self.load_arrays({name: array.copy() for name, array in self._snapshot.items()})
        for part in PARTS:
            self._dirty[part] |= self._written[part]

    # -- on disk -----------------------------------------------------------------------------------

    def to_arrays(self) -> Arrays:
        """Everything that the next iteration depends on, not copied."""
        table = {_BOUNDS + name: getattr(self.bounds, name) for name in BoundTable.ARRAYS}
        return self._arrays | table | {"upper_at": np.array([self.upper_at])}

    def load_arrays(self, arrays: Arrays) -> None:
        """Take over what `to_arrays` gave; nobody else may change the arrays from now on."""
        self._arrays = {name: arrays[name] for name in self._arrays}
        for name in BoundTable.ARRAYS:
            setattr(self.bounds, name, arrays[_BOUNDS + name])
        self.upper_at = int(arrays["upper_at"][0])
        self._show()

    def changes(self) -> Arrays:
        """The rows of those graphs of which something has changed since the state was last written."""
        rows = {part: np.flatnonzero(self._dirty[part]) for part in PARTS}
        result = {f"rows_{part}": which.astype(np.int32) for part, which in rows.items()}
        for name, array in self.to_arrays().items():
            result[name] = array if name == "upper_at" else array[self._where(name, rows)]
        return result

    def apply_changes(self, arrays: Arrays, changes: Arrays) -> None:
        """Change arrays of an earlier state (in, out) into those of the later one; they are not those of this state."""
        rows = {part: changes[f"rows_{part}"].astype(np.int64) for part in PARTS}
        for name, array in arrays.items():
            new = changes[name]
            if name == "upper_at" or len(new) == len(array):  # everything is new; after a reset the table is narrower, too
                arrays[name] = new
                continue
            if new.shape[1:2] > array.shape[1:2]:  # the table of bounds has grown
                room = [(0, wide - narrow) for wide, narrow in zip(new.shape[1:], array.shape[1:], strict=True)]
                array = np.pad(array, [(0, 0), *room], constant_values=FREE if name == _BOUNDS + "center" else 0)
            arrays[name] = array.astype(new.dtype, copy=False)
            arrays[name][self._where(name, rows)] = new

    def _where(self, name: str, rows: dict[str, IntArray]) -> IntArray:
        """The rows of an array that belong to the changed graphs of its part."""
        if name == "slots":
            return self.node_rows(rows[ASSIGNMENT])[0]
        return rows[BOUNDS if name.startswith(_BOUNDS) else UPPER if name == "upper" else ASSIGNMENT]

    def mark_written(self) -> None:
        """Everything that it holds is on disk now."""
        for part in PARTS:
            self._written[part] |= self._dirty[part]
            self._dirty[part][:] = False

    def pack(self) -> Arrays:
        """Everything, also what is not written to a log, for a shard that has to make room; `unpack` is the way back."""
        then = {f"snapshot_{name}": array for name, array in (self._snapshot or {}).items()}
        moves: Arrays = {}
        if self.proposed_moves is not None:
            x, y, found = self.proposed_moves
            moves = {"x": x, "y": y} | {name: value for name, value in vars(found).items() if value is not None}
        dirty = {f"dirty_{part}": flags for part, flags in self._dirty.items()}
        dirty |= {f"written_{part}": flags for part, flags in self._written.items()}
        return self.to_arrays() | dirty | then | {f"move_{name}": array for name, array in moves.items()}

    def unpack(self, arrays: Arrays) -> None:
        """Take in what `pack` gave."""
        self.load_arrays(arrays)
        self._dirty, self._written = ({part: arrays[f"{name}_{part}"] for part in PARTS} for name in ("dirty", "written"))
        then, moves = (
            {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            for prefix in ("snapshot_", "move_")
        )
        self._snapshot = then or None
        if moves:
            self.proposed_moves = moves.pop("x"), moves.pop("y"), Matches(**moves)
