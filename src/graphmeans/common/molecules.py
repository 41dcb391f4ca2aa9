"""Parts of molecules as SMARTS and SMILES."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert import to_rdkit
from graphmeans.graphs.convert.rdkit import is_rdkit
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

#: The symbols of bonds in SMARTS.
BONDS = {"single": "-", "double": "=", "triple": "#", "aromatic": ":", "quadruple": "$"}
ORDERS = {1.0: "-", 1.5: ":", 2.0: "=", 3.0: "#"}


def molecule_of(graph: Graph) -> tuple[Any, list[int]]:
    """The molecule of RDKit that a graph was made of, or that is made of it, and the atom of each node."""
    molecule = graph.origin
    if is_rdkit(molecule):
        return molecule, [int(str(node)) for node in graph.node_ids]
    return to_rdkit(graph), list(range(graph.n_nodes))


def is_molecule(graph: Graph) -> bool:
    """Whether a graph is that of a molecule."""
    return "element" in graph.nodes


def fragment_smarts(graph: Graph, nodes: Sequence[str], edges: Sequence[str]) -> str:
    """The SMARTS of a graph of atoms, in these attributes."""
    chem = need("rdkit.Chem", "rdkit", "SMARTS")
    made = chem.RWMol()
    for i in range(graph.n_nodes):
        made.AddAtom(chem.AtomFromSmarts(_atom({name: graph.nodes[name][i] for name in nodes}, chem)))
    for e, (i, j) in enumerate(graph.edges.tolist()):
        bond = _bond({name: graph.edge_attributes[name][e] for name in edges})
        made.AddBond(i, j, chem.BondType.SINGLE)
        made.ReplaceBond(made.GetNumBonds() - 1, chem.BondFromSmarts(bond))
    return str(chem.MolToSmarts(made))


def fragment_smiles(graph: Graph, nodes: IntArray, ends: IntArray) -> str:
    """The SMILES of some atoms of a molecule and of the bonds with these ends."""
    chem = need("rdkit.Chem", "rdkit", "SMILES")
    molecule, atoms = molecule_of(graph)
    if not len(nodes):
        return ""
    bonds = [molecule.GetBondBetweenAtoms(atoms[i], atoms[j]).GetIdx() for i, j in ends.tolist()]
    return str(chem.MolFragmentToSmiles(molecule, atomsToUse=[atoms[i] for i in nodes.tolist()], bondsToUse=bonds))


def _atom(row: dict[str, Any], chem: Any) -> str:
    """One atom. Attributes that SMARTS has no word for are left out: the pattern then finds more."""
    row = {name: value for name, value in row.items() if value is not np.ma.masked}
    try:
        said = [f"#{chem.GetPeriodicTable().GetAtomicNumber(str(row['element']))}"]
    except RuntimeError:
        raise GraphError(f"the element {row['element']!r} is unknown") from None
    if "aromatic" in row:
        said.append("a" if row["aromatic"] else "A")
    if "ring" in row:
        said.append("R" if row["ring"] else "!R")
    if "charge" in row:
        said.append(f"{int(row['charge']):+d}")
    for name, word in (("hydrogens", "H"), ("degree", "D")):
        if name in row:
            said.append(f"{word}{int(row[name])}")
    return f"[{'&'.join(said)}]"


def _bond(row: dict[str, Any]) -> str:
    row = {name: value for name, value in row.items() if value is not np.ma.masked}
    said = [BONDS.get(str(row["bond"]), "~")] if "bond" in row else [ORDERS.get(float(row.get("order", 0)), "~")]
    if "bond_ring" in row:
        said.append("@" if row["bond_ring"] else "!@")
    return "&".join(said)
