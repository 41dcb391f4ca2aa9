"""Interval k-means: labels proven nearest, an objective that never rises, and almost no matchings."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm
from effort import thorough
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.algorithms.restarts import _from_arrays, _to_arrays
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import FitContext
from graphmeans.cluster.shards.assign import assign, refresh_distances
from graphmeans.cluster.shards.refine import accept_moves, hartigan_moves
from graphmeans.cluster.shards.sample import inertia, sums
from graphmeans.matching.auto import Auto
from runs import OneRun
from strategies import Kind, random_collection

KINDS = {
    "letters": Kind(2, 1),
    "vector edges": Kind(1, 3),
    "structure": Kind(0, 1),
    "directed": Kind(1, 2, directed=True),
    "roles": Kind(1, 1, roles=("a", "b")),
}


class Counting(gm.Exact):
    pairs = 0

    def solve(self, x, y, pairs, order, n_jobs=None, warm=None, cutoff=None):
        type(self).pairs += len(pairs)
        return super().solve(x, y, pairs, order, n_jobs, warm, cutoff)


def clustered(graphs, seed, k, init="k-means++", matcher=None):
    """A run of interval, its result, and which labels are proven nearest."""
    one = OneRun(graphs, seed, matcher)
    seeds = one.initialize(k, init)
    result = one.run(interval, seeds)
    if seeds.in_frames is None:
        return one, result, None
    return one, result, result.assignment.proven


@pytest.mark.parametrize("init", ["k-means++", "furthest-first", "random"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_label_is_the_nearest_of_all_centers(kind, init):
    for seed in range(4):
        graphs = random_collection(seed, KINDS[kind], 24, max_nodes=5, min_nodes=1)
        one, result, _ = clustered(graphs, seed, 4, init)
        distances = one.space.distances(one.batch, result.centers.batch)
        own = distances[np.arange(24), result.labels]
        np.testing.assert_allclose(own, distances.min(axis=1), atol=1e-9)
        np.testing.assert_allclose(own, result.distances, atol=1e-7)
        assert result.certified == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_objective_never_rises(kind):
    graphs = random_collection(3, KINDS[kind], 40, max_nodes=5, min_nodes=1)
    km = gm.GraphKMeans(5, algorithm="interval", n_init=1, random_state=0).fit(graphs)
    inertia = km.trace_["inertia"]
    assert (np.diff(inertia) <= 1e-9 * inertia[:-1]).all()
    assert km.inertia_ == pytest.approx(inertia[-1])


def test_a_label_that_search_calls_certified_is_nearest():
    checked = 0
    for seed in range(12):
        graphs = random_collection(seed, Kind(1, 1), 20, max_nodes=6, min_nodes=3)
        one, result, proven = clustered(graphs, seed, 3, matcher=gm.Search(effort=0.2))
        exact = OneRun(graphs).space.distances(one.batch, result.centers.batch)
        own = exact[np.arange(20), result.labels]
        assert (own <= exact.min(axis=1) + 1e-9)[proven].all()
        checked += int(proven.sum())
    assert checked > 20


def test_matchings_are_counted_and_few():
    graphs, _ = gm.datasets.make_letters(300, random_state=1)
    spent = {}
    for algorithm in ("lloyd", "interval"):
        Counting.pairs = 0
        settings = {"algorithm": algorithm, "init": "furthest-first", "n_init": 1, "matcher": Counting()}
        km = gm.GraphKMeans(15, **settings, random_state=0).fit(graphs)
        assert Counting.pairs == km.n_matchings_ + km.n_seeding_matchings_ + km.n_evaluation_matchings_
        spent[algorithm] = km.n_matchings_, km.inertia_
    assert 25 * spent["interval"][0] < spent["lloyd"][0]
    assert spent["interval"][1] < 1.05 * spent["lloyd"][1]


@pytest.mark.parametrize("weighted", [False, True])
def test_vectors_are_what_scikit_learn_makes_of_them(weighted):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(120, 3)) + 4 * rng.integers(0, 3, size=(120, 1))
    weight = rng.uniform(0.1, 2.0, size=120) if weighted else None
    start = rows[:5]
    theirs = KMeans(5, init=start, tol=0, n_init=1).fit(rows, sample_weight=weight)
    ours = gm.GraphKMeans(5, init=start, algorithm="interval").fit(rows, sample_weight=weight)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_)


def test_an_empty_cluster_takes_the_farthest_graph():
    rows = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [30.0]])
    km = gm.GraphKMeans(3, init=np.array([[0.0], [10.0], [500.0]]), algorithm="interval").fit(rows)
    assert len(set(km.labels_)) == 3
    assert km.inertia_ == pytest.approx(0.02 + 0.005)


def test_the_same_on_one_thread_or_eight():
    graphs, _ = gm.datasets.make_letters(200, random_state=4)
    one, eight = (
        gm.GraphKMeans(10, algorithm="interval", random_state=0, n_jobs=n).fit(graphs) for n in (1, 8)
    )
    np.testing.assert_array_equal(one.labels_, eight.labels_)
    np.testing.assert_array_equal(one.cluster_centers_.nodes, eight.cluster_centers_.nodes)
    assert one.n_matchings_ == eight.n_matchings_


def test_what_seeding_skips_could_not_have_been_nearer():
    graphs, _ = gm.datasets.make_letters(120, random_state=0)
    one = OneRun(graphs, 5)
    found = one.initialize(10, "furthest-first")
    distances = one.space.distances(one.batch, found.centers.batch)
    (shard,) = one.engine.shards
    np.testing.assert_allclose(shard.state.upper, distances[:, :9].min(axis=1), atol=1e-9)
    low = np.zeros_like(distances)
    shard.state.bounds.raise_to(np.arange(120), found.in_frames, low)
    assert (low <= distances + 1e-9).all()
    assert (low[:, :9] > 0).any(axis=1).mean() > 0.9


def test_what_k_means_plus_plus_leaves_open_is_bounded():
    """It matches only what seems to be nearer; what shards know of the seeds is true, and few are wrong about the nearest."""
    graphs, _ = gm.datasets.make_letters(120, random_state=0)
    one = OneRun(graphs, 5)
    found = one.initialize(10, "k-means++")
    distances = one.space.distances(one.batch, found.centers.batch)
    (shard,) = one.engine.shards
    np.testing.assert_allclose(shard.state.upper, distances[np.arange(120), shard.state.labels], atol=1e-9)
    assert (shard.state.upper**2).sum() < 1.1 * (distances.min(axis=1) ** 2).sum()
    low = np.zeros_like(distances)
    shard.state.bounds.raise_to(np.arange(120), found.in_frames, low)
    assert (low <= distances + 1e-9).all()
    assert one.matchings["seeding"] < 9 * 119


def test_an_unbounded_order_is_refused():
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    with pytest.raises(gm.GraphError, match="order"):
        gm.GraphKMeans(3, algorithm="interval", order=None).fit(graphs)


# -- proofs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("collections", [50, thorough(200)])
def test_what_search_calls_certified_is_nearest(collections):
    """An independent oracle: all distances by branch and bound."""
    checked, wrong = 0, 0
    for seed in range(collections):
        kind = list(KINDS.values())[seed % len(KINDS)]
        graphs = random_collection(seed, kind, 12, max_nodes=5, min_nodes=2)
        one, result, proven = clustered(graphs, seed, 3, matcher=gm.Search(effort=0.1))
        exact = OneRun(graphs).space.distances(one.batch, result.centers.batch)
        own = exact[np.arange(12), result.labels]
        wrong += int((own > exact.min(axis=1) + 1e-9)[proven].sum())
        checked += int(proven.sum())
    assert wrong == 0
    assert checked > 5 * collections


def test_certify_proves_what_bounds_do_not():
    graphs = random_collection(2, Kind(1, 1), 60, max_nodes=8, min_nodes=5)
    plain, proven = (
        gm.GraphKMeans(5, matcher=gm.Search(effort=0.1), n_init=1, certify=certify, random_state=0).fit(graphs)
        for certify in (False, True)
    )
    assert plain.certified_fraction_ < 1
    assert proven.certified_fraction_ == 1
    assert proven.inertia_ <= plain.inertia_ * (1 + 1e-9)
    exact = gm.GraphKMeans(5, init=proven.cluster_centers_, max_iter=1).fit(graphs).space_
    distances = exact.distances(proven._points(graphs), proven._centers.batch)
    own = distances[np.arange(60), proven.labels_]
    np.testing.assert_allclose(own, distances.min(axis=1), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_predict_agrees_with_fit(kind):
    graphs = random_collection(5, KINDS[kind], 40, max_nodes=5, min_nodes=1)
    km = gm.GraphKMeans(4, matcher="exact", random_state=0).fit(graphs)
    np.testing.assert_array_equal(km.predict(graphs), km.labels_)
    assert -km.score(graphs) == pytest.approx(km.inertia_, rel=1e-9)
    np.testing.assert_allclose(km.transform(graphs).min(axis=1), km.distances_, atol=1e-7)


# -- better optima ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("seeds", "better_at_least"), [(2, 1), thorough(5, 3)])
def test_single_moves_and_swaps_never_do_harm(monkeypatch, seeds, better_at_least):
    graphs, _ = gm.datasets.make_letters(200, random_state=2)
    better = 0
    for seed in range(seeds):
        moved = gm.GraphKMeans(15, n_init=1, random_state=seed).fit(graphs)
        with monkeypatch.context() as patch:
            patch.setattr(FitContext, "is_euclidean", True)  # single moves are left out
            plain = gm.GraphKMeans(15, n_init=1, random_state=seed).fit(graphs)
        assert moved.inertia_ <= plain.inertia_ * (1 + 1e-9)
        # Of a start that leaves little to be wished for swaps need not make more.
        moved = gm.GraphKMeans(15, init="random", n_init=1, random_state=seed).fit(graphs)
        swapped = gm.GraphKMeans(15, init="random", random_state=seed).fit(graphs)
        assert swapped.inertia_ <= moved.inertia_ * (1 + 1e-9)
        spent = moved.n_matchings_ + moved.n_seeding_matchings_
        assert swapped.n_matchings_ + swapped.n_seeding_matchings_ < 4 * spent
        better += swapped.inertia_ < moved.inertia_ * 0.999
    assert better >= better_at_least


@pytest.mark.parametrize("seeds", [3, thorough(10)])
def test_planted_groups_of_connectomes_are_found(seeds):
    """Where alignments are fixed there is next to nothing to match, and swaps are tried all the same."""
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=60)
    base = rng.uniform(size=(3, 30, 30)) > 0.5
    noisy = np.triu(base[group] ^ (rng.uniform(size=(60, 30, 30)) < 0.2), 1).astype(float)
    graphs = gm.structures.labelled_networks(list(noisy + noisy.transpose(0, 2, 1)))
    for seed in range(seeds):
        km = gm.GraphKMeans(3, random_state=seed).fit(graphs)
        assert adjusted_rand_score(group, km.labels_) == 1.0
        assert km.hint_ is None


def test_swaps_find_what_a_poor_start_misses():
    """Five groups of points, and all seeds in one of them."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 2)) + 20.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [3, 3]])[np.arange(200) % 5]
    one = OneRun([gm.Graph(row[None]) for row in rows])
    seeds = Seeds.of_graphs(one.batch.take(np.arange(5) * 5))
    stuck = one.run(interval, seeds)
    swapped = one.run(interval, seeds, swaps=2.0)
    assert swapped.inertia < 0.2 * stuck.inertia
    assert swapped.inertia < 200 * 2 * 1.2
    assert swapped.trace["swap"].max() >= 1


