"""Every array that kernels index by is checked here, once, where it enters: kernels themselves do not check.

Batches remember that they were checked (`GraphBatch.is_sound`), and those made of them need not be checked again. Pairs and
mappings are checked at every call, which takes nanoseconds for each (``benchmarks/checks.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.sound import ENDS, NUMBERS, OFFSETS, OTHER_ROLE, RANGE, ROLES, TWICE, batch_fault, mapping_fault
from graphmeans.matching.match import Matches

#: What each array of a batch must be: its type and its number of dimensions.
LAYOUT: dict[str, tuple[Any, int]] = {
    "node_ptr": (np.dtype(np.int64), 1), "nodes": (np.dtype(np.float64), 2), "roles": (np.dtype(np.int32), 1),
    "edge_ptr": (np.dtype(np.int64), 1), "ends": (np.dtype(np.int32), 2), "edge_values": (np.dtype(np.float64), 2),
}  # fmt: skip
_BATCH_FAULTS = {
    OFFSETS: "its offsets do not fit its nodes and edges", ROLES: "graph {} has a node of a role that there is not",
    ENDS: "graph {} has an edge that does not go from a node to a later one", NUMBERS: "some attribute is not a finite number",
}  # fmt: skip
_MAPPING_FAULTS = {
    RANGE: "leads to a node that there is not", TWICE: "leads to one node twice", OTHER_ROLE: "leads to a node of another role",
}  # fmt: skip
#: Larger numbers, and larger distances, have squares whose sums are more than floating point holds.
LARGEST = 2.0**490
#: By how much a lower bound may exceed the upper one, relatively, because of rounding.
ROUNDING = 1e-9


def check_batch(batch: GraphBatch) -> None:
    """Raise a `GraphError` unless the arrays of a batch are what kernels take them for; asked only once of each batch."""
    if batch.is_sound:
        return
    for name, (dtype, ndim) in LAYOUT.items():
        array = getattr(batch, name)
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != ndim or not array.flags.c_contiguous:
            raise GraphError(f"a GraphBatch is not sound: {name} must be a contiguous {ndim}-dimensional array of {dtype}")
    count, edges = len(batch.node_ptr), len(batch.edge_values)
    if count < 1 or len(batch.edge_ptr) != count or len(batch.roles) != len(batch.nodes) or batch.ends.shape != (edges, 2):
        raise GraphError("a GraphBatch is not sound: the lengths of its arrays do not agree")
    if not isinstance(batch.directed, (bool, np.bool_)) or (batch.directed and batch.edge_values.shape[1] % 2):
        raise GraphError("a GraphBatch is not sound: a directed one has as many values for one direction as for the other")
    arrays: list[Any] = [getattr(batch, name) for name in LAYOUT if name != "edge_values"]
    packed: list[Any] = [array if array.flags.writeable else array.copy() for array in arrays]
    fault, graph, largest = batch_fault(*[*packed, np.zeros((0, 1)), len(batch.role_names)])
    of_edges = batch.magnitudes[1]  # which is mostly known already
    if not fault and not np.isfinite(of_edges):
        fault = NUMBERS
    if fault:
        raise GraphError(f"a GraphBatch is not sound: {_BATCH_FAULTS[fault].format(graph)}")
    batch.mark_sound(max(largest, of_edges))


def check_sides(x: GraphBatch, y: GraphBatch) -> None:
    """Raise unless graphs of two batches can be compared."""
    check_batch(x)
    if x.largest_number > LARGEST:
        raise GraphError("attributes are so large that their squares are more than floating point holds: scale them")
    if x is y:
        return
    check_batch(y)
    if y.largest_number > LARGEST:
        raise GraphError("attributes are so large that their squares are more than floating point holds: scale them")
    if x.nodes.shape[1] != y.nodes.shape[1] or x.edge_values.shape[1] != y.edge_values.shape[1]:
        shapes = [f"{batch.nodes.shape[1]} numbers a node and {batch.edge_values.shape[1]} an edge" for batch in (x, y)]
        raise GraphError(f"graphs of two batches have {shapes[0]}, and {shapes[1]}: they need one encoder")
    if x.directed != y.directed:
        raise GraphError("graphs of one batch are directed, those of the other are not")


def sound_pairs(x: GraphBatch, y: GraphBatch, pairs: Any) -> IntArray:
    """Pairs of positions in two batches as an array of shape (P, 2), after everything that they lead to was checked."""
    check_sides(x, y)
    given = np.asarray(pairs)
    if given.dtype == np.int64 and given.ndim == 2 and given.shape[1] == 2 and given.flags.c_contiguous:
        return _within(x, y, given)
    if given.size and given.dtype.kind not in "iu":
        raise GraphError(f"pairs must be whole numbers, got an array of {given.dtype}")
    if given.size % 2 or (given.ndim == 2 and given.size and given.shape[1] != 2):
        raise GraphError(f"pairs must have the shape (P, 2), got {given.shape}")
    return _within(x, y, np.ascontiguousarray(given, dtype=np.int64).reshape(-1, 2))


def _within(x: GraphBatch, y: GraphBatch, pairs: IntArray) -> IntArray:
    if len(pairs) and (pairs.min() < 0 or pairs[:, 0].max() >= len(x) or pairs[:, 1].max() >= len(y)):
        raise GraphError(f"some pair names a graph that there is not: there are {len(x)} and {len(y)}")
    return pairs


def sound_order(order: Any) -> IntArray:
    """An order, places for the nodes of each role, as kernels take it."""
    if not isinstance(order, np.ndarray) or order.ndim != 1 or order.dtype.kind not in "iu" or (len(order) and order.min() < 0):
        raise GraphError(f"order must be an array of whole numbers of at least 0, one for each role, got {order!r}")
    return order


def sound_mappings(x: GraphBatch, y: GraphBatch, pairs: IntArray, ptr: IntArray, given: Any, what: str) -> IntArray:
    """Mappings of pairs, one after the other, as kernels take them; `pairs` and `ptr` are sound."""
    flat = np.asarray(given)
    if flat.dtype.kind not in "iu" and flat.size:
        raise GraphError(f"{what}: must be whole numbers, got {flat.dtype}")
    if flat.shape != (ptr[-1],):
        raise GraphError(f"{what}: has the shape {flat.shape}; the pairs have {ptr[-1]} nodes in all")
    flat = np.ascontiguousarray(flat, dtype=np.int64)
    fault, p = mapping_fault(*_places(x), *_places(y), pairs, ptr, flat if flat.flags.writeable else flat.copy())
    if fault:
        raise GraphError(f"{what}: the mapping of pair {p} {_MAPPING_FAULTS[fault]}")
    return flat


def fit_slots(batch: GraphBatch, slots: IntArray, slot_roles: Any) -> bool:
    """Whether alignments, the slot of each node of each graph, lead to slots of the nodes' roles, and to none twice."""
    check_batch(batch)
    pairs = np.stack([np.arange(len(batch)), np.zeros(len(batch), dtype=np.int64)], axis=1)
    frame = np.array([0, len(slot_roles)])
    flat = slots if slots.flags.writeable else slots.copy()
    return not mapping_fault(*_places(batch), frame, slot_roles, pairs, _places(batch)[0], flat)[0]


