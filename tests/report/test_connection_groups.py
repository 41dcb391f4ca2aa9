"""Which groups of connections a card of a network names."""

from __future__ import annotations

import numpy as np
import pytest

from graphmeans.report.connection_groups import best_block, group_contrasts

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


def test_a_block_that_no_words_name_is_called_by_its_regions_without_their_sides():
    found = group_contrasts(NAMES, symmetric(among([0, 1, 2, 3, 4, 5], [8, 9, 10, 11])), False)
    assert [one.between for one in found] == ["between Precentral, Frontal Sup, … (6 regions) and Cuneus, Lingual (4 regions)"]
    assert found[0].difference == pytest.approx(0.3)
    assert found[0].where.sum() == 2 * 24


def test_words_name_a_block_where_they_say_as_much():
    left, right = list(range(0, 16, 2)), list(range(1, 16, 2))
    assert [one.between for one in group_contrasts(NAMES, symmetric(among(left, right)), False)] == ["between “L” and “R”"]
    assert [one.between for one in group_contrasts(NAMES, symmetric(among(left, left)), False)] == ["within “L”"]


def test_groups_of_the_same_areas_are_told_apart_by_whole_names():
    found = group_contrasts(NAMES, symmetric(among([0, 2, 4], [1, 3, 5])), False)
    said = "between Precentral_L, Frontal_Sup_L, … (3 regions) and Precentral_R, Frontal_Sup_R, … (3 regions)"
    assert [one.between for one in found] == [said]


def test_what_one_block_explains_is_not_told_again():
    both = symmetric(among([0, 1, 2, 3], [8, 9, 10, 11])) - symmetric(among([12, 13, 14, 15], [4, 5, 6, 7]))
    found = group_contrasts(NAMES, both, False)
    assert sorted(one.difference for one in found) == pytest.approx([-0.3, 0.3])


def test_connections_with_a_direction_are_blocks_of_rows_and_columns():
    values = np.where(among([0, 1, 2], [10, 11, 12, 13]), 0.3, 0.0)
    (found,) = group_contrasts(NAMES, values, True)
    assert found.where.sum() == 12
    assert not found.where[10:14, :3].any()


def test_nothing_is_told_where_nothing_differs():
    assert group_contrasts(NAMES, np.zeros((16, 16)), False) == []
