"""Shared fixtures and the Hypothesis profile: no deadline (kernels compile on first use), always the same examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "graphmeans",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("graphmeans")


@pytest.fixture
def threads_used(monkeypatch):
    """Threads even for the smallest batch of pairs; the set of the numbers of threads that were asked for."""
    from graphmeans.matching import pairs

    used, pool = set(), pairs._pool
    monkeypatch.setattr(pairs, "WORTH_A_CHUNK", 1)
    monkeypatch.setattr(pairs, "_pool", lambda threads: (used.add(threads), pool(threads))[1])
    return used


@pytest.fixture
def rng():
    return np.random.default_rng(0)
