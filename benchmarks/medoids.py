"""What bounds spare k-medoids, and what putting copies together spares k-means.

    python benchmarks/medoids.py [number of letters]

Ratios against matching all pairs, and against the same collection without copies put together, in one run.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import graphmeans as gm
from graphmeans.cluster.data import deduplicate


def main(count: int = 1500) -> None:
    letters, _ = gm.datasets.make_letters(count, random_state=0)
    gm.GraphKMedoids(3, random_state=0).fit(letters[:30])  # compiles
    start = time.perf_counter()
    km = gm.GraphKMedoids(15, random_state=0).fit(letters)
    bounded = time.perf_counter() - start
    start = time.perf_counter()
    table = gm.pairwise_distances(letters)
    everything = time.perf_counter() - start
    pairs = count * (count - 1) // 2
    check = table[:, km.medoid_indices_].min(axis=1).sum()
    print(f"k-medoids, {count} letters, k = 15: {km.n_matchings_:,} of {pairs:,} pairs matched ({km.n_matchings_ / pairs:.2f})")
    print(f"  {bounded:.1f} s, the distances of all pairs alone {everything:.1f} s; objective {km.inertia_:.4g} ({check:.4g})")

    base = letters[: count // 5]
    many = [base[i] for i in np.random.default_rng(0).permutation(np.repeat(np.arange(len(base)), 10))]
    spent = []
    for worth in (deduplicate.WORTH, 2.0):  # a share that no collection reaches: copies stay apart
        deduplicate.WORTH = worth
        start = time.perf_counter()
        runs = [gm.GraphKMeans(15, random_state=seed).fit(many) for seed in range(5)]
        seconds = (time.perf_counter() - start) / 5
        matchings = np.mean([km.n_matchings_ + km.n_seeding_matchings_ for km in runs])
        spent.append((seconds, matchings, np.mean([km.inertia_ for km in runs])))
    (t0, m0, j0), (t1, m1, j1) = spent
    ratio = m1 / m0
    print(f"k-means, {len(base)} letters ten times, mean of 5 runs: {m0:,.0f} matchings together, {m1:,.0f} apart ({ratio:.1f})")
    print(f"  {t0:.2f} s and {t1:.2f} s; objective {j0:.4g} and {j1:.4g}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
