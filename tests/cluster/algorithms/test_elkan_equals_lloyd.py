"""With the exact matcher and the incremental mean, elkan and lloyd are one algorithm; elkan only matches less."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import graphmeans as gm
import oracle
from effort import thorough
from graphmeans.cluster.algorithms.elkan import elkan
from graphmeans.cluster.algorithms.lloyd import lloyd
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import ALGORITHM, EVALUATION, SEEDING
from graphmeans.means.incremental import Incremental
from runs import OneRun
from strategies import Kind, random_collection


class Counting(gm.Exact):
    """The exact matcher, counting the pairs handed to it."""

    def solve(self, x, y, pairs, order, n_jobs=None):
        self.solved = getattr(self, "solved", 0) + len(pairs)
        return super().solve(x, y, pairs, order, n_jobs)


class Noting(Incremental):
    """The incremental mean, noting the members of each cluster in the order in which they were taken."""

    def compute(self, match, batch, groups, *rest):
        self.seen = [*getattr(self, "seen", []), [group.tolist() for group in groups]]
        return super().compute(match, batch, groups, *rest)


def letters(seed, n):
    """Letters sorted by class: neighbours make a bad start."""
    return gm.datasets.make_letters(n, "medium", shuffle=False, random_state=seed)[0]


def noisy(kind, **options):
    """Graphs scattered around four templates, sorted by template."""

    def make(seed, n):
        graphs = random_collection(seed, kind, n, classes=4, noise=0.8, **options)
        return [graphs[i] for i in np.argsort(np.arange(n) % 4, kind="stable")]

    return make


FAMILIES = {
    "letters": letters,
    "attributed": noisy(Kind(2, 1), max_nodes=4),
    "vector edges": noisy(Kind(1, 2), max_nodes=4),
    "bare structure": noisy(Kind(0, 1), max_nodes=5, min_nodes=3),
    "directed": noisy(Kind(1, 1, directed=True), max_nodes=4),
    "roles": noisy(Kind(1, 1, roles=("a", "b")), max_nodes=5),
    "directed with roles": noisy(Kind(1, 2, directed=True, roles=("a", "b", "c")), max_nodes=5),
}


def run(algorithm, graphs, start, seed, weights=None, mean="incremental", max_iter=100):
    """One run; returns it, its result, its matcher and what happened at every iteration."""
    matcher, history = Counting(), []
    one = OneRun(graphs, seed, matcher, weights, mean, on_iteration=lambda *found: history.append(found))
    result = one.run(algorithm, Seeds.of_graphs(one.batch.take(start)), max_iter=max_iter)
    return one, result, matcher, history


def assert_same_centers(one, two):
    for name in ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values"):
        np.testing.assert_array_equal(getattr(one.batch, name), getattr(two.batch, name))
    np.testing.assert_array_equal(one.node_support, two.node_support)
    np.testing.assert_array_equal(one.edge_support, two.edge_support)


def assert_same_run(graphs, start, seed, **options):
    """Both algorithms from the same start: the same at every iteration. Returns both."""
    slow = run(lloyd, graphs, start, seed, **options)
    fast = run(elkan, graphs, start, seed, **options)
    for (labels, centers, distances, inertia), other in zip(slow[3], fast[3], strict=True):
        np.testing.assert_array_equal(other[0], labels)
        assert_same_centers(other[1], centers)
        # A mean that comes back in another order of its nodes has not moved, but sums differ in the last digit.
        np.testing.assert_allclose(other[2], distances, rtol=1e-12, atol=1e-12)
        assert other[3] == pytest.approx(inertia, rel=1e-12, abs=1e-12)
    np.testing.assert_array_equal(slow[1].labels, fast[1].labels)
    assert_same_centers(slow[1].centers, fast[1].centers)
    assert slow[1].inertia == pytest.approx(fast[1].inertia, rel=1e-12, abs=1e-12)
    assert slow[1].n_iter == fast[1].n_iter
    return slow, fast


def counted(one):
    return {what: one.matchings[what] for what in (ALGORITHM, EVALUATION, SEEDING)}


@pytest.mark.parametrize("count", [60, thorough(220)])
def test_elkan_equals_lloyd_at_every_iteration_and_matches_less(count):
    changes, spent = [], {family: [0, 0] for family in FAMILIES}

    @given(
        family=st.sampled_from(sorted(FAMILIES)),
        seed=st.integers(0, 2**31),
        n=st.integers(12, 28),
        k=st.integers(2, 5),
        weighted=st.booleans(),
    )
    @settings(max_examples=count)
    def check(family, seed, n, k, weighted):
        rng = np.random.default_rng(seed)
        graphs = FAMILIES[family](seed, n)
        start = rng.integers(n - k) + np.arange(k)  # neighbours: labels have to change a few times
        weights = rng.exponential(size=n) if weighted else None
        # Two starts that are the same graph tie for ever.
        seeds = gm.pairwise_distances([graphs[i] for i in start], matcher="exact")
        assume((seeds + np.eye(k) > 1e-6).all())
        slow, fast = assert_same_run(graphs, start, seed % 1000, weights=weights)
        for one, result, matcher, _ in (slow, fast):
            assert sum(counted(one).values()) == matcher.solved
            assert result.trace["matchings"].sum() == counted(one)[ALGORITHM]
            assert result.trace["evaluation_matchings"].sum() == counted(one)[EVALUATION]
        assert counted(slow[0])[EVALUATION] == 0
        labels = [row[0] for row in slow[3]]
        changes.append(sum(int((a != b).any()) for a, b in itertools.pairwise(labels)))
        spent[family][0] += slow[2].solved
        spent[family][1] += fast[2].solved

    check()
    assert len(changes) >= 0.9 * count
    # Of few examples the shares scatter more.
    often, seldom = (0.6, 0.1) if count > 100 else (0.4, 0.05)
    assert np.mean(np.array(changes) >= 1) >= often, "labels must change after the first iteration"
    assert np.mean(np.array(changes) >= 3) >= seldom
    for family, (by_lloyd, by_elkan) in spent.items():
        assert 0 < by_elkan < by_lloyd, (family, by_lloyd, by_elkan)


@pytest.mark.parametrize("mean", ["lifted", "set"])
def test_so_it_is_with_every_mean_that_depends_on_the_members_alone(mean):
    for seed, family in enumerate(FAMILIES):
        graphs = FAMILIES[family](seed, 20)
        assert_same_run(graphs, [0, 1, 2, 3], seed, mean=mean)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_cut_short(max_iter):
    for seed, family in enumerate(FAMILIES):
        slow, _ = assert_same_run(FAMILIES[family](seed, 24), [0, 1, 2, 3], seed, max_iter=max_iter)
        assert len(slow[3]) <= max_iter + 1


def test_through_empty_clusters():
    """A start far away from everything loses all its graphs; both algorithms fill it with the same one."""
    for seed in range(10):
        graphs = random_collection(seed, Kind(1, 1), 20, max_nodes=3)
        far = [gm.Graph([[50.0 + i], [50.0]], [(0, 1)]) for i in range(2)]
        weights = np.array([*np.ones(20), 0.0, 0.0])  # they start clusters without weighing anything
        slow, _ = assert_same_run([*graphs, *far], [0, 1, 20, 21], seed, weights=weights)
        assert set(slow[3][1][0][:20].tolist()) == {0, 1, 2, 3}


def test_the_saving_grows_with_the_number_of_clusters():
    """The paper: elkan needs 2.1, 3.3, 4.2, 5.0 times fewer matchings for k = 4, 8, 12, 16 on letters."""
    graphs, _ = gm.datasets.make_letters(120, "low", random_state=0)
    ratios = []
    for k in (4, 8, 16):
        slow, fast = assert_same_run(graphs, np.arange(k), 0)
        ratios.append(counted(slow[0])[ALGORITHM] / counted(fast[0])[ALGORITHM])
    assert ratios[0] > 1.1
    assert ratios == sorted(ratios)


def test_lloyd_is_what_the_oracle_does():
    """Every assignment and every mean of a run, by brute force over all permutations."""
    steps = 0
    for seed, kind in enumerate([Kind(1, 1), Kind(1, 1, directed=True), Kind(1, 2, roles=("a", "b")), Kind(0, 1)] * 4):
        graphs = random_collection(seed, kind, 9, max_nodes=3, min_nodes=2)
        weights = np.random.default_rng(seed).exponential(size=9) if seed % 2 else np.ones(9)
        mean = Noting()
        _, _, _, history = run(lloyd, graphs, [0, 1, 2], seed, weights=weights, mean=mean)
        room = oracle.places(graphs)
        dv, de = oracle.widths(graphs)
        padded = [oracle.dense(x, room, dv, de)[0] for x in graphs]
        walks = []
        for t, (labels, centers, distances, inertia) in enumerate(history):
            found = [oracle.dense(centers.batch[c], room, dv, de)[0] for c in range(3)]
            for y, walk in zip(found, walks, strict=bool(walks)):
                wanted = oracle.incremental_mean([graphs[i] for i in walk], room, weights=weights[walk]).mean
                assert oracle.dense_distance(y, wanted, room) <= 1e-7
                steps += 1
            d = np.array([[oracle.dense_distance(x, y, room) for y in found] for x in padded])
            np.testing.assert_array_equal(labels, d.argmin(axis=1))
            np.testing.assert_allclose(distances, d.min(axis=1), atol=1e-9)
            assert inertia == pytest.approx((weights * d.min(axis=1) ** 2).sum())
            if t + 1 < len(history):
                walks = mean.seen[t]
                if len(set(labels.tolist())) == 3:  # nothing to relocate
                    assert [sorted(walk) for walk in walks] == [np.flatnonzero(labels == c).tolist() for c in range(3)]
                assert sorted(itertools.chain(*walks)) == list(range(9))
    assert steps >= 60


def test_members_are_taken_in_a_new_random_order_each_time():
    mean = Noting()
    run(lloyd, letters(0, 30), [0, 1], 0, mean=mean)
    assert len(mean.seen) >= 3
    walks = [tuple(itertools.chain(*groups)) for groups in mean.seen]
    assert len(set(walks)) == len(walks)
    assert all(list(group) != sorted(group) for groups in mean.seen for group in groups if len(group) > 5)
