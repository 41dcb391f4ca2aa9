"""The edge program: lower bounds that miss little, and matchings that are proven by them. See kernels/edge_program.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.kernels.edge_tree import edge_pairs
from graphmeans.matching.bounds import lap_bounds
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import solve_pairs
from graphmeans.matching.sound import sound_cutoff, sound_pairs

#: Most couples of edges that a program is made of; above that a round takes as long as a hundred tree nodes of `exact`.
MAX_COUPLES = 1 << 15
#: Steps of a round.
STEPS = 40
#: The same where many pairs are sifted by a cutoff: most are beyond it after a few steps; and how many such rounds there are.
SHORT_STEPS, SHORT_ROUNDS = 8, 8
#: Most couples where only the bound is asked for: they take 400 MB.
LARGEST = 1 << 22


def edge_bounds(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None = None, *, rounds: int = 50,
    upper: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """The bound of the edge program, a linear program over pairs of edges, for every pair of graphs.

    Proof. Every permutation is a point of the program (kernels/edge_program.py), so its optimum is at most D^2. Of the optimum
    only a lower bound is taken: for any multipliers of its constraints that leave no couple of edges a profit, every point
    costs at least one linear assignment of nodes with shifted costs. What rounding can have added is taken off.

    It takes at most so many rounds of 40 steps, fewer when nothing is gained any more. `upper`, where known, are upper bounds
    of D: the rounds end as soon as they are proven. No result is below that of `lap_bounds`, which is all there is where hardly
    any two edges have a positive product, or where pairs of edges are more than four millions.
    """
    pairs = sound_pairs(x, y, pairs)
    goal = sound_cutoff(upper, len(pairs))
    lower = lap_bounds(x, y, pairs, order, n_jobs)
    found, done = solve_by_edges(x, y, pairs, order, n_jobs, rounds, None, goal, branching=0.0, max_couples=LARGEST)
    lower[done] = np.maximum(lower[done], found.lower[done])
    return lower


def solve_by_edges(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, rounds: int,
    warm: IntArray | None, cutoff: FloatArray, *, branching: float = np.inf, max_couples: int = MAX_COUPLES,
    steps: int = STEPS, screened: bool = False,
) -> tuple[Matches, NDArray[np.bool_]]:  # fmt: skip
    """Match sound pairs by the edge program, with at most so many rounds a pair; and which pairs were matched.

    The others, of which nothing is known but that their distance is in [0, inf], have too many couples of edges, or none that
    gains anything: then the program says nothing that an assignment does not. A tree is grown only where the program leaves open
    at most this share (`branching`) of what was to be proven, squared; with 0 `lower` is the bound of the program alone, and
    `upper` infinite where that is beyond the cutoff. `screened`: what one assignment proves to be beyond the cutoff is no part
    of the program.
    """
    start = np.zeros(0, dtype=np.int64) if warm is None else warm
    taken = np.empty(len(pairs), dtype=np.int64)
    settings = (branching, steps, rounds, max_couples, screened, cutoff, warm is not None, start)
    found = solve_pairs(edge_pairs, settings, x, y, pairs, order, n_jobs, taken)
    done = taken >= 0
    found.lower[~done], found.upper[~done] = 0.0, np.inf  # the kernel has left there what was in memory
    return found, done


def sift_by_edges(
    x: GraphBatch, y: GraphBatch, pairs: IntArray, order: IntArray, n_jobs: int | None, cutoff: FloatArray
) -> tuple[Matches, NDArray[np.bool_]]:
    """Which pairs are beyond their cutoffs, by a few short rounds of the edge program: see `solve_by_edges`.

    `lower` are bounds of all distances; those that reach the cutoff rule a pair out. A pair that is left has a mapping.
    """
    return solve_by_edges(
        x, y, pairs, order, n_jobs, SHORT_ROUNDS, None, cutoff, branching=0.0, steps=SHORT_STEPS, screened=True
    )
