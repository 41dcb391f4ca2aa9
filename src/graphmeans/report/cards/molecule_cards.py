"""What the page shows of clusters of molecules: the medoid, the common core with its variation, scaffolds and properties.

The alignments are those that the page has anyway, and some more, so that supports are counted over members from the nearest to
the farthest. Without RDKit, or for graphs that were not made of
molecules, there are no such cards, and the page shows mean graphs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from graphmeans.chemistry.core import LEVELS, Core, rings_of
from graphmeans.chemistry.describe import ClusterChemistry, named, ranges_of_all
from graphmeans.chemistry.drawing import MoleculePicture
from graphmeans.chemistry.members import Aligned, ClusterMolecules, Molecules, made_of_molecules, spread
from graphmeans.chemistry.names.series import SeriesName, Share, set_apart
from graphmeans.chemistry.names.titles import FEW
from graphmeans.chemistry.names.words import BENZENE, PHENYL
from graphmeans.chemistry.profile import PROPERTIES, Range, Scaffold, scaffold_in_words
from graphmeans.chemistry.toolkit import part
from graphmeans.chemistry.variation import Place, Variation
from graphmeans.evaluation.fitted import align_as_fitted, centers_of, points_of
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.matching.auto import Auto
from graphmeans.report.facts.evidence import QUICK_EFFORT, Evidence
from graphmeans.report.facts.report_graphs import ReportGraphs
from graphmeans.report.facts.summary import ClusteringSummary
from graphmeans.report.sentences.contrasts import Contrast

#: Places of a core that are named; groups at each of them, where there are many or few places, and classes of further groups;
#: members that are drawn by RDKit.
PLACES, GROUPS, MANY_GROUPS, FEW_PLACES, CLASSES, DRAWN = 8, 4, 10, 3, 6, 1500
_RING = re.compile(r" (to|with) R\d+(, R\d+)*")
#: Lines about single nodes and edges, and what these are in molecules.
_ATOM = {"node ": "atom ", "edge ": "bond "}
_NODE = re.compile(r"\b(node|edge) (?=\d)")
#: Medians of properties that differ by this share of their range are told.
DIFFERENT = 0.2
#: Groups that fewer of the members have are counted together, and those that less than the second share have by their classes.
RARE, OFTEN = 0.05, 0.1
#: Longer names of groups give way to their classes.
LONG = 40
#: A group, its share, and its class.
Row = tuple[str, float, str]
#: Supports are counted over so many members of each cluster at least and at most; what has to be matched for that may be this
#: share of the matchings of the fit, or so many.
FEWEST, ALIGNED, SHARE, CHEAP = 8, 40, 0.05, 600
#: A core is large if at least this share of the members contain it, and it has a ring system other than benzene, or more than a
#: benzene ring that is at least the second share of the medoid's atoms; else the page says that none is.
MOST, LARGE = 0.6, 0.5
#: A scaffold is named on a tile if so many members have it. Medoids whose pictures are larger, in pixels, get a broad tile.
OF_A_SCAFFOLD, BROAD = 0.2, 400
#: Scaffolds and properties are counted over all members of collections up to this size, else over those on the page.
MOST_COUNTED = 20_000


class MoleculeCards:
    """The chemistry of every cluster, and what the page needs of it."""

    def __init__(self, estimator: Any, summary: ClusteringSummary, evidence: Evidence, graphs: ReportGraphs) -> None:
        self._molecules = molecules = Molecules(graphs)
        self._labels = summary.labels
        sample = evidence.sample.tolist()
        self._place = {row: n for n, row in enumerate(sample)}
        self.whole = len(graphs) <= MOST_COUNTED
        self.names = dict(zip(sample, graphs.names(sample), strict=True))
        self.known = {row: molecules.aligned(row, evidence.mappings[n]) for n, row in enumerate(sample)}
        members = [[int(i) for i in c.members if self.whole or int(i) in self.known] for c in summary.clusters]
        spent = int(estimator.n_matchings_) + int(estimator.n_seeding_matchings_)
        most = int(np.clip(max(SHARE * spent, CHEAP) / max(len(members), 1), FEWEST, ALIGNED))
        counted = [spread(rows, most) for rows in members]
        missing = [row for rows in counted for row in rows if row not in self.known]
        mappings, self.matchings = _mappings(estimator, graphs, missing)
        more = dict(zip(missing, mappings, strict=True))
        self.clusters: dict[int, ClusterChemistry] = {}
        for c, rows, some in zip(summary.clusters, members, counted, strict=True):
            if rows:
                aligned = [self.known[row] if row in self.known else molecules.aligned(row, more[row]) for row in some]
                held = ClusterMolecules(c.label, rows, [molecules[row] for row in rows], aligned)
                self.clusters[c.label] = ClusterChemistry(held)
        named(list(self.clusters.values()))
        self._all = ranges_of_all(list(self.clusters.values()))

    def shape(self, row: int) -> FloatArray | None:
        """Where the nodes of a member stand in RDKit's picture of it: it is laid out once, for all that shows it."""
        cluster = self.clusters[int(self._labels[row])]
        return self._molecules.positions(row, cluster.laid_out(self.known[row]))

    def card(self, label: int) -> dict[str, Any] | None:
        """What the card of a cluster says of its molecules."""
        if label not in self.clusters:
            return None
        cluster = self.clusters[label]
        medoid, best = cluster.medoid, cluster.core
        cores = [self._core(cluster, core, core is best) for core in cluster.cores]
        return {
            "medoid": {
                "name": self.names[medoid.row], "smiles": part("Chem").MolToSmiles(medoid.molecule),
                "svg": Markup(_picture(cluster.medoid_picture(), f"Medoid of cluster {label}")),
                "place": self._place[medoid.row],
            },
            "aligned": len(cluster.molecules.aligned), "counted": len(cluster.molecules), "cores": cores,
            "levels": " ".join(str(n) for n in _levels(cluster)), "supports": [round(100 * s) for s in LEVELS[::-1]],
            "best": next((round(100 * core.support) for core in cluster.cores if core is best), 50),
            "broad": max(cluster.member_picture(medoid).box[2:]) > BROAD,
            "scaffolds": [self._scaffold(cluster, row) for row in cluster.scaffolds],
            "small_core": _has_small_core(cluster), "title": cluster.series.title or "Mixed molecules",
            "facts": _facts(cluster), "shared": _shared(cluster),
            "series": _series(cluster.series, len(cluster.molecules)),
            "n_scaffolds": len(set(cluster.all_scaffolds)), "properties": self._properties(cluster),
            "medians": _medians(cluster),
        }  # fmt: skip

    def _scaffold(self, cluster: ClusterChemistry, row: Scaffold) -> dict[str, Any]:
        picture = cluster.scaffold_picture(row)
        share = _said(row.members / len(cluster.molecules), len(cluster.molecules))
        said = f"Scaffold of {share} {'of the ' if share.endswith('%') else ''}members: {row.smiles}"
        return {
            "smiles": row.smiles or "no ring", "share": share,
            "svg": None if picture is None else Markup(_picture(picture, said)),
        }  # fmt: skip

    def apart(self, label: int, other: int, lines: list[Contrast]) -> list[Contrast]:
        """In what a cluster differs from another one, as a chemist would say it, and then atom by atom.

        `lines` is what is said of any graphs: averages over nodes say little of molecules and are left out.
        """
        if label not in self.clusters or other not in self.clusters:
            return lines
        here, there = self.clusters[label], self.clusters[other]
        rows = [Contrast(row.what, _percent(row.here), _percent(row.others), 1.0) for row in set_apart(here.series, there.series)]
        for name in [name for name in here.ranges if name in there.ranges]:
            one, two, every = here.ranges[name], there.ranges[name], self._all[name]
            if abs(one.median - two.median) >= DIFFERENT * (every.high - every.low) > 0:
                unit = f", {PROPERTIES[name]}" if PROPERTIES[name] else ""
                rows.append(Contrast(f"{name}{unit}: median (middle four fifths)", _range(one), _range(two), 1.0))
        atoms = [line for line in lines if _NODE.search(line.what)]
        return rows + [line._replace(what=_NODE.sub(lambda found: _ATOM[found[0]], line.what)) for line in atoms]

    def _core(self, cluster: ClusterChemistry, core: Core, best: bool) -> dict[str, Any]:
        few_atoms = _is_small(cluster, core)
        variation = Variation((), 0) if few_atoms else cluster.variation(core)
        named = [place for place in variation.places if place.what]
        most_varied = sorted(named, key=lambda place: (place.what[0][1], place.name))[:PLACES]
        shown = _together(sorted(most_varied, key=lambda place: (place.name[0], int(place.name[1:]))))
        groups = GROUPS
        if len(shown) <= FEW_PLACES:  # further groups are named that at least two members have
            often = max((sum(share * variation.compared > 1.5 for _, share in place.what) for place in shown), default=0)
            groups = int(np.clip(often, GROUPS, MANY_GROUPS))
        picture = cluster.core_picture(core, places=not few_atoms)
        return {
            "best": best, "support": round(100 * core.support), "atoms": len(core.atoms), "smiles": core.smiles,
            "smarts": core.smarts, "share": _said(core.share, core.of), "count": core.count, "of": core.of,
            "small": few_atoms, "rings": bool(rings_of(core)), "few": core.of < FEW,
            "several": bool(core.elements), "smiles_share": _said(core.smiles_count / core.of, core.of),
            "svg": Markup(_picture(picture, f"Common core of cluster {cluster.label}: {core.smiles}")),
            "places": [_place(place, groups, variation.compared, core.count) for place in shown],
            "hidden": len(named) - len(most_varied), "compared": variation.compared,
        }  # fmt: skip

    def _properties(self, cluster: ClusterChemistry) -> list[dict[str, Any]]:
        rows = []
        for name, here in cluster.ranges.items():
            everywhere = self._all[name]
            low, high = min(here.low, everywhere.low), max(here.high, everywhere.high)
            span = max(high - low, 1e-9)
            rows.append({
                "name": name, "unit": PROPERTIES[name], "here": _range(here), "all": _range(everywhere),
                "median": f"{100 * (here.median - low) / span:.1f}",
                **{
                    f"{key}_{end}": f"{value:.1f}"
                    for key, row in (("here", here), ("all", everywhere))
                    for end, value in (
                        ("left", 100 * (row.low - low) / span), ("width", max(100 * (row.high - row.low) / span, 1.5))
                    )
                },
            })  # fmt: skip
        return rows

    def symbols(self, means: Markup) -> Markup:
        """The pictures that the page refers to: `m3` is the medoid of cluster 3, and `mean3` its mean."""
        found = str(means)
        for label, cluster in self.clusters.items():
            picture = cluster.member_picture(cluster.medoid)
            found = found.replace(f'id="m{label}"', f'id="mean{label}"')
            box = " ".join(map(str, picture.box))
            found += f'<symbol id="m{label}" class="mol" viewBox="{box}">{picture.inner()}</symbol>'
        return Markup(found)

    def add_members(self, data: dict[str, Any]) -> None:
        """Name the medoid of each cluster in the data of the page, and add RDKit's pictures of members.

        There is room for so many; the nearest and the farthest come first.
        """
        by_rank = []
        for cluster in self.clusters.values():
            drawn = [self.known[row] for row in cluster.molecules.rows if row in self.known]
            by_rank += [(rank, cluster, member) for rank, member in enumerate(_ends_first(drawn))]
        by_rank.sort(key=lambda row: row[0])
        for label, cluster in self.clusters.items():
            data["clusters"][label]["medoid"] = self._place[cluster.medoid.row]
        for _, cluster, member in by_rank[:DRAWN]:
            data["members"][self._place[member.row]]["mol"] = cluster.member_picture(member, support=True).data()


