"""The tree of clusters as the page shows it: merges with pictures of merged means, as rows that fold and unfold."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any

import numpy as np

from graphmeans.evaluation.fitted import points_of
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.matching.auto import Auto
from graphmeans.report.facts.evidence import QUICK_EFFORT, Evidence
from graphmeans.report.facts.summary import ClusteringSummary
from graphmeans.report.pictures.tree import Merge, merge_tree, merged_mean
from graphmeans.report.words import counted, number

#: Merged means are drawn in trees of at most so many clusters; a larger one has pictures of clusters only.
MOST_DRAWN = 80


def cluster_tree(estimator: Any, summary: ClusteringSummary, evidence: Evidence, merged: bool = True) -> Merge | None:
    """The tree; with the means of `merged` clusters, if these are wanted and can be drawn."""
    tree = merge_tree([c.size for c in summary.clusters], evidence.ways.distances)
    if tree is None or not merged or len(summary.clusters) > MOST_DRAWN:
        return tree
    try:
        means = _merged_means(estimator, summary, tree)
    except (GraphError, TypeError):  # rows of an array, or means of a kind that cannot be mixed: no pictures
        return tree

    def drawn(node: Merge) -> Merge:
        if node.left is None or node.right is None:
            return replace(node, mean=means[id(node)])
        return replace(node, left=drawn(node.left), right=drawn(node.right), mean=means[id(node)])

    return drawn(tree)


def _merged_means(estimator: Any, summary: ClusteringSummary, tree: Merge) -> dict[int, MeanGraph]:
    """The means of all nodes of a tree, by their ids: from the clusters upwards, what can be merged in one go."""
    space = replace(estimator.space_, matcher=Auto(effort=QUICK_EFFORT))
    merges = inner_nodes(tree)
    leaves = [part for node in merges for part in (node.left, node.right) if part is not None and part.label is not None]
    means = {id(leaf): summary.clusters[leaf.label].mean for leaf in leaves if leaf.label is not None}
    while merges:
        ready = [node for node in merges if id(node.left) in means and id(node.right) in means]
        parts = [means[id(part)] for node in ready for part in (node.left, node.right)]
        points = points_of(estimator, parts)
        found = space.match(points, points, np.arange(len(parts)).reshape(-1, 2))
        for n, node in enumerate(ready):
            assert node.left is not None
            assert node.right is not None
            sizes = node.left.size, node.right.size
            means[id(node)] = merged_mean(parts[2 * n], parts[2 * n + 1], found.mapping(n), sizes)
        merges = [node for node in merges if id(node) not in means]
    return means


def inner_nodes(tree: Merge | None) -> list[Merge]:
    """The merges of a tree, from the root; their positions are the numbers of their pictures."""
    if tree is None or tree.left is None or tree.right is None:
        return []
    return [tree, *inner_nodes(tree.left), *inner_nodes(tree.right)]


def tree_rows(tree: Merge, summary: ClusteringSummary, drawn: Container[int]) -> dict[str, Any]:
    """The tree for the template: nested, each node with its picture if that is `drawn`, what is said of it, and its children."""
    numbers = {id(node): n for n, node in enumerate(inner_nodes(tree))}

    def row(node: Merge) -> dict[str, Any]:
        if node.left is None or node.right is None:
            assert node.label is not None
            name = summary.clusters[node.label].name
            return {"label": node.label, "name": name, "said": counted(node.size, "graph"), "parts": []}
        return {
            "label": None, "symbol": f"t{numbers[id(node)]}" if numbers[id(node)] in drawn else None,
            "largest": sorted(node.labels, key=lambda label: (-summary.clusters[label].size, label))[:4],
            "name": counted(len(node.labels), "cluster"), "cost": number(node.cost),
            "said": counted(node.size, "graph"), "parts": [row(node.left), row(node.right)],
        }  # fmt: skip

    return row(tree)
