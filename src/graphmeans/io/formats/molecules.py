"""Molecules in SMILES, SDF and CSV files, read and written through RDKit.

`graphmeans.io.formats.molecule_table` reads them. They are written from the molecules that graphs were made of, so that charges,
stereo, isotopes, hydrogens, properties and names are as they were; see `to_rdkit` for graphs that were made of none.
"""

from __future__ import annotations

import csv
import io
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from graphmeans import files as _files
from graphmeans.files import PathLike, fail
from graphmeans.graphs.convert import to_rdkit
from graphmeans.graphs.convert.rdkit import molecule_from_smiles
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph, named
from graphmeans.io.formats.molecule_table import parse_molecules, read_molecules, what_is_left_out

#: What ends a property or a molecule in SDF.
_UNFIT = re.compile(r"\n[ \t\r]*(?:\n|\Z)|\A[ \t\r]*\n|^\$\$\$\$", re.MULTILINE)


def read_smiles(path_or_bytes: PathLike | bytes, *, strict: bool = False, **options: Any) -> list[Graph]:
    """Read the molecules of a SMILES file (or of a CSV or TSV file with a column ``smiles``), or of the bytes of a SMILES file.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.
    strict : bool, default=False
        Whether a line that cannot be read raises a `GraphError`. By default it is left out, with a warning that names it.
    **options
        Of `from_rdkit`: which attributes atoms and bonds get.

    Returns
    -------
    list of Graph
        The molecules.

    See Also
    --------
    read_molecules : Also says what could not be read, and takes the names of columns.
    write_smiles : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_smiles, write_smiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_smiles(gm.from_smiles(["CCO", "c1ccccc1"]), os.path.join(folder, "two.smi"))
    ...     [graph.n_nodes for graph in read_smiles(os.path.join(folder, "two.smi"))]
    [3, 6]
    """
    kind = "smi" if isinstance(path_or_bytes, bytes) else None
    return read_molecules(path_or_bytes, kind=kind, strict=strict, **options).graphs


def read_sdf(path_or_bytes: PathLike | bytes, *, strict: bool = False, **options: Any) -> list[Graph]:
    """Read the molecules of an SDF (or MOL) file, or of the bytes of one.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.
    strict : bool, default=False
        Whether an entry that cannot be read raises a `GraphError`. By default it is left out, with a warning that names it.
    **options
        Of `from_rdkit`: which attributes atoms and bonds get.

    Returns
    -------
    list of Graph
        The molecules.

    See Also
    --------
    read_molecules : Also says what could not be read.
    write_sdf : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_sdf, write_sdf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sdf(gm.from_smiles(["CCO", "c1ccccc1"]), os.path.join(folder, "two.sdf"))
    ...     [graph.n_nodes for graph in read_sdf(os.path.join(folder, "two.sdf"))]
    [3, 6]
    """
    return read_molecules(path_or_bytes, kind="sdf", strict=strict, **options).graphs


def write_smiles(graphs: Sequence[Graph], path: PathLike) -> None:
    """Write molecules as SMILES, one on each line, with their names.

    Where SMILES alone would lose something, such as a relative stereo group, an extension between bars is written (CXSMILES);
    if that loses something, too, a warning names the molecule. Properties are not written; SDF and CSV hold them.

    Parameters
    ----------
    graphs : sequence of Graph
        The molecules, made of molecules of RDKit or with the node attribute ``element``; see `to_rdkit`.
    path : path
        The file to write.

    See Also
    --------
    read_smiles : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_smiles, write_smiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_smiles(gm.from_smiles(["CCO", "c1ccccc1"]), os.path.join(folder, "two.smi"))
    ...     [graph.n_nodes for graph in read_smiles(os.path.join(folder, "two.smi"))]
    [3, 6]
    """
    lines = []
    for label, graph in named(graphs):
        smiles, name = _smiles_and_name(graph, label)
        if name.startswith("|") and "|" not in smiles:
            smiles += " ||"  # else the name would be taken for an extension
        lines.append(f"{smiles} {name}".rstrip())
    _files.write_file(path, "".join(f"{line}\n" for line in lines).encode())


