"""Groups of different densities without a radius: scikit-learn's HDBSCAN on the distances of graphs.

    python examples/hdbscan_groups.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from picture import save
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm


def main(folder: str = ".") -> float:
    graphs, letters = gm.datasets.make_letters(240, random_state=0)
    distances = gm.pairwise_distances(graphs)

    model = HDBSCAN(min_cluster_size=5, metric="precomputed", copy=True).fit(distances)

    labels, grouped = model.labels_, model.labels_ >= 0
    found = adjusted_rand_score(letters[grouped], labels[grouped])
    print(f"{labels.max() + 1} groups, {np.sum(~grouped)} of {len(graphs)} letters in none")
    print(f"agreement with the letters, of those in a group: {found:.2f}")
    means = [gm.mean([graphs[i] for i in np.flatnonzero(labels == c)], random_state=0) for c in range(labels.max() + 1)]
    captions = [f"mean of {np.sum(labels == c)}" for c in range(len(means))]
    print("drawn:", save(Path(folder) / "hdbscan_groups.svg", means, captions, columns=8, size=120))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
