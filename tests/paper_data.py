"""The four collections of the paper in miniature: GXL files of the same make, drawn here."""

from __future__ import annotations

import numpy as np

import graphmeans as gm
from graphmeans.io import write_gxl_collection


def write_collections(folder, rng):
    """Letters, symbols, fingerprints and molecules with CXL lists, where `load_iam` looks for them."""
    letters, y = gm.datasets.make_letters(75, random_state=0)
    write_gxl_collection(letters, y.tolist(), folder / "Letter" / "LOW", "test")
    write_gxl_collection(*_symbols(rng), folder / "GREC" / "data", "test")
    write_gxl_collection(*_fingerprints(rng), folder / "Fingerprint" / "data", "test")
    write_gxl_collection(*_molecules(rng), folder / "Mutagenicity" / "data", "test")
    return folder


def _symbols(rng):
    graphs, classes = [], []
    for kind in range(6):
        shape, n = rng.normal(size=(5, 2)) * 100, 3 + kind % 3
        for _ in range(4):
            x, y = (shape[:n] + rng.normal(size=(n, 2))).T
            edges = [(i, i + 1) for i in range(n - 1)]
            kinds = ["arc" if (i + kind) % 2 else "line" for i in range(n - 1)]
            double = [i == 0 and kind == 3 for i in range(n - 1)]
            columns = {
                "frequency": [2.0 if d else 1.0 for d in double], "type0": kinds, "angle0": rng.random(n - 1),
                "type1": ["arc" if d else "" for d in double], "angle1": [30.0 if d else 0.0 for d in double],
            }  # fmt: skip
            graphs.append(gm.Graph({"x": x, "y": y}, edges, columns, name=f"symbol{len(graphs)}"))
            classes.append(str(kind + 1))
    return graphs, classes


def _fingerprints(rng):
    graphs, classes = [], []
    for i in range(36):
        kind, n = "LRW"[i % 3], 0 if i in (4, 9) else 3 + i % 3
        x = np.cumsum(rng.normal(size=(n, 2)) + {"L": (-5, 5), "R": (5, 5), "W": (0, 8)}[kind], axis=0).reshape(n, 2)
        pairs = [(j, j + 1) for j in range(n - 1)]
        angle = np.arctan2(x[1:, 1] - x[:-1, 1], x[1:, 0] - x[:-1, 0])
        arcs = [(a, b) for pair in pairs for a, b in (pair, pair[::-1])]
        both = np.stack([angle, angle + np.pi], axis=1).ravel()
        columns = {"orient": np.sin(both), "angle": both}
        graphs.append(gm.Graph({"x": x[:, 0], "y": x[:, 1]}, arcs, columns, directed=True, name=f"f{i:04d}"))
        classes.append(kind)
    return graphs, classes


def _molecules(rng):
    graphs, classes = [], []
    for i in range(12):
        n = 4 + i % 3
        atoms = ["C"] * (n - 2) + (["N", "O"] if i % 2 else ["C", "H"])
        bonds = rng.integers(1, 3, size=n - 1).astype(float)
        graphs.append(gm.Graph({"chem": atoms}, [(j, j + 1) for j in range(n - 1)], {"valence": bonds}, name=f"m{i}"))
        classes.append("mutagen" if i % 2 else "nonmutagen")
    return graphs, classes
