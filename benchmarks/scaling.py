"""How do time, matchings and memory grow with the collection, and what does a cluster cost? Generated letters, k = 100.

    python benchmarks/scaling.py [--sizes 10000 100000 1000000] [--engines threads dask] [-k 100] [--folder DIR]

Each size lies in a Parquet file, written once, and each fit is a process of its own (with dask: one and its two workers, which
are started and have loaded the kernels before the clock is). Peak memory is that of the largest process. The last table holds
dask against threads on the same work: the same labels, the same matchings.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import graphmeans as gm

CHUNK = 10_000
TIMES = ("seconds", "cpu_seconds", "iteration_seconds")


def write(n: int, path: Path) -> None:
    """n letters as Parquet; the first ones are the same for every n."""

    def letters():
        for start in range(0, n, CHUNK):
            yield from gm.datasets.make_letters(CHUNK, random_state=start // CHUNK)[0][: n - start]

    gm.io.write_parquet(letters(), path)


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(engine: str, path: str, options: argparse.Namespace) -> dict:
    """One fit; this process and, with dask, its workers are new."""
    collection = gm.open_collection(path)
    settings = {"random_state": 0, "init": options.init, "n_jobs": options.workers, "max_iter": options.max_iter}
    km = gm.MiniBatchGraphKMeans(options.k, **settings) if options.minibatch else gm.GraphKMeans(options.k, n_init=1, **settings)
    client = None
    if engine == "dask":
        from distributed import Client, LocalCluster

        cluster = LocalCluster(options.workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0)
        client = Client(cluster)
        km.set_params(engine=client)
    few, _ = gm.datasets.make_letters(200, random_state=0)
    type(km)(**{**km.get_params(deep=False), "n_clusters": 4}).fit(few)  # everything is compiled and loaded
    before, start, cpu = peak(), time.perf_counter(), processor(client)
    km.fit(collection)
    seconds, cpu = time.perf_counter() - start, processor(client) - cpu
    n, trace = len(collection), km.trace_
    return {
        "engine": engine, "graphs": n, "seconds": seconds, "cpu_seconds": cpu, "iterations": len(trace),
        "iteration_seconds": float(trace["seconds"][1:].mean()), "first_seconds": float(trace["seconds"][0]),
        "seeding_per_graph": km.n_seeding_matchings_ / n, "matchings_per_graph": km.n_matchings_ / n,
        "assignments_per_graph": float(trace["assignment_bounds"].sum()) / n,
        "start_per_graph": float(trace["inertia"][0]) / n,
        "objective_per_graph": km.inertia_ / n, "certified": km.certified_fraction_, "before_mb": before,
        "client_mb": peak(), "worker_mb": max(client.run(peak).values()) if client else None,
        "sent_kb": float(np.median(trace["bytes_sent"])) / 1e3, "received_kb": float(np.median(trace["bytes_received"])) / 1e3,
        "labels": int(np.dot(km.labels_.astype(np.int64), np.arange(n) % 9973)),
    }  # fmt: skip


def processor(client) -> float:
    """Processor seconds of this process and its workers."""
    return time.process_time() + (sum(client.run(time.process_time).values()) if client else 0.0)


COLUMNS = {
    "engine": "{engine}", "graphs": "{graphs:,}", "seconds": "{seconds:.1f}", "of all processors": "{cpu_seconds:.1f}",
    "iterations": "{iterations}", "seconds each": "{iteration_seconds:.2f}",
    "matchings a graph: seeding": "{seeding_per_graph:.2f}", "after": "{matchings_per_graph:.2f}",
    "assignments": "{assignments_per_graph:.1f}", "objective a graph: first": "{start_per_graph:.3f}",
    "last": "{objective_per_graph:.4f}",
    "certified": "{certified:.1%}",
    "MiB before": "{before_mb:.0f}", "peak MiB": "{client_mb:.0f}", "of a worker": "{worker_mb}",
    "kB out an iteration": "{sent_kb:.0f}", "and back": "{received_kb:.0f}",
}  # fmt: skip


def main() -> None:
    """Measure, print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--engines", nargs="+", default=["threads", "dask"])
    parser.add_argument("-k", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--init", default="k-means++")
    parser.add_argument("--max-iter", type=int, default=100)
    parser.add_argument("--minibatch", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "graphmeans-scaling")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(*options.one, options)))
        return
    options.folder.mkdir(exist_ok=True)
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|", flush=True)
    rows = []
    for n in options.sizes:
        path = options.folder / f"letters-{n}.parquet"
        if not path.exists():
            write(n, path)
        for engine in options.engines:
            command = [sys.executable, __file__, *sys.argv[1:], "--one", engine, str(path)]
            row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])
            rows.append(row)
            row["worker_mb"] = "" if row["worker_mb"] is None else f"{row['worker_mb']:.0f}"
            print("| " + " | ".join(form.format(**row) for form in COLUMNS.values()) + " |", flush=True)
    for engine in options.engines:
        for a, b in pairwise(row for row in rows if row["engine"] == engine):
            growth = np.log(b["graphs"] / a["graphs"])
            names = ("seconds", "cpu_seconds", "iteration_seconds")
            said = [f"{name} {np.log(b[name] / a[name]) / growth:.2f}" for name in names]
            print(f"{engine}, from {a['graphs']:,} to {b['graphs']:,}, exponents: {', '.join(said)}")
    for n in options.sizes:
        found = {row["engine"]: row for row in rows if row["graphs"] == n}
        if len(found) == 2:
            threads, dask = found["threads"], found["dask"]
            same = all(threads[name] == dask[name] for name in ("labels", "matchings_per_graph", "objective_per_graph"))
            ratios = [f"{name} {dask[name] / threads[name]:.2f}" for name in TIMES]
            print(f"dask / threads, {n:,} graphs: {', '.join(ratios)}; the same result: {same}")


if __name__ == "__main__":
    main()
