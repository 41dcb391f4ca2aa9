"""
t-SNE: a map of a collection
============================

scikit-learn's t-SNE works on the distances of graphs.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

import graphmeans as gm

graphs, letters = gm.datasets.make_letters(240, random_state=0)
distances = gm.pairwise_distances(graphs)
places = TSNE(metric="precomputed", init="random", perplexity=12, random_state=0).fit_transform(distances)

near = NearestNeighbors(n_neighbors=2).fit(places).kneighbors(places, return_distance=False)[:, 1]
found = float(np.mean(letters[near] == letters))
print(f"{len(graphs)} letters on a map; agreement with the letters, of neighbors on the map: {found:.2f}")

# %%
# A dot for each drawing, and a letter where most of its drawings are.

figure, axes = plt.subplots(figsize=(6, 5))
for letter in sorted(set(letters)):
    own = places[letters == letter]
    axes.scatter(own[:, 0], own[:, 1], s=10)
    axes.annotate(letter, np.median(own, axis=0), fontsize=16, ha="center", va="center")
axes.set(xticks=[], yticks=[])
plt.show()
