"""How much of the interval does each lower bound close, and what does it cost?

    python benchmarks/bounds.py [--data FOLDER_WITH_IAM_ZIPS] [--pairs 200] [--rounds 20] [--only letter,grec]

Random pairs of different graphs, seed 0, order "auto", standardised coordinates, one thread. `upper` comes from the exact
matcher with at most --max-nodes tree nodes: where it is not proven optimal the gap contains what the matcher misses. "gap"
is the mean of (upper - lower) / upper, "closed" the share of pairs with a gap below 1e-6. Times are microseconds a pair;
that of a sketch is sketching the collection and all N x N distances, divided by N x N.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import graphmeans as gm
from graphmeans.datasets.paper import COLLECTIONS
from graphmeans.matching import bounds
from graphmeans.matching.edge_bound import edge_bounds
from graphmeans.matching.sketch import SKETCH_KINDS, sketch_batch, sketch_distances
from graphmeans.space import resolve_order

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--data", default="../shared/data/iam")
parser.add_argument("--pairs", type=int, default=200)
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--max-nodes", type=int, default=2000)
parser.add_argument("--only", default="letter,fingerprint,grec,molecules")
options = parser.parse_args()


def timed(work: Callable[[], np.ndarray]) -> tuple[np.ndarray, float]:
    """The result, and the least time of several runs as long as they take less than a second together."""
    seconds: list[float] = []
    while not seconds or (sum(seconds) < 1.0 and len(seconds) < 20):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return result, min(seconds)


print("| data | rows | upper proven | bound | gap | closed | us a pair |\n|---|---|---|---|---|---|---|")
for name in options.only.split(","):
    graphs, _ = COLLECTIONS[name][0](options.data)
    batch = gm.GraphEncoder(numbers="keep").fit_transform(graphs)
    order = resolve_order("auto", batch)
    pairs = np.random.default_rng(0).integers(len(graphs), size=(2 * options.pairs, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]][: options.pairs]
    x, y = pairs.T
    rows = bounds.rows_needed(batch, batch, pairs, order)[0]
    matches = gm.Exact(max_tree_nodes=options.max_nodes).solve(batch, batch, pairs, order, n_jobs=1)
    upper, proven = matches.upper, (matches.upper - matches.lower <= 1e-9 * matches.upper).mean()
    sketched: dict[str, np.ndarray] = {}

    def sketches(kind: str) -> np.ndarray:
        f = sketch_batch(batch, order, kind)
        sketched[kind] = sketch_distances(f, f)[x, y]
        return sketched[kind]

    def edges(rounds: int, known: np.ndarray | None) -> np.ndarray:
        return edge_bounds(batch, batch, pairs, order, 1, rounds=rounds, upper=known)

    every = len(graphs) ** 2
    measures: list[tuple[str, Callable[[], np.ndarray], int]] = [
        ("norm", lambda: bounds.norm_bounds(batch, batch, pairs), len(pairs)),
        *[(f"sketch, {kind}", lambda kind=kind: sketches(kind), every) for kind in SKETCH_KINDS],
        ("sorted-row LAP", lambda: bounds.lap_bounds(batch, batch, pairs, order, 1), len(pairs)),
        ("edge program, 5 rounds", lambda: edges(5, None), len(pairs)),
        (f"edge program, {options.rounds} rounds", lambda: edges(options.rounds, None), len(pairs)),
        (f"edge program, {options.rounds} rounds, upper known", lambda: edges(options.rounds, upper), len(pairs)),
    ]
    bounds.lap_bounds(batch, batch, pairs[:1], order, 1)  # compile
    edges(1, None)

    def line(label: str, lower: np.ndarray, microseconds: float) -> None:
        assert (lower <= upper * (1 + 1e-9) + 1e-9).all(), f"{label} exceeds an upper bound"
        gap = (upper - lower) / np.where(upper > 0, upper, 1.0)
        print(f"| {name} | {rows.mean():.1f} | {proven:.2f} | {label} | {gap.mean():.4f} | {(gap < 1e-6).mean():.3f} "
              f"| {microseconds:.3g} |", flush=True)  # fmt: skip

    spent = 0.0
    for label, work, count in measures:
        lower, seconds = timed(work)
        line(label, lower, seconds / count * 1e6)
        if label.startswith("sketch"):
            spent += seconds / count * 1e6
        if len(sketched) == len(SKETCH_KINDS) and label.startswith("sketch"):
            line("sketch, the larger of both", np.maximum(*sketched.values()), spent)
