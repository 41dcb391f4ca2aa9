"""An audit of proofs: random small graphs of every structure, and brute force in extended precision.

    python tests/audit.py --pairs 30000 --labels 5000 --first 0

Every interval of every matcher and every bound must contain the distance, every certified distance must be it, and every
certified label, after fits by all algorithms and in predictions, must be that of the nearest center: up to 1e-9 of the
distance. Graphs have no attributes, scalars, vectors or categories, directions, roles; some are copies, some tied exactly
or nearly; numbers go from 1e-300 to 1e300, are denormal, or lie far from the origin. What is refused is counted.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

import graphmeans as gm
import oracle
from graphmeans.matching.auto import Auto
from graphmeans.matching.bounds import lap_bounds, norm_bounds
from graphmeans.matching.edge_bound import edge_bounds, sift_by_edges, solve_by_edges
from graphmeans.matching.sketch import pairwise_sketch_bounds
from graphmeans.space import GraphSpace

#: Proofs hold up to this share of the distance.
TOLERANCE = 1e-9
#: Distances below this many units of the space are not told apart.
BLUR = 2.0**-479
LONG = np.longdouble



class EdgeTree(gm.Exact):
    """The tree on the edge program, which `exact` asks only where graphs have more than ten nodes."""

    def solve(self, x, y, pairs, order, n_jobs=None, warm=None, cutoff=None):
        """Match the pairs that have a program by it, and the others as `exact` does."""
        cut = np.full(len(pairs), np.inf) if cutoff is None else cutoff
        found, done = solve_by_edges(x, y, pairs, order, n_jobs, self.max_tree_nodes or 200, warm, cut)
        found.put(np.flatnonzero(~done), super().solve(x, y, pairs[~done], order, n_jobs))
        return found


def sifted(x, pairs, order):
    """The bounds of pairs that are sifted by cutoffs a little above what an assignment proves."""
    low = lap_bounds(x, x, pairs, order, 1)
    found, done = sift_by_edges(x, x, pairs, order, 1, 1.05 * low)
    return np.where(done, np.maximum(low, found.lower), low)


MATCHERS = {
    "edge tree": EdgeTree(), "edge tree, 3 rounds": EdgeTree(max_tree_nodes=3), "auto": Auto(), "exact": gm.Exact(),
    "exact, 3 nodes": gm.Exact(max_tree_nodes=3), "search": gm.Search(),
    "search, no effort": gm.Search(effort=0.0), "graduated": gm.Graduated(),
}  # fmt: skip
BOUNDS = {
    "norms": lambda x, pairs, order: norm_bounds(x, x, pairs),
    "sketches": lambda x, pairs, order: pairwise_sketch_bounds(x, x, order)[pairs[:, 0], pairs[:, 1]],
    "sorted rows": lambda x, pairs, order: lap_bounds(x, x, pairs, order, 1),
    "edges": lambda x, pairs, order: edge_bounds(x, x, pairs, order, 1),
    "edges, sifted": lambda x, pairs, order: sifted(x, pairs, order),
    "edges, 2 rounds": lambda x, pairs, order: edge_bounds(x, x, pairs, order, 1, rounds=2),
}
#: Matchers that leave some intervals open.
DOUBTFUL = [gm.Search(effort=0.0), gm.Search(effort=0.1), EdgeTree(max_tree_nodes=2), gm.Exact(max_tree_nodes=2)]
ALGORITHMS = ("interval", "certify", "lloyd", "elkan", "gvr")


@dataclass
class Tally:
    """What was found: confirmed, refused, and each thing that is wrong in words."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{name}: {count:,}" for name, count in sorted(self.counts.items())]
        return "\n".join([*lines, f"wrong: {len(self.wrong)}", *self.wrong[:20]])


# -- what is drawn ---------------------------------------------------------------------------------


