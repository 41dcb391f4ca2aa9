"""Adjacency matrices in and out, dense and sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.errors import GraphError, speaking_of
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph

#: Two entries that ought to be equal may differ by this share of the largest entry.
ROUNDING = 1e-10


def from_adjacency(
    matrices: Any, nodes: ArrayLike | Sequence[ArrayLike] | None = None, *,
    directed: bool = False, loops: str | bool = "auto",
) -> Any:  # fmt: skip
    """Make graphs of adjacency matrices.

    A non-zero entry is an edge with that weight; in a sequence, an (n, n, de) array gives edges with de attributes. An
    undirected matrix must be symmetric, up to rounding. The diagonal, the self-loops, becomes node attributes behind those given
    in `nodes`.

    Parameters
    ----------
    matrices : array or sparse matrix of shape (n, n), or a sequence of them or of arrays of shape (n, n, de)
        The matrices.
    nodes : array of shape (n, dv) or a sequence of them, optional
        Node attributes.
    directed : bool, default=False
        Whether edges have a direction.
    loops : "auto" or bool, default="auto"
        Whether the diagonal becomes node attributes; "auto": if it is not zero in one of the matrices. Say True or False
        where matrices of several calls are to be compared.

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    to_adjacency : The way back.
    structures.labelled_networks : Matrices whose rows have names.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.from_adjacency([[0, 1], [1, 0]])
    Graph(2 nodes, 1 edge)
    >>> gm.from_adjacency([[5, 1], [1, 0]]).nodes[""].tolist()
    [[5.0], [0.0]]
    """
    if loops not in ("auto", True, False):
        raise GraphError(f"loops must be 'auto', True or False, got {loops!r}")
    one, arcs = read_matrices(matrices, directed)
    attributes: list[Any] = [None] * len(arcs) if nodes is None else [nodes] if one else list(nodes)  # type: ignore[arg-type]
    if len(attributes) != len(arcs):
        raise GraphError(f"{len(arcs)} adjacency matrices but node attributes for {len(attributes)} graphs")
    with_loops = any(a.diagonal.any() for a in arcs) if loops == "auto" else bool(loops)
    graphs = [a.graph(x, with_loops) for a, x in zip(arcs, attributes, strict=True)]
    return graphs[0] if one else graphs


def read_matrices(matrices: Any, directed: bool) -> tuple[bool, list[Arcs]]:
    """The entries of each matrix, and whether there is only one matrix, by itself."""
    one = is_sparse(matrices) or _is_rows(matrices) or (isinstance(matrices, np.ndarray) and matrices.ndim == 2)
    listed: list[Any] = [matrices] if one else list(matrices)
    labels = ["graph"] if one else [f"graph {i}" for i in range(len(listed))]
    return one, [Arcs(matrix, label, directed) for matrix, label in zip(listed, labels, strict=True)]


def to_adjacency(graph: Graph, weight: str | None = None) -> NDArray[np.float64]:
    """Compute the adjacency matrix of a graph.

    Node attributes are not in it. Of a mean graph it is the mean matrix: values times support.

    Parameters
    ----------
    graph : Graph
        The graph.
    weight : str, optional
        The edge attribute; may be left out if there is only one that is a number or a vector.

    Returns
    -------
    array of shape (n, n), or (n, n, de) for vectors
        The matrix.

    See Also
    --------
    from_adjacency : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.to_adjacency(gm.Graph(2, [(0, 1)], [3.0])).tolist()
    [[0.0, 3.0], [3.0, 0.0]]
    """
    numeric = {key: column for key, column in graph.edge_attributes.items() if column.dtype.kind == "f"}
    if weight is None and len(numeric) != 1:
        known = ", ".join(map(repr, numeric)) or "none"
        raise GraphError(f"to_adjacency needs weight=, the edge attribute to take; numbers are: {known}")
    name = next(iter(numeric)) if weight is None else weight
    if name not in numeric:
        raise GraphError(f"there is no numeric edge attribute {name!r}")
    values = np.ma.getdata(numeric[name]).reshape(graph.n_edges, -1)
    if isinstance(graph, MeanGraph) and graph.damped:
        values = values * graph.edge_support[:, None]
    matrix = np.zeros((graph.n_nodes, graph.n_nodes, values.shape[1]))
    i, j = graph.edges.T
    matrix[i, j] = values
    if not graph.directed:
        matrix[j, i] = values
    scalar = values.shape[1] == 1 and (name == BARE or numeric[name].ndim == 1)
    return matrix[:, :, 0] if scalar else matrix


def is_sparse(item: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    return hasattr(item, "tocoo") and hasattr(item, "nnz")


def is_adjacency(item: Any) -> bool:
    """Whether this can only be a matrix: sparse, or with two dimensions and more."""
    return is_sparse(item) or _is_rows(item) or (isinstance(item, np.ndarray) and item.ndim in (2, 3))


class Arcs:
    """The non-zero entries of a matrix; of an undirected one, those above its diagonal."""

    def __init__(self, matrix: Any, label: str, directed: bool) -> None:
        self.label, self.directed = label, directed
        try:
            self.n, self.ends, self.values, self.diagonal = (_sparse if is_sparse(matrix) else _dense)(matrix, directed)
        except (ValueError, TypeError) as error:
            said = str(error) if isinstance(error, GraphError) else "the adjacency matrix must be a square array of numbers"
            raise GraphError(f"{label}: {said}") from None

    def graph(self, nodes: Any, loops: bool, **about: Any) -> Graph:
        """The graph of this matrix, with its diagonal as attributes of the nodes if `loops` says so."""
        if loops:
            given = np.zeros((self.n, 0)) if nodes is None else np.asarray(nodes, dtype=np.float64).reshape(self.n, -1)
            nodes = np.hstack([given, self.diagonal])
        with speaking_of(self.label):
            return Graph(self.n if nodes is None else nodes, self.ends, self.values, directed=self.directed, **about)


_Entries = tuple[int, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


def _dense(matrix: Any, directed: bool) -> _Entries:
    """The number of nodes, the ends and values of edges, and the diagonal."""
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim not in (2, 3) or array.shape[0] != array.shape[1]:
        raise GraphError(f"the adjacency matrix must be square, got shape {array.shape}")
    dense = array.reshape(*array.shape[:2], -1) if array.size else np.zeros((*array.shape[:2], 1))
    _check_entries(dense)
    if not directed:
        turned = dense.transpose(1, 0, 2)
        if not np.array_equal(dense, turned):
            _check_rounding(np.abs(dense - turned), np.abs(dense))
            dense = (dense + turned) / 2
    n = len(dense)
    present = (dense != 0).any(axis=2)
    diagonal = dense[np.arange(n), np.arange(n)]
    if directed:
        present[np.arange(n), np.arange(n)] = False
    else:
        present &= np.tri(n, k=-1, dtype=bool).T
    return n, np.argwhere(present), dense[present], diagonal


def _sparse(matrix: Any, directed: bool) -> _Entries:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the adjacency matrix must be square, got shape {matrix.shape}")
    rows = matrix.tocsr().astype(np.float64)  # adds up entries that are stored twice
    _check_entries(rows.data)
    if not directed:
        apart = abs(rows - rows.T)
        if apart.nnz and apart.max() > 0:
            _check_rounding(apart.data, np.abs(rows.data))
            rows = (rows + rows.T) / 2
    coo = rows.tocoo()
    n = int(matrix.shape[0])
    loop = coo.row == coo.col
    diagonal = np.zeros((n, 1))
    diagonal[coo.row[loop], 0] = coo.data[loop]
    kept = (coo.data != 0) & (~loop if directed else coo.row < coo.col)
    ends = np.stack([coo.row, coo.col], axis=1).astype(np.int64)[kept]
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    return n, ends[order], coo.data[kept][order].reshape(-1, 1), diagonal


def _check_entries(values: NDArray[np.float64]) -> None:
    if not np.isfinite(values).all():
        raise GraphError("the adjacency matrix contains NaN or infinity")


def _check_rounding(apart: NDArray[np.float64], sizes: NDArray[np.float64]) -> None:
    """Refuse a matrix that is less symmetric than rounding explains (that of `np.corrcoef` is not quite symmetric)."""
    if apart.max(initial=0.0) > ROUNDING * sizes.max(initial=0.0):
        raise GraphError("the adjacency matrix is not symmetric; see from_adjacency(..., directed=True)")


def _is_rows(item: Any) -> bool:
    """Whether a list is one matrix: rows of numbers."""
    return isinstance(item, (list, tuple)) and len(item) > 0 and all(map(_is_row, item))


def _is_row(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return row.ndim == 1
    return isinstance(row, (list, tuple)) and all(np.isscalar(value) for value in row)
