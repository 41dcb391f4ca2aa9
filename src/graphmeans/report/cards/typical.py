"""Members that say more than a mean does: typical ones where graphs have few edges in common, and one of each class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphmeans.evaluation.fitted import members_by_distance
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import Drawing
from graphmeans.plots.molecule import is_molecule
from graphmeans.plots.network import is_labelled
from graphmeans.plots.positions import own_positions
from graphmeans.report.facts.evidence import Evidence
from graphmeans.report.facts.report_graphs import ReportGraphs
from graphmeans.report.facts.summary import PURE, ClusteringSummary, class_in_words
from graphmeans.report.pictures.cluster_pictures import ClusterPictures
from graphmeans.report.sentences.outlines import lines_of, tree_lines

#: If of the edges of a member, on average, a smaller share is common to half of its cluster, typical members lead on the page.
#: Of molecules and trees it is a larger one: fragments of a formula are read as molecules that they are not, and branches that
#: most members have elsewhere leave a tree of pale dots.
COMMON, COMMON_OF_TREES = 0.5, 0.9
#: Names of members that a tile tells.
NAMED = 2
#: So many of the nearest members at most are looked at, and half of a small cluster; of trees, of which nearest ones may lack
#: what most have; and so many trees say what that is.
NEAR, OF_TREES, LISTED = 8, 40, 200
#: Of a mixed cluster one member of so many classes is shown, of those that have at least such a share of it.
EXAMPLES, EXAMPLE_SHARE = 3, 0.1


def common_share(means: Sequence[MeanGraph], sizes: Sequence[int]) -> float:
    """Which share of the edges of members is in the place of an edge that at least half of their cluster has; 1 without edges.

    Examples
    --------
    >>> loose = MeanGraph(3, [(0, 1), (1, 2)], node_support=[1, 1, 1], edge_support=[0.75, 0.25])
    >>> common_share([loose], [4])
    0.75
    """
    every = sum(size * float(mean.edge_support.sum()) for mean, size in zip(means, sizes, strict=True))
    common = sum(size * float(mean.edge_support[mean.edge_support >= 0.5].sum()) for mean, size in zip(means, sizes, strict=True))
    return common / every if every > 0 else 1.0


def typical_members(
    pictures: ClusterPictures, summary: ClusteringSummary, evidence: Evidence, graphs: ReportGraphs, medoids: bool = False
) -> dict[int, str]:
    """The names of members whose pictures take the place of small pictures of means: near ones of the usual size.

    The nearest of all is often smaller than most: what it lacks costs less than edges that few others have. Nothing where means
    say enough: where graphs have many edges in common, where they lie in the plane, or have named nodes; and where `medoids` of
    molecules lead anyway.
    """
    means = [c.mean for c in summary.clusters]
    molecules = any(map(is_molecule, means))
    placed = any(own_positions(mean) is not None for mean in means) and not molecules
    told = medoids or placed or any(map(is_labelled, means))
    least = COMMON_OF_TREES if molecules or pictures.are_trees else COMMON
    if told or common_share(means, [c.size for c in summary.clusters]) >= least:
        return {}
    labels, sample = summary.labels[evidence.sample], evidence.sample.tolist()
    sizes = [(graphs[i].n_nodes, graphs[i].n_edges) for i in sample]
    chosen: dict[int, int] = {}
    for c in summary.clusters:
        most = OF_TREES if pictures.are_trees else NEAR
        near = members_by_distance(labels, evidence.own_distance, c.label)[: min(most, -(-c.size // 2))]
        clear = near[~evidence.doubtful[near]]
        near = clear if len(clear) else near  # who is near the border to another cluster does not stand for this one
        usual = float(c.mean.node_support.sum()), float(c.mean.edge_support.sum())
        # Of trees the one that has most of what half of them have: it must not deny what is listed beside it.
        lines = tree_lines([graphs[sample[n]] for n in np.flatnonzero(labels == c.label)[:LISTED]]) if pictures.are_trees else []
        if len(near):
            chosen[c.label] = min(near.tolist(), key=lambda n: (
                -lines_of(graphs[sample[n]], lines), sum(abs(np.log1p(sizes[n]) - np.log1p(usual)))
            ))  # fmt: skip
    for label, n in chosen.items():
        pictures.show(label, pictures.member(graphs[sample[n]], label, evidence.mappings[n]))
    return dict(zip(chosen, graphs.names(evidence.sample[list(chosen.values())]), strict=True))


def class_examples(
    pictures: ClusterPictures, summary: ClusteringSummary, evidence: Evidence, graphs: ReportGraphs
) -> dict[int, list[tuple[str, int, Drawing]]]:
    """For each cluster of mixed classes the nearest member of each frequent class: a mean of two shapes looks like neither.

    Of each its class, where it stands in the sample, and its picture.
    """
    if summary.classes is None or any(is_molecule(c.mean) or is_labelled(c.mean) for c in summary.clusters):
        return {}
    labels, sample = summary.labels[evidence.sample], evidence.sample.tolist()
    found = {}
    for c in summary.clusters:
        if c.purity is None or c.purity >= PURE:
            continue
        rows = members_by_distance(labels, evidence.own_distance, c.label).tolist()
        first = {summary.classes[sample[n]]: n for n in reversed(rows)}
        chosen = [(name, first[name]) for name, count in c.mixture if name in first and count >= EXAMPLE_SHARE * c.size]
        if len(chosen) > 1:
            found[c.label] = [
                (class_in_words(name), n, pictures.member(graphs[sample[n]], c.label, evidence.mappings[n]))
                for name, n in chosen[:EXAMPLES]
            ]
    return found


def such_as(summary: ClusteringSummary, evidence: Evidence, names: Sequence[str]) -> dict[int, str]:
    """For each cluster the names of a few members that are nearest to the mean; nothing where classes are known, which say more.

    `names` are those of the graphs of the sample.
    """
    if summary.classes is not None:
        return {}
    labels = summary.labels[evidence.sample]
    found = {}
    for c in summary.clusters:
        near = members_by_distance(labels, evidence.own_distance, c.label)[:NEAR].tolist()
        if near:
            found[c.label] = ", ".join(list(dict.fromkeys(names[n] for n in near))[:NAMED])
    return found
