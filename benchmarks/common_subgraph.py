"""Beside RDKit's rdFMCS: how large are common subgraphs, which of them are proven, and how long does it take?

    python benchmarks/common_subgraph.py pairs [--count 500] [--smiles FILE]
    python benchmarks/common_subgraph.py hard [--seconds 10]

`pairs` are molecules of at least 12 atoms from the file (by default RDKit's own NCI/first_5K.smi): half of them drawn at random,
half a molecule and the one most like it by Morgan fingerprints. `hard` are pairs on which rdFMCS was reported to hang, to take
long or to take all memory (the numbers are those of RDKit's issues). Both programs are asked for the same: connected, most bonds,
equal elements, bonds of the same kind (CompareOrderExact), no options of rings; #2581 also with any atoms and bonds. CPU seconds
of one thread; each rdFMCS of `hard` is a process of its own that is ended after three times the limit that it was given.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem, RDConfig, RDLogger
from rdkit.Chem import DataStructs, rdFingerprintGenerator, rdFMCS

import graphmeans as gm

#: Pairs from reports, by the number of the report.
HARD = {
    "#7736 (117 GiB)": (
        "*C1CC(O)C2(C)OC3CC4OC5CC6(C)OC7(C)CCC8OC9CC%10(C)OC%11C(C)=CC(=O)OC%11CC%10OC9CC(C)C8OC7CC6OC5(C)CC=CC4OC3CC2O1",
        "*C1CC(O)C2OC3CC4(C)OC5C=CCC6OC7C(C)CC8OC9(C)CC(C)CC%10OC(=O)CC%10OC9CC8OC7CC=CCC6OC5CCCC4OC3CC2O1",
    ),
    "#1585 (23 s)": (
        "c1cc(c(c(c1)Cl)N2c3cc(cc(c3CNC2=O)c4ccc(cc4F)F)N5CCNCC5)Cl",
        "CCNc1cc(c2c(c1)N(C(=O)NC2)c3ccc(cc3)n4ccc-5ncnc5c4)c6ccnnc6",
    ),
    "#3965 (4 GB)": (
        "CC(C)CNC(=O)C(C(C)C)CC(O)C(NC1=O)COCc(ccc2)cc2C(c3ccccc3)NC(=O)c(cc14)cc(c4)N(C)S(=O)(=O)C",
        "CC(C)CNC(=O)C(C(C)C)CC(O)C(NC(=O)c(cc12)nc(c1)N(C)S(=O)(=O)C)COCc3cc(ccc3)C(NC2=O)c4ccccc4",
    ),
    "#3085": (
        "CC1(OB(OC1(C)C)c2c(OCCCN3CCN(CC3)c4c(F)cc5c(=O)c(C(O)=O)cn(C6CC6)c5c4)cccc2C=O)C",
        "O=C(c(cn(C7CC7)c8c9cc(F)c(N%10CCN(CC%10)CCCOc%11c(B(OC%12C[N+]([O-])=O)O)c%12ccc%11)c8)c9=O)O",
    ),
}  # fmt: skip


def exact_mcs(molecules: list[Any], seconds: int, anything: bool = False) -> Any:
    """What rdFMCS finds."""
    options = {"bondCompare": rdFMCS.BondCompare.CompareOrderExact}
    if anything:
        options = {"bondCompare": rdFMCS.BondCompare.CompareAny, "atomCompare": rdFMCS.AtomCompare.CompareAny}
    return rdFMCS.FindMCS(molecules, timeout=seconds, **options)


def pairs(smiles: Path, count: int, seconds: int) -> None:
    """Print how often both agree, and what each takes."""
    molecules = [Chem.MolFromSmiles(line.split()[0]) for line in smiles.read_text().splitlines() if line.split()]
    molecules = [molecule for molecule in molecules if molecule is not None and molecule.GetNumAtoms() >= 12]
    prints = rdFingerprintGenerator.GetMorganGenerator(radius=2).GetFingerprints(molecules)
    random = np.random.RandomState(0)
    gm.common_subgraph(molecules[0], molecules[1])  # compiles
    rows = []
    for turn in range(count):
        i, j = random.randint(len(molecules), size=2)
        if turn % 2:
            like = np.array(DataStructs.BulkTanimotoSimilarity(prints[i], list(prints)))
            like[i] = -1
            j = int(like.argmax())
        pair = [molecules[i], molecules[j]]
        graphs = gm.from_rdkit(pair, atoms=("element",), hydrogens="keep")
        begin = time.process_time()
        ours = gm.common_subgraph(*graphs)
        middle = time.process_time()
        theirs = exact_mcs(pair, seconds)
        end = time.process_time()
        pattern = Chem.MolFromSmarts(ours.smarts())
        sound = not ours.graph.n_nodes or all(molecule.HasSubstructMatch(pattern) for molecule in pair)
        rows.append((ours.graph.n_edges, ours.graph.n_nodes, ours.upper, theirs.numBonds, theirs.numAtoms, theirs.canceled,
                     middle - begin, end - middle, sound))  # fmt: skip
        if ours.graph.n_edges < theirs.numBonds or not sound:
            print("SMALLER OR WRONG", *map(Chem.MolToSmiles, pair), rows[-1])
    edges, nodes, upper, bonds, atoms, cancelled, mine, rdkit, sound = map(np.array, zip(*rows, strict=True))
    both = (edges == upper) & ~cancelled
    print(f"{count} pairs of {smiles.name}; rdFMCS has {seconds} s a pair, graphmeans its default limit in tree nodes")
    print(f"proven by graphmeans: {(edges == upper).sum()}; finished by rdFMCS: {(~cancelled).sum()}; by both: {both.sum()}")
    same = (edges == bonds)[both].sum(), ((edges == bonds) & (nodes == atoms))[both].sum()
    print(f"of these the same number of bonds: {same[0]}, and of atoms: {same[1]}; patterns in both molecules: {sound.sum()}")
    print(f"graphmeans smaller on {(edges < bonds).sum()} pairs, larger on {(edges > bonds).sum()}")
    print("\n| | total CPU s | median ms | 99th percentile ms | worst s |\n|---|---|---|---|---|")
    for name, spent in (("graphmeans", mine), ("rdFMCS", rdkit)):
        middle, high = np.percentile(spent, [50, 99]) * 1000
        print(f"| {name} | {spent.sum():.1f} | {middle:.1f} | {high:.0f} | {spent.max():.2f} |")


def _asked(smiles: tuple[str, str], seconds: int, anything: bool, hydrogens: bool, answer: Any) -> None:
    RDLogger.DisableLog("rdApp.*")
    molecules = [_molecule(text, hydrogens) for text in smiles]
    begin = time.process_time()
    found = exact_mcs(molecules, seconds, anything)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.put((found.numBonds, found.canceled, time.process_time() - begin, memory))


def _molecule(text: str, hydrogens: bool) -> Any:
    molecule = Chem.MolFromSmiles(text)
    return Chem.AddHs(molecule) if hydrogens else molecule


def hard(seconds: int) -> None:
    """Print what both make of the pairs of the reports."""
    print("| pair | atoms | graphmeans: bonds | s | rdFMCS: bonds | s | MB |\n|---|---|---|---|---|---|---|")
    cases = [(name, smiles, False, False) for name, smiles in HARD.items()]
    cases += [(f"{name}, with hydrogens", smiles, False, True) for name, smiles in HARD.items()]
    cases += [(f"{name}, any atoms and bonds", smiles, True, False) for name, smiles in HARD.items()]
    cases += [("as #2581: #3965 with hydrogens, any atoms and bonds", HARD["#3965 (4 GB)"], True, True)]
    gm.common_subgraph("CCO", "CCN")  # compiles
    for name, smiles, anything, hydrogens in cases:
        graphs = gm.from_rdkit([_molecule(text, hydrogens) for text in smiles], atoms=("element",), hydrogens="keep")
        agree: dict[str, Any] = {"node_attributes": [], "edge_attributes": []} if anything else {}
        begin, start = time.process_time(), time.perf_counter()
        ours = gm.common_subgraph(*graphs, max_seconds=seconds, max_tree_nodes=10**9, **agree)
        spent, wall = time.process_time() - begin, time.perf_counter() - start
        said = f"{ours.size}, proven" if ours.certified else f"{ours.size}, at most {ours.upper}"
        answer: Any = mp.get_context("fork").Queue()
        process = mp.get_context("fork").Process(target=_asked, args=(smiles, seconds, anything, hydrogens, answer))
        process.start()
        process.join(3 * seconds + 5)
        if process.is_alive():
            process.kill()
            theirs = f"none | over {3 * seconds} (wall) | "
        else:
            bonds, cancelled, theirs_spent, memory = answer.get()
            theirs = f"{bonds}{', cancelled' if cancelled else ''} | {theirs_spent:.2f} | {memory:.0f}"
        sizes = " and ".join(str(graph.n_nodes) for graph in graphs)
        print(f"| {name} | {sizes} | {said} | {spent:.2f} (wall {wall:.1f}) | {theirs} |", flush=True)


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["pairs", "hard"])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--smiles", type=Path, default=Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi")
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    if options.part == "pairs":
        pairs(options.smiles, options.count, options.seconds)
    else:
        hard(options.seconds)


if __name__ == "__main__":
    main()
