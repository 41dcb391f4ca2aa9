"""The sentences and figures at the top of the page: how many clusters, how good, how sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphmeans.report.evidence import Evidence
from graphmeans.report.summary import ClusteringSummary
from graphmeans.report.words import counted, number, percent


@dataclass(frozen=True)
class KeyFigure:
    """A figure below the headline, and what it says."""

    value: str
    what: str


def headline(summary: ClusteringSummary, evidence: Evidence) -> list[str]:
    """Plain sentences about the result."""
    said = [f"{counted(summary.n_graphs, 'graph')} fall into {counted(len(summary.clusters), 'cluster')}."]
    sizes = [c.size for c in summary.clusters]
    if len(sizes) > 1:
        small, large = min(sizes), max(sizes)
        said.append(
            f"All of them hold {counted(small, 'graph')}." if small == large
            else f"The smallest holds {counted(small, 'graph')}, the largest {number(large)}."
        )  # fmt: skip
    if evidence.silhouette is not None:
        said.append(f"{_apart(evidence.silhouette)} (silhouette {evidence.silhouette:.2f}).")
    sure = []
    if np.isfinite(summary.certified):
        sure.append(f"{percent(summary.certified)} of the graphs are proven to be nearest to the mean of their own cluster")
    if evidence.stability is not None:
        sure.append(f"{percent(evidence.stability)} would stay in it if the graphs were drawn anew")
    if sure:
        said.append(f"{sure[0][0].upper()}{sure[0][1:]}{', and ' + sure[1] if len(sure) > 1 else ''}.")
    if summary.accuracy is not None:
        said.append(
            f"The known classes were only used to check: {percent(summary.accuracy)} of the graphs belong to the class "
            "that is most frequent in their cluster."
        )
    return said


def figures(summary: ClusteringSummary, evidence: Evidence, duration: str) -> list[KeyFigure]:
    """The figures below the headline."""
    shown = []
    if summary.accuracy is not None:
        shown.append(KeyFigure(percent(summary.accuracy), "of the graphs are in the majority class of their cluster"))
    if evidence.silhouette is not None:
        among = (
            "" if evidence.silhouette_graphs == summary.n_graphs
            else f", from a sample of {counted(evidence.silhouette_graphs, 'graph')}"
        )  # fmt: skip
        shown.append(KeyFigure(f"{evidence.silhouette:.2f}", f"silhouette index{among}: 1 is well apart, 0 is not apart"))
    if np.isfinite(summary.certified):
        shown.append(KeyFigure(percent(summary.certified), "certified: proven to be in the nearest cluster"))
    if evidence.stability is not None:
        of = "" if len(evidence.sample) == summary.n_graphs else f" (sample of {number(len(evidence.sample))})"
        shown.append(KeyFigure(percent(evidence.stability), f"stable: same cluster if the graphs are drawn anew{of}"))
    if summary.saves:
        shown.append(
            KeyFigure(
                f"{summary.saving:,.1f}× fewer" if summary.saving < 100 else f"{summary.saving:,.0f}× fewer",
                f"matchings than a standard k-means from the same start: {number(summary.matchings)} in place of "
                f"{number(summary.standard)}",
            )
        )
    else:
        shown.append(
            KeyFigure(number(summary.matchings), f"matchings; a standard k-means needs {number(summary.standard)}")
        )
    shown.append(KeyFigure(duration, f"in all; {counted(summary.n_iter, 'iteration')}"))
    return shown


def _apart(index: float) -> str:
    if index >= 0.5:
        return "The clusters are well apart"
    if index >= 0.25:
        return "The clusters are apart, with some overlap"
    if index >= 0.1:
        return "The clusters overlap a good deal"
    return "The clusters are hardly apart: look at the members before you trust them"
