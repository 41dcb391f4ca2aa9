"""`MoleculeOptions`: what of a molecule becomes a graph: which attributes, hydrogens, fragments, and whether it is standardised.

Whatever is left out of the graph stays in the molecule that the graph was made of (``graph.origin``), where ``graph.node_ids``
are the numbers of the atoms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphmeans.graphs.convert.records import need
from graphmeans.graphs.convert.surroundings import surroundings, wide_surroundings
from graphmeans.graphs.errors import GraphError

#: What can be asked of an atom, by name.
ATOM_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "element": lambda atom: atom.GetSymbol(),
    "charge": lambda atom: float(atom.GetFormalCharge()),
    "aromatic": lambda atom: bool(atom.GetIsAromatic()),
    "hydrogens": lambda atom: float(atom.GetTotalNumHs()),
    "degree": lambda atom: float(atom.GetDegree()),
    "ring": lambda atom: bool(atom.IsInRing()),
    "hybridization": lambda atom: str(atom.GetHybridization()).lower(),
    "chirality": lambda atom: atom.GetProp("_CIPCode").lower() if atom.HasProp("_CIPCode") else "none",
    "isotope": lambda atom: float(atom.GetIsotope()),
    "radicals": lambda atom: float(atom.GetNumRadicalElectrons()),
}
#: What can be asked of all atoms of a molecule at once, by name.
_MOLECULE_ATTRIBUTES: dict[str, Callable[[Any], list[Any]]] = {
    "surroundings": surroundings,
    "wide_surroundings": wide_surroundings,
}


def _link(bond: Any) -> str:
    """The bond with its surroundings, such as "C-O single" or "C-C aromatic ring"; elements but C, N and O are X.

    Rare elements are told apart by their atoms. Here each would add several values, and every matching pays for those.
    """
    ends = sorted(symbol if symbol in ("C", "N", "O") else "X" for symbol in
                  (bond.GetBeginAtom().GetSymbol(), bond.GetEndAtom().GetSymbol()))  # fmt: skip
    return f"{ends[0]}-{ends[1]} {str(bond.GetBondType()).lower()}{' ring' if bond.IsInRing() else ''}"


#: What can be asked of a bond, by name.
BOND_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "bond": lambda bond: str(bond.GetBondType()).lower(),
    "order": lambda bond: float(bond.GetBondTypeAsDouble()),
    "conjugated": lambda bond: bool(bond.GetIsConjugated()),
    "bond_ring": lambda bond: bool(bond.IsInRing()),
    "link": _link,
    "stereo": lambda bond: str(bond.GetStereo()).removeprefix("STEREO").lower(),
}
#: The attributes that graphs of molecules have by default: those that the preset encoding reads.
PRESET_ATOMS = ("element", "charge", "aromatic", "ring", "hydrogens")
PRESET_BONDS = ("bond",)
#: The attributes that the options `stereo`, `isotopes`, `links` and `surroundings` add.
STEREO_ATOMS, STEREO_BONDS, ISOTOPE_ATOMS, LINK_BONDS = ("chirality",), ("stereo",), ("isotope",), ("link",)
SURROUNDING_ATOMS: dict[str, tuple[str, ...]] = {"no": (), "near": ("surroundings",), "wide": ("wide_surroundings",)}

#: What the other options may be.
HYDROGENS, FRAGMENTS, STANDARDISE = ("fold", "keep"), ("keep", "largest"), ("no", "cleanup", "uncharge", "tautomer")
#: The property under which an atom remembers its number while others are left out.
_NUMBER = "_graphmeans_number"


@dataclass(frozen=True)
class MoleculeOptions:
    """What of a molecule becomes a graph; the parameters are those of `from_rdkit`."""

    atoms: tuple[str, ...] = PRESET_ATOMS
    bonds: tuple[str, ...] = PRESET_BONDS
    hydrogens: str = "fold"
    fragments: str = "keep"
    standardise: str = "no"

    def __post_init__(self) -> None:
        of_atoms = (*ATOM_ATTRIBUTES, *_MOLECULE_ATTRIBUTES)
        for asked, known, what in ((self.atoms, of_atoms, "atoms"), (self.bonds, tuple(BOND_ATTRIBUTES), "bonds")):
            if isinstance(asked, str) or any(name not in known for name in asked):
                raise GraphError(f"{what} must be names out of {', '.join(known)}, got {asked!r}")
        for name, words in (("hydrogens", HYDROGENS), ("fragments", FRAGMENTS), ("standardise", STANDARDISE)):
            if getattr(self, name) not in words:
                raise GraphError(f"{name} must be one of {', '.join(map(repr, words))}, got {getattr(self, name)!r}")

    def rows(self, molecule: Any) -> tuple[list[int] | None, list[dict[str, Any]], list[tuple[int, int]], list[dict[str, Any]]]:
        """The numbers of the atoms (None if nothing was left out), and the nodes, ends and edges of the graph."""
        shown, numbers = self._prepared(molecule)
        chosen = _largest_fragment(shown) if self.fragments == "largest" else None
        atoms, bonds = list(shown.GetAtoms()), list(shown.GetBonds())
        if chosen is not None:
            atoms = [atom for atom in atoms if atom.GetIdx() in chosen]
            bonds = [bond for bond in bonds if bond.GetBeginAtomIdx() in chosen]
        place = {atom.GetIdx(): i for i, atom in enumerate(atoms)}
        of_all = {key: _MOLECULE_ATTRIBUTES[key](shown) for key in self.atoms if key in _MOLECULE_ATTRIBUTES}
        ids = [numbers[i] for i in place] if numbers is not None else list(place) if chosen is not None else None
        return (
            ids,
            [
                {key: of_all[key][atom.GetIdx()] if key in of_all else ATOM_ATTRIBUTES[key](atom) for key in self.atoms}
                for atom in atoms
            ],
            [(place[bond.GetBeginAtomIdx()], place[bond.GetEndAtomIdx()]) for bond in bonds],
            [{key: BOND_ATTRIBUTES[key](bond) for key in self.bonds} for bond in bonds],
        )

    def _prepared(self, molecule: Any) -> tuple[Any, list[int] | None]:
        """The molecule that becomes the graph, and the numbers that its atoms had; None if they have them still."""
        chem = need("rdkit.Chem", "rdkit", "from_rdkit")
        if molecule.NeedsUpdatePropertyCache():  # a molecule that was never sanitised, such as one made of SMARTS
            molecule = chem.Mol(molecule)
            molecule.UpdatePropertyCache(strict=False)
            chem.FastFindRings(molecule)
        has_hydrogens = self.hydrogens == "fold" and any(atom.GetAtomicNum() == 1 for atom in molecule.GetAtoms())
        if not has_hydrogens and self.standardise == "no":
            if "chirality" in self.atoms:
                molecule = chem.Mol(molecule)
                chem.AssignStereochemistry(molecule, cleanIt=False, force=True)
            return molecule, None
        numbered = chem.RWMol(molecule)
        for atom in numbered.GetAtoms():
            atom.SetIntProp(_NUMBER, atom.GetIdx())
        with need("rdkit.rdBase", "rdkit", "from_rdkit").BlockLogs():
            if self.standardise != "no":
                numbered = _standardised(numbered, self.standardise, self.fragments == "largest")
            if has_hydrogens:
                numbered = chem.RemoveHs(numbered, sanitize=False)
        numbered.UpdatePropertyCache(strict=False)
        if "chirality" in self.atoms:
            chem.AssignStereochemistry(numbered, cleanIt=False, force=True)
        numbers = [atom.GetIntProp(_NUMBER) for atom in numbered.GetAtoms()]
        return numbered, None if numbers == list(range(molecule.GetNumAtoms())) else numbers


def _standardised(molecule: Any, how: str, largest: bool) -> Any:
    """The molecule as RDKit's MolStandardize writes it; atoms keep the numbers that they remember."""
    standard = need("rdkit.Chem.MolStandardize.rdMolStandardize", "rdkit", "standardise")
    try:
        molecule = standard.Cleanup(molecule)
        if largest:  # before charges are balanced: those of a salt stay as long as its other ions are there
            molecule = _only(molecule, _largest_fragment(molecule))
        if how == "uncharge":
            molecule = standard.Uncharger().uncharge(molecule)
        elif how == "tautomer":
            molecule = standard.TautomerEnumerator().Canonicalize(standard.Uncharger().uncharge(molecule))
    except (RuntimeError, ValueError) as error:
        raise GraphError(f"graph: cannot be standardised ({str(error).strip().splitlines()[0][:200]})") from None
    return molecule


def _only(molecule: Any, atoms: frozenset[int] | None) -> Any:
    """The molecule with these atoms alone; all if None."""
    if atoms is None:
        return molecule
    chem = need("rdkit.Chem", "rdkit", "from_rdkit")
    left = chem.RWMol(molecule)
    left.BeginBatchEdit()
    for i in set(range(molecule.GetNumAtoms())) - atoms:
        left.RemoveAtom(i)
    left.CommitBatchEdit()
    chem.SanitizeMol(left)
    return left.GetMol()


def _largest_fragment(molecule: Any) -> frozenset[int] | None:
    """The atoms of the fragment with the most atoms, of equals the heavier one, then the first; None if there is one only."""
    chem = need("rdkit.Chem", "rdkit", "from_rdkit")
    pieces = chem.GetMolFrags(molecule)
    if len(pieces) < 2:
        return None
    mass = [sum(molecule.GetAtomWithIdx(i).GetMass() for i in piece) for piece in pieces]
    return frozenset(pieces[max(range(len(pieces)), key=lambda i: (len(pieces[i]), mass[i], -i))])