def draw_collection(rng: np.random.Generator, size: int) -> tuple[list[gm.Graph], str]:
    """Graphs of one structure and one style of numbers, and what they are called."""
    directed, roles = rng.random() < 0.25, rng.random() < 0.25
    dv, de = int(rng.choice([0, 1, 1, 2, 3])), int(rng.choice([1, 1, 2]))
    style = str(rng.choice(["normal", "whole", "offset", "edge offset", "scaled", "denormal", "spread", "near ties", "category"]))
    most = int(rng.integers(1, 6))
    same_size = rng.random() < 0.4
    scale, offset, edge_offset, jitter = 1.0, 0.0, 0.0, 0.0
    if style == "offset":
        offset = 10.0 ** rng.uniform(3, 12)
    elif style == "edge offset":
        edge_offset = 10.0 ** rng.uniform(3, 12)
    elif style == "scaled":
        scale = 10.0 ** rng.uniform(-300, 300)
    elif style == "denormal":
        scale = 10.0 ** rng.uniform(-323, -306)
    elif style in ("near ties", "spread"):
        jitter = 10.0 ** rng.uniform(-16, -3)
    graphs: list[gm.Graph] = []
    plain = rng.random() < 0.3  # edges all alike
    while len(graphs) < size:
        n = most if same_size else int(rng.integers(0, most + 1))
        if graphs and rng.random() < 0.3:
            graphs.append(renumbered(rng, graphs[int(rng.integers(len(graphs)))], jitter))
            continue
        pairs = [(i, j) for i in range(n) for j in range(n) if i < j or (directed and i > j)]
        edges = [pair for pair in pairs if rng.random() < 0.6]
        nodes, values = rng.normal(size=(n, dv)), rng.normal(size=(len(edges), de))
        if style in ("whole", "near ties"):
            nodes, values = np.round(nodes), np.round(values)
        if style == "spread":
            nodes, values = (v * 10.0 ** rng.uniform(-rng.choice([20, 300]), 0, size=v.shape) for v in (nodes, values))
        nodes, values = (nodes + offset) * scale, (values + edge_offset) * scale
        if plain:
            values[:] = scale + edge_offset
        values[~values.any(axis=1)] = scale
        given = [("a", "b")[i % 2] for i in range(n)] if roles else None
        if style == "category":
            column = {"kind": [str(c) for c in rng.choice(["x", "y", "z"], size=n)]} if n else {"kind": np.array([], dtype=str)}
            graphs.append(gm.Graph(column, edges, values, directed=directed, roles=given))
        elif dv == 0 and not roles:
            graphs.append(gm.Graph(n, edges, values, directed=directed))
        else:
            graphs.append(gm.Graph(nodes, edges, values, directed=directed, roles=given))
    kind = f"{style}, dv={dv}, de={de}{', directed' if directed else ''}{', roles' if roles else ''}"
    return graphs, kind


def renumbered(rng: np.random.Generator, graph: gm.Graph, jitter: float) -> gm.Graph:
    """A copy in another order of nodes, its numbers moved by about this share of them."""
    order = rng.permutation(graph.n_nodes)
    place = np.argsort(order)
    nodes = {name: np.asarray(values)[order] for name, values in graph.nodes.items()}
    if "" in nodes and jitter:
        nodes[""] = nodes[""] * (1 + jitter * rng.normal(size=nodes[""].shape))
    values = graph.edge_attributes[""]
    if jitter:
        values = values * (1 + jitter * rng.normal(size=values.shape))
    roles = None if graph.roles is None else [graph.roles[i] for i in order]
    edges = place[np.asarray(graph.edges, dtype=int).reshape(-1, 2)] if graph.n_edges else []
    bare = nodes[""] if set(nodes) == {""} else nodes
    return gm.Graph(bare, edges, values, directed=graph.directed, roles=roles)


# -- the truth -------------------------------------------------------------------------------------


