"""How large is a report, and how long does it take to make, alone and as a share of the fit in the same run?

    .venv/bin/python benchmarks/report.py            # 750 letters, and 3,000 in 200 clusters
    .venv/bin/python benchmarks/report.py --large    # 100,000 letters as well: fitted on 1,500, the others assigned
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import graphmeans as gm
from graphmeans.report import write_report


def measure(what: str, n: int, k: int, fit_on: int, folder: Path) -> None:
    graphs, y = gm.datasets.make_letters(n, random_state=0)
    start = perf_counter()
    km = gm.GraphKMeans(k, algorithm="interval", init="k-means++", n_init=1, random_state=0).fit(graphs[:fit_on])
    fitting = perf_counter() - start
    if fit_on < n:
        distances = km.transform(graphs)
        km.labels_, km.distances_ = distances.argmin(axis=1).astype(np.int32), distances.min(axis=1)
    start = perf_counter()
    path = write_report(folder / "report.html", estimator=km, graphs=graphs, classes=y.tolist())
    seconds = perf_counter() - start
    print(f"{what:32s} {path.stat().st_size / 1e6:6.2f} MB {seconds:6.1f} s, {seconds / fitting:.2f} of fitting {fit_on:,}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graphs, _ = gm.datasets.make_letters(30, random_state=0)
        warm = gm.GraphKMeans(3, algorithm="interval", n_init=1, random_state=0).fit(graphs)
        write_report(folder / "warm.html", estimator=warm, graphs=graphs)  # kernels compile once
        measure("750 letters, 15 clusters", 750, 15, 750, folder)
        measure("3,000 letters, 200 clusters", 3000, 200, 3000, folder)
        if "--large" in sys.argv:
            measure("100,000 letters, 15 clusters", 100_000, 15, 1500, folder)


if __name__ == "__main__":
    main()
