"""Brute force confirms what an index says is proven: every structure, ties and copies, after add, remove, save and load."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
import oracle
from graphmeans import structures
from graphmeans.matching.exact import NO_LIMIT, search_assignments
from strategies import Kind, random_graph, relabelled

GRID = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


def grid(rng, *shape):
    """Numbers of which many are equal: distances are tied, products negative."""
    return rng.choice(GRID, size=shape)


def tree(rng, most=4):
    """Nested (label, children)."""
    nodes = [(str(rng.choice(["a", "b"])), []) for _ in range(rng.integers(1, most + 1))]
    for i in range(1, len(nodes)):
        nodes[rng.integers(i)][1].append(nodes[i])
    return nodes[0]


def symmetric(rng, n):
    """A matrix of a network whose nodes have names."""
    upper = np.triu(grid(rng, n, n), 1)
    return upper + upper.T


def network(kind):
    """Small graphs of a kind, with normal numbers or with those of the grid."""

    def make(rng, count):
        graphs = []
        for _ in range(count):
            graph = random_graph(rng, kind, int(rng.integers(0, 4)))
            if rng.random() < 0.5:
                values = grid(rng, graph.n_edges, kind.de)
                values[~values.any(axis=1)] = 1.0
                nodes = grid(rng, graph.n_nodes, kind.dv)
                graph = gm.Graph(nodes, graph.edges, values, directed=graph.directed, roles=graph.roles)
            graphs.append(graph)
        return graphs

    return make


#: For each structure a function that makes so many of them.
STRUCTURES = {
    "vectors": lambda rng, n: structures.vectors(grid(rng, n, 2)),
    "point patterns": lambda rng, n: structures.point_patterns([grid(rng, rng.integers(0, 4), 2) for _ in range(n)]),
    "sequences": lambda rng, n: structures.sequences(["".join(rng.choice(["a", "b"], rng.integers(0, 5))) for _ in range(n)]),
    "trees": lambda rng, n: structures.trees([tree(rng) for _ in range(n)], depth="role"),
    "ordered trees": lambda rng, n: structures.trees([tree(rng) for _ in range(n)], ordered=True, depth="role"),
    "hypergraphs": lambda rng, n: structures.hypergraphs(
        [[set(rng.integers(0, 3, rng.integers(1, 3)).tolist()) for _ in range(rng.integers(0, 3))] for _ in range(n)]
    ),
    "labelled networks": lambda rng, n: structures.labelled_networks([symmetric(rng, 3) for _ in range(n)]),
    "networks": network(Kind(1, 1)),
    "no attributes": network(Kind(0, 1)),
    "vectors on edges": network(Kind(2, 2)),
    "directed": network(Kind(1, 1, directed=True)),
    "roles": network(Kind(1, 1, roles=("a", "b"))),
    "directed with roles": network(Kind(0, 2, directed=True, roles=("a", "b"))),
}  # fmt: skip


def true_distances(index, queries, held):
    """By brute force, over all permutations. A query that is larger than the space foresaw is compared at its own order."""
    room = dict(zip(index.space_.roles, index.space_.order.tolist(), strict=True))
    plain = index.encoder_.encode([*queries, *held])
    result = np.empty((len(queries), len(held)))
    for q in range(len(queries)):
        x = plain[q]
        own = oracle.places([x])
        at = {role: max(room.get(role, 0), own.get(role, 0)) for role in {**room, **own}}
        result[q] = [oracle.distance(x, plain[len(queries) + i], at) for i in range(len(held))]
    return result


def fits(index, graph):
    """Whether an index has room for a graph."""
    room = dict(zip(index.space_.roles, index.space_.order.tolist(), strict=True))
    return all(count <= room.get(role, 0) for role, count in oracle.places([graph]).items())


def confirm(index, queries, held, truth, k=3):
    """`held`: number -> graph. Whatever is said to be proven must be so, and distances must not be below the true ones."""
    numbers = list(held)
    distances, found, certified = index.kneighbors(queries, k, return_certified=True)
    place = {number: i for i, number in enumerate(numbers)}
    for q in range(len(queries)):
        own = truth[q, [place[n] for n in found[q].tolist()]]
        assert len(set(found[q].tolist())) == k
        assert (distances[q] >= own - 1e-9).all()
        assert (own[certified[q]] <= np.sort(truth[q])[k - 1] + 1e-9).all()
        if certified[q].all() and isinstance(index.matcher, gm.Exact):
            np.testing.assert_allclose(distances[q], np.sort(truth[q])[:k], atol=1e-9)
    radius = float(np.median(truth))  # often the distance of several, exactly
    _, within, complete = index.radius_neighbors(queries, radius, return_certified=True)
    for q in range(len(queries)):
        inside = {numbers[i] for i in np.flatnonzero(truth[q] <= radius)}
        at_the_edge = {numbers[i] for i in np.flatnonzero(np.abs(truth[q] - radius) < 1e-9)}
        extra = set(within[q].tolist()) - inside
        assert extra <= at_the_edge
        assert not complete[q] or inside - set(within[q].tolist()) <= at_the_edge
    return certified, complete


def collection_is_confirmed(kind, seed, path, matcher):
    rng = np.random.default_rng(seed)
    graphs = STRUCTURES[kind](rng, 13)
    copies = [graphs[i] for i in rng.integers(0, 8, 2)]
    graphs.insert(0, graphs.pop(int(np.argmax([graph.n_edges for graph in graphs]))))  # edges must be seen to be encoded
    largest = max(graph.n_nodes for graph in graphs[:11])
    roles = any(graph.roles is not None for graph in graphs)
    index = gm.GraphIndex(matcher=matcher, n_jobs=1, order="auto" if roles or seed % 2 else largest).fit(graphs[:8])
    held = dict(enumerate(graphs[:8]))
    added = [graph for graph in [*graphs[8:11], *copies] if fits(index, graph)]
    held |= dict(zip(index.add(added).tolist(), added, strict=True))
    gone = rng.choice(8, 2, replace=False).tolist()
    index.remove(gone)
    held = {number: graph for number, graph in held.items() if number not in gone}
    assert index.indices_.tolist() == list(held)
    queries = [*graphs[11:], copies[0]]  # new ones, which may be larger than anything foreseen, and one that is there
    truth = true_distances(index, queries, list(held.values()))
    certified, complete = confirm(index, queries, held, truth)
    if isinstance(matcher, gm.Exact):
        assert certified.all()
        assert complete.all()
    if path is not None:
        index.save(path)
        again = gm.load(path)
        last = list(held)[-1]
        again.remove([last])
        del held[last]
        confirm(again, queries, held, truth[:, :-1])


@pytest.mark.parametrize("kind", STRUCTURES)
def test_brute_force_confirms_what_is_proven(kind, tmp_path):
    collection_is_confirmed(kind, 0, tmp_path / "index.gmi", gm.Exact())
    collection_is_confirmed(kind, 1, None, gm.Search(effort=0.0))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", STRUCTURES)
def test_two_hundred_collections_of_every_structure(kind, tmp_path):
    for seed in range(2, 202):
        doubtful = seed % 5 == 0
        path = tmp_path / "index.gmi" if seed % 10 == 1 else None
        collection_is_confirmed(kind, seed, path, gm.Search(effort=0.0) if doubtful else gm.Exact())


def sparse_graph(rng, n):
    """A tree with a ring, of few labels, as molecules are."""
    edges = {(int(rng.integers(max(0, i - 3), i)), i) for i in range(1, n)} | {(0, n - 1)}
    labels = [str(c) for c in rng.choice(["C", "C", "N", "O"], n)]
    return gm.Graph({"kind": labels}, sorted(edges), {"bond": rng.choice([1.0, 2.0], len(edges))})


@pytest.mark.parametrize("seeds", [1, pytest.param(12, marks=pytest.mark.thorough)])
def test_larger_graphs_go_through_the_edge_program(seeds):
    """The truth is that of a tree of assignments, which knows nothing of the edge program."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        graphs = [sparse_graph(rng, int(rng.integers(8, 13))) for _ in range(40)]
        graphs[5] = graphs[30]
        index = gm.GraphIndex(n_jobs=1).fit(graphs[:30])
        queries = graphs[30:32]
        x, y = (index.space_.weighted(index.encoder_.encode(some)) for some in (queries, graphs[:30]))
        pairs = np.stack([part.ravel() for part in np.indices((len(x), len(y)))], axis=1)
        cutoff = np.full(len(pairs), np.inf)
        truth = search_assignments(x, y, pairs, index.space_.order, 1, NO_LIMIT, None, cutoff).upper.reshape(len(x), len(y))
        certified, _ = confirm(index, queries, dict(enumerate(graphs[:30])), truth)
        assert certified.mean() > 0.8
        assert index.n_compared_["edge_programs"] > 0
        assert index.n_compared_["matchings"] < 0.8 * 2 * truth.size


def test_a_copy_in_another_order_is_found_at_distance_zero(rng):
    graphs = [random_graph(rng, Kind(1, 1), 6) for _ in range(30)]
    index = gm.GraphIndex(1, n_jobs=1).fit(graphs)
    turned = [relabelled(graph, rng.permutation(6)) for graph in graphs]
    distances, numbers = index.kneighbors(turned)
    np.testing.assert_array_equal(numbers[:, 0], np.arange(30))
    np.testing.assert_allclose(distances[:, 0], 0.0, atol=1e-9)
