"""A sketch is a vector f(X) of a graph, the same however its nodes are numbered, with |f(X) - f(Y)| <= D(X, Y).

It is computed once for each graph; the bounds of N x k pairs are then one matrix product. Sketches are
comparable only if they are of one kind and one order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.budget import check_room
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, largest_of, offsets, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.kernels.pair import SMALLEST
from graphmeans.matching.pairs import UNBOUNDED, covering

#: The two kinds of sketches; neither is always the larger bound.
SKETCH_KINDS = ("rows", "projection")
#: Most numbers in a dense block of graphs.
NUMBERS_AT_ONCE = 1 << 22
#: Most numbers in sketches that are made only to be compared.
NUMBERS_HELD = 1 << 24
#: Graphs of a space of at most this order are not sorted by size.
ONE_SIZE = 32
#: What rounding may have added to a squared distance of sketches, relative to their squared norms.
ROUNDING = 1e-12


def sketch_batch(batch: GraphBatch, order: IntArray, kind: str = "rows") -> FloatArray:
    """The sketches of all graphs of a batch, shape (number of graphs, dim).

    ``"rows"``: each node's edges sorted within its row, then every column of the result sorted; the node values sorted.
    ``"projection"``: totals, sorted row sums, and the spectrum of what is left; the node values sorted.

    Proof. Let X and P.Y be nearest, so that D = |X - P.Y|; f(P.Y) = f(Y), and it is enough that f brings no two arrays
    farther apart. Sorting does not (sorted numbers are nearest to sorted numbers), nor does a projection, nor do sorted
    eigenvalues (Hoffman and Wielandt) or singular values (Mirsky); the parts that f treats separately are orthogonal.

    Parameters
    ----------
    batch : GraphBatch
    order : int array
        Places for each role. A graph that is larger raises: it has to be compared at its own order, and everything it is
        compared with has to be sketched at that order, too. An unbounded entry means twice the largest number in this
        batch; with several batches give ``sketch_order(order, *batches)``.
    kind : {"rows", "projection"}

    Notes
    -----
    dim: about n^2 numbers a channel ("rows"), or 2 n ("projection"; 3 n directed), and n a node attribute. What it takes
    to compute them depends on the graph's own size, not on n: null nodes only add zeros, whose places are known.
    """
    if kind not in SKETCH_KINDS:
        raise GraphError(f"kind must be 'rows' or 'projection', got {kind!r}")
    order = sketch_order(covering(order, len(batch.role_names)), batch)
    over = np.flatnonzero((batch.role_counts > order[: batch.role_counts.shape[1]]).any(axis=1))
    if len(over):
        raise GraphError(f"graph {over[0]} is larger than the order {order.tolist()} of the sketch")
    channels, n = batch.edge_values.shape[1], float(order.sum())
    if kind == "rows":
        check_room(8.0 * len(batch) * n * n * channels, f"sketches of {len(batch)} graphs, each of {int(n)} rows,")
    of_edges = _sorted_rows if kind == "rows" else _projected
    result: FloatArray | None = None
    for places, which in _size_classes(batch, order):
        roles = _Roles(places, order)
        step = max(1, NUMBERS_AT_ONCE // max(1, roles.rows**2 * channels))
        for first in range(0, max(1, len(which)), step):
            some = which[first : first + step]
            nodes, edges = _dense(batch, some, roles.starts)
            for block in roles.blocks:
                nodes[:, :, block].sort(axis=2)
            described = (roles.padded(nodes, 2), *of_edges(edges, roles, batch.directed))
            flat = [part.reshape(len(some), int(np.prod(part.shape[1:]))) for part in described]
            if result is None:
                result = np.empty((len(batch), sum(part.shape[1] for part in flat)))
            result[some] = np.concatenate(flat, axis=1)
    assert result is not None
    return result


def _size_classes(batch: GraphBatch, order: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Graphs of about one size, with the places of each role that suffice for them; at least one class, maybe an empty one.

    The class of a graph depends on its own size and the order alone, so its sketch does not depend on the other graphs.
    """
    counts = batch.role_counts
    size_class = np.zeros(len(batch), dtype=np.int64)
    sizes = [order]
    share = 1.0
    while order.sum() > ONE_SIZE and sizes[-1].max() > 2:
        share *= 0.75 if len(sizes) % 2 else 2 / 3  # 1, 3/4, 1/2, 3/8, 1/4, ...
        sizes.append(np.ceil(order * share).astype(np.int64))
        size_class[(counts <= sizes[-1][: counts.shape[1]]).all(axis=1)] = len(sizes) - 1
    for number in np.unique(size_class) if len(batch) else [len(sizes) - 1]:
        yield sizes[number], np.flatnonzero(size_class == number)


