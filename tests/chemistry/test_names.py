"""Names of ring systems, functional groups, substituents and series: right for a chemist, and what they claim is counted."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from series import ANILIDES, GROUPS, PIPERAZINES, enumerated

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")

MolWt = pytest.importorskip("rdkit.Chem.Descriptors").MolWt

from graphmeans.chemistry.names.chains import joined_by  # noqa: E402
from graphmeans.chemistry.names.functional import GROUPS as FUNCTIONAL  # noqa: E402
from graphmeans.chemistry.names.functional import group_names  # noqa: E402
from graphmeans.chemistry.names.linkers import LINKED  # noqa: E402
from graphmeans.chemistry.names.rings import FUSED, HETEROAROMATIC, NAMES, SKELETONS, ring_keys, ring_names, several  # noqa: E402
from graphmeans.chemistry.names.series import LEAST, name_series, set_apart, words  # noqa: E402
from graphmeans.chemistry.names.substituents import KINDS, group_name  # noqa: E402


def molecules(*smiles: str) -> list:
    return [Chem.MolFromSmiles(text) for text in smiles]


def names(smiles: str) -> set[str]:
    return {word.name for word in words(Chem.MolFromSmiles(smiles))}


# -- ring systems --------------------------------------------------------------------------------------


def test_every_ring_system_of_the_table_is_one_and_is_known_by_its_own_name_only():
    seen: dict[str, str] = {}
    for name, examples in {**NAMES, **SKELETONS}.items():
        for smiles in several(examples):
            (key,) = ring_keys(Chem.MolFromSmiles(smiles))
            assert seen.setdefault(key, name) == name
            assert ring_names(Chem.MolFromSmiles(smiles))[0][0].name == name


@pytest.mark.parametrize(("smiles", "expected"), [
    ("CC(=O)Oc1ccccc1C(=O)O", {"benzene"}),  # aspirin
    ("Cn1c(=O)c2c(ncn2C)n(C)c1=O", {"xanthine"}),  # caffeine
    ("O=C(O)c1cn(C2CC2)c2cc(N3CCNCC3)c(F)cc2c1=O", {"4-quinolone", "cyclopropane", "piperazine"}),  # ciprofloxacin
    ("CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21", {"1,4-benzodiazepin-2-one", "benzene"}),  # diazepam
    ("CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O", {"penam", "benzene"}),  # penicillin G
    ("CC1=C(C(=O)O)N2C(=O)C(NC(=O)C(N)c3ccccc3)C2SC1", {"cephem", "benzene"}),  # cephalexin
    ("CC12CCC3C(CCC4=CC(=O)CCC34C)C1CCC2O", {"steroid skeleton"}),  # testosterone
    ("CC12CCC3c4ccc(O)cc4CCC3C1CCC2O", {"steroid skeleton"}),  # estradiol
    ("CN1CCC23c4c5ccc(O)c4OC2C(O)C=CC3C1C5", {"morphinan skeleton"}),  # morphine
    ("COc1ccc2CC3C4CCCCC4(CCN3C)c2c1", {"morphinan skeleton"}),  # dextromethorphan
    ("CCN(CC)C(=O)C1CN(C)C2Cc3c[nH]c4cccc(C2=C1)c34", {"ergoline skeleton"}),  # lysergide
    ("COC(=O)C1C(O)CCC2CN3CCc4c([nH]c5ccccc45)C3CC12", {"yohimban skeleton"}),  # yohimbine
    ("CN(C)CCCN1c2ccccc2Sc2ccc(Cl)cc21", {"phenothiazine"}),  # chlorpromazine
    ("Cc1cn(C2CC(N=[N+]=[N-])C(CO)O2)c(=O)[nH]c1=O", {"uracil", "tetrahydrofuran"}),  # zidovudine
    ("COc1ccc2[nH]c(S(=O)Cc3ncc(C)c(OC)c3C)nc2c1", {"benzimidazole", "pyridine"}),  # omeprazole
    ("COC(=O)C1C(OC(=O)c2ccccc2)CC2CCC1N2C", {"tropane", "benzene"}),  # cocaine
    ("COc1ccc2nccc(C(O)C3CC4CCN3CC4C=C)c2c1", {"quinoline", "quinuclidine"}),  # quinine
    ("CC(=O)CC(c1ccccc1)c1c(O)c2ccccc2oc1=O", {"coumarin", "benzene"}),  # warfarin
    ("C1=CC=C2C(=C1)C=CC3=C2C=CC4=CC=CC=C43", {"chrysene"}),
    ("C1=CC=C2C(=C1)C=CC3=CC4=CC=CC=C4C=C32", {"benz[a]anthracene"}),
    ("C1=CC=C2C(=C1)C3=CC=CC4=C3C2=CC=C4", {"fluoranthene"}),
    ("CCCC1CCc2ncccc2C1", {"hydrogenated quinoline"}),
    ("C[n+]1cccc2ccccc21", {"quinoline"}),
    ("C1CCC2(CC1)CCNCC2", {"cyclohexane", "piperidine"}),  # rings that share an atom are told apart
    ("S=c1cccc[nH]1", {"pyridine"}),
])  # fmt: skip
def test_ring_systems_of_known_molecules(smiles, expected):
    assert {system[0].name for system in ring_names(Chem.MolFromSmiles(smiles))} == expected


#: Molecular formulas of ring systems, from tables of their names.
FORMULAS = """
xanthine C5H4N4O2  saccharin C7H5NO3S  isatin C8H5NO2  coumarin C9H6O2  chrysene C18H12  pyrene C16H10  acridone C13H9NO
triphenylene C18H12  thioxanthone C13H8OS  tropane C7H13N  quinuclidine C7H13N  adamantane C10H16  rhodanine C3H3NOS2
hexamethylenetetramine C6H12N4  hydantoin C3H4N2O2  psoralen C11H6O3  pteridine C6H4N4  purine C5H4N4  naphthalimide C12H7NO2
phthalimide C8H5NO2  caprolactam C6H11NO  acenaphthene C12H10  anthrone C14H10O  1,10-phenanthroline C12H8N2
isoalloxazine C10H6N4O2  7-azaindole C7H6N2  benzofurazan C6H4N2O  cinnoline C8H6N2  DABCO C6H12N2  quinolizidine C9H17N
pyrrolizidine C7H13N  sulfolane C4H8O2S  phenoxathiin C12H8OS  thianthrene C12H8S2  maleimide C4H3NO2  barbiturate C4H4N2O3
azulene C10H8  indolizine C8H7N  norbornene C7H10  morpholine C4H9NO  1,4-diazepane C5H12N2  isocoumarin C9H6O2
phthalazine C8H6N2  phthalide C8H6O2  butenolide C4H4O2  tropone C7H6O  fluorenone C13H8O  xanthone C13H8O2  phenazine C12H8N2
"""


def test_ring_systems_have_the_formulas_of_their_names():
    formula = pytest.importorskip("rdkit.Chem.rdMolDescriptors").CalcMolFormula
    table = FORMULAS.split()
    for name, expected in zip(table[::2], table[1::2], strict=True):
        assert formula(Chem.MolFromSmiles(several(NAMES[name])[0])) == expected, name


def test_ring_systems_without_a_name_are_told_by_their_number_of_rings():
    found = [row.name for row in ring_names(Chem.MolFromSmiles("c1cc2c(s1)[nH]c1ccsc12"))[0]]
    assert found == [FUSED[3], HETEROAROMATIC]


def test_names_of_rings_do_not_depend_on_the_order_of_atoms():
    smiles = "O=C(O)c1cn(C2CC2)c2cc(N3CCNCC3)c(F)cc2c1=O"
    molecule = Chem.MolFromSmiles(smiles)
    expected = words(molecule)
    for seed in range(5):
        shuffled = Chem.MolToRandomSmilesVect(molecule, 1, randomSeed=seed)[0]
        assert words(Chem.MolFromSmiles(shuffled)) == expected


# -- functional groups ---------------------------------------------------------------------------------

#: What has a group besides its example, and what looks like it and has it not.
CASES = {
    "carboxylic acid": ("OC=O CC(=O)[O-] OC(=O)c1ccccc1", "CC(=O)OC CC(N)=O NC(=O)O CC(=O)OO CC=O"),
    "amino acid": ("NC(C)C(=O)O [NH3+]CC(=O)[O-] OC(=O)C1CCCN1", "NCCC(=O)O CC(=O)NCC(=O)O Nc1ccccc1C(=O)O"),
    "ester": ("CC(=O)Oc1ccccc1 O=COC", "O=C1CCCO1 NC(=O)OC COC(=O)OC CC(=O)OC(C)=O CC(=O)O"),
    "lactone": ("O=c1ccc2ccccc2o1 O=C1C=CCO1", "CC(=O)OC O=C1OCCO1 O=C1CCC(=O)O1 O=C1CCCN1"),
    "amide": ("CC(=O)Nc1ccccc1 O=C(c1ccccc1)N1CCCCC1 CN(C)C=O", "O=C1CCCN1 NC(N)=O NC(=O)OC CC(=O)NN CC(=O)NC(C)=O CC(N)=S"),
    "lactam": ("O=C1CCN1 O=C1Cc2ccccc2N1", "CC(N)=O O=C1CCC(=O)N1 O=C1NCCN1 O=C1NCCO1"),
    "imide": ("O=C1CCC(=O)N1 O=C1NC(=O)c2ccccc21", "O=C1NCCN1 CC(N)=O O=C1CNC(=O)N1"),
    "urea": ("CNC(=O)Nc1ccccc1 O=C1NCCN1", "NC(N)=S NC(=O)OC NNC(N)=O CC(=O)NC(N)=O"),
    "carbamate": ("CCOC(=O)Nc1ccccc1", "NC(N)=O COC(=O)OC CC(=O)OC NC(=O)O"),
    "thiosemicarbazone": ("NC(=S)NN=Cc1ccccc1", "NC(=S)NNC NC(=O)NN=C NC(N)=S"),
    "hydrazide": ("NNC(=O)c1ccncc1", "NNC(N)=O CC(=O)NN=C CC(N)=O CNN"),
    "guanidine": ("CNC(=N)N NC(=[NH2+])NC", "CC(N)=N NC(N)=O Nc1nc(N)nc(N)n1"),
    "amidine": ("NC(=N)c1ccccc1", "NC(N)=N CC(N)=O Nc1ccccn1 CC=NC"),
    "aldehyde": ("O=Cc1ccccc1", "CC(C)=O O=COC NC=O"),
    "ketone": ("O=C1CCCCC1 CC(=O)c1ccccc1", "CC=O CC(=O)O CC(N)=O CC(=O)OC"),
    "oxime": ("CC(C)=NO CC=NOC", "CC(=O)NO CN=O"),
    "hydrazone": ("CC(C)=NNc1ccccc1", "CC=NNC(C)=O CC=NO CNN NC(N)=NN"),
    "imine": ("c1ccccc1C=Nc1ccccc1", "CC=NO CC=NN CC(N)=NC c1ccncc1"),
    "nitro group": ("O=[N+]([O-])c1ccccc1 CN(=O)=O", "CO[N+](=O)[O-] CN=O C[N+](C)(C)[O-]"),
    "nitroso group": ("O=Nc1ccccc1", "CN(C)N=O C[N+](=O)[O-]"),
    "nitrile": ("N#Cc1ccccc1", "CSC#N C#C CN=C=S"),
    "azo group": ("c1ccc(N=Nc2ccccc2)cc1", "c1ccnnc1 CN=[N+]=[N-] CNNC"),
    "hydrazine": ("NNc1ccccc1", "CC(=O)NN CC=NN c1cn[nH]c1"),
    "nitrogen mustard": ("CN(CCCl)CCCl ClCCN(CCCl)c1ccccc1", "CN(C)CCCl ClCCOCCCl"),
    "aliphatic amine": ("C1CCNCC1 CN(C)C C[NH3+] NCc1ccccc1", "Nc1ccccc1 CC(N)=O C[N+](C)(C)C CC(=N)N CS(N)(=O)=O c1cc[nH]c1"),
    "aromatic amine": ("Nc1ccccc1 CN(C)c1ccncc1 c1ccc(N2CCNCC2)cc1", "CC(=O)Nc1ccccc1 NCc1ccccc1 O=[N+]([O-])c1ccccc1 NNc1cccs1"),
    "quaternary ammonium group": ("C[N+](C)(C)CC", "C[n+]1ccccc1 C[NH+](C)C C[N+](C)(C)[O-]"),
    "N-oxide": ("[O-][n+]1ccccc1", "C[N+](=O)[O-] CON"),
    "phenol": ("Oc1ccc2ccccc2c1 [O-]c1ccccc1", "OCc1ccccc1 COc1ccccc1 Oc1ccccn1"),
    "alcohol": ("CC(C)(C)O OCc1ccccc1", "Oc1ccccc1 CC(=O)O COC CC(=O)NO"),
    "aliphatic ether": ("CCOCC C1CCOC1", "CC(=O)OC COc1ccccc1 COCOC CO"),
    "acetal": ("C1COCO1 CC(OC)OC", "COC CC(=O)OC COC(=O)OC"),
    "sugar ring": ("OCC1OC(O)C(O)C(O)C1O OCC1OC(n2ccc(=O)[nH]c2=O)CC1O", "C1CCOC1 C1CCOCC1 OCC1CCCO1"),
    "thiol": ("Sc1ccccc1", "CSC CSSC CC(=O)S NC(=S)N"),
    "thioether": ("CSc1ccccc1 C1CCSC1", "CS CSSC CS(C)=O c1ccsc1 CSC#N CC(=O)SC"),
    "sulfone": ("CS(=O)(=O)c1ccccc1", "CS(C)=O CS(N)(=O)=O CS(=O)(=O)O"),
    "sulfonamide": ("NS(=O)(=O)c1ccccc1", "CS(C)(=O)=O CC(N)=O NS(=O)(=O)O"),
    "sulfonic acid": ("OS(=O)(=O)c1ccccc1", "COS(C)(=O)=O CS(C)(=O)=O COS(=O)(=O)O"),
    "phosphate": ("OP(=O)(O)O", "CP(=O)(O)O COP(=S)(O)O"),
    "boronic acid": ("OB(O)c1ccccc1", "CB1OC(C)(C)C(C)(C)O1 OB(O)O"),
    "metal atom": ("Cl[Sn](C)(C)C", "CC(=O)[O-].[Na+] C[Si](C)(C)C CI C[As](C)C"),
    "trifluoromethyl group": ("FC(F)(F)c1ccccc1 COC(F)(F)F", "FC(F)c1ccccc1 FC(F)F"),
    "aryl chloride": ("Clc1ccncc1", "ClCc1ccccc1 CCl"),
    "alkyl chloride": ("ClCc1ccccc1", "Clc1ccccc1 CC(Cl)(Cl)Cl CC(=O)Cl"),
    "C=C double bond": ("C=Cc1ccccc1", "C1=CCCCC1 c1ccccc1 C=O"),
    "biphenyl": ("Cc1ccc(-c2ccccc2)cc1", "c1ccc(Cc2ccccc2)cc1 c1ccc2c(c1)Cc1ccccc1-2 c1ccc2ccccc2c1"),
    "long alkyl chain": ("CCCCCCCCCCCC(=O)O", "CCCCCCC C1CCCCCCCCC1"),
}  # fmt: skip


def test_every_functional_group_has_a_name_of_its_own_and_an_example_that_has_it():
    assert len({group.name for group in FUNCTIONAL}) == len(FUNCTIONAL)
    for group in FUNCTIONAL:
        assert Chem.MolFromSmarts(group.smarts) is not None, group.name
        assert group.name in group_names(Chem.MolFromSmiles(group.example)), group.name


@pytest.mark.parametrize("name", CASES)
def test_functional_groups_are_found_where_they_are_and_nowhere_else(name):
    having, others = (text.split() for text in CASES[name])
    assert [smiles for smiles in having if name not in names(smiles)] == []
    assert [smiles for smiles in others if name in names(smiles)] == []


#: Which classes the example of each class belongs to besides its own: those that it is a kind of, and no others.
ALSO = {
    "benzophenone": {"aryl ketone"}, "benzil": {"aryl ketone"}, "deoxybenzoin": {"aryl ketone"},
    "benzanilide": {"anilide", "benzamide"}, "N-benzylbenzamide": {"benzamide"}, "phenyl benzoate": {"benzoate ester"},
    "benzyl benzoate": {"benzoate ester"}, "N-benzylaniline": {"benzylamine"}, "dibenzylamine": {"benzylamine"},
    "benzenesulfonanilide": {"benzenesulfonamide"}, "benzaldehyde phenylhydrazone": {"phenylhydrazone"},
    "triphenylmethane": {"diphenylmethane"},
}  # fmt: skip


@pytest.mark.parametrize("group", [row.group for row in LINKED], ids=lambda group: group.name)
def test_what_joins_rings_is_found_in_its_example_and_in_that_of_no_other_class(group):
    classes = {row.group.name for row in LINKED}
    assert names(group.example) & classes == {group.name, *ALSO.get(group.name, ())}
    assert Chem.MolFromSmiles(group.example).HasSubstructMatch(Chem.MolFromSmarts(group.smarts))


@pytest.mark.parametrize(("smiles", "expected"), [
    ("c1ccc2c(c1)Cc1ccccc1C2", set()), ("O=C1c2ccccc2C(=O)c2ccccc21", set()), ("c1ccc2[nH]ccc2c1", set()),  # rings are no linkers
    ("CC(=O)Nc1ccc2ccccc2c1", set()),  # a naphthalene is no phenyl ring
    ("O=C(c1ccccc1)c1cccnc1", {"aryl ketone"}), ("CSc1ccccc1", set()), ("Cc1ccncc1", set()), ("NC(=O)Cc1ccncc1", set()),
    ("[Na+].[O-]C(=O)c1ccccc1", {"benzoic acid"}), ("OC(=O)Cc1ccccc1", set()), ("CC(=O)CCc1ccccc1", set()),
    ("O=C1CCCN1c1ccccc1", set()), ("CC(=O)N(C(C)=O)c1ccccc1", set()),
    ("c1ccc(-n2cccn2)cc1", {"phenyl group on a heteroarene"}),
    ("O=C(NCc1ccccc1)c1ccncc1", {"heteroaryl carboxamide"}), ("C1CNCCN1Cc1ccccc1", {"benzylamine"}),
    ("Cl[Zn](Cl)[n+]1ccccc1", {"pyridine bound to a metal"}), ("[Zn].c1ccncc1", set()),
])  # fmt: skip
def test_what_looks_like_a_class_of_linked_rings_is_none(smiles, expected):
    assert names(smiles) & {row.group.name for row in LINKED} == expected


def test_searches_that_are_not_begun_would_have_found_nothing():
    smiles = [text for having, others in CASES.values() for text in (having + " " + others).split()]
    for molecule in molecules(*smiles, *(group.example for group in FUNCTIONAL)):
        found = [group.name for group in FUNCTIONAL if molecule.HasSubstructMatch(Chem.MolFromSmarts(group.smarts))]
        assert group_names(molecule) == found


@pytest.mark.parametrize(("smiles", "ring", "other"), [
    ("O=C1CCCC(=O)N1", "glutarimide", "piperidine"), ("O=C1CCCCN1C", "piperidin-2-one", "piperidine"),
    ("O=C1NC(=O)c2ccccc21", "phthalimide", "isoindoline"), ("O=C1CCCCC1", "cyclohexanone", "cyclohexane"),
])  # fmt: skip
def test_rings_with_carbonyl_groups_are_not_called_by_the_ring_without(smiles, ring, other):
    assert ring in names(smiles)
    assert other not in names(smiles)
    assert {"4-quinolone", "quinoline"} <= names("O=c1cc[nH]c2ccccc12")  # which is one, and aromatic


def test_numbers_of_rings_are_at_least_so_many_unless_most_have_as_many():
    found = names("c1ccc(C(c2ccccc2)(c2ccccc2)c2ccccc2)cc1")
    assert {"two or more phenyl rings", "three or more phenyl rings", "four phenyl rings"} <= found
    assert "two phenyl rings" not in names("c1ccc(C(c2ccccc2)c2ccccc2)cc1")
    two = ["CC(c1ccccc1)OC(C)c1ccccc1", "Clc1ccccc1CCSc1ccccc1", "c1ccccc1CCCCNCc1ccccc1"]
    four = ["c1ccc(C(c2ccccc2)(c2ccccc2)c2ccccc2)cc1", "C[Si](c1ccccc1)(c1ccccc1)Oc1cc(-c2ccccc2)ccc1", "CCCC"]
    assert name_series([molecules(*two, "CCO"), molecules("CCC")])[0].title.startswith("Two phenyl rings, about ")
    mixed = name_series([molecules(*two[:2], *four), molecules("CCC")])[0]
    assert mixed.title.startswith("Two or more phenyl rings")
    assert mixed.share == 0.8
    assert [row.what for row in mixed.words if "steroid skeletons ring" in row.what] == []
    assert "two or more steroid skeletons" in names("C1CCC2C(C1)CCC1C2CCC2CCCC21.C1CCC2C(C1)CCC1C2CCC2CCCC21")


def test_a_benzene_ring_is_called_a_phenyl_ring_that_is_not_fused():
    series = name_series([molecules("Cc1ccccc1", "CCc1ccccc1", "c1ccc2ccccc2c1"), molecules("CCC")])[0]
    assert {row.what: row.here for row in series.words}["phenyl ring, not fused"] == pytest.approx(2 / 3)


# -- substituents --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*NC(=O)CBr", "NHCOCH₂Br"), ("*=NO", "=NOH"), ("*#N", "≡N"), ("*C=C(C#N)C#N", "CH=C(CN)₂"), ("*CCCCCCC", "(CH₂)₆CH₃"),
    ("*CCCCCOC(=O)CCCCCCCCCCCCCCC", "(CH₂)₅OCO(CH₂)₁₄CH₃"),
    ("*C(C)(C)O", "C(CH₃)₂OH"), ("*S(=O)(=O)N(C)C", "SO₂N(CH₃)₂"), ("*CC(N)C(=O)O", "CH₂CH(NH₂)COOH"),
    ("*[N+](C)(C)C", "N⁺(CH₃)₃"), ("*C(F)(F)C(F)(F)F", "CF₂CF₃"), ("*C(=N)N", "C(=NH)NH₂"), ("*OP(=O)(O)O", "OPO(OH)₂"),
    ("*C(=O)OC(=O)C", "COOCOCH₃"), ("*[Hg]C", "HgCH₃"), ("*C(c1ccccc1)c1ccccc1", "CH(phenyl)₂"),
])  # fmt: skip
def test_substituents_are_written_as_formulas(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*CC[N+](=O)[O-]", "CH₂CH₂NO₂"), ("*C[N+](=O)[O-]", "CH₂NO₂"), ("*c1ccc([N+](=O)[O-])cc1", "4-NO₂-phenyl"),
    ("*CN(=O)=O", "CH₂NO₂"), ("*CS(=O)(=O)O", "CH₂SO₃H"), ("*S(=O)(=O)[O-]", "SO₃⁻"), ("*S(=O)(=O)C", "SO₂CH₃"),
    ("*CN=[N+]=[N-]", "CH₂N₃"),
    ("*[N+]#N", "N₂⁺"), ("*C[N+]#[C-]", "CH₂NC"), ("*CN=C=O", "CH₂NCO"), ("*CSC#N", "CH₂SCN"),
    ("*c1ccc[n+]([O-])c1", "pyridin-3-yl N-oxide"),
    ("*CN=O", "CH₂NO"), ("*C(=O)[O-]", "COO⁻"), ("*C[N+](C)(C)[O-]", "CH₂N⁺(CH₃)₂O⁻"),
])  # fmt: skip
def test_charges_within_a_group_and_the_bonds_of_its_oxygen_are_not_written(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*c1ccc(O)cc1O", "2,4-(OH)₂-phenyl"), ("*c1cc(O)c(O)c(O)c1", "3,4,5-(OH)₃-phenyl"),
    ("*c1ccc(N)c(N)c1", "3,4-(NH₂)₂-phenyl"), ("*c1cc(C)cc(C)c1", "3,5-(CH₃)₂-phenyl"), ("*c1ccc(Cl)c(Cl)c1", "3,4-Cl₂-phenyl"),
    ("*c1ccc(C(=O)O)c(F)c1", "3-F-4-COOH-phenyl"), ("*c1ccc(NC(=O)Nc2ccccc2)cc1", "4-(NHCONH-phenyl)-phenyl"),
    ("*C(=O)Nc1ccc(OC)cc1", "CONH-(4-OCH₃-phenyl)"),
])  # fmt: skip
def test_groups_on_a_ring_are_told_from_what_they_carry(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*CC", "CH₂CH₃"), ("*C(C)C", "CH(CH₃)₂"), ("*CCCC", "(CH₂)₃CH₃"), ("*CC=C", "CH₂CH=CH₂"), ("*C(C)(C)C", "C(CH₃)₃"),
    ("*OCC", "OCH₂CH₃"), ("*c1ccc(OCC)cc1", "4-OCH₂CH₃-phenyl"), ("*C(=O)OCC", "COOCH₂CH₃"), ("*C(=O)c1ccccc1", "CO-phenyl"),
    ("*Cc1ccccc1", "CH₂-phenyl"), ("*Oc1ccccc1", "O-phenyl"), ("*NC(C)=O", "NHCOCH₃"),
])  # fmt: skip
def test_one_notation_is_used_for_alkyl_groups_wherever_they_are(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*C(=O)NCCCn1ccnc1", "CONH(CH₂)₃-imidazol-1-yl"), ("*CN1CCOCC1", "CH₂-morpholin-4-yl"), ("*c1ccccn1", "pyridin-2-yl"),
    ("*N1CCN(C)CC1", "4-CH₃-piperazin-1-yl"), ("*c1cccs1", "thiophen-2-yl"), ("*c1cc(C)no1", "3-CH₃-isoxazol-5-yl"),
    ("*C1CCNC1=O", "pyrrolidin-2-on-3-yl"), ("*C1CC1C", "2-CH₃-cyclopropyl"), ("*C1CCCCC1", "cyclohexyl"),
    ("*C1C=CCCC1", "cyclohexenyl"), ("*C1CO1", "oxiran-2-yl"), ("*c1ccc2c(c1)OCO2", "1,3-benzodioxolyl"),
    ("*OC1CCCC2CCCCC12", "O-decalinyl"), ("*c1cccc2ccccc12", "naphthyl"), ("*Cc1c(C)[nH]c2ccccc12", "CH₂-(CH₃-indolyl)"),
    ("*C1CCC2(CC1)OCCO2", "spirocyclic cyclohexyl"), ("*=C1C=CC(=O)C=C1", "=cyclohexadienonylidene"),
    ("*[n+]1ccccc1", "pyridinium-1-yl"), ("[1*][Co]([n+]1ccccc1)([n+]1ccccc1)SC#N", "Co(SCN)(pyridine)₂"),
    ("*c1c2sccc2nc2sccc12", "tricyclic heteroaryl"), ("*C1CCCCCCCCCCCCC1", "macrocycle"),
])  # fmt: skip
def test_rings_in_substituents_have_names_with_the_place_that_is_bound(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*CC*", "CH₂CH₂"), ("[1*]OCO[2*]", "OCH₂O"), ("[7*]C([2*])=O", "CO"), ("*C(*)(C)C", "C(CH₃)₂"),
    ("[2*]:cccc:[3*]", "CH=CHCH=CH"), ("*:ccc(Cl)c:*", "CH=CClCH=CH"), ("*:cccn:*", "CH=CHCH=N"), ("*:c(=O)oc(:*)=O", "COOCO"),
    ("*:cc[nH]:*", "CH=CHNH"), ("*:cn(C)n:*", "CHN(CH₃)N"),
    ("*:c(C)c(C)c(=O)o:*", "C(CH₃)=C(CH₃)COO"),
    ("[1*]:oc1ccccc1:[6*]", "ring system"), ("*CC(*)C*", "ring system"),
])  # fmt: skip
def test_chains_between_two_places_are_formulas_too(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smiles", "expected"), [
    ("*C(=O)Nc1ccc(C(=O)Nc2ccc3c(O)cc(S(=O)(=O)O)cc3c2)cc1", "amide with naphthalene and phenyl rings"),
    ("*OC(=O)OCCOCCOC(=O)OC(C)C(=O)OC(C)CC", "long ester"),
    ("*c1nc(C)c(CC=C)c(NN=C(C)c2ccc(N)cc2)n1", "substituted pyrimidine"),
    ("*COC(=O)CSc1nc(N)c(C#N)cc1C#N", "chain with a pyridine ring"),
])  # fmt: skip
def test_long_substituents_are_told_by_their_kind(smiles, expected):
    assert group_name(smiles) == expected


@pytest.mark.parametrize(("smarts", "kind", "example"), KINDS)
def test_each_kind_of_substituent_is_that_of_its_example_and_not_that_of_an_alkyl_group(smarts, kind, example):
    query, found = Chem.MolFromSmarts(smarts), Chem.MolFromSmiles(example)
    assert found.HasSubstructMatch(query)
    assert next(other for text, other, _ in KINDS if found.HasSubstructMatch(Chem.MolFromSmarts(text))) == kind
    assert not Chem.MolFromSmiles("*CCC(=O)NCCOC").HasSubstructMatch(query)  # what stands farther away does not matter


# -- names of series -----------------------------------------------------------------------------------


def test_series_are_named_by_what_their_members_have_and_others_have_not():
    anilides, _ = enumerated(ANILIDES, list(GROUPS), list(GROUPS))
    piperazines, _ = enumerated(PIPERAZINES, list(GROUPS)[:2], list(GROUPS))
    acids = [f"OC(=O)c1ccnc2ccc({group})cc12".replace("()", "") for group in GROUPS.values()]
    titles = [series.title for series in name_series([molecules(*some) for some in (anilides, piperazines, acids)])]
    assert titles == [
        "Anilides",
        "Phenylpiperazines",
        "Quinolines with a carboxylic acid",
    ]


def test_a_title_is_true_of_the_share_that_is_said_by_substructure_search():
    some = molecules("OC(=O)c1ccnc2ccccc12", "CC(=O)c1ccnc2ccccc12", "OC(=O)c1cnc2ccccc2c1", "OC(=O)c1cc(C)nc2ccccc12")
    others = molecules("CC(=O)O", "CCCC", "OC(=O)c1ccnc2ccccc12", "CCO", "CCN")
    series = name_series([some, others])[0]
    assert series.title == "Quinolines with a carboxylic acid"
    assert (series.share, series.others) == (0.75, 0.2)
    shares = {row.what: (row.here, row.others) for row in series.words}
    assert shares["quinoline ring"] == (1.0, 0.2)
    assert shares["carboxylic acid"] == (0.75, 0.4)


def test_nothing_is_a_title_that_is_not_true_of_most():
    mixed = molecules("c1ccncc1", "CCO", "c1ccoc1", "C1CCNCC1", "CCBr", "C1CCOC1")
    series = name_series([mixed, molecules("CCCC", "CCCCC")])[0]
    assert (series.title, series.share, series.others) == ("Mixed molecules, about 76 g/mol", 0.0, 0.0)
    for word in name_series([mixed, molecules("CCCC", "CCCCC")])[0].words:
        assert word.here < LEAST or word.what == "no ring"


def test_two_sorts_in_one_cluster_are_both_named():
    pyrazoles = [f"NS(=O)(=O)c1ccc(-n2ccc({group})n2)cc1" for group in ("C", "CC", "Cl", "F")]
    thiazoles = [f"Nc1nc(-c2ccc({group})cc2)cs1" for group in ("C", "CC", "Cl", "F")]
    series = name_series([molecules(*pyrazoles, *thiazoles), molecules("CCCC", "CCCCC")])[0]
    assert series.title == "Pyrazoles or thiazoles"
    assert series.share == 1


def test_sorts_stand_in_the_order_of_their_shares_and_are_of_one_kind():
    naphthalenes = [f"Cc1ccc2cc({group})ccc2c1" for group in ("C", "CC", "Cl", "F", "Br")]
    quinolines = [f"Cc1ccc2nc({group})ccc2c1" for group in ("C", "CC", "Cl")]
    series = name_series([molecules(*quinolines, *naphthalenes, "CCO"), molecules("CCCC", "CCCCC")])[0]
    assert series.title == "Naphthalenes or quinolines"
    nitro = [f"O=[N+]([O-])c1ccc({group})cc1" for group in ("C", "CC", "OC")]
    pyridines = [f"Cc1ccnc({group})c1" for group in ("C", "CC", "OC", "Cl")]
    mixed = name_series([molecules(*nitro, *pyridines), molecules("CCCC", "CCCCC")])[0]
    assert " or " not in mixed.title


def test_two_clusters_that_would_have_the_same_title_are_told_by_their_molar_mass():
    small, large = (molecules(*("C" * n for n in sizes)) for sizes in ((4, 5, 6), (6, 7, 7)))
    cyclic = molecules("Cc1ccccc1")
    titles = [series.title for series in name_series([small, large, cyclic])]
    assert titles[:2] == ["Acyclic molecules, about 72 g/mol", "Acyclic molecules, about 100 g/mol"]
    for title, some in zip(titles, (small, large), strict=False):
        assert title.endswith(f"about {np.median([MolWt(molecule) for molecule in some]):.0f} g/mol")
    esters = [molecules(*(f"CC(=O)O{'C' * n}" for n in sizes)) for sizes in ((1, 2, 3), (4, 5, 6))]
    assert [one.title for one in name_series(esters)] == ["Esters, about 88 g/mol", "Esters, about 130 g/mol"]


def test_titles_that_say_little_tell_how_many_rings_most_molecules_have():
    one = molecules(*[f"CCCc1ccc({group})cc1" for group in ("C", "CC", "Cl", "F")])
    rings = ("C1CC1", "C1CCC1", "C1CCCC1", "C1CCOC1", "C1CCNC1", "C1CCSC1")
    two = molecules(*[f"c1ccccc1CC{ring}" for ring in rings], "CCc1ccc(I)cc1")
    ends = ("C1COC1CCc1ccccc1C1CO1", "C1CCSC1CCc1ccccc1CC1CN1", "C1CCCOC1CCc1ccccc1C1CS1")
    three = molecules(*[f"c1ccccc1CC{ring}" for ring in rings[:3]], *ends)
    named = name_series([one, two, three, molecules("CCCC", "CCC")])
    leads = [f"benzene derivatives with {number}" for number in ("one ring", "two rings", "two or three rings")]
    assert [series.lead for series in named[:3]] == leads
    for series, some, numbers in zip(named, (one, two, three), ((1,), (2,), (2, 3)), strict=False):
        assert series.share == sum(m.GetRingInfo().NumRings() in numbers for m in some) / len(some)
        assert series.title.lower() == f"{series.lead}, about {np.median([MolWt(m) for m in some]):.0f} g/mol"
    hetero = molecules("c1ccsc1CC", "Cc1ccncc1", "c1ccccc1CCC", "CCc1ccoc1", "Cc1ccccc1O", "c1ccccc1F")
    assert name_series([hetero, molecules("CCCC", "CCC")])[0].lead == "aromatic compounds with one ring"
    naphthalenes = molecules("Cc1ccc2ccccc2c1", "CCc1ccc2ncccc2c1", "c1ccc2occc2c1", "C1CCC2CCCCC2C1")
    assert name_series([naphthalenes, molecules("CCCC", "CCC")])[0].lead == "bicyclic compounds"  # which says it already


def test_what_sets_a_set_apart_is_more_frequent_there_by_substructure_search():
    anilides, _ = enumerated(ANILIDES, list(GROUPS), list(GROUPS))
    sets = [
        molecules(*(f"CCCc1ccc({end})cc1" for end in ("O", "O", "N", "C#N", "C#N", "C", "Br", "CC"))),
        molecules("CCCCO", "CCCCCO", "CCC", "CCCN", "CC(=O)OC", "CCCCCC#N"), molecules(*anilides),
    ]  # fmt: skip
    every = [molecule for some in sets for molecule in some]
    seen = 0
    for some, series in zip(sets, name_series(sets), strict=True):
        rest = [molecule for molecule in every if molecule not in some]
        for row in (*series.apart, *series.frequent):
            group = next((group for group in FUNCTIONAL if group.name == row.what), None)
            if group is not None:
                query = Chem.MolFromSmarts(group.smarts)
                counts = [sum(m.HasSubstructMatch(query) for m in part) / len(part) for part in (some, rest)]
                assert (row.here, row.others) == tuple(map(pytest.approx, counts))
                seen += 1
        for row in series.apart:
            assert row.here > row.others
            assert row.what not in series.title.lower()
    assert seen > 5
    phenols = name_series(sets)[0].apart
    assert {row.what for row in phenols} >= {"phenol", "nitrile"}


def test_how_far_apart_two_phenyl_rings_are_is_counted_along_the_shortest_path():
    chains = ("", "C", "CC", "CC", "CCC", "CCCCCC")
    some = molecules(*(f"c1ccccc1{chain}c1ccccc1" for chain in chains), "CCO")
    share, low, high = name_series([some, molecules("CCC")])[0].phenyls
    assert (share, low, high) == (pytest.approx(6 / 7), 1, 3)
    between = []
    query = Chem.MolFromSmarts("c1ccccc1")
    for molecule in some[:-1]:
        first, second = molecule.GetSubstructMatches(query)
        distances = Chem.GetDistanceMatrix(molecule)
        between.append(min(distances[i][j] for i in first for j in second) - 1)
    assert [low, high] == np.quantile(between, (0.25, 0.75), method="nearest").tolist()
    assert name_series([molecules("c1ccccc1CCCC"), molecules("CCC")])[0].phenyls is None


def test_two_rings_are_named_by_what_joins_them():
    benzophenones = [f"O=C(c1ccccc1)c1ccc({group})cc1" for group in ("C", "CC", "OC", "Cl", "F", "Br")]
    biphenyls = [f"c1ccc(-c2ccc({group})cc2)cc1" for group in ("C", "CC", "OC", "Cl", "F", "Br")]
    ureas = [f"O=C(Nc1ccccc1)Nc1ccc({group})cc1" for group in ("C", "CC", "OC", "Cl", "F", "Br")]
    series = name_series([molecules(*some) for some in (benzophenones, biphenyls, ureas)])
    assert [one.title for one in series] == ["Benzophenones", "Biphenyls", "N,N'-Diphenylureas"]
    others = [f"c1ccccc1{chain}c1ccccc1" for chain in ("CCC", "CCCC", "COC", "CSSC", "OCCO")]
    some = name_series([molecules(*benzophenones[:5], *others), molecules("CCC")])[0]
    assert (some.title, some.share) == ("Two phenyl rings, 5 of 10 are benzophenones", 1.0)
    assert some.lead == "molecules with two phenyl rings"
    assert {row.what: row.here for row in some.words}["benzophenone"] == 0.5  # what the title says has its share beside it


def test_what_few_have_in_common_is_mixed_and_says_what_some_are():
    mixed = molecules("CC1CCCCC1", "OC1CCCCC1", "NC1CCCCC1", "CC(C)C1CCCCC1", "c1ccncc1", "CCO", "CC(=O)OC", "CCS", "Cc1cnc[nH]1")
    series = name_series([mixed, molecules("CCCC", "CCCCC")])[0]
    assert (series.title, series.share, series.others) == ("Mixed, 4 of 9 are cyclohexanes", 0.0, 0.0)
    assert {row.what: row.here for row in series.words}["cyclohexane ring"] == pytest.approx(4 / 9)


def test_sugars_complexes_and_rings_in_benzene_derivatives_are_called_what_they_are():
    sugars = [f"OCC1OC({group})C(O)C(O)C1O" for group in ("OC", "OCC", "OCCC")]
    complexes = [f"Cl[{metal}](Cl)([n+]1ccccc1)([n+]1ccccc1)SC#N" for metal in ("Co", "Ni", "Zn")]
    pyridines = [f"Cc1ccc(CC{group}c2ccncc2)cc1" for group in ("C", "O", "S", "N")]
    others = [f"Cc1ccc(CC{group})cc1" for group in ("Br", "C#N", "C=O", "N", "S", "I")]
    titles = [one.title for one in name_series([molecules(*some) for some in (sugars, complexes)])]
    assert titles[0].startswith("Sugars")
    assert "tetrahydropyran" not in titles[0].lower()
    assert titles[1].startswith(("Metal pyridine complexes", "Pyridines"))
    derivatives = name_series([molecules(*pyridines, *others), molecules("CCCC", "CCCCC")])[0]
    assert derivatives.title == "Benzene derivatives, 4 of 10 with a pyridine ring"


def test_a_title_that_says_little_names_the_most_frequent_sort():
    pyridines = ["Cc1ccccn1", "CCc1ccncc1", "CCCc1cccnc1"]
    others = ["Cc1ccco1", "Cc1cscn1", "Cc1cnoc1", "Cc1cc[nH]c1"]
    series = name_series([molecules(*pyridines, *others), molecules("CCCC", "CCCCC")])[0]
    assert (series.title, series.share) == ("Aromatic heterocycles, 3 of 7 are pyridines", 1.0)


def test_a_sort_is_only_called_one_of_a_family_that_it_belongs_to():
    diazepanes = [f"CN1CCCN(Cc2{ring}2)CC1" for ring in ("ccco", "nccs", "ccno", "nocc")]
    others = [f"CC{ring}" for ring in ("c1ncn[nH]1", "c1nnn[nH]1", "c1nnco1", "c1ncon1", "c1nncs1")]
    series = name_series([molecules(*diazepanes, *others), molecules("CCCC", "CCCCC")])[0]
    assert series.title == "Aromatic heterocycles, 4 of 9 with a 1,4-diazepane ring"


def test_a_sort_that_few_are_of_is_not_in_a_title():
    ends = ("Br", "C#N", "C=O", "N", "S", "I", "CCl", "CF", "N=O", "P")
    some = molecules(*[f"Cc1ccc(CC{end})cc1" for end in ends], "Oc1ccccc1CC")
    assert name_series([some, molecules("CCCC", "CCCCC")])[0].title == "Benzene derivatives with one ring, about 152 g/mol"


def test_of_sorts_that_are_as_frequent_that_of_the_medoid_is_named():
    chains = ("CC", "CCC", "CCCC", "C(C)C", "CCCCC")
    sorts = {
        "phenols": [f"Oc1ccc({chain})cc1" for chain in chains], "nitriles": [f"N#Cc1ccc({chain})cc1" for chain in chains],
        "thiols": [f"Sc1ccc({chain})cc1" for chain in chains],
    }  # fmt: skip
    for kind, first in sorts.items():
        rest = [one for other, some in sorts.items() if other != kind for one in some]
        plain = [f"{chain}c1ccccc1" for chain in ("CC", "CCC", "CCCC", "CCCCC")]
        title = name_series([molecules(*first, *rest, *plain), molecules("CCCC", "CCCCC")])[0].title
        assert f"5 of 19 are {kind}" in title


def test_a_ring_with_oxo_groups_is_included_if_the_medoid_has_that():
    piperidines = [f"C{'C' * n}N1CCCCC1" for n in range(5)]
    glutarimide = "CCN1C(=O)CCCC1=O"
    others = molecules("CCCC", "CCCCC")
    assert name_series([molecules(*piperidines, glutarimide), others])[0].title == "Piperidines"
    series = name_series([molecules(glutarimide, *piperidines), others])[0]
    assert (series.title, series.share, series.medoid) == ("Piperidines or oxopiperidines", 1.0, True)


def test_it_is_said_whether_the_medoid_is_what_the_title_says():
    pyridines = [f"Cc1ccc(C{'C' * n})nc1" for n in range(4)]
    others = molecules("CCCC", "CCCCC")
    assert name_series([molecules(*pyridines, "CCO"), others])[0].medoid
    assert not name_series([molecules("CCO", *pyridines), others])[0].medoid


def test_what_is_missing_in_mixed_molecules_is_told():
    mixed = molecules("c1ccncc1", "CCO", "c1ccoc1", "C1CCNCC1", "CCBr", "C1CCOC1")
    series = name_series([mixed, molecules("Cc1ccccc1", "CCc1ccccc1", "CCCC")])[0]
    assert series.title.startswith("Mixed, without phenyl rings")
    assert series.share >= LEAST
    assert series.lead.startswith("molecules without phenyl rings")


def test_what_joins_two_phenyl_rings_is_told_where_it_differs():
    chains = ("", "", "", "C(=O)", "C(=O)", "N=N", "CCCCC")
    series = name_series([molecules(*[f"c1ccccc1{chain}c1ccccc1" for chain in chains]), molecules("CCCC")])[0]
    shares = {what: round(7 * share) for what, share in series.joined}
    assert shares == {"a bond": 3, "CO": 2, "N=N": 1, "a longer chain": 1}
    assert name_series([molecules("c1ccccc1CCCC"), molecules("CCCC")])[0].joined == ()


@pytest.mark.parametrize(("chain", "expected"), [
    ("NC(=O)", "CONH"), ("S(=O)(=O)N", "NHSO₂"), ("C(C)(O)", "CH₂"), ("C#C", "C≡C"), ("C=NNC(=O)", "CH=NNHCO"), ("N(C)", "NH"),
    ("C(=O)C=C", "CH=CHCO"), ("c2ccncc2", "another ring"), ("OCCCCCO", "a longer chain"), ("[Hg]", "Hg"),
    ("OP(=O)(C)O", "OP(=O)O"),
])  # fmt: skip
def test_what_joins_two_benzene_rings_is_written_out(chain, expected):
    assert joined_by(Chem.MolFromSmiles(f"c1ccccc1{chain}c1ccccc1"))[0] == expected


def test_only_benzene_rings_that_are_not_fused_are_joined():
    assert joined_by(Chem.MolFromSmiles("c1ccccc1C(=O)c1ccc2ccccc2c1")) is None
    assert joined_by(Chem.MolFromSmiles("c1ccccc1.c1ccccc1")) is None
    assert joined_by(Chem.MolFromSmiles("c1ccccc1CCc1ccc(-c2ccccc2)cc1")) == ("a bond", 0, 0)


def test_what_others_have_as_often_is_not_listed():
    some = molecules(*[f"Cc1ccnc({end})c1O" for end in ("C", "CC", "CCC")], "Cc1ccncc1")
    others = molecules(*[f"CC(O)c1ccccc1{end}" for end in ("C", "CC")], "Oc1ccc(C)cc1", "Oc1ccc(CC)cc1")
    for row in name_series([some, others])[0].words:
        assert row.here > row.others


def test_two_clusters_of_one_series_are_told_apart():
    quinolones = [f"O=C(O)c1cn(C)c2cc({group})c(F)cc2c1=O" for group in ("N3CCNCC3", "N3CCOCC3", "N3CCCC3")]
    phenyls = [f"O=C(O)c1cn(C)c2cc({group})c(F)cc2c1=O" for group in ("Cc3ccccc3", "OCc3ccccc3", "COc3ccccc3")]
    acids = [f"O=C(O)CC{'C' * n}" for n in range(20)]
    named = name_series([molecules(*quinolones), molecules(*phenyls), molecules(*acids)])
    first, second = (series.title for series in named[:2])
    assert first != second
    assert "aromatic amine" in first
    assert "phenyl ring" in second


def test_molecules_without_rings_and_small_sets_have_names():
    assert name_series([molecules("CC(=O)OC", "CCC(=O)OC", "CC(=O)OCC")])[0].title == "Acyclic esters"
    (alone,) = name_series([molecules("CCCC")])
    assert (alone.title, alone.share) == ("Acyclic molecules, 58 g/mol", 1.0)
    assert name_series([]) == []


def test_two_series_are_set_apart_by_what_few_of_the_other_have():
    quinolines = molecules("OC(=O)c1ccnc2ccccc12", "OC(=O)c1cnc2ccccc2c1", "Cc1ccnc2ccccc12", "OC(=O)c1cc(C)nc2ccccc12")
    naphthalenes = molecules("OC(=O)c1cccc2ccccc12", "Cc1cccc2ccccc12", "CCc1cccc2ccccc12", "CCCc1ccc2ccccc2c1")
    one, other = name_series([quinolines, naphthalenes])
    rows = set_apart(one, other)
    assert {row.what: (row.here, row.others) for row in rows} == {
        "quinoline ring": (1.0, 0.0), "naphthalene ring": (0.0, 1.0), "carboxylic acid": (0.75, 0.25)
    }  # fmt: skip
    back = set_apart(other, one)
    assert [(row.what, row.others, row.here) for row in back] == [(row.what, row.here, row.others) for row in rows]


def test_molecules_that_are_not_sanitised_have_no_words():
    assert words(Chem.MolFromSmiles("c1ccccc1N", sanitize=False)) == frozenset()
    assert name_series([[Chem.MolFromSmiles("c1ccccc1N", sanitize=False)]])[0].title == ""


def test_clusters_read_together_are_named_beside_each_other():
    graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl", "CCCCCC", "CCCCCCC", "CCCCCCCC"])
    km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    phenols = gm.chemistry.read_clusters(km, graphs)[km.labels_[0]]
    assert phenols.series.title == "Phenols"
    assert phenols.series.others == 0
    alone = gm.chemistry.ClusterChemistry(phenols.molecules)
    assert alone.series.title == "Phenols"
    rows = gm.chemistry.describe_clusters(km, graphs)
    titles = {(row["series"], row["series_share"]) for row in rows}
    assert titles == {("Phenols", 1.0), ("Acyclic molecules, about 100 g/mol", 1.0)}
