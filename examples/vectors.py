"""Anyone: flowers as vectors. One-node graphs are clustered exactly as scikit-learn clusters the rows.

    python examples/vectors.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm


def main(folder: str = ".") -> float:
    rows, species = load_iris(return_X_y=True)
    start = rows[[0, 50, 100]]

    km = gm.GraphKMeans(3, init=gm.structures.vectors(start)).fit(gm.structures.vectors(rows))

    theirs = KMeans(3, init=start, n_init=1, tol=0).fit(rows)
    print(f"inertia {km.inertia_:.6f}, scikit-learn's {theirs.inertia_:.6f}")
    found = adjusted_rand_score(species, km.labels_)
    print(f"150 flowers, 3 clusters; agreement with the three species: {found:.2f}")
    centers = np.concatenate([mean.nodes[""] for mean in km.centroids()])
    figure, axes = plt.subplots(figsize=(5, 4))
    axes.scatter(rows[:, 2], rows[:, 0], c=km.labels_, s=14)
    axes.scatter(centers[:, 2], centers[:, 0], c="crimson", marker="x", s=80)
    axes.set(xlabel="petal length", ylabel="sepal length")
    path = Path(folder) / "vectors.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
    print("drawn:", path)
    return found if abs(km.inertia_ - theirs.inertia_) < 1e-6 else 0.0


if __name__ == "__main__":
    main(*sys.argv[1:])
