"""Where alignments are fixed k-means of graphs is that of vectors: is it as quick? Ratios to scikit-learn, on one thread.

    python benchmarks/vectors.py [--regions 300] [--networks 60] [--repeats 3]

Labelled networks (connectomes on the same regions, three planted groups) against scikit-learn's KMeans of the upper triangles of
their matrices, from the same start, which must end in the same labels, and by the defaults of both. Reading the graphs is part of
our time, making arrays of them is not part of scikit-learn's. The same with graphs of networkx, whose nodes have names. Then all
distances of networks from each other against SciPy's, and lloyd, elkan and gvr on plain vectors against interval.
For objectives on digits and blobs, see optima.py. Seconds are those of the processor, the least of the repeats.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"))

import argparse
import time
from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import graphmeans as gm

ALGORITHMS = ("interval", "lloyd", "elkan", "gvr")


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The least seconds of the processor."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def row(what: str, ours: float, theirs: float, note: str) -> None:
    print(f"| {what} | {1e3 * ours:.0f} | {1e3 * theirs:.0f} | {ours / theirs:.1f} | {note} |", flush=True)


def networks(count: int, n: int, noise: float, repeats: int) -> None:
    """Matrices of three groups with this much noise, and the graphs of them."""
    rng = np.random.default_rng(0)
    matrices = np.triu(rng.normal(size=(3, n, n))[rng.integers(3, size=count)] + noise * rng.normal(size=(count, n, n)), 1)
    graphs = gm.structures.labelled_networks(list(matrices + matrices.transpose(0, 2, 1)))
    flat = np.ascontiguousarray(matrices.reshape(count, -1)[:, np.flatnonzero(np.triu(np.ones((n, n)), 1))])
    name = f"{count} networks of {n} regions, noise {noise:g}"
    theirs = KMeans(3, init=flat[:3], n_init=1, tol=0).fit(flat)
    least = seconds(lambda: KMeans(3, init=flat[:3], n_init=1, tol=0).fit(flat), repeats)
    for algorithm in ALGORITHMS:
        ours = gm.GraphKMeans(3, algorithm=algorithm, init=graphs[:3], n_jobs=1)
        same = (ours.fit(graphs).labels_ == theirs.labels_).all()
        note = f"{theirs.n_iter_} iterations; the same labels: {same}"
        row(f"{name}: {algorithm}, from the same start", seconds(lambda: ours.fit(graphs), repeats), least, note)
    ours = gm.GraphKMeans(3, random_state=0, n_jobs=1)
    spent = seconds(lambda: ours.fit(graphs), repeats)
    for n_init in (1, 10):
        theirs = KMeans(3, n_init=n_init, random_state=0)
        least = seconds(lambda: theirs.fit(flat), repeats)
        note = f"objective {ours.inertia_ / 2 / theirs.inertia_ - 1:+.3%}"
        row(f"{name}: defaults, against n_init={n_init}", spent, least, note)


def networkx_graphs(count: int, n: int, repeats: int) -> None:
    """Networks as objects of networkx, the names of whose nodes are kept; what is measured is all from there to the labels."""
    rng = np.random.default_rng(0)
    matrices = np.triu(rng.normal(size=(3, n, n))[rng.integers(3, size=count)] + 2.0 * rng.normal(size=(count, n, n)), 1)
    names = {i: f"region {i}" for i in range(n)}
    graphs = [nx.relabel_nodes(nx.from_numpy_array(matrix + matrix.T), names) for matrix in matrices]
    flat = np.ascontiguousarray(matrices.reshape(count, -1)[:, np.flatnonzero(np.triu(np.ones((n, n)), 1))])
    theirs = KMeans(3, init=flat[:3], n_init=1, tol=0)

    def ours() -> gm.GraphKMeans:
        made = gm.structures.labelled_networks(graphs)
        return gm.GraphKMeans(3, init=made[:3], n_jobs=1).fit(made)

    same = (ours().labels_ == theirs.fit(flat).labels_).all()
    spent = seconds(ours, repeats), seconds(lambda: theirs.fit(flat), repeats)
    row(f"{count} networkx graphs of {n} named nodes: interval, from the same start", *spent, f"the same labels: {same}")


def all_distances(count: int, n: int, repeats: int) -> None:
    """All distances of networks from each other, against SciPy's of ready vectors."""
    matrices = np.triu(np.random.default_rng(0).normal(size=(count, n, n)), 1)
    graphs = gm.structures.labelled_networks(matrices + matrices.transpose(0, 2, 1))
    flat = np.ascontiguousarray(matrices.reshape(count, -1)[:, np.flatnonzero(np.triu(np.ones((n, n)), 1))])
    apart = np.abs(gm.pairwise_distances(graphs) / np.sqrt(2) - squareform(pdist(flat))).max()
    spent = seconds(lambda: gm.pairwise_distances(graphs, n_jobs=1), repeats), seconds(lambda: pdist(flat), repeats)
    row(f"all distances of {count} networks of {n} regions, against pdist", *spent, f"at most {apart:.0e} apart")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--regions", type=int, default=300)
    parser.add_argument("--networks", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print("| | graphmeans, ms | compared with, ms | ratio | |\n|---|---|---|---|---|")
    for noise in (2.0, 20.0):
        networks(options.networks, options.regions, noise, options.repeats)
    networkx_graphs(options.networks, 90, options.repeats)
    all_distances(200, options.regions, options.repeats)
    x, _ = make_blobs(5_000, n_features=10, centers=8, cluster_std=4.0, random_state=0)
    fits = {
        name: gm.GraphKMeans(8, algorithm=name, n_init=1, init=x[:8], n_jobs=1)
        for name in ALGORITHMS
    }  # fmt: skip
    spent = {name: seconds(lambda km=km: km.fit(x), options.repeats + 1) for name, km in fits.items()}
    theirs = KMeans(8, init=x[:8], n_init=1, tol=0)
    row("5,000 vectors of 10 numbers: interval, against scikit-learn", spent["interval"],
        seconds(lambda: theirs.fit(x), options.repeats), f"{theirs.n_iter_} iterations")  # fmt: skip
    for name in ALGORITHMS[1:]:
        same = (fits[name].labels_ == fits["interval"].labels_).all()
        row(f"5,000 vectors of 10 numbers: {name}, against interval", spent[name], spent["interval"], f"the same labels: {same}")


if __name__ == "__main__":
    main()
