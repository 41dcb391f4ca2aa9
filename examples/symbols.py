"""A document analyst: hand-drawn letters in a folder of GXL files, as the IAM graph database has them.

    python examples/symbols.py [folder for the picture]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from picture import save
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm
from graphmeans.io import read_collection, write_collection


def main(folder: str = ".") -> float:
    with tempfile.TemporaryDirectory() as place:
        drawn, letters = gm.datasets.make_letters(300, random_state=0)
        write_collection(drawn, place, classes=letters)  # you have such a folder already

        graphs, classes = read_collection(place)

    km = gm.GraphKMeans(n_clusters=15, init="medoids", random_state=0).fit(graphs)

    found = adjusted_rand_score(classes, km.labels_)
    print(f"{len(graphs)} drawings, 15 clusters; agreement with the fifteen letters: {found:.2f}")
    sizes = [f"{(km.labels_ == c).sum()} drawings" for c in range(15)]
    print("drawn:", save(Path(folder) / "symbols.svg", km.centroids(), sizes, columns=5))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
