"""Molecules of RDKit, and SMILES, become graphs that keep the molecule they were made of."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from graphmeans.graphs.convert.molecule_options import PRESET_ATOMS, PRESET_BONDS, MoleculeOptions
from graphmeans.graphs.convert.packed_molecule import PackedMolecule
from graphmeans.graphs.convert.records import Records, need, one_or_many
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph


def from_rdkit(
    molecules: Any, *, atoms: Sequence[str] = PRESET_ATOMS, bonds: Sequence[str] = PRESET_BONDS, hydrogens: str = "fold",
    fragments: str = "keep", standardise: str = "no",
) -> Any:  # fmt: skip
    """Make graphs of molecules of RDKit.

    Nodes are the atoms, edges the bonds. The molecule's name, if it has one, becomes the graph's. The molecule itself, with all
    its properties, is kept as ``graph.origin``, in which ``graph.node_ids`` are the numbers of the atoms: what the graph leaves
    out is not lost, and is there again when the graph is written or drawn.

    Parameters
    ----------
    molecules : rdkit.Chem.Mol, a collection of them, or a supplier such as SDMolSupplier
        The molecules. Where a supplier gives None, the molecule is left out, with a warning that counts and names them; in
        other collections None is refused.
    atoms : names of atom attributes, default=("element", "charge", "aromatic", "ring", "hydrogens")
        ``element``, ``charge``, ``aromatic``, ``hydrogens``, ``degree``, ``ring``, ``hybridization``, ``chirality`` (r, s or
        none), ``isotope``, ``radicals``, ``surroundings`` and ``wide_surroundings`` (48 numbers; see `MoleculeEncoder`).
        With ``element`` alone, atoms differ by element, as in the paper.
    bonds : names of bond attributes, default=("bond",)
        ``bond`` (single, double, aromatic, ...), ``order``, ``conjugated``, ``bond_ring``, ``stereo``, ``link`` (its
        kind, ends and whether it is in a ring, such as "C-O single" or "C-C aromatic ring"; elements but C, N and O are X).
    hydrogens : {"fold", "keep"}, default="fold"
        What becomes of hydrogens that are atoms of their own: their neighbours count them, as chemists draw molecules, except
        where they say something (deuterium, hydrides, hydrogen itself); or they are nodes.
    fragments : {"keep", "largest"}, default="keep"
        Whether salts and solvents stay in the graph, or only the fragment with the most atoms.
    standardise : {"no", "cleanup", "uncharge", "tautomer"}, default="no"
        The graph is made of what RDKit's MolStandardize makes of the molecule: normal groups and no bonds to metals
        (``Cleanup``), moreover no charges that hydrogens can balance, moreover one tautomer for all (slow).

    Returns
    -------
    Graph or list of Graph
        One graph for one object, a list for a collection.

    See Also
    --------
    from_smiles : From text.
    to_rdkit : The way back.
    MoleculeEncoder : How these attributes are compared.

    Examples
    --------
    >>> import graphmeans as gm
    >>> from rdkit import Chem
    >>> graph = gm.from_rdkit(Chem.MolFromSmiles("CC(=O)[O-].[Na+]"), fragments="largest")
    >>> graph, graph.nodes["charge"].tolist()
    (Graph(4 nodes, 3 edges), [0.0, 0.0, 0.0, -1.0])
    >>> Chem.MolToSmiles(graph.origin)
    'CC(=O)[O-].[Na+]'
    """
    options = MoleculeOptions(_names(atoms), _names(bonds), hydrogens, fragments, standardise)
    if is_supplier(molecules):
        molecules = _readable(molecules)
    return one_or_many(molecules, is_rdkit, lambda molecule, label: graph_of(molecule, options, label), "a molecule of RDKit")


def graph_of(molecule: Any, options: MoleculeOptions, label: str = "graph", name: str | None = None) -> Graph:
    """The graph of one molecule; it is called like the molecule unless a name is given."""
    ids, nodes, ends, edges = options.rows(molecule)
    if name is None and molecule.HasProp("_Name"):
        name = molecule.GetProp("_Name") or None
    return Records(ids, nodes, ends, edges, directed=False, name=name, origin=PackedMolecule(molecule, options)).graph(label)


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
    io.read_molecules : From a file.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.from_smiles("CCO").nodes["element"].tolist()
    ['C', 'C', 'O']
    """
    if isinstance(smiles, str):
        return from_rdkit(molecule_from_smiles(smiles, "graph"), **options)
    return from_rdkit([molecule_from_smiles(text, f"graph {i}") for i, text in enumerate(smiles)], **options)


def molecule_from_smiles(text: str, label: str) -> Any:
    """A molecule from SMILES, also with an extension between bars (CXSMILES).

    If it is none, there is an error in one line, and nothing on the terminal. Hydrogens stay as they were written.
    """
    chem, base = need("rdkit.Chem", "rdkit", "reading SMILES"), need("rdkit.rdBase", "rdkit", "reading SMILES")
    how = chem.SmilesParserParams()
    how.removeHs, how.strictCXSMILES, how.parseName = False, True, False
    try:
        with base.BlockLogs():
            molecule = chem.MolFromSmiles(text, how) if isinstance(text, str) and "\0" not in text else None
    except (RuntimeError, ValueError):  # the extension is none
        molecule = None
    if molecule is None:
        raise GraphError(f"{label}: not a molecule in SMILES: {str(text)[:60]!r}")
    return molecule


def read_rdkit(molecules: Any, options: MoleculeOptions | None = None) -> list[Graph]:
    """Make graphs of molecules, as these options say."""
    given = options or MoleculeOptions()
    listed = _readable(molecules) if is_supplier(molecules) else molecules
    return list(one_or_many(listed, is_rdkit, lambda molecule, label: graph_of(molecule, given, label), "a molecule of RDKit"))


def read_smiles_texts(texts: Sequence[str], options: MoleculeOptions | None = None) -> list[Graph]:
    """Make graphs of SMILES, as these options say."""
    return read_rdkit([molecule_from_smiles(str(text), f"graph {i}") for i, text in enumerate(texts)], options)


def is_smiles(item: Any) -> bool:
    """Whether this may be a molecule in SMILES: text."""
    return isinstance(item, str)


def is_rdkit(item: Any) -> bool:
    """Whether this is a molecule of RDKit."""
    return hasattr(item, "GetAtoms") and hasattr(item, "GetBonds")


def is_supplier(objects: Any) -> bool:
    """Whether this is an object of RDKit that reads molecules from a file, such as SDMolSupplier."""
    kind = type(objects)
    return kind.__module__.startswith("rdkit.") and kind.__name__.endswith("Supplier")


def _names(asked: Sequence[str]) -> Any:
    return asked if isinstance(asked, str) else tuple(asked)


def _readable(supplier: Iterable[Any]) -> list[Any]:
    """The molecules of a supplier, without those that it could not read, which are counted and named."""
    with need("rdkit.rdBase", "rdkit", "reading molecules").BlockLogs():
        found = list(supplier)
    wrong = [i for i, molecule in enumerate(found) if molecule is None]
    if wrong:
        named = ", ".join(map(str, wrong[:10])) + (", ..." if len(wrong) > 10 else "")
        said = f"{len(wrong)} of {len(found)} molecules could not be read by RDKit and are left out"
        warnings.warn(f"{said}: number {named}, counted from 0", stacklevel=4)
    return [molecule for molecule in found if molecule is not None]
