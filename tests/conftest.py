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
def rng():
    return np.random.default_rng(0)
