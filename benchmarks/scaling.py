"""How do time, matchings and memory grow with the collection? Generated letters, k = 100, each size in a process of its own.

    python benchmarks/scaling.py [--sizes 1000 10000 100000] [-k 100] [--minibatch]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np

import graphmeans as gm


def measure(n: int, k: int, minibatch: bool) -> dict:
    """Fit n letters in this process."""
    graphs, _ = gm.datasets.make_letters(n, random_state=0)
    gm.GraphKMeans(2, n_init=1).fit(graphs[:20])  # compile
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    estimator = gm.MiniBatchGraphKMeans(k, random_state=0) if minibatch else gm.GraphKMeans(k, n_init=1, random_state=0)
    start, cpu = time.perf_counter(), time.process_time()
    km = estimator.fit(graphs)
    return {
        "graphs": n, "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
        "iterations": len(km.trace_), "seeding_per_graph": km.n_seeding_matchings_ / n,
        "matchings_per_graph": km.n_matchings_ / n, "assignments_per_graph": float(km.trace_["assignment_bounds"].sum()) / n,
        "objective_per_graph": km.inertia_ / n, "certified": km.certified_fraction_,
        "graphs_mb": before / 1024, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip


def main() -> None:
    """Measure each size in a new process, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("-k", type=int, default=100)
    parser.add_argument("--minibatch", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.k, options.minibatch)))
        return
    print("| graphs | seconds | of all cores | iterations | matchings a graph, seeding | and after | assignments a graph |"
          " objective a graph | certified | MB before the fit | peak MB |\n" + "|---" * 11 + "|")  # fmt: skip
    rows = []
    for n in options.sizes:
        command = [sys.executable, __file__, "--one", str(n), "-k", str(options.k), *["--minibatch"] * options.minibatch]
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows.append(row)
        print(
            f"| {n:,} | {row['seconds']:.1f} | {row['cpu_seconds']:.1f} | {row['iterations']} | {row['seeding_per_graph']:.2f} | "
            f"{row['matchings_per_graph']:.2f} | {row['assignments_per_graph']:.1f} | {row['objective_per_graph']:.3f} | "
            f"{row['certified']:.1%} | {row['graphs_mb']:.0f} | {row['peak_mb']:.0f} |",
            flush=True,
        )
    for name in ("seconds", "cpu_seconds"):
        for a, b in pairwise(rows):
            exponent = np.log(b[name] / a[name]) / np.log(b["graphs"] / a["graphs"])
            print(f"{name} from {a['graphs']:,} to {b['graphs']:,}: exponent {exponent:.2f}")


if __name__ == "__main__":
    main()
