"""Ring systems by their common names: which ones a molecule has, exactly, by skeleton, or at least of how many rings they are.

A ring system is what rings that share bonds form together, with the oxygen or sulfur atoms that are bound to it doubly:
a quinolone is one, and so is a quinoline. Its name does not depend on what else it carries, on charges or on hydrogens.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from graphmeans.chemistry.toolkit import part, silent

#: Names by a molecule that consists of the ring system alone. Tautomers that RDKit takes for other rings stand beside each other.
NAMES: dict[str, str | tuple[str, ...]] = {
    # one ring, aromatic
    "benzene": "c1ccccc1", "pyridine": "c1ccncc1", "pyrimidine": "c1cncnc1", "pyrazine": "c1cnccn1", "pyridazine": "c1ccnnc1",
    "1,3,5-triazine": "c1ncncn1", "1,2,4-triazine": "c1cnncn1", "pyrrole": "c1cc[nH]c1", "furan": "c1ccoc1",
    "thiophene": "c1ccsc1", "imidazole": "c1c[nH]cn1", "pyrazole": "c1cn[nH]c1", "oxazole": "c1cocn1",
    "isoxazole": "c1cnoc1", "thiazole": "c1cscn1", "isothiazole": "c1cnsc1", "1,2,3-triazole": "c1c[nH]nn1",
    "1,2,4-triazole": "c1nc[nH]n1", "tetrazole": "c1nnn[nH]1", "1,2,4-oxadiazole": "c1ncon1", "1,3,4-oxadiazole": "c1nnco1",
    "1,2,5-oxadiazole": "c1cnon1", "1,3,4-thiadiazole": "c1nncs1", "1,2,4-thiadiazole": "c1ncsn1",
    "1,2,3-thiadiazole": "c1csnn1", "1,2,5-thiadiazole": "c1cnsn1", "selenophene": "c1cc[se]c1",
    # one ring with carbonyl groups
    "2-pyridone": "O=c1cccc[nH]1", "4-pyridone": "O=c1cc[nH]cc1", "pyrimidin-4-one": "O=c1cc[nH]cn1",
    "pyrimidin-2-one": "O=c1nccc[nH]1", "uracil": "O=c1cc[nH]c(=O)[nH]1", "pyridazin-3-one": "O=c1cccn[nH]1",
    "2-pyranone": "O=c1cccco1", "4-pyranone": "O=c1ccocc1", "pyrazol-3-one": ("O=c1cc[nH][nH]1", "O=C1CC=NN1"),
    "1,2,4-triazol-3-one": "O=c1nc[nH][nH]1", "thiazol-2-one": "O=c1[nH]ccs1", "2-thiouracil": "O=c1cc[nH]c(=S)[nH]1",
    "barbiturate": "O=C1CC(=O)NC(=O)N1", "thiobarbiturate": "O=C1CC(=O)NC(=S)N1", "hydantoin": "O=C1CNC(=O)N1",
    "thiohydantoin": "O=C1CNC(=S)N1", "rhodanine": "O=C1CSC(=S)N1", "thiazolidine-2,4-dione": "O=C1CSC(=O)N1",
    "thiazolidin-4-one": "O=C1CSCN1", "oxazolidin-2-one": "O=C1NCCO1", "imidazolidin-2-one": "O=C1NCCN1",
    "succinimide": "O=C1CCC(=O)N1", "maleimide": "O=C1C=CC(=O)N1", "glutarimide": "O=C1CCCC(=O)N1",
    "succinic anhydride": "O=C1CCC(=O)O1", "maleic anhydride": "O=C1C=CC(=O)O1", "pyrrolidin-2-one": "O=C1CCCN1",
    "pyrrolidine-2,3-dione": "O=C1CCNC1=O", "piperidin-2-one": "O=C1CCCCN1", "piperidin-4-one": "O=C1CCNCC1",
    "caprolactam": "O=C1CCCCCN1", "azetidin-2-one": "O=C1CCN1", "diketopiperazine": "O=C1CNC(=O)CN1",
    "piperazin-2-one": "O=C1CNCCN1", "morpholin-3-one": "O=C1COCCN1", "butyrolactone": "O=C1CCCO1", "butenolide": "O=C1C=CCO1",
    "valerolactone": "O=C1CCCCO1", "cyclopropenone": "O=c1cc1",
    "cyclobutenedione": "O=c1ccc1=O", "cyclobutanone": "O=C1CCC1", "cyclopentanone": "O=C1CCCC1",
    "cyclopentenone": "O=C1C=CCC1",
    "cyclohexanone": "O=C1CCCCC1", "cyclohexenone": "O=C1C=CCCC1", "cyclohexane-1,3-dione": "O=C1CCCC(=O)C1",
    "cyclohexane-1,4-dione": "O=C1CCC(=O)CC1", "cyclohexadienone": ("O=C1C=CCC=C1", "O=C1C=CC=CC1"),
    "cycloheptanone": "O=C1CCCCCC1", "tropone": "O=c1cccccc1", "benzoquinone": ("O=C1C=CC(=O)C=C1", "O=C1C=CC=CC1=O"),
    "dihydropyrimidin-2-one": "O=C1NC=CCN1", "sulfolane": "O=S1(=O)CCCC1", "sulfolene": ("O=S1(=O)CC=CC1", "O=S1(=O)C=CCC1"),
    "thiazol-4-one": "O=C1CSC=N1", "oxazol-5-one": "O=C1CN=CO1", "pyrrol-2-one": ("O=C1C=CCN1", "O=C1CC=CN1"),
    "dihydropyridazin-3-one": "O=C1CCC=NN1",
    # one ring, not aromatic
    "cyclopropane": "C1CC1", "cyclobutane": "C1CCC1", "cyclopentane": "C1CCCC1", "cyclopentene": "C1=CCCC1",
    "cyclopentadiene": "C1=CCC=C1", "cyclohexane": "C1CCCCC1", "cyclohexene": "C1=CCCCC1",
    "cyclohexadiene": ("C1=CCC=CC1", "C1=CCCC=C1"), "cycloheptane": "C1CCCCCC1", "cycloheptatriene": "C1=CC=CCC=C1",
    "cyclooctane": "C1CCCCCCC1", "aziridine": "C1CN1", "epoxide": "C1CO1", "thiirane": "C1CS1", "azetidine": "C1CNC1",
    "oxetane": "C1COC1", "pyrrolidine": "C1CCNC1", "pyrroline": ("C1=CCNC1", "C1=CNCC1", "C1=NCCC1"),
    "tetrahydrofuran": "C1CCOC1", "dihydrofuran": ("C1=CCOC1", "C1=COCC1"), "tetrahydrothiophene": "C1CCSC1",
    "imidazolidine": "C1CNCN1", "imidazoline": "C1CN=CN1", "pyrazolidine": "C1CNNC1", "pyrazoline": "C1CC=NN1",
    "oxazolidine": "C1COCN1", "oxazoline": "C1COC=N1", "isoxazoline": "C1CC=NO1", "thiazolidine": "C1CSCN1",
    "thiazoline": "C1CSC=N1", "1,3-dioxolane": "C1COCO1", "1,3-dithiolane": "C1CSCS1", "1,3-oxathiolane": "C1CSCO1",
    "piperidine": "C1CCNCC1", "tetrahydropyridine": ("C1=CCNCC1", "C1=CNCCC1", "C1=NCCCC1"),
    "dihydropyridine": ("C1C=CNC=C1", "C1=CC=CNC1"), "tetrahydropyran": "C1CCOCC1", "dihydropyran": ("C1=COCCC1", "C1=CCOCC1"),
    "4H-pyran": "C1C=COC=C1", "thiane": "C1CCSCC1", "piperazine": "C1CNCCN1", "morpholine": "C1COCCN1",
    "thiomorpholine": "C1CSCCN1", "hexahydropyrimidine": "C1CNCNC1", "1,3-dioxane": "C1COCOC1", "1,4-dioxane": "C1COCCO1",
    "1,3-dithiane": "C1CSCSC1", "1,3-oxazinane": "C1CNCOC1", "1,3-thiazinane": "C1CNCSC1", "1,3,5-triazinane": "C1NCNCN1",
    "1,3,5-trioxane": "C1OCOCO1", "azepane": "C1CCCNCC1", "1,4-diazepane": "C1CNCCNC1", "azocane": "C1CCCNCCC1",
    # two rings
    "naphthalene": "c1ccc2ccccc2c1", "azulene": "c1ccc2cccc-2cc1", "indole": "c1ccc2[nH]ccc2c1",
    "isoindole": "c1ccc2c[nH]cc2c1",
    "indolizine": "c1ccn2cccc2c1", "benzofuran": "c1ccc2occc2c1", "benzothiophene": "c1ccc2sccc2c1",
    "benzimidazole": "c1ccc2[nH]cnc2c1", "indazole": "c1ccc2[nH]ncc2c1", "benzoxazole": "c1ccc2ocnc2c1",
    "benzisoxazole": ("c1ccc2oncc2c1", "c1ccc2nocc2c1"), "benzothiazole": "c1ccc2scnc2c1", "benzisothiazole": "c1ccc2sncc2c1",
    "benzotriazole": "c1ccc2[nH]nnc2c1", "2,1,3-benzothiadiazole": "c1ccc2nsnc2c1", "benzofurazan": "c1ccc2nonc2c1",
    "quinoline": "c1ccc2ncccc2c1", "isoquinoline": "c1ccc2cnccc2c1", "quinazoline": "c1ccc2ncncc2c1",
    "quinoxaline": "c1ccc2nccnc2c1", "cinnoline": "c1ccc2nnccc2c1", "phthalazine": "c1ccc2cnncc2c1",
    "1,5-naphthyridine": "c1cnc2cccnc2c1", "1,6-naphthyridine": "c1cnc2ccncc2c1", "1,8-naphthyridine": "c1cnc2ncccc2c1",
    "purine": "c1ncc2[nH]cnc2n1", "pteridine": "c1cnc2ncncc2n1", "7-azaindole": "c1cnc2[nH]ccc2c1",
    "imidazo[1,2-a]pyridine": "c1ccn2ccnc2c1", "pyrazolo[1,5-a]pyrimidine": "c1cnc2ccnn2c1",
    "pyrazolo[3,4-d]pyrimidine": "c1ncc2cn[nH]c2n1", "pyrrolo[2,3-d]pyrimidine": "c1ncc2cc[nH]c2n1",
    "thieno[2,3-b]pyridine": "c1cnc2sccc2c1", "thieno[2,3-d]pyrimidine": "c1ncc2ccsc2n1",
    "[1,2,4]triazolo[4,3-a]pyridine": "c1ccn2cnnc2c1", "[1,2,4]triazolo[1,5-a]pyrimidine": "c1cnc2ncnn2c1",
    "imidazo[2,1-b]thiazole": "c1cn2ccsc2n1", "indane": "c1ccc2c(c1)CCC2", "indene": "c1ccc2c(c1)C=CC2",
    "tetralin": "c1ccc2c(c1)CCCC2",
    "dihydronaphthalene": ("c1ccc2c(c1)C=CCC2", "c1ccc2c(c1)CC=CC2"), "indoline": "c1ccc2c(c1)CCN2",
    "isoindoline": "c1ccc2c(c1)CNC2",
    "tetrahydroquinoline": "c1ccc2c(c1)CCCN2", "tetrahydroisoquinoline": "c1ccc2c(c1)CCNC2",
    "dihydrobenzofuran": "c1ccc2c(c1)CCO2", "chroman": "c1ccc2c(c1)CCCO2",
    "chromene": ("c1ccc2c(c1)C=CCO2", "c1ccc2c(c1)CC=CO2"),
    "1,3-benzodioxole": "c1ccc2c(c1)OCO2", "1,4-benzodioxane": "c1ccc2c(c1)OCCO2",
    "1,4-benzoxazine": ("c1ccc2c(c1)NCCO2", "c1ccc2c(c1)N=CCO2"),
    "1,4-benzothiazine": ("c1ccc2c(c1)NCCS2", "c1ccc2c(c1)NC=CS2"),
    "1,4-benzodiazepine": ("c1ccc2c(c1)CNCCN2", "c1ccc2c(c1)C=NCC=N2", "c1ccc2c(c1)C=NCCN2"),
    "1,5-benzodiazepine": ("c1ccc2c(c1)NCCCN2", "c1ccc2c(c1)N=CCCN2", "c1ccc2c(c1)N=CCC=N2"),
    "decalin": "C1CCC2CCCCC2C1", "hydrindane": "C1CCC2CCCC2C1", "norbornane": "C1CC2CCC1C2", "norbornene": "C1=CC2CCC1C2",
    "bicyclo[2.2.2]octane": "C1CC2CCC1CC2", "quinuclidine": "C1CN2CCC1CC2", "tropane": "C1CC2CCC(C1)N2",
    "DABCO": "C1CN2CCN1CC2", "quinolizidine": "C1CCN2CCCCC2C1", "pyrrolizidine": "C1CC2CCCN2C1",
    "bicyclo[3.1.1]heptane": "C1CC2CC(C1)C2", "7-oxanorbornane": "C1CC2CCC1O2",
    "tetrazolo[1,5-a]pyridine": "c1ccn2nnnc2c1", "imidazo[1,2-a]pyrimidine": "c1cnc2nccn2c1",
    "thieno[2,3-b]thiophene": "c1cc2ccsc2s1", "1,5-benzodioxepine": "c1ccc2c(c1)OCCCO2",
    # two rings with carbonyl groups
    "2-quinolone": "O=c1ccc2ccccc2[nH]1", "4-quinolone": "O=c1cc[nH]c2ccccc12", "isoquinolone": "O=c1[nH]ccc2ccccc12",
    "quinazolin-4-one": "O=c1[nH]cnc2ccccc12", "quinazoline-2,4-dione": "O=c1[nH]c(=O)c2ccccc2[nH]1",
    "quinoxalin-2-one": "O=c1cnc2ccccc2[nH]1", "phthalazin-1-one": "O=c1[nH]ncc2ccccc12", "coumarin": "O=c1ccc2ccccc2o1",
    "isocoumarin": "O=c1occc2ccccc12", "chromone": "O=c1ccoc2ccccc12", "chroman-4-one": "O=C1CCOc2ccccc21",
    "dihydrocoumarin": "O=C1CCc2ccccc2O1", "thiochromone": "O=c1ccsc2ccccc12", "1-indanone": "O=C1CCc2ccccc21",
    "indane-1,3-dione": "O=C1CC(=O)c2ccccc21", "1-tetralone": "O=C1CCCc2ccccc21", "2-tetralone": "O=C1CCc2ccccc2C1",
    "1,4-naphthoquinone": "O=C1C=CC(=O)c2ccccc21", "1,2-naphthoquinone": "O=C1C=Cc2ccccc2C1=O", "oxindole": "O=C1Cc2ccccc2N1",
    "isatin": "O=C1Nc2ccccc2C1=O", "isoindolinone": "O=C1NCc2ccccc21", "phthalimide": "O=C1NC(=O)c2ccccc21",
    "phthalic anhydride": "O=C1OC(=O)c2ccccc21", "phthalide": "O=C1OCc2ccccc21", "benzoxazol-2-one": "O=c1[nH]c2ccccc2o1",
    "benzothiazol-2-one": "O=c1[nH]c2ccccc2s1", "benzimidazol-2-one": "O=c1[nH]c2ccccc2[nH]1",
    "saccharin": "O=C1NS(=O)(=O)c2ccccc21", "1,4-benzodiazepin-2-one": ("O=C1CN=Cc2ccccc2N1", "O=C1CNCc2ccccc2N1"),
    "1,5-benzodiazepin-2-one": ("O=C1CCNc2ccccc2N1", "O=C1CC=Nc2ccccc2N1"), "1,4-benzoxazin-3-one": "O=C1COc2ccccc2N1",
    "1,4-benzothiazin-3-one": "O=C1CSc2ccccc2N1", "purin-6-one": "O=c1[nH]cnc2nc[nH]c12",
    "xanthine": "O=c1[nH]c(=O)c2[nH]cnc2[nH]1",
    "purine-6-thione": "S=c1[nH]cnc2nc[nH]c12", "pteridin-4-one": "O=c1[nH]cnc2nccnc12",
    "thieno[2,3-d]pyrimidin-4-one": "O=c1[nH]cnc2sccc12", "norbornanone": "O=C1CC2CCC1C2",
    "penam": "O=C1CC2SCCN12", "cephem": "O=C1CC2SCC=CN12",
    "pyrido[1,2-a]pyrimidin-4-one": "O=c1ccnc2ccccn12", "3,1-benzoxazin-4-one": "O=c1ocnc2ccccc12",
    "1,5-benzothiazepin-4-one": "O=C1CCSc2ccccc2N1", "1,2,4-benzothiadiazine dioxide": "O=S1(=O)NC=Nc2ccccc21",
    # three rings and more
    "anthracene": "c1ccc2cc3ccccc3cc2c1", "phenanthrene": "c1ccc2c(c1)ccc1ccccc12", "fluorene": "c1ccc2c(c1)Cc1ccccc1-2",
    "acenaphthene": "c1cc2c3c(cccc3c1)CC2", "carbazole": "c1ccc2c(c1)[nH]c1ccccc12", "dibenzofuran": "c1ccc2c(c1)oc1ccccc12",
    "dibenzothiophene": "c1ccc2c(c1)sc1ccccc12", "acridine": "c1ccc2nc3ccccc3cc2c1", "phenazine": "c1ccc2nc3ccccc3nc2c1",
    "phenanthridine": "c1ccc2c(c1)cnc1ccccc12", "1,10-phenanthroline": "c1cnc2c(c1)ccc1cccnc12",
    "benzo[h]quinoline": "c1ccc2c(c1)ccc1cccnc12", "phenothiazine": "c1ccc2c(c1)Nc1ccccc1S2",
    "phenoxazine": "c1ccc2c(c1)Nc1ccccc1O2",
    "phenoxathiin": "c1ccc2c(c1)Oc1ccccc1S2", "thianthrene": "c1ccc2c(c1)Sc1ccccc1S2",
    "dibenzodioxin": "c1ccc2c(c1)Oc1ccccc1O2", "xanthene": "c1ccc2c(c1)Cc1ccccc1O2", "thioxanthene": "c1ccc2c(c1)Cc1ccccc1S2",
    "9,10-dihydroacridine": "c1ccc2c(c1)Cc1ccccc1N2", "9,10-dihydroanthracene": "c1ccc2c(c1)Cc1ccccc1C2",
    "dibenzoazepine": ("c1ccc2c(c1)C=Cc1ccccc1N2", "c1ccc2c(c1)CCc1ccccc1N2"),
    "dibenzocycloheptene": ("c1ccc2c(c1)C=Cc1ccccc1C2", "c1ccc2c(c1)CCc1ccccc1C2"),
    "beta-carboline": "c1ccc2c(c1)[nH]c1cnccc12",
    "tetrahydro-beta-carboline": "c1ccc2c(c1)[nH]c1c2CCNC1", "tetrahydrocarbazole": "c1ccc2c(c1)[nH]c1c2CCCC1",
    "pyrido[1,2-a]benzimidazole": "c1ccc2c(c1)nc1ccccn12", "naphtho[2,1-b]furan": "c1ccc2c(c1)ccc1occc12",
    "xanthen-3-one": "O=c1ccc2cc3ccccc3oc-2c1",
    "anthraquinone": "O=C1c2ccccc2C(=O)c2ccccc21", "phenanthrenequinone": "O=C1C(=O)c2ccccc2-c2ccccc21",
    "anthrone": "O=C1c2ccccc2Cc2ccccc21", "fluorenone": "O=C1c2ccccc2-c2ccccc21", "xanthone": "O=c1c2ccccc2oc2ccccc12",
    "thioxanthone": "O=c1c2ccccc2sc2ccccc12", "acridone": "O=c1c2ccccc2[nH]c2ccccc12", "psoralen": "O=c1ccc2cc3ccoc3cc2o1",
    "naphthalimide": "O=C1NC(=O)c2cccc3cccc1c23", "isoalloxazine": "O=c1[nH]c(=O)c2nc3ccccc3[nH]c-2n1",
    "pyrene": "c1cc2ccc3cccc4ccc(c1)c2c34", "tetracene": "c1ccc2cc3cc4ccccc4cc3cc2c1",
    "chrysene": "c1ccc2c(c1)ccc1c3ccccc3ccc21",
    "benz[a]anthracene": "c1ccc2cc3c(ccc4ccccc43)cc2c1", "triphenylene": "c1ccc2c(c1)c1ccccc1c1ccccc21",
    "fluoranthene": "c1ccc2c(c1)-c1cccc3cccc-2c13", "adamantane": "C1C2CC3CC1CC(C2)C3",
    "hexamethylenetetramine": "C1N2CN3CN1CN(C2)C3",
}  # fmt: skip
#: Skeletons that have a name whatever their bonds: elements and rings decide.
SKELETONS: dict[str, str | tuple[str, ...]] = {
    "steroid skeleton": "C1CCC2C(C1)CCC1C2CCC2CCCC21",
    "morphinan skeleton": ("C1CCC2C3CC4CCCCC4C2(C1)CCN3", "C1CC2CC3C4CCCC5OC(C1)C2C45CCN3"),
    "ergoline skeleton": "C1CC2C(CC3CNC4CCCC2C34)NC1",
    "yohimban skeleton": "C1CCC2CN3CCC4C5CCCCC5NC4C3CC2C1",
}
#: How a skeleton with fewer double bonds than the aromatic one of that name is called.
REDUCED = "hydrogenated "
#: What is said of ring systems whatever their name; the number of rings is that of the smallest set of them.
FUSED = {2: "bicyclic ring system", 3: "tricyclic ring system", 4: "polycyclic ring system"}
HETEROAROMATIC, MACROCYCLE, LARGE_RING = "aromatic heterocycle", "macrocycle", 12


class RingName(NamedTuple):
    """A name of a ring system, and the number of its ring atoms and of those that are not carbon."""

    name: str
    atoms: int
    hetero: int


def ring_names(molecule: Any) -> list[tuple[RingName, ...]]:
    """The names of each ring system of a molecule, that which says most first."""
    return [_names(key) for key in ring_keys(molecule)]


def ring_keys(molecule: Any) -> Iterator[str]:
    """Each ring system of a molecule as a text in which alike ones are alike."""
    for inside, along in ring_systems(molecule):
        yield _key(molecule, inside, along)


@lru_cache(maxsize=1 << 14)
def without_oxo(key: str) -> str | None:
    """The name of a ring system that is not aromatic without what is bound to it doubly: piperidine, of a glutarimide."""
    chem = part("Chem")
    with silent():
        bare = _without_ends(chem.MolFromSmiles(key, sanitize=False))
    return None if any(atom.GetIsAromatic() for atom in bare.GetAtoms()) else _known()[0].get(str(chem.MolToSmiles(bare)))


def names_of_key(key: str) -> tuple[RingName, ...]:
    """The names of a ring system that is given as such a text, that which says most first."""
    return _names(key)


def names_of_system(molecule: Any, inside: set[int], along: set[int]) -> tuple[RingName, ...]:
    """The names of one of the ring systems of a molecule, that which says most first."""
    return _names(_key(molecule, inside, along))


def ring_systems(molecule: Any) -> list[tuple[set[int], set[int]]]:
    """The atoms and the bonds of each ring system of a molecule."""
    info = molecule.GetRingInfo()
    systems: list[tuple[set[int], set[int]]] = []
    for atoms, bonds in zip(info.AtomRings(), info.BondRings(), strict=True):
        new = set(atoms), set(bonds)
        apart = []
        for system in systems:
            if system[1] & new[1]:
                new = system[0] | new[0], system[1] | new[1]
            else:
                apart.append(system)
        systems = [*apart, new]
    return systems


def _key(molecule: Any, inside: set[int], along: set[int]) -> str:
    chem = part("Chem")
    piece = chem.RWMol()
    place: dict[int, int] = {}
    for a in sorted(inside):
        atom = molecule.GetAtomWithIdx(a)
        place[a] = _add(piece, atom.GetAtomicNum(), atom.GetIsAromatic())
    for b in along:
        bond = molecule.GetBondWithIdx(b)
        _bind(piece, place[bond.GetBeginAtomIdx()], place[bond.GetEndAtomIdx()], bond.GetBondType())
    for a in sorted(inside):
        for bond in molecule.GetAtomWithIdx(a).GetBonds():
            other = bond.GetOtherAtom(molecule.GetAtomWithIdx(a))
            bound_doubly = bond.GetBondType() == chem.BondType.DOUBLE and bond.GetIdx() not in along
            if bound_doubly and other.GetAtomicNum() in (8, 16) and other.GetDegree() == 1:
                _bind(piece, place[a], _add(piece, other.GetAtomicNum(), False), bond.GetBondType())
    return str(chem.MolToSmiles(piece))


def _add(piece: Any, number: int, aromatic: bool) -> int:
    atom = part("Chem").Atom(number)
    atom.SetIsAromatic(aromatic)
    atom.SetNoImplicit(True)
    return int(piece.AddAtom(atom))


def _bind(piece: Any, one: int, other: int, kind: Any) -> None:
    piece.AddBond(one, other, kind)
    if kind == part("Chem").BondType.AROMATIC:
        piece.GetBondBetweenAtoms(one, other).SetIsAromatic(True)


@lru_cache(maxsize=1 << 14)
def _names(key: str) -> tuple[RingName, ...]:
    """All names of a ring system: with what is bound to it doubly, without it, by its skeleton, and by its number of rings."""
    chem = part("Chem")
    with silent():
        piece = chem.RWMol(chem.MolFromSmiles(key, sanitize=False))
        chem.FastFindRings(piece)
    bare = _without_ends(piece)
    atoms = bare.GetNumAtoms()
    hetero = sum(atom.GetAtomicNum() != 6 for atom in bare.GetAtoms())
    known, skeletons, aromatic = _known()
    found = [known[key]] if key in known else []
    if not found or all(atom.GetIsAromatic() for atom in bare.GetAtoms()):  # a quinolone is a quinoline, a lactam no amine
        found += [known[k] for k in [str(chem.MolToSmiles(bare))] if k in known and known[k] not in found]
    plain = _skeleton(bare)
    if plain in skeletons:
        found.append(skeletons[plain])
    elif not found and plain in aromatic:
        found.append(f"{REDUCED}{aromatic[plain]}")
    count = bare.GetNumBonds() - atoms + 1
    if count > 1:
        found.append(FUSED[min(count, max(FUSED))])
    if any(atom.GetIsAromatic() and atom.GetAtomicNum() != 6 for atom in bare.GetAtoms()):
        found.append(HETEROAROMATIC)
    if max(map(len, chem.GetSymmSSSR(bare))) >= LARGE_RING:
        found.append(MACROCYCLE)
    return tuple(RingName(name, atoms, hetero) for name in dict.fromkeys(found))


def _without_ends(piece: Any) -> Any:
    """A ring system without what is bound to it doubly."""
    bare = part("Chem").RWMol(piece)
    for a in sorted((atom.GetIdx() for atom in bare.GetAtoms() if atom.GetDegree() == 1), reverse=True):
        bare.RemoveAtom(a)
    part("Chem").FastFindRings(bare)
    return bare


def _skeleton(bare: Any) -> str:
    chem = part("Chem")
    copy = chem.RWMol()
    for atom in bare.GetAtoms():
        _add(copy, atom.GetAtomicNum(), False)
    for bond in bare.GetBonds():
        copy.AddBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), chem.BondType.SINGLE)
    return str(chem.MolToSmiles(copy))


@lru_cache(maxsize=1)
def _known() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Names by key; by skeleton; and, of ring systems that are aromatic throughout, by skeleton."""
    chem = part("Chem")
    known: dict[str, str] = {}
    aromatic: dict[str, str] = {}
    for name, examples in NAMES.items():
        for smiles in several(examples):
            molecule = chem.MolFromSmiles(smiles)
            (key,) = ring_keys(molecule)
            known[key] = name
            if all(atom.GetIsAromatic() for atom in molecule.GetAtoms()) and molecule.GetRingInfo().NumRings() > 1:
                aromatic[_skeleton(molecule)] = name
    skeletons = {
        _skeleton(chem.MolFromSmiles(smiles)): name for name, examples in SKELETONS.items() for smiles in several(examples)
    }  # fmt: skip
    return known, skeletons, aromatic


def several(examples: str | tuple[str, ...]) -> tuple[str, ...]:
    """The molecules that stand for a ring system."""
    return (examples,) if isinstance(examples, str) else examples
