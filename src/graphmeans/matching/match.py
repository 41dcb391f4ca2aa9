"""The alignment of one pair (`Match`) and of many (`Matches`), and the protocol of all matchers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, row_ranges
from graphmeans.graphs.graph import Graph

#: A match is certified when the interval is this narrow, relative to the distance.
CERTIFIED = 1e-9


@dataclass(frozen=True)
class Match:
    """The alignment of two graphs: ``lower <= D <= upper`` and the mapping that attains `upper`.

    Parameters
    ----------
    lower : float
        Proven: the distance is at least this.
    upper : float
        The distance along the mapping; the distance of the graphs is at most this.
    mapping : dict
        Node of x -> node of y or None, in the caller's own node ids.
    indices : int array
        The same as positions, -1 for a node that is not matched.
    certified : bool
        Whether the interval is so narrow that the mapping is proven optimal.
    matcher : str
        What found it.
    x : Graph, optional
        The first graph, where `gm.match` made this.
    y : Graph, optional
        The second graph.

    See Also
    --------
    match : Makes one.

    Examples
    --------
    >>> import graphmeans as gm
    >>> m = gm.match(gm.Graph([[0.0], [1.0]]), gm.Graph([[1.0]]))
    >>> m.mapping, m.lower <= m.upper, m.certified
    ({0: None, 1: 0}, True, True)
    """

    lower: float
    upper: float
    mapping: Mapping[Hashable, Hashable | None]
    indices: IntArray
    certified: bool
    matcher: str
    x: Graph | None = field(default=None, compare=False)
    y: Graph | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        aligned = int((np.asarray(self.indices) >= 0).sum())
        distance = f"distance {self.upper:.4g}" if self.certified else f"distance {self.lower:.4g} to {self.upper:.4g}"
        proven = "proven optimal" if self.certified else "the best found"
        return f"Match({distance}, {proven}, {aligned} of {len(self.indices)} nodes aligned, by {self.matcher})"

    def atom_map(self) -> list[tuple[Any, Any]]:
        """Give the pairs of nodes that are aligned, for molecules the indices of atoms as RDKit wants them.

        Returns
        -------
        list of pairs
            As ``atomMap`` of ``rdkit.Chem.rdMolAlign.AlignMol`` takes them: x is the probe, y the reference.
        """
        return [(node, other) for node, other in self.mapping.items() if other is not None]

    def _repr_html_(self) -> str:
        # Pictures belong to a higher layer, which is loaded only when a notebook asks for one.
        return str(import_module("graphmeans.plots.notebook").match_html(self))


@dataclass(frozen=True, eq=False)
class Matches:
    """The answers for many pairs: arrays lower and upper; the mapping of pair p is ``flat[ptr[p]:ptr[p + 1]]``.

    `second` is filled in by matchers that know it: every other alignment of X is at least that far from Y. While Y moves by
    less than half of the difference between `second` and `upper`, the alignment remains the best one.
    """

    lower: FloatArray
    upper: FloatArray
    ptr: IntArray
    flat: IntArray
    second: FloatArray | None = None

    @classmethod
    def empty(cls, ptr: IntArray) -> Matches:
        """Arrays for as many answers as ptr has mappings, to be filled by `put`."""
        n = len(ptr) - 1
        return cls(np.zeros(n), np.zeros(n), ptr, np.full(ptr[-1], -1, dtype=np.int64), np.zeros(n))

    def __len__(self) -> int:
        return len(self.lower)

    def take(self, which: NDArray[Any]) -> Matches:
        """The answers of some pairs, given by their positions or a mask."""
        chosen = np.arange(len(self))[which]
        rows, ptr = row_ranges(self.ptr, chosen)
        second = None if self.second is None else self.second[chosen]
        return Matches(self.lower[chosen], self.upper[chosen], ptr, self.flat[rows], second)

    def put(self, which: NDArray[Any] | slice, part: Matches) -> None:
        """Write the answers of some pairs, given by their positions, a mask or a slice."""
        chosen = np.arange(len(self))[which]
        self.lower[chosen], self.upper[chosen] = part.lower, part.upper
        self.flat[row_ranges(self.ptr, chosen)[0]] = part.flat
        if self.second is not None:
            self.second[chosen] = part.upper if part.second is None else part.second

    def mapping(self, p: int) -> IntArray:
        """Where each node of X goes in Y, -1 for nowhere."""
        return self.flat[self.ptr[p] : self.ptr[p + 1]]


@runtime_checkable
class Matcher(Protocol):
    """What solves pairs. `get_params` makes it usable as a parameter of an estimator."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None
    ) -> Matches:
        """Match graph ``pairs[p, 0]`` of x with graph ``pairs[p, 1]`` of y, for every p, in a space of this order.

        Matchers that can start from a mapping take one more argument, `warm`: for every pair, laid out as in `Matches`.
        """
        ...
