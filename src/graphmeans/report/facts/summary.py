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
from graphmeans.matching.fixed import alignments_are_fixed
from graphmeans.plots.text import plain_text
from graphmeans.report.words import natural_key, percent

#: A cluster is named after a class that at least this share of its members have; after two of them if together they have this
#: share, and the second this part of the first. Of others this many classes are told.
HALF, BOTH, NEARLY, TOLD = 0.5, 0.75, 0.75, 3
#: A cluster is mixed if a smaller share of its members is of one class.
PURE = 0.9


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
    def rms_distance(self) -> float | None:
        """The root mean square distance of the members to the mean; None without members.

        This is the distance of a cluster everywhere: its square, times the size, is what the cluster adds to the objective.
        """
        return float(np.sqrt(np.mean(self.distances**2))) if self.size else None

    @property
    def majority(self) -> str | None:
        """The most frequent class."""
        return self.mixture[0][0] if self.mixture else None

    @property
    def name(self) -> str:
        """What the cluster is called on the page."""
        if self.majority is None:
            return f"Cluster {self.label}"
        named = [class_in_words(name) for name in self.named_after]
        said = " and ".join(named) or "mixed"
        if len(named) > 1 and all(name.startswith("class ") for name in named):
            said = f"classes {' and '.join(name.removeprefix('class ') for name in named)}"
        return f"Cluster {self.label} · {said}"

    @property
    def named_after(self) -> tuple[str, ...]:
        """The class that at least half of the members have, two classes that nearly as many have, or none in a mixed cluster."""
        shares = [count / self.size for _, count in self.mixture[:2]]
        if len(shares) == 2 and shares[1] >= NEARLY * shares[0] and sum(shares) >= BOTH:
            return self.mixture[0][0], self.mixture[1][0]
        return (self.mixture[0][0],) if shares and shares[0] >= HALF else ()

    @property
    def classes_in_words(self) -> str:
        """What stands behind the size: the share of the class that the cluster is named after, or of several."""
        after = self.named_after
        most = len(after) or TOLD
        said = ", ".join(f"{percent(count / self.size)} {class_in_words(name)}" for name, count in self.mixture[:most])
        return said if after else f"mixed classes: {said}"

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
    matchings: int  # of all runs, with what was spent on seeds and on knowing the objective
    standard: int | None  # of a standard k-means for as many iterations, without swaps; None where alignments are fixed
    certified: float  # share of the labels that are proven; NaN where that is not known
    accuracy: float | None
    proven_margins: FloatArray | None = None  # NaN where a label is not proven; None where nothing is known of that
    hint: str | None = None  # what makes it look as if there were a better clustering
    interrupted: bool = False  # whether the fit was stopped before its end

    @property
    def n_graphs(self) -> int:
        """Number of graphs in all clusters."""
        return len(self.labels)

    @property
    def saving(self) -> float | None:
        """How many times fewer matchings than a standard k-means; None where alignments are fixed.

        The one definition, on the page, in the command and in the docs: (k + 1) N for each iteration of the run, those that
        follow swaps of centers left out, divided by all matchings of all runs, with those for seeds.
        """
        return None if self.standard is None else self.standard / max(self.matchings, 1)

    @property
    def saves(self) -> bool:
        """Whether the saving is large enough to be mentioned."""
        return self.saving is not None and self.saving >= 1.2

    def in_reading_order(self) -> list[ClusterSummary]:
        """By class where classes are known, else the largest first."""
        if self.accuracy is not None:
            return sorted(
                self.clusters, key=lambda c: (c.majority is None, natural_key(c.majority or ""), -c.size, c.label)
            )
        return sorted(self.clusters, key=lambda c: (-c.size, c.label))

    @property
    def order_in_words(self) -> str:
        """The order of `in_reading_order`, as the page says it beside numbers that follow another one."""
        if self.accuracy is not None:
            return "By the most frequent class, then by size."
        return self.by_size_in_words

    @property
    def by_size_in_words(self) -> str:
        """How clusters stand that are sorted by their sizes, which may all be the same."""
        sizes = {c.size for c in self.clusters}
        return "Largest first." if len(sizes) > 1 else "All of one size, in the order of their numbers."


def class_in_words(name: str) -> str:
    """A class beside numbers: one that begins with a digit would otherwise read "Cluster 5 · 1".

    Examples
    --------
    >>> class_in_words("A"), class_in_words("1")
    ('A', 'class 1')
    """
    known = plain_text(name, 24)
    return f"class {known}" if known[:1].isdigit() else known


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
        mixture = tuple(sorted(counts.items(), key=lambda item: (-item[1], natural_key(item[0]))))
        clusters.append(ClusterSummary(label, mean, inside, distances[inside], mixture))
    return ClusteringSummary(
        clusters=tuple(clusters), labels=labels, distances=distances, classes=names,
        inertia=float(estimator.inertia_), n_iter=int(estimator.n_iter_),
        matchings=all_matchings(estimator), standard=_standard_run(estimator, len(labels), len(clusters)),
        certified=float(getattr(estimator, "certified_fraction_", np.nan)),
        accuracy=None if names is None else accuracy(names, labels),
        proven_margins=_proven_margins(estimator),
        hint=getattr(estimator, "hint_", None), interrupted="interrupted" in (getattr(estimator, "hint_", None) or ""),
    )  # fmt: skip


def _proven_margins(estimator: Any) -> FloatArray | None:
    if not np.isfinite(getattr(estimator, "certified_fraction_", np.nan)):
        return None
    return np.where(estimator.certified_, estimator.certified_margins_, np.nan)


def all_matchings(estimator: Any) -> int:
    """All matchings of a fit: of all runs, for their seeds, and to know their objectives."""
    spent = (getattr(estimator, f"n_{what}matchings_", 0) for what in ("", "seeding_", "evaluation_"))
    return int(sum(spent))


def plain_iterations(trace: Any, n_graphs: int) -> float:
    """Iterations of a run without those that follow a swap of centers; one that saw a part of the graphs is a part of one."""
    rows = np.asarray(trace)[np.asarray(trace["swap"]) == 0]
    seen = np.where(rows["graphs"] > 0, np.minimum(rows["graphs"], n_graphs), n_graphs)
    return float(seen.sum() / max(n_graphs, 1))


def _standard_run(estimator: Any, n_graphs: int, n_clusters: int) -> int | None:
    if alignments_are_fixed(np.asarray(estimator.space_.order)):
        return None
    return round(plain_iterations(estimator.trace_, n_graphs) * standard_matchings(n_graphs, n_clusters))
