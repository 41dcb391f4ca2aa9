"""`HeldGraphs`: the graphs of an index, which can be added and removed, here or with the workers of a cluster."""

from __future__ import annotations

import weakref
from collections import Counter
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from graphmeans.cluster.data.dataset import Dataset, InMemoryDataset
from graphmeans.cluster.estimators.graph_input import GraphInput
from graphmeans.cluster.estimators.inputs import ARRAY, is_lazy, kind_of
from graphmeans.cluster.estimators.validation import check_parameters
from graphmeans.cluster.estimators.workers import open_workers
from graphmeans.graphs.batch import GraphBatch, IntArray
from graphmeans.graphs.convert import collect
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.matching.pairs import are_larger
from graphmeans.means.frames import Centers
from graphmeans.nearest.cascade import fit_into
from graphmeans.nearest.points import Points
from graphmeans.search.names import NameTable
from graphmeans.search.remote import DaskShards

if TYPE_CHECKING:
    from typing_extensions import Self


class HeldGraphs(GraphInput):
    """An estimator that holds graphs as points of a space, all of them here or in parts with workers.

    Fitted, it has `indices_`, `names_` and `n_seen_`, and either `_points_in` or, with workers, `_remote`.
    """

    engine: Any
    indices_: IntArray
    names_: NameTable
    n_seen_: int
    _points_in: Points
    _remote: DaskShards | None = None
    _end: Any = None

    def fit(self, X: Any, y: object = None) -> Self:
        """Take in a collection of graphs, or the rows of a 2-D array.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.
        y : object, default=None
            It is ignored.

        Returns
        -------
        GraphIndex
            The estimator itself.
        """
        check_parameters(self.get_params(deep=False))
        X = collect(X)
        self.close()
        self._kind = kind_of(X)
        if self._is_remote:
            data = self._fit_remotely(X)
        else:
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

    def _fit_remotely(self, X: Any) -> Dataset:
        """Hand the collection to workers, who read it themselves if it is on disk."""
        workers = open_workers(self.engine, self.n_jobs)
        client = workers.__enter__()
        assert client is not None
        try:
            encoder, found = self._fit_encoder(X, client)
            space = self._make_space(encoder, found)
            data = self._make_data(X, encoder, space, found, None)
            if not len(data):
                raise GraphError("the collection is empty")
            remote = DaskShards(client, space, data)
        except BaseException:
            workers.__exit__(None, None, None)
            raise
        self.encoder_, self.space_ = encoder, space
        self._hold(remote)
        return data

    def _hold(self, remote: DaskShards) -> None:
        self.__dict__.pop("_points_in", None)
        self._remote = remote
        self._end = weakref.finalize(self, remote.close)

    @property
    def _is_remote(self) -> bool:
        return not (isinstance(self.engine, str) and self.engine == "threads")

    def _shards(self) -> DaskShards | None:
        """The workers that hold the graphs, who are sent them when they are first asked; None for threads of this process."""
        check_is_fitted(self)
        if self._remote is None and not hasattr(self, "_points_in"):
            raise GraphError("this index was closed, and its graphs went with its workers: fit it again, or load it from a file")
        if not self._is_remote:
            self._fetch()
            return None
        if self._remote is None:
            batch = self._points_in.batch
            workers = open_workers(self.engine, self.n_jobs)
            client = workers.__enter__()
            assert client is not None
            try:
                self._hold(DaskShards(client, self.space_, InMemoryDataset(batch, np.ones(len(batch)))))
            except BaseException:
                workers.__exit__(None, None, None)
                raise
        return self._remote

    def _fetch(self) -> None:
        """Bring the graphs here that workers hold, and let go of the workers."""
        if self._remote is not None:
            self._points_in = replace(self._remote.points(), space=self.space_)
            self.close()

    def close(self) -> None:
        """Let go of the workers of engine="dask", and end those that were started for this index.

        They hold its graphs: an index that is closed must be fitted again. Nothing happens with threads.
        """
        if self._remote is not None:
            self._remote = None
            self._end()

    def add(self, X: Any) -> IntArray:
        """Take in more graphs.

        None may be larger than the space foresees.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of int
            The numbers that the graphs have from now on.
        """
        check_is_fitted(self)
        X = collect(X)
        points, remote = self._points(X), self._shards()
        over = np.flatnonzero(are_larger(points, self.space_.order) if remote is not None else ~fit_into(self._points_in, points))
        if len(over):
            raise GraphError(
                f"graph {over[0]} has {points.sizes[over[0]]} nodes, more than the graphs that this index was made for: its "
                "distances would not be comparable with theirs; make an index with a larger order"
            )
        new = np.arange(len(points)) + self.n_seen_
        if remote is not None:
            remote.append(points)
        else:
            self._points_in = self._points_in.append(points)
        self.indices_ = np.concatenate([self.indices_, new])
        self.names_ = self.names_.append(self._names(X, len(points)))
        self.n_seen_ += len(points)
        return new

    def remove(self, numbers: ArrayLike) -> None:
        """Remove the graphs of these numbers; the others keep theirs.

        Parameters
        ----------
        numbers : array of int
            Numbers of graphs in the index.
        """
        check_is_fitted(self)
        gone = np.unique(np.asarray(numbers, dtype=np.int64).reshape(-1))
        missing = gone[~np.isin(gone, self.indices_)]
        if len(missing):
            raise GraphError(f"there is no graph number {missing[0]} in the index")
        kept = np.flatnonzero(~np.isin(self.indices_, gone))
        remote = self._shards()
        if remote is not None:
            remote.keep(kept)
        else:
            self._points_in = self._points_in.take(kept)
        self.indices_ = self.indices_[kept]
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
        """Give the graphs of these numbers as the index holds them.

        They are encoded and decoded again, without the caller's node ids.

        Parameters
        ----------
        numbers : array of int
            Numbers of graphs, counted from 0 in the order in which they were taken in.

        Returns
        -------
        list of MeanGraph
            The graphs.
        """
        at = self._positions(numbers)
        plain = self.space_.unweighted(self._held_graphs(at))
        whole = Centers.of_graphs(plain)
        names = [self.names_[i] for i in at]
        return self.encoder_.decode(plain, whole.node_support, whole.edge_support, damped=False, names=names)

    def _held_graphs(self, at: IntArray) -> GraphBatch:
        """Points of the space at these positions."""
        remote = self._shards()
        return self._points_in.batch.take(at) if remote is None else remote.take(at)

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

        Parameters
        ----------
        path : path
            The file to write.
        """
        check_is_fitted(self)
        here = copy(self)  # with the graphs that workers hold
        import_module("graphmeans.io.storage.model").save(here, path)  # files are a layer above estimators

    def __sklearn_clone__(self) -> Any:
        """A clone works on the same cluster: a Client cannot be copied."""
        bare = type(self)(**{**self.get_params(deep=False), "engine": "threads"})
        other = super(HeldGraphs, bare).__sklearn_clone__()
        other.engine = self.engine
        return other

    def __getstate__(self) -> Any:
        """What is pickled: the graphs, wherever they are now, and the address of a Client, which stays where it is."""
        state = dict(super().__getstate__())
        if self._remote is not None:
            state["_points_in"] = replace(self._remote.points(), space=self.space_)
            del state["_remote"], state["_end"]
        return state if isinstance(self.engine, str) else {**state, "engine": self.engine.scheduler.address}
