"""Classes of the groups that atoms of a core carry: alkyl, aryl, amide; and groups of which the core has the first atom."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from graphmeans.chemistry.names.bound_to import called_there
from graphmeans.chemistry.names.substituents import group_name
from graphmeans.chemistry.toolkit import part, silent

#: What stands where an atom of a core can carry nothing, such as the nitrogen of a pyridine.
NOTHING = "nothing"
#: The class of what has no other.
OTHER = "other group"
#: Classes by the first of these patterns that a group has, `*` being the core. What is bound by a double bond comes first.
_CLASSES = (
    ("[#0]=O", "oxo"), ("[#0]=S", "thioxo"), ("[#0]=N", "imino"), ("[#0]=,#*", "alkylidene"), ("[#0][F,Cl,Br,I]", "halogen"),
    ("[#0]c", "aryl"), ("[#0]n", "heteroaryl"),
    ("[#0][C;R]", "cycloalkyl"), ("[#0][N,O,S;R]", "heterocyclyl"),
    ("[#0]C(=O)[O;H1,-]", "acid"), ("[#0]C(=O)O", "ester"), ("[#0]C(=O)N", "amide"), ("[#0]C=[O,S]", "acyl"),
    ("[#0]C#N", "nitrile"), ("[#0]C=N", "imine"), ("[#0]C=C", "alkenyl"), ("[#0]C#C", "alkynyl"),
    ("[#0][CX4]([F,Cl,Br,I])[F,Cl,Br,I]", "haloalkyl"), ("[#0][CX4]c", "benzyl"), ("[#0][CX4]", "alkyl"),
    ("[#0]OC=[O,S]", "acyloxy"), ("[#0]Oc", "aryloxy"), ("[#0]O[#6]", "alkoxy"), ("[#0][OX2H,O-]", "hydroxy"),
    ("[#0]N(=O)~O", "nitro"), ("[#0][N+](=O)[O-]", "nitro"), ("[#0]N=N", "azo"), ("[#0]N=C", "imine"),
    ("[#0]NC=[O,S]", "acylamino"),
    ("[#0]NS(=O)=O", "sulfonylamino"), ("[#0][N,n+]", "amine"),
    ("[#0]S(=O)(=O)[N;!$(N=*)]", "sulfonamide"), ("[#0]S(=O)(=O)[O;H1,-]", "sulfonic acid"),
    ("[#0]S(=O)", "sulfonyl"), ("[#0]S", "thioether"),
)  # fmt: skip
#: What is bound to an atom by a double bond, as it is written and as it stands in a group.
_DOUBLE = {"O=*": "=O", "*=O": "=O", "S=*": "=S", "*=S": "=S"}
_DUMMY = re.compile(r"\[(\d+)\*\]")


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[Any, str]]:
    chem = part("Chem")
    return [(chem.MolFromSmarts(smarts), name) for smarts, name in _CLASSES]


def class_of(smiles: str, on: str = "") -> str:
    """The class of a substituent that is given as SMILES with one `*` where it is bound, to an atom of a kind of `kind_of_atom`.

    Examples
    --------
    >>> class_of("*CCC"), class_of("*c1ccccc1"), class_of("*c1ccccn1"), class_of("*C(=O)NC"), class_of("*OC")
    ('alkyl', 'aryl', 'heteroaryl', 'amide', 'alkoxy')
    >>> class_of("*C(=O)NC", "N"), class_of("*C(=O)NC", "O")
    ('urea', 'carbamate')
    """
    return _class_of(_DUMMY.sub("*", smiles), on)


@lru_cache(maxsize=1 << 13)
def _class_of(smiles: str, on: str) -> str:
    chem = part("Chem")
    with silent():
        molecule = chem.MolFromSmiles(smiles) or chem.MolFromSmiles(smiles, sanitize=False)
        if molecule is None:
            return OTHER
        molecule.UpdatePropertyCache(strict=False)
        chem.FastFindRings(molecule)
    if there := called_there(molecule, on):
        return there
    for pattern, name in _patterns():
        match = molecule.GetSubstructMatch(pattern)
        if match:
            return _in_particular(molecule, match[1], name)
    return OTHER


def _in_particular(molecule: Any, first: int, name: str) -> str:
    """Aryl and cycloalkyl with a heteroatom in the ring are heteroaryl and heterocyclyl; alkyl has no heteroatom."""
    if name == "alkyl" and any(atom.GetAtomicNum() not in (0, 6) for atom in molecule.GetAtoms()):
        return "substituted alkyl"
    if name in ("aryl", "cycloalkyl"):
        rings = [ring for ring in molecule.GetRingInfo().AtomRings() if first in ring]
        if any(molecule.GetAtomWithIdx(a).GetAtomicNum() != 6 for a in min(rings, key=len, default=())):
            return "heteroaryl" if name == "aryl" else "heterocyclyl"
    return name


def with_its_atom(carried: list[str], on: str = "") -> tuple[str, str] | None:
    """The name and the class of a carbon atom at the end of a core together with =O and another group that it carries.

    `on` is the kind of the atom of the core that it is bound to.

    Examples
    --------
    >>> with_its_atom(["O=[3*]", "[3*]OC"])
    ('COOCH₃ (with this C)', 'ester (with this C)')
    """
    plain = [_DUMMY.sub("*", text) for text in carried]
    double, others = [text for text in plain if text in _DOUBLE], [text for text in plain if text not in _DOUBLE]
    if len(double) != 1 or len(others) != 1 or not others[0].startswith("*") or others[0].startswith("*="):
        return None
    whole = f"*C({_DOUBLE[double[0]]}){others[0][1:]}"
    return f"{group_name(whole, on)} (with this C)", f"{class_of(whole, on)} (with this C)"
