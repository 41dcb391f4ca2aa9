"""What estimators that learn prototype graphs share: how they take graphs in, and how the prototypes are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from graphmeans.cluster.data.dataset import surveyed
from graphmeans.cluster.estimators.inputs import ARRAY, COLLECTION, GRAPH, KINDS, as_kind, is_lazy, kind_of, vectors
from graphmeans.cluster.estimators.prediction import nearest_centers
from graphmeans.cluster.estimators.scores import outlier_scores, two_nearest, usual_distances
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import kind_of_one, to_graphs
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Match
from graphmeans.means.frames import Centers
from graphmeans.space import GraphSpace, Order


class Prototypes(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Fitted: `encoder_`, `space_`, `_centers` (points of the space, with support) and `_kind` (of what fit was given).

    Every method takes a collection of graphs, or a single graph, which stands for a collection of one.
    """

    encoder: Any
    matcher: Any
    effort: float
    node_weight: float
    edge_weight: float
    order: Order
    n_jobs: int | None
    encoder_: GraphEncoder
    space_: GraphSpace
    _centers: Centers
    _kind: str

    # -- taking in ---------------------------------------------------------------------------------

    def _fit_encoder(self, X: Any, cluster: Any = None) -> tuple[GraphEncoder, Any]:
        """The encoder, and the encoded graphs; of a collection on disk what must be known of them."""
        if self.encoder != "auto" if isinstance(self.encoder, str) else not hasattr(self.encoder, "fit_transform"):
            raise GraphError(f"encoder must be 'auto' or a GraphEncoder, got {self.encoder!r}")
        encoder = GraphEncoder() if isinstance(self.encoder, str) else clone(self.encoder)
        if self._kind == ARRAY:
            rows = validate_data(self, X, dtype=np.float64, accept_sparse=False)
            encoder.fit([Graph(rows[:1])])
            return encoder, vectors(rows)
        for stale in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, stale):
                delattr(self, stale)
        if self._kind == COLLECTION:
            if cluster is not None:
                return cluster.fit_encoder(encoder, X), cluster.surveyed(X, encoder)
            return encoder.fit_batches(X.arrays()), surveyed(X, encoder)
        return encoder, encoder.fit_transform(X)

    def _space(self, encoder: GraphEncoder, *batches: Any) -> GraphSpace:
        """The space of the graphs in these batches (or surveys), with the parameters of this estimator."""
        return GraphSpace.for_graphs(
            *batches, order=self.order, roles=encoder.roles_, node_weight=self.node_weight, edge_weight=self.edge_weight,
            matcher=self.matcher, effort=self.effort, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _keep_prototypes(self, encoder: GraphEncoder, space: GraphSpace, centers: Centers) -> None:
        self.encoder_, self.space_ = encoder, space
        self._centers = centers
        plain = space.unweighted(centers.batch)
        self.cluster_centers_ = plain.nodes if self._kind == ARRAY else plain
        self._n_features_out = len(centers)

    def _points(self, X: Any) -> GraphBatch:
        check_is_fitted(self)
        if self._kind == ARRAY:
            rows = validate_data(self, X, reset=False, dtype=np.float64, accept_sparse=False)
            return self.space_.weighted(vectors(rows))
        if is_lazy(X):
            return self.space_.weighted(X.encoded_rows(self.encoder_, range(len(X))))
        X = collected(X)
        if kind_of(X) == ARRAY:
            raise GraphError("expected a collection of graphs, like the one that was fitted")
        return self.space_.weighted(self.encoder_.transform(X))

    def _nearest(self, points: GraphBatch) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return nearest_centers(self.space_, points, self._centers.batch)

    # -- using -------------------------------------------------------------------------------------

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Distances of each graph to each center, shape (N, k)."""
        points = self._points(X)
        return self.space_.distances(points, self._centers.batch)

    def margins(self, X: Any) -> NDArray[np.float64]:
        """How clearly each graph belongs to its center: 1 - (distance to the nearest) / (distance to the second nearest).

        1 on a center, 0 half way between two. Only centers whose bounds do not rule them out are matched.
        """
        points = self._points(X)
        if len(self._centers) < 2:
            raise GraphError("margins need at least two centers")
        return two_nearest(self.space_, points, self._centers.batch).margin

    def outlier_scores(self, X: Any) -> NDArray[np.float64]:
        """How odd each graph is: its distance to the nearest center relative to the median distance in that cluster.

        About 1 for an ordinary member. In clusters of fewer than 5 graphs the median of the whole collection is taken.
        """
        labels, distances = self._nearest(self._points(X))
        return outlier_scores(distances, self._usual()[labels])

    def _usual(self) -> NDArray[np.float64]:
        """What distance is usual in the cluster of each center."""
        return usual_distances(self.distances_, self.labels_, len(self._centers))

    def align(self, X: Any) -> list[Match]:
        """The alignment of each graph to its nearest center; mappings lead to node numbers of the centroid."""
        points = self._points(X)
        labels, _ = self._nearest(points)
        pairs = np.stack([np.arange(len(points)), labels], axis=1)
        found = self.space_.match(points, self._centers.batch, pairs)
        certified = self.space_.certified(found, points, self._centers.batch, pairs)
        ids = [range(1)] * len(points) if self._kind == ARRAY else [graph.node_ids for graph in to_graphs(collected(X))]
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
        """The mean graphs in original units, with support, in the caller's kind of object.

        Parameters
        ----------
        kind : {None, "graph", "networkx", "igraph", "rdkit", "pyg", "adjacency", "pandas", "array"}
            None: what fit was given.
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
        return as_kind(
            self.encoder_.decode(
                self.space_.unweighted(centers.batch), centers.node_support, centers.edge_support,
                damped=centers.damped, names=self._center_names(),
            ),
            kind,
        )  # fmt: skip

    def _center_names(self) -> list[str]:
        return [f"cluster {c}" for c in range(len(self._centers))]

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file (by convention ``.gmz``) that `gm.load` reads: no pickle, with checksums."""
        import_module("graphmeans.io.storage.model").save(self, path)  # it stands above: loaded when asked for


def collected(X: Any) -> Any:
    """A single graph as a collection of one; a matrix by itself may be anything and stays as it is."""
    if is_lazy(X):
        return list(X)
    return [X] if kind_of_one(X) not in (None, "adjacency") else X
