"""How long do 5,000 molecules take from a SMILES file to drawn prototypes, in one command, and are the clusters any good?

    python benchmarks/molecules.py [number of molecules [options of graphmeans cluster]]

The molecules are made of twelve scaffolds of drugs with substituents drawn at random. Prints the seconds, those of reading and
converting alone, also as a share of the whole and of what reading the same graphs as a TU data set takes, and the adjusted
Rand index with the scaffolds.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rdkit import Chem, RDLogger
from sklearn.metrics import adjusted_rand_score

from graphmeans.io import read_collection, read_tudataset, write_tudataset

SCAFFOLDS = [
    "CC1({a})C(=O)NC(=O)NC1=O", "CC1(C)SC2C(NC(=O)C{a})C(=O)N2C1C(=O)O", "Nc1ccc(S(=O)(=O)Nc2nc({a})cc({b})n2)cc1",
    "CC12CCC3C(CCC4=CC(=O)C({a})CC34C)C1CCC2{b}", "{a}CCCCCCCC{b}", "NCC({a})c1ccc({b})cc1", "c1ccc2c(c1)cc({a})c({b})n2",
    "{a}c1ccc(-c2ccc({b})cc2)cc1", "O=C1CN=C(c2ccccc2{a})c2cc({b})ccc2N1", "{a}N1CCN(c2ccc({b})cc2)CC1",
    "OCC1OC({a})C(O)C(O)C1{b}", "Cn1c(=O)c2c(nc({a})n2{b})n(C)c1=O",
]  # fmt: skip
GROUPS = [
    "C", "CC", "CCC", "C(C)C", "CCCC", "CCCCC", "O", "N", "F", "Cl", "Br", "OC", "OCC", "CO", "C(F)(F)F", "C#N", "C(=O)O",
    "C(=O)N", "N(C)C", "c9ccccc9", "S(=O)(=O)N",
]  # fmt: skip


def molecules(count: int) -> list[str]:
    rng = random.Random(0)
    lines: list[str] = []
    while len(lines) < count:
        which = rng.randrange(len(SCAFFOLDS))
        molecule = Chem.MolFromSmiles(SCAFFOLDS[which].format(a=rng.choice(GROUPS), b=rng.choice(GROUPS)))
        if molecule is not None:
            lines.append(f"{Chem.MolToSmiles(molecule)} {which} {len(lines)}")
    return lines


def main(count: int = 5000) -> None:
    RDLogger.DisableLog("rdApp.*")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "molecules.smi"
        path.write_text("\n".join(molecules(count)))
        start = time.perf_counter()
        graphs, _ = read_collection(path)
        reading = time.perf_counter() - start
        write_tudataset(graphs, Path(place) / "MOLECULES.zip", ["0"] * count)
        start = time.perf_counter()
        read_tudataset(Path(place) / "MOLECULES.zip")
        as_tudataset = time.perf_counter() - start
        graphmeans = str(Path(sys.executable).with_name("graphmeans"))
        command = [graphmeans, "cluster", str(path), "-k", "12", "-o", f"{place}/out", "--quiet"]
        start = time.perf_counter()
        subprocess.run([*command, *sys.argv[2:]], check=True)
        seconds = time.perf_counter() - start
        rows = list(csv.DictReader((Path(place) / "out" / "labels.csv").open()))
        found = adjusted_rand_score([row["name"].split()[0] for row in rows], [row["label"] for row in rows])
        atoms = sum(graph.n_nodes for graph in graphs) / len(graphs)
        drawn = len(list((Path(place) / "out" / "centroids").glob("*.svg")))
    print(f"{count} molecules of {atoms:.1f} atoms: {seconds:.0f} s from the file to {drawn} drawn prototypes")
    print(f"reading and converting alone: {reading:.1f} s, {reading / seconds:.2f} of that")
    print(f"reading the same as a TU data set: {as_tudataset:.1f} s, {as_tudataset / reading:.2f} of reading SMILES")
    print(f"adjusted Rand index with the 12 scaffolds: {found:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
