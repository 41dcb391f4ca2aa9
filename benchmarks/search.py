"""How much of a collection does a search look at, how long does it take, and how do both grow?

    python benchmarks/search.py letters [--sizes 10000 100000 1000000]
    python benchmarks/search.py molecules [--count 20000] --iam DIR
    python benchmarks/search.py dbscan [--count 20000]
    python benchmarks/search.py neighbors [--count 20000]
    python benchmarks/search.py peers [--count 20000] --iam DIR [--picture FILE.svg]

CPU seconds of one thread. "brute force" is our own matcher on every pair, timed on a few queries. Every answer of these
queries is compared with brute force. Seeds choose the queries. Letters are written to Parquet and read from there, so that no
object of Python is held for a graph; `build` is from there to an index that can be searched.
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
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

import graphmeans as gm

K, QUERIES, SEEDS = 10, 40, range(5)


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["letters", "molecules", "dbscan", "neighbors", "peers", "_one"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--iam")
    parser.add_argument("--picture")
    options = parser.parse_args()
    parts = {
        "letters": letters, "molecules": molecules, "dbscan": dbscan, "neighbors": neighbors, "peers": peers, "_one": one_size,
    }  # fmt: skip
    parts[options.part](options)


# -- letters -----------------------------------------------------------------------------------------------------------------


def letters(options: argparse.Namespace) -> None:
    """Each size in a process of its own, for its peak of memory."""
    print("| letters | build, s | peak MiB | file MB | ms a query alone | together | matched, % of N | certified, % "
          "| brute force, s a query |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    for n in options.sizes:
        command = [sys.executable, __file__, "_one", "--count", str(n)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        row = json.loads(done.stdout.splitlines()[-1])
        print("| {n:,} | {build:.1f} | {peak:.0f} | {megabytes:.0f} | {alone:.1f} | {together:.1f} | {share:.4f} "
              "| {certified:.0f} | {brute:.2f} |".format(n=n, **row), flush=True)  # fmt: skip


def made_letters(n: int) -> Iterator[gm.Graph]:
    """So many letters, some at a time."""
    for start in range(0, n, 10_000):
        yield from gm.datasets.make_letters(min(10_000, n - start), random_state=1 + start // 10_000)[0]


def one_size(options: argparse.Namespace) -> None:
    """Build the index of so many letters, and search."""
    from graphmeans.io import write_parquet

    n, queries = options.count, gm.datasets.make_letters(QUERIES * len(SEEDS), random_state=0)[0]
    gm.GraphIndex(n_jobs=1).fit(queries).kneighbors(queries[:5])  # everything is compiled
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(made_letters(n), os.path.join(folder, "letters"), rows_per_file=100_000)
        start = time.process_time()
        index = gm.GraphIndex(n_jobs=1).fit(gm.open_collection(os.path.join(folder, "letters")))
        build = time.process_time() - start
        index.save(os.path.join(folder, "letters.gmi"))
        megabytes = os.path.getsize(os.path.join(folder, "letters.gmi")) / 1e6
    index.kneighbors(queries[:1], K)
    index.n_compared_.clear()
    start = time.process_time()
    certified = index.kneighbors(queries, K, return_certified=True)[2]
    together = (time.process_time() - start) / len(queries)
    share = 100 * index.n_compared_["matchings"] / (n * len(queries))
    start = time.process_time()
    for query in queries[:QUERIES]:
        index.kneighbors([query], K)
    alone = (time.process_time() - start) / QUERIES
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    brute, wrong = brute_force(index, queries[:3])
    assert not wrong, "brute force finds others"
    print(json.dumps({
        "build": build, "peak": peak, "megabytes": megabytes, "alone": 1e3 * alone, "together": 1e3 * together, "share": share,
        "certified": 100 * certified.mean(), "brute": brute,
    }))  # fmt: skip


def brute_force(index: gm.GraphIndex, queries: Sequence[gm.Graph]) -> tuple[float, int]:
    """Seconds that all distances of a query take, and how many queries have nearer graphs than the index says."""
    points = index.space_.weighted(index.encoder_.encode(queries))
    found = index.kneighbors(queries, K)[0]
    seconds, wrong = 0.0, 0
    for q in range(len(queries)):
        start = time.process_time()
        truth = index.space_.distances(points.take([q]), index._points_in.batch)[0]
        seconds += time.process_time() - start
        wrong += bool(np.partition(truth, K)[:K].max() < found[q, -1] * (1 - 1e-9))
    return seconds / len(queries), wrong


# -- molecules ---------------------------------------------------------------------------------------------------------------


def real_and_generated(iam: str, count: int) -> tuple[list[gm.Graph], list[gm.Graph]]:
    """The molecules of Mutagenicity of at most 40 atoms, and so many in all with recombined ones."""
    from generated import recombined

    real = [g for g in gm.datasets.load_iam(iam, "Mutagenicity", None)[0] if g.n_nodes <= 40]
    return real, real + recombined(real, max(0, count - len(real)))


def molecules(options: argparse.Namespace) -> None:
    """Real molecules alone, and with generated ones; the queries are real molecules that are not in the index."""
    real, many = real_and_generated(options.iam, options.count)
    for name, graphs in (("Mutagenicity", real), (f"Mutagenicity and generated ones, {len(many):,}", many)):
        print(f"{name}: {len(graphs)} molecules")
        rows = []
        for seed in SEEDS:
            random = np.random.RandomState(seed)
            asked = random.choice(len(real), 8, replace=False)
            queries, held = [graphs[i] for i in asked], [g for i, g in enumerate(graphs) if i not in set(asked.tolist())]
            start = time.process_time()
            index = gm.GraphIndex(n_jobs=1).fit(held)
            build = time.process_time() - start
            index.kneighbors(queries[:1], K)
            index.n_compared_.clear()
            start = time.process_time()
            _, _, certified = index.kneighbors(queries, K, return_certified=True)
            seconds = (time.process_time() - start) / len(queries)
            share = {key: 100 * value / len(queries) / len(held) for key, value in index.n_compared_.items()}
            brute, wrong = brute_force(index, queries[:1]) if seed < 2 else (np.nan, 0)
            rows.append((build, 1e3 * seconds, share["assignments"], share["edge_programs"], share["matchings"],
                         100 * certified.mean(), brute, wrong))  # fmt: skip
            print("  seed {}: build {:.1f} s, {:.0f} ms a query, {:.2f} % by assignment, {:.2f} % by the edge program, {:.3f} % "
                  "matched, {:.1f} % certified, brute force {:.1f} s, {} wrong".format(seed, *rows[-1]), flush=True)  # fmt: skip
        print("  mean:", np.nanmean(rows, axis=0).round(3).tolist())


# -- neighbors of all graphs -------------------------------------------------------------------------------------------------


def dbscan(options: argparse.Namespace) -> None:
    """All neighbors within a radius, into DBSCAN."""
    from sklearn.cluster import DBSCAN
    from sklearn.metrics import adjusted_rand_score

    radius, few = 0.45, 1500
    model = DBSCAN(eps=radius, min_samples=10, metric="precomputed")
    graphs, classes = gm.datasets.make_letters(options.count, random_state=0)
    start = time.process_time()
    index = gm.GraphIndex(n_jobs=1).fit(graphs)
    near = index.radius_neighbors_graph(radius=radius, mode="distance")
    seconds = time.process_time() - start
    labels = model.fit_predict(near)
    pairs = options.count * (options.count - 1) / 2
    start = time.process_time()
    all_distances = gm.pairwise_distances(graphs[:few], n_jobs=1, encoder=index.encoder_)
    brute = (time.process_time() - start) / (few * (few - 1) / 2) * pairs
    inside = (all_distances <= radius) & ~np.eye(few, dtype=bool)
    assert (near[:few, :few].toarray() > 0).sum() == inside.sum(), "neighbors differ from those of all distances"
    small = gm.pairwise_distances(graphs[:few], cutoff=radius, n_jobs=1, encoder=index.encoder_)
    assert (model.fit_predict(all_distances) == model.fit_predict(small)).all(), "labels differ from those of all distances"
    print(f"{options.count:,} letters, radius {radius}: {seconds:.1f} s of CPU, {near.nnz:,} neighbors, "
          f"{100 * index.n_compared_['matchings'] / pairs:.3f} % of all pairs matched, {labels.max() + 1} clusters, "
          f"{100 * np.mean(labels < 0):.1f} % noise, Rand index with the letters {adjusted_rand_score(classes, labels):.3f}; "
          f"all distances would take {brute:.0f} s; the neighbors among the first {few:,}, and their labels by themselves, are "
          "those of all distances")  # fmt: skip


def neighbors(options: argparse.Namespace) -> None:
    """The nearest 30 of all graphs once, then what scikit-learn and UMAP make of them."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples"))
    import through_neighbors

    graphs, classes = gm.datasets.make_letters(options.count, random_state=0)
    start = time.process_time()
    index = gm.GraphIndex(n_jobs=1).fit(graphs)
    near = index.kneighbors_graph(n_neighbors=30, mode="distance")
    seconds = time.process_time() - start
    share = 100 * index.n_compared_["matchings"] / options.count / options.count
    print(f"the 30 nearest of {options.count:,} letters: {seconds:.1f} s, {share:.3f} % of N^2 matched", flush=True)
    for name, method in through_neighbors.METHODS.items():
        start = time.process_time()
        said = method(graphs, classes, near)
        print(f"{name}: {said}, {time.process_time() - start:.1f} s", flush=True)


