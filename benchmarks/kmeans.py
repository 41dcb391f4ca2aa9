"""How much does k-means of graphs cost, and how good is it? Every algorithm from the same seeds, on the paper's collections.

    python benchmarks/kmeans.py --data FOLDER_WITH_IAM_ZIPS [--collections letter grec] [--seeds 5] [--effort 0.3]

One run a seed (n_init=1, no swaps), the same matcher and effort for all; then `interval` as users call it (n_init="auto").
Matchings are those after seeding; those of seeding and of knowing the objective stand beside. Objectives come from one
evaluator: for each graph the shorter of its stored alignment and a matching with ten times the effort. Every run is a row of
the file named by --output; a run that is there is not made again.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np

import graphmeans as gm
from graphmeans.datasets.paper import COLLECTIONS
from graphmeans.evaluation import accuracy
from graphmeans.matching.registry import get_matcher

ALGORITHMS = ("lloyd", "elkan", "gvr", "interval", "default")
#: Against lloyd: matchings, seconds. The least we accept.
WANTED = {"letter": (150, 100), "grec": (80, 40), "fingerprint": (150, 60), "molecules": (8, 5)}
FIELDS = (
    "collection", "init", "seed", "algorithm", "effort", "standardised", "objective", "reported", "accuracy", "iterations",
    "matchings", "seeding", "evaluation", "seconds", "cpu_seconds", "seeding_seconds", "certified",
)  # fmt: skip


def measure(name: str, graphs: list, classes: np.ndarray, k: int, init: str, seed: int, algorithm: str, options) -> dict:
    """One run."""
    settings = {"algorithm": algorithm, "n_init": 1} if algorithm != "default" else {}
    estimator = gm.GraphKMeans(k, init=init, effort=options.effort, random_state=seed, **settings)
    start, cpu = time.perf_counter(), time.process_time()
    km = estimator.fit(graphs)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    inside = seconds if algorithm == "default" else float(km.trace_["seconds"].sum())
    points, pairs = km._points(graphs), np.stack([np.arange(len(graphs)), km.labels_], axis=1)
    matcher = get_matcher("auto", 10 * options.effort)
    again = matcher.solve(points, km._centers.batch, pairs, km.space_.order).upper
    best = np.minimum(again, km.distances_)
    return {
        "collection": name, "init": init, "seed": seed, "algorithm": algorithm, "effort": options.effort,
        "standardised": options.standardised, "objective": float((best**2).sum()), "reported": km.inertia_,
        "accuracy": accuracy(classes, km.labels_), "iterations": len(km.trace_), "matchings": km.n_matchings_,
        "seeding": km.n_seeding_matchings_, "evaluation": km.n_evaluation_matchings_, "seconds": inside, "cpu_seconds": cpu,
        "seeding_seconds": seconds - inside, "certified": km.certified_fraction_,
    }  # fmt: skip


def report(rows: list[dict]) -> None:
    """Tables of means over the seeds, ratios against lloyd."""
    print("\n| collection | start | algorithm | objective | accuracy | iterations | matchings | seeding | evaluation | seconds |"
          " matchings, times fewer | seconds, times fewer | objective against the better of lloyd and elkan |")  # fmt: skip
    print("|---" * 13 + "|")
    groups = {(r["collection"], r["init"]): [] for r in rows}
    for row in rows:
        groups[row["collection"], row["init"]].append(row)
    for (name, init), members in groups.items():
        mean = {}
        for algorithm in ALGORITHMS:
            part = [r for r in members if r["algorithm"] == algorithm]
            if part:
                mean[algorithm] = {f: float(np.mean([float(r[f]) for r in part])) for f in FIELDS[6:]}
                mean[algorithm]["least"] = min(float(r["objective"]) for r in part)
        known = [mean[a]["objective"] for a in ("lloyd", "elkan") if a in mean]
        for algorithm, m in mean.items():
            times = ["", "", ""]
            if "lloyd" in mean:
                lloyd = mean["lloyd"]
                times = [f"{lloyd['matchings'] / m['matchings']:.0f}", f"{lloyd['seconds'] / m['seconds']:.1f}"]
                times.append(f"{m['objective'] / min(known) - 1:+.1%}")
            print(
                f"| {name} | {init} | {algorithm} | {m['objective']:.1f} | {m['accuracy']:.3f} | {m['iterations']:.0f} | "
                f"{m['matchings']:.0f} | {m['seeding']:.0f} | {m['evaluation']:.0f} | {m['seconds']:.3f} | {' | '.join(times)} |"
            )
        if {"lloyd", "elkan", "interval", "default"} <= set(mean):
            fewer = mean["lloyd"]["matchings"] / mean["interval"]["matchings"]
            faster = mean["lloyd"]["seconds"] / mean["interval"]["seconds"]
            wanted = WANTED[name]
            least = min(mean["lloyd"]["least"], mean["elkan"]["least"])
            print(
                f"\n{name}, {init}: matchings {fewer:.0f} times fewer (wanted {wanted[0]}), seconds {faster:.0f} times fewer "
                f"(wanted {wanted[1]}); default settings {mean['default']['objective']:.1f} on average, best of lloyd and elkan "
                f"{least:.1f}; {mean['default']['seconds']:.2f} s all in all, one lloyd run {mean['lloyd']['seconds']:.2f} s\n"
            )


def main() -> None:
    """Measure what is missing, then print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data/iam")
    parser.add_argument("--collections", nargs="+", default=list(COLLECTIONS), choices=list(COLLECTIONS))
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS), choices=ALGORITHMS)
    parser.add_argument("--starts", nargs="+", default=["furthest-first", "k-means++"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--effort", type=float, default=0.3, help="of the search on larger graphs, the same for all")
    parser.add_argument("--raw", dest="standardised", action="store_false", help="positions as they are in the files")
    parser.add_argument("--output", type=Path, default=Path("kmeans.csv"))
    options = parser.parse_args()
    rows: list[dict] = []
    if options.output.exists():
        with options.output.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
    done = {tuple(str(r[f]) for f in FIELDS[:6]) for r in rows}
    for name in options.collections:
        load, k = COLLECTIONS[name]
        graphs, classes = load(options.data, standardised=options.standardised)
        gm.GraphKMeans(2, random_state=0).fit(graphs[:12])  # compile
        for init in options.starts:
            for seed in range(options.seeds):
                for algorithm in options.algorithms:
                    key = (name, init, str(seed), algorithm, str(options.effort), str(options.standardised))
                    if key in done:
                        continue
                    row = measure(name, graphs, classes, k, init, seed, algorithm, options)
                    rows.append(row)
                    new = not options.output.exists()
                    with options.output.open("a", newline="") as stream:
                        writer = csv.DictWriter(stream, FIELDS)
                        if new:
                            writer.writeheader()
                        writer.writerow(row)
                    shown = {f: row[f] for f in FIELDS[:4]}
                    found = f"J {row['objective']:.1f}, {row['matchings']} matchings, {row['seconds']:.3f} s"
                    print(*shown.values(), found, flush=True)
    report([r for r in rows if r["collection"] in options.collections and str(r["standardised"]) == str(options.standardised)])


if __name__ == "__main__":
    main()