def test_a_result_that_looks_stuck_says_so(tmp_path):
    rows = np.concatenate([np.random.default_rng(0).normal(size=(40, 2)), [[100.0, 0.0]]])
    km = gm.GraphKMeans(2, random_state=0).fit(rows)
    assert "a single graph beside a cluster of 40" in km.hint_
    km.save(tmp_path / "model.gmz")
    assert gm.load(tmp_path / "model.gmz").hint_ == km.hint_
    assert gm.GraphKMeans(2, random_state=0).fit(rows[:40]).hint_ is None
    assert gm.GraphKMeans(2, algorithm="lloyd", random_state=0).fit(rows).hint_ is None


def test_a_budget_that_ends_too_early_is_said(monkeypatch):
    monkeypatch.setattr("graphmeans.cluster.algorithms.split_merge.FLOOR", 1)
    monkeypatch.setattr("graphmeans.cluster.estimators.kmeans.SWAPS", 1e-9)
    graphs, _ = gm.datasets.make_letters(100, random_state=0)
    hints = [gm.GraphKMeans(15, init="random", random_state=seed).fit(graphs).hint_ for seed in range(4)]
    assert any(hint is not None and "budget" in hint for hint in hints)


def test_a_checkpoint_between_restarts_holds_the_hint():
    rows = np.concatenate([np.random.default_rng(0).normal(size=(40, 2)), [[100.0, 0.0]]])
    one = OneRun([gm.Graph(row[None]) for row in rows])
    result = one.run(interval, one.initialize(2, "k-means++"))
    assert result.hint is not None
    for hint in (result.hint, None):
        again = _from_arrays(_to_arrays(replace(result, hint=hint)), one.batch)
        assert again.hint == hint


