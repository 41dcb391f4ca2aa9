"""
Sequences: where proteins bind to DNA
=====================================

Aligned stretches of DNA, each with its mutations. The position of a letter is its role, so the first is compared with the first.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

binding = {"TATA box": "GTATAAAAGGCG", "CRE": "ATTGACGTCAAT", "E box": "GGCACGTGACCA", "GC box": "GGGGCGGGGCTT"}
rng = np.random.default_rng(0)
texts, sites = [], []
for site, text in binding.items():
    for _ in range(40):
        texts.append("".join(rng.choice(list("ACGT")) if rng.random() < 0.2 else letter for letter in text))
        sites.append(site)

graphs = gm.structures.sequences(texts)
km = gm.GraphKMeans(n_clusters=4, n_init=5, random_state=0).fit(graphs)
found = adjusted_rand_score(sites, km.labels_)
print(f"{len(graphs)} stretches of DNA, 4 clusters; agreement with the four binding sites: {found:.2f}")

# %%
# The mean sequences, in two lines.

pictures, titles = [], []
for cluster, mean in enumerate(km.centroids()):
    letters = mean.nodes["symbol"][np.argsort(mean.roles)]  # the role of a node is its position
    pictures.append(gm.Graph({"x": np.arange(12.0) % 6, "y": -(np.arange(12) // 6).astype(float), "symbol": letters}))
    titles.append(f"{(km.labels_ == cluster).sum()} like {''.join(letters)}")
    print(titles[-1])
gm.plots.contact_sheet(pictures, columns=2, titles=titles)
plt.show()
