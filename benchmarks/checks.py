"""What it costs to check everything that kernels index by, where it enters: ``python benchmarks/checks.py``.

Each job runs with the checks of `graphmeans.matching.sound` as they are, and with all of them replaced by functions that check
nothing; in turns, and the least time of each counts. It is the time of the processor, so that it matters less what else runs.
The ratio is what is asked for: 1.00 means that checking costs nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import graphmeans as gm
from graphmeans import space as spaces
from graphmeans.graphs.batch import offsets
from graphmeans.matching import auto, bounds, edge_bound, exact, fixed, graduated, pairs, search, sound
from graphmeans.means import frames

ROUNDS = 9
MODULES = (auto, bounds, edge_bound, exact, fixed, graduated, pairs, search, spaces, frames)


def unchecked() -> dict[str, Callable[..., Any]]:
    """Functions of the same names that believe what they are given."""
    return {
        "check_batch": lambda batch: None,
        "check_sides": lambda x, y: None,
        "sound_pairs": lambda x, y, given: np.ascontiguousarray(given, dtype=np.int64).reshape(-1, 2),
        "sound_order": lambda order: order,
        "sound_warm": lambda x, y, given, warm: warm,
        "sound_cutoff": lambda cutoff, count: np.full(count, np.inf) if cutoff is None else np.asarray(cutoff, dtype=np.float64),
    }


def jobs() -> dict[str, Callable[[], Any]]:
    letters, _ = gm.datasets.make_letters(300, random_state=0)
    encoder = gm.GraphEncoder().fit(letters)
    batch = encoder.transform(letters)
    space = gm.GraphSpace.for_graphs(batch, n_jobs=1)
    some = np.stack(np.triu_indices(120, k=1), axis=1)
    found = space.solve(batch, batch, some)
    rows = np.random.default_rng(0).normal(size=(5000, 10))
    large = gm.Graph(np.random.default_rng(1).normal(size=(40, 3)), [(i, (i + 1) % 40) for i in range(40)])
    assert (found.ptr == offsets(batch.sizes[some[:, 0]])).all()
    return {
        "one pair of letters, gm.distance": lambda: [gm.distance(letters[0], letters[1]) for _ in range(100)],
        "one pair of 40 nodes, gm.distance": lambda: gm.distance(large, large),
        "7,140 pairs of letters": lambda: space.solve(batch, batch, some),
        "7,140 pairs of letters, from warm mappings": lambda: space.solve(batch, batch, some, found.flat),
        "a fit of 300 letters, k = 15": lambda: gm.GraphKMeans(15, random_state=0, n_jobs=1).fit(letters),
        "a fit of 5,000 vectors, k = 8": lambda: gm.GraphKMeans(8, random_state=0, n_jobs=1, n_init=1).fit(rows),
    }


def seconds(job: Callable[[], Any]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def main() -> None:
    plain = unchecked()
    kept = {(module, name): getattr(module, name) for module in MODULES for name in plain if hasattr(module, name)}
    kept |= {(sound, name): getattr(sound, name) for name in ("check_batch", "check_sides")}
    print("| job | seconds | without checks | ratio |\n|---|---|---|---|")
    for name, job in jobs().items():
        job()
        with_checks, without = [], []
        for _ in range(ROUNDS):
            with_checks.append(seconds(job))
            try:
                for module, one in kept:
                    setattr(module, one, plain[one])
                without.append(seconds(job))
            finally:
                for (module, one), function in kept.items():
                    setattr(module, one, function)
        print(f"| {name} | {min(with_checks):.4f} | {min(without):.4f} | {min(with_checks) / min(without):.2f} |", flush=True)


if __name__ == "__main__":
    main()
