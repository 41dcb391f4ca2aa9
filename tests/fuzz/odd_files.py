"""Files of every format with something wrong in them, and with nothing wrong: the latter must be accepted."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import graphmeans as gm
from fuzz.harness import Wrong
from fuzz.mutations import mutated
from graphmeans.io import MoleculeTable, read_collection, read_molecules, write_collection

ALLOWED = (gm.GraphError,)
#: One case of so many has nothing wrong in it, or nothing that matters.
SOUND = 20
#: The formats, by the name that `write_collection` gives them.
KINDS = ("gxl", "graphml", "gml", "json", "npz", "parquet", "sdf", "smi", "tu", "zip", "csv", "tsv", "gz", "index")
#: The formats of molecules, which are also written back as they came.
MOLECULES = ("sdf", "smi", "csv", "tsv", "gz")


class Files:
    """A small collection in every format, as the bytes of its files."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        letters, classes = gm.datasets.make_letters(6, random_state=0)
        typed = [
            gm.Graph({"x": rng.normal(size=n), "kind": [one for one, _ in zip("abcab", range(n), strict=False)],
                      "at": rng.normal(size=(n, 2)), "on": [True] * n}, [(i, i + 1) for i in range(n - 1)],
                     {"length": rng.random(n - 1) + 1}, roles=list(range(n)), node_ids=[f"n{i}" for i in range(n)], name=f"g{n}")
            for n in (3, 4, 5)
        ]  # fmt: skip
        molecules = gm.from_smiles(["CCO", "c1ccccc1O", "CC(=O)N"])
        self.files: dict[str, dict[str, bytes]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for kind in KINDS[:9]:
                graphs = molecules if kind in ("sdf", "smi") else letters if kind in ("gxl", "tu") else typed
                given = classes if kind in ("gxl", "tu") else None
                single = kind if kind in ("npz", "parquet", "sdf", "smi") else ""
                path = Path(folder, f"{kind}.{single}" if single else kind)
                write_collection(graphs, path, given, kind)
                found = [path] if path.is_file() else sorted(path.rglob("*"))
                self.files[kind] = {os.path.relpath(file, folder): file.read_bytes() for file in found if file.is_file()}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in self.files["gxl"].items():
                archive.writestr(name, data)
        self.files["zip"] = {"letters.zip": packed.getvalue()}
        table = b'name;smiles;note\r\nethanol;CCO;"a ""b""\r\nc"\r\n;;\r\nsalt;CC(=O)[O-].[Na+];\r\n'
        self.files["csv"] = {"molecules.csv": table}
        self.files["tsv"] = {"molecules.tsv": b"id\tsmiles\na\tCCO |$R;;$|\nb\tc1ccccc1\n"}
        self.files["gz"] = {"molecules.sdf.gz": gzip.compress(next(iter(self.files["sdf"].values())))}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "index.gmz")
            gm.GraphIndex(n_jobs=1).fit(letters).save(path)
            self.files["index"] = {"index.gmz": path.read_bytes()}


_made: list[Files] = []


def prepare() -> None:
    """Make the files; in the process that all cases are forked from."""
    if not _made:
        _made.append(Files())


def case(number: int) -> Callable[[], object]:
    """The file of this number, written and read."""
    return lambda: _try(number)


def _try(number: int) -> None:
    rng = np.random.default_rng([7, number])
    kind = KINDS[number % len(KINDS)]
    files = dict(_made[0].files[kind])
    sound = number // len(KINDS) % SOUND == 0
    if not sound:
        name = sorted(files)[int(rng.integers(len(files)))]
        files[name] = mutated(files[name], rng)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        first = sorted(files)[0]
        where = Path(folder, first if len(files) == 1 else Path(first).parts[0])
        try:
            _read(kind, where)
        except gm.GraphError as error:
            if sound:
                raise Wrong(f"a sound {kind} was refused: {error}") from None
            raise


def _read(kind: str, where: Path) -> None:
    if kind == "index":
        index = gm.load(where)
        index.kneighbors(gm.datasets.make_letters(2, random_state=1)[0], 1)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they name the molecules that cannot be read
        graphs, _ = read_collection(where)
        if kind in MOLECULES:
            _write_back(read_molecules(where))
    if kind == "parquet":
        collection = gm.open_collection(where)
        encoder = gm.GraphEncoder().fit_batches(collection.arrays())
        for batch in collection.encoded(encoder):
            assert len(batch)
    if len(graphs) > 1 and sum(graph.n_nodes for graph in graphs[:2]) < 100:
        gm.pairwise_distances(graphs[:2], n_jobs=1)


def _write_back(table: MoleculeTable) -> None:
    """The file goes back as it came, with a column added, and holds the same molecules."""
    again = read_molecules(table.to_bytes({"cluster": list(range(len(table.graphs)))}), kind=table.kind)
    if [graph.n_nodes for graph in again.graphs] != [graph.n_nodes for graph in table.graphs]:
        raise Wrong(f"a {table.kind} file of {len(table.graphs)} molecules came back with {len(again.graphs)}")
    if again.n_records != table.n_records:
        raise Wrong(f"a {table.kind} file of {table.n_records} records came back with {again.n_records}")
