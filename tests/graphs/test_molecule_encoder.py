"""The preset for molecules: what it compares, what options change, and that models keep how molecules become graphs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import graphmeans as gm
from graphmeans.graphs.encoding.molecules import LINK_WEIGHTS, WEIGHTS, are_molecules

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")

LEFT, RIGHT = "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"
FAMILIES = ["CCCCCC", "CCCCCCC", "CCCCCCCC", "c1ccccc1", "Cc1ccccc1", "Clc1ccccc1", "OCC(O)CO", "OCC(O)C(O)CO", "OCCO"]


def distance(one, other, **options):
    encoder = gm.MoleculeEncoder(**options)
    return gm.distance(*encoder.graphs_of([one, other]), encoder=encoder, matcher="exact")


def test_what_is_compared():
    assert distance("CCO", "OCC") == 0
    # One atom differs in its element (2 * 2) and its hydrogens, which count 0.2 each.
    assert distance("CCO", "CCF") ** 2 == pytest.approx(2 * WEIGHTS["element"] + WEIGHTS["hydrogens"])
    assert distance("CC(=O)O", "CC(=O)[O-]") ** 2 == pytest.approx(WEIGHTS["charge"] + WEIGHTS["hydrogens"])
    single, double = "CC", "C=C"
    assert distance(single, double) ** 2 == pytest.approx(2 * 2 * WEIGHTS["bond"] + 2 * WEIGHTS["hydrogens"])
    flat, ring = distance("C1CCCCC1", "c1ccccc1"), distance("C1CCCCC1", "C1CCCCC1")
    assert ring == 0
    assert flat**2 == pytest.approx(6 * (2 * WEIGHTS["aromatic"] + WEIGHTS["hydrogens"] + 2 * 2 * WEIGHTS["bond"]))
    assert distance("C1CCCCC1", "c1ccccc1", weights={"aromatic": 0}) < flat


def test_stereo_and_isotopes_are_options():
    assert distance(LEFT, RIGHT) == 0
    assert distance(LEFT, RIGHT, stereo=True) > 0
    assert distance(LEFT, "OC(=O)[C@H](C)N", stereo=True) == 0  # the same molecule, written in another order
    assert distance("F/C=C/F", "F/C=C\\F") == 0
    assert distance("F/C=C/F", "F/C=C\\F", stereo=True) > 0
    assert distance("C[13CH3]", "CC") == 0
    assert distance("C[13CH3]", "CC", isotopes=True) > 0


def test_salts_hydrogens_and_standardisation_are_options():
    salt, acid = "CC(=O)[O-].[Na+]", "CC(=O)O"
    assert distance(salt, "CC(=O)[O-]") > 0
    assert distance(salt, "CC(=O)[O-]", fragments="largest") == 0
    assert distance(salt, acid, fragments="largest", standardise="uncharge") == 0
    assert distance("CC(=O)O[Na]", salt) > 0
    assert distance("CC(=O)O[Na]", salt, standardise="cleanup") == 0
    assert distance("Oc1ccccn1", "O=c1cccc[nH]1", standardise="tautomer") == 0
    assert distance("[H]C([H])([H])C", "CC") == 0
    graph = gm.from_smiles(salt, fragments="largest", standardise="cleanup")
    assert (graph.node_ids, Chem.MolToSmiles(graph.origin)) == ((0, 1, 2, 3), "CC(=O)[O-].[Na+]")
    for options, said in (({"stereo": 2}, "stereo must be True or False"), ({"fragments": "all"}, "fragments must be one of")):
        with pytest.raises(gm.GraphError, match=said):
            gm.MoleculeEncoder(**options).fit(["C"])
    with pytest.raises(gm.GraphError, match="weights names the attribute 'colour'"):
        gm.MoleculeEncoder(weights={"colour": 1}).fit(["CC"])
    with pytest.raises(gm.GraphError, match="graph 0 has no node attribute 'element'"):
        gm.MoleculeEncoder().fit([gm.Graph({"x": [1.0]})])


def test_the_preset_is_the_default_whatever_molecules_come_as():
    molecules = [Chem.MolFromSmiles(smiles) for smiles in FAMILIES]
    graphs = gm.from_smiles(FAMILIES)
    found = [
        gm.GraphKMeans(3, n_init=1, random_state=0, encoder=encoder).fit(given)
        for encoder, given in (("auto", FAMILIES), ("auto", molecules), ("auto", graphs), ("molecule", FAMILIES),
                               ("auto", np.array(FAMILIES)), (gm.MoleculeEncoder(), graphs))
    ]  # fmt: skip
    assert {type(km.encoder_).__name__ for km in found} == {"MoleculeEncoder"}
    assert len({(tuple(km.labels_), km.inertia_) for km in found}) == 1
    plain = gm.from_smiles(FAMILIES, atoms=["element"])  # as in the paper
    assert not are_molecules(plain)
    assert type(gm.GraphKMeans(3, n_init=1, random_state=0).fit(plain).encoder_) is gm.GraphEncoder
    assert isinstance(found[0].centroids()[0], str)
    assert found[1].centroids()[0].GetNumAtoms() > 0
    same = clone(gm.MoleculeEncoder(stereo=True, weights={"ring": 2.0}))
    assert same.get_params() == gm.MoleculeEncoder(stereo=True, weights={"ring": 2.0}).get_params()


@pytest.mark.parametrize("encoder", ["auto", gm.MoleculeEncoder(stereo=True, fragments="largest", weights={"ring": 0.5})])
def test_a_loaded_model_takes_raw_molecules(encoder, tmp_path):
    salts = [f"{smiles}.[Na+].[Cl-]" for smiles in FAMILIES]
    km = gm.GraphKMeans(3, n_init=1, random_state=0, encoder=encoder).fit(FAMILIES)
    km.save(tmp_path / "m.gmz")
    same = gm.load(tmp_path / "m.gmz")
    assert same.encoder_.get_params() == km.encoder_.get_params()
    molecules = [Chem.MolFromSmiles(smiles) for smiles in salts]
    for given in (salts, molecules, gm.from_rdkit(molecules)):
        np.testing.assert_array_equal(same.transform(given), km.transform(salts))
    if encoder != "auto":
        np.testing.assert_allclose(same.transform(salts), km.transform(FAMILIES))
    assert same.predict(FAMILIES[0]).tolist() == km.labels_[:1].tolist()


def test_indexes_and_other_estimators_take_smiles():
    index = gm.GraphIndex().fit(FAMILIES)
    assert index.query("Brc1ccccc1", n_neighbors=1)[0].index in (3, 4, 5)
    assert gm.GraphKMedoids(3, random_state=0).fit(FAMILIES).labels_.shape == (9,)
    classes = ["chain"] * 3 + ["ring"] * 3 + ["polyol"] * 3
    assert gm.GraphNearestCentroid(random_state=0).fit(FAMILIES, classes).predict(["CCCCC"]).tolist() == ["chain"]
    with pytest.raises(gm.GraphError, match="graph 1: not a molecule in SMILES"):
        gm.GraphKMeans(1).fit(["CC", "a.gxl"])
    with pytest.raises(gm.GraphError, match="put it into a list"):
        gm.GraphKMeans(1).fit("CC")


def test_the_default_keeps_how_graphs_were_made_of_molecules():
    salts = ["CC(=O)[O-].[Na+]", "CCC(=O)[O-].[Na+]", "CCCC(=O)[O-].[K+]", "CCCCC(=O)[O-].[K+]"]
    graphs = gm.from_smiles(salts, fragments="largest")
    km = gm.GraphKMeans(2, n_init=1, random_state=0).fit(graphs)
    assert km.encoder_.fragments == "largest"
    assert "Na" not in {element for mean in km.centroids("graph") for element in mean.nodes["element"]}
    assert km.predict(salts).tolist() == km.labels_.tolist()
    assert gm.distance(graphs[0], gm.from_smiles("CC(=O)[O-]", fragments="largest")) == 0


def test_links_compare_a_bond_with_its_ends_and_its_ring():
    smiles = ["CCO", "Clc1ccccc1", "N#CC1CC1"]
    links = [sorted(set(graph.edge_attributes["link"])) for graph in gm.MoleculeEncoder(links=True).graphs_of(smiles)]
    assert links[:2] == [["C-C single", "C-O single"], ["C-C aromatic ring", "C-X single"]]
    assert links[2] == ["C-C single", "C-C single ring", "C-N triple"]
    # The atom differs as before; its bond is of the same kind, but leads elsewhere: 2 * 2 * the weight of a link.
    atoms = 2 * WEIGHTS["element"] + WEIGHTS["hydrogens"]
    assert distance("CCO", "CCN") ** 2 == pytest.approx(atoms)
    assert distance("CCO", "CCN", links=True) ** 2 == pytest.approx(atoms + 4 * LINK_WEIGHTS["link"])
    assert distance("CCO", "CCN", links=True, weights={"link": 0.5}) ** 2 == pytest.approx(atoms + 2)
    other_kind = 2 * WEIGHTS["hydrogens"] + 4 * sum(LINK_WEIGHTS.values())
    assert distance("CC", "C=C", links=True) ** 2 == pytest.approx(other_kind)
    assert distance("C", "C", links=True) == 0  # a collection without bonds has no links to compare


def test_a_model_with_links_takes_raw_molecules_and_draws_kinds_of_bonds(tmp_path):
    km = gm.GraphKMeans(3, n_init=1, random_state=0, encoder=gm.MoleculeEncoder(links=True)).fit(FAMILIES)
    km.save(tmp_path / "m.gmz")
    same = gm.load(tmp_path / "m.gmz")
    assert same.encoder_.links is True
    for given in (FAMILIES, gm.from_smiles(FAMILIES)):  # graphs that were made without links are made anew
        np.testing.assert_array_equal(same.transform(given), km.transform(FAMILIES))
    assert same.predict(FAMILIES).tolist() == km.labels_.tolist()
    assert {bond for mean in km.centroids("graph") for bond in mean.edge_attributes["bond"]} == {"single", "aromatic"}
    assert all(Chem.MolFromSmiles(smiles) is not None for smiles in km.centroids())


def test_links_are_refused_where_there_is_nothing_to_read_them_from():
    bare = [gm.Graph(dict(graph.nodes), graph.edges, dict(graph.edge_attributes)) for graph in gm.from_smiles(FAMILIES)]
    gm.MoleculeEncoder().fit(bare)
    with pytest.raises(gm.GraphError, match="links=True needs the molecules"):
        gm.MoleculeEncoder(links=True).fit(bare)
    with pytest.raises(gm.GraphError, match="has no effect if the weight of 'link' is 0"):
        gm.MoleculeEncoder(links=True, weights={"link": 0}).fit(FAMILIES)
    with pytest.raises(gm.GraphError, match="links must be True or False"):
        gm.MoleculeEncoder(links="yes").fit(FAMILIES)
    with pytest.raises(gm.GraphError, match="weights names the attribute 'link'"):
        gm.MoleculeEncoder(weights={"link": 1.0}).fit(FAMILIES)


def surroundings(smiles, how="near"):
    graph = gm.MoleculeEncoder(surroundings=how).graphs_of([smiles])[0]
    return graph.nodes["surroundings" if how == "near" else "wide_surroundings"]


def test_surroundings_are_ring_systems_or_neighbours():
    toluene, phenol, naphthalene = surroundings("Cc1ccccc1"), surroundings("Oc1ccccc1"), surroundings("c1ccc2ccccc2c1")
    assert toluene.shape == (7, 48)
    np.testing.assert_allclose((toluene**2).sum(axis=1), 1)
    np.testing.assert_array_equal(toluene[1:], phenol[1:])  # whatever the ring carries
    assert np.ptp(toluene[1:], axis=0).max() == 0  # all atoms of the ring alike
    assert np.ptp(naphthalene, axis=0).max() == 0
    assert not np.array_equal(naphthalene[0], toluene[1])
    assert not np.array_equal(toluene[0], phenol[0])  # outside of rings, the element and its neighbours
    np.testing.assert_array_equal(surroundings("CCO")[2], surroundings("OCCC")[0])
    spiro = surroundings("C1CCC2(CC1)CCNCC2")  # rings that share an atom are one system
    assert np.ptp(spiro, axis=0).max() == 0
    pyridines = surroundings("c1ccncc1"), surroundings("n1ccccc1")  # the order of atoms does not matter
    np.testing.assert_array_equal(pyridines[0][0], pyridines[1][0])


def test_wide_surroundings_tell_places_in_a_ring_apart():
    toluene = surroundings("Cc1ccccc1", "wide")
    np.testing.assert_array_equal(toluene[2], toluene[6])  # both next to the methyl group
    assert not np.array_equal(toluene[2], toluene[4])
    apart = gm.distance("Cc1ccccc1", "Cc1ccccn1", encoder=gm.MoleculeEncoder(surroundings="wide"))
    assert apart > gm.distance("Cc1ccccc1", "Cc1ccccn1", encoder=gm.MoleculeEncoder())


@pytest.mark.parametrize("how", ["near", "wide"])
def test_a_model_with_surroundings_takes_raw_molecules_and_draws_kinds_of_bonds(how, tmp_path):
    km = gm.GraphKMeans(3, n_init=1, random_state=0, encoder=gm.MoleculeEncoder(surroundings=how)).fit(FAMILIES)
    km.save(tmp_path / "m.gmz")
    same = gm.load(tmp_path / "m.gmz")
    assert same.encoder_.surroundings == how
    for given in (FAMILIES, gm.from_smiles(FAMILIES)):  # graphs that were made without them are made anew
        np.testing.assert_array_equal(same.transform(given), km.transform(FAMILIES))
    assert same.predict(FAMILIES).tolist() == km.labels_.tolist()
    assert {bond for mean in km.centroids("graph") for bond in mean.edge_attributes["bond"]} == {"single", "aromatic"}
    assert all(Chem.MolFromSmiles(smiles) is not None for smiles in km.centroids())
    both = gm.MoleculeEncoder(surroundings=how, links=True, stereo=True, fragments="largest")
    assert gm.distance("CC(=O)[O-].[Na+]", "CC(=O)[O-]", encoder=both) == 0


def test_surroundings_are_computed_in_the_molecule_that_is_compared():
    # hydrogens that are folded and salts that are left out are no neighbours
    plain, written = "CCO", "[H]OC([H])([H])C.[Na+].[Cl-]"
    encoder = gm.MoleculeEncoder(surroundings="near", fragments="largest")
    assert gm.distance(plain, written, encoder=encoder) == 0


def test_surroundings_are_refused_where_there_is_nothing_to_read_them_from():
    bare = [gm.Graph(dict(graph.nodes), graph.edges, dict(graph.edge_attributes)) for graph in gm.from_smiles(FAMILIES)]
    with pytest.raises(gm.GraphError, match="surroundings='near' needs the molecules"):
        gm.MoleculeEncoder(surroundings="near").fit(bare)
    with pytest.raises(gm.GraphError, match="has no effect if the weight of 'surroundings' is 0"):
        gm.MoleculeEncoder(surroundings="near", weights={"surroundings": 0}).fit(FAMILIES)
    with pytest.raises(gm.GraphError, match="surroundings must be one of 'no', 'near', 'wide'"):
        gm.MoleculeEncoder(surroundings="far").fit(FAMILIES)
