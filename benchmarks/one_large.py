"""What one large graph among many small ones costs: a collection with and without it, in one run.

    python benchmarks/one_large.py [--graphs 100] [--nodes 417]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import graphmeans as gm
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import resolve_order


def molecule(rng: np.random.Generator, n: int) -> gm.Graph:
    """A random tree with some rings, like a molecule."""
    edges = {(max(0, i - 1 - int(rng.integers(0, 3))), i) for i in range(1, n)}
    for _ in range(n // 6):
        a, b = sorted(rng.choice(n, 2, replace=False).tolist())
        edges.add((a, b))
    atoms = rng.choice(["C", "N", "O", "H", "S"], p=[0.5, 0.1, 0.15, 0.2, 0.05], size=n).tolist()
    return gm.Graph({"chem": atoms}, sorted(edges), {"valence": rng.choice([1.0, 2.0], size=len(edges)).tolist()})


def main() -> None:
    """Time sketches and a fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=417, help="of the large one")
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    small = [molecule(rng, int(rng.integers(8, 25))) for _ in range(asked.graphs)]
    large = molecule(rng, asked.nodes)
    gm.GraphKMeans(3, n_init=1, random_state=0, n_jobs=1).fit(small[:20])
    seconds = {}
    for name, graphs in (("without", small), ("with", [*small[:-1], large])):
        batch = gm.GraphEncoder().fit_transform(graphs)
        start = time.perf_counter()
        Sketches.of(batch, resolve_order("auto", batch))
        sketched = time.perf_counter() - start
        km = gm.GraphKMeans(10, n_init=1, random_state=0, n_jobs=1)
        start = time.perf_counter()
        km.fit(graphs)
        fitted = time.perf_counter() - start
        seconds[name] = sketched, fitted
        a_matching = fitted / (km.n_matchings_ + km.n_seeding_matchings_)
        print(f"{name:8} sketches {sketched:6.3f} s, fit {fitted:6.1f} s, {1000 * a_matching:.1f} ms a matching")
    ratio = [after / before for before, after in zip(seconds["without"], seconds["with"], strict=True)]
    print(f"the large graph makes sketches take {ratio[0]:.1f} times, the fit {ratio[1]:.2f} times as long")


if __name__ == "__main__":
    main()
