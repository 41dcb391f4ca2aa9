"""A biologist: aligned stretches of DNA in which proteins bind, each with its mutations.

    python examples/sequences.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from picture import save
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

SITES = {"TATA box": "GTATAAAAGGCG", "CRE": "ATTGACGTCAAT", "E box": "GGCACGTGACCA", "GC box": "GGGGCGGGGCTT"}


def stretches(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    texts, sites = [], []
    for site, text in SITES.items():
        for _ in range(40):
            texts.append("".join(rng.choice(list("ACGT")) if rng.random() < 0.2 else letter for letter in text))
            sites.append(site)
    return texts, sites


def main(folder: str = ".") -> float:
    texts, sites = stretches(np.random.default_rng(0))

    graphs = gm.structures.sequences(texts)
    km = gm.GraphKMeans(n_clusters=4, n_init=5, random_state=0).fit(graphs)

    found = adjusted_rand_score(sites, km.labels_)
    print(f"{len(graphs)} stretches of DNA, 4 clusters; agreement with the four binding sites: {found:.2f}")
    pictures, captions = [], []
    for c, mean in enumerate(km.centroids()):
        by_place = np.argsort(mean.roles)  # the role of a node is its position
        letters = mean.nodes["symbol"][by_place]
        pictures.append(gm.Graph({"x": np.arange(12.0) % 6, "y": -(np.arange(12) // 6).astype(float), "symbol": letters}))
        captions.append(f"{(km.labels_ == c).sum()} like {''.join(letters)}")
        print(captions[-1])
    print("drawn:", save(Path(folder) / "sequences.svg", pictures, captions))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