@pytest.mark.thorough
def test_collapsed_copies_end_no_worse(monkeypatch):
    """Letters ten times over: fitted once with weights they end where they end apart, but for what chance does."""
    graphs, _ = gm.datasets.make_letters(150, random_state=0)
    together = [gm.GraphKMeans(15, random_state=seed).fit(graphs * 10).inertia_ for seed in range(8)]
    monkeypatch.setattr("graphmeans.cluster.estimators.kmeans.find_copies", lambda data, k: None)
    apart = [gm.GraphKMeans(15, random_state=seed).fit(graphs * 10).inertia_ for seed in range(8)]
    assert np.mean(together) < 1.01 * np.mean(apart)


def test_a_single_move_gains_what_is_said():
    """Moving x changes the objective by the formula, means recomputed."""
    graphs = random_collection(1, Kind(1, 1), 30, max_nodes=4, min_nodes=2)
    one = OneRun(graphs, 0, weights=np.random.default_rng(0).uniform(0.5, 2.0, 30))
    loop = one.loop(4)
    engine, centers = loop.engine, loop.centers
    gained = 0
    for _ in range(20):
        engine.sum(assign, centers, 0.0)
        centers.move_to_means(engine.sum(sums, centers))
        engine.each(refresh_distances, centers)
        before = engine.sum(inertia)
        moves = engine.sum(hartigan_moves, 1e-6, centers)
        if not len(moves.graph):
            continue
        best = moves.gain.argmax()
        centers.move_to_means(engine.sum(accept_moves, moves.graph[[best]], centers))
        engine.each(refresh_distances, centers)
        assert engine.sum(inertia) == pytest.approx(before - moves.gain[best], rel=1e-9)
        gained += 1
    assert gained >= 1


