"""`Seeds`: where a run starts, handed over together with what was found out while they were chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmeans.cluster.centers.vector_centers import MovingCenters
from graphmeans.cluster.engines.base import Engine
from graphmeans.cluster.shards import sample
from graphmeans.cluster.shards.reductions import Sample
from graphmeans.cluster.shards.shard import Shard
from graphmeans.graphs.batch import GraphBatch
from graphmeans.means.frames import Centers

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    Args = TypeVarTuple("Args")


@dataclass(frozen=True, eq=False)
class Seeds:
    """The first centers of a run.

    Parameters
    ----------
    centers : Centers
    in_frames : FrameCenters or VectorCenters, optional
        The same seeds in frames, if the shards of `engine` have been updated with them.
    engine : Engine, optional
        Who holds the shards, if somebody was needed to choose the seeds.
    """

    centers: Centers
    in_frames: MovingCenters | None = None
    engine: Engine | None = None

    @classmethod
    def of_graphs(cls, batch: GraphBatch) -> Seeds:
        """Given graphs, of which no shard knows anything."""
        return cls(Centers.of_graphs(batch))

    def __len__(self) -> int:
        return len(self.centers)


def draw_one(
    engine: Engine, random: np.random.RandomState, mass: Sequence[float],
    operation: Callable[[Shard, float, Unpack[Args]], Sample], *args: Unpack[Args],
) -> Sample:  # fmt: skip
    """Draw one graph. `mass` says how much of the whole mass each shard has; the operation finds the graph in its shard."""
    ((shard, target),) = _targets(random, mass, 1)
    return engine.one(shard, operation, target, *args)


def draw_by_distance(
    engine: Engine, random: np.random.RandomState, inertia: Sequence[float], firsts: Sequence[int], count: int
) -> Sample:
    """Draw graphs by their weighted squared distances, so many or fewer, since none comes twice.

    `inertia` says what the objective of each shard is, and `firsts` which its first graph is.
    """
    targets: dict[int, list[float]] = {}
    for shard, target in _targets(random, inertia, count):
        targets.setdefault(firsts[shard], []).append(target)
    return engine.sum(sample.draw, {first: np.array(own) for first, own in targets.items()})


def _targets(random: np.random.RandomState, mass: Sequence[float], count: int) -> list[tuple[int, float]]:
    """Random places in the whole mass: the number of the shard, and where in the mass of that."""
    total = np.cumsum(mass)
    places = random.uniform(size=count) * total[-1]
    shards = np.minimum(np.searchsorted(total, places, side="right"), np.flatnonzero(mass)[-1])
    before = np.concatenate([[0.0], total])[shards]
    return list(zip(shards.tolist(), (places - before).tolist(), strict=True))