# -- peers -------------------------------------------------------------------------------------------------------------------


def peers(options: argparse.Namespace) -> None:
    """The same molecules by networkx, by a WL kernel and by fingerprints: seconds a query, and whom they find."""
    import search_peers

    real, many = real_and_generated(options.iam, options.count)
    asked = np.random.RandomState(0).choice(len(real), 5, replace=False)
    queries, held = [many[i] for i in asked], [g for i, g in enumerate(many) if i not in set(asked.tolist())]
    index = gm.GraphIndex(n_jobs=1).fit(held)
    index.kneighbors(queries[:1], K)
    start = time.process_time()
    ours = index.kneighbors(queries, K, return_distance=False)
    print(f"GraphIndex: {(time.process_time() - start) / len(queries):.3f} s a query", flush=True)
    brute, wrong = brute_force(index, queries[:1])
    print(f"brute force by our own matcher: {brute:.1f} s a query, {wrong} wrong", flush=True)
    found = {"graphmeans": ours}
    for name, peer in search_peers.PEERS.items():
        try:
            answer = peer(queries, held, K)
        except ImportError as error:
            print(f"{name}: skipped, {error}", flush=True)
            continue
        said = f"{answer.seconds:.3g} s a query{answer.note}"
        if answer.neighbors is not None:
            shared = np.mean([len(set(a) & set(b)) for a, b in zip(ours.tolist(), answer.neighbors.tolist(), strict=True)])
            said += f", {shared:.1f} of its {K} are among ours"
            found[name] = answer.neighbors
        print(f"{name}: {said}", flush=True)
    if options.picture:
        search_peers.draw(options.picture, queries, held, found)
        print("drawn:", options.picture)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
