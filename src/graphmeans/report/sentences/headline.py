"""What stands at the top of a page: plain sentences about the result, key figures, and what the pictures show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphmeans.report.facts.evidence import REDRAWN, Evidence
from graphmeans.report.facts.summary import ClusteringSummary
from graphmeans.report.words import counted, number, percent

#: Clusters with a smaller silhouette index overlap, unless so large a share of the graphs is nearest to its own cluster.
OVERLAP, NEARLY_ALL = 0.25, 0.95


class KeyFigure(NamedTuple):
    """A figure below the headline, and what it says."""

    value: str
    what: str


def headline(summary: ClusteringSummary, evidence: Evidence, noun: str = "graph") -> list[str]:
    """Plain sentences about the result; `noun` is what a graph is called."""
    fall = "falls" if summary.n_graphs == 1 else "fall"
    said = [f"{counted(summary.n_graphs, noun)} {fall} into {counted(len(summary.clusters), 'cluster')}."]
    sizes = [c.size for c in summary.clusters]
    if len(sizes) > 1:
        small, large = min(sizes), max(sizes)
        apart = f"The smallest holds {counted(small, noun)}, the largest {number(large)}."
        said.append(f"Each holds {counted(small, noun)}." if small == large else apart)
    if evidence.silhouettes is not None:
        inside = evidence.silhouettes.inside
        index = f"silhouette index {silhouette_words(evidence)}; 1 would be wholly apart, 0 not at all"
        if evidence.silhouettes.index < OVERLAP:
            index += f"; {percent(inside)} of the {noun}s are nearer to their own cluster, on average, than to any other"
        said.append(f"{_apart(evidence.silhouettes.index, inside)} ({index}).")
    sure = []
    if np.isfinite(summary.certified):
        sure.append(f"{percent(summary.certified)} of the {noun}s are proven to be nearest to the mean of their own cluster")
    if evidence.stability is not None:
        sure.append(f"{percent(evidence.stability)} would stay in it with another sample of {noun}s")
    if sure:
        said.append(f"{sure[0][0].upper()}{sure[0][1:]}{', and ' + sure[1] if len(sure) > 1 else ''}.")
    if summary.accuracy is not None:
        right = f"{percent(summary.accuracy)} of the {noun}s belong to the class that is most frequent in their cluster"
        said.append(f"The known classes were only used to check: {right}.")
    if summary.interrupted:
        said.insert(0, "This result is partial: the fit was interrupted, and this is its last complete iteration.")
    elif summary.hint is not None:
        said.append("There may be a better clustering: see how the run went, below.")
    return said


#: What is counted, in words of everybody.
MATCHINGS = "comparisons of two graphs (matchings)"


def figures(summary: ClusteringSummary, evidence: Evidence, duration: str, whole: bool) -> list[KeyFigure]:
    """The figures below the headline; the duration may be that of the `whole` run, or of its iterations alone."""
    shown = []
    if summary.accuracy is not None:
        shown.append(KeyFigure(percent(summary.accuracy), "of the graphs are in the majority class of their cluster"))
    if evidence.silhouettes is not None:
        among = "" if evidence.silhouettes.error is None else f", from {counted(len(evidence.silhouettes.rows), 'graph')}"
        said = f"silhouette index{among}: how well clusters are apart, 1 wholly, 0 not at all"
        shown.append(KeyFigure(silhouette_words(evidence), said))
    if np.isfinite(summary.certified):
        shown.append(KeyFigure(percent(summary.certified), "certified: a proof says that no other mean graph is nearer"))
    if evidence.stability is not None:
        drawn = number(int(evidence.fair.sum()))
        of = "" if evidence.fair.sum() == summary.n_graphs else f" ({REDRAWN} times, of {drawn} graphs)"
        shown.append(KeyFigure(percent(evidence.stability), f"stable: same cluster with another sample of graphs{of}"))
    ours = number(summary.matchings)
    if summary.saving is not None and summary.saves:
        fewer = f"{summary.saving:,.{1 if summary.saving < 100 else 0}f}× fewer"
        what = f"{MATCHINGS} than a standard k-means: {ours} in all, in place of {number(summary.standard or 0)}"
        shown.append(KeyFigure(fewer, what))
    elif summary.standard is not None:
        what = f"{MATCHINGS} in all, for seeds, swaps and proofs; a standard k-means needs {number(summary.standard)}"
        shown.append(KeyFigure(ours, what))
    shown.append(KeyFigure(duration, f"{'in all; ' if whole else 'for '}{counted(summary.n_iter, 'iteration')}"))
    return shown


def seen_words(
    molecules: bool, matrices: bool, typical: bool, sequences: bool, edges: bool = True, examples: bool = False
) -> str:
    """What the pictures at the top of a page show: the medoids of molecules, matrices, typical members, sequences, or means.

    Where classes are mixed, there may be `examples` of them.
    """
    each = " Small ones below are the nearest members of the classes in a mixed cluster." if examples else ""
    paler = "the paler something is, the fewer members of the cluster have it"
    if molecules:
        return (
            "Each picture is the molecule nearest to the mean of its cluster. Rings, heavy atoms and molar mass are those of the"
            " middle half of its members; in parentheses stands the share of all other molecules that have the same."
        )
    if matrices:
        return (
            "Each picture is the mean matrix of a cluster: of the one that is nearest to all others as it is, of the others how "
            "they differ from that one."
        )
    if typical:
        return f"Each picture is a typical member of a cluster.{each} In mean graphs {paler}."
    if sequences:
        return f"Each picture is the mean of a cluster of sequences, place by place: {paler}.{each}"
    return f"Each picture is the mean graph of a cluster: dots are nodes{', lines edges' if edges else ''}; {paler}.{each}"


def silhouette_words(evidence: Evidence) -> str:
    """The silhouette index with its standard error, where it is from a sample."""
    assert evidence.silhouettes is not None
    index, error = evidence.silhouettes.index, evidence.silhouettes.error
    return f"{index:.2f}" if error is None else f"{index:.2f} ± {max(error, 0.01):.2f}"


def _apart(index: float, inside: float) -> str:
    """How well clusters are apart. In many dimensions an index is small also of clusters that do not overlap."""
    if index < OVERLAP and inside >= NEARLY_ALL:
        return "The clusters are apart, though their members differ a lot from each other"
    for least, said in ((0.5, "are well apart"), (OVERLAP, "are apart, with some overlap"), (0.1, "overlap a good deal")):
        if index >= least:
            return f"The clusters {said}"
    return "The clusters are hardly apart: look at the members before you trust them"
