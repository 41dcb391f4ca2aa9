"""The molecule that a graph was made of, as RDKit draws it: charges, wedges, hydrogens and aromatic rings as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from html import escape
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.convert.packed_molecule import PackedMolecule
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph

T = TypeVar("T")

_SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


class AtomLook(NamedTuple):
    """What is written at each atom beside its symbol, and the orders of bonds with single and double ones alternating."""

    hydrogens: IntArray
    charges: IntArray
    isotopes: IntArray
    radicals: NDArray[np.bool_]
    orders: FloatArray


def of_last_graph(find: Callable[[Graph], T]) -> Callable[[Graph], T]:
    """The same function, which keeps what it found for the last graph: drawing one asks for it several times in a row."""
    last: list[tuple[Graph, T]] = []

    @wraps(find)
    def found(graph: Graph) -> T:
        known = last[:]
        if known and known[0][0] is graph:
            return known[0][1]
        result = find(graph)
        last[:] = [(graph, result)]
        return result

    return found


def original(graph: Graph) -> Any:
    """The molecule of RDKit that a graph was made of, None if there is none. A mean graph has none."""
    packed = None if isinstance(graph, MeanGraph) else graph.packed_origin
    return packed.unpack() if isinstance(packed, PackedMolecule) else None


@of_last_graph
def look_of(graph: Graph) -> AtomLook | None:
    """What is written at the atoms of a graph that was made of a molecule, None for others."""
    molecule = original(graph)
    if molecule is None:
        return None
    from rdkit import Chem

    molecule.UpdatePropertyCache(strict=False)
    flat = Chem.RWMol(molecule)
    try:
        Chem.Kekulize(flat, clearAromaticFlags=True)
    except (RuntimeError, ValueError):  # a molecule that was never sanitised
        return None
    ids: list[int] = [int(str(i)) for i in graph.node_ids]
    shown, atoms = set(ids), [flat.GetAtomWithIdx(i) for i in ids]

    def hydrogens(atom: Any) -> int:
        left_out = sum(near.GetAtomicNum() == 1 and near.GetIdx() not in shown for near in atom.GetNeighbors())
        return int(atom.GetTotalNumHs() + left_out)

    bonds = [flat.GetBondBetweenAtoms(ids[i], ids[j]) for i, j in graph.edges.tolist()]
    return AtomLook(
        np.array([hydrogens(atom) for atom in atoms], dtype=np.int64),
        np.array([atom.GetFormalCharge() for atom in atoms], dtype=np.int64),
        np.array([atom.GetIsotope() for atom in atoms], dtype=np.int64),
        np.array([atom.GetNumRadicalElectrons() > 0 for atom in atoms], dtype=bool),
        np.array([1.0 if bond is None else bond.GetBondTypeAsDouble() for bond in bonds], dtype=np.float64),
    )  # fmt: skip


def charge_text(charge: int) -> str:
    """A charge as chemists write it: ⁺, ²⁻."""
    return f"{abs(charge) if abs(charge) > 1 else ''}{'+' if charge > 0 else '-'}".translate(_SUPERSCRIPTS) if charge else ""


def isotope_text(isotope: int) -> str:
    """The mass number of an isotope as chemists write it."""
    return str(isotope).translate(_SUPERSCRIPTS) if isotope else ""


def original_svg(graph: Graph, size: int, color: str, said: str) -> str | None:
    """RDKit's own picture of the molecule that a graph was made of, as one `<svg>` element; None if there is none."""
    molecule = original(graph)
    if molecule is None or not molecule.GetNumAtoms():
        return None
    from rdkit import Chem, rdBase
    from rdkit.Chem.Draw import rdMolDraw2D

    with rdBase.BlockLogs():
        try:
            if not any(atom.GetAtomicNum() == 1 for atom in molecule.GetAtoms() if atom.GetIdx() in set(graph.node_ids)):
                molecule = Chem.RemoveHs(molecule)
            artist = rdMolDraw2D.MolDraw2DSVG(size, size)
            look: Any = artist.drawOptions()
            look.clearBackground, look.padding = False, 0.06
            look.useBWAtomPalette()
            rdMolDraw2D.PrepareAndDrawMolecule(artist, molecule)
        except (RuntimeError, ValueError):
            return None
    artist.FinishDrawing()
    inside = re.search(r"<!-- END OF HEADER -->(.*)</svg>", artist.GetDrawingText(), re.DOTALL)
    if inside is None:
        return None
    ink = inside[1].replace("#000000", "currentColor").strip()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" height="{size}" '
        f'role="img" aria-label="{said}" color="{escape(color)}"><title>{said}</title>{ink}</svg>'
    )
