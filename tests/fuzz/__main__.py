"""Run the fuzzers and print how their cases ended: ``python tests/fuzz --minutes 5``, or ``--cases 20000 files``.

The fuzzers are calls (odd arguments of the library), files (of every format), models and checkpoints (signed, but wrong). The
exit status is 1 if any case ended in a signal, a traceback, a wrong answer, after more than 10 seconds or with more than 1 GiB.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import graphmeans as gm
from fuzz import harness, odd_calls, odd_files, signed


class Fuzzer(NamedTuple):
    """A kind of cases: how one is made, what may refuse it, what is made beforehand, and how many must be tried."""

    case: Callable[[int], Callable[[], object]]
    allowed: tuple[type[BaseException], ...]
    prepare: Callable[[], Any]
    cases: int


def warm_up() -> None:
    """Load every kernel before cases are forked."""
    graphs, _ = gm.datasets.make_letters(12, random_state=0)
    for matcher in ("exact", "search", "graduated"):
        gm.distance(graphs[0], graphs[1], matcher=matcher)
    gm.edge_bound(graphs[0], graphs[1])
    gm.mean(graphs[:3], random_state=0, n_jobs=1)
    gm.GraphKMeans(2, random_state=0, n_jobs=1, certify=True).fit(graphs)


FUZZERS: dict[str, Fuzzer] = {
    "calls": Fuzzer(odd_calls.case, odd_calls.ALLOWED, lambda: None, 5_000),
    "files": Fuzzer(odd_files.case, odd_files.ALLOWED, odd_files.prepare, 20_000),
    "models": Fuzzer(signed.model_case, signed.ALLOWED, signed.prepare_models, 5_000),
    "checkpoints": Fuzzer(signed.checkpoint_case, signed.ALLOWED, signed.prepare_checkpoints, 2_000),
}


def run(name: str, numbers: range, seconds: float = float("inf")) -> harness.Outcome:
    """Run cases of a fuzzer."""
    fuzzer = FUZZERS[name]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        before = tempfile.tempdir
        tempfile.tempdir = folder
        try:
            warm_up()
            fuzzer.prepare()
            return harness.run_cases(fuzzer.case, numbers, fuzzer.allowed, time.monotonic() + seconds)
        finally:
            tempfile.tempdir = before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FUZZERS)}; all by default")
    parser.add_argument("--cases", type=int, help="how many of each; 5,000 calls and models, 20,000 files, 2,000 checkpoints")
    parser.add_argument("--minutes", type=float, help="at most so long, all together")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first case")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(FUZZERS))
    if unknown:
        parser.error(f"there is no fuzzer {unknown[0]!r}")
    names = given.names or list(FUZZERS)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    bad = 0
    for name in names:
        seconds = float("inf") if given.minutes is None else 60 * given.minutes / len(names)
        count = given.cases or FUZZERS[name].cases
        start = time.monotonic()
        outcome = run(name, range(given.seed, given.seed + (count if given.minutes is None else 10**9)), seconds)
        harness.show(f"{name} ({time.monotonic() - start:.0f} s)", outcome)
        bad += len(outcome.bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
