"""`GraphInput`: how estimators take graphs in: objects, rows of an array or a collection on disk become points of a space."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from graphmeans.cluster.data.dataset import Dataset, InMemoryDataset, OnDiskDataset, Survey, surveyed, to_points
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.cluster.estimators.inputs import ARRAY, COLLECTION, is_lazy, kind_of, rows_to_batch
from graphmeans.functions import check_weights
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import collect, is_one_graph, to_graphs
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.encoding.molecules import make_encoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.labelled import ignored_identities
from graphmeans.matching.match import Matcher
from graphmeans.space import GraphSpace, Order, exact_shift


class GraphInput(BaseEstimator):
    """An estimator that takes graphs, encodes them, and works in a space of them.

    Fitted, it has `encoder_`, `space_` and `_kind` (of what fit was given). Every method takes a collection of graphs, or a
    single graph, which counts as a collection of one.
    """

    encoder: Any
    matcher: str | Matcher
    effort: float
    node_weight: float
    edge_weight: float
    order: Order
    device: str
    n_jobs: int | None
    encoder_: GraphEncoder
    space_: GraphSpace
    _kind: str

    def _fit_encoder(self, X: Any, client: DaskClient | None = None) -> tuple[GraphEncoder, GraphBatch | Survey]:
        """The encoder, and the encoded graphs; of a collection on disk what must be known of them."""
        if self._kind == ARRAY:
            encoder = make_encoder(self.encoder, None)
            rows = validate_data(self, X, dtype=np.float64, accept_sparse=False)
            encoder.fit([Graph(rows[:1])])
            return encoder, rows_to_batch(rows)
        for stale in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, stale):
                delattr(self, stale)
        if self._kind == COLLECTION:
            encoder = make_encoder(self.encoder, X[:1])
            if client is not None:
                return client.fit_encoder(encoder, X), client.surveyed(X, encoder)
            return encoder.fit_batches(X.arrays()), surveyed(X, encoder)
        graphs = to_graphs(X) if isinstance(self.encoder, str) else self.encoder.graphs_of(X)
        said = ignored_identities(X, lambda: graphs)
        if said is not None:
            warnings.warn(said, stacklevel=5)
        encoder = make_encoder(self.encoder, graphs)
        return encoder, encoder.fit_encode(encoder.graphs_of(graphs))

    def _make_space(self, encoder: GraphEncoder, *points: GraphBatch | Survey) -> GraphSpace:
        """The space of these graphs, with the parameters of this estimator."""
        shift = exact_shift(points[0].nodes) if self._kind == ARRAY and isinstance(points[0], GraphBatch) else None
        return GraphSpace.for_graphs(
            *points, order=self.order, roles=encoder.roles_, node_weight=self.node_weight, edge_weight=self.edge_weight,
            matcher=self.matcher, effort=self.effort, n_jobs=self.n_jobs, shift=shift,
            device=self.device,
        )  # fmt: skip

    def _make_data(
        self, X: Any, encoder: GraphEncoder, space: GraphSpace, found: GraphBatch | Survey, sample_weight: ArrayLike | None
    ) -> Dataset:
        """The graphs as weighted points of the space, in memory or on disk."""
        if isinstance(found, GraphBatch):
            return InMemoryDataset(to_points(space, found), check_weights(sample_weight, len(found)))
        weights = None if sample_weight is None else check_weights(sample_weight, len(X))
        return OnDiskDataset(X, encoder, space, found, weights)

    def _take_in(self, X: Any, sample_weight: ArrayLike | None) -> tuple[GraphEncoder, GraphSpace, InMemoryDataset]:
        """Encoder, space and points of an estimator that needs all graphs in memory."""
        self._kind = kind_of(X)
        encoder, found = self._fit_encoder(X)
        space = self._make_space(encoder, found)
        return encoder, space, self._make_data(X, encoder, space, found, sample_weight).in_memory()

    def _points(self, X: Any) -> GraphBatch:
        """New graphs as points of the space, their nodes in canonical order."""
        check_is_fitted(self)
        X = collect(X)
        if self._kind == ARRAY:
            rows = validate_data(self, X, reset=False, dtype=np.float64, accept_sparse=False)
            return self.space_.weighted(rows_to_batch(rows))
        if is_lazy(X):
            return to_points(self.space_, X.encoded_rows(self.encoder_, range(len(X))))
        return to_points(self.space_, self.encoder_.encode(self._graphs(X)))

    def _graphs(self, X: Any) -> list[Graph]:
        """New graphs, converted."""
        if is_lazy(X):
            return list(X)
        X = collect(X)
        X = [X] if is_one_graph(X) else X
        if kind_of(X) == ARRAY:
            raise GraphError("expected a collection of graphs, like the one that was fitted")
        return self.encoder_.graphs_of(X)
