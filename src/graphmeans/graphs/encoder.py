"""`GraphEncoder`: typed columns become packed numbers, and mean graphs become columns again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.columns import Column, Numbers, fit_column
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph, named
from graphmeans.graphs.mean_graph import MeanGraph

FloatArray = NDArray[np.float64]


class GraphEncoder(BaseEstimator):
    """Encode the columns of a collection of graphs as numbers.

    Named node columns are standardised (numbers) or written 1-of-k (strings, booleans); named edge columns are scaled
    but never centred, because zero means "no edge". Columns stand in alphabetical order. Bare arrays are taken as they are.

    Parameters
    ----------
    numbers : {"standardise", "keep"}
        What happens to named numeric columns.
    presence : float
        Value of an extra node channel that is the same for every node. 0 leaves the channel out; then a node whose
        attributes are all zero (average, once standardised) costs nothing to drop.
    edge_presence : "auto" or float
        The same for edges. "auto" adds a channel of 1 only if some edge would otherwise encode to zero.

    Attributes
    ----------
    node_columns_, edge_columns_ : lists of column encodings
    roles_ : tuple of role names
    directed_ : bool

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = [gm.Graph({"x": [0.0, 2.0], "kind": ["a", "b"]}, [(0, 1)])]
    >>> gm.GraphEncoder().fit_transform(graphs).nodes
    array([[ 1.,  0., -1.],
           [ 0.,  1.,  1.]])
    """

    def __init__(self, numbers: str = "standardise", presence: float = 0.0, edge_presence: str | float = "auto") -> None:
        self.numbers = numbers
        self.presence = presence
        self.edge_presence = edge_presence

    def fit(self, graphs: Iterable[Any], y: object = None) -> GraphEncoder:
        """Learn the columns, their scales and categories, the roles and whether edges are directed."""
        if self.numbers not in ("standardise", "keep"):
            raise GraphError(f"numbers must be 'standardise' or 'keep', got {self.numbers!r}")
        if not np.isfinite(self.presence):
            raise GraphError(f"presence must be a finite number, got {self.presence!r}")
        presence = self.edge_presence
        if presence != "auto" and (isinstance(presence, str) or not np.isfinite(presence)):
            raise GraphError(f"edge_presence must be 'auto' or a finite number, got {self.edge_presence!r}")
        graphs = to_graphs(graphs)
        if not graphs:
            raise GraphError("the collection is empty")
        self.directed_ = self._common_direction(graphs)
        self.roles_ = self._role_names(graphs)
        self.node_columns_ = self._fit_columns(graphs, "node", centred=True)
        self.edge_columns_ = self._fit_columns(graphs, "edge", centred=False)
        if self.edge_presence == "auto":
            codes = self._encode_columns(graphs, self.edge_columns_, "edge")
            self.edge_presence_ = 1.0 if len(codes) and not codes.any(axis=1).all() else 0.0
        else:
            self.edge_presence_ = float(self.edge_presence)
        return self

    def transform(self, graphs: Iterable[Any]) -> GraphBatch:
        """The graphs as a `GraphBatch`. A `MeanGraph` is encoded as the mean it stands for: value times support."""
        check_is_fitted(self)
        graphs = to_graphs(graphs)
        self._check_direction(graphs)
        nodes = self._with_presence(self._encode_columns(graphs, self.node_columns_, "node"), float(self.presence))
        edges = self._with_presence(self._encode_columns(graphs, self.edge_columns_, "edge"), self.edge_presence_)
        node_support, edge_support = _damping(graphs)
        if node_support is not None:
            nodes, edges = nodes * node_support, edges * edge_support
        else:
            self._check_edges(graphs, edges)
        roles, role_names = self._encode_roles(graphs)
        edge_ptr, ends, values = _pack_edges(graphs, edges, self.directed_)
        sizes = [graph.n_nodes for graph in graphs]
        return GraphBatch(
            node_ptr=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64),
            nodes=np.ascontiguousarray(nodes),
            roles=roles,
            edge_ptr=edge_ptr,
            ends=ends,
            edge_values=values,
            directed=self.directed_,
            role_names=role_names,
        )

    def fit_transform(self, graphs: Iterable[Any], y: object = None) -> GraphBatch:
        """Fit, then transform the same graphs."""
        graphs = to_graphs(graphs)
        return self.fit(graphs).transform(graphs)

    def decode(
        self,
        batch: GraphBatch,
        node_support: FloatArray,
        edge_support: FloatArray,
        *,
        damped: bool = True,
        names: Sequence[str | None] | None = None,
    ) -> list[MeanGraph]:
        """Encoded centres as mean graphs in the original columns and units.

        Parameters
        ----------
        batch : GraphBatch
        node_support : array, one share a node of the batch
        edge_support : array of shape (edges of the batch, 1 or 2)
            One share an edge; two in a directed batch, one a direction.
        damped : bool
            Whether the codes are averages over all members (then they are divided by the support).
        names : names of the graphs, optional
        """
        check_is_fitted(self)
        result = []
        for g in range(len(batch)):
            rows = slice(batch.node_ptr[g], batch.node_ptr[g + 1])
            edges = slice(batch.edge_ptr[g], batch.edge_ptr[g + 1])
            ends, values = batch.arcs(batch.ends[edges], batch.edge_values[edges])
            shares = edge_support[edges].T.reshape(-1)
            present = shares > 0
            ends, values, shares = ends[present], values[present], shares[present]
            nodes, node_shares = batch.nodes[rows], node_support[rows]
            if damped:
                nodes, values = nodes / node_shares[:, None], values / shares[:, None]
            result.append(
                MeanGraph(
                    _decode_columns(nodes, self.node_columns_, len(nodes)),
                    ends,
                    _decode_columns(values, self.edge_columns_, None),
                    directed=self.directed_,
                    roles=None if self.roles_ == (None,) else [batch.role_names[r] for r in batch.roles[rows]],
                    name=None if names is None else names[g],
                    node_support=node_shares,
                    edge_support=shares,
                    damped=damped,
                )
            )
        return result

    # -- fitting -----------------------------------------------------------------------------------

    def _common_direction(self, graphs: Sequence[Graph]) -> bool:
        # A graph without edges is neither.
        with_edges = [(label, graph.directed) for label, graph in named(graphs) if graph.n_edges]
        for label, directed in with_edges:
            if directed != with_edges[0][1]:
                is_, was = ("directed", "undirected") if directed else ("undirected", "directed")
                raise GraphError(f"{label} is {is_} but {with_edges[0][0]} is {was}")
        return with_edges[0][1] if with_edges else any(graph.directed for graph in graphs)

    def _role_names(self, graphs: Sequence[Graph]) -> tuple[Hashable, ...]:
        with_nodes = [(label, graph) for label, graph in named(graphs) if graph.n_nodes]
        has_roles = [graph.roles is not None for _, graph in with_nodes]
        if any(has_roles) and not all(has_roles):
            raise GraphError(f"{with_nodes[has_roles.index(False)][0]} has no roles while others have")
        if not any(has_roles):
            return (None,)
        values = {role for _, graph in with_nodes for role in graph.roles or ()}
        return tuple(sorted(values, key=lambda role: (type(role).__name__, repr(role))))

    def _fit_columns(self, graphs: Sequence[Graph], what: str, *, centred: bool) -> list[Column]:
        labelled = [(label, columns) for label, columns, count in _columns_of(graphs, what) if count]
        if not labelled:
            # Nothing but empty (edgeless) graphs: an edge that comes later has weight 1.
            return [_as_is(0 if what == "node" else 1)]
        first_label, first = labelled[0]
        for label, columns in labelled:
            if columns.keys() != first.keys():
                raise GraphError(_differs(label, columns, first_label, first, what))
            for key, values in columns.items():
                if values.dtype.kind != first[key].dtype.kind or values.shape[1:] != first[key].shape[1:]:
                    raise GraphError(
                        f"{label}: {_attribute(what, key)} is {_kind(values)} but {_kind(first[key])} in {first_label}"
                    )
        if BARE in first:
            return [_as_is(first[BARE].shape[1])]
        return [
            fit_column(key, [columns[key] for _, columns in labelled], numbers=self.numbers, centred=centred)
            for key in sorted(first)
        ]

    # -- transforming ------------------------------------------------------------------------------

    def _check_direction(self, graphs: Sequence[Graph]) -> None:
        for label, graph in named(graphs):
            if graph.n_edges and graph.directed != self.directed_:
                was, is_ = ("directed", "undirected") if self.directed_ else ("undirected", "directed")
                raise GraphError(f"{label} is {is_} but the encoder was fitted on {was} graphs")

    def _encode_columns(self, graphs: Sequence[Graph], fitted: Sequence[Column], what: str) -> FloatArray:
        expected = {column.name: column for column in fitted}
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in expected}
        for label, columns, count in _columns_of(graphs, what):
            if not count:
                continue
            if columns.keys() != expected.keys():
                raise GraphError(_differs(label, columns, "the fitted collection", expected, what))
            for name, values in columns.items():
                if not expected[name].accepts(values):
                    raise GraphError(f"{label}: {_attribute(what, name)} is {_kind(values)}, not what the encoder was fitted on")
                parts[name].append(values)
        total = sum(count for _, _, count in _columns_of(graphs, what))
        codes = [np.zeros((total, 0))]
        for name, column in expected.items():
            if parts[name]:
                codes.append(self._encode_one(graphs, column, parts[name], what))
            else:
                codes.append(np.zeros((0, column.width)))
        return np.concatenate(codes, axis=1)

    def _encode_one(self, graphs: Sequence[Graph], column: Column, parts: list[NDArray[Any]], what: str) -> FloatArray:
        try:
            return column.encode(np.concatenate(parts))
        except GraphError:
            for label, columns, count in _columns_of(graphs, what):
                if count:
                    try:
                        column.encode(columns[column.name])
                    except GraphError as error:
                        raise GraphError(f"{label}: {what} {error}") from None
            raise

    @staticmethod
    def _with_presence(codes: FloatArray, presence: float) -> FloatArray:
        return np.hstack([codes, np.full((len(codes), 1), presence)]) if presence else codes

    def _check_edges(self, graphs: Sequence[Graph], codes: FloatArray) -> None:
        zero = np.flatnonzero(~codes.any(axis=1))
        if not zero.size:
            return
        for label, graph in named(graphs):
            if zero[0] < graph.n_edges:
                i, j = graph.edges[zero[0]]
                raise GraphError(
                    f"{label}: edge ({i}, {j}) encodes to zero, which means no edge; fit the encoder with edge_presence=1"
                )
            zero = zero - graph.n_edges

    def _encode_roles(self, graphs: Sequence[Graph]) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        place = {role: code for code, role in enumerate(self.roles_)}
        codes: list[int] = []
        for label, graph in named(graphs):
            if graph.n_nodes and (graph.roles is None) != (self.roles_ == (None,)):
                raise GraphError(f"{label} has {'no ' if graph.roles is None else ''}roles, unlike the fitted collection")
            # A role never seen before gets a place of its own: nothing fitted can be matched with it.
            codes.extend([0] * graph.n_nodes if graph.roles is None else [place.setdefault(r, len(place)) for r in graph.roles])
        return np.array(codes, dtype=np.int32), tuple(place)


def _columns_of(graphs: Sequence[Graph], what: str) -> Iterable[tuple[str, dict[str, NDArray[Any]], int]]:
    for label, graph in named(graphs):
        if what == "node":
            yield label, graph._nodes, graph.n_nodes  # type: ignore[misc]
        else:
            yield label, graph._edge_attributes, graph.n_edges  # type: ignore[misc]


def _as_is(width: int) -> Numbers:
    return Numbers(BARE, np.zeros(width), np.ones(width), scalar=False)


def _decode_columns(codes: FloatArray, columns: Sequence[Column], count: int | None) -> Any:
    decoded, start = {}, 0
    for column in columns:
        decoded[column.name] = column.decode(codes[:, start : start + column.width])
        start += column.width
    return decoded.get(BARE, decoded)


def _damping(graphs: Sequence[Graph]) -> tuple[FloatArray | None, FloatArray]:
    """Factors that turn the values of mean graphs into the means they stand for; None if there is no mean graph."""
    if not any(isinstance(graph, MeanGraph) and graph.damped for graph in graphs):
        return None, np.ones((0, 1))
    node, edge = [], []
    for graph in graphs:
        damped = isinstance(graph, MeanGraph) and graph.damped
        node.append(graph.node_support if damped else np.ones(graph.n_nodes))  # type: ignore[attr-defined]
        edge.append(graph.edge_support if damped else np.ones(graph.n_edges))  # type: ignore[attr-defined]
    return np.concatenate(node)[:, None], np.concatenate(edge)[:, None]


def _pack_edges(
    graphs: Sequence[Graph], codes: FloatArray, directed: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32], FloatArray]:
    """Each edge once with its smaller end first, sorted; directed arcs of a pair side by side (see `GraphBatch`)."""
    counts = np.array([graph.n_edges for graph in graphs], dtype=np.int64)
    owner = np.repeat(np.arange(len(graphs)), counts)
    ends = np.concatenate([np.zeros((0, 2), np.int64), *[graph.edges for graph in graphs if graph.n_edges]])
    backwards = ends[:, 0] > ends[:, 1]
    ends = np.sort(ends, axis=1)
    width = codes.shape[1]
    if directed:
        wide = np.zeros((len(codes), 2 * width))
        wide[~backwards, :width] = codes[~backwards] / np.sqrt(2.0)
        wide[backwards, width:] = codes[backwards] / np.sqrt(2.0)
        codes = wide
    order = np.lexsort((ends[:, 1], ends[:, 0], owner))
    owner, ends, codes = owner[order], ends[order], codes[order]
    if directed and len(owner):
        new = np.ones(len(owner), dtype=bool)
        new[1:] = (owner[1:] != owner[:-1]) | (ends[1:] != ends[:-1]).any(axis=1)
        start = np.flatnonzero(new)
        codes = np.add.reduceat(codes, start, axis=0)
        owner, ends = owner[start], ends[start]
    edge_ptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(graphs)))]).astype(np.int64)
    return edge_ptr, ends.astype(np.int32), np.ascontiguousarray(codes)


def _attribute(what: str, key: str) -> str:
    return f"{what} attribute {key!r}" if key != BARE else f"the {what} attributes"


def _kind(values: NDArray[Any]) -> str:
    if values.dtype.kind == "f":
        return "a number" if values.ndim == 1 else f"a vector of {values.shape[1]}"
    return "a boolean" if values.dtype.kind == "b" else "a string"


def _differs(label: str, columns: Any, other: str, expected: Any, what: str) -> str:
    mine, theirs = set(columns), set(expected)
    if BARE in mine or BARE in theirs:
        return f"{label}: {what} attributes are a bare array or absent, unlike in {other}" if BARE in mine else (
            f"{label}: {what} attributes are named columns, unlike in {other}"
        )
    missing, extra = sorted(theirs - mine), sorted(mine - theirs)
    if missing:
        return f"{label}: {what} attribute {missing[0]!r} is missing (present in {other})"
    return f"{label}: {what} attribute {extra[0]!r} is not in {other}"
