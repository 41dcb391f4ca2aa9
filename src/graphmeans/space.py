"""`GraphSpace` is the metric on encoded graphs. It knows nothing of means or k-means."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isfinite
from numbers import Real
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, largest_of
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.auto import Auto
from graphmeans.matching.device import check_device
from graphmeans.matching.exact import Exact
from graphmeans.matching.fixed import alignments_are_fixed, solve_fixed
from graphmeans.matching.graduated import Graduated
from graphmeans.matching.match import CERTIFIED, Matcher, Matches
from graphmeans.matching.pairs import MAX_PLACES, UNBOUNDED
from graphmeans.matching.registry import get_matcher
from graphmeans.matching.search import Search
from graphmeans.matching.sound import check_batch, check_sides, sound_matches, sound_order, sound_pairs
from graphmeans.matching.vectors import VectorLayout

Order = Union[str, int, None, Mapping[Any, int]]

#: Most pairs handed to a matcher at once where only distances are kept.
PAIRS_AT_ONCE = 1 << 18
#: The unit of a space is 1 where the largest number is between 2^-COMFORTABLE and 2^COMFORTABLE.
COMFORTABLE = 30
#: Points whose numbers exceed 2^LARGEST units have distances that cannot be squared.
LARGEST = 480
#: Rounding of a number that is multiplied by something other than a power of two, relative to it.
ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class GraphSpace:
    """A space of graphs of one order: who may be matched with whom, and what a difference weighs.

    Parameters
    ----------
    order : int array
        Places for the nodes of each role; see `resolve_order`.
    roles : tuple
        Names of the roles, in the order of `order`.
    node_weight, edge_weight : float
        Squared differences of nodes and edges are multiplied by these.
    matcher : Matcher
        What solves a pair.
    n_jobs : int or None
        Threads; None for all cores.
    unit : float
        A power of two. Points of the space are held in multiples of it, so that squares neither overflow nor vanish and
        single precision suffices for bounds. `match` and `distances` answer in the units of the graphs; `solve`, and
        everything in a fit, in multiples of the unit.
    shift : array, optional
        What is taken off the attributes of nodes. That changes no distance where every graph has as many nodes as the order
        has places, as vectors do; see `exact_shift`.
    layout : VectorLayout, optional
        How points are laid out where they are rows instead of graphs; see `of_rows`.
    device : {"cpu", "cuda", "auto"}
        Who solves pairs. "auto": a GPU, where there is one and the work is worth the trip.

    See Also
    --------
    GraphKMeans : Makes a space while fitting: `space_`.
    distance : The distance of one pair.

    Examples
    --------
    >>> import graphmeans as gm
    >>> batch = gm.GraphEncoder().fit_transform([gm.Graph([[0.0, 3.0]]), gm.Graph([[4.0, 0.0]])])
    >>> space = gm.GraphSpace.for_graphs(batch)
    >>> space.distances(space.weighted(batch)).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """

    order: IntArray
    roles: tuple[Hashable, ...] = (None,)
    node_weight: float = 1.0
    edge_weight: float = 1.0
    matcher: Matcher = field(default_factory=Auto)
    n_jobs: int | None = None
    unit: float = 1.0
    shift: FloatArray | None = None
    layout: VectorLayout | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in ("node_weight", "edge_weight"):
            value = getattr(self, name)
            if not (_is_number(value) and value > 0):
                raise GraphError(f"{name} must be a positive number, got {value!r}")
        if not (_is_number(self.unit) and self.unit > 0 and (self.unit == 1.0 or np.frexp(self.unit)[0] == 0.5)):
            raise GraphError(f"unit must be a power of two, got {self.unit!r}")
        if len(sound_order(self.order)) != len(self.roles):
            raise GraphError(f"order has {len(self.order)} entries for {len(self.roles)} roles")
        shift = self.shift
        if shift is not None and not (isinstance(shift, np.ndarray) and shift.ndim == 1 and np.isfinite(shift).all()):
            raise GraphError("shift must be an array of finite numbers, one for each attribute of a node")

    @classmethod
    def for_graphs(
        cls, *batches: Any, order: Order = "auto", roles: tuple[Hashable, ...] | None = None,
        node_weight: float = 1.0, edge_weight: float = 1.0,
        matcher: str | Matcher = "auto", effort: float = 1.0, n_jobs: int | None = None, shift: FloatArray | None = None,
        device: str = "cpu",
    ) -> GraphSpace:  # fmt: skip
        """Make the space that holds all graphs of the given batches, or of surveys of collections on disk.

        Parameters
        ----------
        *batches : GraphBatch, or anything with `role_names` and `largest`
            What the space is to hold.
        order : "auto", int, mapping role -> int, or None, default="auto"
            See `resolve_order`.
        roles : tuple, optional
            The names of the roles; by default those of the batch that has most of them.
        node_weight : float, default=1.0
            As for the class itself.
        edge_weight : float, default=1.0
            As for the class itself.
        matcher : str or Matcher, default="auto"
            What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
        effort : float, default=1.0
            How hard the matchers "auto" and "search" look for the best alignment, relative to the default.
        n_jobs : int, optional
            As for the class itself.
        shift : array, optional
            As for the class itself.
        device : {"cpu", "cuda", "auto"}, default="cpu"
            As for the class itself.

        Returns
        -------
        GraphSpace
            The space.
        """
        check_device(device)
        names = max((batch.role_names for batch in batches), key=len) if roles is None else roles
        places, solver = resolve_order(order, *batches), get_matcher(matcher, effort)
        nodes, edges = (float(weight) if _is_number(weight) else weight for weight in (node_weight, edge_weight))
        space = cls(places, names, nodes, edges, solver, n_jobs, shift=shift, device=device)
        return replace(space, unit=space._unit_for(*map(space._shifted, batches)))

    def of_rows(self, layout: VectorLayout) -> GraphSpace:
        """Make the same space for points that are laid out as rows, since they can be aligned in one way only.

        Parameters
        ----------
        layout : VectorLayout
            How graphs become rows.

        Returns
        -------
        GraphSpace
            The space of the rows.
        """
        return replace(self, order=np.ones(1, dtype=np.int64), roles=(None,), layout=layout)

    def _shifted(self, batch: Any) -> Any:
        if self.shift is None:
            return batch
        if batch.nodes.shape[1] != len(self.shift):
            raise GraphError(f"graphs have {batch.nodes.shape[1]} attributes of nodes, the space has {len(self.shift)}")
        return replace(batch, nodes=batch.nodes - self.shift)

    def _unit_for(self, *batches: Any) -> float:
        """The power of two next to the largest number among points of this space, or 1 where that will do."""
        exponents = [
            int(np.frexp(largest)[1] + np.frexp(factor)[1]) - 1
            for batch in batches
            for largest, factor in zip(getattr(batch, "magnitudes", ()), self._factors, strict=False)
            if largest > 0
        ]
        exponent = max(exponents, default=0)
        if abs(exponent) <= COMFORTABLE:
            return 1.0
        if not -1073 <= exponent <= 1024:
            raise GraphError(f"attributes of about 2^{exponent}, weighted, are more than floating point holds: scale them")
        return float(np.ldexp(1.0, exponent - 1))

    @property
    def _factors(self) -> tuple[float, float]:
        return float(np.sqrt(self.node_weight)), float(np.sqrt(self.edge_weight))

    @property
    def _exponent(self) -> int:
        return int(np.frexp(self.unit)[1]) - 1

    def weighted(self, batch: GraphBatch) -> GraphBatch:
        """Turn encoded graphs into points of this space: attributes times the square roots of the weights, in units.

        Parameters
        ----------
        batch : GraphBatch
            Encoded graphs.

        Returns
        -------
        GraphBatch
            Points of this space.
        """
        check_batch(batch)
        batch = self._shifted(batch)
        points = batch.scaled(*self._factors, -self._exponent)
        if not max(points.magnitudes) <= 2.0**LARGEST:
            raise GraphError(f"some attribute is more than 2^{LARGEST} times as large as those that the space was made for")
        if points is not batch and self._exponent:
            back = self._unscaled(points)
            for name in ("nodes", "edge_values"):
                given, kept = getattr(batch, name), getattr(back, name)
                lost = np.abs(given - kept) > 4 * ROUNDING * np.abs(given)
                if lost.any():
                    least, largest = np.abs(given[lost]).min(), max(batch.magnitudes)
                    raise GraphError(f"attributes from {least:.3g} to {largest:.3g} are more than double precision spans")
        return points

    def unweighted(self, batch: GraphBatch) -> GraphBatch:
        """Go the way back from `weighted`.

        Parameters
        ----------
        batch : GraphBatch
            Points of this space.

        Returns
        -------
        GraphBatch
            Encoded graphs.
        """
        plain = self._unscaled(batch)
        return plain if self.shift is None else replace(plain, nodes=plain.nodes + self.shift)

    def _unscaled(self, batch: GraphBatch) -> GraphBatch:
        node_factor, edge_factor = self._factors
        return batch.scaled(1 / node_factor, 1 / edge_factor, self._exponent)

    def check_squares(self) -> None:
        """Raise where squared distances, and so the objective of k-means, are more or less than floating point holds."""
        if abs(self._exponent) > LARGEST:
            raise GraphError(f"attributes of about {self.unit:.1g}: their squares are more than floating point holds; scale them")

    def in_units_of_graphs(self, values: Any, power: int = 1) -> Any:
        """Convert distances between points, or their squares, to the units of the graphs they stand for.

        It raises a `GraphError` if they are too large for floating point.

        Parameters
        ----------
        values : float or array
            Distances between points of this space.
        power : int, default=1
            2 for squared distances.

        Returns
        -------
        float or array
            The same in the units of the graphs.
        """
        if self.unit == 1.0:
            return values
        with np.errstate(over="ignore", under="ignore"):
            result = np.ldexp(values, power * self._exponent)
        if np.isinf(result).any() and not np.isinf(values).any():
            squared = "" if power == 1 else "squared "
            raise GraphError(f"{squared}distances of about 2^{power * self._exponent} are more than floating point holds")
        return result if isinstance(values, np.ndarray) else float(result)

    def match(
        self, x: GraphBatch, y: GraphBatch, pairs: NDArray[Any], warm: IntArray | None = None,
        cutoff: FloatArray | None = None,
    ) -> Matches:  # fmt: skip
        """Match points and give the distances in the units of the graphs; see `solve`. `cutoff` is in multiples of the unit.

        Parameters
        ----------
        x : GraphBatch
            Points of this space.
        y : GraphBatch
            Points of this space.
        pairs : array of shape (P, 2)
            Which graph of x is matched with which graph of y.
        warm : int array, optional
            A mapping of each pair to start from, laid out as in `Matches.flat`.
        cutoff : float array, optional
            As in `solve`, in multiples of the unit.

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        found = self.solve(x, y, pairs, warm, cutoff)
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        lower = found.lower
        norms = np.sqrt(x.squared_norms[pairs[:, 0]]) + np.sqrt(y.squared_norms[pairs[:, 1]])
        if x.directed or not all((np.frexp(factor)[0] == 0.5) for factor in self._factors):
            # Points are rounded: what they stand for may be nearer.
            lower = np.maximum(lower - 2.0 * ROUNDING * norms, 0.0)
        if self.unit == 1.0:
            return replace(found, lower=lower)
        lower, upper = self.in_units_of_graphs(lower), self.in_units_of_graphs(found.upper)
        tiny = np.finfo(np.float64).tiny
        coarse = (found.upper > 0) & (upper < tiny)  # few digits are left, here and of directed edges,
        if x.directed:  # which may have lost what they differ by
            coarse |= (norms > 0) & (self.in_units_of_graphs(norms) < 4.0 * tiny)
        stored = 2.0 * (np.diff(x.edge_ptr)[pairs[:, 0]] + np.diff(y.edge_ptr)[pairs[:, 1]]) * x.edge_values.shape[1]
        wider = upper + np.ceil(1.0 + np.sqrt(stored)) * np.nextafter(0.0, 1.0)
        lower, upper = np.where(coarse, 0.0, lower), np.where(coarse, wider, upper)
        return replace(found, lower=lower, upper=upper, second=None)

    def solve(
        self, x: GraphBatch, y: GraphBatch, pairs: NDArray[Any], warm: IntArray | None = None,
        cutoff: FloatArray | None = None,
    ) -> Matches:  # fmt: skip
        """Match graph ``pairs[p, 0]`` of x with graph ``pairs[p, 1]`` of y for every p.

        `warm` is a mapping of each pair, laid out as in `Matches`: matchers that can start from one do. `cutoff`: pairs that
        are farther apart need not be solved; matchers that can make use of that do.

        Parameters
        ----------
        x : GraphBatch
            Points of this space.
        y : GraphBatch
            Points of this space.
        pairs : array of shape (P, 2)
            Which graph of x is matched with which graph of y.
        warm : int array, optional
            A mapping of each pair to start from, laid out as in `Matches.flat`.
        cutoff : float array, optional
            Pairs that are farther apart than this need not be solved.

        Returns
        -------
        Matches
            The answers, in the order of the pairs.
        """
        check_sides(x, y)
        if self.layout is not None:
            return self.layout.solve(x, y, sound_pairs(x, y, pairs), self.n_jobs)
        ours = type(self.matcher) in OURS  # they check pairs and mappings themselves
        if ours and alignments_are_fixed(self.order, x, y):
            return solve_fixed(x, y, pairs, len(self.order), self.n_jobs)
        taken, given = _hints_taken(type(self.matcher)), {"warm": warm, "cutoff": cutoff, "device": self.device}
        hints: dict[str, Any] = {name: hint for name, hint in given.items() if hint is not None and name in taken}
        if ours:
            return self.matcher.solve(x, y, pairs, self.order, self.n_jobs, **hints)
        pairs = sound_pairs(x, y, pairs)
        found = self.matcher.solve(x, y, pairs, self.order, self.n_jobs, **hints)
        return sound_matches(found, x, y, pairs, self.order, str(getattr(self.matcher, "name", type(self.matcher).__name__)))

    def distances(self, x: GraphBatch, y: GraphBatch | None = None) -> FloatArray:
        """Compute all distances between two batches, or within one.

        Parameters
        ----------
        x : GraphBatch
            Points of this space.
        y : GraphBatch, optional
            Other points; the same by default.

        Returns
        -------
        array of shape (len(x), len(y))
            The distances.
        """
        of_rows = self._distances_of_rows(x, y)
        if of_rows is not None:
            return of_rows
        if y is None:
            rows, columns = np.triu_indices(len(x), k=1)
            result = np.zeros((len(x), len(x)))
            result[rows, columns] = self._upper(x, x, rows, columns)
            return np.asarray(result + result.T)
        rows, columns = (part.ravel() for part in np.indices((len(x), len(y))))
        return self._upper(x, y, rows, columns).reshape(len(x), len(y))

    def _distances_of_rows(self, x: GraphBatch, y: GraphBatch | None) -> FloatArray | None:
        """The same for graphs that can be aligned in one way only, and so are rows of numbers; None if these are others."""
        others = [] if y is None else [y]
        check_sides(x, *(others or [x]))
        if self.layout is not None or self.unit != 1.0 or type(self.matcher) not in OURS:
            return None
        layout = VectorLayout.of_graphs(self.order, x, *others)
        if layout is None:
            return None
        rows = layout.flatten(x).nodes
        return layout.distances_within(rows, self.n_jobs) if y is None else layout.distances(
            rows, layout.flatten(y).nodes, self.n_jobs
        )

    def _upper(self, x: GraphBatch, y: GraphBatch, rows: IntArray, columns: IntArray) -> FloatArray:
        result = np.empty(len(rows))
        for start in range(0, len(rows), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            result[part] = self.match(x, y, np.stack([rows[part], columns[part]], axis=1)).upper
        return result

    @staticmethod
    def certified(matches: Matches) -> NDArray[np.bool_]:
        """Say which matches are proven optimal.

        The interval of such a match is narrow, relative to the distance.

        Parameters
        ----------
        matches : Matches
            The answers of a matcher.

        Returns
        -------
        bool array
            One value for each match.
        """
        return np.asarray(matches.upper - matches.lower <= CERTIFIED * matches.upper)


def _is_number(value: Any) -> bool:
    if type(value) is float:
        return isfinite(value)
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and bool(np.isfinite(float(value)))


#: Matchers that need not be asked where there is one alignment only.
OURS = (Auto, Exact, Search, Graduated)


@lru_cache(maxsize=32)
def _hints_taken(matcher: Any) -> frozenset[str]:
    return frozenset(inspect.signature(matcher.solve).parameters)


def exact_shift(rows: FloatArray) -> FloatArray | None:
    """What can be taken off the columns of an array without rounding any of its numbers, where they are far from 0.

    Columns whose numbers are less than 1,000 times as large as their range stay; None if all do.
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    middle, spread = low / 2 + high / 2, high / 2 - low / 2
    grid = np.ldexp(1.0, np.minimum(np.frexp(spread)[1] + 1, 1023))
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.where(spread > 0, np.rint(middle / grid) * grid, middle)
        far = np.isfinite(near) & (np.abs(middle) > 1000 * spread)
        shift = np.where(far, near, 0.0)
        exact = (np.abs(rows - shift) <= 4 * grid).all(axis=0) & (rows - shift + shift == rows).all(axis=0)
    shift = np.where(exact, shift, 0.0)
    return np.asarray(shift) if shift.any() else None


def resolve_order(order: Order, *batches: Any) -> IntArray:
    """Places for each role, covering the graphs of the given batches (or surveys of what they hold).

    ``"auto"``: the largest number in any graph at hand. An int (a space without roles) or a mapping role -> int: itself.
    None: unbounded.
    """
    names = max((batch.role_names for batch in batches), key=len)
    counts = largest_of(*batches)
    if order is None:
        return np.full(len(names), UNBOUNDED, dtype=np.int64)
    if isinstance(order, str):
        if order != "auto":
            raise GraphError(f"order must be 'auto', None, a number or a mapping role -> number, got {order!r}")
        return counts
    if isinstance(order, Mapping):
        missing = [name for name, count in zip(names, counts, strict=True) if count and name not in order]
        if missing:
            raise GraphError(f"order says nothing of role {missing[0]!r}")
        asked = [order.get(name, 0) for name in names]
    elif names != (None,):
        raise GraphError("graphs with roles need an order for each role: give a mapping role -> number")
    else:
        asked = [order]
    for name, number, largest in zip(names, asked, counts, strict=True):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number <= UNBOUNDED:
            raise GraphError(f"order must be a whole number of at least 0, and less than 2**40, got {number!r}")
        most = max(MAX_PLACES, 2 * int(largest))
        if most < number < UNBOUNDED:
            raise GraphError(f"order {number} is more than {most}, for which there is no room: None stands for no limit at all")
        if number < largest:
            where = "" if name is None else f" of role {name!r}"
            raise GraphError(f"order {number} is smaller than the largest graph, which has {largest} nodes{where}")
    return np.array(asked, dtype=np.int64)
