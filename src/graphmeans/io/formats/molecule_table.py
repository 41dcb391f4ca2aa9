"""`MoleculeTable`: the molecules of a file, those of its records that cannot be read, and the way back with columns added."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from graphmeans import budget
from graphmeans import files as _files
from graphmeans.budget import budgeted
from graphmeans.files import PathLike, fail
from graphmeans.graphs.convert.molecule_options import MoleculeOptions
from graphmeans.graphs.convert.rdkit import graph_of, molecule_from_smiles
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.molecule_records import (
    Columns,
    EntryRecords,
    LineRecords,
    Record,
    RowRecords,
    loosely,
    records_of,
    sniffed_kind,
)

#: Longer SMILES are refused.
MAX_SMILES_LENGTH = 5_000
#: Larger entries of SDF are refused: no molecule with a few thousand atoms is as large.
MAX_ENTRY = 4 << 20
#: The largest file of molecules that is read.
MAX_MOLECULE_FILE = 1 << 30
#: What the endings of files of molecules mean; each may be followed by ``.gz``.
MOLECULE_ENDINGS = {
    ".smi": "smi", ".smiles": "smi", ".csv": "csv", ".tsv": "tsv", ".sdf": "sdf", ".sd": "sdf", ".mol": "sdf",
}  # fmt: skip
#: The name under which standard input is read.
STDIN = "-"


class InvalidRecord(NamedTuple):
    """A record that holds no molecule that can be read: its number (from 0), its first line (from 1), its name, and why."""

    row: int
    line: int
    name: str
    reason: str
    text: str


@dataclass(frozen=True)
class MoleculeTable:
    """The molecules of a file, in its order, and what is needed to write the file back.

    `read_molecules` makes it. Every record of the file has a row, whether or not it could be read.

    Parameters
    ----------
    graphs : list of Graph
        The molecules that could be read.
    rows : list of int
        The number of the record of each graph.
    classes : list of str or None
        The class of each graph, if a column of classes was named.
    invalid : list of InvalidRecord
        The records that could not be read: ``row``, ``line``, ``name``, ``reason`` and ``text``.
    kind : {"smi", "csv", "tsv", "sdf"}
        What the file is.
    n_records : int
        How many records there are.
    records : object
        The records as they stand in the file, for the way back.

    See Also
    --------
    read_molecules : Makes it.

    Examples
    --------
    >>> from graphmeans.io import read_molecules
    >>> table = read_molecules(b"smiles,name\\nCCO,ethanol\\n,nothing\\n", strict=False)
    >>> table.graphs, [(one.line, one.reason) for one in table.invalid]
    ([Graph('ethanol', 3 nodes, 2 edges)], [(3, 'the cell is empty')])
    """

    graphs: list[Graph]
    rows: list[int]
    classes: list[str] | None
    invalid: list[InvalidRecord]
    kind: str
    n_records: int
    records: LineRecords | RowRecords | EntryRecords

    def to_bytes(self, columns: Mapping[str, Sequence[object]]) -> bytes:
        """Return the file as it came, with these columns added: properties of SDF, cells of a table.

        Records that could not be read are kept, without values; a last column, ``problem``, says why, if there are any.

        Parameters
        ----------
        columns : mapping of name to one value for each graph
            What is added. None is an empty cell.

        Returns
        -------
        bytes
            The content of the file. Of a SMILES file it is a table separated by tabs: SMILES, name and the columns.
        """
        added: dict[str, list[str]] = {}
        for name, values in columns.items():
            if len(values) != len(self.graphs):
                raise GraphError(f"column {name!r} has {len(values)} values for {len(self.graphs)} graphs")
            cells = added[name] = [""] * self.n_records
            for row, value in zip(self.rows, values, strict=True):
                cells[row] = "" if value is None else str(value)
        if self.invalid:
            reasons = added["problem"] = [""] * self.n_records
            for one in self.invalid:
                reasons[one.row] = one.reason
        return self.records.written(added)

    def write(self, path: PathLike, columns: Mapping[str, Sequence[object]]) -> None:
        """Write the file back with these columns added; see `to_bytes`.

        Parameters
        ----------
        path : path
            The file to write.
        columns : mapping of name to one value for each graph
            What is added.
        """
        _files.write_file(path, self.to_bytes(columns))

    def write_invalid(self, path: PathLike) -> None:
        """Write the records that could not be read as a CSV table: row, line, name, reason and text.

        Parameters
        ----------
        path : path
            The file to write.
        """
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(InvalidRecord._fields)
        writer.writerows(self.invalid)
        _files.write_file(path, target.getvalue().encode("utf-8", "backslashreplace"))


def what_is_left_out(table: MoleculeTable, where: object) -> str:
    """Say in one line how many records were left out, and which are the first."""
    first = "; ".join(f"line {one.line}: {one.reason}" for one in table.invalid[:3])
    more = f"; and {len(table.invalid) - 3} more" if len(table.invalid) > 3 else ""
    left = f"{len(table.invalid)} of {table.n_records} records hold no molecule that can be read and are left out"
    return str(fail(where, f"{left} ({first}{more})"))


@budgeted
def read_molecules(
    source: PathLike | bytes, *, kind: str | None = None, smiles_column: str | None = None, name_column: str | None = None,
    class_column: str | None = None, strict: bool = False, **options: Any,
) -> MoleculeTable:  # fmt: skip
    """Read a file of molecules: SMILES, a CSV or TSV table with a column of SMILES, or SDF; each may be packed by gzip.

    A line of a SMILES file is the SMILES, perhaps an extension between bars, and perhaps blanks and a name; a first line that
    begins with the word ``smiles`` is a header, empty lines and lines that begin with ``#`` are passed over. A table needs a
    header. A record that cannot be read is left out, counted and named in a warning, and stays in the table.

    Parameters
    ----------
    source : path or bytes
        The file, ``"-"`` for standard input, or what is in the file.
    kind : {"smi", "csv", "tsv", "sdf"}, optional
        What the file is; by default what its ending says, or else what it looks like.
    smiles_column : str, optional
        The column of SMILES; by default the one called ``smiles``, or the only one with that word in its name.
    name_column : str, optional
        The column (of SDF: the property) with the names; by default ``name``, ``id`` or ``title``, of SDF the first line.
    class_column : str, optional
        The column (of SDF: the property) with the classes; by default there are none.
    strict : bool, default=False
        Whether a record that cannot be read raises a `GraphError` instead.
    **options
        Of `from_rdkit`: which attributes atoms and bonds get, fragments, standardisation.

    Returns
    -------
    MoleculeTable
        The graphs, and what could not be read.

    See Also
    --------
    from_smiles : From strings.
    read_collection : Any kind of file, only the graphs.

    Examples
    --------
    >>> from graphmeans.io import read_molecules
    >>> table = read_molecules(b"CCO ethanol\\nc1ccccc1 benzene\\n")
    >>> print(table.to_bytes({"cluster": [0, 1]}).decode())
    smiles	name	cluster
    CCO	ethanol	0
    c1ccccc1	benzene	1
    <BLANKLINE>
    """
    data, name, where = _content(source, {"smi": "SMILES", "sdf": "SDF"}.get(kind or "", "molecules"))
    form = kind or (None if isinstance(source, bytes) else kind_of_molecules(source)) or sniffed_kind(data)
    if form not in ("smi", "csv", "tsv", "sdf"):
        raise GraphError(f"kind must be one of 'smi', 'csv', 'tsv', 'sdf', got {form!r}")
    columns = Columns(smiles_column, name_column, class_column)
    table = parse_molecules(data, name, where, form, columns, strict, **options)
    if table.invalid:
        warnings.warn(what_is_left_out(table, where), stacklevel=3)
    return table


def kind_of_molecules(path: PathLike) -> str | None:
    """What a file of molecules is, by its ending; None if it is none. Of standard input that is not known."""
    pure = PurePath(path)
    ending = pure.suffix.lower()
    return MOLECULE_ENDINGS.get(PurePath(pure.stem).suffix.lower() if ending == ".gz" else ending)


def is_molecule_file(path: PathLike) -> bool:
    """Whether this is a file of molecules, or standard input, in which molecules are expected."""
    return str(path) == STDIN or (kind_of_molecules(path) is not None and not Path(path).is_dir())


def parse_molecules(
    data: bytes, name: str | None, where: str, kind: str, columns: Columns | None = None, strict: bool = False, **options: Any
) -> MoleculeTable:
    """Parse the bytes of a file of molecules of this kind. A molecule without a name is called like its SMILES or its file."""
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    how = MoleculeOptions(**given)
    found = records_of(kind, data, where, columns or Columns())
    graphs: list[Graph] = []
    rows: list[int] = []
    invalid: list[InvalidRecord] = []
    labels: list[str] = []
    chem, base = need("rdkit.Chem", "rdkit", "reading molecules"), need("rdkit.rdBase", "rdkit", "reading molecules")
    with base.BlockLogs():
        for row, record in enumerate(found.records):
            try:
                if record.problem:
                    raise GraphError(record.problem)
                molecule = _from_entry(record, chem) if record.smiles is None else _from_text(record, chem)
                budget.keep(where, molecule.GetNumAtoms(), molecule.GetNumBonds(), 4 * molecule.GetNumAtoms())
                graph = graph_of(molecule, how, "the molecule", _called(record, row, name))
            except GraphError as error:
                if "--max-memory" in str(error):
                    raise
                if strict:
                    raise fail(where, f"line {record.line}: {error}") from None
                invalid.append(_invalid(row, record, str(error)))
                continue
            graphs.append(graph)
            rows.append(row)
            labels.append(record.label or "")
    if not graphs:
        reason = f"line {invalid[0].line}: {invalid[0].reason}" if invalid else ""
        raise fail(where, f"holds no molecules that can be read; {reason}" if reason else "holds no molecules")
    classes = labels if columns is not None and columns.label is not None else None
    return MoleculeTable(graphs, rows, classes, invalid, kind, len(found.records), found)


def _content(source: PathLike | bytes, called: str) -> tuple[bytes, str | None, str]:
    if isinstance(source, bytes):
        return source, None, called
    if str(source) == STDIN:
        data = sys.stdin.buffer.read(MAX_MOLECULE_FILE + 1)
        if len(data) > MAX_MOLECULE_FILE:
            raise fail("standard input", f"is larger than {MAX_MOLECULE_FILE >> 20} MiB, the most that is read")
        data = _files.unpacked(data, "standard input") if data.startswith(b"\x1f\x8b") else data
        budget.opened("standard input", len(data))
        return data, None, "standard input"
    data = _files.read_file(source, MAX_MOLECULE_FILE)
    stem = PurePath(source).stem
    if str(source).lower().endswith(".gz"):
        data, stem = _files.unpacked(data, source), PurePath(stem).stem
    return data, stem, str(source)


def _called(record: Record, row: int, file: str | None) -> str:
    if record.name:
        return record.name
    if record.smiles is not None:
        return record.smiles
    return str(row + 1) if file is None else f"{file} {row + 1}"


def _from_text(record: Record, chem: Any) -> Any:
    smiles = record.smiles or ""
    if len(smiles) > MAX_SMILES_LENGTH:
        raise GraphError(f"SMILES of {len(smiles)} characters are not read")
    try:
        molecule = molecule_from_smiles(smiles, "")
    except GraphError:
        raise GraphError(f"not a molecule in SMILES: {smiles[:60]!r}{_why(smiles, chem)}") from None
    if record.name:
        molecule.SetProp("_Name", record.name)
    for key, value in record.properties.items():
        molecule.SetProp(key, value)
    return molecule


def _why(smiles: str, chem: Any) -> str:
    how = chem.SmilesParserParams()
    how.sanitize = how.removeHs = False
    try:
        raw = chem.MolFromSmiles(smiles, how) if "\0" not in smiles else None
    except (RuntimeError, ValueError):
        raw = None
    return "" if raw is None else _what_is_wrong(raw, chem)


def _what_is_wrong(raw: Any, chem: Any) -> str:
    try:
        said = [str(problem.Message()) for problem in chem.DetectChemistryProblems(raw)]
    except (RuntimeError, ValueError):
        said = []
    return f" ({'; '.join(' '.join(text.split()) for text in said[:3])})" if said else ""


def _from_entry(record: Record, chem: Any) -> Any:
    text = record.entry
    if len(text) > MAX_ENTRY:
        raise GraphError(f"an entry of {len(text)} bytes is not read")
    try:
        molecule = next(chem.ForwardSDMolSupplier(io.BytesIO(text), removeHs=False), None)
    except (RuntimeError, ValueError, OSError, StopIteration):
        molecule = None
    if molecule is not None:
        return molecule
    try:
        raw = next(chem.ForwardSDMolSupplier(io.BytesIO(text), sanitize=False, removeHs=False), None)
    except (RuntimeError, ValueError, OSError, StopIteration):
        raw = None
    raise GraphError("the molecule cannot be read" + ("" if raw is None else _what_is_wrong(raw, chem)))


def _invalid(row: int, record: Record, reason: str) -> InvalidRecord:
    shown = record.smiles or record.text.strip() or loosely(record.entry[:200])
    return InvalidRecord(row, record.line, record.name, " ".join(reason.split())[:400], shown[:200])
