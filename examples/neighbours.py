"""What is this graph? scikit-learn's nearest neighbours on the distances of graphs, beside mean graphs as prototypes.

    python examples/neighbours.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from picture import save
from sklearn.neighbors import KNeighborsClassifier

import graphmeans as gm


def main(folder: str = ".") -> float:
    graphs, letters = gm.datasets.make_letters(300, "medium", random_state=0)
    known, new = graphs[:200], graphs[200:]
    # One encoder and one order, so that both tables hold distances of the same space.
    encoder, order = gm.GraphEncoder().fit(known), max(graph.n_nodes for graph in graphs)
    metric = {"encoder": encoder, "order": order}

    knn = KNeighborsClassifier(5, metric="precomputed", weights="distance")
    knn.fit(gm.pairwise_distances(known, **metric), letters[:200])
    to_known = gm.pairwise_distances(new, known, **metric)
    guessed = knn.predict(to_known)

    accuracy = float(np.mean(guessed == letters[200:]))
    prototypes = gm.GraphNearestCentroid(random_state=0).fit(known, letters[:200])
    print(f"200 letters known, 100 new; one mean graph a letter gets {prototypes.score(new, letters[200:]):.2f} of them")
    print(f"agreement with the letters, 5 nearest neighbours: {accuracy:.2f}")
    shown, captions = [], []
    for i in np.flatnonzero(guessed != letters[200:])[:3].tolist() + [0]:
        shown += [new[i], *[known[j] for j in np.argsort(to_known[i])[:5]]]
        captions += [f"{letters[200 + i]}, taken for {guessed[i]}", *[f"neighbour {n}" for n in range(1, 6)]]
    print("drawn:", save(Path(folder) / "neighbours.svg", shown, captions, columns=6, size=130))
    return accuracy


if __name__ == "__main__":
    main(*sys.argv[1:])
