"""Is the exact matcher fast? Against networkx's exact graph edit distance with the same costs, on Letter LOW.

    python benchmarks/exact.py --data FOLDER_WITH_IAM_ZIPS [--pairs 200]

With an unbounded order the squared distance *is* a graph edit distance: substituting a node costs |x - y|^2, deleting it
|x|^2, and an edge counts from both its ends. Both sides must agree on every timed pair. Our time includes packing. Positions
are raw, hence not negative: networkx misses the optimum where deleting and inserting a node is cheaper than substituting it
(its issue 8099), which happens on standardised positions. The second part asks what a second thread brings.
"""

from __future__ import annotations

import argparse
import time

import networkx as nx
import numpy as np

import graphmeans as gm
from graphmeans.datasets import load_iam
from graphmeans.space import GraphSpace, resolve_order

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--data", default="../shared/data/iam")
parser.add_argument("--pairs", type=int, default=200)
options = parser.parse_args()

graphs, _ = load_iam(options.data, "letter", "test")
encoder = gm.GraphEncoder(numbers="keep").fit(graphs)
bare = [encoder.transform([graph])[0] for graph in graphs]
random = np.random.default_rng(0)
pairs = random.integers(len(graphs), size=(options.pairs, 2))


def to_nx(graph: gm.Graph) -> nx.Graph:
    result = nx.Graph()
    for i, row in enumerate(graph.nodes[""]):
        result.add_node(i, x=row)
    for (i, j), row in zip(graph.edges, graph.edge_attributes[""], strict=True):
        result.add_edge(int(i), int(j), x=row)
    return result


def square(row: np.ndarray) -> float:
    return float(row @ row)


costs = {
    "node_subst_cost": lambda a, b: square(a["x"] - b["x"]),
    "node_del_cost": lambda a: square(a["x"]),
    "node_ins_cost": lambda a: square(a["x"]),
    "edge_subst_cost": lambda a, b: 2 * square(a["x"] - b["x"]),
    "edge_del_cost": lambda a: 2 * square(a["x"]),
    "edge_ins_cost": lambda a: 2 * square(a["x"]),
}
as_nx = [to_nx(graph) for graph in bare]


def ours(which: np.ndarray, threads: int) -> np.ndarray:
    """Packing and matching: Graph objects in, distances out."""
    batch = gm.GraphEncoder().fit_transform(bare)
    space = GraphSpace(resolve_order(None, batch), matcher=gm.Exact(), n_jobs=threads)
    return space.match(batch, batch, which).upper


def best_of(repeats: int, work) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


ours(pairs[:2], 1)  # compile
many = random.integers(len(graphs), size=(20_000, 2))
batch = gm.GraphEncoder().fit_transform(bare)
mine = best_of(3, lambda: ours(many, 1)) / len(many)
distances = ours(pairs, 1)
theirs, start = [], time.perf_counter()
for i, j in pairs:
    theirs.append(nx.graph_edit_distance(as_nx[i], as_nx[j], **costs))
networkx_seconds = (time.perf_counter() - start) / len(pairs)
worst = np.abs(np.sqrt(theirs) - distances).max()
print(f"networkx exact GED     {networkx_seconds * 1e3:10.3f} ms a pair ({len(pairs)} pairs)")
print(f"graphmeans exact       {mine * 1e3:10.4f} ms a pair, packing included, one thread")
print(f"times faster           {networkx_seconds / mine:10.0f}   (wanted: 400; disagreement on the pairs: {worst:.1e})")
assert worst < 1e-6, "the two disagree"

space = {n: GraphSpace(resolve_order("auto", batch), matcher=gm.Exact(), n_jobs=n) for n in (1, 2)}
many = random.integers(len(graphs), size=(100_000, 2))
one, two = (best_of(3, lambda n=n: space[n].match(batch, batch, many)) for n in (1, 2))
print(f"two threads            {one / two:10.2f} times one   (wanted: 1.7; {len(many)} pairs, order {space[1].order[0]})")
