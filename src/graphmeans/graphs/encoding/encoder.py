"""`GraphEncoder`: typed columns become packed numbers, and mean graphs become columns again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.encoding import schema
from graphmeans.graphs.encoding.columns import Column, decode_columns
from graphmeans.graphs.encoding.description import ColumnSummary, describe
from graphmeans.graphs.encoding.fitting import Summary, fit_columns
from graphmeans.graphs.encoding.flat import Flat, Shape
from graphmeans.graphs.encoding.options import Choices
from graphmeans.graphs.encoding.packing import damping, pack_edges
from graphmeans.graphs.encoding.schema import Rows, attribute, is_optional, rows_of
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph, named
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.values import joined, kind_in_words, missing_in

FloatArray = NDArray[np.float64]

class GraphEncoder(BaseEstimator):
    """Encode the columns of a collection of graphs as numbers.

    Named columns of numbers are standardised, strings and booleans written 1-of-k; edge columns are scaled but never
    centered, because zero means "no edge". Bare arrays are taken as they are. Columns stand in alphabetical order.

    Parameters
    ----------
    numbers : {"standardise", "robust", "keep"} or mapping of attribute to one of them
        What happens to named numbers and vectors, channel by channel: mean 0 and variance 1 (edges: root mean square 1);
        median 0 and interquartile range as of that (edges: median of absolute values 1); nothing. Vectors that are 1-of-k
        already are kept. Attributes that a mapping does not name are standardised.
    presence : float
        Value of an extra node channel that is the same for every node. 0 leaves the channel out; then a node whose
        attributes are all zero (average, once standardised) costs nothing to drop.
    edge_presence : "auto" or float
        The same for edges. "auto" adds a channel of 1 only if some edge would otherwise encode to zero.
    weights : mapping of attribute to number, optional
        What squared differences in an attribute are multiplied by; 1 by default, 0 leaves the attribute out.
    categories : sequence of attributes
        Numbers that stand for categories and are written 1-of-k.
    directions, orientations : sequences of attributes
        Angles with period 2 pi and with period pi (the angle of an undirected edge); encoded as points on a circle.
    angle_unit : {"radians", "degrees"}
    missing : {"average", "columns", "refuse"}
        What a missing value becomes: the average code of the collection (the mean or median of numbers, the frequencies of
        categories, the mean point on a circle). "columns": also if a graph lacks a column altogether. "refuse": an error.
        An attribute that no node of some role has does not apply to that role and is zero there.
    unknown : {"average", "refuse"}
        What a category becomes that was not in the fitted collection: as if missing, or an error.
    directed : {"auto", True, False}
        False: the two directions in which an edge may be stored are merged into one undirected edge with the mean of their
        codes. True: an undirected edge is two arcs. "auto": as the graphs are, which must agree.

    Attributes
    ----------
    node_columns_, edge_columns_ : lists of column encodings
    roles_ : tuple of role names
    directed_ : bool
    left_out_ : mapping of part ("node", "edge") to the attributes that are not used

    Notes
    -----
    A column of strings that hardly ever repeat (names, identifiers) is left out with a warning, unless `weights` or
    `categories` names it.

    Names stand for node and edge attributes alike; ``nodes.x`` and ``edges.x`` for one of them.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = [gm.Graph({"x": [0.0, 2.0], "kind": ["a", "b"]}, [(0, 1)])]
    >>> gm.GraphEncoder().fit_transform(graphs).nodes
    array([[ 1.,  0., -1.],
           [ 0.,  1.,  1.]])
    >>> gm.GraphEncoder(numbers="keep", weights={"kind": 0}).fit_transform(graphs).nodes
    array([[0.],
           [2.]])
    """

    def __init__(
        self,
        numbers: str | Mapping[str, str] = "standardise",
        presence: float = 0.0,
        edge_presence: str | float = "auto",
        *,
        weights: Mapping[str, float] | None = None,
        categories: Sequence[str] = (),
        directions: Sequence[str] = (),
        orientations: Sequence[str] = (),
        angle_unit: str = "radians",
        missing: str = "average",
        unknown: str = "average",
        directed: str | bool = "auto",
    ) -> None:
        self.numbers = numbers
        self.presence = presence
        self.edge_presence = edge_presence
        self.weights = weights
        self.categories = categories
        self.directions = directions
        self.orientations = orientations
        self.angle_unit = angle_unit
        self.missing = missing
        self.unknown = unknown
        self.directed = directed

    def fit(self, graphs: Iterable[Any], y: object = None) -> GraphEncoder:
        """Learn the columns, their scales and categories, the roles and whether edges are directed."""
        choices = self._choices()
        graphs = to_graphs(graphs)
        self._fit_summary(Summary.of(graphs, choices, self.missing), choices)
        if self.edge_presence == "auto":
            self.edge_presence_ = 1.0 if self.has_zero_edge(graphs) else 0.0
        return self

    def fit_batches(self, batches: Iterable[Any]) -> GraphEncoder:
        """Fit on a collection that comes in batches and need not fit into memory; as `fit` on all of them, up to rounding.

        Only robust scaling keeps the values of its columns.

        Parameters
        ----------
        batches : iterable of collections of graphs
            Such as ``collection.arrays()`` of `open_collection`. Read once; a second time if only the codes can show whether
            some edge is zero (``edge_presence="auto"``, and every edge attribute has both signs or zeros).
        """
        once = iter(batches) is batches

        def summaries() -> Iterator[Summary]:
            first = 0
            for batch in batches:
                summary = self.summarise(batch, first)
                first += summary.graphs
                yield summary

        def has_zero_edge() -> bool:
            if once:
                raise GraphError("edge_presence='auto' needs the batches a second time: give a list of them, or a number")
            return any(self.has_zero_edge(batch) for batch in batches)

        return self.fit_summaries(summaries(), has_zero_edge)

    def fit_summaries(self, summaries: Iterable[Summary], has_zero_edge: Callable[[], bool]) -> GraphEncoder:
        """Fit on the summaries of all parts of a collection, in their order; they may come from other processes.

        `has_zero_edge` is asked only if the summaries leave open whether some edge encodes to zero.
        """
        choices = self._choices()
        whole: Summary | None = None
        for summary in summaries:
            if whole is None:
                whole = summary
            else:
                whole.merge(summary, choices, self.missing)
        self._fit_summary(whole, choices)
        if self.edge_presence == "auto" and whole is not None:
            self.edge_presence_ = 0.0
            if not whole.never_zero(self.edge_columns_, "edge"):
                self.edge_presence_ = float(has_zero_edge())
        return self

    def summarise(self, batch: Any, start: int = 0) -> Summary:
        """What fitting must know of some graphs, of which the first is number `start` of the collection."""
        return Summary.of(_flat_or_graphs(batch), self._choices(), self.missing, start)

    def transform(self, graphs: Iterable[Any]) -> GraphBatch:
        """The graphs as a `GraphBatch`. A `MeanGraph` is encoded as the mean it stands for: value times support."""
        check_is_fitted(self)
        graphs = to_graphs(graphs)
        self._check_direction(graphs)
        nodes = self._encode_rows(rows_of(graphs, "node"), "node", float(self.presence))
        edges = self._encode_rows(rows_of(graphs, "edge"), "edge", self.edge_presence_)
        node_support, edge_support = damping(graphs)
        if node_support is not None:
            nodes, edges = nodes * node_support, edges * edge_support
        batch = self._packed(Shape.of(graphs), nodes, edges, *self._encode_roles(graphs))
        if node_support is None:
            _check_edges([label for label, _ in named(graphs)], batch)
        return batch

    def transform_flat(self, flat: Flat) -> GraphBatch:
        """The same for graphs that are flat arrays already, such as those of a Parquet file; messages name no graph."""
        check_is_fitted(self)
        if flat.shape.directed.any() and not (self.directed_ or self.directed is False):
            raise GraphError("a graph is directed but the encoder was fitted on undirected graphs")
        nodes = self._encode_rows(flat.rows("node"), "node", float(self.presence))
        edges = self._encode_rows(flat.rows("edge"), "edge", self.edge_presence_)
        codes, names = np.zeros(len(nodes), dtype=np.int32), self.roles_
        if len(nodes) and (flat.role_names is None) != (self.roles_ == (None,)):
            raise GraphError("a graph has roles, or none, unlike the fitted collection")
        if flat.role_names is not None and flat.role_codes is not None:
            place = {role: code for code, role in enumerate(self.roles_)}
            codes = np.array([place.setdefault(role, len(place)) for role in flat.role_names], np.int32)[flat.role_codes]
            names = tuple(place)
        batch = self._packed(flat.shape, nodes, edges, codes, names)
        _check_edges(["a graph"] * len(batch), batch)
        return batch

    def _packed(
        self, shape: Shape, nodes: FloatArray, edges: FloatArray, roles: NDArray[np.int32], role_names: tuple[Hashable, ...]
    ) -> GraphBatch:
        edge_ptr, ends, values = pack_edges(shape, edges, self.directed_)
        return GraphBatch(
            node_ptr=np.concatenate([[0], np.cumsum(shape.node_counts, dtype=np.int64)]).astype(np.int64),
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
        """Encoded centers as mean graphs in the original columns and units.

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
            roles = None if self.roles_ == (None,) else [batch.role_names[r] for r in batch.roles[rows]]
            result.append(
                MeanGraph(
                    decode_columns(nodes, self.node_columns_, roles, len(nodes)),
                    ends,
                    decode_columns(values, self.edge_columns_, None, None),
                    directed=self.directed_,
                    roles=roles,
                    name=None if names is None else names[g],
                    node_support=node_shares,
                    edge_support=shares,
                    damped=damped,
                )
            )
        return result

    def describe(self, graphs: Iterable[Any]) -> list[ColumnSummary]:
        """For each column of these graphs: its type, what becomes of it, what is missing, its share of the distance.

        Examples
        --------
        >>> import graphmeans as gm
        >>> graphs = [gm.Graph({"x": [0.0, 2.0], "kind": ["a", "b"]}, [(0, 1)])]
        >>> [(line.name, line.treatment, line.share) for line in gm.GraphEncoder().fit(graphs).describe(graphs)][:2]
        [('kind', '1 of 2', 0.3333333333333333), ('x', 'standardised', 0.6666666666666666)]
        """
        check_is_fitted(self)
        return describe(self, to_graphs(graphs))

    # -- fitting -----------------------------------------------------------------------------------

    def _check_options(self) -> None:
        if isinstance(self.presence, str) or not np.isfinite(self.presence):
            raise GraphError(f"presence must be a finite number, got {self.presence!r}")
        presence = self.edge_presence
        if presence != "auto" and (isinstance(presence, str) or not np.isfinite(presence)):
            raise GraphError(f"edge_presence must be 'auto' or a finite number, got {self.edge_presence!r}")
        known_values: dict[str, tuple[Any, ...]] = {
            "missing": ("average", "columns", "refuse"),
            "unknown": ("average", "refuse"),
            "directed": ("auto", True, False),
        }
        for name, known in known_values.items():
            if getattr(self, name) not in known:
                raise GraphError(f"{name} must be one of {', '.join(map(repr, known))}, got {getattr(self, name)!r}")

    def _choices(self) -> Choices:
        self._check_options()
        return Choices(
            self.numbers, self.weights, self.categories, self.directions, self.orientations, self.angle_unit
        )

    def _fit_summary(self, summary: Summary | None, choices: Choices) -> None:
        if summary is None or not summary.graphs:
            raise GraphError("the collection is empty")
        self.directed_ = summary.direction() if self.directed == "auto" else bool(self.directed)
        self.roles_ = summary.role_names()
        self.node_columns_, nodes_left_out = fit_columns(summary, "node", choices)
        self.edge_columns_, edges_left_out = fit_columns(summary, "edge", choices)
        self.left_out_ = {"node": nodes_left_out, "edge": edges_left_out}
        choices.check_used()
        if self.edge_presence != "auto":
            self.edge_presence_ = float(self.edge_presence)

    def has_zero_edge(self, batch: Any) -> bool:
        """Whether some edge of these graphs encodes to zero, as far as fitting has come."""
        graphs = _flat_or_graphs(batch)
        if isinstance(graphs, Flat):
            rows, shape = graphs.rows("edge"), graphs.shape
        else:
            rows, shape = rows_of(graphs, "edge"), Shape.of(graphs)
        values = pack_edges(shape, self._encode_rows(rows, "edge"), self.directed_)[2]
        return bool(len(values)) and not values.any(axis=1).all()

    # -- transforming ------------------------------------------------------------------------------

    def _check_direction(self, graphs: Sequence[Graph]) -> None:
        if self.directed_ or self.directed is False:
            return  # an undirected edge is both arcs; two arcs are merged
        for label, graph in named(graphs):
            if graph.n_edges and graph.directed:
                raise GraphError(f"{label} is directed but the encoder was fitted on undirected graphs")

    def _encode_rows(self, given: Sequence[Rows], part: str, presence: float = 0.0) -> FloatArray:
        columns = self.node_columns_ if part == "node" else self.edge_columns_
        rows = [row for row in given if row.size]
        if not rows:
            return np.zeros((0, sum(column.width for column in columns) + bool(presence)))
        expected = {column.name: column for column in columns}
        rows = [self._in_terms_of(expected, row, part) for row in rows]
        for row in rows:
            self._check_columns(row, expected, part)
        codes = [np.zeros((sum(row.size for row in rows), 0))]
        codes += [self._codes(column, rows, part) for column in columns]
        if presence:
            codes.append(np.full((len(codes[0]), 1), presence))
        return np.concatenate(codes, axis=1)

    def _in_terms_of(self, expected: Mapping[str, Column], row: Rows, part: str) -> Rows:
        """The same rows, with a bare array that says nothing for no columns, or the other way round; without unused columns.

        Loops and parallel edges are passed over where the fitted collection had none.
        """
        if BARE in expected:
            if BARE not in row.columns and all(is_optional(name, part) for name in row.columns):
                return row._replace(columns=schema.nothing(row.size, part))
            return row
        if schema.says_nothing(row, part):
            return row._replace(columns={})
        unused = set(self.left_out_[part]) | {n for n in row.columns if is_optional(n, part) and n not in expected}
        return row._replace(columns={name: values for name, values in row.columns.items() if name not in unused})

    def _check_columns(self, row: Rows, expected: Mapping[str, Column], part: str) -> None:
        fill = self.missing == "columns" and BARE not in row.columns and BARE not in expected
        required = {name: column for name, column in expected.items() if not fill or name in row.columns}
        if any(not is_optional(name, part) for name in row.columns.keys() ^ required.keys()):
            raise GraphError(schema.difference(row.label, row.columns, "the fitted collection", required, part))
        for name, values in row.columns.items():
            if name in expected and not expected[name].accepts(values):
                is_ = kind_in_words(values)
                raise GraphError(f"{row.label}: {attribute(part, name)} is {is_}, not what the encoder was fitted on")

    def _codes(self, column: Column, rows: Sequence[Rows], part: str) -> FloatArray:
        parts = [row.columns.get(column.name) for row in rows]
        like = column.values(np.zeros((0, column.width)))
        given = [
            schema.lacking(column.name, row.size, like, part) if own is None else own
            for own, row in zip(parts, rows, strict=True)
        ]
        values = joined(given)
        if self.missing == "refuse" or self.unknown == "refuse":
            self._check_known(column, given, rows, part)
        codes = column.codes(values)
        if column.not_of and missing_in(values).any():
            roles = [role for row in rows for role in row.roles or [None] * row.size]
            codes[missing_in(values) & np.array([role in column.not_of for role in roles])] = 0.0
        return codes

    def _check_known(self, column: Column, parts: Sequence[NDArray[Any]], rows: Sequence[Rows], part: str) -> None:
        for row, values in zip(rows, parts, strict=True):
            gone = missing_in(values)
            if self.missing == "refuse" and gone.any():
                raise GraphError(f"{row.label}: {attribute(part, column.name)} is missing on {part} {np.argmax(gone)}")
            strange = ~column.known(values) & ~gone
            if self.unknown == "refuse" and strange.any():
                value = np.ma.getdata(values)[strange].tolist()[0]
                raise GraphError(f"{row.label}: {attribute(part, column.name)} has the unknown value {value!r}")

    def _encode_roles(self, graphs: Sequence[Graph]) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        place = {role: code for code, role in enumerate(self.roles_)}
        codes: list[int] = []
        for label, graph in named(graphs):
            if graph.n_nodes and (graph.roles is None) != (self.roles_ == (None,)):
                raise GraphError(f"{label} has {'no ' if graph.roles is None else ''}roles, unlike the fitted collection")
            # A role never seen before gets a place of its own: nothing fitted can be matched with it.
            codes.extend([0] * graph.n_nodes if graph.roles is None else [place.setdefault(r, len(place)) for r in graph.roles])
        return np.array(codes, dtype=np.int32), tuple(place)


def _flat_or_graphs(batch: Any) -> Sequence[Graph] | Flat:
    return batch if isinstance(batch, Flat) else to_graphs(batch)


def _check_edges(labels: Sequence[str], batch: GraphBatch) -> None:
    zero = np.flatnonzero(~batch.edge_values.any(axis=1))
    if zero.size:
        owner = int(np.searchsorted(batch.edge_ptr, zero[0], side="right")) - 1
        i, j = batch.ends[zero[0]]
        raise GraphError(
            f"{labels[owner]}: edge ({i}, {j}) encodes to zero, which means no edge; fit the encoder with edge_presence=1"
        )
