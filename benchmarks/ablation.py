"""What does each idea of the interval algorithm save? Each is taken away by itself, and the matchings are counted.

    python benchmarks/ablation.py --data FOLDER_WITH_IAM_ZIPS [--collections letter grec] [--seeds 3]

The result changes little or not at all: bounds only decide what need not be matched.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np

import graphmeans as gm
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import FitContext
from graphmeans.cluster.shards import assign, bounds, refine
from graphmeans.cluster.shards import seed as seeding
from graphmeans.cluster.shards.shard import Shard
from graphmeans.datasets.paper import COLLECTIONS
from graphmeans.nearest.sketches import Sketches


@contextmanager
def replaced(name: str, function: Callable) -> Iterator[None]:
    """An operation on shards is another one, wherever it is used."""
    with ExitStack() as stack:
        for module in (assign, bounds, refine, seeding):
            if hasattr(module, name):
                stack.enter_context(mock.patch.object(module, name, function))
        yield


@contextmanager
def incremental_means() -> Iterator[None]:
    """A mean takes a matching for every member but the first, as the paper's does: they are counted, not made."""
    sums = Shard.sums

    def counted(shard: Shard, centers):
        shard.matcher.counters.matchings["algorithm"] += max(0, len(shard) - centers.k)
        return sums(shard, centers)

    with mock.patch.object(Shard, "sums", counted):
        yield


def distances_matched_anew():
    """u = |x - y'| is not free: after each step every graph whose center moved is matched with it."""
    refresh = assign.refresh_distances

    def matched(shard: Shard, centers) -> None:
        refresh(shard, centers)
        if centers.now:
            assign.realign(shard, np.flatnonzero(centers.shift[-2, shard.state.labels] > 0), centers)

    return replaced("refresh_distances", matched)


@contextmanager
def no_sketches() -> Iterator[None]:
    """Nothing is known of a pair that was not assigned or matched."""

    def nothing(self, rows, others, c=slice(None)):
        return np.zeros((len(rows), len(others.norms[c])))

    with mock.patch.object(Sketches, "bounds", nothing):
        yield


def no_assignments():
    """No linear assignment between sketch and matching."""
    return replaced("lap_bounds_to_centers", lambda shard, x, y, centers: np.zeros(len(x)))


def no_margins():
    """An alignment is known to be the best one only as long as the center has not moved."""
    note = assign._note_alignment

    def forgetful(shard, x, found, centers, fresh):
        note(shard, x, found, centers, fresh)
        shard.state.set(x, second_alignment=np.minimum(shard.state.second_alignment[x], found.upper))

    return replaced("_note_alignment", forgetful)


@contextmanager
def seeding_forgotten() -> Iterator[None]:
    """The first iteration knows nothing of what seeding matched."""
    begin = IntervalLoop.from_seeds.__func__

    def anew(cls, context, engine, seeds, file=None):
        return begin(cls, context, engine, Seeds(seeds.centers, engine=seeds.engine), file)

    with mock.patch.object(IntervalLoop, "from_seeds", classmethod(anew)):
        yield


@contextmanager
def no_single_moves() -> Iterator[None]:
    """Plain k-means: fewer matchings, a higher objective."""
    with mock.patch.object(FitContext, "is_euclidean", True):
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
