"""Sketches: a vector f(X) of each graph, the same however its nodes are numbered, with |f(X) - f(Y)| <= D(X, Y).

Computed once a graph; the bounds of N x k pairs are then one matrix product. Sketches are comparable only if they are of
one kind and one order.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import FloatArray, IntArray
from graphmeans.matching.pairs import UNBOUNDED, covering

#: The two kinds of sketches; neither is always the larger bound.
KINDS = ("rows", "projection")
#: Most numbers in a dense block of graphs.
NUMBERS_AT_ONCE = 1 << 22
#: What rounding may have added to a squared distance of sketches, relative to their squared norms.
ROUNDING = 1e-12


def sketch(batch: GraphBatch, order: IntArray, kind: str = "rows") -> FloatArray:
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
    dim: about n^2 numbers a channel ("rows"), or 2 n ("projection"; 3 n directed), and n a node attribute.
    """
    if kind not in KINDS:
        raise GraphError(f"kind must be 'rows' or 'projection', got {kind!r}")
    order = sketch_order(covering(order, len(batch.role_names)), batch)
    over = np.flatnonzero((batch.role_counts > order[: batch.role_counts.shape[1]]).any(axis=1))
    if len(over):
        raise GraphError(f"graph {over[0]} is larger than the order {order.tolist()} of the sketch")
    starts = np.concatenate([[0], np.cumsum(order)]).astype(np.int64)
    n, channels = int(starts[-1]), batch.edge_values.shape[1]
    step = max(1, NUMBERS_AT_ONCE // max(1, n * n * channels))
    blocks = [slice(int(a), int(b)) for a, b in pairwise(starts) if b > a]  # the places of each role
    of_edges = _sorted_rows if kind == "rows" else _projected
    parts = []
    for first in range(0, max(1, len(batch)), step):
        nodes, edges = _dense(batch, np.arange(first, min(first + step, len(batch))), starts)
        for block in blocks:
            nodes[:, :, block].sort(axis=2)
        described = (nodes, *of_edges(edges, blocks, batch.directed))
        flat = [part.reshape(len(nodes), int(np.prod(part.shape[1:]))) for part in described]
        parts.append(np.concatenate(flat, axis=1))
    return np.concatenate(parts)


def sketch_order(order: IntArray, *batches: GraphBatch) -> IntArray:
    """The order at which graphs of these batches are sketched: twice the largest number where there is no limit.

    No two of them need more rows than that, so D is the same at this order as without a limit.
    """
    order = covering(order, max(len(batch.role_names) for batch in batches)).copy()
    largest = np.zeros(len(order), dtype=np.int64)
    for batch in batches:
        if len(batch):
            counts = batch.role_counts.max(axis=0)
            largest[: len(counts)] = np.maximum(largest[: len(counts)], counts)
    return np.where(order == UNBOUNDED, 2 * largest, order)


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
    np.maximum(result, 0.0, out=result)
    return np.sqrt(result, out=result)


def sketch_bounds(x: GraphBatch, y: GraphBatch, order: IntArray) -> FloatArray:
    """Lower bounds of D between all graphs of two batches, shape (len(x), len(y)): the larger of both kinds."""
    order = sketch_order(order, x, y)
    bounds = [sketch_distances(sketch(x, order, kind), sketch(y, order, kind)) for kind in KINDS]
    return np.maximum(*bounds)


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


def _sorted_rows(edges: FloatArray, blocks: list[slice], directed: bool) -> list[FloatArray]:
    """Rows sorted towards each role, then columns sorted within each role.

    The channels of a directed batch are a node's arcs out and its arcs in, each / sqrt 2: nothing special is needed.
    """
    n = edges.shape[2]
    edges[:, :, np.arange(n), np.arange(n)] = np.inf  # the diagonal goes to the end of its row, in every graph alike
    for block in blocks:
        edges[:, :, :, block].sort(axis=3)
    for block in blocks:
        edges[:, :, block].sort(axis=2)
    edges[np.isinf(edges)] = 0.0
    return [edges]


def _projected(edges: FloatArray, blocks: list[slice], directed: bool) -> list[FloatArray]:
    """With E the span of the roles' indicator vectors: A on E x E, on E x rest (sorted within each role), on the rest.

    For one role E is the vector of ones, A on E x E the total / n, and A on E x rest the row sums less their mean, / sqrt n.
    A symmetric matrix has the same twice; one part times sqrt 2 stands for both.
    """
    n = edges.shape[2]
    if not n:
        return [edges]
    if directed:
        edges = edges[:, : edges.shape[1] // 2] * np.sqrt(2.0)  # the first half of what is stored is x_ij / sqrt 2
    indicators = np.zeros((n, len(blocks)))
    for r, block in enumerate(blocks):
        indicators[block, r] = 1.0 / np.sqrt(block.stop - block.start)
    out = edges @ indicators
    totals = indicators.T @ out
    sides = [out - indicators @ totals]
    if directed:
        sides.append(np.swapaxes(edges, 2, 3) @ indicators - indicators @ np.swapaxes(totals, 2, 3))
    else:
        sides[0] *= np.sqrt(2.0)
    for side in sides:
        for block in blocks:
            side[:, :, block].sort(axis=2)
    rest = _complement(indicators)
    if not rest.shape[1]:
        return [totals, *sides]
    left = rest.T @ edges @ rest
    return [totals, *sides, np.linalg.svd(left, compute_uv=False) if directed else np.linalg.eigvalsh(left)]


def _complement(basis: FloatArray) -> FloatArray:
    """An orthonormal basis of the vectors orthogonal to the columns of an orthonormal basis."""
    return np.linalg.qr(basis, mode="complete")[0][:, basis.shape[1] :]
