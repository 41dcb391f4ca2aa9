"""Which groups of connections a card of a network names."""

from __future__ import annotations

import numpy as np
import pytest

from graphmeans.report.cards.connection_groups import best_block, group_contrasts
from graphmeans.report.cards.region_words import side_of

AREAS = ["Precentral", "Frontal_Sup", "Rolandic", "Insula", "Cuneus", "Lingual", "Fusiform", "Caudate"]
NAMES = [f"{area}_{side}" for area in AREAS for side in "LR"]


def symmetric(block: np.ndarray) -> np.ndarray:
    return np.where(block | block.T, 0.3, 0.0) * (1 - np.eye(len(block)))


def among(rows: list[int], columns: list[int], size: int = len(NAMES)) -> np.ndarray:
    return np.outer(np.isin(np.arange(size), rows), np.isin(np.arange(size), columns))


def worth_of(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """The sum of a block by the square root of its number of connections, without the diagonal."""
    return abs(values[np.ix_(rows, columns)].sum()) / np.sqrt(max(rows.sum() * columns.sum() - (rows & columns).sum(), 1))


def slow_best(values: np.ndarray) -> float:
    """By all pairs of sets of rows and columns."""
    size = len(values)
    masks = [np.array([bool(n >> i & 1) for i in range(size)]) for n in range(1, 2**size)]
    return max(worth_of(values, rows, columns) for rows in masks for columns in masks)


def test_a_planted_block_is_found_as_all_pairs_of_sets_find_it():
    rng = np.random.default_rng(0)
    for _ in range(12):
        values = rng.normal(0, 0.2, (6, 6))
        values[np.ix_(rng.permutation(6)[:3], rng.permutation(6)[:2])] += rng.choice([-1.0, 1.0])
        np.fill_diagonal(values, 0.0)
        worth, rows, columns = best_block(values, directed=True)
        assert worth == pytest.approx(worth_of(values, rows, columns))
        assert worth == pytest.approx(slow_best(values), rel=0.1)


def told(names: list[str], values: np.ndarray, directed: bool = False, usual: np.ndarray | None = None) -> list[tuple[str, bool]]:
    """What is said, and whether that is stronger."""
    return [(one.between or one.all_of, one.difference > 0) for one in group_contrasts(names, values, directed, usual)]


def test_a_block_that_no_word_names_is_called_by_a_few_words_or_names():
    found = group_contrasts(NAMES, symmetric(among([0, 1, 2, 3, 4, 5], [8, 9, 10, 11])), False)
    said = "between “Precentral” + “Frontal” + “Rolandic” and “Cuneus” + “Lingual”"
    assert [one.between for one in found] == [said]
    assert found[0].difference == pytest.approx(0.3)
    assert found[0].where.sum() == 2 * 24


def test_neighbours_are_called_by_the_first_and_the_last():
    names, rows = [f"node{i}" for i in range(30)], list(range(5, 14))
    assert told(names, symmetric(among(rows, rows, 30))) == [("within node5 … node13 (9 regions)", True)]


def test_what_cannot_be_named_is_not_told():
    names, rows = [f"node{i}" for i in range(30)], [2, 5, 7, 11, 13, 17, 19, 23, 24, 29]
    assert told(names, symmetric(among(rows, rows, 30))) == []
    assert told(names, symmetric(among(rows[:6], rows[:6], 30))) == [("within node2 + node5 + node7 + 3 others", True)]


def test_sides_are_left_and_right():
    left, right = list(range(0, 16, 2)), list(range(1, 16, 2))
    assert told(NAMES, symmetric(among(left, right))) == [("between left and right", True)]
    assert told(NAMES, -symmetric(among(left, left))) == [("within the left side", False)]
    assert told(NAMES, symmetric(among(left, left) | among(right, right))) == [("within either side", True)]
    halves = [f"{side}H_{net}_{i}" for side in "LR" for net in ("Vis", "Default") for i in range(5)]
    assert told(halves, symmetric(among(list(range(10)), list(range(10)), 20))) == [("within the left hemisphere", True)]
    assert told(halves, symmetric(among(list(range(10)), list(range(10, 20)), 20))) == [("between left and right", True)]


@pytest.mark.parametrize(
    ("name", "side"),
    [("Cuneus_L", "left"), ("RH_Default_3", "right"), ("left knee", "left"), ("ctx-rh-cuneus", "right"), ("L1", "")],
)
def test_the_side_of_a_name(name, side):
    assert side_of(name) == side


NETS = [f"{side}H_{net}_{i}" for side in "LR" for net in ("Vis", "Cont", "Limbic", "Default") for i in range(8)]
SIDE, DEFAULT = np.array([name[0] == "L" for name in NETS]), np.array(["Default" in name for name in NETS])
ACROSS, OF_DEFAULT = SIDE[:, None] != SIDE, DEFAULT[:, None] | DEFAULT


def planted() -> tuple[list[np.ndarray], np.ndarray]:
    """Differences of three means, and what they differ from: usual connections, of which those across are weak; those across are
    weaker; those of one system are weaker."""
    rng = np.random.default_rng(0)
    usual = rng.uniform(0.2, 0.8, ACROSS.shape) * np.where(ACROSS, 0.3, 1.0)
    usual = (usual + usual.T) / 2
    means = [usual, np.where(ACROSS, 0.4, 1.0) * usual, np.where(OF_DEFAULT, 0.4, 1.0) * usual]
    every = sum(means) / 3
    return [mean - every for mean in means], every


def test_both_sides_of_a_system_are_told_at_once_and_what_is_stronger_beside_what_is_weaker():
    (usual, split, weak), every = planted()
    default = "of “Default” with all regions"
    assert told(NETS, usual, usual=every) == [(default, True), ("between left and right", True)]
    assert told(NETS, weak, usual=every)[0] == (default, False)
    # Across sides the connections of that system are weaker, too: only those on the same side are stronger.
    assert sorted(told(NETS, split, usual=every)) == [("between left and right", False), ("of “Default” with its own side", True)]


def test_nothing_is_told_twice_and_all_that_is_told_is_true():
    for differences in planted()[0]:
        found = group_contrasts(NETS, differences, False, planted()[1])
        assert len({one.between for one in found}) == len(found)
        for one in found:
            assert one.difference == pytest.approx(differences[one.where].mean())
            assert (differences[one.where] * one.difference > 0).mean() > 0.9


def test_all_connections_are_called_so():
    values = 0.2 * np.random.default_rng(0).uniform(0.5, 1.5, (16, 16))
    assert told(NAMES, values + values.T) == [("nearly all connections", True)]
    assert told([f"node{i}" for i in range(16)], -values - values.T) == [("nearly all connections", False)]


def test_where_there_are_no_connections_none_are_told():
    own = ~ACROSS & ~np.eye(64, dtype=bool)
    assert told(NETS, 0.2 * (OF_DEFAULT & own), usual=0.5 * own) == [("of “Default” with its own side", True)]


def test_nothing_is_told_of_noise():
    values = np.random.default_rng(1).normal(size=(64, 64))
    assert told(NETS, values + values.T) == []


def test_what_one_block_explains_is_not_told_again():
    both = symmetric(among([0, 1, 2, 3], [8, 9, 10, 11])) - symmetric(among([12, 13, 14, 15], [4, 5, 6, 7]))
    found = group_contrasts(NAMES, both, False)
    assert sorted(one.difference for one in found) == pytest.approx([-0.3, 0.3])


def test_connections_with_a_direction_are_blocks_of_rows_and_columns():
    values = np.where(among([0, 1, 2], [10, 11, 12, 13]), 0.3, 0.0)
    (found,) = group_contrasts(NAMES, values, True)
    assert found.where.sum() == 12
    assert found.between == "from Precentral_L + Precentral_R + Frontal_Sup_L to “Lingual” + “Fusiform”"
    assert told(NETS, np.outer(0.1 * DEFAULT, np.ones(64)), directed=True) == [("from “Default” to all regions", True)]
    assert told(NETS, np.outer(np.ones(64), 0.1 * DEFAULT), directed=True) == [("from all regions to “Default”", True)]
    assert not found.where[10:14, :3].any()


def test_nothing_is_told_where_nothing_differs():
    assert group_contrasts(NAMES, np.zeros((16, 16)), False) == []
