"""
Vectors: the same as scikit-learn
=================================

Flowers as vectors. One-node graphs are clustered exactly as scikit-learn's KMeans clusters the rows.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

rows, species = load_iris(return_X_y=True)
start = rows[[0, 50, 100]]
km = gm.GraphKMeans(3, init=gm.structures.vectors(start)).fit(gm.structures.vectors(rows))
theirs = KMeans(3, init=start, n_init=1, tol=0).fit(rows)
print(f"inertia {km.inertia_:.6f}, scikit-learn's {theirs.inertia_:.6f}")
assert abs(km.inertia_ - theirs.inertia_) < 1e-6

found = adjusted_rand_score(species, km.labels_)
print(f"150 flowers, 3 clusters; agreement with the three species: {found:.2f}")

# %%
# Two of the four measurements, with the centers.

centers = np.concatenate([mean.nodes[""] for mean in km.centroids()])
figure, axes = plt.subplots(figsize=(5, 4))
axes.scatter(rows[:, 2], rows[:, 0], c=km.labels_, s=14)
axes.scatter(centers[:, 2], centers[:, 0], c="crimson", marker="x", s=80)
axes.set(xlabel="petal length", ylabel="sepal length")
plt.show()
