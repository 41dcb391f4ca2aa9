"""How much a run of the tests takes on: every day, thorough (``pytest --thorough``), or without compiled kernels."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings

#: Whether everything is to be tried; conftest.py sets it before the tests are loaded.
THOROUGH = False
#: Whether kernels are compiled. Without that they are many times slower, and coverage sees them.
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def examples(count: int) -> settings:
    """Hypothesis settings: this many examples in a thorough run, a quarter of them every day, a few of plain Python."""
    if not COMPILED:
        return settings(max_examples=max(5, count // 40))
    return settings(max_examples=count if THOROUGH else max(10, count // 4))


def thorough(*values: Any) -> Any:
    """A row of ``pytest.mark.parametrize`` for thorough runs only."""
    return pytest.param(*values, marks=pytest.mark.thorough)
