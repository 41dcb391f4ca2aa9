"""Do two versions of the package find the same? Labels, centers and counts of matchings, over everything that clusters.

    python benchmarks/same_results.py record before.npz     # with the one version installed (or on PYTHONPATH)
    python benchmarks/same_results.py record after.npz      # with the other
    python benchmarks/same_results.py compare before.npz after.npz

The four collections of the paper are read from GRAPHMEANS_IAM (see tests/iam.py) and left out, with a line that says so,
where they are absent. Everything is fitted with a fixed seed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

import graphmeans as gm

IAM = Path(os.environ.get("GRAPHMEANS_IAM") or Path(__file__).resolve().parents[2] / "shared" / "data" / "iam")


def cases():
    """Name, function that fits and returns an estimator."""
    letters, _ = gm.datasets.make_letters(200, random_state=0)
    rng = np.random.RandomState(0)
    blobs = np.concatenate([rng.normal(c, 0.7, size=(60, 3)) for c in range(5)])
    for algorithm in ("interval", "lloyd", "elkan", "gvr"):
        yield f"letters/{algorithm}", lambda a=algorithm: gm.GraphKMeans(8, algorithm=a, random_state=0).fit(letters)
        yield f"vectors/{algorithm}", lambda a=algorithm: gm.GraphKMeans(5, algorithm=a, random_state=1).fit(blobs)
    for init in ("furthest-first", "k-means++", "k-means||", "medoids", "random"):
        yield f"letters/{init}", lambda i=init: gm.GraphKMeans(12, init=i, n_init=3, random_state=2).fit(letters)
    yield "letters/given", lambda: gm.GraphKMeans(6, init=letters[:6], random_state=0).fit(letters)
    yield "letters/certify", lambda: gm.GraphKMeans(12, certify=True, random_state=3).fit(letters)
    yield "letters/copies", lambda: gm.GraphKMeans(5, random_state=3).fit(letters[:40] * 4)
    weights = rng.rand(200)
    yield "letters/weights", lambda: gm.GraphKMeans(9, random_state=3).fit(letters, sample_weight=weights)
    yield "letters/theta", lambda: gm.GraphKMeans(8, algorithm="gvr", theta=0.3, random_state=0).fit(letters)
    yield "letters/minibatch", lambda: gm.MiniBatchGraphKMeans(7, batch_size=50, random_state=0).fit(letters)
    yield "letters/medoid", lambda: gm.GraphKMedoids(8, random_state=0).fit(letters[:90])
    yield "letters/centroid", lambda: gm.GraphNearestCentroid(2, random_state=0).fit(letters, np.arange(200) % 3)

    def stream():
        km = gm.MiniBatchGraphKMeans(7, random_state=0)
        for start in range(0, 200, 50):
            km.partial_fit(letters[start : start + 50])
        return km

    yield "letters/stream", stream
    for name, graphs, k in structures(rng):
        yield f"structures/{name}", lambda g=graphs, k=k: gm.GraphKMeans(k, random_state=0).fit(g)
    if not (IAM / "Letter-LOW.zip").exists():
        print(f"no IAM data at {IAM}: the four collections of the paper are left out", file=sys.stderr)
        return
    from graphmeans.datasets import paper

    for name, k in (("letter", 30), ("grec", 33), ("fingerprint", 60), ("molecules", 10)):
        graphs, _ = getattr(paper, name)(IAM)
        yield f"{name}/default", lambda g=graphs, k=k: gm.GraphKMeans(k, random_state=0).fit(g)
        yield f"{name}/one", lambda g=graphs, k=k: gm.GraphKMeans(k, init="furthest-first", n_init=1, random_state=1).fit(g)


def structures(rng):
    """The other structures, a small random collection each."""
    s = gm.structures
    yield "patterns", s.point_patterns([rng.normal(i % 3, 1, size=(3 + i % 4, 2)) for i in range(60)]), 3
    yield "sequences", s.sequences([rng.normal(i % 2, 1, size=(4 + i % 3, 1)) for i in range(50)]), 3
    noise = rng.normal(size=(40, 6, 6)) * 0.1
    yield "networks", s.labelled_networks(noise + noise.transpose(0, 2, 1) + (np.arange(40) % 2)[:, None, None]), 2
    words = [(chr(97 + i % 3), ["x"] * (1 + i % 2) + [("y", ["z"] * (i % 3))]) for i in range(45)]
    yield "trees", s.trees(words, depth="role"), 3
    members = [[{int(v) for v in rng.choice(6, 2 + i % 3, replace=False)} for _ in range(2 + i % 2)] for i in range(40)]
    yield "hypergraphs", s.hypergraphs(members), 3
    graphs = []
    for i in range(50):
        n = 3 + i % 5
        arcs = [(j, j + 1) for j in range(n - 1)]
        graphs.append(gm.Graph(rng.normal(size=(n, 2)), arcs, rng.normal(size=(n - 1, 2)), directed=True))
    yield "directed", graphs, 4


def record(path):
    """Fit everything and write what came out."""
    found = {}
    for name, fit in cases():
        start = time.perf_counter()
        km = fit()
        centers = km.cluster_centers_
        nodes, edges = (centers, np.zeros(0)) if isinstance(centers, np.ndarray) else (centers.nodes, centers.edge_values)
        counts = [getattr(km, f"n_{kind}matchings_", 0) for kind in ("", "seeding_", "evaluation_")]
        found |= {f"{name}|labels": km.labels_, f"{name}|distances": km.distances_, f"{name}|nodes": nodes}
        found |= {f"{name}|edges": edges, f"{name}|matchings": np.array(counts)}
        found[f"{name}|certified"] = np.array([getattr(km, "certified_fraction_", np.nan)])
        print(f"{name:24} {time.perf_counter() - start:7.2f} s  matchings {counts}", flush=True)
    np.savez_compressed(path, **found)


def compare(before, after):
    """Say where two records differ; 1 if they do."""
    old, new = np.load(before), np.load(after)
    differ = 0
    for name in sorted({*old.files, *new.files}):
        if name not in old.files or name not in new.files:
            print(f"{name}: only in one of them")
            differ += 1
        elif not np.array_equal(old[name], new[name], equal_nan=True):
            a, b = old[name], new[name]
            said = f"shapes {a.shape}, {b.shape}" if a.shape != b.shape else f"largest difference {np.abs(a - b).max():.3g}"
            print(f"{name}: {said}")
            differ += 1
    print(f"{len(old.files)} arrays compared, {differ} differ")
    return int(differ > 0)


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2])
    else:
        sys.exit(compare(*sys.argv[2:4]))
