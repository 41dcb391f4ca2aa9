"""Functional groups by their common names, each as SMARTS with a molecule that has it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from graphmeans.chemistry.toolkit import part


class Group(NamedTuple):
    """A functional group: what molecules that have it are called, and how much it says about them, from 1 to 6."""

    name: str
    compounds: str
    weight: float
    smarts: str
    example: str  # a molecule that has it, and as little else as can be


_ALKYL = "[CX4;!$(C([OX2])[O,N,S,n]);!$(C[F,Cl,Br,I])]"
_PLAIN_N = "!$(N~[!#6]);!$(N[#6]=[O,S,N]);!$(NC#N)"
#: Metals, but not those whose ions are mostly there to balance a charge.
METALS = frozenset((13, *range(21, 33), *range(39, 52), *range(57, 85), *range(89, 104)))
_METAL = f"[{','.join(f'#{n}' for n in sorted(METALS))}]"

#: Aromatic rings of examples are thiophene: of what is bound to any aromatic ring, benzene shall not be taken for a part.
GROUPS = tuple(Group(*row) for row in (
    # acids and what is made of them
    ("carboxylic acid", "carboxylic acids", 5, "[CX3;$([H0][#6]),$([H1])](=[OX1])[$([OX2H1]),$([OX1-])]", "CC(=O)O"),
    ("amino acid", "amino acids", 6,
     "[N;$([NX3;!$(N~[!#6]);!$(NC=[O,S,N])]),$([NX4+])][CX4][CX3](=[OX1])[$([OX2H1]),$([OX1-])]", "NCC(=O)O"),
    ("ester", "esters", 5, "[CX3;$([H0][#6]),$([H1])](=[OX1])-!@[OX2][#6;!$([#6]=[O,S,N])]", "CC(=O)OC"),
    ("lactone", "lactones", 5, "[#6;$([#6](=[OX1])@[#6])]@[$([OX2;R]),$([o;R])]@[#6;!$([#6]=[O,S,N])]", "O=C1CCCO1"),
    ("carboxylic anhydride", "carboxylic anhydrides", 6, "[CX3](=[OX1])[OX2][CX3]=[OX1]", "CC(=O)OC(C)=O"),
    ("acyl halide", "acyl halides", 6, "[#6][CX3](=[OX1])[F,Cl,Br,I]", "CC(=O)Cl"),
    ("carbonate", "carbonates", 6, "[#6][OX2][CX3](=[OX1])[OX2][#6]", "COC(=O)OC"),
    ("carbamate", "carbamates", 5, "[NX3][CX3](=[OX1])[OX2H0][#6]", "NC(=O)OC"),
    ("amide", "amides", 4.5, "[CX3;$([H0][#6]),$([H1])](=[OX1])-!@[NX3;!$(N[#7,#8]);!$(N(C=O)C=O)]", "CC(N)=O"),
    ("lactam", "lactams", 5, "[CX3;$([C](=[OX1])@[#6])]@[NX3;R;!$(N(C=O)C=O)]", "O=C1CCCN1"),
    ("imide", "imides", 5, "[CX3;$(C[#6])](=[OX1])[NX3][CX3;$(C[#6])]=[OX1]", "CC(=O)NC(C)=O"),
    ("urea", "ureas", 5, "[NX3;!$(N[#7,#8]);!$(NC(=O)[#6])][CX3](=[OX1])[NX3;!$(N[#7,#8]);!$(NC(=O)[#6])]", "NC(N)=O"),
    ("acylurea", "acylureas", 5, "[CX3;$(C[#6])](=[OX1])[NX3][CX3](=[OX1])[NX3]", "CC(=O)NC(N)=O"),
    ("semicarbazide", "semicarbazides", 5, "[NX3][CX3](=[OX1])[NX3][NX3]", "NNC(N)=O"),
    ("semicarbazone", "semicarbazones", 6, "[NX3][CX3](=[OX1])[NX3][NX2]=[#6]", "C=NNC(N)=O"),
    ("thiourea", "thioureas", 6, "[NX3;!$(N[#7,#8])][CX3](=[SX1])[NX3;!$(N[#7,#8])]", "NC(N)=S"),
    ("thiosemicarbazide", "thiosemicarbazides", 6, "[NX3][CX3](=[SX1])[NX3][NX3]", "NNC(N)=S"),
    ("thiosemicarbazone", "thiosemicarbazones", 6, "[NX3][CX3](=[SX1])[NX3][NX2]=[#6]", "C=NNC(N)=S"),
    ("thioamide", "thioamides", 6, "[CX3;$([H0][#6]),$([H1])](=[SX1])[NX3]", "CC(N)=S"),
    ("thioester", "thioesters", 6, "[#6][CX3](=[OX1])[SX2][#6]", "CC(=O)SC"),
    ("dithiocarbamate", "dithiocarbamates", 6, "[NX3][CX3](=[SX1])[$([SX2]),$([SX1-])]", "CN(C)C(=S)S"),
    ("hydrazide", "hydrazides", 5, "[#6][CX3](=[OX1])[NX3][NX3]", "CC(=O)NN"),
    ("acylhydrazone", "acylhydrazones", 6, "[#6][CX3](=[OX1])[NX3][NX2]=[CX3]", "CC(=O)NN=C"),
    ("hydroxamic acid", "hydroxamic acids", 6, "[CX3](=[OX1])[NX3][$([OX2H1]),$([OX1-])]", "CC(=O)NO"),
    ("guanidine", "guanidines", 6, "[NX3][CX3](=[$([NX2]),$([NX3+])])[NX3;!$(N[#7])]", "NC(N)=N"),
    ("amidine", "amidines", 5, "[CX3;$([H0][#6]),$([H1])](=[$([NX2;!$(N[#7,#8])]),$([NX3+])])[NX3;!$(N[#7,#8])]", "CC(N)=N"),
    # carbonyl groups and their nitrogen compounds
    ("aldehyde", "aldehydes", 5, "[#6][CX3H1]=[OX1]", "CC=O"),
    ("ketone", "ketones", 4, "[#6][CX3](=[OX1])[#6]", "CC(C)=O"),
    ("conjugated enone", "enones", 4.5, "[CX3]=[CX3][CX3](=[OX1])[#6]", "C=CC(C)=O"),
    ("chalcone", "chalcones", 7, "c-!@[CX3](=[OX1])-!@[CX3]=!@[CX3]-!@c", "O=C(/C=C/c1ccccc1)c1ccccc1"),
    ("oxime", "oximes", 6, "[CX3]=[NX2][OX2]", "CC=NO"),
    ("hydrazone", "hydrazones", 5, "[CX3;!$(C[#7])]=!@[NX2][NX3;!$(NC=[O,S])]", "CC=NN"),
    ("azine", "azines", 6, "[CX3]=[NX2][NX2]=[CX3]", "CC=NN=CC"),
    ("imine", "imines", 4, "[CX3;!$(C[#7,#8,#16])]=!@[NX2;!$(N[!#6])][#6]", "CC=NC"),
    # nitrogen
    ("nitro group", "nitro compounds", 5, "[#6][$([NX3+](=O)[O-]),$([NX3](=O)=O)]", "C[N+](=O)[O-]"),
    ("nitrate ester", "nitrate esters", 6, "[#6][OX2][$([NX3+](=O)[O-]),$([NX3](=O)=O)]", "CO[N+](=O)[O-]"),
    ("nitroso group", "nitroso compounds", 6, "[#6][NX2]=[OX1]", "CN=O"),
    ("nitrosamine", "nitrosamines", 6, "[#6][NX3]([#6])[NX2]=[OX1]", "CN(C)N=O"),
    ("nitrile", "nitriles", 5, "[#6][CX2]#[NX1]", "CC#N"),
    ("isocyanate", "isocyanates", 6, "[#6][NX2]=[CX2]=[OX1]", "CN=C=O"),
    ("isothiocyanate", "isothiocyanates", 6, "[#6][NX2]=[CX2]=[SX1]", "CN=C=S"),
    ("thiocyanate", "thiocyanates", 6, "[#6][SX2][CX2]#[NX1]", "CSC#N"),
    ("azide", "azides", 6, "[#6][$([NX2]=[N+]=[N-]),$([NX2-][N+]#N)]", "CN=[N+]=[N-]"),
    ("diazo group", "diazo compounds", 6, "[$([#6]=[N+]=[N-]),$([#6-][N+]#N)]", "C=[N+]=[N-]"),
    ("azo group", "azo compounds", 6, "[#6][NX2]=[NX2][#6]", "CN=NC"),
    ("hydrazine", "hydrazines", 5, "[NX3;!$(N[#6]=[O,S,N]);!$(N=*)]-!@[NX3;!$(N[#6]=[O,S,N]);!$(N=*)]", "CNN"),
    ("nitrogen mustard", "nitrogen mustards", 6, "[NX3]([CH2][CH2][Cl,Br,I])[CH2][CH2][Cl,Br,I]", "ClCCNCCCl"),
    ("quaternary ammonium group", "quaternary ammonium salts", 5, "[NX4+]([#6])([#6])([#6])[#6]", "C[N+](C)(C)C"),
    ("N-oxide", "N-oxides", 5, "[$([nX3+]),$([NX4+])][OX1-]", "C[N+](C)(C)[O-]"),
    ("aliphatic amine", "aliphatic amines", 3.5, f"[$([NX3;{_PLAIN_N};!$(N[#6;X3,X2])]),$([NX4+;!H0;!$(N~[!#6])])]", "CN"),
    ("aromatic amine", "aromatic amines", 4, f"[NX3;{_PLAIN_N}]-c", "Nc1cccs1"),
    # oxygen
    ("phenol", "phenols", 4.5, "[$([OX2H1]),$([OX1-])]c1ccccc1", "Oc1ccccc1"),
    ("alcohol", "alcohols", 3.5, "[OX2H1][CX4;!$(C([OX2])[OX2H1])]", "CO"),
    ("aromatic methoxy group", "aromatic methoxy compounds", 3, "c-[OX2][CH3]", "COc1cccs1"),
    ("aryl ether", "aryl ethers", 2.5, "c-!@[OX2]-!@[#6;!$([#6]=[O,S,N])]", "CCOc1cccs1"),
    ("aliphatic ether", "aliphatic ethers", 2.5, f"{_ALKYL}-[OX2]-{_ALKYL}", "COC"),
    ("acetal", "acetals", 4, "[CX4;!$(C([OX2])([OX2])[OX2])]([OX2;!$(O[#6]=[O,S])][#6])[OX2;!$(O[#6]=[O,S])][#6]", "COCOC"),
    ("peroxide", "peroxides", 6, "[OX2][OX2]", "COOC"),
    ("sugar ring", "sugars", 6, "[$([OX2]1[CX4]([O,N,S,n])[CX4]([O,N])[CX4]([O,N])[CX4][CX4]1),"
     "$([OX2]1[CX4]([O,N,S,n])[CX4][CX4]([O,N])[CX4]1[CX4])]", "OCC1OC(O)CC1O"),
    # sulfur, phosphorus and others
    ("thiol", "thiols", 5, "[#6;!$([#6]=[O,S,N])][$([SX2H1]),$([SX1-])]", "CS"),
    ("thioether", "thioethers", 4, "[#6;!$([#6]=[O,S]);!$(C#N)][SX2][#6;!$([#6]=[O,S]);!$(C#N)]", "CSC"),
    ("disulfide", "disulfides", 6, "[#6][SX2][SX2][#6]", "CSSC"),
    ("sulfoxide", "sulfoxides", 6, "[#6][$([SX3]=[OX1]),$([SX3+][OX1-])][#6]", "CS(C)=O"),
    ("sulfone", "sulfones", 5, "[#6][SX4](=[OX1])(=[OX1])[#6]", "CS(C)(=O)=O"),
    ("sulfonamide", "sulfonamides", 6, "[#6][SX4](=[OX1])(=[OX1])[$([NX3]),$([NX2-])]", "CS(N)(=O)=O"),
    ("sulfonic acid", "sulfonic acids", 6, "[#6][SX4](=[OX1])(=[OX1])[$([OX2H1]),$([OX1-])]", "CS(=O)(=O)O"),
    ("sulfonate ester", "sulfonate esters", 6, "[#6][SX4](=[OX1])(=[OX1])[OX2][#6]", "COS(C)(=O)=O"),
    ("sulfonyl halide", "sulfonyl halides", 6, "[#6][SX4](=[OX1])(=[OX1])[F,Cl,Br,I]", "CS(=O)(=O)Cl"),
    ("phosphate", "phosphates", 6, "P(=[OX1])(O)(O)O", "COP(=O)(O)O"),
    ("thiophosphate", "thiophosphates", 6, "P(=[SX1])([O,S])([O,S])[O,S]", "COP(=S)(O)O"),
    ("phosphonate", "phosphonates", 6, "[#6]P(=[OX1])([$([OX2]),$([OX1-])])[$([OX2]),$([OX1-])]", "CP(=O)(O)O"),
    ("phosphine", "phosphines", 6, "[PX3]([#6])([#6])[#6]", "CP(C)C"),
    ("phosphonium group", "phosphonium salts", 6, "[PX4+]([#6])([#6])([#6])[#6]", "C[P+](C)(C)C"),
    ("boronic acid", "boronic acids", 6, "[#6]B([$([OX2H1]),$([OX1-])])[$([OX2H1]),$([OX1-])]", "CB(O)O"),
    ("silicon atom", "silicon compounds", 6, "[Si]", "C[SiH3]"),
    ("metal atom", "metal compounds", 6, _METAL, "C[Hg]C"),
    # halogens
    ("trifluoromethyl group", "trifluoromethyl compounds", 4.5, "[#6,#7,#8,#16][CX4](F)(F)F", "CC(F)(F)F"),
    ("perfluoroalkyl chain", "perfluoroalkyl compounds", 6, "[CX4](F)(F)[CX4](F)(F)[CX4](F)F", "CC(F)(F)C(F)(F)C(F)F"),
    ("aryl fluoride", "aryl fluorides", 3, "c-F", "Fc1cccs1"),
    ("aryl chloride", "aryl chlorides", 3, "c-Cl", "Clc1cccs1"),
    ("aryl bromide", "aryl bromides", 3.5, "c-Br", "Brc1cccs1"),
    ("aryl iodide", "aryl iodides", 3.5, "c-I", "Ic1cccs1"),
    ("alkyl chloride", "alkyl chlorides", 4, "[CX4;!$(C(Cl)(Cl)Cl)]Cl", "CCl"),
    ("trichloromethyl group", "trichloromethyl compounds", 5, "[#6][CX4](Cl)(Cl)Cl", "CC(Cl)(Cl)Cl"),
    ("alkyl bromide", "alkyl bromides", 4, "[CX4]Br", "CBr"),
    ("alkyl iodide", "alkyl iodides", 4, "[CX4]I", "CI"),
    # carbon
    ("C=C double bond", "alkenes", 2.5, "[CX3;!$(C=[!#6])]=!@[CX3;!$(C=[!#6])]", "C=C"),
    ("alkyne", "alkynes", 5, "[CX2]#[CX2]", "C#C"),
    ("stilbene", "stilbenes", 6.5, "c1ccccc1-!@[CX3H1]=!@[CX3H1]-!@c1ccccc1", "c1ccc(/C=C/c2ccccc2)cc1"),
    ("biphenyl", "biphenyls", 6, "c1ccccc1-!@c1ccccc1", "c1ccc(-c2ccccc2)cc1"),
    ("tert-butyl group", "tert-butyl compounds", 2.5, "[#6,#7,#8,#16][CX4]([CH3])([CH3])[CH3]", "CC(C)(C)C"),
    ("long alkyl chain", "long-chain compounds", 4, "[CH2;!R]" * 7, "CCCCCCCCC"),
))  # fmt: skip


@lru_cache(maxsize=1)
def _queries() -> list[tuple[str, Any, frozenset[int]]]:
    chem = part("Chem")
    found = []
    for group in GROUPS:
        query = chem.MolFromSmarts(group.smarts)
        found.append((group.name, query, elements_of(query)))
    return found


def elements_of(query: Any) -> frozenset[int]:
    """Elements that a molecule must have to match, so that most searches need not begin."""
    found = set()
    for atom in query.GetAtoms():
        said = atom.DescribeQuery()
        if "Or" not in said and "!=" not in said and "AtomType" in said:
            found.add(atom.GetAtomicNum())
    return frozenset(found)


def group_names(molecule: Any) -> list[str]:
    """The functional groups that a molecule has, by substructure search."""
    elements = {atom.GetAtomicNum() for atom in molecule.GetAtoms()}
    return [name for name, query, needs in _queries() if needs <= elements and molecule.HasSubstructMatch(query)]
