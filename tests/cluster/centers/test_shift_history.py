"""How far centers have moved, against norms of dense arrays."""

import numpy as np
import pytest

from graphmeans.cluster.centers.shift_history import SNAPSHOTS, ShiftHistory


def frames(rng: np.random.Generator, k: int, slots: int, used: int, before=None, which=()):
    """Nodes and edges of k centers of which `used` slots are not empty; only those of `which` differ from before."""
    nodes, edges = np.zeros((k, slots, 2)), np.zeros((k, slots, slots, 1))
    nodes[:, :used], edges[:, :used, :used] = rng.normal(size=(k, used, 2)), rng.normal(size=(k, used, used, 1))
    if before is not None:
        still = np.setdiff1d(np.arange(k), which)
        nodes[still], edges[still] = before[0][still], before[1][still]
    return nodes, edges


def distance(a, b) -> np.ndarray:
    return np.sqrt(((a[0] - b[0]) ** 2).sum(axis=(1, 2)) + ((a[1] - b[1]) ** 2).sum(axis=(1, 2, 3)))


def test_shifts_are_the_distances_and_never_less_when_snapshots_are_dropped():
    rng = np.random.default_rng(0)
    k, slots = 4, 9
    at = [frames(rng, k, slots, 3)]
    history = ShiftHistory(k)
    for step in range(SNAPSHOTS + 8):
        which = rng.choice(k, size=rng.integers(0, k), replace=False)
        at.append(frames(rng, k, slots, 3 + step % 4, at[-1], which))
        history.advance(at[0] if step == 0 else None, at[-1])
        true = np.array([distance(then, at[-1]) for then in at])
        assert history.shift.shape == true.shape
        assert (history.shift >= true).all()
        if step < SNAPSHOTS - 2:
            assert history.shift == pytest.approx(true, rel=1e-9)
        again = ShiftHistory.from_arrays(history.to_arrays())
        np.testing.assert_array_equal(again.shift, history.shift)
        history = again if step % 3 == 0 else history  # going on from a file is the same


def test_a_center_that_was_put_elsewhere_is_infinitely_far_from_where_it_was():
    rng = np.random.default_rng(1)
    history = ShiftHistory(2)
    first, second = frames(rng, 2, 5, 3), frames(rng, 2, 5, 4)
    history.advance(first, second, replaced=np.array([1]))
    assert history.shift[0, 0] == pytest.approx(distance(first, second)[0])
    assert history.shift[0, 1] == np.inf
    assert (history.shift[1] == 0).all()