def molecule_cards(
    estimator: Any, summary: ClusteringSummary, evidence: Evidence, graphs: ReportGraphs
) -> MoleculeCards | None:
    """The chemistry of the clusters; None if the graphs were not made of molecules, or RDKit is not there."""
    if not made_of_molecules(graphs, evidence.sample.tolist()):
        return None
    return MoleculeCards(estimator, summary, evidence, graphs)


def _mappings(estimator: Any, graphs: ReportGraphs, rows: list[int]) -> tuple[list[IntArray], int]:
    """Alignments of members to the means of their clusters, with little effort where the fit kept none; how many were matched."""
    if not rows:
        return [], 0
    quick = replace(estimator.space_, matcher=Auto(effort=QUICK_EFFORT))
    points = points_of(estimator, [graphs[row] for row in rows])
    found, matched = align_as_fitted(estimator, quick, points, centers_of(estimator), rows)
    return [found.mapping(p) for p in range(len(rows))], matched


def _has_small_core(cluster: ClusterChemistry) -> bool:
    """Whether there is a core, but no large part is common to most of the members."""
    core = cluster.core
    return core is not None and (core.share < MOST or _is_small(cluster, core))


def _is_small(cluster: ClusterChemistry, core: Core) -> bool:
    """Whether a core says little by itself: what varies around it is then not told."""
    rings = rings_of(core)
    large = len(core.atoms) >= LARGE * cluster.medoid.molecule.GetNumAtoms() and (len(core.atoms) > 6 or not rings)
    return not (large or rings - {BENZENE})


