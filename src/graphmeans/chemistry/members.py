"""The molecules of a cluster, the nearest to its mean first, and how some of them are aligned to the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from graphmeans.chemistry.toolkit import has_rdkit, part, silent
from graphmeans.evaluation.fitted import align_as_fitted, centers_of, fitted_labels, members_by_distance, points_of
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

#: How many members of each cluster are aligned to its mean, unless the caller says otherwise.
ALIGNED = 200
#: Length of a bond in the coordinates of RDKit.
BOND = 1.5
#: Kinds of bonds as SMARTS writes them.
_BONDS = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "AROMATIC": ":"}


@dataclass(frozen=True, eq=False)
class Aligned:
    """A member whose alignment is known: `nodes[a]` is the node of the mean that stands at atom `a`, or -1."""

    row: int  # its place in the collection
    molecule: Any
    nodes: IntArray

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each atom as SMARTS writes it: its element, in small letters if it is aromatic."""
        atoms = zip(self.molecule.GetAtoms(), self.symbols, strict=True)
        return [symbol.lower() if atom.GetIsAromatic() else symbol for atom, symbol in atoms]

    @cached_property
    def in_ring(self) -> list[bool]:
        """Whether each atom is in a ring."""
        return [atom.IsInRing() for atom in self.molecule.GetAtoms()]

    @cached_property
    def symbols(self) -> list[str]:
        """The element of each atom."""
        return [atom.GetSymbol() for atom in self.molecule.GetAtoms()]

    @cached_property
    def hydrogens(self) -> list[int]:
        """How many hydrogens each atom carries."""
        return [atom.GetTotalNumHs() for atom in self.molecule.GetAtoms()]

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The atoms that each atom is bound to."""
        near: list[list[int]] = [[] for _ in self.kinds]
        for i, j, _ in self.bonds:
            near[i].append(j)
            near[j].append(i)
        return near

    @cached_property
    def bonds(self) -> list[tuple[int, int, str]]:
        """The ends of each bond, and its kind as SMARTS writes it."""
        return [
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), _BONDS.get(str(bond.GetBondType()), "~"))
            for bond in self.molecule.GetBonds()
        ]


@dataclass(frozen=True, eq=False)
class ClusterMolecules:
    """The molecules of one cluster, the nearest to the mean first, and the aligned ones among them in the same order."""

    label: int
    rows: list[int]
    molecules: list[Any]
    aligned: list[Aligned] = field(default_factory=list)

    @property
    def medoid(self) -> Aligned:
        """The member that is nearest to the mean, of those that are aligned."""
        return self.aligned[0]

    def __len__(self) -> int:
        return len(self.rows)


def is_molecule_of_rdkit(item: Any) -> bool:
    """Whether this is a molecule of RDKit."""
    return hasattr(item, "GetAtoms") and hasattr(item, "GetBonds")


class Molecules:
    """The molecules that graphs were made of, without hydrogens that are atoms of their own; each is prepared once."""

    def __init__(self, graphs: Sequence[Graph]) -> None:
        self.graphs = graphs
        self._kept: dict[int, tuple[Any, IntArray]] = {}

    def __getitem__(self, row: int) -> Any:
        return self._prepared(row)[0]

    def aligned(self, row: int, mapping: Any) -> Aligned:
        """A member with its alignment, which is given for the nodes of its graph."""
        molecule, place = self._prepared(row)
        nodes = np.full(molecule.GetNumAtoms(), -1, dtype=np.int64)
        numbers: Any = self.graphs[row].node_ids
        for atom, node in zip(numbers, mapping, strict=True):
            if place[int(atom)] >= 0:
                nodes[place[int(atom)]] = int(node)
        return Aligned(row, molecule, nodes)

    def positions(self, row: int, laid_out: Any) -> FloatArray | None:
        """Where the nodes of a graph stand if its molecule is laid out so, in units of a bond; None if that does not tell.

        Hydrogens that are nodes stand at the atom that they belong to.
        """
        graph = self.graphs[row]
        atoms = self._prepared(row)[1][np.asarray(graph.node_ids, dtype=np.int64)]
        points = np.asarray(laid_out.GetConformer().GetPositions())[:, :2] / BOND
        found = points[atoms]
        for node in np.flatnonzero(atoms < 0).tolist():
            ends = graph.edges[(graph.edges == node).any(axis=1)].ravel()
            beside = ends[atoms[ends] >= 0]
            if not len(beside):
                return None
            found[node] = found[beside[0]]
        return np.asarray(found)

    def _prepared(self, row: int) -> tuple[Any, IntArray]:
        if row not in self._kept:
            molecule = self.graphs[row].origin
            if not is_molecule_of_rdkit(molecule):
                raise GraphError(f"graph {row} was not made of a molecule: read it by from_rdkit, from_smiles or read_sdf")
            self._kept[row] = _without_hydrogens(molecule)
        return self._kept[row]


def made_of_molecules(graphs: Sequence[Graph], rows: Sequence[int]) -> bool:
    """Whether these graphs were made of molecules, and RDKit is there to draw them; it is loaded only if they were."""
    if not len(rows) or any(graphs[int(i)].packed_origin is None for i in rows):
        return False
    return has_rdkit() and all(is_molecule_of_rdkit(graphs[int(i)].origin) for i in rows)


def _without_hydrogens(molecule: Any) -> tuple[Any, IntArray]:
    """The molecule without hydrogens that are atoms, and the new number of each atom, -1 for those hydrogens."""
    count = molecule.GetNumAtoms()
    chem = part("Chem")
    copy = chem.Mol(molecule)
    copy.RemoveAllConformers()
    if all(atom.GetAtomicNum() != 1 for atom in molecule.GetAtoms()):
        return copy, np.arange(count)
    for atom in copy.GetAtoms():
        atom.SetIntProp("_at", atom.GetIdx())
    with silent():
        bare = chem.RemoveHs(copy, sanitize=False)
        bare.UpdatePropertyCache(strict=False)
        chem.FastFindRings(bare)
    place = np.full(count, -1, dtype=np.int64)
    for atom in bare.GetAtoms():
        place[atom.GetIntProp("_at")] = atom.GetIdx()
    return bare, place


def cluster_molecules(
    estimator: Any, graphs: Sequence[Graph], clusters: Sequence[int] | None = None, aligned: int = ALIGNED
) -> list[ClusterMolecules]:
    """The molecules of clusters; the nearest `aligned` members of each are matched with its mean."""
    labels = fitted_labels(estimator, graphs)
    centers = centers_of(estimator)
    molecules = Molecules(graphs)
    wanted = range(len(centers)) if clusters is None else clusters
    members = {c: members_by_distance(labels, estimator.distances_, c).tolist() for c in wanted}
    chosen = [row for rows in members.values() for row in spread(rows, aligned)]
    found = None
    if chosen:
        points = points_of(estimator, [graphs[row] for row in chosen])
        found, _ = align_as_fitted(estimator, estimator.space_, points, centers, chosen)
    known = {row: molecules.aligned(row, found.mapping(p)) for p, row in enumerate(chosen)} if found is not None else {}
    return [
        ClusterMolecules(c, rows, [molecules[row] for row in rows], [known[row] for row in rows if row in known])
        for c, rows in members.items()
    ]


def spread(rows: Sequence[int], most: int) -> list[int]:
    """At most this many of the members, evenly from the nearest to the farthest; the nearest is always among them."""
    if len(rows) <= most:
        return list(rows)
    return [rows[i] for i in np.unique(np.linspace(0, len(rows) - 1, most).astype(int))]
