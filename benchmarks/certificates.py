"""What share of labels is proven, with the default settings and with certify=True, and what does that cost?

    python benchmarks/certificates.py --iam DIR [--collections fingerprint grec molecules] [--seeds 5]

The collections and k of the paper, n_init=1, CPU seconds of one thread. Every certificate is put to the test by matching the
graph with every other center by a search: none may be found nearer than the certificate allows. That cannot prove it, but would
show a wrong one; small graphs are checked by brute force in tests/audit.py.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import graphmeans as gm
from graphmeans.datasets.paper import COLLECTIONS


def main() -> None:
    """Print a row for each collection and setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iam", required=True)
    parser.add_argument("--collections", nargs="+", default=["letter", "fingerprint", "grec", "molecules"])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    gm.GraphKMeans(2, n_init=1, certify=True).fit(gm.datasets.make_letters(40, random_state=0)[0])  # everything is compiled
    print("| collection | certify | certified, each seed | CPU s | matchings | refuted |")
    print("|---|---|---|---|---|---|")
    for name in options.collections:
        load, k = COLLECTIONS[name]
        graphs = load(options.iam)[0]
        for certify in (False, True):
            shares, seconds, matchings, refuted = [], [], [], 0
            for seed in range(options.seeds):
                start = time.process_time()
                km = gm.GraphKMeans(k, n_init=1, certify=certify, random_state=seed, n_jobs=1).fit(graphs)
                seconds.append(time.process_time() - start)
                shares.append(km.certified_fraction_)
                matchings.append(km.n_matchings_ + km.n_seeding_matchings_)
                refuted += count_refuted(km, graphs) if certify else 0
            said = ", ".join(f"{share:.3f}" for share in shares)
            print(f"| {name} | {certify} | {said} | {np.mean(seconds):.1f} | {np.mean(matchings):,.0f} | "
                  f"{refuted if certify else ''} |", flush=True)  # fmt: skip


def count_refuted(km: gm.GraphKMeans, graphs: list[gm.Graph]) -> int:
    """How many certified graphs are found nearer to another center than their certificates allow."""
    points, centers = km._points(graphs), km._centers.batch
    quick = gm.GraphSpace(km.space_.order, km.space_.roles, matcher=gm.Search(effort=0.1), n_jobs=1)
    distances = quick.distances(points, centers)
    distances[np.arange(len(graphs)), km.labels_] = np.inf
    allowed = km.distances_ / np.maximum(1.0 - km.certified_margins_, 1e-12)
    return int((km.certified_ & (distances.min(axis=1) < allowed * (1 - 1e-9))).sum())


if __name__ == "__main__":
    main()
