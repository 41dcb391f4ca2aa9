"""Groups of any shape, and graphs that belong to none: scikit-learn's DBSCAN on the distances of graphs.

    python examples/dbscan.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from picture import save
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm


def main(folder: str = ".") -> float:
    graphs, letters = gm.datasets.make_letters(240, random_state=0)
    distances = gm.pairwise_distances(graphs)

    # Where the distances to the fourth neighbour rise is a good radius.
    radius = float(np.quantile(np.sort(distances, axis=1)[:, 4], 0.8))
    labels = DBSCAN(eps=radius, min_samples=4, metric="precomputed").fit_predict(distances)

    grouped = labels >= 0
    found = adjusted_rand_score(letters[grouped], labels[grouped])
    print(f"{labels.max() + 1} groups at a radius of {radius:.2f}, {np.sum(~grouped)} of {len(graphs)} letters in none")
    print(f"agreement with the letters, of those in a group: {found:.2f}")
    middles = []
    for c in range(labels.max() + 1):  # the letter of each group that is nearest to all others
        own = np.flatnonzero(labels == c)
        middles.append(int(own[distances[np.ix_(own, own)].sum(axis=0).argmin()]))
    shown = [*middles, *np.flatnonzero(~grouped)[:6]]
    captions = [f"group of {np.sum(labels == labels[i])}" if labels[i] >= 0 else "in no group" for i in shown]
    print("drawn:", save(Path(folder) / "dbscan.svg", [graphs[i] for i in shown], captions, columns=8, size=120))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
