"""Data sets of the TU collection, from the files of the user."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.files import PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.tudataset import read_with_targets


def load_tudataset(path: PathLike, *, directed: bool | None = None) -> tuple[list[Graph], NDArray[Any]]:
    """Load a TU data set from its folder or zip.

    Morris et al., TUDataset: A collection of benchmark datasets for learning with graphs, 2020. How labels, attributes
    and directions are read is described in `graphmeans.io.formats.tudataset`.

    Parameters
    ----------
    path : path
        A folder or zip with ``DS_A.txt``, ``DS_graph_indicator.txt`` and the rest.
    directed : bool, optional
        Whether (i, j) and (j, i) are different edges; by default found out.

    Returns
    -------
    graphs : list of Graph
    y : array
        The class of each graph: whole numbers if all of them are, else strings. For a data set that has only numbers to
        predict, these, one (or a row) for each graph.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import write_tudataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tudataset([gm.Graph({"atom": ["C", "O"]}, [(0, 1)])] * 2, os.path.join(folder, "CO"), [1, -1])
    ...     graphs, y = gm.datasets.load_tudataset(os.path.join(folder, "CO"))
    >>> graphs[0].nodes["atom"].tolist(), y.tolist()
    (['C', 'O'], [1, -1])
    """
    graphs, targets = read_with_targets(path, directed)
    if targets.classes is not None:
        return graphs, _whole(np.array(targets.classes))
    if targets.numbers is None:
        raise fail(path, "says nothing about its graphs: it has neither graph labels nor graph attributes")
    return graphs, targets.numbers[:, 0] if targets.numbers.shape[1] == 1 else targets.numbers


def _whole(classes: NDArray[Any]) -> NDArray[Any]:
    try:
        numbers = classes.astype(np.int64)
    except (ValueError, OverflowError):
        return classes
    return numbers if (numbers.astype(str) == classes).all() else classes