class _Roles:
    """The places of each role: those that some graphs are laid out in, and how many more of them the space has."""

    def __init__(self, places: IntArray, order: IntArray) -> None:
        self.starts = offsets(places)
        self.rows, self.n = int(self.starts[-1]), int(order.sum())
        present = order > 0
        self.blocks = [slice(int(a), int(b)) for a, b in zip(self.starts[:-1][present], self.starts[1:][present], strict=True)]
        self.orders = order[present].tolist()

    def padded(self, values: FloatArray, axis: int) -> FloatArray:
        """Numbers that are sorted within each role, with the zeros of the null nodes among them."""
        if self.rows == self.n:
            return values
        values = np.moveaxis(values, axis, -1)
        result = np.zeros((*values.shape[:-1], self.n))
        end = 0
        for block, order in zip(self.blocks, self.orders, strict=True):
            end += order
            _insert_zeros(values[..., block], result[..., end - order : end])
        return np.moveaxis(result, -1, axis)


def _insert_zeros(values: FloatArray, result: FloatArray) -> None:
    """Put sorted numbers into longer rows of zeros (in, out), so that these are sorted: negative ones first, others last."""
    count = values.shape[-1]
    if count:
        result[..., :count] += np.minimum(values, 0.0)
        result[..., -count:] += np.maximum(values, 0.0)


def sketch_order(order: IntArray, *batches: GraphBatch) -> IntArray:
    """The order at which graphs of these batches are sketched: twice the largest number where there is no limit.

    No two of them need more rows than that, so D is the same at this order as without a limit.
    """
    largest = largest_of(*batches)
    order = covering(order, len(largest))
    return np.where(order == UNBOUNDED, 2 * covering(largest, len(order)), order)


def sketch_distances(fx: NDArray[Any], fy: NDArray[Any]) -> FloatArray:
    """|f(X) - f(Y)| for all X and Y, shape (len(fx), len(fy)): lower bounds of D, also after rounding.

    The squares are taken low by a share of the squared norms, more than a matrix product of this length can be wrong, in
    double precision or in single.
    """
    slack = 1.0 - ROUNDING - 2.0 * (fx.shape[1] + 4) * np.finfo(fx.dtype).eps
    x_squares, y_squares = (np.einsum("nd,nd->n", f, f) * slack for f in (fx, fy))
    result: FloatArray = fx @ fy.T
    result *= -2.0
    result += x_squares[:, None]
    result += y_squares
    result[~(result > SMALLEST)] = 0.0  # smaller squares have lost digits
    return np.sqrt(result, out=result)


