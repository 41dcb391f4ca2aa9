"""
HDBSCAN: groups of different densities
======================================

scikit-learn's HDBSCAN works on the distances of graphs and needs no radius. `gm.mean` then gives each group its mean graph.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

graphs, letters = gm.datasets.make_letters(240, random_state=0)
distances = gm.pairwise_distances(graphs)
labels = HDBSCAN(min_cluster_size=5, metric="precomputed", copy=True).fit(distances).labels_
grouped = labels >= 0
found = adjusted_rand_score(letters[grouped], labels[grouped])
print(f"{labels.max() + 1} groups, {np.sum(~grouped)} of {len(graphs)} letters in none")
print(f"agreement with the letters, of those in a group: {found:.2f}")

# %%
# The mean graph of each group.

groups = [np.flatnonzero(labels == group) for group in range(labels.max() + 1)]
means = [gm.mean([graphs[i] for i in group], random_state=0) for group in groups]
gm.plots.contact_sheet(means, titles=[f"mean of {len(group)}" for group in groups])
plt.show()
