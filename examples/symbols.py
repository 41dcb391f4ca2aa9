"""
Symbols: drawings in GXL files
==============================

Hand-drawn letters in a folder of GXL files, as the IAM graph database has them.
"""

import tempfile

from matplotlib import pyplot as plt
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm
from graphmeans.io import read_collection, write_collection

with tempfile.TemporaryDirectory() as folder:
    drawn, letters = gm.datasets.make_letters(300, random_state=0)
    write_collection(drawn, folder, classes=letters)  # you have such a folder already

    graphs, classes = read_collection(folder)

# %%
# Starting from medoids leaves out fewest groups.

km = gm.GraphKMeans(n_clusters=15, init="medoids", random_state=0).fit(graphs)
found = adjusted_rand_score(classes, km.labels_)
print(f"{len(graphs)} drawings, 15 clusters; agreement with the fifteen letters: {found:.2f}")

# %%
# The mean drawings. A line is as strong as the share of drawings that have it.

gm.plots.contact_sheet(km.centroids(), columns=5, titles=[f"{(km.labels_ == cluster).sum()} drawings" for cluster in range(15)])
plt.show()