def test_restarts_keep_the_best():
    graphs, _ = gm.datasets.make_letters(120, random_state=3)
    one = gm.GraphKMeans(15, n_init=1, random_state=4).fit(graphs)
    five = gm.GraphKMeans(15, n_init=5, random_state=4).fit(graphs)
    assert five.inertia_ <= one.inertia_


def test_shards_add_up(monkeypatch):
    """Cut into small shards the result is the same as in one piece, up to the order of sums, on any number of threads."""
    graphs, _ = gm.datasets.make_letters(300, random_state=5)
    whole = gm.GraphKMeans(12, random_state=1).fit(graphs)
    monkeypatch.setattr("graphmeans.cluster.data.dataset.SHARD_SIZE", 70)
    one, four = (gm.GraphKMeans(12, random_state=1, n_jobs=n).fit(graphs) for n in (1, 4))
    np.testing.assert_array_equal(one.labels_, four.labels_)
    np.testing.assert_array_equal(one.cluster_centers_.nodes, four.cluster_centers_.nodes)
    assert one.n_matchings_ == four.n_matchings_
    assert one.inertia_ == pytest.approx(whole.inertia_, rel=0.05)


# -- long runs -------------------------------------------------------------------------------------

KILLED = """
import sys
import graphmeans as gm
from graphmeans.cluster.persistence.checkpoint import CheckpointFile
graphs, _ = gm.datasets.make_letters(150, random_state=0)
write, count = CheckpointFile.write, [0]
def dying(self, *args):
    write(self, *args)
    count[0] += 1
    if count[0] == int(sys.argv[2]):
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
CheckpointFile.write = dying
gm.GraphKMeans(10, random_state=3, n_init=eval(sys.argv[3]), checkpoint=sys.argv[1]).fit(graphs)
"""


