"""The package pyarrow, which is optional, and its errors in one line that names the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from graphmeans.files import PathLike, fail
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.errors import GraphError


def arrow() -> Any:
    """Return the package pyarrow, or raise an error that says how to install it."""
    return need("pyarrow", "dask", "Parquet")


def parquet() -> Any:
    """Return the module pyarrow.parquet."""
    arrow()
    return need("pyarrow.parquet", "dask", "Parquet")


@contextlib.contextmanager
def reading(path: PathLike, what: str = "is not a readable Parquet file") -> Iterator[None]:
    """Turn whatever pyarrow finds wrong with a file into an error of one line that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise fail(path, "no such file or folder") from None
    except GraphError:
        raise
    except (arrow().ArrowException, OSError, ValueError, TypeError, KeyError, IndexError, MemoryError, RuntimeError) as error:
        reason = str(error).partition("\n")[0].strip() or type(error).__name__
        raise fail(path, f"{what} ({reason})") from None
