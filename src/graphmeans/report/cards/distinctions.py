"""The table of what distinguishes clusters: the features in which they differ most, and their values for each cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from graphmeans.graphs.batch import FloatArray
from graphmeans.report.words import MISSING, natural_key, number, percent, significant

#: Shares of kinds differ visibly if they do so much; a feature follows from another if they are so strongly correlated.
SHOWN_SHARE, FOLLOWS = 0.02, 0.998


def distinctions(
    profiles: Sequence[Mapping[str, float]], sizes: Sequence[int], spread: Mapping[str, float], most: int = 24
) -> tuple[list[str], list[list[str]]]:
    """What distinguishes clusters: the features in which they differ most, and their values for each cluster.

    `profiles` are those of the members of each cluster, `spread` is how much features vary over graphs: they are sorted by how
    much of that lies between clusters.
    """
    keys = sorted({key for one in profiles for key in one}, key=natural_key)
    weights = np.array(sizes, dtype=np.float64)
    between = {}
    for key in keys:
        share = key.startswith("share of ")
        values = np.array([one.get(key, 0.0 if share else np.nan) for one in profiles])
        known = np.isfinite(values) & (weights > 0)
        if known.sum() > 1:
            middle = np.average(values[known], weights=weights[known])
            apart = np.sqrt(np.average((values[known] - middle) ** 2, weights=weights[known]))
            between[key] = float(apart / max(spread.get(key, np.inf), 1e-12))
    chosen = _telling(profiles, sorted(between, key=lambda key: (-between[key], natural_key(key))))[:most]
    rows = []
    for one in profiles:
        cells = []
        for key in chosen:
            share = key.startswith("share of ")
            value = one.get(key, 0.0 if share and one else np.nan)
            cells.append(MISSING if not np.isfinite(value) else percent(value) if share else number(significant(value, 3)))
        rows.append(cells)
    return chosen, rows


def _telling(profiles: Sequence[Mapping[str, float]], keys: Sequence[str]) -> list[str]:
    """Of these features those that differ visibly between clusters, without those that follow from an earlier one."""
    kept: list[str] = []
    columns: list[FloatArray] = []
    for key in keys:
        share = key.startswith("share of ")
        values = np.array([one.get(key, 0.0 if share and one else np.nan) for one in profiles])
        known = values[np.isfinite(values)]
        if not len(known) or np.ptp(known) <= (SHOWN_SHARE if share else 1e-9 * np.abs(known).max()):
            continue
        if not any(_same_order(values, other) for other in columns):
            kept.append(key)
            columns.append(values)
    return kept


def _same_order(one: FloatArray, other: FloatArray) -> bool:
    """Whether one feature is a linear function of the other, to the eye: an edge for each node but one, one of two kinds."""
    if not np.array_equal(np.isfinite(one), np.isfinite(other)) or np.isfinite(one).sum() < 3:
        return False
    one, other = one[np.isfinite(one)], other[np.isfinite(other)]
    return bool(abs(np.corrcoef(one, other)[0, 1]) > FOLLOWS) if np.ptp(one) and np.ptp(other) else False
