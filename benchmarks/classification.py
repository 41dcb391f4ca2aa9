"""How well are the molecules of Mutagenicity classified: by mean graphs, by nearest graphs, and by counts of what they contain?

    python benchmarks/classification.py FOLDER [--queries 300] [--effort 0.1]

FOLDER holds Mutagenicity.zip of the IAM graph database; its own split is used: 1,500 molecules to learn from, 500 to choose
the parameters of the support vector machines, 2,337 to be classified. Counts of elements and of Weisfeiler-Lehman labels (three
rounds, with the valence of bonds) are classified by nearest centroid, by five neighbors and by support vector machines; the
graphs by `GraphNearestCentroid` and `GraphKNeighborsClassifier`, which sees them as they are, hydrogens included, and then as
molecules of RDKit, compared atom by atom and with their surroundings (`encoder="series"`). With --queries only so many of the
2,337, drawn at random, are classified by the graph methods, and the accuracy of the others is given for the same ones, too.
Seconds are CPU seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import numpy as np
from rdkit import Chem, RDLogger
from sklearn.feature_extraction import DictVectorizer
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

import graphmeans as gm

ROUNDS = 3


def weisfeiler_lehman(graph: gm.Graph, rounds: int) -> Counter[str]:
    """How often each label occurs: elements, then elements with their neighbors, and so on."""
    labels = [str(value) for value in graph.nodes["chem"]]
    counts = Counter(labels)
    around: list[list[tuple[str, int]]] = [[] for _ in labels]
    for (i, j), bond in zip(graph.edges.tolist(), graph.edge_attributes.get("valence", []), strict=True):
        around[i].append((str(bond), j))
        around[j].append((str(bond), i))
    for turn in range(rounds):
        labels = [
            f"{turn}{labels[i]}({','.join(sorted(f'{bond}{labels[j]}' for bond, j in near))})" for i, near in enumerate(around)
        ]
        labels = [str(hash(label)) if len(label) > 200 else label for label in labels]
        counts.update(labels)
    return counts


def molecule_of(graph: gm.Graph) -> Chem.Mol:
    """The molecule of a graph: its hydrogens are nodes, and charges are where valences ask for them. Few are impossible."""
    made = Chem.RWMol()
    for element in graph.nodes["chem"]:
        atom = Chem.Atom(str(element))
        atom.SetNoImplicit(True)
        made.AddAtom(atom)
    for (i, j), valence in zip(graph.edges.tolist(), graph.edge_attributes.get("valence", []), strict=True):
        made.AddBond(i, j, Chem.BondType.values[int(valence)])
    for atom in made.GetAtoms():
        valence = sum(int(bond.GetBondTypeAsDouble()) for bond in atom.GetBonds())
        atom.SetFormalCharge({("N", 4): 1, ("N", 2): -1, ("O", 1): -1}.get((atom.GetSymbol(), valence), 0))
    molecule = made.GetMol()
    if Chem.SanitizeMol(molecule, catchErrors=True) == Chem.SANITIZE_NONE:
        return Chem.RemoveHs(molecule)
    Chem.SanitizeMol(molecule, Chem.SANITIZE_ALL ^ Chem.SANITIZE_PROPERTIES ^ Chem.SANITIZE_KEKULIZE, catchErrors=True)
    return molecule


def line(name: str, seconds: float, right: np.ndarray, asked: np.ndarray) -> None:
    """One row: the accuracy on all molecules, and on those that the graph methods were asked for."""
    whole = f"{right.mean():.3f}" if len(right) > len(asked) else "-"
    some = right[asked].mean() if len(right) > len(asked) else right.mean()
    error = np.sqrt(some * (1 - some) / len(asked))
    print(f"| {name} | {whole} | {some:.3f} ± {error:.3f} | {seconds:.0f} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--queries", type=int, default=None)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--prototypes", type=int, nargs="*", default=[1])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--skip-neighbors", action="store_true")
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    data = {split: gm.datasets.load_iam(options.folder, "Mutagenicity", split) for split in ("train", "validation", "test")}
    (train, y), (valid, v), (test, t) = data["train"], data["validation"], data["test"]
    asked = np.arange(len(test))
    if options.queries is not None:
        asked = np.sort(np.random.RandomState(0).permutation(len(test))[: options.queries])
    print(f"{len(train)} to learn from, {len(valid)} to choose by, {len(test)} to classify, {len(asked)} of them by graphs")
    print(f"majority class: {np.mean(t == Counter(y).most_common(1)[0][0]):.3f}\n")
    print(f"| method | accuracy, all {len(test)} | accuracy, {len(asked)} of them | CPU seconds |\n|---|---|---|---|")
    for name, rounds in (("elements", 0), (f"Weisfeiler-Lehman, {ROUNDS} rounds", ROUNDS)):
        begin = time.process_time()
        vectorizer = DictVectorizer()
        rows = [vectorizer.fit_transform([weisfeiler_lehman(graph, rounds) for graph in train])]
        rows += [vectorizer.transform([weisfeiler_lehman(graph, rounds) for graph in some]) for some in (valid, test)]
        rows = [normalize(np.sqrt(matrix)) for matrix in rows]
        made = time.process_time() - begin
        for kind, model in (("nearest centroid", NearestCentroid()), ("5 neighbors", KNeighborsClassifier(5))):
            begin = time.process_time()
            right = model.fit(rows[0], y).predict(rows[2]) == t
            line(f"{name}: {kind}", made + time.process_time() - begin, right, asked)
        begin = time.process_time()
        models = [SVC(C=c, kernel=kernel, gamma=1.0).fit(rows[0], y) for c in (1, 10, 100) for kernel in ("linear", "rbf")]
        best = max(models, key=lambda model: model.score(rows[1], v))
        line(f"{name}: SVM", made + time.process_time() - begin, best.predict(rows[2]) == t, asked)
    some, classes = [test[i] for i in asked], t[asked]

    def nearest(name: str, encoder: str, known: list, queries: list) -> None:
        """The rows of the nearest graphs."""
        begin = time.process_time()
        knn = gm.GraphKNeighborsClassifier(5, encoder=encoder, effort=options.effort, n_jobs=options.jobs).fit(known, y)
        parts = []
        for first in range(0, len(queries), 100):
            parts.append(knn.kneighbors(queries[first : first + 100], 5, return_distance=False))
            print(f"{name}: {first + 100} queries, {time.process_time() - begin:.0f} s", file=sys.stderr, flush=True)
        numbers = np.concatenate(parts)
        spent, matchings = time.process_time() - begin, knn.index_.n_compared_["matchings"]
        for k in (1, 3, 5):
            votes = np.array([np.bincount(knn.targets_[row[:k]], minlength=2) for row in numbers])
            right = knn.classes_[votes.argmax(axis=1)] == classes
            line(f"nearest {name}: {k} ({matchings / len(queries):.0f} matchings a query)", spent, right, asked)

    for count in options.prototypes:
        begin = time.process_time()
        clf = gm.GraphNearestCentroid(count, effort=options.effort, random_state=0, n_jobs=options.jobs).fit(train, y)
        fitted = time.process_time() - begin
        right = clf.predict(some) == classes
        sizes = clf._centers.batch.sizes
        said = f"mean graphs, {count} a class of {sizes.min()} to {sizes.max()} nodes (fit {fitted:.0f} s)"
        line(said, time.process_time() - begin, right, asked)
    if options.skip_neighbors:
        return
    nearest("graphs", "auto", train, some)
    as_molecules = [[molecule_of(graph) for graph in graphs] for graphs in (train, some)]
    nearest("molecules", "molecule", *as_molecules)
    nearest("molecules, series", "series", *as_molecules)


if __name__ == "__main__":
    main()
