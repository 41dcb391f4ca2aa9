"""The collections of the experiments, which are read when a run first needs them, and their characteristics (Table 1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.datasets import paper as encodings
from graphmeans.files import PathLike
from graphmeans.functions import pairwise_distances
from graphmeans.graphs.graph import Graph
from graphmeans.matching.match import Matcher
from graphmeans.matching.registry import get_matcher
from graphmeans.paper.protocol import LETTERS_BY_K, RAW, RunSetting

#: How hard graphs are matched for the silhouette index, for which all pairs are needed.
EFFORT = 0.05
TABLE_3_LETTERS = "AEFH"


@dataclass
class ExperimentData:
    """A collection, encoded, with its classes."""

    name: str
    graphs: list[Graph]
    classes: NDArray[Any]

    def evaluator(self, effort: float = 1.0) -> Matcher:
        """The matcher that judges a clustering: the same for all algorithms, whichever they use themselves."""
        return get_matcher("exact") if self.name == "letter" else get_matcher("search", effort)

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """Distances of all graphs from each other, for the silhouette index."""
        return pairwise_distances(self.graphs, matcher=self.evaluator(EFFORT))

    @property
    def characteristics(self) -> dict[str, float]:
        """A row of Table 1, and the dimension of the space: the numbers that a graph has once padded to the largest.

        The paper counts the arcs that Fingerprint stores, two an edge; here they have become edges again.
        """
        nodes = np.array([graph.n_nodes for graph in self.graphs])
        stored = 2 if self.name == "fingerprint" else 1
        edges = stored * np.array([graph.n_edges for graph in self.graphs])
        node_width, edge_width = self.graphs[0].nodes[""].shape[1], self.graphs[0].edge_attributes[""].shape[1]
        n = int(nodes.max())
        return {
            "graphs": len(self.graphs), "classes": len(np.unique(self.classes)), "nodes_avg": float(nodes.mean()),
            "nodes_max": n, "edges_avg": float(edges.mean()), "edges_max": int(edges.max()),
            "dimension": n * node_width + n * (n - 1) // 2 * edge_width,
        }  # fmt: skip


class ExperimentCollections:
    """The collections, by what a run asks for, each read and encoded once."""

    def __init__(self, path: PathLike) -> None:
        self.path = path
        self._found: dict[tuple[Any, ...], ExperimentData] = {}

    def __call__(self, setting: RunSetting) -> ExperimentData:
        """The collection of a run."""
        letters = TABLE_3_LETTERS if setting.experiment == LETTERS_BY_K else None
        key = (setting.dataset, setting.encoding, setting.per_class, letters)
        if key not in self._found:
            encode: Callable[..., encodings.PaperCollection] = encodings.COLLECTIONS[setting.dataset][0]
            options: dict[str, Any] = {"standardised": setting.encoding != RAW, "per_class": setting.per_class}
            if letters:
                options["letters"] = letters
            graphs, classes = encode(self.path, **options)
            self._found[key] = ExperimentData(setting.dataset, graphs, classes)
        return self._found[key]
