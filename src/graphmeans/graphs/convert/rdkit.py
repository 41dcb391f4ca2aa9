"""Molecules of RDKit in and out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from graphmeans.graphs.convert.packed_molecule import PackedMolecule
from graphmeans.graphs.convert.records import Records, need, one_or_many
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph

#: The property under which an atom remembers its number while others are left out.
_NUMBER = "_graphmeans_number"
#: What can be asked of an atom, by name.
ATOM_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "element": lambda atom: atom.GetSymbol(),
    "charge": lambda atom: float(atom.GetFormalCharge()),
    "aromatic": lambda atom: bool(atom.GetIsAromatic()),
    "hydrogens": lambda atom: float(atom.GetTotalNumHs()),
    "degree": lambda atom: float(atom.GetDegree()),
    "ring": lambda atom: bool(atom.IsInRing()),
    "hybridization": lambda atom: str(atom.GetHybridization()).lower(),
    "chirality": lambda atom: str(atom.GetChiralTag()).removeprefix("CHI_").lower(),
    "isotope": lambda atom: float(atom.GetIsotope()),
    "radicals": lambda atom: float(atom.GetNumRadicalElectrons()),
}
#: What can be asked of a bond, by name.
BOND_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "bond": lambda bond: str(bond.GetBondType()).lower(),
    "order": lambda bond: float(bond.GetBondTypeAsDouble()),
    "conjugated": lambda bond: bool(bond.GetIsConjugated()),
    "bond_ring": lambda bond: bool(bond.IsInRing()),
    "stereo": lambda bond: str(bond.GetStereo()).removeprefix("STEREO").lower(),
}


def from_rdkit(molecules: Any, *, atoms: Sequence[str] = ("element",), bonds: Sequence[str] = ("bond",)) -> Any:
    """Make graphs of molecules of RDKit.

    Nodes are the atoms, edges the bonds. Hydrogens that are atoms of their own are counted by their neighbours instead, as
    chemists draw molecules, except where they say something (deuterium, hydrides, hydrogen itself). The molecule's name, if
    it has one, becomes the graph's. The molecule itself, with all its properties, is kept as ``graph.origin``, in which
    ``graph.node_ids`` are the numbers of the atoms.

    Parameters
    ----------
    molecules : rdkit.Chem.Mol, or a collection of them
        The molecules.
    atoms : names of atom attributes, default=("element",)
        ``element``, ``charge``, ``aromatic``, ``hydrogens``, ``degree``, ``ring``, ``hybridization``, ``chirality``,
        ``isotope``, ``radicals``. With ``element`` alone, atoms differ by element, as in the paper.
    bonds : names of bond attributes, default=("bond",)
        ``bond`` (single, double, aromatic, ...), ``order``, ``conjugated``, ``bond_ring``, ``stereo``.

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    from_smiles : From text.
    to_rdkit : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> from rdkit import Chem
    >>> gm.from_rdkit(Chem.MolFromSmiles("c1ccccc1O"))
    Graph(7 nodes, 7 edges)
    """
    for asked, known, what in ((atoms, ATOM_ATTRIBUTES, "atoms"), (bonds, BOND_ATTRIBUTES, "bonds")):
        if isinstance(asked, str) or any(name not in known for name in asked):
            raise GraphError(f"{what} must be names out of {', '.join(known)}, got {asked!r}")

    def convert(molecule: Any, label: str) -> Graph:
        shown, ids = without_hydrogens(molecule)
        nodes = [{key: ATOM_ATTRIBUTES[key](atom) for key in atoms} for atom in shown.GetAtoms()]
        ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in shown.GetBonds()]
        edges = [{key: BOND_ATTRIBUTES[key](bond) for key in bonds} for bond in shown.GetBonds()]
        name = molecule.GetProp("_Name") if molecule.HasProp("_Name") else ""
        about = {"directed": False, "name": name or None, "origin": PackedMolecule(molecule)}
        return Records(ids, nodes, ends, edges, **about).graph(label)

    return one_or_many(molecules, is_rdkit, convert, "a molecule of RDKit")


def from_smiles(smiles: str | Iterable[str], **options: Any) -> Any:
    """Make graphs of SMILES.

    Parameters
    ----------
    smiles : str, or a collection of str
        The molecules.
    **options
        Those of `from_rdkit`.

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    from_rdkit : From molecules, and which attributes there are.
    io.read_smiles : From a file.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.from_smiles("CCO").nodes["element"].tolist()
    ['C', 'C', 'O']
    """
    if isinstance(smiles, str):
        return from_rdkit(molecule_from_smiles(smiles, "graph"), **options)
    return from_rdkit([molecule_from_smiles(text, f"graph {i}") for i, text in enumerate(smiles)], **options)


def without_hydrogens(molecule: Any) -> tuple[Any, list[int] | None]:
    """The molecule without hydrogens that only say how many there are, and the number of each atom that is left.

    The numbers are None if nothing was left out.
    """
    chem = need("rdkit.Chem", "rdkit", "from_rdkit")
    if molecule.NeedsUpdatePropertyCache():  # a molecule that was never sanitised, such as one made of SMARTS
        molecule = chem.Mol(molecule)
        molecule.UpdatePropertyCache(strict=False)
        chem.FastFindRings(molecule)
    if not any(atom.GetAtomicNum() == 1 for atom in molecule.GetAtoms()):
        return molecule, None
    numbered = chem.Mol(molecule)
    for atom in numbered.GetAtoms():
        atom.SetIntProp(_NUMBER, atom.GetIdx())
    with need("rdkit.rdBase", "rdkit", "from_rdkit").BlockLogs():
        left = chem.RemoveHs(numbered, sanitize=False)
    left.UpdatePropertyCache(strict=False)
    ids = [atom.GetIntProp(_NUMBER) for atom in left.GetAtoms()]
    return left, None if len(ids) == molecule.GetNumAtoms() else ids


def molecule_from_smiles(text: str, label: str) -> Any:
    """A molecule from SMILES; an error in one line, and nothing on the terminal, if it is none."""
    chem, base = need("rdkit.Chem", "rdkit", "reading SMILES"), need("rdkit.rdBase", "rdkit", "reading SMILES")
    how = chem.SmilesParserParams()
    how.removeHs = False  # the molecule is kept as it was written; the graph leaves them out
    with base.BlockLogs():
        molecule = chem.MolFromSmiles(text, how) if isinstance(text, str) and "\0" not in text else None
    if molecule is None:
        raise GraphError(f"{label}: not a molecule in SMILES: {str(text)[:60]!r}")
    return molecule


def to_rdkit(graph: Graph, support: float = 0.5) -> Any:
    """Make a molecule of RDKit from a graph with the node attribute ``element``, and with ``bond`` or ``order`` on edges.

    Of a mean graph, the atoms and bonds with at least this support are taken, and the supports kept as the property
    ``support`` of atoms and bonds. A mean need not obey the rules of valence: if it does not, the molecule comes back as far
    as it could be sanitised, which is enough to draw it.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    support : float, default=0.5
        The least share of members that an atom or bond of a mean graph must have.

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
    >>> Chem.MolToSmiles(gm.to_rdkit(gm.from_smiles("OCC")))
    'CCO'
    """
    chem = need("rdkit.Chem", "rdkit", "to_rdkit")
    base = need("rdkit.rdBase", "rdkit", "to_rdkit")
    nodes, edges = graph.nodes, graph.edge_attributes
    if "element" not in nodes or nodes["element"].dtype != object:
        raise GraphError(f"{graph!r}: to_rdkit needs the node attribute 'element'")
    node_share = graph.node_support if isinstance(graph, MeanGraph) else np.ones(graph.n_nodes)
    edge_share = graph.edge_support if isinstance(graph, MeanGraph) else np.ones(graph.n_edges)
    molecule = chem.RWMol()
    place: dict[int, int] = {}
    for i in np.flatnonzero(node_share >= support).tolist():
        place[i] = molecule.AddAtom(_atom(graph, i, chem))
        if isinstance(graph, MeanGraph):
            molecule.GetAtomWithIdx(place[i]).SetDoubleProp("support", float(node_share[i]))
    for e, (i, j) in enumerate(graph.edges.tolist()):
        if i in place and j in place and edge_share[e] >= support:
            molecule.AddBond(place[i], place[j], _bond_type({key: column[e] for key, column in edges.items()}, chem))
            bond = molecule.GetBondBetweenAtoms(place[i], place[j])
            if bond.GetBondType() == chem.BondType.AROMATIC:
                for atom in (bond, bond.GetBeginAtom(), bond.GetEndAtom()):
                    atom.SetIsAromatic(True)
            if isinstance(graph, MeanGraph):
                bond.SetDoubleProp("support", float(edge_share[e]))
    with base.BlockLogs():
        result = _sanitised(molecule, chem)
    if graph.name is not None:
        result.SetProp("_Name", graph.name)
    return result


def is_rdkit(item: Any) -> bool:
    """Whether this is a molecule of RDKit."""
    return hasattr(item, "GetAtoms") and hasattr(item, "GetBonds")


def _atom(graph: Graph, i: int, chem: Any) -> Any:
    row = {key: column[i] for key, column in graph.nodes.items() if column[i] is not np.ma.masked}
    try:
        atom = chem.Atom(str(row["element"]))
    except (RuntimeError, KeyError):
        raise GraphError(f"{graph!r}: node {i} has the unknown element {row.get('element')!r}") from None
    atom.SetFormalCharge(round(float(row.get("charge", 0))))
    atom.SetIsAromatic(bool(row.get("aromatic", False)))
    atom.SetIsotope(max(round(float(row.get("isotope", 0))), 0))
    if "radicals" in row:
        atom.SetNumRadicalElectrons(max(round(float(row["radicals"])), 0))
    if "hydrogens" in row:
        atom.SetNumExplicitHs(max(round(float(row["hydrogens"])), 0))
        atom.SetNoImplicit(True)
    if "chirality" in row:
        tags = {str(tag).removeprefix("CHI_").lower(): tag for tag in chem.ChiralType.values.values()}
        atom.SetChiralTag(tags.get(row["chirality"], chem.ChiralType.CHI_UNSPECIFIED))
    return atom


def _bond_type(row: dict[str, Any], chem: Any) -> Any:
    types = {str(kind).lower(): kind for kind in chem.BondType.values.values()}
    if isinstance(row.get("bond"), str):
        return types.get(row["bond"], chem.BondType.SINGLE)
    order = row.get("order", 1.0)
    known = {1.0: "single", 1.5: "aromatic", 2.0: "double", 3.0: "triple"}
    return types[known[min(known, key=lambda value: abs(value - float(order)))]]


def _sanitised(molecule: Any, chem: Any) -> Any:
    """The molecule, sanitised as far as possible.

    An aromatic ring such as that of pyrrole needs a hydrogen on its nitrogen, which a graph of elements and bonds does not
    have: it is put where the ring then makes sense.
    """
    flags = chem.SanitizeFlags
    pyrrolic = [
        atom.GetIdx() for atom in molecule.GetAtoms()
        if atom.GetIsAromatic() and atom.GetSymbol() in "NP" and atom.GetDegree() == 2 and not atom.GetNoImplicit()
    ]  # fmt: skip
    choices = itertools.chain([()], *(itertools.combinations(pyrrolic, count) for count in range(1, 5)))
    for chosen in itertools.islice(choices, 200):
        attempt = chem.RWMol(molecule)
        for i in chosen:
            attempt.GetAtomWithIdx(i).SetNumExplicitHs(1)
        if chem.SanitizeMol(attempt, flags.SANITIZE_ALL, catchErrors=True) == flags.SANITIZE_NONE:
            chem.AssignStereochemistry(attempt, cleanIt=True)
            return attempt.GetMol()
    attempt = chem.RWMol(molecule)
    attempt.UpdatePropertyCache(strict=False)
    some = flags.SANITIZE_FINDRADICALS | flags.SANITIZE_SETHYBRIDIZATION | flags.SANITIZE_SYMMRINGS
    chem.SanitizeMol(attempt, some, catchErrors=True)
    return attempt.GetMol()
