"""Compiles the CUDA source, for a GPU by CuPy or for the host by g++, and runs it on arrays of either.

The source is written over a few lane primitives (lanes.cuh). On the host there is one lane, so that the same lines that a GPU
runs can be tested, and looked at in a debugger, where there is none.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

FILES = ("lanes.cuh", "pair.cuh", "lap.cuh", "root.cuh", "exchange.cuh", "grow.cuh", "search.cuh", "pairs.cu")
#: Fast memory that one block may take, and that all blocks of a multiprocessor share, where the device does not say.
FAST_MEMORY = 227 * 1024
#: What a multiprocessor sets aside for each block.
RESERVED = 1024
#: Most blocks on a multiprocessor, and rows up to which a lane has one column.
BLOCKS, NARROW = 32, 32


class DeviceError(RuntimeError):
    """There is no device that can be used; the message says why, in one line."""


@lru_cache(maxsize=1)
def source() -> str:
    """All files as one, without their includes of each other."""
    folder = Path(__file__).parent
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in FILES)
    return re.sub(r'^#(include "|pragma once).*$', "", text, flags=re.MULTILINE)


class HostProgram:
    """The kernels as an ordinary library: one lane, arrays of NumPy."""

    xp = np

    def __init__(self, compiler: str = "g++") -> None:
        if shutil.which(compiler) is None:
            raise DeviceError(f"the compiler {compiler} is not there")
        with tempfile.TemporaryDirectory() as folder:
            code, library = Path(folder) / "pairs.cpp", Path(folder) / "pairs.so"
            code.write_text(source(), encoding="utf-8")
            command = [compiler, "-O2", "-std=c++17", "-shared", "-fPIC", "-Wno-unknown-pragmas", str(code), "-o", str(library)]
            done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
            if done.returncode:
                raise DeviceError(f"{compiler} failed: {done.stderr.strip()[:500]}")
            self._library = ctypes.CDLL(str(library))

    def to_device(self, array: np.ndarray) -> Any:
        """The array where kernels can read it."""
        return np.ascontiguousarray(array)

    def to_host(self, array: Any) -> np.ndarray:
        """The array as one of NumPy."""
        return np.asarray(array)

    def free_bytes(self) -> int:
        """How much memory is left; on the host nobody asks."""
        return 1 << 34

    def address(self, array: Any) -> int:
        """Where an array lies."""
        return int(array.ctypes.data)

    def begin(self) -> None:
        """Begin to measure the time of kernels."""
        self._begun = time.perf_counter()

    def finish(self) -> float:
        """Wait for the kernels that have begun; the seconds they took."""
        return time.perf_counter() - self._begun

    def solve_pairs(self, wide: bool, layout: Mapping[str, int], n_pairs: int, arguments: tuple[Any, ...], outside: int) -> None:
        """Run the kernel over pairs: 16-bit codes if `wide`, and `outside` floats beside fast memory."""
        name = f"solve_pairs_{_variant(wide, outside)}"
        self._call(name, (*arguments, np.zeros(max(1, outside), np.float32)))

    def sort_rows(self, n_nodes: int, arguments: tuple[Any, ...]) -> None:
        """Run the kernel that sorts the rows of a batch."""
        self._call("sort_rows", arguments)

    def _call(self, name: str, arguments: tuple[Any, ...]) -> None:
        addresses = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments]
        getattr(self._library, name)(*[None if a is None else ctypes.c_longlong(a) for a in addresses])


class CudaProgram:
    """The kernels on the present CUDA device: one warp a pair, arrays of CuPy. Every thread has a stream of its own."""

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError as error:
            raise DeviceError(
                "device='cuda' needs CuPy: pip install 'graphmeans[cuda]', or the cupy-cuda wheel of your CUDA version"
            ) from error
        self.xp = cupy
        try:
            if cupy.cuda.runtime.getDeviceCount() < 1:
                raise DeviceError("no CUDA device was found")
            self._module = cupy.RawModule(code=source(), options=("-std=c++17",))
            self._module.get_function("sort_rows")
        except DeviceError:
            raise
        except Exception as error:
            raise DeviceError(f"no CUDA device can be used: {str(error).strip().splitlines()[0]}") from error
        limits = cupy.cuda.Device().attributes
        if int(cupy.cuda.Device().compute_capability) < 80:
            raise DeviceError("the CUDA device is older than compute capability 8.0 (Ampere)")
        self._processors = limits["MultiProcessorCount"]
        self._fast = limits.get("MaxSharedMemoryPerMultiprocessor", FAST_MEMORY)
        self._streams = threading.local()

    def _stream(self) -> Any:
        if not hasattr(self._streams, "own"):
            self._streams.own = self.xp.cuda.Stream(non_blocking=True)
        return self._streams.own

    def to_device(self, array: np.ndarray) -> Any:
        """The array in the memory of the device."""
        with self._stream() as stream:
            moved = self.xp.asarray(np.ascontiguousarray(array))
            stream.synchronize()
        return moved

    def to_host(self, array: Any) -> np.ndarray:
        """The array as one of NumPy, when all that this thread has begun is done."""
        with self._stream() as stream:
            found = self.xp.asnumpy(array, stream=stream)
            stream.synchronize()
        return np.asarray(found)

    def free_bytes(self) -> int:
        """Memory of the device that is left, with what CuPy keeps for reuse."""
        return int(self.xp.cuda.runtime.memGetInfo()[0]) + int(self.xp.get_default_memory_pool().free_bytes())

    def address(self, array: Any) -> int:
        """Where an array lies."""
        return int(array.data.ptr)

    def begin(self) -> None:
        """Begin to measure the time of kernels."""
        self._streams.begun = self._stream().record()

    def finish(self) -> float:
        """Wait for the kernels that this thread has begun; the seconds they took."""
        end = self._stream().record()
        end.synchronize()
        return float(self.xp.cuda.get_elapsed_time(self._streams.begun, end)) / 1000.0

    def solve_pairs(self, wide: bool, layout: Mapping[str, int], n_pairs: int, arguments: tuple[Any, ...], outside: int) -> None:
        """Begin to run the kernel over pairs; as many blocks as fit, each takes the next pair."""
        rows, total = layout["rows"], layout["total"]
        name = f"solve_pairs_{1 if rows <= NARROW and not outside else 2}_{_variant(wide, outside)}"
        kernel = self._module.get_function(name)
        if total > 48 * 1024:
            kernel.max_dynamic_shared_size_bytes = total
        blocks = self._processors * max(1, min(BLOCKS, self._fast // (total + RESERVED)))
        with self._stream():
            beside = self.xp.empty(max(1, outside * blocks), self.xp.float32)
            kernel((min(blocks, n_pairs),), (32,), (*arguments, beside), shared_mem=total)

    def sort_rows(self, n_nodes: int, arguments: tuple[Any, ...]) -> None:
        """Run the kernel that sorts the rows of a batch, a thread a row."""
        with self._stream() as stream:
            self._module.get_function("sort_rows")(((n_nodes + 127) // 128,), (128,), arguments)
            stream.synchronize()


def _variant(wide: bool, outside: int) -> str:
    return "outside" if outside else "short" if wide else "byte"
