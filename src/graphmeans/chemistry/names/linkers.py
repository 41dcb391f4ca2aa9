"""Compounds named by what their rings are joined by: benzophenones, anilides, biphenyls; each as SMARTS with one that is so."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from graphmeans.chemistry.names.functional import METALS, Group
from graphmeans.chemistry.toolkit import part

#: A benzene ring that is not fused, bound at its first atom, and an atom of an aromatic ring with another element than carbon.
_P = "[cR1]1[cR1][cR1][cR1][cR1][cR1]1"
_H = "[$([!#6;a]),$(a1[!#6;a]aaa1),$(a1a[!#6;a]aa1),$(a1[!#6;a]aaaa1),$(a1a[!#6;a]aaa1),$(a1aa[!#6;a]aa1)]"
_METAL = f"[{','.join(f'#{n}' for n in sorted(METALS))}]"
#: The nitrogen of an amide, what acylates it, and the nitrogen of an amine.
_NH = "[NX3;!$(N[#7,#8]);!$(N(C=O)C=O)]"
_ACYL = "[CX3;$([H0][#6]),$([H1])](=[OX1])"
_AMINE = "[NX3;!$(N~[!#6]);!$(N[#6]=[O,S,N]);!$(NC#N)]"


class Linked(NamedTuple):
    """A class of compounds, and how many benzene rings that are not fused, and aromatic heterocycles, it takes at least."""

    group: Group
    phenyls: int
    hetero: bool


def _two(name: str, linker: str, between: str, weight: float = 6.5) -> Linked:
    """Two benzene rings that are joined by a chain, which is given as SMARTS and, for the example, as SMILES."""
    return Linked(Group(name, f"{name}s", weight, f"{_P}-!@{linker}-!@{_P}", f"{_B}{between}{_B}"), 2, False)


def _one(name: str, carried: str, example: str, compounds: str = "", weight: float = 5.5) -> Linked:
    """A benzene ring that carries something."""
    return Linked(Group(name, compounds or f"{name}s", weight, f"{_P}-!@{carried}", example), 1, False)


def _hetero(name: str, compounds: str, weight: float, smarts: str, example: str, phenyls: int = 0) -> Linked:
    """An aromatic heterocycle that carries something."""
    return Linked(Group(name, compounds, weight, smarts, example), phenyls, True)


_B = "c1ccccc1"
_CH2, _CO, _AMIDE, _O, _SO2 = "[CX4;!R]", "[CX3](=[OX1])", "[CX3](=[OX1])-!@[NX3]", "[OX2]", "[SX4](=[OX1])(=[OX1])"
#: What many molecules have that have little else in common.
ARYL = "phenyl group on a heteroarene"
LINKED = (
    _two("diphenylmethane", _CH2, "C"), _two("benzophenone", _CO, "C(=O)"), _two("bibenzyl", f"{_CH2}-!@{_CH2}", "CC"),
    _two("diphenylacetylene", "C#C", "C#C"), _two("benzil", f"{_CO}-!@{_CO}", "C(=O)C(=O)"),
    _two("deoxybenzoin", f"{_CO}-!@{_CH2}", "C(=O)C"), _two("benzanilide", _AMIDE, "C(=O)N", 7),
    _two("N-benzylbenzamide", f"{_AMIDE}-!@{_CH2}", "C(=O)NC", 7), _two("phenyl benzoate", f"{_CO}-!@{_O}", "C(=O)O"),
    _two("benzyl benzoate", f"{_CO}-!@{_O}-!@{_CH2}", "C(=O)OC"), _two("azobenzene", "[NX2]=!@[NX2]", "N=N"),
    _two("benzylideneaniline", "[CX3]=!@[NX2]", "C=N"), _two("N-benzylaniline", f"{_CH2}-!@[NX3]", "CN"),
    _two("diphenylamine", "[NX3]", "N"), _two("dibenzylamine", f"{_CH2}-!@[NX3]-!@{_CH2}", "CNC"),
    _two("diphenyl ether", _O, "O"), _two("benzyl phenyl ether", f"{_CH2}-!@{_O}", "CO"), _two("diphenyl sulfide", "[SX2]", "S"),
    _two("diphenyl disulfide", "[SX2]-!@[SX2]", "SS"), _two("diphenyl sulfone", _SO2, "S(=O)(=O)"),
    _two("benzenesulfonanilide", f"{_SO2}-!@[NX3]", "S(=O)(=O)N", 7.5),
    _two("N,N'-diphenylurea", f"[NX3]-!@{_AMIDE}", "NC(=O)N", 7),
    _two("N,N'-diphenylthiourea", "[NX3]-!@[CX3](=[SX1])-!@[NX3]", "NC(=S)N", 7.5),
    _two("benzaldehyde phenylhydrazone", "[CX3]=!@[NX2]-!@[NX3]", "C=NN", 7),
    _two("benzylidenebenzohydrazide", f"{_AMIDE}-!@[NX2]=!@[CX3]", "C(=O)NN=C", 7.5),
    _two("triphenylmethane", f"[CX4](-!@{_P})", f"C({_B})", 8),
    # one benzene ring
    _one("benzoic acid", f"{_CO}[$([OX2H1]),$([OX1-])]", f"OC(=O){_B}"),
    _one("benzoate ester", f"{_CO}[OX2][#6;!$([#6]=[O,S,N])]", f"COC(=O){_B}", "benzoates"),
    _one("benzamide", f"{_CO}-!@{_NH}", f"NC(=O){_B}"), _one("anilide", f"{_NH}-!@{_ACYL}", f"CC(=O)N{_B}"),
    _one("benzenesulfonamide", f"{_SO2}[$([NX3]),$([NX2-])]", f"NS(=O)(=O){_B}", weight=6.5),
    _one("aryl ketone", f"{_CO}[#6]", f"CC(=O){_B}", weight=4.5),
    _one("phenylhydrazone", "[NX3]-!@[NX2]=[CX3]", f"C=NN{_B}", weight=6),
    _one("benzylamine", f"{_CH2}-!@{_AMINE}", f"NC{_B}", weight=4.5),
    _one("phenethylamine", f"{_CH2}-!@{_CH2}-!@{_AMINE}", f"NCC{_B}", weight=6),
    _one("phenylpiperazine", "N1CCNCC1", f"C1CNCCN1{_B}", weight=13),
    _one("cinnamic acid", f"[CX3]=!@[CX3]-!@{_CO}[$([OX2H1]),$([OX1-])]", f"OC(=O)C=C{_B}", weight=6),
    _one("phenoxyacetic acid", f"{_O}-!@{_CH2}-!@{_CO}[$([OX2H1]),$([OX1-])]", f"OC(=O)CO{_B}", weight=6),
    _one("arylmetal", _METAL, f"C[Hg]{_B}", "arylmetal compounds", 6.5),
    # aromatic heterocycles
    _hetero(ARYL, "phenyl-substituted heteroarenes", 4.5, f"{_P}-!@{_H}", f"{_B}-c1ccccn1", 1),
    _hetero("heteroaryl carboxamide", "heteroaryl carboxamides", 5.5, f"{_H}-!@{_CO}-!@{_NH}", "NC(=O)c1cccs1"),
    _hetero("N-heteroaryl amide", "N-heteroaryl amides", 5.5, f"[c;{_H[1:-1]}]-!@[NX3]-!@{_ACYL}", "CC(=O)Nc1cccs1"),
    _hetero("heteroaryl thioether", "heteroaryl thioethers", 5, f"[c;{_H[1:-1]}]-!@[SX2]-!@[#6]", "CSc1cccs1"),
    _hetero("pyridine bound to a metal", "metal pyridine complexes", 8, f"{_METAL}~[#7;R1]1:[#6]:[#6]:[#6]:[#6]:[#6]:1",
            "[Zn][n+]1ccccc1"),
)  # fmt: skip


@lru_cache(maxsize=1)
def _queries() -> list[tuple[str, Any, int, bool]]:
    return [(row.group.name, part("Chem").MolFromSmarts(row.group.smarts), row.phenyls, row.hetero) for row in LINKED]


def linked_names(molecule: Any, phenyls: int, hetero: bool) -> list[str]:
    """The classes of a molecule that has so many benzene rings that are not fused, and maybe an aromatic heterocycle."""
    return [
        name for name, query, fewest, takes in _queries()
        if phenyls >= fewest and (hetero or not takes) and molecule.HasSubstructMatch(query)
    ]  # fmt: skip
