"""What all estimators that learn centers share: how the centers are used, and where labels are kept."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.data.dataset import Dataset, InMemoryDataset, OnDiskDataset, Survey, check_roles
from graphmeans.cluster.estimators.graph_input import GraphInput
from graphmeans.cluster.estimators.inputs import ARRAY, COLLECTION, GRAPH, KINDS, is_lazy
from graphmeans.cluster.estimators.prediction import Nearest, Predictor, by_blocks, outlier_scores, usual_distances
from graphmeans.cluster.estimators.workers import open_workers
from graphmeans.cluster.shards.reductions import Assignment
from graphmeans.graphs.convert import as_kind
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Match
from graphmeans.means.frames import Centers
from graphmeans.space import GraphSpace

logger = logging.getLogger("graphmeans")

#: What is known of each fitted graph. Workers may still hold it.
ASSIGNMENT = ("labels_", "distances_", "certified_", "certified_margins_")


@contextmanager
def shown(verbose: int) -> Iterator[None]:
    """The library logs; `verbose` shows the log while a fit lasts, unless the caller has set logging up."""
    if not verbose:
        yield
        return
    level, handler = logger.level, logging.StreamHandler()
    logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    shows = not logger.hasHandlers()
    if shows:
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.setLevel(level)
        if shows:
            logger.removeHandler(handler)


class GraphEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GraphInput):
    """An estimator that learns centers, which are graphs.

    Fitted, it has `encoder_`, `space_`, `_centers` (points of the space, with support) and `_kind` (of what fit was given).
    Every method takes a collection of graphs, or a single graph, which counts as a collection of one.
    """

    labels_: NDArray[np.int32]
    distances_: NDArray[np.float64]
    certified_: NDArray[np.bool_]
    certified_margins_: NDArray[np.float64]
    _centers: Centers

    # -- using the centers -------------------------------------------------------------------------

    def _keep_centers(self, encoder: GraphEncoder, space: GraphSpace, centers: Centers) -> None:
        self.encoder_, self.space_, self._centers = encoder, space, centers
        plain = space.unweighted(centers.batch)
        self.cluster_centers_ = plain.nodes if self._kind == ARRAY else plain
        self._n_features_out = len(centers)

    def _data(self, X: Any) -> Dataset:
        """New graphs as points of the space; those on disk stay there."""
        check_is_fitted(self)
        if is_lazy(X):
            return OnDiskDataset(X, self.encoder_, self.space_, Survey.of(self._centers.batch), None)
        points = self._points(X)
        return InMemoryDataset(points, np.ones(len(points)))

    def _predictor(self) -> Predictor:
        return Predictor(self.space_, self._centers.batch)

    def _nearest(self, X: Any) -> Nearest:
        """Label and distance of the nearest center of each graph, a block at a time, by threads or by workers."""
        data = self._data(X)
        with open_workers(getattr(self, "engine", "threads"), self.n_jobs) as client:
            found = list(by_blocks(Predictor.nearest_centers, self._predictor(), data, client))
        none = Nearest(np.zeros(0, dtype=np.int64), np.zeros(0))
        return Nearest(*map(np.concatenate, zip(none, *found, strict=True)))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Compute the distances of each graph to each center, an array of shape (N, k).

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N, k)
            The distances.
        """
        points = self._points(X)
        return self.space_.distances(points, self._centers.batch)

    def margins(self, X: Any) -> NDArray[np.float64]:
        """Say how clearly each graph belongs to its center: 1 - (distance to the nearest) / (distance to the second nearest).

        This is 1 on a center and 0 half way between two. Only centers whose bounds do not rule them out are matched.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N,)
            The margins, between 0 and 1.
        """
        data = self._data(X)
        if len(self._centers) < 2:
            raise GraphError("margins need at least two centers")
        return np.concatenate([near.margin for near in by_blocks(Predictor.two_nearest, self._predictor(), data)])

    def outlier_scores(self, X: Any) -> NDArray[np.float64]:
        """Say how odd each graph is: its distance to the nearest center relative to the median distance in that cluster.

        This is about 1 for an ordinary member. In clusters of fewer than 5 graphs the median of the whole collection is taken.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N,)
            The scores; about 1 for an ordinary member.
        """
        labels, distances = self._nearest(X)
        return outlier_scores(distances, self._usual_distances()[labels])

    def _usual_distances(self) -> NDArray[np.float64]:
        """What distance is usual in the cluster of each center."""
        return usual_distances(self.distances_, self.labels_, len(self._centers))

    def align(self, X: Any) -> list[Match]:
        """Align each graph to its nearest center; mappings lead to node numbers of the centroid.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        list of Match
            One for each graph; `mapping` leads from its nodes to node numbers of the mean graph.
        """
        check_is_fitted(self)
        if self._kind == ARRAY:
            points = self._points(X)
            ids: list[Any] = [range(1)] * len(points)
        else:
            graphs = self._graphs(X)
            batch, ids = self.encoder_.encode(graphs), [graph.node_ids for graph in graphs]
            check_roles(self.space_, batch)
            points = self.space_.weighted(batch)
        nearest = self._predictor().nearest_centers(InMemoryDataset(points, np.ones(len(points))).part(range(len(points))))
        pairs = np.stack([np.arange(len(points)), nearest.label], axis=1)
        found = self.space_.match(points, self._centers.batch, pairs)
        certified = self.space_.certified(found)
        name = str(getattr(self.space_.matcher, "name", type(self.space_.matcher).__name__))
        return [
            Match(
                float(found.lower[p]), float(found.upper[p]),
                {node: (int(j) if j >= 0 else None) for node, j in zip(ids[p], found.mapping(p), strict=True)},
                found.mapping(p), bool(certified[p]), name,
            )
            for p in range(len(points))
        ]  # fmt: skip

    def centroids(self, kind: str | None = None) -> Any:
        """Decode the centers into mean graphs in original units, with support, in the caller's kind of object.

        Parameters
        ----------
        kind : {None, "graph", "networkx", "igraph", "rdkit", "pyg", "adjacency", "pandas", "array"}, default=None
            The kind of object. None stands for what `fit` was given.

        Returns
        -------
        list
            The mean graphs; for "pandas" a table of edges and one of nodes, for "array" an array of shape (k, d).
        """
        check_is_fitted(self)
        kind = self._kind if kind is None else kind
        kind = GRAPH if kind == COLLECTION else kind
        if kind not in KINDS:
            raise GraphError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")
        if kind == ARRAY:
            if self._kind != ARRAY:
                raise GraphError("centroids of graphs cannot be given as an array")
            return np.array(self.cluster_centers_)
        centers = self._centers
        decoded = self.encoder_.decode(
            self.space_.unweighted(centers.batch), centers.node_support, centers.edge_support, damped=centers.damped,
            names=self._center_names(),
        )  # fmt: skip
        return as_kind(decoded, kind)

    def _center_names(self) -> list[str]:
        return [f"cluster {c}" for c in range(len(self._centers))]

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file (by convention ``.gmz``) that `gm.load` reads: no pickle, with checksums.

        Parameters
        ----------
        path : path
            The file to write.
        """
        import_module("graphmeans.io.storage.model").save(self, path)  # files are a layer above estimators

    def write_labels(self, path: Any, X: Any = None) -> int:
        """Write labels and distances as Parquet: columns ``name``, ``cluster`` and ``distance``, with a row for each graph.

        Where the fit knows which labels are proven, there are columns ``proven`` and ``proven_margin``, too.

        After a fit on a cluster to a collection on disk, workers write their parts into a folder and nothing is fetched.

        Parameters
        ----------
        path : path
            A file; a folder if workers write. They must see it, too.
        X : list of Graph or Collection, default=None
            What was fitted, for the names. A collection on disk need not be given where workers write.

        Returns
        -------
        int
            The number of graphs.
        """
        written: int = import_module("graphmeans.io.parquet.labels").write_fitted(self, path, X)
        return written

    def _repr_html_(self) -> str:
        return str(import_module("graphmeans.plots.notebook").estimator_html(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # -- labels that may be with workers -----------------------------------------------------------

    def _keep_assignment(self, found: Result) -> None:
        """Keep what was found: here, unless workers that go on living hold it."""
        self._release_workers()
        for stale in ASSIGNMENT:
            self.__dict__.pop(stale, None)
        self._result = found
        if found.engine is None:
            self._fetch_assignment()

    def _fetch_assignment(self) -> None:
        if "_result" in self.__dict__:
            self._set_assignment(self._result.assignment)
            self._release_workers()

    def _set_assignment(self, found: Assignment) -> None:
        self.labels_ = found.labels.astype(np.int32)
        self.distances_ = self.space_.in_units_of_graphs(found.distances)
        self.certified_, self.certified_margins_ = found.proven, found.proven_margins

    def _release_workers(self) -> None:
        """Workers need not remember the labels any longer."""
        found = self.__dict__.pop("_result", None)
        if found is not None and found.engine is not None:
            found.engine.close()

    def __getattr__(self, name: str) -> Any:
        # It is called for what is not there: labels are not while workers hold them.
        if name in ASSIGNMENT and "_result" in self.__dict__:
            self._fetch_assignment()
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> Any:
        self._fetch_assignment()
        return super().__getstate__()
