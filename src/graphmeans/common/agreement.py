"""Which nodes and edges of two graphs agree: those with the same values in the attributes that must agree."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert import from_rdkit, from_smiles, to_graph
from graphmeans.graphs.convert.molecule_options import PRESET_ATOMS, PRESET_BONDS
from graphmeans.graphs.convert.rdkit import is_rdkit
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Columns, Graph

#: Names of attributes, or "auto".
Names = Union[str, Sequence[str]]


def read_graphs(objects: Sequence[Any], nodes: Names, edges: Names) -> list[Graph]:
    """The graphs. Of molecules of RDKit those attributes are read that must agree."""
    return [_read(one, nodes, edges) for one in objects]


def _read(one: Any, nodes: Names, edges: Names) -> Graph:
    if is_rdkit(one) or isinstance(one, str):
        atoms = PRESET_ATOMS if isinstance(nodes, str) else tuple(dict.fromkeys([*PRESET_ATOMS, *nodes]))
        bonds = PRESET_BONDS if isinstance(edges, str) else tuple(dict.fromkeys([*PRESET_BONDS, *edges]))
        made: Graph = (from_smiles if isinstance(one, str) else from_rdkit)(one, atoms=atoms, bonds=bonds)
        return made
    graph = to_graph(one)
    if graph.directed:
        raise GraphError(f"{graph!r}: common subgraphs are those of undirected graphs, and this one is directed")
    return graph


def names_that_agree(graphs: Sequence[Graph], asked: Names, part: str) -> list[str]:
    """The names of the attributes of nodes or edges (`part`) that must agree, sorted.

    "auto" stands for the element of atoms and the kind of bonds in molecules, and elsewhere for all attributes that are strings
    or booleans: real numbers are hardly ever equal.
    """
    tables = [graph.nodes if part == "nodes" else graph.edge_attributes for graph in graphs]
    known = sorted({name for table in tables for name in table if name != BARE or table[name].shape[-1]})
    if isinstance(asked, str):
        if asked != "auto":
            raise GraphError(f"{part[:-1]}_attributes must be 'auto' or a list of names, got {asked!r}")
        if all("element" in graph.nodes for graph in graphs):
            usual = ["element"] if part == "nodes" else ["bond", "order"]
            return [name for name in usual if name in known][:1]
        return [name for name in known if any(name in table and _is_category(table[name]) for table in tables)]
    for name in asked:
        if name not in known:
            raise GraphError(f"no graph has the attribute {name!r} of {part}; there are {', '.join(map(repr, known)) or 'none'}")
    return sorted(set(asked))


def _is_category(column: NDArray[Any]) -> bool:
    return column.dtype.kind in "OUSb"


def keys(columns: Columns, names: Sequence[str], count: int, extra: Sequence[Hashable] | None = None) -> list[Hashable]:
    """The values of each row that must agree; a value that is missing agrees with one that is missing."""
    parts: list[Sequence[Hashable]] = [_values(columns, name, count) for name in names]
    if extra is not None:
        parts.append(list(extra))
    return list(zip(*parts, strict=True)) if parts else [()] * count


def _values(columns: Columns, name: str, count: int) -> list[Hashable]:
    if name not in columns:
        return [None] * count
    return [tuple(value) if isinstance(value, list) else value for value in columns[name].tolist()]


def codes(keys_of_graphs: Sequence[Sequence[Hashable]]) -> list[IntArray]:
    """Numbers for keys, the same for equal ones."""
    number: dict[Hashable, int] = {}
    return [np.array([number.setdefault(key, len(number)) for key in some], dtype=np.int64) for some in keys_of_graphs]


def common_columns(columns: Columns, names: Sequence[str], rows: IntArray) -> Any:
    """The columns that agree, of some rows, as `Graph` takes them; None where there are none."""
    return as_given({name: columns[name][rows] for name in names if name in columns})


def as_given(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Columns as `Graph` takes them: named ones, a bare array, or None."""
    named = {name: column for name, column in columns.items() if name != BARE}
    return named or columns.get(BARE)
