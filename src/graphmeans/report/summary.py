"""What there is to say about a clustering: the figures behind the page and the command's last lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphmeans.evaluation.fitted import members_by_distance
from graphmeans.evaluation.measures import accuracy, standard_matchings
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.text import plain_text


@dataclass(frozen=True)
class ClusterSummary:
    """One cluster: its mean, its members from the nearest to the farthest, and the classes among them."""

    label: int
    mean: MeanGraph
    members: IntArray
    distances: FloatArray
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
    def name(self) -> str:
        """What the cluster is called on the page."""
        if self.majority is None:
            return f"Cluster {self.label}"
        known = plain_text(self.majority, 24)
        # A class that begins with a digit would otherwise read "Cluster 5 · 1".
        return f"Cluster {self.label} · {'class ' if known[:1].isdigit() else ''}{known}"

    @property
    def purity(self) -> float | None:
        """Share of members in the most frequent class."""
        return self.mixture[0][1] / self.size if self.mixture else None


@dataclass(frozen=True)
class ClusteringSummary:
    """A clustering in figures."""

    clusters: tuple[ClusterSummary, ...]
    labels: IntArray
    distances: FloatArray
    classes: list[str] | None
    inertia: float
    n_iter: int
    matchings: int  # of the run that is returned
    standard: int  # what a standard k-means needs for as many iterations
    matchings_of_all_runs: int
    certified: float  # share of the labels that are proven; NaN where that is not known
    accuracy: float | None
    proven_margins: FloatArray | None = None  # NaN where a label is not proven; None where nothing is known of that
    hint: str | None = None  # what makes it look as if there were a better clustering

    @property
    def n_graphs(self) -> int:
        """Number of graphs in all clusters."""
        return len(self.labels)

    @property
    def saving(self) -> float:
        """How many times fewer matchings than a standard k-means."""
        return self.standard / max(self.matchings, 1)

    @property
    def saves(self) -> bool:
        """Whether the saving is large enough to be mentioned."""
        return self.saving >= 1.2

    def in_reading_order(self) -> list[ClusterSummary]:
        """By class where classes are known, else the largest first."""
        if self.accuracy is not None:
            return sorted(self.clusters, key=lambda c: (c.majority is None, c.majority or "", -c.size, c.label))
        return sorted(self.clusters, key=lambda c: (-c.size, c.label))


def class_names_shown(classes: Sequence[object]) -> list[str]:
    """Classes as text that is safe to show. Each different class is converted once."""
    known = {c: plain_text(c) for c in set(classes)}
    return [known[c] for c in classes]


def summarize_clustering(estimator: Any, classes: Sequence[object] | None = None) -> ClusteringSummary:
    """The figures of a fitted estimator; its mean graphs are decoded here, and only here. Classes are only counted."""
    labels = np.asarray(estimator.labels_, dtype=np.int64)
    distances = np.asarray(estimator.distances_, dtype=np.float64)
    names = None if classes is None else class_names_shown(classes)
    if names is not None and len(names) != len(labels):
        raise ValueError(f"{len(names)} classes for {len(labels)} graphs")
    clusters = []
    for label, mean in enumerate(estimator.centroids(kind="graph")):
        inside = members_by_distance(labels, distances, label)
        counts = Counter() if names is None else Counter(names[i] for i in inside)
        mixture = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        clusters.append(ClusterSummary(label, mean, inside, distances[inside], mixture))
    return ClusteringSummary(
        clusters=tuple(clusters), labels=labels, distances=distances, classes=names,
        inertia=float(estimator.inertia_), n_iter=int(estimator.n_iter_),
        matchings=int(np.sum(estimator.trace_["matchings"])),
        standard=_standard_run(len(labels), len(clusters), len(estimator.trace_)),
        matchings_of_all_runs=int(estimator.n_matchings_),
        certified=float(getattr(estimator, "certified_fraction_", np.nan)),
        accuracy=None if names is None else accuracy(names, labels),
        proven_margins=_proven_margins(estimator),
        hint=getattr(estimator, "hint_", None),
    )  # fmt: skip


def _proven_margins(estimator: Any) -> FloatArray | None:
    if not np.isfinite(getattr(estimator, "certified_fraction_", np.nan)):
        return None
    return np.where(estimator.certified_, estimator.certified_margins_, np.nan)


def _standard_run(n_graphs: int, n_clusters: int, assignments: int) -> int:
    """Matchings of a whole run of standard k-means, in which no means are computed before the first assignment."""
    return max(assignments * standard_matchings(n_graphs, n_clusters) - (n_graphs - n_clusters), 0)
