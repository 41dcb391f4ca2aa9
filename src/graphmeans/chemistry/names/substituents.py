"""Substituents as the formulas that chemists write; those that are too long for one are told by their kind."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any

from graphmeans.chemistry.names.bound_to import called_there
from graphmeans.chemistry.names.formulas import Formula
from graphmeans.chemistry.names.rings import names_of_system
from graphmeans.chemistry.toolkit import part, silent

#: What stands where a core carries nothing else.
HYDROGEN = "H"
#: Longer formulas are not written out.
MOST_SIGNS = 40
#: Kinds of substituents by what they begin with, as SMARTS, each with one that has it.
KINDS = (
    ("[#0]C(=O)[NX3]", "amide", "*C(=O)NC"), ("[#0]OC(=O)[NX3]", "carbamate", "*OC(=O)NC"),
    ("[#0][NX3]C(=O)[NX3]", "urea", "*NC(=O)NC"), ("[#0][NX3]C(=S)[NX3]", "thiourea", "*NC(=S)NC"),
    ("[#0][NX3]C(=O)O", "carbamate", "*NC(=O)OC"),
    ("[#0][NX3]C(=O)", "amide", "*NC(C)=O"), ("[#0]C(=O)O", "ester", "*C(=O)OC"), ("[#0]OC(=O)", "ester", "*OC(C)=O"),
    ("[#0]S(=O)(=O)[NX3]", "sulfonamide", "*S(=O)(=O)NC"), ("[#0][NX3]S(=O)(=O)", "sulfonamide", "*NS(C)(=O)=O"),
    ("[#0]S(=O)(=O)", "sulfone", "*S(C)(=O)=O"), ("[#0]C(=O)", "ketone", "*C(C)=O"), ("[#0]C=N[NX3]", "hydrazone", "*C=NNC"),
    ("[#0][NX3]N=C", "hydrazone", "*NN=CC"), ("[#0]N=N", "azo group", "*N=NC"), ("[#0]O", "ether", "*OC"),
    ("[#0]S", "thioether", "*SC"), ("[#0][#7;!R]", "amine", "*NC"), ("[#0]=[#6]", "double bond", "*=CC"),
    ("[#0]C#C", "alkyne", "*C#CC"),
    ("[#0]C=C", "alkene", "*C=CC"),
)  # fmt: skip


def group_name(smiles: str, on: str = "") -> str:
    """The formula of a substituent that is given as SMILES with `*`, or `[3*]`, where it is bound, once or twice.

    `on` is the kind of atom that carries it, as `kind_of_atom` has it: a long group is told by what it makes with that.

    Examples
    --------
    >>> group_name("CO*"), group_name("[4*]c1ccccc1"), group_name("*NC(=O)CBr"), group_name("*c1ccc(Cl)cc1")
    ('OCH₃', 'phenyl', 'NHCOCH₂Br', '4-Cl-phenyl')
    """
    return _named(re.sub(r"\[\d+\*\]", "*", smiles), on)


@lru_cache(maxsize=1 << 13)
def _named(plain: str, on: str) -> str:
    chem = part("Chem")
    with silent():
        molecule = chem.MolFromSmiles(plain)
        if molecule is None:  # a piece of an aromatic ring, which is none by itself
            molecule = chem.MolFromSmiles(plain, sanitize=False)
            if molecule is None:
                return plain
            molecule.UpdatePropertyCache(strict=False)
            chem.FastFindRings(molecule)
        bound = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() == 0]
        if len(bound) == 1 and bound[0].GetDegree() == 1:
            found = Formula(molecule).bound_once(bound[0])
            return found if len(found) <= MOST_SIGNS else kind_of(molecule, bound[0], on)
        if len(bound) == 2 and all(atom.GetDegree() == 1 for atom in bound):
            return _between(molecule, bound[0], bound[1])
    return "ring system"


def _between(molecule: Any, one: Any, other: Any) -> str:
    """What closes a ring with two places of a core: a chain, written from the end that comes first."""
    path = part("Chem").GetShortestPath(molecule, one.GetIdx(), other.GetIdx())
    if any(molecule.GetAtomWithIdx(a).IsInRing() for a in path):
        return "ring system"
    bonds = [molecule.GetBondBetweenAtoms(a, b) for a, b in pairwise(path)]
    if all(bond.GetIsAromatic() for bond in bonds):
        kind = part("Chem").BondType
        for bond in bonds:
            bond.SetBondType(kind.SINGLE)
        first = 1
        for takes, run in groupby(path[1:-1], key=lambda a: _takes_double(molecule.GetAtomWithIdx(a))):
            last = first + len(list(run))
            if takes and (last - first) % 2 == 0:  # of others it depends on the core where the double bonds are
                for n in range(first, last, 2):
                    bonds[n].SetBondType(kind.DOUBLE)
            first = last
    formula = Formula(molecule)
    return min(formula.bound_twice(one, other), formula.bound_twice(other, one))


def _takes_double(atom: Any) -> bool:
    """Whether an aromatic atom has a double bond within its ring."""
    if atom.GetAtomicNum() == 7:
        return atom.GetDegree() == 2 and atom.GetTotalNumHs() == 0
    return atom.GetAtomicNum() == 6 and all(str(bond.GetBondType()) != "DOUBLE" for bond in atom.GetBonds())


def kind_of(molecule: Any, bound: Any, on: str = "") -> str:
    """A long substituent by what it begins with and the rings in it, as "amide with phenyl and pyridine rings"."""
    formula = Formula(molecule)
    first = bound.GetNeighbors()[0].GetIdx()
    own = next((system for system in formula.systems if first in system[0]), None)
    if own is not None:
        names = names_of_system(molecule, *own)
        return f"substituted {names[0].name if names else 'ring'}".removesuffix(" ring system")
    kind = called_there(molecule, on) or next((kind for query, kind in _kinds() if molecule.HasSubstructMatch(query)), "chain")
    rings = [names[0].name for system in formula.systems if (names := names_of_system(molecule, *system))]
    named = list(dict.fromkeys("phenyl" if name == "benzene" else name for name in rings if " " not in name))
    if not named:
        return f"{kind} with a ring system" if rings else f"long {kind}"
    return f"{kind} with a {named[0]} ring" if len(named) == 1 else f"{kind} with {named[0]} and {named[1]} rings"


@lru_cache(maxsize=1)
def _kinds() -> list[tuple[Any, str]]:
    return [(part("Chem").MolFromSmarts(smarts), kind) for smarts, kind, _ in KINDS]
