"""What decides how many matchings elk saves: the scale of positions, the weight of edges, or where the origin lies?

    python benchmarks/encodings.py --data FOLDER_WITH_IAM_ZIPS

Fingerprints and symbols, one run each of elk from a furthest-first start, matched by search. Raw positions are in pixels,
so they outweigh the edges by far, and all lie on one side of the origin, where null nodes stand. "Centred" are the same
pixels with the origin moved to the mean. The silhouette index is that of a sample of 300 graphs.
"""

from __future__ import annotations

import argparse

import numpy as np

import graphmeans as gm
from graphmeans.datasets.paper import COLLECTIONS
from graphmeans.evaluation import accuracy, silhouette

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--data", default="../shared/data/iam")
options = parser.parse_args()


def moved(graphs: list[gm.Graph]) -> list[gm.Graph]:
    """The same graphs with the origin in the mean of all positions."""
    mean = np.concatenate([g.nodes[""] for g in graphs]).mean(axis=0)
    return [gm.Graph(g.nodes[""] - mean, g.edges, g.edge_attributes[""], name=g.name) for g in graphs]


print(f"{'':12} {'positions':13} edge weight  times fewer an iteration  accuracy  silhouette  iterations")
for name in ("fingerprint", "grec"):
    encode, k = COLLECTIONS[name]
    for positions, weight in (("standardised", 1.0), ("standardised", 0.01), ("centred", 1.0), ("raw", 1.0)):
        graphs, classes = encode(options.data, standardised=positions == "standardised")
        graphs = moved(graphs) if positions == "centred" else graphs
        km = gm.GraphKMeans(
            k, algorithm="elkan", init="furthest-first", n_init=1, matcher="search", effort=0.1, edge_weight=weight,
            random_state=0,
        ).fit(graphs)  # fmt: skip
        sample = np.random.RandomState(0).permutation(len(graphs))[:300]
        index = silhouette([graphs[i] for i in sample], km.labels_[sample], matcher=gm.Search(effort=0.1), edge_weight=weight)
        fewer = (k + 1) * len(graphs) / (km.n_matchings_ / len(km.trace_))
        print(
            f"{name:12} {positions:13} {weight:11g}  {fewer:24.1f}  {accuracy(classes, km.labels_):8.2f}  {index:10.2f}  "
            f"{len(km.trace_):10}",
            flush=True,
        )
