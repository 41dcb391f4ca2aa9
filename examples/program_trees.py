"""
Trees: five ways to write a program
===================================

Small Python functions as syntax trees. The depth of a node is its role: roots are matched with roots, and children with children.
"""

import ast
import random

from matplotlib import pyplot as plt
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm

texts = {
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

rng = random.Random(0)
programs, idioms = [], []
for idiom, text in texts.items():
    for _ in range(14):
        source = text.format(
            extra=rng.choice(["", "", "count = 1; ", "print('here'); "]),
            tail=rng.choice(["", "", " + 1", " * scale"]),
            base=rng.choice(["1", "None", "limit", "0"]),
        )
        programs.append(ast.parse(source))
        idioms.append(idiom)


# %%
# The children of a node are taken without the marks for reading and writing a variable; its label is its kind. The idioms
# differ in what is on which level, so the depth is a role here: level is matched with level, which is quick.


def children(node):
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.Load, ast.Store))]


graphs = gm.structures.trees(programs, children=children, attributes=lambda node: type(node).__name__, depth="role")
km = gm.GraphKMeans(n_clusters=5, n_init=5, random_state=0).fit(graphs)
found = adjusted_rand_score(idioms, km.labels_)
print(f"{len(graphs)} programs, 5 clusters; agreement with the five idioms: {found:.2f}")


# %%
# The mean trees as outlines. What few programs have is pale.


def outline(tree):
    """Depth, kind and support of the nodes from top to bottom, children below their parents."""
    below = {}
    for edge in tree.edges[tree.edge_support >= 0.2].tolist():
        parent, child = sorted(edge, key=lambda node: tree.roles[node])  # the role of a node is its depth
        below.setdefault(parent, []).append(child)
    waiting = [tree.roles.index(0)]
    while waiting:
        node = waiting.pop()
        yield tree.roles[node], str(tree.nodes["label"][node]), float(tree.node_support[node])
        waiting += below.get(node, [])[::-1]


outlines = [list(outline(mean)) for mean in km.centroids()]
figure, axes = plt.subplots(1, 5, figsize=(13, 0.24 * max(map(len, outlines)) + 0.6))
for cluster, (ax, lines) in enumerate(zip(axes, outlines)):
    ax.set(title=f"{(km.labels_ == cluster).sum()} programs", xlim=(0, 12), ylim=(max(map(len, outlines)), -1))
    ax.set_axis_off()
    for row, (depth, kind, support) in enumerate(lines):
        ax.text(depth, row, kind, alpha=min(1.0, support), fontsize=9)
plt.show()
