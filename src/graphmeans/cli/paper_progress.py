"""What `graphmeans paper` shows while it works: how many runs are done, and a line for each that is under way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from graphmeans.cli.progress import log_records_to, progress_line, wanted
from graphmeans.paper.protocol import RunSetting
from graphmeans.plots.text import plain_text


class NoProgress:
    """Shows nothing."""

    def started(self, setting: RunSetting) -> None:
        """Nothing to show."""

    def finished(self, setting: RunSetting) -> None:
        """Nothing to show."""


class PaperProgress(logging.Handler):
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
def watched(total: int, done: int, *, quiet: bool) -> Iterator[NoProgress | PaperProgress]:
    """Show the work on stderr while the body runs, if there is a terminal."""
    if not wanted(quiet):
        yield NoProgress()
        return
    columns = (BarColumn(bar_width=16), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        shown = PaperProgress(progress, total, done)
        with log_records_to(shown):
            yield shown
