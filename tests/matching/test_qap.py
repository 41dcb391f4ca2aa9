"""The exact matcher on quadratic assignment problems of the literature and of its style, up to size 12.

A problem asks for the permutation p that minimises q(p) = sum_ij f_ij d_p(i)p(j), flows times distances. As graphs: X has
an edge of value f_ij for every flow that is not zero, Y an edge of value -d_ij for every distance that is not zero, nodes
have no attributes, and the order is the size of the problem, so that no node stays unmatched. Then

    D(X, Y)^2 = |F|^2 + |D|^2 - 2 max_p sum_ij f_ij (-d_p(i)p(j)) = |F|^2 + |D|^2 + 2 min_p q(p)

and the optimum is read off the distance, the permutation off the mapping. An edge counts twice, as it does in q.
"""

import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import graphmeans as gm

# C. E. Nugent, T. E. Vollmann and J. Ruml, Operations Research 16 (1968); QAPLIB's nug5, nug6, nug8 and nug12 are the
# leading flows on grids. Optima: QAPLIB.
NUGENT_FLOWS = np.array(
    [
        [0, 5, 2, 4, 1, 0, 0, 6, 2, 1, 1, 1],
        [5, 0, 3, 0, 2, 2, 2, 0, 4, 5, 0, 0],
        [2, 3, 0, 0, 0, 0, 0, 5, 5, 2, 2, 2],
        [4, 0, 0, 0, 5, 2, 2, 10, 0, 0, 5, 5],
        [1, 2, 0, 5, 0, 10, 0, 0, 0, 5, 1, 1],
        [0, 2, 0, 2, 10, 0, 5, 1, 1, 5, 4, 0],
        [0, 2, 0, 2, 0, 5, 0, 10, 5, 2, 3, 3],
        [6, 0, 5, 10, 0, 1, 10, 0, 0, 0, 5, 0],
        [2, 4, 5, 0, 0, 1, 5, 0, 0, 0, 10, 10],
        [1, 5, 2, 0, 5, 5, 2, 0, 0, 0, 5, 0],
        [1, 0, 2, 5, 1, 4, 3, 5, 10, 5, 0, 2],
        [1, 0, 2, 5, 1, 0, 3, 0, 10, 0, 2, 0],
    ]
)
NUGENT_PLACES = {
    5: [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)],
    6: list(itertools.product(range(2), range(3))),
    8: list(itertools.product(range(2), range(4))),
    12: list(itertools.product(range(3), range(4))),
}
NUGENT_OPTIMA = {5: 50, 6: 86, 8: 214, 12: 578}


def rectilinear(places):
    """Distances along the streets of a grid."""
    at = np.array(places)
    return np.abs(at[:, None] - at[None]).sum(axis=2)


def as_graph(matrix, sign):
    """A matrix as the edges of a graph, undirected if it is symmetric; zero is no edge."""
    directed = bool((matrix != matrix.T).any())
    ends = np.argwhere(matrix if directed else np.triu(matrix))
    return gm.Graph(len(matrix), ends, sign * matrix[ends[:, 0], ends[:, 1]].astype(float), directed=directed)


def solve(flows, distances):
    """The optimum and the permutation by the exact matcher, and whether it is proven."""
    x, y = as_graph(flows, 1.0), as_graph(distances, -1.0)
    found = gm.match(x, y, matcher="exact", order=len(flows))
    optimum = (found.upper**2 - (flows**2).sum() - (distances**2).sum()) / 2
    return optimum, found.indices, found.certified


def value(flows, distances, permutation):
    return int((flows * distances[np.ix_(permutation, permutation)]).sum())


def check(flows, distances, optimum):
    found, permutation, certified = solve(flows, distances)
    assert certified
    assert found == pytest.approx(optimum, abs=1e-6)
    assert sorted(permutation) == list(range(len(flows)))
    assert value(flows, distances, permutation) == optimum


def brute_force(flows, distances):
    """Every permutation, all at once."""
    every = np.array(list(itertools.permutations(range(len(flows)))))
    total = np.zeros(len(every), dtype=np.int64)
    for i, j in np.argwhere(flows):
        total += flows[i, j] * distances[every[:, i], every[:, j]]
    return int(total.min())


