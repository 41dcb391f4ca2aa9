"""The peers of benchmarks/matching.py: what is on PyPI and can align two attributed graphs, each as a `Peer`.

A peer is asked for the largest inner product <X, P.Y> = sum_i <x_i, y_P(i)> + sum_ij <x_ij, y_P(i)P(j)>, which is the
smallest distance. `prepare` brings a padded pair into the form that the package wants; it is outside the clock. `solve`
gives the column of every row of the padded pair; it is inside, with the rounding that it takes to get a permutation.

What each of them can see:

- graspologic: everything; an edge channel is a layer, node inner products are S. `n_init` above 1 only makes sense with
  `init_perturbation`: without it every start is the barycenter, and only ties are broken differently. It does two things
  that cost it: its score counts S once a layer, so with several channels it does not always keep the best of its starts,
  and the connections between the two graphs that nobody gave are sparse matrices that it multiplies all the same. "Tuned"
  keeps the best start by the right score and gives it those matrices as dense zeros.
- POT, fused Gromov-Wasserstein: one number an edge, we give it the norm. With uniform weights 1/n and alpha = n/(n+1) its
  objective is ours divided by n(n+1) wherever T is a permutation and an edge has one channel.
- pygmtools, ipfp: everything, in an affinity matrix of n^2 x n^2, made outside its clock.
- scipy, FAQ: one edge channel, again the norm, and no linear term; but node inner products come in exactly as edges to
  as many seeded nodes as there are node channels.
- networkx, graph edit distance: everything, as costs; it yields better and better edit paths until the time is over. It
  knows no order (any number of nodes may stay unmatched), so what it leaves open is completed by one linear assignment.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, quadratic_assignment

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Layers = list[FloatArray]

#: The peers that ours are compared with in time.
GRASPOLOGIC, GRASPOLOGIC_TUNED = "graspologic n_init=10", "graspologic n_init=10, tuned"

#: Seconds that networkx may take for a pair.
GED_SECONDS = 1.0


@dataclass(frozen=True)
class PaddedPair:
    """Two graphs in dense arrays of the same number of rows, null nodes last."""

    x_nodes: FloatArray
    y_nodes: FloatArray
    x_edges: FloatArray
    y_edges: FloatArray
    x_size: int
    y_size: int

    @property
    def rows(self) -> int:
        return len(self.x_nodes)

    def inner_product(self, columns: IntArray) -> float:
        """<X, P.Y> of the permutation that gives every row its column."""
        edges = self.y_edges[columns][:, columns]
        return float((self.x_nodes * self.y_nodes[columns]).sum() + (self.x_edges * edges).sum())

    def mapping(self, columns: IntArray) -> IntArray:
        """Node of x -> node of y or -1, from the column of every row."""
        real = np.asarray(columns)[: self.x_size]
        return np.where(real < self.y_size, real, -1).astype(np.int64)


@dataclass(frozen=True)
class Peer:
    """A package to compare with: its name, how it takes a pair, how it solves one, and on how many pairs it is tried."""

    name: str
    prepare: Callable[[PaddedPair], tuple[Any, ...]]
    solve: Callable[..., IntArray]
    pairs: dict[str, int] | None = None


def all_peers() -> list[Peer]:
    """Those that are installed; what is missing is said."""
    peers = []
    for make in (graspologic_peers, pot_peers, pygmtools_peers, scipy_peers, networkx_peers):
        try:
            peers += make()
        except ImportError as error:
            print(f"left out: {make.__name__.removesuffix('_peers')} ({error})")
    return peers


def edge_norms(edges: FloatArray) -> FloatArray:
    return np.sqrt((edges**2).sum(axis=2))


def nearest_permutation(soft: FloatArray) -> IntArray:
    return linear_sum_assignment(soft, maximize=True)[1]


def graspologic_peers() -> list[Peer]:
    from graspologic.match import graph_match

    def prepare(pair: PaddedPair) -> tuple[Any, ...]:
        def layers(edges: FloatArray) -> Layers:
            return [np.ascontiguousarray(layer) for layer in edges.transpose(2, 0, 1)]

        return layers(pair.x_edges), layers(pair.y_edges), pair.x_nodes @ pair.y_nodes.T

    def prepare_tuned(pair: PaddedPair) -> tuple[Any, ...]:
        a, b, similarity = prepare(pair)
        return a, b, similarity, [np.zeros_like(similarity)] * len(a), pair

    def once(a: Layers, b: Layers, similarity: FloatArray) -> IntArray:
        return graph_match(a, b, S=similarity, rng=0).indices_B

    def ten(a: Layers, b: Layers, similarity: FloatArray) -> IntArray:
        return graph_match(a, b, S=similarity, n_init=10, init_perturbation=1.0, rng=0).indices_B

    def tuned(a: Layers, b: Layers, similarity: FloatArray, zeros: Layers, pair: PaddedPair) -> IntArray:
        starts = [
            graph_match(a, b, AB=zeros, BA=zeros, S=similarity, init_perturbation=1.0, rng=seed).indices_B
            for seed in range(10)
        ]
        return max(starts, key=pair.inner_product)

    return [
        Peer("graspologic n_init=1", prepare, once),
        Peer(GRASPOLOGIC, prepare, ten),
        Peer(GRASPOLOGIC_TUNED, prepare_tuned, tuned),
    ]


def pot_peers() -> list[Peer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about other array libraries that are not installed
        import ot

    def prepare(pair: PaddedPair) -> tuple[Any, ...]:
        costs = ((pair.x_nodes[:, None] - pair.y_nodes[None]) ** 2).sum(axis=2)
        return costs, edge_norms(pair.x_edges), edge_norms(pair.y_edges)

    def solve(costs: FloatArray, x: FloatArray, y: FloatArray) -> IntArray:
        n = len(costs)
        plan = ot.gromov.fused_gromov_wasserstein(costs, x, y, symmetric=True, alpha=n / (n + 1))
        return nearest_permutation(plan)

    return [Peer("POT fused GW", prepare, solve)]


def pygmtools_peers() -> list[Peer]:
    import pygmtools

    pygmtools.set_backend("numpy")

    def prepare(pair: PaddedPair) -> tuple[Any, ...]:
        n = pair.rows
        # K[(j, i), (l, k)] = <x_ik, y_jl>: pygmtools flattens its matching matrix column by column
        affinity = np.einsum("ikc,jlc->jilk", pair.x_edges, pair.y_edges, optimize=True).reshape(n * n, n * n)
        affinity[np.diag_indices(n * n)] = (pair.x_nodes @ pair.y_nodes.T).T.ravel()
        return affinity, n

    def solve(affinity: FloatArray, n: int) -> IntArray:
        with np.errstate(all="ignore"):
            return nearest_permutation(pygmtools.ipfp(affinity, n1max=n, n2max=n))

    return [Peer("pygmtools ipfp", prepare, solve)]


def scipy_peers() -> list[Peer]:
    def seeded(nodes: FloatArray, edges: FloatArray) -> FloatArray:
        """One matrix: first the seeded nodes, one a node channel, with the attributes as edges towards them."""
        seeds = nodes.shape[1]
        matrix = np.zeros((seeds + len(nodes), seeds + len(nodes)))
        matrix[seeds:, :seeds] = nodes
        matrix[seeds:, seeds:] = edge_norms(edges)
        return matrix

    def prepare(pair: PaddedPair) -> tuple[Any, ...]:
        seeds = np.arange(pair.x_nodes.shape[1])
        fixed = np.stack([seeds, seeds], axis=1)
        return seeded(pair.x_nodes, pair.x_edges), seeded(pair.y_nodes, pair.y_edges), fixed

    def solve(a: FloatArray, b: FloatArray, fixed: IntArray) -> IntArray:
        found = quadratic_assignment(a, b, method="faq", options={"maximize": True, "partial_match": fixed})
        return found.col_ind[len(fixed) :] - len(fixed)

    return [Peer("scipy FAQ", prepare, solve)]


def networkx_peers() -> list[Peer]:
    def square(row: FloatArray) -> float:
        return float(row @ row)

    costs: dict[str, Callable[..., float]] = {
        "node_subst_cost": lambda a, b: square(a["x"] - b["x"]),
        "node_del_cost": lambda a: square(a["x"]),
        "node_ins_cost": lambda a: square(a["x"]),
        "edge_subst_cost": lambda a, b: 2 * square(a["x"] - b["x"]),
        "edge_del_cost": lambda a: 2 * square(a["x"]),
        "edge_ins_cost": lambda a: 2 * square(a["x"]),
    }

    def to_nx(nodes: FloatArray, edges: FloatArray, size: int) -> nx.Graph:
        graph = nx.Graph()
        graph.add_nodes_from((i, {"x": nodes[i]}) for i in range(size))
        present = np.argwhere(np.triu(edges.any(axis=2)))
        graph.add_edges_from((int(i), int(j), {"x": edges[i, j]}) for i, j in present)
        return graph

    def prepare(pair: PaddedPair) -> tuple[Any, ...]:
        return (
            to_nx(pair.x_nodes, pair.x_edges, pair.x_size),
            to_nx(pair.y_nodes, pair.y_edges, pair.y_size),
            pair,
        )

    def solve(x: nx.Graph, y: nx.Graph, pair: PaddedPair) -> IntArray:
        columns = np.full(pair.rows, -1)
        for path, _, _ in nx.optimize_edit_paths(x, y, **costs, timeout=GED_SECONDS):
            columns[:] = -1
            for i, j in path:
                if i is not None and j is not None:
                    columns[i] = j
        return complete(pair, columns)

    few = dict.fromkeys(("fingerprint", "grec", "molecules"), 20)
    return [Peer("networkx GED, 1 s", prepare, solve, few)]


def complete(pair: PaddedPair, columns: IntArray) -> IntArray:
    """Rows without a column get the free ones, by a linear assignment of what they cost beside the others."""
    rows, placed = np.flatnonzero(columns < 0), np.flatnonzero(columns >= 0)
    free = np.setdiff1d(np.arange(pair.rows), columns[placed])
    nodes = pair.x_nodes[rows] @ pair.y_nodes[free].T
    edges = np.einsum("ikc,jkc->ij", pair.x_edges[np.ix_(rows, placed)], pair.y_edges[np.ix_(free, columns[placed])])
    result = columns.copy()
    result[rows] = free[nearest_permutation(nodes + 2 * edges)]
    return result
