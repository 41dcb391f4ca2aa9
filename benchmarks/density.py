"""Which of the two trees of `exact` proves a pair sooner, by the number of nodes and the density of edges? CPU time, one thread.

    python benchmarks/density.py [--nodes 10 12 14] [--densities 0.15 0.3 0.5 0.75 1] [--pairs 4]

Random pairs with normal weights on their edges (signed) or uniform ones (positive), with an attribute of nodes or without. If the
ratio is below 1, the tree of assignments is quicker; `exact` takes the one of the last column.
"""

from __future__ import annotations

import argparse
import time
from itertools import product

import numpy as np

import graphmeans as gm
from graphmeans.matching.exact import SMALL, are_dense, search_assignments, search_edges
from graphmeans.matching.pairs import rows_needed
from graphmeans.space import resolve_order

#: Most tree nodes, and most rounds of the edge program.
NODES, ROUNDS = 2_000_000, 5_000


def graph(rng: np.random.Generator, n: int, density: float, signed: bool, attributes: bool) -> gm.Graph:
    """A random graph."""
    edges = np.argwhere(np.triu(rng.uniform(size=(n, n)) < density, 1))
    weights = rng.normal(size=len(edges)) if signed else rng.uniform(0.2, 1.0, size=len(edges))
    return gm.Graph(rng.normal(size=(n, 1)) if attributes else n, edges, weights)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", nargs="+", type=int, default=[10, 12, 14])
    parser.add_argument("--densities", nargs="+", type=float, default=[0.15, 0.3, 0.5, 0.75, 1.0])
    parser.add_argument("--pairs", type=int, default=4)
    options = parser.parse_args()
    print("| nodes | density | weights | nodes have | assignments, ms | proven | edge program, ms | proven | ratio | taken |")
    print("|---" * 10 + "|")
    for n, density, signed, attributes in product(options.nodes, options.densities, (True, False), (False, True)):
        rng = np.random.default_rng(1)
        graphs = [graph(rng, n, density, signed, attributes) for _ in range(2 * options.pairs)]
        batch = gm.GraphEncoder().fit_transform(graphs)
        order, pairs = resolve_order("auto", batch), np.arange(2 * options.pairs).reshape(-1, 2)
        no_cutoff = np.full(len(pairs), np.inf)
        cells, spent = [], []
        for tree, most in ((search_assignments, NODES), (search_edges, ROUNDS)):
            start = time.process_time()
            found = tree(batch, batch, pairs, order, 1, most, None, no_cutoff)
            spent.append((time.process_time() - start) / len(pairs))
            cells += [f"{1e3 * spent[-1]:.2f}", f"{(found.lower >= found.upper * (1 - 1e-9)).mean():.0%}"]
        rows = rows_needed(batch, batch, pairs, order)[0]
        dense = (are_dense(batch, batch, pairs, rows) | (rows <= SMALL)).mean() > 0.5
        said = ("signed" if signed else "positive", "an attribute" if attributes else "none")
        taken = "assignments" if dense else "edge program"
        print(f"| {n} | {density:g} | {' | '.join([*said, *cells])} | {spent[0] / spent[1]:.2f} | {taken} |", flush=True)


if __name__ == "__main__":
    main()