def _facts(cluster: ClusterChemistry) -> list[tuple[str, str]]:
    """What a tile says below the title, each with its kind.

    Of how many the title is true, sizes, the most frequent scaffold, how two phenyl rings are joined, and what sets it apart.
    """
    series, of = cluster.series, len(cluster.molecules)
    found: list[tuple[str, str]] = []
    if series.title and series.share > 0:
        share = _said(series.share, of)
        true = "But for the mass, true of" if "g/mol" in series.title else "True of"
        found.append(("true", f"{true} {share}{' of them' if share.endswith('%') else ''}, {_percent(series.others)} of others"))
    middle = cluster.middle
    if not np.isnan(middle["weight"].median):
        rings = _between(middle["rings"])
        rings = "No ring" if rings == "0" else f"{rings} ring{'' if rings == '1' else 's'}"
        found.append(("size", f"{rings}, {_between(middle['heavy atoms'])} heavy atoms, {_between(middle['weight'])} g/mol"))
    first = cluster.scaffolds[0]
    if first.smiles and first.members >= max(OF_A_SCAFFOLD * of, 2):
        found.append(("scaffold", f"Scaffold: {scaffold_in_words(first.smiles)} {_said(first.members / of, of)}"))
    if series.phenyls is not None:
        have, low, high = series.phenyls
        apart = f"{low}–{high} atoms" if low < high else "bound to each other" if not high else f"{low} atom{'s' * (low > 1)}"
        between = apart if not high else f"{apart} between them"
        found.append(("phenyls", f"Two or more phenyl rings: {_said(have, of)}, {between}"))
    said = [row for row in series.apart if series.phenyls is None or row.what != f"two or more {PHENYL}s"]
    if said:
        told = ", ".join(f"{row.what} {_said(row.here, of)} ({_percent(row.others)})" for row in said)
        found.append(("unlike", f"More than elsewhere: {told}"))
    return found


