"""Cards of molecules: what they say is right, and in a browser the slider works by mouse and keyboard."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from test_report_browser import AXE, Tab, browser  # noqa: F401

import graphmeans as gm
from effort import thorough
from graphmeans.chemistry import Place
from graphmeans.chemistry.names.series import set_apart
from graphmeans.report import write_report
from graphmeans.report.cards.molecule_cards import _percent, _place, _range, _said
from graphmeans.report.words import breakable
from reports import HOSTILE, drawings, fitted
from series import three_series

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    graphs, scaffolds = three_series()
    estimator = fitted(graphs, 3)
    path = write_report(tmp_path_factory.mktemp("molecules") / "series.html", estimator=estimator, graphs=graphs)
    return graphs, scaffolds, estimator, path


def card_of(text: str, label: int) -> str:
    return text[text.index(f'<article class="cluster" id="cluster-{label}"') :].split("</article>")[0]


def test_the_medoid_leads_the_core_stands_beside_it_and_the_mean_comes_last(page):
    text = page[3].read_text()
    for label in range(3):
        card = card_of(text, label)
        order = [card.index(f'class="{name}"') for name in ("medoid", "core", "last")]
        assert order == sorted(order)
        assert f"#mean{label}" in card[order[2] :]
        assert f'href="#m{label}"' not in card
        assert f'<symbol id="m{label}" class="mol"' in text
        assert f'<symbol id="mean{label}"' in text


def test_the_card_shows_the_core_with_the_share_of_members_that_contain_it(page):
    graphs, _, estimator, path = page
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        card = card_of(path.read_text(), cluster.label)
        shown = re.findall(r"<dt>SMARTS</dt><dd><code>(.*?)</code>", card)
        said = re.findall(r"<figcaption><b>(\d+) of (\d+)</b> members? contains? it", card)
        assert shown
        for smarts, (said_count, of) in zip(shown, said, strict=True):
            query = Chem.MolFromSmarts(smarts)
            members = [graphs[i].origin for i in np.flatnonzero(estimator.labels_ == cluster.label)]
            count = sum(m.HasSubstructMatch(query) for m in members)
            assert int(of) == len(members)
            assert int(said_count) == count
        weight = cluster.ranges["weight"]
        assert f"{weight.median:.0f} ({weight.low:.0f} to {weight.high:.0f})" in card


def test_tiles_and_cards_say_what_the_members_are_and_how_many_of_them(page):
    graphs, _, estimator, path = page
    text = path.read_text()
    tiles = re.findall(r'<li data-c="(\d+)">(.*?)</li>', text[text.index('id="means"') :].split("</ul>")[0], re.S)
    assert len(tiles) == 3
    for label, tile in tiles:
        (cluster,) = [c for c in gm.chemistry.read_clusters(estimator, graphs) if c.label == int(label)]
        title = cluster.series.title
        card = card_of(text, int(label))
        assert f">{breakable(title)}</small>" in tile
        assert f'<span class="title">{title}</span>' in card
        of = len(cluster.molecules)
        exact = cluster.series.title.lower() == cluster.series.lead.lower()
        said = "what the title says" if exact else cluster.series.lead
        assert f"<b>{_said(cluster.series.share, of)}</b> members are {said}" in card
        assert ("The medoid is not one of them." in card) == (not cluster.series.medoid)
        assert f"and {_percent(cluster.series.others)} of all other molecules" in card
        assert f"{len(cluster.molecules)} molecules" in tile
        for word in cluster.series.words:
            assert f"{word.what} <b>{_said(word.here, of)}</b> <i>others {_percent(word.others)}</i>" in card
        assert "Unlike the others" not in card
        assert re.search(r"\d+ atoms? and \d+ bonds? of the mean", card)


def test_tiles_tell_sizes_shares_and_scaffolds_as_rdkit_counts_them(page):
    from rdkit.Chem.Descriptors import MolWt
    from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles

    graphs, _, estimator, path = page
    text = path.read_text()
    tiles = dict(re.findall(r'<li data-c="(\d+)"[^>]*>(.*?)</li>', text[text.index('id="means"') :].split("</ul>")[0], re.S))
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        lines = re.findall(r'"fact (\w+)">(.*?)</small>', tiles[str(cluster.label)])
        facts = {kind: re.sub("<[^>]*>", "", said) for kind, said in lines}
        members = [graph.origin for graph, label in zip(graphs, estimator.labels_, strict=True) if label == cluster.label]
        numbers = ([m.GetRingInfo().NumRings() for m in members], [m.GetNumHeavyAtoms() for m in members], map(MolWt, members))
        said = []
        for values in numbers:
            low, high = np.quantile(list(values), (0.25, 0.75), method="nearest")
            said.append(f"{low:.0f}–{high:.0f}" if round(low) < round(high) else f"{low:.0f}")
        rings = "No ring" if said[0] == "0" else f"{said[0]} ring{'s' * (said[0] != '1')}"
        assert facts["size"] == f"{rings}, {said[1]} heavy atoms, {said[2]} g/mol"
        of = len(members)
        share = f"{_said(cluster.series.share, of)}{' of them' * (of >= 20)}"
        assert facts["true"] == f"True of {share}, {_percent(cluster.series.others)} of others"
        counts = Counter(MurckoScaffoldSmiles(mol=m, includeChirality=False) for m in members).most_common()
        often = counts[0][1]
        assert ("scaffold" in facts) == (often >= max(0.2 * of, 2) and cluster.scaffolds[0].smiles != "")
        if "scaffold" in facts:
            assert facts["scaffold"].endswith(f" {_said(often / of, of)}")
        for row in cluster.series.apart:
            assert f"{row.what} {_said(row.here, of)} ({_percent(row.others)})" in facts["unlike"]


def test_of_a_small_core_no_groups_are_listed_but_what_members_share(tmp_path):
    ends = ("CCCCCCCO", "OC(C)CSCCN", "C(=O)N(CC)CCCl", "NC(C)CC(C)CO", "CCCCO", "CCOCCO")
    graphs = gm.from_smiles([f"c9ccccc9{end}" for end in ends])
    card = card_of(write_report(tmp_path / "page.html", estimator=fitted(graphs, 1), graphs=graphs).read_text(), 0)
    shown = next(part for part in card.split('class="level"')[1:] if "hidden" not in part.split(">")[0])
    assert "A part so small says little" in shown
    assert ">R1<" not in shown
    assert '<details class="profile" open>' in card
    found = dict(re.findall(r">([^<>]+) <b>(\d) of 6</b>", card))
    query = Chem.MolFromSmarts("[OX2H1][CX4;!$(C([OX2])[OX2H1])]")
    assert int(found["alcohol"]) == sum(graph.origin.HasSubstructMatch(query) for graph in graphs)


def test_groups_of_a_sample_are_told_as_counts_of_those_looked_at():
    what = (("H", 0.5), ("Cl", 0.5))
    rows = _place(Place("R1", 0, what, ("", "halogen")), 4, 22, 67)
    assert [row["said"] for row in rows["what"]] == ["11 of 22", "11 of 22"]
    assert [row["said"] for row in _place(Place("R1", 0, what, ("", "halogen")), 4, 22, 22)["what"]] == ["50%", "50%"]


def test_the_legend_of_shades_and_lines_stands_where_these_are_and_not_below_the_tiles(page):
    text = page[3].read_text()
    assert text.count('aria-label="How to read the pictures"') == 1
    assert text.index('id="clusters"') < text.index('aria-label="How to read the pictures"') < text.index('id="cards"')


def test_large_medoids_have_broad_tiles(tmp_path):
    graphs = gm.from_smiles(["C" * 40, "C" * 41, "CCO", "CCN"])
    estimator = fitted(graphs, 2)
    text = write_report(tmp_path / "page.html", estimator=estimator, graphs=graphs).read_text()
    broad = re.findall(r'<li data-c="(\d)" class="broad">', text)
    assert broad == [str(estimator.labels_[0])]


def test_the_card_shows_scaffolds_as_pictures_with_their_shares_and_properties_in_a_line(page):
    graphs, _, estimator, path = page
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        part = card_of(path.read_text(), cluster.label)
        shown = part[part.index('class="scaffolds"') : part.index("</section>")]
        assert shown.count("<li>") == len(cluster.scaffolds)
        assert shown.count("<svg") == sum(row.smiles != "" for row in cluster.scaffolds)
        shares = [f"{row.members} of {len(cluster.molecules)}" for row in cluster.scaffolds]
        assert shares == re.findall(r"<b>(\d+ of \d+)</b>", shown)
        assert f"Properties: <span>{cluster.ranges['weight'].median:.0f} g/mol, logP" in part


def test_what_sets_clusters_apart_is_said_in_words_of_chemists_and_then_atom_by_atom(page):
    graphs, _, estimator, path = page
    clusters = {c.label: c for c in gm.chemistry.read_clusters(estimator, graphs)}
    for label, cluster in clusters.items():
        part = card_of(path.read_text(), label)
        part = part[part.index('class="apart"') :].split("</details>")[0]
        other = clusters[int(re.search(r'<th scope="col">cluster \d+</th><th scope="col">cluster (\d+)</th>', part)[1])]
        assert f"What sets it apart from Cluster {other.label} · {other.series.title}" in part
        rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td></tr>', part)
        expected = [(row.what, _percent(row.here), _percent(row.others)) for row in set_apart(cluster.series, other.series)]
        assert expected
        assert rows[: len(expected)] == expected
        assert not any(re.match(r"mean |share of |.*\b(node|edge)s?\b", what) for what, _, _ in rows)


def test_what_is_mixed_is_called_mixed_on_the_tile_and_on_the_card(tmp_path):
    smiles = ["c1ccncc1CC", "CCOCCBr", "CC(=O)OCC", "C1CCNCC1", "c1ccoc1", "C1CCOC1", "Cn1cccn1", "OB(O)CC"]
    graphs = gm.from_smiles(smiles)
    text = write_report(tmp_path / "page.html", estimator=fitted(graphs, 1), graphs=graphs).read_text()
    assert re.search(r"<small[^>]*>Mixed", text)
    assert '<span class="title">Mixed' in card_of(text, 0)
    assert "is common to 60% of the members" in card_of(text, 0)
    assert "are what the title says" not in card_of(text, 0)


def test_a_small_core_is_called_one_and_a_ring_system_with_a_name_is_not(tmp_path):
    def card(smiles):
        graphs = gm.from_smiles(smiles)
        return card_of(write_report(tmp_path / "page.html", estimator=fitted(graphs, 1), graphs=graphs).read_text(), 0)

    ends = ("CCCCCCCO", "OC(C)CSCCN", "C(=O)N(CC)CCCl", "NC(C)CC(C)CO")
    said = "No large part is common to most of the members."
    assert said in card([f"c9ccccc9{end}" for end in ends])
    assert said not in card([f"c9ccncc9{end}" for end in ends])
    assert said not in card([f"Cc9ccc(O)c(C)c9{end}" for end in ("F", "Cl", "Br", "I")])


def test_members_are_drawn_by_rdkit_from_numbers_and_known_letters(page):
    text = page[3].read_text()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
    late = [json.loads(part) for part in re.findall(r'id="members-\d+">(.*?)</script>', text, re.S)]
    pictures = [row["mol"] for part in late for row in part]
    assert len(pictures) == len(page[0])
    for picture in pictures:
        assert all(re.fullmatch(r"[MLQZz\d .,-]+", d) for d in picture["s"].values())
        assert all(len(letter[4]) == 1 for letter in picture.get("t", []))
    for row, cluster in enumerate(data["clusters"]):
        medoid = data["graphs"][cluster["medoid"]]
        assert medoid["r"] == min(g["r"] for g in data["graphs"] if g["c"] == row)


def test_graphs_without_molecules_keep_their_page(tmp_path):
    text = write_report(tmp_path / "page.html", estimator=fitted(drawings(8), 2), graphs=drawings(8)).read_text()
    assert 'class="medoid"' not in text
    assert "moleculePicture(m)" not in text
    assert 'href="#m0"' in text


def test_names_of_molecules_are_escaped(tmp_path):
    molecules = [Chem.MolFromSmiles(text) for text in ("c1ccccc1O", "c1ccccc1N", "c1ccccc1C", "c1ccccc1F", "c1ccccc1")]
    for molecule, name in zip(molecules, HOSTILE, strict=True):
        molecule.SetProp("_Name", name)
    graphs = gm.from_rdkit(molecules)
    text = write_report(tmp_path / "page.html", estimator=fitted(graphs, 1), graphs=graphs).read_text()
    assert "<script>alert" not in text
    assert "<img src=x" not in text


def test_shares_and_ranges_are_rounded_so_that_they_stay_true():
    from graphmeans.chemistry.profile import Range

    assert [_percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0%", "1%", "50%", "99%", "100%"]
    assert _range(Range(1.0, 2.0, 3.0)) == "2 (1 to 3)"
    assert _range(Range(-0.04, 1.26, 2.5)) == "1.3 (0.0 to 2.5)"


def test_where_few_places_vary_all_that_stands_there_is_named():
    what = tuple((name, 0.1) for name in ("Br", "Cl", "F", "I", "CN", "OH", "H", "SH", "NO₂", "NH₂"))
    assert _place(Place("R1", 0, what), 10)["others"] == 0
    assert (len(_place(Place("R1", 0, what), 4)["what"]), _place(Place("R1", 0, what), 4)["others"]) == (4, 6)
    assert _place(Place("R1", 0, what[:5]), 4)["others"] == 0  # a single one is named instead of counted
    rare = (("H", 0.94), ("Br", 0.02), ("Cl", 0.02), ("F", 0.02))
    assert (len(_place(Place("R1", 0, rare), 4)["what"]), _place(Place("R1", 0, rare), 4)["others"]) == (1, 3)


def test_groups_that_few_have_are_told_by_their_classes_and_all_shares_add_up():
    often = (("H", 0.4, ""), ("CH₃", 0.12, "alkyl"))
    few = [*((f"chain{n}", 0.03, "alkyl") for n in range(8)), *((f"ring{n}", 0.03, "aryl") for n in range(7))]
    rows = [*often, *few, ("CN", 0.03, "nitrile")]
    place = Place("R1", 0, tuple((text, share) for text, share, _ in rows), tuple(kind for _, _, kind in rows))
    row = _place(place, 4, 100)
    assert [(one["text"], one["said"]) for one in row["what"]] == [
        ("H", "40%"), ("other alkyl", "24%"), ("aryl", "21%"), ("CH₃", "12%"),
    ]  # fmt: skip
    assert (row["others"], row["others_share"]) == (1, "3%")


def test_groups_with_long_names_are_told_by_their_classes():
    what = (("*C1C(O)C(O)C(O)OC1COC1C(O)C(O)C(O)OC1COC(C)=O", 0.5), ("H", 0.2), ("CH₃", 0.1), ("F", 0.1), ("Cl", 0.1))
    row = _place(Place("R1", 0, what, ("heterocyclyl", "", "alkyl", "halogen", "halogen")), 4)
    assert [one["text"] for one in row["what"]] == ["heterocyclyl", "H", "CH₃", "F", "Cl"]
    assert (row["others"], sum(one["share"] for one in row["what"])) == (0, pytest.approx(1))


def test_shares_of_few_molecules_are_counts():
    assert [_said(2 / 9, 9), _said(2 / 9, 90), _said(1 / 3, 3), _said(1.0, 19), _said(1.0, 20)] == [
        "2 of 9", "22%", "1 of 3", "19 of 19", "100%",
    ]  # fmt: skip
    what = (("H", 0.5), ("Cl", 0.5))
    assert [row["said"] for row in _place(Place("R1", 0, what, ("", "halogen")), 4, 4)["what"]] == ["2 of 4", "2 of 4"]


# -- in a browser --------------------------------------------------------------------------------------


@pytest.fixture
def tab(browser, page):  # noqa: F811
    return Tab(browser, page[3])


def shown(tab: Tab, label: int) -> str:
    return tab.js(f"document.querySelector('#cluster-{label} .level:not([hidden]) code')?.textContent ?? ''")


def test_the_slider_chooses_the_core_by_keyboard_and_mouse(page, tab):
    from selenium.webdriver.common.keys import Keys

    graphs, _, estimator, _ = page
    label = int(estimator.labels_[0])
    cluster = next(c for c in gm.chemistry.read_clusters(estimator, graphs) if c.label == label)
    assert len(cluster.cores) > 1
    tab.open()
    slider = f"#cluster-{label} .support input"
    assert shown(tab, label) == cluster.core.smiles
    tab.focus(slider)
    tab.press(Keys.END)
    assert tab.js(f"document.querySelector('{slider}').value") == "100"
    assert shown(tab, label) == cluster.core_at(1.0).smiles
    tab.press(Keys.HOME)
    assert shown(tab, label) == cluster.cores[-1].smiles
    assert tab.js(f"document.querySelector('{slider}').getAttribute('aria-valuetext')").startswith("20%: ")
    assert f"{_said(cluster.cores[-1].share, cluster.cores[-1].of)} members contain" in tab.js(
        f"document.querySelector('{slider}').getAttribute('aria-valuetext')"
    )
    tab.click(slider)  # in its middle, which is at 60 %
    fitting = [core for core in cluster.cores if core.support >= 0.6 - 1e-9]
    assert shown(tab, label) == fitting[-1].smiles
    assert tab.errors() == []


def test_a_locant_on_a_tile_looks_as_the_rest_of_its_name_does(tab):
    tab.open()
    assert tab.js(
        "(() => { const small = document.querySelector('.gallery small'), span = document.createElement('span');"
        " small.append(span); const one = getComputedStyle(span), all = getComputedStyle(small);"
        " return one.display === 'inline' && one.color === all.color && one.fontSize === all.fontSize; })()"
    )


def test_the_search_finds_titles(page, tab):
    graphs, _, estimator, _ = page
    titles = {c.label: c.series.title for c in gm.chemistry.read_clusters(estimator, graphs)}
    assert len(set(titles.values())) == 3
    tab.open()
    for label, title in titles.items():
        word = title.split()[0].lower()
        tab.js(f"document.getElementById('search').value = {word!r}")
        tab.js("document.getElementById('search').dispatchEvent(new Event('input'))")
        wanted = sorted(str(other) for other, said in titles.items() if word in said.lower())
        assert str(label) in wanted
        tab.until(
            "[...document.querySelectorAll('article.cluster:not([hidden])')].map(a => a.dataset.c).sort().join() === "
            f"'{','.join(wanted)}'"
        )
    assert tab.errors() == []


def test_a_member_opens_beside_its_medoid(page, tab):
    tab.open()
    tab.click("#cluster-0 .medoid .open")
    assert tab.js("document.querySelector('dialog[open] .beside svg.mol') !== null")
    tab.press("\ue00c")
    tab.until("document.querySelector('#cluster-0 .members .thumb svg.mol') !== null")
    medoid = tab.js("JSON.parse(document.getElementById('data').textContent).clusters[0].medoid")
    tab.js(f"document.querySelector('#cluster-0 .members .thumb:not([data-g=\\'{medoid}\\'])').click()")
    assert tab.js("document.querySelectorAll('dialog[open] .beside svg.mol').length") == 2
    assert tab.errors() == []


@pytest.mark.parametrize("scheme", ["light", thorough("dark")])
def test_cards_of_molecules_are_accessible_and_fit_any_width(tab, scheme):
    if AXE is None:
        pytest.skip("no axe-core-python: the page is not checked for accessibility")
    tab.open(scheme=scheme)
    tab.js("document.querySelectorAll('article details').forEach(d => { d.open = true; })")
    assert tab.axe() == []
    for width in (360, 768, 1440):
        tab.open(width=width, scheme=scheme)
        tab.js("document.querySelectorAll('article details').forEach(d => { d.open = true; })")
        assert tab.overflow() == []
    assert tab.errors() == []
