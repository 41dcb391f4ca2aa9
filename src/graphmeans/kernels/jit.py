"""The one decorator of all kernels: compiled once, kept on disk, without the GIL.

numba's own cache looks only at the file a kernel stands in, not at the kernels it calls. Here every cached kernel
carries a fingerprint of the whole folder instead, so a change in any kernel, or another version of graphmeans or numba,
compiles anew. Each compiled kernel is a file of its own, named after what it was compiled for, with a checksum: one that is
damaged or half written, or cannot be written at all, is compiled again, and processes that compile at the same time do not get in
each other's way. Where nothing can be written (a read-only install), or where a future numba hides what is needed for this,
kernels are compiled once a process. ``GRAPHMEANS_CACHE=0`` switches the cache off. With
``NUMBA_DISABLE_JIT=1`` nothing is compiled: kernels are the plain functions they are written as, for a debugger or for
coverage, and many times slower.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.serialize import dumps

logger = logging.getLogger("graphmeans")

F = TypeVar("F", bound=Callable[..., Any])


def _fingerprint() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


_FINGERPRINT = _fingerprint()
#: Whether kernels are compiled at all.
COMPILED = not numba.config.DISABLE_JIT
_CACHED = COMPILED and os.environ.get("GRAPHMEANS_CACHE", "1") not in ("0", "off", "no", "false")
_announced = False
#: The kernels that Python calls.
_kernels: list[Any] = []


def kernel(function: F) -> F:
    """Compile a kernel that Python calls; it is cached on disk and takes the kernels it calls along."""
    dispatcher = numba.njit(nogil=True)(function)
    if _CACHED:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dispatcher.enable_caching()
            _guard(dispatcher._cache)
        except (RuntimeError, OSError, AttributeError):
            dispatcher = numba.njit(nogil=True)(function)
    _kernels.append(dispatcher)
    return dispatcher


def kernels_ready() -> int:
    """How many versions of kernels this process has compiled or read from disk so far; it is no part of what work takes."""
    return sum(len(getattr(dispatcher, "overloads", ())) for dispatcher in _kernels)


class CacheFolder:
    """The compiled versions of one kernel on disk, in place of numba's own `IndexDataCacheFile`."""

    def __init__(self, folder: str, name: str) -> None:
        self.folder, self.name = Path(folder), f"{name}.{_FINGERPRINT[:12]}"
        self._all = f"{name}.*.nbc"

    def _path(self, key: Any) -> Path:
        return self.folder / f"{self.name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    @property
    def is_filled(self) -> bool:
        """Whether anything is there."""
        return any(self.folder.glob(f"{self.name}.*.nbc"))

    def load(self, key: Any) -> Any:
        """What was saved for this key, None if there is nothing or it is damaged."""
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        sound = len(data) > 32 and hashlib.sha256(data[32:]).digest() == data[:32]
        return pickle.loads(data[32:]) if sound else None

    def save(self, key: Any, data: Any) -> None:
        """Write a file, which is there when it is complete; files of other versions of the kernels are removed."""
        pickled = dumps(data)
        partial = self.folder / f"{self.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}.partial"
        try:
            partial.write_bytes(hashlib.sha256(pickled).digest() + pickled)
            partial.replace(self._path(key))
        except OSError:
            partial.unlink(missing_ok=True)
            raise
        for other in self.folder.glob(self._all):
            if not other.name.startswith(f"{self.name}."):
                other.unlink(missing_ok=True)

    def flush(self) -> None:
        """Remove everything."""
        for path in self.folder.glob(f"{self.name}.*.nbc"):
            path.unlink(missing_ok=True)


def _guard(cache: Any) -> None:
    """Let a cache of numba's keep its files as `CacheFolder` does, and never fail: a kernel can always be compiled."""
    cache._cache_file = CacheFolder(cache._cache_path, cache._impl.filename_base)
    for name in ("load_overload", "save_overload"):
        setattr(cache, name, _never_failing(getattr(cache, name)))


def _never_failing(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        try:
            return method(*args)
        except Exception as error:
            logger.debug("the cache of kernels is of no use: %s", error)
            return None

    return call


def cache_state(dispatcher: Any) -> tuple[str | None, bool]:
    """The folder in which a kernel is kept, None if it is not; and whether it is there already."""
    try:
        return str(dispatcher._cache._cache_file.folder), dispatcher._cache._cache_file.is_filled
    except AttributeError:
        return None, False


def inner(function: F) -> F:
    """Compile a kernel that only other kernels call, without what Python would need to call it: that takes time to compile.

    Called from Python all the same, it crashes; a test compiles its `py_func`.
    """
    return numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def announce(dispatcher: Any) -> None:
    """Say, before a kernel is compiled for the first time, that it takes a while and happens once; once a process."""
    global _announced
    if not _announced and not is_ready(dispatcher):
        _announced = True
        logger.warning(
            "compiling graphmeans' kernels, once (up to half a minute; `graphmeans warmup` does it ahead)",
            extra={"trace": {"phase": "compile"}},
        )


def is_ready(dispatcher: Any) -> bool:
    """Whether a kernel can run at once: it is compiled already, in this process or on disk, or never will be."""
    if not COMPILED or dispatcher.overloads:
        return True
    return cache_state(dispatcher)[1]
