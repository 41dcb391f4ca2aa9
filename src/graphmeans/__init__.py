"""Cluster whole graphs, and see the mean graph of every cluster.

`dir(graphmeans)` lists the names that most people need. The matchers (`Exact`, `Search`, `Graduated`), `sketch`,
`edge_bound` and the converters (`from_networkx`, ...) can be reached here, too; the converters are also together in
`graphmeans.convert`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from graphmeans import chemistry as chemistry
    from graphmeans import datasets, evaluation, plots
    from graphmeans.cluster.estimators.kmeans import GraphKMeans
    from graphmeans.cluster.estimators.kmedoids import GraphKMedoids
    from graphmeans.cluster.estimators.minibatch import MiniBatchGraphKMeans
    from graphmeans.cluster.estimators.nearest_centroid import GraphNearestCentroid
    from graphmeans.common.result import CommonSubgraph as CommonSubgraph
    from graphmeans.common.subgraph import common_subgraph
    from graphmeans.functions import distance, match, mean, pairwise_distances
    from graphmeans.functions import edge_bound as edge_bound
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
    from graphmeans.graphs.encoding.molecules import MoleculeEncoder
    from graphmeans.graphs.errors import GraphError
    from graphmeans.graphs.graph import Graph
    from graphmeans.graphs.mean_graph import MeanGraph
    from graphmeans.io.parquet.collection import open_collection
    from graphmeans.io.storage.model import load
    from graphmeans.matching.exact import Exact as Exact
    from graphmeans.matching.graduated import Graduated as Graduated
    from graphmeans.matching.match import Match
    from graphmeans.matching.search import Search as Search
    from graphmeans.search.classifier import GraphKNeighborsClassifier
    from graphmeans.search.duplicates import near_duplicates as near_duplicates
    from graphmeans.search.index import GraphIndex
    from graphmeans.space import GraphSpace

#: The public names of each module; its own name stands for the module itself. They are loaded on first use, which keeps
#: `import graphmeans` quick.
_NAMES = {
    "chemistry": ["chemistry"],
    "cluster.estimators.kmeans": ["GraphKMeans"],
    "cluster.estimators.kmedoids": ["GraphKMedoids"],
    "cluster.estimators.minibatch": ["MiniBatchGraphKMeans"],
    "cluster.estimators.nearest_centroid": ["GraphNearestCentroid"],
    "common.result": ["CommonSubgraph"],
    "common.subgraph": ["common_subgraph"],
    "datasets": ["datasets"],
    "evaluation": ["evaluation"],
    "functions": ["distance", "edge_bound", "match", "mean", "pairwise_distances", "sketch"],
    "graphs.convert": [
        "convert", "from_adjacency", "from_igraph", "from_networkx", "from_pandas", "from_pyg", "from_rdkit",
        "from_smiles", "to_adjacency", "to_igraph", "to_networkx", "to_pandas", "to_pyg", "to_rdkit",
    ],
    "graphs.encoding.encoder": ["GraphEncoder"],
    "graphs.encoding.molecules": ["MoleculeEncoder"],
    "graphs.errors": ["GraphError"],
    "graphs.graph": ["Graph"],
    "graphs.mean_graph": ["MeanGraph"],
    "graphs.structures": ["structures"],
    "io.parquet.collection": ["open_collection"],
    "io.storage.model": ["load"],
    "matching.exact": ["Exact"],
    "matching.graduated": ["Graduated"],
    "matching.match": ["Match"],
    "matching.search": ["Search"],
    "plots": ["plots"],
    "search.classifier": ["GraphKNeighborsClassifier"],
    "search.duplicates": ["near_duplicates"],
    "search.index": ["GraphIndex"],
    "space": ["GraphSpace"],
}  # fmt: skip
_HOMES = {name: f"graphmeans.{module}" for module, names in _NAMES.items() for name in names}

__all__ = [
    "Graph", "GraphEncoder", "GraphError", "GraphIndex", "GraphKMeans", "GraphKMedoids",
    "GraphKNeighborsClassifier", "GraphNearestCentroid", "GraphSpace", "Match", "MeanGraph", "MiniBatchGraphKMeans",
    "MoleculeEncoder", "common_subgraph", "convert", "datasets", "distance", "evaluation", "load", "match", "mean",
    "open_collection", "pairwise_distances", "plots", "structures",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphmeans' has no attribute {name!r}")
    module = importlib.import_module(_HOMES[name])
    value = globals()[name] = module if _HOMES[name].endswith(f".{name}") else getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
