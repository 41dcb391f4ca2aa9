"""The progress of a long run, and of the many runs of `graphmeans paper`, shown from the library's log records."""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from graphmeans.paper.protocol import RunSetting, Watcher
from graphmeans.plots.text import plain_text
from graphmeans.report.words import counted, duration, number

#: The share of the time of a run after which it is seeded, and after which swaps of centers begin: of graphs that are quickly
#: matched, and of larger ones, whose candidates are sifted by the edge program.
SEEDING_ENDS, RUN_ENDS = 0.6, 0.7
SEEDING_OF_LARGE_ENDS, RUN_OF_LARGE_ENDS = 0.3, 0.75
#: What is left is not said in the first seconds, nor before this share is done.
SOON, TOO_LITTLE = 5.0, 0.05


class ProgressHandler(logging.Handler):
    """Shows log records: one with a `trace` moves the bar, another message is shown beside it, a warning is a line above.

    Runs may go side by side: the bar shows the one that is farthest, and never goes back. What is left is estimated from what
    has been done since the first record.
    """

    def __init__(self, progress: Progress | None, task: TaskID | None) -> None:
        super().__init__(logging.DEBUG)
        self.progress, self.task = progress, task
        self.done = 0.0
        self.sampled: dict[int | None, float] = {}  # where the samples of runs end
        self.began = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record."""
        try:
            trace: dict[str, Any] | None = getattr(record, "trace", None)
            if record.levelno >= logging.WARNING and trace is None:
                console = self.progress.console if self.progress is not None else Console(stderr=True)
                line = f"graphmeans: {record.levelname.lower()}: {plain_text(record.getMessage())}"
                console.print(line, markup=False, highlight=False, soft_wrap=True)
            elif self.progress is None or self.task is None:
                return
            elif trace is not None:
                runs = max(int(trace.get("n_runs") or 1), 1)
                self.done = max(self.done, min(done_of(trace, self.sampled.get(trace.get("run"), 0.0)), runs))
                if (end := (trace.get("part") or (0.0, 1.0))[1]) < 1.0:
                    self.sampled[trace.get("run")] = end
                left = time_left(time.monotonic() - self.began, self.done / runs)
                said = escape(progress_line(trace, record.getMessage()) + left)
                self.progress.update(self.task, description=said, total=runs, completed=self.done)
            elif record.levelno >= logging.INFO:
                self.progress.update(self.task, description=escape(plain_text(record.getMessage(), 120)))
        except Exception:  # as every logging handler: showing progress must not end the work
            self.handleError(record)


def progress_line(trace: dict[str, Any], message: str) -> str:
    """One line about how far a run is.

    Examples
    --------
    >>> progress_line({"phase": "iteration", "iteration": 3, "inertia": 81.5, "moved": 1}, "")
    'iteration 3, objective 81.5, 1 moved'
    """
    phase = trace.get("phase", "iteration")
    if phase == "compile":
        return plain_text(message, 120)
    parts = []
    if int(trace.get("n_runs") or 1) > 1:
        parts.append(f"run {int(trace.get('run') or 0) + 1} of {trace['n_runs']}")
    if phase in ("swaps", "swap"):
        tried = f": {counted(int(trace['tried']), 'swap')} tried, {trace['kept']} kept" if "tried" in trace else ""
        parts.append(f"moving centers elsewhere{tried}")
    elif phase == "proof":
        parts.append(f"proving labels: {number(int(trace['tried']))} tried with {counted(int(trace['limit']), 'tree node')}")
    else:
        parts.append("seeding" if phase == "seeding" else f"iteration {trace.get('iteration')}")
    if phase not in ("seeding", "swap") and trace.get("inertia") is not None:
        parts.append(f"objective {number(trace['inertia'])}")
    if phase not in ("seeding", "swap") and trace.get("moved") is not None:
        parts.append(f"{number(int(trace['moved']))} moved")
    return ", ".join(parts)


def time_left(elapsed: float, done: float) -> str:
    """What is left at the pace so far, in words; nothing as long as there is little to judge by.

    Examples
    --------
    >>> time_left(60.0, 0.5), time_left(2.0, 0.5)
    (', about 1 min 0 s left', '')
    """
    if elapsed < SOON or not TOO_LITTLE < done < 1.0:
        return ""
    return f", about {duration(elapsed * (1.0 - done) / done)} left"


def done_of(trace: dict[str, Any], begin: float = 0.0) -> float:
    """The number of finished runs, plus the share of the present one that is done.

    A run is seeding, iterations, and swaps of centers where they follow; each takes about the share of the time that is said
    above. A sample that is clustered first is a part of the run; what follows it begins at `begin`, and has its seeds. While
    labels are proven, it is the share of the stages that are done.
    """
    first, end = trace.get("part") or (0.0, 1.0)
    if end == 1.0:
        first = max(first, begin)
    return int(trace.get("run") or 0) + first + (end - first) * _done_within(trace, is_seeded=first > 0.0)


def _done_within(trace: dict[str, Any], is_seeded: bool) -> float:
    """The share of a part of a run that is done."""
    phase, large = trace.get("phase", "iteration"), bool(trace.get("sifts"))
    seeded, settled = (SEEDING_OF_LARGE_ENDS, RUN_OF_LARGE_ENDS) if large else (SEEDING_ENDS, RUN_ENDS)
    if phase == "swap":
        return settled
    if phase == "seeding":
        return seeded * float(trace.get("share") or 0.0)
    if phase == "swaps":
        return settled + (1.0 - settled) * float(trace["share"])
    if "share" in trace:
        return float(trace["share"])
    begins, ends = 0.0 if is_seeded else seeded, settled if trace.get("swaps_follow") else 1.0
    return begins + (ends - begins) * (_sharpened(trace) if large else _settled(trace))


def _settled(trace: dict[str, Any]) -> float:
    """How much of a run's iterations is done: fewer and fewer graphs move, and when none does, single ones are tried."""
    graphs, moved = max(int(trace.get("n_graphs") or 1), 1), int(trace.get("moved") or 0)
    settled = 1.0 - math.log1p(min(moved, graphs)) / math.log1p(graphs)
    return 0.7 * settled + 0.3 * (1.0 - math.exp(-int(trace.get("iteration") or 0) / 30))


