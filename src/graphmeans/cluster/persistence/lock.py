"""A lock for a file that only one process may write: it is gone when the process is, however that ends."""

from __future__ import annotations

import contextlib
import importlib
import os
from pathlib import Path
from typing import Any

from graphmeans.graphs.errors import GraphError

try:
    fcntl: Any = importlib.import_module("fcntl")
except ImportError:  # Windows
    fcntl = None
    msvcrt: Any = importlib.import_module("msvcrt")

#: On Windows a locked byte cannot be read by others, so it is one far behind the number of the process, which they shall read.
BEHIND = 1 << 20


class FileLock:
    """Held from `acquire` to `release`, on a file beside the one that is meant.

    The system itself lets go of it when the process ends, also when it is killed: what is left behind is an empty file that
    the next one takes over.

    Parameters
    ----------
    path : path
        The file that only one process may write.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._of = path.with_name(path.name + ".lock"), path
        self._file: int | None = None

    def acquire(self) -> None:
        """Take the lock, or raise a `GraphError` that says who has it."""
        if self._file is not None:
            return
        while True:
            try:
                file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise GraphError(f"{self.path}: cannot be made ({error.strerror})") from None
            try:
                _lock(file)
            except OSError:
                holder = os.read(file, 100).decode(errors="replace").strip()
                os.close(file)
                who = f" (process {holder})" if holder.isdigit() else ""
                raise GraphError(f"{self._of}: another fit is writing this checkpoint{who}; name another file") from None
            if fcntl is None or self._is_there(file):  # Windows removes no file that is open
                break
            os.close(file)  # its owner removed it meanwhile: another process may hold a new one
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        self._file = file

    def release(self) -> None:
        """Let go of the lock, and remove its file."""
        if self._file is not None:
            if fcntl is None:
                os.close(self._file)
            with contextlib.suppress(OSError):
                self.path.unlink()
            if fcntl is not None:
                os.close(self._file)
            self._file = None

    def _is_there(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self.path))
        except OSError:
            return False


def _lock(file: int) -> None:
    """Lock an open file, or raise an OSError at once. The system lets go of it when the file is closed, whoever closes it."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    os.lseek(file, BEHIND, os.SEEK_SET)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    finally:
        os.lseek(file, 0, os.SEEK_SET)
