"""What is a GPU worth? Everything in one run on the machine that has one, against its cores.

    python benchmarks/gpu.py pairs --data FOLDER_WITH_IAM_ZIPS [--pairs 400000] [--cpu-pairs 400]
    python benchmarks/gpu.py matrix --data FOLDER [--graphs 2000]
    python benchmarks/gpu.py kmeans --data FOLDER [--graphs 100000] [--clusters 100] [--cpu-graphs 5000]

`pairs`: random pairs of the paper's collections at the quality of effort 1 and of effort 0.1, and the sorted-row bounds, in pairs
a second, beside one core and all cores of the machine on a sample of the same pairs; the mean distance says whether both look
equally hard. Seconds include the upload of the graphs, of the pairs, and the answers; "in the kernels" does not.
`matrix`: all distances of molecules, from graph objects to the matrix. `kmeans`: molecules put together from parts of real ones
(generated.py), from a Parquet file to labels, beside two cores with fewer graphs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import graphmeans as gm
from graphmeans.datasets import paper
from graphmeans.graphs.batch import GraphBatch
from graphmeans.io import write_collection
from graphmeans.matching import device
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.search import Search
from graphmeans.space import resolve_order

COLLECTIONS: dict[str, Callable[..., paper.PaperCollection]] = {
    "Mutagenicity <= 40": partial(paper.molecules, per_class=1 << 30, max_nodes=40),
    "GREC": paper.grec,
    "Fingerprint": paper.fingerprint,
}


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """The median of some repetitions."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def draw(batch: GraphBatch, count: int, rows: int | None = None) -> np.ndarray:
    """Random pairs, of graphs with at least one node; with `rows`, only of graphs that large."""
    which = np.flatnonzero(batch.sizes >= (1 if rows is None else rows))
    return which[np.random.default_rng(0).integers(len(which), size=(count, 2))]


