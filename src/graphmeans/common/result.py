"""`CommonSubgraph`: what a search for the largest common subgraph has found, and what it has proven."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from graphmeans.common.molecules import fragment_smarts, fragment_smiles
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class CommonSubgraph:
    """The largest common subgraph that was found, where it lies in each graph, and how large one can be at most.

    Parameters
    ----------
    graph : Graph
        The subgraph, with the attributes that agree; its node ids are those of the first graph.
    graphs : list of Graph
        The graphs that it is common to.
    nodes : list of int arrays
        For each graph the positions of its nodes that the nodes of `graph` lie on, in the same order.
    edges : list of int arrays
        The same for edges.
    size : int
        The number of edges, or of nodes if those were maximised.
    upper : int
        Proven: no common subgraph of these graphs has a larger size.
    certified : bool
        Whether size and upper are equal, so that none is larger.
    maximize : {"edges", "nodes"}
        What was maximised.
    connected : bool
        Whether the subgraph had to be connected.
    node_attributes : list of str
        The attributes of nodes that agree.
    edge_attributes : list of str
        The attributes of edges that agree.
    tree_nodes : int
        How many nodes of search trees were visited.

    See Also
    --------
    common_subgraph : Makes one.
    plots.draw_atom_map : Draws two molecules with what they have in common.

    Examples
    --------
    >>> import graphmeans as gm
    >>> found = gm.common_subgraph(gm.from_smiles("CCCO"), gm.from_smiles("CCCN"))
    >>> found.size, found.certified, found.mapping
    (2, True, {0: 0, 1: 1, 2: 2})
    """

    graph: Graph
    graphs: list[Graph] = field(repr=False)
    nodes: list[IntArray] = field(repr=False)
    edges: list[IntArray] = field(repr=False)
    size: int
    upper: int
    certified: bool
    maximize: str
    connected: bool
    node_attributes: list[str]
    edge_attributes: list[str]
    tree_nodes: int

    @property
    def mapping(self) -> dict[Hashable, Hashable]:
        """Node of the first graph -> node of the second, in the caller's own node ids.

        Returns
        -------
        dict
            The mapping; nodes that are not common are not in it.
        """
        return self.mappings[0]

    @property
    def mappings(self) -> list[dict[Hashable, Hashable]]:
        """Node of the first graph -> node of each of the others, in the caller's own node ids.

        Returns
        -------
        list of dict
            One mapping for each graph after the first.
        """
        ids = [[graph.node_ids[i] for i in rows.tolist()] for graph, rows in zip(self.graphs, self.nodes, strict=True)]
        return [dict(zip(ids[0], other, strict=True)) for other in ids[1:]]

    @property
    def indices(self) -> IntArray:
        """The mapping to the second graph as positions.

        Returns
        -------
        int array
            For each node of the first graph the position of its counterpart in the second, -1 for none.
        """
        into = np.full(self.graphs[0].n_nodes, -1, dtype=np.int64)
        into[self.nodes[0]] = self.nodes[1]
        return into

    def atom_map(self) -> list[tuple[Any, Any]]:
        """Give the pairs of nodes of the first two graphs, for molecules the indices of atoms as RDKit wants them.

        Returns
        -------
        list of pairs
            As ``atomMap`` of ``rdkit.Chem.rdMolAlign.AlignMol`` takes them: the first graph is the probe.
        """
        return list(self.mapping.items())

    def smarts(self) -> str:
        """Write what is common to molecules as SMARTS, which every one of them contains.

        It asks for the attributes that agree: by default elements and the kinds of bonds.

        Returns
        -------
        str
            The SMARTS; parts that are not connected are separated by dots.
        """
        self._need_molecules()
        return fragment_smarts(self.graph, self.node_attributes, self.edge_attributes)

    def smiles(self) -> str:
        """Write what is common to molecules as SMILES, as it stands in the first of them.

        Returns
        -------
        str
            The SMILES of a part of a molecule; it need not be a molecule by itself.
        """
        self._need_molecules()
        first = self.graphs[0]
        ends = first.edges[self.edges[0]]
        return fragment_smiles(first, self.nodes[0], ends)

    def _need_molecules(self) -> None:
        if "element" not in self.graph.nodes:
            raise GraphError("SMARTS and SMILES are for molecules: graphs whose nodes have an element that agrees")

    def _repr_html_(self) -> str:
        # Pictures belong to a higher layer, which is loaded only when a notebook asks for one.
        return str(import_module("graphmeans.plots.notebook").common_html(self))
