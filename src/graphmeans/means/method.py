"""The protocol of all methods for the mean, which turn groups of graphs into `Means`, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, offsets, row_ranges
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matches
from graphmeans.matching.sound import check_sides, sound_mappings
from graphmeans.means.frames import Centers, Frames

#: (x, y, pairs) -> Matches. Means are handed this, not a matcher, so that whoever counts matchings sees them all.
MatchPairs = Callable[[GraphBatch, GraphBatch, IntArray], Matches]


@dataclass(frozen=True, eq=False)
class Means:
    """Means of groups of graphs, and the multiple alignment each of them rests on.

    Member ``which[p]`` belongs to group ``group[p]``; node i of it is aligned to node ``flat[ptr[p] + i]`` of its mean,
    -1 if to none (graphs of weight 0).
    """

    centers: Centers
    which: IntArray
    group: IntArray
    flat: IntArray
    ptr: IntArray


@runtime_checkable
class MeanMethod(Protocol):
    """A way to find means. `get_params` makes it usable as a parameter of an estimator."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def compute(
        self, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray, order: IntArray,
        random_state: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """The mean of each group; its members come in the (random) order in which they are to be taken."""
        ...


def compute_means(
    method: MeanMethod, match: MatchPairs, batch: GraphBatch, groups: Sequence[IntArray], weights: FloatArray,
    order: IntArray, random_state: np.random.RandomState,
) -> Means:  # fmt: skip
    """The means that a method finds. What a method that is not one of ours answers is checked, since kernels do not."""
    means = method.compute(match, batch, groups, weights, order, random_state)
    return means if type(method).__module__.startswith("graphmeans.means.") else _sound(means, batch, groups, method)


def _sound(means: Any, batch: GraphBatch, groups: Sequence[IntArray], method: Any) -> Means:
    who = f"the mean {getattr(method, 'name', type(method).__name__)}"
    if not (isinstance(means, Means) and isinstance(means.centers, Centers) and isinstance(means.centers.batch, GraphBatch)):
        raise GraphError(f"{who} must answer with Means, got {type(means).__name__}")
    centers = means.centers
    try:
        check_sides(batch, centers.batch)
    except GraphError as error:
        raise GraphError(f"{who}: {error}") from None
    which, group, ptr, _ = members(batch, groups)
    if len(centers) != len(groups) or not all(map(np.array_equal, (means.which, means.group, means.ptr), (which, group, ptr))):
        raise GraphError(f"{who}: centers, which, group and ptr are not those of the groups that it was given")
    for name, shape in (("node_support", (len(centers.batch.nodes),)),
                        ("edge_support", (len(centers.batch.ends), 1 + bool(batch.directed)))):  # fmt: skip
        support = np.asarray(getattr(centers, name))
        if support.dtype.kind != "f" or support.shape != shape or not ((support >= 0) & (support <= 1)).all():
            raise GraphError(f"{who}: {name} must be shares from 0 to 1, of shape {shape}")
    flat = sound_mappings(batch, centers.batch, np.stack([which, group], axis=1), ptr, means.flat, who)
    return Means(centers, which, group, flat, ptr)


def in_turn(labels: IntArray, k: int, random: np.random.RandomState) -> list[IntArray]:
    """The members of each of k clusters, in the random order in which they are to enter its mean."""
    walk = random.permutation(len(labels))
    walk = walk[np.argsort(labels[walk], kind="stable")]
    return np.split(walk, np.cumsum(np.bincount(labels, minlength=k))[:-1])


def members(batch: GraphBatch, groups: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """The members of all groups, one after the other: which, group, offsets of their mappings, and empty mappings (-1)."""
    which = np.concatenate([np.zeros(0, np.int64), *groups]).astype(np.int64)
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups]).astype(np.int64)
    ptr = offsets(batch.sizes[which])
    return which, group, ptr, np.full(ptr[-1], -1, dtype=np.int64)


def align(
    match: MatchPairs, batch: GraphBatch, frames: Frames, graphs: IntArray, to: IntArray, first: bool = False
) -> Matches:
    """Match graphs to the means of their frames; where they are the first, all of their nodes stay unmatched."""
    if first:
        return Matches.empty(offsets(batch.sizes[graphs]))
    return match(batch, frames.centers().batch, np.stack([graphs, to], axis=1))


def fill(
    frames: Frames, batch: GraphBatch, which: IntArray, group: IntArray, flat: IntArray, ptr: IntArray,
    weights: FloatArray,
) -> None:  # fmt: skip
    """Add the members of positive weight along their mappings; flat (in, out) follows where slots are dropped."""
    counted = np.flatnonzero(weights[which] > 0)
    rows, own_ptr = row_ranges(ptr, counted)
    mapping = flat[rows]
    frames.add(batch, which[counted], group[counted], mapping, own_ptr, weights[which[counted]])
    frames.compact(group[counted], mapping, own_ptr)
    flat[rows] = mapping


def rounds(which: IntArray, group: IntArray, weights: FloatArray) -> list[IntArray]:
    """Positions in `which`, in rounds that have at most one member of positive weight of every group."""
    counted = np.flatnonzero(weights[which] > 0)
    if not len(counted):
        raise GraphError("a mean needs a graph of positive weight")
    of = group[counted]
    first = np.concatenate([[True], of[1:] != of[:-1]])
    turn = np.arange(len(of)) - np.maximum.accumulate(np.where(first, np.arange(len(of)), 0))
    return [counted[turn == t] for t in range(int(turn.max()) + 1)]
