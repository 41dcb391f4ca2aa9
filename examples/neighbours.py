"""
Nearest neighbors: what is this graph?
======================================

scikit-learn's classifier by nearest neighbors on the distances of graphs, beside mean graphs as prototypes.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsClassifier

import graphmeans as gm

graphs, letters = gm.datasets.make_letters(300, "medium", random_state=0)
known, new = graphs[:200], graphs[200:]

# %%
# One encoder and one order, so that both tables hold distances of the same space.

encoder, order = gm.GraphEncoder().fit(known), max(graph.n_nodes for graph in graphs)
metric = {"encoder": encoder, "order": order}
classifier = KNeighborsClassifier(5, metric="precomputed", weights="distance")
classifier.fit(gm.pairwise_distances(known, **metric), letters[:200])
to_known = gm.pairwise_distances(new, known, **metric)
guessed = classifier.predict(to_known)

found = float(np.mean(guessed == letters[200:]))
prototypes = gm.GraphNearestCentroid(random_state=0).fit(known, letters[:200])
print(f"200 letters known, 100 new; one mean graph for each letter gets {prototypes.score(new, letters[200:]):.2f} of them")
print(f"agreement with the letters, 5 nearest neighbors: {found:.2f}")

# %%
# Three letters that were mistaken, and one that was not, each with its nearest neighbors.

shown, titles = [], []
for i in [*np.flatnonzero(guessed != letters[200:])[:3].tolist(), 0]:
    shown += [new[i], *[known[j] for j in np.argsort(to_known[i])[:5]]]
    titles += [f"{letters[200 + i]}, taken for {guessed[i]}", *[f"neighbor {rank}" for rank in range(1, 6)]]
gm.plots.contact_sheet(shown, titles=titles)
plt.show()
