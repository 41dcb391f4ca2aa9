"""Are our letters as hard as the IAM letters? Sizes, nearest-neighbour and k-means accuracy, side by side.

    python benchmarks/letters.py [--data Letter/LOW] [--seed 0]

Two distances, each with half of the graphs to learn from: the one of graphmeans, and the exact graph edit distance with
the best of a few costs, which is how the accuracies printed with the IAM letters (.996, .940, .900) were found.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

import graphmeans as gm
from graphmeans.datasets import make_letters
from graphmeans.io import read_gxl_collection

# Cost of a node, cost of an edge, weight of nodes against edges; moving a node costs the distance moved.
EDIT_COSTS = [(0.3, 0.1, 0.25), (0.3, 0.5, 0.75), (0.5, 0.5, 0.75), (0.7, 1.9, 0.75), (0.9, 1.7, 0.75)]
HEADER = f"{'letters':<10} {'nodes':>10}  {'edges':>9} {'1-NN':>6} {'1-NN edit':>10} {'k-means':>8}"


def main() -> None:
    """Print one line a collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="a folder or zip of IAM letters with its train.cxl and test.cxl")
    parser.add_argument("--seed", type=int, default=0, help="of our letters and of k-means")
    arguments = parser.parse_args()

    print(HEADER)
    for level in ("low", "medium", "high"):
        graphs, y = make_letters(1500, level, random_state=arguments.seed)
        print_line(level, graphs[:750], y[:750], graphs[750:], y[750:], arguments.seed)
    if arguments.data:
        train, train_y = read_gxl_collection(arguments.data, "train")
        test, test_y = read_gxl_collection(arguments.data, "test")
        print_line("IAM", train, np.array(train_y), test, np.array(test_y), arguments.seed)


def print_line(
    title: str,
    train: Sequence[gm.Graph],
    train_y: NDArray[np.str_],
    test: Sequence[gm.Graph],
    test_y: NDArray[np.str_],
    seed: int,
) -> None:
    """Sizes and accuracies of the test graphs."""
    nodes = [graph.n_nodes for graph in test]
    edges = [graph.n_edges for graph in test]
    nearest = gm.pairwise_distances(test, train, n_jobs=1).argmin(axis=1)
    neighbours = np.mean(train_y[nearest] == test_y)
    edit = max(np.mean(train_y[nearest_by_edit(train, test, *costs)] == test_y) for costs in EDIT_COSTS)
    labels = gm.GraphKMeans(30, algorithm="elkan", n_init=5, n_jobs=1, random_state=seed).fit_predict(test)
    majority = sum(np.unique(test_y[labels == label], return_counts=True)[1].max() for label in np.unique(labels))
    sizes = f"{np.mean(nodes):>6.2f} / {max(nodes):<2} {np.mean(edges):>5.2f} / {max(edges):<2}"
    print(f"{title:<10} {sizes} {neighbours:>6.3f} {edit:>10.3f} {majority / len(test):>8.3f}", flush=True)


def nearest_by_edit(
    train: Sequence[gm.Graph], test: Sequence[gm.Graph], node_cost: float, edge_cost: float, share: float
) -> NDArray[np.int64]:
    """The training graph with the least edit distance, for every test graph."""
    places = max(graph.n_nodes for graph in [*train, *test])
    costs = (share, share * node_cost, (1.0 - share) * edge_cost)
    return _nearest(*_padded(test, places), *_padded(train, places), *costs)


def _padded(graphs: Sequence[gm.Graph], places: int) -> tuple[NDArray, NDArray, NDArray]:
    positions = np.zeros((len(graphs), places, 2))
    joined = np.zeros((len(graphs), places, places), dtype=np.bool_)
    for i, graph in enumerate(graphs):
        positions[i, : graph.n_nodes] = np.column_stack([graph.nodes["x"], graph.nodes["y"]])
        a, b = graph.edges.T
        joined[i, a, b] = joined[i, b, a] = True
    return np.array([graph.n_nodes for graph in graphs]), positions, joined


@numba.njit
def _nearest(sizes, positions, joined, other_sizes, other_positions, other_joined, move, node, edge):
    nearest = np.zeros(len(sizes), np.int64)
    for i in range(len(sizes)):
        least = np.inf
        for j in range(len(other_sizes)):
            x, y = positions[i, : sizes[i]], other_positions[j, : other_sizes[j]]
            cost = _edit_distance(x, joined[i], y, other_joined[j], move, node, edge, least)
            if cost < least:
                least, nearest[i] = cost, j
    return nearest


@numba.njit
def _edit_distance(x, x_joined, y, y_joined, move, node, edge, limit):
    """The least cost below `limit`, or `limit`."""
    n, m = len(x), len(y)
    cost = np.full((n, m + 1), node)  # the last column: the node is deleted
    least_rest = np.zeros(n + 1)
    for i in range(n - 1, -1, -1):
        for j in range(m):
            cost[i, j] = move * np.sqrt((x[i, 0] - y[j, 0]) ** 2 + (x[i, 1] - y[j, 1]) ** 2)
        least_rest[i] = least_rest[i + 1] + cost[i].min()
    target, used = np.full(n, m), np.zeros(m + 1, np.bool_)
    return _search(0, 0.0, limit, target, used, cost, least_rest, x_joined, y_joined, node, edge)


@numba.njit
def _search(i, spent, best, target, used, cost, least_rest, x_joined, y_joined, node, edge):
    """Depth first: the nodes of x in turn, each to every free node of y, the cheapest first."""
    n, m = len(cost), len(used) - 1
    if i == n:
        for j in range(m):  # what no node of x went to is inserted, with its edges
            if not used[j]:
                spent += node
                for k in range(m):
                    if y_joined[j, k] and (used[k] or k < j):
                        spent += edge
        return min(best, spent)
    for j in np.argsort(cost[i]):
        if used[j]:
            continue
        total = spent + cost[i, j]
        for k in range(i):
            kept = j < m and target[k] < m and y_joined[j, target[k]]
            if kept != x_joined[i, k]:
                total += edge
        if total + least_rest[i + 1] < best:
            target[i], used[j] = j, j < m
            best = _search(i + 1, total, best, target, used, cost, least_rest, x_joined, y_joined, node, edge)
            used[j] = False
    return best


if __name__ == "__main__":
    main()
