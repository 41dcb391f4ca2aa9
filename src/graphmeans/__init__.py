"""Cluster whole graphs, and see the mean graph of every cluster.

`dir(graphmeans)` lists the names that most people need. The matchers (`Exact`, `Search`, `Graduated`), `sketch` and the
converters (`from_networkx`, ...) can be reached here, too; the converters are also together in `graphmeans.convert`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from graphmeans import datasets, evaluation, plots
    from graphmeans.cluster.estimators.kmeans import GraphKMeans
    from graphmeans.cluster.estimators.kmedoids import GraphKMedoids
    from graphmeans.cluster.estimators.minibatch import MiniBatchGraphKMeans
    from graphmeans.cluster.estimators.nearest_centroid import GraphNearestCentroid
    from graphmeans.functions import distance, match, mean, pairwise_distances
    from graphmeans.functions import sketch as sketch
    from graphmeans.graphs import convert, structures
    from graphmeans.graphs.convert import from_adjacency as from_adjacency
    from graphmeans.graphs.convert import from_igraph as from_igraph
    from graphmeans.graphs.convert import from_networkx as from_networkx
    from graphmeans.graphs.convert import from_pandas as from_pandas
    from graphmeans.graphs.convert import from_pyg as from_pyg
    from graphmeans.graphs.convert import from_rdkit as from_rdkit
    from graphmeans.graphs.convert import from_smiles as from_smiles
    from graphmeans.graphs.convert import to_adjacency as to_adjacency
    from graphmeans.graphs.convert import to_igraph as to_igraph
    from graphmeans.graphs.convert import to_networkx as to_networkx
    from graphmeans.graphs.convert import to_pandas as to_pandas
    from graphmeans.graphs.convert import to_pyg as to_pyg
    from graphmeans.graphs.convert import to_rdkit as to_rdkit
    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.errors import GraphError
    from graphmeans.graphs.graph import Graph
    from graphmeans.graphs.mean_graph import MeanGraph
    from graphmeans.io.parquet.collection import open_collection
    from graphmeans.io.storage.model import load
    from graphmeans.matching.exact import Exact as Exact
    from graphmeans.matching.graduated import Graduated as Graduated
    from graphmeans.matching.match import Match
    from graphmeans.matching.search import Search as Search
    from graphmeans.space import GraphSpace

#: The converters, which are also in `graphmeans.convert`.
_CONVERTERS = [
    "from_adjacency", "from_igraph", "from_networkx", "from_pandas", "from_pyg", "from_rdkit", "from_smiles", "to_adjacency",
    "to_igraph", "to_networkx", "to_pandas", "to_pyg", "to_rdkit",
]  # fmt: skip

#: The module that holds each public name. Names are loaded on first use, which keeps `import graphmeans` quick.
_HOMES = {
    "Exact": "graphmeans.matching.exact",
    "Graduated": "graphmeans.matching.graduated",
    "Graph": "graphmeans.graphs.graph",
    "GraphEncoder": "graphmeans.graphs.encoding.encoder",
    "GraphError": "graphmeans.graphs.errors",
    "GraphKMeans": "graphmeans.cluster.estimators.kmeans",
    "GraphKMedoids": "graphmeans.cluster.estimators.kmedoids",
    "GraphNearestCentroid": "graphmeans.cluster.estimators.nearest_centroid",
    "GraphSpace": "graphmeans.space",
    "Match": "graphmeans.matching.match",
    "MeanGraph": "graphmeans.graphs.mean_graph",
    "MiniBatchGraphKMeans": "graphmeans.cluster.estimators.minibatch",
    "Search": "graphmeans.matching.search",
    "distance": "graphmeans.functions",
    "load": "graphmeans.io.storage.model",
    "match": "graphmeans.functions",
    "mean": "graphmeans.functions",
    "open_collection": "graphmeans.io.parquet.collection",
    "pairwise_distances": "graphmeans.functions",
    "sketch": "graphmeans.functions",
    **dict.fromkeys(_CONVERTERS, "graphmeans.graphs.convert"),
}
#: The public names that are modules.
_MODULES = {
    "convert": "graphmeans.graphs.convert",
    "datasets": "graphmeans.datasets",
    "evaluation": "graphmeans.evaluation",
    "plots": "graphmeans.plots",
    "structures": "graphmeans.graphs.structures",
}

__all__ = [
    "Graph", "GraphEncoder", "GraphError", "GraphKMeans", "GraphKMedoids", "GraphNearestCentroid", "GraphSpace", "Match",
    "MeanGraph", "MiniBatchGraphKMeans", "convert", "datasets", "distance", "evaluation", "load", "match", "mean",
    "open_collection", "pairwise_distances", "plots", "structures",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'graphmeans' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
