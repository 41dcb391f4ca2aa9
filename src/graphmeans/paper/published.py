"""What the paper printed. Matchings are in thousands; None is a cell that it leaves open."""

from __future__ import annotations

from typing import NamedTuple


class Characteristics(NamedTuple):
    """A row of Table 1."""

    graphs: int
    classes: int
    nodes_avg: float
    nodes_max: int
    edges_avg: float
    edges_max: int


class PublishedColumn(NamedTuple):
    """A column of Table 2: one algorithm on one data set."""

    error: float | None = None
    accuracy: float | None = None
    silhouette: float | None = None
    iterations: int | None = None
    matchings: float | None = None


TABLE_1 = {
    "letter": Characteristics(750, 15, 4.7, 8, 3.1, 6),
    "grec": Characteristics(528, 22, 11.5, 24, 11.9, 29),
    "fingerprint": Characteristics(900, 3, 8.3, 26, 14.1, 48),
    "molecules": Characteristics(100, 2, 24.6, 40, 25.2, 44),
}

#: By data set and (algorithm, theta). The gvr columns are the authors' own, unpublished.
TABLE_2: dict[str, dict[tuple[str, float], PublishedColumn]] = {
    "letter": {
        ("lloyd", 0.0): PublishedColumn(11.6, 0.86, 0.38, 21, 488.4),
        ("elkan", 0.0): PublishedColumn(11.5, 0.86, 0.39, 13, 42.5),
        ("gvr", 0.0): PublishedColumn(11.5, 0.86, 0.38, 13, 40.9),
        ("gvr", 0.05): PublishedColumn(12.1, 0.86, 0.35, 15, 34.9),
    },
    "grec": {
        ("lloyd", 0.0): PublishedColumn(32.7, 0.84, 0.40, 11, 197.5),
        ("elkan", 0.0): PublishedColumn(32.2, 0.83, 0.44, 11, 63.1),
        ("gvr", 0.0): PublishedColumn(32.6, 0.85, 0.41, 11, 60.9),
        ("gvr", 0.5): PublishedColumn(33.2, 0.82, 0.37, 6, 15.5),
    },
    "fingerprint": {
        ("lloyd", 0.0): PublishedColumn(1.88, 0.81, 0.32, 10, 549.0),
        ("elkan", 0.0): PublishedColumn(1.70, 0.82, 0.31, 11, 52.4),
        ("gvr", 0.0): PublishedColumn(1.53, 0.80, 0.31, 11, 34.0),
    },
    "molecules": {
        ("lloyd", 0.0): PublishedColumn(27.6, 0.69, 0.03, 13, 14.3),
        ("elkan", 0.0): PublishedColumn(27.2, 0.70, 0.04, 13, 14.5),
        ("gvr", 0.0): PublishedColumn(27.4, 0.70, 0.03, 13, 13.6),
        ("gvr", 0.75): PublishedColumn(28.6, 0.71, 0.03, None, None),
    },
}

#: How many times fewer matchings elk needs than std, by number of clusters.
SPEEDUPS = {"letters A, E, F, H": {4: 2.1, 8: 3.3, 12: 4.2, 16: 5.0}, "300 fingerprints": {3: 1.3, 15: 3.5}}

#: The paper's names of the algorithms.
NAMES = {"lloyd": "std", "elkan": "elk", "gvr": "gvr", "interval": "interval"}
