"""Worker processes on this machine, for as long as a cluster is asked for."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import SpecCluster
from distributed.deploy.subprocess import SubprocessScheduler, SubprocessWorker
from distributed.worker_memory import parse_memory_limit

logger = logging.getLogger("graphmeans")

#: Workers write to our terminal, and what goes wrong in them is said here.
QUIET = logging.CRITICAL


class Worker(SubprocessWorker):
    """A worker in a session of its own: Ctrl-C on a terminal is for the process that was started there."""

    async def _start(self) -> None:
        spec = json.dumps({"cls": self.worker_class, "opts": self.worker_kwargs})
        command = [sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec]
        self.process = await asyncio.create_subprocess_exec(*command, start_new_session=True)


def local_cluster(count: int) -> Any:
    """A scheduler and so many workers of one thread each.

    They are started, not forked or spawned: a script needs no ``if __name__ == "__main__"``. Call it inside of
    `held_interrupts`, and keep what it returns before that ends: it must be closed also when Ctrl-C has come meanwhile.
    """
    logger.info("starting %d worker processes", count)
    limit = parse_memory_limit("auto", 1, count, logger=logger)
    options = {"host": "127.0.0.1", "nthreads": 1, "dashboard": False, "silence_logs": QUIET, "memory_limit": limit}
    worker = {"cls": Worker, "options": {"worker_kwargs": options}}
    scheduler = {
        "cls": SubprocessScheduler,
        "options": {"scheduler_kwargs": {"host": "127.0.0.1", "port": 0, "dashboard": False}},
    }
    workers = dict.fromkeys(range(count), worker)
    return SpecCluster(workers=workers, worker=worker, scheduler=scheduler, silence_logs=QUIET, name="graphmeans")


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until the end of this context; processes that are started inside ignore it.

    The scheduler stays in our session, so it ends when the terminal does.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
