"""
Molecules: 48 drugs and their mean molecules
============================================

Drugs from a SMILES file, clustered as RDKit molecules. The mean molecules are drawn as chemists draw them.
"""

from pathlib import Path

from matplotlib import pyplot as plt
from rdkit import Chem
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

folder = Path(__file__).parent if "__file__" in globals() else Path.cwd()
molecules = [mol for mol in Chem.SmilesMolSupplier(str(folder / "data" / "drugs.smi"), delimiter="\t") if mol is not None]
names = [mol.GetProp("_Name") for mol in molecules]
classes = [name.partition(":")[0] for name in names]

# %%
# Objects of RDKit are clustered as they are.

km = gm.GraphKMeans(n_clusters=6, n_init=10, random_state=1).fit(molecules)
found = adjusted_rand_score(classes, km.labels_)
print(f"{len(molecules)} molecules, 6 clusters; agreement with the six classes of drugs: {found:.2f}")

# %%
# The mean molecules as SMILES, with the members of each cluster.

means = km.centroids("graph")
for cluster, mean in enumerate(means):
    print(f"cluster {cluster}: {Chem.MolToSmiles(gm.to_rdkit(mean))}")
    print("   ", ", ".join(name for name, label in zip(names, km.labels_) if label == cluster))

# %%
# And as pictures. A bond is as strong as the share of members that have it.

gm.plots.contact_sheet(means, columns=3, titles=[f"{(km.labels_ == cluster).sum()} molecules" for cluster in range(6)])
plt.show()
