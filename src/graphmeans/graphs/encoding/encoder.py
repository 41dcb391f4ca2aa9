"""`GraphEncoder` turns typed columns into packed numbers, and the numbers of mean graphs into columns again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from graphmeans.graphs.batch import FloatArray, GraphBatch, offsets
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.encoding.columns import Column, decode_columns
from graphmeans.graphs.encoding.fitting import CollectionSummary, fit_columns
from graphmeans.graphs.encoding.flat import Flat, GraphList
from graphmeans.graphs.encoding.options import Choices
from graphmeans.graphs.encoding.packing import PackedEdges, pack_edges
from graphmeans.graphs.encoding.row_codes import RowEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.values import join_columns, kind_in_words, missing_in


class ColumnSummary(NamedTuple):
    """What a column holds, what becomes of it, and how much of the distance is due to it.

    `share` is the part of all squared deviations from the average node (edge) that this column has: where it is near 1, the
    column dominates the distance.
    """

    part: str
    name: str
    kind: str
    treatment: str
    weight: float
    values: int
    missing: int
    distinct: int
    share: float


class GraphEncoder(BaseEstimator):
    """Encode the columns of a collection of graphs as numbers.

    Named columns of numbers are standardised, strings and booleans written 1-of-k; edge columns are scaled but never
    centered, because zero means "no edge". Bare arrays are taken as they are. Columns stand in alphabetical order.

    Parameters
    ----------
    numbers : {"standardise", "robust", "keep"} or mapping of attribute to one of them, default="standardise"
        What happens to named numbers and vectors, channel by channel: mean 0 and variance 1 (edges: root mean square 1);
        median 0 and interquartile range as of that (edges: median of absolute values 1); nothing. Vectors that are 1-of-k
        already are kept. Attributes that a mapping does not name are standardised.
    presence : float, default=0.0
        Value of an extra node channel that is the same for every node. 0 leaves the channel out; then a node whose
        attributes are all zero (average, once standardised) costs nothing to drop.
    edge_presence : "auto" or float, default="auto"
        The same for edges. "auto" adds a channel of 1 only if some edge would otherwise encode to zero.
    weights : mapping of attribute to number, optional
        What squared differences in an attribute are multiplied by; 1 by default, 0 leaves the attribute out.
    categories : sequence of attributes, default=()
        Numbers that stand for categories and are written 1-of-k.
    directions : sequences of attributes, default=()
        Angles with period 2 pi and with period pi (the angle of an undirected edge); encoded as points on a circle.
    orientations : sequences of attributes, default=()
        Angles with period 2 pi and with period pi (the angle of an undirected edge); encoded as points on a circle.
    angle_unit : {"radians", "degrees"}, default="radians"
        What the angles are given in.
    missing : {"average", "columns", "refuse"}, default="average"
        What a missing value becomes: the average code of the collection (the mean or median of numbers, the frequencies of
        categories, the mean point on a circle). "columns": also if a graph lacks a column altogether. "refuse": an error.
        An attribute that no node of some role has does not apply to that role and is zero there.
    unknown : {"average", "refuse"}, default="average"
        What a category becomes that was not in the fitted collection: as if missing, or an error.
    directed : {"auto", True, False}, default="auto"
        False: the two directions in which an edge may be stored are merged into one undirected edge with the mean of their
        codes. True: an undirected edge is two arcs. "auto": as the graphs are, which must agree.

    Attributes
    ----------
    node_columns_, edge_columns_ : lists of column encodings
    roles_ : tuple of role names
    directed_ : bool
    left_out_ : mapping of part ("node", "edge") to the attributes that are not used

    See Also
    --------
    GraphKMeans : Takes an encoder as a parameter.
    evaluation.inspect : Says which attribute decides before anything is clustered.

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
        self, numbers: str | Mapping[str, str] = "standardise", presence: float = 0.0,
        edge_presence: str | float = "auto", *, weights: Mapping[str, float] | None = None,
        categories: Sequence[str] = (), directions: Sequence[str] = (), orientations: Sequence[str] = (),
        angle_unit: str = "radians", missing: str = "average", unknown: str = "average", directed: str | bool = "auto",
    ) -> None:  # fmt: skip
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
        """Learn the columns, their scales and categories, the roles and whether edges are directed.

        Parameters
        ----------
        graphs : collection of graphs
            The graphs, as objects of one kind.
        y : object, default=None
            It is ignored, and here because scikit-learn's pipelines pass it.

        Returns
        -------
        GraphEncoder
            The estimator itself.
        """
        self._fit(GraphList(self.graphs_of(graphs)))
        return self

    def transform(self, graphs: Iterable[Any]) -> GraphBatch:
        """Encode graphs as a `GraphBatch`.

        A `MeanGraph` is encoded as the mean it stands for: value times support.

        Parameters
        ----------
        graphs : collection of graphs
            The graphs, as objects of one kind.

        Returns
        -------
        GraphBatch
            The encoded graphs.
        """
        check_is_fitted(self)
        return self.encode(self.graphs_of(graphs))

    def fit_transform(self, graphs: Iterable[Any], y: object = None) -> GraphBatch:
        """Fit, then transform the same graphs; what both need of them is read and encoded once.

        Parameters
        ----------
        graphs : collection of graphs
            The graphs, as objects of one kind.
        y : object, default=None
            It is ignored, and here because scikit-learn's pipelines pass it.

        Returns
        -------
        GraphBatch
            The encoded graphs.
        """
        return self.fit_encode(self.graphs_of(graphs))

    def graphs_of(self, objects: Any) -> list[Graph]:
        """Convert objects of one kind to graphs, as this encoder reads them.

        Parameters
        ----------
        objects : collection of graphs
            The graphs, as objects of one kind.

        Returns
        -------
        list of Graph
            The graphs.
        """
        return to_graphs(objects)

    def encode(self, graphs: Sequence[Graph] | Flat) -> GraphBatch:
        """Encode graphs that are converted already, or are flat arrays, with a fitted encoder.

        Parameters
        ----------
        graphs : sequence of Graph, or flat arrays
            What `transform` would convert them to.

        Returns
        -------
        GraphBatch
            The encoded graphs.
        """
        return self._encode(graphs if isinstance(graphs, Flat) else GraphList(graphs))

    def fit_encode(self, graphs: Sequence[Graph]) -> GraphBatch:
        """Do what `fit_transform` does, for graphs that are converted already.

        Parameters
        ----------
        graphs : sequence of Graph
            The graphs.

        Returns
        -------
        GraphBatch
            The encoded graphs.
        """
        listed = GraphList(graphs)
        return self._encode(listed, *self._fit(listed))

    def fit_batches(self, batches: Iterable[Any]) -> GraphEncoder:
        """Fit on a collection that comes in batches and need not fit into memory; as `fit` on all of them, up to rounding.

        Only robust scaling keeps the values of its columns.

        Parameters
        ----------
        batches : iterable of collections of graphs
            Such as ``collection.arrays()`` of `open_collection`. Read once; a second time if only the codes can show whether
            some edge is zero (``edge_presence="auto"``, and every edge attribute has both signs or zeros).

        Returns
        -------
        GraphEncoder
            The estimator itself.
        """
        once = iter(batches) is batches

        def summaries() -> Iterator[CollectionSummary]:
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

    def fit_summaries(self, summaries: Iterable[CollectionSummary], has_zero_edge: Callable[[], bool]) -> GraphEncoder:
        """Fit on the summaries of all parts of a collection, in their order; they may come from other processes.

        `has_zero_edge` is asked only if the summaries leave open whether some edge encodes to zero.

        Parameters
        ----------
        summaries : iterable of CollectionSummary
            What `summarise` gave for each part.
        has_zero_edge : callable
            Asked, without an argument, only if the summaries leave open whether some edge encodes to zero.

        Returns
        -------
        GraphEncoder
            The estimator itself.
        """
        choices = self._choices()
        each = iter(summaries)
        whole = next(each, None)
        if whole is not None:
            for summary in each:
                whole.merge(summary, choices, self.missing)
        self._fit_summary(whole, choices)
        if self.edge_presence == "auto" and whole is not None:
            self.edge_presence_ = 0.0
            if not whole.never_zero(self.edge_columns_):
                self.edge_presence_ = float(has_zero_edge())
        return self

    def summarise(self, batch: Any, start: int = 0) -> CollectionSummary:
        """Count what fitting must know of some graphs.

        Parameters
        ----------
        batch : collection of graphs, or flat arrays
            Some of the graphs.
        start : int, default=0
            The number of the first of them in the collection.

        Returns
        -------
        CollectionSummary
            Counts, means, squared deviations and categories, which `fit_summaries` adds up.
        """
        return CollectionSummary.of(_read(batch, start), self._choices(), self.missing, start)

    def has_zero_edge(self, batch: Any) -> bool:
        """Find out whether some edge of these graphs encodes to zero, as far as fitting has come.

        Parameters
        ----------
        batch : collection of graphs, or flat arrays
            Some of the graphs.

        Returns
        -------
        bool
            Whether there is one.
        """
        source = _read(batch)
        return len(pack_edges(source.shape, self._codes(source, "edge"), self.directed_).zeros()) > 0

    def decode(
        self,
        batch: GraphBatch, node_support: FloatArray, edge_support: FloatArray, *, damped: bool = True,
        names: Sequence[str | None] | None = None, **about: Any,
    ) -> list[MeanGraph]:  # fmt: skip
        """Encoded centers as mean graphs in the original columns and units.

        Parameters
        ----------
        batch : GraphBatch
            Encoded graphs.
        node_support : array
            One share for each node of the batch.
        edge_support : array of shape (edges of the batch, 1 or 2)
            One share for each edge; in a directed batch two, one for each direction.
        damped : bool, default=True
            Whether the codes are averages over all members (then they are divided by the support).
        names : sequence of str, optional
            The names of the graphs.
        **about
            What else is known of each `MeanGraph`, such as its objective.

        Returns
        -------
        list of MeanGraph
            One for each graph of the batch.
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
            named = roles is not None and len(set(roles)) == len(roles)  # then a role says which node this is
            node_data = decode_columns(nodes, self.node_columns_, roles, len(nodes))
            edge_data = decode_columns(values, self.edge_columns_, None, None)
            result.append(MeanGraph(
                node_data, ends, edge_data, directed=self.directed_, roles=roles, node_support=node_shares,
                edge_support=shares, damped=damped, name=None if names is None else names[g],
                node_ids=roles if named else None, **about,
            ))  # fmt: skip
        return result

    def describe(self, graphs: Iterable[Any]) -> list[ColumnSummary]:
        """Describe each column of these graphs: its type, what becomes of it, what is missing, its share of the distance.

        Parameters
        ----------
        graphs : collection of graphs
            The graphs, as objects of one kind.

        Returns
        -------
        list of ColumnSummary
            One for each column, nodes first.

        Examples
        --------
        >>> import graphmeans as gm
        >>> graphs = [gm.Graph({"x": [0.0, 2.0], "kind": ["a", "b"]}, [(0, 1)])]
        >>> [(line.name, line.treatment, line.share) for line in gm.GraphEncoder().fit(graphs).describe(graphs)][:2]
        [('kind', '1 of 2', 0.3333333333333333), ('x', 'standardised', 0.6666666666666666)]
        """
        check_is_fitted(self)
        listed = GraphList(self.graphs_of(graphs))
        lines: list[ColumnSummary] = []
        spreads: list[float] = []
        for part, columns in (("node", self.node_columns_), ("edge", self.edge_columns_)):
            known = {column.name: column for column in columns}
            for name in dict.fromkeys([*known, *self.left_out_[part]]):
                parts = [row.columns[name] for row in listed.rows(part) if name in row.columns]
                if not parts or (name == BARE and not parts[0].shape[1]):
                    continue
                values = join_columns(parts)
                column = known.get(name)
                spreads.append(0.0 if column is None else _spread(column, values) * (2.0 if part == "edge" else 1.0))
                treatment, weight = ("left out", 0.0) if column is None else (column.described(), column.factor**2)
                counts = len(values), int(missing_in(values).sum()), _distinct(values)
                lines.append(ColumnSummary(part, name, kind_in_words(values), treatment, weight, *counts, 0.0))
        total = sum(spreads) or 1.0
        return [line._replace(share=spread / total) for line, spread in zip(lines, spreads, strict=True)]

    # -- fitting -----------------------------------------------------------------------------------

    def _choices(self) -> Choices:
        """The options of the columns, after all options were checked."""
        self._check_words()
        return Choices(self.numbers, self.weights, self.categories, self.directions, self.orientations, self.angle_unit)

    def _check_words(self) -> None:
        if isinstance(self.presence, str) or not np.isfinite(self.presence):
            raise GraphError(f"presence must be a finite number, got {self.presence!r}")
        presence = self.edge_presence
        if presence != "auto" and (isinstance(presence, str) or not np.isfinite(presence)):
            raise GraphError(f"edge_presence must be 'auto' or a finite number, got {self.edge_presence!r}")
        words: dict[str, Any] = {"missing": ("average", "columns", "refuse"), "unknown": ("average", "refuse")}
        for name, known in {**words, "directed": ("auto", True, False)}.items():
            if getattr(self, name) not in known:
                raise GraphError(f"{name} must be one of {', '.join(map(repr, known))}, got {getattr(self, name)!r}")

    def _fit(self, source: GraphList) -> tuple[FloatArray | None, PackedEdges | None]:
        """Fit, and hand back the codes of the edges (without presence) and the packed edges as far as fitting made them."""
        choices = self._choices()
        self._fit_summary(CollectionSummary.of(source, choices, self.missing), choices)
        if self.edge_presence != "auto":
            return None, None
        codes = self._codes(source, "edge")
        packed = pack_edges(source.shape, codes, self.directed_)
        self.edge_presence_ = 1.0 if len(packed.zeros()) else 0.0
        return codes, packed

    def _fit_summary(self, summary: CollectionSummary | None, choices: Choices) -> None:
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

    # -- encoding ----------------------------------------------------------------------------------

    def _encode(
        self, source: GraphList | Flat, codes: FloatArray | None = None, packed: PackedEdges | None = None
    ) -> GraphBatch:
        """The batch; `codes` of the edges (without presence) and `packed` edges are made unless fitting has made them."""
        self._check_direction(source)
        nodes = _with_presence(self._codes(source, "node"), float(self.presence))
        supports = source.supports()
        if packed is None or supports is not None or self.edge_presence_:
            edges = _with_presence(self._codes(source, "edge") if codes is None else codes, self.edge_presence_)
            if supports is not None:
                nodes, edges = nodes * supports[0], edges * supports[1]
            self._check_roles(source)
            packed = pack_edges(source.shape, edges, self.directed_)
            if supports is None:
                _check_edges(source, packed)
        known = {role: code for code, role in enumerate(self.roles_)}
        # A role never seen before gets a number of its own: nothing fitted can be matched with it.
        roles = source.role_codes(known)
        node_ptr = offsets(source.shape.node_counts)
        return GraphBatch(node_ptr, nodes, roles, packed.ptr, packed.ends, packed.values, self.directed_, tuple(known))

    def _check_direction(self, source: GraphList | Flat) -> None:
        if self.directed_ or self.directed is False:
            return  # an undirected edge is both arcs; two arcs are merged
        wrong = np.flatnonzero(source.shape.directed & (source.shape.edge_counts > 0))
        if len(wrong):
            raise GraphError(f"{source.label(int(wrong[0]))} is directed but the encoder was fitted on undirected graphs")

    def _check_roles(self, source: GraphList | Flat) -> None:
        without = self.roles_ == (None,)
        for row in source.rows("node"):
            if (row.roles is None) != without:
                said = "no roles" if row.roles is None else "roles"
                raise GraphError(f"{row.label} has {said}, unlike the fitted collection")

    def _codes(self, source: GraphList | Flat, part: str) -> FloatArray:
        """The codes of all nodes (edges), without presence."""
        columns = self.node_columns_ if part == "node" else self.edge_columns_
        fitted = {column.name: column for column in columns}
        return RowEncoder(part, fitted, self.left_out_[part], self.missing, self.unknown).codes(source.rows(part))


def _read(graphs: Any, start: int = 0) -> GraphList | Flat:
    """Graphs as encoders read them; flat arrays are that already."""
    return graphs if isinstance(graphs, Flat) else GraphList(to_graphs(graphs), start)


def _with_presence(codes: FloatArray, presence: float) -> FloatArray:
    """The codes with a further channel that is the same for all, unless that is zero."""
    return np.concatenate([codes, np.full((len(codes), 1), presence)], axis=1) if presence else codes


def _check_edges(source: GraphList | Flat, packed: PackedEdges) -> None:
    zero = packed.zeros()
    if zero.size:
        owner = int(np.searchsorted(packed.ptr, zero[0], side="right")) - 1
        i, j = packed.ends[zero[0]]
        raise GraphError(
            f"{source.label(owner)}: edge ({i}, {j}) encodes to zero, which means no edge; "
            "fit the encoder with edge_presence=1"
        )


def _spread(column: Column, values: NDArray[Any]) -> float:
    codes = column.codes(values)
    return float(((codes - codes.mean(axis=0)) ** 2).sum())


def _distinct(values: NDArray[Any]) -> int:
    known = np.ma.getdata(values)[~missing_in(values)]
    return len(np.unique(known, axis=0)) if known.dtype.kind == "f" else len(set(known.tolist()))
