"""A map of a collection: scikit-learn's t-SNE on the distances of graphs.

    python examples/tsne_map.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

import graphmeans as gm


def main(folder: str = ".") -> float:
    graphs, letters = gm.datasets.make_letters(240, random_state=0)
    distances = gm.pairwise_distances(graphs)

    places = TSNE(metric="precomputed", init="random", perplexity=12, random_state=0).fit_transform(distances)

    near = NearestNeighbors(n_neighbors=2).fit(places).kneighbors(places, return_distance=False)[:, 1]
    found = float(np.mean(letters[near] == letters))
    print(f"{len(graphs)} letters on a map; agreement with the letters, of neighbours on the map: {found:.2f}")
    figure, axes = plt.subplots(figsize=(6, 5))
    for letter in sorted(set(letters)):
        own = places[letters == letter]
        axes.scatter(own[:, 0], own[:, 1], s=10)
        axes.annotate(letter, np.median(own, axis=0), fontsize=16, ha="center", va="center")
    axes.set(xticks=[], yticks=[])
    path = Path(folder) / "tsne_map.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
    print("drawn:", path)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