def _sharpened(trace: dict[str, Any]) -> float:
    """The same of larger graphs, whose alignments become sharper and sharper: as it was on collections of molecules."""
    return 1.0 - math.exp(-0.35 * int(trace.get("iteration") or 0) ** 0.7)


def wanted(quiet: bool) -> bool:
    """Whether progress is shown: on a terminal, but not in a pipe, nor with --quiet."""
    return not quiet and sys.stdout.isatty() and sys.stderr.isatty()


@contextmanager
def shown_progress(start: str, *, quiet: bool) -> Iterator[None]:
    """Show the library's progress on stderr while the body runs; without a terminal, only its warnings."""
    if not wanted(quiet):
        with log_records_to(ProgressHandler(None, None), level=None):
            yield
        return
    with _bar(SpinnerColumn(), BarColumn(bar_width=16)) as progress:
        task = progress.add_task(escape(plain_text(start)), total=None)
        with log_records_to(ProgressHandler(progress, task)):
            yield


@contextmanager
def log_records_to(handler: logging.Handler, level: int | None = logging.DEBUG) -> Iterator[None]:
    """Hand the library's log records from this level on to a handler while the body runs; None leaves the level as it is."""
    logger = logging.getLogger("graphmeans")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(before if level is None else level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def _bar(*columns: Any) -> Progress:
    shown = *columns, TextColumn("{task.description}"), TimeElapsedColumn()
    return Progress(*shown, console=Console(stderr=True), transient=True)


class PaperProgress(logging.Handler, Watcher):
    """A bar for all runs, and below it what each thread is doing, from the library's log records."""

    def __init__(self, progress: Progress, total: int, done: int) -> None:
        super().__init__(logging.DEBUG)
        self.progress = progress
        self.all = progress.add_task("runs", total=total, completed=done)
        self.lines: dict[int, tuple[TaskID, str]] = {}

    def started(self, setting: RunSetting) -> None:
        """A run begins on this thread."""
        thread = threading.get_ident()
        line = self.lines[thread][0] if thread in self.lines else self.progress.add_task("", total=None)
        self.lines[thread] = line, str(setting)
        self.progress.reset(line, description=escape(f"{setting}: reading"))

    def finished(self, setting: RunSetting) -> None:
        """One more run is done."""
        self.progress.advance(self.all)

    def emit(self, record: logging.LogRecord) -> None:
        """Show how far a run is, and warnings above everything."""
        try:
            trace: dict[str, Any] | None = getattr(record, "trace", None)
            if trace is None:
                if record.levelno >= logging.WARNING:
                    self.progress.console.print(f"graphmeans: {plain_text(record.getMessage())}", markup=False)
            elif record.thread in self.lines:
                line, what = self.lines[record.thread]
                self.progress.update(line, description=escape(f"{what}: {progress_line(trace, record.getMessage())}"))
            else:
                self.progress.update(self.all, description=escape(progress_line(trace, record.getMessage())))
        except Exception:  # as every logging handler: showing progress must not end the work
            self.handleError(record)


@contextmanager
def watched(total: int, done: int, *, quiet: bool) -> Iterator[Watcher]:
    """Show the work on stderr while the body runs, if there is a terminal."""
    if not wanted(quiet):
        yield Watcher()
        return
    with _bar(BarColumn(bar_width=16), MofNCompleteColumn()) as progress:
        shown = PaperProgress(progress, total, done)
        with log_records_to(shown):
            yield shown
