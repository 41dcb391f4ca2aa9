"""
DBSCAN: groups of any shape, and graphs in no group
===================================================

scikit-learn's DBSCAN works on the distances of graphs.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

graphs, letters = gm.datasets.make_letters(240, random_state=0)
distances = gm.pairwise_distances(graphs)

# %%
# Where the distances to the fourth neighbor rise is a good radius.

radius = float(np.quantile(np.sort(distances, axis=1)[:, 4], 0.8))
labels = DBSCAN(eps=radius, min_samples=4, metric="precomputed").fit_predict(distances)
grouped = labels >= 0
found = adjusted_rand_score(letters[grouped], labels[grouped])
print(f"{labels.max() + 1} groups at a radius of {radius:.2f}, {np.sum(~grouped)} of {len(graphs)} letters in none")
print(f"agreement with the letters, of those in a group: {found:.2f}")

# %%
# The letter of each group that is nearest to all others of its group, and some letters that are in no group.

shown = []
for group in range(labels.max() + 1):
    own = np.flatnonzero(labels == group)
    shown.append(int(own[distances[np.ix_(own, own)].sum(axis=0).argmin()]))
shown += np.flatnonzero(~grouped)[:6].tolist()
titles = [f"group of {np.sum(labels == labels[i])}" if labels[i] >= 0 else "in no group" for i in shown]
gm.plots.contact_sheet([graphs[i] for i in shown], titles=titles)
plt.show()