def sound_warm(x: GraphBatch, y: GraphBatch, pairs: IntArray, warm: Any) -> IntArray | None:
    """The mappings to start from, one for each pair, or None if none are given."""
    return None if warm is None else sound_mappings(x, y, pairs, offsets(x.sizes[pairs[:, 0]]), warm, "warm")


def sound_cutoff(cutoff: Any, count: int) -> FloatArray:
    """A distance for each pair beyond which it need not be solved; infinite where none is given."""
    if cutoff is None:
        return np.full(count, np.inf)
    given = np.asarray(cutoff)
    if given.dtype.kind not in "iuf" or given.shape != (count,) or np.isnan(given).any() or (count and given.min() < 0):
        raise GraphError(f"cutoff must be an array of {count} numbers of at least 0, one for each pair")
    return np.ascontiguousarray(given, dtype=np.float64)


def sound_matches(found: Any, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, name: str) -> Matches:
    """What a matcher of this name, which is not one of ours, answered, if it can be true."""
    who = f"the matcher {name}"
    if not isinstance(found, Matches):
        raise GraphError(f"{who} must answer with Matches, got {type(found).__name__}")
    lower, upper = (_bounds(getattr(found, side), len(pairs), f"{who}: {side}") for side in ("lower", "upper"))
    if not ((upper <= LARGEST).all() and (lower <= upper * (1.0 + ROUNDING)).all()):
        raise GraphError(f"{who}: some lower bound is larger than the upper one, or that is no distance")
    second = None if found.second is None else _bounds(found.second, len(pairs), f"{who}: second")
    ptr = offsets(x.sizes[pairs[:, 0]])
    if not np.array_equal(np.asarray(found.ptr), ptr):
        raise GraphError(f"{who}: ptr does not say where the mapping of each pair begins")
    flat = sound_mappings(x, y, pairs, ptr, found.flat, who)
    _check_places(x, y, pairs, ptr, flat, order, who)
    return Matches(lower, upper, ptr, flat, second)


def _check_places(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, ptr: IntArray, flat: IntArray, order: IntArray, who: str
) -> None:
    """Raise where a mapping leaves so many nodes unmatched that a space of this order has no places for all of them."""
    n_roles = max(len(order), len(x.role_names), len(y.role_names))
    places = np.zeros(n_roles, dtype=np.int64)
    places[: len(order)] = order
    owner = np.repeat(np.arange(len(pairs)), np.diff(ptr))
    rows = x.node_ptr[pairs[owner, 0]] + np.arange(ptr[-1]) - ptr[owner]
    unmatched = np.bincount((owner * n_roles + x.roles[rows])[flat < 0], minlength=len(pairs) * n_roles).reshape(-1, n_roles)
    x_count, y_count = (
        np.pad(side.role_counts, ((0, 0), (0, n_roles - len(side.role_names))))[pairs[:, k]] for k, side in enumerate((x, y))
    )
    crowded = (unmatched + y_count > np.maximum(places, np.maximum(x_count, y_count))).any(axis=1)
    if crowded.any():
        pair = int(crowded.argmax())
        raise GraphError(f"{who}: the mapping of pair {pair} leaves more nodes unmatched than the order has places")


def _bounds(values: Any, count: int, what: str) -> FloatArray:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" or array.shape != (count,) or np.isnan(array).any() or (count and array.min() < 0):
        raise GraphError(f"{what} must be {count} numbers of at least 0, one for each pair")
    return np.ascontiguousarray(array, dtype=np.float64)


def _places(batch: GraphBatch) -> tuple[Any, Any]:
    """Offsets and roles of nodes; read-only arrays are copied, because numba would compile anew for them."""
    node_ptr, roles = (array if array.flags.writeable else array.copy() for array in (batch.node_ptr, batch.roles))
    return node_ptr, roles