def _between(row: Range) -> str:
    low, high = round(row.low), round(row.high)
    return f"{low}–{high}" if low < high else str(low)


def _shared(cluster: ClusterChemistry) -> list[dict[str, Any]]:
    """What many members have, whether others have it or not; what is listed above it is left out."""
    above = {row.what for row in cluster.series.words}
    of = len(cluster.molecules)
    return [
        {"text": row.what, "share": row.here, "said": _said(row.here, of), "others": _percent(row.others)}
        for row in cluster.series.frequent if row.what not in above
    ]  # fmt: skip


def _series(series: SeriesName, of: int) -> dict[str, Any]:
    """How many members have all that the title says, and what else many of them have."""
    def rows(shares: tuple[Share, ...]) -> list[dict[str, Any]]:
        return [
            {"text": row.what, "share": row.here, "said": _said(row.here, of), "others": _percent(row.others)} for row in shares
        ]

    exact = series.title.lower() == series.lead.lower()
    return {
        "named": bool(series.title) and series.share > 0, "share": _said(series.share, of), "others": _percent(series.others),
        "are": "what the title says" if exact else series.lead, "medoid": series.medoid, "words": rows(series.words),
        "joined": [{"text": what, "share": share, "said": _said(share, of)} for what, share in series.joined],
    }  # fmt: skip


def _medians(cluster: ClusterChemistry) -> str:
    """The properties of a cluster in a line."""
    found = {name: _range(row).split(" ")[0] for name, row in cluster.ranges.items()}
    said = [f"{found['weight']} g/mol", f"logP {found['logP']}", f"TPSA {found['TPSA']} Å²"] if found else []
    return ", ".join([*said, f"{found['rings']} ring{'' if found['rings'] == '1' else 's'}"]) if found else ""


def _picture(picture: MoleculePicture, label: str) -> str:
    box = " ".join(map(str, picture.box))
    return f'<svg class="mol" viewBox="{box}" role="img" aria-label="{escape(label)}">{picture.inner()}</svg>'


