"""Every example runs, finds the groups that are there without any tuning, and ends in a picture."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from effort import thorough

EXAMPLES = Path(__file__).parents[1] / "examples"
#: The least adjusted Rand index with the groups that the data were made of (vectors: what k-means finds in the iris data).
LEAST = {
    "molecules": 0.8, "connectomes": 0.95, "symbols": 0.8, "program_trees": 0.9, "point_patterns": 0.8, "sequences": 0.95,
    "hypergraphs": 0.9, "vectors": 0.7, "dbscan": 0.7, "hdbscan_groups": 0.8, "neighbours": 0.8, "tsne_map": 0.85,
    "through_neighbors": 0.85,
}  # fmt: skip
#: Ten starts on molecules, and t-SNE. The tutorial on molecules is run as a notebook, too.
SLOW = {"molecules", "tsne_map", "through_neighbors"}


def test_every_example_is_run():
    assert set(LEAST) == {path.stem for path in EXAMPLES.glob("*.py")}


@pytest.mark.parametrize("name", [thorough(name) if name in SLOW else name for name in LEAST])
def test_example(name, tmp_path, monkeypatch, capsys):
    if name == "molecules":
        pytest.importorskip("rdkit", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")
    matplotlib.use("agg")
    plt.close("all")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)
    known = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert known["found"] >= LEAST[name]
    assert re.search(r"agreement with the .*: [01]\.\d\d", capsys.readouterr().out)
    picture = plt.figure(plt.get_fignums()[-1])
    drawn = [artist for ax in picture.findobj(Axes) for artist in (*ax.collections, *ax.lines, *ax.texts, *ax.patches)]
    assert len(drawn) >= 2
    plt.close("all")
