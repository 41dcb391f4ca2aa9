"""Scaffolds and property ranges of molecules: of a cluster, and of all clusters beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphmeans.chemistry.toolkit import part, silent
from graphmeans.graphs.batch import FloatArray

#: The properties that are compared, with their units.
PROPERTIES = {"weight": "g/mol", "logP": "", "TPSA": "Å²", "rings": ""}
#: Quantiles that are named: the range that holds the middle four fifths of the molecules, and the median.
QUANTILES = (0.1, 0.5, 0.9)


class Scaffold(NamedTuple):
    """A Murcko scaffold as SMILES, empty for molecules without rings, and how many molecules have it."""

    smiles: str
    members: int


class Range(NamedTuple):
    """The tenth, the middle and the ninetieth of a hundred molecules, in the order of a property."""

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