def measure_pairs(data: str, count: int, cpu_count: int) -> None:
    """Pairs a second, on the device, on one core and on all."""
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} cores; device: {device_name()}")
    columns = (("device", 12), ("in kernels", 12), ("one core", 10), ("all cores", 10), ("/ one", 8), ("/ all", 7))
    print(" " * 34 + "".join(f"{name:>{width}}" for name, width in columns) + "   mean D: device, CPU")
    for name, load in COLLECTIONS.items():
        batch = gm.GraphEncoder().fit_transform(load(data, standardised=True)[0])
        order = resolve_order("auto", batch)
        pairs, few = draw(batch, count), draw(batch, count)[:cpu_count]
        for effort in (1.0, 0.1):
            matcher = Search(effort=effort)
            matcher.solve(batch, batch, pairs[:10_000], order, device="cuda")  # compile, upload
            found = matcher.solve(batch, batch, pairs, order, device="cuda")
            again = matcher.solve(batch, batch, pairs, order, device="cuda")
            for one, two in ((found.upper, again.upper), (found.flat, again.flat)):
                assert (one == two).all(), "the device differs from itself"
            assert (found.lower <= found.upper).all()
            total = seconds(lambda m=matcher: m.solve(batch, batch, pairs, order, device="cuda"), 3)
            inside = device.kernel_seconds
            matcher.solve(batch, batch, few[:20], order, 1)
            one = cpu_seconds(lambda m=matcher: m.solve(batch, batch, few, order, 1))
            many = np.tile(few, (cores // 2, 1))
            every = seconds(lambda m=matcher: m.solve(batch, batch, many, order, cores))
            cpu = matcher.solve(batch, batch, few, order, cores)
            show(f"{name}, effort {effort:g}", count, total, inside, len(few) / one, len(many) / every,
                 f"{found.upper[: len(few)].mean():.4f} {cpu.upper.mean():.4f}")  # fmt: skip
        for rows in (None, 36):
            some = draw(batch, count, rows) if rows is None or (batch.sizes >= rows).sum() > 20 else None
            if some is None:
                continue
            lap_bounds(batch, batch, some[:10_000], order, device="cuda")
            lower = lap_bounds(batch, batch, some, order, device="cuda")
            total = seconds(lambda s=some: lap_bounds(batch, batch, s, order, device="cuda"), 3)
            inside = device.kernel_seconds
            few = some[: 20 * cpu_count]
            cpu = lap_bounds(batch, batch, few, order, 1)
            one = cpu_seconds(lambda f=few: lap_bounds(batch, batch, f, order, 1))
            every = seconds(lambda f=few: lap_bounds(batch, batch, np.tile(f, (4, 1)), order, cores)) / 4
            assert (lower[: len(few)] <= cpu * (1 + 1e-9)).all(), "a bound of the device is above that of the CPU"
            show(f"{name}, bounds{'' if rows is None else f' of >= {rows} rows'}", count, total, inside, len(few) / one,
                 len(few) / every, f"{lower[: len(few)].mean():.5f} {cpu.mean():.5f}")  # fmt: skip


def show(name: str, count: int, total: float, inside: float, one: float, every: float, rest: str) -> None:
    """A row of the table."""
    rate = count / total
    rates = f"{rate:12,.0f}{count / inside:12,.0f}{one:10,.0f}{every:10,.0f}{rate / one:8,.0f}{rate / every:7,.0f}"
    print(f"{name:34}{rates}   {rest}", flush=True)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def device_name() -> str:
    """What the device calls itself."""
    import cupy

    return str(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())


def measure_matrix(data: str, count: int) -> None:
    """All distances of molecules, from graph objects to the matrix."""
    graphs = COLLECTIONS["Mutagenicity <= 40"](data, standardised=True)[0]
    graphs = (graphs * (count // len(graphs) + 1))[:count]
    gm.pairwise_distances(graphs[:50], matcher="search", device="cuda")
    for matcher in ("search", "auto"):
        taken = seconds(lambda m=matcher: gm.pairwise_distances(graphs, matcher=m, device="cuda"))
        pairs = count * (count - 1) // 2
        said = f"all {pairs:,} distances of {count:,} molecules, matcher {matcher}"
        print(f"{said}: {taken:.1f} s, {pairs / taken:,.0f} per second", flush=True)


def _generate(data: str, count: int, seed: int) -> list[gm.Graph]:
    from generated import recombined

    graphs = gm.datasets.load_iam(data, "mutagenicity", None)[0]
    return recombined([g for g in graphs if g.n_nodes <= 40], count, seed=seed)


def make_molecules(data: str, count: int, path: Path) -> None:
    """Molecules put together from parts of real ones, as a Parquet file."""
    workers = len(os.sched_getaffinity(0))
    share = -(-count // workers)
    with multiprocessing.Pool(workers) as pool:
        parts = pool.starmap(_generate, [(data, share, seed) for seed in range(workers)])
    write_collection([g for part in parts for g in part][:count], path)


def measure_kmeans(data: str, count: int, k: int, cpu_count: int) -> None:
    """k-means from a Parquet file to labels, on the device and on two cores."""
    with tempfile.TemporaryDirectory() as folder:
        for where, n, options in (("cpu", cpu_count, {"n_jobs": 2}), ("cuda", cpu_count, {}), ("cuda", count, {})):
            if not n:
                continue
            path = Path(folder) / f"{n}.parquet"
            if not path.exists():
                made = seconds(lambda n=n, path=path: make_molecules(data, n, path))
                print(f"made {n:,} molecules in {made:.0f} s", flush=True)
            start = time.perf_counter()
            model = gm.GraphKMeans(k, random_state=0, device=where, verbose=1, **options).fit(gm.open_collection(path))
            taken = time.perf_counter() - start
            print(
                f"{where}: {n:,} molecules, k = {k}: {taken:.1f} s, objective {model.inertia_ / n:.5f} a molecule, "
                f"{model.n_iter_} iterations, {model.n_matchings_ + model.n_seeding_matchings_:,} matchings, "
                f"{model.certified_fraction_:.3f} certified; {device.kernel_total:.1f} s in kernels of the device",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pairs", "matrix", "kmeans"))
    parser.add_argument("--data", required=True)
    parser.add_argument("--pairs", type=int, default=400_000)
    parser.add_argument("--cpu-pairs", type=int, default=400)
    parser.add_argument("--graphs", type=int)
    parser.add_argument("--clusters", type=int, default=100)
    parser.add_argument("--cpu-graphs", type=int, default=5000)
    given = parser.parse_args()
    if given.what == "pairs":
        measure_pairs(given.data, given.pairs, given.cpu_pairs)
    elif given.what == "matrix":
        measure_matrix(given.data, given.graphs or 2000)
    else:
        measure_kmeans(given.data, given.graphs or 100_000, given.clusters, given.cpu_graphs)
