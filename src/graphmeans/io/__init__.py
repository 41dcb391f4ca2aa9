"""Graphs from files and to files.

`read_collection` takes any folder, zip or file that is known. Behind it stands one module a format: `gxl` (the IAM
graph database), `tudataset`, `graphml`, `gml`, `node_link` (JSON), `npz`, `molecules` (SMILES and SDF) and `parquet`, which
`open_collection` reads piece by piece. Nothing that is read is trusted: XML goes through defusedxml, arrays are never
unpickled, archives have limits, and whatever is wrong with a file is a `GraphError` of one line that names it.
"""

from graphmeans.io.collection import (
    iterate_collection,
    read_collection,
    read_graph,
    write_collection,
    write_graph,
    write_graphs,
)
from graphmeans.io.formats.gml import read_gml, write_gml
from graphmeans.io.formats.graphml import read_graphml, write_graphml
from graphmeans.io.formats.gxl import read_gxl, read_gxl_collection, write_gxl, write_gxl_collection
from graphmeans.io.formats.molecule_table import MoleculeTable, read_molecules
from graphmeans.io.formats.molecules import read_sdf, read_smiles, write_sdf, write_smiles
from graphmeans.io.formats.node_link import read_node_link, write_node_link
from graphmeans.io.formats.npz import read_npz, write_npz
from graphmeans.io.formats.tudataset import read_tudataset, write_tudataset
from graphmeans.io.parquet.collection import Collection, open_collection
from graphmeans.io.parquet.labels import read_labels, write_labels
from graphmeans.io.parquet.writer import write_parquet

__all__ = [
    "Collection", "MoleculeTable", "iterate_collection", "open_collection", "read_collection", "read_gml", "read_graph",
    "read_graphml", "read_gxl", "read_gxl_collection", "read_labels", "read_molecules", "read_node_link", "read_npz",
    "read_sdf", "read_smiles", "read_tudataset", "write_collection", "write_gml", "write_graph", "write_graphml",
    "write_graphs", "write_gxl", "write_gxl_collection", "write_labels", "write_node_link", "write_npz", "write_parquet",
    "write_sdf", "write_smiles", "write_tudataset",
]  # fmt: skip
