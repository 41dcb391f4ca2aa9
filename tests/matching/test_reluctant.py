"""Where few nodes have a negative product with any other, a pair takes few rows more than the larger graph has nodes."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
import oracle
from graphmeans.kernels.jit import kernel
from graphmeans.kernels.pair import load_pair, new_side
from graphmeans.matching.pairs import kernel_arrays


@kernel
def count_rows(packed, order, size):
    """The rows of the pair of graphs 0 and 1; only kernels can call kernels."""
    width, channels = packed.nodes.shape[1], packed.values.shape[1]
    x, y = new_side(size, width, channels, 1), new_side(size, width, channels, 1)
    return load_pair(packed, 0, packed, 1, False, order, False, x, y, np.empty(1, np.int64))


def rows_of(x: gm.Graph, y: gm.Graph, order: int) -> int:
    """The rows that kernels lay this pair out in, where not all numbers are known to be positive."""
    batch = gm.GraphEncoder().fit_transform([x, y])
    return int(count_rows(kernel_arrays(batch), np.array([order]), x.n_nodes + y.n_nodes))


def graph(values: list, edges: list, attributes: list | None = None) -> gm.Graph:
    return gm.Graph(np.array(values, dtype=float), np.array(edges).reshape(-1, 2), attributes)


NEUTRAL = graph([[1, 0], [1, 0], [2, 0]], [(0, 1), (1, 2)])
ONE_ION = graph([[1, -1], [1, 0], [1, 0]], [(0, 1), (1, 2)])
CATION = graph([[1, 3], [1, 0]], [(0, 1)])
TWO_IONS = graph([[1, -1], [1, -2]], [(0, 1)])
TWO_CATIONS = graph([[1, 3], [0, 1]], [(0, 1)])
HIDDEN = graph([[4, 1], [1, 0]], [(0, 1)])  # 4 - 1 > 0: the product with the ion is not negative
SIGNED_EDGE = graph([[1, 0], [1, 0]], [(0, 1)], [-1.0])


@pytest.mark.parametrize(
    ("x", "y", "rows"),
    [(NEUTRAL, ONE_ION, 3), (ONE_ION, NEUTRAL, 3), (ONE_ION, CATION, 3), (TWO_IONS, CATION, 3), (TWO_IONS, TWO_CATIONS, 4),
     (ONE_ION, HIDDEN, 3), (NEUTRAL, SIGNED_EDGE, 5)],
)  # fmt: skip
def test_rows_beyond_the_larger_graph_are_those_of_reluctant_nodes(x, y, rows):
    assert rows_of(x, y, order=9) == rows


def test_the_order_of_the_space_limits_them():
    assert rows_of(ONE_ION, CATION, order=3) == 3


@pytest.mark.parametrize("seed", range(40))
def test_no_alignment_is_lost(seed):
    """Distances along fewer rows are those of brute force over all rows, for every matcher that proves its answers."""
    random = np.random.default_rng(seed)

    def some(n: int) -> gm.Graph:
        values = random.integers(0, 3, size=(n, 3)).astype(float)
        values[:, 2] = random.choice([0.0, 0.0, 0.0, -2.0, 2.0, -0.1], size=n)
        pairs = [(i, j) for i in range(n) for j in range(i) if random.random() < 0.5]
        return graph(values, pairs, random.integers(1, 3, size=len(pairs)).astype(float).tolist() if pairs else None)

    x, y = some(int(random.integers(1, 4))), some(int(random.integers(1, 4)))
    order = x.n_nodes + y.n_nodes
    truth = oracle.distance(x, y, order=order)
    found = gm.match(x, y, matcher="exact", order=order)
    assert found.certified
    assert found.upper == pytest.approx(truth, abs=1e-9)
    assert gm.edge_bound(x, y, order=order) <= truth + 1e-9
    assert gm.match(x, y, matcher=gm.Search(effort=20), order=order).lower <= truth + 1e-9
