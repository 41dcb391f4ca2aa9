"""`GraphIndex`: exact nearest neighbors of graphs, with the names and shapes of scikit-learn's `NearestNeighbors`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from graphmeans.cluster.estimators.inputs import ARRAY, is_lazy
from graphmeans.cluster.estimators.validation import check_parameters
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.convert import is_one_graph
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Match, Matcher
from graphmeans.matching.pairs import are_larger
from graphmeans.nearest.cascade import Cascade, pairs_within, widened
from graphmeans.nearest.sparse import sparse_rows
from graphmeans.search.answers import Answer, Neighbor
from graphmeans.search.held import HeldGraphs
from graphmeans.space import Order


class GraphIndex(HeldGraphs):
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
    encoder : {"auto", "molecule", "series"} or GraphEncoder, default="auto"
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
    engine : "threads", "dask", address or dask.distributed.Client, default="threads"
        Who searches. "dask" starts worker processes on this machine, which end with `close` or with the index. Each worker
        holds a part of the collection; one on disk is read by the workers. Distances are those of threads; where several
        graphs are equally far, it may be another of them that is named.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads (or of processes with engine="dask"); None for all cores. Results do not depend on it.

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
        What all searches since `fit` have taken: pairs compared by ``heads`` of sketches, ``sketches``, ``assignments`` and
        ``edge_programs``, and ``matchings``.
    encoder_, space_ :
        The fitted encoder and the metric space.

    See Also
    --------
    near_duplicates : Groups of copies.
    pairwise_distances : All distances, or with a cutoff a sparse matrix of the small ones.

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
        engine: Any = "threads",
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
        self.engine = engine
        self.device = device
        self.n_jobs = n_jobs

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
        check_is_fitted(self)
        k = self._count(n_neighbors, X is None)
        queries, remote = self._queries(X), self._shards()
        shape = (len(self.indices_) if queries is None else len(queries), k)
        distances, indices, certified = np.zeros(shape), np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
        if remote is not None:
            answers = remote.nearest(queries, k, self.n_compared_)
        elif queries is None:
            answers = self._cascade().nearest(self._points_in.batch, k, np.arange(len(self.indices_)))
        else:
            answers = self._cascade().nearest(queries, k)
        for q, found in enumerate(answers):
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
            The distances of the neighbors. Only if `return_distance`.
        indices : array of int arrays
            The numbers of the neighbors.
        certified : bool array of shape (queries,)
            Which answers are proven. Only if `return_certified`.
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
        queries, remote = self._queries(X), self._shards()
        if queries is not None:
            if remote is None:
                answers = self._cascade().within(queries, reach)
            else:
                answers = remote.within(queries, reach, self.n_compared_)
            yield from (found.within(reach) for found in answers)
            return
        pairs = pairs_within(self._cascade(), reach) if remote is None else remote.pairs_within(reach, self.n_compared_)
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
        return sparse_rows(values, indices.ravel(), ptr, self.n_seen_)

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
            The neighbors of each query in its row.
        """
        _check_mode(mode)
        distances, indices = self.radius_neighbors(X, radius, sort_results=sort_results)
        ptr = np.concatenate([[0], np.cumsum([len(row) for row in indices])]).astype(np.int64)
        columns = np.concatenate([np.zeros(0, dtype=np.int64), *indices])
        values = np.concatenate([np.zeros(0), *distances]) if mode == "distance" else np.ones(len(columns))
        return sparse_rows(values, columns, ptr, self.n_seen_)

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
        """Find the nearest graphs of several, with their alignments; see `query`.

        Parameters
        ----------
        graphs : collection of graphs
            The graphs, as objects of one kind.
        n_neighbors : int, optional
            How many neighbors; None for the parameter of the index.
        radius : float, optional
            Only neighbors within this distance.

        Returns
        -------
        list of Answer
            One for each graph.
        """
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
        points, near = self.space_.weighted(self.encoder_.encode([query])), self._held_graphs(self._positions(numbers))
        space = widened(self.space_, points) if are_larger(points, self.space_.order).any() else self.space_
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
        space = self._points_in.space
        if (space.n_jobs, space.device) != (self.n_jobs, self.device):
            self._points_in = replace(self._points_in, space=replace(space, n_jobs=self.n_jobs, device=self.device))
        return Cascade(self._points_in, self.n_compared_)

    def _queries(self, X: Any) -> GraphBatch | None:
        """The queries as points; None for the graphs of the index."""
        check_is_fitted(self)
        if X is None:
            return None
        return self._points([X] if self._kind != ARRAY and not is_lazy(X) and is_one_graph(X) else X)

    def _count(self, n_neighbors: int | None, not_itself: bool) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        check_parameters({"n_neighbors": k})
        there = len(self.indices_) - not_itself
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

