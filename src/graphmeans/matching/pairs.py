"""Many pairs are handed to the compiled kernels on a pool of threads.

A batch of pairs is cut into chunks of about equal estimated cost. Every pair is solved by itself, so the answers do not
depend on the cut.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.jit import announce
from graphmeans.kernels.pair import Packed
from graphmeans.matching.match import Matches
from graphmeans.matching.sound import sound_order

#: The number that means "no limit" in an array of orders.
UNBOUNDED = np.int64(1) << 40
#: Most places that can be asked for, unless some graph has more nodes: sketches and centers take memory for all of them.
MAX_PLACES = 1 << 14
#: Most threads that can be asked for.
MAX_JOBS = 1024
#: Below this many rows^3 it costs more than it saves to give another thread a chunk of its own.
WORTH_A_CHUNK = 50_000


def rows_needed(x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray) -> tuple[IntArray, Any]:
    """Rows of each pair (see kernels/pair.py), and whether no inner product of the pair can be negative."""
    order = covering(order, max(len(x.role_names), len(y.role_names)))
    x_count, y_count = _wide(x.role_counts, len(order))[pairs[:, 0]], _wide(y.role_counts, len(order))[pairs[:, 1]]
    largest = np.maximum(x_count, y_count)
    non_negative = x.non_negative[pairs[:, 0]] & y.non_negative[pairs[:, 1]]
    if non_negative.all():
        return largest.sum(axis=1), non_negative
    rows = np.where(non_negative[:, None], largest, np.maximum(largest, np.minimum(order, x_count + y_count)))
    return rows.sum(axis=1), non_negative


def solve_pairs(
    kernel: Callable[..., None], settings: tuple[Any, ...], x: GraphBatch, y: GraphBatch, pairs: IntArray,
    order: IntArray, n_jobs: int | None, *extra_outputs: np.ndarray,
) -> Matches:  # fmt: skip
    """Run a kernel that finds mappings over all pairs, which are sound (`sound_pairs`), as is what is in the settings."""
    ptr = offsets(x.sizes[pairs[:, 0]])
    matches = Matches(np.empty(len(pairs)), np.empty(len(pairs)), ptr, np.empty(ptr[-1], dtype=np.int64))
    outputs = (ptr, matches.lower, matches.upper, matches.flat, *extra_outputs)
    run_kernel(kernel, x, y, pairs, order, n_jobs, *settings, *outputs)
    return matches


def run_kernel(
    kernel: Callable[..., None], x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None,
    *arguments: Any, power: int = 3,
) -> None:  # fmt: skip
    """Run a pair kernel over all pairs (`sound_pairs`), on `n_jobs` threads (None: all cores); one costs about rows^power."""
    announce(kernel)
    if not len(pairs):
        return
    order = covering(order, max(len(x.role_names), len(y.role_names)))
    rows, non_negative = rows_needed(x, y, pairs, order)
    sides = kernel_arrays(x), kernel_arrays(y)

    def work(first: int, last: int) -> None:
        size = max(1, int(rows[first:last].max()))
        try:
            kernel(*sides, x.directed, order, non_negative, pairs, first, last, size, *arguments)
        except FloatingPointError as error:
            raise GraphError(f"{error}: some attribute is far too large beside the others") from None

    run_in_chunks(work, rows.astype(np.float64) ** power, n_jobs)


def kernel_arrays(batch: GraphBatch) -> Packed:
    """The arrays of a batch as kernels take them. Read-only arrays are copied, because numba would compile anew for them."""
    arrays = (batch.node_ptr, batch.nodes, batch.roles, batch.edge_ptr, batch.ends, batch.edge_values)
    return Packed(*[array if array.flags.writeable else array.copy() for array in arrays])


def run_in_chunks(work: Callable[[int, int], None], cost: FloatArray, n_jobs: int | None) -> None:
    """Call ``work(first, last)`` over ranges of about equal cost, on threads where that pays."""
    worth = max(1, int(cost.sum() // WORTH_A_CHUNK))
    threads = min(n_threads(n_jobs), worth, len(cost))
    if threads == 1:
        work(0, len(cost))
        return
    total = np.cumsum(cost)
    # Several chunks for each thread even out what the estimate gets wrong.
    cuts = np.searchsorted(total, np.linspace(0.0, total[-1], min(8 * threads, worth) + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], cuts, [len(cost)]]))
    list(_pool(threads).map(work, edges[:-1].tolist(), edges[1:].tolist()))  # waits, and raises what went wrong


def n_threads(n_jobs: int | None) -> int:
    """The number of threads for `n_jobs`. None and -1 mean every core that this process may use, as in joblib."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and 0 < abs(n_jobs) <= MAX_JOBS):
        raise GraphError(f"n_jobs must be None or a whole number other than 0, at most {MAX_JOBS}, got {n_jobs!r}")
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if n_jobs is None else max(1, cores + 1 + n_jobs)


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="graphmeans")


def covering(order: IntArray, n_roles: int) -> IntArray:
    """A copy of the order, which kernels may take, with an entry for every role.

    Roles that the space has never seen have no places of their own: such nodes are compared at their own number.
    """
    result = np.zeros(max(len(sound_order(order)), n_roles), dtype=np.int64)
    result[: len(order)] = order
    return result


def are_larger(batch: GraphBatch, order: IntArray) -> NDArray[np.bool_]:
    """Which graphs have more nodes of some role than an order has places."""
    counts = batch.role_counts
    return np.asarray((counts > covering(order, counts.shape[1])[: counts.shape[1]]).any(axis=1))


def _wide(counts: IntArray, n_roles: int) -> IntArray:
    return counts if counts.shape[1] == n_roles else np.pad(counts, ((0, 0), (0, n_roles - counts.shape[1])))
