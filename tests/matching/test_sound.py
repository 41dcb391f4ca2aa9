"""Nothing that a kernel cannot work with reaches one: arguments, answers of other people's code, batches made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import graphmeans as gm
from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.matching.auto import Auto
from graphmeans.matching.bounds import lap_bounds, norm_bounds
from graphmeans.matching.edge_bound import edge_bounds
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.frames import Frames
from graphmeans.means.registry import get_mean

MATCHERS = {"auto": Auto(), "exact": gm.Exact(), "search": gm.Search()}
PAIRS = np.array([[0, 1], [2, 3]])


@pytest.fixture(scope="module")
def batch():
    rng = np.random.default_rng(0)
    sizes = (3, 4, 12, 11)
    graphs = [
        gm.Graph(rng.normal(size=(n, 2)), [(i, i + 1) for i in range(n - 1)], roles=[i % 2 for i in range(n)]) for n in sizes
    ]
    return gm.GraphEncoder().fit_transform(graphs)


def spoilt(found):
    """Mappings that are not the ones found, and what is said of them."""
    first = found.copy()
    first[0] = 4
    negative = found.copy()
    negative[0] = -2
    twice = found.copy()
    twice[:2] = twice[0]
    other_role = found.copy()
    other_role[:2] = other_role[1::-1]
    return {
        "too short": (found[:-1], "nodes in all"), "too long": (np.append(found, 0), "nodes in all"),
        "beyond": (first, "a node that there is not"), "far beyond": (np.full_like(found, 2**62), "a node that there is not"),
        "negative": (negative, "a node that there is not"), "one node twice": (twice, "one node twice"),
        "another role": (other_role, "another role"), "no numbers": (found.astype(float), "whole numbers"),
        "two axes": (found.reshape(1, -1), "nodes in all"),
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["too short", "too long", "beyond", "far beyond", "negative", "one node twice", "another role",
                                  "no numbers", "two axes"])  # fmt: skip
@pytest.mark.parametrize("name", MATCHERS)
def test_a_warm_mapping_that_leads_nowhere_is_refused(name, kind, batch):
    matcher, space = MATCHERS[name], gm.GraphSpace.for_graphs(batch, matcher=MATCHERS[name], n_jobs=1)
    found = matcher.solve(batch, batch, PAIRS, space.order, 1).flat
    warm, said = spoilt(found)[kind]
    for solve in (lambda w: matcher.solve(batch, batch, PAIRS, space.order, 1, w), lambda w: space.match(batch, batch, PAIRS, w)):
        assert len(solve(found)) == 2
        with pytest.raises(gm.GraphError, match=f"warm: .*{said}"):
            solve(warm)


@pytest.mark.parametrize("pairs", [[[0, 4]], [[4, 0]], [[-1, 0]], [[0, 2**62]], [[0.5, 1]], [[0, 1, 2]], [0, 1, 2]])
def test_pairs_that_there_are_not(pairs, batch):
    order = np.array([6, 6])
    solvers = [matcher.solve for matcher in (*MATCHERS.values(), gm.Graduated())] + [lap_bounds, edge_bounds]
    for solve in solvers:
        with pytest.raises(gm.GraphError, match="pair"):
            solve(batch, batch, np.array(pairs), order, 1)
    with pytest.raises(gm.GraphError, match="pair"):
        norm_bounds(batch, batch, np.array(pairs))


@pytest.mark.parametrize("order", [None, [6, 6], np.array([6.0, 6.0]), np.array([[6, 6]]), np.array([-1, 6])])
def test_orders_that_are_none(order, batch):
    for matcher in (*MATCHERS.values(), gm.Graduated()):
        with pytest.raises(gm.GraphError, match="order must be an array of whole numbers"):
            matcher.solve(batch, batch, PAIRS, order, 1)


@pytest.mark.parametrize("cutoff", [np.full(2, np.nan), np.ones(3), -np.ones(2), "near", np.ones((2, 1))])
def test_cutoffs_that_are_none(cutoff, batch):
    for matcher in (Auto(), gm.Exact()):
        with pytest.raises(gm.GraphError, match="cutoff must be an array of 2 numbers"):
            matcher.solve(batch, batch, PAIRS, np.array([6, 6]), 1, None, cutoff)


BATCHES = {
    "offsets that fall": lambda b: replace(b, node_ptr=b.node_ptr[::-1].copy()),
    "offsets beyond": lambda b: replace(b, node_ptr=b.node_ptr + np.array([0, 0, 0, 0, 5])),
    "fewer nodes": lambda b: replace(b, nodes=b.nodes[:-1]),
    "an edge to nowhere": lambda b: replace(b, ends=b.ends + np.int32(20)),
    "a loop": lambda b: replace(b, ends=b.ends * 0),
    "an unknown role": lambda b: replace(b, roles=b.roles + np.int32(2)),
    "a negative role": lambda b: replace(b, roles=b.roles - np.int32(1)),
    "NaN": lambda b: replace(b, edge_values=b.edge_values * np.nan),
    "NaN in nodes": lambda b: replace(b, nodes=b.nodes * np.nan),
    "infinity": lambda b: replace(b, nodes=b.nodes / 0.0),
    "another type": lambda b: replace(b, nodes=b.nodes.astype(np.float32)),
    "columns first": lambda b: replace(b, nodes=np.asfortranarray(b.nodes)),
    "directed by half": lambda b: replace(b, directed=True),
}


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_batches_made_by_hand_are_checked_once(name, batch):
    space = gm.GraphSpace.for_graphs(batch, n_jobs=1)
    odd = BATCHES[name](batch)
    for x, y in ((odd, batch), (batch, odd), (odd, odd)):
        with pytest.raises(gm.GraphError, match="a GraphBatch is not sound"):
            space.match(x, y, PAIRS)
    for use in (space.weighted, lambda b: gm.GraphSpace.for_graphs(batch).distances(b)):
        with pytest.raises(gm.GraphError, match="a GraphBatch is not sound"):
            use(odd)


def test_what_comes_from_a_sound_batch_is_sound(batch, monkeypatch):
    fresh = replace(batch)
    assert not fresh.is_sound
    space = gm.GraphSpace.for_graphs(batch, n_jobs=1)
    space.match(fresh, fresh, PAIRS)
    assert fresh.is_sound
    part = fresh.take([1, 3])
    assert part.is_sound
    assert part.largest_number >= np.abs(part.nodes).max()
    monkeypatch.setattr("graphmeans.matching.sound.batch_fault", None)  # it is not asked again
    space.match(part, fresh, np.array([[0, 1]]))


def test_batches_that_cannot_be_compared(batch):
    space = gm.GraphSpace.for_graphs(batch, n_jobs=1)
    wide = replace(batch, nodes=np.hstack([batch.nodes, batch.nodes]))
    with pytest.raises(gm.GraphError, match="they need one encoder"):
        space.match(batch, wide, PAIRS)
    large = replace(batch, nodes=batch.nodes * 1e200)
    with pytest.raises(gm.GraphError, match="squares are more than floating point holds"):
        space.match(large, large, PAIRS)


class Mine:
    """A matcher that answers what `change` makes of the right answer."""

    def __init__(self, change=None):
        self.change = change

    def get_params(self, deep=True):
        return {"change": self.change}

    def set_params(self, **params):
        self.__dict__.update(params)
        return self

    def solve(self, x, y, pairs, order, n_jobs=None):
        return self.change(gm.Exact().solve(x, y, pairs, order, n_jobs))


ANSWERS = {
    "nothing": (lambda found: None, "must answer with Matches"),
    "short": (lambda found: replace(found, flat=found.flat[:-1]), "nodes in all"),
    "negative": (lambda found: replace(found, flat=found.flat - 5), "a node that there is not"),
    "huge": (lambda found: replace(found, flat=found.flat + 2**62), "a node that there is not"),
    "twice": (lambda found: replace(found, flat=found.flat * 0), "one node twice"),
    "nowhere": (lambda found: replace(found, flat=found.flat * 0 - 1), "leaves more nodes unmatched"),
    "offsets": (lambda found: replace(found, ptr=found.ptr + 1), "where the mapping of each pair begins"),
    "NaN": (lambda found: replace(found, upper=found.upper * np.nan), "numbers of at least 0"),
    "crossed": (lambda found: replace(found, lower=found.upper + 1), "larger than the upper one"),
    "endless": (lambda found: replace(found, upper=found.upper + 1e300), "larger than the upper one"),
    "few": (lambda found: replace(found, lower=found.lower[:-1]), "numbers of at least 0"),
    "second": (lambda found: replace(found, second=np.array([np.nan])), "second must be"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_a_matcher_of_ones_own_are_checked(name):
    change, said = ANSWERS[name]
    graphs, _ = gm.datasets.make_letters(12, random_state=0)
    matcher = Mine(change)
    for use in (
        lambda: gm.GraphKMeans(3, matcher=matcher, random_state=0, n_jobs=1).fit(graphs),
        lambda: gm.GraphKMeans(3, matcher=matcher, random_state=0, n_jobs=1, algorithm="lloyd").fit(graphs),
        lambda: gm.mean(graphs, matcher=matcher, random_state=0),
        lambda: gm.match(graphs[0], graphs[1], matcher=matcher),
    ):
        with pytest.raises(gm.GraphError, match=f"the matcher Mine.*{said}"):
            use()
    assert gm.match(graphs[0], graphs[1], matcher=Mine(lambda found: found)).certified


class MyMean:
    """A mean that answers what `change` makes of the right one."""

    def __init__(self, change=None):
        self.change = change

    def get_params(self, deep=True):
        return {"change": self.change}

    def set_params(self, **params):
        self.__dict__.update(params)
        return self

    def compute(self, match, batch, groups, weights, order, random_state):
        return self.change(get_mean("incremental").compute(match, batch, groups, weights, order, random_state))


MEANS = {
    "nothing": (lambda means: 3, "must answer with Means"),
    "flat": (lambda means: replace(means, flat=means.flat + 2**40), "a node that there is not"),
    "which": (lambda means: replace(means, which=means.which + 1), "not those of the groups"),
    "batch": (lambda means: replace(means, centers=replace(means.centers, batch=replace(
        means.centers.batch, ends=means.centers.batch.ends + np.int32(99)))), "not sound"),
    "support": (lambda means: replace(means, centers=replace(
        means.centers, node_support=means.centers.node_support * 9)), "shares"),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANS)
def test_answers_of_a_mean_of_ones_own_are_checked(name):
    change, said = MEANS[name]
    graphs, _ = gm.datasets.make_letters(12, random_state=0)
    for use in (lambda: gm.mean(graphs, MyMean(change), random_state=0),
                lambda: gm.GraphKMeans(3, algorithm="lloyd", mean=MyMean(change), random_state=0).fit(graphs)):  # fmt: skip
        with pytest.raises(gm.GraphError, match=f"the mean MyMean.*{said}"):
            use()
    assert gm.mean(graphs, MyMean(lambda means: means), random_state=0).n_nodes > 0


@pytest.mark.parametrize(
    "params",
    [{"sinkhorn": 2**62}, {"assignments": 0}, {"rate": 1 + 1e-15}, {"beta_max": np.inf}, {"beta0": np.nan}, {"tolerance": -1},
     {"rate": "x"}],
)
def test_graduated_assignment_that_would_never_end(params):
    with pytest.raises(gm.GraphError, match="graduated assignment"):
        gm.distance(gm.Graph(2), gm.Graph(2), matcher=gm.Graduated(**params))


@pytest.mark.parametrize(("given", "said"), [
    ({"n_jobs": 4096}, "n_jobs must be None or a whole number other than 0, at most 1024"),
    ({"order": 2**62}, "order must be a whole number of at least 0"),
    ({"node_weight": None}, "node_weight must be a positive number"),
])  # fmt: skip
def test_numbers_that_are_too_large(given, said):
    graphs, _ = gm.datasets.make_letters(4, random_state=0)
    with pytest.raises(gm.GraphError, match=said):
        gm.pairwise_distances(graphs, **given)


def test_centers_and_sketches_that_no_memory_holds(monkeypatch):
    monkeypatch.setattr("graphmeans.budget.machine_memory", lambda: 1e9)
    graphs, _ = gm.datasets.make_letters(8, random_state=0)
    for call in (gm.GraphKMeans(2, order=2**14, random_state=0).fit, lambda graphs: gm.sketch(graphs, 2**14)):
        with pytest.raises(gm.GraphError, match="more than this machine can give"):
            call(graphs)


@pytest.mark.parametrize("order", [2**14 + 1, 2**31, 2**39])
def test_an_order_for_which_there_is_no_room_is_refused_by_all(order):
    """It would have been laid out, with gigabytes of zeros, before anybody asked how large it is."""
    graphs, _ = gm.datasets.make_letters(8, random_state=0)
    for call in (
        gm.GraphKMeans(2, order=order, random_state=0).fit, gm.GraphKMeans(2, order=order, algorithm="lloyd").fit,
        gm.MiniBatchGraphKMeans(2, order=order).fit, gm.GraphKMedoids(2, order=order).fit, gm.GraphIndex(order=order).fit,
        lambda graphs: gm.sketch(graphs, order), lambda graphs: gm.near_duplicates(graphs, 0.1, order=order),
        lambda graphs: gm.pairwise_distances(graphs, order=order, cutoff=1.0),
    ):  # fmt: skip
        with pytest.raises(gm.GraphError, match=f"order {order} is more than 16384"):
            call(graphs)


def test_the_most_places_that_can_be_asked_for_cost_next_to_nothing():
    graphs, _ = gm.datasets.make_letters(8, random_state=0)
    found, _ = gm.GraphIndex(order=2**14).fit(graphs).kneighbors(graphs, 2)
    assert np.allclose(found, gm.GraphIndex(order=20).fit(graphs).kneighbors(graphs, 2)[0])


def test_attributes_of_any_size_end_in_an_answer_or_in_one_line():
    x = gm.Graph({"x": [1e200, 0, -1e200, 5, 1e200]}, [(0, 1)])
    y = gm.Graph({"x": [-1e200, 1e200, 3]}, [(0, 1)])
    assert gm.distance(x, y) == pytest.approx(1e200, rel=1e-9)  # two of the large ones find each other, one is left
    rng = np.random.default_rng(0)
    for algorithm in ("lloyd", "elkan", "gvr", "interval"):
        rows = rng.normal(size=(20, 2))
        with pytest.raises(gm.GraphError, match="squares are more than floating point holds"):
            gm.GraphKMeans(3, algorithm=algorithm, random_state=0, n_jobs=1).fit(rows * 1e200)
        km = gm.GraphKMeans(3, algorithm=algorithm, random_state=0, n_jobs=1).fit(rows * 1e120)
        assert km.labels_.tolist() == gm.GraphKMeans(3, algorithm=algorithm, random_state=0, n_jobs=1).fit(rows).labels_.tolist()


def test_sums_of_graphs_that_are_not_sound():
    batch = gm.GraphEncoder().fit_transform([gm.Graph(2, [(0, 1)])])
    with pytest.raises(gm.GraphError, match="a GraphBatch is not sound"):
        Frames(1, batch, 2).add(replace(batch, ends=batch.ends + np.int32(7)), np.array([0]), np.array([0]),
                                np.array([0, 1]), batch.node_ptr, np.ones(1))  # fmt: skip


def test_centers_of_a_space_without_a_limit_are_not_laid_out():
    """A model file may say so of its space; then its centers cannot be learned on."""
    graphs, _ = gm.datasets.make_letters(8, random_state=0)
    batch = gm.GraphEncoder().fit_transform(graphs)
    with pytest.raises(gm.GraphError, match="more than this machine can give"):
        FrameCenters.from_graphs(np.array([UNBOUNDED]), batch)


@pytest.mark.parametrize("weight", [1e308, 1e200, 5e-324])
def test_weights_whose_products_no_number_holds(weight):
    graphs, _ = gm.datasets.make_letters(8, random_state=0)
    for call in (gm.GraphKMeans(2, random_state=0).fit, gm.GraphKMedoids(2, random_state=0).fit, gm.mean):
        with pytest.raises(gm.GraphError, match=r"sample_weight adds up to about .*: scale it"):
            call(graphs, sample_weight=np.full(8, weight))
    km = gm.GraphKMeans(2, random_state=0, n_jobs=1)
    found, plain = (clone(km).fit(graphs, sample_weight=given) for given in (np.full(8, 2.0**400), None))
    assert found.labels_.tolist() == plain.labels_.tolist()
    assert found.inertia_ == pytest.approx(2.0**400 * plain.inertia_)
