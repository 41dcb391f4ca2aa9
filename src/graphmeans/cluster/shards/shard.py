"""`Shard`: a part of the collection and its state. It knows the centers, not the other shards.

What a shard can be asked to do are functions whose first argument is a shard; an engine calls them on all of its shards and
adds up the answers (engines/base.py). Those that change nothing are marked by `read_only`.

assign.py   assign, assign_labels, claim_graphs, dissolve_clusters, refresh_distances, measure_all
bounds.py   what is known of the distances to other centers
vectors.py  the same operations where alignments are fixed, so that graphs are rows
refine.py   realign_all, hartigan_moves, sums_after_moves, accept_moves, join_equal, prove_labels, bound_others
seed.py     update_with_seed, update_with_seeds, select_seeds, reset
estimate.py closeness_sums, addition_gains, exchange_gains
halves.py   draw_members, match_centers, merge_and_split, measure
sample.py   first_graph, draw, draw_by_weight, draw_some, pick, farthest, total_weight, cluster_weights, cluster_sizes,
            inertia, sums, get_assignment, snapshot, rollback, write_log_only
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.context import CountedMatcher
from graphmeans.cluster.shards.state import ShardState
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.means.frames import Frames
from graphmeans.nearest.sketches import Sketches

BoolArray = NDArray[np.bool_]
Operation = TypeVar("Operation", bound=Callable[..., Any])


@dataclass(eq=False)
class Shard:
    """Some graphs of a collection.

    Parameters
    ----------
    batch : GraphBatch
        The graphs, as weighted points of the space.
    weights : array
        Their sample weights.
    first : int
        The number of the first of them in the collection.
    order : int array
        The order at which they are sketched.
    matcher : CountedMatcher
    state : ShardState
    """

    batch: GraphBatch
    weights: FloatArray
    first: int
    order: IntArray
    matcher: CountedMatcher
    state: ShardState

    @classmethod
    def of(cls, batch: GraphBatch, weights: FloatArray, first: int, order: IntArray, matcher: CountedMatcher) -> Shard:
        """A shard of which nothing is known yet."""
        return cls(batch, weights, first, order, matcher, ShardState(batch.node_ptr))

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def sketches(self) -> Sketches:
        """Sketches of the graphs, computed once."""
        return Sketches.of(self.batch, self.order)

    def inertia(self) -> float:
        """The weighted sum of u^2."""
        return float(self.weights @ self.state.upper**2)

    def sums(self, centers: FrameCenters) -> Frames:
        """The aligned graphs, added up in the frames of the centers."""
        return self.sums_of(self.state.labels.copy(), self.state.slots.copy(), centers)

    def sums_of(self, labels: IntArray, slots: IntArray, centers: FrameCenters) -> Frames:
        """The same with other labels and alignments; slots (in, out)."""
        frames = centers.empty_frames()
        frames.add(self.batch, np.arange(len(self)), labels, slots, self.batch.node_ptr, self.weights)
        return frames

    def holds(self, numbers: IntArray) -> BoolArray:
        """Which of these numbers of graphs belong to this shard."""
        return np.asarray((numbers >= self.first) & (numbers < self.first + len(self)))


def read_only(operation: Operation) -> Operation:
    """Mark an operation that changes nothing: it need not be repeated when a shard is built again."""
    operation.read_only = True  # type: ignore[attr-defined]
    return operation


def changes_shards(operation: Callable[..., Any]) -> bool:
    """Whether an operation has to be repeated when a shard is built again."""
    return not getattr(operation, "read_only", False)