def pairwise_sketch_bounds(x: GraphBatch, y: GraphBatch, order: IntArray) -> FloatArray:
    """Lower bounds of D between all graphs of two batches, shape (len(x), len(y)): the larger of both kinds.

    The sketches of x are made for some graphs at a time: in a space of a high order they take a megabyte each.
    """
    order = sketch_order(order, x, y)
    n = int(order.sum())
    step = max(1, NUMBERS_HELD // max(1, n * n * x.edge_values.shape[1]))
    result = np.zeros((len(x), len(y)))
    for kind in SKETCH_KINDS:
        there = sketch_batch(y, order, kind)
        for first in range(0, len(x), step):
            some = np.arange(first, min(first + step, len(x)))
            bounds = sketch_distances(sketch_batch(x.take(some), order, kind), there)
            np.maximum(result[some], bounds, out=result[first : first + len(some)])
    return result


def _dense(batch: GraphBatch, which: IntArray, starts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Node values (N, dv, n) and stored edge values (N, channels, n, n) of some graphs, each role in its own places."""
    count, n = len(which), int(starts[-1])
    rows, ptr = row_ranges(batch.node_ptr, which)
    graph = np.repeat(np.arange(count), np.diff(ptr))
    group = graph * len(starts) + batch.roles[rows]
    by_group = np.argsort(group, kind="stable")
    ordered = group[by_group]
    rank = np.empty(len(rows), dtype=np.int64)
    rank[by_group] = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    place = starts[batch.roles[rows]] + rank
    nodes = np.zeros((count, batch.nodes.shape[1], n))
    nodes[graph, :, place] = batch.nodes[rows]

    at, edge_ptr = row_ranges(batch.edge_ptr, which)
    graph = np.repeat(np.arange(count), np.diff(edge_ptr))
    i, j = (place[ptr[graph] + batch.ends[at, side]] for side in (0, 1))
    values = batch.edge_values[at]
    edges = np.zeros((count, values.shape[1], n, n))
    edges[graph, :, i, j] = values
    edges[graph, :, j, i] = np.roll(values, values.shape[1] // 2, axis=1) if batch.directed else values
    return nodes, edges


def _sorted_rows(edges: FloatArray, roles: _Roles, directed: bool) -> list[FloatArray]:
    """Rows sorted towards each role, then columns sorted within each role.

    The channels of a directed batch are a node's arcs out and its arcs in, each / sqrt 2: nothing special is needed.
    """
    rows = np.arange(roles.rows)
    edges[:, :, rows, rows] = np.inf  # the diagonal goes to the end of its row, in every graph alike
    for block in roles.blocks:
        edges[:, :, :, block].sort(axis=3)
    edges[np.isinf(edges)] = 0.0
    edges = roles.padded(edges, 3)
    for block in roles.blocks:
        edges[:, :, block].sort(axis=2)
    return [roles.padded(edges, 2)]


def _projected(edges: FloatArray, roles: _Roles, directed: bool) -> list[FloatArray]:
    """With E the span of the roles' indicator vectors: A on E x E, on E x rest (sorted within each role), on the rest.

    For one role E is the vector of ones, A on E x E the total / n, and A on E x rest the row sums less their mean, / sqrt n.
    A symmetric matrix has the same twice; one part times sqrt 2 stands for both.
    """
    if not roles.n:
        return [edges]
    if directed:
        edges = edges[:, : edges.shape[1] // 2] * np.sqrt(2.0)  # the first half of what is stored is x_ij / sqrt 2
    indicators = np.zeros((roles.rows, len(roles.blocks)))
    lengths = 1.0 / np.sqrt(roles.orders)
    for r, block in enumerate(roles.blocks):
        indicators[block, r] = lengths[r]
    out = edges @ indicators
    totals = indicators.T @ out
    sides = [(out, totals)]
    if directed:
        sides.append((np.swapaxes(edges, 2, 3) @ indicators, np.swapaxes(totals, 2, 3)))
    parts = []
    for side, total in sides:
        for block in roles.blocks:
            side[:, :, block].sort(axis=2)
        # What E x E has of it is the same number throughout a role: it does not change how the rest is sorted.
        shared = np.repeat(lengths[:, None] * total, roles.orders, axis=2)
        parts.append((roles.padded(side, 2) - shared) * (1.0 if directed else np.sqrt(2.0)))
    rest = _rest(roles)
    left = rest.T @ edges @ rest
    spectrum = np.zeros((*left.shape[:2], roles.n - len(roles.blocks)))
    if directed:
        spectrum[..., : left.shape[2]] = np.linalg.svd(left, compute_uv=False)
    else:
        _insert_zeros(np.linalg.eigvalsh(left), spectrum)
    return [totals, *parts, spectrum]


def _rest(roles: _Roles) -> FloatArray:
    """W with W W' the projection along each role's vector of ones, as far as it concerns the places that are laid out.

    The projected matrix P A P has the eigenvalues of W' A W, and else zeros. With all n places W is a basis of the vectors
    orthogonal to ones; with m < n of them W W' = I - 1 1' / n (m x m), of which it is the root I - b 1 1'.
    """
    full = [block.stop - block.start == n for block, n in zip(roles.blocks, roles.orders, strict=True)]
    result = np.zeros((roles.rows, roles.rows - sum(full)))
    column = 0
    for block, n, is_full in zip(roles.blocks, roles.orders, full, strict=True):
        m = block.stop - block.start
        if is_full:
            part = np.linalg.qr(np.full((n, 1), 1.0 / np.sqrt(n)), mode="complete")[0][:, 1:]
        else:
            part = np.eye(m) - (1.0 - np.sqrt(1.0 - m / n)) / m
        result[block, column : column + part.shape[1]] = part
        column += part.shape[1]
    return result
