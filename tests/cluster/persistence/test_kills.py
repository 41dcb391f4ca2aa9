"""A fit that is killed at any moment goes on as if nothing had happened; see tests/kills.py for as many as one likes."""

from __future__ import annotations

import numpy as np
import pytest

import kills


@pytest.fixture(scope="module")
def disturbed():
    kills.warm_up()
    return kills.Disturbed()


def test_killed_twice(disturbed):
    assert disturbed.kill("letters, n_init=6", np.random.default_rng(0), most=2) <= 2


@pytest.mark.thorough
@pytest.mark.parametrize("case", [name for name in kills.CASES if name != "dask"])
def test_killed_at_random_moments(case, disturbed):
    """Each of the cases, killed up to three times: about twenty kills."""
    assert disturbed.kill(case, np.random.default_rng(list(kills.CASES).index(case))) <= 3


@pytest.mark.thorough
def test_killed_with_all_workers(disturbed):
    assert disturbed.kill("dask", np.random.default_rng(2), most=1) <= 1