@pytest.mark.parametrize(("after", "n_init"), [(5, "auto"), thorough(2, 1), thorough(10, "auto"), thorough(9, 3)])
def test_a_killed_process_goes_on(tmp_path, after, n_init):
    graphs, _ = gm.datasets.make_letters(150, random_state=0)
    whole = gm.GraphKMeans(10, random_state=3, n_init=n_init).fit(graphs)
    path = tmp_path / "fit.checkpoint"
    command = [sys.executable, "-c", KILLED, str(path), str(after), repr(n_init)]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert path.exists()
    resumed = gm.GraphKMeans(10, random_state=3, n_init=n_init, checkpoint=path, verbose=0).fit(graphs)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    np.testing.assert_array_equal(resumed.cluster_centers_.nodes, whole.cluster_centers_.nodes)
    assert resumed.inertia_ == whole.inertia_
    assert resumed.n_matchings_ == whole.n_matchings_
    assert resumed.n_seeding_matchings_ == whole.n_seeding_matchings_
    for name in ("iteration", "swap", "graphs", "inertia", "moved", "matchings", "pruned_by_bounds"):
        np.testing.assert_array_equal(resumed.trace_[name], whole.trace_[name])
    assert not path.exists()


def test_checkpoints_of_others_are_refused(tmp_path):
    graphs, _ = gm.datasets.make_letters(60, random_state=0)
    path = tmp_path / "c"
    path.write_bytes(b"PK not a zip")
    with pytest.raises(gm.GraphError, match="not a checkpoint"):
        gm.GraphKMeans(3, checkpoint=path).fit(graphs)
    command = [sys.executable, "-c", KILLED, str(path), "1", "1"]
    path.unlink()
    subprocess.run(command, capture_output=True, timeout=600)
    content = path.read_bytes()
    with pytest.raises(gm.GraphError, match="another"):
        gm.GraphKMeans(3, checkpoint=path).fit(graphs)
    assert path.read_bytes() == content
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(gm.GraphError, match="damaged"):
        gm.GraphKMeans(3, checkpoint=path).fit(graphs)
    with pytest.raises(gm.GraphError, match="existing folder"):
        gm.GraphKMeans(3, checkpoint=tmp_path / "nowhere" / "c").fit(graphs)
    with pytest.raises(gm.GraphError, match="interval"):
        gm.GraphKMeans(3, algorithm="elkan", checkpoint=path).fit(graphs)
    with pytest.raises(gm.GraphError, match="interval"):
        gm.GraphKMeans(3, algorithm="elkan", certify=True).fit(graphs)


class Interrupting(gm.Exact):
    """Ctrl-C in the middle of an iteration."""

    calls = 0

    def solve(self, x, y, pairs, order, n_jobs=None, warm=None, cutoff=None):
        type(self).calls += 1
        if type(self).calls == self.max_tree_nodes:
            raise KeyboardInterrupt
        return gm.Exact().solve(x, y, pairs, order, n_jobs, warm, cutoff)


