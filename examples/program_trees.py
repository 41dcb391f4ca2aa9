"""A programmer: small Python functions as syntax trees, the depth of a node being its role.

    python examples/program_trees.py [folder for the picture]
"""

from __future__ import annotations

import ast
import random
import sys
from pathlib import Path

from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

IDIOMS = {
    "loop": """
def f(items):
    total = 0
    for item in items:
        {extra}total = total + item{tail}
    return total""",
    "recursion": """
def f(n):
    if n < 2:
        return {base}
    return n * f(n - 1){tail}""",
    "comprehension": """
def f(rows):
    return [row.name{tail} for row in rows if row.size > {base}]""",
    "class": """
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y{tail}
        {extra}self.name = {base}""",
    "file": """
def f(path):
    try:
        with open(path) as source:
            return source.read(){tail}
    except OSError:
        {extra}return {base}""",
}


def programs(rng: random.Random) -> tuple[list[ast.Module], list[str]]:
    """Fourteen ways to write each of five idioms."""
    trees, idioms = [], []
    for idiom, text in IDIOMS.items():
        for _ in range(14):
            source = text.format(
                extra=rng.choice(["", "", "count = 1; ", "print('here'); "]),
                tail=rng.choice(["", "", " + 1", " * scale"]),
                base=rng.choice(["1", "None", "limit", "0"]),
            )
            trees.append(ast.parse(source))
            idioms.append(idiom)
    return trees, idioms


def children(node: ast.AST) -> list[ast.AST]:
    """What stands below a node, without the marks for reading and writing a variable."""
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.Load, ast.Store))]


def outline(tree: gm.MeanGraph) -> list[tuple[int, str, float]]:
    """Depth, kind and support of the nodes from top to bottom, children below their parents."""
    below: dict[int, list[int]] = {}
    for edge in tree.edges[tree.edge_support >= 0.2].tolist():
        parent, child = sorted(edge, key=lambda node: tree.roles[node])  # the role of a node is its depth
        below.setdefault(parent, []).append(child)
    lines, waiting = [], [tree.roles.index(0)]
    while waiting:
        node = waiting.pop()
        lines.append((tree.roles[node], str(tree.nodes["label"][node]), float(tree.node_support[node])))
        waiting += below.get(node, [])[::-1]
    return lines


def draw(path: Path, outlines: list[list[tuple[int, str, float]]], captions: list[str]) -> Path:
    """The outlines side by side; what few programs have is pale."""
    width, height = 230 * len(outlines), 18 * (4 + max(map(len, outlines)))
    font = 'font-family="sans-serif" font-size="13"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {font}>']
    for c, (lines, caption) in enumerate(zip(outlines, captions, strict=True)):
        parts.append(f'<text x="{230 * c + 10}" y="18" font-weight="bold">{caption}</text>')
        parts += [f'<text x="{230 * c + 10 + 16 * depth}" y="{18 * (row + 3)}" opacity="{support:.2f}">{kind}</text>'
                  for row, (depth, kind, support) in enumerate(lines)]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join([*parts, "</svg>\n"]))
    return path


def main(folder: str = ".") -> float:
    trees, idioms = programs(random.Random(0))

    graphs = gm.structures.trees(trees, children=children, attributes=lambda node: type(node).__name__)
    km = gm.GraphKMeans(n_clusters=5, n_init=5, random_state=0).fit(graphs)

    found = adjusted_rand_score(idioms, km.labels_)
    print(f"{len(graphs)} programs, 5 clusters; agreement with the five idioms: {found:.2f}")
    sizes = [f"{(km.labels_ == c).sum()} programs" for c in range(5)]
    print("drawn:", draw(Path(folder) / "program_trees.svg", [outline(mean) for mean in km.centroids()], sizes))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
