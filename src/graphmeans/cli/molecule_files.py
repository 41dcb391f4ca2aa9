"""A file of molecules in a folder of results: the input as it came, with what the clustering says of each record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmeans.io.formats.molecule_table import InvalidRecord, MoleculeTable
from graphmeans.io.parquet.labels import certificates

#: The file that is the input with columns added, without its ending, and the list of what could not be read.
CLUSTERED, SKIPPED = "clustered", "skipped.csv"
_ENDINGS = ("sdf", "smi", "csv", "tsv")


def write_back(directory: Path, estimator: Any, table: MoleculeTable | None) -> None:
    """Write the input with cluster, distance, margin and proven, and list what was skipped."""
    if table is None:
        return
    columns: dict[str, Any] = {
        "cluster": estimator.labels_.tolist(), "distance": [f"{value:.6g}" for value in estimator.distances_.tolist()],
    }  # fmt: skip
    proofs = certificates(estimator)
    if proofs:
        columns["margin"] = [f"{value:.4g}" for value in proofs["proven_margin"].tolist()]
        columns["proven"] = proofs["proven"].tolist()
    table.write(directory / f"{CLUSTERED}.{table.kind}", columns)
    _list(directory / SKIPPED, table)


def list_skipped(output: Path, table: MoleculeTable | None) -> None:
    """List what was skipped in a file beside the output."""
    if table is not None:
        _list(output.with_name(f"{output.name}.{SKIPPED}"), table)


def _list(path: Path, table: MoleculeTable) -> None:
    if table.invalid:
        table.write_invalid(path)
    elif path.is_file() and path.read_bytes().startswith(",".join(InvalidRecord._fields).encode()):
        path.unlink()  # it is of an earlier run


def check_back(directory: Path, source: Path, table: MoleculeTable | None) -> None:
    """Refuse to write over the input."""
    if table is not None and (directory / f"{CLUSTERED}.{table.kind}").resolve() == source.resolve():
        raise ValueError(f"{source}: is where the result would be written; name another folder with -o")


def files_of_molecules(directory: Path) -> list[Path]:
    """The files that `write_back` has written."""
    names = (*(f"{CLUSTERED}.{ending}" for ending in _ENDINGS), SKIPPED)
    return [directory / name for name in names if (directory / name).is_file()]
