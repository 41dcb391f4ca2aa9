"""Inventories of four projects whose own were not at hand: the objects that these pages name, and nothing else.

    python docs/inventories/make_small.py
"""

from __future__ import annotations

import zlib
from pathlib import Path

SMALL = {
    "numpy": {
        "numpy.ndarray": ("class", "reference/generated/numpy.ndarray.html"),
        "numpy.random.Generator": ("class", "reference/random/generator.html"),
        "numpy.random.RandomState": ("class", "reference/random/legacy.html"),
        "numpy.load": ("function", "reference/generated/numpy.load.html"),
    },
    "networkx": {
        "networkx.Graph": ("class", "reference/classes/graph.html"),
        "networkx.DiGraph": ("class", "reference/classes/digraph.html"),
        "networkx.MultiGraph": ("class", "reference/classes/multigraph.html"),
    },
    "pandas": {
        "pandas.DataFrame": ("class", "reference/api/pandas.DataFrame.html"),
        "pandas.Series": ("class", "reference/api/pandas.Series.html"),
    },
    "matplotlib": {
        "matplotlib.axes.Axes": ("class", "api/_as_gen/matplotlib.axes.Axes.html"),
        "matplotlib.figure.Figure": ("class", "api/_as_gen/matplotlib.figure.Figure.html"),
    },
}


def write(project: str, objects: dict[str, tuple[str, str]]) -> None:
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = "".join(f"{name} py:{kind} 1 {page}#$ -\n" for name, (kind, page) in sorted(objects.items()))
    (Path(__file__).parent / f"{project}.inv").write_bytes(head.encode() + zlib.compress(lines.encode(), 9))


if __name__ == "__main__":
    for project, objects in SMALL.items():
        write(project, objects)
