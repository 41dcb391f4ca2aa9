"""What the page says: sentences and figures at its top, and a card for each cluster with what sets it apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from graphmeans.evaluation.fitted import members_by_distance
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.molecule import is_molecule
from graphmeans.plots.network import is_labelled
from graphmeans.plots.positions import own_positions
from graphmeans.report.cards.networks import connection_contrasts
from graphmeans.report.facts.evidence import Evidence
from graphmeans.report.facts.report_graphs import is_on_disk
from graphmeans.report.facts.summary import PURE, ClusteringSummary, ClusterSummary, class_in_words
from graphmeans.report.pictures.cluster_pictures import ClusterPictures, node_numbers
from graphmeans.report.sentences.contrasts import (
    EDGES,
    NODES,
    Contrast,
    mean_contrasts,
    profile,
    profile_contrasts,
    spreads,
)
from graphmeans.report.sentences.form_words import PIECES_WORDS, form_in_short, form_words, main_form
from graphmeans.report.sentences.outlines import branches, consensus, tree_lines
from graphmeans.report.sentences.shapes import ARMS, EMPTY, HUB, LINE, LOOSE, NODE, PIECES, forms, join_graphs
from graphmeans.report.sentences.told import (
    EMPTY_WORDS,
    MOST,
    Told,
    count_spreads,
    features,
    kinds_of,
    mean_shapes,
    told,
    topics,
)
from graphmeans.report.words import BORDER, counted, number, percent, significant, whole_percents

#: How many members of each sort a card shows; half as many where there are many clusters.
TYPICAL, ODD, DOUBTFUL = 8, 6, 6
#: Molecules are drawn larger: so many stand in one row.
OF_MOLECULES = 6
#: What the caption of a small picture names: classes of a cluster, differences; and differences of trees, which look alike.
CLASSES, SAID, OF_TREES = 3, 2, 3
#: Differences from the nearest cluster that a card tells beside those from all others.
OF_NEAREST = 2
#: A page is mixed if a smaller share of all graphs is right.
MIXED = 0.7
#: Forms that a picture in the plane shows less clearly than a word: more than one thing may be seen in it.
PLAIN_FORMS = (EMPTY, NODE, LINE)
#: A node is common if this share of the members has it.
HALF = 0.5
#: So many tiles are narrow: of more clusters a tile tells one difference.
MANY = 24
#: Members of each cluster, at most, that sentences and tables are about.
COMPARED = 200


class CardMaker:
    """Makes cards. What all of them are compared with is computed once. `means` are without what was filled in."""

    def __init__(
        self, summary: ClusteringSummary, evidence: Evidence, graphs: Sequence[Graph], pictures: ClusterPictures,
        means: Sequence[MeanGraph],
    ) -> None:  # fmt: skip
        self.clusters, self.evidence, self.pictures, self.means = summary.clusters, evidence, pictures, means
        self.labels = labels = summary.labels[evidence.sample]
        sample, is_fair = evidence.sample.tolist(), evidence.fair.tolist()
        # Rows of the sample by cluster, the nearest to the mean first; and some of the members, of those at hand.
        self.rows = [members_by_distance(labels, evidence.own_distance, c.label).tolist() for c in self.clusters]
        if is_on_disk(graphs):
            self.members = [[graphs[sample[n]] for n in _spread([n for n in rows if is_fair[n]])] for rows in self.rows]
        else:
            self.members = [[graphs[i] for i in _spread(c.members.tolist())] for c in self.clusters]
        self.way, self.doubtful = evidence.way.tolist(), evidence.doubtful.tolist()
        # Members without nodes, in clusters that hold hardly anything else: one of them stands for all.
        bare = [c.label for c in self.clusters if c.mean.node_support.max(initial=0.0) < HALF]
        self.empty = {n for label in bare for n in self.rows[label] if not graphs[sample[n]].n_nodes}
        self.spread = spreads([graphs[i] for i in sample[:: max(1, len(sample) // 200)]])
        self.profiles = [profile(members) for members in self.members]
        trees = pictures.are_trees
        shape: list[dict[str, float]] = [{} for _ in self.members]
        self.forms = ["" for _ in self.members]
        self.short_forms = self.forms
        self.two_way = False
        self.placed = any(own_positions(c.mean) is not None for c in self.clusters)
        if not any(is_labelled(c.mean) or is_molecule(c.mean) for c in self.clusters):
            joined = join_graphs([graph for members in self.members for graph in members])
            self.two_way = joined.two_way
            seen = self.placed or trees  # pictures show how lines run
            rest, pieces = iter("" if seen and form == ARMS else form for form in forms(joined)), iter(joined.pieces.tolist())
            named = [list(islice(rest, len(members))) for members in self.members]
            self.forms = [
                form_words(members, own, list(islice(pieces, len(members))), self.two_way)
                for members, own in zip(self.members, named, strict=True)
            ]
            main = [main_form(own) for own in named]
            if {form for own in named for form in own} <= {LOOSE, NODE, EMPTY}:  # as in point patterns: nothing else was meant
                self.forms = ["" for _ in self.members]
            if len({form for form, _ in main}) > 1:  # what all have sets none apart
                self.short_forms = [form_in_short(*of) if of[0] in PLAIN_FORMS or not self.placed else "" for of in main]
            if not trees:
                shape, spread = mean_shapes(self.members, joined)
                self.spread |= spread
            if all(c.mean.n_nodes == 0 or own_positions(c.mean) is not None for c in self.clusters):
                # Lines of drawings may touch without a common node: nobody would see the pieces.
                self.forms = ["" if PIECES_WORDS in said else said for said in self.forms]
                shape = [{key: value for key, value in one.items() if key != PIECES and not key.startswith(HUB)} for one in shape]
            if self.two_way:  # two opposite arcs are one edge, in words as in pictures
                for counts in (*self.profiles, self.spread):
                    if EDGES in counts:
                        counts[EDGES] /= 2
        below = [branches(members) if trees else None for members in self.members]
        kinds = [list(map(kinds_of, members)) for members in self.members]
        self.spread |= count_spreads([own for some in kinds for own in some])
        self.features = [features(*about) for about in zip(self.members, self.profiles, shape, below, kinds, strict=True)]
        self.trees = [tree_lines(members) if trees else [] for members in self.members]
        self.sequences = [consensus(c.mean) for c in self.clusters]
        known = [c.rms_distance for c in self.clusters if c.rms_distance is not None]
        self.many = len(self.clusters) > MANY
        self._beside: dict[int, list[Told]] = {}
        self.mixed = summary.accuracy is not None and summary.accuracy < MIXED
        self.usual_spread = float(np.median(known)) if known else 0.0

    def cards(self) -> list[dict[str, Any]]:
        """One card for each cluster, in the order of the summary."""
        return [self.card(cluster) for cluster in self.clusters]

    def card(self, cluster: ClusterSummary, network: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What the page says about one cluster; `network` is what it says of its matrix."""
        label, evidence = cluster.label, self.evidence
        typical, odd, doubtful = self._chosen(self.rows[label], cluster.size)
        among = "" if len(self.rows[label]) == cluster.size else f", of the {len(self.rows[label]):,} drawn here"
        border = f"at least {percent(BORDER)} of the way to another mean, whose cluster begins at 50%"
        nearest = f"to the mean{self._without_nodes(label, among)}{self._doubtful_too(typical)}"
        groups = (
            {"what": "Nearest", "why": nearest, "members": typical},
            {"what": "Odd", "why": f"farthest from the mean{self._doubtful_too(odd)}", "members": odd},
            {"what": "Doubtful", "why": f"near a border: {border}{among}", "members": doubtful},
        )
        tight = cluster.rms_distance
        near = [
            {"label": int(c), "name": self.clusters[c].name, "distance": number(float(d))}
            for c, d in zip(evidence.ways.neighbours[label], evidence.ways.neighbour_distances[label], strict=True)
            if c >= 0
        ]
        apart = self._contrasts(cluster, self.clusters[evidence.ways.neighbours[label][0]]) if near else []
        said, plain = self._told(cluster), self._plain(cluster) if cluster.size else ""
        known = {kind for one in said for kind in topics(one.key)}
        others = self._told_of_nearest(cluster) if len(self.clusters) > 2 else []
        beside = [one for one in others if not known & topics(one.key)]
        return {
            "label": label, "name": cluster.name, "size": cluster.size, "sampled": len(self.rows[label]),
            "classes": cluster.classes_in_words if cluster.mixture else "", "purity": cluster.purity, "mixture": _shares(cluster),
            "core": "" if self.trees[label] else _core_words(self.means[label], self.two_way), "tight": tight, "told": said,
            "told_of_some": any(len(some) < c.size for some, c in zip(self.members, self.clusters, strict=True)),
            "second": self._second(label), "tight_said": _tight_words(tight, self.usual_spread, cluster.size), "near": near,
            "unlike_nearest": beside[:OF_NEAREST],
            "apart": apart, "named": _named(apart), "small": self.pictures.small(label),
            "tree": [
                (line.level, line.kind, percent(line.share), f"×{line.times} {percent(line.share_of_times)}" * (line.times > 1))
                for line in self.trees[label]
            ],
            "sequence": self.sequences[label],
            "caption": self._caption(cluster, said, plain, network), "network": network,
            "plain": plain, "form": self._form(label, said), "silhouette": self._silhouette(label),
            "groups": [group for group in groups if group["members"]],
        }  # fmt: skip

    def _caption(
        self, cluster: ClusterSummary, said: list[Told], plain: str, network: Mapping[str, Any] | None
    ) -> list[str]:
        """What stands below a small picture, line by line: of mixed clusters the classes, the upper levels of a tree, and what
        sets the cluster apart where its classes do not say that."""
        if is_molecule(cluster.mean):  # a formula says more than classes
            told = said[:1] if self._unnamed(cluster) else []
            return [f"{one.what[0].upper()}{one.what[1:]} (others {one.there})" for one in told]
        lines = []
        if cluster.purity is not None and cluster.purity < 1:
            shares = whole_percents([count for _, count in cluster.mixture])
            named = zip(shares[: CLASSES if cluster.purity < PURE else 1], cluster.mixture, strict=False)
            lines.append(", ".join(f"{share}% {class_in_words(name)}" for share, (name, _) in named))
        if self.sequences[cluster.label]:
            lines.append(self.sequences[cluster.label] or "")
        if network is not None and network["caption"] and (network["leads"] or self._unnamed(cluster)):
            return lines + network["caption"][: 1 if self.many else SAID + network["is_central"]]
        if self._unnamed(cluster):
            most = 1 if self.many else OF_TREES if any(self.trees) else SAID
            words = [f"{one.what.removesuffix(' on average').removesuffix(',')} (others {one.there})" for one in said[:most]]
            drawn = self.placed or any(self.trees)  # then pictures show how large graphs are
            sized = lines or words if drawn else any(map(_SIZE.search, words))
            if (form := self.short_forms[cluster.label]) and EMPTY_WORDS not in "".join(words):
                lines.append(form)
                words = words[:1]
            if plain and not sized:
                lines.append(f"{plain} on average")
            shown, near = {one.key for one in said[: len(words)]}, self._told_of_nearest(cluster)
            if near and not shown & {one.key for one in near}:  # what is told would not tell it from the nearest cluster
                words = words[: max(most - 1, 1)]
            known = {kind for one in said for kind in topics(one.key)}
            for one in [one for one in near if not known & topics(one.key)][: most - len(words)]:
                words.append(_beside(one, self._nearest(cluster.label)))
            lines += [f"{text[0].upper()}{text[1:]}" for text in words]
        return lines

    def _unnamed(self, cluster: ClusterSummary) -> bool:
        """Whether its classes do not say what a cluster is: there are none, they are numbers, or others are of the same one."""
        majority = cluster.majority
        return majority is None or self.mixed or majority.isdigit() or sum(c.majority == majority for c in self.clusters) > 1

    def _silhouette(self, label: int) -> str:
        """The mean silhouette width of a cluster, as the profile shows it; "" where that is not known."""
        found = self.evidence.silhouettes
        if found is None:
            return ""
        widths = found.widths[self.labels[found.rows] == label]
        if not len(widths):
            return ""
        among = "" if found.error is None else f" (of {len(widths)} of its members)"
        beside = ": members are nearer to those of another cluster, on average" if widths.mean() < 0 else ""
        return f"{widths.mean():.2f}{among}".replace("-", "−") + beside

    def _second(self, label: int) -> str:
        """The root mean square distance of members to the second nearest mean of each; "" if there is only one mean."""
        rows = np.array([n for n in self.rows[label] if self.evidence.fair[n]], dtype=np.int64)
        there = self.evidence.second_distance[rows]
        if not len(rows) or not np.isfinite(there).all():
            return ""
        known = self.evidence.second_matched[rows].all()
        return f"{'' if known else 'at most '}{number(significant(float(np.sqrt(np.mean(there**2))), 4))}"

    def _plain(self, cluster: ClusterSummary) -> str:
        """How large the graphs of a cluster are on average; nothing where most have no nodes."""
        of = self.profiles[cluster.label]
        if of["nodes in a graph"] < 0.5:
            return ""
        called = dict(zip((NODES, EDGES), _called(cluster.mean), strict=True))
        shown = [(number(significant(of[key], 3)), f"{what}s") for key, what in called.items()]
        return " and ".join(f"{count} {what}" for count, what in shown if count != "0")

    def _form(self, label: int, said: list[Told]) -> str:
        """What most members are; nothing where another sentence says that: of sequences, and of empty graphs."""
        return "" if self.sequences[label] or any(EMPTY_WORDS in one.what for one in said) else self.forms[label]

    def _told(self, cluster: ClusterSummary) -> list[Told]:
        """What sets the members apart from those of all other clusters, for the first sentence of a card."""
        if not cluster.size or len(self.clusters) < 2 or is_labelled(cluster.mean):
            return []
        others = [c.label for c in self.clusters if c.label != cluster.label]
        return self._unlike(cluster, others, MOST)

    def _told_of_nearest(self, cluster: ClusterSummary) -> list[Told]:
        """What sets the members apart from those of the nearest cluster, all of it."""
        near = self._nearest(cluster.label)
        if near < 0 or not cluster.size or is_labelled(cluster.mean) or not self.clusters[near].size:
            return []
        if cluster.label not in self._beside:
            self._beside[cluster.label] = self._unlike(cluster, [near], None)
        return self._beside[cluster.label]

    def _unlike(self, cluster: ClusterSummary, others: Sequence[int], most: int | None) -> list[Told]:
        names = dict(zip(("node", "edge"), _called(cluster.mean), strict=True))
        theirs, sizes = [self.features[c] for c in others], [self.clusters[c].size for c in others]
        return list(told(self.features[cluster.label], theirs, sizes, self.spread, names, most))

    def _nearest(self, label: int) -> int:
        """The nearest of the other clusters, -1 if there is none."""
        near = self.evidence.ways.neighbours[label]
        return int(near[0]) if len(near) else -1

    def _contrasts(self, cluster: ClusterSummary, other: ClusterSummary) -> list[Contrast]:
        """What sets a cluster apart from its nearest neighbour; nothing if one of them is empty."""
        if not (cluster.size and other.size):
            return []
        if is_labelled(cluster.mean) and is_labelled(other.mean):
            return connection_contrasts(cluster.mean, other.mean)
        names = [str(n) if n else "" for n in node_numbers(self.pictures.drawings[cluster.label])]
        mapping = self.evidence.ways.mappings[cluster.label, other.label]
        of_means = mean_contrasts(self.means[cluster.label], self.means[other.label], mapping, names)
        of_members = profile_contrasts(self.profiles[cluster.label], self.profiles[other.label], self.spread)
        return of_means + of_members

    def _chosen(self, rows: list[int], size: int) -> tuple[list[int], list[int], list[int]]:
        """Members of a card: the nearest, the farthest, and of the others the nearest to another cluster than their own.

        What is called nearest is nearest of all members, whether drawn or not.
        """
        few = len(self.clusters) > 60
        nearest = OF_MOLECULES if any(is_molecule(mean) for mean in self.means) else TYPICAL
        typical, odd, doubtful = (n // 2 if few else n for n in (nearest, ODD, DOUBTFUL))
        if len(rows) < size:
            typical, odd = min(typical, self.evidence.nearest), min(odd, self.evidence.farthest)
        near = rows[:typical]
        if alike := [n for n in near if n in self.empty]:
            near = [n for n in near if n not in alike[1:]]
            rows = [n for n in rows if n not in self.empty or n in near]
        far = [n for n in rows[::-1][:odd] if n not in near]
        named = {*near, *far}
        by_way = sorted((n for n in rows if n not in named), key=lambda n: -self.way[n])  # the nearest first among equals
        return near, far, [n for n in by_way[:doubtful] if self.doubtful[n]]

    def _without_nodes(self, label: int, among: str) -> str:
        """How many members have no nodes, where one of them stands for all."""
        count = len(self.empty.intersection(self.rows[label]))
        return f"; one of {count:,} without nodes{among.replace(', of', ' among')}" if count > 1 else ""

    def _doubtful_too(self, rows: list[int]) -> str:
        """What is said of typical and odd members that are doubtful, too: these are shown once."""
        doubtful = sum(self.doubtful[n] for n in rows)
        if not doubtful:
            return ""
        return f"; {'all' if doubtful == len(rows) > 1 else doubtful} of them also near a border"


#: The end of a line about a node or an edge: their numbers, and the kinds of these nodes.
_ABOUT = re.compile(r"(?:^| )(?:node (\d+)|edge (\d+)–(\d+))(?: \(.*\))?$")


#: What says how large graphs are.
_SIZE = re.compile(r"^(?:more|fewer) (?:nodes|edges|atoms|bonds)")


#: How differences begin that say in which direction: of sizes, extents and places.
_MORE = re.compile(r"((?:more|fewer) [a-z]+|wider|narrower|taller|less tall|further to the \w+|higher up|lower down), (.*)")


def _beside(one: Told, label: int) -> str:
    """A difference from one other cluster in few words: more than what is said, where it says so."""
    what = one.what.removesuffix(" on average").removesuffix(",")
    more = _MORE.fullmatch(what)
    return f"{more[1]} than cluster {label}, {more[2]} ({one.there})" if more else f"{what} (cluster {label}: {one.there})"


def _named(lines: list[Contrast]) -> str:
    """The numbers of the nodes that these lines name."""
    found = [_ABOUT.search(line.what) for line in lines]
    return " ".join(sorted({n for hit in found if hit for n in hit.groups() if n}, key=int))


def _spread(rows: list[int], most: int = COMPARED) -> list[int]:
    """At most so many of the rows, from the first to the last: the nearest alone would be more alike than all are."""
    return rows if len(rows) <= most else [rows[n * len(rows) // most] for n in range(most)]


def _called(mean: MeanGraph) -> tuple[str, str]:
    """What nodes and edges are called."""
    return ("atom", "bond") if is_molecule(mean) else ("node", "edge")


def _core_words(mean: MeanGraph, two_way: bool = False) -> str:
    """How many parts of the mean at least half of the members have, each by itself: no member need have all of them."""
    core = mean.cut(0.5)
    node, edge = _called(mean)
    if not core.n_nodes:
        return f"no {node} is common to half of the members"
    count = len({frozenset(ends) for ends in core.edges.tolist()}) if two_way else core.n_edges
    edges = f" and {counted(count, edge) if count else f'no {edge}'}" if mean.n_edges else ""
    are = "is" if core.n_nodes == 1 and not edges else "are each"
    return f"{counted(core.n_nodes, node)}{edges} of the mean {are} found in at least half of the members"


def _tight_words(tight: float | None, usual: float, size: int) -> str:
    if tight is None:
        return ""
    if size == 1:
        return "the only member"
    if usual <= 0 or abs(tight / usual - 1) < 0.15:
        return "about as tight as the median cluster"
    return f"{percent(abs(tight / usual - 1))} {'tighter' if tight < usual else 'looser'} than the median cluster"


def _shares(cluster: ClusterSummary, most: int = 6) -> list[dict[str, Any]]:
    """The most frequent classes with their counts, and the rest together as "others"."""
    rows = list(cluster.mixture[:most])
    rest = sum(count for _, count in cluster.mixture[most:])
    if rest:
        rows.append(("others", rest))
    return [{"name": class_in_words(name), "count": count, "share": count / cluster.size} for name, count in rows]
