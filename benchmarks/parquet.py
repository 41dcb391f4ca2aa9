"""How fast is a Parquet collection written, fitted and encoded? Straight from the buffers, and through `Graph` objects.

    python benchmarks/parquet.py [--graphs 1000000] [--columns letters|mixed]

Both ways are measured in the same run, the one through objects on at most 20,000 graphs; the ratio is theirs. Memory is what
fitting and encoding the whole collection, in a process of its own, takes at most, beside what importing the library takes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import graphmeans as gm
from graphmeans.io import write_parquet

SAMPLE = 20_000
ALONE = """
import sys
import graphmeans as gm, pyarrow.parquet
from graphmeans.io.parquet.collection import open_collection
def most():  # Linux: the most this process has held, in KiB
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
before = most()
collection = open_collection(sys.argv[1])
encoder = gm.GraphEncoder().fit_batches(collection.arrays())
assert sum(len(batch) for batch in collection.encoded(encoder)) == len(collection)
print(before / 1024, most() / 1024)
"""


def mixed(count: int) -> list[gm.Graph]:
    """Paths of 3 to 8 nodes with numbers, vectors, strings, missing values and roles."""
    rng = np.random.default_rng(0)
    graphs = []
    for i in range(count):
        n = int(rng.integers(3, 9))
        nodes = {"charge": rng.normal(size=n), "position": rng.normal(size=(n, 3)), "element": rng.choice(["C", "N", "O"], n),
                 "sometimes": [None if rng.random() < 0.2 else 1.0 for _ in range(n)]}  # fmt: skip
        bonds = {"order": rng.choice(["single", "double"], n - 1), "length": 1 + rng.random(n - 1)}
        ends = [(j, j + 1) for j in range(n - 1)]
        graphs.append(gm.Graph(nodes, ends, bonds, roles=["end", *["inner"] * (n - 2), "end"], name=f"m{i}"))
    return graphs


def rate(work: Callable[[], int]) -> float:
    """Graphs per second."""
    start = time.perf_counter()
    count = work()
    return count / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=100_000)
    parser.add_argument("--columns", choices=("letters", "mixed"), default="letters")
    options = parser.parse_args()
    sample = gm.datasets.make_letters(SAMPLE, random_state=0)[0] if options.columns == "letters" else mixed(SAMPLE)
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "all.parquet", Path(folder) / "some.parquet"
        stream = itertools.islice(itertools.cycle(sample), options.graphs)
        print(f"{options.graphs:,} graphs, {options.columns}")
        print(f"write            {rate(lambda: write_parquet(stream, path)):12,.0f} graphs a second")
        print(f"on disk          {os.path.getsize(path) / options.graphs:12,.1f} bytes a graph")
        write_parquet(sample, small)
        collection, some = gm.open_collection(path), gm.open_collection(small)
        encoder = gm.GraphEncoder()
        flat = rate(lambda: encoder.fit_batches(collection.arrays()) and len(collection))
        objects = rate(lambda: gm.GraphEncoder().fit_batches(some.batches()) and len(some))
        print(f"fit the encoder  {flat:12,.0f} graphs a second, through objects {objects:,.0f}: {flat / objects:.0f} times")
        flat = rate(lambda: sum(len(batch) for batch in collection.encoded(encoder)))
        objects = rate(lambda: sum(len(encoder.transform(batch)) for batch in some.batches()))
        print(f"encode           {flat:12,.0f} graphs a second, through objects {objects:,.0f}: {flat / objects:.0f} times")
        which = np.random.default_rng(0).integers(len(collection), size=100)
        start = time.perf_counter()
        collection.take(which)
        seconds = time.perf_counter() - start
        print(f"take 100         {seconds:12.2f} seconds, scattered over {collection.n_partitions} partitions")
        said = subprocess.run([sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=True)
        before, most = map(float, said.stdout.split())
        print(f"memory           {most:12,.0f} MiB to fit and encode all of them, {before:.0f} of it the imported packages")


if __name__ == "__main__":
    main()
