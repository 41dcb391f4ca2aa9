"""`GraphIndex`: exact nearest neighbors of graphs, with the names and shapes of scikit-learn's `NearestNeighbors`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from graphmeans.cluster.estimators.graph_input import GraphInput
from graphmeans.cluster.estimators.inputs import ARRAY, is_lazy
from graphmeans.cluster.estimators.validation import check_parameters
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.convert import is_one_graph
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.matching.match import Match, Matcher
from graphmeans.means.frames import Centers
from graphmeans.nearest.cascade import Cascade, fit_into, pairs_within, widened
from graphmeans.nearest.points import Points
from graphmeans.search.answers import Answer, Neighbor
from graphmeans.search.names import NameTable
from graphmeans.space import Order


class GraphIndex(GraphInput):
    """Nearest neighbors of whole graphs, found without a matrix of distances and proven to be the nearest.

    Graphs are compared by bounds, the cheapest first, and only the few that no bound rules out are matched. The result is that
    of comparing the query with every graph. Numbers of graphs are those of their order in `fit` and `add`; they do not change
    when others are removed.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors `kneighbors` gives if it is not told.
    radius : float, default=1.0
        The radius of `radius_neighbors` if it is not told.
    encoder : "auto" or GraphEncoder, default="auto"
        How attributes become numbers; it is cloned and fitted. See `GraphKMeans`.
    order : "auto", int, mapping role -> int, or None, default="auto"
        How many nodes (of each role) the space foresees; "auto" is the largest number in the collection. A query that is
        larger is compared at its own order; a graph that is added must not be larger.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs.
    effort : float, default=1.0
        How hard "auto" and "search" look for the best alignment of larger graphs, relative to the default.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads; None for all cores. Results do not depend on it.

    Attributes
    ----------
    n_samples_fit_ : int
        How many graphs are in the index.
    indices_ : int array
        Their numbers.
    names_ : NameTable
        Their names in the same order, None for those without.
    n_seen_ : int
        How many graphs were ever taken in; the next that is added gets this number.
    n_compared_ : Counter
        What all searches since `fit` have taken: pairs compared by ``heads`` of sketches, ``sketches`` and ``assignments``,
        and ``matchings``.
    encoder_, space_ :
        The fitted encoder and the metric space.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, classes = gm.datasets.make_letters(150, random_state=0)
    >>> index = gm.GraphIndex().fit(graphs[:140])
    >>> distances, numbers = index.kneighbors(graphs[140:], n_neighbors=3)
    >>> distances.shape, numbers.shape
    ((10, 3), (10, 3))
    >>> index.query(graphs[0], n_neighbors=1)[0].distance
    0.0
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        radius: float = 1.0,
        encoder: Any = "auto",
        order: Order = "auto",
        matcher: str | Matcher = "auto",
        effort: float = 1.0,
        node_weight: float = 1.0,
        edge_weight: float = 1.0,
        device: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.encoder = encoder
        self.order = order
        self.matcher = matcher
        self.effort = effort
        self.node_weight = node_weight
        self.edge_weight = edge_weight
        self.device = device
        self.n_jobs = n_jobs

    # -- what is in it -----------------------------------------------------------------------------

    def fit(self, X: Any, y: object = None) -> GraphIndex:
        """Take in a collection of graphs, or the rows of a 2-D array.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
        y : object, default=None
            It is ignored.

        Returns
        -------
        self
        """
        check_parameters(self.get_params(deep=False))
        encoder, space, data = self._take_in(X, None)
        if not len(data):
            raise GraphError("the collection is empty")
        self.encoder_, self.space_ = encoder, space
        self._points_in = Points.of(space, data.batch)
        self.indices_ = np.arange(len(data))
        self.names_ = self._names(X, len(data))
        self.n_seen_ = len(data)
        self.__dict__.pop("_counts", None)
        return self

    def add(self, X: Any) -> IntArray:
        """Take in more graphs, and return their numbers. None may be larger than the space foresees."""
        check_is_fitted(self)
        points = self._points(X)
        over = np.flatnonzero(~fit_into(self._points_in, points))
        if len(over):
            raise GraphError(
                f"graph {over[0]} has {points.sizes[over[0]]} nodes, more than the graphs that this index was made for: its "
                "distances would not be comparable with theirs; make an index with a larger order"
            )
        new = np.arange(len(points)) + self.n_seen_
        self._points_in = self._points_in.append(points)
        self.indices_ = np.concatenate([self.indices_, new])
        self.names_ = self.names_.append(self._names(X, len(points)))
        self.n_seen_ += len(points)
        return new

    def remove(self, numbers: ArrayLike) -> None:
        """Remove the graphs of these numbers; the others keep theirs."""
        check_is_fitted(self)
        gone = np.unique(np.asarray(numbers, dtype=np.int64).reshape(-1))
        missing = gone[~np.isin(gone, self.indices_)]
        if len(missing):
            raise GraphError(f"there is no graph number {missing[0]} in the index")
        kept = np.flatnonzero(~np.isin(self.indices_, gone))
        self._points_in, self.indices_ = self._points_in.take(kept), self.indices_[kept]
        self.names_ = self.names_.take(kept)

    @property
    def n_samples_fit_(self) -> int:
        """How many graphs are in the index."""
        check_is_fitted(self)
        return len(self.indices_)

    @property
    def n_compared_(self) -> Counter[str]:
        """What all searches have taken."""
        counts: Counter[str] = self.__dict__.setdefault("_counts", Counter())
        return counts

    def _names(self, X: Any, count: int) -> NameTable:
        if self._kind == ARRAY:
            return NameTable.of([None] * count)
        return NameTable.of(X.names if is_lazy(X) else [graph.name for graph in self._graphs(X)])

    def graphs(self, numbers: ArrayLike) -> list[MeanGraph]:
        """Give the graphs of these numbers as the index holds them: encoded and decoded again, without the caller's node ids."""
        at = self._positions(numbers)
        plain = self.space_.unweighted(self._points_in.batch.take(at))
        whole = Centers.of_graphs(plain)
        names = [self.names_[i] for i in at]
        return self.encoder_.decode(plain, whole.node_support, whole.edge_support, damped=False, names=names)

    def _positions(self, numbers: ArrayLike) -> IntArray:
        check_is_fitted(self)
        wanted = np.asarray(numbers, dtype=np.int64).reshape(-1)
        at = np.searchsorted(self.indices_, wanted)
        known = (at < len(self.indices_)) & (self.indices_[np.minimum(at, len(self.indices_) - 1)] == wanted)
        if not known.all():
            raise GraphError(f"there is no graph number {wanted[~known][0]} in the index")
        return at

    def save(self, path: Any) -> None:
        """Write the index to a file (by convention ``.gmi``) that `gm.load` reads: no pickle, with checksums.

        A loaded index stays in the file: what is searched is mapped into memory, and need not fit into it.
        """
        import_module("graphmeans.io.storage.model").save(self, path)  # files are a layer above estimators

    # -- searching ---------------------------------------------------------------------------------

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True, return_certified: bool = False
    ) -> Any:
        """Find the nearest graphs of each query.

        Parameters
        ----------
        X : collection of graphs, a single graph, or None, default=None
            The queries. None stands for the graphs of the index, none of which is its own neighbor.
        n_neighbors : int or None, default=None
            How many; None for the parameter of the index.
        return_distance : bool, default=True
            Whether to return distances.
        return_certified : bool, default=False
            Whether to say of each neighbor that it is proven to be among the nearest: that no more than n_neighbors - 1
            graphs are nearer. This is always so where the matcher is exact.

        Returns
        -------
        distances : array of shape (queries, n_neighbors)
            In increasing order. Only if `return_distance`.
        indices : int array of shape (queries, n_neighbors)
            The numbers of the neighbors.
        certified : bool array of shape (queries, n_neighbors)
            Only if `return_certified`.
        """
        queries, without = self._queries(X)
        k = self._count(n_neighbors, without)
        shape = (len(queries), k)
        distances, indices, certified = np.zeros(shape), np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
        for q, found in enumerate(self._cascade().nearest(queries, k, without)):
            at, distances[q], certified[q] = found.nearest(k)
            indices[q] = self.indices_[at]
        return _returned(
            (return_distance, self.space_.in_units_of_graphs(distances)), (True, indices), (return_certified, certified)
        )

    def radius_neighbors(
        self, X: Any = None, radius: float | None = None, return_distance: bool = True, sort_results: bool = False,
        return_certified: bool = False,
    ) -> Any:  # fmt: skip
        """Find all graphs within a radius of each query.

        Parameters
        ----------
        X : collection of graphs, a single graph, or None, default=None
            The queries. None stands for the graphs of the index, none of which is its own neighbor.
        radius : float or None, default=None
            None for the parameter of the index.
        return_distance : bool, default=True
            Whether to return distances.
        sort_results : bool, default=False
            Whether neighbors come in the order of their distances; otherwise they come by number.
        return_certified : bool, default=False
            Whether to say of each query that it is proven to have no other graph within the radius.

        Returns
        -------
        distances : array of arrays
            Only if `return_distance`.
        indices : array of int arrays
        certified : bool array of shape (queries,)
            Only if `return_certified`.
        """
        reach = self._reach(radius)
        distances, indices, certified = [], [], []
        for at, near, complete in self._within(X, reach):
            order = np.lexsort([at, near]) if sort_results else np.argsort(at)
            distances.append(self.space_.in_units_of_graphs(near[order]))
            indices.append(self.indices_[at[order]])
            certified.append(complete)
        return _returned(
            (return_distance, _listed(distances)), (True, _listed(indices)), (return_certified, np.array(certified, dtype=bool))
        )

    def _within(self, X: Any, reach: float) -> Iterator[tuple[IntArray, FloatArray, bool]]:
        """Positions and distances of the graphs within reach of each query, and whether there are proven to be no others."""
        if X is not None:
            yield from (found.within(reach) for found in self._cascade().within(self._queries(X)[0], reach))
            return
        pairs = pairs_within(self._cascade(), reach)
        cuts = np.searchsorted(pairs.row, np.arange(len(self.indices_) + 1))
        for q, (a, b) in enumerate(pairwise(cuts)):
            yield pairs.column[a:b], pairs.distance[a:b], bool(pairs.complete[q])

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Give the nearest neighbors as a sparse matrix.

        Parameters
        ----------
        X : collection of graphs, a single graph, or None, default=None
            The queries. None stands for the graphs of the index, none of which is its own neighbor.
        n_neighbors : int or None, default=None
            How many; None for the parameter of the index.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether entries are 1, or distances.

        Returns
        -------
        csr_array of shape (queries, graphs ever taken in)
            Rows are in the order of distances. The columns are the numbers of graphs.
        """
        _check_mode(mode)
        distances, indices = self.kneighbors(X, n_neighbors)
        ptr = np.arange(len(indices) + 1) * indices.shape[1]
        values = distances.ravel() if mode == "distance" else np.ones(indices.size)
        return csr_array((values, indices.ravel(), ptr), shape=(len(indices), self.n_seen_))

    def radius_neighbors_graph(
        self, X: Any = None, radius: float | None = None, mode: str = "connectivity", sort_results: bool = False
    ) -> Any:
        """Give all neighbors within a radius as a sparse matrix.

        Parameters
        ----------
        X : collection of graphs, a single graph, or None, default=None
            The queries. None stands for the graphs of the index, none of which is its own neighbor.
        radius : float or None, default=None
            None for the parameter of the index.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether entries are 1, or distances.
        sort_results : bool, default=False
            Whether the entries of a row come in the order of distances; otherwise they come by number.

        Returns
        -------
        csr_array of shape (queries, graphs ever taken in)
        """
        _check_mode(mode)
        distances, indices = self.radius_neighbors(X, radius, sort_results=sort_results)
        ptr = np.concatenate([[0], np.cumsum([len(row) for row in indices])]).astype(np.int64)
        columns = np.concatenate([np.zeros(0, dtype=np.int64), *indices])
        values = np.concatenate([np.zeros(0), *distances]) if mode == "distance" else np.ones(len(columns))
        return csr_array((values, columns, ptr), shape=(len(indices), self.n_seen_))

    def query(self, graph: Any, n_neighbors: int | None = None, radius: float | None = None) -> Answer:
        """Find the nearest graphs of one, with their alignments; in a notebook the answer is drawn.

        Parameters
        ----------
        graph : graph
            In any form that `fit` takes.
        n_neighbors : int or None, default=None
            How many; None for the parameter of the index.
        radius : float or None, default=None
            If it is given, the answer is all graphs within this distance instead.

        Returns
        -------
        Answer
            A sequence of neighbors with number, name, distance, certificate, alignment and graph.
        """
        return self.query_all([graph], n_neighbors, radius)[0]

    def query_all(self, graphs: Any, n_neighbors: int | None = None, radius: float | None = None) -> list[Answer]:
        """Find the nearest graphs of several, with their alignments; see `query`."""
        check_is_fitted(self)
        if self._kind == ARRAY:
            raise GraphError("query is for graphs; kneighbors takes rows of an array")
        queries = self._graphs(graphs)
        if radius is None:
            distances, numbers, certified = self.kneighbors(queries, n_neighbors, return_certified=True)
        else:
            distances, numbers, complete = self.radius_neighbors(queries, radius, sort_results=True, return_certified=True)
            certified = [np.full(len(row), sure) for row, sure in zip(numbers, complete, strict=True)]
        return [
            Answer(query, self._aligned(query, *found))
            for query, *found in zip(queries, distances, numbers, certified, strict=True)
        ]

    def _aligned(
        self, query: Graph, distances: FloatArray, numbers: IntArray, certified: NDArray[np.bool_]
    ) -> list[Neighbor]:
        """The neighbors of a query, matched once more for their alignments."""
        points, near = self.space_.weighted(self.encoder_.encode([query])), self._points_in.batch.take(self._positions(numbers))
        space = self.space_ if fit_into(self._points_in, points).all() else widened(self.space_, points)
        found = space.match(points, near, np.stack([np.zeros(len(near), dtype=np.int64), np.arange(len(near))], axis=1))
        self.n_compared_["matchings"] += len(near)
        proven = space.certified(found)
        name = str(getattr(space.matcher, "name", type(space.matcher).__name__))
        neighbors = []
        for p, other in enumerate(self.graphs(numbers)):
            into = found.mapping(p)
            mapping = {node: (int(j) if j >= 0 else None) for node, j in zip(query.node_ids, into, strict=True)}
            match = Match(float(found.lower[p]), float(found.upper[p]), mapping, into, bool(proven[p]), name)
            neighbors.append(Neighbor(int(numbers[p]), other.name, float(distances[p]), bool(certified[p]), match, other))
        return neighbors

    # -- how it is asked ---------------------------------------------------------------------------

    def _cascade(self) -> Cascade:
        points = replace(self._points_in, space=replace(self._points_in.space, n_jobs=self.n_jobs, device=self.device))
        return Cascade(points, self.n_compared_)

    def _queries(self, X: Any) -> tuple[GraphBatch, IntArray | None]:
        """The queries as points, and which graph of the index each of them is, if they are those of the index."""
        check_is_fitted(self)
        if X is None:
            return self._points_in.batch, np.arange(len(self.indices_))
        return self._points([X] if self._kind != ARRAY and not is_lazy(X) and is_one_graph(X) else X), None

    def _count(self, n_neighbors: int | None, without: IntArray | None) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_parameters({"n_neighbors": k})
        there = len(self.indices_) - (without is not None)
        if k > there:
            raise GraphError(f"n_neighbors must be at most the number of graphs, {there}, got {k}")
        return int(k)

    def _reach(self, radius: float | None) -> float:
        """The radius in multiples of the unit of the space."""
        reach = self.radius if radius is None else radius
        check_parameters({"radius": reach})
        return float(reach) / self.space_.unit


def _returned(*parts: tuple[bool, Any]) -> Any:
    wanted = [value for is_wanted, value in parts if is_wanted]
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def _listed(arrays: list[Any]) -> NDArray[Any]:
    """An array of arrays of different lengths, as scikit-learn has them."""
    result = np.empty(len(arrays), dtype=object)
    for i, array in enumerate(arrays):
        result[i] = array
    return result


def _check_mode(mode: str) -> None:
    if mode not in ("connectivity", "distance"):
        raise GraphError(f"mode must be 'connectivity' or 'distance', got {mode!r}")

