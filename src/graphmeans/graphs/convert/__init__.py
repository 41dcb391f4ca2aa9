"""Converters from the caller's objects to `Graph` and back. Each kind of object has a module; everything is validated here."""

from graphmeans.graphs.convert.adjacency import from_adjacency, to_adjacency
from graphmeans.graphs.convert.igraph import from_igraph, to_igraph
from graphmeans.graphs.convert.kinds import OBJECTS, as_kind, kind_of_one, to_graph, to_graphs
from graphmeans.graphs.convert.networkx import from_networkx, is_networkx, to_networkx
from graphmeans.graphs.convert.pandas import from_pandas, to_pandas
from graphmeans.graphs.convert.pyg import from_pyg, to_pyg
from graphmeans.graphs.convert.rdkit import from_rdkit, from_smiles, to_rdkit
from graphmeans.graphs.convert.records import MARK, VALUE

__all__ = [
    "MARK", "OBJECTS", "VALUE", "as_kind", "from_adjacency", "from_igraph", "from_networkx", "from_pandas", "from_pyg",
    "from_rdkit", "from_smiles", "is_networkx", "kind_of_one", "to_adjacency", "to_graph", "to_graphs",
    "to_igraph", "to_networkx", "to_pandas", "to_pyg", "to_rdkit",
]  # fmt: skip
