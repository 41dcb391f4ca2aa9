"""The largest common subgraph: against all mappings on small graphs, against RDKit on molecules, and what a limit leaves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphmeans as gm


def all_mappings(x, y):
    """Every partial mapping of nodes of x to different nodes of y with the same kind."""
    for images in itertools.product([None, *range(y.n_nodes)], repeat=x.n_nodes):
        used = [j for j in images if j is not None]
        if len(set(used)) == len(used) and all(j is None or kind(x, i) == kind(y, j) for i, j in enumerate(images)):
            yield images


def kind(graph, i):
    return graph.nodes["kind"][i]


def edge_kinds(graph):
    kinds = graph.edge_attributes["kind"] if graph.n_edges else []
    return {frozenset(map(int, ends)): one for ends, one in zip(graph.edges, kinds, strict=True)}


def shared_edges(x, y, images):
    there = edge_kinds(y)
    return [
        tuple(ends) for ends, one in edge_kinds(x).items()
        if all(images[i] is not None for i in ends) and there.get(frozenset(images[i] for i in ends)) == one
    ]  # fmt: skip


def parts(nodes, edges):
    """Connected parts, each as (number of nodes, number of edges)."""
    groups = [{i} for i in nodes]
    for i, j in edges:
        touched = [group for group in groups if i in group or j in group]
        groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    return [(len(group), sum(i in group for i, _ in edges)) for group in groups]


def brute(x, y, connected, maximize):
    """The size of the largest common subgraph, by trying all mappings; the second number decides between equals."""
    best = (0, 0)
    for images in all_mappings(x, y):
        edges = shared_edges(x, y, images)
        nodes = [i for i, j in enumerate(images) if j is not None]
        found = parts(nodes, edges) if connected else [(len({i for ends in edges for i in ends}), len(edges))]
        for n, m in found:
            best = max(best, (m, n) if maximize == "edges" else (n, m))
    return best


def random_graph(rng, most=5, kinds=2, edge_kinds=2, density=0.5):
    n = int(rng.integers(1, most + 1))
    edges = [(i, j) for i, j in itertools.combinations(range(n), 2) if rng.random() < density]
    letters = np.array(list("abc"))
    columns = {"kind": letters[rng.integers(0, edge_kinds, len(edges))]} if edges else None
    return gm.Graph({"kind": letters[rng.integers(0, kinds, n)]}, edges, columns)


def is_common(found):
    """Whether what was found lies in every graph, with everything that must agree."""
    for graph, nodes, edges in zip(found.graphs, found.nodes, found.edges, strict=True):
        assert len(set(nodes.tolist())) == len(nodes) == found.graph.n_nodes
        assert len(set(edges.tolist())) == len(edges) == found.graph.n_edges
        for name in found.node_attributes:
            assert graph.nodes[name][nodes].tolist() == found.graph.nodes[name].tolist()
        for name in found.edge_attributes:
            if len(edges):
                assert graph.edge_attributes[name][edges].tolist() == found.graph.edge_attributes[name].tolist()
        ends = [frozenset(pair) for pair in graph.edges[edges].tolist()]
        assert ends == [frozenset(nodes[list(pair)].tolist()) for pair in found.graph.edges.tolist()]
    if found.connected and found.graph.n_nodes:
        assert len(parts(range(found.graph.n_nodes), found.graph.edges.tolist())) == 1
    return True


@pytest.mark.parametrize(("connected", "maximize"), [(True, "edges"), (True, "nodes"), (False, "edges")])
@pytest.mark.parametrize("seed", range(25))
def test_the_largest_of_all_mappings_is_found_and_proven(seed, connected, maximize):
    rng = np.random.default_rng(seed)
    kinds = int(rng.integers(1, 3))
    x, y = (random_graph(rng, kinds=kinds, edge_kinds=int(rng.integers(1, 3)), density=rng.choice([0.4, 0.8])) for _ in "xy")
    found = gm.common_subgraph(x, y, connected=connected, maximize=maximize)
    size, other = brute(x, y, connected, maximize)
    assert is_common(found)
    assert (found.size, found.upper, found.certified) == (size, size, True)
    if connected:
        assert (found.graph.n_nodes, found.graph.n_edges) == ((other, size) if maximize == "edges" else (size, other))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(100, 300))
def test_the_largest_of_all_mappings_is_found_on_more_graphs(seed):
    rng = np.random.default_rng(seed)
    x, y = (random_graph(rng, most=6, kinds=1 + seed % 2, density=rng.choice([0.3, 0.6, 1.0])) for _ in "xy")
    for connected, maximize in ((True, "edges"), (True, "nodes"), (False, "edges")):
        found = gm.common_subgraph(x, y, connected=connected, maximize=maximize)
        assert is_common(found)
        assert found.certified
        assert found.size == brute(x, y, connected, maximize)[0]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 9, 30, 100])
def test_a_limit_leaves_an_interval_that_holds_the_answer(limit):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = (random_graph(rng, most=12, kinds=1, edge_kinds=1, density=0.4) for _ in "xy")
        whole = gm.common_subgraph(x, y)
        some = gm.common_subgraph(x, y, max_tree_nodes=limit)
        assert whole.certified
        assert is_common(some)
        assert some.size <= whole.size <= some.upper
        assert some.tree_nodes <= limit
        assert some.certified == (some.size == some.upper)


def test_where_the_search_is_halted_changes_nothing(monkeypatch):
    ring = [(i, (i + 1) % 9) for i in range(9)]
    x, y = gm.Graph(9, [*ring, (0, 4), (1, 6), (2, 8)]), gm.Graph(9, [*ring, (0, 3), (1, 5), (4, 7)])
    usual = gm.common_subgraph(x, y)
    monkeypatch.setattr("graphmeans.common.pair.STEP", -1.0)  # eight tree nodes at a time
    small = gm.common_subgraph(x, y)
    assert usual.tree_nodes == small.tree_nodes > 8
    assert usual.mapping == small.mapping


@pytest.mark.parametrize("connected", [True, False])
def test_no_time_leaves_a_bound_all_the_same(connected):
    molecules = gm.from_smiles(["CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O"])
    found = gm.common_subgraph(*molecules, max_seconds=1e-9, connected=connected)
    assert is_common(found)
    assert 0 <= found.size <= 9 <= found.upper


PAIRS = [
    ("CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O"),
    ("CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "Cn1cnc2c1c(=O)[nH]c(=O)n2C"),
    ("CC12CCC3C(CCc4cc(O)ccc34)C1CCC2O", "CC12CCC3C(CCC4=CC(=O)CCC34C)C1CCC2O"),
    ("C1CCCCC1", "CCCCCC"),
    ("CC(C)(C)c1ccccc1", "CC(C)(C)CC(C)(C)C"),
    ("FC(F)(F)c1ccc(Cl)cc1", "FC(F)(F)C(F)(F)F"),
    ("C", "O"),
    ("CCO", "C"),
    ("[Na+].CC(=O)[O-]", "CCC(=O)O"),
    # rdkit#1585: RDKit reports 23 seconds there
    ("c1cc(c(c(c1)Cl)N2c3cc(cc(c3CNC2=O)c4ccc(cc4F)F)N5CCNCC5)Cl", "CCNc1cc(c2c(c1)N(C(=O)NC2)c3ccc(cc3)n4ccc-5ncnc5c4)c6ccnnc6"),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS[:-1])
def test_molecules_have_in_common_what_rdkit_finds(pair):
    chem, mcs = pytest.importorskip("rdkit.Chem"), pytest.importorskip("rdkit.Chem.rdFMCS")
    molecules = [chem.MolFromSmiles(text) for text in pair]
    found = gm.common_subgraph(*molecules)
    theirs = mcs.FindMCS(molecules, bondCompare=mcs.BondCompare.CompareOrderExact)
    assert found.certified
    assert is_common(found)
    assert (found.graph.n_edges, found.graph.n_nodes) == (theirs.numBonds, theirs.numAtoms)
    pattern = chem.MolFromSmarts(found.smarts())
    assert pattern.GetNumAtoms() == found.graph.n_nodes
    assert not found.graph.n_nodes or all(molecule.HasSubstructMatch(pattern) for molecule in molecules)
    by_atoms = gm.common_subgraph(*molecules, maximize="nodes")
    theirs = mcs.FindMCS(molecules, bondCompare=mcs.BondCompare.CompareOrderExact, maximizeBonds=False)
    assert by_atoms.certified
    assert by_atoms.size == theirs.numAtoms


def test_a_pair_on_which_rdkit_takes_seconds_is_solved():
    found = gm.common_subgraph(*gm.from_smiles(PAIRS[-1]))
    assert found.certified
    assert (found.size, found.graph.n_nodes) == (26, 24)


def test_attributes_that_must_agree_are_those_that_are_named():
    pair = gm.from_smiles(["CCO", "CCN"], atoms=("element", "charge"))
    assert gm.common_subgraph(*pair).size == 1
    assert gm.common_subgraph(*pair, node_attributes=["charge"]).size == 2
    assert gm.common_subgraph(*pair, node_attributes=[]).size == 2
    pair = gm.from_smiles(["CC=O", "CCO"])
    assert gm.common_subgraph(*pair).size == 1
    assert gm.common_subgraph(*pair, edge_attributes=[]).size == 2
    with pytest.raises(gm.GraphError, match="no graph has the attribute 'color' of nodes"):
        gm.common_subgraph(*pair, node_attributes=["color"])


def test_numbers_and_missing_values_agree_if_they_are_named_and_equal():
    x = gm.Graph({"t": [1.0, None, 2.0]}, [(0, 1), (1, 2)])
    y = gm.Graph({"t": [2.0, None, 3.0]}, [(0, 1), (1, 2)])
    assert gm.common_subgraph(x, y).size == 2
    assert gm.common_subgraph(x, y, node_attributes=["t"]).mapping == {1: 1, 2: 0}


def test_bare_arrays_agree_if_that_is_asked_for():
    x, y = gm.Graph([[0.0], [1.0]], [(0, 1)]), gm.Graph([[1.0], [1.0]], [(0, 1)])
    assert gm.common_subgraph(x, y).size == 1
    found = gm.common_subgraph(x, y, node_attributes=[""])
    assert found.size == 0
    assert found.graph.nodes[""].tolist() == [[1.0]]


def test_roles_are_kept():
    x = gm.Graph(2, [(0, 1)], roles=["a", "b"])
    y = gm.Graph(2, [(0, 1)], roles=["a", "a"])
    assert (gm.common_subgraph(x, y).size, gm.common_subgraph(x, y).graph.n_nodes) == (0, 1)
    assert gm.common_subgraph(x, x).graph.roles == ("a", "b")


def test_what_ring_options_of_rdkit_ask_for_are_attributes():
    chem = pytest.importorskip("rdkit.Chem")
    ring, chain = chem.MolFromSmiles("C1CCCCC1"), chem.MolFromSmiles("CCCCCC")
    assert gm.common_subgraph(ring, chain).size == 5
    found = gm.common_subgraph(ring, chain, node_attributes=["element", "ring"], edge_attributes=["bond", "bond_ring"])
    assert found.graph.n_nodes == 0
    assert found.certified
    assert found.smarts() == found.smiles() == ""


def test_three_molecules():
    chem = pytest.importorskip("rdkit.Chem")
    molecules = [chem.MolFromSmiles(text) for text in ("CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O", "c1ccccc1C(=O)N")]
    for order in itertools.permutations(molecules):
        found = gm.common_subgraph(order)
        assert is_common(found)
        assert found.certified
        assert found.size == 8
        assert [len(mapping) for mapping in found.mappings] == [8, 8]
    assert is_common(gm.common_subgraph(molecules, connected=False))


def test_more_graphs_have_no_more_in_common():
    rng = np.random.default_rng(3)
    graphs = [random_graph(rng, most=8, density=0.5) for _ in range(5)]
    sizes = []
    for count in range(2, 6):
        found = gm.common_subgraph(graphs[:count])
        assert is_common(found)
        assert found.size <= found.upper
        sizes.append(found.upper)
    assert sizes == sorted(sizes, reverse=True)


def test_empty_and_edgeless_graphs():
    empty, dots, path = gm.Graph(0), gm.Graph(3), gm.Graph(3, [(0, 1), (1, 2)])
    assert (gm.common_subgraph(empty, path).graph.n_nodes, gm.common_subgraph(empty, path).certified) == (0, True)
    assert (gm.common_subgraph(dots, path).graph.n_nodes, gm.common_subgraph(dots, path).size) == (1, 0)
    assert gm.common_subgraph(dots, path, connected=False).size == 0


def test_a_node_of_a_hundred_neighbors():
    hub = gm.Graph(101, [(0, i) for i in range(1, 101)])
    found = gm.common_subgraph(hub, hub)
    assert (found.size, found.certified) == (100, True)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda g: gm.common_subgraph(g), "needs two graphs"),
        (lambda g: gm.common_subgraph([g]), "at least two graphs"),
        (lambda g: gm.common_subgraph(g, g, maximize="bonds"), "maximize must be"),
        (lambda g: gm.common_subgraph(g, g, maximize="nodes", connected=False), "needs connected=True"),
        (lambda g: gm.common_subgraph(g, g, max_tree_nodes=0), "max_tree_nodes must be"),
        (lambda g: gm.common_subgraph(g, g, max_seconds=-1), "max_seconds must be"),
        (lambda g: gm.common_subgraph(g, g, node_attributes="element"), "must be 'auto' or a list"),
        (lambda g: gm.common_subgraph(g, gm.Graph(2, [(0, 1)], directed=True)), "undirected"),
        (lambda g: gm.common_subgraph(g, g).smarts(), "are for molecules"),
    ],
)
def test_what_cannot_be_done_says_so(call, said):
    with pytest.raises(gm.GraphError, match=said):
        call(gm.Graph(2, [(0, 1)]))
