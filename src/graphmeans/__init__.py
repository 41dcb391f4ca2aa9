"""Cluster whole graphs, and see the mean graph of every cluster."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from graphmeans import datasets, evaluation, plots
    from graphmeans.cluster.estimators.kmeans import GraphKMeans
    from graphmeans.cluster.estimators.kmedoids import GraphKMedoids
    from graphmeans.cluster.estimators.minibatch import MiniBatchGraphKMeans
    from graphmeans.cluster.estimators.nearest_centroid import GraphNearestCentroid
    from graphmeans.functions import distance, match, mean, pairwise_distances, sketch
    from graphmeans.graphs import structures
    from graphmeans.graphs.convert import (
        from_adjacency,
        from_igraph,
        from_networkx,
        from_pandas,
        from_pyg,
        from_rdkit,
        from_smiles,
        to_adjacency,
        to_igraph,
        to_networkx,
        to_pandas,
        to_pyg,
        to_rdkit,
    )
    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.errors import GraphError
    from graphmeans.graphs.graph import Graph
    from graphmeans.graphs.mean_graph import MeanGraph
    from graphmeans.io.parquet.collection import open_collection
    from graphmeans.io.storage.model import load
    from graphmeans.matching.exact import Exact
    from graphmeans.matching.graduated import Graduated
    from graphmeans.matching.match import Match
    from graphmeans.matching.search import Search
    from graphmeans.space import GraphSpace

# Where each public name lives. Loading them on first use keeps `import graphmeans` quick.
_HOMES = {
    "Graph": "graphmeans.graphs.graph",
    "MeanGraph": "graphmeans.graphs.mean_graph",
    "GraphError": "graphmeans.graphs.errors",
    "GraphEncoder": "graphmeans.graphs.encoding.encoder",
    "GraphSpace": "graphmeans.space",
    "GraphKMeans": "graphmeans.cluster.estimators.kmeans",
    "GraphKMedoids": "graphmeans.cluster.estimators.kmedoids",
    "GraphNearestCentroid": "graphmeans.cluster.estimators.nearest_centroid",
    "MiniBatchGraphKMeans": "graphmeans.cluster.estimators.minibatch",
    "Match": "graphmeans.matching.match",
    "Exact": "graphmeans.matching.exact",
    "Graduated": "graphmeans.matching.graduated",
    "Search": "graphmeans.matching.search",
    "distance": "graphmeans.functions",
    "load": "graphmeans.io.storage.model",
    "match": "graphmeans.functions",
    "mean": "graphmeans.functions",
    "open_collection": "graphmeans.io.parquet.collection",
    "pairwise_distances": "graphmeans.functions",
    "sketch": "graphmeans.functions",
    "from_adjacency": "graphmeans.graphs.convert",
    "from_igraph": "graphmeans.graphs.convert",
    "from_networkx": "graphmeans.graphs.convert",
    "from_pandas": "graphmeans.graphs.convert",
    "from_pyg": "graphmeans.graphs.convert",
    "from_rdkit": "graphmeans.graphs.convert",
    "from_smiles": "graphmeans.graphs.convert",
    "to_adjacency": "graphmeans.graphs.convert",
    "to_igraph": "graphmeans.graphs.convert",
    "to_networkx": "graphmeans.graphs.convert",
    "to_pandas": "graphmeans.graphs.convert",
    "to_pyg": "graphmeans.graphs.convert",
    "to_rdkit": "graphmeans.graphs.convert",
    "datasets": "",
    "evaluation": "",
    "plots": "",
    "structures": "graphmeans.graphs.structures",
}

__all__ = [
    "Exact", "Graduated", "Graph", "GraphEncoder", "GraphError", "GraphKMeans", "GraphKMedoids", "GraphNearestCentroid",
    "GraphSpace", "Match", "MeanGraph", "MiniBatchGraphKMeans", "Search", "datasets", "distance", "evaluation",
    "from_adjacency", "from_igraph", "from_networkx", "from_pandas", "from_pyg", "from_rdkit", "from_smiles", "load",
    "match", "mean", "open_collection", "pairwise_distances", "plots", "sketch", "structures", "to_adjacency", "to_igraph",
    "to_networkx", "to_pandas", "to_pyg", "to_rdkit",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphmeans' has no attribute {name!r}")
    home = _HOMES[name]
    if not home or home.endswith(f".{name}"):
        value = importlib.import_module(home or f"graphmeans.{name}")
    else:
        value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
