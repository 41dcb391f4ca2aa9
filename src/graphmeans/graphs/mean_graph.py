"""`MeanGraph` is a graph that knows which share of the members has each of its nodes and edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, EdgeData, Graph, NodeData, frozen


class MeanGraph(Graph):
    """A graph that shows what the members of a collection look like where they have a node or an edge, and how many do.

    The attributes are averages over the members that have the node (edge); `node_support` and `edge_support` are the
    shares of members that do. The mean of the metric is attribute times support, and that is how a `MeanGraph` is
    encoded: it may be used as a start, compared with other graphs and drawn.

    Parameters
    ----------
    nodes : array, int or mapping
        As for `Graph`.
    edges : array of shape (m, 2), default=()
        As for `Graph`.
    edge_attributes : array, mapping or None, optional
        As for `Graph`.
    node_support : array of shape (n,)
        The share of members that have each node, in (0, 1].
    edge_support : array of shape (m,)
        The share of members that have each edge, in (0, 1].
    alignments : sequence of int arrays, optional
        For each member, the mean's node that each of its nodes is aligned to.
    objective : float, optional
        F(Y) = 1/2 sum of squared distances to the members.
    similarity : float, optional
        Sum of the inner products of all pairs of members in that alignment, which a mean maximises.
    damped : bool, default=True
        False for a graph that stands for itself (the set mean): its support says how common its parts are, but it is
        encoded as it is.
    **graph
        The other parameters of `Graph`.

    See Also
    --------
    mean : Computes one.
    GraphKMeans.centroids : The mean graphs of a clustering.

    Examples
    --------
    >>> import graphmeans as gm
    >>> mean = gm.mean([gm.Graph(3, [(0, 1), (1, 2)]), gm.Graph(3, [(0, 1)])], random_state=0)
    >>> sorted(mean.edge_support.tolist()), mean.cut(0.6)
    ([0.5, 1.0], Graph('mean', 3 nodes, 1 edge))
    """

    _zero_edges = True  # +1 and -1 average to an edge of weight 0 that still has support
    __slots__ = ("_alignments", "_damped", "_edge_support", "_node_support", "_objective", "_similarity")

    def __init__(
        self, nodes: NodeData, edges: ArrayLike = (), edge_attributes: EdgeData = None, *,
        node_support: ArrayLike, edge_support: ArrayLike, alignments: Sequence[NDArray[np.int64]] | None = None,
        objective: float | None = None, similarity: float | None = None, damped: bool = True, **graph: Any,
    ) -> None:  # fmt: skip
        super().__init__(nodes, edges, edge_attributes, **graph)
        self._node_support = frozen(np.array(node_support, dtype=np.float64).reshape(-1))
        self._edge_support = frozen(np.array(edge_support, dtype=np.float64).reshape(-1))
        if len(self._node_support) != self.n_nodes or len(self._edge_support) != self.n_edges:
            raise GraphError(f"{self._label()}: one support a node and an edge is needed")
        self._alignments = None if alignments is None else tuple(frozen(np.array(a, np.int64)) for a in alignments)
        self._objective = None if objective is None else float(objective)
        self._similarity = None if similarity is None else float(similarity)
        self._damped = bool(damped)

    @property
    def node_support(self) -> NDArray[np.float64]:
        """Share of members that have this node."""
        return self._node_support

    @property
    def edge_support(self) -> NDArray[np.float64]:
        """Share of members that have this edge."""
        return self._edge_support

    @property
    def alignments(self) -> tuple[NDArray[np.int64], ...] | None:
        """For each member, the mean's node that each of its nodes is aligned to."""
        return self._alignments

    @property
    def objective(self) -> float | None:
        """F(Y), half the sum of squared distances to the members."""
        return self._objective

    @property
    def similarity(self) -> float | None:
        """Sum of the inner products of all pairs of members in the alignment the mean rests on."""
        return self._similarity

    @property
    def damped(self) -> bool:
        """Whether the encoded mean is value times support."""
        return self._damped

    def cut(self, support: float = 0.5) -> Graph:
        """Take the nodes and edges with at least this support, as an ordinary graph that shows what the mean looks like.

        Parameters
        ----------
        support : float, default=0.5
            The least share of members.

        Returns
        -------
        Graph
            The graph.
        """
        keep = np.flatnonzero(self._node_support >= support)
        place = np.full(self.n_nodes, -1)
        place[keep] = np.arange(len(keep))
        ends = place[self._edges]
        kept_edges = (self._edge_support >= support) & (ends >= 0).all(axis=1)
        nodes = {key: column[keep] for key, column in self._nodes.items()}
        if BARE in self._edge_attributes:
            kept_edges &= self._edge_attributes[BARE].any(axis=1)
        attributes = {key: column[kept_edges] for key, column in self._edge_attributes.items()}
        return Graph(
            nodes.get(BARE, nodes), ends[kept_edges], attributes.get(BARE, attributes), directed=self._directed,
            roles=None if self._roles is None else [self._roles[i] for i in keep], name=self._name,
            node_ids=None if self._node_ids is None else [self._node_ids[i] for i in keep],
        )  # fmt: skip
