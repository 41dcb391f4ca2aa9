"""
Connectomes: networks whose nodes have names
============================================

Brain networks on the same 24 regions. Every region has its name,
so it is matched with itself, and nothing has to be searched for.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

# %%
# Sixty people: controls, people with a weak corpus callosum, and people with a lesion on the left.

rng = np.random.default_rng(1)
areas = ["frontal pole", "precentral", "postcentral", "temporal pole", "insula", "cingulate", "precuneus", "angular", "fusiform",
         "lingual", "cuneus", "thalamus"]  # fmt: skip
regions = [f"{side} {name}" for side in ("left", "right") for name in areas]
n = len(regions)
number = np.arange(n)
same_side = number[:, None] // 12 == number[None] // 12
twins = number[:, None] % 12 == number[None] % 12
anatomy = np.clip(0.15 + 0.35 * same_side + 0.4 * twins + rng.normal(0, 0.1, (n, n)), 0, 1)

matrices, groups = [], []
for group in ("control", "callosal", "lesion"):
    for _ in range(20):
        matrix = anatomy * rng.uniform(0.85, 1.15)  # people differ in how strongly they are connected at all
        if group == "callosal":
            matrix = np.where(same_side, matrix, matrix * 0.4)
        elif group == "lesion":
            hurt = np.isin(number, [1, 2, 3, 4])
            matrix = np.where(hurt[:, None] | hurt[None], matrix * 0.3, matrix)
        matrix = np.triu(matrix + rng.normal(0, 0.12, (n, n)), 1)
        matrices.append(np.where(matrix + matrix.T < 0.1, 0, matrix + matrix.T))
        groups.append(group)

# %%
# Cluster. With ``matcher="exact"`` a distance is one pass over two matrices.

networks = gm.structures.labelled_networks(np.array(matrices), labels=regions)
km = gm.GraphKMeans(n_clusters=3, n_init=5, matcher="exact", random_state=0).fit(networks)
found = adjusted_rand_score(groups, km.labels_)
print(f"{len(networks)} networks of {n} regions; agreement with the three groups: {found:.2f}")

# %%
# The strong connections of the mean networks, the left hemisphere on the left.

angles = np.pi * (np.arange(12) + 0.5) / 12
place = {region: (np.sin(a) * (-1 if i < 12 else 1), np.cos(a)) for i, (region, a) in enumerate(zip(regions, [*angles, *angles]))}
figure, axes = plt.subplots(1, 3, figsize=(9, 3.4))
for cluster, (ax, mean) in enumerate(zip(axes, km.centroids("graph"))):
    weights = gm.to_adjacency(mean)
    strong = np.argwhere(np.triu(weights) > 0.55)  # a picture of all would be black
    picture = gm.Graph(n, strong, weights[tuple(strong.T)])
    positions = np.array([place[role] for role in mean.roles])
    gm.plots.draw(picture, ax, positions=positions, title=f"{(km.labels_ == cluster).sum()} people")
plt.show()
