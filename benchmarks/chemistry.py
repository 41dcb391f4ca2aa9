"""Do the clusters follow chemistry, or only size and rings? Which weights of attributes group molecules best?

    python benchmarks/chemistry.py [--molecules 1000] [-k 30] [--seeds 2] [--file FILE | --drug-like] [--weights] [--effort 0.2]

Clusters a sample of RDKit's own NCI molecules (or those of FILE; with --drug-like of the 10,000 of a screening library that
RDKit tests its PAINS filters with) and prints, for the preset, with links and with surroundings, for elements and bonds alone
(as in the paper), and for what chemists use (Butina and Ward's clusters on the Tanimoto distance of Morgan fingerprints,
k-means on the fingerprints): the share of molecules that have the most frequent Murcko scaffold of their cluster, the
V-measure of clusters and scaffolds, how much of the variance of the number of atoms and of rings the clusters explain (R^2),
and the share of atoms that two molecules of a cluster have in common (rdFMCS, whole rings only; common atoms / atoms of
either), over random pairs.
`--weights` compares other weights of the preset, `--only` names the rows to print. `--effort` is that of the fit: labels settle
long before proofs do.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem, DataStructs, RDConfig, RDLogger
from rdkit.Chem import rdFingerprintGenerator, rdFMCS
from rdkit.Chem.Scaffolds import MurckoScaffold
from rdkit.ML.Cluster import Butina
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.metrics import v_measure_score

import graphmeans as gm
from graphmeans.io import read_molecules


def weights(element: float, charge: float, aromatic: float, ring: float, hydrogens: float, bond: float = 1.0) -> Any:
    chosen = {"element": element, "charge": charge, "aromatic": aromatic, "ring": ring, "hydrogens": hydrogens, "bond": bond}
    return lambda: gm.MoleculeEncoder(weights=chosen)


#: Other weights, beside those of the preset.
WEIGHTS: dict[str, Callable[[], Any]] = {
    "all 1": weights(1, 1, 1, 1, 1),
    "element 1, ring .25": weights(1, 0.5, 0.25, 0.25, 0.1),
    "element 2, ring 1": weights(2, 1, 1, 1, 0.2),
    "element 2, ring 2": weights(2, 1, 1, 2, 0.2),
    "element 4, ring 1": weights(4, 1, 1, 1, 0.2),
    "ring 2": weights(1, 0.5, 0.5, 2, 0.05),
    "aromatic 1": weights(1, 0.5, 1, 1, 0.05),
    "hydrogens 0": weights(1, 0.5, 0.5, 1, 0),
    "bond 2": weights(1, 0.5, 0.5, 1, 0.05, 2),
    "bond 0.5": weights(1, 0.5, 0.5, 1, 0.05, 0.5),
    "links, link 1": lambda: gm.MoleculeEncoder(links=True, weights={"link": 1.0}),
    "links, link 2": lambda: gm.MoleculeEncoder(links=True, weights={"link": 2.0}),
    "links, link 8": lambda: gm.MoleculeEncoder(links=True, weights={"link": 8.0}),
    "links, ring .5": lambda: gm.MoleculeEncoder(links=True, weights={"ring": 0.5}),
}


class Sample:
    """Molecules with what clusters are judged by."""

    def __init__(self, source: str | bytes, count: int, seed: int, pairs: int) -> None:
        self.pairs = pairs
        graphs = [graph for graph in read_molecules(source).graphs if 6 <= graph.n_nodes <= 40]
        random.Random(seed).shuffle(graphs)
        self.graphs = graphs[:count]
        self.molecules = [graph.origin for graph in self.graphs]
        self.scaffolds = [MurckoScaffold.MurckoScaffoldSmiles(mol=molecule) for molecule in self.molecules]
        self.sizes = np.array([molecule.GetNumHeavyAtoms() for molecule in self.molecules], dtype=float)
        self.rings = np.array([Chem.GetSSSR(molecule).__len__() for molecule in self.molecules], dtype=float)
        self._common: dict[tuple[int, int], float] = {}

    def common(self, i: int, j: int) -> float:
        """The share of atoms of two molecules that their largest common substructure has."""
        key = (min(i, j), max(i, j))
        if key not in self._common:
            pair = [self.molecules[i], self.molecules[j]]
            found = rdFMCS.FindMCS(pair, timeout=1, ringMatchesRingOnly=True, completeRingsOnly=True).numAtoms
            self._common[key] = found / (sum(molecule.GetNumAtoms() for molecule in pair) - found)
        return self._common[key]

    def judge(self, labels: Any) -> tuple[float, ...]:
        """Purity and V-measure by scaffold, R^2 of size and rings, common share of pairs, share of clusters of one."""
        labels = np.unique(np.asarray(labels), return_inverse=True)[1]
        groups = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
        most = sum(max(Counter(self.scaffolds[i] for i in group).values()) for group in groups)
        draw = random.Random(0)
        shares = []
        for i in (draw.randrange(len(labels)) for _ in range(self.pairs)):
            others = [int(j) for j in groups[labels[i]] if j != i]
            if others:
                shares.append(self.common(i, draw.choice(others)))
        alone = sum(len(group) == 1 for group in groups) / len(groups)
        explained = [_explained(groups, values) for values in (self.sizes, self.rings)]
        return (most / len(labels), v_measure_score(self.scaffolds, labels), *explained, float(np.mean(shares)), alone)


def _explained(groups: list[Any], values: Any) -> float:
    within = sum(((values[group] - values[group].mean()) ** 2).sum() for group in groups)
    return float(1 - within / ((values - values.mean()) ** 2).sum())


def peers(sample: Sample, k: int, seed: int) -> dict[str, Callable[[], Any]]:
    """What chemists use, with the same number of clusters (Butina: with the radius that comes nearest to it)."""
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    prints = [generator.GetFingerprint(molecule) for molecule in sample.molecules]
    near = np.array([DataStructs.BulkTanimotoSimilarity(one, prints) for one in prints])
    apart = squareform(1 - near, checks=False)

    def butina() -> Any:
        lower = [1 - near[i, j] for i in range(len(prints)) for j in range(i)]
        tried = [Butina.ClusterData(lower, len(prints), radius, isDistData=True) for radius in np.arange(0.5, 0.99, 0.04)]
        best = min(tried, key=lambda clusters: abs(len(clusters) - k))
        labels = np.zeros(len(prints), dtype=int)
        for label, members in enumerate(best):
            labels[list(members)] = label
        return labels

    rows = np.array([list(one) for one in prints], dtype=float)
    return {
        "Ward, Tanimoto": lambda: fcluster(linkage(apart, "ward"), k, "maxclust"),
        "k-means, Morgan": lambda: KMeans(k, n_init=1, random_state=seed).fit_predict(rows),
        "Butina, Tanimoto": butina,
    }


def main() -> None:
    warnings.simplefilter("ignore")
    RDLogger.DisableLog("rdApp.*")
    parser = argparse.ArgumentParser()
    parser.add_argument("--molecules", type=int, default=1000)
    parser.add_argument("-k", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--file", default=f"{RDConfig.RDDataDir}/NCI/first_5K.smi")
    parser.add_argument("--drug-like", action="store_true")
    parser.add_argument("--pairs", type=int, default=1200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--effort", type=float, default=0.2)
    parser.add_argument("--max-iter", type=int, default=20)
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--only", nargs="+", help="the rows that are asked for")
    asked = parser.parse_args()
    source: str | bytes = asked.file
    if asked.drug_like:  # the file has no header
        source = b"smiles,name\n" + Path(RDConfig.RDDataDir, "Pains", "test_data", "wehi_mols.csv").read_bytes()
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    samples = [Sample(source, asked.molecules, seed, asked.pairs) for seed in seeds]

    def fit(encoder: Any, sample: Sample, seed: int, **how: Any) -> Any:
        graphs = gm.convert.from_rdkit(sample.molecules, **how) if how else sample.graphs
        options = {"n_init": 1, "effort": asked.effort, "max_iter": asked.max_iter, "n_jobs": 1, "random_state": seed}
        return gm.GraphKMeans(asked.k, encoder=encoder, **options).fit(graphs).labels_

    def ways(sample: Sample, seed: int) -> dict[str, Callable[[], Any]]:
        made = dict(peers(sample, asked.k, seed))
        made["elements and bonds"] = lambda: fit("auto", sample, seed, atoms=("element",), bonds=("bond",))
        made["preset"] = lambda: fit("molecule", sample, seed)
        made["preset, links"] = lambda: fit(gm.MoleculeEncoder(links=True), sample, seed)
        for how in ("near", "wide"):
            made[f"surroundings, {how}"] = lambda how=how: fit(gm.MoleculeEncoder(surroundings=how), sample, seed)
        for name, make in WEIGHTS.items() if asked.weights else ():
            made[name] = lambda make=make: fit(make(), sample, seed)
        return made

    each = [ways(sample, seed) for seed, sample in zip(seeds, samples, strict=True)]
    atoms = np.mean([graph.n_nodes for sample in samples for graph in sample.graphs])
    print(f"{len(samples[0].graphs)} molecules of {atoms:.1f} atoms, k = {asked.k}, mean of {asked.seeds} samples")
    print(f"{'':22s} {'purity':>7s} {'V':>7s} {'R2 size':>8s} {'R2 rings':>8s} {'common':>7s} {'alone':>7s} {'CPU s':>7s}")
    for name in asked.only or each[0]:
        rows = []
        for sample, own in zip(samples, each, strict=True):
            start = time.process_time()
            labels = own[name]()
            seconds = time.process_time() - start
            rows.append((*sample.judge(labels), seconds))
        purity, v, size, rings, common, alone, seconds = np.mean(rows, axis=0)
        line = f"{name:22s} {purity:7.3f} {v:7.3f} {size:8.2f} {rings:8.2f} {common:7.3f} {alone:7.2f} {seconds:7.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