def test_the_trace_counts_what_swaps_spend_once():
    graphs, _ = gm.datasets.make_letters(150, random_state=0)
    kept = 0
    for seed in range(3):
        km = gm.GraphKMeans(8, init="furthest-first", random_state=seed).fit(graphs)
        kept += int(km.trace_["swap"].max())
        assert km.trace_["matchings"].sum() <= km.n_matchings_
    assert kept


@pytest.mark.parametrize("algorithm", ["interval", "lloyd", "elkan", "gvr"])
def test_an_interrupted_fit_keeps_the_last_complete_iteration(algorithm):
    graphs, _ = gm.datasets.make_letters(80, random_state=0)
    settings = {"algorithm": algorithm, "n_init": 1, "random_state": 0}
    Interrupting.calls = 0
    whole = gm.GraphKMeans(8, matcher=Interrupting(max_tree_nodes=None), **settings).fit(graphs)
    calls = Interrupting.calls
    Interrupting.calls = 0
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        km = gm.GraphKMeans(8, matcher=Interrupting(max_tree_nodes=calls - 2), **settings).fit(graphs)
    assert 1 <= len(km.trace_) <= len(whole.trace_)
    assert km.n_matchings_ >= km.trace_["matchings"].sum() > 0  # what was spent was spent
    assert "interrupted" in km.hint_
    assert km.inertia_ == pytest.approx(float((km.distances_**2).sum()))
    own = gm.GraphKMeans(8, init=km.cluster_centers_, max_iter=1, matcher="exact").fit(graphs)
    distances = own.space_.distances(km._points(graphs), km._centers.batch)[np.arange(80), km.labels_]
    assert (distances <= km.distances_ + 1e-9).all()
    Interrupting.calls = 0
    with pytest.raises(KeyboardInterrupt):  # nothing is complete while seeds are being chosen
        gm.GraphKMeans(8, matcher=Interrupting(max_tree_nodes=1), **settings).fit(graphs)


def test_stored_alignments_are_as_long_as_they_say():
    """u = |x - y| along the stored alignment, from the seeds on: nodes that match nothing go to places that are free."""
    for seed in range(10):
        graphs = random_collection(seed, KINDS["letters"], 30, max_nodes=6, min_nodes=1)
        one = OneRun(graphs, seed)
        centers = one.loop(4).centers
        (shard,) = one.engine.shards
        for _ in range(3):
            assign(shard, centers, 0.0)
            own = np.arange(30), shard.state.labels.copy(), shard.state.slots.copy(), shard.batch.node_ptr
            along = centers.frames.aligned_distances(shard.batch, *own)
            np.testing.assert_allclose(along, shard.state.upper, atol=1e-9)
            centers.move_to_means(shard.sums(centers))
            refresh_distances(shard, centers)


def test_memory_is_what_the_formula_says():
    """docs/how-to/scaling.md: nothing that a shard keeps is of the size N x k."""
    graphs, _ = gm.datasets.make_letters(500, random_state=0)
    one = OneRun(graphs, matcher=Auto())
    batch, space = one.batch, one.space
    loop = one.loop(100)
    one.engine.each(assign, loop.centers, 0.0)
    (shard,) = one.engine.shards
    n, dv, de = int(space.order.sum()), batch.nodes.shape[1], batch.edge_values.shape[1]
    state, sketches = shard.state.to_arrays(), shard.sketches
    kept = sum(array.nbytes for array in state.values()) + sketches.values.nbytes + sketches.norms.nbytes
    graph = batch.nodes.nbytes + batch.roles.nbytes + batch.ends.nbytes + batch.edge_values.nbytes
    formula = 16 * len(batch.nodes) * (dv + 1) + 8 * len(batch.ends) * (de + 1) + 500 * (4 * n * (dv + n * de) + 14 * 64 + 72)
    assert kept + graph <= formula
    assert shard.state.bounds.center.shape == (500, 64)
