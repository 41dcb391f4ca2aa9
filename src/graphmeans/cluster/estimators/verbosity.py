"""What `verbose` does: the library logs, and the log is shown while a fit lasts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger("graphmeans")


@contextmanager
def shown(verbose: int) -> Iterator[None]:
    """The library logs; `verbose` shows the log while a fit lasts, unless the caller has set logging up."""
    if not verbose:
        yield
        return
    level, handler = logger.level, logging.StreamHandler()
    logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    shows = not logger.hasHandlers()
    if shows:
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.setLevel(level)
        if shows:
            logger.removeHandler(handler)
