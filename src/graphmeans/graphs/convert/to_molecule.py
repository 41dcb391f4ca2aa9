"""Graphs become molecules of RDKit: the molecule that the graph was made of, or one put together from its attributes."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from graphmeans.graphs.convert.rdkit import is_rdkit
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph

#: The property of a molecule that says what is not valid in it.
INVALID = "graphmeans_invalid"


def to_rdkit(graph: Graph, support: float = 0.5, *, strict: bool | None = None) -> Any:
    """Make a molecule of RDKit from a graph.

    A graph that was made of a molecule gives that molecule, with its charges, stereo, hydrogens and properties. Any other graph
    needs the node attribute ``element``, and ``bond`` or ``order`` on edges; charges, hydrogens and isotopes are taken from the
    attributes of these names, where there are any. Of a mean graph, the atoms and bonds with at least this support are taken,
    and the supports kept as the property ``support`` of atoms and bonds.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    support : float, default=0.5
        The least share of members that an atom or bond of a mean graph must have.
    strict : bool, optional
        What happens if that is no possible molecule, such as one with two bonds at a fluorine. True: a `GraphError` that names
        the atoms. False: a warning that names them, and a molecule that can be drawn but not used, whose property
        ``graphmeans_invalid`` says what is wrong. By default graphs are strict and mean graphs are not, since a mean need not
        obey the rules of valence.

    Returns
    -------
    rdkit.Chem.Mol
        The molecule.

    See Also
    --------
    from_rdkit : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> from rdkit import Chem
    >>> Chem.MolToSmiles(gm.to_rdkit(gm.from_smiles("C[C@H](N)C(=O)[O-]")))
    'C[C@H](N)C(=O)[O-]'
    >>> bent = gm.Graph({"element": ["C", "F", "C"]}, [(0, 1), (1, 2)], {"bond": ["single", "single"]})
    >>> gm.to_rdkit(bent)
    Traceback (most recent call last):
        ...
    graphmeans.graphs.errors.GraphError: Graph(3 nodes, 2 edges): is no possible molecule: node 1 (F) has 2 bonds, permitted is 1
    """
    mean = isinstance(graph, MeanGraph)
    if not mean and is_rdkit(origin := graph.origin):
        return origin
    chem = need("rdkit.Chem", "rdkit", "to_rdkit")
    base = need("rdkit.rdBase", "rdkit", "to_rdkit")
    molecule, nodes = _assembled(graph, support, chem)
    with base.BlockLogs():
        result = _sanitised(molecule, chem)
        problem = "" if result is not None else _problems(graph, molecule, nodes, chem)
    if result is None:
        said = f"{graph!r}: is no possible molecule: {problem}"
        if strict or (strict is None and not mean):
            raise GraphError(said)
        warnings.warn(said, stacklevel=2)
        with base.BlockLogs():
            result = _drawable(molecule, chem)
        result.SetProp(INVALID, problem)
    if graph.name is not None:
        result.SetProp("_Name", graph.name)
    return result


def to_smiles(graph: Graph) -> str:
    """SMILES of the molecule that `to_rdkit` makes."""
    return str(need("rdkit.Chem", "rdkit", "SMILES").MolToSmiles(to_rdkit(graph)))


def _assembled(graph: Graph, support: float, chem: Any) -> tuple[Any, list[int]]:
    """The atoms and bonds with this support, and the node of each atom."""
    mean = graph if isinstance(graph, MeanGraph) else None
    if "element" not in graph.nodes or graph.nodes["element"].dtype != object:
        raise GraphError(f"{graph!r}: to_rdkit needs the node attribute 'element'")
    node_share = np.ones(graph.n_nodes) if mean is None else mean.node_support
    edge_share = np.ones(graph.n_edges) if mean is None else mean.edge_support
    molecule = chem.RWMol()
    place: dict[int, int] = {}
    for i in np.flatnonzero(node_share >= support).tolist():
        place[i] = molecule.AddAtom(_atom(graph, i, chem))
        if mean is not None:
            molecule.GetAtomWithIdx(place[i]).SetDoubleProp("support", float(node_share[i]))
    edges, aromatic = graph.edge_attributes, graph.nodes.get("aromatic")
    for e, (i, j) in enumerate(graph.edges.tolist()):
        if i in place and j in place and edge_share[e] >= support:
            flat = None if aromatic is None else bool(aromatic[i]) and bool(aromatic[j])
            molecule.AddBond(place[i], place[j], _bond_type({key: column[e] for key, column in edges.items()}, flat, chem))
            bond = molecule.GetBondBetweenAtoms(place[i], place[j])
            if bond.GetBondType() == chem.BondType.AROMATIC:
                for one in (bond, bond.GetBeginAtom(), bond.GetEndAtom()):
                    one.SetIsAromatic(True)
            if mean is not None:
                bond.SetDoubleProp("support", float(edge_share[e]))
    return molecule, list(place)


def _atom(graph: Graph, i: int, chem: Any) -> Any:
    row = {key: column[i] for key, column in graph.nodes.items() if column[i] is not np.ma.masked}
    try:
        atom = chem.Atom(str(row["element"]))
    except (RuntimeError, KeyError):
        raise GraphError(f"{graph!r}: node {i} has the unknown element {row.get('element')!r}") from None
    atom.SetFormalCharge(round(float(row.get("charge", 0))))
    atom.SetIsotope(max(round(float(row.get("isotope", 0))), 0))
    if "radicals" in row:
        atom.SetNumRadicalElectrons(max(round(float(row["radicals"])), 0))
    if "hydrogens" in row:
        count = max(round(float(row["hydrogens"])), 0)
        # An atom of a mean has lost neighbours, so that its average number of hydrogens says little: RDKit fills it up.
        if not isinstance(graph, MeanGraph):
            atom.SetNumExplicitHs(count)
            atom.SetNoImplicit(True)
        elif count and row["element"] in ("N", "P", "B") and bool(row.get("aromatic", False)):
            atom.SetNumExplicitHs(1)
    return atom


def _bond_type(row: dict[str, Any], flat: bool | None, chem: Any) -> Any:
    """The type of a bond; an order between single and double is aromatic only between atoms that are."""
    types = {str(kind).lower(): kind for kind in chem.BondType.values.values()}
    if isinstance(row.get("bond"), str):
        return types.get(row["bond"], chem.BondType.SINGLE)
    order = row.get("order", 1.0)
    known = {1.0: "single", 1.5: "aromatic", 2.0: "double", 3.0: "triple"}
    if flat is False:
        del known[1.5]
    return types[known[min(known, key=lambda value: abs(value - float(order)))]]


def _sanitised(molecule: Any, chem: Any) -> Any | None:
    """The molecule, sanitised; None if it cannot be.

    An aromatic ring such as that of pyrrole needs a hydrogen on its nitrogen, which a graph of elements and bonds does not
    have: it is put where the ring then makes sense.
    """
    flags = chem.SanitizeFlags
    pyrrolic = [
        atom.GetIdx() for atom in molecule.GetAtoms()
        if atom.GetIsAromatic() and atom.GetSymbol() in "NP" and atom.GetDegree() == 2 and not atom.GetNoImplicit()
        and not atom.GetNumExplicitHs()
    ]  # fmt: skip
    choices = itertools.chain([()], *(itertools.combinations(pyrrolic, count) for count in range(1, 5)))
    for chosen in itertools.islice(choices, 200):
        attempt = chem.RWMol(molecule)
        for i in chosen:
            attempt.GetAtomWithIdx(i).SetNumExplicitHs(1)
        if chem.SanitizeMol(attempt, flags.SANITIZE_ALL, catchErrors=True) == flags.SANITIZE_NONE:
            chem.AssignStereochemistry(attempt, cleanIt=True)
            return attempt.GetMol()
    return None


def _drawable(molecule: Any, chem: Any) -> Any:
    """The molecule, sanitised as far as possible."""
    flags = chem.SanitizeFlags
    attempt = chem.RWMol(molecule)
    attempt.UpdatePropertyCache(strict=False)
    some = flags.SANITIZE_FINDRADICALS | flags.SANITIZE_SETHYBRIDIZATION | flags.SANITIZE_SYMMRINGS
    chem.SanitizeMol(attempt, some, catchErrors=True)
    return attempt.GetMol()


def _problems(graph: Graph, molecule: Any, nodes: list[int], chem: Any) -> str:
    """What RDKit finds wrong with a molecule, in the numbers of the graph's nodes."""
    table = chem.GetPeriodicTable()
    said = []
    for problem in chem.DetectChemistryProblems(molecule):
        if problem.GetType() == "AtomValenceException":
            atom = molecule.GetAtomWithIdx(problem.GetAtomIdx())
            bonds = sum(bond.GetValenceContrib(atom) for bond in atom.GetBonds()) + atom.GetNumExplicitHs()
            allowed = max(table.GetValenceList(atom.GetAtomicNum()))
            name = f"node {graph.node_ids[nodes[atom.GetIdx()]]} ({atom.GetSymbol()})"
            charge = f" at charge {atom.GetFormalCharge():+d}" if atom.GetFormalCharge() else ""
            said.append(f"{name} has {bonds:g} bonds{charge}, permitted is {allowed}")
        elif problem.GetType() == "AtomKekulizeException":
            said.append(f"node {graph.node_ids[nodes[problem.GetAtomIdx()]]} is aromatic outside a ring")
        else:
            atoms: Any = getattr(problem, "GetAtomIndices", tuple)()
            listed = ", ".join(str(graph.node_ids[nodes[i]]) for i in list(atoms)[:12])
            said.append(f"no single and double bonds fit the aromatic nodes {listed}" if listed else problem.Message())
    return "; ".join(said) or "RDKit cannot sanitise it"
