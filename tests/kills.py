"""Kill fits at random moments and see that they go on as if nothing had happened: ``python tests/kills.py --kills 300``.

A fit runs in a process that is forked from this one, with a checkpoint; SIGKILL ends it after a random time, and another process
goes on, which may be killed in its turn. In the end labels, centers, trace and counts must be those of a fit that nobody
disturbed, bit by bit, and nothing of the checkpoint may be left. A fit on dask is killed with its scheduler and workers; a
mini-batch estimator has no checkpoint, but saves its model after every batch, and goes on from the file.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import graphmeans as gm

#: Columns of the trace that say how long something took, or how much was sent, which is not the same twice.
TIMES = ("seconds", "matching_seconds", "bytes_sent", "bytes_received", "rebuilt", "repeated_matchings")
#: What is fitted: data, parameters, and how often it is chosen.
CASES: dict[str, tuple[str, dict[str, Any], int]] = {
    "letters, swaps": ("letters", {}, 4),
    "letters, n_init=1": ("letters", {"n_init": 1}, 4),
    "letters, n_init=6": ("letters", {"n_init": 6}, 6),
    "letters, certify": ("letters", {"certify": True}, 4),
    "letters, two threads": ("many letters", {"n_jobs": 2}, 3),
    "molecules, swaps": ("molecules", {}, 3),
    "molecules, n_init=6": ("molecules", {"n_init": 6, "max_iter": 20}, 2),
    "mini-batch": ("letters", {"mini": True}, 3),
    "dask": ("letters", {"engine": "dask", "n_init": 1}, 1),
}
BATCHES = 6


def data_of(name: str) -> Any:
    """The graphs of a case."""
    if name == "letters":
        return gm.datasets.make_letters(90, random_state=0)[0]
    if name == "many letters":  # more than one shard
        return gm.datasets.make_letters(4500, random_state=1)[0]
    parts = ("CCO", "CC(=O)N", "c1ccccc1", "CCN(CC)CC", "OCC(O)CO", "c1ccncc1", "CC(C)C", "C1CCCC1", "CSC")
    return gm.from_smiles([b + a for a in parts for b in ("C", "CC", "N", "CO")])


def fit(case: str, graphs: Any, folder: Path) -> dict[str, Any]:
    """What a fit ends with; it goes on from what is in the folder, if anything is."""
    params = dict(CASES[case][1])
    if params.pop("mini", False):
        return _mini(graphs, folder)
    km = gm.GraphKMeans(5, **{"random_state": 0, "n_jobs": 1, **params, "checkpoint": folder / "c"})
    km.fit(graphs)
    left = sorted(path.name for path in folder.iterdir())
    trace = {name: np.asarray(km.trace_[name]).tolist() for name in km.trace_.dtype.names if name not in TIMES}
    counts = [km.n_matchings_, km.n_seeding_matchings_, km.n_evaluation_matchings_, km.n_iter_, km.certified_fraction_]
    centers = km.cluster_centers_
    return {"labels": km.labels_.tolist(), "inertia": km.inertia_, "distances": km.distances_.tolist(), "trace": trace,
            "counts": counts, "centers": (centers.nodes.tolist(), centers.ends.tolist(), centers.edge_values.tolist()),
            "left behind": left}  # fmt: skip


def _mini(graphs: Any, folder: Path) -> dict[str, Any]:
    path = folder / "model.gmz"
    parts = np.array_split(np.arange(len(graphs)), BATCHES)
    km: Any = gm.MiniBatchGraphKMeans(5, random_state=0, n_jobs=1)
    while True:
        done = 0
        if path.exists():
            km = gm.load(path)
            done = km.n_steps_
        if done == BATCHES:
            break
        km.partial_fit([graphs[i] for i in parts[done]]).save(path)
    left = sorted(p.name for p in folder.iterdir() if p.suffix == ".gmz")
    return {"centers": km.cluster_centers_.nodes.tolist(), "counts": km.counts_.tolist(), "left behind": left}


def in_child(case: str, graphs: Any, folder: Path, after: float | None) -> dict[str, Any] | None:
    """What a fit in a process of its own ends with; None if it was killed, as asked, after so many seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        os.close(reading)
        code = 1
        try:
            with os.fdopen(writing, "wb") as stream:
                stream.write(pickle.dumps(fit(case, graphs, folder)))
            code = 0
        except BaseException as error:
            print(f"{case}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(code)
    os.close(writing)
    if after is not None:
        time.sleep(after)
        _kill(child, with_children=case == "dask")
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and after is not None:
        return None
    if status:
        raise AssertionError(f"{case}: the process ended with status {status}")
    found: dict[str, Any] = pickle.loads(data)
    return found


def _kill(child: int, with_children: bool) -> None:
    """Kill a process; one on dask with its scheduler and workers, as if the machine had stopped."""
    below = []
    if with_children:
        import psutil

        with contextlib.suppress(psutil.NoSuchProcess):
            below = psutil.Process(child).children(recursive=True)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    for process in below:
        with contextlib.suppress(Exception):
            process.kill()


class Disturbed:
    """Fits that are killed, and what a fit that is not ends with."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, dict[str, Any], float]] = {}

    def undisturbed(self, case: str) -> tuple[Any, dict[str, Any], float]:
        """The graphs, the result, and how many seconds it takes."""
        if case not in self._known:
            graphs = data_of(CASES[case][0])
            with tempfile.TemporaryDirectory(prefix="kills-") as folder:
                start = time.monotonic()
                found = in_child(case, graphs, Path(folder), None)
                seconds = time.monotonic() - start
            assert found is not None
            self._known[case] = graphs, found, seconds
        return self._known[case]

    def kill(self, case: str, rng: np.random.Generator, most: int = 3) -> int:
        """Kill a fit at random moments, at most so often; returns how often that was before it was done."""
        graphs, expected, seconds = self.undisturbed(case)
        killed = 0
        with tempfile.TemporaryDirectory(prefix="kills-") as folder:
            found = None
            while found is None:
                after = float(rng.uniform(0.0, seconds)) if killed < most else None
                found = in_child(case, graphs, Path(folder), after)
                killed += found is None
        different = [name for name in expected if found[name] != expected[name]]
        assert not different, f"{case}: other {', '.join(different)} after {killed} kills"
        return killed


def random_case(rng: np.random.Generator, cases: dict[str, tuple[str, dict[str, Any], int]]) -> str:
    """The name of a case."""
    share = np.array([often for _, _, often in cases.values()], dtype=float)
    return str(rng.choice(list(cases), p=share / share.sum()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="at most so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[], metavar="CASE", help="cases that are left out")
    given = parser.parse_args()
    rng, disturbed, counted, tried = np.random.default_rng(given.seed), Disturbed(), Counter[str](), Counter[str]()
    cases = {name: case for name, case in CASES.items() if name not in given.without}
    warm_up()
    start, failed = time.monotonic(), 0
    while counted.total() < given.kills and time.monotonic() - start < 60 * given.minutes:
        case = random_case(rng, cases)
        tried[case] += 1
        try:
            counted[case] += disturbed.kill(case, rng)
        except AssertionError as error:
            failed += 1
            print(error, file=sys.stderr, flush=True)
    for case in cases:
        print(f"{case}: {tried[case]} fits, killed {counted[case]} times")
    print(f"{counted.total()} kills, {tried.total()} fits, {failed} ended otherwise; {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


def warm_up() -> None:
    """Load what fits need before processes are forked."""
    graphs, _ = gm.datasets.make_letters(20, random_state=0)
    gm.GraphKMeans(3, random_state=0, n_jobs=1, certify=True).fit(graphs)
    gm.distance(graphs[0], graphs[1], matcher="search")


if __name__ == "__main__":
    sys.exit(main())
