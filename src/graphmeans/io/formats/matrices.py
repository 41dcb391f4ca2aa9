"""Networks as one array of shape (N, n, n): a .npy file, or an .npz with that array and the names of its rows.

Row i is the same node in all of them, so the nodes have names: those given, or ``row 0``, ``row 1``, ... Nobody is told yet that
they are identities (``--labelled``); names let the usual warning say so. Nothing in such a file is ever unpickled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.array_file import read_npy
from graphmeans.budget import budgeted, charge, keep
from graphmeans.files import Archive, PathLike, blaming, called, decoded, read_file
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph, share_edges
from graphmeans.graphs.labelled import labelled_networks, remade

#: What the array with the names of the rows is called.
LABELS = ("labels", "names")
#: The last character of Unicode, and the first and last of those that stand for none.
MOST_CODE, SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)
#: Two entries of a symmetric matrix differ by no more than this, or so many units of the last place, of the largest.
ROUNDING, UNITS = 1e-10, 16.0


@budgeted
def read_matrices_npy(path: PathLike, *, unnamed: str | None = None) -> list[Graph]:
    """The networks of a .npy file; those without a name are called `unnamed`, and numbered if there are several."""
    with blaming(path, "is not a readable array"):
        return _networks(_array(read_file(path, limit=None), "array"), None, str(path), unnamed)


def holds_matrices(archive: Archive) -> bool:
    """Whether an .npz was written by NumPy and not by this library."""
    return "about.npy" not in archive.names()


def read_matrices_npz(archive: Archive, path: str, unnamed: str | None) -> list[Graph]:
    """The networks of an .npz that holds one array of matrices, and the names of their rows if it has a second one."""
    members = {name.removesuffix(".npy"): name for name in archive.names()}
    labels = [name for name in members if name in LABELS]
    others = [name for name in members if name not in LABELS]
    if len(others) != 1 or len(labels) > 1:
        listed = ", ".join(repr(name[:40]) for name in list(members)[:6]) or "nothing"
        raise GraphError(
            f"holds {listed}; expected graphs that graphmeans wrote, or one array of networks of shape (N, n, n) and at most "
            "one of their n labels ('labels' or 'names')"
        )
    matrices = _array(archive.read(members[others[0]], limit=None), others[0])
    given = None if not labels else _names(archive.read(members[labels[0]], limit=None), labels[0])
    return _networks(matrices, given, path, unnamed)


def _array(data: bytes, name: str) -> NDArray[Any]:
    charge(name, size=len(data))
    return read_npy(data, name)


def _names(data: bytes, name: str) -> list[str]:
    """The strings of an array."""
    charge(name, size=len(data))
    found = read_npy(data, name, strings=True)
    charge(name, values=found.size)
    if found.ndim != 1:
        raise GraphError(f"array {name!r} has the shape {found.shape}; expected a row of names")
    if found.dtype.kind == "U":
        codes = found.view(np.dtype("u4").newbyteorder(found.dtype.byteorder))
        if ((codes > MOST_CODE) | ((codes >= SURROGATES[0]) & (codes <= SURROGATES[1]))).any():
            raise GraphError(f"array {name!r} holds what is no text")
    return [decoded(value, name) if isinstance(value, bytes) else str(value) for value in found.tolist()]


def _networks(matrices: NDArray[Any], labels: list[str] | None, where: str, unnamed: str | None) -> list[Graph]:
    if matrices.dtype.kind not in "biuf":
        raise GraphError(f"holds {matrices.dtype}, not matrices of numbers")
    one = matrices.ndim == 2
    stack = matrices[None] if one else matrices
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2] or not stack.size:
        raise GraphError(f"holds an array of shape {matrices.shape}; expected N networks on n nodes, (N, n, n)")
    count, n, _ = stack.shape
    if labels is not None and len(labels) != n:
        raise GraphError(f"holds {len(labels)} labels, but the networks have {n} nodes")
    for i, matrix in enumerate(stack):  # one matrix at a time: there is no room for many copies
        keep(called(str(i)), n, int(np.count_nonzero(matrix)))
    charge(where, size=16 * stack.size)
    values = stack.astype(np.float64)
    directed = not _become_symmetric(values, stack.dtype)
    nodes = [f"row {i}" for i in range(n)] if labels is None else labels
    graphs = labelled_networks(values, labels=nodes, directed=directed)
    names = [None if unnamed is None else unnamed if count == 1 else f"{unnamed} {i}" for i in range(count)]
    return share_edges([remade(graph, roles=None, name=name) for graph, name in zip(graphs, names, strict=True)])


def _become_symmetric(values: NDArray[np.float64], dtype: np.dtype[Any]) -> bool:
    """Whether all matrices are symmetric up to rounding; those that are so by rounding only become so."""
    share = ROUNDING if dtype.kind != "f" else max(ROUNDING, UNITS * float(np.finfo(dtype).eps))
    by_rounding = []
    for i, matrix in enumerate(values):
        if not np.isfinite(matrix).all():
            return True  # it will be refused, with its number
        apart = np.abs(matrix - matrix.T).max()
        if apart > share * np.abs(matrix).max():
            return False
        if apart > 0:
            by_rounding.append(i)
    for i in by_rounding:
        values[i] = (values[i] + values[i].T) / 2
    return True
