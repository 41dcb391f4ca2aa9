"""What a fit found for each graph, which may be elsewhere until somebody asks for it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.algorithms.result import Result


class Assigned:
    """`labels_` and `distances_` of a fitted estimator. After a fit on a cluster they stay on its workers until asked for."""

    labels_: NDArray[np.int32]
    distances_: NDArray[np.float64]
    _found: Result

    def _keep_assignment(self, found: Result) -> None:
        """Keep what was found: here, unless workers that go on living hold it."""
        self._let_go()
        for stale in ("labels_", "distances_"):
            self.__dict__.pop(stale, None)
        self._found = found
        if found.engine is None:
            self._fetch()

    def _fetch(self) -> None:
        if "_found" in self.__dict__:
            labels, self.distances_ = self._found.assignment
            self.labels_ = labels.astype(np.int32)
            self._let_go()

    def _let_go(self) -> None:
        """Workers need not remember it any longer."""
        found = self.__dict__.pop("_found", None)
        if found is not None and found.engine is not None:
            found.engine.close()

    def __getattr__(self, name: str) -> Any:
        if name in ("labels_", "distances_") and "_found" in self.__dict__:
            self._fetch()
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def write_labels(self, path: Any, X: Any = None) -> int:
        """Write labels and distances as Parquet: columns ``name``, ``cluster`` and ``distance``, a row a graph.

        After a fit on a cluster to a collection on disk, workers write their parts into a folder and nothing is fetched.

        Parameters
        ----------
        path : path
            A file; a folder if workers write. They must see it, too.
        X : list of Graph or Collection, optional
            What was fitted, for the names. A collection on disk need not be given where workers write.

        Returns
        -------
        int
            The number of graphs.
        """
        written: int = import_module("graphmeans.io.parquet.labels").write_fitted(self, path, X)  # it stands above
        return written

    def __getstate__(self) -> Any:
        self._fetch()
        return super().__getstate__()  # type: ignore[misc]
