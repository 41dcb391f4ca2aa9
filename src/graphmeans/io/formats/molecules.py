"""Molecules in SMILES, SDF and CSV files, read and written through RDKit.

A line of a SMILES file is the SMILES, and perhaps blanks and a name; a first line that begins with the word ``smiles`` is a
header, empty lines and lines that begin with ``#`` are passed over. A CSV file needs a column called ``smiles``, and may have
one called ``name``, ``id`` or ``title``. Hydrogens that an SDF file gives as atoms are left out, as chemists draw molecules.
A molecule without a name is called like its SMILES, or like its file and its number in it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from graphmeans import files as _files
from graphmeans.budget import budgeted
from graphmeans.files import PathLike, blaming, decoded, fail, refusing
from graphmeans.graphs.convert import from_rdkit, to_rdkit
from graphmeans.graphs.convert.rdkit import molecule_from_smiles as _molecule
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.graph import Graph

#: Longer SMILES are refused.
MAX_SMILES_LENGTH = 5_000
_NAMES = ("name", "id", "title")


@budgeted
def read_smiles(path_or_bytes: PathLike | bytes, **options: Any) -> list[Graph]:
    """Read the molecules of a SMILES file (or of a CSV file with a column ``smiles``), or of the bytes of a SMILES file.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.
    **options
        Of `from_rdkit`: which attributes atoms and bonds get.

    Returns
    -------
    list of Graph
        The molecules.

    See Also
    --------
    write_smiles : The way back.
    from_smiles : From strings.

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
    data, name, where = _files.named_content(path_or_bytes, "SMILES")
    return (parse_csv if where.lower().endswith(".csv") else parse_smiles)(data, name, where, **options)


@budgeted
def read_sdf(path_or_bytes: PathLike | bytes, **options: Any) -> list[Graph]:
    """Read the molecules of an SDF (or MOL) file, or of the bytes of one.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.
    **options
        Of `from_rdkit`: which attributes atoms and bonds get.

    Returns
    -------
    list of Graph
        The molecules.

    See Also
    --------
    write_sdf : The way back.
    from_rdkit : Which attributes there are.

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
    return parse_sdf(*_files.named_content(path_or_bytes, "SDF"), **options)


def write_smiles(graphs: Sequence[Graph], path: PathLike) -> None:
    """Write molecules as SMILES, one on each line.

    Graphs need the node attribute ``element``; see `to_rdkit`.

    Parameters
    ----------
    graphs : sequence of Graph
        The molecules.
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
    chem = need("rdkit.Chem", "rdkit", "writing SMILES")
    lines = [" ".join([chem.MolToSmiles(to_rdkit(graph)), *(graph.name or "").split()]) for graph in graphs]
    _files.write_file(path, "".join(f"{line}\n" for line in lines).encode())


def write_sdf(graphs: Sequence[Graph], path: PathLike) -> None:
    """Write molecules as SDF, with coordinates for drawing.

    Graphs need the node attribute ``element``; see `to_rdkit`.

    Parameters
    ----------
    graphs : sequence of Graph
        The molecules.
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
    need("rdkit.Chem.rdDepictor", "rdkit", "writing SDF")
    target = io.StringIO()
    writer = chem.SDWriter(target)
    for graph in graphs:
        molecule = to_rdkit(graph)
        chem.rdDepictor.Compute2DCoords(molecule)
        try:
            writer.SetKekulize(True)
            writer.write(molecule)
        except ValueError:  # the aromatic rings of a mean graph need not be possible
            writer.SetKekulize(False)
            writer.write(molecule)
    writer.close()
    _files.write_file(path, target.getvalue().encode())


def parse_smiles(data: bytes, name: str | None, where: str, **options: Any) -> list[Graph]:
    """Parse the molecules in the bytes of a SMILES file."""
    lines = [(number, line.split(None, 1)) for number, line in enumerate(decoded(data, where).splitlines(), 1)]
    lines = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    if lines and lines[0][1][0].lower() == "smiles":
        lines = lines[1:]
    return _graphs(((number, words[0], words[1] if len(words) > 1 else "") for number, words in lines), where, options)


def parse_csv(data: bytes, name: str | None, where: str, **options: Any) -> list[Graph]:
    """Parse the molecules in the bytes of a CSV file."""
    text = decoded(data, where)
    try:
        dialect: Any = csv.Sniffer().sniff(text.partition("\n")[0], ",;\t")
    except csv.Error:
        dialect = csv.excel
    rows = csv.reader(io.StringIO(text), dialect)
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if "smiles" not in header:
            raise fail(where, "has no column 'smiles', so it is no collection of molecules")
        column = header.index("smiles")
        title = next((header.index(key) for key in _NAMES if key in header), None)
        cells = [(rows.line_num, row[column], row[title] if title is not None and title < len(row) else "")
                 for row in rows if len(row) > column and row[column].strip()]  # fmt: skip
    except csv.Error as error:
        raise fail(where, f"is not CSV ({error})") from None
    return _graphs(iter(cells), where, options)


def parse_sdf(data: bytes, name: str | None, where: str, **options: Any) -> list[Graph]:
    """Parse the molecules in the bytes of an SDF file."""
    chem, base = need("rdkit.Chem", "rdkit", "reading SDF"), need("rdkit.rdBase", "rdkit", "reading SDF")
    molecules = []
    with base.BlockLogs(), refusing(where, "is not SDF", (RuntimeError, ValueError, OSError)):
        for number, molecule in enumerate(chem.ForwardSDMolSupplier(io.BytesIO(data), removeHs=False), 1):
            if molecule is None:
                raise fail(where, f"molecule {number} cannot be read")
            if not (molecule.HasProp("_Name") and molecule.GetProp("_Name").strip()):
                molecule.SetProp("_Name", str(number) if name is None else f"{name} {number}")
            molecules.append(molecule)
    return _converted(molecules, where, options)


def _graphs(lines: Iterator[tuple[int, str, str]], where: str, options: dict[str, Any]) -> list[Graph]:
    molecules = []
    for number, smiles, name in lines:
        if len(smiles) > MAX_SMILES_LENGTH:
            raise fail(where, f"line {number}: SMILES of {len(smiles)} characters are not read")
        with blaming(where):
            molecule = _molecule(smiles.strip(), f"line {number}")
        molecule.SetProp("_Name", name.strip() or smiles.strip())
        molecules.append(molecule)
    return _converted(molecules, where, options)


def _converted(molecules: list[Any], where: str, options: dict[str, Any]) -> list[Graph]:
    if not molecules:
        raise fail(where, "holds no molecules")
    with blaming(where), refusing(where, "holds text that is not UTF-8", (UnicodeError,)):
        graphs: list[Graph] = from_rdkit(molecules, **options)
    return graphs
