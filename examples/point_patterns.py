"""
Point patterns: photographs of constellations
=============================================

Photographs with stars missing, stars too many and a shaky hand. A pattern is a graph without edges, and a matching is one linear
assignment.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

sky = {
    "big dipper": [(-3.1, 1.2), (-2.1, 1.5), (-1.2, 1.1), (-0.3, 0.6), (0.0, -0.5), (1.5, -0.6), (1.6, 0.8)],
    "cassiopeia": [(-2.0, 0.9), (-1.0, -0.6), (0.1, 0.3), (1.0, -0.9), (2.1, 0.5)],
    "orion": [(-1.1, 2.0), (0.9, 1.7), (-0.4, 0.1), (0.0, 0.0), (0.4, -0.1), (-0.9, -1.9), (1.1, -1.7)],
    "southern cross": [(0.0, 1.6), (0.1, -1.5), (-1.0, 0.1), (0.9, 0.3), (0.4, -0.4)],
    "leo": [(-2.5, -0.6), (-1.4, 0.9), (1.1, 0.8), (1.6, 1.7), (2.4, 2.0), (1.3, -0.4), (2.7, 1.2)],
}
rng = np.random.default_rng(0)
patterns, names = [], []
for name, stars in sky.items():
    for _ in range(30):
        seen = np.array([star for star in stars if rng.random() > 0.08])
        seen = seen + rng.normal(0, 0.15, seen.shape) + rng.normal(0, 0.15, 2)
        others = rng.uniform(-2.5, 2.5, (rng.poisson(0.4), 2))
        patterns.append(rng.permutation(np.vstack([seen, others])))
        names.append(name)

# %%
# Cluster, and compare with what was photographed.

graphs = gm.structures.point_patterns(patterns)
km = gm.GraphKMeans(n_clusters=5, n_init=10, random_state=0).fit(graphs)
found = adjusted_rand_score(names, km.labels_)
print(f"{len(graphs)} photographs, 5 clusters; agreement with the five constellations: {found:.2f}")

# %%
# The mean patterns. A star is as dark as the share of photographs that show it.

sizes = [f"{(km.labels_ == cluster).sum()} photographs" for cluster in range(5)]
gm.plots.contact_sheet(km.centroids(), columns=3, titles=sizes)
plt.show()
