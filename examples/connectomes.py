"""A neuroscientist: brain networks on the same 24 regions, clustered without matching, since every region has its name.

    python examples/connectomes.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from picture import save
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

REGIONS = [f"{side} {name}" for side in ("left", "right") for name in (
    "frontal pole", "precentral", "postcentral", "temporal pole", "insula", "cingulate", "precuneus", "angular", "fusiform",
    "lingual", "cuneus", "thalamus",
)]  # fmt: skip


def subjects(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    """Correlation matrices of 60 people: controls, people with a weak corpus callosum, and with a lesion on the left."""
    n = len(REGIONS)
    side = np.arange(n) // 12
    same_side = side[:, None] == side[None]
    twins = np.arange(n)[:, None] % 12 == np.arange(n)[None] % 12
    anatomy = np.clip(0.15 + 0.35 * same_side + 0.4 * twins + rng.normal(0, 0.1, (n, n)), 0, 1)
    matrices, groups = [], []
    for group in ("control", "callosal", "lesion"):
        for _ in range(20):
            matrix = anatomy * rng.uniform(0.85, 1.15)  # people differ in how strongly they are connected at all
            if group == "callosal":
                matrix = np.where(same_side, matrix, matrix * 0.4)
            elif group == "lesion":
                hurt = np.isin(np.arange(n), [1, 2, 3, 4])
                matrix = np.where(hurt[:, None] | hurt[None], matrix * 0.3, matrix)
            matrix = matrix + rng.normal(0, 0.12, (n, n))
            matrix = np.triu(matrix, 1)
            matrices.append(np.where(matrix + matrix.T < 0.1, 0, matrix + matrix.T))
            groups.append(group)
    return np.array(matrices), groups


def main(folder: str = ".") -> float:
    matrices, groups = subjects(np.random.default_rng(1))

    networks = gm.structures.labelled_networks(matrices, labels=REGIONS)
    km = gm.GraphKMeans(n_clusters=3, n_init=5, matcher="exact", random_state=0).fit(networks)  # nothing to search for

    found = adjusted_rand_score(groups, km.labels_)
    print(f"{len(networks)} networks of {len(REGIONS)} regions; agreement with the three groups: {found:.2f}")
    pictures, angles = [], np.pi * (np.arange(12) + 0.5) / 12
    for mean in km.centroids("graph"):
        weights = gm.to_adjacency(mean)
        strong = np.argwhere(np.triu(weights) > 0.55)  # a picture of all would be black
        pictures.append(gm.Graph(len(REGIONS), strong, weights[tuple(strong.T)], node_ids=mean.node_ids))
    where = {region: (-np.sin(a) if i < 12 else np.sin(a), np.cos(a))
             for i, (region, a) in enumerate(zip(REGIONS, [*angles, *angles], strict=True))}  # fmt: skip
    positions = np.array([where[role] for role in mean.roles])
    sizes = [f"{(km.labels_ == c).sum()} people" for c in range(3)]
    print("drawn:", save(Path(folder) / "connectomes.svg", pictures, sizes, columns=3, positions=[positions] * 3))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
