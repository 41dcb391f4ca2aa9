"""Series of molecules whose scaffold and substituents are known, enumerated, for tests of what is read of clusters."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import graphmeans as gm

GROUPS = {"H": "", "CH₃": "C", "F": "F", "Cl": "Cl", "OCH₃": "OC"}
#: Acetanilides with a group in para and one in ortho position. Both ortho positions are alike: a core can lie in two ways.
ANILIDES = "CC(=O)Nc1ccc({a})cc1{b}"
PIPERAZINES = "{a}N1CCN(c2ccccc2{b})CC1"
ACIDS = "{a}CCCCCC(=O)O{b}"
SCAFFOLDS = {ANILIDES: "CC(=O)Nc1ccccc1", PIPERAZINES: "c1ccc(N2CCNCC2)cc1", ACIDS: "CCCCCC(=O)O"}


def enumerated(scaffold: str, one: list[str], other: list[str]) -> tuple[list[str], list[Counter[str]]]:
    """The molecules of a series as SMILES, and how often each group stands at its first and second place."""
    smiles = [
        scaffold.format(a=GROUPS[a], b=GROUPS[b]).replace("()", "") for a, b in product(one, other)
    ]  # fmt: skip
    return smiles, [Counter(a for a, _ in product(one, other)), Counter(b for _, b in product(one, other))]


def three_series() -> tuple[list[Any], list[str]]:
    """Graphs of three series, and the scaffold of each."""
    sets = [(ANILIDES, "H F Cl", "H CH₃ OCH₃"), (PIPERAZINES, "H CH₃", "H F Cl OCH₃"), (ACIDS, "H CH₃", "H CH₃")]
    smiles, scaffolds = [], []
    for scaffold, one, other in sets:
        made, _ = enumerated(scaffold, one.split(), other.split())
        smiles += made
        scaffolds += [SCAFFOLDS[scaffold]] * len(made)
    return gm.from_smiles(smiles), scaffolds
