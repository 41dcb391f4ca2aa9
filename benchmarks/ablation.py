"""What does each idea of the interval algorithm save? Each is taken away by itself, and the matchings are counted.

    python benchmarks/ablation.py --data FOLDER_WITH_IAM_ZIPS [--collections letter grec] [--seeds 3]

The result changes little or not at all: bounds only decide what need not be matched.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np

import graphmeans as gm
from graphmeans.cluster.algorithms.interval import Descent
from graphmeans.cluster.centers.frame_centers import Sketches
from graphmeans.cluster.context import Problem
from graphmeans.cluster.shards.shard import Shard
from graphmeans.datasets.paper import COLLECTIONS


@contextmanager
def incremental_means() -> Iterator[None]:
    """A mean takes a matching for every member but the first, as the paper's does: they are counted, not made."""
    sums = Shard.sums

    def counted(shard: Shard, centers):
        shard.matchings.ledger.matchings["algorithm"] += max(0, len(shard) - centers.k)
        return sums(shard, centers)

    with mock.patch.object(Shard, "sums", counted):
        yield


@contextmanager
def distances_matched_anew() -> Iterator[None]:
    """u = |x - y'| is not free: after each step every graph whose center moved is matched with it."""
    follow = Shard.follow

    def matched(shard: Shard, centers) -> None:
        follow(shard, centers)
        shard.realign(np.flatnonzero(centers.drift[-2, shard.labels] > 0), centers)

    with mock.patch.object(Shard, "follow", matched):
        yield


@contextmanager
def no_sketches() -> Iterator[None]:
    """Nothing is known of a pair that was not assigned or matched."""

    def nothing(self, rows, others, c=slice(None)):
        return np.zeros((len(rows), len(others.norms[c])))

    with mock.patch.object(Sketches, "bounds", nothing):
        yield


@contextmanager
def no_assignments() -> Iterator[None]:
    """No linear assignment between sketch and matching."""
    with mock.patch.object(Shard, "_assignments", lambda self, x, y, centers: np.zeros(len(x))):
        yield


@contextmanager
def no_margins() -> Iterator[None]:
    """An alignment is known to be the best one only as long as the center has not moved."""
    note = Shard._note_alignment

    def forgetful(self, x, found, centers, fresh):
        note(self, x, found, centers, fresh)
        self.rival[x] = np.minimum(self.rival[x], found.upper)

    with mock.patch.object(Shard, "_note_alignment", forgetful):
        yield


@contextmanager
def seeding_forgotten() -> Iterator[None]:
    """The first iteration knows nothing of what seeding matched."""
    begin = Descent.__init__

    def anew(self, problem: Problem, seeds, *args) -> None:
        problem.seeds = None
        begin(self, problem, seeds, *args)

    with mock.patch.object(Descent, "__init__", anew):
        yield


@contextmanager
def no_single_moves() -> Iterator[None]:
    """Plain k-means: fewer matchings, a higher objective."""
    with mock.patch.object(Problem, "is_euclidean", True):
        yield


@contextmanager
def everything() -> Iterator[None]:
    """As it is."""
    yield


VARIANTS: dict[str, Callable] = {
    "all ideas": everything,
    "without lifted means": incremental_means,
    "without free upper bounds": distances_matched_anew,
    "without sketches": no_sketches,
    "without assignments": no_assignments,
    "without sketches and assignments": no_sketches,
    "without margins of alignments": no_margins,
    "without what seeding knew": seeding_forgotten,
    "without single moves": no_single_moves,
}


def main() -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data/iam")
    parser.add_argument("--collections", nargs="+", default=["letter", "grec"], choices=list(COLLECTIONS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--effort", type=float, default=0.1)
    options = parser.parse_args()
    for name in options.collections:
        load, k = COLLECTIONS[name]
        graphs, _ = load(options.data)
        print(f"\n| {name}, k = {k} | matchings after seeding | times as many | assignments | objective |\n|---|---|---|---|---|")
        least = 0.0
        for variant, changed in VARIANTS.items():
            found = []
            for seed in range(options.seeds):
                both = no_assignments if variant == "without sketches and assignments" else everything
                with changed(), both():
                    km = gm.GraphKMeans(k, n_init=1, effort=options.effort, random_state=seed).fit(graphs)
                found.append((km.n_matchings_, km.trace_["assignment_bounds"].sum(), km.inertia_))
            matchings, assignments, objective = np.mean(found, axis=0)
            least = least or matchings
            print(f"| {variant} | {matchings:.0f} | {matchings / least:.1f} | {assignments:.0f} | {objective:.1f} |", flush=True)


if __name__ == "__main__":
    main()
