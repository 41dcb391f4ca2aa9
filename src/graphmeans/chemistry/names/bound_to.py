"""What a group makes with the atom that it is bound to: C(=O)N is an amide on carbon, and a urea on nitrogen."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from graphmeans.chemistry.toolkit import part

#: What a group is called by the kind of atom that it is bound to, `*` in SMARTS and in an example of a molecule with it. A group
#: that is on none of these lists, such as an alkyl group on nitrogen, is called as it is on carbon.
BOUND_TO = {
    "N": (
        ("[#0]C(=O)[#7]", "urea", "*C(=O)NC"), ("[#0]C(=S)[#7]", "thiourea", "*C(=S)NC"),
        ("[#0]C(=O)[#8]", "carbamate", "*C(=O)OC"),
        ("[#0]C(=[#7])[#7]", "guanidine", "*C(=N)N"), ("[#0]C=O", "amide", "*C(C)=O"), ("[#0]C=S", "thioamide", "*C(C)=S"),
        ("[#0]C=[#7]", "amidine", "*C=NC"), ("[#0]S(=O)(=O)", "sulfonamide", "*S(C)(=O)=O"), ("[#0]=[#6]", "imine", "*=CC"),
        ("[#0]=[#7]", "azo", "*=NC"), ("[#0][#7]=[#6]", "hydrazone", "*N=CC"), ("[#0][#7;!R]C=O", "hydrazide", "*NC(C)=O"),
    ),
    "amide N": (
        ("[#0]C(=O)[#7]", "acylurea", "*C(=O)NC"), ("[#0]C=O", "imide", "*C(C)=O"),
        ("[#0]S(=O)(=O)", "acylsulfonamide", "*S(C)(=O)=O"), ("[#0][#7]=[#6]", "acylhydrazone", "*N=CC"),
        ("[#0][#7;!R]", "hydrazide", "*NC"),
    ),
    "O": (
        ("[#0]C(=O)[#7]", "carbamate", "*C(=O)NC"), ("[#0]C(=O)[#8]", "carbonate", "*C(=O)OC"), ("[#0]C=O", "ester", "*C(C)=O"),
        ("[#0]S(=O)(=O)", "sulfonate", "*S(C)(=O)=O"), ("[#0]P=O", "phosphate", "*P(=O)(O)O"), ("[#0]N=C", "oxime", "*N=CC"),
    ),
    "S": (
        ("[#0]C(=O)[#7]", "thiocarbamate", "*C(=O)NC"), ("[#0]C=O", "thioester", "*C(C)=O"), ("[#0]S", "disulfide", "*SC"),
    ),
    "CO": (
        ("[#0][OX2H,O-]", "acid", "*O"), ("[#0]O", "ester", "*OC"), ("[#0][#7]", "amide", "*NC"), ("[#0]S", "thioester", "*SC"),
    ),
    "NCO": (("[#0]O", "carbamate", "*OC"), ("[#0][#7]", "urea", "*NC")),
    "OCO": (("[#0]O", "carbonate", "*OC"), ("[#0][#7]", "carbamate", "*NC")),
    "SO₂": (("[#0][OX2H,O-]", "sulfonic acid", "*O"), ("[#0]O", "sulfonate", "*OC"), ("[#0][#7]", "sulfonamide", "*NC")),
}  # fmt: skip


def kind_of_atom(atom: Any, core: set[int]) -> str:
    """Which of these lists holds for an atom of a core, which is given by the numbers of its atoms; empty for none."""
    beside = [other for other in atom.GetNeighbors() if other.GetIdx() in core]
    symbol = str(atom.GetSymbol())
    if symbol == "N":
        return "amide N" if any(other.GetSymbol() == "C" and _oxygens(other) for other in beside) else symbol
    if symbol == "S" and _oxygens(atom) == 2:
        return "SO₂"
    if symbol == "C" and not atom.GetIsAromatic() and _oxygens(atom) and any(_doubly_bound(atom, other) for other in beside):
        others = {other.GetSymbol() for other in beside if not _doubly_bound(atom, other)}
        return "NCO" if "N" in others else "OCO" if "O" in others else "CO"
    return symbol if symbol in ("O", "S") else ""


def _doubly_bound(atom: Any, other: Any) -> bool:
    bond = atom.GetOwningMol().GetBondBetweenAtoms(atom.GetIdx(), other.GetIdx())
    return other.GetSymbol() == "O" and bond.GetBondTypeAsDouble() == 2


def _oxygens(atom: Any) -> int:
    return sum(_doubly_bound(atom, other) for other in atom.GetNeighbors())


@lru_cache(maxsize=1)
def _patterns() -> dict[str, list[tuple[Any, str]]]:
    chem = part("Chem")
    return {kind: [(chem.MolFromSmarts(smarts), name) for smarts, name, _ in rows] for kind, rows in BOUND_TO.items()}


def called_there(group: Any, on: str) -> str | None:
    """What a group, a molecule in which an atom without an element is where it is bound, is called on this kind of atom."""
    return next((name for query, name in _patterns().get(on, ()) if group.HasSubstructMatch(query)), None)
