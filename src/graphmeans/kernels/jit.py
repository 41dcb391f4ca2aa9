"""The one decorator of all kernels: compiled once, kept on disk, without the GIL.

numba's own cache looks only at the file a kernel stands in, not at the kernels it calls. Here every cached kernel
carries a fingerprint of the whole folder instead, so a change in any kernel, or another version of graphmeans or numba,
compiles anew. Where nothing can be written (a read-only install), or where a future numba hides what is needed for the
fingerprint, kernels are compiled once a process. ``GRAPHMEANS_CACHE=0`` switches the cache off. With
``NUMBA_DISABLE_JIT=1`` nothing is compiled: kernels are the plain functions they are written as, for a debugger or for
coverage, and many times slower.
"""

from __future__ import annotations

import hashlib
import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

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


def kernel(function: F) -> F:
    """Compile a kernel that Python calls; it is cached on disk and takes the kernels it calls along."""
    dispatcher = numba.njit(nogil=True)(function)
    if _CACHED:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dispatcher.enable_caching()
            dispatcher._cache._cache_file._source_stamp = _FINGERPRINT
        except (RuntimeError, OSError, AttributeError):
            dispatcher = numba.njit(nogil=True)(function)
    return dispatcher


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
    try:
        return bool(dispatcher._cache._cache_file._load_index())
    except (AttributeError, OSError):
        return False
