"""Pairs are solved on a GPU: graphs are uploaded once, cut into launches of alike pairs, and the answers come back.

The seam is small: `get_device` says which program runs, `search_on_device` and `bound_on_device` are what `Search` and
`lap_bounds` call. Pairs that a warp cannot hold (more than 64 rows) are left to the CPU, which works on them at the same time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.cuda.program import CudaProgram, DeviceError
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import covering, rows_needed

DEVICES = ("auto", "cpu", "cuda")
#: Most rows of a pair that one warp holds.
MAX_ROWS = 64
#: Sizes of the matrices in fast memory: multiples of 4 by an odd number, so that rows lie in different banks. With each, the most
#: rows that it is used for.
STRIDES = ((12, 12), (20, 20), (28, 28), (32, 36), (36, 36), (44, 44), (52, 52), (60, 60), (64, 68))
#: A dictionary for all graphs of a batch has at most so many values; otherwise every edge is an entry of its own.
COMMON_VALUES = 64
#: The table of inner products lies beside fast memory where it has more entries than this.
TABLE_INSIDE = 6144
#: What `device="auto"` takes to be worth the trip: sums of rows^3 over the pairs.
WORTH = 3e7
#: Numbers up to this can be squared and added in single precision.
LARGEST = 2.0**40
#: Most pairs that are on the device at a time, if its memory holds them, and about how many bytes a pair takes.
PAIRS_AT_ONCE, BYTES_A_PAIR = 1 << 21, 512
#: A round of trials: growths, and regrowths for each row.
GROWTHS, REGROWTHS = 6, 4

Program = Any  # HostProgram or CudaProgram

_BATCH = np.dtype([(name, np.uint64) for name in (
    "node_ptr", "nodes", "roles", "role_counts", "row_ptr", "near", "inward", "values", "first_value", "n_values", "sorted",
    "tail", "n_high", "n_low", "squares",
)] + [(name, np.int64) for name in ("width", "channels", "n_nodes", "n_near")])  # fmt: skip
_LAYOUT = np.dtype([(name, np.int32) for name in (
    "stride", "linear", "context", "code", "x_quads", "x_start", "y_start", "y_list", "x_squares", "y_squares", "product",
    "x_near", "y_near", "allowed", "floats", "bytes", "total", "product_outside", "rows", "unused",
)])  # fmt: skip
_SETTINGS = np.dtype([
    ("n_roles", np.int32), ("effort", np.float32), ("growths", np.int32), ("regrowths", np.int32), ("table_size", np.int32),
    ("unused", np.int32),
])  # fmt: skip

#: Seconds that the kernels of the last call took, as the device measures them, and of all calls; for benchmarks.
kernel_seconds = kernel_total = 0.0

_lock = threading.Lock()
_program: Program | None = None
_problem: str | None = None


def check_device(device: str) -> None:
    """Raise a `GraphError` for a name that is none, and for "cuda" where no GPU can be used."""
    if device not in DEVICES:
        raise GraphError(f"device must be 'auto', 'cpu' or 'cuda', got {device!r}")
    if device == "cuda" and get_device("cuda") is None:
        raise GraphError(_problem or "no CUDA device was found")


def get_device(device: str) -> Program | None:
    """The program for a device: None for the CPU, and for "auto" where there is no GPU."""
    global _program, _problem
    if device == "cpu":
        return None
    with _lock:
        if _program is None and _problem is None:
            try:
                _program = CudaProgram()
            except DeviceError as error:
                _problem = str(error)
    return _program


def use_program(program: Program | None) -> None:
    """Let this program stand for the GPU; the tests of kernels run on one for the host. None: look for a GPU again."""
    global _program, _problem
    _program, _problem = program, None
    _uploaded.clear()


def takes(x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, device: str) -> tuple[Program | None, Any]:
    """The program that is to run, if any, and which pairs it can take."""
    if device == "cpu" or not len(pairs):
        return None, None
    program = get_device(device)
    if program is None or max(*x.magnitudes, *y.magnitudes) > LARGEST:
        return None, None
    rows = rows_needed(x, y, pairs, order)[0]
    fits = (rows <= MAX_ROWS) & (rows > 0)
    if not fits.any() or (device == "auto" and (rows[fits].astype(np.float64) ** 3).sum() < WORTH):
        return None, None
    return program, fits


# -- graphs on the device --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Uploaded:
    """A batch on the device: the struct that kernels read, what it points to, and sizes that the host needs."""

    struct: Any
    arrays: tuple[Any, ...]
    n_values: IntArray
    n_near: IntArray
    n_quads: IntArray


_uploaded: WeakKeyDictionary[GraphBatch, Uploaded] = WeakKeyDictionary()


def upload(program: Program, batch: GraphBatch) -> Uploaded:
    """The batch on the device; it stays there as long as the batch lives."""
    with _lock:
        if batch not in _uploaded:
            _uploaded[batch] = _upload(program, batch)
        return _uploaded[batch]


def _upload(program: Program, batch: GraphBatch) -> Uploaded:
    n, channels = len(batch), batch.edge_values.shape[1]
    n_edges = np.diff(batch.edge_ptr)
    # Each edge is listed at both of its ends.
    graph = np.repeat(np.arange(n), n_edges)
    first = batch.node_ptr[graph]
    ends = batch.ends.astype(np.int64)
    here = np.concatenate([first + ends[:, 1], first + ends[:, 0]])
    there = np.concatenate([ends[:, 0], ends[:, 1]])
    values, first_value, n_values, outward = _dictionary(batch)
    inward = np.concatenate([outward[0], outward[1]])  # at the second end an edge comes in as it is stored
    order = np.argsort(here, kind="stable")
    row_ptr = offsets(np.bincount(here, minlength=len(batch.nodes)))
    owner = np.repeat(np.arange(n), batch.sizes)
    squares = np.stack([
        np.bincount(owner, (batch.nodes**2).sum(axis=1), minlength=n),
        np.bincount(graph, 2.0 * (batch.edge_values**2).sum(axis=1), minlength=n),
    ], axis=1)  # fmt: skip
    keys, listed, nodes = (1 if channels == 1 else channels + 1), len(here), len(batch.nodes)
    xp = program.xp
    arrays = [
        program.to_device(array)
        for array in (
            batch.node_ptr, _filled(batch.nodes), batch.roles.astype(np.int32), batch.role_counts.astype(np.int32), row_ptr,
            there[order].astype(np.uint16), inward[order].astype(np.uint16), _filled(values), first_value,
            n_values.astype(np.int32),
        )
    ] + [
        xp.empty(max(1, keys * listed), xp.float64), xp.empty(max(1, keys * listed), xp.float64),
        xp.empty(max(1, keys * nodes), xp.uint16), xp.empty(max(1, keys * nodes), xp.uint16), program.to_device(squares),
    ]  # fmt: skip
    record = np.zeros(1, _BATCH)
    record[0] = (*[program.address(a) for a in arrays], batch.nodes.shape[1], channels, nodes, listed)
    struct = program.to_device(record.view(np.uint8))
    if nodes:
        program.sort_rows(nodes, (struct, program.to_device(owner.astype(np.int32)), *arrays[10:14]))
    quads = offsets(-(-np.diff(row_ptr) // 4))
    n_near, n_quads = (ptr[batch.node_ptr[1:]] - ptr[batch.node_ptr[:-1]] for ptr in (row_ptr, quads))
    return Uploaded(struct, tuple(arrays), n_values, n_near, n_quads)


def _filled(array: FloatArray) -> FloatArray:
    """The array, or one number where it is empty: kernels are given an address, even if they do not read it."""
    return array if array.size else np.zeros(1)


def _dictionary(batch: GraphBatch) -> tuple[FloatArray, IntArray, IntArray, tuple[IntArray, IntArray]]:
    """Values of edges, where those of each graph begin and how many they are, and the codes of all edges from both ends.

    Where a batch has few different values, as molecules have, all graphs share them.
    """
    n, channels = len(batch), batch.edge_values.shape[1]
    stored = np.ascontiguousarray(batch.edge_values)
    if batch.directed:
        half = channels // 2
        both = np.stack([stored, np.concatenate([stored[:, half:], stored[:, :half]], axis=1)], axis=1).reshape(-1, channels)
    else:
        both = stored
    common, codes = _common_values(both)
    if common is not None:
        first, count = np.zeros(n, dtype=np.int64), np.full(n, len(common))
    else:
        common, per_edge = both, 2 if batch.directed else 1
        first, count = per_edge * batch.edge_ptr[:-1], per_edge * np.diff(batch.edge_ptr)
        codes = np.arange(len(both)) - np.repeat(first, count)
    return common, first, count, (codes[::2], codes[1::2]) if batch.directed else (codes, codes)


def _common_values(values: FloatArray) -> tuple[FloatArray | None, IntArray]:
    """The different rows and the number of each row, if they are few."""
    if not len(values):
        return values, np.zeros(0, dtype=np.int64)
    bits = values.view(np.uint64).reshape(values.shape)
    with np.errstate(over="ignore"):
        drawn = np.random.RandomState(0).randint(0, 2**62, size=(values.shape[1],), dtype=np.int64)
        factors = drawn.astype(np.uint64) * np.uint64(2) + np.uint64(1)
        keys = ((bits ^ (bits >> np.uint64(29))) * factors).sum(axis=1)
    known = np.unique(keys[:: max(1, len(keys) // 4096)])
    if len(known) > COMMON_VALUES:
        return None, keys.view(np.int64)
    unique, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    if len(unique) > COMMON_VALUES or not np.array_equal(values[first][codes], values):
        return None, codes
    return values[first], codes


# -- launches --------------------------------------------------------------------------------------


def beside_device(
    program: Program, fits: NDArray[np.bool_], x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, effort: float,
    table: FloatArray, warm: IntArray | None, rest: Callable[[NDArray[np.bool_], IntArray | None], Matches],
) -> Matches:  # fmt: skip
    """The answers of all pairs: the device searches those that fit, while `rest` solves the others."""
    if fits.all():
        return search_on_device(program, x, y, pairs, order, effort, table, warm)()
    found = Matches.empty(offsets(x.sizes[pairs[:, 0]]))

    def given(which: NDArray[np.bool_]) -> IntArray | None:
        return None if warm is None else np.asarray(warm)[row_ranges(found.ptr, np.flatnonzero(which))[0]]

    wait = search_on_device(program, x, y, pairs[fits], order, effort, table, given(fits))
    found.put(~fits, rest(~fits, given(~fits)))
    found.put(fits, wait())
    return found


def search_on_device(
    program: Program, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, effort: float, table: FloatArray,
    warm: IntArray | None,
) -> Callable[[], Matches]:  # fmt: skip
    """Begin to search; what is returned waits for the answers."""
    ptr = offsets(x.sizes[pairs[:, 0]])
    parts: list[Callable[[], Any]] = []
    for part in _parts(program, len(pairs)):
        rows = slice(ptr[part.start], ptr[part.stop])
        given = None if warm is None else warm[rows]
        own = ptr[part.start : part.stop + 1] - ptr[part.start]
        parts.append(_run(program, x, y, pairs[part], order, effort, table, own, given))
        if part.stop < len(pairs):
            parts[-1] = partial(tuple, parts[-1]())  # make room for the next

    def wait() -> Matches:
        lower, upper, mappings = (np.concatenate(arrays) for arrays in zip(*(part() for part in parts), strict=True))
        return Matches(lower, upper, ptr, mappings.astype(np.int64))

    return wait


def bound_on_device(
    program: Program, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray
) -> Callable[[], FloatArray]:
    """Begin to compute the sorted-row bounds of pairs; what is returned waits for them."""
    parts = list(_parts(program, len(pairs)))
    done = [_run(program, x, y, pairs[part], order)()[0] for part in parts[:-1]]
    last = _run(program, x, y, pairs[parts[-1]], order)
    return lambda: np.concatenate([*done, last()[0]])


def _parts(program: Program, count: int) -> Iterator[slice]:
    """Ranges of pairs that fit into the memory of the device."""
    at_once = int(max(1024, min(PAIRS_AT_ONCE, program.free_bytes() // (4 * BYTES_A_PAIR))))
    for start in range(0, count, at_once):
        yield slice(start, min(count, start + at_once))


def _run(
    program: Program, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, effort: float = 0.0,
    table: FloatArray | None = None, ptr: IntArray | None = None, warm: IntArray | None = None,
) -> Callable[[], tuple[FloatArray, FloatArray, NDArray[np.int16]]]:  # fmt: skip
    here, there = upload(program, x), upload(program, y)
    order = covering(order, max(len(x.role_names), len(y.role_names)))
    need = _rows_of_roles(x, y, pairs, order)
    rows = need.sum(axis=1)
    send = program.to_device
    searching = ptr is not None
    size = int(ptr[-1]) if ptr is not None else 0
    lower, upper = send(np.zeros(len(pairs))), send(np.zeros(len(pairs) if searching else 1))
    mappings = send(np.full(max(1, size), -1, dtype=np.int16))
    warm_on = None if warm is None else send(np.asarray(warm, dtype=np.int16))
    table_on = send(np.zeros(1, np.float32) if table is None else table.astype(np.float32))
    errors = send(np.zeros(1, np.int32))
    settings = np.zeros(1, _SETTINGS)
    settings[0] = (len(order), effort, GROWTHS, REGROWTHS, 1 if table is None else len(table), 0)
    # Alike pairs go together, the most costly first; answers are put where their pairs were.
    bins = np.searchsorted(np.array([most for most, _ in STRIDES]), rows)
    wide = there.n_values[pairs[:, 1]] > 254
    work = np.minimum(here.n_near[pairs[:, 0]] + there.n_near[pairs[:, 1]] + 2 * rows, 255)
    group = (len(STRIDES) - bins) * 2 + wide
    sorting = np.argsort((group * 256 + 255 - work).astype(np.uint16), kind="stable")
    sorted_pairs, sorted_need, sorted_rows = pairs[sorting], need[sorting], rows[sorting]
    pairs_on, need_on = send(sorted_pairs), send(sorted_need.astype(np.int32))
    rows_on = send(sorted_rows.astype(np.int32))
    ptr_on = send(ptr[:-1][sorting] if ptr is not None else np.zeros(1, dtype=np.int64))
    cuts = np.flatnonzero(np.diff(group[sorting])) + 1
    held: list[Any] = []
    program.begin()
    for start, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(pairs)], strict=True):
        if start == end:
            continue
        part, is_wide = sorted_pairs[start:end], bool(wide[sorting[start]])
        layout = layout_for(
            STRIDES[int(bins[sorting[start]])][1], int(sorted_rows[start:end].max()), is_wide,
            int(here.n_quads[part[:, 0]].max()), int(there.n_near[part[:, 1]].max()),
            int(here.n_values[part[:, 0]].max()), int(there.n_values[part[:, 1]].max()),
        )  # fmt: skip
        places, following = np.zeros(1, _LAYOUT), send(np.zeros(1, np.int32))
        places[0] = tuple(layout.get(name, 0) for name in _LAYOUT.names or ())
        held.append(following)
        program.solve_pairs(
            is_wide, layout, end - start,
            (here.struct, there.struct, places, settings, start, end, pairs_on, rows_on, need_on, table_on, ptr_on,
             warm_on, lower, upper, mappings if searching else None, errors, following),
            layout["product_outside"],
        )  # fmt: skip

    def collect() -> tuple[FloatArray, FloatArray, NDArray[np.int16]]:
        global kernel_seconds, kernel_total
        kernel_seconds = program.finish()
        kernel_total += kernel_seconds
        found = np.empty(len(pairs)), np.empty(len(pairs))
        found[0][sorting] = program.to_host(lower)
        if searching:
            found[1][sorting] = program.to_host(upper)
        if program.to_host(errors)[0]:
            raise FloatingPointError("costs of an assignment are no numbers")
        held.clear()
        return found[0], found[1], program.to_host(mappings)[:size]

    return collect


def _rows_of_roles(x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray) -> IntArray:
    """Rows that each pair needs of each role; see kernels/pair.py."""

    def counts(batch: GraphBatch, which: IntArray) -> IntArray:
        wide = np.zeros((len(which), len(order)), dtype=np.int64)
        wide[:, : batch.role_counts.shape[1]] = batch.role_counts[which]
        return wide

    x_count, y_count = counts(x, pairs[:, 0]), counts(y, pairs[:, 1])
    largest = np.maximum(x_count, y_count)
    non_negative = x.non_negative[pairs[:, 0]] & y.non_negative[pairs[:, 1]]
    padded = np.maximum(largest, np.minimum(order, x_count + y_count))
    return np.where(non_negative[:, None], largest, padded)


def layout_for(
    stride: int, rows: int, wide: bool, x_quads: int, y_near: int, x_values: int, y_values: int
) -> dict[str, int]:
    """Where the parts of a pair lie in fast memory, in bytes; see `Layout` in kernels/cuda/pair.cuh."""
    at, products = 0, x_values * (y_values + 1)
    outside = products > TABLE_INSIDE
    layout = {"stride": stride, "rows": rows, "product_outside": products if outside else 0}
    for name, size in (
        ("x_near", 8 * stride), ("y_near", 8 * stride), ("allowed", 8 * stride), ("x_quads", 16 * x_quads),
        ("linear", 4 * rows * stride), ("floats", 8 * stride), ("product", 0 if outside else 4 * max(1, products)),
        ("x_squares", 4 * x_values), ("y_squares", 4 * y_values), ("y_list", 4 * y_near), ("x_start", 2 * (rows + 1)),
        ("y_start", 2 * (rows + 1)), ("context", 2 * rows * stride),
        ("code", (2 if wide or outside else 1) * (rows + 1) * stride),
        ("bytes", 5 * stride + 4),
    ):  # fmt: skip
        at = (at + 15) // 16 * 16
        layout[name] = at
        at += size
    layout["total"] = (at + 15) // 16 * 16
    return layout
