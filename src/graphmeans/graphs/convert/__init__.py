"""Converters from the caller's objects to `Graph` and back, and the kinds of objects that stand for graphs.

Each kind of object has a module; everything is validated here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphmeans.graphs.convert.adjacency import from_adjacency, is_adjacency, to_adjacency
from graphmeans.graphs.convert.igraph import from_igraph, is_igraph, to_igraph
from graphmeans.graphs.convert.molecule_options import MoleculeOptions
from graphmeans.graphs.convert.networkx import from_networkx, is_networkx, to_networkx
from graphmeans.graphs.convert.pandas import from_pandas, to_pandas
from graphmeans.graphs.convert.pyg import from_pyg, is_pyg, is_pyg_collection, pyg_list, to_pyg
from graphmeans.graphs.convert.rdkit import (
    from_rdkit,
    from_smiles,
    is_rdkit,
    is_smiles,
    is_supplier,
    read_rdkit,
    read_smiles_texts,
)
from graphmeans.graphs.convert.records import MARK, VALUE
from graphmeans.graphs.convert.to_molecule import to_rdkit, to_smiles
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

__all__ = [
    "MARK", "OBJECTS", "VALUE", "as_kind", "collect", "from_adjacency", "from_igraph", "from_networkx", "from_pandas",
    "from_pyg", "from_rdkit", "from_smiles", "is_networkx", "is_supplier", "kind_of_one", "to_adjacency", "to_graph", "to_graphs",
    "to_igraph", "to_networkx", "to_pandas", "to_pyg", "to_rdkit",
]  # fmt: skip


class ObjectKind(NamedTuple):
    """How objects of one kind are recognised, read and made."""

    words: str
    is_one: Callable[[Any], bool]
    read: Callable[[list[Any]], list[Graph]]
    make: Callable[[Any], Any]


#: The kinds that are molecules, and how they are read with options of their own.
MOLECULES = {"rdkit": read_rdkit, "smiles": read_smiles_texts}
#: The kinds, in the order in which an object is tried.
OBJECTS: dict[str, ObjectKind] = {
    "graph": ObjectKind("a Graph", lambda item: isinstance(item, Graph), list, lambda graph: graph),
    "networkx": ObjectKind("a networkx graph", is_networkx, from_networkx, to_networkx),
    "igraph": ObjectKind("an igraph graph", is_igraph, from_igraph, to_igraph),
    "rdkit": ObjectKind("a molecule of RDKit", is_rdkit, from_rdkit, to_rdkit),
    "smiles": ObjectKind("a molecule in SMILES", is_smiles, from_smiles, to_smiles),
    "pyg": ObjectKind("a PyTorch Geometric Data object", is_pyg, from_pyg, to_pyg),
    "adjacency": ObjectKind("an adjacency matrix", is_adjacency, from_adjacency, to_adjacency),
}


def kind_of_one(item: Any) -> str | None:
    """The kind of one object, None if it is no graph."""
    return next((name for name, kind in OBJECTS.items() if kind.is_one(item)), None)


def is_one_graph(objects: Any) -> bool:
    """Whether this is a single graph rather than a collection; a matrix by itself may be anything."""
    return not isinstance(objects, (list, tuple)) and kind_of_one(objects) not in (None, "adjacency")


def collect(objects: Any) -> Any:
    """Graphs that come in another way than in a list, as a list, which can be read more than once; anything else unchanged.

    Such are a ``Batch`` or a data set of PyTorch Geometric, a loader, which gives batches, a list of batches, a generator, and
    every other iterable whose first item is a graph.
    """
    if is_pyg_collection(objects):
        return pyg_list(objects)
    if isinstance(objects, (list, tuple)):
        return _unbatched(objects) if any(map(is_pyg_collection, objects)) else objects
    tables = ("shape", "iloc", "encoded_rows", "__array__", "__dataframe__")
    if isinstance(objects, (str, bytes, Mapping)) or any(hasattr(objects, name) for name in tables):
        return objects
    if is_one_graph(objects) or is_supplier(objects):
        return objects
    if isinstance(objects, Iterable):
        listed = _unbatched(list(objects))
    elif hasattr(objects, "__len__") and hasattr(objects, "__getitem__"):  # a data set of torch
        listed = _unbatched([objects[i] for i in range(len(objects))])
    else:
        return objects
    return listed if hasattr(objects, "__next__") or (listed and kind_of_one(listed[0]) is not None) else objects


def _unbatched(listed: Sequence[Any]) -> list[Any]:
    return [one for some in listed for one in (pyg_list(some) if is_pyg_collection(some) else [some])]


def to_graphs(objects: Any, molecules: MoleculeOptions | None = None) -> list[Graph]:
    """A list of `Graph` from a collection of whatever the caller has, all of one kind.

    A list of graph objects never goes through ``np.asarray``. `molecules` says what of a molecule becomes a graph.
    """
    if is_supplier(objects):
        return read_rdkit(objects, molecules)
    objects = collect(objects)
    if is_one_graph(objects):
        raise GraphError("expected a collection of graphs, got a single graph; put it into a list")
    if isinstance(objects, (Mapping, bytes)) or not isinstance(objects, Iterable):
        raise GraphError(f"expected a collection of graphs, got {type(objects).__name__}")
    listed = list(objects)
    if not listed:
        return []
    kinds = [kind_of_one(item) for item in listed]
    for i, kind in enumerate(kinds):
        if kind is None:
            hint = "; RDKit could not read this molecule" if listed[i] is None and "rdkit" in kinds else ""
            raise GraphError(f"graph {i}: cannot make a graph of {type(listed[i]).__name__}{hint}")
        if kind != kinds[0]:
            first, other = OBJECTS[kinds[0] or ""].words, OBJECTS[kind].words
            raise GraphError(f"graph {i} is {other} but graph 0 is {first}; a collection holds graphs of one kind")
    found = kinds[0] or ""
    return MOLECULES[found](listed, molecules) if found in MOLECULES else OBJECTS[found].read(listed)


def to_graph(item: Any) -> Graph:
    """One object as a `Graph`."""
    kind = kind_of_one(item)
    if kind is None:
        raise GraphError(f"expected a graph, got {type(item).__name__}")
    return OBJECTS[kind].read([item])[0]


def as_kind(graphs: Sequence[Graph], kind: str) -> Any:
    """Graphs as objects of this kind: a list, or for "pandas" a table of edges and one of nodes."""
    if kind == "pandas":
        return to_pandas(graphs)
    return [OBJECTS[kind].make(graph) for graph in graphs]
