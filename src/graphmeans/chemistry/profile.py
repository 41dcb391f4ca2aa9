"""Scaffolds and property ranges of molecules: of a cluster, and of all clusters beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from graphmeans.chemistry.names.chains import joined_by
from graphmeans.chemistry.names.rings import ring_names
from graphmeans.chemistry.names.words import BENZENE
from graphmeans.chemistry.toolkit import part, silent
from graphmeans.graphs.batch import FloatArray

#: The properties that are compared, with their units.
PROPERTIES = {"weight": "g/mol", "logP": "", "TPSA": "Å²", "rings": ""}
#: Quantiles that are named: the range that holds the middle four fifths of the molecules, and the median.
QUANTILES = (0.1, 0.5, 0.9)
#: The middle half of the molecules, and the median.
MIDDLE_HALF = (0.25, 0.5, 0.75)


class Scaffold(NamedTuple):
    """A Murcko scaffold as SMILES, empty for molecules without rings, and how many molecules have it."""

    smiles: str
    members: int


class Range(NamedTuple):
    """Three of the molecules in the order of a property: of a hundred the tenth, the middle and the ninetieth, or as is said."""

    low: float
    median: float
    high: float


def scaffold(molecule: Any) -> str:
    """The Murcko scaffold of a molecule as SMILES, without stereochemistry; empty if it has no ring."""
    murcko = part("Chem.Scaffolds.MurckoScaffold")
    with silent():
        try:
            return str(part("Chem").MolToSmiles(murcko.GetScaffoldForMol(molecule), isomericSmiles=False))
        except (RuntimeError, ValueError):  # a molecule that RDKit could not sanitise
            return ""


@lru_cache(maxsize=4096)
def scaffold_in_words(smiles: str) -> str:
    """The ring systems of a scaffold by their names; of two benzene rings also what joins them.

    Examples
    --------
    >>> [scaffold_in_words(smiles) for smiles in ("c1ccccc1", "c1ccc(Cc2ccccc2)cc1", "c1ccc(-c2ccc3ccccc3n2)cc1", "")]
    ['benzene', 'two phenyls joined by CH₂', 'benzene + quinoline', 'no ring']
    """
    if not smiles:
        return "no ring"
    with silent():
        molecule = part("Chem").MolFromSmiles(smiles)
    if molecule is None:
        return smiles
    counts = Counter(system[0].name for system in ring_names(molecule) if system)
    joined = joined_by(molecule) if counts == {BENZENE: 2} else None
    if joined is not None:
        return f"two phenyls joined by {joined.what}"
    return " + ".join(f"{count} {name}" if count > 1 else name for name, count in sorted(counts.items()))


def most_frequent(scaffolds: Sequence[str], most: int = 3) -> list[Scaffold]:
    """The most frequent scaffolds."""
    counts = sorted(Counter(scaffolds).items(), key=lambda item: (-item[1], item[0]))
    return [Scaffold(smiles, count) for smiles, count in counts[:most]]


def properties(molecule: Any) -> list[float]:
    """Molecular weight, Crippen's logP, topological polar surface area, and number of rings; NaN where RDKit fails."""
    descriptors, crippen = part("Chem.rdMolDescriptors"), part("Chem.Crippen")
    with silent():
        try:
            return [
                float(part("Chem.Descriptors").MolWt(molecule)), float(crippen.MolLogP(molecule)),
                float(descriptors.CalcTPSA(molecule)), float(molecule.GetRingInfo().NumRings()),
            ]  # fmt: skip
        except (RuntimeError, ValueError):
            return [np.nan] * len(PROPERTIES)


def middle_half(values: FloatArray) -> Range:
    """The molecule at a quarter, the one in the middle and the one at three quarters of those whose property is known."""
    known = values[~np.isnan(values)]
    return Range(*map(float, np.quantile(known, MIDDLE_HALF, method="nearest"))) if len(known) else Range(np.nan, np.nan, np.nan)


def ranges(values: FloatArray) -> dict[str, Range]:
    """The range of each property over molecules, which are the rows."""
    known = values[~np.isnan(values).any(axis=1)]
    if not len(known):
        return {}
    # Rings are counted: there is no molecule with a half of one.
    return {
        name: Range(*map(float, np.quantile(known[:, column], QUANTILES, method="nearest" if name == "rings" else "linear")))
        for column, name in enumerate(PROPERTIES)
    }  # fmt: skip
