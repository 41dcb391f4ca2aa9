"""A chemist: 48 drugs from a SMILES file, clustered as RDKit molecules; the mean molecules are drawn.

    python examples/molecules.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path

from picture import save
from rdkit import Chem
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

DRUGS = Path(__file__).parent / "data" / "drugs.smi"


def main(folder: str = ".") -> float:
    molecules = [mol for mol in Chem.SmilesMolSupplier(str(DRUGS), delimiter="\t") if mol is not None]
    classes = [mol.GetProp("_Name").partition(":")[0] for mol in molecules]

    km = gm.GraphKMeans(n_clusters=6, n_init=10, random_state=1).fit(molecules)

    found = adjusted_rand_score(classes, km.labels_)
    print(f"{len(molecules)} molecules, 6 clusters; agreement with the six classes of drugs: {found:.2f}")
    means = km.centroids("graph")
    for c, mean in enumerate(means):
        members = [mol.GetProp("_Name") for mol, label in zip(molecules, km.labels_, strict=True) if label == c]
        print(f"cluster {c}: {Chem.MolToSmiles(gm.to_rdkit(mean))}")
        print("   ", ", ".join(members))
    sizes = [f"{(km.labels_ == c).sum()} molecules" for c in range(6)]
    print("drawn:", save(Path(folder) / "molecules.svg", means, sizes, columns=3))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
