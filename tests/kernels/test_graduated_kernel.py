"""The two inner loops of graduated assignment against what they should compute."""

from __future__ import annotations

import numpy as np
import pytest

from graphmeans.kernels import graduated
from graphmeans.kernels.jit import kernel

# Inner kernels cannot be called from Python; compiled by themselves they can.
add_products, sinkhorn = (kernel(getattr(f, "py_func", f)) for f in (graduated.add_products, graduated.sinkhorn))


def naive_sinkhorn(soft, sweeps):
    """Divide rows by their sums, then columns; the last row and column only join in the sums."""
    soft = soft.copy()
    for _ in range(sweeps):
        soft[:-1] /= soft[:-1].sum(axis=1, keepdims=True)
        soft[:, :-1] /= soft[:, :-1].sum(axis=0, keepdims=True)
    return soft


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (3, 2), (4, 4), (7, 9)])
@pytest.mark.parametrize("slack", [True, False])
def test_sinkhorn_scales_rows_and_columns(shape, slack, rng):
    nx, ny = shape
    given = np.exp(3 * rng.normal(size=(nx + 1, ny + 1)))
    if not slack:
        given[nx], given[:, ny] = 0.0, 0.0
    found = given.copy()
    sinkhorn(found, nx, ny, 30, 0.0, np.empty((10, 10)), np.empty((2, 10)), np.empty((2, 10)))
    expected = naive_sinkhorn(given, 30)
    assert found[:nx] == pytest.approx(expected[:nx], rel=1e-12)
    assert found[nx, :ny] == pytest.approx(expected[nx, :ny], rel=1e-12)
    assert found[:, :ny].sum(axis=0) == pytest.approx(np.ones(ny))


@pytest.mark.parametrize("directed", [False, True])
def test_products_of_edges(directed, rng):
    nx, ny, channels = 5, 4, 4  # directed: two channels there and two back
    ends = {n: np.array([(i, j) for i in range(n) for j in range(i + 1, n)], dtype=np.int64) for n in (nx, ny)}
    values = {n: rng.normal(size=(len(ends[n]), channels)) * (rng.random((len(ends[n]), channels)) < 0.7) for n in ends}
    dense = {n: np.zeros((n, n, channels)) for n in ends}
    for n in ends:
        back = np.roll(values[n], channels // 2, axis=1) if directed else values[n]
        dense[n][ends[n][:, 0], ends[n][:, 1]] = values[n]
        dense[n][ends[n][:, 1], ends[n][:, 0]] = back
    soft, start = rng.random((nx + 1, ny + 1)), rng.normal(size=(ny, nx))
    found = start.copy()
    add_products(
        found, soft, nx, ny, ends[nx], values[nx], ends[ny], values[ny], directed, 0.5, np.empty((6, 6)), np.empty((6, 6))
    )
    expected = start + 0.5 * np.einsum("ikc,jlc,kl->ji", dense[nx], dense[ny], soft[:nx, :ny])
    assert found == pytest.approx(expected, rel=1e-12)
