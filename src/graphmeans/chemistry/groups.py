"""Substituents by the names that chemists write, and by SMILES where there is none."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmeans.chemistry.toolkit import part, silent

_NAMES = {
    "*C": "CH₃", "*CC": "C₂H₅", "*CCC": "propyl", "*C(C)C": "isopropyl", "*CCCC": "butyl", "*CC(C)C": "isobutyl",
    "*C(C)(C)C": "tert-butyl", "*C1CC1": "cyclopropyl", "*C1CCCC1": "cyclopentyl", "*C1CCCCC1": "cyclohexyl",
    "*C(C)CC": "sec-butyl", "*CCCCC": "pentyl", "*CCC(C)C": "isopentyl", "*CCCCCC": "hexyl", "*N1CCCC1": "pyrrolidino",
    "*N1CCCCC1": "piperidino", "*N1CCOCC1": "morpholino", "*N1CCNCC1": "piperazino", "*c1ccccn1": "2-pyridyl",
    "*c1cccnc1": "3-pyridyl", "*c1ccncc1": "4-pyridyl", "*c1ncccn1": "2-pyrimidyl", "*c1cccs1": "2-thienyl",
    "*c1ccsc1": "3-thienyl", "*c1ccco1": "2-furyl", "*c1nccs1": "2-thiazolyl", "*C=C": "vinyl",
    "*=C": "=CH₂", "*=CC": "=CHCH₃", "*CC=C": "allyl", "*C#C": "ethynyl", "*c1ccccc1": "phenyl", "*Cc1ccccc1": "benzyl",
    "*O": "OH", "*=O": "=O", "*[O-]": "O⁻", "*OC": "OCH₃", "*OCC": "OC₂H₅", "*Oc1ccccc1": "O-phenyl", "*OC(C)=O": "OCOCH₃",
    "*N": "NH₂", "*[NH3+]": "NH₃⁺", "*NC": "NHCH₃", "*N(C)C": "N(CH₃)₂", "*NC(C)=O": "NHCOCH₃", "*=N": "=NH",
    "*[N+](=O)[O-]": "NO₂", "*N=O": "NO", "*N=[N+]=[N-]": "N₃", "*NN": "NHNH₂", "*C#N": "CN",
    "*S": "SH", "*=S": "=S", "*SC": "SCH₃", "*S(C)(=O)=O": "SO₂CH₃", "*S(N)(=O)=O": "SO₂NH₂", "*S(=O)(=O)O": "SO₃H",
    "*C(=O)O": "COOH", "*C(=O)[O-]": "COO⁻", "*C(=O)OC": "COOCH₃", "*C(=O)OCC": "COOC₂H₅", "*C(N)=O": "CONH₂",
    "*C=O": "CHO", "*C(C)=O": "COCH₃", "*C(=O)c1ccccc1": "benzoyl", "*CO": "CH₂OH", "*CN": "CH₂NH₂", "*CCl": "CH₂Cl",
    "*C(F)(F)F": "CF₃", "*OC(F)(F)F": "OCF₃", "*F": "F", "*Cl": "Cl", "*Br": "Br", "*I": "I",
}  # fmt: skip
#: What stands where a core carries nothing else.
HYDROGEN = "H"


@lru_cache(maxsize=1)
def _known() -> dict[str, str]:
    return {_canonical(smiles): name for smiles, name in _NAMES.items()}


def _canonical(smiles: str) -> str:
    chem = part("Chem")
    with silent():
        molecule = chem.MolFromSmiles(smiles)
        if molecule is None:  # a piece of a molecule that is none by itself
            molecule = chem.MolFromSmiles(smiles, sanitize=False)
    return smiles if molecule is None else str(chem.MolToSmiles(molecule, isomericSmiles=False))


@lru_cache(maxsize=4096)
def group_name(smiles: str) -> str:
    """The name of a substituent that is given as SMILES with `*`, or `[3*]`, where it is bound.

    Examples
    --------
    >>> group_name("CO*"), group_name("[4*]c1ccccc1"), group_name("*CCCCCCC")
    ('OCH₃', 'phenyl', '*CCCCCCC')
    """
    plain = _canonical(re.sub(r"\[\d+\*\]", "*", smiles))
    return _known().get(plain, plain)
