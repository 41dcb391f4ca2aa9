"""What is read of clusters of molecules: the core is the planted scaffold, what varies is what was enumerated."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import GraphError
from graphmeans.chemistry.depiction import CLASH, _exit_bond, core_with_places, turned_to
from graphmeans.chemistry.drawing import draw
from graphmeans.chemistry.groups import class_of
from graphmeans.chemistry.members import Aligned, cluster_molecules, made_of_molecules, spread
from graphmeans.chemistry.names.bound_to import BOUND_TO, kind_of_atom
from graphmeans.chemistry.profile import ranges
from graphmeans.chemistry.toolkit import part
from reports import drawings, fitted
from series import ANILIDES, enumerated, three_series

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")


@pytest.fixture(scope="module")
def series():
    graphs, scaffolds = three_series()
    return graphs, scaffolds, fitted(graphs, 3)


def one_cluster(smiles):
    graphs = gm.from_smiles(smiles)
    return graphs, gm.chemistry.read_clusters(fitted(graphs, 1), graphs)[0]


def places(found):
    """What stands at each place, in counts."""
    return [Counter({text: round(share * found.compared) for text, share in place.what}) for place in found.places]


def test_the_core_of_a_planted_series_is_its_scaffold(series):
    graphs, scaffolds, estimator = series
    for label in range(3):
        members = np.flatnonzero(estimator.labels_ == label)
        assert len({scaffolds[i] for i in members}) == 1
        core = gm.chemistry.common_core(estimator, graphs, label, support=1.0)
        assert core.smiles == Chem.CanonSmiles(scaffolds[members[0]])
        assert core.share == 1.0


def test_the_share_of_members_is_confirmed_by_substructure_search(series):
    graphs, _, estimator = series
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        assert cluster.cores
        for core in cluster.cores:
            query = Chem.MolFromSmarts(core.smarts)
            members = [graphs[i].origin for i in np.flatnonzero(estimator.labels_ == cluster.label)]
            assert core.count == sum(m.HasSubstructMatch(query) for m in members)
            assert core.of == len(members)
            assert core.host.molecule.HasSubstructMatch(query)


def test_cores_grow_as_the_support_falls_and_so_many_members_contain_them(series):
    graphs, _, estimator = series
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        sizes = [core.size for core in cluster.cores]
        assert sizes == sorted(set(sizes))
        assert [core.support for core in cluster.cores] == sorted((c.support for c in cluster.cores), reverse=True)
        for core in cluster.cores:
            assert core.share >= core.support - 1e-9
            assert core.count > 1
            assert all(core.host.nodes[a] >= 0 for a in core.atoms)
            assert len(Chem.GetMolFrags(core.query)) == 1


def test_a_core_is_in_as_many_members_as_the_support_says_also_where_its_parts_are_in_different_ones():
    # Each chlorine, methyl and ethyl stands in two thirds of the members, and no two of them in more than a third.
    smiles = [f"O=C(O)c1ccc({a})c({b})c1" for a, b in (("Cl", "C"), ("CC", "C"), ("Cl", "CC"))] * 7
    _, cluster = one_cluster(smiles)
    members = cluster.molecules.molecules
    for support in (1.0, 0.9, 0.6, 0.5, 0.3, 0.05):
        core = cluster.core_at(support)
        assert core.count == sum(m.HasSubstructMatch(Chem.MolFromSmarts(core.smarts)) for m in members)
        assert core.share >= support
    assert cluster.core_at(1.0).smiles == "Cc1cccc(C(=O)O)c1"


def test_of_more_members_than_are_searched_all_that_contain_a_core_are_counted(monkeypatch):
    monkeypatch.setattr("graphmeans.chemistry.core.SEARCHED", 5)
    smiles = [f"c1ccccc1{end}" for end in ("CCO", "CCN", "CCO", "CF", "Cl", "CCO", "CCCO", "Br", "CCOC", "N")]
    _, cluster = one_cluster(smiles)
    for core in cluster.cores:
        assert core.count == sum(m.HasSubstructMatch(core.query) for m in cluster.molecules.molecules)
        assert core.share >= core.support - 1e-9


def test_the_core_that_is_shown_first_says_more_than_benzene_where_half_of_the_members_have_more():
    _, cluster = one_cluster([*(f"CN1CCC({end})CC1" for end in ("O", "N", "C")), "c1ccccc1Cl", "Cc1ccccc1", "OCc1ccccc1"])
    assert cluster.core.smiles == "CN1CCCCC1"
    # ... and a thiophene says more than a benzene ring with a methyl group that is as frequent.
    _, cluster = one_cluster([f"Cc1ccc({link}c2cccs2)cc1" for link in ("O", "C", "N", "S", "CC")])
    assert Chem.MolFromSmiles(cluster.core.smiles).HasSubstructMatch(Chem.MolFromSmarts("c1ccsc1"))


def test_a_core_may_have_two_rings_and_what_links_them():
    ends = ("C", "O", "Cl", "F", "N", "Br")
    _, cluster = one_cluster([f"O=C(C=Cc1ccc({a})cc1)c1ccccc1{b}" for a, b in zip(ends, ends[::-1], strict=True)])
    assert cluster.core.smiles == "O=C(C=Cc1ccccc1)c1ccccc1"


def test_supports_are_the_shares_that_counting_by_hand_gives(series):
    graphs, _, estimator = series
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        medoid, members = cluster.medoid, cluster.molecules.aligned
        for a, share in enumerate(cluster.frame.atom_support(medoid)):
            mine = medoid.molecule.GetAtomWithIdx(a)
            alike = 0
            for member in members:
                at = [b for b, node in enumerate(member.nodes) if node == medoid.nodes[a] >= 0]
                others = [member.molecule.GetAtomWithIdx(b) for b in at]
                alike += any(
                    o.GetSymbol() == mine.GetSymbol() and o.GetIsAromatic() == mine.GetIsAromatic() for o in others
                )
            assert share == pytest.approx(alike / len(members))


def test_a_shaded_bond_is_one_between_the_same_atoms():
    # All have something at the ring; the one bromine is not shaded by the bonds that others have to carbon there.
    _, cluster = one_cluster(["Cc1ccccc1"] * 6 + ["Clc1ccccc1"] * 3 + ["Brc1ccccc1"])
    by_kind = {member.molecule.GetAtomWithIdx(0).GetSymbol(): member for member in cluster.molecules.aligned}
    for symbol, share in (("C", 0.6), ("Cl", 0.3), ("Br", 0.1)):
        member = by_kind[symbol]
        assert cluster.frame.bond_support(member)[0] == pytest.approx(1)
        links, atoms = cluster.frame.link_support(member), cluster.frame.atom_support(member)
        assert links[0] == pytest.approx(share) == atoms[0]
        assert links[1:] == pytest.approx([1] * 6)
        assert all(link <= min(atoms[i], atoms[j]) for link, (i, j, _) in zip(links, member.bonds, strict=True))
        # The darkest line must not lie under the atom that few have: it has a shade of its own tenth.
        under = dict(cluster.member_picture(member, support=True).support)
        assert under[round(10 * share)].count("L") == 1
        assert under[10].count("L") == 6


def test_what_varies_is_what_was_enumerated():
    smiles, counts = enumerated(ANILIDES, ["H", "F", "Cl"], ["H", "CH₃", "OCH₃"])
    _, cluster = one_cluster(smiles)
    core = cluster.core_at(1.0)
    assert core.smiles == "CC(=O)Nc1ccccc1"
    found = cluster.variation(core)
    # Both ortho positions are alike: all groups are found at the same of the two.
    assert sorted(places(found), key=str) == sorted(counts, key=str)
    assert found.compared == len(smiles)
    assert [place.name for place in found.places] == ["R1", "R2"]


def test_an_atom_of_a_ring_at_which_elements_differ_belongs_to_the_core_and_is_named():
    smiles = ["CCNC(=O)c1ccc(Cl)cc1", "CCNC(=O)c1ccc(Cl)nc1", "CCNC(=O)c1ccc(Cl)cc1C", "CCNC(=O)c1ccc(Cl)nc1C"]
    _, cluster = one_cluster(smiles)
    core = cluster.core_at(0.9)
    assert len(core.atoms) == 12
    assert core.count == 4
    named = {place.name: dict(place.what) for place in cluster.variation(core).places}
    assert named == {"R1": {"H": 0.5, "CH₃": 0.5}, "X1": {"C": 0.5, "N": 0.5}}


def test_groups_that_close_a_ring_say_with_which_place():
    _, cluster = one_cluster([*["OCc1ccccc1CC"] * 3, "OC1CCCc2ccccc21"])
    core = cluster.core_at(1.0)
    assert core.smiles == "CCc1ccccc1CO"
    said = {place.name: dict(place.what) for place in cluster.variation(core).places}
    assert sorted(said) == ["R1", "R2"]
    assert said["R1"]["CH₂ bridge to R2"] == said["R2"]["CH₂ bridge to R1"] == 0.25


def test_rings_that_are_fused_with_the_core_and_bonds_within_it_are_said_in_words():
    _, cluster = one_cluster(["CCc1ccccc1C(=O)O", "CCc1ccccc1C(=O)O", "CCc1ccc2ccccc2c1C(=O)O"])
    texts = {text for place in cluster.variation(cluster.core_at(1.0)).places for text, _ in place.what}
    assert texts == {"H", "fused ring with R1", "fused ring with R2"}
    _, cluster = one_cluster(["CCCCCCO", "CCCCCCO", "OC1CCCCC1"])
    texts = {text for place in cluster.variation(cluster.core_at(1.0)).places for text, _ in place.what}
    assert {text for text in texts if "bond" in text} == {"bond to R1", "bond to R2"}


def test_a_ring_system_that_is_closed_twice_with_the_same_place_is_named_once():
    _, cluster = one_cluster([*(f"CCCC{end}" for end in ("O", "N", "S", "F", "Cl")), "OC12CCC(CC1)CC2"])
    places = cluster.variation(cluster.core_at(1.0)).places
    texts = {place.name: dict(place.what) for place in places}
    assert texts["R1"]["OH + bicyclo[2.2.2]octane ring with R2"] == 1 / 6
    assert texts["R2"] == {"H": 5 / 6, "bicyclo[2.2.2]octane ring with R1": 1 / 6}


def test_a_ring_is_spiro_only_at_a_ring_of_the_core():
    _, cluster = one_cluster([f"CNC(=O)c1ccccc1{group}" for group in ("OC", "OC", "OCC", "OC1CC1")])
    (place,) = cluster.variation(cluster.core_at(1.0)).places
    assert dict(place.what) == {"H": 0.5, "CH₃": 0.25, "cyclopropane ring (with this C)": 0.25}
    _, cluster = one_cluster(["CC1CCN(C)CC1", "CC1CCN(C)CC1", "C1CC12CCN(C)CC2", "O=C1CCC(=O)N1C1CCN(C)CC1"])
    texts = {text for place in cluster.variation(cluster.core_at(1.0)).places for text, _ in place.what}
    assert "spiro ring of 3 atoms" in texts


def test_a_ring_is_fused_only_where_it_shares_a_bond_of_a_ring_of_the_core():
    # The bond from nitrogen to the benzene ring is in no ring of any of these.
    ends = ("NC", "N1CCOCC1", "N1CCN(C)CC1", "N1CCCC1=O", "N1CCCCC1=O")
    _, cluster = one_cluster([f"Clc9ccc({end})cc9" for end in ends])
    core = cluster.core_at(1.0)
    assert core.smiles == "CNc1ccc(Cl)cc1"
    said = {place.name: dict(place.what) for place in cluster.variation(core).places}
    rings = ("morpholine", "piperazine", "pyrrolidin-2-one", "piperidin-2-one")
    assert {f"{ring} ring with R2" for ring in rings} < set(said["R1"])
    assert {f"{ring} ring with R1" for ring in rings} < set(said["R2"])
    assert not any("fused" in text or "=O" in text for what in said.values() for text in what)
    kinds = {kind for place in cluster.variation(core).places for kind in place.classes}
    assert {"ring with R1", "lactam ring with R1", "ring with R2", "lactam ring with R2"} <= kinds


def test_a_ring_at_an_atom_outside_of_rings_of_the_core_has_its_name_and_is_not_spiro():
    groups = ("N1C(=O)CCC1=O", "NC(C)=O", "NC(=O)N(C)C", "NS(C)(=O)=O")
    _, cluster = one_cluster([f"Clc9ccc({group})cc9" for group in groups])
    core = cluster.core_at(1.0)
    assert core.smiles == "Nc1ccc(Cl)cc1"
    (place,) = cluster.variation(core).places
    assert dict(place.what)["succinimide ring (with this N)"] == 0.25
    assert sorted(place.classes) == ["amide", "lactam ring (with this N)", "sulfonamide", "urea"]


@pytest.mark.parametrize(("on", "smarts", "name", "example"), [(on, *row) for on, rows in BOUND_TO.items() for row in rows])
def test_what_a_group_makes_with_its_atom_is_that_of_its_example(on, smarts, name, example):
    assert class_of(example, on) == name
    assert Chem.MolFromSmiles(example).HasSubstructMatch(Chem.MolFromSmarts(smarts))
    assert class_of("*CCC", on) == "alkyl"


@pytest.mark.parametrize(("smiles", "atom", "core", "kind"), [
    ("CNc1ccccc1", 1, {0, 1}, "N"), ("CNC(C)=O", 1, {1, 2, 4}, "amide N"), ("COC", 1, {0, 1}, "O"),
    ("CC(=O)N", 1, {0, 1, 2}, "CO"), ("CC(=O)N", 1, {0, 1}, ""), ("CNC(=O)N", 2, {1, 2, 3}, "NCO"),
    ("COC(=O)N", 2, {1, 2, 3}, "OCO"), ("CS(=O)(=O)N", 1, {0, 1}, "SO₂"), ("CSC", 1, {0, 1}, "S"), ("CCC", 1, {0, 1}, ""),
])  # fmt: skip
def test_kinds_of_atoms_that_carry_groups(smiles, atom, core, kind):
    assert kind_of_atom(Chem.MolFromSmiles(smiles).GetAtomWithIdx(atom), core) == kind


def test_an_atom_that_carries_one_group_or_two_is_drawn_without_hydrogen():
    def drawn(ends):
        _, cluster = one_cluster([f"Clc9ccc({end})cc9" for end in ends])
        core = cluster.core_at(1.0)
        assert core.smiles == "Nc1ccc(Cl)cc1"
        piece, labels = core_with_places(core, cluster.variation(core), cluster.laid_out(core.host))
        (place,) = labels
        (nitrogen,) = piece.GetAtomWithIdx(place).GetNeighbors()
        return nitrogen.GetSymbol(), nitrogen.GetTotalNumHs()

    assert drawn(["NC(C)=O", "NS(C)(=O)=O", "N(CC#N)S(=O)(=O)Br"]) == ("N", 0)
    assert drawn(["NC(C)=O", "NS(C)(=O)=O", "NBr", "N"]) == ("N", 1)


def test_a_place_that_is_a_nitrile_in_the_host_is_not_drawn_in_line():
    _, cluster = one_cluster([f"Fc1cccc(Br)c1C{end}" for end in ("#N", "#N", "(=O)O", "O", "N")])
    core = next(core for core in cluster.cores if core.smiles == "Cc1c(F)cccc1Br")
    piece, labels = core_with_places(core, cluster.variation(core), cluster.laid_out(core.host))
    assert labels
    assert not any(letter == "C" for *_, letter in draw(piece, labels=labels).letters)


def test_two_groups_at_the_end_of_a_core_are_named_with_its_atom():
    ends = ("C(=O)O", "C(=O)N(CC)CC", "C(=O)OC", "CO")
    _, cluster = one_cluster([f"Brc1ccccc1{end}" for end in ends])
    (place,) = cluster.variation(cluster.core_at(1.0)).places
    assert dict(place.what) == dict.fromkeys(
        ("COOH (with this C)", "CON(CH₂CH₃)₂ (with this C)", "COOCH₃ (with this C)", "OH"), 0.25
    )
    kinds = dict(zip((text for text, _ in place.what), place.classes, strict=True))
    assert kinds["COOH (with this C)"] == "acid (with this C)"
    assert kinds["CON(CH₂CH₃)₂ (with this C)"] == "amide (with this C)"


def test_where_an_atom_can_carry_nothing_it_does_not_carry_hydrogen():
    smiles = ["CCNC(=O)c1ccc(Cl)cc1", "CCNC(=O)c1ccc(Cl)nc1", "CCNC(=O)c1ccc(Cl)cc1", "CCNC(=O)c1ccc(Cl)c(F)c1"]
    _, cluster = one_cluster(smiles)
    core = cluster.core_at(1.0)
    (x1,) = [place for place in cluster.variation(core).places if place.name == "X1"]
    (r1,) = [place for place in cluster.variation(core).places if place.atom == x1.atom and place.name == "R1"]
    assert dict(x1.what) == {"C": 0.75, "N": 0.25}
    assert dict(r1.what) == {"H": 0.5, "F": 0.25, "nothing": 0.25}


def test_places_that_carry_hydrogen_only_are_none_and_shares_add_up():
    ends = ("C", "O", "Cl", "F", "N", "Br")
    _, cluster = one_cluster([f"O=C(C=Cc1ccc({a})cc1)c1ccccc1{b}" for a, b in zip(ends, ends[::-1], strict=True)])
    for core in cluster.cores:
        for place in cluster.variation(core).places:
            assert {text for text, _ in place.what} != {"H"}
            assert sum(share for _, share in place.what) == pytest.approx(1)
            assert len(place.classes) == (0 if place.name.startswith("X") else len(place.what))


def test_places_are_numbered_clockwise_around_the_picture():
    _, cluster = one_cluster(["Cc1c(Cl)c(F)c(O)c(N)c1Br", "Cc1c(Cl)c(O)c(F)c(N)c1Br", "Cc1c(Br)c(F)c(O)c(N)c1Cl", "c1ccccc1"])
    core = cluster.core_at(1.0)
    names = [place for place in cluster.variation(core).places if place.name.startswith("R")]
    points = cluster.laid_out(core.host).GetConformer().GetPositions()[:, :2]
    middle = points[list(core.atoms)].mean(axis=0)
    x, y = (points[[place.atom for place in names]] - middle).T
    angles = np.arctan2(x, y) % (2 * np.pi)
    assert len(names) == 6
    assert (np.diff(np.round(angles, 4) % 6.2831) > 0).all()


def test_classes_of_groups():
    assert [class_of(f"*{group}") for group in ("CCO", "C1CCNCC1", "c1cc[nH]c1", "S(=O)(=O)NC", "NC(C)=O", "=O", "[Hg]")] == [
        "substituted alkyl", "heterocyclyl", "heteroaryl", "sulfonamide", "acylamino", "oxo", "other group",
    ]  # fmt: skip


def test_a_place_is_drawn_with_a_single_bond_though_the_medoid_has_a_triple_one_there():
    # The core ends with the carbon of a nitrile in the medoid; others carry groups at it that are bound singly.
    _, cluster = one_cluster(["CC(C)CC(C)C", "CC(C)CC(CO)CN", "CC(O)CC(C)CF"])
    for core in cluster.cores:
        drawn, labels = core_with_places(core, cluster.variation(core), cluster.laid_out(core.host))
        assert {str(bond.GetBondType()) for new in labels for bond in drawn.GetAtomWithIdx(new).GetBonds()} <= {"SINGLE"}
        assert _exit_bond(["N", "OH"]) == Chem.BondType.SINGLE == _exit_bond(["=O", "OH"])
    assert _exit_bond(["=O", "=S"]) == Chem.BondType.DOUBLE
    assert _exit_bond(["≡N"]) == Chem.BondType.TRIPLE
    assert _exit_bond([]) == Chem.BondType.SINGLE


def test_no_atom_of_a_core_is_drawn_as_a_radical():
    # A carbon with a hydrogen that is written, which carries two groups in the host, is drawn with one place.
    ends = ("[C@H](C)(Cl)", "[C@@H](C)(N)", "[C@@H](F)(O)")
    _, cluster = one_cluster([f"OC(=O)c1ccc(C{end})cc1" for end in ends])
    for core in cluster.cores:
        drawn, labels = core_with_places(core, cluster.variation(core), cluster.laid_out(core.host))
        assert labels
        assert not any(atom.GetNumRadicalElectrons() for atom in drawn.GetAtoms())
        assert all(atom.GetTotalValence() == 4 for atom in drawn.GetAtoms() if atom.GetSymbol() == "C")


def test_members_lie_as_the_medoid_does_where_they_contain_a_part_of_it_that_is_aligned_elsewhere():
    _, cluster = one_cluster([f"O=C(NCc1ccccc1)c1ccc({end})cc1" for end in ("Cl", "C", "O", "F", "N")])
    medoid, drawn = cluster.medoid, cluster.laid_out(cluster.medoid)
    other = next(member for member in cluster.molecules.aligned if member is not medoid)
    astray = Aligned(other.row, other.molecule, np.roll(other.nodes, 5))
    there, parts = drawn.GetConformer().GetPositions(), cluster._search.of_medoid
    here = turned_to(astray, medoid, drawn, parts).GetConformer().GetPositions()
    query = Chem.MolFromSmarts("O=C(NCc1ccccc1)c1ccccc1")
    (one,), (two,) = (m.GetSubstructMatches(query) for m in (medoid.molecule, other.molecule))
    carbonyl = [0, 1, 2, 3]
    assert here[[two[q] for q in carbonyl]] == pytest.approx(there[[one[q] for q in carbonyl]], abs=1e-3)


def test_the_same_group_twice_at_a_place_is_counted():
    _, cluster = one_cluster(["OCCc1ccccc1", "OCC(F)(F)c1ccccc1", "OCC(C)(C)c1ccccc1"])
    (place,) = cluster.variation(cluster.core_at(1.0)).places
    assert dict(place.what) == {"H": 1 / 3, "F₂": 1 / 3, "(CH₃)₂": 1 / 3}


def test_the_core_of_uracils_without_their_oxygen_is_a_ring_that_exists():
    smiles = ["CCn1ccc(=O)[nH]c1=O", "CCn1cnc(=O)nc1", "CCc1cncnc1", "CCc1ccnc(=O)[nH]1"]
    _, cluster = one_cluster(smiles)
    for core in cluster.cores:
        found = part("Chem").MolFromSmiles(core.smiles)
        assert found is not None, core.smiles
        drawn, _ = core_with_places(core, cluster.variation(core), cluster.laid_out(core.host))
        orders = {str(bond.GetBondType()) for bond in drawn.GetBonds() if bond.IsInRing()}
        assert orders != {"SINGLE"}  # an aromatic ring is not drawn as a saturated one


def test_the_smiles_of_a_core_has_the_most_frequent_elements():
    _, cluster = one_cluster(["CCNC(=O)c1ccc(Cl)nc1", *["CCNC(=O)c1ccc(Cl)cc1"] * 2, "CCNC(=O)c1ccc(Cl)cc1C"])
    core = cluster.core_at(1.0)
    assert core.elements
    assert core.smiles == "CCNC(=O)c1ccc(Cl)cc1"
    assert (core.count, core.smiles_count) == (4, 3)


def test_a_core_is_not_charged_by_what_its_host_carries():
    _, cluster = one_cluster(["CC[n+]1cccc2ccccc21", "Cc1ccc2ccccc2n1", "Oc1ccc2ccccc2n1", "CC[n+]1ccc(C)c2ccccc21"])
    assert [core.smiles for core in cluster.cores if len(core.atoms) == 10] == ["c1ccc2ncccc2c1"]


def test_a_place_that_carries_doubly_bound_oxygen_is_drawn_with_a_double_bond():
    _, cluster = one_cluster(["CN1c2ccccc2Sc2ccccc21", "CN1c2ccccc2Sc2ccccc21", "CN1c2ccccc2S(=O)c2ccccc21"])
    core = cluster.core_at(1.0)
    found = cluster.variation(core)
    assert [dict(place.what) for place in found.places] == [{"nothing": 2 / 3, "=O": 1 / 3}]
    drawn, labels = core_with_places(core, found, cluster.laid_out(core.host))
    (new,) = labels
    assert [str(bond.GetBondType()) for bond in drawn.GetAtomWithIdx(new).GetBonds()] == ["DOUBLE"]
    assert all(atom.GetTotalNumHs() == 0 for atom in drawn.GetAtoms() if atom.GetSymbol() == "S")


def test_a_member_is_not_drawn_with_atoms_on_each_other_for_the_sake_of_the_medoid():
    smiles = ["CCCCCCCCCCCC", "CCCCCCCCCCC", "CCCCCCCCCC", "C1CCCCCCCCCCC1.CCCCCCCC"]
    _, cluster = one_cluster(smiles)
    for member in cluster.molecules.aligned:
        points = cluster.laid_out(member).GetConformer().GetPositions()[:, :2]
        apart = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
        assert apart[~np.eye(len(points), dtype=bool)].min() > CLASH


def test_scaffolds_are_drawn_as_they_lie_in_a_member(series):
    for cluster in gm.chemistry.read_clusters(series[2], series[0]):
        for scaffold in cluster.scaffolds:
            picture = cluster.scaffold_picture(scaffold)
            assert (picture is None) == (scaffold.smiles == "")
            if picture is not None:
                assert ET.fromstring(picture.svg()) is not None


def test_rings_are_counted_in_whole_numbers():
    values = np.array([[100.0, 1.0, 10.0, 1.0], [110.0, 1.5, 12.0, 2.0]])
    assert all(value == round(value) for value in ranges(values)["rings"])
    assert ranges(values)["weight"].median == 105


def test_rings_are_whole_or_left_out():
    _, cluster = one_cluster(["CCCCC1CCCCC1", "CCCCC1CCCC1", "CCCCC1CCC1", "CCCCC1CCCCCC1"])
    for core in cluster.cores:
        host = core.host.molecule
        inside = set(core.atoms)
        for atom in core.atoms:
            rings = [ring for ring in host.GetRingInfo().AtomRings() if atom in ring]
            assert not rings or any(set(ring) <= inside for ring in rings)


def test_a_cluster_without_anything_in_common_has_no_core():
    _, cluster = one_cluster(["CCCCC", "O=S(=O)(O)O", "FC(F)(F)Cl", "[Na+].[Cl-]"])
    assert cluster.core_at(1.0) is None
    assert gm.chemistry.describe_clusters(*_fit(["CCCCC", "OS(=O)(=O)O", "FP(F)F", "[Na+].[Cl-]"]))[0]["size"] == 4


def _fit(smiles):
    graphs = gm.from_smiles(smiles)
    return fitted(graphs, 1), graphs


def test_the_table_has_a_row_for_each_cluster_with_medians_and_scaffolds(series):
    graphs, _, estimator = series
    rows = gm.chemistry.describe_clusters(estimator, graphs)
    assert [row["cluster"] for row in rows] == [0, 1, 2]
    for row in rows:
        members = np.flatnonzero(estimator.labels_ == row["cluster"])
        assert row["size"] == len(members)
        assert row["medoid"] == members[np.argmin(estimator.distances_[members])]
        weights = [part("Chem.Descriptors").MolWt(graphs[i].origin) for i in members]
        assert row["weight"] == pytest.approx(np.median(weights))
        murcko = part("Chem.Scaffolds.MurckoScaffold")
        known = Counter(murcko.MurckoScaffoldSmiles(mol=graphs[i].origin) for i in members)
        assert (row["scaffold"], round(row["scaffold_share"] * len(members))) in known.items()
        assert round(row["scaffold_share"] * len(members)) == max(known.values())


def test_molecules_themselves_can_be_given_too(series):
    graphs, _, estimator = series
    molecules = [graph.origin for graph in graphs]
    for ours, theirs in zip(*(gm.chemistry.describe_clusters(estimator, x) for x in (graphs, molecules)), strict=True):
        assert ours["core_smarts"] == theirs["core_smarts"]


def test_hydrogens_that_are_atoms_change_no_core():
    bare = [Chem.MolFromSmiles(text) for text in ("CC(=O)Nc1ccccc1", "CC(=O)Nc1ccccc1C", "CC(=O)Nc1ccc(F)cc1")]
    graphs = gm.from_rdkit([Chem.AddHs(molecule) for molecule in bare])
    cluster = gm.chemistry.read_clusters(fitted(graphs, 1), graphs)[0]
    assert cluster.core_at(1.0).smiles == "CC(=O)Nc1ccccc1"
    assert all(atom.GetAtomicNum() > 1 for atom in cluster.medoid.molecule.GetAtoms())


def test_members_lie_as_the_medoid_does(series):
    from graphmeans.chemistry.depiction import laid_out, shared_part, turned_to

    graphs, _, estimator = series
    for cluster in gm.chemistry.read_clusters(estimator, graphs):
        medoid = cluster.medoid
        drawn = laid_out(medoid.molecule)
        there = drawn.GetConformer().GetPositions()
        for member in cluster.molecules.aligned:
            pairs = shared_part(medoid, member)
            here = turned_to(member, medoid, drawn).GetConformer().GetPositions()
            assert len(pairs) >= 3
            for a, b in pairs:
                assert there[a] == pytest.approx(here[b], abs=1e-3)


def test_members_that_contain_the_core_show_it_as_the_medoid_does():
    tails = ("SCCNC(=O)Cc1ccc(SC)cc1", "NC(=S)NCCc1ccc(Cl)cc1", "NCC1CCN(C)CC1", "OCCCCCl", "NC(=O)c1ccccc1", "OC(=O)CCCC")
    _, cluster = one_cluster([f"C({tail})c9ccco9" for tail in tails])
    core, medoid = cluster.core, cluster.medoid
    assert core.host is medoid
    there = cluster.laid_out(medoid).GetConformer().GetPositions()
    for member in cluster.molecules.aligned:
        here = cluster.laid_out(member).GetConformer().GetPositions()
        ways = member.molecule.GetSubstructMatches(core.query, uniquify=False)
        assert any(here[list(way)] == pytest.approx(there[list(core.order)], abs=1e-3) for way in ways)


def test_pictures_are_svg_of_paths_and_letters_only(series):
    graphs, _, estimator = series
    cluster = gm.chemistry.read_clusters(estimator, graphs)[estimator.labels_[0]]
    picture = cluster.medoid_picture()
    root = ET.fromstring(picture.svg())
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags == {"svg", "style", "path", "text"}
    assert {"u10"} <= {c for element in root.iter() for c in element.get("class", "").split()}
    core = ET.fromstring(cluster.core_picture(cluster.core_at(1.0)).svg())
    letters = "".join(element.text for element in core.iter() if element.tag.endswith("text"))
    assert "R1" in letters
    assert "R2" in letters
    assert len(picture.svg(style=False)) < 4000


def test_a_charge_and_an_n_oxide_are_drawn_as_they_are():
    from graphmeans.chemistry.depiction import laid_out
    from graphmeans.chemistry.drawing import draw

    letters = [text for *_, text in draw(laid_out(Chem.MolFromSmiles("[O-][n+]1ccccc1"))).letters]
    assert sorted(letters) == ["+", "-", "N", "O"]
    wedge = draw(laid_out(Chem.MolFromSmiles("C[C@H](N)C(=O)O")))
    assert wedge.fills or len(re.findall("M", "".join(wedge.strokes.values()))) > 8


def test_graphs_that_were_not_made_of_molecules_are_refused_with_a_reason():
    graphs = drawings(6)
    assert not made_of_molecules(graphs, [0, 1])
    with pytest.raises(GraphError, match=r"graph \d was not made of a molecule"):
        gm.chemistry.describe_clusters(fitted(graphs, 2), graphs)
    good = gm.from_smiles(["CCO", "CCN", "CCC"])
    with pytest.raises(GraphError, match="support must be above 0 and at most 1"):
        gm.chemistry.common_core(fitted(good, 1), good, 0, support=50)
    with pytest.raises(GraphError, match="fitted to 3 graphs"):
        gm.chemistry.common_core(fitted(good, 1), good[:2], 0)


def test_members_are_taken_evenly_and_the_nearest_is_among_them(series):
    assert spread(list(range(10)), 4) == [0, 3, 6, 9]
    assert spread([5, 3], 4) == [5, 3]
    graphs, _, estimator = series
    for members in cluster_molecules(estimator, graphs, aligned=3):
        assert len(members.aligned) == 3
        assert members.aligned[0].row == members.rows[0]
        distances = estimator.distances_[members.rows]
        assert (np.diff(distances) >= 0).all()


def test_without_rdkit_the_reason_is_said(monkeypatch):
    import graphmeans.chemistry.toolkit as toolkit

    def missing(name):
        raise ImportError(name)

    toolkit.part.cache_clear()
    monkeypatch.setattr(toolkit, "import_module", missing)
    try:
        assert not toolkit.has_rdkit()
        with pytest.raises(GraphError, match="needs RDKit"):
            toolkit.part("Chem")
        assert not made_of_molecules(gm.from_smiles(["CCO"]), [0])
    finally:
        toolkit.part.cache_clear()


def test_an_unaligned_member_is_turned_all_the_same():
    from graphmeans.chemistry.depiction import laid_out, turned_to

    one, other = Chem.MolFromSmiles("c1ccccc1O"), Chem.MolFromSmiles("FC(F)(F)F")
    reference = Aligned(0, one, np.arange(7))
    member = Aligned(1, other, np.array([0, 1, 2, -1, -1]))
    assert turned_to(member, reference, laid_out(one)).GetNumConformers() == 1


@pytest.mark.parametrize("options", [{"fragments": "largest"}, {"hydrogens": "keep"}, {"standardise": "uncharge"}])
def test_molecules_are_read_as_the_encoder_of_the_fit_makes_graphs_of_them(options):
    smiles = ["CC(=O)Nc1ccccc1.[Na+].[Cl-]", "CC(=O)Nc1ccccc1C", "CC(=O)Nc1ccc(C[NH3+])cc1"]
    graphs = gm.from_smiles(smiles)
    estimator = fitted(graphs, 1, encoder=gm.MoleculeEncoder(**options))
    for given in (graphs, gm.from_smiles(smiles, **options)):
        core = gm.chemistry.common_core(estimator, given, 0, support=1.0)
        assert core.smiles == "CC(=O)Nc1ccccc1"
        assert core.count == 3