def _levels(cluster: ClusterChemistry) -> list[int]:
    """For each support of the slider, from the lowest, the number of the core with that support; -1 where there is none."""
    found = []
    for support in LEVELS[::-1]:
        fitting = [n for n, core in enumerate(cluster.cores) if core.support >= support - 1e-9]
        found.append(max(fitting, default=-1))
    return found


def _together(places: list[Place]) -> list[Place]:
    """Two places at which the same rings are bound, in the same members, become one line."""
    found: list[Place] = []
    for place in places:
        plain = tuple((_RING.sub("", text), share) for text, share in place.what)
        with_it = re.compile(rf" (to|with) {place.name}\b")
        before = next((n for n, other in enumerate(found) if with_it.search(str(other))), None)
        if before is not None and tuple((_RING.sub("", text), share) for text, share in found[before].what) == plain:
            found[before] = Place(f"{found[before].name}, {place.name}", place.atom, plain, place.classes)
        else:
            found.append(place)
    return found


def _place(place: Place, groups: int, of: int = 100, count: int = 0) -> dict[str, Any]:
    """What stands at a place: so many of the most frequent groups by name, then classes, and how many others there are.

    Of `of` members that were compared; if these are not all of `count`, shares are told as counts.
    """
    kinds = place.classes or ("",) * len(place.what)
    rows: list[Row] = [(text, share, kind) for (text, share), kind in zip(place.what, kinds, strict=True)]
    several = bool(place.classes) and len(rows) > groups
    least = max(OFTEN, 1.5 / of) if several else RARE
    named = [row for row in rows[:groups] if row[1] >= least and not (row[2] and len(row[0]) > LONG)]
    named = named or rows[: int(not place.classes)]
    rest = [row for row in rows if row not in named]
    if len(rest) == 1 and rest[0][1] >= RARE:  # a single one is named, and not counted
        named, rest = rows, []
    told = [(text, share) for text, share, _ in named]
    if place.classes:
        by_class, rest = _classes(rest, {kind for _, _, kind in named}, max(RARE, 1.5 / of))
        told += by_class
    told.sort(key=lambda row: -row[1])
    in_words = (lambda share: f"{round(share * of)} of {of}") if of < count else (lambda share: _said(share, of))
    what = [{"text": text, "share": share, "said": in_words(share)} for text, share in told]
    others = in_words(sum(share for _, share, _ in rest))
    return {"name": place.name, "what": what, "others": len(rest), "others_share": others}


def _classes(rows: list[Row], named: set[str], least: float) -> tuple[list[tuple[str, float]], list[Row]]:
    """The frequent classes of groups that are not named themselves, and the groups that are in none of these."""
    members: dict[str, list[Row]] = {}
    for row in rows:
        members.setdefault(row[2] or row[0], []).append(row)
    shares = {kind: sum(share for _, share, _ in some) for kind, some in members.items()}
    frequent = [kind for kind in sorted(shares, key=lambda kind: (-shares[kind], kind)) if shares[kind] >= least][:CLASSES]
    told = []
    for kind in frequent:
        alone = members[kind][0][0] if len(members[kind]) == 1 else ""
        told.append((alone if 0 < len(alone) <= LONG else f"other {kind}" if kind in named else kind, shares[kind]))
    return told, [row for kind, some in members.items() if kind not in frequent for row in some]


def _said(share: float, of: int) -> str:
    """A share of so many molecules in per cent; of few, how many of them."""
    return f"{round(share * of)} of {of}" if of < FEW else _percent(share)


def _percent(share: float) -> str:
    """A share in whole per cent; what is rare stays above 0, and what is not everything below 100."""
    return f"{min(max(round(100 * share), 1), 99 if share < 1 else 100)}%" if share > 0 else "0%"


def _range(row: Range) -> str:
    digits = 0 if row.high >= 20 or row == tuple(map(round, row)) else 1
    low, median, high = (f"{value:.{digits}f}".replace("-0.0", "0.0") for value in row)
    return f"{median} ({low} to {high})"


def _ends_first(members: list[Aligned]) -> list[Aligned]:
    """Members from both ends in turn: the nearest, the farthest, the second nearest, ..."""
    half = (len(members) + 1) // 2
    near, far = members[:half], members[half:][::-1]
    return [member for pair in zip_longest(near, far) for member in pair if member is not None]
