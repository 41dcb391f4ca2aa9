"""The peers of benchmarks/search.py: what else finds molecules that are like a given one, each in its own sense.

- networkx: the edit distance with our costs, on a few pairs, with at most a second each; a query is extrapolated from them.
- GraKeL: the Weisfeiler-Lehman kernel on atoms, 3 rounds, normalised; the nearest are those with the largest kernel.
- RDKit: Morgan fingerprints of radius 2 with 2048 bits, bulk Tanimoto. Molecules that RDKit cannot read count as farthest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import graphmeans as gm

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from picture import save

#: Pairs that networkx is timed on, and seconds that it may take for one.
PAIRS, LIMIT = 20, 1.0


@dataclass(frozen=True)
class Found:
    """What a peer found, and how long a query took; neighbors are None where a query takes too long to be asked."""

    seconds: float
    neighbors: Any
    note: str = ""


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one == other


def edit_distance(queries: Sequence[gm.Graph], held: Sequence[gm.Graph], k: int) -> Found:
    """networkx, extrapolated."""
    pairs = np.random.RandomState(0).randint(len(held), size=PAIRS)
    one = gm.convert.to_networkx(queries[0])
    finished, start = 0, time.process_time()
    for i in pairs:
        other = gm.convert.to_networkx(held[i])
        begin = time.perf_counter()
        nx.graph_edit_distance(one, other, node_match=_same, edge_match=_same, timeout=LIMIT)
        finished += time.perf_counter() - begin < LIMIT
    a_pair = (time.process_time() - start) / PAIRS
    note = f", extrapolated from {PAIRS} pairs of {a_pair:.2g} s, of which {finished} came to an end within {LIMIT:.0f} s"
    return Found(a_pair * len(held), None, note)


def weisfeiler_lehman(queries: Sequence[gm.Graph], held: Sequence[gm.Graph], k: int) -> Found:
    """GraKeL."""
    from grakel import Graph
    from grakel.kernels import VertexHistogram, WeisfeilerLehman

    def plain(graph: gm.Graph) -> Graph:
        bonds = np.zeros((graph.n_nodes, graph.n_nodes))
        bonds[graph.edges[:, 0], graph.edges[:, 1]] = bonds[graph.edges[:, 1], graph.edges[:, 0]] = 1.0
        return Graph(bonds, node_labels=dict(enumerate(map(str, graph.nodes["chem"]))))

    kernel = WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram, normalize=True)
    start = time.process_time()
    kernel.fit([plain(graph) for graph in held])
    build = time.process_time() - start
    start = time.process_time()
    alike = kernel.transform([plain(graph) for graph in queries])
    seconds = (time.process_time() - start) / len(queries)
    return Found(seconds, np.argsort(-alike, axis=1, kind="stable")[:, :k], f" asked together (and {build:.0f} s to begin with)")


def fingerprints(queries: Sequence[gm.Graph], held: Sequence[gm.Graph], k: int) -> Found:
    """RDKit."""
    from rdkit import DataStructs, RDLogger
    from rdkit.Chem import rdFingerprintGenerator

    RDLogger.DisableLog("rdApp.*")
    make = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)

    def printed(graph: gm.Graph) -> Any:
        return make.GetFingerprint(molecule(graph))

    start = time.process_time()
    known = [printed(graph) for graph in held]
    build = time.process_time() - start
    start = time.process_time()
    rows = [np.array(DataStructs.BulkTanimotoSimilarity(printed(query), known)) for query in queries]
    nearest = np.array([np.argsort(-row, kind="stable")[:k] for row in rows])
    seconds = (time.process_time() - start) / len(queries)
    return Found(seconds, nearest, f" (and {build:.0f} s to begin with)")


PEERS = {
    "Morgan fingerprints, Tanimoto (RDKit)": fingerprints,
    "Weisfeiler-Lehman kernel (GraKeL)": weisfeiler_lehman,
    "edit distance (networkx)": edit_distance,
}


def molecule(graph: gm.Graph) -> Any:
    """A molecule of RDKit, as far as the data tell: atoms and bond orders; nothing is added and nothing refused."""
    from rdkit import Chem

    orders = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}
    made = Chem.RWMol()
    for symbol in graph.nodes["chem"]:
        atom = Chem.Atom(str(symbol).strip())
        atom.SetNoImplicit(True)
        made.AddAtom(atom)
    for (i, j), order in zip(graph.edges.tolist(), graph.edge_attributes["valence"], strict=True):
        made.AddBond(i, j, orders[round(float(order))])
    made.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(made)
    Chem.SetAromaticity(made)
    return made


def draw(path: str, queries: Sequence[gm.Graph], held: Sequence[gm.Graph], found: Mapping[str, Any]) -> None:
    """Five molecules, a row each, beside the nearest that each method finds."""
    shown, captions = [], []
    for q, query in enumerate(queries[:5]):
        shown.append(query)
        captions.append("asked for")
        for name, numbers in found.items():
            for rank in range(2):
                shown.append(held[int(numbers[q][rank])])
                captions.append(f"{name.split(',')[0].split('(')[0].strip()} {rank + 1}")
    save(Path(path), shown, captions, columns=1 + 2 * len(found), size=190)
