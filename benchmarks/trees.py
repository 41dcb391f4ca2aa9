"""Is the depth of a tree better a role or an attribute? Parse trees of the standard library, with planted edits, by family.

    python benchmarks/trees.py [--families 8] [--variants 8] [--nodes 18 34] [--seeds 3]

Each family is a function of the standard library; its members are that function with a few edits: a block wrapped into `with`,
`if`, `try` or `for` ("wraps"), or wraps, insertions, deletions and exchanged names by chance ("mixed"). k-means is told the
number of families. Agreement is the adjusted Rand index with the families, the mean and the least over seeds. Seconds are those
of the processor.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

MODULES = (
    "bisect", "calendar", "heapq", "posixpath", "random", "shutil", "statistics", "string", "textwrap", "tempfile", "csv", "glob",
)  # fmt: skip
WRAPPERS = ("with lock:\n    pass", "if ready:\n    pass", "for _ in range(3):\n    pass", "try:\n    pass\nfinally:\n    done()")


def children(node: ast.AST) -> list[ast.AST]:
    """The children of a node, without the marks that say whether a name is read or written."""
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.Load, ast.Store, ast.Del))]


def size(node: ast.AST) -> int:
    return 1 + sum(map(size, children(node)))


def functions(least: int, most: int) -> list[ast.FunctionDef]:
    """Functions of the standard library with so many nodes, without their documentation."""
    found = []
    for name in MODULES:
        tree = ast.parse(Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                if ast.get_docstring(node) and len(node.body) > 1:
                    node.body = node.body[1:]
                if least <= size(node) <= most and len(node.body) > 1:
                    found.append(node)
    return found


def wrap(function: ast.FunctionDef, rng: random.Random) -> None:
    """Some statements in a row are put into a block of their own."""
    first = rng.randrange(len(function.body))
    last = rng.randint(first + 1, len(function.body))
    made = ast.parse(rng.choice(WRAPPERS)).body[0]
    made.body = function.body[first:last]  # type: ignore[attr-defined]
    function.body[first:last] = [made]


def insert(function: ast.FunctionDef, rng: random.Random) -> None:
    text = rng.choice(("log(x)", "count += 1", "assert ready", "x = 0"))
    function.body.insert(rng.randint(0, len(function.body)), ast.parse(text).body[0])


def delete(function: ast.FunctionDef, rng: random.Random) -> None:
    if len(function.body) > 1:
        del function.body[rng.randrange(len(function.body))]


def exchange(function: ast.FunctionDef, rng: random.Random) -> None:
    """A name becomes a constant."""
    fields = [(node, field, value) for node in ast.walk(function) for field, value in ast.iter_fields(node)]
    named = [(node, field) for node, field, value in fields if isinstance(value, ast.Name)]
    if named:
        node, field = rng.choice(named)
        setattr(node, field, ast.Constant(0))


EDITS: dict[str, tuple[Callable[[ast.FunctionDef, random.Random], None], ...]] = {
    "wraps": (wrap,), "mixed": (wrap, insert, delete, exchange),
}  # fmt: skip


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", type=int, default=8)
    parser.add_argument("--variants", type=int, default=8)
    parser.add_argument("--nodes", type=int, nargs=2, default=(18, 34))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    rng = random.Random(0)
    families = rng.sample(functions(*options.nodes), options.families)
    print(f"{options.families} functions of {options.nodes[0]} to {options.nodes[1]} nodes, {options.variants} variants each: "
          + ", ".join(family.name for family in families))  # fmt: skip
    print("| edits | depth | agreement, mean | least | seconds a fit |\n|---|---|---|---|---|")
    for kind, edits in EDITS.items():
        roots, truth = [], []
        for f, family in enumerate(families):
            for _ in range(options.variants):
                made = copy.deepcopy(family)
                for _ in range(rng.randint(1, 3)):
                    rng.choice(edits)(made, rng)
                roots.append(made)
                truth.append(f)
        for depth in ("role", "attribute"):
            trees = gm.structures.trees(roots, children=children, attributes=lambda node: type(node).__name__, depth=depth)
            found, start = [], time.process_time()
            for seed in range(options.seeds):
                labels = gm.GraphKMeans(options.families, random_state=seed).fit(trees).labels_
                found.append(adjusted_rand_score(truth, labels))
            spent = (time.process_time() - start) / options.seeds
            print(f"| {kind} | {depth} | {np.mean(found):.2f} | {min(found):.2f} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
