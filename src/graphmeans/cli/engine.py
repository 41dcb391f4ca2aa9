"""What does the work of a command: threads of this process, processes on this machine, or an existing dask cluster."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphmeans.cli.options import EngineName

logger = logging.getLogger("graphmeans")


def engine_address(engine: EngineName | None, scheduler: str | None) -> str:
    """ "threads", "dask" for processes on this machine, or the address of a scheduler."""
    if scheduler is None:
        return (engine or EngineName.threads).value
    if engine == EngineName.threads:
        raise ValueError("--scheduler is for --engine dask; with --engine threads it would not be used")
    path = Path(scheduler)
    if not path.is_file():
        if path.suffix == ".json" and "://" not in scheduler:
            raise ValueError(f"--scheduler {scheduler}: no such file")
        return scheduler
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"--scheduler {scheduler}: is not a file that a dask scheduler wrote") from None


@contextmanager
def connected_workers(where: str, jobs: int | None) -> Iterator[Any]:
    """The dask cluster that works while the body runs, its workers checked; None for threads of this process."""
    if where == EngineName.threads.value:
        yield None
        return
    from graphmeans.cluster.engines.dask_client import need_distributed
    from graphmeans.cluster.estimators.workers import open_workers

    need_distributed()
    if where != EngineName.dask.value:
        logger.info("preparing the workers of %s", where)
    with _without_their_log(), open_workers(where, jobs) as client:
        assert client is not None
        logger.info("%d workers are ready", len(client.workers()))
        yield client


@contextmanager
def _without_their_log() -> Iterator[None]:
    """Silence dask, which logs tracebacks when workers are lost: the library says in one line what that means."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
