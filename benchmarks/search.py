"""How much of a collection does a search look at, how long does it take, and how do both grow?

    python benchmarks/search.py letters [--sizes 10000 100000 1000000]
    python benchmarks/search.py molecules [--count 20000] --iam DIR
    python benchmarks/search.py dbscan [--count 20000]

CPU seconds of one thread. "brute force" is our own matcher on every pair, timed on a sample of the pairs. Every answer of a
sample of queries is compared with brute force. Five seeds choose the queries.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np

import graphmeans as gm

K, QUERIES, SEEDS = 10, 40, range(5)


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["letters", "molecules", "dbscan", "_one"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--iam")
    options = parser.parse_args()
    {"letters": letters, "molecules": molecules, "dbscan": dbscan, "_one": one_size}[options.part](options)


def letters(options: argparse.Namespace) -> None:
    """Each size in a process of its own, for its peak of memory."""
    print("| letters | build, s | peak MiB | file MB | ms a query alone | together | matched, % of N | brute force, s a query |")
    print("|---|---|---|---|---|---|---|---|")
    for n in options.sizes:
        done = subprocess.run(
            [sys.executable, __file__, "_one", "--count", str(n)], check=True, capture_output=True, text=True
        )
        row = json.loads(done.stdout.splitlines()[-1])
        print("| {n:,} | {build:.1f} | {peak:.0f} | {megabytes:.0f} | {alone:.1f} | {together:.1f} | {share:.4f} | {brute:.2f} |"
              .format(n=n, **row), flush=True)  # fmt: skip


def one_size(options: argparse.Namespace) -> None:
    """Build the index of so many letters, and search."""
    import os
    import tempfile

    n = options.count
    graphs: list[gm.Graph] = []
    for start in range(0, n + QUERIES * len(SEEDS), 10_000):
        graphs += gm.datasets.make_letters(10_000, random_state=start // 10_000)[0]
    queries = graphs[n : n + QUERIES * len(SEEDS)]
    gm.GraphIndex(n_jobs=1).fit(graphs[:200]).kneighbors(graphs[:5])  # everything is compiled
    encoder = gm.GraphEncoder().fit(graphs[:1000])
    batch = [encoder.encode(graphs[start : min(start + 50_000, n)]) for start in range(0, n, 50_000)]
    del graphs
    start = time.process_time()
    index = built(encoder, batch)
    build = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        index.save(os.path.join(folder, "letters.gmi"))
        megabytes = os.path.getsize(os.path.join(folder, "letters.gmi")) / 1e6
    index.n_compared_.clear()
    together, alone = searched(index, queries)
    share = 100 * index.n_compared_["matchings"] / (n * (len(queries) + QUERIES))
    brute, wrong = brute_force(index, queries[:3])
    assert not wrong, "brute force finds others"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({
        "build": build, "peak": peak, "megabytes": megabytes, "alone": 1e3 * alone, "together": 1e3 * together, "share": share,
        "brute": brute,
    }))  # fmt: skip


def built(encoder: gm.GraphEncoder, parts: Sequence[object]) -> gm.GraphIndex:
    """An index of encoded graphs; `fit` would hold a million objects of Python besides."""
    from graphmeans.graphs.batch import concatenate
    from graphmeans.nearest.points import Points
    from graphmeans.search.names import NameTable

    batch = concatenate(parts)  # type: ignore[arg-type]
    index = gm.GraphIndex(encoder=encoder, n_jobs=1)
    index.encoder_, index._kind = encoder, "graph"
    index.space_ = gm.GraphSpace.for_graphs(batch, n_jobs=1)
    index._points_in = Points.of(index.space_, index.space_.weighted(batch))
    index.indices_, index.n_seen_ = np.arange(len(batch)), len(batch)
    index.names_ = NameTable.of([None] * len(batch))
    return index


def searched(index: gm.GraphIndex, queries: Sequence[gm.Graph]) -> tuple[float, float]:
    """Seconds a query, asked together and one by one."""
    start = time.process_time()
    index.kneighbors(queries, K)
    middle = time.process_time()
    for query in queries[:QUERIES]:
        index.kneighbors([query], K)
    return (middle - start) / len(queries), (time.process_time() - middle) / QUERIES


def brute_force(index: gm.GraphIndex, queries: Sequence[gm.Graph]) -> tuple[float, int]:
    """Seconds that all distances of a query take, and how many queries have nearer graphs than the index says."""
    points = index.space_.weighted(index.encoder_.encode(queries))
    start = time.process_time()
    truth = index.space_.distances(points, index._points_in.batch)
    seconds = (time.process_time() - start) / len(queries)
    found = index.kneighbors(queries, K)[0]
    return seconds, int((np.sort(truth, axis=1)[:, :K] < found * (1 - 1e-9)).any(axis=1).sum())


def molecules(options: argparse.Namespace) -> None:
    """Real and generated molecules of at most 40 atoms."""
    from generated import recombined

    real = [g for g in gm.datasets.load_iam(options.iam, "Mutagenicity", None)[0] if g.n_nodes <= 40]
    for name, graphs in (("Mutagenicity", real), (f"generated, {options.count:,}", recombined(real, options.count))):
        print(f"{name}: {len(graphs)} molecules")
        rows = []
        for seed in SEEDS:
            order = np.random.RandomState(seed).permutation(len(graphs))
            queries, held = [graphs[i] for i in order[:8]], [graphs[i] for i in order[8:]]
            start = time.process_time()
            index = gm.GraphIndex(n_jobs=1).fit(held)
            build = time.process_time() - start
            start = time.process_time()
            _, _, certified = index.kneighbors(queries, K, return_certified=True)
            seconds = (time.process_time() - start) / len(queries)
            brute, wrong = brute_force(index, queries[:1]) if seed == 0 else (np.nan, 0)
            share = 100 * index.n_compared_["matchings"] / len(queries) / len(held)
            laps = 100 * index.n_compared_["assignments"] / len(queries) / len(held)
            rows.append((build, 1e3 * seconds, share, laps, certified.mean(), brute, wrong))
            print(f"  seed {seed}: build {build:.1f} s, {1e3 * seconds:.0f} ms a query, {share:.2f} % matched, {laps:.1f} % by "
                  f"assignment, {certified.mean():.3f} certified, brute force {brute:.1f} s, {wrong} wrong", flush=True)
        print("  mean:", np.nanmean(rows, axis=0).round(3).tolist())


def dbscan(options: argparse.Namespace) -> None:
    """All neighbors within a radius, into DBSCAN."""
    from sklearn.cluster import DBSCAN
    from sklearn.metrics import adjusted_rand_score

    graphs, classes = gm.datasets.make_letters(options.count, random_state=0)
    start = time.process_time()
    index = gm.GraphIndex(n_jobs=1).fit(graphs)
    near = index.radius_neighbors_graph(radius=0.6, mode="distance")
    seconds = time.process_time() - start
    labels = DBSCAN(eps=0.6, min_samples=10, metric="precomputed").fit_predict(near)
    pairs = options.count * (options.count - 1) / 2
    few = 1500
    dense = DBSCAN(eps=0.6, min_samples=10, metric="precomputed").fit_predict(gm.pairwise_distances(graphs[:few], n_jobs=1))
    small = gm.pairwise_distances(graphs[:few], cutoff=0.6, n_jobs=1)
    same = DBSCAN(eps=0.6, min_samples=10, metric="precomputed").fit_predict(small)
    assert (dense == same).all(), "labels differ from those of all distances"
    print(f"{options.count:,} letters, radius 0.6: {seconds:.1f} s of CPU, {near.nnz:,} neighbors, "
          f"{100 * index.n_compared_['matchings'] / pairs:.4f} % of all pairs matched, {labels.max() + 1} clusters, "
          f"{100 * np.mean(labels < 0):.1f} % noise, Rand index with the letters {adjusted_rand_score(classes, labels):.3f}; "
          f"on the first {few:,} the labels are those of the full matrix")  # fmt: skip


if __name__ == "__main__":
    main()
