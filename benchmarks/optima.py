"""How good are the optima, and what do they cost? One run and the default settings against an earlier version and other packages.

    python benchmarks/optima.py --data FOLDER_WITH_IAM_ZIPS --before CHECKOUT_OF_THE_EARLIER_VERSION [--seeds 10] [--effort 0.1]

Each version works in a process of its own, on one thread; its objective is `inertia_`, its seconds those of the processor, its
matchings those of the seeding and of the run together. On vectors (digits with k = 50, 100 blobs in the plane) bkmeans (breathing
k-means) and scikit-learn with n_init=10 run beside, if they are installed. Without --before only this version is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

GRAPHS = ("letter", "grec", "fingerprint", "molecules", "connectomes", "copies")
VECTORS = ("digits", "blobs")
PEERS = ("scikit-learn n_init=10", "bkmeans")


def collection(name: str, data: str) -> tuple:
    """Graphs or vectors, how many clusters, and the planted groups if there are any."""
    from sklearn.datasets import load_digits, make_blobs

    if name == "digits":
        return load_digits().data, 50, None
    if name == "blobs":
        return make_blobs(5_000, centers=100, n_features=2, cluster_std=0.3, random_state=0)[0], 100, None
    import graphmeans as gm

    if name == "connectomes":  # 30 regions, the same in all of them; one connection in five is wrong
        rng = np.random.default_rng(0)
        group, planted = rng.integers(3, size=60), rng.uniform(size=(3, 30, 30)) > 0.5
        seen = np.triu(planted[group] ^ (rng.uniform(size=(60, 30, 30)) < 0.2), 1).astype(float)
        return gm.structures.labelled_networks(list(seen + seen.transpose(0, 2, 1))), 3, group
    from graphmeans.datasets.paper import COLLECTIONS

    load, k = COLLECTIONS["letter" if name == "copies" else name]
    graphs, _ = load(data)
    if name == "copies":  # 300 letters ten times over
        return [graphs[i] for i in np.random.RandomState(0).permutation(len(graphs))[:300]] * 10, k, None
    return graphs, k, None


def measure(name: str, setting: str, options: argparse.Namespace) -> list[dict]:
    """A row for each seed; `setting` is "one run", "default", "default, copies apart" or a peer."""
    X, k, group = collection(name, options.data)
    fit = fit_peer if setting in PEERS else fit_ours
    fit(X[: 4 * k], setting, min(k, 4), 0, options)  # compile and load
    rows = []
    for seed in range(options.seeds):
        start = time.process_time()
        row = fit(X, setting, k, seed, options)
        row["seconds"] = time.process_time() - start
        if group is not None:
            from sklearn.metrics import adjusted_rand_score

            row["found"] = adjusted_rand_score(group, row["labels"]) == 1.0
        del row["labels"]
        rows.append(row)
    return rows


def fit_ours(X, setting: str, k: int, seed: int, options: argparse.Namespace) -> dict:
    import graphmeans as gm
    from graphmeans.cluster.estimators import kmeans

    if setting.endswith("copies apart"):
        kmeans.merge_copies = lambda data, k: (data, None)
    n_init = 1 if setting == "one run" else "auto"
    km = gm.GraphKMeans(k, n_init=n_init, effort=options.effort, random_state=seed, n_jobs=1).fit(X)
    return {"objective": km.inertia_, "matchings": km.n_matchings_ + km.n_seeding_matchings_, "labels": km.labels_}


def fit_peer(X, setting: str, k: int, seed: int, options: argparse.Namespace) -> dict:
    if setting == "bkmeans":
        from bkmeans import BKMeans

        km = BKMeans(n_clusters=k, random_state=seed).fit(X)
    else:
        from sklearn.cluster import KMeans

        km = KMeans(k, n_init=10, random_state=seed).fit(X)
    return {"objective": km.inertia_, "matchings": 0, "labels": km.labels_}


def in_a_process(name: str, setting: str, source: Path, options: argparse.Namespace) -> list[dict]:
    """Measure by the version whose package is in this folder."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    path = os.pathsep.join([str(source), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, __file__, "--data", options.data, "--seeds", str(options.seeds), "--effort", str(options.effort)]
    command += ["--worker", name, setting]
    done = subprocess.run(command, env={**os.environ, **one, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []


def show(name: str, setting: str, version: str, rows: list[dict], before: list[dict]) -> None:
    """A row of the table: means over the seeds, and ratios to what is compared with."""
    if not rows:
        print(f"| {name} | {setting} | {version} | not installed, or failed |")
        return
    mean = {field: float(np.mean([row[field] for row in rows])) for field in ("objective", "matchings", "seconds")}
    error = float(np.std([row["objective"] for row in rows], ddof=1)) / len(rows) ** 0.5 if len(rows) > 1 else 0.0
    ratios = ["", ""]
    if before:
        then = {field: float(np.mean([row[field] for row in before])) for field in mean}
        ratios = [f"{mean['objective'] / then['objective'] - 1:+.2%}", f"{mean['seconds'] / then['seconds']:.2f}"]
    found = f"{sum(row['found'] for row in rows)} of {len(rows)}" if "found" in rows[0] else ""
    print(
        f"| {name} | {setting} | {version} | {mean['objective']:.1f} ± {error:.1f} | {mean['matchings']:.0f} | "
        f"{mean['seconds']:.2f} | {' | '.join(ratios)} | {found} |", flush=True,
    )  # fmt: skip


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data/iam")
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--collections", nargs="+", default=[*GRAPHS, *VECTORS], choices=[*GRAPHS, *VECTORS])
    parser.add_argument("--settings", nargs="+", default=["one run", "default"], choices=["one run", "default"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--effort", type=float, default=0.1)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(*options.worker, options)))
        return
    here = Path(__file__).resolve().parents[1] / "src"
    print("| collection | setting | version | objective | matchings in all | seconds | objective | seconds | groups found |")
    print("|---" * 9 + "|")
    for name in options.collections:
        for setting in options.settings:
            before = in_a_process(name, setting, options.before / "src", options) if options.before else []
            if before:
                show(name, setting, "before", before, [])
            ours = in_a_process(name, setting, here, options)
            show(name, setting, "now", ours, before)
        if name == "copies":
            apart = in_a_process(name, "default, copies apart", here, options)
            show(name, "default", "now, copies apart", apart, [])
        for peer in PEERS if name in VECTORS else ():
            show(name, peer, "", in_a_process(name, peer, here, options), ours)


if __name__ == "__main__":
    main()
