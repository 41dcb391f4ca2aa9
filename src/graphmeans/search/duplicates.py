"""Graphs that are copies of each other, or nearly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from graphmeans.search.index import GraphIndex


def near_duplicates(graphs: Iterable[Any], radius: float = 0.0, **parameters: Any) -> list[NDArray[np.int64]]:
    """Find groups of graphs that are copies of each other, or nearly.

    Two graphs within the radius are in one group, and so are those that are connected through others.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    radius : float, default=0.0
        How far copies may be apart. 0 finds graphs that are equal up to the order of their nodes.
    **parameters
        Those of `GraphIndex`.

    Returns
    -------
    list of int arrays
        The positions of each group of two and more, the first of each group in increasing order.

    See Also
    --------
    GraphIndex : Finds the neighbors of single graphs.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x, y = gm.Graph([[0.0], [1.0]], [(0, 1)]), gm.Graph([[1.0], [0.0]], [(0, 1)])
    >>> gm.near_duplicates([x, gm.Graph([[5.0]]), y])
    [array([0, 2])]
    """
    index = GraphIndex(**parameters).fit(graphs)
    near = index.radius_neighbors_graph(radius=radius)
    _, group = connected_components(near, directed=False)
    order = np.argsort(group, kind="stable")
    cuts = np.flatnonzero(np.diff(group[order])) + 1
    groups = [part for part in np.split(order, cuts) if len(part) > 1]
    return sorted(groups, key=lambda part: int(part[0]))