def branch_and_bound(flows, distances):
    """An independent exact method in whole numbers: facilities are placed one by one, pruned by a Gilmore-Lawler bound.

    The bound of facility i at place a: twice its flows to the placed ones, and the smallest scalar product of its flows
    to the free ones with the distances from a to the free places (large flow with small distance).
    """
    n = len(flows)
    best = [value(flows, distances, np.arange(n))]

    def place(permutation, spent):
        depth = len(permutation)
        free = [a for a in range(n) if a not in permutation]
        if depth == n:
            best[0] = min(best[0], spent)
            return
        left = range(depth, n)
        cost = np.empty((n - depth, n - depth), dtype=np.int64)
        for row, i in enumerate(left):
            to_free = np.sort(np.delete(flows[i, depth:], row))
            for column, a in enumerate(free):
                near = np.sort(distances[a, [b for b in free if b != a]])[::-1]
                placed = 2 * flows[i, :depth] @ distances[a, permutation] if depth else 0
                cost[row, column] = placed + to_free @ near
        if spent + cost[linear_sum_assignment(cost)].sum() >= best[0]:
            return
        for a in sorted(free, key=lambda a: cost[0, free.index(a)]):
            added = 2 * flows[depth, :depth] @ distances[a, permutation] if depth else 0
            place([*permutation, a], spent + int(added))

    place([], 0)
    return best[0]


def random_flows(random, n, density):
    """Flows of Nugent's kind: whole numbers up to 10, many of them zero."""
    upper = np.triu(random.integers(1, 11, size=(n, n)) * (random.random((n, n)) < density), 1)
    return upper + upper.T


def random_tree(random, n):
    """Flows of Christofides and Benavent's kind (QAPLIB's chr): a tree."""
    flows = np.zeros((n, n), dtype=np.int64)
    for i in range(1, n):
        j = random.integers(i)
        flows[i, j] = flows[j, i] = random.integers(1, 100)
    return flows


@pytest.mark.parametrize("n", sorted(NUGENT_OPTIMA))
def test_nugent(n):
    check(NUGENT_FLOWS[:n, :n], rectilinear(NUGENT_PLACES[n]), NUGENT_OPTIMA[n])


@pytest.mark.parametrize("seed", range(3))
def test_random_nugent_against_brute_force(seed):
    random = np.random.default_rng(seed)
    flows, distances = random_flows(random, 8, 0.6), rectilinear(NUGENT_PLACES[8])
    check(flows, distances, brute_force(flows, distances))


@pytest.mark.parametrize("seed", range(2))
def test_random_distances_against_brute_force(seed):
    """Dense instances without geometry (QAPLIB's rou, tai a)."""
    random = np.random.default_rng(seed)
    flows, distances = random_flows(random, 7, 1.0), random_flows(random, 7, 1.0)
    check(flows, distances, brute_force(flows, distances))


@pytest.mark.parametrize("seed", range(2))
def test_tree_flows_against_branch_and_bound(seed):
    random = np.random.default_rng(seed)
    flows, distances = random_tree(random, 10), random_flows(random, 10, 1.0) * 7
    check(flows, distances, branch_and_bound(flows, distances))


def test_grid_of_nine_against_branch_and_bound():
    flows = random_flows(np.random.default_rng(9), 9, 0.5)
    distances = rectilinear(list(itertools.product(range(3), range(3))))
    check(flows, distances, branch_and_bound(flows, distances))


def test_directed_flows():
    """An asymmetric problem: both matrices as directed graphs."""
    random = np.random.default_rng(4)
    flows, distances = random.integers(0, 10, size=(2, 6, 6))
    for matrix in (flows, distances):
        np.fill_diagonal(matrix, 0)
    check(flows, distances, brute_force(flows, distances))


def test_two_methods_agree():
    """The methods that prove the optima above are themselves compared."""
    flows, distances = NUGENT_FLOWS[:8, :8], rectilinear(NUGENT_PLACES[8])
    assert brute_force(flows, distances) == branch_and_bound(flows, distances) == NUGENT_OPTIMA[8]
