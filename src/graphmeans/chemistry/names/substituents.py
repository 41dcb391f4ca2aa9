"""Substituents by the names or formulas that chemists write, and by SMILES where there is none."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from graphmeans.chemistry.toolkit import part, silent

_NAMES = {
    "*C": "CH₃", "*CC": "C₂H₅", "*CCC": "propyl", "*C(C)C": "isopropyl", "*CCCC": "butyl", "*CC(C)C": "isobutyl",
    "*C(C)(C)C": "tert-butyl", "*C1CC1": "cyclopropyl", "*C1CCCC1": "cyclopentyl", "*C1CCCCC1": "cyclohexyl",
    "*C(C)CC": "sec-butyl", "*CCCCC": "pentyl", "*CCC(C)C": "isopentyl", "*CCCCCC": "hexyl", "*N1CCCC1": "pyrrolidino",
    "*N1CCCCC1": "piperidino", "*N1CCOCC1": "morpholino", "*N1CCNCC1": "piperazino",
    "*N1CCN(C)CC1": "4-methylpiperazino", "*c1ccccn1": "2-pyridyl",
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
#: Substituents with more atoms are written as SMILES.
MOST_ATOMS = 40
_CHAIN = re.compile(r"(?:CH₂(?!\))){3,}")
_LINKS = {"SINGLE": "", "DOUBLE": "=", "TRIPLE": "≡"}
_HALOGENS = ("F", "Cl", "Br", "I")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


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
    >>> group_name("CO*"), group_name("[4*]c1ccccc1"), group_name("*NC(=O)CBr"), group_name("*c1ccc(Cl)cc1")
    ('OCH₃', 'phenyl', 'NHCOCH₂Br', '4-Cl-phenyl')
    """
    plain = _canonical(re.sub(r"\[\d+\*\]", "*", smiles))
    return _known().get(plain) or _condensed(plain) or plain


def _condensed(smiles: str) -> str | None:
    """A substituent as a formula in one line, if it is bound once and short, and its rings have names."""
    chem = part("Chem")
    with silent():
        molecule = chem.MolFromSmiles(smiles)
    if molecule is None or molecule.GetNumAtoms() > MOST_ATOMS:
        return None
    bound = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() == 0]
    if len(bound) != 1 or bound[0].GetDegree() != 1:
        return None
    (bond,) = bound[0].GetBonds()
    first = bond.GetOtherAtom(bound[0])
    if first.IsInRing():
        return _ring_text(molecule, first, bound[0].GetIdx())
    text = _text(molecule, first, bound[0].GetIdx())
    if text is None:
        return None
    chain = _CHAIN.sub(lambda found: f"(CH₂){_small(len(found[0]) // 3)}", text)
    return f"{_LINKS[str(bond.GetBondType())]}{chain}"


def _text(molecule: Any, atom: Any, before: int) -> str | None:
    """An atom with all that hangs on it, as in CH(CH₃)CO-phenyl; None for what cannot be written so."""
    if atom.IsInRing():
        ring = _ring_text(molecule, atom, before)
        return None if ring is None else f"-({ring})" if "-" in ring.lstrip("0123456789-") and ring[0].isdigit() else f"-{ring}"
    charge = atom.GetFormalCharge()
    if abs(charge) > 1 or atom.GetIsotope() or atom.GetNumRadicalElectrons():
        return None
    count = atom.GetTotalNumHs()
    text = atom.GetSymbol() + ("H" + _small(count) if count else "") + {0: "", 1: "⁺", -1: "⁻"}[charge]
    parts: list[tuple[int, str]] = []
    for bond in atom.GetBonds():
        other = bond.GetOtherAtom(atom)
        if other.GetIdx() == before:
            continue
        found = _text(molecule, other, atom.GetIdx())
        if found is None:
            return None
        # The oxygen of a carbonyl or sulfonyl group and the nitrogen of a nitrile are written without their bonds.
        kind = str(bond.GetBondType())
        bare = (kind == "DOUBLE" and found == "O" and atom.GetSymbol() in "CSPN") or (kind == "TRIPLE" and found == "N")
        parts.append((0 if bare else 1 + _size(molecule, other, atom.GetIdx()), found if bare else _LINKS[kind] + found))
    parts.sort()
    alike = Counter(found for _, found in parts)
    shown = list(dict.fromkeys(found for _, found in parts))
    for n, found in enumerate(shown):
        times = alike[found]
        inner = found.removeprefix("-(").removesuffix(")") if found.startswith("-(") else found.removeprefix("-")
        single = len(found) == 1 or found in _HALOGENS
        last = n == len(shown) - 1 and times == 1
        text += found if last or (single and times == 1) else f"{found if single else f'({inner})'}{_small(times)}"
    return text


def _size(molecule: Any, atom: Any, before: int) -> int:
    """How many atoms hang on a bond, without those of rings."""
    if atom.IsInRing():
        return 100  # rings come last
    return 1 + sum(
        _size(molecule, other, atom.GetIdx()) for other in atom.GetNeighbors() if other.GetIdx() != before
    )  # fmt: skip


def _ring_text(molecule: Any, atom: Any, before: int) -> str | None:
    """A ring at the end of a substituent: one of the known ones, or phenyl with simple substituents and their places."""
    chem = part("Chem")
    ring = next((ring for ring in molecule.GetRingInfo().AtomRings() if atom.GetIdx() in ring), ())
    inside = _reached(molecule, atom, before)
    piece = chem.RWMol(molecule)
    piece.ReplaceAtom(before, chem.Atom(0))
    kept = {*inside, before}
    for a in sorted(set(range(molecule.GetNumAtoms())) - kept, reverse=True):
        piece.RemoveAtom(a)
    known = _known().get(_canonical(chem.MolToSmiles(piece)))
    if known is not None:
        return known
    if len(ring) != 6 or any(not molecule.GetAtomWithIdx(a).GetIsAromatic() for a in ring):
        return None
    if any(molecule.GetAtomWithIdx(a).GetAtomicNum() != 6 for a in ring):
        return None
    at = ring.index(atom.GetIdx())
    ways = []
    for step in (1, -1):
        found: list[tuple[int, str]] = []
        for place in range(1, 6):
            own = molecule.GetAtomWithIdx(ring[(at + step * place) % 6])
            for other in own.GetNeighbors():
                if other.GetIdx() in ring:
                    continue
                text = None if other.IsInRing() else _text(molecule, other, own.GetIdx())
                if text is None or molecule.GetBondBetweenAtoms(own.GetIdx(), other.GetIdx()).GetBondTypeAsDouble() != 1:
                    return None
                found.append((place + 1, text))
        ways.append(found)
    chosen = min(ways, key=lambda way: [place for place, _ in way])
    groups: dict[str, list[int]] = {}
    for place, text in chosen:
        groups.setdefault(text, []).append(place)
    if not groups or len(groups) > 2:
        return None
    named = []
    for text, places in groups.items():
        held = f"({text})" if len(places) > 1 and len(text) > 2 else text
        named.append(f"{','.join(map(str, places))}-{held}{_small(len(places))}")
    return f"{'-'.join(named)}-phenyl"


def _reached(molecule: Any, atom: Any, before: int) -> set[int]:
    seen, todo = {atom.GetIdx()}, [atom]
    while todo:
        for other in todo.pop().GetNeighbors():
            if other.GetIdx() != before and other.GetIdx() not in seen:
                seen.add(other.GetIdx())
                todo.append(other)
    return seen


def _small(count: int) -> str:
    return "" if count == 1 else str(count).translate(_SUBSCRIPTS)
