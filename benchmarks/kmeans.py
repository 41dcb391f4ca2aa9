"""How many matchings does k-means need? lloyd against elkan from the same seeds, on Letter LOW (test), k = 30.

    python benchmarks/kmeans.py --data FOLDER_WITH_IAM_ZIPS [--seeds 5]

Standardised positions, exact matching, one run a seed. The paper saves 7.1 times from a furthest-first start.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import graphmeans as gm
from graphmeans.datasets import load_iam
from graphmeans.evaluation import accuracy

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--data", default="../shared/data/iam")
parser.add_argument("--seeds", type=int, default=5)
parser.add_argument("-k", type=int, default=30)
options = parser.parse_args()

graphs, classes = load_iam(options.data, "letter", "test")
gm.GraphKMeans(2, matcher="exact", random_state=0).fit(graphs[:20])  # compile
head = "objective  accuracy  iterations  matchings  an iteration  seeding  evaluation  seconds  outside matching"
for init in ("furthest-first", "k-means++"):
    print(f"\n{init}\n{'seed':>4} {'':7} {head}")
    spent: dict[str, list[tuple[int, int, float]]] = {"lloyd": [], "elkan": []}
    for seed in range(options.seeds):
        for algorithm in spent:
            start = time.perf_counter()
            km = gm.GraphKMeans(options.k, algorithm=algorithm, init=init, matcher="exact", random_state=seed).fit(graphs)
            seconds = time.perf_counter() - start
            rows = len(km.trace_)
            outside = 1 - km.trace_["matching_seconds"].sum() / km.trace_["seconds"].sum()
            spent[algorithm].append((km.n_matchings_, rows, seconds))
            print(
                f"{seed:4} {algorithm:7} {km.inertia_:9.1f}  {accuracy(classes, km.labels_):8.3f}  {rows:10}  "
                f"{km.n_matchings_:9}  {km.n_matchings_ / rows:12.0f}  {km.n_seeding_matchings_:7}  "
                f"{km.n_evaluation_matchings_:10}  {seconds:7.2f}  {outside:15.0%}"
            )
    total = {name: np.sum(values, axis=0) for name, values in spent.items()}
    rate = {name: t[0] / t[1] for name, t in total.items()}
    print(f"elkan: {rate['lloyd'] / rate['elkan']:.2f} times fewer matchings an iteration", end="")
    print(" (wanted: 6; the paper: 7.1)" if init == "furthest-first" else "", end="")
    print(f", {total['lloyd'][2] / total['elkan'][2]:.1f} times faster")
