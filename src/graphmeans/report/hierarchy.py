"""The tree of clusters as the page shows it: merges with pictures of merged means, as rows that fold and unfold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from graphmeans.evaluation.fitted import points_of
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.auto import Auto
from graphmeans.report.evidence import QUICK_EFFORT, Evidence
from graphmeans.report.summary import ClusteringSummary
from graphmeans.report.tree import Merge, merge_tree, merged_mean
from graphmeans.report.words import counted, number

#: Merged means are drawn in trees of at most so many clusters; a larger one has pictures of clusters only.
MOST_DRAWN = 80


def cluster_tree(estimator: Any, summary: ClusteringSummary, evidence: Evidence) -> Merge | None:
    """The tree, with merged means where these can be drawn."""
    tree = merge_tree([c.size for c in summary.clusters], evidence.ways.distances)
    if tree is None or len(summary.clusters) > MOST_DRAWN:
        return tree
    space = replace(estimator.space_, matcher=Auto(effort=QUICK_EFFORT))

    def drawn(node: Merge) -> Merge:
        if node.left is None or node.right is None:
            assert node.label is not None
            return replace(node, mean=summary.clusters[node.label].mean)
        left, right = drawn(node.left), drawn(node.right)
        if left.mean is None or right.mean is None:
            return replace(node, left=left, right=right)
        batches = [points_of(estimator, [part.mean]) for part in (left, right)]
        found = space.match(*batches, np.zeros((1, 2), dtype=np.int64))
        mean = merged_mean(left.mean, right.mean, found.mapping(0), (left.size, right.size))
        return replace(node, left=left, right=right, mean=mean)

    try:
        return drawn(tree)
    except (GraphError, TypeError):  # rows of an array, or means of a kind that cannot be mixed: no pictures
        return tree


def inner_nodes(tree: Merge | None) -> list[Merge]:
    """The merges of a tree, from the root; their positions are the numbers of their pictures."""
    if tree is None or tree.left is None or tree.right is None:
        return []
    return [tree, *inner_nodes(tree.left), *inner_nodes(tree.right)]


def tree_rows(tree: Merge, summary: ClusteringSummary) -> dict[str, Any]:
    """The tree for the template: nested, each node with its picture, what is said of it, and its children."""
    numbers = {id(node): n for n, node in enumerate(inner_nodes(tree))}

    def row(node: Merge) -> dict[str, Any]:
        if node.left is None or node.right is None:
            assert node.label is not None
            name = summary.clusters[node.label].name
            return {"label": node.label, "name": name, "said": counted(node.size, "graph"), "parts": []}
        return {
            "label": None, "symbol": f"t{numbers[id(node)]}" if node.mean is not None else None,
            "largest": sorted(node.labels, key=lambda label: (-summary.clusters[label].size, label))[:4],
            "name": counted(len(node.labels), "cluster"), "cost": number(node.cost),
            "said": counted(node.size, "graph"), "parts": [row(node.left), row(node.right)],
        }  # fmt: skip

    return row(tree)
