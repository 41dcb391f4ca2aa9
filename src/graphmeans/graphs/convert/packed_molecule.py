"""`PackedMolecule` keeps a molecule of RDKit with all that it holds, in about a tenth of the room that RDKit's object takes."""

from __future__ import annotations

from typing import Any

from graphmeans.graphs.convert.molecule_options import MoleculeOptions
from graphmeans.graphs.convert.records import need
from graphmeans.graphs.origin import PackedOrigin


class PackedMolecule(PackedOrigin):
    """A molecule of RDKit as bytes: atoms, bonds, stereo, coordinates, queries, its name and all its properties.

    Pickles of RDKit's own objects lose the properties, and the objects take about 20 kB each; these bytes take about one. What
    RDKit computes from the rest (its computed properties) is left out, since it is computed again when it is asked for.
    """

    __slots__ = ("_data", "_options")

    def __init__(self, molecule: Any, options: MoleculeOptions) -> None:
        self._data: bytes = molecule.ToBinary(_what_is_kept())
        self._options = options

    def unpack(self) -> Any:
        """The molecule, made anew: whoever changes it changes a copy."""
        return need("rdkit.Chem", "rdkit", "a molecule").Mol(self._data)


def options_of(packed: PackedMolecule) -> MoleculeOptions:
    """How the graph was made of the molecule."""
    return packed._options


def _what_is_kept() -> int:
    kept = need("rdkit.Chem", "rdkit", "a molecule").PropertyPickleOptions
    return int((kept.AllProps | kept.CoordsAsDouble) & ~kept.ComputedProps)
