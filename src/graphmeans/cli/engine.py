"""Who does the work of a command: threads of this process, processes on this machine, or an existing dask cluster."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

logger = logging.getLogger("graphmeans")


class Engine(str, Enum):
    """Who works."""

    threads = "threads"
    dask = "dask"


Workers = Annotated[
    Engine | None,
    typer.Option(
        "--engine",
        help="Who works: threads here, or dask (worker processes here, or those of --scheduler). The result is the same.",
        show_default="threads",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A running dask scheduler: its address (tcp://host:8786), or the file it wrote with --scheduler-file. "
        "Implies --engine dask.",
        show_default=False,
    ),
]


def chosen(engine: Engine | None, scheduler: str | None) -> str:
    """ "threads", "dask" for processes on this machine, or the address of a scheduler."""
    if scheduler is None:
        return (engine or Engine.threads).value
    if engine == Engine.threads:
        raise ValueError("--scheduler is for --engine dask; with --engine threads nobody would ask it")
    path = Path(scheduler)
    if not path.is_file():
        if path.suffix == ".json" and "://" not in scheduler:
            raise ValueError(f"--scheduler {scheduler}: no such file")
        return scheduler
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"--scheduler {scheduler}: is no file that a dask scheduler wrote") from None


@contextmanager
def working(where: str, jobs: int | None) -> Iterator[Any]:
    """The cluster that works while the body runs, its workers checked; None for threads of this process."""
    if where == Engine.threads.value:
        yield None
        return
    from graphmeans.cluster.engines.dask_client import need_distributed
    from graphmeans.cluster.estimators.workers import open_workers

    need_distributed()
    if where != Engine.dask.value:
        logger.info("preparing the workers of %s", where)
    with _without_their_log(), open_workers(where, jobs) as client:
        assert client is not None
        logger.info("%d workers are ready", len(client.workers()))
        yield client


@contextmanager
def _without_their_log() -> Iterator[None]:
    """dask logs tracebacks when workers or connections are lost; the library says in a line what that means for the work."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
