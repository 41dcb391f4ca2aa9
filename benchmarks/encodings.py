"""What decides how many matchings elk saves: the scale of positions, the weight of edges, or where the origin lies?

    python benchmarks/encodings.py --data FOLDER_WITH_IAM_ZIPS

Fingerprints and symbols, one run each of elk from a furthest-first start. Raw positions are in pixels, so they outweigh the
edges by far, and all lie on one side of the origin, where null nodes stand. "Centered" are the same pixels with the origin
moved to the mean. "By centers" and "by bounds": how many of the pairs of a graph and another center the tests
u(X) <= D(Y_X, Y) / 2 and u(X) <= l(X, Y) rule out. "Own / second": the distance of a graph to its own center over that to
the second nearest, the median. The silhouette index is that of a sample of 300 graphs.
"""

from __future__ import annotations

import argparse

import numpy as np

import graphmeans as gm
from graphmeans.datasets.paper import COLLECTIONS
from graphmeans.evaluation import accuracy, silhouette
from graphmeans.paper.run import paper_count

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--data", default="../shared/data/iam")
options = parser.parse_args()


def moved(graphs: list[gm.Graph]) -> list[gm.Graph]:
    """The same graphs with the origin in the mean of all positions."""
    mean = np.concatenate([g.nodes[""] for g in graphs]).mean(axis=0)
    return [gm.Graph(g.nodes[""] - mean, g.edges, g.edge_attributes[""], name=g.name) for g in graphs]


def share(column: str, km: gm.GraphKMeans, n: int) -> float:
    """Of all pairs of a graph and another center, after the first iteration, how many one of the two tests rules out."""
    return float(np.mean(km.trace_[column][1:]) / (n * (km.n_clusters - 1)))


#: Positions, weight of edges, matcher.
ENCODINGS = [
    ("standardised", 1.0, gm.Graduated()),
    ("standardised", 1.0, gm.Search(effort=0.1)),
    ("standardised", 0.01, gm.Search(effort=0.1)),
    ("centered", 1.0, gm.Search(effort=0.1)),
    ("raw", 1.0, gm.Search(effort=0.1)),
]
HEADER = ("", "positions", "edge weight", "matcher", "times fewer", "by centers", "by bounds", "own / second", "accuracy",
          "silhouette", "iterations")  # fmt: skip

print(" | ".join(HEADER))
for name in ("fingerprint", "grec"):
    encode, k = COLLECTIONS[name]
    for positions, weight, matcher in ENCODINGS:
        graphs, classes = encode(options.data, standardised=positions == "standardised")
        graphs = moved(graphs) if positions == "centered" else graphs
        km = gm.GraphKMeans(
            k, algorithm="elkan", init="furthest-first", n_init=1, matcher=matcher, edge_weight=weight, random_state=0
        ).fit(graphs)
        n, iterations = len(graphs), len(km.trace_)
        sample = np.random.RandomState(0).permutation(n)[:300]
        index = silhouette([graphs[i] for i in sample], km.labels_[sample], matcher=gm.Search(effort=0.1), edge_weight=weight)
        row = (
            name, positions, f"{weight:g}", type(matcher).__name__.lower(),
            f"{(k + 1) * n / (paper_count('elkan', n, k, iterations, km.n_matchings_) / iterations):.1f}",
            f"{share('pruned_by_centers', km, n):.0%}", f"{share('pruned_by_bounds', km, n):.0%}",
            f"{1 - np.median(km.margins(graphs)):.2f}", f"{accuracy(classes, km.labels_):.2f}", f"{index:.2f}", f"{iterations}",
        )  # fmt: skip
        print(" | ".join(row), flush=True)
