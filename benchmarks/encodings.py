"""What decides how many matchings elk saves: the weight of edges against positions, on fingerprints and symbols.

    python benchmarks/encodings.py --data FOLDER_WITH_IAM_ZIPS

One run each of elk from a furthest-first start, with the search matcher. Raw positions are in pixels, so they outweigh
the edges by far; standardised ones have variance 1, and an edge then counts as much as a node. The silhouette index is
that of a sample of 250 graphs.
"""

from __future__ import annotations

import argparse

import numpy as np

import graphmeans as gm
from graphmeans.datasets.paper import COLLECTIONS
from graphmeans.evaluation import accuracy, silhouette

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--data", default="../shared/data/iam")
parser.add_argument("--per-class", type=int, help="graphs of each class; all that the paper takes by default")
options = parser.parse_args()

print(f"{'':12} {'positions':13} edge weight  times fewer an iteration  accuracy  silhouette  iterations")
for name in ("fingerprint", "grec"):
    encode, k = COLLECTIONS[name]
    for standardised, weight in ((True, 1.0), (True, 0.1), (True, 0.01), (False, 1.0)):
        more = {} if options.per_class is None else {"per_class": options.per_class}
        graphs, classes = encode(options.data, standardised=standardised, **more)
        km = gm.GraphKMeans(
            k, algorithm="elkan", init="furthest-first", n_init=1, matcher="search", edge_weight=weight, random_state=0
        ).fit(graphs)
        sample = np.random.RandomState(0).permutation(len(graphs))[:250]
        index = silhouette([graphs[i] for i in sample], km.labels_[sample], matcher="search", edge_weight=weight)
        fewer = (k + 1) * len(graphs) / (km.n_matchings_ / len(km.trace_))
        print(
            f"{name:12} {'standardised' if standardised else 'raw':13} {weight:11g}  {fewer:24.1f}  "
            f"{accuracy(classes, km.labels_):8.2f}  {index:10.2f}  {len(km.trace_):10}",
            flush=True,
        )
