"""Compile the kernels into the cache on disk: ``python compile_all.py exact|others|fit``.

A session of several processes calls this first, so that not every one of them compiles everything for itself. The first
two parts have no kernel in common and run side by side; what a fit calls beside them is small.
"""

from __future__ import annotations

import sys

import numpy as np

import graphmeans as gm
from graphmeans.matching.bounds import lap_bounds


def main(part: str) -> None:
    graphs, _ = gm.datasets.make_letters(40, random_state=0)
    if part == "exact":
        gm.pairwise_distances(graphs[:4], matcher="exact")
        gm.mean(graphs[:4], matcher="exact")
        gm.edge_bound(*graphs[:2])
    elif part == "others":
        for matcher in ("search", "graduated"):
            gm.pairwise_distances(graphs[:4], matcher=matcher)
        batch = gm.GraphEncoder().fit_transform(graphs[:4])
        lap_bounds(batch, batch, np.array([[0, 1]]), np.array([10]))
    else:
        gm.GraphKMeans(4, random_state=0).fit(graphs)


if __name__ == "__main__":
    main(sys.argv[1])
