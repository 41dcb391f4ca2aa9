"""What does k-means of thousands of molecules cost, beside an earlier version?

    python benchmarks/molecule_fits.py [--molecules 1000 -k 20] [--seeds 3] [--before CHECKOUT_OF_THE_EARLIER_VERSION]

The molecules are NCI's that RDKit ships (4,991 of them can be read); fewer of them are drawn at random. Each version works in a
process of its own, with default settings on `--jobs` threads. Its seconds are those of the processor. Its objective is judged by
one evaluator, this version (`judged`): every molecule is matched anew with the center that it was given, at effort 1. Atoms
are compared by their elements and bonds by their kinds, as all versions can; `--preset` takes what `MoleculeEncoder` compares.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def molecules(count: int) -> list:
    """NCI's molecules, so many of them."""
    from rdkit import Chem, RDConfig, RDLogger

    RDLogger.DisableLog("rdApp.*")
    lines = (Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi").read_text().splitlines()
    read = [Chem.MolFromSmiles(line.split()[0]) for line in lines if line.split()]
    usable = [molecule for molecule in read if molecule is not None]
    if count >= len(usable):
        return usable
    return [usable[i] for i in np.random.default_rng(0).permutation(len(usable))[:count]]


def graphs_of(options: argparse.Namespace) -> list:
    """The molecules as graphs."""
    import graphmeans as gm

    attributes = {} if options.preset else {"atoms": ["element"], "bonds": ["bond"]}
    return gm.from_rdkit(molecules(options.molecules), **attributes)


def measure(options: argparse.Namespace) -> None:
    """Fit, in this process; prints a row for each seed and saves the models."""
    import graphmeans as gm

    graphs = graphs_of(options)
    gm.GraphKMeans(3, random_state=0, n_jobs=options.jobs).fit(graphs[:30])  # compile and load
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        start = time.process_time()
        km = gm.GraphKMeans(options.k, random_state=seed, n_jobs=options.jobs).fit(graphs)
        seconds = time.process_time() - start
        km.save(f"{options.models}/{options.version}{seed}.gmz")
        np.save(f"{options.models}/{options.version}{seed}.npy", km.labels_)
        matchings = km.n_matchings_ + km.n_seeding_matchings_ + km.n_evaluation_matchings_
        row = {
            "seed": seed, "minutes": seconds / 60, "inertia": float(km.inertia_), "iterations": int(km.n_iter_),
            "matchings a graph": matchings / len(graphs), "certified": float(km.certified_fraction_),
            "GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        }  # fmt: skip
        print(json.dumps(row), flush=True)


def evaluate(options: argparse.Namespace, version: str, seed: int) -> float:
    """The objective of a saved model: all graphs matched with the centers that they were given, at effort 1."""
    import graphmeans as gm

    graphs = graphs_of(options)
    km = gm.load(f"{options.models}/{version}{seed}.gmz")
    labels = np.load(f"{options.models}/{version}{seed}.npy")
    points = km.space_.weighted(km.encoder_.transform(graphs))
    pairs = np.stack([np.arange(len(graphs)), labels], axis=1)
    return float((km.space_.solve(points, km.cluster_centers_, pairs).upper ** 2).sum())


def in_a_process(source: Path, version: str, options: argparse.Namespace) -> list[dict]:
    """The rows of one version."""
    command = [
        sys.executable, __file__, "--molecules", str(options.molecules), "-k", str(options.k), "--seeds", str(options.seeds),
        "--first-seed", str(options.first_seed), "--jobs", str(options.jobs), "--models", options.models, "--version", version,
        *["--preset"] * options.preset,
    ]  # fmt: skip
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(source)}, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> None:
    """Fit with both versions, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--molecules", type=int, default=1000)
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--preset", action="store_true")
    parser.add_argument("--models", default="")
    parser.add_argument("--version", default="")
    options = parser.parse_args()
    if options.version:
        measure(options)
        return
    with tempfile.TemporaryDirectory() as options.models:
        found = {}
        if options.before:
            found["before"] = in_a_process(options.before / "src", "before", options)
        found["now"] = in_a_process(Path(__file__).parents[1] / "src", "now", options)
        names = ["minutes", "inertia", "judged", "iterations", "matchings a graph", "certified", "GB"]
        print("| version | seed | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 2))
        for version, rows in found.items():
            for row in rows:
                row["judged"] = evaluate(options, version, row["seed"])
                print(f"| {version} | {row['seed']} | " + " | ".join(f"{row[name]:.4g}" for name in names) + " |")


if __name__ == "__main__":
    main()
