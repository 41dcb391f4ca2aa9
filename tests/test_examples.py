"""Every example runs, finds the groups that are there without any tuning, and ends in a picture."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import matplotlib
import pytest
from defusedxml import ElementTree

from effort import thorough

EXAMPLES = Path(__file__).parents[1] / "examples"
#: The least adjusted Rand index with the groups that the data were made of (vectors: what k-means finds in the iris data).
LEAST = {
    "molecules": 0.8, "connectomes": 0.95, "symbols": 0.8, "program_trees": 0.9, "point_patterns": 0.8, "sequences": 0.95,
    "hypergraphs": 0.9, "vectors": 0.7, "dbscan": 0.7, "hdbscan_groups": 0.8, "neighbours": 0.8, "tsne_map": 0.85,
    "through_neighbors": 0.85,
}  # fmt: skip


def test_every_example_is_run():
    assert set(LEAST) == {path.stem for path in EXAMPLES.glob("*.py")} - {"picture"}


@pytest.mark.parametrize("name", [thorough(name) if name in ("tsne_map", "through_neighbors") else name for name in LEAST])
def test_example(name, tmp_path, monkeypatch, capsys):
    if name == "molecules":
        pytest.importorskip("rdkit", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")
    matplotlib.use("agg")
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert example.main(str(tmp_path)) >= LEAST[name]
    picture = tmp_path / f"{name}.svg"
    root = ElementTree.parse(picture).getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 20
    said = capsys.readouterr().out
    assert f"drawn: {picture}" in said
    assert re.search(r"agreement with the .*: [01]\.\d\d", said)
