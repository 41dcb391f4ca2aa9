"""RDKit, which is optional: whether it is there, and its parts, loaded when they are first used and silent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from graphmeans.graphs.errors import GraphError


@cache
def part(name: str) -> Any:
    """A module of RDKit by its name below `rdkit`, such as "Chem" or "Chem.rdDepictor"."""
    try:
        return import_module(f"rdkit.{name}")
    except ImportError:
        raise GraphError("the chemistry of clusters needs RDKit: pip install 'graphmeans[rdkit]'") from None


def has_rdkit() -> bool:
    """Whether RDKit can be imported."""
    try:
        part("Chem")
    except GraphError:
        return False
    return True


@contextmanager
def silent() -> Iterator[None]:
    """Keep RDKit from writing to the terminal."""
    with part("rdBase").BlockLogs():
        yield