def places_of(batch: gm.GraphBatch, order: np.ndarray) -> list[oracle.Dense]:
    """Points in extended precision, padded to the order, the places of a role side by side."""
    starts = np.concatenate([[0], np.cumsum(order)])
    width, half = batch.edge_values.shape[1], batch.edge_values.shape[1] // 2
    result = []
    for g in range(len(batch)):
        rows, arcs = slice(*batch.node_ptr[g : g + 2]), slice(*batch.edge_ptr[g : g + 2])
        roles, seen, place = batch.roles[rows], Counter(), []
        for role in roles.tolist():
            place.append(int(starts[role]) + seen[role])
            seen[role] += 1
        nodes = np.zeros((starts[-1], batch.nodes.shape[1]), LONG)
        nodes[place] = batch.nodes[rows]
        edges = np.zeros((starts[-1], starts[-1], width), LONG)
        for (i, j), value in zip(batch.ends[arcs], batch.edge_values[arcs], strict=True):
            edges[place[i], place[j]] = value
            edges[place[j], place[i]] = np.roll(value, half) if batch.directed else value
        result.append(oracle.Dense(nodes, edges))
    return result


def true_distances(xs: list[oracle.Dense], ys: list[oracle.Dense], pairs: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Distances by all permutations, in extended precision."""
    room = dict(enumerate(order.tolist()))
    return np.array([np.sqrt(oracle.squared_under_all(xs[i], ys[j], room).min()) for i, j in pairs], dtype=LONG)


def given_points(graphs: list[gm.Graph], batch: gm.GraphBatch, space: GraphSpace) -> list[oracle.Dense]:
    """What the user gave, in extended precision, times the roots of the weights: nothing that the library has computed."""
    if "" not in graphs[0].nodes:
        points = places_of(batch, space.order)  # 1-of-k
    else:
        room = dict(zip(space.roles, space.order.tolist(), strict=True))
        dv, de = oracle.widths(graphs)
        points = [oracle.dense(graph, room, dv, de)[0] for graph in graphs]
    node, edge = np.sqrt(LONG(space.node_weight)), np.sqrt(LONG(space.edge_weight))
    return [oracle.Dense(p.nodes.astype(LONG) * node, p.edges.astype(LONG) * edge) for p in points]


# -- pairs -----------------------------------------------------------------------------------------


def audit_pairs(seed: int, tally: Tally, size: int = 6) -> None:
    """Draw a collection, and check what is said of all of its pairs."""
    rng = np.random.default_rng([seed, 1])
    graphs, kind = draw_collection(rng, size)
    weights = {} if rng.random() < 0.7 else {"node_weight": float(rng.choice([0.5, 3.0, 1e-3])), "edge_weight": 2.0}
    where = f"pairs of seed {seed} ({kind}{', weighted' if weights else ''})"
    pairs = np.stack(np.triu_indices(size, k=1), axis=1)
    try:
        batch = gm.GraphEncoder(numbers="keep").fit_encode(graphs)
        space = GraphSpace.for_graphs(batch, n_jobs=1, **weights)
        points = space.weighted(batch)
        found = {name: replace(space, matcher=matcher).match(points, points, pairs) for name, matcher in MATCHERS.items()}
    except gm.GraphError:
        tally.counts["pairs refused"] += len(pairs)
        return
    xs = given_points(graphs, batch, space)
    truth = true_distances(xs, xs, pairs, space.order)
    proven = np.zeros(len(pairs), dtype=bool)
    for name, match in found.items():
        lower, upper = match.lower.astype(LONG), match.upper.astype(LONG)
        sure = space.certified(match)
        proven |= sure
        least = 4 * np.finfo(np.float64).eps * np.array([norm(xs[i]) + norm(xs[j]) for i, j in pairs])
        rounded = least if batch.directed or weights else 0 * least
        say(tally, where, name, "claims too much", lower > truth * (1 + TOLERANCE) + 5e-324, pairs, lower, truth)
        say(tally, where, name, "claims too little", upper < truth * (1 - TOLERANCE) - rounded, pairs, upper, truth)
        false = sure & (np.abs(upper - truth) > 2 * TOLERANCE * truth + 5e-324) & ~((upper == 0) & (truth <= rounded))
        say(tally, where, name, "is certified", false, pairs, upper, truth)
        tally.counts[f"certified by {name}"] += int(sure.sum())
    in_units = true_distances(places_of(points, space.order), places_of(points, space.order), pairs, space.order)
    for name, bound in BOUNDS.items():
        low = bound(points, pairs, space.order).astype(LONG)
        say(tally, where, name, "is no bound", low > in_units * (1 + TOLERANCE), pairs, low, in_units)
    tally.counts["pairs certified"] += int(proven.sum())
    tally.counts["pairs"] += len(pairs)


def norm(x: oracle.Dense) -> LONG:
    return np.sqrt((x.nodes**2).sum() + (x.edges**2).sum())


def say(
    tally: Tally, where: str, who: str, what: str, wrong: np.ndarray, pairs: np.ndarray, said: np.ndarray, truth: np.ndarray
) -> None:
    """Note the first of the pairs that are wrong."""
    for p in np.flatnonzero(wrong)[:1]:
        tally.wrong.append(f"{where}: {who} {what}: {pairs[p].tolist()} at {said[p]:.17g}, truly {truth[p]:.17g}")


# -- labels ----------------------------------------------------------------------------------------


def audit_labels(seed: int, tally: Tally, size: int = 16) -> None:
    """Draw a collection, fit it, and check labels and predictions."""
    rng = np.random.default_rng([seed, 2])
    graphs, kind = draw_collection(rng, size)
    k, algorithm = int(rng.integers(2, 5)), ALGORITHMS[seed % len(ALGORITHMS)]
    name, more = ("interval", {"certify": True}) if algorithm == "certify" else (algorithm, {})
    doubtful = name == "interval" and rng.random() < 0.5
    if doubtful:  # then not everything is proven
        more["matcher"] = DOUBTFUL[int(rng.integers(len(DOUBTFUL)))]
    where = f"labels of seed {seed} ({kind}; {algorithm}, {more.get('matcher', 'auto')})"
    km = gm.GraphKMeans(k, algorithm=name, n_init=1, random_state=seed, n_jobs=1, encoder=gm.GraphEncoder(numbers="keep"), **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            km.fit(graphs)
            predicted = km.predict(graphs)
        except gm.GraphError:
            tally.counts["labels refused"] += size
            return
    order, centers = km.space_.order, places_of(km._centers.batch, km.space_.order)
    everyone = np.stack([part.ravel() for part in np.indices((size, k))], axis=1)
    truth = true_distances(places_of(km._points(graphs), order), centers, everyone, order).reshape(size, k)
    right = [nearest(truth, labels) for labels in (km.labels_, predicted)]
    claimed = km.certified_ if name == "interval" else np.ones(size, dtype=bool)
    tally.counts[f"labels certified after {algorithm}"] += int(claimed.sum())
    tally.counts["labels"] += size
    others = truth.copy()
    others[np.arange(size), km.labels_] = np.inf
    margins = 1.0 - truth[np.arange(size), km.labels_] / np.maximum(others.min(axis=1), BLUR)
    for at in np.flatnonzero(claimed & (~right[0] | (km.certified_margins_ > np.maximum(margins, 0.0) + TOLERANCE))):
        said = f"label {km.labels_[at]} and margin {km.certified_margins_[at]:.3g} are claimed"
        tally.wrong.append(f"{where}: graph {at}, {said}, distances {[float(t) for t in truth[at]]}")
    if not doubtful and not right[1].all():
        at = int(np.flatnonzero(~right[1])[0])
        tally.wrong.append(f"{where}: graph {at} is predicted {predicted[at]}, distances {[float(t) for t in truth[at]]}")


def nearest(truth: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Which labels are those of a nearest center."""
    own = truth[np.arange(len(labels)), labels]
    return np.asarray(own <= np.maximum(truth.min(axis=1) * (1 + TOLERANCE), BLUR))


def audit(pairs: int, labels: int, first: int = 0) -> Tally:
    """Check about so many pairs and labels, from this seed on."""
    tally, seed = Tally(), first
    while tally.counts["pairs"] + tally.counts["pairs refused"] < pairs:
        audit_pairs(seed, tally)
        seed += 1
    seed = first
    while tally.counts["labels"] + tally.counts["labels refused"] < labels:
        audit_labels(seed, tally)
        seed += 1
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, default in (("pairs", 3000), ("labels", 1000), ("first", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    tally = audit(**vars(parser.parse_args()))
    print(tally)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