def write_sdf(graphs: Sequence[Graph], path: PathLike) -> None:
    """Write molecules as SDF, with all their properties, and with coordinates for drawing where they have none.

    Parameters
    ----------
    graphs : sequence of Graph
        The molecules, made of molecules of RDKit or with the node attribute ``element``; see `to_rdkit`.
    path : path
        The file to write.

    See Also
    --------
    read_sdf : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_sdf, write_sdf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sdf(gm.from_smiles(["CCO", "c1ccccc1"]), os.path.join(folder, "two.sdf"))
    ...     [graph.n_nodes for graph in read_sdf(os.path.join(folder, "two.sdf"))]
    [3, 6]
    """
    chem = need("rdkit.Chem", "rdkit", "writing SDF")
    depict = need("rdkit.Chem.rdDepictor", "rdkit", "writing SDF")
    with tempfile.TemporaryDirectory(prefix="graphmeans-") as folder, need("rdkit.rdBase", "rdkit", "writing SDF").BlockLogs():
        partial = Path(folder, "molecules.sdf")
        writer = chem.SDWriter(str(partial))  # to a file, since properties need not be UTF-8
        for label, graph in named(graphs):
            molecule = to_rdkit(graph)
            _check_properties(molecule, label)
            if not molecule.GetNumConformers():
                depict.Compute2DCoords(molecule)
            try:
                writer.SetKekulize(True)
                writer.write(molecule)
            except ValueError:  # the aromatic rings of a mean graph need not be possible
                writer.SetKekulize(False)
                writer.write(molecule)
        writer.close()
        _files.write_file(path, partial.read_bytes() if partial.exists() else b"")


def write_molecule_csv(graphs: Sequence[Graph], path: PathLike) -> None:
    """Write molecules as a CSV table (or TSV, if the name ends so): SMILES, names, and a column for each property."""
    rows = []
    for label, graph in named(graphs):
        smiles, name = _smiles_and_name(graph, label)
        rows.append({"smiles": smiles, "name": name, **dict(_properties(to_rdkit(graph)))})
    columns = dict.fromkeys(key for row in rows for key in row)
    target = io.StringIO()
    delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
    table = csv.DictWriter(target, list(columns), restval="", lineterminator="\n", delimiter=delimiter)
    table.writeheader()
    table.writerows(rows)
    _files.write_file(path, target.getvalue().encode())


def parse_smiles(data: bytes, name: str | None, where: str) -> list[Graph]:
    """Parse the molecules in the bytes of a SMILES file."""
    return _warned(data, name, where, "smi")


def parse_sdf(data: bytes, name: str | None, where: str) -> list[Graph]:
    """Parse the molecules in the bytes of an SDF file."""
    return _warned(data, name, where, "sdf")


def _warned(data: bytes, name: str | None, where: str, kind: str) -> list[Graph]:
    table = parse_molecules(data, name, where, kind)
    if table.invalid:
        warnings.warn(what_is_left_out(table, where), stacklevel=4)
    return table.graphs


# -- what is written -------------------------------------------------------------------------------


def _smiles_and_name(graph: Graph, label: str) -> tuple[str, str]:
    """SMILES that say all that the molecule has, and its own name; a warning where they do not."""
    molecule = to_rdkit(graph)
    name = _text_property(molecule, "_Name") if molecule.HasProp("_Name") else ""
    base = need("rdkit.rdBase", "rdkit", "writing SMILES")
    with base.BlockLogs():
        smiles, whole = _complete_smiles(molecule)
    if not whole:
        warnings.warn(f"{label}: SMILES cannot say all that this molecule has; SDF can", stacklevel=4)
    return smiles, " ".join(name.split("\n")).strip()


def _complete_smiles(molecule: Any) -> tuple[str, bool]:
    chem = need("rdkit.Chem", "rdkit", "writing SMILES")
    fields = chem.CXSmilesFields
    how, kept = chem.SmilesWriteParams(), int(fields.CX_ALL) & ~int(fields.CX_COORDS) & ~int(fields.CX_MOLFILE_VALUES)
    if molecule.NeedsUpdatePropertyCache():
        molecule.UpdatePropertyCache(strict=False)

    def complete(one: Any) -> str:
        return str(chem.MolToCXSmiles(one, how, kept))

    plain, full = chem.MolToSmiles(molecule), complete(molecule)
    try:
        again = {smiles: complete(molecule_from_smiles(smiles, "")) for smiles in (plain, full)}
    except GraphError:
        return full, False
    # SMILES that are canonical need not be so once more: then both ways to write it must at least say the same.
    smiles = plain if again[plain] in (full, again[full]) else full
    queries = any(atom.HasQuery() and atom.GetAtomicNum() for atom in molecule.GetAtoms())
    return smiles, not queries and not any(bond.HasQuery() for bond in molecule.GetBonds())


def _text_property(molecule: Any, key: str) -> str:
    try:
        return str(molecule.GetProp(key))
    except UnicodeDecodeError as error:
        return bytes(error.object).decode("latin-1")


def _properties(molecule: Any) -> Iterator[tuple[str, str]]:
    for key in molecule.GetPropNames(includePrivate=False, includeComputed=False):
        yield key, _text_property(molecule, key)


def _check_properties(molecule: Any, label: str) -> None:
    """Refuse what SDF cannot hold: a blank line ends a property, and four dollars end a molecule."""
    for key, value in _properties(molecule):
        if "\n" in key or _UNFIT.search(value):
            raise fail(label, f"the property {key!r} has a blank line or $$$$ in it, which SDF cannot hold")
