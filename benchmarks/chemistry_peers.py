"""What do chemists use to cluster molecules, and what comes out beside ours, on the same 5,000 molecules?

    python benchmarks/chemistry_peers.py [--smiles FILE] [--count 5000] [-k 50] [--sheet FILE.svg]
                                         [--option NAME=VALUE ...] [--keep FOLDER]

Without a file, the molecules are those of the first 5,000 of the NCI collection that RDKit ships and that RDKit can read. Each
method runs in a process of its own: Butina's clustering and k-means on Morgan fingerprints (radius 2, 2,048 bits), k-medoids
(FasterPAM) on Tanimoto distances, and `GraphKMeans` as it is and with `MoleculeEncoder(surroundings="near")`; other options of it
can be given by --option. Prints for each method the number of
clusters and of singletons, CPU seconds (fingerprints included), peak memory, purity and V-measure against Murcko scaffolds of
molecules with rings, and the common core of clusters: the largest common substructure of up to ten members drawn at random,
rings whole, that 80 % of them have, in atoms and as a share of the median molecule's atoms, averaged over molecules. Clusters
of one do not count there. --sheet draws ten clusters of each method side by side: those of the same ten molecules.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem, RDConfig, RDLogger
from rdkit.Chem import rdFingerprintGenerator, rdFMCS
from rdkit.Chem.Scaffolds import MurckoScaffold
from rdkit.DataStructs import BulkTanimotoSimilarity
from sklearn.metrics import v_measure_score

METHODS = {
    "butina": "Butina", "kmeans": "k-means", "kmedoids": "k-medoids", "graphmeans": "graphmeans",
    "surroundings": "graphmeans, surroundings",
}  # fmt: skip
BUTINA_CUTOFF = 0.65  # Tanimoto distance
CORE_MEMBERS, CORE_THRESHOLD, CORE_SECONDS = 10, 0.8, 2


def read(path: Path, count: int) -> list[str]:
    """SMILES of molecules that RDKit can read, at most so many."""
    found = []
    for line in path.read_text().splitlines():
        if len(found) < count and line.split() and Chem.MolFromSmiles(line.split()[0]) is not None:
            found.append(line.split()[0])
    return found


def fingerprints(smiles: list[str]) -> list[Any]:
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    return [generator.GetFingerprint(Chem.MolFromSmiles(text)) for text in smiles]


def butina(smiles: list[str], k: int, options: dict[str, Any]) -> list[int]:
    from rdkit.ML.Cluster import Butina

    prints = fingerprints(smiles)
    apart: list[float] = []
    for i in range(1, len(prints)):
        apart += [1 - s for s in BulkTanimotoSimilarity(prints[i], prints[:i])]
    labels = [0] * len(smiles)
    for c, rows in enumerate(Butina.ClusterData(apart, len(prints), BUTINA_CUTOFF, isDistData=True, reordering=True)):
        for row in rows:
            labels[row] = c
    return labels


def kmeans(smiles: list[str], k: int, options: dict[str, Any]) -> list[int]:
    from sklearn.cluster import KMeans

    bits = np.array([np.frombuffer(p.ToBitString().encode(), np.uint8) - 48 for p in fingerprints(smiles)], np.float32)
    return KMeans(k, n_init=3, random_state=0).fit_predict(bits).tolist()


def kmedoids(smiles: list[str], k: int, options: dict[str, Any]) -> list[int]:
    from graphmeans.cluster.algorithms.pam import Pam

    prints = fingerprints(smiles)
    apart = np.array([[1 - s for s in BulkTanimotoSimilarity(p, prints)] for p in prints], np.float32)
    start = np.random.RandomState(0).choice(len(smiles), k, replace=False)
    pam = Pam(start, np.ones(len(smiles)), lambda i: apart[i].astype(float), lambda i, at: apart[i][at].astype(float))
    pam.run(20)
    return apart[pam.medoids].argmin(axis=0).tolist()


def graphmeans(smiles: list[str], k: int, options: dict[str, Any]) -> list[int]:
    import graphmeans as gm

    return gm.GraphKMeans(k, random_state=0, **options).fit(gm.from_smiles(smiles)).labels_.tolist()


def surroundings(smiles: list[str], k: int, options: dict[str, Any]) -> list[int]:
    import graphmeans as gm

    return graphmeans(smiles, k, {**options, "encoder": gm.MoleculeEncoder(surroundings="near")})


def run(method: str, smiles: list[str], k: int, options: dict[str, Any]) -> dict[str, Any]:
    """A method in a process of its own: labels, CPU seconds and peak memory in MB."""
    with tempfile.TemporaryDirectory() as place:
        task = Path(place) / "task.json"
        task.write_text(json.dumps([method, smiles, k, options]))
        return json.loads(subprocess.run([sys.executable, __file__, "--task", task], capture_output=True, check=True).stdout)


def perform(task: Path) -> None:
    method, smiles, k, options = json.loads(task.read_text())
    start = time.process_time()
    labels = globals()[method](smiles, k, options)
    spent, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"labels": labels, "seconds": spent, "peak": peak}))


def purity(labels: list[int], classes: list[str]) -> float:
    groups: dict[int, Counter[str]] = {}
    for label, known in zip(labels, classes, strict=True):
        groups.setdefault(label, Counter())[known] += 1
    return sum(counts.most_common(1)[0][1] for counts in groups.values()) / len(labels)


def common_cores(labels: list[int], molecules: list[Any]) -> tuple[float, float, int]:
    """Atoms of the common core and its share of the median molecule, averaged over molecules; and late searches."""
    random_state = random.Random(0)
    members: dict[int, list[int]] = {}
    for i, label in enumerate(labels):
        members.setdefault(label, []).append(i)
    atoms = shares = weight = 0.0
    late = 0
    for rows in members.values():
        if len(rows) > 1:
            some = [molecules[i] for i in random_state.sample(rows, min(CORE_MEMBERS, len(rows)))]
            found = rdFMCS.FindMCS(
                some, threshold=CORE_THRESHOLD, timeout=CORE_SECONDS, ringMatchesRingOnly=True, completeRingsOnly=True
            )
            late += found.canceled
            atoms += len(rows) * found.numAtoms
            shares += len(rows) * found.numAtoms / np.median([m.GetNumAtoms() for m in some])
            weight += len(rows)
    return atoms / weight, shares / weight, late


def sheet(path: Path, names: list[str], all_labels: list[list[int]], smiles: list[str], rows: int = 10, shown: int = 4) -> None:
    """Draw clusters of each method side by side: those of the same molecules, drawn at random, the molecule first."""
    from graphmeans.chemistry.depiction import laid_out
    from graphmeans.chemistry.drawing import draw, style_sheet

    chance = random.Random(0)
    wide, high, left, top = 104, 84, 6, 34
    parts = []
    for m, name in enumerate(names):
        parts.append(f'<text x="{left + m * (shown * wide + 24)}" y="22" class="head">{name}</text>')
    for r, chosen in enumerate(chance.sample(range(len(smiles)), rows)):
        for m, labels in enumerate(all_labels):
            inside = [i for i, label in enumerate(labels) if label == labels[chosen] and i != chosen]
            some = [chosen, *chance.sample(inside, min(shown - 1, len(inside)))]
            x0, y0 = left + m * (shown * wide + 24), top + r * (high + 26)
            parts.append(f'<text x="{x0}" y="{y0 + high + 14}" class="said">of {len(inside) + 1}</text>')
            for n, i in enumerate(some):
                picture = draw(laid_out(Chem.MolFromSmiles(smiles[i])))
                box = " ".join(map(str, picture.box))
                at = f'x="{x0 + n * wide}" y="{y0}" width="{wide - 6}" height="{high}"'
                parts.append(f'<svg class="mol" {at} viewBox="{box}">{picture.inner()}</svg>')
    width, height = left + len(names) * (shown * wide + 24), top + rows * (high + 26) + 10
    style = f"{style_sheet()}.head{{font:600 15px sans-serif}}.said{{font:11px sans-serif;fill:#555}}"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smiles", type=Path, default=Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("-k", type=int, default=50)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--option", action="append", default=[], help="of GraphKMeans, as NAME=VALUE")
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--keep", type=Path, help="a folder in which the answers of methods are kept, and looked for")
    parser.add_argument("--task", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    if args.task is not None:
        return perform(args.task)
    options = {}
    for text in args.option:
        name, value = text.split("=", 1)
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    smiles = read(args.smiles, args.count)
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    scaffolds = [MurckoScaffold.MurckoScaffoldSmiles(mol=m, includeChirality=False) for m in molecules]
    cyclic = [i for i, scaffold in enumerate(scaffolds) if scaffold]
    print(f"{len(smiles)} molecules, {len(cyclic)} of them with rings, {len(set(scaffolds))} scaffolds; k = {args.k}")
    print("| method | clusters | singletons | CPU s | peak MB | scaffold purity | V | core atoms | core share | late |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    found = []
    for method in args.methods:
        kept = None if args.keep is None else args.keep / f"{method}.json"
        made = json.loads(kept.read_text()) if kept and kept.exists() else run(method, smiles, args.k, options)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(made))
        labels = made["labels"]
        found.append(labels)
        sizes = Counter(labels)
        known, mine = [scaffolds[i] for i in cyclic], [labels[i] for i in cyclic]
        atoms, share, late = common_cores(labels, molecules)
        print(
            f"| {METHODS[method]} | {len(sizes)} | {sum(n == 1 for n in sizes.values())} "
            f"| {made['seconds']:.0f} | {made['peak']:.0f} | {purity(mine, known):.3f} "
            f"| {v_measure_score(known, mine):.3f} | {atoms:.1f} | {share:.2f} | {late} |",
            flush=True,
        )
    if args.sheet is not None:
        sheet(args.sheet, [METHODS[method] for method in args.methods], found, smiles)


if __name__ == "__main__":
    main()
