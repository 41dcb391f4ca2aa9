"""What there is to say about a clustering: the figures behind the page and the command's last lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.evaluation.measures import accuracy
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.text import plain_text


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster: its mean, its members from the nearest to the farthest, and the classes among them."""

    label: int
    mean: MeanGraph
    members: NDArray[np.int64]
    distances: NDArray[np.float64]
    mixture: tuple[tuple[str, int], ...]  # the most frequent class first; empty without classes

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    @property
    def majority(self) -> str | None:
        """The most frequent class."""
        return self.mixture[0][0] if self.mixture else None

    @property
    def purity(self) -> float | None:
        """Share of members in the most frequent class."""
        return self.mixture[0][1] / self.size if self.mixture else None


@dataclass(frozen=True)
class Summary:
    """A clustering in figures."""

    clusters: tuple[ClusterSummary, ...]
    n_graphs: int
    inertia: float
    n_iter: int
    matchings: int  # of the run that is returned
    standard: int  # what a standard k-means needs for as many iterations
    matchings_of_all_runs: int
    accuracy: float | None

    @property
    def saving(self) -> float:
        """How many times fewer matchings than a standard k-means."""
        return self.standard / max(self.matchings, 1)

    @property
    def saves(self) -> bool:
        """Whether that is worth saying."""
        return self.saving >= 1.2

    def in_reading_order(self) -> list[ClusterSummary]:
        """By class where classes are known, else the largest first."""
        if self.accuracy is not None:
            return sorted(self.clusters, key=lambda c: (c.majority is None, c.majority or "", -c.size, c.label))
        return sorted(self.clusters, key=lambda c: (-c.size, c.label))


def standard_matchings(n_graphs: int, n_clusters: int) -> int:
    """Matchings of one iteration of a standard k-means: assignment kN, means N - k."""
    return n_clusters * n_graphs + n_graphs - n_clusters


def _standard_run(n_graphs: int, n_clusters: int, assignments: int) -> int:
    """Matchings of a whole run, in which no means are computed before the first assignment."""
    return max(assignments * standard_matchings(n_graphs, n_clusters) - (n_graphs - n_clusters), 0)


def plain_texts(classes: Sequence[object]) -> list[str]:
    """Classes as they are shown; there are few, each many times."""
    known = {c: plain_text(c) for c in set(classes)}
    return [known[c] for c in classes]


def summarise(estimator: Any, classes: Sequence[object] | None = None) -> Summary:
    """The figures of a fitted estimator. Classes, where given, are only counted."""
    labels = np.asarray(estimator.labels_)
    distances = np.asarray(estimator.distances_, dtype=np.float64)
    names = None if classes is None else plain_texts(classes)
    if names is not None and len(names) != len(labels):
        raise ValueError(f"{len(names)} classes for {len(labels)} graphs")
    clusters = []
    for label, mean in enumerate(estimator.centroids(kind="graph")):
        inside = np.flatnonzero(labels == label)
        inside = inside[np.argsort(distances[inside], kind="stable")]
        counts = Counter() if names is None else Counter(names[i] for i in inside)
        mixture = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        clusters.append(ClusterSummary(label, mean, inside, distances[inside], mixture))
    return Summary(
        clusters=tuple(clusters),
        n_graphs=len(labels),
        inertia=float(estimator.inertia_),
        n_iter=int(estimator.n_iter_),
        matchings=int(np.sum(estimator.trace_["matchings"])),
        standard=_standard_run(len(labels), len(clusters), len(estimator.trace_)),
        matchings_of_all_runs=int(estimator.n_matchings_),
        accuracy=None if names is None else accuracy(names, labels),
    )
